// Tests fusion (by the number of kernels), generations (sets of kernels that may run at the same time), the schedule that is chosen for
// each kernel, and large graphs. Only the structure of the program is checked: other tests and the fuzzer compare results.
// (memory_plan_test.cpp tests the sharing of memory, schedule_text_test.cpp schedules as text.)
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "grad/operation.h"
#include "graph/build.h"
#include "graph/composites.h"
#include "ir/apply_schedule.h"
#include "lower/lower.h"
#include "support/count_in_text.h"
#include "support/scheduled.h"

using namespace schedule_test;

TEST_CASE("L1 L2: elementwise chains, siblings and views are one kernel") {
  CHECK(scheduled("graph g(x: f32[n, 8]) { return y = exp(x * 2.0) + 1.0 }").kernels.size() == 1);
  CHECK(scheduled("graph g(x: f32[n, 8], z: f32[n, 8]) { return y = x + z, q = x * z, r = sqrt(x + z) }").kernels.size() == 1);
  CHECK(scheduled("graph g(x: f32[6, 8]) { return y = permute(x, axes=[1, 0]) + reshape(x, shape=[8, 6]) }").kernels.size() == 1);
  CHECK(scheduled("graph g(x: f32[6, 8]) { return y = pad(x, before=[1, 1], after=[0, 2], value=3.0) * 2.0 }").kernels.size() == 1);
  // If one output is computed from the other at the same index, both are computed by one kernel.
  CHECK(scheduled("graph g(x: f32[n]) {\n  a = x + 1.0\n  return y = a, z = a * 2.0\n}").kernels.size() == 1);
  // Two outputs of different sizes are computed by two kernels.
  CHECK(scheduled("graph g(x: f32[8], z: f32[9]) { return y = x + 1.0, q = z + 1.0 }").kernels.size() == 2);
}

TEST_CASE("G17.into_cumulative,epilogue/c L2: what is elementwise around a scan is computed in its kernel") {
  const auto kernels = [](std::string_view body) {
    const Program program = scheduled(cat("graph g(x: f32[n, m], w: f32[n, m]) {\n", body, "\n}"));
    CHECK_NOTHROW(ir::verify(*lower::lower_program(program)));
    return program.kernels.size();
  };
  for (const char* axis : {"axis=1", "axis=0", "axis=0, reverse=true"}) {
    CAPTURE(axis);
    CHECK(kernels(cat("  return y = cumsum(exp(x), ", axis, ") * w")) == 1);
    CHECK(kernels(cat("  return y = cumsum(flip(x) + w, ", axis, ")")) == 1);
    // Scans along the same axis are computed in one pass over their operands. The same pass computes values that depend on several of the
    // scans.
    CHECK(kernels(cat("  s = cumsum(x * w, ", axis, ")\n  return y = s, z = cummax(x * w, ", axis, ") - s")) == 1);
    // If a consumer reads the result of a scan at other indices, the consumer gets a kernel of its own.
    CHECK(kernels(cat("  s = cumsum(x, ", axis, ")\n  return y = s - roll(s, shift=1, axis=0)")) == 2);
    CHECK(kernels(cat("  return y = cumsum(cumsum(x, ", axis, "), ", axis, ")")) == 2);
    CHECK(kernels(cat("  return y = sum(cumsum(x, ", axis, "))")) == 2);
    CHECK(kernels(cat("  return y = cumsum(x, ", axis, ", exclusive=true)")) == 2);
  }
  CHECK(kernels("  return y = cumsum(x, axis=0), z = cumsum(x, axis=1)") == 2);
  CHECK(kernels("  return y = cumsum(x, axis=1), z = cumsum(x, axis=1, reverse=true)") == 2);
  // One kernel computes the three scans of the forward pass and their products, and another kernel computes the backward pass.
  const std::string loss = "graph g(x: f32[n, m]) {\n  y = cumprod(x, axis=1)\n  return d = grad(y, x, grad_output=1)\n}";
  CHECK(scheduled(*parse_graph(loss, grad::text_operations())).kernels.size() == 2);
}

TEST_CASE("L2 L5: schedules of scans") {
  const std::string_view rows = "graph g(x: f32[n, m]) { return y = cumsum(x, axis=1) }";
  const std::string_view columns = "graph g(x: f32[n, m]) { return y = cumsum(x, axis=0) }";
  CHECK(print(scheduled(rows)).find(": scan [thread, scan") != std::string::npos);
  CHECK(print(scheduled(columns)).find(": scan [scan unroll=8, thread tile=1024") != std::string::npos);
  CHECK(print(scheduled("graph g(x: f32[n]) { return y = cumsum(x, axis=0) }")).find(": scan [scan unroll=16 simd") != std::string::npos);
  // If the array fits in the second-level cache, the scan processes whole rows, not tiles of columns.
  const std::string by_size = "graph g(x: f32[n, 1000]) { return y = cumsum(x, axis=0) }";
  CHECK(print(scheduled(by_size)).find("kernel_0 variant 1: scan [scan, thread tile=") != std::string::npos);
  CHECK(print(scheduled(by_size)).find("  # where 131072 - 1000*n >= 0\n") != std::string::npos);
  CHECK(print(scheduled("graph g(x: f32[64, 1000]) { return y = cumsum(x, axis=0) }")).find("tile=1024") == std::string::npos);
  // When a scan processes whole rows, contiguous rows are processed as one long row, so that vectors begin at cache lines.
  const auto is_line = [](std::string_view flags) {
    return count(source_of(cat("graph g(x: f32[64, 1000]) { return y = cumsum(x, axis=0", flags, ") }")), " + 1008) = ") == 1;
  };
  CHECK(is_line(""));
  CHECK_FALSE(is_line(", reverse=true"));
  CHECK(print(scheduled("graph g(x: f32[640, 1000]) { return y = cumsum(x, axis=0) }")).find("tile=1024") != std::string::npos);
  // If the columns do not fill a vector, each row is processed as whole vectors of fewer lanes, or as single elements, so that the running
  // values stay in registers.
  using Lanes = std::pair<int, int>;  // the number of columns of f32, and the number of lanes of their vectors
  for (const Lanes& expected : {Lanes{2, 1}, {3, 1}, {4, 4}, {6, 1}, {8, 8}, {12, 4}, {16, 16}, {17, 16}}) {
    const Program program = scheduled(cat("graph g(x: f32[n, ", expected.first, "]) { return y = cumsum(x, axis=0) }"));
    CHECK(program.kernels[0].variants[0].schedule.axes[1].simd_width == expected.second);
  }
  // 33 running values of single elements do not fit in registers, so vectors are used. (Vectors of i8 have up to 64 lanes.)
  CHECK(scheduled("graph g(x: i8[n, 33]) { return y = cumsum(x, axis=0) }").kernels[0].variants[0].schedule.axes[1].simd_width > 1);
  const auto message = [](std::string_view text, std::string_view schedule) -> std::string {
    try {
      scheduled(*parse_graph(text), schedule);
    } catch (const Error& e) {
      return e.message;
    }
    return "";
  };
  CHECK(message(columns, "kernel_0: scan [scan unroll=2, sequential tile=128 simd=4]").empty());
  CHECK(message(rows, "kernel_0: reduce [thread, scan]").find("the recipe must be scan") != std::string::npos);
  CHECK(message(rows, "kernel_0: scan [thread, sequential]").find("axis 1 is scanned and must be of kind scan") != std::string::npos);
  CHECK(message(rows, "kernel_0: scan [scan, scan]").find("axis 0 is not scanned and cannot be of kind scan") != std::string::npos);
  CHECK(message(columns, "kernel_0: scan [scan simd=4, thread]").find("simd belongs on the last kept axis") != std::string::npos);
  const std::string_view known = "graph g(x: f32[n, 700]) { return y = cumsum(x, axis=1) }";
  CHECK(message(known, "kernel_0: scan [thread simd=4, scan]").find("simd belongs on the scanned axis") != std::string::npos);
  // Short rows of unknown length may have vectors across the rows.
  CHECK(message(rows, "kernel_0: scan [thread simd=4, scan]").empty());
  const std::string_view batch = "graph g(x: f32[k, n, m]) { return y = cumsum(x, axis=2) }";
  CHECK(message(batch, "kernel_0: scan [thread simd=4, sequential, scan]").find("the scanned axis or the last kept axis") !=
        std::string::npos);
}

