/* harp · graph "transformed" · target sm_80 · stable, law 9 · 18 kernels
   x: f32[n, 128], y: f32[n, 8192], v: f32[n, 32768], z: f64[n, 1009], w: f32[n, 2*m] -> short: f32[n, 64, 2], long: f32[n, 4096, 2], longer: f32[n, 16384, 2], prime: f64[n, 505, 2], any: f32[n, m, 2]
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
struct number_f32 { float re, im; };
struct number_f64 { double re, im; };
struct __align__(8) pair_f32 { float re, im; };

static __device__ __forceinline__ double abs_f64(double a) { return fabs(a); }

static __device__ __forceinline__ double fma_f64(double a, double b, double c) { return __fma_rn(a, b, c); }

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ const u32 two_over_pi[41] = {
    0u, 2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u, 3072618042u, 1112396512u, 105459434u, 164729372u, 4263373596u, 2972297022u, 3900847605u, 784024708u, 3919343654u, 3026157121u, 965858873u, 2203269620u, 2625920907u, 3187222587u, 536385535u, 3724908559u, 4012839307u, 1510632735u, 1832287951u, 667617719u, 1330003814u, 2657085997u, 1965537991u, 3957715323u, 1023883767u, 2320667370u, 1811636145u, 529358088u, 1443049542u, 4235946923u, 4040145952u, 2599695901u};

static __device__ __forceinline__ i64 neg_i64(i64 a) { return (i64)(0u - (u64)a); }

static __device__ __forceinline__ double cos_far_f64(double x) {
  const bool alu0 = x < 0.0;
  const i64 alu1 = __double_as_longlong(x) & 9223372036854775807ll;
  const u64 alu2 = (u64)((alu1 & 4503599627370495ll) | 4503599627370496ll);
  const u64 alu3 = alu2 & 0xffffffffull;
  const i64 alu4 = add_i64(alu1 >> 52ll, -1045ll);
  const i64 alu5 = (alu4 >> 5ll) & 31ll;
  const u64 alu6 = (u64)two_over_pi[(i32)add_i64(alu5, 0ll)] << 32ull;
  const u64 alu7 = (u64)two_over_pi[(i32)add_i64(alu5, 1ll)];
  const u64 alu8 = (u64)(alu4 & 31ll);
  const u64 alu9 = alu3 * ((((alu6 | alu7) << alu8) >> 32ull) & 0xffffffffull);
  const u64 alu10 = alu2 >> 32ull;
  const u64 alu11 = (u64)two_over_pi[(i32)add_i64(alu5, 2ll)];
  const u64 alu12 = ((((alu7 << 32ull) | alu11) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu13 = alu3 * alu12;
  const u64 alu14 = (u64)two_over_pi[(i32)add_i64(alu5, 3ll)];
  const u64 alu15 = ((((alu11 << 32ull) | alu14) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu16 = alu10 * alu15;
  const u64 alu17 = alu3 * alu15;
  const u64 alu18 = (u64)two_over_pi[(i32)add_i64(alu5, 4ll)];
  const u64 alu19 = ((((alu14 << 32ull) | alu18) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu20 = alu10 * alu19;
  const u64 alu21 = alu3 * alu19;
  const u64 alu22 = (u64)two_over_pi[(i32)add_i64(alu5, 5ll)];
  const u64 alu23 = ((((alu18 << 32ull) | alu22) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu24 = alu10 * alu23;
  const u64 alu25 = alu3 * alu23;
  const u64 alu26 = (alu22 << 32ull) | (u64)two_over_pi[(i32)add_i64(alu5, 6ll)];
  const u64 alu27 = ((alu26 << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu28 = alu10 * alu27;
  const u64 alu29 = alu3 * alu27;
  const u64 alu30 = (alu29 >> 32ull) + 0ull + 0ull + (((alu29 & 0xffffffffull) + 0ull + 0ull) >> 32ull);
  const u64 alu31 = (alu25 >> 32ull) + (alu28 >> 32ull) + (alu30 >> 32ull);
  const u64 alu32 = (alu25 & 0xffffffffull) + (alu28 & 0xffffffffull) + (alu30 & 0xffffffffull);
  const u64 alu33 = alu31 + (alu32 >> 32ull);
  const u64 alu34 = (alu21 >> 32ull) + (alu24 >> 32ull) + (alu33 >> 32ull);
  const u64 alu35 = (alu21 & 0xffffffffull) + (alu24 & 0xffffffffull) + (alu33 & 0xffffffffull);
  const u64 alu36 = alu34 + (alu35 >> 32ull);
  const u64 alu37 = (alu17 >> 32ull) + (alu20 >> 32ull) + (alu36 >> 32ull);
  const u64 alu38 = (alu17 & 0xffffffffull) + (alu20 & 0xffffffffull) + (alu36 & 0xffffffffull);
  const u64 alu39 = alu37 + (alu38 >> 32ull);
  const u64 alu40 = (alu13 >> 32ull) + (alu16 >> 32ull) + (alu39 >> 32ull);
  const u64 alu41 = (alu13 & 0xffffffffull) + (alu16 & 0xffffffffull) + (alu39 & 0xffffffffull);
  const u64 alu42 = (alu9 & 0xffffffffull) + ((alu10 * alu12) & 0xffffffffull) + ((alu40 + (alu41 >> 32ull)) & 0xffffffffull);
  const u64 alu43 = ((alu42 & 0xffffffffull) << 32ull) | (alu41 & 0xffffffffull);
  const u64 alu44 = (alu43 + 0x2000000000000000ull) >> 62ull;
  const i64 alu45 = (i64)alu44;
  const i64 alu46 = add_i64(alu0 ? neg_i64(alu45) : alu45, 1ll);
  const i64 alu47 = (i64)(alu43 - (alu44 << 62ull));
  const double alu48 = (double)alu47;
  const u64 alu49 = (((alu38 & 0xffffffffull) << 32ull) | (alu35 & 0xffffffffull)) >> 1ull;
  const double alu50 = (double)add_i64(alu47, neg_i64((i64)alu48)) + (double)(i64)alu49 * 1.0842021724855044e-19;
  const double alu51 = alu48 + alu50;
  const double alu52 = alu51 * 3.4061215800865545e-19;
  const double alu53 = -alu52;
  const double alu54 = alu0 ? alu53 : alu52;
  const double alu55 = alu54 * alu54;
  const double alu56 = fma_f64(alu55, -0.5, 1.0);
  const double alu57 = fma_f64(fma_f64(fma_f64(-1.1358764868356629e-11, alu55, 2.0875705689524683e-09), alu55, -2.7557314219059315e-07), alu55, 2.4801587289008097e-05);
  const double alu58 = (alu50 - (alu51 - alu48)) * 3.4061215800865545e-19;
  const double alu59 = fma_f64(alu51, 3.4061215800865545e-19, alu53) + fma_f64(alu51, 1.3277647201629795e-35, alu58);
  const double alu60 = (alu0 ? -alu59 : alu59) + (x - x);
  const double alu61 = fma_f64(-alu54, alu60, fma_f64(alu55, -0.5, 1.0 - alu56));
  const double alu62 = fma_f64(alu55 * alu55, fma_f64(fma_f64(alu57, alu55, -0.0013888888888873348), alu55, 0.041666666666666595), alu61);
  const double alu63 = fma_f64(fma_f64(fma_f64(-7.484901480384435e-13, alu55, 1.6056249478412678e-10), alu55, -2.5052085975589734e-08), alu55, 2.755731912928999e-06);
  const double alu64 = fma_f64(fma_f64(fma_f64(alu63, alu55, -0.00019841269841057123), alu55, 0.0083333333333331), alu55, -0.16666666666666666);
  const i64 alu65 = __double_as_longlong(alu54 + fma_f64(alu54 * alu55, alu64, alu60));
  const double alu66 = ((alu46 & 1ll) != 0ll) ? alu56 + alu62 : __longlong_as_double(alu65 | (__double_as_longlong(alu54) & (-9223372036854775807ll - 1)));
  return __longlong_as_double(__double_as_longlong(alu66) ^ ((alu46 & 2ll) << 62ll));
}

static __device__ __forceinline__ double cos_f64(double x) {
  const bool alu0 = 1073741824.0 <= abs_f64(x);
  const double alu1 = fma_f64(x, 0.6366197723675814, 6755399441055744.0);
  const i64 alu2 = add_i64(__double_as_longlong(alu1), 1ll);
  const double alu3 = alu1 - 6755399441055744.0;
  const double alu4 = fma_f64(alu3, -1.5707963267948966, x);
  const double alu5 = -(alu3 * 6.123233995736766e-17);
  const double alu6 = alu4 + alu5;
  const double alu7 = alu6 * alu6;
  const double alu8 = fma_f64(alu7, -0.5, 1.0);
  const double alu9 = fma_f64(fma_f64(fma_f64(-1.1358764868356629e-11, alu7, 2.0875705689524683e-09), alu7, -2.7557314219059315e-07), alu7, 2.4801587289008097e-05);
  const double alu10 = -(alu6 - alu4);
  const double alu11 = alu4 - (alu6 + alu10) + (alu5 + alu10);
  const double alu12 = fma_f64(alu3, 1.4973849048591698e-33, alu11 - fma_f64(alu3, 6.123233995736766e-17, alu5));
  const double alu13 = fma_f64(-alu6, alu12, fma_f64(alu7, -0.5, 1.0 - alu8));
  const double alu14 = fma_f64(alu7 * alu7, fma_f64(fma_f64(alu9, alu7, -0.0013888888888873348), alu7, 0.041666666666666595), alu13);
  const double alu15 = fma_f64(fma_f64(fma_f64(-7.484901480384435e-13, alu7, 1.6056249478412678e-10), alu7, -2.5052085975589734e-08), alu7, 2.755731912928999e-06);
  const double alu16 = fma_f64(fma_f64(fma_f64(alu15, alu7, -0.00019841269841057123), alu7, 0.0083333333333331), alu7, -0.16666666666666666);
  const i64 alu17 = __double_as_longlong(alu6 + fma_f64(alu6 * alu7, alu16, alu12));
  const double alu18 = ((alu2 & 1ll) != 0ll) ? alu8 + alu14 : __longlong_as_double(alu17 | (__double_as_longlong(alu6) & (-9223372036854775807ll - 1)));
  const double alu19 = __longlong_as_double(__double_as_longlong(alu18) ^ ((alu2 & 2ll) << 62ll));
  const double alu20 = alu0 ? cos_far_f64(x) : alu19;
  return alu20;
}

static __device__ __forceinline__ double sin_far_f64(double x) {
  const bool alu0 = x < 0.0;
  const i64 alu1 = __double_as_longlong(x) & 9223372036854775807ll;
  const u64 alu2 = (u64)((alu1 & 4503599627370495ll) | 4503599627370496ll);
  const u64 alu3 = alu2 & 0xffffffffull;
  const i64 alu4 = add_i64(alu1 >> 52ll, -1045ll);
  const i64 alu5 = (alu4 >> 5ll) & 31ll;
  const u64 alu6 = (u64)two_over_pi[(i32)add_i64(alu5, 0ll)] << 32ull;
  const u64 alu7 = (u64)two_over_pi[(i32)add_i64(alu5, 1ll)];
  const u64 alu8 = (u64)(alu4 & 31ll);
  const u64 alu9 = alu3 * ((((alu6 | alu7) << alu8) >> 32ull) & 0xffffffffull);
  const u64 alu10 = alu2 >> 32ull;
  const u64 alu11 = (u64)two_over_pi[(i32)add_i64(alu5, 2ll)];
  const u64 alu12 = ((((alu7 << 32ull) | alu11) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu13 = alu3 * alu12;
  const u64 alu14 = (u64)two_over_pi[(i32)add_i64(alu5, 3ll)];
  const u64 alu15 = ((((alu11 << 32ull) | alu14) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu16 = alu10 * alu15;
  const u64 alu17 = alu3 * alu15;
  const u64 alu18 = (u64)two_over_pi[(i32)add_i64(alu5, 4ll)];
  const u64 alu19 = ((((alu14 << 32ull) | alu18) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu20 = alu10 * alu19;
  const u64 alu21 = alu3 * alu19;
  const u64 alu22 = (u64)two_over_pi[(i32)add_i64(alu5, 5ll)];
  const u64 alu23 = ((((alu18 << 32ull) | alu22) << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu24 = alu10 * alu23;
  const u64 alu25 = alu3 * alu23;
  const u64 alu26 = (alu22 << 32ull) | (u64)two_over_pi[(i32)add_i64(alu5, 6ll)];
  const u64 alu27 = ((alu26 << alu8) >> 32ull) & 0xffffffffull;
  const u64 alu28 = alu10 * alu27;
  const u64 alu29 = alu3 * alu27;
  const u64 alu30 = (alu29 >> 32ull) + 0ull + 0ull + (((alu29 & 0xffffffffull) + 0ull + 0ull) >> 32ull);
  const u64 alu31 = (alu25 >> 32ull) + (alu28 >> 32ull) + (alu30 >> 32ull);
  const u64 alu32 = (alu25 & 0xffffffffull) + (alu28 & 0xffffffffull) + (alu30 & 0xffffffffull);
  const u64 alu33 = alu31 + (alu32 >> 32ull);
  const u64 alu34 = (alu21 >> 32ull) + (alu24 >> 32ull) + (alu33 >> 32ull);
  const u64 alu35 = (alu21 & 0xffffffffull) + (alu24 & 0xffffffffull) + (alu33 & 0xffffffffull);
  const u64 alu36 = alu34 + (alu35 >> 32ull);
  const u64 alu37 = (alu17 >> 32ull) + (alu20 >> 32ull) + (alu36 >> 32ull);
  const u64 alu38 = (alu17 & 0xffffffffull) + (alu20 & 0xffffffffull) + (alu36 & 0xffffffffull);
  const u64 alu39 = alu37 + (alu38 >> 32ull);
  const u64 alu40 = (alu13 >> 32ull) + (alu16 >> 32ull) + (alu39 >> 32ull);
  const u64 alu41 = (alu13 & 0xffffffffull) + (alu16 & 0xffffffffull) + (alu39 & 0xffffffffull);
  const u64 alu42 = (alu9 & 0xffffffffull) + ((alu10 * alu12) & 0xffffffffull) + ((alu40 + (alu41 >> 32ull)) & 0xffffffffull);
  const u64 alu43 = ((alu42 & 0xffffffffull) << 32ull) | (alu41 & 0xffffffffull);
  const u64 alu44 = (alu43 + 0x2000000000000000ull) >> 62ull;
  const i64 alu45 = (i64)alu44;
  const i64 alu46 = add_i64(alu0 ? neg_i64(alu45) : alu45, 0ll);
  const i64 alu47 = (i64)(alu43 - (alu44 << 62ull));
  const double alu48 = (double)alu47;
  const u64 alu49 = (((alu38 & 0xffffffffull) << 32ull) | (alu35 & 0xffffffffull)) >> 1ull;
  const double alu50 = (double)add_i64(alu47, neg_i64((i64)alu48)) + (double)(i64)alu49 * 1.0842021724855044e-19;
  const double alu51 = alu48 + alu50;
  const double alu52 = alu51 * 3.4061215800865545e-19;
  const double alu53 = -alu52;
  const double alu54 = alu0 ? alu53 : alu52;
  const double alu55 = alu54 * alu54;
  const double alu56 = fma_f64(alu55, -0.5, 1.0);
  const double alu57 = fma_f64(fma_f64(fma_f64(-1.1358764868356629e-11, alu55, 2.0875705689524683e-09), alu55, -2.7557314219059315e-07), alu55, 2.4801587289008097e-05);
  const double alu58 = (alu50 - (alu51 - alu48)) * 3.4061215800865545e-19;
  const double alu59 = fma_f64(alu51, 3.4061215800865545e-19, alu53) + fma_f64(alu51, 1.3277647201629795e-35, alu58);
  const double alu60 = (alu0 ? -alu59 : alu59) + (x - x);
  const double alu61 = fma_f64(-alu54, alu60, fma_f64(alu55, -0.5, 1.0 - alu56));
  const double alu62 = fma_f64(alu55 * alu55, fma_f64(fma_f64(alu57, alu55, -0.0013888888888873348), alu55, 0.041666666666666595), alu61);
  const double alu63 = fma_f64(fma_f64(fma_f64(-7.484901480384435e-13, alu55, 1.6056249478412678e-10), alu55, -2.5052085975589734e-08), alu55, 2.755731912928999e-06);
  const double alu64 = fma_f64(fma_f64(fma_f64(alu63, alu55, -0.00019841269841057123), alu55, 0.0083333333333331), alu55, -0.16666666666666666);
  const i64 alu65 = __double_as_longlong(alu54 + fma_f64(alu54 * alu55, alu64, alu60));
  const double alu66 = ((alu46 & 1ll) != 0ll) ? alu56 + alu62 : __longlong_as_double(alu65 | (__double_as_longlong(alu54) & (-9223372036854775807ll - 1)));
  return __longlong_as_double(__double_as_longlong(alu66) ^ ((alu46 & 2ll) << 62ll));
}

static __device__ __forceinline__ double sin_f64(double x) {
  const bool alu0 = 1073741824.0 <= abs_f64(x);
  const double alu1 = fma_f64(x, 0.6366197723675814, 6755399441055744.0);
  const i64 alu2 = add_i64(__double_as_longlong(alu1), 0ll);
  const double alu3 = alu1 - 6755399441055744.0;
  const double alu4 = fma_f64(alu3, -1.5707963267948966, x);
  const double alu5 = -(alu3 * 6.123233995736766e-17);
  const double alu6 = alu4 + alu5;
  const double alu7 = alu6 * alu6;
  const double alu8 = fma_f64(alu7, -0.5, 1.0);
  const double alu9 = fma_f64(fma_f64(fma_f64(-1.1358764868356629e-11, alu7, 2.0875705689524683e-09), alu7, -2.7557314219059315e-07), alu7, 2.4801587289008097e-05);
  const double alu10 = -(alu6 - alu4);
  const double alu11 = alu4 - (alu6 + alu10) + (alu5 + alu10);
  const double alu12 = fma_f64(alu3, 1.4973849048591698e-33, alu11 - fma_f64(alu3, 6.123233995736766e-17, alu5));
  const double alu13 = fma_f64(-alu6, alu12, fma_f64(alu7, -0.5, 1.0 - alu8));
  const double alu14 = fma_f64(alu7 * alu7, fma_f64(fma_f64(alu9, alu7, -0.0013888888888873348), alu7, 0.041666666666666595), alu13);
  const double alu15 = fma_f64(fma_f64(fma_f64(-7.484901480384435e-13, alu7, 1.6056249478412678e-10), alu7, -2.5052085975589734e-08), alu7, 2.755731912928999e-06);
  const double alu16 = fma_f64(fma_f64(fma_f64(alu15, alu7, -0.00019841269841057123), alu7, 0.0083333333333331), alu7, -0.16666666666666666);
  const i64 alu17 = __double_as_longlong(alu6 + fma_f64(alu6 * alu7, alu16, alu12));
  const double alu18 = ((alu2 & 1ll) != 0ll) ? alu8 + alu14 : __longlong_as_double(alu17 | (__double_as_longlong(alu6) & (-9223372036854775807ll - 1)));
  const double alu19 = __longlong_as_double(__double_as_longlong(alu18) ^ ((alu2 & 2ll) << 62ll));
  const double alu20 = alu0 ? sin_far_f64(x) : alu19;
  return alu20;
}

/* exp(-2 pi i k / n) for 0 <= k < n, from an angle of at most pi / 4. */
static __device__ __noinline__ number_f32 root_f32(i64 k, i64 n) {
  const i64 quarter = (4 * k >= n) + (4 * k >= 2 * n) + (4 * k >= 3 * n), rest = 4 * k - quarter * n;
  const bool far = 2 * rest > n;
  const double angle = (double)(far ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  const double near_axis = cos_f64(angle), off_axis = sin_f64(angle);
  const double x = far ? off_axis : near_axis, y = far ? near_axis : off_axis;
  return {(float)(quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y), (float)(quarter == 0 ? -y : quarter == 1 ? -x : quarter == 2 ? y : x)};
}

/* The tables of transforms of 64 numbers: roots of 1, exp(-2 pi i k / n), as pairs of a real and an imaginary part. */
static __device__ __noinline__ void block_tables_64_f32(float* tables, i64 block, i64 blocks) {
  for (i64 at = block * 128 + threadIdx.x; at < 56; at += blocks * 128) {
    i64 k = 0, n = 1, re = 2 * at, im = 2 * at + 1;
    if (at < 56) { const i64 i = at - 0; k = (i / 8 + 1) * (i % 8) * 1, n = 64; }
    const number_f32 root = root_f32(k, n);
    tables[re] = root.re;
    tables[im] = root.im;
  }
}

/* How real and imaginary parts that are `step` apart can be accessed: 1: in pairs, real part first; 2: in pairs, imaginary part first; 0: one
   by one. */
static __device__ __forceinline__ int pairs_of_f32(const float* re, const float* im, i64 row_step, i64 step) {
  if (step != 2 || row_step % 2 != 0 || !im) return 0;
  if (im == re + 1) return (size_t)re % sizeof(pair_f32) == 0 ? 1 : 0;
  return re == im + 1 && (size_t)im % sizeof(pair_f32) == 0 ? 2 : 0;
}

/* Loads 8 numbers that are `apart` elements apart. Without im the imaginary parts are 0. pairs: see pairs_of_f32. */
static __device__ __forceinline__ void load_8_numbers_f32(const float* re, const float* im, int pairs, i64 apart, float* x, float* y) {
  if (pairs > 0) {
    const float* const from = pairs == 1 ? re : im;
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      const pair_f32 pair = *(const pair_f32*)(from + i * apart);
      x[i] = pairs == 1 ? pair.re : pair.im;
      y[i] = pairs == 1 ? pair.im : pair.re;
    }
  } else {
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      x[i] = re[i * apart];
      y[i] = im ? im[i * apart] : (float)0;
    }
  }
}

