/* harp · graph "column_sums" · target sm_80 · stable, law 9 · 5 kernels
   x: f32[65536, 4096] -> y: f32[4096], all: f32[]
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

/* Folds the 16 elements of 16 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_16x1_f32(float* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2) s[0] = s[0] + __shfl_down_sync(0xffffffffu, s[0], distance, 16);
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
}

/* generation 0 · reduce over [256, 4096] · sum of [256, 256, 4096] axes [1] chain · reduce [thread, thread tile=1 simd=4, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 262144; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 / 1024;
    const i64 oidx1 = ridx0 & 1023;
    float* output0_row = output0 + oidx0 * 4096;
    if (aligned0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < 32; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + oidx0 * 1048576 + oidx1 * 4 + ridx1 * 32768 + ridx2 * 4096);
          #pragma unroll 4
          for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
            acc0[ridx3] += row1[ridx3];
          }
        }
      }
      float row2[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
        row2[ridx4] = acc0[ridx4];
      }
      copy_16_bytes(output0 + ridx0 * 4, row2);
    } else {
      for (i64 ridx5 = oidx1 * 4; ridx5 < oidx1 * 4 + 4; ++ridx5) {
        float acc3 = 0.0f;
        for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
          const float* input0_row = input0 + oidx0 * 1048576 + ridx5 + ridx6 * 65536;
          #pragma unroll 16
          for (i64 ridx7 = 0; ridx7 < 16; ++ridx7) {
            acc3 += input0_row[ridx7 * 4096];
          }
        }
        output0_row[ridx5] = acc3;
      }
    }
  }
}

/* generation 0 · reduce over [65536] · sum of [65536, 4096] axes [1] lanes · reduce [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * 8 + group; ridx0 < 65536; ridx0 += (i64)gridDim.x * 8) {
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
      if (thread == 0) {
        output0_row[0] = acc0_folded;
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
      if (thread == 0) {
        output0_row[0] = acc3_folded;
      }
    }
  }
}

/* generation 1 · reduce over [4096] · sum of [256, 4096] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_2(const float* __restrict__ input0, float* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  #pragma unroll 1
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 128; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
      const i64 oidx0 = thread / 32;
      const i64 oidx1 = thread & 31;
      const float* input0_row = input0 + ridx0 * 32 + ridx1 * 524288 + oidx0 * 4096 + oidx1;
      #pragma unroll 16
      for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
        row0[thread + ridx3 * 256] = input0_row[ridx3 * 32768];
      }
      __syncthreads();
      if (thread <= 31) {
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          #pragma unroll 8
          for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
            acc1 += row0[thread + ridx5 * 256 + ridx6 * 32];
          }
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 1 · reduce over [16] · sum of [16, 4096] axes [1] lanes · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(64, 16) kernel_3(const float* __restrict__ input0, float* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 16; ridx0 += gridDim.x) {
    float acc0 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        const float* input0_row = input0 + ridx0 * 4096 + ridx1 * 1024 + ridx2 * 64;
        acc0 += input0_row[thread];
      }
    }
    const float acc0_folded = fold_add_64x1_f32(&acc0);
    float* output0_row = output0 + ridx0;
    if (thread == 0) {
      output0_row[0] = acc0_folded;
    }
  }
}

/* generation 2 · reduce over [] · sum of [16] axes [0] lanes · reduce [thread_group] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(const float* __restrict__ input0, float* __restrict__ output0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < 1; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < 1; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : 0;
    float acc0 = 0.0f;
    acc0 += input0[thread];
    const float acc0_folded = fold_add_16x1_f32(&acc0);
    if (is_active) {
      if (thread == 0) {
        output0[0] = acc0_folded;
      }
    }
  }
}

