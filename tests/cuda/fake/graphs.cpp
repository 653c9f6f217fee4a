// Implements the fake driver's graphs: they are made node by node or by capturing a stream, instantiated, and launched as work on a stream.
#include <algorithm>
#include <map>
#include <utility>

#include "cuda/fake/state.h"

using namespace fake;

GraphMemory::~GraphMemory() {
  for (const CUdeviceptr address : addresses) release_now(address);
}

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNodeParameters {
  Kernel* function;
  unsigned grid[3], block[3], shared;
  void** parameters;
  void** extra;
  Kernel* kernel;
  Context* context;
};

CUresult make_launch(const KernelNodeParameters& given, std::function<CUresult()>& run) {
  if (state.kernels.count(given.function) == 0) return kInvalidHandle;
  if (given.extra != nullptr || given.kernel != nullptr || given.context != nullptr) return kNotSupported;
  LaunchShape shape{};
  std::copy(given.grid, given.grid + 3, shape.grid);
  std::copy(given.block, given.block + 3, shape.block);
  shape.shared = given.shared;
  return make_launch(given.function, shape, given.parameters, run);
}

CUresult add_node(Node** made, Graph* graph, Node* const* after, size_t n_after, std::function<CUresult()> run, Kernel* kernel) {
  const auto is_of_graph = [&](const Node* node) {
    return std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const auto& owned) { return owned.get() == node; });
  };
  if (!std::all_of(after, after + n_after, is_of_graph)) return kInvalidValue;
  *made = graph->nodes.emplace_back(std::make_unique<Node>(Node{{after, after + n_after}, std::move(run), kernel})).get();
  return kSuccess;
}

/// Runs the steps of a graph, each after the steps on which it depends. Of the steps that are ready, the first one in the list runs next
/// or, with bit 4 of the order (fake_cuda_set_order), the last one.
CUresult run_steps(const std::vector<ExecutableGraph::Step>& steps) {
  std::vector<bool> is_done(steps.size());
  const auto is_ready = [&](size_t i) {
    return !is_done[i] && std::all_of(steps[i].after.begin(), steps[i].after.end(), [&](size_t before) { return is_done[before]; });
  };
  for (size_t left = steps.size(); left > 0; --left) {
    size_t next = 0;
    if (state.order & 16)
      for (next = steps.size() - 1; !is_ready(next);) --next;
    else
      while (!is_ready(next)) ++next;
    is_done[next] = true;
    if (!steps[next].run) continue;
    if (const CUresult status = steps[next].run(); status != kSuccess) return status;
  }
  return kSuccess;
}

}  // namespace

EXPORTED CUresult cuGraphCreate(Graph** graph, unsigned flags) {
  ENTER("cuGraphCreate");
  if (flags != 0) return kInvalidValue;
  *graph = *state.graphs.insert(new Graph).first;
  return kSuccess;
}

EXPORTED CUresult cuGraphDestroy(Graph* graph) {
  const Call call("cuGraphDestroy");
  if (state.graphs.erase(graph) == 0) return kInvalidHandle;
  for (ExecutableGraph* made : state.executable_graphs)
    if (made->source == graph) made->source = nullptr;
  delete graph;
  return call.status();
}

EXPORTED CUresult cuGraphAddKernelNode_v2(Node** node, Graph* graph, Node* const* after, size_t n_after,
                                          const KernelNodeParameters* parameters) {
  ENTER_WITH_CONTEXT("cuGraphAddKernelNode");
  if (state.graphs.count(graph) == 0) return kInvalidHandle;
  std::function<CUresult()> run;
  if (const CUresult status = make_launch(*parameters, run); status != kSuccess) return status;
  return add_node(node, graph, after, n_after, std::move(run), parameters->function);
}

EXPORTED CUresult cuGraphAddEmptyNode(Node** node, Graph* graph, Node* const* after, size_t n_after) {
  ENTER("cuGraphAddEmptyNode");
  if (state.graphs.count(graph) == 0) return kInvalidHandle;
  return add_node(node, graph, after, n_after, nullptr, nullptr);
}

EXPORTED CUresult cuGraphInstantiateWithFlags(ExecutableGraph** made, Graph* graph, unsigned long long flags) {
  ENTER_WITH_CONTEXT("cuGraphInstantiateWithFlags");
  if (state.graphs.count(graph) == 0) return kInvalidHandle;
  if (flags != 0) return kInvalidValue;
  std::map<const Node*, size_t> number;
  auto* const executable = new ExecutableGraph{current.back(), graph, {}, graph->memory};
  for (const auto& node : graph->nodes) {
    number[node.get()] = executable->steps.size();
    ExecutableGraph::Step& step = executable->steps.emplace_back(ExecutableGraph::Step{node.get(), {}, node->run, node->kernel});
    for (const Node* before : node->after) step.after.push_back(number[before]);
  }
  state.executable_graphs.insert(executable);
  *made = executable;
  return kSuccess;
}

