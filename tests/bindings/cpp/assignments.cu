// Tests assignments to fields (harp.hpp's typed arrays) on a GPU, in a CUDA source that includes harp.hpp. For expressions of simple
// operations the compiler of this file makes the kernel (items E2 of tests/rows.txt). harp compiles the other expressions when they are
// first assigned (items E3). Every result must be bit-identical to the one computed on the CPU.
//
// nvcc compiles this file to a program for a GPU (harp_cu_tests). clang++ or g++ compiles it for the emulator of tests/cuda, which
// cuda_assignments_test.py runs.
//
//     harp_cu_tests [kernels]     With the argument `kernels`, the program makes only those tests that need no compiler at run time.
#include <harp.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace {

int failures = 0;

void check(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::printf("FAIL %s\n", what);
}

const harp::Context& gpu() {
  static const harp::Context& context = *new harp::Context(harp::default_context().on("cuda:0"));
  return context;
}

template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

/// Tests whether two fields have the same shape and bit-identical elements. All NaNs count as equal.
template <class T>
bool same(const harp::Field<T>& on_gpu, const harp::Field<T>& on_host) {
  if (on_gpu.on_host() || !on_host.on_host() || on_gpu.rank() != on_host.rank()) return false;
  for (int32_t axis = 0; axis < on_host.rank(); ++axis)
    if (on_gpu.shape()[static_cast<size_t>(axis)] != on_host.shape()[static_cast<size_t>(axis)]) return false;
  const harp::Field<T> result = on_gpu.to(harp::default_context());
  for (size_t i = 0; i < result.size(); ++i)
    if (!same(result[i], on_host[i])) {
      std::printf("element %zu is %.17g, expected %.17g\n", i, static_cast<double>(result[i]), static_cast<double>(on_host[i]));
      return false;
    }
  return true;
}

/// Returns a field that begins with special numbers (zeros, infinities, NaN and others), followed by random numbers of all magnitudes. If
/// two fields have different values of `step`, every pair of special numbers occurs at some index.
template <class T>
harp::Field<T> numbers(int64_t rows, int64_t columns, size_t step) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(-2.5),
                       T(3.5),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::min(),
                       Limits::max(),
                       Limits::lowest()};
  constexpr size_t kSpecial = sizeof special / sizeof special[0];
  harp::Field<T> field({rows, columns});
  uint32_t random = static_cast<uint32_t>(step);
  for (size_t i = 0; i < field.size(); ++i) {
    random = random * 1664525U + 1013904223U;
    const double number = static_cast<double>(random >> 8) / (1 << 23) - 1;
    field[i] =
        i < kSpecial * kSpecial ? special[i / step % kSpecial] : static_cast<T>(std::ldexp(number, static_cast<int>(random % 61) - 30));
  }
  return field;
}

template <class T>
struct Fields {
  harp::Field<T> a, b, c;
  Fields on(const harp::Context& context) const { return {a.to(context), b.to(context), c.to(context)}; }
};

template <class T>
struct Cases {
  Fields<T> host{numbers<T>(37, 29, 1), numbers<T>(37, 29, 14), numbers<T>(37, 29, 3)}, device = host.on(gpu());

