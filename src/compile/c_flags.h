// Chooses the flags of the C compiler: flags for every source, flags that depend on the request, and flags for linking.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace harp {

/// Returns the major version of gcc, or 0 if it is unknown; returns nothing if the compiler is not gcc. `version` is
/// CompilerIdentity::version.
std::optional<int> gcc_version(std::string_view version);

/// Returns the flags that depend on the request and on the compiler. `gcc` is the result of gcc_version().
std::vector<std::string> varying_flags(const CompileRequest& request, std::optional<int> gcc);
/// Return the flags of every compilation and the flags of every link.
std::span<const char* const> compile_flags();
std::span<const char* const> link_flags();

/// True if a flag's effect depends only on its text. False for flags that may name a file (-include, -I, -B, --sysroot, -specs, @file,
/// -fplugin=…) or depend on this machine (-march=native).
bool is_self_contained(std::string_view flag);

}  // namespace harp
