#include "capi/compile_settings.h"

#include <algorithm>
#include <cstddef>

#include "capi/structs.h"
#include "compile/arithmetic_flags.h"
#include "opt/passes.h"

namespace harp::capi {

namespace {

/// Splits a comma-separated list of names of pipeline stages.
std::vector<std::string> stages_of(std::string_view list) {
  std::vector<std::string> stages;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view stage = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (!stage.empty()) stages.emplace_back(stage);
  }
  return stages;
}

std::vector<std::string> strings_of(size_t n, const char* const* strings, const char* field) {
  HARP_CHECK(n == 0 || strings != nullptr, Code::kInvalidArgument, "harp_compile_options: ", field, " is NULL, but its count is not 0");
  std::vector<std::string> list;
  for (size_t i = 0; i < n; ++i) {
    HARP_CHECK(strings[i] != nullptr, Code::kInvalidArgument, "harp_compile_options: ", field, "[", i, "] is NULL");
    list.emplace_back(strings[i]);
  }
  return list;
}

const Backend& backend_of(const BackendTable& backends, const char* name) {
  if (name == nullptr) return backends.standard();
  const Backend* found = backends.find(name);
  HARP_CHECK(found != nullptr, Code::kInvalidArgument, "harp_compile_options: unknown backend \"", name,
             "\", expected one of: ", backends.names(", "));
  return *found;
}

/// Returns the names of the pipeline stages of all backends that generate code, without duplicates.
std::vector<std::string_view> all_stages(const BackendTable& backends) {
  std::vector<std::string_view> stages;
  for (const Backend* backend : backends.rows()) {
    if (backend->code == nullptr) continue;
    for (const std::string_view stage : stage_names(*backend->code))
      if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
  }
  return stages;
}

}  // namespace

std::vector<FixedSize> CompileSettings::fixed_sizes() const {
  std::vector<FixedSize> sizes;
  for (const auto& [name, value] : specialize) sizes.push_back({name, value});
  return sizes;
}

void check_stages(const BackendTable& backends, std::string_view list, std::string_view options) {
  const std::vector<std::string_view> known = all_stages(backends);
  for (const std::string& stage : stages_of(list))
    HARP_CHECK(stage == kSourceStage || std::ranges::find(known, stage) != known.end(), Code::kInvalidArgument, options,
               ": unknown stage \"", stage, "\", expected one of ", join(known, ", "));
}

namespace {

void check_passes(std::span<const std::string> names) {
  for (const std::string& name : names)
    HARP_CHECK(opt::find_pass(name) != nullptr, Code::kInvalidArgument, "harp_compile_options: unknown optimiser pass \"", name,
               "\", expected all or one of ", join(opt::passes(), ", ", [](const opt::Pass& pass) { return pass.name; }));
}

void check_flags(std::span<const std::string> flags) {
  for (const std::string& flag : flags)
    HARP_CHECK(arithmetic_fault(flag).empty(), Code::kInvalidArgument, "harp_compile_options: the flag ", flag, " ", arithmetic_fault(flag),
               ", which math level stable (HARP_MATH_STABLE) forbids");
}

}  // namespace

void configure(CompileSettings& settings, const tune::Configuration& configuration) {
  check_passes(configuration.disabled_passes);
  check_flags(configuration.flags);
  if (!configuration.compiler.empty()) settings.compiler = configuration.compiler;
  settings.flags.insert(settings.flags.end(), configuration.flags.begin(), configuration.flags.end());
  tune::apply(configuration, settings.pipeline);
}

