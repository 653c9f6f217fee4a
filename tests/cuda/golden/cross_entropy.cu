/* harp · graph "cross_entropy" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[64, 1000], classes: i64[64] -> loss: f32[64]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

struct __align__(8) bytes8 { u32 words[2]; };

/* Both addresses are multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes(void* to, const void* from) { *(bytes8*)to = *(const bytes8*)from; }

static __device__ __forceinline__ float maximum_f32(float x, float y) {
  const i32 alu0 = __float_as_int(y < x ? x : y);
  const i32 alu1 = __float_as_int(x < y ? y : x);
  return __int_as_float((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
}

/* Folds the 64 elements of 32 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_maximum_32x2_f32(float* s) {
  #pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 2; ++i) s[i] = maximum_f32(s[i], __shfl_down_sync(0xffffffffu, s[i], distance, 32));
  s[0] = maximum_f32(s[0], s[1]);
  return __shfl_sync(0xffffffffu, s[0], 0, 32);
}

/* Flips the sign bit, whatever the compiler could make of the operand. */
static __device__ __forceinline__ float neg_f32(float x) { return __int_as_float(__float_as_int(x) ^ -2147483647 - 1); }

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

/* Folds the 64 elements of 32 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_32x2_f32(float* s) {
  #pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 2; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 32);
  s[0] = s[0] + s[1];
  return __shfl_sync(0xffffffffu, s[0], 0, 32);
}

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 clamp_index_i64(i64 x, i64 y) {
  const i64 alu0 = x < 0ll ? add_i64(x, y) : x;
  const i64 alu1 = alu0 < 0ll ? 0ll : alu0;
  return alu1 < y ? alu1 : add_i64(y, -1ll);
}

static __device__ __forceinline__ float minus_exponent_near_one_f32(float x) {
  const bool alu0 = x < 1.1754944e-38f;
  const i32 alu1 = add_i32(__float_as_int(alu0 ? x * 8388608.0f : x), -1061158912);
  const i32 alu2 = neg_i32(alu1 >> 23);
  return (float)(alu0 ? add_i32(alu2, 23) : alu2);
}

static __device__ __forceinline__ float mantissa_near_one_f32(float x) {
  const i32 alu0 = __float_as_int(x < 1.1754944e-38f ? x * 8388608.0f : x);
  const i32 alu1 = add_i32(alu0, neg_i32((add_i32(alu0, -1061158912) >> 23) << 23));
  return __int_as_float(alu1);
}

static __device__ const float log_f32_tables[2][16] = {
    {0.0f, 0.08882904f, 0.13381958f, 0.19664764f, 0.23866272f, 0.29049683f, 0.34126282f, 0.37704468f, -0.2588501f, -0.21957397f, -0.19059753f, -0.14916229f, -0.11103821f, -0.08054352f, -0.044944763f, 0.0f}, /* log_centres */
    {1.0f, 0.915002f, 0.8747479f, 0.82148004f, 0.7876805f, 0.7478919f, 0.71087205f, 0.6858854f, 1.2954396f, 1.245546f, 1.2099724f, 1.1608614f, 1.1174376f, 1.083876f, 1.0459701f, 1.0f} /* log_inverses */
};

static __device__ __forceinline__ float log_at_limits_f32(float x, float y) {
  const float alu0 = x < 0.0f ? __uint_as_float(0x7fc00000u) : (x < __uint_as_float(0x7f800000u) ? y : x);
  return (x == 0.0f) ? __uint_as_float(0xff800000u) : alu0;
}

static __device__ __forceinline__ float log_f32(float x) {
  const float alu0 = minus_exponent_near_one_f32(x);
  const float alu1 = mantissa_near_one_f32(x);
  const i32 alu2 = __float_as_int(alu1) >> 19;
  const float alu3 = fma_f32(alu0, -0.69314575f, log_f32_tables[0][alu2 & 15]);
  const float alu4 = fma_f32(alu1, log_f32_tables[1][alu2 & 15], -1.0f);
  const float alu5 = alu3 + alu4;
  const float alu6 = fma_f32(fma_f32(fma_f32(0.18869194f, alu4, -0.25007552f), alu4, 0.33334434f), alu4, -0.5f);
  const float alu7 = alu4 - (alu5 - alu3) + fma_f32(alu4 * alu4, alu6, alu0 * -1.4286068e-06f);
  return log_at_limits_f32(x, alu5 + alu7);
}

