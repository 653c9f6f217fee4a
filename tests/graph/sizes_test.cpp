// Tests sizes of symbolic axes: slices select the same elements as in Python for every length; equal sizes are recognised by algebra alone;
// and inputs determine the values of variables.
#include <algorithm>
#include <optional>

#include "graph/build.h"
#include "support/capi_support.h"

using namespace capi_test;

namespace {

namespace build = harp::build;
using harp::Dim;
using Bound = std::optional<int64_t>;

/// Returns the indices that Python's x[start:stop:step] selects for this length of x.
std::vector<int64_t> taken(int64_t length, Bound start, Bound stop, int64_t step) {
  const auto position = [&](Bound bound, int64_t open, int64_t lowest, int64_t highest) {
    if (!bound) return open;
    const int64_t from_start = *bound < 0 ? *bound + length : *bound;
    return std::min(std::max(from_start, lowest), highest);
  };
  const int64_t from = step > 0 ? position(start, 0, 0, length) : position(start, length - 1, -1, length - 1);
  const int64_t to = step > 0 ? position(stop, length, 0, length) : position(stop, -1, -1, length - 1);
  std::vector<int64_t> result;
  for (int64_t i = from; step > 0 ? i < to : i > to; i += step) result.push_back(i);
  return result;
}

/// A graph with one input that has `length` elements, and slices of this input.
struct Sliced {
  harp::Graph graph;
  Dim n = graph.dims().variable("n", 0, 1000), p = graph.dims().variable("p", -50, 50);
  build::NodeRef x = graph.add_input("x", harp::DType::kF32, {n}), twice = graph.add_input("twice", harp::DType::kF32, {2 * n});

  static build::NodeRef slice(build::NodeRef of, std::optional<Dim> start, std::optional<Dim> stop, int64_t step = 1) {
    const build::SliceSpec spec{start, stop, step};
    return build::slice(of, {&spec, 1});
  }
  Dim size(std::optional<Dim> start, std::optional<Dim> stop, int64_t step = 1) const { return slice(x, start, stop, step)->shape[0]; }
  static int64_t value(Dim e, int64_t n, int64_t p = 0) {
    return evaluate(e, [&](const harp::SymAtom& variable) { return variable.name == "n" ? n : p; });
  }
};

std::optional<Dim> dim_of(Bound bound) { return bound ? std::optional<Dim>(*bound) : std::nullopt; }

void check_slice(build::NodeRef x, build::NodeRef y, int64_t n, int64_t p, const std::vector<int64_t>& wanted) {
  REQUIRE(Sliced::value(y->shape[0], n, p) == static_cast<int64_t>(wanted.size()));
  if (y == x || wanted.empty()) return;
  const auto& slice = y->as<harp::SliceAttributes>();
  REQUIRE(Sliced::value(slice.start[0], n, p) == wanted.front());
  if (wanted.size() > 1) REQUIRE(slice.step[0] == wanted[1] - wanted[0]);
}

}  // namespace

TEST_CASE("G16.slices: a slice of a symbolic axis takes Python's elements for every length, start, stop and step") {
  const std::vector<Bound> bounds = {{}, -9, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 7, 9, INT64_MIN + 2, INT64_MAX};
  for (const int64_t step : {INT64_MIN + 1, int64_t{-3}, int64_t{-2}, int64_t{-1}, int64_t{1}, int64_t{2}, int64_t{3}, INT64_MAX})
    for (const Bound start : bounds)
      for (const Bound stop : bounds) {
        const Sliced f;
        const build::NodeRef y = Sliced::slice(f.x, dim_of(start), dim_of(stop), step);
        CAPTURE(to_string(y->shape[0]));
        for (int64_t n = 0; n <= 8; ++n) {
          // The step is clamped, because the reference could overflow otherwise. The selected elements are the same: with either step, the
          // second index is already outside of the array.
          const int64_t short_step = std::clamp<int64_t>(step, -100, 100);
          const auto near = [](Bound bound) { return bound ? Bound(std::clamp<int64_t>(*bound, -100, 100)) : bound; };
          check_slice(f.x, y, n, 0, taken(n, near(start), near(stop), short_step));
        }
      }
}

