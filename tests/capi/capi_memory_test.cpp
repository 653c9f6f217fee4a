// Tests workspaces and buffers that a context keeps for reuse (harp_context_options.kept_memory_bytes), through harp.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/capi_support.h"
#include "support/in_child.h"

using namespace capi_test;

namespace {

// The sums are stored before the second pass reads them, so the backend c needs a workspace. It is large enough to be kept for reuse.
constexpr const char* kText = R"(harp 1
graph centre(x: f32[n, m]) flags=[broadcast] {
  return y = mul(x, sum(x, axes=[0], keepdims=true))
})";
// More rows than one block of terms, for which the sums of blocks are in the workspace.
constexpr int64_t kRows = 400, kColumns = 50;

Context context_with(int64_t kept_memory_bytes) {
  return make_context([&](harp_context_options& options) { options.kept_memory_bytes = kept_memory_bytes; });
}

harp_memory_stats_info stats_of(const Context& context) {
  harp_memory_stats_info stats = HARP_MEMORY_STATS_INFO_INIT;
  CHECK(harp_memory_stats(context.get(), &stats, nullptr) == HARP_OK);
  return stats;
}

/// A program of kText and an input for it.
struct Centre {
  explicit Centre(harp_context* context) : program(compile(parse(context, kText).get(), "c")), data(kRows * kColumns, 0.5f) {
    must_run(program.get());
    x = wrap(context, data, {kRows, kColumns});
  }
  std::vector<Buffer> operator()(harp_error** err = nullptr, const harp_run_options* options = nullptr) {
    return run(program.get(), {x.get()}, err, options);
  }

  Program program;
  std::vector<float> data;
  Buffer x;
};

bool is_right(const std::vector<Buffer>& outputs) {
  return outputs.size() == 1 && values<float>(outputs[0].get()) == std::vector<float>(kRows * kColumns, 100.0f);
}

}  // namespace

TEST_CASE("X5.kept_memory: runs use the workspace and the released outputs of earlier runs") {
  const Context context = context_with(1 << 20);
  CHECK(stats_of(context).limit_bytes == 1 << 20);
  Centre centre(context.get());
  const void* first = nullptr;
  for (int round = 0; round < 3; ++round) {
    const std::vector<Buffer> outputs = centre();
    CHECK(is_right(outputs));
    if (round == 0) first = harp_buffer_const_data(outputs[0].get());
    CHECK(harp_buffer_const_data(outputs[0].get()) == first);
  }
  CHECK(stats_of(context).allocated == 2);  // one block for the workspace, and one for the output of 80,000 bytes
  CHECK(stats_of(context).reused == 4);
  CHECK(stats_of(context).kept_bytes > 80'000);

  const std::vector<Buffer> held = centre();  // trimming must not free memory that is in use
  CHECK(harp_memory_trim(context.get(), 0, nullptr) == HARP_OK);
  CHECK(stats_of(context).kept_bytes == 0);
  CHECK(is_right(held));
  CHECK(is_right(centre()));
  CHECK(is_right(held));
}

TEST_CASE("X5.kept_memory: the limit holds; off means that everything goes back at once") {
  const Context small = context_with(32 << 10), off = context_with(HARP_KEEP_NO_MEMORY);
  Centre centre(small.get()), other(off.get());
  for (int round = 0; round < 3; ++round) {
    CHECK(is_right(centre()));
    CHECK(stats_of(small).kept_bytes <= 32 << 10);  // the workspace fits the limit and is kept; the larger output is not kept
    CHECK(is_right(other()));
    CHECK(stats_of(off).kept_bytes == 0);
  }
  CHECK(stats_of(small).reused == 2);
  CHECK(stats_of(off).reused == 0);
  CHECK(stats_of(off).limit_bytes == 0);
  CHECK(harp_memory_trim(off.get(), 0, nullptr) == HARP_OK);
  ErrorSlot err;
  harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
  options.kept_memory_bytes = -2;
  CHECK(harp_context_new(&options, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(err.message().find("kept_memory_bytes is -2") != std::string::npos);
}

TEST_CASE("X5.kept_memory: kept memory comes from the host's allocator and goes back to it") {
  struct Host {
    std::atomic<int> live{0}, calls{0};
  } host;
  {
    const Context context = make_context([&](harp_context_options& options) {
      options.kept_memory_bytes = 1 << 20;
      options.alloc_user = &host;
      options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
        ++static_cast<Host*>(user)->live, ++static_cast<Host*>(user)->calls;
        return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
      };
      options.free = [](void* user, void* memory) {
        --static_cast<Host*>(user)->live;
        std::free(memory);
      };
    });
    Centre centre(context.get());
    for (int round = 0; round < 5; ++round) CHECK(is_right(centre()));
    CHECK(host.calls == 2);
    CHECK(host.live == 2);
    CHECK(harp_memory_trim(context.get(), 0, nullptr) == HARP_OK);
    CHECK(host.live == 0);
    CHECK(is_right(centre()));
    CHECK(host.live == 2);
  }
  CHECK(host.live == 0);  // the context has freed what it kept
}

TEST_CASE("X5.kept_memory: a small workspace is on the stack of the run, so the run calls no allocator") {
  std::atomic<int> calls{0};
  const Context context = make_context([&](harp_context_options& options) {
    options.kept_memory_bytes = 1 << 20;
    options.alloc_user = &calls;
    options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
      ++*static_cast<std::atomic<int>*>(user);
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void*, void* memory) { std::free(memory); };
  });
  constexpr int64_t kFewRows = 4, kFew = 100;
  const char* text = "harp 1\ngraph scaled(x: f32[n, m]) flags=[broadcast] {\n  return y = mul(x, sum(x))\n}";
  const Program program = compile(parse(context.get(), text).get(), "c");
  must_run(program.get());
  std::vector<float> data(kFewRows * kFew, 0.5f), result(kFewRows * kFew);
  const Buffer x = wrap(context.get(), data, {kFewRows, kFew}), y = wrap(context.get(), result, {kFewRows, kFew});
  const int64_t sizes[] = {kFewRows, kFew};
  size_t bytes = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 1, &bytes, nullptr) == HARP_OK);
  REQUIRE(bytes > 0);
  REQUIRE(bytes < 4096);
  calls = 0;
  for (int round = 0; round < 3; ++round) {
    std::ranges::fill(result, 0.0f);
    harp_buffer *input = x.get(), *output = y.get();
    CHECK(harp_program_run(program.get(), 1, &input, 1, &output, nullptr, nullptr) == HARP_OK);
    CHECK(result == std::vector<float>(kFewRows * kFew, 100.0f));
  }
  CHECK(calls == 0);
}

