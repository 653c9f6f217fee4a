// Compares a graph built through harp.h with the same graph parsed from text. Tests of graph-building functions use it.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/capi_support.h"

namespace capi_test {

/// Operands of every dtype in the graph that is built through harp.h. The graph that is parsed from text declares the same operands.
struct Operands {
  harp_graph* g;
  harp_node *f, *f2, *i, *i2, *b, *b2, *d;
  harp_dim n;
};

inline constexpr const char* kHead =
    "harp 1\ngraph graph(f: f32[n in 1..64, 4], f2: f32[n, 4], i: i32[n, 4], i2: i32[n, 4], b: bool[n, 4], b2: bool[n, 4], d: f64[6, 6]) "
    "{\n";

inline Operands declare(harp_graph* g) {
  Operands o{};
  o.g = g;
  o.n = harp_dim_var(g, "n", 1, 64);
  const harp_dim rows[] = {o.n, 4}, square[] = {6, 6};
  o.f = harp_input(g, "f", HARP_F32, 2, rows);
  o.f2 = harp_input(g, "f2", HARP_F32, 2, rows);
  o.i = harp_input(g, "i", HARP_I32, 2, rows);
  o.i2 = harp_input(g, "i2", HARP_I32, 2, rows);
  o.b = harp_input(g, "b", HARP_BOOL, 2, rows);
  o.b2 = harp_input(g, "b2", HARP_BOOL, 2, rows);
  o.d = harp_input(g, "d", HARP_F64, 2, square);
  return o;
}

/// Checks that `build`, which calls harp.h, and the statement `text` make the same graph.
inline void check_same(harp_context* context, const std::string& text, const std::function<harp_node*(const Operands&)>& build) {
  CAPTURE(text);
  const Graph g = make_graph(context);
  harp_node* node = build(declare(g.get()));
  REQUIRE_MESSAGE(node != nullptr, std::string(harp_error_message(harp_graph_error(g.get()))));
  CHECK(harp_output(g.get(), "y", node) == HARP_OK);
  const Graph parsed = parse(context, kHead + std::string("  return y = ") + text + "\n}\n");
  REQUIRE(parsed != nullptr);
  CHECK(take(harp_graph_print(g.get(), nullptr)) == take(harp_graph_print(parsed.get(), nullptr)));
}

}  // namespace capi_test
