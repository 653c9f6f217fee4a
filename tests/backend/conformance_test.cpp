// Checks that the backends of this library pass the conformance tests, and that everything that harp says about its backends agrees with
// the table of backends.
#include <doctest/doctest.h>

#include "backend/conformance.h"
#include "backend/table.h"
#include "capi/handles.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

const conformance::Subject kInterp{"interp"};
/// Operations are compiled without optimisation, because these tests check how harp uses a backend. (Other tests check the generated code.)
/// gcc is used, because each operation is compiled by itself from a short text, and gcc starts in half of clang's time.
const conformance::Subject kC{"c", nullptr, [](harp_compile_options& o) {
                                compile_quickly(o);
                                o.compiler = "gcc";
                              }};

}  // namespace

TEST_CASE("H4.conforms/interp: operations") { conformance::check_operations(kInterp); }
TEST_CASE("H4.conforms/interp: programs") { conformance::check_programs(kInterp); }
TEST_CASE("H4.conforms/interp: errors") { conformance::check_errors(kInterp); }
TEST_CASE("H4.conforms/interp: aliases") { conformance::check_aliases(kInterp); }
TEST_CASE("H4.conforms/interp: threads") { conformance::check_threads(kInterp); }
TEST_CASE("H4.conforms/interp: cancelling") { conformance::check_cancelling(kInterp); }
TEST_CASE("H4.conforms/interp: lifetimes and time limits") { conformance::check_lifetimes_and_limits(kInterp); }
TEST_CASE("H4.conforms/interp H5.device: devices") { conformance::check_devices(kInterp); }

TEST_CASE("H4.conforms/c: operations") { conformance::check_operations(kC); }
TEST_CASE("H4.conforms/c: programs") { conformance::check_programs(kC); }
TEST_CASE("H4.conforms/c: errors") { conformance::check_errors(kC); }
TEST_CASE("H4.conforms/c: aliases") { conformance::check_aliases(kC); }
TEST_CASE("H4.conforms/c: threads") { conformance::check_threads(kC); }
TEST_CASE("H4.conforms/c: cancelling") { conformance::check_cancelling(kC); }
TEST_CASE("H4.conforms/c: lifetimes and time limits") { conformance::check_lifetimes_and_limits(kC); }
TEST_CASE("H4.conforms/c H5.device: devices") { conformance::check_devices(kC); }

TEST_CASE("H4.available: the table says which backends there are and which can be used") {
  const Context context = make_context();
  CHECK(take(harp_context_backends(context.get(), nullptr)) == "interp\nc\ncuda\n");
  for (const harp::Backend* row : context->backends.rows()) {
    CAPTURE(row->name);
    const bool is_available = row->available(context->resources()).why_not.empty();
    CHECK(harp_backend_available(context.get(), std::string(row->name).c_str()) == (is_available ? 1 : 0));
  }
  CHECK(harp_backend_available(context.get(), "tape") == 0);

  const Context without = make_context([](harp_context_options& options) { options.compiler = "/no/compiler"; });
  CHECK(harp_backend_available(without.get(), "interp") == 1);
  CHECK(harp_backend_available(without.get(), "c") == 0);
  CHECK(without->backends.find("c")->available(without->resources()).why_not.find("/no/compiler") != std::string::npos);
  const std::string description = take(harp_context_describe(without.get(), nullptr));
  CHECK_MESSAGE(description.find("backends: interp\ncompiler: none: ") != std::string::npos, description);

  ErrorSlot err;
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[2]) { return y = x }");
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "tape";
  CHECK(harp_compile(graph.get(), &options, err) == nullptr);
  CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(err.message() == "harp_compile_options: unknown backend \"tape\", expected one of: interp, c, cuda");
}
