// Loops of the elementwise ops with 3 sources.
#include "interp/kernels.h"

namespace harp::interp {

constinit const KernelTable kTernaryKernels = make_kernels<3>();

}  // namespace harp::interp
