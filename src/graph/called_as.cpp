#include "graph/called_as.h"

#include "graph/operations.h"

namespace harp {

void name_operation(Error& error, std::string_view operation) {
  if (error.code == Code::kInternal || error.code == Code::kParse || error.code == Code::kOutOfMemory) return;
  const std::string_view message = error.message;
  // Messages such as "add: …" and `input "x": …` begin with an operation; "Cannot broadcast shapes …" does not.
  const std::string_view first = message.substr(0, message.find_first_of(": "));
  if (first == operation) return;
  const bool names_another = message.substr(first.size()).starts_with(": ") && find_operation(first) != nullptr;
  error.message = cat(operation, names_another ? message.substr(first.size()) : cat(": ", message));
}

}  // namespace harp
