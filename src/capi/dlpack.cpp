// Implements DLPack: imports arrays of other libraries as buffers, and exports buffers, both without copies. Follows dmlc/dlpack's
// dlpack.h, version 1.1.
#include <array>

#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

namespace {

constexpr uint32_t kMajor = 1, kMinor = 1;  // the version of DLPack that the structs of harp.h follow
constexpr DlpackPlace kPinnedMemory{3, 0};  // kDLCUDAHost: page-locked host memory for GPU transfers; its device id has no meaning

/// DLPack's description of an element type: a type code and the number of bits.
struct Element {
  uint8_t code, bits;
  bool operator==(const Element&) const = default;
};

Element element_of(DType dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  switch (info(dtype).kind) {
    case DTypeKind::kSigned: return {0, bits};
    case DTypeKind::kUnsigned: return {1, bits};
    case DTypeKind::kFloat: return {static_cast<uint8_t>(dtype == DType::kBF16 ? 4 : 2), bits};
    case DTypeKind::kComplex: return {5, bits};
    case DTypeKind::kBool: return {6, bits};
    case DTypeKind::kUnknown: break;
  }
  HARP_ASSERT(false, "DLPack has no type for the dtype ", name(dtype));
}

DType dtype_of(const char* function, const harp_dl_tensor& tensor) {
  for (int i = 0; i < kDTypeCount && tensor.lanes == 1; ++i)
    if (kDTypes[i].in_graph && element_of(static_cast<DType>(i)) == Element{tensor.code, tensor.bits}) return static_cast<DType>(i);
  fail(Code::kDType, function, ": harp has no dtype for DLPack type code ", static_cast<int>(tensor.code), " with ",
       static_cast<int>(tensor.bits), " bits and ", tensor.lanes, " lanes");
}

/// Returns the strides of a row-major array, in elements.
std::array<int64_t, kMaxRank> row_major(std::span<const int64_t> dims) {
  std::array<int64_t, kMaxRank> strides{};
  uint64_t step = 1;  // may overflow only if the array has no elements; then its strides are never used
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(std::max<int64_t>(dims[i], 1));
  }
  return strides;
}

/// Fails unless the tensor is row-major. The stride of an axis of size 1 may be anything, because it is never used.
void check_row_major(const char* function, const harp_dl_tensor& tensor, const ArrayType& type) {
  const std::array<int64_t, kMaxRank> wanted = row_major(type.dims);
  for (size_t i = 0; i < type.dims.size(); ++i)
    HARP_CHECK(type.dims[i] == 1 || tensor.strides[i] == wanted[i], Code::kUnsupported, function, ": ", to_string(type), " has strides [",
               join(std::span(tensor.strides, type.dims.size()), ", "), "]; a buffer must be row-major, with strides [",
               join(std::span(wanted).first(type.dims.size()), ", "), "]");
}

/// Returns the device with the tensor's DLPack device type and id. Throws Error{kDevice} if the context has no such device.
const Device& device_of(const char* function, harp_context& context, const harp_dl_tensor& tensor) {
  if (tensor.device_type == kPinnedMemory.type) return kHostDevice;
  const DlpackPlace place{tensor.device_type, tensor.device_type == kHostDevice.dlpack().type ? 0 : tensor.device_id};
  if (place == kHostDevice.dlpack()) return kHostDevice;
  const std::vector<const Device*> devices = context.backends.devices(context.resources());
  const auto found = std::ranges::find(devices, place, [](const Device* device) { return device->dlpack(); });
  HARP_CHECK(found != devices.end() && place.type != 0, Code::kDevice, function, ": the array is on DLPack device type ",
             tensor.device_type, " (device id ", tensor.device_id,
             "), expected one of: ", join(devices, ", ", [](const Device* device) { return device->name(); }));
  return **found;
}

/// Returns the tensor as an array without a deleter. The caller sets the deleter when nothing can fail any more.
DeviceArray array_of(const char* function, harp_context& context, const harp_dl_tensor& tensor, bool read_only) {
  const Device& device = device_of(function, context, tensor);
  const DType dtype = dtype_of(function, tensor);
  HARP_CHECK(tensor.ndim >= 0 && tensor.ndim <= kMaxRank, Code::kShape, function, ": ndim is ", tensor.ndim, ", expected 0..", kMaxRank);
  HARP_CHECK(tensor.shape != nullptr || tensor.ndim == 0, Code::kInvalidArgument, function, ": shape is NULL");
  const std::span<const int64_t> dims(tensor.shape, static_cast<size_t>(tensor.ndim));
  if (byte_count(dtype, dims) == 0) return DeviceArray::wrap(dtype, dims, nullptr, read_only, nullptr, nullptr, device);

  HARP_CHECK(tensor.data != nullptr, Code::kInvalidArgument, function, ": data is NULL");
  if (tensor.strides != nullptr) check_row_major(function, tensor, {dtype, dims});
  char* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  HARP_CHECK(reinterpret_cast<uintptr_t>(data) % alignment_of(dtype) == 0, Code::kUnsupported, function, ": ",
             to_string(ArrayType{dtype, dims}), " is not aligned to ", alignment_of(dtype), " bytes");
  device.check_address(data);
  return DeviceArray::wrap(dtype, dims, data, read_only, nullptr, nullptr, device);
}

