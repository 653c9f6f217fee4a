// Tests the text format: parsing a printed graph gives the same graph, bit for bit, and every operation can be written as text.
// (text_errors_test.cpp tests sizes, errors and damaged text.)
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "graph/build.h"
#include "graph/operations.h"
#include "graph/text.h"
#include "graph/text_lexer.h"
#include "support/text_support.h"

using namespace harp;
using namespace text_test;

TEST_CASE("G18.text: the softmax of the manual, as primitives") {
  const auto graph = parse_graph(kSoftmax);
  CHECK(graph->name() == "softmax");
  CHECK(graph->options().broadcast);
  CHECK(print_graph(*graph) == R"(harp 1
graph softmax(x: f32[n, 1024]) flags=[broadcast] {
  v0 = max(x, axes=[1], order=lanes)
  m = reshape(v0, shape=[n, 1])
  v1 = neg(m)
  v2 = expand(v1, shape=[n, 1024])
  v3 = add(x, v2)
  e = exp(v3)
  v4 = sum(e, axes=[1], order=lanes)
  s = reshape(v4, shape=[n, 1])
  v5 = expand(s, shape=[n, 1024])
  v6 = div(e, v5)
  return y = v6
}
)");
  round_trip(*graph);
}

TEST_CASE("G18.text: every operation of the table can be written, and comes back") {
  const std::map<std::string, std::string> examples = {
      {"constant", "constant(-2.5, dtype=f64)"},
      {"constant_array", "constant_array([[1, 2], [3, -4]], dtype=i64)"},
      {"size", "size(2*n + 1)"},
      {"arange", "arange(n, start=3, step=-2, dtype=f32)"},
      {"linspace", "linspace(0, 1, n=5)"},
      {"full", "full([2, n], 7, dtype=i32)"},
      {"eye", "eye(3, columns=4)"},
      {"tril", "tril(x, k=-1)"},
      {"triu", "triu(x)"},
      {"one_hot", "one_hot(i, depth=5, dtype=f32)"},
      {"cast", "cast(x, dtype=i64)"},
      {"bitcast", "bitcast(x, i32)"},
      {"contiguous", "contiguous(x)"},
      {"check_index", "check_index(i, size=n + 2, what=\"rows\")"},
      {"elu", "elu(x, alpha=0.5)"},
      {"gelu", "gelu(x, approximate=\"tanh\")"},
      {"powi", "powi(x, -3)"},
      {"clip", "clip(x, 0, y)"},
      {"lerp", "lerp(x, y, 0.25)"},
      {"where", "where(b, x, 0)"},
      {"fma", "fma(x, 2, y)"},
      {"var", "var(x, axes=[0], correction=1)"},
      {"softmax", "softmax(s, axis=0)"},
      {"log_softmax", "log_softmax(s)"},
      {"permute", "permute(x, axes=[1, 0])"},
      {"transpose", "transpose(x)"},
      {"moveaxis", "moveaxis(x, [0], [-1])"},
      {"unsqueeze", "unsqueeze(x, axes=[1])"},
      {"squeeze", "squeeze(reshape(x, shape=[2, 1, 3]))"},
      {"flip", "flip(s)"},
      {"expand", "expand(reshape(i, shape=[4, 1]), shape=[-1, n])"},
      {"broadcast_to", "broadcast_to(x, shape=[n, 2, 3])"},
      {"reshape", "reshape(s, shape=[-1, 2, 4])"},
      {"flatten", "flatten(s)"},
      {"slice", "slice(s, start=[1, none], stop=[-1, none], step=[1, -2])"},
      {"pad", "pad(x, before=[1, 0], after=[0, n], value=-0.0)"},
      {"unfold", "unfold(s, axes=[1], size=[3], stride=[2])"},
      {"unfold1d", "unfold1d(x, size=2, padding=[[1, 0]])"},
      {"unfold2d", "unfold2d(x, size=[3, 2], padding=1)"},
      {"unfold3d", "unfold3d(reshape(x, shape=[1, 2, 3]), size=1)"},
      {"concat", "concat(x, y, x, axis=1)"},
      {"stack", "stack([x, y], axis=-1)"},
      {"split", "split(x, sections=1)"},
      {"repeat", "repeat(x, n, axis=0)"},
      {"tile", "tile(x, repeats=[2, 2])"},
      {"roll", "roll(s, shift=[1, -1], axis=[0, 1])"},
      {"take", "take(s, 1, axis=0)"},
      {"scatter_add", "scatter_add(s, cast(s, i32), s, axis=0)"},
      {"scatter", "scatter(s, cast(s, i32), s)"},
      {"scatter_mul", "scatter_mul(s, cast(s, i32), s, axis=0)"},
      {"scatter_max", "scatter_max(s, cast(s, i32), s, axis=0)"},
      {"scatter_min", "scatter_min(s, cast(s, i32), s, axis=0)"},
      {"scatter_reduce", "scatter_reduce(s, cast(s, i32), s, axis=0, reduction=\"mean\", include_self=false)"},
      {"scatter_nd", "scatter_nd(x, arange(stop=2)[:, None], x, reduction=\"max\")"},
      {"index_add", "index_add(s, arange(stop=2), slice(s, stop=[none, 2]), axis=1)"},
      {"take_along_axis", "take_along_axis(s, cast(s, i32), axis=0)"},
      {"view_as_complex", "view_as_complex(slice(x, stop=[none, 2]))"},
      {"view_as_real", "view_as_real(complex_from_parts(x, y))"},
      {"argsort", "argsort(x, axis=0, descending=true)"},
      {"sort", "sort(s, axis=none)"},
      {"topk", "values, indices = topk(x, 2, largest=false)\n  return out = values, places = indices"},
      {"searchsorted", "searchsorted(reshape(x, shape=[6]), y, side=\"right\")"},
      {"unstack", "unstack(reshape(x, shape=[1, 6]))"},
      {"meshgrid", "meshgrid(reshape(x, shape=[6]))"},
      {"cummax_with_indices", "values, indices = cummax_with_indices(x, axis=1)\n  return out = values, places = indices"},
      {"cummin_with_indices", "values, indices = cummin_with_indices(x)\n  return out = values, places = indices"},
      {"gather_nd", "gather_nd(x, cast(slice(x, stop=[none, 2]), i64))"},
      {"group_norm", "group_norm(x, num_groups=3)"},
      {"instance_norm", "instance_norm(reshape(x, shape=[1, 2, 3]), eps=0.5)"},
      {"interpolate", "interpolate(x, size=[5], scales=[1.5], mode=\"linear\", coordinates=\"asymmetric\")"},
      {"nll_loss", "nll_loss(x, argmax(x, axis=1), ignore_index=-1)"},
      {"cross", "cross(x, y)"},
      {"argmax", "argmax(x, axis=1)"},
      {"argmin", "argmin(x, keepdims=true)"},
      {"norm", "norm(x, ord=inf, axes=[1])"},
      {"std", "std(x, axes=[-1], correction=1)"},
      {"diagonal", "diagonal(x, offset=1)"},
      {"trace", "trace(x)"},
      {"matmul", "x @ transpose(y)"},
      {"batch_matmul", "batch_matmul(x, transpose(y))"},
      {"dot", "dot(x, transpose(y))"},
      {"vecdot", "vecdot(x, y, axis=0)"},
      {"tensordot", "tensordot(x, y, a_axes=[1], b_axes=[1])"},
      {"outer", "outer(x, s)"},
      {"custom_elementwise", "custom_elementwise(x, y, expr=\"where(x0 < x1, x0, 1)\")"},
      {"custom_reduce", "custom_reduce(x, y, expr=\"x0 * x1\", op=\"sum\", axes=[0], keepdims=true)"},
      {"custom_cumulative", "custom_cumulative(x, y, expr=\"x0 * x1\", op=\"max\", axis=1, exclusive=true)"},
      {"random_bits", "random_bits(u64(1), shape=[n, 3], counter=7)"},
      {"random_uniform", "random_uniform(u32(1), shape=[n, 3], dtype=f16)"},
      {"random_normal", "random_normal(cast(size(n), dtype=u64), shape=[n], dtype=f64)"},
      {"einsum", "einsum(x, y, spec=\"ij,kj->ik\")"},
      {"conv1d", "conv1d(reshape(x, shape=[2, 1, 3]), full([2, 1, 2], 1, dtype=f32), padding=1)"},
      {"conv2d", "conv2d(reshape(x, shape=[1, 1, 2, 3]), full([2, 1, 2, 2], 1, dtype=f32), dilation=[1, 2])"},
      {"conv3d", "conv3d(reshape(x, shape=[1, 1, 1, 2, 3]), full([2, 1, 1, 2, 2], 1, dtype=f32), bias=full([2], 1, dtype=f32))"},
      {"conv_transpose1d", "conv_transpose1d(reshape(x, shape=[2, 1, 3]), full([1, 2, 2], 1, dtype=f32), stride=2)"},
      {"conv_transpose2d", "conv_transpose2d(reshape(x, shape=[1, 1, 2, 3]), full([1, 2, 2, 2], 1, dtype=f32), padding=[[1, 0], [0, 1]])"},
      {"conv_transpose3d", "conv_transpose3d(reshape(x, shape=[1, 1, 1, 2, 3]), full([1, 2, 1, 2, 2], 1, dtype=f32), dilation=2)"},
      {"max_pool", "max_pool(s, size=2, stride=1, padding=1)"},
      {"avg_pool", "avg_pool(s, size=[2, 2], padding=1, count_include_pad=false)"},
      {"max_pool_with_indices", "v, w = max_pool_with_indices(s, size=2, ceil_mode=true)\n  return out = w"},
      {"max_unpool", "max_unpool(x, cast(y, dtype=i64), size=2)"},
      {"layer_norm", "layer_norm(x, weight=full([3], 2, dtype=f32))"},
      {"rms_norm", "rms_norm(x, bias=full([3], 2, dtype=f32), eps=1e-3)"},
      {"cross_entropy", "cross_entropy(x, argmax(y, axis=1), reduction=\"sum\")"},
      {"cumsum", "cumsum(x, axis=1, reverse=true)"},
      {"cumprod", "cumprod(x, axis=0, exclusive=true)"},
      {"cummax", "cummax(x)"},
      {"cummin", "cummin(x, axis=0, order=tree)"},
      {"logcumsumexp", "logcumsumexp(x, axis=1, exclusive=true, order=chain)"},
      {"left_shift", "i << 2"},
      {"right_shift", "i >> 31"},
      {"bitwise_not", "~i"},
      {"bitwise_and", "i & 255"},
      {"bitwise_or", "i | 1"},
      {"bitwise_xor", "b ^ b"},
      {"custom_function",
       "custom_function(x, b, body=\"\"\"for i in 0 .. 3 { output = output + f64(input0[0, i]) }\"\"\", dtype=f64, shape=[7])"},
      {"native",
       "native(x, b, name=\"f\", signature=\"i32(i64 output[0], f32* input0, bool* input1, f64* output)\", dtype=f64, shape=[7])"},
  };
  for (const Operation& operation : operations()) {
    std::string call;
    if (auto found = examples.find(std::string(operation.name)); found != examples.end()) {
      call = found->second;
    } else {  // all other operations take only arrays, which have one dtype
      std::vector<std::string_view> arrays;
      for (const Parameter& p : operation.parameters())
        if (p.default_text.empty()) {
          CHECK(p.kind == ParameterKind::kNode);
          arrays.push_back(arrays.empty() ? "x" : "y");
        }
      call = cat(operation.name, "(", join(arrays, ", "), ")");
    }
    CAPTURE(call);
    const bool is_body = call.find('\n') != call.npos;
    const std::string text = in_graph(is_body ? "  " + call : "  return out = " + call);
    const std::string message = message_of(text);
    CHECK(message == "");
    if (message.empty()) round_trip(*parse_graph(text));
  }
  for (const auto& example : examples) CHECK_MESSAGE(find_operation(example.first) != nullptr, example.first);
}

