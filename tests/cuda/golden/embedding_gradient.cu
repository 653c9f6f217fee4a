/* harp · graph "embedding_gradient" · target sm_80 · stable, law 7 · 1 kernel
   table: f32[1000, 256], words: i32[n], g: f32[n, 256] -> dtable: f32[1000, 256]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 clamp_index_i32(i32 x, i32 y) {
  const i32 alu0 = x < 0 ? add_i32(x, y) : x;
  const i32 alu1 = alu0 < 0 ? 0 : alu0;
  return alu1 < y ? alu1 : add_i32(y, -1);
}

/* generation 0 · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0 · scatter [scatter, sequential] */
extern "C" __global__ void __launch_bounds__(1) kernel_0(float* __restrict__ output0, const float* __restrict__ input0, const i32* __restrict__ input1, i64 shape0) {
  for (i64 ridx0 = 0; ridx0 < 256000; ++ridx0) {
    output0[ridx0] = 0.0f;
  }
  for (i64 ridx1 = 0; ridx1 < shape0; ++ridx1) {
    const float* input0_row = input0 + ridx1 * 256;
    const i32 alu0 = clamp_index_i32(input1[ridx1], 1000);
    for (i64 ridx2 = 0; ridx2 < 256; ++ridx2) {
      output0[(i64)alu0 * 256 + ridx2] += input0_row[ridx2];
    }
  }
}

