"""./dev cliffs: programs that nobody tuned for, compared with NumPy, torch and a plain C loop.

Draws cases from all families, one of each in a round, in an order that the seed determines. The sweep ends with the case that is running
when the given time is over. A family has the same cases under the same seed, whatever the number of cases and the other families are. Exit
status: 0; 1 if a case failed; 3 if no case failed and a goal is missed; 2 for a mistake in the arguments.
"""
import argparse
import json
import os
import random
import re
import sys
import time

import families  # noqa: F401  pylint: disable=unused-import
import machine
import picture
import report
from case import FAMILIES, THREADS, CaseError, drawn, parse, text_of
from library import HarpError, Library
from measure import call_seconds
from peers import ROOT, Absent, Compiler, clock
from worker import LONGEST, Worker

FAILED, WRONG_ARGUMENTS, GOAL_MISSED = 1, 2, 3


def order(seed, names):
    """Yields pairs (name of a family of benchmarks, number of the benchmark) without end. A round has every family once, in random
    order."""
    number = 0
    while True:
        names = sorted(names)
        random.Random(f"{seed} order {number}").shuffle(names)
        for name in names:
            yield name, number
        number += 1


def _seed(text):
    if not re.fullmatch(r"\d{1,18}", text):
        raise argparse.ArgumentTypeError(f'expected a whole number of at most 18 digits, found "{text}"')
    return int(text)


def _minutes(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= 10000:
        raise argparse.ArgumentTypeError(f'expected a number of minutes above 0 and at most 10000, found "{text}"')
    return value


def _family(text):
    if text not in FAMILIES:
        raise argparse.ArgumentTypeError(f'expected one of {", ".join(sorted(FAMILIES))}; found "{text}"')
    return text


def arguments(argv):
    parser = argparse.ArgumentParser(prog="./dev cliffs", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=_seed, default=1, help="which cases (default 1)")
    parser.add_argument("--minutes", type=_minutes, default=10.0, help="the time box (default 10)")
    parser.add_argument("--json", metavar="FILE", help="write the records there as JSON lines, each when it is there; a picture of them beside it, as .svg")
    parser.add_argument("--family", type=_family, action="append", metavar="NAME", help="only this family; may be repeated")
    parser.add_argument("--check", action="store_true", help="only looks for mistakes in the arguments")
    parser.add_argument("--list", action="store_true", help="names the families")
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--replay", metavar="LINE", help="one case of a report, with its graphs")
    alone.add_argument("--compare", nargs=2, metavar=("OLD.json", "NEW.json"), help="two runs of the same seed")
    parser.add_argument("--picture", metavar="FILE.svg", help="with --compare: draw the ratios and the memory of both runs there")
    options = parser.parse_args(argv)
    if options.picture and not options.compare:
        parser.error("argument --picture: expected --compare OLD.json NEW.json with it")
    return options


def library_path():
    return os.path.join(os.environ.get("HARP_BUILD_DIR", ROOT / "build" / "release"), "libharp.so")


def replay(line, worker, found):
    case = parse(line)
    problem = case.problem()
    print(f"{case.line}\n\n{text_of(problem, False)}")
    if problem.sizes:
        print(f"{text_of(problem, True)}")
    record = worker.record(case)
    print(report.single(record))
    return [record, *found]


def sweep(options, end, worker, write):
    """Measures cases until the clock reaches `end`, and returns their records."""
    records = []
    for name, number in order(options.seed, options.family or list(FAMILIES)):
        if time.monotonic() >= end:
            return records
        record = worker.record(drawn(name, options.seed, number))
        write(record)
        records.append(record)
        if sys.stderr.isatty():
            print(f"\r{len(records)} cases, {max(0, end - time.monotonic()):.0f} s left ", end="", file=sys.stderr, flush=True)
    return records


def run(options):
    if options.list:
        print("\n".join(f"{name}: {(family.make.__doc__ or '').strip().splitlines()[0]}" if family.make.__doc__ else name for name,
                        family in sorted(FAMILIES.items())))
        return 0
    if options.compare:
        old, new = (report.read(path) for path in options.compare)
        print(report.comparison(old, new))
        if options.picture:
            with open(options.picture, "w", encoding="utf-8") as file:
                file.write(picture.svg_of_two(old, new, os.path.splitext(os.path.basename(options.picture))[0]))
        return 0
    if options.replay is not None:
        parse(options.replay)  # reports a mistake in the replay line before anything is measured
    if options.check:
        return 0
    end, path = time.monotonic() + 60 * options.minutes, library_path()
    library = Library(path)
    described = library.describe()
    file = open(options.json, "w", encoding="utf-8") if options.json else None  # pylint: disable=consider-using-with
    compiler = Compiler()
    timer = clock(compiler)
    limits = {**machine.measured(timer), "call": dict.fromkeys(THREADS, call_seconds(library, timer))}
    records = report.machine_records(limits, machine.SIZES)

    def write(record):
        if file:
            file.write(json.dumps(record) + "\n")
            file.flush()

    # The time limit of the sweep does not apply to a replayed case, so that case may take longer.
    worker = Worker(path, limits, LONGEST if options.replay is None else 10 * LONGEST)
    try:
        for record in records:
            write(record)
        if options.replay is not None:
            records = replay(options.replay, worker, records)
            write(records[0])
        else:
            records += sweep(options, end, worker, write)
            made = report.goals(records)
            for goal in made:
                write(goal)
            records += made
            title = f"harp {described.get('version', '')}, {described.get('target', '')}, seed {options.seed}, {options.minutes:g} minutes"
            print(f"{title}\n{report.summary(records)}")
            if options.json:
                drawn_to = os.path.splitext(options.json)[0] + ".svg"
                with open(drawn_to, "w", encoding="utf-8") as drawn_file:
                    drawn_file.write(picture.svg(records, title))
                print(f"\nThe ratios of all cases as a picture: {drawn_to}")
    finally:
        worker.close()
        if file:
            file.close()
    if any(case["failure"] is not None for case in report.cases_of(records)):
        return FAILED
    return GOAL_MISSED if any(record["ok"] is False for record in records) else 0


def main():
    try:
        return run(arguments(sys.argv[1:]))
    except (CaseError, report.ReportError, HarpError, Absent, OSError) as error:
        print(f"cliffs: {error}", file=sys.stderr)
        return WRONG_ARGUMENTS


if __name__ == "__main__":
    sys.exit(main())
