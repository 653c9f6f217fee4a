// Tests harp_native: functions of this file and of a shared library, which the interpreter and generated code call with the same arguments.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "support/backends_run.h"

using namespace capi_test;

namespace {

// Native functions for the tests.
std::atomic<int> calls{0};

void scale(int64_t n, float factor, const float* x, float* y) {
  ++calls;
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}
void negate_scaled(int64_t n, float factor, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = -factor * x[i];
}
void copy_bytes(uint64_t bytes, const void* from, void* to) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
/// Stores half of each number in y. If a number is negative, returns the first negative number as the error code.
int32_t root_of_all(uint32_t n, const int32_t* x, double* y) {
  for (uint32_t i = 0; i < n; ++i) {
    if (x[i] < 0) return x[i];
    y[i] = x[i] * 0.5;
  }
  return 0;
}
struct Sum {
  double total = 0;
  std::thread::id caller;
};
void note(const double* x, int64_t n, void* user, double* y) {
  auto* sum = static_cast<Sum*>(user);
  sum->caller = std::this_thread::get_id();
  for (int64_t i = 0; i < n; ++i) sum->total += x[i], y[i] = x[i];
}
/// Returns the byte `odd` for every input byte 1, and 0 for other bytes. `odd` may be neither 0 nor 1.
void bool_bytes(const uint8_t* x, int32_t n, uint8_t* y, uint32_t odd) {
  for (int32_t i = 0; i < n; ++i) y[i] = static_cast<uint8_t>(x[i] == 1 ? odd : 0);
}
void environment(const float*, uint32_t* y) {
#if defined(__x86_64__)
  y[0] = _mm_getcsr() & 0xffc0;
#else
  y[0] = 0x1f80;
#endif
}

/// A harp_native_desc that owns its sizes.
struct Description {
  Description(const char* name, harp_native_function function, const char* signature, harp_dtype dtype, std::vector<harp_dim> sizes,
              void* user = nullptr)
      : dims(std::move(sizes)) {
    desc.name = name;
    desc.function = function;
    desc.user = user;
    desc.signature = signature;
    desc.dtype = dtype;
    desc.rank = static_cast<int32_t>(dims.size());
    desc.dims = dims.data();
  }
  std::vector<harp_dim> dims;
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
};
harp_node* call(std::vector<harp_node*> inputs, const Description& description) {
  return harp_native(static_cast<int32_t>(inputs.size()), inputs.data(), &description.desc);
}
template <class F>
harp_native_function any(F* function) {
  return reinterpret_cast<harp_native_function>(function);
}

constexpr const char* kScale = "void(i64 input0[0], f32 2, f32* input0, f32* output)";

harp_node* scaled(harp_node* x, harp_dim n) {
  const Description desc("scale", any(scale), kScale, HARP_F32, {n});
  return call({x}, desc);
}
harp_node* input(const Graph& g, const char* name, harp_dtype dtype, const std::vector<harp_dim>& dims) {
  return harp_input(g.get(), name, dtype, static_cast<int32_t>(dims.size()), dims.data());
}

std::string source_of(const Program& program) { return take(harp_program_source(program.get(), nullptr)); }

/// Runs a graph on every backend and returns the message of the error, which must be the same on every backend.
std::string run_error(const Graph& g, const std::vector<harp_buffer*>& inputs, harp_status code) {
  std::string first;
  for (const Way& way : kWays) {
    const Program program = compile_way(g.get(), way);
    REQUIRE(program != nullptr);
    ErrorSlot err;
    CHECK(run(program.get(), inputs, err).empty());
    CHECK(err.code() == code);
    if (first.empty()) first = err.message();
    CHECK(err.message() == first);
  }
  return first;
}

}  // namespace

