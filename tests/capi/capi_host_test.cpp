// Tests how the C API works with its host, the program that uses it: ownership of memory, and the host's own functions for allocation,
// logging, threads and workspaces.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "support/affine_graph.h"

using namespace capi_test;

namespace {

const char* const kBackends[] = {"interp", "c"};

}  // namespace

TEST_CASE("H5.owned H5.wrap: buffers go with their last handle, children keep parents") {
  int deleted = 0;
  std::vector<float> data(6);
  const int64_t shape[] = {2, 3};
  Context context = make_context();
  const auto count = [](void* user, void*) { ++*static_cast<int*>(user); };
  harp_buffer* wrapped = harp_buffer_wrap(context.get(), HARP_F32, 2, shape, data.data(), count, &deleted, nullptr);
  REQUIRE(wrapped != nullptr);
  CHECK(harp_buffer_data(wrapped) == data.data());  // the buffer has no copy
  CHECK(harp_buffer_retain(wrapped) == wrapped);
  harp_buffer_release(wrapped);
  CHECK(deleted == 0);
  context.reset();  // the buffer keeps the context alive
  CHECK(harp_buffer_size(wrapped) == 24);
  harp_buffer_release(wrapped);
  CHECK(deleted == 1);

  context = make_context();
  harp_graph* graph = harp_graph_retain(affine_graph(context.get()).get());
  harp_program* program = harp_program_retain(compile(graph, "interp").get());
  context.reset();
  harp_graph_release(graph);
  CHECK(harp_program_output_count(program) == 1);
  harp_program_release(program);

  context = make_context();
  const Buffer constant(harp_buffer_wrap_const(context.get(), HARP_F32, 2, shape, data.data(), nullptr, nullptr, nullptr));
  CHECK(harp_buffer_data(constant.get()) == nullptr);
  CHECK(harp_buffer_const_data(constant.get()) == data.data());
  const Buffer own(harp_buffer_new(context.get(), nullptr, HARP_F32, 2, shape, nullptr));
  CHECK(reinterpret_cast<uintptr_t>(harp_buffer_data(own.get())) % 64 == 0);
  CHECK(harp_buffer_rank(own.get()) == 2);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  CHECK(harp_buffer_write(own.get(), 24, data.data(), nullptr) == HARP_OK);
  std::vector<float> back(6);
  CHECK(harp_buffer_read(own.get(), 24, back.data(), nullptr) == HARP_OK);
  CHECK(back == data);
  const Buffer copy(harp_buffer_new(context.get(), nullptr, HARP_F32, 2, shape, nullptr));
  CHECK(harp_buffer_copy(copy.get(), constant.get(), nullptr) == HARP_OK);
  CHECK(values<float>(copy.get()) == data);
  const int64_t nothing[] = {3, 0};
  const Buffer empty(harp_buffer_new(context.get(), nullptr, HARP_I64, 2, nothing, nullptr));
  CHECK(harp_buffer_size(empty.get()) == 0);
  CHECK(harp_buffer_data(empty.get()) == nullptr);
}

TEST_CASE("X5.allocator: arrays come from the host, and running out of memory leaves everything usable") {
  struct Host {
    int left = -1, live = 0;
    size_t largest = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.alloc_user = &host;
    options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
      Host& h = *static_cast<Host*>(user);
      if (h.left == 0) return nullptr;
      if (h.left > 0) --h.left;
      ++h.live;
      h.largest = std::max(h.largest, size);
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void* user, void* memory) {
      --static_cast<Host*>(user)->live;
      std::free(memory);
    };
  });
  // The sum is stored, because it is used twice, so the backend c needs a workspace. The graph has two outputs.
  const Graph graph = parse(context.get(), R"(harp 1
graph two(x: f32[n, 8]) flags=[broadcast] {
  s = sum(x, axes=[0], keepdims=true)
  return y = mul(x, s), z = contiguous(exp(s))
})");
  std::vector<float> data(40, 0.5f);
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    const Buffer x = wrap(context.get(), data, {5, 8});
    CHECK(run(program.get(), {x.get()}).size() == 2);
    CHECK(host.live == 0);
    CHECK(host.largest >= 160);
    int failures = 0;
    for (int allowed = 0; allowed < 10; ++allowed) {
      host.left = allowed;
      harp_buffer* outputs[2] = {nullptr, nullptr};
      harp_buffer* const inputs[] = {x.get()};
      ErrorSlot err;
      const harp_status status = harp_program_run(program.get(), 1, inputs, 2, outputs, nullptr, err);
      host.left = -1;
      if (status == HARP_OK) {
        harp_buffer_release(outputs[0]);
        harp_buffer_release(outputs[1]);
        break;
      }
      ++failures;
      CHECK(status == HARP_ERROR_OUT_OF_MEMORY);
      CHECK(outputs[0] == nullptr);
      CHECK(outputs[1] == nullptr);
      CHECK(host.live == 0);
    }
    CHECK(failures >= 2);
    CHECK(failures < 10);
  }
}

