// Tests real-time use: a run whose outputs and workspace belong to the caller allocates no memory, takes no lock and makes no system call.
// This must hold for every program, on the caller's thread and on the threads of the host's parallel_for.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "realtime/watch.h"
#include "support/capi_support.h"

using namespace capi_test;

namespace {

/// A parallel_for without threads, as a host program might provide it. It runs the pieces from last to first and alternates between two
/// worker numbers.
void in_pieces(void* calls, size_t n, size_t grain, harp_range_body body, void* arg) {
  ++*static_cast<int*>(calls);
  for (size_t end = n, piece = 0; end > 0; ++piece) {
    const size_t begin = end > grain ? end - grain : 0;
    body(arg, begin, end, piece % 2);
    end = begin;
  }
}

void* refuse(void*, size_t, size_t) { return nullptr; }

/// A compiled program, with all the memory that a run of it needs. Ends the test case if this CPU cannot run the program.
class Prepared {
 public:
  Prepared(const Graph& graph, harp_context* context, const std::vector<std::vector<int64_t>>& shapes, int64_t k) : k_(k) {
    program_ = compile(graph.get(), "c");
    REQUIRE(program_ != nullptr);
    must_run(program_.get());
    std::vector<int64_t> values;
    for (size_t i = 0; i < harp_program_shape_var_count(program_.get()); ++i) {
      harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
      REQUIRE(harp_program_shape_var(program_.get(), i, &info, nullptr) == HARP_OK);
      values.push_back(
          info.input < 0 ? k : (shapes[static_cast<size_t>(info.input)][static_cast<size_t>(info.axis)] - info.offset) / info.factor);
      if (info.input < 0) needs_k_ = true;
    }
    for (size_t i = 0; i < harp_program_input_count(program_.get()); ++i) {
      harp_array_info info = HARP_ARRAY_INFO_INIT;
      REQUIRE(harp_program_input(program_.get(), i, &info, nullptr) == HARP_OK);
      add(context, info.dtype, shapes[i], inputs_);
      fill(inputs_.back());
    }
    for (size_t i = 0; i < harp_program_output_count(program_.get()); ++i) {
      harp_array_info info = HARP_ARRAY_INFO_INIT;
      REQUIRE(harp_program_output(program_.get(), i, &info, nullptr) == HARP_OK);
      std::vector<int64_t> dims(static_cast<size_t>(info.rank));
      REQUIRE(harp_program_output_dims(program_.get(), i, values.size(), values.data(), info.rank, dims.data(), nullptr) == HARP_OK);
      add(context, info.dtype, dims, outputs_);
    }
    size_t size = 0;
    REQUIRE(harp_program_workspace_size(program_.get(), values.size(), values.data(), 2, &size, nullptr) == HARP_OK);
    if (size > 0) workspace_.reset(std::aligned_alloc(64, (size + 63) / 64 * 64));
    options_.workspace = workspace_.get();
    options_.workspace_size = size;
    for (harp_buffer* input : inputs_)
      sources_.push_back({harp_buffer_const_data(input), harp_buffer_dims(input), harp_buffer_dtype(input), harp_buffer_rank(input)});
    for (harp_buffer* output : outputs_)
      targets_.push_back({harp_buffer_data(output), harp_buffer_dims(output), harp_buffer_dtype(output), harp_buffer_rank(output)});
    options_.n_shape_vars = needs_k_ ? 1 : 0;
    options_.shape_var_names = &name_of_k_;
    options_.shape_var_values = &k_;
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// Runs the program twice: once with its arrays as buffers, once with them as plain arrays.
  void run() {
    status_ |= harp_program_run(program_.get(), inputs_.size(), inputs_.data(), outputs_.size(), outputs_.data(), &options_, nullptr);
    status_ |= harp_program_call(program_.get(), sources_.size(), sources_.data(), targets_.size(), targets_.data(), &options_, nullptr);
  }
  bool needs_workspace() const { return workspace_ != nullptr; }
  /// From now on, runs get no workspace of the caller.
  void give_no_workspace() {
    options_.workspace = nullptr;
    options_.workspace_size = 0;
  }
  harp_status status() const { return status_; }
  std::string bytes() const {
    std::string all;
    for (const harp_buffer* output : outputs_)
      all.append(static_cast<const char*>(harp_buffer_const_data(output)), harp_buffer_size(output));
    return all;
  }

 private:
  void add(harp_context* context, harp_dtype dtype, const std::vector<int64_t>& dims, std::vector<harp_buffer*>& to) {
    int64_t count = 1;
    for (const int64_t size : dims) count *= size;
    const auto bytes = static_cast<size_t>(count) * harp_dtype_size(dtype);
    memory_.emplace_back(std::aligned_alloc(64, (bytes + 64) / 64 * 64), &std::free);
    std::memset(memory_.back().get(), 0, bytes);
    owners_.emplace_back(
        harp_buffer_wrap(context, dtype, static_cast<int32_t>(dims.size()), dims.data(), memory_.back().get(), nullptr, nullptr, nullptr));
    to.push_back(owners_.back().get());
  }
  static void fill(harp_buffer* buffer) {
    const auto write = [&](auto* data) {
      for (size_t i = 0; i < harp_buffer_size(buffer) / sizeof *data; ++i)
        data[i] = static_cast<std::remove_pointer_t<decltype(data)>>(i * 7919 % 97) / 32;
    };
    if (harp_buffer_dtype(buffer) == HARP_F32)
      write(static_cast<float*>(harp_buffer_data(buffer)));
    else
      write(static_cast<int32_t*>(harp_buffer_data(buffer)));
  }

  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory_;
  std::vector<Buffer> owners_;
  std::unique_ptr<void, decltype(&std::free)> workspace_{nullptr, &std::free};
  Program program_;
  std::vector<harp_buffer*> inputs_, outputs_;
  std::vector<harp_const_array> sources_;
  std::vector<harp_array> targets_;
  harp_run_options options_ = HARP_RUN_OPTIONS_INIT;
  const char* name_of_k_ = "k";
  int64_t k_ = 0;
  bool needs_k_ = false;
  harp_status status_ = HARP_OK;
};

struct Case {
  std::string what;
  std::string text;
  std::vector<std::vector<int64_t>> shapes = {{3000, 96}};
};

std::string graph_of(const std::string& body, const std::string& parameters = "x: f32[n, 96]") {
  return "harp 1\ngraph g(" + parameters + ") flags=[broadcast] {\n" + body + "}\n";
}

/// Returns a case with 60 inputs, 40 outputs and 20 shape variables.
Case many_arrays() {
  Case many{"many arrays", "", {}};
  std::string parameters, results;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ", ";
    parameters += comma + "x" + number + ": f32[n" + std::to_string(i % 20) + "]";
    many.shapes.push_back({100 + i % 20});
    if (i < 40) results += comma + "y" + number + " = x" + number + " * 2 + sum(x" + std::to_string(i + 20) + ", axes=[0])";
  }
  many.text = graph_of("  return " + results + "\n", parameters);
  return many;
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"elementwise", graph_of("  return y = exp(x) * 2 + 1\n")},
      {"several kernels with arrays between them", graph_of("  s = x / sum(x, axes=[0], keepdims=true)\n  return y = cumsum(s, axis=1)\n")},
      {"rows", graph_of("  return y = softmax(x, axis=1), z = softmax(x, axis=0)\n")},
      {"scans and sorts", graph_of("  return y = cumsum(x, axis=0), z = sort(x, axis=1)\n")},
      {"products", graph_of("  return y = matmul(x, permute(slice(x, stop=[96, 96]), axes=[1, 0]))\n")},
      {"transforms, with tables", graph_of("  return y = real(fft(cast(x, dtype=complex64), axis=1))\n")},
      {"checked indices",
       graph_of("  return y = check_index(i, size=97), z = take(x, remainder(i, 96), axis=1)\n", "x: f32[n, 96], i: i32[m]"),
       {{300, 96}, {500}}},
      {"sizes by name", graph_of("  shape k in 1..10000\n  return y = sum(x, axes=[1]), z = arange(n=k) * 3\n")},
      {"a scalar", graph_of("  return y = x + 1\n", "x: f32[]"), {{}}},
  };
  all.push_back(many_arrays());
  return all;
}

