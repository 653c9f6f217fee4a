// Functions in the loop language, through harp.h and the text format. The interpreter executes the body; compiled code is generated from
// it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "support/backends_run.h"
#include "support/custom_graph.h"

using namespace capi_test;

namespace {

/// The error of building a graph with a body.
class Mistakes {
 public:
  std::string operator()(const std::string& body, const std::string& type = "f32[n, 3]") const {
    const std::string text = "harp 1\n" + graph_of("x: f32[n, 3], i: i32[n], b: bool[], d: f64[4]", "x, i, b, d", body, type);
    ErrorSlot err;
    const Graph graph(harp_graph_parse(context_.get(), text.size(), text.data(), err));
    const std::string message = err.message();
    const size_t at = message.find("body: ");
    return at == std::string::npos ? message : message.substr(at + 6);
  }

 private:
  Context context_ = make_context();
};

constexpr const char* kRowMax = R"(
  let best = f32(-inf)     # of a row
  for i in 0 .. size(input0, 1) {
    let x = input0[ridx0, i]
    if x > best { best = x }
  }
  output = best
)";

}  // namespace

TEST_CASE("G13.custom_function/interp,c G16: loops, variables and branches, for all sizes") {
  const Backends backends;
  const std::string text = graph_of("x: f32[n, m]", "x", kRowMax, "f32[n]");
  for (const auto& [n, m] : {std::pair{5, 7}, {1, 1}, {100, 3}, {4, 0}, {0, 4}}) {
    const Values<float> x = rough({n, m}, 1);
    const std::vector<Buffer> out = backends.run(text, x);
    REQUIRE(out.size() == 1);
    const std::vector<float> best = values<float>(out[0].get());
    REQUIRE(static_cast<int>(best.size()) == n);
    for (int r = 0; r < n; ++r) {
      float expected = -INFINITY;
      for (int c = 0; c < m; ++c) expected = std::max(expected, x.items[static_cast<size_t>(r * m + c)]);
      CHECK(best[static_cast<size_t>(r)] == expected);
    }
  }
}

TEST_CASE("G13.custom_function/interp,c: variables of a loop change together, loops nest") {
  const Backends backends;
  // Fibonacci numbers: the second variable is computed from the old value of the first
  const std::vector<Buffer> fib = backends.run(graph_of("n: i64[k]", "n", R"(
    let a = 0
    let b = 1
    for i in 0 .. ridx0 {
      let next = a + b
      a = b
      b = next
    }
    output = a)",
                                                        "i64[k]"),
                                               whole<int64_t>({12}, 1));
  CHECK(values<int64_t>(fib.at(0).get()) == std::vector<int64_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89});

  // a matrix product that also counts the negative terms
  const Values<double> a = whole<double>({3, 5}, 2), b = whole<double>({5, 4}, 3);
  const std::vector<Buffer> product = backends.run(graph_of("a: f64[n, k], b: f64[k, m]", "a, b", R"(
    let negative = i32(0)
    for i in 0 .. size(input0, 1) {
      let p = input0[ridx0, i] * input1[i, ridx1]
      if p < 0 { negative = negative + 1 } else if p > 1000 { output = f64(nan) }
      for j in minimum(i, 2) .. 2*i - i { negative = negative + i32(0) }
      output = output + p
    }
    output = output * 100 + f64(negative))",
                                                            "f64[n, m]"),
                                                   a, b);
  const std::vector<double> got = values<double>(product.at(0).get());
  for (size_t r = 0; r < 3; ++r)
    for (size_t c = 0; c < 4; ++c) {
      double sum = 0, negative = 0;
      for (size_t i = 0; i < 5; ++i) {
        const double p = a.items[r * 5 + i] * b.items[i * 4 + c];
        sum += p, negative += p < 0;
      }
      CHECK(got[r * 4 + c] == sum * 100 + negative);
    }
}

