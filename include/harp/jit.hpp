// jit: a function of tensors that is traced once for each combination of argument types; later calls only launch the program. Part of
// harp.hpp.
//
//     auto step = harp::jit([](harp::Tensor w, harp::Tensor g, harp::Tensor rate) { return w - rate * g; });
//     w = step(w, g, 0.1);
//
// During tracing the function receives tensors that have types but no elements. Reading elements (item, data) is an error, and side effects
// of the function happen only during tracing. Tensors that the function captures keep the values that they had during tracing. A number
// among the arguments is a tensor of rank 0 inside the function. Like a number in an expression, it takes the dtype of the other operand.
#ifndef HARP_JIT_HPP
#define HARP_JIT_HPP

#include <harp/tensor.hpp>

#include <array>
#include <tuple>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// Nonzero while this thread is inside a function that is being traced.
inline thread_local int tracing = 0;

/// The tensors of a function's result in order, and the length of each vector in the result.
struct Flat {
  std::vector<Tensor> tensors;
  std::vector<size_t> lengths;
};
struct FlatReader {
  Flat from;
  size_t tensor = 0, length = 0;
  Tensor next() { return std::move(from.tensors[tensor++]); }
};

/// The types that a traced function may return: Tensor, and pairs, tuples, arrays and vectors of such types. flatten() appends the tensors
/// of a result to a Flat, and make() builds the result again.
template <class R>
struct Pack {
  static_assert(std::is_same_v<R, Tensor>, "a function that jit traces must return a Tensor, or a pair, tuple, array or vector of them");
};
template <>
struct Pack<Tensor> {
  static void flatten(const Tensor& result, Flat& to) { to.tensors.push_back(result); }
  static Tensor make(FlatReader& from) { return from.next(); }
};
template <class... T>
struct Pack<std::tuple<T...>> {
  static void flatten(const std::tuple<T...>& result, Flat& to) {
    std::apply([&](const T&... part) { (Pack<T>::flatten(part, to), ...); }, result);
  }
  static std::tuple<T...> make(FlatReader& from) { return std::tuple<T...>{Pack<T>::make(from)...}; }
};
template <class A, class B>
struct Pack<std::pair<A, B>> {
  static void flatten(const std::pair<A, B>& result, Flat& to) { Pack<A>::flatten(result.first, to), Pack<B>::flatten(result.second, to); }
  static std::pair<A, B> make(FlatReader& from) {
    A first = Pack<A>::make(from);
    return {std::move(first), Pack<B>::make(from)};
  }
};
template <class R, size_t N>
struct Pack<std::array<R, N>> {
  static void flatten(const std::array<R, N>& result, Flat& to) {
    for (const R& part : result) Pack<R>::flatten(part, to);
  }
  static std::array<R, N> make(FlatReader& from) {
    std::array<R, N> result;
    for (R& part : result) part = Pack<R>::make(from);
    return result;
  }
};
template <class R>
struct Pack<std::vector<R>> {
  static void flatten(const std::vector<R>& result, Flat& to) {
    to.lengths.push_back(result.size());
    for (const R& part : result) Pack<R>::flatten(part, to);
  }
  static std::vector<R> make(FlatReader& from) {
    std::vector<R> result(from.from.lengths[from.length++]);
    for (R& part : result) part = Pack<R>::make(from);
    return result;
  }
};

/// A function traced for arguments of certain types. The leaves of the trace are the arrays that the function reads but does not compute:
/// its arguments, and the tensors and numbers that it captured.
struct Traced {
  std::vector<uint64_t> key;
  std::shared_ptr<Plan> plan;
  std::vector<int32_t> arguments;  // for each leaf of the trace: the index of the argument; -1 if the leaf is not an argument
  std::vector<Tensor> captured;    // for each leaf of the trace that is not an argument: the captured tensor or number
  std::vector<uint32_t> origins;   // indices of the leaves of the trace from which a differentiable path leads to a result
  std::vector<const Type*> results;
  std::vector<size_t> lengths;         // the length of each vector in the result
  std::vector<CheckedNumber> numbers;  // integers among the arguments that each call compares with the range of their dtype
};

