"""A case of the sweep `./dev cliffs`: one randomly drawn program with its sizes, dtypes, layouts and number of threads.  The list shows the
data flow of the sweep. Each file is one step; "a -> b" means that it makes b from a:
    families/*.py  a seed -> parameters -> Problem: the graph as text, the same work for NumPy, torch and C, flops
    case.py        parameters <-> replay line; Problem -> text with symbolic sizes or with numbers, input arrays
    library.py     text -> program of libharp, through ctypes
    peers.py       Problem -> functions of NumPy and torch, a C loop that gcc compiles
    machine.py     bandwidth and arithmetic rate of this machine -> roofline of a case
    measure.py     one case: harp's program and its peers; results compared, times in interleaved rounds -> record
    sweep.py       cases in the order of the seed, each in a worker process, until the given time is over -> records
    report.py      records -> JSON lines, distributions, the worst cases, comparison of two runs
    picture.py     records -> a picture of all ratios, as SVG

A replay line is "FAMILY key=value ...": the parameters that the family drew. It determines the case completely.
"""
import dataclasses
import inspect
import random
import re
from typing import Any, Callable

import numpy as np

NUMPY_TYPES = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
               "i64": np.int64, "u64": np.uint64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
               "complex64": np.complex64, "complex128": np.complex128}  # NumPy has no bf16, so an array of bf16 stores the bits as u16

# How an input is arranged in memory. transposed: the last two axes are exchanged. strided: between two elements is one that is not used.
# reversed: the last axis runs backwards. unaligned: the array begins one element behind a cache line.
LAYOUTS = ("contiguous", "transposed", "strided", "reversed", "unaligned")
LINE = 64  # bytes of a cache line
THREADS = (1, 2)
MOST_BYTES = 1 << 30  # limit of the bytes of all inputs of a replayed case; the limit of drawn cases is lower (Limits)


class CaseError(ValueError):
    """Raised if a replay line does not describe a case. The message says what was expected and what was found."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of drawn cases: the bytes of all inputs, the floating-point operations, and the size of an axis."""
    bytes: int = 96 << 20
    flops: float = 2e9
    size: int = 1 << 24


TINY = Limits(bytes=1 << 15, flops=2e5, size=12)


