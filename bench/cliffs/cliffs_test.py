#!/usr/bin/env python3
"""Tests the sweep ./dev cliffs: what each family draws; that harp, NumPy, torch (where it is installed) and the C loops agree on tiny
cases; replay lines; the report and its goals; the comparison of two runs; and mistakes in the arguments. Speed is not tested.
"""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import package_group

package_group.require("python", __file__, modules=("numpy",))
if os.environ.get("HARP_SANITIZE"):
    package_group.leave(__file__, "skip", "Python does not load a libharp.so that was built with a sanitizer")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cases  # noqa: E402
import families  # noqa: E402, F401
import machine  # noqa: E402
import measure  # noqa: E402
import numpy as np  # noqa: E402
import peers  # noqa: E402
import picture  # noqa: E402
import report  # noqa: E402
import sweep  # noqa: E402
from case import FAMILIES, TINY, CaseError, Limits, arrays_of, drawn, input_bytes, parse, text_of, view  # noqa: E402
from library import Library  # noqa: E402
from worker import Worker  # noqa: E402

LIBRARY = sweep.library_path()
SVG = "{http://www.w3.org/2000/svg}"
MACHINE = {"read": {1: [8e9] * 8, 2: [16e9] * 8}, "copy": {1: [4e9] * 8, 2: [8e9] * 8}, "f32": {1: 1e11, 2: 2e11}, "f64": {1: 5e10, 2: 1e11},
           "i32": {1: 1e11, 2: 2e11}, "call": {1: 1e3, 2: 1e3}}


def fails(error, function, *arguments):
    """Calls the function, which must raise the error, and returns the error's message."""
    try:
        function(*arguments)
    except error as raised:
        return str(raised)
    raise AssertionError(f"{function.__name__}{arguments} raised no {error.__name__}")


def case_draws():
    """cliffs: drawn cases are within the limits, and legal graphs with numbers as well as with symbolic sizes; their replay lines give the
    same cases again"""
    library = Library(LIBRARY)
    context, limits = library.context(1), Limits()
    for name in FAMILIES:
        lines = set()
        for seed in (1, 2, 3):
            case = drawn(name, seed, 0)
            assert case.line == drawn(name, seed, 0).line == parse(case.line).line, case.line
            problem = case.problem()
            assert input_bytes(problem) <= limits.bytes and problem.flops <= limits.flops, case.line
            for symbolic in (False, True):
                text = text_of(problem, symbolic).encode()
                library.handle.harp_graph_release(library.call("harp_graph_parse", context, len(text), text))
            lines.add(case.line)
        assert len(lines) > 1, f"three seeds draw the same case: {lines}"
    for seed in range(200):  # for some of these seeds, the first draw has a window that is larger than the row, and is repeated
        drawn("conv1d", seed, 0, TINY).problem()
    library.handle.harp_context_release(context)


def case_tiny_results():
    """cliffs: a tiny case of every benchmark family gives the expected results in harp, with sizes that are numbers and with symbolic
    sizes; NumPy, torch and the handwritten C loops give the results of the program whose sizes are numbers"""
    library, compiler = Library(LIBRARY), peers.Compiler()
    peers.FLAGS[0] = "-O0"
    timer, with_loop = peers.clock(compiler), 0
    for name in FAMILIES:
        case = drawn(name, 1, 0, TINY)
        problem = case.problem()
        stored = arrays_of(case, problem)
        with np.errstate(all="ignore"):
            programs, _ = measure.programs_of(library, case, problem, stored, "interp")
            found, absent = measure.peers_of(case, problem, stored, programs["specialised"], compiler, timer)
        assert {*found, *absent} == {"numpy", "torch", "c"}, case.line
        wrong = [f"{peer}: {reason}" for peer, reason in absent.items() if "something else" in reason or "failed" in reason]
        assert not wrong, f"{case.line}: {wrong}"
        with_loop += "c" in found
        for program in programs.values():
            program.close()
    assert with_loop > len(FAMILIES) / 2, with_loop


