"""Checks that docs/semantics.md is exact enough for an implementation: the test runs its pseudo-code, and harp must give the same bits.

The ```python blocks of the page are executed unchanged. With their functions the test computes sums, products, max, scans over one axis,
random bits, Fourier transforms and the elements that indices name, element by element in float32 with an exactly rounded fma. It
compares these results with those of the tool on every available backend. Each of the ```harp blocks defines a composite. It begins with
a comment "# call: NAME(...)", and a graph with this call must give the same bits as the block.

rows: G3.sum/interp,c G3.prod/interp,c G3.max/interp,c G4.cumsum/interp,c G4.cumprod/interp,c G4.cummax/interp,c G4.cummin/interp,c G14.take_along_axis/interp,c G14.scatter_add/interp,c G15.fft/interp,c G1.composites
"""
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

import package_group

package_group.require("python", __file__, modules=("numpy",))
import numpy  # noqa: E402

import machine
from quick_compiler import QUICK

SOURCE, TOOL = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_TOOL"]
F32 = numpy.float32


def law_text():
    with open(os.path.join(SOURCE, "docs", "semantics.md"), encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def fma(a, b, c):
    """Computes a * b + c of finite float32 values with one rounding: the exact result is a fraction, which is rounded to the nearest
    float32, ties to even."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return F32(a) * F32(b) + F32(c)  # if the exact result is 0, the rounded operations give 0 with the right sign
    near = F32(float(exact))
    candidates = [numpy.nextafter(near, F32(-numpy.inf)), near, numpy.nextafter(near, F32(numpy.inf))]
    return min(candidates, key=lambda value: (abs(Fraction(float(value)) - exact), int(value.view(numpy.uint32)) & 1))


BACKENDS = ("interp", "c")
MOST_TOGETHER = 20  # maximum number of definitions of composites in one graph


class Tool:
    """Runs graphs, given as text, on arrays through `harp run`."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(scratch, "cache")}

    def path(self, name):
        return os.path.join(self.scratch, name)

    def run(self, text, inputs, backend, quick=False):
        """Runs a graph and returns its output r."""
        return self.run_outputs(text, inputs, backend, ["r"], quick)["r"]

    def run_outputs(self, text, inputs, backend, outputs, quick=False):
        """Runs a graph and returns the outputs with these names as {name: array}."""
        with open(self.path("model.harp"), "w", encoding="utf-8") as file:
            file.write("harp 1\n" + text)
        command = [TOOL, "run", self.path("model.harp"), "--backend", backend]
        command += QUICK if quick and backend == "c" else []
        for name in outputs:
            command += ["--output", f"{name}={self.path(name + '.npy')}"]
        for name, array in inputs.items():
            numpy.save(self.path(name + ".npy"), array)
            command += ["--input", f"{name}={self.path(name + '.npy')}"]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{text}\n{result.stdout}{result.stderr}"
        return {name: numpy.load(self.path(name + ".npy")) for name in outputs}

    def run_all(self, text, inputs, quick=False):
        """Returns (backend, result) for each backend. With `quick`, C is compiled without optimisation."""
        return [(backend, self.run(text, inputs, backend, quick)) for backend in BACKENDS]


def same_bits(a, b):
    """Tests whether two arrays have equal bits; all NaNs count as equal."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bits(a.view(F32 if a.dtype.itemsize == 8 else numpy.float64), b.view(F32 if a.dtype.itemsize == 8 else numpy.float64))
    if a.dtype.kind != "f":
        return bool((a == b).all())
    integer = {4: numpy.uint32, 8: numpy.uint64}[a.dtype.itemsize]
    return bool(((a.view(integer) == b.view(integer)) | (numpy.isnan(a) & numpy.isnan(b))).all())


def noise(shape, seed):
    """Returns values of many magnitudes, so that another order of summation gives other bits, with a few negative zeros among them."""
    random = numpy.random.default_rng(seed)
    x = (random.standard_normal(shape) * 2.0 ** random.integers(-12, 12, shape)).astype(F32)
    x[random.random(shape) < 0.01] = F32(-0.0)
    return x


def complex_noise(real, seed):
    """Returns complex numbers with these real parts; the imaginary parts are noise and zeros."""
    imaginary = noise(real.shape, seed)
    imaginary[-1] = 0
    result = numpy.empty(real.shape, numpy.complex64)
    result.real, result.imag = real, imaginary
    return result


def check_reductions(law, tool):
    zero, one, low = F32(0), F32(1), F32(-numpy.inf)
    plus, times, most = (lambda a, b: a + b), (lambda a, b: a * b), max
    product = lambda acc, pair: fma(pair[0], pair[1], acc)
    cases = 0

    def expect(text, inputs, wanted):
        nonlocal cases
        cases += 1
        wanted = numpy.array(wanted, F32)
        for backend, got in tool.run_all(text, inputs):
            assert same_bits(got, wanted.reshape(got.shape)), f"{backend}: {text}\ngives {got.ravel()[:4]}, the law {wanted.ravel()[:4]}"

    for n in (0, 1, 2, 63, 64, 65, 255, 257, 1000, 4096, 4097, 13000):
        x, w = noise(n, n), noise(n, n + 1)
        one_axis = "graph g(x: f32[n]) { return r = "
        expect(one_axis + "sum(x, axes=[0]) }", {"x": x}, law["lanes"](list(x), plus, plus, zero))
        expect("graph g(x: f32[n], w: f32[n]) { return r = sum(mul(x, w), axes=[0]) }", {"x": x, "w": w},
               law["lanes"](list(zip(x, w)), product, plus, zero))
        if n:
            expect(one_axis + "max(x, axes=[0]) }", {"x": x + F32(0)}, law["lanes"](list(x + F32(0)), most, most, low))
        units = (F32(1) + noise(n, n + 2) * F32(1e-5)).astype(F32)
        expect(one_axis + "prod(x, axes=[0]) }", {"x": units}, law["lanes"](list(units), times, times, one))
    for rows in (0, 1, 2, 255, 256, 257, 513, 700):
        x = noise((rows, 3), rows)
        columns = [list(x[:, j]) for j in range(3)]
        expect("graph g(x: f32[n, 3]) { return r = sum(x, axes=[0]) }", {"x": x}, [law["chain"](c, plus, plus, zero) for c in columns])
    # Two axes are reduced; the axis between them is kept. The last axis is summed in the order that the page calls "lanes", the first one
    # in the order that it calls "chain".
    x = noise((300, 2, 70), 5)
    expect("graph g(x: f32[n, 2, k]) { return r = sum(x, axes=[0, 2]) }", {"x": x},
           [law["chain"]([law["lanes"](list(x[i, j]), plus, plus, zero) for i in range(300)], plus, plus, zero) for j in range(2)])
    # All reduced axes are adjacent, so they are reduced together, by one sum in the order that the page calls "lanes".
    x = noise((70, 70), 6)
    expect("graph g(x: f32[n, k]) { return r = sum(x, axes=[0, 1]) }", {"x": x}, law["lanes"](list(x.ravel()), plus, plus, zero))
    # The order of a sum over a permuted array is that of the array in memory, so this sum has the order that the page calls "chain".
    expect("graph g(x: f32[n, 3]) { return r = sum(permute(x, axes=[1, 0]), axes=[1]) }", {"x": x[:, :3].copy()},
           [law["chain"](list(x[:, j]), plus, plus, zero) for j in range(3)])
    # A matrix product is summed in the order that the page calls "chain". Each product is added by an fma, so it is not rounded before the
    # addition.
    a, b = noise((2, 600), 7), noise((600, 3), 8)
    matmul = ("graph g(a: f32[2, k], b: f32[k, 3]) {\n  p = expand(reshape(a, shape=[2, k, 1]), shape=[2, k, 3])\n"
              "  q = expand(reshape(b, shape=[1, k, 3]), shape=[2, k, 3])\n  return r = sum(mul(p, q), axes=[1])\n}")
    expect(matmul, {"a": a, "b": b}, [law["chain"](list(zip(a[i], b[:, j])), product, plus, zero) for i in range(2) for j in range(3)])
    return cases


def check_scans(law, tool):
    most, least = (lambda a, b: max(a, b)), (lambda a, b: min(a, b))
    operations = {"cumsum": (lambda a, b: a + b, F32(0)), "cumprod": (lambda a, b: a * b, F32(1)),
                  "cummax": (most, F32(-numpy.inf)), "cummin": (least, F32(numpy.inf))}
    cases = 0

    def expect(what, x, wanted):
        nonlocal cases
        cases += 1
        for backend, got in tool.run_all(f"graph g(x: f32[{', '.join('nmk'[3 - x.ndim:])}]) {{ return r = {what} }}", {"x": x}):
            law_says = numpy.array(wanted, F32).reshape(got.shape)
            assert same_bits(got, law_says), f"{backend}: {what} of {x.shape}\ngives {got.ravel()[:4]}, the law {law_says.ravel()[:4]}"

    def law_scan(order, name, x):
        return law["scan"](law[order], list(x), *operations[name])

    for name in operations:
        sizes = (0, 1, 3, 64, 65, 4096, 4097, 9000) if name == "cumsum" else (5, 70, 4160)
        for n in sizes:
            x = noise(n, n) if name != "cumprod" else (F32(1) + noise(n, n + 2) * F32(1e-5)).astype(F32)
            if name in ("cummax", "cummin"):
                x = x + F32(0)  # turns -0 into +0, because Python's max does not distinguish zeros
            expect(f"{name}(x, axis=0)", x, law_scan("tree", name, x))
            expect(f"{name}(x, axis=0, reverse=true)", x, law_scan("tree", name, x[::-1])[::-1])
            expect(f"{name}(x, axis=0, order=chain)", x, law_scan("chained", name, x))
    for rows in (0, 1, 2, 4096, 4097):
        x = noise((rows, 3), rows)
        down = numpy.array([law_scan("chained", "cumsum", x[:, j]) for j in range(3)], F32).T.reshape(rows, 3)
        expect("cumsum(x, axis=0)", x, down)
        expect("cumsum(permute(x, axes=[1, 0]), axis=1)", x, down.T)
        up = numpy.array([law_scan("chained", "cumsum", x[::-1, j])[::-1] for j in range(3)], F32).T.reshape(rows, 3)
        expect("cumsum(x, axis=0, exclusive=true, reverse=true)", x, numpy.concatenate([up, numpy.zeros((1, 3), F32)])[1:])
    x = noise((3, 200, 2), 5)
    expect("cumsum(x, exclusive=true)", x, [F32(0)] + law_scan("tree", "cumsum", x.ravel())[:-1])
    return cases


def check_random(law, tool):
    cases = 0
    for key, counter in ((0, 0), (2**64 - 1, 2**64 - 1), (0x13198A2E03707344, 0x243F6A8885A308D3), (1, 2**32 - 5), (7, 2**64 - 3)):
        inputs = {"key": numpy.uint64(key), "counter": numpy.uint64(counter)}
        for bits in (8, 16, 32, 64):
            wanted = law["random_bits"](key, counter, 21, bits)
            text = f"graph g(key: u64[], counter: u64[]) {{ return r = random_bits(key, shape=[3, 7], counter=counter, dtype=u{bits}) }}"
            for backend, got in tool.run_all(text, inputs):
                assert got.ravel().tolist() == wanted, f"{backend}: bits of {key}, {counter}\n{got.ravel()}\nthe law {wanted}"
            cases += 1
    return cases


def check_indices(law, tool):
    wanted = list(range(-12, 13)) + [127, -128]
    cases = 0
    for n in (1, 2, 7):
        x = noise(n, n)
        for dtype in ("i8", "i32", "i64"):
            i = numpy.array(wanted, {"i8": numpy.int8, "i32": numpy.int32, "i64": numpy.int64}[dtype])
            for backend, got in tool.run_all(f"graph g(x: f32[n], i: {dtype}[m]) {{ return r = take_along_axis(x, i, axis=0) }}", {"x": x, "i": i}):
                assert same_bits(got, x[[law["named_element"](k, n) for k in wanted]]), f"{backend}: {dtype} of {n} elements gives {got}"
            cases += 1
    return cases


def check_padding(law, tool):
    count = 0
    for n in (1, 2, 5):
        x = noise((n, 2), n)
        for mode in ("edge", "reflect", "symmetric", "wrap"):
            for before, after in ((1, 0), (0, 2), (7, 13), (-1, 9)):
                text = f"graph g(x: f32[n in 1..9, 2]) {{\n  return r = pad(x, before=[{before}, 0], after=[{after}, 0], mode={mode})\n}}\n"
                expected = numpy.stack([x[law["continued"](i, before, n, mode)] for i in range(n + before + after)])
                for backend, got in tool.run_all(text, {"x": x}, quick=True):
                    assert same_bits(got, expected), f"{backend}: pad of {n} elements, {before} and {after}, {mode}"
                count += 1
    return count


def check_scatters(law, tool):
    cases = 0
    for n in (1, 2, 7, 19):
        x, updates = noise(n, n), noise(40, n + 50)
        i = numpy.random.default_rng(n).integers(-n - 2, n + 2, 40).astype(numpy.int32)
        for name, combine in (("scatter", lambda _, update: update), ("scatter_add", numpy.add), ("scatter_mul", numpy.multiply),
                              ("scatter_max", numpy.maximum), ("scatter_min", numpy.minimum)):
            wanted = numpy.array(law["scattered"](x, i.tolist(), updates, combine), F32)
            text = f"graph g(x: f32[n], i: i32[m], u: f32[m]) {{ return r = {name}(x, i, u, axis=0) }}"
            for backend, got in tool.run_all(text, {"x": x, "i": i, "u": updates}):
                assert same_bits(got, wanted), f"{backend}: {name} to {n} elements gives {got}\nthe law {wanted}"
            cases += 1
    return cases


def check_transforms(law, tool):
    """Runs the page's code twice, because its cos and sin are harp's: the first run collects the angles, then the tool computes their
    cosines and sines, and the second run uses these values."""
    lengths = (1, 2, 3, 4, 8, 13, 15, 17, 48, 49, 51, 143, 256, 260, 331, 400)
    met = set()
    law.update(pi=numpy.pi, rounded=F32, cos=lambda angle: met.add(angle) or 1.0, sin=lambda angle: 0.0)
    for n in lengths:
        law["dft"]([(F32(1), F32(0))] * n)
    angles = numpy.array(sorted(met))
    for name in ("cos", "sin"):
        (_, values), *others = tool.run_all(f"graph g(x: f64[n]) {{ return r = {name}(x) }}", {"x": angles})
        assert all(same_bits(values, more) for _, more in others), f"{name} is not the same on every backend"
        law[name] = dict(zip(angles.tolist(), values)).__getitem__
    for n in lengths:
        re, im = noise((2, n), n), noise((2, n), n + 100)
        wanted = numpy.array([law["dft"](list(zip(re[row], im[row]))) for row in range(2)], F32).transpose(2, 0, 1)
        for backend, got in tool.run_all("graph g(re: f32[m, n], im: f32[m, n]) { return r = dft(re, im) }", {"re": re, "im": im}):
            assert same_bits(got, wanted), f"{backend}: dft of {n} elements gives {got}\nthe law {wanted}"
    return len(lengths)


def alike(definitions):
    """Returns pairs of a header, "graph ... {", and a list of at most MOST_TOGETHER definitions that have this header. The definitions of a
    pair can be parts of the same graph."""
    groups = {}
    for definition in definitions:
        header = re.search(r"^graph \w+\(.*?\)[^{]*\{\n", definition, re.M)
        assert header, f"a definition without a graph:\n{definition}"
        groups.setdefault(header[0], []).append(definition)
    return [(header, group[at : at + MOST_TOGETHER]) for header, group in groups.items() for at in range(0, len(group), MOST_TOGETHER)]


def body_of(definition, prefix):
    """Returns the lines of the body of a definition, without the last one, and the value that the last one returns. The names that the body
    declares get the prefix."""
    *lines, last = re.search(r"\{\n(.*)\n\}", definition, re.S)[1].splitlines()
    declarations = [line.strip().partition(" = ") for line in lines]
    names = [name for declared, _, _ in declarations for name in declared.split(", ")]
    # Words in strings, names of attributes and names of operations are not renamed.
    word = re.compile(rf'"[^"]*"|\b(?:{"|".join(names)})\b(?!\s*(?:=(?!=)|\())')

    def renamed(value):
        return word.sub(lambda found: found[0] if found[0][0] == '"' else prefix + found[0], value) if names else value

    begin = "  return r = "
    assert last.startswith(begin), f"a definition that does not return r:\n{definition}"
    body = [f"  {', '.join(prefix + name for name in declared.split(', '))} = {renamed(value)}" for declared, _, value in declarations]
    return body, renamed(last[len(begin) :])


def check_composites(text, tool):
    """Compares each definition with its calls. Up to MOST_TOGETHER definitions are tested in one graph, because starting the tool and a
    compiler for each definition would take most of the time. Returns the number of calls."""
    definitions = blocks(text[text.index("## Composites"):], "harp")
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 88.0, -88.0, 1e-40, 3e38, -3e38, numpy.inf, -numpy.inf, numpy.nan]
    x = numpy.array([noise(13, 1), noise(13, 2), special, noise(13, 3) * 0, [2.0] * 13], F32)
    y = numpy.array([noise(13, 4), special, noise(13, 5), special, noise(13, 6)], F32)
    inputs = {"x": x, "y": y, "z": noise((5, 13), 7), "w": noise(13, 8), "b": noise(13, 9), "u": noise((13, 7), 10), "p": noise((2, 4, 6, 5), 11),
              "q": noise((6, 4, 3, 2), 12), "v": noise((2, 4, 9), 13), "t": noise((4, 6, 3), 14), "key": numpy.uint64(0x123456789ABCDEF0),
              "counter": numpy.uint64(2**32 - 7), "a": complex_noise(x, 15), "c": complex_noise(y, 16)}
    five = complex_noise(noise((4, 5), 17), 18)
    cases = 0
    for header, group in alike(definitions):
        names = re.findall(r"(\w+): (?:f32|u64|complex64)", header)
        mine = {name: five if "u: complex64" in header else inputs[name] for name in names}
        lines, values, origins = [], {}, {}
        for i, definition in enumerate(group):
            calls = re.findall(r"^# call: (.*)$", definition, re.M)
            assert calls, f"a definition without a call:\n{definition}"
            body, values[f"r{i}"] = body_of(definition, f"d{i}_")
            lines += body
            for j, call in enumerate(calls):
                values[f"r{i}_{j}"], origins[f"r{i}_{j}"] = call, (f"r{i}", definition)
        graph = "\n".join([header + "\n".join(lines), "  return " + ", ".join(f"{name} = {value}" for name, value in values.items()), "}", ""])
        for backend in BACKENDS:
            # optimised code would give the same results, so C is compiled without optimisation, which is faster
            got = tool.run_outputs(graph, mine, backend, values, quick=True)
            for name, (wanted, definition) in origins.items():
                assert same_bits(got[name], got[wanted]), \
                    f"{backend}: {values[name]} is not what the law says:\n{definition}\n{got[name]}\n{got[wanted]}"
        cases += len(origins)
    return cases


def main():
    machine.exit_if_skipped(__file__)
    text = law_text()
    law = {"fma": fma}
    for block in blocks(text, "python"):
        exec(block, law)  # pylint: disable=exec-used  # our own page, that is the point
    numpy.seterr(all="ignore")
    with tempfile.TemporaryDirectory(prefix="harp-semantics-") as scratch:
        tool = Tool(scratch)
        checks = (check_reductions, check_scans, check_random, check_indices, check_scatters, check_transforms, check_padding)
        counts = [check(law, tool) for check in checks]
        counts.append(check_composites(text, tool))
    enough = (59, 67, 20, 9, 4, 16, 48, 110)
    assert len(counts) == len(enough) and all(count >= least for count, least in zip(counts, enough)), f"too few cases ran: {counts}"
    print(f"{' and '.join(BACKENDS)}: {counts[0]} reductions, {counts[1]} scans, {counts[2]} arrays of random bits, {counts[3]} arrays of indices, "
          f"{counts[4]} scatters, {counts[5]} transforms, {counts[6]} paddings, {counts[7]} composites as the law says")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as error:
        print(f"fail: {error}")
        sys.exit(1)
