// Functions that the tests of the C++ front end share.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <harp.hpp>
#include <string>
#include <vector>

namespace cpp_test {

/// Returns the error that a function throws; its code is HARP_OK if it throws none.
inline harp::Error error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const harp::Error& error) {
    return error;
  }
  return {HARP_OK, "no error"};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Returns how many programs this context has compiled, or found in a cache, so far.
inline uint64_t compilations(const harp::Context& context) {
  harp_cache_stats_info stats = HARP_CACHE_STATS_INFO_INIT;
  harp_cache_stats(context.get(), &stats, nullptr);
  return stats.memory_hits + stats.disk_hits + stats.misses;
}

/// Returns all elements of a field in row-major order.
inline std::vector<double> values(const harp::Field<double>& field) { return {field.begin(), field.end()}; }

/// Returns a field with the elements first, first + 1, first + 2 ... in row-major order.
inline harp::Field<double> numbers(const harp::Sizes& dims, double first = 0, const harp::Context& context = harp::default_context()) {
  harp::Field<double> field(dims, 0, context);
  for (size_t i = 0; i < field.size(); ++i) field[i] = first + static_cast<double>(i);
  return field;
}

/// Returns a context that shares nothing with the default one.
inline harp::Context own_context() { return harp::Context(harp::ContextOptions()); }

}  // namespace cpp_test