TEST_CASE("G13.native/interp,c G16: a function of another library between kernels, for all sizes") {
  void* const blas = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(blas != nullptr, dlerror());
  void* const gemm = dlsym(blas, "cblas_dgemm");
  REQUIRE(gemm != nullptr);
  const Context context = make_context();
  const Graph g = make_graph(context.get(), HARP_GRAPH_BROADCAST);
  const harp_dim m = harp_dim_var(g.get(), "m", 0, 100), n = harp_dim_var(g.get(), "n", 0, 100), k = harp_dim_var(g.get(), "k", 0, 100);
  harp_node* const a = input(g, "a", HARP_F64, {m, k});
  harp_node* const b = input(g, "b", HARP_F64, {n, k});
  const int32_t swapped[] = {1, 0};
  harp_node* const product = harp_mul(a, harp_constant(g.get(), HARP_F64, 2.0));
  harp_node* operands[] = {product, harp_permute(b, 2, swapped)};
  const Description desc(
      "cblas_dgemm", reinterpret_cast<harp_native_function>(gemm),
      "void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 max(k, 1), f64* input1, i32 max(n, 1), f64 0, "
      "f64* output, i32 max(output[1], 1))",
      HARP_F64, {m, n});
  harp_node* const c = call({operands[0], operands[1]}, desc);
  harp_output(g.get(), "c", harp_add(c, harp_constant(g.get(), HARP_F64, 1.0)));
  harp_output(g.get(), "product", product);
  harp_output(g.get(), "expected", harp_add(harp_matmul(product, harp_permute(b, 2, swapped)), harp_constant(g.get(), HARP_F64, 1.0)));
  REQUIRE(harp_graph_error(g.get()) == nullptr);
  for (const std::array<int64_t, 3>& sizes : {std::array<int64_t, 3>{7, 5, 9}, {1, 1, 1}, {3, 4, 0}, {0, 4, 3}}) {
    const int64_t rows = sizes[0], columns = sizes[1], depth = sizes[2];
    CAPTURE(rows);
    Values<double> x = whole<double>({rows, depth}, 1), y = whole<double>({columns, depth}, 2);
    const Buffer left = wrap(context.get(), x.items, x.dims), right = wrap(context.get(), y.items, y.dims);
    const std::vector<Buffer> out = run_everywhere(g.get(), {left.get(), right.get()});
    REQUIRE(out.size() == 3);
    // the inputs are integers, so every order of summation gives the same bits
    CHECK(values<double>(out[0].get()) == values<double>(out[2].get()));
  }
  dlclose(blas);
}

TEST_CASE("G13.native/interp,c: kinds of arguments, and several calls") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 1000);
  harp_node* const x = input(g, "x", HARP_F32, {n});
  harp_node* const once = scaled(harp_neg(x), n);
  harp_node* const twice = scaled(harp_exp(once), n);
  harp_output(g.get(), "once", once);
  harp_output(g.get(), "twice", harp_abs(twice));
  harp_output(g.get(), "direct", scaled(x, n));
  Sum sum;
  harp_node* wide = harp_cast(x, HARP_F64);
  const Description noted("note", any(note), "void(f64* input0, i64 n, void* user, f64* output)", HARP_F64, {n}, &sum);
  harp_output(g.get(), "noted", call({wide}, noted));
  REQUIRE(harp_graph_error(g.get()) == nullptr);
  Values<float> data = whole<float>({9}, 3);
  const Buffer in = wrap(context.get(), data.items, data.dims);
  calls = 0;
  const std::vector<Buffer> out = run_everywhere(g.get(), {in.get()});
  REQUIRE(out.size() == 4);
  CHECK(calls == 3 * 3);
  for (size_t i = 0; i < 9; ++i) CHECK(values<float>(out[0].get())[i] == -2 * data.items[i]);
  for (size_t i = 0; i < 9; ++i) CHECK(values<float>(out[2].get())[i] == 2 * data.items[i]);
  double total = 0;
  for (const float item : data.items) total += item;
  CHECK(sum.total == 3 * total);

  const Program program = compile(g.get(), "c");
  const std::string source = source_of(program);
  CHECK(source.find("natives[0] is scale") != source.npos);
  // rt->natives has three entries: the function scale (once), note, and note's user pointer.
  CHECK(source.find("rt->natives[3]") == source.npos);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.kernels >= 2);
  CHECK(stats.kernels <= 4);  // native calls do not count as kernels

  // With an empty array there is nothing to compute, so no function is called.
  calls = 0;
  Values<float> none{{}, {0}};
  const Buffer empty = wrap(context.get(), none.items, none.dims);
  CHECK(run_everywhere(g.get(), {empty.get()}).size() == 4);
  CHECK(calls == 0);
}

