/* harp · graph "embedding_gradient" · target sm_80 · stable, law 9 · 25 kernels
   table: f32[1000, 256], words: i32[n], g: f32[n, 256] -> dtable: f32[1000, 256]
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
struct __align__(8) bytes8 { u32 words[2]; };

static __device__ __forceinline__ i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

static __device__ __forceinline__ i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

/* Both addresses are multiples of 16. */
static __device__ __forceinline__ void copy_16_bytes(void* to, const void* from) { *(bytes16*)to = *(const bytes16*)from; }

static __device__ __forceinline__ i32 maximum_i32(i32 x, i32 y) {
  return y < x ? x : y;
}

static __device__ __forceinline__ i32 minimum_i32(i32 x, i32 y) {
  return x < y ? x : y;
}

static __device__ __forceinline__ bool before_i32_positions(i32 a, i32 b) { return a < b; }

/* Merges two sorted runs, [0, middle) and [middle, end). The caller gets `own` elements of the result, from `first` on. Of equal
   elements those of the first run come first. */
static __device__ __forceinline__ void merge_places_i32_positions(const i32* runs, int middle, int end, int first, int own, i32* merged, const u16* from, u16* to) {
  int low = first > end - middle ? first - (end - middle) : 0, high = first < middle ? first : middle;
  while (low < high) {
    const int at = (low + high) / 2;
    if (before_i32_positions(runs[middle + first - 1 - at], runs[at])) high = at;
    else low = at + 1;
  }
  int one = low, other = middle + first - low;
  i32 x = runs[one < middle ? one : 0], y = runs[other < end ? other : 0];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    const bool is_other = one >= middle || (other < end && before_i32_positions(y, x));
    merged[i] = is_other ? y : x;
    to[i] = from[is_other ? other : one];
    if (is_other) {
      if (++other < end) y = runs[other];
    } else {
      if (++one < middle) x = runs[one];
    }
  }
}

