// Constructors of Slice nodes. Python's start:stop:step is converted to what a Slice node stores: the first element, the number of elements
// and the step. as_slice_specs() converts these back for printing. exact_quotient() divides sizes exactly.
#include <algorithm>

#include "base/error.h"
#include "graph/build.h"
#include "graph/check.h"

namespace harp::build {
namespace {

struct Range {
  Dim start, size;
  int64_t step;
  bool operator==(const Range&) const = default;
};

/// Constant positions on an axis of at most kFar elements are clamped to -kFar … kFar, so that arithmetic with positions does not overflow.
constexpr int64_t kFar = int64_t{1} << 61;

/// Returns a start or stop of a slice as a position from the start of the axis; a negative constant counts from the end. The position is
/// not clamped to the axis yet.
Dim position(Dim given, Dim length) {
  if (!given.is_constant()) return given;
  if (range(length).hi <= kFar) given = std::clamp(given.constant(), -kFar, kFar);
  return given.constant() < 0 ? given + length : given;
}

/// Returns how many elements are selected if every step-th one of `taken` consecutive elements is selected; 0 if `taken` is negative.
Dim count_of(Dim taken, int64_t step) {
  // A multiple of a step above INT32_MAX may not fit 64 bits. If such a step is at least as long as `taken` can be, at most the first
  // element is selected, and no multiple of the step is needed.
  if (step > INT32_MAX && step >= range(taken).hi) return max(Dim(0), min(taken, 1));
  return max(Dim(0), ceil_div(taken, step));
}

/// Converts start and stop to a range. start is clamped only at the end of the axis where the traversal begins, and stop only at the end
/// where it finishes. Clamping both at both ends would select the same elements, but would give more complicated size expressions: x[1:]
/// and x[:-1], or x[-1:] and x[:1], would not be known to have the same size.
Range resolve(const SliceSpec& spec, Dim length) {
  Range range{0, 0, spec.step};
  if (spec.step > 0) {
    const Dim start = spec.start ? position(*spec.start, length) : Dim(0);
    const Dim stop = spec.stop ? min(position(*spec.stop, length), length) : length;
    const Dim to_end = length - start;
    const bool takes_last = stop == length && to_end.is_constant() && to_end.constant() > 0;
    range.start = max(start, 0);
    range.size = count_of(takes_last ? min(length, to_end) : stop - range.start, spec.step);
  } else {
    range.start = spec.start ? min(position(*spec.start, length), length - 1) : length - 1;
    const Dim stop = spec.stop ? max(position(*spec.stop, length), -1) : Dim(-1);
    range.size = count_of(range.start - stop, -spec.step);
  }
  return range;
}

/// Gives ranges that select the same elements the same representation: an empty range starts at 0, and the step of a range of at most one
/// element is 1.
void normalize(Range& range) {
  if (range.size.is_constant(0)) range.start = 0;
  if (range.size.is_constant(0) || range.size.is_constant(1)) range.step = 1;
}

void check_bound(const Graph& graph, Dim dim, size_t axis) { check_expression("slice", graph, dim, cat("a bound of axis ", axis)); }

NodeRef make(NodeRef source, std::span<const Range> ranges) {
  Graph& graph = check_node("slice", source);
  Shape shape;
  SliceAttributes attributes;
  bool is_identity = true;
  for (size_t axis = 0; axis < ranges.size(); ++axis) {
    const Range& r = ranges[axis];
    is_identity &= r.start.is_constant(0) && r.step == 1 && r.size == source->shape[axis];
    shape.push_back(r.size);
    attributes.start.push_back(r.start);
    attributes.step.push_back(r.step);
  }
  if (is_identity) return source;
  for (size_t axis = 0; axis < ranges.size(); ++axis) check_bound(graph, ranges[axis].start, axis);
  check_shape("slice", graph, source->dtype, shape);
  return graph.intern(Op::kSlice, source->dtype, std::move(shape), {source}, std::move(attributes));
}

void check_count(NodeRef source, size_t count, std::string_view what) {
  HARP_CHECK(static_cast<int>(count) == source->rank(), Code::kShape, "slice: ", count, " ", what, " for ", label(source), " of shape ",
             to_string(source->shape), "; expected one per axis");
}
void check_step(int64_t step, size_t axis) {
  HARP_CHECK(step != 0, Code::kRange, "slice: the step of axis ", axis, " is 0; it must not be 0");
  HARP_CHECK(step != INT64_MIN, Code::kOverflow, "slice: the step of axis ", axis, " is ", step, ", whose negative does not fit 64 bits");
}

}  // namespace

NodeRef slice(NodeRef source, std::span<const SliceSpec> axes) {
  Graph& graph = check_node("slice", source);
  check_count(source, axes.size(), "ranges");
  std::vector<Range> ranges;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const SliceSpec& spec = axes[axis];
    check_step(spec.step, axis);
    for (const auto& bound : {spec.start, spec.stop})
      if (bound) check_bound(graph, *bound, axis);
    ranges.push_back(resolve(spec, source->shape[axis]));
    normalize(ranges.back());
  }
  return make(source, ranges);
}

