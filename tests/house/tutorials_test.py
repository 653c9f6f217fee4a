"""Checks that the pages of docs/ whose code blocks are files and commands are correct. The test follows each page as a reader does, from an
empty folder, with harp installed as docs/install.md says:

- a block under a line like "`first.c`:" is a file of that name, and replaces what an earlier block of that name wrote,
- a block of shell is run by bash, which stops at the first command that fails; variables that a block exports stay set in later blocks,
- a block of text under a block of shell is what these commands print, to stdout and stderr. "..." within a line stands for any text; a line
  of nothing else stands for any number of lines,
- a block under <!-- not run: REASON --> is skipped.

The tool reads the graphs of docs/text-format.md. docs_test.py lists these pages, and checks that no block of docs/ is left out.
"""
import os
import re
import subprocess
import sys
import tempfile

import documents

SOURCE, BUILD = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users
FOLLOWED = ("c.md", "text.md", "embedding.md", "caching.md", "tuning.md", "law.md")


def matches(shown, printed):
    """Tests whether `printed` agrees with the output that a page shows."""
    pattern = ""
    for line in shown.splitlines():
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


class Reader:
    """A reader who follows pages, with a home folder in which harp is installed."""

    def __init__(self, home):
        self.home = home
        self.exports = ""
        self.environment = {**os.environ, "HOME": home, "LC_ALL": "C.UTF-8"}
        for name in ("HARP_CACHE_DIR", "XDG_CACHE_HOME"):
            self.environment.pop(name, None)

    def run(self, script, folder):
        result = subprocess.run(["bash", "-ec", self.exports + script], cwd=folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        assert result.returncode == 0, f"exit status {result.returncode} of\n{script}\n{result.stdout}"
        self.exports += "".join(line + "\n" for line in script.splitlines() if line.startswith("export "))
        return result.stdout

    def follow(self, page):
        """Runs everything on the page and returns the number of blocks. Variables that the page exports are forgotten at the end."""
        before = self.exports
        folder = os.path.join(self.home, os.path.splitext(page)[0])
        os.mkdir(folder)
        printed = None
        blocks = documents.blocks(documents.read(os.path.join("docs", page)))
        for block in blocks:
            where = f"docs/{page}:{block.line}"
            if block.reason:
                pass
            elif block.file:
                with open(os.path.join(folder, block.file), "w", encoding="utf-8") as file:
                    file.write(block.text)
            elif block.language == "sh":
                printed = self.run(block.text.replace("cmake --install build/release", f"cmake --install '{BUILD}' >'{self.home}/install.log'"), folder)
            elif block.language == "text" and printed is not None:
                assert matches(block.text, printed), f"{where} shows\n{block.text}but the commands above it print\n{printed}"
            else:
                raise AssertionError(f"{where}: neither a file, nor commands, nor what commands print, and no reason why it is not run")
            if block.language != "sh":
                printed = None
        if page != "install.md":
            self.exports = before
        return len(blocks)


def check_matches():
    """Checks that matches() rejects output that does not agree. If it accepted everything, the test would find no mistakes."""
    assert matches("a ... c\n", "a b c\n") and matches("a\n...\nd\n", "a\nb\nc\nd\n") and matches("a\n...\nd\n", "a\nd\n") and matches("", "")
    assert not matches("a\n", "a\nb\n") and not matches("a ... c\n", "a b\nc\n") and not matches("a\n", "") and not matches("a.c\n", "abc\n")


def check_graphs(page):
    """Checks that the tool can read the graphs of a page, and returns their number."""
    graphs = [block for block in documents.blocks(documents.read(os.path.join("docs", page))) if block.language == "harp"]
    for block in graphs:
        result = subprocess.run([os.environ["HARP_TOOL"], "emit", "-", "--lang", "c"], input=block.text, capture_output=True, text=True, check=False)
        assert result.returncode == 0 and "void entry_point(" in result.stdout, f"docs/{page}:{block.line}: {result.stderr}"
    return len(graphs)


def main():
    check_matches()
    status = 0
    try:
        count = check_graphs("text-format.md")
        assert count >= 2, f"{count} graphs, expected 2 or more"
        print(f"pass text-format.md: {count} graphs")
    except AssertionError as error:
        status = 1
        print(f"fail {error}")
    wanted = sys.argv[1:] or FOLLOWED
    with tempfile.TemporaryDirectory(prefix="harp-tutorials-") as home:
        reader = Reader(home)
        for page in ("install.md", *wanted):
            try:
                print(f"pass {page}: {reader.follow(page)} blocks", flush=True)
            except AssertionError as error:
                status = 1
                print(f"fail {page}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
