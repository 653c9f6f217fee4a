/* harp · graph "argmax" · target sm_80 · stable, law 9 · 6 kernels
   x: f32[n, 1024] -> rows: i64[n], columns: i64[1024]
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

static __device__ __forceinline__ bool isnan_f32(float a) { return a != a; }

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

static __device__ __forceinline__ i32 minimum_i32(i32 x, i32 y) {
  return x < y ? x : y;
}

/* Folds the 64 elements of 16 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ i32 fold_minimum_16x4_i32(i32* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = minimum_i32(s[i], __shfl_down_sync(0xffffffffu, s[i], distance, 16));
  s[0] = minimum_i32(s[0], s[2]);
  s[1] = minimum_i32(s[1], s[3]);
  s[0] = minimum_i32(s[0], s[1]);
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
}

static __device__ __forceinline__ float greater_number_f32(float x, float y) {
  const i32 alu0 = __float_as_int(y < x ? x : y);
  const i32 alu1 = __float_as_int(x < y ? y : x);
  const float alu2 = __int_as_float((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
  return (y != y) ? x : alu2;
}

static __device__ __forceinline__ i64 minimum_i64(i64 x, i64 y) {
  return x < y ? x : y;
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 mul_i64(i64 a, i64 b) { return (i64)(1u * (u64)a * (u64)b); }

static __device__ __forceinline__ i64 clamp_index_i64(i64 x, i64 y) {
  const i64 alu0 = x < 0ll ? add_i64(x, y) : x;
  const i64 alu1 = alu0 < 0ll ? 0ll : alu0;
  return alu1 < y ? alu1 : add_i64(y, -1ll);
}

/* generation 0 · reduce over [n] · argmax of [n, 1024] axes [1] lanes · reduce [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, i64* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    i64* output0_row = output0 + ridx0;
    if (aligned0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = __uint_as_float(0xff800000u);
      i32 row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        row1[ridx2] = (i32)(thread * 4 + ridx2);
      }
      #pragma unroll 16
      for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 1024 + thread * 4 + ridx3 * 64);
        #pragma unroll 4
        for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
          const float alu0 = row2[ridx5];
          const bool alu1 = acc0[ridx5] < alu0 || (isnan_f32(alu0) && !isnan_f32(acc0[ridx5]));
          row1[ridx5] = alu1 ? (i32)(ridx3 * 64 + thread * 4 + ridx5) : row1[ridx5];
          acc0[ridx5] = maximum_f32(acc0[ridx5], alu0);
        }
      }
      float row3[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
        row3[ridx7] = acc0[ridx7];
      }
      const float acc3_folded = fold_maximum_16x4_f32(row3);
      i32 row5[4] __attribute__((aligned(16)));
      const bool alu2 = isnan_f32(acc3_folded);
      #pragma unroll 4
      for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
        row5[ridx9] = (acc0[ridx9] == acc3_folded || (isnan_f32(acc0[ridx9]) && alu2)) ? row1[ridx9] : 2147483647;
      }
      const i32 acc5_folded = fold_minimum_16x4_i32(row5);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = (i64)acc5_folded;
        }
      }
    } else {
      float acc7[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc7[i] = __uint_as_float(0xff800000u);
      i32 row8[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
        row8[ridx12] = (i32)(thread * 4 + ridx12);
      }
      #pragma unroll 16
      for (i64 ridx13 = 0; ridx13 < 16; ++ridx13) {
        const float* input0_row = input0 + ridx0 * 1024 + ridx13 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          const float alu3 = input0_row[ridx15];
          const bool alu4 = acc7[ridx15] < alu3 || (isnan_f32(alu3) && !isnan_f32(acc7[ridx15]));
          row8[ridx15] = alu4 ? (i32)(ridx13 * 64 + thread * 4 + ridx15) : row8[ridx15];
          acc7[ridx15] = maximum_f32(acc7[ridx15], alu3);
        }
      }
      float row9[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
        row9[ridx17] = acc7[ridx17];
      }
      const float acc9_folded = fold_maximum_16x4_f32(row9);
      i32 row11[4] __attribute__((aligned(16)));
      const bool alu5 = isnan_f32(acc9_folded);
      #pragma unroll 4
      for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
        row11[ridx19] = (acc7[ridx19] == acc9_folded || (isnan_f32(acc7[ridx19]) && alu5)) ? row8[ridx19] : 2147483647;
      }
      const i32 acc11_folded = fold_minimum_16x4_i32(row11);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = (i64)acc11_folded;
        }
      }
    }
  }
}

/* generation 0 · reduce over [n // 256, 1024] · max of [n // 256, 256, 1024] axes [1] chain · argmax of [n // 256, 256, 1024] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 / 256 * 1024; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = __uint_as_float(0xff800000u);
    i32 acc2 = 0;
    const i64 oidx0 = ridx0 / 1024;
    const i64 oidx1 = ridx0 & 1023;
    const float* input0_row = input0 + oidx0 * 262144 + oidx1;
    for (i64 ridx1 = 0; ridx1 < 256; ++ridx1) {
      const float alu0 = input0_row[ridx1 * 1024];
      acc2 = acc1 < alu0 ? (i32)ridx1 : acc2;
      acc1 = greater_number_f32(acc1, alu0);
      acc0 += alu0;
    }
    const bool nan0 = isnan_f32(acc0);
    if (nan0) {
      i64 acc3 = 9223372036854775807ll;
      for (i64 ridx2 = 0; ridx2 < 256; ++ridx2) {
        acc3 = minimum_i64(acc3, isnan_f32(input0_row[ridx2 * 1024]) ? ridx2 : 9223372036854775807ll);
      }
      const bool alu1 = acc3 == 9223372036854775807ll;
      acc2 = alu1 ? acc2 : (i32)acc3;
      acc1 = alu1 ? acc1 : __uint_as_float(0x7fc00000u);
    }
    output0[ridx0] = acc1;
    output1[ridx0] = (i64)acc2;
  }
}

/* generation 0 · reduce over [1024] · max of [1, n % 256, 1024] axes [1] chain · argmax of [1, n % 256, 1024] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = shape0 & 255;
  const i64 oidx1 = shape0 / 256;
  const i64 oidx2 = min_i64(oidx0, 1);
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 1024; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = __uint_as_float(0xff800000u);
    i32 acc2 = 0;
    const float* input0_row = input0 + oidx1 * 262144 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      const float alu0 = input0_row[ridx1 * 1024];
      acc2 = acc1 < alu0 ? (i32)ridx1 : acc2;
      acc1 = greater_number_f32(acc1, alu0);
      acc0 += alu0;
    }
    const bool nan0 = isnan_f32(acc0);
    if (nan0) {
      i64 acc3 = 9223372036854775807ll;
      for (i64 ridx2 = 0; ridx2 < oidx0; ++ridx2) {
        acc3 = minimum_i64(acc3, isnan_f32(input0_row[ridx2 * 1024]) ? ridx2 : 9223372036854775807ll);
      }
      const bool alu1 = acc3 == 9223372036854775807ll;
      acc2 = alu1 ? acc2 : (i32)acc3;
      acc1 = alu1 ? acc1 : __uint_as_float(0x7fc00000u);
    }
    output0[ridx0] = acc1;
    output1[ridx0] = add_i64((i64)acc2, 2147483647 - oidx2 * 2147483647);
  }
}

/* generation 1 · reduce over [(n // 256 + 1) // 256, 1024] · max of [(n // 256 + 1) // 256, 256, 1024] axes [1] chain · argmax of [(n // 256 + 1) // 256, 256, 1024] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 / 256 + 1) / 256 * 1024; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = __uint_as_float(0xff800000u);
    i32 acc2 = 0;
    const i64 oidx0 = ridx0 / 1024;
    const i64 oidx1 = ridx0 & 1023;
    const float* input0_row = input0 + oidx0 * 262144 + oidx1;
    for (i64 ridx1 = 0; ridx1 < 256; ++ridx1) {
      const float alu0 = input0_row[ridx1 * 1024];
      acc2 = acc1 < alu0 ? (i32)ridx1 : acc2;
      acc1 = greater_number_f32(acc1, alu0);
      acc0 += alu0;
    }
    const bool nan0 = isnan_f32(acc0);
    if (nan0) {
      i64 acc3 = 9223372036854775807ll;
      for (i64 ridx2 = 0; ridx2 < 256; ++ridx2) {
        acc3 = minimum_i64(acc3, isnan_f32(input0_row[ridx2 * 1024]) ? ridx2 : 9223372036854775807ll);
      }
      const bool alu1 = acc3 == 9223372036854775807ll;
      acc2 = alu1 ? acc2 : (i32)acc3;
      acc1 = alu1 ? acc1 : __uint_as_float(0x7fc00000u);
    }
    output0[ridx0] = acc1;
    output1[ridx0] = (i64)acc2;
  }
}

/* generation 1 · reduce over [1024] · max of [1, (n // 256 + 1) % 256, 1024] axes [1] chain · argmax of [1, (n // 256 + 1) % 256, 1024] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(const float* __restrict__ input0, float* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) & 255;
  const i64 oidx2 = (oidx0 + 1) / 256;
  const i64 oidx3 = min_i64(oidx1, 1);
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 1024; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = __uint_as_float(0xff800000u);
    i32 acc2 = 0;
    const float* input0_row = input0 + oidx2 * 262144 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      const float alu0 = input0_row[ridx1 * 1024];
      acc2 = acc1 < alu0 ? (i32)ridx1 : acc2;
      acc1 = greater_number_f32(acc1, alu0);
      acc0 += alu0;
    }
    const bool nan0 = isnan_f32(acc0);
    if (nan0) {
      i64 acc3 = 9223372036854775807ll;
      for (i64 ridx2 = 0; ridx2 < oidx1; ++ridx2) {
        acc3 = minimum_i64(acc3, isnan_f32(input0_row[ridx2 * 1024]) ? ridx2 : 9223372036854775807ll);
      }
      const bool alu1 = acc3 == 9223372036854775807ll;
      acc2 = alu1 ? acc2 : (i32)acc3;
      acc1 = alu1 ? acc1 : __uint_as_float(0x7fc00000u);
    }
    output0[ridx0] = acc1;
    output1[ridx0] = add_i64((i64)acc2, 2147483647 - oidx3 * 2147483647);
  }
}

/* generation 2 · reduce over [1024] · argmax of [(n // 256 + 1) // 256 + 1, 1024] axes [0] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_5(const float* __restrict__ input0, const i64* __restrict__ input1, const i64* __restrict__ input2, i64* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 1024; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = __uint_as_float(0xff800000u);
    i32 acc2 = 0;
    const float* input0_row = input0 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      const float alu0 = input0_row[ridx1 * 1024];
      acc2 = acc1 < alu0 ? (i32)ridx1 : acc2;
      acc1 = alu0 < acc1 ? acc1 : alu0;
      acc0 += alu0;
    }
    const bool nan0 = isnan_f32(acc0);
    if (nan0) {
      i64 acc3 = 9223372036854775807ll;
      for (i64 ridx2 = 0; ridx2 < oidx1 + 1; ++ridx2) {
        acc3 = minimum_i64(acc3, isnan_f32(input0_row[ridx2 * 1024]) ? ridx2 : 9223372036854775807ll);
      }
      const bool alu1 = acc3 == 9223372036854775807ll;
      acc2 = alu1 ? acc2 : (i32)acc3;
      acc1 = alu1 ? acc1 : __uint_as_float(0x7fc00000u);
    }
    const i64 alu2 = (i64)acc2;
    const i64 alu3 = add_i64(mul_i64(alu2, 256ll), input1[clamp_index_i64(alu2, oidx1 + 1) * 1024 + ridx0]);
    output0[ridx0] = add_i64(mul_i64(alu3, 256ll), input2[clamp_index_i64(alu3, oidx0 + 1) * 1024 + ridx0]);
  }
}

