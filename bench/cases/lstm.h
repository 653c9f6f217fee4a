// The training of an LSTM, which is compiled by one benchmark (compiling.cpp) and run by another (training.cpp).
#pragma once

#include <string>

namespace bench {

/// Returns the text of a graph that computes the gradient of an LSTM of `steps` steps, with 64 cells of 512 numbers. Most of its kernels
/// are equal. Inputs: the sequence x, its weights w, the weights u of the state, the initial states h0 and c0, and the gradient g with
/// respect to the last state h. Results: the gradients with respect to w and u.
std::string lstm_gradient(int steps);

}  // namespace bench