/// Returns a description of the allocations, locks and system calls that a run of the program makes, or "" if it makes none.
std::string wishes_of(Prepared& prepared) {
  prepared.run();
  const realtime::Calls calls = realtime::calls_of([&] { prepared.run(); });
  const std::string system_call = realtime::system_call_of([&] {
    for (int i = 0; i < 3; ++i) prepared.run();
  });
  std::string wishes;
  if (calls.memory != 0) wishes += " memory, " + std::to_string(calls.memory) + " times;";
  if (calls.locks != 0) wishes += " locks, " + std::to_string(calls.locks) + " times;";
  if (!system_call.empty()) wishes += " " + system_call;
  return wishes;
}

}  // namespace

TEST_CASE("X6: what is counted here is noticed") {
  static std::string kept;
  CHECK(realtime::calls_of([] {}).memory == 0);
  CHECK(realtime::calls_of([] { std::string(100, 'x').swap(kept); }).memory == 1);
  CHECK(realtime::system_call_of([] {}) == "");
  CHECK(realtime::system_call_of([] { getppid(); }) == "a system call");

  const Context context = make_context();
  const Graph graph = parse(context.get(), cases()[1].text);
  CHECK(realtime::calls_of([&] { compile(graph.get(), "c"); }).locks > 0);
  const Program program = compile(graph.get(), "c");
  std::vector<float> data(96 * 3, 1);
  const Buffer x = wrap(context.get(), data, {3, 96});
  harp_buffer *input = x.get(), *output = nullptr;
  CHECK(realtime::calls_of([&] { harp_program_run(program.get(), 1, &input, 1, &output, nullptr, nullptr); }).memory > 0);
  harp_buffer_release(output);
}

