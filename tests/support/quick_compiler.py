"""Options of `harp run --backend c` for tests of what the C text computes, not of optimised code. Without optimisation, and with clang if
it is installed, a compilation takes a tenth of the time. -Dalways_inline= removes that attribute from the text (see unoptimised.h)."""
import shutil

QUICK = ["--flag", "-O0", "--flag", "-Dalways_inline="] + (["--compiler", "clang"] if shutil.which("clang") else [])
