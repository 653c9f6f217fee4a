// The C API as a program sees it: every function of harp.h is called here or in capi_errors_test.cpp and capi_operations_test.cpp.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <thread>

#include "capi_support.h"

using namespace capi_test;

namespace {

const char* const kBackends[] = {"interp", "c"};

/// y = tanh(a * w + 0.5) for a of [n, 3] and w of [3], built by calls.
Graph affine_graph(harp_context* context) {
  Graph g = make_graph(context, HARP_GRAPH_BROADCAST);
  const harp_dim a_dims[] = {harp_dim_var(g.get(), "n", 0, 4096), 3}, w_dims[] = {3};
  harp_node* a = harp_input(g.get(), "a", HARP_F32, 2, a_dims);
  harp_node* w = harp_input(g.get(), "w", HARP_F32, 1, w_dims);
  harp_node* y = harp_tanh(harp_add(harp_mul(a, w), harp_constant(g.get(), HARP_F32, 0.5)));
  CHECK(harp_output(g.get(), "y", y) == HARP_OK);
  return g;
}

}  // namespace

TEST_CASE("C1.opaque_handles: versions, status names, dtypes, strings") {
  CHECK(harp_version() == HARP_VERSION_MAJOR * 1000000u + HARP_VERSION_MINOR * 1000u + HARP_VERSION_PATCH);
  CHECK(std::string(harp_version_string()) == "0.1.0");
  CHECK(std::string(harp_status_name(HARP_ERROR_SHAPE)) == "SHAPE");
  CHECK(std::string(harp_status_name(HARP_OK)) == "OK");
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
    REQUIRE(harp_program_shape_var(p.get(), 1, &variable, nullptr) == HARP_OK);
    CHECK(variable.input == -1);
    const int64_t sizes[] = {3, 5};
    int64_t out_dims[3];
    REQUIRE(harp_program_output_dims(p.get(), 0, sizes, out_dims, nullptr) == HARP_OK);
    CHECK(std::vector<int64_t>(out_dims, out_dims + 3) == std::vector<int64_t>{6, 3, 4});
    size_t workspace = 1;
    CHECK(harp_program_workspace_size(p.get(), sizes, 1, &workspace, nullptr) == HARP_OK);
    CHECK(workspace % 64 == 0);
    // k is no axis of an input: it comes by name
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

TEST_CASE("H5.owned H5.wrap: buffers go with their last handle, children keep parents") {
  int deleted = 0;
  std::vector<float> data(6);
  const int64_t shape[] = {2, 3};
  Context context = make_context();
  const auto count = [](void* user, void*) { ++*static_cast<int*>(user); };
  harp_buffer* wrapped = harp_buffer_wrap(context.get(), HARP_F32, 2, shape, data.data(), count, &deleted, nullptr);
  REQUIRE(wrapped != nullptr);
  CHECK(harp_buffer_data(wrapped) == data.data());  // no copy
  CHECK(harp_buffer_retain(wrapped) == wrapped);
  harp_buffer_release(wrapped);
  CHECK(deleted == 0);
  context.reset();  // the buffer keeps it
  CHECK(harp_buffer_size(wrapped) == 24);
  harp_buffer_release(wrapped);
  CHECK(deleted == 1);

  context = make_context();
  harp_graph* graph = harp_graph_retain(affine_graph(context.get()).get());
  harp_program* program = harp_program_retain(compile(graph, "interp").get());
  context.reset();
  harp_graph_release(graph);
  CHECK(harp_program_output_count(program) == 1);
  harp_program_release(program);

  context = make_context();
  const Buffer constant(harp_buffer_wrap_const(context.get(), HARP_F32, 2, shape, data.data(), nullptr, nullptr, nullptr));
  CHECK(harp_buffer_data(constant.get()) == nullptr);
  CHECK(harp_buffer_const_data(constant.get()) == data.data());
  const Buffer own(harp_buffer_new(context.get(), HARP_F32, 2, shape, nullptr));
  CHECK(reinterpret_cast<uintptr_t>(harp_buffer_data(own.get())) % 64 == 0);
  CHECK(harp_buffer_rank(own.get()) == 2);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  CHECK(harp_buffer_write(own.get(), 24, data.data(), nullptr) == HARP_OK);
  std::vector<float> back(6);
  CHECK(harp_buffer_read(own.get(), 24, back.data(), nullptr) == HARP_OK);
  CHECK(back == data);
  const Buffer copy(harp_buffer_new(context.get(), HARP_F32, 2, shape, nullptr));
  CHECK(harp_buffer_copy(copy.get(), constant.get(), nullptr) == HARP_OK);
  CHECK(values<float>(copy.get()) == data);
  const int64_t nothing[] = {3, 0};
  const Buffer empty(harp_buffer_new(context.get(), HARP_I64, 2, nothing, nullptr));
  CHECK(harp_buffer_size(empty.get()) == 0);
  CHECK(harp_buffer_data(empty.get()) == nullptr);
}

TEST_CASE("H4.available H4.never_mixed: backends by name") {
  const Context context = make_context();
  CHECK(take(harp_context_backends(context.get(), nullptr)) == "interp\nc\n");
  CHECK(harp_backend_available(context.get(), "interp") == 1);
  CHECK(harp_backend_available(context.get(), "c") == 1);
  CHECK(harp_backend_available(context.get(), "cuda") == 0);
  const Graph graph = affine_graph(context.get());
  CHECK(take(harp_program_source(compile(graph.get(), "interp").get(), nullptr)).empty());
  CHECK(take(harp_program_source(compile(graph.get(), "c").get(), nullptr)).find("entry_point") != std::string::npos);
  const Context without = make_context([](auto& options) { options.compiler = "/nonexistent/cc"; });
  CHECK(harp_backend_available(without.get(), "interp") == 1);
  CHECK(harp_backend_available(without.get(), "c") == 0);
  CHECK(take(harp_context_describe(without.get(), nullptr)).find("/nonexistent/cc") != std::string::npos);
  const std::string described = take(harp_context_describe(context.get(), nullptr));
  for (const char* key : {"version: 0.1.0", "target: ", "compiler: /", "cache: off"}) CHECK(described.find(key) != std::string::npos);
}

TEST_CASE("X5.allocator: arrays come from the host, and running out of memory leaves everything usable") {
  struct Host {
    int left = -1, live = 0;
    size_t largest = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.alloc_user = &host;
    options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
      Host& h = *static_cast<Host*>(user);
      if (h.left == 0) return nullptr;
      if (h.left > 0) --h.left;
      ++h.live;
      h.largest = std::max(h.largest, size);
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void* user, void* memory) {
      --static_cast<Host*>(user)->live;
      std::free(memory);
    };
  });
  // Two outputs, and for c a workspace: the sum has to be stored before it is used again.
  const Graph graph = parse(context.get(), R"(harp 1
graph two(x: f32[n, 8]) flags=[broadcast] {
  s = sum(x, axes=[0], keepdims=true)
  return y = mul(x, s), z = contiguous(exp(s))
})");
  std::vector<float> data(40, 0.5f);
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    const Buffer x = wrap(context.get(), data, {5, 8});
    CHECK(run(program.get(), {x.get()}).size() == 2);
    CHECK(host.live == 0);
    CHECK(host.largest >= 160);
    int failures = 0;
    for (int allowed = 0; allowed < 10; ++allowed) {
      host.left = allowed;
      harp_buffer* outputs[2] = {nullptr, nullptr};
      harp_buffer* const inputs[] = {x.get()};
      ErrorSlot err;
      const harp_status status = harp_program_run(program.get(), 1, inputs, 2, outputs, nullptr, err);
      host.left = -1;
      if (status == HARP_OK) {
        harp_buffer_release(outputs[0]);
        harp_buffer_release(outputs[1]);
        break;
      }
      ++failures;
      CHECK(status == HARP_ERROR_OUT_OF_MEMORY);
      CHECK(outputs[0] == nullptr);
      CHECK(outputs[1] == nullptr);
      CHECK(host.live == 0);
    }
    CHECK(failures >= 2);
    CHECK(failures < 10);
  }
}

