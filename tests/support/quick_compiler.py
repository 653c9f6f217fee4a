"""Words for `harp run --backend c` where a test is about what the C text computes, not about optimised code: without optimisation, by clang
where it is installed, a compilation takes a tenth of the time. -Dalways_inline= takes the attribute out of the text (see unoptimised.h).
"""
import shutil

QUICK = ["--flag", "-O0", "--flag", "-Dalways_inline="] + (["--compiler", "clang"] if shutil.which("clang") else [])
