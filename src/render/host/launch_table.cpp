#include "render/host/launch_table.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace harp::render {
namespace {

// A table is used for at least this many launches. The code that executes a table takes as long to compile as this many calls.
constexpr size_t kMinRows = 8;

}  // namespace

LaunchTable::LaunchTable(const ir::Module& module, int64_t least) : module_(module), hidden_(module), least_(least) {
  size_t rows = 0;
  for (const ir::Generation& generation : module.generations)
    if (are_rows(generation)) rows += generation.launches.size();
  is_used_ = rows >= kMinRows;
}

bool LaunchTable::are_rows(const ir::Generation& generation) const {
  const std::vector<ir::Launch>& launches = generation.launches;
  if (generation.blocks > 0 || !generation.calls.empty() || launches.empty()) return false;
  const auto is_small = [this](const ir::Launch& launch) {
    return module_.kernels[static_cast<size_t>(launch.kernel)].work.constant() < least_;
  };
  if (launches.size() > 1 && launches.size() < kMinRows) return false;
  return std::all_of(launches.begin(), launches.end(),
                     [&](const ir::Launch& launch) { return is_row(launch) && (launches.size() == 1 || is_small(launch)); });
}

bool LaunchTable::is_row(const ir::Launch& launch) const {
  const ir::Kernel& kernel = module_.kernels[static_cast<size_t>(launch.kernel)];
  return module_.shape_vars.empty() && module_.workspace.is_constant() && !launch.guard && launch.in_place.empty() && kernel.least <= 1 &&
         ir::iterations(kernel).is_constant() && kernel.work.is_constant() &&
         std::all_of(launch.arguments.begin(), launch.arguments.end(),
                     [this](const auto& buffer) { return offset_of(buffer).has_value(); });
}

std::optional<LaunchTable::ArrayOffset> LaunchTable::offset_of(const ir::HostBuffer& buffer) const {
  using Kind = ir::HostBuffer::Kind;
  if (!buffer.offset.is_constant()) return std::nullopt;
  const int64_t offset = buffer.offset.constant();
  const size_t index = static_cast<size_t>(buffer.index);
  switch (buffer.kind) {
    case Kind::kTemporary: return buffer.space == Space::kWorkspace ? std::optional(ArrayOffset{0, offset}) : std::nullopt;
    case Kind::kInput: return ArrayOffset{1 + index, offset};
    case Kind::kOutput: return ArrayOffset{1 + hidden_.inputs() + index, offset};
    case Kind::kConstant: {
      const std::optional<size_t> position = hidden_.position(index);
      return position ? std::optional(ArrayOffset{1 + *position, offset}) : std::nullopt;
    }
  }
  return std::nullopt;
}

void LaunchTable::add(const ir::Launch& launch, const std::string& kernel, bool has_scratch, bool polls) {
  const ir::Kernel& lowered = module_.kernels[static_cast<size_t>(launch.kernel)];
  Row row{kernel, ir::iterations(lowered).constant(), lowered.work.constant(), {}};
  for (const ir::HostBuffer& buffer : launch.arguments) row.arguments.push_back(*offset_of(buffer));
  if (has_scratch) row.arguments.push_back({0, module_.workspace.constant()});
  if (polls) row.arguments.push_back({1 + hidden_.inputs() + module_.outputs.size(), 0});
  polls_ |= polls;
  rows_.push_back(std::move(row));
}

std::string LaunchTable::run(size_t begin, size_t end, bool is_one_generation) {
  if (!is_one_generation || end - begin == 1) {
    is_sequential_ = true;
    return cat("harp_run_launches(rt, cancel, arrays, ", begin, ", ", end, ");");
  }
  is_concurrent_ = true;
  int64_t work = 0;
  for (size_t i = begin; i < end; ++i)
    if (__builtin_add_overflow(work, std::max<int64_t>(0, rows_[i].work), &work)) work = INT64_MAX;
  return cat("harp_run_concurrently(rt, cancel, arrays, ", begin, ", ", end, ", ", work, ");");
}

