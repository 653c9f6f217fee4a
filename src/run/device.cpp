#include "run/device.h"

#include <cstring>

#include "base/error.h"

namespace harp {

void Device::wait_for_stream(void*) const { fail(Code::kDevice, "a stream was given, but the device ", name(), " has no streams"); }
bool Device::is_capturing(void*) const { fail(Code::kDevice, "a stream was given, but the device ", name(), " has no streams"); }
void Device::signal_stream(void*) const { fail(Code::kDevice, "a stream was given, but the device ", name(), " has no streams"); }

void HostDevice::read(void* to_host, const void* from, size_t bytes) const { std::memmove(to_host, from, bytes); }
void HostDevice::write(void* to, const void* from_host, size_t bytes) const { std::memmove(to, from_host, bytes); }
void HostDevice::copy(void* to, const void* from, size_t bytes) const { std::memmove(to, from, bytes); }

}  // namespace harp
