#include "backend/rows.h"
#include "base/error.h"

namespace harp {

Machine cpu_machine(const Resources& resources, const char* name) {
  if (name == nullptr) return resources.host;
  const std::optional<Machine> target = machine_from_name(name);
  HARP_CHECK(target.has_value(), Code::kInvalidArgument, "harp_compile_options: unknown target \"", name, "\", expected one of ",
             machine_names());
  return *target;
}

std::vector<const Device*> cpu_devices(const Resources&) { return {&kHostDevice}; }

}  // namespace harp
