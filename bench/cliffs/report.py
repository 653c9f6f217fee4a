"""Reads and writes records as JSON lines, prints the distributions and the goals of a sweep, and compares two sweeps.

A record has the fields of ./dev bench (name, value, unit, peer, peer_value, ratio, goal, ok). The record of a case also has the columns of
the sweep: score, roofline, symbolic ... (measure.py). The goals of a sweep are computed from its cases and have records of their own.
"""
import json
import math

FIELDS = ("name", "value", "unit", "peer", "peer_value", "ratio", "goal", "ok")
WORST = 20
# goal: at most 5 benchmarks (cases) are more than 4 times slower in harp than in the fastest of NumPy, torch and a C loop
TOO_SLOW, MOST_TOO_SLOW = 4, 5


class ReportError(ValueError):
    """Raised if a file does not contain the records of a sweep."""


def read(path):
    """Reads the records of a file of JSON lines."""
    try:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.strip()]
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ReportError(f"{path}: expected JSON lines of ./dev cliffs --json, found text that is no JSON: {error}") from None
    for record in records:
        if not isinstance(record, dict) or not set(FIELDS) | {"kind"} <= set(record):
            raise ReportError(f"{path}: expected records with {', '.join(FIELDS)} and kind, found {json.dumps(record)[:200]}")
    return records


def percentile(values, part):
    """Returns the value below which the share `part` of the values lies (0.5: the median), interpolated between the two nearest values."""
    values = sorted(values)
    at = part * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def cases_of(records):
    return [record for record in records if record["kind"] == "case"]


def compared(records):
    return [record for record in cases_of(records) if record["failure"] is None]


def by_family(cases):
    found = {}
    for case in cases:
        found.setdefault(case["family"], []).append(case)
    return dict(sorted(found.items()))


def _goal(name, value, goal, unit="score"):
    bound = float(goal[len("value>="):])
    ok = None if value is None else value >= bound if ">=" in goal else value <= bound
    return {"name": name, "value": value, "unit": unit, "peer": None, "peer_value": None, "ratio": None, "goal": goal, "ok": ok, "kind": "goal"}


def goals(records):
    """Returns the goals of the sweep as records. The value of a goal that applies to no case is None."""
    cases, found = compared(records), []
    for family, members in by_family(cases).items():
        scores = [case["score"] for case in members]
        found += [_goal(f"goal.{family}.p5", percentile(scores, 0.05), "value>=0.5"), _goal(f"goal.{family}.median", percentile(scores, 0.5), "value>=1.0")]
    symbolic = [case["symbolic"] for case in cases if case["symbolic"] is not None]
    found += [_goal("goal.symbolic.median", percentile(symbolic, 0.5) if symbolic else None, "value>=0.9"),
              _goal("goal.symbolic.worst", min(symbolic, default=None), "value>=0.5"),
              _goal("goal.too_slow", sum(case["ratio"] is not None and case["ratio"] < 1 / TOO_SLOW for case in cases), f"value<={MOST_TOO_SLOW}", "cases"),
              _goal("goal.failed", len(cases_of(records)) - len(cases), "value<=0", "cases")]
    return found


def machine_records(machine, sizes):
    """Returns the measured limits of the machine (machine.py) and the time of a call of harp as records."""
    found = []
    for kind, entries in machine.items():
        for threads, rates in entries.items():
            for size, rate in zip(sizes, rates) if isinstance(rates, list) else [(None, rates)]:
                value, unit = (rate * 1e9, "ns") if kind == "call" else (rate / 1e9, "GB/s" if size else "GFLOP/s")
                found.append({"name": f"machine.{kind}{f'.{size}' if size else ''}.threads{threads}", "value": value, "unit": unit, "peer": None,
                              "peer_value": None, "ratio": None,
                              "goal": "information", "ok": None, "kind": "machine"})
    return found


def _number(value):
    return "" if value is None else f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(head, rows):
    """Returns a table as text; the first column is aligned to the left, the others to the right."""
    rows = [head, *[[cell if isinstance(cell, str) else _number(cell) for cell in row] for row in rows]]
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def _median(cases, column):
    values = [case[column] for case in cases if case.get(column) is not None]
    return percentile(values, 0.5) if values else None


def distributions(records):
    """Returns a table with a line for each family of benchmarks: the number of its benchmarks (cases), the distribution of their scores,
    and medians or extremes of the other columns."""
    rows = []
    for family, members in by_family(cases_of(records)).items():
        good = [case for case in members if case["failure"] is None]
        scores = [case["score"] for case in good]
        spread = [percentile(scores, part) for part in (0.05, 0.25, 0.5, 0.75)] if scores else [None] * 4
        symbolic = [case["symbolic"] for case in good if case["symbolic"] is not None]
        megabytes = max((case["workspace_bytes"] / 1e6 for case in good), default=None)
        resident = max((case["resident_bytes"] / 1e6 for case in good if case["resident_bytes"] is not None), default=None)
        rows.append([family, str(len(good)), str(len(members) - len(good)), *spread, _median(good, "roofline"), _median(good, "symbolic"),
                     min(symbolic, default=None),
                     _median(good, "workspace"), megabytes, resident, _median(good, "compile_ms"), _median(good, "compile_symbolic_ms")])
    return table(["family", "cases", "failed", "p5", "p25", "median", "p75", "roofline", "symbolic", "its worst", "workspace", "workspace MB", "resident MB",
                  "compile ms", "symbolic ms"], rows)


