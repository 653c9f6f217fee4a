// The header of a .npy file: a Python dict literal with exactly the keys descr, fortran_order and shape.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/dtype.h"

namespace harp {

struct NpyHeader {
  DType dtype = DType::kUnknown;
  bool swapped = false;  // the other byte order than this machine's
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

/// `text` is the dict alone. Error{kParse, kUnsupported}; messages start with `path`.
NpyHeader parse_npy_header(std::string_view text, std::string_view path);

/// The whole head of a file, magic and padding included, for a row-major array in this machine's byte order.
std::string npy_head(DType dtype, std::span<const int64_t> dims);

}  // namespace harp
