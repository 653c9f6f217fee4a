/* harp · graph "reshaped" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n, 6] -> y: f32[3, n, 2]
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

/* a / b, rounded down, for a >= 0. reciprocal is 2^(63 + k) / b, rounded up, where 2^k is the least power of two that is
   at least b; with it the result is exact. */
static __device__ __forceinline__ i64 quotient(i64 a, i64 b, u64 reciprocal) {
  const i64 k = (64 - __clzll(b - 1)) & 63;
  return (i64)(__umul64hi((u64)a << 1, reciprocal) >> k);
}

static __device__ __forceinline__ i64 remainder(i64 a, i64 b, u64 reciprocal) { return a - quotient(a, b, reciprocal) * b; }

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

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

/* generation 0 · elementwise over [3, n, 2] · elementwise [thread, thread, thread simd=4] · reciprocal0 = reciprocal(2*n) */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0, u64 reciprocal0) {
  const bool aligned0 = ((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 + (shape0 + 1) / 2; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx2 = min_i64(shape0 * 6, ridx0 * 4 + 4);
    if (ridx0 * 4 + 4 <= shape0 * 6 && aligned0) {
      float row0[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        const i64 oidx0 = quotient(ridx0 * 4 + ridx1, shape0 * 2, reciprocal0);
        const i64 oidx1 = remainder(ridx0 * 4 + ridx1, shape0 * 2, reciprocal0);
        row0[ridx1] = exp_f32(-input0[oidx0 + oidx1 * 3]);
      }
      copy_16_bytes(output0 + ridx0 * 4, row0);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < oidx2; ++ridx2) {
        const i64 oidx3 = quotient(ridx2, shape0 * 2, reciprocal0);
        const i64 oidx4 = remainder(ridx2, shape0 * 2, reciprocal0);
        output0[ridx2] = exp_f32(-input0[oidx3 + oidx4 * 3]);
      }
    }
  }
}

