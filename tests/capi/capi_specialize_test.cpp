// Tests specialisation: programs count which sizes occur repeatedly, and harp_program_specialize compiles them for these sizes.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/capi_support.h"

using namespace capi_test;

namespace {

constexpr const char* kText = R"(harp 1
graph rows(x: f32[n, m]) flags=[broadcast] {
  return y = mul(x, sum(x, axes=[0], keepdims=true))
})";

Program compile_auto(const harp_graph* graph, const char* backend = "c") {
  return compile(graph, backend, [](harp_compile_options& options) { options.specialize = HARP_SPECIALIZE_AUTO; });
}

uint64_t specializations(const Program& program) {
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  CHECK(harp_program_stats(program.get(), &stats, nullptr) == HARP_OK);
  return stats.specializations;
}

size_t specialize(const Program& program) {
  size_t count = 99;
  ErrorSlot err;
  CHECK_MESSAGE(harp_program_specialize(program.get(), &count, err) == HARP_OK, err.message());
  return count;
}

/// Runs the program with an x of the shape [n, m] and returns the bits of the result.
std::vector<uint32_t> result(harp_context* context, const Program& program, int64_t n, int64_t m,
                             const harp_run_options* options = nullptr) {
  std::vector<float> data(static_cast<size_t>(n * m));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 97) / 7 - 3;
  const Buffer x = wrap(context, data, {n, m});
  const std::vector<Buffer> outputs = run(program.get(), {x.get()}, nullptr, options);
  return outputs.empty() ? std::vector<uint32_t>() : values<uint32_t>(outputs[0].get());
}

}  // namespace

TEST_CASE("G16.specialize_auto/c,interp: sizes that repeat are compiled for, on request only, and results stay") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), kText);
  for (const char* backend : {"interp", "c"}) {
    CAPTURE(backend);
    const Program general = compile(graph.get(), backend), program = compile_auto(graph.get(), backend);
    CHECK(specialize(program) == 0);  // 0, because the program has not run yet
    const auto same = [&](int64_t n, int64_t m) { return result(context.get(), program, n, m) == result(context.get(), general, n, m); };
    CHECK(same(3, 40));
    CHECK(same(5, 64));
    CHECK(specialize(program) == 0);  // 0, because no sizes have occurred twice
    CHECK(same(5, 64));
    CHECK(specializations(program) == 0);
    CHECK(specialize(program) == 1);
    CHECK(specializations(program) == 1);
    CHECK(specialize(program) == 0);  // done already
    for (int round = 0; round < 3; ++round) {
      CHECK(same(5, 64));
      CHECK(same(3, 40));
      CHECK(same(0, 7));
      CHECK(same(1, 1));
    }
    CHECK(specialize(program) == 3);
    CHECK(specializations(program) == 4);
    CHECK(same(5, 64));
    CHECK(same(0, 7));
    CHECK(same(6, 64));
    CHECK(specializations(general) == 0);
  }
}

TEST_CASE("G16.specialize_auto/c: frequent sizes are found among many, and their number is limited") {
  const Context context = make_context();
  const Program program = compile_auto(parse(context.get(), kText).get(), "interp");
  for (int64_t i = 0; i < 200; ++i) {
    result(context.get(), program, 2, 1000 + i);  // each once
    if (i % 4 == 0) result(context.get(), program, 2, 5);
  }
  CHECK(specialize(program) >= 1);
  for (int64_t m = 1; m <= 20; ++m)
    for (int round = 0; round < 40; ++round) result(context.get(), program, 1, m);
  specialize(program);
  CHECK(specializations(program) == 16);
  CHECK(specialize(program) == 0);
}

TEST_CASE("G16.specialize_auto/c: errors name what is missing, and leave *count alone") {
  const Context context = make_context();
  size_t count = 99;
  const auto fails = [&](const Program& program, const std::string& text) {
    ErrorSlot err;
    CHECK(harp_program_specialize(program.get(), &count, err) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(err.message().find(text) != std::string::npos, err.message());
    CHECK(count == 99);
  };
  const Graph fixed = parse(context.get(), "harp 1\ngraph f(x: f32[3]) { return y = exp(x) }"), symbolic = parse(context.get(), kText);
  fails(compile_auto(fixed.get()), "no symbolic sizes");
  fails(compile(symbolic.get(), "c"), "HARP_SPECIALIZE_AUTO");
  fails(nullptr, "program is NULL");
  harp_compile_options options = compile_options();
  options.specialize = 2;
  ErrorSlot err;
  CHECK(harp_compile(symbolic.get(), &options, err) == nullptr);
  CHECK(err.message().find("specialize is 2") != std::string::npos);
}

TEST_CASE("G16.specialize_auto/c: sizes given by name, fixed sizes, and arrays computed in place") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), R"(harp 1
shape k
graph shifted(x: f32[n]) {
  return y = relu(x + 1), z = arange(n=k)
})");
  const Program program = compile_auto(graph.get());
  must_run(program.get());
  const char* const name = "k";
  const int64_t k = 6;
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.n_shape_vars = 1;
  options.shape_var_names = &name;
  options.shape_var_values = &k;
  std::vector<int32_t> z(6);
  for (int round = 0; round < 3; ++round) {
    std::vector<float> x = {-3, 0, 2};
    const Buffer both = wrap(context.get(), x, {3}), last = wrap(context.get(), z, {6});
    harp_buffer* const inputs[] = {both.get()};
    harp_buffer* outputs[] = {both.get(), last.get()};
    ErrorSlot err;
    CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 2, outputs, &options, err) == HARP_OK, err.message());
    CHECK(x == std::vector<float>{0, 1, 3});
    CHECK(z == std::vector<int32_t>{0, 1, 2, 3, 4, 5});
    if (round == 1) CHECK(specialize(program) == 1);
  }
}

