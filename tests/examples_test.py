"""The programs of examples/npb are built as any consumer builds, against an installed harp, and give the published results."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = os.environ["HARP_BUILD_DIR"]


def run(*command, expected=0, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == expected, f"{command}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def check_npb(scratch, library, pkg_config):
    run("make", "-s", "-C", SOURCE / "examples/npb", f"BUILD={scratch}", CFLAGS="-O2 -Werror", PKG_CONFIG_PATH=str(pkg_config))
    settings = {"LD_LIBRARY_PATH": str(library), "HARP_CACHE_DIR": str(scratch / "cache")}
    for program in ("mg", "cg"):
        output = run(scratch / program, "S", **settings)
        assert output.endswith("VERIFICATION SUCCESSFUL\n"), output
        assert "usage: " + program in run(scratch / program, "Z", expected=2, **settings)
        print(f"pass {program} S")


def main():
    with tempfile.TemporaryDirectory(prefix="harp-examples-") as name:
        scratch = Path(name)
        run("cmake", "--install", BUILD, "--prefix", scratch / "prefix")
        pkg_config = next((scratch / "prefix").rglob("harp.pc")).parent
        check_npb(scratch, pkg_config.parent, pkg_config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
