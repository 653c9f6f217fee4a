// Tests matrix products, batched matrix products and convolutions by tiles (lower/gpu/product.h). In the emulator, their results must be
// bit-identical to the interpreter's. These kernels take long in the emulator, so each run is made in only one order of threads, which
// changes from run to run. A kernel with a fault must give other bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <variant>

#include "base/error.h"
#include "base/text.h"
#include "cuda/checked_programs.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "run/cuda/plan.h"
#include "tune/search_space.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

class Programs {
 public:
  /// Adds a program. `body` is the text of a graph's parameters and statements. `sizes` has the lists of values of its shape variables with
  /// which the program runs. `schedule` is the schedule of its only kernel for all sizes; if it is empty, harp chooses the schedule.
  void add(const std::string& body, std::vector<std::vector<int64_t>> sizes = {{}}, const std::string& schedule = "") {
    fuzz::Case test;
    test.graph = parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations());
    test.sizes = std::move(sizes);
    test.data_seed = programs_.all.size() + 1;
    programs_.add_for(target_, cat(body, schedule, " on ", target_.name), std::move(test), false,
                      schedule.empty() ? "" : cat("kernel_0: ", schedule));
  }
  /// Programs that are added after this call are compiled for this GPU.
  void choose(std::string_view name) { target_ = *std::ranges::find(gpu_machines(), name, &Machine::name); }
  void check() {
    const std::vector<std::string> wrong = run_emulated(programs_.all, Orders::kInTurn);
    for (size_t i = 0; i < wrong.size(); ++i) CHECK_MESSAGE(wrong[i].empty(), programs_.all[i].label, ", ", wrong[i]);
  }
  const GpuProgram& last() const { return programs_.all.back(); }
  /// Tests whether some kernel of the last program is a matrix product or convolution by tiles.
  bool are_tiles() const { return last().generated.source.find("contraction [") != std::string::npos; }

 private:
  Machine target_ = gpu_machines()[0];
  GpuPrograms programs_;
};

std::string tiles(std::string_view batch, int rows, int rows_of_thread, int columns, int columns_of_thread, int terms, int split = 0,
                  int stages = 0) {
  return cat("contraction [", batch, "thread_group tile=", rows, " unroll=", rows_of_thread, ", thread_group tile=", columns,
             " unroll=", columns_of_thread, ", reduce tile=", terms, split > 0 ? cat(" split=", split) : "",
             stages > 0 ? cat(" stages=", stages) : "", "]");
}

/// Returns the schedules of a product of f32 for an entry of harp's table of GPUs, but with this number of multiprocessors. `a` and `b` are
/// the shapes of the factors.
std::string schedules(std::string_view row, int processors, std::string_view a, std::string_view b) {
  const auto graph =
      parse_graph(cat("harp 1\ngraph g(a: f32", a, ", b: f32", b, ") {\n  return c = matmul(a, b)\n}\n"), grad::text_operations());
  PipelineOptions options = options_for_cuda(false);
  options.target = *std::ranges::find(gpu_machines(), row, &Machine::name);
  std::get<Gpu>(options.target.hardware).processors = processors;
  return emit_stage(*graph, options, "schedule");
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Returns the message of the error if these schedules are not legal for a product of f32 factors of the shapes `a` and `b`, otherwise
/// "none".
std::string mistake_in(std::string_view a, std::string_view b, const std::string& schedules) {
  const auto graph =
      parse_graph(cat("harp 1\ngraph g(a: f32", a, ", b: f32", b, ") {\n  return c = matmul(a, b)\n}\n"), grad::text_operations());
  PipelineOptions options = options_for_cuda(false);
  options.schedule_override = schedules;
  try {
    emit_stage(*graph, options, "schedule");
  } catch (const Error& error) {
    return error.message;
  }
  return "none";
}

constexpr std::string_view kFloats[] = {"f16", "bf16", "f32", "f64"};

}  // namespace

TEST_CASE("C1 L6.packed_matmul/cuda: products of every size and dtype have the interpreter's bits") {
  Programs programs;
  const int sizes[][3] = {{2, 1, 3}, {16, 8, 16}, {33, 17, 65}, {66, 257, 65}, {64, 600, 72}, {3, 300, 200}, {200, 40, 5}};
  for (const std::string_view dtype : kFloats)
    for (const auto& [m, k, n] : sizes) {
      programs.add(cat("a: ", dtype, "[", m, ", ", k, "], b: ", dtype, "[", k, ", ", n, "]) {\n  return c = matmul(a, b)"));
      CHECK(programs.are_tiles());
    }
  for (const std::string_view dtype : {"i8", "u16", "i32", "u64"})
    programs.add(cat("a: ", dtype, "[40, 300], b: ", dtype, "[300, 70]) {\n  return c = matmul(a, b)"));
  programs.add("a: complex64[20, 300], b: complex64[300, 17]) {\n  return c = matmul(a, b)");
  programs.check();
}

