// The order in which the tuner tries the points of a search space.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "tune/search_space.h"

namespace harp::tune {

enum class StrategyKind : uint8_t {
  kBeam,    // neighbours (one choice away) of the best points so far, in the cost model's order; then neighbours of the new best points
  kRandom,  // all points in random order
  kGrid,    // all points in counting order: the first choice changes fastest
};
std::string_view name_of(StrategyKind kind);

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Returns a point that was not tried yet; nullopt if all were.
  virtual std::optional<Point> next() = 0;
  /// Reports the time of a point; infinity if it cannot be used.
  virtual void measured(const Point& point, double seconds) = 0;
};

/// The strategy never returns the untuned point, which is measured first. Equal seeds and measurements give equal points.
std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const SearchSpace& space, uint64_t seed);

}  // namespace harp::tune
