// Tests the C API as a program uses it. Every function of harp.h is called in this file or in capi_host_test.cpp, capi_errors_test.cpp or
// capi_operations_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "support/affine_graph.h"

using namespace capi_test;

namespace {

const char* const kBackends[] = {"interp", "c"};

}  // namespace

TEST_CASE("C1.opaque_handles: versions, status names, dtypes, strings") {
  CHECK(harp_version() == HARP_VERSION_MAJOR * 1000000u + HARP_VERSION_MINOR * 1000u + HARP_VERSION_PATCH);
  CHECK(std::string(harp_version_string()) == "0.1.0");
  CHECK(std::string(harp_status_name(HARP_ERROR_SHAPE)) == "SHAPE");
  CHECK(std::string(harp_status_name(HARP_OK)) == "OK");
  CHECK(std::string(harp_status_name(HARP_ERROR_DEVICE)) == "DEVICE");
  CHECK(std::string(harp_status_name(HARP_ERROR_NO_GRADIENT)) == "NO_GRADIENT");
  CHECK(std::string(harp_status_name(HARP_ERROR_NO_GRADIENT + 1)) == "UNKNOWN");
  CHECK(std::string(harp_status_name(-1)) == "UNKNOWN");
  CHECK(std::string(harp_status_name(99)) == "UNKNOWN");
  CHECK(harp_dtype_size(HARP_F64) == 8);
  CHECK(std::string(harp_dtype_name(HARP_I32)) == "i32");
  const std::pair<harp_dtype, size_t> sizes[] = {{HARP_BOOL, 1}, {HARP_I8, 1},  {HARP_U8, 1},  {HARP_I16, 2},       {HARP_U16, 2},
                                                 {HARP_I32, 4},  {HARP_U32, 4}, {HARP_I64, 8}, {HARP_U64, 8},       {HARP_F16, 2},
                                                 {HARP_BF16, 2}, {HARP_F32, 4}, {HARP_F64, 8}, {HARP_COMPLEX64, 8}, {HARP_COMPLEX128, 16}};
  for (const auto& [dtype, bytes] : sizes) CHECK(harp_dtype_size(dtype) == bytes);
  CHECK(std::string(harp_dtype_name(HARP_BF16)) == "bf16");
  for (harp_dtype other : {-1, 0, 16, 17, 99}) {
    CHECK(harp_dtype_size(other) == 0);
    CHECK(harp_dtype_name(other) == nullptr);
  }
  CHECK(std::string(harp_string_data(nullptr)).empty());
  CHECK(harp_string_size(nullptr) == 0);
  CHECK(harp_error_code(nullptr) == HARP_OK);
  CHECK(std::string(harp_error_message(nullptr)).empty());
  CHECK(std::string(harp_error_compiler_output(nullptr)).empty());
  harp_string_release(nullptr);
  harp_error_release(nullptr);
  harp_context_release(nullptr);
  harp_graph_release(nullptr);
  harp_program_release(nullptr);
  harp_buffer_release(nullptr);
  CHECK(harp_context_retain(nullptr) == nullptr);
}

TEST_CASE("G16.one_kernel/interp,c H4.by_name/interp,c: one program, any number of rows") {
  const Context context = make_context();
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Graph graph = affine_graph(context.get());
    const Program program = compile(graph.get(), backend);
    std::vector<float> w = {1, -2, 0.25f};
    const Buffer wb = wrap(context.get(), w, {3});
    for (int64_t rows : {0, 1, 4, 100}) {
      std::vector<float> a(static_cast<size_t>(rows * 3));
      for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) / 7;
      const Buffer ab = wrap(context.get(), a, {rows, 3});
      const std::vector<Buffer> out = run(program.get(), {ab.get(), wb.get()});
      REQUIRE(out.size() == 1);
      CHECK(dims(out[0].get()) == std::vector<int64_t>{rows, 3});
      CHECK(harp_buffer_dtype(out[0].get()) == HARP_F32);
      const std::vector<float> y = values<float>(out[0].get());
      for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(std::tanh(a[i] * w[i % 3] + 0.5f)).epsilon(1e-6));
    }
  }
}

