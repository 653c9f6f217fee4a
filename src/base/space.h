// Where a value or an array is stored while a kernel runs. The scheduler, the memory plan, the loop IR and the renderers use the same
// words.
//
// A *worker* is a thread of the host that runs iterations of a kernel's thread loop. On a GPU the threads of a block run one iteration
// together (ir/statement.h, "Groups of threads"). In other kernels worker and thread are the same.
//
//               owner        lives until                              seen by                                limit
//   kRegister   a thread     the end of the block that declares it    its thread                             ir::kMaxRegisterElements
//   kStack      a thread     the end of the block that declares it    its thread                             8 KiB (lower/accumulate.h)
//   kScratch    a worker     the end of the worker's iteration        the worker, in each kernel of a chain  none
//   kWorkspace  the run      the end of the run                       all workers, in later generations      none
//   kShared     a block      the end of the block's iteration         its threads, after a barrier           ir::kMaxSharedBytes
//
// Arrays that the caller passes count as kWorkspace. They live longer than the run. The sizes of scratch memory and of the workspace
// may depend on shape variables (ir::Module). The other sizes are constants.
#pragma once

#include <cstdint>

namespace harp {

enum class Space : uint8_t {
  kRegister,   // a few elements without an address; if their index varies at run time, a C compiler puts them on the stack
  kStack,      // an array in the frame of the function. Frames are small, because hosts run kernels on fibers too
  kScratch,    // the worker's own part of the memory behind the workspace; Module::scratch bytes for each worker
  kWorkspace,  // memory of the whole run: temporaries at offsets chosen by the memory plan, and arrays that the caller passes
  kShared,     // memory that the threads of a block share. A CPU has none; there the worker's scratch memory holds it
};

}  // namespace harp
