// Tests contractions (sums of products) that are computed in register tiles (lower/contraction.cpp). Results must be bit-identical to the
// interpreter's for every tile size and every remainder, also if the kernel computes the operands or applies operations to the result. Also
// tests which schedules are allowed.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/count_in_text.h"
#include "support/machine.h"
#include "support/schedule_mistake.h"

using namespace capi_test;
using harp::cat;

namespace {

/// Checks, for each of these schedules of kernel_0, that the outputs equal the interpreter's bit for bit. "" is harp's own schedule.
template <class... T>
void check_schedules(const std::string& text, std::initializer_list<const char*> schedules, Values<T>... inputs) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  std::vector<Buffer> wrapped;
  (wrapped.push_back(wrap(context.get(), inputs.items, inputs.dims)), ...);
  std::vector<harp_buffer*> handles;
  for (const Buffer& buffer : wrapped) handles.push_back(buffer.get());
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
  for (const std::string schedule : schedules) {
    CAPTURE(schedule);
    const std::string line = schedule.empty() ? "" : "kernel_0: " + std::string(schedule[0] == '[' ? "contraction " : "") + schedule;
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
      o.schedule = line.c_str();
      if (!is_sampled(text + line)) compile_quickly(o);
    });
    REQUIRE(program != nullptr);
    const std::vector<Buffer> outputs = run(program.get(), handles);
    for (size_t i = 0; i < outputs.size(); ++i) CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
  }
}

std::string source_of(const std::string& text, const char* schedule = nullptr) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  return source_for("x86-64-v4", graph.get(), schedule);
}

}  // namespace

TEST_CASE(
    "L6.packed_matmul/c G15.matmul/interp,c X2: a matrix product by tiles is the interpreter's, for every rest of rows, columns and "
    "terms") {
  const Backends backends;
  for (const char* text : {"graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}"})
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{4, 16, 8},
                                  {5, 17, 9},
                                  {14, 256, 32},
                                  {15, 257, 33},
                                  {29, 300, 31},
                                  {230, 40, 70},
                                  {33, 600, 520},
                                  {7, 70000, 9},
                                  {4, 16, 1},
                                  {1, 16, 8},
                                  {4, 0, 8},
                                  {0, 16, 8}})
      backends.run(text, rough({m, k}, 1), rough({k, n}, 2));
  backends.run("graph g(a: f32[250, 300], b: f32[300, 550]) {\n  return y = a @ b\n}", rough({250, 300}, 1), rough({300, 550}, 2));
  for (const char* dtype : {"f64", "f16", "bf16"}) {
    const std::string text = std::string("graph g(a: f32[33, 270], b: f32[270, 45]) {\n  y = cast(a, dtype=") + dtype +
                             ") @ cast(b, dtype=" + dtype + ")\n  return y = cast(y, dtype=f32)\n}";
    backends.run(text, rough({33, 270}, 1), rough({270, 45}, 2));
  }
}

TEST_CASE("L6.packed_convolution/c G15.conv2d/c: factors are computed on the way, and what is made of the result is stored with it") {
  const Backends backends;
  const std::string relu =
      "graph g(a: f32[m, k], b: f32[n, k], c: f32[n], r: f32[m, n]) flags=[broadcast] {\n"
      "  y = exp(a) @ transpose(b * 2)\n  return y = relu(y + c) - r\n}";
  // exp(a) gets a kernel of its own, because a fused exp(a) would be recomputed for every block of columns
  CHECK(backends.cost(relu, {33, 20, 30}).kernels == 2);
  backends.run(relu, rough({33, 20}, 1), rough({30, 20}, 2), rough({30}, 3), rough({33, 30}, 4));
  const std::string heads = "graph g(q: f32[m, h, k], c: f32[n, h, k]) {\n  return y = einsum(q, c, spec=\"mhk,nhk->hmn\")\n}";
  backends.run(heads, rough({20, 3, 40}, 1), rough({50, 3, 40}, 2));
  const std::string window = "graph g(x: f32[b, 5, h, w], k: f32[6, 5, 3, 3]) {\n  return y = conv2d(x, k, padding=1)\n}";
  CHECK(backends.cost(window, {2, 19, 37}).kernels == 1);
  backends.run(window, rough({2, 5, 19, 37}, 1), rough({6, 5, 3, 3}, 2));
  backends.run(window, rough({1, 5, 1, 9}, 1), rough({6, 5, 3, 3}, 2));
  const std::string group = "graph g(a: f32[m, k], x: f32[h, k, n]) {\n  return y = einsum(a, x, spec=\"mk,hkn->mhn\")\n}";
  backends.run(group, rough({9, 300}, 1), rough({11, 300, 60}, 2));
  const std::string rows = "graph g(t: f32[v, 40], i: i32[m], b: f32[40, 30]) {\n  return y = take(t, i, axis=0) @ b\n}";
  backends.run(rows, rough({7, 40}, 1), Values<int32_t>{{0, 6, 3, -1, 2, 2}, {6}}, rough({40, 30}, 2));
}