static __device__ __forceinline__ void dft_4_elements_f32(float* re, float* im, const float*, i64) {
  const float even_re = re[0] + re[2], even_im = im[0] + im[2], odd_re = re[1] + re[3], odd_im = im[1] + im[3];
  const float x_re = re[0] - re[2], x_im = im[0] - im[2], y_re = re[1] - re[3], y_im = im[1] - im[3];
  re[0] = even_re + odd_re, im[0] = even_im + odd_im;
  re[1] = x_re + y_im, im[1] = x_im - y_re;
  re[2] = even_re - odd_re, im[2] = even_im - odd_im;
  re[3] = x_re - y_im, im[3] = x_im + y_re;
}

/* x + y sqrt(1/2). The root is the sum of high and low. */
static __device__ __forceinline__ float dft_eighth_f32(float x, float y, float high, float low) { return __fmaf_rn(y, high, __fmaf_rn(y, low, x)); }
/* Transforms the four even elements and the four odd ones, and combines them with the eighth roots of 1. */
static __device__ __forceinline__ void dft_8_elements_f32(float* re, float* im, const float* roots, i64 n) {
  const float high = (float)0x1.6a09e667f3bcdp-1, low = (float)(0x1.6a09e667f3bcdp-1 - (double)high - 0x1.bdd3413b26456p-55);
  float a[4] = {re[0], re[2], re[4], re[6]}, b[4] = {im[0], im[2], im[4], im[6]};
  float c[4] = {re[1], re[3], re[5], re[7]}, d[4] = {im[1], im[3], im[5], im[7]};
  dft_4_elements_f32(a, b, roots, n);
  dft_4_elements_f32(c, d, roots, n);
  const float near_re = c[1] + d[1], near_im = d[1] - c[1], far_re = c[3] - d[3], far_im = d[3] + c[3];
  re[0] = a[0] + c[0], im[0] = b[0] + d[0];
  re[1] = dft_eighth_f32(a[1], near_re, high, low), im[1] = dft_eighth_f32(b[1], near_im, high, low);
  re[2] = a[2] + d[2], im[2] = b[2] - c[2];
  re[3] = dft_eighth_f32(a[3], far_re, -high, -low), im[3] = dft_eighth_f32(b[3], far_im, -high, -low);
  re[4] = a[0] - c[0], im[4] = b[0] - d[0];
  re[5] = dft_eighth_f32(a[1], near_re, -high, -low), im[5] = dft_eighth_f32(b[1], near_im, -high, -low);
  re[6] = a[2] - d[2], im[6] = b[2] + c[2];
  re[7] = dft_eighth_f32(a[3], far_re, high, low), im[7] = dft_eighth_f32(b[3], far_im, high, low);
}

