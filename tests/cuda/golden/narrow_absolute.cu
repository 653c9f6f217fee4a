/* harp · graph "narrow_absolute" · target sm_80 · stable, law 9 · 2 kernels
   x: i16[4096], y: i8[4096] -> p: i16[4096], q: i8[4096]
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

static __device__ __forceinline__ i16 abs_i16(i16 a) { return (i16)(((u16)a ^ (u16)(a >> 15)) + ((u16)a >> 15)); }

static __device__ __forceinline__ i16 add_i16(i16 a, i16 b) { return (i16)((u16)a + (u16)b); }

static __device__ __forceinline__ i16 neg_i16(i16 a) { return (i16)(0u - (u16)a); }

static __device__ __forceinline__ i16 mul_i16(i16 a, i16 b) { return (i16)(1u * (u16)a * (u16)b); }

static __device__ __forceinline__ i16 floor_divide_i16(i16 x, i16 y) {
  const bool alu0 = y == 0;
  const i16 alu1 = (alu0 || (y == -1 && x == -32767 - 1)) ? 1 : y;
  const i16 alu2 = (i16)(x / alu1);
  const i16 alu3 = add_i16(x, neg_i16(mul_i16(alu2, alu1)));
  const i16 alu4 = (alu3 != 0 && (alu3 ^ alu1) < 0) ? add_i16(alu2, -1) : alu2;
  return alu0 ? 0 : alu4;
}

static __device__ __forceinline__ i8 abs_i8(i8 a) { return (i8)(((u8)a ^ (u8)(a >> 7)) + ((u8)a >> 7)); }

static __device__ __forceinline__ i8 add_i8(i8 a, i8 b) { return (i8)((u8)a + (u8)b); }

static __device__ __forceinline__ i8 neg_i8(i8 a) { return (i8)(0u - (u8)a); }

static __device__ __forceinline__ i8 mul_i8(i8 a, i8 b) { return (i8)(1u * (u8)a * (u8)b); }

static __device__ __forceinline__ i8 floor_divide_i8(i8 x, i8 y) {
  const bool alu0 = y == 0;
  const i8 alu1 = (alu0 || (y == -1 && x == -127 - 1)) ? 1 : y;
  const i8 alu2 = (i8)(x / alu1);
  const i8 alu3 = add_i8(x, neg_i8(mul_i8(alu2, alu1)));
  const i8 alu4 = (alu3 != 0 && (alu3 ^ alu1) < 0) ? add_i8(alu2, -1) : alu2;
  return alu0 ? 0 : alu4;
}

/* generation 0 · elementwise over [4096] · elementwise [thread simd=8] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const i16* input0, i16* output0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 2) | (i64)((size_t)output0 % 64 / 2)) & 7ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 512; ridx0 += (i64)gridDim.x * blockDim.x) {
    if (aligned0) {
      i16 row0[8] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 8);
      i16 row1[8] __attribute__((aligned(16)));
      #pragma unroll 8
      for (i64 ridx1 = 0; ridx1 < 8; ++ridx1) {
        const i16 alu0 = abs_i16(row0[ridx1]);
        row1[ridx1] = floor_divide_i16(alu0, alu0);
      }
      copy_16_bytes(output0 + ridx0 * 8, row1);
    } else {
      for (i64 ridx2 = ridx0 * 8; ridx2 < ridx0 * 8 + 8; ++ridx2) {
        const i16 alu1 = abs_i16(input0[ridx2]);
        output0[ridx2] = floor_divide_i16(alu1, alu1);
      }
    }
  }
}

/* generation 0 · elementwise over [4096] · elementwise [thread simd=16] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const i8* input0, i8* output0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 1) | (i64)((size_t)output0 % 64 / 1)) & 15ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 256; ridx0 += (i64)gridDim.x * blockDim.x) {
    if (aligned0) {
      i8 row0[16] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 16);
      i8 row1[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
        const i8 alu0 = abs_i8(row0[ridx1]);
        row1[ridx1] = floor_divide_i8(alu0, alu0);
      }
      copy_16_bytes(output0 + ridx0 * 16, row1);
    } else {
      for (i64 ridx2 = ridx0 * 16; ridx2 < ridx0 * 16 + 16; ++ridx2) {
        const i8 alu1 = abs_i8(input0[ridx2]);
        output0[ridx2] = floor_divide_i8(alu1, alu1);
      }
    }
  }
}

