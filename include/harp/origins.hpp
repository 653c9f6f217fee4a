// The arrays from which a computed array was computed. Part of harp.hpp.
//
// Differentiation stops at computed arrays. If an array between y and x was computed early, because its elements were read or because too
// many operations were pending, the gradient would silently miss the path through this array. Such an array therefore records the numbers
// of the arrays from which it was computed, and grad fails if one of the xs is among them. (It records numbers, not references, so it does
// not keep those arrays alive.) An array on which realize() was called is a constant by intention and records nothing.
#ifndef HARP_ORIGINS_HPP
#define HARP_ORIGINS_HPP

#include <harp/walk.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// Why an array was computed; text_of() describes each reason.
enum class Reason { realize, look, size, gradient, jit_argument, jit };

inline const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::realize: return "realize() was called on it";
    case Reason::look: return "its elements were read (data, item, to_vector, buffer, or as a condition)";
    case Reason::size: return "more than 10,000 operations, or half a GiB of inputs, were pending";
    case Reason::gradient: return "it is a gradient through an array that was computed";
    case Reason::jit_argument: return "it was an argument of a function that jit traced";
    case Reason::jit: return "it is a result of a function that jit traced";
  }
  return "";
}

/// A set of array numbers. It stores up to kMost numbers in ascending order, and a bound: all numbers up to the bound count as members.
/// When kMost numbers are stored and another one is added, the smallest of them is removed and becomes the bound.
class Origins {
 public:
  static constexpr size_t kMost = 16;

  explicit Origins(Reason reason) : reason_(reason) {}
  Reason reason() const { return reason_; }
  bool empty() const { return count_ == 0; }

  void add(uint64_t number) {
    uint64_t* const end = numbers_ + count_;
    uint64_t* const at = std::lower_bound(numbers_, end, number);
    if ((at != end && *at == number) || number <= up_to_) return;
    if (count_ < kMost) {
      std::copy_backward(at, end, end + 1);
      *at = number;
      ++count_;
    } else if (at == numbers_) {
      up_to_ = number;
    } else {
      up_to_ = numbers_[0];
      std::copy(numbers_ + 1, at, numbers_);
      at[-1] = number;
    }
  }
  void add(const Origins& others) {
    for (size_t i = 0; i < others.count_; ++i) add(others.numbers_[i]);
    up_to_ = std::max(up_to_, others.up_to_);
  }

  bool has(uint64_t number) const { return std::binary_search(numbers_, numbers_ + count_, number); }
  bool may_have(uint64_t number) const { return number <= up_to_ || has(number); }

 private:
  uint64_t numbers_[kMost] = {};
  size_t count_ = 0;
  uint64_t up_to_ = 0;
  Reason reason_;
};

/// The number of an array. It is assigned when another array first records it, because most arrays never need one.
inline uint64_t array_number(Value* value) {
  static std::atomic<uint64_t> numbers{0};
  uint64_t number = value->array_number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const uint64_t next = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return value->array_number.compare_exchange_strong(number, next, std::memory_order_relaxed)
             ? next
             : number;  // another thread has assigned a number in the meantime
}

/// The recorded origins of a computed array; NULL if there are none.
inline const Origins* remembered(const Value* value) {
  return value->is_constant.load(std::memory_order_relaxed) ? nullptr : value->origins.get();
}

/// Tests whether a value can have a gradient. A value that stands for an operation with several results counts as differentiable.
inline bool is_differentiable(const Value* value) { return value->type == nullptr || category_of(value->type->dtype) >= Category::real; }

/// Calls visit(value, uses) for `y`, and for each value on a differentiable path that ends at y. The Walk (walk.hpp) must contain y. `uses`
/// is the number of times that `value` occurs as an operand of values in the Walk.
template <class F>
void visit_differentiable(Walk& walk, const Value* y, F&& visit) {
  static thread_local std::vector<uint32_t> marks;  // for each value of the walk: 2 * uses, plus 1 if the value is on a differentiable path
  marks.assign(walk.order.size(), 0);
  marks[walk.number_of(y)] = 1;
  for (size_t i = walk.order.size(); i-- > 0;) {  // visits consumers before their operands; walk.order has the opposite order
    Value* value = walk.order[i];
    const bool is_reached = (marks[i] & 1) != 0 && is_differentiable(value);
    const bool goes_on = is_reached && (value->signature == nullptr || !value->signature->stops_gradients);
    for (uint32_t k = 0; k < value->count; ++k) {
      if (value->operands()[k] == nullptr) continue;
      uint32_t& mark = marks[walk.number_of(value->operands()[k])];
      mark = (mark + 2) | (goes_on ? 1U : 0U);
    }
    if (is_reached) visit(value, marks[i] / 2);
  }
}

