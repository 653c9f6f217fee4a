#include "lower/gpu/group_scan.h"

#include <algorithm>

namespace harp::lower {

using namespace ir;

const UOp* GroupScan::identity(size_t scan) { return arena_.constant(accumulator_identity(scans_[scan]->op, *scans_[scan])); }

int GroupScan::array(int64_t count, Space space, size_t scan) {
  c_.kernel.accumulators.push_back(
      {.type = {dtype(scan), 1}, .count = count, .init = scalar_from_int(dtype(scan), 0), .space = space, .is_row = true});
  return static_cast<int>(c_.kernel.accumulators.size()) - 1;
}

ScanLowering::Row GroupScan::shared(int64_t count, Body& body) {
  Row row;
  count = std::max<int64_t>(2, count);
  for (size_t s = 0; s < scans_.size(); ++s) {
    row.push_back(array(count, Space::kShared, s));
    body.push_back(declare_accumulator(arena_, row[s]));
  }
  return row;
}

const UOp* GroupScan::item(size_t scan, const Index& kept, Sym along, Sym place) {
  if (phase_.level == 0) return element(scan, position(kept, along));
  return arena_.load(dtype(scan), parameter(whole_.totals(phase_.level, static_cast<int64_t>(scan)), false), place);
}

Body GroupScan::store_values(const std::vector<const UOp*>& values, const Index& kept, Sym along, Sym place) {
  if (phase_.level == 0) {
    for (size_t s = 0; s < scans_.size(); ++s) c_.values.bind(scans_[s], from_accumulator(arena_, *scans_[s], values[s]));
    return store_outputs(c_, position(kept, along));
  }
  Body body;
  for (size_t s = 0; s < scans_.size(); ++s)
    body.push_back(store_to(parameter(whole_.values(phase_.level, static_cast<int64_t>(s)), true), place, values[s]));
  return body;
}

const UOp* GroupScan::value_above(size_t scan, Sym place) {
  return arena_.load(dtype(scan), parameter(whole_.values(phase_.level + 1, static_cast<int64_t>(scan)), false), place);
}

Stmt* GroupScan::store_total(size_t scan, Sym place, const UOp* total) {
  return store_to(parameter(whole_.totals(phase_.level + 1, static_cast<int64_t>(scan)), true), place, total);
}

Stmt* GroupScan::store_to(int buffer, Sym place, const UOp* value) {
  auto* s = arena_.statement<Store>();
  s->buffer = buffer;
  s->index = place;
  s->value = value;
  return s;
}

}  // namespace harp::lower
