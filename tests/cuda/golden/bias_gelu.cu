/* harp · graph "bias_gelu" · target sm_80 · stable, law 9 · 1 kernel
   x: f32[n, 1024], b: f32[1024] -> y: f32[n, 1024]
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

static __device__ __forceinline__ float fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }

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

/* generation 0 · elementwise over [n, 1024] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* input0, const float* __restrict__ input1, float* output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 256; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 & 255;
    const float* input1_row = input1 + oidx0 * 4;
    if (aligned0) {
      float row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        const float alu0 = row0[ridx1] + input1_row[ridx1];
        const float alu1 = alu0 < -16.0f ? -16.0f : alu0;
        const float alu2 = 16.0f < alu1 ? 16.0f : alu1;
        const float alu3 = (alu2 + alu2 * alu2 * alu2 * 0.044715f) * 0.7978846f;
        row1[ridx1] = alu0 * 0.5f * (tanh_f32(alu3) + 1.0f);
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < ridx0 * 4 + 4; ++ridx2) {
        const i64 oidx1 = ridx2 & 1023;
        const float alu4 = input0[ridx2] + input1[oidx1];
        const float alu5 = alu4 < -16.0f ? -16.0f : alu4;
        const float alu6 = 16.0f < alu5 ? 16.0f : alu5;
        const float alu7 = (alu6 + alu6 * alu6 * alu6 * 0.044715f) * 0.7978846f;
        output0[ridx2] = alu4 * 0.5f * (tanh_f32(alu7) + 1.0f);
      }
    }
  }
}

