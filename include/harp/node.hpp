// Defines nodes of explicit graphs, symbolic sizes, and how operations apply to them. Part of harp.hpp.
#ifndef HARP_NODE_HPP
#define HARP_NODE_HPP

#include <harp/handles.hpp>
#include <harp/methods.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace detail {

/// Raises the error that a building call stored in the graph and removes it, so that building can continue. False if there is none.
inline bool raise_mistake(harp_graph* graph) {
// With exceptions, an empty Graph is a mistake of the caller. Without exceptions, it may also be the result of a failed call, whose error
// was already reported, so it is no error here.
#if HARP_CPP_EXCEPTIONS
  if (graph == nullptr) raise({HARP_ERROR_INVALID_ARGUMENT, "expected a Graph, got an empty one"});
#endif
  return raise_owned(harp_graph_take_error(graph));
}

inline Dim dim_of(harp_graph* graph, harp_dim dim) {
  if (dim == HARP_DIM_INVALID) raise_mistake(graph);
  return {dim < 0 ? graph : nullptr, dim};
}

/// Computes the sum, product ... of two sizes: `plain` is for two plain numbers; `function`, of harp.h, is for symbolic sizes.
template <class Plain, class Function>
Dim dim_arithmetic(const Dim& a, const Dim& b, Plain plain, Function function) {
  harp_graph* graph = a.graph() != nullptr ? a.graph() : b.graph();
  if (graph == nullptr) return plain(a.get(), b.get());
  const std::lock_guard<std::mutex> lock(symbols_mutex());
  return dim_of(graph, function(graph, a.get(), b.get()));
}
/// The quotient a / b rounded down; 0 if b is 0.
constexpr int64_t floor_div(int64_t a, int64_t b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

template <class A, class B>
using DimResult =
    std::enable_if_t<(std::is_same_v<A, Dim> && std::is_convertible_v<B, Dim>) || (std::is_same_v<B, Dim> && std::is_convertible_v<A, Dim>),
                     Dim>;

}  // namespace detail

// Two symbolic sizes are equal if their expressions are equal up to the laws of arithmetic: 2 * n equals n + n.
template <class A, class B, class = detail::DimResult<A, B>>
constexpr bool operator==(const A& a, const B& b) {
  const Dim x = a, y = b;
  return x.get() == y.get() && x.graph() == y.graph();
}
template <class A, class B, class = detail::DimResult<A, B>>
constexpr bool operator!=(const A& a, const B& b) {
  return !(a == b);
}

// Arithmetic on symbolic sizes; division floors, and the modulus has the divisor's sign.
template <class A, class B>
detail::DimResult<A, B> operator+(const A& a, const B& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x + y; }, harp_dim_add);
}
template <class A, class B>
detail::DimResult<A, B> operator-(const A& a, const B& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x - y; }, harp_dim_sub);
}
template <class A, class B>
detail::DimResult<A, B> operator*(const A& a, const B& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x * y; }, harp_dim_mul);
}
template <class A, class B>
detail::DimResult<A, B> operator/(const A& a, const B& b) {
  return detail::dim_arithmetic(a, b, detail::floor_div, harp_dim_floor_div);
}
template <class A, class B>
detail::DimResult<A, B> operator%(const A& a, const B& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x - detail::floor_div(x, y) * y; }, harp_dim_mod);
}
inline Dim min(const Dim& a, const Dim& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x < y ? x : y; }, harp_dim_min);
}
inline Dim max(const Dim& a, const Dim& b) {
  return detail::dim_arithmetic(
      a, b, [](int64_t x, int64_t y) { return x < y ? y : x; }, harp_dim_max);
}

/// The size as text: "n", "2*n + 1" or "5".
inline std::string to_string(const Dim& dim) {
  if (!dim.is_symbolic()) return std::to_string(dim.get());
  const std::lock_guard<std::mutex> lock(detail::symbols_mutex());
  detail::Out err;
  return detail::take_string(harp_dim_print(dim.graph(), dim.get(), err), err);
}

namespace detail {

/// The graph that owns the symbolic sizes of a context; created on the first call. The caller holds symbols_mutex(). NULL after an error.
inline harp_graph* symbols_of(Session* session, Out& err) {
  if (session->symbols == nullptr)
    session->symbols = harp_graph_new(session->context, HARP_GRAPH_BROADCAST | HARP_GRAPH_PROMOTE_MIXED, err);
  return session->symbols;
}

inline Dim named_dim(Session* session, const std::string& name, int64_t least, int64_t most) {
  const std::lock_guard<std::mutex> lock(symbols_mutex());
  Out err;
  harp_graph* graph = symbols_of(session, err);
  if (err.raised()) return 0;
  // A graph rejects a name that is already used with other bounds. The name therefore includes unusual bounds, so that functions traced
  // with different bounds can use the same name.
  const bool is_usual = least == 0 && most == INT32_MAX;
  const std::string own = is_usual ? name : name + "__" + std::to_string(least) + "_" + std::to_string(most);
  return dim_of(graph, harp_dim_var(graph, own.c_str(), least, most));
}

}  // namespace detail

/// A symbolic size between `least` and `most`, both included, for tensors inside functions that jit traces. Calls with the same name and
/// bounds return the same size.
inline Dim dim(const char* name, int64_t least = 0, int64_t most = INT32_MAX, const Context& context = default_context()) {
  return context ? detail::named_dim(context.session(), name, least, most) : Dim(0);
}