TEST_CASE("G13.native/interp,c G10: every dtype lies in memory as the signature says") {
  const Context context = make_context();
  for (harp_dtype dtype = HARP_BOOL; dtype <= HARP_COMPLEX128; ++dtype) {
    CAPTURE(harp_dtype_name(dtype));
    const Graph g = make_graph(context.get());
    const std::string name = harp_dtype_name(dtype);
    const std::string signature =
        "void(u64 input0[0]*input0[-1]*" + std::to_string(harp_dtype_size(dtype)) + ", " + name + "* input0, " + name + "* output)";
    const harp_dim rows = harp_dim_var(g.get(), "rows", 0, 100);
    harp_node* const x = input(g, "x", dtype, {rows, 3});
    const int32_t swapped[] = {1, 0};
    harp_node* turned = harp_permute(x, 2, swapped);
    const Description desc("copy", any(copy_bytes), signature.c_str(), dtype, {3, rows});
    harp_node* const copied = call({turned}, desc);
    harp_output(g.get(), "copied", copied);
    harp_output(g.get(), "back", harp_permute(copied, 2, swapped));
    harp_node* whole_input = x;
    const Description flat("copy", any(copy_bytes), signature.c_str(), dtype, {rows, 3});
    harp_output(g.get(), "direct", call({whole_input}, flat));
    REQUIRE(harp_graph_error(g.get()) == nullptr);
    const int64_t sizes[] = {5, 3};
    const Buffer in(harp_buffer_new(context.get(), nullptr, dtype, 2, sizes, nullptr));
    REQUIRE(in != nullptr);
    auto* bytes = static_cast<unsigned char*>(harp_buffer_data(in.get()));
    for (size_t i = 0; i < harp_buffer_size(in.get()); ++i) bytes[i] = static_cast<unsigned char>(dtype == HARP_BOOL ? i % 3 == 0 : i);
    const std::vector<Buffer> out = run_everywhere(g.get(), {in.get()});
    REQUIRE(out.size() == 3);
    CHECK(std::memcmp(harp_buffer_const_data(out[1].get()), bytes, harp_buffer_size(in.get())) == 0);
    CHECK(std::memcmp(harp_buffer_const_data(out[2].get()), bytes, harp_buffer_size(in.get())) == 0);
  }
}

TEST_CASE("G13.native/interp,c: bools are 0 or 1 on the way in and on the way out") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  harp_node* const x = input(g, "x", HARP_BOOL, {4});
  harp_node* operand = x;
  const Description desc("bool_bytes", any(bool_bytes), "void(bool* input0, i32 4, bool* output, u32 200)", HARP_BOOL, {4});
  harp_node* const y = call({operand}, desc);
  harp_output(g.get(), "y", y);
  harp_output(g.get(), "n", harp_cast(y, HARP_I32));
  std::vector<uint8_t> bytes = {0, 1, 2, 255};
  const Buffer in = wrap(context.get(), bytes, {4});
  const std::vector<Buffer> out = run_everywhere(g.get(), {in.get()});
  REQUIRE(out.size() == 2);
  CHECK(values<uint8_t>(out[0].get()) == std::vector<uint8_t>{0, 1, 1, 1});
  CHECK(values<int32_t>(out[1].get()) == std::vector<int32_t>{0, 1, 1, 1});
}

