// Tests maxima and minima along rows, by vector instructions with a separate detection of NaN (lower/reduce_lanes.cpp), and along columns,
// where the rows may be combined in any order (lower/reduce_columns.cpp). A NaN must be found wherever it is, and +0 counts as greater than
// -0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Rows in which every element is `usual`, except that row i has `odd` in column position(i), if the row has that column.
template <class T, class ColumnOfRow>
Values<T> rows_with(int64_t rows, int64_t columns, T usual, T odd, ColumnOfRow position) {
  Values<T> x{std::vector<T>(static_cast<size_t>(rows * columns), usual), {rows, columns}};
  for (int64_t i = 0; i < rows; ++i)
    if (position(i) < columns) x.items[static_cast<size_t>(i * columns + position(i))] = odd;
  return x;
}

/// Checks rows of many lengths; the length is a constant in the graph (`is_known`) or a variable.
template <class T>
void check_all(const char* dtype, bool is_known) {
  const Backends backends;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for (const int64_t columns : {1, 40, 64, 257, 300, 1000, 1024, 4097}) {
    const std::string text = std::string("graph g(x: ") + dtype + "[m, " + (is_known ? std::to_string(columns) : "n") +
                             "]) {\n  return a = max(x, axes=[1]), b = min(x, axes=[1]), c = max(x, axes=[0]), d = min(x, axes=[0]), e = " +
                             "max(x), f = min(x)\n}";
    CAPTURE(text);
    // The returned column may be beyond the last one; the row then has no odd element.
    const auto anywhere = [&](int64_t row) { return row * 37 % (columns + 5); };
    const auto at_the_end = [&](int64_t row) { return columns - 1 - row; };
    for (const auto& [usual, odd] :
         {std::pair<T, T>{1, nan}, {-1, -nan}, {-inf, nan}, {inf, nan}, {T(-0.0), T(0.0)}, {T(0.0), T(-0.0)}, {nan, 1}}) {
      backends.run(text, rows_with<T>(29, columns, usual, odd, anywhere));
      backends.run(text, rows_with<T>(std::min<int64_t>(columns, 70), columns, usual, odd, at_the_end));
    }
  }
}

/// Checks that the outputs equal the interpreter's bit for bit with this schedule of kernel_0.
void check_schedule(const std::string& text, const char* schedule, const Values<float>& x) {
  CAPTURE(text);
  CAPTURE(schedule);
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  Values<float> values = x;
  const Buffer input = wrap(context.get(), values.items, values.dims);
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {input.get()});
  const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
    o.schedule = schedule;
    if (!is_sampled(text + schedule)) compile_quickly(o);
  });
  REQUIRE(program != nullptr);
  const std::vector<Buffer> outputs = run(program.get(), {input.get()});
  for (size_t i = 0; i < outputs.size(); ++i) CHECK_MESSAGE(same_bits(outputs[i].get(), expected[i].get()), "output ", i);
}

/// Returns the number of bytes of all float arrays that the C code generated for a graph has on the stack.
size_t frame_bytes(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  const std::string source = source_for("x86-64-v4", graph.get());
  const std::regex array("\\n +float \\w+\\[(\\d+)\\]");
  size_t bytes = 0;
  for (auto match = std::sregex_iterator(source.begin(), source.end(), array); match != std::sregex_iterator(); ++match)
    bytes += sizeof(float) * std::stoul((*match)[1]);
  return bytes;
}

}  // namespace

TEST_CASE("G3.max/interp,c G3.min/interp,c L6: a NaN is found wherever it is among numbers, and +0 is greater than -0") {
  for (const bool is_known : {false, true}) {
    check_all<float>("f32", is_known);
    check_all<double>("f64", is_known);
  }
}

