/* harp · graph "sorted" · target sm_80 · stable, law 9 · 25 kernels
   x: f32[n, 100], y: f64[m], k: i32[n, 5000] -> rows: f32[n, 100], all: f64[m], order: i64[n, 5000]
   Compile with -fmad=false. The launch plan says with which grids and arguments the kernels are launched. */

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

/* An integer in the order of the elements: the distance from 0 with the sign. Both zeros have one, and so have all NaNs. */
static __device__ __forceinline__ i32 order_f32(float x) {
  const i32 bits = __float_as_int(x), distance = bits & 0x7fffffff;
  return distance > 0x7f800000 ? 0x7fffffff : bits < 0 ? -distance : distance;
}

static __device__ __forceinline__ bool before_f32(float a, float b) { return order_f32(a) < order_f32(b); }

/* Merges two sorted runs, [0, middle) and [middle, end). The caller gets `own` elements of the result, from `first` on. Of equal
   elements those of the first run come first. */
static __device__ __forceinline__ void merge_f32(const float* runs, int middle, int end, int first, int own, float* merged) {
  int low = first > end - middle ? first - (end - middle) : 0, high = first < middle ? first : middle;
  while (low < high) {
    const int at = (low + high) / 2;
    if (before_f32(runs[middle + first - 1 - at], runs[at])) high = at;
    else low = at + 1;
  }
  int one = low, other = middle + first - low;
  float x = runs[one < middle ? one : 0], y = runs[other < end ? other : 0];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    const bool is_other = one >= middle || (other < end && before_f32(y, x));
    merged[i] = is_other ? y : x;
    if (is_other) {
      if (++other < end) y = runs[other];
    } else {
      if (++one < middle) x = runs[one];
    }
  }
}

