"""Words for `harp run --backend c` where a test is about what the C text computes, not about optimised code: without optimisation, by clang
where it is installed, a compilation takes a tenth of the time.
"""
import shutil

QUICK = ["--flag", "-O0"] + (["--compiler", "clang"] if shutil.which("clang") else [])
