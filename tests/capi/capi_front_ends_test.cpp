// Tests the functions of harp.h that bindings need: taking a graph's error without side effects, compiling some of the nodes of a growing
// graph, queries about nodes, and calls with plain arrays.
#include <cstring>
#include <set>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

harp_node* input(harp_graph* graph, const char* name, std::vector<harp_dim> dims, harp_dtype dtype = HARP_F32) {
  return harp_input(graph, name, dtype, static_cast<int32_t>(dims.size()), dims.data());
}

std::string taken(harp_graph* graph) {
  const Error error(harp_graph_take_error(graph));
  return harp_error_message(error.get());
}

Program compile_nodes(harp_graph* graph, std::vector<harp_node*> nodes, const char* backend, ErrorSlot& err,
                      std::vector<const char*> names = {}) {
  // sets no target, so the program is compiled for this CPU, whatever CPU HARP_MACHINE names; the tests run it
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = backend;
  return Program(
      harp_compile_nodes(graph, static_cast<int32_t>(nodes.size()), names.empty() ? nullptr : names.data(), nodes.data(), &options, err));
}

harp_digest digest(std::vector<harp_node*> nodes) {
  harp_digest result{0, 0};
  ErrorSlot err;
  CHECK(harp_nodes_digest(static_cast<int32_t>(nodes.size()), nodes.data(), &result, err) == HARP_OK);
  return result;
}
bool same(harp_digest a, harp_digest b) { return a.high == b.high && a.low == b.low; }

template <class T>
harp_const_array source(const std::vector<T>& values, const std::vector<int64_t>& dims, harp_dtype dtype) {
  return {values.data(), dims.data(), dtype, static_cast<int32_t>(dims.size())};
}
template <class T>
harp_array target(std::vector<T>& values, const std::vector<int64_t>& dims, harp_dtype dtype) {
  return {values.data(), dims.data(), dtype, static_cast<int32_t>(dims.size())};
}

}  // namespace

TEST_CASE("C3.take_error: a mistake is taken, the graph goes on, and nothing of the failed call is left") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_node *x = input(graph.get(), "x", {3}), *y = input(graph.get(), "y", {4});
  CHECK(harp_graph_take_error(graph.get()) == nullptr);
  CHECK(harp_graph_take_error(nullptr) == nullptr);
  const size_t nodes = harp_graph_node_count(graph.get());
  CHECK(nodes == 2);
  CHECK(harp_add(x, y) == nullptr);
  CHECK(harp_neg(x) == nullptr);  // fails, because the graph still keeps the error of harp_add
  CHECK(taken(graph.get()).starts_with("add: operands have shapes [3] and [4]"));
  CHECK(harp_graph_error(graph.get()) == nullptr);
  CHECK(harp_graph_node_count(graph.get()) == nodes);

  // The next operations detect a mistake when they have already created nodes. These nodes must be removed again.
  harp_node* parts[3] = {nullptr, nullptr, nullptr};
  harp_node* both[] = {x, y};
  CHECK(harp_softmax(x, 5) == nullptr);
  CHECK(taken(graph.get()).starts_with("softmax: axis 5"));
  CHECK(harp_einsum("i,i->", 2, both) == nullptr);
  CHECK(taken(graph.get()).starts_with("einsum: "));
  CHECK(harp_split(y, 3, 0, parts) != HARP_OK);
  CHECK(taken(graph.get()).starts_with("split: "));
  CHECK(parts[0] == nullptr);
  CHECK(harp_layer_norm(x, 0, nullptr, y, nullptr, 1e-5) == nullptr);
  CHECK(taken(graph.get()).starts_with("layer_norm: "));
  CHECK(input(graph.get(), "x", {3}) == nullptr);
  CHECK(taken(graph.get()) == "input: the graph already has an input called \"x\"");
  CHECK(harp_graph_node_count(graph.get()) == nodes);

  // After the graph's error has been taken, inputs of the same names and the same nodes can be created.
  CHECK(input(graph.get(), "bad", {-5}) == nullptr);
  CHECK(taken(graph.get()) != "");
  harp_node* z = input(graph.get(), "bad", {3});
  REQUIRE(z != nullptr);
  CHECK(harp_output(graph.get(), "sum", harp_add(x, z)) == HARP_OK);
  CHECK(harp_output(graph.get(), "sum", z) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(taken(graph.get()).find("sum") != std::string::npos);
  const Program program = compile(graph.get(), "interp");
  CHECK(take(harp_program_signature(program.get(), nullptr)).starts_with("graph(x: f32[3], y: f32[4], bad: f32[3]) -> sum: f32[3]"));

  // An operation on nodes of two graphs leaves an error in both.
  const Graph other = make_graph(context.get());
  CHECK(harp_add(x, input(other.get(), "x", {3})) == nullptr);
  CHECK(taken(graph.get()).find("different graphs") != std::string::npos);
  CHECK(taken(other.get()).find("different graphs") != std::string::npos);
  CHECK(harp_add(x, z) != nullptr);
}

