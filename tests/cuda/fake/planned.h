// Makes launch plans of the kernels of image.cpp, and runs these plans on the fake driver without a context of harp.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/symbolic.h"
#include "cuda/fake/fake_cuda.h"
#include "graph/text.h"
#include "run/cuda/executable.h"
#include "run/cuda/module.h"
#include "run/cuda/platform.h"
#include "run/device_array.h"

namespace harp::cuda_test {

using namespace harp::cuda;

using Floats = std::vector<float>;
inline const std::vector<std::string> kKernels = {"scale", "take", "shape", "fault"};

/// A cubin for the fake driver with the kernels of image.cpp.
inline std::vector<std::byte> image(const char* name = "sm_90_13000.cubin") {
  std::ifstream file(fake_cuda::folder() + name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(!bytes.empty());
  const auto as_bytes = std::as_bytes(std::span(bytes));
  return {as_bytes.begin(), as_bytes.end()};
}

/// The GPUs of the fake driver, without a context of harp.
class Gpus {
 public:
  explicit Gpus(const fake_cuda::Driver& driver, const DeviceOptions& options = {}) : platform_(System{files_, process_}, options) {
    platform_.set_options({driver.path(), {}, {}});
  }
  const std::vector<const CudaDevice*>& all() { return platform_.devices(); }
  const CudaDevice& first() { return *all().front(); }

 private:
  RealFileSystem files_;
  RealProcess process_;
  Platform platform_;
};

/// A plan to which tests add steps, with the shape variable n, the inputs x: f32[n] and i: i64[n], and the outputs y: f32[n] and s: i64[7].
struct Planned {
  Planned() : n(syms.variable("n", 0, 1 << 30)), processors(syms.loop("processors", 1, 1024)), each(syms.loop("each", 1, 64)) {
    plan.name = "test";
    plan.shape_variables = {"n"};
    plan.inputs = {"x", "i"};
    plan.outputs = {"y", "s"};
    for (const std::string& name : kKernels) plan.kernels.push_back({name, {64, 2, 1}});
    const float factor = 3;
    const auto bytes = std::as_bytes(std::span(&factor, 1));
    plan.constants.push_back(std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
  }

  SizeCode code(Sym size) const {
    const Sym variables[] = {n, processors, each};
    return SizeCode(size, variables);
  }
  Launch launch(int kernel, std::vector<cuda::Argument> arguments, Sym blocks, Sym shared = 0) const {
    Launch made;
    made.kernel = kernel;
    made.grid = {code(blocks), code(1), code(1)};
    made.shared = code(shared);
    made.arguments = std::move(arguments);
    return made;
  }
  static Location input(int i) { return {Location::Base::kInput, i, {}}; }
  static Location output(int i) { return {Location::Base::kOutput, i, {}}; }
  static Location constant() { return {Location::Base::kConstant, 0, {}}; }
  Location arena(Sym offset) const { return {Location::Base::kArena, 0, code(offset)}; }

  /// Adds the steps of y = (x * 3 + 2) * 3 + 1: each of the two launches multiplies by 3 and adds its number of blocks (2, then 1). The
  /// intermediate result is in the arena (the memory for temporary arrays).
  void scale_twice() {
    plan.arena = code(n * 4);
    plan.steps = {{launch(0, {arena(0), input(0), constant(), code(n)}, 2), {}},
                  {Join{}, {0}},
                  {launch(0, {output(0), arena(0), constant(), code(n)}, 1), {1}}};
  }

  SymTable syms;
  Sym n, processors, each;
  Plan plan;
};

inline std::shared_ptr<const Signature> signature() {
  const std::unique_ptr<Graph> graph = parse_graph("harp 1\ngraph g(x: f32[n], i: i64[n]) { return y = x * 2.0, s = i }");
  return std::make_shared<const Signature>(signature_of(*graph));
}

/// One program on a GPU, and the arrays of its runs.
class Bench {
 public:
  Bench(Gpus& gpus, Plan plan, const CudaDevice* device = nullptr) : device_(device != nullptr ? *device : gpus.first()) {
    const auto bytes = image();
    program_ = make_executable({std::make_shared<const Plan>(std::move(plan)),
                                std::make_shared<const Module>(gpus.first(), bytes, kKernels),
                                signature(),
                                {{"take: axis 0 of \"x\"", "\"i\""}},
                                gpus.all()});
  }

  void run(const Floats& x, const std::vector<int64_t>& i, const int32_t* cancel = nullptr) {
    const DeviceArray in = array(x, DType::kF32), index = array(i, DType::kI64);
    const DeviceArray out = array(Floats(x.size()), DType::kF32), shapes = array(std::vector<int64_t>(7), DType::kI64);
    void* inputs[] = {in.data(), index.data()};
    void* outputs[] = {out.data(), shapes.data()};
    size_t n = x.size();
    harp_runtime runtime{};
    runtime.cancel = cancel;
    program_->execute(inputs, outputs, &n, runtime);
    y.resize(x.size());
    if (!y.empty()) device_.read(y.data(), out.data(), out.bytes());
    device_.read(s, shapes.data(), sizeof s);
  }
  const Executable& program() const { return *program_; }

  Floats y;
  int64_t s[7] = {};

 private:
  template <class T>
  DeviceArray array(const std::vector<T>& content, DType dtype) const {
    const auto size = static_cast<int64_t>(content.size());
    DeviceArray made = DeviceArray::allocate(device_, Allocator::standard(), dtype, {&size, 1});
    if (made.bytes() > 0) device_.write(made.data(), content.data(), made.bytes());
    return made;
  }

  const CudaDevice& device_;
  std::unique_ptr<Executable> program_;
};

/// Runs `body`. Returns the message of the error that it throws, which must have this code; "" if it throws none.
inline std::string message_of(const std::function<void()>& body, Code code) {
  try {
    body();
  } catch (const Error& error) {
    CHECK_MESSAGE(error.code == code, error.message);
    return error.message;
  }
  return "";
}

}  // namespace harp::cuda_test