TEST_CASE("G16.specialize_auto/c: a specialised program that cannot compute in place leaves runs in place to the general program") {
  // Sums across the rows of a few elements are computed by the kernel that stores y; sums of many rows by a kernel of their own.
  const std::string text = "{\n  return y = x * max(x + permute(x, axes=[1, 0]), axes=[1], keepdims=true)\n}";
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph turned(x: f32[n, n]) flags=[broadcast] " + text);
  const Program general = compile(graph.get(), "c"), program = compile_auto(graph.get());
  const Program fixed = compile(parse(context.get(), "harp 1\ngraph turned(x: f32[20, 20]) flags=[broadcast] " + text).get(), "c");
  const auto is_in_place = [](const Program& of) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    CHECK(harp_program_output(of.get(), 0, &info, nullptr) == HARP_OK);
    return info.n_in_place == 1;
  };
  REQUIRE(is_in_place(program));
  REQUIRE_FALSE(is_in_place(fixed));
  const std::vector<uint32_t> expected = result(context.get(), general, 20, 20);
  for (int round = 0; round < 4; ++round) {
    CHECK(result(context.get(), program, 20, 20) == expected);
    std::vector<float> data(400);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 97) / 7 - 3;
    const Buffer both = wrap(context.get(), data, {20, 20});
    harp_buffer* const inputs[] = {both.get()};
    harp_buffer* outputs[] = {both.get()};
    ErrorSlot err;
    CHECK_MESSAGE(harp_program_run(program.get(), 1, inputs, 1, outputs, nullptr, err) == HARP_OK, err.message());
    CHECK(values<uint32_t>(both.get()) == expected);
    if (round == 1) CHECK(specialize(program) == 1);
  }
}

TEST_CASE("G16.specialize_auto/c: a workspace that was measured before is used as long as it is large enough") {
  const Context context = make_context();
  const Program program = compile_auto(parse(context.get(), kText).get());
  must_run(program.get());
  const int64_t sizes[] = {4, 300};
  size_t before = 0, after = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 1, &before, nullptr) == HARP_OK);
  void* const workspace = std::aligned_alloc(64, (before + 63) / 64 * 64);
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.workspace = workspace;
  options.workspace_size = before;
  const std::vector<uint32_t> expected = result(context.get(), program, 4, 300, &options);
  CHECK(result(context.get(), program, 4, 300, &options) == expected);
  CHECK(specialize(program) == 1);
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 1, &after, nullptr) == HARP_OK);
  CHECK(after >= before);
  CHECK(result(context.get(), program, 4, 300, &options) == expected);
  options.workspace_size = 0;
  CHECK(result(context.get(), program, 4, 300, &options) == expected);
  std::free(workspace);
}

TEST_CASE("G16.specialize_auto/c: threads run the program while it is specialised") {
  const Context context = make_context();
  const Program program = compile_auto(parse(context.get(), kText).get(), "interp");
  const std::vector<uint32_t> expected = result(context.get(), program, 3, 17);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  std::vector<int> wrong(3, 0);
  for (int& count : wrong)
    threads.emplace_back([&] {
      while (!stop) {
        std::vector<float> data(3 * 17), y(3 * 17);
        for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 97) / 7 - 3;
        const int64_t dims[] = {3, 17};
        const harp_const_array in{data.data(), dims, HARP_F32, 2};
        const harp_array out{y.data(), dims, HARP_F32, 2};
        const bool ran = harp_program_call(program.get(), 1, &in, 1, &out, nullptr, nullptr) == HARP_OK;
        count += !ran || std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) != 0;
      }
    });
  while (specializations(program) == 0) CHECK(harp_program_specialize(program.get(), nullptr, nullptr) == HARP_OK);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(3, 0));
}
