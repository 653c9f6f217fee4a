// The kernels of a unit as C functions, and what calls of them look like. Kernels that agree in all but their names are one function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/source_functions.h"
#include "render/c.h"
#include "render/position.h"

namespace harp::render {

/// How the host half calls a kernel.
struct RenderedKernel {
  std::string name;
  bool is_called = false;     // as a function with these arguments; else through harp_range_body, which gets them as fields
  std::vector<bool> is_used;  // of the parameters; a function is passed no others
  std::vector<const SymAtom*> shape_variables;  // fields after the buffers
  bool has_scratch = false;                     // a field after these
  bool looks = false;                           // whether the run was cancelled, by the last field
};

class KernelFunctions {
 public:
  using ShapeName = std::function<std::string(const SymAtom*)>;
  /// `host` writes sizes that do not depend on where in a kernel they stand.
  KernelFunctions(const ir::Module& module, const RenderOptions& options, Unit& unit, const Positions& host, ShapeName shape_name)
      : module_(module), options_(options), unit_(unit), host_(host), shape_name_(std::move(shape_name)) {}

  /// The module's next kernel. `is_shared`: workers might share one of its launches.
  void add(const ir::Kernel& kernel, bool is_shared);

  /// By the kernel's number in the module.
  const RenderedKernel& operator[](int kernel) const { return rendered_[static_cast<size_t>(kernel)]; }
  const std::string& text() const { return text_; }
  /// In order; offsets are those in text().
  const std::vector<SourceFunction>& functions() const { return functions_; }

 private:
  const ir::Module& module_;
  const RenderOptions& options_;
  Unit& unit_;
  const Positions& host_;
  ShapeName shape_name_;
  std::map<std::string, std::string> known_;  // text without the name -> name
  std::vector<RenderedKernel> rendered_;
  std::vector<SourceFunction> functions_;
  std::string text_;
};

}  // namespace harp::render
