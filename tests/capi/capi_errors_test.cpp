// Every misuse of the C API returns a status and a message that says what was expected and what was given. No output is written, and the
// context can still be used. Each case is one misuse.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

/// Checks the error that a graph keeps after `misuse`, and that later calls on the graph return NULL.
void check_sticks(const std::function<void(harp_graph*)>& misuse, harp_status code, const std::string& message, uint32_t flags = 0) {
  const Context context = make_context();
  const Graph g = make_graph(context.get(), flags);
  misuse(g.get());
  const harp_error* error = harp_graph_error(g.get());
  CHECK(harp_error_code(error) == code);
  CHECK_MESSAGE(std::string(harp_error_message(error)).find(message) != std::string::npos, std::string(harp_error_message(error)));
  CHECK(harp_constant(g.get(), HARP_F32, 1) == nullptr);
  CHECK(harp_dim_var(g.get(), "later", 0, 1) == HARP_DIM_INVALID);
  ErrorSlot err;
  CHECK(harp_compile(g.get(), nullptr, err) == nullptr);
  CHECK(err.code() == code);
  CHECK(err.message() == harp_error_message(error));
}

harp_node* input(harp_graph* g, const char* name, std::vector<harp_dim> dims, harp_dtype dtype = HARP_F32) {
  return harp_input(g, name, dtype, static_cast<int32_t>(dims.size()), dims.data());
}

void check_error(const ErrorSlot& err, harp_status code, const std::string& message) {
  CHECK(err.code() == code);
  CHECK_MESSAGE(err.message().find(message) != std::string::npos, err.message());
}

}  // namespace

TEST_CASE("G7.error: shapes that differ are both named, with the nodes") {
  const auto misuse = [](harp_graph* g) {
    harp_node* h = harp_node_set_name(input(g, "h", {harp_dim_var(g, "n", 0, 9), 64}), "h");
    CHECK(harp_add(h, input(g, "w", {32})) == nullptr);
  };
  for (const char* part : {"add", "[n, 64]", "[32]", "\"h\""}) check_sticks(misuse, HARP_ERROR_SHAPE, part);
}

