// The C statements for vectors: those functions in Dialect::vectors that return statements, and the values that they store.
#pragma once

#include <string>

#include "render/kernel/address.h"

namespace harp::render {

std::string stored_vector(const Scope& scope, const ir::Store& store);
std::string vector_store(const Scope& scope, const Address& at, const ir::Store& store);
std::string store_of_pairs(const Scope& scope, const std::string& pointer, ir::Type type, const std::string& first,
                           const std::string& second);
std::string recomputed_lanes(const Scope& scope, const ir::UOp* u, const std::string& name);

}  // namespace harp::render
