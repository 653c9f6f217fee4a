// harp_bench_onednn_matmul BATCH M K N: measures products of row-major f32 matrices by oneDNN. Every run includes the copies that oneDNN
// makes into layouts of its own.
#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>

#include "bench/peers/served.h"

namespace {

using dnnl::memory;

/// Describes BATCH row-major matrices; a single matrix has no batch axis.
memory::desc plain(int64_t batch, int64_t rows, int64_t columns) {
  if (batch == 1) return {{rows, columns}, memory::data_type::f32, memory::format_tag::ab};
  return {{batch, rows, columns}, memory::data_type::f32, memory::format_tag::abc};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: harp_bench_onednn_matmul BATCH M K N\n", stderr);
    return 2;
  }
  const int64_t batch = std::atol(argv[1]), m = std::atol(argv[2]), k = std::atol(argv[3]), n = std::atol(argv[4]);
  const auto count = [batch](int64_t rows, int64_t columns) { return static_cast<size_t>(batch * rows * columns); };
  bench::Memory arrays;
  arrays.reserve(bench::Memory::room(1, count(m, k) * sizeof(float)) + bench::Memory::room(1, count(k, n) * sizeof(float)) +
                 bench::Memory::room(1, count(m, n) * sizeof(float)));
  const std::span<float> a = arrays.take(count(m, k)), b = arrays.take(count(k, n)), c = arrays.take(count(m, n));
  bench::fill(a, -1, 1, bench::seed_of(0));
  bench::fill(b, -1, 1, bench::seed_of(1));

  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory left(plain(batch, m, k), engine, a.data()), right(plain(batch, k, n), engine, b.data()),
      result(plain(batch, m, n), engine, c.data());
  const dnnl::matmul product(dnnl::matmul::primitive_desc({left.get_desc(), right.get_desc(), result.get_desc()}, engine));
  return bench::serve(std::span<const float>(c), [&] {
    product.execute(stream, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
    stream.wait();
  });
}
