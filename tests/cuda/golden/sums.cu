/* harp · graph "sums" · target sm_80 · stable, law 6 · 15 kernels
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

/* Folds 4 elements of each of 16 threads: combines element i of all of them with element i + half, then repeats this
   on the first half. Every thread gets the result. */
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

/* Folds 1 element of each of 64 threads: combines element i of all of them with element i + half, then repeats this
   on the first half. Every thread gets the result. */
static __device__ __forceinline__ float fold_add_64x1_f32(float* s) {
  __shared__ float all[1][64];
  #pragma unroll
  for (int i = 0; i < 1; ++i) all[i][threadIdx.x] = s[i];
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  #pragma unroll
  for (int i = 0; i < 1; ++i) s[i] = all[i][lane] + all[i][lane + 32];
  __syncthreads();
  #pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 1; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 32);
  return __shfl_sync(0xffffffffu, s[0], 0, 32);
}

/* Folds 1 element of each of 16 threads: combines element i of all of them with element i + half, then repeats this
   on the first half. Every thread gets the result. */
static __device__ __forceinline__ float fold_add_16x1_f32(float* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 1; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 16);
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
}

/* generation 0 · reduce over [n // 256, 300] · sum of [n // 256, 256, 300] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
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

/* generation 0 · reduce over [300] · sum of [1, n - 256*(n // 256), 300] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (shape0 + 255) / 256;
  const i64 oidx2 = (oidx0 * 255 + oidx1 + 255) / 256;
  const i64 oidx3 = (oidx0 * 255 + oidx2 + 255) / 256;
  const i64 oidx6 = shape0 / 16;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc3 = 0.0f;
    const float* input0_row1 = input0 + oidx0 * 76800 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx3 - oidx0; ++ridx1) {
      float acc2 = 0.0f;
      const i64 oidx4 = min_i64(oidx2 - oidx0, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx4; ++ridx2) {
        float acc1 = 0.0f;
        const i64 oidx5 = min_i64(oidx1 - oidx0, ridx2 * 256 + 256);
        for (i64 ridx3 = ridx2 * 256; ridx3 < oidx5; ++ridx3) {
          float acc0 = 0.0f;
          for (i64 ridx4 = 0; ridx4 < oidx6 - oidx0 * 16 - ridx3 * 16; ++ridx4) {
            const float* input0_row = input0 + oidx0 * 76800 + ridx0 + ridx3 * 76800 + ridx4 * 4800;
            #pragma unroll 16
            for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
              acc0 += input0_row[ridx5 * 300];
            }
          }
          for (i64 ridx6 = oidx6 * 16 - oidx0 * 256; ridx6 < shape0 - oidx0 * 256; ++ridx6) {
            acc0 += input0_row1[ridx6 * 300];
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

/* generation 0 · reduce over [(75*n) // 1024] · sum of [(75*n) // 1024, 4096] axes [1] lanes · reduce [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const i64 alu0 = (i64)(((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll);
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0 * 75 / 1024; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0 * 75 / 1024; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 * 75 / 1024 - 1;
    float* output0_row = output0 + ridx0;
    const i64 aligned0 = alu0;
    if (aligned0 > 0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < 8; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + ridx0 * 4096 + ridx1 * 512 + ridx2 * 64 + thread * 4);
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            acc0[ridx4] += row1[ridx4];
          }
        }
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      float acc2 = acc0_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc2;
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
      float acc4 = acc3_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc4;
        }
      }
    }
  }
}

/* generation 0 · reduce over [] · sum of [1, 300*n - 4096*((75*n) // 1024)] axes [1] lanes · reduce [thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const i64 alu0 = (i64)(((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll);
  const i64 oidx0 = shape0 * 75 / 1024;
  const i64 oidx1 = (shape0 * 75 + 1023) / 1024;
  const i64 oidx2 = (oidx0 * 4095 + oidx1 + 4095) / 4096;
  const i64 oidx3 = (oidx0 * 4095 + oidx2 + 4095) / 4096;
  const i64 oidx6 = shape0 * 11 / 16;
  const i64 oidx7 = (shape0 * 4 + oidx6) / 8;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < 1; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < 1; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : 0;
    const i64 aligned0 = alu0;
    if (aligned0 > 0) {
      float acc3[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc3[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < oidx3 - oidx0; ++ridx1) {
        float acc2[4] __attribute__((aligned(16)));
        for (int i = 0; i < 4; ++i) acc2[i] = 0.0f;
        const i64 oidx4 = min_i64(oidx2 - oidx0, ridx1 * 4096 + 4096);
        for (i64 ridx2 = ridx1 * 4096; ridx2 < oidx4; ++ridx2) {
          float acc1[4] __attribute__((aligned(16)));
          for (int i = 0; i < 4; ++i) acc1[i] = 0.0f;
          const i64 oidx5 = min_i64(oidx1 - oidx0, ridx2 * 4096 + 4096);
          for (i64 ridx3 = ridx2 * 4096; ridx3 < oidx5; ++ridx3) {
            float acc0[4] __attribute__((aligned(16)));
            for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
            for (i64 ridx4 = 0; ridx4 < oidx7 - oidx0 * 8 - ridx3 * 8; ++ridx4) {
              #pragma unroll 8
              for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
                float row4[4] __attribute__((aligned(16)));
                copy_16_bytes(row4, input0 + oidx0 * 4096 + ridx3 * 4096 + ridx4 * 512 + ridx5 * 64 + thread * 4);
                #pragma unroll 4
                for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
                  acc0[ridx7] += row4[ridx7];
                }
              }
            }
            for (i64 ridx8 = oidx7 * 8 - oidx0 * 64 - ridx3 * 64; ridx8 < shape0 * 4 + oidx6 - oidx0 * 64 - ridx3 * 64; ++ridx8) {
              float row5[4] __attribute__((aligned(16)));
              copy_16_bytes(row5, input0 + oidx0 * 4096 + ridx3 * 4096 + ridx8 * 64 + thread * 4);
              #pragma unroll 4
              for (i64 ridx10 = 0; ridx10 < 4; ++ridx10) {
                acc0[ridx10] += row5[ridx10];
              }
            }
            if (oidx6 * 64 + thread * 4 + 4 <= shape0 * 44) {
              float row6[4] __attribute__((aligned(16)));
              copy_16_bytes(row6, input0 + shape0 * 256 + oidx6 * 64 + thread * 4);
              #pragma unroll 4
              for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
                acc0[ridx12] += row6[ridx12];
              }
            }
            const float acc0_folded = fold_add_16x4_f32(acc0);
            float acc7 = acc0_folded;
            const i64 oidx8 = ridx3 & 63;
            #pragma unroll 4
            for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
              const i64 oidx9 = min_i64(thread * 4 + ridx14 - oidx8, oidx8 - thread * 4 - ridx14);
              if (oidx9 >= 0) {
                acc1[ridx14] += acc7;
              }
            }
          }
          const float acc1_folded = fold_add_16x4_f32(acc1);
          float acc8 = acc1_folded;
          const i64 oidx10 = ridx2 & 63;
          #pragma unroll 4
          for (i64 ridx16 = 0; ridx16 < 4; ++ridx16) {
            const i64 oidx11 = min_i64(thread * 4 + ridx16 - oidx10, oidx10 - thread * 4 - ridx16);
            if (oidx11 >= 0) {
              acc2[ridx16] += acc8;
            }
          }
        }
        const float acc2_folded = fold_add_16x4_f32(acc2);
        float acc9 = acc2_folded;
        const i64 oidx12 = ridx1 & 63;
        #pragma unroll 4
        for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
          const i64 oidx13 = min_i64(thread * 4 + ridx18 - oidx12, oidx12 - thread * 4 - ridx18);
          if (oidx13 >= 0) {
            acc3[ridx18] += acc9;
          }
        }
      }
      const float acc3_folded = fold_add_16x4_f32(acc3);
      float acc10 = acc3_folded;
      if (is_active) {
        if (thread <= 0) {
          output0[0] = acc10;
        }
      }
    } else {
      float acc14[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc14[i] = 0.0f;
      for (i64 ridx20 = 0; ridx20 < oidx3 - oidx0; ++ridx20) {
        float acc13[4] __attribute__((aligned(16)));
        for (int i = 0; i < 4; ++i) acc13[i] = 0.0f;
        const i64 oidx14 = min_i64(oidx2 - oidx0, ridx20 * 4096 + 4096);
        for (i64 ridx21 = ridx20 * 4096; ridx21 < oidx14; ++ridx21) {
          float acc12[4] __attribute__((aligned(16)));
          for (int i = 0; i < 4; ++i) acc12[i] = 0.0f;
          const i64 oidx15 = min_i64(oidx1 - oidx0, ridx21 * 4096 + 4096);
          for (i64 ridx22 = ridx21 * 4096; ridx22 < oidx15; ++ridx22) {
            float acc11[4] __attribute__((aligned(16)));
            for (int i = 0; i < 4; ++i) acc11[i] = 0.0f;
            for (i64 ridx23 = 0; ridx23 < oidx7 - oidx0 * 8 - ridx22 * 8; ++ridx23) {
              #pragma unroll 8
              for (i64 ridx24 = 0; ridx24 < 8; ++ridx24) {
                const float* input0_row = input0 + oidx0 * 4096 + ridx22 * 4096 + ridx23 * 512 + ridx24 * 64 + thread * 4;
                #pragma unroll 4
                for (i64 ridx26 = 0; ridx26 < 4; ++ridx26) {
                  acc11[ridx26] += input0_row[ridx26];
                }
              }
            }
            for (i64 ridx27 = oidx7 * 8 - oidx0 * 64 - ridx22 * 64; ridx27 < shape0 * 4 + oidx6 - oidx0 * 64 - ridx22 * 64; ++ridx27) {
              const float* input0_row1 = input0 + oidx0 * 4096 + ridx22 * 4096 + ridx27 * 64 + thread * 4;
              #pragma unroll 4
              for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
                acc11[ridx29] += input0_row1[ridx29];
              }
            }
            const float* input0_row2 = input0 + shape0 * 256 + oidx6 * 64 + thread * 4;
            if (oidx6 * 64 + thread * 4 + 4 <= shape0 * 44) {
              #pragma unroll 4
              for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
                acc11[ridx31] += input0_row2[ridx31];
              }
            }
            const float acc11_folded = fold_add_16x4_f32(acc11);
            float acc15 = acc11_folded;
            const i64 oidx16 = ridx22 & 63;
            #pragma unroll 4
            for (i64 ridx33 = 0; ridx33 < 4; ++ridx33) {
              const i64 oidx17 = min_i64(thread * 4 + ridx33 - oidx16, oidx16 - thread * 4 - ridx33);
              if (oidx17 >= 0) {
                acc12[ridx33] += acc15;
              }
            }
          }
          const float acc12_folded = fold_add_16x4_f32(acc12);
          float acc16 = acc12_folded;
          const i64 oidx18 = ridx21 & 63;
          #pragma unroll 4
          for (i64 ridx35 = 0; ridx35 < 4; ++ridx35) {
            const i64 oidx19 = min_i64(thread * 4 + ridx35 - oidx18, oidx18 - thread * 4 - ridx35);
            if (oidx19 >= 0) {
              acc13[ridx35] += acc16;
            }
          }
        }
        const float acc13_folded = fold_add_16x4_f32(acc13);
        float acc17 = acc13_folded;
        const i64 oidx20 = ridx20 & 63;
        #pragma unroll 4
        for (i64 ridx37 = 0; ridx37 < 4; ++ridx37) {
          const i64 oidx21 = min_i64(thread * 4 + ridx37 - oidx20, oidx20 - thread * 4 - ridx37);
          if (oidx21 >= 0) {
            acc14[ridx37] += acc17;
          }
        }
      }
      const float acc14_folded = fold_add_16x4_f32(acc14);
      float acc18 = acc14_folded;
      if (is_active) {
        if (thread <= 0) {
          output0[0] = acc18;
        }
      }
    }
  }
}

/* generation 0 · rowwise over [n] · sum of [n, 300] axes [1] lanes · sum of [n, 300] axes [1] lanes product · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128) kernel_4(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const i64 alu0 = (i64)(((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll);
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    float* output0_row = output0 + ridx0;
    float* output1_row = output1 + ridx0;
    const i64 aligned0 = alu0;
    if (aligned0 > 0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        float row1[4] __attribute__((aligned(16)));
        copy_16_bytes(row1, input0 + ridx0 * 300 + ridx1 * 64 + thread * 4);
        #pragma unroll 4
        for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
          acc0[ridx3] += row1[ridx3];
        }
      }
      if (thread * 4 <= 40) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 300 + thread * 4 + 256);
        #pragma unroll 4
        for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
          acc0[ridx5] += row2[ridx5];
        }
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      float acc3 = acc0_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc3;
        }
      }
      float acc4[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc4[i] = 0.0f;
      const float alu1 = -(acc3 / 300.0f);
      #pragma unroll 4
      for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
        float row5[4] __attribute__((aligned(16)));
        copy_16_bytes(row5, input0 + ridx0 * 300 + ridx7 * 64 + thread * 4);
        #pragma unroll 4
        for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
          const float alu2 = row5[ridx9] + alu1;
          acc4[ridx9] = fma_f32(alu2, alu2, acc4[ridx9]);
        }
      }
      if (thread * 4 <= 40) {
        float row6[4] __attribute__((aligned(16)));
        copy_16_bytes(row6, input0 + ridx0 * 300 + thread * 4 + 256);
        #pragma unroll 4
        for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
          const float alu3 = row6[ridx11] + alu1;
          acc4[ridx11] = fma_f32(alu3, alu3, acc4[ridx11]);
        }
      }
      const float acc4_folded = fold_add_16x4_f32(acc4);
      float acc7 = acc4_folded + 0.0f;
      if (is_active) {
        if (thread <= 0) {
          output1_row[0] = sqrt_f32(acc7 / 300.0f);
        }
      }
    } else {
      float acc8[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc8[i] = 0.0f;
      #pragma unroll 4
      for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
        const float* input0_row = input0 + ridx0 * 300 + ridx13 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          acc8[ridx15] += input0_row[ridx15];
        }
      }
      const float* input0_row1 = input0 + ridx0 * 300 + thread * 4;
      if (thread * 4 <= 40) {
        #pragma unroll 4
        for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
          acc8[ridx17] += input0_row1[ridx17 + 256];
        }
      }
      const float acc8_folded = fold_add_16x4_f32(acc8);
      float acc9 = acc8_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc9;
        }
      }
      float acc10[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc10[i] = 0.0f;
      const float alu4 = -(acc9 / 300.0f);
      #pragma unroll 4
      for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
        const float* input0_row2 = input0 + ridx0 * 300 + ridx19 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          const float alu5 = input0_row2[ridx21] + alu4;
          acc10[ridx21] = fma_f32(alu5, alu5, acc10[ridx21]);
        }
      }
      const float* input0_row3 = input0 + ridx0 * 300 + thread * 4;
      if (thread * 4 <= 40) {
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          const float alu6 = input0_row3[ridx23 + 256] + alu4;
          acc10[ridx23] = fma_f32(alu6, alu6, acc10[ridx23]);
        }
      }
      const float acc10_folded = fold_add_16x4_f32(acc10);
      float acc11 = acc10_folded + 0.0f;
      if (is_active) {
        if (thread <= 0) {
          output1_row[0] = sqrt_f32(acc11 / 300.0f);
        }
      }
    }
  }
}

/* generation 1 · reduce over [(n // 256 + 1) // 256, 300] · sum of [(n // 256 + 1) // 256, 256, 300] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_5(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
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

/* generation 1 · reduce over [300] · sum of [1, n // 256 - 256*((n // 256 + 1) // 256) + 1, 300] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_6(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 256;
  const i64 oidx2 = shape0 / 65536;
  const i64 oidx3 = (oidx2 + oidx1 * 255) / 256;
  const i64 oidx5 = (oidx0 + 1) / 16;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc2 = 0.0f;
    const float* input0_row1 = input0 + oidx1 * 76800 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx3 - oidx1 + 1; ++ridx1) {
      float acc1 = 0.0f;
      const i64 oidx4 = min_i64(oidx2 - oidx1 + 1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx4; ++ridx2) {
        float acc0 = 0.0f;
        for (i64 ridx3 = 0; ridx3 < oidx5 - oidx1 * 16 - ridx2 * 16; ++ridx3) {
          const float* input0_row = input0 + oidx1 * 76800 + ridx0 + ridx2 * 76800 + ridx3 * 4800;
          #pragma unroll 16
          for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
            acc0 += input0_row[ridx4 * 300];
          }
        }
        for (i64 ridx5 = oidx5 * 16 - oidx1 * 256; ridx5 < oidx0 - oidx1 * 256 + 1; ++ridx5) {
          acc0 += input0_row1[ridx5 * 300];
        }
        acc1 += acc0;
      }
      acc2 += acc1;
    }
    output0[ridx0] = acc2;
  }
}

/* generation 1 · reduce over [((75*n) // 1024 + 1) // 4096] · sum of [((75*n) // 1024 + 1) // 4096, 4096] axes [1] lanes · reduce [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128) kernel_7(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const i64 alu0 = (i64)(((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll);
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < (shape0 * 75 / 1024 + 1) / 4096; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < (shape0 * 75 / 1024 + 1) / 4096; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : (shape0 * 75 / 1024 + 1) / 4096 - 1;
    float* output0_row = output0 + ridx0;
    const i64 aligned0 = alu0;
    if (aligned0 > 0) {
      float acc0[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc0[i] = 0.0f;
      for (i64 ridx1 = 0; ridx1 < 8; ++ridx1) {
        #pragma unroll 8
        for (i64 ridx2 = 0; ridx2 < 8; ++ridx2) {
          float row1[4] __attribute__((aligned(16)));
          copy_16_bytes(row1, input0 + ridx0 * 4096 + ridx1 * 512 + ridx2 * 64 + thread * 4);
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            acc0[ridx4] += row1[ridx4];
          }
        }
      }
      const float acc0_folded = fold_add_16x4_f32(acc0);
      float acc2 = acc0_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc2;
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
      float acc4 = acc3_folded;
      if (is_active) {
        if (thread <= 0) {
          output0_row[0] = acc4;
        }
      }
    }
  }
}

/* generation 1 · reduce over [] · sum of [1, (75*n) // 1024 - 4096*(((75*n) // 1024 + 1) // 4096) + 1] axes [1] lanes · reduce [thread_group] */
extern "C" __global__ void __launch_bounds__(64) kernel_8(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 * 75 / 1024;
  const i64 oidx1 = (oidx0 + 1) / 4096;
  const i64 oidx2 = shape0 * 75 / 4194304;
  const i64 oidx3 = (oidx2 + oidx1 * 4095) / 4096;
  const i64 oidx5 = (oidx0 + 1) / 1024;
  const i64 oidx6 = (oidx0 + 1) / 64;
  const float* input0_row2 = input0 + oidx6 * 64;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    float acc2 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx3 - oidx1 + 1; ++ridx1) {
      float acc1 = 0.0f;
      const i64 oidx4 = min_i64(oidx2 - oidx1 + 1, ridx1 * 4096 + 4096);
      for (i64 ridx2 = ridx1 * 4096; ridx2 < oidx4; ++ridx2) {
        float acc0 = 0.0f;
        for (i64 ridx3 = 0; ridx3 < oidx5 - oidx1 * 4 - ridx2 * 4; ++ridx3) {
          #pragma unroll 16
          for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
            const float* input0_row = input0 + oidx1 * 4096 + ridx2 * 4096 + ridx3 * 1024 + ridx4 * 64;
            acc0 += input0_row[thread];
          }
        }
        for (i64 ridx6 = oidx5 * 16 - oidx1 * 64 - ridx2 * 64; ridx6 < oidx6 - oidx1 * 64 - ridx2 * 64; ++ridx6) {
          const float* input0_row1 = input0 + oidx1 * 4096 + ridx2 * 4096 + ridx6 * 64;
          acc0 += input0_row1[thread];
        }
        if (oidx6 * 64 + thread <= oidx0) {
          acc0 += input0_row2[thread];
        }
        const float acc0_folded = fold_add_64x1_f32(&acc0);
        float acc3 = acc0_folded;
        const i64 oidx7 = ridx2 & 63;
        #pragma unroll 1
        for (i64 ridx10 = 0; ridx10 < 1; ++ridx10) {
          const i64 oidx8 = min_i64(thread + ridx10 - oidx7, oidx7 - thread - ridx10);
          if (oidx8 >= 0) {
            acc1 += acc3;
          }
        }
      }
      const float acc1_folded = fold_add_64x1_f32(&acc1);
      float acc4 = acc1_folded;
      const i64 oidx9 = ridx1 & 63;
      #pragma unroll 1
      for (i64 ridx12 = 0; ridx12 < 1; ++ridx12) {
        const i64 oidx10 = min_i64(thread + ridx12 - oidx9, oidx9 - thread - ridx12);
        if (oidx10 >= 0) {
          acc2 += acc4;
        }
      }
    }
    const float acc2_folded = fold_add_64x1_f32(&acc2);
    float acc5 = acc2_folded;
    if (thread <= 0) {
      output0[0] = acc5;
    }
  }
}

