// Tests programs that close file descriptors which belong to harp, and programs that leave no file descriptor or memory mapping for harp.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/file_system.h"
#include "base/text.h"
#include "compile/cache.h"
#include "support/capi_support.h"
#include "support/in_child.h"

using namespace capi_test;

namespace {

/// A program that computes y = x * factor + term for one element.
Program scaled(harp_context* context, float factor, float term) {
  const Graph g = make_graph(context, HARP_GRAPH_BROADCAST);
  const harp_dim dims[] = {1};
  harp_node* x = harp_input(g.get(), "x", HARP_F32, 1, dims);
  harp_output(g.get(), "y", harp_add(harp_mul(x, harp_constant(g.get(), HARP_F32, factor)), harp_constant(g.get(), HARP_F32, term)));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "c";
  return Program(harp_compile(g.get(), &options, nullptr));
}

/// Returns the program's result for x = 2, or -1 if there is no program or the run fails.
float at_two(const Program& program) {
  float x = 2, y = -1;
  void* inputs[] = {&x};
  void* outputs[] = {&y};
  const harp_entry_point entry = program ? harp_program_entry(program.get(), nullptr) : nullptr;
  if (entry != nullptr) entry(inputs, outputs, nullptr);
  return y;
}

size_t count_in(const std::string& directory) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

/// Returns the number of lines in /proc/self/maps that contain this text.
size_t count_mappings(const char* of = "") {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(of) != line.npos;
  return count;
}

struct Directories {
  Directories() {
    char name[] = "/tmp/harp-test-XXXXXX";
    top = ::mkdtemp(name);
    cache = top + "/cache", host = top + "/host";
    std::filesystem::create_directory(cache);
    std::filesystem::create_directory(host);
    ::chmod(cache.c_str(), 0700);
  }
  ~Directories() { std::filesystem::remove_all(top); }
  std::string top, cache, host;
};

}  // namespace

TEST_CASE("host: one that closes every descriptor gets right results, and keeps what it opens then") {
  const Directories directories;
  CHECK(in_child([&] {
          std::vector<int> own;
          {
            const Context context = make_context([&](auto& options) { options.cache_dir = directories.cache.c_str(); });
            const Program first = scaled(context.get(), 1, 1);
            if (at_two(first) != 3) return 1;
            ::closefrom(3);
            for (int i = 0; i < 6; ++i) own.push_back(::open(directories.host.c_str(), O_RDONLY | O_DIRECTORY));
            const Program second = scaled(context.get(), 100, 0);
            ::closefrom(own.back() + 1);
            const Program third = scaled(context.get(), 10, 5);
            if (at_two(first) != 3 || at_two(second) != 200 || at_two(third) != 25) return 2;
            if (count_in(directories.host) != 0) return 3;
          }
          for (const int fd : own)
            if (::fcntl(fd, F_GETFD) < 0) return 4;
          return 0;
        }) == 0);
}

TEST_CASE("host: programs that are kept hold no descriptor, and two mappings each") {
  CHECK(in_child([] {
          const Context context = make_context();
          const Program first = scaled(context.get(), 1, 0);
          const size_t open = count_in("/proc/self/fd"), mapped = count_mappings("harp-kernel");
          std::vector<Program> programs;
          for (int i = 0; i < 4; ++i) programs.push_back(scaled(context.get(), 1, static_cast<float>(i + 1)));
          for (int i = 0; i < 4; ++i)
            if (at_two(programs[static_cast<size_t>(i)]) != static_cast<float>(i + 3)) return 1;
          if (count_in("/proc/self/fd") != open) return 2;
          return count_mappings("harp-kernel") == mapped + 8 ? 0 : 3;
        }) == 0);
}

