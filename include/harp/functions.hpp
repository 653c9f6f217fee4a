// Functions of your own as operations: a text in harp's loop language (custom_function), or a C++ function (native). Part of harp.hpp.
//
//     Tensor last = custom_function("output = input0[ridx0, size(input0, 1) - 1]", f32, {x.dim(0)}, x);
//
//     const auto solve = native("solve", [](const ArrayView<const double>& a, Span<const double> b, Span<double> x) { ... });
//     Tensor x = solve({n}, a, b);          // called once in each run, with arrays that lie in memory
//
// Both accept nodes, tensors and fields. (An elementwise expression needs neither: write a function of tensors.) A function of several
// results, custom_function_results, accepts nodes and tensors.
#ifndef HARP_FUNCTIONS_HPP
#define HARP_FUNCTIONS_HPP

#include <harp/graph.hpp>
#include <harp/keys.hpp>

#include <tuple>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace op {

/// harp_custom_function.
struct custom_function {
  Text body;
  DType dtype;
  Sizes dims;
  static constexpr const char* name = "custom_function";
  static constexpr detail::Family family = detail::Family::other;
  static constexpr size_t first_value = 0;

  harp_node* operator()(harp_graph* graph, harp_node* const* x, size_t count) const {
    harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
    desc.body = body.get();
    desc.dtype = raw(dtype);
    desc.rank = dims.count();
    desc.dims = dims.data();
    desc.graph = count == 0 ? graph : nullptr;
    return harp_custom_function(static_cast<int32_t>(count), x, &desc);
  }
  harp_node* operator()(harp_node* const* x, size_t count) const { return (*this)(nullptr, x, count); }
  template <class F>
  void attributes(F&& f) const {
    f(body), f(dtype), f(dims);
  }
};

/// harp_custom_function_results.
struct custom_function_results {
  Text body;
  ::std::vector<DType> dtypes;  // in this namespace, `std` without :: is the operation "standard deviation"
  Sizes dims;
  static constexpr const char* name = "custom_function_results";
  static constexpr detail::Family family = detail::Family::other;
  static constexpr size_t first_value = 0;

  size_t results(size_t /*count*/) const { return dtypes.size(); }
  harp_status operator()(harp_node* const* x, size_t count, harp_node** out) const {
    harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
    desc.body = body.get();
    desc.rank = dims.count();
    desc.dims = dims.data();
    ::std::vector<harp_dtype> numbers;
    for (const DType dtype : dtypes) numbers.push_back(raw(dtype));
    return harp_custom_function_results(static_cast<int32_t>(count), x, &desc, static_cast<int32_t>(numbers.size()), numbers.data(), out);
  }
  template <class F>
  void attributes(F&& f) const {
    f(body), f(dtypes.size());
    for (const DType dtype : dtypes) f(dtype);
    f(dims);
  }
};

}  // namespace op

inline Node Graph::custom_function(const Text& body, DType dtype, const Sizes& dims) const {
  return node(op::custom_function{body, dtype, dims}(get(), nullptr, 0));
}

namespace detail {

/// An operation with a list of operands, applied to exactly `Count` operands.
template <class Op, size_t Count>
struct OfCount : Op {
  explicit OfCount(Op op) : Op(std::move(op)) {}
  harp_node* operator()(harp_node* const* x) const { return Op::operator()(x, Count); }
};

template <class T, size_t>
using Repeated = T;

}  // namespace detail

/// A function in harp's loop language (docs/text-format.md, "Functions of your own"). It runs once for each element of the result, which
/// has this dtype and these sizes. In the body, input0, input1 ... are the inputs and ridx0, ridx1 ... the element's indices. An error in
/// the body is HARP_ERROR_PARSE, HARP_ERROR_DTYPE or HARP_ERROR_SHAPE with line and column; an index outside an array fails the run with
/// HARP_ERROR_RANGE. The operation has no gradient. For a function without inputs, use Graph::custom_function or Tensor::custom_function.
template <class... A>
detail::Applied<detail::OfCount<op::custom_function, sizeof...(A)>, A...> custom_function(const Text& body, DType dtype, const Sizes& dims,
                                                                                          const A&... inputs) {
  return detail::apply(detail::OfCount<op::custom_function, sizeof...(A)>(op::custom_function{body, dtype, dims}), inputs...);
}
/// A custom function, as above, whose inputs are given as a list.
template <class T>
detail::Array<T> custom_function(const Text& body, DType dtype, const Sizes& dims, const std::vector<T>& inputs) {
  return detail::apply_list(op::custom_function{body, dtype, dims}, inputs.data(), inputs.size());
}

