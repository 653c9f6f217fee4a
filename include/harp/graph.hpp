// Defines explicit graphs in C++: the classes Graph and Program. Part of harp.hpp.
#ifndef HARP_GRAPH_HPP
#define HARP_GRAPH_HPP

#include <harp/node.hpp>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// An array in memory that a program reads or writes. It does not own the elements, which must stay valid during the call.
template <class T>
struct ArrayView {
  T* data = nullptr;
  Sizes dims;
  DType dtype = DType::unknown;

  ArrayView() = default;
  ArrayView(T* elements, const Sizes& sizes, DType type) : data(elements), dims(sizes), dtype(type) {}
  template <class U, class = std::enable_if_t<!std::is_void_v<U> && std::is_convertible_v<U*, T*>>>
  ArrayView(U* elements, const Sizes& sizes) : data(elements), dims(sizes), dtype(dtype_of<U>) {}

  int32_t rank() const { return dims.count(); }
  /// The number of elements.
  size_t size() const {
    size_t elements = 1;
    for (int32_t i = 0; i < dims.count(); ++i) elements *= static_cast<size_t>(dims[i]);
    return elements;
  }
};
using Array = ArrayView<void>;
using ConstArray = ArrayView<const void>;

/// A compiled graph.
class Program {
 public:
  Program() = default;
  explicit Program(harp_program* owned) : handle_(owned) {}
  harp_program* get() const { return handle_.get(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

  size_t input_count() const { return harp_program_input_count(get()); }
  size_t output_count() const { return harp_program_output_count(get()); }
  /// The signature as text: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096"
  std::string signature() const {
    detail::Out err;
    return detail::take_string(harp_program_signature(get(), err), err);
  }
  /// The generated C source.
  std::string source() const {
    detail::Out err;
    return detail::take_string(harp_program_source(get(), err), err);
  }
  harp_program_stats_info stats() const {
    detail::Out err;
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    harp_program_stats(get(), &stats, err);
    err.raised();
    return stats;
  }

  /// Runs the program on buffers and returns new outputs; empty after an error.
  std::vector<Buffer> run(std::initializer_list<Buffer> inputs, const RunOptions& options = {}) const {
    return run(Span<const Buffer>(inputs.begin(), inputs.size()), options);
  }
  std::vector<Buffer> run(Span<const Buffer> inputs, const RunOptions& options = {}) const {
    std::vector<harp_buffer*> in, out(output_count(), nullptr);
    for (const Buffer& buffer : inputs) in.push_back(buffer.get());
    detail::Out err;
    harp_program_run(get(), in.size(), in.data(), out.size(), out.data(), &options, err);
    std::vector<Buffer> outputs;
    if (err.raised()) return outputs;
    for (harp_buffer* buffer : out) outputs.emplace_back(buffer);
    return outputs;
  }

  /// Runs the program on arrays that the caller provides, including the outputs. False after an error.
  bool call(std::initializer_list<ConstArray> inputs, std::initializer_list<Array> outputs, const RunOptions& options = {}) const {
    std::vector<harp_const_array> in;
    std::vector<harp_array> out;
    for (const ConstArray& array : inputs) in.push_back({array.data, array.dims.data(), raw(array.dtype), array.rank()});
    for (const Array& array : outputs) out.push_back({array.data, array.dims.data(), raw(array.dtype), array.rank()});
    detail::Out err;
    harp_program_call(get(), in.size(), in.data(), out.size(), out.data(), &options, err);
    return !err.raised();
  }

  /// Returns the compiled program as a C function, or nullptr after an error. The function checks nothing: harp.h (harp_entry_point) says
  /// what its caller must ensure.
  harp_entry_point entry() const {
    detail::Out err;
    harp_entry_point function = harp_program_entry(get(), err);
    return err.raised() ? nullptr : function;
  }
  harp_entry_point_ex entry_ex() const {
    detail::Out err;
    harp_entry_point_ex function = harp_program_entry_ex(get(), err);
    return err.raised() ? nullptr : function;
  }

 private:
  detail::Handle<harp_program> handle_;
};

/// A graph of operations, built explicitly.
class Graph {
 public:
  Graph() = default;
  explicit Graph(harp_graph* owned) : handle_(owned) {}
  /// flags: HARP_GRAPH_BROADCAST and so on.
  explicit Graph(const Context& context, uint32_t flags = HARP_GRAPH_BROADCAST) {
    detail::Out err;
    handle_ = detail::Handle<harp_graph>(harp_graph_new(context.get(), flags, err));
    err.raised();
  }
  /// Parses harp's text format.
  static Graph parse(const Context& context, const std::string& text) {
    detail::Out err;
    harp_graph* graph = harp_graph_parse(context.get(), text.size(), text.data(), err);
    return err.raised() ? Graph() : Graph(graph);
  }
  harp_graph* get() const { return handle_.get(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

  /// A symbolic size, which each run chooses within min and max.
  Dim dim(const char* name, int64_t min, int64_t max) const { return detail::dim_of(get(), harp_dim_var(get(), name, min, max)); }
  Node input(const char* name, DType dtype, const Sizes& dims = {}) const {
    return node(harp_input(get(), name, raw(dtype), dims.count(), dims.data()));
  }
  void output(const char* name, const Node& node) const {
    if (harp_output(get(), name, node.get()) != HARP_OK) detail::raise_mistake(get());
  }
  /// A constant of rank 0.
  template <class T, class = std::enable_if_t<detail::is_number<T>>>
  Node constant(T value, DType dtype = dtype_of<T>) const {
    return constant_of(detail::Number(value), dtype);
  }
  /// A constant array of plain sizes; its elements are copied.
  template <class T>
  Node constant_array(Span<const T> values, const Sizes& dims) const {
    return node(harp_constant_array(get(), raw(dtype_of<T>), dims.count(), dims.data(), values.size() * sizeof(T), values.data()));
  }
  /// A node of rank 0 and dtype i64 whose element is the value of a size, which may be symbolic.
  Node size(const Dim& dim) const { return node(harp_size(get(), dim.get())); }
  Node arange(DType dtype, const Dim& start, const Dim& stop, int64_t step = 1) const {
    return node(harp_arange(get(), raw(dtype), start.get(), stop.get(), step));
  }
  Node linspace(DType dtype, double start, double stop, const Dim& count) const {
    return node(harp_linspace(get(), raw(dtype), start, stop, count.get()));
  }
  Node eye(DType dtype, const Dim& rows, const Dim& columns) const { return node(harp_eye(get(), raw(dtype), rows.get(), columns.get())); }
  Node zeros(DType dtype, const Sizes& dims) const { return full(dtype, dims, 0); }
  Node ones(DType dtype, const Sizes& dims) const { return full(dtype, dims, 1); }
  template <class T>
  Node full(DType dtype, const Sizes& dims, T value) const {
    return node(harp_full(constant(value, dtype).get(), dims.count(), dims.data()));
  }

  /// custom_function without inputs: a function of the element's indices (functions.hpp).
  Node custom_function(const Text& body, DType dtype, const Sizes& dims) const;

  size_t node_count() const { return harp_graph_node_count(get()); }
  /// Frees every node on which neither the nodes `kept` nor an output depends. The freed handles must not be used again.
  void drop_unreachable(std::initializer_list<Node> kept) const {
    std::vector<harp_node*> nodes;
    for (const Node& node : kept) nodes.push_back(node.get());
    detail::Out err;
    harp_graph_drop_unreachable(get(), static_cast<int32_t>(nodes.size()), nodes.data(), err);
    err.raised();
  }
  std::string print() const {
    detail::Out err;
    return detail::take_string(harp_graph_print(get(), err), err);
  }

  /// Compiles a program whose outputs are the outputs of the graph.
  Program compile(const CompileOptions& options = {}) const {
    detail::Out err;
    harp_program* program = harp_compile(get(), &options, err);
    return err.raised() ? Program() : Program(program);
  }
  /// Compiles a program whose outputs are these nodes. Its inputs are those on which the nodes depend, in the order of their declaration.
  Program compile(std::initializer_list<Node> outputs, const CompileOptions& options = {}) const {
    std::vector<harp_node*> nodes;
    for (const Node& node : outputs) nodes.push_back(node.get());
    detail::Out err;
    harp_program* program = harp_compile_nodes(get(), static_cast<int32_t>(nodes.size()), nullptr, nodes.data(), &options, err);
    return err.raised() ? Program() : Program(program);
  }

  /// A number as a constant of any dtype.
  Node constant_of(const detail::Number& number, DType dtype) const { return node(detail::constant_node(get(), number, dtype)); }

 private:
  Node node(harp_node* made) const {
    if (made == nullptr) detail::raise_mistake(get());
    return made;
  }

  detail::Handle<harp_graph> handle_;
};

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_GRAPH_HPP
