// Tests of the launch plan as a data structure: its text, the plans that verify() rejects, and which of several index faults is reported.
#include "run/cuda/plan.h"

#include <doctest/doctest.h>

#include <cstring>

#include "base/error.h"
#include "base/reciprocal.h"
#include "base/symbolic.h"

using namespace harp;
using namespace harp::cuda;

namespace {

/// A plan with one step of each kind, over the shape variable n.
Plan small_plan(SymTable& syms) {
  const Sym n = syms.variable("n", 0, 1 << 20), processors = syms.loop("processors", 1, 1024), each = syms.loop("each", 1, 64);
  const Sym variables[] = {n, processors, each};
  const auto code = [&](Sym size) { return SizeCode(size, variables); };
  Plan plan;
  plan.name = "small";
  plan.shape_variables = {"n"};
  plan.inputs = {"x"};
  plan.outputs = {"y"};
  plan.kernels = {{"kernel_0", {128, 1, 1}}};
  plan.constants = {std::make_shared<const std::vector<std::byte>>(std::vector<std::byte>(12))};
  plan.arena = code(n * 4 + 64);
  plan.records = code(n * 4);
  plan.sites = 1;
  plan.addresses = {nullptr, nullptr};
  Launch launch;
  launch.kernel = 0;
  launch.guard = code(n - 2);
  launch.grid = {code(min(ceil_div(n, 128), processors * each)), code(1), code(1)};
  launch.arguments = {Location{Location::Base::kInput, 0, {}}, Location{Location::Base::kArena, 0, code(64)}, code(n),
                      Reciprocal{code(n + 1)}};
  HostCall call;
  call.name = "solve";
  call.function = 0;
  call.elements = code(n);
  call.arguments.push_back({.kind = HostCall::Argument::kArray,
                            .dtype = DType::kF32,
                            .array = {Location::Base::kOutput, 0, {}},
                            .bytes = code(n * 4),
                            .written = true});
  call.arguments.push_back({.kind = HostCall::Argument::kSize, .dtype = DType::kI32, .size = code(n)});
  call.arguments.push_back({.kind = HostCall::Argument::kNumber, .dtype = DType::kF64, .number = scalar_from_double(DType::kF64, 0.5)});
  call.arguments.push_back({.kind = HostCall::Argument::kAddress, .address = 1});
  plan.steps = {{launch, {}}, {Join{}, {0}}, {call, {1}}};
  return plan;
}

IndexRecord record_of(uint64_t element, int64_t index, int64_t size) {
  IndexRecord record{};
  for (int part = 0; part < IndexRecord::kParts; ++part)
    record.keys[part] = element << 16 | (static_cast<uint64_t>(index) >> (16 * part) & 0xffff);
  record.size = size;
  return record;
}

}  // namespace

TEST_CASE("C1: the text of a launch plan") {
  SymTable syms;
  const Plan plan = small_plan(syms);
  verify(plan);
  CHECK(print(plan) == R"(plan "small"
shape0 n
input0 x
output0 y
constant0 12 bytes
arena 64 + n*4 bytes
records 1 at arena + n*4
kernel kernel_0 block [128, 1, 1]
step 0: launch kernel_0 grid [min(processors*blocks_per_processor, floor_div(127 + n, 128)), 1, 1] if -2 + n >= 0 (input0, arena + 64, n, reciprocal(1 + n))
step 1 after 0: join
step 2 after 1: call "solve" for n elements (write output0 of n*4 bytes, i32 n, f64 0.5, address 1)
)");
}

TEST_CASE("C1: sizes of a launch plan read the shape variables and the device") {
  SymTable syms;
  const Plan plan = small_plan(syms);
  const auto& launch = std::get<Launch>(plan.steps[0].what);
  const int64_t sizes[] = {100000};
  CHECK(plan.arena.evaluate(plan.values(sizes, 1, 1)) == 400064);
  CHECK(launch.grid[0].evaluate(plan.values(sizes, 132, 16)) == 782);
  CHECK(launch.grid[0].evaluate(plan.values(sizes, 4, 2)) == 8);
  CHECK(bits_of(launch.arguments[2], plan.values(sizes, 1, 1)) == 100000);
  CHECK(bits_of(launch.arguments[3], plan.values(sizes, 1, 1)) == reciprocal_of(100001));
}

TEST_CASE("C1: verify() rejects launch plans that name what they do not have") {
  SymTable syms;
  const auto rejects = [&](auto change) {
    Plan plan = small_plan(syms);
    change(plan);
    CHECK_THROWS_AS(verify(plan), Error);
  };
  rejects([](Plan& plan) { plan.kernels[0].block = {32, 64, 1}; });
  rejects([](Plan& plan) { plan.kernels[0].block = {0, 1, 1}; });
  rejects([](Plan& plan) { plan.steps[1].after = {1}; });
  rejects([](Plan& plan) { std::get<Launch>(plan.steps[0].what).kernel = 1; });
  rejects([](Plan& plan) { std::get<Launch>(plan.steps[0].what).arguments[0] = Location{Location::Base::kConstant, 1, {}}; });
  rejects([](Plan& plan) { std::get<HostCall>(plan.steps[2].what).function = 2; });
  rejects([](Plan& plan) { std::get<HostCall>(plan.steps[2].what).arguments[3].address = -1; });
}

TEST_CASE("C1: the reported index fault is that of the lowest site that has one") {
  IndexRecord none;
  std::memset(&none, 0xff, sizeof none);
  CHECK_FALSE(first_fault({}));
  CHECK_FALSE(first_fault(std::vector{none, none}));
  const std::vector<IndexRecord> records = {none, record_of(70000, -3, 10), record_of(2, 12, 5)};
  CHECK(first_fault(records) == IndexFault{1, 70000, -3, 10});
  CHECK(first_fault(std::vector{record_of(0, INT64_MAX, 0)}) == IndexFault{0, 0, INT64_MAX, 0});
}
