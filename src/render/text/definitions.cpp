#include "render/text/definitions.h"

#include <algorithm>

#include "base/text.h"

namespace harp::render {

std::string Definitions::text() const {
  return cat(join(types_, ""), types_.empty() ? "" : "\n", join(functions_, "\n", [](const Function& f) { return f.text; }));
}

std::vector<Definitions::Shared> Definitions::shared() const {
  std::vector<Shared> result;
  size_t end = text().size();
  for (size_t i = functions_.size(); i-- > 0;) {
    const size_t begin = end - functions_[i].text.size();
    if (functions_[i].shared) result.push_back({begin, end});
    end = begin - 1;  // a blank line stands between two definitions
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace harp::render
