/* harp · graph "double_product" · target sm_80 · stable, law 7 · 1 kernel
   a: f64[2048, 2048], b: f64[2048, 2048] -> c: f64[2048, 2048]
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

/* c += a * b with matrices of 8 x 4 and 4 x 8 elements, by all threads of a warp. Lane l gives row l / 4, column l % 4 of a, and row l % 4, column l / 4 of b.
   It has row l / 4 and two columns, from 2 * (l % 4) on, of c. Each element becomes fma(a3, b3, fma(a2, b2, fma(a1, b1, fma(a0, b0, c)))):
   the order of the chain of a product. Measured on an H200: all of 128,000 random results had the bits of that chain. */
static __device__ __forceinline__ void mma_8x8x4_f64(double* c, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b));
}

/* Adds four terms to 4 x 4 tiles of 8 x 8 results. The addresses are those of the first term, and of the first row and column of
   this thread's results; terms are row_step and column_step elements apart. */
static __device__ __forceinline__ void multiply_4x4_tiles(double* c, const double* rows, i64 row_step, const double* columns, i64 column_step) {
  const int lane = threadIdx.x % 32, term = lane % 4;
  rows += term * row_step, columns += term * column_step + lane / 4 - 2 * term;
  double a[4], b[4];
  #pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = rows[8 * i];
  #pragma unroll
  for (int j = 0; j < 4; ++j) b[j] = columns[8 * j];
  #pragma unroll
  for (int i = 0; i < 4; ++i)
    #pragma unroll
    for (int j = 0; j < 4; ++j) mma_8x8x4_f64(c + 2 * (4 * i + j), a[i], b[j]);
}

