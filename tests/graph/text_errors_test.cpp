// Tests unusual texts: sizes of any form, several results, and errors with their position. Any text, however damaged, must either be parsed
// or be rejected with an error.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "base/error.h"
#include "base/utf8.h"
#include "graph/base64.h"
#include "graph/text.h"
#include "graph/text_lexer.h"
#include "support/text_support.h"

using namespace harp;
using namespace text_test;

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

/// Returns a size in a form that a user may write: any operators and any nesting, over the variables n, m and k.
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
    // No output uses these nodes. The printer leaves them out.
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
        "line 3, column 7: the right side gives 2 results for 1 name");
  CHECK(message_of(in_graph("  return a = split(x, sections=[1]) + x")) ==
        "line 3, column 14: split gives 2 results; assign them in a statement of their own");
}

TEST_CASE("G18.text: errors tell line, column and what is wrong") {
  auto error = [](const std::string& statement) { return message_of(in_graph("  " + statement + "\n  return out = x")); };
  CHECK(message_of("") == "line 1, column 1: expected \"graph\", found the end of the text");
  CHECK(message_of("harp 2\ngraph g() {\nreturn\n}") == "line 1, column 6: the text has version 2, but this version of harp reads up to 1");
  CHECK(message_of("graph g(x: f33[2]) {\nreturn x\n}") ==
        "line 1, column 12: expected a dtype (bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, complex64, complex128), "
        "found \"f33\"");
  CHECK(message_of("graph g(x: f32[2) {\nreturn x\n}") == "line 1, column 17: expected \",\" or \"]\", found \")\"");
  CHECK(message_of("graph g(x: f32[n in 5..2]) {\nreturn x\n}") ==
        "line 1, column 16: shape variable \"n\": its bounds 5..2 are empty; expected lo <= hi");
  CHECK(message_of("graph g(x: f32[2], x: f32[2]) {\nreturn x\n}") ==
        "line 1, column 20: input: the graph already has an input called \"x\"");
  CHECK(message_of("graph g(x: f32[2]) flags=[fast] {\nreturn x\n}") ==
        "line 1, column 27: expected a flag (broadcast, promote, promote_mixed), found \"fast\"");
  CHECK(message_of("graph g(x: f32[2]) {\n return y = x, y = x\n}") ==
        "line 2, column 16: output: the graph already has an output called \"y\"");
  CHECK(message_of("graph g(x: f32[2]) {\n return x\n} x") == "line 3, column 3: expected the end of the text, found \"x\"");
  CHECK(message_of("graph g(x: f32[2]) {\n") == "line 2, column 1: expected a statement or \"return\", found the end of the text");
  CHECK(error("a = x + + ") == "line 3, column 13: expected an expression, found the end of the line");
  const std::string logical_and = "; logical and is written &, as in (a < b) & (c < d)";
  const std::string logical_or = "; logical or is written |, as in (a < b) | (c < d)";
  CHECK(error("a = x < x && x < x") == "line 3, column 14: expected an expression, found \"&\"" + logical_and);
  CHECK(error("a = x < x || x < x") == "line 3, column 14: expected an expression, found \"|\"" + logical_or);
  CHECK(error("a = x < x and x < x") == "line 3, column 13: expected the end of the line, found \"and\"" + logical_and);
  CHECK(error("a = (x < x or x < x)") == "line 3, column 14: expected \")\", found \"or\"" + logical_or);
  CHECK(error("a = x ++ y") == "");
  CHECK(error("a = sim(x)") == "line 3, column 7: unknown operation \"sim\"; is it sin?");
  CHECK(error("a = frobnicate(x)") == "line 3, column 7: unknown operation \"frobnicate\"");
  CHECK(error("a = z") == "line 3, column 7: unknown name \"z\"");
  const std::string is_size = "\"n\" is a size, not an array; write size(n) for its value, an i64";
  CHECK(error("a = s * n") == "line 3, column 11: " + is_size);
  CHECK(error("a = -n") == "line 3, column 8: " + is_size);
  CHECK(error("a = i[n / 2]") == "line 3, column 9: " + is_size);
  CHECK(message_of(in_graph("  return n")) == "line 3, column 10: " + is_size);
  CHECK(error("a = s * cast(size(n), dtype=f32)") == "");
  CHECK(error("x = y") == "line 3, column 3: the name \"x\" is already used");
  CHECK(error("a = 0.5") == "line 3, column 7: the number 0.5 has no dtype here: write it as f32(…), f64(…), i32(…), i64(…) or bool(…)");
  CHECK(error("a = exp(2)").find("the number 2 has no dtype here") != std::string::npos);
  CHECK(error("a = sum(x, axis=[0])") == "line 3, column 14: sum has no parameter \"axis\"; it takes x, axes, keepdims, order, product");
  CHECK(error("a = permute(x)") == "line 3, column 7: permute needs axes");
  CHECK(error("a = permute(x, axes=[0, 1], axes=[0])") == "line 3, column 31: parameter axes is given twice");
  CHECK(error("a = permute(axes=[1, 0], x)") == "line 3, column 28: a positional argument follows a keyword argument");
  CHECK(error("a = exp(x, y)") == "line 3, column 14: exp takes at most 1 arguments: x");
  CHECK(error("a = sum(x, axes=[0.5])") == "line 3, column 20: expected a size, found \"0.5\"");
  CHECK(error("a = sum(x, axes=[n])") == "line 3, column 7: sum, axes: expected integers, got n");
  CHECK(error("a = sum(x, keepdims=1)") == "line 3, column 7: sum, keepdims: expected true or false, got 1");
  CHECK(error("a = sum(x, keepdims=maybe)") == "line 3, column 23: expected true or false, found \"maybe\"");
  CHECK(error("a = max_pool(x, [2, 2], ceil_mode=maybe)") == "line 3, column 37: expected true or false, found \"maybe\"");
  CHECK(error("a = leaky_relu(x, maybe)") == "line 3, column 21: expected a number, found \"maybe\"");
  CHECK(error("a = cast(x, dtype=float)").find("expected a dtype") != std::string::npos);
  CHECK(error("a = cast(x, f99)").ends_with("f64, complex64, complex128), got \"f99\""));
  CHECK(error("a = sum(x, keepdims=none)").ends_with("expected true or false, got none"));
  CHECK(error("a = reshape(x, shape=[[1, 2]])").ends_with("expected sizes, got [1, 2]"));
  CHECK(error("a = reshape(x, shape=[q, 3])") ==
        "line 3, column 25: unknown shape variable \"q\"; the inputs or a shape statement declare them");
  CHECK(error("a = x < y < x") == "line 3, column 13: comparisons do not chain; write (a < b) & (b < c)");
  CHECK(
      error("a = x @ y") ==
      "line 3, column 9: matmul: operands have shapes [2, 3] and [2, 3] (nodes \"x\" and \"y\"); axis 1 of the first (3) and axis 0 of the "
      "second (2) are multiplied and summed, so they must be the same size");
  CHECK(error("a = x $ y") == "line 3, column 9: unexpected character \"$\"");
  CHECK(error("a = \xC3\xA9") == "line 3, column 7: unexpected character \"\xC3\xA9\"");
  CHECK(error("a = \xF0\x9F\x98\x80") == "line 3, column 7: unexpected character \"\xF0\x9F\x98\x80\"");
  CHECK(error("a = \xC3 x") == "line 3, column 7: unexpected character \"\\xc3\"");
  CHECK(error("a = \xED\xA0\x80") == "line 3, column 7: unexpected character \"\\xed\"");  // a surrogate
  CHECK(error("a = \"\xFF\"") == "line 3, column 7: unknown name \"\\xff\"");
  CHECK(error("a = x \"" + std::string(58, 'a') + "\xC3\xA9\"").ends_with("found \"\\\"" + std::string(58, 'a') + "\""));
  CHECK(error("a = \"x") == "line 3, column 7: the string that begins here has no closing quote on its line");
  CHECK(error("a = 12abc") == "line 3, column 7: \"12a\" is not a number");
  CHECK(error("a = x y") == "line 3, column 9: expected the end of the line, found \"y\"");
  CHECK(error("a = constant_array([[1, 2], [3]], dtype=f32)") == "line 3, column 33: this list has 1 entry, the one before has 2");
  CHECK(error("a = constant_array([1, [2]], dtype=f32)") == "line 3, column 26: a list where a number is expected");
  CHECK(error("a = constant_array([[1], 2], dtype=f32)") == "line 3, column 28: a number where a list is expected");
  CHECK(error("a = constant_array(dtype=f32, shape=[1], base64=\"AAA\")").find("the base64 text is not valid") != std::string::npos);
  CHECK(error("a = constant_array(dtype=f32, shape=[2], base64=\"AAAAAA==\")").find("needs 8 bytes, got 4") != std::string::npos);
  // Errors of the graph keep their code and get a position.
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
  // A call, a bracket and a sign each add a level of nesting; binary operators add none.
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
  CHECK(sized(99) == "");  // the call of size counts as a level, too
  CHECK(sized(100).find("nest deeper than 100 levels") != std::string::npos);
  std::string sum = "x", sizes = "n";
  for (int i = 0; i < 100000; ++i) sum += " + y";
  for (int i = 0; i < 100000; ++i) sizes += " + n";
  CHECK(parse_graph(in_graph("  return out = " + sum))->live_nodes().size() == 100002);
  CHECK(message_of(in_graph("  return out = size(" + sizes + ")")) == "");
  // Expressions that would grow without limit are rejected before they take much time.
  std::string many = "n0", product = "(n0 + n1)";
  for (int i = 1; i < 5000; ++i) many += cat(" + n", i);
  for (int i = 1; i < 40; ++i) product += cat("*(n", 2 * i, " + n", 2 * i + 1, ")");
  CHECK(message_of("graph g(x: f32[" + many + "]) {\nreturn x\n}").find("at most 1000 terms and factors are allowed") != std::string::npos);
  CHECK(message_of("graph g(x: f32[" + product + "]) {\nreturn x\n}").find("terms and factors") != std::string::npos);
  std::string doubling = "  a0 = s\n";
  for (int i = 0; i < 60; ++i)
    doubling += cat("  a", i + 1, " = concat(a", i, ", slice(a", i, ", start=[", i + 2, ", none], stop=[-", i + 1, ", none], step=[",
                    i % 5 + 2, ", 1]))\n");
  CHECK(message_of(in_graph(doubling + "  return out = a60")).find("terms and factors") != std::string::npos);
}

TEST_CASE("G18.text: a byte order mark is skipped at the start alone, and names hold no zero byte") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(print_graph(*parse_graph(mark + kSoftmax)) == print_graph(*parse_graph(kSoftmax)));
  CHECK(message_of(mark + "grap") == message_of("grap"));  // the byte order mark is not counted as a column
  CHECK(message_of(mark + mark + kSoftmax).starts_with("line 1, column 1: "));
  const std::string hidden = in_graph("  \"a\\x00b\" = x\n  return out = x");
  CHECK(message_of(hidden) == "line 3, column 3: a zero byte in a name");
  CHECK(message_of(in_graph(std::string("  \"a\0b\" = x\n  return out = x", 29))) == "line 3, column 3: a zero byte in a name");
  CHECK(message_of(in_graph("  \"a\\\\x00b\" = x\n  return out = x")) == "");  // an escaped backslash, then ordinary letters
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
      REQUIRE(escape_invalid_utf8(e.message) == e.message);
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
