// Tests copies between buffers and memory of any layout: the result must equal that of copying element by element.
#include <algorithm>
#include <cstring>
#include <random>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

/// Returns the byte offset of every element of an array, in row-major order.
std::vector<int64_t> offsets(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  std::vector<int64_t> result = {0};
  for (size_t i = 0; i < dims.size(); ++i) {
    std::vector<int64_t> longer;
    for (const int64_t offset : result)
      for (int64_t k = 0; k < dims[i]; ++k) longer.push_back(offset + k * strides[i]);
    result = std::move(longer);
  }
  return result;
}

/// Memory for an array with this layout. `first` points to the element with index 0 on all axes; it is not aligned.
struct Outside {
  Outside(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides, size_t element) : at(offsets(dims, strides)) {
    int64_t least = 0, most = 0;
    for (const int64_t offset : at) least = std::min(least, offset), most = std::max(most, offset);
    bytes.resize(static_cast<size_t>(most - least) + element + 1);
    first = bytes.data() + 1 - least;  // an odd address, which is not aligned
  }
  std::vector<int64_t> at;
  std::vector<unsigned char> bytes;
  unsigned char* first;
};

void check_layout(harp_context* context, harp_dtype dtype, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  CAPTURE(dtype);
  const auto rank = static_cast<int32_t>(dims.size());
  const size_t element = harp_dtype_size(dtype);
  const Buffer buffer(harp_buffer_new(context, "cpu", dtype, rank, dims.data(), nullptr));
  REQUIRE(buffer != nullptr);
  auto* inside = static_cast<unsigned char*>(harp_buffer_data(buffer.get()));
  const size_t size = harp_buffer_size(buffer.get());

  Outside target(dims, strides, element);
  for (size_t i = 0; i < size; ++i) inside[i] = static_cast<unsigned char>(i * 37 + 11);
  ErrorSlot err;
  REQUIRE_MESSAGE(harp_buffer_read_strided(buffer.get(), rank, strides.data(), target.first, err) == HARP_OK, err.message());
  std::vector<unsigned char> untouched(target.bytes.size(), 1);
  for (size_t i = 0; i < target.at.size(); ++i)
    std::memset(untouched.data() + (target.first - target.bytes.data()) + target.at[i], 0, element);
  bool same = true;
  for (size_t i = 0; i < target.at.size(); ++i) same = same && std::memcmp(target.first + target.at[i], inside + i * element, element) == 0;
  const bool overlap = [&] {  // true if several elements share memory; of the values written to the same place, only one remains
    std::vector<int64_t> sorted = target.at;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted, [&](int64_t a, int64_t b) { return b - a < static_cast<int64_t>(element); }) != sorted.end();
  }();
  CHECK((same || overlap));
  for (size_t i = 0; i < untouched.size(); ++i) REQUIRE((untouched[i] == 0 || target.bytes[i] == 0));

  Outside source(dims, strides, element);
  for (size_t i = 0; i < source.bytes.size(); ++i) source.bytes[i] = static_cast<unsigned char>(i * 91 + 5);
  const std::vector<unsigned char> before = source.bytes;
  REQUIRE(harp_buffer_write_strided(buffer.get(), rank, strides.data(), source.first, nullptr) == HARP_OK);
  for (size_t i = 0; i < source.at.size(); ++i) REQUIRE(std::memcmp(source.first + source.at[i], inside + i * element, element) == 0);
  CHECK(source.bytes == before);
}

}  // namespace

