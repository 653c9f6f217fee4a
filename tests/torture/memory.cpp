// Makes one allocation, or one and all later ones, fail while a graph is parsed, optimised, scheduled, lowered and rendered. Every call
// must succeed or return HARP_ERROR_OUT_OF_MEMORY and leak nothing, and the same context must succeed afterwards.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "base/symbolic.h"
#include "harp.h"

namespace {

// --- memory ----------------------------------------------------------------------------------------------------------------------------

long left = -1;         // number of allocations that still succeed before one fails; negative: none fails
bool for_ever = false;  // true: all later allocations fail too
bool has_failed = false;
long alive = 0;

void* allocate(size_t size, size_t alignment) {
  if (left == 0) {
    has_failed = true;
    if (!for_ever) left = -1;
    return nullptr;
  }
  if (left > 0) --left;
  void* memory =
      alignment == 0 ? std::malloc(size + (size == 0)) : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  alive += memory != nullptr;
  return memory;
}

void* allocate_or_throw(size_t size, size_t alignment) {
  void* memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_back(void* memory) {
  alive -= memory != nullptr;
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return allocate_or_throw(size, 0); }
void* operator new[](size_t size) { return allocate_or_throw(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) { return allocate_or_throw(size, static_cast<size_t>(alignment)); }
void* operator new[](size_t size, std::align_val_t alignment) { return allocate_or_throw(size, static_cast<size_t>(alignment)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }

namespace {

// --- work ------------------------------------------------------------------------------------------------------------------------------

constexpr const char* kGraphs[] = {
    "stencil(u: f32[h, w]) {\n  return y = u + 0.2 * (roll(u, shift=[1], axis=[0]) + roll(u, shift=[-1], axis=[1]))\n}",
    "softmax(x: f32[n, 1024]) {\n  return y = softmax(x, axis=1)\n}",
    "attention(q: f32[2, 64, 16], k: f32[2, 16, 64], v: f32[2, 64, 16]) {\n  return y = softmax((q @ k) / 4, axis=2) @ v\n}",
    "products(a: f64[m, k], b: f64[k, n]) {\n  return y = exp(a @ b)\n}",
    "convolution(x: f32[1, 3, 12, 12], w: f32[4, 3, 3, 3]) {\n  return y = conv2d(x, w, padding=[1, 1])\n}",
    "scans(x: i32[n, 100]) {\n  return y = cumsum(x, axis=0), z = cumsum(x, axis=1)\n}",
    "sorted(x: f32[n, 16]) {\n  return y = sort(x, axis=1)\n}",
    "joined(x: f16[n], y: f16[m]) {\n  return z = concat(x, flip(y, axes=[0]), axis=0)\n}",
    "transform(x: f32[48]) {\n  return y = rfft(x)\n}",
    "taken(x: f32[100, w], at: i32[n]) {\n  return y = take(x, at, axis=0)\n}",
};
// Each of the first kAll allocations fails in a run of its own. If there are more, about kPoints of the later ones, at equal distances,
// also fail in a run of their own each.
constexpr long kAll = 300, kPoints = 400;

struct Context {
  Context() {
    harp_context_options options = HARP_CONTEXT_OPTIONS_INIT;
    options.cache_dir = "";
    handle.reset(harp_context_new(&options, nullptr));
  }
  struct Release {
    void operator()(harp_context* context) const { harp_context_release(context); }
  };
  std::unique_ptr<harp_context, Release> handle;
};

struct Result {
  harp_status status = HARP_OK;
  std::string error, source;
  std::string again;  // the source of the same graph, generated again when memory is available
  long unused = 0;    // the value of `left` after the call
};

std::string taken(harp_string* string) {
  const std::string text = string == nullptr ? std::string() : std::string(harp_string_data(string), harp_string_size(string));
  harp_string_release(string);
  return text;
}

/// Generates C from text while allocation number `fails` fails (negative: none does). Only allocations by harp are counted.
Result emit(harp_context* context, const std::string& text, long fails = -1) {
  Result result;
  harp_error* error = nullptr;
  left = fails;
  harp_graph* graph = harp_graph_parse(context, text.size(), text.c_str(), &error);
  harp_string* source = graph == nullptr ? nullptr : harp_graph_emit(graph, nullptr, "c", &error);
  result.unused = left;
  left = -1;
  result.status = error == nullptr ? HARP_OK : harp_error_code(error);
  if (error != nullptr) result.error = harp_error_message(error);
  result.source = taken(source);
  if (graph == nullptr) graph = harp_graph_parse(context, text.size(), text.c_str(), nullptr);
  result.again = taken(harp_graph_emit(graph, nullptr, "c", nullptr));
  harp_graph_release(graph);
  harp_error_release(error);
  return result;
}

/// Runs the test for one graph. Returns a description of the first failure, or "" if there is none.
std::string torture(const std::string& text, bool all_later, long& points) {
  const Context context;
  const std::string expected = emit(context.handle.get(), text).source;
  if (expected.empty()) return "no source: " + emit(context.handle.get(), text).error;
  constexpr long kMany = 1L << 40;
  const long count = kMany - emit(context.handle.get(), text, kMany).unused;
  for (long n = 0, step = 1; n < count; n += step) {
    if (n == kAll) step = std::max(1L, (count - kAll) / kPoints);
    for_ever = all_later, has_failed = false;
    const std::string place = "allocation " + std::to_string(n) + " of " + std::to_string(count) + ": ";
    const long alive_before = alive;
    {
      const Result failed = emit(context.handle.get(), text, n);
      ++points;
      if (!has_failed) return place + "was not reached";
      if (failed.status != HARP_OK && failed.status != HARP_ERROR_OUT_OF_MEMORY) return place + failed.error;
      if (failed.status == HARP_OK && failed.source != expected) return place + "another source";
      if (failed.again != expected) return place + "another source afterwards";
    }
    if (alive != alive_before) return place + std::to_string(alive - alive_before) + " allocations are left behind";
  }
  return "";
}

/// Like torture(), for the arithmetic of symbolic sizes. The expressions are in a SymTable, which must stay usable after a failed
/// allocation.
std::string torture_sizes(long& points) {
  for (long n = 0;; ++n) {
    harp::SymTable table;
    const harp::Sym rows = table.variable("n", 1, 1000);
    bool is_short = false;
    left = n, for_ever = false;
    try {
      static_cast<void>(floor_div(rows + 1, 3) * rows);
    } catch (const std::bad_alloc&) {
      is_short = true;
    }
    left = -1;
    ++points;
    const std::string afterwards = to_string(floor_div(rows + 1, 3) * rows);
    if (afterwards != "n*((n + 1) // 3)") return "allocation " + std::to_string(n) + ": afterwards it is " + afterwards;
    if (!is_short) return "";
  }
}

}  // namespace

int main() {
  int failures = 0;
  {
    long points = 0;
    const std::string fault = torture_sizes(points);
    std::printf("%s  sizes: %ld points%s%s\n", fault.empty() ? "ok  " : "FAIL", points, fault.empty() ? "" : ": ", fault.c_str());
    failures += !fault.empty();
  }
  for (const char* graph : kGraphs)
    for (const bool all_later : {false, true}) {
      const std::string text = std::string("harp 1\ngraph ") + graph + "\n";
      long points = 0;
      const std::string fault = torture(text, all_later, points);
      std::printf("%s  %.*s, memory is short %s: %ld points%s%s\n", fault.empty() ? "ok  " : "FAIL",
                  static_cast<int>(std::string(graph).find('(')), graph, all_later ? "for ever" : "once", points, fault.empty() ? "" : ": ",
                  fault.c_str());
      std::fflush(stdout);
      failures += !fault.empty();
    }
  return failures == 0 ? 0 : 1;
}
