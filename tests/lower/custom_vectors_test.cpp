// Tests custom functions that are vectorised: each lane of a vector computes one element (schedule/body_lanes.h, lower/custom.cpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/backends_run.h"
#include "support/count_in_text.h"
#include "support/custom_graph.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

/// Returns the number of lanes with which the graph's only kernel computes elements on the machine `row`; 1 means that the kernel is not
/// vectorised.
int lanes_of(const char* row, const std::string& inputs, const std::string& arrays, const std::string& body, const std::string& type) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_of(inputs, arrays, "\n" + body + "\n", type));
  REQUIRE(graph != nullptr);
  const std::string source = source_for(row, graph.get());
  const size_t at = source.find(" custom [");
  REQUIRE(at != std::string::npos);
  const std::string schedule = source.substr(at, source.find(']', at) - at);
  const size_t lanes = schedule.find("simd=");
  return lanes == std::string::npos ? 1 : std::stoi(schedule.substr(lanes + 5));
}
int lanes_of(const std::string& body, const std::string& type = "f32[n]") {
  return lanes_of("x86-64-v4", "x: f32[n], t: f32[n, m], i: i32[n], s: i64[k]", "x, t, i, s", body, type);
}

/// Returns the body of a custom function that, for each point of the complex plane, counts the iterations of z² + c until z escapes.
std::string mandelbrot(const std::string& dtype, const std::string& counter) {
  return "\nlet zr = " + dtype + "(0)\nlet zi = " + dtype + "(0)\nlet n = " + counter + "(0)" + R"(
    let re = input0[ridx1] * 1.5 - 0.5
    let im = input1[ridx0] * 1.2
    while (n < 60) & (zr * zr + zi * zi <= 4.0) {
      let t = zr * zr - zi * zi + re
      zi = zr * zi * 2.0 + im
      zr = t
      n = n + 1
    }
    output = n)";
}

/// Returns the C source of kernel_0 for the machine `row`.
std::string kernel_for(const char* row, const std::string& graph_text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_text);
  REQUIRE(graph != nullptr);
  const std::string source = source_for(row, graph.get());
  const size_t begin = source.find("void kernel_0("), end = source.find("\n}\n", begin);
  REQUIRE(end != std::string::npos);
  return source.substr(begin, end - begin);
}

/// Returns the body of the first loop that is divided into pieces. (Between two pieces, the generated code polls the cancel flag.)
std::string innermost_loop(const std::string& kernel) {
  const size_t head = kernel.find("_end; ++");
  REQUIRE(head != std::string::npos);
  const size_t begin = kernel.find('\n', head) + 1, end = kernel.find("}\n", begin);
  REQUIRE(end != std::string::npos);
  return kernel.substr(begin, kernel.rfind('\n', end) + 1 - begin);
}

/// Runs a graph on several sets of inputs and returns the outputs for each set. Checks that all ways of compiling the graph give the same
/// bits. Ways whose code this CPU cannot run are left out.
std::vector<Buffer> run_each(harp_context* context, const std::string& text, const std::vector<std::vector<Buffer>>& sets) {
  CAPTURE(text);
  const Graph graph = parse(context, "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  std::vector<Buffer> expected;
  for (const Way& way : kWays) {
    CAPTURE(way.backend);
    CAPTURE(way.plain);
    const Program program = compile_way(graph.get(), way, !is_sampled(text));
    REQUIRE(program != nullptr);
    if (is_not_for_this_cpu(program.get())) continue;
    for (size_t i = 0; i < sets.size(); ++i) {
      CAPTURE(i);
      std::vector<harp_buffer*> inputs;
      for (const Buffer& input : sets[i]) inputs.push_back(input.get());
      std::vector<Buffer> out = run(program.get(), inputs);
      REQUIRE(out.size() == 1);
      if (expected.size() == i)
        expected.push_back(std::move(out[0]));
      else
        CHECK(same_bits(out[0].get(), expected[i].get()));
    }
  }
  return expected;
}

using Integers = std::vector<int32_t>;
Integers numbers(int count, int factor, int most) {
  Integers result;
  for (int i = 0; i < count; ++i) result.push_back((i * factor + 3) % (most + 1));
  return result;
}

/// Inputs of a body over three arrays of i32: `a` and `b` have as many elements as the result, `c` has any number of elements.
struct Inputs {
  Integers a, b, c;
};
Inputs of_size(int size) { return {numbers(size, 7, 12), numbers(size, 5, 9), {2, 0, 5}}; }
std::vector<Integers> results_of(const std::string& body, std::vector<Inputs> all) {
  const Context context = make_context();
  std::vector<std::vector<Buffer>> sets;
  for (Inputs& inputs : all) {
    std::vector<Buffer>& set = sets.emplace_back();
    for (Integers* items : {&inputs.a, &inputs.b, &inputs.c})
      set.push_back(wrap(context.get(), *items, {static_cast<int64_t>(items->size())}));
  }
  std::vector<Integers> results;
  for (const Buffer& out :
       run_each(context.get(), graph_of("a: i32[n], b: i32[n], c: i32[k]", "a, b, c", "\n" + body + "\n", "i32[n]"), sets))
    results.push_back(values<int32_t>(out.get()));
  return results;
}

}  // namespace

