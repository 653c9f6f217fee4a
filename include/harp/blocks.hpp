// Memory of the values that lazy tensors are made of, which come and go by the dozen in each step of a program: each thread keeps the
// blocks that are given back to it. Part of harp.hpp.
#ifndef HARP_BLOCKS_HPP
#define HARP_BLOCKS_HPP

#include <harp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

// Under a sanitizer every value is an allocation of its own, so that it finds what is used after it was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HARP_CPP_KEEPS_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HARP_CPP_KEEPS_BLOCKS 0
#endif
#endif
#ifndef HARP_CPP_KEEPS_BLOCKS
#define HARP_CPP_KEEPS_BLOCKS 1
#endif

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

/// Blocks of a few sizes, in lists of those that are free. A block may be given back by another thread than the one that took it.
class Blocks {
 public:
  static constexpr uint32_t kSizes = 5, kMost = 512;  // lists, and blocks in each

  /// A block of `bytes`, which goes with `size`: the number of a list, or more than there are lists.
  static void* take(uint32_t size, size_t bytes) {
    if (HARP_CPP_KEEPS_BLOCKS != 0 && size < kSizes) {
      List& list = lists_[size];
      if (Free* block = list.first; block != nullptr) {
        list.first = block->next;
        --list.count;
        return block;
      }
    }
    return ::operator new(bytes);
  }

  static void give(uint32_t size, void* block) {
    if (HARP_CPP_KEEPS_BLOCKS != 0 && size < kSizes && lists_[size].count < kMost && !has_ended_) {
      static thread_local const AtEnd at_end;
      static_cast<void>(at_end);
      List& list = lists_[size];
      list.first = new (block) Free{list.first};
      ++list.count;
      return;
    }
    free(block);
  }

  /// Free blocks that this thread keeps.
  static size_t kept() {
    size_t count = 0;
    for (const List& list : lists_) count += list.count;
    return count;
  }

 private:
  struct Free {
    Free* next;
  };
  struct List {
    Free* first;
    uint32_t count;
  };
  /// Frees what the thread keeps when it ends. Static objects that give blocks back later free them.
  struct AtEnd {
    AtEnd() = default;
    ~AtEnd() {
      has_ended_ = true;
      for (List& list : lists_) {
        while (list.first != nullptr) {
          Free* next = list.first->next;
          free(list.first);
          list.first = next;
        }
        list.count = 0;
      }
    }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
  };

  // Not inline: gcc 12 takes a block that it sees coming out of a list for memory that was not allocated.
#if defined(__GNUC__)
  [[gnu::noinline]]
#endif
  static void
  free(void* block) {
    ::operator delete(block);
  }

  static inline thread_local List lists_[kSizes] = {};
  static inline thread_local bool has_ended_ = false;
};

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_BLOCKS_HPP
