// Tests misuse of graphs, one case for each mistake: the error's code and message. (capi_errors_test.cpp tests what the C API adds: NULL,
// handles of other graphs, and that a graph keeps its first error.)
#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "graph/composites.h"
#include "graph/requirements.h"
#include "graph/text.h"

using namespace harp;
using build::NodeRef;

namespace {

struct Misuse {
  const char* expression;
  Code code;
  const char* message;  // a part of the expected message
};

/// Returns the error, without its position, of a graph that returns `expression` over the inputs below.
Error error_of(const std::string& expression, const std::string& flags) {
  try {
    parse_graph(
        "graph g(h: f32[n in 0..4096, 64], w: f32[32], x: f32[2, 3], d: f64[2, 3], i: i32[2, 3], l: i64[2, 3], b: bool[2, 3], c: f32[], e: "
        "f32[0, 3], "
        "r: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], big: f32[n, m]) " +
        flags + " {\n  return out = " + expression + "\n}");
    return Error(Code::kOk, "no error");
  } catch (const Error& e) {
    return Error(e.code, e.message.substr(e.message.find(": ") + 2));
  }
}

void check(const Misuse& misuse, const std::string& flags = "") {
  const Error e = error_of(misuse.expression, flags);
  CAPTURE(std::string(misuse.expression));
  CHECK(code_name(e.code) == code_name(misuse.code));
  CHECK(e.message.find(misuse.message) != std::string::npos);
  if (e.message.find(misuse.message) == std::string::npos) MESSAGE(e.message);
}

}  // namespace

TEST_CASE("G7.error: shapes that do not fit name operation, both shapes and both nodes") {
  check(
      {"h + w", Code::kShape,
       "add: operands have shapes [n, 64] and [32] (nodes \"h\" and \"w\"); shapes must be identical, or one operand must be a scalar (or "
       "make the graph with the broadcast flag)"});
  check({"h - w", Code::kShape, "sub: operands have shapes [n, 64] and [32] (nodes \"h\" and \"w\")"});
  check({"x > h", Code::kShape, "gt: operands have shapes [2, 3] and [n, 64] (nodes \"x\" and \"h\")"});
  check({"where(b, h, c)", Code::kShape, "where: operands have shapes [2, 3], [n, 64] and [] (nodes \"b\", \"h\" and \"c\")"});
  check({"exp(h) * w", Code::kShape, "mul: operands have shapes [n, 64] and [32] (nodes exp #"});
  check({"clip(x, w, c)", Code::kShape, "clip: operands have shapes [2, 3], [32] and []"});
  check({"lerp(x, w, c)", Code::kShape, "lerp: operands have shapes [2, 3], [32] and []"});
}

TEST_CASE("G8.error: shapes that do not broadcast") {
  check({"h + w", Code::kShape,
         "add: Cannot broadcast shapes [n, 64] and [32]: axis 1 of the result would be 64 and 32 (nodes \"h\" and \"w\")"},
        "flags=[broadcast]");
  check({"h * big", Code::kShape,
         "mul: Cannot broadcast shapes [n, 64] and [n, m]: axis 1 of the result would be 64 and m; only an axis of "
         "constant size 1 can be broadcast"},
        "flags=[broadcast]");
  check({"broadcast_to(x, [3, 2])", Code::kShape, "broadcast_to: \"x\" of shape [2, 3] does not broadcast to [3, 2]"});
  check({"broadcast_to(x, [3])", Code::kShape, "broadcast_to: \"x\" of shape [2, 3] does not broadcast to [3]"});
  check({"expand(x, [2, 6])", Code::kShape, "expand: axis 1 of \"x\" has size 3 and cannot become 6"});
  check({"expand(x, [1, 2, 3])", Code::kShape,
         "expand: \"x\" has shape [2, 3], which has a different number of axes than [1, 2, 3]; use broadcast_to"});
}

