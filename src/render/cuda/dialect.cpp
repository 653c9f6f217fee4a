#include "render/cuda/dialect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "render/c/types.h"
#include "render/cuda/routines.h"
#include "render/cuda/tables.h"
#include "render/cuda/unrolling.h"
#include "render/kernel/address.h"
#include "render/kernel/scalar_functions.h"
#include "render/kernel/scalar_groups.h"
#include "render/routines/routines.h"

namespace harp::render {

const std::string_view kCudaTypes = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
)";

const std::string_view kIndexRecordType =
    R"(/* The first index out of range at one check: the lowest keys, each (element << 16 | 16 bits of the index). */
struct index_record { u64 keys[4]; i64 size; i64 unused[3]; };
)";

namespace {

constexpr int64_t kAccessBytes = 16;                     // maximum number of bytes that a thread loads or stores at once
constexpr int64_t kMaxStaticShared = int64_t{48} << 10;  // maximum bytes of shared memory that a kernel may declare

std::string_view cuda_memory_type(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8: return "u8";
    case DType::kI8: return "i8";
    case DType::kF16:
    case DType::kBF16:  // a 16-bit float is stored as its bits
    case DType::kU16: return "u16";
    case DType::kI16: return "i16";
    case DType::kU32: return "u32";
    case DType::kI32: return "i32";
    case DType::kU64: return "u64";
    case DType::kI64: return "i64";
    case DType::kF32: return "float";
    case DType::kF64: return "double";
    default: fail(Code::kUnsupported, "the CUDA renderer has no type for ", name(dtype));
  }
}

std::string cuda_value_type(Unit&, DType dtype, int lanes) {
  HARP_ASSERT(lanes == 1, "values have one lane in CUDA, not ", lanes);
  return std::string(is_bool(dtype) ? "bool" : cuda_memory_type(dtype));
}

/// Returns a literal as in C, with two exceptions: 64-bit integers have the type long long, and literals for which C uses a builtin are
/// written in another way.
Literal cuda_literal(const Scalar& value) {
  switch (value.dtype) {
    case DType::kBool: return {value.bits[0] != 0 ? "true" : "false", false};
    case DType::kF32:
      if (!std::isfinite(value.as<float>()))
        return {cat("__uint_as_float(", c_literal(Scalar{DType::kU32, {value.bits[0], 0}}).text, ")"), false};
      return c_literal(value);
    case DType::kF64:
      if (!std::isfinite(value.as<double>()))
        return {cat("__longlong_as_double((i64)", cuda_literal(Scalar{DType::kU64, {value.bits[0], 0}}).text, ")"), false};
      return c_literal(value);
    case DType::kI64: {
      const int64_t number = value.as<int64_t>();
      if (number == std::numeric_limits<int64_t>::min()) return {cat(number + 1, "ll - 1"), true};
      return {cat(number, "ll"), number < 0};
    }
    case DType::kU64: {
      std::string text = c_literal(value).text;
      text.resize(text.find('u') + 1);
      return {cat(text, "ll"), false};
    }
    default: return c_literal(value);
  }
}

std::string_view cuda_reinterpretation(DType from, DType to) {
  struct Builtin {
    DType from, to;
    std::string_view name;
  };
  constexpr Builtin kBuiltins[] = {{DType::kF32, DType::kI32, "__float_as_int"},
                                   {DType::kI32, DType::kF32, "__int_as_float"},
                                   {DType::kF32, DType::kU32, "__float_as_uint"},
                                   {DType::kU32, DType::kF32, "__uint_as_float"},
                                   {DType::kF64, DType::kI64, "__double_as_longlong"},
                                   {DType::kI64, DType::kF64, "__longlong_as_double"},
                                   {DType::kF64, DType::kU64, "(u64)__double_as_longlong"},
                                   {DType::kU64, DType::kF64, "__longlong_as_double"}};
  for (const Builtin& builtin : kBuiltins)
    if (builtin.from == from && builtin.to == to) return builtin.name;
  const auto is_integer = [](DType dtype) { return is_int(dtype) || is_half(dtype); };
  if (is_integer(from) && is_integer(to)) {
    if (is_signed_int(to)) return size_of(to) == 8 ? "(i64)" : size_of(to) == 4 ? "(i32)" : size_of(to) == 2 ? "(i16)" : "(i8)";
    return size_of(to) == 8 ? "(u64)" : size_of(to) == 4 ? "(u32)" : size_of(to) == 2 ? "(u16)" : "(u8)";
  }
  return {};
}

