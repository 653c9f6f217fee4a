#include "render/c/vectors.h"

#include "base/error.h"

namespace harp::render {

std::string declare_vector(Unit& unit, const std::string& name, std::string_view element, int element_bytes, int lanes) {
  HARP_ASSERT(!unit.options.plain_text, "plain text has no vector types, but needs ", name);
  unit.definitions.type_once(name, cat("typedef ", element, " ", name, " __attribute__((vector_size(", element_bytes * lanes, "), aligned(",
                                       element_bytes, "), may_alias));\n"));
  return name;
}

std::string value_type(Unit& unit, DType dtype, int lanes) {
  if (lanes == 1) return std::string(value_type(dtype));
  if (is_bool(dtype)) return mask_type(unit, 32, lanes);
  return memory_vector(unit, dtype, lanes);
}
std::string memory_vector(Unit& unit, DType dtype, int lanes) {
  return declare_vector(unit, vector_name(dtype, lanes), memory_type(dtype), static_cast<int>(size_of(dtype)), lanes);
}

std::string mask_type(Unit& unit, int bits, int lanes) {
  return bits == kOneBitALane ? std::string(value_type(unsigned_of(lanes > 8 ? 16 : 8))) : memory_vector(unit, signed_of(bits), lanes);
}

bool has_bit_masks(const RenderOptions& options, int lanes) {
  return !options.plain_text && options.target.cpu().mask_registers && lanes > 1 && lanes <= 16;
}

bool has_masked_access(const RenderOptions& options, DType dtype, int lanes) {
  const int bytes = static_cast<int>(size_of(dtype)) * lanes;
  return has_bit_masks(options, lanes) && (bytes == 16 || bytes == 32 || bytes == 64);
}

bool has_load_by_vector_mask(const RenderOptions& options, DType dtype, int lanes) {
  const int bytes = static_cast<int>(size_of(dtype)) * lanes;
  return !options.plain_text && options.target.cpu().vector_masks_load && !has_masked_access(options, dtype, lanes) &&
         size_of(dtype) >= 4 && (bytes == 16 || bytes == 32);
}

bool has_predicates(const RenderOptions& options, DType dtype, int lanes) {
  return has_masked_access(options, dtype, lanes) && size_of(dtype) >= 4 && !is_bool(dtype);
}

int comparison_bits(const RenderOptions& options, DType dtype, int lanes) {
  return has_predicates(options, dtype, lanes) ? kOneBitALane : bits_of_dtype(dtype);
}

int64_t stack_alignment(const Unit& unit, DType dtype, int64_t elements) {
  // Smallest size in bytes of an array that is aligned like a vector. gcc 12 at -O1 assumes that an array of 37 bytes is aligned to 16
  // bytes, but does not align it. Therefore arrays smaller than a register are aligned too, if they are as large as the smallest vector.
  constexpr int64_t kSmallestVector = 16;
  const bool may_hold_vectors = elements * static_cast<int64_t>(size_of(dtype)) >= kSmallestVector;
  return unit.options.plain_text || !may_hold_vectors ? 0 : unit.options.target.cpu().vector_bytes;
}

bool has_stream(const RenderOptions& options, DType dtype, int lanes) {
  constexpr int kNarrowest = 16;
  const int bytes = static_cast<int>(size_of(dtype)) * lanes;
  return !options.plain_text && options.target.cpu().non_temporal_stores && bytes >= kNarrowest &&
         bytes <= options.target.cpu().vector_bytes;
}

std::string lane_numbers(int first, int count, int step) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(first + i * step);
  return join(numbers, ", ");
}

std::string loop_over_lanes(std::string_view statement, int lanes) {
  return cat("  for (int lane = 0; lane < ", lanes, "; ++lane) ", statement, "\n");
}

}  // namespace harp::render
