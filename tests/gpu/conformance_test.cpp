// The conformance suite of backends (backend/conformance.h) on a real GPU, without its check of single operations, which matrix_test.cpp
// does in more detail.
#include "backend/conformance.h"

#include "gpu/arrays.h"

namespace {

const conformance::Subject kCuda{"cuda"};

}  // namespace

TEST_CASE("on a GPU: the backend cuda conforms: programs") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_programs(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: errors") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_errors(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: aliases") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_aliases(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: threads") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_threads(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: cancelling") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_cancelling(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: lifetimes and time limits") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_lifetimes_and_limits(kCuda);
}
TEST_CASE("on a GPU: the backend cuda conforms: devices") {
  const capi_test::Context gpu = gpu_test::gpu_context();
  conformance::check_devices(kCuda);
}
