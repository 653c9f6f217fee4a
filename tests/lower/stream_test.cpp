// Tests non-temporal stores (schedule/cpu/stream.h). Results must be bit-identical to those of other stores, wherever in a cache line
// arrays begin and rows end, also if the result overwrites an input. The last tests check when non-temporal stores are used.
#include <algorithm>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string source_of(const std::string& text, const char* row = "x86-64-v4") {
  const Context context = make_context();
  return source_for(row, parse(context.get(), "harp 1\n" + text).get());
}

using Sizes = std::vector<std::vector<int64_t>>;

/// Runs a graph x: f32[m, n] -> y: f32[m, n] with a schedule. The array y begins at several offsets within a cache line. If `in_place` is
/// true, also runs the graph with y in the same buffer as x.
void check_streams(const std::string& text, const char* schedule, bool in_place,
                   const Sizes& sizes = {{64, 64}, {5, 2000}, {33, 129}, {300, 48}, {1, 9}, {0, 5}}) {
  CAPTURE(text);
  CAPTURE(schedule);
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const Program expected = compile(graph.get(), "interp");
  const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
    o.schedule = schedule;
    if (!is_sampled(text + schedule)) compile_quickly(o);
  });
  REQUIRE(program != nullptr);
  CHECK(contains(source_for("x86-64-v4", graph.get(), schedule), "stream_f32x"));
  if (is_not_for_this_cpu(program.get())) return;
  const auto wrap_at = [&](float* data, std::vector<int64_t> dims) {
    return Buffer(
        harp_buffer_wrap(context.get(), HARP_F32, static_cast<int32_t>(dims.size()), dims.data(), data, nullptr, nullptr, nullptr));
  };
  for (const std::vector<int64_t>& dims : sizes) {
    Values<float> x = rough(dims, 1);
    std::vector<float> room(x.items.size() + 64);
    float* const line = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(room.data()) + 63) / 64 * 64);
    const Buffer input = wrap(context.get(), x.items, x.dims);
    const std::vector<Buffer> right = run(expected.get(), {input.get()});
    for (const size_t place : {0, 1, 4, 15})
      for (const bool over : {false, true}) {
        if (over && !in_place) continue;
        const Buffer y = wrap_at(line + place, x.dims);
        if (over) std::copy(x.items.begin(), x.items.end(), line + place);
        harp_buffer* const inputs[] = {over ? y.get() : input.get()};
        harp_buffer* outputs[] = {y.get()};
        ErrorSlot err;
        REQUIRE_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK, err.message());
        CHECK_MESSAGE(same_bits(outputs[0], right[0].get()), x.items.size(), " elements, from ", place, over ? " in place" : "");
      }
  }
}

}  // namespace

TEST_CASE("L6 X2: non-temporal stores give the same bits for every alignment to cache lines, in place too") {
  const std::string head = "graph g(x: f32[m, n]) {\n  return y = ";
  check_streams(head + "exp(x * 0.01) + 1\n}", "kernel_0: elementwise [thread, sequential simd=16] partition overlap nontemporal", true);
  check_streams(head + "x * 2\n}", "kernel_0: elementwise [sequential, sequential simd=4] nontemporal", true);
  // The last of the chunks of 4,096 elements begins behind the end of the array, unless the array begins late in a cache line. The fuzzer
  // found that elements were computed twice, which shows in place.
  check_streams(head + "x * 2\n}", "kernel_0: elementwise [thread, sequential simd=16] partition overlap nontemporal", true,
                {{2, 2045}, {1, 4083}, {16383, 1}});
  check_streams(head + "x - roll(x, shift=1, axis=1)\n}", "kernel_0: elementwise [thread, sequential simd=8] partition nontemporal", false);
  check_streams(head + "cumsum(x, axis=1)\n}", "kernel_0: scan [thread, scan simd=16] nontemporal", false);
  check_streams(head + "cumsum(x, axis=0)\n}", "kernel_0: scan [scan unroll=3, thread tile=40 simd=8] nontemporal", false);
  check_streams(head + "softmax(x * 0.001, axis=1)\n}", "kernel_0: rowwise [thread, reduce simd=16] nontemporal", true);
}