TEST_CASE("G9 errors: dtypes that do not fit suggest the cast") {
  check({"x + d", Code::kDType,
         "add: operands have dtypes f32 and f64 (nodes \"x\" and \"d\"); they must be the same: cast one, for example cast(\"d\", "
         "dtype=f32), or make "
         "the graph with the promote flag"});
  check({"i / i", Code::kDType,
         "div: takes a float or complex dtype, got i32 (nodes \"i\" and \"i\"); use floor_divide for whole numbers, or cast to f32"});
  check({"exp(l)", Code::kDType, "exp: takes a float or complex dtype, got i64 (node \"l\"); cast to f32 or f64 first"});
  check({"mean(i)", Code::kDType, "mean: takes a float or complex dtype, got i32 (node \"i\")"});
  check({"sigmoid(b)", Code::kDType, "sigmoid: takes a float dtype, got bool"});
  check({"b + b", Code::kDType,
         "add: takes an integer, float or complex dtype, got bool (nodes \"b\" and \"b\"); cast it first, for example to i32"});
  check({"sum(b)", Code::kDType, "sum: takes an integer, float or complex dtype, got bool (\"b\"); cast it first, for example to i32"});
  check({"x & x", Code::kDType, "bitwise_and: takes bool or an integer dtype, got f32"});
  check({"b << b", Code::kDType, "left_shift: takes an integer dtype, got bool"});
  check({"where(i, x, x)", Code::kDType, "where: the condition must be bool, got i32 (\"i\"); compare it with 0 first"});
  check({"where(b, x, d)", Code::kDType, "where: operands have dtypes f32 and f64"});
  check({"bitcast(x, i64)", Code::kDType, "bitcast: f32 has 4 bytes per element, i64 has 8"});
  check({"concat(x, d)", Code::kDType, "concat: operands have dtypes f32 and f64"});
  check({"one_hot(x, 3)", Code::kDType, "one_hot: the indices are f32 (\"x\"); they must be integers"});
  check({"cast(x, f16) & f16(1)", Code::kDType, "bitwise_and: takes bool or an integer dtype, got f16"});
  check({"cast(x, bf16) + cast(x, f16)", Code::kDType, "add: operands have dtypes bf16 and f16"});
  check({"cast(i, u8) + cast(i, i8)", Code::kDType, "add: operands have dtypes u8 and i8"});
  check({"exp(cast(i, u8))", Code::kDType, "exp: takes a float or complex dtype, got u8"});
  check({"bitcast(cast(x, f16), f32)", Code::kDType, "bitcast: f16 has 2 bytes per element, f32 has 4"});
  check({"cast(i, i8) + 128", Code::kRange, "128 does not fit i8"});
  check({"cast(i, u8) - -1", Code::kRange, "-1 does not fit u8"});
  check({"cast(i, u64) + 18446744073709551616", Code::kRange, "18446744073709551616 does not fit u64"});
  check({"cast(x, f16) + 65520", Code::kRange, "65520 does not fit f16"});
  check({"cast(x, bf16) * -3.4e38", Code::kRange, "-3.4e38 does not fit bf16"});
  check({"arange(300, dtype=u8)", Code::kRange, "arange: 0 to 299 does not fit u8; give another dtype"});
  check({"linspace(0, 1, 5, dtype=i32)", Code::kDType, "linspace: expected a float dtype, got i32"});
  check({"pad(x, [0, 0], [1, 0], value=i32(1))", Code::kDType, "pad: expected a value of f32, got i32"});
  check({"b + i", Code::kDType, "add: operands have dtypes bool and i32"});
  check({"i + 0.5", Code::kRange, "0.5 does not fit i32"});
  check({"i + 3000000000", Code::kRange, "3000000000 does not fit i32"});
  check({"powi(i, -1)", Code::kRange, "powi: -1 as the exponent of i32 (\"i\"); an integer base needs an exponent of at least 0"});
}

