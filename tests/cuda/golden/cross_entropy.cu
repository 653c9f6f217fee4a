/* harp · graph "cross_entropy" · target sm_80 · stable, law 6 · 1 kernel
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

/* Folds 2 elements of each of 32 threads: combines element i of all of them with element i + half, then repeats this
   on the first half. Every thread gets the result. */
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

/* Folds 2 elements of each of 32 threads: combines element i of all of them with element i + half, then repeats this
   on the first half. Every thread gets the result. */
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

static __device__ __forceinline__ float mantissa_near_one_f32(float x) {
  const i32 alu0 = __float_as_int(x < 1.1754944e-38f ? x * 8388608.0f : x);
  const i32 alu1 = add_i32(alu0, neg_i32((add_i32(alu0, -1061158912) >> 23) << 23));
  return __int_as_float(alu1);
}

static __device__ __forceinline__ float minus_exponent_near_one_f32(float x) {
  const bool alu0 = x < 1.1754944e-38f;
  const i32 alu1 = add_i32(__float_as_int(alu0 ? x * 8388608.0f : x), -1061158912);
  const i32 alu2 = neg_i32(alu1 >> 23);
  return (float)(alu0 ? add_i32(alu2, 23) : alu2);
}

static __device__ const float log_inverses[16] = {
    1.0f, 0.915002f, 0.8747479f, 0.82148004f, 0.7876805f, 0.7478919f, 0.71087205f, 0.6858854f, 1.2954396f, 1.245546f, 1.2099724f, 1.1608614f, 1.1174376f, 1.083876f, 1.0459701f, 1.0f};

static __device__ const float log_centres[16] = {
    0.0f, 0.08882904f, 0.13381958f, 0.19664764f, 0.23866272f, 0.29049683f, 0.34126282f, 0.37704468f, -0.2588501f, -0.21957397f, -0.19059753f, -0.14916229f, -0.11103821f, -0.08054352f, -0.044944763f, 0.0f};

static __device__ __forceinline__ float log_at_limits_f32(float x, float y) {
  const float alu0 = x < 0.0f ? __uint_as_float(0x7fc00000u) : (x < __uint_as_float(0x7f800000u) ? y : x);
  return (x == 0.0f) ? __uint_as_float(0xff800000u) : alu0;
}

static __device__ __forceinline__ float log_f32(float x) {
  const float alu0 = mantissa_near_one_f32(x);
  const i32 alu1 = __float_as_int(alu0) >> 19;
  const float alu2 = minus_exponent_near_one_f32(x);
  const float alu3 = fma_f32(alu0, log_inverses[alu1 & 15], -1.0f);
  const float alu4 = fma_f32(alu2, -0.69314575f, log_centres[alu1 & 15]);
  const float alu5 = alu4 + alu3;
  const float alu6 = fma_f32(fma_f32(fma_f32(0.18869194f, alu3, -0.25007552f), alu3, 0.33334434f), alu3, -0.5f);
  const float alu7 = alu3 - (alu5 - alu4) + fma_f32(alu3 * alu3, alu6, alu2 * -1.4286068e-06f);
  return log_at_limits_f32(x, alu5 + alu7);
}

