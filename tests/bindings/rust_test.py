"""The Rust crates: generated files equal what the generator writes; clippy gives no warnings; all tests pass, including those in
documentation and tutorial, with each way to find libharp; and bindings/rust/README.md works exactly as it is written.

rows: C3.rust H1.lazy/rust H1.realize/rust H1.cached/rust H6.ndarray_in/rust H6.ndarray_out/rust G11.constants/rust G11.operators/rust
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["HARP_SOURCE_DIR"]
BUILD = os.environ["HARP_BUILD_DIR"]
RUST = os.path.join(SOURCE, "bindings", "rust")
FEATURES = "ndarray,half,num-complex"
# False warnings of the clippy of Rust 1.63 (Debian 12), which later versions do not give: about thread_local!, and about threads that are
# all started before the first one is joined.
WRONG_WARNINGS = ("-A", "clippy::declare_interior_mutable_const", "-A", "clippy::needless_collect")
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
from package_group import absent, require  # noqa: E402

require("rust", __file__, programs=("cargo", "rustc"))
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users


def record(status, name, reason=""):
    print(f"{status} {name}{': ' + reason if reason else ''}", flush=True)
    if os.environ.get("HARP_TEST_RESULTS"):
        with open(os.environ["HARP_TEST_RESULTS"], "a", encoding="utf-8") as file:
            file.write("\t".join([status, name, os.path.abspath(__file__)] + ([reason] if reason else [])) + "\n")


def run(*command, cwd=RUST, **environment):
    result = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout[-20000:]}{result.stderr[-5000:]}"
    return result.stdout


class Absent(Exception):
    """Raised if a part of the package group rust is not installed."""


class Skipped(Exception):
    """Raised if the installed Debian has another version of a package than the tests need."""


def installed(prefix):
    """Installs harp and returns an environment in which cargo finds it."""
    run("cmake", "--install", BUILD, "--prefix", prefix)
    folder = next(path for path, _, files in os.walk(prefix) if "harp.pc" in files)
    return {"PKG_CONFIG_PATH": folder, "LD_LIBRARY_PATH": os.path.dirname(folder)}


def check_generated(_):
    output = run(sys.executable, "generate.py", "--check")
    assert "skip" not in output or output.strip() == "skip bindgen: bindgen 0.60 is not installed", output
    if not shutil.which("bindgen"):
        raise Absent("bindgen is not installed; ./dev setup rust")
    if "skip" in output:
        raise Skipped("this bindgen is not version 0.60, so the text that it writes differs")


def check_lint(harp):
    if subprocess.run(["cargo", "clippy", "--version"], capture_output=True, check=False).returncode != 0:
        raise Absent("cargo has no clippy; ./dev setup rust")
    run("cargo", "clippy", "--quiet", "--locked", "--all-targets", "--features", FEATURES, "--", "-D", "warnings", *WRONG_WARNINGS, **harp)
    run("cargo", "fmt", "--check", **harp)


def check_tests(harp):
    run("cargo", "test", "--quiet", "--locked", "--features", FEATURES, **harp)


def check_static(harp):
    run("cargo", "test", "--quiet", "--locked", "-p", "harp", "--no-default-features", "--features", "static", "--test", "graph", **{**harp, "LD_LIBRARY_PATH": ""})


def check_load_dynamic(harp):
    """Runs the tests with the feature that loads libharp at run time, and without pkg-config."""
    environment = {**harp, "PKG_CONFIG_PATH": ""}
    run("cargo", "test", "--quiet", "--locked", "-p", "harp", "--no-default-features", "--features", "load-dynamic", "--test", "graph", "--test", "load", "--test", "threads", **environment)


def check_read_me(harp):
    """Runs the README's commands exactly as they are written, in an empty home folder. Builds its program and compares the output with the
    one that the README shows."""
    with open(os.path.join(RUST, "README.md"), encoding="utf-8") as file:
        text = file.read()
    commands = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    program, = re.findall(r"^```rust\n(.*?)^```$", text, re.M | re.S)
    shown, = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
    install, begin, build = commands
    assert "build/release" in install
    with tempfile.TemporaryDirectory(prefix="harp-rust-readme-") as home:
        with open(os.path.join(home, "main.rs"), "w", encoding="utf-8") as file:
            file.write(program)
        script = f"cd '{home}'\n{{\n{install.replace('build/release', repr(BUILD))}\n{begin}\n}} >&2\ncp ../main.rs src/main.rs\n{build}"
        tools = {name: os.environ.get(name) or os.path.join(os.path.expanduser("~"), folder) for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"))}
        output = run("bash", "-ec", script, HOME=home, HARP_CACHE_DIR=os.path.join(home, "cache"), CARGO_TARGET_DIR=harp["CARGO_TARGET_DIR"], **tools)
    assert output == shown, f"the README shows\n{shown}but the program prints\n{output}"


def main():
    if os.environ.get("HARP_SANITIZE"):
        record("skip", "script.rust", "cargo's programs do not load the sanitizers' run-times")
        return 0
    # If the crates are in cargo's cache, fetching them needs no connection.
    fetched = subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=RUST, capture_output=True, text=True, check=False)
    if fetched.returncode != 0:
        return int(absent(__file__, "the crates of Cargo.lock are not in cargo's cache and cannot be fetched; ./dev setup rust"))
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-rust-") as prefix:
        harp = {**installed(prefix), "CARGO_TARGET_DIR": os.path.join(BUILD, "cargo")}
        for check in (check_generated, check_lint, check_tests, check_static, check_load_dynamic, check_read_me):
            name = f"script.rust.{check.__name__[len('check_'):]}"
            try:
                check(harp)
                record("pass", name)
            except Skipped as reason:
                record("skip", name, str(reason))
            except Absent as reason:
                status |= absent(__file__, str(reason), name[len("script.rust"):])
            except AssertionError as error:
                status = 1
                record("fail", name)
                print(error)
    return status


if __name__ == "__main__":
    sys.exit(main())
