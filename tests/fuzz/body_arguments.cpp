#include "fuzz/body_arguments.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/text.h"

namespace harp::fuzz {
namespace {

constexpr std::string_view kComparisons[] = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::string_view kBoolOperators[] = {"&", "|", "^"};
constexpr std::string_view kNumberOperators[] = {"+", "-", "*"};
// Numbers of iterations of the loops in a body. The interpreter runs the whole loop for each element of the result, so with longer loops
// a result of 4,097 elements would take minutes.
constexpr int64_t kUsualLoop = 5, kLongestLoop = 64, kInnerLoop = 2;

/// Draws the dtypes of the results; the first is `dtype`. The random numbers come from a separate stream, so these draws do not change the
/// other random choices of the graph.
std::vector<DType> result_dtypes(const Random& random, DType dtype) {
  Random same = random, apart(same.next(), "results");
  std::vector<DType> dtypes = {dtype};
  if (!apart.chance(30)) return dtypes;
  constexpr DType kOthers[] = {DType::kBool, DType::kI64};
  for (uint64_t more = 1 + apart.below(3); more > 0; --more) dtypes.push_back(apart.chance(50) ? dtype : apart.pick(kOthers));
  return dtypes;
}

/// Generates the body of a custom function whose inputs all have the shape of its results.
class BodyText {
 public:
  BodyText(Random& random, NodeRef primary, size_t inputs, std::span<const DType> results)
      : random_(random), primary_(*primary), inputs_(inputs), results_(results) {}

  std::string text() {
    is_plain_ = random_.chance(50);
    std::string out = cat("let a = ", load(), "\n");
    if (is_plain_ ? has_plain_array() : random_.chance(30)) elements_ = random_.between(1, 6);
    if (elements_ > 0) append(out, cat("let s = ", harp::name(primary_.dtype), "[", elements_, "]\n"));
    for (uint64_t more = random_.between(0, 3); more > 0; --more) append(out, statement(2));
    append(out, combining_loop());
    append(out, cat(result(0), " = ", value(2), "\n"));
    for (size_t i = 1; i < results_.size(); ++i) {
      const std::string index = primary_.rank() > 0 ? "ridx0 * 3 + shape0" : "7";
      append(out, cat(result(i), " = ", results_[i] == primary_.dtype ? value(1) : is_bool(results_[i]) ? condition(1) : index, "\n"));
    }
    return out;
  }

