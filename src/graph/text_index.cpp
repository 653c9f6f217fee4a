// Parses indices and builds their nodes: one Slice node for all entries start:stop:step, another one for all single positions, a take for
// each index array, and one reshape that removes and adds axes.
#include "graph/text_index.h"

#include <algorithm>

#include "graph/called_as.h"
#include "graph/check.h"
#include "graph/text_expression.h"

namespace harp::text {
namespace {

using build::NodeRef;

/// Returns one entry per axis of x, and in addition the entries `none`, which add axes. Entries that take a whole axis replace the
/// ellipsis, or are added at the end if there is none. The order of the given entries does not change.
std::vector<IndexItem> for_all_axes(NodeRef x, std::span<const IndexItem> items) {
  const auto is = [](IndexItem::Kind kind) { return [kind](const IndexItem& item) { return item.kind == kind; }; };
  const auto ellipses = std::count_if(items.begin(), items.end(), is(IndexItem::kEllipsis));
  HARP_CHECK(ellipses <= 1, Code::kInvalidArgument, "index: ", ellipses, " ellipses; at most one is allowed");
  const auto named = static_cast<int64_t>(items.size()) - ellipses - std::count_if(items.begin(), items.end(), is(IndexItem::kNewAxis));
  HARP_CHECK(named <= x->rank(), Code::kShape, "index: ", named, " axes are indexed, but ", label(x), " of shape ", to_string(x->shape),
             " has ", x->rank());
  const auto others = static_cast<size_t>(x->rank() - named);
  std::vector<IndexItem> all;
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::kEllipsis)
      all.insert(all.end(), others, IndexItem{});
    else
      all.push_back(item);
  }
  if (ellipses == 0) all.insert(all.end(), others, IndexItem{});
  return all;
}

/// Converts a position to one that counts from the start of the axis; a negative constant counts from the end, as in slices.
Dim from_start(NodeRef x, size_t axis, Dim position) {
  const Dim length = x->shape[axis];
  if (!position.is_constant()) return position;
  const bool fits = range(length).hi > (position.constant() < 0 ? -1 - position.constant() : position.constant());
  HARP_CHECK(fits, Code::kRange, "index: ", position.constant(), " is out of range for axis ", axis, " of ", label(x), ", which has size ",
             to_string(length));
  return position.constant() < 0 ? length + position : position;
}

/// True if there is a slice or a new axis between two entries that are positions or arrays. In this case NumPy puts the axes of the index
/// array first.
bool are_separated(std::span<const IndexItem> items) {
  const auto is_advanced = [](const IndexItem& item) { return item.kind == IndexItem::kPosition || item.kind == IndexItem::kArray; };
  const auto first = std::find_if(items.begin(), items.end(), is_advanced);
  const auto end = std::find_if(items.rbegin(), items.rend(), is_advanced).base();
  return first < end && !std::all_of(first, end, is_advanced);
}

NodeRef build_index(NodeRef x, std::span<const IndexItem> given) {
  check_node("index", x);
  const std::vector<IndexItem> items = for_all_axes(x, given);
  // First build one Slice node for all slices and one for all positions. Neither changes the number of axes or their order.
  std::vector<build::SliceSpec> slices;
  std::vector<Dim> start;
  NodeRef array = nullptr;  // the index array of rank 1 or more; at most one is supported
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::kNewAxis) continue;
    slices.push_back(item.slice);
    start.push_back(item.kind == IndexItem::kPosition ? from_start(x, start.size(), item.position) : Dim(0));
    if (item.kind != IndexItem::kArray) continue;
    HARP_CHECK(array == nullptr || item.array->rank() == 0, Code::kUnsupported, "index: ", label(array), " and ", label(item.array),
               " both have axes; only one index array may have axes, the others must be scalars (or use take for each axis)");
    if (item.array->rank() > 0) array = item.array;
  }
  x = build::slice(x, slices);
  Shape size = x->shape;
  size_t axis = 0;
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::kPosition) size[axis] = 1;
    axis += item.kind != IndexItem::kNewAxis;
  }
  x = build::slice_exactly(x, start, size, std::vector<int64_t>(size.size(), 1));
  // The loop begins with the last axis, because a take changes the number of the axes after its own.
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    axis -= item->kind != IndexItem::kNewAxis;
    if (item->kind == IndexItem::kArray) x = build::take(x, item->array, static_cast<int>(axis));
  }
  Shape shape;
  int array_axis = 0;
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::kNewAxis) shape.push_back(1);
    if (item.kind == IndexItem::kSlice) shape.push_back(x->shape[axis++]);
    if (item.kind == IndexItem::kPosition) ++axis;
    if (item.kind != IndexItem::kArray) continue;
    if (item.array == array) array_axis = static_cast<int>(shape.size());
    for (int i = 0; i < item.array->rank(); ++i) shape.push_back(x->shape[axis++]);
  }
  x = build::reshape(x, std::move(shape));
  if (array == nullptr || !are_separated(given)) return x;
  std::vector<int> source, destination;
  for (int i = 0; i < array->rank(); ++i) {
    source.push_back(array_axis + i);
    destination.push_back(i);
  }
  return build::moveaxis(x, source, destination);
}

}  // namespace

