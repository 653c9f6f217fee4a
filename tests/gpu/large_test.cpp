// Tests large arrays on a real GPU: launches of many blocks, positions beyond 32 bits, and routines of many launches. The bits must be
// those of the backend "c" or, where the CPU has no memory for a second array of that size, those of simple arithmetic.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "gpu/arrays.h"

using namespace harp;
using namespace gpu_test;
using capi_test::ErrorSlot;

namespace {

/// SplitMix64, which is fast and gives the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

int64_t count_of(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

/// Numbers in -1..1 of several magnitudes, so that another order of summation gives other bits.
Array floats(std::vector<int64_t> dims, uint64_t seed, DType dtype = DType::kF32) {
  Numbers numbers(seed);
  std::vector<float> values(static_cast<size_t>(count_of(dims)) * (is_complex(dtype) ? 2 : 1));
  for (float& value : values) {
    const uint64_t bits = numbers.next();
    value = static_cast<float>(static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-63) * (bits % 16 == 0 ? 1e-3f : 1.0f);
  }
  return array_of(dtype, std::move(dims), values);
}

/// Random integers: over the full range of the dtype, or below `limit` if it is not 0.
Array integers(std::vector<int64_t> dims, uint64_t seed, uint64_t limit = 0) {
  Numbers numbers(seed);
  std::vector<int64_t> values(static_cast<size_t>(count_of(dims)));
  for (int64_t& value : values) value = static_cast<int64_t>(limit == 0 ? numbers.next() : numbers.next() % limit);
  return array_of(DType::kI64, std::move(dims), values);
}

/// Runs a graph three times on the GPU (the third run may be a replay) and once with the backend "c", and checks that every output has
/// equal bits.
void check_same(const std::string& statements, const std::vector<Array>& inputs, const std::string& header) {
  const capi_test::Context context = gpu_context();
  const std::string text = cat("harp 1\ngraph g(", header, ") flags=[broadcast] {\n", statements, "\n}\n");
  try {
    const capi_test::Program gpu = compile_text(context.get(), text, "cuda"), reference = compile_reference(context.get(), text);
    const auto expected = run_on(context.get(), "cpu", reference.get(), inputs);
    for (int run = 1; run <= 3; ++run) {
      const auto got = run_on(context.get(), kGpu, gpu.get(), inputs);
      for (size_t i = 0; i < expected.size(); ++i) {
        const std::string found = difference(expected[i].get(), got[i].get());
        CHECK_MESSAGE(found.empty(), statements, ", run ", run, ", output ", i, ": ", found);
      }
    }
  } catch (const Error& error) {
    CHECK_MESSAGE(false, statements, ": ", error.message);
  }
}

/// The number of free bytes on the GPU, for tests that need most of a GPU's memory.
size_t free_bytes() {
  const Host host;
  const CurrentContext current(host.driver(), host.context());
  size_t free = 0, all = 0;
  REQUIRE(host.driver().call("cuMemGetInfo_v2", &free, &all) == 0);
  return free;
}

void need_gibibytes(size_t count) {
  if (free_bytes() < count << 30) throw harp::testing::Skip{cat("the GPU has less than ", count, " GiB free")};
}

/// Returns positions of elements to compare: some at regular distances, those near powers of 2, and the last ones. Near a power of 2, an
/// index of 31 or 32 bits or the size of a grid could overflow.
std::vector<int64_t> positions_to_look_at(int64_t count) {
  std::vector<int64_t> positions;
  for (int64_t at = 0; at < count; at += 4093) positions.push_back(at);
  for (int64_t power = 1; power <= count; power *= 2)
    for (int64_t at = std::max<int64_t>(power - 40, 0); at < std::min(power + 40, count); ++at) positions.push_back(at);
  for (int64_t at = std::max<int64_t>(count - 300, 0); at < count; ++at) positions.push_back(at);
  return positions;
}

capi_test::Buffer new_buffer(harp_context* context, harp_dtype dtype, std::vector<int64_t> dims) {
  ErrorSlot err;
  capi_test::Buffer buffer(harp_buffer_new(context, kGpu, dtype, static_cast<int32_t>(dims.size()), dims.data(), err));
  REQUIRE_MESSAGE(buffer != nullptr, err.message());
  return buffer;
}

void run_with(const capi_test::Program& program, std::vector<harp_buffer*> inputs, std::vector<harp_buffer*> outputs) {
  ErrorSlot err;
  REQUIRE_MESSAGE(harp_program_run(program.get(), inputs.size(), inputs.data(), outputs.size(), outputs.data(), nullptr, err) == HARP_OK,
                  err.message());
}

}  // namespace

TEST_CASE("on a GPU: a gibibyte of f32, element by element") {
  const capi_test::Context context = gpu_context();
  need_gibibytes(4);
  const capi_test::Program program = compile_text(context.get(), "harp 1\ngraph g(x: f32[n]) { return y = x * 2.0 + 1.0 }", "cuda");
  constexpr int64_t kCount = (int64_t{1} << 28) + 13;
  std::vector<float> values(kCount);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1'000'003);
  const capi_test::Buffer x = new_buffer(context.get(), HARP_F32, {kCount}), y = new_buffer(context.get(), HARP_F32, {kCount});
  REQUIRE(harp_buffer_write(x.get(), values.size() * sizeof(float), values.data(), nullptr) == HARP_OK);
  run_with(program, {x.get()}, {y.get()});
  REQUIRE(harp_buffer_read(y.get(), values.size() * sizeof(float), values.data(), nullptr) == HARP_OK);
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i) wrong += values[i] != static_cast<float>(i % 1'000'003) * 2.0f + 1.0f;
  CHECK(wrong == 0);
}

