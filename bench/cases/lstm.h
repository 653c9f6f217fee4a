// The training of an LSTM, which is compiled by one benchmark (compiling.cpp) and run by another (training.cpp).
#pragma once

#include <string>

namespace bench {

/// Returns the text of a graph: the gradient of an LSTM of `steps` steps of 64 cells of 512 numbers. Its kernels are mostly equal. Inputs:
/// the sequence, the weights of it and of the cells, the first cells, the gradient of the last ones. Results: the gradients of the weights.
std::string lstm_gradient(int steps);

}  // namespace bench
