#!/usr/bin/env python3
"""Writes docs/performance.md and its pictures from the JSON lines of `./dev bench --json FILE`.

usage: document.py FILE --machine TEXT [--docs DIRECTORY] [--reasons FILE] [--lowered FILE]

Each JSON line is a row: one measurement. The rows of a group (the first part of a row's name) form a table. A missed goal is shown with its
reason from bench/harness/reasons.json, whose keys are regular expressions for names of rows. It is an error if a missed goal has no reason,
or if a reason matches no row. bench/harness/lowered_goals.json lists the goals that were lowered after they had been set: the rows, the old
goal, and the reason. The page shows these goals with the measurements, the number of goals that are met only because they were lowered, and
the number of rows whose goal was removed.
"""
import argparse
import html
import json
import math
import pathlib
import re
import sys

TITLES = {
    "compile": "Compiling", "call": "Calls", "front": "Front ends", "memory": "Memory that a context keeps", "cancel": "Cancelled runs", "chain": "Chains of elementwise operations", "function": "Functions", "reduce": "Reductions",
    "scan": "Scans", "transpose": "Transposes", "sort": "Sorting", "fft": "Fourier transforms", "contract": "Matrix products and einsum",
    "conv": "Convolutions", "rowwise": "Operations on rows", "job": "Whole jobs", "interpreter": "Slowdown of the interpreter against compiled code",
    "scale": "Time against size", "tune": "What tuning gains", "custom": "Custom functions",
    "short": "Rows of a few elements", "unknown": "Rows of unknown length", "gpu": "On a GPU",
}
# In pixels: the longest bar, the width of a row's name, the height of a row. MOST: the ratio of measurement to goal at which a bar is cut
# off.
BAR, LABEL, LINE, MOST = 400, 300, 18, 2.0


def read(path):
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    groups = {}
    for row in rows:
        groups.setdefault(row["name"].split(".")[0], []).append(row)
    return groups


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def score(row, goal=None):
    """Returns the ratio of the measurement to `goal`, or to the row's goal; 1 or more meets the goal. If the goal has several parts,
    this is the least of their ratios. Returns None if there is no goal or no measurement."""
    reached = []
    for part in (goal or row["goal"]).split(","):
        subject = re.fullmatch(r"(ratio|value)(>=|<=)([0-9.]+)", part)
        measured = subject and (row["ratio"] if subject[1] == "ratio" else row["value"])
        if not measured:
            return None
        reached.append(measured / float(subject[3]) if subject[2] == ">=" else float(subject[3]) / measured)
    return min(reached)


def picture(title, rows):
    """Returns a bar chart as SVG: the length of a bar is the ratio of measurement to goal, and the dashed line marks a ratio of 1."""
    drawn = [(row, score(row)) for row in rows]
    drawn = [(row, reached) for row, reached in drawn if reached is not None]
    height, width = LINE * len(drawn) + 40, LABEL + BAR + 60
    goal = LABEL + BAR / MOST
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="8" y="18" font-size="14">{html.escape(title)}: measured / goal</text>']
    for i, (row, reached) in enumerate(drawn):
        y = 30 + LINE * i
        length = min(reached, MOST) * BAR / MOST
        parts.append(f'<text x="{LABEL - 8}" y="{y + 13}" text-anchor="end">{html.escape(row["name"])}</text>')
        parts.append(f'<rect x="{LABEL}" y="{y + 2}" width="{length:.1f}" height="{LINE - 4}" fill="{"#4477aa" if row["ok"] else "#ee8866"}"/>')
        parts.append(f'<text x="{LABEL + length + 4:.1f}" y="{y + 13}">{reached:.2f}</text>')
    parts.append(f'<line x1="{goal}" y1="26" x2="{goal}" y2="{height - 6}" stroke="black" stroke-dasharray="4 3"/></svg>')
    return "\n".join(parts) + "\n"


COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#000000", "#994400", "#44aa99", "#882255", "#999933",
           "#004488", "#ddaa33", "#bb5566", "#555555"]


def curves_of(rows):
    """Returns the rows called GROUP.OPERATION.N as {operation: {n: row}}, and a list of all other rows."""
    curves, others = {}, []
    for row in rows:
        name, _, n = row["name"].partition(".")[2].rpartition(".")
        if n.isdigit() and row["unit"] in ("us", "ms"):
            curves.setdefault(name, {})[int(n)] = row
        else:
            others.append(row)
    return curves, others


def microseconds(row):
    return row["value"] * (1000 if row["unit"] == "ms" else 1)


