// Tests the part of src/run below the C API: evaluation of size expressions in postfix form, detection of overlapping arrays, entry points,
// and .npy files.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/error.h"
#include "graph/build.h"
#include "run/npy.h"
#include "run/program.h"
#include "support/faulty_system.h"

using namespace harp;

namespace {

/// A random expression of three variables, with limited depth.
Sym random_size(std::mt19937& random, std::span<const Sym> variables, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) return pick(2) == 0 ? Sym(pick(9) - 4) : variables[static_cast<size_t>(pick(3))];
  const Sym a = random_size(random, variables, depth - 1), b = random_size(random, variables, depth - 1);
  switch (pick(8)) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return floor_div(a, b);
    case 4: return mod(a, b);
    case 5: return min(a, b);
    case 6: return max(a, b);
    default: return select(a, b, random_size(random, variables, depth - 1));
  }
}

/// An executable that accepts all arguments and only counts its calls. The tests check which arguments LoadedProgram rejects without
/// calling the executable.
class NoExecutable final : public Executable {
 public:
  explicit NoExecutable(int& calls) : calls_(calls) {}
  void execute(void**, void**, size_t*, const harp_runtime&) const override { ++calls_; }
  harp_entry_point entry() const override { return nullptr; }
  harp_entry_point_ex entry_ex() const override { return nullptr; }
  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 private:
  int& calls_;
};

size_t files_in(const Scratch& scratch) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(scratch.path()), std::filesystem::directory_iterator()));
}

/// Returns the bytes of a .npy file of this version, with this header dictionary and data.
std::string npy(int version, std::string dict, const std::string& data) {
  dict += std::string(20, ' ') + "\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(dict.size() >> (8 * i));
  return file + dict + data;
}

template <class T>
std::string bytes(std::initializer_list<T> values, bool swapped = false) {
  std::string out;
  for (T value : values) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    if (swapped) std::reverse(raw, raw + sizeof raw);
    out.append(raw, sizeof raw);
  }
  return out;
}

template <class T>
std::vector<T> values(const DeviceArray& array) {
  std::vector<T> out(array.bytes() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), array.data(), array.bytes());
  return out;
}

/// Returns the code and message of the error that `body` throws.
template <class Body>
Error error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return Error(Code::kOk, "no error");
}

}  // namespace

TEST_CASE("G16.dims: postfix code gives what the expression means") {
  std::mt19937 random(7);
  SymTable table;
  const Sym variables[] = {table.variable("a", 0, 50), table.variable("b", 0, 50), table.variable("c", 0, 50)};
  int compared = 0;
  for (int round = 0; round < 3000; ++round) {
    const Sym size = random_size(random, variables, 1 + round % 4);
    const SizeCode code(size, variables);
    for (int sample = 0; sample < 4; ++sample) {
      const int64_t given[] = {static_cast<int64_t>(random() % 51), static_cast<int64_t>(random() % 51),
                               static_cast<int64_t>(random() % 51)};
      const auto value_of = [&](const SymAtom& atom) { return given[atom.name[0] - 'a']; };
      int64_t expected = 0;
      if (error_of([&] { expected = evaluate(size, value_of); }).code != Code::kOk) continue;
      CAPTURE(to_string(size));
      CHECK(code.evaluate(given) == expected);
      ++compared;
    }
  }
  CHECK(compared > 10000);
  CHECK(SizeCode(variables[1], variables).variable() == 1);
  CHECK(SizeCode(variables[1] + 1, variables).variable() == -1);
  CHECK(SizeCode(Sym(7), variables).is_constant());
  Sym deep = variables[0];
  for (int i = 0; i < 5000; ++i) deep = floor_div(deep + 7, 3);  // deep expressions must not cause deep recursion
  const int64_t given[] = {1, 1, 1};
  CHECK(SizeCode(deep, variables).evaluate(given) >= 0);
  const Sym large = table.variable("l", 0, INT64_MAX);
  const Sym squared[] = {large};
  const int64_t most[] = {INT64_MAX};
  CHECK(error_of([&] { SizeCode(large * large, squared).evaluate(most); }).code == Code::kOverflow);
}