inline std::shared_ptr<const Origins> shared(const Origins& origins) {
  return origins.empty() ? nullptr : std::make_shared<const Origins>(origins);
}

/// Returns the origins of the pending value `made`: the arrays on the differentiable paths that end at `made`, and the origins that
/// computed arrays among them have recorded. An array to which nothing outside the Walk (walk.hpp) refers is left out, because no gradient
/// with respect to it can be requested later. Returns null if there are no origins.
inline std::shared_ptr<const Origins> origins_of(Walk& walk, const Value* made, Reason reason) {
  Origins origins(reason);
  if (!is_differentiable(made)) return nullptr;
  visit_differentiable(walk, made, [&](Value* value, uint32_t uses) {
    if (value == made || value->type == nullptr) return;
    if (value->references.load(std::memory_order_relaxed) > uses) origins.add(array_number(value));
    if (const Origins* before = remembered(value); before != nullptr) origins.add(*before);
  });
  return shared(origins);
}

/// Tests whether y depends on a computed array that was computed from one of xs. If so, raises an error and returns false.
inline bool check_origins(Value* y, Value* const* xs, size_t count) {
  const auto none = [](const Value* x) { return x->array_number.load(std::memory_order_relaxed) == 0; };
  if (std::all_of(xs, xs + count, none)) return true;  // no computed array has recorded any of the xs
  Walk& walk = Walk::of_thread();
  walk.go(&y, 1);
  const auto nothing = [](const Value* leaf) { return remembered(leaf) == nullptr; };
  if (std::all_of(walk.leaves.begin(), walk.leaves.end(), nothing)) return true;
  const Value* found = nullptr;
  size_t of = 0;
  visit_differentiable(walk, y, [&](const Value* value, uint32_t) {
    const Origins* origins = remembered(value);
    for (size_t i = 0; origins != nullptr && found == nullptr && i < count; ++i) {
      const uint64_t number = xs[i]->array_number.load(std::memory_order_relaxed);
      if (number != 0 && origins->may_have(number)) found = value, of = i;
    }
  });
  if (found == nullptr) return true;
  const Origins* origins = remembered(found);
  const bool is_sure = origins->has(xs[of]->array_number.load(std::memory_order_relaxed));
  raise(
      {HARP_ERROR_NO_GRADIENT,
       "grad: y depends on an array of the shape " + shape_text(found->type->dims, found->type->rank) +
           " that was computed before, because " + text_of(origins->reason()) + ". It " +
           (is_sure ? "was computed from xs[" + std::to_string(of) + "]"
                    : "may have been computed from xs[" + std::to_string(of) + "] (it was computed from too many arrays to remember all)") +
           ", which the gradient would leave out. Call grad before elements are read, or compute everything, gradients included, in "
           "one jit function, or call realize() on the array if it is meant as a constant"});
  return false;
}

/// Records `values`, the pending gradients with respect to xs, in every value that depends on one of xs. When such a value is computed, the
/// gradients have to be computed in the same run. The Walk (walk.hpp) was made for `values`.
inline void note_gradients(Walk& walk, Value* const* xs, size_t count, std::vector<Value*> values) {
  static thread_local std::vector<uint8_t> marks;  // for each value of the walk: 1 if it is one of xs, 2 if it depends on one of xs
  marks.assign(walk.order.size(), 0);
  for (size_t i = 0; i < count; ++i) marks[walk.number_of(xs[i])] = 1;
  for (Value* value : values) value->is_gradient = true;
  const auto gradients = std::make_shared<Gradients>(Gradients{std::move(values)});
  std::shared_ptr<const GradientList> list;
  for (size_t i = 0; i < walk.order.size(); ++i) {
    Value* value = walk.order[i];
    for (uint32_t k = 0; k < value->count; ++k)
      if (value->operands()[k] != nullptr && marks[walk.number_of(value->operands()[k])] != 0) marks[i] = 2;
    if (marks[i] != 2) continue;
    while (value->gradients != nullptr && value->gradients->gradients->values.empty())
      value->gradients = std::shared_ptr<const GradientList>(value->gradients)->next;
    if (list == nullptr || list->next != value->gradients)
      list = std::make_shared<const GradientList>(GradientList{gradients, value->gradients});
    value->gradients = list;
  }
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_ORIGINS_HPP
