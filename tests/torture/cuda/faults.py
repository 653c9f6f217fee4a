"""Table 5 of `./dev torture cuda`: random faults, which depend on a seed, are put into the CUDA text or the launch plan of golden programs
(tests/cuda/golden). The emulator has to detect each of them. Faults that it cannot detect are replaced by others. These are of two kinds.
Some provably have no effect: the changed text is compiled to the same instructions, or the changed plan makes the same launches, or orders
them in another way that is also correct. Others are in code that no run reaches: a statement that is not executed for any of the sizes, or
threads that store nothing.
"""
import collections
import functools
import os
import random
import re
import subprocess
import tempfile

import golden_compile_test as compilers
import compilers as compiled
import program

COUNT = 20
SECONDS = 60  # limit of processor time for one run of a program with a fault; a run without a fault takes a few seconds at most

# Either `text` or `plan` contains the fault. `probe` is a text without the fault that crashes where the fault would be. `threads` is set if
# the fault removes threads of a block and leaves whole warps: it is the number of threads that remain. The removed threads can affect the
# remaining ones only by what they store in memory. `ends_loop` is set if the fault removes a barrier at the end of a loop, which only the next
# iteration needs.
Fault = collections.namedtuple("Fault", "name kind what text plan probe threads ends_loop", defaults=(None,) * 5)


# --- Faults that are put into the CUDA text

LESS_BY_0 = " - (__builtin_trap(), 0)"  # This text is inserted after a term. It subtracts 0, but crashes when it is executed.


def change(text, begin, end, new):
    return text[:begin] + new + text[end:]


def end_of_term(text, at):
    """Returns the position in the text after the operand that begins at `at`. The operand is one side of a comparison."""
    depth = 0
    while depth > 0 or text[at] not in ";)?:,{" and not text.startswith((" && ", " || "), at):
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    return len(text[:at].rstrip())


def text_changes(text):
    """Yields (kind, begin, end, new text, probe) of every fault that can be made in a CUDA text. The probe replaces the same characters by
    code that crashes when it is executed."""
    # A barrier at the end of a function protects the next use of the same memory. Such barriers are not removed, because it depends on the
    # sizes whether there is a next use, and whether another barrier comes before it.
    for found in re.finditer(r"^ *__syncthreads\(\);(?! /\* the next|[^\n]*\n\})", text, re.M):
        yield "barrier", found.end() - len("__syncthreads();"), found.end(), ";", "__builtin_trap();"
    for found in re.finditer(r"(__shfl_\w+|__syncwarp)\((0xffffffffu)", text):
        for mask in ("0x7fffffffu", "0x0000ffffu"):
            yield "lane mask", *found.span(2), mask, f"(__builtin_trap(), {found[2]})"
    for found in re.finditer(r"__shfl_\w+\((.*)\);|__shfl_\w+\((.*?)\)$", text, re.M):
        arguments = program.split(found[1] or found[2])
        if len(arguments) >= 3:
            begin = text.index(", " + arguments[2], found.start() + len(arguments[0]) + len(arguments[1])) + 2
            yield "lane", begin, begin + len(arguments[2]), f"({arguments[2]}) + 1", f"(__builtin_trap(), {arguments[2]})"
    for found in re.finditer(r" < (?=\S)", text):
        end = end_of_term(text, found.end())
        if "shape" in text[found.end():end]:
            yield "tail", end, end, " - 1", LESS_BY_0
            if "is_active = " in text[text.rindex("\n", 0, found.start()):found.start()]:
                yield "tail", found.start(), found.end(), " <= ", LESS_BY_0 + " < "
    for found in re.finditer(r"\bmin_i64\((shape\d+)(?=,)", text):
        yield "tail", found.end(1), found.end(1), " - 1", LESS_BY_0


def shown(text, begin, end):
    """Returns a part of a text with some of the characters around it in the same line."""
    line, ends = max(text.rfind("\n", 0, begin) + 1, begin - 40), min(text.find("\n", end), end + 20)
    return text[line:ends].strip()