TEST_CASE("G3 errors: axes and empty reductions") {
  check({"sum(x, axes=[2])", Code::kShape, "sum: axis 2 is out of range for rank 2 (-2..1)"});
  check({"sum(c, axes=[0])", Code::kShape, "sum: axis 0 is out of range for rank 0 (a scalar has no axes)"});
  check({"sum(x, axes=[0, -2])", Code::kShape, "sum: axis 0 is named twice in [0, -2]"});
  check({"max(e, axes=[0])", Code::kShape, "max: axis 0 of \"e\" with shape [0, 3] is empty, so there is no greatest element"});
  check({"min(e)", Code::kShape, "min: axis 0 of \"e\" with shape [0, 3] is empty, so there is no least element"});
  check({"sum(x, axes=[0], order=tree)", Code::kInvalidArgument, "sum: order is \"tree\"; it must be lanes or chain"});
  check({"sum(x, axes=[0], order=lanes, product=true)", Code::kInvalidArgument,
         "sum: product=true requires a sum of a float mul, got a sum of \"x\""});
  check({"prod(x * x, axes=[0], order=lanes, product=true)", Code::kInvalidArgument,
         "product=true requires a sum of a float mul, got a prod"});
  check({"sum(x, axes=[], order=lanes)", Code::kShape, "sum: an order is given, but no axes"});
  check({"softmax(x, axis=5)", Code::kShape, "softmax: axis 5 is out of range for rank 2"});
  check({"var(x, correction=-1)", Code::kRange, "var: correction is -1"});
  CHECK(error_of("any(cast(e, dtype=bool))", "").code == Code::kOk);  // no error: the result is false, as in NumPy
  CHECK(error_of("max(e, axes=[1])", "").code == Code::kOk);
  CHECK(error_of("sum(e)", "").code == Code::kOk);
}

TEST_CASE("G5 errors: movements") {
  check({"permute(x, [0])", Code::kShape, "permute: 1 axes for \"x\" of shape [2, 3]; each of its 2 axes must be named once"});
  check({"permute(x, [0, 0])", Code::kShape, "permute: axis 0 is named twice in [0, 0]"});
  check({"transpose(x, [0])", Code::kShape, "transpose: 1 axes for \"x\""});
  check({"moveaxis(x, [0], [0, 1])", Code::kShape, "moveaxis: 1 source axes, but 2 destination axes"});
  check({"reshape(x, [4])", Code::kShape, "reshape: \"x\" has shape [2, 3] (6 elements), [4] has 4"});
  check({"reshape(x, [-1, -1])", Code::kShape, "reshape: more than one -1 in [-1, -1]"});
  check({"reshape(x, [-1, 4])", Code::kShape,
         "reshape: cannot infer -1 in [-1, 4] for \"x\" of shape [2, 3]: 6 elements are not a multiple of 4"});
  check({"reshape(h, [-1, 7])", Code::kShape, "64*n elements are not known to be a multiple of 7"});
  check({"reshape(e, [-1, 0])", Code::kShape, "reshape: -1 in [-1, 0] is ambiguous"});
  check({"reshape(h, [m, 64])", Code::kShape,
         "reshape: \"h\" has shape [n, 64] (64*n elements), [m, 64] has 64*m; the two must be the same expression"});
  check({"reshape(x, [-2, -3])", Code::kRange, "reshape: the size of axis 0 is -2, which is negative"});
  check({"unsqueeze(r, [0])", Code::kShape, "unsqueeze: the result would have 17 axes; at most 16 are allowed"});
  check({"reshape(c, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])", Code::kShape, "reshape: the result would have 17 axes"});
  check({"squeeze(x, [0])", Code::kShape, "squeeze: axis 0 of \"x\" has size 2, expected 1"});
  check({"flatten(x, 1, 0)", Code::kShape, "flatten: start_axis 1 comes after end_axis 0; expected start_axis <= end_axis"});
  check({"slice(x, start=[0])", Code::kShape, "slice: start has 1 entries, the array [2, 3] has 2 axes"});
  check({"slice(x, step=[0, 1])", Code::kRange, "slice: the step of axis 0 is 0; it must not be 0"});
  check({"slice(x, start=[2, 0], size=[1, 3])", Code::kRange, "slice: elements 2 to 2 of axis 0 are not all inside \"x\" of shape [2, 3]"});
  check({"slice(x, start=[0, 0], size=[2, 4])", Code::kRange, "slice: elements 0 to 3 of axis 1 are not all inside \"x\""});
  check({"slice(x, size=[2, 3], stop=[2, 3])", Code::kInvalidArgument, "slice: stop and size are both given; give one of them"});
  check({"pad(x, [-2, 0], [-1, 0])", Code::kShape,
         "pad: negative padding takes 2 elements from the start of axis 0 and 1 from its end, but \"x\" of shape [2, 3] has 2 there"});
  check({"pad(x, [1], [1])", Code::kShape, "pad: 1 amounts before and 1 after for \"x\" of shape [2, 3]"});
  check({"pad(x, [1, 0], [1, 0], mode=mirror)", Code::kInvalidArgument,
         "pad: mode is \"mirror\"; it must be constant, edge, reflect, symmetric or wrap"});
  check({"pad(e, [2, 0], [0, 0], mode=reflect)", Code::kShape,
         "pad: mode=reflect needs an element; axis 0 of \"e\" of shape [0, 3] has none"});
  check({"pad(e, [0, 0], [1, 0], mode=edge)", Code::kShape, "pad: mode=edge needs an element; axis 0 of \"e\""});
  check({"unfold(x, [1], [4])", Code::kShape, "unfold: a window reaches over 4 elements, axis 1 of \"x\" has 3"});
  check({"unfold(x, [1], [-1])", Code::kRange, "unfold: the window size is -1"});
  check({"unfold(x, [1], [2], stride=0)", Code::kRange, "unfold: stride 0 and dilation 1 must be at least 1"});
  check({"unfold2d(w, 2)", Code::kShape, "unfold2d: \"w\" has shape [32]; at least 2 axes are needed"});
  check({"concat(x, w)", Code::kShape,
         "concat: operands have shapes [2, 3] and [32] (nodes \"x\" and \"w\"); they must be identical except along axis 0"});
  check({"concat(c, c)", Code::kShape, "concat: scalars cannot be concatenated (nodes \"c\" and \"c\"); use stack"});
  check({"stack(x, w)", Code::kShape, "stack: operands have shapes [2, 3] and [32]"});
  check({"split(x, sections=4)", Code::kShape, "split: axis 0 of \"x\" has size 2, which is not a multiple of 4"});
  check({"split(h, sections=2)", Code::kShape, "has size n, which is not known to be a multiple of 2"});
  check({"split(x, sections=0)", Code::kRange, "split: 0 sections"});
  check({"roll(x, [1, 2, 3], axis=[0, 1])", Code::kShape, "roll: 3 shifts for 2 axes"});
  check({"repeat(x, -1, axis=0)", Code::kRange, "repeat: the number of repeats of axis 0 is -1"});
  check({"tril(w)", Code::kShape, "tril: \"w\" has shape [32]; at least 2 axes are needed"});
}

