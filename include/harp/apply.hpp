// Lets one function accept nodes, tensors and expressions. This header defines the kinds of operands, and the result type of an operation
// on operands of each kind. Part of harp.hpp.
//
// `maximum(a, b)` is one template for all kinds of operands. The common kind of its operands selects a specialisation of the class template
// Applier, which applies the operation; C++ numbers are allowed next to arrays of any kind. node.hpp specialises Applier for nodes,
// tensor.hpp for tensors, and expression.hpp for expressions. The operation itself is a small struct of calls.hpp that holds its attributes
// and calls the function of harp.h that builds it.
#ifndef HARP_APPLY_HPP
#define HARP_APPLY_HPP

#include <harp/values.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

class Node;
class Tensor;

/// Stands for an optional operand that is not given.
struct None {};
inline constexpr None none{};

/// A string attribute that may be absent: it is absent if the Text is default-constructed or made from nullptr.
class Text {
 public:
  Text() = default;
  Text(std::nullptr_t) {}                                                                  // NOLINT(google-explicit-constructor)
  Text(const char* text) : given_(text != nullptr), text_(text != nullptr ? text : "") {}  // NOLINT(google-explicit-constructor)
  Text(std::string text) : given_(true), text_(std::move(text)) {}                         // NOLINT(google-explicit-constructor)
  const char* get() const { return given_ ? text_.c_str() : nullptr; }
  bool given() const { return given_; }
  const std::string& string() const { return text_; }

 private:
  bool given_ = false;
  std::string text_;
};

/// The options of the pooling operations max_pool and avg_pool. The lists stride, padding and dilation have the same form as the arguments
/// of unfold.
struct PoolOptions {
  Steps stride;                   ///< default: the window's size
  Sizes padding;                  ///< default: 0
  Steps dilation;                 ///< default: 1
  bool ceil_mode = false;         ///< the last window of an axis may extend beyond the padding
  bool count_include_pad = true;  ///< for avg_pool: padding elements count as zeros in the mean

  harp_pool_options get() const {
    harp_pool_options options = HARP_POOL_OPTIONS_INIT;
    options.n_stride = stride.count();
    options.n_padding = padding.count();
    options.n_dilation = dilation.count();
    options.stride = stride.data();
    options.padding = padding.data();
    options.dilation = dilation.data();
    options.ceil_mode = ceil_mode ? 1 : 0;
    options.count_include_pad = count_include_pad ? 1 : 0;
    return options;
  }
};

