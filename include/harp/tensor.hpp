// Tensor: an array that is computed when its elements are read. Part of harp.hpp.
//
//     harp::Tensor x({1.0F, 2.0F, 3.0F}), y = tanh(x * 2 + 1);       // nothing is computed
//     harp::Span<const float> values = y.data<float>();              // computed now, by one program that is compiled once
//
// Copies of a Tensor share the array. The call of an operation checks its operands, although it computes nothing: shapes and dtypes are
// already known. Operands of different shapes broadcast as in NumPy, dtypes promote as HARP_GRAPH_PROMOTE_MIXED defines, and a number takes
// the dtype of the other operand (a floating-point number next to integers is an f32).
//
// The compiled program depends on the operations, their attributes and the types of the inputs, never on elements. A number next to an
// array is an input like any other, except for -1, 0, 1, 2, 3 and 0.5, which are constants that the compiler sees.
//
// Threads. Several threads may use a realised Tensor (is_realized) at once. A pending Tensor, and everything computed from it, belongs to
// one thread at a time.
#ifndef HARP_TENSOR_HPP
#define HARP_TENSOR_HPP

#include <harp/operators.hpp>
#include <harp/realize.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

namespace detail {

template <class T>
bool rows_are_equal(std::initializer_list<std::initializer_list<T>> rows, size_t columns) {
  for (const std::initializer_list<T>& row : rows)
    if (row.size() != columns) {
      raise({HARP_ERROR_SHAPE, "Tensor: expected rows of equal length, got rows of " + std::to_string(columns) + " and of " +
                                   std::to_string(row.size()) + " elements"});
      return false;
    }
  return true;
}

/// Returns whether an element of this dtype differs from zero; -0.0 is zero.
inline bool is_not_zero(DType dtype, const void* element) {
  const Category category = category_of(dtype);
  const size_t parts = category == Category::complex ? 2 : 1, size = size_of(dtype) / parts;
  for (size_t i = 0; i < parts; ++i) {
    uint64_t bits = 0;  // the bytes are copied to the low bits, because every CPU that harp supports is little-endian
    std::memcpy(&bits, static_cast<const unsigned char*>(element) + i * size, size);
    const bool has_sign = category == Category::real || category == Category::complex;
    if ((has_sign ? bits << (65 - 8 * size) : bits) != 0) return true;
  }
  return false;
}

}  // namespace detail