TEST_CASE("X2.stable,compiler/c: flags of a caller's do not bring back what gcc vectorises wrongly") {
  const Context context = make_context();
  const std::string text = "graph g(x: f32[37, 5]) {\n  return y = pad(x, before=[1, 2], after=[1, 1], value=2)\n}";
  const Graph graph(harp_graph_parse(context.get(), text.size(), text.c_str(), nullptr));
  std::vector<float> x(37 * 5);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const Buffer buffer = wrap(context.get(), x, {37, 5});
  const auto bits = [&](const Program& program) {
    const std::vector<Buffer> out = run(program.get(), {buffer.get()});
    return out.empty() ? std::vector<uint32_t>() : values<uint32_t>(out[0].get());
  };
  const std::vector<uint32_t> expected = bits(compile(graph.get(), "interp"));
  const char* const flags[] = {"-O3", "-ftree-loop-if-convert", "-fvect-cost-model=dynamic"};
  for (const int32_t plain_text : {0, 1})
    CHECK(bits(compile(graph.get(), "c",
                       [&](auto& o) { o.plain_text = plain_text, o.compiler = "gcc", o.n_flags = 3, o.flags = flags; })) == expected);
}

TEST_CASE("X2.stable,simd_width,compiler/c: both backends give the same bits, with every compile option") {
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  std::vector<float> a(301 * 3), w = {1, -2, 0.25f};
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::ldexp(static_cast<float>(i), static_cast<int>(i % 40) - 20);
  const Buffer ab = wrap(context.get(), a, {301, 3}), wb = wrap(context.get(), w, {3});
  const auto bits = [&](const Program& program) {
    const std::vector<Buffer> out = run(program.get(), {ab.get(), wb.get()});
    return out.empty() ? std::vector<uint32_t>() : values<uint32_t>(out[0].get());
  };
  const std::vector<uint32_t> expected = bits(compile(graph.get(), "interp"));
  CHECK(bits(compile(graph.get(), nullptr)) == expected);
  CHECK(bits(compile(graph.get(), "c", [](auto& o) { o.plain_text = 1; })) == expected);
  CHECK(bits(compile(graph.get(), "c", [](auto& o) { o.target = "x86-64-v2"; })) == expected);
  for (int32_t width : {1, 4, 16}) CHECK(bits(compile(graph.get(), "c", [&](auto& o) { o.simd_width = width; })) == expected);
  const char* const flags[] = {"-O1", "-g0"};
  CHECK(bits(compile(graph.get(), "c", [&](auto& o) { o.n_flags = 2, o.flags = flags; })) == expected);
  const char* const all[] = {"all"};
  CHECK(bits(compile(graph.get(), "c", [&](auto& o) { o.n_disabled_passes = 1, o.disabled_passes = all; })) == expected);
  for (const char* compiler : {"gcc", "clang"}) CHECK(bits(compile(graph.get(), "c", [&](auto& o) { o.compiler = compiler; })) == expected);
  const char* const names[] = {"n"};
  const int64_t sizes[] = {301};
  for (const char* backend : kBackends) {
    const Program fixed =
        compile(graph.get(), backend, [&](auto& o) { o.n_specialize = 1, o.specialize_names = names, o.specialize_values = sizes; });
    CHECK(harp_program_shape_var_count(fixed.get()) == 0);
    CHECK(bits(fixed) == expected);
  }
}

