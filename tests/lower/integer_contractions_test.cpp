// Tests contractions of integers that are computed in register tiles. Results must be bit-identical to the interpreter's, and to those of a
// plain loop with wrap-around, for every dtype, for sizes that are no multiple of a tile, and for every layout of the operands.
// (tests/schedule/integer_products_test.cpp tests which sums get tiles.)
#include <array>
#include <initializer_list>
#include <limits>

#include "base/machine.h"
#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

template <class T>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<int8_t> = "i8";
template <>
constexpr const char* kName<int16_t> = "i16";
template <>
constexpr const char* kName<uint16_t> = "u16";
template <>
constexpr const char* kName<int32_t> = "i32";
template <>
constexpr const char* kName<uint32_t> = "u32";
template <>
constexpr const char* kName<int64_t> = "i64";
template <>
constexpr const char* kName<uint64_t> = "u64";

/// Returns numbers over the whole range of T, so that products and sums wrap around. One in eight is the least or the greatest number.
template <class T>
Values<T> any(std::vector<int64_t> dims, uint32_t seed) {
  std::mt19937_64 random(seed);
  Values<T> values = whole<T>(std::move(dims), seed);
  for (T& x : values.items) {
    const uint64_t bits = random();
    x = static_cast<T>(bits >> 8);
    if (bits % 8 == 0) x = (bits & 64) != 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  return values;
}

std::string product_of(const std::string& dtype, const std::string& a, const std::string& b, const std::string& result) {
  return "graph g(a: " + dtype + a + ", b: " + dtype + b + ") {\n  return y = " + result + "\n}";
}

/// Computes a @ b by a plain loop. The sums wrap around to the range of R.
template <class R, class T>
std::vector<R> wrapped_product(const Values<T>& a, const Values<T>& b) {
  const int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
  std::vector<R> y;
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      uint64_t sum = 0;
      for (int64_t term = 0; term < k; ++term)
        sum += static_cast<uint64_t>(a.items[static_cast<size_t>(row * k + term)]) *
               static_cast<uint64_t>(b.items[static_cast<size_t>(term * n + column)]);
      y.push_back(static_cast<R>(sum));
    }
  return y;
}

template <class T>
void check_dtype(const Backends& backends) {
  const std::string text = product_of(kName<T>, "[m, k]", "[k, n]", "a @ b");
  for (const auto& [m, k, n] :
       {std::array<int64_t, 3>{4, 16, 8}, {5, 17, 9}, {33, 300, 70}, {4, 16, 1}, {1, 16, 8}, {4, 0, 8}, {0, 16, 8}}) {
    const Values<T> a = any<T>({m, k}, 1), b = any<T>({k, n}, 2);
    const auto outputs = backends.run(text, a, b);
    CHECK(values<T>(outputs[0].get()) == wrapped_product<T>(a, b));
  }
  backends.run(product_of(kName<T>, "[37, 270]", "[150, 270]", "a @ transpose(b)"), any<T>({37, 270}, 3), any<T>({150, 270}, 4));
}

}  // namespace

TEST_CASE("L6.integer_products,packed_matmul/c G15.matmul/interp,c X2: every dtype, for every rest of rows, columns and terms") {
  const Backends backends;
  check_dtype<int8_t>(backends);
  check_dtype<int16_t>(backends);
  check_dtype<uint16_t>(backends);
  check_dtype<int32_t>(backends);
  check_dtype<uint32_t>(backends);
  check_dtype<int64_t>(backends);
  check_dtype<uint64_t>(backends);
  // The operands of the product are u8, converted from arrays of i8.
  backends.run(product_of("i8", "[33, 270]", "[270, 45]", "cast(cast(a, dtype=u8) @ cast(b, dtype=u8), dtype=i8)"),
               any<int8_t>({33, 270}, 1), any<int8_t>({270, 45}, 2));
}

