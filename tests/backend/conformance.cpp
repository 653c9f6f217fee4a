#include "backend/conformance.h"

#include <atomic>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "capi/handles.h"
#include "fuzz/op_cells.h"
#include "graph/text.h"
#include "interp/interpreter.h"
#include "pipeline.h"
#include "support/faulty_system.h"
#include "support/machine.h"

using namespace capi_test;
using harp::cat;

namespace conformance {

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// A context that has the backend under test. It compiles graphs for the backend and runs the programs on the backend's device.
class Bench {
 public:
  explicit Bench(const Subject& subject, std::function<void(harp_context_options&)> change = nullptr)
      : subject_(subject), context_(make_context(std::move(change))) {
    if (subject.row != nullptr) context_->backends.add(*subject.row);
    if (subject.prepare) subject.prepare(context_.get());
    const harp::Backend* row = context_->backends.find(subject.name);
    REQUIRE(row != nullptr);
    device_ = row->devices(context_->resources()).at(0);
  }

  harp_context* context() const { return context_.get(); }
  void drop_context() { context_.reset(); }
  const harp::Device& device() const { return *device_; }
  const char* device_name() const { return device_->name().data(); }

  Graph graph(const std::string& text) const { return parse(context_.get(), "harp 1\n" + text); }
  /// Compiles a graph. Returns NULL on failure, with the error in `err`.
  Program try_compile(const harp_graph* graph, harp_error** err, const std::function<void(harp_compile_options&)>& change = nullptr) const {
    harp_compile_options options = compile_options();
    options.backend = subject_.name;
    // By default the options name a CPU as the target (HARP_MACHINE). A backend for another device has no such targets.
    if (!device_->is_host()) options.target = nullptr;
    if (change) change(options);
    return Program(harp_compile(graph, &options, err));
  }
  Program compile(const harp_graph* graph, const std::function<void(harp_compile_options&)>& change = nullptr) const {
    ErrorSlot err;
    Program program = try_compile(graph, err, change);
    if (program == nullptr && is_foreign(err)) throw harp::testing::Skip{err.message()};
    REQUIRE_MESSAGE(program != nullptr, err.message());
    return program;
  }
  Program compile(const std::string& text) const { return compile(graph(text).get()); }

  /// Returns a buffer on the backend's device with this content.
  Buffer buffer(harp_dtype dtype, const std::vector<int64_t>& dims, const Bytes& content) const {
    ErrorSlot err;
    Buffer made(harp_buffer_new(context(), device_name(), dtype, static_cast<int32_t>(dims.size()), dims.data(), err));
    REQUIRE_MESSAGE(made != nullptr, err.message());
    REQUIRE(harp_buffer_write(made.get(), content.size(), content.data(), err) == HARP_OK);
    return made;
  }
  Buffer floats(const std::vector<float>& values) const {
    return buffer(HARP_F32, {static_cast<int64_t>(values.size())}, bytes_of(values));
  }