class Draw:
    """The random choices of one case. The seed is a text; the same seed gives the same choices in every process."""

    def __init__(self, seed, limits=Limits()):
        self.random = random.Random(seed)
        self.limits = limits

    def pick(self, *values):
        return self.random.choice(values)

    def often(self, usual, *others):
        """Returns `usual` in half of the draws, otherwise one of the others."""
        return usual if self.random.random() < 0.5 else self.random.choice(others)

    def size(self, least, most):
        """Draws a size between the bounds. Like sizes in real programs it is any number, a power of two, a multiple of ten, or a prime. Its
        logarithm is uniformly distributed, so that small sizes are as frequent as large ones."""
        most = max(least, min(most, self.limits.size))
        value = round(least * (most / least) ** self.random.random()) if least > 0 else self.random.randint(least, most)
        style = self.random.random()
        if style < 0.25:
            value = 1 << max(value, 1).bit_length() - 1
        elif style < 0.5 and value >= 20:
            value -= value % (100 if value >= 1000 else 10)
        elif style < 0.7:
            value = next((p for p in range(value, 1, -1) if all(p % d for d in range(2, int(p**0.5) + 1))), value)
        return min(max(value, least), most)

    def channels(self, most=2048):
        value = self.random.choice((1, 2, 3, 4, 7, 8, 16, 24, 31, 32, 48, 64, 96, 100, 128, 192, 256, 384, 512, 768, 1000, 1024, 2048))
        return min(value, most, self.limits.size)

    def image(self, most=512):
        value = self.random.choice((7, 8, 13, 14, 16, 27, 28, 32, 56, 64, 99, 112, 128, 180, 224, 227, 256, 300, 384, 500, 512))
        return min(value, most, self.limits.size)

    def batch(self, most=512):
        return min(self.random.choice((1, 1, 1, 2, 3, 4, 8, 10, 16, 32, 50, 64, 128, 256, 512)), most, self.limits.size)

    def layout(self):
        return self.often("contiguous", *LAYOUTS[1:])

    def shape(self, least_rank, most_rank, elements=1 << 22):
        """Draws the sizes of a tensor and returns them joined by x: "3x224x224"."""
        rank = self.random.randint(least_rank, most_rank)
        sizes, left = [], elements
        for axis in range(rank):
            sizes.append(self.size(1, max(1, round(left ** (1 if axis == rank - 1 else 0.6)))))
            left = max(1, left // sizes[-1])
        self.random.shuffle(sizes)
        return "x".join(map(str, sizes))


@dataclasses.dataclass(frozen=True)
class Input:
    """An input array. shape: each size is a number, the name of a symbolic size (a capital letter), or an expression of such names.
    values: "normal", "positive", "bool", "sorted", "index N" for integers below N, or "weights N" for weights of a layer that adds N
    products, whose results then are about as large as its inputs, as in trained networks. layout: how the program's input is arranged in
    memory; the statements of the graph see the shape `shape`."""
    name: str
    dtype: str
    shape: tuple
    values: str = "normal"
    layout: str = "contiguous"


@dataclasses.dataclass
class Problem:
    """One benchmark: a harp program, and the same computation for the peers (NumPy, torch and a C loop) with which harp is compared. A
    family, which is a function in families/, makes it from the parameters of a case."""
    inputs: list
    lines: list  # statements of the graph; the last one is return
    sizes: dict  # symbolic sizes and their values, {"N": 1000}; the specialised form of the program has the values in place of the names
    numpy: Callable  # numpy(np, *arrays) returns an array, or a tuple of arrays
    torch: Callable | None = None  # the same for torch, torch(torch, *tensors); None: torch would need many calls, so it is not compared
    c: str | None = None  # body of the C function; NAME(i, j) is an element of an input or output
    c_head: str = ""  # C text that precedes the function whose body is `c`
    least: dict = dataclasses.field(default_factory=dict)  # lower bounds of symbolic sizes, {"N": 1}; 0 for a size that is not listed
    flops: float = 0
    bytes_read: float | None = None  # bytes that the program reads from its inputs; None: it reads all of them completely
    tolerance: float | None = None  # allowed error, relative to the greatest element of the result; None: the dtype determines it
    mismatches: float = 0  # share of the elements that may differ, because a comparison in the program depends on rounding


@dataclasses.dataclass(frozen=True)
class Family:
    name: str
    draw: Callable  # draw(Draw) -> parameters
    make: Callable  # make(**parameters) -> Problem


FAMILIES = {}


def family(draw):
    """A decorator of functions that make a Problem from parameters; `draw` draws the parameters. It adds the function to FAMILIES under
    its name."""
    def add(make):
        FAMILIES[make.__name__] = Family(make.__name__, draw, make)
        return make
    return add


def one_of(what, value, choices):
    """Checks that the value is one of the choices and returns it. If the choices are a dict, returns the entry of the value instead."""
    if value not in choices:
        raise CaseError(f"{what}: expected one of {', '.join(map(str, choices))}, found {value}")
    return choices[value] if isinstance(choices, dict) else value


def sizes_of(text):
    """Returns the sizes of a text such as "3x224x224" as a list of numbers."""
    if not re.fullmatch(r"\d+(x\d+)*", str(text)):
        raise CaseError(f'shape: expected sizes joined by x, such as 3x224x224, found "{text}"')
    return [int(size) for size in str(text).split("x")]


@dataclasses.dataclass(frozen=True)
class Case:
    family: str
    parameters: tuple  # pairs (key, value)
    threads: int

    @property
    def line(self):
        return " ".join([self.family, *(f"{key}={value}" for key, value in self.parameters), f"threads={self.threads}"])

    def problem(self):
        try:
            return FAMILIES[self.family].make(**dict(self.parameters))
        except CaseError as error:
            raise CaseError(f"{self.family}: {error}") from None
        except (TypeError, ValueError, ZeroDivisionError, KeyError, IndexError) as error:
            raise CaseError(f"{self.family}: no program has these parameters: {error}") from error


def drawn(name, seed, number, limits=Limits()):
    """Draws the parameters of benchmark (case) `number` of a family under this seed. A draw that exceeds the limits, or whose parameters no
    program has (such as a window larger than its picture), is repeated, up to 200 times; then the smallest is returned."""
    draw = Draw(f"{seed} {name} {number}", limits)
    smallest = None
    for _ in range(200):
        case = Case(name, tuple(FAMILIES[name].draw(draw).items()), draw.pick(*THREADS))
        try:
            problem = case.problem()
        except CaseError:
            continue
        excess = max(input_bytes(problem) / limits.bytes, problem.flops / limits.flops)
        if excess <= 1:
            return case
        if smallest is None or excess < smallest[0]:
            smallest = (excess, case)
    if smallest is None:
        raise CaseError(f"{name}: no draw of seed {seed}, case {number} is a program")
    return smallest[1]


def parse(line):
    """Returns the case that a replay line describes."""
    name, *words = line.split() or [""]
    if name not in FAMILIES:
        raise CaseError(f'replay line: expected a family first, one of {", ".join(sorted(FAMILIES))}; found "{name}"')
    expected = list(inspect.signature(FAMILIES[name].make).parameters)
    values: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value or key in values or key not in [*expected, "threads"]:
            problem = "which is given twice" if key in values else "which has no value" if key in expected else "which it does not have"
            raise CaseError(f'replay line: {name} has key=value for {", ".join([*expected, "threads"])}; found "{word}", {problem}')
        values[key] = int(value) if re.fullmatch(r"0|-?[1-9]\d*", value) else value
    missing = [key for key in [*expected, "threads"] if key not in values]
    if missing:
        raise CaseError(f"replay line: {name} needs {', '.join(missing)}")
    threads = one_of("threads", values["threads"], THREADS)
    case = Case(name, tuple((key, values[key]) for key in expected), threads)
    problem = case.problem()
    for size in [*problem.sizes.values(), *(size for array in problem.inputs for size in logical_shape(problem, array))]:
        if not isinstance(size, int) or not 0 <= size < 1 << 31:
            raise CaseError(f"{name}: expected sizes in 0..2147483647, found {size}")
    if input_bytes(problem) > MOST_BYTES:
        raise CaseError(f"{name}: expected inputs of at most {MOST_BYTES} bytes, found {input_bytes(problem)}")
    return case


def logical_shape(problem, array):
    return [eval(size, {}, problem.sizes) if isinstance(size, str) else size for size in array.shape]


def _stored(shape, layout):
    """Returns the shape in which an array is stored in memory if its logical shape is `shape`."""
    if len(shape) >= 2 and layout == "transposed":
        return [*shape[:-2], shape[-1], shape[-2]]
    if shape and layout == "strided":
        return [*shape[:-1], f"2*({shape[-1]})" if isinstance(shape[-1], str) else 2 * shape[-1]]
    return list(shape)


def stored_shape(problem, array):
    return _stored(logical_shape(problem, array), array.layout)


def view(stored, layout):
    """Returns a view of `stored` that has the array's logical shape. `stored` is a NumPy array or torch tensor of the shape in which the
    array is stored in memory."""
    if stored.ndim >= 2 and layout == "transposed":
        return stored.swapaxes(-1, -2)
    if stored.ndim and layout == "reversed":
        return stored[..., ::-1]  # raises ValueError for a torch tensor, because torch has no negative strides
    return stored[..., ::2] if stored.ndim and layout == "strided" else stored


def strides(problem, array):
    """Returns for each logical axis of an array the number of stored elements from one index to the next."""
    shape = stored_shape(problem, array)
    steps = [int(np.prod(shape[axis + 1:])) for axis in range(len(shape))]
    if len(shape) >= 2 and array.layout == "transposed":
        steps[-1], steps[-2] = steps[-2], steps[-1]
    elif shape and array.layout == "strided":
        steps[-1] *= 2
    elif shape and array.layout == "reversed":
        steps[-1] *= -1
    return steps


def first_element(problem, array):
    """Returns the number of the stored element whose logical indices are all 0."""
    shape = stored_shape(problem, array)
    return max(0, shape[-1] - 1) if shape and array.layout == "reversed" else 0


def text_of(problem, symbolic):
    """Returns the graph in harp's text format, with symbolic sizes, or in the specialised form with numbers in their place."""
    parameters, views = [], []
    for array in problem.inputs:
        rank = len(array.shape)
        plain = array.layout in ("contiguous", "unaligned") or rank < (2 if array.layout == "transposed" else 1)
        name = array.name if plain else array.name + "_stored"
        parameters.append(f"{name}: {array.dtype}[{', '.join(map(str, _stored(array.shape, array.layout)))}]")
        if not plain and array.layout == "transposed":
            views.append(f"{array.name} = permute({name}, axes={[*range(rank - 2), rank - 1, rank - 2]})")
        elif not plain and array.layout == "reversed":
            views.append(f"{array.name} = flip({name}, axes=[{rank - 1}])")
        elif not plain:
            views.append(f"{array.name} = slice({name}, step={[1] * (rank - 1) + [2]})")
    lines = [f"graph cliff({', '.join(parameters)}) flags=[broadcast] {{", *(f"  {line}" for line in [*views, *problem.lines]), "}"]
    bounds = [f"shape {', '.join(f'{name} in {least}..{(1 << 31) - 1}' for name, least in problem.least.items())}"] if symbolic and problem.least else []
    text = "\n".join(["harp 1", *bounds, *lines]) + "\n"
    if symbolic or not problem.sizes:
        return text
    return re.sub(rf"\b({'|'.join(problem.sizes)})\b", lambda name: str(problem.sizes[name[1]]), text)


def input_bytes(problem):
    return sum(int(np.prod([float(size) for size in stored_shape(problem, array)])) * np.dtype(NUMPY_TYPES[array.dtype]).itemsize for array in problem.inputs)


def arrays_of(case, problem):
    """Returns the input arrays of a case with their stored shapes. The same replay line always gives the same arrays."""
    generator = np.random.default_rng(list(case.line.encode()))
    arrays = [_values(generator, array, stored_shape(problem, array)) for array in problem.inputs]
    return [_unaligned(values) if array.layout == "unaligned" else values for array, values in zip(problem.inputs, arrays)]


def _unaligned(values):
    """Returns a copy that begins one element behind a cache line."""
    memory = np.zeros(values.nbytes + LINE + values.itemsize, np.uint8)
    first = -memory.ctypes.data % LINE + values.itemsize
    copy = memory[first:first + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def _values(generator, array, shape):
    kind, _, bound = array.values.partition(" ")
    target = NUMPY_TYPES[array.dtype]
    if kind == "index":
        return generator.integers(0, max(int(bound), 1), shape).astype(target)
    if kind == "bool" or array.dtype == "bool":
        return generator.integers(0, 2, shape).astype(target)
    if array.dtype[0] in "iu":
        least, most = (1, 100) if kind == "positive" else (-100, 100) if array.dtype[0] == "i" else (0, 100)
        values = generator.integers(least, most, shape)
    else:
        least = 0.1 if kind == "positive" else -1.0
        values = generator.random(shape, dtype=np.float64 if array.dtype in ("f64", "complex128") else np.float32) * (1 - least) + least
        if array.dtype.startswith("complex"):
            values = values + 1j * (generator.random(shape) * (1 - least) + least)
    if kind == "weights":
        values = values * np.float32((3 / int(bound))**0.5)
    if kind == "sorted":
        values = np.sort(values, axis=-1)
    return to_bf16(values) if array.dtype == "bf16" else np.asarray(values, target)


def to_bf16(values):
    """Returns the nearest bf16 numbers, ties to even, as their bits."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def widened(array, dtype):
    """Converts 16-bit floats to f32, because the references compute in f32. Returns other arrays unchanged."""
    return from_bf16(array) if dtype == "bf16" else array.astype(np.float32) if dtype == "f16" else array
