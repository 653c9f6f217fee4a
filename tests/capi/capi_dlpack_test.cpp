// Tests DLPack: the layout of its structs, which arrays are accepted, and ownership.
#include <cstddef>
#include <functional>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

/// An array of 2 by 3 f32 in row-major order, as another library would pass it by DLPack. It counts the calls of its deleter.
template <class Managed>
struct Foreign {
  Foreign() {
    managed.manager = this;
    managed.deleter = [](Managed* self) { ++static_cast<Foreign*>(self->manager)->given_back; };
    managed.tensor.data = data;
    managed.tensor.device_type = 1;
    managed.tensor.ndim = 2;
    managed.tensor.code = 2;
    managed.tensor.bits = 32;
    managed.tensor.lanes = 1;
    managed.tensor.shape = shape;
    managed.tensor.strides = strides;
    if constexpr (requires { managed.major; }) managed.major = 1, managed.minor = 1;
  }
  Managed managed{};
  alignas(64) float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int given_back = 0;
};
using Old = Foreign<harp_dl_managed>;
using New = Foreign<harp_dl_managed_versioned>;

Buffer take_in(harp_context* context, Old& array, harp_error** err = nullptr) {
  return Buffer(harp_buffer_from_dlpack(context, &array.managed, err));
}
Buffer take_in(harp_context* context, New& array, harp_error** err = nullptr) {
  return Buffer(harp_buffer_from_dlpack_versioned(context, &array.managed, err));
}

}  // namespace

// The expected numbers come from dlpack.h of dmlc/dlpack, tag v1.1 (commit 3ea601bb), compiled for a 64-bit machine: DLTensor,
// DLManagedTensor (dl_tensor, manager_ctx, deleter) and DLManagedTensorVersioned (version, manager_ctx, deleter, flags, dl_tensor).
TEST_CASE("H6.dlpack_in/c H6.dlpack_out/c: the structs lie as DLPack's do") {
  CHECK(sizeof(harp_dl_tensor) == 48);
  CHECK(offsetof(harp_dl_tensor, data) == 0);
  CHECK(offsetof(harp_dl_tensor, device_type) == 8);  // device.device_type
  CHECK(offsetof(harp_dl_tensor, device_id) == 12);   // device.device_id
  CHECK(offsetof(harp_dl_tensor, ndim) == 16);
  CHECK(offsetof(harp_dl_tensor, code) == 20);   // dtype.code
  CHECK(offsetof(harp_dl_tensor, bits) == 21);   // dtype.bits
  CHECK(offsetof(harp_dl_tensor, lanes) == 22);  // dtype.lanes
  CHECK(offsetof(harp_dl_tensor, shape) == 24);
  CHECK(offsetof(harp_dl_tensor, strides) == 32);
  CHECK(offsetof(harp_dl_tensor, byte_offset) == 40);
  CHECK(sizeof(harp_dl_managed) == 64);
  CHECK(offsetof(harp_dl_managed, tensor) == 0);
  CHECK(offsetof(harp_dl_managed, manager) == 48);
  CHECK(offsetof(harp_dl_managed, deleter) == 56);
  CHECK(sizeof(harp_dl_managed_versioned) == 80);
  CHECK(offsetof(harp_dl_managed_versioned, major) == 0);
  CHECK(offsetof(harp_dl_managed_versioned, minor) == 4);
  CHECK(offsetof(harp_dl_managed_versioned, manager) == 8);
  CHECK(offsetof(harp_dl_managed_versioned, deleter) == 16);
  CHECK(offsetof(harp_dl_managed_versioned, flags) == 24);
  CHECK(offsetof(harp_dl_managed_versioned, tensor) == 32);
  CHECK(HARP_DL_READ_ONLY == 1u);  // DLPACK_FLAG_BITMASK_READ_ONLY
  CHECK(HARP_DL_IS_COPIED == 2u);  // DLPACK_FLAG_BITMASK_IS_COPIED
}

template <class Array>
void check_import() {
  const Context context = make_context();
  Array array;
  {
    const Buffer buffer = take_in(context.get(), array);
    REQUIRE(buffer != nullptr);
    CHECK(harp_buffer_data(buffer.get()) == array.data);
    CHECK(harp_buffer_dtype(buffer.get()) == HARP_F32);
    CHECK(dims(buffer.get()) == std::vector<int64_t>{2, 3});
    const Buffer second(harp_buffer_retain(buffer.get()));
    array.shape[0] = 9;  // has no effect, because the buffer has copied the shape
    CHECK(dims(second.get()) == std::vector<int64_t>{2, 3});
    CHECK(array.given_back == 0);
  }
  CHECK(array.given_back == 1);

  Array no_deleter, no_strides, offset, odd_axes, scalar, empty;
  no_deleter.managed.deleter = nullptr;
  CHECK(take_in(context.get(), no_deleter) != nullptr);
  no_strides.managed.tensor.strides = nullptr;
  CHECK(take_in(context.get(), no_strides) != nullptr);
  offset.managed.tensor.byte_offset = 8;
  const Buffer shifted = take_in(context.get(), offset);
  REQUIRE(shifted != nullptr);
  CHECK(harp_buffer_data(shifted.get()) == offset.data + 2);
  odd_axes.shape[0] = 1, odd_axes.strides[0] = -77;  // the stride of an axis of size 1 is not used
  CHECK(take_in(context.get(), odd_axes) != nullptr);
  scalar.managed.tensor.ndim = 0, scalar.managed.tensor.shape = nullptr, scalar.managed.tensor.strides = nullptr;
  CHECK(take_in(context.get(), scalar) != nullptr);
  empty.shape[0] = 0, empty.strides[0] = 5, empty.strides[1] = 7, empty.managed.tensor.data = nullptr;
  const Buffer nothing = take_in(context.get(), empty);
  REQUIRE(nothing != nullptr);
  CHECK(dims(nothing.get()) == std::vector<int64_t>{0, 3});
}

