// Tests the tuning database: harp_compile must use an entry only on the same machine and with the same version of harp, and no entry may be
// lost or misread.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "support/cache_scenarios.h"
#include "support/machine.h"
#include "support/tune_support.h"
#include "tune/machine.h"

using namespace harp;
using namespace harp::tune;
using namespace harp::tune_test;
using capi_test::ErrorSlot;

namespace {

harp_program_stats_info stats_of(const harp_program* program) {
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program, &stats, nullptr) == HARP_OK);
  return stats;
}

/// Compiles the scaled graph in a new context, runs it, and returns the program's statistics.
harp_program_stats_info compile_in(const std::string& directory, Lines* lines, std::string* source = nullptr,
                                   int32_t tuning = HARP_TUNING_ON) {
  const capi_test::Context context = context_in(directory, lines);
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  const capi_test::Program program = capi_test::compile(graph.get(), "c", [&](harp_compile_options& o) {
    o.target = nullptr;  // compiles for this machine, for which tune_scaled() has tuned the graph
    o.tuning = tuning;
  });
  if (source != nullptr) *source = capi_test::take(harp_program_source(program.get(), nullptr));
  std::vector<float> x = {1, 2, 3};
  const capi_test::Buffer input = capi_test::wrap(context.get(), x, {3});
  CHECK(capi_test::values<float>(capi_test::run(program.get(), {input.get()})[0].get()) == std::vector<float>{1.5, 3, 4.5});
  return stats_of(program.get());
}

/// Tunes the scaled graph, then replaces the best configuration (the schedules and settings that were found) in the database by
/// `configuration`. Returns the new entry.
TuningEntry found_in(const std::string& directory, const std::string& configuration) {
  {
    const capi_test::Context context = context_in(directory);
    ErrorSlot err;
    CHECK_MESSAGE(tune_scaled(context.get(), few_trials(), err) != nullptr, err.message());
  }
  const TuningText text = parse_database(read(database_in(directory)));
  REQUIRE(text.entries.size() == 1);
  TuningEntry entry = text.entries[0];
  entry.configuration = parse_configuration(configuration);
  write(database_in(directory), "harp tuning 2\n\n" + print(entry));
  return entry;
}

}  // namespace

TEST_CASE("H3.best_stored: harp_compile uses what was found, in every context of this machine") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  std::string untuned, source;
  CHECK(compile_in(directory, nullptr, &untuned).tuned == 0);
  found_in(directory, "kernel_0: elementwise [thread simd=1]\nflag: -O2");
  Lines lines;
  CHECK(compile_in(directory, &lines, &source).tuned == 1);
  CHECK(source.find("elementwise [thread]") != std::string::npos);
  CHECK(source != untuned);
  CHECK(compile_in(directory, &lines, &source, HARP_TUNING_OFF).tuned == 0);
  CHECK(source == untuned);
  CHECK(lines.lines.empty());
  {  // harp_cache_clear does not remove the stored configuration, so the next search measures it again
    const capi_test::Context context = context_in(directory);
    CHECK(harp_cache_clear(context.get(), nullptr) == HARP_OK);
    ErrorSlot err;
    const Found result = tune_scaled(context.get(), few_trials(), err);
    REQUIRE_MESSAGE(result != nullptr, err.message());
    harp_tune_trial_info trial = HARP_TUNE_TRIAL_INFO_INIT;
    CHECK(harp_tune_result_trial(result.get(), 1, &trial, err) == HARP_OK);
    CHECK(std::string(trial.configuration) == "flag: -O2\nkernel_0: elementwise [thread]\n");
    harp_tune_summary summary = HARP_TUNE_SUMMARY_INIT;
    CHECK(harp_tune_result_summary(result.get(), &summary, err) == HARP_OK);
    CHECK(summary.trials == 3);
    CHECK(summary.stored == 1);
    CHECK(harp_tune_result_trial(result.get(), 3, &trial, err) == HARP_ERROR_INVALID_ARGUMENT);
  }
  // The key also contains the compile options and the number of threads.
  found_in(directory, "kernel_0: elementwise [thread simd=1]");
  const capi_test::Context context =
      capi_test::make_context([&](harp_context_options& o) { o.cache_dir = directory.c_str(), o.threads = 2; });
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  CHECK(stats_of(capi_test::compile(graph.get(), "c", [](auto& o) { o.target = nullptr; }).get()).tuned == 0);
}

