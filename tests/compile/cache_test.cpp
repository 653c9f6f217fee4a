// Tests the compile cache: which entries it finds, which entries it rejects, where its directory is, and which directories it does not use.
#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include <cstring>

#include "compile/shared_object.h"
#include "support/cache_scenarios.h"

using namespace harp;
using namespace cache_scenarios;

namespace {

/// Collects log messages, because harp must log whenever the cache works only in part.
struct Messages {
  std::string text;
  Log log() {
    return Log([](void* self, int, const char* data, size_t size) { static_cast<Messages*>(self)->text.append(data, size).append("\n"); },
               this, LogLevel::kTrace);
  }
};

std::string entry_path(CompileCache& cache, int n) { return cache.directory() + "/" + key_of(n).hex() + std::string(kObjectSuffix); }

void set_used(const std::string& path, time_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

std::string refusal(TestSystem& system, const std::string& directory) {
  CompileCache cache(system, options_in(directory), Log());
  CHECK(cache.directory().empty());
  CHECK_FALSE(cache.publish(*artifact_of(1)));
  CHECK(cache.lookup(key_of(1)) == nullptr);
  return cache.why_off();
}

}  // namespace

TEST_CASE("cache: what was published is found, by another cache object too") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK(cache.publish(*artifact_of(1)));
  CompileCache other(system, options_in(scratch / "cache"), Log());
  const auto found = other.lookup(key_of(1));
  REQUIRE(found != nullptr);
  CHECK(is_right(*found, 1));
  CHECK(other.lookup(key_of(2)) == nullptr);
  CHECK(cache.stats().entries == 1);
  CHECK(other.stats().hits == 1);
  CHECK(other.stats().misses == 1);
  const auto listed = other.list();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].name == key_of(1).hex());
  CHECK(listed[0].manifest == artifact_of(1)->manifest());
  CHECK(other.clear());
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK(work_left_behind(cache.directory()) == 0);
}

TEST_CASE("cache: nothing is made on the disk before something is asked of it") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  CHECK_FALSE(std::filesystem::exists(scratch / "cache"));
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK(std::filesystem::exists(scratch / "cache"));
}

TEST_CASE("cache: empty payloads and empty manifests survive the trip") {
  const auto artifact = Artifact::make(key_of(1), {}, {});
  const auto again = Artifact::parse(key_of(1), std::vector(artifact->file().begin(), artifact->file().end()));
  REQUIRE(again != nullptr);
  CHECK(again->manifest() == Manifest{});
  CHECK(again->payload().empty());
  CHECK(Artifact::parse(std::vector<std::byte>()) == nullptr);
}

TEST_CASE("cache: its files are for nobody else") {
  const Scratch scratch;
  TestSystem system;
  const mode_t before = ::umask(0);
  CompileCache cache(system, options_in(scratch / "a/b/cache"), Log());
  cache.publish(*artifact_of(1));
  ::umask(before);
  for (const std::string& path : {scratch / "a", scratch / "a/b", scratch / "a/b/cache", cache.directory()}) {
    struct stat info;
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0700);
  }
  struct stat info;
  REQUIRE(::stat(entry_path(cache, 1).c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("cache: a damaged entry is always a miss") {
  const DamageResult result = damage(4000, 1);
  CHECK(result.tried > 4300);
  CHECK(result.accepted == 0);
}

TEST_CASE("cache: an entry's file is the payload with a footer behind it") {
  const auto artifact = artifact_of(1);
  const auto file = artifact->file(), payload = artifact->payload();
  REQUIRE(file.size() > payload.size());
  CHECK(std::equal(payload.begin(), payload.end(), file.begin()));
  // Every changed bit of the footer must be detected, and also a footer that is not at the end of the file.
  for (size_t at = payload.size(); at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged(file.begin(), file.end());
      damaged[at] ^= std::byte(1 << bit);
      CHECK(Artifact::parse(std::move(damaged)) == nullptr);
    }
    CHECK(Artifact::parse(std::vector<std::byte>(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at))) == nullptr);
    CHECK(Artifact::parse(std::vector<std::byte>(file.begin() + static_cast<std::ptrdiff_t>(at), file.end())) == nullptr);
  }
}