TEST_CASE("L1: the demo's stencil is one kernel whose interior has no select, whatever the bounds of its sizes") {
  // With 1 or 2 columns the left and the right border overlap. If the array may have no columns, the launch checks for that. In all cases,
  // the loop over the columns between the borders must be vectorised.
  for (const std::string_view bounds : {"2..4096", "1..4096", "0..4096", "0..3"}) {
    CAPTURE(bounds);
    const std::string text =
        cat("graph gray_scott(u: f32[h in ", bounds, ", w in ", bounds,
            "], v: f32[h, w]) {\n"
            "  a = roll(u, shift=1, axis=0) + roll(u, shift=-1, axis=0) + roll(u, shift=1, axis=1) + roll(u, shift=-1, axis=1)\n"
            "  return y = a - 4.0 * u, z = a * v\n}");
    CHECK(scheduled(text).kernels.size() == 1);
    const std::string source = source_of(text);
    const size_t kernel = source.find("void kernel_0(");
    REQUIRE(kernel != source.npos);
    CHECK((source.find("if (shape0 * shape1 > 0) harp_for(", kernel) != source.npos) == bounds.starts_with('0'));
    const size_t loop = source.find("+= ", kernel);  // position of the loop over vectors in the text
    if (bounds != "0..3") {
      REQUIRE(loop != source.npos);
      const size_t end = source.find("else", loop);
      const std::string interior = source.substr(loop, end - loop);
      CHECK(interior.find("select") == interior.npos);
      CHECK(interior.find('?') == interior.npos);
    }
  }
}

TEST_CASE("L2: a level of blocks that has one block only is not folded") {
  const auto skipped = [](std::string_view columns) {
    return count(source_of(cat("graph g(x: f32[m, ", columns, "]) { return y = sum(x, axes=[1]) }")), "_folded = oidx");
  };
  // The length n needs three levels of sums: sums of elements, of blocks, and of blocks of blocks. The two upper levels are skipped if
  // there is only one block.
  CHECK(skipped("n") == 2);
  CHECK(skipped("n in 0..8192") == 1);     // two levels
  CHECK(skipped("n in 4097..8192") == 0);  // this range of lengths has at least two blocks, so no level is skipped
  CHECK(skipped("4096") == 0);
  CHECK(skipped("8192") == 0);
}

TEST_CASE("L1: borders whose order depends on the size leave no select in any part") {
  for (const std::string_view text : {"graph g(x: f32[n, w]) { return y = roll(x, shift=3, axis=1) - roll(x, shift=-3, axis=1) }",
                                      "graph g(x: f32[w]) { return y = pad(x, before=[2], after=[3], value=1.0) }"}) {
    const std::string source = source_of(text);
    const size_t kernel = source.find("void kernel_0(");
    REQUIRE(kernel != source.npos);
    const std::string body = source.substr(kernel, source.find("\n}\n", kernel) - kernel);
    CHECK(body.find("select") == body.npos);
    CHECK(count(body, "?") == count(body, "the last step overlaps"));  // each ?: operator only selects the start of the last vector
  }
}

TEST_CASE("L1 L2: reductions take their prologue and epilogue, and share a pass") {
  CHECK(scheduled("graph g(x: f32[n, 64]) { return y = sqrt(sum(x * x, axes=[1])) + 1.0 }").kernels.size() == 1);
  CHECK(scheduled("graph g(x: f32[n, 64]) { return y = sum(x, axes=[1]), z = max(x, axes=[1]), q = min(x, axes=[1]) }").kernels.size() ==
        1);
  CHECK(scheduled("graph g(x: f32[n, 64]) { return y = sum(x, axes=[1]), z = sum(x, axes=[0]) }").kernels.size() == 2);
  const Program mean = scheduled("graph g(x: f32[n, 64]) { return y = mean(x, axes=[1], keepdims=true) }");
  CHECK(mean.kernels.size() == 1);
  CHECK(mean.workspace_bytes.is_constant(0));
  const Program softmax = scheduled(
      "graph softmax(x: f32[n, 1024]) flags=[broadcast] {\n  m = max(x, axes=[-1], keepdims=true)\n  e = exp(sub(x, m))\n"
      "  s = sum(e, axes=[-1], keepdims=true)\n  return y = div(e, s)\n}");
  CHECK(softmax.kernels.size() <= 4);
  CHECK(softmax.generations <= 4);
}

