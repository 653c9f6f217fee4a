"""Golden programs for GPUs (tests/cuda/golden: CUDA text and launch plan) as Python objects. They run in the emulator of tests/cuda, with
every access to memory watched (accesses.h), and are compared with harp's interpreter. The text and the plan may be changed before a run;
faults.py does that.
"""
import _ctypes
import atexit
import ctypes
import functools
import glob
import os
import re
import signal
import subprocess
import tempfile

import numpy as np

SOURCE = os.environ["HARP_SOURCE_DIR"]
TOOL = os.environ["HARP_TOOL"]
GOLDEN = os.path.join(SOURCE, "tests", "cuda", "golden")
DTYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "bool": "?", "complex64": "c8", "complex128": "c16",
          **{f"{kind}{8 * size}": f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)}}
PROCESSORS, BLOCKS_PER_PROCESSOR = 3, 2  # a small device, so that loops over the blocks of a grid make several steps
ORDERS = {"ascending": 0, "descending": 1, "shuffled": 2}
# limits on the arrays of a run, because more would take too long in the emulator
MOST_BYTES, MOST_BYTES_OF_CONSTANT_SIZE = 3 << 20, 1 << 24
LONGEST = 66049  # of a sum along an axis of this length, even the sums of blocks of 256 are more than 256
SLACK = 1 << 16  # bytes before and after an array that belong to no array, so that an access close to the array does not end the process


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def names():
    """Returns the names of the golden programs."""
    return sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(GOLDEN, "*.cu")))


class Interpreted(Exception):
    """Raised if the interpreter cannot run a graph."""


# --- Plans


def evaluate(size, values):
    """Returns the value of a size expression (docs/launch-plan.md)."""
    functions = {"floor_div": lambda a, b: a // b if b else 0, "floor_mod": lambda a, b: a % b if b else 0, "min": min, "max": max,
                 "select": lambda c, a, b: a if c >= 0 else b}
    return eval(size, {"__builtins__": {}}, functions | values)  # pylint: disable=eval-used


class Step:
    """One step of a launch plan: a launch, or a join, which only orders other steps and whose `kernel` is None."""

    def __init__(self, after, action):
        self.after = after
        self.kernel = None
        if action == "join":
            return
        found = re.fullmatch(r"launch (\w+) grid \[(.*?)\](?: shared (.*?))?(?: if (.*?) >= 0)? \((.*)\)", action)
        if not found:
            raise ValueError(f"not a launch: {action}")
        self.kernel, grid, self.shared, self.guard, arguments = found.groups()
        self.grid, self.arguments = split(grid), split(arguments)


