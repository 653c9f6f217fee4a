"""Tests items of tests/rows.txt, the list of what harp must do, with the command-line tool. Each case does what a user who reads the item
would try.

Other tests cover arithmetic: tests of docs/semantics.md, of every operation with every dtype, and comparisons with NumPy. This file covers
the other rules: shapes, broadcasting, symbolic sizes, and the structure and layout of generated C. Each case is a function; the first line
of its docstring names its items.
"""
import os
import re
import subprocess
import sys
import tempfile

import cases
import package_group

package_group.require("python", __file__, modules=("numpy",))
import numpy  # noqa: E402

import machine

TOOL = os.environ["HARP_TOOL"]
BACKENDS = ("interp", "c")


class Desk:
    """A folder in which the tool runs, with a cache of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(folder, "cache")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, verb, text, *options):
        with open(self.path("model.harp"), "w", encoding="utf-8") as file:
            file.write("harp 1\n" + text)
        return subprocess.run([TOOL, verb, self.path("model.harp"), *options], env=self.environment, capture_output=True, text=True, check=False)

    def run_outputs(self, text, inputs, backend, outputs, *options):
        """Runs a graph with the tool. Returns {name: array} of these outputs."""
        for name, array in inputs.items():
            numpy.save(self.path(name + ".npy"), array)
            options += ("--input", f"{name}={self.path(name + '.npy')}")
        for name in outputs:
            options += ("--output", f"{name}={self.path(name + '.npy')}")
        result = self.call("run", text, "--backend", backend, *options)
        assert result.returncode == 0, f"{text}\n{result.stdout}{result.stderr}"
        return {name: numpy.load(self.path(name + ".npy")) for name in outputs}

    def run(self, text, inputs, backend, *options):
        """Runs a graph with the tool. Returns the output r."""
        return self.run_outputs(text, inputs, backend, ("r",), *options)["r"]

    def emit(self, text, stage, *options):
        """Returns the text of a compilation stage. The target is always x86-64-v4, so that the text does not depend on the CPU of the
        test."""
        result = self.call("emit", text, "--lang", stage, "--target", "x86-64-v4", *options)
        assert result.returncode == 0, f"{text}\n{result.stderr}"
        return result.stdout

    def expect_outputs(self, text, inputs, wanted, *options):
        """Checks that every backend computes these arrays. `wanted` is {name of an output: array}."""
        for backend in BACKENDS:
            for name, got in self.run_outputs(text, inputs, backend, wanted, *options).items():
                array = numpy.asarray(wanted[name])
                assert got.shape == array.shape and got.dtype == array.dtype and (got == array).all(), \
                    f"{backend}: {name} of {text}\n{got}\nnot\n{array}"

    def expect(self, text, inputs, wanted, *options):
        """Checks that every backend computes this array as the output r."""
        self.expect_outputs(text, inputs, {"r": wanted}, *options)

    def refuse(self, text, *words):
        result = self.call("emit", text, "--lang", "graph")
        assert result.returncode == 1 and all(word in result.stderr for word in words), f"{text}\n{result.returncode} {result.stderr}"


def ramp(*shape, dtype=numpy.float32):
    """Returns an array of small integers, with which every order of summation gives the same bits."""
    return (numpy.arange(numpy.prod(shape, dtype=int)) % 17 - 5).reshape(shape).astype(dtype)


def case_reduce_axes(desk):
    """G3.axes,full/interp,c: every set of axes, also given as all of them, of full and empty arrays"""
    for shape in ((2, 3, 4, 5), (3, 1, 0, 2)):
        x = ramp(*shape)
        sizes = ", ".join(f"d{i}" for i in range(4))
        values, wanted = ["r = sum(x)"], {"r": x.sum()}  # one graph has all sums, since compiling each by itself takes most of the time
        for bits in range(1, 16):
            axes = [i for i in range(4) if bits >> i & 1]
            for keep in (False, True):
                name = f"r{bits}_{int(keep)}"
                values.append(f"{name} = sum(x, axes={axes}, keepdims={str(keep).lower()})")
                wanted[name] = x.sum(axis=tuple(axes), keepdims=keep)
        desk.expect_outputs(f"graph g(x: f32[{sizes}]) {{ return {', '.join(values)} }}", {"x": x}, wanted)


def case_explicit_shapes(desk):
    """G7.identical,scalar/interp,c G7.error: identical shapes, or rank 0, or an error that names both"""
    x, y = ramp(3, 4), ramp(3, 4) * 2
    desk.expect("graph g(x: f32[n, m], y: f32[n, m]) { return r = add(x, y) }", {"x": x, "y": y}, x + y)
    desk.expect("graph g(x: f32[n, m], y: f32[]) { return r = mul(x, y) }", {"x": x, "y": numpy.float32(3)}, x * numpy.float32(3))
    desk.expect("graph g(x: f32[n, m], y: f32[]) { return r = mul(y, x) }", {"x": x, "y": numpy.float32(3)}, x * numpy.float32(3))
    for other in ("f32[4]", "f32[1, 4]", "f32[3, 1]", "f32[3, 4, 1]", "f32[n, 4]"):
        desk.refuse(f"graph g(x: f32[3, 4], y: {other}) {{ return r = add(x, y) }}", "add", "[3, 4]", other[3:], '"x"', '"y"')


def case_broadcast(desk):
    """G8.right_aligned,stretch,left_axes/interp,c G8.error: NumPy's rule as a flag of the graph"""
    pairs = [((3, 4), (4,)), ((4,), (3, 4)), ((3, 4), (1, 4)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((1,), (2, 0)), ((5, 1, 2), (3, 1))]
    for a, b in pairs:
        x, y = ramp(*a), ramp(*b) + 1
        desk.expect(f"graph g(x: f32{list(a)}, y: f32{list(b)}) flags=[broadcast] {{ return r = add(mul(x, y), x) }}", {"x": x, "y": y}, x * y + x)
    symbolic = "graph g(x: f32[n, 1, k], y: f32[m, 1]) flags=[broadcast] { return r = add(x, y) }"
    desk.expect(symbolic, {"x": ramp(2, 1, 3), "y": ramp(4, 1)}, ramp(2, 1, 3) + ramp(4, 1))
    desk.refuse("graph g(x: f32[3, 4], y: f32[3]) flags=[broadcast] { return r = add(x, y) }", "Cannot broadcast shapes [3, 4] and [3]")
    # A symbolic axis is never broadcast, whatever its value in a run.
    desk.refuse("graph g(x: f32[n], y: f32[k]) flags=[broadcast] { return r = add(x, y) }", "Cannot broadcast shapes [n] and [k]")


def case_arange_and_casts(desk):
    """G12.arange,arange_symbolic,cast_noop/interp,c: arange of constant and symbolic size; a cast to the same dtype is no node"""
    desk.expect("graph g() { return r = arange(n=7) }", {}, numpy.arange(7, dtype=numpy.int32))
    for n in (0, 1, 5, 1000):
        desk.expect("graph g(x: f32[n]) { return r = arange(n=2*n+1) }", {"x": ramp(n)}, numpy.arange(2 * n + 1, dtype=numpy.int32))
    text = "graph g(x: f32[n]) { return r = neg(cast(x, dtype=f32)) }"
    assert "cast" not in desk.emit(text, "graph")
    desk.expect(text, {"x": ramp(5)}, -ramp(5))


def case_edge(desk):
    """G5.contiguous_edge: a view that reaches an output is stored as a row-major array"""
    x = ramp(3, 4)
    desk.expect("graph g(x: f32[n, m]) { return r = permute(x, axes=[1, 0]) }", {"x": x}, x.T)
    desk.expect("graph g(x: f32[n, m]) { return r = flip(x, axes=[1]) }", {"x": x}, x[:, ::-1])
    desk.expect("graph g(x: f32[3]) { return r = expand(reshape(x, shape=[3, 1]), shape=[3, 2]) }", {"x": x[:, 0].copy()},
                numpy.stack([x[:, 0]] * 2, 1))


# Two independent reductions a and b, an array y that is computed from both, and the result, which is computed from y and its sum.
STAGES = """graph stages(x: f32[n, 8], w: f32[n, 8]) flags=[broadcast] {
  a = sum(x, axes=[0])
  b = max(w, axes=[0])
  y = mul(x, sub(a, b))
  t = sum(y, axes=[0])
  return r = mul(y, t)
}
"""


def schedule_kernels(desk, text):
    """Returns the kernels of the printed schedule: [(name, generation, reads, writes)]. Kernels of one generation may run at the same
    time."""
    kernels = []
    for block in re.split(r"^(?=kernel_\d+ generation)", desk.emit(text, "schedule"), flags=re.M)[1:]:
        head = re.match(r"(kernel_\d+) generation (\d+)", block)
        reads = re.search(r"^  reads +(.*)$", block, re.M)
        kernels.append((head[1], int(head[2]), reads[1].split(", ") if reads else [], re.findall(r"^  writes +(\w+)", block, re.M)))
    return kernels


def case_generations(desk):
    """L1.kahn: every kernel's generation is one more than the latest of those it reads from"""
    kernels = schedule_kernels(desk, STAGES)
    made_in = {name: generation for _, generation, _, writes in kernels for name in writes}
    assert len(kernels) >= 4 and max(generation for _, generation, _, _ in kernels) >= 2, kernels
    for name, generation, reads, _ in kernels:
        wanted = 1 + max([made_in[read] for read in reads if read in made_in], default=-1)
        assert generation == wanted, f"{name} is of generation {generation}, not {wanted}: {kernels}"
    assert [kernel[1] for kernel in kernels] == sorted(kernel[1] for kernel in kernels)


def case_unit(desk):
    """L2.kernel_function,kernel_main,entry_point/c L1.concurrent,barriers/c: the functions of the generated unit, and their calls"""
    source = desk.emit(STAGES, "c")
    kernels = re.findall(r"^static .*void (kernel_\d+)\(", source, re.M)
    main = re.search(r"^static void kernel_main\(.*?^}$", source, re.M | re.S)[0]
    after = source[source.index(main) + len(main):]
    assert kernels and all(re.search(rf"\b{kernel}(?:, &args|\()", main) for kernel in kernels), "kernel_main does not call every kernel"
    steps = re.findall(r"^  (?:{ )?/\* generation (\d+) \*/\n(.*?)(?=^  (?:{ )?/\*|^}$)", main, re.M | re.S)
    assert [int(number) for number, _ in steps] == list(range(len(steps))) and len(steps) >= 3, "generations in order"
    # One call starts the two sums of generation 0 (the kernels that depend on no other kernel), so that they can run at the same time. It
    # returns when both kernels have ended.
    assert steps[0][1].count("harp_run_together(rt, cancel, 2, tasks)") == 1, main
    for _, body in steps:
        assert len(re.findall(r"\b(?:harp_run_together|harp_for|kernel_\d+)\(", body)) == 1, f"a generation is one call:\n{body}"
    assert re.search(r"int32_t entry_point_ex\(void\*\* inputs, void\*\* outputs, size_t\* shape_vars, const harp_runtime\* rt\)", after)
    assert re.search(r"void entry_point\(void\*\* inputs, void\*\* outputs, size_t\* shape_vars\)", after) and "kernel_main(" in after


def case_look(desk):
    """L4.names,indented/c: the prescribed names, and two spaces of indentation for each level"""
    for options in ((), ("--plain-text",)):
        source = desk.emit(STAGES, "c", *options)
        kernel_text = "".join(re.findall(r"^static [^\n]*void kernel_\d+\(void\* arg.*?^}$", source, re.M | re.S))
        assert kernel_text.count("for (") > 3
        declared = re.findall(r"\b(?:u?int\d+_t|float|double|[fiu]\d+x\d+)\b\*? (?:const )?\*?(\w+) *(?:=|\[)", kernel_text)
        wrong = [name for name in declared if not re.match(r"^(lidx|gidx|ridx|oidx|alu|acc|shape|input|output|tmp)\d+(_row\d*)?$|^cancel$", name)]
        assert len(declared) > 10 and not wrong, f"names {sorted(set(wrong))}"
        level = 0
        for line in kernel_text.splitlines():
            words = line.strip()
            closing = words.startswith("}")
            assert not words or len(line) - len(line.lstrip()) == 2 * (level - closing), f"indentation of: {line!r}"
            level += line.count("{") - line.count("}")
        assert level == 0


def case_tiles(desk):
    """X2.tile,simd_width/c: bits do not depend on tile, unrolling and vector width"""
    random = numpy.random.default_rng(3)
    x = (random.standard_normal((700, 37)) * 2.0 ** random.integers(-12, 12, (700, 37))).astype(numpy.float32)
    text = "graph g(x: f32[n, k]) { return r = sum(tanh(x), axes=[0]) }"
    wanted = desk.run(text, {"x": x}, "interp").tobytes()
    seen = set()
    for schedule in ("reduce [thread simd=1, reduce]", "reduce [thread simd=4, reduce unroll=3]", "reduce [thread tile=16 simd=8, reduce unroll=8]",
                     "reduce [thread tile=512 simd=16, reduce unroll=2] partition", "reduce [sequential, reduce]"):
        with open(desk.path("schedule"), "w", encoding="utf-8") as file:
            file.write(f"kernel_0: {schedule}\n")
        got = desk.run(text, {"x": x}, "c", "--schedule", desk.path("schedule"))
        assert got.tobytes() == wanted, f"{schedule}: other bits"
        seen.add(desk.emit(text, "c", "--schedule", desk.path("schedule")))
    assert len(seen) > 3, "the schedules make no difference to the text"


def main():
    machine.exit_if_skipped(__file__)
    numpy.seterr(all="ignore")
    with tempfile.TemporaryDirectory(prefix="harp-contract-") as folder:
        return cases.run(cases.of(sys.modules[__name__]), __file__, Desk(folder))


if __name__ == "__main__":
    sys.exit(main())
