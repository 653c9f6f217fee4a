#!/usr/bin/env python3
"""Runs the Python package's tests once, with a libharp and an extension module that are compiled with AddressSanitizer and
UndefinedBehaviorSanitizer. Python itself is not compiled with these sanitizers, so their runtime library is preloaded. Leaks are not
reported, because Python keeps memory until it exits. Needs the packages that `./dev test` installs for Python, and builds the preset
asan-ubsan.
"""
import os
import subprocess
import sys

sys.path[:0] = [os.path.join(os.environ["HARP_SOURCE_DIR"], "tests", folder) for folder in ("bindings", "support")]
import python_package_test as package  # noqa: E402

BUILD = os.path.join(package.SOURCE, "build", "asan-ubsan")
SANITIZE = "-fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer -g"


def main():
    if not os.path.exists(package.PYTHON):
        print(f"skip: {package.PYTHON} is not there; ./dev setup python")
        return 0
    subprocess.run(["cmake", "--preset", "asan-ubsan"], cwd=package.SOURCE, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "harp_shared"], check=True, stdout=subprocess.DEVNULL)
    target = os.path.join(BUILD, "python_package")
    os.environ["CXXFLAGS"] = SANITIZE
    package.install(target, os.path.join(BUILD, "libharp.so"), os.path.join(BUILD, "python_build"))
    runtime = [subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
               for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")]
    environment = {**os.environ, "PYTHONPATH": target, "LD_PRELOAD": " ".join(runtime), "PYTHONMALLOC": "malloc",
                   "HYPOTHESIS_STORAGE_DIRECTORY": os.path.join(BUILD, "hypothesis"),
                   "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
    tests = os.path.join(package.PACKAGE, "tests")
    return subprocess.run([package.PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests], env=environment, check=False, cwd=BUILD).returncode


if __name__ == "__main__":
    sys.exit(main())
