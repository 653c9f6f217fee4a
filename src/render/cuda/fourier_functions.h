// Defines the generated functions that all Fourier transforms on a GPU have in common: those that compute roots of 1, and transforms of a
// few numbers in registers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/kernel/unit.h"
#include "render/text/filled.h"

namespace harp::render {

class TransformFunctions {
 public:
  /// `cosine` and `sine` are the names of generated functions of f64. Only the functions that compute tables call them.
  TransformFunctions(Unit& unit, DType dtype, const std::string& cosine, const std::string& sine);

  /// Returns the values of those placeholders that depend only on the dtype: $T, $F, $FMA, $THREADS, $TILE, $INLINED, $CALLED
  /// (fourier_text.h).
  const Filling& values() const { return values_; }
  size_t bytes() const { return bytes_; }
  const std::string& suffix() const { return suffix_; }

  /// Defines a function, unless it has been defined before, and returns its name. The placeholders in `name` and `text` are replaced by
  /// `values` and by values().
  std::string define(std::string_view name, std::string_view text, Filling values = {});
  void define_type(std::string_view name, std::string_view text, Filling values = {});

  /// Defines the function root_$F, which computes a root of 1, and returns its name.
  std::string root();
  /// Defines the function that multiplies a complex number by another one.
  void turn();
  /// Defines the function that transforms `factor` complex numbers in place, and returns its name.
  std::string elements(int64_t factor);

 private:
  Unit& unit_;
  const size_t bytes_;
  const std::string suffix_;
  const Filling values_;
};

}  // namespace harp::render