def text_faults(golden):
    for kind, begin, end, new, probe in text_changes(golden.text):
        changed = change(golden.text, begin, end, new)
        number = golden.text.count("\n", 0, begin) + 1
        what = f"{golden.name}.cu:{number}: {shown(golden.text, begin, end)} -> {shown(changed, begin, begin + len(new))}"
        ends_loop = kind == "barrier" and re.match(r"\n *\}\n", golden.text[end:]) is not None
        yield Fault(golden.name, kind, what, text=changed, probe=change(golden.text, begin, end, probe), ends_loop=ends_loop)


@functools.lru_cache(maxsize=100)
def ptx_of(text):
    return compilers.compile_by_nvrtc(compilers.NVRTC_13, text, "80", to_cubin=False).ptx


def has_same_instructions(golden, fault):
    """Tests whether the text with the fault is compiled to the same instructions as the text without it."""
    if not os.path.exists(compilers.NVRTC_13):
        objects = []
        for text in (golden.text, fault.text):
            with tempfile.TemporaryDirectory() as folder:
                program.Library(text, folder)
                words = ["objdump", "-d", "--no-show-raw-insn", "kernels.so"]
                objects.append(subprocess.run(words, cwd=folder, capture_output=True, check=True).stdout)
        return objects[0] == objects[1]
    before, after = ptx_of(golden.text), ptx_of(fault.text)
    return before == after or (fault.kind == "barrier" and needed_barriers(before) == needed_barriers(after))


def needed_barriers(ptx):
    """Returns, for each kernel, the number of barriers that may order something. A barrier orders nothing if no thread can access shared
    memory after it and no thread has stored to global memory before it. If the PTX has functions that are not inlined, every barrier of the
    text counts."""
    if ".func" in ptx:
        return len(re.findall(r"\b(?:bar|barrier)\.", ptx))
    counts = {}
    for entry in re.split(r"\.entry ", ptx)[1:]:
        lines = [line.strip() for line in entry.splitlines()]
        labels = {line[:-1]: i for i, line in enumerate(lines) if re.fullmatch(r"\$\w+:", line)}
        jumps = [(i, labels.get(target, 0)) for i, line in enumerate(lines) for target in re.findall(r"\bbra\S* +(\$\w+)", line)]
        shared = [i for i, line in enumerate(lines) if re.search(r"\b(ld|st|atom|red)\.(volatile\.)?shared", line)]
        stores = [i for i, line in enumerate(lines) if re.search(r"\b(st|atom|red)\.(?!\w*\.?shared)", line)]
        barriers = [i for i, line in enumerate(lines) if re.search(r"\b(bar|barrier)\.", line)]
        is_needed = lambda at: (any(i > at for i in shared) or any(i < at for i in stores)  # noqa: E731
                                or any(i > at > target for i, target in jumps))  # pylint: disable=cell-var-from-loop
        counts[lines[0].split("(")[0]] = sum(map(is_needed, barriers))
    return counts


# --- Faults that are put into the launch plan


def written(golden, step, position):
    """Tests whether a launch may write through this argument. It may if the parameter is a pointer whose target is not const."""
    parameter = program.kernels_of(golden.text)[step.kernel][1][position]
    return "*" in parameter and not parameter.startswith("const ")


def is_made(golden, step, sizes):
    """Tests whether a run with these sizes makes this launch."""
    values = sizes | {"processors": program.PROCESSORS, "blocks_per_processor": program.BLOCKS_PER_PROCESSOR}
    return (step.kernel is not None and not (step.guard and program.evaluate(step.guard, values) < 0)
            and all(program.evaluate(extent, values) > 0 for extent in step.grid))


