// Defines how operations apply to tensors, and functions that make tensors without operands. Part of tensor.hpp.
#ifndef HARP_TENSOR_OPERATIONS_HPP
#define HARP_TENSOR_OPERATIONS_HPP

#include <harp/functions.hpp>
#include <harp/tensor.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace op {

/// Operations without operands.
struct constant {
  detail::Number value;
  DType dtype;
  static constexpr const char* name = "constant";
  harp_node* operator()(harp_graph* graph) const { return detail::constant_node(graph, value, dtype); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(static_cast<int32_t>(value.category)), f(value.bits()), f(value.im);
  }
};
struct filled {
  constant value;
  Sizes dims;
  static constexpr const char* name = "full";
  harp_node* operator()(harp_graph* graph) const { return harp_full(value(graph), dims.count(), dims.data()); }
  template <class F>
  void attributes(F&& f) const {
    value.attributes(f), f(dims);
  }
};
struct arange {
  DType dtype;
  Dim start, stop;
  int64_t step;
  static constexpr const char* name = "arange";
  harp_node* operator()(harp_graph* graph) const { return harp_arange(graph, raw(dtype), start.get(), stop.get(), step); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(start), f(stop), f(step);
  }
};
struct linspace {
  DType dtype;
  double start, stop;
  Dim count;
  static constexpr const char* name = "linspace";
  harp_node* operator()(harp_graph* graph) const { return harp_linspace(graph, raw(dtype), start, stop, count.get()); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(start), f(stop), f(count);
  }
};
struct eye {
  DType dtype;
  Dim rows, columns;
  static constexpr const char* name = "eye";
  harp_node* operator()(harp_graph* graph) const { return harp_eye(graph, raw(dtype), rows.get(), columns.get()); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(rows), f(columns);
  }
};
/// An operation without operands, whose result is an array of rank 0: the value of a size, which may be symbolic.
struct size {
  Dim dim;
  static constexpr const char* name = "size";
  harp_node* operator()(harp_graph* graph) const { return harp_size(graph, dim.get()); }
  template <class F>
  void attributes(F&& f) const {
    f(dim);
  }
};

}  // namespace op

namespace detail {

template <class Op>
std::unique_ptr<AnyCall> stored_call(const void* op) {
  return std::make_unique<Call<Op>>(*static_cast<const Op*>(op));
}

inline void release_all(Value* const* values, size_t count) {
  for (size_t i = 0; i < count; ++i) Resource<Value>::release(values[i]);
}

/// Makes the pending value of an operation and takes over the references to its operands (NULL: operand not given). `attributes` are the
/// words for the operation's attributes, which are part of the key of its Signature. If the Signature does not exist yet, store(op) makes
/// the copy of the operation that the new Signature keeps. Returns NULL after an error.
inline Value* trace(const char* name, const void* op, std::unique_ptr<AnyCall> (*store)(const void*), Session* session,
                    Value* const* operands, size_t count, const Words& attributes) {
  Words key;
  const Type* few[8];
  std::vector<const Type*> many;
  const Type** types = few;
  if (count > 8) {
    many.resize(count);
    types = many.data();
  }
  key.add(word_of(name));
  for (size_t i = 0; i < count; ++i) {
    types[i] = operands[i] != nullptr ? operands[i]->type : nullptr;
    key.add(word_of(types[i]));
    if (operands[i] == nullptr || operands[i]->session == session) continue;
    release_all(operands, count);
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": operands of different contexts"});
    return nullptr;
  }
  for (size_t i = 0; i < attributes.size(); ++i) key.add(attributes.data()[i]);
  bool symbolic = attributes.graph() != nullptr;
  if (symbolic) {
    if (attributes.graph() != session->symbols) {
      release_all(operands, count);
      raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": a symbolic size of a Graph, or of another context"});
      return nullptr;
    }
    key.add(session->id);
  }
  const uint64_t hash = hash_words(key.data(), key.size());
  const Signature* signature = Records<Signature>::find(key.data(), key.size(), hash);
  for (size_t i = 0; i < count; ++i) symbolic = symbolic || (types[i] != nullptr && types[i]->symbolic);
