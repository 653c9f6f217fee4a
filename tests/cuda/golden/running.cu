/* harp · graph "running" · target sm_80 · stable, law 7 · 2 kernels
   x: f32[n, 300], w: f32[n, 300] -> rows: f32[n, 300], columns: f32[n, 300]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* generation 0 · values · scan over [n, 300] · cumsum of [n, 300] axis 1 tree · scan [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[512];
    __shared__ __align__(16) float row1[136];
    __shared__ __align__(16) float row2[8];
    __shared__ __align__(16) float row3[8];
    const float* input0_row = input0 + ridx0 * 300 + thread;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      if (thread + ridx2 * 128 <= 299) {
        const float alu0 = input0_row[ridx2 * 128];
        row0[thread + ridx2 * 128] = alu0 * alu0;
      } else {
        row0[thread + ridx2 * 128] = 0.0f;
      }
    }
    __syncthreads();
    const i64 oidx0 = thread / 16;
    const i64 oidx1 = thread & 15;
    #pragma unroll 1
    for (i64 ridx4 = 0; ridx4 < 1; ++ridx4) {
      float* row0_at = row0 + thread * 4 + ridx4 * 512;
      const float alu1 = row0_at[0];
      const float alu2 = row0_at[1];
      const float alu3 = alu1 + alu2;
      const float alu4 = row0_at[2];
      const float alu5 = row0_at[3];
      row0_at[3] = alu3 + (alu4 + alu5);
      const float alu6 = row0_at[0];
      const float alu7 = row0_at[1];
      const float alu8 = row0_at[2];
      row0_at[2] = alu6 + (alu7 + alu8);
      const float alu9 = row0_at[0];
      const float alu10 = row0_at[1];
      const float alu11 = alu9 + alu10;
      row0_at[1] = alu11;
      const float alu12 = row0_at[3];
      row1[oidx0 * 17 + oidx1 + ridx4 * 136] = alu12;
    }
    __syncthreads();
    if (thread <= 7) {
      float row4[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
        row4[ridx6] = row1[thread * 17 + ridx6];
      }
      #pragma unroll 15
      for (i64 ridx7 = 0; ridx7 < 15; ++ridx7) {
        float* row4_at = row4 + -ridx7;
        row4_at[15] = row4_at[14] + row4_at[15];
      }
      #pragma unroll 14
      for (i64 ridx8 = 0; ridx8 < 14; ++ridx8) {
        float* row4_at1 = row4 + -ridx8;
        row4_at1[15] = row4_at1[13] + row4_at1[15];
      }
      #pragma unroll 12
      for (i64 ridx9 = 0; ridx9 < 12; ++ridx9) {
        float* row4_at2 = row4 + -ridx9;
        row4_at2[15] = row4_at2[11] + row4_at2[15];
      }
      #pragma unroll 8
      for (i64 ridx10 = 0; ridx10 < 8; ++ridx10) {
        float* row4_at3 = row4 + -ridx10;
        row4_at3[15] = row4_at3[7] + row4_at3[15];
      }
      row1[thread * 17] = 0.0f;
      #pragma unroll 15
      for (i64 ridx11 = 0; ridx11 < 15; ++ridx11) {
        row1[thread * 17 + ridx11 + 1] = row4[ridx11];
      }
      row2[thread] = row4[15];
    }
    __syncthreads();
    if (thread == 0) {
      float acc5 = 0.0f;
      #pragma unroll 8
      for (i64 ridx13 = 0; ridx13 < 8; ++ridx13) {
        row3[ridx13] = acc5;
        acc5 += row2[ridx13];
      }
    }
    __syncthreads();
    const i64 oidx2 = thread / 64;
    const i64 oidx3 = thread / 4;
    const i64 oidx4 = oidx3 & 15;
    const float* input1_row = input1 + ridx0 * 300 + thread;
    float* output0_row = output0 + ridx0 * 300 + thread;
    #pragma unroll 4
    for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
      if (thread + ridx15 * 128 <= 299) {
        const float alu13 = row0[thread + ridx15 * 128] + (row3[oidx2 + ridx15 * 2] + row1[oidx2 * 17 + oidx4 + ridx15 * 34]);
        output0_row[ridx15 * 128] = alu13 * input1_row[ridx15 * 128];
      }
    }
    __syncthreads();
  }
}

/* generation 0 · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [scan, thread tile=1] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = (shape0 + 4095) / 4096;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 300; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc2 = 0.0f;
    const float* input0_row = input0 + shape0 * 300 + ridx0;
    float* output0_row = output0 + shape0 * 300 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      acc0 = acc2;
      const i64 oidx1 = min_i64(oidx0 - ridx1 - 2, ridx1 - 1);
      const i64 oidx2 = min_i64(shape0, ridx1 * 4096 + 4096);
      if (oidx1 >= 0) {
        float acc1 = 0.0f;
        for (i64 ridx2 = ridx1 * 4096; ridx2 < oidx2; ++ridx2) {
          const float alu0 = input0_row[-(ridx2 * 300) - 300];
          acc0 += alu0;
          acc1 += alu0;
          output0_row[-(ridx2 * 300) - 300] = acc0;
        }
        acc2 += acc1;
      } else {
        for (i64 ridx3 = ridx1 * 4096; ridx3 < oidx2; ++ridx3) {
          acc0 += input0_row[-(ridx3 * 300) - 300];
          output0_row[-(ridx3 * 300) - 300] = acc0;
        }
        acc2 += acc0;
      }
    }
  }
}

