/* harp · graph "generations" · target sm_80 · stable, law 7 · 11 kernels
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

/* generation 0 · elementwise over [n, 8] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0, i64 shape0) {
  const i64 alu0 = ((((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll) ? shape0 * 8 : 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 grouped0 = alu0;
    if (ridx0 * 2 + 2 <= grouped0) {
      double row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 2);
      double row1[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        const i64 oidx0 = (ridx0 * 2 + ridx1) & 7;
        row1[ridx1] = tanh_f64(row0[ridx1] * input1[oidx0]);
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

/* generation 1 · reduce over [n // 256, 8] · sum of [n // 256, 256, 8] axes [1] chain · max of [n // 256, 256, 8] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 / 256 * 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = 0.0;
    double acc1 = __longlong_as_double((i64)0xfff0000000000000ull);
    const i64 oidx0 = ridx0 / 8;
    const i64 oidx1 = ridx0 & 7;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const double* input0_row = input0 + oidx0 * 2048 + oidx1 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        const double alu0 = input0_row[ridx2 * 8];
        acc0 += alu0;
        acc1 = maximum_f64(acc1, alu0);
      }
    }
    output0[ridx0] = acc0;
    output1[ridx0] = acc1;
  }
}

/* generation 1 · reduce over [8] · sum of [1, n % 256, 8] axes [1] chain · max of [1, n % 256, 8] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = shape0 / 16;
  const i64 oidx1 = oidx0 & 15;
  const i64 oidx2 = shape0 / 256;
  const i64 oidx3 = shape0 & 255;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = 0.0;
    double acc1 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      const double* input0_row = input0 + oidx2 * 2048 + ridx0 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        const double alu0 = input0_row[ridx2 * 8];
        acc0 += alu0;
        acc1 = maximum_f64(acc1, alu0);
      }
    }
    const double* input0_row1 = input0 + oidx2 * 2048 + ridx0;
    for (i64 ridx3 = oidx1 * 16; ridx3 < oidx3; ++ridx3) {
      const double alu1 = input0_row1[ridx3 * 8];
      acc0 += alu1;
      acc1 = maximum_f64(acc1, alu1);
    }
    output0[ridx0] = acc0;
    output1[ridx0] = acc1;
  }
}

/* generation 2 · reduce over [(n // 256 + 1) // 256, 8] · sum of [(n // 256 + 1) // 256, 256, 8] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 / 256 + 1) / 256 * 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = 0.0;
    const i64 oidx0 = ridx0 / 8;
    const i64 oidx1 = ridx0 & 7;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const double* input0_row = input0 + oidx0 * 2048 + oidx1 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 += input0_row[ridx2 * 8];
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 2 · reduce over [8] · sum of [1, (n // 256 + 1) % 256, 8] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 16;
  const i64 oidx2 = oidx1 & 15;
  const i64 oidx3 = (oidx0 + 1) / 256;
  const i64 oidx4 = (oidx0 + 1) & 255;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = 0.0;
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      const double* input0_row = input0 + oidx3 * 2048 + ridx0 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 += input0_row[ridx2 * 8];
      }
    }
    const double* input0_row1 = input0 + oidx3 * 2048 + ridx0;
    for (i64 ridx3 = oidx2 * 16; ridx3 < oidx4; ++ridx3) {
      acc0 += input0_row1[ridx3 * 8];
    }
    output0[ridx0] = acc0;
  }
}

/* generation 2 · reduce over [(n // 256 + 1) // 256, 8] · max of [(n // 256 + 1) // 256, 256, 8] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_5(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 / 256 + 1) / 256 * 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = __longlong_as_double((i64)0xfff0000000000000ull);
    const i64 oidx0 = ridx0 / 8;
    const i64 oidx1 = ridx0 & 7;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const double* input0_row = input0 + oidx0 * 2048 + oidx1 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 = maximum_f64(acc0, input0_row[ridx2 * 8]);
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 2 · reduce over [8] · max of [1, (n // 256 + 1) % 256, 8] axes [1] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_6(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 16;
  const i64 oidx2 = oidx1 & 15;
  const i64 oidx3 = (oidx0 + 1) / 256;
  const i64 oidx4 = (oidx0 + 1) & 255;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      const double* input0_row = input0 + oidx3 * 2048 + ridx0 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 = maximum_f64(acc0, input0_row[ridx2 * 8]);
      }
    }
    const double* input0_row1 = input0 + oidx3 * 2048 + ridx0;
    for (i64 ridx3 = oidx2 * 16; ridx3 < oidx4; ++ridx3) {
      acc0 = maximum_f64(acc0, input0_row1[ridx3 * 8]);
    }
    output0[ridx0] = acc0;
  }
}

/* generation 3 · reduce over [8] · sum of [(n // 256 + 1) // 256 + 1, 8] axes [0] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_7(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 65536;
  const i64 oidx2 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc1 = 0.0;
    const double* input0_row1 = input0 + ridx0;
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      double acc0 = 0.0;
      const i64 oidx3 = min_i64(oidx2 + 1, ridx1 * 256 + 256);
      const i64 oidx4 = oidx3 / 16;
      for (i64 ridx2 = 0; ridx2 < oidx4 - ridx1 * 16; ++ridx2) {
        const double* input0_row = input0 + ridx0 + ridx1 * 2048 + ridx2 * 128;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          acc0 += input0_row[ridx3 * 8];
        }
      }
      for (i64 ridx4 = oidx4 * 16; ridx4 < oidx3; ++ridx4) {
        acc0 += input0_row1[ridx4 * 8];
      }
      acc1 += acc0;
    }
    output0[ridx0] = acc1;
  }
}

/* generation 3 · reduce over [8] · max of [(n // 256 + 1) // 256 + 1, 8] axes [0] chain · reduce [thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_8(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 256;
  const i64 oidx2 = (oidx1 + 1) / 16;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 8; ridx0 += (i64)gridDim.x * blockDim.x) {
    double acc0 = __longlong_as_double((i64)0xfff0000000000000ull);
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      const double* input0_row = input0 + ridx0 + ridx1 * 128;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 = maximum_f64(acc0, input0_row[ridx2 * 8]);
      }
    }
    const double* input0_row1 = input0 + ridx0;
    for (i64 ridx3 = oidx2 * 16; ridx3 < oidx1 + 1; ++ridx3) {
      acc0 = maximum_f64(acc0, input0_row1[ridx3 * 8]);
    }
    output0[ridx0] = acc0;
  }
}

/* generation 4 · elementwise over [n, 8] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_9(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0, i64 shape0) {
  const i64 alu0 = ((((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll) ? shape0 * 8 : 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 grouped0 = alu0;
    if (ridx0 * 2 + 2 <= grouped0) {
      double row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 2);
      double row1[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        const i64 oidx0 = (ridx0 * 2 + ridx1) & 7;
        row1[ridx1] = row0[ridx1] * input1[oidx0];
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
  const i64 alu0 = (((((i64)((size_t)input0 % 64 / 8) | (i64)((size_t)input1 % 64 / 8)) | (i64)((size_t)output0 % 64 / 8)) & 1ll) == 0ll) ? 8ll : 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 grouped0 = alu0;
    if (ridx0 * 2 + 2 <= grouped0) {
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