TEST_CASE("L6.loop_tiling/c G15.matmul/c: interleaved rows give the same bits as rows one after the other") {
  check_schedules("graph g(a: f32[24, 300], v: f32[300], w: f32[24]) {\n  return y = (a @ v) * w + 1\n}",
                  {"", "reduce [thread unroll=2, reduce simd=16]", "reduce [thread unroll=8, reduce simd=4]",
                   // This schedule interleaves 5 rows (unroll=5); the 24 rows are not a multiple of 5.
                   "reduce [sequential unroll=5, reduce] partition overlap"},
                  rough({24, 300}, 1), rough({300}, 2), rough({24}, 3));
  check_schedules("graph g(a: f32[3, 6, 40]) {\n  return y = sum(a, axes=[2]), z = max(a * 2, axes=[2])\n}",
                  {"", "reduce [thread, sequential unroll=3, reduce simd=8] partition", "reduce [sequential, sequential unroll=2, reduce]"},
                  rough({3, 6, 40}, 1));
  check_schedules("graph g(a: f32[4, 5000], v: f32[5000]) {\n  return y = a @ v\n}",
                  // The sum has more terms than one block of the summation, so rows are not interleaved.
                  {"", "reduce [thread unroll=2, reduce simd=16]"}, rough({4, 5000}, 1), rough({5000}, 2));
  const std::string large = source_of("graph g(a: f32[4096, 4096], v: f32[4096]) {\n  return y = a @ v\n}");
  // The schedule for this CPU decides between unroll=2 and unroll=4.
  CHECK((large.find("unroll=2") != large.npos || large.find("unroll=4") != large.npos));
  CHECK(source_of("graph g(a: f32[1024, 1024], v: f32[1024]) {\n  return y = a @ v\n}").find("unroll=2") != std::string::npos);
  CHECK(source_of("graph g(a: f32[64, 1024], v: f32[1024]) {\n  return y = a @ v\n}").find("unroll=2") == std::string::npos);
  CHECK(source_of("graph g(a: f32[1024, 4096], v: f32[4096]) {\n  return y = a @ v\n}").find("unroll=2") == std::string::npos);
}

TEST_CASE("L6 G15.matmul/c: sums over several rows at a time prefetch the next rows and give the same bits") {
  check_schedules(
      "graph g(x: f32[530], b: f32[530, 300]) {\n  return y = x @ b\n}",
      {"", "reduce [thread simd=16, reduce unroll=8] prefetch", "reduce [thread tile=48 simd=16, reduce unroll=3] overlap prefetch",
       "reduce [sequential tile=100 unroll=2 simd=4, reduce unroll=5] prefetch", "reduce [thread, reduce unroll=4] prefetch"},
      rough({530}, 1), rough({530, 300}, 2));
  check_schedules(
      "graph g(x: f32[7, 270, 96]) {\n  return y = sum(x, axes=[1]), z = max(x * 2, axes=[1])\n}",
      {"", "reduce [thread, sequential simd=16, reduce unroll=8] prefetch", "reduce [thread, sequential simd=8, reduce unroll=2]"},
      rough({7, 270, 96}, 1));
  // Each row of b fills whole memory pages. The accumulators are on the stack and in scratch memory.
  check_schedules("graph g(x: f32[270], b: f32[270, 2048]) {\n  return y = x @ b\n}",
                  {"", "reduce [thread simd=16, reduce unroll=8] prefetch", "reduce [thread tile=1024 simd=8, reduce unroll=3]",
                   "reduce [sequential tile=1000 unroll=4 simd=16, reduce]"},
                  rough({270}, 1), rough({270, 2048}, 2));
  check_schedules("graph g(x: f32[3, 270, 1024]) {\n  return y = sum(x, axes=[1])\n}",
                  {"", "reduce [thread, sequential simd=4, reduce unroll=4]"}, rough({3, 270, 1024}, 1));
  const auto of_square = [](const std::string& n, const char* schedule = nullptr) {
    return source_of("graph g(x: f32[" + n + "], b: f32[" + n + ", " + n + "]) {\n  return y = x @ b\n}", schedule);
  };
  const std::string prefetching =
      of_square("4096", "kernel_0: reduce [thread tile=4096 simd=16, reduce unroll=8] partition overlap prefetch");
  // While the loop processes 8 rows of b, it prefetches the next 8 rows. This is the prefetch of the last of these: it is 15 rows, that is
  // 15 * 4096 = 61440 elements, after the first row that is processed.
  CHECK(prefetching.find(" + 61440, 0, 2);") != std::string::npos);
  // The array b fits the third-level cache, so the kernel does not prefetch.
  CHECK(of_square("1024").find("__builtin_prefetch") == std::string::npos);
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[5, n]) {\n  return y = sum(x, axes=[1])\n}");
  CHECK(schedule_mistake(graph.get(), "kernel_0: reduce [thread, reduce simd=16] prefetch").find("prefetch needs a kernel") !=
        std::string::npos);
}