def split(text):
    """Splits a list at the commas that are not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Plan:
    """A launch plan, read from its text."""

    def __init__(self, text):
        self.variables = re.findall(r"^shape\d+ (.*)$", text, re.M)
        self.inputs = re.findall(r"^input\d+ (.*)$", text, re.M)
        self.outputs = re.findall(r"^output\d+ (.*)$", text, re.M)
        self.constants = re.findall(r"^constant\d+ (\d+) bytes$", text, re.M)
        self.arena = re.search(r"^arena (.*) bytes$", text, re.M)[1]
        self.blocks = {name: [int(n) for n in block.split(", ")] for name, block in re.findall(r"^kernel (\w+) block \[(.*)\]$", text, re.M)}
        self.steps = []
        for number, after, action in re.findall(r"^step (\d+)(?: after ([\d, ]+))?: (.*)$", text, re.M):
            if int(number) != len(self.steps):
                raise ValueError(f"step {number} is step {len(self.steps)}")
            self.steps.append(Step([int(n) for n in after.split(", ")] if after else [], action))

    def before(self):
        """Returns, for each step, the set of the steps that are complete when it begins."""
        complete = []
        for step in self.steps:
            complete.append(set(step.after).union(*(complete[earlier] for earlier in step.after)))
        return complete

    def latest_first(self):
        """Returns an order of the steps that the plan permits and that differs as much as possible from the written one: of the steps that
        may come next, the last one in the plan comes first."""
        left, order = set(range(len(self.steps))), []
        while left:
            order.append(max(i for i in left if not left & set(self.steps[i].after)))
            left.remove(order[-1])
        return order


# --- Text


@functools.lru_cache(maxsize=None)
def kernels_of(text):
    """Returns the kernels of a CUDA text: {name: (the line that says what it does, parameters, its whole text)}."""
    found = {}
    pattern = r'(?:/\* (generation [^\n]*?) \*/\n)?extern "C" __global__ void __launch_bounds__\([^)]*\)\s+(\w+)\((.*?)\) \{\n.*?^\}\n'
    for kernel in re.finditer(pattern, text, re.S | re.M):
        found[kernel[2]] = (kernel[1] or "", kernel[3].split(", "), kernel[0])
    return found


def emulated_source(text):
    """Returns the text as a source for the emulator. It does what tests/cuda/emulator/source.cpp does."""
    text = re.sub(r"extern __shared__ (?:__align__\(\d+\) )?(\w[\w ]*) (\w+)\[\];", r"\1* const \2 = (\1*)harp_emulator::dynamic_shared;", text)
    text = re.sub(r'asm volatile\("cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], (\d+), %2;"\s*: : "r"\(\(u32\)__cvta_generic_to_shared\((\w+)\)\), '
                  r'"l"\((\w+)\), "r"\((\w+)\) : "memory"\);', r"harp_emulator::copy_async(\2, \3, \1, \4, __LINE__);", text)
    text = text.replace('asm volatile("cp.async.commit_group;" : : : "memory");', "harp_emulator::end_batch();")
    text = re.sub(r'asm volatile\("cp\.async\.wait_group (\d+);" : : : "memory"\);', r"harp_emulator::complete_copies(\1);", text)
    kernels = re.findall(r"__global__ void __launch_bounds__\((\d+)[^)]*\)\s+(\w+)\(", text)
    return text + "".join(f"HARP_EMULATED_KERNEL({number}, {name}, {threads})\n" for number, (threads, name) in enumerate(kernels))


class EmulatedKernel(ctypes.Structure):
    """The ctypes declaration of the struct EmulatedKernel of tests/cuda/emulator/kernels.h."""
    _fields_ = [("name", ctypes.c_char_p), ("most_threads", ctypes.c_uint32), ("n_parameters", ctypes.c_uint32),
                ("parameter_bytes", ctypes.POINTER(ctypes.c_uint32)),
                ("launch", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int32))]


class Counts(ctypes.Structure):
    """HarpWatchCounts."""
    _fields_ = [(name, ctypes.c_uint64) for name in ("requests", "bytes", "sectors", "least_sectors", "distinct_bytes", "widest")]


class SharedCounts(ctypes.Structure):
    """HarpWatchShared."""
    _fields_ = [(name, ctypes.c_uint64) for name in ("requests", "passes", "least_passes")]


@functools.lru_cache(maxsize=None)
def compiled_watch():
    """Compiles accesses.cpp and returns the path of the result."""
    here, folder = os.path.join(SOURCE, "tests"), tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    watch = os.path.join(folder.name, "accesses.o")
    words = ["g++", "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-I", here]
    subprocess.run([*words, "-c", os.path.join(here, "torture", "cuda", "accesses.cpp"), "-o", watch], check=True)
    return watch


class Library:
    """A CUDA text, compiled for the emulator with watched accesses."""

    def __init__(self, text, folder):
        here, emulator, watch = os.path.join(SOURCE, "tests"), os.path.join(SOURCE, "tests", "cuda", "emulator"), compiled_watch()
        path, library = os.path.join(folder, "kernels.cu"), os.path.join(folder, "kernels.so")
        with open(path, "w", encoding="utf-8") as file:
            file.write(emulated_source(text))
        words = ["g++", "-O1", "-w", "-std=c++17", "-fPIC", "-shared", "-ffp-contract=off", "-fno-gnu-unique", "-fsanitize=thread",
                 "-U__SANITIZE_THREAD__", "-DHARP_EMULATOR_WATCHED", "-I", here, "-I", emulator, "-include", os.path.join(emulator, "runtime.h")]
        if " fma " in read("/proc/cpuinfo"):
            words.append("-mfma")
        words += ["-x", "c++", path, "-x", "none", watch, "-o", library, "-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"]
        subprocess.run(words, check=True, capture_output=True, text=True)
        self.library = ctypes.CDLL(library)
        kernels, count = self.library.harp_emulated_kernels, ctypes.c_size_t()
        kernels.restype = ctypes.POINTER(EmulatedKernel)
        listed = kernels(ctypes.byref(count))
        self.kernels = {listed[i].name.decode(): listed[i] for i in range(count.value)}
        for name in ("harp_watch_error", "harp_watch_conflict"):
            getattr(self.library, name).restype = ctypes.c_char_p

    def close(self):
        """Unloads the library. If it stayed loaded, dlopen could take a later library for this one, because its file may get the same
        inode."""
        _ctypes.dlclose(self.library._handle)  # pylint: disable=protected-access


class Array:
    """An array of a run, surrounded by memory that belongs to no array."""

    def __init__(self, size, fill, shift):
        self.memory = np.full(size + 2 * SLACK + 512, fill, np.uint8)
        self.begin = (self.memory.ctypes.data + SLACK + 255) // 256 * 256 + shift
        self.at, self.size = self.begin - self.memory.ctypes.data, size

    def content(self):
        return self.memory[self.at:self.at + self.size]


# --- Programs


class Program:
    """A golden program."""

    def __init__(self, name):
        self.name = name
        self.text, self.plan_text = (read(os.path.join(GOLDEN, name + extension)) for extension in (".cu", ".plan"))
        self.graph = next(path for folder in ("golden", os.path.join("cuda", "graphs"))
                          if os.path.exists(path := os.path.join(SOURCE, "tests", folder, name + ".harp")))
        self.plan = Plan(self.plan_text)
        signature = re.search(r"^   (.*) -> (.*)$", self.text, re.M)
        self.inputs, self.outputs = ({array: (dtype, split(dims)) for array, dtype, dims in re.findall(r"(\w+): (\w+)\[(.*?)\]", part)}
                                     for part in signature.groups())

    def bytes_of(self, array, sizes):
        dtype, dims = array
        return int(np.prod([evaluate(dim, sizes) for dim in dims], dtype=np.int64)) * np.dtype(DTYPES[dtype]).itemsize

    @functools.lru_cache(maxsize=None)  # pylint: disable=method-cache-max-size-none
    def size_sets(self):
        """Returns the lists of values of the shape variables for which the program runs: all variables are 1; all are small; one variable
        is large (one list for each variable); all are 128. When a size is divided into blocks of a power of two, a remainder is left,
        except with the last list. With that list, the code for whole blocks and aligned rows runs. Returns [] if the arrays are too large
        for the emulator."""
        variables, arrays = self.plan.variables, [*self.inputs.values(), *self.outputs.values()]
        few = {name: 3 + 6 * i for i, name in enumerate(variables)}
        size = lambda sizes: sum(self.bytes_of(array, sizes) for array in arrays)  # noqa: E731
        if not variables:
            return [{}] if size({}) <= MOST_BYTES_OF_CONSTANT_SIZE else []
        one = dict.fromkeys(variables, 1)
        found = [one, few]
        for name in variables:
            others = few if name == variables[0] else one
            large = next((value for value in (40961, 8193, 1537, 513, 257, 65, 33) if size(others | {name: value}) <= MOST_BYTES), None)
            if large:
                found.append(others | {name: large})
        even = dict.fromkeys(variables, 128)
        return [*found, even] if size(even) <= MOST_BYTES else found

    def long_sets(self):
        """Returns further lists of values, in each of which another variable has the value LONGEST. Runs with them take long."""
        arrays, one = [*self.inputs.values(), *self.outputs.values()], dict.fromkeys(self.plan.variables, 1)
        found = [one | {name: LONGEST} for name in self.plan.variables]
        return [sizes for sizes in found if sum(self.bytes_of(array, sizes) for array in arrays) <= MOST_BYTES_OF_CONSTANT_SIZE]

    def data(self, sizes, seed):
        """Returns random input data."""
        random, made = np.random.default_rng(seed), {}
        declared = dict(re.findall(r"(\w+): (\w+)\[", read(self.graph)))
        for name, (dtype, dims) in self.inputs.items():
            shape = [evaluate(dim, sizes) for dim in dims]
            if dtype.startswith("f"):
                array = random.standard_normal(shape).astype(DTYPES[dtype])
            elif np.dtype(DTYPES[dtype]).itemsize < 4 or dtype.startswith("u"):
                array = random.integers(0, 256, shape).astype(DTYPES[dtype])
            else:  # at most 1,000 distinct integers, because they may be indices of rows
                array = (random.permutation(max(1000, int(np.prod(shape))))[:int(np.prod(shape))] % 1000).reshape(shape).astype(DTYPES[dtype])
            made[name] = array.view(DTYPES[declared[name]])
        return made

    def interpreted(self, sizes, data):
        """Returns the outputs that harp's interpreter computes."""
        with tempfile.TemporaryDirectory() as folder:
            words = [TOOL, "run", self.graph, "--backend", "interp"]
            for name, array in data.items():
                np.save(os.path.join(folder, f"in_{name}.npy"), array)
                words += ["--input", f"{name}={folder}/in_{name}.npy"]
            for name in self.outputs:
                words += ["--output", f"{name}={folder}/out_{name}.npy"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Interpreted(f"{self.name}, {sizes}: {done.stderr.strip()}")
            return {name: np.load(os.path.join(folder, f"out_{name}.npy")) for name in self.outputs}


class Run:
    """One run of a program in the emulator. The plan may differ from the program's own."""

    def __init__(self, program, library, plan, sizes, data, shift=False, counts=False):
        self.program, self.library, self.plan, self.watch = program, library, plan, library.library
        self.values = sizes | {"processors": PROCESSORS, "blocks_per_processor": BLOCKS_PER_PROCESSOR}
        self.watch.harp_watch_reset(int(counts))
        self.arrays, self.numbers = {}, {}
        for i, name in enumerate(plan.inputs):
            self.add(f"input{i}", data[name].nbytes, 0, program.inputs[name][0], shift)
            self.arrays[f"input{i}"].content()[:] = np.frombuffer(data[name].tobytes(), np.uint8)
        for i, name in enumerate(plan.outputs):
            self.add(f"output{i}", program.bytes_of(program.outputs[name], sizes), 0xcd, program.outputs[name][0], shift)
        arena = evaluate(plan.arena, self.values)
        self.add("arena", arena, 0x5a, "u8" if arena <= 1 << 20 else "f32", False)

    def add(self, name, size, fill, dtype, shift):
        cell = np.dtype(DTYPES[dtype]).itemsize
        array = self.arrays[name] = Array(size, fill, cell if shift else 0)
        self.numbers[name] = self.watch.harp_watch_array(name.encode(), ctypes.c_void_p(array.begin), ctypes.c_size_t(size), ctypes.c_size_t(cell),
                                                         int(name.startswith("input")))

    def argument(self, text):
        base, _, offset = text.partition(" + ")
        if base not in self.arrays:
            return evaluate(text, self.values)
        return self.arrays[base].begin + (evaluate(offset, self.values) if offset else 0)

    def launch(self, number, order):
        """Launches the kernel of a step. Returns what is wrong, or None."""
        step = self.plan.steps[number]
        if step.kernel is None or (step.guard and evaluate(step.guard, self.values) < 0):
            return None
        grid = [evaluate(extent, self.values) for extent in step.grid]
        if min(grid) < 1:
            return None
        kernel, block = self.library.kernels[step.kernel], self.plan.blocks[step.kernel]
        if kernel.n_parameters != len(step.arguments):
            return f"{step.kernel} has {kernel.n_parameters} parameters"
        words = (ctypes.c_int64 * (2 * len(step.arguments) + 1))()  # the arguments, followed by their addresses
        for i, argument in enumerate(step.arguments):
            words[i] = self.argument(argument)
            words[len(step.arguments) + i] = ctypes.addressof(words) + 8 * i
        parameters = ctypes.addressof(words) + 8 * len(step.arguments)
        self.watch.harp_watch_array(b"", ctypes.c_void_p(ctypes.addressof(words)), ctypes.c_size_t(ctypes.sizeof(words)), ctypes.c_size_t(8), 1)
        self.watch.harp_watch_launch(number)
        error = kernel.launch((ctypes.c_uint32 * 3)(*grid), (ctypes.c_uint32 * 3)(*block), evaluate(step.shared or "0", self.values), parameters,
                              ORDERS[order])
        self.watch.harp_watch_launch_end()
        watched = self.watch.harp_watch_error()
        return (error and f"emulator: {error.decode()}") or (watched and f"{step.kernel}: {watched.decode()}")

    def execute(self, order="ascending", steps=None):
        """Runs all steps. Returns what is wrong, or None."""
        for number in steps or range(len(self.plan.steps)):
            wrong = self.launch(number, order)
            if wrong:
                return wrong
        complete = self.plan.before()
        for later in range(len(self.plan.steps)):
            for earlier in set(range(later)) - complete[later]:
                conflict = self.watch.harp_watch_conflict(earlier, later)
                if conflict:
                    return conflict.decode()
        return None

    def difference(self, expected):
        """Compares the outputs with the interpreter's. Returns a text about the first difference, or None if all bits are equal. All NaNs
        count as equal."""
        for i, name in enumerate(self.plan.outputs):
            dtype = DTYPES[self.program.outputs[name][0]]
            found, wanted = self.arrays[f"output{i}"].content().copy().view(dtype), np.frombuffer(expected[name].tobytes(), dtype)
            unsigned = f"u{np.dtype(dtype).itemsize}"
            differ = found.view(unsigned) != wanted.view(unsigned)
            if dtype.startswith("f"):
                differ &= ~(np.isnan(found) & np.isnan(wanted))
            if differ.any():
                at = int(np.argmax(differ))
                return f"bits: {int(differ.sum())} of {differ.size} elements of {name} differ, the first is {at}: {found[at]!r}, not {wanted[at]!r}"
            memory = self.arrays[f"output{i}"]
            if (memory.memory[:memory.at] != 0xcd).any() or (memory.memory[memory.at + memory.size:] != 0xcd).any():
                return f"outside: something is written beside {name}"
        return None


def in_child(function, seconds):
    """Runs the function in a child process. Returns the text that the function returns or, if the process did not end normally, a text that
    says what happened to it. The child is killed when it has used this many seconds of processor time."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        status = 1
        try:
            os.write(writes, (function() or "").encode()[:4000])
            status = 0
        finally:
            os._exit(status)  # pylint: disable=protected-access
    os.close(writes)
    text = b""
    while part := os.read(reads, 4096):
        text += part
    os.close(reads)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"does not end within {seconds} s" if number == signal.SIGPROF else f"crash: {signal.Signals(number).name}"
    if os.WEXITSTATUS(status) != 0:
        raise RuntimeError("a run in a child has failed")
    return text.decode()
