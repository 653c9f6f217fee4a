"""The code blocks of a page: language and content, the file that a block stands for, and the reason if the page says that a block is not
run."""
import collections
import os
import re

SOURCE = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# language: the word behind the opening fence; file: the name in the line above, "`NAME`:", or ""; reason: of a comment above, <!-- not run:
# REASON -->, or ""; line: of the fence, from 1.
Block = collections.namedtuple("Block", "language text file reason line")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """All code blocks of a Markdown text, in order. A fence that is never closed, and one without a language, are errors."""
    found, lines, number = [], text.splitlines(), 0
    while number < len(lines):
        fence = re.match(r" *(`{3,}|~{3,})(.*)", lines[number])
        if fence:
            begin = number
            number += 1
            while number < len(lines) and lines[number].strip() != fence[1]:
                number += 1
            assert number < len(lines), f"line {begin + 1}: the code block is not closed"
            assert re.fullmatch(r"[a-z]+", fence[2]), f"line {begin + 1}: expected the name of a language behind the fence, found \"{fence[2]}\""
            above = next((line.strip() for line in reversed(lines[:begin]) if line.strip()), "")
            name = re.fullmatch(r"(?:.* )?`([\w./-]+\.\w+)`:", above)
            reason = re.fullmatch(r"<!-- not run: (.+) -->", above)
            found.append(Block(fence[2], "".join(line + "\n" for line in lines[begin + 1 : number]), name[1] if name else "",
                               reason[1] if reason else "", begin + 1))
        number += 1
    return found
