// Tests indices out of range. The compile option check_indices and the operation check_index must report the same index with the same
// message on every backend, for every vector width and number of workers. If all indices are in range, the checks must not change any
// result.
#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

constexpr Way kWaysAndWidths[] = {{"interp", 0, 0}, {"c", 0, 0}, {"c", 0, 1}, {"c", 0, 4}, {"c", 1, 0}};

/// A parallel_for that runs pieces of the range in reverse order; the pieces get three worker numbers in rotation.
void backwards(void*, size_t n, size_t, harp_range_body body, void* arg) {
  const size_t piece = n / 7 + 1;
  for (size_t i = (n + piece - 1) / piece; i-- > 0;) body(arg, i * piece, std::min(n, (i + 1) * piece), i % 3);
}

Context with_workers() {
  return make_context([](harp_context_options& o) {
    o.parallel_for = backwards;
    o.width = 3;
  });
}

/// A compiled graph and its inputs. message() runs it and returns "" or the message of HARP_ERROR_RANGE.
class Checked {
 public:
  Checked(const Context& context, const std::string& text, const Way& way, bool check = true)
      : context_(context.get()), graph_(parse(context_, "harp 1\n" + text)) {
    program_ = compile(graph_.get(), way.backend, [&](harp_compile_options& o) {
      o.plain_text = way.plain;
      o.simd_width = way.width;
      o.check_indices = check;
      if (!is_sampled(harp::cat(text, way.plain, " ", way.width, check ? " checks" : ""))) compile_quickly(o);
    });
    REQUIRE(program_ != nullptr);
  }
  template <class... T>
  std::string message(Values<T>... inputs) {
    std::vector<Buffer> wrapped;
    (wrapped.push_back(wrap(context_, inputs.items, inputs.dims)), ...);
    std::vector<harp_buffer*> handles;
    for (const Buffer& buffer : wrapped) handles.push_back(buffer.get());
    ErrorSlot err;
    outputs_ = run(program_.get(), handles, err);
    if (!outputs_.empty()) return "";
    CHECK(err.code() == HARP_ERROR_RANGE);
    return err.message();
  }
  harp_program* program() const { return program_.get(); }
  const std::vector<Buffer>& outputs() const { return outputs_; }

 private:
  harp_context* context_;
  Graph graph_;
  Program program_;
  std::vector<Buffer> outputs_;
};

template <class T>
Values<T> list(std::vector<T> items) {
  const auto count = static_cast<int64_t>(items.size());
  return {std::move(items), {count}};
}
template <class T>
Values<T> counted(int64_t n, int64_t modulus) {
  Values<T> values{std::vector<T>(static_cast<size_t>(n)), {n}};
  for (int64_t i = 0; i < n; ++i) values.items[static_cast<size_t>(i)] = static_cast<T>(i % modulus);
  return values;
}

template <class T>
void check_dtype(const Context& context, const std::string& dtype, T outside, const std::string& shown) {
  CAPTURE(dtype);
  for (const Way& way : kWaysAndWidths) {
    CAPTURE(way.backend);
    CAPTURE(way.width);
    Checked take(context, "graph g(x: f32[7], i: " + dtype + "[m]) {\n  return y = take(x, i)\n}", way);
    Values<T> i = counted<T>(50, 7);
    CHECK(take.message(whole<float>({7}, 1), i) == "");
    i.items[37] = outside;
    CHECK(take.message(whole<float>({7}, 1), i) == "axis 0 of \"x\" has 7 elements, but element 37 of \"i\" asks for " + shown);
  }
}

}  // namespace

TEST_CASE("G14.take/interp,c: with check_indices an index of any dtype that names no element fails the run, which says which") {
  const Context context = make_context();
  check_dtype<int8_t>(context, "i8", -8, "-8");
  check_dtype<int16_t>(context, "i16", 7, "7");
  check_dtype<int32_t>(context, "i32", INT32_MIN, "-2147483648");
  check_dtype<int64_t>(context, "i64", INT64_MIN, "-9223372036854775808");
  check_dtype<uint16_t>(context, "u16", 65535, "65535");
  check_dtype<uint32_t>(context, "u32", UINT32_MAX, "4294967295");
  check_dtype<uint64_t>(context, "u64", UINT64_MAX, "9223372036854775807");  // indices above INT64_MAX are shown as INT64_MAX
}