TEST_CASE("L3.names L3.dtypes L3.shapes L3.shape_vars: the signature can be asked for") {
  const Context context = make_context();
  Graph g = make_graph(context.get());
  CHECK(harp_graph_set_name(g.get(), "rows", nullptr) == HARP_OK);
  const harp_dim n = harp_dim_var(g.get(), "n", 1, 100), k = harp_dim_var(g.get(), "k", 0, 9);
  const harp_dim dims_x[] = {harp_dim_mul(g.get(), n, 2), n, 4};
  harp_node* x = harp_input(g.get(), "x", HARP_F64, 3, dims_x);
  harp_output(g.get(), "y", harp_lt(x, harp_constant(g.get(), HARP_F64, 0)));
  harp_output(g.get(), "z", harp_arange(g.get(), HARP_I32, 0, k, 1));
  for (const char* backend : kBackends) {
    const Program p = compile(g.get(), backend);
    CHECK(take(harp_program_signature(p.get(), nullptr)) ==
          "rows(x: f64[2*n, n, 4]) -> y: bool[2*n, n, 4], z: i32[k] where n in 1..100, k in 0..9");
    CHECK(harp_program_input_count(p.get()) == 1);
    CHECK(harp_program_output_count(p.get()) == 2);
    CHECK(harp_program_shape_var_count(p.get()) == 2);
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    REQUIRE(harp_program_input(p.get(), 0, &info, nullptr) == HARP_OK);
    CHECK(std::string(info.name) == "x");
    CHECK(std::string(info.shape) == "[2*n, n, 4]");
    CHECK(info.dtype == HARP_F64);
    REQUIRE(info.rank == 3);
    CHECK(info.dims[0] == -1);
    CHECK(info.dims[2] == 4);
    REQUIRE(harp_program_output(p.get(), 1, &info, nullptr) == HARP_OK);
    CHECK(std::string(info.name) == "z");
    CHECK(info.dtype == HARP_I32);
    harp_shape_var_info variable = HARP_SHAPE_VAR_INFO_INIT;
    REQUIRE(harp_program_shape_var(p.get(), 0, &variable, nullptr) == HARP_OK);
    CHECK(std::string(variable.name) == "n");
    CHECK(variable.min == 1);
    CHECK(variable.max == 100);
    CHECK(variable.input == 0);
    CHECK(variable.axis == 1);
    CHECK(variable.factor == 1);
    CHECK(variable.offset == 0);
    REQUIRE(harp_program_shape_var(p.get(), 1, &variable, nullptr) == HARP_OK);
    CHECK(variable.input == -1);
    const int64_t sizes[] = {3, 5};
    int64_t out_dims[3];
    REQUIRE(harp_program_output_dims(p.get(), 0, 2, sizes, 3, out_dims, nullptr) == HARP_OK);
    CHECK(std::vector<int64_t>(out_dims, out_dims + 3) == std::vector<int64_t>{6, 3, 4});
    size_t workspace = 1;
    CHECK(harp_program_workspace_size(p.get(), 2, sizes, 1, &workspace, nullptr) == HARP_OK);
    CHECK(workspace % 64 == 0);
    // No input has an axis of the size k, so k is passed by name.
    std::vector<double> data(6 * 3 * 4, -1.0);
    const Buffer xb = wrap(context.get(), data, {6, 3, 4});
    const char* const names[] = {"k", "n"};
    const int64_t given[] = {5, 3};
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.n_shape_vars = 2;
    options.shape_var_names = names;
    options.shape_var_values = given;
    const std::vector<Buffer> out = run(p.get(), {xb.get()}, nullptr, &options);
    REQUIRE(out.size() == 2);
    CHECK(values<int32_t>(out[1].get()) == std::vector<int32_t>{0, 1, 2, 3, 4});
    CHECK(values<uint8_t>(out[0].get()) == std::vector<uint8_t>(72, 1));
  }
}

TEST_CASE("X3.entry_point/interp,c L2.entry_point/c C1.libffi C1.dlfcn: programs as plain functions") {
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    std::vector<float> a = {1, 2, 3, 4, 5, 6}, w = {1, -2, 0.25f}, by_entry(6), by_entry_ex(6);
    const Buffer ab = wrap(context.get(), a, {2, 3}), wb = wrap(context.get(), w, {3});
    const std::vector<Buffer> expected = run(program.get(), {ab.get(), wb.get()});
    REQUIRE(expected.size() == 1);
    void* inputs[] = {a.data(), w.data()};
    void* outputs[] = {by_entry.data()};
    size_t shape_vars[] = {2};
    const harp_entry_point entry = harp_program_entry(program.get(), nullptr);
    REQUIRE((entry != nullptr));
    entry(inputs, outputs, shape_vars);
    CHECK(by_entry == values<float>(expected[0].get()));
    const harp_entry_point_ex entry_ex = harp_program_entry_ex(program.get(), nullptr);
    REQUIRE((entry_ex != nullptr));
    outputs[0] = by_entry_ex.data();
    CHECK(entry_ex(inputs, outputs, shape_vars, nullptr) == HARP_OK);
    CHECK(by_entry_ex == by_entry);
    CHECK((harp_program_entry(program.get(), nullptr) == entry));
  }
}

