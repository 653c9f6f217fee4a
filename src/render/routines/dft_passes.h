// The text of one pass of a Fourier transform. All transforms of a dtype are built from these passes.
#pragma once

#include <set>
#include <utility>

#include "render/kernel/unit.h"

namespace harp::render {

/// Defines, for the dtype named F, `struct dft_pass_F` and inline functions: for each factor `dft_pass_by_P_F(struct dft_pass_F)`; for each
/// pair of factors the fused `dft_passes_by_P_and_Q_F(struct dft_pass_F, struct dft_pass_F, between)`, where `between` has room for 2 P Q
/// vectors. (dft_passes.cpp)
void define_transform_passes(Unit& unit, DType dtype, int lanes, const std::set<int64_t>& factors,
                             const std::set<std::pair<int64_t, int64_t>>& together = {});

}  // namespace harp::render
