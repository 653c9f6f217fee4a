// Tests every elementwise op in generated C: one kernel for each op, as vectors and as scalars, compiled by every compiler. The results
// must be bit-identical to the interpreter's.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "base/error.h"
#include "graph/build.h"
#include "interp/interpreter.h"
#include "support/rendered.h"
#include "support/unoptimised.h"

namespace {

using namespace harp;
using namespace harp::testing;

template <class T>
std::vector<T> float_specials() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {T(0.0),
                      T(1),
                      T(0.5),
                      T(2),
                      T(3),
                      T(1.5),
                      T(2.5),
                      T(0.1),
                      T(10),
                      T(88.7),
                      T(100),
                      T(1e5),
                      T(3e9),
                      T(1e19),
                      T(123456789),
                      L::max(),
                      L::min(),
                      L::denorm_min(),
                      L::min() / 8,
                      L::infinity(),
                      L::epsilon(),
                      T(3.14159265358979),
                      T(1.5707963267948966),
                      T(0.75),
                      T(7)};
  const size_t positive = v.size();
  for (size_t i = 0; i < positive; ++i) v.push_back(-v[i]);
  v.push_back(L::quiet_NaN());
  v.push_back(-L::quiet_NaN());
  return v;
}
template <class T>
std::vector<T> int_specials() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {L::max(), L::min(), static_cast<T>(L::max() - 1), static_cast<T>(L::min() + 1)};
  for (const int64_t x : {0, 1, -1, 2, -2, 3, -3, 7, 31, 32, 33, 63, 64, 65, -31, -64, 100, -100, 12345, -54321, 1 << 30})
    v.push_back(static_cast<T>(x));
  return v;
}

/// Returns `arity` arrays of `count` elements. The first elements are every combination of special values, the other elements have random
/// bits.
std::vector<Array> operands(DType dtype, int arity, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto make = [&](auto specials, auto draw) {
    using T = typename decltype(specials)::value_type;
    std::vector<Array> arrays;
    for (int a = 0; a < arity; ++a) {
      std::vector<T> values(count);
      for (size_t i = 0; i < count; ++i) {
        size_t which = i;
        for (int skip = 0; skip < a; ++skip) which /= specials.size();
        const bool special = arity == 1 ? i < specials.size() : i < specials.size() * specials.size() || arity == 3;
        values[i] = special ? specials[arity == 3 ? random() % specials.size() : which % specials.size()] : draw();
      }
      arrays.push_back(array_of(dtype, values));
    }
    return arrays;
  };
  switch (dtype) {
    case DType::kBool: {
      std::vector<Array> arrays;
      for (int a = 0; a < arity; ++a) {
        std::vector<uint8_t> values(count);
        for (uint8_t& v : values) v = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 2);  // every byte except 0 is true
        arrays.push_back(array_of(dtype, values));
      }
      return arrays;
    }
    case DType::kF32:
      return make(float_specials<float>(), [&] {
        if (random() % 2 == 0) return std::bit_cast<float>(static_cast<uint32_t>(random()));
        return static_cast<float>(
            std::ldexp(static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63, static_cast<int>(random() % 24) - 8));
      });
    case DType::kF64:
      return make(float_specials<double>(), [&] {
        if (random() % 2 == 0) return std::bit_cast<double>(random());
        return std::ldexp(static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63, static_cast<int>(random() % 24) - 8);
      });
    case DType::kI32: return make(int_specials<int32_t>(), [&] { return static_cast<int32_t>(random() >> (random() % 31 + 32)); });
    case DType::kI64: return make(int_specials<int64_t>(), [&] { return static_cast<int64_t>(random() >> (random() % 63)); });
    case DType::kU32: return make(int_specials<uint32_t>(), [&] { return static_cast<uint32_t>(random() >> (random() % 31 + 32)); });
    case DType::kU64: return make(int_specials<uint64_t>(), [&] { return random() >> (random() % 63); });
    case DType::kI8: return make(int_specials<int8_t>(), [&] { return static_cast<int8_t>(random() >> (random() % 7 + 56)); });
    case DType::kU8: return make(int_specials<uint8_t>(), [&] { return static_cast<uint8_t>(random() >> (random() % 7 + 56)); });
    case DType::kI16: return make(int_specials<int16_t>(), [&] { return static_cast<int16_t>(random() >> (random() % 15 + 48)); });
    case DType::kU16: return make(int_specials<uint16_t>(), [&] { return static_cast<uint16_t>(random() >> (random() % 15 + 48)); });
    case DType::kF16:
    case DType::kBF16:
      return make(std::vector<uint16_t>{0, 0x8000, 0x3c00, 0x3f80, 0x7c00, 0x7f80, 0xfc00, 0xff80, 0x7fff, 1}, [&] {
        const double ordinary =
            std::ldexp(static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63, static_cast<int>(random() % 24) - 8);
        return random() % 2 == 0 ? static_cast<uint16_t>(random()) : scalar_from_double(dtype, ordinary).as<uint16_t>();
      });
    default: FAIL("no operands of this dtype"); return {};
  }
}

