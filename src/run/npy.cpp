#include "run/npy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "run/npy_header.h"

namespace harp {

namespace {

/// Reads until `size` bytes have been read or the file ends. Returns the number of bytes read.
size_t read_up_to(FileSystem& files, int fd, void* data, size_t size, const std::string& path) {
  size_t done = 0;
  while (done < size) {
    const int64_t got = files.read(fd, static_cast<std::byte*>(data) + done, std::min<size_t>(size - done, size_t{1} << 30));
    HARP_CHECK(got >= 0, Code::kIo, "cannot read ", path, ": ", error_text(got));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

NpyHeader read_head(FileSystem& files, int fd, const std::string& path) {
  unsigned char magic[12];
  size_t got = read_up_to(files, fd, magic, 10, path);
  HARP_CHECK(got == 10 && std::memcmp(magic, "\x93NUMPY", 6) == 0, Code::kParse, path, " is not a .npy file",
             got < 10 ? cat(": it ends after ", got, " bytes") : std::string());
  const int version = magic[6];
  HARP_CHECK(version >= 1 && version <= 3, Code::kParse, path, ": .npy version ", version, " is not supported, expected 1 to 3");
  size_t length = magic[8] | static_cast<size_t>(magic[9]) << 8;
  if (version >= 2) {
    got = read_up_to(files, fd, magic + 10, 2, path);
    HARP_CHECK(got == 2, Code::kParse, path, ": truncated in the .npy header");
    length |= static_cast<size_t>(magic[10]) << 16 | static_cast<size_t>(magic[11]) << 24;
  }
  constexpr size_t kLongest = 1u << 20;
  HARP_CHECK(length <= kLongest, Code::kParse, path, ": the .npy header has ", length, " bytes, expected at most ", kLongest);
  std::string text(length, '\0');
  got = read_up_to(files, fd, text.data(), length, path);
  HARP_CHECK(got == length, Code::kParse, path, ": truncated in the .npy header: expected ", length, " bytes, got ", got);
  return parse_npy_header(text, path);
}

void swap_bytes(std::byte* data, size_t bytes, size_t element) {
  for (size_t at = 0; at < bytes; at += element) std::reverse(data + at, data + at + element);
}

/// Copies a column-major array into row-major order.
void transpose_fortran(const std::byte* from, std::byte* to, std::span<const int64_t> dims, size_t element) {
  const size_t rank = dims.size();
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  int64_t count = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    stride[axis] = count;
    count *= dims[axis];
  }
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * element, from + static_cast<size_t>(source) * element, element);
    for (size_t axis = rank; axis-- > 0;) {
      source += stride[axis];
      if (++index[axis] < dims[axis]) break;
      source -= stride[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

/// Returns the number of bytes of the array. If its sizes are wrong, the error message begins with the file's path.
size_t bytes_of(const NpyHeader& header, const std::string& path) {
  try {
    return byte_count(header.dtype, header.dims);
  } catch (const Error& error) {
    throw Error(error.code, cat(path, ": ", error.message));
  }
}

}  // namespace

DeviceArray load_npy(FileSystem& files, const Allocator& allocator, const std::string& path) {
  const int opened = files.open(AT_FDCWD, path.c_str(), O_RDONLY);
  HARP_CHECK(opened >= 0, Code::kIo, "cannot open ", path, ": ", error_text(opened));
  const UniqueFd file(files, opened);
  FileInfo info;
  const int status = files.stat(file.get(), info);
  HARP_CHECK(status == 0, Code::kIo, "cannot read ", path, ": ", error_text(status));
  HARP_CHECK(info.kind != FileInfo::Kind::kDirectory, Code::kIo, "cannot read ", path, ": Is a directory");
  const NpyHeader header = read_head(files, file.get(), path);
  const size_t bytes = bytes_of(header, path);
  // This check precedes the allocation, so that a damaged header does not make harp allocate gigabytes.
  if (info.kind == FileInfo::Kind::kFile)
    HARP_CHECK(bytes <= info.size, Code::kParse, path, ": truncated: ", to_string(ArrayType{header.dtype, header.dims}), " needs ", bytes,
               " bytes, but the file has ", info.size, " in total");
  DeviceArray buffer = DeviceArray::allocate(kHostDevice, allocator, header.dtype, header.dims);
  const size_t got = read_up_to(files, file.get(), buffer.data(), bytes, path);
  HARP_CHECK(got == bytes, Code::kParse, path, ": truncated: ", to_string(buffer.type()), " needs ", bytes, " bytes, got ", got);
  std::byte trailing;
  HARP_CHECK(read_up_to(files, file.get(), &trailing, 1, path) == 0, Code::kParse, path,
             ": expected the end of the file, found more bytes after the ", bytes, " bytes of the array");

  const size_t element = size_of(header.dtype);
  auto* data = static_cast<std::byte*>(buffer.data());
  if (header.swapped) swap_bytes(data, bytes, is_complex(header.dtype) ? element / 2 : element);
  if (!header.fortran_order || header.dims.size() < 2 || bytes == 0) return buffer;
  DeviceArray row_major = DeviceArray::allocate(kHostDevice, allocator, header.dtype, header.dims);
  transpose_fortran(data, static_cast<std::byte*>(row_major.data()), header.dims, element);
  return row_major;
}

void save_npy(FileSystem& files, const std::string& path, ArrayType type, const void* data) {
  const std::string head = npy_head(type.dtype, type.dims);
  const size_t bytes = byte_count(type.dtype, type.dims);
  FileInfo named, itself;
  const bool exists = files.stat_at(AT_FDCWD, path.c_str(), true, named) == 0;
  // True for a symbolic link whose target does not exist. In this case the target is created.
  const bool leads_nowhere = !exists && files.stat_at(AT_FDCWD, path.c_str(), false, itself) == 0;
  // A device or a pipe is written directly, not replaced.
  const bool direct = leads_nowhere || (exists && named.kind != FileInfo::Kind::kFile);

  std::string target = path, written = path;
  int fd = -1;
  if (direct) {
    fd = files.open(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT, 0666);
  } else {
    if (exists)  // resolves a symbolic link: its target is replaced, and the link remains
      if (const int error = files.real_path(path.c_str(), target); error < 0)
        fail(Code::kIo, "cannot write ", path, ": ", error_text(error));
    for (int attempt = 0; attempt < 100; ++attempt) {
      written = cat(target, ".", getpid(), "-", attempt, ".part");
      fd = files.open(AT_FDCWD, written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, exists ? named.mode & 0777 : 0666);
      if (fd != -EEXIST) break;
    }
  }
  HARP_CHECK(fd >= 0, Code::kIo, "cannot write ", path, ": ", error_text(fd));
  int status = write_all(files, fd, std::as_bytes(std::span(head)));
  if (status == 0) status = write_all(files, fd, std::span(static_cast<const std::byte*>(data), bytes));
  const int closed = files.close(fd);
  if (status == 0) status = closed;
  if (status == 0 && !direct) status = files.rename(AT_FDCWD, written.c_str(), AT_FDCWD, target.c_str());
  if (status == 0) return;
  if (!direct) files.unlink(AT_FDCWD, written.c_str());
  fail(Code::kIo, "cannot write ", path, ": ", error_text(status));
}

}  // namespace harp