TEST_CASE("L6 X2 G15.matmul/c: matrix products with non-temporal stores, in whole and partial tiles, and from rows of sums") {
  for (const int64_t n : {64, 50, 20, 300}) {  // with 300 terms, a sum has more than one block of terms
    const std::string side = std::to_string(n),
                      square = "reshape(arange(" + std::to_string(n * n) + "), shape=[" + side + ", " + side + "])";
    const std::string graph =
        "graph g(x: f32[m, " + side + "]) {\n  return y = exp(x @ (cast(" + square + ", dtype=f32) * 0.001 - 3) * 0.001)\n}";
    const Sizes rows = {{1, n}, {29, n}, {40, n}, {0, n}};
    check_streams(
        graph,
        "kernel_0: contraction [thread tile=28 unroll=14, sequential tile=32 unroll=2 simd=16, reduce] partition overlap nontemporal",
        false, rows);
    check_streams(graph, "kernel_0: contraction [thread tile=6 unroll=3, sequential tile=16 unroll=2 simd=4, reduce] nontemporal", false,
                  rows);
  }
}

TEST_CASE("L6 X2 G17.softmax/c: deferred stores run while the next row is computed, for rows of any length and alignment") {
  for (const int64_t n : {20, 48, 63, 64, 129, 1000, 4161}) {
    const std::string row = std::to_string(n), head = "graph g(x: f32[m, " + row + "]) {\n  return y = ";
    const Sizes rows = {{1, n}, {2, n}, {16, n}, {35, n}, {0, n}};
    check_streams(head + "softmax(x * 0.001, axis=1)\n}", "kernel_0: rowwise [thread, reduce simd=16] nontemporal defer_stores", true,
                  rows);
    check_streams(head + "softmax(x * 0.001, axis=1)\n}", "kernel_0: rowwise [sequential, reduce simd=4] nontemporal defer_stores", true,
                  rows);
    check_streams(head + "softmax(layer_norm(tanh(x), axes=[1]), axis=1)\n}",
                  "kernel_0: rowwise [thread, reduce simd=8] nontemporal defer_stores", true, rows);
    check_streams(head + "x + softmax(x * 0.001, axis=1) * expand(sum(x, axes=[1], keepdims=true), shape=[m, " + row + "])\n}",
                  "kernel_0: rowwise [thread, reduce simd=16] nontemporal defer_stores", true, rows);
    check_streams("graph g(x: f32[m, k, " + row + "]) {\n  return y = softmax(x * 0.001, axis=2)\n}",
                  "kernel_0: rowwise [thread, sequential, reduce simd=8] nontemporal defer_stores", true,
                  {{3, 5, n}, {2, 1, n}, {1, 2, n}, {2, 0, n}});
  }
  const auto is_late = [](const char* sizes) {
    return contains(source_of(std::string("graph g(x: f32[") + sizes + "]) { return y = softmax(x, axis=1) }"), "const int64_t front0 = ");
  };
  CHECK(is_late("1000, 10007"));
  CHECK_FALSE(is_late("100, 10007"));   // the array of 4 MB fits in the caches
  CHECK_FALSE(is_late("10000, 1000"));  // rows of 1,000 elements are too short for deferred stores
  CHECK_FALSE(is_late("4000, 4096"));   // each row is a whole number of memory pages
}

TEST_CASE("L6 X2 G4.cumsum/c: non-temporal stores of scans along rows of any length and alignment") {
  for (const int64_t n : {20, 63, 1000, 8193}) {
    const std::string row = std::to_string(n), head = "graph g(x: f32[m, " + row + "]) {\n  return y = ";
    const Sizes rows = {{1, n}, {2, n}, {16, n}, {35, n}, {0, n}};
    for (const char* const schedule :
         {"kernel_0: scan [thread, scan simd=16] nontemporal prefetch", "kernel_0: scan [sequential, scan simd=4] nontemporal",
          "kernel_0: scan [thread, scan unroll=8 simd=8] nontemporal"}) {
      check_streams(head + "cumsum(x, axis=1)\n}", schedule, false, rows);
      check_streams(head + "cumsum(x * 2, axis=1) * x + 1\n}", schedule, false, rows);
      check_streams(head + "cast(cummax(cast(x, dtype=i32), axis=1), dtype=f32)\n}", schedule, false, rows);
    }
  }
}