TEST_CASE("G16.slices: an expression is a position, which does not count from the end") {
  for (const int64_t step : {-3, -1, 1, 2})
    for (const int form : {0, 1, 2, 3}) {
      const Sliced f;
      const Dim position = form == 0 ? f.p : form == 1 ? f.n - 2 : form == 2 ? f.n + f.p : 2 * f.p - f.n;
      for (const Bound other : std::vector<Bound>{{}, -2, 0, 3})
        for (const bool is_start : {true, false}) {
          const build::NodeRef y =
              is_start ? Sliced::slice(f.x, position, dim_of(other), step) : Sliced::slice(f.x, dim_of(other), position, step);
          for (int64_t n = 0; n <= 6; ++n)
            for (int64_t p = -8; p <= 8; ++p) {
              // A negative position counts as a position before the first element, whatever its value.
              const int64_t at = Sliced::value(position, n, p), in_front = -1000;
              const Bound bound = at < 0 ? in_front : at;
              check_slice(f.x, y, n, p, is_start ? taken(n, bound, other, step) : taken(n, other, bound, step));
            }
        }
    }
}

TEST_CASE("G16.slices: sizes that are equal for every length are equal by algebra alone") {
  const Sliced f;
  CHECK(f.size(1, {}) == f.size({}, -1));
  CHECK(f.size(2, {}) == f.size(1, -1));
  CHECK(f.size(1, -1) == f.size({}, -2));
  CHECK(f.size(-1, {}) == f.size({}, 1));
  CHECK(f.size(-3, {}) == f.size({}, 3));
  CHECK(f.size(-3, {}, 2) == f.size({}, 3, 2));
  CHECK(f.size({}, {}, -1) == f.n);
  CHECK(f.size(-2, {}, -1) == f.size({}, -1));
  CHECK(f.size(1, {}) != f.n);
  CHECK(Sliced::slice(f.twice, {}, {}, 2)->shape[0] == f.n);
  CHECK(Sliced::slice(f.twice, 1, {}, 2)->shape[0] == f.n);
  CHECK(Sliced::slice(f.twice, {}, {}, -2)->shape[0] == f.n);
  CHECK(Sliced::slice(f.twice, f.n, {})->shape[0] == f.n);
  CHECK(Sliced::slice(f.twice, {}, f.n)->shape[0] == f.n);
  // Slices of slices.
  const build::NodeRef tail = Sliced::slice(f.x, 1, {});
  CHECK(Sliced::slice(tail, 1, {})->shape[0] == f.size(2, {}));
  CHECK(Sliced::slice(tail, {}, -1)->shape[0] == f.size(1, -1));
  // The text format prints these views as slices with Python's bounds, so a run has no bounds to check.
  for (const Bound start : std::vector<Bound>{{}, -3, -1, 1, 2})
    for (const Bound stop : std::vector<Bound>{{}, -3, -1, 1, 2})
      for (const int64_t step : {-2, -1, 1, 2}) {
        const build::NodeRef y = Sliced::slice(f.x, dim_of(start), dim_of(stop), step);
        CAPTURE(to_string(y->shape[0]));
        if (y != f.x) CHECK(build::as_slice_specs(y).has_value());
      }
}

