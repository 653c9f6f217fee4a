// Tests arrays in host memory that are passed to programs on a GPU, with the fake driver. Such an array is an error unless the run option
// HARP_RUN_STAGE is set. With the option, harp copies the arrays to the GPU and back, or reports an error. Arrays on a GPU other than that
// of the run are treated in the same way.
#include <doctest/doctest.h>

#include <set>

#include "cuda/fake/context.h"

using namespace capi_test;

namespace {

using Floats = std::vector<float>;

constexpr const char* kText = "harp 1\ngraph g(x: f32[n], b: f32[n]) { return y = x * b + 1.0, s = sum(b, axes=[0]) }";

Program compile_for_gpu(harp_context* context, harp_error** err, const char* text = kText, bool check_indices = false) {
  const Graph graph = parse(context, text);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "cuda";
  options.check_indices = check_indices ? 1 : 0;
  return Program(harp_compile(graph.get(), &options, err));
}

harp_run_options staged() {
  harp_run_options options = HARP_RUN_OPTIONS_INIT;
  options.flags = HARP_RUN_STAGE;
  return options;
}

Floats content_of(const harp_buffer* buffer) {
  Floats content(harp_buffer_size(buffer) / sizeof(float));
  CHECK(harp_buffer_read(buffer, harp_buffer_size(buffer), content.data(), nullptr) == HARP_OK);
  return content;
}

Buffer on_gpu(harp_context* context, const char* device, const Floats& content) {
  const auto size = static_cast<int64_t>(content.size());
  Buffer buffer(harp_buffer_new(context, device, HARP_F32, 1, &size, nullptr));
  REQUIRE(buffer != nullptr);
  REQUIRE(harp_buffer_write(buffer.get(), content.size() * sizeof(float), content.data(), nullptr) == HARP_OK);
  return buffer;
}

}  // namespace

