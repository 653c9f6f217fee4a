"""Loads several copies of harp into one process, also in programs that have functions with harp's names. Every copy must call only its own
functions.

copies.c loads the given copies and calls each through its table of functions. Each case is a method. The first line of its docstring names
the items of tests/rows.txt that the case covers, and is the name under which the case is reported (see tests/house/rows.py).
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from packaging_test import BUILD, HERE, SOURCE, cases, declared_functions, run  # pylint: disable=wrong-import-position

INCLUDE = os.path.join(SOURCE, "include")
HEADER = os.path.join(INCLUDE, "harp.h")
SANITIZE = [f"-fsanitize={os.environ['HARP_SANITIZE']}"] if os.environ.get("HARP_SANITIZE") else []
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)] if not SANITIZE else ["cc"]


class Copies:
    def __init__(self, scratch):
        self.scratch = scratch
        self.library = os.path.realpath(os.path.join(BUILD, "libharp.so"))
        self.copy = shutil.copy(self.library, self.path("another.so"))
        self.functions = declared_functions(HEADER)
        with open(self.path("own.c"), "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <stdlib.h>\n")
            for name in sorted(self.functions):
                file.write(f'void {name}(void) {{ fputs("the host\'s {name} was called\\n", stderr); exit(3); }}\n')
        self.plain = self.host("gcc" if "gcc" in COMPILERS else COMPILERS[0], "plain", [])
        self.with_names = self.host(COMPILERS[0], "with_names", [self.path("own.c")])

    def path(self, name):
        return os.path.join(self.scratch, name)

    def host(self, compiler, name, more):
        run(compiler, *SANITIZE, "-std=gnu99", "-I", INCLUDE, "-rdynamic", "-o", self.path(name), os.path.join(HERE, "copies.c"), *more, "-ldl")
        return self.path(name)

    def runs(self, host, scope, *copies):
        output = run(host, scope, *copies, HARP_CACHE_DIR=self.path("cache"))
        assert output == f"{len(copies)} copies ok\n", output

    def plugin(self, compiler):
        """Links harp into a shared object, as another project might do. The shared object exports all symbols."""
        path = self.path(f"plugin_{compiler}.so")
        run(compiler, *SANITIZE, "-shared", "-fPIC", "-o", path, "-Wl,-u,harp_get_api", os.path.join(BUILD, "libharp.a"), "-lffi", "-lstdc++", "-lm",
            "-lpthread", "-ldl")
        return path

    # The cases

    def case_bound(self):
        """C1.shared_library: no call inside the library goes through a name that another library could have"""
        for line in run("readelf", "-rW", self.library).splitlines():
            fields = line.split()
            assert len(fields) < 5 or not (re.search("JUMP_SLO|GLOB_DAT", fields[2]) and fields[4].startswith("harp_")), line

    def case_two_copies(self):
        """C1.shared_library: two copies in one process call themselves, whichever way the first is loaded"""
        for scope in ("local", "global"):
            self.runs(self.plain, scope, self.library, self.copy)

    def case_loaded_again(self):
        """C1.shared_library: a library that is closed and loaded again gives each program its own code, while older programs exist"""
        # The program closes the libraries without releasing its contexts, which the leak checker of AddressSanitizer would report.
        output = run(self.plain, "again", self.library, HARP_CACHE_DIR=self.path("cache"),
                     ASAN_OPTIONS=":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"))))
        assert output == "loaded again\n", output

    def case_host_with_names(self):
        """C1.shared_library: functions of a program that have harp's names replace none of harp's, in the shared and the static library"""
        self.runs(self.with_names, "local", self.library)
        self.runs(self.with_names, "local", self.library, self.copy)
        for compiler in COMPILERS:
            plugin = self.plugin(compiler)
            self.runs(self.with_names, "local", plugin)
            self.runs(self.plain, "global", self.library, plugin)

    def case_addresses(self):
        """C1.shared_library: an executable that is linked with harp may take the address of its functions, wherever it is loaded itself"""
        text = ("#include <harp.h>\n#include <stdio.h>\nuint32_t (*volatile version)(void) = harp_version;\n"
                "int main(void) { puts(version() == harp_version() ? \"same\" : \"not the same\"); return 0; }\n")
        with open(self.path("address.c"), "w", encoding="utf-8") as file:
            file.write(text)
        for compiler in COMPILERS:
            for position in (("-fno-pic", "-no-pie"), ("-fPIE", "-pie")):
                run(compiler, *SANITIZE, *position, "-I", INCLUDE, "-o", self.path("address"), self.path("address.c"), self.library)
                assert run(self.path("address"), LD_LIBRARY_PATH=BUILD) == "same\n"


def main():
    with tempfile.TemporaryDirectory(prefix="harp-copies-") as scratch:
        return cases.run(cases.of(Copies(scratch)), __file__)


if __name__ == "__main__":
    sys.exit(main())