TEST_CASE("on a GPU: more than 2^31 bytes, element by element and summed up") {
  const capi_test::Context context = gpu_context();
  need_gibibytes(10);
  constexpr int64_t kCount = (int64_t{1} << 31) + 77;
  for (const bool is_signed : {false, true}) {
    CAPTURE(is_signed);
    const char* dtype = is_signed ? "i8" : "u8";
    const capi_test::Program program =
        compile_text(context.get(),
                     cat("harp 1\ngraph g(x: ", dtype, "[n in 0..8589934592]) { return y = x + 1, s = sum(cast(x, dtype=i64)) }"), "cuda");
    std::vector<uint8_t> values(kCount);
    int64_t sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint8_t>(i % 251);
      sum += is_signed ? static_cast<int64_t>(static_cast<int8_t>(values[i])) : static_cast<int64_t>(values[i]);
    }
    const harp_dtype code = is_signed ? HARP_I8 : HARP_U8;
    const capi_test::Buffer x = new_buffer(context.get(), code, {kCount}), y = new_buffer(context.get(), code, {kCount});
    const capi_test::Buffer s = new_buffer(context.get(), HARP_I64, {});
    REQUIRE(harp_buffer_write(x.get(), values.size(), values.data(), nullptr) == HARP_OK);
    run_with(program, {x.get()}, {y.get(), s.get()});
    int64_t got = 0;
    REQUIRE(harp_buffer_read(s.get(), sizeof got, &got, nullptr) == HARP_OK);
    CHECK(got == sum);
    REQUIRE(harp_buffer_read(y.get(), values.size(), values.data(), nullptr) == HARP_OK);
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) wrong += values[i] != static_cast<uint8_t>(i % 251 + 1);
    CHECK(wrong == 0);
  }
}

