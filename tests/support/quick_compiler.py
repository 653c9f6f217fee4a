"""Options of `harp run --backend c` for tests that check the results of the C text, not its speed. Without optimisation, and with clang if
it is installed, a compilation takes a tenth of the time. The option -Dalways_inline= removes the attribute always_inline from the text (see
unoptimised.h)."""
import shutil

QUICK = ["--flag", "-O0", "--flag", "-Dalways_inline="] + (["--compiler", "clang"] if shutil.which("clang") else [])
