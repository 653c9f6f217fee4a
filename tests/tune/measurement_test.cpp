// Tests the numbers of `harp info --measure` as text (tune/measurement.h), and what harp concludes from measured times (tune/measure.h).
#include "tune/measurement.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "support/machine.h"
#include "tune/measure.h"

using namespace harp;
using namespace harp::tune;

namespace {

/// Returns a measurement in which every value is known.
Measurement whole() {
  Measurement m;
  m.machine = "x86_64-linux-gnu x86-64-v4 GenuineIntel 6 143 8 Xeon";
  m.set(Quantity::kFirstCache, 49152);
  m.set(Quantity::kSecondCache, 2 << 20);
  m.set(Quantity::kThirdCache, 64 << 20);
  m.set(Quantity::kStream, 24 << 20);
  m.set(Quantity::kLoads, 2);
  m.set(Quantity::kMultiplyAdds, 2);
  m.set(Quantity::kAdditions, 2);
  m.set(Quantity::kAdditionLatency, 4);
  m.set(Quantity::kThreads, 8);
  for (size_t i = static_cast<size_t>(Quantity::kThreads) + 1; i < m.numbers.size(); ++i)
    m.set(static_cast<Quantity>(i), 0.123 * static_cast<double>(i * i * i));
  return m;
}

/// Returns the text of a file with this body and the digest that fits it.
std::string with_digest(const std::string& body) { return cat("harp machine 1\n\n", body, "end ", digest_of(body).hex(), "\n"); }

std::string why_not(const std::string& text) {
  const MeasurementText parsed = parse_measurement(text);
  CHECK(parsed.measurement.has_value() == parsed.why_not.empty());
  return parsed.why_not;
}

std::vector<LatencySample> curve(const std::vector<std::pair<int64_t, double>>& levels, int64_t largest = int64_t{256} << 20) {
  std::vector<LatencySample> samples;
  for (int64_t bytes = 8 << 10; bytes <= largest; bytes *= 2)
    for (const int64_t size : {bytes, bytes / 2 * 3}) {
      if (size > largest) continue;
      size_t level = 0;
      while (level + 1 < levels.size() && size > levels[level].first) ++level;
      // For arrays a little larger than a cache, some of the accesses still hit the cache.
      const bool is_near = level > 0 && size < 2 * levels[level - 1].first;
      samples.push_back({size, is_near ? (2 * levels[level].second + levels[level - 1].second) / 3 : levels[level].second});
    }
  return samples;
}

}  // namespace

TEST_CASE("H3.machine_measured: the text has a line for each known number, and reads back") {
  Measurement some;
  some.machine = "x86_64-linux-gnu x86-64-v3";
  some.set(Quantity::kLoads, 2);
  some.set(Quantity::kMemoryLatency, 98.76);
  const std::string body = "machine x86_64-linux-gnu x86-64-v3\nvector loads: 2 a cycle\nlatency of memory: 98.8 ns\n";
  CHECK(print_numbers(some) == "vector loads: 2 a cycle\nlatency of memory: 98.8 ns\n");
  CHECK(print(some) == with_digest(body));
  for (const Measurement& m : {some, whole(), Measurement{.machine = "?"}}) {
    const MeasurementText parsed = parse_measurement(print(m));
    CHECK(parsed.why_not.empty());
    CHECK(parsed.measurement == m);
  }
  CHECK(parse_measurement(print(whole())).measurement != some);
}

TEST_CASE("H3.machine_measured: names of numbers differ, and none begins a line of another") {
  for (size_t i = 0; i < static_cast<size_t>(Quantity::kCount); ++i)
    for (size_t k = 0; k < i; ++k) {
      const std::string one = cat(info_of(static_cast<Quantity>(i)).name, ": "), other = cat(info_of(static_cast<Quantity>(k)).name, ": ");
      CAPTURE(one);
      CHECK_FALSE(one.starts_with(other));
      CHECK_FALSE(other.starts_with(one));
    }
}

TEST_CASE("H3.machine_measured: no damage of the text is taken for what it said") {
  const std::string text = print(whole());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    CHECK_FALSE(why_not(damaged).empty());
    CHECK_FALSE(why_not(text.substr(0, i)).empty());
    damaged = text;
    damaged.insert(i, 1, text[i] == '7' ? '8' : '7');
    CHECK_FALSE(why_not(damaged).empty());
  }
  for (const char* more : {"\n", " ", "x", "end 0\n"}) CHECK(why_not(text + more) == "it is damaged");
  CHECK(why_not("") == "it is damaged");
  CHECK(why_not(std::string(5000, '\xff')) == "it is damaged");
  CHECK(why_not("harp tuning 2\n\n") == "it is damaged");
  CHECK(why_not(text + text) == "it is damaged");
}

