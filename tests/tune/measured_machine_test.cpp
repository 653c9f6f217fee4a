// Tests the file that `harp info --measure` writes (tune/measured_machine.h). harp uses the measured values to schedule programs for this
// machine, but not programs for an explicitly named target. A file that is not valid is ignored, with one line in the log. (tool_test.py
// tests the measurement itself.)
#include "tune/measured_machine.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "backend/table.h"
#include "base/text.h"
#include "capi/compile_settings.h"
#include "capi/graph_key.h"
#include "compile/service.h"
#include "graph/text.h"
#include "support/cache_scenarios.h"
#include "support/machine.h"
#include "support/tune_support.h"
#include "tune/machine.h"
#include "tune/measure_loops.h"

using namespace harp;
using namespace harp::tune;
using namespace harp::tune_test;
using capi_test::ErrorSlot;

namespace {

// The first schedule variant of this graph is for arrays of at most half the size of the second-level cache.
constexpr const char* kRunning = "graph running(x: f32[n, 2048]) { return y = cumsum(x, axis=0) }";
constexpr int64_t kSecond = int64_t{8} << 20;

std::string file_in(const std::string& directory) { return directory + "/entries-1/" + MeasuredMachine::kFile; }

/// Returns a measurement of this machine, with a second-level cache of kSecond bytes. No machine row (entry of harp's table of CPUs) has
/// this size.
Measurement of_this_machine() {
  Measurement m;
  RealFileSystem files;
  m.machine = machine_name(files, host_machine());
  m.set(Quantity::kFirstCache, 32 << 10);
  m.set(Quantity::kSecondCache, static_cast<double>(kSecond));
  m.set(Quantity::kThirdCache, 64 << 20);
  return m;
}

std::string condition(int64_t second) { return cat(second / 2 / 4, " - 2048*n >= 0"); }

/// Creates a cache directory as harp creates it and returns its path.
std::string made_directory(const Scratch& scratch) {
  const std::string directory = scratch / "cache";
  const capi_test::Context context = context_in(directory);
  CHECK(capi_test::take(harp_cache_dir(context.get(), nullptr)) == directory + "/entries-1");
  return directory;
}

std::string emitted(harp_context* context, const char* stage, const char* target = nullptr) {
  const capi_test::Graph graph = capi_test::parse(context, kRunning);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.target = target;
  ErrorSlot err;
  const capi_test::String text(harp_graph_emit(graph.get(), &options, stage, err));
  REQUIRE_MESSAGE(text != nullptr, err.message());
  return harp_string_data(text.get());
}

int32_t origin_of(const std::string& directory, const char* graph_text) {
  const capi_test::Context context = context_in(directory);
  const capi_test::Graph graph = capi_test::parse(context.get(), graph_text);
  const capi_test::Program program = capi_test::compile(graph.get(), "c", [](harp_compile_options& o) { o.target = nullptr; });
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  return stats.cache;
}

}  // namespace

TEST_CASE("H3.machine_measured: schedules for this machine read the file's numbers, schedules for a named row do not") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch), row(host_machine().name);
  const int64_t usual = host_machine().cpu().caches.second;
  const auto has = [&](int64_t second, const char* target) {
    Lines lines;
    const capi_test::Context context = context_in(directory, &lines);
    CHECK(emitted(context.get(), "schedule", target).find(condition(second)) != std::string::npos);
    CHECK(lines.lines.empty());
  };
  has(usual, nullptr);
  write(file_in(directory), print(of_this_machine()));
  has(kSecond, nullptr);
  has(usual, row.c_str());
  for (const Machine& other : testing::all_rows()) has(other.cpu().caches.second, std::string(other.name).c_str());
  Measurement nothing;
  nothing.machine = of_this_machine().machine;
  write(file_in(directory), print(nothing));
  has(usual, nullptr);
  std::filesystem::remove(file_in(directory));
  has(usual, nullptr);
}

TEST_CASE("H3.machine_measured: a context reads the file once, and says what it has read") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch);
  write(file_in(directory), print(of_this_machine()));
  const auto described = [](harp_context* context) { return capi_test::take(harp_context_describe(context, nullptr)); };
  const capi_test::Context context = context_in(directory);
  CHECK(emitted(context.get(), "schedule").find(condition(kSecond)) != std::string::npos);
  std::filesystem::remove(file_in(directory));
  CHECK(emitted(context.get(), "schedule").find(condition(kSecond)) != std::string::npos);
  CHECK(described(context.get()).find("measured: yes\nfirst cache: 32768 bytes\nsecond cache: 8388608 bytes\n") != std::string::npos);
  CHECK(described(context_in(directory).get()).find("measured: no") != std::string::npos);
}