TEST_CASE("H5.wrap: overlapping arrays are found, whatever their order") {
  // Places two inputs and three outputs at random positions of one block of memory. An independent check compares every pair of them.
  Graph graph;
  for (const char* name : {"a", "b"}) graph.add_input(name, DType::kBool, {graph.dims().variable(name, 0, 100)});
  for (const char* name : {"x", "y", "z"})
    graph.add_output(
        name, build::elementwise(Op::kBitNot, {graph.add_input(cat("in_", name), DType::kBool, {graph.dims().variable(name, 0, 100)})}));
  int calls = 0;
  const LoadedProgram program(std::make_shared<Signature>(signature_of(graph)), std::make_unique<NoExecutable>(calls), HostHooks(),
                              {"none", {&kHostDevice}});
  std::mt19937 random(11);
  std::vector<std::byte> block(300), far(300);
  int aliased = 0;
  for (int round = 0; round < 5000; ++round) {
    struct Extent {
      int64_t begin, size;
    } extents[5];
    std::vector<DeviceArray> arrays;
    for (Extent& extent : extents) {
      extent = {static_cast<int64_t>(random() % 200), static_cast<int64_t>(random() % 30)};
      arrays.push_back(DeviceArray::wrap(DType::kBool, {&extent.size, 1}, block.data() + extent.begin, false, nullptr, nullptr));
    }
    for (int i = 2; i < 5; ++i)
      arrays.push_back(
          // These inputs are in a separate block of memory. Their lengths determine the sizes of the outputs.
          DeviceArray::wrap(DType::kBool, {&extents[i].size, 1}, far.data(), true, nullptr, nullptr));
    const RunArray inputs[] = {arrays[0].view(), arrays[1].view(), arrays[5].view(), arrays[6].view(), arrays[7].view()};
    RunArray outputs[] = {arrays[2].view(), arrays[3].view(), arrays[4].view()};
    bool expected = false;
    for (int i = 2; i < 5; ++i)
      for (int j = 0; j < i; ++j)
        expected = expected || (extents[i].size > 0 && extents[j].size > 0 && extents[i].begin < extents[j].begin + extents[j].size &&
                                extents[j].begin < extents[i].begin + extents[i].size);
    const Error error = error_of([&] {
      RunMemory none;
      program.run({inputs, outputs, {}}, none, nullptr);
    });
    CHECK(error.code == (expected ? Code::kAlias : Code::kOk));
    aliased += expected;
  }
  CHECK(aliased > 500);
  CHECK(aliased < 4500);
  CHECK(calls == 5000 - aliased);
}

