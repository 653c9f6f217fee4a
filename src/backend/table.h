// Declares the list of backends, and the devices that their programs use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace harp {

/// The backends of one context.
class BackendTable {
 public:
  /// Makes a table of the backends that rows.h declares.
  BackendTable();

  /// Adds a backend, which must outlive the table and have a new name. Only for tests, before the context is used.
  void add(const Backend& row);

  std::span<const Backend* const> rows() const { return rows_; }
  /// Returns the backend of this name, or NULL.
  const Backend* find(std::string_view name) const;
  /// Returns the backend that is used if the host application names none.
  const Backend& standard() const;
  /// Returns the names of all backends, separated by `separator`.
  std::string names(std::string_view separator) const;

  /// Returns the devices of all backends, each once. For a backend that has none, appends the reason to `why_fewer` (may be NULL): "; cuda:
  /// there is no …".
  std::vector<const Device*> devices(const Resources& resources, std::string* why_fewer = nullptr) const;
  /// Returns the device of this name; NULL means "cpu". A name without a number denotes the first device of its kind: "cuda" is "cuda:0".
  /// For an unknown name, throws Error{kDevice} with `function`, the devices of all backends, and the reasons why there are no others.
  const Device& device(const Resources& resources, const char* function, const char* name) const;

 private:
  std::vector<const Backend*> rows_;
};

}  // namespace harp