 private:
  const Subject& subject_;
  Context context_;
  const harp::Device* device_ = nullptr;
};

Bytes content_of(const harp_buffer* buffer) {
  Bytes content(harp_buffer_size(buffer));
  REQUIRE(harp_buffer_read(buffer, content.size(), content.data(), nullptr) == HARP_OK);
  return content;
}

std::vector<float> floats_in(const harp_buffer* buffer) {
  std::vector<float> values(harp_buffer_size(buffer) / sizeof(float));
  REQUIRE(harp_buffer_read(buffer, harp_buffer_size(buffer), values.data(), nullptr) == HARP_OK);
  return values;
}

/// Runs the program with outputs that harp allocates. Returns the outputs, or an empty list on failure.
std::vector<Buffer> run(harp_program* program, const std::vector<Buffer>& inputs, harp_error** err,
                        const harp_run_options* options = nullptr) {
  std::vector<harp_buffer*> handles;
  for (const Buffer& input : inputs) handles.push_back(input.get());
  return capi_test::run(program, handles, err, options);
}

/// Runs one graph that tests an operation, for one list of sizes, and compares the results with the interpreter's.
void check_case(const Bench& bench, harp_program* program, const harp::fuzz::Case& test, const harp::Graph& reference,
                const std::vector<int64_t>& sizes) {
  CAPTURE(harp::join(sizes, " "));
  const std::vector<Bytes> data = harp::fuzz::input_bytes(test, sizes);
  const harp::fuzz::Expected expected = harp::fuzz::interpreted_or_fault(reference, sizes, data);
  const std::vector<harp::Sym> variables = test.graph->dims().variables();
  const auto value_of = [&](const harp::SymAtom& atom) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (harp::variable_of(variables[i]) == &atom) return sizes.at(i);
    return int64_t{0};
  };
  std::vector<Buffer> inputs;
  for (size_t i = 0; i < data.size(); ++i) {
    const harp::Node* input = test.graph->inputs()[i];
    std::vector<int64_t> dims;
    for (const harp::Dim dim : input->shape) dims.push_back(harp::evaluate(dim, value_of));
    inputs.push_back(bench.buffer(static_cast<harp_dtype>(input->dtype), dims, data[i]));
  }
  std::vector<std::string> names;
  std::vector<const char*> pointers;
  for (const harp::Sym& variable : variables) names.emplace_back(harp::variable_of(variable)->name);
  for (const std::string& name : names) pointers.push_back(name.c_str());
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.n_shape_vars = names.size();
  options.shape_var_names = pointers.data();
  options.shape_var_values = sizes.data();
  ErrorSlot err;
  const std::vector<Buffer> outputs = run(program, inputs, err, &options);
  CHECK_MESSAGE(err.code() == (expected.fault ? HARP_ERROR_RANGE : HARP_OK), err.message());
  if (expected.fault || outputs.empty()) return;
  REQUIRE(outputs.size() == expected.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const harp::GraphOutput& output = test.graph->outputs()[i];
    const std::string difference = harp::fuzz::difference(output.node->dtype, expected.outputs[i], content_of(outputs[i].get()));
    CHECK_MESSAGE(difference.empty(), output.name, ": ", difference);
  }
}

}  // namespace

void check_operations(const Subject& subject) {
  const Bench bench(subject);
  std::vector<std::string> unbuilt;
  const std::vector<harp::fuzz::Cell> cells = harp::fuzz::op_cells(unbuilt);
  size_t operations = 0;
  for (size_t begin = 0, end = 0; begin < cells.size(); begin = end, ++operations) {
    while (end < cells.size() && cells[end].row == cells[begin].row) ++end;
    const harp::fuzz::Cell& cell = cells[begin + operations % (end - begin)];  // the dtype differs from operation to operation
    CAPTURE(cell.row->name);
    CAPTURE(harp::name(cell.dtype));
    const Graph graph = parse(bench.context(), harp::print_graph(*cell.test.graph));
    REQUIRE(graph != nullptr);
    const Program program = bench.compile(graph.get(), subject.quick);
    if (is_not_for_this_cpu(program.get())) continue;
    // If the graph has index checks, the interpreter runs the optimised graph, because the optimiser decides which checks remain, and in
    // which order.
    const std::shared_ptr<const harp::Graph> reference =
        harp::check_sites(*cell.test.graph).empty() ? cell.test.graph->clone() : harp::optimised(*cell.test.graph, {});
    for (const std::vector<int64_t>& sizes : cell.test.sizes) check_case(bench, program.get(), cell.test, *reference, sizes);
  }
  CHECK(operations > 200);
}

void check_programs(const Subject& subject) {
  const Bench bench(subject);
  const std::string text = "graph g(x: f32[n, 3], s: f32[]) flags=[broadcast] { return y = x * s, t = sum(x, axes=[0]) }";
  const Program program = bench.compile(text), reference = compile(bench.graph(text).get(), "interp");
  // Every backend must give the same signature, including the pairs of arrays that may be computed in place. A program that uses harp can
  // then switch between backends.
  CHECK(take(harp_program_signature(program.get(), nullptr)) == take(harp_program_signature(reference.get(), nullptr)));
  must_run(program.get());
  for (const int64_t n : {0, 1, 2, 7, 100}) {
    CAPTURE(n);
    std::vector<float> x(static_cast<size_t>(3 * n)), y, t(3, 0.0f);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) - 5, y.push_back(2 * x[i]), t[i % 3] += x[i];
    std::vector<Buffer> inputs;
    inputs.push_back(bench.buffer(HARP_F32, {n, 3}, bytes_of(x)));
    inputs.push_back(bench.buffer(HARP_F32, {}, bytes_of(std::vector<float>{2})));
    ErrorSlot err;
    const std::vector<Buffer> outputs = run(program.get(), inputs, err);
    REQUIRE_MESSAGE(outputs.size() == 2, err.message());
    CHECK(dims(outputs[0].get()) == std::vector<int64_t>{n, 3});
    CHECK(floats_in(outputs[0].get()) == y);
    CHECK(floats_in(outputs[1].get()) == t);
    for (const Buffer& output : outputs) CHECK(std::string(harp_buffer_device(output.get())) == bench.device_name());
  }

  // No input has an axis of the size n, so each run gets the value of n by name.
  const Graph ramp = make_graph(bench.context());
  const harp_dim n = harp_dim_var(ramp.get(), "n", 0, 1000);
  harp_output(ramp.get(), "y", harp_arange(ramp.get(), HARP_I32, 0, n, 1));
  const Program counting = bench.compile(ramp.get());
  const char* const names[] = {"n"};
  const int64_t value = 5;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.n_shape_vars = 1, options.shape_var_names = names, options.shape_var_values = &value;
  ErrorSlot err;
  const std::vector<Buffer> outputs = run(counting.get(), std::vector<Buffer>{}, err, &options);
  REQUIRE_MESSAGE(outputs.size() == 1, err.message());
  CHECK(content_of(outputs[0].get()) == bytes_of(std::vector<int32_t>{0, 1, 2, 3, 4}));
  size_t workspace = 0;
  CHECK(harp_program_workspace_size(counting.get(), 1, &value, 2, &workspace, err) == HARP_OK);
}

