// Reads and writes a failing case as a file: the graph in the text format, after comments with the settings of the run. `harp run` can read
// the file too. The data of the inputs is generated from the seed (input_data.h).
//
//   # sizes: 5 17            values of the shape variables, one line per run
//   # data: 1234             seed of the inputs
//   # variant: gcc -O1 ...   settings of the compilation (variant.h), one line per variant; without such a line: all of usual_variants()
//   # note: free text
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_case.h"

namespace harp::fuzz {

/// Parses a case file. Throws Error{kParse} if the text is not a graph or if a line "# sizes:", "# data:" or "# variant:" cannot be parsed.
/// The lines "# note:" are ignored.
Job parse_job(std::string_view text);
std::string print_job(const Job& job, std::string_view note);

/// Returns the content of the file. If the file cannot be read, throws Error{kIo}, whose message contains the path.
std::string read_text_file(const std::string& path);
void write_text_file(const std::string& path, std::string_view text);

/// The variants that every regression test compiles: gcc and clang, text without vector types, vector widths 1 to 16, disabled optimiser
/// rules, several threads.
std::vector<BuildVariant> usual_variants();

}  // namespace harp::fuzz
