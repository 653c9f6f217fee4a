#include "tune/database.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "tune/lines.h"
#include "tune/machine.h"
#include "tune/search_space.h"

namespace harp::tune {
namespace {

// First line of a file; version 1 of the format used other keywords for schedules.
constexpr std::string_view kFirstLine = "harp tuning 2\n";
// Maximum number of entries of all machines and versions together; the oldest are dropped first.
constexpr size_t kMaxEntries = 4096;

/// Returns the lines of an entry over which its digest is computed.
std::string body_of(const TuningEntry& e) {
  return cat("program ", e.program.hex(), "\nname ", e.name, "\nversion ", e.version, "\nmachine ", e.machine, "\nseconds ", e.seconds,
             " untuned ", e.untuned_seconds, "\n", print(e.configuration));
}

bool parse_seconds(std::string_view text, TuningEntry& entry) {
  constexpr std::string_view kUntuned = " untuned ";
  const size_t between = text.find(kUntuned);
  return between != text.npos && parse_whole(text.substr(0, between), entry.seconds) &&
         parse_whole(text.substr(between + kUntuned.size()), entry.untuned_seconds);
}

/// Parses one entry of the file. `body` are its lines before the last one, and `end` is the digest in its last line. Returns nullopt if the
/// entry is damaged.
std::optional<TuningEntry> parse_entry(std::string_view body, std::string_view end) {
  Digest digest;
  if (!parse_digest(end, digest) || digest != digest_of(body)) return std::nullopt;
  TuningEntry entry;
  std::string_view program, name, version, machine, seconds;
  const bool whole = take_line(body, "program", program) && parse_digest(program, entry.program) && take_line(body, "name", name) &&
                     take_line(body, "version", version) && take_line(body, "machine", machine) && take_line(body, "seconds", seconds) &&
                     parse_seconds(seconds, entry);
  if (!whole) return std::nullopt;
  entry.name = name, entry.version = version, entry.machine = machine;
  try {
    entry.configuration = parse_configuration(body);
  } catch (const Error&) {  // a newer version of harp wrote the entry, with settings that this version does not know
    return std::nullopt;
  }
  return entry;
}

std::string print_database(const TuningText& database) {
  std::string text(kFirstLine);
  for (const TuningEntry& entry : database.entries) append(text, cat("\n", print(entry)));
  // Damaged entries come last, because their "end" line may be missing.
  for (const std::string& paragraph : database.damaged) append(text, cat("\n", paragraph, "\n"));
  return text;
}

/// Tests whether the name is "gcc" or "clang", possibly with a version as in "gcc-13".
bool is_plain_name(std::string_view compiler) {
  for (const std::string_view known : {"gcc", "clang"}) {
    const std::string_view version = compiler.substr(std::min(compiler.size(), known.size()));
    const bool is_version = version.size() > 1 && version[0] == '-' && version.find_first_not_of("0123456789", 1) == version.npos;
    if (compiler.starts_with(known) && (version.empty() || is_version)) return true;
  }
  return false;
}

/// Tests whether harp's own search can produce this configuration. harp does not run another compiler, or pass other flags, just because a
/// file says so.
bool is_tried_by_harp(const Configuration& configuration) {
  return (configuration.compiler.empty() || is_plain_name(configuration.compiler)) &&
         std::ranges::all_of(configuration.flags,
                             [](const std::string& flag) { return std::ranges::find(kTunedFlags, flag) != std::end(kTunedFlags); });
}

}  // namespace

std::string print(const TuningEntry& entry) {
  const std::string body = body_of(entry);
  return cat(body, "end ", digest_of(body).hex(), "\n");
}

TuningText parse_database(std::string_view text) {
  TuningText result;
  result.is_readable = text.starts_with(kFirstLine);
  if (!result.is_readable) return result;
  text.remove_prefix(kFirstLine.size());
  size_t begin = text.npos;  // offset of the first line of the current entry; npos outside of entries
  const auto close = [&](size_t at, std::string_view end, size_t next) {
    std::optional<TuningEntry> entry = parse_entry(text.substr(begin, at - begin), end);
    std::string_view whole = text.substr(begin, next - begin);
    while (whole.ends_with('\n')) whole.remove_suffix(1);
    if (entry)
      result.entries.push_back(*std::move(entry));
    else
      result.damaged.emplace_back(whole);
    begin = text.npos;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t stop = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, stop - at);
    if (line.starts_with("program ") && begin != text.npos) close(at, "", at);  // the entry before this line has no "end" line
    if (begin == text.npos && !line.empty()) begin = at;
    if (line.starts_with("end ")) close(at, stop < text.size() ? line.substr(4) : std::string_view(), stop);
    at = stop + 1;
  }
  if (begin != text.npos) close(text.size(), "", text.size());
  return result;
}

