// Measures elementwise chains on arrays of all sizes, with one and with two threads. harp is compared with memcpy of the same number of
// bytes. For arrays that fit a cache, it is also compared with the same loop written by hand; with two threads, each runs half of that
// loop. It is also compared with libraries: NumPy and torch evaluate one operation of a chain after the other, numexpr evaluates the chain
// for one block of elements after the other. bench/cases/chains.cpp measures one thread up to 512 MB; this file adds two threads and larger
// arrays.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "bench/harness/peer_process.h"
#include "bench/harness/text_program.h"

namespace bench {
namespace {

constexpr int kMaxInputs = 3;

struct Chain {
  const char* name;
  int inputs;
  const char* text;                   // the chain as an expression of the inputs a, b and c
  peer_chain peers::*loop = nullptr;  // hand-written loop whose results have the same bits as harp's; nullptr: none
  std::vector<std::string> libraries = {};
  // True: all sizes are measured. False: one thread is measured only with sizes above 512 MB, because bench/cases/chains.cpp measures
  // smaller ones, and two threads are measured only with sizes up to 32 MB.
  bool small = true;
  bool large = true;  // false: only one thread, and only sizes that fit a cache
};
const Chain kChains[] = {
    {"copy", 1, "contiguous(a)", &peers::copy, {}, false},
    {"triad", 2, "a + 3 * b", &peers::triad, {}, false},
    {"relu", 3, "relu(a * b + c) * 2", &peers::relu, {}, false},
    {"exp", 2, "a / (1 + exp(-(a * 1.702 + b))) + a", &peers::exp, {}, false},
    {"gelu", 1, "gelu(a)", nullptr, {"torch", "numpy"}},
    // gelu in its tanh form, because numexpr has no erf
    {"gelu_tanh", 1, "gelu(a, approximate=\"tanh\")", nullptr, {"numpy", "numexpr"}, true, false},
    {"exp6", 1, "abs(exp(-(a * a)) * 0.5 - a)", &peers::exp6, {"torch", "numpy", "numexpr"}},  // a chain of six operations
    {"where", 1, "where(a > 0.25, clip(a * 2, -1, 1), a + 0.5)", &peers::where, {"torch", "numpy", "numexpr"}},
};

struct Size {
  const char* name;
  size_t bytes;  // bytes that harp reads and writes, together
  bool in_cache;
  bool libraries;
  bool threads;
};
constexpr Size kSizes[] = {{"16kb", size_t{16} << 10, true, false, false},
                           {"1mb", size_t{1} << 20, true, true, true},
                           {"32mb", size_t{32} << 20, false, false, true},
                           {"512mb", size_t{512} << 20, false, true, true},
                           {"1gb", size_t{1} << 30, false, false, false}};

/// Runs work in two halves: the first on the calling thread, the second on a worker thread. The worker may not run on the caller's CPU,
/// because the system may otherwise leave both threads on one CPU for the whole measurement. A thread that waits spins for a while and then
/// sleeps, as in a thread pool.
class TwoThreads {
 public:
  using Work = std::function<void(size_t half)>;

  TwoThreads() : worker_([this] { serve(); }) {}
  ~TwoThreads() {
    count_ = kEnd;
    count_.notify_one();
    worker_.join();
  }
  void operator()(const Work& work) {
    if (const int cpu = sched_getcpu(); cpu != avoided_) keep_off(cpu);
    work_ = &work;
    const uint32_t ticket = count_ + 1;
    count_ = ticket;
    count_.notify_one();
    work(0);
    wait(done_, ticket - 1);
  }

 private:
  static constexpr uint32_t kEnd = ~uint32_t{0};
  static constexpr int kSpins = 100000;

  /// Waits until `number` differs from `seen`.
  static void wait(const std::atomic<uint32_t>& number, uint32_t seen) {
    for (int i = 0; i < kSpins && number == seen; ++i) {
    }
    number.wait(seen);
  }
  void keep_off(int cpu) {
    cpu_set_t others;
    if (cpu < 0 || sched_getaffinity(0, sizeof others, &others) != 0) return;
    CPU_CLR(static_cast<size_t>(cpu), &others);
    if (CPU_COUNT(&others) > 0) pthread_setaffinity_np(worker_.native_handle(), sizeof others, &others);
    avoided_ = cpu;
  }
  void serve() {
    for (uint32_t seen = 0;;) {
      wait(count_, seen);
      seen = count_;
      if (seen == kEnd) return;
      (*work_)(1);
      done_ = seen;
      done_.notify_one();
    }
  }

