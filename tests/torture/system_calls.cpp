// Makes every system call of a compilation, from the search for the cache to dlopen, fail with each error that files and processes can
// return: once that call alone, and once that call and all later ones.
#include <cstdio>
#include <string>

#include "support/compile_scenarios.h"

int main() {
  int failures = 0;
  for (const int error : {ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR, EAGAIN, ESTALE, ENOMEM}) {
    for (const bool from_then_on : {false, true}) {
      const auto result = compile_scenarios::fail_every_call({error}, from_then_on);
      const bool good = result.first_fault.empty() && result.points > 50;
      std::printf("%s  %s %s: %d calls, %d did not matter%s%s\n", good ? "ok  " : "FAIL", std::string(harp::error_text(-error)).c_str(),
                  from_then_on ? "for ever" : "once", result.points, result.succeeded, good ? "" : ": ", result.first_fault.c_str());
      std::fflush(stdout);
      failures += !good;
    }
  }
  return failures == 0 ? 0 : 1;
}
