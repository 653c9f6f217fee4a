/* harp · graph "padded_difference" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n] -> d: f32[n]
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

/* generation 0 · elementwise over [n] · elementwise [thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const bool aligned0 = ((i64)((size_t)output0 % 64 / 4) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 + 3) / 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const float* input0_row = input0 + ridx0 * 4;
    const i64 oidx0 = min_i64(shape0, ridx0 * 4 + 4);
    if (ridx0 * 4 + 4 <= shape0 && aligned0) {
      float row0[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row0[ridx1] = (ridx0 * 4 + ridx1 + 2 <= shape0 ? input0_row[ridx1 + 1] : 0.0f) - (ridx0 * 4 + ridx1 > 0 ? input0_row[ridx1 - 1] : 0.0f);
      }
      copy_16_bytes(output0 + ridx0 * 4, row0);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = (ridx2 + 2 <= shape0 ? input0[ridx2 + 1] : 0.0f) - (ridx2 > 0 ? input0[ridx2 - 1] : 0.0f);
      }
    }
  }
}

