/* harp · graph "joined" · target sm_80 · stable, law 9 · 2 kernels
   x: f32[n, 4], y: f32[k, 4] -> r: f32[2*n + k, 4]
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

/* generation 0 · elementwise over [n, 4] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  const bool aligned0 = ((((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) | (i64)((size_t)output1 % 64 / 4)) & 3ll) == 0ll;
  const float* input0_row1 = input0 + shape0 * 4;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0; ridx0 += (i64)gridDim.x * blockDim.x) {
    const float* input0_row = input0 + shape0 * 4 - ridx0 * 4;
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      float row2[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = input0_row[ridx1 - 4];
        row2[ridx1] = row0[ridx1];
      }
      copy_16_bytes(output1 + ridx0 * 4, row2);
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        const float alu0 = input0[ridx2];
        const i64 oidx0 = ridx2 / 4;
        const i64 oidx1 = ridx2 & 3;
        output0[ridx2] = input0_row1[oidx1 - oidx0 * 4 - 4];
        output1[ridx2] = alu0;
      }
    }
  }
}

/* generation 0 · elementwise over [k, 4] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape1) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape1; ridx0 += (i64)gridDim.x * blockDim.x) {
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = row0[ridx1];
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        output0[ridx2] = input0[ridx2];
      }
    }
  }
}

