/* harp · graph "double_product" · target sm_80 · stable, law 9 · 1 kernel
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

/* Starts a copy of 8 bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both addresses are
   multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes_async(void* to, const void* from, i32 exist) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}

/* Starts a copy of 16 bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both addresses are
   multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes_async(void* to, const void* from, i32 exist) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}

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

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

/* generation 0 · contraction over [2048, 2048] · sum of [2048, 2048, 2048] axes [1] chain product · contraction [thread_group tile=64 unroll=4, thread_group tile=64 unroll=8, reduce tile=8 stages=4] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0) {
  const i64 thread = threadIdx.x;
  const bool quick0 = ((i64)((size_t)input1 % 64 / 8) & 1ll) == 0ll;
  const bool wide1 = ((i64)((size_t)output0 % 64 / 8) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1024; ridx0 += gridDim.x) {
    const i64 oidx0 = ridx0 / 32;
    const i64 oidx3 = ridx0 & 31;
    /* 4 x 8 results of this thread */
    double acc2[32] __attribute__((aligned(16)));
    #pragma unroll 32
    for (int i = 0; i < 32; ++i) acc2[i] = 0.0;
    /* of both factors: 4 stages, each with 8 terms of 64 rows and of 64 columns */
    extern __shared__ __align__(16) u8 shared_memory[];
    double* const row0 = (double*)shared_memory;
    double* const row1 = (double*)(shared_memory + 17408);
    /* sums of the blocks of 256 terms, of the results of all threads */
    double* const row3 = (double*)(shared_memory + 34816);
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx1 = thread / 4;
      const i64 oidx2 = thread & 3;
      #pragma unroll 2
      for (i64 ridx2 = 0; ridx2 < 2; ++ridx2) {
        #pragma unroll 2
        for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
          copy_8_bytes_async(row0 + oidx1 + oidx2 * 136 + ridx2 * 32 + ridx3 * 68, input0 + oidx0 * 131072 + oidx1 * 2048 + oidx2 * 2 + ridx2 * 65536 + ridx3, 8);
        }
      }
      const i64 oidx4 = thread / 32;
      const i64 oidx5 = thread & 31;
      #pragma unroll 2
      for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
        copy_16_bytes_async(row1 + oidx4 * 68 + oidx5 * 2 + ridx4 * 272, input1 + oidx3 * 64 + oidx4 * 2048 + oidx5 * 2 + ridx4 * 8192, 16);
      }
      #pragma unroll 4
      for (i64 ridx5 = 0; ridx5 < 4; ++ridx5) {
        #pragma unroll 8
        for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
          row3[thread + ridx5 * 1024 + ridx6 * 128] = 0.0;
        }
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      /* start the copies of the terms of step 1 */
      const i64 oidx6 = thread / 4;
      const i64 oidx7 = thread & 3;
      #pragma unroll 2
      for (i64 ridx8 = 0; ridx8 < 2; ++ridx8) {
        #pragma unroll 2
        for (i64 ridx9 = 0; ridx9 < 2; ++ridx9) {
          copy_8_bytes_async(row0 + oidx6 + oidx7 * 136 + ridx8 * 32 + ridx9 * 68 + 544, input0 + oidx0 * 131072 + oidx6 * 2048 + oidx7 * 2 + ridx8 * 65536 + ridx9 + 8, 8);
        }
      }
      const i64 oidx8 = thread / 32;
      const i64 oidx9 = thread & 31;
      #pragma unroll 2
      for (i64 ridx10 = 0; ridx10 < 2; ++ridx10) {
        copy_16_bytes_async(row1 + oidx8 * 68 + oidx9 * 2 + ridx10 * 272 + 544, input1 + oidx3 * 64 + oidx8 * 2048 + oidx9 * 2 + ridx10 * 8192 + 16384, 16);
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      /* start the copies of the terms of step 2 */
      const i64 oidx10 = thread / 4;
      const i64 oidx11 = thread & 3;
      #pragma unroll 2
      for (i64 ridx12 = 0; ridx12 < 2; ++ridx12) {
        #pragma unroll 2
        for (i64 ridx13 = 0; ridx13 < 2; ++ridx13) {
          copy_8_bytes_async(row0 + oidx10 + oidx11 * 136 + ridx12 * 32 + ridx13 * 68 + 1088, input0 + oidx0 * 131072 + oidx10 * 2048 + oidx11 * 2 + ridx12 * 65536 + ridx13 + 16, 8);
        }
      }
      const i64 oidx12 = thread / 32;
      const i64 oidx13 = thread & 31;
      #pragma unroll 2
      for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
        copy_16_bytes_async(row1 + oidx12 * 68 + oidx13 * 2 + ridx14 * 272 + 1088, input1 + oidx3 * 64 + oidx12 * 2048 + oidx13 * 2 + ridx14 * 8192 + 32768, 16);
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      #pragma unroll 1
      for (i64 ridx15 = 0; ridx15 < 256; ++ridx15) {
        asm volatile("cp.async.wait_group 2;" : : : "memory");
        __syncthreads();
        const i64 oidx16 = (ridx15 + 3) & 3;
        const i64 oidx19 = ridx15 & 3;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx14 = thread / 4;
        const i64 oidx15 = thread & 3;
        const i64 oidx17 = thread / 32;
        const i64 oidx18 = thread & 31;
        if (ridx15 * 8 <= 2016) {
          #pragma unroll 2
          for (i64 ridx18 = 0; ridx18 < 2; ++ridx18) {
            #pragma unroll 2
            for (i64 ridx19 = 0; ridx19 < 2; ++ridx19) {
              copy_8_bytes_async(row0 + oidx14 + oidx15 * 136 + oidx16 * 544 + ridx18 * 32 + ridx19 * 68, input0 + oidx0 * 131072 + oidx14 * 2048 + oidx15 * 2 + ridx15 * 8 + ridx18 * 65536 + ridx19 + 24, 8);
            }
          }
          #pragma unroll 2
          for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
            copy_16_bytes_async(row1 + oidx17 * 68 + oidx18 * 2 + oidx16 * 544 + ridx20 * 272, input1 + oidx3 * 64 + oidx17 * 2048 + oidx18 * 2 + ridx15 * 16384 + ridx20 * 8192 + 49152, 16);
          }
        }
        const i64 oidx20 = thread / 64;
        const i64 oidx21 = oidx14 & 7;
        const i64 oidx22 = oidx17 & 1;
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          multiply_4x4_tiles(acc2, row0 + oidx20 * 32 + oidx21 + oidx19 * 544 + ridx21 * 272, 68, row1 + oidx15 * 2 + oidx22 * 32 + oidx19 * 544 + ridx21 * 272, 68);
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
        const i64 oidx23 = (ridx15 + 1) & 31;
        if (ridx15 >= 255 || oidx23 == 0) {
          /* the end of a block of terms */
          #pragma unroll 4
          for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
            #pragma unroll 8
            for (i64 ridx24 = 0; ridx24 < 8; ++ridx24) {
              row3[thread + ridx23 * 1024 + ridx24 * 128] += acc2[ridx23 * 8 + ridx24];
              acc2[ridx23 * 8 + ridx24] = 0.0;
            }
          }
        }
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      double row4[4] __attribute__((aligned(16)));
      double row5[4] __attribute__((aligned(16)));
      const i64 oidx24 = thread / 4;
      const i64 oidx25 = thread & 3;
      #pragma unroll 2
      for (i64 ridx27 = 0; ridx27 < 2; ++ridx27) {
        const double* input0_row = input0 + oidx0 * 131072 + oidx24 * 2048 + oidx25 * 2 + ridx27 * 65536;
        #pragma unroll 2
        for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
          row4[ridx27 * 2 + ridx28] = input0_row[ridx28];
        }
      }
      const i64 oidx26 = thread / 32;
      const i64 oidx27 = thread & 31;
      #pragma unroll 2
      for (i64 ridx29 = 0; ridx29 < 2; ++ridx29) {
        const double* input1_row = input1 + oidx3 * 64 + oidx26 * 2048 + oidx27 * 2 + ridx29 * 8192;
        #pragma unroll 2
        for (i64 ridx30 = 0; ridx30 < 2; ++ridx30) {
          row5[ridx29 * 2 + ridx30] = input1_row[ridx30];
        }
      }
      #pragma unroll 4
      for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
        #pragma unroll 8
        for (i64 ridx32 = 0; ridx32 < 8; ++ridx32) {
          row3[thread + ridx31 * 1024 + ridx32 * 128] = 0.0;
        }
      }
      #pragma unroll 2
      for (i64 ridx33 = 0; ridx33 < 2; ++ridx33) {
        #pragma unroll 2
        for (i64 ridx34 = 0; ridx34 < 2; ++ridx34) {
          row0[oidx24 + oidx25 * 136 + ridx33 * 32 + ridx34 * 68] = row4[ridx33 * 2 + ridx34];
        }
      }
      #pragma unroll 2
      for (i64 ridx35 = 0; ridx35 < 2; ++ridx35) {
        copy_16_bytes(row1 + oidx26 * 68 + oidx27 * 2 + ridx35 * 272, row5 + ridx35 * 2);
      }
      __syncthreads();
      #pragma unroll 1
      for (i64 ridx36 = 0; ridx36 < 8; ++ridx36) {
        #pragma unroll 1
        for (i64 ridx37 = 0; ridx37 < 32; ++ridx37) {
          const i64 oidx28 = ridx37 & 1;
          const i64 oidx36 = (ridx37 + 1) & 1;
          const i64 oidx29 = thread / 64;
          const i64 oidx30 = thread / 4;
          const i64 oidx31 = oidx30 & 7;
          const i64 oidx32 = thread & 3;
          const i64 oidx33 = thread / 32;
          const i64 oidx34 = oidx33 & 1;
          #pragma unroll 1
          for (i64 ridx39 = 0; ridx39 < 2; ++ridx39) {
            multiply_4x4_tiles(acc2, row0 + oidx29 * 32 + oidx31 + oidx28 * 544 + ridx39 * 272, 68, row1 + oidx32 * 2 + oidx34 * 32 + oidx28 * 544 + ridx39 * 272, 68);
          }
          double row6[4] __attribute__((aligned(16)));
          double row7[4] __attribute__((aligned(16)));
          #pragma unroll 2
          for (i64 ridx40 = 0; ridx40 < 2; ++ridx40) {
            const double* input0_row1 = input0 + oidx0 * 131072 + ridx36 * 256 + ridx37 * 8 + oidx30 * 2048 + oidx32 * 2 + ridx40 * 65536;
            #pragma unroll 2
            for (i64 ridx41 = 0; ridx41 < 2; ++ridx41) {
              row6[ridx40 * 2 + ridx41] = ridx36 * 256 + ridx37 * 8 + oidx32 * 2 + ridx41 <= 2039 ? input0_row1[ridx41 + 8] : 0.0;
            }
          }
          const i64 oidx35 = thread & 31;
          #pragma unroll 2
          for (i64 ridx42 = 0; ridx42 < 2; ++ridx42) {
            const bool alu0 = ridx36 * 256 + ridx37 * 8 + oidx33 + ridx42 * 4 <= 2039;
            const double* input1_row1 = input1 + oidx3 * 64 + ridx36 * 524288 + ridx37 * 16384 + oidx33 * 2048 + oidx35 * 2 + ridx42 * 8192;
            #pragma unroll 2
            for (i64 ridx43 = 0; ridx43 < 2; ++ridx43) {
              row7[ridx42 * 2 + ridx43] = alu0 ? input1_row1[ridx43 + 16384] : 0.0;
            }
          }
          #pragma unroll 2
          for (i64 ridx44 = 0; ridx44 < 2; ++ridx44) {
            #pragma unroll 2
            for (i64 ridx45 = 0; ridx45 < 2; ++ridx45) {
              row0[oidx36 * 544 + oidx30 + oidx32 * 136 + ridx44 * 32 + ridx45 * 68] = row6[ridx44 * 2 + ridx45];
            }
          }
          #pragma unroll 2
          for (i64 ridx46 = 0; ridx46 < 2; ++ridx46) {
            copy_16_bytes(row1 + oidx33 * 68 + oidx35 * 2 + oidx36 * 544 + ridx46 * 272, row7 + ridx46 * 2);
          }
          __syncthreads();
        }
        /* the end of a block of terms */
        #pragma unroll 4
        for (i64 ridx48 = 0; ridx48 < 4; ++ridx48) {
          #pragma unroll 8
          for (i64 ridx49 = 0; ridx49 < 8; ++ridx49) {
            row3[thread + ridx48 * 1024 + ridx49 * 128] += acc2[ridx48 * 8 + ridx49];
            acc2[ridx48 * 8 + ridx49] = 0.0;
          }
        }
      }
    }
    const i64 oidx37 = thread / 64;
    const i64 oidx38 = thread & 3;
    const i64 oidx39 = thread / 4;
    const i64 oidx40 = oidx39 & 7;
    const i64 oidx41 = thread / 32;
    const i64 oidx42 = oidx41 & 1;
    #pragma unroll 4
    for (i64 ridx51 = 0; ridx51 < 4; ++ridx51) {
      #pragma unroll 4
      for (i64 ridx52 = 0; ridx52 < 4; ++ridx52) {
        double* output0_row = output0 + oidx0 * 131072 + oidx3 * 64 + oidx37 * 65536 + oidx38 * 2 + oidx40 * 2048 + oidx42 * 32 + ridx51 * 16384 + ridx52 * 8;
        if (wide1) {
          double row8[2] __attribute__((aligned(16)));
          #pragma unroll 2
          for (i64 ridx53 = 0; ridx53 < 2; ++ridx53) {
            row8[ridx53] = row3[thread + ridx51 * 1024 + ridx52 * 256 + ridx53 * 128];
          }
          copy_16_bytes(output0 + oidx0 * 131072 + oidx3 * 64 + oidx37 * 65536 + oidx38 * 2 + oidx40 * 2048 + oidx42 * 32 + ridx51 * 16384 + ridx52 * 8, row8);
        } else {
          #pragma unroll 2
          for (i64 ridx54 = 0; ridx54 < 2; ++ridx54) {
            output0_row[ridx54] = row3[thread + ridx51 * 1024 + ridx52 * 256 + ridx54 * 128];
          }
        }
      }
    }
    __syncthreads();
  }
}

