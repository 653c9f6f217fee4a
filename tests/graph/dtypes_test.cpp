// Tests dtypes through harp.h: which dtype integer constants get if none is given, and that every real dtype passes through buffers,
// programs and both backends.
#include <cstring>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

harp_node* input(harp_graph* g, const char* name, harp_dtype dtype) {
  const harp_dim dims[] = {3};
  return harp_input(g, name, dtype, 1, dims);
}

/// Runs a graph with one i8 and one f32 input on a backend. Returns the bytes of all outputs.
std::string results(harp_context* context, const harp_graph* graph, const char* backend) {
  std::vector<int8_t> bytes = {1, -2, 100};
  std::vector<float> floats = {0.5f, -1, 3};
  const Buffer a = wrap(context, bytes, {3}), x = wrap(context, floats, {3});
  const Program program = compile(graph, backend);
  REQUIRE(program != nullptr);
  std::string all;
  for (const Buffer& output : run(program.get(), {a.get(), x.get()}))
    all.append(static_cast<const char*>(harp_buffer_const_data(output.get())), harp_buffer_size(output.get()));
  return all;
}

/// Calls `misuse` on a new graph and returns the message of the error that the graph then keeps.
std::string mistake(harp_context* context, harp_status code, void (*misuse)(harp_graph*)) {
  const Graph graph = make_graph(context);
  misuse(graph.get());
  const harp_error* error = harp_graph_error(graph.get());
  REQUIRE(error != nullptr);
  CHECK(harp_error_code(error) == code);
  return harp_error_message(error);
}

}  // namespace

TEST_CASE("G9.unknown/interp,c G9.infer_unknown: an integer without a dtype takes that of the operand beside it") {
  const Context context = make_context();
  const auto build = [&](bool typed) {
    Graph graph = make_graph(context.get());
    harp_graph* g = graph.get();
    harp_node *a = input(g, "a", HARP_I8), *x = input(g, "x", HARP_F32), *bare = harp_constant_i64(g, HARP_UNKNOWN, 3);
    CHECK(harp_node_dtype(bare) == HARP_UNKNOWN);
    const auto three = [&](harp_dtype dtype) { return typed ? harp_constant(g, dtype, 3) : bare; };
    harp_output(g, "p", harp_add(a, three(HARP_I8)));
    harp_output(g, "q", harp_sub(three(HARP_F32), x));
    harp_output(g, "r", harp_where(harp_lt(x, three(HARP_F32)), x, three(HARP_F32)));
    harp_output(g, "s", harp_clip(a, typed ? harp_constant(g, HARP_I8, -1) : harp_constant(g, HARP_UNKNOWN, -1), three(HARP_I8)));
    harp_output(g, "t",
                harp_cast(typed ? harp_constant_u64(g, HARP_U64, UINT64_MAX) : harp_constant_u64(g, HARP_UNKNOWN, UINT64_MAX), HARP_U64));
    return graph;
  };
  const Graph typed = build(true), bare = build(false);
  CHECK(take(harp_graph_print(typed.get(), nullptr)) == take(harp_graph_print(bare.get(), nullptr)));
  const std::string expected = results(context.get(), typed.get(), "interp");
  CHECK(results(context.get(), bare.get(), "interp") == expected);
  CHECK(results(context.get(), bare.get(), "c") == expected);
}

TEST_CASE("G9.infer_unknown errors: what is never told a dtype, and what does not fit") {
  const Context context = make_context();
  harp_context* c = context.get();
  CHECK(mistake(c, HARP_ERROR_RANGE, [](harp_graph* g) { harp_add(input(g, "a", HARP_I8), harp_constant_i64(g, HARP_UNKNOWN, 300)); }) ==
        "add: 300 does not fit i8");
  CHECK(mistake(c, HARP_ERROR_DTYPE, [](harp_graph* g) {
          harp_node* one = harp_constant_i64(g, HARP_UNKNOWN, 1);
          harp_add(one, harp_constant_i64(g, HARP_UNKNOWN, 2));
        }) == "add: the dtype of nodes constant #0 and constant #1 is not known; give one of the numbers a dtype, or cast it");
  CHECK(mistake(c, HARP_ERROR_DTYPE, [](harp_graph* g) {
          harp_output(g, "y", harp_constant_i64(g, HARP_UNKNOWN, 1));
        }).find("output \"y\": the dtype of node 0 (constant unknown[]) is not known") == 0);
  CHECK(mistake(c, HARP_ERROR_DTYPE, [](harp_graph* g) {
          const harp_dim one[] = {1};
          harp_reshape(harp_constant_i64(g, HARP_UNKNOWN, 1), 1, one);
        }).find("reshape: the dtype of constant #0 is not known") == 0);
  CHECK(mistake(c, HARP_ERROR_DTYPE, [](harp_graph* g) { harp_exp(harp_constant_i64(g, HARP_UNKNOWN, 1)); }).find("exp: the dtype of") ==
        0);
  CHECK(mistake(c, HARP_ERROR_RANGE, [](harp_graph* g) { harp_constant(g, HARP_UNKNOWN, 2.5); }) ==
        "constant: 2.5 without a dtype; only an integer takes the dtype of the other operand");
  CHECK(mistake(c, HARP_ERROR_DTYPE, [](harp_graph* g) { input(g, "a", HARP_UNKNOWN); }) == "input: 0 is not a dtype");
  CHECK(mistake(c, HARP_ERROR_RANGE, [](harp_graph* g) { harp_constant(g, HARP_U64, 0x1p64); }).find("does not fit u64") !=
        std::string::npos);
  CHECK(mistake(c, HARP_ERROR_RANGE, [](harp_graph* g) { harp_constant(g, HARP_I64, 0x1p63); }).find("does not fit i64") !=
        std::string::npos);
  CHECK(mistake(c, HARP_ERROR_RANGE, [](harp_graph* g) { harp_constant(g, HARP_F16, 65520); }) == "constant: 65520 does not fit f16");
}

TEST_CASE("G9.f16/interp,c G9.bf16/interp,c: composites of halves round once") {
  // The sum of 4,096 ones exceeds the range in which f16 represents all integers. If the sum were rounded before the division, the mean
  // would not be 1.
  const Backends backends;
  const auto means = backends.run(
      "graph g(x: f32[n, 4096]) {\n  h = cast(x, f16)\n  b = cast(x, bf16)\n  return a = mean(h * f16(60), axes=[1]), c = mean(b, "
      "axes=[1]), d = sum(b, axes=[1]), "
      "e = softmax(h), f = var(h), g = norm(b)\n}\n",
      Values<float>{std::vector<float>(2 * 4096, 1.0f), {2, 4096}});
  CHECK(values<uint16_t>(means[0].get()) == std::vector<uint16_t>{0x5380, 0x5380});  // 60
  CHECK(values<uint16_t>(means[1].get()) == std::vector<uint16_t>{0x3f80, 0x3f80});  // 1
  CHECK(values<uint16_t>(means[2].get()) == std::vector<uint16_t>{0x4580, 0x4580});  // 4096
  CHECK(values<uint16_t>(means[3].get())[0] == 0x0c00);                              // 2^-12
}
