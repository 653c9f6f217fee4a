// Tests the C renderer on modules that are built by hand. Each module is rendered, compiled with every compiler and run. Loops, accesses,
// symbolic sizes, the order of launches, and the calls of the runtime's functions must be as the module says. (render_ops_test.cpp tests
// every op.)
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include "base/error.h"
#include "support/rendered.h"

namespace {

using namespace harp;
using namespace harp::testing;

void for_each_unit(ModuleBuilder& (*make)(int lanes, ModuleBuilder& b), size_t widest, auto&& check) {
  CompiledTexts compiled;
  for (const render::RenderOptions& options : dialects())
    for (const std::string& compiler : compilers()) {
      ModuleBuilder b;
      make(lanes_for(options, widest), b);
      const std::string source = b.render(options);
      if (!compiled.add(source, compiler, options.target, "-O3")) continue;
      const Unit unit(source, compiler, options.target);
      INFO(compiler, " ", std::string(options.target.name), options.plain_text ? " plain text" : "");
      check(unit, b.module);
    }
}

constexpr int64_t kRows = 5, kColumns = 1000;

/// Makes a kernel with three reductions of each row: the sum in 64 lanes with a remainder, the maximum, and the dot product with another
/// row.
ModuleBuilder& reduction_module(int lanes, ModuleBuilder& b) {
  const int x = b.input(DType::kF32), w = b.input(DType::kF32);
  const int sum = b.output(DType::kF32), largest = b.output(DType::kF32), dot = b.output(DType::kF32);
  const Sym row = b.syms->loop("r", 0, kRows), block = b.syms->loop("b", 0, kColumns / 64 * 64), lane = b.syms->loop("l", 0, 64),
            tail = b.syms->loop("t", 0, kColumns % 64);
  ir::Kernel k;
  k.comment = "reductions";
  const Scalar zero = scalar_from_double(DType::kF32, 0), least = scalar_from_double(DType::kF32, -INFINITY);
  k.accumulators = {
      {{DType::kF32, 1}, 64, Op::kAdd, zero}, {{DType::kF32, 1}, 64, Op::kMax, least}, {{DType::kF32, 1}, 64, Op::kAdd, zero}};
  const auto updates = [&](Sym element, Sym position, int n) {
    const UOp* value = b.load(DType::kF32, 0, row * kColumns + position, n);
    const UOp* factor = b.load(DType::kF32, 1, position, n);
    return ir::Body{b.update(0, element, value), b.update(1, element, value), b.update(2, element, value, factor)};
  };
  ir::Body body;
  for (int a = 0; a < 3; ++a) body.push_back(b.accumulator<ir::AccDeclare>(a));
  body.push_back(
      b.loop(block, 0, kColumns / 64 * 64, 64, {b.loop(lane, 0, 64, lanes, updates(lane, block + lane, lanes), ir::LoopKind::kUnroll)}));
  body.push_back(b.loop(tail, 0, kColumns % 64, 1, updates(tail, Sym(kColumns / 64 * 64) + tail, 1)));
  for (int a = 0; a < 3; ++a) body.push_back(b.accumulator<ir::AccFold>(a));
  for (int a = 0; a < 3; ++a) body.push_back(b.store(2 + a, row, b.arena->acc(DType::kF32, a, 0)));
  k.body = {b.loop(row, 0, kRows, 1, std::move(body), ir::LoopKind::kThread)};
  b.launch(std::move(k), {x, w}, {sum, largest, dot});
  return b;
}

float fold(std::vector<float> lanes, bool largest) {
  for (size_t half = 32; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) lanes[i] = largest ? std::fmax(lanes[i], lanes[i + half]) : lanes[i] + lanes[i + half];
  return lanes[0];
}

}  // namespace

