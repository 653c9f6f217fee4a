#include "lower/scan_pipeline.h"

namespace harp::lower {

using namespace ir;

ScanPipeline::ScanPipeline(KernelContext& context, Accumulators& accumulators, const Node& scan, int64_t groups, int width)
    : arena_(context.arena),
      kernel_(context.kernel),
      accumulators_(accumulators),
      dtype_(accumulator_dtype(scan)),
      groups_(groups),
      width_(width),
      elements_(add(scan, groups * kScannedGroup / width)),
      quads_(add(scan, groups * kScannedGroup / kQuad / width)),
      carry_(add(scan, 1)),
      group_total_(add(scan, 1)),
      total_(add(scan, 1)) {
  Accumulator& elements = kernel_.accumulators[static_cast<size_t>(elements_)];
  elements.type.lanes = 1;
  elements.count *= width;
}

int ScanPipeline::add(const Node& scan, int64_t vectors) {
  const Node* const one[] = {&scan};
  const int number = accumulators_.add(one, 1)[0];
  Accumulator& a = kernel_.accumulators[static_cast<size_t>(number)];
  a.type.lanes = static_cast<uint16_t>(width_);
  a.count = vectors;
  // With more than one vector, the accumulator is an array without an initial value, because it is written before it is read.
  if (vectors > 1) a.space = Space::kStack, a.is_row = true;
  return number;
}

void ScanPipeline::declare(Body& body) const {
  for (const int a : {elements_, quads_, group_total_}) body.push_back(declare_accumulator(arena_, a));
}

Sym ScanPipeline::lower(Sym begin, Sym end, int carry, int total, const Access& access, Body& body) const {
  const int64_t step = groups_ * kScannedGroup;
  const Sym full = begin + floor_div(end - begin, step) * step;
  if (proven_at_most(full, begin)) return begin;
  const std::pair<int, int> running[] = {{carry_, carry}, {total_, total}};
  for (const auto& [mine, outside] : running)
    if (outside >= 0) body.push_back(declare_accumulator(arena_, mine, arena_.splat(arena_.acc(dtype_, outside, 0), width_)));
  Loop* rounds = new_loop(arena_, "turn", begin, full);
  rounds->step = step;
  const std::vector<Part> parts = this->parts(rounds->variable, total >= 0, access);
  const auto count = static_cast<int64_t>(parts.size());
  Loop* at = new_loop(arena_, "at", 0, groups_ + count - 1);
  at->loop = LoopKind::kUnroll;
  // In step number `at`, group number at - behind executes part number `behind`. So groups that started earlier execute later parts.
  for (int64_t behind = 0; behind < count; ++behind) {
    const Sym group = at->variable - behind;
    Body each;
    parts[static_cast<size_t>(behind)](group, each);
    if (each.empty()) continue;
    if (behind + 1 < count) each = {new_if(arena_, groups_ - 1 - group, std::move(each))};
    if (behind > 0) each = {new_if(arena_, group, std::move(each))};
    at->body.push_back(each[0]);
  }
  rounds->body = {at};
  body.push_back(rounds);
  for (const auto& [mine, outside] : running)
    if (outside >= 0) body.push_back(set_accumulator(arena_, outside, 0, arena_.acc(dtype_, mine, 0)));
  return full;
}

/// Returns the parts of the work on one group, in the order of execution. Group number 0 starts at element `first` of the row.
std::vector<ScanPipeline::Part> ScanPipeline::parts(Sym first, bool has_total, const Access& access) const {
  const auto scan = [this](ScanPart part, Sym group, int64_t step, Body& body) {
    auto* s = arena_.statement<AccScan>();
    s->part = part;
    s->accumulator = elements_;
    s->quads = quads_;
    s->index = group;
    s->step = step;
    body.push_back(s);
    return s;
  };
  std::vector<Part> parts;
  parts.push_back([=, this](Sym group, Body& body) {
    access.load(elements_, group * kScannedGroup, first + group * kScannedGroup, body);
    scan(ScanPart::kQuads, group, 1, body);
  });
  parts.push_back([](Sym, Body&) {});  // an empty part, because the latency of the loads is that of two parts
  for (int64_t step = 1; step < kScannedGroup / kQuad; step *= 2)
    parts.push_back([=](Sym group, Body& body) { scan(ScanPart::kTotals, group, step, body); });
  parts.push_back([=, this](Sym group, Body& body) {
    AccScan* before = scan(ScanPart::kBefore, group, 1, body);
    before->value = vector(carry_);
    before->total = group_total_;
    body.push_back(update_accumulator(arena_, carry_, 0, vector(group_total_)));
    if (has_total) body.push_back(update_accumulator(arena_, total_, 0, vector(group_total_)));
  });
  parts.push_back([=](Sym group, Body& body) { scan(ScanPart::kAdded, group, 1, body); });
  parts.push_back([=, this](Sym group, Body& body) {
    scan(ScanPart::kValues, group, 1, body);
    access.store(elements_, group * kScannedGroup, first + group * kScannedGroup, body);
  });
  return parts;
}

}  // namespace harp::lower
