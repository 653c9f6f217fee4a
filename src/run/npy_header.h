// Parses and writes the header of a .npy file: a Python dict literal with exactly the keys descr, fortran_order and shape.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/dtype.h"

namespace harp {

struct NpyHeader {
  DType dtype = DType::kUnknown;
  bool swapped = false;  // whether the byte order differs from this machine's
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

/// Parses the dict. `text` begins with the dict, after the magic string, the version and the length. Throws Error{kParse} or
/// Error{kUnsupported}; the messages begin with `path`.
NpyHeader parse_npy_header(std::string_view text, std::string_view path);

/// Returns the complete header of a file, with magic string and padding, for a row-major array in this machine's byte order.
std::string npy_head(DType dtype, std::span<const int64_t> dims);

}  // namespace harp
