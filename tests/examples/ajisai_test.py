"""Tests examples/ajisai, a prompt for array computation, built as a user would build it. Every example of its documentation and every word
of its language must print what tests/examples/ajisai/cases.txt says, compiled and interpreted. The prompt must keep the stack after a
mistake. Each word must be compiled only once. Random texts must not crash the program.

rows: B.ajisai B.errors B.shapes/interp,c B.values/interp,c B.outer/interp,c B.outer_broadcast/interp,c B.stack_mode/interp,c
"""
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import package_group

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users
NO_COMPILER = {"HARP_CC": "/none", "CC": "/none", "PATH": "/none"}
CASES = Path(__file__).parent / "ajisai" / "cases.txt"


def cases():
    """Yields (name, text, expected output, expected stderr) of each case."""
    for block in re.split(r"^=== ", CASES.read_text(encoding="utf-8"), flags=re.M)[1:]:
        name, rest = block.split("\n", 1)
        text, kind, expected = re.split(r"^(->|!>) ?", rest, maxsplit=1, flags=re.M)
        expected = expected.rstrip("\n")
        yield name, text.rstrip("\n"), expected if kind == "->" else "", expected if kind == "!>" else ""


class Ajisai:
    def __init__(self, scratch):
        prefix = scratch / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        pkg_config = next(prefix.rglob("harp.pc")).parent
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{pkg_config}:{os.environ.get('PKG_CONFIG_PATH', '')}", "CXXFLAGS": "-O1 -Werror"}
        subprocess.run(["make", "-s", "-j2", "-C", SOURCE / "examples" / "ajisai", f"BUILD={scratch}"], check=True, env=environment)
        self.program, self.scratch = scratch / "ajisai", scratch
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(pkg_config.parent), "HARP_CACHE_DIR": str(scratch / "cache"), "HOME": str(scratch)}

    def run(self, *arguments, typed="", **environment):
        return subprocess.run([self.program, *arguments], input=typed if isinstance(typed, bytes) else typed.encode(), capture_output=True,
                              env={**self.environment, **environment}, timeout=600, check=False)

    def check_cases(self):
        self.run_cases()

    def check_cases_without_a_compiler(self):
        self.run_cases(**NO_COMPILER)

    def run_cases(self, **environment):
        wrong = []
        for name, text, printed, error in cases():
            result = self.run("-e", text, **environment)
            got, got_error = result.stdout.decode().rstrip("\n"), result.stderr.decode().rstrip("\n")
            if (got, got_error, result.returncode) != (printed, error, 1 if error else 0):
                wrong.append(f"{name}\n{text}\nexpected {printed or error}\ngot      {got or got_error} (exit status {result.returncode})")
        assert not wrong, "\n\n".join(wrong)

    def check_printed_text_reads_back(self):
        for name, text, printed, error in cases():
            if not error and "PRINT" not in text:
                again = self.run("-e", printed).stdout.decode().rstrip("\n")
                assert again == printed, f"{name}: {printed} reads back as {again}"

    def check_readme(self):
        """The examples of the document print what the document shows, and its table lists exactly the words that the program has."""
        text = (SOURCE / "examples" / "ajisai" / "README.md").read_text(encoding="utf-8")
        examples = re.findall(r"^```ajisai\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.M | re.S)
        assert len(examples) == 3
        for typed, shown in examples:
            result = self.run("-e", typed.rstrip("\n"))
            assert (result.stdout + result.stderr).decode() == shown, f"{typed}prints {result.stdout + result.stderr}"
        named = set(re.findall(r"`([^`]+)`", "".join(line for line in text.splitlines() if line.startswith("|"))))
        for word in named:
            assert b"there is no word" not in self.run("-e", word).stderr, f"README.md names {word}, but there is no such word"
        sources = "".join((SOURCE / "examples" / "ajisai" / name).read_text(encoding="utf-8") for name in ("operations.cpp", "interpreter.cpp"))
        there = set(re.findall(r'^    \{"([^"]+)", \d', sources, re.M)) | set(re.findall(r'name == "([^"]+)"', sources))
        assert len(there) > 50 and there == named, f"in the table or in the program, but not in both: {sorted(there ^ named)}"

    def check_prompt(self):
        """The prompt prints the stack after each line. A line with a mistake leaves the stack unchanged; an open vector continues in the
        next line."""
        typed = "1 2\n+ +\n[ 1\n2 ]\n[ 5\n\n+\n"
        output = self.run(typed=typed).stdout.decode()
        assert output == ("1 2\n1:3: + takes 2 values, but the stack holds 1\n  + +\n    ^\n1 2 [ 1 2 ]\nthe vector was given up\n1 [ 3 4 ]\n"), output
        result = self.run(typed="1 [ 2")
        assert result.returncode == 0 and b"1:3: [ without a ]" in result.stderr, result

    def check_history(self):
        """On a terminal the arrow key recalls the previous line, if the program was built with libedit."""
        if subprocess.run(["pkg-config", "--exists", "libedit"], check=False).returncode != 0:
            if package_group.absent(__file__, "group ajisai is not installed (libedit not found); ./dev setup ajisai", ".check_history"):
                raise AssertionError("libedit not found")
            return False
        process, terminal = pty.fork()
        if process == 0:
            os.execve(self.program, ["ajisai"], {**self.environment, "TERM": "xterm"})
        output = b""

        def in_time(done, what):
            """Waits for done(), at most a minute, so that the test fails if the program waits for a key for ever."""
            until = time.monotonic() + 60
            while not done():
                if time.monotonic() > until:
                    os.kill(process, signal.SIGKILL)
                    raise AssertionError(f"{what} within a minute; output {output}")
                time.sleep(0.001)

        def read_to(prompt):
            """Reads up to a prompt, and then until the editor reads single keys, because it prints the prompt before that. (Keys that are
            typed too early are processed by the terminal's own line editing, in which ^D becomes a null character.)"""
            nonlocal output
            begin = len(output)
            while not re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", output[begin:]).endswith(prompt):
                assert select.select([terminal], [], [], 60)[0], output
                output += os.read(terminal, 4096)
            in_time(lambda: not termios.tcgetattr(terminal)[3] & termios.ICANON, "the editor did not read single keys")

        read_to(b"> ")
        for typed in (b"1 2 +\n", b"\x1b[A\n"):
            os.write(terminal, typed)
            read_to(b"\n> ")
        os.write(terminal, b"\x04")
        in_time(lambda: os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT), "the program did not end")
        assert os.waitpid(process, 0)[1] == 0 and b"\r\n3 3\r\n" in output, output

    def check_files(self):
        file = self.scratch / "sum.ajisai"
        file.write_text("# the squares\n10 IOTA DUP *\nSUM\n", encoding="utf-8")
        assert self.run(file).stdout == b"285\n"
        assert self.run("-", typed="1 2 +").stdout == b"3\n"
        assert self.run(self.scratch / "none").returncode == 1
        assert b"usage: ajisai" in self.run("--what").stderr

    def check_reuse(self):
        """Vectors of other lengths, and matrices with other numbers of rows, use the same programs."""
        lines = ["[ 1 2 3 ] [ 4 5 6 ] + SUM", "[ 1 2 3 4 5 ] [ 4 5 6 7 8 ] + SUM", "[ 7 8 ] [ 9 9 ] + SUM"]
        result = self.run(typed="".join(f"{line}\nCLEAR\n" for line in lines), HARP_CACHE_DIR=str(self.scratch / "reuse"))
        assert result.stdout == b"21\n\n45\n\n33\n\n", result.stdout
        listed = subprocess.run([os.environ["HARP_TOOL"], "cache", "list"], capture_output=True, text=True, check=True,
                                env={**os.environ, "HARP_CACHE_DIR": str(self.scratch / "reuse")}).stdout
        programs = [line for line in listed.splitlines() if "graph(" in line]
        assert len(programs) == 2, f"+ and SUM are {len(programs)} programs:\n{listed}"

    def check_random_texts(self):
        """Random texts do not crash the program. Without a C compiler the words are interpreted, so that there is time for many texts."""
        words = ("+ - * / % MAX MIN NEG ABS < = AND NOT WHERE OUTER OUTER-AS-BROADCAST SUM SUM-ALONG SHAPE RESHAPE TRANSPOSE IOTA .. DUP DROP "
                 "SWAP OVER CLEAR PRINT").split()
        numbers = "0 1 2 3 -1 1.5 TRUE FALSE [1] [1 2] [1 2 3] [ ] [[1 2][3 4]] [[1][2]] [[[1]]] [TRUE FALSE] [ ] NAN 1e18".split(" ")
        choose = random.Random(7)
        lines = []
        for _ in range(600):
            lines.append(" ".join(choose.choice(words if choose.random() < 0.5 else numbers) for _ in range(choose.randrange(1, 12))))
            if choose.random() < 0.3:
                lines.append("CLEAR")
        result = self.run(typed="\n".join(lines), **NO_COMPILER)
        assert result.returncode == 0, result.stderr[-2000:]
        noise = bytes(choose.randrange(256) for _ in range(20000))
        brackets = "".join(choose.choice("[] \n1#.") for _ in range(20000))
        for typed in (noise, brackets, "[" * 5000, "1 " * 5000 + ".. SUM"):
            result = self.run(typed=typed, **NO_COMPILER)
            assert result.returncode == 0, result.stderr[-2000:]


def main():
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-ajisai-") as name:
        ajisai = Ajisai(Path(name))
        for check in (ajisai.check_cases, ajisai.check_cases_without_a_compiler, ajisai.check_printed_text_reads_back, ajisai.check_readme, ajisai.check_prompt, ajisai.check_history, ajisai.check_files, ajisai.check_reuse,
                      ajisai.check_random_texts):
            try:
                if check() is not False:
                    print(f"pass {check.__name__}")
            except AssertionError as error:
                status = 1
                print(f"fail {check.__name__}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
