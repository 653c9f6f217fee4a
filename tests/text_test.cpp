// The text format: what is printed parses back to the same graph, bit by bit; every operation can be written; whatever is wrong is
// told with its place; no text, however mangled, does anything else than parse or fail.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "graph/base64.h"
#include "graph/build.h"
#include "graph/operations.h"
#include "graph/text.h"
#include "graph/text_lexer.h"

using namespace harp;

namespace {

/// Error message of parsing, or "" if it parses.
std::string message_of(std::string_view text) {
  try {
    parse_graph(text);
    return "";
  } catch (const Error& e) {
    return e.message;
  }
}

std::string in_graph(const std::string& statements) {
  return "harp 1\ngraph g(x: f32[2, 3], y: f32[2, 3], i: i32[4], b: bool[2, 3], s: f32[n, 8]) {\n" + statements + "\n}\n";
}

/// Prints, parses, prints: equal texts. Returns the text.
std::string round_trip(const Graph& graph) {
  const std::string text = print_graph(graph);
  const auto parsed = parse_graph(text);
  CHECK(print_graph(*parsed) == text);
  CHECK(print_graph(*parsed->clone()) == text);
  return text;
}

constexpr const char* kSoftmax = R"(harp 1
# softmax over the last axis, any number of rows
graph softmax(x: f32[n, 1024]) flags=[broadcast] {
  m = max(x, axes=[-1], keepdims=true)
  e = exp(sub(x, m))
  s = sum(e, axes=[-1], keepdims=true)
  return y = div(e, s)
}
)";

}  // namespace

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
      {"layer_norm", "layer_norm(x, weight=full([3], 2, dtype=f32))"},
      {"rms_norm", "rms_norm(x, bias=full([3], 2, dtype=f32), eps=1e-3)"},
      {"cross_entropy", "cross_entropy(x, argmax(y, axis=1), reduction=\"sum\")"},
      {"cumsum", "cumsum(x, axis=1, reverse=true)"},
      {"cumprod", "cumprod(x, axis=0, exclusive=true)"},
      {"cummax", "cummax(x)"},
      {"cummin", "cummin(x, axis=0, order=tree)"},
      {"left_shift", "i << 2"},
      {"right_shift", "i >> 31"},
      {"bitwise_not", "~i"},
      {"bitwise_and", "i & 255"},
      {"bitwise_or", "i | 1"},
      {"bitwise_xor", "b ^ b"},
      {"native",
       "native(x, b, name=\"f\", signature=\"i32(i64 output[0], f32* input0, bool* input1, f64* output)\", dtype=f64, shape=[7])"},
  };
  for (const Operation& operation : operations()) {
    std::string call;
    if (auto found = examples.find(std::string(operation.name)); found != examples.end()) {
      call = found->second;
    } else {  // the others take nothing but arrays, all of one dtype
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
  std::ifstream file(std::filesystem::path(__FILE__).parent_path().parent_path() / "docs" / "text-format.md");
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
  // the example at the top is real
  const size_t begin = page.find("```harp\n") + 8;
  CHECK(message_of(page.substr(begin, page.find("```", begin) - begin)) == "");
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
  g.add_output("few", build::constant_array(g, DType::kF32, {3, 5}, std::as_bytes(std::span(f32_bits))));  // one NaN needs its bits
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
  CHECK(print_graph(*parsed).find("plain = constant_array") == std::string::npos);  // output names are not node names
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
  Graph g({.promote = true}, "my \"graph\"\n");
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

TEST_CASE("G18.text: dimension expressions") {
  auto shape_of = [](const std::string& dims) {
    return to_string(parse_graph("graph g(x: f32[" + dims + "]) { \n return y = x\n}")->inputs()[0]->shape);
  };
  CHECK(shape_of("n in 1..4096, 2*n + 1, n*n") == "[n, 2*n + 1, n*n]");
  CHECK(shape_of("n, (n + 1) // 2 - 1, -(-n // 2)") == "[n, (n + 1) // 2 - 1, n - n // 2]");
  CHECK(shape_of("n, m, min(n, m), max(2*m, n) % 7") == "[n, m, min(n, m), max(n, 2*m) % 7]");
  CHECK(shape_of("n, m, select(n - m >= 0, n, 3)") == "[n, m, select(n - m >= 0, n, 3)]");
  CHECK(shape_of("2 * 3 + 4 // 3") == "[7]");
  const std::string shapes = "harp 1\nshape a in 2..9, b\ngraph g(x: f32[a]) {\n  shape c in 0..1\n  return y = x\n}\n";
  CHECK(parse_graph(shapes)->dims().variables().size() == 3);
  CHECK(range(*parse_graph(shapes)->dims().find_variable("b")).hi == 2147483647);
}

namespace {

/// A size as a writer might put it down: any operators, any nesting, spread over the variables n, m and k.
std::string random_size(std::mt19937& engine, int depth) {
  auto below = [&](uint32_t n) { return engine() % n; };
  if (depth == 0 || below(6) == 0) {
    static constexpr const char* kLeaves[] = {"n", "m", "k", "n", "m", "1", "2", "3", "4", "7", "-1"};
    return kLeaves[below(std::size(kLeaves))];
  }
  const std::string a = random_size(engine, depth - 1), b = random_size(engine, depth - 1);
  switch (below(9)) {
    case 0: return "min(" + a + ", " + b + ")";
    case 1: return "max(" + a + ", " + b + ")";
    case 2: return "select(" + random_size(engine, depth - 1) + " >= 0, " + a + ", " + b + ")";
    case 3: return "((" + a + ") // (" + b + "))";
    case 4: return "((" + a + ") % (" + b + "))";
    case 5: return "(" + a + ") * (" + b + ")";
    case 6: return a + " - (" + b + ")";
    default: return a + " + " + b;
  }
}

}  // namespace

TEST_CASE("G18.text: random sizes come back, whatever was made before them") {
  int symbolic = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    std::mt19937 engine(seed);
    std::string text = "harp 1\nshape n in 0..50\nshape m in 1..9\nshape k\ngraph g() {\n";
    // dead: made first, gone when the graph is printed
    for (int i = 0; i < 3; ++i) text += "  dead" + std::to_string(i) + " = size(" + random_size(engine, 3) + ")\n";
    for (int i = 0; i < 3; ++i) text += "  s" + std::to_string(i) + " = size(" + random_size(engine, 4) + ")\n";
    text += "  return s2 = s2, s0 = s0, s1 = s1\n}\n";
    std::unique_ptr<Graph> graph;
    try {
      graph = parse_graph(text);
    } catch (const Error& e) {
      REQUIRE((e.code == Code::kParse || e.code == Code::kOverflow));  // too large
      continue;
    }
    INFO(text);
    const std::string printed = round_trip(*graph);
    symbolic += printed.find("size(") != printed.npos;
  }
  CHECK(symbolic > 1000);
}

TEST_CASE("G18.text: several results and outputs") {
  const auto graph = parse_graph(in_graph("  l, r = split(x, sections=[1], axis=1)\n  return a = l, b = r, # the rest\n x"));
  REQUIRE(graph->outputs().size() == 3);
  CHECK(graph->outputs()[0].node->shape == Shape{2, 1});
  CHECK(graph->outputs()[1].node->shape == Shape{2, 2});
  CHECK(graph->outputs()[2].name == "x");
  CHECK(message_of(in_graph("  l = split(x, sections=[1])\n  return a = l")) ==
        "line 3, column 7: the right side gives 2 results for 1 names");
  CHECK(message_of(in_graph("  return a = split(x, sections=[1]) + x")) ==
        "line 3, column 14: split gives 2 results; name them in a statement of their own");
}

TEST_CASE("G18.text: errors tell line, column and what is wrong") {
  auto error = [](const std::string& statement) { return message_of(in_graph("  " + statement + "\n  return out = x")); };
  CHECK(message_of("") == "line 1, column 1: expected \"graph\", found the end of the text");
  CHECK(message_of("harp 2\ngraph g() {\nreturn\n}") == "line 1, column 6: the text is of version 2; this harp reads up to 1");
  CHECK(message_of("graph g(x: f33[2]) {\nreturn x\n}") ==
        "line 1, column 12: expected a dtype (bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, complex64, complex128), "
        "found \"f33\"");
  CHECK(message_of("graph g(x: f32[2) {\nreturn x\n}") == "line 1, column 17: expected \",\" or \"]\", found \")\"");
  CHECK(message_of("graph g(x: f32[n in 5..2]) {\nreturn x\n}") == "line 1, column 16: shape variable \"n\": its bounds 5..2 are empty");
  CHECK(message_of("graph g(x: f32[2], x: f32[2]) {\nreturn x\n}") ==
        "line 1, column 20: input: the graph has an input called \"x\" already");
  CHECK(message_of("graph g(x: f32[2]) flags=[fast] {\nreturn x\n}") ==
        "line 1, column 27: expected a flag (broadcast, promote), found \"fast\"");
  CHECK(message_of("graph g(x: f32[2]) {\n return y = x, y = x\n}") ==
        "line 2, column 16: output: the graph has an output called \"y\" already");
  CHECK(message_of("graph g(x: f32[2]) {\n return x\n} x") == "line 3, column 3: expected the end of the text, found \"x\"");
  CHECK(message_of("graph g(x: f32[2]) {\n") == "line 2, column 1: expected a statement or \"return\", found the end of the text");
  CHECK(error("a = x + + ") == "line 3, column 13: expected an expression, found the end of the line");
  CHECK(error("a = x ++ y") == "");
  CHECK(error("a = sim(x)") == "line 3, column 7: unknown operation \"sim\"; is it sin?");
  CHECK(error("a = frobnicate(x)") == "line 3, column 7: unknown operation \"frobnicate\"");
  CHECK(error("a = z") == "line 3, column 7: unknown name \"z\"");
  CHECK(error("x = y") == "line 3, column 3: the name \"x\" is taken");
  CHECK(error("a = 0.5") == "line 3, column 7: the number 0.5 has no dtype here: write it as f32(…), f64(…), i32(…), i64(…) or bool(…)");
  CHECK(error("a = exp(2)").find("the number 2 has no dtype here") != std::string::npos);
  CHECK(error("a = sum(x, axis=[0])") == "line 3, column 14: sum has no parameter \"axis\"; it takes x, axes, keepdims, order, product");
  CHECK(error("a = permute(x)") == "line 3, column 7: permute needs axes");
  CHECK(error("a = permute(x, axes=[0, 1], axes=[0])") == "line 3, column 31: parameter axes is given twice");
  CHECK(error("a = permute(axes=[1, 0], x)") == "line 3, column 28: an argument without a name after one with a name");
  CHECK(error("a = exp(x, y)") == "line 3, column 14: exp takes at most 1 arguments: x");
  CHECK(error("a = sum(x, axes=[0.5])") == "line 3, column 20: expected a size, found \"0.5\"");
  CHECK(error("a = sum(x, axes=[n])") == "line 3, column 7: sum, axes: expected integers");
  CHECK(error("a = sum(x, keepdims=1)") == "line 3, column 7: sum, keepdims: expected true or false");
  CHECK(error("a = cast(x, dtype=float)").find("expected a dtype") != std::string::npos);
  CHECK(error("a = reshape(x, shape=[q, 3])") ==
        "line 3, column 25: unknown shape variable \"q\"; the inputs or a shape statement declare them");
  CHECK(error("a = x < y < x") == "line 3, column 13: comparisons do not chain; join two of them with &");
  CHECK(
      error("a = x @ y") ==
      "line 3, column 9: matmul: operands have shapes [2, 3] and [2, 3] (nodes \"x\" and \"y\"); axis 1 of the first (3) and axis 0 of the "
      "second (2) are multiplied and summed, so they must be the same size");
  CHECK(error("a = x $ y") == "line 3, column 9: unexpected character \"$\"");
  CHECK(error("a = \"x") == "line 3, column 7: a string without its closing quote");
  CHECK(error("a = 12abc") == "line 3, column 7: \"12a\" is not a number");
  CHECK(error("a = x y") == "line 3, column 9: expected the end of the line, found \"y\"");
  CHECK(error("a = constant_array([[1, 2], [3]], dtype=f32)") == "line 3, column 33: this list has 1 entries, the one before has 2");
  CHECK(error("a = constant_array([1, [2]], dtype=f32)") == "line 3, column 26: a list where a number is expected");
  CHECK(error("a = constant_array([[1], 2], dtype=f32)") == "line 3, column 28: a number where a list is expected");
  CHECK(error("a = constant_array(dtype=f32, shape=[1], base64=\"AAA\")").find("the base64 text is not valid") != std::string::npos);
  CHECK(error("a = constant_array(dtype=f32, shape=[2], base64=\"AAAAAA==\")").find("needs 8 bytes, got 4") != std::string::npos);
  // errors of the graph keep their code and get the place
  try {
    parse_graph(in_graph("  a = x + s\n  return out = a"));
    FAIL("adding [2, 3] to [n, 8] passed");
  } catch (const Error& e) {
    CHECK(e.code == Code::kShape);
    CHECK(e.message ==
          "line 3, column 9: add: operands have shapes [2, 3] and [n, 8] (nodes \"x\" and \"s\"); shapes must be identical, or one operand "
          "must be a scalar (or make the graph with the broadcast flag)");
  }
}

TEST_CASE("G18.text: nesting has a limit, length has none") {
  const std::string deep(100000, '('), close(100000, ')');
  CHECK(message_of(in_graph("  return out = " + deep + "x" + close)).find("nest deeper than 100 levels") != std::string::npos);
  CHECK(message_of(in_graph("  return out = " + std::string(100000, '-') + "x")).find("nest deeper") != std::string::npos);
  CHECK(message_of("graph g(x: f32[" + deep + "1" + close + "]) {\nreturn x\n}").find("nest deeper") != std::string::npos);
  CHECK(message_of(in_graph("  return out = constant_array(" + std::string(100000, '[') + "1")).find("nest deeper than 16 levels") !=
        std::string::npos);
  std::string typed;
  for (int i = 0; i < 100000; ++i) typed += "f32(";
  CHECK(message_of(in_graph("  return out = " + typed + "1")) == "line 3, column 20: expected a number, found \"f32\"");
  CHECK(message_of(in_graph("  return out = pad(x, [1, 0], [1, 0], value=" + typed)).find("expected a number") != std::string::npos);
  std::string calls, ends;
  for (int i = 0; i < 10000; ++i) calls += "exp(", ends += ")";
  CHECK(message_of(in_graph("  return out = " + calls + "x" + ends)).find("nest deeper") != std::string::npos);
  // a call, a bracket and a sign are one level each, and operators none
  const auto nested = [](int levels, const std::string& open) {
    std::string text = "x";
    for (int i = 0; i < levels; ++i) text = open + text + (open.ends_with('(') ? ")" : "");
    return message_of(in_graph("  return out = " + text));
  };
  for (const std::string open : {"exp(", "(", "-", "y + y * exp("}) {
    CAPTURE(open);
    CHECK(nested(100, open) == "");
    CHECK(nested(101, open).find("nest deeper than 100 levels") != std::string::npos);
  }
  const auto sized = [](int levels) {
    return message_of(in_graph("  return out = size(" + std::string(levels, '(') + "n" + std::string(levels, ')') + ")"));
  };
  CHECK(sized(99) == "");  // and the call of size
  CHECK(sized(100).find("nest deeper than 100 levels") != std::string::npos);
  std::string sum = "x", sizes = "n";
  for (int i = 0; i < 100000; ++i) sum += " + y";
  for (int i = 0; i < 100000; ++i) sizes += " + n";
  CHECK(parse_graph(in_graph("  return out = " + sum))->live_nodes().size() == 100002);
  CHECK(message_of(in_graph("  return out = size(" + sizes + ")")) == "");
  // expressions that grow without end are refused before they cost anything
  std::string many = "n0", product = "(n0 + n1)";
  for (int i = 1; i < 5000; ++i) many += cat(" + n", i);
  for (int i = 1; i < 40; ++i) product += cat("*(n", 2 * i, " + n", 2 * i + 1, ")");
  CHECK(message_of("graph g(x: f32[" + many + "]) {\nreturn x\n}").find("more than 1000 parts") != std::string::npos);
  CHECK(message_of("graph g(x: f32[" + product + "]) {\nreturn x\n}").find("parts") != std::string::npos);
  std::string doubling = "  a0 = s\n";
  for (int i = 0; i < 60; ++i)
    doubling += cat("  a", i + 1, " = concat(a", i, ", slice(a", i, ", start=[", i + 2, ", none], stop=[-", i + 1, ", none], step=[",
                    i % 5 + 2, ", 1]))\n");
  CHECK(message_of(in_graph(doubling + "  return out = a60")).find("parts") != std::string::npos);
}

TEST_CASE("G18.text: a byte order mark is skipped at the start alone, and names hold no zero byte") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(print_graph(*parse_graph(mark + kSoftmax)) == print_graph(*parse_graph(kSoftmax)));
  CHECK(message_of(mark + "grap") == message_of("grap"));  // columns do not count it
  CHECK(message_of(mark + mark + kSoftmax).starts_with("line 1, column 1: "));
  const std::string hidden = in_graph("  \"a\\x00b\" = x\n  return out = x");
  CHECK(message_of(hidden) == "line 3, column 3: a zero byte in a name");
  CHECK(message_of(in_graph(std::string("  \"a\0b\" = x\n  return out = x", 29))) == "line 3, column 3: a zero byte in a name");
  CHECK(message_of(in_graph("  \"a\\\\x00b\" = x\n  return out = x")) == "");  // a backslash and four letters
}