TEST_CASE("C renderer: 64 lanes, folded by halving, with a scalar tail") {
  std::mt19937 random(5);
  const auto draw = [&](size_t n) {
    std::vector<float> v(n);
    for (float& f : v) f = static_cast<float>(random() % 20001) * 0.37f - 3000.0f;
    return v;
  };
  const std::vector<float> x = draw(kRows * kColumns), w = draw(kColumns);
  for_each_unit(reduction_module, 4, [&](const Unit& unit, const ir::Module& module) {
    std::vector<Array> inputs = {array_of(DType::kF32, x), array_of(DType::kF32, w)};
    const std::vector<Array> results = run(unit, module, inputs, kRows);
    for (size_t r = 0; r < kRows; ++r) {
      std::vector<float> sum(64, 0.0f), dot(64, 0.0f), largest(64, -INFINITY);
      for (size_t c = 0; c < kColumns; ++c) {
        const float value = x[r * kColumns + c];
        sum[c % 64] += value;
        dot[c % 64] = std::fmaf(value, w[c], dot[c % 64]);
        largest[c % 64] = std::fmax(largest[c % 64], value);
      }
      CHECK(values_of<float>(results[0])[r] == fold(sum, false));
      CHECK(values_of<float>(results[1])[r] == fold(largest, true));
      CHECK(values_of<float>(results[2])[r] == fold(dot, false));
    }
  });
}

namespace {

constexpr int64_t kLength = 64;

/// Makes a module with one kernel for each kind of access: masked, strided, reversed and broadcast loads; masked and strided stores;
/// indices as values; bools in memory. The numbers in the comments below are those of the outputs.
ModuleBuilder& access_module(int lanes, ModuleBuilder& b) {
  const int x = b.input(DType::kF32), flags = b.input(DType::kBool);
  const Sym i = b.syms->loop("i", 0, kLength);
  const auto kernel = [&](DType result, auto&& make) {
    ir::Kernel k;
    k.comment = "access";
    const int y = b.output(result);
    k.body = {b.loop(i, 0, kLength, lanes, make(), ir::LoopKind::kThread)};
    b.launch(std::move(k), {x, flags}, {y});
  };
  const auto value = [&](const UOp* v) { return std::vector<Stmt*>{b.store(2, i, v)}; };
  const UOp* inside = b.position(UKind::kInRange, DType::kBool, i - 5, lanes, 1);
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, i - 5, lanes, 1, inside)); });          // output 0: padded
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, i * 3, lanes, 3)); });                  // output 1: every third element
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, Sym(kLength - 1) - i, lanes, -1)); });  // output 2: flipped
  kernel(DType::kF32, [&] { return value(b.arena->splat(b.load(DType::kF32, 0, 7, 1), lanes)); });      // output 3: one element broadcast
  kernel(DType::kBool, [&] { return value(b.arena->alu(Op::kBitXor, DType::kBool, {b.load(DType::kBool, 1, i, lanes), inside})); });  // 4
  kernel(DType::kF32, [&] {  // output 5: masked store over existing values
    return std::vector<Stmt*>{b.store(2, i, b.arena->splat(b.arena->constant(scalar_from_double(DType::kF32, 1)), lanes)),
                              b.store(2, i, b.load(DType::kF32, 0, i, lanes), 1, b.load(DType::kBool, 1, i, lanes))};
  });
  kernel(DType::kF32, [&] { return std::vector<Stmt*>{b.store(2, Sym(kLength - 1) - i, b.load(DType::kF32, 0, i, lanes), -1)}; });  // 6
  kernel(DType::kI32, [&] {  // output 7: indices
    return value(b.arena->alu(Op::kCast, DType::kI32, {b.position(UKind::kIndex, DType::kI64, i * 2 + 3, lanes, 2)}));
  });
  kernel(DType::kF32, [&] {  // output 8: a mask from memory, a strided masked load
    return value(b.load(DType::kF32, 0, i * 2, lanes, 2, b.load(DType::kBool, 1, i, lanes)));
  });
  kernel(DType::kI64, [&] { return value(b.position(UKind::kIndex, DType::kI64, Sym(10) - i, lanes, -1)); });  // 9
  return b;
}

}  // namespace

