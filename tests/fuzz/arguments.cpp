#include "fuzz/arguments.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "fuzz/body_arguments.h"
#include "fuzz/expression_arguments.h"
#include "fuzz/index_arguments.h"
#include "fuzz/product_arguments.h"
#include "fuzz/random_arguments.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

constexpr std::string_view kIntegers[] = {"0", "1", "2", "3", "5", "7", "31", "100", "2147483647"};
constexpr std::string_view kReals[] = {"0.0", "0.5", "1.0", "1.25", "2.5", "1e-3", "1e30", "inf", "nan", "1e-40"};

/// The words that a string parameter with this name may get. A word may occur several times, so that it is chosen more often. A string
/// parameter without an entry keeps its default.
struct Words {
  std::string_view parameter;
  std::array<std::string_view, 5> words;
  // the only operation to which the entry applies; if empty, it applies to all operations without an entry of their own
  std::string_view row = {};
};
constexpr Words kWords[] = {{"approximate", {"none", "tanh", "none", "tanh", "tanh"}},
                            {"norm", {"backward", "ortho", "forward", "backward", "ortho"}},
                            {"indexing", {"xy", "ij", "xy", "ij", "xy"}},
                            {"reduction", {"mean", "sum", "none", "none", "sum"}},
                            {"coordinates", {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel"}},
                            {"nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "floor"}},
                            {"mode", {"nearest", "linear", "cubic", "area", "linear"}, "interpolate"},
                            {"mode", {"constant", "edge", "reflect", "symmetric", "wrap"}},
                            {"order", {"lanes", "chain", "lanes", "chain", "lanes"}}};
constexpr Words kScanWords[] = {{"order", {"tree", "chain", "tree", "chain", "tree"}}};

Argument list_of(const std::vector<int64_t>& values) {
  std::vector<SizeItem> items;
  for (const int64_t value : values) items.emplace_back(Dim(value));
  return items;
}
Argument list_of(const Shape& shape) {
  std::vector<SizeItem> items;
  for (const Dim dim : shape) items.emplace_back(dim);
  return items;
}
Argument word(std::string_view text) { return std::string(text); }
Argument boolean(bool value) { return Literal{Literal::kBool, false, value ? "true" : "false", {}}; }

bool is_number(std::string_view text) { return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')); }

/// The default value of the parameter, parsed from its text in the table of operations (graph/operations.h).
Argument default_of(const Parameter& parameter) {
  std::string_view text = parameter.default_text;
  if (text == "none") return std::monostate{};
  if (text == "true" || text == "false") return boolean(text == "true");
  if (text.size() >= 2 && text.front() == '"') return word(text.substr(1, text.size() - 2));
  if (text.front() == '[') {  // the default is a list of integers
    std::vector<int64_t> values;
    bool negative = false;
    for (const char c : text) {
      if (c == '[' || c == ',') values.push_back(0), negative = false;
      if (c == '-') negative = true;
      if (c >= '0' && c <= '9') values.back() = values.back() * 10 + (negative ? '0' - c : c - '0');
    }
    return list_of(values);
  }
  if (!is_number(text)) return word(text);
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (parameter.kind == ParameterKind::kNumber || parameter.kind == ParameterKind::kLiteral || parameter.kind == ParameterKind::kValue)
    return Literal{text.find('.') == text.npos ? Literal::kInteger : Literal::kReal, negative, text, {}};
  int64_t value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return Dim(negative ? -value : value);
}

class Chooser {
 public:
  Chooser(Workbench& bench, const Operation& row, NodeRef primary) : bench_(bench), random_(bench.random()), row_(row), primary_(primary) {}

  std::vector<Argument> choose() {
    if (primary_ != nullptr && primary_->rank() > 0) axis_ = static_cast<int>(random_.below(static_cast<uint64_t>(primary_->rank())));
    choose_place();
    std::vector<Argument> arguments;
    for (const Parameter& parameter : row_.parameters()) {
      const bool is_optional = !parameter.default_text.empty();
      arguments.push_back(is_optional && random_.chance(40) ? default_of(parameter) : choose(parameter));
    }
    // The two parameters of each pair exclude each other: if both have got an argument, one argument is dropped.
    for (const auto& [one, other] : {std::pair{"data", "base64"}, std::pair{"size", "stop"}, std::pair{"stop", "n"}})
      forget(arguments, one, other);
    return arguments;
  }

 private:
  int rank() const { return primary_ == nullptr ? 0 : primary_->rank(); }
  Dim extent(int axis) const { return primary_->shape[static_cast<size_t>(axis)]; }
  int signed_axis(int axis, int rank) { return random_.chance(30) ? axis - rank : axis; }

  /// If both arguments are given, drops `other`.
  void forget(std::vector<Argument>& arguments, std::string_view one, std::string_view other) {
    Argument *a = nullptr, *b = nullptr;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Parameter& parameter = row_.parameters()[i];
      if (parameter.default_text != "none") continue;
      if (parameter.name == one) a = &arguments[i];
      if (parameter.name == other) b = &arguments[i];
    }
    if (a != nullptr && b != nullptr && !std::holds_alternative<std::monostate>(*a)) *b = std::monostate{};
  }

  Argument choose(const Parameter& parameter) {
    switch (parameter.kind) {
      case ParameterKind::kNode: return node();
      case ParameterKind::kIndices: break;  // index_arguments.cpp chooses these arguments
      case ParameterKind::kCondition: return operand_ == kAtCondition ? primary_ : like_primary(DType::kBool);
      case ParameterKind::kNodes: return nodes();
      case ParameterKind::kInteger: return integer(parameter);
      case ParameterKind::kIntegers: return integers(parameter);
      case ParameterKind::kSize: return size(parameter);
      case ParameterKind::kSizes: return sizes(parameter);
      case ParameterKind::kPadding: return padding();
      case ParameterKind::kSections: return sections();
      case ParameterKind::kBool: return boolean(parameter.name == "product" ? is_float_product() : random_.chance(50));
      case ParameterKind::kNumber: return Literal{Literal::kReal, random_.chance(40), random_.pick(std::span(kReals).first(6)), {}};
      case ParameterKind::kLiteral: return literal();
      case ParameterKind::kValue: return random_.chance(70) ? literal() : Argument(bench_.array_of(operand_dtype(), {}));
      case ParameterKind::kArray: return parameter.name == "scales" ? Argument(std::monostate{}) : array();
      case ParameterKind::kDType:
      case ParameterKind::kDTypes: return word(name(result_dtype()));
      case ParameterKind::kWord: return chosen_word(parameter);
    }
    return std::monostate{};
  }

  bool is_float_product() const {
    return primary_ != nullptr && primary_->op == Op::kMul && is_float(primary_->dtype) && row_.name == "sum";
  }

  /// Returns a random dtype for an operation whose parameter sets the dtype of its result. For bitcast, tries to find a dtype whose
  /// elements have the size of the primary array's elements.
  DType result_dtype() {
    DType dtype = bench_.random_dtype();
    if (row_.name == name(Op::kBitcast))
      for (int attempt = 0; attempt < 20 && size_of(dtype) != size_of(primary_->dtype); ++attempt) dtype = bench_.random_dtype();
    return dtype;
  }

  // Arrays

  /// Chooses the operand position of the primary array (the array given to try_operation): a random array operand or, if the primary is a
  /// bool array and the operation has a condition, sometimes the condition.
  void choose_place() {
    int operands = 0;
    bool has_condition = false;
    for (const Parameter& parameter : row_.parameters()) {
      operands += parameter.kind == ParameterKind::kNode && parameter.default_text.empty();
      has_condition |= parameter.kind == ParameterKind::kCondition;
    }
    if (has_condition && is_bool(primary_->dtype) && random_.chance(50))
      operand_ = kAtCondition;
    else if (operands > 1)
      operand_ = static_cast<int>(random_.below(static_cast<uint64_t>(operands)));
    if (operand_ == kAtCondition)
      operand_dtype_ = bench_.random_dtype();
    else if (primary_ != nullptr)
      operand_dtype_ = primary_->dtype;
  }

  Argument node() { return node_count_++ == operand_ ? primary_ : like_primary(operand_dtype()); }

  /// Returns a dtype for an operand other than the primary array: usually operand_dtype_; if the graph promotes mixed dtypes, sometimes
  /// another one.
  DType operand_dtype() { return bench_.options().promote_mixed && random_.chance(40) ? bench_.random_dtype() : operand_dtype_; }

  /// Returns an operand of this dtype that matches the primary array: an array of the primary's shape, a scalar, or an array that
  /// broadcasts with the primary array.
  NodeRef like_primary(DType dtype) {
    const uint64_t kind = random_.below(10);
    if (primary_->rank() == 0 && kind < 5)
      if (const NodeRef array = bench_.find([&](NodeRef node) { return node->dtype == dtype; })) return array;
    if (kind == 0) return build::constant(bench_.graph(), bench_.random_scalar(dtype));
    if (kind == 1) return bench_.array_of(dtype, {});
    if (kind <= 3 && bench_.options().broadcast) {
      Shape shape = primary_->shape;
      for (Dim& dim : shape)
        if (random_.chance(40)) dim = 1;
      shape.erase(shape.begin(), shape.begin() + static_cast<int64_t>(random_.below(shape.size() + 1)));
      return bench_.array_of(dtype, shape);
    }
    return bench_.array_of(dtype, primary_->shape);
  }

  Argument nodes() {
    std::vector<NodeRef> list = {primary_};
    const bool vary = random_.chance(60) && rank() > 0;
    const uint64_t more = random_.chance(10) ? 5 : random_.below(3);
    for (uint64_t i = 0; i < more; ++i) {
      Shape shape = primary_->shape;
      if (vary) shape[static_cast<size_t>(axis_)] = bench_.random_dim();
      list.push_back(random_.chance(15) ? primary_ : bench_.array_of(operand_dtype(), shape));
    }
    random_.shuffle(list);
    return list;
  }

  // Numbers

  Argument integer(const Parameter& parameter) {
    if (parameter.name == "axis" && rank() > 0) return Dim(signed_axis(axis_, rank()));
    if (parameter.name.find("axis") != parameter.name.npos)
      return Dim(rank() == 0 ? 0 : signed_axis(static_cast<int>(random_.below(static_cast<uint64_t>(rank()))), rank()));
    if (parameter.name == "correction") return Dim(random_.between(0, 2));
    return Dim(random_.between(-4, 6));
  }

  std::vector<int64_t> some_axes() {
    std::vector<int64_t> axes(static_cast<size_t>(rank()));
    std::iota(axes.begin(), axes.end(), 0);
    random_.shuffle(axes);
    return axes;
  }

  Argument integers(const Parameter& parameter) {
    const std::string_view name = parameter.name;
    if (name.find("ax") == 0 || name == "source" || name == "destination") {
      std::vector<int64_t> axes = some_axes();
      const bool whole = row_.name == "permute" || row_.name == "transpose";
      if (row_.name == "squeeze") std::erase_if(axes, [&](int64_t axis) { return !extent(static_cast<int>(axis)).is_constant(1); });
      if (row_.name == "unsqueeze") {  // the axes of unsqueeze are positions in the result
        axes.resize(1 + random_.below(2));
        for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(random_.below(axes.size() + static_cast<size_t>(rank())));
      } else if (!whole && !axes.empty()) {
        if (axis_count_ == 0) axis_count_ = 1 + random_.below(axes.size());
        axes.resize(std::min(axes.size(), axis_count_));
      }
      axis_count_ = axes.size();
      const int result_rank = rank() + (row_.name == "unsqueeze" ? static_cast<int>(axes.size()) : 0);
      for (int64_t& axis : axes) axis = signed_axis(static_cast<int>(axis), std::max(result_rank, 1));
      return list_of(axes);
    }
    const bool per_axis = row_.name == "slice";
    std::vector<int64_t> values;
    for (size_t i = 0; i < (per_axis ? static_cast<size_t>(rank()) : entries()); ++i) {
      const bool step = per_axis && random_.chance(40);
      values.push_back(step ? -random_.between(1, 4) : random_.chance(60) ? 1 : random_.between(1, 3));
    }
    return list_of(values);
  }

  /// The length of a list argument that usually has one value for each chosen axis. A list with a single value is also valid; this value
  /// applies to all axes.
  size_t entries() {
    const size_t all = row_.name.size() == 8 && row_.name.substr(0, 6) == "unfold" ? static_cast<size_t>(row_.name[6] - '0')
                       : axis_count_ > 0                                           ? axis_count_
                                                                                   : 1;
    return random_.chance(50) ? 1 : all;
  }

  Argument size(const Parameter& parameter) {
    if (parameter.name == "repeats") return bench_.small_dim(0, 3);
    if (parameter.name == "start") return bench_.small_dim(-3, 4);
    // Usually returns a bound that no index exceeds, so that the run ends without an error and its results can be compared.
    if (row_.name == "check_index" && random_.chance(95)) return Dim(INT64_MAX);
    if (parameter.name == "depth") return bench_.small_dim(1, 6);
    return random_.chance(8) ? Dim(0) : bench_.random_dim();
  }

  Argument sizes(const Parameter& parameter) {
    if (row_.name == "slice") return slice_bounds(parameter.name);
    if (row_.name == "reshape") return list_of(reshaped());
    if (row_.name == "expand" || row_.name == "broadcast_to") return list_of(stretched(row_.name == "broadcast_to"));
    if (parameter.name == "before" || parameter.name == "after")
      return list_of(per_axis([&] {  // amounts of padding: may exceed the axis (the mode "wrap" then repeats it) or be negative
        return random_.chance(40) ? 0 : random_.chance(10) ? random_.between(4, 12) : random_.between(random_.chance(15) ? -2 : 0, 3);
      }));
    if (parameter.name == "repeats") return list_of(per_axis([&] { return random_.between(random_.chance(10) ? 0 : 1, 3); }));
    if (parameter.name == "shift") return list_of(shifts());
    if (parameter.name == "size") {
      Shape shape;
      const int64_t least = row_.name == "unfold" && random_.chance(10) ? 0 : 1;
      for (size_t i = 0, n = entries(); i < n; ++i) shape.push_back(bench_.small_dim(least, 4));
      return list_of(shape);
    }
    return list_of(bench_.random_shape());
  }

  template <class Draw>
  Shape per_axis(Draw draw) {
    Shape shape;
    for (int i = 0; i < rank(); ++i) shape.push_back(Dim(static_cast<int64_t>(draw())));
    return shape;
  }

  Argument slice_bounds(std::string_view which) {
    std::vector<SizeItem> items;
    for (int axis = 0; axis < rank(); ++axis) {
      const Dim length = extent(axis);
      // harp does not clamp the size of a window to the length of the axis, so the size must not exceed the length for any values of the
      // shape variables.
      if (which == "size") {
        items.emplace_back(random_.chance(50) ? length : floor_div(length, 2));
        continue;
      }
      const uint64_t kind = random_.below(10);
      if (kind < 4)
        items.emplace_back(std::monostate{});
      else if (kind < 8)
        items.emplace_back(Dim(which == "start" ? random_.between(-3, 4) : random_.between(-4, 9)));
      else
        items.emplace_back(floor_div(length, 2) + random_.between(0, 1));
    }
    return items;
  }

  /// Returns the primary's shape with two axes joined, an axis split, or an axis of size 1 inserted or removed. Sometimes replaces one size
  /// by -1, so that reshape infers it.
  Shape reshaped() {
    Shape shape = primary_->shape;
    for (uint64_t round = 0, rounds = 1 + random_.below(2); round < rounds; ++round) {
      const uint64_t kind = random_.below(4);
      if (kind == 0 && shape.size() >= 2) {
        const size_t at = random_.below(shape.size() - 1);
        shape[at] = shape[at] * shape[at + 1];
        shape.erase(shape.begin() + static_cast<int64_t>(at) + 1);
      } else if (kind == 1 && !shape.empty()) {
        const size_t at = random_.below(shape.size());
        for (const int64_t factor : {random_.between(2, 4), int64_t{2}, int64_t{3}, int64_t{5}})
          if (const auto rest = build::exact_quotient(shape[at], factor)) {
            shape[at] = random_.chance(50) ? Dim(factor) : *rest;
            shape.insert(shape.begin() + static_cast<int64_t>(at) + 1, shape[at] == Dim(factor) ? *rest : Dim(factor));
            break;
          }
      } else if (kind == 2) {
        shape.insert(shape.begin() + static_cast<int64_t>(random_.below(shape.size() + 1)), Dim(1));
      } else if (kind == 3) {
        const auto one = std::find(shape.begin(), shape.end(), Dim(1));
        if (one != shape.end()) shape.erase(one);
      }
    }
    if (random_.chance(10)) shape = {element_count(primary_->shape)};
    const bool is_empty = std::find(shape.begin(), shape.end(), Dim(0)) != shape.end();
    if (!shape.empty() && !is_empty && random_.chance(30)) shape[random_.below(shape.size())] = -1;
    return shape;
  }

  Shape stretched(bool may_add_axes) {
    Shape shape = primary_->shape;
    for (Dim& dim : shape)
      if (dim.is_constant(1) && random_.chance(70)) dim = bench_.random_dim();
    if (may_add_axes)
      for (uint64_t more = random_.below(2); more > 0 && static_cast<int>(shape.size()) < bench_.options().max_rank; --more)
        shape.insert(shape.begin(), bench_.random_dim());
    return shape;
  }

  Shape shifts() {
    if (axis_count_ == 0 && rank() > 0) axis_count_ = 1 + random_.below(static_cast<uint64_t>(rank()));
    Shape shape;
    for (size_t i = 0, n = std::max<size_t>(1, random_.chance(40) ? 1 : axis_count_); i < n; ++i) {
      const auto variable = bench_.random_variable();
      shape.push_back(variable && random_.chance(15) ? floor_div(*variable, 2) : Dim(random_.between(-4, 4)));
    }
    return shape;
  }

  Argument padding() {
    std::vector<SizeItem> items;
    for (size_t i = 0, n = entries(); i < n; ++i) {
      if (random_.chance(50))
        items.emplace_back(bench_.small_dim(0, 2));
      else
        items.emplace_back(std::vector<Dim>{bench_.small_dim(0, 2), bench_.small_dim(0, 2)});
    }
    return items;
  }

  Argument sections() {
    if (random_.chance(50)) return Dim(random_.between(1, 3));
    Shape positions;
    int64_t at = 0;
    for (uint64_t i = 0, n = 1 + random_.below(2); i < n; ++i) positions.push_back(Dim(at += random_.between(0, 4)));
    return list_of(positions);
  }

  Argument literal() {
    const bool real = random_.chance(50);
    return real ? Literal{Literal::kReal, random_.chance(40), random_.pick(kReals), {}}
                : Literal{Literal::kInteger, random_.chance(40), random_.pick(kIntegers), {}};
  }

  Argument array() {
    ArrayLiteral array;
    int64_t count = 1;
    for (uint64_t i = 0, n = random_.below(3); i < n; ++i) {
      array.shape.push_back(random_.between(1, 5));
      count *= array.shape.back();
    }
    for (int64_t i = 0; i < count; ++i)
      array.items.push_back(Literal{Literal::kInteger, false, random_.pick(std::span(kIntegers).first(2)), {}});
    return array;
  }

  Argument chosen_word(const Parameter& parameter) {
    const auto op = op_from_name(row_.name);
    for (const Words& words : op&& is_scan(*op) ? std::span<const Words>(kScanWords) : std::span<const Words>(kWords))
      if (words.parameter == parameter.name && (words.row.empty() || words.row == row_.name)) return word(random_.pick(words.words));
    return parameter.default_text.empty() ? Argument(std::monostate{}) : default_of(parameter);
  }

  Workbench& bench_;
  Random& random_;
  const Operation& row_;
  NodeRef primary_;
  static constexpr int kAtCondition = -1;
  int operand_ = 0;  // position of the primary array among the operands
  int node_count_ = 0;
  DType operand_dtype_ = DType::kUnknown;
  int axis_ = 0;           // the value of every parameter called axis
  size_t axis_count_ = 0;  // number of chosen axes; lists with one value per axis have this length
};

}  // namespace

bool takes_array(const Operation& row) {
  const auto parameters = row.parameters();
  return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
    return parameter.kind == ParameterKind::kNode || parameter.kind == ParameterKind::kNodes;
  });
}

