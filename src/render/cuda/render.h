// From scheduled loops to the CUDA C++ text of a program's kernels. The host code of such a program is data, not text (run/cuda/plan.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

/// A kernel of the text. Its parameters are, in this order: the used buffers, the shape variables (i64), the scratch memory of all threads,
/// the records of index faults, and the phase of a routine (i64).
struct CudaKernel {
  std::string name;
  std::vector<bool> is_used;                    // which parameters of the ir::Kernel are passed
  std::vector<const SymAtom*> shape_variables;  // in order
  bool has_threads = false;                     // it has a thread loop; otherwise one thread executes it
  int block_threads = 1;                        // threads of a block
  int block_iterations = 1;                     // iterations of the thread loop that a block runs at a time: one for each thread or group
  int64_t scratch = 0;                          // bytes of scratch memory of each thread, a multiple of 64; 0: it has no such parameter
  int64_t shared = 0;                           // bytes of shared memory that the launch reserves, besides what the kernel declares
  bool reports_faults = false;
  std::optional<int> phase = {};  // what the last parameter gets; none: it has no such parameter
};

struct CudaText {
  std::string source;
  std::vector<CudaKernel> kernels;  // parallel to Module::kernels. Kernels with the same text share one function
};

/// options.target is a GPU.
CudaText render_cuda(const ir::Module& module, const RenderOptions& options);

}  // namespace harp::render
