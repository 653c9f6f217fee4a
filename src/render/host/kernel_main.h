// Writes kernel_main, the generated host function that launches all kernels of a unit in order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "render/c/kernel_functions.h"
#include "render/host/arrays.h"
#include "render/host/launch_table.h"
#include "render/host/sharing.h"

namespace harp::render {

class KernelMain {
 public:
  KernelMain(const ir::Module& module, const Sharing& sharing, const KernelFunctions& kernels, HostArrays& arrays, LaunchTable& table)
      : module_(module), sharing_(sharing), kernels_(kernels), arrays_(arrays), table_(table) {}

  /// Returns the text of the function. May be called only once.
  std::string render();
  /// Tests whether the function returns a status, because native functions that it calls may fail. Valid after render().
  bool may_fail() const { return may_fail_; }

 private:
  /// A launch that runs concurrently with other launches: the kernel's name, and C expressions for the number of iterations and for the
  /// work.
  struct Task {
    std::string kernel, count, work;
    int64_t least = 1;
    bool is_known = false;  // whether all sizes of the launch are known at compile time
  };

  // Each of these functions appends a part of kernel_main's body to body_.
  void generation(size_t g);
  size_t generations_of_table(size_t first);
  void chain(size_t g);
  void launches(size_t g, std::span<const ir::Launch> launches);
  void alternatives(size_t g, std::span<const ir::Launch> launches);
  void native_call(const ir::NativeCall& call);

  std::string run_alone(const ir::Launch& launch, bool is_shared, std::string_view arguments) const;
  static std::string run_together(std::span<const Task> tasks);
  std::string poll_before(const ir::Kernel& kernel);
  std::string launch_condition(const ir::Launch& launch, const std::optional<Sym>& guard, bool are_same = false) const;
  std::vector<std::string> arguments_of(const ir::Launch& launch);
  std::string function_of(const std::string& body) const;
  std::string function_with_table(const std::string& body) const;
  const ir::Kernel& kernel_of(const ir::Launch& launch) const { return module_.kernels[static_cast<size_t>(launch.kernel)]; }

  const ir::Module& module_;
  const Sharing& sharing_;
  const KernelFunctions& kernels_;
  HostArrays& arrays_;
  LaunchTable& table_;
  std::string body_;
  bool may_fail_ = false;
  bool is_first_ = true;  // whether no kernel has been called yet
  int64_t unpolled_ = 0;  // work of the kernels that were called since the last test of the cancel flag
  size_t n_native_calls_ = 0;
};

}  // namespace harp::render
