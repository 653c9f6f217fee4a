// Implements the executable of the backend "c", which calls the entry point of a loaded shared library.
#include <algorithm>

#include "base/error.h"
#include "graph/native.h"
#include "interp/sizes.h"
#include "run/executable.h"
#include "run/hidden_inputs.h"
#include "run/stack_array.h"

namespace harp {

namespace {

/// Scratch memory of each worker up to this number of bytes fits 64 bits for all workers.
constexpr int64_t kMostScratch = int64_t{1} << 40;

class CExecutable final : public Executable {
 public:
  CExecutable(LoadedCode code, SizeCode workspace, SizeCode scratch, bool may_need_no_workspace, NativeTable natives,
              std::vector<SiteText> sites, const Machine& target)
      : library_(std::move(code.library)),
        hidden_(std::move(code.constants), code.inputs, library_ != nullptr ? code_of(*library_) : nullptr),
        workspace_(std::move(workspace)),
        scratch_(std::move(scratch)),
        may_need_no_workspace_(may_need_no_workspace),
        natives_(std::move(natives)),
        sites_(std::move(sites)),
        target_(target) {}

  std::span<void* const> hidden_inputs() const override { return hidden_.addresses(); }
  void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    check_cpu();
    if (!natives_.addresses.empty()) return execute_with_natives(inputs, outputs, shape_vars, runtime);
    call(inputs, outputs, shape_vars, runtime);
  }

  harp_entry_point entry() const override {
    check_cpu();
    return hidden_.empty() ? library_->entry_point() : hidden_.entry();
  }
  harp_entry_point_ex entry_ex() const override {
    check_cpu();
    return hidden_.empty() ? code_of(*library_) : hidden_.entry_ex();
  }
  int64_t workspace_bytes(std::span<const int64_t> shape_values, size_t width) const override {
    int64_t scratch = 0, bytes = 0;
    const bool fits = !__builtin_mul_overflow(scratch_.evaluate(shape_values), std::max<size_t>(width, 1), &scratch) &&
                      !__builtin_add_overflow(workspace_.evaluate(shape_values), scratch, &bytes);
    HARP_CHECK(fits, Code::kOverflow, "the workspace of ", width, " workers has more bytes than 64 bits can count");
    return bytes;
  }
  bool may_need_no_workspace() const override { return may_need_no_workspace_; }

 private:
  /// Casts the address of entry_point_ex. The loader does not know the type harp_runtime, so it declares the function's last parameter as a
  /// void pointer, which is passed in the same way.
  static harp_entry_point_ex code_of(const LoadedLibrary& library) {
    return reinterpret_cast<harp_entry_point_ex>(library.entry_point_ex());
  }

  /// Throws an error if the code is not loaded because this CPU lacks instructions of the target, which would kill the process.
  void check_cpu() const {
    HARP_CHECK(library_ != nullptr, Code::kUnsupported, "this CPU cannot run the program: it is compiled for ", target_.name,
               ", and the CPU is ", host_machine().name);
  }

  /// Calls the generated code. Returns its status if that is HARP_OK or kNative (a native function has failed), and throws an error for any
  /// other status.
  int32_t call(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const {
    harp_fault fault = HARP_FAULT_INIT;
    harp_runtime reporting = runtime;
    reporting.fault = &fault;
    const int32_t status = library_->entry_point_ex()(inputs, outputs, shape_vars, &reporting);
    if (status == HARP_OK || status == static_cast<int32_t>(Code::kNative)) return status;
    if (status == HARP_ERROR_RANGE && fault.site >= 0 && static_cast<size_t>(fault.site) < sites_.size())
      throw IndexError(sites_[static_cast<size_t>(fault.site)], {fault.site, fault.element, fault.index, fault.size});
    HARP_CHECK(status != HARP_ERROR_CANCELLED, Code::kCancelled, interp::kRunCancelled);
    HARP_CHECK(status != HARP_ERROR_OUT_OF_MEMORY, Code::kOutOfMemory, "out of memory: a program's workspace could not be allocated");
    fail(Code::kInternal, "a compiled program returned ", status, ", which is none of its status codes");
  }

  /// Calls code that calls native functions of the host application. The code receives an array with the functions' addresses, whose last
  /// element is the address of `failure`. If a native function fails, the code stores the number of the failed call and the function's
  /// return value in `failure`.
  void execute_with_natives(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const {
    int32_t failure[2] = {0, 0};
    StackArray<void*, 64> addresses(natives_.addresses.size() + 1);
    std::copy(natives_.addresses.begin(), natives_.addresses.end(), addresses.begin());
    addresses[natives_.addresses.size()] = failure;
    harp_runtime with_natives = runtime;
    with_natives.natives = addresses.data();
    if (call(inputs, outputs, shape_vars, with_natives) != HARP_OK)
      fail(Code::kNative, native_failure(natives_.calls.at(static_cast<size_t>(failure[0])), failure[1]));
  }

  std::shared_ptr<const LoadedLibrary> library_;
  HiddenInputs hidden_;
  SizeCode workspace_;
  SizeCode scratch_;  // bytes of scratch memory per worker
  bool may_need_no_workspace_;
  NativeTable natives_;
  std::vector<SiteText> sites_;
  Machine target_;
};

}  // namespace

std::unique_ptr<Executable> make_c_executable(LoadedCode code, Sym workspace, Sym scratch, NativeTable natives, std::vector<SiteText> sites,
                                              std::span<const Sym> variables, const Machine& target) {
  const SymRange bytes = range(scratch);
  const bool may_need_none = workspace.is_constant(0) && bytes.lo == 0 && bytes.hi > 0 && bytes.hi <= kMostScratch;
  return std::make_unique<CExecutable>(std::move(code), SizeCode(workspace, variables), SizeCode(scratch, variables), may_need_none,
                                       std::move(natives), std::move(sites), target);
}

}  // namespace harp
