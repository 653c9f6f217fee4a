// Contains the C source of the loops that measure.cpp measures.
#pragma once

#include <cstdint>
#include <string>

#include "base/machine.h"

namespace harp::tune {

/// The loops of the generated function entry_point(inputs, outputs, sizes). Its arguments: sizes[0] is the loop to run, sizes[1] the number
/// of bytes of the array inputs[0], a multiple of eight vectors, and sizes[2] the number of repetitions. A loop that computes something
/// stores its result, at most 64 bytes, at outputs[0]. The array and the result are aligned to 64 bytes.
enum class MeasuredLoop : uint8_t {
  kCycles,            // kLoopSteps integer additions, each of which takes one cycle and uses the result of the previous one
  kLoads,             // loads all vectors of the array
  kMultiplyAdds,      // kLoopVectors independent multiply-adds of vectors; each uses its own result of the previous repetition
  kAdditions,         // kLoopVectors independent additions of vectors; each uses its own result of the previous repetition
  kChainedAdditions,  // kLoopSteps additions of vectors, each of which uses the result of the previous one
  kStores,            // stores to all vectors of the array
  kStreams,           // like kStores, with non-temporal stores if the machine has them
  // kLoopSteps loads of a pointer, each at the address that the previous one has loaded; the first at inputs[0]. The result is the last
  // loaded pointer.
  kChase
};
inline constexpr int kLoopSteps = 8, kLoopVectors = 12;

/// Returns the C source of the loops, for the vectors of this CPU.
std::string measured_loops(const Cpu& cpu);

}  // namespace harp::tune
