// Implements the scans that docs/semantics.md ("Scans") defines, for arrays with any strides. The innermost loops, which depend on the
// operation, the dtype and the order (tree or chain), are in scan_loops.cpp. The code here addresses elements in bytes.
//
// Both orders split the axis into blocks of 4,096 elements. First the total of each block is computed, beginning with the identity; the
// total of the last block is not needed. An exclusive scan of the totals, by the same algorithm, gives the initial carry of each block.
// Then each block is scanned, beginning with its carry.
#include "interp/scan.h"

#include <algorithm>
#include <span>
#include <vector>

#include "interp/scan_loops.h"

namespace harp::interp {
namespace {

constexpr int64_t kBlock = 4096;
/// The largest number of adjacent scans that are computed together.
constexpr int64_t kMaxWidth = 512;
/// The largest number of elements between two checks for cancellation.
constexpr int64_t kPart = 1 << 16;
static_assert(kPart / kMaxWidth % kScanGroup == 0);

/// Computes `width` scans of n elements together, by the loop `loop`. Each column of x is one scan; y has the results.
void scan(const ScanLoops& loops, ScanLoop loop, const Elements& x, const Results& y, int64_t n, int64_t width, CancelChecks& checks) {
  const int64_t row_bytes = width * loops.accumulator_bytes, blocks = (n + kBlock - 1) / kBlock;
  // Scans one block, beginning with `carries`, which are replaced by the carries after the block.
  const auto scan_block = [&](int64_t block, std::byte* carries, bool stores_results) {
    const int64_t end = std::min(n, (block + 1) * kBlock);
    constexpr int64_t kRows = kPart / kMaxWidth;
    for (int64_t row = block * kBlock; row < end; row += kRows) {
      const int64_t rows = std::min(kRows, end - row);
      checks.count(rows * width);
      loop(carries, x.from_row(row), stores_results ? y.from_row(row) : Results{}, rows, width);
    }
  };
  std::vector<std::byte> carries(static_cast<size_t>(blocks * row_bytes));
  loops.fill(carries.data(), width);
  if (blocks > 1) {
    std::vector<std::byte> totals(static_cast<size_t>((blocks - 1) * row_bytes));
    loops.fill(totals.data(), (blocks - 1) * width);
    for (int64_t block = 0; block + 1 < blocks; ++block) scan_block(block, totals.data() + block * row_bytes, false);
    const Results after_first{carries.data() + row_bytes, row_bytes, loops.accumulator_bytes};
    scan(loops, loops.scan_accumulators, {totals.data(), row_bytes, loops.accumulator_bytes}, after_first, blocks - 1, width, checks);
  }
  for (int64_t block = 0; block < blocks; ++block) scan_block(block, carries.data() + block * row_bytes, true);
}

/// Returns the index space of the axes that are not scanned, with the strides of the source and of the result.
IndexSpace<2> other_axes(const ScanAttributes& attributes, const Array& source, const Array& result) {
  const auto others = [&](std::vector<int64_t> numbers) {
    numbers.erase(numbers.begin() + attributes.axis);
    return numbers;
  };
  const std::vector<int64_t> source_strides = others(source.strides), result_strides = others(result.strides);
  return IndexSpace<2>(others(source.shape), {std::span(source_strides), std::span(result_strides)});
}

}  // namespace

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes) {
  const ScanAttributes& attributes = node.as<ScanAttributes>();
  const Array& source = operands[0];
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  // some size is 0, so there are no results to compute
  if (std::find(source.shape.begin(), source.shape.end(), 0) != source.shape.end()) return result;

  const ScanLoops loops = scan_loops(node.op, node.dtype, attributes.order);
  const auto bytes = static_cast<int64_t>(size_of(node.dtype));
  const int64_t n = source.shape[attributes.axis];
  // The axis is scanned from its end if the scan is reverse
  const int64_t first = attributes.reverse ? n - 1 : 0, direction = attributes.reverse ? -bytes : bytes;
  const int64_t x_stride = source.strides[attributes.axis], y_stride = result.strides[attributes.axis];
  const std::byte* const x = source.data + first * x_stride * bytes;
  std::byte* const y = result.data + first * y_stride * bytes;
  // With order tree, each scan is computed along its row. If rows are long, computing several together would need too much cache.
  const int64_t width = attributes.order == ScanOrder::kTree ? std::clamp(kBlock / n, int64_t{1}, kMaxWidth) : kMaxWidth;
  CancelChecks checks(sizes);
  for_each_run(other_axes(attributes, source, result), [&](const auto& offsets, const auto& steps, int64_t count) {
    for (int64_t j = 0; j < count; j += width) {
      const Elements from{x + (offsets[0] + j * steps[0]) * bytes, x_stride * direction, steps[0] * bytes};
      const Results to{y + (offsets[1] + j * steps[1]) * bytes, y_stride * direction, steps[1] * bytes};
      scan(loops, loops.scan, from, to, n, std::min(width, count - j), checks);
    }
  });
  return result;
}

}  // namespace harp::interp
