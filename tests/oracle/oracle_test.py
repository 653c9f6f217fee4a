"""An oracle outside of the project: every operation of the text format is compared with NumPy, or with SciPy where that suits better, on
the interpreter and as compiled C.

The interpreter defines harp's results, and other tests compare generated C with it bit for bit. Those tests cannot find a mistake that both
share. Here both the interpreter and the generated C are compared with NumPy (tests/oracle/oracle_references.py, oracle_linear.py,
oracle_random.py, oracle_scans.py, oracle_gather.py, oracle_sort.py, oracle_complex.py, oracle_fft.py, oracle_windows.py and oracle_scipy.py
have the cases and their tolerances). One graph contains all cases of several groups, so the tool runs once on each backend for all of these
cases. An operation of src/ops/ops.def or src/graph/operations.cpp without a case is a failure, and so is a run with fewer than LEAST_CASES
cases.

The C of groups of f32, of complex64 and of several dtypes is compiled with a user's options; if groups differ only in a number, such as the
length of a transform, that is done for every fourth of them. The other groups are compiled quickly (quick_compiler.py), because they only
check what the C text computes. The op matrix checks optimised code of every operation, with one dtype each.

Environment: HARP_TOOL (default build/release/harp), HARP_ORACLE_BACKENDS (default "interp c").
rows: G2 G3 G4 G5 G6 G10 G12 G14 G16 G22
"""
import os
import re
import subprocess
import sys
import tempfile
import warnings

import package_group

package_group.require("python", __file__, modules=("numpy", "scipy"))
import numpy as np  # noqa: E402
import scipy  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine  # noqa: E402
from oracle_complex import complex_groups  # noqa: E402
from oracle_gather import gather_groups  # noqa: E402
from oracle_sort import sort_groups  # noqa: E402
from oracle_fft import fft_groups  # noqa: E402
from oracle_half import Half, loaded, place, rounded, stored  # noqa: E402
from oracle_linear import linear_groups  # noqa: E402
from oracle_networks import network_groups  # noqa: E402
from oracle_random import random_groups  # noqa: E402
from oracle_references import COMPLEX, DTYPES, EXACT, HALVES, WIDE, Ulps, groups  # noqa: E402
from oracle_scans import scan_groups  # noqa: E402
from oracle_scipy import scipy_groups  # noqa: E402
from quick_compiler import QUICK  # noqa: E402
from oracle_windows import window_groups  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("HARP_TOOL", os.path.join(ROOT, "build", "release", "harp"))
BACKENDS = os.environ.get("HARP_ORACLE_BACKENDS", "interp c").split()
AS_USERS = {"f32", "complex64"}
LEAST_CASES = 7024  # the least number of cases on each backend
MOST_CASES = 200  # the greatest number of cases in groups that are compiled together
MOST_SLOW_CASES = 60  # the greatest number for groups with a user's options, so that gcc stays far below the limit of 60 s
NAMES = {np.dtype(kind): name for name, kind in (DTYPES | COMPLEX).items()}


def in_group(group, array):
    """Returns an array of a group, as a Half if the group is one of 16-bit floats."""
    return Half(group.half, array) if group.half and not isinstance(array, Half) and array.dtype == np.float32 else array


def dtype_name(array):
    return array.dtype if isinstance(array, Half) else NAMES[array.dtype]


def renamed(text, names, prefix):
    """Returns the text with a prefix before these names. Strings, names of attributes and names of operations are not changed."""
    found = rf'"[^"]*"|\b(?:{"|".join(map(re.escape, names))})\b(?!\s*(?:=(?!=)|\())'
    return re.sub(found, lambda word: word[0] if word[0][0] == '"' else prefix + word[0], text) if names else text


def names_of(group):
    """Returns the names that the group's text declares: its inputs and its symbolic sizes."""
    sizes = {word for shape in group.shapes.values() for word in re.findall(r"[a-z]\w*", shape)} - {"in"}
    return sorted({*group.inputs, *group.sizes, *sizes})


def graph_text(batch):
    """Returns one graph for several groups, which must have the same flags. The names of group k begin with g<k>_."""
    parameters, sizes, lines, results = [], [], [], []
    for k, group in enumerate(batch):
        prefix, names = f"g{k}_", names_of(group)
        for name, array in group.inputs.items():
            shape = group.shapes.get(name, "[" + ", ".join(map(str, array.shape)) + "]")
            parameters.append(f"{prefix}{name}: {dtype_name(in_group(group, array))}{renamed(shape, names, prefix)}")
        sizes += [f"  shape {prefix}{variable}" for variable in group.sizes]
        for i, case in enumerate(group.cases):
            parts = [f"r{i}_{j}" for j in range(len(case.expected))] if isinstance(case.expected, list) else [f"r{i}"]
            lines.append(f"  {', '.join(prefix + part for part in parts)} = {renamed(case.text, names, prefix)}")
            results += [f"{prefix}out_{part} = {prefix}{part}" for part in parts]
    return "\n".join(["harp 1", f"graph oracle({', '.join(parameters)}){batch[0].flags} {{", *sizes, *lines, f"  return {', '.join(results)}", "}"]) + "\n"