  /// Assigns f(a, b, c) on the GPU and on the CPU and compares the results. Checks that the assignment makes one launch on the GPU. If
  /// `by_kernel` is true, a kernel that was compiled from this file must be launched, otherwise a program that harp compiles.
  template <class F>
  void assign(const char* what, const F& f, bool by_kernel = true) {
    using E = decltype(f(device.a, device.b, device.c));
    check((harp::detail::KernelExpression<T, E>::computes == harp::detail::Computes::number) == by_kernel, what);
    harp::Field<T> on_host, on_gpu;
    on_host = f(host.a, host.b, host.c);
    const harp::Launches before = harp::launches();
    on_gpu = f(device.a, device.b, device.c);
    check(harp::launches().runs == before.runs + 1 && (!by_kernel || harp::launches().kernels == before.kernels + 1), what);
    check(same(on_gpu, on_host), what);
  }

#define ASSIGN(...) \
  assign(#__VA_ARGS__, [](const auto& a, const auto& b, const auto& c) { return ((void)a, (void)b, (void)c, __VA_ARGS__); })

  void kernels() {
    ASSIGN(a * b + c);
    ASSIGN(a - b / c);
    ASSIGN(-a);
    ASSIGN(abs(a) + 0.1 * b);
    ASSIGN(2 * a - 1.0F / b);
    ASSIGN(sqrt(abs(a)) * rsqrt(b * b) + recip(c));
    ASSIGN(square(a) - square(b));
    ASSIGN(floor(a) + ceil(b));
    ASSIGN(trunc(a) * round(b));
    ASSIGN(maximum(a, b));
    ASSIGN(minimum(a, b));
    ASSIGN(maximum(minimum(a, 1.5), -0.0));
    ASSIGN(where(a < b, a, b));
    ASSIGN(where((a <= b) & (b > c), a, 0));
    ASSIGN(where((a >= b) | ~(b == c), 1, c));
    ASSIGN(where((a != b) ^ isnan(c), a + b, a * b));
    in_place();
    other_shapes();
    own_kernel();
  }

  void in_place() {
    harp::Field<T> x = host.a, y = device.a;
    x = x * host.b, y = y * device.b;
    x += x, y += y;
    x *= host.c, y *= device.c;
    check(same(y, x), "an assignment in place");
    const T* const memory = y.data();
    y = y + 1;
    check(y.data() == memory, "the memory stays");
    std::vector<T> elements(y.size());
    y.read(elements);
    x = x + 1;
    check(same(elements[40], x[40]), "read");
    elements[40] = T(7);
    y.write(elements);
    check(y.to(harp::default_context())[40] == T(7), "write");
    y = T(3);
    x = T(3);
    check(same(y, x), "one number for all elements");
    const harp::Field<T> copy = y;
    y = y + 1;
    x = x + 1;
    check(same(y, x) && copy.to(harp::default_context())[0] == T(3), "a copy is a copy");
  }

  void other_shapes() {
    harp::Field<T> big({100, 100}, T(2), gpu()), none({0, 5}, T(1), gpu()), to({3}, T(0), gpu());
    to = big * 3;
    check(to.size() == 10000 && to.to(harp::default_context())[9999] == T(6), "a field takes another shape");
    to = none + none;
    check(to.size() == 0 && to.rank() == 2, "no elements");
    harp::Field<T> view = harp::Field<T>::view(device.a.data(), {29, 37}, gpu()), into = harp::Field<T>::view(big.data(), {29, 37}, gpu());
    into = view - 1;
    harp::Field<T> expected;
    expected = harp::Field<T>::view(host.a.data(), {29, 37}) - 1;
    check(same(into, expected), "views");
    check(big.to(harp::default_context())[29 * 37] == T(2), "nothing beyond a view");
  }

  /// Checks the order of execution on the default stream: a kernel of this program must run after harp's earlier kernels and before harp's
  /// later ones.
  void own_kernel();

  void programs() {
    assign(
        "exp(-a) + roll(b, 1, 0)", [](const auto& a, const auto& b, const auto&) { return exp(-abs(a)) + roll(b, 1, 0); }, false);
    assign(
        "where of two numbers", [](const auto& a, const auto& b, const auto&) { return where(a < b, 1.0, 0.1) * a; }, false);
    assign(
        "a sum along rows", [](const auto& a, const auto& b, const auto& c) { return sum(where(isnan(a) | isnan(b), 0, c), 1); }, false);
    assign(
        "sin(a) * tanh(b)", [](const auto& a, const auto& b, const auto&) { return sin(a) * tanh(b); }, false);

    // Tests operands whose shapes broadcast, and operands of different dtypes. Only at run time, when a kernel of this file would be
    // launched, is it known that the shapes differ.
    harp::Field<T> row({1, 29}, T(0.1)), x = host.b, y;
    const harp::Field<T> gpu_row = row.to(gpu());
    x = host.b * row + 1;
    y = device.b * gpu_row + 1;
    check(same(y, x), "shapes that broadcast");
    harp::Field<float> single({37, 29}, 0.1F), single_result;
    const harp::Field<float> gpu_single = single.to(gpu());
    harp::Field<float> gpu_single_result;
    single_result = host.b + single;
    gpu_single_result = device.b + gpu_single;
    check(same(gpu_single_result, single_result), "mixed dtypes");

    double host_sum = 0, gpu_sum = 0;
    T host_dot{}, gpu_dot{};
    const harp::Launches before = harp::launches();
    fuse(x = host.b * 0.5, harp::into(host_dot) = dot(x, x), harp::into(host_sum) = sum(abs(x)));
    fuse(y = device.b * 0.5, harp::into(gpu_dot) = dot(y, y), harp::into(gpu_sum) = sum(abs(y)));
    check(harp::launches().runs == before.runs + 2, "fuse is one run");
    check(same(y, x) && same(gpu_dot, host_dot) && same(gpu_sum, host_sum), "fuse");

    // Kernels of this file and programs that harp compiles alternate; each of them reads what the previous one has written.
    harp::Field<T> p = host.c, q = device.c;
    for (int i = 0; i < 4; ++i) {
      p = p * 0.5 + 1, q = q * 0.5 + 1;
      p = roll(p, 1, 1) - p, q = roll(q, 1, 1) - q;
      p = p / 3, q = q / 3;
    }
    check(same(q, p), "kernels and programs in turn");
    harp::Field<T> part = harp::Field<T>::view(q.data() + 1, {1000}, gpu()), host_part = harp::Field<T>::view(p.data() + 1, {1000});
    harp::Field<T> begin = harp::Field<T>::view(q.data(), {1000}, gpu()), host_begin = harp::Field<T>::view(p.data(), {1000});
    part = begin + 1, host_part = host_begin + 1;
    check(same(q, p), "views that overlap");
    const size_t launched = harp::launches().runs;
    q = roll(q, 1, 1) - q;
    check(harp::launches().runs == launched + 1, "launches only");
  }

  void errors() {
#if HARP_CPP_EXCEPTIONS
    const auto fails = [](const auto& f, const char* text) {
      try {
        f();
      } catch (const harp::Error& error) {
        return error.code() == HARP_ERROR_DEVICE && error.message().find(text) != std::string::npos;
      }
      return false;
    };
    harp::Field<T> x, y({37, 29}, T(0), gpu());
    check(fails([&] { y = device.a + host.a; }, "reads a field in the host's memory"), "a field of the host in an expression on a GPU");
    check(fails([&] { x = host.a * device.a; }, "reads a field in cuda:0"), "a field of a GPU in an expression of the host");
    check(fails([] { harp::default_context().on("cuda:77"); }, "cuda:77"), "a device that is not there");
#endif
  }
};

template <class T>
__global__ void twice(T* x, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] + x[i];
}

