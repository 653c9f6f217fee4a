// Tests runs that the caller cancels, through harp.h. No check depends on time: the cancel flag is set before the run, by a callback or a
// store of the run itself, or by another thread during a loop that would take hours.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "support/capi_support.h"
#include "support/faulty_system.h"

using namespace capi_test;

namespace {

harp_run_options options_with(const volatile int32_t* cancel) {
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.cancel = cancel;
  return options;
}

/// Runs a program that has one output. The caller owns the output buffer. Ends the test case if this CPU cannot run the program.
harp_status run_into(harp_program* program, std::vector<harp_buffer*> inputs, harp_buffer* output, const harp_run_options& options,
                     harp_error** err) {
  must_run(program);
  return harp_program_run(program, inputs.size(), inputs.data(), 1, &output, &options, err);
}

void check_cancelled(const ErrorSlot& err) {
  CHECK(err.code() == HARP_ERROR_CANCELLED);
  CHECK(err.message().find("cancelled") != std::string::npos);
}

/// Sets the cancel flag from another thread after 20 ms. The result of the run must not depend on whether the run has begun by then.
class Canceller {
 public:
  ~Canceller() { thread_.join(); }
  const volatile int32_t* flag() const { return &flag_; }

 private:
  int32_t flag_ = 0;
  std::thread thread_{[this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&flag_, 1, __ATOMIC_RELAXED);
  }};
};

std::vector<int32_t> counted(int64_t n) {
  std::vector<int32_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

constexpr int32_t kUntouched = 0;

std::string graph_of(const std::string& operation) { return "graph g(x: i32[n, m]) { return y = " + operation + " }"; }

}  // namespace

TEST_CASE("X8.cancel_run: a run whose flag is set before it begins computes nothing, and the program runs again") {
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Context context = make_context();
    const Program program = compile(parse(context.get(), "graph g(x: i32[n]) { return y = x + 1 }").get(), backend);
    std::vector<int32_t> x = counted(5), y(5, kUntouched);
    const Buffer in = wrap(context.get(), x, {5}), out = wrap(context.get(), y, {5});
    int32_t flag = 7;
    harp_run_options options = options_with(&flag);
    ErrorSlot err;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, err) == HARP_ERROR_CANCELLED);
    check_cancelled(err);
    CHECK(y == std::vector<int32_t>(5, kUntouched));
    harp_buffer *made = nullptr, *source = in.get();
    CHECK(harp_program_run(program.get(), 1, &source, 1, &made, &options, nullptr) == HARP_ERROR_CANCELLED);
    CHECK(made == nullptr);
    flag = 0;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, nullptr) == HARP_OK);
    CHECK(y == std::vector<int32_t>{2, 3, 4, 5, 6});
    // With this struct_size, the options are those of a program that was compiled with an older harp.h, in which they had no field
    // `cancel`.
    options.struct_size = offsetof(harp_run_options, cancel);
    flag = 1;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, nullptr) == HARP_OK);
    // Arguments are checked even if the flag is already set.
    options.struct_size = sizeof options;
    ErrorSlot wrong;
    CHECK(run_into(program.get(), {}, out.get(), options, wrong) == HARP_ERROR_INVALID_ARGUMENT);
  }
}

TEST_CASE("X8.cancel_run: entry points look at the flag of the runtime") {
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Context context = make_context();
    const Program program = compile(parse(context.get(), "graph g(x: i32[n]) { return y = x + 1 }").get(), backend);
    const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), nullptr);
    if (entry == nullptr) continue;  // there is no entry point if the system does not allow executable closures
    std::vector<int32_t> x = counted(3), y(3, kUntouched);
    void *in[] = {x.data()}, *out[] = {y.data()};
    size_t n = 3;
    const int32_t flag = 1;
    harp_runtime runtime{};
    runtime.struct_size = sizeof runtime;
    runtime.cancel = &flag;
    CHECK(entry(in, out, &n, &runtime) == HARP_ERROR_CANCELLED);
    CHECK(y == std::vector<int32_t>(3, kUntouched));
    runtime.struct_size = offsetof(harp_runtime, cancel);
    CHECK(entry(in, out, &n, &runtime) == HARP_OK);
    CHECK(y == std::vector<int32_t>{2, 3, 4});
    CHECK(entry(in, out, &n, nullptr) == HARP_OK);
  }
}

