/* harp · graph "convolution" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[8, 64, 28, 28], k: f32[128, 64, 3, 3], b: f32[128] -> y: f32[8, 128, 28, 28]
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

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* generation 0 · contraction over [8, 128, 28, 28] · sum of [8, 128, 28, 3, 3, 64, 28] axes [3, 4, 5] chain product · contraction [thread, thread_group tile=64 unroll=4, thread, thread_group tile=64 unroll=4, reduce tile=16 stages=2] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, const float* __restrict__ input2, float* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  const bool wide0 = ((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 196; ridx0 += gridDim.x) {
    /* 4 x 4 results of this thread */
    float acc2[16] __attribute__((aligned(16)));
    for (int i = 0; i < 16; ++i) acc2[i] = 0.0f;
    /* of both factors: 2 stages, each with 16 terms of 64 rows and of 64 columns */
    __shared__ __align__(16) float row0[2048];
    __shared__ __align__(16) float row1[2048];
    /* sums of the blocks of 256 terms, of the results of all threads */
    __shared__ __align__(16) float row3[4096];
    const i64 oidx0 = ridx0 / 98;
    const i64 oidx3 = ridx0 % 98;
    /* load the first terms */
    float row4[4] __attribute__((aligned(16)));
    float row5[4] __attribute__((aligned(16)));
    const i64 oidx1 = thread / 64;
    const i64 oidx2 = thread & 63;
    const float* input0_row = input0 + oidx0 * 36864 + oidx1 * 9 + oidx2 * 576;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      row4[ridx2] = input0_row[ridx2 * 36];
    }
    const i64 oidx4 = (oidx3 * 8 + oidx2) / 28;
    const i64 oidx5 = (oidx3 * 2 + oidx4) % 28;
    const i64 oidx6 = (oidx3 * 8 + oidx2) % 28;
    const bool alu0 = oidx5 > 0 && oidx6 > 0;
    const i64 oidx7 = (oidx3 * 2 + oidx4) / 28;
    const float* input1_row = input1 + oidx1 * 784 + oidx6 + oidx7 * 50176 + oidx5 * 28;
    #pragma unroll 4
    for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
      row5[ridx3] = alu0 ? input1_row[ridx3 * 3136 - 29] : 0.0f;
    }
    #pragma unroll 4
    for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
      #pragma unroll 4
      for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
        row3[thread + ridx4 * 1024 + ridx5 * 256] = 0.0f;
      }
    }
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      row0[thread + ridx6 * 256] = row4[ridx6];
    }
    #pragma unroll 4
    for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
      row1[thread + ridx7 * 256] = row5[ridx7];
    }
    __syncthreads();
    #pragma unroll 1
    for (i64 ridx8 = 0; ridx8 < 3; ++ridx8) {
      const i64 oidx8 = min_i64(36 - ridx8 * 16, 16);
      const i64 oidx9 = min_i64(35 - ridx8 * 16, oidx8);
      #pragma unroll 1
      for (i64 ridx9 = 0; ridx9 < oidx9; ++ridx9) {
        const i64 oidx10 = (ridx9 + 1) / 4;
        const i64 oidx11 = (ridx9 + 1) & 3;
        const i64 oidx14 = (ridx8 + oidx10) / 3;
        const i64 oidx17 = (ridx8 + oidx10) % 3;
        const i64 oidx20 = ridx9 & 1;
        const i64 oidx26 = (ridx9 + 1) & 1;
        /* the next terms, which are loaded while those in shared memory are multiplied */
        float row6[4] __attribute__((aligned(16)));
        float row7[4] __attribute__((aligned(16)));
        const i64 oidx12 = thread / 64;
        const i64 oidx13 = thread & 63;
        const float* input0_row1 = input0 + oidx0 * 36864 + ridx8 * 4 + oidx10 + oidx11 * 144 + oidx12 * 9 + oidx13 * 576;
        #pragma unroll 4
        for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
          row6[ridx11] = input0_row1[ridx11 * 36];
        }
        const i64 oidx15 = (oidx3 * 8 + oidx13) / 28;
        const i64 oidx16 = (oidx3 * 2 + oidx15) % 28;
        const i64 oidx18 = (oidx3 * 8 + oidx13) % 28;
        const bool alu1 = (ridx8 + oidx14 + oidx16 > 0 && ridx8 + oidx14 + oidx16 <= 28) && oidx17 + oidx18 > 0;
        const bool alu2 = alu1 && oidx17 + oidx18 <= 28;
        const i64 oidx19 = (oidx3 * 2 + oidx15) / 28;
        const float* input1_row1 = input1 + ridx8 * 28 + oidx11 * 12544 + oidx14 * 28 + oidx17 + oidx12 * 784 + oidx18 + oidx19 * 50176 + oidx16 * 28;
        #pragma unroll 4
        for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
          row7[ridx12] = alu2 ? input1_row1[ridx12 * 3136 - 29] : 0.0f;
        }
        const i64 oidx21 = thread / 8;
        const i64 oidx22 = oidx21 & 3;
        const i64 oidx23 = thread & 7;
        const i64 oidx24 = thread / 32;
        const i64 oidx25 = oidx24 & 1;
        #pragma unroll 16
        for (i64 ridx13 = 0; ridx13 < 16; ++ridx13) {
          float row8[4] __attribute__((aligned(16)));
          copy_16_bytes(row8, row0 + oidx12 * 16 + oidx22 * 4 + oidx20 * 1024 + ridx13 * 64);
          float row9[4] __attribute__((aligned(16)));
          copy_16_bytes(row9, row1 + oidx23 * 4 + oidx25 * 32 + oidx20 * 1024 + ridx13 * 64);
          #pragma unroll 4
          for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
            const float alu3 = row8[ridx14];
            #pragma unroll 4
            for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
              acc2[ridx14 * 4 + ridx15] = fma_f32(alu3, row9[ridx15], acc2[ridx14 * 4 + ridx15]);
            }
          }
        }
        #pragma unroll 4
        for (i64 ridx16 = 0; ridx16 < 4; ++ridx16) {
          row0[oidx26 * 1024 + thread + ridx16 * 256] = row6[ridx16];
        }
        #pragma unroll 4
        for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
          row1[oidx26 * 1024 + thread + ridx17 * 256] = row7[ridx17];
        }
        __syncthreads();
      }
      #pragma unroll 1
      for (i64 ridx18 = oidx9; ridx18 < oidx8; ++ridx18) {
        const i64 oidx27 = ridx18 & 1;
        const i64 oidx34 = (ridx18 + 1) / 4;
        const i64 oidx35 = (ridx18 + 1) & 3;
        const i64 oidx37 = (ridx8 + oidx34) / 3;
        const i64 oidx40 = (ridx8 + oidx34) % 3;
        const i64 oidx43 = (ridx18 + 1) & 1;
        const i64 oidx28 = thread / 64;
        const i64 oidx29 = thread / 8;
        const i64 oidx30 = oidx29 & 3;
        const i64 oidx31 = thread & 7;
        const i64 oidx32 = thread / 32;
        const i64 oidx33 = oidx32 & 1;
        for (i64 ridx20 = 0; ridx20 < 16; ++ridx20) {
          float row10[4] __attribute__((aligned(16)));
          copy_16_bytes(row10, row0 + oidx28 * 16 + oidx30 * 4 + oidx27 * 1024 + ridx20 * 64);
          float row11[4] __attribute__((aligned(16)));
          copy_16_bytes(row11, row1 + oidx31 * 4 + oidx33 * 32 + oidx27 * 1024 + ridx20 * 64);
          #pragma unroll 4
          for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
            const float alu4 = row10[ridx21];
            #pragma unroll 4
            for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
              acc2[ridx21 * 4 + ridx22] = fma_f32(alu4, row11[ridx22], acc2[ridx21 * 4 + ridx22]);
            }
          }
        }
        float row12[4] __attribute__((aligned(16)));
        float row13[4] __attribute__((aligned(16)));
        const i64 oidx36 = thread & 63;
        const float* input0_row2 = input0 + oidx0 * 36864 + ridx8 * 4 + oidx34 + oidx35 * 144 + oidx28 * 9 + oidx36 * 576;
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          row12[ridx23] = ridx8 * 256 + ridx18 * 16 + oidx28 + ridx23 * 4 <= 559 ? input0_row2[ridx23 * 36] : 0.0f;
        }
        const i64 oidx38 = (oidx3 * 8 + oidx36) / 28;
        const i64 oidx39 = (oidx3 * 2 + oidx38) % 28;
        const i64 oidx41 = (oidx3 * 8 + oidx36) % 28;
        const bool alu5 = (ridx8 + oidx37 + oidx39 > 0 && ridx8 + oidx37 + oidx39 <= 28) && oidx40 + oidx41 > 0;
        const bool alu6 = alu5 && oidx40 + oidx41 <= 28;
        const i64 oidx42 = (oidx3 * 2 + oidx38) / 28;
        const float* input1_row2 = input1 + ridx8 * 28 + oidx35 * 12544 + oidx37 * 28 + oidx40 + oidx28 * 784 + oidx41 + oidx42 * 50176 + oidx39 * 28;
        #pragma unroll 4
        for (i64 ridx24 = 0; ridx24 < 4; ++ridx24) {
          row13[ridx24] = (ridx8 * 256 + ridx18 * 16 + oidx28 + ridx24 * 4 <= 559 && alu6) ? input1_row2[ridx24 * 3136 - 29] : 0.0f;
        }
        #pragma unroll 4
        for (i64 ridx25 = 0; ridx25 < 4; ++ridx25) {
          row0[oidx43 * 1024 + thread + ridx25 * 256] = row12[ridx25];
        }
        #pragma unroll 4
        for (i64 ridx26 = 0; ridx26 < 4; ++ridx26) {
          row1[oidx43 * 1024 + thread + ridx26 * 256] = row13[ridx26];
        }
        __syncthreads();
      }
      /* the end of a block of terms */
      #pragma unroll 4
      for (i64 ridx28 = 0; ridx28 < 4; ++ridx28) {
        #pragma unroll 4
        for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
          row3[thread + ridx28 * 1024 + ridx29 * 256] += acc2[ridx28 * 4 + ridx29];
          acc2[ridx28 * 4 + ridx29] = 0.0f;
        }
      }
    }
    const i64 oidx44 = thread / 64;
    const i64 oidx45 = thread / 8;
    const i64 oidx46 = oidx45 & 3;
    const float* input2_row = input2 + oidx0 * 64 + oidx44 * 16 + oidx46 * 4;
    const i64 oidx47 = thread & 7;
    const i64 oidx48 = thread / 32;
    const i64 oidx49 = oidx48 & 1;
    const i64 oidx50 = (oidx3 * 2 + oidx47 + oidx49) % 7;
    const i64 oidx51 = (oidx3 * 2 + oidx47 + oidx49) / 7;
    const i64 oidx52 = (oidx3 * 2 + oidx49 + oidx51) / 28;
    const i64 oidx53 = (oidx3 * 2 + oidx49 + oidx51) % 28;
    #pragma unroll 4
    for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
      float* output0_row = output0 + oidx0 * 50176 + oidx44 * 12544 + oidx46 * 3136 + oidx50 * 4 + oidx52 * 100352 + oidx53 * 28 + ridx31 * 784;
      if (wide0) {
        float row14[4] __attribute__((aligned(16)));
        const float alu7 = input2_row[ridx31];
        #pragma unroll 4
        for (i64 ridx32 = 0; ridx32 < 4; ++ridx32) {
          const float alu8 = row3[thread + ridx31 * 1024 + ridx32 * 256] + alu7;
          row14[ridx32] = alu8 <= 0.0f ? 0.0f : alu8;
        }
        copy_16_bytes(output0 + oidx0 * 50176 + oidx44 * 12544 + oidx46 * 3136 + oidx50 * 4 + oidx52 * 100352 + oidx53 * 28 + ridx31 * 784, row14);
      } else {
        const float alu9 = input2_row[ridx31];
        #pragma unroll 4
        for (i64 ridx33 = 0; ridx33 < 4; ++ridx33) {
          const float alu10 = row3[thread + ridx31 * 1024 + ridx33 * 256] + alu9;
          output0_row[ridx33] = alu10 <= 0.0f ? 0.0f : alu10;
        }
      }
    }
    __syncthreads();
  }
}

