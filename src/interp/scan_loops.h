// The innermost loops of scans. Only these loops are compiled for each operation and dtype; the code around them (scan.cpp) is compiled
// once.
#pragma once

#include "graph/graph.h"
#include "interp/matrix.h"

namespace harp::interp {

/// The number of elements of a group. With order tree, docs/semantics.md ("Scans") divides the scanned elements into such groups.
inline constexpr int64_t kScanGroup = 64;

/// Continues `columns` scans, one in each column of a matrix, by the elements of `rows` rows. carries[j] is the carry of column j before
/// the first row; it is replaced by the carry after the last row. If y.data is null, no results are stored. With order tree, `rows` must be
/// a multiple of kScanGroup, except where a block of the scan ends.
using ScanLoop = void (*)(std::byte* carries, const Elements& x, const Results& y, int64_t rows, int64_t columns);

/// The loops of one operation, dtype and order.
struct ScanLoops {
  /// The size of an accumulator in bytes. Its dtype is the wide one that combine.h defines: f32 for f16, for example. Carries are
  /// accumulators.
  int64_t accumulator_bytes;
  /// Sets n accumulators to the identity of the operation.
  void (*fill)(std::byte* accumulators, int64_t n);
  /// Elements and results have the dtype of the scan.
  ScanLoop scan;
  /// Elements and results are accumulators.
  ScanLoop scan_accumulators;
};

ScanLoops scan_loops(Op op, DType dtype, ScanOrder order);

}  // namespace harp::interp
