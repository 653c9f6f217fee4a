#!/usr/bin/env python3
"""Do the fuzzer and the tests find bugs? One fault at a time is put into the sources, for example a pass that forgets a case, a bound that
is off by one, or a cache key without the flags. harp_fuzz then has to fail within 2,000 graphs, at a graph that passes without the fault.
It has to find at least 20 of the faults. Some of the faults are bugs that the fuzzer has found before. Random graphs cannot show every
fault (for example a wrong choice of the chunk of work that a thread takes, or a fault that only makes programs slower); such a fault names
a file of tests or a graph of tests/regressions, which has to find it. Each of these must be found.

Only the files with the fault are compiled again, from a copy; the working tree and the build folder stay unchanged. A fault fails if the
text that it replaces is no longer in its file, so that the table is kept up to date with the code.

usage: seeded_faults.py [part of a name ...]     needs a build with harp_fuzz and harp_tests: HARP_BUILD_DIR (default build/release)
"""
import functools
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("HARP_BUILD_DIR", os.path.join(ROOT, "build", "release")))
GRAPHS = 2000
# The numbers of graphs that one process of the fuzzer tests: FEW for the first process, because the first graphs find most faults and a
# crash ends the process; MANY for the others.
FEW, MANY = 10, 100
LEAST = 20  # the fuzzer must find at least this many faults of the table
PATIENCE = 300  # seconds for a file of tests, because a fault may cause an endless loop

