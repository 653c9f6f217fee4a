// The order and the tags of the hashed fields are part of the cache key. If they are changed, no entry of an earlier version of harp is
// found, which is harmless.
#include "compile/cache_key.h"

#include <algorithm>

#include "base/revision.h"

namespace harp {
namespace {

/// Returns the end of the literal that starts at `start`: the position after its closing quote, or the end of the text.
size_t end_of_literal(std::string_view source, size_t start) {
  const char quote = source[start];
  size_t i = start + 1;
  while (i < source.size() && source[i] != quote) i += source[i] == '\\' ? 2 : 1;
  return std::min(i + 1, source.size());
}

/// Returns the end of the comment that starts at `start`, or `start` if no comment starts there. A line comment ends before its newline; if
/// a backslash precedes the newline, the comment includes the next line.
size_t end_of_comment(std::string_view source, size_t start) {
  if (start + 1 >= source.size()) return start;
  if (source[start + 1] == '*') {
    const size_t end = source.find("*/", start + 2);
    return end == source.npos ? source.size() : end + 2;
  }
  if (source[start + 1] != '/') return start;
  size_t end = start;
  do {
    end = std::min(source.find('\n', end + 1), source.size());
  } while (end < source.size() && source[end - 1] == '\\');
  return end;
}

}  // namespace

void add_source(Hasher& hasher, std::string_view source) {
  uint64_t size = 0;
  const auto piece = [&](std::string_view text) {
    hasher.add_piece(text);
    size += text.size();
  };
  size_t kept = 0;  // the text before this position has already been added to the hasher
  for (size_t i = 0; i < source.size();) {
    if (source[i] == '"' || source[i] == '\'') {
      i = end_of_literal(source, i);
      continue;
    }
    const size_t end = source[i] == '/' ? end_of_comment(source, i) : i;
    if (end == i) {
      ++i;
      continue;
    }
    piece(source.substr(kept, i - kept));
    piece(" ");
    kept = i = end;
  }
  piece(source.substr(kept));
  hasher.add(size);
}

Digest cache_key(const Compiler& compiler, const CompileRequest& request, const std::vector<std::string>& command) {
  Hasher hasher;
  hasher.add("harp artifact").add(kLawRevision).add(kKernelAbi).add(kBugEpoch);
  hasher.add(compiler.name()).add(compiler.identity().digest.hex());
  hasher.add(host_triple()).add(request.target.name);
  hasher.add(command.size());
  for (const std::string& word : command) hasher.add(word);
  hasher.add(request.signature);
  add_source(hasher, request.source);
  return hasher.finish();
}

}  // namespace harp