TEST_CASE("L6.integer_products/c G15.matmul/c: packed blocks, few rows, a single row, more blocks of terms than one level has for floats") {
  const Backends backends;
  backends.run(product_of("i32", "[250, 300]", "[300, 550]", "a @ b"), any<int32_t>({250, 300}, 1), any<int32_t>({300, 550}, 2));
  backends.run(product_of("i32", "[250, 300]", "[550, 300]", "transpose(b @ transpose(a))"), any<int32_t>({250, 300}, 1),
               any<int32_t>({550, 300}, 2));
  backends.run(product_of("i32", "[9, 600]", "[600, 300]", "a @ b"), any<int32_t>({9, 600}, 1), any<int32_t>({600, 300}, 2));
  backends.run(product_of("i32", "[1, 530]", "[70, 530]", "a @ transpose(b)"), any<int32_t>({1, 530}, 1), any<int32_t>({70, 530}, 2));
  backends.run(product_of("i32", "[1, 530]", "[530, 300]", "a @ b"), any<int32_t>({1, 530}, 1), any<int32_t>({530, 300}, 2));
  const Values<int32_t> a = any<int32_t>({7, 70000}, 1), b = any<int32_t>({70000, 9}, 2);
  const auto outputs = backends.run(product_of("i32", "[m, k]", "[k, n]", "a @ b"), a, b);
  CHECK(values<int32_t>(outputs[0].get()) == wrapped_product<int32_t>(a, b));
}

TEST_CASE("L6.integer_products/c G15.matmul/c G9: narrow factors are converted where they are packed, and no product is lost") {
  const Backends backends;
  const std::string wide = "cast(a, dtype=i32) @ cast(b, dtype=i32)";
  for (const char* shape : {"[m, k]", "[33, 300]"}) {
    const bool is_known = shape[1] == '3';
    const std::string other = is_known ? "[300, 150]" : "[k, n]";
    const Values<int8_t> a = any<int8_t>({33, 300}, 1), b = any<int8_t>({300, 150}, 2);
    const auto outputs = backends.run(product_of("i8", shape, other, wide), a, b);
    CHECK(values<int32_t>(outputs[0].get()) == wrapped_product<int32_t>(a, b));
    backends.run(product_of("i8", shape, other, "cast(cast(a, dtype=u8), dtype=i32) @ cast(b, dtype=i32)"), a, b);
    const Values<int16_t> c = any<int16_t>({33, 300}, 3), d = any<int16_t>({300, 150}, 4);
    const auto of_words = backends.run(product_of("i16", shape, other, wide), c, d);  // these sums exceed the range of i32 and wrap around
    CHECK(values<int32_t>(of_words[0].get()) == wrapped_product<int32_t>(c, d));
    const auto long_sums = backends.run(product_of("i16", shape, other, "cast(a, dtype=i64) @ cast(b, dtype=i64)"), c, d);
    CHECK(values<int64_t>(long_sums[0].get()) == wrapped_product<int64_t>(c, d));
  }
  // Every product is the greatest that two i16 can have.
  Values<int16_t> least = any<int16_t>({8, 64}, 1);
  for (int16_t& x : least.items) x = std::numeric_limits<int16_t>::min();
  const auto greatest =
      backends.run(product_of("i16", "[8, 64]", "[8, 64]", "cast(a, dtype=i32) @ transpose(cast(b, dtype=i32))"), least, least);
  CHECK(values<int32_t>(greatest[0].get()) == std::vector<int32_t>(64, 0));  // 64 times 2^30 is 0 modulo 2^32
  // The factors are casts of expanded arrays, so this sum has the order "lanes" of docs/semantics.md, not the order "chain" of a matrix
  // product.
  backends.run(
      "graph g(a: i8[33, 70], b: i8[40, 70]) {\n"
      "  p = cast(expand(reshape(a, shape=[33, 1, 70]), shape=[33, 40, 70]), dtype=i32)\n"
      "  q = cast(expand(reshape(b, shape=[1, 40, 70]), shape=[33, 40, 70]), dtype=i32)\n"
      "  return y = sum(p * q, axes=[2])\n}",
      any<int8_t>({33, 70}, 1), any<int8_t>({40, 70}, 2));
}