TEST_CASE(
    "H3.best_stored: a database of another machine or version is passed over with one line of the log, and so is what no longer fits") {
  const Scratch scratch;
  const std::string directory = scratch / "cache", simple = "kernel_0: elementwise [thread simd=1]";
  const TuningEntry entry = found_in(directory, simple);
  const auto uses = [&](const std::string& text, size_t lines_expected) {
    write(database_in(directory), text);
    Lines lines;
    const bool is_tuned = compile_in(directory, &lines).tuned != 0;
    CHECK(lines.lines.size() == lines_expected);
    return is_tuned;
  };
  const std::string header = "harp tuning 2\n\n";
  TuningEntry other = entry;
  CHECK(uses(header + print(entry), 0));
  other.version = "0.0.9 law 1";
  CHECK_FALSE(uses(header + print(other), 1));
  CHECK(uses(header + print(other) + "\n" + print(entry), 1));
  other = entry, other.machine += " Turbo";
  CHECK_FALSE(uses(header + print(other), 1));
  CHECK_FALSE(uses("harp tuning 3\n\n" + print(entry), 1));
  // An intact entry from a version with other schedule keywords is not used, and is not an error.
  std::string body = print(entry);
  body.resize(body.rfind("end "));
  body.insert(body.size() - 1, " late");
  CHECK_FALSE(uses(header + body + "end " + digest_of(body).hex() + "\n", 1));
  CHECK_FALSE(uses("", 1));
  CHECK_FALSE(uses(std::string(5000, '\xff'), 1));
  other = entry, other.configuration = parse_configuration("kernel_9: elementwise [thread simd=1]");
  CHECK_FALSE(uses(header + print(other), 1));
  other.configuration = parse_configuration("compiler: /no/such/cc");
  CHECK_FALSE(uses(header + print(other), 1));
  // Somebody has edited these entries. harp must not run a command or change a result just because the file says so.
  for (const std::string& line : {cat("compiler: sh -c 'touch ", scratch / "run", "'"), std::string("compiler: gcc -O2"),
                                  std::string("compiler: gcc-"), std::string("flag: -ffast-math"), std::string("flag: -DM_PI=3")}) {
    CAPTURE(line);
    other.configuration = parse_configuration(line);
    CHECK_FALSE(uses(header + print(other), 1));
  }
  CHECK(read(scratch / "run").empty());
  CHECK(access((scratch / "run").c_str(), F_OK) != 0);
  other.configuration = parse_configuration("compiler: gcc\nflag: -O2\n" + simple);
  CHECK(uses(header + print(other), 0));
}

