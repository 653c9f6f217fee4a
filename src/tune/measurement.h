// Defines the numbers that `harp info --measure` measures on this machine (measure.h), and the text of the file that stores them:
//
//     harp machine 1
//
//     machine x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC
//     first cache: 49152 bytes
//     ...                                 one line for each known number
//     end 19bc...                         a digest of the lines from "machine" to here
//
// The 1 in the first line is the version of the format. If any line is wrong, the whole text is rejected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/machine.h"

namespace harp::tune {

/// The measured quantities, in the order of their lines in the text.
enum class Quantity : uint8_t {
  // Schedules use these quantities, through apply(). They are integers.
  kFirstCache,
  kSecondCache,
  kThirdCache,
  kStream,
  kLoads,
  kMultiplyAdds,
  kAdditions,
  kAdditionLatency,
  // These quantities describe the limits of the machine, for reports: its threads, latencies and bandwidths. No schedule uses them.
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
  double least, most;  // the valid range; a number outside of this range is a measurement error
  bool is_whole = false;
};
const QuantityInfo& info_of(Quantity quantity);

struct Measurement {
  std::string machine;                                                     // machine_name() (machine.h)
  std::array<double, static_cast<size_t>(Quantity::kCount)> numbers = {};  // 0: not known

  double operator[](Quantity quantity) const { return numbers[static_cast<size_t>(quantity)]; }
  /// Sets a number. It is clamped to the valid range, and rounded to an integer or to three significant digits. A number that is not
  /// positive and finite is ignored.
  void set(Quantity quantity, double number);
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// Returns one line for each known number, for example "first cache: 49152 bytes".
std::string print_numbers(const Measurement& measurement);
std::string print(const Measurement& measurement);

/// The parsed text of a measurement, or the reason why this version of harp cannot use the text.
struct MeasurementText {
  std::optional<Measurement> measurement = std::nullopt;
  std::string why_not = {};
};
MeasurementText parse_measurement(std::string_view text);

/// Replaces those numbers of the CPU that were measured; measured_numbers() lists the numbers that can be replaced.
void apply(const Measurement& measurement, Cpu& cpu);

}  // namespace harp::tune
