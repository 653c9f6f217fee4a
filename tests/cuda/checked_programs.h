// Defines classes for a list of graphs in the text format and for a list of faults. Tests use them to check that the kernels generated for
// the graphs give results that are bit-identical to the interpreter's, in the emulator and in every order of threads, and that a kernel
// with a fault gives other results.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cuda/emulated_programs.h"
#include "grad/operation.h"
#include "graph/text.h"

namespace harp::cuda_test {

class CheckedPrograms {
 public:
  /// `data_sets` is the number of sets of random inputs with which each program runs. More than one set is useful where a NaN in a set can
  /// hide that the order of a sum is wrong. With three sets or more, the orders of threads take turns (Orders::kInTurn), so that every
  /// program runs in every order with each of its sizes. With fewer, each run is made in all orders.
  explicit CheckedPrograms(int data_sets = 1) : data_sets_(data_sets) {}

  /// Adds a program. `body` is the text of a graph's parameters and statements. `sizes` has the lists of values of its shape variables with
  /// which the program runs. `schedules` is text that overrides the schedules of kernels (schedule/override.h).
  void add(const std::string& body, std::vector<std::vector<int64_t>> sizes = {{}}, const std::string& schedules = {}) {
    fuzz::Case test;
    test.graph = parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations());
    test.sizes = std::move(sizes);
    test.data_seed = programs_.all.size() + 1;
    programs_.add(cat(body, schedules.empty() ? "" : " with ", schedules), std::move(test), false, schedules);
  }
  void check() { check(data_sets_ < 3 ? Orders::kAll : Orders::kInTurn); }
  void check(Orders orders) {
    const std::vector<std::string> wrong = run_emulated(programs_.all, orders, data_sets_);
    for (size_t i = 0; i < wrong.size(); ++i) CHECK_MESSAGE(wrong[i].empty(), programs_.all[i].label, ", ", wrong[i]);
  }
  const GpuProgram& last() const { return programs_.all.back(); }
  /// Tests whether the generated source of the last program contains this text.
  bool has(std::string_view text) const { return last().generated.source.find(text) != std::string::npos; }

 private:
  GpuPrograms programs_;
  int data_sets_;
};

/// Returns the text with the first occurrence of `from` replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  REQUIRE_MESSAGE(at != text.npos, "the text has no \"", from, "\":\n", text);
  return text.replace(at, from.size(), to);
}

/// The CUDA text of a program, and copies of the text that have one fault each. All texts are compiled together and run with the inputs of
/// the program.
class Faults {
 public:
  explicit Faults(const GpuProgram& program) : program_(program), texts_{program.generated.source} {}

  /// The text without a fault.
  const std::string& text() const { return program_.generated.source; }
  void add(std::string faulty) { texts_.push_back(std::move(faulty)); }
  /// Adds a faulty text: the program's text with the first occurrence of `from` replaced by `to`.
  void replace(std::string_view from, std::string_view to) { add(replaced(text(), from, to)); }
  /// Checks that the text without a fault gives the interpreter's bits with all sets of data. Checks that each faulty text gives other
  /// bits, or another error, with at least one set of data and one order of threads.
  void check(int data_sets) const {
    const std::vector<std::string> wrong = run_emulated_texts(program_, texts_, data_sets);
    CHECK_MESSAGE(wrong[0].empty(), wrong[0]);
    for (size_t i = 1; i < wrong.size(); ++i) CHECK_MESSAGE(!wrong[i].empty(), "fault ", i, " of ", wrong.size() - 1, " is not found");
  }

 private:
  GpuProgram program_;
  std::vector<std::string> texts_;
};

}  // namespace harp::cuda_test
