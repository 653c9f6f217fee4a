// ulp_check determines the greatest error of every function in ops/math.h, over all f32 inputs (--step 1) or a part of them, and over
// random f64 inputs. The C library's function for the next wider type estimates each error. Errors that may be the greatest are measured
// with MPFR. The exit status is 1 if a bound in docs/semantics.md is exceeded or a special value is wrong.
//   ulp_check [--function exp] [--dtype f32] [--step N] [--seconds S] [--threads N] [--seed N]
// --step N: every N-th f32 (default 4099); --seconds S: time for each sampled function (default 2).
#include <mpfr.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "accuracy.h"

namespace {

using namespace harp::accuracy;

struct Options {
  std::string function, dtype;
  uint64_t step = 4099;
  double seconds = 2;
  unsigned threads = 1;
  uint64_t seed = 1;
};

/// Returns the error of `got`, measured with MPFR, whose value has 320 bits of precision.
template <class T>
double judged(std::string_view name, T x, T y, T got, double screened) {
  if (std::isnan(got) || std::isinf(got) || screened >= kWrong) {
    // For NaN, infinities and overflow, returns the estimate by the C library, because MPFR would give the same.
    return screened;
  }
  mpfr_t a, b, result;
  mpfr_inits2(320, a, b, result, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(a, x, MPFR_RNDN);
  mpfr_set_d(b, y, MPFR_RNDN);
#define HARP_CALL_1(f) f(result, a, MPFR_RNDN)
#define HARP_CALL_2(f) f(result, a, b, MPFR_RNDN)
#define HARP_ROW(function, arity, bound32, bound64) \
  if (name == #function) HARP_CALL_##arity(mpfr_##function);
  HARP_ACCURACY_FUNCTIONS(HARP_ROW)
#undef HARP_ROW
#undef HARP_CALL_1
#undef HARP_CALL_2
  using L = std::numeric_limits<T>;
  long exponent = mpfr_zero_p(result) ? L::min_exponent : mpfr_get_exp(result);
  exponent = std::max<long>(std::min<long>(exponent, L::max_exponent), L::min_exponent);
  mpfr_sub_d(result, result, got, MPFR_RNDN);
  mpfr_mul_2si(result, result, L::digits - exponent, MPFR_RNDN);
  const double error = std::fabs(mpfr_get_d(result, MPFR_RNDN));
  mpfr_clears(a, b, result, static_cast<mpfr_ptr>(nullptr));
  return error;
}

template <class T>
Worst<T> worst_of(const Row<T>& row, const Options& options) {
  const Judge<T> judge = [&](T x, T y, T got, double screened) { return judged(row.name, x, y, got, screened); };
  Worst<T> worst;
  std::mutex mutex;
  std::vector<std::thread> threads;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  constexpr uint64_t kAll = uint64_t{1} << 32;
  for (unsigned id = 0; id < options.threads; ++id)
    threads.emplace_back([&, id] {
      Worst<T> mine;
      if constexpr (std::is_same_v<T, float>) {
        if (row.arity == 1) {  // every thread checks a different part of the inputs
          mine.add(sweep(row, id * options.step, kAll, options.step * options.threads, judge));
          std::lock_guard lock(mutex);
          worst.add(mine);
          return;
        }
      }
      for (uint64_t round = 0; std::chrono::steady_clock::now() < deadline; ++round)
        mine.add(search(row, options.seed + round * 64 + id, 50000, judge));
      std::lock_guard lock(mutex);
      worst.add(mine);
    });
  for (auto& thread : threads) thread.join();
  return worst;
}

/// Checks the functions that the options select, and prints their errors. Returns false if a bound is exceeded or a special value is wrong.
template <class T>
bool check(const Options& options) {
  const char* dtype = std::is_same_v<T, float> ? "f32" : "f64";
  if (!options.dtype.empty() && options.dtype != dtype) return true;
  bool good = true;
  for (const Row<T>& row : rows<T>()) {
    if (!options.function.empty() && options.function != row.name) continue;
    const auto start = std::chrono::steady_clock::now();
    const Worst<T> worst = worst_of(row, options);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool within = worst.error <= row.bound && worst.wrong == 0;
    good = good && within;
    std::printf("%s %-6s %.4f ulp at %a", dtype, std::string(row.name).c_str(), worst.error, static_cast<double>(worst.x));
    if (row.arity == 2) std::printf(", %a", static_cast<double>(worst.y));
    std::printf("; bound %.1f; %llu inputs, %llu special values wrong", row.bound, static_cast<unsigned long long>(worst.tried),
                static_cast<unsigned long long>(worst.wrong));
    if (worst.wrong) std::printf(" (first %a, %a)", static_cast<double>(worst.wrong_x), static_cast<double>(worst.wrong_y));
    std::printf("; %.1f s%s\n", took, within ? "" : "  EXCEEDED");
    std::fflush(stdout);
  }
  return good;
}

bool parse(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view option = words[i];
    const char* value = words[i + 1];
    if (option == "--function")
      options.function = value;
    else if (option == "--dtype")
      options.dtype = value;
    else if (option == "--step")
      options.step = std::max(1ull, std::strtoull(value, nullptr, 10));
    else if (option == "--seconds")
      options.seconds = std::strtod(value, nullptr);
    else if (option == "--threads")
      options.threads = static_cast<unsigned>(std::max(1ul, std::strtoul(value, nullptr, 10)));
    else if (option == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else
      return false;
  }
  return count % 2 == 1;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  if (!parse(count, words, options)) {
    std::fprintf(stderr, "usage: ulp_check [--function NAME] [--dtype f32|f64] [--step N] [--seconds S] [--threads N] [--seed N]\n");
    return 2;
  }
  const bool single = check<float>(options), both = check<double>(options) && single;
  return both ? 0 : 1;
}
