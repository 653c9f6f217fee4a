// Builds random numbers as a function of a key and a counter. The generator has no state, so a graph gives the same numbers on every
// machine, however the work is divided. It is Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011): additions, exclusive ors and rotations of 32 bits, which every vector unit supports. It is built from integer
// primitives, so it fuses with its consumers. docs/semantics.md, "Random numbers", defines its bits.
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

NodeRef add(NodeRef a, NodeRef b) { return elementwise(Op::kAdd, {a, b}); }
NodeRef mul(NodeRef a, NodeRef b) { return elementwise(Op::kMul, {a, b}); }
NodeRef exclusive_or(NodeRef a, NodeRef b) { return elementwise(Op::kBitXor, {a, b}); }
NodeRef either(NodeRef a, NodeRef b) { return elementwise(Op::kBitOr, {a, b}); }
NodeRef shifted_left(NodeRef x, int bits) { return elementwise(Op::kShl, {x, constant_like(x, bits)}); }
NodeRef shifted_right(NodeRef x, int bits) { return elementwise(Op::kShr, {x, constant_like(x, bits)}); }

/// A 64-bit number, split into the two 32-bit words on which the generator works.
struct Words {
  NodeRef high, low;
};
Words words_of(NodeRef x) {
  const NodeRef high = cast(shifted_right(x, 32), DType::kU32);
  return {high, cast(x, DType::kU32)};
}
NodeRef joined(Words words) {
  const NodeRef high = shifted_left(cast(words.high, DType::kU64), 32);
  return either(high, cast(words.low, DType::kU64));
}

/// Threefry-2x32-20. The key is extended to three words. Two of them are added before the first round and after every fourth round; which
/// two changes cyclically.
Words threefry(Words key, Words counter) {
  constexpr uint32_t kParity = 0x1BD11BDA;  // the third word of the key is the exclusive or of this constant (from Skein) and the other two
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const NodeRef both = exclusive_or(key.high, key.low);
  const NodeRef keys[3] = {key.high, key.low, exclusive_or(both, constant_like(key.low, kParity))};
  NodeRef x = add(counter.high, keys[0]), y = add(counter.low, keys[1]);
  for (int group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      x = add(x, y);
      const NodeRef high = shifted_left(y, rotation);
      y = exclusive_or(either(high, shifted_right(y, 32 - rotation)), x);
    }
    x = add(x, keys[group % 3]);
    y = add(y, add(keys[(group + 1) % 3], constant_like(y, group)));
  }
  return {x, y};
}

/// The key of the generator, and the counter of the first element.
struct Source {
  Graph& graph;
  NodeRef key, counter;  // u64, rank 0
};

NodeRef number_of(std::string_view op, std::string_view what, NodeRef x) {
  HARP_CHECK(x->dtype == DType::kU32 || x->dtype == DType::kU64, Code::kDType, op, ": the ", what, " must be u32 or u64, got ",
             name(x->dtype), " (", label(x), ")");
  HARP_CHECK(x->rank() == 0, Code::kShape, op, ": the ", what, " must be a scalar, got shape ", to_string(x->shape), " (", label(x), ")");
  return cast(x, DType::kU64);
}

Source source_of(std::string_view op, NodeRef key, NodeRef counter, const Shape& shape, DType dtype) {
  Graph& graph = check_node(op, key);
  if (counter != nullptr) {
    const NodeRef both[] = {key, counter};
    check_nodes(op, both);
    check_node(op, counter);
  }
  check_shape(op, graph, dtype, shape);
  return {graph, number_of(op, "key", key),
          counter != nullptr ? number_of(op, "counter", counter) : constant(graph, Scalar::of(DType::kU64, uint64_t{0}))};
}

/// Returns the counter of every element: the counter of the first element plus the element's row-major position.
NodeRef counters(const Source& source, const Shape& shape) {
  NodeRef counter = source.counter;
  Dim stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride = stride * shape[axis]) {
    if (shape[axis].is_constant(1)) continue;
    Shape along(shape.size(), Dim(1));
    along[axis] = shape[axis];
    NodeRef offset = cast(arange(source.graph, shape[axis]), DType::kU64);
    if (!stride.is_constant(1)) offset = mul(offset, cast(size(source.graph, stride), DType::kU64));
    offset = broadcast_to(reshape(offset, along), shape);
    counter = add(counter, offset);
  }
  return broadcast_to(counter, shape);
}