LOOPS = """unary op=exp dtype=f32 shape=3x5 layout=reversed
unary op=exp dtype=f64 shape=4 layout=reversed
unary op=expm1 dtype=bf16 shape=10 layout=reversed
unary op=isfinite dtype=bf16 shape=3x4 layout=transposed
unary op=tanh dtype=f16 shape=3x4 layout=strided
binary op=hypot dtype=bf16 shape=3x4 pattern=row layout=contiguous
binary op=lt dtype=bf16 shape=3x4 pattern=column layout=contiguous
cast source=bf16 target=i16 shape=3x4 layout=contiguous
cast source=f64 target=bf16 shape=3x4 layout=contiguous
cast source=bf16 target=bool shape=9 layout=contiguous
reduce op=mean dtype=bf16 shape=5x7 axes=1 layout=contiguous
reduce op=max dtype=bf16 shape=5x7 axes=0 layout=contiguous
reduce op=any dtype=bf16 shape=5x7 axes=1 layout=contiguous
matmul_half dtype=bf16 m=3 k=4 n=5 a_layout=contiguous b_layout=transposed
matmul_half dtype=f16 m=3 k=4 n=5 a_layout=contiguous b_layout=contiguous
matmul_skinny dtype=bf16 m=2 k=17 n=5 weight=nk
matmul_skinny dtype=bf16 m=2 k=17 n=5 weight=kn
conv2d_half dtype=bf16 batch=2 channels=3 filters=2 image=7 kernel=3 stride=2 padding=1
row_half op=softmax dtype=bf16 rows=3 columns=9
row_half op=layer_norm dtype=f16 rows=3 columns=9
row_half op=rms_norm dtype=bf16 rows=3 columns=9
unary op=exp dtype=f32 shape=3x5x2 layout=unaligned
matmul dtype=f32 m=3 k=4 n=5 a_layout=reversed b_layout=unaligned
argsort dtype=f32 rows=5 columns=40
argsort dtype=u8 rows=2 columns=700
topk dtype=f64 rows=4 columns=50 k=7
topk dtype=f32 rows=3 columns=6 k=6
fft op=fft dtype=complex64 rows=3 length=64
fft op=ifft dtype=complex128 rows=2 length=1
rfft op=rfft dtype=f32 rows=3 length=32
fft_planes dtype=complex64 batch=2 height=8 width=4
spectral_step dtype=f64 batch=2 height=8 width=16
spectral_step dtype=f32 batch=1 height=1 width=2
fft_convolution dtype=f32 rows=3 length=30 taps=5
conv_transposed batch=2 channels=3 filters=4 image=5 kernel=3 stride=2 padding=1 rank=2
conv_transposed batch=1 channels=2 filters=3 image=9 kernel=5 stride=1 padding=0 rank=1
conv2d_gradient batch=2 channels=3 filters=4 image=6 kernel=3 stride=1 padding=1
channel_norm op=batch_norm batch=3 channels=4 image=5
channel_norm op=group_norm batch=2 channels=64 image=3
channel_norm op=instance_norm batch=3 channels=4 image=5
loss op=cross_entropy rows=7 columns=11
loss op=mse_loss rows=7 columns=11
loss op=huber_loss rows=7 columns=11
matmul_small dtype=f64 batch=5 m=3 k=3 n=2 shared=0
matmul_small dtype=f32 batch=9 m=1 k=4 n=3 shared=1
matmul_quantised m=2 k=33 n=7 weight=kn
matmul_quantised m=3 k=17 n=5 weight=nk
normalise dtype=u8 rows=40 channels=3
normalise dtype=f64 rows=7 channels=5
nussinov bases=9 count=4
nussinov bases=12 count=11
conv2d_loss_gradient batch=2 channels=4 filters=6 image=9 kernel=3 stride=2 padding=1 dilation=1 groups=2
conv2d_loss_gradient batch=1 channels=3 filters=3 image=8 kernel=3 stride=1 padding=0 dilation=2 groups=3
conv2d_loss_gradient batch=2 channels=2 filters=3 image=7 kernel=1 stride=2 padding=0 dilation=1 groups=1
row_gradient op=softmax rows=5 columns=7
row_gradient op=log_softmax rows=5 columns=7
row_gradient op=layer_norm rows=6 columns=9
row_gradient op=rms_norm rows=6 columns=9
loss_gradient op=cross_entropy rows=5 columns=7
loss_gradient op=mse_loss rows=5 columns=7
loss_gradient op=huber_loss rows=5 columns=7
conv_transposed_gradient batch=2 channels=3 filters=2 image=4 kernel=3 stride=2 padding=1
conv_transposed_gradient batch=1 channels=2 filters=3 image=5 kernel=2 stride=1 padding=0
conv_transposed_gradient batch=2 channels=2 filters=2 image=3 kernel=2 stride=3 padding=0
pool_gradient op=max_pool batch=2 channels=3 image=9 size=3 stride=2
pool_gradient op=avg_pool batch=2 channels=2 image=8 size=2 stride=3
perceptron batch=3 inputs=4 hidden=5 outputs=2 depth=3
perceptron_gradient batch=3 inputs=4 hidden=5 outputs=2 depth=4
cnn batch=2 image=8 channels=3 width=4 classes=5
attention batch=2 heads=3 queries=4 keys=6 width=8
attention_gradient batch=2 heads=3 queries=4 keys=6 width=8
transformer_block batch=2 length=5 heads=2 width=8 causal=1
transformer_block batch=1 length=4 heads=1 width=16 causal=0
lstm steps=3 batch=4 inputs=5 hidden=6
lstm_gradient steps=3 batch=4 inputs=5 hidden=6""".splitlines()


