// Tests many threads at once, as in a server. They build, compile, run and release graphs: each thread its own graph or all threads the
// same one, in one context or in several contexts that share a cache directory, while other threads clear this directory. Results must be
// bit-identical to those of the interpreter on one thread. `./dev tsan` runs these tests under ThreadSanitizer, with kernels that are
// compiled with it as well.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "support/capi_support.h"
#include "support/faulty_system.h"
#include "support/sanitize.h"

using namespace capi_test;
using harp::cat;

namespace {

constexpr size_t kThreads = 12;
constexpr int64_t kColumns = 24;
constexpr const char* kBackends[] = {"interp", "c"};

/// Runs body(thread) on several threads, which all start at the same time, and returns their error messages. The caller checks these on its
/// own thread, because the checks of doctest are not thread-safe here.
std::vector<std::string> on_threads(const std::function<void(size_t thread, std::vector<std::string>& complaints)>& body) {
  std::barrier start(static_cast<std::ptrdiff_t>(kThreads));
  std::array<std::vector<std::string>, kThreads> complaints;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t, complaints[t]);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> all;
  for (const auto& some : complaints) all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Returns the text of a graph over x[n, 24] and w[24]. The families are: an elementwise graph, reductions in several kernels with
/// intermediate results, a stencil, and integers with a concat.
constexpr size_t kFamilies = 4;
std::string graph_text(size_t family, size_t number) {
  constexpr const char* kBodies[kFamilies] = {"  return y = tanh(x * w + c), z = where(x < w, exp(x), x * c)\n",
                                              "  e = exp(x - max(x, axes=[-1], keepdims=true))\n"
                                              "  s = sum(e, axes=[-1], keepdims=true)\n"
                                              "  return y = e / s * c, total = sum(e, axes=[0]) * w\n",
                                              "  around = roll(x, shift=[1], axis=[0]) + roll(x, shift=[-1], axis=[1])\n"
                                              "  return y = x + c * (around - w)\n",
                                              "  k = remainder(cast(x * 8, dtype=i32), 7)\n"
                                              "  return y = concat(flip(k, axes=[1]), k, axis=0), z = max(x, axes=[0]) - c\n"};
  return cat("harp 1\ngraph g", number, "(x: f32[n, ", kColumns, "], w: f32[", kColumns, "]) flags=[broadcast] {\n  c = f32(", number + 2,
             ".5)\n", kBodies[family % kFamilies], "}\n");
}

std::vector<float> ramp(int64_t count, float step) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) * step - 2;
  return values;
}

/// Input arrays for a run. They are only read, so any number of threads may share them.
struct Arrays {
  explicit Arrays(int64_t rows) : rows(rows), x(ramp(rows * kColumns, 0.0625f)), w(ramp(kColumns, 0.25f)) {}
  int64_t rows;
  std::vector<float> x, w;
};

/// Returns the bytes of all outputs, or the message of the error.
std::string run_bytes(harp_context* context, harp_program* program, const Arrays& arrays, const harp_run_options* options = nullptr) {
  ErrorSlot err;
  const int64_t x_dims[] = {arrays.rows, kColumns}, w_dims[] = {kColumns};
  const Buffer x(harp_buffer_wrap_const(context, HARP_F32, 2, x_dims, arrays.x.data(), nullptr, nullptr, err));
  const Buffer w(harp_buffer_wrap_const(context, HARP_F32, 1, w_dims, arrays.w.data(), nullptr, nullptr, err));
  harp_buffer* const inputs[] = {x.get(), w.get()};
  std::vector<harp_buffer*> outputs(harp_program_output_count(program), nullptr);
  if (harp_program_run(program, 2, inputs, outputs.size(), outputs.data(), options, err) != HARP_OK) return err.message();
  std::string bytes;
  for (harp_buffer* output : outputs) {
    const Buffer owner(output);
    bytes.append(static_cast<const char*>(harp_buffer_const_data(output)), harp_buffer_size(output));
  }
  return bytes;
}