TEST_CASE("G13.custom_vectors/c: a vector holds as many elements as the widest number that loops compute") {
  const auto lanes = [](const char* row, const std::string& dtype, const std::string& counter) {
    return lanes_of(row, "x: " + dtype + "[m], v: " + dtype + "[n]", "x, v", mandelbrot(dtype, counter), counter + "[n, m]");
  };
  CHECK(lanes("x86-64", "f32", "i32") == 4);
  CHECK(lanes("x86-64-v3", "f32", "i32") == 8);
  CHECK(lanes("x86-64-v4", "f32", "i32") == 16);
  CHECK(lanes("aarch64", "f32", "i32") == 4);
  CHECK(lanes("x86-64", "f64", "i32") == 1);
  CHECK(lanes("x86-64-v3", "f64", "i32") == 4);
  CHECK(lanes("x86-64-v4", "f64", "i32") == 8);
  CHECK(lanes("x86-64-v4", "f32", "i64") == 8);

  // The index ridx0 has the type i64. This does not reduce the number of lanes if only conversions, loops and loads use ridx0. An axis that
  // is shorter than a vector gets fewer lanes.
  constexpr const char* kBody = "let v = f32(ridx0) * 0.5\nwhile v < 100.0 { v = v * 1.5 + input0[ridx0] }\noutput = v";
  const auto of_size = [&](const std::string& n) { return lanes_of("x86-64-v4", "x: f32[" + n + "]", "x", kBody, "f32[" + n + "]"); };
  CHECK(of_size("n") == 16);
  CHECK(of_size("100") == 16);
  CHECK(of_size("9") == 16);
  CHECK(of_size("8") == 8);
  CHECK(of_size("3") == 4);
  CHECK(of_size("2") == 1);
  CHECK(lanes_of("x86-64-v4", "x: f32[n]", "x", kBody, "f32[n, 1]") == 16);
}

TEST_CASE("G13.custom_vectors/c: the loop of a vector keeps masks and variables in registers, without copies") {
  const auto text_of = [](const std::string& dtype, const std::string& counter) {
    return graph_of("x: " + dtype + "[m], v: " + dtype + "[n]", "x, v", mandelbrot(dtype, counter), counter + "[n, m]");
  };
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const std::string v4 = kernel_for("x86-64-v4", text_of("f32", "i32"));
  // The accumulators acc0, acc1, acc2 and acc3 are zi, zr, n and the mask of the lanes that still iterate. The squares of zi and zr have
  // names, because the condition and the body use them.
  std::string loop = innermost_loop(v4);
  CAPTURE(loop);
  CHECK(lines(loop) == 7);
  CHECK(count(loop, " = acc1 * acc1;") == 1);
  CHECK(count(loop, " = acc0 * acc0;") == 1);
  CHECK(count(loop, " acc3 = le_f32x16_where(lt_i32x16_where(acc3, acc2, splat_i32x16(60)), ") == 1);
  CHECK(count(loop, "if (__builtin_expect(!any_x16(acc3), 0)) break;") == 1);
  CHECK(count(loop, " acc0 = blend_f32x16(acc3, acc1 * acc0 * 2.0f + ") == 1);
  CHECK(count(loop, " acc1 = blend_f32x16(acc3, ") == 1);
  CHECK(count(loop, " acc2 = blend_i32x16(acc3, acc2 + 1, acc2);") == 1);
  // The accumulators get their first values where they are declared. After each piece of the loop the kernel polls the cancel flag.
  CHECK(count(v4, "f32x16 acc0 = splat_f32x16(0.0f);") == 1);
  CHECK(count(v4, "uint16_t acc3 = splat_mask_x16(1);") == 1);
  CHECK(count(v4, "{0}") == 0);
  CHECK(count(v4, "|| !any_x16(acc3)) break;\n") == 1);
  CHECK(count(v4, "if (harp_is_set(cancel)) return;") == 3);
  // Only the last vector, which may have lanes without an element, computes which lanes have one.
  const size_t last = v4.find("} else {");
  REQUIRE(last != std::string::npos);
  CHECK(v4.find("first_lanes_x16(") > last);
  CHECK(count(v4, "first_lanes_x16(") == 1);

  const std::string v3 = kernel_for("x86-64-v3", text_of("f32", "i32"));
  loop = innermost_loop(v3);
  CHECK(lines(loop) == 7);
  CHECK(count(loop, " acc3 = acc3 & ((acc2 < 60) & (") == 1);
  CHECK(count(loop, "if (__builtin_expect(!any_i32x8(acc3), 0)) break;") == 1);
  CHECK(count(loop, "select_f32x8(acc3, ") == 2);
  CHECK(count(loop, "select_i32x8(acc3, ") == 1);
  CHECK(count(v3, "i32x8 acc3 = splat_mask_i32x8(1);") == 1);
  CHECK(v3.find("in_range_i32x8(") > v3.find("} else {"));

  // If all variables of the loop have 64 bits, the mask has 64 bits per lane, so that no iteration converts it. If one of the variables has
  // 32 bits, the mask has 32 bits per lane.
  const std::string wide = kernel_for("x86-64-v3", text_of("f64", "i64"));
  CHECK(count(wide, "i64x4 acc3 = splat_mask_i64x4(1);") == 1);
  CHECK(count(innermost_loop(wide), "__builtin_convertvector") == 0);
  CHECK(count(kernel_for("x86-64-v3", text_of("f64", "i32")), "i32x4 acc3 = splat_mask_i32x4(1);") == 1);
  CHECK(count(kernel_for("aarch64", text_of("f32", "i32")), "if (__builtin_expect(!any_i32x4(acc3), 0)) break;") == 1);
}

