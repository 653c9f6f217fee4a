// Implements the C functions of harp.h for contexts: options, backends and the compile cache.
#include <algorithm>
#include <chrono>

#include "capi/compile_settings.h"
#include "capi/handles.h"
#include "capi/structs.h"
#include "graph/text_lexer.h"
#include "run/cuda/device.h"
#include "tune/measure.h"

using namespace harp;
using namespace harp::capi;

namespace {

constexpr int32_t kMaxCompilers = 1024, kMaxNice = 19;

HostHooks hooks_of(const harp_context_options& options) {
  HostHooks hooks;
  HARP_CHECK((options.alloc == nullptr) == (options.free == nullptr), Code::kInvalidArgument,
             "harp_context_options: alloc and free must be given together, got only ", options.alloc != nullptr ? "alloc" : "free");
  if (options.alloc != nullptr) hooks.allocator = {options.alloc, options.free, options.alloc_user};
  hooks.parallel_for = options.parallel_for;
  hooks.parallel_for_user = options.parallel_for_user;
  if (options.parallel_for != nullptr) {
    HARP_CHECK(options.width >= 1, Code::kInvalidArgument, "harp_context_options: width is ", options.width,
               ", but parallel_for needs a width of at least 1");
    hooks.width = options.width;
  }
  return hooks;
}

size_t threads_of(const harp_context_options& options) {
  HARP_CHECK(options.threads >= 0 && static_cast<size_t>(options.threads) <= ThreadPool::kMaxWorkers, Code::kInvalidArgument,
             "harp_context_options: threads is ", options.threads, ", outside 0..", ThreadPool::kMaxWorkers);
  HARP_CHECK(options.threads == 0 || options.parallel_for == nullptr, Code::kInvalidArgument,
             "harp_context_options: parallel_for and threads are both given; programs run either on the host's threads or on harp's, so "
             "give one of them");
  return static_cast<size_t>(options.threads);
}

// In builds with a sanitizer, freed memory is not kept for reuse by default: a sanitizer detects an access to freed memory, but not to
// memory that is back in harp's memory pool.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HARP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HARP_SANITIZED 1
#endif
#endif
#ifdef HARP_SANITIZED
constexpr size_t kKeptMemory = 0;
#else
constexpr size_t kKeptMemory = size_t{256} << 20;
#endif

size_t kept_memory_of(const harp_context_options& options) {
  HARP_CHECK(options.kept_memory_bytes >= HARP_KEEP_NO_MEMORY, Code::kInvalidArgument, "harp_context_options: kept_memory_bytes is ",
             options.kept_memory_bytes, ", expected a number of bytes, 0 or HARP_KEEP_NO_MEMORY");
  if (options.kept_memory_bytes == HARP_KEEP_NO_MEMORY) return 0;
  return options.kept_memory_bytes == 0 ? kKeptMemory : static_cast<size_t>(options.kept_memory_bytes);
}

Log log_of(const harp_context_options& options) {
  if (options.log == nullptr) return Log();
  HARP_CHECK(options.log_level >= HARP_LOG_TRACE && options.log_level <= HARP_LOG_ERROR, Code::kInvalidArgument,
             "harp_context_options: log_level is ", options.log_level, ", expected one of HARP_LOG_TRACE to HARP_LOG_ERROR");
  return Log(options.log, options.log_user, static_cast<LogLevel>(options.log_level));
}

ServiceOptions service_of(const harp_context_options& options) {
  ServiceOptions service;
  if (options.compiler != nullptr) service.compiler = options.compiler;
  if (options.cache_dir != nullptr) {
    service.cache.directory = options.cache_dir;
    service.cache.enabled = !service.cache.directory.empty();
  }
  if (options.cache_max_bytes != 0) service.cache.limits.bytes = options.cache_max_bytes;
  if (options.cache_max_entries != 0) service.cache.limits.entries = options.cache_max_entries;
  service.cache.shared = options.cache_shared != 0;
  HARP_CHECK(options.compile_timeout_ms >= 0, Code::kInvalidArgument, "harp_context_options: compile_timeout_ms is ",
             options.compile_timeout_ms, ", expected at least 0");
  constexpr int64_t kLongest = int64_t{1000} * 60 * 60 * 24;  // one day; longer timeouts could overflow when added to a time point
  if (options.compile_timeout_ms != 0) service.timeout = std::chrono::milliseconds(std::min(options.compile_timeout_ms, kLongest));
  HARP_CHECK(options.compilers >= 0 && options.compilers <= kMaxCompilers, Code::kInvalidArgument, "harp_context_options: compilers is ",
             options.compilers, ", outside 0..", kMaxCompilers);
  service.compilers = static_cast<size_t>(options.compilers);
  HARP_CHECK(options.compiler_nice >= 0 && options.compiler_nice <= kMaxNice, Code::kInvalidArgument,
             "harp_context_options: compiler_nice is ", options.compiler_nice, ", outside 0..", kMaxNice);
  service.compiler_nice = options.compiler_nice;
  return service;
}

/// Checks the GPU options as far as possible without the driver. Other mistakes are reported when a GPU is first used.
cuda::DeviceOptions gpus_of(const harp_cuda_options* options) {
  const harp_cuda_options given = read_options(options, HARP_CUDA_OPTIONS_INIT, "harp_cuda_options");
  HARP_CHECK((given.alloc == nullptr) == (given.free == nullptr), Code::kInvalidArgument,
             "harp_cuda_options: alloc and free must be given together, got only ", given.alloc != nullptr ? "alloc" : "free");
  HARP_CHECK(given.stream == nullptr || given.context != nullptr, Code::kInvalidArgument,
             "harp_cuda_options: stream is given, but not the context that it belongs to");
  HARP_CHECK(reinterpret_cast<uintptr_t>(given.stream) != cuda::kStreamPerThread, Code::kInvalidArgument,
             "harp_cuda_options: stream is CU_STREAM_PER_THREAD, which is another stream on each thread");
  cuda::DeviceOptions gpus;
  gpus.context = static_cast<cuda::ContextHandle>(given.context);
  gpus.stream = static_cast<cuda::StreamHandle>(given.stream);
  gpus.allocate = given.alloc;
  gpus.release = given.free;
  gpus.user = given.alloc_user;
  if (given.max_kept_bytes != 0) gpus.max_kept_bytes = given.max_kept_bytes;
  return gpus;
}

}  // namespace

