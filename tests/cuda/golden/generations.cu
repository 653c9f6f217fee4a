/* harp · graph "generations" · target sm_80 · stable, law 9 · 11 kernels
   x: f64[n, 8], w: f64[8] -> y: f64[n, 8], z: f64[8]
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

static __device__ __forceinline__ double abs_f64(double a) { return fabs(a); }

static __device__ __forceinline__ double fma_f64(double a, double b, double c) { return __fma_rn(a, b, c); }

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

/* Flips the sign bit, whatever the compiler could make of the operand. */
static __device__ __forceinline__ double neg_f64(double x) { return __longlong_as_double(__double_as_longlong(x) ^ -9223372036854775807ll - 1); }

static __device__ __forceinline__ double copy_sign_f64(double x, double y) {
  const i64 alu0 = (__double_as_longlong(x) & 9223372036854775807ll) | (__double_as_longlong(y) & (-9223372036854775807ll - 1));
  return __longlong_as_double(alu0);
}

static __device__ __forceinline__ double tanh_f64(double x) {
  const double alu0 = abs_f64(x);
  const double alu1 = 20.0 < alu0 ? 20.0 : alu0;
  const double alu2 = alu1 + alu1;
  const double alu3 = fma_f64(alu2, 1.4426950408889634, 6755399441055744.0);
  const i64 alu4 = add_i64(add_i64(add_i64(__double_as_longlong(alu3), -4843621399236968448ll), -1ll), 1023ll) << 52ll;
  const double alu5 = __longlong_as_double(alu4);
  const double alu6 = alu3 - 6755399441055744.0;
  const double alu7 = fma_f64(alu6, -0.6931471805599453, alu2);
  const double alu8 = alu5 - 0.5;
  const double alu9 = fma_f64(alu5, alu7, alu8);
  const double alu10 = neg_f64(alu9);
  const double alu11 = alu6 * -2.3190468138462996e-17;
  const double alu12 = alu7 + alu11;
  const double alu13 = fma_f64(fma_f64(fma_f64(1.664012668869289e-10, alu12, 2.092344608646773e-09), alu12, 2.504989464289795e-08), alu12, 2.755724606171109e-07);
  const double alu14 = fma_f64(fma_f64(fma_f64(alu13, alu12, 2.755732251971936e-06), alu12, 2.4801587356340883e-05), alu12, 0.00019841269838937153);
  const double alu15 = fma_f64(fma_f64(fma_f64(alu14, alu12, 0.0013888888888869534), alu12, 0.008333333333334103), alu12, 0.04166666666666669);
  const double alu16 = fma_f64(alu12 * alu12, fma_f64(fma_f64(alu15, alu12, 0.16666666666666666), alu12, 0.5), alu11);
  const double alu17 = fma_f64(alu5, alu16, alu5 - alu8 - 0.5);
  const double alu18 = fma_f64(alu5, alu7, alu8 + alu10) + alu17;
  const double alu19 = alu9 + alu18;
  const double alu20 = 1.0 + alu19;
  const double alu21 = 1.0 / alu20;
  const double alu22 = alu19 * alu21;
  const double alu23 = -alu22;
  const double alu24 = -(alu20 - 1.0);
  const double alu25 = 1.0 - (alu20 + alu24) + (alu19 + alu24);
  const double alu26 = alu18 - (alu19 + alu10);
  const double alu27 = fma_f64(alu23, alu20, alu19) + fma_f64(alu23, alu25 + alu26, alu26);
  return alu0 < 3.725290298461914e-09 ? x : copy_sign_f64(alu22 + alu27 * alu21, x);
}

