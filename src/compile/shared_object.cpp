// Reads the ELF header and the program headers, nothing more: those are what the kernel and the loader map by.
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
constexpr int kMachine = EM_NONE;  // not compared; dlopen will tell
#endif

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
    dynamic = dynamic || segment.p_type == PT_DYNAMIC;
  }
  return dynamic ? std::string_view() : std::string_view("has no dynamic section");
}

}  // namespace harp