namespace {

int32_t fails_with_7(const float*, float*) { return 7; }

harp_node* native_of(harp_graph* graph, harp_native_function function, harp_node* x, void* user = nullptr) {
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  const harp_dim size = 1;
  desc.graph = graph;
  desc.name = "host_function";
  desc.function = function;
  desc.user = user;
  desc.signature = user != nullptr ? "i32(f32* input0, void* user, f32* output)" : "i32(f32* input0, f32* output)";
  desc.dtype = HARP_F32;
  desc.rank = 1;
  desc.dims = &size;
  return harp_native(1, &x, &desc);
}

}  // namespace

void check_errors(const Subject& subject) {
  const Bench bench(subject);
  const Program program = bench.compile("graph g(x: f32[n in 1..10, 3], i: i32[k]) { return y = x * 2.0, z = i }");
  const Program reference = compile(bench.graph("graph g(x: f32[n in 1..10, 3], i: i32[k]) { return y = x * 2.0, z = i }").get(), "interp");
  must_run(program.get());
  // Wrong arguments must give the same errors as the interpreter gives for the same arrays on its own device.
  const auto refused = [&](harp_status code, harp_dtype dtype, std::vector<int64_t> dims, size_t n_inputs = 2) {
    int64_t count = 1;
    for (const int64_t size : dims) count *= size;
    const Bytes zeros(static_cast<size_t>(count) * harp_dtype_size(dtype));
    const auto message = [&](harp_program* made, const Buffer& x, const Buffer& i) {
      harp_buffer* inputs[] = {x.get(), i.get()};
      harp_buffer* outputs[] = {nullptr, nullptr};
      ErrorSlot err;
      CHECK(harp_program_run(made, n_inputs, inputs, 2, outputs, nullptr, err) == code);
      CHECK((outputs[0] == nullptr && outputs[1] == nullptr));
      return err.message();
    };
    const Buffer x = bench.buffer(dtype, dims, zeros), i = bench.buffer(HARP_I32, {0}, {});
    Buffer host_x(harp_buffer_new(bench.context(), nullptr, dtype, static_cast<int32_t>(dims.size()), dims.data(), nullptr));
    const int64_t none = 0;
    Buffer host_i(harp_buffer_new(bench.context(), nullptr, HARP_I32, 1, &none, nullptr));
    CHECK(message(program.get(), x, i) == message(reference.get(), host_x, host_i));
  };
  refused(HARP_ERROR_DTYPE, HARP_F64, {2, 3});
  refused(HARP_ERROR_SHAPE, HARP_F32, {2, 4});
  refused(HARP_ERROR_SHAPE, HARP_F32, {6});
  refused(HARP_ERROR_RANGE, HARP_F32, {11, 3});
  refused(HARP_ERROR_RANGE, HARP_F32, {0, 3});
  refused(HARP_ERROR_INVALID_ARGUMENT, HARP_F32, {2, 3}, 1);

  // If an index is out of range, the backend must give the same message as the interpreter.
  const std::string gather = "graph g(x: f32[5], i: i32[3]) { return y = take(x, i, axis=0) }";
  const auto checked = [](harp_compile_options& options) { options.check_indices = 1; };
  const Program taking = bench.compile(bench.graph(gather).get(), checked);
  const Program taking_reference = compile(bench.graph(gather).get(), "interp", checked);
  std::vector<float> x = {1, 2, 3, 4, 5};
  std::vector<int32_t> i = {4, 5, 0};
  ErrorSlot got, expected;
  std::vector<Buffer> inputs;
  inputs.push_back(bench.floats(x));
  inputs.push_back(bench.buffer(HARP_I32, {3}, bytes_of(i)));
  run(taking.get(), inputs, got);
  const Buffer host_x = wrap(bench.context(), x, {5}), host_i = wrap(bench.context(), i, {3});
  capi_test::run(taking_reference.get(), {host_x.get(), host_i.get()}, expected);
  CHECK(got.code() == HARP_ERROR_RANGE);
  CHECK(got.message() == expected.message());

  // The graph calls a native function of the host program, which fails.
  const Graph graph = make_graph(bench.context());
  const harp_dim one = 1;
  harp_node* input = harp_input(graph.get(), "x", HARP_F32, 1, &one);
  harp_output(graph.get(), "y", native_of(graph.get(), reinterpret_cast<harp_native_function>(&fails_with_7), input));
  const Program calling = bench.compile(graph.get());
  ErrorSlot failed;
  std::vector<Buffer> single;
  single.push_back(bench.floats({1}));
  run(calling.get(), single, failed);
  CHECK(failed.code() == HARP_ERROR_NATIVE);
  CHECK_MESSAGE(failed.message().find("7") != std::string::npos, failed.message());
}