TEST_CASE("L6.loop_tiling/c: every legal tile gives the same bits") {
  const char* const text = "graph g(a: f32[23, 300], b: f32[300, 41]) {\n  return y = (a @ b) * 2\n}";
  check_schedules(text,
                  {"", "[thread, sequential, reduce]", "[thread tile=5 unroll=2 pack, sequential tile=7 unroll=3 simd=4, reduce]",
                   "[sequential unroll=7, sequential simd=16 unroll=2, reduce] partition",
                   "[thread tile=64 unroll=64 pack, sequential tile=1000 unroll=2 simd=8, reduce]",
                   "[thread tile=5 unroll=5, sequential tile=20 simd=8, reduce unroll=7]",
                   "[thread tile=5 unroll=5, sequential tile=20 simd=8 pack, reduce]",
                   "[sequential tile=12 unroll=4 pack, sequential simd=16 pack, reduce]",
                   "[sequential tile=12 unroll=4 pack, sequential simd=16, reduce unroll=32]"},
                  rough({23, 300}, 1), rough({300, 41}, 2));
  const char* const grouped = "graph g(a: f32[23, 300], x: f32[5, 300, 41]) {\n  return y = einsum(a, x, spec=\"mk,hkn->mhn\")\n}";
  check_schedules(grouped,
                  {"", "[thread tile=10 unroll=3 pack, sequential tile=2, sequential tile=16 unroll=2 simd=8, reduce]",
                   "[thread tile=4 unroll=2, sequential tile=2, sequential tile=16 unroll=2 simd=8 pack, reduce]",
                   "[sequential, sequential tile=5, sequential, reduce]"},
                  rough({23, 300}, 1), rough({5, 300, 41}, 2));
  const char* const several = "graph g(a: f32[4, 19, 37], b: f32[4, 37, 40], v: f32[40]) flags=[broadcast] {\n  return y = (a @ b) + v\n}";
  check_schedules(several,
                  {"", "[thread, sequential tile=20 unroll=5, sequential tile=40 simd=8, reduce]",
                   "[thread, sequential tile=21 unroll=7, sequential tile=48 unroll=2 simd=8, reduce] partition overlap",
                   "[thread, sequential tile=8 unroll=4, sequential tile=40 simd=8, reduce] partition overlap"},
                  rough({4, 19, 37}, 1), rough({4, 37, 40}, 2), rough({40}, 3));
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}");
  const auto mistake = [&](const char* schedule) { return schedule_mistake(graph.get(), schedule); };
  CHECK(mistake("kernel_0: contraction [thread unroll=64, sequential unroll=4 simd=16, reduce]")
            .find("64 x 4 sums in registers; at most 128") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential tile=100000, reduce]").find("at most 65536 are allowed") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread tile=2000, sequential tile=1000, reduce]").find("blocks of 2000000 sums; at most 1048576") !=
        std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread unroll=16, sequential simd=16, reduce unroll=9]")
            .find("16 x 9 products in one step; at most 128") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential unroll=2 simd=16, reduce unroll=2]")
            .find("columns are unrolled only if the last axis has unroll=1, got unroll=2") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential, reduce pack]").find("pack, which only the rows and columns of a contraction") !=
        std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential pack, reduce]").find("pack, which would copy up to") != std::string::npos);
  CHECK(mistake("kernel_0: scan [thread, sequential, reduce]").find("the recipe must be reduce or contraction") != std::string::npos);
}

TEST_CASE("G15.matmul/c L6.loop_tiling/c: skinny GEMM reads the other factor without packing") {
  const Backends backends;
  const char* const text = "graph g(a: f32[m, k], b: f32[k, n], c: f32[m, n]) flags=[broadcast] {\n  return y = (a @ relu(b)) + c\n}";
  for (const int64_t rows : {4, 9, 16})
    for (const int64_t terms : {30, 38, 600}) {
      const int64_t columns = rows == 9 ? 1100 : 260;
      backends.run(text, rough({rows, terms}, 1), rough({terms, columns}, 2), rough({rows, columns}, 3));
    }
  const auto has_terms = [](const std::string& rows, const char* b, const char* product, std::string_view terms) {
    const std::string text = "graph g(a: f32[" + rows + ", 64], b: " + b + ") {\n  return y = a @ " + product + "\n}";
    return source_of(text).find(terms) != std::string::npos;
  };
  CHECK(has_terms("8", "f32[64, 512]", "b", "reduce unroll=4"));  // the elements of a for 8 rows and 4 terms fit in the registers
  CHECK(has_terms("4", "f32[64, 512]", "b", "reduce unroll=8"));
  CHECK_FALSE(has_terms("8", "f32[512, 64]", "transpose(b)", "reduce unroll="));
}

