// Tests that a multiplication by a reciprocal gives the exact quotient, for the greatest divisors and dividends, too.
#include "base/reciprocal.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

using namespace harp;

namespace {

constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

/// Divides as generated kernels do.
int64_t quotient(int64_t a, int64_t b, uint64_t reciprocal) {
  const int k = std::bit_width(static_cast<uint64_t>(b - 1));
  const auto high = static_cast<uint64_t>(static_cast<unsigned __int128>(static_cast<uint64_t>(a) << 1) * reciprocal >> 64);
  return static_cast<int64_t>(high >> k);
}

void check_divisor(int64_t b, std::mt19937_64& random) {
  const uint64_t reciprocal = reciprocal_of(b);
  std::vector<int64_t> dividends = {0, 1, b - 1, b, kGreatest, kGreatest - 1, kGreatest / b * b, kGreatest / b * b - 1};
  for (int i = 0; i < 40; ++i) {
    const auto a = static_cast<int64_t>(random() >> (1 + i));
    dividends.insert(dividends.end(), {a, a / b * b, std::max<int64_t>(a / b * b - 1, 0)});
  }
  for (const int64_t a : dividends) REQUIRE_MESSAGE(quotient(a, b, reciprocal) == a / b, a, " / ", b);
}

}  // namespace

TEST_CASE("C1: a multiplication by the reciprocal of a size gives the exact quotient") {
  std::mt19937_64 random(1);
  for (int64_t b = 1; b <= 2000; ++b) check_divisor(b, random);
  for (int bit = 11; bit < 63; ++bit)
    for (const int64_t d : {-1, 0, 1}) check_divisor((int64_t{1} << bit) + d, random);
  for (int i = 0; i < 4000; ++i) check_divisor(static_cast<int64_t>(random() >> (1 + i % 60)) | 1, random);
  check_divisor(kGreatest, random);
  check_divisor(kGreatest - 1, random);
  CHECK(reciprocal_of(0) == 0);
}
