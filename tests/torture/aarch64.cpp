// Checks that the C for 64-bit Arm gives the interpreter's bits. The programs are every operation with each dtype (the cells of the op
// matrix) and random graphs, with several vector widths and without vector types. They are compiled by a cross compiler with harp's flags
// and run under an emulator.
//   usage: torture_aarch64 [random graphs (default 2000)]
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compile/compiler_command.h"
#include "compile/compiler_search.h"
#include "fuzz/campaign.h"
#include "fuzz/case_file.h"
#include "fuzz/merged_unit.h"
#include "fuzz/op_cells.h"
#include "ir/hidden_constants.h"
#include "pipeline.h"

namespace {

using namespace harp;
using namespace harp::fuzz;
using Bytes = std::vector<std::byte>;

constexpr std::string_view kArm = "aarch64";
constexpr const char* kCrossCompiler = "aarch64-linux-gnu-gcc";
constexpr const char* kEmulator = "qemu-aarch64 -L /usr/aarch64-linux-gnu";
constexpr size_t kBatch = 60;

struct RealSystem {
  RealFileSystem files;
  RealProcess process;
  System system() { return {files, process}; }
};

/// A list of program runs, in the format that the program under the emulator reads.
class Runs {
 public:
  /// `hidden` are the constant arrays that the program gets as further inputs, after those of the graph.
  void add(const std::string& entry, const Case& test, const std::vector<int64_t>& sizes,
           std::span<const std::shared_ptr<const Bytes>> hidden) {
    char name[63] = {};
    std::memcpy(name, entry.data(), std::min(entry.size(), sizeof name - 1));
    text_.append(name, sizeof name);
    number(sizes.size());
    for (const int64_t size : sizes) number(static_cast<uint64_t>(size));
    std::vector<Bytes> inputs = input_bytes(test, sizes);
    for (const auto& constant : hidden) inputs.push_back(*constant);
    number(inputs.size());
    for (const Bytes& input : inputs) {
      number(input.size());
      text_.append(reinterpret_cast<const char*>(input.data()), input.size());
    }
    expected_.push_back(interpreted(test, sizes));
    number(expected_.back().size());
    for (const Bytes& output : expected_.back()) number(output.size());
  }
  void write(const std::string& path) const {
    const uint64_t count = expected_.size();
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&count), sizeof count) << text_;
  }
  const std::vector<std::vector<Bytes>>& expected() const { return expected_; }

 private:
  void number(uint64_t value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }

  std::string text_;
  std::vector<std::vector<Bytes>> expected_;  // indexed by run, then by output
};

class Checker {
 public:
  Checker() : cache_(real_.system(), without_disk(), Log()), folder_(std::filesystem::temp_directory_path() / "harp_aarch64_XXXXXX") {
    HARP_CHECK(mkdtemp(folder_.data()) != nullptr, Code::kIo, "no directory ", folder_);
    TimeLimit limit(real_.system().process, std::chrono::minutes(1));
    compiler_ = CompilerSearch(real_.system(), cache_, kCrossCompiler).finish(limit);
    const char* source = std::getenv("HARP_SOURCE_DIR");
    shell(cat(kCrossCompiler, " -O1 ", quote_command({cat(source != nullptr ? source : ".", "/tests/torture/aarch64_runner.c")}), " -o ",
              path("runner")));
  }
  ~Checker() { std::filesystem::remove_all(folder_); }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// Adds a case to the current batch. The batch is compiled, run and compared when it has kBatch cases.
  void add(std::string what, const Case& test) {
    // Graphs with index checks are left out: if a check failed, there would be no results to compare, and these graphs require
    // entry_point_ex, which this program does not call.
    if (!check_sites(*test.graph).empty()) return;
    constexpr int kWidths[] = {0, 0, 1, 4, 8, 16};
    PipelineOptions options;
    options.target = *machine_from_name(kArm);
    options.plain_text = added_ % 7 == 6;
    options.simd_width = options.plain_text ? 0 : kWidths[added_ % std::size(kWidths)];
    ++added_;
    const Generated generated = generate(*test.graph, options);
    const std::string entry = unit_.add(generated.source, "entry_point");
    const ir::HiddenConstants constants(*generated.module);
    std::vector<std::shared_ptr<const Bytes>> hidden;
    for (const size_t constant : constants.constants()) hidden.push_back(generated.module->constants[constant].data);
    for (const std::vector<int64_t>& sizes : test.sizes) {
      runs_.add(entry, test, sizes, hidden);
      origins_.push_back({what, test.graph, options.simd_width, options.plain_text});
    }
    vectors_written_ |= generated.vectors_written;
    if (++in_batch_ == kBatch) check();
  }

