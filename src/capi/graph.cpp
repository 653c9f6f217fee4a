// Implements the C functions of harp.h for graphs: creation, symbolic sizes, inputs and outputs, queries about nodes, the text format and
// DOT.
#include "graph/graph.h"

#include <cmath>

#include "capi/building.h"
#include "grad/operation.h"
#include "graph/dot.h"
#include "graph/text.h"
#include "graph/text_lexer.h"

using namespace harp;
using namespace harp::capi;

harp_graph* harp_graph_new(harp_context* context, uint32_t flags, harp_error** err) {
  return guard(err, [&] {
    required(context, "harp_graph_new", "context");
    HARP_CHECK((flags & ~(HARP_GRAPH_BROADCAST | HARP_GRAPH_PROMOTE | HARP_GRAPH_PROMOTE_MIXED)) == 0, Code::kInvalidArgument,
               "harp_graph_new: unknown flags ", flags,
               "; expected 0 or a combination of HARP_GRAPH_BROADCAST, HARP_GRAPH_PROMOTE and HARP_GRAPH_PROMOTE_MIXED");
    GraphOptions options;
    options.broadcast = (flags & HARP_GRAPH_BROADCAST) != 0;
    options.promotion = (flags & HARP_GRAPH_PROMOTE_MIXED) != 0 ? Promotion::kMixed
                        : (flags & HARP_GRAPH_PROMOTE) != 0     ? Promotion::kArrayApi
                                                                : Promotion::kNone;
    return new harp_graph(context, std::make_unique<Graph>(options));
  });
}

harp_status harp_graph_set_name(harp_graph* graph, const char* name, harp_error** err) {
  return guard_status(err, [&] {
    required(graph, "harp_graph_set_name", "graph");
    required(name, "harp_graph_set_name", "name");
    HARP_CHECK(*name != '\0', Code::kInvalidArgument, "harp_graph_set_name: the name is empty");
    graph->graph->set_name(name);
  });
}

const harp_error* harp_graph_error(const harp_graph* graph) { return graph != nullptr ? graph->error : nullptr; }
harp_error* harp_graph_take_error(harp_graph* graph) { return graph != nullptr ? std::exchange(graph->error, nullptr) : nullptr; }

size_t harp_graph_node_count(const harp_graph* graph) { return graph != nullptr ? graph->graph->nodes().size() : 0; }

harp_status harp_graph_drop_unreachable(harp_graph* graph, int32_t n, harp_node* const* nodes, harp_error** err) {
  return guard_status(err, [&] {
    required(graph, "harp_graph_drop_unreachable", "graph");
    HARP_CHECK(n >= 0 && (nodes != nullptr || n == 0), Code::kInvalidArgument,
               "harp_graph_drop_unreachable: expected a list of nodes, got ",
               n < 0 ? cat("a list of length ", n) : cat("NULL, and length ", n));
    std::vector<NodeRef> kept;
    for (int32_t i = 0; i < n; ++i) {
      HARP_CHECK(nodes[i] != nullptr && nodes[i]->graph == graph, Code::kInvalidArgument, "harp_graph_drop_unreachable: node ", i,
                 nodes[i] == nullptr ? " is NULL" : " belongs to another graph");
      kept.push_back(nodes[i]->node);
    }
    if (graph->error == nullptr) graph->keep_only(kept);
  });
}

// Symbolic sizes

namespace {

template <class Body>
harp_dim dim_in(const char* function, harp_graph* graph, Body&& body) noexcept {
  harp_dim dim = HARP_DIM_INVALID;
  change_graph(graph, [&] { dim = called_as(function, [&] { return graph->dims.encode(body()); }); });
  return dim;
}

harp_dim combine(const char* function, harp_graph* graph, harp_dim a, harp_dim b, Dim (*operation)(Dim, Dim)) noexcept {
  return dim_in(function, graph, [&] { return operation(graph->dims.decode(a), graph->dims.decode(b)); });
}

}  // namespace

harp_dim harp_dim_var(harp_graph* graph, const char* name, int64_t min, int64_t max) {
  return dim_in("harp_dim_var", graph, [&] {
    required(name, "harp_dim_var", "name");
    text::check_variable_name("harp_dim_var", name);
    HARP_CHECK(0 <= min && min <= max, Code::kRange, "harp_dim_var: ", name, " in ", min, "..", max, ", expected 0 <= min <= max");
    return graph->graph->dims().variable(name, min, max);
  });
}