TEST_CASE("on a GPU: positions beyond 32 bits, in an array that the GPU makes itself") {
  const capi_test::Context context = gpu_context();
  need_gibibytes(14);
  // The array has 2^32 + 5,120 bytes; the element in row i, column j is (i * 3 + j) mod 256. The GPU computes it, because copying such an
  // array from host memory would take longer than the run.
  constexpr int64_t kColumns = 1024, kRows = (int64_t{1} << 22) + 5;
  const capi_test::Program program =
      compile_text(context.get(),
                   "harp 1\ngraph g(a: u8[n, 1], b: u8[m]) flags=[broadcast] {\n  t = contiguous(a * 3 + b)\n"
                   "  return y = t, f = flip(t, axes=[0]), s = sum(cast(t, dtype=i64))\n}",
                   "cuda");
  std::vector<uint8_t> a(kRows), b(kColumns);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>(i);
  for (size_t j = 0; j < b.size(); ++j) b[j] = static_cast<uint8_t>(j);
  const capi_test::Buffer in = buffer_of(context.get(), kGpu, array_of(DType::kU8, {kRows, 1}, a));
  const capi_test::Buffer columns = buffer_of(context.get(), kGpu, array_of(DType::kU8, {kColumns}, b));
  const capi_test::Buffer y = new_buffer(context.get(), HARP_U8, {kRows, kColumns});
  const capi_test::Buffer f = new_buffer(context.get(), HARP_U8, {kRows, kColumns});
  const capi_test::Buffer s = new_buffer(context.get(), HARP_I64, {});
  run_with(program, {in.get(), columns.get()}, {y.get(), f.get(), s.get()});
  int64_t sum = 0;
  REQUIRE(harp_buffer_read(s.get(), sizeof sum, &sum, nullptr) == HARP_OK);
  CHECK(sum == kRows * (kColumns / 256) * (255 * 256 / 2));  // a row of 1,024 columns contains each value four times
  std::vector<uint8_t> values(static_cast<size_t>(kRows * kColumns));
  const auto expected = [&](int64_t row, int64_t column) { return static_cast<uint8_t>(row * 3 + column); };
  size_t wrong = 0;
  REQUIRE(harp_buffer_read(y.get(), values.size(), values.data(), nullptr) == HARP_OK);
  for (const int64_t at : positions_to_look_at(kRows * kColumns))
    wrong += values[static_cast<size_t>(at)] != expected(at / kColumns, at % kColumns);
  CHECK(wrong == 0);
  REQUIRE(harp_buffer_read(f.get(), values.size(), values.data(), nullptr) == HARP_OK);
  for (const int64_t at : positions_to_look_at(kRows * kColumns))
    wrong += values[static_cast<size_t>(at)] != expected(kRows - 1 - at / kColumns, at % kColumns);
  CHECK(wrong == 0);
}

TEST_CASE("on a GPU: a sum of 2^26 elements") { check_same("  return y = sum(x)", {floats({int64_t{1} << 26}, 1)}, "x: f32[n]"); }

TEST_CASE("on a GPU: sums of the rows and of the columns of large matrices") {
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{4097, 5003}, {3, 5'000'011}, {2'000'003, 5}})
    check_same("  return rows = sum(x, axes=[1]), columns = sum(x, axes=[0]), all = max(x)", {floats(dims, 2)}, "x: f32[n, m]");
}

TEST_CASE("on a GPU: a column of 65,536 numbers in each of 4,096") {
  check_same("  return y = sum(x, axes=[0])", {floats({65'536, 4'096}, 3)}, "x: f32[65536, 4096]");
}

