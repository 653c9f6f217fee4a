#include "render/kernel/accumulators.h"

#include <algorithm>

#include "base/text.h"
#include "render/c/types.h"

namespace harp::render {

using ir::Line;
using ir::LineKind;

std::string AccumulatorLines::beside(const ir::Accumulator& a, std::string_view room, int64_t bytes) const {
  const int64_t step = std::max<int64_t>(64, bytes);
  return cat("((size_t)", context_.parameters[static_cast<size_t>(a.beside)], " - ", kPageBytes / 4, " - (size_t)", room, ") % ",
             kPageBytes, " / ", step, " * ", step / bytes);
}

void AccumulatorLines::declare(const ir::AccDeclare& s) {
  const auto i = static_cast<size_t>(s.accumulator);
  const ir::Accumulator& a = context_.kernel->accumulators[i];
  const AccumulatorLayout& layout = context_.accumulators[i];
  const std::string name = expression_.name_of(s.accumulator), type = unit_.type(a.type.dtype, layout.lanes);
  const std::string one = literal(a.init).text;
  const bool zero = a.init.bits[0] == 0 && a.init.bits[1] == 0;
  const std::string value = layout.lanes == 1 ? one
                            : zero            ? cat("(", type, "){0}")
                                              : cat(unit_.splat(a.type.dtype, layout.lanes), "(", one, ")");
  names_.unfold(s.accumulator);
  if (a.in_scratch && layout.size > 1) {  // a single vector stays in a register
    const int64_t offset = ir::scratch_offsets(*context_.kernel)[i];
    const std::string room = offset == 0 ? std::string("scratch") : cat("(scratch + ", offset, ")");
    out_(cat(type, "* const ", name, " = (", type, "*)", a.beside < 0 ? room : cat("(", room, " + ", beside(a, room, 1), ")"), ";"));
    if (a.is_row) return;
    const std::string all = layout.lanes == 1 ? one : cat(unit_.splat(a.type.dtype, layout.lanes), "(", one, ")");
    return out_(cat("for (int i = 0; i < ", layout.size, "; ++i) ", name, "[i] = ", all, ";"));
  }
  if (layout.size == 1) return out_(cat(type, " ", name, " = ", s.value == nullptr ? value : expression_.whole(s.value).text, ";"));
  const std::string alignment = unit_.alignment(a.type.dtype, layout.size * layout.lanes);
  if (a.beside < 0) {
    out_(cat(type, " ", name, "[", layout.size, "]", alignment, ";"));
  } else {
    const int64_t bytes = static_cast<int64_t>(size_of(a.type.dtype)) * layout.lanes;
    const std::string room = cat(name, "_room");
    out_(cat(type, " ", room, "[", layout.size + kPageBytes / bytes, "]", alignment, ";"));
    out_(cat(type, "* const ", name, " = ", room, " + ", beside(a, room, bytes), ";"));
  }
  if (a.is_row) return;
  // Written as a loop even for zeros: gcc turns "= {0}" into "rep stos" and keeps the accumulators in memory (rows of 64 elements: 3.5
  // times slower).
  out_(cat("for (int i = 0; i < ", layout.size, "; ++i) ", name, "[i] = ", value, ";"));
}

void AccumulatorLines::set(const ir::AccSet& s) {
  const Text value = expression_.whole(s.value);
  names_.unfold(s.accumulator);
  out_(cat(expression_.accumulator(s.accumulator, s.index, s.value->type.lanes), " = ", value.text, ";"));
}

void AccumulatorLines::update(const ir::AccUpdate& s) {
  const ir::Accumulator& a = context_.kernel->accumulators[static_cast<size_t>(s.accumulator)];
  const int n = s.value->type.lanes;
  const std::string target = expression_.accumulator(s.accumulator, s.index, n);
  const Text value = expression_(s.value);
  names_.unfold(s.accumulator);
  if (s.factor != nullptr) {
    const std::string fma = unit_.helper(*rule_of(Op::kFma, a.type.dtype), a.type.dtype, n);
    return out_(cat(target, " = ", fma, "(", expression_.whole(s.value).text, ", ", expression_.whole(s.factor).text, ", ", target, ");"));
  }
  combined(target, a.combine, combine_function(a), n, expression_.whole(s.value).text);
}

void AccumulatorLines::combined(const std::string& target, Op combine, const ir::Function* function, int lanes, const std::string& value) {
  if (function == nullptr) return out_(cat(target, " ", operator_of(combine), "= ", value, ";"));
  out_(cat(target, " = ", unit_.function(*function, lanes), "(", target, ", ", value, ");"));
}

Unit::FoldForm AccumulatorLines::fold_form(const ir::AccFold& s) const {
  const auto i = static_cast<size_t>(s.accumulator);
  const ir::Accumulator& a = context_.kernel->accumulators[i];
  const AccumulatorLayout& layout = context_.accumulators[i];
  return {a.combine, combine_function(a), a.type.dtype, layout.lanes, static_cast<int>(layout.size)};
}

void AccumulatorLines::fold(const Line& l) {
  const auto& s = l.as<ir::AccFold>();
  const Unit::FoldForm form = fold_form(s);
  const std::string accumulator = cat("acc", s.accumulator);
  const bool vectors = context_.kernel->accumulators[static_cast<size_t>(s.accumulator)].type.lanes > 1;  // each lane is folded separately
  const std::string name = unit_.fold(form, vectors);
  const std::string argument = form.size == 1 ? cat("&", accumulator) : accumulator;
  const std::string unfolded = s.used && form.lanes == 1 ? cat(position_.is_nonnegative(1 - *s.used).text, " ? ",
                                                               expression_.accumulator(s.accumulator, 0, 1), " : ")
                                                         : "";
  out_(cat("const ", unit_.type(form.dtype, vectors ? form.lanes : 1), " ", l.name, " = ", unfolded, name, "(", argument, ");"));
  names_.folded(s.accumulator, l.name);
}

bool AccumulatorLines::fold_alike(const Line& a, const Line& b) const {
  if (a.kind != LineKind::kAccFold || b.kind != LineKind::kAccFold) return false;
  const Unit::FoldForm one = fold_form(a.as<ir::AccFold>()), other = fold_form(b.as<ir::AccFold>());
  const auto is_one_vector = [&](const Line& l) {
    const auto& s = l.as<ir::AccFold>();
    return context_.kernel->accumulators[static_cast<size_t>(s.accumulator)].type.lanes == 1 && !s.used;
  };
  return is_one_vector(a) && is_one_vector(b) && one.lanes > 2 && one.size > 1 && one.combine == other.combine &&
         one.function == other.function && one.dtype == other.dtype && one.lanes == other.lanes && one.size == other.size;
}

void AccumulatorLines::fold_two(const Line& a, const Line& b) {
  const Unit::FoldForm form = fold_form(a.as<ir::AccFold>());
  const int first = a.as<ir::AccFold>().accumulator, second = b.as<ir::AccFold>().accumulator;
  const std::string both = cat("acc", first, "_", second, "_folded");
  out_(cat("const ", unit_.type(form.dtype, form.lanes), " ", both, " = ", unit_.fold_two(form), "(acc", first, ", acc", second, ");"));
  out_(cat("const ", unit_.type(form.dtype, 1), " ", a.name, " = ", both, "[0], ", b.name, " = ", both, "[", form.lanes / 2, "];"));
  names_.folded(first, a.name);
  names_.folded(second, b.name);
}

void AccumulatorLines::scan(const ir::AccScan& s) {
  const auto i = static_cast<size_t>(s.accumulator);
  const ir::Accumulator& a = context_.kernel->accumulators[i];
  const AccumulatorLayout& layout = context_.accumulators[i];
  if (s.part != ir::ScanPart::kWhole) return scan_part(s, a, layout.lanes);
  const std::string name = unit_.scan({a.combine, combine_function(a), a.init, layout.lanes, static_cast<int>(layout.size) * layout.lanes});
  const std::string carry = expression_(s.value).text;
  names_.unfold(s.accumulator);
  names_.unfold(s.total);
  out_(cat(expression_.accumulator(s.total, 0, 1), " = ", name, "(", layout.size == 1 ? "&" : "", expression_.name_of(s.accumulator), ", ",
           carry, ");"));
}

void AccumulatorLines::scan_part(const ir::AccScan& s, const ir::Accumulator& a, int lanes) {
  const std::string name = unit_.scan_part({a.combine, combine_function(a), a.init, lanes, ir::kScannedGroup}, s.part, s.step);
  const auto of_group = [&](int accumulator, int size) {
    names_.unfold(accumulator);
    return cat(expression_.name_of(accumulator), " + ", bracket(position_(s.index * (size / lanes)), kSum));
  };
  const std::string elements = of_group(s.accumulator, ir::kScannedGroup), totals = of_group(s.quads, ir::kScannedGroup / ir::kQuad);
  if (s.part == ir::ScanPart::kTotals) return out_(cat(name, "(", totals, ");"));
  if (s.part == ir::ScanPart::kValues) return out_(cat(name, "(", elements, ");"));
  if (s.part != ir::ScanPart::kBefore) return out_(cat(name, "(", elements, ", ", totals, ");"));
  names_.unfold(s.total);
  out_(cat(expression_.accumulator(s.total, 0, lanes), " = ", name, "(", totals, ", ", expression_(s.value).text, ");"));
}

const ir::Function* AccumulatorLines::combine_function(const ir::Accumulator& a) const {
  return a.function != nullptr ? a.function : combine_function(a.combine, a.type.dtype);
}

const ir::Function* AccumulatorLines::combine_function(Op combine, DType dtype) const {
  return (info(combine).flags & kFunction) != 0 ? arena_->function_of(combine, dtype) : nullptr;
}

}  // namespace harp::render
