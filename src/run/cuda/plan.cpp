#include "run/cuda/plan.h"

#include "base/error.h"
#include "base/reciprocal.h"
#include "base/text.h"
#include "ops/dtype.h"

namespace harp::cuda {
namespace {

constexpr int kMaxThreads = 1024;  // maximum number of threads of a block, on every device
constexpr int kElementShift = 16;  // a key of an IndexRecord is element << kElementShift | 16 bits of the index

/// Returns the names of the values that the size expressions (SizeCode) of a plan use.
std::vector<std::string> value_names(const Plan& plan) {
  std::vector<std::string> names = plan.shape_variables;
  names.insert(names.end(), {"processors", "blocks_per_processor"});
  return names;
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan), names_(value_names(plan)) {}

  std::string print() const {
    std::string out = cat("plan \"", plan_.name, "\"\n");
    const auto row = [&](std::string_view what, const std::vector<std::string>& list) {
      for (size_t i = 0; i < list.size(); ++i) append(out, cat(what, i, " ", list[i], "\n"));
    };
    row("shape", plan_.shape_variables);
    row("input", plan_.inputs);
    row("output", plan_.outputs);
    for (size_t i = 0; i < plan_.constants.size(); ++i) append(out, cat("constant", i, " ", plan_.constants[i]->size(), " bytes\n"));
    append(out, cat("arena ", text(plan_.arena), " bytes\n"));
    if (plan_.sites > 0) append(out, cat("records ", plan_.sites, " at arena + ", text(plan_.records), "\n"));
    for (const Kernel& kernel : plan_.kernels) append(out, cat("kernel ", kernel.name, " block [", join(kernel.block, ", "), "]\n"));
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      const std::string what = std::visit([&](const auto& of) { return text(of); }, step.what);
      append(out, cat("step ", i, step.after.empty() ? "" : cat(" after ", join(step.after, ", ")), ": ", what, "\n"));
    }
    return out;
  }

 private:
  std::string text(const SizeCode& size) const { return size.text(names_); }

  std::string text(const Reciprocal& reciprocal) const { return cat("reciprocal(", text(reciprocal.divisor), ")"); }

  std::string text(const Location& at) const {
    constexpr std::string_view kBases[] = {"input", "output", "constant"};
    const std::string base = at.base == Location::Base::kArena ? "arena" : cat(kBases[static_cast<size_t>(at.base)], at.index);
    const bool is_start = at.offset.is_constant() && at.offset.evaluate({}) == 0;
    return is_start ? base : cat(base, " + ", text(at.offset));
  }

  std::string text(const Launch& launch) const {
    const Kernel& kernel = plan_.kernels[static_cast<size_t>(launch.kernel)];
    std::string out =
        cat("launch ", kernel.name, " grid [", join(launch.grid, ", ", [&](const SizeCode& extent) { return text(extent); }), "]");
    if (!launch.shared.is_constant() || launch.shared.evaluate({}) != 0) append(out, cat(" shared ", text(launch.shared)));
    if (!launch.guard.is_constant()) append(out, cat(" if ", text(launch.guard), " >= 0"));
    return cat(out, " (",
               join(launch.arguments, ", ", [&](const Argument& a) { return std::visit([&](const auto& of) { return text(of); }, a); }),
               ")");
  }

  std::string text(const HostCall::Argument& argument) const {
    switch (argument.kind) {
      case HostCall::Argument::kArray:
        return cat(argument.written ? "write " : "read ", text(argument.array), " of ", text(argument.bytes), " bytes");
      case HostCall::Argument::kSize: return cat(harp::name(argument.dtype), " ", text(argument.size));
      case HostCall::Argument::kNumber: return cat(harp::name(argument.dtype), " ", to_string(argument.number));
      case HostCall::Argument::kAddress: return cat("address ", argument.address);
    }
    return {};
  }