TEST_CASE("H4.available H4.never_mixed: backends by name") {
  const Context context = make_context();
  CHECK(take(harp_context_backends(context.get(), nullptr)) == "interp\nc\ncuda\n");
  CHECK(harp_backend_available(context.get(), "interp") == 1);
  CHECK(harp_backend_available(context.get(), "c") == 1);
  CHECK(harp_backend_available(context.get(), "abacus") == 0);
  const Graph graph = affine_graph(context.get());
  CHECK(take(harp_program_source(compile(graph.get(), "interp").get(), nullptr)).empty());
  CHECK(take(harp_program_source(compile(graph.get(), "c").get(), nullptr)).find("entry_point") != std::string::npos);
  const Context without = make_context([](auto& options) { options.compiler = "/nonexistent/cc"; });
  CHECK(harp_backend_available(without.get(), "interp") == 1);
  CHECK(harp_backend_available(without.get(), "c") == 0);
  CHECK(take(harp_context_describe(without.get(), nullptr)).find("/nonexistent/cc") != std::string::npos);
  const std::string described = take(harp_context_describe(context.get(), nullptr));
  for (const char* key : {"version: 0.1.0", "target: ", "compiler: /", "cache: disabled"}) CHECK(described.find(key) != std::string::npos);
}

TEST_CASE("H2.graph H2.uop_graph H2.optimised_uop_graph H2.linear_uops H2.source G18.dot: every stage can be printed") {
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  for (const char* stage : {"graph", "opt", "schedule", "ir", "ir-opt", "linear", "c", "source", "dot"}) {
    CAPTURE(stage);
    ErrorSlot err;
    CHECK_MESSAGE(take(harp_graph_emit(graph.get(), nullptr, stage, err)).size() > 20, err.message());
  }
  CHECK(take(harp_graph_emit(graph.get(), nullptr, "graph", nullptr)) == take(harp_graph_print(graph.get(), nullptr)));
  CHECK(take(harp_graph_dot(graph.get(), nullptr)).starts_with("digraph"));
}

TEST_CASE("C4.get_api: all functions in one table") {
  CHECK(harp_get_api(0) == nullptr);
  CHECK(harp_get_api(HARP_API_VERSION + 1) == nullptr);
  const harp_api* api = harp_get_api(HARP_API_VERSION);
  REQUIRE(api != nullptr);
  CHECK(api->struct_size == sizeof(harp_api));
  CHECK(api->version == HARP_API_VERSION);
  CHECK((api->harp_add == &harp_add));
  CHECK((api->harp_program_run == &harp_program_run));
  const auto* entries = reinterpret_cast<void* const*>(reinterpret_cast<const char*>(api) + offsetof(harp_api, harp_version));
  const size_t count = (sizeof(harp_api) - offsetof(harp_api, harp_version)) / sizeof(void*);
  CHECK(count > 150);
  for (size_t i = 0; i < count; ++i) CHECK(entries[i] != nullptr);
}

TEST_CASE("G8.broadcast_shapes G8.broadcast_index G8.error: NumPy's rules for plain shapes") {
  const int64_t a[] = {5, 1, 3}, b[] = {4, 1}, c[] = {2};
  int64_t dims[3];
  REQUIRE(harp_broadcast_shapes(3, a, 2, b, dims, nullptr) == HARP_OK);
  CHECK(std::vector<int64_t>(dims, dims + 3) == std::vector<int64_t>{5, 4, 3});
  CHECK(harp_broadcast_shapes(0, nullptr, 0, nullptr, nullptr, nullptr) == HARP_OK);
  ErrorSlot err;
  CHECK(harp_broadcast_shapes(3, a, 1, c, dims, err) == HARP_ERROR_SHAPE);
  CHECK(err.message().starts_with("Cannot broadcast shapes [5, 1, 3] and [2]"));
  const int64_t index[] = {4, 3, 2};
  int64_t source[3];
  REQUIRE(harp_broadcast_index(3, index, 3, a, source, nullptr) == HARP_OK);
  CHECK(std::vector<int64_t>(source, source + 3) == std::vector<int64_t>{4, 0, 2});
  REQUIRE(harp_broadcast_index(3, index, 2, b, source, nullptr) == HARP_OK);
  CHECK(std::vector<int64_t>(source, source + 2) == std::vector<int64_t>{3, 0});
  const int64_t negative[] = {4, -3, 2};
  ErrorSlot negative_index;
  CHECK(harp_broadcast_index(3, negative, 3, a, source, negative_index) == HARP_ERROR_RANGE);
  CHECK(negative_index.message() == "harp_broadcast_index: index 1 is -3, expected at least 0");
}