TEST_CASE("C1 L6.loop_tiling/cuda: products by tiles of every shape have the interpreter's bits") {
  Programs programs;
  const int shapes[][5] = {{128, 8, 128, 8, 8}, {128, 8, 64, 4, 8},  {64, 4, 64, 4, 16}, {32, 2, 32, 2, 32},
                           {16, 2, 128, 4, 16}, {128, 4, 16, 2, 16}, {16, 1, 16, 1, 32}, {64, 8, 64, 8, 8},
                           {32, 4, 64, 8, 8},   {32, 4, 32, 4, 16},  {8, 1, 64, 4, 16},  {4, 2, 32, 2, 16}};
  // more than one tile along each axis, and more than one block of 256 terms
  const std::string f32 = "a: f32[150, 264], b: f32[264, 140]) {\n  return c = matmul(a, b)";
  for (const auto& [rows, of_rows, columns, of_columns, terms] : shapes) {
    programs.add(f32, {{}}, tiles("", rows, of_rows, columns, of_columns, terms));
    if (rows >= 16 && columns >= 64)
      programs.add("a: f32[m, k in 0..65536], b: f32[k, n]) {\n  return c = matmul(a, b)",
                   {{129, 264, 131}, {3, 0, 5}, {0, 4, 4}, {128, 16, 128}}, tiles("", rows, of_rows, columns, of_columns, terms));
  }
  programs.add("a: f64[150, 264], b: f64[264, 140]) {\n  return c = matmul(a, b)", {{}}, tiles("", 64, 4, 64, 4, 8));
  programs.add("a: f64[150, 264], b: f64[264, 140]) {\n  return c = matmul(a, b)", {{}}, tiles("", 32, 4, 64, 4, 8));
  programs.check();
}

TEST_CASE("C1: a thread that computes one row or one column of a tile accesses single elements without a call") {
  const auto source = [](const std::string& body, const std::string& schedule) {
    const auto graph = parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations());
    PipelineOptions options = options_for_cuda(false);
    if (!schedule.empty()) options.schedule_override = cat("kernel_0: ", schedule);
    return emit_stage(*graph, options, "cuda");
  };
  const std::string f32 = "a: f32[150, 264], b: f32[264, 140]) {\n  return c = matmul(a, b)";
  for (const std::string& text :
       {source("a: f32[64, 16, 16], b: f32[64, 16, 16]) {\n  return c = matmul(a, b)", ""),
        source("a: f32[m, k], b: f32[k, 3]) {\n  return c = matmul(a, b)", ""), source(f32, tiles("", 16, 1, 16, 1, 32)),
        source(f32, tiles("", 8, 1, 64, 4, 16)), source(f32, tiles("", 64, 4, 16, 1, 32))}) {
    CHECK(has(text, "contraction ["));
    CHECK_MESSAGE(!has(text, "copy_f32("), text);
  }
}