#if HARP_CPP_EXCEPTIONS
  try {
    if (signature == nullptr) signature = make_signature(name, store(op), types, count, session, symbolic, key, hash);
  } catch (...) {
    release_all(operands, count);
    throw;
  }
#else
  if (signature == nullptr) signature = make_signature(name, store(op), types, count, session, symbolic, key, hash);
  if (signature == nullptr) {
    release_all(operands, count);
    return nullptr;
  }
#endif
  const bool single = signature->results.size() == 1;
  Value* value = new_pending(session, signature, single ? signature->results[0] : nullptr, operands, count);
  if ((value->pending > kMaxPending || value->held > kMaxHeld) && single) {
    const Tensor kept(value);
    if (!settle(value)) return nullptr;
    Resource<Value>::retain(value);
  }
  return value;
}

template <class Op>
Value* trace(const Op& op, Session* session, Value* const* operands, size_t count) {
  Words attributes;
  op.attributes(AttributeWords{attributes});
  return trace(Op::name, &op, stored_call<Op>, session, operands, count, attributes);
}

/// Makes the value of result `part` of an operation with several results. Takes over the caller's reference to `group`, the value of the
/// operation.
inline Value* new_part(Value* group, size_t part) {
  Value* value = new_pending(group->session, nullptr, group->signature->results[part], &group, 1);
  value->part = static_cast<int32_t>(part);
  return value;
}

/// Converts a number and writes it as an element. False for a dtype that has no corresponding C++ type (f16, bf16).
inline bool write_number(const Number& number, DType dtype, void* to) {
  const auto put = [to](auto value) {
    std::memcpy(to, &value, sizeof value);
    return true;
  };
  switch (dtype) {
    case DType::boolean: return put(number.real() != 0);
    case DType::i8: return put(static_cast<int8_t>(number.i));
    case DType::u8: return put(static_cast<uint8_t>(number.u));
    case DType::i16: return put(static_cast<int16_t>(number.i));
    case DType::u16: return put(static_cast<uint16_t>(number.u));
    case DType::i32: return put(static_cast<int32_t>(number.i));
    case DType::u32: return put(static_cast<uint32_t>(number.u));
    case DType::i64: return put(number.i);
    case DType::u64: return put(number.u);
    case DType::f32: return put(static_cast<float>(number.real()));
    case DType::f64: return put(number.real());
    case DType::complex64: return put(std::complex<float>(static_cast<float>(number.real()), static_cast<float>(number.im)));
    case DType::complex128: return put(std::complex<double>(number.real(), number.im));
    default: return false;
  }
}

/// Converts a number to the category (bool, integer, real or complex) of a dtype that the caller has given, by the rules of harp_constant.
/// If the dtype cannot represent the number, raises an error and returns false.
inline bool fit(DType dtype, Number& number) {
  if (dtype == DType::unknown) {
    raise({HARP_ERROR_DTYPE, "a number of no dtype"});
    return false;
  }
  const Category wanted = category_of(dtype);
  const bool is_whole = number.category == Category::real && number.re == std::floor(number.re) && std::fabs(number.re) < 0x1p62;
  std::string text = number.category >= Category::real ? std::to_string(number.re)
                     : number.is_unsigned              ? std::to_string(number.u)
                                                       : std::to_string(number.i);
  if (wanted < Category::real && is_whole) number = Number(static_cast<int64_t>(number.re));
  const bool is_bit = number.category < Category::real && number.u <= 1;
  if (wanted == Category::boolean ? is_bit : (number.category <= wanted && holds(dtype, number))) return true;
  if (number.category == Category::complex) text += " + " + std::to_string(number.im) + "i";
  raise({HARP_ERROR_RANGE, "the number " + text + " does not fit " + name_of(dtype)});
  return false;
}

inline bool is_simple(const Number& number) {
  if (number.category == Category::complex) return false;
  const double value = number.real();
  return value == 0.5 || (value >= -1 && value <= 3 && value == std::floor(value));
}

