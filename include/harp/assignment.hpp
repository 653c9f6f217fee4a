// Assignments in CUDA sources: the expression's type becomes a kernel, which nvcc compiles. Part of harp.hpp.
//
// In a .cu file `D = A * B + C` on fields of a GPU launches assignment_kernel<double, ...>, in which each thread evaluates the expression
// for some elements. nvcc compiles this kernel into the program, so no compiler is needed at run time. The kernel is used if the fields are
// all of float or all of double, if they have one shape, and if the table below contains all operations. Every other expression (exp, roll,
// sum, shapes that broadcast, several assignments in one fuse) is compiled by harp when it is first assigned, as in other sources
// (evaluate.hpp). Both ways give the same bits: the operations below are correctly rounded, and they are written so that nvcc does not
// contract them, whatever its flags. (Only the flag -ftz=true, which --use_fast_math implies, is not allowed: it flushes subnormal floats
// to zero, and source code cannot detect it.)
//
// Kernels run on CUDA's legacy default stream, in order with the work that the program itself puts on this stream; harp's later work waits
// for them.
#ifndef HARP_ASSIGNMENT_HPP
#define HARP_ASSIGNMENT_HPP

#include <harp/expression.hpp>

#include <algorithm>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

template <class To, class E>
class Assignment;

namespace detail {

enum class Outcome { done, failed, not_here };

/// Makes harp's later work on the device of a context wait for all work that the program has put on CUDA's default stream.
inline void after_default_stream([[maybe_unused]] const Session* session) {
#if HARP_CPP_CUDA
  if (session == nullptr || session->anchor == nullptr) return;
  Out err;
  harp_buffer_wait_stream(session->anchor, nullptr, err);
  err.raised();
#endif
}

/// The overload for assignments that no kernel of this file can compute. It launches nothing and returns Outcome::not_here, so that the
/// caller evaluates the assignment by a program of harp.
template <class A>
Outcome launch_kernel(const A&) {
  return Outcome::not_here;
}

}  // namespace detail

#if HARP_CPP_CUDA