TEST_CASE("H3.machine_measured: another format is named, whatever follows") {
  std::string newer = print(whole());
  newer.replace(newer.find(" 1\n"), 3, " 2\n");
  CHECK(why_not(newer) == "it has format 2, and this version of harp reads format 1");
  CHECK(why_not("harp machine 12\nsomething else") == "it has format 12, and this version of harp reads format 1");
}

TEST_CASE("H3.machine_measured: numbers that cannot be are damage, even with the right digest") {
  const auto with = [](const std::string& lines) { return why_not(with_digest(cat("machine m\n", lines))); };
  CHECK(with("") == "");
  CHECK(with("vector loads: 2 a cycle\n") == "");
  for (const char* line : {"vector loads: 0 a cycle",
                           "vector loads: -1 a cycle",
                           "vector loads: 1.5 a cycle",
                           "vector loads: 17 a cycle",
                           "vector loads: nan a cycle",
                           "vector loads: inf a cycle",
                           "vector loads: 2",
                           "vector loads: 2 cycles",
                           "vector loads: 2a cycle",
                           "vector loads:  2 a cycle",
                           "vector loads: a cycle",
                           "vector loads 2 a cycle",
                           "vector loads: 2 a cycle ",
                           "vector stores: 2 a cycle",
                           "",
                           "latency of memory: 0 ns",
                           "latency of memory: 1e9 ns",
                           "first cache: 32768 bytes",
                           "second cache: 1048576 bytes",
                           "third cache: 33554432 bytes",
                           "first cache: 32768 bytes\nthird cache: 33554432 bytes",
                           "vector loads: 2 a cycle\nvector loads: 2 a cycle",
                           "vector loads: 1 a cycle\nvector loads: 2 a cycle"}) {
    CAPTURE(line);
    CHECK(with(cat(line, "\n")) == "it is damaged");
  }
  const auto caches = [&](int64_t first, int64_t second, int64_t third) {
    return with(cat("first cache: ", first, " bytes\nsecond cache: ", second, " bytes\nthird cache: ", third, " bytes\n"));
  };
  CHECK(caches(32768, 1 << 20, 1 << 25) == "");
  CHECK(with("first cache: 32768 bytes\nsecond cache: 1048576 bytes\n") == "");
  CHECK(caches(32768, 1 << 20, 1 << 20) == "it is damaged");
  CHECK(caches(1 << 20, 1 << 20, 1 << 25) == "it is damaged");
  CHECK(caches(32768, 1 << 25, 1 << 20) == "it is damaged");
  CHECK(why_not(with_digest("vector loads: 2 a cycle\n")) == "it is damaged");           // the line with the machine is missing
  CHECK(why_not(with_digest("machine m\nvector loads: 2 a cycle")) == "it is damaged");  // there is no newline after the last line
  // the empty line after the first one is missing
  CHECK(why_not("harp machine 1\n" + with_digest("machine m\n").substr(16)) == "it is damaged");
}

TEST_CASE("H3.machine_measured: a number is rounded and brought into its range") {
  const auto set = [](Quantity quantity, double number) {
    Measurement m;
    m.set(quantity, number);
    return m[quantity];
  };
  CHECK(set(Quantity::kLoads, 1.9) == 2);
  CHECK(set(Quantity::kLoads, 0.4) == 1);
  CHECK(set(Quantity::kLoads, 1e9) == 16);
  CHECK(set(Quantity::kMemoryRead, 12.345) == 12.3);
  CHECK(set(Quantity::kMemoryRead, 1234.5) == 1230);
  CHECK(set(Quantity::kMemoryRead, 0.012345) == 0.0123);
  CHECK(set(Quantity::kMemoryRead, 99.96) == 100);
  CHECK(set(Quantity::kMemoryRead, 1e30) == info_of(Quantity::kMemoryRead).most);
  CHECK(set(Quantity::kMemoryRead, 1e-30) == info_of(Quantity::kMemoryRead).least);
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) CHECK(set(Quantity::kLoads, wrong) == 0);
}

TEST_CASE("H3.machine_measured: known numbers replace those of the CPU, each its own, and nothing else changes") {
  const Cpu row = testing::row("x86-64-v3").cpu();
  const auto numbers = [](const Cpu& cpu) {
    std::vector<int64_t> all;
    std::apply([&](const auto&... number) { (all.push_back(number), ...); }, measured_numbers(cpu));
    return all;
  };
  Cpu cpu = row;
  apply(Measurement{}, cpu);
  CHECK(numbers(cpu) == numbers(row));
  apply(whole(), cpu);
  CHECK(cpu.caches.first == 49152);
  CHECK(cpu.caches.second == 2 << 20);
  CHECK(cpu.caches.third == 64 << 20);
  CHECK(cpu.stream_bytes == 24 << 20);
  CHECK(cpu.vector_loads_a_cycle == 2);
  CHECK(cpu.vector_multiply_adds_a_cycle == 2);
  CHECK(cpu.vector_additions_a_cycle == 2);
  CHECK(cpu.addition_latency == 4);
  CHECK(cpu.vector_bytes == row.vector_bytes);
  for (size_t i = 0; i <= static_cast<size_t>(Quantity::kAdditionLatency); ++i) {
    std::vector<int64_t> expected = numbers(row);
    expected[i] *= 2;
    Measurement one;
    one.numbers[i] = static_cast<double>(expected[i]);
    cpu = row;
    apply(one, cpu);
    CHECK(numbers(cpu) == expected);
  }
  Measurement two_caches;
  two_caches.set(Quantity::kFirstCache, 65536);
  two_caches.set(Quantity::kSecondCache, 64 << 20);
  apply(two_caches, cpu);
  CHECK(cpu.caches.third == 64 << 20);  // the third-level cache is at least as large as the second-level one
}

