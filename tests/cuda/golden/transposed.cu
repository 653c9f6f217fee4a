/* harp · graph "transposed" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n, m], b: f32[m] -> y: f32[m, n], z: f32[m, n]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

/* a / b, rounded down, for a >= 0. reciprocal is 2^(63 + k) / b, rounded up, where 2^k is the least power of two that is
   at least b; with it the result is exact. */
static __device__ __forceinline__ i64 quotient(i64 a, i64 b, u64 reciprocal) {
  const i64 k = (64 - __clzll(b - 1)) & 63;
  return (i64)(__umul64hi((u64)a << 1, reciprocal) >> k);
}

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 neg_i32(i32 a) { return (i32)(0u - (u32)a); }

static __device__ __forceinline__ float scale_f32(float x, float y) {
  const i32 alu0 = add_i32(__float_as_int(y), -1262485504);
  const i32 alu1 = alu0 >> 1;
  const float alu2 = __int_as_float(add_i32(add_i32(alu0, neg_i32(alu1)), 127) << 23);
  return x * __int_as_float(add_i32(alu1, 127) << 23) * alu2;
}

static __device__ __forceinline__ float exp_f32(float x) {
  const float alu0 = 89.0f < x ? 89.0f : x;
  const float alu1 = alu0 < -104.0f ? -104.0f : alu0;
  const float alu2 = fma_f32(alu1, 1.442695f, 12582912.0f);
  const float alu3 = alu2 - 12582912.0f;
  const float alu4 = fma_f32(alu3, -0.69314575f, alu1);
  const float alu5 = alu3 * -1.4286068e-06f;
  const float alu6 = alu4 + alu5;
  const float alu7 = fma_f32(fma_f32(fma_f32(0.001391077f, alu6, 0.008363099f), alu6, 0.04166671f), alu6, 0.16666578f);
  const float alu8 = fma_f32(alu6 * alu6, fma_f32(alu7, alu6, 0.5f), alu5);
  return scale_f32(1.0f + (alu4 + alu8), alu2);
}

/* generation 0 · transpose over [m, n] · transpose [thread tile=32, thread_group tile=32] · reciprocal0 = reciprocal((n + 31) // 32) */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, const float* __restrict__ input1, float* __restrict__ output1, i64 shape0, i64 shape1, u64 reciprocal0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = (shape0 + 31) / 32;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0 * ((shape1 + 31) / 32); ridx0 += gridDim.x) {
    const i64 oidx1 = quotient(ridx0, oidx0, reciprocal0);
    const i64 quotient0 = oidx1;
    const i64 remainder1 = ridx0 - oidx0 * quotient0;
    __shared__ __align__(16) float row0[1056];
    if (remainder1 * 32 + 32 <= shape0 && quotient0 * 32 + 32 <= shape1) {
      const i64 oidx2 = thread / 32;
      const i64 oidx3 = thread & 31;
      const float* input0_row = input0 + shape1 * remainder1 * 32 + shape1 * oidx2 + quotient0 * 32 + oidx3;
      #pragma unroll 4
      for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
        row0[oidx2 * 33 + oidx3 + ridx2 * 264] = input0_row[shape1 * ridx2 * 8];
      }
      __syncthreads();
      const i64 oidx4 = thread / 32;
      const float* input1_row = input1 + quotient0 * 32 + oidx4;
      const i64 oidx5 = thread & 31;
      float* output0_row = output0 + shape0 * quotient0 * 32 + shape0 * oidx4 + remainder1 * 32 + oidx5;
      float* output1_row = output1 + shape0 * quotient0 * 32 + shape0 * oidx4 + remainder1 * 32 + oidx5;
      #pragma unroll 4
      for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
        const float alu0 = input1_row[ridx4 * 8];
        const float alu1 = row0[oidx4 + oidx5 * 33 + ridx4 * 8];
        output0_row[shape0 * ridx4 * 8] = alu1;
        output1_row[shape0 * ridx4 * 8] = exp_f32(alu1) * alu0;
      }
    } else {
      const i64 oidx6 = thread / 32;
      const i64 oidx7 = thread & 31;
      const float* input0_row1 = input0 + shape1 * remainder1 * 32 + shape1 * oidx6 + quotient0 * 32 + oidx7;
      #pragma unroll 4
      for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
        if (remainder1 * 32 + oidx6 + ridx6 * 8 < shape0 && quotient0 * 32 + oidx7 < shape1) {
          row0[oidx6 * 33 + oidx7 + ridx6 * 264] = input0_row1[shape1 * ridx6 * 8];
        }
      }
      __syncthreads();
      const i64 oidx8 = thread & 31;
      const i64 oidx9 = thread / 32;
      const float* input1_row1 = input1 + quotient0 * 32 + oidx9;
      float* output0_row1 = output0 + shape0 * quotient0 * 32 + shape0 * oidx9 + remainder1 * 32 + oidx8;
      float* output1_row1 = output1 + shape0 * quotient0 * 32 + shape0 * oidx9 + remainder1 * 32 + oidx8;
      #pragma unroll 4
      for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
        if (remainder1 * 32 + oidx8 < shape0 && quotient0 * 32 + oidx9 + ridx8 * 8 < shape1) {
          const float alu2 = input1_row1[ridx8 * 8];
          const float alu3 = row0[oidx9 + oidx8 * 33 + ridx8 * 8];
          output0_row1[shape0 * ridx8 * 8] = alu3;
          output1_row1[shape0 * ridx8 * 8] = exp_f32(alu3) * alu2;
        }
      }
    }
    __syncthreads();
  }
}

