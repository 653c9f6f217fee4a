// Tests how an artifact becomes a loaded library: the library's name, where it is loaded from, the resources that it uses, and errors.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <filesystem>

#include "base/error.h"
#include "support/compile_scenarios.h"

using namespace harp;
using namespace compile_scenarios;

namespace {

/// Returns the number of lines in /proc/self/maps that contain this name.
int count_mappings(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += contains(line, file);
  return count;
}

int count_kernel_mappings() { return count_mappings("harp-kernel"); }

int result_of(const LoadedLibrary& library) { return library.entry_point_ex()(nullptr, nullptr, nullptr, nullptr); }

bool succeeds(int child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// A system that has no memory files and a directory `forbidden` whose files cannot be executed. The errors are those of glibc and the
/// kernel.
struct NoMemoryFiles : FaultyFiles {
  using FaultyFiles::FaultyFiles;
  int memory_file(const char*) override { return -ENOSYS; }
  int try_execute(int fd) override {
    std::error_code ignored;
    const std::string path = std::filesystem::read_symlink(cat("/proc/self/fd/", fd), ignored).string();
    return !forbidden.empty() && path.starts_with(forbidden) ? -EPERM : FaultyFiles::try_execute(fd);
  }
  std::string forbidden;
};

struct NoMapping : FaultyProcess {
  using FaultyProcess::FaultyProcess;
  void* open_library(const char* path, std::string& error) override {
    if (forbidden.empty() || !std::string_view(path).starts_with(forbidden)) return FaultyProcess::open_library(path, error);
    error = cat(path, ": failed to map segment from shared object");
    return nullptr;
  }
  std::string forbidden;
};

}  // namespace

TEST_CASE("loader: libraries are told apart, shared while equal, and closed") {
  Bench bench;
  const auto one = bench.service().compile(request_for(1));
  const auto two = bench.service().compile(request_for(2));
  const int files_before = count_open_files();
  // The system reuses names and descriptors of unloaded libraries. harp must not confuse two libraries because of that.
  for (int i = 0; i < 100; ++i) {
    CHECK(call(bench.system, one) == 1);
    CHECK(call(bench.system, two) == 2);
  }
  CHECK(count_open_files() == files_before);
  {
    Loader loader(bench.system, 1);
    const auto first = loader.load(*one);
    CHECK(loader.load(*one) == first);
    const auto second = loader.load(*two);
    // The loader keeps only one library loaded, but the first one stays loaded because it is still in use.
    CHECK(loader.load(*one) == first);
    CHECK(first->entry_point_ex()(nullptr, nullptr, nullptr, nullptr) == 1);
    CHECK(second->entry_point_ex()(nullptr, nullptr, nullptr, nullptr) == 2);
    CHECK(count_open_files() == files_before);
    CHECK(count_kernel_mappings() == 4);
  }
  CHECK(count_kernel_mappings() == 0);
  Loader loader(bench.system);
  loader.load(*one);
  CHECK(count_kernel_mappings() == 2);
  loader.drop_unused();
  CHECK(count_kernel_mappings() == 0);
}

TEST_CASE("loader: evicting an artifact takes nothing from those who use it") {
  Bench bench;
  bench.options.memory = {.bytes = 1, .entries = 1};
  CompileService service = bench.service();
  const auto one = service.compile(request_for(1));
  const LoadedLibrary library = LoadedLibrary::load(bench.system, *one);
  service.compile(request_for(2));
  service.clear();
  CHECK(library.entry_point_ex()(nullptr, nullptr, nullptr, nullptr) == 1);
  CHECK(call(bench.system, one) == 1);
  service.forget(*one);
}

TEST_CASE("loader: a program is two mappings and no descriptor, whoever compiled it") {
  // For "gcc", harp runs the driver's commands itself. For the other two compilers, harp runs the driver.
  for (const char* compiler : {"gcc", "gcc -DANOTHER_WORD", "clang"}) {
    Bench bench;
    bench.options.compiler = compiler;
    CompileRequest request = request_for(4);
    // Adds constants, and pointers to constants, which the dynamic linker must relocate.
    request.source += "EXPORT const char* const words[] = {\"one\", \"two\"};\nEXPORT const double table[3] = {1, 2, 3};\n";
    const auto artifact = bench.service().compile(request);
    const int files_before = count_open_files();
    CAPTURE(compiler);
    const LoadedLibrary library = LoadedLibrary::load(bench.system, *artifact);
    CHECK(result_of(library) == 4);
    CHECK(count_kernel_mappings() == 2);
    CHECK(count_open_files() == files_before);
  }
}

TEST_CASE("loader: 2,000 libraries are loaded where 64 files may be open") {
  const int child = cache_scenarios::in_child([] {
    Bench bench;
    const auto artifact = bench.service().compile(request_for(3));
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 64;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
    std::vector<LoadedLibrary> libraries;
    for (int i = 0; i < 2000; ++i) libraries.push_back(LoadedLibrary::load(bench.system, *artifact));
    for (const LoadedLibrary& library : libraries)
      if (result_of(library) != 3) return 2;
    return 0;
  });
  CHECK(succeeds(child));
}

TEST_CASE("loader: a host that closes descriptors that are not its own, or forks, gets what it asks for") {
  const int child = cache_scenarios::in_child([] {
    Bench bench;
    std::vector<std::shared_ptr<const Artifact>> artifacts;
    for (int n = 0; n < 4; ++n) artifacts.push_back(bench.service().compile(request_for(n)));
    std::vector<LoadedLibrary> libraries;
    for (int n = 0; n < 4; ++n) {
      libraries.push_back(LoadedLibrary::load(bench.system, *artifacts[static_cast<size_t>(n)]));
      ::closefrom(3);
      if (n == 1 && !succeeds(cache_scenarios::in_child([&] { return call(bench.system, artifacts[3]) == 3 ? 0 : 1; }))) return 1;
    }
    for (int n = 0; n < 4; ++n)
      if (result_of(libraries[static_cast<size_t>(n)]) != n) return 2;
    return 0;
  });
  CHECK(succeeds(child));
}

TEST_CASE("loader: a library that says it is another one is given back, and the right one asked for again") {
  Bench bench;
  const auto one = bench.service().compile(request_for(1)), two = bench.service().compile(request_for(2));
  write_text(bench.scratch / "one.so", {reinterpret_cast<const char*>(one->payload().data()), one->payload().size()});
  struct Confused : FaultyProcess {
    using FaultyProcess::FaultyProcess;
    void* open_library(const char* path, std::string& error) override {
      return FaultyProcess::open_library(left-- > 0 ? other.c_str() : path, error);
    }
    int left = 0;
    std::string other;
  } process(bench.system.plan);
  const System system{bench.system.files, process};
  process.other = bench.scratch / "one.so";
  process.left = 1;
  CHECK(call(system, two) == 2);
  CHECK(count_mappings(process.other) == 0);
  process.left = 2;
  const Error error = error_of([&] { call(system, two); });
  CHECK(error.code == Code::kCompiler);
  CHECK(error.message == cat("the system's loader returned compiled code ", one->key().hex(), ", expected ", two->key().hex()));
  CHECK(count_mappings(process.other) == 0);
}

TEST_CASE("loader: what is loaded from memory cannot be written to any more") {
  Bench bench;
  struct RecordingFiles : FaultyFiles {
    using FaultyFiles::FaultyFiles;
    int seal(int fd) override {
      const int error = FaultyFiles::seal(fd);
      is_sealed = ::pwrite(fd, "x", 1, 0) < 0 && errno == EPERM && ::ftruncate(fd, 0) < 0 && errno == EPERM;
      return error;
    }
    bool is_sealed = false;
  } files(bench.system.plan);
  CHECK(call(System{files, bench.system.process}, bench.service().compile(request_for(1))) == 1);
  CHECK(files.is_sealed);
}

TEST_CASE("loader: HARP_KEEP_OBJECTS names a directory of files that are loaded and stay") {
  Bench bench;
  const std::string directory = bench.scratch / "objects";
  const auto artifact = bench.service().compile(request_for(1));
  bench.system.process.variables["HARP_KEEP_OBJECTS"] = directory;
  const auto load = [&] { return Loader(bench.system).load(*artifact); };
  CHECK(contains(error_of(load).message, cat("HARP_KEEP_OBJECTS: cannot resolve ", directory, ": No such file")));
  std::filesystem::create_directory(directory);
  ::chmod(directory.c_str(), 0700);
  for (int times = 0; times < 2; ++times) {
    const auto library = load();
    CHECK(result_of(*library) == 1);
    CHECK(count_kernel_mappings() == 0);
    const std::vector<std::string> names = names_in(directory);
    REQUIRE(names.size() == 1);
    CHECK(names[0] == cat("harp-", artifact->digest().hex(), ".so"));
    CHECK(count_mappings(path_join(directory, names[0])) > 0);
    const std::string bytes = read_text(path_join(directory, names[0]));
    CHECK(bytes == std::string_view(reinterpret_cast<const char*>(artifact->payload().data()), artifact->payload().size()));
  }
  ::chmod(directory.c_str(), 0777);
  CHECK(error_of(load).message == cat("HARP_KEEP_OBJECTS: ", directory, " can be written by others"));
  bench.system.process.variables["HARP_KEEP_OBJECTS"] = "objects";
  CHECK(error_of(load).message == "HARP_KEEP_OBJECTS: \"objects\" is not an absolute path");
}

TEST_CASE("loader: without memory files, a directory that forbids execution or belongs to somebody else is passed over") {
  Bench bench;
  const auto artifact = bench.service().compile(request_for(5));
  NoMemoryFiles files(bench.system.plan);
  NoMapping process(bench.system.plan);
  const System system{files, process};
  std::filesystem::create_directory(bench.scratch / "temp");
  process.variables["TMPDIR"] = files.forbidden = process.forbidden = bench.scratch / "temp";
  CHECK(call(system, artifact) == 5);  // from /tmp
  process.forbidden = files.forbidden = "/";
  const Error error = error_of([&] { call(system, artifact); });
  CHECK(error.code == Code::kIo);
  for (const std::string& directory : {bench.scratch / "temp", std::string("/tmp"), std::string("/var/tmp")}) {
    std::string resolved;
    files.real_path(directory.c_str(), resolved);
    CHECK(contains(error.message, cat(resolved, " does not allow execution (mounted noexec?)")));
  }
  CHECK(contains(error.message, "; set TMPDIR to a directory that allows execution and belongs to this user"));

  struct Foreign : NoMemoryFiles {
    using NoMemoryFiles::NoMemoryFiles;
    int stat(int fd, FileInfo& info) override {
      const int error = NoMemoryFiles::stat(fd, info);
      if (info.inode == of.inode && info.device == of.device) info.owner = ::geteuid() + 1;
      return error;
    }
    int open(int directory, const char* path, int flags, uint32_t mode) override {
      if ((flags & O_CREAT) != 0) created_in += cat(std::filesystem::read_symlink(cat("/proc/self/fd/", directory)).string(), "\n");
      return NoMemoryFiles::open(directory, path, flags, mode);
    }
    FileInfo of;
    std::string created_in;  // one line for each created file: the directory in which it was created
  } foreign(bench.system.plan);
  const std::string above = bench.scratch / "above", temp = above + "/temp";
  std::filesystem::create_directories(temp);
  process.forbidden.clear();
  process.variables["TMPDIR"] = temp;
  CHECK(call(System{foreign, process}, artifact) == 5);
  CHECK(contains(foreign.created_in, temp));
  // a directory is not safe if another user owns its parent, because that user can rename it
  for (const std::string& path : {temp, above}) {
    REQUIRE(foreign.stat_at(AT_FDCWD, path.c_str(), false, foreign.of) == 0);
    foreign.created_in.clear();
    CHECK(call(System{foreign, process}, artifact) == 5);
    CHECK(!contains(foreign.created_in, temp));
    CHECK(!foreign.created_in.empty());
  }
}

TEST_CASE("loader: a process that may have no more mappings is told so, and nothing of noexec") {
  Bench bench;
  const auto artifact = bench.service().compile(request_for(5));
  NoMapping process(bench.system.plan);
  process.forbidden = "/";
  const Error error = error_of([&] { call(System{bench.system.files, process}, artifact); });
  CHECK(error.code == Code::kIo);
  CHECK(contains(error.message, "harp-kernel: failed to map segment from shared object: this process cannot create more memory mappings "));
  CHECK(contains(error.message, "vm.max_map_count"));
  CHECK(!contains(error.message, "noexec"));
  CHECK(!contains(error.message, "TMPDIR"));
}

TEST_CASE("loader: a process that may open no more files is told so") {
  const int child = cache_scenarios::in_child([] {
    Bench bench;
    const auto artifact = bench.service().compile(request_for(5));
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 64;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
    int last = -1;
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) last = fd;
    if (error_of([&] { call(bench.system, artifact); }).code != Code::kIo) return 2;
    ::close(last);  // the memory file gets the only free descriptor, so the dynamic linker has none left for opening that file
    const Error error = error_of([&] { call(bench.system, artifact); });
    if (error.code != Code::kIo || !contains(error.message, "Too many open files")) return 3;
    ::close(last - 1);
    return call(bench.system, artifact) == 5 ? 0 : 4;
  });
  CHECK(succeeds(child));
}