TEST_CASE("G15.matmul/c L6.loop_tiling/c X2: an unknown number of rows has a variant for few rows, which does not pack the other factor") {
  const Backends backends;
  for (const char* product : {"x @ w", "x @ transpose(v)", "(x * 2) @ abs(w) + 1"})
    for (const char* sizes : {"m in 2..5000, 40", "m, 40", "m, k"}) {
      const bool is_known = sizes[3] != 'k';
      const std::string text = cat("graph g(x: f32[", sizes, "], w: f32[", is_known ? "40, 300" : "k, n", "], v: f32[",
                                   is_known ? "300, 40" : "n, k", "]) flags=[broadcast] {\n  return y = ", product, "\n}");
      for (const int64_t rows : {2, 3, 4, 5, 31, 33, 224, 225})
        backends.run(text, rough({rows, 40}, 1), rough({40, 300}, 2), rough({300, 40}, 3));
    }
  // This factor has 4.5 MB, more than L2 of the machine rows below.
  const char* const far = "graph g(x: f32[m, k], w: f32[k, n]) {\n  return y = x @ w\n}";
  for (const int64_t rows : {1, 2, 7, 32, 33}) backends.run(far, rough({rows, 1030}, 1), rough({1030, 1100}, 2));
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load"}) {
    CAPTURE(row);
    const auto variants = [&](const char* x, const char* w, const char* product) {
      const Context context = make_context();
      const Graph graph = parse(context.get(), cat("harp 1\ngraph g(x: f32[", x, "], w: f32[", w, "]) {\n  return y = ", product, "\n}"));
      const std::string source = source_for(row, graph.get());
      return count(source, "contraction [");
    };
    CHECK(variants("m, 512", "512, 512", "x @ w") == 2);
    CHECK(variants("m, 4096", "4096, 4096", "x @ w") == 2);
    CHECK(variants("m, 512", "512, 512", "x @ transpose(w)") == 2);
    CHECK(variants("m, 16", "16, 512", "x @ w") == 1);             // too few terms
    CHECK(variants("m in 1..16, 512", "512, 512", "x @ w") == 1);  // there are never many rows
    CHECK(variants("m in 1..32, 2000", "2000, 1500", "x @ w") == 1);
    CHECK(variants("m in 2..32, 2000", "2000, 1500", "x @ w") == 1);
    CHECK(variants("m in 17..5000, 512", "512, 512", "x @ w") == 1);  // there are never few
    CHECK(variants("2, 512", "512, 512", "x @ w") == 1);
    CHECK(variants("1, 512", "512, 512", "x @ w") == 0);
  }
  // If the number of rows is unknown, but never large, a product is skinny GEMM from two rows on, which adds several terms at a time.
  CHECK(source_of("graph g(x: f32[m in 0..16, 2000], w: f32[2000, 1500]) {\n  return y = x @ w\n}").find("shape0 >= 2") !=
        std::string::npos);
  CHECK(source_of("graph g(x: f32[m in 2..32, 2000], w: f32[2000, 1500]) {\n  return y = x @ w\n}").find("reduce unroll=4] partition") !=
        std::string::npos);
  // Lanes of several bytes have register tiles, which also serve few rows.
  const std::string bytes = "graph g(x: i8[m, 600], w: i8[600, 600]) {\n  return y = matmul(cast(x, dtype=i32), cast(w, dtype=i32))\n}";
  CHECK(count(source_of(bytes), "contraction [") == 1);
}

TEST_CASE("G15.matmul/c L6.packed_matmul/c: a copy of the columns' factor for all rows is as small as its limit") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"})
    for (const char* shapes : {"x: i8[m, 4000], w: i8[4000, 2100]", "x: i8[300, 32000], w: i8[32000, 2100]",
                               "x: i8[m, k in 1..4096], w: i8[k, 2100]", "x: f32[m, 32001], w: f32[32001, 700]"}) {
      CAPTURE(row);
      CAPTURE(shapes);
      const Context context = make_context();
      const Graph graph = parse(context.get(), cat("harp 1\ngraph g(", shapes, ") {\n  return y = x @ w\n}"));
      CHECK(source_for(row, graph.get()).find("contraction [") != std::string::npos);
    }
  const Backends backends;
  backends.run("graph g(x: i8[m, 4000], w: i8[4000, 1160]) {\n  return y = x @ w\n}", whole<int8_t>({33, 4000}, 1),
               whole<int8_t>({4000, 1160}, 2));
}

TEST_CASE("G15.matmul/c L6.packed_matmul/c X2: products of few terms have register tiles if they have rows and columns enough for that") {
  const Backends backends;
  for (const int64_t terms : {3, 5, 8, 13})
    for (const char* product : {"x @ w", "x @ transpose(v)", "abs(x) @ transpose(v * 2) + 1"}) {
      const std::string k = std::to_string(terms);
      const std::string text =
          cat("graph g(x: f32[n, ", k, "], w: f32[", k, ", m], v: f32[m, ", k, "]) flags=[broadcast] {\n  return y = ", product, "\n}");
      for (const int64_t rows : {7, 8, 60})
        for (const int64_t columns : {15, 16, 37})
          backends.run(text, rough({rows, terms}, 1), rough({terms, columns}, 2), rough({columns, terms}, 3));
    }
  // Two products of the same array are two kernels, each with tiles.
  const std::string two = "graph g(x: f32[1000, 12], w: f32[12, 30], v: f32[12, 30]) {\n  return y = x @ w, z = x @ v\n}";
  CHECK(source_of(two).find("reduce [thread") == std::string::npos);
  backends.run(two, rough({1000, 12}, 1), rough({12, 30}, 2), rough({12, 30}, 3));
  // The tiles of integers must not compute many columns twice.
  CHECK(source_of("graph g(x: i32[1000, 15], w: i32[15, 30]) {\n  return y = x @ w\n}").find("contraction [") != std::string::npos);
  CHECK(source_of("graph g(x: i32[1000, 15], w: i32[15, 17]) {\n  return y = x @ w\n}").find("contraction [") == std::string::npos);
  for (const char* dtype : {"f16", "f64", "i32"})
    backends.run(cat("graph g(x: f32[b, n, 6], w: f32[b, m, 6]) {\n  return y = einsum(cast(x, dtype=", dtype, "), cast(w, dtype=", dtype,
                     "), spec=\"bik,bjk->bij\")\n}"),
                 rough({3, 9, 6}, 1), rough({3, 20, 6}, 2));
  const auto has_tiles = [](const char* row, const char* x, const char* w, const char* product) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), cat("harp 1\ngraph g(x: f32[", x, "], w: f32[", w, "]) {\n  return y = ", product, "\n}"));
    return source_for(row, graph.get()).find("contraction [") != std::string::npos;
  };
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load"}) {
    CAPTURE(row);
    CHECK(has_tiles(row, "1000, 3", "30, 3", "x @ transpose(w)"));
    CHECK(has_tiles(row, "n, 3", "30, 3", "x @ transpose(w)"));
    CHECK_FALSE(has_tiles(row, "1000, 2", "30, 2", "x @ transpose(w)"));
    CHECK_FALSE(has_tiles(row, "7, 3", "30, 3", "x @ transpose(w)"));
    CHECK(has_tiles(row, "1000, 8", "8, 30", "x @ w"));
    CHECK_FALSE(has_tiles(row, "1000, 8", "8, 7", "x @ w"));
    // With fewer terms, a row that is longer than a tile, but whose sums fit in registers, has no tiles.
    const int64_t lanes = harp::testing::row(row).cpu().vector_bytes / 4;
    CHECK(has_tiles(row, "1000, 2", cat("2, ", 2 * lanes).c_str(), "x @ w"));
    CHECK_FALSE(has_tiles(row, "1000, 7", cat("7, ", 4 * lanes).c_str(), "x @ w"));
    CHECK(has_tiles(row, "1000, 8", cat("8, ", 4 * lanes).c_str(), "x @ w"));
    CHECK(has_tiles(row, "1000, 2", cat("2, ", 20 * lanes).c_str(), "x @ w"));
    CHECK_FALSE(has_tiles(row, "1000, 1", cat("1, ", 20 * lanes).c_str(), "x @ w"));
  }
}

