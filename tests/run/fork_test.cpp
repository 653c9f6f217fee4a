// Tests a program that uses harp and forks. The child can use the inherited context. A call that could hang in the child returns an error.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "base/text.h"
#include "support/capi_support.h"
#include "support/faulty_system.h"
#include "support/in_child.h"

using namespace capi_test;

namespace {

constexpr const char* kText = "harp 1\ngraph g(x: f32[n]) {\n  return y = exp(x) + 1\n}\n";
harp_status status_of_compile(harp_context* context) {
  const Graph graph = parse(context, kText);
  harp_error* error = nullptr;
  const Program program(harp_compile(graph.get(), nullptr, &error));
  const harp_status status = harp_error_code(error);
  harp_error_release(error);
  return status;
}

/// A compiler that creates the file `path`.begun and then waits for `path`.go. It answers --version at once.
std::string waiting_compiler(const std::string& path) {
  std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in *--version*) ;; *) : > " << path << ".begun; while [ ! -e " << path
                      << ".go ]; do sleep 0.01; done ;; esac\nexec cc \"$@\"\n";
  chmod(path.c_str(), 0755);
  return path;
}

}  // namespace

TEST_CASE("C1: a forked child compiles and runs with the context it inherited") {
  const Context context = make_context();
  CHECK(status_of_compile(context.get()) == HARP_OK);
  must_run(compile(parse(context.get(), kText).get(), "c").get());
  const int status = in_child([&] {
    const Graph graph = parse(context.get(), "harp 1\ngraph h(x: f32[n]) {\n  return y = x * 3\n}\n");
    const Program program = compile(graph.get(), "c");
    if (program == nullptr) return 1;
    std::vector<float> x = {1, 2, 3};
    const Buffer input = wrap(context.get(), x, {3});
    const std::vector<Buffer> outputs = run(program.get(), {input.get()});
    return outputs.size() == 1 && values<float>(outputs[0].get()) == std::vector<float>{3, 6, 9} ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("C1: a child that is forked in the middle of a compilation gets an error, and does not hang") {
  const Scratch folder;
  const std::string compiler = waiting_compiler(folder / "slow-cc");
  const Context context = make_context([&](harp_context_options& o) {
    o.compiler = compiler.c_str();
    o.cache_dir = "";
  });
  REQUIRE(harp_backend_available(context.get(), "c") == 1);
  harp_status in_parent = HARP_ERROR_INTERNAL;
  std::thread other([&] { in_parent = status_of_compile(context.get()); });
  while (!std::filesystem::exists(compiler + ".begun")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int status = in_child([&] { return static_cast<int>(status_of_compile(context.get())); });
  std::ofstream(compiler + ".go") << "go";
  other.join();
  CHECK(status == HARP_ERROR_UNSUPPORTED);
  CHECK(in_parent == HARP_OK);
  CHECK(status_of_compile(context.get()) == HARP_OK);
}