/* Multiplies x + i y by c + i s. */
static __device__ __forceinline__ void dft_turn_f32(float* x, float* y, float c, float s) {
  const float turned = __fmaf_rn(*x, c, -(*y * s));
  *y = __fmaf_rn(*x, s, *y * c);
  *x = turned;
}

/* Multiplies all 8 numbers but the first by roots, of which those for one number and the next are `apart` pairs apart. */
static __device__ __forceinline__ void turn_8_numbers_f32(float* x, float* y, const pair_f32* roots, int apart) {
  #pragma unroll
  for (int u = 1; u < 8; ++u) {
    const pair_f32 root = roots[(u - 1) * apart];
    dft_turn_f32(x + u, y + u, root.re, root.im);
  }
}

/* Stores 8 numbers in the places `first` + i * `apart` of a row; those from place `kept` on are not stored, if kept > 0. */
static __device__ __forceinline__ void store_8_numbers_f32(float* re, float* im, int pairs, i64 step, i64 first, i64 apart, i64 kept, const float* x, const float* y) {
  float* const to = pairs == 1 ? re : im;
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    const i64 place = first + i * apart;
    if (kept > 0 && place >= kept) continue;
    if (pairs > 0) {
      *(pair_f32*)(to + place * step) = pair_f32{pairs == 1 ? x[i] : y[i], pairs == 1 ? y[i] : x[i]};
    } else {
      re[place * step] = x[i];
      im[place * step] = y[i];
    }
  }
}

/* Transforms rows of 64 numbers, by 8 8; a tile is 16 rows.
   Element k of row q is at q * row_step + k * step. Only the first `kept` elements of a row are stored; 0: all. */
static __device__ __forceinline__ void transform_rows_64_f32(i64 rows, const float* re, const float* im, i64 row_step, i64 step, float* to_re, float* to_im, i64 to_row_step, i64 to_step, i64 kept, const float* tables, i64 tile) {
  __shared__ float numbers[2302];
  float x[8], y[8]; /* the numbers of a thread: real and imaginary parts */
  const int pairs = pairs_of_f32(re, im, row_step, step);
  const int to_pairs = pairs_of_f32(to_re, to_im, to_row_step, to_step);
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 16;
    const u32 at = k % 8;
    const i64 row = tile * 16 + line;
    const i64 from = row * row_step + at * step;
    if (row < rows) load_8_numbers_f32(re + from, im ? im + from : 0, pairs, 8 * step, x + 8 * b, y + 8 * b);
    else {
    #pragma unroll
    for (int i = 0; i < 8; ++i) x[8 * b + i] = y[8 * b + i] = 0;
    }
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const u32 j = at / 1;
    if (j > 0) turn_8_numbers_f32(x + 8 * b, y + 8 * b, (const pair_f32*)(tables + 0) + j, 8);
  }
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 16;
    const u32 at = k % 8;
    const u32 number = line * 64 + at * 8;
    const u32 place = number + number / 8 * 1;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 1] = x[8 * b + i]; numbers[1151 + place + i * 1] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 16;
    const u32 at = k % 8;
    const u32 number = line * 64 + at;
    const u32 place = number + number / 8 * 1;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { x[8 * b + i] = numbers[place + i * 9]; y[8 * b + i] = numbers[1151 + place + i * 9]; }
  }
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 16;
    const u32 at = k % 8;
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const i64 to_row = tile * 16 + line;
    if (to_row < rows) store_8_numbers_f32(to_re + to_row * to_row_step, to_im + to_row * to_row_step, to_pairs, to_step, at, 8, kept, x + 8 * b, y + 8 * b);
  }
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* The tables of transforms of 4096 numbers: roots of 1, exp(-2 pi i k / n), as pairs of a real and an imaginary part. */
static __device__ __noinline__ void block_tables_4096_f32(float* tables, i64 block, i64 blocks) {
  for (i64 at = block * 128 + threadIdx.x; at < 4152; at += blocks * 128) {
    i64 k = 0, n = 1, re = 2 * at, im = 2 * at + 1;
    if (at < 56) { const i64 i = at - 0; k = (i / 8 + 1) * (i % 8) * 1, n = 64; }
    else if (at < 4152) { const i64 i = at - 56; k = (i / 64) * (i % 64), n = 4096; }
    const number_f32 root = root_f32(k, n);
    tables[re] = root.re;
    tables[im] = root.im;
  }
}