TEST_CASE("G13.custom_vectors/c: variables that are bools are masks, and variables that exchange values need one name") {
  const std::string kernel = kernel_for("x86-64-v4", graph_of("x: f32[n]", "x", R"(
    let a = input0[ridx0]
    let b = f32(0)
    let is_odd = false
    while a < 100.0 {
      let next = a + b + 1.0
      b = a
      a = next
      is_odd = ~is_odd
    }
    output = where(is_odd, a, b))",
                                                              "f32[n]"));
  const std::string loop = innermost_loop(kernel);
  CAPTURE(loop);
  CHECK(count(kernel, "uint16_t acc2 = ") == 1);
  CHECK(count(loop, " acc0 = ") == 1);
  CHECK(count(loop, " acc1 = ") == 1);
  CHECK(count(loop, " acc2 = ") == 1);
  CHECK(count(loop, "const f32x16 alu") <= 1);
  CHECK(count(loop, "i32x16") == 0);
}

TEST_CASE("G13.custom_vectors/c: bodies whose elements are computed one by one") {
  CHECK(lanes_of("while output < input0[ridx0] { output = output + 1 }") == 16);
  CHECK(lanes_of("for k in 0 .. size(input3, 0) { output = output + input0[ridx0] * f32(input3[k]) }") == 16);
  // Counted loops are vectorised, whether their bounds depend on the index of the element, depend on data, or are the same for all
  // elements.
  CHECK(lanes_of("for k in 0 .. size(input3, 0) {\nlet q = input3[k] * 2\nfor l in k .. q { output = output + input0[ridx0] } }") == 16);
  CHECK(lanes_of("for k in 0 .. ridx0 { output = output * 1.5 }", "f32[n, 7]") == 8);
  CHECK(lanes_of("for k in ridx0 .. ridx0 + size(input3, 0) { output = output * 1.5 }") == 16);
  // The numbers of iterations are vectors of i64, so there are 8 lanes.
  CHECK(lanes_of("for k in 0 .. ridx0 { output = output * 1.5 }") == 8);
  CHECK(lanes_of("for k in i64(input0[ridx0]) .. 9 { output = output * 1.5 }") == 8);
  CHECK(lanes_of("let n = 3\nif input0[ridx0] > 0 { n = 5 }\nfor k in 0 .. n { output = output * 1.5 }") == 8);
  CHECK(lanes_of("for k in ridx0 .. 2 * ridx0 + 1 { output = output * 1.5 }") == 8);
  // A body is not vectorised if one of its indices may be out of range, or if the lanes load elements that are not adjacent.
  CHECK(lanes_of("while output < input0[ridx0 + 1] { output = output + 1 }") == 1);
  CHECK(lanes_of("for k in 0 .. 3 { output = output + input0[minimum(ridx0 + k, shape0 - 1)] }") == 1);  // not adjacent
  CHECK(lanes_of("for k in 0 .. 3 { if ridx0 + k < shape0 { output = output + input0[ridx0 + k + 1] } }") == 1);
  CHECK(lanes_of("for k in 0 .. 3 { if (ridx0 >= k) | (k > 1) { output = output + input0[ridx0 - k] } }") == 1);
  CHECK(lanes_of("for k in 0 .. 3 {\nif ridx0 < k { output = 0.0 }\noutput = output + input0[ridx0 - k]\n}") == 1);
  CHECK(lanes_of("while output < input0[input2[ridx0]] { output = output + 1 }") == 1);
  // A body with a local array is vectorised if all lanes access the same element of it, if the index is known to be inside the array, and
  // if the array has at most 64 elements.
  const auto with_array = [](const std::string& length, const std::string& index) {
    return lanes_of("let a = f32[" + length + "]\nfor k in 0 .. 4 { a[" + index + "] = input0[ridx0] }\noutput = a[0]");
  };
  CHECK(with_array("4", "k") == 16);
  CHECK(with_array("4", "3 - k") == 16);
  CHECK(with_array("7", "2 * k") == 16);
  CHECK(with_array("64", "k") == 16);
  CHECK(with_array("65", "k") == 1);
  CHECK(with_array("4", "k + 1") == 1);
  CHECK(with_array("6", "2 * k") == 1);
  CHECK(with_array("4", "ridx0 % 4") == 1);
  CHECK(with_array("4", "input2[ridx0] & 3") == 1);
  CHECK(lanes_of("let a = f32[4]\nfor k in 0 .. 9 { if k < 4 { a[k] = input0[ridx0] } }\noutput = a[2]") == 1);
  CHECK(lanes_of("let a = f64[4]\nfor k in 0 .. 4 { a[k] = f64(k) }\noutput = f32(a[2])") == 8);
  CHECK(lanes_of("let a = f32[4]\nlet b = i32(0)\nfor k in 0 .. 4 { if a[k] > 0 { b = b + 1 } }\noutput = f32(b)") == 16);
  // In the first case, the lanes would read different rows of input1, whose elements are not adjacent in memory. In the second case, all
  // lanes read the same element.
  CHECK(lanes_of("for k in 0 .. size(input1, 1) { output = output + input1[ridx0, k] }") == 1);
  CHECK(lanes_of("for k in 0 .. size(input1, 1) { output = output + input1[ridx0, k] }", "f32[n, 5]") == 8);
  // In the first two bodies all active lanes read the same element, but some lanes may be inactive, so the bodies are not vectorised.
  CHECK(lanes_of("for k in 0 .. 9 { if k < ridx0 { output = output + input0[k] } }") == 1);
  CHECK(lanes_of("for k in 0 .. ridx0 { output = output + input0[k] }") == 1);
  CHECK(lanes_of("for k in 0 .. 9 { if k < shape0 { output = output + input0[k] } }") == 16);
  // divisions of integers
  CHECK(lanes_of("let v = input2[ridx0]\nwhile v > 1 { v = v // 3 }\noutput = f32(v)") == 1);
  CHECK(lanes_of("let v = input2[ridx0]\nwhile v > 1 { v = v % 3 }\noutput = f32(v)") == 1);
  CHECK(lanes_of("let v = input0[ridx0]\nwhile v > 1.0 { v = v // 3.0 }\noutput = v") == 16);
  CHECK(lanes_of("for k in 0 .. 9 { output = output + f32(k % 4) }") == 16);  // the integer k % 4 is the same in all lanes
  std::string longest = "while output < input0[ridx0] {\n";
  for (int i = 0; i < 300; ++i) longest += "output = output + 1.5\n";
  CHECK(lanes_of(longest + "}") == 16);
  for (int i = 0; i < 300; ++i) longest += "output = output + 1.5\n";
  CHECK(lanes_of(longest + "}") == 1);
}