TEST_CASE("H3.machine_measured: caches end where the latency of a load grows") {
  const auto is = [](const std::optional<Caches>& found, int64_t first, int64_t second, int64_t third) {
    REQUIRE(found.has_value());
    CHECK(found->first == first);
    CHECK(found->second == second);
    CHECK(found->third == third);
  };
  constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;
  is(caches_from(curve({{48 * kKiB, 1.2}, {2 * kMiB, 4}, {32 * kMiB, 22}, {0, 110}})), 48 * kKiB, 2 * kMiB, 32 * kMiB);
  is(caches_from(curve({{32 * kKiB, 1.1}, {256 * kKiB, 3.3}, {8 * kMiB, 11}, {0, 80}})), 32 * kKiB, 256 * kKiB, 8 * kMiB);
  // If the true size of a cache is between two sampled sizes, the smaller one is reported.
  is(caches_from(curve({{32 * kKiB, 1.1}, {1280 * kKiB, 4}, {30 * kMiB, 20}, {0, 100}})), 32 * kKiB, 1024 * kKiB, 24 * kMiB);
  // The machine has no third-level cache, or one that is larger than all samples.
  is(caches_from(curve({{32 * kKiB, 1}, {1 * kMiB, 5}, {0, 120}})), 32 * kKiB, 1 * kMiB, 0);
  // There is no sample beyond the third-level cache, so this cache is not found.
  is(caches_from(curve({{32 * kKiB, 1}, {96 * kMiB, 5}, {0, 99}})), 32 * kKiB, 96 * kMiB, 0);
  // The last part of the second-level cache is slower than the first.
  std::vector<LatencySample> slower = curve({{48 * kKiB, 1.2}, {2 * kMiB, 5}, {32 * kMiB, 22}, {0, 110}});
  for (LatencySample& sample : slower)
    if (sample.bytes >= kMiB && sample.bytes <= 2 * kMiB) sample.ns = 7;
  is(caches_from(slower), 48 * kKiB, 2 * kMiB, 32 * kMiB);
  // Some samples are wrong because the machine was busy.
  std::vector<LatencySample> noisy = curve({{48 * kKiB, 1.2}, {2 * kMiB, 4}, {32 * kMiB, 22}, {0, 110}});
  for (size_t i = 1; i + 1 < noisy.size(); i += 7) noisy[i].ns *= 40;  // none of these samples is at the end of a cache
  for (size_t i = 0; i < noisy.size(); ++i) noisy[i].ns *= i % 2 == 0 ? 1.04 : 1;
  is(caches_from(noisy), 48 * kKiB, 2 * kMiB, 32 * kMiB);
  // These latency curves show no caches.
  CHECK_FALSE(caches_from(curve({{0, 10}})).has_value());
  CHECK_FALSE(caches_from(curve({{48 * kKiB, 1.2}, {0, 4}})).has_value());
  CHECK_FALSE(caches_from({}).has_value());
  CHECK_FALSE(caches_from({{8 * kKiB, 1}}).has_value());
  CHECK_FALSE(caches_from({{8 * kKiB, 1}, {12 * kKiB, 9}}).has_value());
}

TEST_CASE("H3.machine_measured: non-temporal stores begin where they are faster, whatever disturbed a single sample") {
  const std::vector<StoreSample> samples = {{2, 1, 3}, {3, 2, 2}, {4, 3, 2.9}, {6, 4, 5}, {8, 9, 5}, {12, 12, 6}};
  CHECK(stream_bytes_from(samples) == 8);
  CHECK(stream_bytes_from(std::span(samples).subspan(4)) == 8);  // always faster
  CHECK(stream_bytes_from(std::span(samples).first(2)) == 6);    // never
  CHECK(stream_bytes_from(std::span(samples).subspan(1, 1)) == 6);
  const std::vector<StoreSample> disturbed = {{2, 1, 3}, {4, 50, 1}, {8, 1, 2.5}, {16, 3, 1}, {32, 1, 1.5}, {64, 4, 1}, {128, 4, 1}};
  CHECK(stream_bytes_from(disturbed) == 16);
}
