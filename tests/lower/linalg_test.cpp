// Tests matrix products and einsum: results equal those of plain loops on every backend, sums have the order that docs/semantics.md
// prescribes, and every misuse is reported with the right message. (oracle_test.py compares with NumPy.)
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/composites.h"
#include "graph/text.h"
#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

/// The sum over k of a[i, k]·b[k, j] in the order that docs/semantics.md prescribes: a chain of fused multiply-adds for each block of 256
/// terms.
float chain_of_products(const std::vector<std::pair<float, float>>& pairs) {
  std::vector<float> blocks;
  for (size_t begin = 0; begin < pairs.size(); begin += 256) {
    float acc = 0;
    for (size_t i = begin; i < std::min(begin + 256, pairs.size()); ++i) acc = std::fma(pairs[i].first, pairs[i].second, acc);
    blocks.push_back(acc);
  }
  while (blocks.size() > 1) {
    std::vector<float> next;
    for (size_t begin = 0; begin < blocks.size(); begin += 256) {
      float acc = 0;
      for (size_t i = begin; i < std::min(begin + 256, blocks.size()); ++i) acc += blocks[i];
      next.push_back(acc);
    }
    blocks = next;
  }
  return blocks.empty() ? 0.0f : blocks[0] + 0.0f;
}

}  // namespace

TEST_CASE("G15.matmul/interp,c X2: a matrix product is the law's chain, for every size of one program") {
  const Backends backends;
  for (const auto& [m, k, n] : {std::array<int64_t, 3>{3, 700, 5}, {1, 256, 1}, {17, 257, 33}, {2, 0, 3}, {0, 4, 2}}) {
    const Values<float> a = rough({m, k}, 1), b = rough({k, n}, 2);
    const auto outputs = backends.run("graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}", a, b);
    const std::vector<float> y = values<float>(outputs[0].get());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        std::vector<std::pair<float, float>> pairs;
        for (int64_t l = 0; l < k; ++l) pairs.push_back({a.items[i * k + l], b.items[l * n + j]});
        CHECK(y[i * n + j] == chain_of_products(pairs));
      }
  }
}

TEST_CASE("G15.matmul,batch_matmul,dot,outer,einsum/interp,c G8.outer/interp,c G16: products agree with each other on every backend") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(a: i64[p, m, k], b: i64[k, n], u: i64[k], s: i64[n, n]) flags=[broadcast] {\n"
      "  return v0 = matmul(a, b), v1 = einsum(a, b, spec=\"pmk,kn->pmn\"), v2 = batch_matmul(a, b), v3 = dot(a, b), v4 = tensordot(a, b, "
      "a_axes=[2], b_axes=[0]), v5 = sum(unsqueeze(a, axes=[3]) * b, axes=[2]), w0 = matmul(a, u), w1 = dot(a, u), w2 = einsum(a, u, "
      "spec=\"...k,k->...\"), o0 = outer(u, u), o1 = unsqueeze(u, axes=[1]) * u, o2 = einsum(u, u, spec=\"i,j->ij\"), t0 = trace(s), t1 = "
      "einsum(s, spec=\"ii\"), t2 = sum(diagonal(s)), q0 = einsum(u, b, s, b, u, spec=\"i,ij,jk,lk,l->\"), q1 = matmul(matmul(u, b), "
      "matmul(s, matmul(transpose(b), u)))\n}",
      whole<int64_t>({2, 3, 5}, 3), whole<int64_t>({5, 4}, 4), whole<int64_t>({5}, 5), whole<int64_t>({4, 4}, 6));
  const auto same = [&](size_t first, size_t count) {
    for (size_t i = first + 1; i < first + count; ++i) {
      CAPTURE(i);
      CHECK(dims(outputs[i].get()) == dims(outputs[first].get()));
      CHECK(values<int64_t>(outputs[i].get()) == values<int64_t>(outputs[first].get()));
    }
  };
  same(0, 6), same(6, 3), same(9, 3), same(12, 3), same(15, 2);
}

TEST_CASE("G15.matmul G15.einsum X2: structure decides the order of a sum, sizes never do") {
  const auto order_of = [](const std::string& call) {
    const auto graph = harp::parse_graph(
        "graph g(a: f32[m, k], b: f32[k, n], c: f32[m, 5], d: f32[5, 1], e: f32[1, 5], u: f32[k]) {\n  return y = " + call + "\n}");
    std::string found;
    for (const harp::Node* node : graph->live_nodes())
      if (node->op == harp::Op::kSum) {
        const auto& sum = node->as<harp::ReduceAttributes>();
        found += sum.order == harp::ReduceOrder::kChain ? "chain" : "lanes";
        found += sum.product ? " product;" : ";";
      }
    return found;
  };
  CHECK(order_of("matmul(a, b)") == "chain product;");
  CHECK(order_of("matmul(c, d)") == "chain product;");  // c @ d is a matrix product, although its result has a single column
  CHECK(order_of("matmul(e, transpose(c))") == "chain product;");
  CHECK(order_of("matmul(a, u)") == "lanes product;");
  CHECK(order_of("matmul(u, b)") == "chain product;");  // the last axis of b is kept, so the sum has not the order "lanes"
  CHECK(order_of("matmul(u, u)") == "lanes product;");
  // The index k, which only one operand has, is summed before the product.
  CHECK(order_of("einsum(a, a, spec=\"ij,kj->\")") == "chain;lanes product;");
  CHECK(order_of("einsum(a, b, spec=\"mk,kn->nm\")") == "chain product;");
}

