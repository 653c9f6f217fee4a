"""Runs the plug-in of examples/godot in the engine Godot. A scene runs in Godot 3 without a screen. Its water heights must be bit-identical
to the results of `harp run` and of the interpreter. If something is missing, the engine must print what is missing, and continue. The
plug-in for Godot 4 is compiled, and runs in godot4_host.c, which replaces the engine. The argument --full runs all frames of the scene,
measures times, and makes the picture of docs/plugins.md.

rows: C4.plugin
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import package_group

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = Path(os.environ["HARP_BUILD_DIR"])
CRATES = BUILD / "godot_crates" / "vendor"
FULL = "--full" in sys.argv
ENGINE = "/usr/bin/godot3-server"
package_group.require("godot", __file__, paths=(ENGINE, str(CRATES)))
if os.environ.get("HARP_SANITIZE"):
    package_group.leave(__file__, "skip", "an engine without a sanitizer cannot load a libharp that has one")
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users

from examples_test import read_png  # pylint: disable=wrong-import-position


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command[0]}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def build(target, folder, **variables):
    run("make", "-s", "-C", SOURCE / "examples" / "godot", target, f"BUILD={folder}", "CFLAGS=-O2 -Werror",
        *(f"{name}={value}" for name, value in variables.items()))


def check_loads_harp_itself(library):
    """Checks that the plug-in neither requires libharp nor exports its own names. If it required libharp, it could not be loaded on a
    machine without libharp."""
    symbols = run("nm", "-D", "--undefined-only", library)
    assert "harp_" not in symbols and "godot" not in symbols, symbols
    needed = run("readelf", "-d", library)
    assert "NEEDED" in needed and "harp" not in re.sub(r"(?m)^.*SONAME.*$", "", needed), needed


class Scene:
    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.frames = 300 if FULL else 20
        self.cache = self.scratch / "cache"  # a cache of its own, without tuning results of the user
        self.cache.mkdir(mode=0o700)
        (headers,) = glob.glob(str(CRATES / "gdnative-sys-*" / "godot_headers"))
        build("godot3", self.scratch, GODOT3_HEADERS=headers)
        check_loads_harp_itself(self.scratch / "scene" / "libharp_field.so")

    def play(self, failures=0, **environment):
        """Runs the scene to its end. The exit status is the number of failures."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WATER_")}
        variables = {**inherited, "HOME": str(self.scratch), "LANG": "en_US.UTF-8", "HARP_LIBRARY": str(BUILD / "libharp.so"),
                     "HARP_CACHE_DIR": str(self.cache), "WATER_OUTPUT": str(self.scratch), "WATER_FRAMES": "3", "WATER_ROUNDS": "1", **environment}
        result = subprocess.run([ENGINE, "--path", str(self.scratch / "scene")], env=variables, capture_output=True, text=True, timeout=600,
                             check=False)
        output = result.stdout + result.stderr
        assert result.returncode == failures and f"failures: {failures}\n" in output, f"exit status {result.returncode}\n{output}"
        return output

    def digests(self, output):
        found = re.findall(r"^(\w) after \d+ steps: sha256 (\w+)", output, re.M)
        assert [name for name, _ in found] == ["h", "u", "v"], output
        return found

    def check_field(self):
        output = self.play(HARP_TOOL=os.environ["HARP_TOOL"], WATER_FRAMES=str(self.frames), WATER_ROUNDS="500" if FULL else "2")
        assert "backend: c" in output and "harp run gives the same" in output, output
        rows = read_png(self.scratch / "water.png")
        assert len(rows) == 512 and len({pixel for row in rows for pixel in row}) > 1000, "the picture is flat"
        if FULL:
            print("\n".join(line for line in output.splitlines() if re.match("step in|a step|h after", line)))
            shown = read_png(SOURCE / "docs" / "water.png")
            off = max(abs(a - b) for r, s in zip(rows, shown) for p, q in zip(r, s) for a, b in zip(p, q))
            assert off <= 1, f"docs/water.png differs from what the scene writes, by up to {off}"

    def check_tuned(self):
        """Checks that the plug-in uses the configuration that `harp tune` has stored, and computes the same water heights."""
        tool, size = os.environ["HARP_TOOL"], ("--specialize", "n=256", "--specialize", "m=256")
        run(tool, "tune", self.scratch / "scene" / "water.harp", *size, "--seconds", "20", HARP_CACHE_DIR=str(self.cache))
        output = self.play(HARP_TOOL=tool, WATER_FRAMES="20", WATER_ROUNDS="500")
        print("\n".join("after harp tune, " + line for line in output.splitlines() if line.startswith("a step")))

    def check_interpreter(self):
        compiled = self.digests(self.play(HARP_TOOL=""))
        output = self.play(HARP_TOOL="", PATH="/nonexistent", CC="", HARP_CC="", HARP_CACHE_DIR=str(self.scratch / "empty"))
        assert "backend: interp" in output and "WARNING" in output and "harp found no C compiler" in output, output
        assert self.digests(output) == compiled, "the interpreter's field differs"

    def check_no_library(self):
        output = self.play(failures=1, HARP_LIBRARY="/nonexistent/libharp.so")
        assert "ERROR" in output and "cannot load the library harp: /nonexistent/libharp.so" in output, output
        output = self.play(failures=1, HARP_LIBRARY="/lib/x86_64-linux-gnu/libm.so.6" if os.uname().machine == "x86_64" else "libm.so.6")
        assert "is not harp, or of another version" in output, output

    def check_broken_graph(self):
        broken = self.scratch / "broken.harp"
        cases = [("harp 1\ngraph water(h: f32[n, m]) {\n  return h = h + sum(h, axes=[0])\n}\n", "line 3"),
                 ("harp 1\ngraph water(h: f32[n, m]) {\n  return h = h + h\n}\n", "expected a graph(h: f32[256, 256], u: f32"),
                 ("no graph at all", "line 1")]
        for text, words in cases:
            broken.write_text(text, encoding="utf-8")
            output = self.play(failures=1, WATER_STEP=str(broken))
            assert "ERROR" in output and "the graph of a step: " in output and words in output, output

    def check_godot4(self):
        """Runs the plug-in for Godot 4 in a program that replaces the engine (godot4_host.c), on several threads. Its water heights must be
        the same as in check_field."""
        versions = [Path(header).parent for header in glob.glob(str(CRATES / "gdextension-api-*/versions/4.*/res/gdextension_interface.h"))]
        versions = [folder for folder in versions if folder.parent.name not in ("4.0", "4.1")]  # the plug-in is for Godot 4.2 and later
        assert versions, "no header of Godot 4"
        for folder in versions:
            target = self.scratch / folder.parent.name
            build("godot4", target, GODOT4_HEADER=folder)
            check_loads_harp_itself(target / "libharp_field4.so")
            run("cc", "-std=gnu11", "-O1", "-Wall", "-Wno-incompatible-pointer-types", "-isystem", folder, SOURCE / "tests" / "examples" / "godot4_host.c",
                "-o", target / "host", "-ldl", "-lpthread")
            arrays = {}
            for name in ("h_start", "depth_start", "h_here"):
                data = (self.scratch / f"{name}.npy").read_bytes()
                arrays[name] = data[-4 * 256 * 256 :]
                (target / name).write_bytes(arrays[name])
            scene, result = self.scratch / "scene", target / "result"
            said = run(target / "host", target / "libharp_field4.so", scene / "water.harp", scene / "picture.harp", target / "h_start",
                       target / "depth_start", self.frames, result, HARP_LIBRARY=str(BUILD / "libharp.so"))
            assert result.read_bytes() == arrays["h_here"], f"Godot 4's field is not Godot 3's: {said}"


def main():
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-godot-") as scratch:
        scene = Scene(scratch)
        checks = [scene.check_field, scene.check_godot4, scene.check_interpreter, scene.check_no_library, scene.check_broken_graph]
        for check in checks + [scene.check_tuned] * FULL:
            try:
                check()
                print(f"pass {check.__name__}")
            except (AssertionError, subprocess.TimeoutExpired) as error:
                status = 1
                print(f"fail {check.__name__}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