/* Transforms rows of 4096 numbers, as matrices of 64 x 64, by 8 8 8 8; a tile is 1 row.
   Element k of row q is at q * row_step + k * step. Only the first `kept` elements of a row are stored; 0: all. */
static __device__ __forceinline__ void transform_rows_4096_f32(i64 rows, const float* re, const float* im, i64 row_step, i64 step, float* to_re, float* to_im, i64 to_row_step, i64 to_step, i64 kept, const float* tables, i64 tile) {
  __shared__ float numbers[9200];
  float x[8], y[8]; /* the numbers of a thread: real and imaginary parts */
  const int pairs = pairs_of_f32(re, im, row_step, step);
  const int to_pairs = pairs_of_f32(to_re, to_im, to_row_step, to_step);
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 at = k;
    const i64 row = tile;
    const i64 from = row * row_step + at * step;
    load_8_numbers_f32(re + from, im ? im + from : 0, pairs, 512 * step, x + 8 * b, y + 8 * b);
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const u32 j = at / 64;
    if (j > 0) turn_8_numbers_f32(x + 8 * b, y + 8 * b, (const pair_f32*)(tables + 0) + j, 8);
  }
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 4096 + at + at / 64 * 448;
    const u32 place = number;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 64] = x[8 * b + i]; numbers[4600 + place + i * 64] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 4096 + at;
    const u32 place = number;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { x[8 * b + i] = numbers[place + i * 512]; y[8 * b + i] = numbers[4600 + place + i * 512]; }
  }
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 at = k;
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const pair_f32* const turns = (const pair_f32*)(tables + 112) + at;
    #pragma unroll
    for (int u = 0; u < 8; ++u) dft_turn_f32(&x[8 * b + u], &y[8 * b + u], turns[u * 512].re, turns[u * 512].im);
  }
  /* a pass by 8 */
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 4096 + at + at / 512 * 3584;
    const u32 place = number + number / 64 * 8;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 576] = x[8 * b + i]; numbers[4600 + place + i * 576] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = k / 8 % 64;
    const u32 at = k % 8;
    const u32 number = line * 64 + at;
    const u32 place = number + number / 64 * 8;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { x[8 * b + i] = numbers[place + i * 8]; y[8 * b + i] = numbers[4600 + place + i * 8]; }
  }
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 at = k % 8;
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const u32 j = at / 1;
    if (j > 0) turn_8_numbers_f32(x + 8 * b, y + 8 * b, (const pair_f32*)(tables + 0) + j, 8);
  }
  /* a pass by 8 */
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = k / 8 % 64;
    const u32 at = k % 8;
    const u32 number = line * 64 + at * 8;
    const u32 place = number + number / 64 * 1;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 1] = x[8 * b + i]; numbers[4600 + place + i * 1] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = k / 1 % 64;
    const u32 at = k / 64;
    const u32 number = line * 64 + at;
    const u32 place = number + number / 64 * 1;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { x[8 * b + i] = numbers[place + i * 8]; y[8 * b + i] = numbers[4600 + place + i * 8]; }
  }
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 512 + threadIdx.x;
    const u32 line = k / 1 % 64;
    const u32 at = k / 64;
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const i64 to_row = tile;
    const u32 column = line;
    store_8_numbers_f32(to_re + to_row * to_row_step, to_im + to_row * to_row_step, to_pairs, to_step, (i64)at * 64 + column, 512, kept, x + 8 * b, y + 8 * b);
  }
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* The tables of transforms of 16384 numbers: roots of 1, exp(-2 pi i k / n), as pairs of a real and an imaginary part. */
static __device__ __noinline__ void block_tables_16384_f32(float* tables, i64 block, i64 blocks) {
  for (i64 at = block * 128 + threadIdx.x; at < 2173; at += blocks * 128) {
    i64 k = 0, n = 1, re = 2 * at, im = 2 * at + 1;
    if (at < 112) { const i64 i = at - 0; k = (i / 16 + 1) * (i % 16) * 1, n = 128; }
    else if (at < 124) { const i64 i = at - 112; k = (i / 4 + 1) * (i % 4) * 8, n = 128; }
    else if (at < 2173) { const i64 i = at - 124; k = i, n = 16384; }
    const number_f32 root = root_f32(k, n);
    tables[re] = root.re;
    tables[im] = root.im;
  }
}

/* Multiplies all 4 numbers but the first by roots, of which those for one number and the next are `apart` pairs apart. */
static __device__ __forceinline__ void turn_4_numbers_f32(float* x, float* y, const pair_f32* roots, int apart) {
  #pragma unroll
  for (int u = 1; u < 4; ++u) {
    const pair_f32 root = roots[(u - 1) * apart];
    dft_turn_f32(x + u, y + u, root.re, root.im);
  }
}

/* Multiplies x + i y by exp(-2 pi i k / 16384). `first` are the roots of 1 with angles up to an eighth of a circle. */
static __device__ __forceinline__ void turn_by_root_of_16384_f32(float* x, float* y, u32 k, const pair_f32* first) {
  const u32 quarter = 4 * k / 16384u, rest = 4 * k - quarter * 16384u;
  const bool far = 2 * rest > 16384u;
  const pair_f32 root = first[(far ? 16384u - rest : rest) / 4u];
  const float a = far ? -root.im : root.re, b = far ? -root.re : root.im;
  const float c = quarter % 2 == 0 ? a : b, s = quarter % 2 == 0 ? b : a;
  dft_turn_f32(x, y, quarter < 2 ? c : -c, quarter == 1 || quarter == 2 ? -s : s);
}

/* Transforms the columns of rows of 16384 numbers as matrices of 128 x 128, by 8 4 4; a tile is
   8 columns. Their results are in `matrix` by tile, row and column.
   Element k of row q is at q * row_step + k * step. Only the first `kept` elements of a row are stored; 0: all. */
static __device__ __forceinline__ void transform_columns_of_rows_16384_f32(const float* re, const float* im, i64 row_step, i64 step, const float* tables, float* matrix, i64 tile) {
  __shared__ float numbers[2288];
  float x[8], y[8]; /* the numbers of a thread: real and imaginary parts */
  const i64 row = tile / 16;
  const u32 first = (u32)(tile % 16) * 8;
  const int pairs = pairs_of_f32(re, im, row_step, step);
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 at = k;
    const u32 loaded = first + at % 8;
    const i64 from = row * row_step + (at / 8 * 128 + loaded) * step;
    load_8_numbers_f32(re + from, im ? im + from : 0, pairs, 2048 * step, x + 8 * b, y + 8 * b);
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const u32 j = at / 8;
    if (j > 0) turn_8_numbers_f32(x + 8 * b, y + 8 * b, (const pair_f32*)(tables + 0) + j, 16);
  }
  /* a pass by 4 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 1024 + at + at / 8 * 56;
    const u32 place = number + number / 64 * 8;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 8] = x[8 * b + i]; numbers[1144 + place + i * 8] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 1024 + at;
    const u32 place = number + number / 64 * 8;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { x[4 * b + i] = numbers[place + i * 288]; y[4 * b + i] = numbers[1144 + place + i * 288]; }
  }
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 at = k;
    dft_4_elements_f32(x + 4 * b, y + 4 * b, 0, 0);
    const u32 j = at / 64;
    if (j > 0) turn_4_numbers_f32(x + 4 * b, y + 4 * b, (const pair_f32*)(tables + 224) + j, 4);
  }
  /* a pass by 4 */
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 1024 + at + at / 64 * 192;
    const u32 place = number;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { numbers[place + i * 64] = x[4 * b + i]; numbers[1144 + place + i * 64] = y[4 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = 0;
    const u32 at = k;
    const u32 number = line * 1024 + at;
    const u32 place = number;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { x[4 * b + i] = numbers[place + i * 256]; y[4 * b + i] = numbers[1144 + place + i * 256]; }
  }
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 at = k;
    dft_4_elements_f32(x + 4 * b, y + 4 * b, 0, 0);
    const u32 column = first + at % 8, of_row = at / 8;
    #pragma unroll
    for (int u = 0; u < 4; ++u) turn_by_root_of_16384_f32(&x[4 * b + u], &y[4 * b + u], (of_row + u * 32) * column, (const pair_f32*)(tables + 248));
    pair_f32* const to = (pair_f32*)matrix + tile * 1024 + at;
    #pragma unroll
    for (int u = 0; u < 4; ++u) to[u * 256] = pair_f32{x[4 * b + u], y[4 * b + u]};
  }
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* Stores 4 numbers in the places `first` + i * `apart` of a row; those from place `kept` on are not stored, if kept > 0. */
static __device__ __forceinline__ void store_4_numbers_f32(float* re, float* im, int pairs, i64 step, i64 first, i64 apart, i64 kept, const float* x, const float* y) {
  float* const to = pairs == 1 ? re : im;
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    const i64 place = first + i * apart;
    if (kept > 0 && place >= kept) continue;
    if (pairs > 0) {
      *(pair_f32*)(to + place * step) = pair_f32{pairs == 1 ? x[i] : y[i], pairs == 1 ? y[i] : x[i]};
    } else {
      re[place * step] = x[i];
      im[place * step] = y[i];
    }
  }
}

/* Transforms the rows of the matrices that 16384 numbers are, by 8 4 4; a tile is 8 rows.
   The results are the columns of matrices.
   Element k of row q is at q * row_step + k * step. Only the first `kept` elements of a row are stored; 0: all. */
