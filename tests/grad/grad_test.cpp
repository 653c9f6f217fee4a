// Tests gradients of every op and of whole expressions. First and second derivatives in f64 are compared with central differences on the
// interpreter, and between backends bit for bit. (grad_values_test.cpp tests values derived by hand, gradients as nodes, and errors.)
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>

#include "grad/adjoint.h"
#include "grad/gradient_groups.h"
#include "graph/text.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;
using namespace harp::gradient_test;

namespace {

using Values = std::vector<double>;

/// Returns the values of the model's results. give_out() must have been called.
std::vector<Bytes> run_model(const Model& model, const std::vector<Bytes>& inputs, const std::vector<int64_t>& sizes) {
  const std::vector<Bytes> all = testing::run(*model.graph, inputs, sizes);
  return {all.end() - static_cast<ptrdiff_t>(model.results.size()), all.end()};
}

int64_t value_of(const Graph& graph, Dim dim, const std::vector<int64_t>& sizes) {
  const std::vector<Sym> variables = graph.dims().variables();
  return evaluate(dim, [&](const SymAtom& atom) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (variable_of(variables[i]) == &atom) return sizes.at(i);
    return int64_t{-1};
  });
}
std::vector<int64_t> values_of(const Graph& graph, const Shape& shape, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> result;
  for (Dim dim : shape) result.push_back(value_of(graph, dim, sizes));
  return result;
}

