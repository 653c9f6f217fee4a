// Functions that return C statements for vectors. Dialect::vectors contains pointers to them, through which the renderer calls them.
#pragma once

#include <string>

#include "render/kernel/address.h"

namespace harp::render {

std::string vector_store(const Scope& scope, const Address& at, const ir::Store& store);
std::string store_of_pairs(const Scope& scope, const std::string& pointer, ir::Type type, const std::string& first,
                           const std::string& second);
std::string recomputed_lanes(const Scope& scope, const ir::UOp* u, const std::string& name);

}  // namespace harp::render