TEST_CASE("G18.text: docs/text-format.md lists every operation with its parameters and defaults") {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / "text-format.md");
  REQUIRE(file.good());
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string list;
  for (const Operation& operation : operations())
    append(list,
           cat(operation.name, "(",
               join(operation.parameters(), ", ",
                    [](const Parameter& p) { return p.default_text.empty() ? std::string(p.name) : cat(p.name, "=", p.default_text); }),
               ")\n"));
  CHECK(page.find("```text\n" + list + "```") != std::string::npos);
  // The example at the top of the page can be parsed.
  const size_t begin = page.find("```harp\n") + 8;
  CHECK(message_of(page.substr(begin, page.find("```", begin) - begin)) == "");
}

TEST_CASE("G18.text G13.custom_results: the results of a custom function are one statement, which names those that are not used, too") {
  const std::string head = "harp 1\ngraph g(x: f32[n]) {\n",
                    call =
                        "custom_function(x, body=\"\"\"output0 = input0[ridx0]\noutput1 = ridx0\noutput2 = ridx0 > 1\"\"\", "
                        "dtype=[f32, i64, bool], shape=[n])\n";
  const auto printed = [](const std::string& text) { return round_trip(*parse_graph(text)); };
  const std::string all = head + "  a, b, c = " + call + "  v0 = neg(a)\n  return y = v0, z = b, w = c\n}\n";
  CHECK(printed(all) == all);
  // The printer places the call where the first used result would be placed.
  const std::string last = head + "  a, b, c = " + call + "  return w = c\n}\n";
  CHECK(printed(last) == head + "  v0, v1, c = " + call + "  return w = c\n}\n");
  const std::string taken = head + "  v0 = neg(x)\n  v3, v1, b = " + call + "  return y = v1, z = v0\n}\n";
  CHECK(printed(taken) == head + "  v0 = neg(x)\n  v2, v1, v3 = " + call + "  return y = v1, z = v0\n}\n");
  // calls of the same function with different arrays are printed as two statements
  CHECK(printed(head + "  a, b, c = " + call + "  d, e, f = " + "custom_function(-x" + call.substr(call.find(", body")) +
                "  return y = a, z = f\n}\n") == head + "  a, v1, v2 = " + call + "  v0 = neg(x)\n  v3, v4, f = custom_function(v0" +
                                                     call.substr(call.find(", body")) + "  return y = a, z = f\n}\n");
}

