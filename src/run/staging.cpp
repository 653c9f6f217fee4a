#include "run/staging.h"

namespace harp {

const Staging::Copy& Staging::add(std::vector<Copy>& list, const RunArray& array) {
  return list.emplace_back(
      Copy{DeviceArray::wrap(array.type.dtype, array.type.dims, array.data, array.read_only, nullptr, nullptr, *array.device),
           DeviceArray::allocate(run_, host_, array.type.dtype, array.type.dims)});
}

void* Staging::input(const RunArray& array) {
  if (is_here(array)) return array.data;
  const Copy& copy = add(inputs_, array);
  copy_elements(copy.here, copy.there, host_);
  return copy.here.data();
}

void* Staging::output(const RunArray& array) { return is_here(array) ? array.data : add(outputs_, array).here.data(); }

void Staging::copy_back() const {
  for (const Copy& copy : outputs_) copy_elements(copy.there, copy.here, host_);
}

}  // namespace harp
