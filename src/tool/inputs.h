// Inputs of a graph from the command line: files, or arrays of the random generator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// The options that give inputs: "x=photo.npy", "x=f32[512,1024]:7".
struct InputArguments {
  std::vector<std::string> inputs, randoms;
};

/// Splits "x=photo.npy" at the "="; Failure{2} shows the example if there is none.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* example);

using ArrayQuery = harp_status (*)(const harp_program*, size_t, harp_array_info*, harp_error**);
std::vector<std::string> names_of(const harp_program* program, size_t n, ArrayQuery query);
/// The position of a name in the list; Failure{2} lists the names if it is missing.
size_t find_name(const std::vector<std::string>& names, const std::string& name, const char* kind);

/// Makes one array for each input, in order. Failure{2} if an input is given twice or not at all. With `invents`, an input that is not
/// given is random if its sizes are plain numbers.
std::vector<Buffer> make_inputs(harp_context* context, const harp_program* program, const InputArguments& arguments, bool invents = false);

}  // namespace harp::tool