/// A custom function of several results: there is one result for each dtype, and each result has these sizes. The body sets output0,
/// output1 ..., or output if there is only one dtype. It computes one element of each result that is used. The inputs are one or more
/// nodes, or one or more tensors.
template <class T, class... More>
std::vector<detail::Array<T>> custom_function_results(const Text& body, const std::vector<DType>& dtypes, const Sizes& dims, const T& input,
                                                      const More&... more) {
  const T inputs[] = {input, more...};
  return detail::apply_several(op::custom_function_results{body, dtypes, dims}, inputs, 1 + sizeof...(more));
}
/// A custom function of several results, as above, whose inputs are given as a list.
template <class T>
std::vector<detail::Array<T>> custom_function_results(const Text& body, const std::vector<DType>& dtypes, const Sizes& dims,
                                                      const std::vector<T>& inputs) {
  return detail::apply_several(op::custom_function_results{body, dtypes, dims}, inputs.data(), inputs.size());
}

namespace detail {

/// A C++ function that compiled programs call. It is never destroyed, because programs and harp's caches refer to it.
struct HostFunction {
  std::string name, signature;  // the function's name in messages; the part of the signature that is the same for all ranks
};

/// Passes an array to a parameter of a native function; P is the parameter's type.
template <class P>
struct Parameter {
  static_assert(std::is_void_v<P>,
                "a native function takes ArrayView<const T> or Span<const T> for each input, and ArrayView<T> or Span<T> "
                "for the result");
};
template <class T>
struct Parameter<ArrayView<T>> {
  using element = T;
  static ArrayView<T> make(T* data, const Sizes& dims) { return {data, dims}; }
};
template <class T>
struct Parameter<Span<T>> {
  using element = T;
  static Span<T> make(T* data, const Sizes& dims) { return {data, ArrayView<T>(data, dims).size()}; }
};

/// A trampoline is the C function that harp calls; it calls the native function. Its integer parameters are the ranks and sizes of all
/// arrays. Their number is rounded up to kFewIntegers, kMoreIntegers or most_integers(), so that few trampolines are compiled; the added
/// parameters are 0. A native function has at most kMaxInputs inputs.
inline constexpr size_t kFewIntegers = 8, kMoreIntegers = 32, kMaxInputs = 12;
constexpr size_t most_integers(size_t inputs) { return (inputs + 1) * (HARP_MAX_RANK + 1); }
constexpr size_t integers_taken(size_t given, size_t inputs) {
  return given <= kFewIntegers ? kFewIntegers : given <= kMoreIntegers ? kMoreIntegers : most_integers(inputs);
}

template <class F, class Return, class Output, class... Input>
struct Host : HostFunction {
  static constexpr size_t count = sizeof...(Input);
  static_assert(count >= 1 && count <= kMaxInputs, "a native function has 1 to 12 inputs");
  static_assert((std::is_const_v<typename Parameter<Input>::element> && ...), "the inputs of a native function are const");
  static_assert(!std::is_const_v<typename Parameter<Output>::element>, "the last parameter of a native function is its result");
  static_assert(std::is_void_v<Return> || std::is_convertible_v<Return, int32_t>,
                "a native function returns void, or an int32_t that is 0 on success");

  F function;
  static constexpr DType output_dtype = dtype_of<typename Parameter<Output>::element>;
  static_assert(output_dtype != DType::unknown && ((dtype_of<typename Parameter<Input>::element> != DType::unknown) && ...),
                "harp has no dtype for elements of this type");

