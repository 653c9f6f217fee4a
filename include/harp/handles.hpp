// Handles of the C++ interface: Context, Graph, Node, Program, Buffer. Part of harp.hpp.
//
// Each handle owns one reference to the object of the same name in harp.h and releases it. Copies share the object. The thread rules of
// harp.h apply. get() returns the C handle, for functions that have no wrapper.
#ifndef HARP_HANDLES_HPP
#define HARP_HANDLES_HPP

#include <harp.h>
#include <harp/error.hpp>
#include <harp/values.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace harp {
inline namespace HARP_CPP_NAMESPACE {

/// The options of harp.h with their defaults: `ContextOptions options; options.threads = 4;`
struct ContextOptions : harp_context_options {
  ContextOptions() : harp_context_options(HARP_CONTEXT_OPTIONS_INIT) {}
};
struct CompileOptions : harp_compile_options {
  CompileOptions() : harp_compile_options(HARP_COMPILE_OPTIONS_INIT) {}
};
struct RunOptions : harp_run_options {
  RunOptions() : harp_run_options(HARP_RUN_OPTIONS_INIT) {}
};

namespace detail {

template <class T>
struct Resource;
#define HARP_CPP_RESOURCE(type)                                       \
  template <>                                                         \
  struct Resource<harp_##type> {                                      \
    static void retain(harp_##type* p) { harp_##type##_retain(p); }   \
    static void release(harp_##type* p) { harp_##type##_release(p); } \
  }
HARP_CPP_RESOURCE(graph);
HARP_CPP_RESOURCE(program);
HARP_CPP_RESOURCE(buffer);
#undef HARP_CPP_RESOURCE

/// One counted reference.
template <class T>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* owned) : pointer_(owned) {}
  Handle(const Handle& other) : pointer_(other.pointer_) {
    if (pointer_ != nullptr) Resource<T>::retain(pointer_);
  }
  Handle(Handle&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Handle() {
    if (pointer_ != nullptr) Resource<T>::release(pointer_);
  }

  T* get() const { return pointer_; }
  T* release() { return std::exchange(pointer_, nullptr); }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  T* pointer_ = nullptr;
};

/// Converts text that harp made to a std::string; raises the error that `err` holds.
inline std::string take_string(harp_string* string, Out& err) {
  std::string text;
  if (string != nullptr) text.assign(harp_string_data(string), harp_string_size(string));
  harp_string_release(string);
  err.raised();
  return text;
}

/// Data that a part of the C++ interface keeps for a context, until the context's last handle is destroyed.
struct Attachment {
  Attachment() = default;
  virtual ~Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
};

/// Locked while a graph of symbolic sizes is used. Each context has one such graph, and any thread may trace functions with it.
inline std::mutex& symbols_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// A context and what the C++ interface caches for it: compiled expressions, and the programs of tensors. Reference counted.
struct Session {
  std::atomic<uint32_t> references{1};
  harp_context* context = nullptr;
  uint64_t id = 0;   // never reused for another session, because caches identify a session by its id
  size_t width = 1;  // threads that a run may use
  std::mutex mutex;  // protects the attachments
  std::unique_ptr<Attachment> tensors, expressions;
  harp_graph* symbols = nullptr;  // the graph of the symbolic sizes of tensors; guarded by symbols_mutex()
  std::string device;             // the device of this session's fields, such as "cuda:0"; empty: the host's memory
  int32_t device_number = 0;      // the number of this device in Type::device: 0 is the host's memory, 1 is cuda:0
  harp_buffer* anchor = nullptr;  // a small array on the device: harp's functions that synchronise with CUDA streams need a buffer there

  /// The name of the device; NULL for the host's memory.
  const char* device_name() const { return device.empty() ? nullptr : device.c_str(); }

  ~Session() {
    tensors.reset();
    expressions.reset();
    harp_graph_release(symbols);
    harp_buffer_release(anchor);
    harp_context_release(context);
  }
};

inline uint64_t next_session_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

template <>
struct Resource<Session> {
  static void retain(Session* session) { session->references.fetch_add(1, std::memory_order_relaxed); }
  static void release(Session* session) {
    if (session != nullptr && session->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete session;
  }
};

}  // namespace detail

/// The root object: the host's hooks, the compile cache, and the C compilers that were found. An empty context converts to false.
class Context {
 public:
  Context() = default;
  Context(const ContextOptions& options) {  // NOLINT(google-explicit-constructor)
    detail::Out err;
    harp_context* context = harp_context_new(&options, err);
    if (err.raised()) return;
    const size_t threads = options.parallel_for != nullptr ? options.width : static_cast<size_t>(options.threads > 1 ? options.threads : 1);
    adopt(context, threads);
  }
  /// Takes ownership of a context of the C interface. Its runs may use `width` threads.
  Context(harp_context* owned, size_t width) { adopt(owned, width); }

  harp_context* get() const { return session_ ? session_.get()->context : nullptr; }
  explicit operator bool() const { return static_cast<bool>(session_); }
  friend bool operator==(const Context& a, const Context& b) { return a.session_.get() == b.session_.get(); }
  friend bool operator!=(const Context& a, const Context& b) { return !(a == b); }

  /// Returns this context for arrays on a device, such as "cuda:0". Fields that are made with the returned context are on that device, and
  /// their expressions run there. If the device does not exist, an error gives the reason. Call this once and keep the result: the programs
  /// compiled for one returned context are not shared with another.
  Context on(const char* device) const {
    detail::Out err;
    const int64_t one = 1;
    harp_buffer* anchor = harp_buffer_new(get(), device, HARP_F32, 1, &one, err);
    if (err.raised()) return {};
    const std::string name = harp_buffer_device(anchor);
    const size_t colon = name.find(':');
    Context context(harp_context_retain(get()), session_.get()->width);
    if (colon == std::string::npos) {  // the device is the host's memory
      harp_buffer_release(anchor);
      return context;
    }
    detail::Session* session = context.session_.get();
    session->anchor = anchor;
    session->device = name;
    session->device_number = 1 + std::atoi(name.c_str() + colon + 1);
    return context;
  }
  /// The name of the device that fields of this context are on: "cpu" is the host's memory.
  const char* device() const { return session_ && session_.get()->device_number != 0 ? session_.get()->device_name() : "cpu"; }

  bool has_backend(const char* name) const { return harp_backend_available(get(), name) == 1; }
  std::string describe() const {
    detail::Out err;
    return detail::take_string(harp_context_describe(get(), err), err);
  }
  void clear_cache() const {
    detail::Out err;
    harp_cache_clear(get(), err);
    err.raised();
  }

  /// The session, for the other headers of harp.hpp.
  detail::Session* session() const { return session_.get(); }

  explicit Context(detail::Session* owned) : session_(owned) {}

 private:
  void adopt(harp_context* owned, size_t width) {
    if (owned == nullptr) return;
    auto* session = new detail::Session;
    session->context = owned;
    session->id = detail::next_session_id();
    session->width = width;
    session_ = detail::Handle<detail::Session>(session);
  }

  detail::Handle<detail::Session> session_;
};

/// The default context of tensors and fields. It is made on first use, with default options and one thread, and is never destroyed.
inline const Context& default_context() {
  static const Context& context = *new Context{ContextOptions()};  // never freed: CUDA's driver may end before this file's static objects
  return context;
}

/// An input or output array of a program: contiguous, row-major, in the host's memory or on the device of its context. Copies share the
/// array.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(harp_buffer* owned) : handle_(owned) {}
  /// New memory, aligned to 64 bytes; its content is unspecified.
  Buffer(const Context& context, DType dtype, const Sizes& dims) {
    detail::Out err;
    const char* device = context ? context.session()->device_name() : nullptr;
    handle_ = detail::Handle<harp_buffer>(harp_buffer_new(context.get(), device, raw(dtype), dims.count(), dims.data(), err));
    err.raised();
  }
  /// Wraps the host's memory without a copy. The memory must stay valid until the buffer is destroyed. A buffer of const memory is
  /// read-only.
  template <class T>
  static Buffer wrap(const Context& context, T* data, const Sizes& dims) {
    detail::Out err;
    const int32_t rank = dims.count();
    harp_buffer* buffer = nullptr;
    if constexpr (std::is_const_v<T>)
      buffer = harp_buffer_wrap_const(context.get(), raw(dtype_of<T>), rank, dims.data(), data, nullptr, nullptr, err);
    else
      buffer = harp_buffer_wrap(context.get(), raw(dtype_of<T>), rank, dims.data(), data, nullptr, nullptr, err);
    return err.raised() ? Buffer() : Buffer(buffer);
  }
  static Buffer load_npy(const Context& context, const char* path) {
    detail::Out err;
    harp_buffer* buffer = harp_npy_load(context.get(), path, err);
    return err.raised() ? Buffer() : Buffer(buffer);
  }
  void save_npy(const char* path) const {
    detail::Out err;
    harp_npy_save(get(), path, err);
    err.raised();
  }
  /// Takes ownership of the array and calls its deleter when the buffer is destroyed. On failure the caller still owns the array.
  static Buffer from_dlpack(const Context& context, harp_dl_managed_versioned* managed) {
    detail::Out err;
    harp_buffer* buffer = harp_buffer_from_dlpack_versioned(context.get(), managed, err);
    return err.raised() ? Buffer() : Buffer(buffer);
  }
  /// The caller owns the result and calls its deleter.
  harp_dl_managed_versioned* to_dlpack() const {
    detail::Out err;
    harp_dl_managed_versioned* managed = harp_buffer_to_dlpack_versioned(get(), err);
    return err.raised() ? nullptr : managed;
  }

  harp_buffer* get() const { return handle_.get(); }
  harp_buffer* release() { return handle_.release(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

  DType dtype() const { return static_cast<DType>(harp_buffer_dtype(get())); }
  int32_t rank() const { return harp_buffer_rank(get()); }
  Span<const int64_t> dims() const { return {harp_buffer_dims(get()), static_cast<size_t>(rank())}; }
  size_t bytes() const { return harp_buffer_size(get()); }
  /// Returns the elements. If they are not of type T or not in the host's memory, raises an error and returns an empty span.
  template <class T>
  Span<T> span() const {
    if (dtype() != dtype_of<T>) {
      detail::raise({HARP_ERROR_DTYPE, std::string("the buffer has elements of ") + name_of(dtype()) + ", not of " + name_of(dtype_of<T>)});
      return {};
    }
    const void* data = std::is_const_v<T> ? harp_buffer_const_data(get()) : harp_buffer_data(get());
    if (data == nullptr && harp_buffer_address(get()) != 0 && harp_buffer_const_data(get()) == nullptr) {
      detail::raise({HARP_ERROR_DEVICE, std::string("the buffer is on ") + harp_buffer_device(get()) + ", not in the host's memory"});
      return {};
    }
    return {static_cast<T*>(const_cast<void*>(data)), bytes() / sizeof(T)};
  }

 private:
  detail::Handle<harp_buffer> handle_;
};

}  // namespace HARP_CPP_NAMESPACE
}  // namespace harp

#endif  // HARP_HANDLES_HPP
