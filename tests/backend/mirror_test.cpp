// A complete backend in one file, made by the steps of CONTRIBUTING.md, "Add a backend". It interprets the graph, and its arrays are on a
// device of its own. An address on that device is an address in the CPU's memory with an additional bit set, which no valid address has. So
// harp crashes if it uses the address of a device array to access the CPU's memory.
#include <doctest/doctest.h>

#include <cstring>

#include "backend/conformance.h"
#include "backend/rows.h"
#include "backend/table.h"
#include "base/error.h"
#include "capi/handles.h"

using namespace harp;

namespace {

constexpr uintptr_t kMirrored = uintptr_t{1} << 54;

void* mirrored(void* address) {
  return address == nullptr ? nullptr : reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) ^ kMirrored);
}
const void* mirrored(const void* address) { return mirrored(const_cast<void*>(address)); }

class MirrorDevice final : public Device {
 public:
  std::string_view name() const override { return "mirror"; }
  bool is_host() const override { return false; }
  Allocator allocator(const Allocator&) const override {
    return {[](void*, size_t size, size_t alignment) {
              const Allocator host = Allocator::standard();
              return mirrored(host.allocate(host.user, size, alignment));
            },
            [](void*, void* memory) {
              const Allocator host = Allocator::standard();
              host.release(host.user, mirrored(memory));
            },
            nullptr};
  }
  void read(void* to_host, const void* from, size_t bytes) const override { std::memcpy(to_host, mirrored(from), bytes); }
  void write(void* to, const void* from_host, size_t bytes) const override { std::memcpy(mirrored(to), from_host, bytes); }
  void copy(void* to, const void* from, size_t bytes) const override { std::memmove(mirrored(to), mirrored(from), bytes); }
};
constexpr MirrorDevice kMirrorDevice;

class MirrorExecutable final : public Executable {
 public:
  explicit MirrorExecutable(std::shared_ptr<const Graph> graph)
      : inputs_(graph->inputs().size()), outputs_(graph->outputs().size()), interpreter_(make_interp_executable(std::move(graph))) {}

  void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    std::vector<void*> in, out;
    for (size_t i = 0; i < inputs_; ++i) in.push_back(mirrored(inputs[i]));
    for (size_t i = 0; i < outputs_; ++i) out.push_back(mirrored(outputs[i]));
    interpreter_->execute(in.data(), out.data(), shape_vars, runtime);
  }
  harp_entry_point entry() const override { fail(Code::kUnsupported, "the backend mirror has no entry points"); }
  harp_entry_point_ex entry_ex() const override { fail(Code::kUnsupported, "the backend mirror has no entry points"); }
  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 private:
  size_t inputs_, outputs_;
  std::unique_ptr<Executable> interpreter_;
};

const Backend kMirrorBackend = {
    .name = "mirror",
    .available =
        [](const Resources&) {
          return Availability{"", "mirror: present\n"};
        },
    .machine = &cpu_machine,
    .devices = [](const Resources&) { return std::vector<const Device*>{&kMirrorDevice}; },
    .load = [](const Resources&, const Loadable& program) -> std::unique_ptr<Executable> {
      return std::make_unique<MirrorExecutable>(program.graph);
    },
};

const conformance::Subject kMirror{"mirror", &kMirrorBackend};

}  // namespace

TEST_CASE("H4.added_by_a_row: operations") { conformance::check_operations(kMirror); }
TEST_CASE("H4.added_by_a_row: programs") { conformance::check_programs(kMirror); }
TEST_CASE("H4.added_by_a_row: errors") { conformance::check_errors(kMirror); }
TEST_CASE("H4.added_by_a_row: aliases") { conformance::check_aliases(kMirror); }
TEST_CASE("H4.added_by_a_row: threads") { conformance::check_threads(kMirror); }
TEST_CASE("H4.added_by_a_row: cancelling") { conformance::check_cancelling(kMirror); }
TEST_CASE("H4.added_by_a_row: lifetimes and time limits") { conformance::check_lifetimes_and_limits(kMirror); }
TEST_CASE("H4.added_by_a_row H5.device: devices") { conformance::check_devices(kMirror); }

