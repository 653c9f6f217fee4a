#include "interp/custom.h"

#include <cstring>
#include <optional>

#include "graph/body.h"
#include "graph/index_fault.h"
#include "interp/elementwise.h"

namespace harp::interp {
namespace {

class BodyRun {
 public:
  /// `shape` is the shape of every result.
  BodyRun(const ElementBody& body, std::span<const Array> sources, std::span<const int64_t> shape, const Sizes& sizes)
      : body_(body), sources_(sources), shape_(shape), sizes_(sizes), index_(shape.size(), 0) {
    for (const DType dtype : body_.variables) variables_.push_back(scalar_from_int(dtype, 0));
    arrays_.resize(variables_.size());
    values_.resize(body_.expressions.size());
  }

  /// Computes one element of each result; `element` is its row-major position.
  void compute(int64_t element) {
    sizes_.check_cancelled();
    element_ = element;
    has_failed_ = false;
    for (size_t axis = index_.size(); axis-- > 0;) {
      const int64_t size = shape_[axis];
      index_[axis] = element % size;
      element /= size;
    }
    for (size_t i = 0; i < static_cast<size_t>(body_.results); ++i) variables_[i] = scalar_from_int(body_.variables[i], 0);
    run(body_.statements);
  }
  /// Returns the element of a result that compute() computed last.
  const Scalar& element_of(int result) const { return variables_[static_cast<size_t>(result)]; }
  const std::optional<IndexFault>& fault() const { return fault_; }

 private:
  /// Executes statements in order. If a statement is a `break`, or an `if` whose branch executes a `break`, skips the remaining statements
  /// and returns false; otherwise returns true.
  bool run(const std::vector<BodyStatement>& statements) {
    for (const BodyStatement& s : statements) switch (s.kind) {
        case BodyStatement::kSet: variables_[static_cast<size_t>(s.variable)] = value(s.value); break;
        case BodyStatement::kClear: {
          const auto array = static_cast<size_t>(s.variable);
          arrays_[array].assign(static_cast<size_t>(body_.lengths[array]), scalar_from_int(body_.variables[array], 0));
          break;
        }
        case BodyStatement::kStore: {
          Scalar* const stored = local_element(s.variable, s.index, s.site);
          const Scalar& written = value(s.value);
          if (stored != nullptr) *stored = written;
          break;
        }
        case BodyStatement::kIf:
          if (!run(is_true(s.value) ? s.body : s.otherwise)) return false;
          break;
        case BodyStatement::kFor: {
          const auto begin = value(s.value).as<int64_t>(), end = value(s.end).as<int64_t>();
          for (int64_t i = begin; i < end; ++i) {
            variables_[static_cast<size_t>(s.variable)] = Scalar::of(DType::kI64, i);
            if (!iteration(s) || has_failed_) break;  // after an invalid index, `end` may be wrong and huge
          }
          break;
        }
        case BodyStatement::kWhile:
          for (bool goes_on = is_true(s.value); goes_on;) goes_on = iteration(s) && is_true(s.value) && !has_failed_;
          break;
        case BodyStatement::kBreak: return false;
      }
    return true;
  }
  /// Executes the body of a loop once. Returns false if a `break` ended it, otherwise true.
  bool iteration(const BodyStatement& loop) {
    sizes_.check_cancelled();
    return run(loop.body);
  }
  bool is_true(int expression) { return value(expression).as<bool>(); }

  /// Returns the value of an expression. The recursion is safe, because expressions are trees of limited depth.
  const Scalar& value(int expression) {
    const BodyExpression& e = body_.expressions[static_cast<size_t>(expression)];
    Scalar& result = values_[static_cast<size_t>(expression)];
    switch (e.kind) {
      case BodyKind::kConstant: return e.value;
      case BodyKind::kVariable: return variables_[static_cast<size_t>(e.variable)];
      case BodyKind::kPosition: result = Scalar::of(DType::kI64, index_[static_cast<size_t>(e.axis)]); break;
      case BodyKind::kSize:
        result = Scalar::of(DType::kI64, e.array == ElementBody::kOutput
                                             ? shape_[static_cast<size_t>(e.axis)]
                                             : sources_[static_cast<size_t>(e.array)].shape[static_cast<size_t>(e.axis)]);
        break;
      case BodyKind::kLoad: result = load(e); break;
      case BodyKind::kElement: {
        const Scalar* const found = local_element(e.variable, e.operands[0], e.site);
        result = found != nullptr ? *found : scalar_from_int(e.dtype, 0);
        break;
      }
      case BodyKind::kApply: result = apply(e); break;
    }
    return result;
  }