namespace detail {

/// The rule by which the shape of an operation's result follows from the shapes of its operands: that of an elementwise operation, that of
/// a reduction, or another one.
enum class Family { elementwise, reduction, other };

/// The base of operations without attributes: attributes(f) does nothing. An operation with attributes has them as its first data members,
/// and its attributes(f) calls f once for each of them, in the order of their declaration.
struct NoAttributes {
  template <class F>
  void attributes(F&&) const {}
};

/// The base of all expression templates (expression.hpp).
struct ExpressionBase {};

enum class Kind { other, absent, number, node, tensor, expression };

template <class T>
constexpr Kind kind_of_plain() {
  if constexpr (std::is_same_v<T, Node>)
    return Kind::node;
  else if constexpr (std::is_same_v<T, Tensor>)
    return Kind::tensor;
  else if constexpr (std::is_same_v<T, None>)
    return Kind::absent;
  else if constexpr (is_number<T>)
    return Kind::number;
  else if constexpr (std::is_class_v<T>)
    return std::is_base_of_v<ExpressionBase, T> ? Kind::expression : Kind::other;
  else
    return Kind::other;
}
template <class T>
inline constexpr Kind kind_of = kind_of_plain<std::remove_cv_t<std::remove_reference_t<T>>>();

/// Returns the common kind of all operands (node, tensor or expression); `other` if the operands cannot be combined, or if none of them is
/// an array.
template <class... A>
constexpr Kind kind_of_all() {
  Kind result = Kind::absent;
  bool fits = true;
  for (const Kind kind : {kind_of<A>...}) {
    if (kind == Kind::other) fits = false;
    if (kind <= Kind::number) continue;
    if (result != Kind::absent && result != kind) fits = false;
    result = kind;
  }
  return fits && result != Kind::absent ? result : Kind::other;
}

/// The result type of an operation on operands of a kind. tensor.hpp and expression.hpp specialise it for their kinds.
template <Kind kind, class Op, class... A>
struct ResultOf {};
template <class Op, class... A>
struct ResultOf<Kind::node, Op, A...> {
  using type = Node;
};
template <class Op, class... A>
struct ResultOf<Kind::tensor, Op, A...> {
  using type = Tensor;
};

/// The result type of `Op` on operands of these types, for declarations of functions. If the operands cannot be combined, there is no such
/// type, and overload resolution ignores the function.
template <class Op, class... A>
using Applied = typename ResultOf<kind_of_all<A...>(), Op, A...>::type;

/// The type T itself if T is Node or Tensor. For any other T there is no such type, and overload resolution ignores a function that has
/// Array<T> in its declaration. Functions that accept or return several arrays use it.
template <class T>
using Array = std::enable_if_t<kind_of<T> == Kind::node || kind_of<T> == Kind::tensor, T>;

template <Kind kind>
struct Applier;

template <class Op, class... A>
Applied<Op, A...> apply(const Op& op, A&&... operands) {
  return Applier<kind_of_all<A...>()>::run(op, std::forward<A>(operands)...);
}
/// Raises the error for an operation whose list of operands is empty. harp takes the graph or the context in which it builds an operation
/// from the operands, so it cannot build an operation without operands.
inline void raise_empty_list(const char* name) {
  raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": expected at least one array, got an empty list"});
}

/// Applies an operation to a list of operands.
template <class Op, class T>
Array<T> apply_list(const Op& op, const T* operands, size_t count) {
  if (count == 0) {
    raise_empty_list(Op::name);
    return {};
  }
  return Applier<kind_of<T>>::run_list(op, operands, count);
}
/// Applies an operation that has several results to a list of operands. Returns the results.
template <class Op, class T>
std::vector<Array<T>> apply_several(const Op& op, const T* operands, size_t count) {
  if (count == 0) {
    raise_empty_list(Op::name);
    return {};
  }
  return Applier<kind_of<T>>::run_several(op, operands, count);
}
template <class Op, class T>
std::pair<Array<T>, T> apply_two(const Op& op, const T* operands, size_t count) {
  std::vector<T> results = apply_several(op, operands, count);
  return {std::move(results[0]), std::move(results[1])};
}

/// Returns the size of an axis as an int32_t, for functions of harp.h that require a plain number. The size must not be symbolic.
template <class T>
int32_t plain_size(const T& x, int32_t axis) {
  return static_cast<int32_t>(Dim(x.dim(axis)).get());
}

/// Returns the common length of two lists. Raises an error if their lengths differ.
template <class A, class B>
int32_t agreed(const char* name, const A& a, const B& b) {
  if (a.count() != b.count())
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": expected two lists of equal length, got lists of " +
                                            std::to_string(a.count()) + " and " + std::to_string(b.count()) + " numbers"});
  return a.count();
}

/// Returns the address of numbers for all axes of x: the numbers of `list`, followed by `rest` for each axis for which `list` has no
/// number. They are stored in `room`, unless `list` has more numbers than x has axes: then the list itself is returned. Returns NULL if no
/// list is given.
template <class T, class From>
const T* extended(const List<T, From>& list, harp_node* x, T rest, T (&room)[HARP_MAX_RANK]) {
  if (!list.given()) return nullptr;
  for (int32_t i = 0; i < HARP_MAX_RANK; ++i) room[i] = i < list.count() ? list[i] : rest;
  return list.count() > harp_node_rank(x) ? list.data() : room;
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_APPLY_HPP
