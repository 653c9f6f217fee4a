// Tests the functions of the op table on a real GPU, with many inputs: every bit pattern of the 16-bit floats, millions of patterns of the
// wider floats, ordinary numbers, and all combinations of special values. The results must have the bits of the backend "c", which other
// tests compare with the interpreter.
#include <algorithm>

#include "base/text.h"
#include "fuzz/input_data.h"
#include "gpu/arrays.h"
#include "ops/ops.h"

using namespace harp;
using namespace gpu_test;

namespace {

// The number of functions in one program. Several functions save compile time, but with too many functions kernels become large.
constexpr size_t kTogether = 4;
constexpr int64_t kPatterns = int64_t{1} << 20;  // number of random bit patterns for each operand

/// Composite functions of one float whose graphs do more than call one function of the table.
constexpr std::string_view kComposites[] = {"rsqrt", "square",   "sigmoid",   "silu",       "softplus", "selu",  "gelu",
                                            "mish",  "softsign", "hardswish", "logsigmoid", "signbit",  "isinf", "isfinite"};

/// Functions that take the same number of operands of one dtype, as calls in the text format, for example "exp(x0)".
struct Functions {
  DType dtype;
  size_t operands;
  std::vector<std::string> calls;
};

/// One program, and the calls that its outputs compute.
struct Group {
  std::string text;
  std::vector<std::string> calls;
  capi_test::Program gpu = {}, reference = {};
};

void append_bytes(std::vector<std::byte>& to, const std::vector<std::byte>& from) { to.insert(to.end(), from.begin(), from.end()); }

/// `count` elements whose bits are random.
std::vector<std::byte> random_patterns(DType dtype, int64_t count, uint64_t seed) {
  std::vector<std::byte> bytes(static_cast<size_t>(count) * size_of(dtype));
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (size_t at = 0; at < bytes.size(); at += 8) {
    // splitmix64
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    std::memcpy(bytes.data() + at, &z, std::min<size_t>(8, bytes.size() - at));
  }
  return bytes;
}

/// `count` elements of `size` bytes, whose bits are the multiples of `step`. An odd `step` gives no pattern twice.
std::vector<std::byte> patterns_in_steps(size_t size, size_t count, uint64_t step) {
  std::vector<std::byte> bytes(count * size);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = i * step;  // little-endian: the low bytes come first
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

/// Returns bit patterns for operand number `operand` of a function with `operands` operands: all patterns of 8 or 16 bits, all pairs of
/// patterns of 8 bits, or else a sample of the patterns.
std::vector<std::byte> patterns(DType dtype, size_t operand, size_t operands) {
  if (is_bool(dtype)) return fuzz::make_input(operand, "bits", dtype, 4096);
  const size_t size = size_of(dtype);
  if (operands == 1 && size <= 2) return patterns_in_steps(size, size_t{1} << (8 * size), 1);
  if (operands == 1 && size == 4) return patterns_in_steps(size, size_t{1} << 22, 0x9E3779B1u);
  if (operands == 2 && size == 1) {  // all pairs
    std::vector<std::byte> bytes(size_t{1} << 16);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(operand == 0 ? i : i >> 8);
    return bytes;
  }
  return random_patterns(dtype, kPatterns, operand + 1);
}

/// Returns one array for each operand. The arrays contain bit patterns, ordinary numbers, and all combinations of special values.
std::vector<Array> operands_of(DType dtype, size_t operands) {
  const auto specials = static_cast<int64_t>(fuzz::special_values(dtype).size());
  int64_t combinations = 1;
  for (size_t i = 0; i < operands; ++i) combinations *= std::max<int64_t>(specials, 1);
  std::vector<Array> arrays;
  int64_t repeats = 1;
  for (size_t i = 0; i < operands; ++i, repeats *= std::max<int64_t>(specials, 1)) {
    std::vector<std::byte> bytes = patterns(dtype, i, operands);
    append_bytes(bytes, fuzz::make_input(7, cat("x", i), dtype, kPatterns));
    if (specials > 0) append_bytes(bytes, fuzz::make_special_input(dtype, combinations, repeats));
    const auto count = static_cast<int64_t>(bytes.size() / size_of(dtype));
    arrays.push_back({dtype, {count}, std::move(bytes)});
  }
  return arrays;
}

std::string call_of(std::string_view function, size_t operands) {
  std::string arguments = "x0";
  for (size_t i = 1; i < operands; ++i) append(arguments, cat(", x", i));
  return cat(function, "(", arguments, ")");
}

/// Returns the elementwise operations of the table that take this number of operands of this dtype. If the operand is one float, the
/// composite functions are included.
Functions functions_of(DType dtype, size_t operands) {
  Functions functions{dtype, operands, {}};
  for (const OpInfo& op : kOps)
    if (op.family == Family::kElementwise && op.name != name(Op::kWhere) && static_cast<size_t>(op.arity) == operands &&
        accepts(op.operands, dtype))
      functions.calls.push_back(call_of(op.name, operands));
  if (operands == 1 && is_float(dtype))
    for (const std::string_view composite : kComposites) functions.calls.push_back(call_of(composite, 1));
  return functions;
}

/// Returns the conversions from this dtype to every other dtype.
Functions casts_of(DType from) {
  Functions functions{from, 1, {}};
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto to = static_cast<DType>(i);
    if (to == from || (is_complex(from) && !is_complex(to))) continue;  // harp rejects conversions from complex to real dtypes
    functions.calls.push_back(cat("cast(x0, dtype=", name(to), ")"));
  }
  return functions;
}

std::vector<Group> groups_of(const Functions& functions) {
  std::vector<Group> groups;
  for (size_t begin = 0; begin < functions.calls.size(); begin += kTogether) {
    Group group;
    std::string inputs, results;
    for (size_t i = 0; i < functions.operands; ++i) append(inputs, cat(i == 0 ? "" : ", ", "x", i, ": ", name(functions.dtype), "[n]"));
    for (size_t i = begin; i < std::min(begin + kTogether, functions.calls.size()); ++i) {
      append(results, cat(i == begin ? "" : ", ", "r", i, " = ", functions.calls[i]));
      group.calls.push_back(functions.calls[i]);
    }
    group.text = cat("harp 1\ngraph f(", inputs, ") { return ", results, " }\n");
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Compiles all groups on several threads and compares the functions one by one.
void check_functions(const Functions& functions) {
  const capi_test::Context context = gpu_context();
  std::vector<Group> groups = groups_of(functions);
  const std::vector<std::string> errors = in_parallel(2 * groups.size(), [&](size_t i) {
    Group& group = groups[i / 2];
    if (i % 2 == 0)
      group.gpu = compile_text(context.get(), group.text, "cuda");
    else
      group.reference = compile_reference(context.get(), group.text);
  });
  const std::vector<Array> operands = operands_of(functions.dtype, functions.operands);
  for (size_t g = 0; g < groups.size(); ++g) {
    const std::string failed = errors[2 * g] + errors[2 * g + 1];
    CHECK_MESSAGE(failed.empty(), groups[g].text, failed);
    if (!failed.empty()) continue;
    try {
      const auto got = run_on(context.get(), kGpu, groups[g].gpu.get(), operands);
      const auto expected = run_on(context.get(), "cpu", groups[g].reference.get(), operands);
      for (size_t i = 0; i < groups[g].calls.size(); ++i) {
        const std::string found = difference(expected[i].get(), got[i].get());
        CHECK_MESSAGE(found.empty(), groups[g].calls[i], " of ", std::string(name(functions.dtype)), ": ", found);
      }
    } catch (const Error& error) {
      CHECK_MESSAGE(false, groups[g].text, error.message);
    }
  }
}

void check_all_functions(DType dtype) {
  for (size_t operands = 1; operands <= 3; ++operands)
    if (const Functions functions = functions_of(dtype, operands); !functions.calls.empty()) check_functions(functions);
}

}  // namespace

TEST_CASE("on a GPU: functions of f32 have the bits of the backend c") { check_all_functions(DType::kF32); }
TEST_CASE("on a GPU: functions of f64 have the bits of the backend c") { check_all_functions(DType::kF64); }
TEST_CASE("on a GPU: functions of f16 have the bits of the backend c") { check_all_functions(DType::kF16); }
TEST_CASE("on a GPU: functions of bf16 have the bits of the backend c") { check_all_functions(DType::kBF16); }

TEST_CASE("on a GPU: functions of integers and bools have the bits of the backend c") {
  for (const DType dtype :
       {DType::kBool, DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32, DType::kU32, DType::kI64, DType::kU64})
    check_all_functions(dtype);
}

TEST_CASE("on a GPU: functions of complex numbers have the bits of the backend c") {
  check_all_functions(DType::kC64);
  check_all_functions(DType::kC128);
}

TEST_CASE("on a GPU: conversions between all dtypes have the bits of the backend c") {
  for (int i = 1; i < kDTypeCount; ++i)
    if (const Functions casts = casts_of(static_cast<DType>(i)); !casts.calls.empty()) check_functions(casts);
}
