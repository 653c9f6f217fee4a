// Expression templates: the types that operators and functions on fields return. Part of harp.hpp.
//
// `A * B + C` on fields is a BinaryExpr<op::add, BinaryExpr<op::mul, Field<double>, Field<double>>, Field<double>>. It computes nothing and
// refers to the fields, which must outlive it. Assigning it to a field (field.hpp) runs one program that is compiled from its type.
#ifndef HARP_EXPRESSION_HPP
#define HARP_EXPRESSION_HPP

#include <harp/evaluate.hpp>
#include <harp/operators.hpp>

#include <tuple>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

template <class T>
class Field;

/// The base of all expressions.
template <class E>
class Expr : public detail::ExpressionBase {
 public:
  const E& self() const { return static_cast<const E&>(*this); }

  /// The value of a scalar expression, such as dot(A, B) or sum(A) / 2. The conversion computes it.
  template <class T, class Self = E, class = std::enable_if_t<detail::is_number<T> && Self::is_scalar>>
  operator T() const {  // NOLINT(google-explicit-constructor)
    return value<T>();
  }
  template <class T>
  T value() const;
};

/// A C++ number in an expression. It is an input of the compiled program, so another value needs no new compilation.
template <class T>
class Scalar : public Expr<Scalar<T>> {
 public:
  static constexpr bool is_scalar = true, is_elementwise = true;
  static constexpr size_t leaves = 1, fields = 0;

  explicit Scalar(T value) : value_(value) {}

  template <class G>
  void gather(G& to, const detail::Target*, size_t) const {
    static const detail::Type* const type = detail::type_of(dtype_of<T>, nullptr, 0);
    to.number(&value_, type);
  }
  detail::Session* session() const { return nullptr; }
  DType beside(DType wanted) const { return detail::Number(value_).dtype_beside(wanted); }
  T number() const { return value_; }

 private:
  T value_;
};

namespace detail {

/// The type of an operand within an expression's type, and how the expression stores it: fields by reference, everything else by value.
template <class A>
struct OperandOf {
  using type = A;
  using stored = A;
};
template <class T>
struct OperandOf<Field<T>> {
  using type = Field<T>;
  using stored = const Field<T>&;
};
template <class A>
struct NumberOperand {
  using type = Scalar<std::conditional_t<std::is_same_v<A, long double>, double, A>>;
  using stored = type;
};
template <class A>
using Operand = std::conditional_t<is_number<std::decay_t<A>>, NumberOperand<std::decay_t<A>>, OperandOf<std::decay_t<A>>>;

template <class A>
constexpr bool scalar_operand() {
  if constexpr (std::is_same_v<A, None>)
    return true;
  else
    return A::is_scalar;
}
template <class A>
constexpr bool elementwise_operand() {
  if constexpr (std::is_same_v<A, None>)
    return true;
  else
    return A::is_elementwise;
}
template <class A>
constexpr size_t leaves_of() {
  if constexpr (std::is_same_v<A, None>)
    return 0;
  else
    return A::leaves;
}
template <class A>
constexpr size_t fields_of() {
  if constexpr (std::is_same_v<A, None>)
    return 0;
  else
    return A::fields;
}

/// The common base of unary, binary and other expressions. D is the derived type.
template <class D, class Op, class... A>
class Operation : public Expr<D> {
 public:
  static constexpr bool is_scalar = Op::family == Family::reduction || (Op::family == Family::elementwise && (scalar_operand<A>() && ...));
  static constexpr bool is_elementwise = Op::family == Family::elementwise && (elementwise_operand<A>() && ...);
  static constexpr size_t leaves = (leaves_of<A>() + ... + 0), fields = (fields_of<A>() + ... + 0);

  /// Returns f(operands...).
  template <class F>
  decltype(auto) with_operands(F&& f) const {
    return std::apply(std::forward<F>(f), operands_);
  }
  /// Passes each field (an array, see field.hpp) and each number of the expression to `to` (a Gathered, see evaluate.hpp), from left to
  /// right. `earlier` lists the destinations of the assignments that the same run evaluates before this expression: a field that is one of
  /// these destinations stands for the assigned result, not for the array's contents before the run.
  template <class G>
  void gather(G& to, const Target* earlier, size_t earlier_count) const {
    std::apply([&](const auto&... operand) { (gather_one(operand, to, earlier, earlier_count), ...); }, operands_);
  }
  template <class F>
  void attributes(F&& f) const {
    std::apply([&](const auto&... operand) { (attributes_of(operand, f), ...); }, operands_);
    op_.attributes(f);
  }
  Session* session() const {
    Session* found = nullptr;
    std::apply([&](const auto&... operand) { ((found = found != nullptr ? found : session_of(operand)), ...); }, operands_);
    return found;
  }
  /// Builds the operation in the graph and returns its node. NULL after an error, which the graph stores.
  harp_node* build(ExpressionBuilder& builder) const {
    return std::apply(
        [&](const auto&... operand) {
          harp_node* x[] = {build_one(operand, builder)...};
          DType beside = DType::unknown;
          for (size_t i = Op::first_value; i < sizeof...(A); ++i)
            if (!is_number_[i]) beside = higher(beside, static_cast<DType>(harp_node_dtype(x[i])));
          size_t i = 0;
          (cast_number(operand, x[i++], beside, builder), ...);
          return op_(x);
        },
        operands_);
  }