/// Returns the index of the first element that differs, or -1 if none does. All NaNs count as equal.
ptrdiff_t first_difference(const Array& a, const Array& b) {
  const size_t size = size_of(a.dtype);
  for (size_t i = 0; i < a.count(); ++i) {
    if (std::memcmp(&a.bytes[i * size], &b.bytes[i * size], size) == 0) continue;
    const auto is_nan = [&](const Array& x) {
      Scalar value{x.dtype, {0, 0}};
      std::memcpy(value.bits, &x.bytes[i * size], size);
      return is_float(x.dtype) && std::isnan(to_double(value));
    };
    if (!is_nan(a) || !is_nan(b)) return static_cast<ptrdiff_t>(i);
  }
  return -1;
}

std::string element_text(const Array& a, size_t i) {
  Scalar value{a.dtype, {0, 0}};
  std::memcpy(value.bits, &a.bytes[i * size_of(a.dtype)], size_of(a.dtype));
  return to_string(value);
}

struct Case {
  Op op;
  DType dtype, result;
};

std::vector<Case> cases_of(DType dtype) {
  std::vector<Case> cases;
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_elementwise(op) || !has_nodes_of(op, dtype)) continue;
    if (op == Op::kCast || op == Op::kBitcast) {
      for (int to = 0; to < kDTypeCount; ++to) {
        const DType target = static_cast<DType>(to);
        if (!info(target).in_graph || is_complex(target) || target == dtype) continue;
        if (op == Op::kBitcast && (size_of(target) != size_of(dtype) || is_bool(target) || is_bool(dtype))) continue;
        cases.push_back({op, dtype, target});
      }
    } else {
      cases.push_back({op, dtype, info(op).result == Result::kBool ? DType::kBool : dtype});
    }
  }
  return cases;
}

/// Returns the result that the interpreter computes.
Array definition(const Case& c, const std::vector<Array>& sources) {
  Graph graph;
  std::vector<build::NodeRef> nodes;
  for (size_t i = 0; i < sources.size(); ++i)
    nodes.push_back(graph.add_input(cat("x", i), sources[i].dtype, Shape{Sym(static_cast<int64_t>(sources[i].count()))}));
  const build::NodeRef value = c.op == Op::kCast      ? build::cast(nodes[0], c.result)
                               : c.op == Op::kBitcast ? build::bitcast(nodes[0], c.result)
                                                      : build::elementwise(c.op, nodes);
  graph.add_output("y", value);
  Array result{c.result, std::vector<std::byte>(sources[0].count() * size_of(c.result))};
  std::vector<const void*> in;
  for (const Array& a : sources) in.push_back(a.bytes.data());
  void* out = result.bytes.data();
  interpret(graph, in, std::span(&out, 1), {});
  return result;
}

