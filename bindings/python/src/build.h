// Builds single operations of the trace in a harp graph.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "operations.h"
#include "trace.h"

namespace harp_python {

/// Reads the encoded arguments of an operation one after the other, in the order in which arguments.cpp wrote them.
class Reader {
 public:
  Reader(harp_graph* graph, const Words& words, std::span<harp_node* const> sources) : graph_(graph), word_(words.data()), source_(sources.data()) {}

  template <class T>
  struct List {  // `data` is NULL if the caller gave no list
    int32_t n;
    const T* data;
  };

  harp_graph* graph() const { return graph_; }
  harp_node* node() { return *source_++; }
  harp_node* optional_node() { return *word_++ != 0 ? *source_++ : nullptr; }
  List<harp_node*> nodes();
  int64_t integer() { return *word_++; }
  harp_dim size() { return *word_++; }
  double real();
  const double* optional_real();
  const char* text();
  uintptr_t address() { return static_cast<uintptr_t>(*word_++); }
  List<int32_t> axes();
  List<int64_t> longs();
  List<harp_dim> sizes() { return longs(); }
  List<double> reals();
  /// Returns the largest of the counts. The lists must have the same length, or be missing.
  static int32_t count(std::initializer_list<int32_t> counts) { return std::max(counts); }

 private:
  harp_graph* graph_;
  const int64_t* word_;
  harp_node* const* source_;
  std::vector<std::vector<int32_t>> axes_;
  double real_ = 0;
};

/// The attributes of an operation (Words, trace.h) contain a number instead of a text. Equal texts have equal numbers; -1 means that there
/// is no text.
int64_t text_number(std::string_view text);
const char* text_of_number(int64_t number);

/// Tests whether an attribute of the operation is a symbolic size.
bool has_symbolic_size(int32_t index, const Words& words);

/// Returns the types of an operation's results. Throws harp's error if the operation is not valid.
std::vector<Ref<Type>> infer(int32_t index, const Words& words, std::span<Node* const> sources);

/// Builds the operation in a harp graph. Throws harp's error if it is not valid.
void build_operation(harp_graph* graph, int32_t index, const Words& words, std::span<harp_node* const> sources, Nodes& out);

/// Declares an input of the graph. Its name is derived from `number`.
harp_node* declare(harp_graph* graph, const Type& type, size_t number);
/// Returns the type of a node of the graph.
Ref<Type> type_of_node(const harp_node* node);

}  // namespace harp_python
