#include "run/binding.h"

#include "base/checked_integers.h"
#include "base/error.h"

namespace harp {

namespace {

std::string declared(const ArraySignature& array) { return cat(name(array.dtype), to_string(array.shape)); }

/// Returns where the variable's value comes from, for example `axis 0 of input "x"`; "" if the value was given by name.
std::string origin_of(const Signature& signature, const ShapeVariable& variable) {
  if (variable.input < 0) return {};
  const ArraySignature& array = signature.inputs[static_cast<size_t>(variable.input)];
  const std::string axis = cat("axis ", variable.axis, " of input \"", array.name, "\"");
  return variable.is_bare() ? axis : cat(axis, ", which is ", to_string(array.shape[static_cast<size_t>(variable.axis)]));
}

/// Returns the text of origin_of(), which says where a variable's value comes from, in parentheses and after a space. Returns "" if there
/// is no such text.
std::string bracketed_origin(const Signature& signature, const ShapeVariable& variable) {
  const std::string origin = origin_of(signature, variable);
  return origin.empty() ? origin : cat(" (", origin, ")");
}

/// Returns all variables with their values, for example "n = 7, m = 3". Used in messages about a size that depends on several variables.
std::string text_of(const Signature& signature, std::span<const int64_t> values) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < values.size(); ++i) parts.push_back(cat(signature.variables[i].name, " = ", values[i]));
  return join(parts, ", ");
}

/// Returns the variables of one size with their values and where these come from: `n = 7 from axis 0 of input "x", m = 3`.
std::string text_of(const Signature& signature, std::span<const int64_t> values, Dim size) {
  std::vector<std::string> parts;
  for (const SymAtom* used : variables_of(size))
    for (size_t i = 0; i < values.size(); ++i)
      if (variable_of(signature.variable_syms[i]) == used) {
        const std::string origin = origin_of(signature, signature.variables[i]);
        parts.push_back(cat(used->name, " = ", values[i], origin.empty() ? "" : " from ", origin));
      }
  return join(parts, ", ");
}

constexpr int64_t kUnbound = INT64_MIN;

}  // namespace

std::string to_string(ArrayType type) { return cat(name(type.dtype), "[", join(type.dims, ", "), "]"); }

Binding::Binding(std::shared_ptr<const Signature> signature)
    : signature_(std::move(signature)),
      input_axes_(signature_->inputs, signature_->variable_syms),
      output_axes_(signature_->outputs, signature_->variable_syms) {}

Binding::Sizes::Sizes(const std::vector<ArraySignature>& arrays, std::span<const Sym> variables) {
  for (const ArraySignature& array : arrays) {
    for (const Dim& dim : array.shape) codes_.emplace_back(dim, variables);
    begins_.push_back(codes_.size());
  }
}

void Binding::bind(std::span<const ArrayType> inputs, std::span<const NamedSize> named, std::span<int64_t> values) const {
  const Signature& signature = *signature_;
  HARP_CHECK(inputs.size() == signature.inputs.size(), Code::kInvalidArgument, "the program has ", signature.inputs.size(),
             " inputs, but got ", inputs.size(), ": ", signature.text());
  for (int64_t& value : values) value = kUnbound;

  bind_bare_axes(inputs, values);
  bind_derived_axes(inputs, values);
  bind_names(named, values);
  check(values, Source::kInputs);
  check_input_sizes(inputs, values);
}

/// If the size of an input axis is a single variable, sets that variable to the axis's size. If several axes have this variable as their
/// size, they must agree. Also checks dtypes and ranks.
void Binding::bind_bare_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const {
  const Signature& signature = *signature_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArraySignature& expected = signature.inputs[i];
    HARP_CHECK(inputs[i].dtype == expected.dtype, Code::kDType, "input \"", expected.name, "\": expected ", declared(expected),
               ", but got ", to_string(inputs[i]));
    const std::span<const SizeCode> axes = input_axes_[i];
    HARP_CHECK(inputs[i].dims.size() == axes.size(), Code::kShape, "input \"", expected.name, "\": expected ", declared(expected),
               " (rank ", axes.size(), "), but got ", to_string(inputs[i]));
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const int variable = axes[axis].variable();
      if (variable < 0) continue;
      int64_t& value = values[static_cast<size_t>(variable)];
      const int64_t given = inputs[i].dims[axis];
      if (value == kUnbound) value = given;
      if (value == given) continue;
      const ShapeVariable& bound = signature.variables[static_cast<size_t>(variable)];
      fail(Code::kShape, "shape variable ", bound.name, " would be both ", value, bracketed_origin(signature, bound), " and ", given,
           " (axis ", axis, " of input \"", expected.name, "\")");
    }
  }
}