void check_aliases(const Subject& subject) {
  const Bench bench(subject);
  const Program program = bench.compile("graph g(x: f32[n], b: f32[n], w: f32[n]) { return y = x * b + 1.0, s = cumsum(w, axis=0) }");
  must_run(program.get());
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7}, b = {2, 2, 2, 3, 3, 3, 3};
  std::vector<float> expected;
  for (size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] * b[i] + 1);
  const Buffer first = bench.floats(x), second = bench.floats(b), third = bench.floats(x), sums = bench.floats(x);
  harp_buffer* inputs[] = {first.get(), second.get(), third.get()};
  const auto status_of = [&](harp_buffer* y, harp_buffer* s, harp_error** err) {
    harp_buffer* outputs[] = {y, s};
    return harp_program_run(program.get(), 3, inputs, 2, outputs, nullptr, err);
  };
  const Buffer y = bench.floats(b);
  ErrorSlot twice;
  CHECK(status_of(y.get(), y.get(), twice) == HARP_ERROR_ALIAS);
  CHECK(twice.message().find("output \"s\" overlaps output \"y\"") == 0);
  ErrorSlot over;
  CHECK(status_of(third.get(), sums.get(), over) == HARP_ERROR_ALIAS);
  CHECK(floats_in(y.get()) == b);
  CHECK(floats_in(third.get()) == x);
  // The output may overwrite the input that the signature lists for it. The result must then have the same bits.
  ErrorSlot err;
  CHECK_MESSAGE(status_of(first.get(), sums.get(), err) == HARP_OK, err.message());
  CHECK(floats_in(first.get()) == expected);
  CHECK(floats_in(second.get()) == b);
  CHECK(floats_in(sums.get()) == std::vector<float>{1, 3, 6, 10, 15, 21, 28});
}

void check_threads(const Subject& subject) {
  constexpr int kThreads = 8, kRuns = 20;
  constexpr int64_t kColumns = 300;
  const int64_t rows = subject.rows_for_threads;
  const std::string text = "graph g(x: f32[n, m]) { return y = sum(exp(x * 0.001), axes=[1]) }";
  std::vector<float> x(static_cast<size_t>(rows * kColumns));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1001);
  std::vector<float> serial;
  for (const int32_t workers : {1, 3}) {
    const Bench bench(subject, [&](harp_context_options& options) { options.threads = workers; });
    const Program program = bench.compile(text);
    must_run(program.get());
    std::vector<Buffer> inputs;
    inputs.push_back(bench.buffer(HARP_F32, {rows, kColumns}, bytes_of(x)));
    if (serial.empty()) {
      const std::vector<Buffer> outputs = run(program.get(), inputs, nullptr);
      REQUIRE(outputs.size() == 1);
      serial = floats_in(outputs[0].get());
    }
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (int n = 0; n < kRuns; ++n) {
          harp_buffer* input = inputs[0].get();
          harp_buffer* output = nullptr;
          if (harp_program_run(program.get(), 1, &input, 1, &output, nullptr, nullptr) != HARP_OK) continue;
          std::vector<float> got(serial.size());
          harp_buffer_read(output, got.size() * sizeof(float), got.data(), nullptr);
          harp_buffer_release(output);
          right += std::memcmp(got.data(), serial.data(), got.size() * sizeof(float)) == 0;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == kThreads * kRuns);
  }
}

