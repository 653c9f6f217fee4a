// How one function serves nodes, tensors and expressions: kinds of operands, and what an operation on them gives. Part of harp.hpp.
//
// `maximum(a, b)` is one template for all. The kind of its operands, which may be numbers beside arrays, chooses an Applier: that of nodes
// is in node.hpp; tensor.hpp and expression.hpp have the others. The operation itself is a small struct of calls.hpp, which knows its
// attributes and which function of harp.h builds it.
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

/// In place of an operand that is not given.
struct None {};
inline constexpr None none{};

/// A string attribute; by default, and of nullptr: not given.
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

/// How pools go: lists as in unfold.
struct PoolOptions {
  Steps stride;                   ///< by default the windows' size
  Sizes padding;                  ///< by default none
  Steps dilation;                 ///< by default 1
  bool ceil_mode = false;         ///< the last window of an axis may end behind the padding
  bool count_include_pad = true;  ///< avg_pool: padding counts as zeros

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

/// What an operation does with shapes: works element by element; makes one element of many; something else.
enum class Family { elementwise, reduction, other };

/// Of operations without attributes. (One with attributes has them as its first members, and shows them to a function in that order.)
struct NoAttributes {
  template <class F>
  void attributes(F&&) const {}
};

/// What all expression templates derive from (expression.hpp).
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

/// That of all operands together: `other` if they do not go together or there is no array among them.
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

/// The type an operation gives on operands of a kind; tensor.hpp and expression.hpp have theirs.
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

/// In declarations: the result of `Op` on operands of these types; no type, and so no candidate, where they do not go together.
template <class Op, class... A>
using Applied = typename ResultOf<kind_of_all<A...>(), Op, A...>::type;

/// T, if it is Node or Tensor: for functions that take or give several.
template <class T>
using Array = std::enable_if_t<kind_of<T> == Kind::node || kind_of<T> == Kind::tensor, T>;

template <Kind kind>
struct Applier;

template <class Op, class... A>
Applied<Op, A...> apply(const Op& op, A&&... operands) {
  return Applier<kind_of_all<A...>()>::run(op, std::forward<A>(operands)...);
}
/// Of a list of operands.
template <class Op, class T>
Array<T> apply_list(const Op& op, const T* operands, size_t count) {
  return Applier<kind_of<T>>::run_list(op, operands, count);
}
/// Of operations with several results.
template <class Op, class T>
std::vector<Array<T>> apply_several(const Op& op, const T* operands, size_t count) {
  return Applier<kind_of<T>>::run_several(op, operands, count);
}
template <class Op, class T>
std::pair<Array<T>, T> apply_two(const Op& op, const T* operands, size_t count) {
  std::vector<T> results = apply_several(op, operands, count);
  return {std::move(results[0]), std::move(results[1])};
}

/// The size of an axis, where harp.h wants it as a number.
template <class T>
int32_t plain_size(const T& x, int32_t axis) {
  return static_cast<int32_t>(Dim(x.dim(axis)).get());
}

/// The count of two lists that have to be equally long.
template <class A, class B>
int32_t agreed(const char* name, const A& a, const B& b) {
  if (a.count() != b.count())
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": two lists that have to be equally long have " + std::to_string(a.count()) +
                                            " and " + std::to_string(b.count()) + " numbers"});
  return a.count();
}

/// A list with one number for each axis of x: what is missing at its end is `rest`.
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
