// A CUDA source that has kernels of its own and includes harp.hpp. cuda_source_test.py compiles it together with everything.cpp.
#include <harp.hpp>

__device__ inline double twice(double x) { return 2 * x; }
__global__ void scale(double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = twice(x[i]);
}

double on_the_host() {
  harp::Field<double> a({2, 3}, 1), b({2, 3}, 2), d;
  d = a * b + 1;
  fuse(a = d - 1, b = a * a);
  const harp::Tensor x({1.0F, 2.0F});
  return sum(b).value<double>() + (x * 2).sum().item<float>();
}