TEST_CASE("cache: entries of the form before the footer are misses, and are evicted and cleared like others") {
  // In the format of earlier versions of harp, the file name of an entry is the digits of the key with another suffix, and the file begins
  // with a header.
  const std::string old_form = std::string("HARPENT\1", 8) + std::string(200, 'x');
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  const auto write_old = [&](int n) { write_text(cache.directory() + "/" + key_of(n).hex() + ".harp", old_form); };
  write_old(1);
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK(cache.stats().damaged == 0);
  write_text(entry_path(cache, 2), old_form);
  CHECK(cache.lookup(key_of(2)) == nullptr);
  CHECK_FALSE(std::filesystem::exists(entry_path(cache, 2)));
  CHECK(cache.list().empty());

  write_old(2);
  cache.publish(*artifact_of(3));
  for (const int n : {1, 2}) set_used(cache.directory() + "/" + key_of(n).hex() + ".harp", 1'000'000);
  CHECK(cache.stats().entries == 3);
  cache.evict({.bytes = uint64_t{1} << 30, .entries = 1});
  CHECK(cache.stats().entries == 1);
  CHECK(cache.lookup(key_of(3)) != nullptr);
  write_old(1);
  CHECK(cache.clear());
  CHECK(cache.stats().entries == 0);
}

TEST_CASE("cache: a key has an entry of each kind") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  const std::string_view text = "text";
  const Manifest manifest{"version", "", "", "1.0", {"cc"}, ".version"};
  CHECK(cache.publish(*Artifact::make(key_of(1), manifest, std::as_bytes(std::span(text)))));
  CHECK(cache.lookup(key_of(1)) == nullptr);
  const auto found = cache.lookup(key_of(1), ".version");
  REQUIRE(found != nullptr);
  CHECK(found->manifest() == manifest);
  CHECK(cache.list().size() == 1);
  cache.remove(key_of(1), ".version");
  CHECK(cache.lookup(key_of(1), ".version") == nullptr);
}

TEST_CASE("cache: a damaged entry is removed and said") {
  const Scratch scratch;
  TestSystem system;
  Messages messages;
  CompileCache cache(system, options_in(scratch / "cache"), messages.log());
  cache.publish(*artifact_of(1));
  write_text(entry_path(cache, 1), "nonsense");
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK_FALSE(std::filesystem::exists(entry_path(cache, 1)));
  CHECK(cache.stats().damaged == 1);
  CHECK(messages.text.find("is damaged, removed") != std::string::npos);
}

TEST_CASE("cache: what is not a plain file of ours is not read") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  const std::string path = entry_path(cache, 1);
  const auto artifact = artifact_of(1);
  const std::string whole(reinterpret_cast<const char*>(artifact->file().data()), artifact->file().size());

  write_text(scratch / "elsewhere", whole);
  std::filesystem::create_symlink(scratch / "elsewhere", path);
  CHECK(cache.lookup(key_of(1)) == nullptr);
  std::filesystem::remove(path);

  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);  // a FIFO: opening it must not wait for a writer
  CHECK(cache.lookup(key_of(1)) == nullptr);
  std::filesystem::remove(path);

  std::filesystem::create_directory(path);
  CHECK(cache.lookup(key_of(1)) == nullptr);
  std::filesystem::remove(path);

  write_text(path, whole);
  ::chmod(path.c_str(), 0620);
  CHECK(cache.lookup(key_of(1)) == nullptr);
  ::chmod(path.c_str(), 0600);
  CHECK(cache.lookup(key_of(1)) != nullptr);

  system.process.user = ::geteuid() + 1;  // another user, who does not own the directory
  CHECK(cache.lookup(key_of(1)) == nullptr);
}