TEST_CASE("C1: products of f64 by tensor cores have the interpreter's bits") {
  Programs programs;
  const auto uses_mma = [&] { return programs.last().generated.source.find("mma.sync") != std::string::npos; };
  const auto f64 = [](int m, int k, int n) {
    return cat("a: f64[", m, ", ", k, "], b: f64[", k, ", ", n, "]) {\n  return c = matmul(a, b)");
  };
  for (const std::string_view target : {"sm_80", "sm_86", "sm_90", "sm_100"}) {
    programs.choose(target);
    programs.add(f64(33, 17, 65));
    CHECK(uses_mma() == (target != "sm_86"));
    if (target != "sm_90") continue;
    const int sizes[][3] = {{2, 1, 3}, {16, 8, 16}, {66, 257, 65}, {64, 600, 72}, {3, 300, 200}, {200, 40, 5}, {64, 1030, 64}};
    for (const auto& [m, k, n] : sizes) {
      programs.add(f64(m, k, n));
      CHECK(uses_mma());
    }
    programs.add("a: f64[m, k], b: f64[k, n]) {\n  return c = matmul(a, b)", {{129, 264, 131}, {3, 0, 5}, {0, 4, 4}, {128, 16, 128}});
    CHECK(uses_mma());
    for (const std::string_view product :
         {"matmul(permute(a, [1, 0]), b)", "matmul(permute(a, [1, 0]), permute(b, [1, 0]))", "matmul(a, permute(b, [1, 0]))",
          "matmul(exp(a), add(b, b))", "permute(matmul(a, b), [1, 0])", "gelu(matmul(a, b))", "cast(matmul(a, b), f32)"})
      programs.add(cat("a: f64[96, 96], b: f64[96, 96]) {\n  return c = ", product));
    programs.add("a: f64[3, 40, 50], b: f64[3, 50, 70]) {\n  return c = matmul(a, b)");
    programs.add("x: f64[2, 8, 15, 18], k: f64[24, 8, 3, 3]) {\n  return y = conv2d(x, k, padding=1)");
    const int shapes[][5] = {{128, 4, 64, 8, 8}, {64, 4, 64, 8, 8},  {64, 4, 128, 8, 8}, {64, 4, 64, 4, 8},
                             {32, 4, 64, 4, 16}, {16, 2, 32, 2, 32}, {64, 1, 32, 8, 16}};
    for (const auto& [rows, of_rows, columns, of_columns, terms] : shapes) {
      programs.add(f64(130, 266, 132), {{}}, tiles("", rows, of_rows, columns, of_columns, terms));
      CHECK(uses_mma());
    }
    // The tensor-core instruction is not used: it gives each lane two columns of the result, but with this schedule a thread has one
    // column.
    programs.add(f64(130, 266, 132), {{}}, tiles("", 64, 4, 16, 1, 32));
    CHECK(!uses_mma());
  }
  programs.choose("sm_90");
  programs.add("a: f32[33, 17], b: f32[17, 65]) {\n  return c = matmul(a, b)");
  CHECK(!uses_mma());
  programs.check();
}

TEST_CASE("C1: products whose factors are transposed, sliced, batched or computed have the interpreter's bits") {
  Programs programs;
  for (const std::string_view product :
       {"matmul(permute(a, [1, 0]), b)", "matmul(permute(a, [1, 0]), permute(b, [1, 0]))", "matmul(a, permute(b, [1, 0]))",
        "matmul(exp(a), add(b, b))", "matmul(slice(a, start=[1, 2], stop=[95, 94], step=[1, 2]), slice(b, start=[0, 1], stop=[46, 96]))",
        "matmul(pad(a, [0, 3], [5, 0]), pad(b, [1, 0], [2, 0]))", "matmul(flip(a, axes=[1]), b)", "matmul(concat([a, b], axis=0), b)",
        "matmul(a, take(b, arange(96, dtype=i64), axis=1))"})
    programs.add(cat("a: f32[96, 96], b: f32[96, 96]) {\n  return c = ", product));
  for (const std::string_view product :
       {"matmul(permute(a, [1, 0]), b)", "matmul(permute(a, [1, 0]), permute(b, [1, 0]))", "matmul(a, permute(b, [1, 0]))"})
    programs.add(cat("a: f32[n, n], b: f32[n, n]) {\n  return c = ", product), {{0}, {1}, {5}, {64}, {130}});
  programs.add("a: f32[3, 40, 50], b: f32[3, 50, 70]) {\n  return c = matmul(a, b)");
  programs.add("a: f32[2, 3, 20, 30], b: f32[2, 3, 30, 40]) {\n  return c = matmul(a, b)");
  programs.add("a: f32[4, 40, 50], b: f32[50, 70]) flags=[broadcast] {\n  return c = matmul(a, b)");
  programs.add("a: f32[40, 50], b: f32[4, 50, 70]) flags=[broadcast] {\n  return c = matmul(a, b)");
  programs.add("a: f32[b, m, k], b: f32[b, k, n]) {\n  return c = matmul(a, b)",
               {{2, 33, 70, 65}, {0, 4, 4, 4}, {3, 1, 1, 1}, {2, 2, 300, 2}});
  programs.add("q: f32[2, 4, 50, 32], k: f32[2, 4, 60, 32]) {\n  return s = matmul(q, permute(k, [0, 1, 3, 2]))");
  programs.add("a: f32[5, 6, 7], b: f32[7, 8, 9]) {\n  return c = tensordot(a, b, a_axes=[2], b_axes=[0])");
  programs.add("a: f32[5, 6, 7, 4], b: f32[4, 6, 8]) {\n  return c = einsum(a, b, spec=\"abcd,dbe->aec\")");
  programs.check();
}