/// Computes those variables that appear in the inputs only in axes of the form factor * variable + offset.
void Binding::bind_derived_axes(std::span<const ArrayType> inputs, std::span<int64_t> values) const {
  const Signature& signature = *signature_;
  for (size_t i = 0; i < values.size(); ++i) {
    const ShapeVariable& variable = signature.variables[i];
    if (variable.input < 0 || variable.is_bare()) continue;
    const ArrayType& given = inputs[static_cast<size_t>(variable.input)];
    const int64_t multiple = checked_sub(given.dims[static_cast<size_t>(variable.axis)], variable.offset);
    const ArraySignature& expected = signature.inputs[static_cast<size_t>(variable.input)];
    HARP_CHECK(multiple % variable.factor == 0, Code::kShape, "input \"", expected.name, "\": expected ", declared(expected), ", but got ",
               to_string(given), ": axis ", variable.axis, " is ", to_string(expected.shape[static_cast<size_t>(variable.axis)]),
               ", so shape variable ", variable.name, " would be ", multiple, " / ", variable.factor, ", which is not a whole number");
    values[i] = multiple / variable.factor;
  }
}

/// Sets the variables that no axis determines to the values that the caller gives by name. If the caller also gives a value for a variable
/// that an axis determines, the two values must be equal.
void Binding::bind_names(std::span<const NamedSize> named, std::span<int64_t> values) const {
  const Signature& signature = *signature_;
  for (const NamedSize& size : named) {
    size_t variable = 0;
    while (variable < values.size() && signature.variables[variable].name != size.name) ++variable;
    HARP_CHECK(variable < values.size(), Code::kInvalidArgument, "the program has no shape variable \"", size.name,
               "\": ", signature.text());
    if (values[variable] == kUnbound) values[variable] = size.value;
    const ShapeVariable& bound = signature.variables[variable];
    HARP_CHECK(values[variable] == size.value, Code::kShape, "shape variable ", bound.name, " is given as ", size.value, ", but is ",
               values[variable], bound.input < 0 ? std::string(" already") : bracketed_origin(signature, bound));
  }
  for (size_t i = 0; i < values.size(); ++i)
    HARP_CHECK(values[i] != kUnbound, Code::kInvalidArgument, "no input axis determines shape variable ", signature.variables[i].name,
               ": pass its value by name");
}

/// Evaluates the size expression of every input axis, and checks that the axis has this size.
void Binding::check_input_sizes(std::span<const ArrayType> inputs, std::span<const int64_t> values) const {
  const Signature& signature = *signature_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::span<const SizeCode> axes = input_axes_[i];
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const SizeCode& code = axes[axis];
      const int64_t expected = code.evaluate(values);
      if (inputs[i].dims[axis] == expected) continue;
      const ArraySignature& array = signature.inputs[i];
      fail(Code::kShape, "input \"", array.name, "\": expected ", declared(array), ", but got ", to_string(inputs[i]), ": axis ", axis,
           " must be ", expected,
           code.is_constant() ? std::string()
                              : cat(" (", to_string(array.shape[axis]), " with ", text_of(signature, values, array.shape[axis]), ")"));
    }
  }
}

void Binding::check(std::span<const int64_t> values, Source source) const {
  const Signature& signature = *signature_;
  const auto origin = [&](size_t i) {
    const ShapeVariable& variable = signature.variables[i];
    if (source == Source::kCaller) return cat(" (shape_vars[", i, "])");
    return bracketed_origin(signature, variable);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const ShapeVariable& variable = signature.variables[i];
    HARP_CHECK(values[i] >= variable.min && values[i] <= variable.max, Code::kRange, "shape variable ", variable.name, " is ", values[i],
               origin(i), ", outside ", variable.min, "..", variable.max);
  }
  for (const SizeCheck& check : signature.size_checks)
    HARP_CHECK(check.holds(values), Code::kRange, check.message, " (", text_of(signature, values), ")");
  for (const CountCheck& check : signature.count_checks)
    HARP_CHECK(check.holds(values), Code::kOverflow, check.what, " would have more than ", INT64_MAX, " bytes (",
               text_of(signature, values), ")");
}

void Binding::output_dims(size_t output, std::span<const int64_t> values, std::span<int64_t> dims) const {
  for (size_t axis = 0; axis < dims.size(); ++axis) dims[axis] = output_axes_[output][axis].evaluate(values);
}

void Binding::check_output(size_t output, ArrayType given, std::span<const int64_t> values) const {
  const ArraySignature& expected = signature_->outputs[output];
  HARP_CHECK(given.dtype == expected.dtype, Code::kDType, "output \"", expected.name, "\": expected ", declared(expected), ", but got ",
             to_string(given));
  const std::span<const SizeCode> axes = output_axes_[output];
  HARP_CHECK(given.dims.size() == axes.size(), Code::kShape, "output \"", expected.name, "\": expected ", declared(expected), " (rank ",
             axes.size(), "), but got ", to_string(given));
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const int64_t size = axes[axis].evaluate(values);
    HARP_CHECK(
        given.dims[axis] == size, Code::kShape, "output \"", expected.name, "\": expected ", declared(expected), ", but got ",
        to_string(given), ": axis ", axis, " must be ", size,
        axes[axis].is_constant() ? std::string() : cat(" (", to_string(expected.shape[axis]), " with ", text_of(*signature_, values), ")"));
  }
}

}  // namespace harp