TEST_CASE("G13.custom_function/interp,c: the bounds of a loop are whatever integers, and wrap like any") {
  const Backends backends;
  // a sparse matrix times a vector; `rows` has the start of each row
  const std::string sparse = graph_of("rows: i32[m], columns: i64[k], values: f64[k], x: f64[n]", "rows, columns, values, x", R"(
    for k in input0[ridx0] .. input0[ridx0 + 1] { output = output + input2[k] * input3[input1[k]] })",
                                      "f64[m - 1]");
  const std::vector<Buffer> product = backends.run(sparse, Values<int32_t>{{0, 2, 2, 5}, {4}}, Values<int64_t>{{0, 3, 1, 2, 3}, {5}},
                                                   Values<double>{{1, 2, 3, 4, 5}, {5}}, Values<double>{{1, 10, 100, 1000}, {4}});
  CHECK(values<double>(product.at(0).get()) == std::vector<double>{2001, 0, 5430});

  const auto iterations = [&](const std::string& bounds) {
    const std::vector<Buffer> out = backends.run(
        graph_of("x: i64[n]", "x", "let last = -1\nfor k in " + bounds + " { output = output + 1\nlast = k }\noutput = output * 100 + last",
                 "i64[n]"),
        Values<int64_t>{{0, 1, 2, INT64_MAX}, {4}});
    return values<int64_t>(out.at(0).get());
  };
  using Iterations = std::vector<int64_t>;
  CHECK(iterations("0 .. input0[ridx0] % 4") == Iterations{-1, 100, 201, 302});
  CHECK(iterations("input0[ridx0] .. 2") == Iterations{201, 101, -1, -1});
  CHECK(iterations("maximum(shape0 * 4294967296 * 1073741824, -3) .. 2") == Iterations{201, 201, 201, 201});  // 4 * 2^62 overflows to 0
  CHECK(iterations("0 .. 4611686018427387904 * shape0 + 1") == Iterations{100, 100, 100, 100});
  CHECK(iterations("0 .. 4611686018427387904 * 4") == Iterations{-1, -1, -1, -1});
  constexpr int64_t kLast = INT64_MIN + 198;  // 2 * 100 + INT64_MAX - 1, wrapped around
  CHECK(iterations("u64(18446744073709551615) .. 3") == Iterations{-1, -1, -1, -1});
  CHECK(iterations("9223372036854775805 .. 9223372036854775807") == Iterations{kLast, kLast, kLast, kLast});
  CHECK(iterations("-9223372036854775807 - 1 .. -9223372036854775807") ==
        Iterations{INT64_MIN + 100, INT64_MIN + 100, INT64_MIN + 100, INT64_MIN + 100});
}

TEST_CASE("G13.custom_function/interp,c: what an if leaves out is not computed, not even long loops") {
  const Backends backends;
  const std::vector<Buffer> out = backends.run(graph_of("x: f32[n], e: f32[m]", "x, e", R"(
    if input0[ridx0] > 1e9 {
      for i in 0 .. 4611686018427387904 { output = output + input0[i] }
    } else if ridx0 < 2 {
      for i in 0 .. ridx0 + 1 { if i == 1 { for j in i .. shape0 { output = output + input0[j] } } }
    }
    for i in 0 .. size(input1, 0) { output = output + input0[7] })",
                                                        "f32[n]"),
                                               Values<float>{{1, 2, 4}, {3}}, Values<float>{{}, {0}});
  CHECK(values<float>(out.at(0).get()) == std::vector<float>{0, 6, 0});
}

TEST_CASE("G13.custom_function/interp,c G9: every dtype computes as an operation of the graph does") {
  const Backends backends;
  const auto same_as_graph = [&](const std::string& dtype, const auto& data) {
    CAPTURE(dtype);
    const std::string text = "graph g(x: " + dtype + "[n], y: " + dtype + "[n]) {\n  s = custom_function(x, y, body=\"\"\"\n" +
                             "    let a = input0[ridx0]\n    let m = maximum(a * input1[ridx0] + 3, a - input1[ridx0])\n" +
                             "    for i in 0..1 { m = m + input1[size(input1, 0) - 1 - ridx0] }\n    output = where(a < m, m, -a)\n" +
                             "  \"\"\", dtype=" + dtype + ", shape=[n])\n" +
                             "  m = maximum(x * y + 3, x - y) + flip(y)\n  return s, t = where(x < m, m, -x)\n}";
    const std::vector<Buffer> out = backends.run(text, data, data);
    CHECK(same_bits(out.at(0).get(), out.at(1).get()));
  };
  same_as_graph("f32", rough({37}, 1));
  same_as_graph("f64", whole<double>({37}, 2));
  same_as_graph("i8", whole<int8_t>({37}, 3));
  same_as_graph("u16", whole<uint16_t>({37}, 4));
  same_as_graph("i32", whole<int32_t>({37}, 5));
  same_as_graph("u64", whole<uint64_t>({37}, 6));
  const std::vector<Buffer> half = backends.run(
      "graph g(x: f32[n]) {\n  h = cast(x, dtype=f16)\n  s = custom_function(h, body=\"\"\"\n  let t = f16(1)\n  for i in 0..3 { t = t * "
      "input0[ridx0] + t }\n  output = t\"\"\", dtype=f16, shape=[n])\n  one = f16(1) * h + f16(1)\n  two = one * h + one\n"
      "  return s = cast(s, dtype=f32), t = cast(two * h + two, dtype=f32)\n}",
      rough({37}, 7));
  CHECK(same_bits(half.at(0).get(), half.at(1).get()));
}

