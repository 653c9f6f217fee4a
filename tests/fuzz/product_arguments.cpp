#include "fuzz/product_arguments.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.h"
#include "fuzz/index_arguments.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

using Arguments = std::vector<Argument>;

Argument list_of(const std::vector<int64_t>& values) {
  std::vector<SizeItem> items;
  for (const int64_t value : values) items.emplace_back(Dim(value));
  return items;
}

class ProductChooser {
 public:
  ProductChooser(Workbench& bench, const Operation& row, NodeRef primary)
      : bench_(bench), random_(bench.random()), row_(row), x_(primary) {}

  std::optional<Arguments> choose() {
    const std::string_view name = row_.name;
    if (name == "matmul" || name == "batch_matmul") return matrices(true);
    if (name == "dot") return matrices(false);
    if (name == "tensordot") return tensordot();
    if (name == "einsum") return einsum();
    if (name.ends_with("pool") || name == "max_pool_with_indices") return pooling(name);
    if (name == "scaled_dot_product_attention") return attention();
    if (name == "nll_loss" || (name == "cross_entropy" && random_.chance(70))) return class_loss(name == "cross_entropy");
    if (name == "cross") return vectors_of_three();
    if (name.ends_with("_norm") && (name[0] == 'b' || name[0] == 'g' || name[0] == 'i')) return channel_norm();
    if (name.starts_with("conv")) return convolution(name.back() == 'd' ? name[name.size() - 2] - '0' : 0, name.starts_with("conv_t"));
    return std::nullopt;
  }

 private:
  NodeRef array(Shape shape) { return bench_.array_of(x_->dtype, shape); }
  Dim some_size() { return random_.chance(15) ? bench_.random_dim() : bench_.small_dim(1, 6); }

  /// The two factors of a matrix product, one of which is the primary array. The other factor gets batch axes if the operation broadcasts
  /// batch axes.
  Arguments matrices(bool has_batch) {
    if (x_->rank() == 0) return {x_, array({})};
    const Shape& shape = x_->shape;
    const bool is_left = random_.chance(50), is_vector = x_->rank() == 1;
    const Dim summed = is_left || is_vector ? shape.back() : shape[shape.size() - 2];
    Shape other = {summed};
    if (random_.chance(80)) other.insert(is_left ? other.end() : other.begin(), some_size());
    if (has_batch && other.size() == 2 && random_.chance(50)) {
      if (!is_vector) other.insert(other.begin(), shape.begin(), shape.end() - 2);
      for (size_t i = 0; i + 2 < other.size(); ++i) {  // batch axes broadcast: a size is the same in both factors, or it is 1 in one factor
        if (other[i].is_constant(1))
          other[i] = bench_.small_dim(1, 3);
        else if (random_.chance(20))
          other[i] = 1;
      }
      if (random_.chance(20)) other.insert(other.begin(), bench_.small_dim(1, 3));
    }
    const NodeRef factor = array(std::move(other));
    return is_left ? Arguments{x_, factor} : Arguments{factor, x_};
  }

  std::vector<int64_t> shuffled(size_t count) {
    std::vector<int64_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    random_.shuffle(result);
    return result;
  }

  Arguments tensordot() {
    std::vector<int64_t> axes = shuffled(x_->shape.size()), others;
    axes.resize(random_.below(axes.size() + 1));
    Shape shape;
    for (const int64_t axis : axes) {
      others.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(x_->shape[static_cast<size_t>(axis)]);
    }
    if (random_.chance(60)) shape.push_back(some_size());
    return {x_, array(std::move(shape)), list_of(axes), list_of(others)};
  }

  /// Arguments of einsum: one to three arrays that share some letters. The result has some of these letters.
  Arguments einsum() {
    if (random_.chance(15)) return {std::vector<NodeRef>{x_, array(x_->shape)}, std::string(x_->rank() > 0 ? "...a,...a->..." : "...,...")};
    std::string spec, all;
    std::vector<Dim> sizes;
    for (const Dim size : x_->shape) {
      const size_t same = std::find(sizes.begin(), sizes.end(), size) - sizes.begin();
      if (same < sizes.size() && random_.chance(30)) {
        spec += all[same];  // a letter that occurs twice in one array selects the diagonal
        continue;
      }
      all += static_cast<char>('a' + all.size());
      spec += all.back();
      sizes.push_back(size);
    }
    std::vector<NodeRef> arrays = {x_};
    for (uint64_t more = random_.below(3); more > 0; --more) {
      std::string term;
      Shape shape;
      for (const int64_t i : shuffled(all.size())) {
        if (random_.chance(50)) continue;
        term += all[static_cast<size_t>(i)];
        shape.push_back(random_.chance(8) ? Dim(1) : sizes[static_cast<size_t>(i)]);
      }
      if (random_.chance(60)) {
        all += static_cast<char>('a' + all.size());
        sizes.push_back(some_size());
        term += all.back();
        shape.push_back(sizes.back());
      }
      append(spec, cat(",", term));
      arrays.push_back(array(std::move(shape)));
    }
    if (random_.chance(80)) {
      append(spec, "->");
      for (const int64_t i : shuffled(all.size()))
        if (random_.chance(60)) spec += all[static_cast<size_t>(i)];
    }
    return {std::move(arrays), std::move(spec)};
  }