std::string LaunchTable::definitions() const {
  size_t most = 0;
  for (const Row& row : rows_) most = std::max(most, row.arguments.size());
  std::string rows;
  for (const Row& row : rows_)
    append(rows, cat("  {", row.kernel, ", ", row.count, ", ", row.work, ", {",
                     join(row.arguments, ", ", [](const ArrayOffset& p) { return cat("{", p.array, ", ", p.offset, "}"); }), "}},\n"));
  const std::string arguments = cat("    void* arguments[", most, "];\n    for (int i = 0; i < ", most,
                                    "; ++i) arguments[i] = arrays[launch->arguments[i].array] + launch->arguments[i].offset;\n");
  return cat("/* An argument of a kernel, as a byte offset into an array: the workspace (0), an input or an output",
             polls_ ? "; the last array is the cancel flag" : "",
             ". */\n"
             "struct harp_argument { size_t array; int64_t offset; };\n"
             "struct harp_launch { harp_range_body kernel; int64_t n, work; struct harp_argument arguments[",
             most,
             "]; };\n"
             "static const struct harp_launch launches[] = {\n",
             rows, "};\n",
             !is_sequential_
                 ? ""
                 : cat("static void harp_run_launches(const harp_runtime* rt, const volatile int32_t* cancel, char* const* arrays, "
                       "size_t begin, size_t end) {\n"
                       "  for (const struct harp_launch* launch = launches + begin; launch < launches + end; ++launch) {\n",
                       arguments, "    harp_for(rt, cancel, launch->n, launch->work, launch->kernel, arguments);\n  }\n}\n"),
             !is_concurrent_
                 ? ""
                 : cat("struct harp_rows { char* const* arrays; const struct harp_launch* first; };\n"
                       "static void harp_run_rows(void* arg, size_t begin, size_t end, size_t worker) {\n"
                       "  const struct harp_rows* rows = arg;\n"
                       "  char* const* arrays = rows->arrays;\n"
                       "  for (const struct harp_launch* launch = rows->first + begin; launch < rows->first + end; ++launch) {\n",
                       arguments,
                       "    if (launch + 1 < rows->first + end) /* prefetch the start of the next launch's arrays */\n"
                       "      for (int i = 0; i < ",
                       most,
                       "; ++i) __builtin_prefetch(arrays[launch[1].arguments[i].array] + launch[1].arguments[i].offset);\n"
                       "    if (launch->n > 0) launch->kernel(arguments, 0, (size_t)launch->n, worker);\n  }\n}\n"
                       "/* Runs launches that do not depend on each other; one worker runs each. */\n"
                       "static void harp_run_concurrently(const harp_runtime* rt, const volatile int32_t* cancel, char* const* arrays, "
                       "size_t begin, size_t end, int64_t work) {\n"
                       "  struct harp_rows rows = {arrays, launches + begin};\n"
                       "  harp_for(rt, cancel, (int64_t)(end - begin), work, harp_run_rows, &rows);\n}\n"));
}

std::string LaunchTable::arrays(bool has_workspace) const {
  const size_t inputs = hidden_.inputs(), outputs = module_.outputs.size();
  const auto copied = [](size_t at, std::string_view from, size_t count) {
    return count == 0   ? cat("  (void)", from, ";\n")
           : count == 1 ? cat("  arrays[", at, "] = ", from, "[0];\n")
                        : cat("  __builtin_memcpy(arrays + ", at, ", ", from, ", ", count, " * sizeof(char*));\n");
  };
  return cat("  char* arrays[", 1 + inputs + outputs + polls_, "];\n  arrays[0] = ", has_workspace ? "workspace" : "0", ";\n",
             copied(1, "inputs", inputs), copied(1 + inputs, "outputs", outputs),
             polls_ ? cat("  arrays[", 1 + inputs + outputs, "] = (char*)(size_t)cancel; /* kernels only read it */\n") : std::string());
}

}  // namespace harp::render