TEST_CASE("L1: independent kernels are of one generation") {
  const Program p = scheduled("graph g(x: f32[8, 9], z: f32[5]) { return y = sum(x, axes=[0]), q = z + 1.0, r = max(x, axes=[1]) }");
  CHECK(p.generations == 1);
  CHECK(p.kernels.size() == 3);
  const Program chain = scheduled("graph g(x: f32[8, 9]) { return y = sum(sum(x, axes=[0]), axes=[0]) }");
  CHECK(chain.generations == 2);
}

TEST_CASE("G14.concat/c L2: of many arrays that are joined and then used, each is stored into its part once; few are told apart in place") {
  const auto summed = [](int n) {
    std::string inputs, list;
    for (int i = 0; i < n; ++i) append(inputs, cat(i ? ", " : "", "x", i, ": f32[100]")), append(list, cat(i ? ", " : "", "x", i));
    return scheduled(cat("graph g(", inputs, ") { return y = sum(concat(", list, ")) }")).kernels.size();
  };
  CHECK(summed(2) == 1);
  CHECK(summed(4) == 1);
  CHECK(summed(5) == 6);
  CHECK(summed(300) == 301);
}

TEST_CASE("G14.concat/c G3/c L2: what is joined or padded along axes that are reduced as one is stored first, if it is large") {
  const auto kernels = [](std::string_view shape, std::string_view value) {
    return scheduled(cat("graph g(a: f32[", shape, "], b: f32[", shape, "]) { return y = ", value, " }")).kernels.size();
  };
  for (const char* axis : {"0", "1"}) {
    const std::string joined = cat("concat(a, b, axis=", axis, ")");
    CHECK(kernels("n, 100", cat("max(", joined, ")")) == 3);
    CHECK(kernels("n, 100", cat("sum(exp(", joined, ") * 2)")) == 3);
    CHECK(kernels("n, 100", cat("argmax(", joined, ")")) == 3);
    // If the arrays are joined along axis 0, each row is a row of a or of b, so the kernel of the reduction loads it. If they are joined
    // along axis 1, the kernel would select each element of a row.
    CHECK(kernels("n, 100", cat("sum(", joined, ", axes=[1])")) == (axis == std::string_view("0") ? 1 : 3));
    CHECK(kernels("20, 100", cat("max(", joined, ")")) == 3);
    CHECK(kernels("4, 30", cat("max(", joined, ")")) == 1);
  }
  CHECK(kernels("n, 100", "max(pad(a, before=[0, 1], after=[0, 0], value=0) + pad(b, before=[0, 1], after=[0, 0], value=0))") == 3);
  CHECK(kernels("n, 100", "max(a + b)") == 1);
  // Along a single axis, the kernel loads vectors of a pad and of several arrays, but not of two slices of one array.
  CHECK(kernels("20, 100", "sum(concat(a, b, axis=1), axes=[1])") == 1);
  CHECK(kernels("20, 100", "sum(pad(a, before=[0, 1], after=[0, 0], value=0), axes=[1])") == 1);
  CHECK(kernels("20, 100", "sum(roll(a, shift=3, axis=1), axes=[1])") == 2);
}

TEST_CASE("G5.reshape/c L2: a reshape that joins axes of a permute is stored by a kernel over the axes, unless it has few elements") {
  const auto kernels = [](std::string_view shape, std::string_view joined) {
    return scheduled(cat("graph g(x: f32[", shape, "]) { return y = exp(reshape(permute(x, axes=[1, 0, 2]), shape=[", joined, "])) }"))
        .kernels.size();
  };
  CHECK(kernels("12, n, m", "n, 12*m") == 2);
  CHECK(kernels("12, 7, 48", "7, 576") == 2);
  CHECK(kernels("2, 3, 9", "3, 18") == 1);
}

TEST_CASE("L2: many reductions over one array are shared out over kernels of a few") {
  std::string outputs;
  for (int i = 0; i < 40; ++i) append(outputs, cat(i ? ", " : "", "y", i, " = sum(x * f32(", i + 2, "), axes=[1])"));
  const Program program = scheduled(cat("graph g(x: f32[n, k]) { return ", outputs, " }"));
  CHECK(program.kernels.size() == 5);
  CHECK(program.generations == 1);
}

TEST_CASE("G14: a stored concat is a store of each part, and equal parts are one function") {
  const std::string text = "graph g(a: f32[4, 8], b: f32[4, 8], c: f32[4, 8]) { return y = concat(a, b, c, axis=0) }";
  const Program p = scheduled(text);
  for (const KernelPlan& kernel : p.kernels)
    for (const StorePlan& store : kernel.stores) CHECK(store.offset.size() == 2);
  CHECK(count(source_of(text), "noinline)) void kernel_") <= 2);
}

TEST_CASE("G14.concat/c L2: one kernel stores rows that begin or end with less than a cache line of another source") {
  const auto kernels = [](std::string_view a, std::string_view value) {
    return scheduled(cat("graph g(a: f32[", a, "], b: f32[n, 100]) { return y = ", value, " }")).kernels.size();
  };
  CHECK(kernels("n, 2", "concat(a, b, axis=1)") == 1);
  CHECK(kernels("n, 2", "concat(b * b, a, axis=1)") == 1);
  CHECK(kernels("n, 40", "concat(a, b, axis=1)") == 2);
  CHECK(kernels("1, 100", "concat(a, b, axis=0)") == 2);
  CHECK(kernels("n, 2", "concat(a, cumsum(b, axis=1), axis=1)") == 2);  // the scan stores its part of the concatenated result directly
  CHECK(scheduled("graph g(x: f32[3, 9, 28]) { return y = pad(x, before=[0, 2, 2], after=[0, 3, 3], mode=reflect) }").kernels.size() == 1);
}

TEST_CASE("L1 L2: the kernel of a reduction stores a reshape of its result, and of what is computed from it") {
  const auto kernels = [](std::string_view value) {
    return scheduled(cat("graph g(x: f32[4, 6, 50], b: f32[4, 6]) { return y = reshape(", value, ", shape=[2, 12]) }")).kernels.size();
  };
  CHECK(kernels("sum(x, axes=[2])") == 1);
  CHECK(kernels("exp(sum(x, axes=[2]) + b)") == 1);
}