TEST_CASE("G16 errors: sizes that overflow or are negative") {
  check({"full([4294967296, 4294967296], 1, dtype=f32)", Code::kOverflow, "has more bytes than 64 bits can count"});
  check({"full([0, 4294967296, 4294967296], 1, dtype=f32)", Code::kOverflow, "has more bytes than 64 bits can count"});
  check({"full([1152921504606846976], 1, dtype=f64)", Code::kOverflow, "full: an array f64[1152921504606846976] has more bytes"});
  check({"full([-5], 1, dtype=f32)", Code::kRange, "full: the size of axis 0 is -5, which is negative"});
  check({"full([n - 5000], 1, dtype=f32)", Code::kRange, "the size of axis 0 is n - 5000, which is negative for all sizes (at most -904)"});
  check(
      {"full([9223372036854775807 + 1], 1, dtype=f32)", Code::kOverflow, "size arithmetic: 9223372036854775807 + 1 does not fit 64 bits"});
  check({"full([9223372036854775808], 1, dtype=f32)", Code::kParse, "9223372036854775808 does not fit 64 bits"});
  check({"full([-9223372036854775809], 1, dtype=f32)", Code::kParse, "-9223372036854775809 does not fit 64 bits"});
  const std::string long_size = cat("full([", std::string(100000, '9'), "], 1, dtype=f32)");
  check({long_size.c_str(), Code::kParse, "99... (100000 characters) does not fit 64 bits"});
  const std::string long_value = cat("full([1], ", std::string(50000, '9'), ", dtype=i32)");
  check({long_value.c_str(), Code::kRange, "99... (50000 characters) does not fit i32"});
  CHECK_NOTHROW(parse_graph("graph g(x: f32[n]) {\n  return y = powi(x, -9223372036854775808)\n}"));
  check({"arange(3000000000, dtype=i64)", Code::kRange, "arange: 3000000000 elements do not fit i32"});
  check({"arange(5, start=2147483647)", Code::kRange, "arange: 2147483647 to 2147483651 does not fit i32; give another dtype"});
  check({"arange()", Code::kInvalidArgument, "arange: neither n nor stop is given; give one of them"});
  check({"slice(x, step=[-9223372036854775807 - 1, 1])", Code::kOverflow, "slice: the step of axis 0"});
  CHECK(error_of("full([n - 5], 1, dtype=f32)", "").code == Code::kOk);  // no error, because the size is checked when the program runs
}

