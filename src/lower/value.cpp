#include "lower/value.h"

#include <algorithm>

#include "base/error.h"
#include "lower/copied_values.h"
#include "lower/positions.h"
#include "schedule/gathered.h"

namespace harp::lower {

using ir::UOp;

Sym flatten(const Index& index, const Shape& shape) {
  Sym position = 0;
  for (size_t i = 0; i < shape.size(); ++i) position = position * shape[i] + index[i];
  return position;
}

Index unflatten(Sym position, const Shape& shape) {
  Index index(shape.size(), Sym(0));
  size_t outermost = 0;  // index of the first axis whose size is not 1; its index needs no remainder
  while (outermost < shape.size() && shape[outermost].is_constant(1)) ++outermost;
  for (size_t i = shape.size(); i-- > outermost;) {
    if (shape[i].is_constant(1)) continue;
    index[i] = i == outermost ? position : mod(position, shape[i]);
    if (i != outermost) position = floor_div(position, shape[i]);
  }
  return index;
}

Index reshape_index(const Index& index, const Shape& to, const Shape& from) {
  // Walks both shapes from the left. Whenever the products of the sizes so far are equal, the axes since the previous such point form a
  // group, which is flattened and unflattened separately from the others. An axis that both shapes have is a group by itself and needs no
  // division. Axes of size 1 belong to no group: where a group begins, they would be compared with an axis that may have no elements, so
  // that no product of an unknown size would be known to be larger, and all axes would become one group.
  Index result;
  size_t t = 0, f = 0;
  while (t < to.size() || f < from.size()) {
    if (f < from.size() && from[f].is_constant(1)) {
      result.emplace_back(0);
      ++f;
      continue;
    }
    if (t < to.size() && to[t].is_constant(1)) {
      ++t;
      continue;
    }
    const size_t t0 = t, f0 = f;
    Sym product_to = t < to.size() ? to[t++] : 1, product_from = f < from.size() ? from[f++] : 1;
    while (!(product_to == product_from) && (t < to.size() || f < from.size())) {
      const bool advances_from = f < from.size() && proven_at_most(product_from, product_to);
      if (t == to.size() || advances_from)
        product_from *= from[f++];
      else
        product_to *= to[t++];
    }
    const auto slice = [](const std::vector<Sym>& all, size_t begin, size_t end) {
      return std::vector<Sym>(all.begin() + static_cast<long>(begin), all.begin() + static_cast<long>(end));
    };
    const Index part = unflatten(flatten(slice(index, t0, t), slice(to, t0, t)), slice(from, f0, f));
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

size_t ValueBuilder::KeyHash::operator()(const Key& key) const {
  size_t h = reinterpret_cast<size_t>(key.node) * 31 + reinterpret_cast<size_t>(key.mask);
  for (const Sym& s : key.index) h = h * 0x9e3779b97f4a7c15u + s.hash();
  return h;
}

ValueBuilder::ValueBuilder(ir::Arena& arena, const Program& program, const KernelPlan& plan, ir::Kernel& kernel)
    : arena_(arena), program_(program), plan_(plan), kernel_(kernel) {}

int ValueBuilder::parameter(int buffer, bool written, Sym offset) {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].buffer == buffer && arguments_[i].offset == offset && kernel_.params[i].written == written)
      return static_cast<int>(i);
  const Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
  constexpr std::string_view kinds[] = {"input", "output", "constant", "tmp"};
  arguments_.push_back({buffer, offset});
  kernel_.params.push_back({cat(kinds[static_cast<int>(b.kind)], b.index), b.node->dtype, written});
  if (b.space == Space::kScratch) kernel_.params.back().space = b.space, kernel_.params.back().offset = b.offset;
  const int64_t size = static_cast<int64_t>(size_of(b.node->dtype));
  kernel_.params.back().is_large = proven_at_most(program_.target.cpu_or_default().stream_bytes, element_count(b.node->shape) * size);
  return static_cast<int>(arguments_.size()) - 1;
}

Sym ValueBuilder::position_in(int buffer, Index index, const Shape& shape) const {
  if (program_.buffers[static_cast<size_t>(buffer)].space == Space::kScratch) {
    size_t first = 0;
    while (shape[first].is_constant(1)) ++first;
    // A block buffer, through which the kernels of a chain (schedule/chain.h) pass on one block, contains only one index of its first axis:
    // that of the block that is being computed.
    index[first] = 0;
  }
  return flatten(index, shape);
}

const UOp* ValueBuilder::value(const Node* node, const Index& index, const UOp* mask) {
  Key key{node, index, mask};
  if (auto found = values_.find(key); found != values_.end()) return found->second;
  const UOp* result = build(node, index, mask);
  values_.emplace(std::move(key), result);
  return result;
}

const UOp* ValueBuilder::build(const Node* node, const Index& index, const UOp* mask) {
  if (const auto found = kept_.find(node); found != kept_.end())
    if (const std::optional<Sym> position = found->second.second(index))
      return same_bits(arena_, node->dtype, arena_.acc(kept_as(node->dtype), found->second.first, *position));
  if (is_loaded(program_, plan_, node)) return load(node, index, mask);
  switch (info(node->op).family) {
    case Family::kElementwise:
    case Family::kConvert: return elementwise(node, index, mask);
    case Family::kReduce:
    case Family::kScan: {
      auto found = bound_.find(node);
      HARP_ASSERT(found != bound_.end(), name(node->op), " is used in a kernel that does not compute it");
      return found->second;
    }
    case Family::kCopy: return node->op == Op::kCheckIndex ? check_index(node, index, mask) : value(node->sources[0], index, mask);
    case Family::kJoin: return concat(node, index, mask);
    case Family::kGather: return gather(node, index, mask);
    case Family::kCustom: {
      const auto found = bound_.find(node);
      return found != bound_.end() ? found->second : custom_value(*this, kernel_, *node, index, mask, nullptr);
    }
    default: break;
  }
  switch (node->op) {
    case Op::kConstant: return arena_.constant(node->as<ConstantAttributes>().value);
    case Op::kSize: return arena_.index(node->as<SizeAttributes>().value);
    case Op::kArange: return arena_.apply(Op::kCast, node->dtype, {arena_.index(index[0])});
    case Op::kPermute: {
      const auto& axes = node->as<PermuteAttributes>().axes;
      Index source(index.size());
      for (size_t i = 0; i < axes.size(); ++i) source[static_cast<size_t>(axes[i])] = index[i];
      return value(node->sources[0], source, mask);
    }
    case Op::kExpand: {
      Index source = index;
      const Shape& from = node->sources[0]->shape;
      for (size_t i = 0; i < source.size(); ++i)
        if (from[i].is_constant(1)) source[i] = 0;
      return value(node->sources[0], source, mask);
    }
    case Op::kReshape: return value(node->sources[0], reshape_index(index, node->shape, node->sources[0]->shape), mask);
    case Op::kSlice: {
      const auto& slice = node->as<SliceAttributes>();
      Index source(index.size());
      for (size_t i = 0; i < index.size(); ++i) source[i] = slice.start[i] + slice.step[i] * index[i];
      return value(node->sources[0], source, mask);
    }
    case Op::kPad: return pad(node, index, mask);
    case Op::kUnfold: {
      const auto& unfold = node->as<UnfoldAttributes>();
      Index source(index.begin(), index.end() - 1);
      Sym& position = source[static_cast<size_t>(unfold.axis)];
      position = position * unfold.stride + index.back() * unfold.dilation;
      return value(node->sources[0], source, mask);
    }
    default: fail(Code::kInternal, "no lowering for op ", name(node->op));
  }
}

const UOp* ValueBuilder::elementwise(const Node* node, const Index& index, const UOp* mask) {
  std::vector<const UOp*> sources;
  for (const Node* source : node->sources) sources.push_back(value(source, source->rank() == 0 ? Index{} : index, mask));
  return arena_.apply(node->op, node->dtype, std::move(sources));
}

const UOp* ValueBuilder::both(const UOp* a, const UOp* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  return arena_.apply(Op::kBitAnd, DType::kBool, {a, b});
}

const UOp* ValueBuilder::pad(const Node* node, const Index& index, const UOp* mask) {
  const auto& pad = node->as<PadAttributes>();
  const Shape& from = node->sources[0]->shape;
  Index source(index.size());
  const UOp* inside = nullptr;
  for (size_t i = 0; i < index.size(); ++i) {
    source[i] = index[i] - pad.before[i];
    if (!pad.before[i].is_constant(0)) inside = both(inside, arena_.in_range(source[i]));
    if (!pad.after[i].is_constant(0)) inside = both(inside, arena_.in_range(from[i] - 1 - source[i]));
  }
  if (inside == nullptr) return value(node->sources[0], source, mask);
  const UOp* filled = arena_.constant(pad.value);
  return arena_.apply(Op::kWhere, node->dtype, {inside, value(node->sources[0], source, both(mask, inside)), filled});
}

/// While `node` is a slice that this kernel computes, goes on to the node of which it is a slice. Returns the node where this ends, and
/// replaces `index` by the index of the same element in that node.
const Node* ValueBuilder::below_slices(const Node* node, Index& index) const {
  while (node->op == Op::kSlice && !is_loaded(program_, plan_, node)) {
    const auto& slice = node->as<SliceAttributes>();
    for (size_t i = 0; i < index.size(); ++i) index[i] = slice.start[i] + slice.step[i] * index[i];
    node = node->sources[0];
  }
  return node;
}

const UOp* ValueBuilder::concat(const Node* node, const Index& index, const UOp* mask) {
  const size_t axis = static_cast<size_t>(node->as<ConcatAttributes>().axis);
  std::vector<Sym> starts;
  Sym end = 0;
  for (const Node* source : node->sources) {
    starts.push_back(end);
    end += source->shape[axis];
  }
  // If all sources of the concat are slices of one array (as in a roll), the generated code selects an index into that array, and then
  // reads or computes one element. Otherwise it reads or computes an element of each source under a mask, and selects one of them.
  std::vector<Index> below;
  const Node* base = nullptr;
  for (size_t s = 0; s < node->sources.size(); ++s) {
    Index part = index;
    part[axis] = part[axis] - starts[s];
    const Node* bottom = below_slices(node->sources[s], part);
    if (s == 0)
      base = bottom;
    else if (bottom != base)
      base = nullptr;
    if (base == nullptr) break;
    below.push_back(std::move(part));
  }
  if (base != nullptr) {
    Index joined = below.back();
    for (size_t s = node->sources.size() - 1; s-- > 0;)
      for (size_t i = 0; i < joined.size(); ++i) joined[i] = select(starts[s + 1] - 1 - index[axis], below[s][i], joined[i]);
    return value(base, joined, mask);
  }
  const UOp* result = nullptr;
  for (size_t s = node->sources.size(); s-- > 0;) {
    const bool first = s == 0, last = s + 1 == node->sources.size();
    if (node->sources[s]->shape[axis].is_constant(0)) continue;
    Index part = index;
    part[axis] = part[axis] - starts[s];
    const UOp* from = first ? nullptr : arena_.in_range(part[axis]);
    const UOp* until = last ? nullptr : arena_.in_range(starts[s + 1] - 1 - index[axis]);
    const UOp* mine = value(node->sources[s], part, both(mask, both(from, until)));
    result = result == nullptr ? mine : arena_.apply(Op::kWhere, node->dtype, {until, mine, result});
  }
  // An empty concat has no elements, so its value is never used.
  return result != nullptr ? result : arena_.constant(scalar_from_int(node->dtype, 0));
}

/// Returns an element of a Gather node. The position along the gather axis is known only at run time, unless the indices are expressions of
/// their own position (positions.h); the other entries of the index are symbolic.
const UOp* ValueBuilder::gather(const Node* node, const Index& index, const UOp* mask) {
  const auto axis = static_cast<size_t>(node->as<GatherAttributes>().axis);
  const Sym size = node->sources[0]->shape[axis];
  const UOp* has_elements = arena_.in_range(size - 1);
  const UOp* allowed = both(mask, has_elements);
  Index there = index;
  there[axis] = 0;
  if (are_positions(*node->sources[1])) {
    there[axis] = selected_position(index_at(*node->sources[1], index), size);
    const UOp* element = value(node->sources[0], there, allowed);
    if (is_read(element)) return element;  // no Where is needed, because a masked read is 0 where its mask is false
    return arena_.apply(Op::kWhere, node->dtype, {has_elements, element, arena_.constant(scalar_from_int(node->dtype, 0))});
  }
  const auto from = gathered(*node, [&](const Node* x) { return is_loaded(program_, plan_, x); });
  if (!from) {
    const UOp* zero = arena_.constant(scalar_from_int(node->dtype, 0));
    return arena_.apply(Op::kWhere, node->dtype, {has_elements, value(node->sources[0], there, allowed), zero});
  }
  HARP_ASSERT(is_loaded(program_, plan_, from->array), "the source of ", name(node->op), " does not lie in memory");
  Sym base = from->view.offset;
  for (size_t i = 0; i < there.size(); ++i) base += there[i] * from->view.strides[i];
  const int buffer = parameter(program_.buffer_of.at(from->array), false);
  const UOp* position = arena_.position(value(node->sources[1], index, mask), size);
  return arena_.gather(node->dtype, buffer, base, position, from->view.strides[axis], allowed);
}

/// Returns an element of a CheckIndex node: an index that is checked at run time. A u64 above INT64_MAX is clamped to INT64_MAX, which is
/// out of range for every axis, too.
const UOp* ValueBuilder::check_index(const Node* node, const Index& index, const UOp* mask) {
  const Sym size = node->as<CheckAttributes>().size;
  const UOp* number = value(node->sources[0], index, mask);
  if (node->dtype == DType::kU64)
    number = arena_.apply(Op::kMin, node->dtype, {number, arena_.constant(Scalar::of(node->dtype, uint64_t{INT64_MAX}))});
  number = arena_.check(first_site(program_.sites, node), flatten(index, node->shape), arena_.cast(DType::kI64, number),
                        arena_.index(Sym(0) - size), arena_.index(size), mask);
  return arena_.cast(node->dtype, number);
}

const UOp* ValueBuilder::load(const Node* node, const Index& index, const UOp* mask) {
  const int buffer = program_.buffer_of.at(node);
  return arena_.load(node->dtype, parameter(buffer, false), position_in(buffer, index, node->shape), mask);
}

}  // namespace harp::lower
