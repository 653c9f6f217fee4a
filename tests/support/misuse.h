// Checks the error message of a single operation on declared inputs, as it is reported for a graph in the text format.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "graph/text.h"

/// Checks that `expression` over `inputs` fails with the error code `code` (its name in harp.h). The message must contain `words` and must
/// not name the operation twice.
inline void check_misuse(const std::string& inputs, const std::string& expression, const std::string& code, const std::string& words) {
  CAPTURE(expression);
  try {
    harp::parse_graph("graph g(" + inputs + ") {\n  return out = " + expression + "\n}");
    FAIL_CHECK("no error");
  } catch (const harp::Error& e) {
    CHECK(std::string(harp::code_name(e.code)) == code);
    CHECK_MESSAGE(e.message.find(words) != std::string::npos, e.message);
    const std::string name = expression.substr(0, expression.find('(')) + ":";
    CHECK_MESSAGE(e.message.find(name) == e.message.rfind(name), e.message);
  }
}
