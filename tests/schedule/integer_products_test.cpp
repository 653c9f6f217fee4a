// Tests which sums of products of integers become contractions (schedule/integer_products.cpp). On every machine row (entry of harp's table
// of CPUs) they get the same schedules as floats of the same size. Only the structure of the program is checked;
// tests/lower/integer_contractions_test.cpp compares results.
#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "graph/verify.h"
#include "ir/ir.h"
#include "lower/lower.h"
#include "support/scheduled.h"

using namespace schedule_test;

namespace {

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + by.size())) text.replace(at, part.size(), by);
  return text;
}
/// Returns `text` with each "$t" replaced by this dtype.
std::string with_dtype(std::string text, std::string_view dtype) { return replaced(std::move(text), "$t", dtype); }

Program program_of(std::string_view text, const Machine& row) {
  Program program = schedule_graph(optimised(*parse_graph(text)), {row, 0, {}});
  verify(*program.graph);
  verify(program);
  return program;
}

/// Returns the schedules of all kernels as text, one variant on each line.
std::string schedules(std::string_view text, const Machine& row) {
  std::string result;
  for (const KernelPlan& kernel : program_of(text, row).kernels)
    for (const Variant& variant : kernel.variants) append(result, cat(print(variant.schedule), "\n"));
  return result;
}

bool is_contraction(std::string_view text, std::string_view row = kRow) {
  return schedules(text, testing::row(row)).find("contraction [") != std::string::npos;
}

}  // namespace

TEST_CASE("L6.integer_products,packed_matmul,packed_convolution/c G9: integers have the schedules of floats of the same size") {
  const std::string_view products[] = {
      "graph g(a: $t[m, k], b: $t[k, n]) { return y = a @ b }",
      "graph g(a: $t[64, 64], b: $t[64, 64]) { return y = a @ b }",
      "graph g(a: $t[512, 600], b: $t[700, 600]) { return y = a @ transpose(b) }",
      "graph g(a: $t[8, 4096], b: $t[4096, 4096]) { return y = a @ b }",
      "graph g(a: $t[16, 128, 64], b: $t[16, 64, 128], c: $t[128]) flags=[broadcast] { return y = relu(a @ b + c) }",
      "graph g(x: $t[1, 300], w: $t[400, 300]) { return y = x @ transpose(w) }",
      "graph g(x: $t[1, 600], w: $t[600, 1000]) { return y = x @ w }",
      "graph g(a: $t[m, k], x: $t[h, k, n]) { return y = einsum(a, x, spec=\"mk,hkn->mhn\") }",
      "graph g(x: $t[1, 32, 56, 56], w: $t[64, 32, 3, 3]) { return y = conv2d(x, w, padding=1) }",
      "graph g(x: $t[2, 12, 9, 20], w: $t[24, 4, 3, 3]) { return y = conv2d(x, w, groups=3) }",
      "graph g(x: $t[1, 32, 56, 56], w: $t[32, 1, 3, 3]) { return y = conv2d(x, w, groups=32, padding=1) }"};
  for (const Machine& row : testing::all_rows())
    for (const std::string_view product : products) {
      CAPTURE(row.name);
      CAPTURE(product);
      const auto of = [&](std::string_view dtype) { return schedules(with_dtype(std::string(product), dtype), row); };
      const std::string words = of("f32"), long_words = of("f64");
      CHECK(of("i32") == words);
      CHECK(of("u32") == words);
      CHECK(of("i64") == long_words);
      CHECK(of("u64") == long_words);
    }
}