def worst(records, count=WORST):
    """Returns replay lines as text: first those of the cases with the least scores, then those of the cases whose program is most slowed
    down by symbolic sizes, compared with the specialised form."""
    cases = compared(records)
    lines = [f"{_number(case['score'])} of {case['peer'] or 'the roofline'}, {_number(case['value'])} us: ./dev cliffs --replay '{case['name']}'"
             for case in sorted(cases, key=lambda case: case["score"])[:count] if case["score"] < 1]
    symbolic = sorted((case for case in cases if case["symbolic"] is not None and case["symbolic"] < 0.5), key=lambda case: case["symbolic"])[:count]
    text = "\n".join(["", f"The worst {len(lines)} against their best peer:", *lines])
    if symbolic:
        text += "\n".join(["\n", f"The worst {len(symbolic)} with symbolic sizes, relative to the specialised form:",
                           *(f"{_number(case['symbolic'])}, {_number(case['symbolic_us'])} us: ./dev cliffs --replay '{case['name']}'" for case in symbolic)])
    return text


def failures(records):
    failed = [case for case in cases_of(records) if case["failure"] is not None]
    lines = [f"./dev cliffs --replay '{case['name']}'\n    " + case["failure"].replace("\n", "\n    ") for case in failed]
    return "\n".join(["", f"Failed ({len(failed)}):", *lines]) if failed else ""


def absences(records):
    """Returns as text how many benchmarks (cases) NumPy, torch and the C loop each cannot do, and the reasons."""
    reasons = {}
    for case in compared(records):
        for peer, reason in case["absent"].items():
            reasons.setdefault((peer, reason[:60]), []).append((case["name"], reason))
    lines = [f"{peer}, {len(found)} cases, such as '{found[0][0]}': {found[0][1]}" for (peer, _),
             found in sorted(reasons.items(), key=lambda item: -len(item[1]))]
    return "\n".join(["", "Peers that are absent:", *lines]) if lines else ""


def summary(records):
    """Returns the whole report of a sweep as text."""
    cases = cases_of(records)
    rows = [[goal["name"], goal["value"], goal["goal"], {True: "met", False: "missed",
                                                         None: "no case"}[goal["ok"]]] for goal in records if goal["kind"] == "goal"]
    head = ("score: 1 reaches the best peer or 0.9 of the roofline. symbolic: speed with symbolic sizes ÷ specialised. "
            "workspace: speed without ÷ with the caller's workspace.")
    missed = [row for row in rows if row[3] != "met"]
    met = f"Goals met: {len(rows) - len(missed)} of {len(rows)}" + (", all but:\n" + table(["goal", "value", "wanted", ""], missed) if missed else "")
    return "\n".join([f"{len(cases)} cases of {len(by_family(cases))} families", head, "", distributions(records), worst(records), failures(records),
                      absences(records), "", met])


def single(record):
    """Returns the result of one case as text: all times, then the other columns."""
    if record["failure"] is not None:
        return f"failed: {record['failure']}"
    times = {"harp": record["value"], "harp, symbolic sizes": record["symbolic_us"], **record["peers"]}
    rows = [[name, value, value / record["value"]] for name, value in times.items() if value is not None]
    columns = ("score", "roofline", "symbolic", "workspace", "workspace_bytes", "resident_bytes", "compile_ms", "compile_symbolic_ms", "kernels")
    return "\n".join([table(["", "us", "÷ harp"], rows), "", *(f"{name}: {_number(record[name]) or 'none'}" for name in columns),
                      *(f"{peer} is absent: {reason}" for peer, reason in record["absent"].items())])


def comparison(old, new):
    """Returns a comparison of two sweeps as text, for the benchmarks (cases) that are in both: for each family of benchmarks the change of
    harp's speed relative to the fastest of NumPy, torch and a C loop, then the cases that changed most."""
    before = {case["name"]: case for case in compared(old)}
    pairs = [(before[case["name"]], case) for case in compared(new) if case["name"] in before]
    if not pairs:
        raise ReportError("the two files have no case in common: they need the same seed")
    gains = {}
    for first, second in pairs:
        both = first["ratio"] is not None and second["ratio"] is not None
        gains[second["name"]] = (second["ratio"] / first["ratio"] if both else first["value"] / second["value"], first, second)
    rows = []
    for family, members in by_family([second for _, second in pairs]).items():
        of_family = [gains[case["name"]] for case in members]
        rows.append([family, str(len(members)), *(percentile([gain for gain, _, _ in of_family], part) for part in (0.05, 0.5, 0.95)),
                     percentile([first["score"] for _, first, _ in of_family], 0.5), percentile([second["score"] for _, _, second in of_family], 0.5),
                     percentile([first["score"] for _, first, _ in of_family], 0.05), percentile([second["score"] for _, _, second in of_family], 0.05)])
    ordered = sorted(gains.items(), key=lambda item: item[1][0])
    changed = [f"{_number(gain)}: score {_number(first['score'])} to {_number(second['score'])}: ./dev cliffs --replay '{name}'" for name,
               (gain, first, second) in ordered]
    broken = [second["name"] for second in cases_of(new) if second["failure"] is not None and second["name"] in before]
    return "\n".join([f"{len(pairs)} cases in both; {len(cases_of(old)) - len(pairs)} only in the first, {len(cases_of(new)) - len(pairs)} only in the second",
                      "gain: harp's speed relative to its best peer, second file ÷ first", "",
                      table(["family", "cases", "gain p5", "gain median", "gain p95", "median before", "after", "p5 before", "after"], rows),
                      "", "Slower:", *[line for line in changed[:WORST] if float(line.split(":")[0]) < 1], "", "Faster:",
                      *[line for line in changed[::-1][:WORST] if float(line.split(":")[0]) > 1],
                      *(["", "Failed now:", *(f"./dev cliffs --replay '{name}'" for name in broken)] if broken else [])])
