// Tests complex arrays through harp.h and with internal functions: results bit for bit, buffers and signatures of complex dtypes, the
// replacement of complex operations by operations on real arrays, the convention for complex gradients, and error messages. The comparisons
// with NumPy, the test of every operation with every dtype, and the check of docs/semantics.md also cover the single operations.
#include <array>
#include <cmath>
#include <complex>

#include "base/error.h"
#include "base/text.h"
#include "grad/operation.h"
#include "graph/composites.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "opt/split_complex.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace capi_test;

namespace {

using C = std::complex<float>;

std::vector<C> some(size_t count, uint32_t seed) {
  const std::vector<float> parts = rough({static_cast<int64_t>(2 * count)}, seed).items;
  std::vector<C> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

std::unique_ptr<harp::Graph> parse(const std::string& text) { return harp::parse_graph(text, harp::grad::text_operations()); }

std::string message_of(const std::string& statement) {
  try {
    parse("graph g(z: complex64[n, 3], w: complex128[n, 3], x: f32[n, 3], i: i32[n, 3]) {\n" + statement + "\n}\n");
    return "";
  } catch (const harp::Error& error) {
    return error.message;
  }
}
std::string message_of_call(const std::string& call) { return message_of("  return r = " + call); }

}  // namespace

TEST_CASE("G9.complex64/interp,c G10.mul/interp,c G10.recip/interp,c G10.add/interp,c: the law's sequences, bit for bit") {
  const Backends backends;
  const std::vector<C> a = some(37, 1), b = some(37, 2);
  const auto results =
      backends.run("graph g(a: complex64[n], b: complex64[n]) {\n  return m = a * b, r = recip(a), s = a - b, q = abs(b)\n}\n",
                   Values<C>{a, {37}}, Values<C>{b, {37}});
  REQUIRE(results.size() == 4);
  const std::vector<C> product = values<C>(results[0].get()), inverse = values<C>(results[1].get()), sum = values<C>(results[2].get());
  for (size_t i = 0; i < a.size(); ++i) {
    const float p = a[i].real(), q = a[i].imag(), s = b[i].real(), t = b[i].imag();
    CHECK(product[i] == C{std::fma(p, s, -(q * t)), std::fma(p, t, q * s)});
    const float length = std::fma(p, p, q * q);
    CHECK(inverse[i] == C{p / length, -q / length});
    CHECK(sum[i] == C{p - s, q - t});
  }
  CHECK(harp_buffer_dtype(results[0].get()) == HARP_COMPLEX64);
  CHECK(harp_buffer_dtype(results[3].get()) == HARP_F32);
}

TEST_CASE("G9.complex64/interp,c G9.complex128/interp,c G10.complex_from_parts/interp,c: built by the C functions") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_graph* g = graph.get();
  const harp_dim shape[] = {2, 2};
  harp_node* z = harp_input(g, "z", HARP_COMPLEX128, 2, shape);
  const double data[] = {1, 2, 3, 4};
  const harp_dim two[] = {2};
  harp_node* table = harp_constant_array(g, HARP_COMPLEX128, 1, two, sizeof data, data);
  harp_node* sum = harp_add(z, harp_constant_complex(g, HARP_COMPLEX128, 0.5, -1));
  harp_output(g, "sum", harp_mul(sum, harp_constant(g, HARP_COMPLEX128, 2)));
  harp_output(g, "table", harp_conj(table));
  harp_output(g, "parts", harp_complex_from_parts(harp_imag(z), harp_real(z)));
  harp_output(g, "pairs", harp_view_as_real(z));
  harp_output(g, "same", harp_eq(harp_view_as_complex(harp_view_as_real(z)), z));
  harp_output(g, "angle", harp_angle(z));
  REQUIRE(harp_graph_error(g) == nullptr);
  CHECK(harp_dtype_size(HARP_COMPLEX128) == 16);
  CHECK(std::string(harp_dtype_name(HARP_COMPLEX64)) == "complex64");
  using D = std::complex<double>;
  std::vector<D> values_in = {{1, -2}, {0, 3}, {-1, 0}, {0.25, 0.5}};
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program program = compile(g, backend);
    const Buffer input = wrap(context.get(), values_in, {2, 2});
    const std::vector<Buffer> outputs = run(program.get(), {input.get()});
    REQUIRE(outputs.size() == 6);
    const std::vector<D> sums = values<D>(outputs[0].get()), parts = values<D>(outputs[2].get());
    for (size_t i = 0; i < 4; ++i) {
      CHECK(sums[i] == (values_in[i] + D{0.5, -1}) * 2.0);
      CHECK(parts[i] == D{values_in[i].imag(), values_in[i].real()});
    }
    CHECK(values<D>(outputs[1].get()) == std::vector<D>{{1, -2}, {3, -4}});
    CHECK(dims(outputs[3].get()) == std::vector<int64_t>{2, 2, 2});
    CHECK(std::memcmp(harp_buffer_const_data(outputs[3].get()), values_in.data(), 64) == 0);
    CHECK(values<uint8_t>(outputs[4].get()) == std::vector<uint8_t>{1, 1, 1, 1});
    CHECK(values<double>(outputs[5].get())[2] == doctest::Approx(3.141592653589793));
  }
}

