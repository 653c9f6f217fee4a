// Each of these functions adds the classes and functions of one source file to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace harp_python {

void add_tensor(nanobind::module_& m);
void add_dim(nanobind::module_& m);
void add_inspect(nanobind::module_& m);
void add_jit(nanobind::module_& m);
void add_programs(nanobind::module_& m);

}  // namespace harp_python
