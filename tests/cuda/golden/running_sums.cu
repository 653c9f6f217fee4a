/* harp · graph "running_sums" · target sm_80 · stable, law 9 · 4 kernels
   x: f32[n, 1000000], rows: f64[n, 512] -> y: f32[n, 1000000], z: f64[n, 512]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ double fma_f64(double a, double b, double c) { return __fma_rn(a, b, c); }

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 neg_i64(i64 a) { return (i64)(0u - (u64)a); }

static __device__ __forceinline__ double scale_f64(double x, double y) {
  const i64 alu0 = add_i64(__double_as_longlong(y), -4843621399236968448ll);
  const i64 alu1 = alu0 >> 1ll;
  const double alu2 = __longlong_as_double(add_i64(add_i64(alu0, neg_i64(alu1)), 1023ll) << 52ll);
  return x * __longlong_as_double(add_i64(alu1, 1023ll) << 52ll) * alu2;
}

static __device__ __forceinline__ double exp_f64(double x) {
  const double alu0 = 710.0 < x ? 710.0 : x;
  const double alu1 = alu0 < -746.0 ? -746.0 : alu0;
  const double alu2 = fma_f64(alu1, 1.4426950408889634, 6755399441055744.0);
  const double alu3 = alu2 - 6755399441055744.0;
  const double alu4 = fma_f64(alu3, -0.6931471805599453, alu1);
  const double alu5 = alu3 * -2.3190468138462996e-17;
  const double alu6 = alu4 + alu5;
  const double alu7 = fma_f64(fma_f64(fma_f64(1.664012668869289e-10, alu6, 2.092344608646773e-09), alu6, 2.504989464289795e-08), alu6, 2.755724606171109e-07);
  const double alu8 = fma_f64(fma_f64(fma_f64(alu7, alu6, 2.755732251971936e-06), alu6, 2.4801587356340883e-05), alu6, 0.00019841269838937153);
  const double alu9 = fma_f64(fma_f64(fma_f64(alu8, alu6, 0.0013888888888869534), alu6, 0.008333333333334103), alu6, 0.04166666666666669);
  const double alu10 = fma_f64(alu6 * alu6, fma_f64(fma_f64(alu9, alu6, 0.16666666666666666), alu6, 0.5), alu5);
  return scale_f64(1.0 + (alu4 + alu10), alu2);
}

/* generation 0 · totals of level 0 · scan over [n, 1000000] · cumsum of [n, 1000000] axis 1 tree · scan [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 244; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    __shared__ __align__(16) float row1[1088];
    __shared__ __align__(16) float row2[64];
    const i64 oidx0 = ridx0 / 244;
    const float* input0_row = input0 + ridx0 * 4096 + oidx0 * 576 + thread;
    #pragma unroll 16
    for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
      row0[thread + ridx2 * 256] = input0_row[ridx2 * 256];
    }
    __syncthreads();
    const i64 oidx1 = thread / 16;
    const i64 oidx2 = thread & 15;
    #pragma unroll 4
    for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
      float* row0_at = row0 + thread * 4 + ridx4 * 1024;
      const float alu0 = row0_at[0];
      const float alu1 = row0_at[1];
      const float alu2 = alu0 + alu1;
      const float alu3 = row0_at[2];
      const float alu4 = row0_at[3];
      row0_at[3] = alu2 + (alu3 + alu4);
      const float alu5 = row0_at[0];
      const float alu6 = row0_at[1];
      const float alu7 = row0_at[2];
      row0_at[2] = alu5 + (alu6 + alu7);
      const float alu8 = row0_at[0];
      const float alu9 = row0_at[1];
      const float alu10 = alu8 + alu9;
      row0_at[1] = alu10;
      const float alu11 = row0_at[3];
      row1[oidx1 * 17 + oidx2 + ridx4 * 272] = alu11;
    }
    __syncthreads();
    if (thread <= 63) {
      float row3[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx6 = 0; ridx6 < 16; ++ridx6) {
        row3[ridx6] = row1[thread * 17 + ridx6];
      }
      #pragma unroll 15
      for (i64 ridx7 = 0; ridx7 < 15; ++ridx7) {
        row3[15 - ridx7] = row3[14 - ridx7] + row3[15 - ridx7];
      }
      #pragma unroll 14
      for (i64 ridx8 = 0; ridx8 < 14; ++ridx8) {
        row3[15 - ridx8] = row3[13 - ridx8] + row3[15 - ridx8];
      }
      #pragma unroll 12
      for (i64 ridx9 = 0; ridx9 < 12; ++ridx9) {
        row3[15 - ridx9] = row3[11 - ridx9] + row3[15 - ridx9];
      }
      #pragma unroll 8
      for (i64 ridx10 = 0; ridx10 < 8; ++ridx10) {
        row3[15 - ridx10] = row3[7 - ridx10] + row3[15 - ridx10];
      }
      row2[thread] = row3[15];
    }
    __syncthreads();
    float* output0_row = output0 + ridx0;
    if (thread == 0) {
      float acc4 = 0.0f;
      #pragma unroll 64
      for (i64 ridx12 = 0; ridx12 < 64; ++ridx12) {
        acc4 += row2[ridx12];
      }
      output0_row[0] = acc4;
    }
    __syncthreads();
  }
}

/* generation 0 · values of level 1 · scan over [n, 1000000] · cumsum of [n, 1000000] axis 1 tree · scan [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(64, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[256];
    __shared__ __align__(16) float row1[68];
    __shared__ __align__(16) float row2[4];
    __shared__ __align__(16) float row3[4];
    const float* input0_row = input0 + ridx0 * 244 + thread;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      if (thread + ridx2 * 64 <= 243) {
        row0[thread + ridx2 * 64] = input0_row[ridx2 * 64];
      } else {
        row0[thread + ridx2 * 64] = 0.0f;
      }
    }
    __syncthreads();
    float* row0_at = row0 + thread * 4;
    const float alu0 = row0_at[0];
    const float alu1 = row0_at[1];
    const float alu2 = alu0 + alu1;
    const float alu3 = row0_at[2];
    const float alu4 = row0_at[3];
    row0_at[3] = alu2 + (alu3 + alu4);
    const float alu5 = row0_at[0];
    const float alu6 = row0_at[1];
    const float alu7 = row0_at[2];
    row0_at[2] = alu5 + (alu6 + alu7);
    const float alu8 = row0_at[0];
    const float alu9 = row0_at[1];
    const float alu10 = alu8 + alu9;
    row0_at[1] = alu10;
    const float alu11 = row0_at[3];
    const i64 oidx0 = thread / 16;
    const i64 oidx1 = thread & 15;
    row1[oidx0 * 17 + oidx1] = alu11;
    __syncthreads();
    if (thread <= 3) {
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
      #pragma unroll 4
      for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
        row3[ridx12] = acc5;
        acc5 += row2[ridx12];
      }
    }
    __syncthreads();
    const i64 oidx2 = thread / 4;
    float* output0_row = output0 + ridx0 * 244 + thread;
    #pragma unroll 4
    for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
      if (thread + ridx14 * 64 <= 243) {
        output0_row[ridx14 * 64] = row0[thread + ridx14 * 64] + (row3[ridx14] + row1[oidx2 + ridx14 * 17]);
      }
    }
    __syncthreads();
  }
}

/* generation 0 · values · scan over [n, 1000000] · cumsum of [n, 1000000] axis 1 tree · scan [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_2(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 245; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    __shared__ __align__(16) float row1[1088];
    __shared__ __align__(16) float row2[64];
    __shared__ __align__(16) float row3[64];
    const i64 oidx0 = ridx0 / 245;
    if (ridx0 * 4096 <= oidx0 * 1003520 + 995904) {
      const float* input0_row = input0 + ridx0 * 4096 + thread - oidx0 * 3520;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        row0[thread + ridx2 * 256] = input0_row[ridx2 * 256];
      }
    } else {
      const float* input0_row1 = input0 + ridx0 * 4096 + thread - oidx0 * 3520;
      #pragma unroll 16
      for (i64 ridx4 = 0; ridx4 < 16; ++ridx4) {
        if (ridx0 * 4096 + thread + ridx4 * 256 <= oidx0 * 1003520 + 999999) {
          row0[thread + ridx4 * 256] = input0_row1[ridx4 * 256];
        } else {
          row0[thread + ridx4 * 256] = 0.0f;
        }
      }
    }
    __syncthreads();
    const i64 oidx1 = thread / 16;
    const i64 oidx2 = thread & 15;
    #pragma unroll 4
    for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
      float* row0_at = row0 + thread * 4 + ridx6 * 1024;
      const float alu0 = row0_at[0];
      const float alu1 = row0_at[1];
      const float alu2 = alu0 + alu1;
      const float alu3 = row0_at[2];
      const float alu4 = row0_at[3];
      row0_at[3] = alu2 + (alu3 + alu4);
      const float alu5 = row0_at[0];
      const float alu6 = row0_at[1];
      const float alu7 = row0_at[2];
      row0_at[2] = alu5 + (alu6 + alu7);
      const float alu8 = row0_at[0];
      const float alu9 = row0_at[1];
      const float alu10 = alu8 + alu9;
      row0_at[1] = alu10;
      const float alu11 = row0_at[3];
      row1[oidx1 * 17 + oidx2 + ridx6 * 272] = alu11;
    }
    __syncthreads();
    if (thread <= 63) {
      float row4[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx8 = 0; ridx8 < 16; ++ridx8) {
        row4[ridx8] = row1[thread * 17 + ridx8];
      }
      #pragma unroll 15
      for (i64 ridx9 = 0; ridx9 < 15; ++ridx9) {
        row4[15 - ridx9] = row4[14 - ridx9] + row4[15 - ridx9];
      }
      #pragma unroll 14
      for (i64 ridx10 = 0; ridx10 < 14; ++ridx10) {
        row4[15 - ridx10] = row4[13 - ridx10] + row4[15 - ridx10];
      }
      #pragma unroll 12
      for (i64 ridx11 = 0; ridx11 < 12; ++ridx11) {
        row4[15 - ridx11] = row4[11 - ridx11] + row4[15 - ridx11];
      }
      #pragma unroll 8
      for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
        row4[15 - ridx12] = row4[7 - ridx12] + row4[15 - ridx12];
      }
      row1[thread * 17] = 0.0f;
      #pragma unroll 15
      for (i64 ridx13 = 0; ridx13 < 15; ++ridx13) {
        row1[thread * 17 + ridx13 + 1] = row4[ridx13];
      }
      row2[thread] = row4[15];
    }
    __syncthreads();
    const float* input1_row = input1 + ridx0 - oidx0;
    if (thread == 0) {
      float acc5 = 0.0f;
      if (oidx0 * 245 < ridx0) {
        acc5 = input1_row[-1];
      }
      #pragma unroll 64
      for (i64 ridx15 = 0; ridx15 < 64; ++ridx15) {
        row3[ridx15] = acc5;
        acc5 += row2[ridx15];
      }
    }
    __syncthreads();
    if (ridx0 * 4096 <= oidx0 * 1003520 + 995904) {
      const i64 oidx3 = thread / 64;
      const i64 oidx4 = thread / 4;
      const i64 oidx5 = oidx4 & 15;
      float* output0_row = output0 + ridx0 * 4096 + thread - oidx0 * 3520;
      #pragma unroll 16
      for (i64 ridx17 = 0; ridx17 < 16; ++ridx17) {
        output0_row[ridx17 * 256] = row0[thread + ridx17 * 256] + (row3[oidx3 + ridx17 * 4] + row1[oidx3 * 17 + oidx5 + ridx17 * 68]);
      }
    } else {
      const i64 oidx6 = thread / 64;
      const i64 oidx7 = thread / 4;
      const i64 oidx8 = oidx7 & 15;
      float* output0_row1 = output0 + ridx0 * 4096 + thread - oidx0 * 3520;
      #pragma unroll 16
      for (i64 ridx19 = 0; ridx19 < 16; ++ridx19) {
        if (ridx0 * 4096 + thread + ridx19 * 256 <= oidx0 * 1003520 + 999999) {
          output0_row1[ridx19 * 256] = row0[thread + ridx19 * 256] + (row3[oidx6 + ridx19 * 4] + row1[oidx6 * 17 + oidx8 + ridx19 * 68]);
        }
      }
    }
    __syncthreads();
  }
}

/* generation 0 · values · scan over [n, 512] · cumprod of [n, 512] axis 1 tree · scan [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_3(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[512];
    __shared__ __align__(16) double row1[136];
    __shared__ __align__(16) double row2[8];
    __shared__ __align__(16) double row3[8];
    const double* input0_row = input0 + ridx0 * 512 + thread;
    #pragma unroll 4
    for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
      row0[thread + ridx2 * 128] = exp_f64(input0_row[ridx2 * 128]);
    }
    __syncthreads();
    double* row0_at = row0 + thread * 4;
    const double alu0 = row0_at[0];
    const double alu1 = row0_at[1];
    const double alu2 = alu0 * alu1;
    const double alu3 = row0_at[2];
    const double alu4 = row0_at[3];
    row0_at[3] = alu2 * (alu3 * alu4);
    const double alu5 = row0_at[0];
    const double alu6 = row0_at[1];
    const double alu7 = row0_at[2];
    row0_at[2] = alu5 * (alu6 * alu7);
    const double alu8 = row0_at[0];
    const double alu9 = row0_at[1];
    const double alu10 = alu8 * alu9;
    row0_at[1] = alu10;
    const double alu11 = row0_at[3];
    const i64 oidx0 = thread / 16;
    const i64 oidx1 = thread & 15;
    row1[oidx0 * 17 + oidx1] = alu11;
    __syncthreads();
    if (thread <= 7) {
      double row4[16] __attribute__((aligned(16)));
      #pragma unroll 16
      for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
        row4[ridx5] = row1[thread * 17 + ridx5];
      }
      #pragma unroll 15
      for (i64 ridx6 = 0; ridx6 < 15; ++ridx6) {
        row4[15 - ridx6] = row4[14 - ridx6] * row4[15 - ridx6];
      }
      #pragma unroll 14
      for (i64 ridx7 = 0; ridx7 < 14; ++ridx7) {
        row4[15 - ridx7] = row4[13 - ridx7] * row4[15 - ridx7];
      }
      #pragma unroll 12
      for (i64 ridx8 = 0; ridx8 < 12; ++ridx8) {
        row4[15 - ridx8] = row4[11 - ridx8] * row4[15 - ridx8];
      }
      #pragma unroll 8
      for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
        row4[15 - ridx9] = row4[7 - ridx9] * row4[15 - ridx9];
      }
      row1[thread * 17] = 1.0;
      #pragma unroll 15
      for (i64 ridx10 = 0; ridx10 < 15; ++ridx10) {
        row1[thread * 17 + ridx10 + 1] = row4[ridx10];
      }
      row2[thread] = row4[15];
    }
    __syncthreads();
    if (thread == 0) {
      double acc5 = 1.0;
      #pragma unroll 8
      for (i64 ridx12 = 0; ridx12 < 8; ++ridx12) {
        row3[ridx12] = acc5;
        acc5 *= row2[ridx12];
      }
    }
    __syncthreads();
    const i64 oidx2 = thread / 64;
    const i64 oidx3 = thread / 4;
    const i64 oidx4 = oidx3 & 15;
    double* output0_row = output0 + ridx0 * 512 + thread;
    #pragma unroll 4
    for (i64 ridx14 = 0; ridx14 < 4; ++ridx14) {
      output0_row[ridx14 * 128] = row0[thread + ridx14 * 128] * (row3[oidx2 + ridx14 * 2] * row1[oidx2 * 17 + oidx4 + ridx14 * 34]);
    }
    __syncthreads();
  }
}