TEST_CASE("X5.allocator: where no memory is needed, none is asked for: an allocator may have no answer to 0 bytes") {
  const auto allocate = [](void* calls, size_t size) -> void* {
    if (size == 0) ++*static_cast<int*>(calls);
    return size == 0 ? nullptr : std::aligned_alloc(64, (size + 63) / 64 * 64);
  };
  int calls = 0;
  const Context context = make_context([&](auto& options) {
    options.alloc_user = &calls;
    options.alloc = [](void* user, size_t size, size_t alignment) -> void* {
      if (size == 0) ++*static_cast<int*>(user);
      return size == 0 ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    options.free = [](void*, void* memory) { std::free(memory); };
  });
  const Graph graph = parse(context.get(), "harp 1\ngraph rows(x: f32[n, 1024]) {\n  return y = softmax(x)\n}");
  for (const char* backend : kBackends) {
    CAPTURE(backend);
    const Program program = compile(graph.get(), backend);
    for (const int64_t rows : {0, 2}) {
      CAPTURE(rows);
      std::vector<float> data(static_cast<size_t>(rows) * 1024 + 1), result(data.size());
      const Buffer x = wrap(context.get(), data, {rows, 1024});
      CHECK(run(program.get(), {x.get()}).size() == 1);
      void *in[] = {data.data()}, *out[] = {result.data()};
      size_t sizes[] = {static_cast<size_t>(rows)};
      harp_runtime runtime = {};
      runtime.struct_size = sizeof runtime;
      runtime.self = &calls;
      runtime.alloc = allocate;
      runtime.free = [](void*, void* memory) { std::free(memory); };
      const harp_entry_point_ex entry = harp_program_entry_ex(program.get(), nullptr);
      REQUIRE((entry != nullptr));
      CHECK(entry(in, out, sizes, &runtime) == HARP_OK);
      CHECK(entry(in, out, sizes, nullptr) == HARP_OK);
      CHECK(result[0] == (rows == 0 ? 0.0f : 1.0f / 1024));
      CHECK(calls == 0);
    }
  }
}

TEST_CASE("X5.log C1.spdlog: the host's log gets the stages of a compilation") {
  std::string text;
  const Context context = make_context([&](auto& options) {
    options.log = [](void* user, int32_t, const char* message, size_t size) { static_cast<std::string*>(user)->append(message, size); };
    options.log_user = &text;
    options.log_level = HARP_LOG_INFO;
    options.dump = "opt,schedule,ir,source";
  });
  const Graph graph = affine_graph(context.get());
  compile(graph.get(), "c");
  for (const char* stage : {"stage opt", "stage schedule", "stage ir", "stage c"}) {
    CAPTURE(stage);
    CHECK(text.find(stage) != std::string::npos);
  }
}

TEST_CASE("X5.parallel_for X2.threads/c: the host's threads run a program, with the same bits") {
  struct Host {
    size_t calls = 0;
  } host;
  const Context context = make_context([&](auto& options) {
    options.parallel_for_user = &host;
    options.width = 3;
    options.parallel_for = [](void* user, size_t n, size_t grain, harp_range_body body, void* arg) {
      ++static_cast<Host*>(user)->calls;
      const size_t part = std::max((n + 2) / 3, grain);
      std::vector<std::thread> threads;
      for (size_t worker = 0; worker * part < n; ++worker)
        threads.emplace_back([=] { body(arg, worker * part, std::min(n, (worker + 1) * part), worker); });
      for (std::thread& thread : threads) thread.join();
    };
  });
  const Graph graph = parse(context.get(), R"(harp 1
graph rows(x: f32[n, m]) flags=[broadcast] {
  return y = exp(x), s = sum(x, axes=[1]), t = sum(x, axes=[0])
})");
  std::vector<float> data(2000 * 65);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 977) / 100 - 3;
  const Buffer x = wrap(context.get(), data, {2000, 65});
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), {x.get()});
  const std::vector<Buffer> got = run(compile(graph.get(), "c").get(), {x.get()});
  REQUIRE(got.size() == 3);
  for (size_t i = 0; i < got.size(); ++i) CHECK(values<uint32_t>(got[i].get()) == values<uint32_t>(expected[i].get()));
  CHECK(host.calls > 0);
}

TEST_CASE("X6.workspace_size X6.caller_memory: a run in the caller's memory") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), R"(harp 1
graph centre(x: f32[n, 8]) flags=[broadcast] {
  s = sum(x, axes=[0], keepdims=true)
  return y = mul(x, s)
})");
  const Program program = compile(graph.get(), "c");
  must_run(program.get());
  std::vector<float> data(80, 0.5f), out(80);
  const int64_t sizes[] = {10};
  size_t size = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 1, sizes, 1, &size, nullptr) == HARP_OK);
  CHECK(size >= 32);
  const Buffer x = wrap(context.get(), data, {10, 8}), y = wrap(context.get(), out, {10, 8});
  void* workspace = std::aligned_alloc(64, size);
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.workspace = workspace;
  options.workspace_size = size;
  harp_buffer* const inputs[] = {x.get()};
  harp_buffer* outputs[] = {y.get()};
  CHECK(harp_program_run(program.get(), 1, inputs, 1, outputs, &options, nullptr) == HARP_OK);
  CHECK(out == std::vector<float>(80, 2.5f));
  std::free(workspace);
}

