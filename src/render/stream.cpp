// Stores past the caches. A line that is written as a whole need not be read first, and does not push others out; one of which a part is
// stored as usual costs some two hundred times as much, so that only what is whole vectors where they belong goes this way.
#include "base/text.h"
#include "render/types.h"
#include "render/unit.h"

namespace harp::render {

bool Unit::has_stream(DType dtype, int lanes) const {
  constexpr int kNarrowest = 16;
  const int bytes = static_cast<int>(size_of(dtype)) * lanes;
  return !options_.plain_text && options_.target.streams && bytes >= kNarrowest && bytes <= options_.target.vector_bytes;
}

std::string Unit::stream(DType dtype, int lanes) {
  const std::string name = cat("stream_", vector_type(dtype, lanes));
  once(name, [&] {
    const int bytes = static_cast<int>(size_of(dtype)) * lanes;
    const std::string v = memory_vector(dtype, lanes), floats = memory_vector(DType::kF32, bytes / static_cast<int>(sizeof(float)));
    const std::string instruction = cat("__builtin_ia32_movntps", bytes == 16 ? std::string() : std::to_string(bytes * 8));
    return cat("/* Past the caches, where a whole vector belongs. */\nstatic inline void ", name, "(", memory_type(dtype), "* to, ", v,
               " x) {\n  if ((size_t)to % ", bytes, " != 0) {\n    *(", v, "*)to = x;\n    return;\n  }\n#if defined(__clang__)\n",
               "  typedef ", memory_type(dtype), " whole __attribute__((vector_size(", bytes, "), may_alias));\n",
               "  __builtin_nontemporal_store((whole)x, (whole*)to);\n#else\n  ", instruction, "((float*)to, ",
               v == floats ? "" : cat("(", floats, ")"), "x);\n#endif\n}\n");
  });
  return name;
}

}  // namespace harp::render