namespace {

/// Bodies whose indices are known to be inside their arrays, either because of the ranges of the indices or because of conditions. x has as
/// many elements as the result, y has two more, and c any number.
constexpr const char* kInside[] = {
    "for k in 0 .. 3 { output = output * 0.5 + input1[ridx0 + k] }",
    "for k in 0 .. 3 {\nlet j = ridx0 + 2 - k\noutput = output * 0.5 + input1[j] * f32(j)\n}",
    "for k in 0 .. 5 {\nlet j = ridx0 + k - 2\nif (j >= 0) & (j < shape0) { output = output * 0.5 + input0[j] }\n}",
    "for k in 0 .. 5 {\nlet j = ridx0 - k\nif 0 > j { break }\noutput = output * 0.5 + input0[j]\n}",
    "for k in 0 .. 5 {\nif ~(ridx0 + k < shape0) { output = output + 1.5 } else { output = output * 0.5 + input0[ridx0 + k] }\n}",
    "for k in 0 .. 5 { if (ridx0 < k) | (k > 3) { output = output - 1.0 } else { output = output * 0.5 + input0[ridx0 - k] }\n}",
    "for k in ridx0 - 2 .. ridx0 + 3 { if (k >= 0) & (k < shape0) { output = output * 0.5 + input0[k] * f32(k) } }",
    "for k in ridx0 .. ridx0 + 3 {\nfor l in k - 1 .. k + 1 { if l >= 0 { output = output * 0.5 + input1[l] } }\n"
    "if output > 900.0 { break }\n}",
    "if input0[ridx0] > 500.0 { for k in ridx0 .. ridx0 + 3 { output = output * 0.5 + input1[k] } }",
    "for k in 0 .. 9 { if k < size(input2, 0) { output = output * 0.5 + input2[k] * input0[ridx0] } }",
    "if ridx0 < size(input2, 0) { for k in 0 .. 4 { output = output * 0.5 + input2[ridx0] }\nwhile output < 40.0 { output = output * 1.5 + "
    "abs(input2[ridx0]) + 1 } }",
    "for k in 0 .. 3 { for l in k .. 3 { output = output * 0.5 + input1[ridx0 + l - k] } }",
    "while output < 90.0 {\noutput = output * 1.5 + abs(input0[shape0 - 1 - ridx0]) + 1\nif ridx0 >= size(input2, 0) { break }\n"
    "output = output + abs(input2[ridx0])\n}",
};

}  // namespace