TEST_CASE("C1: what follows a product is stored with it, with the interpreter's bits") {
  Programs programs;
  for (const std::string_view result : {"relu(add(matmul(a, b), v))", "gelu(add(matmul(a, b), v))", "cast(matmul(a, b), f16)",
                                        "sub(matmul(a, b), c)", "permute(matmul(a, b), [1, 0])", "lt(matmul(a, b), c)"})
    for (const int terms : {64, 300})
      programs.add(cat("a: f32[70, ", terms, "], b: f32[", terms,
                       ", 100], v: f32[100], c: f32[70, 100]) flags=[broadcast] {\n  return y = ", result));
  programs.add("a: f32[m, k], b: f32[k, n], v: f32[n]) flags=[broadcast] {\n  p = matmul(a, b)\n  return y = p, z = tanh(add(p, v))",
               {{33, 20, 36}, {5, 700, 7}});
  programs.check();
}

TEST_CASE(
    "C1 L6.packed_convolution/cuda G15.conv_stride,conv_dilation,conv_padding,conv_groups/cuda: convolutions have the interpreter's bits") {
  Programs programs;
  for (const std::string_view options :
       {"", ", padding=1", ", stride=2, padding=2", ", dilation=2", ", groups=2", ", stride=[1, 2], padding=[[0, 0], [1, 2]]"})
    programs.add(cat("x: f32[2, 8, 15, 18], k: f32[24, ", options == ", groups=2" ? 4 : 8,
                     ", 3, 3], b: f32[24]) {\n  return y = conv2d(x, k, b", options, ")"));
  programs.add("x: f32[b, c, h, w], k: f32[20, c, 3, 3]) {\n  return y = conv2d(x, k, padding=1)",
               {{2, 5, 9, 11}, {1, 40, 3, 3}, {0, 3, 5, 5}});
  programs.add("x: f64[3, 6, 40], k: f64[18, 6, 5]) {\n  return y = conv1d(x, k, padding=2)");
  programs.add("x: f16[1, 4, 6, 7, 8], k: f16[10, 4, 2, 2, 2]) {\n  return y = conv3d(x, k)");
  programs.add("x: f32[2, 16, 9, 9], k: f32[32, 16, 1, 1]) {\n  return y = relu(conv2d(x, k))");
  programs.check();
}

TEST_CASE("C1: products of many terms have the interpreter's bits") {
  Programs programs;
  for (const int terms : {255, 256, 257, 4096, 65535, 65536, 65537})
    programs.add(cat("a: f32[3, ", terms, "], b: f32[", terms, ", 4]) {\n  return c = matmul(a, b)"));
  programs.add("a: f32[2, k], b: f32[k, 3]) {\n  return c = matmul(a, b)", {{256}, {257}, {65536}, {65537}, {70000}});
  programs.check();
}

TEST_CASE("C1: tiles of products become smaller until there is one for each multiprocessor of the GPU") {
  const auto schedule = [](std::string_view row, int processors) { return schedules(row, processors, "[512, 256]", "[256, 512]"); };
  const std::string square = tiles("", 128, 8, 128, 8, 8, 0, 2), half = tiles("", 128, 8, 64, 4, 8, 0, 4),
                    quarter = tiles("", 64, 4, 64, 4, 16, 0, 2);
  CHECK(has(schedule("sm_80", 16), square));  // 16 tiles
  CHECK(has(schedule("sm_80", 17), half));
  CHECK(has(schedule("sm_80", 32), half));
  CHECK(has(schedule("sm_80", 33), quarter));
  // On sm_86, tiles of 128 x 128 results are too large, and two blocks with four stages do not fit the shared memory.
  CHECK(has(schedule("sm_86", 16), tiles("", 128, 8, 64, 4, 8, 0, 2)));
  CHECK(has(schedule("sm_86", 33), quarter));
}