TEST_CASE("L6 G17.softmax/c: a pass that keeps its values prefetches the row that it will store and the next one") {
  const std::string soft = "graph g(x: f32[m, 1000]) { return y = softmax(x, axis=1) }";
  const std::string source = source_of(soft);
  CHECK(contains(source, "__builtin_prefetch(input0"));
  CHECK(contains(source, "__builtin_prefetch(output0"));
  CHECK(contains(source, " + 3000, 0, "));
  const std::string far = source_of("graph g(x: f32[8192, 2048]) { return y = cast(softmax(x, axis=1), dtype=f16) }");
  CHECK(contains(far, "stream_f16x"));
  CHECK(contains(far, "__builtin_prefetch(input0"));
  CHECK_FALSE(contains(far, "__builtin_prefetch(output0"));  // the output is stored non-temporally, so it is not prefetched
  CHECK_FALSE(contains(source_of("graph g(x: f32[m, 200]) { return y = sum(x, axes=[1]) }"), "__builtin_prefetch"));
  const Backends backends;
  for (const int64_t rows : {0, 1, 3}) backends.run(soft, rough({rows, 1000}, 1));
}

TEST_CASE("L6 G15.layer_norm/c: in three passes with non-temporal stores the last pass prefetches the next rows") {
  const auto norm = [](const std::string& function, const std::string& sizes) {
    return "graph g(x: f32[" + sizes + "]) { return y = " + function + "(x, axes=[1]) }";
  };
  const auto prefetches = [&](const std::string& function, const std::string& sizes) {
    return contains(source_of(norm(function, sizes)), "__builtin_prefetch");
  };
  CHECK(contains(source_of(norm("layer_norm", "8192, 1024")), " + 4096, 0, "));  // prefetches 4,096 floats (16 KB) ahead
  // The kernel prefetches 16 KB ahead, rounded up to a whole number of rows.
  CHECK(contains(source_of(norm("layer_norm", "8192, 768")), " + 4608, 0, "));
  CHECK(contains(source_of(norm("layer_norm", "1024, 65536")), " + 65536, 0, "));  // prefetches at least one row ahead
  CHECK_FALSE(prefetches("rms_norm", "8192, 1024"));                               // rms_norm has only two passes
  CHECK_FALSE(prefetches("layer_norm", "8192, 1000"));                             // rows are not whole cache lines
  CHECK_FALSE(prefetches("layer_norm", "64, 1048576"));                            // a row is larger than the cache
  CHECK_FALSE(prefetches("layer_norm", "100, 1024"));                              // the array fits the caches
  check_streams(norm("layer_norm", "m, n"), "kernel_0: rowwise [thread, reduce simd=16] nontemporal", true);
  for (const int64_t n : {16, 64, 128, 1024})
    check_streams(norm("layer_norm", "m, " + std::to_string(n)), "kernel_0: rowwise [thread, reduce simd=16] nontemporal", true,
                  {{1, n}, {3, n}, {17, n}, {0, n}});
}