TEST_CASE("G13.native/interp,c: a function that fails fails the run, with its number") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 1, 100);
  harp_node* x = input(g, "x", HARP_I32, {n});
  const Description desc("root_of_all", any(root_of_all), "i32(u32 n, i32* input0, f64* output)", HARP_F64, {n});
  harp_node* const y = call({x}, desc);
  harp_output(g.get(), "y", harp_add(y, y));
  std::vector<int32_t> good = {1, 2, 3}, bad = {1, -7, 3};
  const Buffer fine = wrap(context.get(), good, {3}), wrong = wrap(context.get(), bad, {3});
  CHECK(values<double>(run_everywhere(g.get(), {fine.get()}).at(0).get()) == std::vector<double>{1, 2, 3});
  const std::string message = run_error(g, {wrong.get()}, HARP_ERROR_NATIVE);
  CHECK(message == "native \"root_of_all\": the function returned -7, expected 0");
  // the program still works after the error
  CHECK(values<double>(run_everywhere(g.get(), {fine.get()}).at(0).get()) == std::vector<double>{1, 2, 3});
  CHECK(std::string(harp_status_name(HARP_ERROR_NATIVE)) == "NATIVE");
}

TEST_CASE("G13.native/interp,c: a size that does not fit its parameter is found before anything is called") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 1000);
  harp_node* x = input(g, "x", HARP_F32, {n});
  const Description desc("scale", any(scale), "void(i64 n, f32 2, f32* input0, f32* output, i32 n*1000000000, u32 3 - n)", HARP_F32, {n});
  harp_output(g.get(), "y", call({x}, desc));
  REQUIRE(harp_graph_error(g.get()) == nullptr);
  calls = 0;
  std::vector<float> two(2, 1.0f), three(3, 1.0f), four(4, 1.0f);
  const Buffer fits = wrap(context.get(), two, {2}), large = wrap(context.get(), three, {3}), negative = wrap(context.get(), four, {4});
  CHECK(values<float>(run_everywhere(g.get(), {fits.get()}).at(0).get()) == std::vector<float>{2, 2});
  CHECK(calls == 3);
  CHECK(run_error(g, {large.get()}, HARP_ERROR_RANGE) ==
        "parameter 4 of node 1 (native \"scale\" f32[n]), 1000000000*n, does not fit i32 (n = 3)");
  CHECK(run_error(g, {negative.get()}, HARP_ERROR_RANGE).find("does not fit") != std::string::npos);
  CHECK(calls == 3);
}

TEST_CASE("G13.native/c: an address is in no source and no key") {
  const Context context = make_context();
  const auto graph = [&](harp_native_function function) {
    Graph g = make_graph(context.get());
    harp_node* x = input(g, "x", HARP_F32, {2});
    const Description desc("f", function, kScale, HARP_F32, {2});
    harp_output(g.get(), "y", call({x}, desc));
    return g;
  };
  const Graph g = graph(any(scale)), other = graph(any(negate_scaled));
  const Program one = compile(g.get(), "c"), two = compile(other.get(), "c");
  CHECK(source_of(one) == source_of(two));
  harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
  REQUIRE(harp_cache_stats(context.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.misses == 1);  // both programs have the same artifact
  std::vector<float> data = {1, 2};
  const Buffer in = wrap(context.get(), data, {2});
  CHECK(values<float>(run(one.get(), {in.get()}).at(0).get()) == std::vector<float>{2, 4});
  CHECK(values<float>(run(two.get(), {in.get()}).at(0).get()) == std::vector<float>{-2, -4});
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    ErrorSlot entry, entry_ex;
    CHECK((harp_program_entry(program.get(), entry) == nullptr));
    CHECK(entry.code() == HARP_ERROR_UNSUPPORTED);
    CHECK(entry.message() ==
          "harp_program_entry: the program calls node 1 (native \"f\" f32[2]), a function of this process; only harp_program_run runs such "
          "programs");
    CHECK((harp_program_entry_ex(program.get(), entry_ex) == nullptr));
    CHECK(entry_ex.code() == HARP_ERROR_UNSUPPORTED);
  }
}

