// Makes random numbers for tests. The generator is counter-based, so that a seed gives the same graph and the same data on every machine
// and with every standard library.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace harp::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix(seed + kStep)) {}
  /// An independent stream of numbers for this seed and label.
  Random(uint64_t seed, std::string_view label) : state_(mix(seed + kStep)) {
    for (const char c : label) state_ = mix(state_ ^ static_cast<unsigned char>(c));
  }

  uint64_t next() { return mix(state_ += kStep); }
  /// A number in 0 ... n-1; n is at least 1.
  uint64_t below(uint64_t n) { return next() % n; }
  int64_t between(int64_t lo, int64_t hi) { return lo + static_cast<int64_t>(below(static_cast<uint64_t>(hi - lo + 1))); }
  bool chance(int percent) { return below(100) < static_cast<uint64_t>(percent); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <class Range>
  const auto& pick(const Range& items) {
    return items[below(std::size(items))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  static uint64_t mix(uint64_t x) {  // the output function of SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  uint64_t state_;
};

}  // namespace harp::fuzz
