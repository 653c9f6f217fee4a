// Builds the gradient of the input of a convolution as one contraction.
//
// The gradient of the windows of a convolution is a sum of products, over the output channels f:
//   g[w, t] = sum over f of p[w, f] * q[t, f]      w: window, t: tap (element of the window)
// p, which comes from the gradient of the result, does not vary along the taps, and q, the weight, does not vary along the windows. The
// gradient of the input at a position is the sum of g over all windows and taps that are there. If g were computed first, an array of the
// size of all windows would be stored: kernel height times kernel width arrays of the size of the input. The same sum can be written as a
// convolution of p with the taps in reverse order, whose windows are views:
//   sum over t and f of p[position - t, f] * q[t, f]
// With a stride, each position has a phase (position modulo stride), which only takes the taps of the same phase, as in a transposed
// convolution (graph/conv.cpp).
//
// This order of additions gives other bits than summing g, so docs/semantics.md defines it ("Gradients").
#pragma once

#include "grad/adjoint.h"

namespace harp::grad {

/// Returns the gradient of the source of the Unfold step.y as one contraction. Null if step.g is not such a sum of products, if a window
/// does not overlap the next one, so that there is nothing to sum, or if more than a third of the taps of the phases would be zeros, each
/// of which is multiplied.
NodeRef contraction_of_windows(const Step& step);

}  // namespace harp::grad