void TuningDatabase::find_machine_name() {
  if (machine_.empty()) machine_ = machine_name(system_.files, host_);
}

/// Reads the file. Returns nullopt if there is no file. If the file cannot be used, also sets `why_not` to the reason.
std::optional<TuningText> TuningDatabase::read(std::string& why_not) {
  const std::optional<std::string> text = cache_.read_file(kFile, why_not);
  if (!text) return std::nullopt;
  TuningText parsed = parse_database(*text);
  if (parsed.is_readable) return parsed;
  why_not = "it is damaged or was written by another version of harp";
  return std::nullopt;
}

/// Reads the file if it has changed since it was last read. The caller holds mutex_.
void TuningDatabase::refresh() {
  const std::optional<CompileCache::Stamp> now = cache_.stamp_of(kFile);
  if (now == stamp_) return;
  stamp_ = now;
  entries_.clear();
  if (!now) return;
  std::string why_not;
  std::optional<TuningText> parsed = read(why_not);
  if (!why_not.empty()) log_.warning("the tuning database ", cache_.directory(), "/", kFile, " is not used: ", why_not);
  if (!parsed) return;
  find_machine_name();
  size_t of_others = 0, untrusted = 0;
  for (TuningEntry& entry : parsed->entries) {
    if (!is_own(entry))
      ++of_others;
    else if (!is_tried_by_harp(entry.configuration))
      ++untrusted;
    else
      entries_.push_back(std::move(entry));
  }
  if (parsed->damaged.size() + of_others + untrusted > 0)
    log_.warning("the tuning database ", cache_.directory(), "/", kFile, ": ", entries_.size(), " entries are used; ignored are ",
                 parsed->damaged.size(), " damaged entries, ", of_others, " of other machines or versions of harp, and ", untrusted,
                 " with a compiler other than gcc or clang or with a flag that harp does not try");
}

std::optional<Configuration> TuningDatabase::find(const Digest& program) {
  const std::lock_guard guard(mutex_);
  const auto is_it = [&](const TuningEntry& entry) { return entry.program == program; };
  if (const auto own = std::find_if(added_.begin(), added_.end(), is_it); own != added_.end()) return own->configuration;
  refresh();
  const auto found = std::find_if(entries_.begin(), entries_.end(), is_it);
  if (found == entries_.end()) return std::nullopt;
  return found->configuration;
}

std::string TuningDatabase::add(const Digest& program, std::string name, Configuration configuration, double seconds,
                                double untuned_seconds) {
  const std::lock_guard guard(mutex_);
  find_machine_name();
  TuningEntry entry{program, one_line(std::move(name)), version_, machine_, seconds, untuned_seconds, std::move(configuration)};
  std::erase_if(added_, [&](const TuningEntry& old) { return old.program == program; });
  if (cache_.directory().empty()) {
    added_.push_back(std::move(entry));
    return cat("the compile cache is disabled: ", cache_.why_off());
  }
  std::string why_not;
  // Without the lock, another process may replace the file at the same time, and one of the two new entries would be lost.
  const CompileCache::Lock lock = cache_.lock_file(kFile, why_not);
  if (!lock) {
    added_.push_back(std::move(entry));
    return why_not;
  }
  TuningText database = read(why_not).value_or(TuningText{});
  if (!why_not.empty()) {
    const std::string why_ignored = std::move(why_not), aside = cache_.set_aside(kFile, why_not);
    if (aside.empty()) {
      added_.push_back(std::move(entry));
      return why_not;
    }
    log_.warning("the tuning database ", cache_.directory(), "/", kFile, " was renamed to ", aside,
                 " and a new one is created: ", why_ignored);
  }
  std::vector<TuningEntry>& entries = database.entries;
  std::erase_if(entries, [&](const TuningEntry& old) { return old.program == program && is_own(old); });
  if (entries.size() >= kMaxEntries) entries.erase(entries.begin(), entries.end() - (kMaxEntries - 1));
  entries.push_back(entry);
  why_not = cache_.replace_file(kFile, print_database(database));
  if (!why_not.empty()) added_.push_back(std::move(entry));
  return why_not;
}

}  // namespace harp::tune