TEST_CASE("C3.compile_nodes/interp,c: a program of some nodes, with the inputs these depend on, while the graph goes on") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get(), HARP_GRAPH_BROADCAST);
  const harp_dim m = harp_dim_var(graph.get(), "m", 0, 100), n = harp_dim_var(graph.get(), "n", 0, 100);
  harp_node *unused = input(graph.get(), "unused", {m}), *a = input(graph.get(), "a", {n}), *b = input(graph.get(), "b", {n});
  harp_node* sum = harp_add(b, a);
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    ErrorSlot err;
    const Program program = compile_nodes(graph.get(), {sum, harp_mul(sum, b)}, backend, err);
    REQUIRE_MESSAGE(program != nullptr, err.message());
    const std::string signature = take(harp_program_signature(program.get(), nullptr));
    CHECK_MESSAGE(signature.starts_with("graph(input0: f32[n], input1: f32[n]) -> output0: f32[n]"), signature);
    CHECK_MESSAGE(signature.find(", output1: f32[n]") != std::string::npos, signature);
    CHECK_MESSAGE(signature.ends_with(" where n in 0..100"), signature);
    if (is_not_for_this_cpu(program.get())) continue;
    const std::vector<int64_t> dims = {3};
    const std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
    std::vector<float> s(3), p(3);
    const harp_const_array inputs[] = {source(x, dims, HARP_F32), source(y, dims, HARP_F32)};
    const harp_array outputs[] = {target(s, dims, HARP_F32), target(p, dims, HARP_F32)};
    CHECK_MESSAGE(harp_program_call(program.get(), 2, inputs, 2, outputs, nullptr, err) == HARP_OK, err.message());
    CHECK(s == std::vector<float>{11, 22, 33});
    CHECK(p == std::vector<float>{110, 440, 990});
  }
  harp_node* found[2] = {nullptr, nullptr};
  int32_t count = 0;
  CHECK(harp_nodes_inputs(1, &sum, 2, found, &count, nullptr) == HARP_OK);
  CHECK(count == 2);
  CHECK(found[0] == a);
  CHECK(found[1] == b);
  CHECK(harp_nodes_inputs(1, &unused, 0, nullptr, &count, nullptr) == HARP_OK);
  CHECK(count == 1);

  ErrorSlot names, null, foreign, twice, none;
  const Program named = compile_nodes(graph.get(), {sum}, "interp", names, {"total"});
  CHECK(take(harp_program_signature(named.get(), nullptr)).find("-> total: f32[n]") != std::string::npos);
  CHECK(compile_nodes(graph.get(), {sum, nullptr}, "interp", null) == nullptr);
  CHECK(null.message() == "harp_compile_nodes: node 1 is NULL");
  const Graph other = make_graph(context.get());
  CHECK(compile_nodes(graph.get(), {input(other.get(), "x", {3})}, "interp", foreign) == nullptr);
  CHECK(foreign.message() == "harp_compile_nodes: the nodes belong to another graph");
  CHECK(compile_nodes(graph.get(), {sum, sum}, "interp", twice, {"t", "t"}) == nullptr);
  CHECK(twice.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(compile_nodes(graph.get(), {}, "interp", none) == nullptr);
  CHECK(none.message() == "harp_compile_nodes: expected a list of at least one node, got a list of length 0");
  CHECK(harp_graph_error(graph.get()) == nullptr);
}

