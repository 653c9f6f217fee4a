// Prints the text format: one primitive per line, with every attribute that decides bits. Constants without a name are printed where they
// are used. The results of a custom function are printed as one statement, which also names the results that nothing uses. A shape variable
// is declared where it first appears in an input. If that would change the order of the variables or omit bounds, they are declared on a
// separate line before the graph.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "graph/base64.h"
#include "graph/body.h"
#include "graph/build.h"
#include "graph/native.h"
#include "graph/text.h"
#include "graph/text_cursor.h"

namespace harp {
namespace {

using text::quote_name;

constexpr size_t kMaxInlineElements = 64;  // longer constant arrays are printed as base64

std::string print_dim(const Dim& dim) { return to_string(dim); }
std::string print_ints(const std::vector<int>& values) { return cat("[", join(values, ", "), "]"); }

/// Returns the text between the parentheses of a typed literal such as f32(0.5): a number, or `bits=0x…` for a NaN whose bits differ from
/// those of "nan".
std::string print_number(const Scalar& value) {
  if (is_complex(value.dtype)) return cat(print_number(part_of(value, 0)), ", ", print_number(part_of(value, 1)));
  const bool is_nan = is_float(value.dtype) && to_string(value) == "nan";
  if (!is_nan || value == scalar_from_double(value.dtype, std::numeric_limits<double>::quiet_NaN())) return to_string(value);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits;
  for (int shift = static_cast<int>(size_of(value.dtype)) * 8 - 4; shift >= 0; shift -= 4) digits += kHex[value.bits[0] >> shift & 15];
  return cat("bits=0x", digits);
}
std::string print_typed(const Scalar& value) { return cat(name(value.dtype), "(", print_number(value), ")"); }

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string run() {
    live_ = graph_.live_nodes();
    // Print nodes in the order of their construction. If gradients are built from the text later, this order decides their bits
    // (docs/semantics.md, "Gradients").
    std::ranges::sort(live_, {}, &Node::id);
    assign_names();
    out_ = "harp 1\n";
    print_header();
    for (const Node* node : live_) {
      if (node->op == Op::kInput || is_inline(node)) continue;
      const std::vector<const Node*> results = results_of(node);
      if (std::ranges::any_of(results, [&](const Node* other) { return other != nullptr && other->id < node->id; })) continue;
      append(out_,
             cat("  ", join(results, ", ", [&](const Node* result) { return result != nullptr ? reference(result) : new_name(); }), " = "));
      print_statement(*node);
      out_ += '\n';
    }
    out_ += "  return";
    const char* separator = " ";
    for (const GraphOutput& output : graph_.outputs()) {
      append(out_, cat(separator, quote_name(output.name), " = ", reference(output.node)));
      separator = ", ";
    }
    out_ += "\n}\n";
    return std::move(out_);
  }

  std::string attributes_of(const Node& node) {
    if (const auto* input = std::get_if<InputAttributes>(&node.attributes)) return cat("name=", text::quote(input->name));
    if (const auto* constant = std::get_if<ConstantAttributes>(&node.attributes)) return cat("value=", print_typed(constant->value));
    if (const auto* size = std::get_if<SizeAttributes>(&node.attributes)) return cat("value=", print_dim(size->value));
    std::visit([&](const auto& attributes) { print_attributes(node, attributes); }, node.attributes);
    if (const auto* custom = std::get_if<CustomAttributes>(&node.attributes); custom != nullptr && custom->dtypes.size() > 1)
      attribute("result", cat(custom->result));
    return std::move(out_);
  }

 private:
  bool is_inline(const Node* node) const { return node->op == Op::kConstant && !names_.contains(node); }

  /// Returns the nodes that the printed statement of `node` defines: for a custom function all results of its call, otherwise the node
  /// itself. A result that nothing uses is null, because the copy of the graph that is printed has no node for it.
  static std::vector<const Node*> results_of(const Node* node) {
    const auto* custom = std::get_if<CustomAttributes>(&node->attributes);
    if (custom == nullptr) return {node};
    std::vector<const Node*> results;
    for (size_t i = 0; i < custom->dtypes.size(); ++i) results.push_back(result_of_call(*node, static_cast<int>(i)));
    return results;
  }

