// Writes the generated text of the passes of a Fourier transform. All transforms of a dtype consist of these passes.
#pragma once

#include <set>
#include <utility>

#include "render/kernel/unit.h"

namespace harp::render {

/// Defines `struct dft_pass_F`, where F is the name of the dtype, and inline functions that execute passes. For each factor P there is
/// `dft_pass_by_P_F(struct dft_pass_F)`. For each pair of factors in `together` there is the fused `dft_passes_by_P_and_Q_F(struct
/// dft_pass_F, struct dft_pass_F, between)`, where `between` is memory for 2 P Q vectors. (dft_passes.cpp)
void define_transform_passes(Unit& unit, DType dtype, int lanes, const std::set<int64_t>& factors,
                             const std::set<std::pair<int64_t, int64_t>>& together = {});

/// Defines `dft_unzip_F(n, re, im, x, y)`, which separates n complex numbers whose real and imaginary parts alternate in memory: the real
/// parts are re[0], re[2] ..., the imaginary parts im[0], im[2] ... And defines `dft_zip_F(n, x, y, re, im)`, the inverse. (dft_passes.cpp)
void define_pairs_of_rows(Unit& unit, DType dtype, int lanes);

}  // namespace harp::render
