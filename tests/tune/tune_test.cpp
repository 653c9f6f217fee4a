// Tests harp_tune and its results: configurations as text and how harp_compile uses them, strategies, progress, and errors. No test depends
// on time.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "support/cache_scenarios.h"
#include "support/tune_support.h"
#include "tune/configuration.h"

using namespace harp;
using namespace harp::tune;
using namespace harp::tune_test;
using capi_test::ErrorSlot;

TEST_CASE("H3.configuration: prints and parses; what is no configuration is an error that says why") {
  const std::string text =
      "compiler: clang -m64\nflag: -O2\nflag: -funroll-loops\nwithout: compose_views\nshare: 20000\n"
      "kernel_0: reduce [thread tile=64 simd=8, reduce unroll=4] partition\nkernel_1 variant 2: elementwise [thread simd=4] overlap\n";
  const Configuration c = parse_configuration(text);
  CHECK(print(c) == text);
  CHECK(c.schedules[1].variant == 2);
  CHECK(parse_configuration("  share:7 \r\n\n").share_ns == 7);
  CHECK(print(Configuration{}).empty());
  const auto mistake = [](const char* line) { return message_of([&] { parse_configuration(line); }); };
  CHECK(mistake("speed: 9").find("is not a line of a configuration") != std::string::npos);
  CHECK(mistake("flag:").find("expected a value after") != std::string::npos);
  CHECK(mistake("share: soon").find("expected nanoseconds") != std::string::npos);
  CHECK(mistake("share: -1").find("expected nanoseconds") != std::string::npos);
  CHECK(mistake("share: 7\nshare: 7").find("\"share:\" is given twice, the second time as \"share: 7\"") != std::string::npos);
  CHECK(mistake("compiler: gcc\nflag: -O2\ncompiler: clang").find("\"compiler:\" is given twice") != std::string::npos);
  CHECK(mistake("kernel_0: reduce []\nflag: -O2\nkernel_0: scan []").find("kernel_0 is given twice") != std::string::npos);
  CHECK(parse_configuration("# of a search\nflag: -DX=#1\n  # kernel_0: reduce []\nkernel_0: scan [] # there").flags[0] == "-DX=#1");
  CHECK(mistake("kernel_x: reduce []").find("expected \"kernel_N: schedule\"") != std::string::npos);
  CHECK(mistake("kernel_0: reduce [thread_groups]").find("unknown axis kind") != std::string::npos);
}

TEST_CASE("H3.configuration: a program can be made by one, with the same bits") {
  const capi_test::Context context = capi_test::make_context();
  const capi_test::Graph graph = capi_test::parse(context.get(), kProduct);
  std::vector<float> a(60 * 70), b(70 * 80);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(std::cos(static_cast<double>(i)));
  const capi_test::Buffer left = capi_test::wrap(context.get(), a, {60, 70}), right = capi_test::wrap(context.get(), b, {70, 80});
  std::vector<float> first;
  std::set<std::string> sources;
  for (const char* configuration : {"", "kernel_0: contraction [thread tile=8 unroll=4, sequential tile=32 unroll=2 simd=4, reduce]",
                                    "kernel_0: reduce [thread, sequential simd=8, reduce unroll=2]\nflag: -O2\nshare: 100",
                                    "without: simplify_algebra\nwithout: compose_views"}) {
    CAPTURE(configuration);
    const capi_test::Program program = capi_test::compile(graph.get(), "c", [&](harp_compile_options& o) { o.schedule = configuration; });
    const std::vector<float> y = capi_test::values<float>(capi_test::run(program.get(), {left.get(), right.get()})[0].get());
    if (first.empty()) first = y;
    CHECK(y == first);
    sources.insert(capi_test::take(harp_program_source(program.get(), nullptr)));
  }
  CHECK(sources.size() >= 3);
  const auto mistake = [&](const char* configuration) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.schedule = configuration;
    ErrorSlot err;
    CHECK(capi_test::Program(harp_compile(graph.get(), &options, err)) == nullptr);
    return err.message();
  };
  CHECK(mistake("flag: -ffast-math").find("-ffast-math enables unsafe") != std::string::npos);
  CHECK(mistake("without: nothing").find("unknown optimiser pass \"nothing\"") != std::string::npos);
  CHECK(mistake("kernel_0: contraction [thread, sequential, reduce, reduce tile=8]").find("has 3 axes, but the schedule has 4") !=
        std::string::npos);
  CHECK(mistake("kernel_0: reduce [thread_group, sequential, reduce]")
            .find("axis 0 is of kind thread_group, which backend c does not have; expected sequential or thread") != std::string::npos);
}

