// On x86-64, the interpreter's loops over floats are compiled twice. One version runs on any processor and calls the C library for each
// fma. The other version, marked HARP_WITH_FMA, is for processors with the FMA instruction; everything that it calls is inlined into it.
// Both give the same bits. The version is chosen when a node is evaluated.
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
