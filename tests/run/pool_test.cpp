// Tests harp's own threads (harp_context_options.threads): first the pool alone, then programs that use it. The threads must start, sleep,
// wake and end when they should, and never deadlock. Results must not depend on the number of threads.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/text.h"
#include "run/thread_pool.h"
#include "support/capi_support.h"
#include "support/faulty_system.h"
#include "support/in_child.h"

using namespace capi_test;
using harp::cat;
using harp::Log;
using harp::ThreadPool;
using std::chrono::milliseconds;

namespace {

/// Returns the number of threads of this process. A joined thread is still listed for a moment, so this function counts until two
/// successive counts are equal.
std::ptrdiff_t thread_count() {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  for (std::ptrdiff_t before = count();;) {
    std::this_thread::sleep_for(milliseconds(5));
    const std::ptrdiff_t now = count();
    if (now == before) return now;
    before = now;
  }
}

void loop(ThreadPool& pool, size_t n, size_t grain, std::function<void(size_t begin, size_t end, size_t worker)> body) {
  const harp_range_body call = [](void* arg, size_t begin, size_t end, size_t worker) {
    (*static_cast<decltype(body)*>(arg))(begin, end, worker);
  };
  ThreadPool::parallel_for(&pool, n, grain, call, &body);
}

/// Runs a loop on the pool and counts the calls for each index. Returns a description of the first violation of the rules of parallel_for,
/// or "" if there is none.
std::string fault_in_loop(ThreadPool& pool, size_t n, size_t grain) {
  std::vector<std::atomic<int>> times(n), busy(pool.width());
  std::atomic<int> faults{0}, calls{0};
  loop(pool, n, grain, [&](size_t begin, size_t end, size_t worker) {
    if (worker >= busy.size() || begin >= end || end > n) return void(++faults);
    if (busy[worker]++ != 0) ++faults;
    for (size_t i = begin; i < end; ++i) ++times[i];
    if (end - begin < grain && end != n) ++faults;
    ++calls;
    --busy[worker];
  });
  for (const auto& count : times) faults += count != 1;
  if (n == 0 && calls != 0) return "a loop of nothing calls its body";
  return faults == 0 ? "" : cat(faults.load(), " faults in a loop of ", n, " with grain ", grain);
}

/// Waits until `condition` is true. Returns false if that takes too long.
bool comes_true(const std::function<bool()>& condition) {
  const auto begin = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(kPatience)) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Runs a loop that ends as soon as two workers execute parts of it at the same time, or after a time limit. Returns whether two workers
/// did.
bool is_shared(ThreadPool& pool) {
  std::atomic<bool> caller{false}, helper{false}, met{true};
  loop(pool, 100, 1, [&](size_t, size_t, size_t worker) {
    (worker == 0 ? caller : helper) = true;
    if (!comes_true([&] { return caller && helper; })) met = false;
  });
  return met;
}

}  // namespace

TEST_CASE("L5: every iteration runs once, in ranges that are worth it, and no worker is in two of them") {
  for (const size_t width : {1, 2, 3, 8}) {
    ThreadPool pool(width, Log());
    CHECK(pool.width() == width);
    for (const size_t n : {0, 1, 2, 3, 7, 64, 1000, 1001})
      for (const size_t grain : {0, 1, 2, 300, 5000}) CHECK(fault_in_loop(pool, n, grain) == "");
  }
}

TEST_CASE("L5: every worker gets equally many chunks, where there are more than workers") {
  for (const size_t width : {2, 3, 4}) {
    ThreadPool pool(width, Log());
    for (const size_t grain : {1, 7, 90, 100, 140, 190}) {
      std::atomic<size_t> chunks{0};
      loop(pool, 1000, grain, [&](size_t, size_t, size_t) { ++chunks; });
      CAPTURE(width);
      CAPTURE(grain);
      CHECK(chunks >= width);
      CHECK(chunks % width == 0);
    }
  }
}