TEST_CASE("G15.einsum: the pairs with the fewest multiplications where sizes are known") {
  const auto products = [](const std::string& inputs, const std::string& call) {
    const auto graph = harp::parse_graph("graph g(" + inputs + ") {\n  return y = " + call + "\n}");
    std::string shapes;
    for (const harp::Node* node : graph->live_nodes())
      if (node->op == harp::Op::kMul) shapes += harp::to_string(node->shape);
    return shapes;
  };
  const std::string call = "einsum(a, b, c, spec=\"ij,jk,kl->il\")";
  CHECK(products("a: f32[2, 100], b: f32[100, 90], c: f32[90, 3]", call) == "[2, 100, 90][2, 90, 3]");
  CHECK(products("a: f32[80, 100], b: f32[100, 90], c: f32[90, 3]", call) == "[100, 90, 3][80, 100, 3]");
  CHECK(products("a: f32[n, 100], b: f32[100, 90], c: f32[90, 3]", call) == "[n, 100, 90][n, 90, 3]");
}

TEST_CASE("G15.matmul: one kernel and no workspace, whatever is permuted or broadcast") {
  const Backends backends;
  for (const char* text : {"graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = relu(a @ b)\n}",
                           "graph g(a: f32[m, k], b: f32[n, k]) {\n  return y = a @ transpose(b)\n}",
                           "graph g(a: f32[m, h, k], b: f32[n, h, k]) {\n  return y = einsum(a, b, spec=\"mhk,nhk->hmn\")\n}"}) {
    const auto cost = backends.cost(text, {3, 4, 5, 6});
    CHECK(cost.kernels == 1);
    CHECK(cost.workspace == 0);
    CHECK(cost.scratch < 2'000'000);
  }
}

TEST_CASE("G15.matmul,batch_matmul,einsum/interp,c G8.error: either factor may stretch along a batch axis, with gradients") {
  const Backends backends;
  // Axes of size 1 in one operand broadcast. The product must equal that of the expanded arrays.
  const std::string inputs = "graph g(a: f32[p, 1, m, k], b: f32[1, q, k, n], c: f32[r, k], t: f32[2, p, 1, m, k]) {\n";
  const auto outputs = backends.run(
      inputs +
          "  full_a = broadcast_to(a, [p, q, m, k])\n  full_b = broadcast_to(b, [p, q, k, n])\n"
          "  y = a @ b\n  e = full_a @ full_b\n"
          "  ga, gb = grad(sum(y * y), a, b)\n  fa, fb = grad(sum(e * e), a, b)\n"
          "  return y = y, e = e, ga = ga, fa = fa, gb = gb, fb = fb, z = batch_matmul(a, b), w = einsum(a, b, "
          "spec=\"...mk,...kn->...mn\"),\n"
          "  t = t @ b, t2 = broadcast_to(t, [2, p, q, m, k]) @ broadcast_to(b, [2, p, q, k, n]),\n"
          "  s = einsum(a, c, spec=\"pqmk,qk->pm\"), s2 = reshape(matmul(a, reshape(sum(c, axes=[0]), shape=[k, 1])), shape=[p, m])\n}",
      whole<float>({3, 1, 3, 4}, 1), whole<float>({1, 2, 4, 2}, 2), whole<float>({5, 4}, 3), whole<float>({2, 3, 1, 3, 4}, 4));
  for (const size_t i : {0, 2, 4, 8, 10}) CHECK_MESSAGE(same_bits(outputs[i].get(), outputs[i + 1].get()), i);
  CHECK(same_bits(outputs[0].get(), outputs[6].get()));
  CHECK(same_bits(outputs[0].get(), outputs[7].get()));
  // The operands are not copied, and the kernel has the tiles of a matrix product.
  const std::string product = "graph g(a: f32[3, 1, 64, 96], b: f32[1, 2, 96, 80]) {\n  return y = a @ b\n}";
  CHECK(backends.cost(product, {}).kernels == 1);
  CHECK(backends.cost(product, {}).workspace == 0);
}