TEST_CASE("G15.matmul/c G15.conv2d/c L6.loop_tiling/c: few rows with few terms keep their sums in registers") {
  const Backends backends;
  for (const int64_t rows : {4, 8, 15})
    for (const int64_t columns : {260, 1100}) {
      const std::string m = std::to_string(rows), n = std::to_string(columns);
      backends.run("graph g(a: f32[" + m + ", 16], b: f32[16, " + n + "], c: f32[" + m + ", " + n +
                       "]) {\n  return y = (a @ relu(b)) + c, z = a @ b\n}",
                   rough({rows, 16}, 1), rough({16, columns}, 2), rough({rows, columns}, 3));
      backends.run("graph g(a: f32[" + m + ", 16], b: f32[16, n]) {\n  return y = a @ b\n}", rough({rows, 16}, 1), rough({16, columns}, 2));
    }
  const auto is_skinny = [](const char* row, const std::string& a, const std::string& b) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), "harp 1\ngraph g(a: f32[" + a + "], b: f32[" + b + "]) {\n  return y = a @ b\n}");
    const std::string source = source_for(row, graph.get());
    const size_t schedule = source.find("contraction [");
    REQUIRE(schedule != std::string::npos);
    return source.substr(schedule, source.find(']', schedule) - schedule).find("reduce unroll=") != std::string::npos;
  };
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load"}) {
    CAPTURE(row);
    CHECK_FALSE(is_skinny(row, "8, 16", "16, 12544"));
    CHECK_FALSE(is_skinny(row, "8, 32", "32, n"));
    CHECK(is_skinny(row, "8, 33", "33, 12544"));    // with 33 terms, the kernel would read too many memory streams at once
    CHECK(is_skinny(row, "8, 16", "16, 4000000"));  // b is larger than every cache
  }
  // A 1 x 1 convolution with few channels is a matrix product with few rows. The kernel reads the pixels from x without copying them first.
  const std::string pixels = source_of("graph g(x: f32[1, 16, 112, 112], w: f32[8, 16, 1, 1]) {\n  return y = conv2d(x, w)\n}");
  CHECK(pixels.find("contraction [thread tile=8 unroll=8, sequential tile=528 unroll=3 simd=16, reduce] partition overlap") !=
        std::string::npos);
  CHECK(pixels.find("row0") == std::string::npos);  // row0 would be the copy of the pixels in scratch memory
}

TEST_CASE("G15.matmul/c L6.loop_tiling/c: a single row, where the other factor lies along the terms") {
  const Backends backends;
  const char* const linear = "graph g(x: f32[1, k], w: f32[n, k], c: f32[n]) flags=[broadcast] {\n  return y = x @ transpose(w) + c\n}";
  for (const int64_t terms : {16, 45, 530})
    for (const int64_t columns : {8, 70, 600}) backends.run(linear, rough({1, terms}, 1), rough({columns, terms}, 2), rough({columns}, 3));
  const char* const heads = "graph g(q: f32[b, 1, k], c: f32[b, n, k]) {\n  return y = einsum(q, c, spec=\"bqk,bnk->bqn\")\n}";
  backends.run(heads, rough({5, 1, 40}, 1), rough({5, 33, 40}, 2));
  backends.run(heads, rough({2, 1, 300}, 1), rough({2, 17, 300}, 2));
  const auto has_tiles = [](const char* text) { return source_of(text).find("contraction over") != std::string::npos; };
  CHECK(has_tiles("graph g(x: f32[1, 64], w: f32[64, 64]) {\n  return y = x @ transpose(w)\n}"));
  CHECK_FALSE(has_tiles("graph g(x: f32[1, 64], w: f32[64, 64]) {\n  return y = x @ w\n}"));
}

