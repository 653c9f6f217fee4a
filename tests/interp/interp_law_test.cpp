// Compares reductions with an independent, recursive implementation of docs/semantics.md, "Sums": every order, dtype and boundary between
// levels, bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

template <class T>
using Combine = std::function<T(T, T)>;

template <class T>
T reference_max(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return kNan<T>;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <class T>
T reference_min(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return kNan<T>;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

/// Implements a reduction as docs/semantics.md defines it. In a sum of products, a and b are the factors; otherwise b is unused.
template <class T>
struct Law {
  Combine<T> combine;
  T identity;
  bool product = false;

  T step(T acc, T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      if (product) return std::fma(a, b, acc);
    return combine(acc, a);
  }
  Law plain() const { return {combine, identity, false}; }

  T chain(const std::vector<T>& a, const std::vector<T>& b) const {
    std::vector<T> blocks;
    for (size_t begin = 0; begin < a.size(); begin += 256) {
      T acc = identity;
      for (size_t i = begin; i < std::min(begin + 256, a.size()); ++i) acc = step(acc, a[i], b[i]);
      blocks.push_back(acc);
    }
    if (blocks.empty()) return identity;
    return blocks.size() == 1 ? blocks[0] : plain().chain(blocks, blocks);
  }

  T tree(std::vector<T> lanes) const {
    if (lanes.size() == 1) return lanes[0];
    const size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i) lanes[i] = combine(lanes[i], lanes[i + half]);
    lanes.resize(half);
    return tree(lanes);
  }

  T lanes(const std::vector<T>& a, const std::vector<T>& b) const {
    std::vector<T> blocks;
    for (size_t begin = 0; begin < a.size(); begin += 4096) {
      std::vector<T> acc(64, identity);
      for (size_t lane = 0; lane < 64; ++lane)
        for (size_t i = begin + lane; i < std::min(begin + 4096, a.size()); i += 64) acc[lane] = step(acc[lane], a[i], b[i]);
      blocks.push_back(tree(acc));
    }
    if (blocks.empty()) return identity;
    return blocks.size() == 1 ? blocks[0] : plain().lanes(blocks, blocks);
  }
};

template <class T>
Law<T> law_of(Op op, bool product = false) {
  if (op == Op::kSum) return {[](T a, T b) { return static_cast<T>(a + b); }, T(0), product};
  if (op == Op::kProd) return {[](T a, T b) { return static_cast<T>(a * b); }, T(1)};
  using Limits = std::numeric_limits<T>;
  if (op == Op::kReduceMax) return {reference_max<T>, Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest()};
  return {reference_min<T>, Limits::has_infinity ? Limits::infinity() : Limits::max()};
}

template <class T>
std::vector<T> random_values(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>)
      value = std::ldexp(static_cast<T>(static_cast<int32_t>(random())), static_cast<int>(random() % 40) - 51);
    else
      value = static_cast<T>((uint64_t{random()} << 32) | random());
  }
  return values;
}

template <class T>
std::vector<T> run_reduce(Op op, ReduceAttributes attributes, const std::vector<int64_t>& shape, const std::vector<T>& a,
                          const std::vector<T>& b) {
  Graph graph;
  const Shape dims(shape.begin(), shape.end());
  const Node* x = graph.add_input("x", dtype_of<T>(), dims);
  const Node* y = graph.add_input("y", dtype_of<T>(), dims);
  const Node* source = attributes.product ? build::elementwise(Op::kMul, {x, y}) : x;
  graph.add_output("r", build::reduce_exactly(op, source, std::move(attributes)));
  return values_of<T>(run(graph, {bytes_of(a), bytes_of(b)})[0]);
}

/// Checks a reduction of a whole axis in both orders, with sizes around every boundary between levels.
template <class T>
void check_one_axis(Op op, bool product) {
  const Law<T> law = law_of<T>(op, product);
  for (const int64_t n : {0, 1, 2, 63, 64, 65, 255, 256, 257, 512, 1000, 4095, 4096, 4097, 12345, 65535, 65536, 65537, 70001}) {
    const std::vector<T> a = random_values<T>(n, static_cast<uint32_t>(n + 1)), b = random_values<T>(n, static_cast<uint32_t>(n + 7));
    CAPTURE(name(op));
    CAPTURE(n);
    CAPTURE(product);
    // If the size of an axis is known to be 0, its maximum and its minimum are an error.
    if (n == 0 && (op == Op::kReduceMax || op == Op::kReduceMin)) continue;
    CHECK(same(run_reduce<T>(op, {{0}, ReduceOrder::kChain, product}, {n}, a, b), {law.chain(a, b)}));
    CHECK(same(run_reduce<T>(op, {{0}, ReduceOrder::kLanes, product}, {n}, a, b), {law.lanes(a, b)}));
  }
}

}  // namespace

TEST_CASE("G3.sum,prod,max,min/interp: reductions of one axis follow the law at every level boundary") {
  for (const Op op : {Op::kSum, Op::kProd, Op::kReduceMax, Op::kReduceMin}) {
    check_one_axis<int32_t>(op, false);
    check_one_axis<int64_t>(op, false);
    check_one_axis<float>(op, false);
    check_one_axis<double>(op, false);
  }
  check_one_axis<float>(Op::kSum, true);
  check_one_axis<double>(Op::kSum, true);
}

