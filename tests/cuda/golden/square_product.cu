/* harp · graph "square_product" · target sm_80 · stable, law 9 · 1 kernel
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

/* Starts a copy of 4 bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both addresses are
   multiples of 4. */
static __device__ __forceinline__ void copy_4_bytes_async(void* to, const void* from, i32 exist) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}

/* Starts a copy of 16 bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both addresses are
   multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes_async(void* to, const void* from, i32 exist) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* generation 0 · contraction over [4096, 4096] · sum of [4096, 4096, 4096] axes [1] chain product · contraction [thread_group tile=128 unroll=8, thread_group tile=128 unroll=8, reduce tile=8 stages=2] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  const bool quick0 = ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll;
  const bool wide1 = ((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1024; ridx0 += gridDim.x) {
    const i64 oidx0 = ridx0 / 32;
    const i64 oidx3 = ridx0 & 31;
    /* 8 x 8 results of this thread */
    float acc2[64] __attribute__((aligned(16)));
    #pragma unroll 64
    for (int i = 0; i < 64; ++i) acc2[i] = 0.0f;
    /* of both factors: 2 stages, each with 8 terms of 128 rows and of 128 columns */
    extern __shared__ __align__(16) u8 shared_memory[];
    float* const row0 = (float*)shared_memory;
    float* const row1 = (float*)(shared_memory + 8448);
    /* sums of the blocks of 256 terms, of the results of all threads */
    float* const row3 = (float*)(shared_memory + 16640);
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx1 = thread / 2;
      const i64 oidx2 = thread & 1;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        copy_4_bytes_async(row0 + oidx1 + oidx2 * 528 + ridx2 * 132, input0 + oidx0 * 524288 + oidx1 * 4096 + oidx2 * 4 + ridx2, 4);
      }
      const i64 oidx4 = thread / 32;
      const i64 oidx5 = thread & 31;
      copy_16_bytes_async(row1 + thread * 4, input1 + oidx3 * 128 + oidx4 * 4096 + oidx5 * 4, 16);
      #pragma unroll 8
      for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
        #pragma unroll 8
        for (i64 ridx4 = 0; ridx4 < 8; ++ridx4) {
          row3[thread + ridx3 * 2048 + ridx4 * 256] = 0.0f;
        }
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      for (i64 ridx5 = 0; ridx5 < 512; ++ridx5) {
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        const i64 oidx8 = (ridx5 + 1) & 1;
        const i64 oidx11 = ridx5 & 1;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx6 = thread / 2;
        const i64 oidx7 = thread & 1;
        const i64 oidx9 = thread / 32;
        const i64 oidx10 = thread & 31;
        if (ridx5 * 8 <= 4080) {
          #pragma unroll 4
          for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
            copy_4_bytes_async(row0 + oidx6 + oidx7 * 528 + oidx8 * 1056 + ridx8 * 132, input0 + oidx0 * 524288 + oidx6 * 4096 + oidx7 * 4 + ridx5 * 8 + ridx8 + 8, 4);
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx8 * 1024, input1 + oidx3 * 128 + oidx9 * 4096 + oidx10 * 4 + ridx5 * 32768 + 32768, 16);
        }
        const i64 oidx12 = thread / 64;
        const i64 oidx13 = thread / 8;
        const i64 oidx14 = oidx13 & 3;
        const i64 oidx15 = thread & 7;
        const i64 oidx16 = oidx9 & 1;
        #pragma unroll 8
        for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
          float row4[8] __attribute__((aligned(16)));
          copy_16_bytes(row4, row0 + oidx12 * 16 + oidx14 * 4 + oidx11 * 1056 + ridx9 * 132);
          copy_16_bytes(row4 + 4, row0 + oidx12 * 16 + oidx14 * 4 + oidx11 * 1056 + ridx9 * 132 + 64);
          float row5[8] __attribute__((aligned(16)));
          copy_16_bytes(row5, row1 + oidx15 * 4 + oidx16 * 32 + oidx11 * 1024 + ridx9 * 128);
          copy_16_bytes(row5 + 4, row1 + oidx15 * 4 + oidx16 * 32 + oidx11 * 1024 + ridx9 * 128 + 64);
          #pragma unroll 8
          for (i64 ridx10 = 0; ridx10 < 8; ++ridx10) {
            const float alu0 = row4[ridx10];
            #pragma unroll 8
            for (i64 ridx11 = 0; ridx11 < 8; ++ridx11) {
              acc2[ridx10 * 8 + ridx11] = fma_f32(alu0, row5[ridx11], acc2[ridx10 * 8 + ridx11]);
            }
          }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
        const i64 oidx17 = (ridx5 + 1) & 31;
        if (ridx5 >= 511 || oidx17 == 0) {
          /* the end of a block of terms */
          #pragma unroll 8
          for (i64 ridx13 = 0; ridx13 < 8; ++ridx13) {
            #pragma unroll 8
            for (i64 ridx14 = 0; ridx14 < 8; ++ridx14) {
              row3[thread + ridx13 * 2048 + ridx14 * 256] += acc2[ridx13 * 8 + ridx14];
              acc2[ridx13 * 8 + ridx14] = 0.0f;
            }
          }
        }
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      float row6[4] __attribute__((aligned(16)));
      float row7[4] __attribute__((aligned(16)));
      const i64 oidx18 = thread / 2;
      const i64 oidx19 = thread & 1;
      const float* input0_row = input0 + oidx0 * 524288 + oidx18 * 4096 + oidx19 * 4;
      #pragma unroll 4
      for (i64 ridx17 = 0; ridx17 < 4; ++ridx17) {
        row6[ridx17] = input0_row[ridx17];
      }
      const i64 oidx20 = thread / 32;
      const i64 oidx21 = thread & 31;
      const float* input1_row = input1 + oidx3 * 128 + oidx20 * 4096 + oidx21 * 4;
      #pragma unroll 4
      for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
        row7[ridx18] = input1_row[ridx18];
      }
      #pragma unroll 8
      for (i64 ridx19 = 0; ridx19 < 8; ++ridx19) {
        #pragma unroll 8
        for (i64 ridx20 = 0; ridx20 < 8; ++ridx20) {
          row3[thread + ridx19 * 2048 + ridx20 * 256] = 0.0f;
        }
      }
      #pragma unroll 4
      for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
        row0[oidx18 + oidx19 * 528 + ridx21 * 132] = row6[ridx21];
      }
      copy_16_bytes(row1 + thread * 4, row7);
      __syncthreads();
      #pragma unroll 1
      for (i64 ridx22 = 0; ridx22 < 16; ++ridx22) {
        for (i64 ridx23 = 0; ridx23 < 32; ++ridx23) {
          const i64 oidx22 = ridx23 & 1;
          const i64 oidx32 = (ridx23 + 1) & 1;
          const i64 oidx23 = thread / 64;
          const i64 oidx24 = thread / 8;
          const i64 oidx25 = oidx24 & 3;
          const i64 oidx26 = thread & 7;
          const i64 oidx27 = thread / 32;
          const i64 oidx28 = oidx27 & 1;
          for (i64 ridx25 = 0; ridx25 < 8; ++ridx25) {
            float row8[8] __attribute__((aligned(16)));
            copy_16_bytes(row8, row0 + oidx23 * 16 + oidx25 * 4 + oidx22 * 1056 + ridx25 * 132);
            copy_16_bytes(row8 + 4, row0 + oidx23 * 16 + oidx25 * 4 + oidx22 * 1056 + ridx25 * 132 + 64);
            float row9[8] __attribute__((aligned(16)));
            copy_16_bytes(row9, row1 + oidx26 * 4 + oidx28 * 32 + oidx22 * 1024 + ridx25 * 128);
            copy_16_bytes(row9 + 4, row1 + oidx26 * 4 + oidx28 * 32 + oidx22 * 1024 + ridx25 * 128 + 64);
            #pragma unroll 8
            for (i64 ridx26 = 0; ridx26 < 8; ++ridx26) {
              const float alu1 = row8[ridx26];
              #pragma unroll 8
              for (i64 ridx27 = 0; ridx27 < 8; ++ridx27) {
                acc2[ridx26 * 8 + ridx27] = fma_f32(alu1, row9[ridx27], acc2[ridx26 * 8 + ridx27]);
              }
            }
          }
          float row10[4] __attribute__((aligned(16)));
          float row11[4] __attribute__((aligned(16)));
          const i64 oidx29 = thread & 1;
          const i64 oidx30 = thread / 2;
          const float* input0_row1 = input0 + oidx0 * 524288 + ridx22 * 256 + ridx23 * 8 + oidx30 * 4096 + oidx29 * 4;
          #pragma unroll 4
          for (i64 ridx28 = 0; ridx28 < 4; ++ridx28) {
            row10[ridx28] = ridx22 * 256 + ridx23 * 8 + oidx29 * 4 + ridx28 <= 4087 ? input0_row1[ridx28 + 8] : 0.0f;
          }
          const bool alu2 = ridx22 * 256 + ridx23 * 8 + oidx27 <= 4087;
          const i64 oidx31 = thread & 31;
          const float* input1_row1 = input1 + oidx3 * 128 + ridx22 * 1048576 + ridx23 * 32768 + oidx27 * 4096 + oidx31 * 4;
          #pragma unroll 4
          for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
            row11[ridx29] = alu2 ? input1_row1[ridx29 + 32768] : 0.0f;
          }
          #pragma unroll 4
          for (i64 ridx30 = 0; ridx30 < 4; ++ridx30) {
            row0[oidx32 * 1056 + oidx30 + oidx29 * 528 + ridx30 * 132] = row10[ridx30];
          }
          copy_16_bytes(row1 + thread * 4 + oidx32 * 1024, row11);
          __syncthreads();
        }
        /* the end of a block of terms */
        #pragma unroll 8
        for (i64 ridx32 = 0; ridx32 < 8; ++ridx32) {
          #pragma unroll 8
          for (i64 ridx33 = 0; ridx33 < 8; ++ridx33) {
            row3[thread + ridx32 * 2048 + ridx33 * 256] += acc2[ridx32 * 8 + ridx33];
            acc2[ridx32 * 8 + ridx33] = 0.0f;
          }
        }
      }
    }
    const i64 oidx33 = thread / 64;
    const i64 oidx34 = thread & 7;
    const i64 oidx35 = thread / 8;
    const i64 oidx36 = oidx35 & 3;
    const i64 oidx37 = thread / 32;
    const i64 oidx38 = oidx37 & 1;
    #pragma unroll 8
    for (i64 ridx35 = 0; ridx35 < 8; ++ridx35) {
      const i64 oidx39 = ridx35 / 4;
      const i64 oidx40 = ridx35 & 3;
      #pragma unroll 2
      for (i64 ridx36 = 0; ridx36 < 2; ++ridx36) {
        float* output0_row = output0 + oidx0 * 524288 + oidx3 * 128 + oidx33 * 65536 + oidx34 * 4 + oidx36 * 16384 + oidx38 * 32 + oidx39 * 262144 + oidx40 * 4096 + ridx36 * 64;
        if (wide1) {
          float row12[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx37 = 0; ridx37 < 4; ++ridx37) {
            row12[ridx37] = row3[thread + ridx35 * 2048 + ridx36 * 1024 + ridx37 * 256];
          }
          copy_16_bytes(output0 + oidx0 * 524288 + oidx3 * 128 + oidx33 * 65536 + oidx34 * 4 + oidx36 * 16384 + oidx38 * 32 + oidx39 * 262144 + oidx40 * 4096 + ridx36 * 64, row12);
        } else {
          #pragma unroll 4
          for (i64 ridx38 = 0; ridx38 < 4; ++ridx38) {
            output0_row[ridx38] = row3[thread + ridx35 * 2048 + ridx36 * 1024 + ridx38 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

