#include "backend/rows.h"

namespace harp {

const Backend kInterpBackend = {
    .name = "interp",
    .available = [](const Resources&) { return Availability{}; },
    .machine = &cpu_machine,
    .devices = &cpu_devices,
    .load = [](const Resources&, const Loadable& program) { return make_interp_executable(program.graph); },
};

}  // namespace harp
