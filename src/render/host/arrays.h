// Writes the sizes and arrays in the generated host code: shape variables, inputs, outputs, constants, and the temporary arrays in the
// workspace.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ir/hidden_constants.h"
#include "render/kernel/position.h"

namespace harp::render {

class HostArrays {
 public:
  HostArrays(const ir::Module& module, Unit& unit);
  HostArrays(const HostArrays&) = delete;
  HostArrays& operator=(const HostArrays&) = delete;

  std::string shape_name(const SymAtom* variable) const;
  /// Returns the object that writes sizes as C expressions.
  const Positions& sizes() const { return sizes_; }
  /// Returns a C expression for the address of a buffer in kernel_main. Its type is that of the kernel's parameter. For a temporary array
  /// the expression is a variable, which temporaries() defines.
  std::string address(const ir::HostBuffer& buffer, const ir::Param& parameter);

  /// Returns the statements that define the variables for temporary arrays.
  const std::string& temporaries() const { return temporaries_; }
  /// Returns the definitions of those constant arrays whose names occur in `text`. Constant arrays that are passed as hidden inputs
  /// (ir/hidden_constants.h) have no definition.
  std::string constants(std::string_view text) const;
  const ir::HiddenConstants& hidden() const { return hidden_; }
  /// Tests whether kernel_main needs a workspace.
  bool uses_workspace() const;

 private:
  const ir::Module& module_;
  const ir::HiddenConstants hidden_;
  Names names_;
  /// Maps the name of each shape variable to its name in C. The key is the name, because a variable and its copy with narrower bounds are
  /// two objects (SymAtom), but one argument of kernel_main.
  std::map<std::string_view, std::string> shape_names_;
  Sizes names_of_sizes_;
  Positions sizes_;
  // The C names of the temporary arrays. The key is the array's offset in the workspace, as text, and its dtype.
  std::map<std::pair<std::string, DType>, std::string> names_of_temporaries_;
  std::string temporaries_;
};

}  // namespace harp::render