/* generation 0 · rowwise over [64] · max of [64, 1000] axes [1] lanes · sum of [64, 1000] axes [1] lanes · rowwise [thread, thread_group simd=2] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const float* __restrict__ input0, const i64* __restrict__ input1, float* __restrict__ output0) {
  const i64 thread = threadIdx.x % 32;
  const i64 group = threadIdx.x / 32;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 1ll) == 0ll;
  #pragma unroll 1
  for (i64 ridx0 = (i64)blockIdx.x * 4 + group; ridx0 < 64; ridx0 += (i64)gridDim.x * 4) {
    const i64* input1_row = input1 + ridx0;
    const float* input0_row = input0 + ridx0 * 1000;
    float* output0_row = output0 + ridx0;
    if (aligned0) {
      float row0[32] __attribute__((aligned(16)));
      float acc1[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc1[i] = __uint_as_float(0xff800000u);
      #pragma unroll 15
      for (i64 ridx1 = 0; ridx1 < 15; ++ridx1) {
        float row2[2] __attribute__((aligned(8)));
        copy_8_bytes(row2, input0 + ridx0 * 1000 + thread * 2 + ridx1 * 64);
        #pragma unroll 2
        for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
          const float alu0 = row2[ridx3];
          row0[ridx1 * 2 + ridx3] = alu0;
          acc1[ridx3] = maximum_f32(acc1[ridx3], alu0);
        }
      }
      if (thread * 2 <= 38) {
        float row3[2] __attribute__((aligned(8)));
        copy_8_bytes(row3, input0 + ridx0 * 1000 + thread * 2 + 960);
        #pragma unroll 2
        for (i64 ridx5 = 0; ridx5 < 2; ++ridx5) {
          const float alu1 = row3[ridx5];
          row0[ridx5 + 30] = alu1;
          acc1[ridx5] = maximum_f32(acc1[ridx5], alu1);
        }
      }
      const float acc1_folded = fold_maximum_32x2_f32(acc1);
      float acc5[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc5[i] = 0.0f;
      const float alu2 = neg_f32(acc1_folded);
      #pragma unroll 15
      for (i64 ridx6 = 0; ridx6 < 15; ++ridx6) {
        #pragma unroll 2
        for (i64 ridx8 = 0; ridx8 < 2; ++ridx8) {
          acc5[ridx8] += exp_f32(row0[ridx6 * 2 + ridx8] + alu2);
        }
      }
      if (thread * 2 <= 38) {
        #pragma unroll 2
        for (i64 ridx10 = 0; ridx10 < 2; ++ridx10) {
          acc5[ridx10] += exp_f32(row0[ridx10 + 30] + alu2);
        }
      }
      const float acc5_folded = fold_add_32x2_f32(acc5);
      if (thread == 0) {
        const i64 alu3 = input1_row[0];
        const bool alu4 = 0ll <= alu3 && alu3 < 1000ll;
        const i64 alu5 = (i64)(i32)alu3;
        const bool alu6 = 0ll <= alu5 && alu5 < 1000ll;
        const float alu7 = input0_row[clamp_index_i64(alu5, 1000ll)];
        const float alu8 = -(alu6 ? alu7 + alu2 + 0.0f : 0.0f);
        output0_row[0] = alu4 ? log_f32(acc5_folded) + alu8 : __uint_as_float(0x7fc00000u);
      }
    } else {
      float row7[32] __attribute__((aligned(16)));
      float acc8[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc8[i] = __uint_as_float(0xff800000u);
      #pragma unroll 15
      for (i64 ridx12 = 0; ridx12 < 15; ++ridx12) {
        const float* input0_row1 = input0 + ridx0 * 1000 + ridx12 * 64 + thread * 2;
        #pragma unroll 2
        for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
          const float alu9 = input0_row1[ridx14];
          row7[ridx12 * 2 + ridx14] = alu9;
          acc8[ridx14] = maximum_f32(acc8[ridx14], alu9);
        }
      }
      const float* input0_row2 = input0 + ridx0 * 1000 + thread * 2;
      if (thread * 2 <= 38) {
        #pragma unroll 2
        for (i64 ridx16 = 0; ridx16 < 2; ++ridx16) {
          const float alu10 = input0_row2[ridx16 + 960];
          row7[ridx16 + 30] = alu10;
          acc8[ridx16] = maximum_f32(acc8[ridx16], alu10);
        }
      }
      const float acc8_folded = fold_maximum_32x2_f32(acc8);
      float acc10[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc10[i] = 0.0f;
      const float alu11 = neg_f32(acc8_folded);
      #pragma unroll 15
      for (i64 ridx17 = 0; ridx17 < 15; ++ridx17) {
        #pragma unroll 2
        for (i64 ridx19 = 0; ridx19 < 2; ++ridx19) {
          acc10[ridx19] += exp_f32(row7[ridx17 * 2 + ridx19] + alu11);
        }
      }
      if (thread * 2 <= 38) {
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          acc10[ridx21] += exp_f32(row7[ridx21 + 30] + alu11);
        }
      }
      const float acc10_folded = fold_add_32x2_f32(acc10);
      if (thread == 0) {
        const i64 alu12 = input1_row[0];
        const bool alu13 = 0ll <= alu12 && alu12 < 1000ll;
        const i64 alu14 = (i64)(i32)alu12;
        const bool alu15 = 0ll <= alu14 && alu14 < 1000ll;
        const float alu16 = input0_row[clamp_index_i64(alu14, 1000ll)];
        const float alu17 = -(alu15 ? alu16 + alu11 + 0.0f : 0.0f);
        output0_row[0] = alu13 ? log_f32(acc10_folded) + alu17 : __uint_as_float(0x7fc00000u);
      }
    }
  }
}

