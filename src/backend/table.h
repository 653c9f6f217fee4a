// The table of backends, and the devices that their programs use.
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
  /// Makes a table of the backends that this library contains.
  BackendTable();

  /// Adds a row, which must outlive the table; its name must be new. For tests: before the context is used.
  void add(const Backend& row);

  std::span<const Backend* const> rows() const { return rows_; }
  /// The row of this name, or NULL.
  const Backend* find(std::string_view name) const;
  /// Returns the backend that a host gets if it names none.
  const Backend& standard() const;
  /// The names of all rows, separated by `separator`.
  std::string names(std::string_view separator) const;

  /// The devices of all rows, each once. Adds to `why_fewer` (may be NULL) the reasons of rows that have none: "; cuda: there is no …".
  std::vector<const Device*> devices(const Resources& resources, std::string* why_fewer = nullptr) const;
  /// The device of this name; NULL: "cpu". A name without a number is the first of its kind: "cuda" is "cuda:0". Error{kDevice} naming
  /// `function` lists the devices of all rows, and why there are no others.
  const Device& device(const Resources& resources, const char* function, const char* name) const;

 private:
  std::vector<const Backend*> rows_;
};

}  // namespace harp
