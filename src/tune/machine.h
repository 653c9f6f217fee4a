// The machine's name as one line of text: measurements are valid on all machines with the same name.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/process.h"

namespace harp::tune {

/// The operating system, the vector level, and the processor's own description: "x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC".
std::string machine_name(FileSystem& files, const Machine& host);

}  // namespace harp::tune