TEST_CASE("C1 L5.merge_order/cuda: products whose terms are split into slices have the interpreter's bits") {
  Programs programs;
  const auto is_split = [&] { return has(programs.last().generated.source, "sum of the slices"); };
  const auto add = [&](const std::string& body, std::vector<std::vector<int64_t>> sizes = {{}}, const std::string& schedule = "") {
    programs.add(body, std::move(sizes), schedule);
    CHECK_MESSAGE(is_split(), body);
  };
  const std::string symbolic = "a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)";
  // The sums over k are split into slices of 256 terms. The sizes give every kind of number of slices: 0, 1, a few, and 258; more than 256
  // slices are added in blocks.
  add(symbolic, {{33, 0, 5}, {3, 1, 4}, {40, 255, 33}, {64, 256, 8}, {5, 257, 65}, {33, 1030, 70}, {2, 66000, 3}},
      tiles("", 32, 2, 32, 2, 32, 256));
  add(symbolic, {{129, 264, 131}, {3, 0, 5}, {0, 300, 4}, {128, 520, 128}}, tiles("", 128, 8, 64, 4, 8, 256));
  add(symbolic, {{17, 300, 18}, {3, 65536, 4}, {3, 65537, 4}, {2, 131100, 2}}, tiles("", 16, 1, 16, 1, 32, 65536));
  // without a given schedule, harp splits the sums of products that have few results and many terms
  for (const std::string_view dtype : kFloats) add(cat("a: ", dtype, "[33, 1030], b: ", dtype, "[1030, 40]) {\n  return c = matmul(a, b)"));
  for (const std::string_view dtype : {"i8", "u16", "i32", "u64"})
    add(cat("a: ", dtype, "[20, 1500], b: ", dtype, "[1500, 30]) {\n  return c = matmul(a, b)"));
  add("a: f32[3, 20, 1100], b: f32[3, 1100, 30]) {\n  return c = matmul(a, b)");
  programs.add("a: f32[0, 2048], b: f32[2048, 4]) {\n  return c = matmul(a, b)");
  add("x: f32[1, 130, 5, 6], k: f32[18, 130, 3, 3]) {\n  return y = conv2d(x, k, padding=1)");
  add("a: f32[b, m, k], b: f32[b, k, n]) {\n  return c = matmul(a, b)",
      {{2, 5, 1200, 7}, {1, 1, 1024, 1}, {2, 3, 1023, 4}, {0, 4, 2000, 4}});
  // Two equal products must store their results in different buffers.
  add("a: f32[40, 2048], b: f32[2048, 40], d: f32[40, 2048], e: f32[2048, 40]) {\n  return c = matmul(a, b), f = matmul(d, e)");
  for (const std::string_view result : {"relu(add(matmul(a, b), v))", "gelu(add(matmul(a, b), v))", "cast(matmul(a, b), f16)",
                                        "sub(matmul(a, b), c)", "permute(matmul(a, b), [1, 0])", "lt(matmul(a, b), c)"})
    add(cat("a: f32[30, 1024], b: f32[1024, 20], v: f32[20], c: f32[30, 20]) flags=[broadcast] {\n  return y = ", result));
  add("a: f32[1040, 9], b: f32[1040, 12]) {\n  return c = matmul(permute(a, [1, 0]), b)");
  add("a: f32[9, 1040], b: f32[12, 1040]) {\n  return c = matmul(a, permute(b, [1, 0]))");
  programs.choose("sm_90");
  add("a: f64[40, 1300], b: f64[1300, 50]) {\n  return c = matmul(a, b)");
  CHECK(has(programs.last().generated.source, "mma.sync"));
  programs.check();
}

TEST_CASE("C1: the terms of a product are split if there are too few tiles, or more terms than a block of threads can sum") {
  const auto schedule = [](std::string_view a, std::string_view b) { return schedules("sm_80", 132, a, b); };
  CHECK(has(schedule("[64, 4096]", "[4096, 64]"), tiles("", 32, 2, 32, 2, 32, 256, 2)));
  CHECK(has(schedule("[256, 16384]", "[16384, 256]"), tiles("", 128, 8, 128, 8, 8, 256, 4)));  // 4 tiles and 64 slices
  CHECK_FALSE(has(schedule("[64, 1023]", "[1023, 64]"), " split="));                           // too few terms
  CHECK_FALSE(has(schedule("[512, 4096]", "[4096, 512]"), " split="));                         // 256 tiles
  CHECK(has(schedule("[512, 65537]", "[65537, 512]"), tiles("", 64, 4, 32, 2, 16, 65536, 2)));
  CHECK_FALSE(has(schedule("[512, 65536]", "[65536, 512]"), " split="));
  const std::string symbolic = schedule("[m, k]", "[k, n]");
  CHECK(has(symbolic, tiles("", 32, 2, 32, 2, 32, 256, 2)));
  CHECK(has(symbolic, tiles("", 32, 2, 32, 2, 32, 65536, 2)));
  CHECK(has(symbolic, tiles("", 128, 8, 64, 4, 8, 0, 4)));
  CHECK(has(symbolic, tiles("", 32, 2, 32, 2, 32, 0, 2)));
}