def case_loops():
    """cliffs: C loops that tiny cases may not cover agree with harp, on one thread and on two"""
    library, compiler = Library(LIBRARY), peers.Compiler()
    peers.FLAGS[0] = "-O0"
    timer = peers.clock(compiler)
    for number, line in enumerate(LOOPS):
        case = parse(f"{line} threads={1 + number % 2}")
        problem = case.problem()
        stored = arrays_of(case, problem)
        program = measure.Program(library, text_of(problem, False), stored, [array.dtype for array in problem.inputs], case.threads, "interp")
        program.run()
        _, results = peers.c_peer(case, problem, stored, program, compiler, timer)
        measure.check(results, program.outputs, program, problem, case.line)
        program.close()


def case_least():
    """cliffs: pictures that are smaller than a window, which fits their padding, are within the bounds of symbolic sizes"""
    library = Library(LIBRARY)
    for line in ("conv2d_loss_gradient batch=2 channels=2 filters=3 image=7 kernel=5 stride=2 padding=1 dilation=2 groups=1 threads=1",
                 "conv2d_gradient batch=1 channels=2 filters=2 image=1 kernel=3 stride=1 padding=1 threads=1"):
        case = parse(line)
        problem = case.problem()
        programs, _ = measure.programs_of(library, case, problem, arrays_of(case, problem), "interp")
        assert set(programs) == {"specialised", "symbolic"}
        for program in programs.values():
            program.close()


def case_layouts():
    """cliffs: an unaligned array begins one element behind a cache line; a reversed one is read from its last element on"""
    for layout in ("unaligned", "reversed"):
        case = parse(f"unary op=neg dtype=f64 shape=3x5 layout={layout} threads=1")
        problem = case.problem()
        stored = arrays_of(case, problem)[0]
        assert stored.shape == (3, 5) and stored.flags.c_contiguous
        seen = view(stored, layout)
        if layout == "unaligned":
            assert stored.ctypes.data % 64 == 8 and (seen == stored).all() and len(set(stored.flat)) == 15
        else:
            assert (seen == stored[:, [4, 3, 2, 1, 0]]).all() and "x = flip(x_stored, axes=[1])" in text_of(problem, False)