TEST_CASE("L5: a loop in chunks of different lengths is as long at either end") {
  ThreadPool pool(2, Log());
  for (const size_t n : {22, 64, 1000, 1001}) {
    std::mutex mutex;
    std::set<size_t> begins;
    loop(pool, n, 3, [&](size_t begin, size_t, size_t) {
      const std::scoped_lock lock(mutex);
      begins.insert(begin);
    });
    REQUIRE(begins.size() % 2 == 0);
    CHECK(*std::next(begins.begin(), static_cast<std::ptrdiff_t>(begins.size() / 2)) == n / 2);
    size_t least = n, most = 0;
    for (auto at = begins.begin(); at != begins.end(); ++at) {
      const size_t length = (std::next(at) == begins.end() ? n : *std::next(at)) - *at;
      least = std::min(least, length), most = std::max(most, length);
    }
    CHECK(least >= 3);
    CHECK(most <= least + 1);
  }
}

TEST_CASE("L5: threads start with the first loop that is worth sharing, and end with the pool") {
  const auto before = thread_count();
  {
    ThreadPool pool(4, Log());
    loop(pool, 100, 60, [](size_t, size_t, size_t) {});
    CHECK(thread_count() == before);
    CHECK(is_shared(pool));
    CHECK(thread_count() == before + 3);
  }
  CHECK(comes_true([&] { return thread_count() == before; }));
}

TEST_CASE("L5: workers that sleep are woken, and so is a caller who waits for them") {
  ThreadPool pool(2, Log());
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(2));
    CHECK(is_shared(pool));
    std::atomic<int> begun{0}, finished{0};
    loop(pool, 100, 1, [&](size_t, size_t, size_t worker) {
      if (worker == 0) return void(comes_true([&] { return begun > 0; }));
      ++begun;
      std::this_thread::sleep_for(milliseconds(2));
      ++finished;
    });
    CHECK(finished == begun);
  }
}

TEST_CASE("L5: workers are woken on CPUs other than their caller's, and keep where they were started to where there is one alone") {
  cpu_set_t all;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  const auto only = [](int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(cpu), &one);
    return one;
  };
  // Returns the CPUs on which the pool's second worker may run. The worker itself calls sched_getaffinity() while it runs part of a
  // parallel loop.
  const auto cpus_of_helper = [](ThreadPool& pool) {
    cpu_set_t cpus;
    std::atomic<bool> known{false};
    loop(pool, 100, 1, [&](size_t, size_t, size_t worker) {
      if (worker == 0) return void(comes_true([&] { return known.load(); }));
      if (!known) CHECK(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
      known = true;
    });
    REQUIRE(known);
    return cpus;
  };
  const auto restore = [&] { sched_setaffinity(0, sizeof all, &all); };
  {
    ThreadPool pool(2, Log());
    CHECK(is_shared(pool));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &all) || CPU_COUNT(&all) < 2) continue;
      const cpu_set_t one = only(cpu);
      REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
      CHECK(comes_true([&] {
        std::this_thread::sleep_for(milliseconds(1));
        const cpu_set_t cpus = cpus_of_helper(pool);
        return !CPU_ISSET(cpu, &cpus) && CPU_COUNT(&cpus) == CPU_COUNT(&all) - 1;
      }));
    }
    restore();
  }
  const cpu_set_t one = only(sched_getcpu());
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  ThreadPool pool(2, Log());
  for (int i = 0; i < 3; ++i) {
    const cpu_set_t cpus = cpus_of_helper(pool);
    CHECK(CPU_EQUAL(&cpus, &one));
    std::this_thread::sleep_for(milliseconds(1));
  }
  restore();
}

TEST_CASE("L5 C1: a forked child, which has no workers to wake, stays on the CPUs it may use") {
  ThreadPool pool(2, Log());
  CHECK(is_shared(pool));
  std::this_thread::sleep_for(milliseconds(5));  // enough time for the worker to fall asleep
  CHECK(in_child([&] {
          cpu_set_t all, after;
          if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
          for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (!CPU_ISSET(cpu, &all)) continue;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(static_cast<size_t>(cpu), &one);
            if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
            loop(pool, 100, 1, [](size_t, size_t, size_t) {});
            if (sched_getaffinity(0, sizeof after, &after) != 0) return 3;
            if (!CPU_EQUAL(&after, &one)) return 4;
          }
          return 0;
        }) == 0);
}