/// An axis of an argument whose size is symbolic. If `name` is not empty, jit makes a symbolic size of this name; otherwise `size` is a
/// symbolic size that the caller made.
struct DynamicAxis {
  size_t argument;
  int32_t axis;
  std::string name;
  Dim size = Dim(0);
};

/// The state that the copies of a Jit share.
struct Traces {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Traced>> all;
  std::vector<DynamicAxis> dynamic;                          // never changes after the first call
  std::vector<std::pair<uint64_t, std::vector<Dim>>> sizes;  // for each session id, the symbolic sizes of the dynamic axes

  /// The symbolic sizes of the dynamic axes in a context.
  std::vector<Dim> sizes_of(Session* session) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [id, known] : sizes)
      if (id == session->id) return known;
    std::vector<Dim> made;
    for (const DynamicAxis& axis : dynamic) made.push_back(axis.name.empty() ? axis.size : named_dim(session, axis.name, 0, INT32_MAX));
    sizes.emplace_back(session->id, made);
    return made;
  }

  std::shared_ptr<const Traced> find(const Words& key) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const std::shared_ptr<const Traced>& traced : all)
      if (traced->key.size() == key.size() && std::memcmp(traced->key.data(), key.data(), key.size() * sizeof(uint64_t)) == 0)
        return traced;
    return nullptr;
  }
  void add(std::shared_ptr<const Traced> traced) {
    const std::lock_guard<std::mutex> lock(mutex);
    all.push_back(std::move(traced));
  }
};

/// Replaces the sizes of dynamic axes in the types of the arguments by symbolic sizes. False after an error.
inline bool make_dynamic(Traces& traces, Session* session, const Type** types, size_t count) {
  const std::vector<Dim> sizes = traces.sizes_of(session);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const DynamicAxis& dynamic = traces.dynamic[i];
    const Type* type = dynamic.argument < count ? types[dynamic.argument] : nullptr;
    const int32_t axis = type != nullptr && dynamic.axis < 0 ? dynamic.axis + type->rank : dynamic.axis;
    if (type == nullptr || axis < 0 || axis >= type->rank) {
      raise(
          {HARP_ERROR_SHAPE,
           "jit: axis " + std::to_string(dynamic.axis) + " of argument " + std::to_string(dynamic.argument) + " is dynamic, but " +
               (type == nullptr ? "there are " + std::to_string(count) + " arguments" : "it has " + std::to_string(type->rank) + " axes")});
      return false;
    }
    if (sizes[i].is_symbolic() && sizes[i].graph() != session->symbols) {
      raise({HARP_ERROR_INVALID_ARGUMENT, "jit: the size " + to_string(sizes[i]) + " belongs to another context than the arguments"});
      return false;
    }
    int64_t dims[HARP_MAX_RANK];
    std::copy_n(type->dims, type->rank, dims);
    dims[axis] = sizes[i].get();
    types[dynamic.argument] = type_of(type->dtype, dims, type->rank, session->id);
  }
  return true;
}

/// Stands for an argument while a function is traced: it has a type but no elements.
inline Tensor placeholder(Session* session, const Type* type, size_t index, bool weak) {
  Value* value = new_leaf(session, type, nullptr, nullptr);
  value->argument = static_cast<int32_t>(index);
  value->weak = weak;
  value->held = 0;
  return Tensor(value);
}

inline std::shared_ptr<const Traced> finish_trace(Session* session, const Words& key, const Flat& results) {
  auto traced = std::make_shared<Traced>();
  std::vector<Value*> values;
  traced->lengths = results.lengths;
  traced->numbers = std::move(noted_numbers);
  for (const Tensor& result : results.tensors) {
    if (!result.defined()) return nullptr;
    values.push_back(result.value());
    traced->results.push_back(result.value()->type);
  }
  Walk& walk = Walk::of_thread();
  walk.go(values.data(), values.size());
  traced->plan = plan_of(session, walk, values.data(), values.size(), {});
  if (traced->plan == nullptr) return nullptr;
  traced->key.assign(key.data(), key.data() + key.size());
  for (Value* leaf : walk.leaves) {
    traced->arguments.push_back(leaf->argument);
    if (leaf->argument < 0) Resource<Value>::retain(leaf);
    traced->captured.emplace_back(leaf->argument < 0 ? leaf : nullptr);
  }
  std::vector<const Value*> reached;
  for (const Value* value : values) visit_differentiable(walk, value, [&](const Value* one, uint32_t) { reached.push_back(one); });
  for (size_t i = 0; i < walk.leaves.size(); ++i)
    if (std::find(reached.begin(), reached.end(), walk.leaves[i]) != reached.end()) traced->origins.push_back(static_cast<uint32_t>(i));
  return traced;
}

}  // namespace detail

