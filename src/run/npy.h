// NumPy's .npy files: versions 1 to 3, both byte orders, C and Fortran order. An array comes in as it is in memory: native, row-major.
#pragma once

#include <string>

#include "base/file_system.h"
#include "run/host_array.h"

namespace harp {

/// Error{kIo} if the file cannot be read, kParse if it is damaged (with what and where), kUnsupported for element types harp has no
/// dtype for (object, string and structured arrays by name).
HostArray load_npy(FileSystem& files, const Allocator& allocator, const std::string& path);

/// Writes a file beside `path` and renames it, so that nobody sees half an array; a device or pipe is written directly. Error{kIo}.
void save_npy(FileSystem& files, const std::string& path, ArrayType type, const void* data);

}  // namespace harp
