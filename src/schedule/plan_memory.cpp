// Makes the memory plan. The workspace is divided into slots, and buffers whose lifetimes (in generations) do not overlap share a slot;
// they are its members. A slot is as large as its largest member and begins at the next multiple of 64 bytes after the slot before it, so
// the workspace size for given shape variables is exact. If every free slot is too small for a buffer, the buffer gets several adjacent
// slots. If the last kernel that reads a buffer may overwrite it with its result (in_place.h), the result takes over the slot. The same
// algorithm places the block buffers of chains (chain.cpp) in the memory of each worker; their lifetimes are counted in kernels instead of
// generations.
#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/table_limit.h"
#include "schedule/in_place.h"
#include "schedule/schedule_program.h"

namespace harp {
namespace {

/// A buffer that shares a slot with others: its size, and its lifetime from the first write to the last read.
struct SlotMember {
  int buffer;
  Dim bytes;
  int first, last;
};

Dim align(Dim bytes) { return ceil_div(bytes, 64) * 64; }

struct Slot {
  Dim bytes;  // size of the slot's largest member
  // The last generation (set of kernels that may run concurrently) in which a kernel reads one of the members so far. For block buffers it
  // is the index of that kernel instead.
  int busy_until;
  std::vector<int> members;
  size_t together = 1;  // number of adjacent slots, this one and those after it, that the last member of this slot occupies
};

/// Returns the slot of a buffer that buffer `id` may overwrite in place, or null. Only the last member of a slot can be overwritten.
Slot* slot_in_place(std::vector<Slot>& slots, const std::vector<InPlace>& safe, int id) {
  for (auto pair = std::lower_bound(safe.begin(), safe.end(), InPlace{id, 0}); pair != safe.end() && pair->written == id; ++pair)
    for (Slot& slot : slots)
      if (slot.members.back() == pair->read) return &slot;
  return nullptr;
}

/// Stores, for each size, the generations in which buffers of that size are first written. Buffers that may overwrite another one in place
/// are left out.
class FirstWrites {
 public:
  /// Requires that the members are sorted by their first writes.
  FirstWrites(const std::vector<SlotMember>& members, const std::vector<InPlace>& safe) {
    for (const SlotMember& member : members)
      if (!std::ranges::binary_search(safe, member.buffer, {}, &InPlace::written)) times_[member.bytes.hash()].push_back(member.first);
  }
  /// Tests whether a buffer of this size is first written in one of the generations `from` … `to`. (Sizes with equal hashes count as equal.
  /// That is harmless, because the answer only affects which of several free slots is preferred.)
  bool any(Dim bytes, int from, int to) const {
    const auto found = times_.find(bytes.hash());
    if (found == times_.end()) return false;
    const auto next = std::lower_bound(found->second.begin(), found->second.end(), from);
    return next != found->second.end() && *next <= to;
  }

