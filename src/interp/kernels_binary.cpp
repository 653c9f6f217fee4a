// Instantiates the loops (kernels.h) of the elementwise ops with two operands.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kBinaryKernels = make_kernels<2>();

}  // namespace harp::interp
