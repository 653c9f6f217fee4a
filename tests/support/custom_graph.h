// Makes graphs with a custom function, as text.
#pragma once

#include <string>

namespace capi_test {

/// The text of a graph whose output y is a custom function of the declared inputs.
inline std::string graph_of(const std::string& inputs, const std::string& arrays, const std::string& body, const std::string& type) {
  const size_t bracket = type.find('[');
  return "graph g(" + inputs + ") {\n  y = custom_function(" + arrays + ", body=\"\"\"" + body +
         "\"\"\", dtype=" + type.substr(0, bracket) + ", shape=" + type.substr(bracket) + ")\n  return y\n}";
}

}  // namespace capi_test
