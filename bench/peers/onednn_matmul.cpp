// harp_bench_onednn_matmul DTYPE BATCH M K N: measures products of row-major matrices by oneDNN. DTYPE is f32, or i8, for which the result
// is i32. Every run includes the copies that oneDNN makes into its own layouts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>

#include "bench/peers/served.h"

namespace {

using dnnl::memory;

struct Sizes {
  int64_t batch, m, k, n;
};

/// Describes an array of `batch` row-major matrices. A single matrix has no batch axis.
memory::desc plain(memory::data_type type, int64_t batch, int64_t rows, int64_t columns) {
  if (batch == 1) return {{rows, columns}, type, memory::format_tag::ab};
  return {{batch, rows, columns}, type, memory::format_tag::abc};
}

void fill(std::span<float> values, unsigned seed) { bench::fill(values, -1, 1, seed); }
void fill(std::span<int8_t> values, unsigned seed) { bench::fill(values, seed); }

template <class Factor, class Result>
int serve_product(const Sizes& sizes, memory::data_type factors, memory::data_type results) {
  const auto count = [&](int64_t rows, int64_t columns) { return static_cast<size_t>(sizes.batch * rows * columns); };
  const size_t left_size = count(sizes.m, sizes.k), right_size = count(sizes.k, sizes.n), result_size = count(sizes.m, sizes.n);
  bench::Memory arrays;
  arrays.reserve(bench::Memory::room(1, left_size * sizeof(Factor)) + bench::Memory::room(1, right_size * sizeof(Factor)) +
                 bench::Memory::room(1, result_size * sizeof(Result)));
  const std::span<Factor> a = arrays.take_as<Factor>(left_size), b = arrays.take_as<Factor>(right_size);
  const std::span<Result> c = arrays.take_as<Result>(result_size);
  fill(a, bench::seed_of(0));
  fill(b, bench::seed_of(1));

  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory left(plain(factors, sizes.batch, sizes.m, sizes.k), engine, a.data()),
      right(plain(factors, sizes.batch, sizes.k, sizes.n), engine, b.data()),
      result(plain(results, sizes.batch, sizes.m, sizes.n), engine, c.data());
  const dnnl::matmul product(dnnl::matmul::primitive_desc({left.get_desc(), right.get_desc(), result.get_desc()}, engine));
  return bench::serve(std::span<const Result>(c), [&] {
    product.execute(stream, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
    stream.wait();
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view dtype = argc == 6 ? argv[1] : "";
  if (dtype != "f32" && dtype != "i8") {
    std::fputs("usage: harp_bench_onednn_matmul f32|i8 BATCH M K N\n", stderr);
    return 2;
  }
  const Sizes sizes{std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4]), std::atol(argv[5])};
  if (dtype == "f32") return serve_product<float, float>(sizes, memory::data_type::f32, memory::data_type::f32);
  return serve_product<int8_t, int32_t>(sizes, memory::data_type::s8, memory::data_type::s32);
}