TEST_CASE("X6.workspace_size: small sizes need no workspace if only kernels for large ones have scratch memory") {
  const Context context = make_context();
  const Program program =
      compile(parse(context.get(), "harp 1\ngraph g(a: f32[m, k], b: f32[k, n]) { return y = matmul(a, b) }").get(), "c");
  const auto bytes = [&](int64_t rows, int64_t terms, int64_t columns) {
    const int64_t sizes[] = {rows, terms, columns};
    size_t size = 0;
    REQUIRE(harp_program_workspace_size(program.get(), 3, sizes, 1, &size, nullptr) == HARP_OK);
    return size;
  };
  CHECK(bytes(3, 3, 3) == 0);  // one row of products after the other
  CHECK(bytes(0, 400, 40) == 0);
  CHECK(bytes(40, 400, 40) > 0);  // register tiles, whose sums are in memory
  must_run(program.get());
  // Runs that the caller gives no workspace find out by themselves, in any order.
  for (const int64_t rows : {3, 40, 3, 41}) {
    std::vector<float> a(static_cast<size_t>(rows * 400), 0.5f), b(400 * 40, 2), y(static_cast<size_t>(rows * 40));
    const Buffer x = wrap(context.get(), a, {rows, 400}), w = wrap(context.get(), b, {400, 40}), out = wrap(context.get(), y, {rows, 40});
    harp_buffer* const inputs[] = {x.get(), w.get()};
    harp_buffer* outputs[] = {out.get()};
    REQUIRE(harp_program_run(program.get(), 2, inputs, 1, outputs, nullptr, nullptr) == HARP_OK);
    CHECK(y == std::vector<float>(y.size(), 400));
  }
}

TEST_CASE("X6.workspace_size: each worker has scratch memory of its own") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph columns(x: f32[m, n]) { return y = sum(x, axes=[0]) }");
  const Program program = compile(graph.get(), "c");
  const int64_t sizes[] = {300, 5000};  // more rows than one block of terms
  size_t one = 0, none = 0, four = 0, too_many = 0;
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 1, &one, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 0, &none, nullptr) == HARP_OK);
  REQUIRE(harp_program_workspace_size(program.get(), 2, sizes, 4, &four, nullptr) == HARP_OK);
  CHECK(one > 0);
  CHECK(none == one);
  CHECK(four == 4 * one);
  CHECK(harp_program_workspace_size(program.get(), 2, sizes, SIZE_MAX, &too_many, nullptr) == HARP_ERROR_OVERFLOW);
}

TEST_CASE("X5.no_own_threads: compiling and running leaves no thread behind") {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  const auto before = threads();
  const Context context = make_context();
  const Graph graph = affine_graph(context.get());
  std::vector<float> a(3000, 1.0f), w(3, 2.0f);
  const Buffer ab = wrap(context.get(), a, {1000, 3}), wb = wrap(context.get(), w, {3});
  for (const char* backend : kBackends) {
    const Program program = compile(graph.get(), backend);
    CHECK(run(program.get(), {ab.get(), wb.get()}).size() == 1);
    CHECK(threads() == before);
  }
}

TEST_CASE("C1: threads share a context, programs and buffers") {
  const Context context = make_context();
  std::vector<std::thread> threads;
  std::vector<int> correct(4, 0);
  const Graph shared = affine_graph(context.get());
  for (size_t t = 0; t < correct.size(); ++t)
    threads.emplace_back([&, t] {
      std::vector<float> a(30, static_cast<float>(t)), w = {1, 2, 3};
      for (int round = 0; round < 20; ++round) {
        harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
        options.backend = round % 2 == 0 ? "interp" : "c";
        const Program program(harp_compile(shared.get(), &options, nullptr));
        const int64_t a_dims[] = {10, 3}, w_dims[] = {3};
        const Buffer ab(harp_buffer_wrap(context.get(), HARP_F32, 2, a_dims, a.data(), nullptr, nullptr, nullptr));
        const Buffer wb(harp_buffer_wrap(context.get(), HARP_F32, 1, w_dims, w.data(), nullptr, nullptr, nullptr));
        harp_buffer* const inputs[] = {ab.get(), wb.get()};
        harp_buffer* out = nullptr;
        if (harp_program_run(program.get(), 2, inputs, 1, &out, nullptr, nullptr) != HARP_OK) continue;
        const float expected = std::tanh(static_cast<float>(t) * 3 + 0.5f);
        correct[t] += std::abs(static_cast<const float*>(harp_buffer_const_data(out))[2] - expected) < 1e-6f;
        harp_buffer_release(out);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(correct == std::vector<int>(4, 20));
}