TEST_CASE("L6.integer_products/c: narrow integers are products of their own dtype, or converted where the factors are packed") {
  const std::string_view cast = "graph g(a: $t[512, 512], b: $t[512, 512]) { return y = cast(a, dtype=i32) @ cast(b, dtype=i32) }";
  for (const Machine& row : testing::all_rows()) {
    CAPTURE(row.name);
    const std::string halves = schedules("graph g(a: f16[512, 512], b: f16[512, 512]) { return y = a @ b }", row);
    for (const std::string_view dtype : {"i8", "u8", "i16", "u16"}) {
      CAPTURE(dtype);
      const std::string text = with_dtype(std::string(cast), dtype);
      const bool has_quads = row.cpu().dot_products && dtype.ends_with("8"), has_pairs = row.cpu().multiplies_pairs && dtype != "u16";
      CHECK(schedules(text, row) == (has_quads   ? replaced(halves, "reduce]", "reduce simd=4]")
                                     : has_pairs ? replaced(halves, "reduce]", "reduce simd=2]")
                                                 : halves));
      const Program program = program_of(text, row);
      CHECK(program.kernels.size() == 1);
      CHECK(print(program).find("workspace 0 bytes") != std::string::npos);  // operands are not converted into temporary arrays
      CHECK(is_contraction(with_dtype("graph g(a: $t[64, 64], b: $t[64, 64]) { return y = a @ b }", dtype), row.name));
    }
  }
  // A vector of i8 has one lane for each byte of the register.
  CHECK(schedules("graph g(a: i8[64, 64], b: i8[64, 64]) { return y = a @ b }", testing::row("x86-64-v4")).find("simd=64") !=
        std::string::npos);
}