TEST_CASE("X5.allocator: where no memory is needed, none is asked for: an allocator may have no answer to 0 bytes") {
  const auto allocate = [](void* calls, size_t size) -> void* {
    if (size == 0) ++*static_cast<int*>(calls);
    return size == 0 ? nullptr : std::aligned_alloc(64, (size + 63) / 64 * 64);
  };
  int calls = 0;
  const Context context = make_context([&](auto& options) {
    options.alloc_user = &calls;
    options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
      if (size == 0) ++*static_cast<int*>(user);
      return size == 0 ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void*, void* memory) { std::free(memory); };
  });
  const Graph graph = parse(context.get(), "harp 1\ngraph rows(x: f32[n, 1024]) {\n  return y = softmax(x)\n}");
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    for (const int64_t rows : {0, 2}) {
      CAPTURE(rows);
      std::vector<float> data(static_cast<size_t>(rows) * 1024 + 1), result(data.size());
      const Buffer x = wrap(context.get(), data, {rows, 1024});
      CHECK(run(program.get(), {x.get()}).size() == 1);
      void *in[] = {data.data()}, *out[] = {result.data()};
      size_t sizes[] = {static_cast<size_t>(rows)};
      harp_runtime runtime = {};
      runtime.struct_size = sizeof runtime;
      runtime.self = &calls;
      runtime.alloc = allocate;
      runtime.free = [](void*, void* memory) { std::free(memory); };
      const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), nullptr);
      REQUIRE((entry != nullptr));
      CHECK(entry(in, out, sizes, &runtime) == HARP_OK);
      CHECK(entry(in, out, sizes, nullptr) == HARP_OK);
      CHECK(result[0] == (rows == 0 ? 0.0f : 1.0f / 1024));
      CHECK(calls == 0);
    }
  }
}