static __device__ __forceinline__ double maximum_f64(double x, double y) {
  const i64 alu0 = __double_as_longlong(y < x ? x : y);
  const i64 alu1 = __double_as_longlong(x < y ? y : x);
  return __longlong_as_double((alu0 & alu1) | ((alu0 | alu1) & 9223372036854775807ll));
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* a / b, rounded down; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* generation 0 · elementwise over [n, 8] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 & 3;
    const double* input1_row = input1 + oidx0 * 2;
    if (aligned0) {
      double row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 2);
      double row1[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        row1[ridx1] = tanh_f64(row0[ridx1] * input1_row[ridx1]);
      }
      copy_16_bytes(output0 + ridx0 * 2, row1);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < ridx0 * 2 + 2; ++ridx2) {
        const i64 oidx1 = ridx2 & 7;
        output0[ridx2] = tanh_f64(input0[ridx2] * input1[oidx1]);
      }
    }
  }
}

/* generation 1 · reduce over [n // 256, 8] · sum of [n // 256, 256, 8] axes [1] chain · max of [n // 256, 256, 8] axes [1] chain · reduce [thread, thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_1(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 / 256; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = 0.0;
    double acc2 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
      const double* input0_row = input0 + ridx0 * 2048 + ridx1 * 1024 + thread;
      #pragma unroll 8
      for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
        row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
      }
      __syncthreads();
      if (thread <= 7) {
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          #pragma unroll 8
          for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
            const double alu0 = row0[thread + ridx5 * 64 + ridx6 * 8];
            acc1 += alu0;
            acc2 = maximum_f64(acc2, alu0);
          }
        }
      }
      __syncthreads();
    }
    double* output0_row = output0 + ridx0 * 8;
    double* output1_row = output1 + ridx0 * 8;
    if (thread <= 7) {
      output0_row[thread] = acc1;
      output1_row[thread] = acc2;
    }
    __syncthreads();
  }
}

/* generation 1 · reduce over [8] · sum of [1, n % 256, 8] axes [1] chain · max of [1, n % 256, 8] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_2(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 & 255;
  const i64 oidx1 = (oidx0 + 127) / 128;
  const i64 oidx2 = shape0 / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = 0.0;
    double acc2 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx0) {
        const double* input0_row = input0 + oidx2 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
        }
      } else {
        const i64 oidx3 = thread / 8;
        const double* input0_row1 = input0 + oidx2 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
          if (ridx1 * 128 + oidx3 + ridx5 * 16 < oidx0) {
            row0[thread + ridx5 * 128] = input0_row1[ridx5 * 128];
          }
        }
      }
      __syncthreads();
      const i64 oidx4 = min_i64(oidx0 - ridx1 * 128, 128);
      const i64 oidx5 = oidx4 / 8;
      if (thread <= 7) {
        for (i64 ridx7 = 0; ridx7 < oidx5; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            const double alu0 = row0[thread + ridx7 * 64 + ridx8 * 8];
            acc1 += alu0;
            acc2 = maximum_f64(acc2, alu0);
          }
        }
        for (i64 ridx9 = oidx5 * 8; ridx9 < oidx4; ++ridx9) {
          const double alu1 = row0[thread + ridx9 * 8];
          acc1 += alu1;
          acc2 = maximum_f64(acc2, alu1);
        }
      }
      __syncthreads();
    }
    if (thread <= 7) {
      output0[thread] = acc1;
      output1[thread] = acc2;
    }
    __syncthreads();
  }
}

/* generation 2 · reduce over [(n // 256 + 1) // 256, 8] · sum of [(n // 256 + 1) // 256, 256, 8] axes [1] chain · reduce [thread, thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_3(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 / 256 + 1) / 256; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = 0.0;
    for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
      const double* input0_row = input0 + ridx0 * 2048 + ridx1 * 1024 + thread;
      #pragma unroll 8
      for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
        row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
      }
      __syncthreads();
      if (thread <= 7) {
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          #pragma unroll 8
          for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
            acc1 += row0[thread + ridx5 * 64 + ridx6 * 8];
          }
        }
      }
      __syncthreads();
    }
    double* output0_row = output0 + ridx0 * 8;
    if (thread <= 7) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 2 · reduce over [8] · sum of [1, (n // 256 + 1) % 256, 8] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_4(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) & 255;
  const i64 oidx2 = (oidx1 + 127) / 128;
  const i64 oidx3 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = 0.0;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx1) {
        const double* input0_row = input0 + oidx3 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
        }
      } else {
        const i64 oidx4 = thread / 8;
        const double* input0_row1 = input0 + oidx3 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
          if (ridx1 * 128 + oidx4 + ridx5 * 16 < oidx1) {
            row0[thread + ridx5 * 128] = input0_row1[ridx5 * 128];
          }
        }
      }
      __syncthreads();
      const i64 oidx5 = min_i64(oidx1 - ridx1 * 128, 128);
      const i64 oidx6 = oidx5 / 8;
      if (thread <= 7) {
        for (i64 ridx7 = 0; ridx7 < oidx6; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 += row0[thread + ridx7 * 64 + ridx8 * 8];
          }
        }
        for (i64 ridx9 = oidx6 * 8; ridx9 < oidx5; ++ridx9) {
          acc1 += row0[thread + ridx9 * 8];
        }
      }
      __syncthreads();
    }
    if (thread <= 7) {
      output0[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 2 · reduce over [(n // 256 + 1) // 256, 8] · max of [(n // 256 + 1) // 256, 256, 8] axes [1] chain · reduce [thread, thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_5(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < (shape0 / 256 + 1) / 256; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
      const double* input0_row = input0 + ridx0 * 2048 + ridx1 * 1024 + thread;
      #pragma unroll 8
      for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
        row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
      }
      __syncthreads();
      if (thread <= 7) {
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          #pragma unroll 8
          for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
            acc1 = maximum_f64(acc1, row0[thread + ridx5 * 64 + ridx6 * 8]);
          }
        }
      }
      __syncthreads();
    }
    double* output0_row = output0 + ridx0 * 8;
    if (thread <= 7) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 2 · reduce over [8] · max of [1, (n // 256 + 1) % 256, 8] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_6(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) & 255;
  const i64 oidx2 = (oidx1 + 127) / 128;
  const i64 oidx3 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx1) {
        const double* input0_row = input0 + oidx3 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
        }
      } else {
        const i64 oidx4 = thread / 8;
        const double* input0_row1 = input0 + oidx3 * 2048 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
          if (ridx1 * 128 + oidx4 + ridx5 * 16 < oidx1) {
            row0[thread + ridx5 * 128] = input0_row1[ridx5 * 128];
          }
        }
      }
      __syncthreads();
      const i64 oidx5 = min_i64(oidx1 - ridx1 * 128, 128);
      const i64 oidx6 = oidx5 / 8;
      if (thread <= 7) {
        for (i64 ridx7 = 0; ridx7 < oidx6; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 = maximum_f64(acc1, row0[thread + ridx7 * 64 + ridx8 * 8]);
          }
        }
        for (i64 ridx9 = oidx6 * 8; ridx9 < oidx5; ++ridx9) {
          acc1 = maximum_f64(acc1, row0[thread + ridx9 * 8]);
        }
      }
      __syncthreads();
    }
    if (thread <= 7) {
      output0[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 3 · reduce over [8] · sum of [(n // 256 + 1) // 256 + 1, 8] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_7(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 65536;
  const i64 oidx2 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc2 = 0.0;
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      double acc1 = 0.0;
      const i64 oidx3 = min_i64(oidx2 + 1, ridx1 * 256 + 256);
      const i64 oidx4 = (oidx3 + 127) / 128;
      for (i64 ridx2 = 0; ridx2 < oidx4 - ridx1 * 2; ++ridx2) {
        if (ridx1 * 256 + ridx2 * 128 + 128 <= oidx3) {
          const double* input0_row = input0 + ridx1 * 2048 + ridx2 * 1024 + thread;
          #pragma unroll 8
          for (i64 ridx4 = 0; ridx4 < 8; ++ridx4) {
            row0[thread + ridx4 * 128] = input0_row[ridx4 * 128];
          }
        } else {
          const i64 oidx5 = thread / 8;
          const double* input0_row1 = input0 + ridx1 * 2048 + ridx2 * 1024 + thread;
          #pragma unroll 8
          for (i64 ridx6 = 0; ridx6 < 8; ++ridx6) {
            if (ridx1 * 256 + ridx2 * 128 + oidx5 + ridx6 * 16 < oidx3) {
              row0[thread + ridx6 * 128] = input0_row1[ridx6 * 128];
            }
          }
        }
        __syncthreads();
        const i64 oidx6 = min_i64(oidx3 - ridx1 * 256 - ridx2 * 128, 128);
        const i64 oidx7 = oidx6 / 8;
        if (thread <= 7) {
          for (i64 ridx8 = 0; ridx8 < oidx7; ++ridx8) {
            #pragma unroll 8
            for (i64 ridx9 = 0; ridx9 < 8; ++ridx9) {
              acc1 += row0[thread + ridx8 * 64 + ridx9 * 8];
            }
          }
          for (i64 ridx10 = oidx7 * 8; ridx10 < oidx6; ++ridx10) {
            acc1 += row0[thread + ridx10 * 8];
          }
        }
        __syncthreads();
      }
      acc2 += acc1;
    }
    if (thread <= 7) {
      output0[thread] = acc2;
    }
    __syncthreads();
  }
}

/* generation 3 · reduce over [8] · max of [(n // 256 + 1) // 256 + 1, 8] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_8(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 32768;
  const i64 oidx2 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    __shared__ __align__(16) double row0[1024];
    double acc1 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      if (ridx1 * 128 + 127 <= oidx2) {
        const double* input0_row = input0 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx3 = 0; ridx3 < 8; ++ridx3) {
          row0[thread + ridx3 * 128] = input0_row[ridx3 * 128];
        }
      } else {
        const i64 oidx3 = thread / 8;
        const double* input0_row1 = input0 + ridx1 * 1024 + thread;
        #pragma unroll 8
        for (i64 ridx5 = 0; ridx5 < 8; ++ridx5) {
          if (ridx1 * 128 + oidx3 + ridx5 * 16 <= oidx2) {
            row0[thread + ridx5 * 128] = input0_row1[ridx5 * 128];
          }
        }
      }
      __syncthreads();
      const i64 oidx4 = min_i64(oidx2 - ridx1 * 128 + 1, 128);
      const i64 oidx5 = floor_div_i64(oidx4, 8);
      if (thread <= 7) {
        for (i64 ridx7 = 0; ridx7 < oidx5; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 = maximum_f64(acc1, row0[thread + ridx7 * 64 + ridx8 * 8]);
          }
        }
        for (i64 ridx9 = oidx5 * 8; ridx9 < oidx4; ++ridx9) {
          acc1 = maximum_f64(acc1, row0[thread + ridx9 * 8]);
        }
      }
      __syncthreads();
    }
    if (thread <= 7) {
      output0[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 4 · elementwise over [n, 8] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_9(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 & 3;
    const double* input1_row = input1 + oidx0 * 2;
    if (aligned0) {
      double row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 2);
      double row1[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        row1[ridx1] = row0[ridx1] * input1_row[ridx1];
      }
      copy_16_bytes(output0 + ridx0 * 2, row1);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < ridx0 * 2 + 2; ++ridx2) {
        const i64 oidx1 = ridx2 & 7;
        output0[ridx2] = input0[ridx2] * input1[oidx1];
      }
    }
  }
}

/* generation 4 · elementwise over [8] · elementwise [thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_10(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0) {
  const bool aligned0 = ((((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)input1 % 64 / 8)) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    if (aligned0) {
      double row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 2);
      double row1[2] __attribute__((aligned(16)));
      copy_16_bytes(row1, input1 + ridx0 * 2);
      double row2[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        row2[ridx1] = row0[ridx1] - row1[ridx1];
      }
      copy_16_bytes(output0 + ridx0 * 2, row2);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < ridx0 * 2 + 2; ++ridx2) {
        output0[ridx2] = input0[ridx2] - input1[ridx2];
      }
    }
  }
}

