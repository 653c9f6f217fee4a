#include "capi/compiled_program.h"

namespace harp::capi {

namespace {

std::vector<ArrayText> texts_of(const std::vector<ArraySignature>& arrays) {
  std::vector<ArrayText> texts;
  for (const ArraySignature& array : arrays) {
    ArrayText& text = texts.emplace_back(ArrayText{to_string(array.shape), {}});
    for (const Dim& dim : array.shape) text.dims.push_back(dim.is_constant() ? dim.constant() : -1);
  }
  return texts;
}

}  // namespace

CompiledProgram::CompiledProgram(std::shared_ptr<const Signature> signature, std::unique_ptr<Executable> executable, const HostHooks& hooks,
                                 Placement placement)
    : program(std::move(signature), std::move(executable), hooks, std::move(placement)),
      inputs(texts_of(program.signature().inputs)),
      outputs(texts_of(program.signature().outputs)) {}

std::shared_ptr<const CompiledProgram> ProgramCache::find(const Digest& key) {
  const std::lock_guard guard(mutex_);
  const auto found = index_.find(key);
  std::shared_ptr<const CompiledProgram> program = found != index_.end() ? found->second->program.lock() : nullptr;
  if (program == nullptr) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  ++hits_;
  return program;
}

void ProgramCache::insert(const Digest& key, std::shared_ptr<const CompiledProgram> program) {
  // Declared before the lock, so that the dropped program is destroyed after the lock is released: its destruction may unload a library.
  std::shared_ptr<const CompiledProgram> dropped;
  const std::lock_guard guard(mutex_);
  const bool is_kept = program->stats.constant_bytes <= kMaxConstantBytes;
  if (const auto found = index_.find(key); found != index_.end()) {
    if (found->second->program.expired()) *found->second = {key, program, is_kept ? program : nullptr};
    return;
  }
  order_.push_front({key, program, is_kept ? program : nullptr});
  index_.emplace(key, order_.begin());
  if (order_.size() <= kEntries) return;
  dropped = std::move(order_.back().kept);
  index_.erase(order_.back().key);
  order_.pop_back();
}

void ProgramCache::remove(const Digest& key) {
  std::list<Entry> dropped;
  const std::lock_guard guard(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  dropped.splice(dropped.begin(), order_, found->second);
  index_.erase(found);
}

void ProgramCache::clear() {
  std::list<Entry> dropped;
  const std::lock_guard guard(mutex_);
  dropped.swap(order_);
  index_.clear();
}

uint64_t ProgramCache::hits() const {
  const std::lock_guard guard(mutex_);
  return hits_;
}

}  // namespace harp::capi