NodeRef slice_exactly(NodeRef source, std::span<const Dim> start, std::span<const Dim> size, std::span<const int64_t> step) {
  Graph& graph = check_node("slice", source);
  check_count(source, start.size(), "starts");
  check_count(source, size.size(), "sizes");
  check_count(source, step.size(), "steps");
  std::vector<Range> ranges;
  for (size_t axis = 0; axis < size.size(); ++axis) {
    check_step(step[axis], axis);
    check_bound(graph, start[axis], axis);
    check_dim("slice", graph, size[axis], cat("the size of axis ", axis));
    const Dim length = source->shape[axis], last = start[axis] + (size[axis] - 1) * Dim(step[axis]);
    const bool is_outside =
        range(start[axis]).hi < 0 || range(last).hi < 0 || range(start[axis] - length).lo >= 0 || range(last - length).lo >= 0;
    HARP_CHECK(!is_outside || range(size[axis]).lo <= 0, Code::kRange, "slice: elements ", to_string(start[axis]), " to ", to_string(last),
               " of axis ", axis, " are not all inside ", label(source), " of shape ", to_string(source->shape));
    ranges.push_back({start[axis], size[axis], step[axis]});
    normalize(ranges.back());
  }
  return make(source, ranges);
}

namespace {

/// If the expression `e` is max(a, b) and nothing else, returns a and b; else nothing.
std::vector<Dim> operands_of_max(Dim e) {
  if (e.is_constant() || e.node()->constant != 0 || e.node()->terms.size() != 1) return {};
  const SymTerm& term = e.node()->terms[0];
  if (term.coefficient != 1 || term.factors.size() != 1 || term.factors[0]->kind != AtomKind::kMax) return {};
  return {term.factors[0]->a, term.factors[0]->b};
}

/// A start or size that was clamped from below is an expression max(a, b). Returns what the expression may have been before it was clamped:
/// a, b, and the expression itself.
std::vector<Dim> unclamped(Dim clamped) {
  std::vector<Dim> meant = operands_of_max(clamped);
  meant.push_back(clamped);
  return meant;
}

/// Appends `position` to the candidates for a start or stop. If a negative constant (which counts from the end of the axis) denotes the
/// same position, that constant is appended first, so that it is preferred.
void add_position(std::vector<std::optional<Dim>>& positions, Dim position, Dim length) {
  const Dim from_end = position - length;
  if (from_end.is_constant() && from_end.constant() < 0 && !position.is_constant()) positions.emplace_back(from_end);
  positions.emplace_back(position);
}

/// Finds the start, stop and step that resolve() converts to this range. It tries these stops in order: none, the position after the last
/// element, and start + size * step.
std::optional<SliceSpec> spec_of(const Range& wanted, Dim length) {
  std::vector<std::optional<Dim>> starts = {std::nullopt}, stops = {std::nullopt};
  for (const Dim start : unclamped(wanted.start)) add_position(starts, start, length);
  for (const Dim size : unclamped(wanted.size)) {
    const Dim end = wanted.start + size * Dim(wanted.step);
    add_position(stops, end - Dim(wanted.step > 0 ? wanted.step - 1 : wanted.step + 1), length);
    add_position(stops, end, length);
  }
  for (const std::optional<Dim>& start : starts)
    for (const std::optional<Dim>& stop : stops) {
      const SliceSpec spec{start, stop, wanted.step};
      Range made = resolve(spec, length);
      normalize(made);
      if (made == wanted) return spec;
    }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<SliceSpec>> as_slice_specs(NodeRef node) {
  const auto& attributes = node->as<SliceAttributes>();
  std::vector<SliceSpec> specs;
  for (int axis = 0; axis < node->rank(); ++axis) {
    const auto spec = spec_of({attributes.start[axis], node->shape[axis], attributes.step[axis]}, node->sources[0]->shape[axis]);
    if (!spec) return std::nullopt;
    specs.push_back(*spec);
  }
  return specs;
}

namespace {

/// Returns the leading term of a size expression, which is a polynomial: the first term in a monomial order (symbolic_order.h). A fixed
/// order makes division with remainder by one divisor well defined.
SymTerm leading_term(Dim e) { return e.is_constant() ? SymTerm{e.constant(), {}} : e.node()->terms[0]; }

/// Returns an atom (a factor of a term: a variable, min, max, division or select) as an expression. All except variables are built again;
/// because expressions are interned, this returns the existing one.
Dim expression_of(const SymAtom* atom, SymTable& table) {
  switch (atom->kind) {
    case AtomKind::kVariable: return *table.find_variable(atom->name);
    case AtomKind::kFloorDiv: return floor_div(atom->a, atom->b);
    case AtomKind::kMod: return mod(atom->a, atom->b);
    case AtomKind::kMin: return min(atom->a, atom->b);
    case AtomKind::kMax: return max(atom->a, atom->b);
    case AtomKind::kSelect: return select(atom->c, atom->a, atom->b);
  }
  return 0;
}

std::optional<Dim> divide_terms(const SymTerm& a, const SymTerm& b, SymTable* table) {
  // the quotient does not exist or does not fit i64
  if (b.coefficient == 0 || (b.coefficient == -1 && a.coefficient == INT64_MIN)) return std::nullopt;
  if (a.coefficient % b.coefficient != 0) return std::nullopt;
  Dim quotient = a.coefficient / b.coefficient;
  auto divisor = b.factors.begin();
  for (const SymAtom* factor : a.factors) {
    if (divisor != b.factors.end() && *divisor == factor)
      ++divisor;
    else
      quotient = quotient * expression_of(factor, *table);
  }
  if (divisor != b.factors.end()) return std::nullopt;
  return quotient;
}

}  // namespace

std::optional<Dim> exact_quotient(Dim a, Dim b) {
  if (b.is_constant(0)) return std::nullopt;
  if (a == b) return Dim(1);
  SymTable* table = a.is_constant() ? nullptr : a.node()->table;
  const SymTerm divisor = leading_term(b);
  Dim quotient = 0, rest = a;
  // Polynomial division: each round removes the leading term. An exact quotient of sizes has few terms, so 64 rounds are enough.
  for (int round = 0; round < 64 && !rest.is_constant(0); ++round) {
    const auto part = divide_terms(leading_term(rest), divisor, table);
    if (!part) return std::nullopt;
    quotient = quotient + *part;
    rest = rest - *part * b;
  }
  return rest.is_constant(0) ? std::optional(quotient) : std::nullopt;
}

}  // namespace harp::build
