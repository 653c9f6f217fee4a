// The functions that all Fourier transforms on a GPU have in common: roots of 1, and the transforms of few numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/kernel/unit.h"
#include "render/text/filled.h"

namespace harp::render {

class TransformFunctions {
 public:
  /// `cosine`, `sine`: functions of f64; only tables use them.
  TransformFunctions(Unit& unit, DType dtype, const std::string& cosine, const std::string& sine);

  /// What text about this dtype is filled with: $T, $F, $FMA, $THREADS, $TILE, $INLINED, $CALLED (fourier_text.h).
  const Filling& values() const { return values_; }
  size_t bytes() const { return bytes_; }
  const std::string& suffix() const { return suffix_; }

  /// Defines a function once. `name` and `text` are filled with `values` and what values() has besides. Returns the name.
  std::string define(std::string_view name, std::string_view text, Filling values = {});
  void define_type(std::string_view name, std::string_view text, Filling values = {});

  /// Defines root_$F, and returns its name.
  std::string root();
  /// Defines the product of two complex numbers.
  void turn();
  /// Defines the transform of `factor` numbers in place, and returns its name.
  std::string elements(int64_t factor);

 private:
  Unit& unit_;
  const size_t bytes_;
  const std::string suffix_;
  const Filling values_;
};

}  // namespace harp::render