namespace detail {

// --- The operations: what they compute on a GPU

/// The dtypes of an operation in a kernel. `number`: operands and result are numbers. `test`: the operands are numbers, the result is a
/// bool. `logic`: operands and result are bools. `none`: kernels of this file do not have the operation.
enum class Computes { none, number, test, logic };

template <class Op>
struct KernelOperation {
  static constexpr Computes computes = Computes::none;
};

/// The operations of IEEE 754, rounded to nearest. nvcc may contract an operator * and an operator + to one fused multiply-add, which would
/// change results; it never contracts calls of these functions.
namespace rounded {
__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline float sub(float a, float b) { return __fsub_rn(a, b); }
__device__ inline float mul(float a, float b) { return __fmul_rn(a, b); }
__device__ inline float div(float a, float b) { return __fdiv_rn(a, b); }
__device__ inline float sqrt(float a) { return __fsqrt_rn(a); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double sub(double a, double b) { return __dsub_rn(a, b); }
__device__ inline double mul(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double div(double a, double b) { return __ddiv_rn(a, b); }
__device__ inline double sqrt(double a) { return __dsqrt_rn(a); }

__device__ inline float floor(float a) { return ::floorf(a); }
__device__ inline float ceil(float a) { return ::ceilf(a); }
__device__ inline float trunc(float a) { return ::truncf(a); }
__device__ inline float round(float a) { return ::rintf(a); }
__device__ inline double floor(double a) { return ::floor(a); }
__device__ inline double ceil(double a) { return ::ceil(a); }
__device__ inline double trunc(double a) { return ::trunc(a); }
__device__ inline double round(double a) { return ::rint(a); }

// These functions change or test only the sign bit, so that zeros, subnormals and NaNs keep all other bits.
__device__ inline float abs(float a) { return __int_as_float(__float_as_int(a) & 0x7fffffff); }
__device__ inline float neg(float a) { return __int_as_float(__float_as_int(a) ^ static_cast<int>(0x80000000U)); }
__device__ inline bool is_negative(float a) { return __float_as_int(a) < 0; }
__device__ inline double abs(double a) { return __longlong_as_double(__double_as_longlong(a) & 0x7fffffffffffffffLL); }
__device__ inline double neg(double a) { return __longlong_as_double(__double_as_longlong(a) ^ static_cast<long long>(1ULL << 63)); }
__device__ inline bool is_negative(double a) { return __double_as_longlong(a) < 0; }

/// The maximum and the minimum. If an operand is NaN, the result is NaN. +0 counts as greater than -0.
template <class T>
__device__ T maximum(T a, T b) {
  if (a != a) return a;
  return b != b || a < b || (a == b && is_negative(a)) ? b : a;
}
template <class T>
__device__ T minimum(T a, T b) {
  if (a != a) return a;
  return b != b || b < a || (a == b && is_negative(b)) ? b : a;
}
}  // namespace rounded

#define HARP_CPP_KERNEL_1(name, kind, value)             \
  template <>                                            \
  struct KernelOperation<op::name> {                     \
    static constexpr Computes computes = Computes::kind; \
    template <class T>                                   \
    __device__ static auto of(T a) {                     \
      return value;                                      \
    }                                                    \
  };
#define HARP_CPP_KERNEL_2(name, kind, value)             \
  template <>                                            \
  struct KernelOperation<op::name> {                     \
    static constexpr Computes computes = Computes::kind; \
    template <class T>                                   \
    __device__ static auto of(T a, T b) {                \
      return value;                                      \
    }                                                    \
  };
HARP_CPP_KERNEL_1(neg, number, rounded::neg(a))
HARP_CPP_KERNEL_1(abs, number, rounded::abs(a))
HARP_CPP_KERNEL_1(sqrt, number, rounded::sqrt(a))
HARP_CPP_KERNEL_1(recip, number, rounded::div(T(1), a))
HARP_CPP_KERNEL_1(rsqrt, number, rounded::div(T(1), rounded::sqrt(a)))
HARP_CPP_KERNEL_1(square, number, rounded::mul(a, a))
HARP_CPP_KERNEL_1(floor, number, rounded::floor(a))
HARP_CPP_KERNEL_1(ceil, number, rounded::ceil(a))
HARP_CPP_KERNEL_1(trunc, number, rounded::trunc(a))
HARP_CPP_KERNEL_1(round, number, rounded::round(a))
HARP_CPP_KERNEL_1(isnan, test, a != a)
HARP_CPP_KERNEL_1(logical_not, logic, !a)
HARP_CPP_KERNEL_1(bitwise_not, logic, !a)
HARP_CPP_KERNEL_2(add, number, rounded::add(a, b))
HARP_CPP_KERNEL_2(sub, number, rounded::sub(a, b))
HARP_CPP_KERNEL_2(mul, number, rounded::mul(a, b))
HARP_CPP_KERNEL_2(div, number, rounded::div(a, b))
HARP_CPP_KERNEL_2(maximum, number, rounded::maximum(a, b))
HARP_CPP_KERNEL_2(minimum, number, rounded::minimum(a, b))
HARP_CPP_KERNEL_2(lt, test, a < b)
HARP_CPP_KERNEL_2(le, test, a <= b)
HARP_CPP_KERNEL_2(gt, test, a > b)
HARP_CPP_KERNEL_2(ge, test, a >= b)
HARP_CPP_KERNEL_2(eq, test, a == b)
HARP_CPP_KERNEL_2(ne, test, a != b)
HARP_CPP_KERNEL_2(logical_and, logic, a&& b)
HARP_CPP_KERNEL_2(logical_or, logic, a || b)
HARP_CPP_KERNEL_2(logical_xor, logic, a != b)
HARP_CPP_KERNEL_2(bitwise_and, logic, a&& b)
HARP_CPP_KERNEL_2(bitwise_or, logic, a || b)
HARP_CPP_KERNEL_2(bitwise_xor, logic, a != b)
#undef HARP_CPP_KERNEL_1
#undef HARP_CPP_KERNEL_2

// --- Expressions in the form in which a kernel receives them: addresses and numbers instead of references to fields. x[i] is the value of
// x at element i.

template <class T>
struct KernelArray {
  const T* elements;
  __device__ T operator[](int64_t i) const { return elements[i]; }
};
template <class T>
struct KernelNumber {
  T number;
  __device__ T operator[](int64_t) const { return number; }
};
template <class Op, class A>
struct KernelUnary {
  A a;
  __device__ auto operator[](int64_t i) const { return KernelOperation<Op>::of(a[i]); }
};
template <class Op, class A, class B>
struct KernelBinary {
  A a;
  B b;
  __device__ auto operator[](int64_t i) const { return KernelOperation<Op>::of(a[i], b[i]); }
};
template <class C, class A, class B>
struct KernelWhere {
  C condition;
  A a;
  B b;
  __device__ auto operator[](int64_t i) const { return condition[i] ? a[i] : b[i]; }
};

/// The arrays that an expression reads.
struct KernelArrays {
  const Type* type = nullptr;    // the type that all arrays have
  const void* target = nullptr;  // the memory of the result; a kernel may read from it only the element that it writes
  const Type* target_type = nullptr;
  bool fit = true;

  void add(const void* data, const Type* of) {
    if (type == nullptr) type = of;
    if (of == nullptr || of != type) {
      fit = false;
      return;
    }
    const bool same = data == target && of == target_type;
    if (target_type != nullptr && !same && overlap(target, target_type, data, of)) fit = false;
  }
};

/// Converts an expression, whose fields have elements of type T, to the form in which a kernel receives it. `computes` is none if no kernel
/// of this file can compute the expression. `is_number` is true for a C++ number, which has no dtype of its own.
template <class T, class E>
struct KernelExpression {
  static constexpr Computes computes = Computes::none;
  static constexpr bool is_number = false;
};
template <class T>
struct KernelExpression<T, Field<T>> {
  static constexpr Computes computes = Computes::number;
  static constexpr bool is_number = false;
  using type = KernelArray<T>;
  static type of(const Field<T>& field, KernelArrays& arrays) {
    arrays.add(field.data(), field.type());
    return {field.data()};
  }
};
template <class T, class N>
struct KernelExpression<T, Scalar<N>> {
  static constexpr Computes computes = std::is_arithmetic_v<N> ? Computes::number : Computes::none;
  static constexpr bool is_number = true;
  using type = KernelNumber<T>;
  static type of(const Scalar<N>& number, KernelArrays&) { return {static_cast<T>(number.number())}; }
};
template <class T, class Op, class A>
struct KernelExpression<T, UnaryExpr<Op, A>> {
  using First = KernelExpression<T, A>;
  static constexpr Computes does = KernelOperation<Op>::computes, takes = does == Computes::logic ? Computes::test : Computes::number;
  static constexpr bool fits = does != Computes::none && First::computes == takes && !First::is_number;
  static constexpr Computes computes = !fits ? Computes::none : does == Computes::number ? Computes::number : Computes::test;
  static constexpr bool is_number = false;
  template <class E>
  static auto of(const E& e, KernelArrays& arrays) {
    return e.with_operands([&](const auto& a) {
      const auto first = First::of(a, arrays);
      return KernelUnary<Op, std::remove_const_t<decltype(first)>>{first};
    });
  }
};
template <class T, class Op, class A, class B>
struct KernelExpression<T, BinaryExpr<Op, A, B>> {
  using First = KernelExpression<T, A>;
  using Second = KernelExpression<T, B>;
  static constexpr Computes does = KernelOperation<Op>::computes, takes = does == Computes::logic ? Computes::test : Computes::number;
  static constexpr bool fits =
      does != Computes::none && First::computes == takes && Second::computes == takes && !(First::is_number && Second::is_number);
  static constexpr Computes computes = !fits ? Computes::none : does == Computes::number ? Computes::number : Computes::test;
  static constexpr bool is_number = false;
  template <class E>
  static auto of(const E& e, KernelArrays& arrays) {
    return e.with_operands([&](const auto& a, const auto& b) {
      const auto first = First::of(a, arrays);
      const auto second = Second::of(b, arrays);
      return KernelBinary<Op, std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>>{first, second};
    });
  }
};
template <class T, class C, class A, class B>
struct KernelExpression<T, OperationExpr<op::where, C, A, B>> {
  using Condition = KernelExpression<T, C>;
  using First = KernelExpression<T, A>;
  using Second = KernelExpression<T, B>;
  // If both values of `where` are C++ numbers, the result has the dtype f32, which may differ from T. A kernel can therefore compute a
  // `where` only if at least one of the two values is not a C++ number.
  static constexpr bool fits = Condition::computes == Computes::test && First::computes == Computes::number &&
                               Second::computes == Computes::number && !(First::is_number && Second::is_number);
  static constexpr Computes computes = fits ? Computes::number : Computes::none;
  static constexpr bool is_number = false;
  template <class E>
  static auto of(const E& e, KernelArrays& arrays) {
    return e.with_operands([&](const auto& c, const auto& a, const auto& b) {
      const auto condition = Condition::of(c, arrays);
      const auto first = First::of(a, arrays);
      const auto second = Second::of(b, arrays);
      return KernelWhere<std::remove_const_t<decltype(condition)>, std::remove_const_t<decltype(first)>,
                         std::remove_const_t<decltype(second)>>{condition, first, second};
    });
  }
};

}  // namespace detail

/// Computes to[i] = from[i] for all elements. Each thread computes the elements i, i + step, i + 2 * step ..., where i is the thread's
/// index and step the number of threads of the launch (a grid-stride loop).
template <class T, class Expression>
__global__ void __launch_bounds__(256) assignment_kernel(T* to, Expression from, int64_t elements) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) to[i] = from[i];
}

