"""Tests the command-line program `harp` as a user sees it: what it prints and writes, its exit status, and that it writes nothing if it
fails.

Each case is a method. The first line of its docstring names the items of tests/rows.txt that the case covers, and is the name under which
the case is reported (see tests/house/rows.py).
"""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import cases
import package_group

package_group.require("python", __file__, modules=("numpy",))
import numpy  # noqa: E402

HARP = os.environ["HARP_TOOL"]

SOFTMAX = """harp 1
# softmax over the last axis, any number of rows
graph softmax(x: f32[n, 1024]) flags=[broadcast] {
  m = max(x, axes=[-1], keepdims=true)
  e = exp(sub(x, m))
  s = sum(e, axes=[-1], keepdims=true)
  return y = div(e, s)
}
"""
TWO = """harp 1
graph two(x: f32[n, 3], i: i32[n]) {
  return y = exp(x), z = i + i
}
"""
# NumPy has no bf16. harp stores bf16 arrays with void elements of two bytes, as other programs do.
DTYPES = {"bool": numpy.bool_, "i8": numpy.int8, "u8": numpy.uint8, "i16": numpy.int16, "u16": numpy.uint16, "i32": numpy.int32,
          "u32": numpy.uint32, "i64": numpy.int64, "u64": numpy.uint64, "f16": numpy.float16, "bf16": numpy.dtype("V2"), "f32": numpy.float32,
          "f64": numpy.float64}


def as_dtype(name, values):
    """Converts `values` (integers and multiples of 2**-10) to an array of the dtype."""
    if name != "bf16":
        return values.astype(DTYPES[name])
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16).view("V2")


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def splitmix(seed, count):
    """Returns the 64-bit random numbers (SplitMix64) from which the tool computes its random arrays."""
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(seed) + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


