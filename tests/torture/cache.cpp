// The full stress test of the compile cache: it kills processes while they publish and while they compile, runs many processes on the same
// keys during eviction, and damages entries in several ways. The argument (default 1) divides the numbers of rounds, for a shorter test.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/compile_scenarios.h"

namespace {

int failures = 0;

void report(bool good, const std::string& what) {
  std::printf("%s  %s\n", good ? "ok  " : "FAIL", what.c_str());
  std::fflush(stdout);
  failures += !good;
}

}  // namespace

int main(int argc, char** argv) {
  using harp::cat;
  const int divisor = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;

  const auto published = cache_scenarios::kill_while_publishing(1000 / divisor, 1);
  report(published.wrong == 0 && published.damaged == 0 && published.left == 0 && published.found > 0,
         cat(published.kills, " kills while publishing: ", published.found, " whole entries found, ", published.wrong, " wrong, ",
             published.damaged, " damaged, ", published.left, " directories left"));

  const auto compiled = compile_scenarios::kill_while_compiling(1000 / divisor, 2);
  report(compiled.wrong == 0 && compiled.damaged == 0 && compiled.left == 0,
         cat(compiled.kills, " kills while compiling: ", compiled.found, " had been published, ", compiled.wrong, " wrong, ",
             compiled.damaged, " damaged, ", compiled.left, " directories left"));

  const int wrong = cache_scenarios::hammer(32, 1000 / divisor, 3);
  report(wrong == 0, cat("32 processes x ", 1000 / divisor, " rounds at 4 keys with eviction: ", wrong, " processes failed"));

  const auto damage = cache_scenarios::damage(10'000 / divisor, 4);
  report(damage.accepted == 0, cat(damage.tried, " damaged entries: ", damage.accepted, " accepted"));
  return failures == 0 ? 0 : 1;
}