TEST_CASE("G13.custom_function/interp,c: an index outside its array touches nothing and fails the run") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_of("x: f32[n], at: i32[m]", "x, at", R"(
    let i = input1[ridx0]
    if i != 100 { output = input0[i] + input0[i - 1] })",
                                                                 "f32[m]"));
  REQUIRE(graph != nullptr);
  std::vector<float> x = {1, 2, 3, 4, 5};
  std::vector<int32_t> good = {1, 4, 100, 2}, bad = {1, 2, 7, 0, -3}, low = {1, 0, 3};
  const Buffer data = wrap(context.get(), x, {5}), fine = wrap(context.get(), good, {4}), wrong = wrap(context.get(), bad, {5}),
               second = wrap(context.get(), low, {3});
  for (const std::pair<const char*, int>& way : {std::pair{"interp", 0}, std::pair{"c", 0}, std::pair{"c", 1}}) {
    const char* backend = way.first;
    const int is_plain = way.second;
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend, [&](harp_compile_options& o) { o.plain_text = is_plain; });
    REQUIRE(program != nullptr);
    ErrorSlot err, other;
    CHECK(run(program.get(), {data.get(), wrong.get()}, err).empty());
    CHECK(err.code() == HARP_ERROR_RANGE);
    CHECK(err.message() == "custom_function: axis 0 of input 0, \"x\", has 5 elements, but element 2 of \"y\" asks for 7");
    CHECK(run(program.get(), {data.get(), second.get()}, other).empty());
    CHECK(other.message() == "custom_function: axis 0 of input 0, \"x\", has 5 elements, but element 1 of \"y\" asks for -1");
    const std::vector<Buffer> out = run(program.get(), {data.get(), fine.get()});
    CHECK(values<float>(out.at(0).get()) == std::vector<float>{3, 9, 0, 5});
  }
}