class Tool:
    def __init__(self, scratch):
        self.scratch = scratch
        self.environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(scratch, "cache")}
        for variable in ("HARP_DUMP", "HARP_MACHINE"):
            self.environment.pop(variable, None)
        self.softmax = self.write("softmax.harp", SOFTMAX)
        self.two = self.write("two.harp", TWO)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def save(self, name, array):
        numpy.save(self.path(name), array)
        return self.path(name)

    def harp(self, *arguments, status=0, text=None, **environment):
        """Calls the tool, checks its exit status, and returns its stdout and stderr."""
        result = subprocess.run([HARP, *arguments], input=text, capture_output=True, text=True, check=False, timeout=300,
                                env={**self.environment, **environment})
        assert result.returncode == status, f"harp {' '.join(arguments)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
        if status != 0:
            assert re.search(r"^harp: ", result.stderr, re.M), f"no message: {result.stderr!r}"
            assert result.stdout == "", f"printed in spite of failing: {result.stdout!r}"
        return result.stdout, result.stderr

    def fails(self, status, message, *arguments, **environment):
        _, stderr = self.harp(*arguments, status=status, **environment)
        assert message in stderr, f"{' '.join(arguments)}: expected '{message}' in {stderr!r}"

    # The cases

    def case_softmax(self):
        """H4.by_name/interp,c X2.stable/c: one softmax program runs with any number of rows n; the interpreter and the C backend give
        bitwise equal results"""
        for rows in (1, 7, 512):
            x = self.save("x.npy", numpy.random.default_rng(rows).normal(size=(rows, 1024)).astype(numpy.float32))
            outputs = []
            for backend in ("interp", "c"):
                out = self.path(f"{backend}.npy")
                self.harp("run", self.softmax, "--input", f"x={x}", "--output", f"y={out}", "--backend", backend)
                outputs.append(numpy.load(out))
            assert outputs[0].shape == (rows, 1024) and outputs[0].dtype == numpy.float32
            assert outputs[0].tobytes() == outputs[1].tobytes()
            e = numpy.exp(numpy.load(x).astype(numpy.float64))
            assert numpy.allclose(outputs[0], e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    def case_random(self):
        """C1: random inputs are those of the documented generator"""
        for name, dtype in DTYPES.items():
            graph = self.write("copy.harp", f"harp 1\ngraph copy(x: {name}[n, 5]) {{\n  return y = x\n}}\n")
            out = self.path("random.npy")
            self.harp("run", graph, "--backend", "interp", "--random", f"x={name}[40, 5]:123", "--output", f"y={out}")
            z = splitmix(123, 200)
            if name == "bool":
                expected = (z & numpy.uint64(1)).astype(bool)
            elif name[0] in "iu":
                expected = (z % numpy.uint64(201)).astype(numpy.int64) - (100 if name[0] == "i" else 0)
            elif name == "f64":
                expected = (z >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-52 - 1
            else:
                expected = (z >> numpy.uint64(40)).astype(numpy.float32) * numpy.float32(2.0**-23) - numpy.float32(1)
                if name != "f32":
                    expected = numpy.rint(expected * 1024) / 1024 + 0.0
            assert same(numpy.load(out), as_dtype(name, expected).reshape(40, 5)), name
            assert numpy.load(out).dtype == dtype

    def case_summary(self):
        """C1: --output y=- prints a summary; without --output the tool also prints a summary"""
        x = self.save("s.npy", numpy.array([[0, 1, 2]] * 4, dtype=numpy.float32))
        i = self.save("i.npy", numpy.arange(4, dtype=numpy.int32))
        expected = "z: i32[4]  min 0  max 6  mean 3\n  0 2 4 6\n"
        stdout, _ = self.harp("run", self.two, "--input", f"x={x}", "--input", f"i={i}", "--output", "z=-")
        assert stdout == expected, stdout
        stdout, _ = self.harp("run", self.two, "--input", f"x={x}", "--input", f"i={i}", "--backend", "interp")
        assert stdout.startswith("y: f32[4, 3]  min 1  max 7.38906") and stdout.endswith(expected), stdout
        stdout, _ = self.harp("run", "-", "--random", "x=f32[0]", text="graph g(x: f32[n]) {\n  return y = log(x)\n}\n")
        assert stdout == "y: f32[0]\n  no elements\n", stdout
        x = self.save("s.npy", numpy.array([-1, 1], dtype=numpy.float64))
        stdout, _ = self.harp("run", "-", "--input", f"x={x}", text="graph g(x: f64[n]) {\n  return y = log(x)\n}\n")
        assert "nan 1" in stdout and "-nan" not in stdout, stdout
        x = self.save("s.npy", numpy.array([numpy.inf, -numpy.inf]))
        stdout, _ = self.harp("run", "-", "--input", f"x={x}", text="graph g(x: f64[n]) {\n  return y = x\n}\n")
        assert stdout == "y: f64[2]  min -inf  max inf  mean nan\n  inf -inf\n", stdout
        for name in ("f16", "bf16"):
            x = self.save("s.npy", as_dtype(name, numpy.array([1.5, -2, 0, 512])))
            text = f"graph g(x: {name}[n]) {{\n  return y = x\n}}\n"
            stdout, _ = self.harp("run", "-", "--backend", "interp", "--input", f"x={x}", text=text)
            assert stdout == f"y: {name}[4]  min -2  max 512  mean 127.875\n  1.5 -2 0 512\n", stdout

    def case_npy(self):
        """C1: .npy inputs of every dtype, both byte orders, C and Fortran order, and versions 1 to 3"""
        for name, dtype in DTYPES.items():
            graph = self.write("copy.harp", f"harp 1\ngraph copy(x: {name}[n, m]) {{\n  return y = x\n}}\n")
            values = as_dtype(name, numpy.arange(6).reshape(2, 3) % 2 if name == "bool" else numpy.arange(6).reshape(2, 3) - 3)
            variants = [values, numpy.asfortranarray(values)]
            if name not in ("bool", "bf16"):
                variants += [values.astype(numpy.dtype(dtype).newbyteorder(">")), values.astype(numpy.dtype(dtype).newbyteorder("<"))]
            for array in variants:
                for version in ((1, 0), (2, 0), (3, 0)):
                    with open(self.path("v.npy"), "wb") as file:
                        numpy.lib.format.write_array(file, array, version=version)
                    files = ("--input", f"x={self.path('v.npy')}", "--output", f"y={self.path('w.npy')}")
                    self.harp("run", graph, "--backend", "interp", *files)
                    got = numpy.load(self.path("w.npy"))
                    assert got.dtype == dtype and same(got, values), (name, version)

    def case_bad_input(self):
        """C1: inputs that do not fit: exit status 1, the message says what was expected and what came, nothing is written"""
        out = self.path("never.npy")
        run = ("run", self.softmax, "--backend", "interp", "--output", f"y={out}")
        doubles = self.save("d.npy", numpy.zeros((2, 1024)))
        self.fails(1, 'input "x": expected f32[n, 1024], but got f64[2, 1024]', *run, "--input", f"x={doubles}")
        narrow = self.save("n.npy", numpy.zeros((2, 10), dtype=numpy.float32))
        self.fails(1, "but got f32[2, 10]: axis 1 must be 1024", *run, "--input", f"x={narrow}")
        text = self.save("t.npy", numpy.array(["a", "b"]))
        self.fails(1, "string arrays", *run, "--input", f"x={text}")
        objects = self.path("o.npy")
        numpy.save(objects, numpy.array([None]), allow_pickle=True)
        self.fails(1, "object arrays", *run, "--input", f"x={objects}")
        records = self.save("r.npy", numpy.zeros(3, dtype=[("a", "<f4")]))
        self.fails(1, "structured arrays", *run, "--input", f"x={records}")
        with open(narrow, "rb") as file:
            whole = file.read()
        for name, content, message in (("cut.npy", whole[:-1], "truncated"), ("long.npy", whole + b"x", "bytes after")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.fails(1, message, *run, "--input", f"x={self.path(name)}")
        self.fails(1, "No such file or directory", *run, "--input", f"x={self.path('missing.npy')}")
        self.fails(1, "No such file or directory", "run", self.path("missing.harp"))
        broken = self.write("broken.harp", "harp 1\ngraph g(x: f32[2]) {\n  return y = frobnicate(x)\n}\n")
        self.fails(1, "frobnicate", "run", broken)
        self.fails(1, "unknown backend", "run", self.softmax, "--backend", "abacus", "--random", "x=f32[2,1024]")
        self.fails(1, "math level", "run", self.softmax, "--math", "fast", "--random", "x=f32[2,1024]")
        self.fails(1, "no-such-cc", "run", self.softmax, "--compiler", "no-such-cc", "--random", "x=f32[2,1024]", "--output", f"y={out}")
        self.fails(1, "no-such-cc", "run", self.softmax, "--random", "x=f32[2,1024]", "--output", f"y={out}", HARP_CC="no-such-cc")
        assert not os.path.exists(out)

    def case_all_or_nothing(self):
        """C1: of several output files all are written or none, and temporary files never stay"""
        good, bad = self.path("good.npy"), self.path("no/such/folder.npy")
        run = ("run", self.two, "--backend", "interp", "--random", "x=f32[4,3]", "--random", "i=i32[4]")
        self.harp("info")  # this creates the cache directory
        before = sorted(os.listdir(self.scratch))
        self.fails(1, f"cannot write {bad}: No such file or directory", *run, "--output", f"y={good}", "--output", f"z={bad}")
        assert sorted(os.listdir(self.scratch)) == before
        self.harp(*run, "--output", f"y={good}", "--output", "z=/dev/null")
        assert numpy.load(good).shape == (4, 3)
        assert sorted(os.listdir(self.scratch)) == sorted(before + ["good.npy"])

    def case_endless_input(self):
        """C1: what is no text file, or has no end, is refused before it fills the memory"""
        self.fails(1, "cannot read /dev/zero: it is a device, expected a text file, a pipe or a terminal", "run", "/dev/zero")
        huge = self.path("huge.harp")
        with open(huge, "wb") as file:
            file.truncate((1 << 30) + 1)
        self.fails(1, f"cannot read {huge}: it has more than 1 GiB, the limit for text files", "run", huge)
        os.remove(huge)

    def case_special_files(self):
        """C1: a pipe is written as it is, a symbolic link stays one and the file it names is written, a mode stays"""
        run = ("run", self.two, "--backend", "interp", "--random", "x=f32[4,3]", "--random", "i=i32[4]", "--output")
        emit = ("emit", self.two, "--lang", "graph", "-o")
        expected, _ = self.harp(*emit, "-")
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.harp(*emit, pipe)
        assert os.read(reader, 1 << 16).decode() == expected
        self.harp(*run, f"z={pipe}")
        assert os.read(reader, 1 << 16).startswith(b"\x93NUMPY")
        os.close(reader)
        assert stat.S_ISFIFO(os.lstat(pipe).st_mode)

        folder = self.path("elsewhere")
        os.mkdir(folder)
        for name, write, good in (("text", emit, lambda data: data.decode() == expected),
                                  ("array", run, lambda data: data.startswith(b"\x93NUMPY"))):
            link, file = self.path(f"link to {name}"), os.path.join(folder, name)
            os.symlink(os.path.join("elsewhere", name), link)
            for content in (None, b"old"):  # first the link names a file that does not exist yet, then an existing file
                if content is not None:
                    with open(file, "wb") as old:
                        old.write(content)
                    os.chmod(file, 0o600)
                self.harp(*write, f"z={link}" if write is run else link)
                assert os.path.islink(link) and not os.path.islink(file), name
                with open(file, "rb") as new:
                    assert good(new.read()), name
            assert stat.S_IMODE(os.stat(file).st_mode) == 0o600, name
        assert sorted(os.listdir(folder)) == ["array", "text"]
        self.fails(1, f"cannot write {folder}: Is a directory", *emit, folder)
        self.fails(1, f"cannot write {folder}: Is a directory", *run, f"z={folder}")

    def case_usage(self):
        """C1: a wrong command line: exit status 2, and --help for every verb"""
        for verb in ((), ("run",), ("tune",), ("emit",), ("info",), ("cache",), ("cache", "list"), ("cache", "clear")):
            stdout, _ = self.harp(*verb, "--help")
            assert "--help" in stdout
        stdout, _ = self.harp("--version")
        assert re.match(r"harp \d+\.\d+\.\d+$", stdout), stdout
        self.fails(2, "subcommand")
        self.fails(2, "unknown command 'frobnicate'", "frobnicate")
        self.fails(2, "graph", "run")
        self.fails(2, "--frobnicate", "run", self.softmax, "--frobnicate")
        self.fails(2, "--threads", "run", self.softmax, "--threads", "two")
        self.fails(2, "--threads", "info", "--threads", "2")
        self.fails(1, "threads is -1, outside 0..1024", "run", self.softmax, "--threads", "-1")
        self.fails(2, "input 'x' is missing: give --input x=FILE.npy", "run", self.softmax, "--backend", "interp")
        run = ("run", self.softmax, "--backend", "interp", "--random", "x=f32[2,1024]")
        self.fails(2, "no input 'w' (it has x)", *run, "--random", "w=f32[2]")
        self.fails(2, "input 'x' is given twice", *run, "--random", "x=f32[2,1024]")
        self.fails(2, "no output 'w' (it has y)", *run, "--output", "w=-")
        self.fails(2, "is not an assignment", *run, "--output", "y")
        self.fails(2, "is not a size such as n=7", *run, "--shape", "n")
        self.fails(2, "is not a size such as n=7", *run, "--shape", "n=seven")
        for wrong in ("f32", "f33[2]", "f32[2", "f32[two]", "f32[-2]", "f32[2]7", "f32[2]:", "f32[2]:x"):
            self.fails(2, "is not a random array", "run", self.softmax, "--backend", "interp", "--random", f"x={wrong}")

    def case_shapes(self):
        """G16.one_kernel/interp,c L3.shape_vars: --shape gives the sizes no input has, --specialize fixes one"""
        graph = self.write("counted.harp", "graph counted(x: i32[n]) {\n  shape k in 0..10\n  return y = arange(n=k), z = x + x\n}\n")
        for backend in ("interp", "c"):
            run = ("run", graph, "--backend", backend, "--random", "x=i32[3]")
            stdout, _ = self.harp(*run, "--shape", "k=4", "--output", "y=-")
            assert stdout.startswith("y: i32[4]"), stdout
            self.harp(*run, "--shape", "k=4", "--shape", "n=3")
            self.fails(1, "shape variable k", *run)
            self.fails(1, "k is 11, outside 0..10", *run, "--shape", "k=11")
            self.fails(1, "n is given as 5, but is 3", *run, "--shape", "k=4", "--shape", "n=5")
            self.fails(1, 'no shape variable "m"', *run, "--shape", "m=4")
            stdout, _ = self.harp(*run, "--specialize", "k=4", "--output", "y=-")
            assert stdout.startswith("y: i32[4]"), stdout

    def case_options(self):
        """H2.kernel X2.simd_width/c: --time, --dump, --verbose and the options of compilation"""
        run = ("run", self.softmax, "--random", "x=f32[3,1024]:1")
        plain, _ = self.harp(*run)
        for options in (["--plain-text"], ["--simd-width", "4"], ["--disable", "all"], ["--flag=-O1"], ["--target", "x86-64-v2"],
                        ["--compiler", "gcc"], ["--threads", "2"], ["--threads", "0"]):
            if options[0] == "--target" and os.uname().machine != "x86_64":
                continue
            stdout, _ = self.harp(*run, *options)
            assert stdout == plain, options
        self.fails(1, "--no-such-flag", *run, "--flag=--no-such-flag")
        stdout, _ = self.harp(*run, "--time")
        assert re.search(r"^time: pipeline .* ms, compile .* ms \(disk cache\), run .* ms", stdout, re.M), stdout
        _, stderr = self.harp(*run, "--dump", "schedule,source")
        assert "stage schedule" in stderr and "stage c" in stderr, stderr
        _, stderr = self.harp(*run, HARP_DUMP="opt")
        assert stderr == ""  # dumped stages are log messages, and without --verbose no log is printed

    def case_check_indices(self):
        """G14.take/interp,c: --check-indices"""
        graph = self.path("take.harp")
        with open(graph, "w", encoding="utf-8") as file:
            file.write("graph g(x: f32[n], i: i32[3]) {\n  return y = take(x, i)\n}\n")
        numpy.save(self.path("i.npy"), numpy.array([0, -4, 4], dtype=numpy.int32))
        for backend in ("interp", "c"):
            run = ("run", graph, "--random", "x=f32[4]:1", "--input", "i=" + self.path("i.npy"), "--output", "y=" + self.path("y.npy"), "--backend", backend)
            self.fails(1, 'axis 0 of "x" has 4 elements, but element 2 of "i" asks for 4', *run, "--check-indices")
            assert not os.path.exists(self.path("y.npy"))
            self.harp(*run)
            os.remove(self.path("y.npy"))
        assert "check_index(i, size=n" in self.harp("emit", graph, "--lang", "opt", "--check-indices")[0]

    def case_emit(self):
        """H2.graph H2.uop_graph H2.optimised_uop_graph H2.linear_uops H2.source G18.dot: every stage is printed"""
        for stage in ("graph", "opt", "schedule", "ir", "ir-opt", "linear", "c", "dot"):
            stdout, _ = self.harp("emit", self.softmax, "--lang", stage)
            assert len(stdout) > 50, stage
        stdout, _ = self.harp("emit", self.softmax, "--lang", "graph")
        again, _ = self.harp("emit", "-", "--lang", "graph", text=stdout)
        assert stdout == again
        out = self.path("softmax.c")
        row, march = ("x86-64-v4", "x86-64-v4") if os.uname().machine == "x86_64" else ("aarch64", "armv8-a")
        self.harp("emit", self.softmax, "-o", out, "--target", row)
        command = ["cc", "-std=gnu11", "-O1", f"-march={march}", "-Wall", "-Werror", "-c", out, "-o", self.path("softmax.o")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        # --schedule reads schedules in the form in which the tool prints them.
        product = self.write("product.harp", "graph product(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}\n")
        stdout, _ = self.harp("emit", product, "--lang", "schedule")
        lines = re.findall(r"^  kernel_0 variant .*\n", stdout, re.M)
        assert len(lines) > 1 and " # where " in lines[0], stdout
        source, _ = self.harp("emit", product)
        for text in lines + ["".join(lines)]:
            assert self.harp("emit", product, "--schedule", self.write("lines", "# copied\n" + text))[0] == source, text
        self.fails(1, "kernel_0 variant 1 is given twice", "emit", product, "--schedule", self.write("lines", lines[0] + lines[0]))
        # C source can be generated for any machine row (entry of harp's table of CPUs), but compiled only for this machine's architecture.
        other = "x86-64-v2" if os.uname().machine == "aarch64" else "aarch64"
        stdout, _ = self.harp("emit", self.softmax, "--target", other)
        assert f"target {other}" in stdout, stdout[:1000]
        self.fails(1, "another architecture", "run", self.softmax, "--random", "x=f32[2,1024]", "--target", other)
        self.harp("run", self.softmax, "--random", "x=f32[2,1024]", "--target", other, "--backend", "interp")
        self.fails(1, "plain_text has no vectors", "emit", self.softmax, "--plain-text", "--simd-width", "8")
        self.fails(1, "assembly", "emit", self.softmax, "--lang", "assembly")
        self.fails(1, "cannot write", "emit", self.softmax, "-o", self.path("no/such/folder.c"))

    def case_machine(self):
        """C1: HARP_MACHINE names the target if there is no --target; for an unknown name the message lists the machine rows"""
        rows = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-one-load",
                "x86-64-v4-one-load-vnni", "aarch64")
        for row in rows:
            by_option, _ = self.harp("emit", self.softmax, "--target", row)
            assert f"target {row} " in by_option, by_option[:1000]
            assert self.harp("emit", self.softmax, HARP_MACHINE=row)[0] == by_option, row
        usual, _ = self.harp("emit", self.softmax)
        assert self.harp("emit", self.softmax, HARP_MACHINE="")[0] == usual
        assert "target x86-64-v2 " in self.harp("emit", self.softmax, "--target", "x86-64-v2", HARP_MACHINE="aarch64")[0]
        for command in (("emit", self.softmax), ("run", self.softmax, "--random", "x=f32[2,1024]")):
            self.fails(1, 'unknown target "zen9", expected one of ', *command, HARP_MACHINE="zen9")
            _, stderr = self.harp(*command, status=1, HARP_MACHINE="zen9")
            assert all(row in stderr for row in rows), stderr
        # harp can compile for a machine row (entry of its table of CPUs) whose instructions this CPU lacks, but it cannot run the result.
        target = re.search(r"^target: (\S+)", self.harp("info")[0], re.M)[1]
        if target in ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v3-vnni"):
            self.fails(1, f"this CPU cannot run the program: it is compiled for x86-64-v4, and the CPU is {target}", "run", self.softmax,
                       "--random", "x=f32[2,1024]", HARP_MACHINE="x86-64-v4")
        assert "HARP_MACHINE" in self.harp("run", "--help")[0]

    def case_tune(self):
        """H3.trial_result H3.best_stored: tune prints a table, JSON and a picture; later compilations use its best configuration"""
        product = self.write("product.harp", "graph product(a: f32[40, n], b: f32[n, 50]) {\n  return y = a @ b\n}\n")
        plot, report = self.path("trials.svg"), self.path("trials.json")
        stdout, _ = self.harp("tune", product, "--shape", "n=60", "--seconds", "60", "--max-trials", "5", "--plot", plot, "--json", report)
        assert re.search(r"^ +0 .* untuned$", stdout, re.M) and "5 trials, of" in stdout and "; stored in the tuning database" in stdout, stdout
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
        assert found["graph"].startswith("product(a: f32[40, n], b: f32[n, 50]) -> y: f32[40, 50]") and len(found["trials"]) == 5
        assert found["trials"][0]["configuration"] == "" and found["stored"] and not found["exhausted"] and found["space_size"] > 100
        assert all(trial["failure"] == "" and trial["median"] > 0 and trial["samples"] >= 3 for trial in found["trials"])
        svg = "{http://www.w3.org/2000/svg}"
        picture = xml.etree.ElementTree.parse(plot).getroot()
        titles = [title.text for title in picture.iter(svg + "title")]
        assert picture.tag == svg + "svg" and len(list(picture.iter(svg + "circle"))) == 5 and titles[0].endswith(": untuned"), titles
        with open(os.path.join(self.path("cache"), "entries-1", "tuning-2.txt"), encoding="utf-8") as file:
            assert re.search(r"^name product$", file.read(), re.M)
        # Every configuration in the tuner's report is a valid file for --schedule, and none of them changes any bit of the result.
        inputs = ("--random", "a=f32[40,60]:1", "--random", "b=f32[60,50]:2", "--output", "y=" + self.path("y.npy"))
        results = set()
        for trial in found["trials"]:
            self.harp("run", product, *inputs, "--schedule", self.write("configuration", trial["configuration"]))
            results.add(numpy.load(self.path("y.npy")).tobytes())
        assert len(results) == 1
        stdout, _ = self.harp("tune", product, "--shape", "n=60", "--max-trials", "2", "--strategy", "grid", "--dry-run", "--json", "-",
                              "--random", "a=f32[40,60]")
        assert not json.loads(stdout)["stored"] and len(json.loads(stdout)["trials"]) == 2, stdout
        self.harp("tune", product, "--specialize", "n=60", "--max-trials", "2")
        # If the tuning result cannot be stored, the tool prints the reason.
        os.makedirs(self.path("other/entries-1/lock-tuning-2.txt"), mode=0o700)
        for folder in ("other", "other/entries-1"):
            os.chmod(self.path(folder), 0o700)
        stdout, _ = self.harp("tune", product, "--shape", "n=60", "--max-trials", "1", HARP_CACHE_DIR=self.path("other"))
        assert f"not stored in the tuning database: cannot lock {self.path('other')}/entries-1/lock-tuning-2.txt: Is a directory\n" in stdout, stdout
        self.fails(2, "plots are SVG", "tune", product, "--shape", "n=60", "--plot", self.path("trials.png"))
        assert not os.path.exists(self.path("trials.png"))
        self.fails(1, "all inputs are empty", "tune", product, "--shape", "n=0", "--max-trials", "1")
        self.fails(2, "unknown strategy 'luck'", "tune", product, "--shape", "n=60", "--strategy", "luck")
        self.fails(2, "input 'a' is missing", "tune", product)
        self.fails(2, "or the sizes with --shape n=1000", "tune", product)
        self.fails(1, "seconds is -1", "tune", product, "--shape", "n=60", "--seconds", "-1")
        self.fails(1, "no shape variable", "tune", product, "--shape", "n=60", "--shape", "k=6")

    def case_info_and_cache(self):
        """C1: info names version, compiler, cache and CPU; cache lists and clears"""
        stdout, _ = self.harp("info")
        for key in ("version: ", "host: ", "target: ", "backends: interp, c", "compiler: /", "cache: " + self.path("cache")):
            assert key in stdout, stdout
        assert "\nmeasured: no (see harp info --measure)\n" in stdout, stdout
        stdout, _ = self.harp("info", HARP_CC="no-such-cc")
        assert re.search(r"^backends: interp(, cuda)?$", stdout, re.M) and "no-such-cc" in stdout, stdout
        self.harp("cache", "clear")
        self.harp("run", self.softmax, "--random", "x=f32[2,1024]")
        stdout, _ = self.harp("cache", "list")
        assert re.search(r"^[0-9a-f]{32}\t\d+\t\d+\t\S+\t.*\tsoftmax\(x: f32\[n, 1024\]\)", stdout, re.M), stdout
        self.harp("cache", "clear")
        stdout, _ = self.harp("cache", "list")
        assert "softmax" not in stdout, stdout

    def case_measure(self):
        """H3.machine_measured: info --measure measures, prints and stores the machine's numbers; no other command measures"""
        cache = self.path("measured")
        file = os.path.join(cache, "entries-1", "machine-1.txt")
        self.fails(1, "no-such-cc", "info", "--measure", HARP_CACHE_DIR=cache, HARP_CC="no-such-cc")
        self.harp("info", HARP_CACHE_DIR=cache)
        self.harp("run", self.softmax, "--random", "x=f32[2,1024]", HARP_CACHE_DIR=cache)
        assert not os.path.exists(file)
        stdout, stderr = self.harp("info", "--measure", HARP_CACHE_DIR=cache)
        assert not stderr, stderr
        assert "\nmeasured: yes\n" in stdout, stdout
        numbers = stdout.split("\nmeasured: yes\n")[1]
        for line in (r"vector loads: \d+ a cycle", r"vector multiply-adds: \d+ a cycle", r"vector additions: \d+ a cycle",
                     r"latency of an addition: \d+ cycles", r"all threads: \d+ threads", r"latency of memory: \S+ ns",
                     r"reads from the first cache, one thread: \S+ GB/s", r"reads from memory, one thread: \S+ GB/s"):
            assert re.search(f"^{line}$", numbers, re.M), numbers
        with open(file, encoding="utf-8") as text:
            written = text.read()
        assert written.startswith("harp machine 1\n\nmachine ") and f"\n{numbers}end " in written, written
        assert self.harp("info", HARP_CACHE_DIR=cache) == (stdout, "")
        self.harp("run", self.softmax, "--random", "x=f32[2,1024]", HARP_CACHE_DIR=cache)
        self.harp("cache", "clear", HARP_CACHE_DIR=cache)
        with open(file, encoding="utf-8") as text:
            assert text.read() == written


def main():
    with tempfile.TemporaryDirectory(prefix="harp-tool-") as scratch:
        return cases.run(cases.of(Tool(scratch)), __file__)


if __name__ == "__main__":
    sys.exit(main())
