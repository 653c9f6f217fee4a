/* harp · graph "sums" · target sm_80 · stable, law 9 · 9 kernels
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

struct __align__(16) bytes16 { u32 words[4]; };

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

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

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ float sqrt_f32(float a) { return sqrtf(a); }

/* Folds the 64 elements of 64 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_64x1_f32(float* s) {
  __shared__ float all[64];
  all[threadIdx.x] = s[0];
  __syncthreads();
  s[0] = all[threadIdx.x % 32] + all[threadIdx.x % 32 + 32];
  __syncthreads();
  #pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) s[0] = s[0] + __shfl_down_sync(0xffffffffu, s[0], distance, 32);
  return __shfl_sync(0xffffffffu, s[0], 0, 32);
}

/* generation 0 · reduce over [n // 256, 300] · sum of [n // 256, 256, 300] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 / 256 * 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    const i64 oidx0 = ridx0 / 300;
    const i64 oidx1 = ridx0 % 300;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const float* input0_row = input0 + oidx0 * 76800 + oidx1 + ridx1 * 4800;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 += input0_row[ridx2 * 300];
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 0 · reduce over [300] · sum of [1, n % 256, 300] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 & 255;
  const i64 oidx1 = (oidx0 + 127) / 128;
  const i64 oidx2 = shape0 / 256;
  #pragma unroll 1
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx0 && ridx0 * 32 <= 268) {
        const i64 oidx3 = thread / 32;
        const i64 oidx4 = thread & 31;
        const float* input0_row = input0 + oidx2 * 76800 + ridx0 * 32 + ridx1 * 38400 + oidx3 * 300 + oidx4;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 2400];
        }
      } else {
        const i64 oidx5 = thread / 32;
        const i64 oidx6 = thread & 31;
        const float* input0_row1 = input0 + oidx2 * 76800 + ridx0 * 32 + ridx1 * 38400 + oidx5 * 300 + oidx6;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx5 + ridx5 * 8 < oidx0 && ridx0 * 32 + oidx6 <= 299) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 2400];
          }
        }
      }
      __syncthreads();
      const i64 oidx7 = min_i64(oidx0 - ridx1 * 128, 128);
      const i64 oidx8 = oidx7 / 8;
      if (ridx0 * 32 + thread <= 299 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx8; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 += row0[thread + ridx7 * 256 + ridx8 * 32];
          }
        }
        for (i64 ridx9 = oidx8 * 8; ridx9 < oidx7; ++ridx9) {
          acc1 += row0[thread + ridx9 * 32];
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 299 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 0 · reduce over [(75*n) // 1024] · sum of [(75*n) // 1024, 4096] axes [1] lanes · reduce [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0 * 75 / 1024; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0 * 75 / 1024; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 * 75 / 1024 - 1;
    float* output0_row = output0 + ridx0;
    if (aligned0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < 8; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + ridx0 * 4096 + thread * 4 + ridx1 * 512 + ridx2 * 64);
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            acc0[ridx4] += row1[ridx4];
          }
        }
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = acc0_folded;
        }
      }
    } else {
      float acc3[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc3[i] = 0.0f;
      for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
        #pragma unroll 8
        for (i64 ridx7 = 0; ridx7 < 8; ++ridx7) {
          const float* input0_row = input0 + ridx0 * 4096 + ridx6 * 512 + ridx7 * 64 + thread * 4;
          #pragma unroll 4
          for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
            acc3[ridx9] += input0_row[ridx9];
          }
        }
      }
      const float acc3_folded = fold_add_16x4_f32(acc3);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = acc3_folded;
        }
      }
    }
  }
}

/* generation 0 · reduce over [] · sum of [1, 4*((75*n) % 1024)] axes [1] lanes · reduce [thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  const i64 oidx0 = shape0 * 11 / 16;
  const i64 oidx1 = (shape0 * 4 + oidx0) / 8;
  const i64 oidx2 = oidx1 & 7;
  const i64 oidx3 = shape0 * 75 / 1024;
  const i64 oidx4 = (shape0 * 4 + oidx0) & 63;
  const i64 oidx5 = shape0 * 75 & 1023;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < 1; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < 1; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : 0;
    if (aligned0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + oidx3 * 4096 + thread * 4 + ridx1 * 512 + ridx2 * 64);
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            acc0[ridx4] += row1[ridx4];
          }
        }
      }
      for (i64 ridx5 = oidx2 * 8; ridx5 < oidx4; ++ridx5) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + oidx3 * 4096 + thread * 4 + ridx5 * 64);
        #pragma unroll 4
        for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
          acc0[ridx7] += row2[ridx7];
        }
      }
      if (oidx4 * 64 + thread * 4 + 4 <= oidx5 * 4) {
        float row3[4] __attribute__((aligned(16)));
        copy_16_bytes(row3, input0 + oidx3 * 4096 + oidx4 * 64 + thread * 4);
        #pragma unroll 4
        for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
          acc0[ridx9] += row3[ridx9];
        }
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      if (is_active) {
        if (thread == 0) {
          output0[0] = acc0_folded;
        }
      }
    } else {
      float acc5[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc5[i] = 0.0f;
      for (i64 ridx11 = 0; ridx11 < oidx2; ++ridx11) {
        #pragma unroll 8
        for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
          const float* input0_row = input0 + oidx3 * 4096 + ridx11 * 512 + ridx12 * 64 + thread * 4;
          #pragma unroll 4
          for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
            acc5[ridx14] += input0_row[ridx14];
          }
        }
      }
      for (i64 ridx15 = oidx2 * 8; ridx15 < oidx4; ++ridx15) {
        const float* input0_row1 = input0 + oidx3 * 4096 + ridx15 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
          acc5[ridx17] += input0_row1[ridx17];
        }
      }
      const float* input0_row2 = input0 + oidx3 * 4096 + oidx4 * 64 + thread * 4;
      if (oidx4 * 64 + thread * 4 + 4 <= oidx5 * 4) {
        #pragma unroll 4
        for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
          acc5[ridx19] += input0_row2[ridx19];
        }
      }
      const float acc5_folded = fold_add_16x4_f32(acc5);
      if (is_active) {
        if (thread == 0) {
          output0[0] = acc5_folded;
        }
      }
    }
  }
}

/* generation 0 · rowwise over [n] · sum of [n, 300] axes [1] lanes · sum of [n, 300] axes [1] lanes product · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_4(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    float* output0_row = output0 + ridx0;
    float* output1_row = output1 + ridx0;
    if (aligned0) {
      float row0[20] __attribute__((aligned(16)));
      float acc1[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc1[i] = 0.0f;
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 300 + thread * 4 + ridx1 * 64);
        #pragma unroll 4
        for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
          const float alu0 = row2[ridx3];
          row0[ridx1 * 4 + ridx3] = alu0;
          acc1[ridx3] += alu0;
        }
      }
      if (thread * 4 <= 40) {
        float row3[4] __attribute__((aligned(16)));
        copy_16_bytes(row3, input0 + ridx0 * 300 + thread * 4 + 256);
        #pragma unroll 4
        for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
          const float alu1 = row3[ridx5];
          row0[ridx5 + 16] = alu1;
          acc1[ridx5] += alu1;
        }
      }
      const float acc1_folded = fold_add_16x4_f32(acc1);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = acc1_folded;
        }
      }
      float acc5[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc5[i] = 0.0f;
      const float alu2 = -(acc1_folded / 300.0f);
      #pragma unroll 4
      for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
        #pragma unroll 4
        for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
          const float alu3 = row0[ridx7 * 4 + ridx9] + alu2;
          acc5[ridx9] = fma_f32(alu3, alu3, acc5[ridx9]);
        }
      }
      if (thread * 4 <= 40) {
        #pragma unroll 4
        for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
          const float alu4 = row0[ridx11 + 16] + alu2;
          acc5[ridx11] = fma_f32(alu4, alu4, acc5[ridx11]);
        }
      }
      const float acc5_folded = fold_add_16x4_f32(acc5);
      float acc6 = acc5_folded + 0.0f;
      if (is_active) {
        if (thread == 0) {
          output1_row[0] = sqrt_f32(acc6 / 300.0f);
        }
      }
    } else {
      float row7[20] __attribute__((aligned(16)));
      float acc8[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc8[i] = 0.0f;
      #pragma unroll 4
      for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
        const float* input0_row = input0 + ridx0 * 300 + ridx13 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          const float alu5 = input0_row[ridx15];
          row7[ridx13 * 4 + ridx15] = alu5;
          acc8[ridx15] += alu5;
        }
      }
      const float* input0_row1 = input0 + ridx0 * 300 + thread * 4;
      if (thread * 4 <= 40) {
        #pragma unroll 4
        for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
          const float alu6 = input0_row1[ridx17 + 256];
          row7[ridx17 + 16] = alu6;
          acc8[ridx17] += alu6;
        }
      }
      const float acc8_folded = fold_add_16x4_f32(acc8);
      if (is_active) {
        if (thread == 0) {
          output0_row[0] = acc8_folded;
        }
      }
      float acc10[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc10[i] = 0.0f;
      const float alu7 = -(acc8_folded / 300.0f);
      #pragma unroll 4
      for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          const float alu8 = row7[ridx19 * 4 + ridx21] + alu7;
          acc10[ridx21] = fma_f32(alu8, alu8, acc10[ridx21]);
        }
      }
      if (thread * 4 <= 40) {
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          const float alu9 = row7[ridx23 + 16] + alu7;
          acc10[ridx23] = fma_f32(alu9, alu9, acc10[ridx23]);
        }
      }
      const float acc10_folded = fold_add_16x4_f32(acc10);
      float acc11 = acc10_folded + 0.0f;
      if (is_active) {
        if (thread == 0) {
          output1_row[0] = sqrt_f32(acc11 / 300.0f);
        }
      }
    }
  }
}

/* generation 1 · reduce over [(n // 256 + 1) // 256, 300] · sum of [(n // 256 + 1) // 256, 256, 300] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_5(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 / 256 + 1) / 256 * 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    const i64 oidx0 = ridx0 / 300;
    const i64 oidx1 = ridx0 % 300;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const float* input0_row = input0 + oidx0 * 76800 + oidx1 + ridx1 * 4800;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 += input0_row[ridx2 * 300];
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 1 · reduce over [300] · sum of [1, (n // 256 + 1) % 256, 300] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_6(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) & 255;
  const i64 oidx2 = (oidx1 + 127) / 128;
  const i64 oidx3 = (oidx0 + 1) / 256;
  #pragma unroll 1
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx1 && ridx0 * 32 <= 268) {
        const i64 oidx4 = thread / 32;
        const i64 oidx5 = thread & 31;
        const float* input0_row = input0 + oidx3 * 76800 + ridx0 * 32 + ridx1 * 38400 + oidx4 * 300 + oidx5;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 2400];
        }
      } else {
        const i64 oidx6 = thread / 32;
        const i64 oidx7 = thread & 31;
        const float* input0_row1 = input0 + oidx3 * 76800 + ridx0 * 32 + ridx1 * 38400 + oidx6 * 300 + oidx7;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx6 + ridx5 * 8 < oidx1 && ridx0 * 32 + oidx7 <= 299) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 2400];
          }
        }
      }
      __syncthreads();
      const i64 oidx8 = min_i64(oidx1 - ridx1 * 128, 128);
      const i64 oidx9 = oidx8 / 8;
      if (ridx0 * 32 + thread <= 299 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx9; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 += row0[thread + ridx7 * 256 + ridx8 * 32];
          }
        }
        for (i64 ridx9 = oidx9 * 8; ridx9 < oidx8; ++ridx9) {
          acc1 += row0[thread + ridx9 * 32];
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 299 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 1 · reduce over [] · sum of [(75*n) // 1024 + 1] axes [0] lanes · reduce [thread_group] */
extern "C" __global__ void __launch_bounds__(64, 16) kernel_7(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 * 75 / 17179869184;
  const i64 oidx1 = shape0 * 75 / 4194304;
  const i64 oidx3 = shape0 * 75 / 1024;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    float acc2 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx0 + 1; ++ridx1) {
      float acc1 = 0.0f;
      const i64 oidx2 = min_i64(oidx1 + 1, ridx1 * 4096 + 4096);
      for (i64 ridx2 = ridx1 * 4096; ridx2 < oidx2; ++ridx2) {
        float acc0 = 0.0f;
        const i64 oidx4 = min_i64(oidx3 + 1, ridx2 * 4096 + 4096);
        const i64 oidx5 = oidx4 / 1024;
        for (i64 ridx3 = 0; ridx3 < oidx5 - ridx2 * 4; ++ridx3) {
          #pragma unroll 16
          for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
            const float* input0_row = input0 + ridx2 * 4096 + ridx3 * 1024 + ridx4 * 64;
            acc0 += input0_row[thread];
          }
        }
        const i64 oidx6 = oidx4 / 64;
        for (i64 ridx6 = oidx5 * 16 - ridx2 * 64; ridx6 < oidx6 - ridx2 * 64; ++ridx6) {
          const float* input0_row1 = input0 + ridx2 * 4096 + ridx6 * 64;
          acc0 += input0_row1[thread];
        }
        const float* input0_row2 = input0 + oidx6 * 64;
        if (oidx6 * 64 + thread < oidx4) {
          acc0 += input0_row2[thread];
        }
        const float acc0_folded = fold_add_64x1_f32(&acc0);
        const i64 oidx7 = ridx2 & 63;
        if (oidx7 <= thread && thread <= oidx7) {
          acc1 += acc0_folded;
        }
      }
      const float acc1_folded = fold_add_64x1_f32(&acc1);
      if (ridx1 <= thread && thread <= ridx1) {
        acc2 += acc1_folded;
      }
    }
    const float acc2_folded = fold_add_64x1_f32(&acc2);
    if (thread == 0) {
      output0[0] = acc2_folded;
    }
  }
}