  Host(const char* text, F f) : function(std::move(f)) {
    name = text;
    signature = "i32(void* user";
    size_t i = 0;
    ((signature += std::string(", ") + name_of(dtype_of<typename Parameter<Input>::element>) + "* input" + std::to_string(i++)), ...);
    signature += std::string(", ") + name_of(output_dtype) + "* output";
  }

  /// Reads the rank and the sizes of the next array, and advances `size` past them.
  static Sizes next(const int64_t*& size) {
    const int64_t* const first = size + 1;
    size = first + first[-1];
    return Span<const int64_t>(first, static_cast<size_t>(first[-1]));
  }
  template <size_t... I>
  int32_t call(const void* const* inputs, void* output, const int64_t* sizes, std::index_sequence<I...>) const {
    const Sizes dims[] = {(static_cast<void>(I), next(sizes))..., next(sizes)};
    const auto run = [&] {
      return function(Parameter<Input>::make(static_cast<typename Parameter<Input>::element*>(inputs[I]), dims[I])...,
                      Parameter<Output>::make(static_cast<typename Parameter<Output>::element*>(output), dims[count]));
    };
    if constexpr (std::is_void_v<Return>)
      run();
    else
      return static_cast<int32_t>(run());
    return 0;
  }

  template <class Inputs, class Integers>
  struct Trampoline;
  template <size_t... I, size_t... K>
  struct Trampoline<std::index_sequence<I...>, std::index_sequence<K...>> {
    /// The function that harp calls. It catches exceptions, which must not pass through harp's code, and fails the run instead.
    static int32_t enter(void* user, Repeated<const void*, I>... inputs, void* output, Repeated<int64_t, K>... sizes) {
      const void* const all_inputs[] = {inputs...};
      const int64_t all_sizes[] = {sizes...};
      const auto run = [&] { return static_cast<const Host*>(user)->call(all_inputs, output, all_sizes, std::index_sequence<I...>()); };
#if HARP_CPP_EXCEPTIONS
      try {
        return run();
      } catch (const std::exception& exception) {
        native_exception() = exception.what();
      } catch (...) {
        native_exception() = "an exception";
      }
      return 1;
#else
      return run();
#endif
    }
  };
  template <size_t Integers>
  static harp_native_function trampoline() {
    using Made = Trampoline<std::make_index_sequence<count>, std::make_index_sequence<Integers>>;
    return reinterpret_cast<harp_native_function>(&Made::enter);
  }
  static harp_native_function trampoline_of(size_t integers) {
    return integers == kFewIntegers    ? trampoline<kFewIntegers>()
           : integers == kMoreIntegers ? trampoline<kMoreIntegers>()
                                       : trampoline<most_integers(count)>();
  }
};

/// Determines `type`, the instance of the class template Host that describes a function object of type F with this signature.
template <class F, class Signature>
struct HostOf;
template <class F, class Return, class... P>
struct HostOf<F, Return(P...)> {
  template <class Inputs, class Parameters>
  struct Split;
  template <size_t... I, class... Plain>
  struct Split<std::index_sequence<I...>, std::tuple<Plain...>> {
    using type =
        Host<F, Return, std::tuple_element_t<sizeof...(Plain) - 1, std::tuple<Plain...>>, std::tuple_element_t<I, std::tuple<Plain...>>...>;
  };
  static_assert(sizeof...(P) >= 2, "a native function has parameters for its inputs and, last, one for its result");
  using type = typename Split<std::make_index_sequence<sizeof...(P) - 1>, std::tuple<std::decay_t<P>...>>::type;
};
template <class F, class Member>
struct CallOf;
template <class F, class C, class R, class... P>
struct CallOf<F, R (C::*)(P...) const> : HostOf<F, R(P...)> {};
template <class F, class C, class R, class... P>
struct CallOf<F, R (C::*)(P...) const noexcept> : HostOf<F, R(P...)> {};
template <class F>
struct FunctionOf : CallOf<F, decltype(&F::operator())> {};
template <class R, class... P>
struct FunctionOf<R (*)(P...)> : HostOf<R (*)(P...), R(P...)> {};
template <class R, class... P>
struct FunctionOf<R (*)(P...) noexcept> : HostOf<R (*)(P...) noexcept, R(P...)> {};

/// Builds the node of harp_native that calls a C++ function. The node's signature passes the rank and the sizes of each array, in the order
/// in which Host::call reads them.
template <class H>
harp_node* native_node(const H& host, const Sizes& dims, harp_node* const* x) {
  size_t integers = H::count + 1 + static_cast<size_t>(dims.count());
  for (size_t i = 0; i < H::count; ++i) integers += static_cast<size_t>(harp_node_rank(x[i]));
  std::string signature = host.signature;
  const auto add = [&signature](const std::string& array, int32_t rank) {
    signature += ", i64 " + std::to_string(rank);
    for (int32_t axis = 0; axis < rank; ++axis) signature += ", i64 " + array + "[" + std::to_string(axis) + "]";
  };
  for (size_t i = 0; i < H::count; ++i) add("input" + std::to_string(i), harp_node_rank(x[i]));
  add("output", dims.count());
  const size_t taken = integers_taken(integers, H::count);
  for (; integers < taken; ++integers) signature += ", i64 0";
  signature += ")";
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  desc.name = host.name.c_str();
  desc.function = H::trampoline_of(taken);
  desc.user = const_cast<H*>(&host);
  desc.signature = signature.c_str();
  desc.dtype = raw(H::output_dtype);
  desc.rank = dims.count();
  desc.dims = dims.data();
  return harp_native(static_cast<int32_t>(H::count), x, &desc);
}

}  // namespace detail