bool may_take(const Operation& row, DType dtype) {
  const auto op = op_from_name(row.name);
  if (op && is_custom(*op)) return !is_complex(dtype);
  return !op || info(*op).family == Family::kLeaf || accepts(*op, dtype);
}

// Largest number of results of an operation. An operation with more results, such as unstack of a long axis, is not used, because it would
// make the merged translation unit too long.
constexpr size_t kMaxResults = 8;

std::vector<NodeRef> try_operation(Workbench& bench, const Operation& row, NodeRef primary) {
  try {
    auto arguments = product_arguments(bench, row, primary);
    if (!arguments) arguments = expression_arguments(bench, row, primary);
    if (!arguments) arguments = body_arguments(bench, row, primary);
    if (!arguments) arguments = random_arguments(bench, row, primary);
    if (!arguments) arguments = index_arguments(bench, row, primary);
    // view_as_complex requires a last axis of size 2, so the array is stacked with itself.
    if (!arguments && primary != nullptr && row.name == "view_as_complex") arguments = {build::stack(std::array{primary, primary}, -1)};
    std::vector<NodeRef> results = row.build(bench.graph(), arguments ? *arguments : Chooser(bench, row, primary).choose());
    return results.size() > kMaxResults ? std::vector<NodeRef>() : results;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) throw;
    return {};
  }
}

}  // namespace harp::fuzz