TEST_CASE("L5: loops in loops and loops of other threads at the same time run on their callers alone") {
  ThreadPool pool(3, Log());
  std::atomic<int> faults{0};
  for (int round = 0; round < 50; ++round)
    loop(pool, 60, 1, [&](size_t begin, size_t end, size_t) {
      for (size_t i = begin; i < end; ++i) {
        const auto caller = std::this_thread::get_id();
        size_t done = 0;
        loop(pool, 100, 1, [&](size_t from, size_t to, size_t worker) {
          if (std::this_thread::get_id() != caller || worker != 0) ++faults;
          done += to - from;
        });
        if (done != 100) ++faults;
      }
    });
  CHECK(faults == 0);

  const auto before = thread_count();
  std::mutex mutex;
  std::set<std::string> complaints;
  std::vector<std::thread> callers;
  for (size_t t = 0; t < 6; ++t)
    callers.emplace_back([&, t] {
      for (size_t i = 0; i < 300; ++i) {
        const std::string fault = fault_in_loop(pool, 10 + 7 * t + i, 1 + i % 3);
        const std::lock_guard guard(mutex);
        if (!fault.empty()) complaints.insert(fault);
      }
    });
  for (std::thread& caller : callers) caller.join();
  CHECK_MESSAGE(complaints.empty(), harp::join(complaints, "\n"));
  // the number of threads is as before, because the pool's threads existed before the loops
  CHECK(comes_true([&] { return thread_count() <= before; }));
}

TEST_CASE("L5: the host's signals are not for harp's threads, and its mask stays as it is") {
  sigset_t host, of_worker, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &host);
  ThreadPool pool(2, Log());
  std::atomic<bool> seen{false};
  loop(pool, 100, 1, [&](size_t, size_t, size_t worker) {
    if (worker == 0) return void(comes_true([&] { return seen.load(); }));
    if (!seen) pthread_sigmask(SIG_BLOCK, nullptr, &of_worker);
    seen = true;
  });
  REQUIRE(seen);
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD}) CHECK(sigismember(&of_worker, signal) == 1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) CHECK(sigismember(&of_worker, signal) == 0);
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) CHECK(sigismember(&after, signal) == sigismember(&host, signal));
}

TEST_CASE("L5 C1: a forked child goes on alone, and so does one that was forked in the middle of a loop") {
  std::optional<ThreadPool> pool(std::in_place, 3, Log());
  const auto alone = [&] {
    const auto caller = std::this_thread::get_id();
    bool others = false;
    size_t done = 0;
    loop(*pool, 100, 1, [&](size_t begin, size_t end, size_t) {
      others |= std::this_thread::get_id() != caller;
      done += end - begin;
    });
    pool.reset();  // in the child, the pool has no threads to wait for
    return others ? 1 : done != 100 ? 2 : 0;
  };
  CHECK(is_shared(*pool));
  CHECK(in_child(alone) == 0);
  std::this_thread::sleep_for(milliseconds(5));  // enough time for the workers to fall asleep
  CHECK(in_child(alone) == 0);
  CHECK(is_shared(*pool));

  std::atomic<bool> inside{false}, end{false};
  std::thread other([&] {
    loop(*pool, 100, 1, [&](size_t, size_t, size_t) {
      inside = true;
      comes_true([&] { return end.load(); });
    });
  });
  REQUIRE(comes_true([&] { return inside.load(); }));
  CHECK(in_child(alone) == 0);
  end = true;
  other.join();
  CHECK(is_shared(*pool));
}

#ifndef HARP_SANITIZE  // this test is impossible with sanitizers, which reserve terabytes of address space
TEST_CASE("L5: where threads cannot be started loops run on those there are, and the log says so") {
  CHECK(in_child([] {
          static std::string text;
          const Log log([](void*, int, const char* message, size_t size) { text.assign(message, size); }, nullptr, harp::LogLevel::kInfo);
          ThreadPool pool(64, log);
          rlimit limit{};
          getrlimit(RLIMIT_AS, &limit);
          // a limit below the address space that is already in use, so that no stack for another thread can be mapped
          limit.rlim_cur = size_t{1} << 20;
          if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
          // some threads may start nevertheless, because the C library keeps the stacks of ended threads for reuse
          std::atomic<size_t> done{0};
          loop(pool, 100, 1, [&](size_t begin, size_t end, size_t) { done += end - begin; });
          if (done != 100) return 2;
          return text.find("63 threads") != text.npos && text.find(" could be started: ") != text.npos ? 0 : 3;
        }) == 0);
}
#endif

