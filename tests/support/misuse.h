// Checks the error of one operation over declared inputs, as the text format reports it.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "graph/text.h"

/// Checks that `expression` over `inputs` fails with this code (its name in harp.h), and that the message contains `words` and does not
/// name the operation of `expression` twice.
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
