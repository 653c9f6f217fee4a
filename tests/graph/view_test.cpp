// Tests views: for a chain of random movement operations, the view must map each index of the result to the same input element as following
// the nodes one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "graph/composites.h"
#include "graph/view.h"

using namespace harp;
using build::NodeRef;

namespace {

constexpr int64_t kFill = -1;

int64_t constant(Dim d) { return d.constant(); }

/// Returns the position in the input of element `index` of `node`, or kFill if the element is a padding value.
int64_t trace(NodeRef node, std::vector<int64_t> index) {
  while (node->op != Op::kInput) {
    NodeRef source = node->sources[0];
    std::vector<int64_t> from(source->rank());
    for (int axis = 0; axis < source->rank(); ++axis) {
      switch (node->op) {
        case Op::kPermute: from[node->as<PermuteAttributes>().axes[axis]] = index[axis]; break;
        case Op::kExpand: from[axis] = source->shape[axis].is_constant(1) ? 0 : index[axis]; break;
        case Op::kSlice: {
          const auto& a = node->as<SliceAttributes>();
          from[axis] = constant(a.start[axis]) + index[axis] * a.step[axis];
          break;
        }
        case Op::kPad: from[axis] = index[axis] - constant(node->as<PadAttributes>().before[axis]); break;
        case Op::kUnfold: {
          const auto& a = node->as<UnfoldAttributes>();
          from[axis] = axis == a.axis ? index[axis] * a.stride + index.back() * a.dilation : index[axis];
          break;
        }
        default: break;
      }
    }
    if (node->op == Op::kReshape) {
      int64_t position = 0;
      for (int axis = 0; axis < node->rank(); ++axis) position = position * constant(node->shape[axis]) + index[axis];
      for (int axis = source->rank(); axis-- > 0;) {
        from[axis] = position % constant(source->shape[axis]);
        position /= constant(source->shape[axis]);
      }
    }
    if (node->op == Op::kPad)
      for (int axis = 0; axis < source->rank(); ++axis)
        if (from[axis] < 0 || from[axis] >= constant(source->shape[axis])) return kFill;
    node = source;
    index = from;
  }
  int64_t position = 0;
  for (int axis = 0; axis < node->rank(); ++axis) position = position * constant(node->shape[axis]) + index[axis];
  return position;
}

int64_t look(const View& view, const std::vector<int64_t>& index) {
  int64_t position = constant(view.offset);
  for (int axis = 0; axis < view.rank(); ++axis) {
    if (index[axis] < constant(view.begin[axis]) || index[axis] >= constant(view.end[axis])) return kFill;
    position += index[axis] * constant(view.strides[axis]);
  }
  return position;
}

NodeRef random_movement(NodeRef x, std::mt19937& random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const int rank = x->rank();
  const int axis = static_cast<int>(below(rank));
  switch (below(6)) {
    case 0: {
      std::vector<int> order(rank);
      for (int i = 0; i < rank; ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), random);
      return build::permute(x, order);
    }
    case 1: {
      std::vector<build::SliceSpec> specs(rank);
      specs[axis] = {Dim(below(5) - 2), Dim(below(9) - 2), below(2) ? 1 + below(2) : -1 - below(2)};
      return build::slice(x, specs);
    }
    case 2: {
      std::vector<Dim> before(rank, Dim(0)), after(rank, Dim(0));
      before[axis] = below(3);
      after[axis] = below(2);
      return build::pad(x, before, after, scalar_from_int(DType::kF32, 0));
    }
    case 3: {
      if (constant(x->shape[axis]) < 3 || rank > 5) return x;
      return build::unfold(x, axis, 2, 1 + below(2), 1 + below(2));
    }
    case 4: {
      if (rank > 5) return build::flatten(x, 0, 1);
      const NodeRef one = build::unsqueeze(x, std::vector<int>{axis});
      Shape shape = one->shape;
      shape[axis] = 1 + below(3);
      return build::expand(one, shape);
    }
    default: {
      if (rank >= 2 && axis + 1 < rank && below(2)) return build::flatten(x, axis, axis + 1);
      Shape shape = x->shape;
      if (rank > 5 || constant(shape[axis]) % 2 != 0) return x;
      shape[axis] = constant(shape[axis]) / 2;
      shape.insert(shape.begin() + axis + 1, Dim(2));
      return build::reshape(x, shape);
    }
  }
}

}  // namespace

TEST_CASE("G5.zero_copy: composed views find the elements that the nodes name") {
  int views_composed = 0, not_linear = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Graph g;
    NodeRef node = g.add_input("x", DType::kF32, {2 + int64_t(seed % 4), 4, 3});
    std::optional<View> view = View::contiguous(node->shape);
    CHECK(view->is_contiguous());
    for (int step = 0; step < 6 && view; ++step) {
      const NodeRef next = random_movement(node, random);
      std::vector<NodeRef> path;  // has two entries if random_movement has created two nodes
      for (NodeRef n = next; n != node; n = n->sources[0]) path.push_back(n);
      for (; !path.empty() && view; path.pop_back()) view = apply(*view, *path.back());
      node = next;
      if (!view) {
        ++not_linear;
        break;
      }
      ++views_composed;
      REQUIRE(view->shape == node->shape);
      std::vector<int64_t> index(node->rank(), 0);
      if (element_count(node->shape).is_constant(0)) break;
      for (bool more = true; more;) {
        REQUIRE(look(*view, index) == trace(node, index));
        more = false;
        for (int axis = node->rank(); axis-- > 0;) {
          if (++index[axis] < constant(node->shape[axis])) {
            more = true;
            break;
          }
          index[axis] = 0;
        }
      }
    }
  }
  CHECK(views_composed > 5000);
  CHECK(not_linear > 100);
}

TEST_CASE("G5.zero_copy: symbolic views stay linear where the sizes divide") {
  Graph g;
  const Dim n = g.dims().variable("n", 1, 1000);
  const NodeRef x = g.add_input("x", DType::kF32, {n, 8, 16});
  View v = View::contiguous(x->shape);
  CHECK(v.strides == Shape{128, 16, 1});
  const NodeRef flat = build::reshape(x, {n * 8, 16});
  v = *apply(v, *flat);
  CHECK(v.is_contiguous());
  const int order[] = {1, 0};
  const NodeRef turned = build::permute(flat, order);
  v = *apply(v, *turned);
  CHECK(v.strides == Shape{1, 16});
  const NodeRef split = build::reshape(turned, {4, 4, n, 8});
  v = *apply(v, *split);
  CHECK(v.strides == Shape{4, 1, 128, 16});
  CHECK(apply(v, *build::reshape(split, {16, 8, n}))->strides == Shape{1, 16 * n, 16});
  const NodeRef whole = build::reshape(split, {16 * n * 8});
  CHECK_FALSE(apply(v, *whole).has_value());
}
