/* harp · graph "running" · target sm_80 · stable, law 9 · 4 kernels
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

static __device__ __forceinline__ i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* a / b, rounded down; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

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
    float* row0_at = row0 + thread * 4;
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
    const i64 oidx0 = thread / 16;
    const i64 oidx1 = thread & 15;
    row1[oidx0 * 17 + oidx1] = alu12;
    __syncthreads();
    if (thread <= 7) {
      float row4[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
        row4[ridx5] = row1[thread * 17 + ridx5];
      }
      #pragma unroll 15
      for (i64 ridx6 = 0; ridx6 < 15; ++ridx6) {
        row4[15 - ridx6] = row4[14 - ridx6] + row4[15 - ridx6];
      }
      #pragma unroll 14
      for (i64 ridx7 = 0; ridx7 < 14; ++ridx7) {
        row4[15 - ridx7] = row4[13 - ridx7] + row4[15 - ridx7];
      }
      #pragma unroll 12
      for (i64 ridx8 = 0; ridx8 < 12; ++ridx8) {
        row4[15 - ridx8] = row4[11 - ridx8] + row4[15 - ridx8];
      }
      #pragma unroll 8
      for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
        row4[15 - ridx9] = row4[7 - ridx9] + row4[15 - ridx9];
      }
      row1[thread * 17] = 0.0f;
      #pragma unroll 15
      for (i64 ridx10 = 0; ridx10 < 15; ++ridx10) {
        row1[thread * 17 + ridx10 + 1] = row4[ridx10];
      }
      row2[thread] = row4[15];
    }
    __syncthreads();
    if (thread == 0) {
      float acc5 = 0.0f;
      #pragma unroll 8
      for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
        row3[ridx12] = acc5;
        acc5 += row2[ridx12];
      }
    }
    __syncthreads();
    const i64 oidx2 = thread / 64;
    const i64 oidx3 = thread / 4;
    const i64 oidx4 = oidx3 & 15;
    const float* input1_row = input1 + ridx0 * 300 + thread;
    float* output0_row = output0 + ridx0 * 300 + thread;
    #pragma unroll 4
    for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
      if (thread + ridx14 * 128 <= 299) {
        const float alu13 = row0[thread + ridx14 * 128] + (row3[oidx2 + ridx14 * 2] + row1[oidx2 * 17 + oidx4 + ridx14 * 34]);
        output0_row[ridx14 * 128] = alu13 * input1_row[ridx14 * 128];
      }
    }
    __syncthreads();
  }
}

/* generation 0 · totals of level 0 · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < max_i64(shape0 - 1, 0) / 4096 * 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    const i64 oidx0 = ridx0 % 10;
    const i64 oidx1 = ridx0 / 10;
    #pragma unroll 1
    for (i64 ridx1 = 0; ridx1 < 32; ++ridx1) {
      if (oidx0 * 32 <= 268) {
        const i64 oidx2 = thread / 32;
        const i64 oidx3 = thread & 31;
        const float* input0_row = input0 + shape0 * 300 + oidx0 * 32 + oidx3 - oidx1 * 1228800 - ridx1 * 38400 - oidx2 * 300;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[-(ridx3 * 2400) - 300];
        }
      } else {
        const i64 oidx4 = thread & 31;
        const i64 oidx5 = thread / 32;
        const float* input0_row1 = input0 + shape0 * 300 + oidx0 * 32 + oidx4 - oidx1 * 1228800 - ridx1 * 38400 - oidx5 * 300;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (oidx0 * 32 + oidx4 <= 299) {
            row0[thread + ridx5 * 256] = input0_row1[-(ridx5 * 2400) - 300];
          } else {
            row0[thread + ridx5 * 256] = 0.0f;
          }
        }
      }
      __syncthreads();
      if (oidx0 * 32 + thread <= 299 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < 16; ++ridx7) {
          float row2[8] __attribute__((aligned(16)));
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            row2[ridx8] = row0[thread + ridx7 * 256 + ridx8 * 32];
          }
          #pragma unroll 8
          for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
            acc1 += row2[ridx9];
          }
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + oidx1 * 300 + oidx0 * 32;
    if (oidx0 * 32 + thread <= 299 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 0 · values of level 1 · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = max_i64(shape0 - 1, 0);
  const i64 oidx1 = oidx0 / 4096;
  const i64 oidx2 = (oidx1 + 127) / 128;
  const i64 oidx7 = (oidx1 + 7) / 8;
  #pragma unroll 1
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx1 && ridx0 * 32 <= 268) {
        const i64 oidx3 = thread / 32;
        const i64 oidx4 = thread & 31;
        const float* input0_row = input0 + ridx0 * 32 + ridx1 * 38400 + oidx3 * 300 + oidx4;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 2400];
        }
      } else {
        const i64 oidx5 = thread / 32;
        const i64 oidx6 = thread & 31;
        const float* input0_row1 = input0 + ridx0 * 32 + ridx1 * 38400 + oidx5 * 300 + oidx6;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx5 + ridx5 * 8 < oidx1 && ridx0 * 32 + oidx6 <= 299) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 2400];
          } else {
            row0[thread + ridx5 * 256] = 0.0f;
          }
        }
      }
      __syncthreads();
      const i64 oidx8 = min_i64(oidx7 - ridx1 * 16, 16);
      if (ridx0 * 32 + thread <= 299 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx8; ++ridx7) {
          float row2[8] __attribute__((aligned(16)));
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            row2[ridx8] = row0[thread + ridx7 * 256 + ridx8 * 32];
          }
          #pragma unroll 8
          for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
            acc1 += row2[ridx9];
            row0[thread + ridx7 * 256 + ridx9 * 32] = acc1;
          }
        }
      }
      __syncthreads();
      if (ridx1 * 128 + 128 <= oidx1 && ridx0 * 32 <= 268) {
        const i64 oidx9 = thread / 32;
        const i64 oidx10 = thread & 31;
        float* output0_row = output0 + ridx0 * 32 + ridx1 * 38400 + oidx9 * 300 + oidx10;
        #pragma unroll 16
        for (i64 ridx11 = 0; ridx11 < 16; ++ridx11) {
          output0_row[ridx11 * 2400] = row0[thread + ridx11 * 256];
        }
      } else {
        const i64 oidx11 = thread / 32;
        const i64 oidx12 = thread & 31;
        float* output0_row1 = output0 + ridx0 * 32 + ridx1 * 38400 + oidx11 * 300 + oidx12;
        #pragma unroll 16
        for (i64 ridx13 = 0; ridx13 < 16; ++ridx13) {
          if (ridx1 * 128 + oidx11 + ridx13 * 8 < oidx1 && ridx0 * 32 + oidx12 <= 299) {
            output0_row1[ridx13 * 2400] = row0[thread + ridx13 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · values · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_3(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 + 4095) / 4096 * 10; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = 0.0f;
    const i64 oidx0 = ridx0 / 10;
    const i64 oidx1 = ridx0 % 10;
    const float* input0_row = input0 + oidx0 * 300 + oidx1 * 32;
    if (oidx0 > 0 && oidx1 * 32 + thread <= 299 && thread <= 31) {
      acc1 = input0_row[thread - 300];
    }
    const i64 oidx2 = min_i64(shape0 - oidx0 * 4096, 4096);
    const i64 oidx3 = floor_div_i64(oidx2 + 127, 128);
    const i64 oidx8 = floor_div_i64(oidx2 + 7, 8);
    #pragma unroll 1
    for (i64 ridx2 = 0; ridx2 < oidx3; ++ridx2) {
      if (oidx1 * 32 <= 268 && ridx2 * 128 + 128 <= oidx2) {
        const i64 oidx4 = thread / 32;
        const i64 oidx5 = thread & 31;
        const float* input1_row = input1 + shape0 * 300 + oidx1 * 32 + oidx5 - oidx0 * 1228800 - ridx2 * 38400 - oidx4 * 300;
        #pragma unroll 16
        for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
          row0[thread + ridx4 * 256] = input1_row[-(ridx4 * 2400) - 300];
        }
      } else {
        const i64 oidx6 = thread & 31;
        const i64 oidx7 = thread / 32;
        const float* input1_row1 = input1 + shape0 * 300 + oidx1 * 32 + oidx6 - oidx0 * 1228800 - ridx2 * 38400 - oidx7 * 300;
        #pragma unroll 16
        for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
          if (oidx1 * 32 + oidx6 <= 299 && ridx2 * 128 + oidx7 + ridx6 * 8 < oidx2) {
            row0[thread + ridx6 * 256] = input1_row1[-(ridx6 * 2400) - 300];
          } else {
            row0[thread + ridx6 * 256] = 0.0f;
          }
        }
      }
      __syncthreads();
      const i64 oidx9 = min_i64(oidx8 - ridx2 * 16, 16);
      if (oidx1 * 32 + thread <= 299 && thread <= 31) {
        for (i64 ridx8 = 0; ridx8 < oidx9; ++ridx8) {
          float row2[8] __attribute__((aligned(16)));
          #pragma unroll 8
          for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
            row2[ridx9] = row0[thread + ridx8 * 256 + ridx9 * 32];
          }
          #pragma unroll 8
          for (i64 ridx10 = 0; ridx10 < 8; ++ridx10) {
            acc1 += row2[ridx10];
            row0[thread + ridx8 * 256 + ridx10 * 32] = acc1;
          }
        }
      }
      __syncthreads();
      if (oidx1 * 32 <= 268 && ridx2 * 128 + 128 <= oidx2) {
        const i64 oidx10 = thread / 32;
        const i64 oidx11 = thread & 31;
        float* output0_row = output0 + shape0 * 300 + oidx1 * 32 + oidx11 - oidx0 * 1228800 - ridx2 * 38400 - oidx10 * 300;
        #pragma unroll 16
        for (i64 ridx12 = 0; ridx12 < 16; ++ridx12) {
          output0_row[-(ridx12 * 2400) - 300] = row0[thread + ridx12 * 256];
        }
      } else {
        const i64 oidx12 = thread & 31;
        const i64 oidx13 = thread / 32;
        float* output0_row1 = output0 + shape0 * 300 + oidx1 * 32 + oidx12 - oidx0 * 1228800 - ridx2 * 38400 - oidx13 * 300;
        #pragma unroll 16
        for (i64 ridx14 = 0; ridx14 < 16; ++ridx14) {
          if (oidx1 * 32 + oidx12 <= 299 && ridx2 * 128 + oidx13 + ridx14 * 8 < oidx2) {
            output0_row1[-(ridx14 * 2400) - 300] = row0[thread + ridx14 * 256];
          }
        }
      }
    }
    __syncthreads();
  }
}