TEST_CASE("C1: the sums of the slices of a product are added after all of them have been stored, and need memory only if it is split") {
  Programs programs;
  programs.add("a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)", {{33, 1030, 40}});
  const cuda::Plan& plan = *programs.last().generated.plan;
  REQUIRE(plan.steps.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    // Variants 1 and 2 of the kernel take two launches each: steps 0 and 1, and steps 2 and 3. The second launch waits for the first.
    const bool is_second = i == 1 || i == 3;
    CHECK(plan.steps[i].after == (is_second ? std::vector<int>{static_cast<int>(i) - 1} : std::vector<int>{}));
  }
  const auto bytes = [&](std::vector<int64_t> sizes) { return plan.arena.evaluate(plan.values(sizes, 1, 1)); };
  const auto runs = [&](std::vector<int64_t> sizes) {
    std::string steps;
    for (size_t i = 0; i < 6; ++i)
      if (std::get<cuda::Launch>(plan.steps[i].what).guard.evaluate(plan.values(sizes, 1, 1)) >= 0) append(steps, cat(i));
    return steps;
  };
  CHECK(runs({64, 4096, 64}) == "01");
  CHECK(bytes({64, 4096, 64}) == 16 * 64 * 64 * 4);
  CHECK(runs({64, 1023, 64}) == "5");
  CHECK(bytes({64, 1023, 64}) == 0);
  CHECK(runs({2048, 4096, 2048}) == "4");
  CHECK(bytes({2048, 4096, 2048}) == 0);
  CHECK(runs({2048, 65537, 2048}) == "23");
  CHECK(bytes({2048, 65537, 2048}) == 2 * 2048 * 2048 * 4);
}

TEST_CASE("C1: slices of a product have as many terms as the blocks of the sum") {
  const auto mistake = [](const std::string& schedule) { return mistake_in("[40, 600]", "[600, 50]", schedule); };
  CHECK(mistake("kernel_0: " + tiles("", 32, 2, 32, 2, 32, 256)) == "none");
  CHECK(mistake("kernel_0: " + tiles("", 32, 2, 32, 2, 32, 65536)) == "none");
  CHECK(has(mistake("kernel_0: " + tiles("", 32, 2, 32, 2, 32, 512)), "not by split=512"));
  CHECK(has(mistake("kernel_0: reduce [thread, thread tile=1, reduce split=256]"), "axis 2 has split=256"));
  CHECK(mistake("kernel_0: " + tiles("", 32, 2, 32, 2, 32, 0, 8)) == "none");
  CHECK(has(mistake("kernel_0: " + tiles("", 32, 2, 32, 2, 32, 0, 3)), "not stages=3"));
  CHECK(has(mistake("kernel_0: " + tiles("", 128, 8, 128, 8, 8, 0, 8)), "does not fit the shared memory"));
  CHECK(has(mistake("kernel_0: reduce [thread, thread tile=1, reduce stages=2]"), "axis 2 has stages=2"));
}

TEST_CASE("C1: a schedule of a product without slices is only for sizes whose terms a block of threads can sum") {
  const std::string whole = tiles("", 32, 2, 32, 2, 32), split = tiles("", 32, 2, 32, 2, 32, 256), no_split = "axis 2 has no split";
  // With more than 65,536 terms, variant 1 runs if there are few results and variant 2 if there are many. Variants 3 and 4 run only with at
  // most 65,536 terms.
  const auto mistake = [](const std::string& schedule) { return mistake_in("[m, k]", "[k, n]", schedule); };
  CHECK(has(mistake("kernel_0: " + whole), no_split));
  CHECK(has(mistake("kernel_0: " + whole), "but there are k of them. Expected split=256 or split=65536"));
  CHECK(has(mistake("kernel_0 variant 1: " + whole), no_split));
  CHECK(has(mistake("kernel_0 variant 2: " + whole), no_split));
  CHECK(mistake("kernel_0 variant 3: " + whole) == "none");
  CHECK(mistake("kernel_0 variant 4: " + whole) == "none");
  CHECK(mistake("kernel_0: " + split) == "none");
  CHECK(mistake("kernel_0 variant 2: " + split) == "none");
  CHECK(mistake("kernel_0: reduce [thread, thread tile=1, reduce]") == "none");
  // The printed schedules are legal overrides.
  std::string lines, printed = schedules("sm_80", 132, "[m, k]", "[k, n]");
  for (size_t at = printed.find("  kernel_0 variant "); at != printed.npos; at = printed.find("  kernel_0 variant ", at + 1))
    lines += printed.substr(at, printed.find('\n', at) + 1 - at);
  CHECK(has(lines, "variant 4"));
  CHECK(mistake(lines) == "none");
  CHECK(mistake_in("[m, k in 0..65536]", "[k, n]", "kernel_0: " + whole) == "none");
  CHECK(has(mistake_in("[m, k in 0..65537]", "[k, n]", "kernel_0: " + whole), no_split));
  CHECK(mistake_in("[64, 65536]", "[65536, 64]", "kernel_0: " + whole) == "none");
  CHECK(has(mistake_in("[64, 65537]", "[65537, 64]", "kernel_0: " + whole), "but there are 65537 of them"));
}

