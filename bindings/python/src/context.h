// Owns the single harp_context of the process, and the single graph to which symbolic sizes belong.
#pragma once

#include <harp.h>

#include <mutex>
#include <string>

namespace harp_python {

/// Returns the context, which the first call makes from the settings of configure() and the environment.
harp_context* context();
/// The settings from which context() makes the context. configure() changes them for the next context; existing programs keep theirs.
/// configure() throws once a symbolic size has been made, because all symbolic sizes belong to one context.
struct Settings {
  int threads = 0;  // 0: one thread for each CPU that the process may use
  std::string cache_dir, compiler;
  bool has_cache_dir = false, has_compiler = false;
};
void configure(Settings settings);
/// Returns the number of threads that run programs.
int workers();
/// Tests whether the backend "c" can be used.
bool has_compiler();

/// Gives a thread exclusive access to the graph of symbolic sizes. The handles of symbolic sizes are valid in this graph only, so types
/// with such sizes are inferred in it, and programs with symbolic sizes are built in it. The thread keeps Python's lock, except while it
/// waits for the graph or compiles.
class SymbolicGraph {
 public:
  SymbolicGraph();
  ~SymbolicGraph();  // removes all nodes from the graph; its symbolic sizes stay valid
  SymbolicGraph(const SymbolicGraph&) = delete;
  SymbolicGraph& operator=(const SymbolicGraph&) = delete;
  harp_graph* get() const;

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Owns a new harp graph in which all sizes are plain numbers.
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
