// Implements the CUDA renderer, which writes the kernels of a module of loop IR as CUDA C++. The host's part of such a program is data, not
// text (run/cuda/plan.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

/// A kernel in the generated text. Its parameters are, in this order: the buffers that it uses, the shape variables (i64), values of sizes
/// (i64), reciprocals of divisors (u64), the scratch memory of all threads, the records of index faults, and the number of the routine's
/// phase (i64).
struct CudaKernel {
  std::string name;
  std::vector<bool> is_used;                    // for each parameter of the ir::Kernel, whether it is passed
  std::vector<const SymAtom*> shape_variables;  // the shape variables that the kernel receives, in the order of its parameters
  std::vector<Sym> sizes, divisors;             // the sizes whose values, and those whose reciprocals the kernel receives
  bool has_threads = false;                     // whether the kernel has a thread loop; otherwise one thread executes it
  int block_threads = 1;                        // number of threads of a block
  // How many iterations of the thread loop a block executes at a time: one for each thread or group of threads.
  int block_iterations = 1;
  int64_t scratch = 0;  // bytes of scratch memory per thread, a multiple of 64; 0: the kernel has no such parameter
  // Bytes of shared memory that the launch must reserve in addition to what the kernel declares.
  int64_t shared = 0;
  bool reports_faults = false;
  // value of the last parameter, the number of the routine's phase; nullopt: the kernel has no such parameter
  std::optional<int> phase = {};
};

struct CudaText {
  std::string source;
  // One element for each kernel of the module, in the same order; kernels with the same text share one function.
  std::vector<CudaKernel> kernels;
};

/// Returns the text of the module's kernels. options.target must be a GPU.
CudaText render_cuda(const ir::Module& module, const RenderOptions& options);

}  // namespace harp::render