TEST_CASE("on a GPU: sorts of a million elements") {
  const int64_t count = 1'000'007;
  Array zeros = floats({count}, 4);
  auto* values = reinterpret_cast<float*>(zeros.bytes.data());
  for (int64_t i = 0; i < count; i += 97) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
  for (int64_t i = 1; i < count; i += 99'991) values[i] = std::nanf("");
  check_same("  return y = sort(x), d = sort(x, descending=true), i = argsort(x)", {zeros}, "x: f32[n]");
  check_same("  return y = sort(x), d = sort(x, descending=true), i = argsort(x)", {integers({count}, 5)}, "x: i64[n]");
  // many keys are equal, so the order of their positions matters
  check_same("  return i = argsort(x)", {integers({count}, 6, 100)}, "x: i64[n]");
  check_same("  return y = sort(x, axis=1), z = sort(x, axis=0)", {floats({333, 3001}, 7)}, "x: f32[n, m]");
}

TEST_CASE("on a GPU: Fourier transforms of a long row") {
  for (const int64_t length : {int64_t{1} << 18, int64_t{30'030}}) {
    const Array x = floats({1, length}, 8, DType::kC64);
    check_same("  return y = fft(x, axis=1), z = ifft(x, axis=1)", {x}, cat("x: complex64[1, ", length, "]"));
    check_same("  return y = fft(x, axis=1)", {x}, "x: complex64[n, m]");
  }
  check_same("  return y = fft(x, axis=1)", {floats({1000, 1009}, 9, DType::kC64)}, "x: complex64[n, 1009]");
}

TEST_CASE("on a GPU: softmax of long rows") { check_same("  return y = softmax(x, axis=-1)", {floats({300, 50'000}, 10)}, "x: f32[n, m]"); }

TEST_CASE("on a GPU: matrix products") {
  check_same("  return y = a @ b", {floats({513, 700}, 11), floats({700, 257}, 12)}, "a: f32[m, k], b: f32[k, n]");
  check_same("  return y = a @ b", {floats({1024, 1024}, 13), floats({1024, 1024}, 14)}, "a: f32[1024, 1024], b: f32[1024, 1024]");
  check_same("  return y = a @ b", {integers({211, 307}, 15), integers({307, 129}, 16)}, "a: i64[m, k], b: i64[k, n]");
}

TEST_CASE("on a GPU: scans of a million elements") {
  check_same("  return y = cumsum(x, axis=0), z = cummax(x, axis=0)", {floats({1'000'003}, 17)}, "x: f32[n]");
  check_same("  return y = cumsum(x, axis=0), z = cumsum(x, axis=1)", {floats({1003, 2007}, 18)}, "x: f32[n, m]");
  check_same("  return y = cumsum(x, axis=0)", {integers({1'000'003}, 19)}, "x: i64[n]");
}

TEST_CASE("on a GPU: running values and sums of a million rows in few columns") {
  check_same("  return y = cumsum(x, axis=0), z = sum(x, axes=[0])", {floats({1'000'003, 3}, 32)}, "x: f32[n, 3]");
  check_same("  return y = cumsum(x, axis=1), z = sum(x, axes=[1])", {floats({2, 500'009, 2}, 33)}, "x: f32[2, n, m]");
  check_same("  return y = cumsum(x, axis=0), z = sum(x, axes=[0])", {floats({1'000'003, 2}, 34, DType::kC64)}, "x: complex64[n, 2]");
}

TEST_CASE("on a GPU: the positions of extremes") {
  check_same("  return y = argmax(x, axis=0), z = argmin(x, axis=0)", {integers({10'000'019}, 20, 1'000'000)}, "x: i64[n]");
  check_same("  return y = argmax(x, axis=0), z = argmin(x, axis=1)", {floats({3001, 4999}, 21)}, "x: f32[n, m]");
}

TEST_CASE("on a GPU: a large transpose") {
  check_same("  return y = transpose(x)", {floats({3000, 5000}, 22)}, "x: f32[n, m]");
  check_same("  return y = permute(x, axes=[2, 0, 1])", {floats({100, 301, 203}, 23)}, "x: f32[a, b, c]");
}

TEST_CASE("on a GPU: a hundred thousand rows are added to a thousand") {
  check_same("  return y = index_add(x, i, u, axis=0)", {floats({1000, 64}, 24), integers({100'000}, 25, 1000), floats({100'000, 64}, 26)},
             "x: f32[n, k], i: i64[m], u: f32[m, k]");
  check_same("  return y = scatter_add(x, i, u, axis=0)", {floats({1000}, 27), integers({100'000}, 28, 1000), floats({100'000}, 29)},
             "x: f32[n], i: i64[m], u: f32[m]");
  check_same("  return y = take(x, i, axis=0)", {floats({1000, 257}, 30), integers({100'000}, 31, 1000)}, "x: f32[n, k], i: i64[m]");
}
