/* harp · graph "rows_in_registers" · target sm_80 · stable, law 9 · 2 kernels
   x: f16[n, 1024], w: f16[1024], y: f32[n, 1000], v: f32[1000] -> halves: f16[n, 1024], floats: f32[n, 1000]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

struct __align__(16) bytes16 { u32 words[4]; };

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ float f32_of_f16(u16 x) {
  const u32 alu0 = (u32)x;
  const u32 alu1 = (alu0 & 0x7fffu) << 13u;
  const u32 alu2 = alu1 < 0xf800000u ? __float_as_uint(__uint_as_float(alu1) * 5.192297e+33f) : (alu1 | 0x7f800000u);
  return __uint_as_float(alu2 | ((alu0 & 0x8000u) << 16u));
}

/* Folds the 64 elements of 8 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_8x8_f32(float* s) {
  #pragma unroll
  for (int distance = 4; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 8; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 8);
  s[0] = s[0] + s[4];
  s[1] = s[1] + s[5];
  s[2] = s[2] + s[6];
  s[3] = s[3] + s[7];
  s[0] = s[0] + s[2];
  s[1] = s[1] + s[3];
  s[0] = s[0] + s[1];
  return __shfl_sync(0xffffffffu, s[0], 0, 8);
}

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ float sqrt_f32(float a) { return sqrtf(a); }

static __device__ __forceinline__ u16 f16_of_f32(float x) {
  const u32 alu0 = __float_as_uint(x);
  const u32 alu1 = alu0 & 0x7fffffffu;
  const u32 alu2 = alu1 + 4095u + ((alu1 >> 13u) & 1u) - 0x38000000u;
  const u32 alu3 = alu1 < 0x38800000u ? __float_as_uint(__uint_as_float(alu1) + 0.5f) - 0x3f000000u : (alu2 >> 13u);
  const u32 alu4 = 0x7f800000u < alu1 ? 0x7e00u : (alu1 < 0x477ff000u ? alu3 : 0x7c00u);
  return (u16)(alu4 | ((alu0 >> 16u) & 0x8000u));
}

/* Folds the 64 elements of 16 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_16x4_f32(float* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 16);
  s[0] = s[0] + s[2];
  s[1] = s[1] + s[3];
  s[0] = s[0] + s[1];
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
}

/* generation 0 · rowwise over [n] · sum of [n, 1024] axes [1] lanes · sum of [n, 1024] axes [1] lanes product · rowwise [thread, thread_group simd=8] */
extern "C" __global__ void __launch_bounds__(128, 3) kernel_0(const u16* __restrict__ input0, const u16* __restrict__ input1, u16* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 8;
  const i64 group = threadIdx.x / 8;
  const bool aligned0 = ((((i64)((size_t)input0 % 64 / 2) | (i64)((size_t)input1 % 64 / 2)) | (i64)((size_t)output0 % 64 / 2)) & 7ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 16; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 16) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    if (aligned0) {
      float acc0[8] __attribute__((aligned(16)));
      for (int i = 0; i < 8; ++i) acc0[i] = 0.0f;
      #pragma unroll 16
      for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
        u16 row1[8] __attribute__((aligned(16)));
        copy_16_bytes(row1, input0 + ridx0 * 1024 + thread * 8 + ridx1 * 64);
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          acc0[ridx3] += f32_of_f16(row1[ridx3]);
        }
      }
      const float acc0_folded = fold_add_8x8_f32(acc0);
      float acc3[8] __attribute__((aligned(16)));
      for (int i = 0; i < 8; ++i) acc3[i] = 0.0f;
      const float alu0 = -(acc0_folded / 1024.0f);
      #pragma unroll 16
      for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
        u16 row4[8] __attribute__((aligned(16)));
        copy_16_bytes(row4, input0 + ridx0 * 1024 + thread * 8 + ridx4 * 64);
        #pragma unroll 8
        for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
          const float alu1 = f32_of_f16(row4[ridx6]) + alu0;
          acc3[ridx6] = fma_f32(alu1, alu1, acc3[ridx6]);
        }
      }
      const float acc3_folded = fold_add_8x8_f32(acc3);
      float acc5 = acc3_folded + 0.0f;
      const float alu3 = 1.0f / sqrt_f32(acc5 / 1024.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 16
        for (i64 ridx8 = 0; ridx8 < 16; ++ridx8) {
          u16 row6[8] __attribute__((aligned(16)));
          copy_16_bytes(row6, input0 + ridx0 * 1024 + thread * 8 + ridx8 * 64);
          u16 row7[8] __attribute__((aligned(16)));
          copy_16_bytes(row7, input1 + thread * 8 + ridx8 * 64);
          u16 row8[8] __attribute__((aligned(16)));
          #pragma unroll 8
          for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
            const float alu2 = f32_of_f16(row6[ridx9]) + alu0;
            const float alu4 = alu2 * alu3 * f32_of_f16(row7[ridx9]);
            row8[ridx9] = f16_of_f32(alu4);
          }
          copy_16_bytes(output0 + ridx0 * 1024 + thread * 8 + ridx8 * 64, row8);
        }
      }
    } else {
      float acc9[8] __attribute__((aligned(16)));
      for (int i = 0; i < 8; ++i) acc9[i] = 0.0f;
      #pragma unroll 16
      for (i64 ridx10 = 0; ridx10 < 16; ++ridx10) {
        const u16* input0_row = input0 + ridx0 * 1024 + ridx10 * 64 + thread * 8;
        #pragma unroll 8
        for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
          acc9[ridx12] += f32_of_f16(input0_row[ridx12]);
        }
      }
      const float acc9_folded = fold_add_8x8_f32(acc9);
      float acc11[8] __attribute__((aligned(16)));
      for (int i = 0; i < 8; ++i) acc11[i] = 0.0f;
      const float alu5 = -(acc9_folded / 1024.0f);
      #pragma unroll 16
      for (i64 ridx13 = 0; ridx13 < 16; ++ridx13) {
        const u16* input0_row1 = input0 + ridx0 * 1024 + ridx13 * 64 + thread * 8;
        #pragma unroll 8
        for (i64 ridx15 = 0; ridx15 < 8; ++ridx15) {
          const float alu6 = f32_of_f16(input0_row1[ridx15]) + alu5;
          acc11[ridx15] = fma_f32(alu6, alu6, acc11[ridx15]);
        }
      }
      const float acc11_folded = fold_add_8x8_f32(acc11);
      float acc12 = acc11_folded + 0.0f;
      const float alu7 = 1.0f / sqrt_f32(acc12 / 1024.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 16
        for (i64 ridx17 = 0; ridx17 < 16; ++ridx17) {
          const u16* input0_row2 = input0 + ridx0 * 1024 + thread * 8 + ridx17 * 64;
          const u16* input1_row = input1 + thread * 8 + ridx17 * 64;
          u16* output0_row = output0 + ridx0 * 1024 + thread * 8 + ridx17 * 64;
          #pragma unroll 8
          for (i64 ridx18 = 0; ridx18 < 8; ++ridx18) {
            const float alu8 = (f32_of_f16(input0_row2[ridx18]) + alu5) * alu7;
            output0_row[ridx18] = f16_of_f32(alu8 * f32_of_f16(input1_row[ridx18]));
          }
        }
      }
    }
  }
}

