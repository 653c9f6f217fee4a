#include "fuzz/fourier_patterns.h"

#include <optional>
#include <string_view>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class Transforms {
 public:
  explicit Transforms(Workbench& bench)
      : bench_(bench), random_(bench.random()), length_(length()), real_(random_.chance(70) ? DType::kF32 : DType::kF64) {}

  bool add() {
    if (range(length_).lo < 1) return false;
    bool is_added = false;
    for (uint64_t count = 2 + random_.below(2); count > 0; --count) is_added |= transformed();
    return is_added;
  }

 private:
  static constexpr int64_t kMaxElements = 6000;

  /// A length with small prime factors, a prime number, or an expression of a shape variable.
  Dim length() {
    if (const std::optional<Dim> variable = random_.chance(20) ? bench_.random_variable() : std::nullopt) return *variable + Dim(1);
    constexpr int64_t kLengths[] = {2, 4, 7, 8, 11, 16, 30, 37, 48, 50, 53, 60, 64, 77, 96, 101, 128, 169, 240};
    return Dim(random_.pick(kLengths));
  }

  /// A number of columns: fewer than a vector has, as many as one or two vectors have, or more.
  Dim columns() {
    switch (random_.below(4)) {
      case 0: return bench_.small_dim(1, 7);
      case 1: return bench_.small_dim(8, 33);
      case 2: return bench_.small_dim(34, 70);
      default: return bench_.random_dim();
    }
  }

  /// Adds a transform along the first, the middle or the last axis, of real or complex numbers, which may be computed before and after it.
  /// A part of the transforms are cut or padded to the length.
  bool transformed() {
    Dim size = length_;
    const std::optional<Dim> n = random_.chance(30) ? std::optional(length_) : std::nullopt;
    if (n && length_.is_constant()) size = bench_.small_dim(1, 2 * range(length_).lo);
    Shape shape = {columns()};
    const int axis = static_cast<int>(random_.below(2));
    shape.insert(shape.begin() + axis, size);
    const bool has_batch = random_.chance(30);
    if (has_batch) shape.insert(shape.begin(), bench_.small_dim(1, 3));
    if (const int64_t count = bench_.estimated_count(shape); count < 0 || count > kMaxElements) return false;
    const bool is_real = random_.chance(40);
    NodeRef x = bench_.array_of(is_real ? real_ : complex_dtype(real_), shape);
    if (random_.chance(30)) x = build::elementwise(Op::kMul, {x, x});
    const NodeRef y = result(x, n, axis + (has_batch ? 1 : 0), is_real);
    return bench_.want(random_.chance(30) ? build::elementwise(Op::kAdd, {y, y}) : y);
  }

  NodeRef result(NodeRef x, std::optional<Dim> n, int axis, bool is_real) {
    constexpr std::string_view kNorms[] = {"backward", "ortho", "forward"};
    const std::string_view norm = random_.pick(kNorms);
    if (is_real && random_.chance(70)) return build::rfft(x, n, axis, norm);
    if (!is_real && random_.chance(20)) return build::irfft(x, n ? n : std::optional(length_), axis, norm);
    return random_.chance(60) ? build::fft(x, n, axis, norm) : build::ifft(x, n, axis, norm);
  }

  Workbench& bench_;
  Random& random_;
  const Dim length_;
  const DType real_;
};

}  // namespace

bool add_transforms(Workbench& bench) { return Transforms(bench).add(); }

}  // namespace harp::fuzz
