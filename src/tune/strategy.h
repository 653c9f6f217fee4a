// In which order points of a search space are tried.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "tune/search_space.h"

namespace harp::tune {

enum class StrategyKind : uint8_t {
  kBeam,    // the points one choice away from the best so far, those first that the cost model likes; then from the best of these
  kRandom,  // any point, each once
  kGrid,    // all points, counting: the first choice goes through its options first
};
std::string_view name_of(StrategyKind kind);

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// A point that was not tried yet, or nothing: all were.
  virtual std::optional<Point> next() = 0;
  /// How long it takes; infinity: it is of no use.
  virtual void measured(const Point& point, double seconds) = 0;
};

/// The untuned point, which is measured first, is never given. The same seed gives the same points for the same measurements.
std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const SearchSpace& space, uint64_t seed);

}  // namespace harp::tune
