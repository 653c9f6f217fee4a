// Inputs of a graph as the command line gives them: files, or the random generator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// How inputs are given: "x=photo.npy", "x=f32[512,1024]:7".
struct InputArguments {
  std::vector<std::string> inputs, randoms;
};

/// "x=photo.npy" as its two halves; Failure{2} with the example.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* example);

using ArrayQuery = harp_status (*)(const harp_program*, size_t, harp_array_info*, harp_error**);
std::vector<std::string> names_of(const harp_program* program, size_t n, ArrayQuery query);
/// The position of a name; Failure{2} says what the program has otherwise.
size_t find_name(const std::vector<std::string>& names, const std::string& name, const char* kind);

/// One array an input, in order; Failure{2} if one is given twice or not at all. `invents`: what is not given is random, if its sizes are
/// plain numbers.
std::vector<Buffer> make_inputs(harp_context* context, const harp_program* program, const InputArguments& arguments, bool invents = false);

}  // namespace harp::tool