  /// Inputs keep their names. If several other nodes have the same name, the first of them keeps it. All remaining nodes are numbered.
  void assign_names() {
    for (const Node* input : graph_.inputs()) {
      names_[input] = input->as<InputAttributes>().name;
      taken_.insert(names_[input]);
    }
    for (const Node* node : live_) {
      if (node->op == Op::kInput) continue;
      const std::string own(graph_.node_name(node));
      if (!own.empty() && taken_.insert(own).second) names_[node] = own;
    }
    for (const Node* node : live_)
      if (!names_.contains(node) && node->op != Op::kConstant) names_[node] = new_name();
  }
  /// Returns a name of the form v0, v1 … that no node has yet.
  std::string new_name() {
    std::string made;
    do made = cat("v", number_++);
    while (taken_.contains(made));
    return made;
  }

  std::string reference(const Node* node) const {
    return is_inline(node) ? print_typed(node->as<ConstantAttributes>().value) : quote_name(names_.at(node));
  }

  static std::string declaration(const SymAtom& variable) {
    const SymRange bounds = variable.range;
    if (bounds.lo == text::kDefaultLeast && bounds.hi == text::kDefaultGreatest) return variable.name;
    return cat(variable.name, " in ", bounds.lo, "..", bounds.hi);
  }

  /// Returns the shape variables in the order in which they first appear in the inputs. Returns nothing if a variable first appears in an
  /// expression that has another new variable (their order would be unclear), or if such a variable does not have the default bounds
  /// (bounds cannot be stated in an expression).
  std::vector<const SymAtom*> variables_met() const {
    std::vector<const SymAtom*> met;
    auto knows = [&](const SymAtom* v) { return std::find(met.begin(), met.end(), v) != met.end(); };
    for (const Node* input : graph_.inputs())
      for (Dim dim : input->shape) {
        if (const SymAtom* v = as_variable(dim)) {
          if (!knows(v)) met.push_back(v);
          continue;
        }
        bool is_first = true;
        for (const SymAtom* v : variables_of(dim)) {
          if (knows(v)) continue;
          if (!is_first || declaration(*v) != v->name) return {};
          is_first = false;
          met.push_back(v);
        }
      }
    return met;
  }

  void print_header() {
    std::vector<const SymAtom*> variables;
    for (Dim v : graph_.dims().variables()) variables.push_back(variable_of(v));
    std::unordered_set<const SymAtom*> declared;
    if (variables_met() != variables) {
      for (const SymAtom* v : variables) append(out_, cat("shape ", declaration(*v), "\n"));
      declared.insert(variables.begin(), variables.end());
    }
    append(out_, cat("graph ", quote_name(graph_.name()), "("));
    const char* separator = "";
    for (const Node* input : graph_.inputs()) {
      append(out_, cat(separator, quote_name(input->as<InputAttributes>().name), ": ", name(input->dtype), "["));
      separator = ", ";
      append(out_, join(input->shape, ", ", [&](const Dim& dim) {
               const SymAtom* v = as_variable(dim);
               return v != nullptr && declared.insert(v).second ? declaration(*v) : print_dim(dim);
             }));
      out_ += ']';
    }
    out_ += ')';
    std::vector<std::string_view> flags;
    if (graph_.options().broadcast) flags.push_back("broadcast");
    if (graph_.options().promotion == Promotion::kArrayApi) flags.push_back("promote");
    if (graph_.options().promotion == Promotion::kMixed) flags.push_back("promote_mixed");
    if (!flags.empty()) append(out_, cat(" flags=[", join(flags, ", ", [](std::string_view flag) { return flag; }), "]"));
    out_ += " {\n";
  }