TEST_CASE("L1: rows of unknown length have a variant for those of one block") {
  const auto count_for_one_block = [](const std::string& sizes, const std::string& expression) {
    const Program program = scheduled("graph g(x: f32[" + sizes + "]) { return y = " + expression + " }");
    return std::ranges::count_if(program.kernels[0].variants,
                                 [](const Variant& variant) { return variant.guard && to_string(*variant.guard) == "4096 - m"; });
  };
  for (const char* rows : {"sum(x, axes=[1])", "max(x, axes=[1])", "softmax(x, axis=1)", "cumsum(x, axis=1)"}) {
    CAPTURE(rows);
    CHECK(count_for_one_block("n, m", rows) == 1);
    CHECK(count_for_one_block("n, m in 0..4096", rows) == 0);  // there are no other rows
    CHECK(count_for_one_block("n, m in 5000..6000", rows) == 0);
  }
  CHECK(count_for_one_block("m", "sum(x, axes=[0])") == 0);  // a single row
}

TEST_CASE(
    "L1: short rows of unknown length share vectors if there are many of them, or, for a costly operation, at least as many as elements") {
  const auto guard = [](std::string_view expression) {
    const Program program = scheduled(cat("graph g(x: f32[9, m, k]) { return y = ", expression, " }"));
    REQUIRE(program.kernels[0].variants[0].guard);
    return to_string(*program.kernels[0].variants[0].guard);
  };
  CHECK(guard("softmax(x, axis=2)").find("max(m - 16, m - max(k, 2))") != std::string::npos);
  CHECK(guard("sum(x, axes=[2])").find("m - 16") != std::string::npos);
  CHECK(guard("sum(x, axes=[2])").find("max") == std::string::npos);
}

TEST_CASE("L5: in place no vector reads what one that it overlaps has stored") {
  const auto body_of = [](std::string_view expression) {
    const std::string source =
        source_of(cat("graph g(x: f32[n, m in 64..4096], z: f32[n, m], b: f32[m]) flags=[broadcast] { return y = ", expression, " }"));
    const size_t kernel = source.find("void kernel_0(");
    REQUIRE(kernel != source.npos);
    return source.substr(kernel, source.find("\n}\n", kernel) - kernel);
  };
  // For a short body, the code computes both of the overlapping vectors together, with all loads before the stores.
  const std::string two = body_of("x * z + b");
  CHECK(count(two, "overlaps") == 0);
  CHECK(count(two, "kept") == 0);
  CHECK(count(two, "*)(output0") == 3);
  const size_t first_store = two.find("*)(output0", two.find("*)(output0") + 1);
  CHECK(two.find("(const f32x", two.find('\n', first_store)) == two.npos);
  // For a longer body, the code computes the overlapping vectors one after the other, and first copies the elements that the first vector
  // may overwrite.
  const std::string called = body_of("exp(x) * log(z) * sin(x) + b");
  CHECK(count(called, ") { /* the first step overlaps the second and is executed last */\n") == 1);
  CHECK(count(called, "{") == count(called, "}") + 1);  // the text ends before the brace that closes the function
  CHECK(count(called, "log_f32x") == 1);
  CHECK(count(called, "kept0[") == 1);
  CHECK(count(called, "kept1[") == 1);
  CHECK(count(called, "kept2[") == 0);
  // A kernel that does not work in place makes no copies.
  const std::string elsewhere = body_of("flip(x, axes=[1]) + exp(flip(z, axes=[0])) * log(x) * sin(z) + b");
  CHECK(count(elsewhere, ") { /* the last step overlaps the one before it */\n") == 1);
  CHECK(count(elsewhere, "{") == count(elsewhere, "}") + 1);
  CHECK(count(elsewhere, "kept") == 0);
}

TEST_CASE(
    "L5: rows of memory are added by whole pages, as many in one go as suits the CPU and where they are, and of longer rows there are more "
    "pieces in one go from beyond; what the stack has no room for is scratch memory of each worker") {
  Machine target;
  SUBCASE("two loads of a vector a cycle") { target = testing::row("x86-64-v4"); }
  SUBCASE("one") { target = testing::row("x86-64-v4-one-load"); }
  const auto variants = [&](std::string_view shape) {
    const std::unique_ptr<Graph> graph = parse_graph(cat("graph g(x: f32[", shape, "]) { return y = sum(x, axes=[0]) }"));
    return schedule_graph(optimised(*graph), {target, 0, {}}).kernels[0].variants;
  };
  const auto rows = [](const Variant& v) { return v.schedule.axes.back().unroll; };
  const std::vector<Variant> all = variants("m, 1000");
  const bool has_one_load = target.cpu().vector_loads_a_cycle == 1;
  REQUIRE(all.size() == 2);  // variants for arrays in the second-level cache, and for larger ones
  REQUIRE(all[0].guard);
  CHECK_FALSE(all.back().guard);
  CHECK(all[0].schedule.axes[0].tile == 1024);
  CHECK((rows(all.back()) == 1) == has_one_load);
  for (const Variant& variant : all)
    // A variant that adds one row at a time reads the row as several vectors.
    if (rows(variant) == 1) CHECK(variant.schedule.axes[0].unroll > 1);
  const std::vector<Variant> pieces = variants("m, 5000");
  REQUIRE(pieces.size() == 2);
  CHECK(rows(pieces[0]) < rows(pieces[1]));
  const std::vector<Variant> small = variants("100, 1000"), large = variants("100000, 1000");
  REQUIRE(small.size() == 1);
  REQUIRE(large.size() == 1);
  CHECK(rows(small[0]) == rows(all[0]));
  CHECK(rows(large[0]) == rows(all.back()));

  const auto scratch = [](std::string_view shape) {
    return lower::lower_program(scheduled(cat("graph g(x: f32[", shape, "]) { return y = sum(x, axes=[0]) }")))->scratch;
  };
  CHECK(scratch("m, 8") == 0);
  CHECK(scratch("60000, n") == 0);           // the sums of two levels need only 4 KiB, which are on the stack
  CHECK(scratch("70000, n") == 1024 * 4);    // the sums of the third level are in scratch memory
  CHECK(scratch("70000, 1000") == 63 * 64);  // the third level has 1,000 sums, rounded up to whole vectors
}

