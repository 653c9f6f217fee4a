// Tests Python's indexing and integers in the text format: the graphs that they build, and the position and message of every error.
// (oracle_windows.py compares elements with NumPy.)
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "support/text_support.h"

using namespace harp;
using namespace text_test;

namespace {

std::string graph_of(const std::string& expression) {
  return "harp 1\ngraph g(x: f32[2, 3], c: f32[n in 2..9, m in 4..9, 6], i: i32[4], k: i64[], b: bool[2, 3], s: f32[n]) {\n  return out "
         "= " +
         expression + "\n}\n";
}
void same(const std::string& a, const std::string& b) {
  CAPTURE(a);
  CHECK(message_of(graph_of(a)) == "");
  CHECK(message_of(graph_of(b)) == "");
  if (message_of(graph_of(a)).empty() && message_of(graph_of(b)).empty())
    CHECK(print_graph(*parse_graph(graph_of(a))) == print_graph(*parse_graph(graph_of(b))));
}
/// Returns the error message for the expression in a graph. The column in the message is counted from the start of the statement's line.
std::string error(const std::string& expression) { return message_of(graph_of(expression)); }

}  // namespace

TEST_CASE("G18.text G6: an index is a slice, a take and a reshape") {
  same("x[1:]", "slice(x, start=[1, none])");
  same("x[:, ::-2]", "slice(x, step=[1, -2])");
  same("x[-1]", "reshape(slice(x, start=[1, 0]), shape=[3])");
  same("x[...]", "x");
  same("x[..., none]", "unsqueeze(x, axes=[2])");
  same("x[None, :, None]", "unsqueeze(x, axes=[0, 2])");
  same("x[1, 2]", "reshape(slice(x, start=[1, 2]), shape=[])");
  same("c[1:, none, ::2, -1]",
       "reshape(slice(slice(c, start=[1, none, none], step=[1, 2, 1]), start=[none, none, 5]), shape=[n - 1, 1, (m + 1) // 2])");
  same("c[n - 1]", "reshape(slice(c, start=[n - 1, 0, 0], size=[1, m, 6]), shape=[m, 6])");
  same("c[:min(n, 3), m - 2:]", "slice(c, start=[none, m - 2, none], stop=[min(n, 3), none, none])");
  same("x[i]", "take(x, i, axis=0)");
  same("c[:, i, 1:2]", "take(slice(c, start=[none, none, 1], stop=[none, none, 2]), i, axis=1)");
  same("c[..., i]", "take(c, i, axis=2)");
  same("c[i, 0]", "reshape(take(slice(c, stop=[none, 1, none]), i, axis=0), shape=[4, 6])");
  same("x[i + 1]", "take(x, i + 1, axis=0)");
  // the indices are not adjacent, so the axes of i come first
  same("c[0, :, i]", "transpose(reshape(take(slice(c, stop=[1, none, none]), i, axis=2), shape=[m, 4]))");
  same("c[k, :, k]", "take(take(c, k, axis=2), k, axis=0)");
  same("x[1:][0]", "reshape(slice(x, start=[1, 0]), shape=[3])");
  same("exp(x)[0, 1:]", "reshape(slice(slice(exp(x), start=[0, 1]), stop=[1, none]), shape=[2])");
  same("(x + x)[:, 1] * 2", "reshape(slice(x + x, start=[0, 1], stop=[2, 2]), shape=[2]) * 2");
  same("x[2 // 2, 2 ** 1]", "x[1, 2]");
  same("x[\n 1,\n 2,\n]", "x[1, 2]");
  same("\"x\"[0]", "x[0]");
  same("s[n // 2:]", "slice(s, start=[n // 2])");
}

TEST_CASE("G18.text: the seeds of the text fuzzer parse and come back") {
  const auto folder = std::filesystem::path(__FILE__).parent_path().parent_path() / "fuzz" / "corpus";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(message_of(text) == "");
    round_trip(*parse_graph(text));
    ++count;
  }
  CHECK(count >= 3);
}

