// Generated C against the interpreter: modules are built by hand, rendered, compiled with every compiler found and run; the bits of
// every output have to be those of the definition.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "base/error.h"
#include "graph/build.h"
#include "harp.h"
#include "interp/interpreter.h"
#include "ir/ir.h"
#include "render/c.h"

namespace {

using namespace harp;
using ir::Stmt;
using ir::StmtKind;
using ir::UKind;
using ir::UOp;

// --- compiling and loading -----------------------------------------------------------------------------------------------

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "harp-render-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

bool has_program(const std::string& name) { return std::system((name + " --version >/dev/null 2>&1").c_str()) == 0; }

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (has_program(name)) found.emplace_back(name);
  return found;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A loaded unit. Warnings are errors, and no symbol outside the whitelist may be undefined.
class Unit {
 public:
  Unit(const std::string& source, const std::string& compiler, const Target& target, const std::string& optimisation = "-O3") {
    const std::string c = folder_.path + "/unit.c", so = folder_.path + "/unit.so", log = folder_.path + "/log";
    std::ofstream(c) << source;
    std::string command =
        cat(compiler, " ", optimisation, " -Wall -Wextra -Werror -ffp-contract=off -fwrapv -fno-math-errno -fno-trapping-math ",
            "-fno-asynchronous-unwind-tables -shared -fPIC -nostdlib ");
    if (!target.march.empty()) append(command, cat("-march=", target.march, " "));
    if (target.prefer_512) command += "-mprefer-vector-width=512 ";
    const int status = std::system(cat(command, c, " -o ", so, " >", log, " 2>&1").c_str());
    INFO(compiler, " ", target.name, "\n", read_file(log).substr(0, 4000), "\n", status == 0 ? "" : source.substr(0, 20000));
    REQUIRE(status == 0);
    std::system(cat("nm -u ", so, " >", log).c_str());
    std::ifstream symbols(log);
    for (std::string word; symbols >> word;) {
      const bool allowed = word == "U" || word == "w" || word == "malloc" || word == "free" || word == "memcpy" || word == "memset";
      CHECK_MESSAGE(allowed, "undefined symbol ", word);
    }
    handle_ = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
    entry_ex = reinterpret_cast<harp_entry_point_ex>(dlsym(handle_, "entry_point_ex"));
    entry = reinterpret_cast<harp_entry_point>(dlsym(handle_, "entry_point"));
    const bool both = entry_ex != nullptr && entry != nullptr;
    REQUIRE(both);
  }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  harp_entry_point_ex entry_ex = nullptr;
  harp_entry_point entry = nullptr;

 private:
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

/// Levels this machine runs, the plain text last.
std::vector<render::RenderOptions> dialects() {
  std::vector<render::RenderOptions> all;
  for (const Target& t : targets()) {
    all.push_back({t, false});
    if (t == host_target()) break;
  }
  all.push_back({targets()[0], true});
  return all;
}

// --- values --------------------------------------------------------------------------------------------------------------

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

struct Array {
  DType dtype;
  std::vector<std::byte> bytes;
  size_t count() const { return bytes.size() / size_of(dtype); }
};

template <class T>
Array array_of(DType dtype, const std::vector<T>& values) {
  Array a{dtype, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}

/// `arity` arrays of `count` elements: every combination of special values first, then random bits.
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
        for (uint8_t& v : values) v = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 2);  // any non-zero byte is true
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

/// Same bits, every NaN counting as the same. Gives the index of the first difference, or -1.
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

// --- building modules ----------------------------------------------------------------------------------------------------

/// Builds one module; the caller adds kernels to it.
struct ModuleBuilder {
  std::shared_ptr<SymTable> syms = std::make_shared<SymTable>();
  ir::Module module;
  ir::Arena* arena = nullptr;

  ModuleBuilder() {
    module.arena = std::make_shared<ir::Arena>(syms);
    arena = module.arena.get();
    module.name = "test";
    module.generations.emplace_back();
  }