  static Argument boolean(bool value) { return Literal{Literal::kBool, false, value ? "true" : "false", {}}; }

  /// Arguments of attention. The primary array is the query and may have batch axes; key and value may have fewer heads than the query.
  Arguments attention() {
    if (x_->rank() < 2) return {x_, x_, x_, {}, boolean(false), {}, boolean(false)};
    const Shape& query = x_->shape;
    Shape key = query, value = query, scores = query;
    key[key.size() - 2] = value[value.size() - 2] = scores.back() = some_size();
    value.back() = some_size();
    bool has_groups = query.size() >= 3 && random_.chance(30);
    if (has_groups) {
      const auto heads = build::exact_quotient(query[query.size() - 3], 2);
      const Dim shared = heads && random_.chance(60) ? *heads : Dim(1);
      key[key.size() - 3] = value[value.size() - 3] = shared;
    }
    Argument mask;
    if (random_.chance(40)) {
      if (random_.chance(50)) scores.erase(scores.begin(), scores.end() - 2);
      mask = bench_.array_of(random_.chance(50) ? DType::kBool : x_->dtype, scores);
    }
    Argument scale;
    if (random_.chance(30)) scale = Literal{Literal::kReal, false, "0.5", {}};
    return {x_, array(std::move(key)), array(std::move(value)), mask, boolean(random_.chance(30)), scale, boolean(has_groups)};
  }

  /// Arguments of a classification loss. The primary array contains the scores, and one of its axes is the class axis; the targets are
  /// class indices.
  Arguments class_loss(bool has_smoothing) {
    if (x_->rank() == 0)
      return has_smoothing ? Arguments{x_, x_, Dim(0), std::string("none"), {}, {}, {}}
                           : Arguments{x_, x_, Dim(0), std::string("none"), {}, {}};
    const size_t axis = random_.below(x_->shape.size());
    Shape classes = x_->shape;
    classes.erase(classes.begin() + static_cast<int64_t>(axis));
    const NodeRef any = bench_.array_of(random_.chance(50) ? DType::kI64 : DType::kU8, classes);
    const NodeRef target = elementwise_remainder(any, random_.between(2, 6));
    Argument weight, ignored;
    if (random_.chance(40)) weight = array({x_->shape[axis]});
    if (random_.chance(40)) ignored = Dim(random_.between(0, 2));
    constexpr std::string_view kReductions[] = {"mean", "sum", "none"};
    Arguments arguments = {x_, target, Dim(static_cast<int64_t>(axis)), std::string(random_.pick(kReductions)), weight, ignored};
    if (has_smoothing) arguments.emplace_back(Literal{Literal::kReal, false, random_.chance(50) ? "0.0" : "0.25", {}});
    return arguments;
  }

  NodeRef elementwise_remainder(NodeRef any, int64_t by) {
    return build::elementwise(Op::kRem, {any, build::constant(bench_.graph(), scalar_from_int(any->dtype, by))});
  }

  /// Returns the arguments of an operation on vectors of three elements: two new arrays of the primary's shape, but with 3 elements along
  /// the last axis. Sometimes the second array has only that axis.
  Arguments vectors_of_three() {
    Shape shape = x_->shape;
    if (shape.empty()) shape.emplace_back(3);
    shape.back() = 3;
    const NodeRef a = array(shape);
    if (random_.chance(20)) shape.erase(shape.begin(), shape.end() - 1);
    return {a, array(std::move(shape)), Dim(-1)};
  }

  Arguments channel_norm() {
    const NodeRef x = as_pictures(1 + static_cast<int>(random_.below(2)));
    const Dim channels = x->shape[1];
    const auto maybe = [&] { return random_.chance(60) ? Argument(array({channels})) : Argument(std::monostate{}); };
    const Argument eps = Literal{Literal::kReal, false, "1e-3", {}};
    const Argument weight = maybe(), bias = maybe();
    if (row_.name == "instance_norm") return {x, weight, bias, eps};
    if (row_.name == "group_norm") return {x, Dim(build::exact_quotient(channels, 2) && random_.chance(50) ? 2 : 1), weight, bias, eps};
    if (random_.chance(50)) return {x, {}, {}, weight, bias, Dim(1), eps};
    const NodeRef mean = array({channels}), var = build::square(array({channels}));
    return {x, mean, var, weight, bias, Dim(1), eps};
  }

