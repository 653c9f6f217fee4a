#include "context.h"

#include <Python.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "errors.h"

namespace harp_python {

namespace {

struct State {
  Settings settings;
  harp_context* context = nullptr;
  harp_graph* symbols = nullptr;
  std::mutex symbols_lock;
  std::optional<bool> has_compiler;
};

State& state() {  // never destroyed: tensors may outlive static objects
  static auto* state = new State;
  return *state;
}

int cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::clamp(CPU_COUNT(&set), 1, 1024);
}

constexpr uint32_t kFlags = HARP_GRAPH_BROADCAST | HARP_GRAPH_PROMOTE_MIXED;

}  // namespace

harp_context* context() {
  State& s = state();
  if (s.context == nullptr) {
    harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
    options.threads = workers();
    if (s.settings.has_cache_dir) options.cache_dir = s.settings.cache_dir.c_str();
    if (s.settings.has_compiler) options.compiler = s.settings.compiler.c_str();
    s.context = harp_context_new(&options, Check());
  }
  return s.context;
}

void configure(Settings settings) {
  State& s = state();
  if (s.symbols != nullptr)
    throw Failure(HARP_ERROR_INVALID_ARGUMENT,
                  "configure() must be called before the first symbolic size is made: such sizes keep the settings of their context");
  s.settings = std::move(settings);
  harp_context_release(s.context);
  s.context = nullptr;
  s.has_compiler.reset();
}

int workers() { return state().settings.threads != 0 ? state().settings.threads : cpus(); }

bool has_compiler() {
  State& s = state();
  if (!s.has_compiler) s.has_compiler = harp_backend_available(context(), "c") != 0;
  return *s.has_compiler;
}

SymbolicGraph::SymbolicGraph() : lock_(state().symbols_lock, std::try_to_lock) {
  if (!lock_.owns_lock()) {
    PyThreadState* python = PyEval_SaveThread();
    lock_.lock();
    PyEval_RestoreThread(python);
  }
  if (state().symbols == nullptr) state().symbols = harp_graph_new(context(), kFlags, Check());
}

SymbolicGraph::~SymbolicGraph() { harp_graph_drop_unreachable(state().symbols, 0, nullptr, nullptr); }

harp_graph* SymbolicGraph::get() const { return state().symbols; }

PlainGraph::PlainGraph() : graph_(harp_graph_new(context(), kFlags, Check())) {}

}  // namespace harp_python
