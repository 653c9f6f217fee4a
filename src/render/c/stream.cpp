// Non-temporal (streaming) stores. If such stores write a whole cache line, the CPU does not read the line first, and evicts no other line.
// If an ordinary store writes another part of the same line, storing the line takes some two hundred times as long. Therefore a
// non-temporal store always stores a whole vector at an aligned address. A vector as large as a cache line that starts in the middle of a
// line is stored as two aligned halves. The CPU's write combining merges the two halves of a line if they arrive shortly after each other.
#include "render/c/access.h"

#include "base/text.h"

namespace harp::render {

std::string stream_function(Unit& unit, DType dtype, int lanes) {
  const std::string name = cat("stream_", vector_name(dtype, lanes));
  const int bytes = static_cast<int>(size_of(dtype)) * lanes;
  const std::string half = is_whole_line(bytes) ? stream_function(unit, dtype, lanes / 2) : std::string();
  unit.definitions.once(name, [&] {
    const std::string v = memory_vector(unit, dtype, lanes),
                      floats = memory_vector(unit, DType::kF32, bytes / static_cast<int>(sizeof(float)));
    const std::string instruction = cat("__builtin_ia32_movntps", bytes == 16 ? std::string() : std::to_string(bytes * 8));
    const auto half_from = [&](int first) {
      std::vector<int> numbers;
      for (int i = first; i < first + lanes / 2; ++i) numbers.push_back(i);
      return cat(half, "(to", first == 0 ? std::string() : cat(" + ", first), ", __builtin_shufflevector(x, x, ", join(numbers, ", "),
                 "));");
    };
    const std::string usual = half.empty() ? cat("*(", v, "*)to = x;") : cat(half_from(0), "\n    ", half_from(lanes / 2));
    return cat("/* A non-temporal store, if the address is a multiple of the vector's size; else an ordinary one. */\nstatic inline void ",
               name, "(", memory_type(dtype), "* to, ", v, " x) {\n  if ((size_t)to % ", bytes, " != 0) {\n    ", usual,
               "\n    return;\n  }\n#if defined(__clang__)\n", "  typedef ", memory_type(dtype), " whole __attribute__((vector_size(",
               bytes, "), may_alias));\n", "  __builtin_nontemporal_store((whole)x, (whole*)to);\n#else\n  ", instruction, "((float*)to, ",
               v == floats ? "" : cat("(", floats, ")"), "x);\n#endif\n}\n");
  });
  return name;
}

}  // namespace harp::render
