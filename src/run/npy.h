// NumPy's .npy files: versions 1 to 3, both byte orders, C and Fortran order. Loaded arrays have native byte order and row-major layout.
#pragma once

#include <string>

#include "base/file_system.h"
#include "run/device_array.h"

namespace harp {

/// Error{kIo} if the file cannot be read, kParse if it is damaged (the message says what and where), kUnsupported for element types without
/// a harp dtype (the message names object, string and structured types).
DeviceArray load_npy(FileSystem& files, const Allocator& allocator, const std::string& path);

/// Writes a temporary file next to `path` and renames it, so that no reader sees a partial array. A device or pipe is written directly.
/// Error{kIo}.
void save_npy(FileSystem& files, const std::string& path, ArrayType type, const void* data);

}  // namespace harp
