"""Checks that code does not test which machine it compiles for, but asks whether the machine has a capability.

Outside of src/base/machine.{h,cpp} no C++ source of the library may
- name a machine row (an entry of the machine table) or its architecture ("x86-64-v4", "aarch64", "armv8-a") in a string,
- infer the instruction set from a vector size: compare a machine's vector_bytes, or the size of a cache line, with a number,
- read a machine's name to decide something (printing the name, or using it in a key, is permitted),
- compare a GPU's compute capability with a number.
Besides, the steps of scheduling that all backends share must not include the headers with the schedules of one backend. In src/schedule
only expand.cpp may include these. Comments may name rows and CPUs, as may the tool's help, which lists the rows. Exits with the status 1
and one line for each mistake.

rows: C1.machines
"""
import os
import re
import sys

ROOT = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SRC = os.path.join(ROOT, "src")
MACHINE = {"base/machine.h", "base/machine.cpp"}

# Matches strings and comments of a C++ source. Raw strings contain generated text.
TOKEN = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/')
QUESTIONS = [
    (re.compile(r"\bvector_bytes\s*(?:[!=]=|[<>]=?)\s*(?:\d|k[A-Z])"), "compares vector_bytes with a number"),
    (re.compile(r"[!=]=\s*kLineBytes\b|(?<!% )\bkLineBytes\s*[!=]="), "compares a size with a cache line: ask is_whole_line()"),
    (re.compile(r"\b(?:target|machine|host\w*|level|row)(?:\(\))?\.name\s*(?:[!=]=|\.(?:starts_with|ends_with|find|contains))"),
     "decides by a machine's name"),
    (re.compile(r"\bcapability\s*(?:[!=]=|[<>]=?)\s*\d"), "decides by a compute capability"),
    (re.compile(r"\bmarch\s*(?:[!=]=|\.(?:starts_with|ends_with|find|contains))"), "decides by a compiler flag"),
    (re.compile(r"\bk?(?:Avx|AVX|Zen|Sse|Neon)\w*"), "is named after an instruction set or a CPU"),
]
ROW = re.compile(r'^"[^"]*\b(?:x86-64(?:-v\d)?|aarch64|armv8)\b')


def offences(path, text):
    """Returns (position, what is wrong) for each mistake in a source."""
    found = []

    def blank(match):
        token = match.group()
        if token.startswith('"') and path != "tool/main.cpp" and ROW.match(token):
            found.append((match.start(), f"names a machine row: {token}"))
        return re.sub(r"[^\n]", " ", token)

    code = TOKEN.sub(blank, text)
    for question, what in QUESTIONS:
        found += [(match.start(), f"{what}: {match.group()}") for match in question.finditer(code)]
    folder, name = os.path.split(path)
    if folder == "schedule" and name != "expand.cpp":
        found += [(match.start(), f"a shared step includes {match.group(1)}")
                  for match in re.finditer(r'#\s*include\s+"(schedule/\w+/[^"]+)"', text)]
    return found


def main():
    errors, count = [], 0
    for directory, _, names in os.walk(SRC):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(directory, name), SRC)
            if not name.endswith((".h", ".cpp", ".def", ".inc")) or path in MACHINE:
                continue
            with open(os.path.join(SRC, path), encoding="utf-8") as file:
                text = file.read()
            count += 1
            errors += [f"src/{path}:{text.count(chr(10), 0, at) + 1}: {what}" for at, what in offences(path, text)]
    # Checks that the patterns find a mistake in each of these texts.
    for path, text in (("a.cpp", "if (target.name.starts_with(prefix))"), ("a.cpp", "cpu.vector_bytes == 64"),
                       ("a.cpp", "width * size == kLineBytes"), ("a.cpp", 'row("x86-64-v4-one-load")'),
                       ("a.cpp", "constexpr int kAvx512Bytes = 64;"), ("a.cpp", "march.starts_with(prefix)"),
                       ("a.cpp", "gpu.capability >= 120"), ("schedule/fuse.cpp", '#include "schedule/cpu/tuning.h"')):
        if not offences(path, text):
            errors.append(f"the test does not find {text}")
    if count == 0:
        errors.append(f"found no source under {SRC}: is HARP_SOURCE_DIR right?")
    print("\n".join(errors) if errors else f"{count} sources ask for capabilities by name")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