class Tensor : public Methods<Tensor> {
 public:
  Tensor() = default;
  /// An array of one axis, or of these sizes. The elements are copied.
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  Tensor(std::initializer_list<T> values, const Context& context = default_context())
      : Tensor(Span<const T>(values.begin(), values.size()), static_cast<int64_t>(values.size()), context) {}
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  Tensor(std::initializer_list<T> values, const Sizes& dims, const Context& context = default_context())
      : Tensor(Span<const T>(values.begin(), values.size()), dims, context) {}
  /// A matrix, given by its rows: {{1, 2}, {3, 4}}.
  template <class T, class = std::enable_if_t<dtype_of<T> != DType::unknown>>
  Tensor(std::initializer_list<std::initializer_list<T>> rows, const Context& context = default_context()) {
    const size_t columns = rows.size() != 0 ? rows.begin()->size() : 0;
    const detail::Type* type = detail::checked_type("Tensor", dtype_of<T>, {rows.size(), columns});
    if (type == nullptr || !detail::rows_are_equal(rows, columns)) return;
    *this = empty(type, context);
    if (!defined()) return;
    auto* element = static_cast<T*>(value()->data);
    for (const std::initializer_list<T>& row : rows) element = std::copy(row.begin(), row.end(), element);
  }
  explicit Tensor(const std::vector<bool>& values, const Context& context = default_context()) {
    *this = empty(detail::checked_type("Tensor", DType::boolean, values.size()), context);
    if (defined()) std::copy(values.begin(), values.end(), static_cast<bool*>(value()->data));
  }
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
    if (defined() && type->bytes != 0) std::memcpy(value()->data, values.data(), type->bytes);
  }
  /// Shares the array of a buffer without a copy. The buffer must not be written to afterwards.
  explicit Tensor(const Buffer& buffer, const Context& context = default_context()) {
    if (!buffer) return;
    const detail::Type* type = detail::type_of(buffer.dtype(), buffer.dims().data(), buffer.rank());
    detail::Resource<harp_buffer>::retain(buffer.get());
    value_ = detail::Handle<detail::Value>(
        detail::new_leaf(context.session(), type, buffer.get(), const_cast<void*>(harp_buffer_const_data(buffer.get()))));
  }
  /// An array in the host's memory, which must stay valid and unchanged while any tensor refers to it.
  template <class T>
  static Tensor view(const T* data, const Sizes& dims, const Context& context = default_context()) {
    const detail::Type* type = detail::checked_type("Tensor::view", dtype_of<T>, dims);
    return type == nullptr ? Tensor() : Tensor(Buffer::wrap(context, data, dims), context);
  }

  static Tensor full(DType dtype, const Sizes& dims, detail::Number value, const Context& context = default_context());
  static Tensor zeros(DType dtype, const Sizes& dims, const Context& context = default_context()) { return full(dtype, dims, 0, context); }
  static Tensor ones(DType dtype, const Sizes& dims, const Context& context = default_context()) { return full(dtype, dims, 1, context); }
  static Tensor arange(DType dtype, const Dim& start, const Dim& stop, int64_t step = 1, const Context& context = default_context());
  static Tensor arange(const Dim& stop, const Context& context = default_context()) { return arange(DType::i64, 0, stop, 1, context); }
  static Tensor linspace(DType dtype, double start, double stop, const Dim& count, const Context& context = default_context());
  static Tensor eye(DType dtype, const Dim& rows, const Dim& columns, const Context& context = default_context());
  /// A tensor of rank 0 and dtype i64 whose element is the value of a size, which may be symbolic.
  static Tensor size_of(const Dim& dim, const Context& context = default_context());
  /// A custom function (functions.hpp) without inputs: it computes each element from the element's indices.
  static Tensor custom_function(const Text& body, DType dtype, const Sizes& dims, const Context& context = default_context());
  /// A tensor of rank 0 with this dtype; programs read its value as an input. (In `x * 2`, by contrast, the number takes the dtype of x and
  /// may become a constant of the program.)
  static Tensor scalar(detail::Number value, DType dtype, const Context& context = default_context());

  /// False if the tensor is empty: it was default-constructed or moved from, or its operation failed in a build without exceptions.
  bool defined() const { return static_cast<bool>(value_); }
  /// Returns whether the only element differs from zero, and computes it if necessary, as `if (loss < 0.1)` does. An empty tensor gives
  /// false.
  explicit operator bool() const {
    if (!value_) return false;
    if (size() != 1) {
      detail::raise({HARP_ERROR_SHAPE, "a condition is a tensor of the shape " + shape_text(value()->type->dims, rank()) +
                                           ": expected one element (any() and all() reduce many to one)"});
      return false;
    }
    return compute() && detail::is_not_zero(dtype(), value()->data);
  }
  DType dtype() const { return value_ ? value()->type->dtype : DType::unknown; }
  int32_t rank() const { return value_ ? value()->type->rank : 0; }
  /// The sizes. They stay valid until the program ends.
  Span<const int64_t> shape() const {
    return value_ ? Span<const int64_t>(value()->type->dims, static_cast<size_t>(rank())) : Span<const int64_t>();
  }
  /// The size of an axis; a negative axis counts from the end. Inside a function that jit traces, the size may be symbolic.
  Dim dim(int32_t axis) const {
    const int32_t index = axis < 0 ? axis + rank() : axis;
    if (index >= 0 && index < rank()) return dim_at(index);
    detail::raise({HARP_ERROR_SHAPE, "axis " + std::to_string(axis) + " of an array of the shape " + shape_text(shape().data(), rank())});
    return 0;
  }
  std::vector<Dim> dims() const {
    std::vector<Dim> dims;
    for (int32_t i = 0; i < rank(); ++i) dims.push_back(dim_at(i));
    return dims;
  }
  /// The number of elements.
  int64_t size() const {
    if (!value_) return 0;
    if (value()->type->symbolic)
      detail::raise({HARP_ERROR_INVALID_ARGUMENT, "the number of elements of an array of the shape " + shape_text(shape().data(), rank()) +
                                                      " is not known while a function is traced"});
    return value()->type->elements;
  }

  bool is_realized() const { return value_ && value()->is_there(); }
  /// Computes the tensor if it is pending, and makes it a constant: it forgets what it was computed from, so gradients stop at it. Reading
  /// elements does not require this call.
  const Tensor& realize() const { return realize_with_config({}); }
  const Tensor& realize_with_config(const Configuration& configuration) const {
    detail::Value* one = value();
    if (one != nullptr) detail::realize(&one, 1, configuration, detail::Reason::realize);
    return *this;
  }

  /// The elements, computed if necessary. The span is valid while a copy of the tensor exists; for a temporary, use to_vector(). Empty
  /// after an error. Reading elements of a pending tensor, by any function, computes the tensor. grad fails if a path from y to one of
  /// the xs leads through a tensor that was computed in this way, so call grad first.
  template <class T>
  Span<const T> data() const {
    if (!has_dtype(dtype_of<T>) || !compute()) return {};
    return {static_cast<const T*>(value()->data), static_cast<size_t>(size())};
  }
  /// A copy of the elements, computed if necessary. If gradients are needed, call grad first, as for data().
  template <class T>
  std::vector<T> to_vector() const {
    const Span<const T> elements = data<T>();
    // Not {begin, end}: for T = bool, the braces would make a vector of two elements out of the two pointers.
    return std::vector<T>(elements.begin(), elements.end());
  }
  /// The element of a tensor that has exactly one.
  template <class T>
  T item() const {
    if (size() != 1) {
      detail::raise({HARP_ERROR_SHAPE, "item: the tensor has " + std::to_string(size()) + " elements, expected one"});
      return {};
    }
    const Span<const T> elements = data<T>();
    return elements.empty() ? T{} : elements[0];
  }
  /// The array as a read-only buffer, without a copy, for files, DLPack and explicit programs.
  Buffer buffer() const {
    if (!compute()) return {};
    detail::Value* one = value();
    if (one->buffer == nullptr) {  // a single number, which is stored in the Value itself
      const Tensor copy = empty(one->type, Context(retained_session()));
      if (!copy.defined()) return {};
      std::memcpy(copy.value()->data, one->data, one->type->bytes);
      return copy.buffer();
    }
    detail::Resource<harp_buffer>::retain(one->buffer);
    return Buffer(one->buffer);
  }