/// Changes the parameters of future launches. Launches that are already enqueued on a stream keep the old parameters.
EXPORTED CUresult cuGraphExecKernelNodeSetParams_v2(ExecutableGraph* graph, Node* node, const KernelNodeParameters* parameters) {
  ENTER_WITH_CONTEXT("cuGraphExecKernelNodeSetParams");
  if (state.executable_graphs.count(graph) == 0) return kInvalidHandle;
  if (graph->source == nullptr) {
    mistake("a node is named whose graph is destroyed");
    return kInvalidValue;
  }
  const auto step = std::find_if(graph->steps.begin(), graph->steps.end(), [&](const auto& one) { return one.node == node; });
  if (step == graph->steps.end() || step->kernel != parameters->function) return kInvalidValue;
  return make_launch(*parameters, step->run);
}

EXPORTED CUresult cuGraphLaunch(ExecutableGraph* graph, Stream* handle) {
  ENTER_WITH_CONTEXT("cuGraphLaunch");
  Stream* const stream = usable(handle);
  if (state.executable_graphs.count(graph) == 0 || stream == nullptr || graph->context != stream->context) return kInvalidHandle;
  if (stream->capture != nullptr) return break_capture(*stream, "the launch of a graph");
  const auto kernels = std::count_if(graph->steps.begin(), graph->steps.end(), [](const auto& step) { return step.kernel != nullptr; });
  stream->launches += static_cast<int>(kernels);
  return enqueue(*stream, [stream, kernels, steps = graph->steps, memory = graph->memory] {
    stream->launches -= static_cast<int>(kernels);
    return run_steps(steps);
  });
}

/// Destroys an executable graph. Launches that are already on a stream still run.
EXPORTED CUresult cuGraphExecDestroy(ExecutableGraph* graph) {
  const Call call("cuGraphExecDestroy");
  if (state.executable_graphs.erase(graph) == 0) return kInvalidHandle;
  delete graph;
  return call.status();
}

// ---- Capture

EXPORTED CUresult cuStreamBeginCapture_v2(Stream* handle, int mode) {
  ENTER_WITH_CONTEXT("cuStreamBeginCapture");
  if (reinterpret_cast<uintptr_t>(handle) <= 1) return kCaptureUnsupported;
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (stream->capture != nullptr) return kInvalidValue;
  stream->capture = *state.graphs.insert(new Graph).first;
  stream->captured = nullptr;
  stream->is_capture_global = mode == 0;
  stream->is_capture_invalid = false;
  return kSuccess;
}

EXPORTED CUresult cuStreamEndCapture(Stream* handle, Graph** graph) {
  ENTER_WITH_CONTEXT("cuStreamEndCapture");
  Stream* const stream = usable(handle);
  if (stream == nullptr) return kInvalidHandle;
  if (stream->capture == nullptr) return kInvalidValue;
  *graph = std::exchange(stream->capture, nullptr);
  if (!std::exchange(stream->is_capture_invalid, false)) return kSuccess;
  state.graphs.erase(*graph);
  delete std::exchange(*graph, nullptr);
  return kCaptureInvalidated;
}

/// The default stream cannot be captured. Returns an error for the default stream while another stream is captured, because work on the
/// default stream would wait for the captured stream.
EXPORTED CUresult cuStreamIsCapturing(Stream* handle, int* status) {
  ENTER_WITH_CONTEXT("cuStreamIsCapturing");
  Stream* const stream = known(handle);
  if (stream == nullptr) return kInvalidHandle;
  *status = stream->capture == nullptr ? 0 : stream->is_capture_invalid ? 2 : 1;
  const bool is_default = reinterpret_cast<uintptr_t>(handle) <= 1;
  const bool any = std::any_of(state.streams.begin(), state.streams.end(), [](const Stream* one) { return one->capture != nullptr; });
  return is_default && any ? kCaptureImplicit : kSuccess;
}

std::vector<Row> fake::graph_functions() {
  return {
      ROW("cuGraphCreate", 10000, cuGraphCreate),
      ROW("cuGraphDestroy", 10000, cuGraphDestroy),
      ROW("cuGraphAddKernelNode", 12000, cuGraphAddKernelNode_v2),
      ROW("cuGraphAddEmptyNode", 10000, cuGraphAddEmptyNode),
      ROW("cuGraphInstantiateWithFlags", 11040, cuGraphInstantiateWithFlags),
      ROW("cuGraphExecKernelNodeSetParams", 12000, cuGraphExecKernelNodeSetParams_v2),
      ROW("cuGraphLaunch", 10000, cuGraphLaunch),
      ROW("cuGraphExecDestroy", 10000, cuGraphExecDestroy),
      ROW("cuStreamBeginCapture", 10010, cuStreamBeginCapture_v2),
      ROW("cuStreamEndCapture", 10000, cuStreamEndCapture),
      ROW("cuStreamIsCapturing", 10000, cuStreamIsCapturing),
  };
}
