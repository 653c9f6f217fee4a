// Defines the cache of artifacts in memory, which is searched before the disk cache: a map of limited size that evicts the least recently
// used entry. Programs share ownership of their artifacts, so evicting an artifact does not affect them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compile/artifact.h"

namespace harp {

struct MemoryLimits {
  uint64_t bytes = uint64_t{64} << 20;
  uint64_t entries = 1024;
};

/// A map from keys to artifacts that evicts the least recently used artifact if it exceeds its limits. Thread-safe.
class MemoryCache {
 public:
  explicit MemoryCache(MemoryLimits limits) : limits_(limits) {}

  std::shared_ptr<const Artifact> find(const Digest& key) {
    const std::lock_guard guard(mutex_);
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second);
    return *at->second;
  }

  void insert(std::shared_ptr<const Artifact> artifact) {
    const std::lock_guard guard(mutex_);
    erase(artifact->key());
    bytes_ += artifact->file().size();
    order_.push_front(std::move(artifact));
    index_[order_.front()->key()] = order_.begin();
    while (!order_.empty() && (bytes_ > limits_.bytes || order_.size() > limits_.entries)) erase(order_.back()->key());
  }

  void remove(const Digest& key) {
    const std::lock_guard guard(mutex_);
    erase(key);
  }

  void clear() {
    const std::lock_guard guard(mutex_);
    index_.clear();
    order_.clear();
    bytes_ = 0;
  }

 private:
  using Order = std::list<std::shared_ptr<const Artifact>>;  // the most recently used artifact comes first

  // The key is passed by value, because a reference could refer to the key inside the artifact that is destroyed.
  void erase(const Digest key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return;
    bytes_ -= (*at->second)->file().size();
    order_.erase(at->second);
    index_.erase(at);
  }

  MemoryLimits limits_;
  std::mutex mutex_;
  Order order_;
  std::unordered_map<Digest, Order::iterator> index_;
  uint64_t bytes_ = 0;
};

}  // namespace harp