TEST_CASE("L6.integer_products,dot_products/c G15.matmul/c: several terms in each lane, for every rest of terms and every legal schedule") {
  const Backends backends;
  const std::string wide = "cast(a, dtype=i32) @ cast(b, dtype=i32)";
  for (const int64_t terms : {16, 17, 255, 256, 257, 513, 600}) {
    const Values<int16_t> a = any<int16_t>({13, terms}, 1), b = any<int16_t>({terms, 69}, 2);
    const std::vector<int32_t> expected = wrapped_product<int32_t>(a, b);
    const std::string known = std::to_string(terms), of_parity = terms % 2 == 0 ? "2*h" : "2*h + 1";
    for (const std::string& k : {std::string("k"), known, of_parity}) {
      const std::string m = k == known ? "13" : "m", n = k == known ? "69" : "n";
      const auto outputs = backends.run(product_of("i16", "[" + m + ", " + k + "]", "[" + k + ", " + n + "]", wide), a, b);
      CHECK(values<int32_t>(outputs[0].get()) == expected);
    }
  }
  for (const int64_t terms : {16, 17, 18, 19, 256, 258, 259, 600}) {
    const Values<int8_t> a = any<int8_t>({13, terms}, 1), b = any<int8_t>({terms, 69}, 2);
    const std::vector<int32_t> expected = wrapped_product<int32_t>(a, b);
    const std::string known = std::to_string(terms), of_rest = terms % 4 == 0 ? "4*h" : "4*h + " + std::to_string(terms % 4);
    for (const std::string& k : {std::string("k"), known, of_rest}) {
      const std::string m = k == known ? "13" : "m", n = k == known ? "69" : "n";
      const auto outputs = backends.run(product_of("i8", "[" + m + ", " + k + "]", "[" + k + ", " + n + "]", wide), a, b);
      CHECK(values<int32_t>(outputs[0].get()) == expected);
    }
  }
  // Tests operands that are computed in the kernel, and arrays that are contiguous along the summed axis.
  backends.run(
      product_of("i8", "[40, 301]", "[70, 301]", "(cast(cast(a, dtype=u8), dtype=i32) - 128) @ transpose(cast(b, dtype=i32) + 100)"),
      any<int8_t>({40, 301}, 1), any<int8_t>({70, 301}, 2));
  backends.run("graph g(a: i8[5, 21, 40], b: i8[5, 40, 65]) {\n  return y = " + wide + "\n}", any<int8_t>({5, 21, 40}, 1),
               any<int8_t>({5, 40, 65}, 2));

  const Context context = make_context();
  const auto check = [&](const std::string& text, std::initializer_list<const char*> schedules, Values<int8_t> x, Values<int8_t> w) {
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    const Buffer left = wrap(context.get(), x.items, x.dims), right = wrap(context.get(), w.items, w.dims);
    const std::vector<harp_buffer*> handles = {left.get(), right.get()};
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
    for (const char* schedule : schedules)
      // false: compiled by gcc with full optimisation, as for users; true: compiled quickly by clang.
      for (const bool is_quick : {false, true}) {
        CAPTURE(schedule);
        CAPTURE(is_quick);
        const std::string line = std::string("kernel_0: contraction ") + schedule;
        const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
          o.schedule = line.c_str();
          if (is_quick) compile_quickly(o);
        });
        REQUIRE(program != nullptr);
        const std::vector<Buffer> outputs = run(program.get(), handles);
        CHECK(same_bits(outputs[0].get(), expected[0].get()));
      }
  };
  check(product_of("i8", "[23, 301]", "[301, 41]", wide),
        {"[thread tile=5 unroll=5 pack, sequential tile=20 simd=4, reduce simd=2] partition overlap",
         "[sequential tile=12 unroll=4 pack, sequential tile=1000 unroll=2 simd=8 pack, reduce simd=2]",
         // Without "pack" for the rows, the kernel reads the rows from the array itself instead of from a packed copy.
         "[thread unroll=3, sequential simd=4 pack, reduce simd=2] overlap", "[thread unroll=2 pack, sequential, reduce simd=2]"},
        any<int8_t>({23, 301}, 1), any<int8_t>({301, 41}, 2));
  // Each lane multiplies four bytes at a time, which may be signed or unsigned.
  for (const char* a : {"cast(a, dtype=i32)", "cast(cast(a, dtype=u8), dtype=i32)"})
    for (const char* b : {"cast(b, dtype=i32)", "cast(cast(b, dtype=u8), dtype=i32)"}) {
      check(product_of("i8", "[23, 301]", "[301, 41]", std::string(a) + " @ " + b),
            {"[thread tile=5 unroll=5 pack, sequential tile=20 simd=4, reduce simd=4] partition overlap",
             // Without "pack" for the rows, the kernel reads the rows from the array itself instead of from a packed copy.
             "[thread unroll=3, sequential simd=4 pack, reduce simd=4] overlap"},
            any<int8_t>({23, 301}, 1), any<int8_t>({301, 41}, 2));
      check(product_of("i8", "[37, 600]", "[41, 600]", std::string(a) + " @ transpose(" + b + ")"),
            {"[sequential tile=12 unroll=4 pack, sequential tile=16 unroll=2 simd=8 pack, reduce simd=4]",
             "[thread unroll=2 pack, sequential, reduce simd=4]"},
            any<int8_t>({37, 600}, 1), any<int8_t>({41, 600}, 2));
    }
  const auto conv = [](const std::string& filters) {
    return "graph g(x: i8[1, 5, 12, 30], w: i8[" + filters +
           ", 5, 3, 3]) {\n  return y = conv2d(cast(x, dtype=i32), cast(w, dtype=i32), padding=1)\n}";
  };
  check(conv("20"),  // filters are rows
        {"[thread tile=8 unroll=4 pack, sequential tile=4, sequential tile=16 simd=4, reduce simd=2] partition overlap",
         "[thread tile=8 unroll=4, sequential, sequential tile=16 unroll=2 simd=4 pack, reduce simd=2]",
         "[thread tile=8 unroll=4, sequential, sequential tile=16 unroll=2 simd=4 pack, reduce simd=4]"},
        any<int8_t>({1, 5, 12, 30}, 1), any<int8_t>({20, 5, 3, 3}, 2));
  check(conv("32"),  // filters are columns
        {"[thread tile=8 simd=4 pack, sequential tile=4, sequential tile=10 unroll=5 pack, reduce simd=2] partition overlap",
         "[thread tile=8 unroll=2 simd=4, sequential, sequential tile=10 unroll=5, reduce simd=2]",
         "[thread tile=8 unroll=2 simd=4, sequential, sequential tile=10 unroll=5, reduce simd=4]"},
        any<int8_t>({1, 5, 12, 30}, 1), any<int8_t>({32, 5, 3, 3}, 2));

  // The kernel reads 6 channels one by one, and larger numbers of channels in runs of adjacent channels. With 32 channels, a block of 256
  // terms consists of whole runs; with 24 or 40 it does not.
  for (const int64_t channels : {6, 24, 32, 40}) {
    const std::string c = std::to_string(channels);
    backends.run("graph g(x: i8[1, " + c + ", 9, 20], w: i8[32, " + c +
                     ", 3, 3]) {\n  return y = conv2d(cast(x, dtype=i32), cast(w, dtype=i32), padding=1)\n}",
                 any<int8_t>({1, channels, 9, 20}, 1), any<int8_t>({32, channels, 3, 3}, 2));
  }

  const auto mistake = [&](const char* dtype, const char* terms) {
    const Graph graph = parse(context.get(), "harp 1\n" + product_of(dtype, "[m, k]", "[k, n]", wide));
    const std::string schedule = std::string("kernel_0: contraction [thread unroll=4, sequential simd=8, reduce ") + terms + "]";
    return schedule_mistake(graph.get(), schedule.c_str());
  };
  CHECK(mistake("u16", "simd=2").find("axis 2 has simd=2; simd belongs on axis 1, the columns") != std::string::npos);
  CHECK(mistake("i16", "simd=4").find("axis 2 has simd=4") != std::string::npos);
  CHECK(mistake("i8", "simd=8").find("axis 2 has simd=8") != std::string::npos);
  CHECK(mistake("i16", "unroll=2 simd=2").find("axis 2 has simd=2 and unroll=2; the terms may have simd or unroll, not both") !=
        std::string::npos);
}