/* generation 0 · contraction over [2048, 2048] · sum of [2048, 2048, 2048] axes [1] chain product · contraction [thread_group tile=64 unroll=4, thread_group tile=64 unroll=8, reduce tile=8] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  const bool alu0 = ((i64)((size_t)input0 % 64 / 8) & 1ll) == 0ll && ((i64)((size_t)input1 % 64 / 8) & 1ll) == 0ll;
  const i64 alu1 = (i64)alu0;
  const i64 alu3 = (i64)(((i64)((size_t)output0 % 64 / 8) & 1ll) == 0ll);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1024; ridx0 += gridDim.x) {
    const i64 oidx0 = ridx0 / 32;
    const i64 oidx3 = ridx0 & 31;
    const i64 quick0 = alu1;
    /* 4 x 8 results of this thread */
    double acc2[32] __attribute__((aligned(16)));
    #pragma unroll 32
    for (int i = 0; i < 32; ++i) acc2[i] = 0.0;
    /* of both factors: two halves, each with 8 terms of 64 rows and of 64 columns */
    extern __shared__ __align__(16) u8 shared_memory[];
    double* const row0 = (double*)shared_memory;
    double* const row1 = (double*)(shared_memory + 8704);
    /* sums of the blocks of 256 terms, of the results of all threads */
    double* const row3 = (double*)(shared_memory + 17408);
    /* load the first terms */
    double row4[4] __attribute__((aligned(16)));
    double row5[4] __attribute__((aligned(16)));
    const i64 oidx1 = thread / 4;
    const i64 oidx2 = thread & 3;
    #pragma unroll 2
    for (i64 ridx2 = 0; ridx2 < 2; ++ridx2) {
      const double* input0_row = input0 + oidx0 * 131072 + oidx1 * 2048 + oidx2 * 2 + ridx2 * 65536;
      #pragma unroll 2
      for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
        row4[ridx2 * 2 + ridx3] = input0_row[ridx3];
      }
    }
    const i64 oidx4 = thread / 32;
    const i64 oidx5 = thread & 31;
    #pragma unroll 2
    for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
      const double* input1_row = input1 + oidx3 * 64 + oidx4 * 2048 + oidx5 * 2 + ridx4 * 8192;
      #pragma unroll 2
      for (i64 ridx5 = 0; ridx5 < 2; ++ridx5) {
        row5[ridx4 * 2 + ridx5] = input1_row[ridx5];
      }
    }
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      #pragma unroll 8
      for (i64 ridx7 = 0; ridx7 < 8; ++ridx7) {
        row3[thread + ridx6 * 1024 + ridx7 * 128] = 0.0;
      }
    }
    #pragma unroll 2
    for (i64 ridx8 = 0; ridx8 < 2; ++ridx8) {
      #pragma unroll 2
      for (i64 ridx9 = 0; ridx9 < 2; ++ridx9) {
        row0[oidx1 + oidx2 * 136 + ridx8 * 32 + ridx9 * 68] = row4[ridx8 * 2 + ridx9];
      }
    }
    #pragma unroll 2
    for (i64 ridx10 = 0; ridx10 < 2; ++ridx10) {
      copy_16_bytes(row1 + oidx4 * 68 + oidx5 * 2 + ridx10 * 272, row5 + ridx10 * 2);
    }
    __syncthreads();
    #pragma unroll 1
    for (i64 ridx11 = 0; ridx11 < 8; ++ridx11) {
      const i64 oidx6 = min_i64(-(ridx11 * 32) + 255, 32);
      const i64 oidx7 = quick0 > 0 ? oidx6 : 0;
      #pragma unroll 1
      for (i64 ridx12 = 0; ridx12 < oidx7; ++ridx12) {
        const i64 oidx12 = ridx12 & 1;
        const i64 oidx16 = (ridx12 + 1) & 1;
        /* the next terms, which are loaded while those in shared memory are multiplied */
        double row6[4] __attribute__((aligned(16)));
        double row7[4] __attribute__((aligned(16)));
        const i64 oidx8 = thread / 4;
        const i64 oidx9 = thread & 3;
        #pragma unroll 2
        for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
          double row8[2] __attribute__((aligned(16)));
          copy_16_bytes(row8, input0 + oidx0 * 131072 + oidx8 * 2048 + oidx9 * 2 + ridx11 * 256 + ridx12 * 8 + ridx14 * 65536 + 8);
          #pragma unroll 2
          for (i64 ridx15 = 0; ridx15 < 2; ++ridx15) {
            row6[ridx14 * 2 + ridx15] = row8[ridx15];
          }
        }
        const i64 oidx10 = thread / 32;
        const i64 oidx11 = thread & 31;
        #pragma unroll 2
        for (i64 ridx16 = 0; ridx16 < 2; ++ridx16) {
          double row9[2] __attribute__((aligned(16)));
          copy_16_bytes(row9, input1 + oidx3 * 64 + oidx10 * 2048 + oidx11 * 2 + ridx11 * 524288 + ridx12 * 16384 + ridx16 * 8192 + 16384);
          #pragma unroll 2
          for (i64 ridx17 = 0; ridx17 < 2; ++ridx17) {
            row7[ridx16 * 2 + ridx17] = row9[ridx17];
          }
        }
        const i64 oidx13 = thread / 64;
        const i64 oidx14 = oidx8 & 7;
        const i64 oidx15 = oidx10 & 1;
        #pragma unroll 2
        for (i64 ridx18 = 0; ridx18 < 2; ++ridx18) {
          multiply_4x4_tiles(acc2, row0 + oidx13 * 32 + oidx14 + oidx12 * 544 + ridx18 * 272, 68, row1 + oidx9 * 2 + oidx15 * 32 + oidx12 * 544 + ridx18 * 272, 68);
        }
        #pragma unroll 2
        for (i64 ridx19 = 0; ridx19 < 2; ++ridx19) {
          #pragma unroll 2
          for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
            row0[oidx16 * 544 + oidx8 + oidx9 * 136 + ridx19 * 32 + ridx20 * 68] = row6[ridx19 * 2 + ridx20];
          }
        }
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          copy_16_bytes(row1 + oidx10 * 68 + oidx11 * 2 + oidx16 * 544 + ridx21 * 272, row7 + ridx21 * 2);
        }
        __syncthreads();
      }
      #pragma unroll 1
      for (i64 ridx22 = oidx7; ridx22 < 32; ++ridx22) {
        const i64 oidx17 = ridx22 & 1;
        const i64 oidx25 = (ridx22 + 1) & 1;
        const i64 oidx18 = thread / 64;
        const i64 oidx19 = thread / 4;
        const i64 oidx20 = oidx19 & 7;
        const i64 oidx21 = thread & 3;
        const i64 oidx22 = thread / 32;
        const i64 oidx23 = oidx22 & 1;
        #pragma unroll 1
        for (i64 ridx24 = 0; ridx24 < 2; ++ridx24) {
          multiply_4x4_tiles(acc2, row0 + oidx18 * 32 + oidx20 + oidx17 * 544 + ridx24 * 272, 68, row1 + oidx21 * 2 + oidx23 * 32 + oidx17 * 544 + ridx24 * 272, 68);
        }
        double row10[4] __attribute__((aligned(16)));
        double row11[4] __attribute__((aligned(16)));
        #pragma unroll 2
        for (i64 ridx25 = 0; ridx25 < 2; ++ridx25) {
          const double* input0_row1 = input0 + oidx0 * 131072 + ridx11 * 256 + ridx22 * 8 + oidx19 * 2048 + oidx21 * 2 + ridx25 * 65536;
          #pragma unroll 2
          for (i64 ridx26 = 0; ridx26 < 2; ++ridx26) {
            row10[ridx25 * 2 + ridx26] = ridx11 * 256 + ridx22 * 8 + oidx21 * 2 + ridx26 <= 2039 ? input0_row1[ridx26 + 8] : 0.0;
          }
        }
        const i64 oidx24 = thread & 31;
        #pragma unroll 2
        for (i64 ridx27 = 0; ridx27 < 2; ++ridx27) {
          const bool alu2 = ridx11 * 256 + ridx22 * 8 + oidx22 + ridx27 * 4 <= 2039;
          const double* input1_row1 = input1 + oidx3 * 64 + ridx11 * 524288 + ridx22 * 16384 + oidx22 * 2048 + oidx24 * 2 + ridx27 * 8192;
          #pragma unroll 2
          for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
            row11[ridx27 * 2 + ridx28] = alu2 ? input1_row1[ridx28 + 16384] : 0.0;
          }
        }
        #pragma unroll 2
        for (i64 ridx29 = 0; ridx29 < 2; ++ridx29) {
          #pragma unroll 2
          for (i64 ridx30 = 0; ridx30 < 2; ++ridx30) {
            row0[oidx25 * 544 + oidx19 + oidx21 * 136 + ridx29 * 32 + ridx30 * 68] = row10[ridx29 * 2 + ridx30];
          }
        }
        #pragma unroll 2
        for (i64 ridx31 = 0; ridx31 < 2; ++ridx31) {
          copy_16_bytes(row1 + oidx22 * 68 + oidx24 * 2 + oidx25 * 544 + ridx31 * 272, row11 + ridx31 * 2);
        }
        __syncthreads();
      }
      /* the end of a block of terms */
      #pragma unroll 4
      for (i64 ridx33 = 0; ridx33 < 4; ++ridx33) {
        #pragma unroll 8
        for (i64 ridx34 = 0; ridx34 < 8; ++ridx34) {
          row3[thread + ridx33 * 1024 + ridx34 * 128] += acc2[ridx33 * 8 + ridx34];
          acc2[ridx33 * 8 + ridx34] = 0.0;
        }
      }
    }
    const i64 oidx26 = thread / 64;
    const i64 oidx27 = thread & 3;
    const i64 oidx28 = thread / 4;
    const i64 oidx29 = oidx28 & 7;
    const i64 oidx30 = thread / 32;
    const i64 oidx31 = oidx30 & 1;
    const i64 wide1 = alu3;
    #pragma unroll 4
    for (i64 ridx36 = 0; ridx36 < 4; ++ridx36) {
      #pragma unroll 4
      for (i64 ridx37 = 0; ridx37 < 4; ++ridx37) {
        double* output0_row = output0 + oidx0 * 131072 + oidx3 * 64 + oidx26 * 65536 + oidx27 * 2 + oidx29 * 2048 + oidx31 * 32 + ridx36 * 16384 + ridx37 * 8;
        if (wide1 > 0) {
          double row12[2] __attribute__((aligned(16)));
          #pragma unroll 2
          for (i64 ridx38 = 0; ridx38 < 2; ++ridx38) {
            row12[ridx38] = row3[thread + ridx36 * 1024 + ridx37 * 256 + ridx38 * 128];
          }
          copy_16_bytes(output0 + oidx0 * 131072 + oidx3 * 64 + oidx26 * 65536 + oidx27 * 2 + oidx29 * 2048 + oidx31 * 32 + ridx36 * 16384 + ridx37 * 8, row12);
        } else {
          #pragma unroll 2
          for (i64 ridx39 = 0; ridx39 < 2; ++ridx39) {
            output0_row[ridx39] = row3[thread + ridx36 * 1024 + ridx37 * 256 + ridx39 * 128];
          }
        }
      }
    }
    __syncthreads();
  }
}

