#include "base/time_limit.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace harp {
namespace {

int64_t in_milliseconds(Deadline::duration time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); }

}  // namespace

TimeLimit::TimeLimit(Process& process, std::chrono::milliseconds allowed, Deadline deadline, CancelFlag cancel)
    : process_(process),
      start_(process.now()),
      deadline_(std::min(start_ + allowed, deadline)),
      is_callers_(deadline < start_ + allowed),
      cancel_(cancel),
      entered_(start_) {}

void TimeLimit::enter(std::string_view step) {
  const Deadline now = this->now();
  if (!steps_.empty()) steps_.back().took += now - entered_;
  entered_ = now;
  // A step that is entered a second time becomes the last element again and keeps its accumulated time.
  const auto known = std::ranges::find(steps_, step, &Step::name);
  if (known == steps_.end())
    steps_.push_back({step});
  else
    std::rotate(known, known + 1, steps_.end());
}

void TimeLimit::check() {
  HARP_CHECK(!cancelled(cancel_), Code::kCancelled, "compilation cancelled");
  if (is_over()) fail();
}

void TimeLimit::fail(std::string_view detail, std::string compiler_output) {
  const Deadline now = this->now();
  std::string text = cat("the compilation exceeded its time limit of ", in_milliseconds(deadline_ - start_), " ms and was stopped");
  if (!steps_.empty()) {
    steps_.back().took += now - entered_;
    entered_ = now;
    append(text,
           cat("; it was ", steps_.back().name, detail.empty() ? "" : " ", detail, " (", in_milliseconds(steps_.back().took), " ms)"));
    const std::span before(steps_.data(), steps_.size() - 1);
    if (!before.empty())
      append(text, cat(", after ",
                       join(before, ", ", [](const Step& step) { return cat(step.name, " (", in_milliseconds(step.took), " ms)"); })));
  }
  if (!is_callers_) append(text, "; compile_timeout_ms sets the limit");
  throw Error(Code::kCompiler, std::move(text), std::move(compiler_output));
}

}  // namespace harp
