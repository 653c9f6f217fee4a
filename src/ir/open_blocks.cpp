#include "ir/open_blocks.h"

#include <algorithm>

#include "base/error.h"

namespace harp::ir {
namespace {

/// Returns the first list in `named.guards` whose guards all occur in `held`; null if there is no such list. If there is one, the name is
/// valid where all guards in `held` are >= 0.
const std::vector<Sym>* guards_met(const Block::Named& named, const std::vector<Sym>& held) {
  for (const std::vector<Sym>& guards : named.guards)
    if (std::ranges::all_of(guards, [&](Sym g) { return std::ranges::find(held, g) != held.end(); })) return &guards;
  return nullptr;
}

}  // namespace

Sym trip_guard(const Block& block) {
  if (block.loop == nullptr || block.loop->loop == LoopKind::kThread) return 0;
  const Sym guard = block.loop->end - block.loop->begin - 1;
  return proven_nonnegative(guard) ? Sym(0) : guard;
}

std::vector<Line> OpenBlocks::close() {
  std::vector<Line> lines = std::move(blocks_.back().lines);
  blocks_.pop_back();
  return lines;
}

int OpenBlocks::level_of(const SymAtom& atom) const {
  if (atom.kind == AtomKind::kVariable) {
    if (!atom.is_loop) return 0;
    for (int level = innermost(); level > 0; --level)
      if ((*this)[level].variable == &atom) return level;
    fail(Code::kInternal, "loop variable ", atom.name, " is used outside its loop");
  }
  const int level = std::max(level_of(atom.a), level_of(atom.b));
  return atom.kind == AtomKind::kSelect ? std::max(level, level_of(atom.c)) : level;
}

int OpenBlocks::level_of(const Terms& e) const {
  int level = 0;
  for (const SymTerm& t : e.terms)
    for (const SymAtom* f : t.factors) level = std::max(level, level_of(*f));
  return level;
}

const SymAtom* OpenBlocks::innermost_loop(int level) const {
  for (; level > 0; --level)
    if ((*this)[level].loop != nullptr) return (*this)[level].variable;
  return nullptr;
}

void OpenBlocks::define_offsets(const Terms& e) {
  for (const SymTerm& t : e.terms)
    for (const SymAtom* f : t.factors) define_offset(*f);
}

void OpenBlocks::define_offset(const SymAtom& atom) {
  if (atom.kind == AtomKind::kVariable) return;
  for (const Block& b : blocks_)
    if (b.offsets.contains(&atom)) return;
  define_offsets(atom.a);
  define_offsets(atom.b);
  if (atom.kind == AtomKind::kSelect) define_offsets(atom.c);
  Block& block = blocks_[static_cast<size_t>(level_of(atom))];
  block.offsets.insert(&atom);
  block.lines.push_back({.kind = LineKind::kOffset, .name = cat("oidx", offset_count_++), .atom = &atom});
}

void OpenBlocks::define_pointer(int buffer, const Terms& row, int level, std::string name) {
  for (const Block& b : blocks_)
    for (const auto& [known, other] : b.pointers)
      if (known == buffer && same_row(other, row)) return;
  int& count = pointer_count_[buffer];
  if (count++ > 0) append(name, count - 1);
  Block& block = blocks_[static_cast<size_t>(level)];
  block.pointers.emplace_back(buffer, row);
  block.lines.push_back({.kind = LineKind::kPointer, .name = std::move(name), .buffer = buffer, .row = row});
}

void OpenBlocks::hold_guards() {
  held_.clear();
  for (const Block& b : blocks_)
    if (const Sym guard = trip_guard(b); !guard.is_constant()) held_.push_back(guard);
}

OpenBlocks::Found OpenBlocks::find_named(const UOp* u) const {
  for (int level = innermost(); level >= 0; --level) {
    const auto& values = (*this)[level].values;
    const auto found = values.find(u);
    if (found == values.end() || found->second.stale) continue;
    if (const std::vector<Sym>* guards = guards_met(found->second, held_)) return {&found->second, level, guards};
  }
  return {};
}

std::vector<std::pair<const UOp*, std::string>> OpenBlocks::mentioned(std::span<const UOp* const> roots) const {
  std::vector<std::pair<const UOp*, std::string>> names;
  std::vector<const UOp*> stack(roots.begin(), roots.end());
  while (!stack.empty()) {
    const UOp* u = stack.back();
    stack.pop_back();
    if (const Found found = find_named(u); found.named != nullptr)
      names.emplace_back(u, found.named->name);
    else
      stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void OpenBlocks::name_value(int level, Line let, const std::vector<Sym>& guards) {
  Block& block = blocks_[static_cast<size_t>(level)];
  if (widen(block, let, guards)) return;
  let.name = let.value == given_.first ? given_.second : cat("alu", value_count_++);
  block.values[let.value] = {.name = let.name, .guards = {guards}};
  block.lines.push_back(std::move(let));
}

bool OpenBlocks::widen(Block& block, const Line& let, const std::vector<Sym>& guards) {
  const auto found = block.values.find(let.value);
  if (found == block.values.end() || found->second.stale) return false;
  const auto line = std::find_if(block.lines.rbegin(), block.lines.rend(), [&](const Line& l) { return l.name == found->second.name; });
  HARP_ASSERT(line != block.lines.rend(), "the value ", found->second.name, " has no line in the block that computed it");
  if (line->names != let.names) return false;
  found->second.guards.push_back(guards);
  if (line->guards.empty()) return true;
  const auto all = [](const std::vector<Sym>& conditions) {
    Sym least = conditions[0];
    for (Sym g : conditions) least = min(least, g);
    return least;
  };
  line->guards = let.guards.empty() ? std::vector<Sym>{} : std::vector<Sym>{max(all(line->guards), all(let.guards))};
  return true;
}

void OpenBlocks::forget(const std::function<bool(const UOp*)>& changes) {
  for (Block& b : blocks_)
    for (auto& [u, named] : b.values) named.stale |= changes(u);
}

}  // namespace harp::ir