/// Returns the name of the function (a, b, reciprocal of b) for the quotient or the remainder of a / b. With `is_nonnegative` a is never
/// negative; otherwise the quotient is rounded down.
std::string cuda_divided(Unit& unit, bool is_quotient, bool is_nonnegative) {
  const std::string name = cat(is_nonnegative ? "" : "floor_", is_quotient ? "quotient" : "remainder");
  const auto function = [](std::string_view name, std::string_view value) {
    return cat("static __device__ __forceinline__ i64 ", name, "(i64 a, i64 b, u64 reciprocal) {", value, "}\n");
  };
  if (!is_quotient) {
    const std::string quotient = cuda_divided(unit, true, is_nonnegative);
    unit.definitions.once(name, [&] { return function(name, cat(" return a - ", quotient, "(a, b, reciprocal) * b; ")); });
  } else if (is_nonnegative) {
    unit.definitions.once(name, [&] {
      return cat(
          "/* a / b, rounded down, for a >= 0. reciprocal is 2^(63 + k) / b, rounded up, where 2^k is the least power of two that is\n"
          "   at least b; with it the result is exact. */\n",
          function(name, "\n  const i64 k = (64 - __clzll(b - 1)) & 63;\n  return (i64)(__umul64hi((u64)a << 1, reciprocal) >> k);\n"));
    });
  } else {
    const std::string quotient = cuda_divided(unit, true, true);
    unit.definitions.once(name, [&] {
      return cat("/* a / b, rounded down; if a is negative, a / b = -1 - (-1 - a) / b, and ~a = -1 - a. */\n",
                 function(name, cat("\n  const i64 sign = a >> 63; /* -1 if a is negative, else 0 */\n  return ", quotient,
                                    "(a ^ sign, b, reciprocal) ^ sign;\n")));
    });
  }
  return name;
}

constexpr Rule kCudaRules[] = {
    {Op::kAbs, kFloats, Form::kHelper, kPrimary, "fabs$f($a)"},
    {Op::kSqrt, kFloats, Form::kHelper, kPrimary, "sqrt$f($a)"},
    {Op::kFloor, kFloats, Form::kHelper, kPrimary, "floor$f($a)"},
    {Op::kCeil, kFloats, Form::kHelper, kPrimary, "ceil$f($a)"},
    {Op::kTrunc, kFloats, Form::kHelper, kPrimary, "trunc$f($a)"},
    {Op::kRound, kFloats, Form::kHelper, kPrimary, "rint$f($a)"},
    {Op::kFma, kFloats, Form::kHelper, kPrimary, "__fma$f_rn($a, $b, $c)"},
    {Op::kAdd, kWraps, Form::kHelper, kPrimary, "($t)(($u)$a + ($u)$b)"},
    {Op::kMul, kWraps, Form::kHelper, kPrimary, "($t)(1u * ($u)$a * ($u)$b)"},
    {Op::kNeg, kWraps, Form::kHelper, kPrimary, "($t)(0u - ($u)$a)"},
    // This pattern is written so that compilers do not recognise an absolute value. ptxas 13.0 assumes that the result of its instruction
    // abs.s16 is positive. But the absolute value of -32768 is -32768, which ptxas then extends to 32768.
    {Op::kAbs, kWraps, Form::kHelper, kPrimary, "($t)((($u)$a ^ ($u)($a >> $w)) + (($u)$a >> $w))"},
};

std::string cuda_function(Unit& unit, const ir::Function& function, int lanes) {
  HARP_ASSERT(lanes == 1, "functions compute one lane in CUDA, but ", function.name, " ", lanes);
  join_tables(unit, function);
  return scalar_function(unit, function);
}

std::string cuda_elementwise(Unit& unit, const Rule& rule, DType dtype, int) { return scalar_elementwise_function(unit, rule, dtype); }

std::string cuda_report(Unit& unit) {
  unit.definitions.once("report_fault", [&] {
    return cat("/* Reports an index out of range at a check. The lowest element that any thread reports stays. */\n",
               unit.dialect.rarely_called,
               "void report_fault(index_record* faults, i64 site, i64 element, i64 index, i64 size) {\n"
               "  index_record* const record = faults + site;\n  record->size = size; /* the same in all threads */\n"
               "  for (int part = 0; part < 4; ++part)\n"
               "    atomicMin(&record->keys[part], (u64)element << 16 | ((u64)index >> 16 * part & 0xffff));\n}\n");
  });
  return "report_fault";
}

