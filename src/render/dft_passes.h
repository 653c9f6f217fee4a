// One pass of a Fourier transform, as text: what all transforms of a dtype are made of.
#pragma once

#include <set>

#include "render/filled.h"
#include "render/unit.h"

namespace harp::render {

/// Defines `struct dft_pass_F` and, for each factor, `dft_pass_by_P_F(struct dft_pass_F)`, which is inlined. (dft_passes.cpp)
void define_transform_passes(Unit& unit, DType dtype, int lanes, const std::set<int64_t>& factors);

}  // namespace harp::render
