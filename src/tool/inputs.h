// Makes the inputs of a graph as the command line says: loads files, or generates random arrays.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tool/handles.h"

namespace harp::tool {

/// The values of the options that name inputs: "x=photo.npy" in `inputs`, "x=f32[512,1024]:7" in `randoms`.
struct InputArguments {
  std::vector<std::string> inputs, randoms;
};

/// Splits "x=photo.npy" at the "=". Without a "=" it throws a Failure with exit status 2, whose message contains the example.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* example);

using ArrayQuery = harp_status (*)(const harp_program*, size_t, harp_array_info*, harp_error**);
std::vector<std::string> names_of(const harp_program* program, size_t n, ArrayQuery query);
/// Returns the index of a name in the list. If the list lacks the name, throws a Failure with exit status 2, whose message contains the
/// list.
size_t find_name(const std::vector<std::string>& names, const std::string& name, const char* kind);

/// Makes one array for each input of the program, in the program's order. Throws a Failure with exit status 2 if the arguments give an
/// input twice or not at all. With `invents`, an input that the arguments do not give becomes a random array if its sizes are constant.
std::vector<Buffer> make_inputs(harp_context* context, const harp_program* program, const InputArguments& arguments, bool invents = false);

}  // namespace harp::tool
