// Defines the plain values of the C++ interface: dtypes, spans, sizes, lists of axes, numbers. Part of harp.hpp.
#ifndef HARP_VALUES_HPP
#define HARP_VALUES_HPP

#include <harp.h>
#include <harp/error.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#if __has_include(<mdspan>)
#include <mdspan>
#endif
#endif

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// Type of array elements; the numbers are those of harp.h.
enum class DType : harp_dtype {
  unknown = HARP_UNKNOWN,
  boolean = HARP_BOOL,
  i8 = HARP_I8,
  u8 = HARP_U8,
  i16 = HARP_I16,
  u16 = HARP_U16,
  i32 = HARP_I32,
  u32 = HARP_U32,
  i64 = HARP_I64,
  u64 = HARP_U64,
  f16 = HARP_F16,
  bf16 = HARP_BF16,
  f32 = HARP_F32,
  f64 = HARP_F64,
  complex64 = HARP_COMPLEX64,
  complex128 = HARP_COMPLEX128,
};

inline constexpr DType boolean = DType::boolean, i8 = DType::i8, u8 = DType::u8, i16 = DType::i16, u16 = DType::u16, i32 = DType::i32,
                       u32 = DType::u32, i64 = DType::i64, u64 = DType::u64, f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32,
                       f64 = DType::f64, complex64 = DType::complex64, complex128 = DType::complex128;

/// raw returns the number of a dtype in harp.h, size_of the size of an element in bytes, and name_of the dtype's name in the text format
/// ("f32").
constexpr harp_dtype raw(DType dtype) { return static_cast<harp_dtype>(dtype); }
inline size_t size_of(DType dtype) { return harp_dtype_size(raw(dtype)); }
inline const char* name_of(DType dtype) {
  const char* name = harp_dtype_name(raw(dtype));
  return name != nullptr ? name : "unknown";
}

/// Elements of f16 (Half) and bf16 (BHalf), stored as their 16 bits, because C++17 has no types for such numbers. Arithmetic on them exists
/// only in harp's operations.
struct Half {
  uint16_t bits = 0;
};
struct BHalf {
  uint16_t bits = 0;
};

namespace detail {

template <class T>
constexpr DType dtype_of_cpp() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, Half>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, BHalf>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::complex128;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1 ? DType::i8 : sizeof(T) == 2 ? DType::i16 : sizeof(T) == 4 ? DType::i32 : DType::i64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1 ? DType::u8 : sizeof(T) == 2 ? DType::u16 : sizeof(T) == 4 ? DType::u32 : DType::u64;
  else
    return DType::unknown;
}

template <class T>
inline constexpr bool is_number =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

}  // namespace detail

/// The dtype whose elements have the C++ type T; f16 and bf16 are Half and BHalf.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of_cpp<std::remove_cv_t<T>>();

/// A contiguous sequence of elements: std::span for C++17. Converts from types that have data() and size(), and in C++20 to std::span.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}  // NOLINT(google-explicit-constructor)
  template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C&>().data()), T*> &&
                                              std::is_convertible_v<decltype(std::declval<C&>().size()), size_t>>>
  constexpr Span(C&& container) : data_(container.data()), size_(container.size()) {}  // NOLINT(google-explicit-constructor)

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

namespace detail {
/// Tests whether a size is the handle of a symbolic size. Handles are negative numbers far below -1, and no plain size is negative.
constexpr bool is_symbolic(int64_t size) { return size < -(int64_t{1} << 62) && size > HARP_SLICE_NONE; }
}  // namespace detail

/// A size in a graph: a number, or a symbolic size made by Graph::dim or harp::dim and arithmetic (see node.hpp).
class Dim {
 public:
  template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
  constexpr Dim(I size) : value_(static_cast<harp_dim>(size)) {}  // NOLINT(google-explicit-constructor)
  constexpr Dim(harp_graph* graph, harp_dim value) : value_(value), graph_(graph) {}

  constexpr harp_dim get() const { return value_; }
  /// The graph of a symbolic size; NULL for a plain number.
  constexpr harp_graph* graph() const { return graph_; }
  constexpr bool is_symbolic() const { return graph_ != nullptr; }
  /// The number. For a symbolic size raises an error and returns 0.
  operator int64_t() const {  // NOLINT(google-explicit-constructor)
    if (!is_symbolic()) return value_;
    detail::raise({HARP_ERROR_INVALID_ARGUMENT, "a symbolic size has no value before a program runs"});
    return 0;
  }

 private:
  harp_dim value_;
  harp_graph* graph_ = nullptr;
};

/// Stands for a bound of a slice that is not given.
inline constexpr harp_dim open_end = HARP_SLICE_NONE;
/// Passed instead of an axis: the operation works on the flattened array.
inline constexpr int32_t flattened = HARP_AXIS_NONE;