TEST_CASE("H5.wrap: arrays that may be in place of one another are told from all others") {
  // Places three inputs and two outputs of the same size at a few positions. An independent check compares every pair of them.
  Graph graph;
  const Dim n = graph.dims().variable("n", 0, 100);
  const Node* inputs[3];
  for (int i = 0; i < 3; ++i) inputs[i] = graph.add_input(cat("x", i), DType::kBool, {n});
  graph.add_output("y", build::elementwise(Op::kBitAnd, {inputs[0], inputs[1]}));
  graph.add_output("z", build::elementwise(Op::kBitOr, {inputs[1], inputs[2]}));
  auto signature = std::make_shared<Signature>(signature_of(graph));
  signature->outputs[0].in_place = {0, 1};
  signature->outputs[1].in_place = {1, 2};
  int calls = 0;
  const LoadedProgram program(signature, std::make_unique<NoExecutable>(calls), HostHooks(), {"none", {&kHostDevice}});
  std::mt19937 random(13);
  std::vector<std::byte> block(100);
  int wrong = 0, in_place = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto size = static_cast<int64_t>(random() % 12);
    int64_t offsets[5];
    std::vector<DeviceArray> arrays;
    for (int64_t& offset : offsets) {
      offset = static_cast<int64_t>(random() % 6) * 12 + (random() % 10 == 0 ? 5 : 0);
      arrays.push_back(DeviceArray::wrap(DType::kBool, {&size, 1}, block.data() + offset, false, nullptr, nullptr));
    }
    bool refused = false, same = false;
    for (size_t output = 3; output < 5 && size > 0; ++output)
      for (size_t other = 0; other < output; ++other) {
        if (std::abs(offsets[output] - offsets[other]) >= size) continue;
        const std::vector<size_t>& allowed = signature->outputs[output - 3].in_place;
        const bool fits = offsets[output] == offsets[other] && std::find(allowed.begin(), allowed.end(), other) != allowed.end();
        refused = refused || !fits;
        same = same || fits;
      }
    const RunArray in[] = {arrays[0].view(), arrays[1].view(), arrays[2].view()};
    RunArray out[] = {arrays[3].view(), arrays[4].view()};
    const Error error = error_of([&] {
      RunMemory none;
      program.run({in, out, {}}, none, nullptr);
    });
    CHECK(error.code == (refused ? Code::kAlias : Code::kOk));
    wrong += refused;
    in_place += same && !refused;
  }
  CHECK(wrong > 1000);
  CHECK(in_place > 1000);
  CHECK(calls == 20000 - wrong);
}

