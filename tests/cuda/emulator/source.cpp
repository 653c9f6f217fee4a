#include "cuda/emulator/source.h"

#include <regex>

#include "base/text.h"

// std::regex is slow: it tries each expression at every position of the text. Most programs have nothing that the expressions below look
// for, so a plain search comes first.
namespace harp::cuda_test {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Replaces every `extern __shared__ type name[];` by a pointer to the emulator's single array of dynamic shared memory.
std::string with_dynamic_shared(std::string text) {
  if (!contains(text, "extern __shared__")) return text;
  static const std::regex declaration(R"(extern __shared__ (?:__align__\(\d+\) )?(\w[\w ]*) (\w+)\[\];)");
  return std::regex_replace(text, declaration, "$1* const $2 = ($1*)harp_emulator::dynamic_shared;");
}

/// Replaces the assembler statements, for tensor cores and for asynchronous copies, by calls of the emulator.
std::string with_assembler(std::string text) {
  static const std::regex mma(
      R"rx(asm volatile\("mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64 \{%0, %1\}, \{%2\}, \{%3\}, \{%0, %1\};"\s*)rx"
      R"rx(: "\+d"\((\w+)\[0\]\), "\+d"\(\w+\[1\]\) : "d"\((\w+)\), "d"\((\w+)\)\);)rx");
  static const std::regex copy(R"rx(asm volatile\("cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], (\d+), %2;"\s*)rx"
                               R"rx(: : "r"\(\(u32\)__cvta_generic_to_shared\((\w+)\)\), "l"\((\w+)\), "r"\((\w+)\) : "memory"\);)rx");
  static const std::regex batch(R"rx(asm volatile\("cp\.async\.commit_group;" : : : "memory"\);)rx");
  static const std::regex wait(R"rx(asm volatile\("cp\.async\.wait_group (\d+);" : : : "memory"\);)rx");
  if (contains(text, "\"mma.sync.")) text = std::regex_replace(text, mma, "harp_emulator::mma_8x8x4($1, $2, $3, __LINE__);");
  if (!contains(text, "\"cp.async.")) return text;
  text = std::regex_replace(text, copy, "harp_emulator::copy_async($2, $3, $1, $4, __LINE__);");
  text = std::regex_replace(text, batch, "harp_emulator::end_batch();");
  return std::regex_replace(text, wait, "harp_emulator::complete_copies($1);");
}

}  // namespace

std::vector<KernelDeclaration> kernel_declarations(std::string_view text) {
  constexpr std::string_view kBegin = "__global__ void __launch_bounds__(";
  std::vector<KernelDeclaration> kernels;
  for (size_t at = 0; (at = text.find(kBegin, at)) != text.npos;) {
    at += kBegin.size();
    const size_t threads_end = text.find_first_not_of("0123456789", at), bounds_end = text.find(')', at), name = bounds_end + 2;
    const size_t name_end = bounds_end == text.npos ? text.npos : text.find('(', name);
    if (name_end == text.npos) break;
    kernels.push_back({text.substr(name, name_end - name), text.substr(at, threads_end - at)});
  }
  return kernels;
}

std::string emulated_text(std::string_view text) { return with_assembler(with_dynamic_shared(std::string(text))); }

std::string emulated_source(std::string_view text) {
  std::string source = emulated_text(text);
  size_t count = 0;
  for (const KernelDeclaration& kernel : kernel_declarations(text))
    append(source, cat("HARP_EMULATED_KERNEL(", count++, ", ", kernel.name, ", ", kernel.most_threads, ")\n"));
  return source;
}

}  // namespace harp::cuda_test