namespace {

/// Counts the calls of the native function. Its first call sets the flag that cancels the run.
struct Canceller {
  int32_t flag = 0;
  int calls = 0;
};

int32_t set_flag(const float* x, void* user, float* y) {
  auto* canceller = static_cast<Canceller*>(user);
  __atomic_store_n(&canceller->flag, 1, __ATOMIC_RELAXED);
  ++canceller->calls;
  y[0] = x[0];
  return 0;
}

}  // namespace

void check_cancelling(const Subject& subject) {
  const Bench bench(subject);
  const int32_t set = 1;
  const Graph graph = bench.graph("graph g(x: f32[n]) { return y = x * 2.0 }");
  ErrorSlot compiling;
  CHECK(bench.try_compile(graph.get(), compiling, [&](harp_compile_options& options) { options.cancel = &set; }) == nullptr);
  CHECK(compiling.code() == HARP_ERROR_CANCELLED);

  const Program program = bench.compile(graph.get());
  must_run(program.get());
  std::vector<Buffer> inputs;
  inputs.push_back(bench.floats({1, 2}));
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.cancel = &set;
  harp_buffer* input = inputs[0].get();
  harp_buffer* output = nullptr;
  ErrorSlot before;
  CHECK(harp_program_run(program.get(), 1, &input, 1, &output, &options, before) == HARP_ERROR_CANCELLED);
  CHECK(output == nullptr);

  // The first native function sets the cancel flag. The second one needs the result of the first one, so it must not be called.
  Canceller canceller;
  const Graph chain = make_graph(bench.context());
  const harp_dim one = 1;
  harp_node* node = harp_input(chain.get(), "x", HARP_F32, 1, &one);
  const auto function = reinterpret_cast<harp_native_function>(&set_flag);
  node = native_of(chain.get(), function, node, &canceller);
  harp_output(chain.get(), "y", native_of(chain.get(), function, node, &canceller));
  const Program calling = bench.compile(chain.get());
  options.cancel = &canceller.flag;
  std::vector<Buffer> single;
  single.push_back(bench.floats({1}));
  input = single[0].get();
  ErrorSlot during;
  CHECK_MESSAGE(harp_program_run(calling.get(), 1, &input, 1, &output, &options, during) == HARP_ERROR_CANCELLED, during.message());
  CHECK(output == nullptr);
  CHECK(canceller.calls == 1);

  const std::vector<Buffer> after = run(program.get(), inputs, nullptr);
  REQUIRE(after.size() == 1);
  CHECK(floats_in(after[0].get()) == std::vector<float>{2, 4});
}

void check_lifetimes_and_limits(const Subject& subject) {
  Program program;
  std::vector<Buffer> inputs, outputs;
  {
    Bench bench(subject);
    // this assignment also releases the parsed graph; the program must stay usable without it
    program = bench.compile("graph g(x: f32[n]) { return y = x * 2.0 }");
    inputs.push_back(bench.floats({1, 2, 3}));
    bench.drop_context();
  }
  must_run(program.get());
  outputs = run(program.get(), inputs, nullptr);
  program.reset();
  inputs.clear();
  REQUIRE(outputs.size() == 1);
  CHECK(floats_in(outputs[0].get()) == std::vector<float>{2, 4, 6});

  const Bench bench(subject, [](harp_context_options& options) { options.compile_timeout_ms = 1; });
  std::string text = "graph g(x: f32[n]) {\n  t0 = x\n";
  for (int i = 0; i < 20000; ++i) text += cat("  t", i + 1, " = t", i, " * ", i + 2, "\n");
  const Graph large = bench.graph(text + "  return z = t20000\n}");
  ErrorSlot err;
  CHECK(bench.try_compile(large.get(), err) == nullptr);
  CHECK(err.code() == HARP_ERROR_COMPILER);
  CHECK_MESSAGE(err.message().find("exceeded its time limit of 1 ms") != std::string::npos, err.message());
}

