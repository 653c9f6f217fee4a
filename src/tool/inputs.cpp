#include "tool/inputs.h"

#include <algorithm>

#include "tool/arrays.h"

namespace harp::tool {

std::pair<std::string, std::string> split_assignment(const std::string& text, const char* example) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Failure{"'" + text + "' is not an assignment such as " + example, 2};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> names_of(const harp_program* program, size_t n, ArrayQuery query) {
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    done("", query, program, i, &info);
    names.emplace_back(info.name);
  }
  return names;
}

size_t find_name(const std::vector<std::string>& names, const std::string& name, const char* kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  throw Failure{std::string("the program has no ") + kind + " '" + name + "' (it has " + (known.empty() ? "none" : known) + ")", 2};
}

namespace {

/// Makes a random array for an input that has constant sizes. Returns null for an input with symbolic sizes.
Buffer invented(harp_context* context, const harp_program* program, size_t input) {
  harp_array_info info = HARP_ARRAY_INFO_INIT;
  done("", harp_program_input, program, input, &info);
  RandomArray array{info.dtype, std::vector<int64_t>(info.dims, info.dims + info.rank), input};
  const bool plain = std::all_of(array.dims.begin(), array.dims.end(), [](int64_t size) { return size >= 0; });
  return plain ? make_random(context, array) : nullptr;
}

}  // namespace

std::vector<Buffer> make_inputs(harp_context* context, const harp_program* program, const InputArguments& arguments, bool invents) {
  const std::vector<std::string> names = names_of(program, harp_program_input_count(program), harp_program_input);
  std::vector<Buffer> inputs(names.size());
  const auto entry = [&](const std::string& name) -> Buffer& {
    Buffer& input = inputs[find_name(names, name, "input")];
    if (input != nullptr) throw Failure{"input '" + name + "' is given twice", 2};
    return input;
  };
  for (const std::string& text : arguments.inputs) {
    const auto [name, path] = split_assignment(text, "x=photo.npy");
    entry(name) = made<Buffer>("", harp_npy_load, context, path.c_str());
  }
  for (const std::string& text : arguments.randoms) {
    const auto [name, description] = split_assignment(text, "x=f32[512,1024]:7");
    Buffer& input = entry(name);
    input = make_random(context, parse_random(description));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (inputs[i] == nullptr && invents) inputs[i] = invented(context, program, i);
    if (inputs[i] == nullptr)
      throw Failure{
          "input '" + names[i] + "' is missing: give --input " + names[i] + "=FILE.npy or --random " + names[i] + "=f32[2,3]:SEED", 2};
  }
  return inputs;
}

}  // namespace harp::tool