TEST_CASE("G18.text G19.loud_error: mistakes in an index say where and what") {
  CHECK(error("x[2]") == "line 3, column 17: index: 2 is out of range for axis 0 of \"x\", which has size 2");
  CHECK(error("x[0, -4]") == "line 3, column 17: index: -4 is out of range for axis 1 of \"x\", which has size 3");
  CHECK(error("x[0, 0, 0]") == "line 3, column 17: index: 3 axes are indexed, but \"x\" of shape [2, 3] has 2");
  CHECK(error("x[..., ...]") == "line 3, column 17: index: 2 ellipses; at most one is allowed");
  // the message quotes the index as written, and does not name the node of the comparison
  const std::string allowed = "an index must be a whole number, a slice, none, an ellipsis (...) or an array of integers, got ";
  const std::string mask =
      ", an array of bool; the number of elements that a mask selects depends on the data: use where, or integer indices";
  CHECK(error("x[b]") == "line 3, column 18: " + allowed + "\"b\"" + mask);
  CHECK(error("x[x > 0]") == "line 3, column 18: " + allowed + "\"x > 0\"" + mask);
  CHECK(error("x[0, (k < 1) ]") == "line 3, column 21: " + allowed + "\"(k < 1)\"" + mask);
  CHECK(error("x[x]") == "line 3, column 18: " + allowed + "\"x\", an array of f32");
  CHECK(error("x[exp(x) * 2]") == "line 3, column 18: " + allowed + "\"exp(x) * 2\", an array of f32");
  CHECK(error("x[i, i]").find("index: \"i\" and \"i\" both have axes") != std::string::npos);
  CHECK(error("x[]") == "line 3, column 18: expected an index, found \"]\"");
  CHECK(error("x[,0]") == "line 3, column 18: expected an index, found \",\"");
  CHECK(error("x[0").find("expected \",\" or \"]\"") != std::string::npos);
  CHECK(error("x[0 1]") == "line 3, column 20: expected \",\" or \"]\", found \"1\"");
  CHECK(error("x[1.5]") == "line 3, column 18: " + allowed + "1.5");
  CHECK(error("x[::0]") == "line 3, column 20: the step of a slice must not be 0");
  CHECK(error("c[::n]") == "line 3, column 20: the step of a slice must be a number, got n");
  CHECK(error("x[i:]").find("column 18: unknown shape variable \"i\"") != std::string::npos);
  CHECK(error("x[q]") == "line 3, column 18: unknown name \"q\"");
  CHECK(error("2[0]") == "line 3, column 17: a number cannot be indexed");
  CHECK(error("c[n]").find("index: ") != std::string::npos);
  CHECK(error("custom_elementwise(x, expr=\"x0[0]\")").find("custom_elementwise") != std::string::npos);
  std::string deep = "x";
  for (int i = 0; i < 200; ++i) deep += "[...]";
  CHECK(error(deep) == "");  // each index is applied to the result of the previous one, so the indices are not nested
  std::string nested = "i";
  for (int i = 0; i < 200; ++i) nested = "i[" + nested + "]";
  CHECK(error(nested).find("nest deeper") != std::string::npos);
}