TEST_CASE("G13.custom_function/interp,c: indices that ranges and conditions prove to be inside are not checked") {
  const Backends backends;
  const auto is_checked = [&](const std::string& text) {
    const Graph graph = parse(backends.context(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    return source_for("x86-64-v3", graph.get()).find("check_index") != std::string::npos;
  };
  const std::string inputs = "x: f32[n, m], v: f32[m + 2]";
  const auto of_rows = [&](const std::string& body) { return graph_of(inputs, "x, v", "\n" + body + "\n", "f32[n]"); };
  // The elements of these bodies are computed one by one, because each reads another row.
  constexpr const char* kBodies[] = {
      "for k in 0 .. size(input0, 1) { output = output + input0[ridx0, k] * input1[k + 1] }",
      "for k in 0 .. size(input0, 1) {\nlet j = k - 1\nif j >= 0 { output = output * 0.5 + input0[ridx0, j] * input1[k - j + 1] }\n}",
      "for k in 0 .. size(input0, 1) {\nif ridx0 + k >= shape0 { break }\noutput = output + input0[ridx0 + k, k]\n}",
      "for k in ridx0 .. shape0 { if k < size(input0, 1) { for l in k .. size(input0, 1) { output = output * 0.5 + input0[k, l] } } }",
      ("if ridx0 < size(input0, 1) { for k in ridx0 .. size(input0, 1) {\n"
       "output = output * 0.5 + input0[ridx0, k] * input0[ridx0, ridx0]\n} }"),
      ("let w = f32[4]\nfor k in 0 .. size(input0, 1) {\nfor l in 0 .. 3 { w[3 - l] = w[2 - l] }\n"
       "w[0] = input0[ridx0, k]\noutput = output * 0.5 + w[k & 3] + w[1] * w[2]\n}"),
  };
  for (const char* body : kBodies) {
    CAPTURE(std::string(body));
    const bool has_other_index = std::string(body).find("k & 3") != std::string::npos;
    CHECK(is_checked(of_rows(body)) == has_other_index);
    for (const auto& [n, m] : {std::pair{5, 7}, {7, 5}, {1, 1}, {40, 3}, {4, 0}, {0, 4}})
      backends.run(of_rows(body), rough({n, m}, 1), rough({m + 2}, 2));
  }
  CHECK(is_checked(of_rows("for k in 0 .. size(input0, 1) { output = output + input0[ridx0, k] * input1[k + 3] }")));
  CHECK(is_checked(of_rows("for k in 0 .. size(input0, 1) { if k > 1 { output = output + input1[k - 3] * input0[ridx0, k] } }")));

  // One diagonal of a table of dynamic programming, as in Nussinov's algorithm.
  const std::string diagonal = graph_of("t: i32[n, n], d: f32[m]", "t, d", R"(
    let j = ridx0 + size(input0, 0) - shape0
    if (ridx0 + 1 < size(input0, 0)) & (j >= 1) & (j < size(input0, 0)) {
      let best = maximum(input0[ridx0, j - 1], input0[ridx0 + 1, j])
      for k in ridx0 + 1 .. j { best = maximum(best, input0[ridx0, k] + input0[k + 1, j]) }
      output = best
    })",
                                        "i32[m]");
  CHECK(!is_checked(diagonal));
  // A run without checks neither prepares memory for faults nor looks for faults.
  const Graph without_checks = parse(backends.context(), "harp 1\n" + diagonal);
  REQUIRE(without_checks != nullptr);
  CHECK(source_for("x86-64-v3", without_checks.get()).find("harp_first_fault") == std::string::npos);
  for (const auto& [n, m] : {std::pair{9, 9}, {9, 4}, {9, 1}, {5, 8}, {1, 1}, {0, 3}})
    backends.run(diagonal, whole<int32_t>({n, n}, 1), rough({m}, 2));
}

TEST_CASE("G13.custom_function/c: of several workers' faults the first element's is reported") {
  const auto on_threads = [](void*, size_t n, size_t grain, harp_range_body body, void* arg) {
    std::vector<std::thread> threads;
    for (size_t worker = 0; worker < 4; ++worker) {
      const size_t begin = n * worker / 4, end = n * (worker + 1) / 4;
      if (begin < end) threads.emplace_back([=] { body(arg, begin, end, worker); });
    }
    for (std::thread& thread : threads) thread.join();
    (void)grain;
  };
  const Context context = make_context([&](harp_context_options& o) {
    o.parallel_for = on_threads;
    o.width = 4;
  });
  const Graph graph =
      parse(context.get(), "harp 1\n" + graph_of("x: f32[n], at: i64[m]", "x, at", "output = input0[input1[ridx0]]", "f32[m]"));
  REQUIRE(graph != nullptr);
  std::vector<float> x = {1, 2, 3};
  std::vector<int64_t> at(200000, 2);
  at[60001] = -4, at[60000] = 3, at[199999] = INT64_MIN;
  const Buffer data = wrap(context.get(), x, {3}), places = wrap(context.get(), at, {200000});
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    ErrorSlot err;
    CHECK(run(program.get(), {data.get(), places.get()}, err).empty());
    CHECK(err.message() == "custom_function: axis 0 of input 0, \"x\", has 3 elements, but element 60000 of \"y\" asks for 3");
  }
  at[60000] = at[60001] = at[199999] = 0;
  const Program program = compile(graph.get(), "c");
  const std::vector<Buffer> out = run(program.get(), {data.get(), places.get()});
  CHECK(values<float>(out.at(0).get())[60000] == 1);
  CHECK(values<float>(out.at(0).get())[60002] == 3);
}

