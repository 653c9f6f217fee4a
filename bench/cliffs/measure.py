"""Measures one benchmark: harp's program with numbers and with symbolic sizes, and the peers, which do the same work with NumPy, torch and
a C loop. Results are compared first, then all are timed in rounds, in which their samples are interleaved."""
import ctypes
import statistics
import time

import numpy as np

from case import arrays_of, from_bf16, text_of, view
from library import HarpError, Program
from machine import roofline
from peers import Absent, c_peer, expected_arrays, numpy_peer, torch_peer

TOLERANCES = {"f16": 2e-2, "bf16": 6e-2, "f32": 2e-4, "complex64": 2e-4, "f64": 1e-9, "complex128": 1e-9}
SAMPLE, BUDGET, ROUNDS, MANY = 1e-3, 0.5, 5, 31  # seconds of a sample, seconds of all rounds, least and greatest number of rounds
SLOW = 3  # another library (peer) is not timed in rounds if its first runs take this many times as long as those of the fastest one
PAUSE = 5e-3  # seconds of sleep before each sample with several threads; must exceed the time during which idle OpenMP workers spin


class Failure(Exception):
    """Raised if a case cannot be compared: harp failed, or its result differs from NumPy's."""


def disagreement(found, expected, dtype, problem):
    """Returns the reason if two results differ by more than the tolerance of the least accurate dtype involved; otherwise ""."""
    if found.shape != expected.shape:
        return f"shape {list(found.shape)}, expected {list(expected.shape)}"
    if dtype == "bf16":
        found = from_bf16(found)
        expected = from_bf16(expected) if expected.dtype == np.uint16 else expected
    elif dtype == "f16" and expected.dtype != np.float16:
        with np.errstate(over="ignore"):
            expected = expected.astype(np.float16)
    if found.size == 0:
        return ""
    if found.dtype.kind in "fc":
        bounds = [TOLERANCES[each] for each in [dtype, *(array.dtype for array in problem.inputs)] if each in TOLERANCES]
        bound = problem.tolerance or max(bounds)
        wide = np.complex128 if found.dtype.kind == "c" else np.float64
        found, expected = found.astype(wide), expected.astype(wide)
        finite = np.isfinite(expected)
        scale = np.abs(expected[finite]).max() if finite.any() else 0
        # The magnitude of input values is about 1. If exact arithmetic gives only zeros, as for the gradient of a softmax of one element,
        # the result of NumPy or another library may consist of rounding errors of such values.
        rounding = 1e-30 if scale > 0 else bound / 1000
        with np.errstate(invalid="ignore"):
            wrong = ~np.where(finite, np.abs(found - expected) <= bound * scale + rounding, (found == expected) | (np.isnan(found) & np.isnan(expected)))
    else:
        wrong = found != expected
    if wrong.sum() <= problem.mismatches * wrong.size:
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, first at {at}: {found[at]}, expected {expected[at]}"


def check(results, expected, program, problem, who):
    if len(results) != len(expected):
        raise Failure(f"{who}: {len(results)} results, expected {len(expected)}")
    for name, dtype, result, wanted in zip(program.output_names, program.output_dtypes, results, expected):
        problem_found = disagreement(result, wanted, dtype, problem)
        if problem_found:
            raise Failure(f"{who}: {name}: {problem_found}")


