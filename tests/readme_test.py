"""The README tells the truth: its C example builds with nothing but pkg-config and prints what is shown, it stays short, every file
named in the text exists, and so does every verb of ./dev.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["HARP_SOURCE_DIR"]
BUILD = os.environ["HARP_BUILD_DIR"]


def run(*command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def check_example(text):
    example, shown = blocks(text, "c")[0], blocks(text, "text")[0]
    lines = len([line for line in example.splitlines() if line.strip()])
    assert lines <= 36, f"the example has {lines} lines"
    with tempfile.TemporaryDirectory(prefix="harp-readme-") as scratch:
        run("cmake", "--install", BUILD, "--prefix", os.path.join(scratch, "prefix"))
        pc = next(directory for directory, _, names in os.walk(scratch) if "harp.pc" in names)
        with open(os.path.join(scratch, "example.c"), "w", encoding="utf-8") as file:
            file.write(example)
        flags = run("pkg-config", "--cflags", "--libs", "harp", PKG_CONFIG_PATH=pc).split()
        program = os.path.join(scratch, "example")
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            run(compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", os.path.join(scratch, "example.c"), "-o", program, *flags)
            output = run(program, LD_LIBRARY_PATH=os.path.dirname(pc), HARP_CACHE_DIR=os.path.join(scratch, "cache"))
            assert output == shown, f"the README shows\n{shown}but the example prints\n{output}"


def check_names(text):
    with open(os.path.join(SOURCE, "dev"), encoding="utf-8") as file:
        verbs = set(re.findall(r"^verb_(\w+)\(\)", file.read(), re.M))
    named = set(re.findall(r"\./dev ([a-z]+)\b", text))
    assert named <= verbs, f"no such verbs: {sorted(named - verbs)}"
    paths = set(re.findall(r"\b((?:src|include|docs|tests|examples)/[\w./-]*\w)", text))
    missing = sorted(path for path in paths if not os.path.exists(os.path.join(SOURCE, path)))
    assert len(paths) > 8 and not missing, f"named, but not there: {missing}"


def main():
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    status = 0
    for check in (check_names, check_example):
        try:
            check(text)
            print(f"pass {check.__name__}")
        except AssertionError as error:
            status = 1
            print(f"fail {check.__name__}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
