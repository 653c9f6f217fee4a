// Arrays on the command line: random arrays from a description, and readable summaries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// The text "f32[512,1024]:7": dtype, sizes and seed (0 if omitted).
struct RandomArray {
  harp_dtype dtype;
  std::vector<int64_t> dims;
  uint64_t seed = 0;
};

/// Parses the description of a random array. Failure{2} explains an error in the text.
RandomArray parse_random(std::string_view text);

/// Makes an array with the documented generator. Element i (row-major) depends on z = mix(seed + (i + 1) * 0x9e3779b97f4a7c15), where mix
/// is the output function of SplitMix64: floats are uniform in [-1, 1) (f32: (z >> 40) * 2^-23 - 1; f64: (z >> 11) * 2^-52 - 1), integers
/// are z % 201 - 100, bools are the lowest bit of z.
Buffer make_random(harp_context* context, const RandomArray& array);

/// The array's type as text: "f32[512, 1024]".
std::string type_of(const harp_buffer* buffer);

/// Two lines: type, minimum, maximum, mean and number of NaNs; then the first elements.
std::string summary(const std::string& name, const harp_buffer* buffer);

}  // namespace harp::tool
