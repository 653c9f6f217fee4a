"""The programs of examples/python give the same pixels as their C counterparts, because the same operations run on the same values. The
files differ, because Python's zlib compresses differently from libpng. The C programs are built by their makefiles, against the libharp of
HARP_BUILD_DIR.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
BUILD = os.environ.get("HARP_BUILD_DIR")

sys.path.insert(0, str(EXAMPLES / "python"))
import png  # noqa: E402

pytestmark = pytest.mark.skipif(not BUILD or not shutil.which("make") or not shutil.which("pkg-config") or subprocess.run(
    ["pkg-config", "libpng"], check=False).returncode != 0, reason="needs HARP_BUILD_DIR, make, a C compiler and libpng")  # fmt: skip


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Returns a function that runs an example in C and in Python, and returns what each prints."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "harp.pc").write_text(f"Name: harp\nDescription: harp\nVersion: 0\nCflags: -I{ROOT / 'include'}\nLibs: -L{BUILD} -lharp\n")

    def run_both(name, c_arguments, python_arguments):
        run("make", "-s", "-C", EXAMPLES / name, f"BUILD={folder}", PKG_CONFIG_PATH=str(folder))
        return (run(folder / name, *c_arguments, LD_LIBRARY_PATH=BUILD),
                run(sys.executable, EXAMPLES / "python" / f"{name}.py", *python_arguments))  # fmt: skip

    return run_both


def some_picture(path, height, width):
    y, x = np.mgrid[:height, :width]
    noise = np.random.default_rng(1).integers(0, 60, (height, width, 3))
    png.write(path, (np.stack([x * 4, y * 3, (x - y) ** 2 // 9], axis=-1) % 196 + noise).astype(np.uint8))


def test_photo(both, tmp_path):
    some_picture(tmp_path / "in.png", 45, 67)
    printed = both("photo", [tmp_path / "in.png", tmp_path / "c.png"], [tmp_path / "in.png", tmp_path / "python.png"])
    assert all("45 x 67 pixels" in text for text in printed), printed
    drawn = png.read(tmp_path / "python.png")
    np.testing.assert_array_equal(drawn, png.read(tmp_path / "c.png"))
    assert len(np.unique(drawn)) > 10


def test_reaction(both, tmp_path):
    some_picture(tmp_path / "in.png", 40, 56)
    for name in ("c", "python"):
        (tmp_path / name).mkdir()
    both("reaction", [tmp_path / "in.png", "--output", tmp_path / "c", "--steps", 40],
         [tmp_path / "in.png", "--output", tmp_path / "python", "--steps", 40])  # fmt: skip
    drawn = png.read(tmp_path / "python" / "reaction.png")
    np.testing.assert_array_equal(drawn, png.read(tmp_path / "c" / "reaction.png"))
    assert len(np.unique(drawn)) > 10


def test_spirals(both, tmp_path):
    in_c, in_python = both("spirals", [tmp_path / "c.png"], [tmp_path / "python.png"])
    losses = [[line for line in text.splitlines() if line.startswith(("step", "accuracy"))] for text in (in_c, in_python)]
    assert losses[0] == losses[1] and len(losses[0]) == 8
    np.testing.assert_array_equal(png.read(tmp_path / "python.png"), png.read(tmp_path / "c.png"))