TEST_CASE("C1: mistakes in building stick to the graph") {
  check_sticks([](harp_graph* g) { harp_mul(input(g, "a", {2}), input(g, "b", {3})); }, HARP_ERROR_SHAPE, "[3]", HARP_GRAPH_BROADCAST);
  check_sticks([](harp_graph* g) { harp_add(input(g, "a", {2}), input(g, "b", {2}, HARP_I32)); }, HARP_ERROR_DTYPE, "cast");
  check_sticks([](harp_graph* g) { harp_exp(input(g, "a", {2}, HARP_I32)); }, HARP_ERROR_DTYPE, "exp");
  check_sticks([](harp_graph* g) { harp_add(input(g, "a", {2}), nullptr); }, HARP_ERROR_INVALID_ARGUMENT, "add: operand 2 is NULL");
  check_sticks([](harp_graph* g) { harp_where(nullptr, nullptr, input(g, "a", {2})); }, HARP_ERROR_INVALID_ARGUMENT,
               "where: operand 1 is NULL");
  check_sticks([](harp_graph* g) { harp_output(g, "y", nullptr); }, HARP_ERROR_INVALID_ARGUMENT, "output \"y\": the node is NULL");
  check_sticks([](harp_graph* g) { harp_output(g, nullptr, input(g, "a", {2})); }, HARP_ERROR_INVALID_ARGUMENT, "name is NULL");
  check_sticks([](harp_graph* g) { harp_input(g, nullptr, HARP_F32, 0, nullptr); }, HARP_ERROR_INVALID_ARGUMENT, "name is NULL");
  check_sticks([](harp_graph* g) { harp_input(g, "a", HARP_F32, 2, nullptr); }, HARP_ERROR_INVALID_ARGUMENT, "NULL");
  check_sticks([](harp_graph* g) { harp_input(g, "a", 77, 0, nullptr); }, HARP_ERROR_DTYPE, "77 is not a dtype");
  check_sticks([](harp_graph* g) { input(g, "a", std::vector<harp_dim>(17, 1)); }, HARP_ERROR_SHAPE, "17");
  check_sticks([](harp_graph* g) { harp_input(g, "a", HARP_F32, -1, nullptr); }, HARP_ERROR_SHAPE, "-1");
  check_sticks([](harp_graph* g) { input(g, "a", {INT64_C(1) << 40, INT64_C(1) << 40}); }, HARP_ERROR_OVERFLOW, "a");
  check_sticks([](harp_graph* g) { input(g, "a", {-3}); }, HARP_ERROR_RANGE, "-3");
  check_sticks([](harp_graph* g) { input(g, "a", {2}), input(g, "a", {2}); }, HARP_ERROR_INVALID_ARGUMENT, "\"a\"");
  check_sticks(
      [](harp_graph* g) {
        const int32_t axis[] = {2};
        harp_sum(input(g, "a", {2, 3}), 1, axis, 0);
      },
      HARP_ERROR_SHAPE, "2");
  check_sticks(
      [](harp_graph* g) {
        const int32_t axes[] = {1, -1};
        harp_sum(input(g, "a", {2, 3}), 2, axes, 0);
      },
      HARP_ERROR_SHAPE, "sum");
  check_sticks([](harp_graph* g) { harp_permute(input(g, "a", {2, 3}), 2, nullptr); }, HARP_ERROR_INVALID_ARGUMENT, "axes is NULL");
  check_sticks([](harp_graph* g) { harp_permute(input(g, "a", {2, 3}), 99, nullptr); }, HARP_ERROR_SHAPE, "99");
  check_sticks(
      [](harp_graph* g) {
        const harp_dim d[] = {4, 2};
        harp_reshape(input(g, "a", {2, 3}), 2, d);
      },
      HARP_ERROR_SHAPE, "[4, 2]");
  check_sticks([](harp_graph* g) { harp_slice(input(g, "a", {2, 3}), 1, nullptr, nullptr, nullptr); }, HARP_ERROR_SHAPE, "slice");
  check_sticks(
      [](harp_graph* g) {
        const harp_dim d[] = {HARP_SLICE_NONE};
        harp_tile(input(g, "a", {2}), 1, d);
      },
      HARP_ERROR_INVALID_ARGUMENT, "HARP_SLICE_NONE");
  check_sticks([](harp_graph* g) { harp_constant(g, HARP_I32, 2.5); }, HARP_ERROR_RANGE, "2.5 does not fit i32");
  check_sticks([](harp_graph* g) { harp_constant(g, HARP_F32, 1e300); }, HARP_ERROR_RANGE, "does not fit f32");
  check_sticks([](harp_graph* g) { harp_constant(g, HARP_BOOL, 2); }, HARP_ERROR_RANGE, "does not fit bool");
  check_sticks([](harp_graph* g) { harp_constant_i64(g, HARP_I32, INT64_C(1) << 31); }, HARP_ERROR_RANGE, "2147483648 does not fit i32");
  check_sticks([](harp_graph* g) { harp_constant_u64(g, HARP_I64, UINT64_MAX); }, HARP_ERROR_RANGE, "does not fit i64");
  check_sticks(
      [](harp_graph* g) {
        const harp_dim d[] = {2};
        harp_constant_array(g, HARP_F32, 1, d, 8, nullptr);
      },
      HARP_ERROR_INVALID_ARGUMENT, "data is NULL");
  check_sticks(
      [](harp_graph* g) {
        const harp_dim d[] = {harp_dim_var(g, "n", 0, 1)};
        harp_constant_array(g, HARP_F32, 1, d, 4, "data");
      },
      HARP_ERROR_SHAPE, "[n]");
  check_sticks([](harp_graph* g) { harp_dim_var(g, "n", 3, 2); }, HARP_ERROR_RANGE, "n in 3..2");
  check_sticks([](harp_graph* g) { harp_dim_var(g, "n", 0, 2), harp_dim_var(g, "n", 0, 3); }, HARP_ERROR_INVALID_ARGUMENT, "n");
  check_sticks([](harp_graph* g) { harp_dim_var(g, nullptr, 0, 2); }, HARP_ERROR_INVALID_ARGUMENT, "name is NULL");
  check_sticks([](harp_graph* g) { harp_dim_add(g, HARP_DIM_INVALID, 1); }, HARP_ERROR_INVALID_ARGUMENT, "HARP_DIM_INVALID");
  check_sticks([](harp_graph* g) { harp_dim_mul(g, INT64_C(1) << 40, INT64_C(1) << 40); }, HARP_ERROR_OVERFLOW, "does not fit 64 bits");
  check_sticks([](harp_graph* g) { harp_split(input(g, "a", {7}), 2, 0, nullptr); }, HARP_ERROR_INVALID_ARGUMENT,
               "array of results is NULL");
  check_sticks(
      [](harp_graph* g) {
        harp_node* p[2];
        harp_split(input(g, "a", {7}), 2, 0, p);
      },
      HARP_ERROR_SHAPE, "split");
  check_sticks([](harp_graph* g) { harp_gelu(input(g, "a", {7}), "exact"); }, HARP_ERROR_INVALID_ARGUMENT, "exact");
  check_sticks([](harp_graph* g) { harp_pad(input(g, "a", {7}), 0, nullptr, nullptr, nullptr, nullptr); }, HARP_ERROR_SHAPE, "pad");
  check_sticks([](harp_graph* g) { harp_div(input(g, "a", {7}, HARP_I32), input(g, "b", {7}, HARP_I32)); }, HARP_ERROR_DTYPE,
               "floor_divide");
}

TEST_CASE("C1: the first mistake stays, with its message") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  harp_node* a = input(g.get(), "a", {2});
  CHECK(harp_constant(g.get(), HARP_I32, 0.5) == nullptr);
  const std::string first = harp_error_message(harp_graph_error(g.get()));
  CHECK(harp_exp(a) == nullptr);
  CHECK(harp_output(g.get(), "y", a) == HARP_ERROR_RANGE);
  CHECK(harp_node_set_name(a, "name") == nullptr);
  CHECK(harp_dim_add(g.get(), 1, 2) == HARP_DIM_INVALID);
  CHECK(harp_error_message(harp_graph_error(g.get())) == first);
}

TEST_CASE("C1: nodes and sizes of another graph") {
  const Context context = make_context();
  const Graph one = make_graph(context.get()), two = make_graph(context.get());
  CHECK(harp_graph_set_name(two.get(), "two", nullptr) == HARP_OK);
  CHECK(harp_add(input(one.get(), "a", {2}), input(two.get(), "b", {2})) == nullptr);
  for (const Graph* g : {&one, &two}) {
    CHECK(harp_error_code(harp_graph_error(g->get())) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(std::string(harp_error_message(harp_graph_error(g->get()))).find("different graphs") != std::string::npos);
  }
  const Graph three = make_graph(context.get()), four = make_graph(context.get());
  CHECK(harp_output(four.get(), "y", input(three.get(), "a", {2})) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(harp_graph_error(three.get()) != nullptr);
  const Graph five = make_graph(context.get()), six = make_graph(context.get());
  const harp_dim n = harp_dim_var(five.get(), "n", 0, 9);
  CHECK(harp_dim_var(six.get(), "n", 0, 9) != n);
  CHECK(input(six.get(), "a", {n}) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(six.get()))).find("another graph") != std::string::npos);
}

