"""Parses include/harp.h: its comments, constants, types and functions, in order, as plain Python values. This is not a general C parser: it
relies on the layout of harp.h (a declaration begins a line; its comment is above it or at its end). Text of another form is an error, whose
message quotes the text.
"""
import re
import textwrap
from dataclasses import dataclass, field

TOKEN = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<directive>^#(?:\\\n|/(?!\*)|[^\n/])*)|"
                   r"(?P<blank>\n[ \t]*(?=\n))|(?P<space>[ \t]+|\n)", re.S | re.M)
MARKER = re.compile(r"/\* (clang-format (on|off)|generated from .*\{|\}) \*/$", re.S)
SECTION = re.compile(r"/\* -{20,}\n \* (?P<number>\d+)  (?P<title>[^\n]*)\n(?P<text>.*?) \* -{20,} \*/", re.S)
FUNCTION = re.compile(r"HARP_API(?:_SINCE\((?P<since>\d+)\))?\s+(?P<result>[^()]*?)(?P<name>\bharp_\w+)\s*\((?P<parameters>.*)\)$", re.S)
FUNCTION_POINTER = re.compile(r"(?P<result>[^()]*?)\(\*\s*(?P<name>\w*)\)\s*\((?P<parameters>.*)\)$", re.S)


class Mistake(Exception):
    """An error in harp.h or in the tables of api_facts.py."""


@dataclass
class Variable:
    """A parameter or a field. `type` is the C type alone, without the name. For a function pointer, `function` is its signature (result and
    parameters)."""
    name: str
    type: str
    function: "Signature | None" = None
    doc: str = ""
    doc_of: str = ""


@dataclass
class Signature:
    result: str
    parameters: list


@dataclass
class Item:
    """A declaration. `kind` is constant, init, typedef, handle, struct, callback or function. `doc` is the comment that describes it. If
    that comment belongs to an earlier declaration, `doc_of` is the name of that declaration. `note` is the index, in Header.notes, of the
    comment that introduces several declarations including this one."""
    kind: str
    name: str
    section: int
    doc: str = ""
    doc_of: str = ""
    note: "int | None" = None
    value: str = ""  # for a constant its expression, for a typedef its type
    since: int = 1
    signature: "Signature | None" = None
    fields: list = field(default_factory=list)


@dataclass
class Header:
    intro: str
    sections: list  # (number, title, text)
    notes: list  # (section, text)
    items: list

    def of(self, kind):
        return [item for item in self.items if item.kind == kind]