TEST_CASE("X8.cancel_run: serial loops look while they run") {
  // The cancel flag is the first element of the output, so the first store of the kernel cancels the run. The last element must stay
  // unchanged, because the run ends before the kernel stores it.
  struct Case {
    const char *text, *what;
    int64_t n, others;
  };
  const Case cases[] = {
      {"graph g(x: i32[n, m]) { return y = x * x + 1 }", "elementwise", int64_t{1} << 23, 1},
      {"graph g(x: i32[n, m]) { return y = x * x + 1 }", "elementwise, short rows", int64_t{1} << 19, 12},
      {"graph g(x: i32[n, m]) { return y = sum(x, axes=[1]) }", "reductions of rows", int64_t{1} << 15, 1024},
      {"graph g(x: i32[n, m]) { return y = cumsum(x, axis=0) }", "a scan", int64_t{1} << 22, 1},
      {"graph g(x: i32[n, m]) { return y = cumsum(x, axis=1) }", "scans of rows", int64_t{1} << 14, 1024},
      {"graph g(x: i32[n, m]) { return y = x @ permute(x[0:64, :], axes=[1, 0]) }", "a product", int64_t{1} << 16, 128},
      {"graph g(x: i32[n, m]) { return y = sort(x, axis=1) }", "rows that are sorted", int64_t{1} << 14, 300},
      {"graph g(x: i32[n, m]) { return y = permute(x, axes=[1, 0]) }", "a transpose", int64_t{1} << 13, 2048},
      {"graph g(x: i32[n, m]) { return y = cast(argmax(x, axis=1), dtype=i32) + 1 }", "places of extremes", int64_t{1} << 15, 1024},
  };
  const Context context = make_context();
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Program program = compile(parse(context.get(), c.text).get(), "c");
    std::vector<int32_t> x = counted(c.n * c.others);
    const Buffer in = wrap(context.get(), x, {c.n, c.others});
    const int64_t shape[] = {c.n, c.others};
    int64_t dims[2];
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    REQUIRE(harp_program_output(program.get(), 0, &info, nullptr) == HARP_OK);
    REQUIRE(harp_program_output_dims(program.get(), 0, 2, shape, info.rank, dims, nullptr) == HARP_OK);
    const std::vector<int64_t> sizes(dims, dims + info.rank);
    const size_t count = static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()));
    std::vector<int32_t> y(count, kUntouched), whole(count, kUntouched);
    const Buffer out = wrap(context.get(), y, sizes), all = wrap(context.get(), whole, sizes);
    const harp_run_options options = options_with(y.data());
    ErrorSlot err;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, err) == HARP_ERROR_CANCELLED);
    check_cancelled(err);
    CHECK(y.front() != kUntouched);
    CHECK(y.back() == kUntouched);
    CHECK(run_into(program.get(), {in.get()}, all.get(), options_with(nullptr), nullptr) == HARP_OK);
    CHECK(whole.back() != kUntouched);
  }
}

