// Makes large graphs, as text. Some costs must grow linearly with the size of such a graph: a test counts the node visits of the pipeline,
// and a benchmark measures its time.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace large_graphs {

template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string result;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>)
      result += std::to_string(part);
    else
      result += part;
  };
  (add(parts), ...);
  return result;
}

/// Builds the text of a graph whose number of nodes grows with n.
class Lines {
 public:
  void input(const std::string& declaration) { inputs_ += joined(inputs_.empty() ? "" : ", ", declaration); }
  std::string line(const std::string& expression) {
    const std::string name = joined("t", lines_++);
    body_ += joined("  ", name, " = ", expression, "\n");
    return name;
  }
  void output(const std::string& node) { outputs_ += joined(outputs_.empty() ? "" : ", ", "y", results_++, " = ", node); }
  std::string text() const { return joined("harp 1\ngraph g(", inputs_, ") flags=[broadcast] {\n", body_, "  return ", outputs_, "\n}\n"); }

 private:
  std::string inputs_, body_, outputs_;
  int lines_ = 0, results_ = 0;
};

/// A family of graphs: `add` adds a graph whose size grows with n.
struct LargeGraph {
  const char* name;
  int nodes;  // a test compares the costs of two graphs of the family; this is the number of nodes of the smaller one
  void (*add)(Lines& lines, int n);
};

inline std::string sum_in_pairs(Lines& lines, std::vector<std::string> nodes) {
  while (nodes.size() > 1) {
    std::vector<std::string> sums;
    for (size_t i = 0; i + 1 < nodes.size(); i += 2) sums.push_back(lines.line(joined(nodes[i], " + ", nodes[i + 1])));
    if (nodes.size() % 2 == 1) sums.push_back(nodes.back());
    nodes = std::move(sums);
  }
  return nodes[0];
}

inline constexpr LargeGraph kLargeGraphs[] = {
    {"concats", 400,
     [](Lines& lines, int n) {
       lines.input("x: f32[5000]"), lines.input("y: f32[5000]");  // long arrays, so that harp uses several threads for a kernel
       std::string t = "x";
       for (int i = 0; i < n; ++i) t = lines.line(joined("concat(", t, ", y, axis=0)"));
       lines.output(t);
     }},
    {"slices", 400,
     [](Lines& lines, int n) {
       lines.input(joined("x: f32[", n, ", 64]"));
       std::string t = "x[0:1]";
       for (int i = 1; i < n; ++i) t = lines.line(joined("concat(", t, ", x[", i, ":", i + 1, "], axis=0)"));
       lines.output(t);
     }},
    {"chain", 3000,
     [](Lines& lines, int n) {
       lines.input("x: f32[n]");
       std::string t = "x";
       for (int i = 0; i < n; ++i) t = lines.line(joined("sin(", t, ") + x"));
       lines.output(t);
     }},
    {"inputs", 500,
     [](Lines& lines, int n) {
       std::string t = "x0";
       for (int i = 0; i < n; ++i) lines.input(joined("x", i, ": f32[n]"));
       for (int i = 1; i < n; ++i) t = lines.line(joined(t, " + x", i));
       lines.output(t);
     }},
    {"outputs", 500,
     [](Lines& lines, int n) {
       lines.input("x: f32[n]");
       for (int i = 0; i < n; ++i) lines.output(lines.line(joined("x * ", i, ".5")));
     }},
    {"layers", 3000,
     [](Lines& lines, int n) {
       constexpr int kWidth = 100;
       lines.input("x: f32[n]");
       std::vector<std::string> layer;
       for (int i = 0; i < kWidth; ++i) layer.push_back(lines.line(joined("x * ", i, ".5")));
       for (int l = 1; l < n / kWidth; ++l) {
         std::vector<std::string> next;
         for (int i = 0; i < kWidth; ++i)
           next.push_back(lines.line(
               joined(layer[static_cast<size_t>(i)], (l + i) % 2 == 0 ? " * " : " + ", layer[static_cast<size_t>((7 * i + l) % kWidth)])));
         layer = std::move(next);
       }
       for (const std::string& node : layer) lines.output(node);
     }},
    {"reductions", 300,
     [](Lines& lines, int n) {
       lines.input("x: f32[n, 64]");
       std::string t = "x";
       for (int i = 0; i < n; ++i) t = lines.line(joined("x * sum(", t, ", axes=[-1], keepdims=true)"));
       lines.output(t);
     }},
    {"fan", 1000,
     [](Lines& lines, int n) {
       lines.input("x: f32[n]");
       std::vector<std::string> nodes;
       for (int i = 0; i < n; ++i) nodes.push_back(lines.line(joined("sin(x * ", i, ".5)")));
       lines.output(sum_in_pairs(lines, std::move(nodes)));
     }},
    {"sums", 300,
     [](Lines& lines, int n) {
       lines.input("x: f32[n, 64]");
       std::vector<std::string> nodes;
       for (int i = 0; i < n; ++i) nodes.push_back(lines.line(joined("sum(x * ", i, ".5, axes=[1])")));
       lines.output(sum_in_pairs(lines, std::move(nodes)));
     }},
    {"wheres", 1000,
     [](Lines& lines, int n) {
       lines.input("x: f32[n]"), lines.input("y: f32[n]");
       std::string t = "x";
       for (int i = 0; i < n; ++i) t = lines.line(joined("where(", t, " < ", i, ".5, ", t, ", y)"));
       lines.output(t);
     }},
};

inline std::string text_of(const LargeGraph& graph, int n) {
  Lines lines;
  graph.add(lines, n);
  return lines.text();
}

}  // namespace large_graphs
