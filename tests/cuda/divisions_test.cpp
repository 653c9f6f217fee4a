// Tests divisions of positions by sizes that are not known when a kernel is compiled. Kernels multiply by reciprocals that the launch plan
// computes (render/kernel/sizes.h). Results must be bit-identical to the interpreter's for every size, also for sizes 0 and 1, and faults
// in the reciprocals or in the functions that use them must give other bits.
#include "cuda/checked_programs.h"
#include "run/cuda/plan.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

/// Returns the arguments of the first launch in the text of the program's plan.
std::string arguments_of(const GpuProgram& program) {
  const std::string plan = cuda::print(*program.generated.plan);
  const size_t begin = plan.find("] (");
  REQUIRE(begin != plan.npos);
  return plan.substr(begin + 3, plan.find(")\n", begin) - begin - 3);
}

}  // namespace

TEST_CASE("C1: positions are divided by sizes with reciprocals") {
  CheckedPrograms programs;
  const std::vector<std::vector<int64_t>> sizes = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 9}, {9, 1}, {2, 8}, {64, 3}, {37, 41}, {100, 128}};
  programs.add("x: f32[n, m], b: f32[n]) {\n  return y = add(x, broadcast_to(reshape(b, [n, 1]), [n, m]))", sizes);
  CHECK(arguments_of(programs.last()) == "input0, input1, output0, n, m, reciprocal(m)");
  CHECK(programs.has("quotient(ridx0"));
  CHECK_FALSE(programs.has("floor_div"));
  programs.add("x: f32[n, m]) {\n  return y = add(x, roll(x, 1, axis=0))", sizes);
  CHECK(arguments_of(programs.last()) == "input0, output0, n, m, floor_mod(1, n), reciprocal(m)");
  CHECK_FALSE(programs.has("floor_mod"));
  programs.add("x: f64[n, m, 3]) {\n  return y = add(reshape(permute(x, [1, 0, 2]), [n, 3, m]), 1)", sizes);
  programs.add("x: i16[n, m]) {\n  return y = reshape(tile(x, [2, 3]), [3, m * n, 2])", sizes);
  programs.add("x: u8[n, m]) {\n  return y = repeat(x, 3, axis=1), z = flip(x, [0, 1])", sizes);
  programs.add("x: f32[n, m, k]) {\n  return y = sum(reshape(permute(x, [2, 1, 0]), [m, k * n]), axes=[1])",
               {{0, 1, 4}, {3, 1, 1}, {5, 7, 11}, {16, 32, 8}});
  programs.check();
}

TEST_CASE("C1: negative positions are divided by sizes, rounding down") {
  CheckedPrograms programs;
  programs.add("x: f32[n, m]) {\n  return y = mul(pad(x, [5, 7], [6, 4], mode=\"wrap\"), 2)", {{1, 1}, {2, 3}, {3, 2}, {8, 16}, {37, 5}});
  CHECK(programs.has("floor_remainder(oidx"));
  programs.check();
}

TEST_CASE("C1: faults in divisions by sizes are found") {
  CheckedPrograms programs;
  programs.add("x: f32[n, m], b: f32[n]) {\n  return y = add(x, broadcast_to(reshape(b, [n, 1]), [n, m]))", {{37, 41}, {9, 1}, {40, 64}});
  Faults division(programs.last());
  division.replace("b - 1", "b");                                // another shift if b is a power of two
  division.replace("(u64)a << 1", "a");                          // half of the quotient
  division.replace("reciprocal) >> k", "reciprocal - 1) >> k");  // a reciprocal that is rounded down
  division.check(1);
  CheckedPrograms wrapped;
  wrapped.add("x: f32[n, m]) {\n  return y = mul(pad(x, [5, 7], [6, 4], mode=\"wrap\"), 2)", {{3, 2}, {8, 16}, {37, 5}});
  Faults negative(wrapped.last());
  negative.replace("a ^ sign,", "a,");  // a negative number is divided as an unsigned one
  negative.replace(") ^ sign", ")");    // the quotient of a negative number is that of a positive one
  negative.check(1);
}
