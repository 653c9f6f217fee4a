#!/usr/bin/env python3
"""Tests bench/harness/document.py with invented measurements: it requires a reason for every missed goal, and the page has every
measurement."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROWS = [
    {"name": "chain.copy", "value": 10.0, "unit": "GB/s", "peer": "memcpy", "peer_value": 8.0, "ratio": 1.25, "goal": "ratio>=1.0", "ok": True},
    {"name": "chain.exp", "value": 4.0, "unit": "GB/s", "peer": "loop <by hand>", "peer_value": 8.0, "ratio": 0.5, "goal": "ratio>=0.8", "ok": False},
    {"name": "call.overhead", "value": 120.0, "unit": "ns", "peer": None, "peer_value": None, "ratio": None, "goal": "value<=100", "ok": False},
    {"name": "scale.sum.10", "value": 0.5, "unit": "us", "peer": None, "peer_value": None, "ratio": None, "goal": "information", "ok": None},
    {"name": "scale.sum.1000", "value": 0.05, "unit": "ms", "peer": None, "peer_value": None, "ratio": None, "goal": "information", "ok": None},
    {"name": "scale.sum.step", "value": 1.0, "unit": "x", "peer": "at 1000", "peer_value": None, "ratio": None, "goal": "value<=1.5", "ok": True},
    {"name": "function.sin", "value": 0.3, "unit": "ns", "peer": "a table", "peer_value": 0.6, "ratio": 2.0, "goal": "value<=0.6,ratio>=1.0", "ok": True, "max_ulp": 1.089},
    {"name": "function.silu", "value": 0.3, "unit": "ns", "peer": None, "peer_value": None, "ratio": None, "goal": "information", "ok": None, "max_ulp": None},
    {"name": "call.other", "value": 3.0, "unit": "ns", "peer": None, "peer_value": None, "ratio": None, "goal": "information", "ok": None},
]


def run(scratch, reasons, lowered=()):
    (scratch / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (scratch / "reasons.json").write_text(json.dumps(reasons))
    (scratch / "lowered.json").write_text(json.dumps(list(lowered)))
    return subprocess.run([sys.executable, HERE / "document.py", scratch / "rows.jsonl", "--machine", "an abacus", "--docs", scratch,
                           "--reasons", scratch / "reasons.json", "--lowered", scratch / "lowered.json"], capture_output=True, text=True, timeout=60)


def main():
    with tempfile.TemporaryDirectory(prefix="harp-document-") as name:
        scratch = pathlib.Path(name)
        result = run(scratch, {"chain.exp": "the function's price"})
        assert result.returncode != 0 and "call.overhead misses its goal" in result.stderr, result
        result = run(scratch, {".*": "reason", "nothing": "reason"})
        assert result.returncode != 0 and "reasons.json: no row matches nothing" in result.stderr, result
        result = run(scratch, {r"chain\.exp": "the function's price", r"call\..*": "slow beads"})
        assert result.returncode == 0, result
        page = (scratch / "performance.md").read_text()
        assert "Goals met: 3 of 5" in page and "an abacus" in page, page
        assert "| microseconds, n = | 10 | 1000 |" in page and "| sum | 0.50 | 50.0 |" in page, page
        for row in ROWS:
            assert row["name"].startswith("scale.sum.10") or f"| {row['name']} |" in page, row
        assert "ratio>=0.8 | **missed**: the function's price" in page and "value<=100 | **missed**: slow beads" in page, page
        assert "| row | harp | max ulp | peer |" in page and "| function.sin | 0.30 ns | 1.09 | a table | 0.60 | 2.00 |" in page, page
        assert "| function.silu | 0.30 ns |  |  |" in page and page.count("max ulp") == 1, page
        assert "lowered" not in page, page
        reasons = {r"chain\.exp": "the function's price", r"call\..*": "slow beads"}
        result = run(scratch, reasons, [{"rows": "chain.none", "was": "ratio>=2.0", "why": "beads"}])
        assert result.returncode != 0 and "lowered_goals.json: no row matches chain.none" in result.stderr, result
        result = run(scratch, reasons, [{"rows": "chain.copy", "was": "ratio>=1.5", "why": "wet beads"},
                                        {"rows": "scale.sum.step", "was": "value<=1.2", "why": "dry beads"}])
        assert result.returncode == 0, result
        page = (scratch / "performance.md").read_text()
        assert "Goals met: 3 of 5, 1 of them only because the goal was lowered" in page, page
        assert "| chain.copy | 1.25 | ratio>=1.0 | ratio>=1.5 | not met | wet beads |" in page, page
        assert "| scale.sum.step | 1.00 x | value<=1.5 | value<=1.2 | also met | dry beads |" in page, page
        result = run(scratch, reasons, [{"rows": r"call\.other", "was": "value<=2.0", "why": "a bead too many"}])
        assert result.returncode == 0, result
        page = (scratch / "performance.md").read_text()
        assert "0 of them only because the goal was lowered; 1 rows no longer have a goal" in page, page
        assert "| call.other | 3.00 ns | information | value<=2.0 | not met | a bead too many |" in page, page
        curves = xml.etree.ElementTree.parse(scratch / "performance" / "scale.curves.svg")
        assert [len(line.get("points").split()) for line in curves.iter("{http://www.w3.org/2000/svg}polyline")] == [2]
        bars = {}
        for picture in (scratch / "performance").iterdir():
            for element in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}rect"):
                bars.setdefault(picture.stem, []).append(element.get("width"))
        assert bars == {**{name: bars[name] for name in ("scale", "scale.curves")}, "chain": [bars["chain"][0], "250.0", "125.0"], "call": [bars["call"][0], "166.7"],
                        "function": [bars["function"][0], "400.0"]}, bars
    print("ok")


if __name__ == "__main__":
    main()
