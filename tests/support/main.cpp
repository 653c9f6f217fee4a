// doctest's main with two additions. A test case can be skipped while it runs (skip.h). A listener appends one line per finished test case
// to $HARP_TEST_RESULTS: "pass|fail TAB name TAB file", or "skip TAB name TAB file TAB reason"; tests/house/rows.py reads those lines. The
// console output is doctest's, with a line for each skipped test case at the end.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harp.h"
#include "support/skip.h"

namespace {

using Body = void (*)();

// the bodies of the test cases; doctest itself calls run_body(), which calls the body of the current test case
std::unordered_map<const doctest::TestCaseData*, Body> bodies;
const doctest::TestCaseData* running = nullptr;
std::string skip_reason;  // the reason why the running test case is skipped; empty if it is not skipped
std::vector<std::string> skipped;

class ResultLines : public doctest::IReporter {
 public:
  explicit ResultLines(const doctest::ContextOptions&) {
    const char* path = std::getenv("HARP_TEST_RESULTS");
    file_ = path != nullptr && *path != '\0' ? std::fopen(path, "a") : nullptr;
  }
  ~ResultLines() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  void test_case_start(const doctest::TestCaseData& test) override {
    running = &test;
    skip_reason.clear();
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (running == nullptr) return;
    const bool is_skipped = stats.testCaseSuccess && !skip_reason.empty();
    const std::string status = !stats.testCaseSuccess ? "fail" : is_skipped ? "skip" : "pass";
    if (is_skipped) skipped.push_back(std::string(running->m_name) + ": " + skip_reason);
    if (file_ == nullptr) return;
    // Each line is written at once and flushed, because several test programs append to the same file, and a crash later on must not lose
    // results.
    const std::string reason = is_skipped ? "\t" + skip_reason : "";
    const std::string line = status + "\t" + running->m_name + "\t" + running->m_file.c_str() + reason + "\n";
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::FILE* file_ = nullptr;
};

REGISTER_LISTENER("result-lines", 1, ResultLines);

/// Runs the body of the current test case. doctest calls this function in place of the body, because it treats every exception as a
/// failure, also the one that skips a test case.
void run_body() {
  try {
    bodies.at(running)();
  } catch (const harp::testing::Skip& skip) {
    harp::testing::note_skip(skip.reason);
  }
}

void wrap_test_cases() {
  std::set<doctest::detail::TestCase>& tests = doctest::detail::getRegisteredTests();
  const std::set<doctest::detail::TestCase> originals = tests;
  tests.clear();
  for (const doctest::detail::TestCase& original : originals) {
    doctest::detail::TestCase wrapped = original;
    wrapped.m_test = &run_body;
    bodies[&*tests.insert(wrapped).first] = original.m_test;
  }
}

/// The reason why HARP_MACHINE is invalid; "" if it names a row or is unset. Uses harp.h, the only interface that every test program has.
std::string fault_of_machine() {
  if (harp::testing::machine_name() == nullptr) return {};
  harp_context* context = harp_context_new(nullptr, nullptr);
  harp_graph* graph = harp_graph_new(context, 0, nullptr);
  harp_output(graph, "y", harp_constant(graph, HARP_F32, 1));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = harp::testing::machine_name();
  harp_error* err = nullptr;
  harp_string_release(harp_graph_emit(graph, &options, "opt", &err));
  const std::string fault = err != nullptr ? harp_error_message(err) : "";
  harp_error_release(err);
  harp_graph_release(graph);
  harp_context_release(context);
  return fault;
}

}  // namespace

void harp::testing::note_skip(const std::string& reason) {
  if (skip_reason.empty()) skip_reason = reason;
}

int main(int argc, char** argv) {
  if (const std::string fault = fault_of_machine(); !fault.empty()) {
    std::fprintf(stderr, "HARP_MACHINE: %s\n", fault.c_str());
    return 2;
  }
  wrap_test_cases();
  const int status = doctest::Context(argc, argv).run();
  for (const std::string& test : skipped) std::printf("skipped: %s\n", test.c_str());
  return status;
}
