/* harp · graph "image_sums" · target sm_80 · stable, law 9 · 2 kernels
   x: f32[n, 64, 56, 56] -> y: f32[64]
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

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* generation 0 · reduce over [n, 64] · sum of [n, 64, 56, 56] axes [2, 3] lanes · reduce [thread, thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * 8 + group; ridx0 < shape0 * 64; ridx0 += (i64)gridDim.x * 8) {
    float* output0_row = output0 + ridx0;
    if (aligned0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < 6; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + ridx0 * 3136 + thread * 4 + ridx1 * 512 + ridx2 * 64);
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            acc0[ridx4] += row1[ridx4];
          }
        }
      }
      float row2[4] __attribute__((aligned(16)));
      copy_16_bytes(row2, input0 + ridx0 * 3136 + thread * 4 + 3072);
      #pragma unroll 4
      for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
        acc0[ridx6] += row2[ridx6];
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      if (thread == 0) {
        output0_row[0] = acc0_folded;
      }
    } else {
      float acc4[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc4[i] = 0.0f;
      for (i64 ridx8 = 0; ridx8 < 6; ++ridx8) {
        #pragma unroll 8
        for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
          const float* input0_row = input0 + ridx0 * 3136 + ridx8 * 512 + ridx9 * 64 + thread * 4;
          #pragma unroll 4
          for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
            acc4[ridx11] += input0_row[ridx11];
          }
        }
      }
      const float* input0_row1 = input0 + ridx0 * 3136 + thread * 4;
      #pragma unroll 4
      for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
        acc4[ridx13] += input0_row1[ridx13 + 3072];
      }
      const float acc4_folded = fold_add_16x4_f32(acc4);
      if (thread == 0) {
        output0_row[0] = acc4_folded;
      }
    }
  }
}

/* generation 1 · reduce over [64] · sum of [n, 64] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = (shape0 + 255) / 256;
  const i64 oidx1 = (oidx0 + 255) / 256;
  const i64 oidx2 = (oidx1 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 2; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc4 = 0.0f;
    #pragma unroll 1
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      float acc3 = 0.0f;
      const i64 oidx3 = min_i64(oidx1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx3; ++ridx2) {
        float acc2 = 0.0f;
        const i64 oidx4 = min_i64(oidx0, ridx2 * 256 + 256);
        for (i64 ridx3 = ridx2 * 256; ridx3 < oidx4; ++ridx3) {
          float acc1 = 0.0f;
          const i64 oidx5 = min_i64(shape0, ridx3 * 256 + 256);
          const i64 oidx6 = (oidx5 + 127) / 128;
          for (i64 ridx4 = 0; ridx4 < oidx6 - ridx3 * 2; ++ridx4) {
            if (ridx3 * 256 + ridx4 * 128 + 128 <= oidx5) {
              const i64 oidx7 = thread / 32;
              const i64 oidx8 = thread & 31;
              const float* input0_row = input0 + ridx0 * 32 + ridx3 * 16384 + ridx4 * 8192 + oidx7 * 64 + oidx8;
              #pragma unroll 16
              for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
                row0[thread + ridx6 * 256] = input0_row[ridx6 * 512];
              }
            } else {
              const i64 oidx9 = thread / 32;
              const i64 oidx10 = thread & 31;
              const float* input0_row1 = input0 + ridx0 * 32 + ridx3 * 16384 + ridx4 * 8192 + oidx9 * 64 + oidx10;
              #pragma unroll 16
              for (i64 ridx8 = 0; ridx8 < 16; ++ridx8) {
                if (ridx3 * 256 + ridx4 * 128 + oidx9 + ridx8 * 8 < oidx5) {
                  row0[thread + ridx8 * 256] = input0_row1[ridx8 * 512];
                }
              }
            }
            __syncthreads();
            const i64 oidx11 = min_i64(oidx5 - ridx3 * 256 - ridx4 * 128, 128);
            const i64 oidx12 = oidx11 / 8;
            if (thread <= 31) {
              for (i64 ridx10 = 0; ridx10 < oidx12; ++ridx10) {
                #pragma unroll 8
                for (i64 ridx11 = 0; ridx11 < 8; ++ridx11) {
                  acc1 += row0[thread + ridx10 * 256 + ridx11 * 32];
                }
              }
              for (i64 ridx12 = oidx12 * 8; ridx12 < oidx11; ++ridx12) {
                acc1 += row0[thread + ridx12 * 32];
              }
            }
            __syncthreads();
          }
          acc2 += acc1;
        }
        acc3 += acc2;
      }
      acc4 += acc3;
    }
    float* output0_row = output0 + ridx0 * 32;
    if (thread <= 31) {
      output0_row[thread] = acc4;
    }
    __syncthreads();
  }
}

