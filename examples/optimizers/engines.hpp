// The operations on a phase field that the methods need, in two ways that give the same bits: eager, with one kernel for each operation, as
// in libraries without fusion; and fused, with one or two programs for each step of a method.
#pragma once

#include <harp.hpp>

using Field = harp::Field<double>;

/// The energy of a phase field u. Its values are near -1 or 1 except in thin walls, and a quadratic term holds it near a picture u0:
///     sum of |u - u0|^2 / (2 tau) + eps / 2 |grad u|^2 + (u^2 - 1)^2 / (4 eps)
/// on a periodic grid, where the sum of |grad u|^2 is that of -u times the Laplacian of u. It is one implicit step of length tau of the
/// Allen-Cahn equation.
struct Problem {
  Field picture;
  double tau = 0.5, eps = 1.5;
};

/// Energy at a point, and its slope along a direction.
struct Sample {
  double energy, slope;
};

class Fused {
 public:
  static constexpr const char* name = "fused";
  explicit Fused(const Problem& problem) : p_(problem) {}

  static auto laplacian(const Field& u) { return roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4.0 * u; }
  /// Expressions of the gradient, and of the energy at each point. They read the Laplacian of u from the array l_, so that it is computed
  /// only once. The sum of density_of runs as a separate program: in one program with the Laplacian, harp would store the shifted arrays.
  auto gradient_of(const Field& u) const { return (u - p_.picture) * (1 / p_.tau) - p_.eps * l_ + (u * u * u - u) * (1 / p_.eps); }
  auto density_of(const Field& u) const {
    return square(u - p_.picture) * (0.5 / p_.tau) - u * l_ * (0.5 * p_.eps) + square(u * u - 1.0) * (0.25 / p_.eps);
  }

  /// Computes g = gradient(u); returns the energy.
  double gradient(Field& g, const Field& u) {
    fuse(l_ = laplacian(u), g = gradient_of(u));
    return sum(density_of(u));
  }
  /// Computes to = from + a d and g = gradient(to); returns the energy there, and its slope along d.
  Sample move(Field& to, Field& g, const Field& from, double a, const Field& d) {
    Sample at{};
    fuse(to = from + a * d, l_ = laplacian(to), g = gradient_of(to));
    fuse(harp::into(at.energy) = sum(density_of(to)), harp::into(at.slope) = dot(g, d));
    return at;
  }
  /// Computes d = b d - g; returns the slope of the energy along it.
  double turn(Field& d, double b, const Field& g) {
    double slope = 0;
    fuse(d = b * d - g, harp::into(slope) = dot(d, g));
    return slope;
  }
  double dot_with_change(const Field& g, const Field& old) { return dot(g, g - old); }
  /// Computes h = Hessian(u) v; returns the curvature along v.
  double curvature(Field& h, const Field& v, const Field& u) {
    h = v * (1 / p_.tau) - p_.eps * laplacian(v) + (3.0 * (u * u) - 1.0) * (1 / p_.eps) * v;
    return dot(v, h);
  }
  /// Computes x = x + a v and r = r - a h; returns the squared length of r.
  double advance(Field& x, Field& r, double a, const Field& v, const Field& h) {
    double length = 0;
    fuse(x = x + a * v, r = r - a * h, harp::into(length) = dot(r, r));
    return length;
  }
  /// Computes v = r + b v.
  void conjugate(Field& v, const Field& r, double b) { v = r + b * v; }

 private:
  const Problem& p_;
  Field l_;
};

/// Each statement is one kernel, which reads and writes whole arrays.
class Eager {
 public:
  static constexpr const char* name = "eager";
  explicit Eager(const Problem& problem) : p_(problem) {}

  double gradient(Field& g, const Field& u) {
    laplacian(u);
    a_ = u - p_.picture;
    a_ = a_ * (1 / p_.tau);
    b_ = p_.eps * l_;
    a_ = a_ - b_;
    b_ = u * u;
    b_ = b_ * u;
    b_ = b_ - u;
    b_ = b_ * (1 / p_.eps);
    g = a_ + b_;

    a_ = u - p_.picture;
    a_ = square(a_);
    a_ = a_ * (0.5 / p_.tau);
    b_ = u * l_;
    b_ = b_ * (0.5 * p_.eps);
    a_ = a_ - b_;
    b_ = u * u;
    b_ = b_ - 1.0;
    b_ = square(b_);
    b_ = b_ * (0.25 / p_.eps);
    a_ = a_ + b_;
    return sum(a_);
  }
  Sample move(Field& to, Field& g, const Field& from, double a, const Field& d) {
    a_ = a * d;
    to = from + a_;
    const double energy = gradient(g, to);
    return {energy, dot(g, d)};
  }
  double turn(Field& d, double b, const Field& g) {
    d = b * d;
    d = d - g;
    return dot(d, g);
  }
  double dot_with_change(const Field& g, const Field& old) {
    a_ = g - old;
    return dot(g, a_);
  }
  double curvature(Field& h, const Field& v, const Field& u) {
    laplacian(v);
    a_ = v * (1 / p_.tau);
    l_ = p_.eps * l_;
    a_ = a_ - l_;
    b_ = u * u;
    b_ = 3.0 * b_;
    b_ = b_ - 1.0;
    b_ = b_ * (1 / p_.eps);
    b_ = b_ * v;
    h = a_ + b_;
    return dot(v, h);
  }
  double advance(Field& x, Field& r, double a, const Field& v, const Field& h) {
    a_ = a * v;
    x = x + a_;
    a_ = a * h;
    r = r - a_;
    return dot(r, r);
  }
  void conjugate(Field& v, const Field& r, double b) {
    v = b * v;
    v = r + v;
  }

 private:
  void laplacian(const Field& u) {
    l_ = roll(u, 1, 0);
    a_ = roll(u, -1, 0);
    l_ = l_ + a_;
    a_ = roll(u, 1, 1);
    l_ = l_ + a_;
    a_ = roll(u, -1, 1);
    l_ = l_ + a_;
    a_ = 4.0 * u;
    l_ = l_ - a_;
  }

  const Problem& p_;
  Field a_, b_, l_;
};