def case_measurement():
    """cliffs: the record of a measured case has every column; a case with a wrong result is recorded as a failure"""
    library, compiler = Library(LIBRARY), peers.Compiler()
    timer = peers.clock(compiler)
    case = parse("softmax op=softmax dtype=f32 rows=7 columns=33 axis=1 layout=strided threads=1")
    record = json.loads(json.dumps(measure.measure(library, case, MACHINE, compiler, timer)))
    assert record["name"] == case.line and tuple(record)[:8] == report.FIELDS and record["failure"] is None, record
    assert all(record[column] > 0 for column in ("value", "peer_value", "ratio", "score", "roofline", "symbolic", "symbolic_us", "compile_ms",
                                                 "compile_symbolic_ms", "kernels")), record
    assert record["peers"]["numpy"] > 0 and record["peers"]["c"] > 0 and record["peer_value"] == min(record["peers"].values()), record
    assert record["peers"]["c"] >= 1e9 and record["peer"] != "c", "a call, here of 1000 s, is added to the C loop's time"
    assert 0 < measure.call_seconds(library, timer) < 1
    for line in report.single(record), report.summary([record, *report.goals([record])]):
        assert "softmax" in line or "÷ harp" in line
    problem = case.problem()
    right, family = problem.numpy, FAMILIES["softmax"]
    problem.numpy = lambda xp, x: right(xp, x) * (1 + (np.arange(33) == 5) * np.float32(0.1))
    FAMILIES["softmax"] = dataclasses.replace(family, make=lambda **_: problem)
    try:
        record = measure.measure(library, case, MACHINE, compiler, timer)
    finally:
        FAMILIES["softmax"] = family
    assert record["value"] is None and "specialised: y: 7 of 231 elements differ, first at (0, 5)" in record["failure"], record


def case_order():
    """cliffs: each round has every family once, in an order that depends on the seed"""
    turns = sweep.order(5, list(FAMILIES))
    first, second = [[next(turns) for _ in FAMILIES] for _ in range(2)]
    for number, turn in enumerate((first, second)):
        assert {name for name, _ in turn} == set(FAMILIES) and {k for _, k in turn} == {number}
    assert [name for name, _ in first] != [name for name, _ in second]
    other = sweep.order(6, list(FAMILIES))
    assert first != [next(other) for _ in FAMILIES]


def case_score():
    """cliffs: the score of a case and its roofline are computed correctly from given numbers"""
    assert measure.score_of(0.7, 0.95) == 1 and measure.score_of(0.7, 0.8) == 0.7 and measure.score_of(3.0, 0.2) == 3 and measure.score_of(None, 0.45) == 0.5
    assert measure.score_of(None, 0.009, 0.8) == 0.81 and measure.score_of(0.7, 0.1, 0.8) == 0.7, "an overhead counts only without peers"
    problem = parse("matrix_vector dtype=f32 m=1000 k=1000 side=ax layout=contiguous threads=2").problem()
    assert abs(machine.roofline(MACHINE, problem, 1, 4e6, 0) - 5e-4) < 1e-9, "reads alone run at the bandwidth of reading"
    assert abs(machine.roofline(MACHINE, problem, 1, 2e6, 2e6) - 1e-3) < 1e-9, "with as many writes at that of copying"
    assert abs(machine.roofline(MACHINE, problem, 2, 100, 0) - 1e-5) < 1e-9, "few bytes: 2e6 operations of f32 on two threads"
    named = {record["name"]: (record["value"], record["unit"]) for record in report.machine_records(MACHINE, machine.SIZES)}
    assert len(named) == 2 * (8 + 8 + 4) and named["machine.call.threads1"] == (1e12, "ns") and named["machine.f32.threads2"] == (200.0, "GFLOP/s"), named
    assert named["machine.copy.16384.threads1"] == (4.0, "GB/s"), named
    rates = {"read": {1: [1.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]}}
    assert abs(machine.bandwidth(rates, "read", 1, machine.SIZES[0] * 2) - 2.0) < 1e-9 and machine.bandwidth(rates, "read", 1,
                                                                                                             1) == 1 and machine.bandwidth(rates, "read", 1,
                                                                                                                                           1 << 40) == 5


