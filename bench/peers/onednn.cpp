// harp_bench_onednn CHANNELS OUT GROUPS STRIDE PADDING KERNEL SIZE...: measures a forward convolution of one image by oneDNN. KERNEL has
// one number for each axis of SIZE ("3x3 56x56"); stride and padding are the same on all axes. All arrays are row-major (NCHW, weights
// OIHW), as harp's are. oneDNN's primitive may use other layouts. It is created once; every run includes the conversion of data, weights
// and result to and from its layouts.
#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <string>

#include "bench/peers/served.h"

namespace {

using dnnl::memory;

memory::dims numbers(const std::string& text) {
  memory::dims result;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) result.push_back(std::atol(word.c_str()));
  return result;
}

int64_t count(const memory::dims& dims) {
  int64_t product = 1;
  for (const int64_t size : dims) product *= size;
  return product;
}

memory::desc plain(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return {dims, memory::data_type::f32, strides};
}

memory::desc any(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fputs("usage: harp_bench_onednn CHANNELS OUT GROUPS STRIDE PADDING KERNEL SIZE\n", stderr);
    return 2;
  }
  const int64_t channels = std::atol(argv[1]), out = std::atol(argv[2]), groups = std::atol(argv[3]);
  const memory::dims kernel = numbers(argv[6]), size = numbers(argv[7]);
  const memory::dims strides(size.size(), std::atol(argv[4])), padding(size.size(), std::atol(argv[5]));
  memory::dims from_dims = {1, channels}, to_dims = {1, out}, weight_dims = {out, channels / groups};
  if (groups > 1) weight_dims = {groups, out / groups, channels / groups};
  for (size_t i = 0; i < size.size(); ++i) {
    from_dims.push_back(size[i]);
    to_dims.push_back((size[i] + 2 * padding[i] - kernel[i]) / strides[i] + 1);
    weight_dims.push_back(kernel[i]);
  }

  bench::Memory arrays;
  const auto bytes = [](const memory::dims& dims) { return static_cast<size_t>(count(dims)) * sizeof(float); };
  arrays.reserve(bench::Memory::room(1, bytes(from_dims)) + bench::Memory::room(1, bytes(weight_dims)) +
                 bench::Memory::room(1, bytes(to_dims)));
  const auto take = [&](const memory::dims& dims) { return arrays.take(static_cast<size_t>(count(dims))); };
  const std::span<float> x = take(from_dims), w = take(weight_dims), y = take(to_dims);
  bench::fill(x, -1, 1, bench::seed_of(0));
  bench::fill(w, -1, 1, bench::seed_of(1));

  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::convolution_forward::primitive_desc description({dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                                               any(from_dims), any(weight_dims), any(to_dims), strides, padding, padding},
                                                              engine);
  // Each operand exists twice: row-major, and in the primitive's own layout. If the two layouts are equal, both share their memory.
  struct Operand {
    memory plain, own;
    bool moves() const { return plain != own; }
  };
  const auto operand = [&](std::span<float> array, const memory::dims& dims, const memory::desc& wanted) {
    Operand result;
    result.plain = memory(plain(dims), engine, array.data());
    result.own = wanted == plain(dims) ? result.plain : memory(wanted, engine);
    return result;
  };
  Operand from = operand(x, from_dims, description.src_desc()), weights = operand(w, weight_dims, description.weights_desc()),
          to = operand(y, to_dims, description.dst_desc());
  const dnnl::convolution_forward convolution(description);
  const dnnl::reorder move_from(from.plain, from.own), move_weights(weights.plain, weights.own), move_to(to.own, to.plain);
  return bench::serve(std::span<const float>(y), [&] {
    if (from.moves()) move_from.execute(stream, from.plain, from.own);
    if (weights.moves()) move_weights.execute(stream, weights.plain, weights.own);
    convolution.execute(stream, {{DNNL_ARG_SRC, from.own}, {DNNL_ARG_WEIGHTS, weights.own}, {DNNL_ARG_DST, to.own}});
    if (to.moves()) move_to.execute(stream, to.own, to.plain);
    stream.wait();
  });
}
