#include "tune/strategy.h"

#include <algorithm>
#include <map>
#include <set>

#include "tune/cost_model.h"

namespace harp::tune {
namespace {

class Grid final : public Strategy {
 public:
  explicit Grid(const SearchSpace& space) : space_(space), at_(space.untuned()), seen_{at_} {}

  std::optional<Point> next() override {
    while (step()) {
      Point point = at_;
      if (space_.settle(point) && seen_.insert(point).second) return point;
    }
    return std::nullopt;
  }
  void measured(const Point&, double) override {}

 private:
  bool step() {
    for (size_t i = 0; i < at_.size(); ++i) {
      if (++at_[i] < space_.choices()[i].values.size()) return true;
      at_[i] = 0;
    }
    return false;
  }

  const SearchSpace& space_;
  Point at_;
  std::set<Point> seen_;
};

class RandomPoints final : public Strategy {
 public:
  RandomPoints(const SearchSpace& space, uint64_t seed) : space_(space), state_(seed), seen_{space.untuned()} {}

  std::optional<Point> next() override {
    for (int tries = 0; tries < kMaxTries; ++tries) {
      Point point = space_.untuned();
      for (size_t i = 0; i < point.size(); ++i) point[i] = static_cast<uint8_t>(draw() % space_.choices()[i].values.size());
      if (space_.settle(point) && seen_.insert(point).second) return point;
    }
    return std::nullopt;
  }
  void measured(const Point&, double) override {}

 private:
  // Maximum number of consecutive draws that give an illegal or an already returned point; then the search ends.
  static constexpr int kMaxTries = 1000;

  uint64_t draw() {  // Returns the next number of the random number generator SplitMix64.
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  const SearchSpace& space_;
  uint64_t state_;
  std::set<Point> seen_;
};

class Beam final : public Strategy {
 public:
  explicit Beam(const SearchSpace& space) : space_(space), seen_{space.untuned()} { expand(space.untuned()); }

  std::optional<Point> next() override {
    if (round_ >= kRound || open_.empty()) widen();
    if (open_.empty()) return std::nullopt;
    const auto first = open_.begin();
    Point point = first->second;
    open_.erase(first);
    ++round_;
    return point;
  }
  void measured(const Point& point, double seconds) override { measured_.insert({seconds, point}); }

 private:
  static constexpr size_t kWidth = 3;  // number of fastest points whose neighbours are tried
  static constexpr int kRound = 8;     // number of measurements until widen() adds further points to try

  /// Adds the neighbours of the fastest measured points to the points to try. Points whose neighbours have already been added are skipped.
  void widen() {
    round_ = 0;
    size_t best = 0;
    for (const auto& [seconds, point] : measured_) {
      if (best++ == kWidth) break;
      if (expanded_.insert(point).second) expand(point);
    }
  }
  void expand(const Point& from) {
    expanded_.insert(from);
    // The model predicts only the ratio of a neighbour's time to the time of `from`. Therefore the measured time of `from` scales the
    // predictions.
    const auto known = std::find_if(measured_.begin(), measured_.end(), [&](const auto& m) { return m.second == from; });
    const double scale = known == measured_.end() || measured_.empty() ? 1 : known->first / relative_cost(space_, from) / first_seconds();
    for (size_t i = 0; i < from.size(); ++i)
      for (size_t option = 0; option < space_.choices()[i].values.size(); ++option) {
        Point point = from;
        point[i] = static_cast<uint8_t>(option);
        if (space_.settle(point) && seen_.insert(point).second) open_.insert({scale * relative_cost(space_, point), point});
      }
  }
  double first_seconds() const {
    const auto untuned = std::find_if(measured_.begin(), measured_.end(), [&](const auto& m) { return m.second == space_.untuned(); });
    return untuned == measured_.end() ? measured_.begin()->first : untuned->first;
  }

  const SearchSpace& space_;
  std::set<Point> seen_, expanded_;
  std::multimap<double, Point> open_;      // points to try, ordered by expected time
  std::multimap<double, Point> measured_;  // points that were tried, ordered by measured time
  int round_ = 0;
};

}  // namespace

std::string_view name_of(StrategyKind kind) {
  constexpr std::string_view kNames[] = {"beam", "random", "grid"};
  return kNames[static_cast<size_t>(kind)];
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const SearchSpace& space, uint64_t seed) {
  switch (kind) {
    case StrategyKind::kRandom: return std::make_unique<RandomPoints>(space, seed);
    case StrategyKind::kGrid: return std::make_unique<Grid>(space);
    case StrategyKind::kBeam: break;
  }
  return std::make_unique<Beam>(space);
}

}  // namespace harp::tune
