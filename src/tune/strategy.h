// Defines search strategies: in which order the tuner tries the points of a search space (search_space.h).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "tune/search_space.h"

namespace harp::tune {

enum class StrategyKind : uint8_t {
  kBeam,    // neighbours (one choice differs) of the fastest points so far, in the order of the cost model's estimates
  kRandom,  // points in random order
  kGrid,    // all points in counting order: the option of the first choice changes fastest
};
std::string_view name_of(StrategyKind kind);

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Returns a point that has not been returned before; nullopt if the search is at its end.
  virtual std::optional<Point> next() = 0;
  /// Tells the strategy the time of a point; infinity if the point cannot be compiled.
  virtual void measured(const Point& point, double seconds) = 0;
};

/// Returns a new strategy. It never returns the untuned point, because that is measured first. With the same seed and the same measured
/// times a strategy returns the same points.
std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const SearchSpace& space, uint64_t seed);

}  // namespace harp::tune