TEST_CASE("X5.log C1.spdlog: the host's log gets the stages of a compilation") {
  std::string text;
  const Context context = make_context([&](auto& options) {
    options.log = [](void* user, int32_t, const char* message, size_t size) { static_cast<std::string*>(user)->append(message, size); };
    options.log_user = &text;
    options.log_level = HARP_LOG_INFO;
    options.dump = "opt,schedule,ir,source";
  });
  const Graph graph = affine_graph(context.get());
  compile(graph.get(), "c");
  for (const char* stage : {"stage opt", "stage schedule", "stage ir", "stage c"}) {
    CAPTURE(stage);
    CHECK(text.find(stage) != std::string::npos);
  }
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

TEST_CASE("X5.parallel_for X2.threads/c: the host's threads run a program, with the same bits") {
  struct Host {
    size_t calls = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.parallel_for_user = &host;
    options.width = 3;
    options.parallel_for = [](void* user, size_t n, size_t grain, harp_range_body body, void* arg) {
      ++static_cast<Host*>(user)->calls;
      const size_t part = std::max((n + 2) / 3, grain);
      std::vector<std::thread> threads;
      for (size_t worker = 0; worker * part < n; ++worker)
        threads.emplace_back([=] { body(arg, worker * part, std::min(n, (worker + 1) * part), worker); });
      for (std::thread& thread : threads) thread.join();
    };
  });
  const Graph graph = parse(context.get(), R"(harp 1
graph rows(x: f32[n, m]) flags=[broadcast] {
  return y = exp(x), s = sum(x, axes=[1]), t = sum(x, axes=[0])
})");
  std::vector<float> data(2000 * 65);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 977) / 100 - 3;
  const Buffer x = wrap(context.get(), data, {2000, 65});
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {x.get()});
  const std::vector<Buffer> got = run(compile(graph.get(), "c").get(), {x.get()});
  REQUIRE(got.size() == 3);
  for (size_t i = 0; i < got.size(); ++i) CHECK(values<uint32_t>(got[i].get()) == values<uint32_t>(expected[i].get()));
  CHECK(host.calls > 0);
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
}

TEST_CASE("C1: layout of the structs that cross the boundary") {
#define OFFSET(type, field, offset) CHECK(offsetof(type, field) == offset)
  CHECK(sizeof(harp_context_options) == 144);
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
  CHECK(sizeof(harp_native_desc) == 56);
  OFFSET(harp_native_desc, name, 8);
  OFFSET(harp_native_desc, function, 16);
  OFFSET(harp_native_desc, user, 24);
  OFFSET(harp_native_desc, signature, 32);
  OFFSET(harp_native_desc, dtype, 40);
  OFFSET(harp_native_desc, rank, 44);
  OFFSET(harp_native_desc, dims, 48);
  CHECK(sizeof(harp_cache_stats_info) == 48);
  CHECK(sizeof(harp_compile_options) == 128);
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
  CHECK(sizeof(harp_run_options) == 48);
  CHECK(sizeof(harp_array_info) == 56);
  OFFSET(harp_array_info, n_in_place, 40);
  OFFSET(harp_array_info, in_place, 48);
  CHECK(sizeof(harp_shape_var_info) == 40);
  CHECK(sizeof(harp_program_stats_info) == 56);
  CHECK(sizeof(harp_runtime) == 88);
  OFFSET(harp_runtime, width, 16);
  OFFSET(harp_runtime, parallel_for, 24);
  OFFSET(harp_runtime, alloc, 32);
  OFFSET(harp_runtime, free, 40);
  OFFSET(harp_runtime, workspace, 48);
  OFFSET(harp_runtime, workspace_size, 56);
  OFFSET(harp_runtime, natives, 64);
  OFFSET(harp_runtime, step_cursor, 72);
  OFFSET(harp_runtime, fault, 80);
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
  CHECK(err.message().find("struct_size is 136") != std::string::npos);
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
  options.check_indices = 1;  // belongs to something else
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
  CHECK(stats.entries >= 1);  // what the compiler says about itself is kept too
  CHECK(stats.bytes > 1000);
  CHECK(stats.disk_hits == 1);
  CHECK(stats.misses == 0);
  CHECK(take(harp_cache_list(context.get(), nullptr)).find("a: f32[n, 3]") != std::string::npos);
  CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
  CHECK(take(harp_cache_list(context.get(), nullptr)).empty());
  CHECK(cache_of(compile(graph.get(), "c")) == HARP_CACHE_NONE);
  CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
  const std::string remove = std::string("rm -rf ") + path;
  CHECK(std::system(remove.c_str()) == 0);
}

