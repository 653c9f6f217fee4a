// Tensor: an array that is computed when somebody looks at it. Part of harp.hpp.
//
//     harp::Tensor x({1.0F, 2.0F, 3.0F}), y = tanh(x * 2 + 1);       // nothing is computed
//     harp::Span<const float> values = y.data<float>();              // now, by one program that is compiled once
//
// Copies of a Tensor are the same array. Operations are checked where they are written: shapes and dtypes are known at once. Operands of
// different shapes broadcast as NumPy's, dtypes promote as HARP_GRAPH_PROMOTE_MIXED says, a number takes the dtype of the array beside it.
//
// What is compiled depends on the operations, their attributes and the types of the inputs, never on elements. A number beside an array is
// an input like any other, but for -1, 0, 1, 2, 3 and 0.5, which the compiler gets to see.
//
// Threads. A Tensor that is there (is_realized) may be used by several threads at once; one that is pending belongs to one thread at a
// time, with all that was computed from it.
#ifndef HARP_TENSOR_HPP
#define HARP_TENSOR_HPP

#include <harp/operators.hpp>
#include <harp/realize.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

class Tensor : public Methods<Tensor> {
 public:
  Tensor() = default;
  /// Arrays of one axis, or of these sizes, whose elements are copied.
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  Tensor(std::initializer_list<T> values, const Context& context = default_context())
      : Tensor(Span<const T>(values.begin(), values.size()), static_cast<int64_t>(values.size()), context) {}
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  Tensor(std::initializer_list<T> values, const Sizes& dims, const Context& context = default_context())
      : Tensor(Span<const T>(values.begin(), values.size()), dims, context) {}
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  explicit Tensor(const std::vector<T>& values, const Context& context = default_context())
      : Tensor(Span<const T>(values.data(), values.size()), static_cast<int64_t>(values.size()), context) {}
  template <class C, class T = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const C&>().data())>>>
  Tensor(const C& values, const Sizes& dims, const Context& context = default_context()) {
    const detail::Type* type = detail::checked_type("Tensor", dtype_of<T>, dims);
    if (type == nullptr) return;
    if (static_cast<size_t>(type->elements) != values.size()) {
      detail::raise({HARP_ERROR_SHAPE, "Tensor: " + std::to_string(values.size()) + " elements do not make an array of the shape " +
                                           shape_text(type->dims, type->rank)});
      return;
    }
    *this = empty(type, context);
    if (*this && type->bytes != 0) std::memcpy(value()->data, values.data(), type->bytes);
  }
  /// The array of a buffer, without a copy; nobody may write to it any more.
  explicit Tensor(const Buffer& buffer, const Context& context = default_context()) {
    if (!buffer) return;
    const detail::Type* type = detail::type_of(buffer.dtype(), buffer.dims().data(), buffer.rank());
    detail::Resource<harp_buffer>::retain(buffer.get());
    value_ = detail::Handle<detail::Value>(
        detail::new_leaf(context.session(), type, buffer.get(), const_cast<void*>(harp_buffer_const_data(buffer.get()))));
  }
  /// An array in the host's memory, which has to stay as it is for as long as anything refers to it.
  template <class T>
  static Tensor view(const T* data, const Sizes& dims, const Context& context = default_context()) {
    const detail::Type* type = detail::checked_type("Tensor::view", dtype_of<T>, dims);
    return type == nullptr ? Tensor() : Tensor(Buffer::wrap(context, data, {type->dims, static_cast<size_t>(type->rank)}), context);
  }

  static Tensor full(DType dtype, const Sizes& dims, detail::Number value, const Context& context = default_context());
  static Tensor zeros(DType dtype, const Sizes& dims, const Context& context = default_context()) { return full(dtype, dims, 0, context); }
  static Tensor ones(DType dtype, const Sizes& dims, const Context& context = default_context()) { return full(dtype, dims, 1, context); }
  static Tensor arange(DType dtype, int64_t start, int64_t stop, int64_t step = 1, const Context& context = default_context());
  static Tensor arange(int64_t stop, const Context& context = default_context()) { return arange(DType::i64, 0, stop, 1, context); }
  static Tensor linspace(DType dtype, double start, double stop, int64_t count, const Context& context = default_context());
  static Tensor eye(DType dtype, int64_t rows, int64_t columns, const Context& context = default_context());
  /// A number of rank 0. Unlike one that is written beside a tensor it is of that dtype, and always an input.
  static Tensor scalar(detail::Number value, DType dtype, const Context& context = default_context());

  explicit operator bool() const { return static_cast<bool>(value_); }
  DType dtype() const { return value_ ? value()->type->dtype : DType::unknown; }
  int32_t rank() const { return value_ ? value()->type->rank : 0; }
  /// The sizes; borrowed, for ever.
  Span<const int64_t> shape() const {
    return value_ ? Span<const int64_t>(value()->type->dims, static_cast<size_t>(rank())) : Span<const int64_t>();
  }
  int64_t dim(int32_t axis) const {
    const int32_t index = axis < 0 ? axis + rank() : axis;
    if (index >= 0 && index < rank()) return shape()[static_cast<size_t>(index)];
    detail::raise({HARP_ERROR_SHAPE, "axis " + std::to_string(axis) + " of an array of the shape " + shape_text(shape().data(), rank())});
    return 0;
  }
  int64_t size() const { return value_ ? value()->type->elements : 0; }

  bool is_realized() const { return value_ && value()->is_there(); }
  /// Computes it, if it is pending. What it was computed from is then forgotten: gradients end here.
  const Tensor& realize() const { return realize_with_config({}); }
  const Tensor& realize_with_config(const Configuration& configuration) const {
    detail::Value* one = value();
    if (one != nullptr) detail::realize(&one, 1, configuration);
    return *this;
  }

  /// The elements, computed if need be; valid as long as a copy of the tensor is. Empty after an error.
  template <class T>
  Span<const T> data() const {
    if (!has_dtype(dtype_of<T>) || !realize().is_realized()) return {};
    return {static_cast<const T*>(value()->data), static_cast<size_t>(size())};
  }
  template <class T>
  std::vector<T> to_vector() const {
    const Span<const T> elements = data<T>();
    return {elements.begin(), elements.end()};
  }
  /// The only element.
  template <class T>
  T item() const {
    if (size() != 1) {
      detail::raise({HARP_ERROR_SHAPE, "item: the tensor has " + std::to_string(size()) + " elements, expected one"});
      return {};
    }
    const Span<const T> elements = data<T>();
    return elements.empty() ? T{} : elements[0];
  }
  /// The array as a buffer, without a copy: for files, DLPack and explicit programs. It may not be written.
  Buffer buffer() const {
    if (!realize().is_realized()) return {};
    detail::Value* one = value();
    if (one->buffer == nullptr) {  // a number
      const Tensor copy = empty(one->type, Context(retained_session()));
      if (!copy) return {};
      std::memcpy(copy.value()->data, one->data, one->type->bytes);
      return copy.buffer();
    }
    detail::Resource<harp_buffer>::retain(one->buffer);
    return Buffer(one->buffer);
  }
