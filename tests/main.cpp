// doctest's main, and a listener that appends one line per finished test case to $HARP_TEST_RESULTS: "pass|fail TAB name TAB file".
// tests/rows.py reads those lines to say which rows of the contract are covered; console output stays doctest's own.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

class ResultLines : public doctest::IReporter {
 public:
  explicit ResultLines(const doctest::ContextOptions&) {
    const char* path = std::getenv("HARP_TEST_RESULTS");
    file_ = path != nullptr && *path != '\0' ? std::fopen(path, "a") : nullptr;
  }
  ~ResultLines() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  void test_case_start(const doctest::TestCaseData& test) override { test_ = &test; }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (file_ == nullptr || test_ == nullptr) return;
    // One write a line, flushed: several test programs append to one file, and a later crash must not lose what passed.
    std::string line = std::string(stats.testCaseSuccess ? "pass\t" : "fail\t") + test_->m_name + "\t" + test_->m_file.c_str() + "\n";
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
  const doctest::TestCaseData* test_ = nullptr;
};

REGISTER_LISTENER("result-lines", 1, ResultLines);

}  // namespace