TEST_CASE("G18.text: operators have Python's precedence and meaning") {
  auto same = [](const std::string& a, const std::string& b) {
    CHECK(print_graph(*parse_graph(in_graph("  return out = " + a))) == print_graph(*parse_graph(in_graph("  return out = " + b))));
  };
  same("x + y * 2", "add(x, mul(y, f32(2)))");
  same("x - y - x", "sub(sub(x, y), x)");
  same("x / y / x", "div(div(x, y), x)");
  same("-x * y", "mul(neg(x), y)");
  same("x // 2 % 3", "remainder(floor_divide(x, f32(2)), f32(3))");
  same("x + y < x * 2", "lt(add(x, y), mul(x, f32(2)))");
  same("i | i ^ i & i << 1", "bitwise_or(i, bitwise_xor(i, bitwise_and(i, left_shift(i, i32(1)))))");
  same("(x < y) & (x != 0) | b", "bitwise_or(bitwise_and(lt(x, y), ne(x, f32(0))), b)");
  same("2 - x", "sub(f32(2), x)");
  same("x * -inf", "mul(x, f32(-inf))");
  same("- - x", "neg(neg(x))");
  same("~b == b", "eq(bitwise_not(b), b)");
  same("x >= y", "ge(x, y)");
  same("+x", "x");
  same("x ** y", "pow(x, y)");
  same("x ** 2", "powi(x, k=2)");
  same("x ** -3", "powi(x, k=-3)");
  same("x ** 2.0", "pow(x, f32(2))");
  same("2 ** x", "pow(f32(2), x)");
  same("-x ** 2", "neg(powi(x, k=2))");
  same("x ** -y", "pow(x, neg(y))");
  same("x ** y ** 2", "pow(x, powi(y, k=2))");
  same("x * y ** 2 * x", "mul(mul(x, powi(y, k=2)), x)");
  same("2 ** -x[0] ** 2", "pow(f32(2), neg(powi(x[0], k=2)))");
}