 private:
  std::unordered_map<size_t, std::vector<int>> times_;
};

/// Returns the shortest run of adjacent free slots that together are large enough for the member; empty if there is none. A slot does not
/// count as free if a buffer of exactly the slot's size is first written during the member's lifetime. Only slots of constant size are
/// used, because comparing sums of symbolic sizes takes long.
std::span<Slot> free_slots(std::vector<Slot>& slots, const SlotMember& member, const FirstWrites& first_writes) {
  std::span<Slot> best;
  const Dim wanted = align(member.bytes);
  Dim room = 0;  // total size of the slots begin … end
  for (size_t begin = 0, end = 0; end < slots.size(); ++end) {
    if (!slots[end].bytes.is_constant() || slots[end].busy_until >= member.first ||
        first_writes.any(slots[end].bytes, member.first, member.last)) {
      begin = end + 1;
      room = 0;
      continue;
    }
    room += align(slots[end].bytes);
    while (begin <= end && proven_at_most(wanted, room)) {
      if (best.empty() || end + 1 - begin < best.size()) best = std::span(slots).subspan(begin, end + 1 - begin);
      room = room - align(slots[begin++].bytes);
    }
  }
  return best;
}

/// Assigns offsets to the buffers and records the in-place pairs. Returns the total size of all slots.
Dim assign_offsets(Program& program, const std::vector<InPlace>& safe, std::vector<SlotMember> members) {
  std::stable_sort(members.begin(), members.end(), [](const SlotMember& a, const SlotMember& b) { return a.first < b.first; });
  const FirstWrites first_writes(members, safe);
  std::vector<Slot> slots;
  for (const SlotMember& member : members) {
    // The overwritten buffer has the same size, so the slot is large enough.
    if (Slot* slot = slot_in_place(slots, safe, member.buffer)) {
      program.in_place.push_back({member.buffer, slot->members.back()});
      for (Slot& taken : std::span<Slot>(slot, slot->together)) taken.busy_until = member.last;
      slot->members.push_back(member.buffer);
      continue;
    }
    check_time(program.graph->dims());
    const Dim bytes = member.bytes;
    // The order of preference is: a free slot of the same size; a larger free slot; several adjacent free slots; a smaller free slot, which
    // is enlarged; a new slot. Larger or adjacent slots are not taken if a buffer of exactly their size needs them in the meantime.
    Slot* best = nullptr;
    for (Slot& slot : slots) {
      if (slot.busy_until >= member.first) continue;
      if (slot.bytes == bytes) {
        best = &slot;
        break;
      }
      const bool fits = proven_at_most(bytes, slot.bytes) && !first_writes.any(slot.bytes, member.first, member.last);
      if (!best && (fits || proven_at_most(slot.bytes, bytes))) best = &slot;
    }
    std::span<Slot> taken;
    if (bytes.is_constant() && (!best || !proven_at_most(bytes, best->bytes))) taken = free_slots(slots, member, first_writes);
    if (taken.empty()) {
      if (!best) best = &slots.emplace_back(Slot{bytes, 0, {}});
      best->bytes = max(best->bytes, bytes);
      taken = {best, 1};
    }
    for (Slot& slot : taken) slot.busy_until = member.last;
    taken.front().members.push_back(member.buffer);
    taken.front().together = taken.size();
  }
  Dim end = 0;
  for (const Slot& slot : slots) {
    for (int id : slot.members) program.buffers[static_cast<size_t>(id)].offset = end;
    end += align(slot.bytes);
  }
  return end;
}

/// Returns the block buffers of chains (chain.cpp). Their lifetimes are counted in kernels.
std::vector<SlotMember> block_members(const Program& program) {
  std::vector<SlotMember> members;
  std::vector<size_t> member_of(program.buffers.size());
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const int now = static_cast<int>(k);
    for (const StorePlan& store : program.kernels[k].stores) {
      const Buffer& buffer = program.buffers[static_cast<size_t>(store.buffer)];
      if (buffer.space != Space::kScratch) continue;
      member_of[static_cast<size_t>(store.buffer)] = members.size();
      members.push_back({store.buffer, block_bytes(buffer), now, now});
    }
    for (const int b : program.kernels[k].reads)
      if (program.buffers[static_cast<size_t>(b)].space == Space::kScratch) members[member_of[static_cast<size_t>(b)]].last = now;
  }
  return members;
}

}  // namespace

void plan_memory(Program& program) {
  const std::vector<InPlace> safe = find_in_place(program);
  for (const InPlace& pair : safe)
    if (program.buffers[static_cast<size_t>(pair.written)].kind == Buffer::Kind::kOutput) program.in_place.push_back(pair);
  std::vector<SlotMember> whole;
  for (size_t b = 0; b < program.buffers.size(); ++b)
    if (const Buffer& buffer = program.buffers[b]; buffer.kind == Buffer::Kind::kTemporary && buffer.space == Space::kWorkspace)
      whole.push_back({static_cast<int>(b), buffer.bytes, buffer.first_generation, buffer.last_generation});
  program.workspace_bytes = assign_offsets(program, safe, std::move(whole));
  program.block_bytes = assign_offsets(program, safe, block_members(program));
  std::sort(program.in_place.begin(), program.in_place.end());
}

}  // namespace harp