TEST_CASE("H3.best_stored: what is not ours alone to write is not used, one line of the log says why, and it is kept beside a new one") {
  const Scratch scratch;
  const std::string directory = scratch / "cache", file = database_in(directory);
  const TuningEntry entry = found_in(directory, "kernel_0: elementwise [thread simd=1]");
  const std::string text = "harp tuning 2\n\n" + print(entry), aside = file + ".ignored-1";
  const auto is_ignored = [&](std::string_view why) {
    CAPTURE(why);
    {
      Lines lines;
      const capi_test::Context context = context_in(directory, &lines);
      const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
      for (const int32_t width : {0, 1}) {  // two vector widths, so that two different programs are compiled
        const capi_test::Program program = capi_test::compile(graph.get(), "c", [&](auto& o) { o.simd_width = width; });
        CHECK(stats_of(program.get()).tuned == 0);
      }
      CHECK(lines.lines.size() == 1);
      CHECK(lines.with("the tuning database " + file + " is not used: ") == 1);
      CHECK(lines.with(why) == 1);
    }
    Lines lines;
    const capi_test::Context context = context_in(directory, &lines);
    ErrorSlot err;
    CHECK_MESSAGE(tune_scaled(context.get(), few_trials(), err) != nullptr, err.message());
    CHECK(lines.with("was renamed to tuning-2.txt.ignored-1 and a new one is created") == 1);
    CHECK(parse_database(read(file)).entries.size() == 1);
  };
  for (const mode_t mode : {0664, 0666}) {
    write(file, text);
    CHECK(::chmod(file.c_str(), mode) == 0);
    is_ignored(cat("other users can write to it: its mode is ", mode == 0664 ? "664" : "666", ", expected 600 or 644 (chmod go-w)"));
    CHECK(read(aside) == text);
    std::filesystem::remove(aside);
  }
  write(file, "not one");
  is_ignored("it is damaged or was written by another version");
  CHECK(read(aside) == "not one");
  std::filesystem::remove(aside);

  std::filesystem::rename(file, scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", file);
  is_ignored("it is a symbolic link, not a file");
  CHECK(std::filesystem::is_symlink(aside));
  std::filesystem::remove(aside);

  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  is_ignored("it is a directory, not a file");
  CHECK(std::filesystem::is_directory(aside));
  std::filesystem::remove(aside);

  std::filesystem::remove(file);
  CHECK(::mkfifo(file.c_str(), 0600) == 0);
  is_ignored("it is not a regular file");
  CHECK(std::filesystem::is_fifo(aside));

  write(file, text);
  CHECK(::chmod(file.c_str(), 0664) == 0);
  write(aside + "0", "");  // the next name that harp would give to the old file exists
  Lines lines;
  const capi_test::Context context = context_in(directory, &lines);
  ErrorSlot err;
  CHECK_MESSAGE(tune_scaled(context.get(), few_trials(), err) != nullptr, err.message());
  CHECK(lines.with("was renamed to tuning-2.txt.ignored-2") == 1);  // harp chose the next number, so no existing file was overwritten
  CHECK(std::filesystem::is_fifo(aside));
}

TEST_CASE("H3.best_stored: a database is used as soon as it is ours alone to write, and paragraphs that were passed over stay") {
  const Scratch scratch;
  const std::string directory = scratch / "cache", file = database_in(directory);
  const TuningEntry entry = found_in(directory, "kernel_0: elementwise [thread simd=1]");
  TuningEntry other = entry;
  other.program = digest_of("other"), other.machine += " Turbo";
  std::string unknown = print(other);
  unknown.replace(unknown.find("thread"), 0, "turbo ");
  write(file, "harp tuning 2\n\n" + unknown + "\n" + print(other) + "\n" + print(entry) + "program 7");
  CHECK(::chmod(file.c_str(), 0664) == 0);
  Lines lines;
  const capi_test::Context context = context_in(directory, &lines);
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  const auto is_tuned = [&](int32_t width) {
    return stats_of(capi_test::compile(graph.get(), "c",
                                       [&](auto& o) {
                                         o.target = nullptr;  // compiles for this machine, as compile_in() does
                                         o.simd_width = width;
                                       })
                        .get())
               .tuned == 1;
  };
  CHECK_FALSE(is_tuned(1));
  CHECK(::chmod(file.c_str(), 0644) == 0);
  CHECK(is_tuned(0));
  CHECK(lines.with("ignored are 2 damaged entries, 1 of other machines") == 1);
  for (int i = 0; i < 2; ++i) {
    ErrorSlot err;
    CHECK_MESSAGE(tune_scaled(context.get(), few_trials(), err) != nullptr, err.message());
    const std::string now = read(file);
    CHECK(now.find("\n" + unknown + "\n") != std::string::npos);
    CHECK(now.find("\n" + print(other) + "\n") != std::string::npos);
    CHECK(now.ends_with("\n\nprogram 7\n"));
    CHECK(parse_database(now).entries.size() == 2);
  }
  CHECK_FALSE(std::filesystem::exists(file + ".ignored-1"));
}

TEST_CASE("H3.best_stored: what was found stays as long as it has not been compared, and the result says so") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  found_in(directory, "flag: -O2");
  const std::string before = read(database_in(directory));
  const auto summary_of = [&](const std::function<void(harp_tune_options&)>& change, std::string& why_not) {
    const capi_test::Context context = context_in(directory);
    harp_tune_options options = few_trials();
    change(options);
    ErrorSlot err;
    const Found result = tune_scaled(context.get(), options, err);
    REQUIRE_MESSAGE(result != nullptr, err.message());
    harp_tune_summary summary = HARP_TUNE_SUMMARY_INIT;
    CHECK(harp_tune_result_summary(result.get(), &summary, err) == HARP_OK);
    why_not = summary.why_not_stored;
    return summary;
  };
  std::string why_not;
  CHECK(summary_of([](auto& o) { o.max_trials = 1; }, why_not).stored == 0);
  CHECK(why_not == "the result stored earlier was not measured again and is kept");
  CHECK(read(database_in(directory)) == before);
  CHECK(summary_of([](auto& o) { o.progress = [](void*, const harp_tune_progress*) -> int32_t { return HARP_TUNE_STOP; }; }, why_not)
            .trials == 1);
  CHECK(read(database_in(directory)) == before);
  CHECK(summary_of([](auto& o) { o.dry_run = 1; }, why_not).stored == 0);
  CHECK(why_not == "a dry run stores nothing");
  CHECK(read(database_in(directory)) == before);
  // the known configuration is measured even after the time limit
  CHECK(summary_of([](auto& o) { o.seconds = 1e-9; }, why_not).trials == 2);
  CHECK(why_not.empty());
}

TEST_CASE("H3.best_stored: a database that cannot be written says why") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  struct ReadOnly : RealFileSystem {
    int rename(int, const char*, int, const char*) override { return -EROFS; }
  } files;
  TestSystem system;
  {
    CompileCache cache({files, system.process}, cache_scenarios::options_in(directory), Log());
    TuningDatabase database({files, system.process}, cache, Log(), "1 law 1", testing::row("x86-64-v4"));
    const std::string why_not = database.add(digest_of("p"), "p", parse_configuration("share: 3"), 1, 2);
    CHECK(why_not == cat("cannot write ", database_in(directory), ": Read-only file system"));
    CHECK(database.find(digest_of("p"))->share_ns == 3);
  }
  CompileCache first(system, cache_scenarios::options_in(directory), Log());
  std::string why_not;
  const CompileCache::Lock lock = first.lock_file(TuningDatabase::kFile, why_not);
  CHECK(why_not.empty());
  CacheOptions impatient = cache_scenarios::options_in(directory);
  impatient.lock_timeout = std::chrono::milliseconds(1);
  CompileCache second(system, impatient, Log());
  TuningDatabase database(system, second, Log(), "1 law 1", testing::row("x86-64-v4"));
  CHECK(database.add(digest_of("p"), "p", parse_configuration("share: 3"), 1, 2)
            .ends_with("lock-tuning-2.txt: another process holds the lock"));
}