TEST_CASE("G18.text: every bit of a constant comes back") {
  Graph g;
  const uint32_t f32_bits[] = {0x00000000, 0x80000000, 0x3f800000, 0x3dcccccd, 0x00000001, 0x807fffff, 0x7f7fffff, 0x7f800000,
                               0xff800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0x7f800001, 0x4b800001, 0x33d6bf95};
  for (uint32_t bits : f32_bits) g.add_output(cat("f", bits), build::constant(g, Scalar{DType::kF32, {bits, 0}}));
  const uint64_t f64_bits[] = {0x8000000000000000, 0x3fb999999999999a, 1, 0x7fefffffffffffff, 0xfff8000000000000, 0x7ff8000000000001,
                               0x0010000000000000, 0x4340000000000001};
  for (uint64_t bits : f64_bits) g.add_output(cat("d", bits), build::constant(g, Scalar{DType::kF64, {bits, 0}}));
  for (int64_t value : {INT64_MIN, INT64_MAX, int64_t{-1}})
    g.add_output(cat("l", value), build::constant(g, scalar_from_int(DType::kI64, value)));
  for (int64_t value : {INT32_MIN, INT32_MAX}) g.add_output(cat("i", value), build::constant(g, scalar_from_int(DType::kI32, value)));
  for (bool value : {false, true}) g.add_output(cat("b", value), build::constant(g, scalar_from_int(DType::kBool, value)));
  // contains a NaN, which is printed with its bit pattern
  g.add_output("few", build::constant_array(g, DType::kF32, {3, 5}, std::as_bytes(std::span(f32_bits))));
  g.add_output("plain", build::constant_array(g, DType::kF32, {3, 3}, std::as_bytes(std::span(f32_bits, 9))));
  g.add_output("none", build::constant_array(g, DType::kF64, {0, 4}, {}));
  const std::vector<std::byte> many(400, std::byte{0x5a});
  g.add_output("many", build::constant_array(g, DType::kI32, {100}, many));
  g.add_output("bools", build::constant_array(g, DType::kBool, {2, 2}, std::span(many.data(), 4)));
  const auto parsed = parse_graph(round_trip(g));
  REQUIRE(parsed->outputs().size() == g.outputs().size());
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    const Node &before = *g.outputs()[i].node, &after = *parsed->outputs()[i].node;
    CHECK(before.dtype == after.dtype);
    CHECK(before.shape == after.shape);
    CHECK(before.attributes == after.attributes);
  }
  CHECK(print_graph(*parsed).find("f32(bits=0xffc00000)") != std::string::npos);
  CHECK(print_graph(*parsed).find("plain = constant_array") == std::string::npos);  // no node has the same name as an output
}