std::vector<Bytes> random_inputs(const Graph& graph, const Group& group, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Bytes> inputs;
  for (const Node* input : graph.inputs()) {
    size_t count = 1;
    for (int64_t size : values_of(graph, input->shape, group.sizes)) count *= static_cast<size_t>(size);
    Bytes bytes(count * size_of(input->dtype));
    for (size_t i = 0; i < count; ++i) {
      const double real = group.lo + (group.hi - group.lo) * (random() / 4294967296.0);
      const int32_t integer = static_cast<int32_t>(random() % 3);
      const uint8_t truth = random() % 2;
      const void* from = is_float(input->dtype)  ? static_cast<const void*>(&real)
                         : is_bool(input->dtype) ? &truth
                                                 : static_cast<const void*>(&integer);
      std::memcpy(bytes.data() + i * size_of(input->dtype), from, size_of(input->dtype));
    }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

/// Compares every gradient of the model, element by element, with five-point differences of sum(result * seed).
void check_by_differences(const Maker& maker, const Group& group, double tolerance) {
  std::vector<Pair> pairs;
  Model forward = maker(), backward = gradient_model(maker, "seed", &pairs);
  const std::vector<const Node*> variables = variables_of(*forward.graph);
  give_out(forward);
  give_out(backward);
  const std::vector<Bytes> inputs = random_inputs(*backward.graph, group, 7);
  const size_t own = forward.graph->inputs().size();
  std::vector<Bytes> forward_inputs(inputs.begin(), inputs.begin() + own);
  const std::vector<Bytes> gradients = run_model(backward, inputs, group.sizes);

  const auto objectives = [&] {
    Values sums;
    const std::vector<Bytes> results = run_model(forward, forward_inputs, group.sizes);
    for (size_t i = 0; i < results.size(); ++i) {
      const Values values = testing::values_of<double>(results[i]), seeds = testing::values_of<double>(inputs[own + i]);
      long double sum = 0;
      for (size_t k = 0; k < values.size(); ++k) sum += static_cast<long double>(values[k]) * seeds[k];
      sums.push_back(static_cast<double>(sum));
    }
    return sums;
  };
  for (size_t j = 0; j < variables.size(); ++j) {
    const size_t position =
        std::find(forward.graph->inputs().begin(), forward.graph->inputs().end(), variables[j]) - forward.graph->inputs().begin();
    const size_t count = inputs[position].size() / sizeof(double);
    for (size_t k = 0; k < count; ++k) {
      double* const element = reinterpret_cast<double*>(forward_inputs[position].data()) + k;
      const double x = *element, h = 0x1p-10;
      std::array<Values, 4> around;
      const double steps[] = {-2 * h, -h, h, 2 * h};
      for (size_t step = 0; step < 4; ++step) {
        *element = x + steps[step];
        around[step] = objectives();
      }
      *element = x;
      for (size_t p = 0; p < pairs.size(); ++p) {
        if (pairs[p].variable != j) continue;
        const size_t i = pairs[p].result;
        const double expected = (around[0][i] - 8 * around[1][i] + 8 * around[2][i] - around[3][i]) / (12 * h);
        const double got = testing::values_of<double>(gradients[p])[k];
        const bool close = std::abs(got - expected) <= tolerance * std::max(1.0, std::abs(expected));
        if (!close)
          FAIL_CHECK("result ", i, i < group.expressions.size() ? cat(" (", group.expressions[i], ")") : "", ", input ", j, ", element ", k,
                     " = ", x, ": ", got, ", by differences ", expected);
      }
      CHECK(around[0].size() == forward.results.size());
    }
  }
}

/// Checks that both backends give the same bits for these gradients. The graph is printed as text and parsed again before it is compiled.
void check_backends(const Maker& gradients, const Group& group) {
  Model model = gradients();
  give_out(model);
  const std::vector<Bytes> inputs = random_inputs(*model.graph, group, 11);
  const capi_test::Context context = capi_test::make_context();
  const std::string text = print_graph(*model.graph);
  const capi_test::Graph graph = capi_test::parse(context.get(), text);
  REQUIRE(graph != nullptr);
  std::vector<Bytes> copies = inputs;
  std::vector<capi_test::Buffer> buffers;
  std::vector<harp_buffer*> handles;
  for (size_t i = 0; i < copies.size(); ++i) {
    const Node* input = model.graph->inputs()[i];
    const std::vector<int64_t> dims = values_of(*model.graph, input->shape, group.sizes);
    buffers.emplace_back(harp_buffer_wrap(context.get(), static_cast<harp_dtype>(input->dtype), static_cast<int32_t>(dims.size()),
                                          dims.data(), copies[i].data(), nullptr, nullptr, nullptr));
    handles.push_back(buffers.back().get());
  }
  std::vector<std::string> bits[2];
  for (int backend = 0; backend < 2; ++backend) {
    const capi_test::Program program =
        capi_test::compile_way(graph.get(), {backend == 0 ? "interp" : "c", 0}, !capi_test::is_sampled(text));
    REQUIRE(program != nullptr);
    for (const capi_test::Buffer& output : capi_test::run(program.get(), handles)) {
      const auto* data = static_cast<const std::byte*>(harp_buffer_const_data(output.get()));
      bits[backend].push_back(canonical(Bytes(data, data + harp_buffer_size(output.get())), DType::kF64));
    }
  }
  REQUIRE(bits[0].size() == model.graph->outputs().size());
  for (size_t i = 0; i < bits[0].size(); ++i) {
    CAPTURE(model.graph->describe(model.graph->outputs()[i].node));
    CHECK(bits[0][i] == bits[1][i]);
  }
}

/// Compares first and second derivatives with differences, and checks that both backends give the same bits for both.
void check_group(const Group& group, double tolerance = 1e-8) {
  CAPTURE(group.inputs);
  const Maker value = maker_of(group);
  const Maker first = [&] { return gradient_model(value, "first"); };
  const Maker second = [&] { return gradient_model(first, "second"); };
  check_by_differences(value, group, tolerance);
  check_by_differences(first, group, tolerance);
  check_backends(first, group);
  check_backends(second, group);
}

}  // namespace

TEST_CASE("G19.every_op/interp G19.every_op/c: every op against differences, first and second order, both backends alike") {
  for (const Group& group : groups()) check_group(group);
}

TEST_CASE("G19.every_op/interp: the groups above reach every op that has rules") {
  std::set<Op> seen;
  for (const Group& group : groups()) {
    const Model model = maker_of(group)();
    for (const Node& node : model.graph->nodes())
      if (is_float(node.dtype) || is_complex(node.dtype)) seen.insert(node.op);
  }
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (grad::adjoint_of(op).flow != grad::Flow::kRules) continue;
    // Casts between floats have a test of their own, because differences of f32 values are not exact enough.
    CHECK_MESSAGE((seen.contains(op) || op == Op::kCast), std::string(name(op)));
  }
}
