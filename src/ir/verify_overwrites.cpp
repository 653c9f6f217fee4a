// Checks the loads of a list of statements against the stores and block copies that may overwrite the loaded elements.
#include "ir/verify_overwrites.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"

namespace harp::ir {
namespace {

/// Calls f once for each load among these values and their transitive sources.
template <class Visit>
void visit_loads(std::vector<const UOp*> values, Visit f) {
  for_each_uop(std::move(values), [&](const UOp* u) {
    if (u->kind == UKind::kLoad) f(*u);
  });
}

}  // namespace

size_t OverwriteRules::enter(const Body& statements) {
  const size_t known = stored_blocks_.size();
  for (const Stmt* s : statements)
    if (const Copy* block = stored_block(*s)) stored_blocks_.push_back(block->buffer);
  return known;
}

void OverwriteRules::leave(const Body& statements, size_t known) {
  in_place(statements);
  std::vector<const Store*> run;
  for (const Stmt* s : statements) {
    const auto* store = as<Store>(s);
    if (store == nullptr)
      stores_together(std::exchange(run, {}));
    else
      run.push_back(store);
  }
  stores_together(run);
  stored_blocks_.resize(known);
}

void OverwriteRules::stores_together(std::span<const Store* const> run) const {
  const auto is_whole = [](int lanes, Sym step) { return lanes == 1 || step.is_constant(1); };
  for (size_t i = 1; i < run.size(); ++i)
    visit_loads({run[i]->value}, [&](const UOp& load) {
      for (const Store* before : run.first(i)) {
        const int stored = before->value->type.lanes, loaded = load.type.lanes;
        const Sym ahead = load.index - before->index;
        if (before->buffer != load.buffer || !ahead.is_constant()) continue;
        if (!is_whole(stored, before->lane_step) || !is_whole(loaded, load.lane_step)) continue;
        if (ahead.constant() < stored && -ahead.constant() < loaded)
          violated("a store reads no element that a store before it writes, but one to ", name_of(load.buffer), "[",
                   to_string(run[i]->index), "] reads ", describe(load));
      }
    });
}

const Copy* OverwriteRules::stored_block(const Stmt& s) const {
  const auto* copy = as<Copy>(&s);
  if (copy == nullptr || copy->accumulator >= 0) return nullptr;
  const auto is_in_its_place = [&](const Param& p) { return std::ranges::find(p.in_place, copy->buffer) != p.in_place.end(); };
  return std::ranges::any_of(kernel_.params, is_in_its_place) ? copy : nullptr;
}

void OverwriteRules::after_stored_blocks(const Body& statements) const {
  std::vector<int> blocks;  // parameters that stored blocks before the statement write
  for (const Stmt* s : statements) {
    if (!blocks.empty()) {
      const auto* copy = as<Copy>(s);
      if (copy == nullptr || copy->accumulator >= 0)
        violated("only copies to parameters follow a copy that may overwrite a parameter that is read, but other statements follow one");
      for (int read : copy->inputs)
        for (int written : kernel_.params[static_cast<size_t>(read)].in_place)
          if (std::ranges::find(blocks, written) != blocks.end())
            violated("a copy does not read what a copy before it may overwrite, but one to ", name_of(copy->buffer), " reads ",
                     name_of(read), " after one to ", name_of(written));
    }
    if (const Copy* block = stored_block(*s)) blocks.push_back(block->buffer);
  }
}

void OverwriteRules::in_place(const Body& statements) const {
  after_stored_blocks(statements);
  std::vector<const UOp*> roots;
  for (const Stmt* s : statements) for_each_value(*s, [&](const UOp* root) { roots.push_back(root); });
  visit_loads(std::move(roots), [&](const UOp& load) {
    for (int written : kernel_.params[static_cast<size_t>(load.buffer)].in_place) {
      const bool meets = std::ranges::any_of(statements, [&](const Stmt* s) {
        const auto* store = as<Store>(s);
        return store != nullptr && store->buffer == written && store->index == load.index && store->value->type.lanes == load.type.lanes &&
               mask_of(&load) == store->mask && (load.type.lanes == 1 || store->lane_step == load.lane_step);
      });
      if (!meets && !is_in_stored_block(written))
        violated("an array that a store may overwrite is loaded at the stored position, but a store to ", name_of(written),
                 " is elsewhere than ", describe(load));
    }
  });
}

}  // namespace harp::ir
