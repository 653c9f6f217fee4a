/* harp · graph "matmul" · target sm_80 · stable, law 7 · 3 kernels
   a: f32[m, k], b: f32[k, n] -> c: f32[m, n]
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
struct __align__(8) bytes8 { u32 words[2]; };

/* a / b, rounded down; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The remainder of a / b, with the sign of b; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_mod_i64(i64 a, i64 b) {
  if (b == 0 || b == -1) return 0;
  const i64 rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

/* Both addresses are multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes(void* to, const void* from) { *(bytes8*)to = *(const bytes8*)from; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

/* generation 0 · variant 1 of 3 by size · reduce over [m, n] · sum of [m, k, n] axes [1] chain product · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 oidx0 = (shape1 + 255) / 256;
  const i64 oidx1 = (oidx0 + 255) / 256;
  const i64 oidx2 = (oidx1 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * shape2; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc3 = 0.0f;
    const i64 oidx7 = floor_div_i64(ridx0, shape2);
    const i64 oidx8 = floor_mod_i64(ridx0, shape2);
    const float* input0_row1 = input0 + shape1 * oidx7;
    const float* input1_row1 = input1 + oidx8;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      float acc2 = 0.0f;
      const i64 oidx3 = min_i64(oidx1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx3; ++ridx2) {
        float acc1 = 0.0f;
        const i64 oidx4 = min_i64(oidx0, ridx2 * 256 + 256);
        for (i64 ridx3 = ridx2 * 256; ridx3 < oidx4; ++ridx3) {
          float acc0 = 0.0f;
          const i64 oidx5 = min_i64(shape1, ridx3 * 256 + 256);
          const i64 oidx6 = oidx5 / 16;
          for (i64 ridx4 = 0; ridx4 < oidx6 - ridx3 * 16; ++ridx4) {
            const float* input0_row = input0 + shape1 * oidx7 + ridx3 * 256 + ridx4 * 16;
            const float* input1_row = input1 + shape2 * ridx3 * 256 + shape2 * ridx4 * 16 + oidx8;
            #pragma unroll 16
            for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
              acc0 = fma_f32(input0_row[ridx5], input1_row[shape2 * ridx5], acc0);
            }
          }
          for (i64 ridx6 = oidx6 * 16; ridx6 < oidx5; ++ridx6) {
            acc0 = fma_f32(input0_row1[ridx6], input1_row1[shape2 * ridx6], acc0);
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

/* generation 0 · variant 2 of 3 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=128 unroll=8, thread_group tile=64 unroll=4, reduce tile=8] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_1(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape1 & 3;
  const bool alu0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = shape2 & 1;
  const bool alu1 = ((i64)((size_t)input1 % 64 / 4) & 1ll) == 0ll && oidx1 == 0;
  const i64 oidx2 = (shape2 + 63) / 64;
  const i64 oidx10 = (shape2 + 1) / 2;
  const i64 oidx13 = (shape1 + 255) / 256;
  const i64 oidx14 = (shape1 + 7) / 8;
  const i64 oidx16 = shape1 / 8;
  const i64 oidx46 = shape2 & 3;
  const i64 alu6 = (i64)(((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll && oidx46 == 0);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 + 127) / 128 * oidx2; ridx0 += gridDim.x) {
    const i64 oidx3 = floor_mod_i64(ridx0, oidx2);
    const i64 oidx4 = max_i64(shape2 - oidx3 * 64 - 64, -oidx1);
    const i64 oidx6 = floor_div_i64(ridx0, oidx2);
    const i64 quick0 = (i64)(alu0 && (alu1 && oidx4 >= 0));
    /* 8 x 4 results of this thread */
    float acc2[32] __attribute__((aligned(16)));
    #pragma unroll 32
    for (int i = 0; i < 32; ++i) acc2[i] = 0.0f;
    /* of both factors: two halves, each with 8 terms of 128 rows and of 64 columns */
    __shared__ __align__(16) float row0[2112];
    __shared__ __align__(16) float row1[1024];
    /* sums of the blocks of 256 terms, of the results of all threads */
    __shared__ __align__(16) float row3[8192];
    /* load the first terms */
    float row4[4] __attribute__((aligned(16)));
    float row5[2] __attribute__((aligned(8)));
    const i64 oidx5 = thread & 1;
    const i64 oidx7 = thread / 2;
    const i64 oidx8 = min_i64(shape0 - 1, oidx6 * 128 + oidx7);
    const float* input0_row = input0 + shape1 * oidx8 + oidx5 * 4;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      row4[ridx2] = oidx5 * 4 + ridx2 < shape1 ? input0_row[ridx2] : 0.0f;
    }
    const i64 oidx9 = thread / 32;
    const bool alu2 = oidx9 < shape1;
    const i64 oidx11 = thread & 31;
    const i64 oidx12 = min_i64(oidx10 - 1, oidx3 * 32 + oidx11);
    const float* input1_row = input1 + shape2 * oidx9 + oidx12 * 2;
    #pragma unroll 2
    for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
      row5[ridx3] = (alu2 && oidx12 * 2 + ridx3 < shape2) ? input1_row[ridx3] : 0.0f;
    }
    #pragma unroll 8
    for (i64 ridx4 = 0; ridx4 < 8; ++ridx4) {
      #pragma unroll 4
      for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
        row3[thread + ridx4 * 1024 + ridx5 * 256] = 0.0f;
      }
    }
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      row0[oidx7 + oidx5 * 528 + ridx6 * 132] = row4[ridx6];
    }
    copy_8_bytes(row1 + thread * 2, row5);
    __syncthreads();
    for (i64 ridx7 = 0; ridx7 < oidx13; ++ridx7) {
      const i64 oidx15 = min_i64(oidx14 - ridx7 * 32, 32);
      const i64 oidx17 = max_i64(oidx16 - ridx7 * 32 - 1, 0);
      const i64 oidx18 = min_i64(oidx15, oidx17);
      const i64 oidx19 = quick0 > 0 ? oidx18 : 0;
      for (i64 ridx8 = 0; ridx8 < oidx19; ++ridx8) {
        const i64 oidx26 = ridx8 & 1;
        const i64 oidx32 = (ridx8 + 1) & 1;
        /* the next terms, which are loaded while those in shared memory are multiplied */
        float row6[4] __attribute__((aligned(16)));
        float row7[2] __attribute__((aligned(8)));
        float row8[4] __attribute__((aligned(16)));
        const i64 oidx20 = thread / 2;
        const i64 oidx21 = min_i64(shape0 - 1, oidx6 * 128 + oidx20);
        const i64 oidx22 = thread & 1;
        copy_16_bytes(row8, input0 + shape1 * oidx21 + oidx22 * 4 + ridx7 * 256 + ridx8 * 8 + 8);
        #pragma unroll 4
        for (i64 ridx10 = 0; ridx10 < 4; ++ridx10) {
          row6[ridx10] = row8[ridx10];
        }
        float row9[2] __attribute__((aligned(8)));
        const i64 oidx23 = thread / 32;
        const i64 oidx24 = thread & 31;
        const i64 oidx25 = min_i64(oidx10 - 1, oidx3 * 32 + oidx24);
        copy_8_bytes(row9, input1 + shape2 * oidx23 + shape2 * 8 + oidx25 * 2 + shape2 * ridx7 * 256 + shape2 * ridx8 * 8);
        #pragma unroll 2
        for (i64 ridx11 = 0; ridx11 < 2; ++ridx11) {
          row7[ridx11] = row9[ridx11];
        }
        const i64 oidx27 = thread / 64;
        const i64 oidx28 = thread / 8;
        const i64 oidx29 = oidx28 & 3;
        const i64 oidx30 = thread & 7;
        const i64 oidx31 = oidx23 & 1;
        #pragma unroll 8
        for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
          float row10[8] __attribute__((aligned(16)));
          copy_16_bytes(row10, row0 + oidx27 * 16 + oidx29 * 4 + oidx26 * 1056 + ridx12 * 132);
          copy_16_bytes(row10 + 4, row0 + oidx27 * 16 + oidx29 * 4 + oidx26 * 1056 + ridx12 * 132 + 64);
          float row11[4] __attribute__((aligned(16)));
          copy_16_bytes(row11, row1 + oidx30 * 4 + oidx31 * 32 + oidx26 * 512 + ridx12 * 64);
          #pragma unroll 8
          for (i64 ridx13 = 0; ridx13 < 8; ++ridx13) {
            const float alu3 = row10[ridx13];
            #pragma unroll 4
            for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
              acc2[ridx13 * 4 + ridx14] = fma_f32(alu3, row11[ridx14], acc2[ridx13 * 4 + ridx14]);
            }
          }
        }
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          row0[oidx32 * 1056 + oidx20 + oidx22 * 528 + ridx15 * 132] = row6[ridx15];
        }
        copy_8_bytes(row1 + thread * 2 + oidx32 * 512, row7);
        __syncthreads();
      }
      for (i64 ridx16 = oidx19; ridx16 < oidx15; ++ridx16) {
        const i64 oidx33 = ridx16 & 1;
        const i64 oidx45 = (ridx16 + 1) & 1;
        const i64 oidx34 = thread / 64;
        const i64 oidx35 = thread / 8;
        const i64 oidx36 = oidx35 & 3;
        const i64 oidx37 = thread & 7;
        const i64 oidx38 = thread / 32;
        const i64 oidx39 = oidx38 & 1;
        for (i64 ridx18 = 0; ridx18 < 8; ++ridx18) {
          float row12[8] __attribute__((aligned(16)));
          copy_16_bytes(row12, row0 + oidx34 * 16 + oidx36 * 4 + oidx33 * 1056 + ridx18 * 132);
          copy_16_bytes(row12 + 4, row0 + oidx34 * 16 + oidx36 * 4 + oidx33 * 1056 + ridx18 * 132 + 64);
          float row13[4] __attribute__((aligned(16)));
          copy_16_bytes(row13, row1 + oidx37 * 4 + oidx39 * 32 + oidx33 * 512 + ridx18 * 64);
          #pragma unroll 8
          for (i64 ridx19 = 0; ridx19 < 8; ++ridx19) {
            const float alu4 = row12[ridx19];
            #pragma unroll 4
            for (i64 ridx20 = 0; ridx20 < 4; ++ridx20) {
              acc2[ridx19 * 4 + ridx20] = fma_f32(alu4, row13[ridx20], acc2[ridx19 * 4 + ridx20]);
            }
          }
        }
        float row14[4] __attribute__((aligned(16)));
        float row15[2] __attribute__((aligned(8)));
        const i64 oidx40 = thread & 1;
        const i64 oidx41 = thread / 2;
        const i64 oidx42 = min_i64(shape0 - 1, oidx6 * 128 + oidx41);
        const float* input0_row1 = input0 + shape1 * oidx42 + ridx7 * 256 + ridx16 * 8 + oidx40 * 4;
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          row14[ridx21] = ridx7 * 256 + ridx16 * 8 + oidx40 * 4 + ridx21 + 9 <= shape1 ? input0_row1[ridx21 + 8] : 0.0f;
        }
        const bool alu5 = ridx7 * 256 + ridx16 * 8 + oidx38 + 9 <= shape1;
        const i64 oidx43 = thread & 31;
        const i64 oidx44 = min_i64(oidx10 - 1, oidx3 * 32 + oidx43);
        const float* input1_row1 = input1 + shape2 * ridx7 * 256 + shape2 * ridx16 * 8 + shape2 * oidx38 + shape2 * 8 + oidx44 * 2;
        #pragma unroll 2
        for (i64 ridx22 = 0; ridx22 < 2; ++ridx22) {
          row15[ridx22] = (alu5 && oidx44 * 2 + ridx22 < shape2) ? input1_row1[ridx22] : 0.0f;
        }
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          row0[oidx45 * 1056 + oidx41 + oidx40 * 528 + ridx23 * 132] = row14[ridx23];
        }
        copy_8_bytes(row1 + thread * 2 + oidx45 * 512, row15);
        __syncthreads();
      }
      /* the end of a block of terms */
      #pragma unroll 8
      for (i64 ridx25 = 0; ridx25 < 8; ++ridx25) {
        #pragma unroll 4
        for (i64 ridx26 = 0; ridx26 < 4; ++ridx26) {
          row3[thread + ridx25 * 1024 + ridx26 * 256] += acc2[ridx25 * 4 + ridx26];
          acc2[ridx25 * 4 + ridx26] = 0.0f;
        }
      }
    }
    const i64 oidx47 = thread / 64;
    const i64 oidx48 = thread / 8;
    const i64 oidx49 = oidx48 & 3;
    const i64 oidx52 = thread & 7;
    const i64 oidx53 = thread / 32;
    const i64 oidx54 = oidx53 & 1;
    const i64 wide1 = alu6;
    #pragma unroll 8
    for (i64 ridx28 = 0; ridx28 < 8; ++ridx28) {
      const i64 oidx50 = ridx28 / 4;
      const i64 oidx51 = ridx28 & 3;
      const i64 oidx55 = min_i64(shape0 - oidx6 * 128 - oidx47 * 16 - oidx49 * 4 - oidx50 * 64 - oidx51 - 1, shape2 - oidx3 * 64 - oidx52 * 4 - oidx54 * 32 - 4);
      const i64 oidx56 = min_i64(wide1 - 1, oidx55);
      float* output0_row = output0 + shape2 * oidx6 * 128 + shape2 * oidx47 * 16 + shape2 * oidx49 * 4 + shape2 * oidx50 * 64 + shape2 * oidx51 + oidx3 * 64 + oidx52 * 4 + oidx54 * 32;
      if (oidx56 >= 0) {
        float row16[4] __attribute__((aligned(16)));
        #pragma unroll 4
        for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
          row16[ridx29] = row3[thread + ridx28 * 1024 + ridx29 * 256];
        }
        copy_16_bytes(output0 + shape2 * oidx6 * 128 + shape2 * oidx47 * 16 + shape2 * oidx49 * 4 + oidx3 * 64 + oidx52 * 4 + oidx54 * 32 + shape2 * oidx50 * 64 + shape2 * oidx51, row16);
      } else {
        #pragma unroll 4
        for (i64 ridx30 = 0; ridx30 < 4; ++ridx30) {
          const i64 oidx57 = min_i64(shape0 - oidx6 * 128 - oidx47 * 16 - oidx49 * 4 - oidx50 * 64 - oidx51 - 1, shape2 - oidx3 * 64 - oidx52 * 4 - oidx54 * 32 - ridx30 - 1);
          if (oidx57 >= 0) {
            output0_row[ridx30] = row3[thread + ridx28 * 1024 + ridx30 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · variant 3 of 3 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2, reduce tile=32] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_2(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape1 & 3;
  const bool alu0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = shape2 & 3;
  const bool alu1 = ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll && oidx1 == 0;
  const i64 oidx2 = (shape2 + 31) / 32;
  const i64 oidx9 = (shape2 + 3) / 4;
  const i64 oidx11 = (shape1 + 255) / 256;
  const i64 oidx12 = (shape1 + 31) / 32;
  const i64 oidx14 = shape1 / 32;
  const i64 oidx38 = shape2 & 1;
  const i64 alu6 = (i64)(((i64)((size_t)output0 % 64 / 4) & 1ll) == 0ll && oidx38 == 0);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 + 31) / 32 * oidx2; ridx0 += gridDim.x) {
    const i64 oidx3 = floor_mod_i64(ridx0, oidx2);
    const i64 oidx4 = max_i64(shape2 - oidx3 * 32 - 32, -oidx1);
    const i64 oidx6 = floor_div_i64(ridx0, oidx2);
    const i64 quick0 = (i64)(alu0 && (alu1 && oidx4 >= 0));
    /* 2 x 2 results of this thread */
    float acc2[4] __attribute__((aligned(16)));
    for (int i = 0; i < 4; ++i) acc2[i] = 0.0f;
    /* of both factors: two halves, each with 32 terms of 32 rows and of 32 columns */
    __shared__ __align__(16) float row0[2304];
    __shared__ __align__(16) float row1[2048];
    /* sums of the blocks of 256 terms, of the results of all threads */
    __shared__ __align__(16) float row3[1024];
    /* load the first terms */
    float row4[4] __attribute__((aligned(16)));
    float row5[4] __attribute__((aligned(16)));
    const i64 oidx5 = thread & 7;
    const i64 oidx7 = thread / 8;
    const i64 oidx8 = min_i64(shape0 - 1, oidx6 * 32 + oidx7);
    const float* input0_row = input0 + shape1 * oidx8 + oidx5 * 4;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      row4[ridx2] = oidx5 * 4 + ridx2 < shape1 ? input0_row[ridx2] : 0.0f;
    }
    const bool alu2 = oidx7 < shape1;
    const i64 oidx10 = min_i64(oidx9 - 1, oidx3 * 8 + oidx5);
    const float* input1_row = input1 + shape2 * oidx7 + oidx10 * 4;
    #pragma unroll 4
    for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
      row5[ridx3] = (alu2 && oidx10 * 4 + ridx3 < shape2) ? input1_row[ridx3] : 0.0f;
    }
    #pragma unroll 2
    for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
      #pragma unroll 2
      for (i64 ridx5 = 0; ridx5 < 2; ++ridx5) {
        row3[thread + ridx4 * 512 + ridx5 * 256] = 0.0f;
      }
    }
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      row0[oidx7 + oidx5 * 144 + ridx6 * 36] = row4[ridx6];
    }
    copy_16_bytes(row1 + thread * 4, row5);
    __syncthreads();
    for (i64 ridx7 = 0; ridx7 < oidx11; ++ridx7) {
      const i64 oidx13 = min_i64(oidx12 - ridx7 * 8, 8);
      const i64 oidx15 = max_i64(oidx14 - ridx7 * 8 - 1, 0);
      const i64 oidx16 = min_i64(oidx13, oidx15);
      const i64 oidx17 = quick0 > 0 ? oidx16 : 0;
      for (i64 ridx8 = 0; ridx8 < oidx17; ++ridx8) {
        const i64 oidx22 = ridx8 & 1;
        const i64 oidx27 = (ridx8 + 1) & 1;
        /* the next terms, which are loaded while those in shared memory are multiplied */
        float row6[4] __attribute__((aligned(16)));
        float row7[4] __attribute__((aligned(16)));
        float row8[4] __attribute__((aligned(16)));
        const i64 oidx18 = thread / 8;
        const i64 oidx19 = min_i64(shape0 - 1, oidx6 * 32 + oidx18);
        const i64 oidx20 = thread & 7;
        copy_16_bytes(row8, input0 + shape1 * oidx19 + oidx20 * 4 + ridx7 * 256 + ridx8 * 32 + 32);
        #pragma unroll 4
        for (i64 ridx10 = 0; ridx10 < 4; ++ridx10) {
          row6[ridx10] = row8[ridx10];
        }
        float row9[4] __attribute__((aligned(16)));
        const i64 oidx21 = min_i64(oidx9 - 1, oidx3 * 8 + oidx20);
        copy_16_bytes(row9, input1 + shape2 * oidx18 + shape2 * 32 + oidx21 * 4 + shape2 * ridx7 * 256 + shape2 * ridx8 * 32);
        #pragma unroll 4
        for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
          row7[ridx11] = row9[ridx11];
        }
        const i64 oidx23 = thread / 64;
        const i64 oidx24 = oidx18 & 3;
        const i64 oidx25 = thread / 32;
        const i64 oidx26 = oidx25 & 1;
        #pragma unroll 32
        for (i64 ridx12 = 0; ridx12 < 32; ++ridx12) {
          float row10[2] __attribute__((aligned(8)));
          copy_8_bytes(row10, row0 + oidx23 * 8 + oidx24 * 2 + oidx22 * 1152 + ridx12 * 36);
          float row11[2] __attribute__((aligned(8)));
          copy_8_bytes(row11, row1 + oidx20 * 2 + oidx26 * 16 + oidx22 * 1024 + ridx12 * 32);
          #pragma unroll 2
          for (i64 ridx13 = 0; ridx13 < 2; ++ridx13) {
            const float alu3 = row10[ridx13];
            #pragma unroll 2
            for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
              acc2[ridx13 * 2 + ridx14] = fma_f32(alu3, row11[ridx14], acc2[ridx13 * 2 + ridx14]);
            }
          }
        }
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          row0[oidx27 * 1152 + oidx18 + oidx20 * 144 + ridx15 * 36] = row6[ridx15];
        }
        copy_16_bytes(row1 + thread * 4 + oidx27 * 1024, row7);
        __syncthreads();
      }
      for (i64 ridx16 = oidx17; ridx16 < oidx13; ++ridx16) {
        const i64 oidx28 = ridx16 & 1;
        const i64 oidx37 = (ridx16 + 1) & 1;
        const i64 oidx29 = thread / 64;
        const i64 oidx30 = thread / 8;
        const i64 oidx31 = oidx30 & 3;
        const i64 oidx32 = thread & 7;
        const i64 oidx33 = thread / 32;
        const i64 oidx34 = oidx33 & 1;
        for (i64 ridx18 = 0; ridx18 < 32; ++ridx18) {
          float row12[2] __attribute__((aligned(8)));
          copy_8_bytes(row12, row0 + oidx29 * 8 + oidx31 * 2 + oidx28 * 1152 + ridx18 * 36);
          float row13[2] __attribute__((aligned(8)));
          copy_8_bytes(row13, row1 + oidx32 * 2 + oidx34 * 16 + oidx28 * 1024 + ridx18 * 32);
          #pragma unroll 2
          for (i64 ridx19 = 0; ridx19 < 2; ++ridx19) {
            const float alu4 = row12[ridx19];
            #pragma unroll 2
            for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
              acc2[ridx19 * 2 + ridx20] = fma_f32(alu4, row13[ridx20], acc2[ridx19 * 2 + ridx20]);
            }
          }
        }
        float row14[4] __attribute__((aligned(16)));
        float row15[4] __attribute__((aligned(16)));
        const i64 oidx35 = min_i64(shape0 - 1, oidx6 * 32 + oidx30);
        const float* input0_row1 = input0 + shape1 * oidx35 + ridx7 * 256 + ridx16 * 32 + oidx32 * 4;
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          row14[ridx21] = ridx7 * 256 + ridx16 * 32 + oidx32 * 4 + ridx21 + 33 <= shape1 ? input0_row1[ridx21 + 32] : 0.0f;
        }
        const bool alu5 = ridx7 * 256 + ridx16 * 32 + oidx30 + 33 <= shape1;
        const i64 oidx36 = min_i64(oidx9 - 1, oidx3 * 8 + oidx32);
        const float* input1_row1 = input1 + shape2 * ridx7 * 256 + shape2 * ridx16 * 32 + shape2 * oidx30 + shape2 * 32 + oidx36 * 4;
        #pragma unroll 4
        for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
          row15[ridx22] = (alu5 && oidx36 * 4 + ridx22 < shape2) ? input1_row1[ridx22] : 0.0f;
        }
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          row0[oidx37 * 1152 + oidx30 + oidx32 * 144 + ridx23 * 36] = row14[ridx23];
        }
        copy_16_bytes(row1 + thread * 4 + oidx37 * 1024, row15);
        __syncthreads();
      }
      /* the end of a block of terms */
      #pragma unroll 2
      for (i64 ridx25 = 0; ridx25 < 2; ++ridx25) {
        #pragma unroll 2
        for (i64 ridx26 = 0; ridx26 < 2; ++ridx26) {
          row3[thread + ridx25 * 512 + ridx26 * 256] += acc2[ridx25 * 2 + ridx26];
          acc2[ridx25 * 2 + ridx26] = 0.0f;
        }
      }
    }
    const i64 oidx39 = thread / 64;
    const i64 oidx40 = thread / 8;
    const i64 oidx41 = oidx40 & 3;
    const i64 oidx42 = thread & 7;
    const i64 oidx43 = thread / 32;
    const i64 oidx44 = oidx43 & 1;
    const i64 wide1 = alu6;
    #pragma unroll 2
    for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
      const i64 oidx45 = min_i64(shape0 - oidx6 * 32 - oidx39 * 8 - oidx41 * 2 - ridx28 - 1, shape2 - oidx3 * 32 - oidx42 * 2 - oidx44 * 16 - 2);
      const i64 oidx46 = min_i64(wide1 - 1, oidx45);
      float* output0_row = output0 + shape2 * oidx6 * 32 + shape2 * oidx39 * 8 + shape2 * oidx41 * 2 + shape2 * ridx28 + oidx3 * 32 + oidx42 * 2 + oidx44 * 16;
      if (oidx46 >= 0) {
        float row16[2] __attribute__((aligned(8)));
        #pragma unroll 2
        for (i64 ridx29 = 0; ridx29 < 2; ++ridx29) {
          row16[ridx29] = row3[thread + ridx28 * 512 + ridx29 * 256];
        }
        copy_8_bytes(output0 + shape2 * oidx6 * 32 + shape2 * oidx39 * 8 + shape2 * oidx41 * 2 + oidx3 * 32 + oidx42 * 2 + oidx44 * 16 + shape2 * ridx28, row16);
      } else {
        #pragma unroll 2
        for (i64 ridx30 = 0; ridx30 < 2; ++ridx30) {
          const i64 oidx47 = min_i64(shape0 - oidx6 * 32 - oidx39 * 8 - oidx41 * 2 - ridx28 - 1, shape2 - oidx3 * 32 - oidx42 * 2 - oidx44 * 16 - ridx30 - 1);
          if (oidx47 >= 0) {
            output0_row[ridx30] = row3[thread + ridx28 * 512 + ridx30 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