/* Sorts a tile: `together` rows of at most 2176 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_i32_positions(const i32* x, i64 rows, i64 n, i64 together, i64* sorted, i64 tile) {
  __shared__ i32 elements[2176];
  __shared__ u16 places[2176]; /* in the row, or in the piece */
  u16 my_places[17];
  const i64 pieces = (n + (2176 - 1)) / 2176, row = tile / pieces * together, piece = tile % pieces * 2176;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2176 ? (int)left : 2176; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) elements[i] = x[first + i];
  __syncthreads();
  /* a thread has `own` elements from `at` on of the row that begins at `begin` */
  const int sharing = (length + (17 - 1)) / 17, thread = threadIdx.x, begin = thread / sharing * length, at = thread % sharing * 17;
  const int own = begin >= count ? 0 : length - at < 17 ? length - at : 17;
  i32 mine[17];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    mine[i] = elements[begin + at + i];
    my_places[i] = (u16)(at + i);
  }
  /* neighbours change places, as often as the first element may need to become the last one */
  #pragma unroll
  for (int round = 0; round < 17; ++round) {
    #pragma unroll
    for (int i = round % 2; i + 1 < 17; i += 2) {
      if (i + 1 >= own || !before_i32_positions(mine[i + 1], mine[i])) continue;
      const i32 smaller = mine[i + 1];
      mine[i + 1] = mine[i];
      mine[i] = smaller;
      const u16 place = my_places[i + 1];
      my_places[i + 1] = my_places[i];
      my_places[i] = place;
    }
  }
  for (int run = 17;; run *= 2) {
    #pragma unroll
    for (int i = 0; i < 17; ++i) {
      if (i >= own) continue;
      elements[begin + at + i] = mine[i];
      places[begin + at + i] = my_places[i];
    }
    __syncthreads();
    if (run >= length) break;
    const int pair = at - at % (2 * run), middle = pair + run < length ? run : length - pair;
    const int end = pair + 2 * run < length ? 2 * run : length - pair;
    if (own > 0) merge_places_i32_positions(elements + begin + pair, middle, end, at - pair, own, mine, places + begin + pair, my_places);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = piece + places[i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* The number of passes that merge the sorted pieces of a row. */
static __device__ __forceinline__ int merge_passes(i64 n) {
  int passes = 0;
  for (i64 sorted_length = 2176; sorted_length < n; sorted_length *= 2) ++passes;
  return passes;
}

/* How many of the first `count` elements of the merged order of two sorted pieces, [0, middle) and [middle, end), are in the first piece.
   One half of the block asks for one count, the other half for another one. `most` is not less than what is in the first piece. Each
   round narrows the search to the distance of two of the places that the threads look at. */
static __device__ __forceinline__ i64 split_i32_positions(const i32* row, const i64* pieces, i64 middle, i64 end, i64 count, i64 most) {
  __shared__ u8 is_before[128]; /* whether the element that a thread looked at is among the first `count` */
  __shared__ int found[2];
  const int thread = threadIdx.x % 64, half = threadIdx.x / 64;
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  for (i64 left = most; left > 0; left = (left + (64 - 1)) / 64 - 1) {
    const i64 step = (high - low + (64 - 1)) / 64, at = low + (thread + 1) * step - 1, other = middle + count - 1 - at;
    const bool is_own = step > 0 && at < high && !before_i32_positions(row[pieces[other]], row[pieces[at]]);
    is_before[threadIdx.x] = is_own;
    __syncthreads();
    if (thread == 0 && !is_own) found[half] = 0;
    if (is_own && (thread == 64 - 1 || !is_before[threadIdx.x + 1])) found[half] = thread + 1;
    __syncthreads();
    const i64 last = low + (found[half] + 1) * step - 1;
    low += found[half] * step;
    if (step > 0 && last < high) high = last;
    if (low > high) low = high;
  }
  return low;
}

/* Merges two sorted runs, [0, middle) and [middle, end). The caller gets `own` elements of the result, from `first` on. Of equal
   elements those of the first run come first. */
static __device__ __forceinline__ void merge_positions_i32_positions(const i32* runs, int middle, int end, int first, int own, i32* merged, const i64* from, i64* to) {
  int low = first > end - middle ? first - (end - middle) : 0, high = first < middle ? first : middle;
  while (low < high) {
    const int at = (low + high) / 2;
    if (before_i32_positions(runs[middle + first - 1 - at], runs[at])) high = at;
    else low = at + 1;
  }
  int one = low, other = middle + first - low;
  i32 x = runs[one < middle ? one : 0], y = runs[other < end ? other : 0];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    const bool is_other = one >= middle || (other < end && before_i32_positions(y, x));
    merged[i] = is_other ? y : x;
    to[i] = from[is_other ? other : one];
    if (is_other) {
      if (++other < end) y = runs[other];
    } else {
      if (++one < middle) x = runs[one];
    }
  }
}

/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
static __device__ __noinline__ void merge_tile_i32_positions(const i32* x, i64 n, i64 pass, i64* sorted, i64* spare, i64 tile) {
  __shared__ i32 elements[2176];
  __shared__ i64 positions[2176];
  __shared__ i64 splits[2];
  const i64 tiles = (n + (2176 - 1)) / 2176, row = tile / tiles * n, number = tile % tiles, at = number * 2176;
  const i64 sorted_length = (i64)2176 << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = (number & -((i64)1 << pass)) * 2176, left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < 2176 ? (int)(n - at) : 2176;
  const i64* const from = (is_odd ? sorted : spare) + row + begin;
  i64* const to = (is_odd ? spare : sorted) + row + at;
  const i32* const row_of_keys = x + row;
  const i64 split = split_i32_positions(row_of_keys, from, middle, end, at - begin + (threadIdx.x < 64 ? 0 : count), sorted_length);
  if (threadIdx.x % 64 == 0) splits[threadIdx.x / 64] = split;
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += 128) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
    positions[i] = from[place];
    elements[i] = row_of_keys[positions[i]];
  }
  __syncthreads();
  const int begin_of_own = threadIdx.x * 17, own = count - begin_of_own < 17 ? count - begin_of_own : 17;
  i32 mine[17];
  i64 my_positions[17];
  if (own > 0) merge_positions_i32_positions(elements, of_first, count, begin_of_own, own, mine, positions, my_positions);
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 17; ++i)
    if (i < own) positions[begin_of_own + i] = my_positions[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += 128) to[i] = positions[i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

static __device__ __forceinline__ i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static __device__ __forceinline__ i64 clamp_index_i64(i64 x, i64 y) {
  const i64 alu0 = x < 0ll ? add_i64(x, y) : x;
  const i64 alu1 = alu0 < 0ll ? 0ll : alu0;
  return alu1 < y ? alu1 : add_i64(y, -1ll);
}

/* Both addresses are multiples of 8. */
static __device__ __forceinline__ void copy_8_bytes(void* to, const void* from) { *(bytes8*)to = *(const bytes8*)from; }

static __device__ __forceinline__ i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

static __device__ __forceinline__ i32 clamp_index_i32(i32 x, i32 y) {
  const i32 alu0 = x < 0 ? add_i32(x, y) : x;
  const i32 alu1 = alu0 < 0 ? 0 : alu0;
  return alu1 < y ? alu1 : add_i32(y, -1);
}

/* generation 0 · elementwise over [n] · elementwise [thread simd=4] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const i32* __restrict__ input0, i32* __restrict__ output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input0 % 64 / 4) | (i64)((size_t)output0 % 64 / 4)) & 3ll) == 0ll;
  const i32 alu2 = add_i32(1000, -1);
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 + 3) / 4; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = min_i64(shape0, ridx0 * 4 + 4);
    if (ridx0 * 4 + 4 <= shape0 && aligned0) {
      i32 row0[4] __attribute__((aligned(16)));
      copy_16_bytes(row0, input0 + ridx0 * 4);
      i32 row1[4] __attribute__((aligned(16)));
      #pragma unroll 4
      for (i64 ridx1 = 0; ridx1 < 4; ++ridx1) {
        const i32 alu0 = row0[ridx1];
        const i32 alu1 = maximum_i32(alu0 < 0 ? add_i32(alu0, 1000) : alu0, 0);
        row1[ridx1] = minimum_i32(alu1, alu2);
      }
      copy_16_bytes(output0 + ridx0 * 4, row1);
    } else {
      for (i64 ridx2 = ridx0 * 4; ridx2 < oidx0; ++ridx2) {
        const i32 alu3 = input0[ridx2];
        const i32 alu4 = maximum_i32(alu3 < 0 ? add_i32(alu3, 1000) : alu3, 0);
        output0[ridx2] = minimum_i32(alu4, alu2);
      }
    }
  }
}

/* generation 1 · tiles · routine over [n] · argsort of rows of n · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_1(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  const i64 oidx0 = (shape0 + 2175) / 2176;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    sort_tile_i32_positions(input0, 1, shape0, 1, merge_passes(shape0) % 2 == 0 ? output0 : output1, ridx0);
  }
}

/* generation 1 · merging · routine over [n] · argsort of rows of n · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_2(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0, i64 routine_phase) {
  const i64 oidx0 = (shape0 + 2175) / 2176;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    merge_tile_i32_positions(input0, shape0, routine_phase, output0, output1, ridx0);
  }
}

/* generation 2 · elementwise over [n] · elementwise [thread simd=2] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const i32* __restrict__ input0, const i64* __restrict__ input1, i32* __restrict__ output0, i64 shape0) {
  const bool aligned0 = (((i64)((size_t)input1 % 64 / 8) | (i64)((size_t)output0 % 64 / 4)) & 1ll) == 0ll;
  const bool alu0 = shape0 > 0;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < (shape0 + 1) / 2; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = min_i64(shape0, ridx0 * 2 + 2);
    if (ridx0 * 2 + 2 <= shape0 && aligned0) {
      i64 row0[2] __attribute__((aligned(16)));
      copy_16_bytes(row0, input1 + ridx0 * 2);
      i32 row1[2] __attribute__((aligned(8)));
      #pragma unroll 2
      for (i64 ridx1 = 0; ridx1 < 2; ++ridx1) {
        row1[ridx1] = alu0 ? input0[clamp_index_i64(row0[ridx1], shape0)] : 0;
      }
      copy_8_bytes(output0 + ridx0 * 2, row1);
    } else {
      for (i64 ridx2 = ridx0 * 2; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = alu0 ? input0[clamp_index_i64(input1[ridx2], shape0)] : 0;
      }
    }
  }
}

/* generation 3 · copy · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0, sorted · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(float* __restrict__ output0) {
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < 256000; ridx0 += (i64)gridDim.x * blockDim.x) {
    output0[ridx0] = 0.0f;
  }
}

/* generation 3 · updates · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0, sorted · scatter [thread_group, thread] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_5(const i32* __restrict__ input0, float* __restrict__ output0, const float* __restrict__ input1, const i64* __restrict__ input2, i64 shape0) {
  const bool alu2 = shape0 > 0;
  for (i64 ridx0 = (i64)blockIdx.x * blockDim.x + threadIdx.x; ridx0 < shape0 * 256; ridx0 += (i64)gridDim.x * blockDim.x) {
    const i64 oidx0 = ridx0 / 256;
    const i64 oidx1 = max_i64(oidx0 - 1, 0);
    const i64 alu0 = (i64)clamp_index_i32(input0[oidx1], 1000);
    const i64 oidx2 = ridx0 & 255;
    const float* input1_row = input1 + oidx2;
    const i64 place0 = (i64)clamp_index_i32(input0[oidx0], 1000);
    float* output0_row = output0 + place0 * 256;
    const i64 previous1 = alu0;
    if (oidx0 == 0 || previous1 < place0) {
      float acc0 = output0_row[oidx2];
      i32 acc1 = 0;
      for (i64 ridx1 = oidx0; ridx1 < shape0; ++ridx1) {
        const bool alu1 = (i64)clamp_index_i32(input0[ridx1], 1000) != place0;
        acc1 = (i32)alu1;
        if (__builtin_expect(acc1 != 0, 0)) break;
        acc0 += alu2 ? input1_row[clamp_index_i64(input2[ridx1], shape0) * 256] : 0.0f;
      }
      output0_row[oidx2] = acc0;
    }
  }
}

