"""Table 6 of `./dev torture cuda`: a roofline made of counts. Nothing is run on a GPU or timed.

Bytes, 32-byte sectors and passes over shared memory are counted in the emulator, for the accesses of the code that g++ -O1 makes of the
kernel (accesses.h). Instructions are counted in the machine code of NVRTC 13 for sm_90. Occupancy is computed. The table does not cover
caches, accesses to tables in the kernel's text, and how memory accesses and arithmetic overlap.
"""
import ctypes
import os
import re
import tempfile

import golden_compile_test as compilers
import compilers as compiled
import program

ARCHITECTURE = "90"
SECTOR = 32
SMALL = 16  # an array this many times smaller than the largest array of a launch is assumed to stay in a cache

# A launch counts as a copy if the bytes that it requests are at most this many times its distinct bytes. The factor is more than 1, because
# threads without work may repeat the last row.
ONCE = 1.02
# a launch that accesses fewer bytes has no goal, because sectors at the ends of its arrays, which are used in part, dominate
FEWEST_BYTES = 4096
COPY_GOAL = 1.02  # a copy may move this many times the least bytes: more than 1.0 because of repeated rows and the ends of arrays
FUSED_GOAL = 90  # percentage of fused multiply-adds among the instructions in the main loop of a matrix product
SECONDS = 600


def instructions(sass):
    """Returns the basic blocks of a kernel's machine code, each a list of instructions: [(label, ["FFMA R0, R1, R2, R3", ...])]."""
    blocks = [("", [])]
    for line in sass.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        if label:
            blocks.append((label[1], []))
        found = re.search(r"/\*[0-9a-f]{4,}\*/ +((?:@!?U?P\w+ )?[A-Z].*?) ;?$", line.replace(" ;", ";").replace(";", " ;"))
        if found:
            blocks[-1][1].append(found[1])
            if re.search(r"\b(BRA|EXIT|RET)\b", found[1]):
                blocks.append(("", []))
    return blocks


def opcode(instruction):
    return re.sub(r"^@!?U?P\w+ ", "", instruction).split(" ")[0]


def of_an_element(sass, element_bytes):
    """Returns (number of instructions for each element, number of 16-byte loads, number of 16-byte stores). The instructions are counted in
    the basic blocks that have 16-byte accesses, and divided by the number of elements that these blocks store or, if they store none, load.
    Returns (None, 0, 0) if there are no such blocks."""
    count = loaded = stored = 0
    for _, block in instructions(sass):
        opcodes = [opcode(instruction) for instruction in block if opcode(instruction) != "NOP"]
        loads, stores = (sum(re.match(rf"{kind}\..*128", word) is not None for word in opcodes) for kind in ("LDG?", "STG?"))
        if loads + stores:
            count, loaded, stored = count + len(opcodes), loaded + loads, stored + stores
    return count / ((stored or loaded) * 16 / element_bytes) if count else None, loaded, stored


def fused_share(sass):
    """Returns the percentage of FFMA and DFMA instructions in one innermost loop: the one that has most of them. Returns None if there is
    no such loop."""
    flat, position = [], {}
    for label, block in instructions(sass):
        if label:
            position[label] = len(flat)
        flat += block
    loops = []
    for end, instruction in enumerate(flat):
        target = re.search(r"BRA.*`\((\.L_x_\d+)\)", instruction)
        if target and position.get(target[1], end + 1) <= end:
            loops.append((position[target[1]], end + 1))
    best = (0, None)
    for begin, end in loops:
        if any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in loops):
            continue
        fused = sum(opcode(instruction) in ("FFMA", "DFMA", "FFMA2") for instruction in flat[begin:end])
        best = max(best, (fused, 100 * fused / (end - begin)), key=lambda found: found[0])
    return best[1]


