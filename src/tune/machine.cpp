#include "tune/machine.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "tune/lines.h"

namespace harp::tune {
namespace {

/// Returns the value in the first line of the form "key<blanks>: value"; "" if there is no such line.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t colon = line.find(':');
    at = end + 1;
    if (colon == line.npos || !line.starts_with(key) || line.find_first_not_of(" \t", key.size()) != colon) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == line.npos ? std::string_view() : line.substr(begin);
  }
  return {};
}

}  // namespace

std::string machine_name(FileSystem& files, const Machine& host) {
  std::string name = cat(host_triple(), " ", host.name);
  const UniqueFd file(files, files.open(AT_FDCWD, "/proc/cpuinfo", O_RDONLY));
  std::array<char, 4096> text;  // large enough for the first processor's entry; the file may have hundreds of entries
  const int64_t size = file ? files.read(file.get(), text.data(), text.size()) : 0;
  const std::string_view lines(text.data(), static_cast<size_t>(std::max<int64_t>(size, 0)));
  for (const std::string_view key :
       {"vendor_id", "cpu family", "model", "stepping", "model name", "CPU implementer", "CPU variant", "CPU part"})
    if (const std::string_view value = value_of(lines, key); !value.empty()) append(name, cat(" ", value));
  return one_line(std::move(name));
}

}  // namespace harp::tune
