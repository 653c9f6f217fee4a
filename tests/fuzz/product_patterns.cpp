// Builds sums of products over an index space of a few axes. Each axis either remains in the result or is summed, and either one factor or
// both factors vary along it. The axes of only one factor are the rows, those of only the other factor the columns; further axes are
// batches, heads or windows. The axes come in any order. Operations are applied to a factor before or after it is expanded to the index
// space. This decides whether the generated code can pack the factor and whether several sums can share it.
#include "fuzz/product_patterns.h"

#include <algorithm>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

constexpr int64_t kMaxTerms = 24'000;  // limit on the total number of terms of all sums

struct Axis {
  Dim size;
  // whether the first and the second factor vary along the axis (both do along a summed axis), and whether the axis is summed
  bool in_rows, in_columns, is_summed;
};

class Product {
 public:
  explicit Product(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    choose_dtype();
    if (random_.chance(15)) return add_symmetric();
    if (random_.chance(10)) return add_matrix_and_vector();
    if (!choose_space()) return false;
    const int work = random_.chance(40) ? 0 : random_.chance(80) ? 1 : 3;
    NodeRef rows = factor(&Axis::in_rows, work), columns = factor(&Axis::in_columns, work);
    if (random_.chance(50)) std::swap(rows, columns);  // the operands of a * b may be swapped
    const NodeRef terms = build::elementwise(Op::kMul, {rows, columns});
    const NodeRef sum = build::reduce(Op::kSum, terms, summed_axes(), random_.chance(20));
    if (random_.chance(35)) store_too(rows, columns, terms);
    const bool is_stored = random_.chance(25);
    const NodeRef result = random_.chance(50) ? worked(sum) : sum;
    if (is_stored && !bench_.want(sum)) return false;
    return bench_.want(random_.chance(25) ? worked(result) : result);
  }

 private:
  void choose_dtype() {
    dtype_ = random_.chance(50) ? DType::kF32 : random_.chance(50) ? DType::kF64 : bench_.random_dtype();
    if (is_bool(dtype_)) dtype_ = DType::kI32;
  }

  /// Adds the product of a matrix with its own transpose, or a batch of such products. The sums have more terms than one block of the order
  /// of summation (docs/semantics.md, "Sums"). The result is symmetric, so generated code may compute only half of it. Sometimes applies
  /// further operations to the result, which need not be symmetric.
  bool add_symmetric() {
    const bool is_batch = random_.chance(25), is_transposed = random_.chance(50);
    const Dim n = is_batch ? bench_.small_dim(3, 6) : bench_.small_dim(3, 9), terms = bench_.small_dim(257, 290);
    Shape shape = is_transposed ? Shape{terms, n} : Shape{n, terms}, rows = {n, 1, terms}, columns = {1, n, terms}, space = {n, n, terms};
    std::vector<int> order = is_transposed ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
    if (is_batch) {
      for (Shape* each : {&shape, &rows, &columns, &space}) each->insert(each->begin(), Dim(2));
      for (int& axis : order) ++axis;
      order.insert(order.begin(), 0);
    }
    NodeRef x = build::permute(bench_.array_of(dtype_, shape), order);
    if (random_.chance(40)) x = worked(x);
    const NodeRef product = build::elementwise(
        Op::kMul, {build::expand(build::reshape(x, std::move(rows)), space), build::expand(build::reshape(x, std::move(columns)), space)});
    const NodeRef sum = build::reduce(Op::kSum, product, std::vector<int>{static_cast<int>(space.size()) - 1}, random_.chance(20));
    return bench_.want(random_.chance(60) ? worked(sum) : sum);
  }

  /// Adds the product of a matrix, stored by rows or by columns, with a vector or with another matrix of the same shape, summed along each
  /// row.
  bool add_matrix_and_vector() {
    const Dim rows = random_.chance(60) ? bench_.small_dim(1, 40) : bench_.random_dim();
    const Dim terms = random_.chance(60) ? bench_.small_dim(1, 150) : bench_.random_dim();
    const Shape space = {rows, terms};
    if (const int64_t count = bench_.estimated_count(space); count < 0 || count > kMaxTerms) return false;
    const int exchanged[] = {1, 0};
    const auto matrix = [&] {
      const bool is_transposed = random_.chance(60);
      const NodeRef stored = bench_.array_of(dtype_, is_transposed ? Shape{terms, rows} : space);
      const NodeRef node = is_transposed ? build::permute(stored, exchanged) : stored;
      return random_.chance(40) ? worked(node) : node;
    };
    const NodeRef one = matrix();
    const NodeRef other =
        random_.chance(30) ? matrix() : build::expand(build::reshape(bench_.array_of(dtype_, {terms}), Shape{1, terms}), space);
    const NodeRef sum = build::reduce(Op::kSum, build::elementwise(Op::kMul, {one, other}), std::vector<int>{1}, random_.chance(20));
    return bench_.want(random_.chance(40) ? worked(sum) : sum);
  }

  bool choose_space() {
    const auto some = [&](int64_t lo, int64_t hi) { return random_.chance(65) ? bench_.small_dim(lo, hi) : bench_.random_dim(); };
    const bool is_deep = random_.chance(30);  // a sum is deep if it has more terms than one block of the order of summation (256 terms)
    axes_ = {{is_deep ? some(4, 6) : some(4, 12), true, false, false},
             {is_deep ? some(8, 9) : some(8, 20), false, true, false},
             {is_deep ? some(257, 400) : some(16, 60), true, true, true}};
    const bool are_several = random_.chance(15);
    if (are_several) {  // one factor has several axes that are not summed, and all sizes are constant
      const int64_t columns = random_.pick(std::vector<int64_t>{8, 16, 20, 32});
      axes_ = {{random_.between(2, 4), true, true, false},
               {random_.between(4, 9), true, false, false},
               {columns, false, true, false},
               {random_.between(16, 30), true, true, true}};
    }
    for (uint64_t more = are_several || random_.chance(50) ? 0 : 1 + random_.below(2); more > 0; --more) {
      const uint64_t kind = random_.below(4);
      axes_.push_back({random_.chance(70) ? bench_.small_dim(2, 4) : bench_.random_dim(), kind != 0, kind != 1, kind == 3});
    }
    if (!are_several && random_.chance(50)) random_.shuffle(axes_);
    for (const Axis& axis : axes_) space_.push_back(axis.size);
    const int64_t terms = bench_.estimated_count(space_);
    return terms >= 0 && terms <= kMaxTerms;
  }

