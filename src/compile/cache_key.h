// Computes the cache key of a compilation: a digest of everything that the result depends on, and of nothing else. The results of requests
// with equal keys must be interchangeable, in this and all later versions of harp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "compile/compiler.h"

namespace harp {

/// Adds C-like source to `hasher` as one field. Each comment counts as one space, as in C; string and character literals are kept.
/// Therefore a source whose comments have changed needs no new compilation.
void add_source(Hasher& hasher, std::string_view source);

/// Returns the cache key of a request. `command` must be compiler.command(request).
Digest cache_key(const Compiler& compiler, const CompileRequest& request, const std::vector<std::string>& command);

}  // namespace harp