TEST_CASE("G1 errors: nodes of two graphs, missing nodes, names") {
  Graph a({}, "first"), b({}, "second");
  const NodeRef x = a.add_input("x", DType::kF32, {2}), y = b.add_input("y", DType::kF32, {2});
  auto error = [](auto body) {
    try {
      body();
      return Error(Code::kOk, "no error");
    } catch (const Error& e) {
      return e;
    }
  };
  Error e = error([&] { build::elementwise(Op::kAdd, {x, y}); });
  CHECK(e.code == Code::kInvalidArgument);
  CHECK(e.message == "add: nodes \"x\" and \"y\" belong to different graphs (\"first\" and \"second\")");
  CHECK(error([&] { build::sub(x, nullptr); }).message == "sub: operand 1 of 2 is missing (it is null)");
  CHECK(error([&] { build::elementwise(Op::kAdd, {x}); }).message == "add: takes 2 operands, got 1");
  CHECK(error([&] { a.add_output("o", y); }).code == Code::kInvalidArgument);
  CHECK(error([&] { a.set_node_name(y, "o"); }).code == Code::kInvalidArgument);
  CHECK(error([&] { a.add_input("", DType::kF32, {}); }).message == "input: the name is empty");
  CHECK(error([&] { a.add_input("z", DType::kUnknown, {}); }).code == Code::kDType);
  CHECK(error([&] { a.add_input("z", DType::kF32, Shape(17, Dim(1))); }).message ==
        "input \"z\": the result would have 17 axes; at most 16 are allowed");
  CHECK(error([&] { a.add_input("z", DType::kF32, {b.dims().variable("n", 0, 9)}); }).message ==
        "input \"z\": the size of axis 0 uses shape variables of another graph");
  const std::byte three[3] = {};
  CHECK(error([&] { build::constant_array(a, DType::kF32, {1}, three); }).message == "constant_array: f32[1] needs 4 bytes, got 3");
  CHECK(error([&] { build::constant_array(a, DType::kF32, {a.dims().variable("n", 0, 9)}, three); }).code == Code::kShape);
  CHECK(error([&] { a.dims().variable("n", 0, 10); }).code == Code::kInvalidArgument);
  const NodeRef many[] = {x, x, x, x, x, x, x, x, x, x, x, y};
  CHECK(error([&] { build::concat(many, 0); }).message.find("and 4 more") != std::string::npos);
  CHECK(a.nodes().size() == 1);  // the failed calls have created no node
}

TEST_CASE("G16.slices: what a run needs of its sizes is said about the arrays that have names, not about inner nodes") {
  const auto needs = [](const std::string& statement) {
    const auto graph = parse_graph("graph g(x: f32[n in 0..99]) {\n  " + statement + "\n}");
    std::vector<std::string> messages;
    for (const Requirement& requirement : requirements(*graph))
      if (!requirement.message.empty()) messages.push_back(requirement.message);
    return messages;
  };
  const auto is_said = [&](const std::string& statement, const std::string& message) {
    const std::vector<std::string> messages = needs(statement);
    CAPTURE(statement);
    CHECK(std::find(messages.begin(), messages.end(), message) != messages.end());
    for (const std::string& said : messages) {
      CAPTURE(said);
      CHECK(said.find("node ") == said.npos);
      CHECK(said.find("#") == said.npos);
      CHECK(said.find("\"x\"") != said.npos);
    }
  };
  is_said("return y = x[0]", "element 0 of axis 0 of \"x\" (input f32[n]) is taken, but the axis has size n");
  is_said("values, indices = topk(x, 3)\n  return values",
          "elements 0 to 2 of axis 0 of argsort i64[n], computed from \"x\", are taken, but the axis has size n");
  is_said("return y = irfft(complex_from_parts(x, x))",
          "axis 0 of slice f32[n - 2], computed from \"x\", has size n - 2, which is negative");
  is_said("return y = pad(x, [n - 3], [0])", "the padding before axis 0 of \"x\" (input f32[n]) is n - 3, which is negative");
  is_said("return y = pad(x, [n - 3], [0])", "axis 0 of pad f32[2*n - 3], computed from \"x\", has size 2*n - 3, which is negative");
}
