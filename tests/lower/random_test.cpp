// Tests random numbers: the published known answers of the generator, the use of keys and counters, and statistical tests.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

Values<uint64_t> one(uint64_t value) { return {{value}, {}}; }

/// Checks that all backends give the same result of `call` for this key and counter, and returns it.
template <class T>
std::vector<T> draw(const Backends& backends, const std::string& call, uint64_t key, uint64_t counter) {
  const auto outputs = backends.run("graph g(key: u64[], counter: u64[]) {\n  return y = " + call + "\n}", one(key), one(counter));
  return values<T>(outputs[0].get());
}

/// Returns the Kolmogorov-Smirnov statistic: the greatest distance between the empirical distribution of the numbers and `distribution`,
/// times the square root of their count. If the numbers have that distribution, the statistic exceeds 1.95 for one key in a thousand.
double kolmogorov(std::vector<double> numbers, const std::function<double(double)>& distribution) {
  std::sort(numbers.begin(), numbers.end());
  const double count = static_cast<double>(numbers.size());
  double distance = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double expected = distribution(numbers[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - expected});
  }
  return distance * std::sqrt(count);
}

struct Moments {
  double mean = 0, variance = 0, neighbours = 0;  // neighbours: the correlation of each number with the next one
};
Moments moments(const std::vector<double>& x) {
  const double count = static_cast<double>(x.size());
  Moments m;
  m.mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
  for (size_t i = 0; i < x.size(); ++i) {
    m.variance += (x[i] - m.mean) * (x[i] - m.mean) / count;
    if (i > 0) m.neighbours += (x[i] - m.mean) * (x[i - 1] - m.mean) / count;
  }
  m.neighbours /= m.variance;
  return m;
}

}  // namespace

TEST_CASE("G14 random: Random123's known answers of threefry2x32 with 20 rounds") {
  const Backends backends;
  struct Answer {
    uint64_t counter, key, words;
  };
  for (const Answer& answer : {Answer{0, 0, 0x6b20015999ba4efe}, Answer{UINT64_MAX, UINT64_MAX, 0x1cb996fcbb002be7},
                               Answer{0x243f6a8885a308d3, 0x13198a2e03707344, 0xc4923a9c483df7a0}}) {
    CHECK(draw<uint64_t>(backends, "random_bits(key, shape=[1], counter=counter, dtype=u64)", answer.key, answer.counter)[0] ==
          answer.words);
    const auto folded = static_cast<uint32_t>(answer.words >> 32 ^ answer.words);
    CHECK(draw<uint32_t>(backends, "random_bits(key, shape=[1], counter=counter)", answer.key, answer.counter)[0] == folded);
    CHECK(draw<uint8_t>(backends, "random_bits(key, shape=[1], counter=counter, dtype=u8)", answer.key, answer.counter)[0] ==
          static_cast<uint8_t>(folded));
  }
}

TEST_CASE("G14 random: an element depends only on its index, not on how the array is cut") {
  const Backends backends;
  for (const std::string& what : {std::string("bits"), std::string("uniform"), std::string("normal")}) {
    const auto call = [&](const std::string& shape, const std::string& counter) {
      return "random_" + what + "(key, shape=" + shape + ", counter=" + counter + ", dtype=" + (what == "bits" ? "u32" : "f32") + ")";
    };
    for (const uint64_t counter : {uint64_t{0}, (uint64_t{1} << 32) - 40, UINT64_MAX - 40}) {
      const auto outputs = backends.run("graph g(key: u64[], counter: u64[], x: f32[n, m]) {\n  flat = " + call("[n * m]", "counter") +
                                            "\n  return a = flat, b = flatten(" + call("[n, m]", "counter") + "), c = flatten(" +
                                            call("[m, 1, n]", "counter") + "), d = concat(" + call("[n]", "counter") + ", " +
                                            call("[n * m - n]", "counter + cast(size(n), dtype=u64)") + ", axis=0)\n}",
                                        one(99), one(counter), whole<float>({5, 23}, 1));
      const auto bytes = [&](size_t i) {
        const auto* data = static_cast<const std::byte*>(harp_buffer_const_data(outputs[i].get()));
        return std::vector<std::byte>(data, data + harp_buffer_size(outputs[i].get()));
      };
      for (size_t i = 1; i < outputs.size(); ++i) CHECK(bytes(i) == bytes(0));
    }
  }
}

TEST_CASE("G14 random: mean, variance, neighbours and distribution of a fixed key") {
  const Backends backends;
  constexpr size_t kCount = 40000;
  const std::string shape = "shape=[200, 200], counter=counter, dtype=";
  const auto as_doubles = [](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); };
  const double root = std::sqrt(static_cast<double>(kCount));
  for (const std::string& dtype : {std::string("f32"), std::string("f64")}) {
    const auto numbers = [&](const std::string& what) {
      const std::string call = "random_" + what + "(key, " + shape + dtype + ")";
      return dtype == "f32" ? as_doubles(draw<float>(backends, call, 2024, 7)) : as_doubles(draw<double>(backends, call, 2024, 7));
    };
    const std::vector<double> uniform = numbers("uniform"), normal = numbers("normal");
    CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 0);
    CHECK(*std::max_element(uniform.begin(), uniform.end()) < 1);
    const Moments u = moments(uniform), z = moments(normal);  // checked to be within 4 standard deviations of the exact moments
    CHECK(std::abs(u.mean - 0.5) < 4 / (std::sqrt(12.0) * root));
    CHECK(std::abs(u.variance - 1 / 12.0) < 4 / (std::sqrt(180.0) * root));
    CHECK(std::abs(u.neighbours) < 4 / root);
    CHECK(std::abs(z.mean) < 4 / root);
    CHECK(std::abs(z.variance - 1) < 4 * std::sqrt(2.0) / root);
    CHECK(std::abs(z.neighbours) < 4 / root);
    CHECK(kolmogorov(uniform, [](double x) { return x; }) < 1.95);
    CHECK(kolmogorov(normal, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }) < 1.95);
    // with the variance 1.2 instead of 1, the test would fail
    CHECK(kolmogorov(normal, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.4)); }) > 1.95);
  }
}

