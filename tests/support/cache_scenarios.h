// Stress tests of the cache, written as functions that take the number of rounds: ./dev test runs a few rounds, ./dev torture runs many.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <thread>

#include "compile/cache.h"
#include "support/faulty_system.h"

namespace cache_scenarios {

/// The key and the content of artifact number `n`. The content is computed from the key, so a reader can check it.
inline harp::Digest key_of(int n) { return harp::digest_of("key " + std::to_string(n)); }

inline std::shared_ptr<const harp::Artifact> artifact_of(int n, size_t size = 20'000) {
  std::string payload = key_of(n).hex();
  while (payload.size() < size) payload += payload;
  payload.resize(size);
  return harp::Artifact::make(key_of(n), {"c", "signature " + std::to_string(n), "x86-64-v2", "test", {"cc", "-O3"}},
                              std::as_bytes(std::span(payload)));
}

inline bool is_right(const harp::Artifact& found, int n, size_t size = 20'000) {
  const auto expected = artifact_of(n, size);
  return found.key() == expected->key() && found.manifest() == expected->manifest() && found.digest() == expected->digest() &&
         std::equal(found.payload().begin(), found.payload().end(), expected->payload().begin(), expected->payload().end());
}

inline harp::CacheOptions options_in(const std::string& directory) {
  harp::CacheOptions options;
  options.directory = directory;
  return options;
}

/// Runs `body` in a child process and returns its pid; body's result is the child's exit status.
template <class Body>
int in_child(Body body) {
  const int pid = ::fork();
  if (pid != 0) return pid;
  int status = 99;
  try {
    status = body();
  } catch (...) {
  }
  ::_exit(status);
}

constexpr std::string_view kWorkPrefix = "harp-work-";

/// Makes every work directory in the cache so old that the cache treats it as abandoned.
inline void age_work_directories(const std::string& entries) {
  for (const std::string& name : names_in(entries)) {
    if (!name.starts_with(kWorkPrefix)) continue;
    const timespec times[2] = {{1'000'000, 0}, {1'000'000, 0}};
    ::utimensat(AT_FDCWD, (entries + "/" + name).c_str(), times, 0);
  }
}

inline int count_work_directories(const std::string& entries) {
  int count = 0;
  for (const std::string& name : names_in(entries)) count += name.starts_with(kWorkPrefix);
  return count;
}

/// The number of work directories that remain in the cache. One empty directory is not counted, because the cache keeps it for the next
/// compilation.
inline int work_left_behind(const std::string& entries) {
  int count = 0, empty = 0;
  for (const std::string& name : names_in(entries)) {
    if (!name.starts_with(kWorkPrefix)) continue;
    const bool is_spare = names_in(entries + "/" + name).empty() && empty++ == 0;
    count += !is_spare;
  }
  return count;
}

struct KillResult {
  int kills = 0;
  int wrong = 0;    // reads that returned wrong content
  int damaged = 0;  // entries that failed a check, which must not happen because publishing is atomic
  int found = 0;    // entries that the killed processes had published completely
  int left = 0;     // work directories that remain after the cleanup
};

/// Repeats `rounds` times: starts a process that publishes entries in a loop, kills it at a random moment, and checks the cache.
inline KillResult kill_while_publishing(int rounds, unsigned seed) {
  constexpr int kKeys = 8;
  constexpr size_t kSize = 200'000;  // large enough for the kill to hit the middle of a write
  KillResult result;
  const Scratch scratch;
  std::mt19937 random(seed);
  const auto publish = [&](const std::string& directory, int times) {
    return in_child([=] {
      TestSystem system;
      harp::CompileCache cache(system, options_in(directory), harp::Log());
      for (int n = 0; n < times; ++n) cache.publish(*artifact_of(n % kKeys, kSize));
      return 0;
    });
  };
  // Each process is killed within the time that two publications take. That time is measured here, because code with sanitizers is slow.
  const auto begin = std::chrono::steady_clock::now();
  ::waitpid(publish(scratch / "first", 2), nullptr, 0);
  const auto longest = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  for (int round = 0; round < rounds; ++round) {
    const int pid = publish(scratch / "cache", std::numeric_limits<int>::max());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(std::max<int64_t>(longest, 1000))));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ++result.kills;
    TestSystem system;
    harp::CompileCache cache(system, options_in(scratch / "cache"), harp::Log());
    for (int n = 0; n < kKeys; ++n) {
      const auto artifact = cache.lookup(key_of(n));
      result.found += artifact != nullptr;
      if (artifact && !is_right(*artifact, n, kSize)) ++result.wrong;
      if (artifact && random() % 4 == 0) cache.remove(key_of(n));
    }
    result.damaged += static_cast<int>(cache.stats().damaged);
  }
  TestSystem system;
  harp::CompileCache cache(system, options_in(scratch / "cache"), harp::Log());
  age_work_directories(cache.directory());
  cache.evict({});
  result.left = count_work_directories(cache.directory());
  return result;
}