TEST_CASE("L6.integer_products/c: two terms share a lane where the values of both factors fit 16 bits, whatever computes them") {
  const auto has_pairs = [](std::string_view inputs, std::string_view product, std::string_view row = kRow) {
    const std::string text = cat("graph g(", inputs, ") flags=[broadcast] { return y = ", product, " }");
    return schedules(text, testing::row(row)).find("reduce simd=2]") != std::string::npos;
  };
  const std::string_view bytes = "a: i8[64, 100], b: i8[100, 64]", words = "a: i16[64, 100], b: i16[100, 64]";
  const std::string_view wide = "cast(a, dtype=i32) @ cast(b, dtype=i32)";
  CHECK(has_pairs(bytes, wide));
  CHECK(has_pairs(bytes, wide, "x86-64"));
  CHECK_FALSE(has_pairs(bytes, wide, "aarch64"));  // aarch64 has no instruction that multiplies and adds pairs
  CHECK(has_pairs(words, wide));
  CHECK(has_pairs("a: u8[64, 100], b: i16[100, 64]", wide));
  CHECK(has_pairs("a: bool[64, 100], b: i8[100, 64]", wide));
  CHECK(has_pairs("a: i8[m, k], b: i8[k, n]", wide));
  CHECK_FALSE(has_pairs("a: u16[64, 100], b: i16[100, 64]", wide));
  CHECK_FALSE(has_pairs("a: i32[64, 100], b: i32[100, 64]", "a @ b"));
  CHECK_FALSE(has_pairs(bytes, "cast(a, dtype=i64) @ cast(b, dtype=i64)"));
  CHECK_FALSE(has_pairs(bytes, "a @ b"));  // the sums are i8, not i32, so they wrap around at 8 bits
  // Operands from which a zero point is subtracted, or which are padded, qualify only if all their values fit in 16 bits.
  CHECK(has_pairs("a: u8[64, 100], b: i8[100, 64]", "(cast(a, dtype=i32) - 128) @ cast(b, dtype=i32)"));
  CHECK(has_pairs(words, "-cast(cast(a, dtype=i8), dtype=i32) @ (3 - cast(cast(b, dtype=u8), dtype=i32))"));
  CHECK_FALSE(has_pairs(words, "(cast(a, dtype=i32) - 1) @ cast(b, dtype=i32)"));
  CHECK_FALSE(has_pairs(words, "-cast(a, dtype=i32) @ cast(b, dtype=i32)"));  // 32768
  CHECK_FALSE(has_pairs("a: u8[64, 100], b: i8[100, 64], z: i32[]", "(cast(a, dtype=i32) - z) @ cast(b, dtype=i32)"));
  const std::string_view padded = "pad(cast(a, dtype=i32), before=[0, 1], after=[0, 1], value=$v) @ cast(b, dtype=i32)";
  CHECK(has_pairs("a: i8[64, 100], b: i8[102, 64]", replaced(std::string(padded), "$v", "-32768")));
  CHECK_FALSE(has_pairs("a: i8[64, 100], b: i8[102, 64]", replaced(std::string(padded), "$v", "32768")));
  // Pairs of terms require that both operands are packed, also one that would otherwise be read without a copy. The cost of packing is
  // worth it if there are at least 8 rows and 8 columns.
  CHECK_FALSE(has_pairs("a: i8[7, 512], b: i8[512, 512]", wide));
  CHECK_FALSE(has_pairs("a: i8[64, 512], b: i8[512, 7]", wide));
  CHECK(has_pairs("a: i8[64, 512], b: i8[512, 8]", wide));
  CHECK(has_pairs("a: i8[8, 512], b: i8[512, 512]", wide));
  // In a convolution, a lane contains two adjacent channels, so the number of channels must be even. Windows need not be packed for this.
  const std::string_view conv = "conv2d(cast(a, dtype=i32), cast(b, dtype=i32), padding=1)";
  CHECK(has_pairs("a: i8[1, 32, 28, 28], b: i8[16, 32, 3, 3]", conv));
  CHECK_FALSE(has_pairs("a: i8[1, 31, 28, 28], b: i8[16, 31, 3, 3]", conv));
  CHECK_FALSE(has_pairs("a: i32[1, 32, 28, 28], b: i8[16, 32, 3, 3]", conv));
  // Each pair of terms is multiplied and added by one instruction.
  const std::string text = cat("graph g(", bytes, ") { return y = ", wide, " }");
  const auto source = [&](std::string_view row) { return generate(*parse_graph(text), options_for(row)).source; };
  const auto source_of_words = [&](std::string_view row) {
    return generate(*parse_graph(cat("graph g(", words, ") { return y = ", wide, " }")), options_for(row)).source;
  };
  CHECK(source("x86-64-v2").find("__builtin_ia32_pmaddwd128(") != std::string::npos);
  CHECK(source("x86-64-v3").find("__builtin_ia32_pmaddwd256(") != std::string::npos);
  CHECK(source("x86-64-v4").find("__builtin_ia32_pmaddwd512_mask(") != std::string::npos);
  CHECK(source("aarch64").find("sum_of_pairs") == std::string::npos);
  // On CPUs with dot products, one instruction multiplies a pair of terms and also adds it to the sum.
  const std::pair<std::string_view, std::string_view> dot_products[] = {
      {"x86-64-v3-vnni",
       "#if !defined(__clang__) && defined(__AVXVNNI__) && __has_builtin(__builtin_ia32_vpdpwssd_v8si)\n"
       "  return __builtin_ia32_vpdpwssd_v8si(x, y, z);\n"
       "#elif defined(__clang__) && defined(__AVXVNNI__) && __has_builtin(__builtin_ia32_vpdpwssd256)\n"
       "  return __builtin_ia32_vpdpwssd256(x, y, z);\n#else\n"},
      {"x86-64-v3-vnni", " = add_pairs_i32x8(acc"},
      {"x86-64-v4-vnni",
       "#if !defined(__clang__) && defined(__AVX512VNNI__) && __has_builtin(__builtin_ia32_vpdpwssd_v16si)\n"
       "  return __builtin_ia32_vpdpwssd_v16si(x, y, z);\n"
       "#elif defined(__clang__) && defined(__AVX512VNNI__) && __has_builtin(__builtin_ia32_vpdpwssd512)\n"
       "  return __builtin_ia32_vpdpwssd512(x, y, z);\n#else\n"},
      {"x86-64-v4-vnni", " = add_pairs_i32x16(acc"},
      {"x86-64-v4-one-load-vnni", " = add_pairs_i32x16(acc"}};
  for (const auto& expected : dot_products) {
    const std::string c = source_of_words(expected.first);
    CAPTURE(expected.second);
    CHECK(c.find(expected.second) != std::string::npos);
    CHECK(c.find("sum_of_pairs") == std::string::npos);
  }
  for (const Machine& row : testing::all_rows())
    if (!row.cpu().dot_products) CHECK(source_of_words(row.name).find("add_pairs") == std::string::npos);
  // Rows of a, which are contiguous along the summed axis, are packed element by element. They are not packed by strided vector loads.
  for (const Machine& row : testing::all_rows()) CHECK(source(row.name).find("load_strided") == std::string::npos);
  PipelineOptions plain = options_for();
  plain.plain_text = true;
  CHECK(generate(*parse_graph(text), plain).source.find("sum_of_pairs") == std::string::npos);
}