bool is_read_only(const char*, const harp_dl_managed&) { return false; }
/// Tests whether the tensor is read-only. Throws Error{kUnsupported} for a major version of DLPack other than 1: the deleter is the only
/// field of the struct that has the same position in all versions.
bool is_read_only(const char* function, const harp_dl_managed_versioned& managed) {
  HARP_CHECK(managed.major == kMajor, Code::kUnsupported, function, ": the array has DLPack version ", managed.major, ".", managed.minor,
             "; this version of harp supports DLPack ", kMajor);
  return (managed.flags & HARP_DL_READ_ONLY) != 0;
}

template <class Managed>
harp_buffer* from_dlpack(const char* function, harp_context* context, Managed* managed, harp_error** err) noexcept {
  return guard(err, [&] {
    required(context, function, "context");
    const bool read_only = is_read_only(function, required(managed, function, "managed"));
    auto* buffer = new harp_buffer(context, array_of(function, *context, managed->tensor, read_only));
    const auto release = [](void* user, void*) {
      auto* owned = static_cast<Managed*>(user);
      if (owned->deleter != nullptr) owned->deleter(owned);  // A deleter that is NULL means that the producer has nothing to release.
    };
    buffer->array.set_deleter(release, managed);  // The deleter is set last: on failure, the caller keeps ownership of `managed`.
    return buffer;
  });
}

/// A DLPack tensor of a buffer. It has a reference to the buffer, and its deleter destroys this object.
template <class Managed>
struct Exported {
  explicit Exported(harp_buffer* source) : buffer(source), strides(row_major(source->array.dims())) {
    const DeviceArray& array = source->array;
    std::ranges::copy(array.dims(), shape.begin());
    managed.manager = this;
    managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->manager); };
    harp_dl_tensor& tensor = managed.tensor;
    tensor.data = array.bytes() != 0 ? array.data() : nullptr;
    tensor.device_type = array.device().dlpack().type;
    tensor.device_id = array.device().dlpack().id;
    tensor.ndim = static_cast<int32_t>(array.dims().size());
    tensor.code = element_of(array.dtype()).code;
    tensor.bits = element_of(array.dtype()).bits;
    tensor.lanes = 1;
    tensor.shape = shape.data();
    tensor.strides = strides.data();
  }

  Managed managed{};
  Reference<harp_buffer> buffer;
  std::array<int64_t, kMaxRank> shape{}, strides;
};

/// Returns the buffer's array. Throws Error{kDevice} if DLPack has no device type for its device.
const DeviceArray& exportable(const char* function, const harp_buffer* buffer) {
  const DeviceArray& array = required(buffer, function, "buffer").array;
  HARP_CHECK(array.device().dlpack().type != 0, Code::kDevice, function, ": the buffer ", to_string(array.type()), " is on the device ",
             array.device().name(), ", for which DLPack has no number");
  return array;
}

}  // namespace

harp_buffer* harp_buffer_from_dlpack(harp_context* context, harp_dl_managed* managed, harp_error** err) {
  return from_dlpack("harp_buffer_from_dlpack", context, managed, err);
}

harp_buffer* harp_buffer_from_dlpack_versioned(harp_context* context, harp_dl_managed_versioned* managed, harp_error** err) {
  return from_dlpack("harp_buffer_from_dlpack_versioned", context, managed, err);
}

harp_dl_managed* harp_buffer_to_dlpack(harp_buffer* buffer, harp_error** err) {
  return guard(err, [&] {
    const DeviceArray& array = exportable("harp_buffer_to_dlpack", buffer);
    HARP_CHECK(!array.read_only(), Code::kUnsupported, "harp_buffer_to_dlpack: the buffer ", to_string(array.type()),
               " is read-only; use harp_buffer_to_dlpack_versioned, which can mark the array as read-only");
    return &(new Exported<harp_dl_managed>(buffer))->managed;
  });
}

harp_dl_managed_versioned* harp_buffer_to_dlpack_versioned(harp_buffer* buffer, harp_error** err) {
  return guard(err, [&] {
    const DeviceArray& array = exportable("harp_buffer_to_dlpack_versioned", buffer);
    harp_dl_managed_versioned& managed = (new Exported<harp_dl_managed_versioned>(buffer))->managed;
    managed.major = kMajor;
    managed.minor = kMinor;
    managed.flags = array.read_only() ? HARP_DL_READ_ONLY : 0;
    return &managed;
  });
}
