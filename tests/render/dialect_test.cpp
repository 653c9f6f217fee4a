// Tests that a dialect of the renderer determines how a kernel is written as text. A dialect is a table of functions
// (render/kernel/dialect.h). Each test replaces one function of the C dialect. The text must change exactly where that function is used:
// undoing the change in the text must give the C text again.
#include <regex>

#include "render/c/dialect.h"
#include "render/text/definitions.h"
#include "support/rendered.h"

namespace {

using namespace harp;
using namespace harp::testing;

/// Makes a module that computes y[i] = x[i] < 0.5 ? floor(x[i] * 2.5) : x[i], and adds the first three elements in an unrolled loop.
ModuleBuilder& small_module(ModuleBuilder& b) {
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), total = b.output(DType::kF32);
  const auto constant = [&](double value) { return b.arena->constant(scalar_from_double(DType::kF32, value)); };
  const auto alu = [&](Op op, DType dtype, std::vector<const UOp*> sources) {
    UOp u{.kind = UKind::kAlu, .op = op, .type = {dtype, 1}};
    u.sources = std::move(sources);
    return b.arena->intern(std::move(u));
  };
  const Sym i = b.syms->loop("i", 0, 100), j = b.syms->loop("j", 0, 3);
  const UOp* element = b.load(DType::kF32, 0, i, 1);
  const UOp* scaled = alu(Op::kFloor, DType::kF32, {alu(Op::kMul, DType::kF32, {element, constant(2.5)})});
  const UOp* is_less = alu(Op::kLt, DType::kBool, {element, constant(0.5)});
  ir::Kernel k;
  k.comment = "small";
  k.accumulators = {{{DType::kF32, 1}, 1, Op::kAdd, scalar_from_double(DType::kF32, 0)}};
  k.body = {b.loop(i, 0, 100, 1, {b.store(1, i, alu(Op::kWhere, DType::kF32, {is_less, scaled, element}))}),
            b.accumulator<ir::AccDeclare>(0), b.loop(j, 0, 3, 1, {b.update(0, 0, b.load(DType::kF32, 0, j, 1))}, ir::LoopKind::kUnroll),
            b.store(2, 0, b.arena->acc(DType::kF32, 0, 0))};
  b.launch(std::move(k), {x}, {y, total});
  return b;
}

std::string text_in(const render::Dialect& dialect) {
  ModuleBuilder b;
  small_module(b);
  ir::verify(b.module);
  return render::render_c(b.module, {.target = row("x86-64-v3")}, nullptr, dialect);
}

/// Checks that the text in this dialect differs from the C text, and that replacing `pattern` by `original` gives the C text again.
void check_replaced(const render::Dialect& dialect, const std::string& pattern, const std::string& original) {
  const std::string c = text_in(render::kC), other = text_in(dialect);
  CHECK(other != c);
  CHECK(std::regex_replace(other, std::regex(pattern), original) == c);
}

TEST_CASE("H2.source: a dialect with another spelling of float literals changes these alone") {
  render::Dialect dialect = render::kC;
  dialect.literal = [](const Scalar& value) {
    render::Literal literal = render::kC.literal(value);
    if (value.dtype == DType::kF32) literal.text = cat("FLOAT(", literal.text, ")");
    return literal;
  };
  check_replaced(dialect, R"(FLOAT\(([^)]*)\))", "$1");
  CHECK(text_in(dialect).find("* FLOAT(2.5f)") != std::string::npos);
}

TEST_CASE("H2.source: a dialect with another head of loops changes these alone") {
  render::Dialect dialect = render::kC;
  dialect.loop = "LOOP($TYPE, $VARIABLE, $BEGIN, $END, $ADVANCE) {";
  check_replaced(dialect, R"(LOOP\((\w+), (\w+), ([^,]*), ([^,]*), ([^)]*)\) \{)", "for ($1 $2 = $3; $2 < $4; $5) {");
  CHECK(text_in(dialect).find("LOOP(int64_t, ridx0, 0, 100, ++ridx0) {") != std::string::npos);
}

TEST_CASE("H2.source: a dialect with another rule for an operation changes the function of that operation alone") {
  static constexpr render::Rule kFloor[] = {{Op::kFloor, render::kFloats, render::Form::kHelper, render::kPrimary, "ROUND_DOWN($a)"}};
  render::Dialect dialect = render::kC;
  dialect.rules = kFloor;
  check_replaced(dialect, R"(ROUND_DOWN)", "__builtin_floorf");
}

TEST_CASE("H2.source: a dialect with other heads of functions and kernels changes these alone") {
  render::Dialect dialect = render::kC;
  dialect.unroll = "#pragma unroll $COUNT";
  check_replaced(dialect, "#pragma unroll 3", "#pragma GCC unroll 3");
  dialect = render::kC;
  dialect.inlined = "static __device__ ";
  check_replaced(dialect, "static __device__ ", "static inline ");
  dialect = render::kC;
  dialect.kernel_head = "extern \"C\" __global__ void $NAME($PARAMETERS) ";
  check_replaced(dialect, "extern \"C\" __global__ void", "static __attribute__((noinline)) void");
}

TEST_CASE("H2.source: definitions are written once, after those that they mention, wherever they were added") {
  render::Definitions first, last;
  const auto add_inner = [](render::Definitions& to) {
    to.once(
        "inner", [] { return std::string("/* for other */\nint inner;\n"); }, true);
  };
  const auto add_outer = [](render::Definitions& to) { to.once("outer", [] { return std::string("int outer = inner;\n"); }); };
  const auto add_other = [](render::Definitions& to) { to.once("other", [] { return std::string("int other = outer;\n"); }); };
  const auto add_type = [](render::Definitions& to) { to.type_once("number", "typedef int number;\n"); };
  add_inner(first), add_outer(first), add_inner(first), add_other(first), add_type(first);
  add_type(last), add_type(last), add_other(last), add_outer(last), add_inner(last);
  for (const render::Definitions* definitions : {&first, &last}) {
    const render::Definitions::Ordered ordered = definitions->ordered("");
    CHECK(ordered.text == "typedef int number;\n\n/* for other */\nint inner;\n\nint outer = inner;\n\nint other = outer;\n");
    REQUIRE(ordered.shared.size() == 1);
    CHECK(ordered.text.substr(ordered.shared[0].begin, ordered.shared[0].end - ordered.shared[0].begin) == "/* for other */\nint inner;\n");
  }
  first.once("alone", [] { return std::string("int alone;\n"); });
  const std::string text = first.ordered("f(alone, /* inner */ other)").text;
  CHECK(text.find("int alone") < text.find("int inner"));
}

TEST_CASE("H2.source: the key of a definition is a name that it defines") {
  render::Definitions definitions;
  CHECK_THROWS_AS(definitions.once("name", [] { return std::string("int names;\n"); }), Error);
}

}  // namespace