std::string cuda_fold(Unit& unit, const FoldForm& form, bool) {
  const std::string name = cat("fold_", fold_name(form), "_", form.size, "_", harp::name(form.dtype)),
                    type = cuda_value_type(unit, form.dtype, 1);
  unit.definitions.once(
      name, [&] { return fold_text(unit, form, name, type, type, scalar_combination(unit, form.combine, form.function, form.dtype)); });
  return name;
}

/// Returns the name of a generated function that folds the elements of all threads of a group by shuffles. Thread t has the elements with
/// numbers t * size to t * size + size - 1. Each step combines element i with element i + half, which belongs to thread t + half / size,
/// and halves `half`. As soon as `half` is less than `size`, each thread combines its own elements. All 32 lanes of a warp take part in
/// every shuffle.
std::string cuda_fold_of_group(Unit& unit, const FoldForm& form, int64_t threads) {
  constexpr int64_t kWarp = 32;
  HARP_ASSERT(threads <= 2 * kWarp, "a fold by shuffles has at most ", 2 * kWarp, " threads, not ", threads);
  const std::string name = cat("fold_", fold_name(form), "_", threads, "x", form.size, "_", harp::name(form.dtype)),
                    type = cuda_value_type(unit, form.dtype, 1);
  unit.definitions.once(name, [&] {
    const Combined combined = scalar_combination(unit, form.combine, form.function, form.dtype);
    const int64_t width = std::min(threads, kWarp);
    // Shuffles move only values of 4 or 8 bytes, so a smaller value is converted to i32 and back.
    const bool is_narrow = size_of(form.dtype) < 4;
    const std::string own = form.size == 1 ? "s[0]" : "s[i]", all = form.size == 1 ? "all" : "all[i]",
                      each = form.size == 1 ? std::string() : cat("#pragma unroll\n    for (int i = 0; i < ", form.size, "; ++i) ");
    const auto shuffled = [&](std::string_view how, const std::string& value, std::string_view from) {
      return cat(is_narrow ? cat("(", type, ")") : "", "__shfl_", how, "sync(0xffffffffu, ", is_narrow ? "(i32)" : "", value, ", ", from,
                 ", ", width, ")");
    };
    const auto statement = [&](const std::string& text) {
      return form.size == 1 ? cat("  ", text, ";\n") : cat("  #pragma unroll\n  for (int i = 0; i < ", form.size, "; ++i) ", text, ";\n");
    };
    std::string text = cat("/* Folds the ", threads * form.size, " elements of ", threads,
                           " threads: combines element i with element i + half, then repeats this on the first half.\n"
                           "   Every thread gets the result. */\n",
                           unit.dialect.inlined, type, " ", name, "(", type, "* s) {\n");
    if (threads > kWarp) {
      append(text, cat("  __shared__ ", type, " all", form.size == 1 ? "" : cat("[", form.size, "]"), "[", threads, "];\n"));
      append(text, statement(cat(all, "[threadIdx.x] = ", own)));
      append(text, "  __syncthreads();\n");
      append(text, statement(cat(own, " = ", combined(cat(all, "[threadIdx.x % 32]"), cat(all, "[threadIdx.x % 32 + 32]")))));
      append(text, "  __syncthreads();\n");
    }
    if (width > 1)
      append(text, cat("  #pragma unroll\n  for (int distance = ", width / 2, "; distance > 0; distance /= 2)",
                       form.size == 1 ? " " : "\n    ", each, own, " = ", combined(own, shuffled("down_", own, "distance")), ";\n"));
    for (int half = form.size / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) append(text, cat("  s[", i, "] = ", combined(cat("s[", i, "]"), cat("s[", i + half, "]")), ";\n"));
    append(text, cat("  return ", width > 1 ? shuffled("", "s[0]", "0") : "s[0]", ";\n}\n"));
    return text;
  });
  return name;
}

std::string cuda_scan(Unit& unit, const ScanForm& form) {
  const DType dtype = form.identity.dtype;
  const std::string name = scan_name(form, harp::name(dtype));
  unit.definitions.once(name, [&] { return scan_text(unit, form, name, scalar_combination(unit, form.combine, form.function, dtype)); });
  return name;
}

std::string cuda_scan_part(Unit&, const ScanForm&, ir::ScanPart, int64_t) {
  fail(Code::kInternal, "CUDA code interleaves no groups of a scan");
}

