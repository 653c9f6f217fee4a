#include "capi/specialize.h"

#include <sched.h>

#include <algorithm>

#include "capi/compile.h"

using namespace harp;
using namespace harp::capi;

namespace harp::capi {

namespace {

// how often specialize() yields the processor while a run holds the lock is_counting_; after that it gives up
constexpr int kYields = 1000;

/// Tests whether each output that `general` can write into the buffer of an input can also be written into that buffer by `special`.
bool is_in_place_like(const Signature& special, const Signature& general) {
  for (size_t i = 0; i < general.outputs.size(); ++i)
    if (!std::ranges::includes(special.outputs[i].in_place, general.outputs[i].in_place)) return false;
  return true;
}

}  // namespace

Specializer::Specializer(std::unique_ptr<const Graph> graph, CompileSettings settings, std::shared_ptr<const CompiledProgram> general)
    : graph_(std::move(graph)),
      settings_(std::move(settings)),
      general_(std::move(general)),
      variables_(general_->program.signature().variables.size()),
      counted_(kMostCounts * variables_) {}

const Specializer::Special* Specializer::known(std::span<const int64_t> values) const noexcept {
  const size_t n = n_programs_.load(std::memory_order_acquire);
  for (size_t i = 0; i < n; ++i)
    if (std::ranges::equal(programs_[i].values, values)) return &programs_[i];
  return nullptr;
}

const Specializer::Special* Specializer::find(std::span<const int64_t> values) noexcept {
  const Special* const special = known(values);
  if (special == nullptr) count(values);
  return special;
}

/// Counts a run with these values of the shape variables. If all 32 slots are used by other values, decreases every count by one instead.
/// Therefore values that occur in at least 1/32 of all runs keep a slot (the algorithm of Misra and Gries for frequent elements).
void Specializer::count(std::span<const int64_t> values) noexcept {
  if (is_counting_.test_and_set(std::memory_order_acquire)) return;
  size_t at = kMostCounts;
  for (size_t i = 0; i < kMostCounts; ++i) {
    if (runs_[i] == 0) {
      at = i;
    } else if (std::ranges::equal(counted(i), values)) {
      at = i;
      break;
    }
  }
  if (at == kMostCounts) {
    for (uint64_t& runs : runs_) --runs;
  } else {
    ++runs_[at];
    std::ranges::copy(values, counted(at).begin());
  }
  is_counting_.clear(std::memory_order_release);
}

/// Returns those combinations of sizes that had at least two runs and have no program yet, most runs first. Returns none in a child process
/// that was forked while a thread was counting, because the lock is then never released.
std::vector<std::vector<int64_t>> Specializer::repeated() {
  std::vector<int64_t> all(counted_.size());
  for (int yields = 0; is_counting_.test_and_set(std::memory_order_acquire); ++yields) {
    if (yields == kYields) return {};
    sched_yield();
  }
  const std::array<uint64_t, kMostCounts> runs = runs_;
  std::ranges::copy(counted_, all.begin());
  is_counting_.clear(std::memory_order_release);

  std::vector<std::pair<uint64_t, std::vector<int64_t>>> found;
  for (size_t i = 0; i < kMostCounts; ++i) {
    const auto values = std::span(all).subspan(i * variables_, variables_);
    if (runs[i] >= 2 && known(values) == nullptr) found.emplace_back(runs[i], std::vector<int64_t>(values.begin(), values.end()));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<int64_t>> sizes;
  for (auto& [n, values] : found) sizes.push_back(std::move(values));
  return sizes;
}

Specializer::Special Specializer::compile(harp_context& context, std::vector<int64_t> values) const {
  const Signature& signature = general_->program.signature();
  CompileSettings settings = settings_;
  for (size_t i = 0; i < variables_; ++i) settings.specialize.emplace_back(signature.variables[i].name, values[i]);
  TimeLimit limit(context.process, context.service.timeout());
  std::shared_ptr<const CompiledProgram> compiled = find_or_compile(context, *graph_, settings, limit).program;
  const bool in_place = is_in_place_like(compiled->program.signature(), signature);
  const auto workspace = static_cast<size_t>(compiled->program.executable().workspace_bytes({}, context.hooks.width));
  return {std::move(values), std::move(compiled), in_place, workspace};
}

size_t Specializer::specialize(harp_context& context) {
  const std::lock_guard guard(mutex_);
  size_t compiled = 0;
  for (std::vector<int64_t>& values : repeated()) {
    const size_t n = programs();
    if (n == kMostPrograms) break;
    programs_[n] = compile(context, std::move(values));
    n_programs_.store(n + 1, std::memory_order_release);
    ++compiled;
  }
  return compiled;
}

}  // namespace harp::capi

harp_status harp_program_specialize(harp_program* program, size_t* count, harp_error** err) {
  return guard_status(err, [&] {
    constexpr const char* function = "harp_program_specialize";
    const LoadedProgram& general = required(program, function, "program").compiled->program;
    const auto inside = program->context->fork_guard.enter(function);
    HARP_CHECK(!general.signature().variables.empty(), Code::kInvalidArgument, function,
               ": the program has no symbolic sizes: ", general.signature().text());
    HARP_CHECK(program->specializer != nullptr, Code::kInvalidArgument, function,
               ": the program was compiled without HARP_SPECIALIZE_AUTO (harp_compile_options.specialize), so it has not counted its runs");
    const size_t made = program->specializer->specialize(*program->context);
    if (count != nullptr) *count = made;
  });
}
