"""Tests that `./dev VERB --help` prints the list of verbs and does nothing else: it installs, builds and runs nothing. The verbs whose programs
have arguments of their own (bench, cliffs, fresh, rows) pass --help on to them and are not tested here."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERBS = ["build", "test", "demo", "plugins", "setup", "docs", "fmt", "lint", "asan", "tsan", "fuzz", "torture", "gpu", "golden", "generate"]


def dev(*arguments):
    return subprocess.run([os.path.join(ROOT, "dev"), *arguments], capture_output=True, text=True, timeout=60, check=False)


def main():
    usage = dev()
    assert usage.returncode == 0 and usage.stdout.startswith("usage: ./dev VERB"), usage
    for verb in VERBS:
        for option in ("-h", "--help"):
            result = dev(verb, option)
            assert result.returncode == 0 and result.stdout == usage.stdout, (verb, result)
    unknown = dev("no_such_verb")
    assert unknown.returncode == 2 and 'no verb "no_such_verb"' in unknown.stderr, unknown
    print(f"{len(VERBS)} verbs describe themselves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
