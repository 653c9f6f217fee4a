// Tests machine rows, the descriptions of CPUs in harp's table: their names, also through harp.h, and which rows this CPU can run. The
// library must ignore HARP_MACHINE, which only the tests and the tool read. (tests/golden/schedules.txt has the schedules of each row.)
#include "support/machine.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "compile/c_flags.h"
#include "support/backends_run.h"

using namespace capi_test;
using harp::Cpu;
using harp::Machine;
using harp::testing::all_rows;
using harp::testing::row;

namespace {

constexpr const char* kText = "harp 1\ngraph g(x: f32[n, 64]) {\n  return y = softmax(x, axis=1)\n}\n";

/// Sets an environment variable, and restores its previous value at the end of the scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Returns the source that harp generates for the machine that it detects.
std::string usual_source(const char* text) {
  const Context context = make_context();
  return source_for(nullptr, parse(context.get(), text).get());
}

}  // namespace

TEST_CASE("C1: every machine row has a name of its own, in the table and in harp.h") {
  std::set<std::string_view> names;
  const Context context = make_context();
  const Graph graph = parse(context.get(), kText);
  for (const Machine& target : all_rows()) {
    CAPTURE(target.name);
    CHECK(names.insert(target.name).second);
    CHECK(*harp::machine_from_name(target.name) == target);
    const std::string said = harp::cat("target ", target.name, " ");
    CHECK(source_for(std::string(target.name).c_str(), graph.get()).find(said) != std::string::npos);
  }
  for (const char* name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-one-load",
                           "x86-64-v4-one-load-vnni", "aarch64"})
    CHECK(names.contains(name));
  CHECK(row("x86-64-v4-one-load").cpu().vector_loads_a_cycle == 1);
  CHECK(row("x86-64-v4-one-load").cpu().march == row("x86-64-v4").cpu().march);
}

TEST_CASE("C1: elements of 4 bytes are exchanged between vectors on every row, smaller ones where bytes are") {
  for (const Machine& target : all_rows()) {
    CAPTURE(target.name);
    CHECK(harp::shuffles_elements(target.cpu(), 4, 4));
    CHECK(harp::shuffles_elements(target.cpu(), 8, 8));
    for (const int lanes : {16, 32}) CHECK(harp::shuffles_elements(target.cpu(), 1, lanes) == (target.name != "x86-64"));
    CHECK_FALSE(harp::shuffles_elements(target.cpu(), 1, 8));
    CHECK_FALSE(harp::shuffles_elements(target.cpu(), 1, 64));
    CHECK_FALSE(harp::shuffles_elements(target.cpu(), 2, 32));
  }
}

TEST_CASE("C1: dot products belong to rows of their own, whose other capabilities are those of a row without them") {
  size_t count = 0;
  for (const Machine& target : all_rows()) {
    CAPTURE(target.name);
    const Cpu& cpu = target.cpu();
    constexpr std::string_view kSuffix = "-vnni";
    CHECK(cpu.dot_products == target.name.ends_with(kSuffix));
    CHECK(cpu.dot_products == !cpu.extension.empty());
    harp::CompileRequest request;
    request.target = target;
    const std::vector<std::string> flags = harp::varying_flags(request, 12);
    const auto has = [&](const std::string& flag) { return std::find(flags.begin(), flags.end(), flag) != flags.end(); };
    CHECK(has("-mavxvnni") == (target.name == "x86-64-v3-vnni"));
    CHECK(has("-mavx512vnni") == (cpu.dot_products && target.name != "x86-64-v3-vnni"));
    if (!cpu.dot_products) continue;
    ++count;
    const Machine without = row(target.name.substr(0, target.name.size() - kSuffix.size()));
    CHECK(cpu.march == without.cpu().march);
    CHECK(cpu.vector_bytes == without.cpu().vector_bytes);
    const bool has_same_numbers = harp::measured_numbers(cpu) == harp::measured_numbers(without.cpu());
    CHECK(has_same_numbers);
    if (harp::can_run(target)) CHECK(harp::can_run(without));
  }
  CHECK(count == 3);
}

TEST_CASE("C1: a name that is no machine row's is an error that lists the rows") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), kText);
  for (const char* name : {"native", "x86-64-v5", "", "X86-64-V3"}) {
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.target = name;
    ErrorSlot err;
    CHECK(harp_compile(graph.get(), &options, err) == nullptr);
    CHECK(err.code() == HARP_ERROR_INVALID_ARGUMENT);
    CHECK(err.message().find(harp::cat("unknown target \"", name, "\", expected one of ")) != std::string::npos);
    for (const Machine& target : all_rows()) CHECK(err.message().find(target.name) != std::string::npos);
  }
}

TEST_CASE("C1: the library compiles for what its options say; HARP_MACHINE means nothing to it") {
  const std::string usual = usual_source(kText);
  for (const char* value : {"x86-64", "x86-64-v4-one-load", "aarch64", "no row"}) {
    const Variable machine("HARP_MACHINE", value);
    CHECK(usual_source(kText) == usual);
    const Context context = make_context();
    CHECK(take(harp_context_describe(context.get(), nullptr)).find(harp::cat("target: ", harp::host_machine().name, "\n")) !=
          std::string::npos);
  }
}

TEST_CASE("C1/c: for a row of this architecture everything compiles; what this CPU lacks is an error of the run, not its end") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), kText);
  Values<float> x = rough({3, 64}, 1);
  const Buffer input = wrap(context.get(), x.items, x.dims);
  for (const Machine& target : harp::machines()) {
    CAPTURE(target.name);
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    const std::string name(target.name);
    options.target = name.c_str();
    ErrorSlot err, run_error, entry_error, entry_ex_error;
    const Program program(harp_compile(graph.get(), &options, err));
    REQUIRE_MESSAGE(program != nullptr, err.message());
    harp_buffer *in[] = {input.get()}, *out[] = {nullptr};
    const harp_status status = harp_program_run(program.get(), 1, in, 1, out, nullptr, run_error);
    const Buffer made(out[0]);
    const harp_status expected = harp::can_run(target) ? HARP_OK : HARP_ERROR_UNSUPPORTED;
    CHECK(status == expected);
    CHECK((made != nullptr) == harp::can_run(target));
    CHECK((harp_program_entry(program.get(), entry_error) != nullptr) == harp::can_run(target));
    CHECK((harp_program_entry_ex(program.get(), entry_ex_error) != nullptr) == harp::can_run(target));
    if (harp::can_run(target)) continue;
    const std::string said = harp::cat("it is compiled for ", target.name, ", and the CPU is ", harp::host_machine().name);
    for (const ErrorSlot* error : {&run_error, &entry_error, &entry_ex_error}) {
      CHECK(error->code() == HARP_ERROR_UNSUPPORTED);
      CHECK(error->message().find(said) != std::string::npos);
    }
  }
}

TEST_CASE("C1: rows that need no more than this CPU has are those it can run") {
  const Machine host = harp::host_machine();
  CHECK(harp::can_run(host));
  for (const Machine& target : harp::foreign_machines()) CHECK_FALSE(harp::can_run(target));
  for (const Machine& target : harp::machines())
    if (target.cpu().march == host.cpu().march && (target.cpu().extension.empty() || target.cpu().extension == host.cpu().extension))
      CHECK(harp::can_run(target));
  for (const Machine& target : harp::machines())
    if (target.cpu().vector_bytes > host.cpu().vector_bytes) CHECK_FALSE(harp::can_run(target));
}