TEST_CASE("C1: layout of the structs that cross the boundary") {
#define OFFSET(type, field, offset) CHECK(offsetof(type, field) == offset)
  CHECK(sizeof(harp_cuda_options) == 56);
  OFFSET(harp_cuda_options, context, 8);
  OFFSET(harp_cuda_options, stream, 16);
  OFFSET(harp_cuda_options, alloc, 24);
  OFFSET(harp_cuda_options, free, 32);
  OFFSET(harp_cuda_options, alloc_user, 40);
  OFFSET(harp_cuda_options, max_kept_bytes, 48);
  CHECK(sizeof(harp_context_options) == 168);
  OFFSET(harp_context_options, alloc, 8);
  OFFSET(harp_context_options, log, 32);
  OFFSET(harp_context_options, log_level, 48);
  OFFSET(harp_context_options, threads, 52);
  OFFSET(harp_context_options, parallel_for, 56);
  OFFSET(harp_context_options, width, 72);
  OFFSET(harp_context_options, cache_dir, 80);
  OFFSET(harp_context_options, cache_max_entries, 96);
  OFFSET(harp_context_options, cache_shared, 104);
  OFFSET(harp_context_options, reserved, 108);
  OFFSET(harp_context_options, compiler, 112);
  OFFSET(harp_context_options, compile_timeout_ms, 120);
  OFFSET(harp_context_options, dump, 128);
  OFFSET(harp_context_options, native_ops, 136);
  OFFSET(harp_context_options, reserved2, 140);
  OFFSET(harp_context_options, compilers, 144);
  OFFSET(harp_context_options, compiler_nice, 148);
  OFFSET(harp_context_options, cuda, 152);
  OFFSET(harp_context_options, kept_memory_bytes, 160);
  CHECK(sizeof(harp_pool_options) == 56);
  OFFSET(harp_pool_options, n_stride, 8);
  OFFSET(harp_pool_options, n_padding, 12);
  OFFSET(harp_pool_options, n_dilation, 16);
  OFFSET(harp_pool_options, reserved, 20);
  OFFSET(harp_pool_options, stride, 24);
  OFFSET(harp_pool_options, padding, 32);
  OFFSET(harp_pool_options, dilation, 40);
  OFFSET(harp_pool_options, ceil_mode, 48);
  OFFSET(harp_pool_options, count_include_pad, 52);
  CHECK(sizeof(harp_custom_function_desc) == 40);
  OFFSET(harp_custom_function_desc, body, 8);
  OFFSET(harp_custom_function_desc, dtype, 16);
  OFFSET(harp_custom_function_desc, rank, 20);
  OFFSET(harp_custom_function_desc, dims, 24);
  OFFSET(harp_custom_function_desc, graph, 32);
  CHECK(sizeof(harp_native_desc) == 64);
  OFFSET(harp_native_desc, name, 8);
  OFFSET(harp_native_desc, function, 16);
  OFFSET(harp_native_desc, user, 24);
  OFFSET(harp_native_desc, signature, 32);
  OFFSET(harp_native_desc, dtype, 40);
  OFFSET(harp_native_desc, rank, 44);
  OFFSET(harp_native_desc, dims, 48);
  OFFSET(harp_native_desc, graph, 56);
  CHECK(sizeof(harp_cache_stats_info) == 48);
  CHECK(sizeof(harp_memory_stats_info) == 40);
  OFFSET(harp_memory_stats_info, kept_bytes, 8);
  OFFSET(harp_memory_stats_info, limit_bytes, 16);
  OFFSET(harp_memory_stats_info, reused, 24);
  OFFSET(harp_memory_stats_info, allocated, 32);
  CHECK(sizeof(harp_compile_options) == 144);
  OFFSET(harp_compile_options, backend, 8);
  OFFSET(harp_compile_options, math, 16);
  OFFSET(harp_compile_options, simd_width, 20);
  OFFSET(harp_compile_options, target, 24);
  OFFSET(harp_compile_options, plain_text, 32);
  OFFSET(harp_compile_options, compiler, 40);
  OFFSET(harp_compile_options, n_flags, 48);
  OFFSET(harp_compile_options, n_disabled_passes, 64);
  OFFSET(harp_compile_options, schedule, 80);
  OFFSET(harp_compile_options, n_specialize, 88);
  OFFSET(harp_compile_options, dump, 112);
  OFFSET(harp_compile_options, check_indices, 120);
  OFFSET(harp_compile_options, tuning, 124);
  OFFSET(harp_compile_options, cancel, 128);
  OFFSET(harp_compile_options, specialize, 136);
  OFFSET(harp_compile_options, reserved2, 140);
  CHECK(sizeof(harp_tune_options) == 88);
  OFFSET(harp_tune_options, compile, 8);
  OFFSET(harp_tune_options, run, 16);
  OFFSET(harp_tune_options, seconds, 24);
  OFFSET(harp_tune_options, strategy, 32);
  OFFSET(harp_tune_options, dry_run, 36);
  OFFSET(harp_tune_options, seed, 40);
  OFFSET(harp_tune_options, max_trials, 48);
  OFFSET(harp_tune_options, n_compilers, 56);
  OFFSET(harp_tune_options, compilers, 64);
  OFFSET(harp_tune_options, progress, 72);
  OFFSET(harp_tune_options, user, 80);
  CHECK(sizeof(harp_tune_trial_info) == 64);
  OFFSET(harp_tune_trial_info, failure, 16);
  OFFSET(harp_tune_trial_info, median_seconds, 24);
  OFFSET(harp_tune_trial_info, samples, 56);
  CHECK(sizeof(harp_tune_progress) == 64);
  OFFSET(harp_tune_progress, trial, 56);
  CHECK(sizeof(harp_tune_summary) == 56);
  OFFSET(harp_tune_summary, best, 16);
  OFFSET(harp_tune_summary, exhausted, 40);
  OFFSET(harp_tune_summary, why_not_stored, 48);
  CHECK(sizeof(harp_run_options) == 72);
  OFFSET(harp_run_options, cancel, 48);
  OFFSET(harp_run_options, stream, 56);
  OFFSET(harp_run_options, flags, 64);
  OFFSET(harp_run_options, reserved, 68);
  CHECK(sizeof(harp_array_info) == 56);
  OFFSET(harp_array_info, n_in_place, 40);
  OFFSET(harp_array_info, in_place, 48);
  CHECK(sizeof(harp_shape_var_info) == 56);
  CHECK(sizeof(harp_program_stats_info) == 72);
  OFFSET(harp_program_stats_info, tuned, 36);
  CHECK(sizeof(harp_runtime) == 96);
  OFFSET(harp_runtime, width, 16);
  OFFSET(harp_runtime, parallel_for, 24);
  OFFSET(harp_runtime, alloc, 32);
  OFFSET(harp_runtime, free, 40);
  OFFSET(harp_runtime, workspace, 48);
  OFFSET(harp_runtime, workspace_size, 56);
  OFFSET(harp_runtime, natives, 64);
  OFFSET(harp_runtime, step_cursor, 72);
  OFFSET(harp_runtime, fault, 80);
  OFFSET(harp_runtime, cancel, 88);
  CHECK(sizeof(harp_fault) == 40);
  OFFSET(harp_fault, site, 8);
  OFFSET(harp_fault, element, 16);
  OFFSET(harp_fault, index, 24);
  OFFSET(harp_fault, size, 32);
  OFFSET(harp_api, harp_version, 16);
#undef OFFSET
}

