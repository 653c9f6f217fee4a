// The memory plan: buffers whose lifetimes (in generations) do not meet share a slot. A slot is as large as its largest member,
// slots follow each other at multiples of 64 bytes, so the workspace for given shape variables is exact. Where the last reader of a buffer
// may write its result over it (in_place.h), the result takes the slot at once.
#include <algorithm>

#include "schedule/in_place.h"
#include "schedule/schedule_program.h"

namespace harp {
namespace {

Dim align(Dim bytes) { return ceil_div(bytes, 64) * 64; }

struct Slot {
  Dim bytes;
  int busy_until;  // last generation that reads it
  std::vector<int> members;
};

/// The slot of a buffer that `id` may be written over, or null; a slot is given away by its last member only.
Slot* slot_in_place(std::vector<Slot>& slots, const std::vector<InPlace>& safe, int id) {
  for (auto pair = std::lower_bound(safe.begin(), safe.end(), InPlace{id, 0}); pair != safe.end() && pair->written == id; ++pair)
    for (Slot& slot : slots)
      if (slot.members.back() == pair->read) return &slot;
  return nullptr;
}

}  // namespace

void plan_memory(Program& program) {
  const std::vector<InPlace> safe = find_in_place(program);
  for (const InPlace& pair : safe)
    if (program.buffers[static_cast<size_t>(pair.written)].kind == Buffer::Kind::kOutput) program.in_place.push_back(pair);
  std::vector<int> order;
  for (size_t b = 0; b < program.buffers.size(); ++b)
    if (program.buffers[b].kind == Buffer::Kind::kWorkspace) order.push_back(static_cast<int>(b));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return program.buffers[static_cast<size_t>(a)].first_generation < program.buffers[static_cast<size_t>(b)].first_generation;
  });
  std::vector<Slot> slots;
  for (int id : order) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(id)];
    if (Slot* slot = slot_in_place(slots, safe, id)) {  // as large as it has to be
      program.in_place.push_back({id, slot->members.back()});
      slot->busy_until = buffer.last_generation;
      slot->members.push_back(id);
      continue;
    }
    const Dim bytes = align(buffer.bytes);
    // a free slot of the same size if there is one, else one whose maximum stays simple, else a new one
    Slot* best = nullptr;
    for (Slot& slot : slots) {
      if (slot.busy_until >= buffer.first_generation) continue;
      if (slot.bytes == bytes) {
        best = &slot;
        break;
      }
      if (!best && (proven_at_most(bytes, slot.bytes) || proven_at_most(slot.bytes, bytes))) best = &slot;
    }
    if (!best) best = &slots.emplace_back(Slot{bytes, 0, {}});
    best->bytes = max(best->bytes, bytes);
    best->busy_until = buffer.last_generation;
    best->members.push_back(id);
  }
  Dim end = 0;
  for (const Slot& slot : slots) {
    for (int id : slot.members) program.buffers[static_cast<size_t>(id)].offset = end;
    end += slot.bytes;
  }
  program.workspace_bytes = end;
  std::sort(program.in_place.begin(), program.in_place.end());
}

}  // namespace harp