def line_picture(title, curves):
    """Returns a log-log plot of time against n as SVG. The dashed lines show times proportional to n."""
    width, height, left, top = 700, 460, 60, 30
    xs = [math.log10(n) for curve in curves.values() for n in curve]
    ys = [math.log10(microseconds(row)) for curve in curves.values() for row in curve.values()]
    x_low, x_high, y_low, y_high = math.floor(min(xs)), math.ceil(max(xs)), math.floor(min(ys)), math.ceil(max(ys))

    def x_of(value):
        return left + (width - left) * (value - x_low) / (x_high - x_low)

    def y_of(value):
        return top + height - height * (value - y_low) / (y_high - y_low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 140}" height="{height + 60}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width + 140}" height="{height + 60}" fill="white"/>',
             f'<text x="8" y="18" font-size="14">{html.escape(title)}: seconds against n</text>']
    for x in range(x_low, x_high + 1):
        parts.append(f'<line x1="{x_of(x):.1f}" y1="{top}" x2="{x_of(x):.1f}" y2="{top + height}" stroke="#dddddd"/>'
                     f'<text x="{x_of(x):.1f}" y="{top + height + 18}" text-anchor="middle">1e{x}</text>')
    for y in range(y_low, y_high + 1):
        parts.append(f'<line x1="{left}" y1="{y_of(y):.1f}" x2="{width}" y2="{y_of(y):.1f}" stroke="#dddddd"/>'
                     f'<text x="{left - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end">1e{y - 6} s</text>')
    for y in range(y_low - (x_high - x_low), y_high):  # draws lines for times proportional to n
        first, last = max(0, y_low - y), min(x_high - x_low, y_high - y)
        if first < last:
            parts.append(f'<line x1="{x_of(x_low + first):.1f}" y1="{y_of(y + first):.1f}" x2="{x_of(x_low + last):.1f}" '
                         f'y2="{y_of(y + last):.1f}" stroke="#cccccc" stroke-dasharray="3 4"/>')
    for i, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(f"{x_of(math.log10(n)):.1f},{y_of(math.log10(microseconds(row))):.1f}" for n, row in sorted(curve.items()))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{width + 12}" y="{top + 14 + LINE * i}" fill="{colour}">{html.escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def curve_table(curves):
    columns = sorted({n for curve in curves.values() for n in curve})
    lines = ["| microseconds, n = | " + " | ".join(str(n) for n in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, curve in curves.items():
        lines.append(f"| {name} | " + " | ".join(number(microseconds(curve[n])) if n in curve else "" for n in columns) + " |")
    return "\n".join(lines)


def reason_of(row, reasons):
    found = [text for pattern, text in reasons.items() if re.fullmatch(pattern, row["name"])]
    if not found:
        sys.exit(f'{row["name"]} misses its goal, and bench/harness/reasons.json has no reason for it')
    return found[0]


def table(rows, reasons):
    """Returns a Markdown table of the rows, with a column for harp's greatest error if any row has such an error."""
    has_errors = any(row.get("max_ulp") is not None for row in rows)
    columns = ["row", "harp", *(["max ulp"] if has_errors else []), "peer", "", "ratio", "goal", ""]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        if row["ok"] is None:
            end = ""
        elif row["ok"]:
            end = "met"
        else:
            end = "**missed**: " + reason_of(row, reasons)
        error = [number(row.get("max_ulp"))] if has_errors else []
        cells = [row["name"], f'{number(row["value"])} {row["unit"]}', *error, row["peer"] or "", number(row["peer_value"]), number(row["ratio"]),
                 row["goal"], end]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def lowered_goals(rows, lowered):
    """Returns the lines of the table of lowered goals, the number of rows that meet the lowered goal but not the old one, and the number
    of rows whose goal was removed."""
    lines, helped, without = ["| row | ratio or value | goal | old goal | | why |", "|---|---|---|---|---|---|"], 0, 0
    for entry in lowered:
        found = [row for row in rows if re.fullmatch(entry["rows"], row["name"])]
        if not found:
            sys.exit(f'bench/harness/lowered_goals.json: no row matches {entry["rows"]}')
        for row in found:
            meets = (score(row, entry["was"]) or 0) >= 1
            helped += row["ok"] is True and not meets
            without += row["ok"] is None
            measured = number(row["value"]) + " " + row["unit"] if entry["was"].startswith("value") else number(row["ratio"])
            lines.append(f'| {row["name"]} | {measured} | {row["goal"]} | {entry["was"]} | {"also met" if meets else "not met"} '
                         f'| {entry["why"]} |')
    return lines, helped, without


# The section of the page about bench/cliffs, which measures randomly drawn programs.
CLIFFS = """<a id="cliffs"></a>
## Programs that harp was not tuned for

harp was tuned on the programs of this page. `./dev cliffs --seed N --minutes M` measures others, to find those that are unexpectedly slow. It
draws programs from every family of operations and from composites (small networks and their gradients, stencils, k-means, sparse products
...), with the shapes, dtypes and layouts of users' programs and one or two threads, until the time is over. Each case runs with symbolic
sizes, with numbers instead of them, and as NumPy, PyTorch and a plain C loop (`gcc -O3 -march=native`) in the same process, in interleaved
rounds. A case whose results differ has failed.

The score of a case is its speed relative to the best peer; a case that reaches 0.9 of the roofline (bytes ÷ bandwidth or operations ÷ peak,
both measured in the run) counts as at least 1, and a case without peers is compared with 0.9 of the roofline. Because a C loop is called
directly, the least time that any call of harp takes is added to the loop's time, and to the roofline's time if there are no peers. For each family the report has the distribution of the scores, the speed relative to the roofline, the speed with symbolic sizes
relative to that with numbers, the speed with a workspace of harp's relative to that with a workspace of the caller's, and memory and time of
the compilation. The worst cases are lines that `./dev cliffs --replay 'LINE'` measures again; it also prints their graphs. `--json FILE` writes
the records to FILE instead of a file in `build/cliffs`, and `./dev cliffs --compare OLD.json NEW.json` compares the cases of two runs with the
same seed. A picture, `FILE` with the ending `.svg`, has a row for each family and in it a dot for each case, at its speed relative to the best
peer and in that peer's colour. `--compare OLD.json NEW.json --picture FILE.svg` draws both runs. `--family NAME`
restricts the sweep to a family, `--list` names the families.

The C loops are what a C programmer writes without a library: sorting by `qsort`, the greatest numbers in a short sorted list, Fourier
transforms of lengths that are powers of two by radix 2, products of matrices and networks as nested loops over rows. There is none for Fourier
transforms of other lengths, for bf16, and for a few operations such as linear interpolation.

Goals: of each family the 5th percentile of the score is at least 0.5 and the median at least 1.0; the speed with symbolic sizes ÷ that with
numbers is at least 0.9 at the median and 0.5 anywhere; at most five cases are more than four times slower than their best peer; no case fails.

![Programs that harp was not tuned for, before and after](performance/cliffs.svg)

The picture has one sweep (`--seed 3503073824 --minutes 9`, two cores of an AMD server CPU with AVX2) twice: before the work on such programs
(commit 69d7d7f6, 27 November 2026, grey) and after it (commit 7472d2cc, 1 December 2026). Before, 121 of 170 goals were met, 4 cases failed,
and 21 were more than four times slower than their best peer; after it, 157 of 172 goals were met, and no case failed or was as slow as that.
At the right is the memory: of each family the greatest workspace, and the greatest growth of the resident memory in the first run."""


def document(groups, machine, reasons, lowered, pictures):
    rows = [row for group in groups.values() for row in group]
    unused = [pattern for pattern in reasons if not any(re.fullmatch(pattern, row["name"]) for row in rows)]
    if unused:
        sys.exit("bench/harness/reasons.json: no row matches " + ", ".join(unused))

    def met(some):
        return f'{sum(row["ok"] is True for row in some)} of {sum(row["ok"] is not None for row in some)}'

    lowered_lines, helped, without = lowered_goals(rows, lowered)
    dropped = f"; {without} rows no longer have a goal" if without else ""
    lowered_note = f", {helped} of them only because the goal was lowered{dropped} (end of this page)" if lowered else ""
    text = ["# Performance", "",
            "`./dev bench --json FILE` measured these rows; `bench/harness/document.py FILE --machine TEXT` wrote this page and its pictures from",
            "FILE. In each row harp and its peer alternate within one run, on one thread, or on two threads if the name has `threads2`. A ratio of 2",
            "means that harp is twice as fast as the peer. A goal is a bound of the ratio or, as `value`, of harp's number (`bench/harness/goals.json`).",
            "A missed goal is followed by its reason.", "",
            f"Machine: {machine}", "", f"Goals met: {met(rows)}{lowered_note}", "", "| group | goals met |", "|---|---|"]
    text += [f"| [{TITLES.get(name, name)}](#{name}) | {met(group)} |" for name, group in groups.items()]
    text += ["", CLIFFS]
    for name, group in groups.items():
        title = TITLES.get(name, name)
        text += ["", f'<a id="{name}"></a>', f"## {title}", ""]
        if any(score(row) is not None for row in group):
            pictures[name] = picture(title, group)
            text += [f"![{title}](performance/{name}.svg)", ""]
        if name == "scale":
            curves, group = curves_of(group)
            pictures["scale.curves"] = line_picture(title, curves)
            text += ["![time against n](performance/scale.curves.svg)", "", curve_table(curves), ""]
        text.append(table(group, reasons))
    if lowered:
        text += ["", "## Goals that were lowered", "", *lowered_lines]
    return "\n".join(text) + "\n"


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--machine", required=True, help="processor, cache sizes, compiler")
    parser.add_argument("--docs", type=pathlib.Path, default=here.parent.parent / "docs")
    parser.add_argument("--reasons", type=pathlib.Path, default=here / "reasons.json")
    parser.add_argument("--lowered", type=pathlib.Path, default=here / "lowered_goals.json")
    arguments = parser.parse_args()
    pictures = {}
    page = document(read(arguments.file), arguments.machine, json.loads(arguments.reasons.read_text()),
                    json.loads(arguments.lowered.read_text()), pictures)
    folder = arguments.docs / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures.items():
        (folder / f"{name}.svg").write_text(svg)
    (arguments.docs / "performance.md").write_text(page)


if __name__ == "__main__":
    main()
