// Hosts (game engines, audio) may run with subnormals flushed to zero or with another rounding mode than round-to-nearest. harp's results
// must not depend on that. While a FloatEnvironment exists, the calling thread has the default floating-point modes; its destructor
// restores the host's modes. If the host already has the default modes, no register is written.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace harp {

class FloatEnvironment {
 public:
  FloatEnvironment() : host_(read()) {
    if ((host_ & kModes) != kDefault) write((host_ & ~kModes) | kDefault);
  }
  ~FloatEnvironment() {
    if ((host_ & kModes) != kDefault) write(host_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  // kModes: the bits of the register MXCSR that this class sets: the rounding mode, the six exception masks, and the modes FTZ (flush
  // results to zero) and DAZ (treat subnormal operands as zero). kDefault: the default values of these bits (all exceptions masked, round
  // to nearest).
  static constexpr uint64_t kModes = 0xffc0, kDefault = 0x1f80;
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t modes) { _mm_setcsr(static_cast<unsigned>(modes)); }
#elif defined(__aarch64__)
  // kModes: the bits of the register FPCR that this class sets: AHP, DN, FZ, RMode, FZ16 and the trap enables. kDefault: the default values
  // of these bits, all zero.
  static constexpr uint64_t kModes = 0x7ff8'9f00, kDefault = 0;
  static uint64_t read() {
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    return modes;
  }
  static void write(uint64_t modes) { __asm__ volatile("msr fpcr, %0" : : "r"(modes) : "memory"); }
#else
#error "harp does not know how this processor sets its floating-point modes"
#endif

  uint64_t host_;
};

}  // namespace harp