TEST_CASE("C renderer: masked, strided, reversed and broadcast accesses, positions as values, bools in memory") {
  std::vector<float> x(static_cast<size_t>(kLength) * 3);
  std::vector<uint8_t> flags(static_cast<size_t>(kLength));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.5f - 7;
  for (size_t i = 0; i < flags.size(); ++i) flags[i] = static_cast<uint8_t>(i % 3 == 0 ? 0 : i * 7);
  for_each_unit(access_module, 8, [&](const Unit& unit, const ir::Module& module) {
    std::vector<Array> inputs = {array_of(DType::kF32, x), array_of(DType::kBool, flags)};
    const std::vector<Array> results = run(unit, module, inputs, kLength);
    for (size_t i = 0; i < kLength; ++i) {
      CAPTURE(i);
      CHECK(values_of<float>(results[0])[i] == (i >= 5 ? x[i - 5] : 0.0f));
      CHECK(values_of<float>(results[1])[i] == x[3 * i]);
      CHECK(values_of<float>(results[2])[i] == x[kLength - 1 - i]);
      CHECK(values_of<float>(results[3])[i] == x[7]);
      CHECK(values_of<uint8_t>(results[4])[i] == ((flags[i] != 0) != (i >= 5) ? 1 : 0));
      CHECK(values_of<float>(results[5])[i] == (flags[i] != 0 ? x[i] : 1.0f));
      CHECK(values_of<float>(results[6])[i] == x[kLength - 1 - i]);
      CHECK(values_of<int32_t>(results[7])[i] == static_cast<int32_t>(2 * i + 3));
      CHECK(values_of<float>(results[8])[i] == (flags[i] != 0 ? x[2 * i] : 0.0f));
      CHECK(values_of<int64_t>(results[9])[i] == 10 - static_cast<int64_t>(i));
    }
  });
}

namespace {

/// Makes a kernel that computes y[n, m] = x[n, m] * s[n] with symbolic sizes; m may be 0. s[n] is loaded before the inner loop, but only if
/// that loop has an iteration. The last vector of a row overlaps the previous one.
ModuleBuilder& symbolic_module(int lanes, ModuleBuilder& b) {
  const Sym n = b.syms->variable("n", 0, 1 << 20), m = b.syms->variable("m", 0, 1 << 20);
  b.module.shape_vars = {n, m};
  const int x = b.input(DType::kF32), s = b.input(DType::kF32), y = b.output(DType::kF32);
  const Sym r = b.syms->loop("r", 0, n), c = b.syms->loop("c", 0, m), rest = b.syms->loop("c", 0, m);
  const auto body = [&](Sym column, int count) {
    const UOp* scale = b.load(DType::kF32, 1, r, 1);
    const UOp* twice = b.arena->alu(Op::kAdd, DType::kF32, {scale, scale});
    return b.store(2, r * m + column,
                   b.arena->alu(Op::kMul, DType::kF32, {b.load(DType::kF32, 0, r * m + column, count), b.arena->splat(twice, count)}));
  };
  ir::Loop* vector = b.loop(c, 0, m, lanes, {body(c, lanes)});
  vector->overlap = lanes > 1;
  auto* choice = b.arena->statement<ir::If>();
  choice->condition = m - lanes;
  choice->body = {vector};
  choice->otherwise = {b.loop(rest, 0, m, 1, {body(rest, 1)})};
  ir::Kernel k;
  k.comment = "rows times a factor";
  k.body = {b.loop(r, 0, n, 1, {choice}, ir::LoopKind::kThread)};
  b.launch(std::move(k), {x, s}, {y});
  return b;
}

}  // namespace