#ifndef HARP_SANITIZE  // this test is left out with sanitizers, because they need mappings as well
TEST_CASE("host: where there are no mappings left, those of programs that nobody has any more are given up") {
  constexpr size_t kMaxDescriptors = 300'000, kLeft = 60, kPrograms = 40;
  size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  REQUIRE(limit > 0);
  if (limit > kMaxDescriptors)
    throw harp::testing::Skip{harp::cat("vm.max_map_count is ", limit, ": to use up so many mappings would take seconds and much memory")};
  CHECK(in_child([limit] {
          const Context context = make_context();
          if (at_two(scaled(context.get(), 1, 0)) != 2) return 1;
          const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
          char* pages =
              static_cast<char*>(::mmap(nullptr, 2 * limit * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
          if (pages == MAP_FAILED) return 2;
          size_t next = 0;
          // Changing the protection of every second page adds two mappings per page: the page itself and the gap after it.
          while (::mprotect(pages + 2 * next * page, page, PROT_READ) == 0) ++next;
          for (size_t i = 1; i <= kLeft / 2; ++i) ::munmap(pages + 2 * (next - i) * page, 2 * page);
          for (size_t i = 1; i <= kPrograms; ++i)
            if (at_two(scaled(context.get(), 1, static_cast<float>(i))) != static_cast<float>(i + 2)) return 3;
          return 0;
        }) == 0);
}
#endif

TEST_CASE("host: a limit on the size of its files is an error of the compilation, not the end of the process") {
  const Directories directories;
  CHECK(in_child([&] {
          const Context context = make_context([&](auto& options) { options.cache_dir = directories.cache.c_str(); });
          if (at_two(scaled(context.get(), 1, 1)) != 3) return 1;
          const rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, least = {1000, RLIM_INFINITY};
          ::setrlimit(RLIMIT_FSIZE, &least);
          sigset_t blocked;
          const Graph g = make_graph(context.get(), HARP_GRAPH_BROADCAST);
          const harp_dim dims[] = {1};
          harp_output(g.get(), "y", harp_exp(harp_input(g.get(), "x", HARP_F32, 1, dims)));
          ErrorSlot err;
          const Program none(harp_compile(g.get(), nullptr, err));
          if (none != nullptr || err.code() == HARP_OK) return 2;
          ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
          if (::sigismember(&blocked, SIGXFSZ) != 0) return 3;  // harp must not have left the signal blocked
          ::sigpending(&blocked);
          if (::sigismember(&blocked, SIGXFSZ) != 0) return 4;
          ::setrlimit(RLIMIT_FSIZE, &before);
          return at_two(scaled(context.get(), 100, 0)) == 200 ? 0 : 5;
        }) == 0);
}

TEST_CASE("host: what it has closed of 0, 1 and 2 becomes no file of harp's") {
  CHECK(in_child([] {
          harp::RealFileSystem files;
          for (const int fd : {0, 1, 2}) ::close(fd);
          const int memory = files.memory_file("test"), directory = files.open(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
          for (const int fd : {0, 1, 2})
            if (::fcntl(fd, F_GETFD) >= 0) return 1;
          if (memory <= 2 || directory <= 2) return 2;
          // The memory file can be used: after one byte is written to it, its size is 1.
          const std::byte one{1};
          if (files.write(memory, &one, 1) != 1 || ::lseek(memory, 0, SEEK_END) != 1) return 3;
          const Context context = make_context();
          if (at_two(scaled(context.get(), 1, 1)) != 3) return 4;
          for (const int fd : {0, 1, 2})
            if (::fcntl(fd, F_GETFD) >= 0) return 5;
          return 0;
        }) == 0);
}

TEST_CASE("host: what cannot be loaded for want of something of the process stays in the cache") {
  const Directories directories;
  CHECK(in_child([&] {
          const auto with_cache = [&](auto& options) { options.cache_dir = directories.cache.c_str(); };
          if (at_two(scaled(make_context(with_cache).get(), 1, 1)) != 3) return 1;
          const auto entries = [&] {
            size_t count = 0;
            for (const auto& entry : std::filesystem::recursive_directory_iterator(directories.cache))
              count += entry.path().extension() == harp::kObjectSuffix;
            return count;
          };
          const size_t before = entries();
          if (before == 0) return 2;
          ::setenv("HARP_KEEP_OBJECTS", "/dev/null", 1);
          if (scaled(make_context(with_cache).get(), 1, 1) != nullptr) return 3;
          ::unsetenv("HARP_KEEP_OBJECTS");
          if (entries() != before) return 4;
          const Context context = make_context(with_cache);
          const Program program = scaled(context.get(), 1, 1);
          harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
          harp_program_stats(program.get(), &stats, nullptr);
          return stats.cache == HARP_CACHE_DISK ? 0 : 5;
        }) == 0);
}

TEST_CASE("host: without a descriptor at first, the cache is used as soon as there is one") {
  const Directories directories;
  CHECK(in_child([&] {
          const Context context = make_context([&](auto& options) { options.cache_dir = directories.cache.c_str(); });
          rlimit limit;
          ::getrlimit(RLIMIT_NOFILE, &limit);
          const rlimit none = {0, limit.rlim_max};
          ::setrlimit(RLIMIT_NOFILE, &none);
          harp_string_release(harp_cache_dir(context.get(), nullptr));
          if (scaled(context.get(), 1, 1) != nullptr) return 1;
          ::setrlimit(RLIMIT_NOFILE, &limit);
          if (at_two(scaled(context.get(), 1, 1)) != 3) return 2;
          return take(harp_cache_dir(context.get(), nullptr)).starts_with(directories.cache) ? 0 : 3;
        }) == 0);
}