def count(golden, library, sizes):
    """Runs a program once. Returns the counts of each launch as text, one line each for its shared memory and for each array that it reads
    or writes: requests, bytes, sectors, least sectors, distinct bytes."""
    data = golden.data(sizes, 1)
    run = program.Run(golden, library, golden.plan, sizes, data, counts=True)
    wrong = run.execute()
    if wrong:
        raise RuntimeError(f"{golden.name}: {wrong}")
    lines = []
    for number, step in enumerate(golden.plan.steps):
        if step.kernel is None:
            continue
        shared = program.SharedCounts()
        run.watch.harp_watch_shared(number, ctypes.byref(shared))
        lines.append(f"step {number} {shared.requests} {shared.passes} {shared.least_passes}")
        for name, array in run.numbers.items():
            for writes in (0, 1):
                counts = program.Counts()
                run.watch.harp_watch_counts(number, array, writes, ctypes.byref(counts))
                if counts.requests:
                    numbers = [counts.requests, counts.bytes, counts.sectors, counts.least_sectors, counts.distinct_bytes]
                    lines.append(f"array {name} {writes} {' '.join(map(str, numbers))}")
    return "\n".join(lines)


def parsed(text):
    """Returns the text of count() as {step: (counts of shared memory, [counts of an array])}."""
    found, step = {}, None
    for line in text.splitlines():
        kind, *numbers = line.split()
        if kind == "step":
            step, *shared = map(int, numbers)
            found[step] = (shared, [])
        elif kind == "array":
            found[step][1].append(list(map(int, numbers[1:])))
    return found


