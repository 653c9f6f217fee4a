// An allocator for the values of lazy tensors: a program creates and frees dozens of them in each step. Each thread keeps a free list for
// each block size. Part of harp.hpp.
#ifndef HARP_BLOCKS_HPP
#define HARP_BLOCKS_HPP

#include <harp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

// Under a sanitizer there are no free lists: every value is a separate allocation, so that a use after free is detected.
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

/// Free lists of blocks, one for each of a few sizes. A block may be freed by another thread than the one that allocated it.
class Blocks {
 public:
  static constexpr uint32_t kSizes = 5, kMost = 512;  // number of lists; maximum number of blocks in a list

  /// Allocates `bytes`. `size` is the index of the list for blocks of this size; an index >= kSizes means that there is no list.
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

  /// The number of free blocks in this thread's lists.
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
  /// Frees the lists when the thread ends. Blocks that static objects free after that go to operator delete.
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

  // Not inline: gcc 12 otherwise warns that a block taken from a list was not allocated by operator new.
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