TEST_CASE("C3.digest G18: equal structures are one program, whatever inputs are called and whatever else a graph holds") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get()), other = make_graph(context.get());
  const auto shifted = [](harp_graph* g, const char* name, double by) {
    return harp_add(harp_exp(input(g, name, {8})), harp_constant(g, HARP_F32, by));
  };
  harp_node *first = shifted(graph.get(), "x", 1), *second = shifted(graph.get(), "another", 1), *third = shifted(graph.get(), "y", 2);
  harp_neg(input(other.get(), "something", {2}));
  harp_node* fourth = shifted(other.get(), "z", 1);
  harp_node_set_name(fourth, "named");
  CHECK(same(digest({first}), digest({second})));
  CHECK(same(digest({first}), digest({fourth})));
  CHECK(!same(digest({first}), digest({third})));
  CHECK(!same(digest({first}), digest({first, first})));
  CHECK(!same(digest({first, third}), digest({third, first})));
  ErrorSlot err;
  const Program one = compile_nodes(graph.get(), {first}, "interp", err), two = compile_nodes(other.get(), {fourth}, "interp", err);
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(one.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.cache == HARP_CACHE_NONE);
  CHECK(harp_program_stats(two.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.cache == HARP_CACHE_MEMORY);
  CHECK(harp_nodes_digest(1, nullptr, nullptr, err) == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("C3.introspection: a node tells its operation, its sources and its attributes") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, 100);
  harp_node* x = input(graph.get(), "x \"1\"", {n, 4});
  const int32_t axis = 1;
  harp_node* sum = harp_sum(harp_mul(x, harp_constant(graph.get(), HARP_F32, 2.5)), 1, &axis, 0);
  const auto attributes = [](harp_node* node) { return take(harp_node_attributes(node, nullptr)); };
  CHECK(std::string(harp_node_op(sum)) == "sum");
  CHECK(attributes(sum) == "axes=[1], order=lanes, product=true");
  REQUIRE(harp_node_source_count(sum) == 1);
  harp_node* product = harp_node_source(sum, 0);
  CHECK(std::string(harp_node_op(product)) == "mul");
  CHECK(attributes(product) == "");
  CHECK(harp_node_source(product, 0) == x);
  CHECK(attributes(harp_node_source(product, 1)) == "value=f32(2.5)");
  CHECK(attributes(x) == "name=\"x \\\"1\\\"\"");
  CHECK(std::string(harp_node_op(x)) == "input");
  CHECK(harp_node_source_count(x) == 0);
  CHECK(harp_node_source(x, 0) == nullptr);
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = "output0 = 1.0\noutput1 = 2", desc.graph = graph.get();
  const harp_dtype dtypes[] = {HARP_F32, HARP_I64};
  harp_node* results[2] = {};
  REQUIRE(harp_custom_function_results(0, nullptr, &desc, 2, dtypes, results) == HARP_OK);
  CHECK(attributes(results[1]) == "body=\"\"\"output0 = 1.0\noutput1 = 2\"\"\", dtype=[f32, i64], shape=[], result=1");
  CHECK(harp_node_source(product, -1) == nullptr);
  CHECK(harp_node_source(product, 2) == nullptr);
  CHECK(attributes(harp_size(graph.get(), n)) == "value=n");
  CHECK(std::string(harp_node_op(nullptr)).empty());
  CHECK(harp_node_source_count(nullptr) == 0);
  ErrorSlot err;
  CHECK(harp_node_attributes(nullptr, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("C3.drop_unreachable: a graph that is built for ever does not grow, and what is kept stays usable") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  const harp_dim n = harp_dim_var(graph.get(), "n", 0, 100);
  harp_node *x = input(graph.get(), "x", {n}), *one = harp_constant(graph.get(), HARP_F32, 1);
  harp_node* state = x;
  size_t most = 0;
  for (int step = 0; step < 200; ++step) {
    const std::string name = "forcing" + std::to_string(step);
    state = harp_add(harp_mul(state, one), harp_sin(input(graph.get(), name.c_str(), {n})));
    // A front end that has computed the state replaces its expression by an input with the computed values. The test does the same.
    const std::string next = "state" + std::to_string(step);
    state = input(graph.get(), next.c_str(), {n});
    harp_node* kept[] = {state, one, x};
    REQUIRE(harp_graph_drop_unreachable(graph.get(), 3, kept, nullptr) == HARP_OK);
    most = std::max(most, harp_graph_node_count(graph.get()));
  }
  CHECK(most == 3);
  CHECK(std::string(harp_node_name(x)) == "x");
  CHECK(std::string(harp_node_name(state)) == "state199");
  harp_dim size = 0;
  CHECK(harp_node_dims(state, 1, &size, nullptr) == HARP_OK);
  CHECK(size == n);

  // The names of dropped inputs can be used again. Outputs and what they are computed from are not dropped, and their handles stay valid.
  harp_node *again = input(graph.get(), "forcing7", {n}), *y = harp_mul(again, x), *dropped = harp_exp(state);
  REQUIRE(y != nullptr);
  CHECK(dropped != y);
  CHECK(harp_output(graph.get(), "y", harp_neg(y)) == HARP_OK);
  CHECK(harp_graph_drop_unreachable(graph.get(), 0, nullptr, nullptr) == HARP_OK);
  CHECK(harp_graph_node_count(graph.get()) == 4);
  CHECK(harp_node_source(y, 0) == again);
  CHECK(harp_mul(again, x) == y);
  CHECK(take(harp_graph_print(graph.get(), nullptr)).find("(x: f32[n in 0..100], forcing7: f32[n]) {") != std::string::npos);
  std::set<harp_node*> handles = {x, again, y};
  for (int i = 0; i < 10; ++i) handles.insert(harp_add(x, harp_constant(graph.get(), HARP_F32, i)));
  CHECK(handles.size() == 13);  // all 13 handles differ: new nodes reuse the handles of dropped nodes, but no two nodes share a handle

  ErrorSlot err;
  const Graph other = make_graph(context.get());
  harp_node* foreign[] = {input(other.get(), "x", {1})};
  CHECK(harp_graph_drop_unreachable(graph.get(), 1, foreign, err) == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(err.message() == "harp_graph_drop_unreachable: node 0 belongs to another graph");
}

TEST_CASE("C3.call/interp,c: arrays of the host's are computed on without buffers, and looked at as buffers are") {
  const Context context = make_context();
  // A program whose sizes are all known compares arrays with its signature first, and checks them one by one if they differ.
  for (const auto& [backend, rows] : {std::pair{"interp", "n"}, {"c", "n"}, {"interp", "2"}, {"c", "2"}}) {
    CAPTURE(backend);
    CAPTURE(rows);
    const std::string text = std::string("harp 1\ngraph g(x: f32[") + rows + ", 2], k: i64[]) {\n  return y = x * 2, c = k + 1\n}";
    const Graph graph = parse(context.get(), text.c_str());
    const Program program = compile(graph.get(), backend);
    if (is_not_for_this_cpu(program.get())) continue;
    const std::vector<float> x = {1, 2, 3, 4};
    const std::vector<int64_t> k = {41}, dims = {2, 2}, scalar = {}, flat = {4};
    std::vector<float> y(4, -1);
    std::vector<int64_t> c(1);
    const harp_const_array inputs[] = {source(x, dims, HARP_F32), source(k, scalar, HARP_I64)};
    const harp_array outputs[] = {target(y, dims, HARP_F32), target(c, scalar, HARP_I64)};
    harp_status last = HARP_OK;
    const auto call = [&](std::vector<harp_const_array> in, std::vector<harp_array> out) {
      ErrorSlot err;
      const harp_status status = harp_program_call(program.get(), in.size(), in.data(), out.size(), out.data(), nullptr, err);
      CHECK(status == err.code());
      last = status;
      return err.message();
    };
    CHECK(call({inputs[0], inputs[1]}, {outputs[0], outputs[1]}) == "");
    CHECK(y == std::vector<float>{2, 4, 6, 8});
    CHECK(c[0] == 42);
    y.assign(4, -1);
    CHECK(call({inputs[0]}, {outputs[0], outputs[1]}).find("2 inputs, but got 1") != std::string::npos);
    CHECK(call({inputs[0], inputs[1]}, {outputs[0]}).find("2 outputs, but got 1") != std::string::npos);
    CHECK(call({source(x, flat, HARP_F32), inputs[1]}, {outputs[0], outputs[1]}).find("\"x\"") != std::string::npos);
    CHECK(call({inputs[0], inputs[1]}, {target(y, flat, HARP_F32), outputs[1]}).find("\"y\"") != std::string::npos);
    harp_const_array bad = inputs[0];
    bad.dtype = 77;
    CHECK(call({bad, inputs[1]}, {outputs[0], outputs[1]}) == "harp_program_call: input 0: 77 is not a dtype");
    CHECK(last == HARP_ERROR_DTYPE);
    bad = inputs[0], bad.rank = 17;
    CHECK(call({bad, inputs[1]}, {outputs[0], outputs[1]}) == "harp_program_call: input 0: the rank is 17, expected 0..16");
    CHECK(last == HARP_ERROR_SHAPE);
    bad = inputs[0], bad.dims = nullptr;
    CHECK(call({bad, inputs[1]}, {outputs[0], outputs[1]}) == "harp_program_call: input 0: dims is NULL");
    bad = inputs[0], bad.data = nullptr;
    CHECK(call({bad, inputs[1]}, {outputs[0], outputs[1]}) == "harp_program_call: input 0: array data is NULL, but the array has 16 bytes");
    bad = inputs[0], bad.data = reinterpret_cast<const char*>(x.data()) + 1;
    CHECK(call({bad, inputs[1]}, {outputs[0], outputs[1]}) == "harp_program_call: input 0: array data of f32 must be aligned to 4 bytes");
    harp_array written = outputs[1];
    written.data = nullptr;
    CHECK(call({inputs[0], inputs[1]}, {outputs[0], written}) ==
          "harp_program_call: output 1: array data is NULL, but the array has 8 bytes");
    const std::vector<int64_t> negative = {-2, 2};
    CHECK(call({source(x, negative, HARP_F32), inputs[1]}, {outputs[0], outputs[1]}).find("must not be negative") != std::string::npos);
    harp_array over = outputs[0];
    over.data = const_cast<float*>(x.data()) + 1;
    const std::vector<float> room(8, 1);
    const harp_const_array from = {room.data(), dims.data(), HARP_F32, 2};
    over.data = const_cast<float*>(room.data()) + 2;
    CHECK(call({from, inputs[1]}, {over, outputs[1]}).find("overlaps") != std::string::npos);
    CHECK(y == std::vector<float>(4, -1));  // none of these calls has written to y
    const std::vector<int64_t> none = {0, 2};
    const harp_const_array empty = {nullptr, none.data(), HARP_F32, 2};
    CHECK(call({empty, inputs[1]}, {{nullptr, none.data(), HARP_F32, 2}, outputs[1]}).empty() == (*rows == 'n'));
    ErrorSlot err;
    CHECK(harp_program_call(program.get(), 2, nullptr, 2, outputs, nullptr, err) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(err.message() == "harp_program_call: inputs is NULL");
    const auto call_with = [&](harp_run_options options) {
      ErrorSlot why;
      return harp_program_call(program.get(), 2, inputs, 2, outputs, &options, why);
    };
    int32_t cancel = 1;
    alignas(64) std::byte workspace[128];
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.cancel = &cancel;
    CHECK(call_with(options) == HARP_ERROR_CANCELLED);
    CHECK(y == std::vector<float>(4, -1));
    options.struct_size = offsetof(harp_run_options, stream);  // a host compiled with an older harp.h
    CHECK(call_with(options) == HARP_ERROR_CANCELLED);
    cancel = 0;
    options.workspace = workspace + 1, options.workspace_size = 64;
    CHECK(call_with(options) == HARP_ERROR_INVALID_ARGUMENT);
    options.workspace = workspace;
    CHECK(call_with(options) == HARP_OK);
    CHECK(y == std::vector<float>{2, 4, 6, 8});
    options = HARP_RUN_OPTIONS_INIT;
    options.flags = 8;
    CHECK(call_with(options) == HARP_ERROR_INVALID_ARGUMENT);
    options.flags = 0, options.stream = workspace;
    CHECK(call_with(options) == HARP_ERROR_DEVICE);
  }
}

TEST_CASE("C3.call/interp,c: arrays of symbolic sizes are compared with sizes computed from their axes") {
  const Context context = make_context();
  const char* text = "harp 1\ngraph g(x: f32[2*n + 1, m in 1..4], w: f32[m, n*m]) {\n  return y = concat(x, x, axis=0), z = w * 2\n}";
  const Graph graph = parse(context.get(), text);
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    if (is_not_for_this_cpu(program.get())) continue;
    const std::vector<float> x(64, 3), w(64, 5);
    std::vector<float> y(64), z(64);
    // Calls with arrays of these sizes and returns the message.
    const auto call = [&](std::vector<int64_t> of_x, std::vector<int64_t> of_w, std::vector<int64_t> of_y, std::vector<int64_t> of_z) {
      const harp_const_array inputs[] = {source(x, of_x, HARP_F32), source(w, of_w, HARP_F32)};
      const harp_array outputs[] = {target(y, of_y, HARP_F32), target(z, of_z, HARP_F32)};
      y.assign(64, -1), z.assign(64, -1);
      ErrorSlot err;
      harp_program_call(program.get(), 2, inputs, 2, outputs, nullptr, err);
      return err.message();
    };
    CHECK(call({3, 2}, {2, 2}, {6, 2}, {2, 2}) == "");
    CHECK((y[0] == 3 && y[11] == 3 && y[12] == -1 && z[0] == 10 && z[3] == 10 && z[4] == -1));
    CHECK(call({5, 3}, {3, 6}, {10, 3}, {3, 6}) == "");
    CHECK((y[29] == 3 && y[30] == -1 && z[17] == 10 && z[18] == -1));
    CHECK(call({1, 2}, {2, 0}, {2, 2}, {2, 0}) == "");
    CHECK((y[3] == 3 && y[4] == -1 && z[0] == -1));
    CHECK(call({4, 2}, {2, 2}, {8, 2}, {2, 2}).find("not a whole number") != std::string::npos);
    CHECK(call({3, 5}, {5, 5}, {6, 5}, {5, 5}).find("outside 1..4") != std::string::npos);
    CHECK(call({3, 2}, {3, 2}, {6, 2}, {3, 2}).find("would be both 2") != std::string::npos);
    CHECK(call({3, 2}, {2, 3}, {6, 2}, {2, 3}).find("axis 1 must be 2") != std::string::npos);
    CHECK(call({3, 2}, {2, 2}, {5, 2}, {2, 2}).find("axis 0 must be 6") != std::string::npos);
    CHECK(call({-3, 2}, {2, -4}, {-6, 2}, {2, -4}).find("negative") != std::string::npos);
    CHECK(call({INT64_MAX, 2}, {2, INT64_MAX - 1}, {2, 2}, {2, 2}) != "");
    CHECK((y[0] == -1 && z[0] == -1));
  }
}