TEST_CASE("X5.kept_memory: a program and a buffer keep their context, and with it the memory") {
  Context context = context_with(1 << 20);
  std::vector<Buffer> outputs;
  {
    Centre centre(context.get());
    CHECK(is_right(centre()));
    context.reset();
    outputs = centre();
    CHECK(is_right(outputs));
    CHECK(is_right(centre()));
  }
  CHECK(is_right(outputs));
}

TEST_CASE("X5.kept_memory: a run that fails or is cancelled gives its memory back") {
  const Context context = context_with(1 << 20);
  Centre centre(context.get());
  CHECK(is_right(centre()));
  const uint64_t kept = stats_of(context).kept_bytes;

  int32_t flag = 1;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.cancel = &flag;
  ErrorSlot cancelled;
  CHECK(centre(cancelled, &options).empty());
  CHECK(cancelled.code() == HARP_ERROR_CANCELLED);
  CHECK(stats_of(context).kept_bytes == kept);

  const Program checked = compile(parse(context.get(), R"(harp 1
graph pick(x: f32[n, m], i: i64[k]) flags=[broadcast] {
  return y = mul(take(x, check_index(i, 4), axis=0), sum(x, axes=[0], keepdims=true))
})")
                                      .get(),
                                  "c");
  std::vector<int64_t> wrong = {0, 9, 1};
  const Buffer indices = wrap(context.get(), wrong, {3});
  ErrorSlot failed;
  CHECK(run(checked.get(), {centre.x.get(), indices.get()}, failed).empty());
  CHECK(failed.code() == HARP_ERROR_RANGE);
  const harp_memory_stats_info before = stats_of(context);
  wrong[1] = 2;
  CHECK(run(checked.get(), {centre.x.get(), indices.get()}).size() == 1);
  CHECK(stats_of(context).allocated == before.allocated);
  CHECK(is_right(centre()));
}

TEST_CASE("X5.kept_memory: many threads run programs of one context") {
  const Context context = context_with(1 << 20);
  Centre centre(context.get());
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int& count : right)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        harp_buffer* output = nullptr;
        harp_buffer* const input = centre.x.get();
        if (harp_program_run(centre.program.get(), 1, &input, 1, &output, nullptr, nullptr) != HARP_OK) continue;
        const auto* y = static_cast<const float*>(harp_buffer_const_data(output));
        count += y[0] == 100.0f && y[kRows * kColumns - 1] == 100.0f;
        harp_buffer_release(output);
        if (round % 50 == 0) harp_memory_trim(context.get(), 0, nullptr);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 200));
  CHECK(stats_of(context).kept_bytes <= stats_of(context).limit_bytes);
}

TEST_CASE("X5.kept_memory: a forked child uses the memory that its context had kept") {
  const Context context = context_with(1 << 20);
  Centre centre(context.get());
  CHECK(is_right(centre()));
  CHECK(in_child([&] {
          const bool good = is_right(centre()) && harp_memory_trim(context.get(), 0, nullptr) == HARP_OK && is_right(centre());
          return good ? 0 : 1;
        }) == 0);
  CHECK(is_right(centre()));
}