TEST_CASE("H5: strided copies of every layout are copies element by element") {
  const Context context = make_context();
  harp_context* c = context.get();
  check_layout(c, HARP_F32, {}, {});
  check_layout(c, HARP_F32, {2, 3}, {12, 4});    // row-major: one contiguous block
  check_layout(c, HARP_F32, {2, 3}, {4, 8});     // transposed
  check_layout(c, HARP_F32, {2, 3}, {16, 4});    // there are gaps between the rows
  check_layout(c, HARP_F32, {2, 3}, {-12, 4});   // rows in reverse order
  check_layout(c, HARP_F32, {2, 3}, {-12, -4});  // both axes reversed
  check_layout(c, HARP_F64, {4, 5}, {0, 8});     // broadcast rows
  check_layout(c, HARP_F64, {4, 5}, {8, 0});
  check_layout(c, HARP_I8, {3, 3, 3}, {0, 0, 0});
  check_layout(c, HARP_COMPLEX128, {2, 2, 2}, {17, 40, 81});  // unaligned
  check_layout(c, HARP_I16, {2, 1, 3}, {6, 999, 2});          // the stride of an axis of size 1 is not used
  check_layout(c, HARP_I64, {3, 0, 2}, {1, 2, 3});
  check_layout(c, HARP_F16, std::vector<int64_t>(16, 2), std::vector<int64_t>(16, 0));

  std::mt19937 random(5);
  const harp_dtype dtypes[] = {HARP_I8, HARP_F16, HARP_F32, HARP_F64, HARP_COMPLEX128};
  for (int round = 0; round < 300; ++round) {
    const harp_dtype dtype = dtypes[random() % 5];
    std::vector<int64_t> dims(random() % 5), strides(dims.size()), order(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      dims[i] = static_cast<int64_t>(random() % 4) + (random() % 8 != 0), order[i] = static_cast<int64_t>(i);
    std::ranges::shuffle(order, random);
    int64_t step = static_cast<int64_t>(harp_dtype_size(dtype));  // a layout without overlaps, with the axes in random order and direction
    for (const int64_t i : order) {
      const auto axis = static_cast<size_t>(i);
      if (random() % 3 == 0) step += static_cast<int64_t>(random() % 9);
      strides[axis] = random() % 4 == 0 ? -step : step;
      step *= std::max<int64_t>(dims[axis], 1);
    }
    check_layout(c, dtype, dims, strides);
  }
}

TEST_CASE("H5 C1: strided copies that make no sense") {
  const Context context = make_context();
  const int64_t dims[] = {2, 3}, strides[] = {12, 4}, none[] = {0, 3};
  float data[6] = {}, other[6];
  const Buffer buffer(harp_buffer_new(context.get(), nullptr, HARP_F32, 2, dims, nullptr)),
      empty(harp_buffer_new(context.get(), nullptr, HARP_F32, 2, none, nullptr)),
      constant(harp_buffer_wrap_const(context.get(), HARP_F32, 2, dims, data, nullptr, nullptr, nullptr));
  const auto fails = [](harp_status status, const ErrorSlot& err, harp_status code, const char* words) {
    CHECK(status == code);
    CHECK(err.code() == code);
    CHECK_MESSAGE(err.message().find(words) != std::string::npos, err.message());
  };
  const auto read = [&](const harp_buffer* from, int32_t rank, const int64_t* steps, void* to, harp_status code, const char* words) {
    ErrorSlot err;
    fails(harp_buffer_read_strided(from, rank, steps, to, err), err, code, words);
  };
  const auto write = [&](harp_buffer* to, int32_t rank, const int64_t* steps, const void* from, harp_status code, const char* words) {
    ErrorSlot err;
    fails(harp_buffer_write_strided(to, rank, steps, from, err), err, code, words);
  };
  read(nullptr, 2, strides, data, HARP_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  write(nullptr, 2, strides, data, HARP_ERROR_INVALID_ARGUMENT, "buffer is NULL");
  read(buffer.get(), 1, strides, data, HARP_ERROR_SHAPE, "f32[2, 3] has 2 axes, but rank is 1");
  write(buffer.get(), -2, strides, data, HARP_ERROR_SHAPE, "f32[2, 3] has 2 axes, but rank is -2");
  read(buffer.get(), 2, nullptr, data, HARP_ERROR_INVALID_ARGUMENT, "strides is NULL");
  read(buffer.get(), 2, strides, nullptr, HARP_ERROR_INVALID_ARGUMENT, "to is NULL");
  write(buffer.get(), 2, strides, nullptr, HARP_ERROR_INVALID_ARGUMENT, "from is NULL");
  write(constant.get(), 2, strides, data, HARP_ERROR_INVALID_ARGUMENT, "is read-only");
  for (const int64_t far : {INT64_MAX, INT64_MIN, INT64_C(1) << 62, -(INT64_C(1) << 62)}) {
    const int64_t wide[] = {far, 4}, both[] = {far / 2, far / 4};
    read(buffer.get(), 2, wide, data, HARP_ERROR_OVERFLOW, "2^62 bytes apart");
    write(buffer.get(), 2, both, data, HARP_ERROR_OVERFLOW, "2^62 bytes apart");
  }
  CHECK(harp_buffer_read_strided(empty.get(), 2, strides, nullptr, nullptr) == HARP_OK);
  CHECK(harp_buffer_write_strided(empty.get(), 2, strides, nullptr, nullptr) == HARP_OK);
  CHECK(harp_buffer_read_strided(constant.get(), 2, strides, other, nullptr) == HARP_OK);
}

TEST_CASE("H5: a buffer's sizes are borrowed") {
  const Context context = make_context();
  const int64_t dims[] = {2, 3};
  const Buffer buffer(harp_buffer_new(context.get(), "cpu", HARP_F32, 2, dims, nullptr)),
      scalar(harp_buffer_new(context.get(), nullptr, HARP_F32, 0, nullptr, nullptr));
  const int64_t* own = harp_buffer_dims(buffer.get());
  REQUIRE(own != nullptr);
  CHECK(own != dims);
  CHECK(own[0] == 2);
  CHECK(own[1] == 3);
  CHECK(harp_buffer_dims(buffer.get()) == own);
  CHECK(harp_buffer_dims(scalar.get()) == nullptr);
}