TEST_CASE("L5/c: where many operations wait for each other two vectors go through them side by side") {
  const auto vectors = [](int steps, std::string_view factor) {
    std::string text = "graph g(x: f32[n], y: f32[n]) {\n  v0 = x\n";
    for (int i = 0; i < steps; ++i) text += cat("  v", i + 1, " = v", i, " * ", factor, " - 1.5 * v", i, "\n");
    const Program program = scheduled(cat(text, "  return z = v", steps, "\n}"));
    REQUIRE(program.kernels.size() == 1);
    return program.kernels[0].variants[0].schedule.axes.back().unroll;
  };
  CHECK(vectors(100, "y") == 2);
  CHECK(vectors(20, "y") == 1);        // the chain is so short that the CPU overlaps consecutive vectors by itself
  CHECK(vectors(100, "exp(y)") == 1);  // the calls of exp give the CPU enough independent work

  const auto vectors_of = [](const std::string& statements, std::string_view result) {
    const Program program = scheduled(cat("graph g(x: f32[n], y: f32[n]) {\n", statements, "  return z = ", result, "\n}"));
    REQUIRE(program.kernels.size() == 1);
    return program.kernels[0].variants[0].schedule.axes.back().unroll;
  };
  std::string many = "  s0 = y\n";  // the short chains are independent of each other, which is enough work for the CPU
  for (int i = 0; i < 20; ++i) {
    append(many, cat("  c", i, "_0 = x * ", i + 2, ".5\n"));
    for (int j = 0; j < 15; ++j) append(many, cat("  c", i, "_", j + 1, " = c", i, "_", j, " * y\n"));
    append(many, cat("  s", i + 1, " = s", i, " + c", i, "_15\n"));
  }
  CHECK(vectors_of(many, "s20") == 1);
  // The first values of this long chain are used again at its end, so they must be kept. With 40 such values, two interleaved vectors would
  // need more registers, and more ways of the first-level cache, than the CPU has.
  for (const int again : {4, 40}) {
    std::string late = "  v0 = x\n";
    for (int i = 0; i < 150; ++i) append(late, cat("  v", i + 1, " = v", i, " * y - x\n"));
    append(late, "  w0 = v150\n");
    for (int i = 0; i < again; ++i) append(late, cat("  w", i + 1, " = w", i, " * v", i + 1, "\n"));
    CHECK(vectors_of(late, cat("w", again)) == (again == 4 ? 2 : 1));
  }

  PipelineOptions options = options_for();
  options.schedule_override = "kernel_0: elementwise [thread unroll=3 simd=4] partition overlap";
  const std::string c = generate(*parse_graph("graph g(x: f32[n]) { return y = x * x + 1.0, z = x - 1.0 }"), options).source;
  const size_t loop = c.find("+= 12)"), store = c.find("*(f32x4*)(output", loop), end = c.find("  }", loop);
  REQUIRE(store < end);
  CHECK(count(c.substr(loop, end - loop), "*(f32x4*)(output") == 6);
  CHECK(count(c.substr(loop, store - loop), "*(const f32x4*)(kept") == 3);
  // all loads come before the stores, which may overwrite inputs
  CHECK(c.substr(store, end - store).find("(const f32x4") == std::string::npos);
}

TEST_CASE("L5.sequential/c: long rows from near are added in turn by loads that step unevenly, which gcc writes out") {
  Machine target = *machine_from_name("x86-64-v4");
  const auto schedule = [&](std::string_view columns) {
    const auto graph = parse_graph(cat("graph g(x: f32[200, ", columns, "]) { return y = sum(x, axes=[0]) }"));
    const Program program = schedule_graph(optimised(*graph), {target, 0, {}});
    REQUIRE(program.kernels[0].variants.size() == 1);
    const Schedule& s = program.kernels[0].variants[0].schedule;
    return std::pair(s.axes.back().unroll, s.axes[0].unroll);
  };
  CHECK(schedule("1024") == std::pair(2, 32));
  CHECK(schedule("1008") == std::pair(2, 21));  // a row has 63 vectors
  CHECK(schedule("1000") == std::pair(4, 31));  // a row has 62.5 vectors
  CHECK(schedule("592") == std::pair(1, 4));    // a row has 37 vectors
  CHECK(schedule("500") == std::pair(1, 4));
  CHECK(schedule("200") == std::pair(1, 4));
  PipelineOptions options;
  options.target = target;
  CHECK(count(generate(*parse_graph("graph g(x: f32[200, 1024]) { return y = sum(x, axes=[0]) }"), options).source,
              "#pragma GCC unroll 32\n") == 1);
  target = testing::row("x86-64-v4-one-load");
  CHECK(schedule("1024") == std::pair(4, 1));
}

TEST_CASE("L5.sequential/c: short rows are reduced two by two, as two streams, where a fold of both pays") {
  const auto interleaved_rows = [](std::string_view input, std::string_view operation, bool one_load = false) {
    const auto graph = parse_graph(cat("graph g(x: ", input, ") { return y = ", operation, "(x, axes=[-1]) }"));
    const Machine target = testing::row(one_load ? "x86-64-v4-one-load" : "x86-64-v4");
    return schedule_graph(optimised(*graph), {target, 0, {}}).kernels[0].variants[0].schedule.axes[0].unroll;
  };
  for (const char* operation : {"sum", "max"}) {
    CHECK(interleaved_rows("f32[n, 64]", operation) == 2);
    CHECK(interleaved_rows("f32[n, 300]", operation) == 2);
    CHECK(interleaved_rows("f32[n, 300]", operation, true) == 1);
    CHECK(interleaved_rows("f32[n, 64]", operation, true) == 2);
    CHECK(interleaved_rows("f32[8, 64]", operation) == 1);
    CHECK(interleaved_rows("f32[n, 4]", operation) == 1);
    CHECK(interleaved_rows("f64[n, 64]", operation) == 1);
    CHECK(interleaved_rows("f32[n, m]", operation) == 1);
    CHECK(interleaved_rows("f32[n, 1024]", operation) == 2);
  }
  CHECK(interleaved_rows("f32[n, 1000]", "sum") == 2);
  CHECK(interleaved_rows("f32[n, 1000]", "max") == 2);
  // Rows of 1,000 elements share cache lines. Only sums and maxima interleave such rows; maxima use the schedule keyword nan_flag, which
  // minima do not have.
  CHECK(interleaved_rows("f32[n, 1000]", "min") == 1);
}

