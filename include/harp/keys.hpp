// Cache keys: lists of 64-bit words, their hash, and interned records. The process has one record for each key. Part of harp.hpp.
#ifndef HARP_KEYS_HPP
#define HARP_KEYS_HPP

#include <harp/apply.hpp>

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {
namespace detail {

inline uint64_t hash_words(const uint64_t* words, size_t count) {
  uint64_t hash = count * UINT64_C(0x9E3779B97F4A7C15);
  for (size_t i = 0; i < count; ++i) {
    hash = (hash ^ words[i]) * UINT64_C(0xD6E8FEB86659FD93);
    hash ^= hash >> 32;
  }
  return hash;
}

template <class T>
uint64_t word_of(const T* pointer) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
}

/// A list of words to which parts of a key are added; it is kept on the stack.
class Words {
 public:
  void add(uint64_t word) {
    if (size_ < kRoom)
      room_[size_] = word;
    else
      spill(word);
    ++size_;
  }
  size_t size() const { return size_; }
  const uint64_t* data() const { return size_ <= kRoom ? room_ : more_.data(); }

  /// The graph that owns the symbolic sizes in the key; NULL if the key contains none.
  harp_graph* graph() const { return graph_; }
  void add_graph(harp_graph* graph) {
    if (graph != nullptr) graph_ = graph;
  }

 private:
  static constexpr size_t kRoom = 40;
  void spill(uint64_t word) {
    if (more_.empty()) more_.assign(room_, room_ + kRoom);
    more_.push_back(word);
  }

  size_t size_ = 0;
  harp_graph* graph_ = nullptr;
  uint64_t room_[kRoom];
  std::vector<uint64_t> more_;
};

/// Adds the attributes of an operation to a key: `op.attributes(AttributeWords{words})`.
struct AttributeWords {
  Words& words;

  template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
  void operator()(T value) const {
    words.add(static_cast<uint64_t>(value));
  }
  void operator()(double value) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    words.add(bits);
  }
  void operator()(const Dim& dim) const {
    words.add_graph(dim.graph());
    (*this)(dim.get());
  }
  template <class T, class From>
  void operator()(const List<T, From>& list) const {
    words.add_graph(list.graph());
    words.add(list.given() ? static_cast<uint64_t>(list.count()) : UINT64_MAX);
    for (int32_t i = 0; i < list.count(); ++i) (*this)(list[i]);
  }
  void operator()(const Text& text) const {
    words.add(text.given() ? text.string().size() : UINT64_MAX);
    for (size_t at = 0; at < text.string().size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, text.string().data() + at, text.string().size() - at < sizeof word ? text.string().size() - at : sizeof word);
      words.add(word);
    }
  }
  void operator()(const PoolOptions& options) const {
    (*this)(options.stride), (*this)(options.padding), (*this)(options.dilation);
    (*this)(options.ceil_mode), (*this)(options.count_include_pad);
  }
};

/// The base of interned records: the process keeps one for each key until it ends, so two records are equal if and only if their addresses
/// are.
struct Record {
  uint64_t hash = 0;
  std::vector<uint64_t> key;
  bool has(const uint64_t* words, size_t count) const {
    return key.size() == count && std::memcmp(key.data(), words, count * sizeof(uint64_t)) == 0;
  }
};

/// The table of interned records of type T. Looking up a record that this thread has used recently takes no lock.
template <class T>
class Records {
 public:
  static const T* find(const uint64_t* words, size_t count, uint64_t hash) {
    const T*& recent = recent_[hash % kRecent];
    if (recent != nullptr && recent->hash == hash && recent->has(words, count)) return recent;
    Table& all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto [begin, end] = all.records.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->has(words, count)) return recent = it->second.get();
    return nullptr;
  }
  /// Adds a record, or returns the equal one that another thread has added.
  static const T* add(std::unique_ptr<T> record, const uint64_t* words, size_t count, uint64_t hash) {
    record->hash = hash;
    record->key.assign(words, words + count);
    Table& all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto [begin, end] = all.records.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->has(words, count)) return it->second.get();
    return all.records.emplace(hash, std::move(record))->second.get();
  }

 private:
  struct Table {
    std::mutex mutex;
    std::unordered_multimap<uint64_t, std::unique_ptr<T>> records;
  };
  static Table& table() {
    static Table* all = new Table;  // never freed: other static objects may use it while the process ends
    return *all;
  }
  static constexpr size_t kRecent = 512;
  static inline thread_local const T* recent_[kRecent] = {};
};