namespace detail {

/// Makes a GPU current for CUDA's runtime library, for the duration of a scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    status_ = cudaGetDevice(&before_);
    if (status_ == cudaSuccess && before_ != device_) status_ = cudaSetDevice(device_);
  }
  ~CurrentDevice() {
    if (status_ == cudaSuccess && before_ != device_) static_cast<void>(cudaSetDevice(before_));
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  cudaError_t status() const { return status_; }

 private:
  int device_, before_ = 0;
  cudaError_t status_ = cudaSuccess;
};

/// Launches assignment_kernel on the default stream, and orders harp's later work after this launch. Returns false after an error.
template <class T, class Expression>
bool launch_assignment(const Session* session, T* to, const Expression& from, int64_t elements) {
  constexpr int kThreads = 256, kBlocks = 32;  // threads of a block; maximum number of blocks for each multiprocessor
  const int device = session->device_number - 1;
  const CurrentDevice current(device);
  int processors = 1;
  cudaError_t status = current.status();
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) {
    const int64_t wanted = (elements + kThreads - 1) / kThreads, most = static_cast<int64_t>(kBlocks) * processors;
    T* to_argument = to;
    Expression from_argument = from;
    int64_t elements_argument = elements;
    void* arguments[] = {&to_argument, &from_argument, &elements_argument};
    dim3 grid, block;
    grid.x = static_cast<unsigned>(std::min(wanted, most));
    block.x = kThreads;
    status = cudaLaunchKernel(&assignment_kernel<T, Expression>, grid, block, arguments, 0, cudaStreamLegacy);
  }
  if (status != cudaSuccess) {
    raise({HARP_ERROR_DEVICE,
           std::string("an assignment on ") + session->device + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status)});
    return false;
  }
  after_default_stream(session);
  return true;
}