TEST_CASE("L6.dot_products/c: four terms share a lane where both factors fit bytes; the instruction's signs are theirs or are inverted") {
  const std::string_view wide = "cast(a, dtype=i32) @ cast(b, dtype=i32)";
  const auto text_of = [](std::string_view inputs, std::string_view product) {
    return cat("graph g(", inputs, ") flags=[broadcast] { return y = ", product, " }");
  };
  const auto terms = [&](std::string_view inputs, std::string_view product, std::string_view row = "x86-64-v4-vnni") {
    const std::string all = schedules(text_of(inputs, product), testing::row(row));
    return all.find("reduce simd=4]") != all.npos ? 4 : all.find("reduce simd=2]") != all.npos ? 2 : 1;
  };
  CHECK(terms("a: i8[64, 100], b: i8[100, 64]", wide) == 4);
  CHECK(terms("a: i8[64, 100], b: i8[100, 64]", wide, "x86-64-v3-vnni") == 4);
  CHECK(terms("a: i8[64, 100], b: i8[100, 64]", wide, "x86-64-v4-one-load-vnni") == 4);
  CHECK(terms("a: i8[64, 100], b: i8[100, 64]", wide, "x86-64-v4") == 2);
  CHECK(terms("a: i8[m, k], b: u8[k, n]", wide) == 4);
  CHECK(terms("a: bool[64, 100], b: i8[100, 64]", wide) == 4);
  CHECK(terms("a: i8[64, 100], b: i16[100, 64]", wide) == 2);
  CHECK(terms("a: i8[64, 100], b: u16[100, 64]", wide) == 1);
  CHECK(terms("a: u8[64, 100], b: i8[100, 64]", "(cast(a, dtype=i32) - 128) @ cast(b, dtype=i32)") == 4);
  CHECK(terms("a: u8[64, 100], b: i8[100, 64]", "(cast(a, dtype=i32) - 129) @ cast(b, dtype=i32)") == 2);
  CHECK(terms("a: u8[64, 100], b: i8[100, 64]", "(cast(a, dtype=i32) + 1) @ cast(b, dtype=i32)") == 2);
  CHECK(terms("a: i8[7, 512], b: i8[512, 512]", wide) == 1);  // 7 rows are too few to be worth packing
  // In convolutions, the elements of windows are combined into pairs each time that they are used. Combining four elements would take
  // longer, so only pairs are used.
  const std::string_view conv = "conv2d(cast(a, dtype=i32), cast(b, dtype=i32), padding=1)";
  CHECK(terms("a: i8[1, 32, 28, 28], b: i8[16, 32, 3, 3]", conv) == 2);

  // The first operand of the instruction has unsigned bytes, the second one signed bytes.
  const std::regex rows_first(R"(= add_quads_i32x16\(acc\d+, splat_i32x16\((?!-))"),
      columns_first(R"(= add_quads_i32x16\(acc\d+, (?!splat)[^\n]*, splat_i32x16\((?!-))");
  const auto source = [&](std::string_view a, std::string_view b, std::string_view row = "x86-64-v4-vnni") {
    const std::string inputs = cat("a: ", a, "[64, 100], b: ", b, "[100, 64]");
    return generate(*parse_graph(text_of(inputs, wide)), options_for(row)).source;
  };
  struct Signs {
    std::string_view rows, columns;
    bool has_unsigned_rows, inverts;
  };
  for (const Signs& signs : {Signs{"i8", "i8", true, true}, Signs{"u8", "u8", false, true}, Signs{"u8", "i8", true, false},
                             Signs{"i8", "u8", false, false}, Signs{"bool", "i8", true, false}, Signs{"bool", "u8", false, false},
                             Signs{"i8", "bool", false, false}, Signs{"u8", "bool", true, false}}) {
    CAPTURE(signs.rows);
    CAPTURE(signs.columns);
    const std::string c = source(signs.rows, signs.columns);
    CHECK(std::regex_search(c, rows_first) == signs.has_unsigned_rows);
    CHECK(std::regex_search(c, columns_first) == !signs.has_unsigned_rows);
    CHECK((c.find(" ^ -2139062144") != c.npos) == signs.inverts);
    CHECK((c.find("splat_i32x16(-2139062144)") != c.npos) == signs.inverts);
  }
  CHECK(source("i8", "i8")
            .find("#if !defined(__clang__) && defined(__AVX512VNNI__) && __has_builtin(__builtin_ia32_vpdpbusd_v16si)\n"
                  "  return __builtin_ia32_vpdpbusd_v16si(x, y, z);\n"
                  "#elif defined(__clang__) && defined(__AVX512VNNI__) && __has_builtin(__builtin_ia32_vpdpbusd512)\n"
                  "  return __builtin_ia32_vpdpbusd512(x, y, z);\n#else\n") != std::string::npos);
  CHECK(source("i8", "i8", "x86-64-v3-vnni").find("__builtin_ia32_vpdpbusd_v8si(x, y, z)") != std::string::npos);
  CHECK(source("i8", "i8").find("vpdpbusds") == std::string::npos);  // it saturates
  CHECK(source("i8", "i8", "x86-64-v4").find("add_quads") == std::string::npos);
  // The bytes of a row are adjacent in memory. The generated code addresses them by one pointer and constant offsets, so that compilers
  // load several of them together.
  CHECK(std::regex_search(source("i8", "i8"), std::regex(R"(\(int32_t\)input\d_row\d*\[1\] & 255\) << 8\))")));
}