TEST_CASE("G15.matmul/c: tiles are chosen where there are rows and columns to share") {
  const auto has_tiles = [](const std::string& call) {
    return source_of("graph g(a: f32[64, 64], b: f32[64, 64], v: f32[64], x: f32[1, 8, 9, 9], w: f32[8, 1, 3, 3]) {\n  return y = " + call +
                     "\n}")
               .find("contraction over") != std::string::npos;
  };
  CHECK(has_tiles("a @ b"));
  CHECK(has_tiles("a @ transpose(b)"));
  CHECK(has_tiles("einsum(a, b, spec=\"ij,kj->ki\")"));
  CHECK_FALSE(has_tiles("a @ v"));
  CHECK_FALSE(has_tiles("sum(a * b, axes=[0])"));
  CHECK_FALSE(has_tiles("conv2d(x, w, groups=8)"));  // each channel has its own weights, so no tile could use a loaded element twice
  const auto has_rows = [](const std::string& n, std::string_view rows) {
    return source_of("graph g(a: f32[" + n + ", " + n + "], b: f32[" + n + ", " + n + "]) {\n  return y = a @ b\n}").find(rows) !=
           std::string::npos;
  };
  // With two tiles of 8 rows, the CPU can store the first one while it computes the second.
  CHECK(has_rows("16", "unroll=8"));
  CHECK(has_rows("64", "unroll=8, sequential tile=512 unroll=2 "));  // each loaded element of a is used for two vectors of columns
}

TEST_CASE(
    "L6.loop_tiling/c: rows of a page that are read where they lie share a set of the first cache, and are as many as it has room for") {
  const std::string source = source_of("graph g(a: f32[512, 1024], b: f32[1024, 64]) {\n  return y = a @ b\n}");
  const std::string_view before = "contraction [thread tile=";
  const size_t tile = source.find(before), unroll = source.find(" unroll=", tile);
  REQUIRE(unroll != std::string::npos);
  CHECK(std::stoi(source.substr(unroll + 8)) <= 8);
  CHECK(source.find("pack", tile) > source.find(',', tile));  // the schedule packs the columns but not the rows
}

TEST_CASE("G15.matmul/c G17: what a factor is made of is looked at once, however often it is used") {
  std::string text = "graph g(a: f32[16, 32, 1], b: f32[1, 32, 16]) {\n  p0 = expand(a, shape=[16, 32, 16])\n";
  for (int i = 0; i < 60; ++i) {
    const std::string before = "p" + std::to_string(i);
    text += "  p" + std::to_string(i + 1) + " = " + before + " * " + before + " + " + before + "\n";
  }
  const Backends backends;
  CHECK(backends.cost(text + "  q = expand(b, shape=[16, 32, 16])\n  return y = sum(p60 * q, axes=[1])\n}", {}).kernels >= 1);
}

TEST_CASE("L5.thread/c L6.packed_matmul/c: each call that copies the columns' factor has rows enough for that") {
  struct Host {
    std::vector<std::pair<size_t, size_t>> calls;
    static void parallel_for(void* user, size_t n, size_t grain, harp_range_body body, void* arg) {
      auto& calls = static_cast<Host*>(user)->calls;
      for (size_t begin = 0; begin < n; begin += grain) calls.emplace_back(begin, std::min(n, begin + grain));
      for (size_t i = calls.size(); i-- > 0;) body(arg, calls[i].first, calls[i].second, i % 2);  // in reverse order
    }
  } host;
  const Context context =
      make_context([&](harp_context_options& o) { o.parallel_for = Host::parallel_for, o.parallel_for_user = &host, o.width = 2; });
  const Graph graph = parse(context.get(), "harp 1\ngraph g(a: f32[1000, 40], b: f32[70, 40]) {\n  return y = a @ transpose(b)\n}");
  Values<float> a = rough({1000, 40}, 1), b = rough({70, 40}, 2);
  const Buffer left = wrap(context.get(), a.items, a.dims), right = wrap(context.get(), b.items, b.dims);
  const std::vector<harp_buffer*> handles = {left.get(), right.get()};
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
  const Program program = compile(graph.get(), "c");
  REQUIRE(program != nullptr);
  CHECK(take(harp_program_source(program.get(), nullptr)).find("harp_for_least(rt, ") != std::string::npos);
  const std::vector<Buffer> outputs = run(program.get(), handles);
  CHECK(same_bits(outputs[0].get(), expected[0].get()));
  CHECK(host.calls.size() >= 2);
  CHECK(host.calls.size() <= 5);  // With at most 5 calls for the 1,000 rows, a call computes at least 200 rows on average.
}