TEST_CASE("L6.dot_products/c G15.matmul/c: every row that has them compiles with gcc and clang, and gives the interpreter's bits") {
  const Context context = make_context();
  const auto check = [&](const std::string& text, auto a, auto b) {
    CAPTURE(text);
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    const Buffer left = wrap(context.get(), a.items, a.dims), right = wrap(context.get(), b.items, b.dims);
    const std::vector<harp_buffer*> handles = {left.get(), right.get()};
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
    for (const harp::Machine& row : harp::machines()) {
      if (!row.cpu().dot_products) continue;
      const std::string target(row.name);
      // false: compiled by gcc with full optimisation, as for users; true: compiled quickly by clang.
      for (const bool is_quick : {false, true}) {
        CAPTURE(target);
        CAPTURE(is_quick);
        const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
          o.target = target.c_str();
          if (is_quick) compile_quickly(o);
        });
        REQUIRE(program != nullptr);
        if (is_not_for_this_cpu(program.get())) continue;
        const std::vector<Buffer> outputs = run(program.get(), handles);
        CHECK(same_bits(outputs[0].get(), expected[0].get()));
      }
    }
  };
  const std::string wide = "cast(a, dtype=i32) @ cast(b, dtype=i32)";
  check(product_of("i16", "[33, 301]", "[301, 45]", wide), any<int16_t>({33, 301}, 1), any<int16_t>({301, 45}, 2));
  check(product_of("i8", "[33, 301]", "[301, 45]", wide), any<int8_t>({33, 301}, 1), any<int8_t>({301, 45}, 2));
  check(product_of("i8", "[250, 600]", "[600, 270]", wide), any<int8_t>({250, 600}, 1), any<int8_t>({600, 270}, 2));  // columns are shared
  check(product_of("i8", "[m, k]", "[n, k]", "cast(cast(a, dtype=u8), dtype=i32) @ transpose(cast(cast(b, dtype=u8), dtype=i32))"),
        any<int8_t>({33, 304}, 1), any<int8_t>({45, 304}, 2));
  check(product_of("i8", "[33, 70]", "[70, 45]", "cast(cast(a, dtype=u8), dtype=i32) @ cast(b, dtype=i32)"), any<int8_t>({33, 70}, 1),
        any<int8_t>({70, 45}, 2));
  check(product_of("i8", "[33, 70]", "[70, 45]", "cast(a, dtype=i32) @ cast(cast(b, dtype=u8), dtype=i32)"), any<int8_t>({33, 70}, 1),
        any<int8_t>({70, 45}, 2));
  check("graph g(x: i8[1, 24, 9, 20], w: i8[32, 24, 3, 3]) {\n  return y = conv2d(cast(x, dtype=i32), cast(w, dtype=i32), padding=1)\n}",
        any<int8_t>({1, 24, 9, 20}, 1), any<int8_t>({32, 24, 3, 3}, 2));
  // All elements are -32768. The sum of two products, 2^31, does not fit 32 bits.
  Values<int16_t> least = any<int16_t>({8, 64}, 1);
  for (int16_t& x : least.items) x = std::numeric_limits<int16_t>::min();
  check(product_of("i16", "[8, 64]", "[8, 64]", "cast(a, dtype=i32) @ transpose(cast(b, dtype=i32))"), least, least);
  // With 140,000 terms of (-128)², the sum of products exceeds 2^31. If the sign bits of the rows are inverted to make them unsigned, 128
  // times the sum of each column must be subtracted, and this does not fit 32 bits either.
  Values<int8_t> many_rows = any<int8_t>({8, 140000}, 1), many_columns = any<int8_t>({140000, 8}, 1);
  for (Values<int8_t>* values : {&many_rows, &many_columns})
    for (int8_t& x : values->items) x = std::numeric_limits<int8_t>::min();
  check(product_of("i8", "[m, k]", "[k, n]", wide), many_rows, many_columns);
}