TEST_CASE("G10.real/interp,c G10.imag/interp,c: every rank, no elements, and symbolic sizes") {
  const Backends backends;
  for (int rank = 0; rank <= 16; rank += 4) {
    CAPTURE(rank);
    std::string sizes;
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) {
      sizes += i == 0 ? "n" : ", 1";
      dims.push_back(i == 0 ? 3 : 1);
    }
    const std::vector<C> z = some(rank == 0 ? 1 : 3, 7);
    const auto results =
        backends.run("graph g(z: complex64[" + sizes + "]) {\n  return r = real(z), c = conj(z), s = z\n}\n", Values<C>{z, dims});
    for (size_t i = 0; i < z.size(); ++i) {
      CHECK(values<float>(results[0].get())[i] == z[i].real());
      CHECK(values<C>(results[1].get())[i] == std::conj(z[i]));
      CHECK(values<C>(results[2].get())[i] == z[i]);
    }
  }
  const auto none = backends.run(
      "graph g(z: complex64[n in 0..9, 2]) {\n  return p = prod(z, axes=[0]), q = prod(z), c = cumprod(z, axis=0), s = sum(z)\n}\n",
      Values<C>{{}, {0, 2}});
  CHECK(values<C>(none[0].get()) == std::vector<C>{1, 1});
  CHECK(values<C>(none[1].get()) == std::vector<C>{1});
  CHECK(values<C>(none[2].get()).empty());
  CHECK(values<C>(none[3].get()) == std::vector<C>{0});
}

TEST_CASE("G10.prod/interp,c G10.cumprod/interp,c: infinities are multiplied by nothing but elements") {
  const Backends backends;
  const float inf = std::numeric_limits<float>::infinity();
  for (const int64_t n : {1, 2, 3, 5, 8}) {
    CAPTURE(n);
    std::vector<C> z(static_cast<size_t>(n), C{2, 0});
    z[0] = {inf, 1};
    const auto results = backends.run(
        "graph g(z: complex64[n in 0..9]) {\n  return p = prod(z), c = cumprod(z), e = cumprod(z, exclusive=true)\n}\n", Values<C>{z, {n}});
    CHECK(values<C>(results[1].get())[0] == z[0]);
    CHECK(values<C>(results[2].get())[0] == C{1, 0});
    if (n == 1) CHECK(values<C>(results[0].get())[0] == z[0]);
  }
}

TEST_CASE("G10.prod/interp G10.cumprod/interp: the halvings of a length that may have all bits of a size end") {
  // The reductions run over three axes together, and the sizes of these axes have no upper bound.
  const Backends backends;
  const Graph parsed = parse(backends.context(), "harp 1\ngraph g(x: complex64[a, b, c]) {\n  return y = prod(x), z = cumprod(x)\n}");
  REQUIRE(parsed != nullptr);
  const Program program = compile(parsed.get(), "interp");
  Values<C> x{{}, {2, 1, 3}};
  for (int i = 1; i <= 6; ++i) x.items.emplace_back(0.0f, static_cast<float>(i));
  const Buffer input = wrap(backends.context(), x.items, x.dims);
  const std::vector<Buffer> outputs = run(program.get(), {input.get()});
  REQUIRE(outputs.size() == 2);
  CHECK(values<C>(outputs[0].get())[0] == C(-720));
  CHECK(values<C>(outputs[1].get())[4] == C(0, 120));
}

