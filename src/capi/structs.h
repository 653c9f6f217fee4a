// Handles the versions of the structs that the host passes to harp. struct_size is the size of the struct that the host was compiled with.
// If it is smaller than this library's struct (an older harp.h), the missing fields have their default values. If it is larger, the fields
// that this library does not know must be 0.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "harp.h"

namespace harp::capi {

/// Returns the caller's options, with the values of `defaults` for fields that the caller's struct lacks; if `given` is NULL, all defaults.
/// `first_size` is the size of the struct in its first version.
template <class Options>
Options read_options(const Options* given, const Options& defaults, const char* type, size_t first_size = sizeof(Options)) {
  Options options = defaults;
  if (given == nullptr) return options;
  const size_t size = given->struct_size;
  HARP_CHECK(size >= first_size, Code::kInvalidArgument, type, ": struct_size is ", size, ", but the struct has at least ", first_size,
             " bytes (start from its INIT macro)");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  HARP_CHECK(std::all_of(bytes + std::min(size, sizeof(Options)), bytes + size, [](unsigned char byte) { return byte == 0; }),
             Code::kInvalidArgument, type, ": struct_size is ", size, ", and a field after the ", sizeof(Options),
             " bytes that this version of harp knows is set");
  // A copy whose length the compiler knows is a few moves; one of any length is a call, or a loop of the processor that starts slowly.
  if (size >= sizeof(Options))
    std::memcpy(&options, bytes, sizeof(Options));
  else
    std::memcpy(&options, bytes, size);
  return options;
}

/// Writes those fields of `info` that the caller's struct has, and keeps the caller's struct_size.
template <class Info>
void write_info(Info* to, Info info, const char* function, size_t first_size = sizeof(Info)) {
  HARP_CHECK(to != nullptr, Code::kInvalidArgument, function, ": the struct to fill is NULL");
  const size_t size = to->struct_size;
  HARP_CHECK(size >= first_size, Code::kInvalidArgument, function, ": struct_size is ", size, ", but the struct has at least ", first_size,
             " bytes (start from its INIT macro)");
  info.struct_size = size;
  std::memcpy(to, &info, std::min(size, sizeof(Info)));
  if (size > sizeof(Info)) std::memset(reinterpret_cast<unsigned char*>(to) + sizeof(Info), 0, size - sizeof(Info));
}

}  // namespace harp::capi
