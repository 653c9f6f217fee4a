// Tests where a program of the backend "c" stores its hidden inputs (constant arrays that are passed to the generated code as arguments).
#include "run/hidden_inputs.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace harp;

TEST_CASE("X3.hidden_inputs/c: small arrays begin at cache lines, and large ones are not copied") {
  using Bytes = std::vector<std::byte>;
  std::vector<std::shared_ptr<const Bytes>> arrays;
  for (size_t i = 0; i < 40; ++i) {
    const size_t size = i % 4 == 3 ? HiddenInputs::kMaxAligned + 64 : HiddenInputs::kMaxAligned - 64 * i;
    arrays.push_back(std::make_shared<const Bytes>(size, static_cast<std::byte>(i)));
  }
  const HiddenInputs hidden(arrays, 0, nullptr);
  REQUIRE(hidden.addresses().size() == arrays.size());
  size_t copied = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const void* const address = hidden.addresses()[i];
    CHECK(std::memcmp(address, arrays[i]->data(), arrays[i]->size()) == 0);
    const bool is_copy = address != arrays[i]->data();
    if (is_copy) CHECK(reinterpret_cast<uintptr_t>(address) % 64 == 0);
    if (i < 8) CHECK(reinterpret_cast<uintptr_t>(address) % 64 == (i % 4 == 3 ? reinterpret_cast<uintptr_t>(arrays[i]->data()) % 64 : 0));
    if (is_copy) CHECK(arrays[i]->size() <= HiddenInputs::kMaxAligned);
    copied += is_copy ? arrays[i]->size() : 0;
  }
  CHECK(copied <= HiddenInputs::kMaxAlignedTotal);
  CHECK(arrays[3].use_count() == 2);  // kept alive
  CHECK(HiddenInputs({}, 0, nullptr).empty());
}
