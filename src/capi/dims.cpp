#include "capi/dims.h"

#include <atomic>

#include "base/error.h"

namespace harp::capi {

namespace {

constexpr harp_dim kPlainLeast = -(harp_dim{1} << 62);  // the least harp_dim that is a plain size; smaller values are handles
constexpr int kIndexBits = 31;
// A handle consists of a tag and an index, which together have 61 bits. Therefore no handle equals HARP_SLICE_NONE or HARP_DIM_INVALID,
// which are at the lower end of the range of int64_t.
constexpr uint32_t kTags = 1u << 30;

/// Returns a tag that no other existing graph has, as long as fewer than a billion graphs are created meanwhile. The counter is global,
/// because handles of graphs of different contexts must differ too. A graph's address cannot serve as its tag, because the address may be
/// reused after the graph was released.
uint32_t next_tag() {
  static constinit std::atomic<uint32_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) % kTags;
}

}  // namespace

DimHandles::DimHandles() : tag_(next_tag()) {}

harp_dim DimHandles::encode(Dim dim) {
  if (dim.is_constant()) {
    HARP_CHECK(dim.constant() >= kPlainLeast, Code::kOverflow, "the size ", dim.constant(), " is too small, expected at least ",
               kPlainLeast);
    return dim.constant();
  }
  HARP_CHECK(dims_.size() < (size_t{1} << kIndexBits), Code::kOverflow, "a graph has at most 2^31 symbolic sizes");
  const auto [at, is_new] = index_.try_emplace(dim, static_cast<uint32_t>(dims_.size()));
  if (is_new) dims_.push_back(dim);
  const int64_t payload = static_cast<int64_t>(tag_) << kIndexBits | at->second;
  return kPlainLeast - 1 - payload;
}

Dim DimHandles::decode(harp_dim dim) const {
  if (dim >= kPlainLeast) return Dim(dim);
  HARP_CHECK(dim != HARP_DIM_INVALID, Code::kInvalidArgument,
             "a size is HARP_DIM_INVALID: the call that should have returned a size failed");
  HARP_CHECK(dim != HARP_SLICE_NONE, Code::kInvalidArgument, "a size is HARP_SLICE_NONE, which only the start or stop of a slice may be");
  const int64_t payload = kPlainLeast - 1 - dim;
  const int64_t index = payload & ((int64_t{1} << kIndexBits) - 1);
  HARP_CHECK(payload >> kIndexBits == tag_ && index < static_cast<int64_t>(dims_.size()), Code::kInvalidArgument,
             "a symbolic size belongs to another graph");
  return dims_[static_cast<size_t>(index)];
}

Shape DimHandles::decode(int32_t rank, const harp_dim* dims) const {
  Shape shape;
  for (int32_t i = 0; i < rank; ++i) shape.push_back(decode(dims[i]));
  return shape;
}

}  // namespace harp::capi