harp_dim harp_dim_add(harp_graph* graph, harp_dim a, harp_dim b) {
  return combine("harp_dim_add", graph, a, b, [](Dim x, Dim y) { return x + y; });
}
harp_dim harp_dim_sub(harp_graph* graph, harp_dim a, harp_dim b) {
  return combine("harp_dim_sub", graph, a, b, [](Dim x, Dim y) { return x - y; });
}
harp_dim harp_dim_mul(harp_graph* graph, harp_dim a, harp_dim b) {
  return combine("harp_dim_mul", graph, a, b, [](Dim x, Dim y) { return x * y; });
}
harp_dim harp_dim_floor_div(harp_graph* graph, harp_dim a, harp_dim b) { return combine("harp_dim_floor_div", graph, a, b, &floor_div); }
harp_dim harp_dim_mod(harp_graph* graph, harp_dim a, harp_dim b) { return combine("harp_dim_mod", graph, a, b, &mod); }
harp_dim harp_dim_min(harp_graph* graph, harp_dim a, harp_dim b) {
  return combine("harp_dim_min", graph, a, b, [](Dim x, Dim y) { return min(x, y); });
}
harp_dim harp_dim_max(harp_graph* graph, harp_dim a, harp_dim b) {
  return combine("harp_dim_max", graph, a, b, [](Dim x, Dim y) { return max(x, y); });
}

harp_string* harp_dim_print(const harp_graph* graph, harp_dim dim, harp_error** err) {
  return guard(err, [&] {
    required(graph, "harp_dim_print", "graph");
    HARP_CHECK(dim != HARP_DIM_INVALID, Code::kInvalidArgument, "harp_dim_print: the size is HARP_DIM_INVALID");
    return new harp_string{to_string(graph->dims.decode(dim))};
  });
}

// Inputs and outputs

harp_node* harp_input(harp_graph* graph, const char* name, harp_dtype dtype, int32_t rank, const harp_dim* dims) {
  return build_in("input", graph, [&](Graph& g) {
    required(name, "input", "name");
    return g.add_input(name, dtype_argument("input", dtype), sizes_argument("input", *graph, rank, dims));
  });
}

harp_status harp_output(harp_graph* graph, const char* name, harp_node* node) {
  return change_graph(graph, [&] {
    required(name, "output", "name");
    if (node == nullptr) fail(Code::kInvalidArgument, "output \"", name, "\": the node is NULL");
    if (node->graph != graph) {
      const std::string message = cat("output \"", name, "\": ", node->graph->graph->describe(node->node), " belongs to another graph (\"",
                                      node->graph->graph->name(), "\")");
      node->graph->mark(make_error(Code::kInvalidArgument, message));
      fail(Code::kInvalidArgument, message);
    }
    graph->graph->add_output(name, node->node);
  });
}

// Constants

namespace {

template <class Int>
harp_node* integer_constant(harp_graph* graph, harp_dtype dtype, Int value) {
  return build_in("constant", graph, [&](Graph& g) {
    if (dtype == HARP_UNKNOWN) return build::bare_integer(g, value);
    const DType type = dtype_argument("constant", dtype);
    HARP_CHECK(int_fits(type, value), Code::kRange, "constant: ", value, " does not fit ", name(type));
    return build::constant(g, scalar_from_int(type, value));
  });
}

}  // namespace

harp_node* harp_constant(harp_graph* graph, harp_dtype dtype, double value) {
  return build_in("constant", graph, [&](Graph& g) {
    if (dtype != HARP_UNKNOWN) return build::constant(g, scalar_argument("constant", dtype_argument("constant", dtype), value));
    constexpr double kBeyond = 0x1p63;
    HARP_CHECK(value == std::trunc(value) && value >= -kBeyond && value < kBeyond, Code::kRange, "constant: ", value,
               " without a dtype; only an integer takes the dtype of the other operand");
    return build::bare_integer(g, static_cast<WideInt>(value));
  });
}
harp_node* harp_constant_i64(harp_graph* graph, harp_dtype dtype, int64_t value) { return integer_constant(graph, dtype, value); }
harp_node* harp_constant_u64(harp_graph* graph, harp_dtype dtype, uint64_t value) { return integer_constant(graph, dtype, value); }

