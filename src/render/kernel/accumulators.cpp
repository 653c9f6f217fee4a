#include "render/kernel/accumulators.h"

#include "base/error.h"
#include "render/kernel/address.h"
#include "render/kernel/operators.h"
#include "render/kernel/scalar_groups.h"
#include "render/text/filled.h"

namespace harp::render {

using ir::Line;
using ir::LineKind;

namespace {

/// Returns the offset in bytes of a shared accumulator in an array that contains all shared accumulators of the kernel, each at a multiple
/// of 16 bytes (ir::shared_bytes).
int64_t shared_offset(const ir::Kernel& kernel, int accumulator) {
  int64_t bytes = 0;
  for (size_t a = 0; a < static_cast<size_t>(accumulator); ++a)
    if (kernel.accumulators[a].space == Space::kShared) bytes += (ir::bytes_of(kernel.accumulators[a]) + 15) / 16 * 16;
  return bytes;
}

std::string type_with_lanes(Unit& unit, DType dtype, int lanes) { return unit.dialect.value_type(unit, dtype, lanes); }

}  // namespace

std::string_view operator_of(Op combine) {
  switch (combine) {
    case Op::kAdd: return "+";
    case Op::kMul: return "*";
    default: fail(Code::kInternal, "no operator combines by ", name(combine));
  }
}

AccumulatorLines::AccumulatorLines(Scope& scope, Writer& writer) : scope_(scope), writer_(writer) {
  if (scope.subject.kernel == nullptr) return;
  changes_.resize(scope.subject.kernel->accumulators.size());
  folds_.resize(changes_.size());
  for (const ir::Stmt* s : ir::statements_of(scope.subject.kernel->body)) {
    ir::for_each_changed_accumulator(*s, [&](int accumulator) { ++changes_[static_cast<size_t>(accumulator)]; });
    if (const auto* fold = ir::as<ir::AccFold>(s)) ++folds_[static_cast<size_t>(fold->accumulator)];
  }
}

bool AccumulatorLines::is_name_of_fold(const ir::AccDeclare& s) const {
  if (s.value == nullptr || s.value->kind != ir::UKind::kAcc || !s.value->index.is_constant(0)) return false;
  return scope_.names.find_folded(s.value->buffer) != nullptr && folds_[static_cast<size_t>(s.value->buffer)] == 1 &&
         changes_[static_cast<size_t>(s.accumulator)] == 0;
}

void AccumulatorLines::write(const Line& line) {
  switch (line.kind) {
    case LineKind::kAccDeclare: return declare(line.as<ir::AccDeclare>());
    case LineKind::kAccSet: return set(line.as<ir::AccSet>());
    case LineKind::kAccUpdate: return update(line.as<ir::AccUpdate>());
    case LineKind::kAccFold: return fold(line);
    case LineKind::kAccScan: return scan(line.as<ir::AccScan>());
    default: fail(Code::kInternal, "expected a line about an accumulator, got one of kind ", static_cast<int>(line.kind));
  }
}

void AccumulatorLines::declare(const ir::AccDeclare& s) {
  const Dialect& dialect = scope_.unit.dialect;
  const ir::Accumulator& a = scope_.accumulator(s.accumulator);
  const AccumulatorLayout& layout = scope_.layout(s.accumulator);
  const std::string name = accumulator_name(scope_, s.accumulator), type = stored_type(s.accumulator);
  const std::string one = dialect.literal(a.init).text;
  const bool zero = a.init.bits[0] == 0 && a.init.bits[1] == 0;
  const std::string value = layout.lanes == 1 ? one
                            : zero            ? cat("(", type, "){0}")
                                              : cat(dialect.vectors.splat(scope_.unit, a.type.dtype, layout.lanes), "(", one, ")");
  scope_.names.unfold(s.accumulator);
  if (a.space == Space::kShared && !dialect.groups.shared.empty()) return declare_shared(s.accumulator, name, type, layout.size);
  const bool has_threads = a.spread > 0 && scope_.group_threads > 0;  // whether each thread keeps its own elements in registers
  // An accumulator of size 1 is a single number or vector, which stays in a register.
  if (ir::in_worker_memory(a) && layout.size > 1 && !has_threads) {
    const int64_t offset = ir::scratch_offsets(*scope_.subject.kernel)[static_cast<size_t>(s.accumulator)];
    const std::string room = offset == 0 ? std::string("scratch") : cat("(scratch + ", offset, ")");
    writer_.line(cat(type, "* const ", name, " = (", type, "*)", room, ";"));
    if (a.is_row) return;
    const std::string all = layout.lanes == 1 ? one : cat(dialect.vectors.splat(scope_.unit, a.type.dtype, layout.lanes), "(", one, ")");
    return writer_.line(cat("for (int i = 0; i < ", layout.size, "; ++i) ", name, "[i] = ", all, ";"));
  }
  if (is_name_of_fold(s)) return scope_.names.folded(s.accumulator, *scope_.names.find_folded(s.value->buffer));
  if (layout.size == 1) {
    const std::string first = s.value == nullptr ? value : elements(s.accumulator, s.value);
    return writer_.line(cat(type, " ", name, " = ", first, ";"));
  }
  const int64_t bytes_aligned = dialect.alignment(scope_.unit, a.type.dtype, layout.size * layout.lanes);
  const std::string alignment = bytes_aligned > 0 ? filled(dialect.aligned, {{"BYTES", cat(bytes_aligned)}}) : std::string();
  writer_.line(cat(type, " ", name, "[", layout.size, "]", alignment, ";"));
  if (a.is_row) return;
  if (s.value != nullptr) {
    const std::string first = elements(s.accumulator, s.value);
    return writer_.line(cat(accumulator_text(scope_, s.accumulator, 0, s.value->type.lanes), " = ", first, ";"));
  }
  // The initialisation is a loop even for zeros. For "= {0}" gcc uses "rep stos" and keeps the accumulators in memory. (Code for rows of 64
  // elements is then 3.5 times slower.) Compilers unroll only short loops by themselves; in a loop that is not unrolled, the elements stay
  // in memory instead of registers. Therefore a long loop is preceded by the dialect's pragma for unrolling.
  constexpr int64_t kLong = 16;
  if (has_threads && layout.size > kLong) writer_.line(filled(dialect.unroll, {{"COUNT", cat(layout.size)}}));
  writer_.line(cat("for (int i = 0; i < ", layout.size, "; ++i) ", name, "[i] = ", value, ";"));
}

/// Declares a shared accumulator: one array for each group of threads in a block.
void AccumulatorLines::declare_shared(int accumulator, const std::string& name, const std::string& type, int64_t count) {
  const Dialect& dialect = scope_.unit.dialect;
  const int64_t groups = scope_.groups;
  if (const int64_t bytes = ir::shared_bytes(*scope_.subject.kernel); groups == 1 && bytes > dialect.groups.most_shared) {
    const int64_t offset = shared_offset(*scope_.subject.kernel, accumulator);
    if (offset == 0) writer_.line(dialect.groups.dynamic_shared);
    return writer_.line(
        cat(type, "* const ", name, " = (", type, "*)", offset == 0 ? "shared_memory" : cat("(shared_memory + ", offset, ")"), ";"));
  }
  const auto declaration = [&](const std::string& of, const std::string& elements) {
    writer_.line(filled(dialect.groups.shared, {{"TYPE", type}, {"NAME", of}, {"COUNT", elements}}));
  };
  if (groups == 1) return declaration(name, cat(count));
  declaration(cat(name, "_of"), cat(groups, "][", count));
  writer_.line(cat(type, "* const ", name, " = ", name, "_of[group];"));
}

void AccumulatorLines::set(const ir::AccSet& s) {
  const std::string value = elements(s.accumulator, s.value);
  scope_.names.unfold(s.accumulator);
  writer_.line(cat(accumulator_text(scope_, s.accumulator, s.index, s.value->type.lanes), " = ", value, ";"));
}

std::string AccumulatorLines::stored_type(int accumulator) const {
  const DType dtype = scope_.accumulator(accumulator).type.dtype;
  const int lanes = scope_.layout(accumulator).lanes;
  const VectorEntries& vectors = scope_.unit.dialect.vectors;
  if (is_bool(dtype) && lanes > 1) return vectors.mask_type(scope_.unit, vectors.mask_bits_of_accumulator(scope_, accumulator), lanes);
  return type_with_lanes(scope_.unit, dtype, lanes);
}

std::string AccumulatorLines::elements(int accumulator, const ir::UOp* value) const {
  const auto [dtype, lanes] = value->type;
  const VectorEntries& vectors = scope_.unit.dialect.vectors;
  if (!is_bool(dtype) || lanes == 1) return whole(scope_, value).text;
  if (scope_.layout(accumulator).lanes == lanes) return vectors.mask(scope_, value, vectors.mask_bits_of_accumulator(scope_, accumulator));
  const std::string bytes = vectors.mask(scope_, value, 8);  // the elements are single bools, each in a byte of memory
  return cat("(", vectors.memory_type(scope_.unit, dtype, lanes), ")((", bytes, ") & 1)");
}

void AccumulatorLines::update(const ir::AccUpdate& s) {
  const ir::Accumulator& a = scope_.accumulator(s.accumulator);
  const int n = s.value->type.lanes;
  const std::string target = accumulator_text(scope_, s.accumulator, s.index, n);
  const std::string value = whole(scope_, s.value).text;
  scope_.names.unfold(s.accumulator);
  if (s.factor != nullptr) {
    const Dialect& dialect = scope_.unit.dialect;
    const std::string fma = dialect.elementwise(scope_.unit, rule_for(dialect, Op::kFma, a.type.dtype), a.type.dtype, n);
    return writer_.line(cat(target, " = ", fma, "(", value, ", ", whole(scope_, s.factor).text, ", ", target, ");"));
  }
  combine(target, a.combine, a.type.dtype, combine_function(a), n, value);
}

void AccumulatorLines::combine(const std::string& target, Op combine, DType dtype, const ir::Function* function, int lanes,
                               const std::string& value) {
  const Dialect& dialect = scope_.unit.dialect;
  if (function == nullptr && rule_for(dialect, combine, dtype).form != Form::kOperator)
    return writer_.line(cat(target, " = ", combined_text(scope_.unit, combine, function, dtype, target, value), ";"));
  if (function == nullptr) return writer_.line(cat(target, " ", operator_of(combine), "= ", value, ";"));
  writer_.line(cat(target, " = ", scope_.unit.dialect.function(scope_.unit, *function, lanes), "(", target, ", ", value, ");"));
}

FoldForm AccumulatorLines::fold_form(const ir::AccFold& s) const {
  const ir::Accumulator& a = scope_.accumulator(s.accumulator);
  const AccumulatorLayout& layout = scope_.layout(s.accumulator);
  return {a.combine, combine_function(a), a.type.dtype, layout.lanes, static_cast<int>(layout.size)};
}

void AccumulatorLines::fold(const Line& l) {
  const auto& s = l.as<ir::AccFold>();
  const FoldForm form = fold_form(s);
  const std::string accumulator = accumulator_name(scope_, s.accumulator);
  if (scope_.accumulator(s.accumulator).spread > 0 && scope_.group_threads > 0) {
    const std::string fold = scope_.unit.dialect.groups.fold(scope_.unit, form, scope_.group_threads);
    writer_.line(cat("const ", type_with_lanes(scope_.unit, form.dtype, 1), " ", l.name, " = ", fold, "(", form.size == 1 ? "&" : "",
                     accumulator, ");"));
    return scope_.names.folded(s.accumulator, l.name);
  }
  const bool vectors = scope_.accumulator(s.accumulator).type.lanes > 1;  // if the elements are vectors, each lane is folded separately
  const std::string name = scope_.unit.dialect.fold(scope_.unit, form, vectors);
  const std::string argument = form.size == 1 ? cat("&", accumulator) : accumulator;
  const std::string unfolded = s.used && form.lanes == 1 ? cat(scope_.position.is_nonnegative(1 - *s.used).text, " ? ",
                                                               accumulator_text(scope_, s.accumulator, 0, 1), " : ")
                                                         : "";
  writer_.line(cat("const ", type_with_lanes(scope_.unit, form.dtype, vectors ? form.lanes : 1), " ", l.name, " = ", unfolded, name, "(",
                   argument, ");"));
  scope_.names.folded(s.accumulator, l.name);
}

bool AccumulatorLines::write_two_folds(const Line& a, const Line& b) {
  if (a.kind != LineKind::kAccFold || b.kind != LineKind::kAccFold || scope_.unit.dialect.fold_two == nullptr) return false;
  const FoldForm form = fold_form(a.as<ir::AccFold>()), other = fold_form(b.as<ir::AccFold>());
  const auto is_one_vector = [&](const Line& l) {
    const auto& s = l.as<ir::AccFold>();
    return scope_.accumulator(s.accumulator).type.lanes == 1 && !s.used;
  };
  const bool are_alike = form.combine == other.combine && form.function == other.function && form.dtype == other.dtype &&
                         form.lanes == other.lanes && form.size == other.size;
  if (!is_one_vector(a) || !is_one_vector(b) || form.lanes <= 2 || form.size <= 1 || !are_alike) return false;
  const int first = a.as<ir::AccFold>().accumulator, second = b.as<ir::AccFold>().accumulator;
  const std::string both = cat("acc", first, "_", second, "_folded"), name = scope_.unit.dialect.fold_two(scope_.unit, form);
  writer_.line(
      cat("const ", type_with_lanes(scope_.unit, form.dtype, form.lanes), " ", both, " = ", name, "(acc", first, ", acc", second, ");"));
  writer_.line(cat("const ", type_with_lanes(scope_.unit, form.dtype, 1), " ", a.name, " = ", both, "[0], ", b.name, " = ", both, "[",
                   form.lanes / 2, "];"));
  scope_.names.folded(first, a.name);
  scope_.names.folded(second, b.name);
  return true;
}

void AccumulatorLines::scan(const ir::AccScan& s) {
  const ir::Accumulator& a = scope_.accumulator(s.accumulator);
  const AccumulatorLayout& layout = scope_.layout(s.accumulator);
  if (s.part != ir::ScanPart::kWhole) return scan_part(s, a, layout.lanes);
  const std::string name = scope_.unit.dialect.scan(
      scope_.unit, {a.combine, combine_function(a), a.init, layout.lanes, static_cast<int>(layout.size) * layout.lanes});
  const std::string carry = value(scope_, s.value).text;
  scope_.names.unfold(s.accumulator);
  scope_.names.unfold(s.total);
  writer_.line(cat(accumulator_text(scope_, s.total, 0, 1), " = ", name, "(", layout.size == 1 ? "&" : "",
                   accumulator_name(scope_, s.accumulator), ", ", carry, ");"));
}

void AccumulatorLines::scan_part(const ir::AccScan& s, const ir::Accumulator& a, int lanes) {
  const std::string name =
      scope_.unit.dialect.scan_part(scope_.unit, {a.combine, combine_function(a), a.init, lanes, ir::kScannedGroup}, s.part, s.step);
  const auto of_group = [&](int accumulator, int size) {
    scope_.names.unfold(accumulator);
    return cat(accumulator_name(scope_, accumulator), " + ", bracket(scope_.position(s.index * (size / lanes)), kSum));
  };
  const std::string elements = of_group(s.accumulator, ir::kScannedGroup), totals = of_group(s.quads, ir::kScannedGroup / ir::kQuad);
  if (s.part == ir::ScanPart::kTotals) return writer_.line(cat(name, "(", totals, ");"));
  if (s.part == ir::ScanPart::kValues) return writer_.line(cat(name, "(", elements, ");"));
  if (s.part != ir::ScanPart::kBefore) return writer_.line(cat(name, "(", elements, ", ", totals, ");"));
  scope_.names.unfold(s.total);
  writer_.line(cat(accumulator_text(scope_, s.total, 0, lanes), " = ", name, "(", totals, ", ", value(scope_, s.value).text, ");"));
}

const ir::Function* AccumulatorLines::combine_function(const ir::Accumulator& a) const {
  return a.function != nullptr ? a.function : combine_function(a.combine, a.type.dtype);
}

const ir::Function* AccumulatorLines::combine_function(Op combine, DType dtype) const {
  return (info(combine).flags & kFunction) != 0 ? scope_.subject.arena->function_of(combine, dtype) : nullptr;
}

}  // namespace harp::render
