// Tests whole programs on a real GPU: the golden graphs, and the graphs of all earlier bugs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "fuzz/case_file.h"
#include "gpu/programs.h"
#include "grad/operation.h"
#include "run/binding.h"

using namespace harp;
using namespace gpu_test;
namespace fs = std::filesystem;

namespace {

// The largest number of elements of all inputs together; the interpreter, which also runs the graphs, would be too slow with more.
constexpr int64_t kMaxElements = int64_t{1} << 22;

int64_t elements_of_inputs(const Graph& graph, const std::vector<int64_t>& sizes) {
  const std::vector<Sym> variables = graph.dims().variables();
  int64_t all = 0;
  for (const Node* node : graph.inputs()) {
    int64_t count = 1;
    for (const Dim dim : node->shape) count *= SizeCode(dim, variables).evaluate(sizes);
    all += count;
  }
  return all;
}

/// True if a run with these values of the shape variables is valid and not too large.
bool can_run(const Graph& graph, const std::vector<int64_t>& sizes) {
  try {
    Binding(std::make_shared<const Signature>(signature_of(graph))).check_values(sizes);
    return elements_of_inputs(graph, sizes) <= kMaxElements;
  } catch (const Error&) {
    return false;
  }
}

fs::path folder_of_tests() {
  const char* source = std::getenv("HARP_SOURCE_DIR");
  return fs::path(source != nullptr ? source : "../..") / "tests";
}

std::vector<std::string> graphs_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".harp") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  return files;
}

/// Makes a test case from a graph whose file does not list the sizes to test. The case has these values of the shape variables: the same
/// value for all of them, different values, all 0, and all 1.
fuzz::Case with_usual_sizes(const std::string& text) {
  fuzz::Case test;
  test.graph = parse_graph(text, grad::text_operations());
  test.data_seed = 1;
  const std::vector<Sym> variables = test.graph->dims().variables();
  constexpr int64_t kValues[] = {7, 33, 257};
  const auto add = [&](auto value_of) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < variables.size(); ++i) {
      const SymRange bounds = range(variables[i]);
      sizes.push_back(std::clamp<int64_t>(value_of(i), bounds.lo, bounds.hi));
    }
    const bool known = std::find(test.sizes.begin(), test.sizes.end(), sizes) != test.sizes.end();
    if (!known && can_run(*test.graph, sizes)) test.sizes.push_back(sizes);
  };
  for (const int64_t value : kValues) add([&](size_t) { return value; });
  for (size_t first = 0; first < 3; ++first) add([&](size_t i) { return kValues[(first + i) % 3]; });
  add([](size_t) { return int64_t{0}; });
  add([](size_t) { return int64_t{1}; });
  return test;
}

void check_graphs_without_sizes(const fs::path& folder) {
  const Driver driver;  // constructed first, because it ends the test case if there is no GPU
  std::vector<Work> all;
  std::vector<std::string> texts;
  for (const std::string& file : graphs_in(folder)) {
    const std::string text = fuzz::read_text_file(file);
    if (with_usual_sizes(text).sizes.empty()) continue;  // the graph is too large for the interpreter; large_test.cpp runs large arrays
    all.push_back({file, [text] { return with_usual_sizes(text); }});
    texts.push_back(text);
  }
  check_all(all, texts);
}

}  // namespace

TEST_CASE("on a GPU: golden graphs have the interpreter's bits") { check_graphs_without_sizes(folder_of_tests() / "golden"); }

TEST_CASE("on a GPU: golden graphs of the backend cuda have the interpreter's bits") {
  check_graphs_without_sizes(folder_of_tests() / "cuda/graphs");
}

TEST_CASE("on a GPU: no bug comes back") {
  const Driver driver;
  std::vector<Work> all;
  std::vector<std::string> texts;
  for (const std::string& file : graphs_in(folder_of_tests() / "regressions")) {
    const std::string text = fuzz::read_text_file(file);
    all.push_back({file, [text] { return fuzz::parse_job(text).test; }});
    texts.push_back(text);
  }
  check_all(all, texts);
}
