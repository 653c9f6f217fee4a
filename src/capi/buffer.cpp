// Implements the C functions of harp.h for buffers and .npy files.
#include "capi/building.h"
#include "run/npy.h"
#include "run/strided_copy.h"

using namespace harp;
using namespace harp::capi;

namespace {

std::span<const int64_t> dims_argument(const char* function, int32_t rank, const int64_t* dims) {
  HARP_CHECK(rank >= 0 && rank <= kMaxRank, Code::kShape, function, ": the rank is ", rank, ", expected 0..", kMaxRank);
  HARP_CHECK(dims != nullptr || rank == 0, Code::kInvalidArgument, function, ": dims is NULL");
  return {dims, static_cast<size_t>(rank)};
}

harp_buffer* wrap(const char* function, harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims,
                  void* data, bool read_only, Deleter deleter, void* user, harp_error** err) noexcept {
  return guard(err, [&] {
    const Device& where = required(context, function, "context").backends.device(context->resources(), function, device);
    // The buffer takes ownership of the memory last, when nothing can fail any more: if harp_buffer_wrap fails, it must not call the
    // deleter.
    DeviceArray array =
        DeviceArray::wrap(dtype_argument(function, dtype), dims_argument(function, rank, dims), data, read_only, nullptr, nullptr, where);
    if (array.bytes() != 0) where.check_address(data);
    auto* buffer = new harp_buffer(context, std::move(array));
    buffer->array.set_deleter(deleter, user);
    return buffer;
  });
}

}  // namespace

harp_buffer* harp_buffer_new(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims,
                             harp_error** err) {
  return guard(err, [&] {
    constexpr const char* function = "harp_buffer_new";
    const Allocator& allocator = required(context, function, "context").hooks.allocator;
    const Device& where = context->backends.device(context->resources(), function, device);
    DeviceArray array = DeviceArray::allocate(where, allocator, dtype_argument(function, dtype), dims_argument(function, rank, dims));
    where.settle();  // Waits for the allocation, so that the host may use the memory on any of its streams.
    return new harp_buffer(context, std::move(array));
  });
}

harp_buffer* harp_buffer_wrap(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data,
                              void (*deleter)(void* user, void* data), void* user, harp_error** err) {
  return wrap("harp_buffer_wrap", context, nullptr, dtype, rank, dims, data, false, deleter, user, err);
}

harp_buffer* harp_buffer_wrap_const(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, const void* data,
                                    void (*deleter)(void* user, void* data), void* user, harp_error** err) {
  return wrap("harp_buffer_wrap_const", context, nullptr, dtype, rank, dims, const_cast<void*>(data), true, deleter, user, err);
}

harp_buffer* harp_buffer_wrap_device(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims,
                                     void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err) {
  return wrap("harp_buffer_wrap_device", context, device, dtype, rank, dims, data, false, deleter, user, err);
}

const char* harp_buffer_device(const harp_buffer* buffer) { return buffer != nullptr ? buffer->array.device().name().data() : nullptr; }

void* harp_buffer_data(harp_buffer* buffer) {
  return buffer != nullptr && !buffer->array.read_only() && buffer->array.device().is_host() ? buffer->array.data() : nullptr;
}
const void* harp_buffer_const_data(const harp_buffer* buffer) {
  return buffer != nullptr && buffer->array.device().is_host() ? buffer->array.data() : nullptr;
}
uint64_t harp_buffer_address(const harp_buffer* buffer) {
  return buffer != nullptr ? reinterpret_cast<uintptr_t>(buffer->array.data()) : 0;
}
size_t harp_buffer_size(const harp_buffer* buffer) { return buffer != nullptr ? buffer->array.bytes() : 0; }
int32_t harp_buffer_rank(const harp_buffer* buffer) { return buffer != nullptr ? static_cast<int32_t>(buffer->array.dims().size()) : 0; }
harp_dtype harp_buffer_dtype(const harp_buffer* buffer) { return buffer != nullptr ? static_cast<harp_dtype>(buffer->array.dtype()) : 0; }

const int64_t* harp_buffer_dims(const harp_buffer* buffer) {
  return buffer != nullptr && !buffer->array.dims().empty() ? buffer->array.dims().data() : nullptr;
}

namespace {

void check_size(const char* function, const DeviceArray& array, size_t size) {
  HARP_CHECK(size == array.bytes(), Code::kInvalidArgument, function, ": the buffer ", to_string(array.type()), " has ", array.bytes(),
             " bytes, but size is ", size);
}

void check_writable(const char* function, const DeviceArray& array) {
  HARP_CHECK(!array.read_only(), Code::kInvalidArgument, function, ": the buffer is read-only");
}

/// Returns the caller's strides. Throws an error unless there is one stride for each axis of the array.
std::span<const int64_t> strides_argument(const char* function, const DeviceArray& array, int32_t rank, const int64_t* strides) {
  HARP_CHECK(std::cmp_equal(rank, array.dims().size()), Code::kShape, function, ": the buffer ", to_string(array.type()), " has ",
             array.dims().size(), " axes, but rank is ", rank);
  HARP_CHECK(strides != nullptr || rank == 0, Code::kInvalidArgument, function, ": strides is NULL");
  return {strides, array.dims().size()};
}

}  // namespace

