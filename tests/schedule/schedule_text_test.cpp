// Tests that schedules are printed and parsed as text, and that they are rejected if they are not legal.
#include <doctest/doctest.h>

#include "base/error.h"
#include "schedule/override.h"
#include "support/scheduled.h"

using namespace schedule_test;

TEST_CASE("L5 L5.thread_group/c: schedules print and parse; illegal ones are errors that name the rule") {
  const std::string_view texts[] = {
      "elementwise [thread, sequential simd=16] partition overlap",
      "elementwise []",
      "reduce [thread tile=512 simd=8, reduce unroll=8] partition",
      "elementwise [sequential]",
      "transpose [thread tile=64, sequential tile=16 simd=16] overlap nontemporal",
      "contraction [thread tile=8 unroll=4, sequential simd=4, reduce] partition overlap half",
      "contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2, reduce tile=32 split=256 stages=4]"};
  for (std::string_view text : texts) CHECK(print(parse_schedule(text)) == text);
  const auto graph = parse_graph("graph g(x: f32[n, 64]) { return y = x + 1.0 }");
  CHECK(scheduled(*graph, "kernel_0: elementwise [sequential, sequential simd=4]").kernels[0].variants[0].schedule.axes[1].simd_width == 4);
  const std::pair<std::string_view, std::string_view> wrong[] = {
      {"kernel_7: elementwise [sequential, sequential]", "unknown kernel"},
      {"kernel_0: reduce [sequential, sequential]", "recipe must be elementwise"},
      {"kernel_0: elementwise [sequential]", "has 2 axes"},
      {"kernel_0: elementwise [thread_group, sequential]", "thread_group"},
      {"kernel_0: elementwise [sequential simd=4, sequential]", "last kept axis"},
      {"kernel_0: elementwise [sequential, sequential simd=3]", "a power of two up to 64"},
      {"kernel_0: elementwise [sequential, thread]", "only axis 0"},
      {"kernel_0: elementwise [sequential, reduce]", "kept"},
      {"kernel_0: elementwise [sequential, sequential tile=8]", "axis 1 has tile=8; elementwise has no tiles of this axis"},
      {"kernel_0: elementwise [sequential unroll=2, sequential]", "elementwise does not unroll this axis"},
      {"kernel_0: elementwise [sequential, sequential unroll=5 simd=4]", "axis 1 has unroll=5; at most 4 is allowed"},
      {"kernel_0 variant 2: elementwise [sequential, sequential]", "has no variant 2; the number of variants is 1"},
      {"kernel_0 variant 0: elementwise [sequential, sequential]", "expected \"kernel_N: schedule\""},
      {"kernel_0: elementwise [sequential, fast]", "unknown axis kind"},
      {"kernel_0: elementwise [sequential, sequential simd=0]", "expected a number from 1 to 2^40"},
      {"kernel_0: elementwise [sequential,", "expected ]"},
      {"elementwise", "expected \"kernel_N: schedule\""},
      {"kernel_0: elementwise [thread sequential, sequential]", "an axis has kind twice, the second time as \"sequential\""},
      {"kernel_0: elementwise [thread, sequential simd=8 simd=4]", "an axis has simd twice, the second time as \"simd=4\""},
      {"kernel_0: elementwise [thread tile=4 simd=1 tile=4, sequential]", "an axis has tile twice"},
      {"kernel_0: elementwise [thread unroll=1 unroll=2, sequential]", "an axis has unroll twice"},
      {"kernel_0: elementwise [thread pack pack, sequential]", "an axis has pack twice"},
      {"kernel_0: elementwise [thread, sequential split=256]", "axis 1 has split=256, which only the terms of a product on a GPU may have"},
      {"kernel_0: elementwise [thread stages=2, sequential]", "axis 0 has stages=2, which only the terms of a product on a GPU may have"},
      {"kernel_0: elementwise [thread, sequential] overlap nontemporal overlap", "\"overlap\" is given twice"},
      {"kernel_0: elementwise [thread, sequential]\nkernel_0: elementwise [thread, sequential]", "kernel_0 is given twice"},
      {"kernel_0 variant 1: elementwise [thread, sequential]\nkernel_0 variant 1: elementwise [thread, sequential]",
       "kernel_0 variant 1 is given twice"},
      {"kernel_0 variant 1: elementwise [thread, sequential]\nkernel_0: elementwise [thread, sequential]",
       "kernel_0 is given for all sizes and for kernel_0 variant 1 too"},
  };
  for (const auto& [text, part] : wrong) {
    const std::string_view written = text;  // clang 14 cannot capture structured bindings
    INFO(written);
    bool thrown = false;
    try {
      scheduled(*graph, text);
    } catch (const Error& e) {
      thrown = true;
      CHECK_MESSAGE(e.message.find(part) != e.message.npos, e.message);
    }
    CHECK(thrown);
  }
}

TEST_CASE("L5: the schedules of a program are printed as they are read") {
  for (const char* text : {"graph g(a: f32[m, k], b: f32[k, n]) { return y = a @ b, z = cumsum(a, axis=0) }",
                           "graph g(x: f32[n, 1000]) { return y = softmax(x, axis=1), z = contiguous(transpose(x)) }"}) {
    const Program program = scheduled(text);
    const std::string printed = print(program);
    std::string lines = "# of kernels, and more\n\n";
    size_t variants = 0;
    for (const KernelPlan& kernel : program.kernels) variants += kernel.variants.size();
    for (size_t at = 0; at < printed.size(); at = printed.find('\n', at) + 1) {
      const std::string line = printed.substr(at, printed.find('\n', at) + 1 - at);
      if (line.starts_with("  kernel_")) lines += line;
    }
    CHECK(parse_overrides(lines).size() == variants);
    CHECK(print(scheduled(*parse_graph(text), lines)) == printed);
  }
  CHECK(parse_override("  kernel_1: scatter [scatter]  # what: ever\r").kernel == 1);
}
