#include "tune/measurement.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "base/text.h"
#include "tune/lines.h"

namespace harp::tune {
namespace {

constexpr std::string_view kTitle = "harp machine ", kFormat = "1";
constexpr std::string_view kDamaged = "it is damaged";

constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB, kMostGBs = 1e6;
constexpr QuantityInfo kInfo[] = {
    {"first cache", "bytes", 4 * kKiB, 4 * kMiB, true},
    {"second cache", "bytes", 32 * kKiB, 256 * kMiB, true},
    {"third cache", "bytes", 32 * kKiB, 16 * kGiB, true},
    {"non-temporal stores from", "bytes", 64 * kKiB, 16 * kGiB, true},
    {"vector loads", "a cycle", 1, 16, true},
    {"vector multiply-adds", "a cycle", 1, 16, true},
    {"vector additions", "a cycle", 1, 16, true},
    {"latency of an addition", "cycles", 1, 64, true},
    {"all threads", "threads", 1, 1024, true},
    {"latency of the first cache", "ns", 1e-3, 1e6},
    {"latency of the second cache", "ns", 1e-3, 1e6},
    {"latency of the third cache", "ns", 1e-3, 1e6},
    {"latency of memory", "ns", 1e-3, 1e6},
    {"reads from the first cache, one thread", "GB/s", 1e-3, kMostGBs},
    {"reads from the second cache, one thread", "GB/s", 1e-3, kMostGBs},
    {"reads from the third cache, one thread", "GB/s", 1e-3, kMostGBs},
    {"reads from memory, one thread", "GB/s", 1e-3, kMostGBs},
    {"reads from the first cache, all threads", "GB/s", 1e-3, kMostGBs},
    {"reads from the second cache, all threads", "GB/s", 1e-3, kMostGBs},
    {"reads from the third cache, all threads", "GB/s", 1e-3, kMostGBs},
    {"reads from memory, all threads", "GB/s", 1e-3, kMostGBs},
};
static_assert(std::size(kInfo) == static_cast<size_t>(Quantity::kCount));

bool is_possible(double number, const QuantityInfo& info) {
  return number >= info.least && number <= info.most && (!info.is_whole || number == std::floor(number));
}

/// Tests whether the cache sizes are consistent: the first two are both known or both unknown, and each known size is larger than the one
/// before.
bool are_caches(const Measurement& m) {
  const double first = m[Quantity::kFirstCache], second = m[Quantity::kSecondCache], third = m[Quantity::kThirdCache];
  if (first == 0) return second == 0 && third == 0;
  return first < second && (third == 0 || second < third);
}

/// Returns the lines over which the digest is computed.
std::string body_of(const Measurement& measurement) { return cat("machine ", measurement.machine, "\n", print_numbers(measurement)); }

/// Parses a line "name: number unit". Returns false if the line is wrong, or if an earlier line has given the number.
bool parse_number(std::string_view line, Measurement& measurement) {
  for (size_t i = 0; i < std::size(kInfo); ++i) {
    const QuantityInfo& info = kInfo[i];
    if (!line.starts_with(info.name) || !line.substr(info.name.size()).starts_with(": ")) continue;
    std::string_view number = line.substr(info.name.size() + 2);
    if (!number.ends_with(info.unit)) return false;
    number.remove_suffix(info.unit.size());
    if (!number.ends_with(' ') || measurement.numbers[i] != 0) return false;
    number.remove_suffix(1);
    return parse_whole(number, measurement.numbers[i]) && is_possible(measurement.numbers[i], info);
  }
  return false;
}

std::optional<Measurement> parse_body(std::string_view body) {
  Measurement measurement;
  std::string_view machine;
  if (!take_line(body, "machine", machine)) return std::nullopt;
  measurement.machine = machine;
  while (!body.empty()) {
    const size_t end = body.find('\n');
    if (end == body.npos || !parse_number(body.substr(0, end), measurement)) return std::nullopt;
    body.remove_prefix(end + 1);
  }
  if (!are_caches(measurement)) return std::nullopt;
  return measurement;
}

}  // namespace

const QuantityInfo& info_of(Quantity quantity) { return kInfo[static_cast<size_t>(quantity)]; }

void Measurement::set(Quantity quantity, double number) {
  const QuantityInfo& limits = info_of(quantity);
  if (!(number > 0) || !std::isfinite(number)) return;
  number = std::clamp(number, limits.least, limits.most);
  const double unit = limits.is_whole ? 1 : std::pow(10, std::floor(std::log10(number)) - 2);
  // For units below 1 this divides by 1 / unit, which is an exact power of ten. Multiplying by the unit, which is not exact, would give
  // 1.2300000000000002 instead of 1.23.
  numbers[static_cast<size_t>(quantity)] = unit < 1 ? std::round(number / unit) / std::round(1 / unit) : std::round(number / unit) * unit;
}

std::string print_numbers(const Measurement& measurement) {
  std::string text;
  for (size_t i = 0; i < std::size(kInfo); ++i)
    if (measurement.numbers[i] != 0) append(text, cat(kInfo[i].name, ": ", measurement.numbers[i], " ", kInfo[i].unit, "\n"));
  return text;
}

std::string print(const Measurement& measurement) {
  const std::string body = body_of(measurement);
  return cat(kTitle, kFormat, "\n\n", body, "end ", digest_of(body).hex(), "\n");
}

MeasurementText parse_measurement(std::string_view text) {
  const auto damaged = [] { return MeasurementText{.why_not = std::string(kDamaged)}; };
  const size_t end_of_title = text.find('\n');
  if (!text.starts_with(kTitle) || end_of_title == text.npos) return damaged();
  if (const std::string_view format = text.substr(kTitle.size(), end_of_title - kTitle.size()); format != kFormat)
    return {.why_not = cat("it has format ", shortened(format), ", and this version of harp reads format ", kFormat)};
  text.remove_prefix(end_of_title + 1);
  if (!text.starts_with('\n')) return damaged();
  text.remove_prefix(1);
  const size_t end = text.rfind("\nend ");
  if (end == text.npos) return damaged();
  const std::string_view body = text.substr(0, end + 1);
  std::string_view digest_line = text.substr(end + 1), hex;
  Digest digest;
  if (!take_line(digest_line, "end", hex) || !digest_line.empty() || !parse_digest(hex, digest) || digest != digest_of(body))
    return damaged();
  std::optional<Measurement> measurement = parse_body(body);
  if (!measurement) return damaged();
  return {.measurement = std::move(measurement)};
}

void apply(const Measurement& measurement, Cpu& cpu) {
  size_t i = 0;
  const auto replace = [&](auto& number) {
    if (measurement.numbers[i] != 0) number = static_cast<std::remove_reference_t<decltype(number)>>(measurement.numbers[i]);
    ++i;
  };
  std::apply([&](auto&... numbers) { (replace(numbers), ...); }, measured_numbers(cpu));
  // if the second cache was measured and the third was not, the third cache's size in the table may be smaller than the second's
  cpu.caches.third = std::max(cpu.caches.third, cpu.caches.second);
  static_assert(std::tuple_size_v<decltype(measured_numbers(cpu))> == static_cast<size_t>(Quantity::kAdditionLatency) + 1);
}

}  // namespace harp::tune
