// The devices that can hold arrays.
#pragma once

#include <string_view>

#include "base/error.h"

namespace harp::capi {

inline constexpr std::string_view kDevices = "cpu";  // the list of devices in error messages

/// Checks a device name: NULL and "cpu" are accepted. Error{kDevice} naming `function` for all others.
inline void check_device(const char* function, const char* device) {
  HARP_CHECK(device == nullptr || std::string_view(device) == "cpu", Code::kDevice, function, ": unknown device \"", device,
             "\", expected one of: ", kDevices);
}

}  // namespace harp::capi