namespace {

/// Makes a module whose kernel doubles each element of x until it is at least 100, and stores the number of steps. It processes `lanes`
/// elements at a time. An accumulator of bools says which lanes still continue; the loop ends when no lane does. If kSingle is true, an
/// additional statement sets only the first element of this accumulator, so that the first lane makes no step. The accumulator is then an
/// array of bools instead of a mask.
template <bool kSingle>
ModuleBuilder& flags_module(int lanes, ModuleBuilder& b) {
  const int x = b.input(DType::kF32), y = b.output(DType::kI32);
  const Sym i = b.syms->loop("i", 0, kLength), turn = b.syms->loop("turn", 0, 1000);
  const auto all = [&](Scalar value) {
    const UOp* one = b.arena->constant(value);
    return lanes > 1 ? b.arena->splat(one, lanes) : one;
  };
  const auto acc = [&](DType dtype, int number) {
    UOp u{.kind = UKind::kAcc, .type = {dtype, static_cast<uint16_t>(lanes)}};
    u.buffer = number;
    if (lanes > 1) u.lane_step = 1;
    return b.arena->intern(std::move(u));
  };
  const auto set = [&](int number, const UOp* value) {
    auto* s = b.accumulator<ir::AccSet>(number);
    s->value = value;
    if (value->type.lanes > 1) s->lane_step = 1;
    return s;
  };
  const UOp *value = acc(DType::kF32, 0), *steps = acc(DType::kI32, 1), *goes_on = acc(DType::kBool, 2);
  const Scalar one = scalar_from_int(DType::kI32, 1), yes = scalar_from_int(DType::kBool, 1), no = scalar_from_int(DType::kBool, 0);
  ir::Kernel k;
  k.comment = "flags";
  k.accumulators = {{{DType::kF32, 1}, lanes, Op::kAdd, scalar_from_int(DType::kF32, 0)},
                    {{DType::kI32, 1}, lanes, Op::kAdd, scalar_from_int(DType::kI32, 0)},
                    {{DType::kBool, 1}, lanes, Op::kAdd, no}};
  const auto where = [&](DType dtype, const UOp* next, const UOp* old) { return b.arena->alu(Op::kWhere, dtype, {goes_on, next, old}); };
  auto* at_once = b.arena->statement<ir::StoreGroup>();
  at_once->body = {set(0, where(DType::kF32, b.arena->alu(Op::kAdd, DType::kF32, {value, value}), value)),
                   set(1, where(DType::kI32, b.arena->alu(Op::kAdd, DType::kI32, {steps, all(one)}), steps))};
  const UOp* is_less = b.arena->alu(Op::kLt, DType::kBool, {value, all(scalar_from_int(DType::kF32, 100))});
  ir::Body body;
  for (int a = 0; a < 3; ++a) body.push_back(b.accumulator<ir::AccDeclare>(a));
  body.push_back(set(0, b.load(DType::kF32, 0, i, lanes)));
  body.push_back(set(2, all(yes)));
  if (kSingle) body.push_back(set(2, b.arena->constant(no)));
  body.push_back(b.loop(turn, 0, 1000, 1,
                        {set(2, b.arena->alu(Op::kBitAnd, DType::kBool, {goes_on, is_less})), b.accumulator<ir::Break>(2), at_once}));
  body.push_back(b.store(1, i, steps));
  k.body = {b.loop(i, 0, kLength, lanes, std::move(body), ir::LoopKind::kThread)};
  b.launch(std::move(k), {x}, {y});
  return b;
}

void check_flags(ModuleBuilder& (*make)(int lanes, ModuleBuilder& b), bool is_single) {
  std::vector<float> x;
  for (int64_t i = 0; i < kLength; ++i) x.push_back(static_cast<float>(i % 13) * 9 + 0.5f);
  for_each_unit(make, 4, [&](const Unit& unit, const ir::Module& module) {
    std::vector<Array> inputs = {array_of(DType::kF32, x)};
    const std::vector<int32_t> steps = values_of<int32_t>(run(unit, module, inputs, kLength)[0]);
    const auto lanes = static_cast<size_t>(module.kernels[0].accumulators[0].count);
    for (size_t i = 0; i < steps.size(); ++i) {
      CAPTURE(i);
      int32_t expected = 0;
      for (float value = x[i]; value < 100; value += value) ++expected;
      CHECK(steps[i] == (is_single && i % lanes == 0 ? 0 : expected));
    }
  });
}

}  // namespace

TEST_CASE("C renderer: accumulators of bools are masks by which a loop ends") { check_flags(flags_module<false>, false); }

TEST_CASE("C renderer: accumulators of bools whose elements are set singly are arrays") { check_flags(flags_module<true>, true); }

