// An error message names the operation that the user called, not one of the operations that it consists of. Every operation of the text
// format is called with arguments of random rank, shape, dtype and value.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "base/text.h"
#include "graph/operations.h"
#include "graph/text.h"

using namespace harp;

namespace {

using Texts = std::vector<std::string_view>;

constexpr std::string_view kInputs =
    "s: f32[], v: f32[3], x: f32[2, 3], y: f32[3, 2], w: f32[2, 4, 5], p: f32[1, 2, 5, 6], q: f32[2, 2, 3, 3], e: f32[0, 3], n: f32[k, 3], "
    "i: i32[2, 3], j: i64[3], u: u64[], b: bool[2, 3], z: complex64[2, 3], d: f64[2, 3], h: f16[2, 3]";
const Texts kArrays = {"s", "v", "x", "x", "y", "w", "p", "q", "e", "n", "i", "j", "u", "b", "z", "d", "h"};

/// Returns the texts from which an argument is chosen at random. Each text suits the parameter of some operations and is a mistake for
/// others; some texts suit none.
const Texts& texts_for(const Parameter& parameter) {
  static const Texts lists = {"[x, x]", "[x, y]", "[v]", "[x, i]", "[s, s]", "[b, b]", "[z, z]", "[e, x]", "[w, p]", "[]", "[i, j]"};
  static const Texts integers = {"0", "1", "-1", "2", "99", "-99", "9223372036854775807", "k"};
  static const Texts integer_lists = {"[0]", "[1, 0]", "[]", "[99]", "-5", "[0, 0]", "[0, 1, 2]", "1", "[2, 2]"};
  static const Texts sizes = {"2", "0", "-3", "k", "9223372036854775807", "1"};
  static const Texts size_lists = {"[2]",     "[2, 3]", "[0, 0]", "[-1]", "[-7, 3]", "[1, 1, 1]",
                                   "[none]",  "2",      "[]",     "[k]",  "[3, 2]",  "[9223372036854775807, 2]",
                                   "[-1, 0]", "[5, 5]"};
  static const Texts paddings = {"0", "1", "[1, 2]", "[[1, 0], [0, 1]]", "-9", "[1, 1, 1]", "[[1, 2, 3]]"};
  static const Texts sections = {"2", "5", "[1]", "0", "[-3, 9]"};
  static const Texts truths = {"true", "false", "2"};
  static const Texts numbers = {"0", "nan", "1e30", "-1", "2", "true"};
  static const Texts literals = {"0", "2.5", "1e300", "-1", "f64(1)", "inf"};
  static const Texts values = {"0", "2.5", "1e300", "-1", "f64(1)", "inf", "s", "x", "s + 1"};
  static const Texts array_texts = {"[1, 2]", "300", "[[1], [2]]", "[0.5]"};
  static const Texts dtypes = {"f32", "i8", "bool", "complex64", "f64", "u32", "nonsense"};
  static const Texts dtype_lists = {"f32", "[f32, i64]", "[bool]", "[]", "[f32, complex64]", "[f32, nonsense]", "nonsense", "2"};
  static const Texts words = {"nonsense", "mean", "sum", "tanh", "xy", "reflect", "wrap", "left", "ortho", "lanes", "tree"};
  static const std::map<std::string_view, Texts> texts = {
      {"spec", {"\"ij,jk->ik\"", "\"i\"", "\"ij->\"", "\"...i,...i\"", "\"i,,\""}},
      {"expr", {"\"x0 + 1\"", "\"x0 * x1\"", "\"sum(x0)\"", "\"x0 +\"", "\"x7\""}},
      {"body", {"\"output = input0[0]\"", "\"output = f32(ridx0)\"", "\"output0 = input0[0]\\noutput1 = ridx0\"", "\"let\"", "\"\""}},
      {"signature", {"\"void(f32* input0, f32* output)\"", "\"int\"", "\"void(f64* input0)\""}},
      {"base64", {"\"AAAA\"", "\"?\""}}};
  if (const auto found = texts.find(parameter.name); found != texts.end()) return found->second;
  switch (parameter.kind) {
    case ParameterKind::kNode:
    case ParameterKind::kCondition:
    case ParameterKind::kIndices: return kArrays;
    case ParameterKind::kNodes: return lists;
    case ParameterKind::kInteger: return integers;
    case ParameterKind::kIntegers: return integer_lists;
    case ParameterKind::kSize: return sizes;
    case ParameterKind::kSizes: return size_lists;
    case ParameterKind::kPadding: return paddings;
    case ParameterKind::kSections: return sections;
    case ParameterKind::kBool: return truths;
    case ParameterKind::kNumber: return numbers;
    case ParameterKind::kLiteral: return literals;
    case ParameterKind::kValue: return values;
    case ParameterKind::kArray: return array_texts;
    case ParameterKind::kDType: return dtypes;
    case ParameterKind::kDTypes: return dtype_lists;
    case ParameterKind::kWord: return words;
  }
  return words;
}

std::string random_call(const Operation& operation, std::mt19937& random) {
  std::string call = cat(operation.name, "(");
  bool is_first = true;
  for (const Parameter& parameter : operation.parameters()) {
    if (!parameter.default_text.empty() && random() % 2 == 0) continue;
    const Texts& texts = texts_for(parameter);
    append(call, cat(is_first ? "" : ", ", parameter.name, "=", texts[random() % texts.size()]));
    is_first = false;
  }
  return cat(call, ")");
}

/// Returns whether the text begins with the name of an operation and a colon.
bool begins_with_operation(std::string_view text) {
  const size_t colon = text.find(": ");
  return colon != text.npos && find_operation(text.substr(0, colon)) != nullptr;
}

}  // namespace

TEST_CASE("G19.loud_error G1.composites: whatever is wrong with a call, the message begins with the operation that was called") {
  std::mt19937 random(20);
  size_t with_mistakes = 0;
  for (const Operation& operation : operations()) {
    int mistakes = 0;
    const size_t rounds = operation.parameters().size() * 60;
    for (size_t round = 0; round < rounds; ++round) {
      const std::string call = random_call(operation, random);
      try {
        // The graph returns s instead of r, because only an operation with exactly one result can be an output.
        parse_graph(cat("graph g(", kInputs, ") ", random() % 2 == 0 ? "flags=[broadcast] " : "", "{\n  r = ", call, "\n  return s\n}"));
      } catch (const Error& e) {
        CAPTURE(call);
        CAPTURE(e.message);
        REQUIRE(e.code != Code::kInternal);
        // The text cannot be parsed, or the operation has several results. The message then has a position and need not name the operation.
        if (e.code == Code::kParse) continue;
        ++mistakes;
        // The message without line and column.
        const std::string_view message = std::string_view(e.message).substr(e.message.find(": ") + 2);
        REQUIRE(message.starts_with(operation.name));
        const std::string_view rest = message.substr(operation.name.size());
        // In messages of `native`, the name of the called function follows the name of the operation.
        const bool is_named = rest.starts_with(": ") || rest.starts_with(", ") || rest.starts_with(" \"");
        REQUIRE(is_named);
        CHECK_FALSE(begins_with_operation(rest.substr(2)));
      }
    }
    with_mistakes += mistakes > 0;
  }
  CHECK(with_mistakes >= operations().size() - 5);  // a few operations, such as contiguous and logical_not, accept all arguments
}
