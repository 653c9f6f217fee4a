// Loops of the elementwise ops with 2 sources.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kBinaryKernels = make_kernels<2>();

}  // namespace harp::interp