 private:
  /// Decides whether a body in which no index needs a bounds check has a local array. The random number comes from a separate stream, so
  /// this draw does not change bodies without a local array.
  bool has_plain_array() const {
    Random same = random_, apart(same.next(), "array");
    return apart.chance(30);
  }
  std::string result(size_t number) const { return results_.size() == 1 ? "output" : cat("output", number); }
  /// Chooses a variable of the body that has the primary array's dtype: `a` or one of the results.
  std::string variable(int percent_of_a) {
    if (random_.chance(percent_of_a)) return "a";
    const size_t number = results_.size() == 1 ? 0 : random_.below(results_.size());
    return result(results_[number] == primary_.dtype ? number : 0);
  }
  std::string own_index(int axis) const { return cat("ridx", axis); }
  std::string index(int axis) {
    if (!counter_.empty() && counter_axis_ == axis && random_.chance(60)) return counter_;
    if (is_plain_ || random_.chance(60)) return own_index(axis);
    const std::string moved = counter_.empty() ? cat("3 * ", own_index(axis), " + 1") : cat(own_index(axis), " - ", counter_);
    return cat("(", moved, ") % size(input0, ", axis, ")");
  }
  std::string load() {
    std::string out = cat("input", random_.below(inputs_));
    for (int axis = 0; axis < primary_.rank(); ++axis) append(out, cat(axis == 0 ? "[" : ", ", index(axis)));
    return primary_.rank() == 0 ? out : out + "]";
  }
  /// An expression that reads an element of the local array `s` of the body.
  std::string element() {
    const uint64_t kind = primary_.rank() > 0 && !is_plain_ ? random_.below(3) : 0;
    if (kind == 0) return cat("s[", random_.below(static_cast<uint64_t>(elements_)), "]");
    if (kind == 1 && !counter_.empty()) return cat("s[", counter_, " % ", elements_, "]");
    return cat("s[(", own_index(0), " * 5 + 2) % ", elements_, "]");
  }
  std::string value(int depth) {
    if (depth == 0 || random_.chance(20)) {
      if (elements_ > 0 && random_.chance(40)) return element();
      return random_.chance(50) ? "a" : load();
    }
    if (random_.chance(15)) return cat("where(", condition(depth - 1), ", ", value(depth - 1), ", ", value(depth - 1), ")");
    const std::string_view op = is_bool(primary_.dtype) ? random_.pick(kBoolOperators) : random_.pick(kNumberOperators);
    return cat("(", value(depth - 1), " ", op, " ", value(depth - 1), ")");
  }
  std::string condition(int depth) {
    if (primary_.rank() > 0 && random_.chance(30)) return cat(own_index(0), " ", random_.pick(kComparisons), " ", random_.below(4));
    return cat(value(depth), " ", random_.pick(kComparisons), " ", value(depth));
  }
  std::string statement(int depth) {
    if (open_loops_ > 0 && random_.chance(20)) return leave();
    const auto kind = random_.below(5);
    if (kind == 0 && depth > 0) {
      const std::string otherwise = random_.chance(50) ? cat(" else {\n", statement(depth - 1), "}") : std::string();
      return cat("if ", condition(1), " {\n", statement(depth - 1), "}", otherwise, "\n");
    }
    if (kind == 1 && depth > 0 && primary_.rank() > 0 && counter_.empty())
      return is_plain_ && random_.chance(60) ? plain_loop(depth) : counted_loop(depth);
    if (kind == 2 && depth > 0) return conditional_loop(depth);
    if (kind == 3 && is_plain_ && primary_.rank() > 0 && (elements_ == 0 || random_.chance(50))) return neighbour();
    if (kind == 3 && elements_ > 0) {
      const std::string to = element();
      return cat(to, " = ", value(2), "\n");
    }
    return cat(variable(70), " = ", value(2), "\n");
  }

  std::string leave() {
    const std::string last = random_.chance(50) ? cat(variable(50), " = ", value(1), "\n") : std::string();
    return cat("if ", condition(1), " {\n", last, "break\n}\n");
  }
  /// One or two random statements inside a loop.
  std::string in_loop(int depth) {
    ++open_loops_;
    std::string out = statement(depth - 1);
    if (random_.chance(30)) append(out, statement(0));
    --open_loops_;
    return out;
  }

  /// A loop that ends by its condition or by a break, after a few iterations at most.
  std::string conditional_loop(int depth) {
    const std::string name = cat("w", loops_++);
    const int64_t most = open_loops_ == 0 ? kUsualLoop : kInnerLoop;
    const std::string head = random_.chance(70) ? cat("while (", name, " < ", most, ") & (", condition(1), ") {\n")
                                                : cat("while true {\nif ", name, " >= ", most, " { break }\n");
    const std::string flag = flag_of(name);
    const std::string flips = flag.empty() ? std::string() : cat(flag, " = ~", flag, "\n");
    const std::string loop = cat("let ", name, " = 0\n", head, name, " = ", name, " + 1\n", in_loop(depth), flips, "}\n");
    if (flag.empty()) return loop;
    return cat("let ", flag, " = false\n", loop, "if ", flag, " { a = a ", is_bool(primary_.dtype) ? "^" : "+", " a }\n");
  }
  /// Returns the name of a bool that changes in each iteration of the loop `name`, or "" if the loop has none. The random number comes from
  /// a separate stream, so this draw does not change the other random choices of the graph.
  std::string flag_of(const std::string& name) const {
    Random same = random_, apart(same.next(), "flag");
    return apart.chance(30) ? cat("flag_", name) : std::string();
  }