/// Dtype and sizes of an array, and the number of its device.
struct Type : Record {
  DType dtype = DType::unknown;
  int32_t rank = 0;
  int32_t device = 0;     // Session::device_number
  bool symbolic = false;  // true if any size is symbolic; `elements` and `bytes` are then 0
  int64_t elements = 1;
  size_t bytes = 0;
  int64_t dims[HARP_MAX_RANK] = {};
};

/// The interned type of an array. `owner` is the id of the session that the symbolic sizes belong to, because handles of symbolic sizes are
/// unique only within a session.
inline const Type* type_of(DType dtype, const int64_t* dims, int32_t rank, uint64_t owner = 0, int32_t device = 0) {
  uint64_t words[HARP_MAX_RANK + 2];
  words[0] = static_cast<uint64_t>(raw(dtype)) | static_cast<uint64_t>(device) << 32;
  bool symbolic = false;
  for (int32_t i = 0; i < rank; ++i) {
    words[i + 1] = static_cast<uint64_t>(dims[i]);
    symbolic = symbolic || is_symbolic(dims[i]);
  }
  size_t count = static_cast<size_t>(rank) + 1;
  if (symbolic) words[count++] = owner;
  const uint64_t hash = hash_words(words, count);
  if (const Type* known = Records<Type>::find(words, count, hash)) return known;
  auto type = std::make_unique<Type>();
  type->dtype = dtype;
  type->rank = rank;
  type->device = device;
  type->symbolic = symbolic;
  for (int32_t i = 0; i < rank; ++i) {
    type->dims[i] = dims[i];
    type->elements *= symbolic ? 0 : dims[i];
  }
  type->bytes = static_cast<size_t>(type->elements) * size_of(dtype);
  return Records<Type>::add(std::move(type), words, count, hash);
}

/// The type for sizes that a caller has given. NULL after an error, whose message begins with `what`.
inline const Type* checked_type(const char* what, DType dtype, const Sizes& dims, int32_t device = 0) {
  if (dims.count() > HARP_MAX_RANK) {
    raise({HARP_ERROR_SHAPE,
           std::string(what) + ": rank " + std::to_string(dims.count()) + ", expected at most " + std::to_string(HARP_MAX_RANK)});
    return nullptr;
  }
  int64_t total = static_cast<int64_t>(size_of(dtype));
  for (int32_t i = 0; i < dims.count(); ++i) {
    if (is_symbolic(dims[i])) {
      raise({HARP_ERROR_INVALID_ARGUMENT, std::string(what) + ": an array of the shape " + shape_text(dims.data(), dims.count()) +
                                              " cannot be made before its symbolic sizes are known"});
      return nullptr;
    }
    const bool overflows = dims[i] > 0 && total > INT64_MAX / dims[i];
    if (dims[i] < 0 || overflows) {
      raise({dims[i] < 0 ? HARP_ERROR_RANGE : HARP_ERROR_OVERFLOW, std::string(what) + ": an array of the shape " +
                                                                       shape_text(dims.data(), dims.count()) +
                                                                       (dims[i] < 0 ? " has a negative size" : " does not fit 64 bits")});
      return nullptr;
    }
    if (dims[i] > 0) total *= dims[i];
  }
  return type_of(dtype, dims.data(), dims.count(), 0, device);
}

}  // namespace detail
}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_KEYS_HPP