def made(name, family, score, **columns):
    """Returns an invented record of a case, with the columns that a measurement writes."""
    record = {"name": f"{family} n={name} threads=1", "value": 10.0, "unit": "us", "peer": "c", "peer_value": 10.0 * score, "ratio": score,
              "goal": "information", "ok": None, "kind": "case",
              "family": family, "threads": 1, "failure": None, "score": score, "roofline": 0.5, "symbolic": 1.0, "symbolic_us": 10.0, "workspace": None,
              "workspace_bytes": 0,
              "resident_bytes": 4096, "compile_ms": 20.0, "compile_symbolic_ms": 25.0, "kernels": 1, "peers": {"c": 10.0 * score},
              "absent": {"torch": "torch is not installed"}}
    return {**record, **columns}


def case_report():
    """cliffs: the report of invented records has their distributions, goals, worst cases, failures and absent peers"""
    records = [made(k, "sums", score) for k, score in enumerate((0.2, 1.0, 2.0, 3.0, 4.0))] + [made(9, "waves", 1.5, symbolic=0.3, symbolic_us=33.0)]
    records.append({**made(7, "sums", 1.0), "failure": "symbolic: y: 3 of 4 elements differ", "value": None, "ratio": None})
    found = {goal["name"]: (round(goal["value"], 6), goal["ok"]) for goal in report.goals(records)}
    assert found == {"goal.sums.p5": (0.36, False), "goal.sums.median": (2.0, True), "goal.waves.p5": (1.5, True), "goal.waves.median": (1.5, True),
                     "goal.symbolic.median": (1.0, True),
                     "goal.symbolic.worst": (0.3, False), "goal.too_slow": (1, True), "goal.failed": (1, False)}, found
    text = report.summary([*records, *report.goals(records)])
    assert re.search(r"^sums +5 +1 +0\.36 +1\.00 +2\.00 +3\.00 +0\.50 +1\.00 +1\.00", text, re.MULTILINE), text
    for part in ("7 cases of 2 families", "The worst 1 against", "0.20 of c, 10.0 us: ./dev cliffs --replay 'sums n=0 threads=1'",
                 "0.30, 33.0 us: ./dev cliffs --replay 'waves n=9 threads=1'",
                 "Failed (1):\n./dev cliffs --replay 'sums n=7 threads=1'\n    symbolic: y: 3 of 4", "torch, 6 cases", "torch is not installed",
                 "Goals met: 5 of 8, all but:"):
        assert part in text, (part, text)
    empty = {goal["name"]: goal["ok"] for goal in report.goals([])}
    assert empty == {"goal.symbolic.median": None, "goal.symbolic.worst": None, "goal.too_slow": True, "goal.failed": True}, empty


