#include "graph/einsum_spec.h"

#include <algorithm>

#include "base/error.h"
#include "graph/check.h"

namespace harp::build {
namespace {

// The last axis for which "..." stands has the label kEllipsis, the axis before it kEllipsis + 1, and so on. Smaller labels are letters.
constexpr int kEllipsis = 256;
constexpr std::string_view kDots = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

[[noreturn]] void fail_spec(std::string_view spec, const std::string& what) {
  fail(Code::kInvalidArgument, "einsum: \"", spec, "\" ", what);
}

/// Converts the subscripts of one array, such as "ij", to labels: one per letter, and -1 for the ellipsis.
Labels parse_term(std::string_view spec, std::string_view term) {
  Labels labels;
  bool has_ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      labels.push_back(term[i]);
      continue;
    }
    if (term.substr(i).starts_with(kDots)) {
      if (has_ellipsis) fail_spec(spec, cat("contains two ellipses in one term, \"", term, "\""));
      has_ellipsis = true;
      labels.push_back(-1);
      i += kDots.size() - 1;
    } else if (term[i] == '.') {
      fail_spec(spec, "contains a '.' that is not part of an ellipsis \"...\"");
    } else {
      const auto byte = static_cast<unsigned char>(term[i]);
      const std::string shown = byte > 32 && byte < 127 ? cat("'", std::string(1, term[i]), "'") : cat("the byte ", int{byte});
      fail_spec(spec, cat("contains ", shown, ", which is not an index; indices are letters, terms are separated by commas"));
    }
  }
  return labels;
}

/// Replaces the label -1 of the ellipsis by the labels of the `count` axes for which it stands.
Labels with_ellipsis(const Labels& labels, int count) {
  Labels result;
  for (const int label : labels) {
    if (label >= 0)
      result.push_back(label);
    else
      for (int i = count; i-- > 0;) result.push_back(kEllipsis + i);
  }
  return result;
}

bool has_ellipsis(const Labels& labels) { return std::find(labels.begin(), labels.end(), -1) != labels.end(); }

/// The result of a spec without "->": the ellipsis, then every index that occurs once, in alphabetical order.
Labels implied_result(const std::vector<Labels>& terms) {
  Labels result;
  std::vector<int> count(kEllipsis, 0);
  bool ellipsis = false;
  for (const Labels& term : terms) {
    ellipsis |= has_ellipsis(term);
    for (const int label : term)
      if (label >= 0) ++count[static_cast<size_t>(label)];
  }
  if (ellipsis) result.push_back(-1);
  for (int label = 0; label < kEllipsis; ++label)
    if (count[static_cast<size_t>(label)] == 1) result.push_back(label);
  return result;
}

void check_result(std::string_view spec, const std::vector<Labels>& terms, const Labels& result) {
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] < 0) continue;
    const bool is_known = std::any_of(terms.begin(), terms.end(),
                                      [&](const Labels& term) { return std::find(term.begin(), term.end(), result[i]) != term.end(); });
    if (!is_known) fail_spec(spec, cat("has ", describe_label(result[i]), " in the result but in no operand"));
    if (std::find(result.begin(), result.begin() + static_cast<long>(i), result[i]) != result.begin() + static_cast<long>(i))
      fail_spec(spec, cat("names ", describe_label(result[i]), " twice in the result"));
  }
}

}  // namespace

std::string describe_label(int label) {
  if (label < kEllipsis) return cat("index '", std::string(1, static_cast<char>(label)), "'");
  return cat("axis ", kEllipsis - 1 - label, " of the ellipsis");
}

EinsumSpec parse_einsum_spec(std::string_view spec, std::span<const NodeRef> operands) {
  std::string text;  // without blanks
  for (const char c : spec)
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  const std::string_view left = std::string_view(text).substr(0, arrow);
  std::vector<Labels> terms;
  for (size_t begin = 0; begin <= left.size();) {
    const size_t end = std::min(left.find(',', begin), left.size());
    terms.push_back(parse_term(spec, left.substr(begin, end - begin)));
    begin = end + 1;
  }
  const Labels result = arrow != text.npos ? parse_term(spec, std::string_view(text).substr(arrow + 2)) : implied_result(terms);
  check_result(spec, terms, result);
  if (terms.size() != operands.size()) fail_spec(spec, cat("is for ", terms.size(), " arrays, but got ", operands.size()));

  EinsumSpec parsed;
  int widest = 0;  // the greatest number of axes for which an ellipsis stands
  for (size_t i = 0; i < terms.size(); ++i) {
    const NodeRef x = operands[i];
    const bool ellipsis = has_ellipsis(terms[i]);
    const int named = static_cast<int>(terms[i].size()) - (ellipsis ? 1 : 0);
    HARP_CHECK(ellipsis ? named <= x->rank() : named == x->rank(), Code::kShape, "einsum: \"", spec, "\" names ", named,
               ellipsis ? " axes and an ellipsis" : " axes", " of operand ", i + 1, " (", label(x), "), which has shape ",
               to_string(x->shape));
    const int behind = x->rank() - named;
    if (ellipsis) widest = std::max(widest, behind);
    parsed.operands.push_back(with_ellipsis(terms[i], behind));
  }
  if (widest > 0 && !has_ellipsis(result))
    fail_spec(spec, cat("has no ellipsis in the result for the ", widest, " axes that the ellipses of the operands stand for"));
  parsed.result = with_ellipsis(result, widest);
  return parsed;
}

}  // namespace harp::build
