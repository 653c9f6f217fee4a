// A unit (a generated source file) while it is written: the options and the dialect, and the definitions that its kernels have needed so
// far.
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
  /// Functions that the loader calls before all others, to fill tables. The key is the name of the table. They stand after all definitions.
  std::map<std::string, std::string> at_load = {};
  /// Constant tables that are rows of an array: the name of the table, and how code writes the row.
  std::map<std::string, std::string> joined_tables = {};
};

}  // namespace harp::render
