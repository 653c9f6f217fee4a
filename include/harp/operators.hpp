// Operators on nodes, tensors and expressions, with numbers on either side. Part of harp.hpp.
//
// Each operator is an operation of operations.hpp: + is add, % is remainder (with the sign of the divisor), == is eq and returns an array
// of bools. For arrays of bools, & | ^ ~ are the logical operations as well. (`!` tests whether a handle is empty.)
#ifndef HARP_OPERATORS_HPP
#define HARP_OPERATORS_HPP

#include <harp/operations.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

#define HARP_CPP_BINARY(symbol, name)                                                         \
  template <class A, class B>                                                                 \
  detail::Applied<op::name, std::decay_t<A>, std::decay_t<B>> operator symbol(A&& a, B&& b) { \
    return detail::apply(op::name{}, std::forward<A>(a), std::forward<B>(b));                 \
  }
HARP_CPP_BINARY(+, add)
HARP_CPP_BINARY(-, sub)
HARP_CPP_BINARY(*, mul)
HARP_CPP_BINARY(/, div)
HARP_CPP_BINARY(%, remainder)
HARP_CPP_BINARY(<, lt)
HARP_CPP_BINARY(<=, le)
HARP_CPP_BINARY(>, gt)
HARP_CPP_BINARY(>=, ge)
HARP_CPP_BINARY(==, eq)
HARP_CPP_BINARY(!=, ne)
HARP_CPP_BINARY(&, bitwise_and)
HARP_CPP_BINARY(|, bitwise_or)
HARP_CPP_BINARY(^, bitwise_xor)
HARP_CPP_BINARY(<<, left_shift)
HARP_CPP_BINARY(>>, right_shift)
#undef HARP_CPP_BINARY

#define HARP_CPP_UNARY(symbol, name)                                  \
  template <class A>                                                  \
  detail::Applied<op::name, std::decay_t<A>> operator symbol(A&& a) { \
    return detail::apply(op::name{}, std::forward<A>(a));             \
  }
HARP_CPP_UNARY(-, neg)
HARP_CPP_UNARY(~, bitwise_not)
#undef HARP_CPP_UNARY

// a += b means a = a + b. A node or tensor then refers to the sum; a field receives the elements of the sum.
#define HARP_CPP_ASSIGNING(symbol, name)                                                                                \
  template <class A, class B>                                                                                           \
  std::enable_if_t<std::is_same_v<detail::Applied<op::name, A, std::decay_t<B>>, A>, A&> operator symbol(A& a, B&& b) { \
    return a = detail::apply(op::name{}, static_cast<const A&>(a), std::forward<B>(b));                                 \
  }
HARP_CPP_ASSIGNING(+=, add)
HARP_CPP_ASSIGNING(-=, sub)
HARP_CPP_ASSIGNING(*=, mul)
HARP_CPP_ASSIGNING(/=, div)
HARP_CPP_ASSIGNING(%=, remainder)
#undef HARP_CPP_ASSIGNING

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_OPERATORS_HPP