def addresses(golden, step):
    """Returns the addresses that are arguments of a launch, and whether the launch may write there: [(text, writes)]. The list is empty if
    the launch is not made for any of golden.size_sets()."""
    if not any(is_made(golden, step, sizes) for sizes in golden.size_sets()):
        return []
    return [(argument, written(golden, step, i)) for i, argument in enumerate(step.arguments) if re.match(r"(input|output|arena)", argument)]


def ordered_pairs(golden, plan):
    """Returns the pairs of launches that the plan orders and that have a common address, to which at least one of them writes."""
    pairs = set()
    for later, complete in enumerate(plan.before()):
        for earlier in complete:
            first, second = addresses(golden, plan.steps[earlier]), addresses(golden, plan.steps[later])
            if any(a == b and (writes or also) for a, writes in first for b, also in second):
                pairs.add((earlier, later))
    return pairs


def uses(text, kernel, word):
    """Tests whether the text of a kernel, or of a function that it calls, contains this word."""
    found = re.findall(r"^(?:static )?__device__ [^;{]*?(\w+)\([^;{]*\) \{([^\n]*\}$|.*?^\})", text, re.S | re.M)
    functions = dict(found)
    left, seen = [program.kernels_of(text)[kernel][2]], set()
    while left:
        body = left.pop()
        if word in body:
            return True
        calls = set(re.findall(r"\b(\w+)\(", body)) & functions.keys() - seen
        seen |= calls
        left += [functions[name] for name in calls]
    return False


def with_line(golden, old, new):
    return golden.plan_text.replace(old + "\n", new + "\n", 1)


