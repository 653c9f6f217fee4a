#include "backend/rows.h"

namespace harp {

namespace {

std::unique_ptr<Executable> load(const Resources&, const Loadable& program) { return make_interp_executable(program.graph); }

}  // namespace

const Backend kInterpBackend = {
    .name = "interp",
    .available = [](const Resources&) { return Availability{}; },
    .machine = &cpu_machine,
    .devices = &cpu_devices,
    .load = &load,
};

}  // namespace harp
