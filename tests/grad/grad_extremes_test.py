"""Tests values, gradients and second derivatives at extreme points of every float dtype. Wherever the mathematical result is finite, harp's
result must be finite and right.

Reads tests/grad/grad_extremes.txt, whose numbers and format are explained in tests/grad/grad_extremes_table.py. Computes each case on the
interpreter, with all points of an operation in one call and all operations of a dtype in one graph. Inputs and results are f64 and are
cast in the graph.

rows: G19.extremes/interp
"""
import math
import os
import subprocess
import sys
import tempfile

import numpy

SOURCE, TOOL = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_TOOL"]
TABLE = os.path.join(SOURCE, "tests", "grad", "grad_extremes.txt")
# for each letter of the table: the dtype's name in the text format, the bits of its significand, the exponents of its least and of its
# greatest normal number
DTYPES = {"h": ("f16", 11, -14, 15), "b": ("bf16", 8, -126, 127), "s": ("f32", 24, -126, 127), "d": ("f64", 53, -1022, 1023)}
ORDERS = ("y", "y'", "y''")


class Dtype:
    def __init__(self, letter):
        self.letter = letter
        self.name, bits, least, greatest = DTYPES[letter]
        self.tiny, self.eps, self.top = 2.0**least, 2.0 ** (1 - bits), (2 - 2.0 ** (1 - bits)) * 2.0**greatest
        self.names = {"tiny": self.tiny, "eps": self.eps}

    def holds(self, values):
        """Tests whether all of these values exist and are in the range of the dtype."""
        return all(value is not None and abs(value) <= self.top for value in values)

    def unit(self, value):
        """Returns the distance between neighbouring numbers of the dtype at this value."""
        return max(math.ldexp(1.0, math.frexp(value)[1] - 1), self.tiny) * self.eps


class Block:
    """An operation and its cases. A case is (letters, x, [y, y', y'']), where x, y, y' and y'' are lists of numbers."""

    def __init__(self, line):
        head, lost, self.text = line.split(" | ", 2)
        _, kind, *units = head.split()
        self.is_vector, self.units, self.lost, self.cases = kind == "vector", [float(unit) for unit in units], lost.split(), []

    def add(self, line):
        letters, *columns = line.split()
        x, *known = [[None if number == "-" else float(number) for number in column.split(",")] for column in columns]
        self.cases.append((letters, x, known))

    def orders(self):
        """Returns 2 if a second derivative exists at any point, otherwise 1. If none exists, harp rejects the second gradient, because the
        first one does not depend on x."""
        return 2 if any(value is not None for _, _, known in self.cases for value in known[2]) else 1