def plan_faults(golden):
    lines = [line for line in golden.plan_text.splitlines() if line.startswith("step ")]
    pairs = ordered_pairs(golden, golden.plan)
    for line, step in zip(lines, golden.plan.steps):
        for i, earlier in enumerate(step.after):
            rest = step.after[:i] + step.after[i + 1:]
            new = re.sub(r" after [\d, ]+:", f" after {', '.join(map(str, rest))}:" if rest else ":", line)
            changed = with_line(golden, line, new)
            if ordered_pairs(golden, program.Plan(changed)) != pairs:
                yield Fault(golden.name, "stream order", f"{line.split(':')[0]} -> {new.split(':')[0]}", plan=changed)
        if not addresses(golden, step):
            continue
        parameters = program.kernels_of(golden.text)[step.kernel][1]
        for i, first in enumerate(step.arguments):
            for j, second in enumerate(step.arguments[:i]):
                if first == second or ("*" in parameters[i]) != ("*" in parameters[j]):
                    continue
                swapped = list(step.arguments)
                swapped[i], swapped[j] = second, first
                head = line[:len(line) - len(f"({', '.join(step.arguments)})")]
                new = f"{head}({', '.join(swapped)})"
                yield Fault(golden.name, "arguments", f"step {lines.index(line)}: {first} and {second} swapped", plan=with_line(golden, line, new))
        if not uses(golden.text, step.kernel, "gridDim") and "[1, 1, 1]" in line:
            yield Fault(golden.name, "grid", f"step {lines.index(line)}: [1, 1, 1] -> [2, 1, 1]",
                        plan=with_line(golden, line, line.replace("[1, 1, 1]", "[2, 1, 1]")))
    for name, block in golden.plan.blocks.items():
        fewer = [32 if block[0] > 32 else block[0] // 2, *block[1:]]
        if block[0] > 1 and not uses(golden.text, name, "blockDim"):
            changed = with_line(golden, f"kernel {name} block {block}", f"kernel {name} block {fewer}")
            yield Fault(golden.name, "grid", f"{name}: block {block} -> {fewer}", plan=changed, threads=fewer[0] if fewer[0] % 32 == 0 else None)
    yield from aliases(golden)


def aliases(golden):
    """Yields faults that make two temporaries, A and B, share an address although both are needed: B is written after A was written and
    before A is read."""
    used = collections.defaultdict(list)
    for number, step in enumerate(golden.plan.steps):
        for address, writes in addresses(golden, step):
            if address.startswith("arena"):
                used[address].append((number, writes))
    for first, uses in used.items():
        for second, others in used.items():
            if first == second or not any(writes for _, writes in others):
                continue
            kept = [number for number, writes in uses if writes], [number for number, writes in uses if not writes]
            if not any(w <= number < r for w in kept[0] for r in kept[1] for number, writes in others if writes and number != w):
                continue
            changed = re.sub(r"(?<=[(\s])" + re.escape(second) + r"(?=[,)]|$)", first, golden.plan_text, flags=re.M)
            if changed != golden.plan_text:
                yield Fault(golden.name, "alias", f"{second} -> {first}", plan=changed)


def is_symmetric(golden, fault, sizes):
    """Tests whether the fault only swaps two inputs that can be swapped without a change of the results. The interpreter decides this."""
    found = re.search(r"(input\d+) and (input\d+) swapped", fault.what)
    if not found or fault.kind != "arguments":
        return False
    first, second = (golden.plan.inputs[int(name[5:])] for name in found.groups())
    data = golden.data(sizes, 2)
    if data[first].shape != data[second].shape or data[first].dtype != data[second].dtype:
        return False
    swapped = data | {first: data[second], second: data[first]}
    results = [golden.interpreted(sizes, inputs) for inputs in (data, swapped)]
    return all((results[0][name].tobytes() == results[1][name].tobytes()) for name in golden.outputs)


# --- Catching


class Programs:
    """The golden programs that can be emulated, with the interpreter's results."""

    def __init__(self, wanted):
        self.all = [golden for golden in map(program.Program, program.names()) if (not wanted or golden.name in wanted) and golden.size_sets()]
        self.by_name = {golden.name: golden for golden in self.all}
        self.faults = [fault for golden in self.all for faults in (text_faults(golden), plan_faults(golden)) for fault in faults]
        self.expected, self.libraries, self.folder = {}, {}, tempfile.TemporaryDirectory()

    def reference(self, golden, sizes):
        """Returns the input data for these sizes of a program, and the interpreter's results for it."""
        key = golden.name, tuple(sizes.items())
        if key not in self.expected:
            data = golden.data(sizes, 1)
            self.expected[key] = data, golden.interpreted(sizes, data)
        return self.expected[key]

    def library(self, golden, text, folder):
        if text is not None:
            return program.Library(text, folder)
        if golden.name not in self.libraries:
            os.mkdir(os.path.join(self.folder.name, golden.name))
            self.libraries[golden.name] = program.Library(golden.text, os.path.join(self.folder.name, golden.name))
        return self.libraries[golden.name]

    def verdict(self, golden, text, plan_text, size_sets=None):
        """Runs a program with this text and plan (None: its own) for all lists of sizes (None: its own): once with aligned arrays, and once
        with unaligned arrays and another order of threads and steps. Returns the first thing that is wrong, or ""."""
        plan = program.Plan(plan_text) if plan_text else golden.plan
        with tempfile.TemporaryDirectory() as folder:
            try:
                library = self.library(golden, text, folder)
            except subprocess.CalledProcessError as error:
                return "compiler: " + error.stderr.splitlines()[0]
            wrong = next(filter(None, self.runs(golden, library, plan, golden.size_sets() if size_sets is None else size_sets)), "")
            if text is not None:
                library.close()
            return wrong

    def runs(self, golden, library, plan, size_sets):
        """Runs the program in several ways. Yields for each run a text that says what is wrong, or "" if nothing is."""
        for sizes in size_sets:
            data, expected = self.reference(golden, sizes)
            for shift, order, steps in ((False, "ascending", None), (True, "descending", plan.latest_first())):

                def run(*arguments):
                    made = program.Run(golden, library, plan, *arguments)
                    return made.execute(order, steps) or made.difference(expected)  # pylint: disable=cell-var-from-loop

                yield program.in_child(functools.partial(run, sizes, data, shift), SECONDS)

    def is_reached(self, golden, fault):
        """Tests whether any run of the program executes the code that the fault changes."""
        if fault.probe:
            return self.verdict(golden, fault.probe, None) != ""
        if fault.threads:
            return self.threads_that_store(golden, fault.what.split(":")[0]) > fault.threads
        return True

    def threads_that_store(self, golden, kernel):
        """Returns 1 + the highest index, within its block, of a thread that stores something in any launch of the kernel; 0 if no thread
        stores anything."""
        library, most = self.library(golden, None, None), 0
        for sizes in golden.size_sets():
            for shift in (False, True):

                def count(sizes=sizes, shift=shift):
                    run = program.Run(golden, library, golden.plan, sizes, self.reference(golden, sizes)[0], shift)
                    wrong = run.execute()
                    if wrong:
                        raise RuntimeError(f"{golden.name}: {wrong}")
                    return str(max(run.watch.harp_watch_writers(i) for i, step in enumerate(golden.plan.steps) if step.kernel == kernel))

                most = max(most, int(program.in_child(count, SECONDS)))
        return most


def draw(programs, kind, chooser, drawn):
    """Draws a fault of this kind that has not been drawn before. Returns None if there is none left."""
    candidates = [fault for fault in programs.faults if fault.kind == kind and fault.what not in drawn]
    if not candidates:
        return None
    # first a program, then one of its faults, so that long texts do not get most of the faults
    name = chooser.choice(sorted({fault.name for fault in candidates}))
    return chooser.choice([fault for fault in candidates if fault.name == name])


KINDS = ("barrier", "lane mask", "lane", "tail", "arguments", "stream order", "alias", "grid")


def table(wanted, seed):
    """Prints the table. Returns whether every drawn fault was caught."""
    programs, chooser = Programs(wanted), random.Random(seed)
    print(f"Table 5: {COUNT} faults drawn by seed {seed} from golden texts and plans, run in the emulator against the interpreter's bits. A GPU may\n"
          "order memory accesses in ways that the emulator does not try. Barriers that protect the next use of the same\n"
          "memory are not drawn; what no run comes to, with sizes that the emulator can run, is drawn again.")
    drawn, redrawn, caught, missed = {}, 0, 0, 0
    kinds = collections.deque(KINDS)
    while caught + missed < COUNT and kinds:
        kind = kinds[0]
        fault = draw(programs, kind, chooser, drawn)
        if fault is None:
            kinds.popleft()
            continue
        drawn[fault.what] = True
        golden = programs.by_name[fault.name]
        if has_same_instructions(golden, fault) if fault.text else is_symmetric(golden, fault, golden.size_sets()[-1]):
            redrawn += 1
            print(f"{'drawn again':12}{fault.kind:13}{fault.name:19}{fault.what}: changes nothing", flush=True)
            continue
        how = programs.verdict(golden, fault.text, fault.plan)
        if not how and not programs.is_reached(golden, fault):
            redrawn += 1
            print(f"{'drawn again':12}{fault.kind:13}{fault.name:19}{fault.what}: no run comes there", flush=True)
            continue
        # A barrier in the last steps of a sum of sums orders nothing unless the axis is very long.
        how = how or programs.verdict(golden, fault.text, fault.plan, golden.long_sets())
        if not how and fault.ends_loop:
            redrawn += 1
            print(f"{'drawn again':12}{fault.kind:13}{fault.name:19}{fault.what}: no run has a next iteration that accesses the memory", flush=True)
            continue
        kinds.rotate(-1)
        caught, missed = caught + bool(how), missed + (not how)
        print(f"{'caught' if how else 'MISSED':12}{fault.kind:13}{fault.name:19}{fault.what[:150]}\n{'':44}{how}", flush=True)
    print(f"table 5: seed {seed}: {caught} of {caught + missed} faults caught, {redrawn} drawn again")
    return missed == 0 and caught > 0 and (caught == COUNT or bool(wanted))