TEST_CASE("G15.matmul G15.dot G15.outer G15.batch_matmul: misuse") {
  const std::string inputs =
      "a: f32[2, 3], b: f32[4, 5], n2: f32[n, m], t: f32[2, 2, 3], t3: f32[3, 3, 4], s: f32[], i: i32[3, 4], q: bool[3, 4]";
  check_misuse(
      inputs, "a @ b", "SHAPE",
      "matmul: operands have shapes [2, 3] and [4, 5] (nodes \"a\" and \"b\"); axis 1 of the first (3) and axis 0 of the second (4) are "
      "multiplied and summed, so they must be the same size");
  check_misuse(inputs, "matmul(a, n2)", "SHAPE", "axis 1 of the first (3) and axis 0 of the second (n)");
  check_misuse(inputs, "matmul(a, s)", "SHAPE", "matmul needs at least one axis, use mul for scalars");
  check_misuse(inputs, "matmul(a, i)", "DTYPE", "matmul: operands have dtypes f32 and i32");
  check_misuse(inputs, "matmul(q, q)", "DTYPE", "matmul: takes");
  check_misuse(inputs, "matmul(t, t3)", "SHAPE", "matmul: the batch axes of shapes [2, 2, 3] and [3, 3, 4]");
  check_misuse(inputs, "batch_matmul(a, slice(a, stop=[1, 3]) * 0)", "SHAPE", "batch_matmul: operands have shapes");
  check_misuse(inputs, "batch_matmul(a, flatten(a))", "SHAPE", "both need the two axes of a matrix");
  check_misuse(inputs, "dot(a, a)", "SHAPE", "dot: operands have shapes [2, 3] and [2, 3]");
  check_misuse(inputs, "tensordot(a, b, a_axes=[0, 1], b_axes=[0])", "SHAPE", "tensordot: 2 axes of the first array and 1 of the second");
  check_misuse(inputs, "tensordot(a, b, a_axes=[0, 0], b_axes=[0, 1])", "SHAPE", "tensordot: axis 0 is named twice");
  check_misuse(inputs, "vecdot(a, b)", "SHAPE", "vecdot: operands have shapes");
  check_misuse(inputs, "vecdot(t, a, axis=2)", "SHAPE", "vecdot: axis 2 is out of range for rank 2");
  check_misuse(inputs, "diagonal(s)", "SHAPE", "diagonal: \"s\" has shape []; at least 2 axes are needed");
  check_misuse(inputs, "trace(a, axis1=1, axis2=-1)", "SHAPE", "trace: axis 1 is named twice");
  check_misuse("r: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "outer(r, r)", "SHAPE",
               "outer: \"r\" and \"r\" have 20 different axes together; at most 16 are allowed");
  check_misuse("x: f32[4000000000, 4000000000]", "x @ x", "OVERFLOW", "");
}

TEST_CASE("G15.einsum: misuse") {
  const std::string inputs = "a: f32[2, 3], b: f32[4, 5], t: f32[2, 2, 3]";
  const auto check = [&](const std::string& call, const char* code, const char* message) { check_misuse(inputs, call, code, message); };
  check("einsum(a, b, spec=\"ij,jk->ik\")", "SHAPE", "einsum: index 'j' is 3 in \"a\" and 4 in \"b\"");
  check("einsum(a, spec=\"ij->iz\")", "INVALID_ARGUMENT", "einsum: \"ij->iz\" has index 'z' in the result but in no operand");
  check("einsum(a, spec=\"ij->ii\")", "INVALID_ARGUMENT", "names index 'i' twice in the result");
  check("einsum(a, spec=\"i1->i\")", "INVALID_ARGUMENT", "contains '1', which is not an index");
  check("einsum(a, spec=\"i-j\")", "INVALID_ARGUMENT", "contains '-', which is not an index");
  check("einsum(a, spec=\"ij->i->j\")", "INVALID_ARGUMENT", "contains '-', which is not an index");
  check("einsum(a, spec=\"\xc3\xa9j\")", "INVALID_ARGUMENT", "contains the byte 195");
  check("einsum(a, spec=\"i..\")", "INVALID_ARGUMENT", "contains a '.' that is not part of an ellipsis");
  check("einsum(a, spec=\"...i...\")", "INVALID_ARGUMENT", "contains two ellipses in one term");
  check("einsum(a, spec=\"...i->i\")", "INVALID_ARGUMENT", "has no ellipsis in the result for the 1 axes");
  check("einsum(a, spec=\"ij,jk\")", "INVALID_ARGUMENT", "is for 2 arrays, but got 1");
  check("einsum(a, b, spec=\"ij\")", "INVALID_ARGUMENT", "is for 1 arrays, but got 2");
  check("einsum(t, spec=\"ij\")", "SHAPE", "names 2 axes of operand 1 (\"t\"), which has shape [2, 2, 3]");
  check("einsum(a, spec=\"...ijk->...\")", "SHAPE", "names 3 axes and an ellipsis of operand 1");
  check("einsum(a, spec=\"ii\")", "SHAPE", "einsum: index 'i' is 2 and 3 in the same array (\"a\" of shape [2, 3])");
  check("einsum(a, b, spec=\"...,...->...\")", "SHAPE", "einsum: axis -2 of the ellipsis is 2 in \"a\" and 4 in \"b\"");
}
