#include "render/kernel/body.h"

#include "base/error.h"
#include "render/kernel/statements.h"

namespace harp::render {
namespace {

std::string no_shape_variable(const SymAtom* v) { fail(Code::kInternal, "a math function mentions the shape variable ", v->name); }

Body body_of(Scope& scope, Result result, std::span<const ir::Line> lines) {
  StatementWriter writer(scope, std::move(result));
  while (!lines.empty()) lines = lines.subspan(writer.write(lines));
  return {writer.take(), scope.sizes.used()};
}

}  // namespace

Body render_function_body(Unit& unit, const ir::Function& function, int lanes, std::vector<std::string> parameters, bool holds_constants) {
  Scope scope(unit, {.lanes = lanes, .holds_constants = holds_constants, .parameters = std::move(parameters)}, no_shape_variable);
  const int mask_bits = lanes > 1 ? unit.dialect.vectors.mask_bits_of_result(function) : 0;
  return body_of(scope, {.mask_bits = mask_bits}, ir::linearize(function));
}

Body render_function_of_two(Unit& unit, const ir::Function& function, int lanes, const std::vector<std::string>& parameters,
                            bool holds_constants) {
  const auto subject_of = [&](int vector) {
    std::vector<std::string> names;
    for (const std::string& parameter : parameters) names.push_back(cat(parameter, vector));
    return Subject{.lanes = lanes, .holds_constants = holds_constants, .parameters = std::move(names)};
  };
  Scope first_scope(unit, subject_of(0), no_shape_variable), second_scope(unit, subject_of(1), no_shape_variable);
  StatementWriter first(first_scope, {.head = "*r0 = "}), second(second_scope, {.head = "*r1 = "});
  Body body;
  for (const ir::Line& line : ir::linearize(function)) {
    const auto write = [&](StatementWriter& writer, std::string_view suffix) {
      ir::Line one = line;
      append(one.name, suffix);
      for (auto& [value, name] : one.names) append(name, suffix);
      writer.write({&one, 1});
      append(body.text, writer.take());
    };
    write(first, "_0");
    write(second, "_1");
  }
  return body;
}

Body render_kernel_body(Unit& unit, const ir::Module& module, const ir::Kernel& kernel,
                        const std::function<std::string(const SymAtom*)>& shape_name) {
  Scope scope(unit,
              {.kernel = &kernel,
               .arena = module.arena.get(),
               .parameters = ir::parameter_names(kernel),
               .accumulators = layouts_of(kernel, unit.dialect.groups.of_block != nullptr)},
              shape_name);
  return body_of(scope, {}, ir::linearize(kernel));
}

}  // namespace harp::render