#if defined(__cpp_lib_mdspan)
  template <class T, size_t Rank>
  std::mdspan<const T, std::dextents<int64_t, Rank>> mdspan() const {
    std::array<int64_t, Rank> extents{};
    if (static_cast<size_t>(rank()) != Rank) {
      detail::raise({HARP_ERROR_SHAPE, "mdspan: rank " + std::to_string(rank()) + ", expected " + std::to_string(Rank)});
      return {};
    }
    std::copy_n(shape().data(), Rank, extents.data());
    return {data<T>().data(), extents};
  }
#endif
  Context context() const { return value_ ? Context(retained_session()) : Context(); }

  /// For the other headers of harp.hpp.
  explicit Tensor(detail::Value* owned) : value_(owned) {}
  detail::Value* value() const { return value_.get(); }
  detail::Value* release() { return value_.release(); }
  static Tensor empty(const detail::Type* type, const Context& context) {
    detail::Out err;
    harp_buffer* buffer = harp_buffer_new(context.get(), nullptr, raw(type->dtype), type->rank, type->dims, err);
    if (err.raised()) return {};
    return Tensor(detail::new_leaf(context.session(), type, buffer, harp_buffer_data(buffer)));
  }

 private:
  bool has_dtype(DType wanted) const {
    if (!value_) return false;
    if (dtype() == wanted) return true;
    detail::raise({HARP_ERROR_DTYPE, std::string("the tensor has elements of ") + name_of(dtype()) + ", not of " + name_of(wanted)});
    return false;
  }
  detail::Session* retained_session() const {
    detail::Resource<detail::Session>::retain(value()->session);
    return value()->session;
  }

  detail::Handle<detail::Value> value_;
};