# Each fault: its name, file below src, original text, faulty text; if random graphs need not find it, also what must find it: a file of
# tests, or the graph of an earlier bug.
FAULTS = [
    ("permutes compose in the wrong order", "opt/compose_views.cpp",
     "for (int& axis : axes) axis = source->as<PermuteAttributes>().axes[axis];", "axes = source->as<PermuteAttributes>().axes;"),
    ("a slice of a slice forgets the inner step", "opt/compose_views.cpp",
     "inner.start[axis] + slice.start[axis] * inner.step[axis]", "inner.start[axis] + slice.start[axis]"),
    ("pads with different values become one", "opt/compose_views.cpp",
     "if (source->op != Op::kPad || source->as<PadAttributes>().value != pad.value) return node;",
     "if (source->op != Op::kPad) return node;", "opt_test"),
    ("windows of one element forget their stride", "opt/compose_views.cpp", "step[along] = unfold.stride;", "", "compose_views_test"),
    ("windows move below a reshape that changes sizes", "opt/compose_views.cpp", "if (!(to[i] == from[j])) return std::nullopt;", "",
     "compose_views_test"),
    ("slices are joined whatever lies between them", "opt/join_slices.cpp", "distance_of(taken, step) != distance || ", "", "join_slices_test"),
    ("slices are joined although a reshape has put an axis in front", "opt/join_slices.cpp",
     "if (!are_same_but_for_ones(shape.first(along_), taken.first(axis))) return false;", "", "join_slices_test"),
    ("products are joined although there are gaps between their slices", "opt/join_products.cpp",
     "return b.start == a.start + 1;", "return b.start > a.start;", "join_products_test"),
    ("products of slices that begin elsewhere along another axis are joined", "opt/join_products.cpp",
     "if (axis != a.axis && (!(x.start[axis] == y.start[axis]) || x.step[axis] != y.step[axis])) return false;", "", "join_products_test"),
    ("a reduction is narrowed although another user needs it", "opt/narrow_reductions.cpp",
     "if (!is_reduce(array->op) || is_shared || !has_one_user(array->sources[0])) break;", "if (!is_reduce(array->op)) break;",
     "narrow_reductions_test"),
    ("a slice moves below windows without their stride", "opt/narrow_reductions.cpp",
     "part.start[axis] = part.start[axis] * windows.stride;", "", "narrow_reductions_test"),
    ("a running sum of one element keeps -0", "opt/fold_unit_axes.cpp", "if (!adds || !is_float(x->dtype)) return x;", "return x;",
     "fold_unit_axes_test"),
    ("a gather from an axis of several elements becomes a copy", "opt/fold_unit_axes.cpp",
     "is_unit(x, gather->as<GatherAttributes>().axis) && index", "index", "fold_unit_axes_test"),
    ("a search in a table of unknown length ends a step too early", "graph/sorting.cpp", "{length, integer(graph, dtype, int64_t{1} << k)}",
     "{length, integer(graph, dtype, (int64_t{1} << k) + 1)}", "sort_test"),
    ("a store in a branch reads what the store before it has overwritten", "ir/branch_stores.cpp",
     "if (std::ranges::any_of(seconds, is_overwritten)) return false;", "", "branch_stores_test"),
    ("the taps of a gradient of windows stay in their order", "grad/window_contraction.cpp",
     "  q.node = reversed(q.node, q_tap);\n\n", "", "window_contraction_test"),
    ("windows that a transposed convolution drops move its gradient", "grad/window_contraction.cpp",
     "before[p_window] = gradient->before + reach;", "before[p_window] = reach;", "window_contraction_test"),
    ("casts of floats count as lossless", "opt/simplify_algebra.cpp",
     "if (is_float(from)) return is_float(to) && size_of(from) < size_of(to);", "if (is_float(from)) return is_float(to);"),
    ("x == x is true for NaN", "opt/simplify_algebra.cpp",
     "return is_exact_kind(x->dtype) && x == node->sources[1] ? integer(graph, node, value) : node;",
     "return x == node->sources[1] ? integer(graph, node, value) : node;"),
    ("a pad of a constant folds whatever its value", "opt/fold_constants.cpp",
     "if (node->op == Op::kPad && node->as<PadAttributes>().value != *value) return node;", ""),
    ("a remainder by a divisor of unknown sign is at least the divisor", "base/symbolic_proof.cpp",
     "if (up) return {Bounds::kAll, {rest, rest + k * atom->b}};", "if (up) return {Bounds::kAll, {rest + k * atom->b}};", "symbolic_test"),
    ("divisions of divisions add their divisors", "base/symbolic_operations.cpp", "return floor_div(quotient->a, quotient->b * d);",
     "return floor_div(quotient->a, quotient->b + d);"),
    ("a quotient does not depend on a rest that is greater than the unit", "base/symbolic_operations.cpp",
     "proven_nonnegative(low) && proven_less(low, result.unit)", "proven_nonnegative(low)", "symbolic_test"),
    ("reciprocals are rounded down", "base/reciprocal.cpp", "(dividend + divisor - 1) / divisor", "dividend / divisor", "reciprocal_test"),
    ("a remainder is dropped one too early", "base/symbolic_operations.cpp", "if (proven_nonnegative(x) && proven_less(x, d)) return x;",
     "if (proven_nonnegative(x) && proven_at_most(x, d)) return x;"),
    ("a remainder of something negative is dropped", "base/symbolic_operations.cpp", "if (proven_nonnegative(x) && proven_less(x, d)) return x;",
     "if (proven_less(x, d)) return x;"),
    ("blocks of rows: a matrix that is transposed counts as made row by row", "schedule/row_blocks.cpp",
     "if (static_cast<size_t>(axes[axis]) != axis) return false;", "", "row_blocks_test"),
    ("blocks of rows: a matrix that others need too is cut", "schedule/row_blocks.cpp", "pays && std::none_of(region.begin(), region.end(), leaves)",
     "pays", "row_blocks_test"),
    ("of two vectors that go through a function in turn both are the first", "render/kernel/body.cpp", "second_scope(unit, subject_of(1)",
     "second_scope(unit, subject_of(0)", "interleave_test"),
    ("an overlapping tail runs without a whole vector before it", "ir/vectorise.cpp",
     "if (proven_nonnegative(length - width)) return vectors;", "return vectors;"),
    ("the last element of a tail is left out", "ir/vectorise.cpp", "Loop* rest = scalar(arena, loop, middle, loop->end);",
     "Loop* rest = scalar(arena, loop, middle, loop->end - 1);"),
    ("vectors run past the end", "ir/vectorise.cpp",
     "if (proven_nonnegative(length - width) && mod(length, width).is_constant(0))", "if (proven_nonnegative(length - width))"),
    ("partition: what is behind a border begins one late", "ir/partition.cpp",
     "over(arena, part, *at, part->end, max(part->begin, *chosen), part->end)",
     "over(arena, part, *at + 1, part->end, max(part->begin, *chosen), part->end)"),
    ("partition: a part is forgotten", "ir/partition.cpp", "work.push_back(over(arena, part, *at, part->end,",
     "if (done.empty()) work.push_back(over(arena, part, *at, part->end,"),
    ("a row-wise kernel reads values of other rows' elements as its own", "schedule/row_passes.cpp",
     "if (mask != (is_element ? 0 : rows_.reduced)) return std::nullopt;", "(void)mask;"),
    ("a row-wise kernel overwrites what a later pass reads", "schedule/in_place.cpp", "last->second > pass || ", ""),
    ("values kept of a row are those of the first column of the tile", "lower/row_values.cpp",
     "position * tile->columns + index[tile->axis] - tile->start", "position * tile->columns"),
    ("contraction: the last tile of rows reads beyond them", "lower/contraction_factors.cpp",
     "block_.layout.whole_rows ? there : min(there, last)", "there"),
    ("contraction: of a group the first member's columns are copied", "lower/contraction_block.cpp", "= first_of_group + member;",
     "= first_of_group;"),
    ("blocks of 128 terms", "schedule/law.h", "constexpr int64_t kChainBlock = 256;",
     "constexpr int64_t kChainBlock = 128;"),
    ("contraction: what is copied of rows lies a tile too far", "lower/contraction_layout.cpp",
     "(tile * terms_at_once() + term) * panel_rows", "(tile * terms_at_once() + terms_at_once() + term) * panel_rows"),
    ("contraction: terms that are stored too are not visited once each", "schedule/contraction.cpp",
     "if (!kernel.passes[0].row_stores.empty()) return std::nullopt;", "", "stored_factor_of_product.harp"),
    ("contraction: a tile that lacks columns is stored as a whole one", "lower/contraction.cpp",
     "columns_left - part.vectors * layout_.simd;", "Sym(0);", "contraction_test"),
    ("contraction: half a tile is computed where one row more exists", "lower/contraction.cpp", "left - (half * size + 1);",
     "left - (half * size + 2);", "contraction_test"),
    ("contraction: a row that does not exist is stored", "lower/contraction.cpp", "rows_left - (row + 1);", "rows_left - row;",
     "contraction_test"),
    ("transposed rows: each tile has the rows of the first", "lower/transposed_rows.cpp", "= tile_.first + column;", "= column;",
     "transposed_rows_test"),
    ("transposed rows: a part of a tile has one row too few", "render/routines/transpose.cpp", "(columns);\\n", "(columns - 1);\\n",
     "transposed_rows_test"),
    ("contraction: every vector of a tile has the mask of the first", "lower/contraction_block.cpp",
     "in_range(layout.columns - 1 - first_column - column);", "in_range(layout.columns - 1 - lane);", "contraction_test"),
    ("contraction: of few rows the last terms are forgotten", "lower/skinny_gemm.cpp", "terms(full, count, 1);", ""),
    ("contraction: tiles overlap one row too many", "lower/contraction_block.cpp",
     "min(row, rows_here - layout.tile_rows)", "min(row, rows_here - layout.tile_rows - 1)"),
    ("masked vectors: one lane too many exists", "ir/masked_remainder.cpp", "in_range(loop_->end - 1 - lanes->variable)",
     "in_range(loop_->end - lanes->variable)", "masked_remainder_test"),
    ("panels: the first of several unevenly spaced lanes is not copied", "lower/panel.cpp", "lane->body = inner_loop(c, term, 1,",
     "lane->begin = 1, lane->body = inner_loop(c, term, 1,", "joined_columns_test"),
    ("panels: a tile that lacks one column is copied as a whole one", "lower/panel.cpp", "const Sym missing = left - panel.lanes;",
     "const Sym missing = left - panel.lanes + 1;"),
    ("windows: the copied box is one short", "lower/windows.cpp", "Sym copied = 1, wanted = 1,", "Sym copied = 0, wanted = 0,"),
    ("windows: columns beyond the last are read of every operand", "lower/reduce_columns.cpp",
     "operand->rank() == 0 || !varies(operand, kept_.back())", "true", "windows_with_weights_of_their_own.harp"),
    ("windows: blocks of many channels are as long as those of few", "schedule/cpu/schedule_contraction.cpp",
     "read(1) > most_of_line", "false", "conv_test"),
    ("windows: lines of unknown length are long", "schedule/cpu/schedule_contraction.cpp",
     "contraction_.group_position && has_unknown_lines(reduce_, contraction_)", "false", "conv_test"),
    ("few terms of few rows are added in memory", "schedule/cpu/schedule_contraction.cpp",
     "range(term_count(reduce)).hi < kSkinnyTerms", "range(term_count(reduce)).hi < 0", "contraction_test"),
    ("windows: every element of the box is the array's first", "lower/windows.cpp", "c_->values.value(array_, there))",
     "c_->values.value(array_, Index(there.size(), Sym(0))))"),
    ("joined arrays in one kernel are stored over each other", "lower/elementwise.cpp",
     "c.values.position_in(plan.buffer, index, plan.shape) + (offset_of(plan) - shared);",
     "c.values.position_in(plan.buffer, index, plan.shape);"),
    ("transposes: bools are copied as the bytes they are", "lower/transpose.cpp", "crossed && !is_bool(crossed->load->type.dtype);",
     "crossed.has_value();", "transposed_bools.harp"),
    ("every second element: the second half is one off", "render/c/access.cpp", "lane * step - i * (lanes - 1), before", "lane * step - i * lanes, before"),
    ("sort: of equals in short rows the last comes first", "render/routines/argsort.cpp", "count -= row[i] <= these;", "count -= row[i] < these;"),
    ("sort: rows with zeros of both signs are left as they are sorted", "render/routines/sort.cpp",
     "lost |= nan | (bits == ($K)$SIGN);", "lost |= nan;"),
    ("sort: the last rows side by side are those before them", "render/routines/sort.cpp",
     "row + $L <= rows ? row : rows - $L;", "row + $L <= rows ? row : row - $L;"),
    ("sort: merges side by side forget the line in the middle", "render/routines/sort.cpp", "i = 2 * run - n; i < run;", "i = 2 * run - n + 1; i < run;",
     "sort_test"),
    ("sort: what is left of two walks in one is not exchanged", "render/routines/sort.cpp",
     "  exchange_apart_$F(keys + at * $L, d / 2, n - at);\n", "\n",
     "sort_test"),
    ("sort: rows side by side have the memory of one", "schedule/routine.cpp", "max(ceil_div(length, line), min(length, kMaxSortedSideBySide))",
     "ceil_div(length, line)", "sort_test"),
    ("sort: an array that another one orders is put in its own order", "opt/sort_values.cpp",
     "if (build::argsort(x, axis, descending) != order) continue;", ""),
    ("topk: only the last line of a part is compared", "render/routines/select.cpp", "better |= *(const $V*)(part + i * $L) $BEFORE limit;",
     "better = *(const $V*)(part + i * $L) $BEFORE limit;", "select_test"),
    ("topk: of one row the last quarter of all lanes is forgotten", "render/routines/select.cpp", "half = $HALF; half > 0;",
     "half = $HALF / 2; half > 0;", "select_test"),
    ("topk: too many of the keys that equal the last one are taken", "render/routines/select.cpp", "(keys[i] == last) & (equal > 0)",
     "(keys[i] == last)", "select_test"),
    ("topk: rows with zeros of both signs are left as they are selected", "render/routines/select.cpp", "if (lost[i] && has_zero_or_nan_$G",
     "if (0 && lost[i] && has_zero_or_nan_$G", "select_test"),
    ("topk: a slice of sorted rows forgets where it starts", "schedule/shorten_sorts.cpp",
     "const int64_t reach = start.constant() + (size.constant() - 1) * step + 1;",
     "const int64_t reach = (size.constant() - 1) * step + 1;", "select_test"),
    ("transforms: passes after the first take the first one's roots", "render/routines/dft_passes.cpp", "w->c[u] = pass->roots[j * u * pass->done];",
     "w->c[u] = pass->roots[j * u];"),
    ("transforms: a convolution side by side begins with what the rows before left behind", "render/routines/dft_convolution_text.h",
     "for (int64_t i = n * $L; i < m * $L; ++i) x_re[i] = 0, x_im[i] = 0;", "", "fft_test"),
    ("transforms: long columns take the twiddle factors of the first tile", "render/routines/dft_text.h", "turns + 2 * $R * tile + in_tile;",
     "turns + in_tile;", "fft_test"),
    ("transforms: short rows always fill a vector", "render/routines/dft_text.h", "row + together < rows ? together : rows - row,",
     "together,"),
    ("transforms: the second half of a quarter has the cosines of the first half", "render/routines/dft_text.h", "$T x = half ? s[i] : c[i],",
     "$T x = c[i],", "fft_test"),
    ("transforms: parts of rows are put together at the distance of whole rows", "render/routines/dft_text.h",
     "dft_zip_$F(stored * count, x, y,", "dft_zip_$F(n * count, x, y,", "fft_test"),
    ("transforms: tables that are kept are those of any length", "render/routines/dft_text.h", "if (known == n) return",
     "if (known != 0) return", "fft_test"),
    ("sorts: fewer than eight lines are sorted with lines of zeros", "render/routines/sort.cpp", "= ($V){0} + ($K)$LAST;\n  sort_eight",
     "= ($V){0};\n  sort_eight", "sort_test"),
    ("sorts of a few elements: what moves with equal keys changes places", "render/routines/short_rows.cpp",
     "const $M is_first = key $BEFORE other;", "const $M is_first = ~(other $BEFORE key);", "sort_test"),
    ("loops over integers in lanes: the iterations that are left begin one late", "lower/custom_chains.cpp",
     "loop->begin + blocks * lanes, loop->end", "loop->begin + blocks * lanes + 1, loop->end", "custom_chains_test"),
    ("an index that may be one too large is not clamped", "ir/ir.cpp", "bounds.hi < range(size).lo", "bounds.hi <= range(size).lo",
     "number_range_test"),
    ("calls of known sizes: an output may overlap an input", "run/declared_arrays.cpp",
     "if (overlap(outputs[o].data, output_bytes[o], inputs[i].data, input_bytes[i])) return false;", "", "capi_front_ends_test"),
    ("conditions: a negated minimum is written like the minimum", "ir/split_index.cpp",
     "(extreme->kind == AtomKind::kMin) == (sign == 1)", "extreme->kind == AtomKind::kMin", "narrow_products_test"),
    ("values of columns for later passes are those of the first tile", "lower/reduce_column_values.cpp",
     "return at[last] - start;", "return at[last];", "reduce_column_values_test"),
    ("transforms: the second vector of pairs begins like the first", "render/routines/dft_pairs_text.h",
     "*($V*)(first + 2 * at + $L) = $HIGH;", "*($V*)(first + 2 * at + $L) = $LOW;", "fft_test"),
    ("past the caches the last chunk is left out where arrays begin inside lines", "ir/strip_mine.cpp",
     "ceil_div(loop->end + (line - 1), chunk)", "ceil_div(loop->end, chunk)", "stream_test"),
    ("transposes: whole blocks are stored before what is computed is read", "lower/transpose.cpp",
     "copied.insert(copied.end(), transposed.begin(), transposed.end());",
     "copied.insert(copied.begin(), transposed.begin(), transposed.end());"),
    ("transposes past the caches: the last line of a row is left out where lines begin inside rows", "lower/transpose.cpp",
     "ceil_div(space_[columns_] + (line - 1), step)", "ceil_div(space_[columns_], step)"),
    ("unswitch: the branches are swapped", "ir/unswitch.cpp", "Body& target = taken ? branch->body : branch->otherwise;",
     "Body& target = taken ? branch->otherwise : branch->body;"),
    ("a load leaves the loop that may not run", "ir/value_placement.cpp",
     "placement.level = std::max(placement.level, blocks_.level_of(guard));", "{}"),
    ("a load for two loops is made if the first one runs", "ir/open_blocks.cpp",
     "std::vector<Sym>{max(all(line->guards), all(let.guards))};", "line->guards;"),
    ("memory is reused while it is still read", "schedule/plan_memory.cpp", "if (slot.busy_until >= member.first) continue;",
     "if (slot.busy_until > member.first) continue;"),
    ("in place: what is read through a view counts as read where it is stored", "schedule/in_place.cpp",
     "return may && squeezed(node.shape) == squeezed(source.shape);", "return squeezed(node.shape) == squeezed(source.shape);"),
    ("in place: another kernel of the generation may read it", "schedule/in_place.cpp", "return last.kernel == kernel && last.count == 1;",
     "return last.kernel == kernel;"),
    ("in place: of stores side by side each reads what those before it stored", "ir/linearize.cpp",
     "store_at(next) != nullptr; ++next) name_loads(*store_at(next));", "false;) {}"),
    ("in place: the first step of a loop, which comes last, reads what the next one stored", "ir/linearize.cpp",
     "kept = s.overlap ? in_place_loads(s.body)", "kept = false ? in_place_loads(s.body)"),
    ("pad reads one element too many", "lower/value.cpp", "inside = both(inside, arena_.in_range(from[i] - 1 - source[i]));",
     "inside = both(inside, arena_.in_range(from[i] - source[i]));"),
    ("a check forgets in which lane it was", "render/c/vector_functions.cpp", "element + lane * step, index[lane]", "element, index[lane]"),
    ("a later check takes the place of an earlier one", "render/kernel/scalar_functions.cpp", "f->site < site || (f->site == site &&",
     "(f->site == site &&"),
    ("checks that nothing reads are dropped", "schedule/program.cpp", "return node.op == Op::kCheckIndex || (", "return false && ("),
    ("blocks of a chain end a term early", "lower/reduce_columns.cpp", "min(first + kChainBlock, counts[level - 1])",
     "min(first + kChainBlock - 1, counts[level - 1])"),
    ("what is left of the blocks of a long reduction is read from its beginning", "schedule/split_reductions.cpp",
     "slice.start[axis_] = start;", ""),
    ("blocks of a long reduction are merged after what is left over", "schedule/split_reductions.cpp",
     "found.push_back(block_results(op, whole, rest, {1, rest}));",
     "found.insert(found.begin(), block_results(op, whole, rest, {1, rest}));"),
    ("cache key without the flags", "compile/cache_key.cpp", "for (const std::string& word : command) hasher.add(word);", ""),
    ("cache key takes strings for comments", "compile/cache_key.cpp", "i = end_of_literal(source, i);", "++i;"),
    ("vectors side by side: the second one begins a lane too early", "ir/vectorise.cpp", "loop->variable + Sym(i * steps->step)",
     "loop->variable + Sym(i * (steps->step - 1))"),
    ("vectors side by side: what is left of them is left out", "ir/vectorise.cpp", "if (proven_at_most(loop->end, middle)) return result;",
     "return result;"),
    ("scans: the masked end of a row has one element too many", "lower/scan_tree.cpp", "arena_.in_range(*count - 1 - lanes->variable)",
     "arena_.in_range(*count - lanes->variable)", "row_ends_test"),
    ("passes over rows: the masked end of a row has one element too few", "lower/reduce.cpp", "arena_.in_range(count - 1 - lane->variable)",
     "arena_.in_range(count - 2 - lane->variable)", "row_ends_test"),
    ("the variant for rows of one block runs for longer rows", "schedule/cpu/recipes.cpp", "const Sym rest = Sym(block) - length;",
     "const Sym rest = Sym(block) + block - length;", "schedule_test"),
    ("scans: columns after the last tile in registers are left out", "lower/scan_chain.cpp", "if (rest > 0) {", "if (rest < 0) {"),
    ("scans: columns after the last tile in registers go beyond the row", "lower/scan_chain.cpp", "columns(outer_kept, all - rest, rest, rest);",
     "columns(outer_kept, all - all % tile, rest, rest);"),
    ("scans: the second block of a column counts as the first", "lower/scan_chain.cpp", "min(block - 1, counts_[1] - 2 - block)",
     "min(block - 2, counts_[1] - 2 - block)", "scan_test"),
    ("scans: the last but one block of a column has no total", "lower/scan_chain.cpp", "min(block - 1, counts_[1] - 2 - block)",
     "min(block - 1, counts_[1] - 3 - block)", "scan_test"),
    ("scans: a group's total is not added to that of its block", "lower/scan_tree.cpp", "update(levels_[0].totals, group_totals_, 0, body);",
     ""),
    ("windows: of none something is read", "lower/windows.cpp", "new_if(context.arena, *last, ", "new_if(context.arena, *last + 1, ",
     "no_window.harp"),
    ("windows: the copy has room for one step less", "lower/windows.cpp", "size += step * (axis.most - 1);",
     "size += step * (axis.most - 2);"),
    ("convolutions: rows of a group share the copy of one member", "lower/contraction_layout.cpp",
     "rows_have_members ? member * row_tiles_of_block() + row_tile : row_tile;", "row_tile;", "conv_test"),
    ("convolutions: tiles that overlap are stored where they would be", "lower/contraction.cpp",
     "block_.column_of(tile) + column->variable, is_mirrored);", "tile * layout_.tile_columns + column->variable, is_mirrored);"),
    ("convolutions: sums of a group's members lie over each other", "lower/contraction_layout.cpp",
     "((member * column_tiles_of_block() + column_tile) * row_tiles_of_block() + row_tile)",
     "(column_tile * row_tiles_of_block() + row_tile)", "conv_test"),
    ("contraction: a run of terms goes beyond its block", "lower/contraction.cpp", "min(length, first + count - begin)", "length",
     "conv_test"),
    ("contraction: a run of terms begins with its axis", "lower/contraction.cpp", "max(Sym(0), first - begin)", "Sym(0)", "conv_test"),
    ("contraction: of shared columns each block has the first one's terms", "lower/contraction_layout.cpp",
     "+ floor_div(first, terms_of_lane) + term) * tile_columns", "+ term) * tile_columns"),
    ("products of bytes: sums of inverted signs start from nothing", "lower/contraction.cpp", "if (factors_.have_first_sums())", "if (false)",
     "integer_contractions_test"),
    ("products of bytes: each block of terms starts from what the first one does", "lower/contraction_layout.cpp",
     "blocks_of_terms() + floor_div(first, kChainBlock)) * tile_columns", "blocks_of_terms() + floor_div(first, 2 * kChainBlock)) * tile_columns",
     "integer_contractions_test"),
    ("products of bytes: signs are inverted although they fit", "schedule/narrow_products.cpp",
     "return {.are_columns_signed = true, .inverts_row_signs = false};", "return {.are_columns_signed = true, .inverts_row_signs = true};",
     "integer_products_test"),
    ("terms that do not fill a lane count", "lower/contraction_factors.cpp", "if (i > 0 && !is_full) value = arena.apply(",
     "if (false) value = arena.apply(", "integer_contractions_test"),
    ("past the caches a chunk behind the end is less than nothing", "ir/strip_mine.cpp",
     "min(max(begin - define->variable, 0), loop->end);", "max(begin - define->variable, 0);", "stream_test"),
    ("past the caches axes are gone through in another order than they are counted", "lower/elementwise.cpp",
     "position[axis] = nest.back()->variable;", "position[nest.size() - 1] = nest.back()->variable;"),
    ("levels of a long sum: one fewer where a variant's sizes are bounded", "lower/accumulate.cpp", "limit.constant() / others.constant()",
     "limit.constant() / (others.constant() * 100)", "scan_test"),
    ("equal kernels: whatever their constants and axes are", "lower/equal_kernels.cpp", "!(a->attributes == b->attributes) || ", "",
     "equal_kernels_test"),
    ("equal kernels: two arrays may be one array", "lower/equal_kernels.cpp", "a_.reads.size() == b_.reads.size() && ", "",
     "equal_kernels_test"),
    ("equal kernels: in place is not looked at", "lower/equal_kernels.cpp", "a_.reads.size() == b_.reads.size() && in_place_alike()",
     "a_.reads.size() == b_.reads.size()", "equal_kernels_test"),
    ("equal kernels: launches get the first one's arrays", "lower/module.cpp", "argument.buffer = renamed->at(argument.buffer);",
     "renamed->at(argument.buffer);"),
    ("table of launches: outputs lie where inputs do", "render/host/launch_table.cpp", "return ArrayOffset{1 + hidden_.inputs() + index, offset};",
     "return ArrayOffset{1 + index, offset};", "launch_table_test"),
    ("table of launches: a few side by side are rows, too", "render/host/launch_table.cpp",
     "if (launches.size() > 1 && launches.size() < kMinRows) return false;", "", "launch_table_test"),
    ("table of launches: those side by side are counted from the first of all", "render/host/launch_table.cpp", "{arrays, launches + begin}",
     "{arrays, launches}", "launch_table_test"),
    ("sources in parts: what is inlined costs nothing", "compile/split.cpp", "if (length >= kLong && !name.empty())",
     "if (length >= kLong && name.empty())", "compile_parts_test"),
    ("sources in parts: each function is in the first part", "compile/split.cpp", "std::min_element(load.begin(), load.end())",
     "load.begin()", "compile_parts_test"),
    ("sources in parts: who calls a function does not know it", "compile/split.cpp",
     "else if (f.shared || part + 1 == parts)", "else if (f.shared)", "compile_parts_test"),
    ("sources in parts: what is shared is known to the last part only", "compile/split.cpp", "f.shared || part + 1 == parts", "part + 1 == parts",
     "compile_parts_test"),
    ("a chunk of a shared loop is run by both ends", "run/thread_pool.cpp", "if (front + back >= loop_.chunks) return;",
     "if (front + back > loop_.chunks) return;", "pool_test"),
    ("chunks are shorter than a grain", "run/thread_pool.cpp", "std::min(n / std::max<size_t>(grain, 1),",
     "std::min((n - 1) / std::max<size_t>(grain, 1) + 1,", "pool_test"),
    ("one worker gets a chunk more than the others", "run/thread_pool.cpp", "if (chunks > width()) chunks -= chunks % width();", "",
     "pool_test"),
    ("workers are woken on their caller's CPU", "run/thread_pool.cpp", "CPU_CLR(static_cast<size_t>(cpu), &others);", "{}", "pool_test"),
    ("a forked child pins itself", "run/thread_pool.cpp", " || process_ != getpid()) return;\n  cpu_set_t", ") return;\n  cpu_set_t",
     "pool_test"),
    ("rows of any length go past the caches", "schedule/cpu/stream.cpp",
     "condition = min(condition, Sym(0) - mod(row * size, bytes));", "(void)row, (void)bytes;", "stream_test"),
    ("what a view reads goes past the caches as one line", "schedule/cpu/stream.cpp", "return view.is_contiguous();", "return true;",
     "stream_test"),
    ("bytes past the caches are counted of one store", "schedule/cpu/stream.cpp", "bytes = bytes + element_count(", "bytes = element_count(",
     "stream_test"),
    ("products: blocks of rows of which one worker gets most", "schedule/cpu/schedule_contraction.cpp",
     "return ceil_div(ceil_div(tiles, of_block), 2) * of_block;", "return ceil_div(ceil_div(tiles, of_block), 1) * of_block;",
     "schedule_test"),
    ("row-wise kernels ask for lines that they store past the caches", "lower/reduce_prefetch.cpp",
     "if (c_.schedule.nontemporal || &pass == pass_", "if (&pass == pass_", "stream_test"),
    ("row-wise kernels ask for the row they are in", "lower/reduce_prefetch.cpp", "lines_of(buffer, here(buffer) + row * rows, true);",
     "lines_of(buffer, here(buffer), true);",
     "stream_test"),
    ("products of few rows: if their number is unknown, all columns are packed", "schedule/cpu/recipes.cpp",
     "if (few && !are_skinny && add(few)) return variants;", "", "contraction_test"),
    ("products of few terms: only those of many terms have tiles", "schedule/contraction_blocks.cpp",
     "limits.tile_terms = limits.few_terms;", "", "contraction_test"),
    ("products of few rows ask for the terms they have", "lower/skinny_gemm.cpp", ".distance = std::max(count, kPrefetchTerms)", ".distance = 0",
     "schedule_test"),
    ("vectors side by side wherever operations are many", "schedule/cpu/interleave.cpp",
     "hidden > count && most_alive(operations) <= kMaxAlive", "hidden > 0 && most_alive(operations) <= kMaxAlive", "schedule_test"),
    ("vectors side by side whatever is alive", "schedule/cpu/interleave.cpp",
     "hidden > count && most_alive(operations) <= kMaxAlive", "hidden > count", "schedule_test"),
    ("measured numbers are no part of the key", "capi/graph_key.cpp", "(key.add(numbers), ...);", "((void)numbers, ...);",
     "measured_machine_test"),
    ("a named row has the numbers of this machine", "capi/compile_settings.cpp",
     "if (given.target == nullptr && settings.pipeline.target == context.host)", "if (settings.pipeline.target == context.host)",
     "measured_machine_test"),
    ("numbers of another machine count", "tune/measured_machine.cpp", "parsed.measurement->machine != machine_name(system_.files, host_)",
     "parsed.measurement->machine.empty()", "measured_machine_test"),
    ("measured numbers may be damaged", "tune/measurement.cpp", "digest != digest_of(body)", "digest == Digest()", "measurement_test"),
    ("values that are used once more end with their first use", "schedule/cpu/interleave.cpp", "last_use[value_of(source)] = i;",
     "last_use.emplace(value_of(source), i);", "schedule_test"),
    ("substitution: what a quotient is divided by is not looked at", "base/symbolic_substitute.cpp",
     "return mentions(f->a, replacements) || mentions(f->b, replacements) || mentions(f->c, replacements);",
     "return mentions(f->a, replacements) || mentions(f->c, replacements);", "symbolic_test"),
    ("a sum times a constant keeps its own constant", "base/symbolic.cpp",
     "constant = checked_add(constant, checked_mul(e.node()->constant, scale));",
     "constant = checked_add(constant, e.node()->constant);"),
    ("fma: the builtin's operands are exchanged", "render/c/instructions.cpp", '"(a, b, c", row.more', '"(a, c, b", row.more'),
    ("interpreter: a run of a gather is copied although its elements do not lie side by side", "interp/gather.cpp",
     "steps[1] == 0 && steps[0] == 1 && steps[2] == 1", "steps[1] == 0 && steps[2] == 1"),
    ("contraction: much is not stored past the caches", "schedule/cpu/recipes.cpp",
     "width > 1 && proven_nonnegative(streams_lines(kernel, cpu));", "width > 1 && false;", "stream_test"),
    ("chains: whatever has as many batches reads its own", "schedule/chain.cpp",
     "if (is_elementwise(node.op) || node.op == Op::kReshape || info(node.op).family == Family::kCopy) return true;",
     "if (node.rank() > 0) return true;"),
    ("chains: an output takes the place of an input while others read it", "schedule/chain.cpp",
     "if (chain.begin >= chain.end || prevents_aliasing(chain)) return std::nullopt;", "if (chain.begin >= chain.end) return std::nullopt;",
     "in_place_test"),
    ("pipelines: an end that the host was told of is a success", "base/run_command.cpp", "if (status.unknown) {", "if (false) {",
     "process_test"),
    ("rows: two passes ask for rows to come too", "lower/reduce_prefetch.cpp", "passes.size() < 3", "passes.size() < 2", "stream_test"),
    ("compiling: with flags of a caller's gcc is told that its bugs are avoided", "compile/c_flags.cpp",
     'if (request.flags.empty()) words.push_back(cat("-D"', 'words.push_back(cat("-D"', "capi_test"),
    ("compiling: what gcc's commands make is taken however they ended", "compile/c_compiler.cpp",
     "End::kUnknown ? unknown_end == UnknownEnd::kFails :", "End::kUnknown ? false :", "driver_commands_test"),
    ("compiling: a search that was begun is not taken up", "compile/service.cpp",
     "std::shared_ptr<CompilerSearch> search = known.search.lock();\n  known.search.reset();",
     "std::shared_ptr<CompilerSearch> search;\n  known.search.reset();", "driver_commands_test"),
    ("compiling: gcc is not told on the command line what it gets wrong", "compile/c_flags.cpp",
     'words.push_back(cat("-f", name));', "(void)name;", "driver_commands_test"),
    ("NaN is looked for in one of two vectors", "render/c/instructions.cpp", "cmp$p_mask(y, z, 3, $m)", "cmp$p_mask(y, y, 3, $m)",
     "extremes_test"),
    ("a maximum's last lanes forget what they found", "lower/reduce_lanes.cpp", "all_lanes(end - kLanes, body);",
     "all_lanes(end - 2 * kLanes, body);", "extremes_test"),
    ("streams of rows end with the last share", "lower/reduce_lanes.cpp", "min(max(count - share * stream - at, 0), 1)", "1",
     "extremes_test"),
    ("blocks side by side go into each other's lane", "lower/reduce_lanes.cpp", "carry(row, 0, blocks_of, block->variable, block->body);",
     "carry(row, 0, blocks_of, Sym(kLanes - 1) - block->variable, block->body);", "extremes_test"),
    ("a part of a row is not joined", "lower/reduce_lanes.cpp", "for (size_t i = 1; i < parts.size(); ++i) carry(",
     "for (size_t i = 2; i < parts.size(); ++i) carry(", "extremes_test"),
    ("max by the invalid flag: what met NaN is not done again", "render/c/dialect.cpp", ".met_invalid = \"harp_met_invalid()\"", ".met_invalid = \"0\"", "nan_flag_test"),
    ("max by the invalid flag: of a row that ends as -0 it stays", "render/c/invalid_flag.cpp", ") both.bits = -1;", ") both.bits = both.bits;", "nan_flag_test"),
    ("max by the invalid flag: of columns that end as -0 it stays", "render/c/invalid_flag.cpp", ")x | ((", ")x & ~((", "nan_flag_test"),
    ("max by the invalid flag: the host's flag stays down", "render/host/prelude.cpp", "andl $0xffc1", "andl $0xffc0", "nan_flag_test"),
    ("symmetric products: what is mirrored is stored where it was computed", "lower/contraction_block.cpp",
     "if (is_mirrored) std::swap", "if (is_mirrored && at_row == at_column) std::swap", "symmetric_contractions_test"),
    ("symmetric products: one tile of columns less is mirrored", "lower/contraction.cpp", "min(block_.first_row - block_.first_column,",
     "min(block_.first_row - block_.first_column - layout_.tile_columns,", "symmetric_contractions_test"),
    ("symmetric products: factors read along other axes are the same", "schedule/symmetric_product.cpp", "return a.axes == b.axes;",
     "return true;", "symmetric_product_test"),
    ("places: the last of equal blocks", "lower/arg_extreme.cpp", "choose(is_better(best, x), acc(counter, lane), acc(group.block, lane))",
     "choose(is_better(x, best), acc(group.block, lane), acc(counter, lane))", "arg_extremes_test"),
    ("places: no block overlaps the end", "lower/arg_extreme.cpp", "is_only && !rest.is_constant(0)", "false && !rest.is_constant(0)",
     "arg_extremes_test"),
    ("places: parts of an axis are numbered from its beginning", "lower/arg_extreme.cpp", "later.first - group.first", "later.first - later.first",
     "arg_extremes_test"),
    ("places: NaN is not looked for along rows", "lower/arg_extreme.cpp", "for (const Row& row : rows) add(first_nan(row), again);", "",
     "arg_extremes_test"),
    ("places: NaN is not looked for down columns", "lower/arg_extreme_columns.cpp", "if (has_nan()) add(columns_with_nan(tile), body);", "",
     "arg_extremes_test"),
    ("places: a sum that is NaN has one", "lower/arg_extreme.cpp", "const UOp* is_none = equal(first, no_index(DType::kI64));",
     "const UOp* is_none = arena_.constant(scalar_from_int(DType::kBool, 0));", "arg_extremes_test"),
    ("places: rows of a piece are numbered from the first of all", "lower/arg_extreme_columns.cpp", "row->variable + i - begin", "row->variable + i",
     "arg_extremes_test"),
    ("places: the zeros of an extreme are equal", "lower/arg_extreme_lowering.h", "if (c_.plan.reduces.size() == 1) return choose(", "return choose(",
     "arg_extremes_test"),
    ("places: an extreme goes with another's place", "schedule/fuse.cpp", "combine_of(other->op) == combine_of(reduce->op)", "true",
     "arg_extremes_test"),
    ("places: the block of a long axis is forgotten", "schedule/split_reductions.cpp", "{before, inside}", "{inside, inside}", "arg_extremes_test"),
    ("short rows: interleaved blocks are all the first", "lower/reduce_short_rows.cpp", "(block + i) * kChainBlock", "block * kChainBlock",
     "reduce_short_rows_test"),
    ("short rows: what no share has is left out", "lower/reduce_short_rows.cpp",
     "add_rows(std::span(chains).first(1), share * together, count, body);", "", "reduce_short_rows_test"),
    ("short rows: blocks that are left are taken to be whole", "lower/reduce_columns.cpp", "min(end, floor_div(counts[0], kChainBlock))",
     "end", "reduce_short_rows_test"),
    ("short rows: chains are one after the other", "lower/reduce_short_rows.cpp", "1, kMaxChains);", "1, 1);", "reduce_short_rows_test"),
    ("rows apart are a row too few", "lower/reduce_columns.cpp", "const Sym rest = together > 1 ? full : begin;",
     "const Sym rest = together > 1 ? full + 1 : begin;", "extremes_test"),
    ("a lane behind the end of a row takes part", "lower/reduce_lanes.cpp", "arena_.in_range(count - 1 - lane->variable)",
     "arena_.in_range(count - lane->variable)", "row_ends_test"),
    ("the second of two folds is the first's", "render/c/fold.cpp", "numbers.push_back(i / half * half + step + i % step);",
     "numbers.push_back(step + i % step);", "row_ends_test"),
    ("the line of a scan's rows is written out", "lower/scan_chain.cpp", "for (Stmt* s : vector_loop(rest, simd_width_))",
     "for (Stmt* s : vector_columns(rest, simd_width_))", "scan_of_short_rows_as_a_line.harp"),
    ("the line of a scan's rows begins behind two short ones", "lower/scan_chain.cpp", " && proven_at_most(front, width)", "",
     "scan_of_two_short_rows.harp"),
    ("the longest of kept rows has no room for lanes that are not there", "lower/row_values.cpp",
     ": (count / kLanes + 1) * kLanes;", ": ceil_div(count, kLanes) * kLanes;", "longest_row_kept.harp"),
    ("kept rows have no room for their last lanes", "lower/row_values.cpp",
     "count = elements.is_constant() ? ceil_div(count, kLanes) * kLanes : (count / kLanes + 1) * kLanes;", "",
     "kept_row_ends_within_a_vector.harp"),
    ("what a lane computes of nothing counts", "lower/reduce.cpp", "if (!is_zero_without)", "if (false)", "row_ends_test"),
]