/* generation 2 · reduce over [((n // 256 + 1) // 256 + 1) // 256, 300] · sum of [((n // 256 + 1) // 256 + 1) // 256, 256, 300] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_9(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < ((shape0 / 256 + 1) / 256 + 1) / 256 * 300; ridx0 += (i64)gridDim.x * blockDim.x) {
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

/* generation 2 · reduce over [300] · sum of [1, (n // 256 + 1) // 256 - 256*(((n // 256 + 1) // 256 + 1) // 256) + 1, 300] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_10(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 65536;
  const i64 oidx2 = (oidx0 + 1) / 256;
  const i64 oidx3 = (oidx2 + 1) / 256;
  const i64 oidx4 = (oidx2 + 1) / 16;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc1 = 0.0f;
    const float* input0_row1 = input0 + oidx3 * 76800 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx1 - oidx3 + 1; ++ridx1) {
      float acc0 = 0.0f;
      for (i64 ridx2 = 0; ridx2 < oidx4 - oidx3 * 16 - ridx1 * 16; ++ridx2) {
        const float* input0_row = input0 + oidx3 * 76800 + ridx0 + ridx1 * 76800 + ridx2 * 4800;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          acc0 += input0_row[ridx3 * 300];
        }
      }
      for (i64 ridx4 = oidx4 * 16 - oidx3 * 256; ridx4 < oidx2 - oidx3 * 256 + 1; ++ridx4) {
        acc0 += input0_row1[ridx4 * 300];
      }
      acc1 += acc0;
    }
    output0[ridx0] = acc1;
  }
}

/* generation 2 · reduce over [(((75*n) // 1024 + 1) // 4096 + 1) // 4096] · sum of [(((75*n) // 1024 + 1) // 4096 + 1) // 4096, 4096] axes [1] lanes · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(64) kernel_11(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < ((shape0 * 75 / 1024 + 1) / 4096 + 1) / 4096; ridx0 += gridDim.x) {
    float acc0 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        const float* input0_row = input0 + ridx0 * 4096 + ridx1 * 1024 + ridx2 * 64;
        acc0 += input0_row[thread];
      }
    }
    const float acc0_folded = fold_add_64x1_f32(&acc0);
    float acc1 = acc0_folded;
    float* output0_row = output0 + ridx0;
    if (thread <= 0) {
      output0_row[0] = acc1;
    }
  }
}

/* generation 2 · reduce over [] · sum of [1, ((75*n) // 1024 + 1) // 4096 - 4096*((((75*n) // 1024 + 1) // 4096 + 1) // 4096) + 1] axes [1] lanes · reduce [thread_group] */
extern "C" __global__ void __launch_bounds__(64) kernel_12(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 * 75 / 1024;
  const i64 oidx1 = (oidx0 + 1) / 16777216;
  const i64 oidx2 = (oidx0 + 1) / 4096;
  const i64 oidx3 = (oidx2 + 1) / 4096;
  const i64 oidx4 = (oidx2 + 1) / 1024;
  const i64 oidx5 = (oidx2 + 1) / 64;
  const float* input0_row2 = input0 + oidx5 * 64;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx1 - oidx3 + 1; ++ridx1) {
      float acc0 = 0.0f;
      for (i64 ridx2 = 0; ridx2 < oidx4 - oidx3 * 4 - ridx1 * 4; ++ridx2) {
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          const float* input0_row = input0 + oidx3 * 4096 + ridx1 * 4096 + ridx2 * 1024 + ridx3 * 64;
          acc0 += input0_row[thread];
        }
      }
      for (i64 ridx5 = oidx4 * 16 - oidx3 * 64 - ridx1 * 64; ridx5 < oidx5 - oidx3 * 64 - ridx1 * 64; ++ridx5) {
        const float* input0_row1 = input0 + oidx3 * 4096 + ridx1 * 4096 + ridx5 * 64;
        acc0 += input0_row1[thread];
      }
      if (oidx5 * 64 + thread <= oidx2) {
        acc0 += input0_row2[thread];
      }
      const float acc0_folded = fold_add_64x1_f32(&acc0);
      float acc2 = acc0_folded;
      #pragma unroll 1
      for (i64 ridx9 = 0; ridx9 < 1; ++ridx9) {
        const i64 oidx6 = min_i64(thread + ridx9 - ridx1, ridx1 - thread - ridx9);
        if (oidx6 >= 0) {
          acc1 += acc2;
        }
      }
    }
    const float acc1_folded = fold_add_64x1_f32(&acc1);
    float acc3 = acc1_folded;
    if (thread <= 0) {
      output0[0] = acc3;
    }
  }
}