TEST_CASE("L5.simd_width/c: rows shorter than a vector are narrower vectors, and what is left") {
  for (const Machine& target : machines()) {
    CAPTURE(target.name);
    PipelineOptions options;
    options.target = target;
    const auto source = [&](std::string_view text) { return generate(*parse_graph(text), options).source; };
    for (const std::string_view sum : {"sum(exp(x), axes=[1])", "sum(exp(x), axes=[0])"})
      // At least two matches: the definition of the function and a call.
      CHECK(count(source(cat("graph g(x: f32[6, 6]) { return y = ", sum, " }")), "exp_f32x4(") >= 2);
    CHECK(count(source("graph g(x: f32[3, 3]) { return y = sum(exp(x), axes=[1]) }"), "exp_f32x4(") == 0);
    // Each lane contains an element of another row, so a vector consists of every third element in memory.
    const std::string across = source("graph g(x: f32[6, 3]) { return y = sum(exp(x), axes=[1]) }");
    for (const std::string_view load : {"load_part0_of_3_f32x4(", "load_part1_of_3_f32x4(", "load_part2_of_3_f32x4("})
      CHECK(count(across, load) == 2);  // two matches: the definition of the function and a call
  }
}

TEST_CASE("G12.cast/c L5.simd_width/c: integers are widened to four times their size by functions that are an instruction") {
  const auto source = [](std::string_view from, std::string_view to, std::string_view row = kRow) {
    const std::string text = cat("graph g(x: ", from, "[n]) { return y = cast(x, dtype=", to, ") }");
    return generate(*parse_graph(text), options_for(row)).source;
  };
  CHECK(count(source("i8", "i32"), "widened_to_i32_i8x16(") >= 2);  // at least two matches: the definition of the function and a call
  CHECK(count(source("u8", "f32"), "widened_to_i32_u8x16(") >= 2);
  CHECK(count(source("i16", "i64"), "widened_to_i64_i16x8(") >= 2);
  CHECK(count(source("i8", "i32", "x86-64-v3"), "widened_to_i32_i8x8(") >= 2);
  CHECK(count(source("i8", "i16"), "widened_to") == 0);
  CHECK(count(source("i16", "i32"), "widened_to") == 0);
  CHECK(count(source("i32", "i8"), "widened_to") == 0);
  CHECK(count(source("i8", "i64", "x86-64-v2"), "widened_to") == 0);  // two lanes
  CHECK(count(source("i8", "i32"),
              "#if !defined(__clang__) && defined(__AVX512F__) && __has_builtin(__builtin_ia32_pmovsxbd512_mask)\n"
              "  typedef char narrow __attribute__((vector_size(16)));\n"
              "  typedef int wide __attribute__((vector_size(64)));\n"
              "  return (i32x16)__builtin_ia32_pmovsxbd512_mask((narrow)x, (wide){0}, -1);\n"
              "#else\n#if defined(__clang__)\n  return __builtin_convertvector(x, i32x16);\n#else\n") == 1);
  CHECK(count(source("u8", "f32"), "return (i32x16)__builtin_ia32_pmovzxbd512_mask((narrow)x, (wide){0}, -1);") == 1);
  CHECK(count(source("i16", "i64"), "return (i64x8)__builtin_ia32_pmovsxwq512_mask((narrow)x, (wide){0}, -1);") == 1);
  CHECK(count(source("i8", "u32", "x86-64-v3"), "return (u32x8)__builtin_ia32_pmovsxbd256((narrow)(words){(long long)x});") == 1);
  CHECK(count(source("u8", "i32", "x86-64-v2"), "return (i32x4)__builtin_ia32_pmovzxbd128((narrow)(words){(int)x});") == 1);
  CHECK(count(source("i8", "i32", "aarch64"), "widened_to_i32_i8x4(") >= 2);
  CHECK(count(source("i8", "i32", "aarch64"), "pmov") == 0);
}

TEST_CASE("L6.packed_matmul/c: the sums of a block, which lie beside each other, are set by one loop") {
  const auto only_in = [](const ir::Stmt* s) -> const ir::Stmt* {  // returns the body of a loop if it is a single statement, otherwise null
    const auto* loop = ir::as<ir::Loop>(s);
    return loop != nullptr && loop->body.size() == 1 ? loop->body[0] : nullptr;
  };
  const std::string_view products[] = {"graph g(a: f32[64, 600], b: f32[600, 64]) { return y = a @ b }",
                                       "graph g(x: f32[1, 32, 20, 20], w: f32[64, 32, 3, 3]) { return y = conv2d(x, w) }"};
  for (const std::string_view product : products) {
    CAPTURE(product);
    const std::shared_ptr<ir::Module> module = lower::lower_program(scheduled(product));
    ir::apply_schedule(*module);
    size_t loops = 0, nested = 0;  // number of loops that only set sums to a constant, and number of loops around such a loop
    const auto sets = [&](const ir::Stmt* s) {
      const ir::Stmt* inside = only_in(s);
      const auto* set = inside != nullptr ? ir::as<ir::AccSet>(inside) : nullptr;
      if (set == nullptr) return false;
      const ir::UOp* value = set->value;
      while (value->kind == ir::UKind::kSplat) value = value->sources[0];
      return value->kind == ir::UKind::kConst;
    };
    for (const ir::Kernel& kernel : module->kernels)
      for (const ir::Stmt* s : ir::statements_of(kernel.body)) {
        loops += sets(s);
        nested += only_in(s) != nullptr && sets(only_in(s));
      }
    CHECK(loops >= 1);
    CHECK(nested == 0);
  }
}

TEST_CASE("L5.thread/c L6.packed_matmul/c: of a product's blocks of rows two workers get as much each") {
  for (const Machine& target : machines())
    for (const int64_t rows : {512, 1000, 2048}) {
      const auto graph = parse_graph(cat("graph g(a: f32[", rows, ", ", rows, "], b: f32[", rows, ", ", rows, "]) { return y = a @ b }"));
      const Program program = schedule_graph(optimised(*graph), {target, 0, {}});
      REQUIRE(program.kernels.size() == 1);
      const int64_t block = program.kernels[0].variants[0].schedule.axes[0].tile;
      REQUIRE(block > 0);
      const int64_t blocks = (rows + block - 1) / block, of_one = (blocks + 1) / 2 * block;
      CAPTURE(target.name);
      CAPTURE(rows);
      CHECK(25 * 2 * of_one <= 26 * rows);
    }
}