#if defined(__cpp_lib_mdspan)
  /// Copies the elements of an mdspan of any layout.
  template <class T, class Extents, class Layout, class Accessor>
  explicit Tensor(const std::mdspan<T, Extents, Layout, Accessor>& elements, const Context& context = default_context()) {
    constexpr size_t rank = Extents::rank();
    const detail::Type* type = detail::checked_type("Tensor", dtype_of<T>, detail::sizes_of(elements));
    *this = empty(type, context);
    if (!defined()) return;
    auto* to = static_cast<std::remove_cv_t<T>*>(value()->data);
    std::array<typename Extents::index_type, rank> index{};
    for (int64_t i = 0; i < type->elements; ++i) {
      to[i] = elements[index];
      for (size_t axis = rank; axis-- > 0 && ++index[axis] == elements.extent(axis);) index[axis] = 0;
    }
  }
  /// The elements as an mdspan of this rank; another rank is HARP_ERROR_SHAPE.
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

  /// The following members are for other headers of harp.hpp, not for programs.
  explicit Tensor(detail::Value* owned) : value_(owned) {}
  detail::Value* value() const { return value_.get(); }
  detail::Value* release() { return value_.release(); }
  static Tensor empty(const detail::Type* type, const Context& context) {
    if (type == nullptr) return {};  // after an error
    detail::Out err;
    harp_buffer* buffer = harp_buffer_new(context.get(), nullptr, raw(type->dtype), type->rank, type->dims, err);
    if (err.raised()) return {};
    return Tensor(detail::new_leaf(context.session(), type, buffer, harp_buffer_data(buffer)));
  }

 private:
  Dim dim_at(int32_t axis) const {
    const int64_t size = value()->type->dims[axis];
    return {detail::is_symbolic(size) ? value()->session->symbols : nullptr, size};
  }
  /// Computes the tensor because its elements are read. False after an error.
  bool compute() const {
    detail::Value* one = value();
    return one != nullptr && (one->is_there() || detail::realize(&one, 1, {}, detail::Reason::look));
  }
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

/// Computes several tensors in one run of one program, and makes them constants, as Tensor::realize() does.
inline void realize(Span<const Tensor> tensors, const Configuration& configuration = {}) {
  std::vector<detail::Value*> values;
  for (const Tensor& tensor : tensors)
    if (tensor.defined()) values.push_back(tensor.value());
  detail::realize(values.data(), values.size(), configuration, detail::Reason::realize);
}
inline void realize(std::initializer_list<Tensor> tensors, const Configuration& configuration = {}) {
  realize(Span<const Tensor>(tensors.begin(), tensors.size()), configuration);
}

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#include <harp/tensor_operations.hpp>  // IWYU pragma: export

#endif  // HARP_TENSOR_HPP