TEST_CASE("G3.axes/interp: lanes take the innermost run of reduced axes, outer runs go by chain") {
  // The source has the shape [3, 300, 2, 5, 70]. Axes 0, 1 (the outer ones) and 3, 4 (the innermost ones) are reduced, axis 2 is kept.
  const std::vector<int64_t> shape = {3, 300, 2, 5, 70};
  const std::vector<float> x = random_values<float>(3 * 300 * 2 * 5 * 70, 11), y = random_values<float>(x.size(), 12);
  for (const bool product : {false, true}) {
    const Law<float> law = law_of<float>(Op::kSum, product);
    std::vector<float> expected;
    for (int64_t kept = 0; kept < 2; ++kept) {
      std::vector<float> outer;
      for (int64_t i = 0; i < 3 * 300; ++i) {
        const auto begin = (i * 2 + kept) * 350;
        outer.push_back(law.lanes({x.begin() + begin, x.begin() + begin + 350}, {y.begin() + begin, y.begin() + begin + 350}));
      }
      expected.push_back(law.plain().chain(outer, outer));
    }
    CHECK(same(run_reduce<float>(Op::kSum, {{0, 1, 3, 4}, ReduceOrder::kLanes, product}, shape, x, y), expected));
    // The order in which the axes of a reduction are listed does not matter.
    CHECK(same(run_reduce<float>(Op::kSum, {{4, 1, 3, 0}, ReduceOrder::kLanes, product}, shape, x, y), expected));
  }
}

TEST_CASE("G3: lanes with the last axis kept still flatten the innermost reduced run") {
  const std::vector<int64_t> shape = {2, 5, 9, 3};
  const std::vector<double> x = random_values<double>(2 * 5 * 9 * 3, 5);
  const Law<double> law = law_of<double>(Op::kSum);
  std::vector<double> expected;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t k = 0; k < 3; ++k) {
      std::vector<double> run;
      for (int64_t j = 0; j < 45; ++j) run.push_back(x[(i * 45 + j) * 3 + k]);
      expected.push_back(law.lanes(run, run));
    }
  CHECK(same(run_reduce<double>(Op::kSum, {{1, 2}, ReduceOrder::kLanes, false}, shape, x, x), expected));
}

TEST_CASE("G3.axes/interp: chain flattens its axes in the order they are listed") {
  const std::vector<int64_t> shape = {30, 600, 20};
  const std::vector<float> x = random_values<float>(30 * 600 * 20, 3), y = random_values<float>(x.size(), 4);
  for (const bool product : {false, true}) {
    const Law<float> law = law_of<float>(Op::kSum, product);
    std::vector<float> ascending, descending;
    // The interpreter computes several kept elements at a time, but fewer than 600, so this test has several such groups.
    for (int64_t kept = 0; kept < 600; ++kept) {
      std::vector<float> a, b, c, d;
      for (int64_t i = 0; i < 30; ++i)
        for (int64_t j = 0; j < 20; ++j) a.push_back(x[(i * 600 + kept) * 20 + j]), b.push_back(y[(i * 600 + kept) * 20 + j]);
      for (int64_t j = 0; j < 20; ++j)
        for (int64_t i = 0; i < 30; ++i) c.push_back(x[(i * 600 + kept) * 20 + j]), d.push_back(y[(i * 600 + kept) * 20 + j]);
      ascending.push_back(law.chain(a, b));
      descending.push_back(law.chain(c, d));
    }
    CHECK(same(run_reduce<float>(Op::kSum, {{0, 2}, ReduceOrder::kChain, product}, shape, x, y), ascending));
    CHECK(same(run_reduce<float>(Op::kSum, {{2, 0}, ReduceOrder::kChain, product}, shape, x, y), descending));
    CHECK(!same(ascending, descending));
  }
}

TEST_CASE("G3: reductions see through views") {
  // The sum over the first axis of a flipped, permuted, expanded source must equal that of its copy.
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF32, {7, 300});
  const build::SliceSpec flip[] = {{std::nullopt, std::nullopt, -1}, {std::nullopt, std::nullopt, -2}};
  const int axes[] = {1, 0};
  const Node* view = build::permute(build::slice(x, flip), axes);
  const Node* copy = graph.add_input("copy", DType::kF32, {150, 7});
  graph.add_output("view", view);
  for (const ReduceOrder order : {ReduceOrder::kChain, ReduceOrder::kLanes})
    for (const std::vector<int>& reduced : {std::vector<int>{0}, std::vector<int>{1}, std::vector<int>{0, 1}}) {
      graph.add_output(cat("a", graph.outputs().size()), build::reduce_exactly(Op::kSum, view, {reduced, order, false}));
      graph.add_output(cat("b", graph.outputs().size()), build::reduce_exactly(Op::kSum, copy, {reduced, order, false}));
    }
  const std::vector<float> data = random_values<float>(7 * 300, 9);
  std::vector<float> copied;
  for (int64_t j = 0; j < 150; ++j)
    for (int64_t i = 0; i < 7; ++i) copied.push_back(data[(6 - i) * 300 + 299 - 2 * j]);
  const std::vector<Bytes> outputs = run(graph, {bytes_of(data), bytes_of(copied)});
  CHECK(outputs[0] == bytes_of(copied));
  for (size_t i = 1; i < outputs.size(); i += 2) CHECK(outputs[i] == outputs[i + 1]);
}