TEST_CASE("X8.cancel_run: a long row that is sorted, or transformed, and updates that are added one by one") {
  const Context context = make_context();
  SUBCASE("sort") {
    const Program program = compile(parse(context.get(), "graph g(x: i32[n]) { return y = sort(x, axis=0) }").get(), "c");
    std::vector<int32_t> x = counted(1 << 20), y(x.size(), kUntouched);
    std::reverse(x.begin(), x.end());
    const Buffer in = wrap(context.get(), x, {1 << 20}), out = wrap(context.get(), y, {1 << 20});
    CHECK(run_into(program.get(), {in.get()}, out.get(), options_with(y.data()), nullptr) == HARP_ERROR_CANCELLED);
    CHECK_FALSE(std::is_sorted(y.begin(), y.end()));
    CHECK(run_into(program.get(), {in.get()}, out.get(), options_with(nullptr), nullptr) == HARP_OK);
    CHECK(std::is_sorted(y.begin(), y.end()));
  }
  SUBCASE("fft") {
    for (const bool is_known : {true, false}) {
      const char* text = is_known ? "graph g(x: complex64[65536]) { return y = fft(x) }" : "graph g(x: complex64[n]) { return y = fft(x) }";
      const Program program = compile(parse(context.get(), text).get(), "c");
      std::vector<std::complex<float>> x(65536, 1), y(65536, 0);
      x[0] = 2;
      const Buffer in = wrap(context.get(), x, {65536}), out = wrap(context.get(), y, {65536});
      const auto* flag = reinterpret_cast<const int32_t*>(y.data());
      CHECK(run_into(program.get(), {in.get()}, out.get(), options_with(flag), nullptr) == HARP_ERROR_CANCELLED);
      // If the length is symbolic, a second kernel, which is short and is not cancelled, stores the result.
      if (is_known) CHECK(y.back() == 0.0f);
      CHECK(run_into(program.get(), {in.get()}, out.get(), options_with(nullptr), nullptr) == HARP_OK);
      CHECK(y.back() != 0.0f);
    }
  }
  SUBCASE("the tables of a transform of a long prime length") {
    constexpr int64_t kLength = 65537, kAt = 200;
    const Program program = compile(parse(context.get(), "graph g(x: complex64[n]) { return y = fft(x) }").get(), "c");
    std::vector<std::complex<float>> x(kLength, 1), y(kLength, 0);
    const Buffer in = wrap(context.get(), x, {kLength}), out = wrap(context.get(), y, {kLength});
    size_t bytes = 0;
    REQUIRE(harp_program_workspace_size(program.get(), 1, &kLength, 0, &bytes, nullptr) == HARP_OK);
    std::vector<float> memory(bytes / sizeof(float) + 16);
    float* const workspace = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64 / sizeof(float);
    harp_run_options options = options_with(nullptr);
    options.workspace = workspace;
    options.workspace_size = bytes;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, nullptr) == HARP_OK);
    // The first table in the workspace has the values cos(pi * k * k / n). Its first element is not 0, so in the next run the address of
    // this element can be passed as the cancel flag.
    const auto cosine = [&](int64_t k) {
      return static_cast<float>(std::cos(M_PI * static_cast<double>(k * k % (2 * kLength)) / kLength));
    };
    size_t at = 0;
    const auto is_table = [&] { return workspace[at] == 1 && workspace[at + kAt] == doctest::Approx(cosine(kAt)); };
    while (at + kLength < bytes / sizeof(float) && !is_table()) ++at;
    REQUIRE(is_table());
    REQUIRE(workspace[at + kLength - 1] == doctest::Approx(cosine(kLength - 1)));
    std::fill(memory.begin(), memory.end(), 0.0f);
    options.cancel = reinterpret_cast<const int32_t*>(workspace + at);
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, nullptr) == HARP_ERROR_CANCELLED);
    CHECK(workspace[at + kLength - 1] == 0);
  }
  SUBCASE("scatter") {
    const char* text = "graph g(x: i32[8], i: i64[n], u: i32[n]) { return y = scatter_add(x, i, u, axis=0) }";
    const Program program = compile(parse(context.get(), text).get(), "c");
    std::vector<int32_t> x(8, 1), u(1 << 20, 1), y(8, kUntouched);
    std::vector<int64_t> i(u.size(), 7);
    const Buffer xs = wrap(context.get(), x, {8}), is = wrap(context.get(), i, {1 << 20}), us = wrap(context.get(), u, {1 << 20}),
                 out = wrap(context.get(), y, {8});
    CHECK(run_into(program.get(), {xs.get(), is.get(), us.get()}, out.get(), options_with(y.data()), nullptr) == HARP_ERROR_CANCELLED);
    CHECK(y[7] < 1 + (1 << 20));
    CHECK(run_into(program.get(), {xs.get(), is.get(), us.get()}, out.get(), options_with(nullptr), nullptr) == HARP_OK);
    CHECK(y[7] == 1 + (1 << 20));
  }
}

TEST_CASE("X8.cancel_run: a compilation whose flag is set makes nothing, and the graph compiles again") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), graph_of("x + 1"));
  for (const char* backend : {"interp", "c"}) {
    int32_t flag = 1;
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = backend;
    options.target = harp::testing::machine_name();
    options.cancel = &flag;
    ErrorSlot err;
    CHECK(harp_compile(graph.get(), &options, err) == nullptr);
    check_cancelled(err);
    flag = 0;
    const Program program = compile(graph.get(), backend, [&](harp_compile_options& o) { o.cancel = &flag; });
    flag = 1;  // the flag is checked even if the program is already in memory
    CHECK(harp_compile(graph.get(), &options, nullptr) == nullptr);
  }
}

