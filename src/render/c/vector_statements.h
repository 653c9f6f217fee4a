// The C statements for vectors: those functions in Dialect::vectors that return statements.
#pragma once

#include <string>
#include <vector>

#include "render/kernel/address.h"

namespace harp::render {

std::string vector_store(const Scope& scope, const Address& at, const ir::Store& store);
bool stores_interleaved(const Unit& unit, ir::Type type, int parts);
std::string interleaved_store(const Scope& scope, const std::string& pointer, ir::Type type, const std::vector<std::string>& parts);
std::string recomputed_lanes(const Scope& scope, const ir::UOp* u, const std::string& name);

}  // namespace harp::render
