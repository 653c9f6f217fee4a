#include "cuda/emulator/source.h"

#include <regex>

#include "base/text.h"

namespace harp::cuda_test {
namespace {

/// Replaces every `extern __shared__ type name[];` by a pointer to the emulator's single array of dynamic shared memory.
std::string with_dynamic_shared(std::string_view text) {
  static const std::regex declaration(R"(extern __shared__ (?:__align__\(\d+\) )?(\w[\w ]*) (\w+)\[\];)");
  return std::regex_replace(std::string(text), declaration, "$1* const $2 = ($1*)harp_emulator::dynamic_shared;");
}

/// Replaces the assembler statements, for tensor cores and for asynchronous copies, by calls of the emulator.
std::string with_assembler(const std::string& text) {
  static const std::regex mma(
      R"rx(asm volatile\("mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64 \{%0, %1\}, \{%2\}, \{%3\}, \{%0, %1\};"\s*)rx"
      R"rx(: "\+d"\((\w+)\[0\]\), "\+d"\(\w+\[1\]\) : "d"\((\w+)\), "d"\((\w+)\)\);)rx");
  static const std::regex copy(R"rx(asm volatile\("cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], (\d+), %2;"\s*)rx"
                               R"rx(: : "r"\(\(u32\)__cvta_generic_to_shared\((\w+)\)\), "l"\((\w+)\), "r"\((\w+)\) : "memory"\);)rx");
  static const std::regex batch(R"rx(asm volatile\("cp\.async\.commit_group;" : : : "memory"\);)rx");
  static const std::regex wait(R"rx(asm volatile\("cp\.async\.wait_group (\d+);" : : : "memory"\);)rx");
  std::string result = std::regex_replace(text, mma, "harp_emulator::mma_8x8x4($1, $2, $3, __LINE__);");
  result = std::regex_replace(result, copy, "harp_emulator::copy_async($2, $3, $1, $4, __LINE__);");
  result = std::regex_replace(result, batch, "harp_emulator::end_batch();");
  return std::regex_replace(result, wait, "harp_emulator::complete_copies($1);");
}

/// Appends a registration for each kernel of the text. `scope` is the prefix of the kernels' names, for example "unit_0::".
void add_registrations(const std::string& text, std::string_view scope, size_t& count, std::string& out) {
  static const std::regex kernel(R"(__global__ void __launch_bounds__\((\d+)[^)]*\) (\w+)\()");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), kernel); found != std::sregex_iterator(); ++found)
    append(out, cat("HARP_EMULATED_KERNEL(", count++, ", ", scope, found->str(2), ", ", found->str(1), ")\n"));
}

}  // namespace

std::string emulated_source(std::string_view text) {
  std::string source = with_assembler(with_dynamic_shared(text)), registrations;
  size_t count = 0;
  add_registrations(source, "", count, registrations);
  return source + registrations;
}

std::string emulated_source(std::span<const std::string> texts) {
  // extern "C" is removed from the kernels, because functions of the same name with C linkage are the same function even in different
  // namespaces
  static const std::regex linkage("extern \"C\" __global__");
  std::string source, registrations;
  size_t count = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string text = std::regex_replace(with_assembler(with_dynamic_shared(texts[i])), linkage, "__global__");
    append(source, cat("namespace unit_", i, " {\n", text, "}\n"));
    add_registrations(text, cat("unit_", i, "::"), count, registrations);
  }
  return source + registrations;
}

}  // namespace harp::cuda_test