/// Computes several tensors in one run of one program.
inline void realize(Span<const Tensor> tensors, const Configuration& configuration = {}) {
  std::vector<detail::Value*> values;
  for (const Tensor& tensor : tensors)
    if (tensor) values.push_back(tensor.value());
  detail::realize(values.data(), values.size(), configuration);
}
inline void realize(std::initializer_list<Tensor> tensors, const Configuration& configuration = {}) {
  realize(Span<const Tensor>(tensors.begin(), tensors.size()), configuration);
}

namespace op {

/// Arrays made of nothing.
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
  int64_t start, stop, step;
  static constexpr const char* name = "arange";
  harp_node* operator()(harp_graph* graph) const { return harp_arange(graph, raw(dtype), start, stop, step); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(start), f(stop), f(step);
  }
};
struct linspace {
  DType dtype;
  double start, stop;
  int64_t count;
  static constexpr const char* name = "linspace";
  harp_node* operator()(harp_graph* graph) const { return harp_linspace(graph, raw(dtype), start, stop, count); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(start), f(stop), f(count);
  }
};
struct eye {
  DType dtype;
  int64_t rows, columns;
  static constexpr const char* name = "eye";
  harp_node* operator()(harp_graph* graph) const { return harp_eye(graph, raw(dtype), rows, columns); }
  template <class F>
  void attributes(F&& f) const {
    f(dtype), f(rows), f(columns);
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

/// The value of an operation on operands whose references it takes (NULL: not given). NULL after an error. key: the attributes, behind
/// count + 1 words that are filled in here.
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
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": operands of different contexts"});
    release_all(operands, count);
    return nullptr;
  }
  for (size_t i = 0; i < attributes.size(); ++i) key.add(attributes.data()[i]);
  const uint64_t hash = hash_words(key.data(), key.size());
  const Signature* signature = Records<Signature>::find(key.data(), key.size(), hash);
#if HARP_CPP_EXCEPTIONS
  try {
    if (signature == nullptr) signature = make_signature(name, store(op), types, count, session->context, key, hash);
  } catch (...) {
    release_all(operands, count);
    throw;
  }
#else
  if (signature == nullptr) signature = make_signature(name, store(op), types, count, session->context, key, hash);
  if (signature == nullptr) {
    release_all(operands, count);
    return nullptr;
  }