TEST_CASE("G10: below the split there is no complex number, and a product is one kernel that may write over an operand") {
  const auto graph = harp::parse_graph(
      "graph g(a: complex64[n], b: complex64[n]) {\n  c = pad(flip(a * b), [1], [2], value=complex64(1, -2))\n"
      "  d = constant_array([[1, 2], [3, 4]], dtype=complex64)\n  return c = c, d = concat([c, d]), m = contiguous(b)\n}\n");
  const auto split = harp::opt::split_complex(*graph);
  harp::verify(*split);
  for (const harp::Node& node : split->nodes()) CHECK_FALSE(harp::is_complex(node.dtype));
  REQUIRE(split->inputs().size() == 2);
  CHECK(harp::type_of(*split->inputs()[0]) == "f32[2*n]");
  CHECK(harp::type_of(*split->outputs()[0].node) == "f32[n + 3, 2]");

  const Context context = make_context();
  const Graph product = parse(context.get(), "graph g(a: complex64[n], b: complex64[n]) {\n  return y = a * b + 1\n}\n");
  const Program program = compile(product.get(), "c");
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  CHECK(stats.kernels == 1);
}

TEST_CASE("G9.complex64/interp,c: a product reads both parts of the columns' factor at once, where it lies") {
  const Backends backends;
  const auto product = [](const std::string& dtype, const std::string& b, const std::string& m, const std::string& k,
                          const std::string& n) {
    return harp::cat("graph g(a: ", dtype, "[", b, ", ", m, ", ", k, "], w: ", dtype, "[", b, ", ", k, ", ", n,
                     "]) {\n  return y = batch_matmul(a, w)\n}\n");
  };
  const auto source_of = [&](const std::string& text) {
    const Graph graph = parse(backends.context(), text);
    REQUIRE(graph != nullptr);
    return source_for("x86-64-v4", graph.get());
  };
  // The kernel computes two real products of 14 columns, in register tiles, instead of four real products of 7 columns.
  const std::string text = source_of(product("complex64", "15", "20", "32", "7"));
  CHECK(text.find("contraction over [15, 20, 14] · sum of [15, 20, 32, 14] axes [2] chain product") != std::string::npos);
  CHECK(text.find("sum of [15, 20, 32, 7]") == std::string::npos);
  // The real part of a complex product needs only two of its four real products. One of them reads the real parts of w, the other one the
  // imaginary parts.
  const std::string real = source_of("graph g(a: complex64[20, 32], w: complex64[32, 40]) {\n  return y = real(matmul(a, w))\n}\n");
  CHECK(real.find("sum of [20, 32, 40] axes [1] chain product") != std::string::npos);
  CHECK(real.find("20, 32, 80]") == std::string::npos);

  for (const auto& [b, m, k, n] : {std::array<int64_t, 4>{3, 20, 32, 7}, {1, 5, 300, 3}, {2, 4, 16, 1}, {2, 1, 5, 40}, {2, 3, 0, 4}}) {
    const auto number = [](int64_t size) { return std::to_string(size); };
    const std::vector<C> a = some(static_cast<size_t>(b * m * k), 1), w = some(static_cast<size_t>(b * k * n), 2);
    for (const std::string& graph :
         {product("complex64", "b", "m", "k", "n"), product("complex64", number(b), number(m), number(k), number(n))})
      backends.run(graph, Values<C>{a, {b, m, k}}, Values<C>{w, {b, k, n}});
  }
}

TEST_CASE("G18.text: complex literals and arrays print and parse back") {
  const std::string text =
      "harp 1\ngraph g(z: complex128[n]) {\n"
      "  v0 = real(z)\n  v1 = complex_from_parts(v0, v0)\n"
      "  v2 = pad(v1, before=[1], after=[0], value=complex128(nan, -0))\n"
      "  v3 = constant_array([[1, -2], [inf, 0.5]], dtype=complex128)\n"
      "  v4 = concat(v2, v3, axis=0)\n"
      "  return a = v4, b = complex64(bits=0x7fc00001, 3), c = complex64(1, 0)\n}\n";
  CHECK(harp::print_graph(*harp::parse_graph(text)) == text);
  CHECK(message_of_call("z * complex64(1) + 2 - 0.5") == "");
  CHECK(message_of_call("constant_array([1, 2, 3], dtype=complex64)").find("expected each complex64 as a list of two numbers, [re, im]") !=
        std::string::npos);
}

