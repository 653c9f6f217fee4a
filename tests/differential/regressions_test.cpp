// Every bug that made harp compute a wrong result has a regression test, a graph in tests/regressions/*.harp. The interpreter and all usual
// variants of compiled code (gcc, clang, no vector types, every width, disabled passes, threads) run each of these graphs and must give
// equal bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "fuzz/case_file.h"
#include "fuzz/isolated.h"
#include "support/machine.h"

using namespace harp;
using namespace harp::fuzz;

namespace {
#ifdef HARP_SANITIZE  // fewer files at a time and a longer limit, because kernels with sanitizers take ten times as long to compile
constexpr size_t kBatch = 12;  // number of files that are compiled in one run of a compiler
constexpr std::chrono::seconds kPatience{1500};
#else
constexpr size_t kBatch = 40;
constexpr std::chrono::seconds kPatience{900};
#endif
}  // namespace

TEST_CASE("X2: no bug comes back") {
  testing::note_what_cannot_run();
  const char* source = std::getenv("HARP_SOURCE_DIR");
  const std::filesystem::path folder = std::filesystem::path(source != nullptr ? source : "../..") / "tests/regressions";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".harp") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  std::vector<Job> jobs;
  for (const std::string& file : files) {
    Job job = parse_job(read_text_file(file));
    // The variant that the file names is run as well as the usual ones.
    const std::vector<BuildVariant> usual = usual_variants();
    job.variants.insert(job.variants.end(), usual.begin(), usual.end());
    jobs.push_back(std::move(job));
  }
  std::vector<std::vector<uint64_t>> batches((jobs.size() + kBatch - 1) / kBatch);
  for (size_t i = 0; i < jobs.size(); ++i) batches[i / kBatch].push_back(i);
  std::vector<Outcome> outcomes(jobs.size());
  check_isolated(
      batches, [&](uint64_t i) { return jobs[i]; }, [&](uint64_t i, const Outcome& outcome) { outcomes[i] = outcome; }, {2, kPatience});
  for (size_t i = 0; i < jobs.size(); ++i) {
    INFO(files[i], ": ", name(outcomes[i].verdict), ": ", outcomes[i].message);
    CHECK(outcomes[i].verdict == Verdict::kPass);
  }
}