def build_commands():
    """Returns the compile commands of the library, by the path of what is compiled: a file in src/, or a file in the build folder that
    includes several of them (CMake's UNITY_BUILD)."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    commands = {os.path.abspath(os.path.join(entry["directory"], entry["file"])): shlex.split(entry["command"]) for entry in entries}
    ours = os.path.join(ROOT, "src", ""), os.path.join(BUILD, "CMakeFiles", "harp_objects.dir", "Unity", "")
    return {path: words for path, words in commands.items() if path.startswith(ours)}


def link_command(program):
    lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", program], check=True, capture_output=True, text=True).stdout
    return lines.strip().splitlines()[-1]


def commands_that_read(path):
    """Returns the compile commands of the source itself or, if it is not compiled alone, of the sources that include it."""
    commands = build_commands()
    if path not in commands:
        deps = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True).stdout.split("\n\n")
        users = {block.split(":")[0] for block in deps if f" {path}\n" in block + "\n"}
        commands = {source: words for source, words in commands.items() if words[words.index("-o") + 1] in users}
    else:
        commands = {source: words for source, words in commands.items() if source == path}
    if not commands:
        raise ValueError(f"{path} is not in the build")
    return commands


def seed(fault, scratch):
    """Builds the fuzzer or the test program with the fault in it."""
    name, old, new = fault[1:4]
    with open(os.path.join(ROOT, "src", name), encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        raise ValueError(f"its place in src/{name} is gone ({text.count(old)} matches)")
    changed = os.path.join(scratch, "src", name)  # the include path finds this file before the original
    os.makedirs(os.path.dirname(changed))
    with open(changed, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    target = "harp_tests" if len(fault) > 4 and not fault[4].endswith(".harp") else "harp_fuzz"
    program = os.path.join(scratch, target)
    link = link_command(target).replace(f"-o {target} ", f"-o {program} ")
    for number, (source, words) in enumerate(commands_that_read(os.path.join(ROOT, "src", name)).items()):
        at = words.index("-o") + 1
        normal, faulty = words[at], os.path.join(scratch, f"fault{number}.o")
        words[at] = faulty
        if source.endswith(os.path.join("src", name)):
            words = [changed if word == source else word for word in words]
        elif name.endswith(".cpp"):  # a file that includes several sources, by their whole paths
            together = os.path.join(scratch, os.path.basename(source))
            with open(source, encoding="utf-8") as whole, open(together, "w", encoding="utf-8") as copy:
                copy.write(whole.read().replace(os.path.join(ROOT, "src", name), changed))
            words = [together if word == source else word for word in words]
        words[1:1] = ["-I", os.path.join(scratch, "src")]
        words += ["-Wno-error"]
        for option in ("-MF", "-MT"):
            if option in words:
                words[words.index(option) + 1] = os.path.join(scratch, "fault.d")
        subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
        link = link.replace(f"{normal} ", f"{faulty} ")
        if faulty not in link:
            raise ValueError(f"{normal} is not linked into {target}")
    subprocess.run(link, shell=True, cwd=BUILD, check=True, capture_output=True, text=True)
    return program


CHEAP = ["--percent-o3", "0", "--percent-o0", "100"]  # The compiler need not optimise, because the fault is in harp.


def digests(program, scratch):
    """Returns, for each seed, a digest of the graph and sources that this program makes. If the fault crashes the program, the later seeds
    are missing."""
    found = {}
    try:
        done = subprocess.run([program, "--seeds", f"0..{GRAPHS - 1}", "--digests", *CHEAP], capture_output=True, text=True, cwd=scratch,
                              check=False, timeout=300)
        text = done.stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode()
    for line in text.splitlines():
        number, _, digest = line.partition(" ")
        found[int(number)] = digest
    return found


def failing_seeds(program, seeds, scratch):
    """Runs the program for these seeds. Returns the seeds that fail, each with the line of output about it."""
    done = subprocess.run([program, "--seeds", ",".join(map(str, seeds)), "--failures", "1", "--timeout", "100", "--no-shrink",
                           "--directory", "", *CHEAP], capture_output=True, text=True, cwd=scratch, check=False)
    found = [line for line in done.stderr.splitlines() if line.startswith("seed ")]
    if done.returncode not in (0, 1):
        raise ValueError(f"harp_fuzz itself gave up: {done.stderr.strip()[-200:]}")
    return [(int(line.split(":")[0].split()[1]), line) for line in found]


def look_for(program, normal, scratch):
    """Returns the number of graphs that the fault may affect, and the message of the first graph that fails with the fault and passes
    without it (None: there is no such graph). A graph whose generated programs are the same with and without the fault cannot fail because
    of the fault, so only the other graphs are run. If the fault changes no generated program (a fault in the cache, for example), any graph
    may reveal it, so all graphs are run."""
    faulty = digests(program, scratch)
    seeds = [number for number in range(GRAPHS) if faulty.get(number) != normal.get(number)] or list(range(GRAPHS))
    first, size = 0, FEW
    while first < len(seeds):
        for number, line in failing_seeds(program, seeds[first:first + size], scratch):
            if not failing_seeds(os.path.join(BUILD, "harp_fuzz"), [number], scratch):
                return len(seeds), line
        first, size = first + size, MANY
    return len(seeds), None


def failing_test(program, file, scratch):
    """Returns the first failure that a file of tests, or the graph of an earlier bug, reports; None if there is none."""
    environment = os.environ | {"HARP_SOURCE_DIR": ROOT, "HARP_BUILD_DIR": BUILD, "HARP_TOOL": os.path.join(BUILD, "harp")}
    is_graph = file.endswith(".harp")
    graph = os.path.join(ROOT, "tests", "regressions", file)
    words = ["--replay", graph] if is_graph else [f"--source-file=*/{file}.cpp", "--no-colors=true", "--abort-after=1"]
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, cwd=scratch, env=environment, check=False,
                              timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"{file} does not end"
    if not is_graph and "test cases: 0 " in done.stdout.replace("  ", " "):
        raise ValueError(f"there are no tests in {file}.cpp")
    if done.returncode == 0:
        return None
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line or "regressions/" in line]
    return lines[0] if lines else f"{file} ends with status {done.returncode}"


@functools.cache
def passes_without_fault(program, file):
    """Tests whether this file of tests, or graph, passes with the program of the build folder. Many faults name the same file."""
    with tempfile.TemporaryDirectory() as scratch:
        return failing_test(os.path.join(BUILD, program), file, scratch) is None


def look_in(program, file, scratch):
    """Returns the failure that the fault causes in the test that must find it, or None. The test must pass without the fault."""
    how = failing_test(program, file, scratch)
    if how and not passes_without_fault(os.path.basename(program), file):
        raise ValueError(f"{file} fails without the fault, too")
    return how and how.replace(ROOT + "/", "")


def main():
    wanted = sys.argv[1:]
    by_graphs = by_tests = run = failed = 0
    normal = None
    print(f"{'':8}{'fault':90}{'time':>6} {'graphs it touches':>18}  how it shows")
    for fault in FAULTS:
        if wanted and not any(word in fault[0] for word in wanted):
            continue
        run += 1
        begin = time.time()
        has_tests, touched = len(fault) > 4, ""
        with tempfile.TemporaryDirectory() as scratch:
            try:
                program = seed(fault, scratch)
                if has_tests:
                    how = look_in(program, fault[4], scratch)
                else:
                    normal = normal or digests(os.path.join(BUILD, "harp_fuzz"), BUILD)
                    touched, how = look_for(program, normal, scratch)
                verdict = "caught" if how else "MISSED"
            except (ValueError, subprocess.CalledProcessError) as error:
                how = str(getattr(error, "stderr", None) or error)[:400]
                verdict = "GONE"
        by_tests += has_tests and verdict == "caught"
        by_graphs += not has_tests and verdict == "caught"
        failed += verdict == "GONE" or (has_tests and verdict == "MISSED")
        print(f"{verdict:8}{fault[0]:90}{time.time() - begin:4.0f} s {touched:>18}  {(how or '')[:100]}", flush=True)
    print(f"{by_graphs + by_tests} of {run} seeded faults caught: {by_graphs} within {GRAPHS} graphs, {by_tests} by tests")
    enough = by_graphs >= LEAST if not wanted else by_graphs + by_tests == run
    return 0 if enough and not failed and run > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
