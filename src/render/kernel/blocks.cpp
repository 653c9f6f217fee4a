#include "render/kernel/blocks.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "render/kernel/address.h"
#include "render/text/filled.h"

namespace harp::render {

namespace {

/// Tests whether the block that a line opens contains a store to memory. `rest` are the lines after that line.
bool stores_to_memory(std::span<const ir::Line> rest) {
  using ir::LineKind;
  int depth = 1;
  for (const ir::Line& line : rest) {
    if (line.kind == LineKind::kStore || line.kind == LineKind::kScatter || line.kind == LineKind::kRoutine) return true;
    if (line.kind == LineKind::kCopy && line.as<ir::Copy>().accumulator < 0) return true;
    depth += line.kind == LineKind::kLoop || line.kind == LineKind::kIf || line.kind == LineKind::kTry;
    depth -= line.kind == LineKind::kEnd;
    if (depth == 0) return false;
  }
  return false;
}

}  // namespace

bool needs_store_fence(const Unit& unit, const ir::Kernel& kernel) {
  return ir::streams(kernel) && unit.options.target.cpu().non_temporal_stores && !unit.options.plain_text;
}

void Blocks::open(std::string_view head, const SymAtom* loop_variable) {
  writer_.open(head);
  scope_.names.open(loop_variable);
  open_.push_back({});
}

void Blocks::close() {
  scope_.names.close();
  const Open closed = open_.back();
  open_.pop_back();
  if (closed.is_bare) return;
  if (!closed.last.empty()) writer_.line(closed.last);
  writer_.close("}");
  if (closed.is_double) writer_.close("}");
  if (pieces_.empty() || pieces_.back().depth != writer_.depth()) return;
  writer_.line(cat("if (", pieces_.back().is_done, ") break;"));
  leave_if_cancelled();
  if (!pieces_.back().next.empty()) writer_.line(pieces_.back().next);
  writer_.close("}");
  pieces_.pop_back();
}

void Blocks::branch(std::string_view head) {
  scope_.names.close();
  writer_.close(head);
  scope_.names.open(nullptr);
  writer_.indent();
}

void Blocks::open_loop(const ir::Line& line, std::span<const ir::Line> rest) {
  const auto& s = line.as<ir::Loop>();
  const std::string& v = line.name;
  const Dialect& dialect = scope_.unit.dialect;
  const std::string advance = s.step == 1 ? cat("++", v) : cat(v, " += ", s.step);
  if (s.loop == ir::LoopKind::kGroup && scope_.group_threads > 0) return open_group(line, rest);
  if (s.loop == ir::LoopKind::kUnroll && s.begin.is_constant() && s.end.is_constant()) {
    const int64_t count = (s.end.constant() - s.begin.constant() + s.step - 1) / s.step;
    writer_.line(filled(dialect.unroll, {{"COUNT", cat(std::clamp<int64_t>(count, 1, 64))}}));
  }
  // the parameters begin0 and end0 count iterations; they are not values of the loop variable
  const auto at = [&](std::string_view count) {
    const std::string text = cat("(", dialect.index, ")", count, s.step == 1 ? std::string() : cat(" * ", s.step));
    return s.begin.is_constant(0) ? text : cat(bracket(scope_.position(s.begin), kSum), " + ", text);
  };
  const bool thread = s.loop == ir::LoopKind::kThread;
  const std::string begin = thread ? at("begin0") : scope_.position(s.begin).text;
  const std::string end = thread ? at("end0") : bracket(scope_.position(s.end), kShift);
  const std::string_view mark = dialect.loop_mark == nullptr ? std::string_view() : dialect.loop_mark(scope_, line, rest);
  const int64_t poll_interval = dialect.cancelled.empty() ? 0 : s.poll_interval;
  if (thread && scope_.group_threads > 0) {
    if (!mark.empty()) writer_.line(mark);
    return open_loop_of_groups(line);
  } else if (thread && !dialect.grid_thread.empty()) {
    if (!mark.empty()) writer_.line(mark);
    open_grid_loop(line);
  } else if (s.overlap) {
    open_overlapping(line, begin, end);
  } else if (poll_interval > 1) {
    open_pieces(s, v, begin, end);
    if (!mark.empty()) writer_.line(mark);
    open(cat("for (; ", v, " < ", v, "_end; ", advance, ") {"), line.atom);
  } else {
    if (!mark.empty()) writer_.line(mark);
    open(
        filled(dialect.loop, {{"TYPE", std::string(dialect.index)}, {"VARIABLE", v}, {"BEGIN", begin}, {"END", end}, {"ADVANCE", advance}}),
        line.atom);
  }
  scope_.names.atom(line.atom, v);
  if (poll_interval == 1) leave_if_cancelled();
}

/// Opens a thread loop, that is, a loop whose iterations are distributed among the threads of a grid on a GPU. With n threads, thread i
/// executes the iterations i, i + n, i + 2 * n …, so that neighbouring threads access neighbouring elements.
void Blocks::open_grid_loop(const ir::Line& line) {
  const auto& s = line.as<ir::Loop>();
  const Dialect& dialect = scope_.unit.dialect;
  std::string first(dialect.grid_thread), advance(dialect.grid_threads);
  if (s.step != 1) first = cat("(", first, ") * ", s.step), append(advance, cat(" * ", s.step));
  if (!s.begin.is_constant(0)) first = cat(bracket(scope_.position(s.begin), kSum), " + ", first);
  open(filled(dialect.loop, {{"TYPE", std::string(dialect.index)},
                             {"VARIABLE", line.name},
                             {"BEGIN", first},
                             {"END", bracket(scope_.position(s.end), kShift)},
                             {"ADVANCE", cat(line.name, " += ", advance)}}),
       line.atom);
}

/// Opens a thread loop each of whose iterations is executed by a group of threads. With n groups, group i executes the iterations i, i + n,
/// i + 2 * n … All groups of a block must execute the same number of iterations, because all of them wait at the barriers. A group that has
/// no iteration left repeats the last one, but does not store its results.
void Blocks::open_loop_of_groups(const ir::Line& line) {
  const auto& s = line.as<ir::Loop>();
  HARP_ASSERT(s.begin.is_constant(0) && s.step == 1, "a thread loop around group loops runs from 0 in steps of 1, not from ",
              to_string(s.begin), " in steps of ", s.step);
  const Dialect& dialect = scope_.unit.dialect;
  const int64_t groups = scope_.groups;
  const std::string_view index = dialect.index;
  const std::string end = bracket(scope_.position(s.end), kShift);
  const std::string times = groups > 1 ? cat(" * ", groups) : std::string(), first = cat("(", index, ")", dialect.groups.block, times),
                    blocks = groups > 1 ? cat("(", index, ")", dialect.groups.blocks, times) : std::string(dialect.groups.blocks);
  has_idle_groups_ = groups > 1 && !mod(s.end, groups).is_constant(0);
  const std::string counter = has_idle_groups_ ? cat(line.name, "_first") : line.name;
  open(filled(dialect.loop, {{"TYPE", std::string(index)},
                             {"VARIABLE", counter},
                             {"BEGIN", groups > 1 && !has_idle_groups_ ? cat(first, " + group") : first},
                             {"END", end},
                             {"ADVANCE", cat(counter, " += ", blocks)}}),
       line.atom);
  const bool shares =
      std::ranges::any_of(scope_.subject.kernel->accumulators, [](const ir::Accumulator& a) { return a.space == Space::kShared; });
  // All threads must have finished this iteration before the next one overwrites the shared memory.
  if (shares) open_.back().last = groups > 1 ? dialect.groups.barrier : dialect.barrier;
  if (has_idle_groups_) {
    writer_.line(
        cat("const bool is_active = ", counter, " + group < ", end, "; /* else this group repeats the last one and stores nothing */"));
    writer_.line(
        cat("const ", index, " ", line.name, " = is_active ? ", counter, " + group : ", bracket(scope_.position(s.end - 1), kSum), ";"));
  }
  scope_.names.atom(line.atom, line.name);
}

/// Opens a group loop. Each thread of the group executes one iteration of it.
void Blocks::open_group(const ir::Line& line, std::span<const ir::Line> rest) {
  scope_.thread = line.as<ir::Loop>().variable;
  if (has_idle_groups_ && stores_to_memory(rest)) {
    open("if (is_active) {", line.atom);
  } else {
    scope_.names.open(line.atom);
    open_.push_back({.is_bare = true});
  }
  scope_.names.atom(line.atom, "thread");
}

/// Opens the outer one of two loops that together execute a loop in pieces; the cancel flag is tested after each piece. If all pieces have
/// the same length, the length is a constant in the text, so that gcc vectorises the inner loop.
void Blocks::open_pieces(const ir::Loop& s, const std::string& v, const std::string& begin, const std::string& end) {
  const int64_t piece = s.poll_interval * s.step;
  const std::string_view type = scope_.unit.dialect.index;
  const std::string limit = cat(v, "_end"), further = cat(v, " + ", piece), is_done = cat(v, " >= ", end);
  const Sym all = s.end - s.begin;
  if (s.loop != ir::LoopKind::kThread && all.is_constant() && all.constant() % piece == 0) {
    writer_.open(cat("for (", type, " ", v, " = ", begin, ";;) {"));
    writer_.line(cat("const ", type, " ", limit, " = ", further, ";"));
    return pieces_.push_back({writer_.depth(), is_done, {}});
  }
  const std::string first = begin == "0" ? cat(end, " > ", piece, " ? ", piece) : cat(end, " - ", v, " > ", piece, " ? ", further);
  writer_.open(cat("for (", type, " ", v, " = ", begin, ", ", limit, " = ", first, " : ", end, ";;) {"));
  pieces_.push_back({writer_.depth(), is_done, cat(limit, " = ", end, " - ", v, " > ", piece, " ? ", further, " : ", end, ";")});
}

void Blocks::leave_loop(const ir::Break& s) {
  const std::string name = accumulator_name(scope_, s.accumulator);
  std::string ends = cat(name, " != 0");
  if (is_bool(scope_.accumulator(s.accumulator).type.dtype)) {
    const AccumulatorLayout& layout = scope_.layout(s.accumulator);
    ends = cat("!", layout.lanes == 1 && layout.size == 1 ? name : scope_.unit.dialect.vectors.any(scope_, s.accumulator));
  }
  // Without the hint, gcc 12 moves the body of a loop with a checked index behind two jumps: products with the rows of a sparse matrix then
  // take 1.3 times as long.
  writer_.line(cat("if (__builtin_expect(", ends, ", 0)) break;"));
  // A loop that polls the cancel flag is written as two nested loops (open_pieces), and this `break` leaves only the inner one. Therefore
  // its condition is added to the condition that ends the outer one.
  if (!pieces_.empty() && pieces_.back().depth == writer_.depth() - 1) append(pieces_.back().is_done, cat(" || ", ends));
}

/// Writes a return statement that is executed if the run is cancelled. If the kernel uses non-temporal stores, a fence before the return
/// waits for them: they must be complete before the kernel is reported as done.
void Blocks::leave_if_cancelled() {
  const Dialect& dialect = scope_.unit.dialect;
  const std::string test = cat("if (", dialect.cancelled, ") ");
  const bool fences = needs_store_fence(scope_.unit, *scope_.subject.kernel);
  writer_.line(fences ? cat(test, "{ ", dialect.store_fence, " return; }") : cat(test, "return;"));
}

/// Opens a loop whose last step overlaps the step before it. The text consists of two loops around one body. The outer loop moves the
/// variable to the last step, so that the inner loop advances by a constant step. (A single loop that clamps the index runs at two thirds
/// of the speed in L1.)
void Blocks::open_overlapping(const ir::Line& line, const std::string& begin, const std::string& end) {
  const auto& s = line.as<ir::Loop>();
  const std::string &v = line.name, last = bracket(scope_.position(s.end - s.step), kShift), limit = cat(v, "_last");
  const std::string_view type = scope_.unit.dialect.index;
  const bool keeps = !redirect_to_copies_.empty();
  if (keeps) {
    const Sym rest = mod(s.end - s.begin, s.step);
    const std::string is_rest = proven_positive(rest) ? std::string() : cat(" && ", scope_.position.is_nonnegative(rest - 1).text);
    writer_.open(cat("for (", type, " ", v, " = ", scope_.position(s.begin + rest).text, ", ", limit, " = ", last, "; ", v, " <= ", limit,
                     "; ", std::exchange(redirect_to_copies_, {}), v, " = ", limit, " > ", begin, is_rest, " ? ", begin, " : ", end, ", ",
                     limit, " = ", begin, ") { /* the first step overlaps the second and is executed last */"));
  } else {
    writer_.open(cat("for (", type, " ", v, " = ", begin, "; ", v, " < ", end, "; ", v, " = ", v, " < ", end, " ? ", last, " : ", end,
                     ") { /* the last step overlaps the one before it */"));
  }
  open(cat("for (; ", v, " <= ", keeps ? limit : last, "; ", v, " += ", s.step, ") {"), line.atom);
  open_.back().is_double = true;
}

void Blocks::keep_first_step(const ir::Line& line) {
  const ir::UOp* u = line.value;
  const auto& s = line.as<ir::Loop>();
  const Dialect& dialect = scope_.unit.dialect;
  const DType dtype = u->type.dtype;
  const Address at = address_of(scope_, u->buffer, u->index, variable_of(s.variable));
  HARP_ASSERT(at.rest.terms.size() == 1,
              "elements kept for the next step of a loop are contiguous, so that their address has one term, not ", at.rest.terms.size());
  const std::string vector = dialect.vectors.memory_type(scope_.unit, dtype, u->type.lanes), element(dialect.memory_type(dtype)),
                    source = cat(line.name, "_source");
  const size_t bytes = size_of(dtype);
  const Sym first = s.begin + at.rest.constant;
  const std::string address = first.is_constant(0) ? at.pointer : cat("(", at.pointer, " + ", bracket(scope_.position(first), kSum), ")");
  writer_.line(cat(element, " ", line.name, "[", u->type.lanes, "]", filled(dialect.aligned, {{"BYTES", cat(u->type.lanes * bytes)}}),
                   "; /* what the first step reads, which is executed last, when other steps may have overwritten it */"));
  writer_.line(cat("*(", vector, "*)", line.name, " = *(const ", vector, "*)", address, ";"));
  writer_.line(cat("const ", element, "* ", source, " = ", at.pointer, "; /* where a step reads: the last one in ", line.name, " */"));
  append(redirect_to_copies_, first.is_constant(0)
                                  ? cat(source, " = ", line.name, ", ")
                                  : cat(source, " = (const ", element, "*)((size_t)", line.name, " - (size_t)",
                                        bracket(scope_.position(first), kUnary), bytes == 1 ? "" : cat(" * ", bytes), "), "));
  scope_.names.source(u, source);
}

}  // namespace harp::render