  const UOp* load(DType dtype, int buffer, Sym index, int lanes, Sym step = 1, const UOp* mask = nullptr) {
    UOp u{.kind = UKind::kLoad, .type = {dtype, static_cast<uint16_t>(lanes)}};
    u.buffer = buffer;
    u.index = index;
    if (lanes > 1) u.lane_step = step;
    if (mask != nullptr) u.sources.push_back(mask);
    return arena->intern(std::move(u));
  }
  const UOp* position(UKind kind, DType dtype, Sym index, int lanes, Sym step) {
    UOp u{.kind = kind, .type = {dtype, static_cast<uint16_t>(lanes)}};
    u.index = index;
    if (lanes > 1) u.lane_step = step;
    return arena->intern(std::move(u));
  }
  Stmt* store(int buffer, Sym index, const UOp* value, Sym step = 1, const UOp* mask = nullptr) {
    Stmt* s = arena->statement(StmtKind::kStore);
    s->buffer = buffer;
    s->index = index;
    if (value->type.lanes > 1) s->lane_step = step;
    s->value = value;
    s->mask = mask;
    return s;
  }
  Stmt* loop(Sym variable, Sym begin, Sym end, int64_t step, std::vector<Stmt*> body, ir::LoopKind kind = ir::LoopKind::kSequential) {
    Stmt* s = arena->statement(StmtKind::kLoop);
    s->variable = variable;
    s->begin = begin;
    s->end = end;
    s->step = step;
    s->loop = kind;
    s->body = std::move(body);
    return s;
  }
  Stmt* accumulator(StmtKind kind, int number, Sym index = 0, const UOp* value = nullptr, const UOp* factor = nullptr) {
    Stmt* s = arena->statement(kind);
    s->accumulator = number;
    s->index = index;
    s->value = value;
    s->factor = factor;
    if (value != nullptr && value->type.lanes > 1) s->lane_step = 1;
    return s;
  }
  int input(DType dtype) {
    module.inputs.push_back({cat("x", module.inputs.size()), dtype, {}});
    return static_cast<int>(module.inputs.size()) - 1;
  }
  int output(DType dtype) {
    module.outputs.push_back({cat("y", module.outputs.size()), dtype, {}});
    return static_cast<int>(module.outputs.size()) - 1;
  }
  /// A kernel that reads these inputs (its first parameters) and writes this output.
  void launch(ir::Kernel kernel, const std::vector<int>& inputs, const std::vector<int>& outputs) {
    ir::Launch launch{static_cast<int>(module.kernels.size()), {}, std::nullopt};
    kernel.name = cat("kernel_", module.kernels.size());
    for (int i : inputs) {
      kernel.params.push_back({cat("input", i), module.inputs[static_cast<size_t>(i)].dtype, false});
      launch.arguments.push_back({ir::HostBuffer::Kind::kInput, i, 0});
    }
    for (int o : outputs) {
      kernel.params.push_back({cat("output", o), module.outputs[static_cast<size_t>(o)].dtype, true});
      launch.arguments.push_back({ir::HostBuffer::Kind::kOutput, o, 0});
    }
    module.kernels.push_back(std::move(kernel));
    module.generations[0].push_back(std::move(launch));
  }

