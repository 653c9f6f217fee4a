/* harp · graph "in_place" · target sm_80 · stable, law 9 · 9 kernels
   x: f32[n, 40], z: f32[n, 40], b: f32[40] -> y: f32[n, 40], q: f32[n, 40]
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

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i32 neg_i32(i32 a) { return (i32)(0u - (u32)a); }

static __device__ __forceinline__ float scale_f32(float x, float y) {
  const i32 alu0 = add_i32(__float_as_int(y), -1262485504);
  const i32 alu1 = alu0 >> 1;
  const float alu2 = __int_as_float(add_i32(add_i32(alu0, neg_i32(alu1)), 127) << 23);
  return x * __int_as_float(add_i32(alu1, 127) << 23) * alu2;
}

static __device__ __forceinline__ float exp_f32(float x) {
  const float alu0 = 89.0f < x ? 89.0f : x;
  const float alu1 = alu0 < -104.0f ? -104.0f : alu0;
  const float alu2 = fma_f32(alu1, 1.442695f, 12582912.0f);
  const float alu3 = alu2 - 12582912.0f;
  const float alu4 = fma_f32(alu3, -0.69314575f, alu1);
  const float alu5 = alu3 * -1.4286068e-06f;
  const float alu6 = alu4 + alu5;
  const float alu7 = fma_f32(fma_f32(fma_f32(0.001391077f, alu6, 0.008363099f), alu6, 0.04166671f), alu6, 0.16666578f);
  const float alu8 = fma_f32(alu6 * alu6, fma_f32(alu7, alu6, 0.5f), alu5);
  return scale_f32(1.0f + (alu4 + alu8), alu2);
}

/* Folds the 64 elements of 16 threads: combines element i with element i + half, then repeats this on the first half.
   Every thread gets the result. */
static __device__ __forceinline__ float fold_add_16x4_f32(float* s) {
  #pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    #pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = s[i] + __shfl_down_sync(0xffffffffu, s[i], distance, 16);
  s[0] = s[0] + s[2];
  s[1] = s[1] + s[3];
  s[0] = s[0] + s[1];
  return __shfl_sync(0xffffffffu, s[0], 0, 16);
}

