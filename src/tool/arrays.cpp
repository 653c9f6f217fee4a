#include "tool/arrays.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace harp::tool {

namespace {

constexpr harp_dtype kDTypes[] = {HARP_BOOL, HARP_I32, HARP_I64, HARP_F32, HARP_F64};

std::string dtype_names() {
  std::string names;
  for (const harp_dtype dtype : kDTypes) names += (names.empty() ? "" : ", ") + std::string(harp_dtype_name(dtype));
  return names;
}

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
void fill_with(harp_buffer* buffer, uint64_t seed, T (*element)(uint64_t)) {
  T* data = static_cast<T*>(harp_buffer_data(buffer));
  const size_t count = harp_buffer_size(buffer) / sizeof(T);
  for (size_t i = 0; i < count; ++i) data[i] = element(mix(seed + (i + 1) * 0x9e3779b97f4a7c15u));
}

std::string number(double value) {
  if (std::isnan(value)) return "nan";  // whose sign means nothing
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Calls body(element) with every element as a double; i64 beyond 2^53 rounds, which a summary may.
template <class Body>
void for_each_element(const harp_buffer* buffer, Body body) {
  const void* data = harp_buffer_const_data(buffer);
  const harp_dtype dtype = harp_buffer_dtype(buffer);
  const size_t count = harp_buffer_size(buffer) / harp_dtype_size(dtype);
  const auto run = [&](auto* typed) {
    for (size_t i = 0; i < count; ++i) body(i, static_cast<double>(typed[i]));
  };
  switch (dtype) {
    case HARP_BOOL: run(static_cast<const uint8_t*>(data)); break;
    case HARP_I32: run(static_cast<const int32_t*>(data)); break;
    case HARP_I64: run(static_cast<const int64_t*>(data)); break;
    case HARP_F32: run(static_cast<const float*>(data)); break;
    default: run(static_cast<const double*>(data)); break;
  }
}

}  // namespace

RandomArray parse_random(std::string_view text) {
  const auto wrong = [&](const std::string& what) -> Failure {
    return {"'" + std::string(text) + "' is no random array like f32[512,1024]:7: " + what, 2};
  };
  RandomArray array{};
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) throw wrong("sizes have to stand in [ ]");
  for (const harp_dtype dtype : kDTypes)
    if (text.substr(0, open) == harp_dtype_name(dtype)) array.dtype = dtype;
  if (array.dtype == 0) throw wrong("the dtype has to be one of " + dtype_names());

  const auto parse = [&](std::string_view part, auto& value, const char* what) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || part.empty()) throw wrong("'" + std::string(part) + "' is no " + what);
  };
  std::string_view sizes = text.substr(open + 1, close - open - 1);
  while (!sizes.empty()) {
    const size_t comma = std::min(sizes.find(','), sizes.size());
    parse(sizes.substr(0, comma), array.dims.emplace_back(), "size");
    if (array.dims.back() < 0) throw wrong("a size is negative");
    sizes.remove_prefix(std::min(comma + 1, sizes.size()));
  }
  const std::string_view rest = text.substr(close + 1);
  if (!rest.empty() && rest.front() != ':') throw wrong("after ] comes :SEED");
  if (!rest.empty()) parse(rest.substr(1), array.seed, "seed");
  return array;
}

Buffer make_random(harp_context* context, const RandomArray& array) {
  Buffer buffer = made<Buffer>("", harp_buffer_new, context, array.dtype, static_cast<int32_t>(array.dims.size()), array.dims.data());
  harp_buffer* target = buffer.get();
  switch (array.dtype) {
    case HARP_BOOL: fill_with<uint8_t>(target, array.seed, [](uint64_t z) { return static_cast<uint8_t>(z & 1); }); break;
    case HARP_I32: fill_with<int32_t>(target, array.seed, [](uint64_t z) { return static_cast<int32_t>(z % 201) - 100; }); break;
    case HARP_I64: fill_with<int64_t>(target, array.seed, [](uint64_t z) { return static_cast<int64_t>(z % 201) - 100; }); break;
    case HARP_F32: fill_with<float>(target, array.seed, [](uint64_t z) { return static_cast<float>(z >> 40) * 0x1p-23f - 1; }); break;
    default: fill_with<double>(target, array.seed, [](uint64_t z) { return static_cast<double>(z >> 11) * 0x1p-52 - 1; }); break;
  }
  return buffer;
}

std::string type_of(const harp_buffer* buffer) {
  int64_t dims[HARP_MAX_RANK];
  harp_buffer_dims(buffer, dims);
  std::string text = std::string(harp_dtype_name(harp_buffer_dtype(buffer))) + "[";
  for (int32_t axis = 0; axis < harp_buffer_rank(buffer); ++axis) text += (axis > 0 ? ", " : "") + std::to_string(dims[axis]);
  return text + "]";
}

std::string summary(const std::string& name, const harp_buffer* buffer) {
  double least = std::numeric_limits<double>::infinity(), greatest = -least, sum = 0;
  size_t count = 0, nans = 0;
  std::string first;
  constexpr size_t kShown = 8;
  for_each_element(buffer, [&](size_t i, double value) {
    if (i < kShown) first += (i > 0 ? " " : "") + number(value);
    ++count;
    sum += value;
    if (std::isnan(value)) ++nans;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  });
  std::string text = name + ": " + type_of(buffer);
  if (count > nans) text += "  min " + number(least) + "  max " + number(greatest) + "  mean " + number(sum / static_cast<double>(count));
  if (nans > 0) text += "  nan " + std::to_string(nans);
  return text + "\n  " + (count == 0 ? "no elements" : first) + (count > kShown ? " ..." : "") + "\n";
}

}  // namespace harp::tool
