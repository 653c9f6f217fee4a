// Compares operations along rows of 3 and 10 elements with harp's own along columns of as many elements: an array of shape [n, 3] is
// compared with the same numbers as [3, n]. In the shape [3, n], vectors along n need no shuffles. The operations along rows should be
// almost as fast, so that users need not rearrange their arrays.
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
  // the operation in the text format is before_axis, followed by the index of the axis, followed by after_axis
  std::string_view name, before_axis, after_axis;
  bool reduces;
};
constexpr Operation kOperations[] = {{"sum", "sum(x, axes=[", "])", true},
                                     {"max", "max(x, axes=[", "])", true},
                                     {"softmax", "softmax(x, axis=", ")", false},
                                     {"cumsum", "cumsum(x, axis=", ")", false}};
constexpr size_t kColumns[] = {3, 10};
constexpr size_t kElements = 64 << 10;  // approximate number of elements; they fit in the L2 cache together with the results

std::string text_of(const Operation& operation, size_t rows, size_t columns, int axis) {
  return "graph g(x: f32[" + std::to_string(rows) + ", " + std::to_string(columns) +
         "]) { return y = " + std::string(operation.before_axis) + std::to_string(axis) + std::string(operation.after_axis) + " }";
}

std::vector<Row> run(Session& session, const Operation& operation, size_t columns, const std::string& name) {
  const size_t rows = kElements / columns, n = rows * columns, results = operation.reduces ? rows : n;
  session.memory.reserve(Memory::room(4, n * sizeof(float)));
  const std::span<float> x = session.memory.take(n), transposed = session.memory.take(n), y = session.memory.take(results),
                         by_columns = session.memory.take(results);
  fill(x, -1, 1, 0);
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) transposed[column * rows + row] = x[row * columns + column];
  const Graph of_rows = parsed(session, text_of(operation, rows, columns, 1)),
              of_columns = parsed(session, text_of(operation, columns, rows, 0));
  ProgramRun harp(session, of_rows.get(), {x.data()}, {y.data()});
  ProgramRun usual(session, of_columns.get(), {transposed.data()}, {by_columns.data()});
  harp(1);
  usual(1);
  // The results may differ by rounding, because additions along rows and along columns have a different order.
  const size_t of_row = operation.reduces ? 1 : columns;  // number of results of a row
  for (size_t i = 0; i < results; ++i)
    if (!(std::fabs(y[i] - by_columns[i % of_row * rows + i / of_row]) <= 1e-5f))
      throw std::runtime_error(name + ": rows and columns give different results");
  const Candidate candidates[] = {[&](size_t repeats) { harp(repeats); }, [&](size_t repeats) { usual(repeats); }};
  return {compared(name, Scale::bytes((n + results) * sizeof(float)), compare(candidates, session.effort), "harp, by columns", 1)};
}

}  // namespace

std::vector<Benchmark> short_axis_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Operation& operation : kOperations)
    for (const size_t columns : kColumns) {
      const std::string name = "short." + std::string(operation.name) + "." + std::to_string(columns);
      benchmarks.push_back({{name}, [&operation, columns, name](Session& session) { return run(session, operation, columns, name); }});
    }
  return benchmarks;
}

}  // namespace bench