TEST_CASE("cache: hostile directories are refused, with the reason") {
  const Scratch scratch;
  TestSystem system;
  const auto make = [&](const std::string& name, mode_t mode) {
    std::filesystem::create_directories(scratch / name);
    REQUIRE(::chmod((scratch / name).c_str(), mode) == 0);
    return scratch / name;
  };
  CHECK(refusal(system, make("group", 0770)) == scratch / "group" + " can be written by others");
  CHECK(refusal(system, make("world", 0703)) == scratch / "world" + " can be written by others");
  make("open", 0777);
  CHECK(refusal(system, make("open/inner", 0700)) == scratch / "open" + " can be written by others");
  std::filesystem::create_directory_symlink(make("target", 0700), scratch / "link");
  CHECK(refusal(system, scratch / "link") == scratch / "link" + " is a symbolic link");
  CHECK(refusal(system, scratch / "link/") == scratch / "link" + " is a symbolic link");
  std::filesystem::create_directory_symlink(scratch / "open/inner", scratch / "target/entries-1");
  CHECK(refusal(system, scratch / "target").find("cannot open " + scratch / "target/entries-1") == 0);
  write_text(scratch / "file", "");
  CHECK(refusal(system, scratch / "file") == scratch / "file" + " is not a directory");
  CHECK(refusal(system, (scratch / "file") + "/sub").find("cannot create") == 0);
  system.process.user = ::geteuid() + 1;
  CHECK(refusal(system, make("mine", 0700)).find("belongs to another user") != std::string::npos);
  system.process.user = 65534;
  CHECK(refusal(system, scratch / "mine") == "the user id of this process is unknown");

  // A symbolic link in the path is accepted if its target is acceptable.
  system.process.user.reset();
  std::filesystem::create_directory_symlink(make("good", 0700), scratch / "way");
  CompileCache through(system, options_in(scratch / "way/cache"), Log());
  CHECK(through.directory() == scratch / "good/cache/entries-1");
  // A parent that everybody may write to is accepted if it has the sticky bit, as /tmp does, because others cannot rename harp's files
  // there.
  make("sticky", 01777);
  CHECK_FALSE(CompileCache(system, options_in(scratch / "sticky/cache"), Log()).directory().empty());
}

TEST_CASE("cache: sharing is possible when asked for") {
  const Scratch scratch;
  TestSystem system;
  std::filesystem::create_directory(scratch / "group");
  REQUIRE(::chmod((scratch / "group").c_str(), 0770) == 0);
  CacheOptions options = options_in(scratch / "group");
  options.shared = true;
  CompileCache cache(system, options, Log());
  CHECK(cache.publish(*artifact_of(1)));
  system.process.user = ::geteuid() + 1;
  CHECK(cache.lookup(key_of(1)) != nullptr);
}

TEST_CASE("cache: where it is, by option and environment") {
  TestSystem system;
  auto& variables = system.process.variables;
  CHECK(choose_cache_path(system, "").path.empty());
  CHECK(choose_cache_path(system, "").why_not == "no cache directory was given, and HOME is not set to an absolute path");
  variables["HOME"] = "/home/me";
  CHECK(choose_cache_path(system, "").path == "/home/me/.cache/harp");
  variables["XDG_CACHE_HOME"] = "relative";  // the XDG specification says to ignore relative paths
  CHECK(choose_cache_path(system, "").path == "/home/me/.cache/harp");
  variables["XDG_CACHE_HOME"] = "/xdg/";
  CHECK(choose_cache_path(system, "").path == "/xdg/harp");
  variables["HARP_CACHE_DIR"] = "/own//";
  CHECK(choose_cache_path(system, "").path == "/own");
  variables["HARP_CACHE_DIR"] = "here";  // a relative path must never mean the current directory
  CHECK(choose_cache_path(system, "").path.empty());
  CHECK(choose_cache_path(system, "").why_not == "HARP_CACHE_DIR is \"here\", which is not an absolute path");
  CHECK(choose_cache_path(system, "/option").path == "/option");
  CHECK(choose_cache_path(system, "-dir").path == std::filesystem::current_path().string() + "/-dir");

  CacheOptions off;
  off.enabled = false;
  CompileCache cache(system, off, Log());
  CHECK(cache.directory().empty());
  CHECK(cache.why_off() == "switched off");
}