TEST_CASE("G14 random G16 G17: one kernel, which other operations join") {
  const Backends backends;
  const std::string head = "graph g(key: u64[], counter: u64[], x: f32[n, m]) {\n  return y = ";
  for (const char* body :
       {"random_bits(key, shape=[n, m], counter=counter)", "random_uniform(key, shape=[n, m], counter=counter, dtype=f64)",
        "random_normal(key, shape=[n, m], counter=counter)", "random_normal(key, shape=[n, m], dtype=f64)",
        "where(random_uniform(key, shape=[n, m]) < 0.5, x * 2, 0)", "sum(x * random_normal(key, shape=[n, m]), axes=[1])"})
    CHECK(backends.cost(head + body + "\n}", {64, 100}).kernels == 1);
}

TEST_CASE("G14 random G19: gradients go to what the numbers are scaled with, and not to a key") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(key: u64[], m: f32[], s: f32[]) {\n  z = random_normal(key, shape=[5])\n"
      "  dm, ds = grad(sum(m + s * z), m, s)\n  return dm, ds, t = sum(z)\n}",
      one(3), Values<float>{{1}, {}}, Values<float>{{2}, {}});
  CHECK(values<float>(outputs[0].get())[0] == 5);
  CHECK(values<float>(outputs[1].get())[0] == doctest::Approx(values<float>(outputs[2].get())[0]));
  const std::string text = "graph g(x: f32[]) {\n  dx = grad(sum(random_uniform(cast(x, dtype=u64), shape=[3])), x)\n  return dx\n}";
  harp_error* error = nullptr;
  CHECK(harp_graph_parse(backends.context(), text.size(), text.c_str(), &error) == nullptr);
  const std::string message = harp_error_message(error);
  CHECK_MESSAGE(message.find("integer") != std::string::npos, message);
  harp_error_release(error);
}

TEST_CASE("G14 random X1: the words of every mistake") {
  const std::string inputs = "k: u64[], i: i64[], f: f32[n], v: u64[2]";
  check_misuse(inputs, "random_uniform(i, shape=[3])", "DTYPE", "random_uniform: the key must be u32 or u64, got i64 (\"i\")");
  check_misuse(inputs, "random_uniform(k, shape=[3], counter=i)", "DTYPE",
               "random_uniform: the counter must be u32 or u64, got i64 (\"i\")");
  check_misuse(inputs, "random_bits(v, shape=[3])", "SHAPE", "random_bits: the key must be a scalar, got shape [2] (\"v\")");
  check_misuse(inputs, "random_bits(k, shape=[3], dtype=i32)", "DTYPE", "random_bits: expected u8, u16, u32 or u64, got i32");
  check_misuse(inputs, "random_uniform(k, shape=[3], dtype=u32)", "DTYPE", "random_uniform: expected a float dtype, got u32");
  check_misuse(inputs, "random_normal(k, shape=[-3])", "RANGE", "-3");
  check_misuse(inputs, "random_normal(7, shape=[3])", "PARSE", "has no dtype here");
  check_misuse(inputs, "random_normal(k, shape=[3], seed=1)", "PARSE", "seed");
}

TEST_CASE("G14 random C2: the functions of harp.h") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_node* key = harp_constant_u64(graph.get(), HARP_U64, 0x13198a2e03707344);
  harp_node* counter = harp_input(graph.get(), "counter", HARP_U64, 0, nullptr);
  const harp_dim sizes[] = {1, 3};
  harp_output(graph.get(), "bits", harp_random_bits(key, counter, HARP_U64, 2, sizes));
  harp_output(graph.get(), "uniform", harp_random_uniform(key, counter, HARP_F64, 2, sizes));
  harp_output(graph.get(), "normal", harp_random_normal(key, nullptr, HARP_BF16, 2, sizes));
  std::vector<uint64_t> first = {0x243f6a8885a308d3};
  const Buffer buffer = wrap(context.get(), first, {});
  const auto outputs = run(compile(graph.get(), "c").get(), {buffer.get()});
  CHECK(dims(outputs[0].get()) == std::vector<int64_t>{1, 3});
  const std::vector<uint64_t> bits = values<uint64_t>(outputs[0].get());
  CHECK(bits[0] == 0xc4923a9c483df7a0);
  const std::vector<double> uniform = values<double>(outputs[1].get());
  for (size_t i = 0; i < 3; ++i) CHECK(uniform[i] == std::ldexp(static_cast<double>(bits[i] >> 11), -53));
  CHECK(harp_buffer_size(outputs[2].get()) == 6);

  const Graph other = make_graph(context.get());
  CHECK(harp_random_normal(harp_input(other.get(), "k", HARP_U32, 0, nullptr), counter, HARP_F32, 2, sizes) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(other.get()))).find("different graphs") != std::string::npos);
}
