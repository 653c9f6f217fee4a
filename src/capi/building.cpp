#include "capi/building.h"

#include <cmath>
#include <cstdlib>

namespace harp::capi {

void mark_in_flight(harp_graph* graph) noexcept {
  try {
    throw;
  } catch (...) {
    graph->mark(error_in_flight());
  }
}

harp_graph* common_graph(const char* op, std::span<harp_node* const> operands, harp_graph* named) noexcept {
  harp_graph* graph = nullptr;
  size_t missing = operands.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr)
      missing = std::min(missing, i);
    else if (graph == nullptr)
      graph = operands[i]->graph;
  }
  if (graph == nullptr) graph = named;
  if (graph == nullptr) return nullptr;
  try {
    for (harp_node* operand : operands) {
      if (operand == nullptr || operand->graph == graph) continue;
      const harp_node* first = operands[0] != nullptr ? operands[0] : operand;
      const std::string message = cat(op, ": operands belong to different graphs: ", first->graph->graph->describe(first->node), " of \"",
                                      first->graph->graph->name(), "\" and ", operand->graph->graph->describe(operand->node), " of \"",
                                      operand->graph->graph->name(), "\"");
      for (harp_node* marked : operands)
        if (marked != nullptr) marked->graph->mark(make_error(Code::kInvalidArgument, message));
      return nullptr;
    }
    if (missing < operands.size()) graph->mark(make_error(Code::kInvalidArgument, cat(op, ": operand ", missing + 1, " is NULL")));
  } catch (...) {
    mark_in_flight(graph);
  }
  return graph->error == nullptr ? graph : nullptr;
}

std::vector<NodeRef> nodes_of(std::span<harp_node* const> handles) {
  std::vector<NodeRef> nodes;
  for (const harp_node* handle : handles) nodes.push_back(handle->node);
  return nodes;
}

std::span<const int32_t> axes_argument(const char* op, int32_t n, const int32_t* axes) {
  HARP_CHECK(n >= 0 && n <= kMaxRank, Code::kShape, op, ": got a list of ", n, " axes, expected 0 to ", kMaxRank);
  HARP_CHECK(axes != nullptr || n == 0, Code::kInvalidArgument, op, ": the list of axes is NULL");
  return {axes, static_cast<size_t>(n)};
}

build::Axes optional_axes_argument(const char* op, int32_t n, const int32_t* axes) {
  if (axes == nullptr) return std::nullopt;
  const std::span<const int32_t> list = axes_argument(op, n, axes);
  return std::vector<int>(list.begin(), list.end());
}

ScanFlags scan_flags_argument(const char* op, uint32_t flags) {
  HARP_CHECK((flags & ~(HARP_SCAN_EXCLUSIVE | HARP_SCAN_REVERSE)) == 0, Code::kInvalidArgument, op, ": flags is ", flags,
             "; expected 0 or a combination of HARP_SCAN_EXCLUSIVE and HARP_SCAN_REVERSE");
  return {(flags & HARP_SCAN_EXCLUSIVE) != 0, (flags & HARP_SCAN_REVERSE) != 0};
}

Shape sizes_argument(const char* op, const harp_graph& graph, int32_t n, const harp_dim* sizes) {
  HARP_CHECK(n >= 0 && n <= kMaxRank, Code::kShape, op, ": got a list of ", n, " sizes, expected 0 to ", kMaxRank);
  HARP_CHECK(sizes != nullptr || n == 0, Code::kInvalidArgument, op, ": the list of sizes is NULL");
  return graph.dims.decode(n, sizes);
}

DType dtype_argument(const char* op, harp_dtype dtype) {
  HARP_CHECK(dtype > 0 && dtype < kDTypeCount && kDTypes[dtype].in_graph, Code::kDType, op, ": ", dtype, " is not a dtype");
  return static_cast<DType>(dtype);
}

Scalar scalar_argument(const char* op, DType dtype, double value) {
  const Scalar scalar = scalar_from_double(dtype, value);
  constexpr double kBeyondIntegers = 0x1p64;
  const bool fits = is_float(real_dtype(dtype))
                        ? std::isfinite(to_double(is_complex(dtype) ? part_of(scalar, 0) : scalar)) || !std::isfinite(value)
                        : std::abs(value) < kBeyondIntegers && value == std::trunc(value) && int_fits(dtype, static_cast<WideInt>(value));
  HARP_CHECK(fits, Code::kRange, op, ": ", value, " does not fit ", name(dtype));
  return scalar;
}

}  // namespace harp::capi