namespace detail {

/// A list of numbers as the C interface accepts it: a count and an address, which is NULL if the list is not given. It never allocates.
template <class T, class From>
class List {
 public:
  static constexpr int32_t kCapacity = 2 * HARP_MAX_RANK;  // a padding has two numbers for each axis

  List() = default;
  List(const List& other) : count_(other.count_), graph_(other.graph_) {
    std::memcpy(values_, other.values_, static_cast<size_t>(count()) * sizeof(T));
  }
  List& operator=(const List& other) {  // NOLINT(bugprone-unhandled-self-assignment): memmove may copy to itself
    count_ = other.count_;
    graph_ = other.graph_;
    std::memmove(values_, other.values_, static_cast<size_t>(count()) * sizeof(T));
    return *this;
  }
  List(std::initializer_list<From> values) { assign(values.begin(), values.size()); }
  template <class I, class = std::enable_if_t<std::is_convertible_v<I, From> && !std::is_same_v<std::decay_t<I>, List>>, class = void>
  List(I value) {  // NOLINT(google-explicit-constructor): one number is a list, too
    const From one = static_cast<From>(value);
    assign(&one, 1);
  }
  template <class C, class V = std::remove_reference_t<decltype(*std::declval<const C&>().data())>,
            class = std::enable_if_t<std::is_convertible_v<V, From>>>
  List(const C& container) {  // NOLINT(google-explicit-constructor): vectors, arrays and spans
    assign(container.data(), container.size());
  }

  bool given() const { return count_ >= 0; }
  /// The graph of the symbolic sizes in the list; NULL if there are none.
  harp_graph* graph() const { return graph_; }
  int32_t count() const { return count_ < 0 ? 0 : count_; }
  const T* data() const { return count_ < 0 ? nullptr : values_; }
  T operator[](int32_t i) const { return values_[i]; }

 private:
  template <class V>
  void assign(const V* values, size_t count) {
    if (count > static_cast<size_t>(kCapacity)) {
      raise(
          {HARP_ERROR_INVALID_ARGUMENT, "a list of " + std::to_string(count) + " numbers: expected at most " + std::to_string(kCapacity)});
      count = 0;
    }
    count_ = static_cast<int32_t>(count);
    for (size_t i = 0; i < count; ++i) values_[i] = number_of(From(values[i]));
  }
  T number_of(const Dim& dim) {
    if (graph_ == nullptr) graph_ = dim.graph();
    return static_cast<T>(dim.get());
  }
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  static T number_of(N number) {
    return static_cast<T>(number);
  }

  int32_t count_ = -1;
  harp_graph* graph_ = nullptr;
  T values_[kCapacity];
};

}  // namespace detail

/// Axes: {0, -1}, one number, or nothing, which stands for all axes (or for the operation's default).
using Axes = detail::List<int32_t, int32_t>;
/// Sizes, plain or symbolic: {n, 64}.
using Sizes = detail::List<harp_dim, Dim>;
/// Steps, strides or dilations.
using Steps = detail::List<int64_t, int64_t>;
/// Scale factors.
using Scales = detail::List<double, double>;

#if defined(__cpp_lib_mdspan)
namespace detail {
template <class T, class Extents, class Layout, class Accessor>
std::array<int64_t, Extents::rank()> sizes_of(const std::mdspan<T, Extents, Layout, Accessor>& elements) {
  std::array<int64_t, Extents::rank()> sizes{};
  for (size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] = static_cast<int64_t>(elements.extent(axis));
  return sizes;
}
}  // namespace detail
#endif

/// Returns the sizes as text, such as "[2, 3]"; a symbolic size is "?".
inline std::string shape_text(const int64_t* dims, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) text += (i != 0 ? ", " : "") + (detail::is_symbolic(dims[i]) ? "?" : std::to_string(dims[i]));
  return text + "]";
}

namespace detail {

enum class Category { boolean, integer, real, complex };

inline Category category_of(DType dtype) {
  if (dtype == DType::boolean) return Category::boolean;
  if (raw(dtype) < HARP_F16) return Category::integer;
  return raw(dtype) < HARP_COMPLEX64 ? Category::real : Category::complex;
}

/// A C++ number that is combined with arrays and takes their dtype.
struct Number {
  Category category = Category::integer;
  bool is_unsigned = false;  // for integers: true if u holds the value, false if i holds it
  union {
    int64_t i;
    uint64_t u;
    double re;
  };
  double im = 0;