  /// Generates a load of the element next to the current element along a random axis. A condition in the generated text ensures that the
  /// index is inside the array.
  std::string neighbour() {
    const int axis = static_cast<int>(random_.below(static_cast<uint64_t>(primary_.rank())));
    const std::string j = cat("j", loops_++), size = cat("size(input0, ", axis, ")");
    const std::string shift = counter_.empty() || random_.chance(40) ? cat(" + ", random_.below(3), " - 1")
                              : random_.chance(50)                   ? cat(" - ", counter_)
                                                                     : cat(" + ", counter_, " - 1");
    std::string read = cat("input", random_.below(inputs_));
    for (int other = 0; other < primary_.rank(); ++other) append(read, cat(other == 0 ? "[" : ", ", other == axis ? j : own_index(other)));
    const std::string set = cat(random_.chance(70) ? "a" : "output", " = ", read, "]\n"),
                      head = cat("let ", j, " = ", own_index(axis), shift, "\n");
    if (open_loops_ > 0 && random_.chance(30)) return cat(head, "if (", j, " < 0) | (", j, " >= ", size, ") { break }\n", set);
    if (random_.chance(30)) return cat(head, "if ~(", j, " >= 0) { a = ", value(1), " } else if ", j, " < ", size, " {\n", set, "}\n");
    return cat(head, "if (", j, " >= 0) & (", j, " < ", size, ") {\n", set, "}\n");
  }

  /// A counted loop whose bounds are the same for all elements. If its end is known to be at most the size of an axis, the loop variable
  /// can index that axis without a bounds check.
  std::string plain_loop(int depth) {
    counter_axis_ = static_cast<int>(random_.below(static_cast<uint64_t>(primary_.rank())));
    const Dim extent = primary_.shape[static_cast<size_t>(counter_axis_)];
    const std::string name = cat("i", loops_++);
    const int64_t most = open_loops_ == 0 ? kUsualLoop : kInnerLoop, end = extent.is_constant() ? std::min(extent.constant(), most) : most;
    std::string head = cat("for ", name, " in ", random_.below(2), " .. ", end, " {\n");
    if (!is_bool(primary_.dtype) && random_.chance(30)) append(head, cat("a = a + ", harp::name(primary_.dtype), "(", name, ")\n"));
    if (end <= elements_) append(head, cat("s[", name, "] = a\n"));
    if (extent.is_constant()) counter_ = name;
    const std::string body = in_loop(depth);
    counter_.clear();
    return cat(head, body, "}\n");
  }

  /// A loop that is long enough for vectors of iterations (lower/custom_chains.h) and combines integers in one variable; "" for most
  /// bodies. The random numbers come from a separate stream, so these draws do not change the other random choices of the graph.
  std::string combining_loop() const {
    Random same = random_, apart(same.next(), "combining");
    if (!is_int(primary_.dtype) || primary_.rank() == 0 || !apart.chance(25)) return {};
    constexpr std::string_view kCombined[] = {"a + ", "a - ", "a * ", "maximum(a, ", "minimum(a, "},
                               kBegins[] = {"0", "1", "minimum(ridx0, 9)"};
    const auto axis = static_cast<int>(apart.below(static_cast<uint64_t>(primary_.rank())));
    const Dim extent = primary_.shape[static_cast<size_t>(axis)];
    const bool loads = extent.is_constant() && extent.constant() <= kLongestLoop && apart.chance(70);
    const int64_t end = loads ? extent.constant() : static_cast<int64_t>(apart.below(kLongestLoop));
    std::string term = cat("input", apart.below(inputs_));
    for (int each = 0; each < primary_.rank(); ++each)
      append(term, cat(each == 0 ? "[" : ", ", loads && each == axis ? std::string("c") : own_index(each)));
    append(term, "]");
    // Integers that are divided in a loop, and differ between elements, are not computed in lanes of several elements.
    if (apart.chance(60)) term = cat("(", term, " % 7)");
    const std::string_view combined = apart.pick(kCombined);
    const std::string value = cat("(", term, " + ", harp::name(primary_.dtype), "(c))", combined.find('(') != combined.npos ? ")" : "");
    const std::string loop = cat("for c in ", apart.pick(kBegins), " .. ", end, " { a = ", combined, value, " }\n");
    return apart.chance(30) ? cat("if a > 3 {\n", loop, "}\n") : loop;
  }

