// A failing case as a file: the graph in the text format, with what else it takes to run it in comments in front. `harp run` can read
// the file as well; the data of its inputs comes from the seed (input_data.h).
//
//   # sizes: 5 17            values of the shape variables, one line a run
//   # data: 1234             seed of the inputs
//   # variant: gcc -O1 ...   how to compile it (variant.h); none: all usual ways
//   # note: free text
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check_case.h"

namespace harp::fuzz {

/// Error{kParse} if the text is no graph or a comment is damaged. `note` is kept apart.
Job parse_job(std::string_view text);
std::string print_job(const Job& job, std::string_view note);

/// The whole file; Error{kIo} names it.
std::string read_text_file(const std::string& path);
void write_text_file(const std::string& path, std::string_view text);

/// Every compiler and text form a regression has to pass: gcc, clang, plain, widths 1 to 16, rules off, threads.
std::vector<BuildVariant> usual_variants();

}  // namespace harp::fuzz