/// Makes a value of a C++ number that is combined with arrays of a dtype. NULL after an error.
inline Value* number_value(const Number& number, DType dtype, Session* session) {
  if (!check_holds(dtype, number)) return nullptr;
  const bool narrow = dtype == DType::f16 || dtype == DType::bf16;
  if (!narrow && is_simple(number)) return trace(op::constant{number, dtype}, session, nullptr, 0);
  const DType own = narrow ? DType::f64 : dtype;
  Value* value = new_leaf(session, type_of(own, nullptr, 0), nullptr, nullptr);
  value->data = value->number;
  write_number(number, own, value->number);
  return narrow ? trace(op::cast{dtype}, session, &value, 1) : value;
}

/// Owns references to the operands of an operation until the value of the operation takes them over.
template <size_t Count>
struct Operands {
  Value* values[Count] = {};
  bool owned = true;

  Operands() = default;
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    if (owned) release_all(values, Count);
  }
  Value* const* release() {
    owned = false;
    return values;
  }
};

template <>
struct Applier<Kind::tensor> {
  template <class Op, class... A>
  static Tensor run(const Op& op, A&&... operands) {
    constexpr size_t count = sizeof...(A);
    Session* session = nullptr;
    DType beside = DType::unknown;
    bool all_weak = true;
    size_t position = 0;
    (look(operands, position++ >= Op::first_value, session, beside, all_weak), ...);
    if (session == nullptr || !(given(operands) && ...)) return missing(Op::name);
    Operands<count> x;
    size_t made = 0;
    ((x.values[made++] = take(std::forward<A>(operands), beside, session)), ...);
#if !HARP_CPP_EXCEPTIONS
    made = 0;
    if (!((x.values[made++] != nullptr || std::is_same_v<std::decay_t<A>, None>)&&...)) return {};
#endif
    Tensor result(trace(op, session, x.release(), count));
    if (all_weak && result.defined()) result.value()->weak = true;
    return result;
  }

  template <class Op>
  static Tensor run_list(const Op& op, const Tensor* operands, size_t count) {
    return Tensor(trace_list(op, operands, count));
  }

  /// Applies an operation that has several results. Without exceptions, all results are empty after an error.
  template <class Op>
  static std::vector<Tensor> run_several(const Op& op, const Tensor* operands, size_t count) {
    const Tensor group(trace_list(op, operands, count));
    const size_t results = op.results(count);
    std::vector<Tensor> parts(results);
    if (!group.defined()) return parts;
    for (size_t i = 0; i < results; ++i) {
      Value* one = group.value();
      if (results > 1) {
        Resource<Value>::retain(one);
        parts[i] = Tensor(new_part(one, i));
      } else {
        parts[i] = group;
      }
    }
    return parts;
  }

 private:
  template <class Op>
  static Value* trace_list(const Op& op, const Tensor* operands, size_t count) {
    std::vector<Value*> x;
    for (size_t i = 0; i < count; ++i)
      if (operands[i].defined()) x.push_back(operands[i].value());
    if (x.empty() || x.size() != count) return missing(Op::name).release();
    for (Value* value : x) Resource<Value>::retain(value);
    return trace(op, x[0]->session, x.data(), count);
  }

  static Tensor missing(const char* name) {
#if HARP_CPP_EXCEPTIONS
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": an operand is an empty Tensor"});
#else
    static_cast<void>(name);  // the empty operand comes from a call whose error was already reported
