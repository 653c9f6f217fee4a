// The memory plan: buffers whose lifetimes (in generations) do not meet share a slot. A slot is as large as its largest member,
// slots follow each other at multiples of 64 bytes, so the workspace for given shape variables is exact.
#include <algorithm>

#include "schedule/schedule_program.h"

namespace harp {
namespace {

Dim align(Dim bytes) { return ceil_div(bytes, 64) * 64; }

struct Slot {
  Dim bytes;
  int busy_until;  // last generation that reads it
  std::vector<int> members;
};

}  // namespace

void plan_memory(Program& program) {
  std::vector<int> order;
  for (size_t b = 0; b < program.buffers.size(); ++b)
    if (program.buffers[b].kind == Buffer::Kind::kWorkspace) order.push_back(static_cast<int>(b));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return program.buffers[static_cast<size_t>(a)].first_generation < program.buffers[static_cast<size_t>(b)].first_generation;
  });
  std::vector<Slot> slots;
  for (int id : order) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(id)];
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
}

}  // namespace harp