TEST_CASE("G16 C renderer: symbolic sizes, empty rows, overlapping last vectors, both entry points") {
  for_each_unit(symbolic_module, 4, [&](const Unit& unit, const ir::Module& module) {
    for (const size_t n : {0, 1, 3})
      for (const size_t m : {0, 1, 3, 4, 15, 16, 17, 100}) {
        CAPTURE(n);
        CAPTURE(m);
        std::vector<float> x(n * m), s(n), y(n * m + 1, -1.0f), z = y;
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) + 0.25f;
        for (size_t i = 0; i < n; ++i) s[i] = static_cast<float>(i) - 0.5f;
        // Arrays without elements may be NULL. If rows have no elements, s must not be read.
        void* in[] = {m == 0 ? nullptr : x.data(), m == 0 ? nullptr : s.data()};
        void *out[] = {y.data()}, *out_plain[] = {z.data()};
        size_t shape[] = {n, m};
        CHECK(unit.entry_ex()(in, out, shape, nullptr) == 0);
        unit.entry()(in, out_plain, shape);
        for (size_t i = 0; i < n * m; ++i) CHECK(y[i] == x[i] * (s[i / m] + s[i / m]));
        CHECK(y[n * m] == -1.0f);
        CHECK(std::memcmp(y.data(), z.data(), y.size() * sizeof(float)) == 0);
      }
    (void)module;
  });
}

namespace {

/// Makes a module of two generations (sets of launches of which each set runs after the previous one), with a buffer in the workspace
/// between them: t = x * c, where c is a constant array, then y = t + t and z = t + t. y and z are computed by the same kernel function.
ModuleBuilder& workspace_module(int lanes, ModuleBuilder& b) {
  const Sym n = b.syms->variable("n", 0, 1 << 24);
  b.module.shape_vars = {n};
  b.module.workspace = ceil_div(n * 4, 64) * 64;
  const int x = b.input(DType::kF32), y = b.output(DType::kF32), z = b.output(DType::kF32);
  const std::vector<float> constants = {0.5f, -0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()};
  const Array bytes = array_of(DType::kF32, constants);
  b.module.constants.push_back({DType::kF32, std::make_shared<const std::vector<std::byte>>(bytes.bytes)});
  using Kind = ir::HostBuffer::Kind;
  const auto kernel = [&](auto&& value, std::vector<ir::Param> params) {
    const Sym i = b.syms->loop("i", 0, n);
    ir::Kernel k;
    k.name = cat("kernel_", b.module.kernels.size());
    k.comment = "a comment that does not matter */ #error";
    k.params = std::move(params);
    k.work = n * 500;  // picoseconds
    k.body = {b.loop(i, 0, n, 1, {b.store(static_cast<int>(k.params.size()) - 1, i, value(i))}, ir::LoopKind::kThread)};
    b.module.kernels.push_back(std::move(k));
  };
  (void)lanes;
  kernel(
      [&](Sym i) {
        return b.arena->alu(Op::kMul, DType::kF32, {b.load(DType::kF32, 0, i, 1), b.load(DType::kF32, 1, mod(i, 4), 1)});
      },
      {{"input0", DType::kF32, false}, {"constant0", DType::kF32, false}, {"tmp0", DType::kF32, true}});
  for (const char* output : {"output0", "output1"})
    kernel(
        [&](Sym i) {
          return b.arena->alu(Op::kAdd, DType::kF32, {b.load(DType::kF32, 0, i, 1), b.load(DType::kF32, 0, i, 1)});
        },
        {{"tmp0", DType::kF32, false}, {output, DType::kF32, true}});
  b.module.name = "a name */ with \n a trap";
  b.module.generations = {{{{0, {{Kind::kInput, x, 0}, {Kind::kConstant, 0, 0}, {Kind::kTemporary, 0, 0}}, std::nullopt}}, {}},
                          {{{1, {{Kind::kTemporary, 0, 0}, {Kind::kOutput, y, 0}}, std::nullopt},
                            {2, {{Kind::kTemporary, 0, 0}, {Kind::kOutput, z, 0}}, std::nullopt}},
                           {}}};
  return b;
}

/// Implements the functions that a host program provides: runs iterations in pieces and in reverse order, and counts calls. It can refuse
/// to allocate memory.
struct Host {
  size_t calls = 0, pieces = 0, allocations = 0, releases = 0;
  bool no_memory = false;
  unsigned worker_environment = 0x1f80;