TEST_CASE("G13.custom_function/interp,c: an element's loops end in the iteration in which an index was outside, in any piece") {
  // If several indices of an element are invalid, the error names the one that comes first in the body's text. If the loops continued after
  // an invalid index, a later iteration could report an index that comes earlier in the text.
  constexpr const char* kBodies[] = {
      "for i in 0 .. size(input1, 1) { output = output + input0[input1[ridx0, i]] + input0[input2[ridx0, i]] }",
      // a > b is computed as b < a, so its operands are evaluated in another order than that of the text
      "for i in 0 .. size(input1, 1) { if input0[input1[ridx0, i]] > input0[input2[ridx0, i]] { output = output + input0[i] } }",
      "for t in 0 .. 3 { for i in 0 .. size(input1, 1) { output = output + input0[i64(input1[ridx0, i]) + t] + input0[input2[ridx0, i]] } "
      "}",
      "for i in 0 .. size(input1, 1) { for t in 0 .. 3 { output = output + input0[i64(input1[ridx0, i]) + t] }\noutput = output + "
      "input0[input2[ridx0, i]] }",
      "for i in 0 .. size(input1, 1) { for j in i .. i + i64(where(input2[ridx0, i] > 0, input2[ridx0, i], 0)) { output = output + "
      "input0[input1[ridx0, j]] } }\n"
      "for i in 0 .. size(input1, 1) { output = output + input0[input2[ridx0, i]] }",
  };
  constexpr int64_t kRows = 3, kIterations = 9000, kCount = 20000;
  const Context context = make_context();
  std::mt19937 random(5);
  std::vector<float> x(kCount, 1);
  std::vector<int32_t> tables[2];
  for (std::vector<int32_t>& table : tables) table.resize(kRows * kIterations);
  const Buffer data = wrap(context.get(), x, {kCount}), first = wrap(context.get(), tables[0], {kRows, kIterations}),
               second = wrap(context.get(), tables[1], {kRows, kIterations});
  for (const char* body : kBodies) {
    CAPTURE(body);
    const Graph graph = parse(context.get(), "harp 1\n" + graph_of("x: f32[n], i: i32[m, k], j: i32[m, k]", "x, i, j",
                                                                   "\n" + std::string(body) + "\n", "f32[m]"));
    REQUIRE(graph != nullptr);
    const Program interpreted = compile(graph.get(), "interp"), compiled = compile(graph.get(), "c");
    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      for (std::vector<int32_t>& table : tables) {
        for (int32_t& place : table) place = static_cast<int32_t>(10 + random() % 10);
        for (int row = round % 3; row < kRows; ++row)  // in some rounds all rows have invalid indices, in others only the last ones
          for (int i = 0; i < 3; ++i) {
            const size_t iteration = i == 0 ? random() % kIterations : random() % 50;
            table[static_cast<size_t>(row * kIterations) + iteration] =
                random() % 2 != 0 ? -1000000000 : static_cast<int32_t>(random() % 5) + kCount;
          }
      }
      ErrorSlot expected, err;
      CHECK(run(interpreted.get(), {data.get(), first.get(), second.get()}, expected).empty());
      CHECK(run(compiled.get(), {data.get(), first.get(), second.get()}, err).empty());
      CHECK(err.code() == HARP_ERROR_RANGE);
      CHECK(err.message() == expected.message());
    }
  }
}

TEST_CASE("G13.custom_fuses/c: a body that is an expression is computed where it is used") {
  const Backends backends;
  const std::string body = "let a = input0[ridx0, ridx1]\nif a > 0 { output = a * input1[ridx1] } else { output = f32(ridx0) }";
  const std::string text = "graph g(x: f32[n, m], w: f32[m]) {\n  h = custom_function(exp(x), w * 2, body=\"\"\"" + body +
                           "\"\"\", dtype=f32, shape=[n, m])\n  return y = sin(h) + x, s = sum(h * h)\n}";
  const std::vector<Buffer> out = backends.run(text, rough({20, 33}, 1), rough({33}, 2));
  CHECK(out.size() == 2);
  const std::string alone = "graph g(x: f32[n, m], w: f32[m]) {\n  h = custom_function(exp(x), w * 2, body=\"\"\"" + body +
                            "\"\"\", dtype=f32, shape=[n, m])\n  return y = sin(h) + x\n}";
  CHECK(backends.cost(alone, {20, 33}).kernels == 1);
  CHECK(backends.cost(alone, {20, 33}).workspace == 0);
}