def expected_arrays(group):
    """Yields (name of the output, text, expected array, tolerance) of every output."""
    for i, case in enumerate(group.cases):
        if isinstance(case.expected, list):
            for j, part in enumerate(case.expected):
                yield f"out_r{i}_{j}", f"{case.text}[{j}]", part, case.nearness
        else:
            yield f"out_r{i}", case.text, case.expected if isinstance(case.expected, Half) else np.asarray(case.expected), case.nearness


def as_users(groups):
    """Returns the names of the groups whose C is compiled with a user's options. Groups whose names differ only in numbers, such as the
    length of a transform, are a family. Every fourth group of a family is chosen, unless its name contains dtypes but none of AS_USERS."""
    chosen, families = set(), {}
    # The groups are counted from the end, so that the last group of each family is chosen: the first ones of a family have the lengths that
    # need the least work.
    for group in reversed(groups):
        words = group.name.split()
        dtypes = {word.strip(",") for word in words} & (set(NAMES.values()) | set(HALVES))
        if dtypes and not dtypes & AS_USERS:
            continue
        family = " ".join(word for word in words if not re.fullmatch(r"[\d(),]+", word))
        if families.setdefault(family, 0) % 4 == 0:
            chosen.add(group.name)
        families[family] += 1
    return chosen


def batches_of(groups, slow):
    """Returns lists of groups whose programs are compiled together: groups with the same flags, with up to MOST_CASES cases. Starting the
    tool and a compiler takes longer than compiling a small group, and groups share math functions. Groups that are named in `slow` are not in
    one list with others, because they are compiled with other options."""
    batches, unfilled = [], {}
    for group in groups:
        kind = (group.flags, group.name in slow)
        batch = unfilled.get(kind)
        if batch is None or sum(len(each.cases) for each in [*batch, group]) > (MOST_SLOW_CASES if kind[1] else MOST_CASES):
            batch = unfilled[kind] = []
            batches.append(batch)
        batch.append(group)
    return batches