std::string cuda_routine(const Scope& scope, const ir::Routine& routine) {
  return routine.routine == Op::kDft ? transform_phase_call(scope, routine) : sort_phase_call(scope, routine);
}

/// Returns the number of bytes of the copy, if a single access can do it: a few elements of one row, whose addresses are known to be
/// aligned. Returns 0 for other copies.
int64_t bytes_at_once(const ir::Copy& copy, DType dtype) {
  if (!copy.rows.is_constant(1) || !copy.length.is_constant() || copy.length.constant() < 2) return 0;
  const int64_t bytes = copy.length.constant() * static_cast<int64_t>(size_of(dtype));
  return bytes <= kAccessBytes && std::has_single_bit(static_cast<uint64_t>(bytes)) ? bytes : 0;
}

/// Returns the name of a generated function (to, from) that copies `bytes` bytes with one load and one store.
std::string access_function(Unit& unit, int64_t bytes) {
  std::string name = cat("copy_", bytes, "_bytes"), type = cat("bytes", bytes);
  unit.definitions.type_once(type, cat("struct __align__(", bytes, ") ", type, " { ", bytes >= 4 ? "u32" : "u8", " words[",
                                       bytes >= 4 ? bytes / 4 : bytes, "]; };\n"));
  unit.definitions.once(name, [&] {
    return cat("/* Both addresses are multiples of ", bytes, ". */\n", unit.dialect.inlined, "void ", name,
               "(void* to, const void* from) { *(", type, "*)to = *(const ", type, "*)from; }\n");
  });
  return name;
}

/// Returns the address of an element. Its terms are ordered: first those that are the same in all iterations of the loops inside a thread,
/// then the others. The compiler adds from left to right, so it computes the sum of the first terms once, before the loops.
std::string address_by_loops(const Scope& scope, std::string address, Sym index) {
  Sym fixed = 0, moving = index;
  if (const ir::Loop* blocks = ir::thread_loop(*scope.subject.kernel); blocks != nullptr && scope.thread && !index.is_constant()) {
    const auto moves = [&](const SymAtom* v) {
      return v->is_loop && v != variable_of(*scope.thread) && v != variable_of(blocks->variable);
    };
    for (const SymTerm& term : index.node()->terms) {
      Sym product = term.coefficient;
      for (const SymAtom* factor : term.factors) product = product * factor->alone;
      if (std::ranges::none_of(variables_of(product), moves)) fixed += product, moving = moving - product;
    }
  }
  for (const Sym& part : {fixed, moving})
    if (!part.is_constant(0)) append(address, cat(" + ", bracket(scope.position(part), kSum)));
  return address;
}

std::string cuda_copy(const Scope& scope, const ir::Copy& copy) {
  const DType dtype = copy.source >= 0 ? scope.accumulator(copy.source).type.dtype : scope.parameter(copy.inputs[0]).dtype;
  if (const int64_t bytes = bytes_at_once(copy, dtype); bytes > 0) {
    const std::string name = access_function(scope.unit, bytes);
    const std::string to = address_by_loops(
        scope, copy.accumulator < 0 ? scope.name_of_parameter(copy.buffer) : accumulator_name(scope, copy.accumulator), copy.index);
    const std::string from = address_by_loops(
        scope, copy.source < 0 ? scope.name_of_parameter(copy.inputs[0]) : accumulator_name(scope, copy.source), copy.from);
    return cat(name, "(", to, ", ", from, ");");
  }
  const bool is_straight = copy.from_stride.is_constant(1);
  std::string name = cat(is_straight ? "copy_" : "transpose_", harp::name(dtype));
  Unit& unit = scope.unit;
  unit.definitions.once(name, [&] {
    const std::string_view type = cuda_memory_type(dtype);
    return cat(is_straight
                   ? "/* to[i][j] = from[i][j] for rows i and columns j. Rows begin to_step and from_step elements apart. */\n"
                   : "/* to[i][j] = from[j][i] for rows i and columns j. Rows begin to_step and columns of from from_step apart. */\n",
               unit.dialect.called, "void ", name, "(", type, "* to, i64 to_step, const ", type,
               "* from, i64 from_step, i64 rows, i64 columns) {\n",
               "  for (i64 i = 0; i < rows; ++i)\n    for (i64 j = 0; j < columns; ++j) to[i * to_step + j] = from[",
               is_straight ? "i * from_step + j" : "j * from_step + i", "];\n}\n");
  });
  return copy_call(scope, copy, name);
}