TEST_CASE("G15.matmul/interp,c G9.bf16/interp,c: columns that are computed from rows of memory are computed in vectors along these rows") {
  const Backends backends;
  const auto text = [](const std::string& m, const std::string& k, const std::string& n) {
    return harp::cat("graph g(a: f32[", m, ", ", k, "], w: f32[", n, ", ", k, "]) flags=[broadcast] {\n",
                     "  h = cast(a, dtype=bf16) @ transpose(cast(w, dtype=bf16))\n"
                     "  return y = a @ transpose(relu(w)), h = cast(h, dtype=f32)\n}");
  };
  const Graph graph = parse(backends.context(), "harp 1\n" + text("7", "700", "64"));
  REQUIRE(graph != nullptr);
  const std::string source = source_for("x86-64-v4", graph.get());
  CHECK(source.find("load_strided") == std::string::npos);
  CHECK(source.find("transpose_f32(") != std::string::npos);
  for (const auto& [m, k, n] : {std::array<int64_t, 3>{7, 700, 64}, {5, 64, 33}, {9, 300, 16}, {4, 65, 40}, {12, 17, 20}, {6, 0, 9}})
    for (const std::string& each : {text("m", "k", "n"), text(std::to_string(m), std::to_string(k), std::to_string(n))})
      backends.run(each, rough({m, k}, 1), rough({n, k}, 2));
}

TEST_CASE("L6.packed_matmul/c X2: products of many rows and a known, small number of columns have vectors along the rows") {
  const Backends backends;
  for (const int64_t columns : {2, 3, 4, 5, 7})
    for (const int64_t terms : {16, 40, 257, 530}) {
      const std::string b = cat("b: f32[", terms, ", ", columns, "]");
      for (const int64_t rows : {17, 61, 300}) {
        backends.run(cat("graph g(a: f32[", rows, ", ", terms, "], ", b, ") {\n  return y = relu(a @ b)\n}"), rough({rows, terms}, 1),
                     rough({terms, columns}, 2));
        backends.run(cat("graph g(a: f32[m, ", terms, "], ", b, ") {\n  return y = a @ (b * 3.0)\n}"), rough({rows, terms}, 3),
                     rough({terms, columns}, 4));
      }
    }
  backends.run("graph g(a: f32[m, k], b: f32[k, 3]) {\n  return y = a @ b, t = transpose(a) @ (a @ b)\n}", rough({40, 70}, 5),
               rough({70, 3}, 6));
  backends.run("graph g(a: f32[5, 40, 33], b: f32[5, 33, 3], c: f32[3]) flags=[broadcast] {\n  return y = softmax(a @ b + c, axis=-1)\n}",
               rough({5, 40, 33}, 7), rough({5, 33, 3}, 8), rough({3}, 9));
  backends.run("graph g(a: i32[50, 40], b: i32[40, 3]) {\n  return y = a @ b\n}", whole<int32_t>({50, 40}, 1), whole<int32_t>({40, 3}, 2));
}

TEST_CASE("L6.packed_matmul/c: which products of few columns have vectors along the rows") {
  const auto is_tiled = [](const char* shapes) {
    return source_of(cat("graph g(", shapes, ") {\n  return y = a @ b\n}")).find("contraction [") != std::string::npos;
  };
  CHECK(is_tiled("a: f32[100, 64], b: f32[64, 3]"));
  CHECK(is_tiled("a: f32[n, 64], b: f32[64, 2]"));
  CHECK(is_tiled("a: f32[64, 100], b: f32[100, 7]"));
  CHECK(is_tiled("a: f32[100, 300], b: f32[300, 4]"));
  // One row of products is a vector of 4 elements, whose terms are one block.
  CHECK_FALSE(is_tiled("a: f32[100, 64], b: f32[64, 4]"));
  // Nothing to compute.
  CHECK_FALSE(is_tiled("a: f32[100, 64], b: f32[64, 0]"));
  // Too few rows to fill a vector, or too few terms.
  CHECK_FALSE(is_tiled("a: f32[8, 64], b: f32[64, 3]"));
  CHECK_FALSE(is_tiled("a: f32[100, 5], b: f32[5, 3]"));
  // A row of 5 columns takes little longer than one of 4, a byte less than a float, and a product of 64 bits much longer than a load.
  CHECK(is_tiled("a: f32[100, 32], b: f32[32, 5]"));
  CHECK_FALSE(is_tiled("a: f32[100, 31], b: f32[31, 5]"));
  CHECK(is_tiled("a: bf16[100, 64], b: bf16[64, 4]"));
  CHECK(is_tiled("a: i32[100, 64], b: i32[64, 4]"));
  CHECK_FALSE(is_tiled("a: i64[100, 64], b: i64[64, 3]"));
  // A tile is not larger than the rows fill, and has all columns.
  CHECK(source_of("graph g(a: f32[17, 64], b: f32[64, 3]) {\n  return y = a @ b\n}").find("tile=16 simd=16, sequential tile=6 unroll=3") !=
        std::string::npos);
  CHECK(source_of("graph g(a: f32[n, 64], b: f32[64, 7]) {\n  return y = a @ b\n}").find("unroll=7") != std::string::npos);
  // Several threads share few rows.
  CHECK(source_of("graph g(a: f32[200, 20000], b: f32[20000, 3]) {\n  return y = a @ b\n}").find("thread tile=48") != std::string::npos);
}