TEST_CASE("G16.slices/interp,c: neighbours, ends and halves of an axis of every length") {
  const Context context = make_context();
  const Graph g = parse(context.get(),
                        "harp 1\ngraph g(x: f32[n], t: f32[2*n]) {\n"
                        "  d = slice(x, start=[1]) - slice(x, stop=[-1])\n"
                        "  e = slice(x, start=[-1]) + slice(x, stop=[1])\n"
                        "  h = slice(t, step=[2]) - slice(t, start=[1], step=[2])\n"
                        "  second = slice(d, start=[1]) - slice(d, stop=[-1]) + slice(x, start=[1], stop=[-1])\n"
                        "  return d = d, e = e, h = h, second = second\n}\n");
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    for (size_t n = 0; n <= 40; n += n < 6 ? 1 : 17) {
      std::vector<float> x(n), t(2 * n);
      for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * i);
      for (size_t i = 0; i < 2 * n; ++i) t[i] = static_cast<float>(3 * i + i % 2);
      const Buffer xb = wrap(context.get(), x, {static_cast<int64_t>(n)}), tb = wrap(context.get(), t, {static_cast<int64_t>(2 * n)});
      const std::vector<Buffer> out = run(program.get(), {xb.get(), tb.get()});
      REQUIRE(out.size() == 4);
      std::vector<float> d, e, second;
      for (size_t i = 1; i < n; ++i) d.push_back(x[i] - x[i - 1]);
      if (n > 0) e.push_back(x[n - 1] + x[0]);
      for (size_t i = 1; i < d.size(); ++i) second.push_back(d[i] - d[i - 1] + x[i]);
      CHECK(values<float>(out[0].get()) == d);
      CHECK(values<float>(out[1].get()) == e);
      CHECK(values<float>(out[2].get()) == std::vector<float>(n, -4));
      CHECK(values<float>(out[3].get()) == second);
    }
  }
}

TEST_CASE("G16.slices/interp,c: the gradient of a slice that may be empty is zero where nothing was taken") {
  const Context context = make_context();
  for (const int64_t step : {1, 2, -1, -3}) {
    const Graph g = make_graph(context.get());
    const harp_dim n = harp_dim_var(g.get(), "n", 0, 100), size[] = {n}, start[] = {step > 0 ? 5 : -5};
    harp_node* const x = harp_input(g.get(), "x", HARP_F32, 1, size);
    harp_node* gradient = nullptr;
    REQUIRE(harp_grad(harp_slice(x, 1, start, nullptr, &step), 1, &x, harp_constant(g.get(), HARP_F32, 1), &gradient) == HARP_OK);
    harp_output(g.get(), "dx", gradient);
    for (const char* backend : {"interp", "c"}) {
      const Program program = compile(g.get(), backend);
      for (int64_t length = 0; length <= 9; ++length) {
        std::vector<float> data(static_cast<size_t>(length), 2), wanted(data.size(), 0);
        for (const int64_t i : taken(length, start[0], {}, step)) wanted[static_cast<size_t>(i)] = 1;
        const Buffer x_buffer = wrap(context.get(), data, {length});
        const std::vector<Buffer> out = run(program.get(), {x_buffer.get()});
        REQUIRE(out.size() == 1);
        CHECK(values<float>(out[0].get()) == wanted);
      }
    }
  }
}

TEST_CASE("G16.binding/interp,c: an input's axis c*n + d says what n is") {
  const Context context = make_context();
  const Graph g = parse(context.get(),
                        "harp 1\nshape h in 0..9\ngraph g(x: f32[m + 1], y: f32[32*h, 32*w], z: f32[3 - k]) {\n"
                        "  return a = sum(x) * cast(size(m), dtype=f32), b = sum(y, axes=[1]), c = arange(n=h + 10*w), d = z + "
                        "cast(size(k), dtype=f32)\n}\n");
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(g.get(), backend);
    std::vector<float> x = {1, 2, 3}, y(64 * 32, 0.5f), z = {5};
    const Buffer xb = wrap(context.get(), x, {3}), yb = wrap(context.get(), y, {64, 32}), zb = wrap(context.get(), z, {1});
    const std::vector<Buffer> out = run(program.get(), {xb.get(), yb.get(), zb.get()});
    REQUIRE(out.size() == 4);
    CHECK(values<float>(out[0].get()) == std::vector<float>{12});
    CHECK(values<float>(out[1].get()) == std::vector<float>(64, 16));
    CHECK(dims(out[2].get()) == std::vector<int64_t>{12});
    CHECK(values<float>(out[3].get()) == std::vector<float>{7});

    const auto fails = [&](std::vector<int64_t> x_dims, std::vector<int64_t> y_dims, harp_status code, const std::string& message) {
      int64_t count = y_dims[0] * y_dims[1];
      std::vector<float> data(static_cast<size_t>(std::max(count, x_dims[0])));
      std::vector<float> untouched = {-7};
      const Buffer xs = wrap(context.get(), data, x_dims), ys = wrap(context.get(), data, y_dims), a = wrap(context.get(), untouched, {});
      harp_buffer* const in[] = {xs.get(), ys.get(), zb.get()};
      harp_buffer* to[] = {a.get(), nullptr, nullptr, nullptr};
      ErrorSlot err;
      CHECK(harp_program_run(program.get(), 3, in, 4, to, nullptr, err) == code);
      CHECK_MESSAGE(err.message().find(message) != std::string::npos, err.message());
      CHECK(untouched[0] == -7);
      CHECK(to[1] == nullptr);
    };
    fails({3}, {33, 32}, HARP_ERROR_SHAPE,
          "input \"y\": expected f32[32*h, 32*w], but got f32[33, 32]: axis 0 is 32*h, so shape variable h would be 33 / 32, which is "
          "not a "
          "whole number");
    fails({0}, {64, 32}, HARP_ERROR_RANGE, "shape variable m is -1 (axis 0 of input \"x\", which is m + 1), outside 0..2147483647");
    fails({1}, {320, 0}, HARP_ERROR_RANGE, "shape variable h is 10 (axis 0 of input \"y\", which is 32*h), outside 0..9");
  }
}