TEST_CASE("L6.integer_products/c G15.matmul/c G17.epilogue/c: batches, members of a group, and what is made of the result") {
  const Backends backends;
  const std::string batch = "graph g(a: i32[b, m, k], x: i32[b, k, n], c: i32[n]) flags=[broadcast] {\n  return y = relu((a @ x) + c)\n}";
  backends.run(batch, any<int32_t>({3, 19, 37}, 1), any<int32_t>({3, 37, 40}, 2), any<int32_t>({40}, 3));
  const std::string group = "graph g(a: i16[m, k], x: i16[h, k, n]) {\n  return y = einsum(a, x, spec=\"mk,hkn->mhn\")\n}";
  backends.run(group, any<int16_t>({9, 300}, 1), any<int16_t>({11, 300, 60}, 2));
  const std::string heads = "graph g(q: i64[m, h, k], c: i64[n, h, k]) {\n  return y = einsum(q, c, spec=\"mhk,nhk->hmn\")\n}";
  backends.run(heads, any<int64_t>({20, 3, 40}, 1), any<int64_t>({50, 3, 40}, 2));
  const std::string scaled =
      "graph g(a: i8[m, k], w: i8[n, k], s: f32[n]) flags=[broadcast] {\n"
      "  return y = cast(cast(a, dtype=i32) @ transpose(cast(w, dtype=i32)), dtype=f32) * s\n}";
  backends.run(scaled, any<int8_t>({33, 70}, 1), any<int8_t>({45, 70}, 2), rough({45}, 3));
}

