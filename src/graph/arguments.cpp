// Converts the arguments of a parsed call to C++ values (arguments.h). Numbers are converted from their text directly to the wanted dtype,
// so no bits are lost.
#include "graph/arguments.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "graph/base64.h"
#include "graph/check.h"

namespace harp {
namespace {

std::string text_of(const Literal& literal) { return cat(literal.negative ? "-" : "", shortened(literal.text)); }

/// Parses a real number. Overflow gives infinity and underflow 0. from_chars reports both as out of range, so the digits are inspected to
/// tell them apart.
template <class T>
T parse_real(std::string_view text) {
  if (text == "inf") return std::numeric_limits<T>::infinity();
  if (text == "nan") return std::numeric_limits<T>::quiet_NaN();
  T value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc::result_out_of_range) return value;
  const size_t exponent = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, exponent);
  const bool negative_exponent = exponent != text.npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
  const bool has_whole_part = digits.substr(0, digits.find('.')).find_first_not_of('0') != digits.npos;
  const bool is_small = exponent == text.npos ? !has_whole_part : negative_exponent;
  return is_small ? T(0) : std::numeric_limits<T>::infinity();
}

/// Converts `value` to `dtype` and applies the literal's sign. `value` is the literal's magnitude, parsed as a number of that dtype or as
/// f64.
Scalar real_scalar(std::string_view op, const Literal& literal, DType dtype, double value) {
  const Scalar scalar = scalar_from_double(dtype, literal.negative ? -value : value);
  HARP_CHECK(std::isfinite(to_double(scalar)) || literal.text == "inf" || literal.text == "nan", Code::kRange, op, ": ", text_of(literal),
             " does not fit ", name(dtype));
  return scalar;
}

std::optional<WideInt> integer_of(const Literal& literal) {
  if (literal.kind == Literal::kReal) {
    const double value = (literal.negative ? -1 : 1) * parse_real<double>(literal.text);
    if (!(std::abs(value) < 0x1p64) || value != std::trunc(value)) return std::nullopt;
    return static_cast<WideInt>(value);
  }
  if (literal.kind == Literal::kBool) return literal.text == "true";
  uint64_t magnitude = 0;
  if (std::from_chars(literal.text.data(), literal.text.data() + literal.text.size(), magnitude).ec != std::errc()) return std::nullopt;
  return literal.negative ? -WideInt{magnitude} : WideInt{magnitude};
}

}  // namespace

Scalar to_scalar(std::string_view op, const Literal& literal, DType dtype) {
  if (literal.kind == Literal::kTyped) {
    HARP_CHECK(literal.typed.dtype == dtype, Code::kDType, op, ": expected a value of ", name(dtype), ", got ", name(literal.typed.dtype));
    return literal.typed;
  }
  HARP_CHECK((literal.kind == Literal::kBool) == is_bool(dtype) || literal.kind == Literal::kInteger, Code::kDType, op, ": ",
             text_of(literal), " is not a value of ", name(dtype));
  if (is_complex(dtype)) return complex_scalar(to_scalar(op, literal, real_dtype(dtype)), scalar_from_int(real_dtype(dtype), 0));
  if (dtype == DType::kF32) return real_scalar(op, literal, dtype, parse_real<float>(literal.text));
  if (is_float(dtype)) return real_scalar(op, literal, dtype, parse_real<double>(literal.text));
  check_dtype(op, dtype);
  const auto value = integer_of(literal);
  HARP_CHECK(value && int_fits(dtype, *value), Code::kRange, op, ": ", text_of(literal), " does not fit ", name(dtype));
  return scalar_from_int(dtype, *value);
}

