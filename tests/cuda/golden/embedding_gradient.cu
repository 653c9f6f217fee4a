/* harp · graph "embedding_gradient" · target sm_80 · stable, law 7 · 2 kernels
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

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 clamp_index_i32(i32 x, i32 y) {
  const i32 alu0 = x < 0 ? add_i32(x, y) : x;
  const i32 alu1 = alu0 < 0 ? 0 : alu0;
  return alu1 < y ? alu1 : add_i32(y, -1);
}

static __device__ __forceinline__ i32 maximum_i32(i32 x, i32 y) {
  return y < x ? x : y;
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* generation 0 · copy · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0 · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(float* __restrict__ output0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 256000; ridx0 += (i64)gridDim.x * blockDim.x) {
    output0[ridx0] = 0.0f;
  }
}

/* generation 0 · updates · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0 · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_1(const i32* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = (shape0 + 4095) / 4096;
  const i64 oidx5 = (shape0 + 31) / 32;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1000; ridx0 += gridDim.x) {
    __shared__ __align__(16) i32 row0[4224];
    __shared__ __align__(16) i32 row1[128];
    for (i64 ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      if (ridx1 * 4096 + 4096 <= shape0) {
        const i32* input0_row = input0 + ridx1 * 4096 + thread;
        const i64 oidx1 = thread / 32;
        const i64 oidx2 = thread & 31;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          const i64 alu0 = add_i64((i64)clamp_index_i32(input0_row[ridx3 * 256], 1000), -ridx0);
          row0[oidx1 * 33 + oidx2 + ridx3 * 264] = (0ll <= alu0 && alu0 < 1ll) ? (i32)add_i64(alu0, 1ll) : 0;
        }
      } else {
        const i32* input0_row1 = input0 + ridx1 * 4096 + thread;
        const i64 oidx3 = thread / 32;
        const i64 oidx4 = thread & 31;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 4096 + thread + ridx5 * 256 < shape0) {
            const i64 alu1 = add_i64((i64)clamp_index_i32(input0_row1[ridx5 * 256], 1000), -ridx0);
            row0[oidx3 * 33 + oidx4 + ridx5 * 264] = (0ll <= alu1 && alu1 < 1ll) ? (i32)add_i64(alu1, 1ll) : 0;
          } else {
            row0[oidx3 * 33 + oidx4 + ridx5 * 264] = 0;
          }
        }
      }
      __syncthreads();
      if (thread <= 127) {
        i32 acc2 = 0;
        #pragma unroll 32
        for (i64 ridx7 = 0; ridx7 < 32; ++ridx7) {
          acc2 = maximum_i32(acc2, row0[thread * 33 + ridx7]);
        }
        row1[thread] = acc2;
      }
      __syncthreads();
      const i64 oidx6 = min_i64(oidx5 - ridx1 * 128, 128);
      float* output0_row = output0 + thread;
      for (i64 ridx9 = 0; ridx9 < oidx6; ++ridx9) {
        const float* input1_row = input1 + ridx1 * 1048576 + thread + ridx9 * 8192;
        const i64 any0 = (i64)row1[ridx9];
        if (any0 > 0) {
          for (i64 ridx10 = 0; ridx10 < 32; ++ridx10) {
            const i64 mark1 = (i64)row0[ridx9 * 33 + ridx10];
            if (mark1 > 0) {
              output0_row[(ridx0 + mark1 - 1) * 256] += input1_row[ridx10 * 256];
            }
          }
        }
      }
      __syncthreads();
    }
    __syncthreads();
  }
}