TEST_CASE("C1: structs of a newer harp.h") {
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  struct {
    harp_compile_options known = HARP_COMPILE_OPTIONS_INIT;
    int64_t unknown = 0;
  } options;
  options.known.struct_size = sizeof options;
  options.known.backend = "interp";
  CHECK(Program(harp_compile(graph.get(), &options.known, nullptr)) != nullptr);
  options.unknown = 1;
  ErrorSlot err;
  CHECK(harp_compile(graph.get(), &options.known, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(err.message().find("struct_size is " + std::to_string(sizeof options)) != std::string::npos);
  struct {
    harp_program_stats_info known = HARP_PROGRAM_STATS_INFO_INIT;
    int64_t unknown = 7;
  } stats;
  stats.known.struct_size = sizeof stats;
  CHECK(harp_program_stats(compile(graph.get(), "interp").get(), &stats.known, nullptr) == HARP_OK);
  CHECK(stats.known.struct_size == sizeof stats);
  CHECK(stats.unknown == 0);
}

TEST_CASE("C1 G14: structs of an older harp.h: what they lack is not read") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "graph g(x: f32[2], i: i32[1]) {\n  return y = take(x, i)\n}");
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.struct_size = offsetof(harp_compile_options, check_indices);
  options.backend = "interp";
  options.check_indices = 1;  // must not be read: by struct_size, the caller's struct ends before this member
  const Program program(harp_compile(graph.get(), &options, nullptr));
  REQUIRE(program != nullptr);
  std::vector<float> x = {1, 2};
  std::vector<int32_t> i = {5};
  const Buffer bx = wrap(context.get(), x, {2}), bi = wrap(context.get(), i, {1});
  CHECK(values<float>(run(program.get(), {bx.get(), bi.get()})[0].get()) == std::vector<float>{2});
  options.struct_size -= 1;
  ErrorSlot err;
  CHECK(harp_compile(graph.get(), &options, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("C1: the cache through the API: misses, hits in memory and on disk, clearing") {
  char path[] = "/tmp/harp-capi-XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  const auto with_directory = [&](auto& options) { options.cache_dir = path; };
  const auto cache_of = [](const Program& program) {
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
    CHECK(stats.kernels == 1);
    CHECK(stats.source_bytes > 0);
    return stats.cache;
  };
  {
    const Context context = make_context(with_directory);
    CHECK(take(harp_cache_dir(context.get(), nullptr)).starts_with(path));
    const Graph graph = affine_graph(context.get()), same = affine_graph(context.get());
    CHECK(cache_of(compile(graph.get(), "c")) == HARP_CACHE_NONE);
    CHECK(cache_of(compile(graph.get(), "c")) == HARP_CACHE_MEMORY);
    CHECK(cache_of(compile(same.get(), "c")) == HARP_CACHE_MEMORY);
  }
  const Context context = make_context(with_directory);
  const Graph graph = affine_graph(context.get());
  CHECK(cache_of(compile(graph.get(), "c")) == HARP_CACHE_DISK);
  harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
  REQUIRE(harp_cache_stats(context.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.entries >= 1);  // besides the program, the cache stores the compiler's version
  CHECK(stats.bytes > 1000);
  CHECK(stats.disk_hits == 1);
  CHECK(stats.misses == 0);
  CHECK(take(harp_cache_list(context.get(), nullptr)).find("a: f32[n, 3]") != std::string::npos);
  {
    // A name may contain line breaks and tabs; each entry of the list is still one line of six columns.
    const Graph odd = parse(context.get(), R"(graph g("x\ny\tz": f32[2]) { return r = "x\ny\tz" * 2 })");
    compile(odd.get(), "c");
    std::istringstream list(take(harp_cache_list(context.get(), nullptr)));
    bool found = false;
    for (std::string line; std::getline(list, line);) {
      CHECK(std::count(line.begin(), line.end(), '\t') == 5);
      found = found || line.find(R"(x\x0ay\x09z: f32[2])") != std::string::npos;
    }
    CHECK(found);
  }
  CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
  CHECK(take(harp_cache_list(context.get(), nullptr)).empty());
  CHECK(cache_of(compile(graph.get(), "c")) == HARP_CACHE_NONE);
  CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
  const std::string remove = std::string("rm -rf ") + path;
  CHECK(std::system(remove.c_str()) == 0);
}