TEST_CASE("X6.no_malloc X6.no_lock X6.no_syscall X6.caller_memory: a serial run") {
  const Context context = make_context();
  for (const Case& each : cases()) {
    CAPTURE(each.what);
    Prepared prepared(parse(context.get(), each.text), context.get(), each.shapes, 5000);
    CHECK(wishes_of(prepared) == "");
    CHECK(prepared.status() == HARP_OK);
  }
}

TEST_CASE("X6.no_malloc X5.kept_memory: a run without the caller's workspace, of a program that needs little, allocates nothing") {
  const Context context = make_context();
  harp_memory_stats_info stats = HARP_MEMORY_STATS_INFO_INIT;
  REQUIRE(harp_memory_stats(context.get(), &stats, nullptr) == HARP_OK);
  if (stats.limit_bytes == 0) return;  // under sanitizers each workspace is a block of its own
  const Case each = cases()[1];
  Prepared prepared(parse(context.get(), each.text), context.get(), {{3, 96}}, 5000),
      same(parse(context.get(), each.text), context.get(), {{3, 96}}, 5000);
  CHECK(prepared.needs_workspace());
  prepared.give_no_workspace();
  CHECK(wishes_of(prepared) == "");
  CHECK(prepared.status() == HARP_OK);
  same.run();
  CHECK((prepared.bytes() == same.bytes()));
}

TEST_CASE("X6.no_malloc X6.no_lock X6.no_syscall X5.parallel_for: a run on the host's threads, with the same bits") {
  int loops = 0;
  const Context serial = make_context(), context = make_context([&](auto&options) {
                                           options.parallel_for = &in_pieces;
                                           options.parallel_for_user = &loops;
                                           options.width = 2;
                                         });
  for (const Case& each : cases()) {
    CAPTURE(each.what);
    Prepared prepared(parse(context.get(), each.text), context.get(), each.shapes, 5000);
    Prepared alone(parse(serial.get(), each.text), serial.get(), each.shapes, 5000);
    loops = 0;
    CHECK(wishes_of(prepared) == "");
    CHECK(prepared.status() == HARP_OK);
    CHECK((loops > 0) == (each.shapes[0].size() == 2));
    alone.run();
    CHECK((prepared.bytes() == alone.bytes()));
  }
}

TEST_CASE("X6.no_malloc X6.caller_memory G13.native/c: functions of the host's are called from a run that allocates nothing") {
  const Context context = make_context([](auto& options) {
    options.alloc = &refuse;  // always fails: a run must not call the host's allocator either
    options.free = [](void*, void*) {};
  });
  const Graph graph = make_graph(context.get());
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, 10000);
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  desc.name = "doubled";
  desc.signature = "void(i64 n, f32* input0, f32* output)";
  desc.function = reinterpret_cast<harp_native_function>(+[](int64_t count, const float* x, float* y) {
    for (int64_t i = 0; i < count; ++i) y[i] = 2 * x[i];
  });
  desc.dtype = HARP_F32;
  desc.rank = 1;
  desc.dims = &n;
  harp_node* const x = harp_input(graph.get(), "x", HARP_F32, 1, &n);
  harp_node* const arguments[] = {harp_add(x, x)};
  harp_output(graph.get(), "y", harp_tanh(harp_native(1, arguments, &desc)));
  Prepared prepared(graph, context.get(), {{1000}}, 0);
  CHECK(wishes_of(prepared) == "");
  CHECK(prepared.status() == HARP_OK);
}
