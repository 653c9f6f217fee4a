"""Tests the command-line program `harp` with the backend "cuda", on a machine without a GPU: the messages that it prints without a driver
and a compiler, and runs with the fake driver."""
import os
import re
import subprocess
import sys
import tempfile

import cases
import package_group

package_group.require("python", __file__, modules=("numpy",))
import numpy  # noqa: E402

HARP = os.environ["HARP_TOOL"]
GOLDEN = os.path.join(os.environ["HARP_SOURCE_DIR"], "tests", "golden")
CUDA_GOLDEN = os.path.join(os.environ["HARP_SOURCE_DIR"], "tests", "cuda", "golden")
FAKE = os.path.join(os.environ["HARP_BUILD_DIR"], "fake_cuda")
ROWS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
SCALE = "harp 1\ngraph scale(x: f32[n, 3]) { return y = x * 2.0 + 1.0, s = sum(x, axes=[0]) }\n"

# Five products of different sizes: two of the inputs, two of their results, and one of the results of these.
STAGES = """harp 1
graph stages(x: f32[48, 32], y: f32[32, 64], v: f32[64, 40]) {
  p = matmul(x, y)
  q = matmul(y, v)
  r = matmul(p, v)
  s = matmul(x, q)
  return z = matmul(r, permute(s, axes=[1, 0]))
}
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Tool:
    def __init__(self, scratch):
        self.scratch = scratch
        self.environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(scratch, "cache")}
        for variable in ("HARP_DUMP", "HARP_MACHINE"):
            self.environment.pop(variable, None)
        # The tool looks for CUDA's libraries in this folder first. The folder contains files with the names of these libraries that are no
        # libraries, so that the tool does not find CUDA even if it is installed on this machine.
        self.nothing = os.path.join(scratch, "nothing")
        os.mkdir(self.nothing)
        for name in ("libcuda.so.1", "libnvrtc.so.13", "libnvrtc.so.12"):
            with open(os.path.join(self.nothing, name), "w", encoding="utf-8") as file:
                file.write("no library")
        self.scale, self.stages = (os.path.join(scratch, name) for name in ("scale.harp", "stages.harp"))
        for path, text in ((self.scale, SCALE), (self.stages, STAGES)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def harp(self, *arguments, status=0, libraries=None, **environment):
        """Calls the tool, which looks for CUDA's libraries in the folder `libraries` (default: self.nothing). Checks its exit status and
        returns its stdout and stderr."""
        libraries = libraries or self.nothing
        result = subprocess.run([HARP, *arguments], capture_output=True, text=True, check=False, timeout=900,
                                env={**self.environment, "LD_LIBRARY_PATH": libraries, **environment})
        assert result.returncode == status, f"harp {' '.join(arguments)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout, result.stderr

    def fails(self, message, *arguments, **keywords):
        stdout, stderr = self.harp(*arguments, status=1, **keywords)
        assert stdout == "" and re.search("^harp: .*" + re.escape(message), stderr, re.M), f"expected '{message}' in {stderr!r}"

    # The cases

    def case_emit(self):
        """H2.source C1: the CUDA source and the launch plan are printed without a GPU, a driver and a compiler"""
        for name in ("softmax", "matmul", "embedding"):
            graph = os.path.join(GOLDEN, name + ".harp")
            assert self.harp("emit", graph, "--lang", "cuda", "--target", "sm_80", PATH="")[0] == read(CUDA_GOLDEN, name + ".cu")
            assert self.harp("emit", graph, "--lang", "plan", "--target", "sm_80", PATH="")[0] == read(CUDA_GOLDEN, name + ".plan")
        # `--lang cuda` implies the backend "cuda". Without a GPU the target is the first GPU of harp's table, sm_80. So both calls print
        # the same.
        source, _ = self.harp("emit", self.scale, "--lang", "cuda")
        assert source == self.harp("emit", self.scale, "--lang", "cuda", "--backend", "cuda", "--target", "sm_80")[0]
        for row in ROWS:
            assert "__global__" in self.harp("emit", self.scale, "--lang", "cuda", "--target", row)[0]
        # --schedule reads schedules in the form in which the tool prints them.
        path = os.path.join(self.scratch, "schedules")
        for name in ("softmax", "matmul", "in_place"):
            graph = os.path.join(GOLDEN, name + ".harp")
            printed, _ = self.harp("emit", graph, "--lang", "schedule", "--backend", "cuda", "--target", "sm_80")
            lines = re.findall(r"^  kernel_\d+.*\n", printed, re.M)
            assert len(lines) >= 1 and all(" [" in line for line in lines), printed
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(lines))
            source, _ = self.harp("emit", graph, "--lang", "cuda", "--target", "sm_80", "--schedule", path)
            assert source == read(CUDA_GOLDEN, name + ".cu"), name
        with open(path, "w", encoding="utf-8") as file:
            file.write("kernel_0: rowwise [thread, thread_group simd=16]\n")
        self.fails("kernel_0: axis 1 has simd=16; at most 8 is allowed", "emit", os.path.join(GOLDEN, "softmax.harp"), "--lang", "cuda",
                   "--schedule", path)
        self.fails('unknown target "sm_70" of the backend cuda, expected one of ' + ", ".join(ROWS), "emit", self.scale, "--lang", "cuda",
                   "--target", "sm_70")
        self.fails('unknown stage "plan", expected one of dot, ', "emit", self.scale, "--lang", "plan", "--backend", "c")

    def case_text(self):
        """L2.kernel_function,kernel_main/cuda L1.concurrent,barriers/cuda: kernels are functions, and the launch plan orders generations alone"""
        source, plan = (self.harp("emit", self.stages, "--lang", what)[0] for what in ("cuda", "plan"))
        kernels = re.findall(r'^extern "C" __global__ void __launch_bounds__\(.*?\) (kernel_\d+)\(', source, re.M)
        # A comment before each kernel says to which generation it belongs.
        generations = [int(number) for number in re.findall(r"^/\* generation (\d+) ", source, re.M)]
        assert generations == [0, 0, 1, 1, 2] and len(kernels) == 5, source
        generation_of = dict(zip(kernels, generations))
        assert re.findall(r"^kernel (\w+) block", plan, re.M) == kernels, plan
        steps = [({int(step) for step in after.split(", ") if step}, kernel) for after, kernel in
                 re.findall(r"^step \d+(?: after ([\d, ]+))?: (?:launch (\w+)|join)", plan, re.M)]
        assert {kernel for _, kernel in steps if kernel} == set(kernels), plan
        before = []  # for each step, all steps that end before it begins
        for number, (after, _) in enumerate(steps):
            assert all(step < number for step in after), plan
            before.append(after.union(*(before[step] for step in after)))
        for number, (_, kernel) in enumerate(steps):
            ended = {generation_of[steps[step][1]] for step in before[number] if steps[step][1]}
            # Kernels of the first generation do not wait for each other, and a kernel waits for all kernels of the generation before it.
            if kernel and generation_of[kernel] == 0:
                assert not ended, plan
            elif kernel:
                assert ended >= {generation_of[kernel] - 1}, plan

    def case_look(self):
        """L4.names,indented/cuda: the prescribed names, and two spaces of indentation for each level"""
        for graph in (self.stages, *(os.path.join(GOLDEN, name + ".harp") for name in ("softmax", "matmul", "running"))):
            source, _ = self.harp("emit", graph, "--lang", "cuda", "--target", "sm_80")
            text = "".join(re.findall(r'^extern "C" __global__ .*?^}$', source, re.M | re.S))
            assert text.count("for (") > 3
            declared = re.findall(r"^ +(?:const )?(?:i64|i32|float|bool)\*? (?:const )?(\w+)(?: = |\[)", text, re.M)
            wrong = [name for name in declared if not re.match(
                r"^((ridx|oidx|alu|acc|row|wide|quick|kept|aligned)\d+(_\w+)?|(input|output|tmp)\d+(_row\d*|_at\d*)?|thread|group|is_active)$", name)]
            assert len(declared) > 4 and not wrong, f"names {sorted(set(wrong))}"
            level = 0
            for line in text.splitlines():
                words = line.strip()
                closing = words.startswith("}")
                assert not words or len(line) - len(line.lstrip()) == 2 * (level - closing), f"indentation of: {line!r}"
                level += line.count("{") - line.count("}")
            assert level == 0

    def case_nothing(self):
        """H4.available: without a driver, a GPU or a compiler, each command says what is missing"""
        self.fails("there is no CUDA driver: ", "run", self.scale, "--backend", "cuda", "--random", "x=f32[2,3]")
        facts, _ = self.harp("info")
        assert re.search(r"^cuda: none: there is no CUDA driver: .*libcuda", facts, re.M), facts
        assert not re.search(r"^backends: .*cuda", facts, re.M), facts
        if not os.path.exists("/usr/local/cuda"):
            self.fails("no CUDA compiler found; tried: ", "emit", self.scale, "--lang", "ptx", PATH=self.nothing)
        self.fails("no CUDA compiler found; tried: /no/nvcc: no such program", "emit", self.scale, "--lang", "ptx", "--compiler", "/no/nvcc")

    def case_run(self):
        """H4.by_name/cuda H5.stage: a run on a GPU reads and writes files, and its results are bit-identical to the interpreter's"""
        x = numpy.random.default_rng(1).normal(size=(7, 3)).astype(numpy.float32)
        numpy.save(os.path.join(self.scratch, "x.npy"), x)
        arguments = ["run", self.scale, "--input", f"x={self.scratch}/x.npy"]
        for backend in ("cuda", "interp"):
            self.harp(*arguments, "--backend", backend, "--output", f"y={self.scratch}/{backend}.npy", libraries=FAKE)
        assert read_bytes(self.scratch, "cuda.npy") == read_bytes(self.scratch, "interp.npy")
        printed, _ = self.harp(*arguments, "--backend", "cuda", libraries=FAKE)
        assert printed == self.harp(*arguments, "--backend", "interp")[0]
        timed, _ = self.harp(*arguments, "--backend", "cuda", "--time", libraries=FAKE)
        assert re.search(r"^time: .* compile .* \(disk cache\), run ", timed, re.M), timed
        facts, _ = self.harp("info", libraries=FAKE)
        assert "backends: interp, c, cuda\n" in facts and "cuda:0: Fake GPU 0, sm_90, 4 processors\n" in facts, facts
        assert "fake PTX" in self.harp("emit", self.scale, "--lang", "ptx", libraries=FAKE)[0]


def read_bytes(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        tool = Tool(scratch)
        return cases.run(cases.of(tool), __file__)


sys.exit(main())