harp_node* harp_constant_bool(harp_graph* graph, int32_t value) {
  return build_in("constant", graph, [&](Graph& g) { return build::constant(g, Scalar::of(DType::kBool, value != 0)); });
}

harp_node* harp_constant_complex(harp_graph* graph, harp_dtype dtype, double re, double im) {
  return build_in("constant", graph, [&](Graph& g) {
    const DType type = dtype_argument("constant", dtype);
    HARP_CHECK(is_complex(type), Code::kDType, "constant: ", name(type), " is not a complex dtype");
    const Scalar real = scalar_argument("constant", real_dtype(type), re);
    return build::constant(g, complex_scalar(real, scalar_argument("constant", real_dtype(type), im)));
  });
}

harp_node* harp_constant_array(harp_graph* graph, harp_dtype dtype, int32_t rank, const harp_dim* dims, size_t size, const void* data) {
  return build_in("constant_array", graph, [&](Graph& g) {
    const DType type = dtype_argument("constant_array", dtype);
    const Shape shape = sizes_argument("constant_array", *graph, rank, dims);
    std::vector<int64_t> sizes;
    for (const Dim& dim : shape) {
      HARP_CHECK(dim.is_constant(), Code::kShape, "constant_array: the shape ", to_string(shape), " must have constant sizes");
      sizes.push_back(dim.constant());
    }
    const size_t bytes = byte_count(type, sizes);
    HARP_CHECK(size == bytes, Code::kShape, "constant_array: data has ", size, " bytes, but ", to_string(ArrayType{type, sizes}), " has ",
               bytes);
    HARP_CHECK(data != nullptr || bytes == 0, Code::kInvalidArgument, "constant_array: data is NULL");
    return build::constant_array(g, type, shape, std::span(static_cast<const std::byte*>(data), bytes));
  });
}

harp_node* harp_size(harp_graph* graph, harp_dim dim) {
  return build_in("size", graph, [&](Graph& g) { return build::size(g, graph->dims.decode(dim)); });
}

// Nodes

int32_t harp_node_rank(const harp_node* node) { return node != nullptr ? node->node->rank() : 0; }
harp_dtype harp_node_dtype(const harp_node* node) { return node != nullptr ? static_cast<harp_dtype>(node->node->dtype) : 0; }
harp_graph* harp_node_graph(const harp_node* node) { return node != nullptr ? node->graph : nullptr; }

const char* harp_node_name(const harp_node* node) {
  // The name is a std::string or a string literal, so a zero byte follows it.
  return node != nullptr ? node->graph->graph->node_name(node->node).data() : "";
}

// The name is a string literal, so a zero byte follows it.
const char* harp_node_op(const harp_node* node) { return node != nullptr ? name(node->node->op).data() : ""; }

int32_t harp_node_source_count(const harp_node* node) { return node != nullptr ? static_cast<int32_t>(node->node->sources.size()) : 0; }

harp_node* harp_node_source(const harp_node* node, int32_t index) {
  if (node == nullptr || index < 0 || index >= harp_node_source_count(node)) return nullptr;
  try {
    return node->graph->wrap(node->node->sources[static_cast<size_t>(index)]);
  } catch (...) {
    return nullptr;  // out of memory
  }
}

harp_string* harp_node_attributes(const harp_node* node, harp_error** err) {
  return guard(err, [&] { return new harp_string{print_attributes(*required(node, "harp_node_attributes", "node").node)}; });
}

harp_status harp_node_dims(const harp_node* node, int32_t rank, harp_dim* dims, harp_error** err) {
  return guard_status(err, [&] {
    const Node& made = *required(node, "harp_node_dims", "node").node;
    HARP_CHECK(rank == made.rank(), Code::kShape, "harp_node_dims: rank is ", rank, ", but ", node->graph->graph->describe(&made), " has ",
               made.rank(), " axes");
    HARP_CHECK(dims != nullptr || made.rank() == 0, Code::kInvalidArgument, "harp_node_dims: dims is NULL");
    std::vector<harp_dim> encoded;
    for (const Dim& dim : made.shape) encoded.push_back(node->graph->dims.encode(dim));
    std::copy(encoded.begin(), encoded.end(), dims);
  });
}

