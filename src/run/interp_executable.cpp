// Implements the executable of the backend "interp", which evaluates a graph node by node.
#include "interp/interpreter.h"
#include "run/closure_executable.h"
#include "run/stack_array.h"

namespace harp {

namespace {

class InterpExecutable final : public ClosureExecutable {
 public:
  explicit InterpExecutable(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)), variables_(graph_->dims().variables().size()) {}

  void execute(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime& runtime) const override {
    StackArray<int64_t, 16> values(variables_);
    for (size_t i = 0; i < variables_; ++i) values[i] = static_cast<int64_t>(shape_vars[i]);
    const std::span<void*const> in(inputs, graph_->inputs().size()), out(outputs, graph_->outputs().size());
    StackArray<const void*, 16> sources(in.size());
    for (size_t i = 0; i < in.size(); ++i) sources[i] = in[i];
    interpret(*graph_, sources.span(), out, values.span(), runtime.cancel);
  }
  int64_t workspace_bytes(std::span<const int64_t>, size_t) const override { return 0; }

 private:
  std::shared_ptr<const Graph> graph_;
  size_t variables_;
};

}  // namespace

std::unique_ptr<Executable> make_interp_executable(std::shared_ptr<const Graph> graph) {
  return std::make_unique<InterpExecutable>(std::move(graph));
}

}  // namespace harp