TEST_CASE("G13.native/interp,c: called by whoever runs the program, one at a time, in the default floating-point environment") {
  // a parallel_for that starts a new thread for each worker
  const auto on_threads = [](void*, size_t n, size_t grain, harp_range_body body, void* arg) {
    std::vector<std::thread> threads;
    for (size_t begin = 0, worker = 0; begin < n; begin += grain, ++worker)
      threads.emplace_back([=] { body(arg, begin, std::min(n, begin + grain), worker % 4); });
    for (std::thread& thread : threads) thread.join();
  };
  const Context context = make_context([&](harp_context_options& o) {
    o.parallel_for = on_threads;
    o.width = 4;
  });
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 1 << 20);
  harp_node* const x = input(g, "x", HARP_F64, {n});
  Sum sums[2];
  for (int i = 0; i < 2; ++i) {
    harp_node* operand = harp_exp(harp_add(x, harp_constant(g.get(), HARP_F64, i)));
    const Description desc("note", any(note), "void(f64* input0, i64 n, void* user, f64* output)", HARP_F64, {n}, &sums[i]);
    harp_output(g.get(), i == 0 ? "a" : "b", harp_log(call({operand}, desc)));
  }
  const Description modes("environment", any(environment), "void(f32* input0, u32* output)", HARP_U32, {1});
  harp_node* one = input(g, "one", HARP_F32, {1});
  harp_output(g.get(), "modes", call({one}, modes));
  REQUIRE(harp_graph_error(g.get()) == nullptr);
  std::vector<double> data(40000, 0.0);
  std::vector<float> unit = {1};
  const Buffer in = wrap(context.get(), data, {40000}), small = wrap(context.get(), unit, {1});
#if defined(__x86_64__)
  const unsigned host = _mm_getcsr();
  _mm_setcsr(host | 0x8040);  // sets flush-to-zero and denormals-are-zero
#endif
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(g.get(), backend);
    sums[0] = sums[1] = Sum();
    const std::vector<Buffer> out = run(program.get(), {in.get(), small.get()});
    REQUIRE(out.size() == 3);
    CHECK(sums[0].total == 40000);
    CHECK(sums[0].caller == std::this_thread::get_id());
    CHECK(sums[1].caller == std::this_thread::get_id());
    CHECK(values<uint32_t>(out[2].get()) == std::vector<uint32_t>{0x1f80});
  }
#if defined(__x86_64__)
  _mm_setcsr(host);
#endif
}

