#include "fuzz/cache_check.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/text.h"
#include "compile/service.h"
#include "support/unoptimised.h"

namespace harp::fuzz {
namespace {

struct ScratchDirectory {
  std::string path;
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "harp-fuzz-XXXXXX").string();
    path = mkdtemp(pattern.data()) != nullptr ? pattern : "";
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
};

bool mentions(const std::vector<std::string>& command, const std::string& word) {
  return std::find(command.begin(), command.end(), word) != command.end();
}

}  // namespace

std::string check_cache(System system, const CompilerChoice& choice, std::string_view one, std::string_view other) {
  const ScratchDirectory scratch;
  if (scratch.path.empty()) return "no scratch directory";
  ServiceOptions options;
  options.cache.directory = scratch.path + "/cache";

  CompileRequest first;
  first.source = one;
  first.compiler = choice.compiler;
  first.optimisation = choice.optimisation;
  first.target = target_of(choice);
  if (choice.optimisation == 0) first.flags.emplace_back(testing::kNoInlining);
  std::vector<CompileRequest> requests(7, first);
  requests[1].source = other;
  requests[2].optimisation = choice.optimisation == 1 ? 2 : 1;
  // Text that was generated for one target may not compile for another, so the requests for other targets use a source that compiles for
  // all targets. The service loads every compiled unit before it stores it in the cache, so this source has entry points.
  requests[3].source = requests[6].source =
      "int entry_point_ex(void) { return 0; }\nvoid entry_point(void) {}\nconst int harp_fuzz_number = 1;\n";
  requests[3].target = machines().front();
  requests[6].target = machines().back();
  requests[4].flags.emplace_back("-DHARP_FUZZ_FLAG=1");
  // This source has an extra string constant at the end. It detects a digest that stops early or that skips text that looks like a comment.
  requests[5].source = cat(one, "\nstatic const char harp_fuzz_text[] __attribute__((used)) = \"/* text */\";\n");

  std::vector<std::shared_ptr<const Artifact>> made;
  CompileService service(system, options, Log());
  for (const CompileRequest& request : requests) {
    made.push_back(service.compile(request));
    const Manifest& manifest = made.back()->manifest();
    if (manifest.target != request.target.name) return cat("asked for ", request.target.name, ", got an artifact for ", manifest.target);
    if (!mentions(manifest.command, cat("-O", request.optimisation)))
      return cat("asked for -O", request.optimisation, ", got another level");
    for (const std::string& flag : request.flags)
      if (!mentions(manifest.command, flag)) return cat("the artifact was made without ", flag);
    for (size_t i = 0; i + 1 < made.size(); ++i)
      if (made[i]->key() == made.back()->key()) return cat("requests ", i, " and ", made.size() - 1, " have one key");
  }
  CompileRequest text = requests[5];  // differs from requests[5] only inside the string constant, after the characters "/*"
  text.source.replace(text.source.rfind("text */"), 4, "word");
  if (service.compile(text)->key() == made[5]->key()) return "two string constants have one key";

  CompileService later(system, options, Log());
  for (size_t i = 0; i < requests.size(); ++i) {
    CompileReport report;
    const auto found = later.compile(requests[i], &report);
    if (report.origin != CompileReport::Origin::kDisk) return cat("request ", i, " is not on disk");
    if (found->digest() != made[i]->digest()) return cat("request ", i, " is another artifact on disk");
  }
  return "";
}

}  // namespace harp::fuzz