harp_status harp_buffer_read(const harp_buffer* buffer, size_t size, void* to, harp_error** err) {
  return guard_status(err, [&] {
    const DeviceArray& array = required(buffer, "harp_buffer_read", "buffer").array;
    check_size("harp_buffer_read", array, size);
    if (size != 0) array.device().read(&required(static_cast<char*>(to), "harp_buffer_read", "to"), array.data(), size);
  });
}

harp_status harp_buffer_write(harp_buffer* buffer, size_t size, const void* from, harp_error** err) {
  return guard_status(err, [&] {
    const DeviceArray& array = required(buffer, "harp_buffer_write", "buffer").array;
    check_writable("harp_buffer_write", array);
    check_size("harp_buffer_write", array, size);
    if (size != 0) array.device().write(array.data(), &required(static_cast<const char*>(from), "harp_buffer_write", "from"), size);
  });
}

harp_status harp_buffer_copy(harp_buffer* to, const harp_buffer* from, harp_error** err) {
  return guard_status(err, [&] {
    const DeviceArray& target = required(to, "harp_buffer_copy", "to").array;
    const DeviceArray& source = required(from, "harp_buffer_copy", "from").array;
    check_writable("harp_buffer_copy", target);
    HARP_CHECK(target.dtype() == source.dtype(), Code::kDType, "harp_buffer_copy: from is ", to_string(source.type()), " and to is ",
               to_string(target.type()), "; expected equal dtypes");
    HARP_CHECK(std::ranges::equal(target.dims(), source.dims()), Code::kShape, "harp_buffer_copy: from is ", to_string(source.type()),
               " and to is ", to_string(target.type()), "; expected equal shapes");
    copy_elements(target, source, to->context->hooks.allocator);
  });
}

harp_status harp_buffer_wait_stream(harp_buffer* buffer, void* stream, harp_error** err) {
  return guard_status(err, [&] { required(buffer, "harp_buffer_wait_stream", "buffer").array.device().wait_for_stream(stream); });
}

harp_status harp_buffer_signal_stream(const harp_buffer* buffer, void* stream, harp_error** err) {
  return guard_status(err, [&] { required(buffer, "harp_buffer_signal_stream", "buffer").array.device().signal_stream(stream); });
}

harp_status harp_buffer_read_strided(const harp_buffer* buffer, int32_t rank, const int64_t* strides, void* to, harp_error** err) {
  return guard_status(err, [&] {
    constexpr const char* function = "harp_buffer_read_strided";
    const DeviceArray& array = required(buffer, function, "buffer").array;
    const std::span<const int64_t> steps = strides_argument(function, array, rank, strides);
    HARP_CHECK(to != nullptr || array.bytes() == 0, Code::kInvalidArgument, function, ": to is NULL");
    read_strided(array.type(), HostElements(array, buffer->context->hooks.allocator).data(), steps, to);
  });
}

harp_status harp_buffer_write_strided(harp_buffer* buffer, int32_t rank, const int64_t* strides, const void* from, harp_error** err) {
  return guard_status(err, [&] {
    constexpr const char* function = "harp_buffer_write_strided";
    const DeviceArray& array = required(buffer, function, "buffer").array;
    check_writable(function, array);
    const std::span<const int64_t> steps = strides_argument(function, array, rank, strides);
    HARP_CHECK(from != nullptr || array.bytes() == 0, Code::kInvalidArgument, function, ": from is NULL");
    if (array.device().is_host()) return write_strided(array.type(), array.data(), steps, from);
    const Memory copy(buffer->context->hooks.allocator, array.bytes());
    write_strided(array.type(), copy.data(), steps, from);
    if (array.bytes() != 0) array.device().write(array.data(), copy.data(), array.bytes());
  });
}

harp_buffer* harp_npy_load(harp_context* context, const char* path, harp_error** err) {
  return guard(err, [&] {
    required(context, "harp_npy_load", "context");
    required(path, "harp_npy_load", "path");
    return new harp_buffer(context, load_npy(context->files, context->hooks.allocator, path));
  });
}

harp_status harp_npy_save(const harp_buffer* buffer, const char* path, harp_error** err) {
  return guard_status(err, [&] {
    required(buffer, "harp_npy_save", "buffer");
    required(path, "harp_npy_save", "path");
    const HostElements elements(buffer->array, buffer->context->hooks.allocator);
    save_npy(buffer->context->files, path, buffer->array.type(), elements.data());
  });
}
