// Contains helpers for tests of the tuner: small graphs, contexts with their own cache, and functions that find the files in a cache.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/capi_support.h"
#include "tune/database.h"

namespace harp::tune_test {

using Found = std::unique_ptr<harp_tune_result, capi_test::Release<harp_tune_result, harp_tune_result_release>>;

inline constexpr const char* kProduct = "graph product(a: f32[60, 70], b: f32[70, 80]) { return y = a @ b }";
inline constexpr const char* kScaled = "graph scaled(x: f32[n]) { return y = x * 1.5 }";

inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

/// Stores the log messages of a context.
struct Lines {
  std::vector<std::string> lines;
  static void add(void* self, int32_t, const char* text, size_t size) { static_cast<Lines*>(self)->lines.emplace_back(text, size); }
  size_t with(std::string_view part) const {
    return static_cast<size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != line.npos; }));
  }
};

/// A context whose cache is in this directory.
inline capi_test::Context context_in(const std::string& directory, Lines* lines = nullptr) {
  return capi_test::make_context([&](harp_context_options& o) {
    o.cache_dir = directory.c_str();
    if (lines == nullptr) return;
    o.log = &Lines::add, o.log_user = lines, o.log_level = HARP_LOG_WARNING;
  });
}

inline Found tune_scaled(harp_context* context, harp_tune_options options, harp_error** err) {
  const capi_test::Graph graph = capi_test::parse(context, kScaled);
  std::vector<float> x(1000, 2);
  const capi_test::Buffer input = capi_test::wrap(context, x, {1000});
  harp_buffer* in[] = {input.get()};
  return Found(harp_tune(graph.get(), &options, 1, in, err));
}

inline harp_tune_options few_trials() {
  harp_tune_options options = HARP_TUNE_OPTIONS_INIT;
  options.max_trials = 3;
  options.seconds = 60;
  return options;
}

inline std::string database_in(const std::string& directory) { return directory + "/entries-1/" + tune::TuningDatabase::kFile; }

inline std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  CHECK(::chmod(path.c_str(), 0600) == 0);
}

}  // namespace harp::tune_test