static __device__ __forceinline__ void transform_rows_of_matrices_16384_f32(float* to_re, float* to_im, i64 to_row_step, i64 to_step, i64 kept, const float* tables, const float* matrix, i64 tile) {
  __shared__ float numbers[2358];
  float x[8], y[8]; /* the numbers of a thread: real and imaginary parts */
  const i64 row = tile / 16;
  const u32 first = (u32)(tile % 16) * 8;
  const int to_pairs = pairs_of_f32(to_re, to_im, to_row_step, to_step);
  /* a pass by 8 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 8;
    const u32 at = k / 64 * 8 + k % 8;
    const u32 u = first + line;
    const float* const from = matrix + row * 32768;
    {
      const i64 at_first = 2 * ((at / 8 * 128 + u) * 8 + at % 8);
      load_8_numbers_f32(from + at_first, from + at_first + 1, 1, 4096, x + 8 * b, y + 8 * b);
    }
    dft_8_elements_f32(x + 8 * b, y + 8 * b, 0, 0);
    const u32 j = at / 1;
    if (j > 0) turn_8_numbers_f32(x + 8 * b, y + 8 * b, (const pair_f32*)(tables + 0) + j, 16);
  }
  /* a pass by 4 */
  #pragma unroll
  for (int b = 0; b < 1; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 8 % 8;
    const u32 at = k / 64 * 8 + k % 8;
    const u32 number = line * 128 + at * 8;
    const u32 place = number + number / 32 * 1 + number / 128 * 2;
    #pragma unroll
    for (int i = 0; i < 8; ++i) { numbers[place + i * 1] = x[8 * b + i]; numbers[1179 + place + i * 1] = y[8 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 32 % 8;
    const u32 at = k % 32;
    const u32 number = line * 128 + at;
    const u32 place = number + number / 32 * 1 + number / 128 * 2;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { x[4 * b + i] = numbers[place + i * 33]; y[4 * b + i] = numbers[1179 + place + i * 33]; }
  }
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 at = k % 32;
    dft_4_elements_f32(x + 4 * b, y + 4 * b, 0, 0);
    const u32 j = at / 8;
    if (j > 0) turn_4_numbers_f32(x + 4 * b, y + 4 * b, (const pair_f32*)(tables + 224) + j, 4);
  }
  /* a pass by 4 */
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 32 % 8;
    const u32 at = k % 32;
    const u32 number = line * 128 + at + at / 8 * 24;
    const u32 place = number + number / 8 * 1 + number / 128 * 4;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { numbers[place + i * 9] = x[4 * b + i]; numbers[1179 + place + i * 9] = y[4 * b + i]; }
  }
  __syncthreads();
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 1 % 8;
    const u32 at = k / 8;
    const u32 number = line * 128 + at;
    const u32 place = number + number / 8 * 1 + number / 128 * 4;
    #pragma unroll
    for (int i = 0; i < 4; ++i) { x[4 * b + i] = numbers[place + i * 36]; y[4 * b + i] = numbers[1179 + place + i * 36]; }
  }
  #pragma unroll
  for (int b = 0; b < 2; ++b) {
    const u32 k = b * 128 + threadIdx.x;
    const u32 line = k / 1 % 8;
    const u32 at = k / 8;
    dft_4_elements_f32(x + 4 * b, y + 4 * b, 0, 0);
    const u32 column = first + line;
    store_4_numbers_f32(to_re + row * to_row_step, to_im + row * to_row_step, to_pairs, to_step, (i64)at * 128 + column, 4096, kept, x + 4 * b, y + 4 * b);
  }
  __syncthreads(); /* the next tile uses the same shared memory */
}

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

/* The factor of the first pass for n elements; 0: n has no factor up to 13. Factors 8 and 4 leave no single factor 2 if possible. */
static __device__ __forceinline__ i64 dft_factor(i64 n) {
  if (n % 32 == 0 || n % 16 == 8) return 8;
  if (n % 4 == 0) return 4;
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n % 11 == 0 ? 11 : n % 13 == 0 ? 13 : 0;
}

/* The length of the transforms that compute one of n elements: n, or for a large prime factor that of a convolution, 2^i or 3 * 2^i. */
static __device__ __noinline__ i64 dft_length(i64 n) {
  i64 left = n, m = 1;
  while (left > 1 && dft_factor(left) > 0) left /= dft_factor(left);
  if (left <= 1) return n;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}

/* exp(-2 pi i k / n) for 0 <= k < n, from an angle of at most pi / 4. */
static __device__ __noinline__ number_f64 root_f64(i64 k, i64 n) {
  const i64 quarter = (4 * k >= n) + (4 * k >= 2 * n) + (4 * k >= 3 * n), rest = 4 * k - quarter * n;
  const bool far = 2 * rest > n;
  const double angle = (double)(far ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  const double near_axis = cos_f64(angle), off_axis = sin_f64(angle);
  const double x = far ? off_axis : near_axis, y = far ? near_axis : off_axis;
  return {(double)(quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y), (double)(quarter == 0 ? -y : quarter == 1 ? -x : quarter == 2 ? y : x)};
}

/* The tables of transforms of n elements: the roots of 1, clockwise, of the length that is transformed, real parts, then imaginary parts. For
   a convolution follows u[k] = exp(-i pi k k / n). */
static __device__ __noinline__ void dft_tables_f64(i64 n, double* tables, i64 block, i64 blocks) {
  const i64 length = dft_length(n);
  double* const u = tables + 2 * length;
  for (i64 k = block * 128 + threadIdx.x; k < length; k += blocks * 128) {
    const number_f64 root = root_f64(k, length);
    tables[k] = root.re;
    tables[length + k] = root.im;
    if (length > n && k < n) {
      const number_f64 turn = root_f64((i64)((u64)k * (u64)k % (u64)(2 * n)), 2 * n);
      u[k] = turn.re;
      u[n + k] = turn.im;
    }
  }
}

/* Shared memory for two buffers of a tile. */
static __device__ __forceinline__ double* dft_tile_f64() {
  __shared__ double numbers[4 * 1024];
  return numbers;
}

static __device__ __forceinline__ void dft_4_elements_f64(double* re, double* im, const double*, i64) {
  const double even_re = re[0] + re[2], even_im = im[0] + im[2], odd_re = re[1] + re[3], odd_im = im[1] + im[3];
  const double x_re = re[0] - re[2], x_im = im[0] - im[2], y_re = re[1] - re[3], y_im = im[1] - im[3];
  re[0] = even_re + odd_re, im[0] = even_im + odd_im;
  re[1] = x_re + y_im, im[1] = x_im - y_re;
  re[2] = even_re - odd_re, im[2] = even_im - odd_im;
  re[3] = x_re - y_im, im[3] = x_im + y_re;
}

/* x + y sqrt(1/2). The root is the sum of high and low. */
static __device__ __forceinline__ double dft_eighth_f64(double x, double y, double high, double low) { return __fma_rn(y, high, __fma_rn(y, low, x)); }
/* Transforms the four even elements and the four odd ones, and combines them with the eighth roots of 1. */
static __device__ __forceinline__ void dft_8_elements_f64(double* re, double* im, const double* roots, i64 n) {
  const double high = (double)0x1.6a09e667f3bcdp-1, low = (double)(0x1.6a09e667f3bcdp-1 - (double)high - 0x1.bdd3413b26456p-55);
  double a[4] = {re[0], re[2], re[4], re[6]}, b[4] = {im[0], im[2], im[4], im[6]};
  double c[4] = {re[1], re[3], re[5], re[7]}, d[4] = {im[1], im[3], im[5], im[7]};
  dft_4_elements_f64(a, b, roots, n);
  dft_4_elements_f64(c, d, roots, n);
  const double near_re = c[1] + d[1], near_im = d[1] - c[1], far_re = c[3] - d[3], far_im = d[3] + c[3];
  re[0] = a[0] + c[0], im[0] = b[0] + d[0];
  re[1] = dft_eighth_f64(a[1], near_re, high, low), im[1] = dft_eighth_f64(b[1], near_im, high, low);
  re[2] = a[2] + d[2], im[2] = b[2] - c[2];
  re[3] = dft_eighth_f64(a[3], far_re, -high, -low), im[3] = dft_eighth_f64(b[3], far_im, -high, -low);
  re[4] = a[0] - c[0], im[4] = b[0] - d[0];
  re[5] = dft_eighth_f64(a[1], near_re, -high, -low), im[5] = dft_eighth_f64(b[1], near_im, -high, -low);
  re[6] = a[2] - d[2], im[6] = b[2] + c[2];
  re[7] = dft_eighth_f64(a[3], far_re, high, low), im[7] = dft_eighth_f64(b[3], far_im, high, low);
}

/* Multiplies x + i y by c + i s. */
static __device__ __forceinline__ void dft_turn_f64(double* x, double* y, double c, double s) {
  const double turned = __fma_rn(*x, c, -(*y * s));
  *y = __fma_rn(*x, s, *y * c);
  *x = turned;
}

/* A pass by 8 over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
static __device__ __forceinline__ void dft_pass_by_8_f64(int length, int lines, int done, const double* roots, i64 n, const double* from, double* to) {
  const int size = length * lines, apart = length / 8;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    double re[8], im[8];
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_8_elements_f64(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
      if (j > 0 && u > 0) dft_turn_f64(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * 8 + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}

/* A pass by 4 over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
static __device__ __forceinline__ void dft_pass_by_4_f64(int length, int lines, int done, const double* roots, i64 n, const double* from, double* to) {
  const int size = length * lines, apart = length / 4;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    double re[4], im[4];
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_4_elements_f64(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
      if (j > 0 && u > 0) dft_turn_f64(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * 4 + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}

/* Transforms lines, `per_row` of each row. Lines are the columns of a row as a matrix, whose results are turned and stored as columns of a
   matrix; or they are the rows of that matrix, or whole rows, whose results are stored as columns. Element k of row q is at
   q * row_step + k * step. Without im the imaginary parts are 0. A block transforms `lines` lines at a time. Only the first `kept` elements of
   a row are stored; 0: all. */
static __device__ __forceinline__ void dft_columns_32_of_64_f64(i64 rows, const double* re, const double* im, i64 row_step, i64 step, double* to_re, double* to_im, i64 to_row_step, i64 to_step, i64 kept, const double* roots, double* spare, i64 block, i64 blocks) {
  const int length = 32, lines = 4;
  const i64 per_row = 64;
  const bool are_columns = true;
  const int size = length * lines;
  const i64 n = per_row * length, all = rows * per_row;
  double *const one = dft_tile_f64(), *const other = one + 2 * size;
  /* neighbouring threads access neighbouring numbers */
  const bool loads_lines = are_columns || (per_row == 1 && row_step < step), stores_lines = per_row > 1 || to_row_step < to_step;
  for (i64 tile = block; tile * lines < all; tile += blocks) {
    const i64 first = tile * lines;
    const int count = all - first < lines ? (int)(all - first) : lines;
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = loads_lines ? k / lines : k % length, l = loads_lines ? k % lines : k / length;
      double x = 0, y = 0; /* beyond the last line */
      if (l < count) {
        const i64 row = (first + l) / per_row, line = first + l - row * per_row;
        const i64 at = row * row_step + (are_columns ? e * per_row + line : line * length + e) * step;
        x = re[at];
        if (im) y = im[at];
      }
      one[e * lines + l] = x;
      one[size + e * lines + l] = y;
    }
    __syncthreads();
    dft_pass_by_8_f64(length, lines, 1, roots, n, one, other);
    dft_pass_by_4_f64(length, lines, 8, roots, n, other, one);
    const double* const result = one;
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = stores_lines ? k / lines : k % length, l = stores_lines ? k % lines : k / length;
      if (l >= count) continue;
      const i64 row = (first + l) / per_row, line = first + l - row * per_row, place = e * per_row + line;
      if (kept > 0 && place >= kept) continue;
      double x = result[e * lines + l], y = result[size + e * lines + l];
      if (are_columns) dft_turn_f64(&x, &y, roots[e * line], roots[n + e * line]);
      to_re[row * to_row_step + place * to_step] = x;
      to_im[row * to_row_step + place * to_step] = y;
    }
    __syncthreads(); /* the next tile uses the same memory */
  }
}

