// Makes arrays for the command-line tool: random arrays that a text describes, and readable summaries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// A random array as described by a text such as "f32[512,1024]:7": dtype, sizes and seed (0 if the text has none).
struct RandomArray {
  harp_dtype dtype;
  std::vector<int64_t> dims;
  uint64_t seed = 0;
};

/// Parses the description of a random array. Throws a Failure with exit status 2 that explains what is wrong in the text.
RandomArray parse_random(std::string_view text);

/// Makes an array with the documented generator. Element i (row-major) depends on z = mix(seed + (i + 1) * 0x9e3779b97f4a7c15), where mix
/// is the output function of SplitMix64. Floats are uniform in [-1, 1): f32 is (z >> 40) * 2^-23 - 1, f64 is (z >> 11) * 2^-52 - 1, and a
/// 16-bit float is the f32 value rounded to a multiple of 2^-10 and then to the format. Signed integers are z % 201 - 100, unsigned ones z
/// % 201, and bools the lowest bit of z. For complex numbers, i counts real and imaginary parts.
Buffer make_random(harp_context* context, const RandomArray& array);

/// Returns the array's type as text, for example "f32[512, 1024]".
std::string type_of(const harp_buffer* buffer);

/// Returns two lines of text. The first one has type, minimum, maximum, mean and the number of NaNs; the second one has the first elements.
std::string summary(const std::string& name, const harp_buffer* buffer);

}  // namespace harp::tool