TEST_CASE("H5.stage: host arrays for a GPU are an error that names the flag, and copied with it") {
  const fake_cuda::Driver driver;
  driver.set_machine(2);
  {
    const Context context = fake_cuda::make_context(driver);
    ErrorSlot compiling;
    const Program program = compile_for_gpu(context.get(), compiling);
    REQUIRE_MESSAGE(program != nullptr, compiling.message());
    Floats x = {1, 2, 3}, b = {2, 2, 4}, y = {-1, -1, -1};
    float s = -1;
    const int64_t size = 3;
    const harp_const_array in[] = {{x.data(), &size, HARP_F32, 1}, {b.data(), &size, HARP_F32, 1}};
    const harp_array out[] = {{y.data(), &size, HARP_F32, 1}, {&s, nullptr, HARP_F32, 0}};
    ErrorSlot refused;
    CHECK(harp_program_call(program.get(), 2, in, 2, out, nullptr, refused) == HARP_ERROR_DEVICE);
    CHECK(refused.message() ==
          "input \"x\" is on the device cpu, which programs of the backend cuda cannot use; expected one of: cuda:0, cuda:1; with the run "
          "option HARP_RUN_STAGE such arrays are copied");
    CHECK(y == Floats{-1, -1, -1});
    const harp_run_options options = staged();
    ErrorSlot err;
    CHECK_MESSAGE(harp_program_call(program.get(), 2, in, 2, out, &options, err) == HARP_OK, err.message());
    CHECK(y == Floats{3, 5, 13});
    CHECK(s == 8);

    // Arrays on several devices: the run is on the GPU of the first array that is on a GPU, and new outputs are there, too.
    const Buffer bx = wrap(context.get(), x, {3}), bb = wrap(context.get(), b, {3});
    const Buffer far = on_gpu(context.get(), "cuda:1", {1, 1, 1}), near = on_gpu(context.get(), "cuda:0", {5, 6, 7});
    const auto run_on = [&](harp_buffer* first, harp_buffer* second, harp_buffer* given, const char* device, const Floats& expected) {
      harp_buffer* inputs[] = {first, second};
      harp_buffer* outputs[] = {given, nullptr};
      ErrorSlot why;
      CHECK_MESSAGE(harp_program_run(program.get(), 2, inputs, 2, outputs, &options, why) == HARP_OK, why.message());
      const Buffer made(given == nullptr ? outputs[0] : nullptr), sum(outputs[1]);
      CHECK(std::string(harp_buffer_device(sum.get())) == device);
      CHECK(content_of(outputs[0]) == expected);
    };
    run_on(bx.get(), bb.get(), nullptr, "cuda:0", {3, 5, 13});
    run_on(bx.get(), far.get(), nullptr, "cuda:1", {2, 3, 4});
    run_on(far.get(), near.get(), nullptr, "cuda:1", {6, 7, 8});
    run_on(bx.get(), bb.get(), far.get(), "cuda:1", {3, 5, 13});
    run_on(near.get(), bb.get(), far.get(), "cuda:0", {11, 13, 29});
    run_on(bx.get(), bb.get(), bx.get(), "cuda:0", {3, 5, 13});  // the output overwrites the input in host memory
    CHECK(x == Floats{3, 5, 13});

    // Without the flag, arrays on two GPUs are an error as well. Arrays that overlap are an error even with the flag.
    harp_buffer* inputs[] = {near.get(), far.get()};
    harp_buffer* outputs[] = {nullptr, nullptr};
    ErrorSlot two;
    CHECK(harp_program_run(program.get(), 2, inputs, 2, outputs, nullptr, two) == HARP_ERROR_DEVICE);
    CHECK(
        two.message() ==
        "input \"b\" is on the device cuda:1, and the arrays before it on cuda:0; all arrays of a run must be on one device; with the run "
        "option HARP_RUN_STAGE such arrays are copied");
    const harp_array overlapping[] = {{y.data(), &size, HARP_F32, 1}, {y.data(), nullptr, HARP_F32, 0}};
    CHECK(harp_program_call(program.get(), 2, in, 2, overlapping, &options, nullptr) == HARP_ERROR_ALIAS);

    harp_run_options wrong = staged();
    wrong.flags = 6;
    ErrorSlot flags;
    CHECK(harp_program_call(program.get(), 2, in, 2, out, &wrong, flags) == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(flags.message() == "harp_run_options: flags is 6, expected 0 or HARP_RUN_STAGE");
    wrong = staged();
    wrong.reserved = 1;
    CHECK(harp_program_call(program.get(), 2, in, 2, out, &wrong, nullptr) == HARP_ERROR_INVALID_ARGUMENT);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}

TEST_CASE("H5.stage: empty arrays and an index out of range") {
  const fake_cuda::Driver driver;
  {
    const Context context = fake_cuda::make_context(driver);
    ErrorSlot err;
    const Program program = compile_for_gpu(context.get(), err, "harp 1\ngraph g(x: f32[n], i: i32[k]) { return y = take(x, i) }", true);
    REQUIRE_MESSAGE(program != nullptr, err.message());
    Floats x = {5, 6}, y = {0};
    int32_t index = 1;
    const int64_t two = 2, one = 1, none = 0;
    const harp_run_options options = staged();
    const auto call = [&](const int64_t& count, harp_error** why) {
      const harp_const_array in[] = {{x.data(), &two, HARP_F32, 1}, {&index, &count, HARP_I32, 1}};
      const harp_array out[] = {{y.data(), &count, HARP_F32, 1}};
      return harp_program_call(program.get(), 2, in, 1, out, &options, why);
    };
    CHECK(call(none, err) == HARP_OK);
    CHECK(y == Floats{0});
    CHECK(call(one, err) == HARP_OK);
    CHECK(y == Floats{6});
    index = 2;
    ErrorSlot fault;
    CHECK(call(one, fault) == HARP_ERROR_RANGE);
    index = 0;
    CHECK(call(one, err) == HARP_OK);
    CHECK(y == Floats{5});
  }
  CHECK(driver.live() == "");
}

TEST_CASE("H5.stage: every function of the driver fails once during a staged run, and nothing is lost") {
  const fake_cuda::Driver driver;
  const std::set<std::string> also_release = {"cuCtxPopCurrent", "cuMemFreeAsync", "cuCtxPushCurrent", "cuStreamSynchronize"};
  {
    const Context context = fake_cuda::make_context(driver);
    ErrorSlot compiling;
    const Program program = compile_for_gpu(context.get(), compiling);
    REQUIRE_MESSAGE(program != nullptr, compiling.message());
    Floats x = {1, 2, 3}, b = {2, 2, 4}, y(3);
    float s = 0;
    const int64_t size = 3;
    const harp_const_array in[] = {{x.data(), &size, HARP_F32, 1}, {b.data(), &size, HARP_F32, 1}};
    const harp_array out[] = {{y.data(), &size, HARP_F32, 1}, {&s, nullptr, HARP_F32, 0}};
    const harp_run_options options = staged();
    const auto call = [&](harp_error** err) { return harp_program_call(program.get(), 2, in, 2, out, &options, err); };
    const auto check_calls = [&] {  // makes three runs; the repeated runs use a CUDA graph that harp makes of the launches
      for (int i = 0; i < 3; ++i) {
        y.assign(3, -1), s = -1;
        CHECK(call(nullptr) == HARP_OK);
        CHECK(y == Floats{3, 5, 13});
        CHECK(s == 8);
      }
    };
    check_calls();
    const std::string live = driver.live();
    size_t points = 0;
    for (const std::string& function : driver.functions())
      for (int nth = 1; nth <= 20; ++nth) {
        CAPTURE(function);
        CAPTURE(nth);
        const int before = driver.calls(function);
        driver.fail(function, nth, 999);
        ErrorSlot err;
        const harp_status status = call(err);
        driver.fail(function, 0, 0);
        // The runs called this function fewer than `nth` times, so by now every one of its calls has been made to fail once.
        if (driver.calls(function) < before + nth) break;
        ++points;
        const bool is_graph = function.find("cuGraph") == 0;  // if a CUDA graph cannot be made or launched, the run succeeds without it
        if (status == HARP_OK)
          CHECK_MESSAGE((is_graph || also_release.count(function) == 1), "no error");
        else
          CHECK_MESSAGE(err.message().find(function) != std::string::npos, err.message());
        check_calls();
        CHECK(driver.live() == live);
      }
    CHECK(points > 20);
  }
  CHECK(driver.live() == "");
  CHECK(driver.mistakes() == "");
}
