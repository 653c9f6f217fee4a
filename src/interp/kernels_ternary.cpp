// Instantiates the loops (kernels.h) of the elementwise ops with three operands.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kTernaryKernels = make_kernels<3>();

}  // namespace harp::interp
