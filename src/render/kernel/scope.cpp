#include "render/kernel/scope.h"

namespace harp::render {

Scope::Scope(Unit& the_unit, Subject the_subject, std::function<std::string(const SymAtom*)> shape_name)
    : unit(the_unit),
      subject(std::move(the_subject)),
      position(the_unit, names, [this, shape_name = std::move(shape_name)](const SymAtom* v) {
        shape_variables.insert(v);
        return shape_name(v);
      }) {}

}  // namespace harp::render
