// Writes the kernels of a generated source as C functions, and says how the host code calls these functions (RenderedKernel). Kernels that
// differ only in their names share one function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/source_functions.h"
#include "render/kernel/body.h"
#include "render/kernel/position.h"

namespace harp::render {

/// Returns the offset of a worker's fault record from the start of its scratch memory. The record holds the first index out of range that
/// the worker has found.
Sym fault_offset(const ir::Module& module);

/// The calling convention of a kernel's function.
struct RenderedKernel {
  std::string name;
  // true: the arguments are the function's parameters. false: the function is a harp_range_body, that is, it gets a pointer to a struct of
  // the kernel's arguments and executes a range of iterations.
  bool is_called = false;
  // For each parameter of the kernel, whether the function uses it; with is_called, only used parameters are passed.
  std::vector<bool> is_used;
  std::vector<const SymAtom*> shape_variables;  // shape variables that are passed as arguments, in this order, after the buffers
  bool has_scratch = false;                     // whether the kernel gets scratch memory, as the argument after the shape variables
  bool polls = false;                           // whether the last argument is the cancel flag, because the kernel polls it
};

class KernelFunctions {
 public:
  using ShapeName = std::function<std::string(const SymAtom*)>;
  /// `host` writes sizes as C expressions for code outside of kernels.
  KernelFunctions(const ir::Module& module, Unit& unit, const Positions& host, ShapeName shape_name)
      : module_(module), unit_(unit), host_(host), shape_name_(std::move(shape_name)) {}

  /// Adds the module's next kernel. `is_shared`: several workers may execute the same launch of this kernel.
  void add(const ir::Kernel& kernel, bool is_shared);

  /// Returns the calling convention of a kernel, by its index in the module.
  const RenderedKernel& operator[](int kernel) const { return rendered_[static_cast<size_t>(kernel)]; }
  const std::string& text() const { return text_; }
  /// Returns the offsets of the functions in text(), in the order of the text.
  const std::vector<SourceFunction>& functions() const { return functions_; }

 private:
  /// The struct `a` that passes the arguments to a kernel's function. `declarations` are its fields in order. `unpacked` are the statements
  /// that copy the fields to variables. `blocks` are the statements that compute the addresses of arrays in the worker's scratch memory.
  struct Fields {
    std::vector<std::string> declarations;
    std::string unpacked, blocks;
  };

  RenderedKernel convention_of(const ir::Kernel& kernel, const Body& body, bool is_shared) const;
  Fields fields_of(const ir::Kernel& kernel, const RenderedKernel& convention) const;

  const ir::Module& module_;
  Unit& unit_;
  const Positions& host_;
  ShapeName shape_name_;
  std::map<std::string, std::string> known_;  // maps the text of a function (without its name) to its name
  std::vector<RenderedKernel> rendered_;
  std::vector<SourceFunction> functions_;
  std::string text_;
};

}  // namespace harp::render