TEST_CASE("G13.custom_vectors/c: indices that are proven to be inside their arrays are not checked") {
  const Backends backends;
  const std::string inputs = "x: f32[n], v: f32[n + 2], c: f32[k]";
  std::vector<Values<float>> arrays;
  for (const int64_t size : {1, 3, 16, 37})
    for (const int64_t others : {0, 5, 40})
      for (const int64_t count : {size, size + 2, others}) arrays.push_back(rough({count}, static_cast<uint32_t>(arrays.size())));
  std::vector<std::vector<Buffer>> sets;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (i % 3 == 0) sets.emplace_back();
    sets.back().push_back(wrap(backends.context(), arrays[i].items, arrays[i].dims));
  }
  for (const char* body : kInside) {
    CAPTURE(std::string(body));
    CHECK(lanes_of("x86-64-v4", inputs, "x, v, c", body, "f32[n]") == 16);
    run_each(backends.context(), graph_of(inputs, "x, v, c", "\n" + std::string(body) + "\n", "f32[n]"), sets);
  }
  // The example of a custom function in docs/text-format.md.
  const std::string smooth = R"(
    let sum = f32(0)
    for k in 0 .. 3 {
      let j = ridx1 + k - 1
      if (j >= 0) & (j < shape1) { sum = sum + input0[ridx0, j] * input1[k] }
    }
    output = sum)";
  CHECK(lanes_of("x86-64-v4", "x: f32[n, m], w: f32[3]", "x, w", smooth, "f32[n, m]") == 16);
  for (const int64_t columns : {1, 16, 37})
    backends.run(graph_of("x: f32[n, m], w: f32[3]", "x, w", smooth, "f32[n, m]"), rough({3, columns}, 1), rough({3}, 2));
  // The body computes a window over two axes.
  const std::string window = "for i in 0 .. 3 { for j in 0 .. 3 { output = output + input0[ridx0 + i, ridx1 + j] * input1[i, j] } }";
  CHECK(lanes_of("x86-64-v4", "x: f32[66, 66], w: f32[3, 3]", "x, w", window, "f32[64, 64]") == 16);
  backends.run(graph_of("x: f32[66, 66], w: f32[3, 3]", "x, w", window, "f32[64, 64]"), rough({66, 66}, 1), rough({3, 3}, 2));
}