TEST_CASE("G13.native/interp,c X1: overlapping runs") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 5000);
  harp_output(g.get(), "y", harp_add(scaled(harp_neg(input(g, "x", HARP_F32, {n})), n), harp_constant(g.get(), HARP_F32, 1)));
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    std::vector<float> alone = {1};
    // If this CPU cannot run code for the machine row (entry of harp's table of CPUs) under test, this call ends the test.
    run(program.get(), {wrap(context.get(), alone, {1}).get()});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::vector<float> data(static_cast<size_t>(100 + t), static_cast<float>(t)), expected(data.size(), static_cast<float>(1 - 2 * t));
        for (int i = 0; i < 50; ++i) {
          const int64_t sizes[] = {static_cast<int64_t>(data.size())};
          const Buffer in(harp_buffer_wrap(context.get(), HARP_F32, 1, sizes, data.data(), nullptr, nullptr, nullptr));
          harp_buffer *inputs[] = {in.get()}, *outputs[] = {nullptr};
          if (harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, nullptr) != HARP_OK) ++wrong;
          const Buffer out(outputs[0]);
          if (out == nullptr || values<float>(out.get()) != expected) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("G13.native: what a signature or description gets wrong") {
  const Context context = make_context();
  struct Misuse {
    const char* signature;
    harp_status code;
    const char* message;
  };
  const Misuse misuses[] = {
      {"", HARP_ERROR_PARSE, "line 1, column 1: expected what the function returns, void or i32, found the end of the text"},
      {"double(f32* input0)", HARP_ERROR_PARSE, "line 1, column 1: expected what the function returns, void or i32, found \"double\""},
      {"void(f32* input0", HARP_ERROR_PARSE, "line 1, column 17: expected \",\" or \")\""},
      {"void(f32* input0, f32* output) x", HARP_ERROR_PARSE, "line 1, column 32: expected the end of the signature, found \"x\""},
      {"void(float* input0, f32* output)", HARP_ERROR_PARSE, "line 1, column 6: expected a dtype"},
      {"void(f32* x, f32* output)", HARP_ERROR_PARSE, "line 1, column 11: expected input0, input1 ... or output, found \"x\""},
      {"void(f32* input0, f32* input3, f32* output)", HARP_ERROR_PARSE, "line 1, column 24: input3, but there are only input0 to input1"},
      {"void(f32* input99999999999999999999, f32* output)", HARP_ERROR_PARSE, "but there are only input0 to input1"},
      {"void(f64* input0, i32* input1, f32* output)", HARP_ERROR_DTYPE,
       "line 1, column 6: input0 is passed as f64*, but has dtype f32 (\"x\")"},
      {"void(f32* input0, i32* input1, f64* output)", HARP_ERROR_DTYPE, "line 1, column 32: output is passed as f64*, but has dtype f32"},
      {"void(f32* input0, f32* output)", HARP_ERROR_INVALID_ARGUMENT, "input1 is not passed to the function"},
      {"void(f32* input0, i32* input1)", HARP_ERROR_INVALID_ARGUMENT, "the output is not passed to the function"},
      {"void(f32* input0, i32* input1, f32* output, i8 3)", HARP_ERROR_PARSE, "line 1, column 45: a parameter cannot be a single i8"},
      {"void(f32* input0, i32* input1, f32* output, i32 3000000000)", HARP_ERROR_RANGE,
       "line 1, column 49: the size 3000000000 does not fit i32"},
      {"void(f32* input0, i32* input1, f32* output, u32 -1)", HARP_ERROR_RANGE, "line 1, column 49: the size -1 does not fit u32"},
      {"void(f32* input0, i32* input1, f32* output, i32 k)", HARP_ERROR_PARSE, "line 1, column 49: unknown shape variable \"k\""},
      {"void(f32* input0, i32* input1, f32* output, i32 input0[2])", HARP_ERROR_SHAPE,
       "line 1, column 56: input0 has no axis 2: its shape is [n, 3]"},
      {"void(f32* input0, i32* input1, f32* output, i32 input7[0])", HARP_ERROR_PARSE, "input7, but there are only input0 to input1"},
      {"void(f32* input0, i32* input1, f32* output, f32 true)", HARP_ERROR_PARSE,
       "line 1, column 49: expected a number without a dtype, such as 0.5, found a bool; the parameter has dtype f32"},
      {"void(f32* input0, i32* input1, f32* output, f32 x)", HARP_ERROR_PARSE, "line 1, column 49: expected a number"},
      {"void(f32* input0, i32* input1, f32* output, void* data)", HARP_ERROR_PARSE, "line 1, column 51: expected \"user\", found \"data\""},
  };
  const auto message_of = [&](const std::function<harp_node*(const Graph&, harp_node**)>& build, harp_status code) {
    const Graph g = make_graph(context.get());
    harp_node* nodes[] = {input(g, "x", HARP_F32, {harp_dim_var(g.get(), "n", 0, 100), 3}), input(g, "i", HARP_I32, {4})};
    CHECK(build(g, nodes) == nullptr);
    CHECK(harp_error_code(harp_graph_error(g.get())) == code);
    return std::string(harp_error_message(harp_graph_error(g.get())));
  };
  for (const Misuse& misuse : misuses) {
    CAPTURE(misuse.signature);
    const std::string message = message_of(
        [&](const Graph&, harp_node** nodes) {
          const Description desc("f", any(scale), misuse.signature, HARP_F32, {2});
          return call({nodes[0], nodes[1]}, desc);
        },
        misuse.code);
    CHECK(message.starts_with("native \"f\", signature: "));
    CHECK_MESSAGE(message.find(misuse.message) != message.npos, message);
  }
  const auto with = [&](const std::function<void(harp_native_desc&)>& change, harp_status code) {
    return message_of(
        [&](const Graph&, harp_node** nodes) {
          Description description("f", any(scale), kScale, HARP_F32, {});
          change(description.desc);
          return call({nodes[0]}, description);
        },
        code);
  };
  CHECK(with([](auto& d) { d.function = nullptr; }, HARP_ERROR_INVALID_ARGUMENT) == "native \"f\": the function is NULL");
  CHECK(with([](auto& d) { d.name = nullptr; }, HARP_ERROR_INVALID_ARGUMENT) == "native: the name is NULL");
  CHECK(with([](auto& d) { d.name = ""; }, HARP_ERROR_INVALID_ARGUMENT) == "native: the name is empty");
  CHECK(with([](auto& d) { d.signature = nullptr; }, HARP_ERROR_INVALID_ARGUMENT) == "native: the signature is NULL");
  CHECK(with([](auto& d) { d.rank = 17; }, HARP_ERROR_SHAPE).starts_with("native: "));
  CHECK(with([](auto& d) { d.dtype = 99; }, HARP_ERROR_DTYPE).starts_with("native: "));
  CHECK(with([](auto& d) { d.struct_size = 8; }, HARP_ERROR_INVALID_ARGUMENT).find("struct_size is 8") != std::string::npos);
  CHECK(message_of([](const Graph&, harp_node** nodes) { return harp_native(1, nodes, nullptr); }, HARP_ERROR_INVALID_ARGUMENT) ==
        "native: desc is NULL");
}