#endif
  const bool single = signature->results.size() == 1;
  Value* value = new_pending(session, signature, single ? signature->results[0] : nullptr, operands, count);
  if ((value->pending > kMostPending || value->held > kMostHeld) && single) {
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

/// One result of several. Takes the reference.
inline Value* new_part(Value* group, size_t part) {
  Value* value = new_pending(group->session, nullptr, group->signature->results[part], &group, 1);
  value->part = static_cast<int32_t>(part);
  return value;
}

/// Writes a number as an element; false: the dtype is none that numbers become directly.
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

/// Does an integer dtype hold the number?
inline bool holds(DType dtype, const Number& number) {
  const Category category = category_of(dtype);
  if (category != Category::integer || number.category == Category::boolean) return true;
  const bool has_sign = dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  const unsigned bits = static_cast<unsigned>(size_of(dtype)) * 8;
  const bool negative = !number.is_unsigned && number.i < 0;
  if (negative) return has_sign && number.i >= INT64_MIN >> (64 - bits);
  return number.u <= UINT64_MAX >> (64 - bits) >> (has_sign ? 1 : 0);
}

inline bool is_simple(const Number& number) {
  if (number.category == Category::complex) return false;
  const double value = number.real();
  return value == 0.5 || (value >= -1 && value <= 3 && value == std::floor(value));
}

/// A number as an operand beside arrays of a dtype. NULL after an error.
inline Value* number_value(const Number& number, DType dtype, Session* session) {
  if (!holds(dtype, number)) {
    const std::string text = number.is_unsigned ? std::to_string(number.u) : std::to_string(number.i);
    raise({HARP_ERROR_RANGE, "the number " + text + " does not fit " + name_of(dtype)});
    return nullptr;
  }
  const bool narrow = dtype == DType::f16 || dtype == DType::bf16;
  if (!narrow && is_simple(number)) return trace(op::constant{number, dtype}, session, nullptr, 0);
  const DType own = narrow ? DType::f64 : dtype;
  Value* value = new_leaf(session, type_of(own, nullptr, 0), nullptr, nullptr);
  value->data = value->number;
  write_number(number, own, value->number);
  return narrow ? trace(op::cast{dtype}, session, &value, 1) : value;
}

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
    Value* x[count];
    size_t made = 0;
#if HARP_CPP_EXCEPTIONS
    try {
      ((x[made] = take(std::forward<A>(operands), beside, session), ++made), ...);
    } catch (...) {
      release_all(x, made);
      throw;
    }
#else
    bool complete = true;
    ((x[made] = take(std::forward<A>(operands), beside, session),
      complete = complete && (x[made] != nullptr || std::is_same_v<std::decay_t<A>, None>), ++made),
     ...);
    if (!complete) {
      release_all(x, made);
      return {};
    }
#endif
    Tensor result(trace(op, session, x, count));
    if (all_weak && result) result.value()->weak = true;
    return result;
  }

  template <class Op>
  static Tensor run_list(const Op& op, const Tensor* operands, size_t count) {
    return Tensor(trace_list(op, operands, count));
  }

  /// Without exceptions and after an error: no results.
  template <class Op>
  static std::vector<Tensor> run_several(const Op& op, const Tensor* operands, size_t count) {
    const Tensor group(trace_list(op, operands, count));
    const size_t results = op.results(count);
    std::vector<Tensor> parts(results);
    if (!group) return parts;
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
      if (operands[i]) x.push_back(operands[i].value());
    if (x.empty() || x.size() != count) return missing(Op::name).release();
    for (Value* value : x) Resource<Value>::retain(value);
    return trace(op, x[0]->session, x.data(), count);
  }

  static Tensor missing(const char* name) {
#if HARP_CPP_EXCEPTIONS
    raise({HARP_ERROR_INVALID_ARGUMENT, std::string(name) + ": an operand is an empty Tensor"});
#else
    static_cast<void>(name);  // the empty operand comes from a call whose error was reported
#endif
    return {};
  }

  static void look(const Tensor& tensor, bool counts, Session*& session, DType& beside, bool& all_weak) {
    if (!tensor) return;
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
      return static_cast<bool>(operand);
    else
      return true;
  }

  static Value* take(const Tensor& tensor, DType beside, Session* session) {
    Value* value = tensor.value();
    Resource<Value>::retain(value);
    if (!value->weak || beside == DType::unknown) return value;
    const DType wanted = weak_beside(value->type->dtype, beside);
    return wanted == value->type->dtype ? value : trace(op::cast{wanted}, session, &value, 1);
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
inline Tensor Tensor::arange(DType dtype, int64_t start, int64_t stop, int64_t step, const Context& context) {
  return detail::made_of_nothing(op::arange{dtype, start, stop, step}, context);
}
inline Tensor Tensor::linspace(DType dtype, double start, double stop, int64_t count, const Context& context) {
  return detail::made_of_nothing(op::linspace{dtype, start, stop, count}, context);
}
inline Tensor Tensor::eye(DType dtype, int64_t rows, int64_t columns, const Context& context) {
  return detail::made_of_nothing(op::eye{dtype, rows, columns}, context);
}
inline Tensor Tensor::scalar(detail::Number value, DType dtype, const Context& context) {
  Tensor tensor = empty(detail::type_of(dtype, nullptr, 0), context);
  if (tensor && !detail::write_number(value, dtype, tensor.value()->data)) {
    detail::raise({HARP_ERROR_DTYPE, std::string("Tensor::scalar: a number of the dtype ") + name_of(dtype) + " has to be cast"});
    return {};
  }
  return tensor;
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_TENSOR_HPP