TEST_CASE("G9.infer_error G10: what complex numbers cannot do says what to do instead") {
  const auto says = [](const std::string& call, const std::string& part) {
    const std::string message = message_of_call(call);
    CHECK_MESSAGE(message.find(part) != std::string::npos, call, ": ", message);
  };
  says("maximum(z, z)", "maximum: takes bool, an integer or a float dtype, got complex64");
  says("z < z", "complex numbers have no order: take real(), imag() or abs() of it");
  says("z >= z", "ge: takes");
  says("max(z)", "max: takes bool, an integer or a float dtype, got complex64 (\"z\"); complex numbers have no order");
  says("cummin(z, axis=0)", "cummin: takes");
  says("argmax(z)", "argmax: takes");
  says("clip(z, z, z)", "clip: takes");
  says("sort(z)", "sort: \"z\" is complex64; expected bool, an integer or a float dtype");
  says("argsort(z)", "expected bool, an integer or a float dtype");
  says("take(x, z)", "indices must be integers, got complex64");
  says("floor(z)", "floor: takes a float dtype, got complex64 (node \"z\"); take real(), imag() or abs() of it");
  says("z // z", "floor_divide: takes an integer or float dtype, got complex64");
  says("z & z", "bitwise_and: takes");
  says("relu(z)", "relu: takes");
  says("softmax(z)", "softmax: takes a float dtype, got complex64");
  says("cast(z, f32)", "cast: \"z\" is complex64 and cannot become f32; take real(), imag() or abs() of it");
  says("cast(z, bool)", "or compare it with 0");
  says("bitcast(z, i64)", "bitcast: \"z\" is complex64, which cannot become i64; a complex number is two floats");
  says("bitcast(x, complex64)", "use view_as_real or view_as_complex");
  says("z + w", "add: operands have dtypes complex64 and complex128");
  says("z * x", "mul: operands have dtypes complex64 and f32");
  says("complex_from_parts(i, i)", "complex_from_parts: takes f32 or f64, got i32");
  says("complex_from_parts(cast(x, f16), cast(x, f16))", "takes f32 or f64, got f16");
  says("complex_from_parts(z, z)", "complex_from_parts: takes f32 or f64, got complex64");
  says("complex_from_parts(x, slice(x, stop=[1, none]))", "complex_from_parts: operands have shapes");
  says("view_as_real(x)", "view_as_real: takes a complex dtype, got f32");
  says("view_as_complex(x)", "view_as_complex: \"x\" has shape [n, 3]; the last axis must have size 2: re and im");
  says("prod(z, axes=[0], order=chain)", "prod: the order of a product of complex64 is fixed");
  says("cumprod(z, axis=0, order=tree)", "cumprod: the order of a product of complex64 is fixed");
  says("real(x == x)", "real: takes an integer, float or complex dtype, got bool");
  says("grad(sum(z), z)", "is complex: differentiate real(), imag() or abs() of it, or give grad_output");
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_constant_complex(graph.get(), HARP_F32, 1, 2);
  CHECK(std::string(harp_error_message(harp_graph_error(graph.get()))) == "constant: f32 is not a complex dtype");
  const Graph other = make_graph(context.get());
  harp_constant_complex(other.get(), HARP_COMPLEX64, 1, 1e300);
  CHECK(std::string(harp_error_message(harp_graph_error(other.get()))).find("does not fit f32") != std::string::npos);
}

TEST_CASE("G9.promotion: floats and complex dtypes as the Array API says") {
  const auto dtype_of = [](const std::string& expression) {
    const auto graph = harp::parse_graph(
        "graph g(z: complex64[2], w: complex128[2], x: f32[2], y: f64[2], h: f16[2], i: i32[2]) flags=[promote] {\n"
        "  return r = " +
        expression + "\n}\n");
    return std::string(harp::name(graph->outputs()[0].node->dtype));
  };
  CHECK(dtype_of("z + x") == "complex64");
  CHECK(dtype_of("h * z") == "complex64");
  CHECK(dtype_of("z + y") == "complex128");
  CHECK(dtype_of("z - w") == "complex128");
  CHECK(dtype_of("where(x < 0, x, w)") == "complex128");
  CHECK(dtype_of("complex_from_parts(x, y)") == "complex128");
  CHECK_THROWS_AS(dtype_of("z + i"), harp::Error);
}

