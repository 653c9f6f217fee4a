// Describes a unit (a generated source file) while it is being written: the options, the dialect, and the definitions that its kernels have
// needed so far.
#pragma once

#include <map>
#include <string>

#include "render/kernel/dialect.h"
#include "render/options.h"
#include "render/text/definitions.h"

namespace harp::render {

struct Unit {
  const RenderOptions& options;
  const Dialect& dialect;
  Definitions definitions = {};
  /// The texts of functions that fill tables. The loader calls them before all other functions. The key is the name of the table. In the
  /// source they follow all definitions.
  std::map<std::string, std::string> at_load = {};
  /// Constant tables that are rows of an array. The key is the name of the table; the value is the C expression for the row.
  std::map<std::string, std::string> joined_tables = {};
};

}  // namespace harp::render