TEST_CASE("L6.packed_matmul/c X2: fewer columns than a vector has lanes are stored by masked vectors") {
  const Backends backends;
  const std::string matmul = "graph g(a: f32[m, 40], b: f32[40, 13]) {\n  return y = a @ b\n}";
  CHECK(source_of(matmul).find("store_masked_f32x16(") != std::string::npos);
  // B is copied once for all rows: outside of the loop over blocks of rows.
  const std::string many = source_of("graph g(a: f32[5000, 40], b: f32[40, 13]) {\n  return y = a @ b\n}");
  CHECK(many.find("float row0[640]") < many.find("(int64_t)begin0"));
  // a tile of several vectors, of which the first has all columns
  check_schedules("graph g(a: f32[50, 40], b: f32[40, 13]) {\n  return y = a @ b, z = (a @ b) * 2\n}",
                  {"", "[thread tile=32 unroll=4, sequential tile=64 unroll=2 simd=16, reduce] partition overlap",
                   "[thread tile=32 unroll=3 pack, sequential tile=96 unroll=3 simd=16 pack, reduce] partition overlap"},
                  rough({50, 40}, 1), rough({40, 13}, 2));
  for (const int64_t rows : {4, 29}) {
    CAPTURE(rows);
    backends.run(matmul, rough({rows, 40}, 1), rough({40, 13}, 2));
    backends.run(cat("graph g(a: f32[", rows, ", 300], b: f32[300, 9]) {\n  return y = a @ b, z = (a @ b) * 2\n}"), rough({rows, 300}, 1),
                 rough({300, 9}, 2));
    // Operands of the epilogue that vary along both axes, along the columns, and along the rows.
    backends.run(
        "graph g(a: f32[m, 40], b: f32[40, 15], r: f32[m, 15], s: f32[m, 1]) flags=[broadcast] {\n  d = a @ b\n"
        "  return y = (d + b[3]) * s - r, z = cast(d * 3, dtype=i32), h = cast(d + r, dtype=bf16)\n}",
        rough({rows, 40}, 1), rough({40, 15}, 2), rough({rows, 15}, 3), rough({rows, 1}, 4));
    // An operand that is read backwards, one with gaps, and one that is padded.
    backends.run(
        "graph g(a: f32[m, 20], b: f32[20, 10], r: f32[m, 25]) {\n  d = a @ b\n  e = slice(r, start=[none, 24], stop=[none, 14], step=[1, "
        "-1])\n"
        "  f = slice(r, stop=[none, 20], step=[1, 2])\n  g = pad(slice(r, stop=[none, 8]), before=[0, 1], after=[0, 1])\n"
        "  return y = d + e, z = d * f, w = d - g\n}",
        rough({rows, 20}, 1), rough({20, 10}, 2), rough({rows, 25}, 3));
  }
}

TEST_CASE("G15.matmul/interp,c L6.packed_matmul/c X2: of a tile that lacks many rows or columns only half is computed") {
  const Backends backends;
  // Rows of either factor are adjacent in memory along the terms, or along the rows and columns; with one block of terms, and with several;
  // with an epilogue that is stored beside the sums.
  const std::string transposed =
      "graph g(a: f32[m, 40], b: f32[n, 40], r: f32[n]) flags=[broadcast] {\n  y = a @ transpose(b)\n  return y = y, z = relu(y + r)\n}";
  const std::string plain = "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}";
  for (const int64_t m : {1, 3, 4, 5, 8, 9, 13})
    for (const int64_t n : {8, 15, 16, 17, 31, 33, 48}) {
      CAPTURE(m);
      CAPTURE(n);
      backends.run(transposed, rough({m, 40}, 1), rough({n, 40}, 2), rough({n}, 3));
      backends.run(plain, rough({m, 300}, 1), rough({300, n}, 2));
      backends.run(plain, rough({m, 17}, 1), rough({17, n}, 2));
    }
  backends.run("graph g(a: i8[m, 40], b: i8[40, n]) {\n  return y = cast(a, dtype=i32) @ cast(b, dtype=i32)\n}", whole<int8_t>({11, 40}, 1),
               whole<int8_t>({40, 20}, 2));
  // There is no code for half a tile where the number of rows and columns is known to be large.
  const auto products = [](const std::string& sizes) {
    return count(source_of("graph g(a: f32[" + sizes + ", 40], b: f32[40, " + sizes + "]) {\n  return y = a @ b\n}"), "fma_f32x16(splat");
  };
  CHECK(products("500") <= 32);
  CHECK(products("n") > 2 * products("500"));
}

TEST_CASE("G15.matmul/c L6.packed_matmul/c: a rows' factor that is computed is packed if several tiles of columns read it") {
  for (const char* result : {"relu(x) @ w", "(x * 2.0 + 1.0) @ w"}) {
    CAPTURE(result);
    const auto source_of_columns = [&](int64_t columns) {
      const Context context = make_context();
      const Graph graph =
          parse(context.get(), cat("harp 1\ngraph g(x: f32[256, 100], w: f32[100, ", columns, "]) {\n  return y = ", result, "\n}"));
      return source_for("x86-64-v3", graph.get());
    };
    const auto packs_rows = [&](int64_t columns) {
      return source_of_columns(columns).find(" pack, sequential tile=") != std::string::npos;
    };
    CHECK(packs_rows(100));
    CHECK_FALSE(packs_rows(30));
  }
  const Backends backends;
  for (const int64_t columns : {30, 33, 100})
    backends.run("graph g(x: f32[m, k], w: f32[k, n]) {\n  return y = relu(x) @ w\n}", rough({50, 40}, 1), rough({40, columns}, 2));
}