TEST_CASE("G19.graph_nodes: the gradient of a real y by a complex z is that by its real part, plus i times that by its imaginary part") {
  const std::string y = "sum(abs(exp(square(z) * conj(z)) / (z + complex128(0.5, 2)))) + imag(prod(z)) + real(sum(cumprod(z)))";
  const auto by_complex = parse("graph g(z: complex128[4]) {\n  d = grad(" + y + ", z)\n  return re = real(d), im = imag(d)\n}\n");
  const auto by_parts = parse("graph g(p: f64[4], q: f64[4]) {\n  z = complex_from_parts(p, q)\n  re, im = grad(" + y +
                              ", p, q)\n  return re = re, im = im\n}\n");
  const std::vector<double> pairs = {0.3, -0.2, 0.9, 0.4, -0.5, 0.7, 0.1, 0.6};
  std::vector<double> p, q;
  for (size_t i = 0; i < pairs.size(); i += 2) p.push_back(pairs[i]), q.push_back(pairs[i + 1]);
  using harp::testing::bytes_of;
  const auto one = harp::testing::run(*by_complex, {bytes_of(pairs)});
  const auto other = harp::testing::run(*by_parts, {bytes_of(p), bytes_of(q)});
  for (size_t part = 0; part < 2; ++part) {
    const auto a = harp::testing::values_of<double>(one[part]), b = harp::testing::values_of<double>(other[part]);
    for (size_t i = 0; i < 4; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-12));
  }
  // With z = p + qi, the gradient of |z|² is 2z, and that of re(z²) = p² - q² is 2p - 2qi. The third gradient is that of the sum of re(m)
  // and im(m) with respect to the intermediate value m. The fourth is that of im(z²) = 2pq.
  const auto known = parse(
      "graph g(z: complex128[4]) {\n  m = z * z\n  a = grad(sum(square(abs(z))), z)\n  b = grad(sum(real(m)), z)\n"
      "  c = grad(sum(real(m) + imag(m)), m)\n  d = grad(m, z, grad_output=complex128(0, 1))\n  return a = a, b = b, c = c, d = d\n}\n");
  const auto found = harp::testing::run(*known, {bytes_of(pairs)});
  const auto a = harp::testing::values_of<double>(found[0]), b = harp::testing::values_of<double>(found[1]),
             c = harp::testing::values_of<double>(found[2]), d = harp::testing::values_of<double>(found[3]);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(a[2 * i] == doctest::Approx(2 * p[i]));
    CHECK(a[2 * i + 1] == doctest::Approx(2 * q[i]));
    CHECK(b[2 * i] == doctest::Approx(2 * p[i]));
    CHECK(b[2 * i + 1] == doctest::Approx(-2 * q[i]));
    CHECK(c[2 * i] == 1.0);
    CHECK(c[2 * i + 1] == 1.0);
    CHECK(d[2 * i] == doctest::Approx(2 * q[i]));  // the derivative of 2pq with respect to p
    CHECK(d[2 * i + 1] == doctest::Approx(2 * p[i]));
  }
}

TEST_CASE(
    "G9.complex64/interp,c G9.complex128/interp,c G15.matmul/interp,c: packed factors of complex products are read by whole vectors") {
  const Backends backends;
  const auto text = [](const std::string& m, const std::string& k, const std::string& n, const std::string& dtype) {
    return harp::cat("graph g(a: ", dtype, "[", m, ", ", k, "], b: ", dtype, "[", n, ", ", k, "], c: ", dtype, "[", k, ", ", n, "]) {\n",
                     "  return y = matmul(a, transpose(b)), h = matmul(a, conj(transpose(b))), z = matmul(conj(a), c)\n}");
  };
  const auto text_of = [&](const std::array<int64_t, 3>& size, const std::string& dtype) {
    return text(std::to_string(size[0]), std::to_string(size[1]), std::to_string(size[2]), dtype);
  };
  // The real parts of adjacent terms are two elements apart in memory, those of adjacent columns of `transpose(b)` a whole row of b.
  const Graph graph = parse(backends.context(), "harp 1\n" + text_of({41, 216, 150}, "complex64"));
  REQUIRE(graph != nullptr);
  for (const char* row : {"x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    const std::string source = source_for(row, graph.get());
    CHECK(source.find("load_every_second_f32x") != std::string::npos);
    CHECK(source.find("load_strided_f32x") == std::string::npos);
  }
  for (const auto& size : {std::array<int64_t, 3>{41, 216, 150}, {5, 17, 33}, {9, 65, 150}, {16, 300, 20}, {3, 7, 40}, {1, 100, 18}}) {
    const auto [m, k, n] = size;
    const std::vector<C> a = some(static_cast<size_t>(m * k), 1), b = some(static_cast<size_t>(n * k), 2);
    for (const std::string& each : {text("m", "k", "n", "complex64"), text_of(size, "complex64")})
      backends.run(each, Values<C>{a, {m, k}}, Values<C>{b, {n, k}}, Values<C>{b, {k, n}});
    const std::vector<std::complex<double>> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
    backends.run(text_of(size, "complex128"), Values<std::complex<double>>{wide_a, {m, k}}, Values<std::complex<double>>{wide_b, {n, k}},
                 Values<std::complex<double>>{wide_b, {k, n}});
  }
}