TEST_CASE("G14.take,take_along_axis,scatter_add/interp,c G16: check_indices finds what every one of them is given") {
  const Context context = make_context();
  struct Row {
    std::string expression, words;
  };
  const std::string i = "element 3 of \"i\" asks for 5", j = "element 3 of \"j\" asks for -6";
  for (const Row& row :
       {Row{"take(x, i, axis=0)", "axis 0 of \"x\" has 5 elements, but " + i}, Row{"take(x, i, axis=1)", ""}, Row{"take(x, i)", ""},
        Row{"x[i]", "axis 0 of \"x\" has 5 elements, but " + i}, Row{"x[:, i]", ""}, Row{"take(x, j)", ""},
        Row{"slice(take(x, i, axis=0), stop=[2, none])", "axis 0 of \"x\" has 5 elements, but " + i},
        Row{"take_along_axis(x, expand(reshape(j, shape=[4, 1]), shape=[4, n]), axis=0)", "axis 0 of \"x\" has 5 elements, but " + j},
        Row{"scatter_add(x, expand(reshape(j, shape=[4, 1]), shape=[4, n]), slice(x, start=[0, 0], size=[4, n]), axis=0)",
            "scatter_add: axis 0 of \"x\" has 5 elements, but " + j},
        Row{"index_add(x, i, slice(x, start=[0, 0], size=[4, n]), axis=0)", "index_add: axis 0 of \"x\" has 5 elements, but " + i},
        Row{"one_hot(i, depth=3, dtype=i32)", ""}}) {
    CAPTURE(row.expression);
    for (const Way& way : kWaysAndWidths) {
      CAPTURE(way.backend);
      const std::string head = "graph g(x: f32[k, n], i: i32[4], j: i64[4]) {\n  return y = ";
      Checked checked(context, head + row.expression + "\n}", way);
      const std::string message = checked.message(whole<float>({5, 6}, 1), list<int32_t>({0, -1, -5, 5}), list<int64_t>({0, 4, -5, -6}));
      CHECK(message == row.words);
    }
  }
}

TEST_CASE("G14 G22.gather_nd,scatter_nd,scatter_reduce,max_unpool/interp,c: what is made of other operations is called by its own name") {
  const Context context = make_context();
  struct Row {
    std::string expression, words;
  };
  for (const Row& row :
       {Row{"gather_nd(x, t)", "gather_nd: axis 1 of \"x\" has 3 elements, but element 2 of \"t\"[..., 1] asks for 3"},
        Row{"gather_nd(x, t[:2])", ""}, Row{"gather_nd(x, t[:, :1])", ""},
        Row{"gather_nd(x, w)", "gather_nd: axis 0 of \"x\" has 2 elements, but element 1 of \"w\"[..., 0] asks for 9223372036854775807"},
        Row{"scatter_nd(x, t, u)", "scatter_nd: axis 1 of \"x\" has 3 elements, but element 2 of \"t\"[..., 1] asks for 3"},
        Row{"scatter_reduce(x, b, x, axis=1, reduction=\"mean\")",
            "scatter_reduce: axis 1 of \"x\" has 3 elements, but element 4 of \"b\" asks for -4"},
        Row{"real(scatter_add(complex_from_parts(x, x), b, x, axis=1))",
            // the message names the complex array, although real and imaginary parts are added separately
            "scatter_add: axis 1 of complex_from_parts #"},
        Row{"max_unpool(x, b, 2)", "max_unpool: a plane of the result has 6 elements, but element 4 of \"b\" asks for -7"},
        Row{"take(x, f)", "take: \"x\", flattened, has 6 elements, but element 1 of \"f\" asks for 6"}, Row{"x[:, f[0]]", ""}}) {
    CAPTURE(row.expression);
    for (const Way& way : kWaysAndWidths) {
      CAPTURE(way.backend);
      const std::string head =
          "graph g(x: f32[2, 3], t: i32[3, 2], w: u64[2, 1], u: f32[3], b: i64[2, 3], f: i16[2]) flags=[promote] {\n  return y = ";
      const std::vector<int64_t> b = {0, 1, 2, -3, row.expression.starts_with("max_unpool") ? int64_t{-7} : int64_t{-4}, 0};
      const auto message = [&](bool check) {
        Checked checked(context, head + row.expression + "\n}", way, check);
        return checked.message(whole<float>({2, 3}, 1), Values<int32_t>{{1, -3, -2, 2, 0, 3}, {3, 2}},
                               Values<uint64_t>{{1, UINT64_MAX}, {2, 1}}, whole<float>({3}, 1), Values<int64_t>{b, {2, 3}},
                               list<int16_t>({-1, 6}));
      };
      if (row.words.ends_with("#"))
        CHECK(message(true).starts_with(row.words));
      else
        CHECK(message(true) == row.words);
      CHECK(message(false) == "");
    }
  }
}

