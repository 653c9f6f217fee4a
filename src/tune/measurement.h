// The numbers that `harp info --measure` finds out about the machine at hand (measure.h), and their text:
//
//     harp machine 1
//
//     machine x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC
//     first cache: 49152 bytes
//     ...                                 a line for each number that is known
//     end 19bc...                         a digest of the lines above, from "machine" on
//
// The number is the version of the format. The text counts as a whole or not at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/machine.h"

namespace harp::tune {

/// What is measured, in the order of the lines.
enum class Quantity : uint8_t {
  // Schedules read these (apply()): whole numbers.
  kFirstCache,
  kSecondCache,
  kThirdCache,
  kStream,
  kLoads,
  kMultiplyAdds,
  kAdditions,
  kAdditionLatency,
  // These say what a machine can do at most. No schedule reads them.
  kThreads,
  kFirstLatency,
  kSecondLatency,
  kThirdLatency,
  kMemoryLatency,
  kFirstRead,
  kSecondRead,
  kThirdRead,
  kMemoryRead,
  kFirstReadByAll,
  kSecondReadByAll,
  kThirdReadByAll,
  kMemoryReadByAll,
  kCount
};

struct QuantityInfo {
  std::string_view name, unit;
  double least, most;  // the valid range; a number outside of it results from an error
  bool is_whole = false;
};
const QuantityInfo& info_of(Quantity quantity);

struct Measurement {
  std::string machine;                                                     // machine_name() (machine.h)
  std::array<double, static_cast<size_t>(Quantity::kCount)> numbers = {};  // 0: not known

  double operator[](Quantity quantity) const { return numbers[static_cast<size_t>(quantity)]; }
  /// Sets a number, clamped to its valid range and rounded to a whole number or to three digits. Does nothing if it is not greater than 0.
  void set(Quantity quantity, double number);
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// The lines of the numbers that are known: "first cache: 49152 bytes".
std::string print_numbers(const Measurement& measurement);
std::string print(const Measurement& measurement);

/// A parsed measurement, or the reason why this version of harp cannot use the text.
struct MeasurementText {
  std::optional<Measurement> measurement = std::nullopt;
  std::string why_not = {};
};
MeasurementText parse_measurement(std::string_view text);

/// Replaces the numbers of the CPU (measured_numbers()) by those that are known.
void apply(const Measurement& measurement, Cpu& cpu);

}  // namespace harp::tune
