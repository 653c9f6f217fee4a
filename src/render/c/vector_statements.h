// Functions that return C statements for vectors, and functions for the values that such statements store. The renderer calls them through
// pointers in the table of the C dialect (Dialect::vectors in render/kernel/dialect.h).
#pragma once

#include <string>

#include "render/kernel/address.h"

namespace harp::render {

std::string stored_vector(const Scope& scope, const ir::Store& store);
std::string vector_store(const Scope& scope, const Address& at, const ir::Store& store);
bool interleaves(const Unit& unit, DType dtype, int lanes, int parts);
std::string recomputed_lanes(const Scope& scope, const ir::UOp* u, const std::string& name);

}  // namespace harp::render
