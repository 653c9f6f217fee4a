// Checks the ELF header and the program headers, by which the kernel and the loader map the file, and the dynamic section, which the loader
// reads next. If the dynamic section were damaged (for example, all zeros), the loader would crash the process.
#include "compile/shared_object.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string>

namespace harp {
namespace {

constexpr int kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr int kByteOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#else
constexpr int kMachine = EM_NONE;  // The machine of the file is not checked on this architecture; dlopen reports a mismatch.
#endif

/// True if the dynamic section has an end mark and refers to the three tables that symbol lookup needs (strings, symbols, hash).
bool is_complete(std::span<const std::byte> section) {
  bool strings = false, symbols = false, hashes = false;
  for (size_t at = 0; at + sizeof(ElfW(Dyn)) <= section.size(); at += sizeof(ElfW(Dyn))) {
    ElfW(Dyn) entry;
    std::memcpy(&entry, section.data() + at, sizeof entry);
    const bool has_value = entry.d_un.d_ptr != 0;
    if (entry.d_tag == DT_NULL) return strings && symbols && hashes;
    strings = strings || (entry.d_tag == DT_STRTAB && has_value);
    symbols = symbols || (entry.d_tag == DT_SYMTAB && has_value);
    hashes = hashes || ((entry.d_tag == DT_GNU_HASH || entry.d_tag == DT_HASH) && has_value);
  }
  return false;
}

}  // namespace

std::string_view shared_object_fault(std::span<const std::byte> bytes) {
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return "is not an ELF file";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != kClass || header.e_ident[EI_DATA] != kByteOrder || (kMachine != EM_NONE && header.e_machine != kMachine))
    return "is for another machine";
  if (header.e_type != ET_DYN) return "is not a shared object";
  if (header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum == 0) return "has no program headers";
  const uint64_t size = bytes.size();
  const uint64_t table = uint64_t{header.e_phnum} * sizeof(ElfW(Phdr));
  if (header.e_phoff > size || table > size - header.e_phoff) return "is truncated";
  bool dynamic = false;
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_filesz != 0 && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) return "is truncated";
    if (segment.p_type != PT_DYNAMIC) continue;
    if (!is_complete(bytes.subspan(segment.p_offset, segment.p_filesz))) return "has a damaged dynamic section";
    dynamic = true;
  }
  return dynamic ? std::string_view() : std::string_view("has no dynamic section");
}

}  // namespace harp