const Node* index(const Node* x, std::span<const IndexItem> items) {
  return called_as("index", [&] { return build_index(x, items); });
}

/// True if the index at the cursor is a dimension expression and not an index array, that is, if each name in it is a shape variable.
bool ExpressionParser::sees_size() const {
  int depth = 0;
  for (size_t ahead = 0;; ++ahead) {
    const Token& token = c_.peek(ahead);
    // an incomplete text: parsing it as a size reports the error
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kNewline) return true;
    if (depth == 0 && (token.text == "," || token.text == "]")) return true;
    if (token.text == "(") ++depth;
    if (token.text == ")") --depth;
    if (token.kind == TokenKind::kName) {
      const bool is_function = c_.sees("(", ahead + 1) && (token.text == "min" || token.text == "max" || token.text == "select");
      if (!is_function && !graph_.dims().find_variable(token.text)) return false;
    } else if (token.kind == TokenKind::kSymbol) {
      constexpr std::string_view kOfSizes[] = {"+", "-", "*", "//", "%", "(", ")", ",", ">="};
      if (std::find(std::begin(kOfSizes), std::end(kOfSizes), token.text) == std::end(kOfSizes)) return false;
    } else if (token.kind != TokenKind::kInteger) {
      return false;
    }
  }
}

namespace {

/// True if the index at the cursor is a slice start:stop:step.
bool sees_slice(const Cursor& c) {
  int depth = 0;
  for (size_t ahead = 0;; ++ahead) {
    const Token& token = c.peek(ahead);
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kNewline) return false;
    if (token.kind != TokenKind::kSymbol) continue;
    if (depth == 0 && (token.text == "," || token.text == "]")) return false;
    if (depth == 0 && token.text == ":") return true;
    depth += token.text == "(" || token.text == "[";
    depth -= token.text == ")" || token.text == "]";
  }
}

constexpr std::string_view kAllowedIndices =
    "an index must be a whole number, a slice, none, an ellipsis (...) or an array of integers, got ";

}  // namespace

/// Parses the start, stop or step of a slice. Returns nothing if it is omitted.
std::optional<Dim> ExpressionParser::parse_bound() {
  if (c_.sees(":") || c_.sees(",") || c_.sees("]") || c_.accept("none") || c_.accept("None")) return std::nullopt;
  return parse_dim(c_, graph_.dims(), false);
}

IndexItem ExpressionParser::parse_index_item() {
  if (c_.accept("...")) return {.kind = IndexItem::kEllipsis};
  if (sees_slice(c_)) {
    IndexItem item;
    item.slice.start = parse_bound();
    c_.expect(":");
    item.slice.stop = parse_bound();
    if (!c_.accept(":")) return item;
    const size_t offset = c_.peek().offset;
    const Dim step = parse_bound().value_or(1);
    if (!step.is_constant()) c_.fail_token(offset, cat("the step of a slice must be a number, got ", to_string(step)));
    if (step.is_constant(0)) c_.fail_token(offset, "the step of a slice must not be 0");
    item.slice.step = step.constant();
    return item;
  }
  if (c_.accept("none") || c_.accept("None")) return {.kind = IndexItem::kNewAxis};
  if (c_.sees(",") || c_.sees("]")) c_.fail_expected("an index");
  if (sees_size()) return {.kind = IndexItem::kPosition, .position = parse_dim(c_, graph_.dims(), false)};
  const size_t offset = c_.peek().offset;
  const Value value = parse_expression();
  if (value.node != nullptr) {
    c_.at(offset, [&] {
      const bool is_mask = is_bool(value.node->dtype);
      HARP_CHECK(is_int(value.node->dtype), Code::kDType, kAllowedIndices, quote(shortened(c_.text_since(offset))), ", an array of ",
                 name(value.node->dtype),
                 is_mask ? "; the number of elements that a mask selects depends on the data: use where, or integer indices" : "");
    });
    return {.kind = IndexItem::kArray, .array = value.node};
  }
  if (value.literal.kind != Literal::kInteger)
    c_.fail_token(value.offset, cat(kAllowedIndices, value.literal.negative ? "-" : "", value.literal.text));
  return {.kind = IndexItem::kPosition, .position = to_i64(c_, value)};
}

}  // namespace harp::text