TEST_CASE("C1: NULL handles") {
  const Context context = make_context();
  CHECK(harp_exp(nullptr) == nullptr);
  CHECK(harp_concat(0, nullptr, 0) == nullptr);
  CHECK(harp_input(nullptr, "x", HARP_F32, 0, nullptr) == nullptr);
  CHECK(harp_output(nullptr, "x", nullptr) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(harp_split(nullptr, 2, 0, nullptr) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(harp_graph_error(nullptr) == nullptr);
  CHECK(harp_node_rank(nullptr) == 0);
  CHECK(harp_node_dtype(nullptr) == 0);
  CHECK(harp_node_graph(nullptr) == nullptr);
  CHECK(harp_node_set_name(nullptr, "x") == nullptr);
  CHECK(harp_backend_available(nullptr, "c") == 0);
  CHECK(harp_backend_available(context.get(), nullptr) == 0);
  CHECK(harp_buffer_data(nullptr) == nullptr);
  CHECK(harp_buffer_const_data(nullptr) == nullptr);
  CHECK(harp_buffer_size(nullptr) == 0);
  CHECK(harp_buffer_rank(nullptr) == 0);
  CHECK(harp_buffer_device(nullptr) == nullptr);
  CHECK(harp_buffer_dtype(nullptr) == 0);
  CHECK(harp_buffer_dims(nullptr) == nullptr);
  CHECK(harp_program_input_count(nullptr) == 0);
  CHECK(harp_program_output_count(nullptr) == 0);
  CHECK(harp_program_shape_var_count(nullptr) == 0);
#define GIVES_ERROR(call)                                  \
  do {                                                     \
    ErrorSlot err;                                         \
    CHECK(!(call));                                        \
    check_error(err, HARP_ERROR_INVALID_ARGUMENT, "NULL"); \
  } while (0)
  GIVES_ERROR(harp_graph_new(nullptr, 0, err));
  GIVES_ERROR(harp_context_backends(nullptr, err));
  GIVES_ERROR(harp_context_describe(nullptr, err));
  GIVES_ERROR(harp_cache_dir(nullptr, err));
  GIVES_ERROR(harp_cache_list(nullptr, err));
  GIVES_ERROR(harp_cache_clear(nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_cache_stats(nullptr, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_cache_stats(context.get(), nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_graph_set_name(nullptr, "x", err) == HARP_OK);
  GIVES_ERROR(harp_graph_parse(nullptr, 0, "", err));
  GIVES_ERROR(harp_graph_parse(context.get(), 1, nullptr, err));
  GIVES_ERROR(harp_graph_print(nullptr, err));
  GIVES_ERROR(harp_graph_dot(nullptr, err));
  GIVES_ERROR(harp_graph_emit(nullptr, nullptr, "c", err));
  GIVES_ERROR(harp_dim_print(nullptr, 1, err));
  GIVES_ERROR(harp_node_dims(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_compile(nullptr, nullptr, err));
  GIVES_ERROR(harp_program_run(nullptr, 0, nullptr, 0, nullptr, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_signature(nullptr, err));
  GIVES_ERROR(harp_program_source(nullptr, err));
  GIVES_ERROR(harp_program_entry(nullptr, err) != nullptr);
  GIVES_ERROR(harp_program_entry_ex(nullptr, err) != nullptr);
  GIVES_ERROR(harp_program_stats(nullptr, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_input(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_output(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_shape_var(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_output_dims(nullptr, 0, 0, nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_program_workspace_size(nullptr, 0, nullptr, 1, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_buffer_new(nullptr, nullptr, HARP_F32, 0, nullptr, err));
  GIVES_ERROR(harp_buffer_new(context.get(), nullptr, HARP_F32, 1, nullptr, err));
  GIVES_ERROR(harp_buffer_read(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_buffer_write(nullptr, 0, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_buffer_copy(nullptr, nullptr, err) == HARP_OK);
  GIVES_ERROR(harp_npy_load(context.get(), nullptr, err));
  GIVES_ERROR(harp_npy_save(nullptr, "x", err) == HARP_OK);
#undef GIVES_ERROR
}

TEST_CASE("C1: an error that is already there is left alone") {
  ErrorSlot err;
  CHECK(harp_graph_new(nullptr, 0, err) == nullptr);
  const std::string first = err.message();
  CHECK(harp_compile(nullptr, nullptr, err) == nullptr);
  CHECK(err.message() == first);
}

TEST_CASE("C1: context options that make no sense") {
  const auto fails = [](std::function<void(harp_context_options&)> change, harp_status code, const char* message) {
    harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
    change(options);
    ErrorSlot err;
    CHECK(harp_context_new(&options, err) == nullptr);
    check_error(err, code, message);
  };
  fails([](auto& o) { o.dump = "opt,asm"; }, HARP_ERROR_INVALID_ARGUMENT, "harp_context_options: unknown stage \"asm\"");
  fails([](auto& o) { o.threads = 1025; }, HARP_ERROR_INVALID_ARGUMENT, "threads is 1025, outside 0..1024");
  fails([](auto& o) { o.threads = -1; }, HARP_ERROR_INVALID_ARGUMENT, "threads is -1");
  fails([](auto& o) { o.alloc = [](void*, size_t, size_t) -> void* { return nullptr; }; }, HARP_ERROR_INVALID_ARGUMENT, "alloc and free");
  fails([](auto& o) { o.parallel_for = [](void*, size_t, size_t, harp_range_body, void*) {}; }, HARP_ERROR_INVALID_ARGUMENT, "width");
  fails([](auto& o) { o.parallel_for = [](void*, size_t, size_t, harp_range_body, void*) {}, o.width = o.threads = 2; },
        HARP_ERROR_INVALID_ARGUMENT, "parallel_for and threads are both given");
  fails([](auto& o) { o.log = [](void*, int32_t, const char*, size_t) {}, o.log_level = 9; }, HARP_ERROR_INVALID_ARGUMENT,
        "log_level is 9");
  fails([](auto& o) { o.compile_timeout_ms = -5; }, HARP_ERROR_INVALID_ARGUMENT, "compile_timeout_ms is -5");
  fails([](auto& o) { o.compilers = -1; }, HARP_ERROR_INVALID_ARGUMENT, "compilers is -1, outside 0..1024");
  fails([](auto& o) { o.compiler_nice = 20; }, HARP_ERROR_INVALID_ARGUMENT, "compiler_nice is 20, outside 0..19");
  fails([](auto& o) { o.reserved = 1; }, HARP_ERROR_INVALID_ARGUMENT, "reserved");
  fails([](auto& o) { o.struct_size = 8; }, HARP_ERROR_INVALID_ARGUMENT, "struct_size is 8");
  ErrorSlot err;
  const Context context = make_context();
  CHECK(harp_graph_new(context.get(), 64, err) == nullptr);
  check_error(err, HARP_ERROR_INVALID_ARGUMENT, "unknown flags 64");
}

TEST_CASE("C1: compile options that make no sense") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  harp_output(g.get(), "y", harp_exp(input(g.get(), "x", {harp_dim_var(g.get(), "n", 1, 9)})));
  const auto fails = [&](std::function<void(harp_compile_options&)> change, harp_status code, const char* message) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    change(options);
    ErrorSlot err;
    CHECK(harp_compile(g.get(), &options, err) == nullptr);
    check_error(err, code, message);
  };
  const char* const names[] = {"m"};
  const char* const n[] = {"n"};
  const char* const null_name[] = {nullptr};
  const int64_t values[] = {99};
  fails([](auto& o) { o.backend = "abacus"; }, HARP_ERROR_INVALID_ARGUMENT, "unknown backend \"abacus\"");
  fails([](auto& o) { o.math = 2; }, HARP_ERROR_UNSUPPORTED, "math level 2");
  fails([](auto& o) { o.simd_width = 3; }, HARP_ERROR_INVALID_ARGUMENT, "simd_width is 3");
  fails([](auto& o) { o.target = "z80"; }, HARP_ERROR_INVALID_ARGUMENT, "unknown target \"z80\"");
  fails([&](auto& o) { o.n_disabled_passes = 1, o.disabled_passes = names; }, HARP_ERROR_INVALID_ARGUMENT, "unknown optimiser pass \"m\"");
  fails([](auto& o) { o.n_flags = 1; }, HARP_ERROR_INVALID_ARGUMENT, "flags is NULL");
  fails([&](auto& o) { o.n_flags = 1, o.flags = null_name; }, HARP_ERROR_INVALID_ARGUMENT, "flags[0] is NULL");
  const char* const fast[] = {"-g", "-ffast-math"};
  fails([&](auto& o) { o.n_flags = 2, o.flags = fast; }, HARP_ERROR_INVALID_ARGUMENT,
        "the flag -ffast-math enables unsafe floating-point optimisations, which math level stable (HARP_MATH_STABLE) forbids");
  const char* const unseen[] = {"@fast.txt"};
  fails([&](auto& o) { o.n_flags = 1, o.flags = unseen; }, HARP_ERROR_INVALID_ARGUMENT,
        "the flag @fast.txt adds flags or code that harp cannot check, which math level stable (HARP_MATH_STABLE) forbids");
  fails([&](auto& o) { o.n_specialize = 1, o.specialize_names = names, o.specialize_values = values; }, HARP_ERROR_INVALID_ARGUMENT,
        "\"m\"");
  fails([&](auto& o) { o.n_specialize = 1, o.specialize_names = n, o.specialize_values = values; }, HARP_ERROR_RANGE,
        "n is 99, outside 1..9");
  fails([&](auto& o) { o.n_specialize = 1, o.specialize_names = n; }, HARP_ERROR_INVALID_ARGUMENT, "specialize_values is NULL");
  fails([](auto& o) { o.dump = "opt,asm"; }, HARP_ERROR_INVALID_ARGUMENT, "unknown stage \"asm\"");
  fails([](auto& o) { o.reserved = 1; }, HARP_ERROR_INVALID_ARGUMENT, "reserved");
  fails([](auto& o) { o.schedule = "no schedule at all"; }, HARP_ERROR_PARSE, "");
  fails([](auto& o) { o.compiler = "/nonexistent/cc"; }, HARP_ERROR_COMPILER, "/nonexistent/cc");
  const char* const flags[] = {"-fno-such-flag"};
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.n_flags = 1;
  options.flags = flags;
  harp_error* error = nullptr;
  CHECK(harp_compile(g.get(), &options, &error) == nullptr);
  const Error owner(error);
  CHECK(harp_error_code(error) == HARP_ERROR_COMPILER);
  CHECK(std::string(harp_error_compiler_output(error)).find("-fno-such-flag") != std::string::npos);
  ErrorSlot err;
  CHECK(harp_graph_emit(g.get(), nullptr, "assembly", err) == nullptr);
  check_error(err, HARP_ERROR_INVALID_ARGUMENT, "assembly");
  const Graph empty = make_graph(context.get());
  ErrorSlot no_output;
  CHECK(harp_compile(empty.get(), nullptr, no_output) == nullptr);
  check_error(no_output, HARP_ERROR_INVALID_ARGUMENT, "no output");
  CHECK(compile(g.get(), "interp") != nullptr);  // the context can still be used
}

TEST_CASE("H4.available: without a compiler, c names every command it tried and interp runs") {
  const Context context = make_context([](auto& options) { options.compiler = "no-such-compiler --flag"; });
  const Graph g = make_graph(context.get());
  harp_output(g.get(), "y", harp_neg(input(g.get(), "x", {2})));
  ErrorSlot err;
  CHECK(harp_compile(g.get(), nullptr, err) == nullptr);
  check_error(err, HARP_ERROR_COMPILER, "no-such-compiler");
  std::vector<float> x = {1, 2};
  const Buffer xb = wrap(context.get(), x, {2});
  const std::vector<Buffer> out = run(compile(g.get(), "interp").get(), {xb.get()});
  REQUIRE(out.size() == 1);
  CHECK(values<float>(out[0].get()) == std::vector<float>{-1, -2});
}

TEST_CASE("C1: a compiler that hangs is stopped, and a cache that cannot be written does no harm") {
  char path[] = "/tmp/harp-hang-XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  const std::string directory = path, script = directory + "/slow cc";
  std::ofstream(script) << "#!/bin/sh\ncase \"$*\" in *--version*) echo 'gcc 12.0'; exit 0;; esac\nsleep 100\n";
  REQUIRE(chmod(script.c_str(), 0755) == 0);
  const std::string command = "'" + script + "'";
  const Context slow = make_context([&](auto& options) {
    options.compiler = command.c_str();
    options.compile_timeout_ms = 300;
  });
  const auto graph_in = [](harp_context* context) {
    Graph g = make_graph(context);
    harp_output(g.get(), "y", harp_neg(input(g.get(), "x", {2})));
    return g;
  };
  ErrorSlot err;
  CHECK(harp_compile(graph_in(slow.get()).get(), nullptr, err) == nullptr);
  check_error(err, HARP_ERROR_COMPILER, "slow cc");

  std::string log;
  const std::string no_directory = script + "/cache";  // cannot be created, because `script` is a file
  const Context uncached = make_context([&](auto& options) {
    options.cache_dir = no_directory.c_str();
    options.log_user = &log;
    options.log_level = HARP_LOG_WARNING;
    options.log = [](void* user, int32_t, const char* text, size_t size) { static_cast<std::string*>(user)->append(text, size); };
  });
  std::vector<float> x = {1, 2};
  const Buffer xb = wrap(uncached.get(), x, {2});
  CHECK(run(compile(graph_in(uncached.get()).get(), "c").get(), {xb.get()}).size() == 1);
  CHECK(take(harp_cache_dir(uncached.get(), nullptr)).empty());
  CHECK_MESSAGE(log.find("cache") != std::string::npos, log);
  unlink(script.c_str());
  rmdir(path);
}

TEST_CASE("C1: runs that do not fit, outputs untouched") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 2, 10);
  harp_node* a = input(g.get(), "a", {n, 3});
  harp_node* b = input(g.get(), "b", {harp_dim_mul(g.get(), n, 2)});
  harp_node* c = input(g.get(), "c", {n});
  harp_output(g.get(), "y", harp_exp(a));
  harp_output(g.get(), "z", harp_add(harp_sum(b, 0, nullptr, 0), harp_sum(c, 0, nullptr, 0)));
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(g.get(), backend);
    std::vector<float> data(64, 1.0f), out(64, 7.0f), scalar(1, 7.0f);
    std::vector<double> doubles(64);
    const auto f = [&](std::vector<int64_t> dims) { return wrap(context.get(), data, std::move(dims)); };
    const Buffer good_a = f({4, 3}), good_b = f({8}), good_c = f({4}), y = wrap(context.get(), out, {4, 3}),
                 z = wrap(context.get(), scalar, {});
    const auto fails = [&](std::vector<harp_buffer*> inputs, std::vector<harp_buffer*> outputs, harp_status code, const char* message,
                           const harp_run_options* options = nullptr) {
      ErrorSlot err;
      CHECK(harp_program_run(program.get(), inputs.size(), inputs.data(), outputs.size(), outputs.data(), options, err) == code);
      check_error(err, code, message);
      CHECK(out == std::vector<float>(64, 7.0f));
      CHECK(scalar[0] == 7.0f);
    };
    const std::vector<harp_buffer*> in = {good_a.get(), good_b.get(), good_c.get()}, to = {y.get(), z.get()};
    fails({good_a.get()}, to, HARP_ERROR_INVALID_ARGUMENT, "has 3 inputs, but got 1");
    fails(in, {y.get()}, HARP_ERROR_INVALID_ARGUMENT, "has 2 outputs, but got 1");
    fails({good_a.get(), nullptr, good_c.get()}, to, HARP_ERROR_INVALID_ARGUMENT, "input 1 is NULL");
    fails({f({5, 3}).get(), good_b.get(), good_c.get()}, to, HARP_ERROR_SHAPE,
          "shape variable n would be both 5 (axis 0 of input \"a\") and 4 (axis 0 of input \"c\")");
    fails({good_a.get(), f({9}).get(), good_c.get()}, to, HARP_ERROR_SHAPE, "axis 0 must be 8 (2*n with n = 4 from axis 0 of input \"a\")");
    fails({f({4, 4}).get(), good_b.get(), good_c.get()}, to, HARP_ERROR_SHAPE, "axis 1 must be 3");
    fails({f({4}).get(), good_b.get(), good_c.get()}, to, HARP_ERROR_SHAPE, "rank 2");
    fails({f({1, 3}).get(), f({2}).get(), f({1}).get()}, to, HARP_ERROR_RANGE, "n is 1 (axis 0 of input \"a\"), outside 2..10");
    const Buffer wide = wrap(context.get(), doubles, {4, 3});
    fails({wide.get(), good_b.get(), good_c.get()}, to, HARP_ERROR_DTYPE, "f32[n, 3], but got f64[4, 3]");
    fails(in, {f({4, 2}).get(), z.get()}, HARP_ERROR_SHAPE, "output \"y\": expected f32[n, 3], but got f32[4, 2]");
    fails(in, {wide.get(), z.get()}, HARP_ERROR_DTYPE, "output \"y\"");
    fails(in, {f({4, 3, 1}).get(), z.get()}, HARP_ERROR_SHAPE, "rank 2");
    fails(in, {good_a.get(), z.get()}, HARP_ERROR_ALIAS, "output \"y\" overlaps input");
    std::vector<float> shared(16);
    const int64_t none[] = {0};
    const Buffer y2 = wrap(context.get(), shared, {4, 3});
    const Buffer inside(harp_buffer_wrap(context.get(), HARP_F32, 0, none, shared.data() + 11, nullptr, nullptr, nullptr));
    fails(in, {y2.get(), inside.get()}, HARP_ERROR_ALIAS, "output \"z\" overlaps output \"y\" by 4 bytes");
    const int64_t shape[] = {4, 3};
    const Buffer constant(harp_buffer_wrap_const(context.get(), HARP_F32, 2, shape, out.data(), nullptr, nullptr, nullptr));
    fails(in, {constant.get(), z.get()}, HARP_ERROR_INVALID_ARGUMENT, "is read-only");
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    const char* names[] = {"k"};
    const int64_t values[] = {3};
    options.n_shape_vars = 1;
    fails(in, to, HARP_ERROR_INVALID_ARGUMENT, "shape_var_names", &options);
    options.shape_var_names = names;
    options.shape_var_values = values;
    fails(in, to, HARP_ERROR_INVALID_ARGUMENT, "no shape variable \"k\"", &options);
    names[0] = "n";
    fails(in, to, HARP_ERROR_SHAPE, "n is given as 3, but is 4 (axis 0 of input \"a\")", &options);
    options = HARP_RUN_OPTIONS_INIT;
    options.workspace = reinterpret_cast<char*>(data.data()) + 1;
    fails(in, to, HARP_ERROR_INVALID_ARGUMENT, "aligned to 64 bytes", &options);

    harp_array_info info = HARP_ARRAY_INFO_INIT;
    ErrorSlot err;
    CHECK(harp_program_input(program.get(), 3, &info, err) == HARP_ERROR_INVALID_ARGUMENT);
    check_error(err, HARP_ERROR_INVALID_ARGUMENT, "index 3, but there are 3");
    const int64_t too_large[] = {11};
    int64_t dims[2];
    ErrorSlot range;
    CHECK(harp_program_output_dims(program.get(), 0, 1, too_large, 2, dims, range) == HARP_ERROR_RANGE);
    check_error(range, HARP_ERROR_RANGE, "n is 11 (shape_vars[0]), outside 2..10");
    const int64_t least[] = {INT64_MIN};
    ErrorSlot negative;
    CHECK(harp_program_output_dims(program.get(), 0, 1, least, 2, dims, negative) == HARP_ERROR_RANGE);
    check_error(negative, HARP_ERROR_RANGE, "n is -9223372036854775808 (shape_vars[0]), outside 2..10");
    ErrorSlot missing;
    CHECK(harp_program_output_dims(program.get(), 0, 1, nullptr, 2, dims, missing) == HARP_ERROR_INVALID_ARGUMENT);
    ErrorSlot too_many, rank, width;
    const int64_t fits[] = {4, 4};
    size_t bytes = 0;
    CHECK(harp_program_output_dims(program.get(), 0, 2, fits, 2, dims, too_many) == HARP_ERROR_INVALID_ARGUMENT);
    check_error(too_many, HARP_ERROR_INVALID_ARGUMENT, "n_shape_vars is 2, but the program has 1");
    CHECK(harp_program_output_dims(program.get(), 0, 1, fits, 1, dims, rank) == HARP_ERROR_SHAPE);
    check_error(rank, HARP_ERROR_SHAPE, "rank is 1, but output 0 has 2 axes");
    CHECK(harp_program_workspace_size(program.get(), 0, nullptr, 1, &bytes, width) == HARP_ERROR_INVALID_ARGUMENT);
    check_error(width, HARP_ERROR_INVALID_ARGUMENT, "n_shape_vars is 0, but the program has 1");
  }
}

TEST_CASE("G16.dims: sizes that only some values of the variables allow") {
  const Context context = make_context();
  const Graph g =
      parse(context.get(),
            "harp 1\ngraph g(x: f32[n]) {\n  shape k in 0..100\n  return y = slice(x, start=[2], stop=[-1]), z = arange(n=k - 5)\n}\n");
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    std::vector<float> data(4);
    const Buffer x = wrap(context.get(), data, {4});
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    const char* const names[] = {"k"};
    int64_t values[] = {3};
    ErrorSlot missing;
    run(program.get(), {x.get()}, missing);
    check_error(missing, HARP_ERROR_INVALID_ARGUMENT, "no input axis determines shape variable k: pass its value by name");
    options.n_shape_vars = 1;
    options.shape_var_names = names;
    options.shape_var_values = values;
    ErrorSlot err;
    run(program.get(), {x.get()}, err, &options);
    check_error(err, HARP_ERROR_RANGE, "k = 3");
    values[0] = 8;
    CHECK(run(program.get(), {x.get()}, nullptr, &options).size() == 2);
  }
}

TEST_CASE("C1: buffers that make no sense") {
  const Context context = make_context();
  const int64_t shape[] = {2, 3}, negative[] = {2, -3}, huge[] = {INT64_MAX, 3};
  float data[6] = {};
  const auto fails = [](harp_buffer* buffer, const ErrorSlot& err, harp_status code, const char* message) {
    CHECK(buffer == nullptr);
    check_error(err, code, message);
  };
  const auto with = [&](auto call, harp_status code, const char* message) {
    ErrorSlot err;
    harp_buffer* buffer = call(static_cast<harp_error**>(err));
    fails(buffer, err, code, message);
  };
  harp_context* c = context.get();
  with([&](auto e) { return harp_buffer_new(c, nullptr, 16, 2, shape, e); }, HARP_ERROR_DTYPE, "16 is not a dtype");
  with([&](auto e) { return harp_buffer_new(c, "tape", HARP_F32, 2, shape, e); }, HARP_ERROR_DEVICE,
       "unknown device \"tape\", expected one of: cpu");
  with([&](auto e) { return harp_buffer_new(c, nullptr, HARP_F32, 17, shape, e); }, HARP_ERROR_SHAPE, "rank is 17");
  with([&](auto e) { return harp_buffer_new(c, nullptr, HARP_F32, 2, negative, e); }, HARP_ERROR_RANGE, "[2, -3]");
  with([&](auto e) { return harp_buffer_new(c, nullptr, HARP_F32, 2, huge, e); }, HARP_ERROR_OVERFLOW, "63 bits");
  const Context poor = make_context([](auto& options) {
    options.alloc = [](void*, size_t, size_t) -> void* { return nullptr; };
    options.free = [](void*, void*) {};
  });
  with([&](auto e) { return harp_buffer_new(poor.get(), nullptr, HARP_F32, 2, shape, e); }, HARP_ERROR_OUT_OF_MEMORY, "refused 24 bytes");
  const Context crooked = make_context([](auto& options) {
    options.alloc = [](void*, size_t, size_t) -> void* { return reinterpret_cast<void*>(uintptr_t{8}); };
    options.free = [](void*, void*) {};
  });
  with([&](auto e) { return harp_buffer_new(crooked.get(), nullptr, HARP_F32, 2, shape, e); }, HARP_ERROR_OUT_OF_MEMORY, "aligned to 64");
  int deleted = 0;
  const auto count = [](void* user, void*) { ++*static_cast<int*>(user); };
  with([&](auto e) { return harp_buffer_wrap(c, HARP_F32, 2, shape, nullptr, count, &deleted, e); }, HARP_ERROR_INVALID_ARGUMENT, "NULL");
  with([&](auto e) { return harp_buffer_wrap(c, HARP_F32, 2, shape, reinterpret_cast<char*>(data) + 1, count, &deleted, e); },
       HARP_ERROR_INVALID_ARGUMENT, "aligned to 4 bytes");
  CHECK(deleted == 0);

  const Buffer buffer(harp_buffer_new(c, nullptr, HARP_F32, 2, shape, nullptr)),
      other(harp_buffer_new(c, nullptr, HARP_F32, 1, shape, nullptr)), ints(harp_buffer_new(c, nullptr, HARP_I32, 2, shape, nullptr)),
      constant(harp_buffer_wrap_const(c, HARP_F32, 2, shape, data, nullptr, nullptr, nullptr));
  ErrorSlot size, read_only, rank, dtype;
  CHECK(harp_buffer_read(buffer.get(), 20, data, size) == HARP_ERROR_INVALID_ARGUMENT);
  check_error(size, HARP_ERROR_INVALID_ARGUMENT, "has 24 bytes, but size is 20");
  CHECK(harp_buffer_write(constant.get(), 24, data, read_only) == HARP_ERROR_INVALID_ARGUMENT);
  check_error(read_only, HARP_ERROR_INVALID_ARGUMENT, "is read-only");
  CHECK(harp_buffer_copy(buffer.get(), other.get(), rank) == HARP_ERROR_SHAPE);
  CHECK(harp_buffer_copy(buffer.get(), ints.get(), dtype) == HARP_ERROR_DTYPE);
}

TEST_CASE("G16.dims: byte counts are those of each array's own dtype, and the error names array, shape and limit") {
  const Context context = make_context();
  // An array of 2^60 elements of one byte has a valid size. With elements of eight bytes the size would overflow.
  const Graph fixed = parse(context.get(), R"(graph g(x: bool[1]) {
  big = expand(x, [1152921504606846976])
  return y = slice(big, start=[0], stop=[3])
})");
  const Graph open = parse(context.get(), R"(graph g(x: bool[1, 1]) {
  shape n in 0..4611686018427387904, m in 0..4611686018427387904
  big = expand(x, [n, m])
  wide = cast(big, dtype=i64)
  return y = slice(big, start=[0, 0], stop=[3, 3]), z = slice(wide, start=[0, 0], stop=[1, 1])
})");
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program small = compile(fixed.get(), backend), sized = compile(open.get(), backend);
    int64_t dims[2] = {0, 0};
    CHECK(harp_program_output_dims(small.get(), 0, 0, nullptr, 1, dims, nullptr) == HARP_OK);
    CHECK(dims[0] == 3);
    const int64_t least[] = {INT64_C(1) << 29, INT64_C(1) << 30}, wide[] = {INT64_C(1) << 30, INT64_C(1) << 30},
                  empty[] = {0, INT64_C(1) << 62}, greatest[] = {INT64_C(1) << 62, INT64_C(1) << 62};
    CHECK(harp_program_output_dims(sized.get(), 0, 2, least, 2, dims, nullptr) == HARP_OK);
    CHECK(harp_program_output_dims(sized.get(), 0, 2, empty, 2, dims, nullptr) == HARP_OK);
    ErrorSlot wide_error, greatest_error;
    CHECK(harp_program_output_dims(sized.get(), 0, 2, wide, 2, dims, wide_error) == HARP_ERROR_OVERFLOW);
    CHECK(wide_error.message() ==
          "\"wide\" (cast i64[n, m]) would have more than 9223372036854775807 bytes (n = 1073741824, m = 1073741824)");
    CHECK(harp_program_output_dims(sized.get(), 0, 2, greatest, 2, dims, greatest_error) == HARP_ERROR_OVERFLOW);
    CHECK(greatest_error.message().starts_with("\"big\" (expand bool[n, m]) would have more than 9223372036854775807 bytes"));

    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    const char* const names[] = {"n", "m"};
    options.backend = backend;
    options.n_specialize = 2;
    options.specialize_names = names;
    options.specialize_values = wide;
    ErrorSlot error;
    CHECK(harp_compile(open.get(), &options, error) == nullptr);
    CHECK(error.code() == HARP_ERROR_OVERFLOW);
    CHECK(error.message().find("\"wide\" (cast i64[1073741824, 1073741824]) would have more than") != std::string::npos);
  }
}

TEST_CASE("C1: texts that do not parse") {
  const Context context = make_context();
  const auto fails = [&](const std::string& text, harp_status code, const char* message) {
    ErrorSlot err;
    CHECK(harp_graph_parse(context.get(), text.size(), text.data(), err) == nullptr);
    check_error(err, code, message);
  };
  fails("graph g(x: f32[2]) {\n  return y = frobnicate(x)\n}\n", HARP_ERROR_PARSE, "frobnicate");
  fails("harp 99\n", HARP_ERROR_PARSE, "99");
  fails("graph g(x: f32[2], z: f32[3]) {\n  return y = x + z\n}\n", HARP_ERROR_SHAPE, "[3]");
  fails("", HARP_ERROR_PARSE, "");
}

TEST_CASE("C1: files that cannot be read or written") {
  const Context context = make_context();
  char path[] = "/tmp/harp-npy-XXXXXX";
  REQUIRE(mkdtemp(path) != nullptr);
  const std::string directory = path, file = directory + "/a.npy";
  ErrorSlot missing, is_directory, garbage, nowhere;
  CHECK(harp_npy_load(context.get(), file.c_str(), missing) == nullptr);
  check_error(missing, HARP_ERROR_IO, "No such file or directory");
  CHECK(harp_npy_load(context.get(), path, is_directory) == nullptr);
  check_error(is_directory, HARP_ERROR_IO, "directory");
  std::ofstream(file) << "hello";
  CHECK(harp_npy_load(context.get(), file.c_str(), garbage) == nullptr);
  check_error(garbage, HARP_ERROR_PARSE, "is not a .npy file");
  const Buffer buffer(harp_buffer_new(context.get(), nullptr, HARP_F32, 0, nullptr, nullptr));
  CHECK(harp_npy_save(buffer.get(), (directory + "/none/a.npy").c_str(), nowhere) == HARP_ERROR_IO);
  check_error(nowhere, HARP_ERROR_IO, "cannot write");
  CHECK(harp_npy_save(buffer.get(), file.c_str(), nullptr) == HARP_OK);
  CHECK(Buffer(harp_npy_load(context.get(), file.c_str(), nullptr)) != nullptr);
  unlink(file.c_str());
  rmdir(path);
}

TEST_CASE("L5.simd_width/c: a schedule with vectors is none for plain text") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[64]) { return y = exp(x) }");
  REQUIRE(graph != nullptr);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.schedule = "kernel_0: elementwise [sequential simd=16]";
  options.plain_text = 1;
  ErrorSlot err;
  CHECK(harp_compile(graph.get(), &options, err) == nullptr);
  check_error(err, HARP_ERROR_INVALID_ARGUMENT, "kernel_0: axis 0 has simd=16; plain text has no vectors, expected simd=1");
  options.schedule = nullptr;
  options.simd_width = 8;
  ErrorSlot width;
  CHECK(harp_compile(graph.get(), &options, width) == nullptr);
  check_error(width, HARP_ERROR_INVALID_ARGUMENT, "simd_width is 8, but plain_text has no vectors");
  options.plain_text = 0, options.simd_width = 0;
  options.schedule = "kernel_0: elementwise [sequential simd=16]";
  const Program program(harp_compile(graph.get(), &options, err));
  CHECK(program != nullptr);
}
