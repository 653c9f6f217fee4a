// Defines the format of images, which the fake compiler writes and the fake driver loads. A "cubin" is a library of emulated kernels
// (emulator/kernels.h) that also contains facts about its compilation. "PTX" is the bytes of a cubin as hexadecimal text, which ends with a
// zero byte as real PTX does.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

/// The GPU for which an image was compiled, and the version of the compiler: 90 is sm_90, 13000 is 13.0.
struct FakeImageFacts {
  int arch, toolkit;
};
inline constexpr const char* kFakeImageFacts = "fake_image_facts";

inline constexpr char kFakePtx[] = "// fake PTX\n";

inline std::vector<char> fake_ptx_of(const std::vector<char>& bytes) {
  std::vector<char> text(kFakePtx, kFakePtx + sizeof kFakePtx - 1);
  for (const char byte : bytes)
    for (const int shift : {4, 0}) text.push_back("0123456789abcdef"[static_cast<unsigned char>(byte) >> shift & 15]);
  text.push_back('\0');
  return text;
}

inline std::vector<char> fake_ptx_bytes(const char* text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<char> bytes;
  for (text += sizeof kFakePtx - 1; text[0] != '\0'; text += 2) bytes.push_back(static_cast<char>(digit(text[0]) << 4 | digit(text[1])));
  return bytes;
}