/// Runs many processes that use the same few keys, with limits so small that the cache evicts entries all the time. Returns the number of
/// processes that saw a wrong entry.
inline int hammer(int processes, int rounds, unsigned seed) {
  constexpr int kKeys = 4;
  const Scratch scratch;
  std::vector<int> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(in_child([&] {
      TestSystem system;
      harp::CacheOptions options = options_in(scratch / "cache");
      options.limits = {.bytes = 70'000, .entries = 3};  // fewer entries than there are keys, so that entries are evicted
      harp::CompileCache cache(system, options, harp::Log());
      std::mt19937 random(seed + static_cast<unsigned>(p));
      for (int round = 0; round < rounds; ++round) {
        const int n = static_cast<int>(random() % kKeys);
        auto artifact = cache.lookup(key_of(n));
        if (!artifact) {
          const auto lock = random() % 2 != 0 ? cache.lock(key_of(n), nullptr) : harp::CompileCache::Lock();
          artifact = cache.lookup(key_of(n));
          if (!artifact && !cache.publish(*artifact_of(n))) return 1;
        }
        if (artifact && !is_right(*artifact, n)) return 2;
        if (random() % 50 == 0) cache.evict({.bytes = 30'000, .entries = 1});
        if (random() % 200 == 0 && !cache.clear()) return 3;
      }
      return cache.stats().damaged == 0 ? 0 : 4;
    }));
  }
  int failed = 0;
  for (const int child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    failed += status != 0;
  }
  return failed;
}

struct DamageResult {
  int tried = 0;
  int accepted = 0;  // damaged files that the cache accepted
};

/// Damages a published entry in many ways, one at a time: truncates it at each multiple of 64 bytes, flips a random bit, zeroes a page, or
/// appends a byte. The cache must treat each damaged entry as a miss.
inline DamageResult damage(int bit_flips, unsigned seed) {
  DamageResult result;
  const Scratch scratch;
  TestSystem system;
  harp::CompileCache cache(system, options_in(scratch / "cache"), harp::Log());
  cache.publish(*artifact_of(1));
  const std::string path = cache.directory() + "/" + key_of(1).hex() + std::string(harp::kObjectSuffix);
  const std::string whole = read_text(path);
  const auto expect_miss = [&](const std::string& bytes) {
    write_text(path, bytes);
    ++result.tried;
    result.accepted += cache.lookup(key_of(1)) != nullptr;
  };
  for (size_t size = 0; size < whole.size(); size += 64) expect_miss(whole.substr(0, size));
  expect_miss(whole.substr(0, whole.size() - 1));
  expect_miss(whole + '\0');
  std::mt19937 random(seed);
  for (int i = 0; i < bit_flips; ++i) {
    // Half of the flipped bits are near the end of the file, in the footer, where a single bit can change how the rest of the file is read.
    const size_t at = i % 2 == 0 ? random() % whole.size() : whole.size() - 1 - random() % 256;
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    expect_miss(bytes);
  }
  for (size_t page = 0; page < whole.size(); page += 4096) {
    std::string bytes = whole;
    bytes.replace(page, std::min<size_t>(4096, whole.size() - page), std::min<size_t>(4096, whole.size() - page), '\0');
    expect_miss(bytes);
  }
  // A valid file of another key that is stored under this entry's name must also be a miss.
  expect_miss(std::string(reinterpret_cast<const char*>(artifact_of(2)->file().data()), artifact_of(2)->file().size()));
  // The undamaged entry must be found; otherwise a cache that never finds anything would pass.
  write_text(path, whole);
  const auto found = cache.lookup(key_of(1));
  if (!found || !is_right(*found, 1)) ++result.accepted;
  return result;
}

}  // namespace cache_scenarios