/* Sorts a tile: `together` rows of at most 2176 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_f32(const float* x, i64 rows, i64 n, i64 together, float* sorted, i64 tile) {
  __shared__ float elements[2176];
  const i64 pieces = (n + (2176 - 1)) / 2176, row = tile / pieces * together, piece = tile % pieces * 2176;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2176 ? (int)left : 2176; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) elements[i] = x[first + i];
  __syncthreads();
  /* a thread has `own` elements from `at` on of the row that begins at `begin` */
  const int sharing = (length + (17 - 1)) / 17, thread = threadIdx.x, begin = thread / sharing * length, at = thread % sharing * 17;
  const int own = begin >= count ? 0 : length - at < 17 ? length - at : 17;
  float mine[17];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    mine[i] = elements[begin + at + i];
  }
  /* neighbours change places, as often as the first element may need to become the last one */
  #pragma unroll
  for (int round = 0; round < 17; ++round) {
    #pragma unroll
    for (int i = round % 2; i + 1 < 17; i += 2) {
      if (i + 1 >= own || !before_f32(mine[i + 1], mine[i])) continue;
      const float smaller = mine[i + 1];
      mine[i + 1] = mine[i];
      mine[i] = smaller;
    }
  }
  for (int run = 17;; run *= 2) {
    #pragma unroll
    for (int i = 0; i < 17; ++i) {
      if (i >= own) continue;
      elements[begin + at + i] = mine[i];
    }
    __syncthreads();
    if (run >= length) break;
    const int pair = at - at % (2 * run), middle = pair + run < length ? run : length - pair;
    const int end = pair + 2 * run < length ? 2 * run : length - pair;
    if (own > 0) merge_f32(elements + begin + pair, middle, end, at - pair, own, mine);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = elements[i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* An integer in the order of the elements: the distance from 0 with the sign. Both zeros have one, and so have all NaNs. */
static __device__ __forceinline__ i64 order_f64(double x) {
  const i64 bits = __double_as_longlong(x), distance = bits & 0x7fffffffffffffffll;
  return distance > 0x7ff0000000000000ll ? 0x7fffffffffffffffll : bits < 0 ? -distance : distance;
}

static __device__ __forceinline__ bool before_f64_descending(double a, double b) { return order_f64(b) < order_f64(a); }

/* Merges two sorted runs, [0, middle) and [middle, end). The caller gets `own` elements of the result, from `first` on. Of equal
   elements those of the first run come first. */
static __device__ __forceinline__ void merge_f64_descending(const double* runs, int middle, int end, int first, int own, double* merged) {
  int low = first > end - middle ? first - (end - middle) : 0, high = first < middle ? first : middle;
  while (low < high) {
    const int at = (low + high) / 2;
    if (before_f64_descending(runs[middle + first - 1 - at], runs[at])) high = at;
    else low = at + 1;
  }
  int one = low, other = middle + first - low;
  double x = runs[one < middle ? one : 0], y = runs[other < end ? other : 0];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    const bool is_other = one >= middle || (other < end && before_f64_descending(y, x));
    merged[i] = is_other ? y : x;
    if (is_other) {
      if (++other < end) y = runs[other];
    } else {
      if (++one < middle) x = runs[one];
    }
  }
}

/* Sorts a tile: `together` rows of at most 2176 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_f64_descending(const double* x, i64 rows, i64 n, i64 together, double* sorted, i64 tile) {
  __shared__ double elements[2176];
  const i64 pieces = (n + (2176 - 1)) / 2176, row = tile / pieces * together, piece = tile % pieces * 2176;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2176 ? (int)left : 2176; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) elements[i] = x[first + i];
  __syncthreads();
  /* a thread has `own` elements from `at` on of the row that begins at `begin` */
  const int sharing = (length + (17 - 1)) / 17, thread = threadIdx.x, begin = thread / sharing * length, at = thread % sharing * 17;
  const int own = begin >= count ? 0 : length - at < 17 ? length - at : 17;
  double mine[17];
  #pragma unroll
  for (int i = 0; i < 17; ++i) {
    if (i >= own) continue;
    mine[i] = elements[begin + at + i];
  }
  /* neighbours change places, as often as the first element may need to become the last one */
  #pragma unroll
  for (int round = 0; round < 17; ++round) {
    #pragma unroll
    for (int i = round % 2; i + 1 < 17; i += 2) {
      if (i + 1 >= own || !before_f64_descending(mine[i + 1], mine[i])) continue;
      const double smaller = mine[i + 1];
      mine[i + 1] = mine[i];
      mine[i] = smaller;
    }
  }
  for (int run = 17;; run *= 2) {
    #pragma unroll
    for (int i = 0; i < 17; ++i) {
      if (i >= own) continue;
      elements[begin + at + i] = mine[i];
    }
    __syncthreads();
    if (run >= length) break;
    const int pair = at - at % (2 * run), middle = pair + run < length ? run : length - pair;
    const int end = pair + 2 * run < length ? 2 * run : length - pair;
    if (own > 0) merge_f64_descending(elements + begin + pair, middle, end, at - pair, own, mine);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = elements[i];
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
static __device__ __forceinline__ i64 split_f64_descending(const double* pieces, i64 middle, i64 end, i64 count, i64 most) {
  __shared__ u8 is_before[128]; /* whether the element that a thread looked at is among the first `count` */
  __shared__ int found[2];
  const int thread = threadIdx.x % 64, half = threadIdx.x / 64;
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  for (i64 left = most; left > 0; left = (left + (64 - 1)) / 64 - 1) {
    const i64 step = (high - low + (64 - 1)) / 64, at = low + (thread + 1) * step - 1, other = middle + count - 1 - at;
    const bool is_own = step > 0 && at < high && !before_f64_descending(pieces[other], pieces[at]);
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

/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
static __device__ __noinline__ void merge_tile_f64_descending(i64 n, i64 pass, double* sorted, double* spare, i64 tile) {
  __shared__ double elements[2176];
  __shared__ i64 splits[2];
  const i64 tiles = (n + (2176 - 1)) / 2176, row = tile / tiles * n, number = tile % tiles, at = number * 2176;
  const i64 sorted_length = (i64)2176 << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = (number & -((i64)1 << pass)) * 2176, left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < 2176 ? (int)(n - at) : 2176;
  const double* const from = (is_odd ? sorted : spare) + row + begin;
  double* const to = (is_odd ? spare : sorted) + row + at;
  const i64 split = split_f64_descending(from, middle, end, at - begin + (threadIdx.x < 64 ? 0 : count), sorted_length);
  if (threadIdx.x % 64 == 0) splits[threadIdx.x / 64] = split;
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += 128) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
    elements[i] = from[place];
  }
  __syncthreads();
  const int begin_of_own = threadIdx.x * 17, own = count - begin_of_own < 17 ? count - begin_of_own : 17;
  double mine[17];
  if (own > 0) merge_f64_descending(elements, of_first, count, begin_of_own, own, mine);
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 17; ++i)
    if (i < own) elements[begin_of_own + i] = mine[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += 128) to[i] = elements[i];
  __syncthreads(); /* the next tile uses the same shared memory */
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

/* generation 0 · tiles · routine over [n, 100] · sort of rows of 100 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = (shape0 + 20) / 21;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    sort_tile_f32(input0, shape0, 100, 21, output0, ridx0);
  }
}

/* generation 0 · tiles · routine over [m] · sort of rows of m · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_1(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape1) {
  const i64 oidx0 = (shape1 + 2175) / 2176;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    sort_tile_f64_descending(input0, 1, shape1, 1, merge_passes(shape1) % 2 == 0 ? output0 : output1, ridx0);
  }
}

/* generation 0 · merging · routine over [m] · sort of rows of m · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_2(double* __restrict__ output0, double* __restrict__ output1, i64 shape1, i64 routine_phase) {
  const i64 oidx0 = (shape1 + 2175) / 2176;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    merge_tile_f64_descending(shape1, routine_phase, output0, output1, ridx0);
  }
}

/* generation 0 · tiles · routine over [n, 5000] · argsort of rows of 5000 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_3(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 3; ridx0 += gridDim.x) {
    sort_tile_i32_positions(input0, shape0, 5000, 1, merge_passes(5000) % 2 == 0 ? output0 : output1, ridx0);
  }
}

/* generation 0 · merging · routine over [n, 5000] · argsort of rows of 5000 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 4) kernel_4(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0, i64 routine_phase) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 3; ridx0 += gridDim.x) {
    merge_tile_i32_positions(input0, 5000, routine_phase, output0, output1, ridx0);
  }
}