  static void parallel_for(void* self, size_t n, size_t grain, harp_range_body body, void* arg) {
    Host& host = *static_cast<Host*>(self);
    ++host.calls;
#if defined(__x86_64__)
    const unsigned found = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(host.worker_environment);
#endif
    for (size_t end = n; end > 0;) {
      const size_t begin = end > grain ? end - grain : 0;
      body(arg, begin, end, host.pieces++ % 2);
      end = begin;
    }
#if defined(__x86_64__)
    CHECK((__builtin_ia32_stmxcsr() & ~0x3fu) == (host.worker_environment & ~0x3fu));
    __builtin_ia32_ldmxcsr(found);
#endif
  }
  static void* alloc(void* self, size_t size) {
    Host& host = *static_cast<Host*>(self);
    ++host.allocations;
    return host.no_memory ? nullptr : std::aligned_alloc(64, (size + 63) / 64 * 64);
  }
  static void release(void* self, void* memory) {
    ++static_cast<Host*>(self)->releases;
    std::free(memory);
  }
  harp_runtime runtime() {
    harp_runtime r{};
    r.struct_size = sizeof r;
    r.self = this;
    r.width = 2;
    r.parallel_for = parallel_for;
    r.alloc = alloc;
    r.free = release;
    return r;
  }
};

}  // namespace

