"""Tests bindings/go: runs go vet; runs the tests of the package, also with the race detector and with Go's checks of pointers that are
passed to C; runs the README's commands exactly as they are written, and the programs of docs/go.md. The generated files must equal what
the generator writes.

rows: C3.go H1.lazy/go H1.realize/go H1.cached/go H6.slices_in/go H6.slices_out/go
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import package_group

package_group.require("go", __file__, programs=("go",))

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = os.environ["HARP_BUILD_DIR"]
GO = SOURCE / "bindings" / "go"
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users
ROWS = {"TestLazyTensors": "H1.lazy,realize/go", "TestSeveralTensorsAreOneProgram": "H1.realize/go", "TestTensorMistakes": "H1.lazy/go",
        "TestEachStructureIsCompiledOnce": "H1.cached/go", "TestJit": "H1.cached/go", "TestCallOnSlices": "H6.slices_in,slices_out/go"}


def record(status, name):
    """Reports the result of a test: prints it, and writes a line to the file of results that ./dev rows reads."""
    print(status, name, flush=True)
    if os.environ.get("HARP_TEST_RESULTS"):
        with open(os.environ["HARP_TEST_RESULTS"], "a", encoding="utf-8") as file:
            file.write(f"{status}\t{name}\t{GO}\n")


def blocks(text):
    """Returns (language, content) of each code block of a Markdown text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)


class Go:
    """Installs harp in the build folder. Uses the user's Go build cache. This cache does not notice if the headers that pkg-config names
    change or move. So a digest of the headers is passed to the compiler as a macro, which no code reads but which is part of the cache's
    key."""

    def __init__(self, scratch):
        self.scratch = scratch
        shutil.rmtree(scratch, ignore_errors=True)
        prefix = scratch / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        pkg_config = next(prefix.rglob("harp.pc")).parent
        cache = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
        header = (SOURCE / "include" / "harp.h").read_bytes()
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(pkg_config), "LD_LIBRARY_PATH": str(pkg_config.parent),
                            "HARP_CACHE_DIR": str(scratch / "cache"), "GOCACHE": cache, "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false",
                            "GOPROXY": "off", "CGO_CFLAGS": "-O2 -DHARP_HEADER_" + hashlib.sha256(header + bytes(scratch)).hexdigest()[:16]}

    def run(self, *command, cwd=GO, **environment):
        result = subprocess.run([str(part) for part in command], cwd=cwd, env={**self.environment, **environment}, capture_output=True,
                                text=True, check=False)
        assert result.returncode == 0, f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout

    def check_format_and_vet(self):
        unformatted = self.run("gofmt", "-l", ".")
        assert not unformatted, f"not formatted: {unformatted}"
        self.run("go", "vet", "./...")

    def check_generated(self):
        self.run(sys.executable, "generate.py", "--check")

    def check_tests(self):
        """Runs the package's tests and writes one line to the results for each."""
        result = subprocess.run(["go", "test", "-count=1", "-json", "."], cwd=GO, env=self.environment, capture_output=True, text=True, check=False)
        events = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        ended = {e["Test"]: e["Action"] for e in events if "Test" in e and e["Action"] in ("pass", "fail", "skip")}
        for name, status in ended.items():
            record(status, f"{ROWS.get(name, 'go')}: {name}")
        assert result.returncode == 0, "".join(e.get("Output", "") for e in events)[-20000:] + result.stderr[-5000:]
        assert set(ROWS) <= set(ended), f"no such tests: {sorted(set(ROWS) - set(ended))}"

    def check_races(self):
        version = self.run("go", "env", "GOVERSION")
        checks = {} if re.match(r"go1\.(19|20)\b", version) else {"GOEXPERIMENT": "cgocheck2"}
        self.run("go", "test", "-race", "-run", "Concurrent|Closing|Collection|Cancel|GivenUp|Jit|Native|Realize|Example", ".", **checks)

    def check_readme(self):
        """Runs the README's commands exactly as they are written, in an empty home folder."""
        parts = blocks((GO / "README.md").read_text(encoding="utf-8"))
        install, start = [content for language, content in parts if language == "sh"]
        program, shown = [next(content for language, content in parts if language == wanted) for wanted in ("go", "text")]
        assert "build/release" in install
        home = self.scratch / "home"
        home.mkdir()
        (self.scratch / "hello.go").write_text(program, encoding="utf-8")
        script = (f"cd '{SOURCE}'\n{{\n{install.replace('build/release', repr(BUILD))}\n}} >'{home}/install.log'\n"
                  f"cp '{self.scratch}/hello.go' .\n{start}")
        output = self.run("bash", "-ec", script, HOME=str(home), PKG_CONFIG_PATH="", LD_LIBRARY_PATH="",
                          CGO_CFLAGS=self.environment["CGO_CFLAGS"] + "_HOME")
        assert output == shown, f"the README shows\n{shown}but the program prints\n{output}"
        named = set(re.findall(r"`((?:\w+/)*\w+\.(?:go|py|h|json))`", (GO / "README.md").read_text(encoding="utf-8"))) - {"hello.go"}
        missing = sorted(name for name in named if not (GO / name).exists() and not (SOURCE / name).exists())
        assert len(named) > 10 and not missing, f"named, but not there: {missing}"

    def check_tutorial(self):
        parts = blocks((SOURCE / "docs" / "go.md").read_text(encoding="utf-8"))
        programs = [(content, parts[i + 1]) for i, (language, content) in enumerate(parts) if language == "go"]
        assert len(programs) >= 5
        folder = self.scratch / "tutorial"
        folder.mkdir()
        (folder / "go.mod").write_text(f"module tutorial\n\ngo 1.19\n\nrequire harp v0.0.0\n\nreplace harp => {GO}\n", encoding="utf-8")
        for i, (program, _) in enumerate(programs):
            (folder / f"p{i}").mkdir()
            (folder / f"p{i}" / "main.go").write_text(program, encoding="utf-8")
        unformatted = self.run("gofmt", "-l", ".", cwd=folder)
        assert not unformatted, f"not formatted: {unformatted}"
        (folder / "bin").mkdir()
        self.run("go", "build", "-o", "bin", "./...", cwd=folder)
        for i, (program, (language, shown)) in enumerate(programs):
            assert language == "text", f"program {i} of docs/go.md is not followed by what it prints"
            output = self.run(folder / "bin" / f"p{i}", cwd=folder)
            assert output == shown, f"docs/go.md shows\n{shown}but this prints\n{output}\n{program}"


def main():
    status = 0
    go = Go(Path(BUILD) / "go_test")
    for check in (go.check_generated, go.check_format_and_vet, go.check_tests, go.check_races, go.check_readme, go.check_tutorial):
        try:
            check()
            record("pass", f"script.go.{check.__name__[len('check_'):]}")
        except AssertionError as error:
            status = 1
            record("fail", f"script.go.{check.__name__[len('check_'):]}")
            print(error)
    return status


if __name__ == "__main__":
    sys.exit(main())
