#include "cuda/emulator/merged_source.h"

#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "cuda/emulator/source.h"
#include "fuzz/merged_unit.h"

namespace harp::cuda_test {
namespace {

using fuzz::Declaration;
using Names = std::unordered_set<std::string_view>;

/// Removes extern "C" from the kernels, because functions of the same name with C linkage are the same function even in different
/// namespaces.
std::string without_linkage(std::string text) {
  constexpr std::string_view kLinkage = "extern \"C\" ";
  for (size_t at = 0; (at = text.find(cat(kLinkage, "__global__"), at)) != text.npos;) text.erase(at, kLinkage.size());
  return text;
}

bool is_kernel(std::string_view declaration) { return declaration.starts_with("__global__"); }

/// Returns the name that a declaration declares, or "" if it has none of the forms that harp's renderer writes outside of kernels.
std::string_view declared_name(const Declaration& declaration) {
  const std::string_view text = declaration.text;
  std::string_view name;
  if (text.starts_with("struct ")) {
    const size_t end = text.find_last_not_of(' ', text.find('{') - 1), begin = text.rfind(' ', end) + 1;
    if (text.find('{') != text.npos) name = text.substr(begin, end + 1 - begin);
  } else if (text.starts_with("typedef ") || text.starts_with("static __device__ ")) {
    name = declaration.name;
  }
  return name.starts_with("__") ? std::string_view() : name;
}

bool is_type(std::string_view declaration) { return declaration.starts_with("struct ") || declaration.starts_with("typedef "); }

/// Tests whether the text has one of these names as an identifier.
bool mentions(std::string_view text, const Names& names) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > at && names.contains(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

/// Programs in namespaces unit_0, unit_1 and so on. A function or constant that is in several programs is in the namespace harp_common, a
/// type in harp_types. If both were in one namespace, a call with an argument of a common type would also find common functions with the
/// name of the program's own function (argument-dependent lookup).
class Merger {
 public:
  void add(std::string_view program) {
    const size_t unit = units_++;
    const std::string text = without_linkage(emulated_text(program)), section = cat("harp_shared_", unit);
    const bool has_shared = text.find("__shared__") != text.npos;
    if (has_shared)
      append(source_,
             cat("#undef HARP_EMULATOR_SHARED\n#define HARP_EMULATOR_SHARED \"", section, "\"\nextern \"C\" {\nextern char __start_",
                 section, "[] __attribute__((weak, visibility(\"hidden\")));\nextern char __stop_", section,
                 "[] __attribute__((weak, visibility(\"hidden\")));\n}\n"));
    append(source_, cat("namespace unit_", unit, " {\n", own_text(text), "}\n"));
    const std::string arrays = has_shared ? cat("__start_", section, ", __stop_", section) : "nullptr, nullptr";
    for (const KernelDeclaration& kernel : kernel_declarations(program))
      append(registrations_, cat("HARP_EMULATED_KERNEL_OF(", kernels_++, ", unit_", unit, "::", kernel.name, ", ", kernel.most_threads,
                                 ", ", arrays, ")\n"));
  }

  std::string source() const {
    return cat("namespace harp_types {\n", types_, "}\nnamespace harp_common {\nusing namespace harp_types;\n", common_, "}\n", source_,
               registrations_);
  }

 private:
  /// Returns the text of a program's namespace: the text without the declarations that are, or can be, in the common namespaces.
  std::string own_text(const std::string& text) {
    const std::vector<Declaration> declarations = fuzz::split_declarations(text);
    std::unordered_map<std::string_view, int> times;  // how often the program declares each name
    for (const Declaration& declaration : declarations) {
      if (is_kernel(declaration.text)) continue;
      const std::string_view name = declared_name(declaration);
      if (name.empty()) return text;  // nothing is shared, because a declaration of unknown form may depend on any other
      ++times[name];
    }
    std::string result;
    Names own;  // the names that are declared in the program's namespace
    for (const Declaration& declaration : declarations) {
      const std::string_view name = is_kernel(declaration.text) ? std::string_view() : declared_name(declaration);
      // A declaration is the same in two programs if its text is the same, and if no name in it is declared in the namespace of one
      // program.
      if (!name.empty() && times[name] == 1 && declaration.text.find("__shared__") == std::string_view::npos &&
          !mentions(declaration.text, own)) {
        const auto [common, is_new] = commons_.emplace(name, declaration.text);
        const bool type = is_type(declaration.text);
        if (is_new) append(type ? types_ : common_, cat(declaration.text, "\n"));
        if (common->second == declaration.text) {
          append(result, cat("using ", type ? "harp_types" : "harp_common", "::", name, ";\n"));
          continue;
        }
      }
      if (!name.empty()) own.insert(name);
      append(result, cat(declaration.text, "\n"));
    }
    return result;
  }

  std::unordered_map<std::string, std::string> commons_;  // the text of each declaration in the common namespaces, by its name
  std::string types_, common_, source_, registrations_;
  size_t units_ = 0, kernels_ = 0;
};

}  // namespace

std::string emulated_source(std::span<const std::string> texts) {
  Merger merger;
  for (const std::string& text : texts) merger.add(text);
  return merger.source();
}

}  // namespace harp::cuda_test