  void check() {
    if (in_batch_ == 0) return;
    CompileRequest request;
    request.target = *machine_from_name(kArm);
    request.optimisation = batches_++ % 3 == 0 ? 3 : 1;
    request.vectors_written = vectors_written_;
    write_text_file(path("unit.c"), unit_.text());
    runs_.write(path("runs"));
    shell(cat("cd ", folder_, " && ", quote_command(compiler_->command(request)), " ./unit.c -o ./unit.so"));
    shell(cat(kEmulator, " ", path("runner"), " ", path("unit.so"), " ", path("runs"), " ", path("results")));
    compare(read_text_file(path("results")));
    std::printf("%d graphs on aarch64\n", added_);
    std::fflush(stdout);
    unit_ = {}, runs_ = {}, origins_.clear(), in_batch_ = 0, vectors_written_ = false;
  }

  int added() const { return added_; }
  int failures() const { return failures_; }

 private:
  struct Origin {
    std::string what;
    std::shared_ptr<const Graph> graph;
    int width;
    bool plain;
  };

  static CacheOptions without_disk() {
    CacheOptions options;
    options.enabled = false;
    return options;
  }
  std::string path(std::string_view name) const { return cat(folder_, "/", name); }
  static void shell(const std::string& command) { HARP_CHECK(std::system(command.c_str()) == 0, Code::kCompiler, "failed: ", command); }

  void compare(const std::string& results) {
    std::span<const std::byte> rest = std::as_bytes(std::span(results));
    for (size_t run = 0; run < origins_.size(); ++run) {
      const Origin& origin = origins_[run];
      std::string problem;
      for (size_t i = 0; i < runs_.expected()[run].size(); ++i) {
        const Bytes& expected = runs_.expected()[run][i];
        const GraphOutput& output = origin.graph->outputs()[i];
        HARP_CHECK(rest.size() >= expected.size(), Code::kInternal, "results end early");
        const std::string found = difference(output.node->dtype, expected, rest.first(expected.size()));
        if (!found.empty() && problem.empty()) problem = cat("output ", output.name, ", ", found);
        rest = rest.subspan(expected.size());
      }
      if (problem.empty()) continue;
      ++failures_;
      std::printf("FAIL  %s, simd %d%s: %s\n", origin.what.c_str(), origin.width, origin.plain ? ", plain text" : "", problem.c_str());
    }
  }

  RealSystem real_;
  CompileCache cache_;
  std::string folder_;
  std::shared_ptr<const CCompiler> compiler_;
  MergedUnit unit_;
  Runs runs_;
  std::vector<Origin> origins_;  // indexed by run
  size_t in_batch_ = 0;
  bool vectors_written_ = false;
  int added_ = 0, batches_ = 0, failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const uint64_t graphs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  try {
    Checker checker;
    std::vector<std::string> unbuilt;
    for (const Cell& cell : op_cells(unbuilt)) checker.add(cat(cell.row->name, " ", name(cell.dtype)), cell.test);
    for (uint64_t seed = 0; seed < graphs; ++seed) checker.add(cat("seed ", seed), random_case(seed));
    checker.check();
    std::printf("%d graphs, %d runs with other bits\n", checker.added(), checker.failures());
    return checker.failures() == 0 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "torture_aarch64: %s\n", error.what());
    return 2;
  }
}