TEST_CASE("G3.max/c G3.min/c G3.sum/c G3.any/c L6: rows that may come in any order are read as several streams") {
  const Backends backends;
  const std::string text =
      "graph g(x: f32[m, n]) {\n  i = cast(x * 100, dtype=i32)\n  return a = max(x, axes=[0]), b = min(x, axes=[0]), c = max(abs(x), "
      "axes=[0]), d = sum(i, axes=[0]), e = prod(i, axes=[0]), f = any(x > 2, axes=[0])\n}";
  for (const int64_t rows : {1, 5, 6, 7, 35, 600})
    for (const int64_t columns : {1, 130, 1000, 3000}) backends.run(text, rough({rows, columns}, 1));
  backends.run(
      "graph g(x: i32[300, 1000], y: f32[300, 1000]) {\n  return a = sum(x, axes=[0]), b = max(y, axes=[0]), c = max(y, axes=[0, 1])\n}",
      Values<int32_t>{std::vector<int32_t>(300000, 1 << 30), {300, 1000}}, rough({300, 1000}, 2));
}

/// Returns the text of a graph with one reduction. Only kernels with a single reduction read parts of a row as interleaved streams.
std::string reduction(const std::string& input, const std::string& result) {
  return "graph g(x: " + input + ") {\n  return y = " + result + "\n}";
}

/// Returns whether the default schedule contains this word.
bool is_scheduled(const std::string& text, const char* word) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  return source_for("x86-64-v4", graph.get()).find(word) != std::string::npos;
}
/// Returns whether the kernel interleaves two rows, or two parts of a row.
bool is_interleaved(const std::string& text) { return is_scheduled(text, "unroll=2"); }

TEST_CASE("G3.sum/c G3.max/c G3.min/c L6: rows are read as several streams, of any number of rows") {
  const Backends backends;
  for (const std::string shape : {"m, n", "m, 512", "m, 1000", "m, 1024", "11, 1024"})
    for (const std::string op : {"sum", "max", "min"}) {
      const std::string text = reduction("f32[" + shape + "]", op + "(x, axes=[1])");
      CAPTURE(text);
      const bool shares_lines = shape == "m, 1000", uses_nan_flag = is_scheduled(text, " nan_flag */");
      CHECK(is_interleaved(text) == (op == "sum" || uses_nan_flag || !shares_lines));
      const int64_t columns = shape == "m, n" ? 700 : std::atoi(shape.c_str() + shape.find(' '));
      for (const int64_t rows : {1, 2, 9, 17, 64})
        if (shape[0] == 'm' || rows == 9) backends.run(text, rough({shape[0] == 'm' ? rows : 11, columns}, 1));
    }
  check_schedule(reduction("f32[31, 300]", "max(x, axes=[1])"), "kernel_0: reduce [thread unroll=7, reduce simd=16] partition overlap",
                 rough({31, 300}, 7));
}

TEST_CASE("G3.sum/c G3.max/c G3.min/c L6: parts of a long row are read as several streams, and a NaN is found in each") {
  const Backends backends;
  for (const std::string type : {"f32", "f64"})
    for (const std::string op : {"sum", "max", "min"}) {
      const std::string text = reduction("f32[n]", op + "(" + (type == "f32" ? "x" : "cast(x, dtype=f64)") + ")");
      CAPTURE(text);
      if (type == "f32") CHECK(is_interleaved(text));
      // These lengths are below and above one block of 4096 elements, and such that a sum has one, two or more groups of 128 blocks.
      for (const int64_t length : {60, 4160, 9000, 524288, 530000, 1100000}) {
        Values<float> x = rough({length}, 3);
        backends.run(text, x);
        for (const int64_t position : {length / 3, length / 2 + 70, length - 1}) {
          x.items[static_cast<size_t>(std::min(position, length - 1))] = std::numeric_limits<float>::quiet_NaN();
          backends.run(text, x);
          x.items[static_cast<size_t>(std::min(position, length - 1))] = 1;
        }
      }
    }
  backends.run(reduction("i32[m, n]", "sum(x, axes=[1])"), Values<int32_t>{std::vector<int32_t>(3 * 9001, 1 << 30), {3, 9001}});
  for (const char* schedule : {"kernel_0: reduce [thread, reduce unroll=3 simd=16] partition overlap",
                               "kernel_0: reduce [thread, reduce unroll=4 simd=4] partition",
                               "kernel_0: reduce [thread, reduce unroll=2 simd=16] partition overlap"}) {
    check_schedule(reduction("f32[m, n]", "sum(x, axes=[1])"), schedule, rough({2, 1100000}, 5));
    for (const char* extreme : {"max(x, axes=[1])", "min(x, axes=[1])"})
      for (const int64_t columns : {300, 512, 4160, 9000})
        check_schedule(
            reduction("f32[m, n]", extreme), schedule,
            rows_with<float>(40, columns, 1, std::numeric_limits<float>::quiet_NaN(), [&](int64_t row) { return row * columns / 39; }));
  }
}