TEST_CASE("L6.integer_products/c: a sum by lanes becomes a chain where tiles pay, because the order is free") {
  const std::string lanes =
      "graph g(a: $t[64, 64], b: $t[$n, 64]) {\n"
      "  p = cast(expand(reshape(a, shape=[64, 1, 64]), shape=[64, $n, 64]), dtype=$w)\n"
      "  q = cast(expand(reshape(b, shape=[1, $n, 64]), shape=[64, $n, 64]), dtype=$w)\n"
      "  return y = sum(p * q, axes=[2])\n}";
  const auto text = [&](std::string_view narrow, std::string_view wide, std::string_view columns) {
    return replaced(replaced(with_dtype(lanes, narrow), "$w", wide), "$n", columns);
  };
  CHECK(is_contraction(text("i8", "i32", "40")));
  // For sums of floats, docs/semantics.md prescribes the order, so this sum keeps the order "lanes" and does not become a contraction.
  CHECK_FALSE(is_contraction(text("bf16", "f32", "40")));
  const auto is_by_lanes = [&](std::string_view columns) {
    return print(program_of(text("i8", "i32", columns), testing::row(kRow))).find(" lanes") != std::string::npos;
  };
  CHECK_FALSE(is_by_lanes("40"));
  CHECK(is_by_lanes("4"));  // 4 columns are too few for tiles. The rows are contiguous in memory, so the sum keeps the order "lanes".
}

TEST_CASE("L6.integer_products/c: what is no contraction, or has no tiles, is a sum of values") {
  const auto is_product = [](std::string_view text) {
    return print(program_of(text, testing::row(kRow))).find(" product") != std::string::npos;
  };
  CHECK(is_product("graph g(a: i32[64, 64], b: i32[64, 64]) { return y = a @ b }"));
  // Each loaded element of a is used only once, so tiles would have no advantage.
  CHECK_FALSE(is_product("graph g(a: i32[64, 64], v: i32[64]) { return y = a @ v }"));
  CHECK_FALSE(is_product("graph g(a: i32[64, 64], b: i32[64, 64]) { return y = sum(a * b, axes=[0]) }"));
  CHECK_FALSE(is_product("graph g(a: i32[64, 64], b: i32[64, 64]) { return y = prod(a * b, axes=[0]) }"));
  // On a GPU, products have tiles as well.
  const std::string_view words = "graph g(a: i32[64, 64], b: i32[64, 64]) { return y = a @ b }";
  for (const Machine& row : gpu_machines()) {
    const Program program = schedule_graph(optimised(*parse_graph(words)), {row, 1, {}});
    CHECK(print(program).find(" product") != std::string::npos);
  }
}

TEST_CASE("L6.integer_products/c: every machine's loops of integer products are legal") {
  for (const Machine& row : testing::all_rows())
    for (const std::string_view dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}) {
      CAPTURE(row.name);
      CAPTURE(dtype);
      const std::string text = with_dtype(
          "graph g(a: $t[m, 300], b: $t[300, n], x: $t[1, 8, 20, 20], w: $t[16, 8, 3, 3]) {\n"
          "  return y = a @ b, z = conv2d(x, w), u = transpose(b) @ transpose(a)\n}",
          dtype);
      CHECK_NOTHROW(ir::verify(*lower::lower_program(program_of(text, row))));
    }
}
