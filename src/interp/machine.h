// Loops of the interpreter exist twice on x86-64: for any processor, where each fma is a call into the C library, and for those
// with the FMA instruction. A loop marked HARP_WITH_FMA is the second one: everything it calls is compiled into it, for that
// processor. Both give the same bits; nothing else depends on the choice, which is made when a node runs.
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
