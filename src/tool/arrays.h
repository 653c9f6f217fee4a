// Arrays on the command line: random ones from a description, and summaries for reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// "f32[512,1024]:7": dtype, sizes, and a seed (0 if it is left out).
struct RandomArray {
  harp_dtype dtype;
  std::vector<int64_t> dims;
  uint64_t seed = 0;
};

/// Failure{2} saying what is wrong with the text.
RandomArray parse_random(std::string_view text);

/// An array from the documented generator. Element i (row-major) is made of z = mix(seed + (i + 1) * 0x9e3779b97f4a7c15), the output
/// function of SplitMix64: floats are uniform in [-1, 1) (f32: (z >> 40) * 2^-23 - 1; f64: (z >> 11) * 2^-52 - 1), integers are
/// z % 201 - 100, bools the lowest bit of z.
Buffer make_random(harp_context* context, const RandomArray& array);

/// "f32[512, 1024]"
std::string type_of(const harp_buffer* buffer);

/// Two lines: type, least, greatest, mean, number of NaNs; then the first elements.
std::string summary(const std::string& name, const harp_buffer* buffer);

}  // namespace harp::tool
