// On x86-64 the interpreter's loops are compiled twice: for any processor, where each fma calls the C library, and for processors with the
// FMA instruction. HARP_WITH_FMA marks the second version; everything that it calls is inlined and compiled for such processors. Both give
// the same bits. The version is chosen when a node is evaluated.
#pragma once

#if defined(__x86_64__) && !defined(__FMA__)
#define HARP_WITH_FMA [[gnu::target("avx2,fma"), gnu::flatten]]
#else
#define HARP_WITH_FMA
#endif

namespace harp::interp {

enum Machine { kAnyMachine, kFmaMachine, kMachineCount };

inline Machine this_machine() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? kFmaMachine : kAnyMachine;
#else
  return kAnyMachine;
#endif
}

}  // namespace harp::interp
