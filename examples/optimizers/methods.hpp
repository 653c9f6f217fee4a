// Three methods that minimise an energy, for any engine of engines.hpp. Each stops when the gradient is shorter than at the start by a
// certain factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "engines.hpp"

struct Outcome {
  int iterations;
  int evaluations;  // number of evaluations of energy and gradient
  double energy;
  double gradient;  // length of the gradient relative to that at the start
};

constexpr double kTolerance = 1e-8;
constexpr int kMostIterations = 400;

/// Goes along the negative gradient. A step is halved until the energy decreases enough (Armijo's condition); the next step starts with
/// twice the length of the last.
template <class Engine>
Outcome gradient_descent(Engine& engine, Field& u) {
  Field g, d, trial, new_g;
  double energy = engine.gradient(g, u), length = dot(g, g), step = 0.25;
  const double first = length;
  Outcome outcome{0, 1, energy, 1};
  while (length > kTolerance * kTolerance * first && outcome.iterations < kMostIterations) {
    d = -g;
    for (;; step /= 2) {
      const Sample at = engine.move(trial, new_g, u, step, d);
      ++outcome.evaluations;
      if (at.energy <= energy - 1e-4 * step * length || step < 1e-12) {
        energy = at.energy;
        break;
      }
    }
    std::swap(u, trial), std::swap(g, new_g);
    length = dot(g, g);
    step = std::min(2 * step, 0.25);
    ++outcome.iterations;
  }
  outcome.energy = energy;
  outcome.gradient = std::sqrt(length / first);
  return outcome;
}

/// Finds a step that meets the strong Wolfe conditions with c1 = 1e-4 and c2 = 0.1 (Nocedal and Wright, Numerical Optimization, algorithms
/// 3.5 and 3.6; inside a bracket it tries the minimum of the parabola, or the middle). Afterwards `trial` and `new_g` are the point there
/// and its gradient.
template <class Engine>
Sample strong_wolfe(Engine& engine, Field& trial, Field& new_g, const Field& u, const Field& d, Sample start, double& step,
                    int& evaluations) {
  const auto at = [&](double a) {
    ++evaluations;
    return engine.move(trial, new_g, u, a, d);
  };
  double low = 0, high = -1;  // no upper end yet
  Sample low_sample = start;
  Sample now = at(step);
  for (int i = 0; i < 30; ++i) {
    const bool too_far = now.energy > start.energy + 1e-4 * step * start.slope || (low > 0 && now.energy >= low_sample.energy);
    if (!too_far && std::abs(now.slope) <= -0.1 * start.slope) return now;
    if (too_far || now.slope >= 0) {
      high = step;
    } else {
      low = step;
      low_sample = now;
    }
    if (high < 0) {
      step *= 2;
    } else {
      const double width = high - low, parabola = 2 * (now.energy - low_sample.energy - low_sample.slope * (step - low));
      const double inside =
          high == step && parabola > 0 ? low - low_sample.slope * (step - low) * (step - low) / parabola : low + width / 2;
      step = std::clamp(inside, low + 0.1 * width, low + 0.9 * width);
    }
    now = at(step);
  }
  return now;
}

/// Nonlinear conjugate gradients with the factor of Polak and Ribiere, limited to at least 0.
template <class Engine>
Outcome conjugate_gradient(Engine& engine, Field& u) {
  Field g, d, trial, new_g;
  Sample at{engine.gradient(g, u), 0};
  double length = dot(g, g), step = 0.25;
  const double first = length;
  Outcome outcome{0, 1, at.energy, 1};
  d = -g;
  at.slope = -length;
  while (length > kTolerance * kTolerance * first && outcome.iterations < kMostIterations) {
    const double old_slope = at.slope;
    at = strong_wolfe(engine, trial, new_g, u, d, at, step, outcome.evaluations);
    const double factor = std::max(0.0, engine.dot_with_change(new_g, g) / length);
    std::swap(u, trial), std::swap(g, new_g);
    length = dot(g, g);
    at.slope = engine.turn(d, factor, g);
    if (at.slope >= 0) {  // not a descent direction: restart
      d = -g;
      at.slope = -length;
    }
    step = std::min(1.0, step * old_slope / at.slope);
    ++outcome.iterations;
  }
  outcome.energy = at.energy;
  outcome.gradient = std::sqrt(length / first);
  return outcome;
}

/// Newton's method. Its linear systems are solved by conjugate gradients to a relative accuracy of min(0.5, sqrt|g|), or until the
/// curvature is negative.
template <class Engine>
Outcome truncated_newton(Engine& engine, Field& u) {
  Field g, x, r, v, h, trial, new_g;
  double energy = engine.gradient(g, u), length = dot(g, g);
  const double first = length;
  Outcome outcome{0, 1, energy, 1};
  while (length > kTolerance * kTolerance * first && outcome.iterations < kMostIterations) {
    x = 0.0 * g;
    r = -g;
    v = -g;
    const double wanted = std::min(0.5, std::sqrt(std::sqrt(length / first))) * std::sqrt(length);
    double residual = length;
    for (int i = 0; i < 200 && std::sqrt(residual) > wanted; ++i) {
      const double curvature = engine.curvature(h, v, u);
      if (curvature <= 0) {
        if (i == 0) x = -g;
        break;
      }
      const double before = residual;
      residual = engine.advance(x, r, before / curvature, v, h);
      engine.conjugate(v, r, residual / before);
    }
    const double slope = dot(x, g);
    double step = 1;
    for (;; step /= 2) {
      const Sample at = engine.move(trial, new_g, u, step, x);
      ++outcome.evaluations;
      if (at.energy <= energy + 1e-4 * step * slope || step < 1e-12) {
        energy = at.energy;
        break;
      }
    }
    std::swap(u, trial), std::swap(g, new_g);
    length = dot(g, g);
    ++outcome.iterations;
  }
  outcome.energy = energy;
  outcome.gradient = std::sqrt(length / first);
  return outcome;
}
