// What kind of machine this is, as text: measurements hold for machines of the same name.
#pragma once

#include <string>

#include "base/process.h"
#include "base/target.h"

namespace harp::tune {

/// "x86_64-linux-gnu x86-64-v4 AuthenticAMD 25 17 1 AMD EPYC": operating system, level, and what it says of its processor.
std::string machine_name(FileSystem& files, const Target& host);

}  // namespace harp::tune