/// Renders one kernel for each elementwise op of a dtype, runs all of them, as vectors and as scalars, and compares with the interpreter.
/// Compiles and runs nothing if the same text was already tested for another target.
void check_all_ops(DType dtype, const render::RenderOptions& options, const std::string& compiler, CompiledTexts& compiled) {
  constexpr size_t kCount = 4096;
  const std::vector<Case> cases = cases_of(dtype);
  ModuleBuilder b;
  std::vector<Array> inputs = operands(dtype, 3, kCount, 7);
  for (Array& a : operands(dtype, 2, kCount, 8)) inputs.push_back(std::move(a));
  for (Array& a : operands(dtype, 1, kCount, 9)) inputs.push_back(std::move(a));
  inputs.push_back(operands(DType::kBool, 1, kCount, 10)[0]);
  for (const Array& a : inputs) b.input(a.dtype);
  static constexpr int kFirst[] = {0, 5, 3, 0};  // kFirst[arity] is the index of the first input of an op with that arity

  for (const Case& c : cases) {
    std::vector<int> sources;
    for (int i = 0; i < info(c.op).arity; ++i) sources.push_back(kFirst[info(c.op).arity] + i);
    if (c.op == Op::kWhere) sources[0] = 6;
    const int wide = lanes_for(options, std::max(size_of(working_dtype(c.dtype)), size_of(working_dtype(c.result))));
    for (const int lanes : {1, wide}) {
      const Sym i = b.syms->loop("i", 0, static_cast<int64_t>(kCount));
      std::vector<const UOp*> values;
      for (size_t s = 0; s < sources.size(); ++s)
        values.push_back(b.load(b.module.inputs[static_cast<size_t>(sources[s])].dtype, static_cast<int>(s), i, lanes));
      const UOp* value = b.arena->apply(c.op, c.result, values);
      ir::Kernel kernel;
      kernel.comment = cat(name(c.op), " of ", name(c.dtype));
      kernel.simd_width = lanes;
      const int output = b.output(c.result);
      kernel.body = {
          b.loop(i, 0, static_cast<int64_t>(kCount), lanes, {b.store(static_cast<int>(sources.size()), i, value)}, ir::LoopKind::kThread)};
      b.launch(std::move(kernel), sources, {output});
      if (wide == 1) break;
    }
  }
  const std::string source = b.render(options);
  if (const char* folder = std::getenv("HARP_KEEP_SOURCES"))
    std::ofstream(cat(folder, "/", name(dtype), "-", options.plain_text ? "plain" : options.target.name, ".c")) << source;
  // Only source for the target of this CPU is compiled with optimisation: by gcc for every second dtype, and by clang for the others. All
  // other source is compiled without optimisation and inlining, which takes a fifth of the time or less.
  const bool is_sampled = (static_cast<int>(dtype) + static_cast<int>(compiler == "gcc")) % 2 == 0;
  const bool optimised = (!options.plain_text && options.target == host_machine() && is_sampled) || std::getenv("HARP_TORTURE") != nullptr;
  const std::string level = optimised ? "-O3" : cat("-O0 ", kNoInlining);
  if (!compiled.add(source, compiler, options.target, level) && std::getenv("HARP_TORTURE") == nullptr) return;
  const Unit unit(source, compiler, options.target, level);
  const std::vector<Array> results = run(unit, b.module, inputs, kCount);
  size_t output = 0;
  for (const Case& c : cases) {
    std::vector<Array> sources;
    for (int i = 0; i < info(c.op).arity; ++i)
      sources.push_back(inputs[static_cast<size_t>(c.op == Op::kWhere && i == 0 ? 6 : kFirst[info(c.op).arity] + i)]);
    const Array expected = definition(c, sources);
    const int wide = lanes_for(options, std::max(size_of(working_dtype(c.dtype)), size_of(working_dtype(c.result))));
    for (const int lanes : {1, wide}) {
      const Array& result = results[output++];
      const ptrdiff_t at = first_difference(result, expected);
      if (at >= 0) {
        std::string of;
        for (const Array& s : sources) append(of, cat(" ", element_text(s, static_cast<size_t>(at))));
        FAIL_CHECK(cat(compiler, " ", options.target.name, options.plain_text ? " plain" : "", " lanes ", lanes, ": ", name(c.op), " ",
                       name(c.dtype), " -> ", name(c.result), " of", of, " is ", element_text(result, static_cast<size_t>(at)),
                       ", should be ", element_text(expected, static_cast<size_t>(at))));
      }
      if (wide == 1) break;
    }
  }
  CHECK(output == results.size());
}