  void print_statement(const Node& node) {
    if (node.op == Op::kConstant) {
      out_ += print_typed(node.as<ConstantAttributes>().value);
      return;
    }
    append(out_, cat(name(node.op), "("));
    append(out_, join(node.sources, ", ", [&](const Node* source) { return reference(source); }));
    first_attribute_ = node.sources.empty();
    std::visit([&](const auto& attributes) { print_attributes(node, attributes); }, node.attributes);
    out_ += ')';
  }

  void attribute(std::string_view key, std::string_view value) {
    if (!first_attribute_) out_ += ", ";
    first_attribute_ = false;
    append(out_, cat(key, "=", value));
  }
  void shape_attribute(std::string_view key, const Shape& shape) { attribute(key, to_string(shape)); }

  // Expand, Reshape and conversions have no attributes; prints the shape or dtype that defines them.
  void print_attributes(const Node& node, const NoAttributes&) {
    if (info(node.op).family == Family::kConvert) attribute("dtype", name(node.dtype));
    if (node.op == Op::kExpand || node.op == Op::kReshape) shape_attribute("shape", node.shape);
    if (node.op == Op::kArange) attribute("n", print_dim(node.shape[0]));
  }
  void print_attributes(const Node&, const InputAttributes&) {
    HARP_ASSERT(false, "an input has no attributes to print; the header lists it");
  }
  void print_attributes(const Node&, const ConstantAttributes&) {
    HARP_ASSERT(false, "a constant has no attributes to print; it is a literal");
  }
  void print_attributes(const Node& node, const ArrayAttributes& a) {
    const std::vector<std::byte>& data = *a.data;
    const size_t count = data.size() / size_of(node.dtype);
    const bool nests = !is_complex(node.dtype) || node.rank() < kMaxRank;
    if (count > 0 && count <= kMaxInlineElements && nests && all_are_plain(real_dtype(node.dtype), data)) {
      append(out_, nested(node, data));
      first_attribute_ = false;
      attribute("dtype", name(node.dtype));
      return;
    }
    attribute("dtype", name(node.dtype));
    shape_attribute("shape", node.shape);
    attribute("base64", text::quote(base64_encode(data)));
  }
  void print_attributes(const Node&, const SizeAttributes& a) { out_ += print_dim(a.value); }
  void print_attributes(const Node& node, const ReduceAttributes& a) {
    if (is_arg_extreme(node.op)) return attribute("axis", cat(a.axes[0]));
    attribute("axes", print_ints(a.axes));
    attribute("order", a.order == ReduceOrder::kChain ? "chain" : "lanes");
    if (a.product) attribute("product", "true");
  }
  void print_attributes(const Node&, const ScanAttributes& a) {
    attribute("axis", cat(a.axis));
    if (a.reverse) attribute("reverse", "true");
    attribute("order", a.order == ScanOrder::kChain ? "chain" : "tree");
  }
  void print_attributes(const Node&, const PermuteAttributes& a) { attribute("axes", print_ints(a.axes)); }
  void print_attributes(const Node& node, const SliceAttributes& a) {
    const bool has_steps = std::any_of(a.step.begin(), a.step.end(), [](int64_t step) { return step != 1; });
    auto print_bound = [](const std::optional<Dim>& bound) { return bound ? print_dim(*bound) : "none"; };
    if (const auto specs = build::as_slice_specs(&node)) {
      auto any = [&](auto member) {
        return std::any_of(specs->begin(), specs->end(), [&](const auto& s) { return (s.*member).has_value(); });
      };
      using Spec = build::SliceSpec;
      if (any(&Spec::start)) attribute("start", cat("[", join(*specs, ", ", [&](const Spec& s) { return print_bound(s.start); }), "]"));
      if (any(&Spec::stop)) attribute("stop", cat("[", join(*specs, ", ", [&](const Spec& s) { return print_bound(s.stop); }), "]"));
    } else {
      shape_attribute("start", a.start);
      shape_attribute("size", node.shape);
    }
    if (has_steps) attribute("step", cat("[", join(a.step, ", "), "]"));
  }
  void print_attributes(const Node&, const PadAttributes& a) {
    shape_attribute("before", a.before);
    shape_attribute("after", a.after);
    attribute("value", print_typed(a.value));
  }
  void print_attributes(const Node&, const UnfoldAttributes& a) {
    attribute("axes", cat("[", a.axis, "]"));
    attribute("size", cat("[", print_dim(a.size), "]"));
    attribute("stride", cat("[", a.stride, "]"));
    attribute("dilation", cat("[", a.dilation, "]"));
  }
  void print_attributes(const Node&, const ConcatAttributes& a) { attribute("axis", cat(a.axis)); }
  void print_attributes(const Node&, const GatherAttributes& a) { attribute("axis", cat(a.axis)); }
  void print_attributes(const Node&, const SortAttributes& a) {
    if (a.descending) attribute("descending", "true");
  }
  void print_attributes(const Node& node, const CustomAttributes& a) {
    const std::string dtypes = join(a.dtypes, ", ", [](DType dtype) { return name(dtype); });
    attribute("body", text::quote_lines(a.text));
    attribute("dtype", a.dtypes.size() > 1 ? cat("[", dtypes, "]") : dtypes);
    shape_attribute("shape", node.shape);
  }
  void print_attributes(const Node& node, const NativeAttributes& a) {
    attribute("name", text::quote(a.name));
    attribute("signature", text::quote(native_signature(a)));
    attribute("dtype", name(node.dtype));
    shape_attribute("shape", node.shape);
  }
  void print_attributes(const Node&, const CheckAttributes& a) {
    attribute("size", print_dim(a.size));
    if (!a.what.empty()) attribute("what", text::quote(a.what));
    if (!a.asker.empty()) attribute("asker", text::quote(a.asker));
    if (a.optional) attribute("optional", "true");
  }

