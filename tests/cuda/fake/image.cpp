// An image for the fake driver, written by hand: kernels like those that the emulator's header makes, each a loop over the whole grid. With
// this image, tests of the runtime need no compiler. The build defines FAKE_ARCH (90 means sm_90) and FAKE_TOOLKIT (13000 means 13.0).
#include <cstdint>
#include <cstring>

#include "cuda/emulator/kernels.h"
#include "cuda/fake/fake_image.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using harp::cuda_test::EmulatedKernel;
using harp::cuda_test::ThreadOrder;

namespace {

template <class T>
T parameter(void** parameters, int i) {
  T value;
  memcpy(&value, parameters[i], sizeof value);
  return value;
}

/// out[i] = in[i] * factor + number of blocks of the grid, for all i < n. Parameters: (out, in, factor, n)
const char* scale(const uint32_t grid[3], const uint32_t*, size_t, void** parameters, ThreadOrder) {
  auto* const out = parameter<float*>(parameters, 0);
  const auto* const in = parameter<const float*>(parameters, 1);
  const auto* const factor = parameter<const float*>(parameters, 2);
  const auto n = parameter<int64_t>(parameters, 3);
  for (int64_t i = 0; i < n; ++i) out[i] = in[i] * *factor + static_cast<float>(grid[0]);
  return nullptr;
}

/// out[i] = in[index[i]]. An index outside of 0 … size - 1 is reported in the fault record (plan.h). Parameters: (out, in, index, record,
/// n, size)
const char* take(const uint32_t*, const uint32_t*, size_t, void** parameters, ThreadOrder) {
  auto* const out = parameter<float*>(parameters, 0);
  const auto* const in = parameter<const float*>(parameters, 1);
  const auto* const index = parameter<const int64_t*>(parameters, 2);
  auto* const record = parameter<uint64_t*>(parameters, 3);
  const auto n = parameter<int64_t>(parameters, 4), size = parameter<int64_t>(parameters, 5);
  for (int64_t i = n - 1; i >= 0; --i) {
    if (index[i] >= 0 && index[i] < size) {
      out[i] = in[index[i]];
      continue;
    }
    for (int part = 0; part < 4; ++part) {
      const uint64_t key = static_cast<uint64_t>(i) << 16 | (static_cast<uint64_t>(index[i]) >> (16 * part) & 0xffff);
      if (key < record[part]) record[part] = key;
    }
    record[4] = static_cast<uint64_t>(size);
  }
  return nullptr;
}

/// Writes the number of bytes of dynamic shared memory, then the sizes of the grid and of a block. Parameters: (out)
const char* shape(const uint32_t grid[3], const uint32_t block[3], size_t shared, void** parameters, ThreadOrder) {
  auto* const out = parameter<int64_t*>(parameters, 0);
  out[0] = static_cast<int64_t>(shared);
  for (int i = 0; i < 3; ++i) out[1 + i] = grid[i], out[4 + i] = block[i];
  return nullptr;
}

/// A kernel that faults. It has no parameters.
const char* fault(const uint32_t*, const uint32_t*, size_t, void**, ThreadOrder) { return "an access outside of every array"; }

constexpr uint32_t kBytes[] = {8, 8, 8, 8, 8, 8};
const EmulatedKernel kKernels[] = {{"scale", 256, 4, kBytes, &scale},
                                   {"take", 256, 6, kBytes, &take},
                                   {"shape", 256, 1, kBytes, &shape},
                                   {"fault", 256, 0, kBytes, &fault}};

}  // namespace

EXPORTED const EmulatedKernel* harp_emulated_kernels(size_t* count) {
  *count = sizeof kKernels / sizeof kKernels[0];
  return kKernels;
}

EXPORTED const FakeImageFacts fake_image_facts;
const FakeImageFacts fake_image_facts = {FAKE_ARCH, FAKE_TOOLKIT};