// --- programs ----------------------------------------------------------------------------------------------------------------------------

namespace {

/// Programs with every kind of kernel, over x[n, 96] and w[96, 40], which are large enough to be divided among threads.
constexpr const char* kKinds[] = {
    "  return y = exp(x) * 2, z = relu(x + 1), k = cast(x * 8, dtype=i32)\n",
    "  return y = sum(x, axes=[1]), z = max(x, axes=[0]), t = sum(x)\n",
    "  return y = softmax(x, axis=1), z = softmax(x, axis=0)\n",
    "  return y = cumsum(x, axis=1), z = cumsum(x, axis=0)\n",
    "  return y = permute(x, axes=[1, 0]), z = concat(flip(x, axes=[1]), roll(x, shift=[3], axis=[0]), axis=1)\n",
    "  return y = sort(x, axis=1), z = argsort(x, axis=0)\n",
    "  return y = matmul(x, w), z = einsum(x, w, spec=\"nk,km->m\")\n",
    "  i = remainder(cast(x * 64, dtype=i32), 90)\n  return y = take_along_axis(x, i, axis=1) + 1\n",
    "  return y = fft(cast(x, dtype=complex64), axis=1)\n",
    "  e = exp(x - max(x, axes=[1], keepdims=true))\n  return y = matmul(e / sum(e, axes=[1], keepdims=true), w), z = layer_norm(x)\n",
};

std::string text_of(size_t kind) {
  return cat("harp 1\ngraph g(x: f32[n, 96], w: f32[96, 40]) flags=[broadcast] {\n", kKinds[kind], "}\n");
}

struct Arrays {
  explicit Arrays(int64_t rows) : rows(rows), x(static_cast<size_t>(rows) * 96), w(96 * 40) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 1009) / 300 - 1.5f;
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>((i * 31) % 127) / 60 - 1;
  }
  int64_t rows;
  std::vector<float> x, w;
};

Context with_threads(int32_t threads, const std::string& cache = "") {
  return make_context([&](auto& options) {
    options.threads = threads;
    options.cache_dir = cache.c_str();
  });
}

/// Returns the bytes of all outputs, or the message of the error.
std::string run_bytes(harp_context* context, harp_program* program, Arrays& arrays) {
  const Buffer x = wrap(context, arrays.x, {arrays.rows, 96}), w = wrap(context, arrays.w, {96, 40});
  ErrorSlot err;
  std::string bytes;
  const std::vector<Buffer> outputs = run(program, {x.get(), w.get()}, err);
  for (const Buffer& output : outputs)
    bytes.append(static_cast<const char*>(harp_buffer_const_data(output.get())), harp_buffer_size(output.get()));
  return outputs.empty() ? err.message() : bytes;
}

}  // namespace

TEST_CASE("L5.sequential,thread,simd_width/c X2.threads,simd_width/c: any number of threads and any width of vectors, the same bits") {
  const Scratch scratch;
  const std::string cache = scratch / "cache";
  const Context contexts[] = {with_threads(0, cache), with_threads(1, cache), with_threads(2, cache), with_threads(3, cache)};
  for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
    CAPTURE(kKinds[kind]);
    Arrays arrays(900);
    std::string expected;
    struct Way {
      size_t threads;
      int32_t simd_width;
    };
    for (const Way way : {Way{0, 0}, {1, 0}, {2, 0}, {3, 0}, {2, 1}, {3, 4}}) {
      CAPTURE(way.threads);
      CAPTURE(way.simd_width);
      harp_context* const context = contexts[way.threads].get();
      const Program program =
          compile(parse(context, text_of(kind)).get(), "c", [&](auto& options) { options.simd_width = way.simd_width; });
      REQUIRE(program != nullptr);
      for (int i = 0; i < 2; ++i) {
        const std::string bytes = run_bytes(context, program.get(), arrays);
        if (expected.empty()) expected = bytes;
        CHECK((bytes == expected));
      }
    }
    CHECK(expected.size() > 1000);
  }
}

