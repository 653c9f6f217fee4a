// Operations along a short last axis, [n, 3] along axis 1, against the columns form: harp's own program for the same numbers with the axes
// exchanged, [3, n] along axis 0, which a user would have to write if short rows were slow.
#include <cmath>
#include <stdexcept>

#include "bench/harness/text_program.h"

namespace bench {
namespace {

constexpr size_t kRows = 16384;

struct ShortAxis {
  const char* name;
  size_t columns;
  const char* operation;  // on x; # stands for the axis
  bool reduces;           // whether the result has one element for each row
};

constexpr ShortAxis kAll[] = {
    {"reduce.short.sum.3", 3, "sum(x, axes=[#])", true},
    {"reduce.short.sum.10", 10, "sum(x, axes=[#])", true},
    {"reduce.short.max.5", 5, "max(x, axes=[#])", true},
    {"reduce.short.argmax.10", 10, "cast(argmax(x, axis=#), dtype=f32)", true},
    {"scan.short.cumsum.3", 3, "cumsum(x, axis=#)", false},
    {"rowwise.short.softmax.3", 3, "softmax(x, axis=#)", false},
    {"rowwise.short.softmax.10", 10, "softmax(x, axis=#)", false},
    {"rowwise.short.layer_norm.6", 6, "layer_norm(x, axes=[#], eps=1e-5)", false},
};

std::string text_of(const ShortAxis& of, bool in_columns) {
  std::string operation = of.operation;
  operation.replace(operation.find('#'), 1, in_columns ? "0" : "1");
  const std::string rows = std::to_string(kRows), columns = std::to_string(of.columns);
  return "graph short_axis(x: f32[" + (in_columns ? columns + ", " + rows : rows + ", " + columns) + "]) {\n  return y = " + operation +
         "\n}";
}

std::vector<Row> run(Session& session, const ShortAxis& of) {
  const size_t elements = kRows * of.columns, results = of.reduces ? kRows : elements;
  session.memory.reserve(Memory::room(2, elements * sizeof(float)) + Memory::room(2, results * sizeof(float)));
  const std::span<float> x = session.memory.take(elements), exchanged = session.memory.take(elements), y = session.memory.take(results),
                         z = session.memory.take(results);
  fill(x, -1, 1, seed_of(0));
  for (size_t row = 0; row < kRows; ++row)
    for (size_t column = 0; column < of.columns; ++column) exchanged[column * kRows + row] = x[row * of.columns + column];
  const Graph in_rows = parsed(session, text_of(of, false)), in_columns = parsed(session, text_of(of, true));
  ProgramRun along_rows(session, in_rows.get(), {x.data()}, {y.data()});
  ProgramRun down_columns(session, in_columns.get(), {exchanged.data()}, {z.data()});
  along_rows(1);
  down_columns(1);
  // Sums along rows and down columns are added in different orders.
  for (size_t i = 0; i < results; ++i) {
    const float expected = of.reduces ? z[i] : z[i % of.columns * kRows + i / of.columns];
    if (!(std::fabs(y[i] - expected) <= 1e-5F))
      throw std::runtime_error(std::string(of.name) + ": element " + std::to_string(i) + " is " + std::to_string(y[i]) +
                               "; the columns form has " + std::to_string(expected));
  }
  const Candidate candidates[] = {[&along_rows](size_t repeats) { along_rows(repeats); },
                                  [&down_columns](size_t repeats) { down_columns(repeats); }};
  const Comparison times = compare(candidates, session.effort);
  return {compared(of.name, Scale::bytes((elements + results) * sizeof(float)), times, "harp, columns", 1)};
}

}  // namespace

std::vector<Benchmark> short_axis_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const ShortAxis& of : kAll) benchmarks.push_back({{of.name}, [&of](Session& session) { return run(session, of); }});
  return benchmarks;
}

}  // namespace bench