  std::string text(const HostCall& call) const {
    return cat("call \"", call.name, "\" for ", text(call.elements), " elements (",
               join(call.arguments, ", ", [&](const HostCall::Argument& a) { return text(a); }), ")");
  }

  std::string text(const Join&) const { return "join"; }

  const Plan& plan_;
  const std::vector<std::string> names_;
};

void verify_location(const Plan& plan, const Location& at) {
  const size_t counts[] = {plan.inputs.size(), plan.outputs.size(), plan.constants.size(), 1};
  HARP_ASSERT(at.index >= 0 && static_cast<size_t>(at.index) < counts[static_cast<size_t>(at.base)], "a launch plan has ",
              counts[static_cast<size_t>(at.base)], " arrays of the kind ", static_cast<int>(at.base), ", but names number ", at.index);
}

void verify_launch(const Plan& plan, const Launch& launch) {
  HARP_ASSERT(launch.kernel >= 0 && static_cast<size_t>(launch.kernel) < plan.kernels.size(), "a launch plan has no kernel ",
              launch.kernel);
  for (const Argument& argument : launch.arguments)
    if (const auto* at = std::get_if<Location>(&argument)) verify_location(plan, *at);
}

void verify_call(const Plan& plan, const HostCall& call) {
  const auto is_address = [&](int i) { return i >= 0 && static_cast<size_t>(i) < plan.addresses.size(); };
  HARP_ASSERT(is_address(call.function), "a launch plan has no address ", call.function);
  for (const HostCall::Argument& argument : call.arguments) {
    if (argument.kind == HostCall::Argument::kArray) verify_location(plan, argument.array);
    if (argument.kind == HostCall::Argument::kAddress)
      HARP_ASSERT(is_address(argument.address), "a launch plan has no address ", argument.address);
  }
}

}  // namespace

uint64_t bits_of(const Argument& number, std::span<const int64_t> values) {
  if (const auto* reciprocal = std::get_if<Reciprocal>(&number)) return reciprocal_of(reciprocal->divisor.evaluate(values));
  return static_cast<uint64_t>(std::get<SizeCode>(number).evaluate(values));
}

std::optional<IndexFault> first_fault(std::span<const IndexRecord> records) {
  for (size_t site = 0; site < records.size(); ++site) {
    const IndexRecord& record = records[site];
    if (record.keys[0] == UINT64_MAX) continue;
    uint64_t index = 0;
    for (int part = 0; part < IndexRecord::kParts; ++part)
      index |= (record.keys[part] & ((uint64_t{1} << kElementShift) - 1)) << (kElementShift * part);
    return IndexFault{static_cast<int64_t>(site), static_cast<int64_t>(record.keys[0] >> kElementShift), static_cast<int64_t>(index),
                      record.size};
  }
  return std::nullopt;
}

std::vector<int64_t> Plan::values(std::span<const int64_t> shape_values, int64_t processors, int64_t blocks_per_processor) const {
  HARP_ASSERT(shape_values.size() == shape_variables.size(), "a launch plan of ", shape_variables.size(), " shape variables got ",
              shape_values.size(), " values");
  std::vector<int64_t> all(shape_values.begin(), shape_values.end());
  all.insert(all.end(), {processors, blocks_per_processor});
  return all;
}

std::string print(const Plan& plan) { return Printer(plan).print(); }

void verify(const Plan& plan) {
  for (const Kernel& kernel : plan.kernels) {
    const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    HARP_ASSERT(threads >= 1 && threads <= kMaxThreads, kernel.name, " has blocks of ", threads, " threads");
  }
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    for (const int earlier : step.after)
      HARP_ASSERT(earlier >= 0 && static_cast<size_t>(earlier) < i, "step ", i, " of a launch plan waits for step ", earlier,
                  ", which is not before it");
    if (const auto* launch = std::get_if<Launch>(&step.what)) verify_launch(plan, *launch);
    if (const auto* call = std::get_if<HostCall>(&step.what)) verify_call(plan, *call);
  }
}

}  // namespace harp::cuda