Words random_words(const Source& source, NodeRef key, const Shape& shape) {
  const Words key_words = words_of(key);
  return threefry(key_words, words_of(counters(source, shape)));
}

/// Derives a second key from the first one: the output of the generator for the greatest possible counter.
NodeRef second_key(const Source& source) {
  const NodeRef last = constant(source.graph, Scalar::of(DType::kU32, UINT32_MAX));
  return joined(threefry(words_of(source.key), {last, last}));
}

int bits_of(NodeRef word) { return static_cast<int>(size_of(word->dtype)) * 8; }

/// Converts the highest `digits` bits of a word to a multiple of 2^-digits in [0, 1). `digits` is the precision of the dtype.
NodeRef fraction(NodeRef word, DType dtype, int digits) {
  const NodeRef whole = cast(shifted_right(word, bits_of(word) - digits), dtype);
  return mul(whole, constant_like(whole, std::ldexp(1.0, -digits)));
}

constexpr int digits_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return 11;
    case DType::kBF16: return 8;
    case DType::kF32: return 24;
    case DType::kF64: return 53;
    default: fail(Code::kInternal, "random numbers need a float dtype, got ", name(dtype));
  }
}

/// The Box-Muller transform: converts two random words, one for a radius and one for an angle, to a normally distributed number. All bits
/// of the radius word are converted, to a number in (0, 1], so that the greatest possible results are as large as these bits allow.
NodeRef box_muller(NodeRef radius_word, NodeRef angle_word, DType dtype) {
  const int bits = bits_of(radius_word);
  const NodeRef whole = cast(radius_word, dtype), scale = constant_like(whole, std::ldexp(1.0, -bits));
  const NodeRef u = elementwise(Op::kFma, {whole, scale, constant_like(whole, std::ldexp(1.0, -bits - 1))});
  const NodeRef logarithm = elementwise(Op::kLog, {u});
  const NodeRef radius = elementwise(Op::kSqrt, {mul(logarithm, constant_like(u, -2))});
  const NodeRef revolutions = mul(cast(angle_word, dtype), scale);
  return mul(radius, elementwise(Op::kCos, {mul(revolutions, constant_like(revolutions, 2 * std::numbers::pi))}));
}

void check_float(std::string_view op, DType dtype) {
  check_dtype(op, dtype);
  HARP_CHECK(is_float(dtype), Code::kDType, op, ": expected a float dtype, got ", name(dtype));
}

}  // namespace

NodeRef random_bits(NodeRef key, NodeRef counter, const Shape& shape, DType dtype) {
  constexpr std::string_view op = "random_bits";
  check_dtype(op, dtype);
  HARP_CHECK(is_int(dtype) && !is_signed_int(dtype), Code::kDType, op, ": expected u8, u16, u32 or u64, got ", name(dtype));
  const Source source = source_of(op, key, counter, shape, dtype);
  const Words words = random_words(source, source.key, shape);
  return dtype == DType::kU64 ? joined(words) : cast(exclusive_or(words.high, words.low), dtype);
}

NodeRef random_uniform(NodeRef key, NodeRef counter, const Shape& shape, DType dtype) {
  constexpr std::string_view op = "random_uniform";
  check_float(op, dtype);
  const Source source = source_of(op, key, counter, shape, dtype);
  const Words words = random_words(source, source.key, shape);
  const DType working = working_dtype(dtype);
  const NodeRef bits = working == DType::kF64 ? joined(words) : exclusive_or(words.high, words.low);
  return cast(fraction(bits, working, digits_of(dtype)), dtype);
}

NodeRef random_normal(NodeRef key, NodeRef counter, const Shape& shape, DType dtype) {
  constexpr std::string_view op = "random_normal";
  check_float(op, dtype);
  const Source source = source_of(op, key, counter, shape, dtype);
  const Words words = random_words(source, source.key, shape);
  const DType working = working_dtype(dtype);
  if (working == DType::kF32) return cast(box_muller(words.high, words.low, working), dtype);
  const NodeRef radius_word = joined(words);
  return box_muller(radius_word, joined(random_words(source, second_key(source), shape)), working);
}

}  // namespace harp::build