/// Returns the address of element `index` of an accumulator that is an array.
std::string address_of_element(const Scope& scope, int accumulator, Sym index) {
  return address_by_loops(scope, accumulator_name(scope, accumulator), index);
}

/// Returns the statement that starts an asynchronous copy, which bypasses the registers of the thread. Copies of 16 bytes bypass the
/// first-level cache, too; smaller ones (.ca) do not, because neighbouring threads read parts of the same sectors.
std::string cuda_copy_async(const Scope& scope, const ir::CopyAsync& copy) {
  const int64_t size = static_cast<int64_t>(size_of(scope.accumulator(copy.accumulator).type.dtype)), bytes = copy.length * size;
  const std::string name = cat("copy_", bytes, "_bytes_async");
  Unit& unit = scope.unit;
  unit.definitions.once(name, [&] {
    return cat("/* Starts a copy of ", bytes,
               " bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both "
               "addresses are\n   multiples of ",
               bytes, ". */\n", unit.dialect.inlined, "void ", name,
               "(void* to, const void* from, i32 exist) {\n  asm volatile(\"cp.async.", bytes == kAccessBytes ? "cg" : "ca",
               ".shared.global [%0], [%1], ", bytes,
               ", %2;\"\n               : : \"r\"((u32)__cvta_generic_to_shared(to)), \"l\"(from), \"r\"(exist) : \"memory\");\n}\n");
  });
  return cat(name, "(", address_of_element(scope, copy.accumulator, copy.index), ", ",
             address_by_loops(scope, scope.name_of_parameter(copy.buffer), copy.from), ", ",
             copy.exist.is_constant() ? scope.position(copy.exist * size).text : cat("(i32)(", scope.position(copy.exist * size).text, ")"),
             ");");
}

/// Returns the statement that multiplies matrices by tensor cores. The generated function multiplies tiles of 8 x 4 and 4 x 8 elements. It
/// adds to the addresses the offsets that differ between lanes. Lane l loads term l % 4 of row l / 4 and of column l / 4. Of the results of
/// row l / 4 it has those in the columns 2 * (l % 4) and 2 * (l % 4) + 1.
std::string cuda_mma(const Scope& scope, const ir::Mma& mma) {
  Unit& unit = scope.unit;
  const std::string tile_name = "mma_8x8x4_f64";
  unit.definitions.once(tile_name, [&] {
    return cat(
        "/* c += a * b with matrices of 8 x 4 and 4 x 8 elements, by all threads of a warp. Lane l gives row l / 4, column l % 4 of a, "
        "and row l % 4, column l / 4 of b.\n   It has row l / 4 and two columns, from 2 * (l % 4) on, of c. Each element becomes "
        "fma(a3, b3, fma(a2, b2, fma(a1, b1, fma(a0, b0, c)))):\n   the order of the chain of a product. Measured on an H200: all of "
        "128,000 random results had the bits of that chain. */\n",
        unit.dialect.inlined, "void ", tile_name, "(double* c, double a, double b) {\n",
        "  asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\"\n",
        "               : \"+d\"(c[0]), \"+d\"(c[1]) : \"d\"(a), \"d\"(b));\n}\n");
  });
  const std::string name = cat("multiply_", mma.row_tiles, "x", mma.column_tiles, "_tiles");
  unit.definitions.once(name, [&] {
    const int i = mma.row_tiles, j = mma.column_tiles;
    return cat(
        "/* Adds four terms to ", i, " x ", j,
        " tiles of 8 x 8 results. The addresses are those of the first term, and of the first row "
        "and column of\n   this thread's results; terms are row_step and column_step elements apart. */\n",
        unit.dialect.inlined, "void ", name, "(double* c, const double* rows, i64 row_step, const double* columns, i64 column_step) {\n",
        "  const int lane = threadIdx.x % 32, term = lane % 4;\n",
        "  rows += term * row_step, columns += term * column_step + lane / 4 - 2 * term;\n", "  double a[", i, "], b[", j, "];\n",
        "  #pragma unroll\n  for (int i = 0; i < ", i, "; ++i) a[i] = rows[8 * i];\n", "  #pragma unroll\n  for (int j = 0; j < ", j,
        "; ++j) b[j] = columns[8 * j];\n", "  #pragma unroll\n  for (int i = 0; i < ", i,
        "; ++i)\n    #pragma unroll\n    for (int j = 0; j < ", j, "; ++j) ", tile_name, "(c + 2 * (", j, " * i + j), a[i], b[j]);\n}\n");
  });
  const int64_t spread = scope.accumulator(mma.accumulator).spread;
  const Sym own = spread > 0 && scope.thread ? mma.index - *scope.thread * spread : mma.index;
  return cat(name, "(", address_of_element(scope, mma.accumulator, own), ", ", address_of_element(scope, mma.rows, mma.row_index), ", ",
             scope.position(mma.row_step).text, ", ", address_of_element(scope, mma.columns, mma.column_index), ", ",
             scope.position(mma.column_step).text, ");");
}