/// Checks all ops of a dtype. Source for the target machine() is compiled by both compilers. Source for each other target is compiled by
/// only one of them, in alternation, unless HARP_TORTURE is set.
void check_all_ops(DType dtype) {
  const std::vector<render::RenderOptions> all = dialects();
  const std::vector<std::string> found = compilers();
  CompiledTexts compiled;
  for (size_t d = 0; d < all.size(); ++d)
    for (size_t c = 0; c < found.size(); ++c) {
      const bool is_machine = !all[d].plain_text && all[d].target == machine();
      if (is_machine || (d + c) % found.size() == 0 || std::getenv("HARP_TORTURE") != nullptr)
        check_all_ops(dtype, all[d], found[c], compiled);
    }
}

}  // namespace

TEST_CASE("C renderer: every elementwise op of bool has the interpreter's bits") { check_all_ops(DType::kBool); }
TEST_CASE("C renderer: every elementwise op of i32 has the interpreter's bits") { check_all_ops(DType::kI32); }
TEST_CASE("C renderer: every elementwise op of i64 has the interpreter's bits") { check_all_ops(DType::kI64); }
TEST_CASE("C renderer: every elementwise op of f32 has the interpreter's bits") { check_all_ops(DType::kF32); }
TEST_CASE("C renderer: every elementwise op of f64 has the interpreter's bits") { check_all_ops(DType::kF64); }
TEST_CASE("C renderer: every elementwise op of u32 and u64 has the interpreter's bits") {
  check_all_ops(DType::kU32);
  check_all_ops(DType::kU64);
}
TEST_CASE("C renderer: every elementwise op of the narrow integers has the interpreter's bits") {
  check_all_ops(DType::kI8);
  check_all_ops(DType::kU8);
  check_all_ops(DType::kI16);
  check_all_ops(DType::kU16);
}
TEST_CASE("C renderer: every elementwise op of f16 and bf16 has the interpreter's bits") {
  check_all_ops(DType::kF16);
  check_all_ops(DType::kBF16);
}

namespace {

/// Checks maximum and minimum of special values and a constant. The renderer has a shorter form for some constants.
template <class T>
void check_extremes_of_constants(DType dtype) {
  using L = std::numeric_limits<T>;
  const T constants[] = {T(0), T(-0.0), T(1), T(-2.5), L::denorm_min(), -L::min(), L::infinity(), -L::infinity(), L::quiet_NaN()};
  const Array x = operands(dtype, 1, 128, 11)[0];
  const auto with_constant = [&](T c) { return array_of(dtype, std::vector<T>(x.count(), c)); };
  CompiledTexts compiled;
  for (const render::RenderOptions& options : dialects())
    for (const std::string& compiler : compilers()) {
      ModuleBuilder b;
      const int input = b.input(dtype), lanes = lanes_for(options, sizeof(T));
      std::vector<Array> expected;
      for (const Op op : {Op::kMax, Op::kMin})
        for (const T c : constants)
          for (const bool first : {false, true}) {
            const Sym i = b.syms->loop("i", 0, static_cast<int64_t>(x.count()));
            const UOp *value = b.load(dtype, 0, i, lanes), *constant = b.arena->splat(b.arena->constant(Scalar::of(dtype, c)), lanes);
            const auto operands = first ? std::vector{constant, value} : std::vector{value, constant};
            ir::Kernel kernel;
            kernel.body = {b.loop(i, 0, static_cast<int64_t>(x.count()), lanes, {b.store(1, i, b.arena->apply(op, dtype, operands))},
                                  ir::LoopKind::kThread)};
            b.launch(std::move(kernel), {input}, {b.output(dtype)});
            expected.push_back(definition({op, dtype, dtype}, {x, with_constant(c)}));
          }
      const std::string source = b.render(options);
      if (!compiled.add(source, compiler, options.target, "-O3")) continue;
      const Unit unit(source, compiler, options.target);
      std::vector<Array> inputs = {x};
      const std::vector<Array> results = run(unit, b.module, inputs, x.count());
      for (size_t k = 0; k < expected.size(); ++k) {
        INFO(compiler, " ", std::string(options.target.name), options.plain_text ? " plain" : "", ", kernel ", k);
        CHECK(first_difference(results[k], expected[k]) == -1);
      }
    }
}

}  // namespace

TEST_CASE("C renderer: maximum and minimum with a constant have the interpreter's bits") {
  check_extremes_of_constants<float>(DType::kF32);
  check_extremes_of_constants<double>(DType::kF64);
}
