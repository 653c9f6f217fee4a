// Turns tagged scalar loops into scheduled loops. The templates of src/lower emit scalar loops with tags (LoopTags, statement.h), which say
// how the kernel's Schedule transforms them. Only apply_schedule executes the tags: it fuses loops, splits them into chunks and parts,
// vectorises and unrolls them.
//
// The statements are visited in order, and nested statements before the loops that enclose them, so that a rewrite sees the final form of
// the body of a loop. For each kernel:
//
//   rewrite                 tag that requests it    requirements and effect
//   assume_nonempty         nest.nonempty           first, because every later proof uses the tighter bounds of sizes; adds a launch guard
//   collapse                nest                    indices that allow it; adjacent loops are fused, and the fused loop gets the innermost
//                                                   loop's tags
//   flatten                 nest, kThread,          after collapse: makes one thread loop, without vectors, for a GPU; the variables of the
//                           no nest.chunks          nest become quotients and remainders of its variable
//   group_accesses          (the same)              after flatten: a thread accesses as many elements together as the vectors of the
//                                                   innermost loop have lanes
//   strip_mine              nest.chunks             one loop left after collapse; the loop over chunks becomes the thread loop
//   partition               vector.partition        before vectorise: inside each part conditions fold away, which leaves linear positions
//   unswitch                vector.unswitch         after partition: handles the conditions that partition could not remove
//   vectorise               vector                  positions linear in the variable, else the loop stays scalar
//   unroll                  vector.most_…           constant trip count
//   unroll-and-jam          vector.together         after vectorise: interleaves vectors; for a loop of stores only, vectorise does it
//   prefetch_next           ahead                   vector loads: one prefetch for each
//   prefetch_row_pages,     nest.…_prefetches       vector loads and gathers; adds prefetches to the loop around the innermost one
//   prefetch_gathers
//   group_interleaved       (all loops)             after vectorise: groups strided accesses that together cover whole vectors
//   initialise_accumulators (all loops)             after vectorise: accumulators that are vectors are declared with their first values
//   insert_cancel_polls     (all loops)             last: the cost of an iteration is estimated from the final loops
// The order of prefetches and of unrolled statements affects only the order of lines in the generated source. Every rewrite keeps all bits
// of the results.
//
// A template that must look at scheduled loops to decide what to emit next calls apply_tags for a part of its statements and says so at the
// top of its file (lower/contraction.cpp, lower/reduce_lanes.cpp, lower/scan_tree.cpp).
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Transforms all loops of all kernels as their tags (LoopTags) say, and removes the tags. Adds guards to the launches of kernels that were
/// specialised (assume_nonempty), and inserts polls of the cancel flag.
void apply_schedule(Module& module);

/// Transforms all loops of these statements as their tags say, immediately, before the rest of the kernel is made, and returns the new
/// statements. `kernel` is the kernel that the statements will belong to, with the parameters that it has so far. No loop may have the tag
/// nest.nonempty, because its guard belongs to the launch of the whole kernel.
Body apply_tags(Arena& arena, const Kernel& kernel, const Body& statements);

/// Default limit: a loop over accumulators is fully unrolled only if the accumulators are at most this many vectors.
inline constexpr int64_t kMaxRegisterVectors = 8;
/// Tests whether `width` elements are a whole number of vectors, at most `most_vectors`, so that their accumulators stay in registers.
bool in_registers(Sym width, int simd_width, int64_t most_vectors = kMaxRegisterVectors);

}  // namespace harp::ir