TEST_CASE("X8.cancel_run: a compiler that runs is ended with what it has started") {
  const Scratch folder;
  // Makes a fake compiler that answers --version at once. For any other command it starts a process that never ends by itself.
  const std::string begun = folder / "begun";
  const std::string compiler = write_script(folder / "slow-cc",
                                            "case \"$*\" in *--version*) echo slow 1.0; exit 0;; esac\n"
                                            "sleep 100000 &\necho $! >" +
                                                begun + ".part && mv " + begun + ".part " + begun + "\nwait");
  const Context context = make_context();
  const Graph graph = parse(context.get(), graph_of("x * 3"));
  int32_t flag = 0;
  std::thread host([&] {
    while (!std::filesystem::exists(begun)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  });
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.compiler = compiler.c_str();
  options.cancel = &flag;
  ErrorSlot err;
  CHECK(harp_compile(graph.get(), &options, err) == nullptr);
  host.join();
  check_cancelled(err);
  int child = 0;
  std::ifstream(begun) >> child;
  REQUIRE(child > 0);
  // After it has been killed, the process may remain a zombie until its new parent reaps it. A zombie counts as ended.
  const auto has_ended = [&] {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string id, name, state;
    return !(status >> id >> name >> state) || state == "Z";
  };
  // If the process were not killed, this loop would never end, and ctest would stop the test.
  while (!has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("X8.cancel_run: the interpreter looks while it copies") {
  // The cancel flag is the first element of the output, so the copy itself cancels the run. The last element must stay unchanged.
  for (const char* operation : {"permute(x, axes=[1, 0])", "contiguous(permute(x, axes=[1, 0]))"}) {
    CAPTURE(operation);
    const Context context = make_context();
    const Program program = compile(parse(context.get(), graph_of(operation)).get(), "interp");
    std::vector<int32_t> x = counted(512 * 2048), y(x.size(), kUntouched);
    const Buffer in = wrap(context.get(), x, {512, 2048}), out = wrap(context.get(), y, {2048, 512});
    CHECK(run_into(program.get(), {in.get()}, out.get(), options_with(y.data()), nullptr) == HARP_ERROR_CANCELLED);
    CHECK(y.front() == 1);
    CHECK(y.back() == kUntouched);
  }
}

TEST_CASE("X8.cancel_run: loops that would not end for hours end") {
  const std::string texts[] = {
      "sum(expand(x, shape=[n]))",
      "sum(expand(x, shape=[n]), order=chain)",
      "max(expand(x, shape=[n]))",
      "cast(argmax(expand(x, shape=[n]), axis=0), dtype=f32)",
      "cast(sum(argmax(expand(reshape(x, shape=[1, 1]), shape=[4000, 100000000]), axis=0)), dtype=f32)",
      "sum(sum(expand(reshape(x, shape=[1, 1]), shape=[n, 3]), axes=[0]))",
      "sum(expand(x, shape=[n]) * expand(x, shape=[n]), order=chain, product=true)",
      "sum(sum(expand(reshape(x, shape=[1, 1]), shape=[n, 1024]), axes=[0]))",
      "sum(mean(expand(reshape(x, shape=[1, 1]), shape=[n, 100]), axes=[0]))",
      "custom_function(x, body=\"\"\"for i in 0 .. 1099511627776 { output = output + input0[0] }\"\"\", dtype=f32, shape=[])",
      "custom_function(x, body=\"\"\"for i in 0 .. 1099511627776 { for j in 0 .. i { output = output + input0[0] } }\"\"\", dtype=f32, "
      "shape=[])",
      "custom_function(x, body=\"\"\"while true { output = output + input0[0] }\"\"\", dtype=f32, shape=[])",
      "custom_function(x, body=\"\"\"while input0[0] > output * 0 { output = sin(output) }\"\"\", dtype=f32, shape=[3, 2])",
      "custom_function(body=\"\"\"let i = 0\n while i >= 0 { i = (i + 3) % 1000\n if i < 0 { break } }\n output = f32(i)\"\"\", dtype=f32, "
      "shape=[])",
      "custom_function(x, body=\"\"\"while true { for i in 0 .. 3 { while output < input0[0] { output = output + 0 } } }\"\"\", dtype=f32, "
      "shape=[2])",
      // These loops are vectorised over the elements. In the first body the loop of only one element never ends, in the second body no loop
      // ends.
      "custom_function(body=\"\"\"while f32(ridx0) > 18.5 + output * 0 { output = sin(output) }\"\"\", dtype=f32, shape=[20])",
      "custom_function(x, body=\"\"\"while true { for i in 0 .. 3 { while output < input0[0] { output = output + 0 } } }\"\"\", dtype=f32, "
      "shape=[20])",
      "custom_function(x, body=\"\"\"for i in 0 .. 1099511627776 { output = output + input0[0] }\"\"\", dtype=f32, shape=[2, 20])",
  };
  for (const char* backend : {"interp", "c"})
    for (const std::string& text : texts) {
      CAPTURE(backend);
      CAPTURE(text);
      const Context context = make_context();
      const Program program =
          compile(parse(context.get(), "graph g(x: f32[1]) {\n  shape n in 0..1099511627776\n  return y = " + text + "\n}").get(), backend);
      std::vector<float> x = {1};
      const Buffer in = wrap(context.get(), x, {1});
      const Canceller canceller;
      harp_run_options options = options_with(canceller.flag());
      const char* name = "n";
      const int64_t size = int64_t{1} << 40;
      options.n_shape_vars = 1;
      options.shape_var_names = &name;
      options.shape_var_values = &size;
      ErrorSlot err;
      CHECK(run(program.get(), {in.get()}, err, &options).empty());
      check_cancelled(err);
    }
}

namespace {

/// A parallel_for that runs each loop in two parts, one after the other. It sets the cancel flag before the first part or, if `between` is
/// true, before the second part.
struct Pool {
  int32_t flag = 0;
  bool between = false;
  static void run(void* self, size_t n, size_t, harp_range_body body, void* arg) {
    auto& pool = *static_cast<Pool*>(self);
    if (!pool.between) pool.flag = 1;
    body(arg, 0, n / 2, 0);
    pool.flag = 1;
    body(arg, n / 2, n, 1);
  }
};

}  // namespace

TEST_CASE("X8.cancel_run: each share of a parallel loop looks, and what comes after it is not run") {
  for (const bool between : {false, true}) {
    CAPTURE(between);
    Pool pool;
    pool.between = between;
    const Context context = make_context([&](auto& options) {
      options.parallel_for = &Pool::run;
      options.parallel_for_user = &pool;
      options.width = 2;
    });
    const char* text = "graph g(x: i32[n]) { a = x * 2 + 1\n return y = flip(cumsum(a, axis=0), axes=[0]), z = a }";
    const Program program = compile(parse(context.get(), text).get(), "c");
    must_run(program.get());
    constexpr int64_t kCount = 1 << 18;
    std::vector<int32_t> x = counted(kCount), y(x.size(), kUntouched), z = y;
    const Buffer in = wrap(context.get(), x, {kCount}), first = wrap(context.get(), y, {kCount}), second = wrap(context.get(), z, {kCount});
    harp_buffer *source = in.get(), *outputs[] = {first.get(), second.get()};
    const harp_run_options options = options_with(&pool.flag);
    ErrorSlot err;
    CHECK(harp_program_run(program.get(), 1, &source, 2, outputs, &options, err) == HARP_ERROR_CANCELLED);
    check_cancelled(err);
    CHECK(z.back() == kUntouched);
    CHECK(y == std::vector<int32_t>(x.size(), kUntouched));
    const harp_run_options plain = HARP_RUN_OPTIONS_INIT;
    CHECK(harp_program_run(program.get(), 1, &source, 2, outputs, &plain, nullptr) == HARP_OK);
    CHECK(z.back() == 2 * kCount + 1);
  }
}

TEST_CASE("X8.cancel_run: harp's own threads, and a caller's workspace that can be used again") {
  const Context context = make_context([](auto& options) { options.threads = 2; });
  const char* text = "graph g(x: i32[n, 512]) { return y = x @ permute(x[0:512, :], axes=[1, 0]) }";
  const Program program = compile(parse(context.get(), text).get(), "c");
  must_run(program.get());
  constexpr int64_t kRows = 1 << 13;
  std::vector<int32_t> x(kRows * 512, 1), y(x.size(), kUntouched);
  const Buffer in = wrap(context.get(), x, {kRows, 512}), out = wrap(context.get(), y, {kRows, 512});
  size_t bytes = 0;
  const int64_t shape[] = {kRows};
  REQUIRE(harp_program_workspace_size(program.get(), 1, shape, 2, &bytes, nullptr) == HARP_OK);
  std::vector<std::byte> memory(bytes + 64);
  for (const bool cancels : {true, false, true, false}) {
    CAPTURE(cancels);
    std::fill(y.begin(), y.end(), kUntouched);
    // the flag is the first element of the output, so the first store of the first tile cancels the run
    harp_run_options options = options_with(cancels ? y.data() : nullptr);
    options.workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
    options.workspace_size = bytes;
    CHECK(run_into(program.get(), {in.get()}, out.get(), options, nullptr) == (cancels ? HARP_ERROR_CANCELLED : HARP_OK));
    if (!cancels) CHECK(y == std::vector<int32_t>(x.size(), 512));
  }
}

namespace {

/// The user data of a native function that sets the cancel flag of the run that calls it.
struct Caller {
  int32_t flag = 0, calls = 0;
};
void set_flag(const int32_t* x, void* user, int32_t* y) {
  auto* caller = static_cast<Caller*>(user);
  ++caller->calls;
  __atomic_store_n(&caller->flag, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; ++i) y[i] = x[i];
}

}  // namespace

TEST_CASE("X8.cancel_run: a function of the host's sets the flag, and none is called after that") {
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    Caller caller;
    const Context context = make_context();
    const Graph graph = make_graph(context.get());
    const int64_t dims[] = {4};
    harp_native_desc desc = HARP_NATIVE_DESC_INIT;
    desc.name = "set_flag";
    desc.function = reinterpret_cast<harp_native_function>(&set_flag);
    desc.user = &caller;
    desc.signature = "void(i32* input0, void* user, i32* output)";
    desc.dtype = HARP_I32;
    desc.rank = 1;
    desc.dims = dims;
    harp_node* x = harp_input(graph.get(), "x", HARP_I32, 1, dims);
    harp_node* once = harp_native(1, &x, &desc);
    harp_node* next = harp_neg(once);
    harp_output(graph.get(), "y", harp_native(1, &next, &desc));
    const Program program = compile(graph.get(), backend);
    std::vector<int32_t> values = counted(4);
    const Buffer in = wrap(context.get(), values, {4});
    const harp_run_options options = options_with(&caller.flag);
    ErrorSlot err;
    CHECK(run(program.get(), {in.get()}, err, &options).empty());
    check_cancelled(err);
    CHECK(caller.calls == 1);
    CHECK(run(program.get(), {in.get()}).size() == 1);
    CHECK(caller.calls == 3);
  }
}

TEST_CASE("X8.cancel_run: a loop of a custom function ends where an index was wrong, with the same fault on every backend") {
  // The program sums the rows of a sparse matrix in compressed form. In the data of this test, the second row ends at index 2^40, outside
  // of the array.
  const char* text =
      "graph g(v: f32[5], ends: i64[4]) { return y = custom_function(v, ends, body=\"\"\"for i in input1[ridx0] .. input1[ridx0 + 1] { "
      "output = output + input0[i] }\"\"\", dtype=f32, shape=[3]) }";
  std::string messages[2];
  for (const int i : {0, 1}) {
    const Context context = make_context();
    const Program program = compile(parse(context.get(), text).get(), i == 0 ? "interp" : "c");
    std::vector<float> v = {1, 2, 3, 4, 5};
    std::vector<int64_t> ends = {0, 2, int64_t{1} << 40, 5};
    const Buffer vs = wrap(context.get(), v, {5}), es = wrap(context.get(), ends, {4});
    ErrorSlot err;
    CHECK(run(program.get(), {vs.get(), es.get()}, err).empty());
    CHECK(err.code() == HARP_ERROR_RANGE);
    messages[i] = err.message();
    ends[2] = 4;
    const std::vector<Buffer> out = run(program.get(), {vs.get(), es.get()});
    REQUIRE(out.size() == 1);
    CHECK(values<float>(out[0].get()) == std::vector<float>{3, 7, 5});
  }
  CHECK(messages[0] == messages[1]);
  CHECK_MESSAGE(messages[0].find('5') != std::string::npos, messages[0]);
}