harp_context* harp_context_new(const harp_context_options* options, harp_error** err) {
  return guard(err, [&] {
    const harp_context_options given =
        read_options(options, HARP_CONTEXT_OPTIONS_INIT, "harp_context_options", offsetof(harp_context_options, native_ops));
    HARP_CHECK(given.reserved == 0, Code::kInvalidArgument, "harp_context_options: reserved is ", given.reserved, ", expected 0");
    const std::string dump = given.dump != nullptr ? given.dump : RealProcess().environment("HARP_DUMP").value_or("");
    HARP_CHECK(given.native_ops == HARP_NATIVE_OPS_ON || given.native_ops == HARP_NATIVE_OPS_OFF, Code::kInvalidArgument,
               "harp_context_options: native_ops is ", given.native_ops, ", expected HARP_NATIVE_OPS_ON or HARP_NATIVE_OPS_OFF");
    HARP_CHECK(given.reserved2 == 0, Code::kInvalidArgument, "harp_context_options: reserved2 is ", given.reserved2, ", expected 0");
    auto context = std::make_unique<harp_context>(hooks_of(given), kept_memory_of(given), threads_of(given), log_of(given),
                                                  service_of(given), dump, gpus_of(given.cuda));
    if (given.dump != nullptr) check_stages(context->backends, dump, "harp_context_options");
    context->native_ops = given.native_ops == HARP_NATIVE_OPS_ON;
    return context.release();
  });
}

harp_string* harp_context_backends(harp_context* context, harp_error** err) {
  return guard(err, [&] { return new harp_string{cat(required(context, "harp_context_backends", "context").backends.names("\n"), "\n")}; });
}

int32_t harp_backend_available(harp_context* context, const char* name) {
  if (context == nullptr || name == nullptr) return 0;
  bool is_available = false;
  guard_status(nullptr, [&] {
    const auto inside = context->fork_guard.enter("harp_backend_available");
    const Backend* backend = context->backends.find(name);
    is_available = backend != nullptr && backend->available(context->resources()).why_not.empty();
  });
  return is_available ? 1 : 0;
}

harp_string* harp_context_describe(harp_context* context, harp_error** err) {
  return guard(err, [&] {
    CompileService& service = required(context, "harp_context_describe", "context").service;
    const auto inside = context->fork_guard.enter("harp_context_describe");
    std::vector<std::string_view> available;
    std::string facts;
    for (const Backend* backend : context->backends.rows()) {
      const Availability found = backend->available(context->resources());
      if (found.why_not.empty()) available.push_back(backend->name);
      append(facts, found.facts);
    }
    std::string text = cat("version: ", harp_version_string(), "\nhost: ", host_triple(), "\ntarget: ", context->host.name,
                           "\nbackends: ", join(available, ", "), "\n", facts);
    const std::string directory = service.cache().directory();
    append(text, directory.empty() ? cat("cache: disabled: ", service.cache().why_off(), "\n") : cat("cache: ", directory, "\n"));
    const std::optional<tune::Measurement> measurement = context->measured.known();
    append(text, measurement ? cat("measured: yes\n", print_numbers(*measurement)) : "measured: no (see harp info --measure)\n");
    return new harp_string{std::move(text)};
  });
}

