"""Tests what `./dev fresh` takes from the README, and its messages if something is missing. (It does not make the runs of `./dev fresh`
themselves, which take an hour.)"""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run")

PAGE = """```sh
./one      # a word about it
./two
```
Text.
```c
int main(void);
```
```sh
NAME=value
echo before
cat example.c
```
```text
int main(void);
```
```harp
graph g() {}
```
```
no language
```
```sh
cat g.harp && echo $NAME
```
"""


def module():
    loader = importlib.machinery.SourceFileLoader("fresh_run", PROGRAM)
    fresh = importlib.util.module_from_spec(importlib.util.spec_from_loader("fresh_run", loader))
    loader.exec_module(fresh)
    return fresh


def check_steps():
    first, second, use = module().readme_steps(PAGE)
    assert (first.name, second.name) == ("./one", "./two"), (first, second)
    for script, status in ((use.script, 0), (use.script.replace("cat example.c", "echo other"), 1)):
        with tempfile.TemporaryDirectory(prefix="harp-fresh-") as scratch:
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=scratch, capture_output=True, text=True, check=False)
        assert result.returncode == status, result
        assert status or result.stdout == "before\nint main(void);\ngraph g() {}\nvalue\n", result


def check_list():
    result = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=False)
    names = result.stdout.splitlines()
    assert result.returncode == 0 and names[:2] == ["./dev demo", "./dev test"] and {"bindings", "unit tests, aarch64"} < set(names), result


def check_missing():
    with tempfile.TemporaryDirectory(prefix="harp-fresh-") as empty:
        result = subprocess.run([sys.executable, PROGRAM], env={"PATH": empty}, capture_output=True, text=True, check=False)
    expected = "debootstrap is not installed; ./dev setup fresh" if os.geteuid() == 0 else "needs root"
    assert result.returncode == 1 and expected in result.stderr, result
    result = subprocess.run([PROGRAM, "--only", "no such step"], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "--list" in result.stderr, result


def main():
    check_steps()
    check_list()
    check_missing()
    print("pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())