TEST_CASE("G18.text: random floats come back") {
  std::mt19937_64 random(7);
  Graph g;
  for (int i = 0; i < 2000; ++i) {
    g.add_output(cat("f", i), build::constant(g, Scalar{DType::kF32, {random() & 0xffffffff, 0}}));
    g.add_output(cat("d", i), build::constant(g, Scalar{DType::kF64, {random(), 0}}));
  }
  const auto parsed = parse_graph(print_graph(g));
  for (size_t i = 0; i < g.outputs().size(); ++i) REQUIRE(parsed->outputs()[i].node->attributes == g.outputs()[i].node->attributes);
}

TEST_CASE("G18.text: numbers round to the dtype they get") {
  auto constant = [](const std::string& literal) {
    return parse_graph("graph g() {\n return y = " + literal + "\n}")->outputs()[0].node->as<ConstantAttributes>().value;
  };
  CHECK(constant("f32(1e-60)").as<float>() == 0);
  CHECK(std::bit_cast<uint32_t>(constant("f32(-1e-60)").as<float>()) == 0x80000000);
  CHECK(std::bit_cast<uint64_t>(constant("f64(-0)").as<double>()) == 0x8000000000000000);
  CHECK(constant("f32(16777217)").as<float>() == 16777216);
  CHECK(constant("f32(0.1)").as<float>() == 0.1f);
  CHECK(constant("i64(-9223372036854775808)").as<int64_t>() == INT64_MIN);
  CHECK(constant("i32(2e9)").as<int32_t>() == 2000000000);
  CHECK(constant("f64(1.)").as<double>() == 1);
  CHECK(constant("bool(1)").bits[0] == 1);
  CHECK(constant("i8(-128)").as<int8_t>() == INT8_MIN);
  CHECK(constant("u64(18446744073709551615)").as<uint64_t>() == UINT64_MAX);
  CHECK(constant("u64(1e19)").as<uint64_t>() == 10000000000000000000u);
  CHECK(constant("f16(0.1)").as<uint16_t>() == 0x2e66);
  CHECK(constant("f16(65519)").as<uint16_t>() == 0x7bff);
  CHECK(constant("f16(-inf)").as<uint16_t>() == 0xfc00);
  CHECK(constant("bf16(0.1)").as<uint16_t>() == 0x3dcd);
  CHECK(constant("bf16(bits=0x7f81)").as<uint16_t>() == 0x7f81);
  for (const char* bad : {"f32(1e39)",
                          "f64(1e999)",
                          "i32(2147483648)",
                          "i32(0.5)",
                          "i64(9223372036854775808)",
                          "i32(nan)",
                          "bool(2)",
                          "i64(1e30)",
                          "i32(true)",
                          "f32(bits=0x123456789)",
                          "f32(bits=7)",
                          "u8(256)",
                          "u8(-1)",
                          "i8(128)",
                          "i16(0.5)",
                          "u16(65536)",
                          "u32(4294967296)",
                          "u64(18446744073709551616)",
                          "u64(-1)",
                          "f16(65520)",
                          "f16(bits=0x12345)",
                          "bf16(1e39)",
                          "complex64()",
                          "complex64(1, 2, 3)",
                          "complex64(1e39)",
                          "complex128(bits=0x123456789abcdef01)"})
    CHECK_MESSAGE(message_of(std::string("graph g() {\n return y = ") + bad + "\n}") != "", bad);
}