TEST_CASE("C1: .npy files of every version, byte order and layout") {
  const Scratch scratch;
  RealFileSystem files;
  const std::string path = scratch / "a.npy";
  const auto load = [&](const std::string& content) {
    write_text(path, content);
    return load_npy(files, Allocator::standard(), path);
  };
  const std::string floats = bytes<float>({1, 2, 3, 4, 5, 6});
  for (int version : {1, 2, 3}) {
    const DeviceArray array = load(npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", floats));
    CHECK(to_string(array.type()) == "f32[2, 3]");
    CHECK(values<float>(array) == std::vector<float>{1, 2, 3, 4, 5, 6});
  }
  CHECK(values<float>(load(npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", floats))) ==
        std::vector<float>{1, 3, 5, 2, 4, 6});
  CHECK(values<int64_t>(load(npy(1, "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\">i8\"}", bytes<int64_t>({-5, 1}, true)))) ==
        std::vector<int64_t>{-5, 1});
  CHECK(values<double>(load(npy(1, "{'descr': '=f8', 'fortran_order': False, 'shape': ()}", bytes<double>({0.5})))) ==
        std::vector<double>{0.5});
  CHECK(values<uint8_t>(load(npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3L,)}", std::string("\1\0\1", 3)))) ==
        std::vector<uint8_t>{1, 0, 1});
  for (const char* descr : {"|V2", "<V2"}) {  // NumPy uses these type names for bf16 arrays, whose dtype other packages define
    const DeviceArray halves =
        load(npy(1, cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (2,)}"), bytes<uint16_t>({0x3f80, 1})));
    CHECK(to_string(halves.type()) == "bf16[2]");
    CHECK(values<uint16_t>(halves) == std::vector<uint16_t>{0x3f80, 1});
  }
  CHECK(values<uint16_t>(load(npy(1, "{'descr': '>f2', 'fortran_order': False, 'shape': (2,)}", bytes<uint16_t>({0x3c00, 1}, true)))) ==
        std::vector<uint16_t>{0x3c00, 1});
  for (const bool swapped : {false, true}) {  // each part of a complex number is byte-swapped separately
    const char* descr = swapped ? ">c8" : "<c8";
    const DeviceArray pairs = load(
        npy(1, cat("{'descr': '", descr, "', 'fortran_order': True, 'shape': (2, 2)}"), bytes<float>({1, 2, 3, 4, 5, 6, 7, 8}, swapped)));
    CHECK(to_string(pairs.type()) == "complex64[2, 2]");
    CHECK(values<float>(pairs) == std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8});
  }
  CHECK(load(npy(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 0, 3)}", "")).bytes() == 0);

  const auto refuses = [&](const std::string& content, Code code, const char* message) {
    const Error error = error_of([&] { load(content); });
    CHECK(error.code == code);
    CHECK_MESSAGE(error.message.find(message) != std::string::npos, error.message);
    CHECK_MESSAGE(error.message.find(path) == 0, error.message);
  };
  const auto dict = [&](const std::string& text) { return npy(1, text, floats); };
  refuses(dict("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}"), Code::kUnsupported, "object arrays");
  refuses(dict("{'descr': '<U5', 'fortran_order': False, 'shape': (2, 3)}"), Code::kUnsupported, "string arrays");
  refuses(dict("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}"), Code::kUnsupported, "structured arrays");
  refuses(dict("{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3)}"), Code::kParse, "truncated: complex64[2, 3] needs 48 bytes");
  refuses(dict("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (2, 3)}"), Code::kUnsupported, "<M8[s]");
  refuses(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}"), Code::kParse, "truncated");
  refuses(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"), Code::kParse, "bytes after the 16 bytes of the array");
  refuses(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}"), Code::kOverflow, "63 bits");
  refuses(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}"), Code::kParse, "expected a size");
  refuses(dict("{'descr': '<f4', 'fortran_order': False}"), Code::kParse, "missing");
  refuses(dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}"), Code::kParse, "unexpected key 'more'");
  refuses(dict("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}"), Code::kParse, "True or False");
  refuses(npy(4, "{}", ""), Code::kParse, "version 4");
  const std::string whole = npy(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", floats);
  for (size_t size = 0; size < whole.size(); ++size) {
    const Error error = error_of([&] { load(whole.substr(0, size)); });
    CHECK(error.code == Code::kParse);
  }
  refuses(whole + "x", Code::kParse, "bytes after");
}

TEST_CASE("C1: saved .npy files load again, and a save that fails leaves nothing") {
  const Scratch scratch;
  RealFileSystem files;
  const std::string path = scratch / "b.npy";
  const int64_t dims[] = {3, 2};
  const float data[] = {0.5f, -1, 2, 3, 4, 5};
  const ArrayType type{DType::kF32, dims};
  save_npy(files, path, type, data);
  CHECK(values<float>(load_npy(files, Allocator::standard(), path)) == std::vector<float>(data, data + 6));
  CHECK((std::filesystem::file_size(path) - 24) % 64 == 0);  // the data begins at a multiple of 64 bytes, as in NumPy's files
  const int64_t one[] = {1};
  save_npy(files, path, {DType::kBool, one}, "\1");
  CHECK(values<uint8_t>(load_npy(files, Allocator::standard(), path)) == std::vector<uint8_t>{1});
  CHECK(files_in(scratch) == 1);
  save_npy(files, "/dev/null", type, data);  // writes to the device; it does not replace it by a file
  CHECK(std::filesystem::is_character_file("/dev/null"));

  int failed = 0;
  for (int at = 0; at < 20; ++at) {
    FaultPlan plan;
    plan.fail_at = at;
    plan.error = ENOSPC;
    FaultyFiles faulty(plan);
    const Error error = error_of([&] { save_npy(faulty, scratch / "c.npy", type, data); });
    if (error.code == Code::kOk) {  // save_npy() ignored the failure of this call, or made fewer calls
      std::filesystem::remove(scratch / "c.npy");
      continue;
    }
    ++failed;
    CHECK(error.code == Code::kIo);
    CHECK(error.message.find("No space left") != std::string::npos);
    CHECK(files_in(scratch) == 1);
  }
  CHECK(failed >= 4);
  for (int at = 0; at < 8; ++at) {
    FaultPlan plan;
    plan.fail_at = at;
    FaultyFiles faulty(plan);
    const Code code = error_of([&] { load_npy(faulty, Allocator::standard(), path); }).code;
    CHECK((code == Code::kIo || code == Code::kOk));
  }
}
