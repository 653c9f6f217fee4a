// Lets Python read the trace: for each node the name of its operation and its arguments, in the form in which they were given. harp.vmap
// uses this.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <bit>
#include <climits>
#include <string>
#include <vector>

#include "build.h"
#include "module.h"
#include "parts.h"
#include "walk.h"

namespace nb = nanobind;

namespace harp_python {

namespace {

/// Converts the encoded attributes of an operation (Words, trace.h) back to the arguments of the Python function: the reverse of
/// arguments.cpp.
class Decoder {
 public:
  explicit Decoder(const Node& node) : word_(node.operation->words.data()), source_(node.sources().data()), owner_(node.operation->owner) {}

  nb::object argument(char kind) {
    switch (kind) {
      case 'x':
      case 'p': return tensor_of(*source_++);
      case 'o':
      case 'v': return *word_++ != 0 ? tensor_of(*source_++) : nb::none();
      case 'N': return list(*word_++, [&] { return tensor_of(*source_++); });
      case 'a': return number_or_none(HARP_AXIS_NONE);
      case 'c': return number_or_none(HARP_CLASS_NONE);
      case 'e': return number_or_none(0);
      case 'b': return nb::bool_(*word_++ != 0);
      case 'f': return real();
      case 'F': return *word_++ != 0 ? real() : nb::none();
      case 's': {
        const int64_t number = *word_++;
        return number < 0 ? nb::none() : nb::object(nb::str(text_of_number(number)));
      }
      case 'h': {
        const auto function = static_cast<uint64_t>(*word_++), user = static_cast<uint64_t>(*word_++);
        return nb::make_tuple(function, user, owner_ != nullptr ? nb::borrow(owner_) : nb::none());
      }
      case 't': return nb::borrow(dtype_object(static_cast<harp_dtype>(*word_++)));
      case 'A':
      case 'D':
      case 'S':
      case 'G': {
        const int64_t n = *word_++;
        if (n < 0) return nb::none();
        return list(n, [&] { return kind == 'G' ? real() : number_or_none(kind == 'S' ? HARP_SLICE_NONE : INT64_MIN); });
      }
      default: return number_or_none(INT64_MIN);
    }
  }

 private:
  static nb::object tensor_of(Node* node) { return nb::steal(tensor(Ref<Node>(node))); }
  nb::object real() { return nb::float_(std::bit_cast<double>(*word_++)); }
  nb::object number_or_none(int64_t none) {
    const int64_t word = *word_++;
    return word == none ? nb::none() : nb::steal(size_object(word));
  }
  template <class Read>
  static nb::object list(int64_t n, Read read) {
    nb::list items;
    for (int64_t i = 0; i < n; ++i) items.append(read());
    return items;
  }

  const int64_t* word_;
  Node* const* source_;
  PyObject* owner_;
};

nb::list special_arguments(const Node& node) {
  nb::list arguments;
  for (Node* source : node.sources()) arguments.append(nb::steal(tensor(Ref<Node>(source))));
  for (const int64_t word : node.operation->words) arguments.append(word);
  return arguments;
}

const char* special_name(int32_t index) {
  switch (index) {
    case kTracer: return "tracer";
    case kGradient: return "gradient";
    case kResult: return "result";
    default: return "leaf";
  }
}

/// Returns (identity, operation, arguments, tensor) for each node that the tensors depend on, sources first. A leaf has no arguments.
nb::list trace(const nb::object& tensors) {
  std::vector<Ref<Node>> kept;
  std::vector<Node*> roots;
  for (nb::handle object : tensors) {
    kept.push_back(node_of_tensor(object.ptr()));
    roots.push_back(kept.back().get());
  }
  nb::list list;
  const Walk found = walk(roots);
  std::vector<bool> is_leaf(found.order.size());
  for (const uint32_t position : found.leaves) is_leaf[position] = true;
  for (size_t i = 0; i < found.order.size(); ++i) {
    Node& node = *found.order[i];
    std::string name = "leaf";
    nb::list arguments;
    if (!is_leaf[i] && node.operation->index >= 0) {
      const Row& operation = row(node.operation->index);
      name = operation.name;
      Decoder decoder(node);
      for (const char* kind = operation.kinds; *kind != 0; ++kind) arguments.append(decoder.argument(*kind));
    } else if (!is_leaf[i] && node.n_sources != 0) {
      name = special_name(node.operation->index);
      arguments = special_arguments(node);
    }
    list.append(nb::make_tuple(reinterpret_cast<uintptr_t>(&node), name, arguments, nb::steal(tensor(Ref<Node>(&node)))));
  }
  return list;
}

}  // namespace

void add_inspect(nb::module_& m) {
  m.def("trace", &trace);
  m.def("identity", [](nb::handle x) { return reinterpret_cast<uintptr_t>(node_of_tensor(x.ptr()).get()); });
}

}  // namespace harp_python