TEST_CASE("G14 G18.text: optional checks are written and read, and are not made unasked") {
  const Context context = make_context();
  const std::string text = "graph g(x: f32[n, 3], t: i32[m, 2]) {\n  return y = gather_nd(x, t)\n}";
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  const std::string printed = capi_test::take(harp_graph_print(graph.get(), nullptr));
  CHECK(printed.find("size=n, what=\"gather_nd: axis 0 of \\\"x\\\"\", asker=\"\\\"t\\\"[..., 0]\", optional=true)") != std::string::npos);
  const Graph again = parse(context.get(), printed);
  CHECK(capi_test::take(harp_graph_print(again.get(), nullptr)) == printed);
  const Checked off(context, text, {"c", 0, 0}, false);
  CHECK(capi_test::take(harp_program_source(off.program(), nullptr)).find("check_index") == std::string::npos);
}

TEST_CASE("G14.scatter_add/interp,c: of several faults the first in the graph counts, there the first element, whoever finds it") {
  const Context contexts[] = {make_context(), with_workers()};
  const std::string text =
      "graph g(x: f32[9], i: i32[m], j: i32[m], u: f32[m]) {\n  a = take(x, j)\n  return a, y = scatter_add(x, i, u), b = take(a, i)\n}";
  constexpr int64_t kMany = 100003;
  for (const Context& context : contexts)
    for (const Way& way : kWaysAndWidths) {
      CAPTURE(way.backend);
      CAPTURE(way.width);
      Checked checked(context, text, way);
      Values<int32_t> i = counted<int32_t>(kMany, 9), j = i;
      const Values<float> x = whole<float>({9}, 1), u = whole<float>({kMany}, 2);
      CHECK(checked.message(x, i, j, u) == "");
      for (const size_t at : {99999u, 70000u, 12345u, 12344u}) i.items[at] = 1000 + static_cast<int32_t>(at);
      CHECK(checked.message(x, i, j, u) == "scatter_add: axis 0 of \"x\" has 9 elements, but element 12344 of \"i\" asks for 13344");
      for (const size_t at : {100002u, 4096u}) j.items[at] = -10;
      CHECK(checked.message(x, i, j, u) == "axis 0 of \"x\" has 9 elements, but element 4096 of \"j\" asks for -10");
      i = j = counted<int32_t>(kMany, 9);  // after the error the program and its context still work
      CHECK(checked.message(x, i, j, u) == "");
    }
}

TEST_CASE("G14.take_along_axis/interp,c G17: every index is looked at, whatever is used of what is taken, in whatever kernel") {
  const Context context = make_context();
  const std::string inputs = "graph g(x: f32[m, n], i: i32[m, k], one: f32[m, 1]) {\n";
  for (const char* body :
       {"  t = take_along_axis(x, i, axis=1)\n  return y = t / expand(sum(t, axes=[1], keepdims=true), shape=[m, k])",
        "  return y = sum(exp(take_along_axis(x, i, axis=1)), axes=[1])",
        "  return y = slice(take_along_axis(x, i, axis=1), stop=[none, 1])", "  return y = cumsum(take_along_axis(x, i, axis=1), axis=1)"})
    for (const Way& way : kWaysAndWidths) {
      CAPTURE(body);
      CAPTURE(way.backend);
      Checked checked(context, inputs + body + "\n}", way);
      Values<int32_t> i{counted<int32_t>(5 * 300, 6).items, {5, 300}};
      const Values<float> x = rough({5, 6}, 1), one = whole<float>({5, 1}, 1);
      CHECK(checked.message(x, i, one) == "");
      i.items[4 * 300 + 299] = 6;
      CHECK(checked.message(x, i, one) == "axis 1 of \"x\" has 6 elements, but element 1499 of \"i\" asks for 6");
    }
  // An axis of one element is checked, although its only element would be the result for every index.
  for (const Way& way : kWaysAndWidths) {
    Checked checked(context, inputs + "  return y = sum(take_along_axis(one, i, axis=1), axes=[1])\n}", way);
    const Values<float> x = rough({5, 6}, 1), one = whole<float>({5, 1}, 1);
    CHECK(checked.message(x, Values<int32_t>{std::vector<int32_t>(100, -1), {5, 20}}, one) == "");
    CHECK(checked.message(x, Values<int32_t>{std::vector<int32_t>(100, 1), {5, 20}}, one) ==
          "axis 1 of \"one\" has 1 element, but element 0 of \"i\" asks for 1");
  }
}

