#include "backend/table.h"

#include <algorithm>

#include "backend/rows.h"
#include "base/error.h"
#include "base/text.h"

namespace harp {

namespace {

constexpr const Backend* kRows[] = {&kInterpBackend, &kCBackend};

}  // namespace

BackendTable::BackendTable() : rows_(std::begin(kRows), std::end(kRows)) {}

void BackendTable::add(const Backend& row) {
  HARP_CHECK(find(row.name) == nullptr, Code::kInvalidArgument, "there already is a backend \"", row.name, "\"");
  rows_.push_back(&row);
}

const Backend* BackendTable::find(std::string_view name) const {
  const auto found = std::ranges::find(rows_, name, [](const Backend* row) { return row->name; });
  return found != rows_.end() ? *found : nullptr;
}

const Backend& BackendTable::standard() const { return kCBackend; }

std::string BackendTable::names(std::string_view separator) const {
  return join(rows_, separator, [](const Backend* row) { return row->name; });
}

const Device& BackendTable::device(const Resources& resources, const char* function, const char* name) const {
  if (name == nullptr) return kHostDevice;
  std::vector<std::string_view> names;
  for (const Backend* row : rows_) {
    for (const Device* device : row->devices(resources)) {
      if (device->name() == name) return *device;
      if (std::ranges::find(names, device->name()) == names.end()) names.push_back(device->name());
    }
  }
  fail(Code::kDevice, function, ": unknown device \"", name, "\", expected one of: ", join(names, ", "));
}

}  // namespace harp
