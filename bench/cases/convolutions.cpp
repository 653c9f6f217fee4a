// Compares convolutions of one image, from and to row-major arrays, with oneDNN on one thread. oneDNN's time includes converting its
// operands to its preferred layouts and the result back, as harp's includes packing.
#include "bench/harness/peer_process.h"
#include "bench/peers/served.h"

namespace bench {
namespace {

struct Convolution {
  const char* name;
  int64_t channels, out, groups, stride, padding;
  std::vector<int64_t> kernel, size;
};

std::vector<Convolution> convolutions() {
  return {
      {"conv.3x3", 64, 64, 1, 1, 1, {3, 3}, {56, 56}},           {"conv.7x7", 3, 64, 1, 2, 3, {7, 7}, {224, 224}},
      {"conv.depthwise", 128, 128, 128, 1, 1, {3, 3}, {56, 56}}, {"conv.1x1", 256, 64, 1, 1, 0, {1, 1}, {56, 56}},
      {"conv.3d", 32, 32, 1, 1, 1, {3, 3, 3}, {16, 28, 28}},
  };
}

std::vector<harp_dim> dims_of(int64_t first, int64_t second, const std::vector<int64_t>& space) {
  std::vector<harp_dim> dims = {first, second};
  dims.insert(dims.end(), space.begin(), space.end());
  return dims;
}

size_t count(const std::vector<harp_dim>& dims) {
  size_t product = 1;
  for (const harp_dim size : dims) product *= static_cast<size_t>(size);
  return product;
}

/// Sizes in the form of a command line: "3x3".
std::string text_of(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::vector<Row> run(Session& session, const Convolution& c) {
  const size_t axes = c.size.size();
  std::vector<int64_t> result_size;
  for (size_t i = 0; i < axes; ++i) result_size.push_back((c.size[i] + 2 * c.padding - c.kernel[i]) / c.stride + 1);
  const std::vector<harp_dim> x_dims = dims_of(1, c.channels, c.size), w_dims = dims_of(c.out, c.channels / c.groups, c.kernel),
                              y_dims = dims_of(1, c.out, result_size);
  session.memory.reserve(Memory::room(1, count(x_dims) * sizeof(float)) + Memory::room(1, count(w_dims) * sizeof(float)) +
                         Memory::room(1, count(y_dims) * sizeof(float)));
  const std::span<float> x = session.memory.take(count(x_dims)), w = session.memory.take(count(w_dims)),
                         y = session.memory.take(count(y_dims));
  fill(x, -1, 1, seed_of(0));
  fill(w, -1, 1, seed_of(1));

  const Graph graph = session.new_graph();
  const int64_t stride = c.stride;
  const harp_dim padding = c.padding;
  harp_node* input = harp_input(graph.get(), "x", HARP_F32, static_cast<int32_t>(x_dims.size()), x_dims.data());
  harp_node* weight = harp_input(graph.get(), "w", HARP_F32, static_cast<int32_t>(w_dims.size()), w_dims.data());
  const auto convolve = axes == 2 ? harp_conv2d : harp_conv3d;
  harp_output(graph.get(), "y", convolve(input, weight, nullptr, 1, &stride, 1, &padding, 0, nullptr, c.groups));
  ProgramRun harp(session, graph.get(), {x.data(), w.data()}, {y.data()});

  const Scale scale =
      Scale::flops(2.0 * static_cast<double>(count(y_dims)) * static_cast<double>(count(w_dims)) / static_cast<double>(c.out));
  const std::vector<std::string> arguments = {
      std::to_string(c.channels), std::to_string(c.out), std::to_string(c.groups), std::to_string(c.stride),
      std::to_string(c.padding),  text_of(c.kernel),     text_of(c.size)};
  return {against(session, c.name, scale, harp, std::span<const float>(y), "onednn", arguments, "oneDNN with reorders")};
}

}  // namespace

std::vector<Benchmark> convolution_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Convolution& convolution : convolutions())
    benchmarks.push_back({{convolution.name}, [convolution](Session& session) { return run(session, convolution); }});
  return benchmarks;
}

}  // namespace bench