TEST_CASE("H3.machine_measured: a file that does not count is ignored with one line of the log") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch), file = file_in(directory), good = print(of_this_machine());
  const auto is_ignored = [&](std::string_view why) {
    CAPTURE(why);
    Lines lines;
    const capi_test::Context context = context_in(directory, &lines);
    for (const char* stage : {"schedule", "schedule", "c"})
      CHECK(emitted(context.get(), stage).find(condition(kSecond)) == std::string::npos);
    CHECK(lines.lines.size() == 1);
    CHECK(lines.with(cat("the measurements ", file, " are not used: ", why)) == 1);
  };
  write(file, "");
  is_ignored("it is damaged");
  write(file, good.substr(0, good.size() / 2));
  is_ignored("it is damaged");
  std::string text = good;
  text.replace(text.find("8388608"), 7, "8388609");
  write(file, text);
  is_ignored("it is damaged");
  text = good;
  text.replace(text.find(" 1\n"), 3, " 2\n");
  write(file, text);
  is_ignored("it has format 2, and this version of harp reads format 1");
  Measurement foreign = of_this_machine();
  foreign.machine += " Turbo";
  write(file, print(foreign));
  is_ignored("they are of another machine");
  write(file, good);
  CHECK(::chmod(file.c_str(), 0664) == 0);
  is_ignored("other users can write to it");
  std::filesystem::rename(file, scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", file);
  is_ignored("it is a symbolic link");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  is_ignored("it is a directory");
}

TEST_CASE("H3.machine_measured: looking for the file leaves no trace, and no cache is no error") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  Lines lines;
  {
    const capi_test::Context context = context_in(directory, &lines);
    CHECK_FALSE(emitted(context.get(), "schedule").empty());
    const capi_test::Graph graph = capi_test::parse(context.get(), kRunning);
    CHECK(capi_test::compile(graph.get(), "interp") != nullptr);
  }
  CHECK_FALSE(std::filesystem::exists(directory));
  const capi_test::Context context = context_in("", &lines);
  CHECK(emitted(context.get(), "schedule").find(condition(host_machine().cpu().caches.second)) != std::string::npos);
  CHECK(lines.lines.empty());
}

TEST_CASE("H3.machine_measured: numbers are part of the keys, in the directory those that changed the source") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch);
  CHECK(origin_of(directory, kRunning) == HARP_CACHE_NONE);
  CHECK(origin_of(directory, kScaled) == HARP_CACHE_NONE);
  CHECK(origin_of(directory, kRunning) == HARP_CACHE_DISK);
  write(file_in(directory), print(of_this_machine()));
  CHECK(origin_of(directory, kRunning) == HARP_CACHE_NONE);
  CHECK(origin_of(directory, kRunning) == HARP_CACHE_DISK);
  // the program still comes from the cache, because its schedule does not depend on any measured value
  CHECK(origin_of(directory, kScaled) == HARP_CACHE_DISK);

  const auto graph = parse_graph(kScaled);
  const BackendTable backends;
  const auto key_of = [&](const Machine& target) {
    capi::CompileSettings settings;
    settings.backend = &backends.standard();
    settings.pipeline.target = target;
    return *capi::compile_key(*graph, settings);
  };
  Machine target = testing::row("x86-64-v3");
  const Digest usual = key_of(target);
  size_t count = 0;
  const auto change = [&](auto& number) {
    ++number;
    CHECK(key_of(target) != usual);
    --number;
    ++count;
  };
  std::apply([&](auto&... numbers) { (change(numbers), ...); }, measured_numbers(std::get<Cpu>(target.hardware)));
  CHECK(count == static_cast<size_t>(Quantity::kAdditionLatency) + 1);
  CHECK(key_of(target) == usual);
}

TEST_CASE("H3.machine_measured: stored numbers count at once, and their file is replaced as a whole or not at all") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch);
  TestSystem system;
  struct ReadOnly : RealFileSystem {
    int rename(int, const char*, int, const char*) override { return -EROFS; }
  } read_only;
  const Machine host = testing::row("x86-64-v4");
  const auto store = [&](FileSystem& files, int64_t stream) {
    CompileCache cache({files, system.process}, cache_scenarios::options_in(directory), Log());
    MeasuredMachine measured({files, system.process}, cache, Log(), host);
    Measurement m;
    m.machine = machine_name(files, host);
    m.set(Quantity::kStream, static_cast<double>(stream));
    const std::string why_not = measured.store(m);
    CHECK(measured.known() == m);
    CHECK(measured.machine().cpu().stream_bytes == stream);
    CHECK(measured.machine().name == host.name);
    return why_not;
  };
  CHECK(store(system.files, 1 << 20) == "");
  const std::string before = read(file_in(directory));
  CHECK(parse_measurement(before).measurement.has_value());
  CHECK(store(read_only, 2 << 20) == cat("cannot write ", file_in(directory), ": Read-only file system"));
  CHECK(read(file_in(directory)) == before);
  CHECK(store(system.files, 3 << 20) == "");
  CHECK(read(file_in(directory)) != before);
  CompileCache cache(system, cache_scenarios::options_in(directory), Log());
  CHECK(MeasuredMachine(system, cache, Log(), host).machine().cpu().stream_bytes == 3 << 20);
  CHECK(MeasuredMachine(system, cache, Log(), testing::row("x86-64-v3")).machine().cpu().stream_bytes == Cpu{}.stream_bytes);

  CacheOptions off;
  off.enabled = false;
  CompileCache none(system, off, Log());
  MeasuredMachine measured(system, none, Log(), host);
  CHECK(measured.machine().cpu().stream_bytes == Cpu{}.stream_bytes);
  CHECK(measured.store(of_this_machine()) == "the compile cache is disabled: switched off");
  CHECK(measured.machine().cpu().caches.second == kSecond);
}

