/* harp · graph "square_product" · target sm_80 · stable, law 7 · 1 kernel
   a: f32[4096, 4096], b: f32[4096, 4096] -> c: f32[4096, 4096]
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

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* generation 0 · contraction over [4096, 4096] · sum of [4096, 4096, 4096] axes [1] chain product · contraction [thread_group tile=128 unroll=8, thread_group tile=128 unroll=8, reduce tile=8] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  const bool alu0 = ((i64)((size_t)input0 % 64 / 4) & 3ll) == 0ll && ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll;
  const i64 alu1 = (i64)alu0;
  const i64 alu5 = (i64)(((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1024; ridx0 += gridDim.x) {
    const i64 oidx0 = ridx0 / 32;
    const i64 oidx3 = ridx0 & 31;
    const i64 quick0 = alu1;
    /* 8 x 8 results of this thread */
    float acc2[64] __attribute__((aligned(16)));
    #pragma unroll 64
    for (int i = 0; i < 64; ++i) acc2[i] = 0.0f;
    /* of both factors: two halves, each with 8 terms of 128 rows and of 128 columns */
    extern __shared__ __align__(16) u8 shared_memory[];
    float* const row0 = (float*)shared_memory;
    float* const row1 = (float*)(shared_memory + 8448);
    /* sums of the blocks of 256 terms, of the results of all threads */
    float* const row3 = (float*)(shared_memory + 16640);
    /* load the first terms */
    float row4[4] __attribute__((aligned(16)));
    float row5[4] __attribute__((aligned(16)));
    const i64 oidx1 = thread / 2;
    const i64 oidx2 = thread & 1;
    const float* input0_row = input0 + oidx0 * 524288 + oidx1 * 4096 + oidx2 * 4;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      row4[ridx2] = input0_row[ridx2];
    }
    const i64 oidx4 = thread / 32;
    const i64 oidx5 = thread & 31;
    const float* input1_row = input1 + oidx3 * 128 + oidx4 * 4096 + oidx5 * 4;
    #pragma unroll 4
    for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
      row5[ridx3] = input1_row[ridx3];
    }
    #pragma unroll 8
    for (i64 ridx4 = 0; ridx4 < 8; ++ridx4) {
      #pragma unroll 8
      for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
        row3[thread + ridx4 * 2048 + ridx5 * 256] = 0.0f;
      }
    }
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      row0[oidx1 + oidx2 * 528 + ridx6 * 132] = row4[ridx6];
    }
    copy_16_bytes(row1 + thread * 4, row5);
    __syncthreads();
    for (i64 ridx7 = 0; ridx7 < 16; ++ridx7) {
      const i64 oidx6 = min_i64(-(ridx7 * 32) + 511, 32);
      const i64 oidx7 = quick0 > 0 ? oidx6 : 0;
      for (i64 ridx8 = 0; ridx8 < oidx7; ++ridx8) {
        const i64 oidx12 = ridx8 & 1;
        const i64 oidx18 = (ridx8 + 1) & 1;
        /* the next terms, which are loaded while those in shared memory are multiplied */
        float row6[4] __attribute__((aligned(16)));
        float row7[4] __attribute__((aligned(16)));
        float row8[4] __attribute__((aligned(16)));
        const i64 oidx8 = thread / 2;
        const i64 oidx9 = thread & 1;
        copy_16_bytes(row8, input0 + oidx0 * 524288 + oidx8 * 4096 + oidx9 * 4 + ridx7 * 256 + ridx8 * 8 + 8);
        #pragma unroll 4
        for (i64 ridx10 = 0; ridx10 < 4; ++ridx10) {
          row6[ridx10] = row8[ridx10];
        }
        float row9[4] __attribute__((aligned(16)));
        const i64 oidx10 = thread / 32;
        const i64 oidx11 = thread & 31;
        copy_16_bytes(row9, input1 + oidx3 * 128 + oidx10 * 4096 + oidx11 * 4 + ridx7 * 1048576 + ridx8 * 32768 + 32768);
        #pragma unroll 4
        for (i64 ridx11 = 0; ridx11 < 4; ++ridx11) {
          row7[ridx11] = row9[ridx11];
        }
        const i64 oidx13 = thread / 64;
        const i64 oidx14 = thread / 8;
        const i64 oidx15 = oidx14 & 3;
        const i64 oidx16 = thread & 7;
        const i64 oidx17 = oidx10 & 1;
        #pragma unroll 8
        for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
          float row10[8] __attribute__((aligned(16)));
          copy_16_bytes(row10, row0 + oidx13 * 16 + oidx15 * 4 + oidx12 * 1056 + ridx12 * 132);
          copy_16_bytes(row10 + 4, row0 + oidx13 * 16 + oidx15 * 4 + oidx12 * 1056 + ridx12 * 132 + 64);
          float row11[8] __attribute__((aligned(16)));
          copy_16_bytes(row11, row1 + oidx16 * 4 + oidx17 * 32 + oidx12 * 1024 + ridx12 * 128);
          copy_16_bytes(row11 + 4, row1 + oidx16 * 4 + oidx17 * 32 + oidx12 * 1024 + ridx12 * 128 + 64);
          #pragma unroll 8
          for (i64 ridx13 = 0; ridx13 < 8; ++ridx13) {
            const float alu2 = row10[ridx13];
            #pragma unroll 8
            for (i64 ridx14 = 0; ridx14 < 8; ++ridx14) {
              acc2[ridx13 * 8 + ridx14] = fma_f32(alu2, row11[ridx14], acc2[ridx13 * 8 + ridx14]);
            }
          }
        }
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          row0[oidx18 * 1056 + oidx8 + oidx9 * 528 + ridx15 * 132] = row6[ridx15];
        }
        copy_16_bytes(row1 + thread * 4 + oidx18 * 1024, row7);
        __syncthreads();
      }
      for (i64 ridx16 = oidx7; ridx16 < 32; ++ridx16) {
        const i64 oidx19 = ridx16 & 1;
        const i64 oidx29 = (ridx16 + 1) & 1;
        const i64 oidx20 = thread / 64;
        const i64 oidx21 = thread / 8;
        const i64 oidx22 = oidx21 & 3;
        const i64 oidx23 = thread & 7;
        const i64 oidx24 = thread / 32;
        const i64 oidx25 = oidx24 & 1;
        for (i64 ridx18 = 0; ridx18 < 8; ++ridx18) {
          float row12[8] __attribute__((aligned(16)));
          copy_16_bytes(row12, row0 + oidx20 * 16 + oidx22 * 4 + oidx19 * 1056 + ridx18 * 132);
          copy_16_bytes(row12 + 4, row0 + oidx20 * 16 + oidx22 * 4 + oidx19 * 1056 + ridx18 * 132 + 64);
          float row13[8] __attribute__((aligned(16)));
          copy_16_bytes(row13, row1 + oidx23 * 4 + oidx25 * 32 + oidx19 * 1024 + ridx18 * 128);
          copy_16_bytes(row13 + 4, row1 + oidx23 * 4 + oidx25 * 32 + oidx19 * 1024 + ridx18 * 128 + 64);
          #pragma unroll 8
          for (i64 ridx19 = 0; ridx19 < 8; ++ridx19) {
            const float alu3 = row12[ridx19];
            #pragma unroll 8
            for (i64 ridx20 = 0; ridx20 < 8; ++ridx20) {
              acc2[ridx19 * 8 + ridx20] = fma_f32(alu3, row13[ridx20], acc2[ridx19 * 8 + ridx20]);
            }
          }
        }
        float row14[4] __attribute__((aligned(16)));
        float row15[4] __attribute__((aligned(16)));
        const i64 oidx26 = thread & 1;
        const i64 oidx27 = thread / 2;
        const float* input0_row1 = input0 + oidx0 * 524288 + ridx7 * 256 + ridx16 * 8 + oidx27 * 4096 + oidx26 * 4;
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          row14[ridx21] = ridx7 * 256 + ridx16 * 8 + oidx26 * 4 + ridx21 <= 4087 ? input0_row1[ridx21 + 8] : 0.0f;
        }
        const bool alu4 = ridx7 * 256 + ridx16 * 8 + oidx24 <= 4087;
        const i64 oidx28 = thread & 31;
        const float* input1_row1 = input1 + oidx3 * 128 + ridx7 * 1048576 + ridx16 * 32768 + oidx24 * 4096 + oidx28 * 4;
        #pragma unroll 4
        for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
          row15[ridx22] = alu4 ? input1_row1[ridx22 + 32768] : 0.0f;
        }
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          row0[oidx29 * 1056 + oidx27 + oidx26 * 528 + ridx23 * 132] = row14[ridx23];
        }
        copy_16_bytes(row1 + thread * 4 + oidx29 * 1024, row15);
        __syncthreads();
      }
      /* the end of a block of terms */
      #pragma unroll 8
      for (i64 ridx25 = 0; ridx25 < 8; ++ridx25) {
        #pragma unroll 8
        for (i64 ridx26 = 0; ridx26 < 8; ++ridx26) {
          row3[thread + ridx25 * 2048 + ridx26 * 256] += acc2[ridx25 * 8 + ridx26];
          acc2[ridx25 * 8 + ridx26] = 0.0f;
        }
      }
    }
    const i64 oidx30 = thread / 64;
    const i64 oidx31 = thread & 7;
    const i64 oidx32 = thread / 8;
    const i64 oidx33 = oidx32 & 3;
    const i64 oidx34 = thread / 32;
    const i64 oidx35 = oidx34 & 1;
    const i64 wide1 = alu5;
    #pragma unroll 8
    for (i64 ridx28 = 0; ridx28 < 8; ++ridx28) {
      const i64 oidx36 = ridx28 / 4;
      const i64 oidx37 = ridx28 & 3;
      #pragma unroll 2
      for (i64 ridx29 = 0; ridx29 < 2; ++ridx29) {
        float* output0_row = output0 + oidx0 * 524288 + oidx3 * 128 + oidx30 * 65536 + oidx31 * 4 + oidx33 * 16384 + oidx35 * 32 + oidx36 * 262144 + oidx37 * 4096 + ridx29 * 64;
        if (wide1 > 0) {
          float row16[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx30 = 0; ridx30 < 4; ++ridx30) {
            row16[ridx30] = row3[thread + ridx28 * 2048 + ridx29 * 1024 + ridx30 * 256];
          }
          copy_16_bytes(output0 + oidx0 * 524288 + oidx3 * 128 + oidx30 * 65536 + oidx31 * 4 + oidx33 * 16384 + oidx35 * 32 + oidx36 * 262144 + oidx37 * 4096 + ridx29 * 64, row16);
        } else {
          #pragma unroll 4
          for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
            output0_row[ridx31] = row3[thread + ridx28 * 2048 + ridx29 * 1024 + ridx31 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

