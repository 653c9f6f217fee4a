/* harp · graph "sorted" · target sm_80 · stable, law 7 · 25 kernels
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

/* The place of element i in the merged order of two sorted runs: [0, middle) and [middle, end). Of equal elements those of the first run
   come first. */
static __device__ __forceinline__ int place_f32(const float* runs, int i, int middle, int end) {
  const bool is_second = i >= middle;
  const float x = runs[i];
  int low = is_second ? 0 : middle, high = is_second ? middle : end;
  while (low < high) {
    const int at = (low + high) / 2;
    if (is_second ? !before_f32(x, runs[at]) : before_f32(runs[at], x)) low = at + 1;
    else high = at;
  }
  return i + low - middle;
}

/* Sorts a tile: `together` rows of at most 2048 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_f32(const float* x, i64 rows, i64 n, i64 together, float* sorted, i64 tile) {
  __shared__ float elements[2][2048];
  const i64 pieces = (n + (2048 - 1)) / 2048, row = tile / pieces * together, piece = tile % pieces * 2048;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2048 ? (int)left : 2048; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) {
    elements[0][i] = x[first + i];
  }
  __syncthreads();
  int from = 0;
  for (int run = 1; run < length; run *= 2, from = 1 - from) {
    for (int i = threadIdx.x; i < count; i += 128) {
      const int begin_of_row = i / length * length, end_of_row = begin_of_row + length;
      const int begin = begin_of_row + ((i - begin_of_row) & -(2 * run));
      const int middle = begin + run < end_of_row ? begin + run : end_of_row, end = begin + 2 * run < end_of_row ? begin + 2 * run : end_of_row;
      const int to = begin + place_f32(elements[from] + begin, i - begin, middle - begin, end - begin);
      elements[1 - from][to] = elements[from][i];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = elements[from][i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* An integer in the order of the elements: the distance from 0 with the sign. Both zeros have one, and so have all NaNs. */
static __device__ __forceinline__ i64 order_f64(double x) {
  const i64 bits = __double_as_longlong(x), distance = bits & 0x7fffffffffffffffll;
  return distance > 0x7ff0000000000000ll ? 0x7fffffffffffffffll : bits < 0 ? -distance : distance;
}

static __device__ __forceinline__ bool before_f64_descending(double a, double b) { return order_f64(b) < order_f64(a); }

/* The place of element i in the merged order of two sorted runs: [0, middle) and [middle, end). Of equal elements those of the first run
   come first. */
static __device__ __forceinline__ int place_f64_descending(const double* runs, int i, int middle, int end) {
  const bool is_second = i >= middle;
  const double x = runs[i];
  int low = is_second ? 0 : middle, high = is_second ? middle : end;
  while (low < high) {
    const int at = (low + high) / 2;
    if (is_second ? !before_f64_descending(x, runs[at]) : before_f64_descending(runs[at], x)) low = at + 1;
    else high = at;
  }
  return i + low - middle;
}

/* Sorts a tile: `together` rows of at most 2048 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_f64_descending(const double* x, i64 rows, i64 n, i64 together, double* sorted, i64 tile) {
  __shared__ double elements[2][2048];
  const i64 pieces = (n + (2048 - 1)) / 2048, row = tile / pieces * together, piece = tile % pieces * 2048;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2048 ? (int)left : 2048; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) {
    elements[0][i] = x[first + i];
  }
  __syncthreads();
  int from = 0;
  for (int run = 1; run < length; run *= 2, from = 1 - from) {
    for (int i = threadIdx.x; i < count; i += 128) {
      const int begin_of_row = i / length * length, end_of_row = begin_of_row + length;
      const int begin = begin_of_row + ((i - begin_of_row) & -(2 * run));
      const int middle = begin + run < end_of_row ? begin + run : end_of_row, end = begin + 2 * run < end_of_row ? begin + 2 * run : end_of_row;
      const int to = begin + place_f64_descending(elements[from] + begin, i - begin, middle - begin, end - begin);
      elements[1 - from][to] = elements[from][i];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = elements[from][i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* The number of passes that merge the sorted pieces of a row. */
static __device__ __forceinline__ int merge_passes(i64 n) {
  int passes = 0;
  for (i64 sorted_length = 2048; sorted_length < n; sorted_length *= 2) ++passes;
  return passes;
}

/* How many of the first `count` elements of the merged order of two sorted pieces, [0, middle) and [middle, end), are in the first piece. */
static __device__ __forceinline__ i64 split_f64_descending(const double* pieces, i64 middle, i64 end, i64 count) {
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  while (low < high) {
    const i64 at = (low + high) / 2, other = middle + count - 1 - at;
    if (before_f64_descending(pieces[other], pieces[at])) high = at;
    else low = at + 1;
  }
  return low;
}