/// The compile options of one thread. Kernels of the backend "c" are compiled with the sanitizers of the test program.
struct Wish {
  const char* backend = "c";
  int32_t simd_width = 0;
  int32_t plain_text = 0;
  const char* without = nullptr;  // name of an optimiser pass that is skipped
};
Program compile_as(const harp_graph* graph, const Wish& wish, harp_error** err) {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  const std::vector<std::string> extra = harp::sanitizer_flags(harp::kOwnCompiler);
  std::vector<const char*> flags;
  for (const std::string& flag : extra) flags.push_back(flag.c_str());
  options.backend = wish.backend;
  options.simd_width = wish.simd_width;
  options.plain_text = wish.plain_text;
  options.n_disabled_passes = wish.without != nullptr ? 1 : 0;
  options.disabled_passes = &wish.without;
  if (std::string_view(wish.backend) == "c") {
    options.compiler = harp::kOwnCompiler.data();
    options.n_flags = flags.size();
    options.flags = flags.data();
  }
  return Program(harp_compile(graph, &options, err));
}

/// Returns the expected bytes of all outputs, computed by the interpreter on one thread.
std::string expected_bytes(const std::string& text, const Arrays& arrays) {
  const Context context = make_context();
  return run_bytes(context.get(), compile(parse(context.get(), text).get(), "interp").get(), arrays);
}

harp_cache_stats_info stats_of(harp_context* context) {
  harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
  harp_cache_stats(context, &stats, nullptr);
  return stats;
}

void check_quiet(const std::vector<std::string>& complaints) { CHECK_MESSAGE(complaints.empty(), harp::join(complaints, "\n")); }

}  // namespace

TEST_CASE("C1: threads build, compile, run and release graphs of their own in one context; equal ones are compiled once") {
  constexpr size_t kGraphs = 8, kRounds = 6;
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  const Context context = make_context([&](auto& options) { options.cache_dir = directory.c_str(); });
  const Arrays arrays(7);
  std::vector<std::string> texts, expected;
  for (size_t g = 0; g < kGraphs; ++g) {
    texts.push_back(graph_text(g, g));
    expected.push_back(expected_bytes(texts.back(), arrays));
  }
  check_quiet(on_threads([&](size_t t, auto& complaints) {
    for (size_t round = 0; round < kRounds; ++round) {
      const size_t g = (t / 3 + round) % kGraphs;  // each graph is compiled by three threads at the same time
      ErrorSlot err;
      const Graph graph(harp_graph_parse(context.get(), texts[g].size(), texts[g].data(), err));
      const Program program = compile_as(graph.get(), {}, err);
      if (program == nullptr) {
        complaints.push_back(err.message());
        continue;
      }
      if (run_bytes(context.get(), program.get(), arrays) != expected[g]) complaints.push_back(cat("graph ", g, ": other bits"));
    }
  }));
  const harp_cache_stats_info stats = stats_of(context.get());
  CHECK(stats.misses == kGraphs);
  CHECK(stats.misses + stats.memory_hits + stats.disk_hits == kThreads * kRounds);

  const Context second = make_context([&](auto& options) { options.cache_dir = directory.c_str(); });
  check_quiet(on_threads([&](size_t t, auto& complaints) {
    const size_t g = t % kGraphs;
    ErrorSlot err;
    const Graph graph(harp_graph_parse(second.get(), texts[g].size(), texts[g].data(), err));
    const Program program = compile_as(graph.get(), {}, err);
    if (program == nullptr || run_bytes(second.get(), program.get(), arrays) != expected[g]) complaints.push_back(err.message());
  }));
  CHECK(stats_of(second.get()).misses == 0);
  CHECK(stats_of(second.get()).disk_hits == kGraphs);
}

