#!/usr/bin/env python3
"""Writes docs/performance.md and its pictures from the JSON lines of `./dev bench --json FILE`.

usage: document.py FILE --machine TEXT [--docs DIRECTORY]

Every row is in a table, by group (the first part of its name). A missed goal stands there with the reason that bench/reasons.json gives for
it, by a regular expression over names: a miss without a reason ends this program, and so does a reason that matches no row, so that the
page cannot say less or more than was measured.
"""
import argparse
import html
import json
import pathlib
import re
import sys

TITLES = {
    "compile": "Compiling", "call": "Calls", "chain": "Chains of elementwise operations", "function": "Functions", "reduce": "Reductions",
    "scan": "Scans", "transpose": "Transposes", "sort": "Sorting", "fft": "Fourier transforms", "contract": "Sums of products",
    "conv": "Convolutions", "rowwise": "Operations on rows", "tune": "What tuning gains",
}
BAR, LABEL, LINE, MOST = 400, 300, 18, 2.0  # pixels of a bar that just meets its goal times MOST; of a name; of a row; of a goal


def read(path):
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    groups = {}
    for row in rows:
        groups.setdefault(row["name"].split(".")[0], []).append(row)
    return groups


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def score(row):
    """How much of its goal a row reaches: 1 meets it. None: it has no goal, or was not measured."""
    subject = re.fullmatch(r"(ratio|value)(>=|<=)([0-9.]+)", row["goal"])
    if not subject:
        return None
    measured, bound = row["ratio"] if subject[1] == "ratio" else row["value"], float(subject[3])
    if not measured:
        return None
    return measured / bound if subject[2] == ">=" else bound / measured


def picture(title, rows):
    """Bars as long as what a row reaches of its goal; the line is the goal."""
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


def reason_of(row, reasons):
    found = [text for pattern, text in reasons.items() if re.fullmatch(pattern, row["name"])]
    if not found:
        sys.exit(f'{row["name"]} misses its goal, and bench/reasons.json does not say why')
    return found[0]


def table(rows, reasons):
    lines = ["| row | harp | peer | | ratio | goal | |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        if row["ok"] is None:
            end = ""
        elif row["ok"]:
            end = "met"
        else:
            end = "**missed**: " + reason_of(row, reasons)
        lines.append(f'| {row["name"]} | {number(row["value"])} {row["unit"]} | {row["peer"] or ""} | {number(row["peer_value"])} '
                     f'| {number(row["ratio"])} | {row["goal"]} | {end} |')
    return "\n".join(lines)


def document(groups, machine, reasons, pictures):
    rows = [row for group in groups.values() for row in group]
    unused = [pattern for pattern in reasons if not any(re.fullmatch(pattern, row["name"]) for row in rows)]
    if unused:
        sys.exit("bench/reasons.json has reasons for no row: " + ", ".join(unused))

    def met(some):
        return f'{sum(row["ok"] is True for row in some)} of {sum(row["ok"] is not None for row in some)}'

    text = ["# Performance", "",
            "Measured by `./dev bench --json FILE`; this page and its pictures were written from that file by",
            "`bench/document.py FILE --machine TEXT`. harp and its peer ran turn and turn about in one run, on one thread; a ratio of 2 is twice",
            "as fast as the peer. Goals are those of `bench/goals.json`, a miss is a miss.", "",
            f"Machine: {machine}", "", f"Goals met: {met(rows)}", "", "| group | goals met |", "|---|---|"]
    text += [f"| [{TITLES.get(name, name)}](#{name}) | {met(group)} |" for name, group in groups.items()]
    for name, group in groups.items():
        title = TITLES.get(name, name)
        text += ["", f'<a id="{name}"></a>', f"## {title}", ""]
        if any(score(row) is not None for row in group):
            pictures[name] = picture(title, group)
            text += [f"![{title}](performance/{name}.svg)", ""]
        text.append(table(group, reasons))
    return "\n".join(text) + "\n"


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--machine", required=True, help="processor, cache sizes, compiler")
    parser.add_argument("--docs", type=pathlib.Path, default=here.parent / "docs")
    parser.add_argument("--reasons", type=pathlib.Path, default=here / "reasons.json")
    arguments = parser.parse_args()
    pictures = {}
    page = document(read(arguments.file), arguments.machine, json.loads(arguments.reasons.read_text()), pictures)
    folder = arguments.docs / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures.items():
        (folder / f"{name}.svg").write_text(svg)
    (arguments.docs / "performance.md").write_text(page)


if __name__ == "__main__":
    main()