  Scalar load(const BodyExpression& e) {
    const Array& array = sources_[static_cast<size_t>(e.array)];
    int64_t offset = 0;
    bool is_inside = true;
    int site = e.site;
    for (size_t axis = 0; axis < e.operands.size(); ++axis) {
      const auto index = value(e.operands[axis]).as<int64_t>();
      if (index < 0 || index >= array.shape[axis]) {
        is_inside = false;
        report({site, element_, index, array.shape[axis]});
      } else {
        offset += index * array.strides[axis];  // computed only for a valid index, because the product may overflow
      }
      site += !e.is_inside[axis];
    }
    Scalar result = scalar_from_int(e.dtype, 0);
    if (is_inside) std::memcpy(result.bits, array.data + offset * static_cast<int64_t>(size_of(e.dtype)), size_of(e.dtype));
    return result;
  }
  /// Returns an element of a local array. If the index is out of range, reports a fault and returns null.
  Scalar* local_element(int variable, int index, int site) {
    std::vector<Scalar>& array = arrays_[static_cast<size_t>(variable)];
    const auto size = static_cast<int64_t>(array.size()), at = value(index).as<int64_t>();
    if (at >= 0 && at < size) return &array[static_cast<size_t>(at)];
    report({site, element_, at, size});
    return nullptr;
  }
  /// Records the fault of an index check. If several checks fail, the fault with the lowest site number is kept. Elements are evaluated in
  /// order, so the first fault of a check is that of its lowest element.
  void report(const IndexFault& fault) {
    has_failed_ = true;
    if (!fault_ || fault.site < fault_->site) fault_ = fault;
  }

  Scalar apply(const BodyExpression& e) {
    Scalar operands[3];
    const std::byte* addresses[3] = {};
    for (size_t i = 0; i < e.operands.size(); ++i) {
      operands[i] = value(e.operands[i]);
      addresses[i] = reinterpret_cast<const std::byte*>(operands[i].bits);
    }
    Scalar result{e.dtype, {0, 0}};
    auto* const to = reinterpret_cast<std::byte*>(result.bits);
    // The first operand of a where is its bool condition, so the dtype is taken from the last operand.
    const DType from = operands[e.operands.size() - 1].dtype;
    if (e.op == Op::kCast)
      cast_loop(from, e.dtype)(to, addresses[0], 1, 1);
    else
      compute_element(e.op, from, std::span(addresses).first(e.operands.size()), to);
    return result;
  }

  const ElementBody& body_;
  const std::span<const Array> sources_;
  const std::span<const int64_t> shape_;
  const Sizes& sizes_;
  std::vector<int64_t> index_;
  int64_t element_ = 0;
  bool has_failed_ = false;  // true if an index of the current element was invalid
  std::vector<Scalar> variables_, values_;
  // the elements of local arrays, by variable number; empty for a variable that is not a local array or is not declared yet
  std::vector<std::vector<Scalar>> arrays_;
  std::optional<IndexFault> fault_;
};

}  // namespace

std::vector<Array> evaluate_results(std::span<const Node* const> results, std::span<const Array> sources, const Sizes& sizes) {
  const Node& first = *results[0];
  const std::vector<int64_t> shape = sizes.values(first.shape);
  std::vector<Array> arrays;
  for (const Node* node : results) arrays.push_back(Array::allocate(node->dtype, shape));
  BodyRun run(*first.as<CustomAttributes>().body, sources, shape, sizes);
  for (int64_t i = 0; i < arrays[0].count(); ++i) {
    run.compute(i);
    for (size_t r = 0; r < results.size(); ++r) {
      const size_t size = size_of(results[r]->dtype);
      std::memcpy(arrays[r].data + static_cast<size_t>(i) * size, run.element_of(results[r]->as<CustomAttributes>().result).bits, size);
    }
  }
  if (!run.fault()) return arrays;
  const std::vector<CheckSite> sites = check_sites(*first.graph);
  IndexFault fault = *run.fault();
  fault.site += first_site(sites, &first);
  throw IndexError(sites[static_cast<size_t>(fault.site)].text, fault);
}

Array evaluate_custom(const Node& node, std::span<const Array> sources, const Sizes& sizes) {
  const Node* const results[] = {&node};
  return evaluate_results(results, sources, sizes)[0];
}

}  // namespace harp::interp
