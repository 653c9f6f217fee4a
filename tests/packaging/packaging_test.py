"""Tests what users get: the symbols of the library, and harp as an installed package in the builds of other projects.

Installs the build into a scratch prefix and builds consumer.c with it in every supported way. Each case is a method. The first line of its
docstring names the items of tests/rows.txt that the case covers, and is the name under which the case is reported (see
tests/house/rows.py).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import cases  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.environ["HARP_SOURCE_DIR"]
BUILD = os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users
HERE = os.path.dirname(os.path.abspath(__file__))
# libdl, libpthread and librt are part of libc since glibc 2.34; older systems list them.
MAY_NEED = re.compile(r"^(libc|libm|libstdc\+\+|libgcc_s|libffi|libdl|libpthread|librt|ld-linux.*)\.so")


def run(*command, cwd=None, **environment):
    """Returns the output of a command. If the command fails, raises AssertionError with everything that it printed."""
    result = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}"
    return result.stdout


def find(root, name):
    for directory, _, names in os.walk(root):
        if name in names:
            return os.path.join(directory, name)
    raise AssertionError(f"no {name} under {root}")


def declared_functions(header):
    """Returns the functions that harp.h declares after HARP_API or HARP_API_SINCE(2)."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|^\s*#[^\n]*", " ", file.read(), flags=re.S | re.M)
    return set(re.findall(r"\bHARP_API(?:_SINCE\(\d+\))?\s[^;(]*?\b(harp_\w+)\s*\(", text))


