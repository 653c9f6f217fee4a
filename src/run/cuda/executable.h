// Backend "cuda": runs a launch plan (plan.h) on the GPU that holds the arrays of the run.
#pragma once

#include <memory>
#include <vector>

#include "run/cuda/module.h"
#include "run/cuda/plan.h"
#include "run/executable.h"
#include "run/signature.h"

namespace harp::cuda {

/// What a program for GPUs consists of.
struct Program {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Module> module;  // the plan's kernels, in its order
  std::shared_ptr<const Signature> signature;
  std::vector<SiteText> sites;             // the messages of index checks
  std::vector<const CudaDevice*> devices;  // where it may run; at least one
};

/// execute() and enqueue() take addresses of one device. enqueue() returns when the run is complete if indices are checked; functions of
/// the host are called before it returns. Besides the errors of Executable::execute() they throw Error{kDevice} for a failure of the device
/// and Error{kUnsupported} for a launch that is larger than the device allows. The entry points take addresses of the host as well, and
/// copy these arrays to the device and back.
std::unique_ptr<Executable> make_executable(Program program);

}  // namespace harp::cuda