TEST_CASE("G18.text: whole numbers without a dtype compute as Python's, exactly in i64") {
  const auto computed = [](const std::string& expression) {
    const auto graph = parse_graph(graph_of("where(b, i64(1), " + expression + ")"));
    return graph->outputs()[0].node->sources[2]->as<ConstantAttributes>().value.as<int64_t>();
  };
  CHECK(computed("2 * 3 + 4") == 10);
  CHECK(computed("2 + 3 * 4 - 5 - 6") == 3);
  CHECK(computed("7 // 2") == 3);
  CHECK(computed("-7 // 2") == -4);
  CHECK(computed("7 // -2") == -4);
  CHECK(computed("-7 % 3") == 2);
  CHECK(computed("7 % -3") == -2);
  CHECK(computed("-8 // -2 % 3") == 1);
  CHECK(computed("2 ** 62 - 1 + 2 ** 62") == INT64_MAX);
  CHECK(computed("-2 ** 62 * 2") == INT64_MIN);
  CHECK(computed("(-2) ** 63") == INT64_MIN);
  CHECK(computed("-9223372036854775808 % -1") == 0);
  CHECK(computed("2 ** 3 ** 2") == 512);
  CHECK(computed("-2 ** 2") == -4);
  CHECK(computed("(-1) ** 9223372036854775807") == -1);
  CHECK(computed("0 ** 0") == 1);
  CHECK(computed("~5") == -6);
  CHECK(computed("6 & 3 | 8 ^ 1") == 11);
  CHECK(computed("1 << 62") == INT64_C(1) << 62);
  CHECK(computed("-1 << 63") == INT64_MIN);
  CHECK(computed("0 << 1000") == 0);
  CHECK(computed("-9 >> 1") == -5);
  CHECK(computed("-9 >> 1000") == -1);
  same("2 * 3 * x", "6 * x");
  same("x * 2 * 3", "(x * 2) * 3");
  same("1 - 2 - x", "-1 - x");
  same("x * (2 + 3)", "x * 5");
  same("where(b, x, 2 * 3)", "where(b, x, 6)");
}

TEST_CASE("G18.text G19.loud_error: what whole numbers cannot do") {
  CHECK(error("7 / 2 * x") ==
        "line 3, column 18: 7 / 2: whole numbers without a dtype have no fractions; write 7 // 2 for the quotient rounded down, or give a "
        "dtype, as in f64(7) / 2");
  CHECK(error("x * 2 ** 63") ==
        "line 3, column 22: 2 ** 63 does not fit i64, in which whole numbers without a dtype are computed; give a "
        "dtype, as in f64(2) ** 63");
  for (const char* text : {"9223372036854775807 + 1 + x", "-9223372036854775808 - 1 + x", "3037000500 * 3037000500 * x",
                           "-9223372036854775808 // -1 * x", "3 ** 41 + x", "1 << 63 | i", "-1 << 64 | i", "10 ** 9223372036854775807 * x"})
    CHECK_MESSAGE(error(text).find("does not fit i64") != std::string::npos, text);
  CHECK(error("18446744073709551615 + 1 + x").find("column 16: the number 18446744073709551615 does not fit i64") != std::string::npos);
  CHECK(error("1 // 0 * x") == "line 3, column 18: 1 // 0: division by zero");
  CHECK(error("1 % 0 * x") == "line 3, column 18: 1 % 0: division by zero");
  CHECK(error("2 ** -1 * x").find("2 ** -1: whole numbers without a dtype have no negative powers") != std::string::npos);
  CHECK(error("1 << 100 | i") ==
        "line 3, column 18: 1 << 100 does not fit i64, in which whole numbers without a dtype are computed; no "
        "integer dtype has more than 64 bits");
  CHECK(error("1 << 63 | i").ends_with("; give a dtype, as in u64(1) << 63"));
  CHECK(error("1 << -1 | i") == "line 3, column 18: 1 << -1: the count of a shift is negative");
  CHECK(error("2 * 3").find("column 16: the number 6 has no dtype here") != std::string::npos);
  CHECK(error("2 < 3").find("the number 2 has no dtype here") != std::string::npos);
  CHECK(error("2 @ 3").find("the number 2 has no dtype here") != std::string::npos);
  CHECK(error("2.5 * 2 * x").find("the number 2.5 has no dtype here") != std::string::npos);
  CHECK(error("2 * 2.5 * x").find("the number 2.5 has no dtype here") != std::string::npos);
  CHECK(error("i ** -1") == "line 3, column 18: **: -1 as the exponent of i32 (\"i\"); an integer base needs an exponent of at least 0");
  CHECK(error("b ** 2").find("**: ") != std::string::npos);
  CHECK(error("i * 2 ** 31").find("does not fit i32") != std::string::npos);
}
