// The name of a compilation: a digest of everything its result depends on, and of nothing else. Two requests with equal keys must be
// interchangeable, for as long as caches live.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "compile/compiler.h"

namespace harp {

/// Feeds C-like source to `hasher` as one field, without its comments (a comment counts as one space, as in C; string and character
/// literals are left alone). Names in comments may thus change without a new compilation.
void add_source(Hasher& hasher, std::string_view source);

/// `command` is compiler.command(request).
Digest cache_key(const Compiler& compiler, const CompileRequest& request, const std::vector<std::string>& command);

}  // namespace harp
