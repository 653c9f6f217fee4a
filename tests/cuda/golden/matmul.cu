/* harp · graph "matmul" · target sm_80 · stable, law 9 · 6 kernels
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

/* a / b, rounded down, for a >= 0. reciprocal is 2^(63 + k) / b, rounded up, where 2^k is the least power of two that is
   at least b; with it the result is exact. */
static __device__ __forceinline__ i64 quotient(i64 a, i64 b, u64 reciprocal) {
  const i64 k = (64 - __clzll(b - 1)) & 63;
  return (i64)(__umul64hi((u64)a << 1, reciprocal) >> k);
}

static __device__ __forceinline__ i64 remainder(i64 a, i64 b, u64 reciprocal) { return a - quotient(a, b, reciprocal) * b; }

static __device__ __forceinline__ i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

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

/* Both addresses are multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes(void* to, const void* from) { *(bytes8*)to = *(const bytes8*)from; }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

/* Starts a copy of 8 bytes to shared memory. The first `exist` bytes are read, and the others become 0. Both addresses are
   multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes_async(void* to, const void* from, i32 exist) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               : : "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(exist) : "memory");
}

/* generation 0 · variant 1 of 4 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2, reduce tile=32 split=256 stages=2] · reciprocal0 = reciprocal((n + 31) // 32) · reciprocal1 = reciprocal((m + 31) // 32) · reciprocal2 = reciprocal(((m + 31) // 32)*((n + 31) // 32)) */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2, u64 reciprocal0, u64 reciprocal1, u64 reciprocal2) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape2 & 3;
  const bool alu0 = ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = (shape2 + 31) / 32;
  const i64 oidx5 = (shape0 + 31) / 32;
  const i64 oidx14 = (shape2 + 3) / 4;
  const i64 oidx18 = (shape1 + 31) / 32;
  const i64 oidx48 = shape0 * shape2 & 1;
  const i64 oidx49 = shape2 & 1;
  const bool wide1 = (((i64)((size_t)output0 % 64 / 4) & 1ll) == 0ll && oidx48 == 0) && oidx49 == 0;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx5 * ((shape1 + 255) / 256) * oidx1; ridx0 += gridDim.x) {
    const i64 oidx2 = remainder(ridx0, oidx1, reciprocal0);
    const i64 oidx3 = max_i64(shape2 - oidx2 * 32 - 32, -oidx0);
    const i64 oidx4 = quotient(ridx0, oidx1, reciprocal0);
    const i64 oidx6 = remainder(oidx4, oidx5, reciprocal1);
    const i64 oidx9 = quotient(ridx0, oidx5 * oidx1, reciprocal2);
    const i64 oidx11 = min_i64(shape1, oidx9 * 256 + 256);
    const i64 oidx19 = min_i64(oidx18 - oidx9 * 8, 8);
    const bool quick0 = alu0 && oidx3 >= 0;
    /* 2 x 2 results of this thread */
    float acc2[4] __attribute__((aligned(16)));
    for (int i = 0; i < 4; ++i) acc2[i] = 0.0f;
    /* of both factors: 2 stages, each with 32 terms of 32 rows and of 32 columns */
    __shared__ __align__(16) float row0[2304];
    __shared__ __align__(16) float row1[2048];
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx7 = thread / 8;
      const i64 oidx8 = min_i64(shape0 - 1, oidx6 * 32 + oidx7);
      const i64 oidx10 = thread & 7;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        const i64 oidx12 = min_i64(oidx11 - oidx9 * 256 - oidx10 * 4 - ridx2, 1);
        const i64 oidx13 = max_i64(oidx12, 0);
        copy_4_bytes_async(row0 + oidx7 + oidx10 * 144 + ridx2 * 36, input0 + shape1 * oidx8 + oidx9 * 256 + oidx10 * 4 + ridx2, (i32)(oidx13 * 4));
      }
      const i64 oidx15 = min_i64(oidx14 - 1, oidx2 * 8 + oidx10);
      const i64 oidx16 = min_i64(oidx11 - oidx9 * 256 - oidx7, 1);
      const i64 oidx17 = max_i64(oidx16, 0);
      copy_16_bytes_async(row1 + thread * 4, input1 + shape2 * oidx9 * 256 + shape2 * oidx7 + oidx15 * 4, (i32)(oidx17 * 16));
      asm volatile("cp.async.commit_group;" : : : "memory");
      #pragma unroll 1
      for (i64 ridx3 = 0; ridx3 < oidx19; ++ridx3) {
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        const i64 oidx23 = (ridx3 + 1) & 1;
        const i64 oidx29 = ridx3 & 1;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx20 = thread / 8;
        const i64 oidx21 = min_i64(shape0 - 1, oidx6 * 32 + oidx20);
        const i64 oidx22 = thread & 7;
        const i64 oidx24 = min_i64(oidx14 - 1, oidx2 * 8 + oidx22);
        const i64 oidx27 = min_i64(oidx11 - oidx9 * 256 - ridx3 * 32 - oidx20 - 32, 1);
        const i64 oidx28 = max_i64(oidx27, 0);
        if (oidx9 * 256 + ridx3 * 32 + 64 <= oidx11) {
          #pragma unroll 4
          for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
            copy_4_bytes_async(row0 + oidx20 + oidx22 * 144 + oidx23 * 1152 + ridx6 * 36, input0 + shape1 * oidx21 + oidx9 * 256 + oidx22 * 4 + ridx3 * 32 + ridx6 + 32, 4);
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx23 * 1024, input1 + shape2 * oidx9 * 256 + shape2 * oidx20 + shape2 * 32 + oidx24 * 4 + shape2 * ridx3 * 32, 16);
        } else {
          #pragma unroll 4
          for (i64 ridx7 = 0; ridx7 < 4; ++ridx7) {
            const i64 oidx25 = min_i64(oidx11 - oidx9 * 256 - ridx3 * 32 - oidx22 * 4 - ridx7 - 32, 1);
            const i64 oidx26 = max_i64(oidx25, 0);
            copy_4_bytes_async(row0 + oidx20 + oidx22 * 144 + oidx23 * 1152 + ridx7 * 36, input0 + shape1 * oidx21 + oidx9 * 256 + oidx22 * 4 + ridx3 * 32 + ridx7 + 32, (i32)(oidx26 * 4));
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx23 * 1024, input1 + shape2 * oidx9 * 256 + shape2 * oidx20 + shape2 * 32 + oidx24 * 4 + shape2 * ridx3 * 32, (i32)(oidx28 * 16));
        }
        const i64 oidx30 = thread / 64;
        const i64 oidx31 = oidx20 & 3;
        const i64 oidx32 = thread / 32;
        const i64 oidx33 = oidx32 & 1;
        #pragma unroll 32
        for (i64 ridx8 = 0; ridx8 < 32; ++ridx8) {
          float row3[2] __attribute__((aligned(8)));
          copy_8_bytes(row3, row0 + oidx30 * 8 + oidx31 * 2 + oidx29 * 1152 + ridx8 * 36);
          float row4[2] __attribute__((aligned(8)));
          copy_8_bytes(row4, row1 + oidx22 * 2 + oidx33 * 16 + oidx29 * 1024 + ridx8 * 32);
          #pragma unroll 2
          for (i64 ridx9 = 0; ridx9 < 2; ++ridx9) {
            const float alu1 = row3[ridx9];
            #pragma unroll 2
            for (i64 ridx10 = 0; ridx10 < 2; ++ridx10) {
              acc2[ridx9 * 2 + ridx10] = fma_f32(alu1, row4[ridx10], acc2[ridx9 * 2 + ridx10]);
            }
          }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      float row5[4] __attribute__((aligned(16)));
      float row6[4] __attribute__((aligned(16)));
      const i64 oidx34 = thread & 7;
      const i64 oidx35 = thread / 8;
      const i64 oidx36 = min_i64(shape0 - 1, oidx6 * 32 + oidx35);
      const float* input0_row = input0 + shape1 * oidx36 + oidx9 * 256 + oidx34 * 4;
      #pragma unroll 4
      for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
        row5[ridx13] = oidx9 * 256 + oidx34 * 4 + ridx13 < shape1 ? input0_row[ridx13] : 0.0f;
      }
      const bool alu2 = oidx9 * 256 + oidx35 < shape1;
      const i64 oidx37 = min_i64(oidx14 - 1, oidx2 * 8 + oidx34);
      const float* input1_row = input1 + shape2 * oidx9 * 256 + shape2 * oidx35 + oidx37 * 4;
      #pragma unroll 4
      for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
        row6[ridx14] = (alu2 && oidx37 * 4 + ridx14 < shape2) ? input1_row[ridx14] : 0.0f;
      }
      #pragma unroll 4
      for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
        row0[oidx35 + oidx34 * 144 + ridx15 * 36] = row5[ridx15];
      }
      copy_16_bytes(row1 + thread * 4, row6);
      __syncthreads();
      #pragma unroll 1
      for (i64 ridx16 = 0; ridx16 < oidx19; ++ridx16) {
        const i64 oidx38 = ridx16 & 1;
        const i64 oidx47 = (ridx16 + 1) & 1;
        const i64 oidx39 = thread / 64;
        const i64 oidx40 = thread / 8;
        const i64 oidx41 = oidx40 & 3;
        const i64 oidx42 = thread & 7;
        const i64 oidx43 = thread / 32;
        const i64 oidx44 = oidx43 & 1;
        for (i64 ridx18 = 0; ridx18 < 32; ++ridx18) {
          float row7[2] __attribute__((aligned(8)));
          copy_8_bytes(row7, row0 + oidx39 * 8 + oidx41 * 2 + oidx38 * 1152 + ridx18 * 36);
          float row8[2] __attribute__((aligned(8)));
          copy_8_bytes(row8, row1 + oidx42 * 2 + oidx44 * 16 + oidx38 * 1024 + ridx18 * 32);
          #pragma unroll 2
          for (i64 ridx19 = 0; ridx19 < 2; ++ridx19) {
            const float alu3 = row7[ridx19];
            #pragma unroll 2
            for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
              acc2[ridx19 * 2 + ridx20] = fma_f32(alu3, row8[ridx20], acc2[ridx19 * 2 + ridx20]);
            }
          }
        }
        float row9[4] __attribute__((aligned(16)));
        float row10[4] __attribute__((aligned(16)));
        const i64 oidx45 = min_i64(shape0 - 1, oidx6 * 32 + oidx40);
        const float* input0_row1 = input0 + shape1 * oidx45 + oidx9 * 256 + ridx16 * 32 + oidx42 * 4;
        #pragma unroll 4
        for (i64 ridx21 = 0; ridx21 < 4; ++ridx21) {
          row9[ridx21] = oidx9 * 256 + ridx16 * 32 + oidx42 * 4 + ridx21 + 33 <= shape1 ? input0_row1[ridx21 + 32] : 0.0f;
        }
        const bool alu4 = oidx9 * 256 + ridx16 * 32 + oidx40 + 33 <= shape1;
        const i64 oidx46 = min_i64(oidx14 - 1, oidx2 * 8 + oidx42);
        const float* input1_row1 = input1 + shape2 * oidx9 * 256 + shape2 * ridx16 * 32 + shape2 * oidx40 + shape2 * 32 + oidx46 * 4;
        #pragma unroll 4
        for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
          row10[ridx22] = (alu4 && oidx46 * 4 + ridx22 < shape2) ? input1_row1[ridx22] : 0.0f;
        }
        #pragma unroll 4
        for (i64 ridx23 = 0; ridx23 < 4; ++ridx23) {
          row0[oidx47 * 1152 + oidx40 + oidx42 * 144 + ridx23 * 36] = row9[ridx23];
        }
        copy_16_bytes(row1 + thread * 4 + oidx47 * 1024, row10);
        __syncthreads();
      }
    }
    const i64 oidx50 = thread / 64;
    const i64 oidx51 = thread / 8;
    const i64 oidx52 = oidx51 & 3;
    const i64 oidx53 = thread & 7;
    const i64 oidx54 = thread / 32;
    const i64 oidx55 = oidx54 & 1;
    #pragma unroll 2
    for (i64 ridx25 = 0; ridx25 < 2; ++ridx25) {
      float* output0_row = output0 + shape0 * shape2 * oidx9 + shape2 * oidx6 * 32 + shape2 * oidx50 * 8 + shape2 * oidx52 * 2 + shape2 * ridx25 + oidx2 * 32 + oidx53 * 2 + oidx55 * 16;
      if (wide1 && oidx6 * 32 + oidx50 * 8 + oidx52 * 2 + ridx25 < shape0 && oidx2 * 32 + oidx53 * 2 + oidx55 * 16 + 2 <= shape2) {
        float row11[2] __attribute__((aligned(8)));
        #pragma unroll 2
        for (i64 ridx26 = 0; ridx26 < 2; ++ridx26) {
          row11[ridx26] = acc2[ridx25 * 2 + ridx26];
        }
        copy_8_bytes(output0 + shape0 * shape2 * oidx9 + shape2 * oidx6 * 32 + shape2 * oidx50 * 8 + shape2 * oidx52 * 2 + oidx2 * 32 + oidx53 * 2 + oidx55 * 16 + shape2 * ridx25, row11);
      } else {
        #pragma unroll 2
        for (i64 ridx27 = 0; ridx27 < 2; ++ridx27) {
          if (oidx6 * 32 + oidx50 * 8 + oidx52 * 2 + ridx25 < shape0 && oidx2 * 32 + oidx53 * 2 + oidx55 * 16 + ridx27 < shape2) {
            output0_row[ridx27] = acc2[ridx25 * 2 + ridx27];
          }
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · variant 1 of 4 by size · sum of the slices of the kernel before, over [m, n] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 oidx0 = (shape1 + 255) / 256;
  const i64 oidx1 = (oidx0 + 255) / 256;
  const i64 oidx2 = (oidx1 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * shape2; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc2 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      float acc1 = 0.0f;
      const i64 oidx3 = min_i64(oidx1, ridx1 * 256 + 256);
      for (i64 ridx2 = ridx1 * 256; ridx2 < oidx3; ++ridx2) {
        float acc0 = 0.0f;
        const i64 oidx4 = min_i64(oidx0, ridx2 * 256 + 256);
        const i64 oidx5 = (oidx4 + 7) / 8;
        for (i64 ridx3 = 0; ridx3 < oidx5 - ridx2 * 32; ++ridx3) {
          const float* input0_row = input0 + shape0 * shape2 * ridx2 * 256 + shape0 * shape2 * ridx3 * 8 + ridx0;
          #pragma unroll 8
          for (i64 ridx4 = 0; ridx4 < 8; ++ridx4) {
            if (ridx2 * 256 + ridx3 * 8 + ridx4 < oidx4) {
              acc0 += input0_row[shape0 * shape2 * ridx4];
            }
          }
        }
        acc1 += acc0;
      }
      acc2 += acc1;
    }
    output0[ridx0] = acc2;
  }
}

/* generation 0 · variant 2 of 4 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2, reduce tile=32 split=65536 stages=2] · reciprocal0 = reciprocal((n + 31) // 32) · reciprocal1 = reciprocal((m + 31) // 32) · reciprocal2 = reciprocal(((m + 31) // 32)*((n + 31) // 32)) */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_2(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2, u64 reciprocal0, u64 reciprocal1, u64 reciprocal2) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape2 & 3;
  const bool alu0 = ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = (shape2 + 31) / 32;
  const i64 oidx5 = (shape0 + 31) / 32;
  const i64 oidx14 = (shape2 + 3) / 4;
  const i64 oidx18 = (shape1 + 31) / 32;
  const i64 oidx39 = (shape1 + 255) / 256;
  const i64 oidx52 = shape0 * shape2 & 1;
  const i64 oidx53 = shape2 & 1;
  const bool wide1 = (((i64)((size_t)output0 % 64 / 4) & 1ll) == 0ll && oidx52 == 0) && oidx53 == 0;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx5 * ((shape1 + 65535) / 65536) * oidx1; ridx0 += gridDim.x) {
    const i64 oidx2 = remainder(ridx0, oidx1, reciprocal0);
    const i64 oidx3 = max_i64(shape2 - oidx2 * 32 - 32, -oidx0);
    const i64 oidx4 = quotient(ridx0, oidx1, reciprocal0);
    const i64 oidx6 = remainder(oidx4, oidx5, reciprocal1);
    const i64 oidx9 = quotient(ridx0, oidx5 * oidx1, reciprocal2);
    const i64 oidx11 = min_i64(shape1, oidx9 * 65536 + 65536);
    const i64 oidx19 = min_i64(oidx18 - oidx9 * 2048, 2048);
    const i64 oidx40 = min_i64(oidx39 - oidx9 * 256, 256);
    const bool quick0 = alu0 && oidx3 >= 0;
    /* 2 x 2 results of this thread */
    float acc2[4] __attribute__((aligned(16)));
    for (int i = 0; i < 4; ++i) acc2[i] = 0.0f;
    /* of both factors: 2 stages, each with 32 terms of 32 rows and of 32 columns */
    __shared__ __align__(16) float row0[2304];
    __shared__ __align__(16) float row1[2048];
    /* sums of the blocks of 256 terms, of the results of all threads */
    __shared__ __align__(16) float row3[1024];
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx7 = thread / 8;
      const i64 oidx8 = min_i64(shape0 - 1, oidx6 * 32 + oidx7);
      const i64 oidx10 = thread & 7;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        const i64 oidx12 = min_i64(oidx11 - oidx9 * 65536 - oidx10 * 4 - ridx2, 1);
        const i64 oidx13 = max_i64(oidx12, 0);
        copy_4_bytes_async(row0 + oidx7 + oidx10 * 144 + ridx2 * 36, input0 + shape1 * oidx8 + oidx9 * 65536 + oidx10 * 4 + ridx2, (i32)(oidx13 * 4));
      }
      const i64 oidx15 = min_i64(oidx14 - 1, oidx2 * 8 + oidx10);
      const i64 oidx16 = min_i64(oidx11 - oidx9 * 65536 - oidx7, 1);
      const i64 oidx17 = max_i64(oidx16, 0);
      copy_16_bytes_async(row1 + thread * 4, input1 + shape2 * oidx9 * 65536 + shape2 * oidx7 + oidx15 * 4, (i32)(oidx17 * 16));
      #pragma unroll 2
      for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
        #pragma unroll 2
        for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
          row3[thread + ridx3 * 512 + ridx4 * 256] = 0.0f;
        }
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      for (i64 ridx5 = 0; ridx5 < oidx19; ++ridx5) {
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        const i64 oidx23 = (ridx5 + 1) & 1;
        const i64 oidx29 = ridx5 & 1;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx20 = thread / 8;
        const i64 oidx21 = min_i64(shape0 - 1, oidx6 * 32 + oidx20);
        const i64 oidx22 = thread & 7;
        const i64 oidx24 = min_i64(oidx14 - 1, oidx2 * 8 + oidx22);
        const i64 oidx27 = min_i64(oidx11 - oidx9 * 65536 - ridx5 * 32 - oidx20 - 32, 1);
        const i64 oidx28 = max_i64(oidx27, 0);
        if (oidx9 * 65536 + ridx5 * 32 + 64 <= oidx11) {
          #pragma unroll 4
          for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
            copy_4_bytes_async(row0 + oidx20 + oidx22 * 144 + oidx23 * 1152 + ridx8 * 36, input0 + shape1 * oidx21 + oidx9 * 65536 + oidx22 * 4 + ridx5 * 32 + ridx8 + 32, 4);
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx23 * 1024, input1 + shape2 * oidx9 * 65536 + shape2 * oidx20 + shape2 * 32 + oidx24 * 4 + shape2 * ridx5 * 32, 16);
        } else {
          #pragma unroll 4
          for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
            const i64 oidx25 = min_i64(oidx11 - oidx9 * 65536 - ridx5 * 32 - oidx22 * 4 - ridx9 - 32, 1);
            const i64 oidx26 = max_i64(oidx25, 0);
            copy_4_bytes_async(row0 + oidx20 + oidx22 * 144 + oidx23 * 1152 + ridx9 * 36, input0 + shape1 * oidx21 + oidx9 * 65536 + oidx22 * 4 + ridx5 * 32 + ridx9 + 32, (i32)(oidx26 * 4));
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx23 * 1024, input1 + shape2 * oidx9 * 65536 + shape2 * oidx20 + shape2 * 32 + oidx24 * 4 + shape2 * ridx5 * 32, (i32)(oidx28 * 16));
        }
        const i64 oidx30 = thread / 64;
        const i64 oidx31 = oidx20 & 3;
        const i64 oidx32 = thread / 32;
        const i64 oidx33 = oidx32 & 1;
        #pragma unroll 32
        for (i64 ridx10 = 0; ridx10 < 32; ++ridx10) {
          float row4[2] __attribute__((aligned(8)));
          copy_8_bytes(row4, row0 + oidx30 * 8 + oidx31 * 2 + oidx29 * 1152 + ridx10 * 36);
          float row5[2] __attribute__((aligned(8)));
          copy_8_bytes(row5, row1 + oidx22 * 2 + oidx33 * 16 + oidx29 * 1024 + ridx10 * 32);
          #pragma unroll 2
          for (i64 ridx11 = 0; ridx11 < 2; ++ridx11) {
            const float alu1 = row4[ridx11];
            #pragma unroll 2
            for (i64 ridx12 = 0; ridx12 < 2; ++ridx12) {
              acc2[ridx11 * 2 + ridx12] = fma_f32(alu1, row5[ridx12], acc2[ridx11 * 2 + ridx12]);
            }
          }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
        const i64 oidx34 = (ridx5 + 1) & 7;
        if (oidx19 <= ridx5 + 1 || oidx34 == 0) {
          /* the end of a block of terms */
          #pragma unroll 2
          for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
            #pragma unroll 2
            for (i64 ridx15 = 0; ridx15 < 2; ++ridx15) {
              row3[thread + ridx14 * 512 + ridx15 * 256] += acc2[ridx14 * 2 + ridx15];
              acc2[ridx14 * 2 + ridx15] = 0.0f;
            }
          }
        }
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      float row6[4] __attribute__((aligned(16)));
      float row7[4] __attribute__((aligned(16)));
      const i64 oidx35 = thread & 7;
      const i64 oidx36 = thread / 8;
      const i64 oidx37 = min_i64(shape0 - 1, oidx6 * 32 + oidx36);
      const float* input0_row = input0 + shape1 * oidx37 + oidx9 * 65536 + oidx35 * 4;
      #pragma unroll 4
      for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
        row6[ridx18] = oidx9 * 65536 + oidx35 * 4 + ridx18 < shape1 ? input0_row[ridx18] : 0.0f;
      }
      const bool alu2 = oidx9 * 65536 + oidx36 < shape1;
      const i64 oidx38 = min_i64(oidx14 - 1, oidx2 * 8 + oidx35);
      const float* input1_row = input1 + shape2 * oidx9 * 65536 + shape2 * oidx36 + oidx38 * 4;
      #pragma unroll 4
      for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
        row7[ridx19] = (alu2 && oidx38 * 4 + ridx19 < shape2) ? input1_row[ridx19] : 0.0f;
      }
      #pragma unroll 2
      for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          row3[thread + ridx20 * 512 + ridx21 * 256] = 0.0f;
        }
      }
      #pragma unroll 4
      for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
        row0[oidx36 + oidx35 * 144 + ridx22 * 36] = row6[ridx22];
      }
      copy_16_bytes(row1 + thread * 4, row7);
      __syncthreads();
      for (i64 ridx23 = 0; ridx23 < oidx40; ++ridx23) {
        const i64 oidx41 = min_i64(oidx18 - oidx9 * 2048 - ridx23 * 8, 8);
        #pragma unroll 1
        for (i64 ridx24 = 0; ridx24 < oidx41; ++ridx24) {
          const i64 oidx42 = ridx24 & 1;
          const i64 oidx51 = (ridx24 + 1) & 1;
          const i64 oidx43 = thread / 64;
          const i64 oidx44 = thread / 8;
          const i64 oidx45 = oidx44 & 3;
          const i64 oidx46 = thread & 7;
          const i64 oidx47 = thread / 32;
          const i64 oidx48 = oidx47 & 1;
          for (i64 ridx26 = 0; ridx26 < 32; ++ridx26) {
            float row8[2] __attribute__((aligned(8)));
            copy_8_bytes(row8, row0 + oidx43 * 8 + oidx45 * 2 + oidx42 * 1152 + ridx26 * 36);
            float row9[2] __attribute__((aligned(8)));
            copy_8_bytes(row9, row1 + oidx46 * 2 + oidx48 * 16 + oidx42 * 1024 + ridx26 * 32);
            #pragma unroll 2
            for (i64 ridx27 = 0; ridx27 < 2; ++ridx27) {
              const float alu3 = row8[ridx27];
              #pragma unroll 2
              for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
                acc2[ridx27 * 2 + ridx28] = fma_f32(alu3, row9[ridx28], acc2[ridx27 * 2 + ridx28]);
              }
            }
          }
          float row10[4] __attribute__((aligned(16)));
          float row11[4] __attribute__((aligned(16)));
          const i64 oidx49 = min_i64(shape0 - 1, oidx6 * 32 + oidx44);
          const float* input0_row1 = input0 + shape1 * oidx49 + oidx9 * 65536 + ridx23 * 256 + ridx24 * 32 + oidx46 * 4;
          #pragma unroll 4
          for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
            row10[ridx29] = oidx9 * 65536 + ridx23 * 256 + ridx24 * 32 + oidx46 * 4 + ridx29 + 33 <= shape1 ? input0_row1[ridx29 + 32] : 0.0f;
          }
          const bool alu4 = oidx9 * 65536 + ridx23 * 256 + ridx24 * 32 + oidx44 + 33 <= shape1;
          const i64 oidx50 = min_i64(oidx14 - 1, oidx2 * 8 + oidx46);
          const float* input1_row1 = input1 + shape2 * oidx9 * 65536 + shape2 * ridx23 * 256 + shape2 * ridx24 * 32 + shape2 * oidx44 + shape2 * 32 + oidx50 * 4;
          #pragma unroll 4
          for (i64 ridx30 = 0; ridx30 < 4; ++ridx30) {
            row11[ridx30] = (alu4 && oidx50 * 4 + ridx30 < shape2) ? input1_row1[ridx30] : 0.0f;
          }
          #pragma unroll 4
          for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
            row0[oidx51 * 1152 + oidx44 + oidx46 * 144 + ridx31 * 36] = row10[ridx31];
          }
          copy_16_bytes(row1 + thread * 4 + oidx51 * 1024, row11);
          __syncthreads();
        }
        /* the end of a block of terms */
        #pragma unroll 2
        for (i64 ridx33 = 0; ridx33 < 2; ++ridx33) {
          #pragma unroll 2
          for (i64 ridx34 = 0; ridx34 < 2; ++ridx34) {
            row3[thread + ridx33 * 512 + ridx34 * 256] += acc2[ridx33 * 2 + ridx34];
            acc2[ridx33 * 2 + ridx34] = 0.0f;
          }
        }
      }
    }
    const i64 oidx54 = thread / 64;
    const i64 oidx55 = thread / 8;
    const i64 oidx56 = oidx55 & 3;
    const i64 oidx57 = thread & 7;
    const i64 oidx58 = thread / 32;
    const i64 oidx59 = oidx58 & 1;
    #pragma unroll 2
    for (i64 ridx36 = 0; ridx36 < 2; ++ridx36) {
      float* output0_row = output0 + shape0 * shape2 * oidx9 + shape2 * oidx6 * 32 + shape2 * oidx54 * 8 + shape2 * oidx56 * 2 + shape2 * ridx36 + oidx2 * 32 + oidx57 * 2 + oidx59 * 16;
      if (wide1 && oidx6 * 32 + oidx54 * 8 + oidx56 * 2 + ridx36 < shape0 && oidx2 * 32 + oidx57 * 2 + oidx59 * 16 + 2 <= shape2) {
        float row12[2] __attribute__((aligned(8)));
        #pragma unroll 2
        for (i64 ridx37 = 0; ridx37 < 2; ++ridx37) {
          row12[ridx37] = row3[thread + ridx36 * 512 + ridx37 * 256];
        }
        copy_8_bytes(output0 + shape0 * shape2 * oidx9 + shape2 * oidx6 * 32 + shape2 * oidx54 * 8 + shape2 * oidx56 * 2 + oidx2 * 32 + oidx57 * 2 + oidx59 * 16 + shape2 * ridx36, row12);
      } else {
        #pragma unroll 2
        for (i64 ridx38 = 0; ridx38 < 2; ++ridx38) {
          if (oidx6 * 32 + oidx54 * 8 + oidx56 * 2 + ridx36 < shape0 && oidx2 * 32 + oidx57 * 2 + oidx59 * 16 + ridx38 < shape2) {
            output0_row[ridx38] = row3[thread + ridx36 * 512 + ridx38 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · variant 2 of 4 by size · sum of the slices of the kernel before, over [m, n] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2) {
  const i64 oidx0 = (shape1 + 65535) / 65536;
  const i64 oidx1 = (oidx0 + 255) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * shape2; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      float acc0 = 0.0f;
      const i64 oidx2 = min_i64(oidx0, ridx1 * 256 + 256);
      const i64 oidx3 = (oidx2 + 7) / 8;
      for (i64 ridx2 = 0; ridx2 < oidx3 - ridx1 * 32; ++ridx2) {
        const float* input0_row = input0 + shape0 * shape2 * ridx1 * 256 + shape0 * shape2 * ridx2 * 8 + ridx0;
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          if (ridx1 * 256 + ridx2 * 8 + ridx3 < oidx2) {
            acc0 += input0_row[shape0 * shape2 * ridx3];
          }
        }
      }
      acc1 += acc0;
    }
    output0[ridx0] = acc1;
  }
}

/* generation 0 · variant 3 of 4 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=128 unroll=8, thread_group tile=64 unroll=4, reduce tile=8 stages=4] · reciprocal0 = reciprocal((n + 63) // 64) */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_4(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2, u64 reciprocal0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape2 & 1;
  const bool alu0 = ((i64)((size_t)input1 % 64 / 4) & 1ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = (shape2 + 63) / 64;
  const i64 oidx11 = (shape2 + 1) / 2;
  const i64 oidx36 = (shape1 + 7) / 8;
  const i64 oidx61 = (shape1 + 255) / 256;
  const i64 oidx76 = shape2 & 3;
  const bool wide1 = ((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll && oidx76 == 0;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 + 127) / 128 * oidx1; ridx0 += gridDim.x) {
    const i64 oidx2 = remainder(ridx0, oidx1, reciprocal0);
    const i64 oidx3 = max_i64(shape2 - oidx2 * 64 - 64, -oidx0);
    const i64 oidx4 = quotient(ridx0, oidx1, reciprocal0);
    const bool quick0 = alu0 && oidx3 >= 0;
    /* 8 x 4 results of this thread */
    float acc2[32] __attribute__((aligned(16)));
    #pragma unroll 32
    for (int i = 0; i < 32; ++i) acc2[i] = 0.0f;
    /* of both factors: 4 stages, each with 8 terms of 128 rows and of 64 columns */
    extern __shared__ __align__(16) u8 shared_memory[];
    float* const row0 = (float*)shared_memory;
    float* const row1 = (float*)(shared_memory + 16896);
    /* sums of the blocks of 256 terms, of the results of all threads */
    float* const row3 = (float*)(shared_memory + 25088);
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx5 = thread / 2;
      const i64 oidx6 = min_i64(shape0 - 1, oidx4 * 128 + oidx5);
      const i64 oidx7 = thread & 1;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        const i64 oidx8 = min_i64(shape1 - oidx7 * 4 - ridx2, 1);
        const i64 oidx9 = max_i64(oidx8, 0);
        copy_4_bytes_async(row0 + oidx5 + oidx7 * 528 + ridx2 * 132, input0 + shape1 * oidx6 + oidx7 * 4 + ridx2, (i32)(oidx9 * 4));
      }
      const i64 oidx10 = thread / 32;
      const i64 oidx12 = thread & 31;
      const i64 oidx13 = min_i64(oidx11 - 1, oidx2 * 32 + oidx12);
      const i64 oidx14 = min_i64(shape1 - oidx10, 1);
      const i64 oidx15 = max_i64(oidx14, 0);
      copy_8_bytes_async(row1 + thread * 2, input1 + shape2 * oidx10 + oidx13 * 2, (i32)(oidx15 * 8));
      #pragma unroll 8
      for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
        #pragma unroll 4
        for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
          row3[thread + ridx3 * 1024 + ridx4 * 256] = 0.0f;
        }
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      /* start the copies of the terms of step 1 */
      const i64 oidx16 = thread / 2;
      const i64 oidx17 = min_i64(shape0 - 1, oidx4 * 128 + oidx16);
      const i64 oidx18 = thread & 1;
      #pragma unroll 4
      for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
        const i64 oidx19 = min_i64(shape1 - oidx18 * 4 - ridx6 - 8, 1);
        const i64 oidx20 = max_i64(oidx19, 0);
        copy_4_bytes_async(row0 + oidx16 + oidx18 * 528 + ridx6 * 132 + 1056, input0 + shape1 * oidx17 + oidx18 * 4 + ridx6 + 8, (i32)(oidx20 * 4));
      }
      const i64 oidx21 = thread / 32;
      const i64 oidx22 = thread & 31;
      const i64 oidx23 = min_i64(oidx11 - 1, oidx2 * 32 + oidx22);
      const i64 oidx24 = min_i64(shape1 - oidx21 - 8, 1);
      const i64 oidx25 = max_i64(oidx24, 0);
      copy_8_bytes_async(row1 + thread * 2 + 512, input1 + shape2 * oidx21 + shape2 * 8 + oidx23 * 2, (i32)(oidx25 * 8));
      asm volatile("cp.async.commit_group;" : : : "memory");
      /* start the copies of the terms of step 2 */
      const i64 oidx26 = thread / 2;
      const i64 oidx27 = min_i64(shape0 - 1, oidx4 * 128 + oidx26);
      const i64 oidx28 = thread & 1;
      #pragma unroll 4
      for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
        const i64 oidx29 = min_i64(shape1 - oidx28 * 4 - ridx8 - 16, 1);
        const i64 oidx30 = max_i64(oidx29, 0);
        copy_4_bytes_async(row0 + oidx26 + oidx28 * 528 + ridx8 * 132 + 2112, input0 + shape1 * oidx27 + oidx28 * 4 + ridx8 + 16, (i32)(oidx30 * 4));
      }
      const i64 oidx31 = thread / 32;
      const i64 oidx32 = thread & 31;
      const i64 oidx33 = min_i64(oidx11 - 1, oidx2 * 32 + oidx32);
      const i64 oidx34 = min_i64(shape1 - oidx31 - 16, 1);
      const i64 oidx35 = max_i64(oidx34, 0);
      copy_8_bytes_async(row1 + thread * 2 + 1024, input1 + shape2 * oidx31 + shape2 * 16 + oidx33 * 2, (i32)(oidx35 * 8));
      asm volatile("cp.async.commit_group;" : : : "memory");
      for (i64 ridx9 = 0; ridx9 < oidx36; ++ridx9) {
        asm volatile("cp.async.wait_group 2;" : : : "memory");
        __syncthreads();
        const i64 oidx40 = (ridx9 + 3) & 3;
        const i64 oidx48 = ridx9 & 3;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx37 = thread / 2;
        const i64 oidx38 = min_i64(shape0 - 1, oidx4 * 128 + oidx37);
        const i64 oidx39 = thread & 1;
        const i64 oidx41 = thread / 32;
        const i64 oidx42 = thread & 31;
        const i64 oidx43 = min_i64(oidx11 - 1, oidx2 * 32 + oidx42);
        const i64 oidx46 = min_i64(shape1 - ridx9 * 8 - oidx41 - 24, 1);
        const i64 oidx47 = max_i64(oidx46, 0);
        if (ridx9 * 8 + 32 <= shape1) {
          #pragma unroll 4
          for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
            copy_4_bytes_async(row0 + oidx37 + oidx39 * 528 + oidx40 * 1056 + ridx12 * 132, input0 + shape1 * oidx38 + oidx39 * 4 + ridx9 * 8 + ridx12 + 24, 4);
          }
          copy_8_bytes_async(row1 + thread * 2 + oidx40 * 512, input1 + shape2 * oidx41 + shape2 * 24 + oidx43 * 2 + shape2 * ridx9 * 8, 8);
        } else {
          #pragma unroll 4
          for (i64 ridx13 = 0; ridx13 < 4; ++ridx13) {
            const i64 oidx44 = min_i64(shape1 - ridx9 * 8 - oidx39 * 4 - ridx13 - 24, 1);
            const i64 oidx45 = max_i64(oidx44, 0);
            copy_4_bytes_async(row0 + oidx37 + oidx39 * 528 + oidx40 * 1056 + ridx13 * 132, input0 + shape1 * oidx38 + oidx39 * 4 + ridx9 * 8 + ridx13 + 24, (i32)(oidx45 * 4));
          }
          copy_8_bytes_async(row1 + thread * 2 + oidx40 * 512, input1 + shape2 * oidx41 + shape2 * 24 + oidx43 * 2 + shape2 * ridx9 * 8, (i32)(oidx47 * 8));
        }
        const i64 oidx49 = thread / 64;
        const i64 oidx50 = thread / 8;
        const i64 oidx51 = oidx50 & 3;
        const i64 oidx52 = thread & 7;
        const i64 oidx53 = oidx41 & 1;
        #pragma unroll 8
        for (i64 ridx14 = 0; ridx14 < 8; ++ridx14) {
          float row4[8] __attribute__((aligned(16)));
          copy_16_bytes(row4, row0 + oidx49 * 16 + oidx51 * 4 + oidx48 * 1056 + ridx14 * 132);
          copy_16_bytes(row4 + 4, row0 + oidx49 * 16 + oidx51 * 4 + oidx48 * 1056 + ridx14 * 132 + 64);
          float row5[4] __attribute__((aligned(16)));
          copy_16_bytes(row5, row1 + oidx52 * 4 + oidx53 * 32 + oidx48 * 512 + ridx14 * 64);
          #pragma unroll 8
          for (i64 ridx15 = 0; ridx15 < 8; ++ridx15) {
            const float alu1 = row4[ridx15];
            #pragma unroll 4
            for (i64 ridx16 = 0; ridx16 < 4; ++ridx16) {
              acc2[ridx15 * 4 + ridx16] = fma_f32(alu1, row5[ridx16], acc2[ridx15 * 4 + ridx16]);
            }
          }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
        const i64 oidx54 = (ridx9 + 1) & 31;
        if (oidx36 <= ridx9 + 1 || oidx54 == 0) {
          /* the end of a block of terms */
          #pragma unroll 8
          for (i64 ridx18 = 0; ridx18 < 8; ++ridx18) {
            #pragma unroll 4
            for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
              row3[thread + ridx18 * 1024 + ridx19 * 256] += acc2[ridx18 * 4 + ridx19];
              acc2[ridx18 * 4 + ridx19] = 0.0f;
            }
          }
        }
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      float row6[4] __attribute__((aligned(16)));
      float row7[2] __attribute__((aligned(8)));
      const i64 oidx55 = thread & 1;
      const i64 oidx56 = thread / 2;
      const i64 oidx57 = min_i64(shape0 - 1, oidx4 * 128 + oidx56);
      const float* input0_row = input0 + shape1 * oidx57 + oidx55 * 4;
      #pragma unroll 4
      for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
        row6[ridx22] = oidx55 * 4 + ridx22 < shape1 ? input0_row[ridx22] : 0.0f;
      }
      const i64 oidx58 = thread / 32;
      const bool alu2 = oidx58 < shape1;
      const i64 oidx59 = thread & 31;
      const i64 oidx60 = min_i64(oidx11 - 1, oidx2 * 32 + oidx59);
      const float* input1_row = input1 + shape2 * oidx58 + oidx60 * 2;
      #pragma unroll 2
      for (i64 ridx23 = 0; ridx23 < 2; ++ridx23) {
        row7[ridx23] = (alu2 && oidx60 * 2 + ridx23 < shape2) ? input1_row[ridx23] : 0.0f;
      }
      #pragma unroll 8
      for (i64 ridx24 = 0; ridx24 < 8; ++ridx24) {
        #pragma unroll 4
        for (i64 ridx25 = 0; ridx25 < 4; ++ridx25) {
          row3[thread + ridx24 * 1024 + ridx25 * 256] = 0.0f;
        }
      }
      #pragma unroll 4
      for (i64 ridx26 = 0; ridx26 < 4; ++ridx26) {
        row0[oidx56 + oidx55 * 528 + ridx26 * 132] = row6[ridx26];
      }
      copy_8_bytes(row1 + thread * 2, row7);
      __syncthreads();
      for (i64 ridx27 = 0; ridx27 < oidx61; ++ridx27) {
        const i64 oidx62 = min_i64(oidx36 - ridx27 * 32, 32);
        #pragma unroll 1
        for (i64 ridx28 = 0; ridx28 < oidx62; ++ridx28) {
          const i64 oidx63 = ridx28 & 1;
          const i64 oidx75 = (ridx28 + 1) & 1;
          const i64 oidx64 = thread / 64;
          const i64 oidx65 = thread / 8;
          const i64 oidx66 = oidx65 & 3;
          const i64 oidx67 = thread & 7;
          const i64 oidx68 = thread / 32;
          const i64 oidx69 = oidx68 & 1;
          for (i64 ridx30 = 0; ridx30 < 8; ++ridx30) {
            float row8[8] __attribute__((aligned(16)));
            copy_16_bytes(row8, row0 + oidx64 * 16 + oidx66 * 4 + oidx63 * 1056 + ridx30 * 132);
            copy_16_bytes(row8 + 4, row0 + oidx64 * 16 + oidx66 * 4 + oidx63 * 1056 + ridx30 * 132 + 64);
            float row9[4] __attribute__((aligned(16)));
            copy_16_bytes(row9, row1 + oidx67 * 4 + oidx69 * 32 + oidx63 * 512 + ridx30 * 64);
            #pragma unroll 8
            for (i64 ridx31 = 0; ridx31 < 8; ++ridx31) {
              const float alu3 = row8[ridx31];
              #pragma unroll 4
              for (i64 ridx32 = 0; ridx32 < 4; ++ridx32) {
                acc2[ridx31 * 4 + ridx32] = fma_f32(alu3, row9[ridx32], acc2[ridx31 * 4 + ridx32]);
              }
            }
          }
          float row10[4] __attribute__((aligned(16)));
          float row11[2] __attribute__((aligned(8)));
          const i64 oidx70 = thread & 1;
          const i64 oidx71 = thread / 2;
          const i64 oidx72 = min_i64(shape0 - 1, oidx4 * 128 + oidx71);
          const float* input0_row1 = input0 + shape1 * oidx72 + ridx27 * 256 + ridx28 * 8 + oidx70 * 4;
          #pragma unroll 4
          for (i64 ridx33 = 0; ridx33 < 4; ++ridx33) {
            row10[ridx33] = ridx27 * 256 + ridx28 * 8 + oidx70 * 4 + ridx33 + 9 <= shape1 ? input0_row1[ridx33 + 8] : 0.0f;
          }
          const bool alu4 = ridx27 * 256 + ridx28 * 8 + oidx68 + 9 <= shape1;
          const i64 oidx73 = thread & 31;
          const i64 oidx74 = min_i64(oidx11 - 1, oidx2 * 32 + oidx73);
          const float* input1_row1 = input1 + shape2 * ridx27 * 256 + shape2 * ridx28 * 8 + shape2 * oidx68 + shape2 * 8 + oidx74 * 2;
          #pragma unroll 2
          for (i64 ridx34 = 0; ridx34 < 2; ++ridx34) {
            row11[ridx34] = (alu4 && oidx74 * 2 + ridx34 < shape2) ? input1_row1[ridx34] : 0.0f;
          }
          #pragma unroll 4
          for (i64 ridx35 = 0; ridx35 < 4; ++ridx35) {
            row0[oidx75 * 1056 + oidx71 + oidx70 * 528 + ridx35 * 132] = row10[ridx35];
          }
          copy_8_bytes(row1 + thread * 2 + oidx75 * 512, row11);
          __syncthreads();
        }
        /* the end of a block of terms */
        #pragma unroll 8
        for (i64 ridx37 = 0; ridx37 < 8; ++ridx37) {
          #pragma unroll 4
          for (i64 ridx38 = 0; ridx38 < 4; ++ridx38) {
            row3[thread + ridx37 * 1024 + ridx38 * 256] += acc2[ridx37 * 4 + ridx38];
            acc2[ridx37 * 4 + ridx38] = 0.0f;
          }
        }
      }
    }
    const i64 oidx77 = thread / 64;
    const i64 oidx78 = thread / 8;
    const i64 oidx79 = oidx78 & 3;
    const i64 oidx82 = thread & 7;
    const i64 oidx83 = thread / 32;
    const i64 oidx84 = oidx83 & 1;
    #pragma unroll 8
    for (i64 ridx40 = 0; ridx40 < 8; ++ridx40) {
      const i64 oidx80 = ridx40 / 4;
      const i64 oidx81 = ridx40 & 3;
      float* output0_row = output0 + shape2 * oidx4 * 128 + shape2 * oidx77 * 16 + shape2 * oidx79 * 4 + shape2 * oidx80 * 64 + shape2 * oidx81 + oidx2 * 64 + oidx82 * 4 + oidx84 * 32;
      if (wide1 && oidx4 * 128 + oidx77 * 16 + oidx79 * 4 + oidx80 * 64 + oidx81 < shape0 && oidx2 * 64 + oidx82 * 4 + oidx84 * 32 + 4 <= shape2) {
        float row12[4] __attribute__((aligned(16)));
        #pragma unroll 4
        for (i64 ridx41 = 0; ridx41 < 4; ++ridx41) {
          row12[ridx41] = row3[thread + ridx40 * 1024 + ridx41 * 256];
        }
        copy_16_bytes(output0 + shape2 * oidx4 * 128 + shape2 * oidx77 * 16 + shape2 * oidx79 * 4 + oidx2 * 64 + oidx82 * 4 + oidx84 * 32 + shape2 * oidx80 * 64 + shape2 * oidx81, row12);
      } else {
        #pragma unroll 4
        for (i64 ridx42 = 0; ridx42 < 4; ++ridx42) {
          if (oidx4 * 128 + oidx77 * 16 + oidx79 * 4 + oidx80 * 64 + oidx81 < shape0 && oidx2 * 64 + oidx82 * 4 + oidx84 * 32 + ridx42 < shape2) {
            output0_row[ridx42] = row3[thread + ridx40 * 1024 + ridx42 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · variant 4 of 4 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2, reduce tile=32 stages=2] · reciprocal0 = reciprocal((n + 31) // 32) */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_5(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0, i64 shape1, i64 shape2, u64 reciprocal0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape2 & 3;
  const bool alu0 = ((i64)((size_t)input1 % 64 / 4) & 3ll) == 0ll && oidx0 == 0;
  const i64 oidx1 = (shape2 + 31) / 32;
  const i64 oidx10 = (shape2 + 3) / 4;
  const i64 oidx14 = (shape1 + 31) / 32;
  const i64 oidx34 = (shape1 + 255) / 256;
  const i64 oidx46 = shape2 & 1;
  const bool wide1 = ((i64)((size_t)output0 % 64 / 4) & 1ll) == 0ll && oidx46 == 0;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 + 31) / 32 * oidx1; ridx0 += gridDim.x) {
    const i64 oidx2 = remainder(ridx0, oidx1, reciprocal0);
    const i64 oidx3 = max_i64(shape2 - oidx2 * 32 - 32, -oidx0);
    const i64 oidx4 = quotient(ridx0, oidx1, reciprocal0);
    const bool quick0 = alu0 && oidx3 >= 0;
    /* 2 x 2 results of this thread */
    float acc2[4] __attribute__((aligned(16)));
    for (int i = 0; i < 4; ++i) acc2[i] = 0.0f;
    /* of both factors: 2 stages, each with 32 terms of 32 rows and of 32 columns */
    __shared__ __align__(16) float row0[2304];
    __shared__ __align__(16) float row1[2048];
    /* sums of the blocks of 256 terms, of the results of all threads */
    __shared__ __align__(16) float row3[1024];
    if (quick0) {
      /* start the copies of the terms of step 0 */
      const i64 oidx5 = thread / 8;
      const i64 oidx6 = min_i64(shape0 - 1, oidx4 * 32 + oidx5);
      const i64 oidx7 = thread & 7;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        const i64 oidx8 = min_i64(shape1 - oidx7 * 4 - ridx2, 1);
        const i64 oidx9 = max_i64(oidx8, 0);
        copy_4_bytes_async(row0 + oidx5 + oidx7 * 144 + ridx2 * 36, input0 + shape1 * oidx6 + oidx7 * 4 + ridx2, (i32)(oidx9 * 4));
      }
      const i64 oidx11 = min_i64(oidx10 - 1, oidx2 * 8 + oidx7);
      const i64 oidx12 = min_i64(shape1 - oidx5, 1);
      const i64 oidx13 = max_i64(oidx12, 0);
      copy_16_bytes_async(row1 + thread * 4, input1 + shape2 * oidx5 + oidx11 * 4, (i32)(oidx13 * 16));
      #pragma unroll 2
      for (i64 ridx3 = 0; ridx3 < 2; ++ridx3) {
        #pragma unroll 2
        for (i64 ridx4 = 0; ridx4 < 2; ++ridx4) {
          row3[thread + ridx3 * 512 + ridx4 * 256] = 0.0f;
        }
      }
      asm volatile("cp.async.commit_group;" : : : "memory");
      for (i64 ridx5 = 0; ridx5 < oidx14; ++ridx5) {
        asm volatile("cp.async.wait_group 0;" : : : "memory");
        __syncthreads();
        const i64 oidx18 = (ridx5 + 1) & 1;
        const i64 oidx24 = ridx5 & 1;
        /* the terms of a later step, which arrive while those of this step are multiplied */
        const i64 oidx15 = thread / 8;
        const i64 oidx16 = min_i64(shape0 - 1, oidx4 * 32 + oidx15);
        const i64 oidx17 = thread & 7;
        const i64 oidx19 = min_i64(oidx10 - 1, oidx2 * 8 + oidx17);
        const i64 oidx22 = min_i64(shape1 - ridx5 * 32 - oidx15 - 32, 1);
        const i64 oidx23 = max_i64(oidx22, 0);
        if (ridx5 * 32 + 64 <= shape1) {
          #pragma unroll 4
          for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
            copy_4_bytes_async(row0 + oidx15 + oidx17 * 144 + oidx18 * 1152 + ridx8 * 36, input0 + shape1 * oidx16 + oidx17 * 4 + ridx5 * 32 + ridx8 + 32, 4);
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx18 * 1024, input1 + shape2 * oidx15 + shape2 * 32 + oidx19 * 4 + shape2 * ridx5 * 32, 16);
        } else {
          #pragma unroll 4
          for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
            const i64 oidx20 = min_i64(shape1 - ridx5 * 32 - oidx17 * 4 - ridx9 - 32, 1);
            const i64 oidx21 = max_i64(oidx20, 0);
            copy_4_bytes_async(row0 + oidx15 + oidx17 * 144 + oidx18 * 1152 + ridx9 * 36, input0 + shape1 * oidx16 + oidx17 * 4 + ridx5 * 32 + ridx9 + 32, (i32)(oidx21 * 4));
          }
          copy_16_bytes_async(row1 + thread * 4 + oidx18 * 1024, input1 + shape2 * oidx15 + shape2 * 32 + oidx19 * 4 + shape2 * ridx5 * 32, (i32)(oidx23 * 16));
        }
        const i64 oidx25 = thread / 64;
        const i64 oidx26 = oidx15 & 3;
        const i64 oidx27 = thread / 32;
        const i64 oidx28 = oidx27 & 1;
        #pragma unroll 32
        for (i64 ridx10 = 0; ridx10 < 32; ++ridx10) {
          float row4[2] __attribute__((aligned(8)));
          copy_8_bytes(row4, row0 + oidx25 * 8 + oidx26 * 2 + oidx24 * 1152 + ridx10 * 36);
          float row5[2] __attribute__((aligned(8)));
          copy_8_bytes(row5, row1 + oidx17 * 2 + oidx28 * 16 + oidx24 * 1024 + ridx10 * 32);
          #pragma unroll 2
          for (i64 ridx11 = 0; ridx11 < 2; ++ridx11) {
            const float alu1 = row4[ridx11];
            #pragma unroll 2
            for (i64 ridx12 = 0; ridx12 < 2; ++ridx12) {
              acc2[ridx11 * 2 + ridx12] = fma_f32(alu1, row5[ridx12], acc2[ridx11 * 2 + ridx12]);
            }
          }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
        const i64 oidx29 = (ridx5 + 1) & 7;
        if (oidx14 <= ridx5 + 1 || oidx29 == 0) {
          /* the end of a block of terms */
          #pragma unroll 2
          for (i64 ridx14 = 0; ridx14 < 2; ++ridx14) {
            #pragma unroll 2
            for (i64 ridx15 = 0; ridx15 < 2; ++ridx15) {
              row3[thread + ridx14 * 512 + ridx15 * 256] += acc2[ridx14 * 2 + ridx15];
              acc2[ridx14 * 2 + ridx15] = 0.0f;
            }
          }
        }
      }
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    } else {
      /* load the first terms */
      float row6[4] __attribute__((aligned(16)));
      float row7[4] __attribute__((aligned(16)));
      const i64 oidx30 = thread & 7;
      const i64 oidx31 = thread / 8;
      const i64 oidx32 = min_i64(shape0 - 1, oidx4 * 32 + oidx31);
      const float* input0_row = input0 + shape1 * oidx32 + oidx30 * 4;
      #pragma unroll 4
      for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
        row6[ridx18] = oidx30 * 4 + ridx18 < shape1 ? input0_row[ridx18] : 0.0f;
      }
      const bool alu2 = oidx31 < shape1;
      const i64 oidx33 = min_i64(oidx10 - 1, oidx2 * 8 + oidx30);
      const float* input1_row = input1 + shape2 * oidx31 + oidx33 * 4;
      #pragma unroll 4
      for (i64 ridx19 = 0; ridx19 < 4; ++ridx19) {
        row7[ridx19] = (alu2 && oidx33 * 4 + ridx19 < shape2) ? input1_row[ridx19] : 0.0f;
      }
      #pragma unroll 2
      for (i64 ridx20 = 0; ridx20 < 2; ++ridx20) {
        #pragma unroll 2
        for (i64 ridx21 = 0; ridx21 < 2; ++ridx21) {
          row3[thread + ridx20 * 512 + ridx21 * 256] = 0.0f;
        }
      }
      #pragma unroll 4
      for (i64 ridx22 = 0; ridx22 < 4; ++ridx22) {
        row0[oidx31 + oidx30 * 144 + ridx22 * 36] = row6[ridx22];
      }
      copy_16_bytes(row1 + thread * 4, row7);
      __syncthreads();
      for (i64 ridx23 = 0; ridx23 < oidx34; ++ridx23) {
        const i64 oidx35 = min_i64(oidx14 - ridx23 * 8, 8);
        #pragma unroll 1
        for (i64 ridx24 = 0; ridx24 < oidx35; ++ridx24) {
          const i64 oidx36 = ridx24 & 1;
          const i64 oidx45 = (ridx24 + 1) & 1;
          const i64 oidx37 = thread / 64;
          const i64 oidx38 = thread / 8;
          const i64 oidx39 = oidx38 & 3;
          const i64 oidx40 = thread & 7;
          const i64 oidx41 = thread / 32;
          const i64 oidx42 = oidx41 & 1;
          for (i64 ridx26 = 0; ridx26 < 32; ++ridx26) {
            float row8[2] __attribute__((aligned(8)));
            copy_8_bytes(row8, row0 + oidx37 * 8 + oidx39 * 2 + oidx36 * 1152 + ridx26 * 36);
            float row9[2] __attribute__((aligned(8)));
            copy_8_bytes(row9, row1 + oidx40 * 2 + oidx42 * 16 + oidx36 * 1024 + ridx26 * 32);
            #pragma unroll 2
            for (i64 ridx27 = 0; ridx27 < 2; ++ridx27) {
              const float alu3 = row8[ridx27];
              #pragma unroll 2
              for (i64 ridx28 = 0; ridx28 < 2; ++ridx28) {
                acc2[ridx27 * 2 + ridx28] = fma_f32(alu3, row9[ridx28], acc2[ridx27 * 2 + ridx28]);
              }
            }
          }
          float row10[4] __attribute__((aligned(16)));
          float row11[4] __attribute__((aligned(16)));
          const i64 oidx43 = min_i64(shape0 - 1, oidx4 * 32 + oidx38);
          const float* input0_row1 = input0 + shape1 * oidx43 + ridx23 * 256 + ridx24 * 32 + oidx40 * 4;
          #pragma unroll 4
          for (i64 ridx29 = 0; ridx29 < 4; ++ridx29) {
            row10[ridx29] = ridx23 * 256 + ridx24 * 32 + oidx40 * 4 + ridx29 + 33 <= shape1 ? input0_row1[ridx29 + 32] : 0.0f;
          }
          const bool alu4 = ridx23 * 256 + ridx24 * 32 + oidx38 + 33 <= shape1;
          const i64 oidx44 = min_i64(oidx10 - 1, oidx2 * 8 + oidx40);
          const float* input1_row1 = input1 + shape2 * ridx23 * 256 + shape2 * ridx24 * 32 + shape2 * oidx38 + shape2 * 32 + oidx44 * 4;
          #pragma unroll 4
          for (i64 ridx30 = 0; ridx30 < 4; ++ridx30) {
            row11[ridx30] = (alu4 && oidx44 * 4 + ridx30 < shape2) ? input1_row1[ridx30] : 0.0f;
          }
          #pragma unroll 4
          for (i64 ridx31 = 0; ridx31 < 4; ++ridx31) {
            row0[oidx45 * 1152 + oidx38 + oidx40 * 144 + ridx31 * 36] = row10[ridx31];
          }
          copy_16_bytes(row1 + thread * 4 + oidx45 * 1024, row11);
          __syncthreads();
        }
        /* the end of a block of terms */
        #pragma unroll 2
        for (i64 ridx33 = 0; ridx33 < 2; ++ridx33) {
          #pragma unroll 2
          for (i64 ridx34 = 0; ridx34 < 2; ++ridx34) {
            row3[thread + ridx33 * 512 + ridx34 * 256] += acc2[ridx33 * 2 + ridx34];
            acc2[ridx33 * 2 + ridx34] = 0.0f;
          }
        }
      }
    }
    const i64 oidx47 = thread / 64;
    const i64 oidx48 = thread / 8;
    const i64 oidx49 = oidx48 & 3;
    const i64 oidx50 = thread & 7;
    const i64 oidx51 = thread / 32;
    const i64 oidx52 = oidx51 & 1;
    #pragma unroll 2
    for (i64 ridx36 = 0; ridx36 < 2; ++ridx36) {
      float* output0_row = output0 + shape2 * oidx4 * 32 + shape2 * oidx47 * 8 + shape2 * oidx49 * 2 + shape2 * ridx36 + oidx2 * 32 + oidx50 * 2 + oidx52 * 16;
      if (wide1 && oidx4 * 32 + oidx47 * 8 + oidx49 * 2 + ridx36 < shape0 && oidx2 * 32 + oidx50 * 2 + oidx52 * 16 + 2 <= shape2) {
        float row12[2] __attribute__((aligned(8)));
        #pragma unroll 2
        for (i64 ridx37 = 0; ridx37 < 2; ++ridx37) {
          row12[ridx37] = row3[thread + ridx36 * 512 + ridx37 * 256];
        }
        copy_8_bytes(output0 + shape2 * oidx4 * 32 + shape2 * oidx47 * 8 + shape2 * oidx49 * 2 + oidx2 * 32 + oidx50 * 2 + oidx52 * 16 + shape2 * ridx36, row12);
      } else {
        #pragma unroll 2
        for (i64 ridx38 = 0; ridx38 < 2; ++ridx38) {
          if (oidx4 * 32 + oidx47 * 8 + oidx49 * 2 + ridx36 < shape0 && oidx2 * 32 + oidx50 * 2 + oidx52 * 16 + ridx38 < shape2) {
            output0_row[ridx38] = row3[thread + ridx36 * 512 + ridx38 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

