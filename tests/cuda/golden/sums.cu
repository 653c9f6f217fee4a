/* harp · graph "sums" · target sm_80 · stable, law 7 · 3 kernels
   x: f32[n, 300] -> last: f32[n], first: f32[300], all: f32[], deviation: f32[n]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Combines element i with element i + half, then repeats this on the first half. */
static __device__ __noinline__ float fold_add_64_f32(float* s) {
  for (int half = 32; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) s[i] = s[i] + s[i + half];
  return s[0];
}

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ float sqrt_f32(float a) { return sqrtf(a); }

/* generation 0 · reduce over [300] · sum of [n, 300] axes [0] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = (shape0 + 255) / 256;
  const i64 oidx1 = (oidx0 + 255) / 256;
  const i64 oidx2 = (oidx1 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc3 = 0.0f;
    const float* input0_row = input0 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      float acc2 = 0.0f;
      const i64 oidx3 = min_i64(oidx1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx3; ++ridx2) {
        float acc1 = 0.0f;
        const i64 oidx4 = min_i64(oidx0, ridx2 * 256 + 256);
        for (i64 ridx3 = ridx2 * 256; ridx3 < oidx4; ++ridx3) {
          float acc0 = 0.0f;
          const i64 oidx5 = min_i64(shape0, ridx3 * 256 + 256);
          for (i64 ridx4 = ridx3 * 256; ridx4 < oidx5; ++ridx4) {
            acc0 += input0_row[ridx4 * 300];
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

/* generation 0 · reduce over [] · sum of [n, 300] axes [0, 1] lanes · reduce [reduce] */
extern "C" __global__ void __launch_bounds__(1) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  float acc3[64];
  for (int i = 0; i < 64; ++i) acc3[i] = 0.0f;
  const i64 oidx0 = (shape0 * 75 + 1023) / 1024;
  const i64 oidx1 = (oidx0 + 4095) / 4096;
  const i64 oidx2 = (oidx1 + 4095) / 4096;
  for (i64 ridx0 = 0; ridx0 < oidx2; ++ridx0) {
    float acc2[64];
    for (int i = 0; i < 64; ++i) acc2[i] = 0.0f;
    const i64 oidx3 = min_i64(oidx1, ridx0 * 4096 + 4096);
    for (i64 ridx1 = ridx0 * 4096; ridx1 < oidx3; ++ridx1) {
      float acc1[64];
      for (int i = 0; i < 64; ++i) acc1[i] = 0.0f;
      const i64 oidx4 = min_i64(oidx0, ridx1 * 4096 + 4096);
      for (i64 ridx2 = ridx1 * 4096; ridx2 < oidx4; ++ridx2) {
        float acc0[64];
        for (int i = 0; i < 64; ++i) acc0[i] = 0.0f;
        const i64 oidx5 = min_i64(shape0 * 300, ridx2 * 4096 + 4096);
        const i64 oidx6 = oidx5 / 64;
        for (i64 ridx3 = ridx2 * 4096; ridx3 < oidx6 * 64; ridx3 += 64) {
          const float* input0_row = input0 + ridx3;
          for (i64 ridx4 = 0; ridx4 < 64; ++ridx4) {
            acc0[ridx4] += input0_row[ridx4];
          }
        }
        const float* input0_row1 = input0 + oidx6 * 64;
        for (i64 ridx5 = 0; ridx5 < oidx5 - oidx6 * 64; ++ridx5) {
          acc0[ridx5] += input0_row1[ridx5];
        }
        const float acc0_folded = fold_add_64_f32(acc0);
        const i64 oidx7 = ridx2 & 63;
        acc1[oidx7] += acc0_folded;
      }
      const float acc1_folded = oidx4 <= ridx1 * 4096 + 1 ? acc1[0] : fold_add_64_f32(acc1);
      const i64 oidx8 = ridx1 & 63;
      acc2[oidx8] += acc1_folded;
    }
    const float acc2_folded = oidx3 <= ridx0 * 4096 + 1 ? acc2[0] : fold_add_64_f32(acc2);
    acc3[ridx0] += acc2_folded;
  }
  const float acc3_folded = oidx2 <= 1 ? acc3[0] : fold_add_64_f32(acc3);
  output0[0] = acc3_folded;
}

/* generation 0 · rowwise over [n] · sum of [n, 300] axes [1] lanes · sum of [n, 300] axes [1] lanes product · rowwise [thread, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0[64];
    for (int i = 0; i < 64; ++i) acc0[i] = 0.0f;
    for (i64 ridx1 = 0; ridx1 < 256; ridx1 += 64) {
      const float* input0_row = input0 + ridx0 * 300 + ridx1;
      for (i64 ridx2 = 0; ridx2 < 64; ++ridx2) {
        acc0[ridx2] += input0_row[ridx2];
      }
    }
    const float* input0_row1 = input0 + ridx0 * 300;
    for (i64 ridx3 = 0; ridx3 < 44; ++ridx3) {
      acc0[ridx3] += input0_row1[ridx3 + 256];
    }
    const float acc0_folded = fold_add_64_f32(acc0);
    output0[ridx0] = acc0_folded;
    float acc1[64];
    for (int i = 0; i < 64; ++i) acc1[i] = 0.0f;
    const float alu0 = -(acc0_folded / 300.0f);
    for (i64 ridx4 = 0; ridx4 < 256; ridx4 += 64) {
      const float* input0_row2 = input0 + ridx0 * 300 + ridx4;
      for (i64 ridx5 = 0; ridx5 < 64; ++ridx5) {
        const float alu1 = input0_row2[ridx5] + alu0;
        acc1[ridx5] = fma_f32(alu1, alu1, acc1[ridx5]);
      }
    }
    for (i64 ridx6 = 0; ridx6 < 44; ++ridx6) {
      const float alu2 = input0_row1[ridx6 + 256] + alu0;
      acc1[ridx6] = fma_f32(alu2, alu2, acc1[ridx6]);
    }
    const float acc1_folded = fold_add_64_f32(acc1);
    output1[ridx0] = sqrt_f32((acc1_folded + 0.0f) / 300.0f);
  }
}