static __device__ __forceinline__ float maximum_f32(float x, float y) {
  const i32 alu0 = __float_as_int(y < x ? x : y);
  const i32 alu1 = __float_as_int(x < y ? y : x);
  return __int_as_float((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* a / b, rounded down; 0 if b is 0. */
static __device__ __forceinline__ i64 floor_div_i64(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static __device__ __forceinline__ float abs_f32(float a) { return fabsf(a); }

static __device__ const float tanh_f32_tables[8][16] = {
    {0.8449611f, 0.93994325f, 0.9775029f, 0.9916904f, 0.99768335f, 0.99968415f, 0.9999594f, 0.9999946f, 0.99999964f, 1.0f, 1.0f, 1.0f, 0.0f, 0.35339436f, 0.5506395f, 0.7007685f}, /* tanh_0 */
    {0.28604063f, 0.11650663f, 0.044488113f, 0.01655016f, 0.0046279402f, 0.00063158997f, 8.118033e-05f, 1.0847794e-05f, 7.1548146e-07f, 0.0f, 0.0f, 0.0f, 1.0f, 0.8751124f, 0.6967961f, 0.50892353f}, /* tanh_1 */
    {-0.24169369f, -0.109509744f, -0.043487262f, -0.016412627f, -0.004616815f, -0.000631329f, -8.117167e-05f, -1.0840753e-05f, -7.1392384e-07f, 0.0f, 0.0f, 0.0f, -1.0973894e-06f, -0.30925983f, -0.38368344f, -0.35663763f}, /* tanh_2 */
    {0.10888816f, 0.06410388f, 0.02767986f, 0.010759157f, 0.003063665f, 0.00042063845f, 5.409679e-05f, 7.2296e-06f, 4.7540166e-07f, 0.0f, 0.0f, 0.0f, -0.3332702f, -0.18241197f, -0.020995283f, 0.08028277f}, /* tanh_3 */
    {-0.0114028035f, -0.023739649f, -0.012561283f, -0.0051995222f, -0.0015253905f, -0.00021125036f, -2.7172997e-05f, -3.6813237e-06f, -2.4670305e-07f, 0.0f, 0.0f, 0.0f, -0.0011837389f, 0.16754924f, 0.13944194f, 0.06262375f}, /* tanh_4 */
    {-0.020742806f, 0.0033263133f, 0.0040289024f, 0.0019489375f, 0.0006037943f, 8.500264e-05f, 1.1063725e-05f, 1.4866939e-06f, 1.0273405e-07f, 0.0f, 0.0f, 0.0f, 0.14308433f, 0.021164749f, -0.05374481f, -0.05932616f}, /* tanh_5 */
    {0.0151238255f, 0.002127647f, -0.0007165623f, -0.00054864225f, -0.0001584971f, -2.2739261e-05f, -3.1148668e-06f, -3.3397845e-07f, -2.3745569e-08f, 0.0f, 0.0f, 0.0f, -0.036977116f, -0.06945178f, -0.024266033f, 0.012919919f}, /* tanh_6 */
    {1.2382687f, 1.7375621f, 2.2381015f, 2.7396636f, 3.3798099f, 4.376624f, 5.4025474f, 6.408919f, 7.768365f, 9.0f, 9.0f, 9.0f, 0.0f, 0.36931723f, 0.61929864f, 0.8688089f} /* tanh_centre */
};

static __device__ __forceinline__ float or_sign_f32(float x, float y) {
  return __int_as_float(__float_as_int(x) | (__float_as_int(y) & (-2147483647 - 1)));
}

static __device__ __forceinline__ float tanh_f32(float x) {
  const float alu0 = abs_f32(x);
  const float alu1 = 9.02f < alu0 ? 9.02f : alu0;
  const i32 alu2 = __float_as_int(1.0f + alu1) >> 21;
  const float alu3 = alu1 - tanh_f32_tables[7][alu2 & 15];
  const float alu4 = fma_f32(fma_f32(tanh_f32_tables[6][alu2 & 15], alu3, tanh_f32_tables[5][alu2 & 15]), alu3, tanh_f32_tables[4][alu2 & 15]);
  const float alu5 = fma_f32(fma_f32(alu4, alu3, tanh_f32_tables[3][alu2 & 15]), alu3, tanh_f32_tables[2][alu2 & 15]);
  const float alu6 = fma_f32(fma_f32(alu5, alu3, tanh_f32_tables[1][alu2 & 15]), alu3, tanh_f32_tables[0][alu2 & 15]);
  return or_sign_f32(alu6, x);
}

/* generation 0 · elementwise over [n, 40] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* input0, const float* __restrict__ input1, float* output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 10; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 % 10;
    const float* input1_row = input1 + oidx0 * 4;
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = row0[ridx1] * input1_row[ridx1];
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        const i64 oidx1 = ridx2 % 40;
        output0[ridx2] = input0[ridx2] * input1[oidx1];
      }
    }
  }
}

/* generation 0 · rowwise over [n] · sum of [n, 40] axes [1] lanes · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      float acc1[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc1[i] = 0.0f;
      if (thread * 4 <= 36) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 40 + thread * 4);
        #pragma unroll 4
        for (i64 ridx2 = 0; ridx2 < 4; ++ridx2) {
          const float alu0 = row2[ridx2];
          row0[ridx2] = alu0;
          acc1[ridx2] += exp_f32(alu0);
        }
      }
      const float acc1_folded = fold_add_16x4_f32(acc1);
      if (is_active) {
        if (thread * 4 <= 36) {
          float row4[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx4 = 0; ridx4 < 4; ++ridx4) {
            row4[ridx4] = exp_f32(row0[ridx4]) / acc1_folded;
          }
          copy_16_bytes(output0 + ridx0 * 40 + thread * 4, row4);
        }
      }
    } else {
      float row5[4] __attribute__((aligned(16)));
      float acc6[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc6[i] = 0.0f;
      const float* input0_row = input0 + ridx0 * 40 + thread * 4;
      if (thread * 4 <= 36) {
        #pragma unroll 4
        for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
          const float alu1 = input0_row[ridx6];
          row5[ridx6] = alu1;
          acc6[ridx6] += exp_f32(alu1);
        }
      }
      const float acc6_folded = fold_add_16x4_f32(acc6);
      if (is_active) {
        float* output0_row = output0 + ridx0 * 40 + thread * 4;
        if (thread * 4 <= 36) {
          #pragma unroll 4
          for (i64 ridx8 = 0; ridx8 < 4; ++ridx8) {
            output0_row[ridx8] = exp_f32(row5[ridx8]) / acc6_folded;
          }
        }
      }
    }
  }
}

/* generation 1 · reduce over [n // 256, 40] · max of [n // 256, 256, 40] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 / 256 * 40; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = __uint_as_float(0xff800000u);
    const i64 oidx0 = ridx0 / 40;
    const i64 oidx1 = ridx0 % 40;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const float* input0_row = input0 + oidx0 * 10240 + oidx1 + ridx1 * 640;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 = maximum_f32(acc0, input0_row[ridx2 * 40]);
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 1 · reduce over [40] · max of [1, n % 256, 40] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 & 255;
  const i64 oidx1 = (oidx0 + 127) / 128;
  const i64 oidx2 = shape0 / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 2; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = __uint_as_float(0xff800000u);
    for (i64 ridx1 = 0; ridx1 < oidx1; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx0 && ridx0 * 32 <= 8) {
        const i64 oidx3 = thread / 32;
        const i64 oidx4 = thread & 31;
        const float* input0_row = input0 + oidx2 * 10240 + ridx0 * 32 + ridx1 * 5120 + oidx3 * 40 + oidx4;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 320];
        }
      } else {
        const i64 oidx5 = thread / 32;
        const i64 oidx6 = thread & 31;
        const float* input0_row1 = input0 + oidx2 * 10240 + ridx0 * 32 + ridx1 * 5120 + oidx5 * 40 + oidx6;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx5 + ridx5 * 8 < oidx0 && ridx0 * 32 + oidx6 <= 39) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 320];
          }
        }
      }
      __syncthreads();
      const i64 oidx7 = min_i64(oidx0 - ridx1 * 128, 128);
      const i64 oidx8 = oidx7 / 8;
      if (ridx0 * 32 + thread <= 39 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx8; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 = maximum_f32(acc1, row0[thread + ridx7 * 256 + ridx8 * 32]);
          }
        }
        for (i64 ridx9 = oidx8 * 8; ridx9 < oidx7; ++ridx9) {
          acc1 = maximum_f32(acc1, row0[thread + ridx9 * 32]);
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 39 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 2 · reduce over [(n // 256 + 1) // 256, 40] · max of [(n // 256 + 1) // 256, 256, 40] axes [1] chain · reduce [thread, thread tile=1, reduce] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 / 256 + 1) / 256 * 40; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = __uint_as_float(0xff800000u);
    const i64 oidx0 = ridx0 / 40;
    const i64 oidx1 = ridx0 % 40;
    for (i64 ridx1 = 0; ridx1 < 16; ++ridx1) {
      const float* input0_row = input0 + oidx0 * 10240 + oidx1 + ridx1 * 640;
      #pragma unroll 16
      for (i64 ridx2 = 0; ridx2 < 16; ++ridx2) {
        acc0 = maximum_f32(acc0, input0_row[ridx2 * 40]);
      }
    }
    output0[ridx0] = acc0;
  }
}

/* generation 2 · reduce over [40] · max of [1, (n // 256 + 1) % 256, 40] axes [1] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_5(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) & 255;
  const i64 oidx2 = (oidx1 + 127) / 128;
  const i64 oidx3 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 2; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = __uint_as_float(0xff800000u);
    for (i64 ridx1 = 0; ridx1 < oidx2; ++ridx1) {
      if (ridx1 * 128 + 128 <= oidx1 && ridx0 * 32 <= 8) {
        const i64 oidx4 = thread / 32;
        const i64 oidx5 = thread & 31;
        const float* input0_row = input0 + oidx3 * 10240 + ridx0 * 32 + ridx1 * 5120 + oidx4 * 40 + oidx5;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 320];
        }
      } else {
        const i64 oidx6 = thread / 32;
        const i64 oidx7 = thread & 31;
        const float* input0_row1 = input0 + oidx3 * 10240 + ridx0 * 32 + ridx1 * 5120 + oidx6 * 40 + oidx7;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx6 + ridx5 * 8 < oidx1 && ridx0 * 32 + oidx7 <= 39) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 320];
          }
        }
      }
      __syncthreads();
      const i64 oidx8 = min_i64(oidx1 - ridx1 * 128, 128);
      const i64 oidx9 = oidx8 / 8;
      if (ridx0 * 32 + thread <= 39 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx9; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 = maximum_f32(acc1, row0[thread + ridx7 * 256 + ridx8 * 32]);
          }
        }
        for (i64 ridx9 = oidx9 * 8; ridx9 < oidx8; ++ridx9) {
          acc1 = maximum_f32(acc1, row0[thread + ridx9 * 32]);
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 39 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 3 · reduce over [40] · max of [(n // 256 + 1) // 256 + 1, 40] axes [0] chain · reduce [thread, thread_group] */
extern "C" __global__ void __launch_bounds__(256, 2) kernel_6(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x;
  const i64 oidx0 = shape0 / 256;
  const i64 oidx1 = (oidx0 + 1) / 32768;
  const i64 oidx2 = (oidx0 + 1) / 256;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 2; ridx0 += gridDim.x) {
    __shared__ __align__(16) float row0[4096];
    float acc1 = __uint_as_float(0xff800000u);
    for (i64 ridx1 = 0; ridx1 < oidx1 + 1; ++ridx1) {
      if (ridx1 * 128 + 127 <= oidx2 && ridx0 * 32 <= 8) {
        const i64 oidx3 = thread / 32;
        const i64 oidx4 = thread & 31;
        const float* input0_row = input0 + ridx0 * 32 + ridx1 * 5120 + oidx3 * 40 + oidx4;
        #pragma unroll 16
        for (i64 ridx3 = 0; ridx3 < 16; ++ridx3) {
          row0[thread + ridx3 * 256] = input0_row[ridx3 * 320];
        }
      } else {
        const i64 oidx5 = thread / 32;
        const i64 oidx6 = thread & 31;
        const float* input0_row1 = input0 + ridx0 * 32 + ridx1 * 5120 + oidx5 * 40 + oidx6;
        #pragma unroll 16
        for (i64 ridx5 = 0; ridx5 < 16; ++ridx5) {
          if (ridx1 * 128 + oidx5 + ridx5 * 8 <= oidx2 && ridx0 * 32 + oidx6 <= 39) {
            row0[thread + ridx5 * 256] = input0_row1[ridx5 * 320];
          }
        }
      }
      __syncthreads();
      const i64 oidx7 = min_i64(oidx2 - ridx1 * 128 + 1, 128);
      const i64 oidx8 = floor_div_i64(oidx7, 8);
      if (ridx0 * 32 + thread <= 39 && thread <= 31) {
        for (i64 ridx7 = 0; ridx7 < oidx8; ++ridx7) {
          #pragma unroll 8
          for (i64 ridx8 = 0; ridx8 < 8; ++ridx8) {
            acc1 = maximum_f32(acc1, row0[thread + ridx7 * 256 + ridx8 * 32]);
          }
        }
        for (i64 ridx9 = oidx8 * 8; ridx9 < oidx7; ++ridx9) {
          acc1 = maximum_f32(acc1, row0[thread + ridx9 * 32]);
        }
      }
      __syncthreads();
    }
    float* output0_row = output0 + ridx0 * 32;
    if (ridx0 * 32 + thread <= 39 && thread <= 31) {
      output0_row[thread] = acc1;
    }
    __syncthreads();
  }
}

/* generation 4 · elementwise over [n, 40] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_7(const float* input0, const float* __restrict__ input1, float* output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 10; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 % 10;
    const float* input1_row = input1 + -(oidx0 * 4);
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = tanh_f32(row0[ridx1] - input1_row[39 - ridx1]);
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        const i64 oidx1 = ridx2 % 40;
        output0[ridx2] = tanh_f32(input0[ridx2] - input1[39 - oidx1]);
      }
    }
  }
}

/* generation 5 · elementwise over [n, 40] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_8(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 10; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 / 10;
    const i64 oidx1 = ridx0 % 10;
    const float* input0_row = input0 + oidx0 * 40 - oidx1 * 4;
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = row0[ridx1] + input0_row[39 - ridx1];
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        const i64 oidx2 = ridx2 / 40;
        const i64 oidx3 = ridx2 % 40;
        output0[ridx2] = input0[ridx2] + input0[oidx2 * 40 - oidx3 + 39];
      }
    }
  }
}