/// Launches a kernel that assigns the expression, if a kernel of this file can compute it and all fields have one shape and are on one
/// device. Otherwise returns Outcome::not_here and launches nothing; the caller then evaluates the expression by a program of harp.
template <class T, class E>
Outcome launch_kernel(Assignment<Field<T>, E>& assignment) {
  using Convert = KernelExpression<T, E>;
  constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double>;
  // CUDA limits the parameters of a kernel to 4 KiB in total. They contain up to 8 bytes for each field or number of the expression, so an
  // expression with this many fields and numbers fits.
  constexpr size_t kMostLeaves = 256;
  if constexpr (is_float && E::leaves <= kMostLeaves && Convert::computes == Computes::number) {
    Field<T>& to = assignment.to();
    Session* session = assignment.session();
    KernelArrays arrays;
    arrays.target = to.data();
    arrays.target_type = to.type();
    const auto from = Convert::of(assignment.expression(), arrays);
    if (!arrays.fit || arrays.type == nullptr || arrays.type->device != session->device_number) return Outcome::not_here;
    // If the assignment changes the shape of the field `to`, allocate() replaces the field's memory. The expression does not read the old
    // memory then: for an operand that overlaps it and has another type than `to`, arrays.fit is false, and the function has returned
    // above.
    to.set_context(session);
    if (!to.allocate(arrays.type)) return Outcome::failed;
    ++launched.runs;
    ++launched.kernels;
    launched.bytes += (E::fields + 1) * arrays.type->bytes;
    if (arrays.type->elements == 0) return Outcome::done;
    return launch_assignment(session, to.data(), from, arrays.type->elements) ? Outcome::done : Outcome::failed;
  } else {
    return Outcome::not_here;
  }
}

}  // namespace detail

#endif  // HARP_CPP_CUDA

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_ASSIGNMENT_HPP
