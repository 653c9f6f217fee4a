#include "backend/table.h"

#include <algorithm>

#include "backend/rows.h"
#include "base/error.h"
#include "base/text.h"

namespace harp {

namespace {

constexpr const Backend* kRows[] = {&kInterpBackend, &kCBackend, &kCudaBackend};

}  // namespace

BackendTable::BackendTable() : rows_(std::begin(kRows), std::end(kRows)) {}

void BackendTable::add(const Backend& row) {
  HARP_CHECK(find(row.name) == nullptr, Code::kInvalidArgument, "the name \"", row.name,
             "\" is that of another backend; expected a new name");
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

std::vector<const Device*> BackendTable::devices(const Resources& resources, std::string* why_fewer) const {
  std::vector<const Device*> found;
  for (const Backend* row : rows_) {
    try {
      for (const Device* device : row->devices(resources))
        if (std::ranges::find(found, device) == found.end()) found.push_back(device);
    } catch (const Error& error) {
      if (why_fewer != nullptr) append(*why_fewer, cat("; ", row->name, ": ", error.message));
    }
  }
  return found;
}

const Device& BackendTable::device(const Resources& resources, const char* function, const char* name) const {
  if (name == nullptr || name == kHostDevice.name()) return kHostDevice;
  const std::string first = cat(name, ":0");
  std::string why_fewer;
  const std::vector<const Device*> all = devices(resources, &why_fewer);
  for (const Device* device : all)
    if (device->name() == name || device->name() == first) return *device;
  fail(Code::kDevice, function, ": unknown device \"", name,
       "\", expected one of: ", join(all, ", ", [](const Device* device) { return device->name(); }), why_fewer);
}

}  // namespace harp