TEST_CASE("C1 X2: threads compile one graph in different ways, and look at it meanwhile") {
  constexpr Wish kWishes[] = {{"c"}, {"interp"}, {"c", 1}, {"c", 4}, {"c", 0, 1}, {"c", 0, 0, "all"}};
  const Context context = make_context();
  const Arrays arrays(5);
  for (size_t family = 0; family < kFamilies; ++family) {
    CAPTURE(family);
    const std::string text = graph_text(family, 20 + family), expected = expected_bytes(text, arrays);
    const Graph graph = parse(context.get(), text);
    const std::string source = take(harp_graph_emit(graph.get(), nullptr, "c", nullptr));
    check_quiet(on_threads([&](size_t t, auto& complaints) {
      ErrorSlot err;
      const Wish& wish = kWishes[t % std::size(kWishes)];
      const Program program = compile_as(graph.get(), wish, err);
      if (program == nullptr || run_bytes(context.get(), program.get(), arrays) != expected)
        complaints.push_back(cat(wish.backend, " ", wish.simd_width, ": ", err.message()));
      if (t % 3 == 0 && take(harp_graph_emit(graph.get(), nullptr, "c", nullptr)) != source) complaints.emplace_back("another source");
      if (t % 3 == 1 && take(harp_graph_print(graph.get(), nullptr)).empty()) complaints.emplace_back("no text");
      if (t % 3 == 2 && take(harp_graph_dot(graph.get(), nullptr)).empty()) complaints.emplace_back("no picture");
    }));
  }
}

TEST_CASE("C1 X5: threads run one program at once, for several sizes, through every entrance and on the host's threads") {
  const Context context = make_context([](auto& options) {
    options.width = 2;
    options.parallel_for = [](void*, size_t n, size_t, harp_range_body body, void* arg) {
      std::thread other([&] { body(arg, n / 2, n, 1); });
      if (n > 1) body(arg, 0, n / 2, 0);
      other.join();
    };
  });
  std::vector<Arrays> arrays;
  for (const int64_t rows : {1, 6, 900}) arrays.emplace_back(rows);
  for (size_t family = 0; family < kFamilies; ++family) {
    CAPTURE(family);
    const std::string text = graph_text(family, 40 + family);
    std::vector<std::string> expected;
    for (const Arrays& some : arrays) expected.push_back(expected_bytes(text, some));
    const Graph graph = parse(context.get(), text);
    for (const char* backend : kBackends) {
      CAPTURE(backend);
      ErrorSlot err;
      const Program program = compile_as(graph.get(), {backend}, err);
      REQUIRE_MESSAGE(program != nullptr, err.message());
      check_quiet(on_threads([&](size_t t, auto& complaints) {
        const Arrays& mine = arrays[t % arrays.size()];
        const std::string& right = expected[t % arrays.size()];
        if (run_bytes(context.get(), program.get(), mine) != right) complaints.emplace_back("harp_program_run: other bits");

        size_t rows = static_cast<size_t>(mine.rows), size = 0;
        harp_program_workspace_size(program.get(), 1, &mine.rows, 2, &size, nullptr);
        std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, (size + 127) / 64 * 64), &std::free);
        harp_run_options options = HARP_RUN_OPTIONS_INIT;
        options.workspace = workspace.get();
        options.workspace_size = size;
        if (run_bytes(context.get(), program.get(), mine, &options) != right) complaints.emplace_back("own workspace: other bits");

        std::string bytes(right.size(), '\0');
        std::vector<void*> outputs;
        size_t offset = 0;
        for (size_t i = 0; i < harp_program_output_count(program.get()); ++i) {
          harp_array_info info = HARP_ARRAY_INFO_INIT;
          harp_program_output(program.get(), i, &info, nullptr);
          std::array<int64_t, 2> dims{1, 1};
          harp_program_output_dims(program.get(), i, 1, &mine.rows, info.rank, dims.data(), nullptr);
          outputs.push_back(bytes.data() + offset);
          offset += static_cast<size_t>(dims[0] * dims[1]) * harp_dtype_size(info.dtype);
        }
        void* inputs[] = {const_cast<float*>(mine.x.data()), const_cast<float*>(mine.w.data())};
        if (t % 2 == 0)
          harp_program_entry(program.get(), nullptr)(inputs, outputs.data(), &rows);
        else if (harp_program_entry_ex(program.get(), nullptr)(inputs, outputs.data(), &rows, nullptr) != HARP_OK)
          complaints.emplace_back("entry_point_ex failed");
        if (offset != bytes.size() || bytes != right) complaints.emplace_back("entry point: other bits");
      }));
    }
  }
}