TEST_CASE("X6.workspace_size X6.caller_memory: a run in the caller's memory") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), R"(harp 1
graph centre(x: f32[n, 8]) flags=[broadcast] {
  s = sum(x, axes=[0], keepdims=true)
  return y = mul(x, s)
})");
  const Program program = compile(graph.get(), "c");
  std::vector<float> data(80, 0.5f), out(80);
  const int64_t sizes[] = {10};
  size_t size = 0;
  REQUIRE(harp_program_workspace_size(program.get(), sizes, 1, &size, nullptr) == HARP_OK);
  CHECK(size >= 32);
  const Buffer x = wrap(context.get(), data, {10, 8}), y = wrap(context.get(), out, {10, 8});
  void* workspace = std::aligned_alloc(64, size);
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.workspace = workspace;
  options.workspace_size = size;
  harp_buffer* const inputs[] = {x.get()};
  harp_buffer* outputs[] = {y.get()};
  CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, nullptr) == HARP_OK);
  CHECK(out == std::vector<float>(80, 2.5f));
  std::free(workspace);
}

TEST_CASE("X6.workspace_size: each worker has scratch memory of its own") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph columns(x: f32[m, n]) { return y = sum(x, axes=[0]) }");
  const Program program = compile(graph.get(), "c");
  const int64_t sizes[] = {3, 5000};
  size_t one = 0, none = 0, four = 0, too_many = 0;
  REQUIRE(harp_program_workspace_size(program.get(), sizes, 1, &one, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), sizes, 0, &none, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), sizes, 4, &four, nullptr) == HARP_OK);
  CHECK(one > 0);
  CHECK(none == one);
  CHECK(four == 4 * one);
  CHECK(harp_program_workspace_size(program.get(), sizes, SIZE_MAX, &too_many, nullptr) == HARP_ERROR_OVERFLOW);
}

TEST_CASE("X5.no_own_threads: compiling and running leaves no thread behind") {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  const auto before = threads();
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  std::vector<float> a(3000, 1.0f), w(3, 2.0f);
  const Buffer ab = wrap(context.get(), a, {1000, 3}), wb = wrap(context.get(), w, {3});
  for (const char* backend : kBackends) {
    const Program program = compile(graph.get(), backend);
    CHECK(run(program.get(), {ab.get(), wb.get()}).size() == 1);
    CHECK(threads() == before);
  }
}

TEST_CASE("C1: threads share a context, programs and buffers") {
  const Context context = make_context();
  std::vector<std::thread> threads;
  std::vector<int> correct(4, 0);
  const Graph shared = affine_graph(context.get());
  for (size_t t = 0; t < correct.size(); ++t)
    threads.emplace_back([&, t] {
      std::vector<float> a(30, static_cast<float>(t)), w = {1, 2, 3};
      for (int round = 0; round < 20; ++round) {
        harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
        options.backend = round % 2 == 0 ? "interp" : "c";
        const Program program(harp_compile(shared.get(), &options, nullptr));
        const int64_t a_dims[] = {10, 3}, w_dims[] = {3};
        const Buffer ab(harp_buffer_wrap(context.get(), HARP_F32, 2, a_dims, a.data(), nullptr, nullptr, nullptr));
        const Buffer wb(harp_buffer_wrap(context.get(), HARP_F32, 1, w_dims, w.data(), nullptr, nullptr, nullptr));
        harp_buffer* const inputs[] = {ab.get(), wb.get()};
        harp_buffer* out = nullptr;
        if (harp_program_run(program.get(), 2, inputs, 1, &out, nullptr, nullptr) != HARP_OK) continue;
        const float expected = std::tanh(static_cast<float>(t) * 3 + 0.5f);
        correct[t] += std::abs(static_cast<const float*>(harp_buffer_const_data(out))[2] - expected) < 1e-6f;
        harp_buffer_release(out);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(correct == std::vector<int>(4, 20));
}