TEST_CASE("G3.sum/c L3 L6 H5: steps of columns that do not divide a page give the same bits") {
  const std::string sums = "graph g(x: f32[3, 2000]) {\n  return y = sum(x, axes=[0]), z = max(x, axes=[0])\n}";
  for (const char* schedule : {"kernel_0: reduce [thread tile=2048 unroll=3 simd=16, reduce] partition overlap",
                               "kernel_0: reduce [thread unroll=3 simd=16, reduce] partition",
                               "kernel_0: reduce [thread tile=8192 unroll=64 simd=16, reduce] partition overlap",
                               "kernel_0: reduce [thread tile=8192 unroll=33 simd=4, reduce] overlap"})
    check_schedule(sums, schedule, rough({3, 2000}, 1));
  check_schedule("graph g(x: f32[30, 5000]) {\n  return y = sum(x, axes=[0])\n}",
                 "kernel_0: reduce [thread tile=8192 unroll=7 simd=16, reduce] partition overlap", rough({30, 5000}, 1));
}

TEST_CASE("G3.sum/c L6 X2: sums of rows of whole pages use little stack") {
  CHECK(frame_bytes("graph g(x: f32[300, 1024]) {\n  return y = sum(x, axes=[0])\n}") <= 8192);
  std::string eight = "graph g(z: f32[200, 1024]) {\n  x = slice(z, start=[0, 0], stop=[200, 256])\n  return ";
  for (int i = 0; i < 8; ++i) eight += (i ? ", s" : "s") + std::to_string(i) + " = sum(x * " + std::to_string(i + 2) + ", axes=[0])";
  CHECK(frame_bytes(eight + "\n}") <= 8192);
  Backends().run(eight + "\n}", rough({200, 1024}, 1));
}

TEST_CASE("G3.max/interp,c G3.min/interp,c L6: one instruction for the max or min of two vectors of integers") {
  const Backends backends;
  for (const char* const dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}) {
    CAPTURE(dtype);
    const std::string text = std::string("graph g(s: i8[n, 150], t: i8[n, 150]) {\n  x = cast(s, dtype=") + dtype +
                             ")\n  z = cast(t, dtype=" + dtype +
                             ")\n  return a = max(x, axes=[1]), b = min(x, axes=[1]), c = max(x, axes=[0]), d = min(x, axes=[0]), " +
                             "e = maximum(x, z), f = minimum(x, z)\n}";
    backends.run(text, whole<int8_t>({33, 150}, 1), whole<int8_t>({33, 150}, 2));
  }
  const auto calls = [](const std::string& dtype, const char* row, const char* builtin) {
    const Context context = make_context();
    const Graph graph =
        parse(context.get(), "harp 1\ngraph g(x: " + dtype + "[n, 1000]) { return y = max(x, axes=[1]), z = min(x, axes=[1]) }");
    REQUIRE(graph != nullptr);
    return source_for(row, graph.get()).find(builtin) != std::string::npos;
  };
  CHECK(calls("u8", "x86-64-v4", "__builtin_ia32_pmaxub512_mask"));
  CHECK(calls("i8", "x86-64-v3", "__builtin_ia32_pminsb256"));
  CHECK(calls("i16", "x86-64-v2", "__builtin_ia32_pmaxsw128"));
  CHECK(calls("u16", "x86-64-v4", "__builtin_ia32_pminuw512_mask"));
  CHECK(calls("u32", "x86-64-v3", "__builtin_ia32_pmaxud256"));
  CHECK_FALSE(calls("u8", "x86-64", "__builtin_ia32_pmaxub128"));
  CHECK_FALSE(calls("u8", "aarch64", "__builtin_ia32_"));
}