TEST_CASE("G13.custom_function: mistakes say line and column") {
  const Mistakes mistake;
  CHECK(mistake("output = 1.0") == "");
  CHECK(mistake("let sum = f32(1)\noutput = sum") == "");
  CHECK(mistake("") == "the body never sets output");
  CHECK(mistake("let a = 1") == "the body never sets output");
  CHECK(mistake("output = input0[ridx0, ridx1] +").starts_with("line 1, column 32: expected an expression, found the end of the text"));
  CHECK(mistake("output = 1.0 2").starts_with("line 1, column 14: expected the end of the line, found \"2\""));
  CHECK(mistake("let a = 1\nlet a = 2\noutput = 1.0").starts_with("line 2, column 5: \"a\" is already declared"));
  CHECK(mistake("let sin = 1\noutput = 1.0").starts_with("line 1, column 5: \"sin\" is a reserved name"));
  CHECK(mistake("output = y")
            .starts_with("line 1, column 10: unknown name \"y\"; known names: input0 to input3, ridx0 to ridx1, shape0 to shape1"));
  CHECK(mistake("output = input7[0]").starts_with("line 1, column 10: input7, but there are only input0 to input3"));
  CHECK(mistake("output = input0[0]").starts_with("line 1, column 10: input0 has shape [n, 3] and needs 2 indices, but got 1"));
  CHECK(mistake("output = input0[0, 1.5]").find("line 1, column 20: ") == 0);
  CHECK(mistake("output = input0[ridx0, input3[0]]").starts_with("line 1, column 24: an index must be an integer, got f64"));
  CHECK(mistake("output = f32(ridx2)").starts_with("line 1, column 14: ridx2: the result has no axis 2; its shape is [n, 3]"));
  CHECK(mistake("output = f32(size(input1, 1))").starts_with("line 1, column 14: input1 has no axis 1: its shape is [n]"));
  CHECK(mistake("output = input3[0]").starts_with("line 1, column 1: the value is f64, but output is f32; cast it, as in f32(x)"));
  CHECK(
      mistake("output = input0[0, 0] + input3[0]").starts_with("line 1, column 23: add: operands are f32 and f64; cast one, as in f32(x)"));
  CHECK(mistake("let a = 1.5\noutput = 1.0").starts_with("line 1, column 9: the dtype of \"1.5\" is not known; write it, as in f32(1.5)"));
  CHECK(mistake("if 1 { output = 1.0 }").starts_with("line 1, column 4: the condition must be bool, got i64"));
  CHECK(
      mistake("for k in 0 .. input3[0] { output = 1.0 }").starts_with("line 1, column 15: a bound of a loop must be an integer, got f64"));
  CHECK(mistake("for k in 0 .. 9223372036854775808 { output = 1.0 }").starts_with("line 1, column 15: "));
  CHECK(mistake("input0 = 1.0").starts_with("line 1, column 1: \"input0\" cannot be set; only output and names declared by let can"));
  CHECK(mistake("if input2 { output = 1.0 }\nelse { output = 2.0 }").starts_with("line 2, column 1: else must follow the }"));
  CHECK(mistake("ridx0 = 1").starts_with("line 1, column 1: \"ridx0\" cannot be set"));
  CHECK(mistake("for k in 0..2 { k = 1 }").starts_with("line 1, column 17: \"k\" is a loop counter and cannot be set"));
  CHECK(mistake("for k in 0..2 { let a = k }\noutput = f32(a)").starts_with("line 2, column 14: unknown name \"a\""));
  CHECK(mistake("while 1 { output = 1.0 }").starts_with("line 1, column 7: the condition must be bool, got i64"));
  CHECK(mistake("while { output = 1.0 }").starts_with("line 1, column 7: expected an expression, found \"{\""));
  CHECK(mistake("while output < 1.0 and output > 0.0 { output = 1.0 }")
            .starts_with("line 1, column 20: expected \"{\", found \"and\"; logical and is written &, as in (a < b) & (c < d)"));
  CHECK(mistake("while input2\noutput = 1.0").starts_with("line 1, column 13: expected \"{\", found the end of the line"));
  CHECK(mistake("output = 1.0\nbreak").starts_with("line 2, column 1: break must be inside a loop"));
  CHECK(mistake("while input2 { output = 1.0 }\nif input2 { break }").starts_with("line 2, column 13: break must be inside a loop"));
  CHECK(mistake("while input2 {\nbreak\noutput = 1.0\n}").starts_with("line 3, column 1: expected \"}\" after break, found \"output\""));
  CHECK(mistake("for k in 0..2 { break 1 }").starts_with("line 1, column 23: expected the end of the line, found \"1\""));
  CHECK(mistake("let while = 1\noutput = 1.0").starts_with("line 1, column 5: \"while\" is a reserved name"));
  CHECK(mistake("let break = 1\noutput = 1.0").starts_with("line 1, column 5: \"break\" is a reserved name"));
  CHECK(mistake("output = while").starts_with("line 1, column 10: unknown name \"while\""));
  CHECK(mistake("while input2 { let a = f32(1) }\noutput = a").starts_with("line 2, column 10: unknown name \"a\""));
  CHECK(mistake("let a = f32[4]\na[1] = 2.0\noutput = a[1]") == "");
  CHECK(mistake("let a = f32[1024]\noutput = a[1]") == "");
  CHECK(mistake("let a = f32[0]\noutput = a[0]").starts_with("line 1, column 13: the array has 0 elements; an array must have at least 1"));
  CHECK(mistake("let a = f32[1025]\noutput = a[0]")
            .starts_with("line 1, column 13: the array has 1025 elements; an array must have at least 1, and all arrays"));
  CHECK(mistake("let a = f32[1000]\nlet b = i8[25]\noutput = a[0]")
            .starts_with("line 2, column 12: the array has 25 elements, and the arrays before it have 1000; an array must have at least 1, "
                         "and all arrays of a body together at most 1024"));
  CHECK(mistake("let a = f32[n]\noutput = a[0]").starts_with("line 1, column 13: expected an integer, found \"n\""));
  CHECK(mistake("let a = f32[4, 4]\noutput = 1.0").starts_with("line 1, column 14: expected \"]\", found \",\""));
  CHECK(mistake("let a = complex64[4]\noutput = 1.0").starts_with("line 1, column 9: complex64: a body computes with real numbers"));
  CHECK(mistake("let a = f32[4]\na = 1.0").starts_with("line 2, column 1: \"a\" is an array; name one of its elements, as in a[0]"));
  CHECK(mistake("let a = f32[4]\noutput = a").starts_with("line 2, column 10: \"a\" is an array; name one of its elements, as in a[0]"));
  CHECK(mistake("let a = f32[4]\na[1.5] = 1.0").find("line 2, column 3: ") == 0);
  CHECK(mistake("let a = f32[4]\na[input3[0]] = 1.0").starts_with("line 2, column 3: an index must be an integer, got f64"));
  CHECK(mistake("let a = f32[4]\na[0, 1] = 1.0").starts_with("line 2, column 4: expected \"]\", found \",\""));
  CHECK(mistake("let a = f32[4]\na[0] = input3[0]").starts_with("line 2, column 1: the value is f64, but the variable is f32; cast it"));
  CHECK(mistake("let a = f32[4]\nlet a = 1\noutput = 1.0").starts_with("line 2, column 5: \"a\" is already declared"));
  CHECK(mistake("let a = f32[4]\na[0] = 1.0") == "the body never sets output");
  CHECK(mistake("let v = 1\nv[0] = 2\noutput = 1.0").starts_with("line 2, column 2: expected \"=\", found \"[\""));
  CHECK(mistake("if input2 { let a = f32[4] }\noutput = a[0]").starts_with("line 2, column 10: unknown name \"a\""));
  CHECK(mistake("output = relu(input0[0, 0])").starts_with("line 1, column 10: no function \"relu\""));
  CHECK(mistake("output = sin(1.0, 2.0)").starts_with("line 1, column 10: sin takes 1 argument, but got 2"));
  CHECK(mistake("output = f32(ridx0 < 1 < 2)").find("comparisons do not chain; write (a < b) & (b < c)") != std::string::npos);
  CHECK(mistake("output = f32(sin(ridx0))").starts_with("line 1, column 14: sin takes a float or complex dtype, not i64"));
  CHECK(mistake("if input2 {").starts_with("line 1, column 12: expected \"}\""));
  CHECK(mistake("output = complex64(1)").find("a body computes with real numbers") != std::string::npos);
  CHECK(mistake("output = 1.0", "complex64[n]").find("custom_function: the result cannot be complex64") != std::string::npos);
  std::string deep = "output = ", sum = "output = 1.0", blocks;
  for (int i = 0; i < 4000; ++i) deep += "(", sum += " + input0[0, 0]", blocks += "if input2 {\n";
  CHECK(mistake(deep).find("nest deeper than") != std::string::npos);
  CHECK(mistake(blocks).find("blocks nest deeper than 100 levels") != std::string::npos);
  const auto nested = [](int levels, const std::string& head) {
    std::string open, close;
    for (int i = 0; i < levels; ++i) open += head + "\n", close += "}\n";
    return open + "output = 1.0\n" + close;
  };
  CHECK(mistake(nested(99, "if input2 {")) == "");
  CHECK(mistake(nested(101, "if input2 {")).find("nest deeper than 100") != std::string::npos);
  CHECK(mistake(nested(99, "while input2 {")) == "");
  CHECK(mistake(nested(101, "while input2 {")).find("nest deeper than 100") != std::string::npos);
  CHECK(mistake(sum).find("nests operations too deeply; at most 256 levels are allowed") != std::string::npos);
}

