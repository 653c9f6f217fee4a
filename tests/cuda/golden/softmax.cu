/* harp · graph "softmax" · target sm_80 · stable, law 7 · 1 kernel
   x: f32[n, 1024] -> y: f32[n, 1024]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ float maximum_f32(float x, float y) {
  const i32 alu0 = __float_as_int(y < x ? x : y);
  const i32 alu1 = __float_as_int(x < y ? y : x);
  return __int_as_float((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
}

/* Combines element i with element i + half, then repeats this on the first half. */
static __device__ __noinline__ float fold_maximum_64_f32(float* s) {
  for (int half = 32; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) s[i] = maximum_f32(s[i], s[i + half]);
  return s[0];
}

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 neg_i32(i32 a) { return (i32)(0u - (u32)a); }

static __device__ __forceinline__ float scale_f32(float x, float y) {
  const i32 alu0 = add_i32(__float_as_int(y), -1262485504);
  const i32 alu1 = alu0 >> 1;
  const float alu2 = __int_as_float(add_i32(add_i32(alu0, neg_i32(alu1)), 127) << 23);
  return x * __int_as_float(add_i32(alu1, 127) << 23) * alu2;
}

static __device__ __forceinline__ float exp_f32(float x) {
  const float alu0 = 89.0f < x ? 89.0f : x;
  const float alu1 = alu0 < -104.0f ? -104.0f : alu0;
  const float alu2 = fma_f32(alu1, 1.442695f, 12582912.0f);
  const float alu3 = alu2 - 12582912.0f;
  const float alu4 = fma_f32(alu3, -0.69314575f, alu1);
  const float alu5 = alu3 * -1.4286068e-06f;
  const float alu6 = alu4 + alu5;
  const float alu7 = fma_f32(fma_f32(fma_f32(0.001391077f, alu6, 0.008363099f), alu6, 0.04166671f), alu6, 0.16666578f);
  const float alu8 = fma_f32(alu6 * alu6, fma_f32(alu7, alu6, 0.5f), alu5);
  return scale_f32(1.0f + (alu4 + alu8), alu2);
}

/* Combines element i with element i + half, then repeats this on the first half. */
static __device__ __noinline__ float fold_add_64_f32(float* s) {
  for (int half = 32; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) s[i] = s[i] + s[i + half];
  return s[0];
}

/* generation 0 · rowwise over [n] · max of [n, 1024] axes [1] lanes · sum of [n, 1024] axes [1] lanes · rowwise [thread, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0; ridx0 += (i64)gridDim.x * blockDim.x) {
    float row0[1024];
    float acc1[64];
    for (int i = 0; i < 64; ++i) acc1[i] = __uint_as_float(0xff800000u);
    for (i64 ridx1 = 0; ridx1 < 1024; ridx1 += 64) {
      const float* input0_row = input0 + ridx0 * 1024 + ridx1;
      for (i64 ridx2 = 0; ridx2 < 64; ++ridx2) {
        acc1[ridx2] = maximum_f32(acc1[ridx2], input0_row[ridx2]);
      }
    }
    const float acc1_folded = fold_maximum_64_f32(acc1);
    float acc2[64];
    for (int i = 0; i < 64; ++i) acc2[i] = 0.0f;
    const float alu0 = -acc1_folded;
    for (i64 ridx3 = 0; ridx3 < 1024; ridx3 += 64) {
      const float* input0_row1 = input0 + ridx0 * 1024 + ridx3;
      for (i64 ridx4 = 0; ridx4 < 64; ++ridx4) {
        const float alu1 = exp_f32(input0_row1[ridx4] + alu0);
        row0[ridx3 + ridx4] = alu1;
        acc2[ridx4] += alu1;
      }
    }
    const float acc2_folded = fold_add_64_f32(acc2);
    float* output0_row = output0 + ridx0 * 1024;
    for (i64 ridx5 = 0; ridx5 < 1024; ++ridx5) {
      output0_row[ridx5] = row0[ridx5] / acc2_folded;
    }
  }
}

