"""Tests the Python package (bindings/python): its generated files are what its generator writes; it builds with pip; its own tests pass;
each code block of README.md and docs/python.md runs; and its types are complete.

rows: G11.constants/python G11.operators/python H1.lazy/python H1.realize/python H1.cached/python H6.numpy_in/python H6.numpy_out/python
"""
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from package_group import absent, note, require

SOURCE, BUILD = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_BUILD_DIR"]
PACKAGE = os.path.join(SOURCE, "bindings", "python")
# A virtual environment with the packages that Debian does not have (.ci/python-requirements.txt). ./dev creates it.
VENV = os.path.join(BUILD, "python_venv")
PYTHON = os.path.join(VENV, "bin", "python")
ROWS = {"test_tensor": "G11.constants,operators/python", "test_lazy": "H1.lazy,realize,cached/python",
        "test_numpy": "H6.numpy_in,numpy_out/python"}


def run(*command, **keywords):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **keywords)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout[-20000:]}{result.stderr[-4000:]}")
    return result.stdout


def install(target, library, build_directory):
    """Runs the README's command exactly as it is written. Environment variables make pip use the existing libharp (building one gives the
    same package, but takes minutes longer), query no registry, and install into a test folder. The build type has a name that nanobind does
    not know, so nanobind's own sources are compiled without optimisation; harp's CMakeLists.txt gives the sources of the package -O2."""
    with open(os.path.join(PACKAGE, "README.md"), encoding="utf-8") as file:
        command = re.search(r"^```sh\n(.*?)^```$", file.read(), re.M | re.S)[1]
    assert command.strip() == "pip install ./bindings/python", command
    environment = {**os.environ, "PATH": os.path.dirname(PYTHON) + os.pathsep + os.environ["PATH"], "SKBUILD_BUILD_DIR": build_directory,
                   "SKBUILD_CMAKE_BUILD_TYPE": "Test", "SKBUILD_CMAKE_DEFINE": f"HARP_LIBRARY={os.path.realpath(library)};CMAKE_CXX_FLAGS_TEST=-DNDEBUG",
                   "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1",
                   "PIP_TARGET": target, "PIP_UPGRADE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run("bash", "-ec", command, cwd=SOURCE, env=environment)


def check_types(target):
    """Checks with pyright, which needs node, that everything that the installed package exports has a type."""
    pyright = os.path.join(VENV, "bin", "pyright")
    environment = {**os.environ, "PYTHONPATH": target, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    if not os.path.exists(pyright):
        return not absent(__file__, "pyright is not installed (.ci/python-requirements.txt); ./dev setup python", ".pyright")
    if not shutil.which("node"):
        return not absent(__file__, "pyright needs node, which is not installed; ./dev setup python", ".pyright")
    result = subprocess.run([pyright, "--pythonpath", PYTHON, "--ignoreexternal", "--verifytypes", "harp"], env=environment, cwd=BUILD,
                            capture_output=True, text=True, check=False)
    if result.returncode == 0 and "Type completeness score: 100%" in result.stdout:
        return True
    print(result.stdout[-4000:] + result.stderr[-1000:])
    note(__file__, "fail", "pyright --verifytypes harp does not find all types", ".pyright")
    return False


def record(junit):
    """Writes one line for each test case to the file of results, which ./dev rows reads. Returns the number of failures."""
    failed = 0
    lines = []
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        module = case.get("classname", "").rpartition(".")[2]
        bad = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped")
        name = f"{ROWS.get(module, 'python')}: {module}.{case.get('name')}"
        if skipped is not None and not bad:
            lines.append(f"skip\t{name}\t{PACKAGE}\t{skipped.get('message', '')}")
        else:
            lines.append(f"{'fail' if bad else 'pass'}\t{name}\t{PACKAGE}")
        failed += bad
    if os.environ.get("HARP_TEST_RESULTS"):
        with open(os.environ["HARP_TEST_RESULTS"], "a", encoding="utf-8") as file:
            file.write("".join(line.replace("\n", " ") + "\n" for line in lines))
    return failed


def main():
    run(sys.executable, os.path.join(PACKAGE, "generate.py"), "--check")
    require("python", __file__, modules=("numpy", "hypothesis", "pytest"), programs=(PYTHON,))
    if os.environ.get("HARP_SANITIZE"):
        print("skip: Python itself is not built with sanitizers")
        return 0
    target = os.path.join(BUILD, "python_package")
    install(target, os.path.join(BUILD, "libharp.so"), os.path.join(BUILD, "python_test_build"))
    typed = check_types(target)
    junit = os.path.join(BUILD, "python_package.xml")
    environment = {**os.environ, "PYTHONPATH": target, "HARP_PYTHON_TOOLS": os.path.join(VENV, "bin"),
                   "HYPOTHESIS_STORAGE_DIRECTORY": os.path.join(BUILD, "hypothesis")}
    result = subprocess.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={junit}", os.path.join(PACKAGE, "tests")],
                            env=environment, check=False, cwd=BUILD)
    return 1 if record(junit) or result.returncode != 0 or not typed else 0


if __name__ == "__main__":
    sys.exit(main())