TEST_CASE("L1 L2 C renderer: generations, workspace, constant arrays, run time of the host, equal kernels once") {
  const render::RenderOptions options{machine(), false};
  ModuleBuilder b;
  const std::string source = workspace_module(1, b).render(options);
  CHECK(source.find("kernel_0(void*") != std::string::npos);
  CHECK(source.find("kernel_1(void*") != std::string::npos);
  CHECK(source.find("kernel_2(void*") == std::string::npos);  // there is no third function, because kernel_1 computes z as well as y
  CHECK(source.find("harp_run_together(rt, cancel, 2, tasks)") != std::string::npos);
  for (const std::string& compiler : compilers()) {
    const Unit unit(source, compiler, options.target);
    for (const size_t n : {size_t{0}, size_t{5}, size_t{100000}}) {
      CAPTURE(n);
      std::vector<float> x(n), y(n), z(n), expected(n);
      constexpr float kConstants[] = {0.5f, -0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()};
      for (size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i + 1);
        expected[i] = x[i] * kConstants[i % 4] + x[i] * kConstants[i % 4];
      }
      void *in[] = {x.data()}, *out[] = {y.data(), z.data()};
      size_t shape[] = {n};
      const auto check = [&] {
        CHECK(y == expected);
        CHECK(z == expected);
        std::fill(y.begin(), y.end(), -3.0f);
        std::fill(z.begin(), z.end(), -3.0f);
      };
      unit.entry()(in, out, shape);
      check();
      Host host;
      harp_runtime runtime = host.runtime();
      CHECK(unit.entry_ex()(in, out, shape, &runtime) == 0);
      check();
      const int allocations = n > 0 ? 1 : 0;  // with n = 0 the program needs no memory
      CHECK(host.allocations == allocations);
      CHECK(host.releases == allocations);
      CHECK((host.calls > 0) == (n == 100000));
      // The caller passes memory of exactly the size that the program has reported.
      std::vector<std::byte> memory(n * 4 + 128);
      runtime.workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
      runtime.workspace_size = (n * 4 + 63) / 64 * 64;
      CHECK(unit.entry_ex()(in, out, shape, &runtime) == 0);
      check();
      CHECK(host.allocations == allocations);
      // If the host provides no memory, the program writes nothing.
      runtime.workspace = nullptr;
      runtime.workspace_size = 0;
      host.no_memory = true;
      CHECK(unit.entry_ex()(in, out, shape, &runtime) == (n > 0 ? static_cast<int32_t>(Code::kOutOfMemory) : 0));
      CHECK(std::all_of(y.begin(), y.end(), [](float f) { return f == -3.0f; }));
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("C renderer: kernels compute in the default floating-point environment and leave the caller's") {
  const render::RenderOptions options{machine(), false};
  ModuleBuilder b;
  const Unit unit(workspace_module(1, b).render(options), compilers()[0], options.target);
  const size_t n = 100000;
  std::vector<float> x(n, 3e-39f), y(n), z(n);
  void *in[] = {x.data()}, *out[] = {y.data(), z.data()};
  size_t shape[] = {n};
  Host host;
  harp_runtime runtime = host.runtime();
  host.worker_environment = 0x9fc0 | 0x6000;  // the mode bits: flush to zero, denormals are zero, round towards zero
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(host.worker_environment);
  const int32_t status = unit.entry_ex()(in, out, shape, &runtime);
  const unsigned after = __builtin_ia32_stmxcsr();
  unit.entry()(in, out, shape);
  const unsigned after_entry = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  CHECK(status == 0);
  CHECK((after & ~0x3fu) == host.worker_environment);
  CHECK((after_entry & ~0x3fu) == host.worker_environment);
  CHECK(std::bit_cast<uint32_t>(y[0]) == std::bit_cast<uint32_t>(3e-39f * 0.5f + 3e-39f * 0.5f));
  CHECK(host.calls > 0);
}
#endif

TEST_CASE("C renderer: the run time's struct is harp.h's") {
  ModuleBuilder b;
  const std::string unit_source = workspace_module(1, b).render({machine(), false});
  const size_t begin = unit_source.find("typedef __SIZE_TYPE__"), end = unit_source.find("} harp_runtime;\n");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  static constexpr std::string_view kMembers[] = {"struct_size", "self",           "width",   "parallel_for", "alloc", "free",
                                                  "workspace",   "workspace_size", "natives", "step_cursor",  "fault"};
  std::string source = unit_source.substr(begin, end + 16 - begin);
  append(
      source,
      "int entry_point_ex(void** in, void** out, size_t* shape, const harp_runtime* rt) { (void)in; (void)out; (void)rt; size_t i = 0;\n");
  for (std::string_view m : kMembers) append(source, cat("shape[i++] = __builtin_offsetof(harp_runtime, ", m, ");\n"));
  append(source, "shape[i] = sizeof(harp_runtime); return 0; }\nvoid entry_point(void) {}\n");
  const Unit unit(source, compilers()[0], machines()[0]);
  size_t offsets[std::size(kMembers) + 1] = {};
  unit.entry_ex()(nullptr, nullptr, offsets, nullptr);
  const size_t expected[] = {offsetof(harp_runtime, struct_size),  offsetof(harp_runtime, self),           offsetof(harp_runtime, width),
                             offsetof(harp_runtime, parallel_for), offsetof(harp_runtime, alloc),          offsetof(harp_runtime, free),
                             offsetof(harp_runtime, workspace),    offsetof(harp_runtime, workspace_size), offsetof(harp_runtime, natives),
                             offsetof(harp_runtime, step_cursor),  offsetof(harp_runtime, fault),          sizeof(harp_runtime)};
  for (size_t i = 0; i < std::size(expected); ++i) CHECK(offsets[i] == expected[i]);
}

TEST_CASE("C renderer: plain text needs no symbol at any optimisation level") {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    ModuleBuilder b;
    const int x = b.input(dtype);
    for (const Op op : {Op::kSqrt, Op::kFloor, Op::kCeil, Op::kTrunc, Op::kRound, Op::kAbs, Op::kExp, Op::kSin, Op::kPow, Op::kFmod}) {
      const Sym i = b.syms->loop("i", 0, 16);
      const UOp* v = b.load(dtype, 0, i, 1);
      ir::Kernel k;
      k.comment = std::string(name(op));
      k.body = {b.loop(i, 0, 16, 1, {b.store(1, i, b.arena->apply(op, dtype, info(op).arity == 1 ? std::vector{v} : std::vector{v, v}))})};
      b.launch(std::move(k), {x}, {b.output(dtype)});
    }
    const std::string source = b.render({machines()[0], true});
    for (const std::string& compiler : compilers())
      for (const char* level : {"-O0", "-O1", "-O2", "-std=c99 -Os"}) Unit(source, compiler, machines()[0], level);
  }
}