def read():
    head, blocks = {}, []
    with open(TABLE, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#"):
                continue
            if line.startswith(("w ", "u ")):
                head[line[0]] = [float(number) for number in line.split()[1:]]
            elif line.startswith("op "):
                blocks.append(Block(line))
            else:
                blocks[-1].add(line)
    return head, blocks


class Batch:
    """One graph for many calls. Each call takes consecutive elements of one input, and all results are joined in one output."""

    def __init__(self, dtype):
        self.dtype, self.xs, self.lines, self.parts, self.sizes = dtype, [], [], [], []

    def constant(self, values):
        return f"cast(constant_array([{', '.join(map(repr, values))}], dtype=f64), {self.dtype.name})"

    def call(self, text, xs, results, orders, w, u):
        """Adds a call with `results` results. w is None for an elementwise function."""
        i, name, begin = len(self.lines), self.dtype.name, len(self.xs)
        self.xs += xs
        at = lambda values, n: self.constant([values[k % len(values)] for k in range(n)])  # noqa: E731
        first = "1" if w is None or results == 0 else at(w, results)
        lines = [f"x = cast(slice(all, start=[{begin}], stop=[{len(self.xs)}]), {name})", f"y = {text.replace('DTYPE', name)}",
                 f"d = grad(y, x, grad_output={first})", f"h = grad(d, x, grad_output={'1' if u is None else at(u, len(xs))})"]  # fmt: skip
        for old in "ydhx":  # renames the variables, so that all names in the graph differ
            lines = [renamed(line, old, f"{old}{i}") for line in lines]
        self.lines += ["  " + line for line in lines[: 2 + orders]]
        for letter, size in list(zip("ydh", (max(results, 1), len(xs), len(xs))))[: 1 + orders]:
            self.parts.append(f"cast(reshape({letter}{i}, shape=[{size}]), f64)")
            self.sizes.append(size)

    def run(self, backend, folder, environment):
        path = lambda name: os.path.join(folder, name)  # noqa: E731
        with open(path("model.harp"), "w", encoding="utf-8") as file:
            file.write(f"harp 1\ngraph g(all: f64[{len(self.xs)}]) {{\n" + "\n".join(self.lines))
            file.write(f"\n  return r = concat([{', '.join(self.parts)}])\n}}\n")
        numpy.save(path("all.npy"), numpy.array(self.xs))
        command = [TOOL, "run", path("model.harp"), "--backend", backend, "--input", f"all={path('all.npy')}", "--output", f"r={path('r.npy')}"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{self.dtype.name}: {done.stdout}{done.stderr}"
        return numpy.split(numpy.load(path("r.npy")), numpy.cumsum(self.sizes)[:-1])


def renamed(line, old, new):
    """Replaces a variable with a one-letter name, but not that letter inside other words."""
    out, word = [], lambda c: c.isalnum() or c in "_\"'"  # noqa: E731
    for k, c in enumerate(line):
        alone = c == old and not (k and word(line[k - 1])) and not (k + 1 < len(line) and word(line[k + 1]))
        out.append(new if alone else c)
    return "".join(out)


def problems_of(block, dtype, order, x, found, expected):
    """Yields a message for each wrong element of one list of numbers, such as a gradient. In a vector, the tolerance of all elements is
    that of the greatest element."""
    found, scale = list(found), max((abs(value) for value in expected if value is not None), default=0)
    for i, (mine, right) in enumerate(zip(found, expected)):
        if right is None or abs(right) > dtype.top:
            continue
        lost = float(eval(block.lost[order], {}, dtype.names))  # noqa: S307: the text is a formula of the table
        bound = block.units[order] * dtype.unit(min(scale, dtype.top) if block.is_vector else abs(right)) + max(lost, dtype.tiny)
        near_top = abs(right) > dtype.top / 2 and numpy.isinf(mine) and (abs(right) + bound) > dtype.top
        if not abs(mine - right) <= bound and not near_top:
            yield f"{block.text} in {dtype.name} at {x}: {ORDERS[order]}{f'[{i}]' if block.is_vector else ''} is {mine!r}, not {right!r} (± {bound:.3g})"


def check(head, blocks, letter, backend, folder, environment):
    """Returns the number of compared values and a list of what is wrong."""
    dtype = Dtype(letter)
    batch, calls = Batch(dtype), []
    for block in blocks:
        cases = [(x, known) for letters, x, known in block.cases if letter in letters and dtype.holds(known[0])]
        if not cases:
            continue
        orders = block.orders()
        if block.is_vector:
            for x, known in cases:
                results = 0 if len(known[0]) == 1 else len(known[0])
                batch.call(block.text, x, results, orders, head["w"], head["u"])
                calls.append((block, x, known[: 1 + orders]))
        else:
            batch.call(block.text, [x[0] for x, _ in cases], len(cases), orders, None, None)
            columns = [[known[order][0] for _, known in cases] for order in range(1 + orders)]
            calls.append((block, [x[0] for x, _ in cases], columns))
    results = iter(batch.run(backend, folder, environment))
    compared, wrong = 0, []
    for block, x, columns in calls:
        for order, expected in enumerate(columns):
            found = next(results)
            compared += sum(value is not None for value in expected)
            if block.is_vector:
                wrong += problems_of(block, dtype, order, x, found, expected)
            else:
                for point, mine, right in zip(x, found, expected):
                    wrong += problems_of(block, dtype, order, point, [mine], [right])
    return compared, wrong


def main():
    backends = sys.argv[1:] or ["interp"]
    head, blocks = read()
    assert len(blocks) > 70 and all(block.cases for block in blocks), "operations of the table have gone"
    compared, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="harp-extremes-") as folder:
        environment = {**os.environ, "HARP_CACHE_DIR": os.path.join(folder, "cache")}
        for letter in DTYPES:
            for backend in backends:
                of_dtype = check(head, blocks, letter, backend, folder, environment)
                compared += of_dtype[0]
                wrong += of_dtype[1]
    print("\n".join(wrong[:200]))
    assert not wrong, f"{len(wrong)} of {compared} values are wrong"
    print(f"{compared} values of {len(blocks)} operations at extreme points are right")


if __name__ == "__main__":
    main()
