#include "render/kernel/scope.h"

namespace harp::render {

Scope::Scope(Unit& the_unit, Subject the_subject, std::function<std::string(const SymAtom*)> shape_name)
    : unit(the_unit),
      subject(std::move(the_subject)),
      position(the_unit, names,
               [this, shape_name = std::move(shape_name)](const SymAtom* v) {
                 shape_variables.insert(v);
                 return shape_name(v);
               }),
      group_threads(subject.kernel == nullptr || unit.dialect.groups.of_block == nullptr ? 0 : ir::group_size(*subject.kernel)),
      groups(group_threads == 0 ? 0 : unit.dialect.groups.of_block(unit, group_threads, ir::shared_bytes(*subject.kernel))) {}

}  // namespace harp::render
