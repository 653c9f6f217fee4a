#include "text.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "builder.h"
#include "errors.h"

namespace harp_python {

namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns a name as the text format writes it: in quotes, unless it is an identifier and no reserved word.
std::string quoted(std::string_view name) {
  static constexpr std::string_view kReserved[] = {"return", "shape", "graph", "none", "true", "false", "nan", "inf"};
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && std::ranges::all_of(name, is_letter) &&
      std::ranges::find(kReserved, name) == std::end(kReserved))
    return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr const char* kDigits = "0123456789abcdef";
      text += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

/// Prints nodes of a harp graph as statements, sources first.
class Printer {
 public:
  void input(harp_node* node, const std::string& name, harp_graph* graph) {
    names_[node] = quoted(name);
    taken_.insert(name);
    text_ += separator_ + quoted(name) + ": " + harp_dtype_name(harp_node_dtype(node)) + "[";
    separator_ = ", ";
    harp_dim dims[HARP_MAX_RANK];
    const int32_t rank = harp_node_rank(node);
    harp_node_dims(node, rank, dims, Check());
    for (int32_t i = 0; i < rank; ++i) text_ += (i != 0 ? ", " : "") + take(harp_dim_print(graph, dims[i], Check()));
    text_ += "]";
  }
  void text(const std::string& more) { text_ += more; }

  /// Returns the name of the node, after printing the statements that it needs.
  const std::string& name(harp_node* root) {
    std::vector<harp_node*> open{root};
    while (!open.empty()) {
      harp_node* node = open.back();
      const size_t before = open.size();
      for (int32_t i = harp_node_source_count(node) - 1; i >= 0; --i)
        if (harp_node* source = harp_node_source(node, i); !names_.contains(source)) open.push_back(source);
      if (open.size() != before) continue;
      open.pop_back();
      if (!names_.contains(node)) statement(node);
    }
    return names_[root];
  }

  const std::string& result() const { return text_; }

 private:
  void statement(harp_node* node) {
    const std::string attributes = take(harp_node_attributes(node, Check())), operation = harp_node_op(node);
    if (operation == "constant") {
      names_[node] = attributes.substr(attributes.find('=') + 1);  // a literal is printed where it is used
      return;
    }
    if (operation == "native")
      throw Failure(HARP_ERROR_UNSUPPORTED, "the text of a graph cannot contain a function of this process; expected operations of harp only, "
                                            "got the native function with " + attributes.substr(0, attributes.find(',')));
    std::string name;
    do {
      name = "_" + std::to_string(count_++);
    } while (taken_.contains(name));
    text_ += "  " + name + " = " + operation + "(";
    const char* separator = "";
    for (int32_t i = 0; i < harp_node_source_count(node); ++i) {
      text_ += separator + names_[harp_node_source(node, i)];
      separator = ", ";
    }
    const std::string written = operation == "size" ? attributes.substr(attributes.find('=') + 1) : attributes;
    if (!written.empty()) text_ += separator + written;
    text_ += ")\n";
    names_[node] = name;
  }

  std::unordered_map<harp_node*, std::string> names_;
  std::unordered_set<std::string> taken_;  // the names of the inputs
  std::string text_;
  std::string separator_;
  size_t count_ = 0;
};

struct Variable {
  std::string given, name;
  int64_t least, most;
};

std::vector<Variable>& declared() {
  static auto* variables = new std::vector<Variable>;
  return *variables;
}

/// Returns the position of the first occurrence of `word` in the text at or after position `from`, or npos if there is none. Only whole
/// words count. A word before "=" does not count, because it is the name of an attribute (n=4).
size_t find_word(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || (!is_letter(text[end]) && text[end] != '='))) return at;
  }
  return text.npos;
}

}  // namespace

std::string variable_name(const std::string& given, int64_t least, int64_t most) {
  for (const Variable& variable : declared())
    if (variable.given == given && variable.least == least && variable.most == most) return variable.name;
  const auto is_taken = [](const std::string& name) { return std::ranges::find(declared(), name, &Variable::name) != declared().end(); };
  std::string name = given;
  for (size_t number = 2; is_taken(name); ++number) name = given + "__" + std::to_string(number);
  declared().push_back({given, name, least, most});
  return name;
}

std::string displayed(std::string text) {
  for (const Variable& variable : declared()) {
    if (variable.name == variable.given || find_word(text, variable.given) != text.npos) continue;
    for (size_t at = 0; (at = find_word(text, variable.name, at)) != text.npos; at += variable.given.size())
      text.replace(at, variable.name.size(), variable.given);
  }
  return text;
}

std::string print_graph(const std::string& name, std::span<Node* const> parameters, std::span<const std::string> input_names,
                        std::span<Node* const> results, std::span<const std::string> output_names) {
  Walk found = walk(results);
  for (const Node* parameter : parameters) found.symbolic |= parameter->type->symbolic;
  const Recipe recipe(found);
  std::vector<Ref<Node>> leaves;
  for (const uint32_t position : found.leaves) leaves.emplace_back(found.order[position]);
  std::string text;
  in_graph(recipe, [&](harp_graph* graph) {
    Printer printer;
    printer.text("graph " + quoted(name) + "(");
    Nodes inputs;
    for (size_t i = 0; i < parameters.size(); ++i) {
      inputs.push_back(declare(graph, *parameters[i]->type, i));
      printer.input(inputs.back(), input_names[i], graph);
    }
    printer.text(") flags=[broadcast] {\n");
    Builder builder(recipe, {}, graph);
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Node* leaf = leaves[i].get();
      const auto at = std::ranges::find(parameters, leaf);
      if (at != parameters.end()) {
        builder.set_leaf(i, inputs[static_cast<size_t>(at - parameters.begin())]);
        continue;
      }
      if (!leaf->value) throw Failure(HARP_ERROR_INVALID_ARGUMENT, "an output depends on a tensor that is not among the inputs");
      const Type& type = *leaf->type;
      harp_node* array = harp_constant_array(graph, type.dtype, type.rank, type.dims, type.bytes, leaf->value->data);
      if (array == nullptr) fail(harp_graph_take_error(graph));
      builder.set_leaf(i, array);
    }
    const Nodes roots = builder.build();
    std::string returned;
    for (size_t i = 0; i < roots.size(); ++i) returned += (i != 0 ? ", " : "") + quoted(output_names[i]) + " = " + printer.name(roots[i]);
    text = printer.result() + "  return " + returned + "\n}\n";
  });
  std::string variables;
  for (const Variable& variable : declared())
    if (find_word(text, variable.name) != text.npos)
      variables += "shape " + variable.name + " in " + std::to_string(variable.least) + ".." + std::to_string(variable.most) + "\n";
  return displayed("harp 1\n" + variables + text);
}

}  // namespace harp_python