TEST_CASE("G13.native: a function without inputs belongs to the graph that its description names") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 100);
  Description description("ramp", any(+[](int64_t count, float* y) {
                            for (int64_t i = 0; i < count; ++i) y[i] = static_cast<float>(i) * 0.5f;
                          }),
                          "void(i64 n, f32* output)", HARP_F32, {n});
  CHECK(harp_native(0, nullptr, &description.desc) == nullptr);  // without an input, harp_native does not know the graph
  description.desc.graph = g.get();
  harp_node* ramp = harp_native(0, nullptr, &description.desc);
  REQUIRE(ramp != nullptr);
  harp_output(g.get(), "y", harp_add(ramp, input(g, "x", HARP_F32, {n})));
  std::vector<float> x = {1, 2, 3};
  const Buffer in = wrap(context.get(), x, {3});
  for (const Way& way : kWays) {
    const Program program = compile_way(g.get(), way);
    REQUIRE(program != nullptr);
    const std::vector<Buffer> out = run(program.get(), {in.get()});
    REQUIRE(out.size() == 1);
    CHECK(values<float>(out[0].get()) == std::vector<float>{1, 2.5, 4});
  }
  const std::string text = take(harp_graph_print(g.get(), nullptr));
  CHECK_MESSAGE(text.find("native(name=\"ramp\"") != std::string::npos, text);
  CHECK(take(harp_graph_print(parse(context.get(), text).get(), nullptr)) == text);

  const Graph other = make_graph(context.get());
  harp_node* const elsewhere = input(other, "x", HARP_F32, {2});
  CHECK(harp_native(1, &elsewhere, &description.desc) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(other.get()))) == "native: desc.graph is not the graph of the inputs");
}

TEST_CASE("G13.native G19.loud_error: it has no gradient") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  harp_node* const x = input(g, "x", HARP_F32, {3});
  harp_node* const y = harp_sum(scaled(harp_sin(x), 3), 0, nullptr, 0);
  harp_node *xs[] = {x}, *gradients[1];
  CHECK(harp_grad(y, 1, xs, nullptr, gradients) == HARP_ERROR_NO_GRADIENT);
  const std::string message = harp_error_message(harp_graph_error(g.get()));
  CHECK_MESSAGE(message.find("(native \"scale\" f32[3]), and native has no derivative") != message.npos, message);
}

