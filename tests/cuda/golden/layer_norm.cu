/* harp · graph "layer_norm" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n, 768], w: f32[768], b: f32[768] -> y: f32[n, 768]
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

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ float sqrt_f32(float a) { return sqrtf(a); }

/* generation 0 · rowwise over [n] · sum of [n, 768] axes [1] lanes · sum of [n, 768] axes [1] lanes product · rowwise [thread, thread_group simd=4] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_0(const float* __restrict__ input0, const float* __restrict__ input1, const float* __restrict__ input2, float* __restrict__ output0, i64 shape0) {
  const i64 thread = threadIdx.x % 16;
  const i64 group = threadIdx.x / 16;
  const bool aligned0 = (((((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)input1 % 64 / 4)) | (i64)((size_t)input2 % 64 / 4)) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0_first = (i64)blockIdx.x * 8; ridx0_first < shape0; ridx0_first += (i64)gridDim.x * 8) {
    const bool is_active = ridx0_first + group < shape0; /* else this group repeats the last one and stores nothing */
    const i64 ridx0 = is_active ? ridx0_first + group : shape0 - 1;
    if (aligned0) {
      float row0[48] __attribute__((aligned(16)));
      float acc1[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc1[i] = 0.0f;
      #pragma unroll 12
      for (i64 ridx1 = 0; ridx1 < 12; ++ridx1) {
        float row2[4] __attribute__((aligned(16)));
        copy_16_bytes(row2, input0 + ridx0 * 768 + thread * 4 + ridx1 * 64);
        #pragma unroll 4
        for (i64 ridx3 = 0; ridx3 < 4; ++ridx3) {
          const float alu0 = row2[ridx3];
          row0[ridx1 * 4 + ridx3] = alu0;
          acc1[ridx3] += alu0;
        }
      }
      const float acc1_folded = fold_add_16x4_f32(acc1);
      float acc4[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc4[i] = 0.0f;
      const float alu1 = -(acc1_folded / 768.0f);
      #pragma unroll 12
      for (i64 ridx4 = 0; ridx4 < 12; ++ridx4) {
        #pragma unroll 4
        for (i64 ridx6 = 0; ridx6 < 4; ++ridx6) {
          const float alu2 = row0[ridx4 * 4 + ridx6] + alu1;
          acc4[ridx6] = fma_f32(alu2, alu2, acc4[ridx6]);
        }
      }
      const float acc4_folded = fold_add_16x4_f32(acc4);
      float acc5 = acc4_folded + 0.0f;
      const float alu3 = 1.0f / sqrt_f32(acc5 / 768.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 12
        for (i64 ridx8 = 0; ridx8 < 12; ++ridx8) {
          float row6[4] __attribute__((aligned(16)));
          copy_16_bytes(row6, input1 + thread * 4 + ridx8 * 64);
          float row7[4] __attribute__((aligned(16)));
          copy_16_bytes(row7, input2 + thread * 4 + ridx8 * 64);
          float row8[4] __attribute__((aligned(16)));
          #pragma unroll 4
          for (i64 ridx9 = 0; ridx9 < 4; ++ridx9) {
            row8[ridx9] = fma_f32((row0[ridx8 * 4 + ridx9] + alu1) * alu3, row6[ridx9], row7[ridx9]);
          }
          copy_16_bytes(output0 + ridx0 * 768 + thread * 4 + ridx8 * 64, row8);
        }
      }
    } else {
      float row9[48] __attribute__((aligned(16)));
      float acc10[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc10[i] = 0.0f;
      #pragma unroll 12
      for (i64 ridx10 = 0; ridx10 < 12; ++ridx10) {
        const float* input0_row = input0 + ridx0 * 768 + ridx10 * 64 + thread * 4;
        #pragma unroll 4
        for (i64 ridx12 = 0; ridx12 < 4; ++ridx12) {
          const float alu4 = input0_row[ridx12];
          row9[ridx10 * 4 + ridx12] = alu4;
          acc10[ridx12] += alu4;
        }
      }
      const float acc10_folded = fold_add_16x4_f32(acc10);
      float acc12[4] __attribute__((aligned(16)));
      for (int i = 0; i < 4; ++i) acc12[i] = 0.0f;
      const float alu5 = -(acc10_folded / 768.0f);
      #pragma unroll 12
      for (i64 ridx13 = 0; ridx13 < 12; ++ridx13) {
        #pragma unroll 4
        for (i64 ridx15 = 0; ridx15 < 4; ++ridx15) {
          const float alu6 = row9[ridx13 * 4 + ridx15] + alu5;
          acc12[ridx15] = fma_f32(alu6, alu6, acc12[ridx15]);
        }
      }
      const float acc12_folded = fold_add_16x4_f32(acc12);
      float acc13 = acc12_folded + 0.0f;
      const float alu7 = 1.0f / sqrt_f32(acc13 / 768.0f + 1e-05f);
      if (is_active) {
        #pragma unroll 12
        for (i64 ridx17 = 0; ridx17 < 12; ++ridx17) {
          const float* input1_row = input1 + thread * 4 + ridx17 * 64;
          const float* input2_row = input2 + thread * 4 + ridx17 * 64;
          float* output0_row = output0 + ridx0 * 768 + thread * 4 + ridx17 * 64;
          #pragma unroll 4
          for (i64 ridx18 = 0; ridx18 < 4; ++ridx18) {
            output0_row[ridx18] = fma_f32((row9[ridx17 * 4 + ridx18] + alu5) * alu7, input1_row[ridx18], input2_row[ridx18]);
          }
        }
      }
    }
  }
}

