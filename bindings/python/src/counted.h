// Defines references to counted objects. Only the thread that holds Python's interpreter lock touches the objects of a trace, so counts are
// plain numbers.
#pragma once

#include <cstdint>
#include <utility>

namespace harp_python {

struct Counted {
  uint32_t references = 0;
};

/// Owns one reference. `dispose(T*)`, found by argument-dependent lookup, frees an object without references.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) ++object_->references;
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && --object_->references == 0) dispose(object_);
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives up the reference without freeing the object, even if it was the last reference.
  T* release() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace harp_python
