// Makes the name of a machine, as one line of text. Measurements are valid on all machines with the same name.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/process.h"

namespace harp::tune {

/// Returns the machine's name: operating system, vector instruction set, and the description that the processor gives of itself. Example:
/// "x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC".
std::string machine_name(FileSystem& files, const Machine& host);

}  // namespace harp::tune