harp_node* harp_node_set_name(harp_node* node, const char* name) {
  if (node == nullptr) return nullptr;
  const harp_status status = change_graph(node->graph, [&] {
    required(name, "harp_node_set_name", "name");
    node->graph->graph->set_node_name(node->node, name);
  });
  return status == HARP_OK ? node : nullptr;
}

// The C functions that print and parse the text format, and that print a graph in DOT.

harp_string* harp_graph_print(const harp_graph* graph, harp_error** err) {
  return guard(err, [&] { return new harp_string{print_graph(*required(graph, "harp_graph_print", "graph").graph)}; });
}

harp_graph* harp_graph_parse(harp_context* context, size_t size, const char* text, harp_error** err) {
  return guard(err, [&] {
    required(context, "harp_graph_parse", "context");
    HARP_CHECK(text != nullptr || size == 0, Code::kInvalidArgument, "harp_graph_parse: text is NULL");
    return new harp_graph(context, parse_graph(std::string_view(text, size), grad::text_operations()));
  });
}

harp_string* harp_graph_dot(const harp_graph* graph, harp_error** err) {
  return guard(err, [&] { return new harp_string{to_dot(*required(graph, "harp_graph_dot", "graph").graph)}; });
}

// The C functions for NumPy's broadcasting of shapes without symbolic sizes.

namespace {

/// Checks a list of sizes or indices, which must not be negative. `one` and `many` are the words for them in messages ("size", "sizes").
std::span<const int64_t> plain_numbers(const char* function, const char* one, const char* many, int32_t rank, const int64_t* numbers) {
  HARP_CHECK(rank >= 0 && rank <= kMaxRank, Code::kShape, function, ": the rank is ", rank, ", expected 0..", kMaxRank);
  HARP_CHECK(numbers != nullptr || rank == 0, Code::kInvalidArgument, function, ": a list of ", many, " is NULL");
  for (int32_t i = 0; i < rank; ++i)
    HARP_CHECK(numbers[i] >= 0, Code::kRange, function, ": ", one, " ", i, " is ", numbers[i], ", expected at least 0");
  return {numbers, static_cast<size_t>(rank)};
}

std::span<const int64_t> plain_shape(const char* function, int32_t rank, const int64_t* dims) {
  return plain_numbers(function, "size", "sizes", rank, dims);
}

}  // namespace

harp_status harp_broadcast_shapes(int32_t a_rank, const int64_t* a_dims, int32_t b_rank, const int64_t* b_dims, int64_t* dims,
                                  harp_error** err) {
  return guard_status(err, [&] {
    const std::span<const int64_t> a = plain_shape("harp_broadcast_shapes", a_rank, a_dims);
    const std::span<const int64_t> b = plain_shape("harp_broadcast_shapes", b_rank, b_dims);
    const Shape result = build::broadcast_shapes(Shape(a.begin(), a.end()), Shape(b.begin(), b.end()));
    HARP_CHECK(dims != nullptr || result.empty(), Code::kInvalidArgument, "harp_broadcast_shapes: dims is NULL");
    for (size_t i = 0; i < result.size(); ++i) dims[i] = result[i].constant();
  });
}

harp_status harp_broadcast_index(int32_t result_rank, const int64_t* index, int32_t rank, const int64_t* dims, int64_t* source,
                                 harp_error** err) {
  return guard_status(err, [&] {
    const std::span<const int64_t> from = plain_numbers("harp_broadcast_index", "index", "indices", result_rank, index);
    const std::span<const int64_t> sizes = plain_shape("harp_broadcast_index", rank, dims);
    HARP_CHECK(rank <= result_rank, Code::kShape, "harp_broadcast_index: an array of rank ", rank, " does not broadcast to rank ",
               result_rank);
    HARP_CHECK(source != nullptr || rank == 0, Code::kInvalidArgument, "harp_broadcast_index: source is NULL");
    const size_t missing = from.size() - sizes.size();
    for (size_t i = 0; i < sizes.size(); ++i)
      HARP_CHECK(sizes[i] == 1 || from[missing + i] < sizes[i], Code::kRange, "harp_broadcast_index: index ", from[missing + i],
                 " is outside axis ", i, " of size ", sizes[i]);
    for (size_t i = 0; i < sizes.size(); ++i) source[i] = sizes[i] == 1 ? 0 : from[missing + i];
  });
}