TEST_CASE("H3.best_stored: no damage of the database is taken for what it said") {
  TuningEntry one{digest_of("one"),
                  "softmax",
                  "0.1.0 law 1",
                  "x86_64-linux-gnu x86-64-v4 EPYC",
                  0.25,
                  0.5,
                  parse_configuration("flag: -O2\nkernel_0: reduce [thread, reduce simd=8]")};
  TuningEntry two = one;
  two.program = digest_of("two"), two.configuration = parse_configuration("share: 7");
  const std::string header = "harp tuning 2\n\n", text = header + print(one) + "\n" + print(two);
  const auto check = [&](const std::string& damaged) {
    const TuningText parsed = parse_database(damaged);
    for (const TuningEntry& entry : parsed.entries) {
      const std::string whole = print(entry);
      const bool is_one_of_them = whole == print(one) || whole == print(two);
      CHECK(is_one_of_them);
    }
    return parsed;
  };
  CHECK(check(text).entries.size() == 2);
  CHECK(check(text).damaged.empty());
  for (size_t size = 0; size < text.size(); ++size) CHECK(check(text.substr(0, size)).entries.size() < 2);
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      check(damaged);
    }
  for (size_t at = header.size(); at < header.size() + print(one).size(); ++at) {  // damage to one entry must leave the other intact
    const TuningText parsed = check(text.substr(0, at) + text.substr(at + 1));
    CHECK(parsed.entries.size() <= 2);
    const bool has_two =
        std::any_of(parsed.entries.begin(), parsed.entries.end(), [&](const TuningEntry& e) { return e.program == two.program; });
    CHECK(has_two);
  }
  CHECK(check(header + print(two) + print(one)).entries.size() == 2);
  CHECK(check(header + "program 1\n" + print(two)).damaged == std::vector<std::string>{"program 1"});
}

TEST_CASE("H3.best_stored: two processes and several threads add to one database, and nothing is lost") {
  const Scratch scratch;
  const std::string directory = scratch / "cache";
  constexpr int kEach = 25;
  const auto add_all = [&](const std::string& who) {
    TestSystem system;
    CompileCache cache(system, cache_scenarios::options_in(directory), Log());
    TuningDatabase database(system, cache, Log(), "1 law 1", testing::row("x86-64-v4"));
    for (int i = 0; i < kEach; ++i)
      if (!database.add(digest_of(cat(who, i)), who, parse_configuration(cat("share: ", i)), 1, 2).empty()) return 1;
    return 0;
  };
  // Forks before threads are started, because a child inherits all locks that are held at the fork.
  const int child = cache_scenarios::in_child([&] { return add_all("child"); });
  int status = -1, threads[2] = {-1, -1};
  std::thread first([&] { threads[0] = add_all("first"); }), second([&] { threads[1] = add_all("second"); });
  first.join();
  second.join();
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(threads[0] == 0);
  CHECK(threads[1] == 0);
  TestSystem system;
  CompileCache cache(system, cache_scenarios::options_in(directory), Log());
  TuningDatabase database(system, cache, Log(), "1 law 1", testing::row("x86-64-v4"));
  for (const char* who : {"child", "first", "second"})
    for (int i = 0; i < kEach; ++i) {
      const std::optional<Configuration> found = database.find(digest_of(cat(who, i)));
      REQUIRE(found);
      CHECK(found->share_ns == i);
    }
  CHECK_FALSE(database.find(digest_of("nobody")));
}

TEST_CASE("H3.best_stored: without a directory the context alone remembers") {
  TestSystem system;
  CacheOptions off;
  off.enabled = false;
  CompileCache cache(system, off, Log());
  TuningDatabase database(system, cache, Log(), "1 law 1", testing::row("x86-64-v4"));
  CHECK(database.add(digest_of("p"), "p", parse_configuration("share: 3"), 1, 2) == "the compile cache is disabled: switched off");
  CHECK(database.find(digest_of("p"))->share_ns == 3);
  RealFileSystem files;
  CHECK(machine_name(files, testing::row("x86-64-v4")).starts_with(cat(host_triple(), " ", testing::row("x86-64-v4").name)));
}
