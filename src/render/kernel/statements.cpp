#include "render/kernel/statements.h"

#include <algorithm>

#include "base/error.h"
#include "ir/interleaved_accesses.h"
#include "render/kernel/value.h"
#include "render/text/filled.h"

namespace harp::render {

using ir::Line;
using ir::LineKind;
using ir::UKind;
using ir::UOp;

namespace {

/// Returns the index of the first line with the kind kRetry.
size_t retry_of(std::span<const Line> lines) {
  const auto retry = std::ranges::find(lines, LineKind::kRetry, &Line::kind);
  HARP_ASSERT(retry != lines.end(), "no kRetry line follows a kTry line");
  return static_cast<size_t>(retry - lines.begin());
}

/// Tests whether the first lines are stores of vectors that are interleaved in memory and together cover every element, and whether one
/// call should store all these vectors. Returns the number of these lines, otherwise 0. (Two such vectors hold real and imaginary parts;
/// ir/interleaved_accesses.h creates larger groups.)
size_t interleaved_stores(const Unit& unit, std::span<const Line> lines) {
  if (lines[0].kind != LineKind::kStore) return 0;
  const auto& first = lines[0].as<ir::Store>();
  const auto [dtype, lanes] = first.value->type;
  if (lanes == 1 || !first.lane_step.is_constant()) return 0;
  const int64_t parts = first.lane_step.constant();
  if (parts < 2 || parts > std::min<int64_t>(ir::kMostParts, std::ssize(lines))) return 0;
  for (int64_t part = 0; part < parts; ++part) {
    const Line& line = lines[static_cast<size_t>(part)];
    if (line.kind != LineKind::kStore) return 0;
    const auto& store = line.as<ir::Store>();
    const bool is_part = store.mask == nullptr && store.buffer == first.buffer && store.value->type == first.value->type &&
                         store.lane_step == first.lane_step && (store.index - first.index).is_constant(part);
    if (!is_part) return 0;
  }
  return unit.dialect.vectors.interleaves(unit, dtype, lanes, static_cast<int>(parts)) ? static_cast<size_t>(parts) : 0;
}

}  // namespace

size_t StatementWriter::write(std::span<const Line> lines) {
  const Line& line = lines[0];
  if (lines.size() > 1 && (accumulators_.write_two_folds(line, lines[1]) || call_two(line, lines[1]))) return 2;
  if (const size_t stores = store_interleaved(lines); stores > 0) return stores;
  // A Retry block (ir::Retry) consists of a fast version, from the kTry line on, and an exact version after the kRetry line, which is
  // executed if an operation of the fast one was invalid. If generated code cannot detect invalid operations, only the exact version is
  // written.
  if (line.kind == LineKind::kTry && !scope_.unit.dialect.detects_invalid(scope_.unit)) {
    blocks_.open("{");
    return 1 + retry_of(lines);
  }
  write_one(line, lines.subspan(1));
  return 1;
}

void StatementWriter::write_one(const Line& l, std::span<const Line> rest) {
  const Dialect& dialect = scope_.unit.dialect;
  scope_.names.values(l.names);
  switch (l.kind) {
    case LineKind::kComment: return writer_.line(cat("/* ", l.as<ir::Comment>().text, " */"));
    case LineKind::kLoop: return blocks_.open_loop(l, rest);
    case LineKind::kIf: return blocks_.open(cat("if (", scope_.position.is_nonnegative(l.as<ir::If>().condition).text, ") {"));
    case LineKind::kElse: return blocks_.branch("} else {");
    case LineKind::kTry: writer_.line(dialect.clear_invalid); return blocks_.open("{");
    case LineKind::kRetry: blocks_.close(); return blocks_.open(cat("if (", dialect.met_invalid, ") {"));
    case LineKind::kEnd: return blocks_.close();
    case LineKind::kLet: return let(l);
    case LineKind::kDefine: return is_bool(l.value->type.dtype) ? define_flag(l) : define(l, whole(scope_, l.value).text);
    case LineKind::kOffset:
      if (!scope_.sizes.is_passed(*l.atom)) define(l, scope_.position.operation(*l.atom).text);
      return;
    case LineKind::kPointer: return pointer(l);
    case LineKind::kKeep: return blocks_.keep_first_step(l);
    case LineKind::kStore: {
      const auto& s = l.as<ir::Store>();
      return store(address_of(scope_, s.buffer, s.index), s);
    }
    case LineKind::kPrefetch: return prefetch(l.as<ir::Prefetch>());
    case LineKind::kScatter: return scatter(l.as<ir::Scatter>());
    case LineKind::kRoutine: {
      const auto& s = l.as<ir::Routine>();
      if (s.accumulator >= 0) scope_.names.unfold(s.accumulator);
      return writer_.line(dialect.routine(scope_, s));
    }
    case LineKind::kCopy: {
      const auto& s = l.as<ir::Copy>();
      for (const int accumulator : {s.accumulator, s.source})
        if (accumulator >= 0) scope_.names.unfold(accumulator);
      return writer_.line(dialect.copy(scope_, s));
    }
    case LineKind::kCopyAsync: {
      const auto& s = l.as<ir::CopyAsync>();
      scope_.names.unfold(s.accumulator);
      return writer_.line(dialect.copy_async(scope_, s));
    }
    case LineKind::kEndBatch:
      if (!dialect.groups.end_batch.empty()) writer_.line(dialect.groups.end_batch);
      return;
    case LineKind::kWait:
      if (!dialect.groups.wait.empty()) writer_.line(filled(dialect.groups.wait, {{"PENDING", cat(l.as<ir::Wait>().pending)}}));
      return;
    case LineKind::kMma: {
      const auto& s = l.as<ir::Mma>();
      HARP_ASSERT(dialect.groups.mma != nullptr, "the dialect ", dialect.name, " has no tensor cores");
      for (const int accumulator : {s.accumulator, s.rows, s.columns}) scope_.names.unfold(accumulator);
      return writer_.line(dialect.groups.mma(scope_, s));
    }
    case LineKind::kBreak: return blocks_.leave_loop(l.as<ir::Break>());
    case LineKind::kBarrier: return writer_.line(scope_.groups > 1 ? dialect.groups.barrier : dialect.barrier);
    case LineKind::kReturn: return writer_.line(cat(result_.head, returned(l.value), ";"));
    case LineKind::kAccDeclare:
    case LineKind::kAccSet:
    case LineKind::kAccUpdate:
    case LineKind::kAccFold:
    case LineKind::kAccScan: return accumulators_.write(l);
  }
}

std::string StatementWriter::returned(const UOp* u) const {
  if (is_bool(u->type.dtype) && lanes_of(scope_, u) > 1) return scope_.unit.dialect.vectors.mask(scope_, u, std::max(result_.mask_bits, 8));
  return whole(scope_, u).text;
}

/// Writes the definition of a variable that holds an integer operation. Later text uses the variable instead of the operation.
void StatementWriter::define(const Line& l, const std::string& value) {
  writer_.line(cat("const ", scope_.unit.dialect.index, " ", l.name, " = ", value, ";"));
  scope_.names.atom(l.atom, l.name);
}

/// Writes the definition of an integer variable whose value is a bool. If the value has a name already, the variable gets that name.
void StatementWriter::define_flag(const Line& l) {
  const NamedValue* named = scope_.names.find(l.value);
  if (named == nullptr) writer_.line(cat("const ", type_of(scope_, l.value), " ", l.name, " = ", whole(scope_, l.value).text, ";"));
  scope_.names.flag(l.atom, named == nullptr ? l.name : named->name);
}

void StatementWriter::let(const Line& l) {
  const UOp* u = l.value;
  const int n = lanes_of(scope_, u);
  const std::string type = type_of(scope_, u);
  const int bits = n > 1 && is_bool(u->type.dtype) ? scope_.unit.dialect.vectors.mask_bits(scope_, u) : 0;
  if (u->kind == UKind::kRarely) {
    rarely(l, type);
  } else if (!l.guards.empty()) {
    const std::string condition = join(l.guards, " && ", [&](Sym g) { return bracket(scope_.position.is_nonnegative(g), kLogicalAnd); });
    if (n == 1) {
      writer_.line(cat("const ", type, " ", l.name, " = ", condition, " ? ", bracket(computation(scope_, u), kSum), " : 0;"));
    } else {
      writer_.line(cat(type, " ", l.name, " = {0};"));
      writer_.line(cat("if (", condition, ") ", l.name, " = ", computation(scope_, u).text, ";"));
    }
  } else {
    writer_.line(cat("const ", type, " ", l.name, " = ", computation(scope_, u).text, ";"));
  }
  scope_.names.mask_bits(l.name, bits);
}

/// Writes the definition of a variable for a kRarely value, a value whose exact computation is rarely needed. The variable gets the value
/// for the common case. If the condition for the rare case is true in some lanes, these lanes are computed again, one by one.
void StatementWriter::rarely(const Line& l, const std::string& type) {
  const UOp* u = l.value;
  const std::string function = scope_.unit.dialect.function(scope_.unit, *u->function, 1);
  const Text common = whole(scope_, u->sources[1]), condition = value(scope_, u->sources[0]);
  if (lanes_of(scope_, u) > 1) {
    writer_.line(cat(type, " ", l.name, " = ", common.text, ";"));
    return writer_.line(scope_.unit.dialect.vectors.rare_lanes(scope_, u, l.name));
  }
  const std::string list = arguments(scope_, {u->sources.begin() + 2, u->sources.end()});
  writer_.line(cat("const ", type, " ", l.name, " = ", bracket(condition, kRelational), " ? ", function, "(", list,
                   ") : ", bracket(common, kSum), ";"));
}

/// If the lines a and b call the same function, writes one call that evaluates the function for both, with interleaved operations. Returns
/// false, and writes nothing, if the function has no version for two vectors.
bool StatementWriter::call_two(const Line& a, const Line& b) {
  const auto function_of_two = scope_.unit.dialect.vectors.function_of_two;
  if (!b.is_alike || function_of_two == nullptr) return false;
  const std::string name = function_of_two(scope_.unit, *a.value->function, lanes_of(scope_, a.value));
  if (name.empty()) return false;
  std::string list;
  for (const Line* l : {&a, &b}) {
    scope_.names.values(l->names);
    append(list, cat(arguments(scope_, l->value->sources), ", "));
  }
  writer_.line(cat(type_of(scope_, a.value), " ", a.name, ", ", b.name, ";"));
  writer_.line(cat(name, "(", list, "&", a.name, ", &", b.name, ");"));
  return true;
}

void StatementWriter::pointer(const Line& l) {
  const Dialect& dialect = scope_.unit.dialect;
  const auto row = [&] { return bracket(scope_.position(l.row), kSum); };
  const int accumulator = l.buffer - static_cast<int>(scope_.subject.parameters.size());
  if (accumulator < 0) {
    const ir::Param& p = scope_.parameter(l.buffer);
    writer_.line(cat(p.written ? "" : "const ", dialect.memory_type(p.dtype), "* ", l.name, " = ", scope_.name_of_parameter(l.buffer),
                     " + ", row(), ";"));
  } else {
    if (scope_.layout(accumulator).lanes > 1) return;  // an accumulator that is stored as vectors needs no pointer to elements
    writer_.line(cat(dialect.value_type(scope_.unit, scope_.accumulator(accumulator).type.dtype, 1), "* ", l.name, " = ",
                     accumulator_name(scope_, accumulator), " + ", row(), ";"));
  }
  scope_.names.pointer(l.buffer, l.row, l.name);
}

void StatementWriter::store(const Address& at, const ir::Store& s) {
  if (s.value->type.lanes > 1) return writer_.line(scope_.unit.dialect.vectors.store(scope_, at, s));
  const std::string assignment = cat(element_text(scope_, at), " = ", value(scope_, s.value).text, ";");
  writer_.line(s.mask == nullptr ? assignment : cat("if (", value(scope_, s.mask).text, ") ", assignment));
}

/// If the first lines store vectors whose elements are interleaved in memory, writes one call that stores whole vectors of memory. Returns
/// the number of lines for which text was written, or 0 if the first lines are not such stores.
size_t StatementWriter::store_interleaved(std::span<const Line> lines) {
  const size_t count = interleaved_stores(scope_.unit, lines);
  if (count == 0) return 0;
  const auto& vectors = scope_.unit.dialect.vectors;
  const auto& first = lines[0].as<ir::Store>();
  const auto [dtype, lanes] = first.value->type;
  scope_.names.values(lines[0].names);
  std::string list = pointer_text(scope_, address_of(scope_, first.buffer, first.index));
  for (const Line& line : lines.first(count)) {
    scope_.names.values(line.names);  // each line lists those values for which variables exist at this line
    append(list, cat(", ", vectors.stored(scope_, line.as<ir::Store>())));
  }
  writer_.line(cat(vectors.store_interleaved(scope_.unit, dtype, lanes, static_cast<int>(count)), "(", list, ");"));
  return count;
}

void StatementWriter::scatter(const ir::Scatter& s) {
  const Address at = address_at(scope_, s.buffer, s.index, s.position, s.stride);
  if (!s.combine) {
    ir::Store overwriting;
    overwriting.lane_step = s.lane_step;
    overwriting.value = s.value;
    return store(at, overwriting);
  }
  const ir::Type type = s.value->type;
  if (s.atomic) {
    const auto atomic = scope_.unit.dialect.groups.atomic;
    HARP_ASSERT(atomic != nullptr, "the dialect ", scope_.unit.dialect.name, " has no atomic updates");
    return writer_.line(atomic(*s.combine, type.dtype, pointer_text(scope_, at), whole(scope_, s.value).text));
  }
  const std::string target = type.lanes == 1 ? element_text(scope_, at)
                                             : cat("*(", scope_.unit.dialect.vectors.memory_type(scope_.unit, type.dtype, type.lanes),
                                                   "*)(", pointer_text(scope_, at), ")");
  accumulators_.combine(target, *s.combine, type.dtype, accumulators_.combine_function(*s.combine, type.dtype), type.lanes,
                        whole(scope_, s.value).text);
}

/// Writes a prefetch into L2, or into L1 if the data is marked `is_near` and L1 is large enough. With an L1 of 48 KB, compared to
/// prefetches into L2, layer_norm of rows of 4 KB takes 0.88 of the time, softmax of such rows 0.98, and softmax of rows of 200 KB 0.92. An
/// L1 of 32 KB has no room for a row.
void StatementWriter::prefetch(const ir::Prefetch& s) {
  if (scope_.unit.dialect.prefetch.empty()) return;
  constexpr int64_t kRoomForRows = int64_t{48} << 10;
  const int cache = s.is_near && scope_.unit.options.target.cpu().caches.first >= kRoomForRows ? 1 : 2;
  const Address at =
      s.position != nullptr ? address_at(scope_, s.buffer, s.index, s.position, s.stride) : address_of(scope_, s.buffer, s.index);
  writer_.line(filled(
      scope_.unit.dialect.prefetch,
      {{"POINTER", pointer_text(scope_, at)}, {"WRITES", scope_.parameter(s.buffer).written ? "1" : "0"}, {"LOCALITY", cat(4 - cache)}}));
}

}  // namespace harp::render