TEST_CASE("G3: signed zeros, NaN and empty reductions") {
  const auto one = [](Op op, ReduceOrder order, std::vector<float> x) {
    const auto n = static_cast<int64_t>(x.size());
    return run_reduce<float>(op, {{0}, order, false}, {n}, x, x)[0];
  };
  for (const ReduceOrder order : {ReduceOrder::kChain, ReduceOrder::kLanes}) {
    CHECK(same(one(Op::kSum, order, {-0.0f}), 0.0f));  // a sum starts with +0, and +0 + -0 is +0
    CHECK(same(one(Op::kSum, order, {}), 0.0f));
    CHECK(same(one(Op::kProd, order, {}), 1.0f));
    CHECK(same(one(Op::kProd, order, {-0.0f}), -0.0f));
    CHECK(same(one(Op::kReduceMax, order, {-0.0f, -0.0f}), -0.0f));
    CHECK(same(one(Op::kReduceMax, order, {-0.0f, 0.0f}), 0.0f));
    CHECK(same(one(Op::kReduceMin, order, {0.0f, -0.0f}), -0.0f));
    CHECK(same(one(Op::kReduceMax, order, {1.0f, kNan<float>, 2.0f}), kNan<float>));
    CHECK(same(one(Op::kReduceMin, order, {kNan<float>, -kInf<float>}), kNan<float>));
    CHECK(same(one(Op::kSum, order, {kInf<float>, -kInf<float>}), kNan<float>));
    CHECK(same(one(Op::kSum, order, {1e-45f, 1e-45f}), 3e-45f));  // subnormals are kept
  }
  // The product underflows to -0, but a sum starts with +0, so it is never -0.
  const std::vector<float> tiny = {-1e-30f};
  CHECK(same(run_reduce<float>(Op::kSum, {{0}, ReduceOrder::kChain, true}, {1}, tiny, {1e-30f}), {0.0f}));
  CHECK(same(run_reduce<float>(Op::kSum, {{0}, ReduceOrder::kLanes, true}, {1}, tiny, {1e-30f}), {0.0f}));
}

TEST_CASE("G3: an axis that is empty only at run time gives the identity") {
  Graph graph;
  const Dim n = graph.dims().variable("n", 0, 100);
  for (const DType dtype : {DType::kBool, DType::kI32, DType::kI64, DType::kF32, DType::kF64}) {
    const Node* x = graph.add_input(cat("x", name(dtype)), dtype, {2, n});
    const int axes[] = {1};
    for (const Op op : {Op::kReduceMax, Op::kReduceMin}) graph.add_output(cat(name(op), name(dtype)), build::reduce(op, x, axes, false));
  }
  const std::vector<Bytes> outputs = run(graph, std::vector<Bytes>(5), {0});
  CHECK(values_of<uint8_t>(outputs[0]) == std::vector<uint8_t>{0, 0});
  CHECK(values_of<uint8_t>(outputs[1]) == std::vector<uint8_t>{1, 1});
  CHECK(values_of<int32_t>(outputs[2]) == std::vector<int32_t>{INT32_MIN, INT32_MIN});
  CHECK(values_of<int32_t>(outputs[3]) == std::vector<int32_t>{INT32_MAX, INT32_MAX});
  CHECK(values_of<int64_t>(outputs[4]) == std::vector<int64_t>{INT64_MIN, INT64_MIN});
  CHECK(values_of<int64_t>(outputs[5]) == std::vector<int64_t>{INT64_MAX, INT64_MAX});
  CHECK(values_of<float>(outputs[6]) == std::vector<float>{-kInf<float>, -kInf<float>});
  CHECK(values_of<float>(outputs[7]) == std::vector<float>{kInf<float>, kInf<float>});
  CHECK(values_of<double>(outputs[8]) == std::vector<double>{-kInf<double>, -kInf<double>});
  CHECK(values_of<double>(outputs[9]) == std::vector<double>{kInf<double>, kInf<double>});
}

TEST_CASE("G3.any,all/interp: max and min of bool are any and all") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kBool, {3, 2});
  const int axes[] = {1};
  graph.add_output("any", build::reduce(Op::kReduceMax, x, axes, false));
  graph.add_output("all", build::reduce(Op::kReduceMin, x, axes, false));
  const std::vector<Bytes> outputs = run(graph, {bytes_of<uint8_t>({0, 0, 0, 7, 255, 1})});  // every byte except 0 is true
  CHECK(values_of<uint8_t>(outputs[0]) == std::vector<uint8_t>{0, 1, 1});
  CHECK(values_of<uint8_t>(outputs[1]) == std::vector<uint8_t>{0, 0, 1});
}
