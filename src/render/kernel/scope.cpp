#include "render/kernel/scope.h"

namespace harp::render {

Scope::Scope(Unit& the_unit, Subject the_subject, std::function<std::string(const SymAtom*)> shape_name)
    : unit(the_unit),
      subject(std::move(the_subject)),
      sizes(std::move(shape_name), the_unit.dialect.divided != nullptr),
      position(the_unit, names, sizes),
      group_threads(subject.kernel == nullptr || unit.dialect.groups.of_block == nullptr ? 0 : ir::group_size(*subject.kernel)),
      groups(group_threads == 0 ? 0 : unit.dialect.groups.of_block(unit, group_threads, ir::shared_bytes(*subject.kernel))) {}

}  // namespace harp::render
