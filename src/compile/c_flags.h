// What a C compiler is told: the flags that every source is compiled with, those that vary, and those it is linked with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"

namespace harp {

/// The first number of a gcc's version, 0 where it does not say; nothing for other compilers. `version` is CompilerIdentity::version.
std::optional<int> gcc_version(std::string_view version);

/// Those that depend on the request and on the compiler.
std::vector<std::string> varying_flags(const CompileRequest& request, std::optional<int> gcc);
/// Those of every source, and of every program.
std::span<const char* const> compile_flags();
std::span<const char* const> link_flags();

/// Whether the whole meaning of a flag is in its text. Whatever may name a file (-include, -I, -B, --sysroot, -specs, @file, -fplugin=…) or
/// asks about this machine (-march=native) is not.
bool is_self_contained(std::string_view flag);

}  // namespace harp
