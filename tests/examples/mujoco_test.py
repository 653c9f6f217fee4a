"""Runs the plug-in of examples/mujoco in the MuJoCo engine. examples/mujoco/check.py compares its forces, work and energy with NumPy,
compares its drag with MuJoCo's built-in drag model, and tests the error messages. The argument --full makes longer runs and measures times.

rows: C4.plugin
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import package_group

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = Path(os.environ["HARP_BUILD_DIR"])
PYTHON = BUILD / "mujoco_venv" / "bin" / "python"
package_group.require("mujoco", __file__, paths=(str(PYTHON), str(BUILD / "mujoco_venv" / "installed")))
if os.environ.get("HARP_SANITIZE"):
    package_group.leave(__file__, "skip", "an engine without a sanitizer cannot load a libharp that has one")
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users


def run(*command, **options):
    return subprocess.run([str(c) for c in command], text=True, check=True, **options)


def main():
    engine = run(PYTHON, "-c", "import mujoco; print(mujoco.__path__[0])", capture_output=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="harp-mujoco-") as scratch:
        run("make", "-s", "-C", SOURCE / "examples" / "mujoco", f"BUILD={scratch}", f"MUJOCO={engine}", "CFLAGS=-O2 -Werror")
        plugin = Path(scratch) / "libharp_force.so"
        needed = run("readelf", "-d", plugin, capture_output=True).stdout
        assert "Shared library: [libharp.so" not in needed, needed
        environment = {**os.environ, "HARP_LIBRARY": str(BUILD / "libharp.so"), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        more = [] if "--full" in sys.argv else ["--short"]
        # MuJoCo writes its log to the working directory
        return subprocess.run([str(PYTHON), str(SOURCE / "examples" / "mujoco" / "check.py"), str(plugin), *more], cwd=scratch, env=environment,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