/* generation 3 · reduce over [300] · sum of [((n // 256 + 1) // 256 + 1) // 256 + 1, 300] axes [0] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128) kernel_13(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 256;
  const i64 oidx2 = (oidx1 + 1) / 256;
  const i64 oidx3 = (oidx2 + 1) / 16;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx3; ++ridx1) {
      const float* input0_row = input0 + ridx0 + ridx1 * 4800;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 += input0_row[ridx2 * 300];
      }
    }
    const float* input0_row1 = input0 + ridx0;
    for (i64 ridx3 = oidx3 * 16; ridx3 < oidx2 + 1; ++ridx3) {
      acc0 += input0_row1[ridx3 * 300];
    }
    output0[ridx0] = acc0;
  }
}

/* generation 3 · reduce over [] · sum of [(((75*n) // 1024 + 1) // 4096 + 1) // 4096 + 1] axes [0] lanes · reduce [thread_group] */
extern "C" __global__ void __launch_bounds__(128) kernel_14(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const i64 oidx0 = shape0 * 75 / 1024;
  const i64 oidx1 = (oidx0 + 1) / 4096;
  const i64 oidx2 = (oidx1 + 1) / 4096;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < 1; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < 1; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : 0;
    float acc0 = 0.0f;
    if (thread <= oidx2) {
      acc0 += input0[thread];
    }
    const float acc0_folded = fold_add_16x1_f32(&acc0);
    float acc1 = acc0_folded;
    if (is_active) {
      if (thread <= 0) {
        output0[0] = acc1;
      }
    }
  }
}