TEST_CASE("G14.take/interp,c: in every lane of a vector and behind the last one") {
  const Context context = make_context();
  for (const Way& way : kWaysAndWidths) {
    CAPTURE(way.backend);
    CAPTURE(way.width);
    Checked checked(context, "graph g(x: f32[3], i: i16[m]) {\n  return y = take(x, i)\n}", way);
    for (const int64_t m : {1, 7, 33, 40})
      for (int64_t at = 0; at < m; ++at) {
        Values<int16_t> i = counted<int16_t>(m, 3);
        i.items[static_cast<size_t>(at)] = 3;
        if (at + 1 < m) i.items[static_cast<size_t>(m - 1)] = -4;
        const std::string expected = "but element " + std::to_string(at) + " of \"i\" asks for 3";
        const std::string message = checked.message(whole<float>({3}, 1), i);
        CHECK_MESSAGE(message.find(expected) != std::string::npos, message);
      }
  }
}

TEST_CASE("G14.take/c C3: entry points report it without a run time, in their status alone") {
  const Context context = make_context();
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    Checked checked(context, "graph g(x: f32[3], i: i32[2]) {\n  return y = take(x, i) * 2\n}", {backend, 0, 0});
    float x[] = {1, 2, 3}, y[] = {0, 0};
    int32_t i[] = {1, 7};
    void *inputs[] = {x, i}, *outputs[] = {y};
    must_run(checked.program());
    const harp_entry_point entry = harp_program_entry(checked.program(), nullptr);
    const harp_entry_point_ex entry_ex = harp_program_entry_ex(checked.program(), nullptr);
    REQUIRE((entry != nullptr));
    REQUIRE((entry_ex != nullptr));
    CHECK(entry_ex(inputs, outputs, nullptr, nullptr) == HARP_ERROR_RANGE);
    entry(inputs, outputs, nullptr);
    harp_fault fault = HARP_FAULT_INIT;
    harp_runtime runtime{};
    runtime.struct_size = sizeof runtime;
    CHECK(entry_ex(inputs, outputs, nullptr, &runtime) == HARP_ERROR_RANGE);
    runtime.fault = &fault;
    // a program that was compiled with an older harp.h does not have the field `fault`
    runtime.struct_size = offsetof(harp_runtime, fault);
    CHECK(entry_ex(inputs, outputs, nullptr, &runtime) == HARP_ERROR_RANGE);
    CHECK(fault.site == -1);
    runtime.struct_size = sizeof runtime;
    CHECK(entry_ex(inputs, outputs, nullptr, &runtime) == HARP_ERROR_RANGE);
    CHECK(fault.site == 0);
    CHECK(fault.element == 1);
    CHECK(fault.index == 7);
    CHECK(fault.size == 3);
    i[1] = -3;
    fault.site = -1;
    CHECK(entry_ex(inputs, outputs, nullptr, &runtime) == HARP_OK);
    CHECK(fault.site == -1);
    CHECK(y[0] == 4);
    CHECK(y[1] == 2);
  }
}

TEST_CASE("G14.take/interp,c X2: without the option nothing is checked, and with it the results are the same bits") {
  const Context context = make_context();
  const std::string text = "graph g(x: f32[n, 8], i: i32[m]) {\n  return y = exp(take(x, i, axis=0)) * 2, s = sum(take(x, i, axis=0))\n}";
  const Values<float> x = rough({11, 8}, 3);
  const Values<int32_t> inside = counted<int32_t>(40, 11);
  for (const Way& way : kWaysAndWidths) {
    CAPTURE(way.backend);
    Checked off(context, text, way, false), on(context, text, way);
    CHECK(off.message(x, list<int32_t>({0, 99})) == "");
    CHECK(on.message(x, list<int32_t>({0, 99})) != "");
    REQUIRE(off.message(x, inside) == "");
    REQUIRE(on.message(x, inside) == "");
    for (size_t o = 0; o < 2; ++o) CHECK(same_bits(off.outputs()[o].get(), on.outputs()[o].get()));
  }
}

