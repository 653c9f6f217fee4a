// Backend "interp": evaluates a graph node by node. Its entry points are closures, created on first use.
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>

#include "base/error.h"
#include "interp/interpreter.h"
#include "run/closure.h"
#include "run/executable.h"
#include "run/stack_array.h"

namespace harp {

namespace {

class InterpExecutable final : public Executable {
 public:
  explicit InterpExecutable(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)), variables_(graph_->dims().variables().size()) {}

  void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    StackArray<int64_t, 16> values(variables_);
    for (size_t i = 0; i < variables_; ++i) values[i] = static_cast<int64_t>(shape_vars[i]);
    const std::span<void*const> in(inputs, graph_->inputs().size()), out(outputs, graph_->outputs().size());
    StackArray<const void*, 16> sources(in.size());
    for (size_t i = 0; i < in.size(); ++i) sources[i] = in[i];
    interpret(*graph_, sources.span(), out, values.span(), runtime.cancel);
  }

  harp_entry_point entry() const override {
    const std::lock_guard guard(mutex_);
    if (!entry_) entry_.emplace(3, &ffi_type_void, &call_entry, const_cast<InterpExecutable*>(this));
    return reinterpret_cast<harp_entry_point>(entry_->code());
  }
  harp_entry_point_ex entry_ex() const override {
    const std::lock_guard guard(mutex_);
    if (!entry_ex_) entry_ex_.emplace(4, &ffi_type_sint32, &call_entry_ex, const_cast<InterpExecutable*>(this));
    return reinterpret_cast<harp_entry_point_ex>(entry_ex_->code());
  }
  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 private:
  /// The boundary to foreign code: no exception may leave this function.
  int32_t call(void** arguments, const harp_runtime* runtime) const noexcept {
    try {
      harp_runtime known{};  // the fields that the caller's struct has
      if (runtime != nullptr && runtime->struct_size > offsetof(harp_runtime, cancel)) known.cancel = runtime->cancel;
      execute(*static_cast<void***>(arguments[0]), *static_cast<void***>(arguments[1]), *static_cast<size_t**>(arguments[2]), known);
      return HARP_OK;
    } catch (const IndexError& error) {
      report(runtime, error.fault);
      return HARP_ERROR_RANGE;
    } catch (const Error& error) {
      return static_cast<int32_t>(error.code);
    } catch (const std::bad_alloc&) {
      return HARP_ERROR_OUT_OF_MEMORY;
    } catch (...) {
      return HARP_ERROR_INTERNAL;
    }
  }
  /// Stores the fault in the caller's struct, if the caller passed one that is large enough.
  static void report(const harp_runtime* runtime, const IndexFault& found) {
    if (runtime == nullptr || runtime->struct_size <= offsetof(harp_runtime, fault) || runtime->fault == nullptr) return;
    harp_fault& fault = *runtime->fault;
    if (fault.struct_size < sizeof fault) return;
    fault.site = found.site, fault.element = found.element, fault.index = found.index, fault.size = found.size;
  }
  static void call_entry(ffi_cif*, void*, void** arguments, void* object) {
    static_cast<InterpExecutable*>(object)->call(arguments, nullptr);
  }
  static void call_entry_ex(ffi_cif*, void* result, void** arguments, void* object) {
    const harp_runtime* runtime = *static_cast<const harp_runtime**>(arguments[3]);
    const int32_t status = static_cast<InterpExecutable*>(object)->call(arguments, runtime);
    *static_cast<ffi_arg*>(result) = static_cast<ffi_arg>(static_cast<ffi_sarg>(status));
  }

  std::shared_ptr<const Graph> graph_;
  size_t variables_;
  mutable std::mutex mutex_;  // guards the closures
  mutable std::optional<Closure> entry_, entry_ex_;
};

}  // namespace

std::unique_ptr<Executable> make_interp_executable(std::shared_ptr<const Graph> graph) {
  return std::make_unique<InterpExecutable>(std::move(graph));
}

}  // namespace harp
