// Loops of the elementwise ops with 1 source.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kUnaryKernels = make_kernels<1>();

}  // namespace harp::interp