  std::string render(const render::RenderOptions& options) {
    ir::verify(module);
    return render::render_c(module, options);
  }
};

std::vector<Array> run(const Unit& unit, const ir::Module& module, std::vector<Array>& inputs, size_t count,
                       std::vector<size_t> shape_vars = {}) {
  std::vector<Array> results;
  for (const ir::ArrayType& o : module.outputs)
    results.push_back({o.dtype, std::vector<std::byte>(count * size_of(o.dtype), std::byte{0xa5})});
  std::vector<void*> in, out;
  for (Array& a : inputs) in.push_back(a.bytes.data());
  for (Array& a : results) out.push_back(a.bytes.data());
  CHECK(unit.entry_ex(in.data(), out.data(), shape_vars.data(), nullptr) == 0);
  return results;
}

int lanes_for(const render::RenderOptions& options, size_t widest) {
  return options.plain_text ? 1 : static_cast<int>(static_cast<size_t>(options.target.vector_bytes) / widest);
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

/// What the interpreter says.
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

/// Every elementwise op of one dtype, one kernel each, at `lanes` lanes and as scalars, against the definition.
void check_all_ops(DType dtype, const render::RenderOptions& options, const std::string& compiler) {
  constexpr size_t kCount = 4096;
  const std::vector<Case> cases = cases_of(dtype);
  ModuleBuilder b;
  std::vector<Array> inputs = operands(dtype, 3, kCount, 7);
  for (Array& a : operands(dtype, 2, kCount, 8)) inputs.push_back(std::move(a));
  for (Array& a : operands(dtype, 1, kCount, 9)) inputs.push_back(std::move(a));
  inputs.push_back(operands(DType::kBool, 1, kCount, 10)[0]);
  for (const Array& a : inputs) b.input(a.dtype);
  static constexpr int kFirst[] = {0, 5, 3, 0};  // first input for an arity

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
  const Unit unit(source, compiler, options.target);
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

/// Both compilers at the host's level; below it they take turns, unless HARP_TORTURE asks for all.
void check_all_ops(DType dtype) {
  const std::vector<render::RenderOptions> all = dialects();
  const std::vector<std::string> found = compilers();
  for (size_t d = 0; d < all.size(); ++d)
    for (size_t c = 0; c < found.size(); ++c) {
      const bool host = !all[d].plain_text && all[d].target == host_target();
      if (host || (d + c) % found.size() == 0 || std::getenv("HARP_TORTURE") != nullptr) check_all_ops(dtype, all[d], found[c]);
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

/// maximum and minimum of special values with constants, which have a form of their own where the constant allows it.
template <class T>
void check_extremes_of_constants(DType dtype) {
  using L = std::numeric_limits<T>;
  const T constants[] = {T(0), T(-0.0), T(1), T(-2.5), L::denorm_min(), -L::min(), L::infinity(), -L::infinity(), L::quiet_NaN()};
  const Array x = operands(dtype, 1, 128, 11)[0];
  const auto with_constant = [&](T c) { return array_of(dtype, std::vector<T>(x.count(), c)); };
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
      const Unit unit(b.render(options), compiler, options.target);
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

namespace {

template <class T>
std::vector<T> values_of(const Array& a) {
  std::vector<T> v(a.count());
  std::memcpy(v.data(), a.bytes.data(), a.bytes.size());
  return v;
}

void for_each_unit(ModuleBuilder& (*make)(int lanes, ModuleBuilder& b), size_t widest, auto&& check) {
  for (const render::RenderOptions& options : dialects())
    for (const std::string& compiler : compilers()) {
      ModuleBuilder b;
      make(lanes_for(options, widest), b);
      const Unit unit(b.render(options), compiler, options.target);
      INFO(compiler, " ", std::string(options.target.name), options.plain_text ? " plain text" : "");
      check(unit, b.module);
    }
}

constexpr int64_t kRows = 5, kColumns = 1000;

/// sum over the last axis in 64 lanes with a tail, and max of the same; dot product of two rows.
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
    return std::vector<Stmt*>{b.accumulator(StmtKind::kAccUpdate, 0, element, value),
                              b.accumulator(StmtKind::kAccUpdate, 1, element, value),
                              b.accumulator(StmtKind::kAccUpdate, 2, element, value, factor)};
  };
  std::vector<Stmt*> body;
  for (int a = 0; a < 3; ++a) body.push_back(b.accumulator(StmtKind::kAccDeclare, a));
  body.push_back(
      b.loop(block, 0, kColumns / 64 * 64, 64, {b.loop(lane, 0, 64, lanes, updates(lane, block + lane, lanes), ir::LoopKind::kUnroll)}));
  body.push_back(b.loop(tail, 0, kColumns % 64, 1, updates(tail, Sym(kColumns / 64 * 64) + tail, 1)));
  for (int a = 0; a < 3; ++a) body.push_back(b.accumulator(StmtKind::kAccFold, a));
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

/// Every kind of access: masked, strided, reversed, broadcast loads; masked and strided stores; positions as values; bools in memory.
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
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, i - 5, lanes, 1, inside)); });          // 0: padded
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, i * 3, lanes, 3)); });                  // 1: every third
  kernel(DType::kF32, [&] { return value(b.load(DType::kF32, 0, Sym(kLength - 1) - i, lanes, -1)); });  // 2: flipped
  kernel(DType::kF32, [&] { return value(b.arena->splat(b.load(DType::kF32, 0, 7, 1), lanes)); });      // 3: one element everywhere
  kernel(DType::kBool, [&] { return value(b.arena->alu(Op::kBitXor, DType::kBool, {b.load(DType::kBool, 1, i, lanes), inside})); });  // 4
  kernel(DType::kF32, [&] {  // 5: masked store over 1
    return std::vector<Stmt*>{b.store(2, i, b.arena->splat(b.arena->constant(scalar_from_double(DType::kF32, 1)), lanes)),
                              b.store(2, i, b.load(DType::kF32, 0, i, lanes), 1, b.load(DType::kBool, 1, i, lanes))};
  });
  kernel(DType::kF32, [&] { return std::vector<Stmt*>{b.store(2, Sym(kLength - 1) - i, b.load(DType::kF32, 0, i, lanes), -1)}; });  // 6
  kernel(DType::kI32, [&] {  // 7: positions
    return value(b.arena->alu(Op::kCast, DType::kI32, {b.position(UKind::kIndex, DType::kI64, i * 2 + 3, lanes, 2)}));
  });
  kernel(DType::kF32, [&] {  // 8: a mask from memory, a strided masked load
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

/// y[n, m] = x[n, m] * s[n] with symbolic sizes, m possibly 0: what does not change in the inner loop is loaded before it, but only if
/// there is an inner iteration. The last vector of a row overlaps the one before.
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
  Stmt* vector = b.loop(c, 0, m, lanes, {body(c, lanes)});
  vector->overlap = lanes > 1;
  Stmt* choice = b.arena->statement(StmtKind::kIf);
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

TEST_CASE("G16 C renderer: symbolic sizes, empty rows, overlapping last vectors, both entry points") {
  for_each_unit(symbolic_module, 4, [&](const Unit& unit, const ir::Module& module) {
    for (const size_t n : {0, 1, 3})
      for (const size_t m : {0, 1, 3, 4, 15, 16, 17, 100}) {
        CAPTURE(n);
        CAPTURE(m);
        std::vector<float> x(n * m), s(n), y(n * m + 1, -1.0f), z = y;
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) + 0.25f;
        for (size_t i = 0; i < n; ++i) s[i] = static_cast<float>(i) - 0.5f;
        // arrays without elements may be null, and a factor must not be read for a row of none
        void* in[] = {m == 0 ? nullptr : x.data(), m == 0 ? nullptr : s.data()};
        void *out[] = {y.data()}, *out_plain[] = {z.data()};
        size_t shape[] = {n, m};
        CHECK(unit.entry_ex(in, out, shape, nullptr) == 0);
        unit.entry(in, out_plain, shape);
        for (size_t i = 0; i < n * m; ++i) CHECK(y[i] == x[i] * (s[i / m] + s[i / m]));
        CHECK(y[n * m] == -1.0f);
        CHECK(std::memcmp(y.data(), z.data(), y.size() * sizeof(float)) == 0);
      }
    (void)module;
  });
}

namespace {

/// Two generations over a buffer in the workspace: t = x * c (c an array in the unit), then y = t + t and z = t + t by one shared kernel.
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
  b.module.generations = {{{0, {{Kind::kInput, x, 0}, {Kind::kConstant, 0, 0}, {Kind::kWorkspace, 0, 0}}, std::nullopt}},
                          {{1, {{Kind::kWorkspace, 0, 0}, {Kind::kOutput, y, 0}}, std::nullopt},
                           {2, {{Kind::kWorkspace, 0, 0}, {Kind::kOutput, z, 0}}, std::nullopt}}};
  return b;
}

/// A host that runs iterations in pieces, from the back, and counts; its memory can be made to fail.
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
  const render::RenderOptions options{host_target(), false};
  ModuleBuilder b;
  const std::string source = workspace_module(1, b).render(options);
  CHECK(source.find("kernel_0(void*") != std::string::npos);
  CHECK(source.find("kernel_1(void*") != std::string::npos);
  CHECK(source.find("kernel_2(void*") == std::string::npos);  // the same as kernel_1
  CHECK(source.find("harp_run_together(rt, 2, tasks)") != std::string::npos);
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
      unit.entry(in, out, shape);
      check();
      Host host;
      harp_runtime runtime = host.runtime();
      CHECK(unit.entry_ex(in, out, shape, &runtime) == 0);
      check();
      const int allocations = n > 0 ? 1 : 0;  // nothing is asked for where nothing is needed
      CHECK(host.allocations == allocations);
      CHECK(host.releases == allocations);
      CHECK((host.calls > 0) == (n == 100000));
      // the caller's memory, exactly as much as the program said
      std::vector<std::byte> memory(n * 4 + 128);
      runtime.workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
      runtime.workspace_size = (n * 4 + 63) / 64 * 64;
      CHECK(unit.entry_ex(in, out, shape, &runtime) == 0);
      check();
      CHECK(host.allocations == allocations);
      // no memory: nothing is written
      runtime.workspace = nullptr;
      runtime.workspace_size = 0;
      host.no_memory = true;
      CHECK(unit.entry_ex(in, out, shape, &runtime) == (n > 0 ? static_cast<int32_t>(Code::kOutOfMemory) : 0));
      CHECK(std::all_of(y.begin(), y.end(), [](float f) { return f == -3.0f; }));
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("C renderer: kernels compute in the default floating-point environment and leave the caller's") {
  const render::RenderOptions options{host_target(), false};
  ModuleBuilder b;
  const Unit unit(workspace_module(1, b).render(options), compilers()[0], options.target);
  const size_t n = 100000;
  std::vector<float> x(n, 3e-39f), y(n), z(n);
  void *in[] = {x.data()}, *out[] = {y.data(), z.data()};
  size_t shape[] = {n};
  Host host;
  harp_runtime runtime = host.runtime();
  host.worker_environment = 0x9fc0 | 0x6000;  // flush to zero, denormals are zero, round towards zero
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(host.worker_environment);
  const int32_t status = unit.entry_ex(in, out, shape, &runtime);
  const unsigned after = __builtin_ia32_stmxcsr();
  unit.entry(in, out, shape);
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
  const std::string unit_source = workspace_module(1, b).render({host_target(), false});
  const size_t begin = unit_source.find("typedef __SIZE_TYPE__"), end = unit_source.find("} harp_runtime;\n");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  static constexpr std::string_view kMembers[] = {"struct_size", "self",      "width",          "parallel_for", "alloc",
                                                  "free",        "workspace", "workspace_size", "natives",      "step_cursor"};
  std::string source = unit_source.substr(begin, end + 16 - begin);
  append(
      source,
      "int entry_point_ex(void** in, void** out, size_t* shape, const harp_runtime* rt) { (void)in; (void)out; (void)rt; size_t i = 0;\n");
  for (std::string_view m : kMembers) append(source, cat("shape[i++] = __builtin_offsetof(harp_runtime, ", m, ");\n"));
  append(source, "shape[i] = sizeof(harp_runtime); return 0; }\nvoid entry_point(void) {}\n");
  const Unit unit(source, compilers()[0], targets()[0]);
  size_t offsets[std::size(kMembers) + 1] = {};
  unit.entry_ex(nullptr, nullptr, offsets, nullptr);
  const size_t expected[] = {offsetof(harp_runtime, struct_size),
                             offsetof(harp_runtime, self),
                             offsetof(harp_runtime, width),
                             offsetof(harp_runtime, parallel_for),
                             offsetof(harp_runtime, alloc),
                             offsetof(harp_runtime, free),
                             offsetof(harp_runtime, workspace),
                             offsetof(harp_runtime, workspace_size),
                             offsetof(harp_runtime, natives),
                             offsetof(harp_runtime, step_cursor),
                             sizeof(harp_runtime)};
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
    const std::string source = b.render({targets()[0], true});
    for (const std::string& compiler : compilers())
      for (const char* level : {"-O0", "-O1", "-O2", "-std=c99 -Os"}) Unit(source, compiler, targets()[0], level);
  }
}