  static Scalar element(DType dtype, const std::vector<std::byte>& data, size_t index) {
    Scalar value{dtype, {0, 0}};
    const std::byte* first = data.data() + index * size_of(dtype);
    std::copy(first, first + size_of(dtype), reinterpret_cast<std::byte*>(value.bits));
    return value;
  }
  /// True if all elements can be printed as decimal numbers without losing bits.
  static bool all_are_plain(DType dtype, const std::vector<std::byte>& data) {
    for (size_t i = 0; i < data.size() / size_of(dtype); ++i)
      if (print_number(element(dtype, data, i)).starts_with("bits")) return false;
    return true;
  }
  /// Returns an array as nested lists. A complex number is printed as a list of two numbers.
  static std::string nested(const Node& node, const std::vector<std::byte>& data) {
    const DType dtype = real_dtype(node.dtype);
    const size_t count = data.size() / size_of(dtype);
    Shape shape = node.shape;
    if (is_complex(node.dtype)) shape.push_back(2);
    std::string out;
    for (size_t i = 0; i < count; ++i) {
      // Count the lists that begin and end at element i. A list over the last k axes has `run` elements. Such a list begins at i if `run`
      // divides i, and ends at i if `run` divides i + 1.
      size_t run = 1, begins = 0, ends = 0;
      for (size_t axis = shape.size(); axis-- > 0;) {
        run *= static_cast<size_t>(shape[axis].constant());
        begins += i % run == 0;
        ends += (i + 1) % run == 0;
      }
      out.append(begins, '[');
      out += print_number(element(dtype, data, i));
      out.append(ends, ']');
      if (i + 1 < count) out += ", ";
    }
    return out;
  }

  const Graph& graph_;
  std::vector<const Node*> live_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_set<std::string> taken_;  // names of nodes
  size_t number_ = 0;                      // the number in the next name that new_name() tries
  std::string out_;
  bool first_attribute_ = true;
};

}  // namespace

std::string print_attributes(const Node& node) { return Printer(*node.graph).attributes_of(node); }

std::string print_graph(const Graph& graph) {
  // The printer adds expressions for the bounds of slices to the graph's table of sizes, which other threads may read at the same time.
  // Therefore it works on a copy of the graph.
  const std::unique_ptr<Graph> own = graph.clone();
  return Printer(*own).run();
}

}  // namespace harp
