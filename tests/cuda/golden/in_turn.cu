/* harp · graph "in_turn" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n] -> y: f32[n]
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

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ float abs_f32(float a) { return fabsf(a); }

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ const u32 two_over_pi[41] = {
    0u, 2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u, 3072618042u, 1112396512u, 105459434u, 164729372u, 4263373596u, 2972297022u, 3900847605u, 784024708u, 3919343654u, 3026157121u, 965858873u, 2203269620u, 2625920907u, 3187222587u, 536385535u, 3724908559u, 4012839307u, 1510632735u, 1832287951u, 667617719u, 1330003814u, 2657085997u, 1965537991u, 3957715323u, 1023883767u, 2320667370u, 1811636145u, 529358088u, 1443049542u, 4235946923u, 4040145952u, 2599695901u};

static __device__ __forceinline__ i32 neg_i32(i32 a) { return (i32)(0u - (u32)a); }

static __device__ __forceinline__ float tan_far_f32(float x) {
  const bool alu0 = x < 0.0f;
  const i32 alu1 = __float_as_int(x) & 2147483647;
  const u64 alu2 = (u64)((alu1 & 8388607) | 8388608);
  const i32 alu3 = add_i32(alu1 >> 23, -120);
  const i32 alu4 = (alu3 >> 5) & 7;
  const u64 alu5 = ((u64)two_over_pi[alu4] << 32ull) | (u64)two_over_pi[add_i32(alu4, 1)];
  const u64 alu6 = (u64)(alu3 & 31);
  const u64 alu7 = (u64)two_over_pi[add_i32(alu4, 2)];
  const u64 alu8 = (alu5 << alu6) | (alu7 >> (32ull - alu6));
  const u64 alu9 = (alu7 << 32ull) | (u64)two_over_pi[add_i32(alu4, 3)];
  const u64 alu10 = alu2 * alu8 + ((alu2 * ((alu9 << alu6) >> 32ull)) >> 32ull);
  const u64 alu11 = (alu10 + 0x2000000000000000ull) >> 62ull;
  const i32 alu12 = (i32)alu11;
  const bool alu13 = ((alu0 ? neg_i32(alu12) : alu12) & 1) != 0;
  const double alu14 = (double)(i64)(alu10 - (alu11 << 62ull));
  const double alu15 = alu14 * 3.4061215800865545e-19;
  const double alu16 = alu0 ? -alu15 : alu15;
  const float alu17 = (float)alu16;
  const float alu18 = alu17 * alu17;
  const float alu19 = fma_f32(fma_f32(fma_f32(0.0043699164f, alu18, 0.000103685146f), alu18, 0.010823366f), alu18, 0.02128766f);
  const float alu20 = fma_f32(fma_f32(fma_f32(alu19, alu18, 0.05405867f), alu18, 0.13332677f), alu18, 0.3333335f);
  const float alu21 = (float)(alu16 - (double)alu17) + (x - x);
  const float alu22 = fma_f32(alu17 * fma_f32(alu17, alu17, -alu18), 0.5f, fma_f32(alu21, alu18, alu21));
  const float alu23 = fma_f32(alu17 * alu18, alu20, alu22);
  const float alu24 = alu17 + alu23;
  const float alu25 = -1.0f / alu24;
  const float alu26 = fma_f32(alu25, alu23 - (alu24 - alu17), fma_f32(alu25, alu24, 1.0f));
  return alu13 ? fma_f32(alu25, alu26, alu25) : alu24;
}

static __device__ __forceinline__ float tan_f32(float x) {
  const float alu0 = abs_f32(x);
  const bool alu1 = 32768.0f <= alu0;
  const float alu2 = fma_f32(x, 0.63661975f, 12582912.0f);
  const float alu3 = alu2 - 12582912.0f;
  const float alu4 = fma_f32(alu3, -1.5707964f, x);
  const float alu5 = -(alu3 * -4.371139e-08f);
  const float alu6 = alu4 + alu5;
  const float alu7 = alu6 * alu6;
  const float alu8 = fma_f32(fma_f32(fma_f32(0.0043699164f, alu7, 0.000103685146f), alu7, 0.010823366f), alu7, 0.02128766f);
  const float alu9 = fma_f32(fma_f32(fma_f32(alu8, alu7, 0.05405867f), alu7, 0.13332677f), alu7, 0.3333335f);
  const float alu10 = -(alu6 - alu4);
  const float alu11 = alu4 - (alu6 + alu10) + (alu5 + alu10);
  const float alu12 = fma_f32(alu3, 1.7151245e-15f, alu11 - fma_f32(alu3, -4.371139e-08f, alu5));
  const float alu13 = fma_f32(alu6 * fma_f32(alu6, alu6, -alu7), 0.5f, fma_f32(alu12, alu7, alu12));
  const float alu14 = fma_f32(alu6 * alu7, alu9, alu13);
  const float alu15 = alu6 + alu14;
  const float alu16 = -1.0f / alu15;
  const float alu17 = fma_f32(alu16, alu14 - (alu15 - alu6), fma_f32(alu16, alu15, 1.0f));
  const float alu18 = ((__float_as_int(alu2) & 1) != 0) ? fma_f32(alu16, alu17, alu16) : alu15;
  const float alu19 = alu1 ? tan_far_f32(x) : (alu0 < 0.00012207031f ? x : alu18);
  return alu19;
}

/* generation 0 · elementwise over [n] · elementwise [thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* input0, float* output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 + 3) / 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = min_i64(shape0, ridx0 * 4 + 4);
    if (ridx0 * 4 + 4 <= shape0 && aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row1[ridx1] = tan_f32(row0[ridx1]);
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = tan_f32(input0[ridx2]);
      }
    }
  }
}

