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

/* Replaces the elements of a group by their running values, starting from `carry`. Returns the total of the group. */
static __device__ __noinline__ float scan_add_64_f32(float* s, float carry) {
  float t[16];
  for (int q = 0; q < 16; ++q) {
    float* x = s + 4 * q;
    x[3] = x[2] + x[3];
    x[2] = x[1] + x[2];
    x[1] = x[0] + x[1];
    x[3] = x[1] + x[3];
    x[2] = x[0] + x[2];
    t[q] = x[3];
  }
  for (int k = 1; k < 16; k *= 2)
    for (int q = 15; q >= k; --q) t[q] = t[q - k] + t[q];
  for (int q = 0; q < 16; ++q) {
    const float e = carry + (q > 0 ? t[q - 1] : 0.0f);
    for (int i = 4 * q; i < 4 * q + 4; ++i) s[i] = s[i] + e;
  }
  return t[15];
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* generation 0 · scan over [n, 300] · cumsum of [n, 300] axis 1 tree · scan [thread, scan] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0; ridx0 += (i64)gridDim.x * blockDim.x) {
    float acc0 = 0.0f;
    float acc1 = 0.0f;
    float row2[64] __attribute__((aligned(16)));
    for (i64 ridx1 = 0; ridx1 < 256; ridx1 += 64) {
      const float* input0_row = input0 + ridx0 * 300 + ridx1;
      for (i64 ridx2 = 0; ridx2 < 64; ++ridx2) {
        const float alu0 = input0_row[ridx2];
        row2[ridx2] = alu0 * alu0;
      }
      acc1 = scan_add_64_f32(row2, acc0);
      acc0 += acc1;
      const float* input1_row = input1 + ridx0 * 300 + ridx1;
      float* output0_row = output0 + ridx0 * 300 + ridx1;
      for (i64 ridx3 = 0; ridx3 < 64; ++ridx3) {
        output0_row[ridx3] = row2[ridx3] * input1_row[ridx3];
      }
    }
    float acc3[64] __attribute__((aligned(16)));
    for (int i = 0; i < 64; ++i) acc3[i] = 0.0f;
    const float* input0_row1 = input0 + ridx0 * 300;
    for (i64 ridx4 = 0; ridx4 < 44; ++ridx4) {
      const float alu1 = input0_row1[ridx4 + 256];
      acc3[ridx4] = alu1 * alu1;
    }
    acc1 = scan_add_64_f32(acc3, acc0);
    acc0 += acc1;
    const float* input1_row1 = input1 + ridx0 * 300;
    float* output0_row1 = output0 + ridx0 * 300;
    for (i64 ridx5 = 0; ridx5 < 44; ++ridx5) {
      output0_row1[ridx5 + 256] = acc3[ridx5] * input1_row1[ridx5 + 256];
    }
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

