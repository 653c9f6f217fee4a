// Contains helpers for tests of the text format: the error message of a text, a graph made of given statements, and the conversion of a
// graph to text and back.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "graph/text.h"

namespace text_test {

using namespace harp;

inline constexpr const char* kSoftmax = R"(harp 1
# softmax over the last axis, any number of rows
graph softmax(x: f32[n, 1024]) flags=[broadcast] {
  m = max(x, axes=[-1], keepdims=true)
  e = exp(sub(x, m))
  s = sum(e, axes=[-1], keepdims=true)
  return y = div(e, s)
}
)";

/// The error message of parsing, or "" if the text parses.
inline std::string message_of(std::string_view text) {
  try {
    parse_graph(text);
    return "";
  } catch (const Error& e) {
    return e.message;
  }
}

inline std::string in_graph(const std::string& statements) {
  return "harp 1\ngraph g(x: f32[2, 3], y: f32[2, 3], i: i32[4], b: bool[2, 3], s: f32[n, 8]) {\n" + statements + "\n}\n";
}

/// Checks that printing the graph, parsing the text and printing the result gives the same text again. Returns the text.
inline std::string round_trip(const Graph& graph) {
  const std::string text = print_graph(graph);
  const auto parsed = parse_graph(text);
  CHECK(print_graph(*parsed) == text);
  CHECK(print_graph(*parsed->clone()) == text);
  return text;
}

}  // namespace text_test