def case_picture():
    """cliffs: the picture has for each family a row with its median, and a dot at the ratio of each case that has a peer"""
    records = [made(k, "sums", score, peer=peer) for k, (score, peer) in enumerate(((0.01, "c"), (1.0, "torch"), (4.0, "numpy")))]
    records += [made(5, "waves", 2.0), {**made(6, "waves", 1.0), "failure": "crashed", "ratio": None}, made(7, "alone", 1.0, ratio=None, peer=None)]
    root = xml.etree.ElementTree.fromstring(picture.svg(records, "a < b"))
    texts = [element.text for element in root.iter(SVG + "text")]
    assert texts[0] == "a < b: time of the best peer / time of harp" and texts[-2:] == ["sums", "waves"], texts
    dots = [(float(dot.get("cx")), dot.get("fill")) for dot in root.iter(SVG + "circle")][len(picture.COLOURS):]
    one, octave = picture.LABEL + picture.WIDTH * 0.4, picture.WIDTH / 10  # the axis has ten octaves, from 1/16 to 64
    expected = [(picture.LABEL, "c"), (one, "torch"), (one + 2 * octave, "numpy"), (one + octave, "c")]
    assert dots == [(x, picture.COLOURS[peer]) for x, peer in expected], dots
    medians = [float(line.get("x1")) for line in root.iter(SVG + "line") if line.get("stroke-width")]
    assert medians == [one, one + octave], medians


def case_picture_of_two():
    """cliffs: the picture of two sweeps has the benchmarks that are in both, with ratios and memory before and after"""
    old = [{**made(k, "sums", score), "workspace_bytes": 2_000_000, "resident_bytes": 0} for k, score in enumerate((0.5, 1.0))]
    new = [{**made(k, "sums", score), "workspace_bytes": 500_000, "resident_bytes": None} for k, score in ((0, 2.0), (9, 1.0))]
    root = xml.etree.ElementTree.fromstring(picture.svg_of_two(old, new, "a"))
    dots = [(float(dot.get("cx")), dot.get("fill")) for dot in root.iter(SVG + "circle")][len(picture.COLOURS) + 1:]
    one, octave = picture.LABEL + picture.WIDTH * 0.4, picture.WIDTH / 10
    assert dots == [(one - octave, picture.BEFORE), (one + octave, picture.COLOURS["c"])], dots
    squares = [(float(square.get("x")) + 3, square.get("fill")) for square in list(root.iter(SVG + "rect"))[1:]]
    assert [colour for _, colour in squares] == [picture.BEFORE, "black"], squares  # none for memory that is 0 or was not measured
    assert abs(squares[0][0] - squares[1][0] - 2 * picture.MEMORY_WIDTH / 16) < 0.2, squares  # four times: two of the axis's 16 octaves


def case_comparison():
    """cliffs: the comparison of two recorded runs uses the cases that are in both"""
    old = [made(k, "sums", score) for k, score in enumerate((0.5, 1.0, 2.0))]
    new = [made(k, "sums", score) for k, score in ((0, 1.0), (1, 0.8), (5, 9.0))] + [{**made(2, "sums", 1.0), "failure": "crashed"}]
    with tempfile.TemporaryDirectory(prefix="harp-cliffs-test-") as scratch:
        paths = [os.path.join(scratch, name) for name in ("old.json", "new.json", "other.json", "broken.json")]
        for path, records in zip(paths, (old, new, [made(77, "waves", 1.0)])):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records)
        with open(paths[3], "w", encoding="utf-8") as file:
            file.write('{"name": "x"}\n')
        result = run("--compare", *paths[:2])
        assert result.returncode == 0, result
        for part in ("2 cases in both; 1 only in the first, 2 only in the second",
                     "Slower:\n0.80: score 1.00 to 0.80: ./dev cliffs --replay 'sums n=1 threads=1'",
                     "Faster:\n2.00: score 0.50 to 1.00: ./dev cliffs --replay 'sums n=0 threads=1'",
                     "Failed now:\n./dev cliffs --replay 'sums n=2 threads=1'"):
            assert part in result.stdout, (part, result.stdout)
        drawn_to = os.path.join(scratch, "sums.svg")
        assert run("--compare", *paths[:2], "--picture", drawn_to).returncode == 0
        with open(drawn_to, encoding="utf-8") as file:
            assert "sums: time of the best peer" in file.read()
        for arguments, word in (((paths[0], paths[2]), "the same seed"), ((paths[0], paths[3]), "expected records with name, value"),
                                ((paths[0], scratch), "directory"),
                                ((paths[0], __file__), "expected JSON lines")):
            result = run("--compare", *arguments)
            assert result.returncode == 2 and word in result.stderr, (arguments, result)