def comment_text(comment):
    """Returns the text of a comment without its delimiters; line breaks are kept."""
    lines = comment[2:-2].split("\n")
    lines = [lines[0].strip()] + [re.sub(r"^\s*\*", "", line).rstrip() for line in lines[1:]]
    return (lines[0] + "\n" + textwrap.dedent("\n".join(lines[1:]))).strip()


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def split_commas(text):
    """Splits the text at its commas, except commas inside parentheses."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [one_line(part) for part in parts + [part] if one_line(part)]


def signature(result, parameters):
    return Signature(one_line(result), [variable(text) for text in split_commas(parameters) if text != "void"])


def variable(text):
    text = one_line(text)
    pointer = FUNCTION_POINTER.match(text)
    if pointer:
        result, parameters = one_line(pointer["result"]), one_line(pointer["parameters"])
        return Variable(pointer["name"], f"{result} (*)({parameters})", signature(result, parameters))
    match = re.match(r"((?:const |volatile |struct )*\w+(?:\s*(?:\*|const\b))*)\s*(\b\w+)$", text)
    if not match:
        raise Mistake(f"harp.h: cannot read the declaration \"{text}\"")
    return Variable(match[2], one_line(match[1]))


def tokens(text):
    """Yields (kind, text, whether it begins on a new line) for each comment, directive, blank line and declaration. A declaration's text
    ends before its semicolon."""
    at, declaration, depth, new_line, declared_on_new_line = 0, "", 0, True, True
    while at < len(text):
        match = TOKEN.match(text, at)
        if match and declaration:  # comments and blank lines inside a declaration are part of its text
            declaration += match[0]
            at = match.end()
        elif match:
            if match.lastgroup == "space":
                new_line = new_line or "\n" in match[0]
            else:
                yield match.lastgroup, match[0], new_line
                new_line = match.lastgroup == "blank"
            at = match.end()
        else:
            if not declaration:
                declared_on_new_line = new_line
            declaration += text[at]
            depth += (text[at] in "{(") - (text[at] in "})")
            if text[at] == ";" and depth == 0:
                yield "declaration", declaration[:-1], declared_on_new_line
                declaration, new_line = "", False
            at += 1
    if declaration.strip():
        raise Mistake(f"harp.h: no end of \"{one_line(declaration)[:80]}\"")


class Docs:
    """Assigns comments to declarations. A declaration's own comments are the comment above it and the comment at its end. Adjacent lines
    without a blank line between them form a group. A declaration without a comment of its own shares the comment above its group, unless an
    earlier declaration of the group has a comment at its end."""

    def __init__(self):
        self.blank()

    def blank(self):
        self.above, self.run, self.last = "", None, []

    def comment(self, text, new_line):
        if new_line:
            self.above, self.run, self.last = text, None, []
            return
        for item in self.last:
            item.doc = text if item.doc_of else f"{item.doc}\n{text}".strip()
            item.doc_of = ""
        self.run = None

    def declared(self, items):
        if self.above:
            self.run = (items[0].name, self.above)
        for item in items:
            if self.run:
                name, item.doc = self.run
                item.doc_of = "" if self.above else name
        self.above, self.last = "", items


def fields_of(body):
    docs, fields = Docs(), []
    for kind, text, new_line in tokens(body):
        if kind == "comment" and not MARKER.match(text):
            docs.comment(comment_text(text), new_line)
        elif kind == "blank":
            docs.blank()
        elif kind == "declaration":
            if "(" in text:
                made = [variable(text)]
            else:  # several names that share a type, such as "int32_t a, b"
                first, *others = split_commas(text)
                made = [variable(first)]
                made += [Variable(name, made[0].type) for name in others]
            docs.declared(made)
            fields += made
    return fields


def declaration(text, section):
    """Parses a declaration and returns it as an Item."""
    text = re.sub(r"\s+$", "", text)
    match = re.match(r"typedef struct (\w+) \{(.*)\} (\w+)$", text, re.S)
    if match:
        return Item("struct", match[3], section, fields=fields_of(match[2]))
    match = re.match(r"typedef struct (harp_\w+) (harp_\w+)$", text)
    if match:
        return Item("handle", match[1], section)
    if text.startswith("typedef"):
        plain = one_line(re.sub(r"/\*.*?\*/", " ", text[len("typedef"):], flags=re.S))
        made = variable(plain)
        return Item("callback" if made.function else "typedef", made.name, section, value=made.type, signature=made.function)
    match = FUNCTION.match(re.sub(r"/\*.*?\*/", " ", text, flags=re.S))
    if not match:
        raise Mistake(f"harp.h: cannot read the declaration \"{one_line(text)[:120]}\"")
    own = signature(match["result"], match["parameters"])
    return Item("function", match["name"], section, since=int(match["since"] or 1), signature=own)


def directive(text, section):
    """Parses a #define and returns it as an Item."""
    match = re.match(r"#define (HARP_\w+) +(.*)$", re.sub(r"\\\n", " ", text), re.S)
    if not match:
        raise Mistake(f"harp.h: not a constant: {one_line(text)}")
    kind = "init" if match[1].endswith("_INIT") else "constant"
    return Item(kind, match[1], section, value=one_line(match[2]))


def body_of(text):
    """Returns the first comment of harp.h, and the text between its two extern "C" blocks."""
    intro = re.match(r"/\*.*?\*/", text, re.S)
    start = re.search(r'#ifdef __cplusplus\nextern "C" \{\n#endif\n', text)
    end = re.search(r"#ifdef __cplusplus\n\}\n#endif\n", text)
    if not intro or not start or not end:
        raise Mistake('harp.h: no comment at its begin, or no extern "C"')
    return comment_text(intro[0]), text[start.end():end.start()]


def parse(text):
    """Parses the whole text of harp.h and returns a Header."""
    intro, body = body_of(text)
    header, docs = Header(intro, [], [], []), Docs()
    section, note, note_ends, note_used = 0, None, False, False
    found = list(tokens(body))
    for i, (kind, token, new_line) in enumerate(found):
        if kind == "blank":
            docs.blank()
            if note_ends and note_used:  # The note was directly above this group of declarations, so it applies only to this group.
                note = None
        elif kind == "comment" and SECTION.match(token):
            match = SECTION.match(token)
            section, note = int(match["number"]), None
            header.sections.append((section, match["title"].strip(), comment_text("/*\n" + match["text"] + "*/")))
            docs.blank()
        elif kind == "comment" and not MARKER.match(token):
            following = next(k for k, t, _ in found[i + 1:] if k != "comment" or not MARKER.match(t))
            if new_line and (token.startswith("/*\n") or found[i + 1][0] in ("comment", "blank")):
                docs.blank()
                note, note_ends, note_used = len(header.notes), following != "blank", False
                header.notes.append((section, comment_text(token)))
            else:
                docs.comment(comment_text(token), new_line)
        elif kind in ("directive", "declaration"):
            item = (directive if kind == "directive" else declaration)(token, section)
            item.note = note
            if docs.last and (item.kind == "constant") != (docs.last[0].kind == "constant"):
                docs.run = None  # A type and a constant do not share a comment.
            note_used = note_used or item.kind == "function"
            docs.declared([item])
            header.items.append(item)
    return header
