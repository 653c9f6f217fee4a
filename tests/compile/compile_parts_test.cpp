// Tests that long sources are compiled in several parts at the same time: where a source is split, and that the result does not change.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "compile/split.h"
#include "graph/text.h"
#include "pipeline.h"
#include "support/compile_scenarios.h"
#include "support/machine.h"

using namespace harp;
using namespace compile_scenarios;
using Origin = CompileReport::Origin;

namespace {

/// Returns a request for `count` functions f0, f1, ... Each returns its number and has a text of `length` characters. entry_point_ex
/// returns the sum of their results.
CompileRequest request_of_functions(int count, size_t length) {
  CompileRequest request;
  std::string& source = request.source;
  source = "typedef int number;\n";
  std::string sum;
  for (int i = 0; i < count; ++i) {
    SourceFunction function = {source.size(), 0, 0, 0};
    append(source, cat("enum { value", i, " = ", i, " };\n"));
    function.definition = source.size();
    append(source, cat("static number f", i, "(void) "));
    function.body = source.size();
    append(source, cat("{ return value", i, "; } /*", std::string(length, '.'), "*/\n"));
    function.end = source.size();
    request.functions.push_back(function);
    append(sum, cat(" + f", i, "()"));
  }
  append(source,
         cat("int entry_point_ex(void** in, void** out, unsigned long* shape, const void* rt) {\n  (void)in, (void)out, (void)shape, "
             "(void)rt;\n  return 0",
             sum,
             ";\n}\nvoid entry_point(void** in, void** out, unsigned long* shape) {\n  "
             "entry_point_ex(in, out, shape, 0);\n}\n"));
  return request;
}

}  // namespace

TEST_CASE("compile: a source in parts holds each function once, and what all need in each") {
  const CompileRequest request = request_of_functions(5, 10);
  CHECK(split_source(request.source, request.functions, 1) == std::vector<std::string>{request.source});
  CHECK(split_source(request.source, {}, 4) == std::vector<std::string>{request.source});
  for (size_t parts = 2; parts < 8; ++parts) {
    const std::vector<std::string> split = split_source(request.source, request.functions, parts);
    CAPTURE(parts);
    CHECK(split.size() <= std::min<size_t>(parts, 5));
    CHECK(split.size() >= 2);
    std::string all;
    for (const std::string& part : split) {
      CHECK(part.starts_with("typedef int number;\n"));
      all += part;
    }
    for (int i = 0; i < 5; ++i) {
      const std::string definition = cat("number f", i, "(void) {");
      CHECK(all.find(definition) != all.npos);
      CHECK(all.find(definition) == all.rfind(definition));
    }
    CHECK(all.find("entry_point_ex(void**") == all.rfind("entry_point_ex(void**"));
  }
}

TEST_CASE("compile: what functions call is compiled once where it is shared, and declared in the other parts") {
  CompileRequest request = request_of_functions(4, 4000);
  const std::string head = "typedef int whole;\n/* A comment. */\nstatic whole ", definition = "one(void) { return 1; }\n",
                    behind = "typedef int after;\n";
  request.source = head + definition + behind + request.source;
  for (SourceFunction& f : request.functions)
    for (size_t* offset : {&f.begin, &f.definition, &f.body, &f.end}) *offset += head.size() + definition.size() + behind.size();
  const size_t begin = head.find("/*"), name = head.size();
  request.functions.insert(request.functions.begin(), {begin, name - std::string_view("static whole ").size(), name + definition.find('{'),
                                                       name + definition.size(), true});
  for (SourceFunction& f : request.functions)
    if (!f.shared) {
      const size_t at = f.body + 2 + std::string_view("return ").size();
      request.source.replace(at, 1, "one() * v");
      for (SourceFunction& g : request.functions)
        for (size_t* offset : {&g.begin, &g.definition, &g.body, &g.end})
          if (*offset > at) *offset += std::string_view("one() * v").size() - 1;
    }
  CHECK(worthwhile_parts({request.functions.front()}, 8) == 1);
  CHECK(split_source(request.source, {request.functions.front()}, 2) == std::vector<std::string>{request.source});
  for (size_t parts = 2; parts < 8; ++parts) {
    CAPTURE(parts);
    size_t defined = 0, declared = 0;
    const std::vector<std::string> split = split_source(request.source, request.functions, parts);
    CHECK(split.size() >= 2);
    CHECK(split.size() <= 5);
    for (const std::string& part : split) {
      CHECK(part.find("typedef int whole;\n") < part.find("one(void)"));
      CHECK(part.find("typedef int after;\n") < part.find("typedef int number;\n"));
      defined += part.find("hidden\"))) whole one(void) { return 1; }\ntypedef int after;\n") != part.npos;
      declared += part.find("hidden\"))) whole one(void) ;\n\ntypedef int after;\n") != part.npos;
    }
    CHECK(defined == 1);
    CHECK(declared + 1 == split.size());
  }
  for (const char* compiler : {"gcc", "clang"}) {
    CAPTURE(compiler);
    Bench bench;
    bench.options.compiler = compiler;
    bench.options.compilers = 2;
    CompileService service = bench.service();
    CHECK(call(bench.system, service.compile(request)) == 0 + 1 + 2 + 3);
  }
}