def largest(golden):
    """Returns the counts of all launches, as parsed() does. If several runs make the same launch, the counts are those of the run in which
    the launch accesses most bytes."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        library, path = program.Library(golden.text, folder), os.path.join(folder, "counts")
        for sizes in golden.size_sets()[2:] or golden.size_sets():

            def counted(sizes=sizes):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(count(golden, library, sizes))

            ended = program.in_child(counted, SECONDS)
            if ended:
                raise RuntimeError(f"{golden.name}: {ended}")
            for number, counts in parsed(program.read(path)).items():
                accessed = lambda counts: sum(distinct for *_, distinct in counts[1])  # noqa: E731
                if counts[1] and (number not in found or accessed(counts) > accessed(found[number])):
                    found[number] = counts
        library.close()
    return dict(sorted(found.items()))


def row(golden, step, shared, arrays, machine):
    """Returns the columns of a launch and whether it meets its goals (None: it has no goal)."""
    line, parameters, _ = program.kernels_of(golden.text)[step.kernel]
    recipe = re.search(r"· (\w+) \[", line)
    recipe = recipe[1] if recipe else "?"
    registers, occupied, sass = machine[step.kernel]
    largest = max(distinct for *_, distinct in arrays)
    large = [counts for counts in arrays if counts[-1] * SMALL > largest]
    least, asked, moved = (sum(values) for values in zip(*((distinct, wanted, sectors * SECTOR) for _, _, wanted, sectors, _, distinct in large)))
    is_copy = asked <= ONCE * least and least >= FEWEST_BYTES
    requests, sectors, least_sectors = (sum(values) for values in zip(*((n, s, l) for _, n, _, s, l, _ in arrays)))
    elements = [compiled.ELEMENT_BYTES.get(word, 4) for word in re.findall(r"(\w+)\* ", " ".join(parameters))]
    (each, loads, stores), share = of_an_element(sass, min(elements)), fused_share(sass)
    goals = []
    if is_copy:
        goals.append(moved <= COPY_GOAL * least)
    if recipe == "contraction":
        goals.append((share or 0) >= FUSED_GOAL)
    columns = [golden.name, step.kernel, recipe, str(least), f"{asked / least:.2f}", f"{moved / least:.2f}", f"{sectors / requests:.1f}",
               f"{least_sectors / requests:.1f}", f"{shared[1] / shared[2]:.2f}" if shared[2] else "-", f"{each:.1f}" if each else "-", f"{loads}+{stores}",
               f"{share:.0f}" if share is not None else "-", str(registers), f"{100 * occupied:.0f}",
               "-" if not goals else "met" if all(goals) else "MISSED"]
    return columns, all(goals) if goals else None


def row_of_machine_code(golden, kernel, machine):
    """Like row(), for a kernel of a program whose arrays are too large for the emulator: without the columns that are counted there."""
    line, parameters, _ = program.kernels_of(golden.text)[kernel]
    recipe = re.search(r"· (\w+) \[", line)
    registers, occupied, sass = machine[kernel]
    elements = [compiled.ELEMENT_BYTES.get(word, 4) for word in re.findall(r"(\w+)\* ", " ".join(parameters))]
    (each, loads, stores), share = of_an_element(sass, min(elements)), fused_share(sass)
    is_met = (share or 0) >= FUSED_GOAL if recipe and recipe[1] == "contraction" else None
    columns = [golden.name, kernel, recipe[1] if recipe else "?", *["-"] * 6, f"{each:.1f}" if each else "-", f"{loads}+{stores}",
               f"{share:.0f}" if share is not None else "-", str(registers), f"{100 * occupied:.0f}",
               "-" if is_met is None else "met" if is_met else "MISSED"]
    return columns, is_met


def machine_code(golden):
    """Returns, for each kernel of a program, its registers, its occupancy and its machine code."""
    cubin, _, log = compilers.compile_by_nvrtc(compilers.NVRTC_13, golden.text, ARCHITECTURE)
    used, sass, found = compiled.resources(log), compiled.sass_of(cubin), {}
    for name, (threads, _) in compilers.launch_bounds(golden.text).items():
        dynamic = [step.shared for step in golden.plan.steps if step.kernel == name and step.shared]
        sizes = golden.size_sets()[-1] if golden.size_sets() else {}
        shared = max((program.evaluate(size, sizes) for size in dynamic), default=0) + used[name][2]
        found[name] = used[name][0], compiled.occupancy(ARCHITECTURE, threads, used[name][0], shared), sass[name]
    return found


HEADER = ["golden", "kernel", "recipe", "least bytes", "asked", "moved", "sectors", "least", "shared", "instr.", "wide", "fma %", "reg.", "occ. %", "goal"]
WIDTHS = [20, 11, 13, 13, 7, 7, 9, 7, 8, 8, 8, 7, 6, 8, 6]


def table(wanted):
    """Prints the table. Returns whether all launches could be counted; a missed goal is no failure."""
    print(f"Table 6: a roofline by count. It stands in for speed, and measures none: no GPU has run these kernels.\n"
          f"least bytes: distinct bytes read and written, without arrays {SMALL} times smaller than the largest; asked, moved: what warps ask\n"
          "for and the 32-byte sectors that hold it, as multiples; sectors: of a warp's request, and the least that hold its bytes; shared:\n"
          "passes over the banks by the least; in the emulator, of the accesses that g++ -O1 makes, without caches and tables in the text.\n"
          f"instr.: machine instructions (NVRTC 13, sm_{ARCHITECTURE}) of an element, in basic blocks with 16-byte accesses; wide: these\n"
          "loads and stores (fewer loads than the source has: the compiler keeps a row that g++ reads again); fma %: in the innermost loop\n"
          f"with most of them; occ.: by the formula. Goals: kernels that ask for each byte once, {FEWEST_BYTES} or more, move {COPY_GOAL} times the\n"
          f"least at most; products (recipe contraction) have {FUSED_GOAL}% fma.")
    print("".join(f"{name:{width}}" for name, width in zip(HEADER, WIDTHS)).rstrip())
    met = missed = launches = 0
    skipped = []
    for name in program.names():
        if wanted and name not in wanted:
            continue
        golden = program.Program(name)
        machine = machine_code(golden)
        if golden.size_sets():
            rows = [row(golden, golden.plan.steps[number], shared, arrays, machine) for number, (shared, arrays) in largest(golden).items()]
            launches += len(rows)
        else:
            skipped.append(name)
            rows = [row_of_machine_code(golden, kernel, machine) for kernel in machine]
        for columns, is_met in rows:
            met, missed = met + (is_met is True), missed + (is_met is False)
            print("".join(f"{text:{width}}" for text, width in zip(columns, WIDTHS)).rstrip(), flush=True)
    print(f"table 6: {launches} launches counted, goals: {met} met, {missed} missed" +
          (f"; only the machine code, because their arrays are too large for the emulator: {', '.join(skipped)}" if skipped else ""))
    return launches > 0