TEST_CASE("H3.trial_result: a compiler that changes results is found out, and nothing is kept") {
  const Scratch scratch;
  const std::string compiler = scratch / "careless-cc";
  write(compiler,
        "#!/bin/sh\nfor word in \"$@\"; do\n  case \"$word\" in *.c) sed -i 's/1[.]5f/2.5f/g' \"$word\" ;; esac\ndone\nexec gcc \"$@\"\n");
  CHECK(::chmod(compiler.c_str(), 0700) == 0);
  const capi_test::Context context = context_in(scratch / "cache");
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.seconds = 300;
  const char* compilers[] = {compiler.c_str()};
  options.n_compilers = 1, options.compilers = compilers;
  ErrorSlot err;
  CHECK(tune_scaled(context.get(), options, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INTERNAL);
  CHECK(err.message().find("output y: element 0 is 0x40a00000 instead of 0x40400000") != std::string::npos);
  CHECK(err.message().find("compiler: " + compiler) != std::string::npos);
  CHECK(read(database_in(scratch / "cache")).empty());
}

TEST_CASE("H3.beam: the flag of a run ends harp_tune: before it begins, between two trials, while a compiler runs") {
  const Scratch scratch;
  const std::string compiler = scratch / "sleepy-cc", sleeps = scratch / "sleeps", begun = scratch / "begun";
  write(compiler, cat("#!/bin/sh\nif [ -e ", sleeps, " ]; then echo > ", begun, "; exec sleep 1000; fi\nexec gcc \"$@\"\n"));
  CHECK(::chmod(compiler.c_str(), 0700) == 0);
  const capi_test::Context context = capi_test::make_context([&, cache = scratch / "cache"](harp_context_options& o) {
    o.cache_dir = cache.c_str();
    o.compiler = compiler.c_str();
  });
  int32_t cancel = 1;
  harp_run_options run = HARP_RUN_OPTIONS_INIT;
  run.cancel = &cancel;
  const auto cancelled_after = [&](std::function<void()> first_trial) {
    harp_tune_options options = few_trials();
    options.run = &run;
    size_t trials = 0;
    std::pair<std::function<void()>, size_t*> user{std::move(first_trial), &trials};
    options.user = &user;
    options.progress = [](void* self, const harp_tune_progress* progress) -> int32_t {
      const auto& [first, count] = *static_cast<std::pair<std::function<void()>, size_t*>*>(self);
      *count = progress->trials;
      if (progress->trials == 1) first();
      return HARP_TUNE_CONTINUE;
    };
    ErrorSlot err;
    CHECK(tune_scaled(context.get(), options, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_CANCELLED);
    return trials;
  };
  CHECK(cancelled_after([] {}) == 0);
  cancel = 0;
  CHECK(cancelled_after([&] { cancel = 1; }) == 1);
  cancel = 0;
  std::thread canceller;
  CHECK(cancelled_after([&] {
          write(sleeps, "");
          canceller = std::thread([&] {
            while (!std::filesystem::exists(begun)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
          });
        }) == 1);
  canceller.join();
  CHECK(read(database_in(scratch / "cache")).empty());
  std::filesystem::remove(sleeps);
  cancel = 0;
  harp_tune_options options = few_trials();
  options.run = &run;
  ErrorSlot err;
  CHECK(tune_scaled(context.get(), options, err) != nullptr);
}

TEST_CASE("H3.beam,random,grid: harp_tune by each strategy; progress, dry runs, and mistakes") {
  const Scratch scratch;
  const capi_test::Context context = context_in(scratch / "cache");
  for (const int32_t strategy : {HARP_TUNE_BEAM, HARP_TUNE_RANDOM, HARP_TUNE_GRID}) {
    harp_tune_options options = few_trials();
    options.strategy = strategy;
    options.dry_run = 1;
    size_t calls = 0;
    options.user = &calls;
    options.progress = [](void* user, const harp_tune_progress* progress) -> int32_t {
      const size_t calls = ++*static_cast<size_t*>(user);
      CHECK(progress->trials == calls);
      CHECK(progress->trial->configuration != nullptr);
      return HARP_TUNE_CONTINUE;
    };
    ErrorSlot err;
    const Found result = tune_scaled(context.get(), options, err);
    REQUIRE_MESSAGE(result != nullptr, err.message());
    CHECK(calls == 3);
    harp_tune_trial_info trial = HARP_TUNE_TRIAL_INFO_INIT;
    CHECK(harp_tune_result_trial(result.get(), 0, &trial, err) == HARP_OK);
    CHECK(std::string(trial.configuration).empty());
    CHECK(trial.samples >= 3);
  }
  CHECK(read(database_in(scratch / "cache")).empty());

  const auto fails = [&](const std::function<void(harp_tune_options&)>& change) {
    harp_tune_options options = few_trials();
    change(options);
    ErrorSlot err;
    CHECK(tune_scaled(context.get(), options, err) == nullptr);
    return std::pair(err.code(), err.message());
  };
  CHECK(fails([](auto& o) { o.progress = [](void*, const harp_tune_progress*) -> int32_t { return HARP_TUNE_CANCEL; }; }).first ==
        HARP_ERROR_CANCELLED);
  CHECK(fails([](auto& o) { o.progress = [](void*, const harp_tune_progress*) -> int32_t { return 7; }; }).first ==
        HARP_ERROR_INVALID_ARGUMENT);
  CHECK(fails([](auto& o) { o.strategy = 9; }).second.find("strategy is 9") != std::string::npos);
  CHECK(fails([](auto& o) { o.seconds = -1; }).second.find("seconds is -1") != std::string::npos);
  CHECK(fails([](auto& o) { o.seconds = NAN; }).first == HARP_ERROR_INVALID_ARGUMENT);
  harp_compile_options compile = HARP_COMPILE_OPTIONS_INIT;
  compile.schedule = "share: 9";
  CHECK(fails([&](auto& o) { o.compile = &compile; }).second.find("no schedule") != std::string::npos);
  compile.schedule = nullptr, compile.backend = "interp";
  CHECK(fails([&](auto& o) { o.compile = &compile; }).second.find("backend \"c\"") != std::string::npos);
  {  // with arrays without elements there is nothing to measure
    const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
    const capi_test::Graph sum = capi_test::parse(context.get(), "graph s(x: f32[n]) { return y = sum(x) }");
    std::vector<float> nothing;
    const capi_test::Buffer input = capi_test::wrap(context.get(), nothing, {0});
    harp_buffer* in[] = {input.get()};
    for (const harp_graph* each : {graph.get(), sum.get()}) {
      const harp_tune_options options = few_trials();
      ErrorSlot empty;
      CHECK(Found(harp_tune(each, &options, 1, in, empty)) == nullptr);
      CHECK(empty.code() == HARP_ERROR_INVALID_ARGUMENT);
      CHECK(empty.message() == "harp_tune: all inputs are empty for these sizes, so there is nothing to measure");
    }
  }
  const char* none[] = {nullptr};
  CHECK(fails([&](auto& o) { o.n_compilers = 1, o.compilers = none; }).second.find("compilers[0] is NULL") != std::string::npos);
  ErrorSlot err;
  CHECK(harp_tune(nullptr, nullptr, 0, nullptr, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
  const capi_test::Graph graph = capi_test::parse(context.get(), kScaled);
  ErrorSlot missing;
  CHECK(Found(harp_tune(graph.get(), nullptr, 0, nullptr, missing)) == nullptr);  // one input is missing
  CHECK(missing.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(read(database_in(scratch / "cache")).empty());
  harp_tune_result_release(nullptr);
}