TEST_CASE("compile: a function counts with the long ones that are inlined in it") {
  CompileRequest request = request_of_functions(3, 10);
  const std::string inlined = cat("static inline __attribute__((always_inline)) float f_exp(float x) {\n", std::string(800, ';'), "\n}\n");
  request.source = inlined + request.source;
  for (SourceFunction& f : request.functions)
    for (size_t* offset : {&f.begin, &f.definition, &f.body, &f.end}) *offset += inlined.size();
  const auto is_alone = [&](std::string_view call) {
    CompileRequest calling = request;
    calling.source.replace(request.functions[1].body + 2, call.size(), call);
    const std::vector<std::string> split = split_source(calling.source, calling.functions, 2);
    REQUIRE(split.size() == 2);
    const auto in = [&](size_t part, int function) { return split[part].find(cat("number f", function, "(void) {")) != std::string::npos; };
    const size_t part = in(0, 1) ? 0 : 1;
    return !in(part, 0) && !in(part, 2);
  };
  CHECK(is_alone("f_exp(0)"));
  CHECK_FALSE(is_alone("f_xxx(0)"));
}

TEST_CASE("compile: parts are worth their while for long sources and more than one processor") {
  const std::vector<SourceFunction> brief = request_of_functions(20, 10).functions, lengthy = request_of_functions(20, 4000).functions;
  CHECK(worthwhile_parts({}, 8) == 1);
  CHECK(worthwhile_parts(brief, 8) == 1);
  CHECK(worthwhile_parts(lengthy, 1) == 1);
  CHECK(worthwhile_parts(lengthy, 2) == 2);
  CHECK(worthwhile_parts(request_of_functions(1, 100'000).functions, 8) == 1);
}

TEST_CASE("compile: a long source is compiled in parts at the same time, and works as if it were one") {
  struct Counting : FaultyProcess {
    using FaultyProcess::FaultyProcess;
    int spawn(const SpawnRequest& request) override {
      // counts runs of cc1, gcc's compiler proper, and of compiler drivers with -c, which do not link
      const auto& words = request.arguments;
      parts += request.program.ends_with("/cc1") || std::find(words.begin(), words.end(), "-c") != words.end();
      return FaultyProcess::spawn(request);
    }
    int parts = 0;
  };
  for (const char* compiler : {"gcc", "clang"}) {
    Bench bench;
    bench.options.compiler = compiler;
    bench.options.compilers = 3;
    Counting process(bench.system.plan);
    process.variables = bench.system.process.variables;
    CompileService service(System{bench.system.files, process}, bench.options, Log());
    CompileRequest request = request_of_functions(9, 4000);
    CAPTURE(compiler);
    CHECK(call(bench.system, service.compile(request)) == 36);
    CHECK(process.parts == 3);
    CompileReport report;
    request.functions.clear();  // clearing this list does not change the cache key
    service.compile(request, &report);
    CHECK(report.origin == Origin::kMemory);
    CHECK(process.parts == 3);
    request.flags = {"-O0"};  // the caller's flags may change the kind of output, so the source is compiled as a whole
    CHECK(call(bench.system, service.compile(request)) == 36);
    CHECK(process.parts == 3);
  }
}

TEST_CASE("compile: generated kernels in parts compute what they compute in one") {
  std::string inputs, outputs;
  constexpr int kKernels = 16, kColumns = 33;
  for (int i = 0; i < kKernels; ++i) {
    append(inputs, cat(i == 0 ? "" : ", ", "x", i, ": f32[7, ", kColumns + i, "]"));
    append(outputs, cat(i == 0 ? "" : ", ", "y", i, " = softmax(x", i, ", axis=1)"));
  }
  const auto graph = parse_graph(cat("graph parts(", inputs, ") {\n  return ", outputs, "\n}"));
  PipelineOptions options;
  options.target = testing::machine();
  testing::must_run(options.target);
  Generated generated = generate(*graph, options);
  REQUIRE(generated.functions.size() >= kKernels);

  const auto results = [&](std::vector<SourceFunction> functions) {
    Bench bench;
    bench.options.compilers = 4;
    CompileService service = bench.service();
    CompileRequest request;
    request.source = generated.source;
    request.functions = std::move(functions);
    request.target = options.target;
    request.vectors_written = generated.vectors_written;
    const LoadedLibrary library = LoadedLibrary::load(bench.system, *service.compile(request));
    std::vector<std::vector<float>> in, out;
    std::vector<void*> in_pointers, out_pointers;
    for (int i = 0; i < kKernels; ++i) {
      const size_t size = static_cast<size_t>(kColumns + i) * 7;
      in.emplace_back(size);
      for (size_t e = 0; e < size; ++e) in.back()[e] = static_cast<float>(e % 101) / 8;
      out.emplace_back(size);
    }
    for (int i = 0; i < kKernels; ++i)
      in_pointers.push_back(in[static_cast<size_t>(i)].data()), out_pointers.push_back(out[static_cast<size_t>(i)].data());
    CHECK(library.entry_point_ex()(in_pointers.data(), out_pointers.data(), nullptr, nullptr) == 0);
    return out;
  };
  CHECK(split_source(generated.source, generated.functions, worthwhile_parts(generated.functions, 4)).size() > 1);
  CHECK(results(generated.functions) == results({}));
}

TEST_CASE("compile: an error in one part is the compilation's, and names that part's command") {
  Bench bench;
  CompileRequest request = request_of_functions(9, 4000);
  const size_t at = request.source.find("return value7");
  request.source.replace(at, 6, "retrun");
  bench.options.compilers = 2;
  CompileService service = bench.service();
  const Error error = error_of([&] { service.compile(request); });
  CHECK(error.code == Code::kCompiler);
  CHECK(error.message.find("-c ./unit") != error.message.npos);
  CHECK(error.compiler_output.find("retrun") != error.compiler_output.npos);
}
