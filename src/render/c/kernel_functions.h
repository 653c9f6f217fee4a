// The kernels of a generated source as C functions, and how the host code calls them. Kernels that differ only in their names share one
// function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/source_functions.h"
#include "render/kernel/body.h"
#include "render/kernel/position.h"

namespace harp::render {

/// Returns the offset, from the start of a worker's scratch memory, of its fault record, which holds the first out-of-range index that the
/// worker has found.
Sym fault_offset(const ir::Module& module);

/// How a kernel is called.
struct RenderedKernel {
  std::string name;
  bool is_called = false;  // true: called directly, with its arguments as parameters; false: called through a harp_range_body, which gets a
                           // pointer to a struct of arguments
  std::vector<bool> is_used;                    // for each parameter; a directly called function receives only the used ones
  std::vector<const SymAtom*> shape_variables;  // arguments after the buffers, in order
  bool has_scratch = false;                     // whether the scratch memory is the next argument
  bool polls = false;                           // whether the cancel flag is the last argument, because the kernel polls it
};

class KernelFunctions {
 public:
  using ShapeName = std::function<std::string(const SymAtom*)>;
  /// `host` writes sizes as expressions for code outside of kernels.
  KernelFunctions(const ir::Module& module, Unit& unit, const Positions& host, ShapeName shape_name)
      : module_(module), unit_(unit), host_(host), shape_name_(std::move(shape_name)) {}

  /// Adds the module's next kernel. `is_shared`: several workers may run the same launch of it.
  void add(const ir::Kernel& kernel, bool is_shared);

  /// Returns a kernel by its number in the module.
  const RenderedKernel& operator[](int kernel) const { return rendered_[static_cast<size_t>(kernel)]; }
  const std::string& text() const { return text_; }
  /// Returns the functions in order, with their offsets in text().
  const std::vector<SourceFunction>& functions() const { return functions_; }

 private:
  /// The fields of the struct `a` that passes a kernel its arguments: their declarations in order, the statements that read them
  /// (unpacked), and the statements that locate arrays in the worker's scratch memory (blocks).
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
  std::map<std::string, std::string> known_;  // maps the text of a function without its name to the name
  std::vector<RenderedKernel> rendered_;
  std::vector<SourceFunction> functions_;
  std::string text_;
};

}  // namespace harp::render
