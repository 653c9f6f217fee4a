"""Table 3 of `./dev torture cuda`: registers, spills and instructions of every golden kernel, as NVIDIA's compilers compile it for every
architecture. No GPU is needed."""
import os
import re
import subprocess
import tempfile

import golden_compile_test as compilers
import program

NVDISASM = os.path.join(compilers.PACKAGES, "cu13", "bin", "nvdisasm")
# For each architecture, the limits of a multiprocessor: warps, blocks, and KiB of shared memory for blocks (CUDA C++ Programming Guide,
# table "Technical Specifications per Compute Capability").
MACHINES = {"80": (64, 32, 164), "86": (48, 16, 100), "90": (64, 32, 228), "100": (64, 32, 228), "120": (48, 24, 100)}
RESERVED_SHARED = 1024  # bytes of shared memory that CUDA reserves for each block, besides what the block uses

# The code for one architecture may have up to this many times as many fused multiply-adds as that for another one, because compilers differ
# in which loops with short bodies they unroll. If a compiler unrolls a loop with a long body, the compilation takes seconds
# (src/render/cuda/unrolling.h).
MOST_COPIES = 8
ELEMENT_BYTES = {"i8": 1, "u8": 1, "bool": 1, "i16": 2, "u16": 2, "float": 4, "i32": 4, "u32": 4, "double": 8, "i64": 8, "u64": 8}