  const Work* work_ = nullptr;  // the function that both threads run; owned by the caller, valid until done_ reaches count_
  std::atomic<uint32_t> count_{0}, done_{0};
  int avoided_ = -1;  // the CPU on which the worker must not run
  std::thread worker_;
};

std::vector<std::string> suffixes(const Chain& chain, const Size& size, int threads) {
  std::vector<std::string> all;
  if (threads > 1) {
    if (!chain.large || (!chain.small && size.bytes > k32MB.bytes)) return all;
    if (size.in_cache && chain.loop != nullptr) all.emplace_back("loop");
    all.emplace_back("memcpy");
    return all;
  }
  if (!chain.small && size.bytes <= k512MB.bytes) return all;
  if (!size.in_cache && chain.large) all.emplace_back("memcpy");
  if (size.in_cache && chain.loop != nullptr) all.emplace_back("loop");
  if (size.libraries && (chain.large || size.in_cache)) all.insert(all.end(), chain.libraries.begin(), chain.libraries.end());
  return all;
}

/// The text of a graph that evaluates the chain on arrays of n numbers.
std::string text_of(const Chain& chain, size_t n) {
  std::string inputs;
  for (int i = 0; i < chain.inputs; ++i)
    inputs += (i == 0 ? "" : ", ") + std::string(1, static_cast<char>('a' + i)) + ": f32[" + std::to_string(n) + "]";
  return "graph " + std::string(chain.name) + "(" + inputs + ") {\n  return y = " + chain.text + "\n}";
}

std::vector<Row> run(Session& session, const Chain& chain, const Size& size, int threads, const std::vector<std::string>& names) {
  const size_t arrays = static_cast<size_t>(chain.inputs) + 1;
  const size_t n = size.bytes / sizeof(float) / arrays / 64 * 64;
  const size_t moved = arrays * n * sizeof(float);  // bytes of all arrays; memcpy reads half as many bytes and writes half as many
  const std::string name = std::string(chain.name) + "." + size.name;
  TextProgram harp(session, text_of(chain, n), {-4, 4, 0, threads, size.bytes < kL2.bytes ? Call::kEntry : Call::kRun, nullptr});
  session.memory.reserve(Memory::room(2, moved / 2));
  const std::span<float> to = session.memory.take(moved / 2 / sizeof(float)), from = session.memory.take(moved / 2 / sizeof(float));
  harp(1);
  const float* in[kMaxInputs] = {};
  for (size_t i = 0; i < harp.inputs().size(); ++i) in[i] = harp.inputs()[i].data();
  const auto by_hand = [&, result = to.data()](size_t begin, size_t end) {
    const auto from_begin = [begin](const float* x) { return x == nullptr ? x : x + begin; };
    (session.by_hand->*chain.loop)(from_begin(in[0]), from_begin(in[1]), from_begin(in[2]), result + begin, end - begin);
  };
  if (chain.loop != nullptr) {
    by_hand(0, n);
    if (std::memcmp(to.data(), harp.output().data(), n * sizeof(float)) != 0)
      throw std::runtime_error("chain." + name + ": harp and the hand-written loop do not give the same bits");
  }

  std::vector<Candidate> candidates = {on_threads(threads, [&harp](size_t repeats) { harp(repeats); })};
  std::vector<std::unique_ptr<PeerProcess>> processes;
  // For each library or loop with which harp is compared: its label, and the index of its candidate; nullopt: it is not installed.
  std::vector<std::pair<std::string, std::optional<size_t>>> peers;
  const auto add = [&](const std::string& label, Candidate candidate) {
    peers.emplace_back(label, candidates.size());
    candidates.push_back(std::move(candidate));
  };
  std::optional<TwoThreads> two;
  if (threads > 1) two.emplace();
  const auto add_halves = [&](const std::string& label, size_t count, std::function<void(size_t begin, size_t end)> part) {
    TwoThreads::Work half = [count, part = std::move(part)](size_t i) { part(i * count / 2, (i + 1) * count / 2); };
    add(label, on_threads(threads, [&two, half = std::move(half)](size_t repeats) {
          for (size_t i = 0; i < repeats; ++i) (*two)(half);
        }));
  };
  for (const std::string& suffix : suffixes(chain, size, threads)) {
    if (suffix == "memcpy" && threads > 1) {
      add_halves("memcpy by two threads", to.size(),
                 [&](size_t begin, size_t end) { std::memcpy(&to[begin], &from[begin], (end - begin) * sizeof(float)); });
    } else if (suffix == "memcpy") {
      add("memcpy, same bytes", memcpy_of(to, from));
    } else if (suffix == "loop" && threads > 1) {
      add_halves("loop by hand, two threads", n, by_hand);
    } else if (suffix == "loop") {
      add("loop by hand", [&by_hand, n](size_t repeats) {
        for (size_t i = 0; i < repeats; ++i) by_hand(0, n);
      });
    } else {
      std::unique_ptr<PeerProcess> process = PeerProcess::start(session, suffix, {"chain", chain.name, std::to_string(n)});
      if (!process) {
        peers.emplace_back(suffix, std::nullopt);
        continue;
      }
      process->check("chain." + name + "." + suffix, harp.output());
      add(suffix, process->candidate());
      processes.push_back(std::move(process));
    }
  }
  const Comparison times = compare(candidates, session.effort, threads);
  std::vector<Row> rows;
  for (size_t i = 0; i < names.size(); ++i) rows.push_back(compared(names[i], Scale::bytes(moved), times, peers[i].first, peers[i].second));
  return rows;
}

}  // namespace

std::vector<Benchmark> bandwidth_benchmarks() {
  std::vector<Benchmark> benchmarks;
  for (const Chain& chain : kChains)
    for (const Size& size : kSizes)
      for (const int threads : {1, kThreads}) {
        if (threads > 1 && !size.threads) continue;
        std::vector<std::string> names;
        for (const std::string& suffix : suffixes(chain, size, threads))
          names.push_back(std::string("chain.") + chain.name + "." + size.name + (threads > 1 ? ".threads2." : ".") + suffix);
        if (names.empty()) continue;
        benchmarks.push_back(
            {names, [&chain, &size, threads, names](Session& session) { return run(session, chain, size, threads, names); }});
      }
  return benchmarks;
}

}  // namespace bench