TEST_CASE("G14.take/interp,c G2: indices that are known are checked when the program is made, and only then") {
  const Context context = make_context();
  const auto source = [&](const std::string& expression) {
    const Checked checked(context, "graph g(x: f32[5]) {\n  return y = " + expression + "\n}", {"c", 0, 0});
    return capi_test::take(harp_program_source(checked.program(), nullptr));
  };
  CHECK(source("take(x, constant_array([0, 4, -5], dtype=i64))").find("check_index") == std::string::npos);
  CHECK(source("take(x, constant_array([0, 4, -6], dtype=i64))").find("check_index") != std::string::npos);
  for (const Way& way : kWaysAndWidths) {
    Checked checked(context, "graph g(x: f32[5]) {\n  return y = take(x, constant_array([0, 4, -6], dtype=i64)), z = take(x, 5)\n}", way);
    CHECK(checked.message(whole<float>({5}, 1)).find("axis 0 of \"x\" has 5 elements, but element 2 of") == 0);
  }
}

TEST_CASE("G14.take/interp,c G16: no elements: nothing is asked for, or everything is too much") {
  const Context context = make_context();
  for (const Way& way : kWaysAndWidths) {
    CAPTURE(way.backend);
    Checked checked(context, "graph g(x: f32[n], i: i32[m]) {\n  return y = take(x, i)\n}", way);
    CHECK(checked.message(Values<float>{{}, {0}}, Values<int32_t>{{}, {0}}) == "");
    CHECK(checked.message(Values<float>{{}, {0}}, list<int32_t>({0})) ==
          "axis 0 of \"x\" has 0 elements, but element 0 of \"i\" asks for 0");
    CHECK(checked.message(list<float>({1}), list<int32_t>({0, -1, 1})) ==
          "axis 0 of \"x\" has 1 element, but element 2 of \"i\" asks for 1");
  }
}

TEST_CASE("G14 G18.text: check_index is an operation of its own: the integers themselves, or the error it begins with") {
  const Context context = make_context();
  const std::string text =
      "graph g(x: f32[n], i: i32[m, 2]) {\n"
      "  c = check_index(i, size=2*n, what=\"the \\\"words\\\"\")\n  return c, s = sum(check_index(c - 3, size=n))\n}";
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  const std::string printed = capi_test::take(harp_graph_print(graph.get(), nullptr));
  CHECK(printed.find("check_index(i, size=2*n, what=\"the \\\"words\\\"\")") != std::string::npos);
  for (const Way& way : kWaysAndWidths) {
    CAPTURE(way.backend);
    Checked checked(context, text, way, false);
    const Values<float> x = whole<float>({4}, 1);
    CHECK(checked.message(x, Values<int32_t>{{0, 6, 2, -1}, {2, 2}}) == "");
    CHECK(values<int32_t>(checked.outputs()[0].get()) == std::vector<int32_t>{0, 6, 2, -1});
    CHECK(values<int32_t>(checked.outputs()[1].get()) == std::vector<int32_t>{-5});
    CHECK(checked.message(x, Values<int32_t>{{0, 6, -9, 8}, {2, 2}}) == "the \"words\" has 8 elements, but element 2 of \"i\" asks for -9");
    CHECK(checked.message(x, Values<int32_t>{{0, 3, 1, 7}, {2, 2}}).find("check_index: the axis has 4 elements, but element 3 of ") == 0);
  }
}

TEST_CASE("G14: mistakes in check_index say what is wrong") {
  const std::string inputs = "x: f32[n, 3], i: i32[2]";
  check_misuse(inputs, "check_index(x, size=3)", "DTYPE", "check_index: indices must be integers, got f32 (\"x\")");
  check_misuse(inputs, "check_index(i, size=-1)", "RANGE", "check_index: the size is -1, which is negative");
  check_misuse(inputs, "check_index(i)", "PARSE", "check_index needs size");
}
