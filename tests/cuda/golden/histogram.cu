/* harp · graph "histogram" · target sm_80 · stable, law 9 · 4 kernels
   bins: i32[256], values: i32[n], weights: i32[n], latest: i64[m, 3], users: i32[k, 3], times: i64[k, 3] -> counts: i32[256], last: i64[m, 3]
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

/* generation 0 · copy · scatter over [256] · scatter_add of [n] to [256] axis 0 · scatter [thread_group] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const i32* __restrict__ input0, i32* __restrict__ output0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 256; ridx0 += (i64)gridDim.x * blockDim.x) {
    output0[ridx0] = input0[ridx0];
  }
}

/* generation 0 · updates · scatter over [256] · scatter_add of [n] to [256] axis 0 · scatter [thread_group] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const i32* __restrict__ input0, const i32* __restrict__ input1, i32* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0; ridx0 += (i64)gridDim.x * blockDim.x) {
    atomicAdd(output0 + clamp_index_i32(input0[ridx0], 256), input1[ridx0]);
  }
}

/* generation 0 · copy · scatter over [m, 3] · scatter_max of [k, 3] to [m, 3] axis 0 · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(const i64* __restrict__ input0, i64* __restrict__ output0, i64 shape1) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape1 * 3; ridx0 += (i64)gridDim.x * blockDim.x) {
    output0[ridx0] = input0[ridx0];
  }
}

/* generation 0 · updates · scatter over [m, 3] · scatter_max of [k, 3] to [m, 3] axis 0 · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const i32* __restrict__ input0, const i64* __restrict__ input1, i64* __restrict__ output0, i64 shape1, i64 shape2) {
  const i32 alu0 = (i32)shape1;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape2 * 3; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 % 3;
    if (shape1 > 0) {
      atomicMax(output0 + (i64)clamp_index_i32(input0[ridx0], alu0) * 3 + oidx0, input1[ridx0]);
    }
  }
}

