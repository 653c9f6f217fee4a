#include "interp/sizes.h"

#include "base/error.h"

namespace harp::interp {

Sizes::Sizes(const SymTable& dims, std::span<const int64_t> values, const volatile int32_t* cancel) : cancel_(cancel) {
  const std::vector<Sym> variables = dims.variables();
  HARP_CHECK(variables.size() == values.size(), Code::kInvalidArgument, "the graph has ", variables.size(), " shape variables, got ",
             values.size(), " values");
  for (size_t i = 0; i < variables.size(); ++i) values_.emplace(variable_of(variables[i]), values[i]);
}

void Sizes::leave() { fail(Code::kCancelled, kRunCancelled); }

int64_t Sizes::value(Dim dim) const {
  if (dim.is_constant()) return dim.constant();
  return evaluate(dim, [this](const SymAtom& variable) {
    const auto found = values_.find(&variable);
    HARP_CHECK(found != values_.end(), Code::kInvalidArgument, "shape variable \"", variable.name, "\" has no value");
    return found->second;
  });
}

std::vector<int64_t> Sizes::values(const Shape& shape) const {
  std::vector<int64_t> values;
  values.reserve(shape.size());
  for (const Dim dim : shape) {
    values.push_back(value(dim));
    HARP_CHECK(values.back() >= 0, Code::kRange, "size ", to_string(dim), " is ", values.back(), ": a size cannot be negative");
  }
  return values;
}

}  // namespace harp::interp
