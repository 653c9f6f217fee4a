"""The last step of every generator: writes those files whose text has changed. With --check it only lists the files that would change."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(files):
    """`files` is {path: text}. With --check on the command line, writes nothing, and exits with 1 if a file would change."""
    changed = []
    for path, text in files.items():
        old = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        if old == text:
            continue
        changed.append(os.path.relpath(path, ROOT))
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if changed and "--check" in sys.argv[1:]:
        sys.exit(f"not up to date, run ./dev generate: {', '.join(changed)}")
