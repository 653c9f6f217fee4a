#include "base/pointer_set.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

using namespace harp;

TEST_CASE("base pointer set: has what was inserted, once, at every size") {
  const std::vector<double> elements(5000);
  std::mt19937_64 random(7);
  for (const size_t range : {1, 3, 8, 100, 5000}) {
    PointerSet<double> found;
    std::set<const double*> expected;
    for (size_t i = 0; i < 2 * range; ++i) {
      const double* element = &elements[random() % range];
      CHECK(found.contains(element) == expected.contains(element));
      CHECK(found.insert(element) == expected.insert(element).second);
      CHECK(found.contains(element));
      CHECK(found.size() == expected.size());
    }
    for (size_t i = 0; i < range; ++i) CHECK(found.contains(&elements[i]) == expected.contains(&elements[i]));
  }
  CHECK_FALSE(PointerSet<double>().contains(&elements[0]));
}
