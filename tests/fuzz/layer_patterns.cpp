#include "fuzz/layer_patterns.h"

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class Layers {
 public:
  explicit Layers(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    const bool has_many = random_.chance(40);  // with many equal layers, harp writes their launches as a table (render/host/launch_table.h)
    const bool are_joined = has_many && random_.chance(30);
    std::vector<NodeRef> joined;
    const DType dtype = random_.chance(70) ? DType::kF32 : DType::kF64;
    const Dim size = random_.chance(80) ? bench_.small_dim(3, 40) : bench_.random_dim();
    const Shape shape = {size, size};
    if (bench_.estimated_count(shape) > kMaxElements) return false;
    factor_ = build::constant(bench_.graph(), scalar_from_int(dtype, random_.between(2, 3)));
    first_ = x_ = bench_.new_input(dtype, shape);
    kind_ = has_many ? kProduct : random_.below(kKinds);
    bool is_kept = false;
    for (int64_t layers = has_many ? random_.between(10, 16) : random_.between(2, 4); layers > 0; --layers) {
      const NodeRef result = layer(has_many || random_.chance(70) ? x_ : bench_.new_input(dtype, shape));
      if (layers == 1 || random_.chance(has_many ? 10 : 40)) is_kept = bench_.want(result) || is_kept;
      if (are_joined)
        joined.push_back(result);
      else if (has_many || random_.chance(80))
        x_ = result;
    }
    if (are_joined) is_kept = bench_.want(build::concat(joined, 0)) || is_kept;
    return is_kept;
  }

 private:
  static constexpr int64_t kMaxElements = 2000;
  static constexpr uint64_t kProduct = 2, kKinds = 6;

  /// The second operand of a layer: mostly a new input. Sometimes it is the first layer's input or the layer's own input, so that the
  /// kernel differs from those of the other layers.
  NodeRef other(NodeRef x) { return random_.chance(70) ? bench_.new_input(x->dtype, x->shape) : random_.chance(50) ? first_ : x; }
  NodeRef scaled(NodeRef x) {
    const NodeRef factor = random_.chance(80) ? factor_ : build::constant(bench_.graph(), bench_.random_scalar(x->dtype));
    return build::elementwise(Op::kMul, {x, factor});
  }
  NodeRef layer(NodeRef x) {
    const int turned[] = {1, 0}, axis[] = {1};
    switch (kind_) {
      case 0: return build::elementwise(Op::kAdd, {build::softmax(x, 1), other(x)});
      case 1: return build::elementwise(Op::kMul, {build::softmax(scaled(x), 0), other(x)});
      case kProduct: return build::matmul(x, other(x));
      case 3: return build::elementwise(Op::kTanh, {build::matmul(scaled(x), other(x))});
      case 4:
        return build::elementwise(Op::kAdd, {scaled(x), build::expand(build::reduce(Op::kReduceMax, other(x), axis, true), x->shape)});
      default: return build::elementwise(Op::kAdd, {build::permute(build::softmax(x, 1), turned), other(x)});
    }
  }

  Workbench& bench_;
  Random& random_;
  uint64_t kind_ = 0;
  NodeRef factor_ = nullptr, first_ = nullptr, x_ = nullptr;
};

}  // namespace

bool add_layers(Workbench& bench) { return Layers(bench).add(); }

}  // namespace harp::fuzz