  std::string counted_loop(int depth) {
    counter_axis_ = static_cast<int>(random_.below(static_cast<uint64_t>(primary_.rank())));
    const std::string size = cat("size(input0, ", counter_axis_, ")"), name = cat("i", loops_++);
    std::string head = cat("for ", name, " in ");
    // both bounds of the loop are loaded from data; the first bound can be any number, but there are few iterations
    if (random_.chance(30) && is_int(primary_.dtype)) {
      const std::string data = cat("i64(", load(), ")"), begin = random_.chance(50) ? cat("(", data, " % ", size, ")") : data;
      append(head, cat(begin, " .. ", begin, " + i64(", load(), ") % ", kUsualLoop));
      counter_ = random_.chance(50) ? "" : cat("(", name, " % ", size, ")");
      append(head, cat(" {\n", counter_.empty() ? cat("a = a + ", harp::name(primary_.dtype), "(", name, ")\n") : std::string()));
    } else {
      const Dim extent = primary_.shape[static_cast<size_t>(counter_axis_)];
      const bool is_short = extent.is_constant() && extent.constant() <= kUsualLoop;
      const bool is_whole = is_short || (random_.chance(10) && open_loops_ == 0 && range(extent).hi <= kLongestLoop);
      const std::string end = is_whole ? size : cat("minimum(", size, ", ", kUsualLoop, ")");
      append(head, cat(random_.chance(70) ? 0 : 1, " .. ", end, " {\n"));
      counter_ = name;
    }
    const std::string body = in_loop(depth);
    counter_.clear();
    return cat(head, body, "}\n");
  }

  Random& random_;
  const Node& primary_;
  size_t inputs_;
  std::span<const DType> results_;
  std::string counter_;  // the variable of the enclosing counted loop; "" if there is none
  int counter_axis_ = 0;
  int loops_ = 0, open_loops_ = 0;
  int64_t elements_ = 0;   // number of elements of the local array s; 0: the body has no local array
  bool is_plain_ = false;  // true: most indices need no bounds check, so that compiled code uses vectors
};

}  // namespace

std::optional<std::vector<Argument>> body_arguments(Workbench& bench, const Operation& row, NodeRef primary) {
  if (row.name != name(Op::kCustom) || primary == nullptr || is_complex(primary->dtype)) return std::nullopt;
  std::vector<SizeItem> sizes(primary->shape.begin(), primary->shape.end());
  if (bench.random().chance(5)) {  // a body without inputs computes its result from indices and sizes alone
    std::string body = cat("output = ", name(primary->dtype), "(", primary->rank() > 0 ? "ridx0 * 3 + shape0" : "7", ")");
    return std::vector<Argument>{std::vector<NodeRef>(), std::move(body), std::string(name(primary->dtype)), std::move(sizes)};
  }
  std::vector<NodeRef> arrays = {primary};
  if (bench.random().chance(40)) arrays.push_back(bench.array_of(primary->dtype, primary->shape));
  const std::vector<DType> dtypes = result_dtypes(bench.random(), primary->dtype);
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  std::string body = BodyText(bench.random(), primary, arrays.size(), dtypes).text();
  return std::vector<Argument>{std::move(arrays), std::move(body), std::move(names), std::move(sizes)};
}

}  // namespace harp::fuzz