TEST_CASE("C1: threads of two contexts share a small cache directory that others list and empty") {
  constexpr size_t kGraphs = 6, kRounds = 4;
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  const auto small = [&](auto& options) {
    options.cache_dir = directory.c_str();
    options.cache_max_entries = 3;
  };
  const Context contexts[] = {make_context(small), make_context(small)};
  const Arrays arrays(4);
  std::vector<std::string> texts, expected;
  for (size_t g = 0; g < kGraphs; ++g) {
    texts.push_back(graph_text(g, 60 + g));
    expected.push_back(expected_bytes(texts.back(), arrays));
  }
  check_quiet(on_threads([&](size_t t, auto& complaints) {
    harp_context* context = contexts[t % 2].get();
    for (size_t round = 0; round < kRounds; ++round) {
      ErrorSlot err;
      const size_t g = (t + round) % kGraphs;
      const Graph graph(harp_graph_parse(context, texts[g].size(), texts[g].data(), err));
      const Program program = compile_as(graph.get(), {}, err);
      if (program == nullptr || run_bytes(context, program.get(), arrays) != expected[g]) complaints.push_back(err.message());
      if (t == 0) take(harp_cache_list(context, err));
      if (t == 1) stats_of(context);
      if (t == 2) take(harp_context_describe(context, err));
      // harp_cache_clear must not fail if another thread removes an entry at the same time.
      if (t == 3 && harp_cache_clear(context, err) != HARP_OK) complaints.push_back(err.message());
      if (err.code() != HARP_OK) complaints.push_back(err.message());
    }
  }));
}

TEST_CASE("C1: whoever comes last frees a handle: threads run and release programs whose graph, context and buffers were given up") {
  const Arrays arrays(9);
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const std::string text = graph_text(1, 80), expected = expected_bytes(text, arrays);
    Context context = make_context();
    Graph graph = parse(context.get(), text);
    ErrorSlot err;
    Program program = compile_as(graph.get(), {backend}, err);
    REQUIRE_MESSAGE(program != nullptr, err.message());
    harp_context* const raw_context = context.get();
    harp_program* const raw_program = program.get();
    for (size_t t = 0; t < kThreads; ++t) {
      harp_context_retain(raw_context);
      harp_program_retain(raw_program);
    }
    graph.reset();
    program.reset();
    context.reset();
    check_quiet(on_threads([&](size_t t, auto& complaints) {
      const Program mine(raw_program);  // the last thread that releases the program unloads the library
      const Context root(raw_context);
      if (run_bytes(root.get(), mine.get(), arrays) != expected) complaints.push_back(cat("thread ", t, ": other bits"));
    }));
  }
}

TEST_CASE("C1: threads get the errors of one bad graph and of one bad compiler, each its own; log messages come from all of them") {
  struct Messages {
    std::mutex mutex;
    size_t count = 0;
  } messages;
  const Context context = make_context([&](auto& options) {
    options.log_user = &messages;
    options.log_level = HARP_LOG_TRACE;
    options.log = [](void* user, int32_t, const char*, size_t) {
      auto& all = *static_cast<Messages*>(user);
      const std::lock_guard guard(all.mutex);
      ++all.count;
    };
  });
  const Graph bad = make_graph(context.get());
  const harp_dim three[] = {3}, four[] = {4};
  harp_add(harp_input(bad.get(), "a", HARP_F32, 1, three), harp_input(bad.get(), "b", HARP_F32, 1, four));
  const std::string mistake = harp_error_message(harp_graph_error(bad.get()));
  const Arrays arrays(3);
  const std::string text = graph_text(0, 90), expected = expected_bytes(text, arrays);
  const Graph good = parse(context.get(), text);
  check_quiet(on_threads([&](size_t t, auto& complaints) {
    ErrorSlot graph_error, compiler_error, none;
    if (harp_compile(bad.get(), nullptr, graph_error) != nullptr || graph_error.message().find(mistake) == std::string::npos)
      complaints.push_back(cat("bad graph: ", graph_error.message()));
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    const char* const flag = "-fno-such-flag";
    options.n_flags = 1;
    options.flags = &flag;
    if (harp_compile(good.get(), &options, compiler_error) != nullptr || compiler_error.code() != HARP_ERROR_COMPILER)
      complaints.push_back(cat("bad flag: ", compiler_error.message()));
    const Program program = compile_as(good.get(), {kBackends[t % 2]}, none);
    if (program == nullptr || run_bytes(context.get(), program.get(), arrays) != expected) complaints.push_back(none.message());
  }));
  CHECK(messages.count > 0);
}
