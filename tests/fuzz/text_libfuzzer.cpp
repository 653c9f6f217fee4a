// libFuzzer on the text parser. Any bytes either parse or throw harp::Error with a position and a message in UTF-8. A parsed graph is
// verified, printed, parsed again and printed to the same text. Build with the preset `fuzz` (clang) and run with a corpus folder:
//   text_libfuzzer corpus tests/golden tests/fuzz/corpus
#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "base/utf8.h"
#include "graph/text.h"
#include "graph/verify.h"

namespace {

void report(std::string_view what, std::string_view text) {
  std::cerr << what << "\n" << text << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::unique_ptr<harp::Graph> graph;
  try {
    graph = harp::parse_graph(text);
  } catch (const harp::Error& e) {
    const bool is_utf8 = harp::escape_invalid_utf8(e.message) == e.message;
    if (e.code == harp::Code::kInternal || !e.message.starts_with("line ") || !is_utf8) report(e.message, text);
    return 0;
  }
  try {
    harp::verify(*graph);
    const std::string printed = harp::print_graph(*graph);
    const std::string again = harp::print_graph(*harp::parse_graph(printed));
    if (again != printed) report("printing changed:\n" + printed, again);
  } catch (const harp::Error& e) {
    report(e.message, text);
  }
  return 0;
}