TEST_CASE("H4.added_by_a_row: all that names backends and devices knows a row that was added") {
  const capi_test::Context context = capi_test::make_context();
  context->backends.add(kMirrorBackend);
  CHECK_THROWS_AS(context->backends.add(kMirrorBackend), Error);
  CHECK(capi_test::take(harp_context_backends(context.get(), nullptr)) == "interp\nc\ncuda\nmirror\n");
  CHECK(harp_backend_available(context.get(), "mirror") == 1);
  const std::string description = capi_test::take(harp_context_describe(context.get(), nullptr));
  CHECK_MESSAGE(description.find(", mirror\n") != std::string::npos, description);
  CHECK_MESSAGE(description.find("\nmirror: present\n") != std::string::npos, description);

  // The backend was added to one context; other contexts do not have it.
  const capi_test::Context other = capi_test::make_context();
  CHECK(harp_backend_available(other.get(), "mirror") == 0);
  const int64_t size = 2;
  capi_test::ErrorSlot unknown;
  CHECK(harp_buffer_new(other.get(), "mirror", HARP_F32, 1, &size, unknown) == nullptr);
  const std::string expected = "harp_buffer_new: unknown device \"mirror\", expected one of: cpu";
  CHECK_MESSAGE(unknown.message().find(expected) == 0, unknown.message());

  // Other backends reject arrays on the device "mirror", and so do functions that need an address in the host's memory.
  const capi_test::Graph graph = capi_test::parse(context.get(), "harp 1\ngraph g(x: f32[2]) { return y = x * 2.0 }");
  const capi_test::Buffer there(harp_buffer_new(context.get(), "mirror", HARP_F32, 1, &size, nullptr));
  const capi_test::Program program = capi_test::compile(graph.get(), "interp");
  harp_buffer* input = there.get();
  harp_buffer* output = nullptr;
  capi_test::ErrorSlot elsewhere;
  CHECK(harp_program_run(program.get(), 1, &input, 1, &output, nullptr, elsewhere) == HARP_ERROR_DEVICE);
  CHECK(elsewhere.message() ==
        "input \"x\" is on the device mirror, which programs of the backend interp cannot use; expected one of: cpu; with the run option "
        "HARP_RUN_STAGE such arrays are copied");
  CHECK(output == nullptr);
  const capi_test::Buffer here(harp_buffer_new(context.get(), nullptr, HARP_F32, 1, &size, nullptr));
  input = here.get(), output = there.get();
  capi_test::ErrorSlot into;
  CHECK(harp_program_run(program.get(), 1, &input, 1, &output, nullptr, into) == HARP_ERROR_DEVICE);
  CHECK(into.message().find("output \"y\" is on the device mirror, which programs of the backend interp cannot use; ") == 0);

  // The backend cannot be tuned, and its programs reject arrays in the host's memory.
  harp_compile_options compile = HARP_COMPILE_OPTIONS_INIT;
  compile.backend = "mirror";
  harp_tune_options tune = HARP_TUNE_OPTIONS_INIT;
  tune.compile = &compile;
  input = there.get();
  capi_test::ErrorSlot untuned;
  CHECK(harp_tune(graph.get(), &tune, 1, &input, untuned) == nullptr);
  CHECK(untuned.message() ==
        "harp_tune: expected compile options with backend \"c\", no schedule, and tuning on; got backend \"mirror\", no schedule, and "
        "tuning on");
  const capi_test::Program mirrored_program = capi_test::compile(graph.get(), "mirror");
  const float x[2] = {1, 2};
  float y[2] = {0, 0};
  const harp_const_array in = {x, &size, HARP_F32, 1};
  const harp_array out = {y, &size, HARP_F32, 1};
  capi_test::ErrorSlot called;
  CHECK(harp_program_call(mirrored_program.get(), 1, &in, 1, &out, nullptr, called) == HARP_ERROR_DEVICE);
  const char* const refusal = "input \"x\" is on the device cpu, which programs of the backend mirror cannot use; expected one of: mirror";
  CHECK(called.message().find(refusal) == 0);
  CHECK(y[0] == 0);

  // With the flag HARP_RUN_STAGE, a run copies arrays between the devices.
  harp_run_options staged = HARP_RUN_OPTIONS_INIT;
  staged.flags = HARP_RUN_STAGE;
  capi_test::ErrorSlot err;
  CHECK_MESSAGE(harp_program_call(mirrored_program.get(), 1, &in, 1, &out, &staged, err) == HARP_OK, err.message());
  CHECK(y[1] == 4);
  CHECK(harp_buffer_write(there.get(), sizeof x, x, nullptr) == HARP_OK);
  input = there.get(), output = nullptr;
  CHECK_MESSAGE(harp_program_run(program.get(), 1, &input, 1, &output, &staged, err) == HARP_OK, err.message());
  const capi_test::Buffer made(output);
  CHECK(std::string(harp_buffer_device(made.get())) == "cpu");
  CHECK(capi_test::values<float>(made.get()) == std::vector<float>{2, 4});

  // The device has no streams.
  capi_test::ErrorSlot streams;
  CHECK(harp_buffer_wait_stream(there.get(), nullptr, streams) == HARP_ERROR_DEVICE);
  CHECK(streams.message() == "a stream was given, but the device mirror has no streams");
  CHECK(harp_buffer_signal_stream(there.get(), nullptr, nullptr) == HARP_ERROR_DEVICE);
  int stream = 0;
  harp_run_options on_stream = HARP_RUN_OPTIONS_INIT;
  on_stream.stream = &stream;
  input = there.get(), output = nullptr;
  capi_test::ErrorSlot run_streams;
  CHECK(harp_program_run(mirrored_program.get(), 1, &input, 1, &output, &on_stream, run_streams) == HARP_ERROR_DEVICE);
  CHECK(run_streams.message() == "a stream was given, but the device mirror has no streams");
  CHECK(output == nullptr);
}
