// Defines the memory spaces: where a value or an array is stored while a kernel runs. The scheduler, the memory plan, the loop IR and the
// renderers use these terms.
//
// A *worker* is a thread of the host that runs iterations of a kernel's thread loop. On a GPU, the threads of a block run one iteration
// together (ir/statement.h, "Groups of threads"). In all other kernels, worker and thread are the same. A program runs its kernels in
// *generations* (ir::Generation). The kernels of a generation may run concurrently, or they are a *chain*: for each block of iterations,
// one worker runs all kernels of the chain one after another.
//
//               owner        exists until                            visible to                             limit
//   kRegister   a thread     the end of the block that declares it   its thread                             ir::kMaxRegisterElements
//   kStack      a thread     the end of the block that declares it   its thread                             8 KiB (lower/accumulate.h)
//   kScratch    a worker     the end of the worker's iteration       the worker, in each kernel of a chain  none
//   kWorkspace  the run      the end of the run                      all workers, in later generations      none
//   kShared     a block      the end of the block's iteration        its threads, after a barrier           ir::kMaxSharedBytes
//
// Arrays that the caller passes belong to kWorkspace, but exist longer than the run. The sizes of scratch memory and of the workspace may
// depend on shape variables (ir::Module). The other sizes are constants.
#pragma once

#include <cstdint>

namespace harp {

enum class Space : uint8_t {
  kRegister,   // a few elements whose address is not taken; a C compiler stores them on the stack if their index varies at run time
  kStack,      // an array in the stack frame of the kernel function; frames are small, because hosts also run kernels on fibers
  kScratch,    // the worker's part of the memory after the workspace; each worker has Module::scratch bytes
  kWorkspace,  // memory of the whole run: temporaries at offsets that the memory plan chose, and the arrays that the caller passes
  kShared,     // memory that the threads of a block share; CPUs have none and use the worker's scratch memory instead
};

}  // namespace harp