/* Transforms lines, `per_row` of each row. Lines are the columns of a row as a matrix, whose results are turned and stored as columns of a
   matrix; or they are the rows of that matrix, or whole rows, whose results are stored as columns. Element k of row q is at
   q * row_step + k * step. Without im the imaginary parts are 0. A block transforms `lines` lines at a time. Only the first `kept` elements of
   a row are stored; 0: all. */
static __device__ __forceinline__ void dft_lines_64_of_32_f64(i64 rows, const double* re, const double* im, i64 row_step, i64 step, double* to_re, double* to_im, i64 to_row_step, i64 to_step, i64 kept, const double* roots, double* spare, i64 block, i64 blocks) {
  const int length = 64, lines = 4;
  const i64 per_row = 32;
  const bool are_columns = false;
  const int size = length * lines;
  const i64 n = per_row * length, all = rows * per_row;
  double *const one = dft_tile_f64(), *const other = one + 2 * size;
  /* neighbouring threads access neighbouring numbers */
  const bool loads_lines = are_columns || (per_row == 1 && row_step < step), stores_lines = per_row > 1 || to_row_step < to_step;
  for (i64 tile = block; tile * lines < all; tile += blocks) {
    const i64 first = tile * lines;
    const int count = all - first < lines ? (int)(all - first) : lines;
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = loads_lines ? k / lines : k % length, l = loads_lines ? k % lines : k / length;
      double x = 0, y = 0; /* beyond the last line */
      if (l < count) {
        const i64 row = (first + l) / per_row, line = first + l - row * per_row;
        const i64 at = row * row_step + (are_columns ? e * per_row + line : line * length + e) * step;
        x = re[at];
        if (im) y = im[at];
      }
      one[e * lines + l] = x;
      one[size + e * lines + l] = y;
    }
    __syncthreads();
    dft_pass_by_8_f64(length, lines, 1, roots, n, one, other);
    dft_pass_by_8_f64(length, lines, 8, roots, n, other, one);
    const double* const result = one;
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = stores_lines ? k / lines : k % length, l = stores_lines ? k % lines : k / length;
      if (l >= count) continue;
      const i64 row = (first + l) / per_row, line = first + l - row * per_row, place = e * per_row + line;
      if (kept > 0 && place >= kept) continue;
      double x = result[e * lines + l], y = result[size + e * lines + l];
      if (are_columns) dft_turn_f64(&x, &y, roots[e * line], roots[n + e * line]);
      to_re[row * to_row_step + place * to_step] = x;
      to_im[row * to_row_step + place * to_step] = y;
    }
    __syncthreads(); /* the next tile uses the same memory */
  }
}

/* Transforms a row by one block. `spare` has room for the row as a matrix, and for a line that does not fit shared memory. */
static __device__ __forceinline__ void dft_row_f64_2048(i64 n, const double* re, const double* im, i64 step, double* to_re, double* to_im, i64 to_step, i64 kept, const double* roots, double* spare) {
  dft_columns_32_of_64_f64(1, re, im, 0, step, spare, spare + n, 0, 1, 0, roots, spare + 2 * n, 0, 1);
  dft_lines_64_of_32_f64(1, spare, spare + n, 0, 1, to_re, to_im, 0, to_step, kept, roots, spare + 2 * n, 0, 1);
}

/* Rows of a length with a large prime factor (Bluestein's algorithm): the transform is u times the convolution of u x with conj(u), which
   transforms of m elements compute. This one is that of conj(u). */
static __device__ __noinline__ void dft_filter_f64_1009(i64 n, double* tables, double* spare) {
  const i64 m = dft_length(n);
  if (m == n) return;
  double *const u = tables + 2 * m, *const filter = u + 2 * n;
  const double share = 1 / (double)m;
  for (i64 k = threadIdx.x; k < m; k += 128) {
    const i64 from = k < n ? k : m - k < n ? m - k : -1;
    spare[k] = from < 0 ? 0 : u[from] * share;
    spare[m + k] = from < 0 ? 0 : -u[n + from] * share;
  }
  __syncthreads();
  dft_row_f64_2048(m, spare, spare + m, 1, filter, filter + m, 1, 0, tables, spare + 2 * m);
}

/* Transforms rows, each by one block. A block has `row_memory` numbers of `spare`. */
static __device__ __noinline__ void dft_rows_f64_1009(i64 n, i64 rows, const double* re, const double* im, i64 row_step, i64 step, double* to_re, double* to_im, i64 to_row_step, i64 to_step, i64 kept, const double* tables, double* spare, i64 row_memory, i64 block, i64 blocks) {
  const i64 m = dft_length(n), sharing = blocks;
  if (n == 0 || block >= sharing) return;
  const bool is_convolution = m != n;
  const double *const u = tables + 2 * m, *const filter = u + 2 * n;
  double *const x = spare + block * row_memory, *const y = x + 2 * m, *const rest = y + 2 * m;
  for (i64 row = block; row < rows; row += sharing) {
    const i64 from = row * row_step, to = row * to_row_step;
    /* one call for both transforms of a convolution, because it is inlined; the second one is inverse: it exchanges real and imaginary parts */
    for (int is_inverse = 0; is_inverse <= is_convolution; ++is_inverse) {
      for (i64 k = threadIdx.x; is_convolution && k < m; k += 128) {
        double a = 0, b = 0;
        if (is_inverse) {
          a = y[k], b = y[m + k];
          dft_turn_f64(&a, &b, filter[k], filter[m + k]);
        } else if (k < n) {
          a = re[from + k * step];
          if (im) b = im[from + k * step];
          dft_turn_f64(&a, &b, u[k], u[n + k]);
        }
        x[k] = a;
        x[m + k] = b;
      }
      __syncthreads();
      const double *const one = is_convolution ? x : re + from, *const other = is_convolution ? x + m : im ? im + from : 0;
      double *const to_one = is_convolution ? y : to_re + to, *const to_other = is_convolution ? y + m : to_im + to;
      dft_row_f64_2048(m, is_inverse ? other : one, is_inverse ? one : other, is_convolution ? 1 : step, is_inverse ? to_other : to_one,
          is_inverse ? to_one : to_other, is_convolution ? 1 : to_step, is_convolution ? 0 : kept, tables, is_convolution ? rest : x);
    }
    const i64 count = kept > 0 ? kept : n;
    for (i64 k = threadIdx.x; is_convolution && k < count; k += 128) {
      double a = y[k], b = y[m + k];
      dft_turn_f64(&a, &b, u[k], u[n + k]);
      to_re[to + k * to_step] = a;
      to_im[to + k * to_step] = b;
    }
    __syncthreads(); /* the next row uses the same memory */
  }
}

/* The tables of transforms of n elements: the roots of 1, clockwise, of the length that is transformed, real parts, then imaginary parts. For
   a convolution follows u[k] = exp(-i pi k k / n). */
