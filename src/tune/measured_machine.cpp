#include "tune/measured_machine.h"

#include <utility>

#include "base/text.h"
#include "tune/machine.h"

namespace harp::tune {

/// Reads the file unless it has been read before. The caller holds mutex_.
void MeasuredMachine::load() {
  if (std::exchange(is_loaded_, true) || !cache_.has_file(kFile)) return;
  std::string why_not;
  const std::optional<std::string> text = cache_.read_file(kFile, why_not);
  if (text) {
    MeasurementText parsed = parse_measurement(*text);
    why_not = std::move(parsed.why_not);
    if (parsed.measurement && parsed.measurement->machine != machine_name(system_.files, host_))
      why_not = cat("they are of another machine, ", shortened(parsed.measurement->machine));
    else
      known_ = std::move(parsed.measurement);
  }
  if (!why_not.empty()) log_.warning("the measurements ", cache_.directory(), "/", kFile, " are not used: ", why_not);
}

Machine MeasuredMachine::machine() {
  const std::lock_guard guard(mutex_);
  load();
  Machine machine = host_;
  if (known_) apply(*known_, std::get<Cpu>(machine.hardware));
  return machine;
}

std::optional<Measurement> MeasuredMachine::known() {
  const std::lock_guard guard(mutex_);
  load();
  return known_;
}

std::string MeasuredMachine::store(Measurement measurement) {
  const std::lock_guard guard(mutex_);
  const std::string text = print(measurement);
  known_ = std::move(measurement);
  is_loaded_ = true;
  if (cache_.directory().empty()) return cat("the compile cache is disabled: ", cache_.why_off());
  return cache_.replace_file(kFile, text);
}

}  // namespace harp::tune