TEST_CASE("G15.matmul/c L6.packed_matmul/c: a factor that stays in the second cache is read where it lies, by vectors that are lines") {
  const auto arrays = [](std::string_view a, std::string_view b, std::string_view product, const char* target = "x86-64-v4") {
    PipelineOptions options;
    options.target = *machine_from_name(target);
    const std::string c = generate(*parse_graph(cat("graph g(a: ", a, ", b: ", b, ") { return y = ", product, " }")), options).source;
    return count(c, "] __attribute__((aligned(") + count(c, "* const row");
  };
  CHECK(arrays("f32[127, 127]", "f32[127, 127]", "a @ b") == 0);
  CHECK(arrays("f64[256, 256]", "f64[256, 256]", "a @ b") == 0);
  CHECK(arrays("f32[512, 512]", "f32[512, 512]", "a @ b") == 1);  // one array, for the partial sums between two blocks of terms
  CHECK(arrays("f32[1000, 17]", "f32[17, 333]", "a @ b") == 0);   // no array, although some tiles are partial
  // The number of rows is unknown, so there are arrays for rows and for partial tiles.
  CHECK(arrays("f32[n, 17]", "f32[17, 333]", "a @ b") > 0);
  // The columns of transpose(b) are not contiguous in memory, so there is one array, for packed columns.
  CHECK(arrays("f32[64, 64]", "f32[64, 64]", "a @ transpose(b)") == 1);
  // There is no array: the sum has only one block of terms, and columns are not packed for so few rows.
  CHECK(arrays("f32[64, 256]", "f32[256, 65536]", "a @ b") == 0);
  CHECK(arrays("f32[256, 1024]", "f32[1024, 1024]", "a @ b") == 2);  // two arrays: one for packed columns, one for partial sums
  // The terms of a row are not contiguous in memory, so rows are packed, too, in a third array.
  CHECK(arrays("f32[1024, 256]", "f32[1024, 1024]", "transpose(a) @ b") == 3);
  // All columns stay in the cache, so rows are not packed, although their terms are not contiguous.
  CHECK(arrays("f32[512, 256]", "f32[512, 256]", "transpose(a) @ b") == 1);
  // Rows of a + 1 are computed in a third array and packed in a fourth.
  CHECK(arrays("f32[256, 1024]", "f32[1024, 1024]", "(a + f32(1)) @ b") == 4);
  // The vectors are short, and rows of 127 elements are not aligned, so many loads would cross cache lines. Columns are packed for this
  // reason.
  CHECK(arrays("f32[127, 127]", "f32[127, 127]", "a @ b", "x86-64-v3") == 1);
}

TEST_CASE("G15.matmul/c: a product of few rows asks for later terms' rows of the other factor, and adds all it has before it stores") {
  for (const char* target : {"x86-64-v4", "x86-64-v3"}) {
    PipelineOptions options;
    options.target = *machine_from_name(target);
    const std::string c = generate(*parse_graph("graph g(a: f32[8, 512], b: f32[512, 512]) { return y = a @ b }"), options).source;
    CAPTURE(target);
    CHECK(count(c, "__builtin_prefetch(input1") == 4);  // each step prefetches four rows of b
    for (int term = 8; term < 12; ++term) CHECK(count(c, cat(" + ", 512 * term, ", 0, 2);")) == 1);
    const size_t loop = c.rfind("__builtin_prefetch(");
    const std::string_view steps = std::string_view(c).substr(loop, c.find("  }\n", loop) - loop);
    CHECK(count(steps, "(row0 + ") + count(steps, "(row0_at + ") >= 8);
    CHECK(count(steps, ") = fma_f32x") == 8);  // one multiply-add for each of the 8 rows of a
  }
}

TEST_CASE("G15.matmul/c L6.loop_tiling/c: few rows times what comes from memory take whole pages of it, if their sums have room") {
  Machine target = *machine_from_name("x86-64-v4");
  const auto graph = parse_graph("graph g(a: f32[8, 4096], b: f32[4096, 4096]) { return y = a @ b }");
  const auto schedule = [&] { return schedule_graph(optimised(*graph), {target, 0, {}}).kernels.at(0).variants.at(0).schedule; };
  CHECK(schedule().axes[1].tile == 1024);
  CHECK(schedule().axes[2].unroll == 2);
  target = testing::row("x86-64-v4-one-load");  // the CPUs of this entry of harp's table have a smaller first-level cache
  CHECK(schedule().axes[1].tile == 4096);
  CHECK(schedule().axes[2].unroll == 8);
}

TEST_CASE("L5 L6/c: a short kernel over one array of unknown length ends in single elements, unless its schedule says otherwise") {
  const auto overlaps = [](std::string_view result, std::string_view inputs = "x: f32[n]") {
    const Program program = scheduled(cat("graph g(", inputs, ") { return y = ", result, " }"));
    REQUIRE(program.kernels.size() == 1);
    return program.kernels[0].variants[0].schedule.overlap;
  };
  CHECK_FALSE(overlaps("relu(x * 2 + 1)"));
  // exp of a single element takes as long as exp of a vector, so a remainder is computed by a last vector that overlaps the one before it.
  CHECK(overlaps("exp(x)"));
  CHECK(overlaps("x + expand(y, shape=[m, n])", "x: f32[m, n], y: f32[m, 1]"));  // each row ends with two overlapping vectors
  // The size of the remainder is known, so the remainder is computed by narrower vectors.
  CHECK(overlaps("x + 1", "x: f32[1000]"));
  // The remainder has up to 63 elements. Computing them one by one would take too long.
  CHECK(overlaps("bitwise_xor(x, x)", "x: u8[n]"));
  const auto graph = parse_graph("graph g(x: f32[n]) { return y = relu(x * 2 + 1) }");
  PipelineOptions options = options_for();
  const auto stores = [&] { return count(generate(*graph, options).source, "*)(output0"); };
  CHECK(stores() == 1);
  options.schedule_override = "kernel_0: elementwise [thread simd=4] partition overlap";
  CHECK(stores() > 1);
}

TEST_CASE("L1: views of operands of a reshaped product, one above the other, are not followed by recursion") {
  std::string text =
      "graph g(a: f32[4, 2, 8], b: f32[8, 6], z: f32[8, 6]) flags=[broadcast] {\n  m = reshape(a @ b, shape=[8, 6])\n  v0 = z\n";
  constexpr int kTimes = 20'000;
  for (int i = 0; i < kTimes; ++i)
    append(text, cat("  u", i, " = permute(reshape(v", i, ", shape=[8, 2, 3]), axes=[0, 2, 1])\n  v", i + 1, " = reshape(u", i,
                     ", shape=[8, 6])\n"));
  CHECK(scheduled(cat(text, "  return y = m * v", kTimes, "\n}")).kernels.size() > 0);
}

