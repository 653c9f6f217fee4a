// The key of a compilation: a digest of everything that its result depends on, and of nothing else. Requests with equal keys must be
// interchangeable for as long as caches exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "compile/compiler.h"

namespace harp {

/// Adds C-like source to `hasher` as one field, without comments. A comment counts as one space, as in C; string and character literals are
/// kept. So a changed comment needs no new compilation.
void add_source(Hasher& hasher, std::string_view source);

/// `command` must be compiler.command(request).
Digest cache_key(const Compiler& compiler, const CompileRequest& request, const std::vector<std::string>& command);

}  // namespace harp