namespace arguments {
namespace {

std::string text_of(const SizeItem& item) {
  if (const Dim* dim = std::get_if<Dim>(&item)) return to_string(*dim);
  const auto* list = std::get_if<std::vector<Dim>>(&item);
  return list == nullptr ? "none" : to_string(*list);
}

/// Describes an argument for an error message, according to its kind.
std::string text_of(const Argument& argument) {
  struct Text {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(const Node* node) const { return cat("an array, ", label(node)); }
    std::string operator()(const std::vector<const Node*>& nodes) const {
      return cat(nodes.size(), nodes.size() == 1 ? " array" : " arrays");
    }
    std::string operator()(Dim dim) const { return shortened(to_string(dim)); }
    std::string operator()(const std::vector<SizeItem>& items) const {
      return shortened(cat("[", join(items, ", ", [](const SizeItem& item) { return text_of(item); }), "]"));
    }
    std::string operator()(const Literal& literal) const {
      return literal.kind == Literal::kTyped ? cat("a number of ", name(literal.typed.dtype)) : harp::text_of(literal);
    }
    std::string operator()(const ArrayLiteral& array) const {
      return cat("numbers in lists, ", array.items.size(), array.items.size() == 1 ? " number" : " numbers");
    }
    std::string operator()(const std::string& word) const { return cat("\"", shortened(word), "\""); }
    std::string operator()(const std::vector<std::string>& words) const { return shortened(cat("[", join(words, ", "), "]")); }
  };
  return std::visit(Text(), argument);
}

[[noreturn]] void expected(std::string_view what, const auto& given) { fail(Code::kParse, "expected ", what, ", got ", text_of(given)); }

template <class T>
T narrowed(int64_t value) {
  if constexpr (sizeof(T) < sizeof value)
    HARP_CHECK(value >= INT32_MIN && value <= INT32_MAX, Code::kRange, value, " does not fit 32 bits");
  return static_cast<T>(value);
}

template <class T>
std::vector<T> integers(const Argument& argument) {
  std::vector<T> result;
  for (const SizeItem& item : to_items(argument)) {
    const Dim* dim = std::get_if<Dim>(&item);
    if (dim == nullptr || !dim->is_constant()) expected("integers", item);
    result.push_back(narrowed<T>(dim->constant()));
  }
  return result;
}

}  // namespace

int64_t to_integer(const Argument& argument) {
  const Dim* dim = std::get_if<Dim>(&argument);
  if (dim == nullptr || !dim->is_constant()) expected("an integer", argument);
  return dim->constant();
}
Dim to_dim(const Argument& argument) {
  const Dim* dim = std::get_if<Dim>(&argument);
  if (dim == nullptr) expected("a size", argument);
  return *dim;
}
std::vector<SizeItem> to_items(const Argument& argument) {
  if (const Dim* dim = std::get_if<Dim>(&argument)) return {*dim};
  const auto* items = std::get_if<std::vector<SizeItem>>(&argument);
  if (items == nullptr) expected("a list", argument);
  return *items;
}

const Node* Reader<const Node*>::read(const Argument& argument) {
  const auto* node = std::get_if<const Node*>(&argument);
  if (node == nullptr) expected("an array", argument);
  return *node;
}
std::vector<const Node*> Reader<std::vector<const Node*>>::read(const Argument& argument) {
  const auto* nodes = std::get_if<std::vector<const Node*>>(&argument);
  if (nodes == nullptr) expected("arrays", argument);
  return *nodes;
}
int Reader<int>::read(const Argument& argument) { return narrowed<int>(to_integer(argument)); }
std::vector<int64_t> Reader<std::vector<int64_t>>::read(const Argument& argument) { return integers<int64_t>(argument); }
std::vector<int> Reader<std::vector<int>>::read(const Argument& argument) { return integers<int>(argument); }

Shape Reader<Shape>::read(const Argument& argument) {
  Shape shape;
  for (const SizeItem& item : to_items(argument)) {
    if (!std::holds_alternative<Dim>(item)) expected("sizes", item);
    shape.push_back(std::get<Dim>(item));
  }
  return shape;
}
std::vector<std::optional<Dim>> Reader<std::vector<std::optional<Dim>>>::read(const Argument& argument) {
  std::vector<std::optional<Dim>> result;
  for (const SizeItem& item : to_items(argument)) {
    if (std::holds_alternative<std::vector<Dim>>(item)) expected("sizes or none", item);
    const Dim* dim = std::get_if<Dim>(&item);
    result.push_back(dim == nullptr ? std::optional<Dim>() : *dim);
  }
  return result;
}
std::vector<build::Padding> Reader<std::vector<build::Padding>>::read(const Argument& argument) {
  std::vector<build::Padding> result;
  for (const SizeItem& item : to_items(argument)) {
    if (const Dim* both = std::get_if<Dim>(&item)) {
      result.push_back({*both, *both});
      continue;
    }
    const auto* pair = std::get_if<std::vector<Dim>>(&item);
    if (pair == nullptr || pair->size() != 2) expected("amounts or pairs [before, after]", item);
    result.push_back({(*pair)[0], (*pair)[1]});
  }
  return result;
}
build::Sections Reader<build::Sections>::read(const Argument& argument) {
  if (std::holds_alternative<Dim>(argument)) return {to_integer(argument), {}};
  return {std::nullopt, Reader<Shape>::read(argument)};
}

bool Reader<bool>::read(const Argument& argument) {
  const auto* literal = std::get_if<Literal>(&argument);
  if (literal == nullptr || literal->kind != Literal::kBool) expected("true or false", argument);
  return literal->text == "true";
}
double Reader<double>::read(const Argument& argument) {
  const auto* literal = std::get_if<Literal>(&argument);
  if (literal == nullptr || (literal->kind != Literal::kInteger && literal->kind != Literal::kReal)) expected("a number", argument);
  return to_double(to_scalar("number", *literal, DType::kF64));
}
Literal Reader<Literal>::read(const Argument& argument) {
  const auto* literal = std::get_if<Literal>(&argument);
  if (literal == nullptr) expected("a number", argument);
  return *literal;
}
Value Reader<Value>::read(const Argument& argument) {
  if (const auto* node = std::get_if<const Node*>(&argument)) return *node;
  return Reader<Literal>::read(argument);
}
ArrayLiteral Reader<ArrayLiteral>::read(const Argument& argument) {
  const auto* array = std::get_if<ArrayLiteral>(&argument);
  if (array == nullptr) expected("numbers in lists, as in [[1, 2], [3, 4]]", argument);
  return *array;
}
DType Reader<DType>::read(const Argument& argument) {
  const auto* word = std::get_if<std::string>(&argument);
  const auto dtype = word == nullptr ? std::nullopt : dtype_from_name(*word);
  if (!dtype || *dtype == DType::kUnknown) expected(cat("a dtype (", dtype_names(), ")"), argument);
  return *dtype;
}
std::vector<DType> Reader<std::vector<DType>>::read(const Argument& argument) {
  const auto* words = std::get_if<std::vector<std::string>>(&argument);
  if (words == nullptr) return {Reader<DType>::read(argument)};
  std::vector<DType> dtypes;
  for (const std::string& word : *words) dtypes.push_back(Reader<DType>::read(Argument(word)));
  return dtypes;
}
std::string_view Reader<std::string_view>::read(const Argument& argument) {
  const auto* word = std::get_if<std::string>(&argument);
  if (word == nullptr) expected("a word", argument);
  return *word;
}

const Node* reduce_in_order(Op op, const Node* x, const build::Axes& axes, bool keepdims, std::optional<std::string_view> order,
                            bool product) {
  build::Axes chosen = axes;
  if (!chosen) {
    chosen.emplace();
    for (int i = 0; i < x->rank(); ++i) chosen->push_back(i);
  }
  if (!order) {
    HARP_CHECK(!product, Code::kInvalidArgument, name(op), ": product is given without order; give both, or neither");
    return build::reduce(op, x, *chosen, keepdims);
  }
  HARP_CHECK(*order == "lanes" || *order == "chain", Code::kInvalidArgument, name(op), ": order is \"", *order,
             "\"; it must be lanes or chain");
  Shape kept = x->shape;
  for (int axis : build::normalize_axes(name(op), *chosen, x->rank())) kept[axis] = 1;
  const Node* reduced = build::reduce_exactly(op, x, {*chosen, *order == "chain" ? ReduceOrder::kChain : ReduceOrder::kLanes, product});
  return keepdims ? build::reshape(reduced, std::move(kept)) : reduced;
}

const Node* scan_in_order(Op op, const Node* x, std::optional<int> axis, bool exclusive, bool reverse,
                          std::optional<std::string_view> order) {
  if (!order) return build::cumulative(op, x, axis, exclusive, reverse);
  HARP_CHECK(*order == "tree" || *order == "chain", Code::kInvalidArgument, name(op), ": order is \"", *order,
             "\"; it must be tree or chain");
  return build::cumulative(op, x, axis, exclusive, reverse, *order == "chain" ? ScanOrder::kChain : ScanOrder::kTree);
}

const Node* slice(const Node* x, const std::optional<std::vector<std::optional<Dim>>>& start,
                  const std::optional<std::vector<std::optional<Dim>>>& stop, const std::optional<std::vector<int64_t>>& step,
                  const std::optional<Shape>& size) {
  const size_t rank = x->shape.size();
  auto check = [&](std::string_view what, bool given, size_t count) {
    HARP_CHECK(!given || count == rank, Code::kShape, "slice: ", what, " has ", count, " entries, the array ", to_string(x->shape), " has ",
               rank, " axes; expected one per axis");
  };
  check("start", start.has_value(), start ? start->size() : 0);
  check("stop", stop.has_value(), stop ? stop->size() : 0);
  check("step", step.has_value(), step ? step->size() : 0);
  check("size", size.has_value(), size ? size->size() : 0);
  if (size) {
    HARP_CHECK(!stop, Code::kInvalidArgument, "slice: stop and size are both given; give one of them");
    std::vector<Dim> first(rank, Dim(0));
    for (size_t i = 0; start && i < rank; ++i) first[i] = (*start)[i].value_or(0);
    return build::slice_exactly(x, first, *size, step.value_or(std::vector<int64_t>(rank, 1)));
  }
  std::vector<build::SliceSpec> specs(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (start) specs[i].start = (*start)[i];
    if (stop) specs[i].stop = (*stop)[i];
    if (step) specs[i].step = (*step)[i];
  }
  return build::slice(x, specs);
}

std::vector<double> numbers(std::string_view op, std::string_view parameter, const std::optional<ArrayLiteral>& list) {
  if (!list) return {};
  HARP_CHECK(list->shape.size() == 1, Code::kShape, op, ": ", parameter, " must be one list of numbers, as in [0.5, 2]");
  std::vector<double> values;
  for (const Literal& item : list->items) values.push_back(to_double(to_scalar(op, item, DType::kF64)));
  return values;
}

const Node* constant_array(Graph& graph, const std::optional<ArrayLiteral>& data, DType dtype, const std::optional<Shape>& shape,
                           std::optional<std::string_view> base64) {
  HARP_CHECK(data.has_value() != base64.has_value(), Code::kInvalidArgument,
             "constant_array: ", data ? "numbers and base64 are both" : "neither numbers nor base64 is", " given; give one of them");
  check_dtype("constant_array", dtype);
  if (base64) {
    HARP_CHECK(shape.has_value(), Code::kInvalidArgument, "constant_array: base64 is given without a shape; give both");
    const auto bytes = base64_decode(*base64);
    HARP_CHECK(bytes.has_value(), Code::kParse,
               "constant_array: the base64 text is not valid; expected groups of four characters, the last one padded by =");
    return build::constant_array(graph, dtype, *shape, *bytes);
  }
  std::vector<std::byte> bytes;
  bytes.reserve(data->items.size() * size_of(dtype));
  const DType item_dtype = real_dtype(dtype);
  for (const Literal& item : data->items) {
    const Scalar value = to_scalar("constant_array", item, item_dtype);
    const auto* first = reinterpret_cast<const std::byte*>(value.bits);
    bytes.insert(bytes.end(), first, first + size_of(item_dtype));
  }
  Shape written(data->shape.begin(), data->shape.end());
  // Complex numbers are written as pairs [re, im], which are the innermost lists.
  if (is_complex(dtype)) {
    HARP_CHECK(!written.empty() && written.back() == Dim(2), Code::kShape, "constant_array: expected each ", name(dtype),
               " as a list of two numbers, [re, im], but ",
               written.empty() ? std::string("got a number") : cat("the innermost lists have size ", to_string(written.back())));
    written.pop_back();
  }
  return build::constant_array(graph, dtype, shape.value_or(written), bytes);
}

}  // namespace arguments
}  // namespace harp