void check_devices(const Subject& subject) {
  const Bench bench(subject);
  const std::string own = bench.device_name();
  ErrorSlot unknown;
  const int64_t two_by_three[] = {2, 3};
  CHECK(harp_buffer_new(bench.context(), "tape", HARP_F32, 2, two_by_three, unknown) == nullptr);
  CHECK(unknown.code() == HARP_ERROR_DEVICE);
  CHECK_MESSAGE((unknown.message().find("cpu") != std::string::npos && unknown.message().find(own) != std::string::npos),
                unknown.message());

  // Contents are copied to the device and back, and between devices.
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const Buffer there = bench.buffer(HARP_F32, {2, 3}, bytes_of(x));
  CHECK(harp_buffer_device(there.get()) == own);
  CHECK((harp_buffer_const_data(there.get()) != nullptr) == bench.device().is_host());
  CHECK((harp_buffer_data(there.get()) != nullptr) == bench.device().is_host());
  const Buffer here(harp_buffer_new(bench.context(), "cpu", HARP_F32, 2, two_by_three, nullptr));
  ErrorSlot err;
  CHECK(harp_buffer_copy(here.get(), there.get(), err) == HARP_OK);
  CHECK(values<float>(here.get()) == x);
  const Buffer again = bench.buffer(HARP_F32, {2, 3}, bytes_of(std::vector<float>(6)));
  CHECK(harp_buffer_copy(again.get(), here.get(), err) == HARP_OK);
  CHECK(floats_in(again.get()) == x);
  CHECK(harp_buffer_copy(there.get(), again.get(), err) == HARP_OK);
  const int64_t by_column[] = {4, 8};
  std::vector<float> columns(6);
  CHECK(harp_buffer_read_strided(there.get(), 2, by_column, columns.data(), err) == HARP_OK);
  CHECK(columns == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(harp_buffer_write_strided(again.get(), 2, by_column, x.data(), err) == HARP_OK);
  CHECK(floats_in(again.get()) == std::vector<float>{1, 3, 5, 2, 4, 6});
  const Scratch scratch;
  CHECK(harp_npy_save(there.get(), (scratch / "x.npy").c_str(), err) == HARP_OK);
  const Buffer loaded(harp_npy_load(bench.context(), (scratch / "x.npy").c_str(), err));
  REQUIRE(loaded != nullptr);
  CHECK(std::string(harp_buffer_device(loaded.get())) == "cpu");
  CHECK(values<float>(loaded.get()) == x);
  harp_dl_managed* exported = harp_buffer_to_dlpack(there.get(), err);
  CHECK((exported != nullptr) == (bench.device().dlpack().type != 0));
  if (exported != nullptr)
    exported->deleter(exported);
  else
    CHECK(err.code() == HARP_ERROR_DEVICE);
  const Buffer nothing = bench.buffer(HARP_F32, {0, 3}, {});
  CHECK(harp_buffer_size(nothing.get()) == 0);

  // A program accepts arrays on the devices that its backend can read, and rejects all others.
  const Program program = bench.compile("graph g(x: f32[2, 3]) { return y = x * 2.0 }");
  must_run(program.get());
  harp_buffer* input = here.get();
  harp_buffer* output = nullptr;
  ErrorSlot elsewhere;
  const harp_status status = harp_program_run(program.get(), 1, &input, 1, &output, nullptr, elsewhere);
  const Buffer made(output);
  CHECK(status == (bench.device().is_host() ? HARP_OK : HARP_ERROR_DEVICE));
  if (status != HARP_OK)
    CHECK(elsewhere.message() == cat("input \"x\" is on the device cpu, which programs of the backend ", subject.name,
                                     " cannot use; expected one of: ", own, "; with the run option HARP_RUN_STAGE such arrays are copied"));
  harp_run_options staged = HARP_RUN_OPTIONS_INIT;
  staged.flags = HARP_RUN_STAGE;
  output = nullptr;
  CHECK(harp_program_run(program.get(), 1, &input, 1, &output, &staged, nullptr) == HARP_OK);
  const Buffer copied(output);
  CHECK(floats_in(copied.get()) == std::vector<float>{2, 4, 6, 8, 10, 12});

  // A backend need not have entry points. If it has one, it takes addresses on the backend's device.
  ErrorSlot none;
  const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), none);
  CHECK((entry != nullptr || none.code() == HARP_ERROR_UNSUPPORTED));
  if (entry == nullptr || !bench.device().is_host()) return;
  std::vector<float> y(6), from = x;
  void *in = from.data(), *out = y.data();
  harp_runtime runtime{};
  runtime.struct_size = sizeof runtime;
  CHECK(entry(&in, &out, nullptr, &runtime) == HARP_OK);
  CHECK(y == std::vector<float>{2, 4, 6, 8, 10, 12});
}

}  // namespace conformance
