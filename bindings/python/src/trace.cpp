#include "trace.h"

#include <Python.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "arguments.h"
#include "build.h"
#include "errors.h"
#include "operations.h"

namespace harp_python {

namespace {

uint64_t mix(uint64_t hash, uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

uint64_t hash_of(const void* data, size_t words, uint64_t hash) {
  const auto* word = static_cast<const uint64_t*>(data);
  for (size_t i = 0; i < words; ++i) hash = mix(hash, word[i]);
  return hash;
}

/// A table of objects by the hash of their content. When the table has grown to twice the size that it had after the last cleanup, objects
/// without other references are removed.
template <class T>
class Interned {
 public:
  template <class Equal>
  T* find(uint64_t hash, Equal equal) const {
    for (auto [at, end] = table_.equal_range(hash); at != end; ++at)
      if (equal(*at->second)) return at->second.get();
    return nullptr;
  }

  void add(uint64_t hash, Ref<T> object) {
    // destroyed when this function returns: an object may own Python objects, whose destructors may use this table
    std::vector<Ref<T>> unused;
    if (table_.size() >= limit_) {
      for (auto at = table_.begin(); at != table_.end();) {
        if (at->second->references == 1) {
          unused.push_back(std::move(at->second));
          at = table_.erase(at);
        } else {
          ++at;
        }
      }
      limit_ = std::max<size_t>(4096, 2 * table_.size());
    }
    object->id = ++last_;
    table_.emplace(hash, std::move(object));
  }

 private:
  std::unordered_multimap<uint64_t, Ref<T>> table_;
  size_t limit_ = 4096;
  uint64_t last_ = 0;
};

// Never destroyed, because Python may free tensors after this library's destructors have run.
Interned<Type>& types() {
  static auto* table = new Interned<Type>;
  return *table;
}
Interned<Operation>& operations() {
  static auto* table = new Interned<Operation>;
  return *table;
}

uint32_t sum_of_sizes(std::span<Node* const> sources) {
  uint64_t sum = 1;
  for (const Node* source : sources) sum += source->size;
  return static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
}

Ref<Node> new_node(Ref<Operation> operation, std::span<Node* const> sources) {
  Ref<Node> node(new Node);
  node->n_sources = static_cast<uint32_t>(sources.size());
  if (sources.size() > 3) node->many = new Node*[sources.size()];
  Node** slots = sources.size() > 3 ? node->many : node->few;
  for (size_t i = 0; i < sources.size(); ++i) {
    ++sources[i]->references;
    slots[i] = sources[i];
    node->flags |= sources[i]->flags & (Node::kInputs | Node::kGradients);
    node->levels |= sources[i]->levels;
  }
  if (operation->is_symbolic) node->flags |= Node::kInputs;
  node->size = sum_of_sizes(sources);
  if (!operation->is_tuple) node->type = operation->results[0];
  node->operation = std::move(operation);
  return node;
}

/// Tests whether two operations keep the same Python objects alive. An owner is null or a tuple of these objects.
bool same_owner(_object* a, _object* b) {
  if (a == b) return true;
  const int equal = a != nullptr && b != nullptr ? PyObject_RichCompareBool(a, b, Py_EQ) : 0;
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

template <class Infer>
Ref<Operation> intern_operation(int32_t index, const Words& words, std::span<Node* const> sources, _object* owner, Infer infer) {
  uint64_t hash = mix(0x51ed270b, static_cast<uint64_t>(static_cast<uint32_t>(index)));
  hash = hash_of(words.data(), words.size(), hash);
  for (const Node* source : sources) hash = mix(hash, source->type->id);
  if (Operation* known = operations().find(hash, [&](const Operation& o) {
        return o.index == index && o.words == words && same_owner(o.owner, owner) && o.sources.size() == sources.size() &&
               std::equal(sources.begin(), sources.end(), o.sources.begin(),
                          [](const Node* source, const Ref<Type>& type) { return source->type.get() == type.get(); });
      }))
    return Ref<Operation>(known);
  Ref<Operation> operation(new Operation);
  operation->index = index;
  operation->words = words;
  for (const Node* source : sources) operation->sources.push_back(source->type);
  operation->results = infer();
  operation->is_symbolic = std::ranges::any_of(operation->results, [](const Ref<Type>& type) { return type->symbolic; }) ||
                           has_symbolic_size(index, words);
  operation->owner = owner;
  Py_XINCREF(owner);
  operation->is_view = index >= 0 && is_view(index);
  operation->is_tuple = index == kGradient || (index >= 0 && row(index).is_tuple);
  operations().add(hash, operation);
  return operation;
}

Ref<Operation> special(int32_t index, const Words& words, std::span<Node* const> sources, std::vector<Ref<Type>> results) {
  return intern_operation(index, words, sources, nullptr, [&] { return std::move(results); });
}

void release_sources(Node* node, std::vector<Node*>& unused) {
  for (Node* source : node->sources())
    if (--source->references == 0) unused.push_back(source);
  if (node->n_sources > 3) delete[] node->many;
  node->n_sources = 0;
}

/// Frees nodes without references, and nodes that only these used, in a loop.
void dispose_all(std::vector<Node*>& unused) {
  while (!unused.empty()) {
    Node* node = unused.back();
    unused.pop_back();
    release_sources(node, unused);
    delete node;
  }
}

}  // namespace

void dispose(Type* type) {
  Py_XDECREF(type->shape);
  delete type;
}

void dispose(Operation* operation) {
  Py_XDECREF(operation->owner);
  delete operation;
}

void dispose(Array* array) {
  if (array->owner != nullptr)
    Py_DECREF(array->owner);
  else
    std::free(array->data);
  delete array;
}

void dispose(Node* node) {
  std::vector<Node*> unused{node};
  dispose_all(unused);
}

void forget_sources(Node* node) {
  std::vector<Node*> unused;
  release_sources(node, unused);
  dispose_all(unused);
  node->operation = Ref<Operation>();
  node->size = 1;
  node->flags = 0;
}

Ref<Type> type_of(harp_dtype dtype, int32_t rank, const int64_t* dims) {
  const uint64_t hash = hash_of(dims, static_cast<size_t>(rank), mix(static_cast<uint64_t>(dtype), static_cast<uint64_t>(rank)));
  if (Type* known = types().find(hash, [&](const Type& t) {
        return t.dtype == dtype && t.rank == rank && std::equal(dims, dims + rank, t.dims);
      }))
    return Ref<Type>(known);
  Ref<Type> type(new Type);
  type->dtype = dtype;
  type->rank = rank;
  type->count = 1;
  std::copy(dims, dims + rank, type->dims);
  for (int32_t i = 0; i < rank; ++i) {
    type->symbolic |= dims[i] < 0;
    type->count *= static_cast<size_t>(dims[i]);
  }
  if (type->symbolic) type->count = 0;
  type->bytes = type->count * harp_dtype_size(dtype);
  types().add(hash, type);
  return type;
}

Ref<Array> new_array(Ref<Type> type) {
  Ref<Array> array(new Array);
  if (type->bytes != 0) {
    array->data = std::aligned_alloc(64, (type->bytes + 63) / 64 * 64);
    if (array->data == nullptr)
      throw Failure(HARP_ERROR_OUT_OF_MEMORY, "no memory for an array of " + std::to_string(type->bytes) + " bytes");
  }
  array->type = std::move(type);
  return array;
}

Ref<Node> leaf(Ref<Array> array) {
  Ref<Node> node(new Node);
  node->type = array->type;
  node->size = static_cast<uint32_t>(1 + std::min<size_t>(array->type->bytes / kBytesPerNode, UINT32_MAX - 1));
  node->value = std::move(array);
  return node;
}

Ref<Node> input(Ref<Type> type, bool weak) {
  Ref<Node> node = new_node(special(kInput, {static_cast<int64_t>(type->id)}, {}, {type}), {});
  node->flags = static_cast<uint8_t>(Node::kInputs | (weak ? Node::kWeak : 0));
  return node;
}

Ref<Node> constant(harp_dtype dtype, uint64_t low, uint64_t high) {
  Ref<Node> node = new_node(special(kConstant, {dtype}, {}, {type_of(dtype, 0, nullptr)}), {});
  node->number[0] = low;
  node->number[1] = high;
  return node;
}

Ref<Node> size_node(harp_dim dim) {
  Ref<Node> node = new_node(special(kSize, {dim}, {}, {type_of(HARP_I64, 0, nullptr)}), {});
  node->flags = Node::kInputs | Node::kWeak;
  return node;
}

Ref<Node> result(Node* several, int64_t which) {
  Node* const sources[] = {several};
  const Ref<Type> type = several->operation->results[static_cast<size_t>(which)];
  // The source has no single type. Instead, the words contain the id of its operation, so that equal results of one operation are interned
  // as one.
  Ref<Operation> operation(new Operation);
  const Words words{which, static_cast<int64_t>(several->operation->id)};
  operation = special(kResult, words, {}, {type});
  return new_node(std::move(operation), sources);
}

Ref<Node> apply(int32_t index, const Words& words, std::span<Node* const> sources, _object* owner) {
  if (index == kTracer) {
    Ref<Node> node = new_node(special(kTracer, {}, sources, {sources[0]->type}), sources);
    return node;
  }
  if (index == kGradient) {
    std::vector<Ref<Type>> results;
    const auto xs = static_cast<size_t>(words[0]), passed = static_cast<size_t>(words[1]);
    for (size_t i = 0; i < xs; ++i) results.push_back(sources[1 + i]->type);
    results.push_back(sources[0]->type);
    for (size_t i = 0; i < passed; ++i) results.push_back(sources[1 + xs + i]->type);
    Ref<Node> node = new_node(special(kGradient, words, sources, std::move(results)), sources);
    node->flags |= Node::kGradients;
    return node;
  }
  Ref<Node> node = new_node(intern_operation(index, words, sources, owner, [&] { return infer(index, words, sources); }), sources);
  static const int32_t kStopGradient = operation_named("stop_gradient");
  if (index == kStopGradient) node->levels = 0;  // gradients treat the result as a constant
  return node;
}

}  // namespace harp_python