TEST_CASE("H3.machine_measured: any failure of the system while the file is read is a file that is not used") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch);
  write(file_in(directory), print(of_this_machine()));
  size_t used = 0;
  for (int fail_at = 0;; ++fail_at) {
    TestSystem system;
    system.plan.fail_at = fail_at;
    CompileCache cache(system, cache_scenarios::options_in(directory), Log());
    const int64_t second = MeasuredMachine(system, cache, Log(), host_machine()).machine().cpu().caches.second;
    const bool is_used = second == kSecond;
    CHECK((is_used || second == host_machine().cpu().caches.second));
    used += is_used;
    if (system.plan.calls <= fail_at) {
      CHECK(is_used);  // nothing failed
      break;
    }
  }
  CHECK(used >= 1);
}

TEST_CASE("H3.machine_measured: a machine that cannot be measured is an error and leaves no file") {
  const Scratch scratch;
  const std::string directory = made_directory(scratch);
  ErrorSlot none, no_compiler;
  CHECK(harp_context_measure(nullptr, none) == HARP_ERROR_INVALID_ARGUMENT);
  const capi_test::Context context = capi_test::make_context([&](harp_context_options& o) {
    o.cache_dir = directory.c_str();
    o.compiler = "/no/such/cc";
  });
  CHECK(harp_context_measure(context.get(), no_compiler) == HARP_ERROR_COMPILER);
  CHECK(no_compiler.message().find("/no/such/cc") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file_in(directory)));
  CHECK(capi_test::take(harp_context_describe(context.get(), nullptr)).find("measured: no") != std::string::npos);
}

TEST_CASE("H3.machine_measured: the loops that are timed compile for every row of this architecture, and do what they say") {
  TestSystem system;
  ServiceOptions options;
  options.cache.enabled = false;
  CompileService service(system, options, Log());
  for (const Machine& target : machines()) {
    CAPTURE(target.name);
    CompileRequest request;
    request.source = measured_loops(target.cpu());
    request.target = target;
    const std::shared_ptr<const LoadedLibrary> library = service.loader().load(*service.compile(request));
    if (!can_run(target)) continue;
    const size_t vector = static_cast<size_t>(target.cpu().vector_bytes) / sizeof(float), count = 16 * vector;
    alignas(64) float array[16 * 16 + 16];
    alignas(64) std::byte result[64];
    const auto run = [&](MeasuredLoop loop, void* input, size_t repeats) {
      void *inputs[] = {input}, *outputs[] = {result};
      size_t sizes[] = {static_cast<size_t>(loop), count * sizeof(float), repeats};
      CHECK(library->entry_point_ex()(inputs, outputs, sizes, nullptr) == 0);
    };
    for (const MeasuredLoop stores : {MeasuredLoop::kStores, MeasuredLoop::kStreams}) {
      for (float& element : array) element = -1;
      run(stores, array, 3);
      for (size_t i = 0; i < std::size(array); ++i) CHECK(array[i] == (i < count ? 3 : -1));
    }
    const auto first = [&] {
      float number;
      std::memcpy(&number, result, sizeof number);
      return number;
    };
    run(MeasuredLoop::kLoads, array, 2);
    for (size_t i = 0; i < std::size(array); ++i) CHECK(array[i] == (i < count ? 3 : -1));
    run(MeasuredLoop::kChainedAdditions, array, 2);  // The loop starts with the value 2. In each of two repeats, it adds 2 eight times.
    CHECK(first() == 34);
    // twelve values start with 1 + k (k = 0 ... 11), and the only repeat adds 1 to each; the result is their total
    run(MeasuredLoop::kAdditions, array, 1);
    CHECK(first() == 66 + 24);
    // twelve values start with 1 + k (k = 0 ... 11), and the only repeat computes value * 1 + 1; the result is their total
    run(MeasuredLoop::kMultiplyAdds, array, 1);
    CHECK(first() == 66 + 24);
    void* circle[3] = {&circle[1], &circle[2], &circle[0]};
    run(MeasuredLoop::kChase, circle, 1);  // eight steps
    void* at = nullptr;
    std::memcpy(&at, result, sizeof at);
    CHECK(at == static_cast<void*>(&circle[2]));
    size_t sum = 0;
    // The loop starts with the value 2. In each of two repeats, it adds the number of bytes of the array eight times.
    run(MeasuredLoop::kCycles, array, 2);
    std::memcpy(&sum, result, sizeof sum);
    CHECK(sum == 2 + 16 * count * sizeof(float));
  }
}
