// Checks that every cell of the op matrix (an operation with one dtype) gives the same bits for every machine row (description of a CPU) of
// this architecture and every vector width. For each combination of row and width, gcc or clang compiles the C text that harp generates for
// that row. Each cell is also compiled once with the flags that a user's program gets; `./dev test` does that for few cells.
//   usage: torture_levels [part of the name of an operation]
#include <cstdio>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "fuzz/case_file.h"
#include "fuzz/isolated.h"
#include "fuzz/op_cells.h"

int main(int argc, char** argv) {
  using namespace harp;
  using namespace harp::fuzz;
  constexpr size_t kCellsTogether = 20;
  constexpr std::chrono::seconds kPatience{1500};
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  try {
    std::vector<std::string> unbuilt;
    const std::vector<Cell> cells = op_cells(unbuilt);
    const std::vector<BuildVariant> variants = level_variants();
    const BuildVariant users = usual_variants().front();
    std::vector<std::vector<uint64_t>> batches(1);
    size_t chosen = 0, done = 0, failures = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].row->name.find(wanted) == std::string_view::npos) continue;
      if (batches.back().size() == kCellsTogether) batches.emplace_back();
      batches.back().push_back(i);
      ++chosen;
    }
    const auto report = [&](uint64_t i, const Outcome& outcome) {
      if (++done % 100 == 0) std::printf("%zu of %zu cells\n", done, chosen), std::fflush(stdout);
      if (outcome.verdict == Verdict::kPass) return;
      ++failures;
      std::printf("FAIL  %s %s: %s: %s\n", std::string(cells[i].row->name).c_str(), std::string(name(cells[i].dtype)).c_str(),
                  std::string(name(outcome.verdict)).c_str(), outcome.message.c_str());
    };
    const auto job_of = [&](uint64_t i) {
      Job job{cells[i].test, {users}};
      for (size_t pair = 0; pair < variants.size(); pair += 2) job.variants.push_back(variants[pair + (i + pair / 2) % 2]);
      return job;
    };
    check_isolated(batches, job_of, report, {2, kPatience, false});
    std::printf("%zu rows x dtypes by %zu levels and widths, and as users get them: %zu fail\n", chosen, variants.size() / 2, failures);
    return failures == 0 && chosen > 0 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "torture_levels: %s\n", error.what());
    return 2;
  }
}