namespace op {

/// The operation of harp_native: a call of a function of the host program. H is the class of the Host that describes this function.
template <class H>
struct native {
  const H* function;
  Sizes dims;
  static constexpr const char* name = "native";
  static constexpr detail::Family family = detail::Family::other;
  static constexpr size_t first_value = 0;

  harp_node* operator()(harp_node* const* x) const { return detail::native_node(*function, dims, x); }
  template <class F>
  void attributes(F&& f) const {
    f(detail::word_of(function)), f(dims);
  }
};

}  // namespace op

/// A C++ function as an operation: see native().
template <class H>
class Native {
 public:
  explicit Native(const H* function) : function_(function) {}
  /// Applies the function to nodes, tensors or fields of its parameters' dtypes. The result has these sizes.
  template <class... A>
  detail::Applied<op::native<H>, A...> operator()(const Sizes& dims, const A&... inputs) const {
    static_assert(sizeof...(A) == H::count, "the number of arrays differs from the number of inputs of the native function");
    return detail::apply(op::native<H>{function_, dims}, inputs...);
  }

 private:
  const H* function_;
};

/// Makes an operation of a C++ function, which is then called once in each run, with row-major arrays in memory:
///
///     [](const ArrayView<const float>& a, Span<const int32_t> b, const ArrayView<float>& result) { ... }
///
/// An ArrayView has data, dims and size(), a Span only the elements. The last parameter is the result; its elements are undefined at the
/// call, and the function must write all of them. The function returns void, or an int32_t: a value other than 0 fails the run with
/// HARP_ERROR_NATIVE, and so does an exception, whose message is in the error. The rules of harp_native (harp.h) apply: the function must
/// return the same result for the same arguments, may be called by several threads at once, and must not use the context that runs it. The
/// operation has no gradient. Call native() once, not in each step of a computation: the function and its captures are kept until the
/// process ends.
template <class F>
auto native(const char* name, F function) {
  using Host = typename detail::FunctionOf<F>::type;
  // If F has no data members, all objects of type F behave alike, so one Host suffices for all of them.
  if constexpr (std::is_empty_v<F>) {
    static const Host* const host = new Host(name, std::move(function));
    return Native<Host>(host);
  } else {
    return Native<Host>(new Host(name, std::move(function)));
  }
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_FUNCTIONS_HPP
