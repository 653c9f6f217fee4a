/* harp · graph "integers" · target sm_80 · stable, law 9 · 1 kernel
   a: i32[n], b: i32[n], x: f64[n] -> s: i32[n]
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

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Both addresses are multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes(void* to, const void* from) { *(bytes8*)to = *(const bytes8*)from; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 neg_i32(i32 a) { return (i32)(0u - (u32)a); }

static __device__ __forceinline__ i32 mul_i32(i32 a, i32 b) { return (i32)(1u * (u32)a * (u32)b); }

static __device__ __forceinline__ i32 floor_divide_i32(i32 x, i32 y) {
  const bool alu0 = y == 0;
  const i32 alu1 = (alu0 || (y == -1 && x == -2147483647 - 1)) ? 1 : y;
  const i32 alu2 = x / alu1;
  const i32 alu3 = add_i32(x, neg_i32(mul_i32(alu2, alu1)));
  const i32 alu4 = (alu3 != 0 && (alu3 ^ alu1) < 0) ? add_i32(alu2, -1) : alu2;
  return alu0 ? 0 : alu4;
}

static __device__ __forceinline__ i32 remainder_i32(i32 x, i32 y) {
  const bool alu0 = y == 0 || (y == -1 && x == -2147483647 - 1);
  const i32 alu1 = alu0 ? 0 : x % (alu0 ? 1 : y);
  return (alu1 != 0 && (alu1 ^ y) < 0) ? add_i32(alu1, y) : alu1;
}

static __device__ __forceinline__ i32 left_shift_i32(i32 a, i32 b) { return (i32)((u32)a << (b & 31)); }

/* Truncates and saturates; NaN gives 0. */
static __device__ __forceinline__ i32 to_i32_f64(double x) {
  if (x != x || (x > -1 && x < 1)) return 0;
  return x >= 0x1p31 ? 2147483647 : x < -0x1p31 ? -2147483647 - 1 : (i32)x;
}

/* generation 0 · elementwise over [n] · elementwise [thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const i32* input0, const i32* input1, const double* __restrict__ input2, i32* output0, i64 shape0) {
  const bool aligned0 = (((((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)input1 % 64 / 4)) | (i64)((size_t)input2 % 64 / 8)) | (i64)((size_t)output0 % 64 / 4)) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 + 1) / 2; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = min_i64(shape0, ridx0 * 2 + 2);
    if (ridx0 * 2 + 2 <= shape0 && aligned0) {
      i32 row0[2] __attribute__((aligned(8)));
      copy_8_bytes(row0, input0 + ridx0 * 2);
      i32 row1[2] __attribute__((aligned(8)));
      copy_8_bytes(row1, input1 + ridx0 * 2);
      double row2[2] __attribute__((aligned(16)));
      copy_16_bytes(row2, input2 + ridx0 * 2);
      i32 row3[2] __attribute__((aligned(8)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        const i32 alu0 = row0[ridx1];
        const i32 alu1 = row1[ridx1];
        const i32 alu2 = floor_divide_i32(alu0, alu1);
        row3[ridx1] = alu2 < remainder_i32(alu0, alu1) ? left_shift_i32(alu0, alu1) : add_i32(alu2, to_i32_f64(row2[ridx1]));
      }
      copy_8_bytes(output0 + ridx0 * 2, row3);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < oidx0; ++ridx2) {
        const i32 alu3 = input0[ridx2];
        const i32 alu4 = input1[ridx2];
        const i32 alu5 = floor_divide_i32(alu3, alu4);
        output0[ridx2] = alu5 < remainder_i32(alu3, alu4) ? left_shift_i32(alu3, alu4) : add_i32(alu5, to_i32_f64(input2[ridx2]));
      }
    }
  }
}