CompileSettings read_compile_settings(harp_context& context, const harp_compile_options* options) {
  const harp_compile_options given =
      read_options(options, HARP_COMPILE_OPTIONS_INIT, "harp_compile_options", offsetof(harp_compile_options, check_indices));
  HARP_CHECK(given.reserved == 0, Code::kInvalidArgument, "harp_compile_options: reserved is ", given.reserved, ", expected 0");
  HARP_CHECK(given.tuning == HARP_TUNING_ON || given.tuning == HARP_TUNING_OFF, Code::kInvalidArgument, "harp_compile_options: tuning is ",
             given.tuning, ", expected HARP_TUNING_ON or HARP_TUNING_OFF");
  HARP_CHECK(given.specialize == HARP_SPECIALIZE_NONE || given.specialize == HARP_SPECIALIZE_AUTO, Code::kInvalidArgument,
             "harp_compile_options: specialize is ", given.specialize, ", expected HARP_SPECIALIZE_NONE or HARP_SPECIALIZE_AUTO");
  HARP_CHECK(given.reserved2 == 0, Code::kInvalidArgument, "harp_compile_options: reserved2 is ", given.reserved2, ", expected 0");
  HARP_CHECK(given.math == HARP_MATH_STABLE, Code::kUnsupported, "harp_compile_options: math level ", given.math,
             " does not exist in this version, expected HARP_MATH_STABLE");
  constexpr int32_t kWidths[] = {0, 1, 2, 4, 8, 16};
  HARP_CHECK(std::ranges::find(kWidths, given.simd_width) != std::end(kWidths), Code::kInvalidArgument,
             "harp_compile_options: simd_width is ", given.simd_width, ", expected 0, 1, 2, 4, 8 or 16");
  HARP_CHECK(given.plain_text == 0 || given.simd_width <= 1, Code::kInvalidArgument, "harp_compile_options: simd_width is ",
             given.simd_width, ", but plain_text has no vectors: expected 0 or 1");

  CompileSettings settings;
  settings.backend = &backend_of(context.backends, given.backend);
  // A backend that generates no code (the interpreter) uses the standard backend's pipeline. It needs the pipeline to print stages and to
  // decide which outputs may be computed in place.
  settings.pipeline.code = (settings.backend->code != nullptr ? *settings.backend : context.backends.standard()).code;
  settings.pipeline.target = settings.backend->machine(context.resources(), given.target);
  // If the host names a target, the code is meant for every machine of that kind, so the target keeps its default cache sizes and speeds.
  // Without a name, the code is for this CPU, and values measured on it are used if there are any.
  if (given.target == nullptr && settings.pipeline.target == context.host) settings.pipeline.target = context.measured.machine();
  settings.pipeline.plain_text = given.plain_text != 0;
  settings.pipeline.simd_width = given.simd_width;
  settings.pipeline.check_indices = given.check_indices != 0;
  settings.uses_tuning = given.tuning == HARP_TUNING_ON;
  settings.specializes_repeated = given.specialize == HARP_SPECIALIZE_AUTO;
  settings.cancel = given.cancel;
  settings.pipeline.disabled_rules = strings_of(given.n_disabled_passes, given.disabled_passes, "disabled_passes");
  std::vector<std::string>& disabled = settings.pipeline.disabled_rules;
  if (std::ranges::find(disabled, "all") != disabled.end()) {
    disabled.clear();
    for (const opt::Pass& pass : opt::passes()) disabled.emplace_back(pass.name);
  }
  check_passes(disabled);

  if (given.compiler != nullptr) settings.compiler = given.compiler;
  settings.flags = strings_of(given.n_flags, given.flags, "flags");
  check_flags(settings.flags);
  if (given.schedule != nullptr) {
    const tune::Configuration configuration = tune::parse_configuration(given.schedule);
    settings.is_configured = !configuration.is_default();
    configure(settings, configuration);
  }
  const std::vector<std::string> names = strings_of(given.n_specialize, given.specialize_names, "specialize_names");
  HARP_CHECK(names.empty() || given.specialize_values != nullptr, Code::kInvalidArgument,
             "harp_compile_options: specialize_values is NULL");
  for (size_t i = 0; i < names.size(); ++i) settings.specialize.emplace_back(names[i], given.specialize_values[i]);

  settings.pipeline.dump_stages = stages_of(given.dump != nullptr ? std::string_view(given.dump) : std::string_view(context.dump));
  if (given.dump != nullptr) check_stages(context.backends, given.dump, "harp_compile_options");
  if (!settings.pipeline.dump_stages.empty())
    settings.pipeline.dump = [log = context.log](std::string_view stage, std::string_view text) { log.info("stage ", stage, "\n", text); };
  return settings;
}

}  // namespace harp::capi