harp_status harp_context_measure(harp_context* context, harp_error** err) {
  return guard_status(err, [&] {
    CompileService& service = required(context, "harp_context_measure", "context").service;
    const auto inside = context->fork_guard.enter("harp_context_measure");
    const std::string why_not = context->measured.store(tune::measure(context->system, service, context->hooks, context->host));
    if (!why_not.empty()) context->log.warning("the measurements count for this context only: ", why_not);
  });
}

harp_string* harp_cache_dir(harp_context* context, harp_error** err) {
  return guard(err, [&] {
    CompileCache& cache = required(context, "harp_cache_dir", "context").service.cache();
    const auto inside = context->fork_guard.enter("harp_cache_dir");
    return new harp_string{cache.directory()};
  });
}

harp_status harp_cache_clear(harp_context* context, harp_error** err) {
  return guard_status(err, [&] {
    CompileService& service = required(context, "harp_cache_clear", "context").service;
    const auto inside = context->fork_guard.enter("harp_cache_clear");
    HARP_CHECK(service.clear(), Code::kIo, "harp_cache_clear: some entries of the cache ", service.cache().directory(),
               " could not be removed");
    context->programs.clear();
    context->service.loader().drop_unused();
  });
}

harp_string* harp_cache_list(harp_context* context, harp_error** err) {
  return guard(err, [&] {
    CompileCache& cache = required(context, "harp_cache_list", "context").service.cache();
    const auto inside = context->fork_guard.enter("harp_cache_list");
    const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::string lines;
    for (const CacheEntryInfo& entry : cache.list())
      append(lines, cat(entry.name, "\t", entry.bytes, "\t", std::max<int64_t>(0, (now - entry.used_ns) / 1'000'000'000), "\t",
                        text::printable(entry.manifest.target), "\t", text::printable(entry.manifest.compiler), "\t",
                        text::printable(entry.manifest.signature), "\n"));
    return new harp_string{std::move(lines)};
  });
}

harp_status harp_cache_stats(harp_context* context, harp_cache_stats_info* stats, harp_error** err) {
  return guard_status(err, [&] {
    CompileService& service = required(context, "harp_cache_stats", "context").service;
    const auto inside = context->fork_guard.enter("harp_cache_stats");
    const CacheStats stored = service.cache().stats();
    const ServiceStats done = service.stats();
    harp_cache_stats_info info = HARP_CACHE_STATS_INFO_INIT;
    info.entries = stored.entries;
    info.bytes = stored.bytes;
    info.memory_hits = done.memory_hits + context->programs.hits();
    info.disk_hits = done.disk_hits;
    info.misses = done.compiled;
    write_info(stats, info, "harp_cache_stats");
  });
}

uint32_t harp_version(void) { return HARP_VERSION_MAJOR * 1000000u + HARP_VERSION_MINOR * 1000u + HARP_VERSION_PATCH; }

#define HARP_STRING_OF_(x) #x
#define HARP_STRING_OF(x) HARP_STRING_OF_(x)
const char* harp_version_string(void) {
  return HARP_STRING_OF(HARP_VERSION_MAJOR) "." HARP_STRING_OF(HARP_VERSION_MINOR) "." HARP_STRING_OF(HARP_VERSION_PATCH);
}

size_t harp_dtype_size(harp_dtype dtype) { return dtype > 0 && dtype < kDTypeCount && kDTypes[dtype].in_graph ? kDTypes[dtype].size : 0; }

const char* harp_dtype_name(harp_dtype dtype) {
  // The name is a string literal, so it ends with a zero byte.
  return dtype > 0 && dtype < kDTypeCount && kDTypes[dtype].in_graph ? kDTypes[dtype].name.data() : nullptr;
}

harp_status harp_memory_trim(harp_context* context, uint64_t max_bytes, harp_error** err) {
  return guard_status(err, [&] {
    std::optional<MemoryPool>& memory = required(context, "harp_memory_trim", "context").memory;
    if (memory) memory->trim(static_cast<size_t>(max_bytes));
  });
}

harp_status harp_memory_stats(harp_context* context, harp_memory_stats_info* stats, harp_error** err) {
  return guard_status(err, [&] {
    const std::optional<MemoryPool>& memory = required(context, "harp_memory_stats", "context").memory;
    const MemoryPool::Stats counts = memory ? memory->stats() : MemoryPool::Stats();
    harp_memory_stats_info info = HARP_MEMORY_STATS_INFO_INIT;
    info.kept_bytes = counts.kept;
    info.limit_bytes = memory ? memory->limit() : 0;
    info.reused = counts.reused;
    info.allocated = counts.allocated;
    write_info(stats, info, "harp_memory_stats");
  });
}
