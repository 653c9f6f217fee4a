// Builds modules of the IR by hand, renders, compiles and runs them. The tests of the C renderer use it.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "harp.h"
#include "ir/ir.h"
#include "render/c/render.h"
#include "support/machine.h"

namespace harp::testing {

using ir::Stmt;
using ir::UKind;
using ir::UOp;

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "harp-render-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

/// The compilers that the tests need. Both are in the package group "test" of .ci/packages.txt. If one is missing, the tests fail, because
/// otherwise they would check less without anybody noticing.
inline std::vector<std::string> compilers() { return {"gcc", "clang"}; }

inline std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Remembers the C texts that have been compiled, so that no text is compiled twice. Two targets can get the same text: they may differ
/// only in instructions that the text does not use, such as those for dot products of bytes.
class CompiledTexts {
 public:
  /// Returns true if this text has not been added before for the same compiler, optimisation flags and -march, and false if it has. The
  /// comment at the beginning of a text is ignored, because it names the target.
  bool add(std::string_view source, std::string_view compiler, const Machine& target, std::string_view optimisation) {
    const Cpu& cpu = target.cpu();
    const size_t end = source.find("*/");
    REQUIRE(end != source.npos);
    return seen_.insert(cat(compiler, " ", optimisation, " ", cpu.march, cpu.prefer_512 ? " 512" : "", source.substr(end))).second;
  }

 private:
  std::set<std::string> seen_;
};

/// A C text that is compiled and loaded. Compiler warnings count as errors, and the text may use no external functions except malloc, free,
/// memcpy and memset. Ends the test case if no compiler on this machine generates code for the target.
class Unit {
 public:
  Unit(const std::string& source, const std::string& compiler, const Machine& target, const std::string& optimisation = "-O3")
      : target_(target) {
    must_compile(target);
    const std::string c = folder_.path + "/unit.c", so = folder_.path + "/unit.so", log = folder_.path + "/log";
    std::ofstream(c) << source;
    std::string command =
        cat(compiler, " ", optimisation, " -Wall -Wextra -Werror -ffp-contract=off -fwrapv -fno-math-errno -fno-trapping-math ",
            "-fno-asynchronous-unwind-tables -shared -fPIC -nostdlib ");
    if (!target.cpu().march.empty()) append(command, cat("-march=", target.cpu().march, " "));
    if (!target.cpu().extension.empty()) append(command, cat("-m", target.cpu().extension, " "));
    if (target.cpu().prefer_512) command += "-mprefer-vector-width=512 ";
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
    entry_ex_ = reinterpret_cast<harp_entry_point_ex>(dlsym(handle_, "entry_point_ex"));
    entry_ = reinterpret_cast<harp_entry_point>(dlsym(handle_, "entry_point"));
    const bool both = entry_ex_ != nullptr && entry_ != nullptr;
    REQUIRE(both);
  }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  /// Returns the entry point of the compiled text. Ends the test case if this CPU cannot run the compiled code.
  harp_entry_point_ex entry_ex() const {
    must_run(target_);
    return entry_ex_;
  }
  harp_entry_point entry() const {
    must_run(target_);
    return entry_;
  }

 private:
  Machine target_;
  harp_entry_point_ex entry_ex_ = nullptr;
  harp_entry_point entry_ = nullptr;
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

/// The render options to test: the target that HARP_MACHINE names or, by default, all targets that this CPU can run. The last entry is text
/// without vector types.
inline std::vector<render::RenderOptions> dialects() {
  std::vector<render::RenderOptions> all;
  if (machine_name() != nullptr) all.push_back({machine(), false});
  for (const Machine& t : machines())
    if (machine_name() == nullptr && can_run(t)) all.push_back({t, false});
  all.push_back({machines()[0], true});
  return all;
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

template <class T>
std::vector<T> values_of(const Array& a) {
  std::vector<T> v(a.count());
  std::memcpy(v.data(), a.bytes.data(), a.bytes.size());
  return v;
}

/// Builds one module, to which the caller adds kernels.
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
  ir::Store* store(int buffer, Sym index, const UOp* value, Sym step = 1, const UOp* mask = nullptr) {
    auto* s = arena->statement<ir::Store>();
    s->buffer = buffer;
    s->index = index;
    if (value->type.lanes > 1) s->lane_step = step;
    s->value = value;
    s->mask = mask;
    return s;
  }
  ir::Loop* loop(Sym variable, Sym begin, Sym end, int64_t step, ir::Body body, ir::LoopKind kind = ir::LoopKind::kSequential) {
    auto* s = arena->statement<ir::Loop>();
    s->variable = variable;
    s->begin = begin;
    s->end = end;
    s->step = step;
    s->loop = kind;
    s->body = std::move(body);
    return s;
  }
  template <class S>
  S* accumulator(int number) {
    auto* s = arena->statement<S>();
    s->accumulator = number;
    return s;
  }
  ir::AccUpdate* update(int number, Sym index, const UOp* value, const UOp* factor = nullptr) {
    auto* s = accumulator<ir::AccUpdate>(number);
    s->index = index;
    s->value = value;
    s->factor = factor;
    if (value->type.lanes > 1) s->lane_step = 1;
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
  /// Adds the kernel to the module, and a launch of the kernel. The kernel's parameters are these inputs and outputs, in this order.
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
    module.generations[0].launches.push_back(std::move(launch));
  }

  std::string render(const render::RenderOptions& options) {
    ir::verify(module);
    return render::render_c(module, options);
  }
};

inline std::vector<Array> run(const Unit& unit, const ir::Module& module, std::vector<Array>& inputs, size_t count,
                              std::vector<size_t> shape_vars = {}) {
  std::vector<Array> results;
  for (const ir::ArrayType& o : module.outputs)
    results.push_back({o.dtype, std::vector<std::byte>(count * size_of(o.dtype), std::byte{0xa5})});
  std::vector<void*> in, out;
  for (Array& a : inputs) in.push_back(a.bytes.data());
  for (Array& a : results) out.push_back(a.bytes.data());
  CHECK(unit.entry_ex()(in.data(), out.data(), shape_vars.data(), nullptr) == 0);
  return results;
}

inline int lanes_for(const render::RenderOptions& options, size_t widest) {
  return options.plain_text ? 1 : static_cast<int>(static_cast<size_t>(options.target.cpu().vector_bytes) / widest);
}

}  // namespace harp::testing
