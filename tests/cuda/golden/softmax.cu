/* harp · graph "softmax" · target sm_80 · stable, law 9 · 1 kernel
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

struct __align__(16) bytes16 { u32 words[4]; };

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ float maximum_f32(float x, float y) {
  const i32 alu0 = __float_as_int(y < x ? x : y);
  const i32 alu1 = __float_as_int(x < y ? y : x);
  return __int_as_float((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
}

/* Folds the 64 elements of 16 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_maximum_16x4_f32(float* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = maximum_f32(s[i], __shfl_down_sync(0xffffffffu, s[i], distance, 16));
  s[0] = maximum_f32(s[0], s[2]);
  s[1] = maximum_f32(s[1], s[3]);
  s[0] = maximum_f32(s[0], s[1]);
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
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

/* generation 0 · rowwise over [n] · max of [n, 1024] axes [1] lanes · sum of [n, 1024] axes [1] lanes · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    if (aligned0) {
      float row0[64] __attribute__((aligned(16)));
      float acc1[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc1[i] = __uint_as_float(0xff800000u);
      #pragma unroll 16
      for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 1024 + thread * 4 + ridx1 * 64);
        #pragma unroll 4
        for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
          acc1[ridx3] = maximum_f32(acc1[ridx3], row2[ridx3]);
        }
      }
      const float acc1_folded = fold_maximum_16x4_f32(acc1);
      float acc4[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc4[i] = 0.0f;
      const float alu0 = neg_f32(acc1_folded);
      #pragma unroll 16
      for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
        float row5[4] __attribute__((aligned(16)));
        copy_16_bytes(row5, input0 + ridx0 * 1024 + thread * 4 + ridx4 * 64);
        #pragma unroll 4
        for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
          const float alu1 = exp_f32(row5[ridx6] + alu0);
          row0[ridx4 * 4 + ridx6] = alu1;
          acc4[ridx6] += alu1;
        }
      }
      const float acc4_folded = fold_add_16x4_f32(acc4);
      if (is_active) {
        #pragma unroll 16
        for (i64 ridx8 = 0; ridx8 < 16; ++ridx8) {
          float row7[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
            row7[ridx9] = row0[ridx8 * 4 + ridx9] / acc4_folded;
          }
          copy_16_bytes(output0 + ridx0 * 1024 + thread * 4 + ridx8 * 64, row7);
        }
      }
    } else {
      float row8[64] __attribute__((aligned(16)));
      float acc9[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc9[i] = __uint_as_float(0xff800000u);
      #pragma unroll 16
      for (i64 ridx10 = 0; ridx10 < 16; ++ridx10) {
        const float* input0_row = input0 + ridx0 * 1024 + ridx10 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
          acc9[ridx12] = maximum_f32(acc9[ridx12], input0_row[ridx12]);
        }
      }
      const float acc9_folded = fold_maximum_16x4_f32(acc9);
      float acc11[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc11[i] = 0.0f;
      const float alu2 = neg_f32(acc9_folded);
      #pragma unroll 16
      for (i64 ridx13 = 0; ridx13 < 16; ++ridx13) {
        const float* input0_row1 = input0 + ridx0 * 1024 + ridx13 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          const float alu3 = exp_f32(input0_row1[ridx15] + alu2);
          row8[ridx13 * 4 + ridx15] = alu3;
          acc11[ridx15] += alu3;
        }
      }
      const float acc11_folded = fold_add_16x4_f32(acc11);
      if (is_active) {
        #pragma unroll 16
        for (i64 ridx17 = 0; ridx17 < 16; ++ridx17) {
          float* output0_row = output0 + ridx0 * 1024 + thread * 4 + ridx17 * 64;
          #pragma unroll 4
          for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
            output0_row[ridx18] = row8[ridx17 * 4 + ridx18] / acc11_folded;
          }
        }
      }
    }
  }
}