TEST_CASE("cache: any path will do") {
  TestSystem system;
  const Scratch scratch;
  for (const std::string name :
       {"with space", "quo'te", "dou\"ble", "semi;colon", "-leading", "größe→", "new\nline", "$(touch x)", "a,b:c"}) {
    CompileCache cache(system, options_in(scratch / name), Log());
    CAPTURE(name);
    CHECK(cache.publish(*artifact_of(1)));
    CHECK(cache.lookup(key_of(1)) != nullptr);
  }
}

TEST_CASE("cache: the least recently used entries go first, and limits hold") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  for (int n = 0; n < 10; ++n) {
    cache.publish(*artifact_of(n));
    set_used(entry_path(cache, n), 1'000'000 + n);
  }
  cache.lookup(key_of(0));  // this makes key 0 the most recently used one
  cache.evict({.bytes = uint64_t{1} << 30, .entries = 5});
  const CacheStats stats = cache.stats();
  CHECK(stats.entries == 5);
  CHECK(stats.evicted == 5);
  CHECK(cache.lookup(key_of(0)) != nullptr);
  for (int n = 1; n <= 5; ++n) CHECK(cache.lookup(key_of(n)) == nullptr);
  for (int n = 6; n < 10; ++n) CHECK(cache.lookup(key_of(n)) != nullptr);

  const uint64_t size = artifact_of(0)->file().size();
  cache.evict({.bytes = 3 * size, .entries = 100});
  CHECK(cache.stats().bytes <= 3 * size);
  CHECK(cache.stats().entries >= 2);
}

TEST_CASE("cache: publishing keeps it within its limits by itself") {
  const Scratch scratch;
  TestSystem system;
  CacheOptions options = options_in(scratch / "cache");
  options.limits = {.bytes = 500'000, .entries = 12};
  CompileCache cache(system, options, Log());
  for (int n = 0; n < 60; ++n) {
    cache.publish(*artifact_of(n));
    CHECK(cache.stats().entries <= 12);
  }
  CHECK(cache.lookup(key_of(59)) != nullptr);
}

TEST_CASE("cache: only abandoned work directories are swept") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  std::optional<WorkDirectory> used = cache.work_directory();
  REQUIRE(used.has_value());
  CHECK(used->write_file("file", artifact_of(1)->file(), 0600, false) == 0);
  const std::string abandoned = cache.directory() + "/harp-work-0123456789abcdef0123456789abcdef";
  std::filesystem::create_directory(abandoned);
  std::filesystem::permissions(abandoned, std::filesystem::perms::owner_all);
  write_text(abandoned + "/unit.c", "text");
  const std::string open_to_all = cache.directory() + "/harp-work-fedcba9876543210fedcba9876543210";
  for (const std::string& not_ours : {cache.directory() + "/other", cache.directory() + "/harp-work-notes", open_to_all}) {
    std::filesystem::create_directory(not_ours);
    write_text(not_ours + "/file", "text");
  }
  std::filesystem::permissions(open_to_all, std::filesystem::perms::all);
  cache.evict({});
  CHECK(count_work_directories(cache.directory()) == 4);  // the work directories are too recent to count as abandoned
  age_work_directories(cache.directory());
  cache.evict({});
  CHECK_FALSE(std::filesystem::exists(abandoned));
  CHECK(std::filesystem::exists(used->path() + "/file"));
  for (const std::string& not_ours : {cache.directory() + "/other", cache.directory() + "/harp-work-notes", open_to_all})
    CHECK(std::filesystem::exists(not_ours + "/file"));
  used.reset();
  CHECK(count_work_directories(cache.directory()) == 2);
}