TEST_CASE("G13.native: a context may forbid it") {
  const Context context = make_context([](harp_context_options& o) { o.native_ops = HARP_NATIVE_OPS_OFF; });
  const Graph g = make_graph(context.get());
  CHECK(scaled(input(g, "x", HARP_F32, {3}), 3) == nullptr);
  CHECK(harp_error_code(harp_graph_error(g.get())) == HARP_ERROR_UNSUPPORTED);
  CHECK(std::string(harp_error_message(harp_graph_error(g.get()))) ==
        "native: native operations are switched off (harp_context_options.native_ops)");
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.native_ops = 2;
  ErrorSlot err;
  CHECK(harp_context_new(&options, err) == nullptr);
  CHECK(err.message() == "harp_context_options: native_ops is 2, expected HARP_NATIVE_OPS_ON or HARP_NATIVE_OPS_OFF");
}

TEST_CASE("G13.native G18.text: a text has the call but no address") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 100);
  harp_node* operands[] = {input(g, "x", HARP_F32, {n}), input(g, "b", HARP_BOOL, {2})};
  const Description desc("my \"f\"", any(scale),
                         "i32(i64 input0[0]*2 + 1, f32 -0.5, f64 nan, f32* input0, bool* input1, bool* output, void* user)", HARP_BOOL,
                         {n, 2});
  harp_output(g.get(), "y", call({operands[0], operands[1]}, desc));
  REQUIRE(harp_graph_error(g.get()) == nullptr);
  const std::string text = take(harp_graph_print(g.get(), nullptr));
  CHECK_MESSAGE(text.find("native(x, v0, name=\"my \\\"f\\\"\", signature=\"i32(i64 2*n + 1, f32 -0.5, f64 nan, f32* input0, bool* input1, "
                          "bool* output, void* user)\", dtype=bool, shape=[n, 2])") != text.npos,
                text);
  const Graph parsed = parse(context.get(), text);
  REQUIRE(parsed != nullptr);
  CHECK(take(harp_graph_print(parsed.get(), nullptr)) == text);
  CHECK(take(harp_graph_dot(parsed.get(), nullptr)).find("my \\\"f\\\"") != std::string::npos);
  for (const char* stage : {"opt", "schedule", "ir", "c"}) {
    ErrorSlot err;
    const std::string emitted = take(harp_graph_emit(parsed.get(), nullptr, stage, err));
    CHECK_MESSAGE(emitted.find("my ") != emitted.npos, stage, ": ", err.message());
  }
  for (const char* backend : {"interp", "c"}) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.backend = backend;
    ErrorSlot err;
    CHECK(harp_compile(parsed.get(), &options, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_UNSUPPORTED);
    CHECK_MESSAGE(
        err.message().find("(native \"my \"f\"\" bool[n, 2]): its function is unknown, because the text format does not store addresses") !=
            std::string::npos,
        err.message());
  }
}

namespace {

std::atomic<int> kept{0};
void keep(int64_t n, const int32_t* x, int32_t* y) {
  ++kept;
  for (int64_t i = 0; i < n; ++i) y[i] = x[i];
}

}  // namespace

TEST_CASE("G13.native/interp,c G14: a function does not get indices that did not pass their check") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 100);
  harp_node* i = input(g, "i", HARP_I32, {n});
  const Description desc("keep", any(keep), "void(i64 input0[0], i32* input0, i32* output)", HARP_I32, {n});
  REQUIRE(harp_output(g.get(), "y", call({harp_check_index(i, 4, "the table")}, desc)) == HARP_OK);
  for (const Way& way : kWays) {
    CAPTURE(way.backend);
    const Program program = compile_way(g.get(), way);
    REQUIRE(program != nullptr);
    std::vector<int32_t> bad = {0, -4, 4}, good = {0, -4, 3};
    const Buffer bad_indices = wrap(context.get(), bad, {3}), indices = wrap(context.get(), good, {3});
    kept = 0;
    ErrorSlot err;
    CHECK(run(program.get(), {bad_indices.get()}, err).empty());
    CHECK(err.code() == HARP_ERROR_RANGE);
    CHECK(err.message() == "the table has 4 elements, but element 2 of \"i\" asks for 4");
    CHECK(kept == 0);
    CHECK(values<int32_t>(run(program.get(), {indices.get()})[0].get()) == good);
    CHECK(kept == 1);
  }
}
