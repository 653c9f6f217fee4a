// Graphs with a custom function, as text.
#pragma once

#include <string>

namespace capi_test {

/// A graph that returns one custom function of the declared inputs as y.
inline std::string graph_of(const std::string& inputs, const std::string& arrays, const std::string& body, const std::string& type) {
  const size_t bracket = type.find('[');
  return "graph g(" + inputs + ") {\n  y = custom_function(" + arrays + ", body=\"\"\"" + body +
         "\"\"\", dtype=" + type.substr(0, bracket) + ", shape=" + type.substr(bracket) + ")\n  return y\n}";
}

}  // namespace capi_test
