// Minimises the energy of a phase field of 512 x 512 numbers by three methods, each eager and fused. Prints the number of kernels launched,
// the bytes of the arrays that were read and written, the seconds, and whether the results have the same bits. On a GPU all fields stay in
// its memory, and the results have to have the CPU's bits, too.
//
//     optimizers [size] [--backend c|cuda]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "methods.hpp"

namespace {

/// Two discs and some noise, with values from -1 to 1, in the host's memory.
Field picture(int64_t n) {
  Field u({n, n});
  uint32_t random = 1;
  for (int64_t y = 0; y < n; ++y)
    for (int64_t x = 0; x < n; ++x) {
      const auto inside = [&](double cx, double cy, double radius) {
        return std::hypot(static_cast<double>(x) / static_cast<double>(n) - cx, static_cast<double>(y) / static_cast<double>(n) - cy) <
               radius;
      };
      random = random * 1664525U + 1013904223U;
      const double noise = static_cast<double>(random >> 8) / static_cast<double>(1U << 24) - 0.5;
      u[static_cast<size_t>(y * n + x)] = (inside(0.4, 0.4, 0.2) || inside(0.65, 0.6, 0.15) ? 0.5 : -0.5) + noise;
    }
  return u;
}

struct Measured {
  Outcome outcome;
  Field result;
  harp::Launches launches;
  double seconds;
};

template <class Engine>
Measured measure(const Problem& problem, Outcome (*method)(Engine&, Field&)) {
  Engine engine(problem);
  Field warm = problem.picture;
  method(engine, warm);  // compiles
  Field u = problem.picture;
  const harp::Launches before = harp::launches();
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = method(engine, u);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const harp::Launches& after = harp::launches();
  return {outcome,
          u.to(harp::default_context()),
          {after.runs - before.runs, after.kernels - before.kernels, after.bytes - before.bytes},
          seconds};
}

void print(const char* method, const char* engine, const Measured& m) {
  std::printf("%-19s %-6s %10d %12d %10.3e %9llu %9llu %9.2f %9.3f\n", method, engine, m.outcome.iterations, m.outcome.evaluations,
              m.outcome.gradient, static_cast<unsigned long long>(m.launches.runs), static_cast<unsigned long long>(m.launches.kernels),
              static_cast<double>(m.launches.bytes) / 1e9, m.seconds);
}

bool same_bits(const Measured& a, const Measured& b) {
  return a.outcome.energy == b.outcome.energy && a.outcome.iterations == b.outcome.iterations &&
         std::memcmp(a.result.data(), b.result.data(), a.result.size() * sizeof(double)) == 0;
}

/// `on_host`: the same problem in the host's memory if `problem` is on a GPU, otherwise NULL.
bool compare(const char* name, const Problem& problem, const Problem* on_host, Outcome (*eager)(Eager&, Field&),
             Outcome (*fused)(Fused&, Field&)) {
  const Measured a = measure(problem, eager), b = measure(problem, fused);
  print(name, Eager::name, a);
  print(name, Fused::name, b);
  bool same = same_bits(a, b);
  if (on_host != nullptr) {
    const Measured c = measure(*on_host, fused);
    print(name, "on CPU", c);
    same = same && same_bits(a, c);
  }
  std::printf("  energy %.12g, %s; %.1f times fewer kernels, %.1f times fewer bytes, %.1f times faster\n", b.outcome.energy,
              same ? "the same bits" : "OTHER BITS", static_cast<double>(a.launches.kernels) / static_cast<double>(b.launches.kernels),
              static_cast<double>(a.launches.bytes) / static_cast<double>(b.launches.bytes), a.seconds / b.seconds);
  return same && b.outcome.gradient < 1e-3;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t n = 512;
  bool on_gpu = false, understood = true;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--backend") == 0 && i + 1 < argc) {
      on_gpu = std::strcmp(argv[++i], "cuda") == 0;
      understood = understood && (on_gpu || std::strcmp(argv[i], "c") == 0);
    } else {
      n = std::atoll(argv[i]);
    }
  }
  if (!understood || n < 4 || n > 1 << 14) {
    std::fprintf(stderr, "usage: optimizers [size, 4 to 16384] [--backend c|cuda]\n");
    return 2;
  }
  try {
    Problem host_problem, problem;
    host_problem.picture = picture(n);
    problem.picture = host_problem.picture.to(on_gpu ? harp::default_context().on("cuda:0") : harp::default_context());
    const Problem* const on_host = on_gpu ? &host_problem : nullptr;
    std::printf("%-19s %-6s %10s %12s %10s %9s %9s %9s %9s\n", "method", "engine", "iterations", "evaluations", "gradient", "programs",
                "kernels", "GB", "seconds");
    bool good = compare("gradient descent", problem, on_host, gradient_descent<Eager>, gradient_descent<Fused>);
    good &= compare("conjugate gradient", problem, on_host, conjugate_gradient<Eager>, conjugate_gradient<Fused>);
    good &= compare("truncated Newton", problem, on_host, truncated_newton<Eager>, truncated_newton<Fused>);
    return good ? 0 : 1;
  } catch (const harp::Error& error) {
    std::fprintf(stderr, "optimizers: %s\n%s", error.what(), error.compiler_output().c_str());
    return 1;
  }
}
