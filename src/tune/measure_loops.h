// The loops whose time measure.cpp takes, as C source.
#pragma once

#include <cstdint>
#include <string>

#include "base/machine.h"

namespace harp::tune {

/// What entry_point(inputs, outputs, sizes) of the source does. Its arguments: sizes[0] is the loop, sizes[1] the bytes of the array
/// inputs[0], a multiple of eight vectors, and sizes[2] how often the loop is repeated. Loops that compute store a result of at most 64
/// bytes at outputs[0]; it and the array are aligned to 64 bytes.
enum class MeasuredLoop : uint8_t {
  kCycles,            // kLoopSteps additions of integers; each takes one cycle and uses the result of the one before
  kLoads,             // loads the array, vector by vector
  kMultiplyAdds,      // kLoopVectors independent multiply-adds of vectors; each uses its own result of the previous repetition
  kAdditions,         // kLoopVectors additions of vectors of the same kind
  kChainedAdditions,  // kLoopSteps additions of vectors; each uses the result of the one before
  kStores,            // stores the array, vector by vector
  kStreams,           // the same with non-temporal stores, if the machine has them
  kChase              // kLoopSteps loads of an address, each from the address that the one before loaded, the first from inputs[0]; the
                      // result is the last one
};
inline constexpr int kLoopSteps = 8, kLoopVectors = 12;

/// The source for the vectors of this CPU.
std::string measured_loops(const Cpu& cpu);

}  // namespace harp::tune