template <class F>
class Jit {
 public:
  explicit Jit(F function) : function_(std::move(function)), traces_(std::make_shared<detail::Traces>()) {}

  /// Calls the function. The arguments are tensors and numbers, and the results are computed. Without exceptions, the results are empty
  /// tensors after an error.
  template <class... A>
  auto operator()(const A&... arguments) const {
    using Result = std::decay_t<decltype(function_(as_parameter(arguments)...))>;
    if (detail::tracing != 0) {
      detail::Session* session = nullptr;
      ((session = session != nullptr ? session : session_of(arguments)), ...);
      return static_cast<Result>(function_(inlined(arguments, session)...));
    }
    return run<Result>(std::array<Tensor, sizeof...(A)>{as_parameter(arguments)...}, std::array<bool, sizeof...(A)>{is_number<A>...},
                       std::index_sequence_for<A...>());
  }

  /// Returns the same function with a symbolic size for an axis of an argument, so that one program serves all sizes of this axis. Axes
  /// with the same name must have equal sizes; harp::dim makes a symbolic size with bounds. Inside the function, `x.dim(axis)` is this
  /// size, and arithmetic on it works.
  ///
  ///     auto pairs = harp::jit(f).dynamic(0, 0, "n").dynamic(1, 0, "n");
  Jit dynamic(size_t argument, int32_t axis, const char* name) const { return with({{argument, axis, name}}); }
  Jit dynamic(size_t argument, int32_t axis, const Dim& size) const { return with({{argument, axis, {}, size}}); }
  /// Makes several axes of an argument symbolic, each with its own size.
  Jit dynamic(size_t argument, std::initializer_list<int32_t> axes) const {
    std::vector<detail::DynamicAxis> more;
    for (const int32_t axis : axes) {
      const std::string which = axis < 0 ? "last" + std::to_string(-axis) : std::to_string(axis);
      more.push_back({argument, axis, "x" + std::to_string(argument) + "_" + which});
    }
    return with(std::move(more));
  }

  /// The number of times that the function was traced.
  size_t traces() const {
    const std::lock_guard<std::mutex> lock(traces_->mutex);
    return traces_->all.size();
  }

 private:
  template <class A>
  static constexpr bool is_number = detail::is_number<A>;

  static const Tensor& as_parameter(const Tensor& tensor) { return tensor; }
  template <class A, class = std::enable_if_t<is_number<A>>>
  static Tensor as_parameter(A number, detail::Session* session = nullptr) {
    using N = std::conditional_t<std::is_same_v<A, long double>, double, A>;
    if (session == nullptr) session = default_context().session();
    detail::Value* value = detail::new_leaf(session, detail::type_of(dtype_of<N>, nullptr, 0), nullptr, nullptr);
    const N element = static_cast<N>(number);
    value->data = value->number;
    std::memcpy(value->number, &element, sizeof element);
    return Tensor(value);
  }
  static detail::Session* session_of(const Tensor& tensor) { return tensor.defined() ? tensor.value()->session : nullptr; }
  template <class A, class = std::enable_if_t<is_number<A>>>
  static detail::Session* session_of(A) {
    return nullptr;
  }
  /// Converts an argument of a call that happens while another function is being traced. A number becomes a tensor in the context of the
  /// other arguments.
  static const Tensor& inlined(const Tensor& tensor, detail::Session*) { return tensor; }
  template <class A, class = std::enable_if_t<is_number<A>>>
  static Tensor inlined(A number, detail::Session* session) {
    Tensor tensor = as_parameter(number, session);
    tensor.value()->weak = true;
    return tensor;
  }

