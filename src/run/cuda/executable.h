// Implements the backend "cuda", which runs a launch plan (plan.h) on the GPU whose memory contains the arrays of the run.
#pragma once

#include <memory>
#include <vector>

#include "run/cuda/module.h"
#include "run/cuda/plan.h"
#include "run/executable.h"
#include "run/signature.h"

namespace harp::cuda {

/// The parts of a program for GPUs.
struct Program {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Module> module;  // the kernels, in the order of Plan::kernels
  std::shared_ptr<const Signature> signature;
  std::vector<SiteText> sites;             // the error messages of index checks
  std::vector<const CudaDevice*> devices;  // devices on which the program may run; at least one
};

/// Returns an executable. All addresses for execute() and enqueue() must be on one device. enqueue() returns before the run is complete,
/// except if the program checks indices; functions of the host application are called before it returns. In addition to the errors of
/// Executable::execute(), both functions throw Error{kDevice} for a failure of the device, and Error{kUnsupported} for a launch that is
/// larger than the device allows. The entry points also accept addresses of host memory, and copy these arrays to the device and back.
std::unique_ptr<Executable> make_executable(Program program);

}  // namespace harp::cuda