def _peak_resident():
    """Returns the greatest resident size of this process since the last reset, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def _reset_peak():
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        return _peak_resident()
    except OSError:
        return None


def programs_of(library, case, problem, stored, backend="c"):
    """Compiles the program in both forms (with numbers and with symbolic sizes) and checks the results of each. Returns {"specialised":
    program, "symbolic": program}, and the number of bytes by which the first run of the specialised program increased the resident size."""
    dtypes = [array.dtype for array in problem.inputs]
    expected = expected_arrays(problem, [view(memory, array.layout) for memory, array in zip(stored, problem.inputs)])
    programs, resident = {}, None
    for form in ("specialised", "symbolic") if problem.sizes else ("specialised",):
        try:
            programs[form] = Program(library, text_of(problem, form == "symbolic"), stored, dtypes, case.threads, backend)
            before = _reset_peak()
            results = programs[form].run()
            if form == "specialised" and before is not None:
                resident = max(0, _peak_resident() - before)
        except HarpError as error:
            raise Failure(f"{form}: {error}") from None
        check(results, expected, programs[form], problem, form)
    return programs, resident


def peers_of(case, problem, stored, program, compiler, timer):
    """Returns the peers (NumPy, torch and a C loop) that can do the same work, {name: function}, and the reasons why the others cannot,
    {name: reason}. Each function does the work a given number of times and returns the seconds."""
    makers = {"numpy": lambda: numpy_peer(case, problem, stored, program.output_dtypes), "torch": lambda: torch_peer(case, problem, stored),
              "c": lambda: c_peer(case, problem, stored, program, compiler, timer)}
    found, absent = {}, {}
    for name, make in makers.items():
        try:
            function, results = make()
            check(results, program.outputs, program, problem, f"{name} computes something else")
            found[name] = function
        except (Absent, Failure) as reason:
            absent[name] = str(reason)
    return found, absent


def _program_timer(library, program, timer, workspace):
    """Returns a function that runs a program a given number of times and returns the seconds. If `workspace`, the runs use the caller's
    workspace."""
    status = ctypes.c_int32()
    function = ctypes.cast(library.handle.harp_program_call, ctypes.c_void_p)

    def seconds(repeats):
        program.use_workspace(workspace)
        handle, n_inputs, inputs, n_outputs, outputs, options = program.call
        taken = timer.time_program(ctypes.c_int64(repeats), program.threads, function, ctypes.c_void_p(handle), ctypes.c_size_t(n_inputs), inputs,
                                   ctypes.c_size_t(n_outputs), outputs, options,
                                   ctypes.byref(status))
        if status.value:
            raise Failure(f"a run failed with status {status.value}")
        return taken

    return seconds


def _first(function):
    """Estimates the seconds of one run. The first run touches new pages and fills the caches, so more runs follow unless it is slow."""
    seconds = function(1)
    return seconds if seconds > 0.3 else min(function(1), function(1))


def call_seconds(library, timer):
    """Returns the seconds of a call of harp that computes almost nothing, a program with one element. C loops are called directly, without
    such an overhead, so this time is added to theirs, and to the time of the roofline of a case without peers; small cases then compare the
    loops alone. ./dev bench measures the same overhead as call.overhead."""
    program = Program(library, "harp 1\ngraph call(x: f32[1]) {\n  return y = -x\n}\n", [np.ones(1, np.float32)], ["f32"], 1)
    try:
        seconds = _program_timer(library, program, timer, False)
        seconds(1000)
        return min(seconds(1000) / 1000 for _ in range(10))
    finally:
        program.close()


def rounds(contenders, peers, threads):
    """Returns the times of harp's programs and of the peers (NumPy, torch and a C loop) as {name: [seconds of one run]}. Entry k of each
    list is from round k. Every second round is in reverse order. A peer that is much slower than another one has only the time of its first
    runs."""
    first = {name: _first(function) for name, function in contenders.items()}
    fastest = min((first[name] for name in peers), default=0)
    running = [name for name in contenders if name not in peers or first[name] <= SLOW * fastest]
    repeats = {name: max(1, round(SAMPLE * (2 if threads > 1 else 1) / max(first[name], 1e-8))) for name in running}
    one_round = sum(first[name] * repeats[name] for name in running)
    times = {name: [] for name in running}
    for k in range(min(max(ROUNDS if one_round < BUDGET else 2, int(BUDGET / max(one_round, 1e-6))), MANY)):
        for name in running if k % 2 == 0 else reversed(running):
            if threads > 1:
                time.sleep(PAUSE)
            times[name].append(contenders[name](repeats[name]) / repeats[name])
    times.update({name: [first[name]] for name in contenders if name not in times})
    return times


def _quotient(times, slower, faster):
    """Returns how many times faster `faster` is than `slower`: the median of the ratios within the rounds, or, if one of them has no
    rounds, the ratio of the medians."""
    if len(times[slower]) != len(times[faster]):
        return statistics.median(times[slower]) / statistics.median(times[faster])
    return statistics.median(a / b for a, b in zip(times[slower], times[faster]))


def score_of(ratio, part_of_roofline, part_of_call=0.0):
    """Returns the score of a benchmark (case). If NumPy, torch or a C loop can do it, the score is harp's speed relative to the fastest of
    these, but at least 1 if harp reaches 0.9 of the roofline. Otherwise the score is harp's speed relative to 0.9 of the roofline. The part
    of harp's time that any call of harp takes, `part_of_call`, is then added to the part that the roofline needs."""
    if ratio is None:
        return part_of_roofline / 0.9 + part_of_call
    return max(ratio, 1.0) if part_of_roofline >= 0.9 else ratio


def record_of(case, **columns):
    """Returns a record, which is written as a JSON line: the fields of ./dev bench, then the columns of the sweep."""
    house = {"name": case.line, "value": None, "unit": "us", "peer": None, "peer_value": None, "ratio": None, "goal": "information", "ok": None}
    more = {"kind": "case", "family": case.family, "threads": case.threads, "failure": None}
    return {**house, **more, **columns}


def measure(library, case, machine, compiler, timer):
    """Measures a case and returns its record. The record of a case that fails has the reason as its "failure", and no times."""
    problem = case.problem()
    stored = arrays_of(case, problem)
    programs = {}
    try:
        with np.errstate(all="ignore"):
            programs, resident = programs_of(library, case, problem, stored)
            program = programs["specialised"]
            peers, absent = peers_of(case, problem, stored, program, compiler, timer)
            call = machine["call"][case.threads]
            if "c" in peers:
                loop = peers["c"]
                peers["c"] = lambda repeats: loop(repeats) + call * repeats
            contenders = {form: _program_timer(library, each, timer, False) for form, each in programs.items()}
            if program.workspace_bytes:
                contenders["workspace"] = _program_timer(library, program, timer, True)
            times = rounds({**contenders, **peers}, peers, case.threads)
    except Failure as failure:
        return record_of(case, failure=str(failure))
    finally:
        for each in programs.values():
            each.close()
    medians = {name: statistics.median(values) for name, values in times.items()}
    best = min(peers, key=medians.get, default=None)
    ratio = _quotient(times, best, "specialised") if best else None
    read = problem.bytes_read if problem.bytes_read is not None else sum(array.nbytes for array in stored)
    part = roofline(machine, problem, case.threads, read, sum(array.nbytes for array in program.outputs)) / medians["specialised"]
    return record_of(
        case, value=medians["specialised"] * 1e6, peer=best, peer_value=medians[best] * 1e6 if best else None, ratio=ratio,
        score=score_of(ratio, part, call / medians["specialised"]),
        roofline=part,
        symbolic=_quotient(times, "specialised", "symbolic") if "symbolic" in times else None,
        symbolic_us=medians["symbolic"] * 1e6 if "symbolic" in times else None,
        workspace=_quotient(times, "workspace", "specialised") if "workspace" in times else None, workspace_bytes=program.workspace_bytes,
        resident_bytes=resident,
        compile_ms=program.compile_ms, compile_symbolic_ms=programs["symbolic"].compile_ms if "symbolic" in programs else None, kernels=program.kernels,
        peers={name: medians[name] * 1e6 for name in peers}, absent=absent)