TEST_CASE("G13.custom_vectors/c: the steps until points escape") {
  const Context context = make_context();
  const auto check = [&]<class T>(const std::string& dtype, const std::string& counter, T) {
    std::vector<std::vector<T>> axes;  // two lists for each set of inputs: the coordinates of the columns, then those of the rows
    for (const int size : {1, 2, 3, 1, 4, 3, 15, 1, 16, 2, 17, 3, 50, 2, 20, 0, 0, 4}) {
      axes.emplace_back();
      for (int i = 0; i < size; ++i) axes.back().push_back(static_cast<T>(i) / static_cast<T>(size) * 2 - 1);
    }
    std::vector<std::vector<Buffer>> sets;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (i % 2 == 0) sets.emplace_back();
      sets.back().push_back(wrap(context.get(), axes[i], {static_cast<int64_t>(axes[i].size())}));
    }
    run_each(context.get(), graph_of("x: " + dtype + "[m], v: " + dtype + "[n]", "x, v", mandelbrot(dtype, counter), counter + "[n, m]"),
             sets);
  };
  check("f32", "i32", 0.0f);
  check("f64", "i64", 0.0);
}

TEST_CASE("G13.custom_vectors/c: each lane leaves its loop by itself and keeps what it had") {
  std::vector<Inputs> all;
  std::vector<Integers> until, steps, nested;
  for (const int size : {1, 3, 8, 16, 17, 67}) {
    all.push_back(of_size(size));
    const auto& [a, b, c] = all.back();
    until.emplace_back(), steps.emplace_back(), nested.emplace_back();
    for (size_t i = 0; i < a.size(); ++i) {
      until.back().push_back(std::min(std::max(a[i], 1), 10));
      int32_t x = a[i] + 1, taken = 0;
      for (; x > 1; ++taken) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      steps.back().push_back(taken);
      int32_t out = 0;
      for (int32_t round = 0; round < (a[i] & 3); ++round)
        for (const int32_t k : c) {
          if (k > b[i]) break;
          int32_t w = 0;
          while (w < k) {
            w += 2;
            if (w == a[i]) break;
          }
          out = out * 3 + w;
        }
      nested.back().push_back(out);
    }
  }
  // The only variable of the loop also changes in the iteration in which a lane breaks.
  CHECK(results_of("for k in 0 .. 10 {\noutput = output + 1\nif output >= input0[ridx0] { break }\n}", all) == until);
  CHECK(results_of(R"(
    let x = input0[ridx0] + 1
    while x > 1 {
      if x & 1 == 0 { x = x >> 1 } else { x = 3 * x + 1 }
      output = output + 1
    })",
                   all) == steps);
  CHECK(results_of(R"(
    let rounds = i32(0)
    while rounds < input0[ridx0] & 3 {
      for k in 0 .. size(input2, 0) {
        if input2[k] > input1[ridx0] { break }
        let w = i32(0)
        while w < input2[k] {
          w = w + 2
          if w == input0[ridx0] { break }
        }
        output = output * 3 + w
      }
      rounds = rounds + 1
    })",
                   all) == nested);
}

TEST_CASE("G13.custom_vectors/c: loops in branches, loops that no lane enters, and loops of no iterations") {
  constexpr const char* kBodies[] = {
      "if input0[ridx0] > 3 { for k in 0 .. 5 { output = output * 2 + input1[ridx0] + i32(k) } } else { output = i32(ridx0) }",
      "if input0[ridx0] > 100 { for k in 0 .. 1000000000 { output = output * 3 + 1 } }\noutput = output + 1",
      "while input0[ridx0] > 100 { for k in 0 .. 1000000000 { output = output * 3 + 1 } }\noutput = output + 1",
      "for k in 0 .. size(input2, 0) - 9 { output = output + 1\nif input0[ridx0] > 3 { break } }\noutput = output - 2",
      "for k in 0 .. 4 { output = output + 1\nbreak }\nwhile input1[ridx0] > 2 { output = output + 5\nbreak }",
      ("for k in 0 .. 9 {\nif input0[ridx0] == i32(k) { break } else if input1[ridx0] == i32(k) {\noutput = output + 100\nbreak\n}\n"
       "output = output + 1\nfor l in 0 .. 3 {\nif i32(l) > input1[ridx0] { break }\noutput = output + 10 }\n}"),
      // bounds that differ
      "for i in input1[ridx0] .. input0[ridx0] { output = output * 3 + i32(i) }",
      "for i in 0 .. ridx0 % 5 { for k in i .. i64(input0[ridx0]) {\noutput = output + i32(k * 2 - i)\nif output > 50 { break }\n} }",
      "let x = i64(input0[ridx0])\nfor k in x - 3 .. x + i64(input1[ridx0]) {\nx = x + 1\noutput = output * 2 + i32(x + k)\n}",
      "if input0[ridx0] > 3 { for k in ridx0 .. 2 * ridx0 {\nif k > 20 { break }\noutput = output + i32(k) } }",
      // both variables of the loop change in the same iteration
      "let a = i32(0)\nlet b = i32(1)\nwhile a < input0[ridx0] {\nlet next = a + b\na = b\nb = next\n}\noutput = a * 1000 + b",
  };
  for (const char* body : kBodies) results_of(body, {of_size(1), of_size(4), of_size(16), of_size(37)});
  CHECK(results_of(kBodies[1], {of_size(20)}) == std::vector<Integers>{Integers(20, 1)});
}

