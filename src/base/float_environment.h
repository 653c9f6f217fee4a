// Hosts (game engines, audio) may run with subnormals flushed to zero or with another rounding mode. harp's results must not depend on
// that. A FloatEnvironment sets the default modes during its lifetime, only if they differ, and then restores the host's modes.
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
  // kModes: the bits of the register MXCSR that this class changes (flush to zero, rounding, the six exception masks, denormals are zero).
  // kDefault: their default values (all exceptions masked, round to nearest).
  static constexpr uint64_t kModes = 0xffc0, kDefault = 0x1f80;
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t modes) { _mm_setcsr(static_cast<unsigned>(modes)); }
#elif defined(__aarch64__)
  // kModes: the bits of the register FPCR that this class changes (AHP, DN, FZ, RMode, FZ16 and the trap enables). kDefault: all are zero.
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