/* generation 0 · rowwise over [n] · sum of [n, 1000] axes [1] lanes · sum of [n, 1000] axes [1] lanes product · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 3) kernel_1(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)input1 % 64 / 4)) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    if (aligned0) {
      float row0[64] __attribute__((aligned(16)));
      float acc1[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc1[i] = 0.0f;
      #pragma unroll 15
      for (i64 ridx1 = 0; ridx1 < 15; ++ridx1) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 1000 + thread * 4 + ridx1 * 64);
        #pragma unroll 4
        for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
          const float alu0 = row2[ridx3];
          row0[ridx1 * 4 + ridx3] = alu0;
          acc1[ridx3] += alu0;
        }
      }
      if (thread * 4 <= 36) {
        float row3[4] __attribute__((aligned(16)));
        copy_16_bytes(row3, input0 + ridx0 * 1000 + thread * 4 + 960);
        #pragma unroll 4
        for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
          const float alu1 = row3[ridx5];
          row0[ridx5 + 60] = alu1;
          acc1[ridx5] += alu1;
        }
      }
      const float acc1_folded = fold_add_16x4_f32(acc1);
      float acc5[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc5[i] = 0.0f;
      const float alu2 = -(acc1_folded / 1000.0f);
      #pragma unroll 15
      for (i64 ridx6 = 0; ridx6 < 15; ++ridx6) {
        #pragma unroll 4
        for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
          const float alu3 = row0[ridx6 * 4 + ridx8] + alu2;
          acc5[ridx8] = fma_f32(alu3, alu3, acc5[ridx8]);
        }
      }
      if (thread * 4 <= 36) {
        #pragma unroll 4
        for (i64 ridx10 = 0; ridx10 < 4; ++ridx10) {
          const float alu4 = row0[ridx10 + 60] + alu2;
          acc5[ridx10] = fma_f32(alu4, alu4, acc5[ridx10]);
        }
      }
      const float acc5_folded = fold_add_16x4_f32(acc5);
      float acc6 = acc5_folded + 0.0f;
      const float alu5 = 1.0f / sqrt_f32(acc6 / 1000.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 15
        for (i64 ridx12 = 0; ridx12 < 15; ++ridx12) {
          float row7[4] __attribute__((aligned(16)));
          copy_16_bytes(row7, input1 + thread * 4 + ridx12 * 64);
          float row8[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
            row8[ridx13] = (row0[ridx12 * 4 + ridx13] + alu2) * alu5 * row7[ridx13];
          }
          copy_16_bytes(output0 + ridx0 * 1000 + thread * 4 + ridx12 * 64, row8);
        }
        if (thread * 4 <= 36) {
          float row9[4] __attribute__((aligned(16)));
          copy_16_bytes(row9, input1 + thread * 4 + 960);
          float row10[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
            row10[ridx14] = (row0[ridx14 + 60] + alu2) * alu5 * row9[ridx14];
          }
          copy_16_bytes(output0 + ridx0 * 1000 + thread * 4 + 960, row10);
        }
      }
    } else {
      float row11[64] __attribute__((aligned(16)));
      float acc12[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc12[i] = 0.0f;
      #pragma unroll 15
      for (i64 ridx15 = 0; ridx15 < 15; ++ridx15) {
        const float* input0_row = input0 + ridx0 * 1000 + ridx15 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
          const float alu6 = input0_row[ridx17];
          row11[ridx15 * 4 + ridx17] = alu6;
          acc12[ridx17] += alu6;
        }
      }
      const float* input0_row1 = input0 + ridx0 * 1000 + thread * 4;
      if (thread * 4 <= 36) {
        #pragma unroll 4
        for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
          const float alu7 = input0_row1[ridx19 + 960];
          row11[ridx19 + 60] = alu7;
          acc12[ridx19] += alu7;
        }
      }
      const float acc12_folded = fold_add_16x4_f32(acc12);
      float acc14[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc14[i] = 0.0f;
      const float alu8 = -(acc12_folded / 1000.0f);
      #pragma unroll 15
      for (i64 ridx20 = 0; ridx20 < 15; ++ridx20) {
        #pragma unroll 4
        for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
          const float alu9 = row11[ridx20 * 4 + ridx22] + alu8;
          acc14[ridx22] = fma_f32(alu9, alu9, acc14[ridx22]);
        }
      }
      if (thread * 4 <= 36) {
        #pragma unroll 4
        for (i64 ridx24 = 0; ridx24 < 4; ++ridx24) {
          const float alu10 = row11[ridx24 + 60] + alu8;
          acc14[ridx24] = fma_f32(alu10, alu10, acc14[ridx24]);
        }
      }
      const float acc14_folded = fold_add_16x4_f32(acc14);
      float acc15 = acc14_folded + 0.0f;
      const float alu11 = 1.0f / sqrt_f32(acc15 / 1000.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 15
        for (i64 ridx26 = 0; ridx26 < 15; ++ridx26) {
          const float* input1_row = input1 + thread * 4 + ridx26 * 64;
          float* output0_row = output0 + ridx0 * 1000 + thread * 4 + ridx26 * 64;
          #pragma unroll 4
          for (i64 ridx27 = 0; ridx27 < 4; ++ridx27) {
            output0_row[ridx27] = (row11[ridx26 * 4 + ridx27] + alu8) * alu11 * input1_row[ridx27];
          }
        }
        const float* input1_row1 = input1 + thread * 4;
        float* output0_row1 = output0 + ridx0 * 1000 + thread * 4;
        if (thread * 4 <= 36) {
          #pragma unroll 4
          for (i64 ridx28 = 0; ridx28 < 4; ++ridx28) {
            output0_row1[ridx28 + 960] = (row11[ridx28 + 60] + alu8) * alu11 * input1_row1[ridx28 + 960];
          }
        }
      }
    }
  }
}