static __device__ __noinline__ void dft_tables_f32(i64 n, float* tables, i64 block, i64 blocks) {
  const i64 length = dft_length(n);
  float* const u = tables + 2 * length;
  for (i64 k = block * 128 + threadIdx.x; k < length; k += blocks * 128) {
    const number_f32 root = root_f32(k, length);
    tables[k] = root.re;
    tables[length + k] = root.im;
    if (length > n && k < n) {
      const number_f32 turn = root_f32((i64)((u64)k * (u64)k % (u64)(2 * n)), 2 * n);
      u[k] = turn.re;
      u[n + k] = turn.im;
    }
  }
}

/* A long row is transformed as a matrix. Returns its number of rows, which is about that of its columns; 1: the row is too short for this. */
static __device__ __noinline__ i64 dft_matrix_rows(i64 n) {
  i64 rows = 1, left = n;
  while (n >= 256) {
    const i64 p = left % 2 == 0 ? 2 : dft_factor(left);
    if (rows >= 16 && rows * p * rows * p > n) break;
    rows *= p;
    left /= p;
  }
  return left < 16 ? 1 : rows;
}

/* Shared memory for two buffers of a tile. */
static __device__ __forceinline__ float* dft_tile_f32() {
  __shared__ float numbers[4 * 2048];
  return numbers;
}

/* A pass by 8 over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
static __device__ __forceinline__ void dft_pass_by_8_f32(int length, int lines, int done, const float* roots, i64 n, const float* from, float* to) {
  const int size = length * lines, apart = length / 8;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    float re[8], im[8];
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_8_elements_f32(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
      if (j > 0 && u > 0) dft_turn_f32(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * 8 + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}

/* A pass by 4 over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
static __device__ __forceinline__ void dft_pass_by_4_f32(int length, int lines, int done, const float* roots, i64 n, const float* from, float* to) {
  const int size = length * lines, apart = length / 4;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    float re[4], im[4];
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_4_elements_f32(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
      if (j > 0 && u > 0) dft_turn_f32(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * 4 + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}

static __device__ __forceinline__ void dft_2_elements_f32(float* re, float* im, const float*, i64) {
  const float a = re[0], b = re[1], e = im[0], f = im[1];
  re[0] = a + b, im[0] = e + f;
  re[1] = a - b, im[1] = e - f;
}

/* A pass by 2 over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
static __device__ __forceinline__ void dft_pass_by_2_f32(int length, int lines, int done, const float* roots, i64 n, const float* from, float* to) {
  const int size = length * lines, apart = length / 2;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    float re[2], im[2];
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_2_elements_f32(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < 2; ++u) {
      if (j > 0 && u > 0) dft_turn_f32(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * 2 + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}

/* The same for any odd factor p, with few registers: the numbers are read again for each result. */
static __device__ __forceinline__ void dft_pass_by_odd_f32(int p, int length, int lines, int done, const float* roots, i64 n, const float* from, float* to) {
  const int size = length * lines, apart = length / p;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += 128) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done, target = (j * done * p + place) * lines + line;
    const float *const re = from + at * lines + line, *const im = re + size;
    float all_re = re[0], all_im = im[0];
    #pragma unroll 1
    for (int i = 1; i <= p / 2; ++i) {
      const int one = i * apart * lines, other = (p - i) * apart * lines;
      all_re += re[one] + re[other];
      all_im += im[one] + im[other];
    }
    to[target] = all_re;
    to[size + target] = all_im;
    #pragma unroll 1
    for (int u = 1; u <= p / 2; ++u) {
      float x_re = re[0], x_im = im[0], y_re = 0, y_im = 0;
      #pragma unroll 1
      for (int i = 1; i <= p / 2; ++i) {
        const int one = i * apart * lines, other = (p - i) * apart * lines;
        const i64 root = i * u % p * (n / p);
        const float c = roots[root], s = roots[n + root];
        x_re += (re[one] + re[other]) * c;
        x_im += (im[one] + im[other]) * c;
        y_re = i == 1 ? (re[one] - re[other]) * s : y_re + (re[one] - re[other]) * s;
        y_im = i == 1 ? (im[one] - im[other]) * s : y_im + (im[one] - im[other]) * s;
      }
      float a = x_re - y_im, b = x_im + y_re, c = x_re + y_im, d = x_im - y_re;
      const int v = p - u;
      if (j > 0) dft_turn_f32(&a, &b, roots[j * u * turn], roots[n + j * u * turn]);
      if (j > 0) dft_turn_f32(&c, &d, roots[j * v * turn], roots[n + j * v * turn]);
      to[target + u * done * lines] = a;
      to[size + target + u * done * lines] = b;
      to[target + v * done * lines] = c;
      to[size + target + v * done * lines] = d;
    }
  }
  __syncthreads();
}

/* Transforms lines, `per_row` of each row. Lines are the columns of a row as a matrix, whose results are turned and stored as columns of a
   matrix; or they are the rows of that matrix, or whole rows, whose results are stored as columns. Element k of row q is at
   q * row_step + k * step. Without im the imaginary parts are 0. A block transforms `lines` lines at a time. Only the first `kept` elements of
   a row are stored; 0: all. */
static __device__ __forceinline__ void dft_lines_f32(int length, i64 per_row, bool are_columns, i64 rows, const float* re, const float* im, i64 row_step, i64 step, float* to_re, float* to_im, i64 to_row_step, i64 to_step, i64 kept, const float* roots, float* spare, i64 block, i64 blocks) {
  const int lines = length < 2048 ? 2048 / length : 1;
  const int size = length * lines;
  const i64 n = per_row * length, all = rows * per_row;
  float *const one = length <= 2048 ? dft_tile_f32() : spare, *const other = one + 2 * size;
  /* neighbouring threads access neighbouring numbers */
  const bool loads_lines = are_columns || (per_row == 1 && row_step < step), stores_lines = per_row > 1 || to_row_step < to_step;
  for (i64 tile = block; tile * lines < all; tile += blocks) {
    const i64 first = tile * lines;
    const int count = all - first < lines ? (int)(all - first) : lines;
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = loads_lines ? k / lines : k % length, l = loads_lines ? k % lines : k / length;
      float x = 0, y = 0; /* beyond the last line */
      if (l < count) {
        const i64 row = (first + l) / per_row, line = first + l - row * per_row;
        const i64 at = row * row_step + (are_columns ? e * per_row + line : line * length + e) * step;
        x = re[at];
        if (im) y = im[at];
      }
      one[e * lines + l] = x;
      one[size + e * lines + l] = y;
    }
    __syncthreads();
    float *result = one, *next = other;
    for (int left = length, done = 1; left > 1;) {
      const int p = (int)dft_factor(left);
      if (p == 8) dft_pass_by_8_f32(length, lines, done, roots, n, result, next);
      else if (p == 4) dft_pass_by_4_f32(length, lines, done, roots, n, result, next);
      else if (p == 2) dft_pass_by_2_f32(length, lines, done, roots, n, result, next);
      else dft_pass_by_odd_f32(p, length, lines, done, roots, n, result, next);
      left /= p;
      done *= p;
      float* const read = result;
      result = next;
      next = read;
    }
    for (int k = threadIdx.x; k < size; k += 128) {
      const int e = stores_lines ? k / lines : k % length, l = stores_lines ? k % lines : k / length;
      if (l >= count) continue;
      const i64 row = (first + l) / per_row, line = first + l - row * per_row, place = e * per_row + line;
      if (kept > 0 && place >= kept) continue;
      float x = result[e * lines + l], y = result[size + e * lines + l];
      if (are_columns) dft_turn_f32(&x, &y, roots[e * line], roots[n + e * line]);
      to_re[row * to_row_step + place * to_step] = x;
      to_im[row * to_row_step + place * to_step] = y;
    }
    __syncthreads(); /* the next tile uses the same memory */
  }
}

/* Transforms a row by one block. `spare` has room for the row as a matrix, and for a line that does not fit shared memory. */
static __device__ __forceinline__ void dft_row_f32(i64 n, const float* re, const float* im, i64 step, float* to_re, float* to_im, i64 to_step, i64 kept, const float* roots, float* spare) {
  const i64 r = dft_matrix_rows(n), m = n / r;
  /* one call for both steps, because it is inlined: the columns, unless the row is short, then the rows */
  for (int are_columns = r > 1; are_columns >= 0; --are_columns) {
    const bool is_first = r == 1 || are_columns, is_last = !are_columns;
    dft_lines_f32(are_columns ? (int)r : (int)m, are_columns ? m : r, are_columns, 1, is_first ? re : spare, is_first ? im : spare + n, 0,
        is_first ? step : 1, is_last ? to_re : spare, is_last ? to_im : spare + n, 0, is_last ? to_step : 1, is_last ? kept : 0, roots,
        spare + 2 * n, 0, 1);
  }
}

/* Rows of a length with a large prime factor (Bluestein's algorithm): the transform is u times the convolution of u x with conj(u), which
   transforms of m elements compute. This one is that of conj(u). */
static __device__ __noinline__ void dft_filter_f32(i64 n, float* tables, float* spare) {
  const i64 m = dft_length(n);
  if (m == n) return;
  float *const u = tables + 2 * m, *const filter = u + 2 * n;
  const float share = 1 / (float)m;
  for (i64 k = threadIdx.x; k < m; k += 128) {
    const i64 from = k < n ? k : m - k < n ? m - k : -1;
    spare[k] = from < 0 ? 0 : u[from] * share;
    spare[m + k] = from < 0 ? 0 : -u[n + from] * share;
  }
  __syncthreads();
  dft_row_f32(m, spare, spare + m, 1, filter, filter + m, 1, 0, tables, spare + 2 * m);
}