TEST_CASE("G18.text: mangled text parses or fails, and what parses comes back") {
  const std::vector<std::string> seeds = {
      kSoftmax,
      in_graph(
          "  a, b2 = split(x, sections=[1], axis=1)\n  c = concat(a, b2, axis=-1) * 2 - relu(y)\n  return out = where(c < 1, c, -0.5)"),
      in_graph("  w = unfold2d(s, size=[2, 3], stride=2, padding=[[1, 0], 2])\n  return out = sum(w, axes=[-1, -2], keepdims=true), k = "
               "size(n // 2)"),
      in_graph("  c = constant_array([[1, 2], [3, 4]], dtype=i64)\n  p = pad(c, before=[1, 0], after=[0, 2], value=7)\n  return \"odd "
               "name\" = p, q = f32(bits=0x7fc00001)"),
      in_graph("  r = roll(s, shift=[n, -1], axis=[0, 1])\n  return out = slice(r, start=[1, none], stop=[none, -2], step=[2, -1]), o = "
               "one_hot(i, depth=n)"),
  };
  const std::vector<std::string> scraps = {"(",   ")",    "[",  "]",    "{",   "}",  ",",     "=",       "-",
                                           "*",   "//",   "%",  "n",    "x",   "0",  "1",     "-1",      "9223372036854775807",
                                           "f32", "none", "\n", "\"",   "..",  "in", "axes=", "return ", "0x",
                                           "1e",  ".",    "#",  "max(", "true"};
  std::mt19937 random(11);
  int parsed = 0, failed = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = seeds[round % seeds.size()];
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const size_t at = random() % text.size(), length = std::min<size_t>(random() % 6, text.size() - at);
      switch (random() % 4) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, scraps[random() % scraps.size()]); break;
        case 2: text.replace(at, length, scraps[random() % scraps.size()]); break;
        default: text[at] = static_cast<char>(random() % 256); break;
      }
      if (text.empty()) text = " ";
    }
    try {
      const auto graph = parse_graph(text);
      ++parsed;
      const std::string printed = print_graph(*graph);
      CAPTURE(text);
      REQUIRE(print_graph(*parse_graph(printed)) == printed);
    } catch (const Error& e) {
      ++failed;
      CAPTURE(text);
      REQUIRE(e.code != Code::kInternal);
      REQUIRE(e.message.starts_with("line "));
    }
  }
  CHECK(parsed > 200);
  CHECK(failed > 2000);
}

TEST_CASE("G18.text: base64") {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 300; ++i) {
    CHECK(base64_decode(base64_encode(bytes)) == bytes);
    bytes.push_back(static_cast<std::byte>(i * 37));
  }
  CHECK(base64_encode(std::as_bytes(std::span("hi", 2))) == "aGk=");
  for (const char* bad : {"a", "aGk", "aGl=", "aG=k", "====", "aG k", "aGk=aGk="}) CHECK_MESSAGE(!base64_decode(bad).has_value(), bad);
}
