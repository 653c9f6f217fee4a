// Reads and writes NumPy's .npy files. Reads versions 1 to 3, both byte orders, and C and Fortran order. Loaded arrays have native byte
// order and row-major layout.
#pragma once

#include <string>

#include "base/file_system.h"
#include "run/device_array.h"

namespace harp {

/// Loads an array. Throws Error{kIo} if the file cannot be read, kParse if it is damaged (the message says what is wrong and where), and
/// kUnsupported for element types without a harp dtype (object, string and structured types).
DeviceArray load_npy(FileSystem& files, const Allocator& allocator, const std::string& path);

/// Saves an array. Writes a temporary file next to `path` and renames it, so that readers never see an incomplete array. A device or a pipe
/// is written directly. Throws Error{kIo} on failure.
void save_npy(FileSystem& files, const std::string& path, ArrayType type, const void* data);

}  // namespace harp