  /// Reshapes the primary array to the axes batch, channels and `spatial` image axes.
  NodeRef as_pictures(int spatial) {
    Shape shape = x_->shape;
    const auto rank = static_cast<size_t>(spatial) + 2;
    while (shape.size() > rank) {
      shape[0] = shape[0] * shape[1];
      shape.erase(shape.begin() + 1);
    }
    shape.insert(shape.begin(), rank - shape.size(), Dim(1));
    return build::reshape(x_, std::move(shape));
  }

  Argument numbers(int count, int64_t lo, int64_t hi) {
    std::vector<int64_t> values;
    for (int i = 0; i < (random_.chance(50) ? 1 : count); ++i) values.push_back(random_.chance(50) ? lo : random_.between(lo, hi));
    return list_of(values);
  }

  Dim amount(bool may_crop) { return may_crop && random_.chance(8) ? Dim(random_.between(-2, -1)) : bench_.small_dim(0, 2); }
  Argument paddings(int spatial, bool may_crop) {
    std::vector<SizeItem> padding;
    for (int i = 0; i < spatial; ++i) padding.emplace_back(std::vector<Dim>{amount(may_crop), amount(may_crop)});
    return padding;
  }
  Argument boolean() { return Literal{Literal::kBool, false, random_.chance(50) ? "true" : "false", {}}; }

  /// Arguments of a pooling operation, with windows over some of the last axes.
  Arguments pooling(std::string_view name) {
    // For a scalar this gives one axis although a scalar has none, and the operation must report an error.
    const int axes = static_cast<int>(1 + random_.below(std::clamp<size_t>(x_->shape.size(), 1, 3)));
    std::vector<SizeItem> size;
    for (int i = 0; i < axes; ++i) size.emplace_back(Dim(random_.between(1, 4)));
    const Argument stride = random_.chance(40) ? Argument() : numbers(axes, 1, 4);
    const bool is_back = name == "max_unpool";
    const Argument padding = random_.chance(40) ? Argument(Dim(0)) : paddings(axes, !is_back), dilation = numbers(axes, 1, 3);
    if (name == "avg_pool") return {x_, size, stride, padding, boolean(), boolean(), dilation};
    if (!is_back) return {x_, size, stride, padding, dilation, boolean()};
    Argument output_size;
    Dim plane = bench_.small_dim(1, 9);
    if (random_.chance(70)) {
      std::vector<SizeItem> sizes = {plane};
      for (int i = 1; i < axes; ++i) {
        sizes.emplace_back(Dim(random_.between(1, 4)));
        plane = plane * std::get<Dim>(sizes.back());
      }
      output_size = sizes;
    }
    return {x_, some_indices(bench_, x_->shape, plane), size, stride, padding, output_size};
  }

  Arguments convolution(int spatial, bool is_transposed) {
    const NodeRef x = as_pictures(spatial);
    const Dim channels = x->shape[1], out = Dim(random_.between(1, 3));
    const int64_t groups = build::exact_quotient(channels, 2).has_value() && random_.chance(40) ? 2 : 1;
    const Dim in_each = *build::exact_quotient(channels, groups);
    Shape kernel = is_transposed ? Shape{channels, out} : Shape{out * Dim(groups), in_each};
    for (int i = 0; i < spatial; ++i) kernel.push_back(bench_.small_dim(1, 3));
    Argument bias;
    if (random_.chance(30)) bias = array({out * Dim(groups)});
    const Argument padding = paddings(spatial, !is_transposed);
    const Argument stride = numbers(spatial, 1, 3), dilation = numbers(spatial, 1, 3), extra = numbers(spatial, 0, 1);
    if (is_transposed) return {x, array(std::move(kernel)), bias, stride, padding, extra, Dim(groups), dilation};
    return {x, array(std::move(kernel)), bias, stride, padding, dilation, Dim(groups)};
  }

  Workbench& bench_;
  Random& random_;
  const Operation& row_;
  NodeRef x_;
};

}  // namespace

std::optional<std::vector<Argument>> product_arguments(Workbench& bench, const Operation& row, NodeRef primary) {
  if (primary == nullptr) return std::nullopt;
  return ProductChooser(bench, row, primary).choose();
}

}  // namespace harp::fuzz
