// Instantiates the loops (kernels.h) of the elementwise ops with one operand.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kUnaryKernels = make_kernels<1>();

}  // namespace harp::interp