TEST_CASE("H6.dlpack_in/c: an array of another library is a buffer without a copy, and given back once") {
  check_import<Old>();
  check_import<New>();
}

template <class Array>
void check_refused() {
  const Context context = make_context();
  const auto fails = [&](harp_status code, const char* words, const std::function<void(Array&)>& change) {
    Array array;
    change(array);
    ErrorSlot err;
    CHECK(take_in(context.get(), array, err) == nullptr);
    CHECK(err.code() == code);
    CHECK_MESSAGE(err.message().find(words) != std::string::npos, err.message());
    CHECK(array.given_back == 0);
  };
  fails(HARP_ERROR_DEVICE, "device type 2 (device id 3), expected one of: cpu",
        [](Array& a) { a.managed.tensor.device_type = 2, a.managed.tensor.device_id = 3; });
  fails(HARP_ERROR_DTYPE, "code 2 with 32 bits and 4 lanes", [](Array& a) { a.managed.tensor.lanes = 4; });
  fails(HARP_ERROR_DTYPE, "code 7 with 8 bits", [](Array& a) { a.managed.tensor.code = 7, a.managed.tensor.bits = 8; });
  fails(HARP_ERROR_DTYPE, "code 2 with 128 bits", [](Array& a) { a.managed.tensor.bits = 128; });
  fails(HARP_ERROR_DTYPE, "code 0 with 0 bits", [](Array& a) { a.managed.tensor.code = 0, a.managed.tensor.bits = 0; });
  fails(HARP_ERROR_SHAPE, "ndim is 17", [](Array& a) { a.managed.tensor.ndim = 17; });
  fails(HARP_ERROR_SHAPE, "ndim is -1", [](Array& a) { a.managed.tensor.ndim = -1; });
  fails(HARP_ERROR_INVALID_ARGUMENT, "shape is NULL", [](Array& a) { a.managed.tensor.shape = nullptr; });
  fails(HARP_ERROR_INVALID_ARGUMENT, "data is NULL", [](Array& a) { a.managed.tensor.data = nullptr; });
  fails(HARP_ERROR_RANGE, "negative", [](Array& a) { a.shape[1] = -3; });
  fails(HARP_ERROR_OVERFLOW, "63 bits", [](Array& a) { a.shape[0] = INT64_MAX; });
  fails(HARP_ERROR_UNSUPPORTED, "f32[2, 3] has strides [1, 2]; a buffer must be row-major, with strides [3, 1]",
        [](Array& a) { a.strides[0] = 1, a.strides[1] = 2; });
  fails(HARP_ERROR_UNSUPPORTED, "not aligned to 4 bytes", [](Array& a) { a.managed.tensor.byte_offset = 2; });
  ErrorSlot no_context, no_array;
  Array array;
  CHECK(take_in(nullptr, array, no_context) == nullptr);
  CHECK(no_context.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(array.given_back == 0);
  CHECK(harp_buffer_from_dlpack(context.get(), nullptr, no_array) == nullptr);
  CHECK(no_array.code() == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("H6.dlpack_in/c C1: arrays that cannot be buffers stay with the caller") {
  check_refused<Old>();
  check_refused<New>();
}

TEST_CASE("H6.dlpack_in/c: arrays with a version say that they may not be written") {
  const Context context = make_context();
  New constant, newer, later, copied;
  constant.managed.flags = HARP_DL_READ_ONLY;
  {
    const Buffer buffer = take_in(context.get(), constant);
    REQUIRE(buffer != nullptr);
    CHECK(harp_buffer_data(buffer.get()) == nullptr);
    CHECK(harp_buffer_const_data(buffer.get()) == constant.data);
    ErrorSlot err;
    CHECK(harp_buffer_to_dlpack(buffer.get(), err) == nullptr);
    CHECK(err.code() == HARP_ERROR_UNSUPPORTED);
    harp_dl_managed_versioned* out = harp_buffer_to_dlpack_versioned(buffer.get(), nullptr);
    REQUIRE(out != nullptr);
    CHECK(out->flags == HARP_DL_READ_ONLY);
    CHECK(out->tensor.data == constant.data);
    out->deleter(out);
  }
  CHECK(constant.given_back == 1);
  copied.managed.flags = HARP_DL_IS_COPIED;
  const Buffer own = take_in(context.get(), copied);
  CHECK(harp_buffer_data(own.get()) == copied.data);
  later.managed.minor = 9;  // another minor version, which has the same layout
  CHECK(take_in(context.get(), later) != nullptr);
  for (const uint32_t major : {0u, 2u}) {
    newer.managed.major = major;
    ErrorSlot err;
    CHECK(take_in(context.get(), newer, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_UNSUPPORTED);
    CHECK_MESSAGE(err.message().find("DLPack version " + std::to_string(major) + ".1") != std::string::npos, err.message());
  }
  CHECK(newer.given_back == 0);
}

TEST_CASE("H6.dlpack_out/c: a buffer as a DLPack array keeps the buffer, and comes back as it was") {
  const Context context = make_context();
  struct Element {
    harp_dtype dtype;
    int code, bits;
  };
  const Element elements[] = {{HARP_BOOL, 6, 8},  {HARP_I8, 0, 8},   {HARP_I16, 0, 16}, {HARP_I32, 0, 32},       {HARP_I64, 0, 64},
                              {HARP_U8, 1, 8},    {HARP_U16, 1, 16}, {HARP_U32, 1, 32}, {HARP_U64, 1, 64},       {HARP_F16, 2, 16},
                              {HARP_BF16, 4, 16}, {HARP_F32, 2, 32}, {HARP_F64, 2, 64}, {HARP_COMPLEX64, 5, 64}, {HARP_COMPLEX128, 5, 128}};
  for (const Element& element : elements) {
    CAPTURE(element.dtype);
    int deleted = 0;
    alignas(64) unsigned char memory[16 * 24] = {};
    const int64_t shape[] = {2, 3, 4};
    harp_buffer* buffer = harp_buffer_wrap(
        context.get(), element.dtype, 3, shape, memory, [](void* user, void*) { ++*static_cast<int*>(user); }, &deleted, nullptr);
    REQUIRE(buffer != nullptr);
    harp_dl_managed* old = harp_buffer_to_dlpack(buffer, nullptr);
    harp_dl_managed_versioned* versioned = harp_buffer_to_dlpack_versioned(buffer, nullptr);
    harp_buffer_release(buffer);
    REQUIRE(old != nullptr);
    REQUIRE(versioned != nullptr);
    CHECK(versioned->major == 1);
    CHECK(versioned->minor == 1);
    CHECK(versioned->flags == 0);
    for (const harp_dl_tensor* tensor : {&old->tensor, &versioned->tensor}) {
      CHECK(tensor->data == memory);
      CHECK(tensor->device_type == 1);
      CHECK(tensor->device_id == 0);
      CHECK(tensor->ndim == 3);
      CHECK(tensor->code == element.code);
      CHECK(tensor->bits == element.bits);
      CHECK(tensor->lanes == 1);
      CHECK(tensor->byte_offset == 0);
      CHECK(std::vector<int64_t>(tensor->shape, tensor->shape + 3) == std::vector<int64_t>{2, 3, 4});
      CHECK(std::vector<int64_t>(tensor->strides, tensor->strides + 3) == std::vector<int64_t>{12, 4, 1});
    }
    Buffer back(harp_buffer_from_dlpack(context.get(), old, nullptr));
    REQUIRE(back != nullptr);
    CHECK(harp_buffer_dtype(back.get()) == element.dtype);
    CHECK(harp_buffer_data(back.get()) == memory);
    CHECK(dims(back.get()) == std::vector<int64_t>{2, 3, 4});
    back.reset();
    CHECK(deleted == 0);
    versioned->deleter(versioned);
    CHECK(deleted == 1);
  }

  const int64_t none[] = {INT64_C(1) << 40, 0, INT64_C(1) << 40};
  const Buffer empty(harp_buffer_new(context.get(), nullptr, HARP_F32, 3, none, nullptr)),
      scalar(harp_buffer_new(context.get(), nullptr, HARP_F32, 0, nullptr, nullptr));
  for (harp_buffer* buffer : {empty.get(), scalar.get()}) {
    harp_dl_managed_versioned* out = harp_buffer_to_dlpack_versioned(buffer, nullptr);
    REQUIRE(out != nullptr);
    CHECK(out->tensor.data == harp_buffer_data(buffer));
    const Buffer back(harp_buffer_from_dlpack_versioned(context.get(), out, nullptr));
    CHECK(dims(back.get()) == dims(buffer));
  }
  ErrorSlot first, second;
  CHECK(harp_buffer_to_dlpack(nullptr, first) == nullptr);
  CHECK(first.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(harp_buffer_to_dlpack_versioned(nullptr, second) == nullptr);
  CHECK(second.code() == HARP_ERROR_INVALID_ARGUMENT);
}