  template <class Result, size_t N, size_t... I>
  Result run(const std::array<Tensor, N>& arguments, const std::array<bool, N>& numbers, std::index_sequence<I...>) const {
    using namespace detail;
    Session* session = nullptr;
    Words key;
    Value* pending[N + 1];
    const Type* types[N + 1];
    size_t pending_count = 0;
    for (size_t i = 0; i < N; ++i) {
      Value* value = arguments[i].value();
      if (value == nullptr) return failed<Result>("jit: an argument is an empty Tensor");
      types[i] = value->type;
      if (!numbers[i] && session == nullptr) session = value->session;
      if (!value->is_there()) pending[pending_count++] = value;
    }
    if (session == nullptr) session = default_context().session();
    if (!traces_->dynamic.empty() && !make_dynamic(*traces_, session, types, N)) return {};
    for (size_t i = 0; i < N; ++i) key.add(word_of(types[i]) | (numbers[i] ? 1U : 0U));
    key.add(session->id);
    if (pending_count != 0 && !realize(pending, pending_count, {}, Reason::jit_argument)) return {};

    std::shared_ptr<const Traced> traced = traces_->find(key);
    if (traced == nullptr) {
      Flat results;
      {
        struct Tracing {
          Tracing() { ++tracing; }
          ~Tracing() { --tracing; }
        } inside;
        noted_numbers.clear();
        Pack<Result>::flatten(function_(placeholder(session, types[I], I, numbers[I])...), results);
      }
      traced = finish_trace(session, key, results);
      if (traced == nullptr) return {};
      traces_->add(traced);
    }
    for (const CheckedNumber& number : traced->numbers)
      if (!number.check(arguments[number.input].value()->data)) return {};

    Value* few[16];
    std::vector<Value*> many(traced->arguments.size() > 16 ? traced->arguments.size() : 0);
    Value** leaves = many.empty() ? few : many.data();
    for (size_t i = 0; i < traced->arguments.size(); ++i) {
      const int32_t argument = traced->arguments[i];
      leaves[i] = argument < 0 ? traced->captured[i].value() : arguments[static_cast<size_t>(argument)].value();
    }
    std::vector<harp_buffer*> buffers(traced->results.size(), nullptr);
    std::vector<const Type*> made = traced->results;
    if (!run_plan(session, *traced->plan, leaves, made.data(), buffers.size(), buffers.data())) return {};
    FlatReader results{{{}, traced->lengths}};
    Origins origins(Reason::jit);
    for (const uint32_t i : traced->origins) {
      if (traced->arguments[i] >= 0 && numbers[static_cast<size_t>(traced->arguments[i])])
        continue;  // the argument was a number, so the caller has no tensor with respect to which a gradient could be requested
      origins.add(array_number(leaves[i]));
      if (const Origins* before = remembered(leaves[i]); before != nullptr) origins.add(*before);
    }
    const std::shared_ptr<const Origins> all = shared(origins);
    for (size_t i = 0; i < buffers.size(); ++i) {
      Value* value = new_leaf(session, made[i], buffers[i], harp_buffer_data(buffers[i]));
      results.from.tensors.emplace_back(value);
      if (is_differentiable(value)) value->origins = all;
    }
    return Pack<Result>::make(results);
  }

  Jit with(std::vector<detail::DynamicAxis> more) const {
    Jit result(function_);
    std::vector<detail::DynamicAxis>& all = result.traces_->dynamic;
    all = traces_->dynamic;
    for (detail::DynamicAxis& axis : more) all.push_back(std::move(axis));
    return result;
  }
  template <class Result>
  static Result failed(const char* message) {
    detail::raise({HARP_ERROR_INVALID_ARGUMENT, message});
    return {};
  }

  F function_;
  std::shared_ptr<detail::Traces> traces_;
};

template <class F>
Jit<std::decay_t<F>> jit(F&& function) {
  return Jit<std::decay_t<F>>(std::forward<F>(function));
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_JIT_HPP