TEST_CASE("G18.text: names in quotes, duplicate names, order of shape variables and bounds") {
  Graph g({.promotion = Promotion::kArrayApi}, "my \"graph\"\n");
  const Dim late = g.dims().variable("late", -3, 12), early = g.dims().variable("early", 0, 2147483647),
            lone = g.dims().variable("lone", INT64_MIN, INT64_MAX);
  const Node* x = g.add_input("return", DType::kF32, {early, 2 * late + 8});
  const Node* y = g.add_input("två ord", DType::kF64, {});
  const Node* a = build::elementwise(Op::kExp, {x});
  const Node* b = build::elementwise(Op::kSin, {x});
  const Node* c = build::constant(g, scalar_from_double(DType::kF64, 2));
  g.set_node_name(a, "same");
  g.set_node_name(b, "same");
  g.set_node_name(c, "v0");
  g.add_output("a", a);
  g.add_output("b = c", b);
  g.add_output("d", build::elementwise(Op::kMul, {y, c}));
  g.add_output("size", build::size(g, lone));
  const std::string text = round_trip(g);
  CHECK(text ==
        "harp 1\n"
        "shape late in -3..12\n"
        "shape early\n"
        "shape lone in -9223372036854775808..9223372036854775807\n"
        "graph \"my \\\"graph\\\"\\x0a\"(\"return\": f32[early, 2*late + 8], \"två ord\": f64[]) flags=[promote] {\n"
        "  same = exp(\"return\")\n"
        "  v1 = sin(\"return\")\n"
        "  v0 = f64(2)\n"
        "  v2 = mul(\"två ord\", v0)\n"
        "  v3 = size(lone)\n"
        "  return a = same, \"b = c\" = v1, d = v2, size = v3\n"
        "}\n");
  const auto parsed = parse_graph(text);
  CHECK(to_string(parsed->dims().variables()[0]) == "late");
  CHECK(range(parsed->dims().variables()[2]).lo == INT64_MIN);
  CHECK(parsed->name() == g.name());
}