def run(batch, backend, folder, quick):
    """Runs a batch and returns, for each of its groups, the results by name."""
    path = os.path.join(folder, "graph.harp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(graph_text(batch))
    command = [TOOL, "run", path, "--backend", backend] + (QUICK if quick else [])
    outputs = [[f"g{k}_{name}" for name, *_ in expected_arrays(group)] for k, group in enumerate(batch)]
    for k, group in enumerate(batch):
        for name, array in group.inputs.items():
            array = in_group(group, array)
            name = f"g{k}_{name}"
            np.save(os.path.join(folder, name + ".npy"), stored(array) if isinstance(array, Half) else array)
            command += ["--input", f"{name}={os.path.join(folder, name)}.npy"]
        for variable, value in group.sizes.items():
            command += ["--shape", f"g{k}_{variable}={value}"]
        for name in outputs[k]:
            command += ["--output", f"{name}={os.path.join(folder, name)}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()[-2000:]}")
    return [{name.partition("_")[2]: loaded(np.load(os.path.join(folder, name + ".npy"))) for name in names} for names in outputs]


def ulps(found, expected, half):
    """Returns the difference in units in the last place of the dtype of `found`. An infinity counts as the first power of 2 beyond the
    range."""
    if half:
        beyond = WIDE(2) ** (16 if half == "f16" else 128)
        clip = lambda x: np.clip(x.astype(WIDE), -beyond, beyond)  # noqa: E731
        return np.abs(clip(found) - clip(expected)) / np.ldexp(WIDE(1), place(half, expected))
    limits = np.finfo(found.dtype)
    beyond = WIDE(2) ** WIDE(limits.maxexp)
    clip = lambda x: np.clip(x.astype(WIDE), -beyond, beyond)  # noqa: E731
    exponent = np.frexp(np.minimum(np.abs(clip(expected)), WIDE(limits.max)))[1] - 1
    unit = np.ldexp(WIDE(1), np.maximum(exponent, limits.minexp) - limits.nmant)
    return np.abs(clip(found) - clip(expected)) / unit


def complex_differences(found, expected, nearness):
    """Returns a mask of the complex elements that differ. For EXACT the bits of both parts are compared, otherwise the distance of the two
    numbers is compared with the bound."""
    if nearness == EXACT:
        expected = expected.astype(found.dtype)
        return np.asarray(differences(found.real.copy(), expected.real.copy(), EXACT)) | differences(found.imag.copy(), expected.imag.copy(), EXACT)
    return ~((found == expected) | (np.abs(found.astype(np.clongdouble) - expected) <= np.asarray(nearness.bound, WIDE)))


def differences(found, expected, nearness):
    """Returns a mask of the elements of `found` that are outside of the tolerance."""
    half = found.dtype if isinstance(found, Half) else None
    if half:
        found = found.values
        if nearness == EXACT:
            expected = rounded(half, expected)
    if found.dtype.kind == "c":
        return complex_differences(found, expected, nearness)
    if found.dtype.kind != "f":
        return found != expected
    nan = np.isnan(expected)
    if nearness == EXACT:
        bits = {4: np.uint32, 8: np.uint64}[found.dtype.itemsize]
        same = found.view(bits) == np.ascontiguousarray(expected).view(bits) if found.ndim else found.tobytes() == expected.tobytes()
        return ~np.where(nan, np.isnan(found), same)
    if isinstance(nearness, Ulps):
        near = ulps(found, expected, half) <= nearness.count
        zero = (expected == 0) & np.isfinite(expected)
        # if the expected value is exactly zero, the sign must be right as well
        near &= ~zero | (np.signbit(found) == np.signbit(expected))
    else:
        near = (found == expected) | (np.abs(found.astype(WIDE) - expected) <= np.asarray(nearness.bound, WIDE))  # infinities
    return ~np.where(nan, np.isnan(found), near)


def check(group, backend, found, cells):
    failures = []
    for name, text, expected, nearness in expected_arrays(group):
        result, before = found[name], len(failures)
        wanted = in_group(group, expected)
        if nearness == EXACT and result.dtype != wanted.dtype:
            failures.append(f"{text}: dtype {result.dtype}, NumPy says {wanted.dtype}")
        elif result.shape != expected.shape:
            failures.append(f"{text}: shape {result.shape}, NumPy says {expected.shape}")
        else:
            expected = getattr(expected, "values", expected)
            wrong = np.asarray(differences(result, expected, nearness))
            result = getattr(result, "values", result)
            if wrong.any():
                where = tuple(int(i) for i in np.argwhere(wrong)[0])
                arguments = ", ".join(f"{n} = {getattr(a, 'values', a)[where]!r}" for n, a in group.inputs.items() if a.shape == result.shape)
                failures.append(f"{text}: {int(wrong.sum())} of {wrong.size} differ, first at {where}: {result[where]!r}, "
                                f"NumPy says {expected[where]!r}" + (f" ({arguments})" if arguments else ""))
        record(cells, group, backend, text, len(failures) == before)
    return [f"{backend}, {group.name}: {failure}" for failure in failures]


def record(cells, group, backend, text, good):
    """Reports the result of a case to `./dev rows`. It counts for the outermost operation of the text, with the dtype of the first input in
    the text."""
    operation = re.match(r"(\w+)\(", text)
    used = [name for name in re.findall(r"\w+", text) if name in group.inputs]
    if operation and used:
        cell = (operation[1], dtype_name(in_group(group, group.inputs[used[0]])), backend)
        cells[cell] = cells.get(cell, True) and good


def write_cells(cells):
    folder = os.environ.get("HARP_BUILD_DIR")
    if folder:
        with open(os.path.join(folder, "oracle_matrix.txt"), "w", encoding="utf-8") as file:
            for (operation, dtype, backend), good in sorted(cells.items()):
                file.write(f"{operation} {dtype} {backend} {'pass' if good else 'fail'}\n")


def operations():
    """Returns every operation that a text can call. Native operations are not among them, because a text cannot contain a function
    (tests/lower/native_test.cpp tests them)."""
    with open(os.path.join(ROOT, "src", "ops", "ops.def"), encoding="utf-8") as file:
        names = set(re.findall(r'^HARP_OP\(\w+, "(\w+)"', file.read(), re.MULTILINE)) - {"input"}
    with open(os.path.join(ROOT, "src", "graph", "operations.cpp"), encoding="utf-8") as file:
        return (names | set(re.findall(r'^ +(?:\w+_)?row(?:<[^>]*>)?\("(\w+)"', file.read(), re.MULTILINE))) - {"native"}


def main():
    machine.exit_if_skipped(__file__)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    all_groups = groups() + linear_groups() + random_groups() + scan_groups() + gather_groups() + sort_groups() + complex_groups() + fft_groups()
    all_groups += scipy_groups() + window_groups() + network_groups()
    text = "\n".join(case.text for group in all_groups for case in group.cases)
    failures = [f"no case for {name}" for name in sorted(operations()) if not re.search(rf"\b{name}\(", text)]
    count, cells, slow = 0, {}, as_users(all_groups)
    for backend in BACKENDS:
        waiting = batches_of(all_groups, slow if backend == "c" else set())
        while waiting:
            batch = waiting.pop(0)
            with tempfile.TemporaryDirectory() as folder:
                try:
                    results = run(batch, backend, folder, backend == "c" and batch[0].name not in slow)
                    for group, found in zip(batch, results):
                        failures += check(group, backend, found, cells)
                        count += len(group.cases)
                except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                    if len(batch) > 1:  # runs the groups of the failed batch one by one, to find the one that fails
                        waiting = [[group] for group in batch] + waiting
                        continue
                    failures.append(f"{backend}, {batch[0].name}: {error}")
                    count += len(batch[0].cases)
    write_cells(cells)
    for failure in failures:
        print(failure)
    if count < LEAST_CASES * len(BACKENDS):
        failures.append(f"{count} cases on {len(BACKENDS)} backends, expected at least {LEAST_CASES} on each")
        print(failures[-1])
    print(f"{count} cases on {' and '.join(BACKENDS)} against NumPy {np.__version__} and SciPy {scipy.__version__}: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