TEST_CASE("G13.custom_function/interp,c G16: without inputs, of indices and sizes alone; sums of it; -x ** 2") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[n]) {\n  y = custom_function(body=\"\"\"\n"
      "  let a = f32(2)\n  for i in 0 .. ridx0 { a = a + f32(i * shape1 + ridx1) }\n  output = -a ** 2\n\"\"\", dtype=f32, shape=[n, 3])\n"
      "  z = custom_function([], body=\"\"\"output = ridx0 * 2\"\"\", dtype=i64, shape=[4])\n"
      "  return y = y, t = sum(y, axes=[1]) + x, z = z + 1\n}",
      Values<float>{{1, 2, 3}, {3}});
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{-4, -4, -4, -4, -9, -16, -25, -49, -81});
  CHECK(values<float>(outputs[1].get()) == std::vector<float>{-11, -27, -152});
  CHECK(values<int64_t>(outputs[2].get()) == std::vector<int64_t>{1, 3, 5, 7});

  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const harp_dim four = 4;
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = "output = ridx0 * 2";
  desc.dtype = HARP_I64;
  desc.rank = 1;
  desc.dims = &four;
  CHECK(harp_custom_function(0, nullptr, &desc) == nullptr);  // without inputs or a graph
  CHECK(harp_custom_function(0, nullptr, nullptr) == nullptr);
  desc.graph = g.get();
  harp_node* const y = harp_custom_function(0, nullptr, &desc);
  REQUIRE(y != nullptr);
  CHECK(harp_output(g.get(), "y", y) == HARP_OK);
  CHECK(values<int64_t>(run(compile(g.get(), "c").get(), {})[0].get()) == std::vector<int64_t>{0, 2, 4, 6});
  const Graph other = make_graph(context.get());
  desc.graph = other.get();
  CHECK(harp_custom_function(1, &y, &desc) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(g.get()))) == "custom_function: desc.graph is not the graph of the inputs");
  desc.body = "output = i64(input0[0])";
  CHECK(harp_custom_function(0, nullptr, &desc) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(other.get()))).find("input0, but there are no inputs") != std::string::npos);
}