def run(*arguments):
    return subprocess.run([sys.executable, HERE / "sweep.py", *arguments], capture_output=True, text=True, check=False, timeout=300)


def case_mistakes():
    """cliffs: a mistake in the arguments is reported with what was expected and what was found, and gives exit status 2"""
    for arguments, words in (
        (("--seed", "-3"), ("expected a whole number", '"-3"')),
        (("--minutes", "0"), ("minutes above 0", '"0"')),
        (("--minutes", "ten"), ("minutes above 0", '"ten"')),
        (("--family", "matmuls"), ("expected one of arg_extreme", '"matmuls"')),
        (("--replay", "matmuls m=3"), ("expected a family first", '"matmuls"')),
        (("--replay", "matmul m=3", "--compare", "a", "b"), ("not allowed with",)),
        (("--seed", "3", "--picture", "a.svg"), ("--picture", "expected --compare")),
    ):
        result = run(*arguments)
        assert result.returncode == 2 and all(word in result.stderr for word in words), (arguments, result)
    result = run("--check", "--replay", "matmul m=3")
    assert result.returncode == 2 and "matmul needs dtype" in result.stderr, result
    assert run("--check", "--seed", "3").returncode == 0
    good = "matmul dtype=f32 m=3 k=4 n=5 a_layout=contiguous b_layout=contiguous threads=1"
    for change, words in (
        (("m=3 ", ""), ("matmul needs m",)),
        (("m=3", "m=three"), ("expected sizes in 0..2147483647, found three",)),
        (("m=3", "m=3 m=4"), ('found "m=4", which is given twice',)),
        (("m=3", "rows=3"), ("key=value for dtype, m, k, n", 'found "rows=3", which it does not have')),
        (("m=3", "m"), ('found "m", which has no value',)),
        (("m=3", "m=-1"), ("expected sizes in 0..", "-1")),
        (("m=3", "m=2000000000"), ("inputs of at most 1073741824 bytes", "found 32000000")),
        (("dtype=f32", "dtype=f99"), ("matmul: dtype: expected one of f32, f64, found f99",)),
        (("a_layout=contiguous", "a_layout=diagonal"), ("layout: expected one of contiguous, transposed, strided, reversed, unaligned, found diagonal",)),
        (("threads=1", "threads=3"), ("threads: expected one of 1, 2, found 3",)),
    ):
        message = fails(CaseError, parse, good.replace(*change))
        assert all(word in message for word in words), (change, message)
    assert "groups: expected a divisor" in fails(CaseError, parse,
                                                 "conv2d_grouped batch=1 channels=6 filters=6 image=9 kernel=3 stride=1 padding=1 groups=4 threads=1")
    assert "a window that fits" in fails(CaseError, parse, "conv2d batch=1 channels=6 filters=6 image=2 kernel=7 stride=1 padding=0 threads=1")


def case_worker():
    """cliffs: if the worker process ends or takes too long, the case is a failure, and the next case has a new process"""
    case = drawn("softmax", 1, 0, TINY)
    worker = Worker(os.path.join(os.path.dirname(LIBRARY), "libnone.so"), MACHINE)
    record = worker.record(case)
    assert record["name"] == case.line and record["kind"] == "case" and "ended with status 1" in record["failure"] and "libnone.so" in record["failure"], record
    assert "libnone.so" in worker.record(case)["failure"]
    worker = Worker(LIBRARY, MACHINE, longest=0.001)
    assert "no result after 0.001 s" in worker.record(case)["failure"]


if __name__ == "__main__":
    sys.exit(cases.run(cases.of(sys.modules[__name__]), __file__))