TEST_CASE("G14.take,scatter_add/c L6: elements of arrays larger than the caches are prefetched by their indices") {
  const auto prefetches = [](const std::string& text, const char* array) {
    return contains(source_of("graph g" + text), std::string("__builtin_prefetch(") + array);
  };
  const std::string take = "i: i32[m]) { return y = take(x, i, axis=0) }";
  CHECK(prefetches("(x: f32[65536, 64], " + take, "input0"));
  CHECK_FALSE(prefetches("(x: f32[32768, 64], " + take, "input0"));  // x has only 8 MB, which fit the caches
  CHECK_FALSE(prefetches("(x: f32[m, 64], " + take, "input0"));      // x may have few rows and fit the caches
  const auto add = [](const std::string& n) {
    return "(x: f32[" + n + "], i: i32[m], u: f32[m]) { return y = scatter_add(x, i, u, axis=0) }";
  };
  CHECK(prefetches(add("4194304"), "output0"));
  CHECK_FALSE(prefetches(add("1048576"), "output0"));
  const Backends backends;
  for (const int64_t rows : {0, 1, 31, 33, 300}) {
    Values<int32_t> indices{{}, {rows}};
    for (int64_t i = 0; i < rows; ++i) indices.items.push_back(static_cast<int32_t>(i * 2654435769 % 200000 - 100000));
    backends.run("graph g(x: f32[65536, 64], " + take, rough({65536, 64}, 1), indices);
    backends.run("graph g" + add("4194304"), rough({4194304}, 1), indices, rough({rows}, 2));
  }
}

TEST_CASE("L6: large outputs use non-temporal stores, but not in place") {
  // Outputs of at least 15 MiB are stored non-temporally. If a kernel writes an output row by row, rows must also be whole cache lines.
  CHECK(contains(source_of("graph g(x: f32[4096, 1024]) { return y = exp(x) }"), "overlap nontemporal"));
  CHECK(contains(source_of("graph g(x: f32[5000, 1001]) { return y = exp(x) }"),
                 "overlap nontemporal"));  // rows without gaps are treated as one long row
  CHECK(contains(source_of("graph g(x: f32[m, 1024]) { return y = cumsum(x, axis=0) }"), "variant 2 of 3 by size"));
  // Each output is below the limit of 15 MiB, but both together exceed it.
  CHECK(contains(source_of("graph g(x: f32[2560, 1024]) { return y = x * 2, z = x + 1 }"), "overlap nontemporal"));
  // Rows must be multiples of half a cache line, unless the kernel writes them in order and without gaps.
  CHECK_FALSE(contains(source_of("graph g(x: f32[5000, 1001]) { return y = flip(x, axes=[1]) * 2 }"), "overlap nontemporal"));
  // The last axis has size 1, so the rows are along the axis before it.
  CHECK(contains(source_of("graph g(x: f32[4096, 1024, 1]) { return y = flip(x, axes=[1]) * 2 }"), "overlap nontemporal"));
  const auto scanned = [](const std::string& columns) {
    return source_of("graph g(x: f32[5000, " + columns + "]) { return y = cumsum(x, axis=1) }");
  };
  CHECK(contains(scanned("1000"), "overlap nontemporal"));  // rows are multiples of half a cache line
  CHECK_FALSE(contains(scanned("1001"), "overlap nontemporal"));
  const std::string scaled = source_of("graph g(x: f32[4096, 1024]) { return y = x * 2 }");
  CHECK(contains(scaled, "if ((const void*)output0 != (const void*)input0) {"));
  CHECK(contains(scaled, "} else {\n    struct kernel_1_args"));
  CHECK(contains(source_of("graph g(x: f32[8, 1024, 64], y: f32[8, 64, 1024]) { return z = x @ y }"), "overlap nontemporal"));
  CHECK_FALSE(contains(source_of("graph g(x: f32[8, 1024, 64], y: f32[8, 64, 250]) { return z = x @ y }"), "overlap nontemporal"));
  // A kernel that cannot work in place has no second version for calls in place. This permutation keeps rows of 64 elements contiguous, and
  // its loops run in the memory order of the result.
  const std::string heads = source_of("graph g(x: f32[16, 512, 16, 64]) { return y = contiguous(permute(x, axes=[0, 2, 1, 3])) }");
  CHECK(contains(heads, "stream_f32x"));
  CHECK_FALSE(contains(heads, "kernel_1"));
  CHECK_FALSE(contains(heads, "in place ·"));
  CHECK_FALSE(contains(source_of("graph g(x: f32[4096, 950]) { return y = exp(x) }"), "overlap nontemporal"));
}