def occupancy(architecture, threads, registers, shared):
    """Returns the fraction of a multiprocessor's warps that blocks of a kernel occupy, by the formula of CUDA's occupancy calculator. A
    warp gets registers in units of 256, the warps are distributed over the four parts of the register file, and shared memory is given in
    units of 128 bytes."""
    most_warps, most_blocks, shared_kib = MACHINES[architecture]
    warps = -(-threads // 32)
    of_warp = -(-registers * 32 // 256) * 256
    by_registers = compilers.REGISTERS // 4 // of_warp * 4 // warps if registers else most_blocks
    by_shared = shared_kib * 1024 // (-(-(shared + RESERVED_SHARED) // 128) * 128)
    return min(most_blocks, most_warps // warps, by_registers, by_shared) * warps / most_warps


def sass_of(cubin):
    """Returns the machine instructions of each kernel of a cubin: {name: text of nvdisasm}."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([NVDISASM, "-c", file.name], capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^//-+ \.text\.(\w+) +-+\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def resources(log):
    """Returns, for each kernel that ptxas reports, the registers, the spilled bytes and the bytes of static shared memory."""
    found = {}
    for part in re.split(r"Compiling entry function ", log)[1:]:
        name = re.match(r"'(\w+)'", part)[1]
        spills = sum(int(stored) + int(loaded) for stored, loaded in re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part))
        shared = re.search(r"(\d+) bytes smem", part)
        found[name] = (int(re.search(r"Used (\d+) registers", part)[1]), spills, int(shared[1]) if shared else 0)
    return found


def marked(text):
    """Returns the text with each call of a fused multiply-add replaced by an equivalent assembler statement, so that the PTX shows which
    multiply-adds come from calls in the text and which ones the compiler has formed."""
    functions = "".join(f'static __device__ __forceinline__ {t} marked_{f}({t} a, {t} b, {t} c) {{ {t} r; asm("fma.rn.{p} %0, %1, %2, %3;" : '
                        f'"={r}"(r) : "{r}"(a), "{r}"(b), "{r}"(c)); return r; }}\n'
                        for t, f, p, r in (("float", "fmaf", "f32", "f"), ("double", "fma", "f64", "d")))
    return functions + re.sub(r"__(fmaf?)_rn\(", r"marked_\1(", text)


def fused(ptx):
    """Returns the number of fused multiply-adds in a PTX text, and how many of them are not in assembler statements."""
    everywhere = len(re.findall(r"\bfma\.rn\.", ptx))
    return everywhere, everywhere - len(re.findall(r"// begin inline asm\n\s*fma\.rn\.", ptx))


# For each memory that a kernel may access 16 bytes at a time, the machine instructions for that.
WIDE = {"global": r"\b(?:LDG|STG|LD|ST|LDGSTS)\.\S*128", "shared": r"\b(?:LDS|STS)\.\S*128"}


def says_16_bytes(kernel):
    """Returns which memories the kernel accesses 16 bytes at a time according to its schedule or its text: a subset of WIDE."""
    line, parameters, text = kernel
    vector = re.search(r"simd=(\d+)", line)
    elements = [ELEMENT_BYTES.get(word, 4) for word in re.findall(r"(\w+)\* ", " ".join(parameters))]
    copies = re.findall(r"\bcopy_16_bytes(_async)?\((.*)\);", text)
    is_global = [bool(asynchronous) or re.search(r"\b(?:input|output|tmp)\d", arguments) is not None for asynchronous, arguments in copies]
    said = {"global" if there else "shared" for there in is_global}
    return said | {"global"} if vector is not None and int(vector[1]) * min(elements, default=1) >= 16 else said


def check(path, compiler, architecture):
    """Compiles the CUDA text of a golden program. Returns, for each kernel, its registers, its occupancy, its spilled bytes, its number of
    16-byte accesses and a list of what is wrong; and, for the whole text, the number of fused multiply-adds in its PTX and a list of what
    is wrong."""
    text = compilers.text_for(path, architecture)
    cubin, ptx, log = compilers.compile_by(compiler, text, architecture)
    bounds, used, sass, kernels = compilers.launch_bounds(text), resources(log), sass_of(cubin), program.kernels_of(text)
    results = {}
    for name, (threads, blocks) in bounds.items():
        registers, spilled, shared = used[name]
        said = says_16_bytes(kernels[name])
        wide = sum(len(re.findall(WIDE[memory], sass[name])) for memory in said)
        wrong = []
        if spilled:
            wrong.append(f"{spilled} bytes spilled")
        if registers > min(255, compilers.REGISTERS // (threads * blocks)):
            wrong.append(f"{registers} registers")
        wrong += [f"no 16-byte access to {memory} memory" for memory in sorted(said) if not re.search(WIDE[memory], sass[name])]
        results[name] = (registers, occupancy(architecture, threads, registers, shared), spilled, wide, wrong)
    wrong = []
    try:
        compilers.check_arithmetic(ptx, "PTX")
    except AssertionError as error:
        wrong.append(str(error))
    return results, (fused(ptx)[0], wrong)


def check_calls(path, compiler):
    """Returns the number of all fused multiply-adds in the PTX of a golden text, and the number of those that the compiler has formed
    without a call in the text."""
    return fused(compilers.compile_by(compiler, marked(compilers.read(path)), compilers.ARCHITECTURES[0], to_cubin=False).ptx)


def table(wanted):
    """Prints the table. Returns whether everything is right."""
    paths = [path for path in compilers.GOLDEN if not wanted or os.path.basename(path)[:-3] in wanted]
    jobs = [(path, compiler, architecture) for path in paths for compiler in compilers.COMPILERS for architecture in compilers.ARCHITECTURES]
    found = {}

    def run(*job):
        try:
            found[job] = (check if len(job) == 3 else check_calls)(*job)
        except AssertionError as error:
            found[job] = error

    architectures = ", ".join(f"sm_{architecture}" for architecture in compilers.ARCHITECTURES)
    print(f"Table 3: golden kernels by compilers, for {architectures} (numbers in this order). No GPU has run them.\n"
          "occupancy: by the formula, without dynamic shared memory. fma: those in PTX, of the calls of the source after inlining and\n"
          "unrolling; a second compilation for the first architecture, in which calls are marked, counts these, and nothing else may be fused.\n"
          "16-byte accesses: instructions, for the memories, global and shared, of which the schedule or the text says that there are some.")
    print(f"{'golden':20}{'kernel':11}{'compiler':10}{'registers':21}{'spilled':9}{'occupancy %':21}{'16-byte accesses':22}{'.ftz .approx':14}"
          "fma of calls")
    compilations = kernels = bad = 0
    for path in paths:
        compilers.for_all([job for job in jobs if job[0] == path] + [(path, compiler) for compiler in compilers.COMPILERS], run)
        for compiler in compilers.COMPILERS:
            results = [found[path, compiler, architecture] for architecture in compilers.ARCHITECTURES]
            compilations += len(results)
            failed = [str(result).splitlines()[0] for result in [*results, found[path, compiler]] if isinstance(result, AssertionError)]
            label = os.path.basename(path)[:-3]
            if failed:
                bad += 1
                print(f"{label:20}{'':11}{compiler:10}FAILED {failed[0]}")
                continue
            of_text = [text for _, text in results]
            wrong_text = sorted({message for _, wrong in of_text for message in wrong})
            calls, outside = found[path, compiler]
            if outside:
                wrong_text.append(f"{outside} fma that the source does not call")
            plain = [count for count, _ in of_text]
            if max(plain) > MOST_COPIES * min(plain):
                wrong_text.append(f"fma for one architecture: {max(plain)}, for another: {min(plain)}, so a loop was unrolled")
            counts = [str(count) for count in plain]
            fma = f"{counts[0] if len(set(counts)) == 1 else ' '.join(counts)} of {calls}"
            wide_needed = {name for name, kernel in program.kernels_of(compilers.read(path)).items() if says_16_bytes(kernel)}
            for i, name in enumerate(results[0][0]):
                kernels += len(results)
                registers, occupied, spilled, wide, wrong = zip(*(result[0][name] for result in results))
                row = [" ".join(map(str, registers)), str(sum(spilled)), " ".join(f"{100 * part:.0f}" for part in occupied),
                       " ".join(map(str, wide)) if name in wide_needed else "-"]
                messages = sorted({message for list_ in wrong for message in list_}) + (wrong_text if i == 0 else [])
                bad += len(messages)
                text = f"{'none' if not wrong_text else 'WRONG':14}{fma}" if i == 0 else ""
                print((f"{label:20}{name:11}{compiler:10}{row[0]:21}{row[1]:9}{row[2]:21}{row[3]:22}{text}"
                       + (f"  WRONG: {'; '.join(messages)}" if messages else "")).rstrip(), flush=True)
    print(f"table 3: {kernels} kernels in {compilations} compilations of {len(paths)} golden texts, {bad} wrong")
    return bad == 0