TEST_CASE("G13.custom_function: no text does harm") {
  const Mistakes mistake;
  const std::string seeds[] = {kRowMax,
                               "let a = input1[ridx0]\nif a > 3 { output = input0[a, i64(a) % 3] } else if input2 { output = f32(1e9) }",
                               "for i in 0..shape0 { for j in i .. 3 { output = output + input0[i, j] * f32(0.5) - -1.0 } }",
                               "while ~input2 {\nif output > 3.0 { break }\noutput = output + 1.0\n}",
                               "let a = f32[3]\na[ridx1] = input0[ridx0, 0]\nfor i in 0..3 { output = output + a[i] * a[shape1 - 1] }"};
  const char* const pieces[] = {"{",
                                "}",
                                "\n",
                                "(",
                                ")",
                                "[",
                                "]",
                                "for i in 0..3 {",
                                "if input2 {",
                                "else",
                                "output",
                                "=",
                                "ridx0",
                                "..",
                                "99999999999999999999",
                                "-",
                                "input0",
                                "\"",
                                "\"\"",
                                "let",
                                "while input2 {",
                                "break",
                                "a[",
                                "i8[4]",
                                ",",
                                "f32(",
                                "i64(",
                                "#",
                                "\x80",
                                "//",
                                "%",
                                "shape9",
                                "nan"};
  std::mt19937 random(7);
  int built = 0;
  for (int round = 0; round < 8000; ++round) {
    std::string body = seeds[random() % std::size(seeds)];
    for (uint32_t change = random() % 4 + 1; change > 0; --change) {
      const size_t at = random() % (body.size() + 1);
      if (random() % 2 == 0 && at < body.size())
        body.erase(at, random() % 6 + 1);
      else
        body.insert(at, pieces[random() % std::size(pieces)]);
    }
    if (body.find("\"\"\"") != std::string::npos) continue;
    built += mistake(body).empty();
  }
  CHECK(built > 50);
}

TEST_CASE("G13.custom_function G18.text G19.loud_error: printed as it was written; no gradient; the C API") {
  const Context context = make_context();
  const std::string text = "harp 1\n" + graph_of("x: f32[n, m]", "x", kRowMax, "f32[n]") + "\n";
  const Graph graph = parse(context.get(), text);
  const std::string printed = take(harp_graph_print(graph.get(), nullptr));
  CHECK(printed.find(kRowMax) != printed.npos);
  CHECK(take(harp_graph_print(parse(context.get(), printed).get(), nullptr)) == printed);

  const Graph g = make_graph(context.get());
  const harp_dim n = harp_dim_var(g.get(), "n", 0, 100), m = harp_dim_var(g.get(), "m", 0, 100);
  const harp_dim dims[] = {n, m};
  harp_node* x = harp_input(g.get(), "x", HARP_F32, 2, dims);
  harp_custom_function_desc desc = HARP_CUSTOM_FUNCTION_DESC_INIT;
  desc.body = kRowMax;
  desc.dtype = HARP_F32;
  desc.rank = 1;
  desc.dims = dims;
  harp_node* const y = harp_custom_function(1, &x, &desc);
  harp_output(g.get(), "y", y);
  CHECK(take(harp_graph_print(g.get(), nullptr)).find(kRowMax) != std::string::npos);
  harp_node *xs[] = {x}, *gradients[1];
  CHECK(harp_grad(harp_sum(y, 0, nullptr, 0), 1, xs, nullptr, gradients) == HARP_ERROR_NO_GRADIENT);
  CHECK(std::string(harp_error_message(harp_graph_error(g.get()))).find("custom_function has no derivative") != std::string::npos);
}