TEST_CASE("L5.thread/c X5.no_own_threads: threads come with the first large run and go with the context") {
  const auto before = thread_count();
  Arrays small(1), large(20000);
  {
    const Context context = with_threads(3);
    const Program interp = compile(parse(context.get(), text_of(0)).get(), "interp"),
                  c = compile(parse(context.get(), text_of(0)).get(), "c");
    const std::string expected = run_bytes(context.get(), interp.get(), large);
    run_bytes(context.get(), c.get(), small);
    CHECK(thread_count() == before);
    CHECK((run_bytes(context.get(), c.get(), large) == expected));
    CHECK(thread_count() == before + 2);
  }
  CHECK(comes_true([&] { return thread_count() == before; }));
}

TEST_CASE("L5.thread/c C1: runs overlap, of one program and of several, and a child that is forked meanwhile runs them too") {
  const Context context = with_threads(2);
  constexpr size_t kPrograms = 3;
  Arrays arrays(700);
  std::vector<Program> programs;
  std::vector<std::string> expected;
  for (size_t kind = 0; kind < kPrograms; ++kind) {
    programs.push_back(compile(parse(context.get(), text_of(2 * kind)).get(), "c"));
    expected.push_back(run_bytes(context.get(), programs.back().get(), arrays));
  }
  std::atomic<int> faults{0}, running{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Arrays mine(arrays);
      for (size_t i = 0; i < 60; ++i) {
        const size_t which = (t + i) % kPrograms;
        if (run_bytes(context.get(), programs[which].get(), mine) != expected[which]) ++faults;
        ++running;
      }
    });
  REQUIRE(comes_true([&] { return running > 20; }));
#ifndef HARP_SANITIZE  // with sanitizers a fork could deadlock, because they have locks of their own
  CHECK(in_child([&] {
          for (size_t i = 0; i < kPrograms; ++i)
            if (run_bytes(context.get(), programs[i].get(), arrays) != expected[i]) return 1;
          return 0;
        }) == 0);
#endif
  for (std::thread& thread : threads) thread.join();
  CHECK(faults == 0);
}

TEST_CASE("L5.thread/c X6.workspace_size: a workspace for so many threads is enough for them") {
  struct Heap {
    std::atomic<int> calls{0};
  } heap;
  const Context context = make_context([&](auto& options) {
    options.threads = 3;
    options.alloc_user = &heap;
    options.alloc = [](void* user, size_t size, size_t alignment) {
      ++static_cast<Heap*>(user)->calls;
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void*, void* memory) { std::free(memory); };
  });
  const Program program = compile(parse(context.get(), text_of(2)).get(), "c");
  Arrays arrays(900);
  const std::string expected = run_bytes(context.get(), program.get(), arrays);
  size_t size = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 1, &arrays.rows, 3, &size, nullptr) == HARP_OK);
  REQUIRE(size > 0);
  const std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, (size + 63) / 64 * 64), &std::free);
  std::vector<float> y(arrays.x.size()), z(arrays.x.size());
  const Buffer inputs[] = {wrap(context.get(), arrays.x, {900, 96}), wrap(context.get(), arrays.w, {96, 40})};
  const Buffer outputs[] = {wrap(context.get(), y, {900, 96}), wrap(context.get(), z, {900, 96})};
  harp_buffer *const in[] = {inputs[0].get(), inputs[1].get()}, *out[] = {outputs[0].get(), outputs[1].get()};
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.workspace = workspace.get();
  options.workspace_size = size;
  heap.calls = 0;
  CHECK(harp_program_run(program.get(), 2, in, 2, out, &options, nullptr) == HARP_OK);
  CHECK(heap.calls == 0);
  CHECK(std::memcmp(expected.data(), y.data(), y.size() * sizeof(float)) == 0);
}