 protected:
  explicit Operation(const Op& op, typename Operand<A>::stored... operands) : op_(op), operands_(operands...) {}

 private:
  template <class T>
  struct IsScalar : std::false_type {};
  template <class T>
  struct IsScalar<Scalar<T>> : std::true_type {};
  static constexpr bool is_number_[] = {IsScalar<A>::value...};

  template <class X, class G>
  static void gather_one(const X& operand, G& to, const Target* earlier, size_t earlier_count) {
    if constexpr (!std::is_same_v<X, None>) operand.gather(to, earlier, earlier_count);
  }
  template <class X, class F>
  static void attributes_of(const X& operand, F& f) {
    if constexpr (!std::is_same_v<X, None> && !IsScalar<X>::value) operand.attributes(f);
  }
  template <class X>
  static Session* session_of(const X& operand) {
    if constexpr (std::is_same_v<X, None>)
      return nullptr;
    else
      return operand.session();
  }
  template <class X>
  static harp_node* build_one(const X& operand, ExpressionBuilder& builder) {
    if constexpr (std::is_same_v<X, None>)
      return nullptr;
    else if constexpr (IsScalar<X>::value)
      return builder.number();
    else
      return operand.build(builder);
  }
  template <class X>
  static void cast_number(const X& operand, harp_node*& node, DType beside, ExpressionBuilder& builder) {
    if constexpr (IsScalar<X>::value) node = builder.cast_number(node, dtype_of<decltype(operand.number())>, operand.beside(beside));
  }

  Op op_;
  std::tuple<typename Operand<A>::stored...> operands_;
};

}  // namespace detail

/// A function of one operand without attributes, such as exp.
template <class Op, class E>
class UnaryExpr : public detail::Operation<UnaryExpr<Op, E>, Op, E> {
 public:
  UnaryExpr(const Op& op, typename detail::Operand<E>::stored e) : detail::Operation<UnaryExpr, Op, E>(op, e) {}
};

/// An operator, or a function of two operands without attributes.
template <class Op, class L, class R>
class BinaryExpr : public detail::Operation<BinaryExpr<Op, L, R>, Op, L, R> {
 public:
  BinaryExpr(const Op& op, typename detail::Operand<L>::stored left, typename detail::Operand<R>::stored right)
      : detail::Operation<BinaryExpr, Op, L, R>(op, left, right) {}
};

/// Any other operation: one with attributes (roll, sum over axes) or with more than two operands (where).
template <class Op, class... A>
class OperationExpr : public detail::Operation<OperationExpr<Op, A...>, Op, A...> {
 public:
  explicit OperationExpr(const Op& op, typename detail::Operand<A>::stored... operands)
      : detail::Operation<OperationExpr, Op, A...>(op, operands...) {}
};

namespace op {

/// dot of two fields: the sum of the products of all their elements, whatever the rank.
struct dot_of_all {
  static constexpr const char* name = "dot";
  static constexpr detail::Family family = detail::Family::reduction;
  static constexpr size_t first_value = 0;
  harp_node* operator()(harp_node* const* x) const {
    const harp_dim all = -1;
    return harp_dot(harp_reshape(x[0], 1, &all), harp_reshape(x[1], 1, &all));
  }
  template <class F>
  void attributes(F&&) const {}
};

}  // namespace op

namespace detail {

template <class Op, class... A>
struct ExpressionOf {
  using type = OperationExpr<Op, A...>;
};
template <class Op, class E>
struct ExpressionOf<Op, E> {
  using type = std::conditional_t<std::is_base_of_v<NoAttributes, Op>, UnaryExpr<Op, E>, OperationExpr<Op, E>>;
};
template <class Op, class L, class R>
struct ExpressionOf<Op, L, R> {
  using type = std::conditional_t<std::is_base_of_v<NoAttributes, Op>, BinaryExpr<Op, L, R>, OperationExpr<Op, L, R>>;
};
template <class L, class R>
struct ExpressionOf<op::dot, L, R> {
  using type = OperationExpr<op::dot_of_all, L, R>;
};

template <class Op, class... A>
struct ResultOf<Kind::expression, Op, A...> {
  using type = typename ExpressionOf<Op, typename Operand<A>::type...>::type;
};

template <>
struct Applier<Kind::expression> {
  template <class Op, class... A>
  static Applied<Op, A...> run(const Op& op, const A&... operands) {
    if constexpr (std::is_same_v<Op, op::dot>)
      return Applied<Op, A...>(op::dot_of_all{}, stored(operands)...);
    else
      return Applied<Op, A...>(op, stored(operands)...);
  }

 private:
  template <class X>
  static decltype(auto) stored(const X& operand) {
    if constexpr (is_number<X>)
      return typename NumberOperand<X>::type(operand);
    else
      return (operand);
  }
};

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_EXPRESSION_HPP