/// A node of a graph: a borrowed pointer, valid as long as its graph. An empty Node converts to false.
class Node : public Methods<Node> {
 public:
  Node() = default;
  Node(harp_node* node) : node_(node) {}  // NOLINT(google-explicit-constructor)
  harp_node* get() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }

  harp_graph* graph() const { return harp_node_graph(node_); }
  int32_t rank() const { return harp_node_rank(node_); }
  DType dtype() const { return static_cast<DType>(harp_node_dtype(node_)); }
  const char* name() const { return harp_node_name(node_); }
  Node& set_name(const char* name) {
    harp_node_set_name(node_, name);
    return *this;
  }
  std::vector<Dim> dims() const {
    detail::Out err;
    harp_dim sizes[HARP_MAX_RANK];
    harp_node_dims(node_, rank(), sizes, err);
    std::vector<Dim> dims;
    if (err.raised()) return dims;
    for (int32_t i = 0; i < rank(); ++i) dims.emplace_back(sizes[i] < 0 ? graph() : nullptr, sizes[i]);
    return dims;
  }
  Dim dim(int32_t axis) const {
    const std::vector<Dim> all = dims();
    const int32_t index = axis < 0 ? axis + rank() : axis;
    if (index < 0 || index >= rank()) {
      detail::raise({HARP_ERROR_SHAPE, "axis " + std::to_string(axis) + " of an array of rank " + std::to_string(rank())});
      return {nullptr, HARP_DIM_INVALID};
    }
    return all[static_cast<size_t>(index)];
  }

 private:
  harp_node* node_ = nullptr;
};

namespace detail {

/// Makes a constant node. If the dtype cannot represent the number, returns NULL and the graph stores an error.
inline harp_node* constant_node(harp_graph* graph, const Number& number, DType dtype) {
  if (number.category == Category::complex || (number.category == Category::real && category_of(dtype) == Category::complex))
    return harp_constant_complex(graph, raw(dtype), number.re, number.im);
  if (number.category == Category::real) return harp_constant(graph, raw(dtype), number.re);
  if (dtype == DType::boolean && number.category == Category::boolean) return harp_constant_bool(graph, number.i != 0 ? 1 : 0);
  return number.is_unsigned ? harp_constant_u64(graph, raw(dtype), number.u) : harp_constant_i64(graph, raw(dtype), number.i);
}

/// Raises the error that a failed call has stored in the graphs of its operands. If the operands belong to several graphs, each graph has
/// an error; the first one is raised.
inline void raise_failure(const char* name, harp_node* const* x, size_t count) {
  harp_error* first = nullptr;
  for (size_t i = 0; i < count; ++i) {
    harp_error* error = x[i] != nullptr ? harp_graph_take_error(harp_node_graph(x[i])) : nullptr;
    if (first == nullptr)
      first = error;
    else
      harp_error_release(error);
  }
  if (raise_owned(first)) return;
#if HARP_CPP_EXCEPTIONS
  raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": an operand is an empty Node"});
#else
  static_cast<void>(name);  // the empty operand comes from a call whose error was already reported
#endif
}

inline DType dtype_of_operand(const Node& node) { return node.dtype(); }
template <class T, class = std::enable_if_t<is_number<T> || std::is_same_v<T, None>>>
DType dtype_of_operand(const T&) {
  return DType::unknown;
}
inline harp_node* node_of_operand(harp_graph*, DType, const Node& node) { return node.get(); }
inline harp_node* node_of_operand(harp_graph*, DType, const None&) { return nullptr; }
template <class T, class = std::enable_if_t<is_number<T>>>
harp_node* node_of_operand(harp_graph* graph, DType beside, const T& value) {
  const Number number(value);
  return constant_node(graph, number, number.dtype_beside(beside));
}

template <>
struct Applier<Kind::node> {
  template <class Op, class... A>
  static Node run(const Op& op, const A&... operands) {
    constexpr size_t count = sizeof...(A);
    const DType dtypes[] = {dtype_of_operand(operands)...};
    DType beside = DType::unknown;  // the dtype of the array operands, which C++ numbers take
    for (size_t i = Op::first_value; i < count; ++i) beside = higher(beside, dtypes[i]);
    harp_graph* graph = nullptr;
    ((graph = graph != nullptr ? graph : graph_of(operands)), ...);
    harp_node* const x[] = {node_of_operand(graph, beside, operands)...};
    harp_node* result = op(x);
    if (result == nullptr) raise_failure(Op::name, x, count);
    return result;
  }

  template <class Op>
  static Node run_list(const Op& op, const Node* operands, size_t count) {
    std::vector<harp_node*> x;
    for (size_t i = 0; i < count; ++i) x.push_back(operands[i].get());
    harp_node* result = op(x.data(), count);
    if (result == nullptr) raise_failure(Op::name, x.data(), count);
    return result;
  }

  /// Applies an operation that has several results. Without exceptions, all results are empty after an error.
  template <class Op>
  static std::vector<Node> run_several(const Op& op, const Node* operands, size_t count) {
    std::vector<harp_node*> x, results(op.results(count), nullptr);
    for (size_t i = 0; i < count; ++i) x.push_back(operands[i].get());
    if (op(x.data(), count, results.data()) != HARP_OK) raise_failure(Op::name, x.data(), count);
    return {results.begin(), results.end()};
  }

 private:
  static harp_graph* graph_of(const Node& node) { return node.graph(); }
  template <class T, class = std::enable_if_t<is_number<T> || std::is_same_v<T, None>>>
  static harp_graph* graph_of(const T&) {
    return nullptr;
  }
};

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_NODE_HPP