TEST_CASE("G13.custom_vectors/c: local arrays have an element for each lane") {
  constexpr const char* kBodies[] = {
      ("let w = i32[4]\nfor k in 0 .. 4 { w[k] = input0[ridx0] * i32(k) + input1[ridx0] }\n"
       "for k in 0 .. 4 { output = output * 3 + w[3 - k] }"),
      // sorts five numbers in a local array by exchanging neighbours
      ("let w = i32[5]\nfor k in 0 .. 5 { w[k] = (input0[ridx0] * i32(7 * k + 3) + input1[ridx0]) & 15 }\n"
       "for i in 0 .. 4 { for k in 0 .. 4 {\nif w[k] > w[k + 1] {\nlet t = w[k]\nw[k] = w[k + 1]\nw[k + 1] = t\n} } }\n"
       "for k in 0 .. 5 { output = output * 16 + w[k] }"),
      // An array that is changed in some lanes only: in those that take a branch, and in those that have not left the loop.
      ("let w = i32[3]\nif input0[ridx0] > 3 { w[1] = 5 } else { w[2] = input1[ridx0] }\n"
       "while w[0] < input0[ridx0] {\nw[0] = w[0] + 1\nif w[0] + w[1] > 8 { break }\nw[2] = w[2] * 2 + w[0]\n}\n"
       "output = w[0] * 10000 + w[1] * 1000 + w[2]"),
      // The array w is declared in the loop, so each iteration starts with zeros. The variable `before` keeps the value that was read from
      // old[0], although old[0] then changes.
      ("let old = i32[1]\nfor k in 0 .. 4 {\nlet w = i32[2]\nlet before = old[0]\nold[0] = old[0] + input1[ridx0]\n"
       "w[0] = w[0] + w[1] + before\noutput = output * 2 + w[0]\n}"),
      // a local array of bools, and one of u8, whose elements wrap around modulo 2^8
      ("let seen = bool[3]\nlet small = u8[2]\nseen[1] = input0[ridx0] > 4\nfor k in 0 .. 3 {\nseen[2] = seen[2] ^ seen[k]\n"
       "seen[0] = ~seen[1]\nsmall[1] = small[1] * u8(3) + u8(input0[ridx0] + 200)\n}\n"
       "output = where(seen[2], i32(small[1]), -i32(small[1]))\nif seen[0] { output = output + 1000 }"),
  };
  for (const char* body : kBodies) {
    CAPTURE(std::string(body));
    CHECK(lanes_of("x86-64-v4", "a: i32[n], b: i32[n], c: i32[k]", "a, b, c", body, "i32[n]") == 16);
    results_of(body, {of_size(1), of_size(4), of_size(16), of_size(37)});
  }
  // Each element of the array is a vector.
  const std::string kernel = kernel_for("x86-64-v4", graph_of("x: f32[n]", "x", R"(
    let w = f32[3]
    for k in 0 .. 3 { w[k] = input0[ridx0] * f32(k) }
    for k in 0 .. 3 { output = output * 0.5 + w[2 - k] })",
                                                              "f32[n]"));
  CHECK(count(kernel, "f32x16 acc0[3] ") == 1);
}