/* Transforms rows, each by one block. A block has `row_memory` numbers of `spare`. */
static __device__ __noinline__ void dft_rows_f32(i64 n, i64 rows, const float* re, const float* im, i64 row_step, i64 step, float* to_re, float* to_im, i64 to_row_step, i64 to_step, i64 kept, const float* tables, float* spare, i64 row_memory, i64 block, i64 blocks) {
  const i64 m = dft_length(n), sharing = n > 4096 && blocks > 16 ? 16 : blocks;
  if (n == 0 || block >= sharing) return;
  const bool is_convolution = m != n;
  const float *const u = tables + 2 * m, *const filter = u + 2 * n;
  float *const x = spare + block * row_memory, *const y = x + 2 * m, *const rest = y + 2 * m;
  for (i64 row = block; row < rows; row += sharing) {
    const i64 from = row * row_step, to = row * to_row_step;
    /* one call for both transforms of a convolution, because it is inlined; the second one is inverse: it exchanges real and imaginary parts */
    for (int is_inverse = 0; is_inverse <= is_convolution; ++is_inverse) {
      for (i64 k = threadIdx.x; is_convolution && k < m; k += 128) {
        float a = 0, b = 0;
        if (is_inverse) {
          a = y[k], b = y[m + k];
          dft_turn_f32(&a, &b, filter[k], filter[m + k]);
        } else if (k < n) {
          a = re[from + k * step];
          if (im) b = im[from + k * step];
          dft_turn_f32(&a, &b, u[k], u[n + k]);
        }
        x[k] = a;
        x[m + k] = b;
      }
      __syncthreads();
      const float *const one = is_convolution ? x : re + from, *const other = is_convolution ? x + m : im ? im + from : 0;
      float *const to_one = is_convolution ? y : to_re + to, *const to_other = is_convolution ? y + m : to_im + to;
      dft_row_f32(m, is_inverse ? other : one, is_inverse ? one : other, is_convolution ? 1 : step, is_inverse ? to_other : to_one,
          is_inverse ? to_one : to_other, is_convolution ? 1 : to_step, is_convolution ? 0 : kept, tables, is_convolution ? rest : x);
    }
    const i64 count = kept > 0 ? kept : n;
    for (i64 k = threadIdx.x; is_convolution && k < count; k += 128) {
      float a = y[k], b = y[m + k];
      dft_turn_f32(&a, &b, u[k], u[n + k]);
      to_re[to + k * to_step] = a;
      to_im[to + k * to_step] = b;
    }
    __syncthreads(); /* the next row uses the same memory */
  }
}

/* generation 0 · tables · routine over [2, n, 64] · dft of rows of 64 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_0(float* __restrict__ output1) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 1; ridx0 += gridDim.x) {
    block_tables_64_f32(output1, ridx0, 1);
  }
}

/* generation 0 · rows · routine over [2, n, 64] · dft of rows of 64 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = (shape0 + 15) / 16;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    transform_rows_64_f32(shape0, input0, input0 + 1, 128, 2, output0, output0 + 1, 128, 2, 0, output1, ridx0);
  }
}

/* generation 0 · tables · routine over [2, n, 4096] · dft of rows of 4096 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_2(float* __restrict__ output1) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 33; ridx0 += gridDim.x) {
    block_tables_4096_f32(output1, ridx0, 33);
  }
}

/* generation 0 · rows · routine over [2, n, 4096] · dft of rows of 4096 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(512, 2) kernel_3(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0; ridx0 += gridDim.x) {
    transform_rows_4096_f32(shape0, input0 + 1, input0, 8192, 2, output0, output0 + shape0 * 4096, 4096, 1, 0, output1, ridx0);
  }
}

/* generation 0 · tables · routine over [2, n, 16384] · dft of rows of 16384 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_4(float* __restrict__ output1) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 17; ridx0 += gridDim.x) {
    block_tables_16384_f32(output1, ridx0, 17);
  }
}

/* generation 0 · columns of rows as matrices · routine over [2, n, 16384] · dft of rows of 16384 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_5(const float* __restrict__ input0, float* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 16; ridx0 += gridDim.x) {
    transform_columns_of_rows_16384_f32(input0, input0 + 1, 32768, 2, output1, output1 + 4346, ridx0);
  }
}

/* generation 0 · rows of these matrices · routine over [2, n, 16384] · dft of rows of 16384 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_6(float* __restrict__ output0, float* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 16; ridx0 += gridDim.x) {
    transform_rows_of_matrices_16384_f32(output0, output0 + 1, 32768, 2, 0, output1, output1 + 4346, ridx0);
  }
}

/* generation 0 · elementwise over [n, 1009] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_7(double* __restrict__ output0, i64 shape0) {
  const bool aligned0 = ((i64)((size_t)output0 % 64 / 8) & 1ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 504 + (shape0 + 1) / 2; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = min_i64(shape0 * 1009, ridx0 * 2 + 2);
    if (ridx0 * 2 + 2 <= shape0 * 1009 && aligned0) {
      double row0[2] __attribute__((aligned(16)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        row0[ridx1] = 0.0;
      }
      copy_16_bytes(output0 + ridx0 * 2, row0);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = 0.0;
      }
    }
  }
}

/* generation 0 · elementwise over [n, m] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_8(const float* __restrict__ input0, float* __restrict__ output0, float* __restrict__ output1, i64 shape0, i64 shape1) {
  const bool aligned0 = (((i64)((size_t)output0 % 64 / 4) | (i64)((size_t)output1 % 64 / 4)) & 3ll) == 0ll;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 * shape1 + 3) / 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const float* input0_row = input0 + ridx0 * 8;
    const i64 oidx0 = min_i64(shape0 * shape1, ridx0 * 4 + 4);
    if (ridx0 * 4 + 4 <= shape0 * shape1 && aligned0) {
      float row0[4] __attribute__((aligned(16)));
      float row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        row0[ridx1] = input0_row[ridx1 * 2];
        row1[ridx1] = input0_row[ridx1 * 2 + 1];
      }
      copy_16_bytes(output1 + ridx0 * 4, row1);
      copy_16_bytes(output0 + ridx0 * 4, row0);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < oidx0; ++ridx2) {
        const float alu0 = input0[ridx2 * 2 + 1];
        output0[ridx2] = input0[ridx2 * 2];
        output1[ridx2] = alu0;
      }
    }
  }
}

/* generation 1 · elementwise over [n, 4096] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_9(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const float* input0_row = input0 + shape0 * 4096;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 4096; ridx0 += (i64)gridDim.x * blockDim.x) {
    const float alu0 = input0[ridx0];
    output0[ridx0 * 2] = input0_row[ridx0] / 4096.0f;
    output0[ridx0 * 2 + 1] = alu0 / 4096.0f;
  }
}

/* generation 1 · tables · routine over [2, n, 1009] · dft of rows of 1009 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_10(double* __restrict__ output1) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < 16; ridx0 += gridDim.x) {
    dft_tables_f64(1009, output1, ridx0, 16);
  }
}

/* generation 1 · filter · routine over [2, n, 1009] · dft of rows of 1009 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_11(double* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = min_i64(shape0, 1);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    dft_filter_f64_1009(1009, output1, output1 + 10210);
  }
}

/* generation 1 · rows · routine over [2, n, 1009] · dft of rows of 1009 · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_12(const double* __restrict__ input0, const double* __restrict__ input1, double* __restrict__ output0, double* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = min_i64(shape0, 512);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    dft_rows_f64_1009(1009, shape0, input0, input1, 1009, 1, output0, output0 + shape0 * 1009, 1009, 1, 0, output1, output1 + 10210, 12288, ridx0, oidx0);
  }
}

/* generation 1 · tables · routine over [2, n, m] · dft of rows of m · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_13(float* __restrict__ output1, i64 shape1) {
  const i64 oidx0 = (shape1 + 31) / 32;
  const i64 oidx1 = min_i64(oidx0, 1024);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx1; ridx0 += gridDim.x) {
    dft_tables_f32(shape1, output1, ridx0, oidx1);
  }
}

/* generation 1 · filter · routine over [2, n, m] · dft of rows of m · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_14(float* __restrict__ output1, i64 shape0, i64 shape1) {
  const i64 oidx0 = min_i64(shape0, 1);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    dft_filter_f32(shape1, output1, output1 + shape1 * 18);
  }
}

/* generation 1 · rows · routine over [2, n, m] · dft of rows of m · routine [thread, sequential, sequential] */
extern "C" __global__ void __launch_bounds__(128, 2) kernel_15(const float* __restrict__ input0, const float* __restrict__ input1, float* __restrict__ output0, float* __restrict__ output1, i64 shape0, i64 shape1) {
  const i64 oidx0 = min_i64(shape0, 512);
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    dft_rows_f32(shape1, shape0, input0, input1, shape1, 1, output0, output0 + shape0 * shape1, shape1, 1, 0, output1, output1 + shape1 * 18, shape1 * 40, ridx0, oidx0);
  }
}

/* generation 2 · elementwise over [n, 505] · elementwise [thread, thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_16(const double* __restrict__ input0, double* __restrict__ output0, i64 shape0) {
  const double* input0_row = input0 + shape0 * 1009;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 505; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 / 505;
    const i64 oidx1 = ridx0 % 505;
    const double alu0 = input0_row[oidx0 * 1009 + oidx1];
    output0[ridx0 * 2] = input0[oidx0 * 1009 + oidx1];
    output0[ridx0 * 2 + 1] = alu0;
  }
}

/* generation 2 · elementwise over [n, m] · elementwise [thread, thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_17(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0, i64 shape1) {
  const float* input0_row = input0 + shape0 * shape1;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * shape1; ridx0 += (i64)gridDim.x * blockDim.x) {
    const float alu0 = input0_row[ridx0];
    output0[ridx0 * 2] = input0[ridx0];
    output0[ridx0 * 2 + 1] = alu0;
  }
}