/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
static __device__ __noinline__ void merge_tile_f64_descending(i64 n, i64 pass, double* sorted, double* spare, i64 tile) {
  __shared__ double elements[2048];
  __shared__ i64 splits[2];
  const i64 tiles = (n + (2048 - 1)) / 2048, row = tile / tiles * n, at = tile % tiles * 2048;
  const i64 sorted_length = (i64)2048 << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = at & -(2 * sorted_length), left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < 2048 ? (int)(n - at) : 2048;
  const double* const from = (is_odd ? sorted : spare) + row + begin;
  double* const to = (is_odd ? spare : sorted) + row + at;
  if (threadIdx.x < 2) splits[threadIdx.x] = split_f64_descending(from, middle, end, at - begin + (threadIdx.x == 0 ? 0 : count));
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += 128) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
    elements[i] = from[place];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += 128) to[place_f64_descending(elements, i, of_first, count)] = elements[i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

static __device__ __forceinline__ bool before_i32_positions(i32 a, i32 b) { return a < b; }

/* The place of element i in the merged order of two sorted runs: [0, middle) and [middle, end). Of equal elements those of the first run
   come first. */
static __device__ __forceinline__ int place_i32_positions(const i32* runs, int i, int middle, int end) {
  const bool is_second = i >= middle;
  const i32 x = runs[i];
  int low = is_second ? 0 : middle, high = is_second ? middle : end;
  while (low < high) {
    const int at = (low + high) / 2;
    if (is_second ? !before_i32_positions(x, runs[at]) : before_i32_positions(runs[at], x)) low = at + 1;
    else high = at;
  }
  return i + low - middle;
}

/* Sorts a tile: `together` rows of at most 2048 elements, or a piece of a longer row. Runs of sorted elements double in each round. */
static __device__ __noinline__ void sort_tile_i32_positions(const i32* x, i64 rows, i64 n, i64 together, i64* sorted, i64 tile) {
  __shared__ i32 elements[2][2048];
  __shared__ u16 places[2][2048]; /* in the tile */
  const i64 pieces = (n + (2048 - 1)) / 2048, row = tile / pieces * together, piece = tile % pieces * 2048;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < 2048 ? (int)left : 2048; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += 128) {
    elements[0][i] = x[first + i];
    places[0][i] = (u16)i;
  }
  __syncthreads();
  int from = 0;
  for (int run = 1; run < length; run *= 2, from = 1 - from) {
    for (int i = threadIdx.x; i < count; i += 128) {
      const int begin_of_row = i / length * length, end_of_row = begin_of_row + length;
      const int begin = begin_of_row + ((i - begin_of_row) & -(2 * run));
      const int middle = begin + run < end_of_row ? begin + run : end_of_row, end = begin + 2 * run < end_of_row ? begin + 2 * run : end_of_row;
      const int to = begin + place_i32_positions(elements[from] + begin, i - begin, middle - begin, end - begin);
      elements[1 - from][to] = elements[from][i];
      places[1 - from][to] = places[from][i];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += 128) sorted[first + i] = piece + (places[from][i] - i / length * length);
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* How many of the first `count` elements of the merged order of two sorted pieces, [0, middle) and [middle, end), are in the first piece. */
static __device__ __forceinline__ i64 split_i32_positions(const i32* row, const i64* pieces, i64 middle, i64 end, i64 count) {
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  while (low < high) {
    const i64 at = (low + high) / 2, other = middle + count - 1 - at;
    if (before_i32_positions(row[pieces[other]], row[pieces[at]])) high = at;
    else low = at + 1;
  }
  return low;
}

/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
static __device__ __noinline__ void merge_tile_i32_positions(const i32* x, i64 n, i64 pass, i64* sorted, i64* spare, i64 tile) {
  __shared__ i32 elements[2048];
  __shared__ i64 positions[2048];
  __shared__ i64 splits[2];
  const i64 tiles = (n + (2048 - 1)) / 2048, row = tile / tiles * n, at = tile % tiles * 2048;
  const i64 sorted_length = (i64)2048 << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = at & -(2 * sorted_length), left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < 2048 ? (int)(n - at) : 2048;
  const i64* const from = (is_odd ? sorted : spare) + row + begin;
  i64* const to = (is_odd ? spare : sorted) + row + at;
  const i32* const row_of_keys = x + row;
  if (threadIdx.x < 2) splits[threadIdx.x] = split_i32_positions(row_of_keys, from, middle, end, at - begin + (threadIdx.x == 0 ? 0 : count));
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += 128) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
    positions[i] = from[place];
    elements[i] = row_of_keys[positions[i]];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += 128) to[place_i32_positions(elements, i, of_first, count)] = positions[i];
  __syncthreads(); /* the next tile uses the same shared memory */
}

/* generation 0 · tiles · routine over [n, 100] · sort of rows of 100 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_0(const float* __restrict__ input0, float* __restrict__ output0, i64 shape0) {
  const i64 oidx0 = (shape0 + 19) / 20;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    sort_tile_f32(input0, shape0, 100, 20, output0, ridx0);
  }
}

/* generation 0 · tiles · routine over [m] · sort of rows of m · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_1(const double* __restrict__ input0, double* __restrict__ output0, double* __restrict__ output1, i64 shape1) {
  const i64 oidx0 = (shape1 + 2047) / 2048;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    sort_tile_f64_descending(input0, 1, shape1, 1, merge_passes(shape1) % 2 == 0 ? output0 : output1, ridx0);
  }
}

/* generation 0 · merging · routine over [m] · sort of rows of m · routine [sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_2(double* __restrict__ output0, double* __restrict__ output1, i64 shape1, i64 routine_phase) {
  const i64 oidx0 = (shape1 + 2047) / 2048;
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < oidx0; ridx0 += gridDim.x) {
    merge_tile_f64_descending(shape1, routine_phase, output0, output1, ridx0);
  }
}

/* generation 0 · tiles · routine over [n, 5000] · argsort of rows of 5000 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_3(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 3; ridx0 += gridDim.x) {
    sort_tile_i32_positions(input0, shape0, 5000, 1, merge_passes(5000) % 2 == 0 ? output0 : output1, ridx0);
  }
}

/* generation 0 · merging · routine over [n, 5000] · argsort of rows of 5000 · routine [thread, sequential] */
extern "C" __global__ void __launch_bounds__(128, 8) kernel_4(const i32* __restrict__ input0, i64* __restrict__ output0, i64* __restrict__ output1, i64 shape0, i64 routine_phase) {
  for (i64 ridx0 = (i64)blockIdx.x; ridx0 < shape0 * 3; ridx0 += gridDim.x) {
    merge_tile_i32_positions(input0, 5000, routine_phase, output0, output1, ridx0);
  }
}