TEST_CASE("H3.search_space: the tuner tries only schedules of a product that can sum all its terms") {
  const auto graph = parse_graph("harp 1\ngraph g(a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)\n}\n", grad::text_operations());
  const PipelineOptions base = options_for_cuda(false);
  const std::vector<std::vector<int64_t>> all_sizes = {{64, 100'000, 64}, {4000, 100'000, 4000}, {4000, 4000, 4000}, {9, 9, 9}};
  for (const std::vector<int64_t>& sizes : all_sizes) {
    const tune::SearchSpace space(*graph, {base, {}, sizes, 1});
    size_t legal = 0;
    for (size_t i = 0; i < space.choices().size(); ++i)
      for (size_t option = 1; option < space.choices()[i].values.size(); ++option) {
        tune::Point point = space.untuned();
        point[i] = static_cast<uint8_t>(option);
        if (!space.settle(point)) continue;
        PipelineOptions options = space.options().base;
        tune::apply(space.configuration(point), options);
        CHECK_NOTHROW(emit_stage(*graph, options, "schedule"));
        legal += !options.schedule_override.empty();
      }
    CHECK(legal > 0);
  }
}

TEST_CASE("C1 L6.packed_matmul/cuda: products whose factors are copied asynchronously have the interpreter's bits") {
  Programs programs;
  const auto is_async = [&] { return has(programs.last().generated.source, "cp.async"); };
  const auto add = [&](const std::string& body, std::vector<std::vector<int64_t>> sizes = {{}}, const std::string& schedule = "") {
    programs.add(body, std::move(sizes), schedule);
    CHECK_MESSAGE(is_async(), body, schedule);
  };
  // Rows of 129, 67 or 131 elements are not aligned, so with these sizes the factors are copied through registers. With some sizes the last
  // step over k has fewer terms than the others. The larger results are slightly larger than one tile, of 32 x 64 or of 128 x 128 elements.
  const std::string symbolic = "a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)",
                    few_terms = "a: f32[m, k in 0..65536], b: f32[k, n]) {\n  return c = matmul(a, b)";
  std::vector<std::vector<int64_t>> sizes = {{33, 0, 8},    {3, 1, 4},     {40, 7, 36},   {64, 16, 64},
                                             {34, 261, 68}, {33, 264, 67}, {34, 522, 68}, {5, 33, 129}};
  for (const int stages : {2, 4, 8})
    for (const int split : {0, 256}) {
      add(few_terms, sizes, tiles("", 32, 2, 64, 4, 8, split, stages));
      add(few_terms, sizes, tiles("", 16, 1, 16, 1, 32, split, stages));
    }
  sizes.push_back({129, 264, 131});
  sizes.push_back({130, 266, 132});
  add(few_terms, sizes, tiles("", 128, 8, 128, 8, 8, 0, 4));
  add(symbolic, {{17, 300, 16}, {3, 65540, 4}}, tiles("", 16, 1, 16, 1, 32, 65536, 4));
  for (const std::string_view dtype : {"f32", "f64", "i32", "u64"})
    add(cat("a: ", dtype, "[40, 300], b: ", dtype, "[300, 72]) {\n  return c = matmul(a, b)"));
  for (const std::string_view product : {"matmul(permute(a, [1, 0]), b)", "matmul(permute(a, [1, 0]), permute(b, [1, 0]))",
                                         "matmul(a, permute(b, [1, 0]))", "relu(matmul(a, b))"})
    add(cat("a: f32[96, 96], b: f32[96, 96]) {\n  return c = ", product));
  add("a: f32[3, 40, 50], b: f32[3, 50, 72]) {\n  return c = matmul(a, b)");
  add("a: f32[b, m, k], b: f32[b, k, n]) {\n  return c = matmul(a, b)", {{2, 33, 70, 64}, {0, 4, 4, 4}, {3, 1, 1, 1}, {2, 2, 300, 6}});
  add("a: f32[100, 40], b: f32[100, 96]) {\n  return c = matmul(slice(permute(a, [1, 0]), start=[3, 1], stop=[39, 98], step=[1, 1]), "
      "slice(b, start=[1, 4], stop=[98, 92], step=[1, 1]))");
  // Two products that are copied through registers: 16-bit floats must be widened, and rows of 71 elements are not aligned.
  for (const std::string_view body : {"a: f16[40, 300], b: f16[300, 72]) {\n  return c = matmul(a, b)",
                                      "a: f32[40, 300], b: f32[300, 71]) {\n  return c = matmul(a, b)"}) {
    programs.add(std::string(body));
    CHECK_FALSE(is_async());
  }
  programs.choose("sm_90");
  add("a: f64[70, 530], b: f64[530, 140]) {\n  return c = matmul(a, b)");
  CHECK(has(programs.last().generated.source, "mma.sync"));
  programs.check();
}