  template <class T, class = std::enable_if_t<is_number<T>>>
  Number(T value) : i(0) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      category = Category::boolean;
      i = value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T>) {
      is_unsigned = !std::is_signed_v<T>;
      if constexpr (std::is_signed_v<T>)
        i = value;
      else
        u = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      category = Category::real;
      re = static_cast<double>(value);
    } else {
      category = Category::complex;
      re = static_cast<double>(value.real());
      im = static_cast<double>(value.imag());
    }
  }

  double real() const {
    if (category == Category::real || category == Category::complex) return re;
    return is_unsigned ? static_cast<double>(u) : static_cast<double>(i);
  }

  /// Returns 64 bits that differ for different numbers of one category (bool, integer, real). For a complex number these are the bits of
  /// the real part only.
  uint64_t bits() const {
    uint64_t bits = 0;
    if (category != Category::real && category != Category::complex)
      bits = u;
    else
      std::memcpy(&bits, &re, sizeof bits);
    return bits;
  }

  /// The dtype that the number takes in an operation with arrays of dtype `beside`: `beside` itself, unless the number has a higher
  /// category in the order bool, integer, real, complex (2.5 with integers is f32). `beside` is unknown if the operation has no arrays.
  DType dtype_beside(DType beside) const {
    if (beside == DType::unknown)
      return category == Category::boolean   ? DType::boolean
             : category == Category::integer ? DType::i64
             : category == Category::real    ? DType::f32
                                             : DType::complex64;
    const Category other = category_of(beside);
    if (category <= other) return beside;
    if (category == Category::integer) return DType::i64;
    if (category == Category::real) return DType::f32;
    return beside == DType::f64 ? DType::complex128 : DType::complex64;
  }
};

inline bool has_sign(DType integer) {
  return integer == DType::i8 || integer == DType::i16 || integer == DType::i32 || integer == DType::i64;
}
/// The number of bits that hold the magnitude of an integer.
inline unsigned magnitude_bits(DType integer) { return static_cast<unsigned>(size_of(integer)) * 8 - (has_sign(integer) ? 1 : 0); }

/// True if the dtype can represent the number; always true for a C++ bool, and for dtypes that are not integers.
inline bool holds(DType dtype, const Number& number) {
  if (category_of(dtype) != Category::integer || number.category == Category::boolean) return true;
  const unsigned bits = magnitude_bits(dtype);
  if (!number.is_unsigned && number.i < 0) return has_sign(dtype) && number.i >= INT64_MIN >> (63 - bits);
  return number.u <= UINT64_MAX >> (64 - bits);
}

/// Checks that the dtype can represent the integer. If not, raises an error and returns false.
inline bool check_holds(DType dtype, const Number& number) {
  if (holds(dtype, number)) return true;
  const std::string text = number.is_unsigned ? std::to_string(number.u) : std::to_string(number.i);
  raise({HARP_ERROR_RANGE, "the number " + text + " does not fit " + name_of(dtype)});
  return false;
}

/// An integer that is an input of a program: its index among the inputs, the dtype of its C++ type, and the integer dtype that it takes in
/// an operation with arrays.
struct CheckedNumber {
  size_t input;
  DType own, taken;

  /// True if `taken` cannot represent every number of the C++ type: the number must then be checked in each run.
  bool may_exceed() const {
    if (category_of(own) != Category::integer || category_of(taken) != Category::integer) return false;
    return (has_sign(own) && !has_sign(taken)) || magnitude_bits(own) > magnitude_bits(taken);
  }
  /// Returns whether `taken` can represent the number at this address. If not, raises an error.
  bool check(const void* number) const {
    switch (own) {
      case DType::i8: return check_holds(taken, *static_cast<const int8_t*>(number));
      case DType::u8: return check_holds(taken, *static_cast<const uint8_t*>(number));
      case DType::i16: return check_holds(taken, *static_cast<const int16_t*>(number));
      case DType::u16: return check_holds(taken, *static_cast<const uint16_t*>(number));
      case DType::i32: return check_holds(taken, *static_cast<const int32_t*>(number));
      case DType::u32: return check_holds(taken, *static_cast<const uint32_t*>(number));
      case DType::i64: return check_holds(taken, *static_cast<const int64_t*>(number));
      default: return check_holds(taken, *static_cast<const uint64_t*>(number));
    }
  }
};

/// Returns the higher of the dtypes of two arrays of one operation: C++ numbers in the operation take this dtype.
inline DType higher(DType a, DType b) {
  if (a == DType::unknown) return b;
  if (b == DType::unknown) return a;
  if (category_of(a) != category_of(b)) return category_of(a) < category_of(b) ? b : a;
  return raw(a) < raw(b) ? b : a;
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#if defined(__cpp_lib_span) && defined(__cpp_lib_ranges)
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<harp::Span<T>> = true;
#endif

#endif  // HARP_VALUES_HPP
