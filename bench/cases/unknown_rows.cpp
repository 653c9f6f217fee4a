// Compares programs for rows of any number and length, f32[n, m], with the same programs compiled for the sizes at hand. Rows of unknown
// length have no fixed number of vectors, blocks or remaining elements, but should be almost as fast, so that one program serves all sizes.
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

struct Operation {
  std::string_view name, text;  // the text is an expression of x
  size_t (*results)(size_t rows, size_t columns);
};
size_t each_row(size_t rows, size_t) { return rows; }
size_t each_element(size_t rows, size_t columns) { return rows * columns; }
size_t each_but_one(size_t rows, size_t columns) { return rows * (columns - 1); }

constexpr Operation kOperations[] = {
    {"sum", "sum(x, axes=[1])", each_row},         {"max", "max(x, axes=[1])", each_row},
    {"var", "var(x, axes=[1])", each_row},         {"softmax", "softmax(x, axis=1)", each_element},
    {"cumsum", "cumsum(x, axis=1)", each_element}, {"slice", "slice(x, start=[none, 1], stop=[none, none]) * 3.0", each_but_one}};
constexpr size_t kColumns[] = {5, 37, 1000};
constexpr size_t kElements = 64 << 10;  // approximate number of elements; they fit in the L2 cache together with the results

std::string text_of(const Operation& operation, const std::string& rows, const std::string& columns) {
  return "graph g(x: f32[" + rows + ", " + columns + "]) { return y = " + std::string(operation.text) + " }";
}

std::vector<Row> run(Session& session, const Operation& operation, size_t columns, const std::string& name) {
  const size_t rows = kElements / columns, n = rows * columns, results = operation.results(rows, columns);
  session.memory.reserve(Memory::room(3, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), y = session.memory.take(results), expected = session.memory.take(results);
  fill(x, -1, 1, 0);
  const Graph any = parsed(session, text_of(operation, "n", "m")),
              one = parsed(session, text_of(operation, std::to_string(rows), std::to_string(columns)));
  Kernel harp(any.get(), {x.data()}, {y.data()}, {rows, columns});
  Kernel known(one.get(), {x.data()}, {expected.data()}, {});
  harp(1);
  known(1);
  for (size_t i = 0; i < results; ++i)
    if (!(y[i] == expected[i])) throw std::runtime_error(name + ": unknown and known sizes give different results");
  const Candidate candidates[] = {[&](size_t repeats) { harp(repeats); }, [&](size_t repeats) { known(repeats); }};
  return {compared(name, Scale::bytes((n + results) * sizeof(float)), compare(candidates, session.effort), "harp, sizes known", 1)};
}

}  // namespace

std::vector<Benchmark> unknown_row_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Operation& operation : kOperations)
    for (const size_t columns : kColumns) {
      const std::string name = "unknown." + std::string(operation.name) + "." + std::to_string(columns);
      benchmarks.push_back({{name}, [&operation, columns, name](Session& session) { return run(session, operation, columns, name); }});
    }
  return benchmarks;
}

}  // namespace bench
