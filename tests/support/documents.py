"""Finds the code blocks of a Markdown page: the language and content of a block, the name of the file that it shows, and the reason if
the page says that the block is not run."""
import collections
import os
import re

SOURCE = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# language: the word after the opening fence. file: the name in a line "`NAME`:" above the block, or "". reason: the text of a comment
# <!-- not run: REASON --> above the block, or "". line: the number of the line with the opening fence, counted from 1.
Block = collections.namedtuple("Block", "language text file reason line")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """Returns all code blocks of a Markdown text, in order. A block that is not closed or has no language is an error."""
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