TEST_CASE("cache: a host that closes its descriptors and opens files of its own keeps these, and the cache works on") {
  const int child = in_child([] {
    const Scratch scratch;
    TestSystem system;
    std::filesystem::create_directory(scratch / "host");
    write_text(scratch / "host/file", "text");
    const auto is_untouched = [&] { return names_in(scratch / "host") == std::vector<std::string>{"file"}; };
    std::vector<int> taken;
    {
      CompileCache cache(system, options_in(scratch / "cache"), Log());
      if (!cache.publish(*artifact_of(1))) return 1;  // after this call the cache also keeps a work directory open
      ::closefrom(3);
      for (int i = 0; i < 8; ++i) taken.push_back(::open((scratch / "host").c_str(), O_RDONLY | O_DIRECTORY));
      if (taken.front() != 3) return 2;
      const auto found = cache.lookup(key_of(1));
      if (!found || !is_right(*found, 1) || !cache.publish(*artifact_of(2)) || !cache.lookup(key_of(2))) return 3;
      cache.evict({.bytes = 1, .entries = 1});
      if (!is_untouched()) return 4;
      cache.publish(*artifact_of(3));
      // closes the directories and opens them again, so that their descriptors have the same numbers when the cache is destroyed
      for (const int fd : taken) ::close(fd);
      ::closefrom(3);
      for (int& fd : taken) fd = ::open((scratch / "host").c_str(), O_RDONLY | O_DIRECTORY);
    }
    if (!is_untouched()) return 5;
    for (const int fd : taken)
      if (::fcntl(fd, F_GETFD) < 0) return 6;
    return 0;
  });
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("cache: a host closes harp's descriptors, and new ones for the same directory get their numbers") {
  const int child = in_child([] {
    const Scratch scratch;
    TestSystem system;
    ::closefrom(3);
    CompileCache cache(system, options_in(scratch / "cache"), Log());
    for (int round = 1; round < 4; ++round) {
      if (!cache.publish(*artifact_of(round))) return 10 * round;  // after this call the cache also keeps a work directory open
      std::optional<WorkDirectory> used = cache.work_directory();
      if (!used) return 10 * round + 1;
      ::closefrom(3);
      if (cache.stats().entries != static_cast<uint64_t>(round)) return 10 * round + 2;  // the first call after the descriptors were closed
      // closefrom() has also closed the descriptors of `used`. Descriptors that the cache has opened since then may have the same numbers.
      // When `used` is destroyed, it must not close these.
      used.reset();
      if (cache.list().size() != static_cast<size_t>(round)) return 10 * round + 3;
      if (!cache.lookup(key_of(round))) return 10 * round + 4;
    }
    return 0;
  });
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("cache: a kept descriptor that was lost stays lost when its file is opened again under the same number") {
  RealFileSystem files;
  const auto open = [&] { return files.open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY); };
  const int number = open();
  FileInfo info;
  REQUIRE(files.stat(number, info) == 0);
  {
    const KeptFd kept(files, UniqueFd(files, number), info);
    CHECK(kept.is_ours());
    REQUIRE(::close(number) == 0);
    CHECK_FALSE(kept.is_ours());
    REQUIRE(open() == number);
    CHECK_FALSE(kept.is_ours());
  }
  CHECK(::close(number) == 0);  // succeeds, so KeptFd has not closed it
}

TEST_CASE("cache: it comes back when somebody removes its directory") {
  const Scratch scratch;
  TestSystem system;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  std::filesystem::remove_all(scratch / "cache");
  CHECK(cache.lookup(key_of(1)) == nullptr);
  CHECK(cache.publish(*artifact_of(1)));
  CHECK(cache.lookup(key_of(1)) != nullptr);
}

TEST_CASE("cache: locks exclude, time out, and end with their holder") {
  const Scratch scratch;
  TestSystem system;
  CacheOptions options = options_in(scratch / "cache");
  options.lock_timeout = std::chrono::milliseconds(30);
  CompileCache cache(system, options, Log());
  {
    const auto held = cache.lock(key_of(1), nullptr);
    CHECK(held);
    CHECK_FALSE(cache.lock(key_of(1), nullptr));
  }
  CHECK(cache.lock(key_of(1), nullptr));
  const int pid = in_child([&] {
    const auto held = cache.lock(key_of(1), nullptr);
    ::raise(SIGKILL);
    return 0;
  });
  ::waitpid(pid, nullptr, 0);
  CHECK(cache.lock(key_of(1), nullptr));
  const int32_t cancel = 1;
  const auto held = cache.lock(key_of(1), nullptr);
  CHECK_FALSE(cache.lock(key_of(1), &cancel));
}

TEST_CASE("cache: short writes make whole entries") {
  const Scratch scratch;
  TestSystem system;
  system.plan.short_writes = true;
  CompileCache cache(system, options_in(scratch / "cache"), Log());
  CHECK(cache.publish(*artifact_of(1, 3000)));
  const auto found = cache.lookup(key_of(1));
  REQUIRE(found != nullptr);
  CHECK(is_right(*found, 1, 3000));
}

TEST_CASE("cache: any call may fail, once or for ever: no wrong entry, nothing left open, usable after") {
  const int files_before = count_open_files();
  int points = 0;
  for (const int error : {ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR, ESTALE, EWOULDBLOCK}) {
    for (const bool from_then_on : {false, true}) {
      for (int n = 0;; ++n, ++points) {
        const Scratch scratch;
        TestSystem system;
        CacheOptions options = options_in(scratch / "cache");
        options.lock_timeout = std::chrono::milliseconds(1);
        system.plan.fail_at = n;
        system.plan.from_then_on = from_then_on;
        system.plan.error = error;
        {
          CompileCache cache(system, options, Log());
          cache.lookup(key_of(1));
          cache.lock(key_of(1), nullptr);
          cache.publish(*artifact_of(1));
          cache.publish(*artifact_of(2));
          for (const int key : {1, 2})
            if (const auto found = cache.lookup(key_of(key))) CHECK(is_right(*found, key));
          cache.evict({.bytes = 30'000, .entries = 1});
          cache.list();
          cache.clear();
        }
        const bool reached = system.plan.calls > n;
        system.plan.fail_at = -1;
        CompileCache after(system, options_in(scratch / "cache"), Log());
        CAPTURE(n);
        CAPTURE(error);
        CHECK(after.publish(*artifact_of(3)));
        CHECK(after.lookup(key_of(3)) != nullptr);
        if (!reached) break;
      }
    }
  }
  CHECK(points > 1000);
  CHECK(count_open_files() == files_before);
}

TEST_CASE("cache: killed while publishing, it holds whole entries or none") {
  const KillResult result = kill_while_publishing(60, 1);
  CHECK(result.kills == 60);
  CHECK(result.found > 0);
  CHECK(result.wrong == 0);
  CHECK(result.damaged == 0);
  CHECK(result.left == 0);
}

TEST_CASE("cache: many processes at the same keys while entries are evicted") { CHECK(hammer(8, 60, 1) == 0); }

TEST_CASE("cache: a shared object is looked at before it is believed") {
  CHECK(shared_object_fault({}) == "is not an ELF file");
  const std::string text(100, 'x');
  CHECK(shared_object_fault(std::as_bytes(std::span(text))) == "is not an ELF file");
  std::string self = read_text("/proc/self/exe");
  std::string other = self;
  other[18] = 0x77;  // changes the field e_machine
  CHECK(shared_object_fault(std::as_bytes(std::span(other))) == "is for another machine");
  CHECK(shared_object_fault(std::as_bytes(std::span(self)).first(4096)) == "is truncated");
  CHECK(shared_object_fault(std::as_bytes(std::span(self)).first(63)) == "is not an ELF file");

  CHECK(shared_object_fault(std::as_bytes(std::span(self))).empty());
  ElfW(Ehdr) header;
  std::memcpy(&header, self.data(), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, self.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    // Fills the dynamic section with zeros, as if the disk had lost that page of the file.
    if (segment.p_type == PT_DYNAMIC) self.replace(segment.p_offset, segment.p_filesz, segment.p_filesz, '\0');
  }
  CHECK(shared_object_fault(std::as_bytes(std::span(self))) == "has a damaged dynamic section");
}
