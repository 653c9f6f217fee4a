/* harp · graph "matmul" · target sm_80 · stable, law 7 · 1 kernel
   a: f32[m, k], b: f32[k, n] -> c: f32[m, n]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

/* a / b, rounded down; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The remainder of a / b, with the sign of b; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_mod_i64(i64 a, i64 b) {
  if (b == 0 || b == -1) return 0;
  const i64 rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* generation 0 · reduce over [m, n] · sum of [m, k, n] axes [1] chain product · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 oidx0 = (shape1 + 255) / 256;
  const i64 oidx1 = (oidx0 + 255) / 256;
  const i64 oidx2 = (oidx1 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * shape2; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc3 = 0.0f;
    const i64 oidx7 = floor_div_i64(ridx0, shape2);
    const i64 oidx8 = floor_mod_i64(ridx0, shape2);
    const float* input0_row1 = input0 + shape1 * oidx7;
    const float* input1_row1 = input1 + oidx8;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      float acc2 = 0.0f;
      const i64 oidx3 = min_i64(oidx1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx3; ++ridx2) {
        float acc1 = 0.0f;
        const i64 oidx4 = min_i64(oidx0, ridx2 * 256 + 256);
        for (i64 ridx3 = ridx2 * 256; ridx3 < oidx4; ++ridx3) {
          float acc0 = 0.0f;
          const i64 oidx5 = min_i64(shape1, ridx3 * 256 + 256);
          const i64 oidx6 = oidx5 / 16;
          for (i64 ridx4 = 0; ridx4 < oidx6 - ridx3 * 16; ++ridx4) {
            const float* input0_row = input0 + shape1 * oidx7 + ridx3 * 256 + ridx4 * 16;
            const float* input1_row = input1 + shape2 * ridx3 * 256 + shape2 * ridx4 * 16 + oidx8;
            #pragma unroll 16
            for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
              acc0 = fma_f32(input0_row[ridx5], input1_row[shape2 * ridx5], acc0);
            }
          }
          for (i64 ridx6 = oidx6 * 16; ridx6 < oidx5; ++ridx6) {
            acc0 = fma_f32(input0_row1[ridx6], input1_row1[shape2 * ridx6], acc0);
          }
          acc1 += acc0;
        }
        acc2 += acc1;
      }
      acc3 += acc2;
    }
    output0[ridx0] = acc3;
  }
}

