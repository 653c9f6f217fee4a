// Finds kernels whose results are only the keys of argsorts.
#pragma once

#include "schedule/program.h"

namespace harp {

/// The order of a row of one element is known without its key. If a kernel computes nothing but keys for argsorts of rows of unknown
/// length, lets it run only for longer rows. (The routine reads no keys of rows of one element, render/routines/argsort.cpp.)
void skip_unread_keys(Program& program);

}  // namespace harp