TEST_CASE("L6.integer_products,packed_convolution/c G15.conv2d,conv_groups/interp,c: plain convolutions, in groups, by channel") {
  const Backends backends;
  const auto conv = [](const std::string& x, const std::string& w, const std::string& call) {
    return "graph g(x: " + x + ", w: " + w + ") {\n  return y = " + call + "\n}";
  };
  const Values<int32_t> x = any<int32_t>({2, 5, 19, 37}, 1), w = any<int32_t>({20, 5, 3, 3}, 2);
  backends.run(conv("i32[n, 5, h in 3..99, l in 3..99]", "i32[20, 5, 3, 3]", "conv2d(x, w, padding=1)"), x, w);
  backends.run(conv("i32[2, 5, 19, 37]", "i32[20, 5, 3, 3]", "conv2d(x, w, stride=2, padding=1)"), x, w);
  backends.run(conv("i8[2, 12, 9, 20]", "i8[24, 4, 3, 3]", "conv2d(cast(x, dtype=i32), cast(w, dtype=i32), groups=3, padding=1)"),
               any<int8_t>({2, 12, 9, 20}, 1), any<int8_t>({24, 4, 3, 3}, 2));
  backends.run(conv("i16[2, 12, 9, 20]", "i16[12, 1, 3, 3]", "conv2d(x, w, groups=12, padding=1)"), any<int16_t>({2, 12, 9, 20}, 1),
               any<int16_t>({12, 1, 3, 3}, 2));
}