/// Returns the statement that combines the integer at an address with a value by an atomic operation. CUDA has no atomic addition of i64,
/// so an atomic addition of u64 is used, which gives the same bits.
std::string cuda_atomic(Op combine, DType dtype, const std::string& pointer, const std::string& value) {
  if (combine == Op::kAdd && dtype == DType::kI64) return cat("atomicAdd((u64*)(", pointer, "), (u64)(", value, "));");
  return cat(combine == Op::kAdd ? "atomicAdd" : combine == Op::kMax ? "atomicMax" : "atomicMin", "(", pointer, ", ", value, ");");
}

}  // namespace

const Dialect kCuda = {
    .name = "CUDA",

    .index = "i64",
    .memory_type = cuda_memory_type,
    .value_type = cuda_value_type,
    .literal = cuda_literal,
    .aligned = " __attribute__((aligned($BYTES)))",
    .table = "static __device__ const ",
    .fault_type = "index_record*",
    .reinterpretation = cuda_reinterpretation,
    .alignment = [](const Unit&, DType dtype, int64_t elements) -> int64_t {
      const int64_t bytes = elements * static_cast<int64_t>(size_of(dtype));
      if (bytes % kAccessBytes == 0) return kAccessBytes;
      return bytes <= kAccessBytes && std::has_single_bit(static_cast<uint64_t>(bytes)) ? bytes : 0;
    },

    .rules = kCudaRules,
    .emulation = [](Unit&, Op, DType) { return std::string(); },

    .inlined = "static __device__ __forceinline__ ",
    .always_inlined = "static __device__ __forceinline__ ",
    .called = "static __device__ __noinline__ ",
    .rarely_called = "static __device__ __noinline__ ",
    .kernel_head = "extern \"C\" __global__ void __launch_bounds__($MARK) $NAME($PARAMETERS) ",

    .loop = "for ($TYPE $VARIABLE = $BEGIN; $VARIABLE < $END; $ADVANCE) {",
    .grid_thread = "(i64)blockIdx.x * blockDim.x + threadIdx.x",
    .grid_threads = "(i64)gridDim.x * blockDim.x",
    .unroll = "#pragma unroll $COUNT",
    .loop_mark = unrolling_mark,
    .barrier = "__syncthreads();",
    .detects_invalid = [](Unit&) { return false; },

    .elementwise = cuda_elementwise,
    .function = cuda_function,
    .divided = cuda_divided,
    .report = cuda_report,
    .fold = cuda_fold,
    .scan = cuda_scan,
    .scan_part = cuda_scan_part,
    .routine = cuda_routine,
    .copy = cuda_copy,
    .copy_async = cuda_copy_async,

    .vectors = {},
    .groups = {.of_block = [](const Unit& unit, int64_t threads, int64_t shared) -> int64_t {
                 const Gpu& gpu = *unit.options.target.gpu();
                 if (threads > gpu.warp_threads) return 1;
                 return std::clamp<int64_t>(kMaxStaticShared / std::max<int64_t>(shared, 1), 1, gpu.block_threads / threads);
               },
               .block = "blockIdx.x",
               .blocks = "gridDim.x",
               .barrier = "__syncwarp();",
               .shared = "__shared__ __align__(16) $TYPE $NAME[$COUNT];",
               .most_shared = kMaxStaticShared,
               .dynamic_shared = "extern __shared__ __align__(16) u8 shared_memory[];",
               .fold = cuda_fold_of_group,
               .end_batch = "asm volatile(\"cp.async.commit_group;\" : : : \"memory\");",
               .wait = "asm volatile(\"cp.async.wait_group $PENDING;\" : : : \"memory\");",
               .mma = cuda_mma,
               .atomic = cuda_atomic},
};

}  // namespace harp::render