/* generation 2 · reduce over [300] · sum of [(n // 256 + 1) // 256 + 1, 300] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_8(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 65536;
  const i64 oidx2 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc2 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      float acc1 = 0.0f;
      const i64 oidx3 = min_i64(oidx2 + 1, ridx1 * 256 + 256);
      const i64 oidx4 = (oidx3 + 127) / 128;
      for (i64 ridx2 = 0; ridx2 < oidx4 - ridx1 * 2; ++ridx2) {
        if (ridx0 * 32 <= 268 && ridx1 * 256 + ridx2 * 128 + 128 <= oidx3) {
          const i64 oidx5 = thread / 32;
          const i64 oidx6 = thread & 31;
          const float* input0_row = input0 + ridx0 * 32 + ridx1 * 76800 + ridx2 * 38400 + oidx5 * 300 + oidx6;
          #pragma unroll 16
          for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
            row0[thread + ridx4 * 256] = input0_row[ridx4 * 2400];
          }
        } else {
          const i64 oidx7 = thread & 31;
          const i64 oidx8 = thread / 32;
          const float* input0_row1 = input0 + ridx0 * 32 + ridx1 * 76800 + ridx2 * 38400 + oidx8 * 300 + oidx7;
          #pragma unroll 16
          for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
            if (ridx0 * 32 + oidx7 <= 299 && ridx1 * 256 + ridx2 * 128 + oidx8 + ridx6 * 8 < oidx3) {
              row0[thread + ridx6 * 256] = input0_row1[ridx6 * 2400];
            }
          }
        }
        __syncthreads();
        const i64 oidx9 = min_i64(oidx3 - ridx1 * 256 - ridx2 * 128, 128);
        const i64 oidx10 = oidx9 / 8;
        if (ridx0 * 32 + thread <= 299 && thread <= 31) {
          for (i64 ridx8 = 0; ridx8 < oidx10; ++ridx8) {
            #pragma unroll 8
            for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
              acc1 += row0[thread + ridx8 * 256 + ridx9 * 32];
            }
          }
          for (i64 ridx10 = oidx10 * 8; ridx10 < oidx9; ++ridx10) {
            acc1 += row0[thread + ridx10 * 32];
          }
        }
        __syncthreads();
      }
      acc2 += acc1;
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 299 && thread <= 31) {
      output0_row[thread] = acc2;
    }
    __syncthreads();
  }
}

