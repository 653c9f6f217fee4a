// The one harp_context of the process, and the one graph that symbolic sizes belong to.
#pragma once

#include <harp.h>

#include <mutex>
#include <string>

namespace harp_python {

/// Made by the first call, from the settings of configure() and the environment.
harp_context* context();
/// What context() will be like; programs that are there already keep theirs. Symbolic sizes belong to one context: once there is one,
/// configure() fails.
struct Settings {
  int threads = 0;  // 0: one a CPU that the process may use
  std::string cache_dir, compiler;
  bool has_cache_dir = false, has_compiler = false;
};
void configure(Settings settings);
/// Threads that programs run on.
int workers();
/// Whether the backend "c" can be used.
bool has_compiler();

/// The graph of symbolic sizes: their handles mean something in it alone, so types with such sizes are inferred in it, and programs with
/// symbolic sizes built in it. One thread at a time has it; it holds Python's lock, which it gives up only while it waits or compiles.
class SymbolicGraph {
 public:
  SymbolicGraph();
  ~SymbolicGraph();  // drops the nodes that were made
  SymbolicGraph(const SymbolicGraph&) = delete;
  SymbolicGraph& operator=(const SymbolicGraph&) = delete;
  harp_graph* get() const;

 private:
  std::unique_lock<std::mutex> lock_;
};

/// A graph of one's own, for sizes that are numbers.
class PlainGraph {
 public:
  PlainGraph();
  ~PlainGraph() { harp_graph_release(graph_); }
  PlainGraph(const PlainGraph&) = delete;
  PlainGraph& operator=(const PlainGraph&) = delete;
  harp_graph* get() const { return graph_; }

 private:
  harp_graph* graph_ = nullptr;
};

}  // namespace harp_python