TEST_CASE("L5.thread/c X2.threads/c: a product beside another kernel is cut into portions that are worth what each copies") {
  struct Host {
    size_t each = 1, loops = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.parallel_for_user = &host;
    options.width = 2;
    options.parallel_for = [](void* user, size_t n, size_t, harp_range_body body, void* arg) {
      const size_t each = static_cast<Host*>(user)->each;
      ++static_cast<Host*>(user)->loops;
      for (size_t end = n; end > 0; end -= std::min(each, end)) body(arg, end - std::min(each, end), end, end % 2);
    };
  });
  const auto text = R"(harp 1
graph products(a: f32[607, 256], b: f32[256, 600], c: f32[100, 30], d: f32[30, 70]) { return y = matmul(a, b), z = matmul(c, d) }
)";
  const Context alone = make_context();
  const Program program = compile(parse(context.get(), text).get(), "c"), serial = compile(parse(alone.get(), text).get(), "c");
  const auto bytes = [&](const Context& of, const Program& runs) {
    std::vector<std::vector<float>> values;
    std::vector<Buffer> inputs;
    for (const auto& [rows, columns] : {std::pair{607, 256}, {256, 600}, {100, 30}, {30, 70}}) {
      values.emplace_back(static_cast<size_t>(rows * columns));
      for (size_t i = 0; i < values.back().size(); ++i) values.back()[i] = static_cast<float>(i % 101) / 50 - 1;
      inputs.push_back(wrap(of.get(), values.back(), {rows, columns}));
    }
    std::string all;
    for (const Buffer& output : run(runs.get(), {inputs[0].get(), inputs[1].get(), inputs[2].get(), inputs[3].get()}))
      all.append(static_cast<const char*>(harp_buffer_const_data(output.get())), harp_buffer_size(output.get()));
    return all;
  };
  const std::string expected = bytes(alone, serial);
  for (const size_t each : {1, 7, 1000, 1000000}) {
    host = {each, 0};
    CHECK((bytes(context, program) == expected));
    CHECK(host.loops == 1);
  }
}

TEST_CASE("L5.thread/c X2.threads/c: kernels of one generation share one loop, also those too small for one of their own") {
  struct Host {
    size_t loops = 0, shares = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.parallel_for_user = &host;
    options.width = 2;
    options.parallel_for = [](void* user, size_t n, size_t, harp_range_body body, void* arg) {
      ++static_cast<Host*>(user)->loops;
      static_cast<Host*>(user)->shares = n;
      for (size_t i = n; i-- > 0;) body(arg, i, i + 1, i % 2);
    };
  });
  const auto text = R"(harp 1
graph several(x: f32[n]) {
  return a = sum(x, axes=[0]), b = max(x, axes=[0]), c = cumsum(x, axis=0), d = cummax(x, axis=0), e = exp(x)
})";
  const Context alone = make_context();
  const Program program = compile(parse(context.get(), text).get(), "c"), serial = compile(parse(alone.get(), text).get(), "c");
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  REQUIRE(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  REQUIRE(stats.generations == 1);
  REQUIRE(stats.kernels > 2);
  // harp gives a thread at least 2,500 ns of estimated work. With the first size, all kernels together have less work than that. With the
  // second size there is work for a few threads. With the third size each kernel has work for many threads.
  for (const size_t n : {100, 10000, 200000}) {
    CAPTURE(n);
    std::vector<float> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 101) / 50 - 1;
    const auto bytes = [&](const Context& of, const Program& runs) {
      const Buffer input = wrap(of.get(), x, {static_cast<int64_t>(n)});
      std::string all;
      for (const Buffer& output : run(runs.get(), {input.get()}))
        all.append(static_cast<const char*>(harp_buffer_const_data(output.get())), harp_buffer_size(output.get()));
      return all;
    };
    host = {};
    CHECK((bytes(context, program) == bytes(alone, serial)));
    CHECK(host.loops == (n == 100 ? 0 : 1));
    if (n == 10000) CHECK(host.shares < 15);
    if (n == 200000) CHECK(host.shares > 50);
  }
}
