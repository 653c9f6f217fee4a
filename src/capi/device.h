// The devices that arrays may lie on.
#pragma once

#include <string_view>

#include "base/error.h"

namespace harp::capi {

inline constexpr std::string_view kDevices = "cpu";  // as messages list them

/// NULL or "cpu"; Error{kDevice} naming the function for another one.
inline void check_device(const char* function, const char* device) {
  HARP_CHECK(device == nullptr || std::string_view(device) == "cpu", Code::kDevice, function, ": there is no device \"", device,
             "\"; there are: ", kDevices);
}

}  // namespace harp::capi