TEST_CASE("L1: 10,000 nodes with shared and shifted values schedule, lower and print without computing everything again") {
  Graph graph;
  const Dim n = graph.dims().variable("n", 0, 1 << 20);
  std::vector<const Node*> pool = {graph.add_input("x", DType::kF32, {n, 64}), graph.add_input("z", DType::kF32, {n, 64})};
  std::mt19937 random(1);
  while (graph.nodes().size() < 10000) {
    const auto pick = [&] { return pool[pool.size() - 1 - random() % std::min<size_t>(pool.size(), 50)]; };
    const Node *a = pick(), *b = pick();
    const unsigned kind = random() % 100;
    const int axes[] = {1};
    const Node* next = nullptr;
    if (kind < 2)
      next = build::expand(build::reduce(Op::kSum, a, axes, true), {n, 64});
    else if (kind < 5)
      next = build::roll(a, std::vector<Dim>{1}, std::vector<int>{1});
    else if (kind < 10)
      next = build::elementwise(Op::kExp, {a});
    else
      next = build::elementwise(kind % 2 ? Op::kAdd : Op::kMul, {a, b});
    pool.push_back(next);
  }
  graph.add_output("y", pool.back());
  PipelineOptions options = options_for();
  const Generated generated = generate(graph, options);
  CHECK(generated.stats.kernels < 3000);
  CHECK(generated.source.size() < 10'000'000);  // the text had 27 MB when kernels recomputed values of other kernels
  MESSAGE("10,000 nodes: ", generated.stats.milliseconds, " ms, ", generated.stats.kernels, " kernels, ", generated.source.size(),
          " bytes of C");
}

TEST_CASE("X5: a kernel's accumulators take 8 KiB of the stack at most; the rest is in scratch memory") {
  std::vector<std::string> sums;
  for (int i = 2; i < 10; ++i) sums.push_back(cat("y", i, " = sum(a * ", i, ", axes=[1])"));
  PipelineOptions options = options_for();
  const Generated generated = generate(*parse_graph(cat("graph g(a: f64[n, k]) {\n  return ", join(sums, ", "), "\n}\n")), options);
  REQUIRE(generated.stats.kernels == 1);
  int64_t on_the_stack = 0, accumulators = 0;
  // The last variant of the kernel is the one for rows of any length.
  for (const ir::Accumulator& a : generated.module->kernels.back().accumulators) {
    accumulators += a.count * static_cast<int64_t>(size_of(a.type.dtype));
    if (a.space != Space::kScratch) on_the_stack += a.count * static_cast<int64_t>(size_of(a.type.dtype));
  }
  CHECK(accumulators == 3 * 8 * 64 * 8);  // three levels
  CHECK(on_the_stack == 8192);
}

TEST_CASE("L1: a chain of 100,000 nodes goes through every stage") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF32, {graph.dims().variable("n", 0, 4096)});
  const Node* two = build::constant(graph, Scalar::of(DType::kF32, 2.0f));
  const Node* node = x;
  for (int i = 0; i < 100000; ++i) node = build::elementwise(i % 2 ? Op::kAdd : Op::kMul, {node, two});
  graph.add_output("y", node);
  PipelineOptions options = options_for();
  const Generated generated = generate(graph, options);
  CHECK(generated.stats.kernels >= 100);  // the graph is large, and a kernel has at most about 1,000 operations
  CHECK(generated.stats.kernels <= 400);
}

TEST_CASE("G15.conv2d,conv3d/c L2: lines of an unknown number of pixels have register tiles even if they are short") {
  // The filters fill vectors, so the pixels are the rows of the product for any length of lines.
  const std::string text = print(scheduled("graph g(x: f32[n, 64, h, w], k: f32[64, 64, 3, 3]) { return y = conv2d(x, k) }"));
  CAPTURE(text);
  CHECK(text.find("contraction [") != std::string::npos);
  CHECK(text.find(">= 0") == std::string::npos);

  const auto variants = [](std::string_view filters) {
    const std::string shapes = cat("x: f32[n, 64, d, h, w], k: f32[", filters, ", 64, 3, 3, 3]");
    return print(scheduled(*parse_graph(cat("graph g(", shapes, ") { return y = conv3d(x, k, padding=1) }")), {}, "x86-64-v3"));
  };
  // Few filters: lines that fill vectors less than the filters do have a variant whose vectors run along the filters. Without tiles, no
  // line would be faster.
  for (const auto& of : {std::pair{"8", 8}, {"12", 6}, {"24", 8}, {"3", 3}}) {
    const std::string by_length = variants(of.first);
    CAPTURE(by_length);
    CHECK(by_length.find(cat("# where ", of.second, " - w >= 0")) != std::string::npos);
    CHECK(count(by_length, ": contraction [") == 2);
    CHECK(by_length.find(": reduce [") == std::string::npos);
  }
  CHECK(variants("8").find("variant 1: contraction [thread, sequential tile=8 simd=8 pack, ") != std::string::npos);
  // A single filter has no tiles.
  CHECK(variants("1").find(": contraction [") == std::string::npos);
}

TEST_CASE("G15.conv2d/c G15.batch_matmul/c L5: threads divide an unknown number of products together with the blocks of each") {
  const auto iterations = [](std::string_view text) {
    const auto module = lower::lower_program(scheduled(text));
    return to_string(ir::iterations(module->kernels[0]));
  };
  const std::string conv = " { return y = conv2d(x, k, padding=1) }";
  CHECK(iterations("graph g(x: f32[n, 16, h, w], k: f32[32, 16, 3, 3])" + conv) == "n*((h + 3) // 4)");
  CHECK(iterations("graph g(x: f32[n, 16, h, 30], k: f32[4, 16, 3, 3])" + conv).starts_with("n*((h + "));
  CHECK(iterations("graph g(x: f32[5, 16, h, w], k: f32[32, 16, 3, 3])" + conv) == "5");
  CHECK(iterations("graph g(x: f32[n, m, 40], k: f32[n, 40, 30]) { return y = batch_matmul(x, k) }").starts_with("n*((m + "));
}

TEST_CASE("L6.packed_convolution/c G15.conv1d/c: windows that are rows are copied even if a stride lets few of them overlap") {
  const auto copies = [](std::string_view call) {
    const std::string graph = cat("graph g(x: f32[n, 40, l], k: f32[64, 40, 3]) { return y = ", call, " }");
    return ir::print(*lower::lower_program(scheduled(graph))).find("for window") != std::string::npos;
  };
  CHECK(copies("conv1d(x, k)"));
  CHECK(copies("conv1d(x, k, stride=2)"));
  CHECK_FALSE(copies("conv1d(x, k, stride=3)"));
}