TEST_CASE("C1: the PTX instructions of asynchronous copies") {
  Programs programs;
  programs.add("a: f32[256, 512], b: f32[512, 128]) {\n  return c = matmul(a, b)", {{}}, tiles("", 128, 8, 64, 4, 16, 0, 4));
  const std::string& text = programs.last().generated.source;
  // rows of a become columns in shared memory, so they are copied element by element
  CHECK(has(text, "cp.async.ca.shared.global [%0], [%1], 4, %2;"));
  CHECK(has(text, "cp.async.cg.shared.global [%0], [%1], 16, %2;"));  // rows of b
  CHECK(has(text, "cp.async.commit_group;"));
  CHECK(has(text, "cp.async.wait_group 2;"));
  CHECK(has(text, "cp.async.wait_group 0;"));
  programs.add("a: f64[256, 512], b: f64[512, 128]) {\n  return c = matmul(a, b)", {{}}, tiles("", 64, 4, 64, 4, 8, 0, 2));
  CHECK(has(programs.last().generated.source, "cp.async.ca.shared.global [%0], [%1], 8, %2;"));
}

TEST_CASE("C1: a product whose asynchronous copies have a fault has other bits") {
  Programs programs;
  // The last step is not whole, so copies of later steps, which do not exist, are under way when the last step ends.
  programs.add("a: f32[40, 603], b: f32[603, 64]) {\n  return c = matmul(a, b)", {{}}, tiles("", 32, 2, 32, 2, 8, 0, 4));
  Faults faults(programs.last());
  const std::string wait = "cp.async.wait_group 2;";
  faults.replace(cat("asm volatile(\"", wait, "\" : : : \"memory\");"), "");  // no wait
  faults.replace(wait, "cp.async.wait_group 3;");                             // fault: the wait does not include the last batch
  // fault: the copies of the first batch belong to the second
  faults.replace("asm volatile(\"cp.async.commit_group;\" : : : \"memory\");", "");
  faults.replace("asm volatile(\"cp.async.wait_group 0;\" : : : \"memory\");", "");  // fault: the last copies are not complete when used
  faults.replace("__syncthreads();", "");                                            // fault: copies of other threads are used too early
  faults.check(1);
}

TEST_CASE("C1: a product with a fault has other bits") {
  Programs programs;
  programs.add("a: f32[40, 600], b: f32[600, 50]) {\n  return c = matmul(a, b)");
  Faults faults(programs.last());
  // fault: without the barrier, threads read terms that other threads have not yet written
  faults.replace("__syncthreads();", "");
  // fault: each product is rounded before it is added, whereas a fused multiply-add rounds only the sum
  faults.replace("__fmaf_rn(a, b, c)", "__fmaf_rn(a, b, 0.0f) + c");
  faults.check(1);
}

TEST_CASE("C1: a product by tensor cores with a fault has other bits") {
  Programs programs;
  programs.choose("sm_90");
  programs.add("a: f64[40, 600], b: f64[600, 50]) {\n  return c = matmul(a, b)");
  Faults faults(programs.last());
  faults.replace("+ lane / 4 - 2 * term", "+ lane / 4");                // fault: lanes read the elements of b that belong to other lanes
  faults.replace("rows += term * row_step, ", "");                      // fault: all lanes read the first term of their row
  faults.replace("mma_8x8x4_f64(c", "if (lane < 31) mma_8x8x4_f64(c");  // fault: one lane does not take part in the product
  faults.check(1);
}