class Packaging:
    def __init__(self, scratch):
        self.scratch = scratch
        self.prefix = os.path.join(scratch, "prefix")
        self.cache = os.path.join(scratch, "cache")
        run("cmake", "--install", BUILD, "--prefix", self.prefix)
        self.library = find(self.prefix, "libharp.so")
        self.header = find(self.prefix, "harp.h")

    def pkg_config_path(self, prefix):
        return os.path.dirname(find(prefix, "harp.pc"))

    def run_consumer(self, program, prefix, **environment):
        output = run(program, LD_LIBRARY_PATH=os.path.dirname(find(prefix, "libharp.so")), HARP_CACHE_DIR=self.cache, **environment)
        assert re.match(r"harp \d+\.\d+\.\d+ ok\n$", output), output

    def build_with_make(self, prefix, package, out):
        os.makedirs(out)
        run("make", "-s", "-C", HERE, f"HARP={package}", f"OUT={out}", PKG_CONFIG_PATH=self.pkg_config_path(prefix))
        return os.path.join(out, "consumer")

    def build_with_cmake(self, prefix, out):
        run("cmake", "-G", "Ninja", "-S", os.path.join(HERE, "cmake_consumer"), "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", out, "-j", "2")

    # The cases

    def case_add_subdirectory(self):
        """C1.shared_library: a project that adds harp's directory gets harp::harp, and neither harp's tests nor -Werror"""
        folder = os.path.join(self.scratch, "game")
        os.makedirs(folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.20)
                project(game LANGUAGES C CXX)
                add_subdirectory({SOURCE} harp EXCLUDE_FROM_ALL)
                add_executable(game {HERE}/consumer.c)
                target_link_libraries(game PRIVATE harp::harp m)
                add_executable(game_static {HERE}/consumer.c)
                target_link_libraries(game_static PRIVATE harp::harp_static m)""")
        run("cmake", "-G", "Ninja", "-S", folder, "-B", os.path.join(folder, "build"))
        for target in ("game", "game_static"):
            commands = run("ninja", "-C", os.path.join(folder, "build"), "-t", "commands", target)
            assert "-DHARP_BUILDING_LIBRARY" in commands, commands  # the sources of the library are compiled
            assert "-Werror" not in commands and os.path.join(SOURCE, "tests", "fuzz") not in commands, commands

    def case_symbols(self):
        """C1.shared_library: exported symbols are the functions of harp.h, all harp_*, under version HARP_0"""
        lines = [line.split() for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", self.library).splitlines()]
        exported = {fields[-1] for fields in lines if fields[-2] != "A"}
        wrong = [name for name in exported if not re.match(r"^harp_\w+@@HARP_0$", name)]
        assert not wrong, f"exported, but not of the C ABI: {wrong[:10]}"
        exported = {name.split("@")[0] for name in exported}
        declared = declared_functions(self.header)
        assert declared, "found no function in harp.h"
        assert not declared - exported, f"declared, but not exported: {sorted(declared - exported)[:10]}"
        assert not exported - declared, f"exported, but not declared: {sorted(exported - declared)[:10]}"

    def case_static_symbols(self):
        """C1.shared_library: the static library, too, shows the linker only the functions of harp.h"""
        if os.environ.get("HARP_SANITIZE"):
            return  # in a sanitizer build the archive has many objects, which need more visible symbols (see CMakeLists.txt)
        lines = run("nm", "-g", "--defined-only", find(self.prefix, "libharp.a")).splitlines()
        visible = {line.split()[-1] for line in lines if len(line.split()) == 3}
        assert visible == declared_functions(self.header), sorted(visible ^ declared_functions(self.header))[:10]

    def case_needed(self):
        """C1.cuda_driver C1.no_cuda C1.shared_library: DT_NEEDED names no driver library; SONAME, relro, bind-now"""
        text = run("readelf", "-dW", self.library)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        assert needed and all(MAY_NEED.match(name) for name in needed), f"DT_NEEDED: {needed}"
        assert "[libharp.so.0]" in text, "SONAME is not libharp.so.0"
        assert re.search(r"BIND_NOW|FLAGS.*\bNOW\b", text), "not linked with -z now"
        assert "TEXTREL" not in text and "RPATH" not in text and "RUNPATH" not in text, text
        assert "GNU_RELRO" in run("readelf", "-lW", self.library)

    def case_cuda_size(self):
        """C1.no_cuda: the parts for CUDA make the library at most 10 % larger"""
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            if "CMAKE_BUILD_TYPE:STRING=Release\n" not in file.read() or os.environ.get("HARP_SANITIZE"):
                return  # the limit is for what users get
        # The sizes of the object files' code and data. A function that several objects contain (a template or inline function) is counted
        # in each of them.
        root = os.path.join("CMakeFiles", "harp_objects.dir")
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
            outputs = {re.search(r" -o (\S+)", entry["command"])[1] for entry in json.load(file)}
        objects = [os.path.join(BUILD, output) for output in outputs if output.startswith(root) and output.endswith(".o")]
        found, sizes = set(), {True: 0, False: 0}  # by whether the object is for CUDA
        for line in run("size", *objects).splitlines()[1:]:
            size, path = line.split()[3], os.path.relpath(line.split(None, 5)[5], os.path.join(BUILD, root))
            # An object contains one source (src/run/cuda/driver.cpp.o) or several sources of a folder, after which it is named
            # (CMakeLists.txt, HARP_UNITY): unity_src_run_cuda_for_cuda_0_cxx.cxx.o.
            words = re.search(r"/(cuda|gpu)/|cuda\w*\.cpp|nvrtc|nvcc|_for_cuda_", path)
            sizes[words is not None] += int(size)
            if words:
                found.add(re.search(r"\bsrc/([a-z]+)|\bunity_src_([a-z]+)", path).group(1, 2))
        found = {one or other for one, other in found}
        # Each of these folders has code for CUDA. If a folder is missing, the regular expression above no longer finds its objects.
        assert found == {"backend", "compile", "lower", "render", "run", "schedule"}, sorted(found)
        share = sizes[True] / sizes[False]
        assert share <= 0.10, f"the parts for CUDA have {sizes[True]} bytes, {share:.1%} of the {sizes[False]} bytes of the others"

    def case_no_cuda_library(self):
        """C1.no_cuda: a program that uses no GPU opens neither CUDA's driver nor its compiler"""
        program = self.build_with_make(self.prefix, "harp", os.path.join(self.scratch, "no_cuda"))
        # ld.so lists each library that is to be loaded, also by dlopen and also if it is not found. There is a list for each process, in a
        # file whose name ends with the number of the process. tests/cuda/device_test.cpp tests the same on a machine with a (fake) driver,
        # by the calls of this driver.
        self.run_consumer(program, self.prefix, LD_DEBUG="files", LD_DEBUG_OUTPUT=os.path.join(self.scratch, "loaded"))
        libraries = set()
        for name in os.listdir(self.scratch):
            if re.match(r"loaded\.\d+$", name):
                with open(os.path.join(self.scratch, name), encoding="utf-8", errors="replace") as file:
                    libraries |= {os.path.basename(path) for path in re.findall(r"\bfile=(\S+)", file.read())}
        assert "libharp.so.0" in libraries, sorted(libraries)  # otherwise the lists were not read correctly
        opened = [name for name in libraries if re.match(r"lib(cuda|nvrtc|nvidia)", name)]
        assert not opened, opened

    def case_nothing_at_load(self):
        """X9.no_tls C1.no_cuda C1.shared_library: no thread-local storage, no static constructors: loading runs none of the library's code"""
        assert not re.search(r"^\s*TLS\b", run("readelf", "-lW", self.library), re.M), "the library has thread-local variables"
        # The compiler adds static constructors of its own: frame_dummy, and one that fills the table of __builtin_cpu_supports. They are
        # not counted.
        names = run("nm", self.library)
        own = 1 + ("__cpu_indicator_init" in names)
        size = int(re.search(r"\(INIT_ARRAYSZ\)\s+(\d+)", run("readelf", "-dW", self.library))[1])
        constructors = re.findall(r"_GLOBAL__sub_I_\S+", names)
        assert size <= 8 * own and not constructors, f"{size // 8 - own} static constructors: {constructors}"

    def case_c99(self):
        """C1.opaque_handles: harp.h as C99 and C++11, pedantic, alone and twice, with gcc and clang"""
        include = os.path.dirname(self.header)
        for text in ("#include <harp.h>\n", "#include <harp.h>\n#include <harp.h>\n"):
            for language, standards in (("c", ("c99", "c11", "c17")), ("c++", ("c++11", "c++20"))):
                for compiler in ("gcc", "clang"):
                    for standard in standards:
                        path = os.path.join(self.scratch, "alone")
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(text)
                        run(compiler, f"-std={standard}", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", include,
                            "-x", language, "-fsyntax-only", path)

    def case_consumer_cpp11(self):
        """C1.opaque_handles: the consumer as C++11"""
        out = os.path.join(self.scratch, "consumer11")
        flags = run("pkg-config", "--cflags", "--libs", "harp", PKG_CONFIG_PATH=self.pkg_config_path(self.prefix)).split()
        run("c++", "-std=c++11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-x", "c++", os.path.join(HERE, "consumer.c"), "-x", "none",
            "-o", out, *flags)
        self.run_consumer(out, self.prefix)

    def case_shared(self):
        """C2.pkgconfig/shared C2.consumer_makefile: a Makefile with nothing but pkg-config"""
        program = self.build_with_make(self.prefix, "harp", os.path.join(self.scratch, "shared"))
        assert "libharp.so.0" in run("readelf", "-dW", program)
        self.run_consumer(program, self.prefix)

    def case_static(self):
        """C2.pkgconfig/static: harp-static, and --static where there is only the archive"""
        program = self.build_with_make(self.prefix, "harp-static", os.path.join(self.scratch, "static"))
        assert "libharp" not in run("readelf", "-dW", program)
        self.run_consumer(program, self.prefix)
        only = os.path.join(self.scratch, "only_static")
        shutil.copytree(self.prefix, only, symlinks=True, ignore=shutil.ignore_patterns("libharp.so*"))
        flags = run("pkg-config", "--static", "--cflags", "--libs", "harp", PKG_CONFIG_PATH=self.pkg_config_path(only)).split()
        program = os.path.join(self.scratch, "static2")
        run("cc", "-std=c99", os.path.join(HERE, "consumer.c"), "-o", program, *flags)
        self.run_consumer(program, self.prefix)

    def case_cmake(self):
        """C2.cmake/shared,static: find_package(harp)"""
        out = os.path.join(self.scratch, "cmake")
        self.build_with_cmake(self.prefix, out)
        assert "libharp.so.0" in run("readelf", "-dW", os.path.join(out, "consumer_shared"))
        assert "libharp" not in run("readelf", "-dW", os.path.join(out, "consumer_static"))
        for name in ("consumer_shared", "consumer_static"):
            self.run_consumer(os.path.join(out, name), self.prefix)

    def case_relocated(self):
        """C2.relocatable: the prefix moved elsewhere serves pkg-config, CMake and the tool"""
        moved = os.path.join(self.scratch, "moved", "elsewhere")
        shutil.copytree(self.prefix, moved, symlinks=True)
        aside = self.prefix + ".aside"
        os.rename(self.prefix, aside)  # now everything that still refers to the original place fails
        try:
            self.run_consumer(self.build_with_make(moved, "harp", os.path.join(self.scratch, "moved_make")), moved)
            self.run_consumer(self.build_with_make(moved, "harp-static", os.path.join(self.scratch, "moved_static")), moved)
            out = os.path.join(self.scratch, "moved_cmake")
            self.build_with_cmake(moved, out)
            self.run_consumer(os.path.join(out, "consumer_shared"), moved)
            run(os.path.join(moved, "bin", "harp"), "info", HARP_CACHE_DIR=self.cache)
        finally:
            os.rename(aside, self.prefix)

    def case_description(self):
        """C3: harp.api.json is installed next to harp.h"""
        installed_path = os.path.join(os.path.dirname(self.header), "harp.api.json")
        with open(installed_path, encoding="utf-8") as installed, open(os.path.join(SOURCE, "include", "harp.api.json"), encoding="utf-8") as ours:
            assert installed.read() == ours.read(), installed_path

    def case_uninstalled_files(self):
        """C2.relocatable: no installed text file contains a path of the place where harp was built or installed"""
        for directory, _, names in os.walk(self.prefix):
            for name in names:
                if name.endswith((".pc", ".cmake", ".h", ".hpp", ".json")):
                    with open(os.path.join(directory, name), encoding="utf-8") as file:
                        text = file.read()
                    for place in (SOURCE, BUILD, self.prefix):
                        assert place not in text, f"{name} names {place}"


def main():
    with tempfile.TemporaryDirectory(prefix="harp-packaging-") as scratch:
        return cases.run(cases.of(Packaging(scratch)), __file__)


if __name__ == "__main__":
    sys.exit(main())