TEST_CASE("G13.custom_vectors/c: variables of every dtype, operations that are undefined in C, and functions") {
  const Backends backends;
  const Values<float> x = rough({37}, 3);
  const std::string body = R"(
    let v = abs(input0[ridx0]) + 1
    let root = v
    let previous = f32(0)
    let wide = f64(input0[ridx0])
    let half = f16(input0[ridx0]) * f16(0.001)
    let steps = u8(250)
    let small = i16(ridx0 * 1000)
    let is_odd = false
    while (root != previous) & (steps != u8(4)) {
      previous = root
      root = (root + v / root) * 0.5
      wide = sin(wide) * f64(steps)
      small = small * i16(3) << i16(ridx0)
      steps = steps + 1
      is_odd = ~is_odd
      if is_odd & (half > f16(1)) { break }
      half = half * f16(1.25)
    }
    let quotient = i32(ridx0) // i32(minimum(input0[ridx0], 0))
    output = )";
  for (const char* output : {"root", "f32(wide)", "f32(steps)", "f32(small)", "f32(i64(f32(wide) * 1e30))", "f32(quotient)",
                             "where(is_odd, f32(half), -f32(half))"})
    backends.run(graph_of("x: f32[n]", "x", body + std::string(output) + "\n", "f32[n]"), x);
  // Stores of dtypes of every width. The lengths leave a partial vector at the end.
  for (const std::string dtype : {"bool", "i8", "u16", "f16", "bf16", "i32", "f32", "u64", "f64"}) {
    CAPTURE(dtype);
    const std::string text = graph_of("x: f32[n]", "x", R"(
    let a = input0[ridx0]
    for k in 0 .. 4 {
      a = a * 1.5 - 2.0
      if a > 9.0 { break }
    }
    output = )" + dtype + "(maximum(minimum(a, 100), 0))\n",
                                      dtype + "[n]");
    backends.run(text, whole<float>({37}, 1));
    backends.run(text, whole<float>({6}, 2));
  }
}

TEST_CASE("G13.custom_vectors/c: arrays that are computed where they are loaded, also at positions that are not adjacent") {
  const Backends backends;
  constexpr std::pair<const char*, int> kArrays[] = {{"flip(x)", 60},
                                                     {"x[::2]", 30},
                                                     {"pad(x, before=[2], after=[3])", 65},
                                                     {"concat([x, exp(x)], axis=0)", 120},
                                                     {"x * 2 + 1", 60},
                                                     {"reshape(permute(reshape(x, shape=[3, 20]), axes=[1, 0]), shape=[60])", 60}};
  for (const std::pair<const char*, int>& array : kArrays) {
    CAPTURE(array.first);
    const std::string text = std::string("graph g(x: f32[60]) {\n  a = ") + array.first + R"(
  return y = custom_function(a, body="""
    let k = i32(0)
    while k < 9 {
      output = output * 0.5 + input0[ridx0]
      k = k + 1
      if output > 900.0 { break }
    }
  """, dtype=f32, shape=[)" + std::to_string(array.second) +
                             "])\n}";
    backends.run(text, rough({60}, 1));
  }
}

TEST_CASE("G13.custom_vectors/c: a schedule cannot ask for vectors where the body does not allow them") {
  const Context context = make_context();
  const auto mistake = [&](const std::string& count, const char* schedule) {
    const Graph graph = parse(
        context.get(),
        "harp 1\n" + graph_of("x: f32[n, m]", "x", "let v = i64(3)\nwhile v > 0 { v = " + count + " }\noutput = f32(v)", "f32[n, m]"));
    return schedule_mistake(graph.get(), schedule);
  };
  CHECK(
      mistake("v // (ridx1 + 2)", "kernel_0: custom [thread, sequential simd=4]").find("simd belongs on no axis: vectors cannot compute") !=
      std::string::npos);
  CHECK(mistake("v - 1", "kernel_0: custom [thread simd=4, sequential]").find("axis 0 has simd=4; simd belongs on the last kept axis") !=
        std::string::npos);
}

TEST_CASE("G13.custom_vectors/c: any number of lanes gives the same bits") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_of("x: f32[m], v: f32[n]", "x, v", mandelbrot("f32", "i32"), "i32[n, m]"));
  REQUIRE(graph != nullptr);
  const Program interpreted = compile(graph.get(), "interp");
  for (const int lanes : {2, 4, 8, 16, 32, 64}) {
    CAPTURE(lanes);
    const std::string schedule = "kernel_0: custom [thread, sequential simd=" + std::to_string(lanes) + "]";
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
      compile_quickly(o);
      o.schedule = schedule.c_str();
    });
    for (const int64_t columns : {5, 64, 71}) {
      std::vector<float> x, y = {-0.9f, 0.1f, 0.6f};
      for (int64_t i = 0; i < columns; ++i) x.push_back(static_cast<float>(i) / static_cast<float>(columns) * 2 - 1);
      const Buffer first = wrap(context.get(), x, {columns}), second = wrap(context.get(), y, {3});
      const std::vector<Buffer> expected = run(interpreted.get(), {first.get(), second.get()}),
                                out = run(program.get(), {first.get(), second.get()});
      for (size_t i = 0; i < out.size(); ++i) CHECK(same_bits(expected.at(i).get(), out.at(i).get()));
    }
  }
}
