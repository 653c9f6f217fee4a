// The text of a program and its cache key must depend on the structure of the graph, not on the order in which its nodes were made. A C
// compiler often chooses that order: harp_add(harp_exp(x), harp_sin(y)) makes either operand first.
#include "support/capi_support.h"

using namespace capi_test;

namespace {

using Operand = std::function<harp_node*()>;  // a function that makes an operand, and before it the operand's own operands

/// Builds a graph that is compiled to several kernels: functions, reductions, a contraction, two index checks, and an output that uses all
/// of them. The operands of each call with two operands are made from left to right, or with `from_right` from right to left.
harp_node* build(harp_graph* g, bool from_right) {
  const auto of = [](harp_node* (*function)(harp_node*), const Operand& x) -> Operand { return [=] { return function(x()); }; };
  const auto both = [=](harp_node* (*function)(harp_node*, harp_node*), const Operand& left, const Operand& right) -> Operand {
    return [=] {
      harp_node* second = from_right ? right() : nullptr;
      harp_node* first = left();
      return function(first, from_right ? second : right());
    };
  };
  const auto along_rows = [](harp_node* (*function)(harp_node*, int32_t, const int32_t*, int32_t), const Operand& x) -> Operand {
    return [=] {
      const int32_t last[] = {1};
      return function(x(), 1, last, 1);
    };
  };
  const auto given = [](harp_node* node) -> Operand { return [=] { return node; }; };
  const auto number = [=](double value) -> Operand { return [=] { return harp_constant(g, HARP_F32, value); }; };

  const harp_dim n = harp_dim_var(g, "n", 1, 4096);
  const harp_dim array[] = {n, 64}, square[] = {64, 64}, list[] = {n};
  const Operand x = given(harp_input(g, "x", HARP_F32, 2, array)), y = given(harp_input(g, "y", HARP_F32, 2, array));
  const Operand w = given(harp_input(g, "w", HARP_F32, 2, square)), i = given(harp_input(g, "i", HARP_I32, 1, list));
  const auto rows = [=](const Operand& from, const char* what) -> Operand {
    return both([](harp_node* a, harp_node* b) { return harp_take(a, b, 0); }, from, [=] { return harp_check_index(i(), 64, what); });
  };
  const auto mixed = [=](const Operand& a, const Operand& b) {
    return both(harp_add, both(harp_mul, of(harp_exp, a), of(harp_sin, b)),
                both(harp_sub, of(harp_sqrt, of(harp_abs, b)), both(harp_mul, of(harp_tanh, a), number(3))));
  };
  const Operand z = both(harp_maximum, mixed(x, y), mixed(y, x));
  const Operand scaled = both(harp_div, both(harp_sub, z, along_rows(harp_max, z)),
                              both(harp_add, along_rows(harp_sum, z), along_rows(harp_prod, of(harp_cos, z))));
  const Operand product =
      both(harp_matmul, both(harp_add, of(harp_square, scaled), number(1)), both(harp_mul, of(harp_exp, w), of(harp_log, w)));
  return both(harp_add, both(harp_mul, rows(w, "left"), rows(of(harp_neg, w), "right")), product)();
}

std::string emitted(const harp_graph* graph, const char* stage) {
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = "x86-64-v4";
  ErrorSlot err;
  harp_string* text = harp_graph_emit(graph, &options, stage, err);
  REQUIRE_MESSAGE(text != nullptr, stage, ": ", err.message());
  return take(text);
}

}  // namespace

TEST_CASE("C3.digest H2.source: operands made in another order give the same text of every stage and the same keys") {
  const Context context = make_context();
  Graph graphs[2];
  harp_node* results[2];
  for (const bool from_right : {false, true}) {
    Graph& graph = graphs[from_right] = make_graph(context.get(), HARP_GRAPH_BROADCAST);
    results[from_right] = build(graph.get(), from_right);
    REQUIRE_MESSAGE(results[from_right] != nullptr, std::string(harp_error_message(harp_graph_error(graph.get()))));
    CHECK(harp_output(graph.get(), "result", results[from_right]) == HARP_OK);
  }
  // the nodes were really made in different orders
  CHECK(take(harp_graph_print(graphs[0].get(), nullptr)) != take(harp_graph_print(graphs[1].get(), nullptr)));
  for (const char* stage : {"graph", "opt", "schedule", "ir", "ir-opt", "linear", "c"})
    CHECK_MESSAGE(emitted(graphs[0].get(), stage) == emitted(graphs[1].get(), stage), stage);

  harp_digest digests[2];
  ErrorSlot err;
  for (const int k : {0, 1}) REQUIRE(harp_nodes_digest(1, &results[k], &digests[k], err) == HARP_OK);
  CHECK(digests[0].high == digests[1].high);
  CHECK(digests[0].low == digests[1].low);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  for (const int k : {0, 1}) {
    const Program program = compile(graphs[k].get(), "interp");
    CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
    CHECK(stats.cache == (k == 0 ? HARP_CACHE_NONE : HARP_CACHE_MEMORY));
  }
}