#endif
    return {};
  }

  static void look(const Tensor& tensor, bool counts, Session*& session, DType& beside, bool& all_weak) {
    if (!tensor.defined()) return;
    if (session == nullptr) session = tensor.value()->session;
    if (tensor.value()->weak) return;
    all_weak = false;
    if (counts) beside = higher(beside, tensor.value()->type->dtype);
  }
  template <class T>
  static std::enable_if_t<kind_of<T> != Kind::tensor> look(const T&, bool, Session*&, DType&, bool&) {}
  template <class T>
  static bool given(const T& operand) {
    if constexpr (kind_of<T> == Kind::tensor)
      return operand.defined();
    else
      return true;
  }

  static Value* take(const Tensor& tensor, DType beside, Session* session) {
    Value* value = tensor.value();
    const DType own = value->type->dtype, wanted = value->weak && beside != DType::unknown ? weak_beside(own, beside) : own;
    if (wanted != own)
      if (const CheckedNumber number{0, own, wanted}; number.may_exceed() && !check_number(number, value)) return nullptr;
    Resource<Value>::retain(value);
    return wanted == own ? value : trace(op::cast{wanted}, session, &value, 1);
  }
  /// Checks that an integer that was passed to a jit function fits the dtype that it takes. While jit traces the function, the value is not
  /// known; then notes that each call of the function has to check it.
  static bool check_number(CheckedNumber number, const Value* value) {
    if (value->argument >= 0) {
      number.input = static_cast<size_t>(value->argument);
      noted_numbers.push_back(number);
      return true;
    }
    return !value->is_there() || number.check(value->data);
  }
  static DType weak_beside(DType weak, DType beside) {
    switch (category_of(weak)) {
      case Category::boolean: return Number(false).dtype_beside(beside);
      case Category::integer: return Number(0).dtype_beside(beside);
      case Category::real: return Number(0.0).dtype_beside(beside);
      default: return Number(std::complex<double>()).dtype_beside(beside);
    }
  }
  static Value* take(Tensor& tensor, DType beside, Session* session) { return take(static_cast<const Tensor&>(tensor), beside, session); }
  static Value* take(Tensor&& tensor, DType beside, Session* session) {
    return tensor.value()->weak ? take(static_cast<const Tensor&>(tensor), beside, session) : tensor.release();
  }
  static Value* take(const None&, DType, Session*) { return nullptr; }
  template <class T, class = std::enable_if_t<is_number<std::decay_t<T>>>>
  static Value* take(const T& value, DType beside, Session* session) {
    const Number number(value);
    return number_value(number, number.dtype_beside(beside), session);
  }
};

template <class Op>
Tensor made_of_nothing(const Op& op, const Context& context) {
  return context ? Tensor(trace(op, context.session(), nullptr, 0)) : Tensor();
}

}  // namespace detail

inline Tensor Tensor::full(DType dtype, const Sizes& dims, detail::Number value, const Context& context) {
  return detail::made_of_nothing(op::filled{{value, dtype}, dims}, context);
}
inline Tensor Tensor::arange(DType dtype, const Dim& start, const Dim& stop, int64_t step, const Context& context) {
  return detail::made_of_nothing(op::arange{dtype, start, stop, step}, context);
}
inline Tensor Tensor::linspace(DType dtype, double start, double stop, const Dim& count, const Context& context) {
  return detail::made_of_nothing(op::linspace{dtype, start, stop, count}, context);
}
inline Tensor Tensor::eye(DType dtype, const Dim& rows, const Dim& columns, const Context& context) {
  return detail::made_of_nothing(op::eye{dtype, rows, columns}, context);
}
inline Tensor Tensor::size_of(const Dim& dim, const Context& context) { return detail::made_of_nothing(op::size{dim}, context); }
inline Tensor Tensor::custom_function(const Text& body, DType dtype, const Sizes& dims, const Context& context) {
  return detail::made_of_nothing(op::custom_function{body, dtype, dims}, context);
}
inline Tensor Tensor::scalar(detail::Number value, DType dtype, const Context& context) {
  if (!detail::fit(dtype, value)) return {};
  const bool narrow = dtype == DType::f16 || dtype == DType::bf16;
  Tensor tensor = empty(detail::type_of(narrow ? DType::f64 : dtype, nullptr, 0), context);
  if (tensor.defined()) detail::write_number(value, tensor.dtype(), tensor.value()->data);
  return narrow ? harp::cast(tensor, dtype).realize() : tensor;
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_TENSOR_OPERATIONS_HPP