template <class T>
void Cases<T>::own_kernel() {
  harp::Field<T> x = host.b, y = device.b;
  x = (x + 1) * T(2), y = y + 1;
  T* data = y.data();
  auto n = static_cast<int64_t>(y.size());
  void* arguments[] = {&data, &n};
  dim3 grid, block;
  grid.x = static_cast<unsigned>(n + 127) / 128;
  block.x = 128;
  check(cudaLaunchKernel(&twice<T>, grid, block, arguments, 0, cudaStreamLegacy) == cudaSuccess, "a kernel of the program");
  check(same(y, x), "a kernel of the program before a copy");
  x = (x - 1) * T(2), y = y - 1;
  check(cudaLaunchKernel(&twice<T>, grid, block, arguments, 0, cudaStreamLegacy) == cudaSuccess, "a kernel of the program");
  x = x / 3, y = y / 3;
  check(same(y, x), "a kernel of the program between two of harp");
}

template <class T>
void run(const char* name, bool only_kernels) {
  Cases<T> cases;
  cases.kernels();
  if (!only_kernels) {
    cases.programs();
    cases.errors();
  }
  std::printf("%s: %s\n", name, failures == 0 ? "all bits are the CPU's" : "FAILED");
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_kernels = argc > 1 && std::strcmp(argv[1], "kernels") == 0;
  run<float>("float", only_kernels);
  run<double>("double", only_kernels);
  std::printf("%s\n", failures == 0 ? "passed" : "FAILED");
  return failures == 0 ? 0 : 1;
}