TEST_CASE("G16.binding/interp,c: the axis that is the variable goes before one that is made of it, and all agree") {
  const Context context = make_context();
  const Graph g = parse(context.get(),
                        "harp 1\ngraph g(a: f32[2*n], b: f32[m + 2], c: f32[n], d: f32[3*m], e: f32[n + m]) {\n"
                        "  return y = sum(a) + sum(b) + sum(c) + sum(d) + sum(e)\n}\n");
  const Program interp = compile(g.get(), "interp");
  harp_shape_var_info info = HARP_SHAPE_VAR_INFO_INIT;
  REQUIRE(harp_program_shape_var(interp.get(), 0, &info, nullptr) == HARP_OK);
  CHECK(std::string(info.name) == "n");
  CHECK(std::vector<int64_t>{info.input, info.axis, info.factor, info.offset} == std::vector<int64_t>{2, 0, 1, 0});
  REQUIRE(harp_program_shape_var(interp.get(), 1, &info, nullptr) == HARP_OK);
  CHECK(std::vector<int64_t>{info.input, info.axis, info.factor, info.offset} == std::vector<int64_t>{1, 0, 1, 2});
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    std::vector<float> ones(100, 1);
    const auto sum_of = [&](std::vector<int64_t> sizes, harp_error** err, const harp_run_options* options = nullptr) {
      std::vector<Buffer> buffers;
      std::vector<harp_buffer*> inputs;
      for (const int64_t size : sizes) inputs.push_back(buffers.emplace_back(wrap(context.get(), ones, {size})).get());
      const std::vector<Buffer> out = run(program.get(), inputs, err, options);
      return out.empty() ? -1.0f : values<float>(out[0].get())[0];
    };
    CHECK(sum_of({8, 5, 4, 9, 7}, nullptr) == 33);
    const auto fails = [&](std::vector<int64_t> sizes, const std::string& message, const harp_run_options* options = nullptr) {
      ErrorSlot err;
      CHECK(sum_of(std::move(sizes), err, options) == -1);
      CHECK(err.code() == HARP_ERROR_SHAPE);
      CHECK_MESSAGE(err.message().find(message) != std::string::npos, err.message());
    };
    fails({9, 5, 4, 9, 7}, "axis 0 must be 8 (2*n with n = 4 from axis 0 of input \"c\")");
    fails({8, 5, 4, 8, 7}, "axis 0 must be 9 (3*m with m = 3 from axis 0 of input \"b\", which is m + 2)");
    fails({8, 5, 4, 9, 8}, "(n + m with n = 4 from axis 0 of input \"c\", m = 3 from axis 0 of input \"b\", which is m + 2)");
    const char* const names[] = {"m"};
    const int64_t given[] = {2};
    harp_run_options options = HARP_RUN_OPTIONS_INIT;
    options.n_shape_vars = 1;
    options.shape_var_names = names;
    options.shape_var_values = given;
    fails({8, 5, 4, 9, 7}, "shape variable m is given as 2, but is 3 (axis 0 of input \"b\", which is m + 2)", &options);
  }
}
