#include "capi/handles.h"

#include "base/revision.h"
#include "run/cuda/platform.h"

using namespace harp;

harp_context::harp_context(const HostHooks& host, size_t kept_memory, size_t threads, const Log& log, ServiceOptions options,
                           std::string dump, const cuda::DeviceOptions& gpus)
    : hooks(host),
      log(log),
      dump(std::move(dump)),
      compiler(options.compiler),
      service(system, std::move(options), log),
      tuning(system, service.cache(), log, cat(harp_version_string(), " law ", kLawRevision), this->host),
      measured(system, service.cache(), log, this->host),
      cuda(std::make_unique<cuda::Platform>(system, gpus)) {
  if (kept_memory > 0) hooks.allocator.pool = &memory.emplace(hooks.allocator, kept_memory);
  if (threads <= 1) return;
  pool.emplace(threads, log);
  hooks.parallel_for = &ThreadPool::parallel_for;
  hooks.parallel_for_user = &*pool;
  hooks.width = threads;
}

harp_context::~harp_context() { programs.clear(); }

harp_node* harp_graph::wrap(const Node* node) {
  if (node->id >= by_id_.size()) by_id_.resize(graph->nodes().size(), nullptr);
  harp_node*& handle = by_id_[node->id];
  if (handle != nullptr) return handle;
  if (free_.empty()) {
    // There is always memory to free all handles, because roll_back() must not fail.
    if (free_.capacity() <= nodes_.size()) free_.reserve(2 * nodes_.size() + 1);
    free_.push_back(&nodes_.emplace_back());
  }
  handle = free_.back();
  free_.pop_back();
  *handle = {this, node};
  return handle;
}

void harp_graph::roll_back(size_t count) noexcept {
  for (size_t id = count; id < by_id_.size(); ++id)
    if (by_id_[id] != nullptr) free_.push_back(by_id_[id]);
  if (by_id_.size() > count) by_id_.resize(count);
  graph->roll_back(count);
}

void harp_graph::keep_only(std::span<const Node* const> kept) {
  std::vector<const Node*> moved;
  std::unique_ptr<Graph> compacted = graph->compacted(kept, moved);
  std::vector<harp_node*> by_id(compacted->nodes().size(), nullptr);
  free_.reserve(nodes_.size());  // The memory is reserved here, because nothing may fail after this line.
  for (size_t id = 0; id < by_id_.size(); ++id) {
    harp_node* handle = by_id_[id];
    if (handle == nullptr) continue;
    handle->node = moved[id];
    if (moved[id] != nullptr)
      by_id[moved[id]->id] = handle;
    else
      free_.push_back(handle);
  }
  by_id_.swap(by_id);
  graph.swap(compacted);
}

void harp_graph::mark(harp_error* first_error) noexcept {
  if (error == nullptr)
    error = first_error;
  else
    harp_error_release(first_error);
}

harp_context* harp_context_retain(harp_context* context) { return capi::retain(context); }
void harp_context_release(harp_context* context) { capi::release(context); }
harp_graph* harp_graph_retain(harp_graph* graph) { return capi::retain(graph); }
void harp_graph_release(harp_graph* graph) { capi::release(graph); }
harp_program* harp_program_retain(harp_program* program) { return capi::retain(program); }
void harp_program_release(harp_program* program) { capi::release(program); }
harp_buffer* harp_buffer_retain(harp_buffer* buffer) { return capi::retain(buffer); }
void harp_buffer_release(harp_buffer* buffer) { capi::release(buffer); }

const char* harp_string_data(const harp_string* string) { return string != nullptr ? string->text.c_str() : ""; }
size_t harp_string_size(const harp_string* string) { return string != nullptr ? string->text.size() : 0; }
void harp_string_release(harp_string* string) { delete string; }