  std::vector<int> summed_axes() const {
    std::vector<int> result;
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].is_summed) result.push_back(static_cast<int>(i));
    return result;
  }

  /// Builds a factor: an array over the axes along which it varies, stored with its axes in any order, then permuted and expanded to the
  /// index space.
  NodeRef factor(bool Axis::*varies, int work) {
    std::vector<int> own, order;  // numbers of axes of the index space
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].*varies) own.push_back(static_cast<int>(i));
    order = own;
    if (random_.chance(50)) random_.shuffle(order);
    Shape shape, with_ones = space_;
    for (const int axis : order) shape.push_back(space_[static_cast<size_t>(axis)]);
    for (size_t i = 0; i < axes_.size(); ++i)
      if (!(axes_[i].*varies)) with_ones[i] = 1;
    std::vector<int> permutation;
    for (const int axis : own) permutation.push_back(static_cast<int>(std::find(order.begin(), order.end(), axis) - order.begin()));
    NodeRef node = build::permute(stored_array(shape), permutation);
    for (int i = 0; i < work; ++i) node = worked(node);
    if (random_.chance(12)) bench_.want(node);
    node = build::expand(build::reshape(node, std::move(with_ones)), space_);
    return work > 0 && random_.chance(40) ? worked(node) : node;
  }

  /// Returns an array of this shape, or every second to fourth element along the last axis of a longer one, as the real parts of complex
  /// numbers are.
  NodeRef stored_array(const Shape& shape) {
    if (shape.empty() || !shape.back().is_constant() || !random_.chance(15)) return bench_.array_of(dtype_, shape);
    const int64_t step = random_.between(2, 4);
    Shape longer = shape;
    longer.back() *= Dim(step);
    std::vector<Dim> start(shape.size(), Dim(0));
    start.back() = Dim(random_.between(0, step - 1));
    std::vector<int64_t> steps(shape.size(), 1);
    steps.back() = step;
    return build::slice_exactly(bench_.array_of(dtype_, longer), start, shape, steps);
  }

  /// Applies random operations that change neither the shape nor the dtype of x.
  NodeRef worked(NodeRef x) {
    const auto constant = [&] { return build::constant(bench_.graph(), scalar_from_int(x->dtype, random_.between(1, 3))); };
    const bool is_ordered = !is_complex(x->dtype);
    switch (random_.below(8)) {
      case 0: {
        for (int64_t steps = random_.chance(90) ? random_.between(1, 4) : 30; steps > 0; --steps)
          x = build::elementwise(Op::kAdd, {build::elementwise(Op::kMul, {x, x}), x});
        return x;
      }
      case 1: return is_float(x->dtype) ? build::elementwise(random_.chance(50) ? Op::kTanh : Op::kExp, {x}) : build::square(x);
      case 2: return is_ordered ? build::elementwise(Op::kMax, {x, constant()}) : build::sub(x, constant());
      case 3: return x->rank() > 0 ? build::flip(x, std::vector<int>{some_axis(x)}) : x;
      case 4: return is_ordered ? build::elementwise(Op::kWhere, {build::elementwise(Op::kLt, {x, constant()}), x, constant()}) : x;
      case 5: return x->rank() > 0 ? build::elementwise(Op::kAdd, {x, vector_along(x)}) : x;
      case 6: return build::elementwise(Op::kAdd, {x, bench_.array_of(x->dtype, x->shape)});
      default: return build::elementwise(Op::kMul, {x, constant()});
    }
  }
  int some_axis(NodeRef x) { return static_cast<int>(random_.below(static_cast<uint64_t>(x->rank()))); }
  /// An array of the shape of x that varies along one axis and is constant along all others.
  NodeRef vector_along(NodeRef x) {
    const auto axis = static_cast<size_t>(some_axis(x));
    Shape shape(x->shape.size(), Dim(1));
    shape[axis] = x->shape[axis];
    return build::expand(build::reshape(bench_.array_of(x->dtype, {x->shape[axis]}), shape), x->shape);
  }

  /// Adds other consumers of the factors or of their product. These are outputs over the whole index space, or further sums that the same
  /// kernel may compute.
  void store_too(NodeRef a, NodeRef b, NodeRef terms) {
    const NodeRef shared = random_.pick(std::vector<NodeRef>{a, b, terms});
    switch (random_.below(4)) {
      case 0: bench_.want(shared); return;
      case 1: bench_.want(worked(shared)); return;
      case 2: bench_.want(build::elementwise(Op::kAdd, {worked(a), b})); return;
      default:
        bench_.want(build::reduce(random_.chance(50) || is_complex(dtype_) ? Op::kSum : Op::kReduceMax, shared, summed_axes(), false));
    }
  }

  Workbench& bench_;
  Random& random_;
  std::vector<Axis> axes_;
  Shape space_;
  DType dtype_ = DType::kF32;
};

}  // namespace

bool add_product(Workbench& bench) { return Product(bench).add(); }

}  // namespace harp::fuzz