/* generation 0 · rowwise over [64] · max of [64, 1000] axes [1] lanes · sum of [64, 1000] axes [1] lanes · rowwise [thread, thread_group simd=2] */
extern "C" __global__ void __launch_bounds__(128) kernel_0(const float* __restrict__ input0, const i64* __restrict__ input1, float* __restrict__ output0) {
  const i64 thread = threadIdx.x % 32;
  const i64 group = threadIdx.x / 32;
  const i64 alu0 = (i64)(((i64)((size_t)input0 % 64 / 4) & 1ll) == 0ll);
  for (i64 ridx0 = (i64)blockIdx.x * 4 + group; ridx0 < 64; ridx0 += (i64)gridDim.x * 4) {
    const i64* input1_row = input1 + ridx0;
    const float* input0_row = input0 + ridx0 * 1000;
    float* output0_row = output0 + ridx0;
    const i64 aligned0 = alu0;
    if (aligned0 > 0) {
      float acc0[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc0[i] = __uint_as_float(0xff800000u);
      for (i64 ridx1 = 0; ridx1 < 7; ++ridx1) {
        #pragma unroll 2
        for (i64 ridx2 = 0; ridx2 < 2; ++ridx2) {
          float row1[2] __attribute__((aligned(8)));
          copy_8_bytes(row1, input0 + ridx0 * 1000 + ridx1 * 128 + ridx2 * 64 + thread * 2);
          #pragma unroll 2
          for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
            acc0[ridx4] = maximum_f32(acc0[ridx4], row1[ridx4]);
          }
        }
      }
      for (i64 ridx5 = 14; ridx5 < 15; ++ridx5) {
        float row2[2] __attribute__((aligned(8)));
        copy_8_bytes(row2, input0 + ridx0 * 1000 + ridx5 * 64 + thread * 2);
        #pragma unroll 2
        for (i64 ridx7 = 0; ridx7 < 2; ++ridx7) {
          acc0[ridx7] = maximum_f32(acc0[ridx7], row2[ridx7]);
        }
      }
      if (thread * 2 <= 38) {
        float row3[2] __attribute__((aligned(8)));
        copy_8_bytes(row3, input0 + ridx0 * 1000 + thread * 2 + 960);
        #pragma unroll 2
        for (i64 ridx9 = 0; ridx9 < 2; ++ridx9) {
          acc0[ridx9] = maximum_f32(acc0[ridx9], row3[ridx9]);
        }
      }
      const float acc0_folded = fold_maximum_32x2_f32(acc0);
      float acc4 = acc0_folded;
      float acc5[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc5[i] = 0.0f;
      const float alu1 = neg_f32(acc4);
      for (i64 ridx10 = 0; ridx10 < 7; ++ridx10) {
        #pragma unroll 2
        for (i64 ridx11 = 0; ridx11 < 2; ++ridx11) {
          float row6[2] __attribute__((aligned(8)));
          copy_8_bytes(row6, input0 + ridx0 * 1000 + ridx10 * 128 + ridx11 * 64 + thread * 2);
          #pragma unroll 2
          for (i64 ridx13 = 0; ridx13 < 2; ++ridx13) {
            acc5[ridx13] += exp_f32(row6[ridx13] + alu1);
          }
        }
      }
      for (i64 ridx14 = 14; ridx14 < 15; ++ridx14) {
        float row7[2] __attribute__((aligned(8)));
        copy_8_bytes(row7, input0 + ridx0 * 1000 + ridx14 * 64 + thread * 2);
        #pragma unroll 2
        for (i64 ridx16 = 0; ridx16 < 2; ++ridx16) {
          acc5[ridx16] += exp_f32(row7[ridx16] + alu1);
        }
      }
      if (thread * 2 <= 38) {
        float row8[2] __attribute__((aligned(8)));
        copy_8_bytes(row8, input0 + ridx0 * 1000 + thread * 2 + 960);
        #pragma unroll 2
        for (i64 ridx18 = 0; ridx18 < 2; ++ridx18) {
          acc5[ridx18] += exp_f32(row8[ridx18] + alu1);
        }
      }
      const float acc5_folded = fold_add_32x2_f32(acc5);
      float acc9 = acc5_folded;
      if (thread <= 0) {
        const i64 alu2 = input1_row[0];
        const bool alu3 = 0ll <= alu2 && alu2 < 1000ll;
        const i64 alu4 = (i64)(i32)alu2;
        const bool alu5 = 0ll <= alu4 && alu4 < 1000ll;
        const float alu6 = input0_row[clamp_index_i64(alu4, 1000ll)];
        const float alu7 = -(alu5 ? alu6 + alu1 + 0.0f : 0.0f);
        output0_row[0] = alu3 ? log_f32(acc9) + alu7 : __uint_as_float(0x7fc00000u);
      }
    } else {
      float acc10[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc10[i] = __uint_as_float(0xff800000u);
      for (i64 ridx20 = 0; ridx20 < 7; ++ridx20) {
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          const float* input0_row1 = input0 + ridx0 * 1000 + ridx20 * 128 + ridx21 * 64 + thread * 2;
          #pragma unroll 2
          for (i64 ridx23 = 0; ridx23 < 2; ++ridx23) {
            acc10[ridx23] = maximum_f32(acc10[ridx23], input0_row1[ridx23]);
          }
        }
      }
      for (i64 ridx24 = 14; ridx24 < 15; ++ridx24) {
        const float* input0_row2 = input0 + ridx0 * 1000 + ridx24 * 64 + thread * 2;
        #pragma unroll 2
        for (i64 ridx26 = 0; ridx26 < 2; ++ridx26) {
          acc10[ridx26] = maximum_f32(acc10[ridx26], input0_row2[ridx26]);
        }
      }
      const float* input0_row3 = input0 + ridx0 * 1000 + thread * 2;
      if (thread * 2 <= 38) {
        #pragma unroll 2
        for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
          acc10[ridx28] = maximum_f32(acc10[ridx28], input0_row3[ridx28 + 960]);
        }
      }
      const float acc10_folded = fold_maximum_32x2_f32(acc10);
      float acc11 = acc10_folded;
      float acc12[2] __attribute__((aligned(8)));
      for (int i = 0; i < 2; ++i) acc12[i] = 0.0f;
      const float alu8 = neg_f32(acc11);
      for (i64 ridx29 = 0; ridx29 < 7; ++ridx29) {
        #pragma unroll 2
        for (i64 ridx30 = 0; ridx30 < 2; ++ridx30) {
          const float* input0_row4 = input0 + ridx0 * 1000 + ridx29 * 128 + ridx30 * 64 + thread * 2;
          #pragma unroll 2
          for (i64 ridx32 = 0; ridx32 < 2; ++ridx32) {
            acc12[ridx32] += exp_f32(input0_row4[ridx32] + alu8);
          }
        }
      }
      for (i64 ridx33 = 14; ridx33 < 15; ++ridx33) {
        const float* input0_row5 = input0 + ridx0 * 1000 + ridx33 * 64 + thread * 2;
        #pragma unroll 2
        for (i64 ridx35 = 0; ridx35 < 2; ++ridx35) {
          acc12[ridx35] += exp_f32(input0_row5[ridx35] + alu8);
        }
      }
      const float* input0_row6 = input0 + ridx0 * 1000 + thread * 2;
      if (thread * 2 <= 38) {
        #pragma unroll 2
        for (i64 ridx37 = 0; ridx37 < 2; ++ridx37) {
          acc12[ridx37] += exp_f32(input0_row6[ridx37 + 960] + alu8);
        }
      }
      const float acc12_folded = fold_add_32x2_f32(acc12);
      float acc13 = acc12_folded;
      if (thread <= 0) {
        const i64 alu9 = input1_row[0];
        const bool alu10 = 0ll <= alu9 && alu9 < 1000ll;
        const i64 alu11 = (i64)(i32)alu9;
        const bool alu12 = 0ll <= alu11 && alu11 < 1000ll;
        const float alu13 = input0_row[clamp_index_i64(alu11, 1000ll)];
        const float alu14 = -(alu12 ? alu13 + alu8 + 0.0f : 0.0f);
        output0_row[0] = alu10 ? log_f32(acc13) + alu14 : __uint_as_float(0x7fc00000u);
      }
    }
  }
}

