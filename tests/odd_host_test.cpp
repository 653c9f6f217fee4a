// Hosts that close what is not theirs, or that have nothing left for harp to open or to map.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/text.h"
#include "capi_support.h"
#include "in_child.h"

using namespace capi_test;

namespace {

/// y = x * factor + term, of one element.
Program scaled(harp_context* context, float factor, float term) {
  const Graph g = make_graph(context, HARP_GRAPH_BROADCAST);
  const harp_dim dims[] = {1};
  harp_node* x = harp_input(g.get(), "x", HARP_F32, 1, dims);
  harp_output(g.get(), "y", harp_add(harp_mul(x, harp_constant(g.get(), HARP_F32, factor)), harp_constant(g.get(), HARP_F32, term)));
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "c";
  return Program(harp_compile(g.get(), &options, nullptr));
}

/// Of x = 2; -1 where there is no program, or it fails.
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

/// Lines of /proc/self/maps.
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
    std::filesystem::create_directory(cache());
    std::filesystem::create_directory(host());
    ::chmod(cache().c_str(), 0700);
  }
  ~Directories() { std::filesystem::remove_all(top); }
  std::string cache() const { return top + "/cache"; }
  std::string host() const { return top + "/host"; }
  std::string top;
};

}  // namespace

TEST_CASE("host: one that closes every descriptor gets right results, and keeps what it opens then") {
  const Directories directories;
  CHECK(in_child([&] {
          std::vector<int> own;
          {
            const Context context = make_context([&](auto& options) { options.cache_dir = directories.cache().c_str(); });
            const Program first = scaled(context.get(), 1, 1);
            if (at_two(first) != 3) return 1;
            ::closefrom(3);
            for (int i = 0; i < 6; ++i) own.push_back(::open(directories.host().c_str(), O_RDONLY | O_DIRECTORY));
            const Program second = scaled(context.get(), 100, 0);
            ::closefrom(own.back() + 1);
            const Program third = scaled(context.get(), 10, 5);
            if (at_two(first) != 3 || at_two(second) != 200 || at_two(third) != 25) return 2;
            if (count_in(directories.host()) != 0) return 3;
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

#ifndef HARP_SANITIZE  // which need mappings of their own
TEST_CASE("host: where there are no mappings left, those of programs that nobody has any more are given up") {
  constexpr size_t kMost = 300'000, kLeft = 60, kPrograms = 40;
  size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  REQUIRE(limit > 0);
  if (limit > kMost)
    throw harp::testing::Skip{harp::cat("vm.max_map_count is ", limit, ": to use up so many mappings would take seconds and much memory")};
  CHECK(in_child([limit] {
          const Context context = make_context();
          if (at_two(scaled(context.get(), 1, 0)) != 2) return 1;
          const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
          char* pages =
              static_cast<char*>(::mmap(nullptr, 2 * limit * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
          if (pages == MAP_FAILED) return 2;
          size_t next = 0;
          while (::mprotect(pages + 2 * next * page, page, PROT_READ) == 0) ++next;  // each a mapping, and the hole behind it another
          for (size_t i = 1; i <= kLeft / 2; ++i) ::munmap(pages + 2 * (next - i) * page, 2 * page);
          for (size_t i = 1; i <= kPrograms; ++i)
            if (at_two(scaled(context.get(), 1, static_cast<float>(i))) != static_cast<float>(i + 2)) return 3;
          return 0;
        }) == 0);
}
#endif
