"""The C reference: pages in reStructuredText, made of include/harp.api.json alone (docs/api-json.md describes it). Each section of harp.h is a
page; a comment that is about several functions stands above them, as there.

Directives and roles are those of Sphinx' C domain, so that every function has an address of its own (operations.html#c.harp_add).
"""
import itertools
import re

OWNERSHIP = {"borrowed": "borrowed", "copied": "copied", "taken": "taken over", "kept": "used until its deleter is called",
             "filled": "your memory, which is filled", "owned": "yours to release"}


def slug(section):
    return re.sub(r"[^a-z]+", "-", section["title"].lower()).strip("-")


def declared(type_, name):
    """A declaration of `name`; docs/api-json.md says how."""
    return type_.replace("(*)", f"(*{name})", 1) if "(*)" in type_ else f"{type_} {name}"


def roles(api):
    """{name: the role that refers to it} of all that the reference has an entry for."""
    found = {each["name"]: "c:macro" for each in api["constants"]}
    found.update({each["name"]: "c:type" for each in api["typedefs"] + api["callbacks"]})
    for struct in api["structs"]:
        found.update({f"{struct['name']}.{field['name']}": "c:member" for field in struct["fields"]})
    found.update({each["name"]: "c:struct" for each in api["structs"] + api["handles"]})
    found.update({each["name"]: "c:func" for each in api["functions"]})
    return found


def indented(text, by):
    return "".join(" " * by + line if line.strip() else line for line in text.splitlines(keepends=True))


def escaped(text):
    return re.sub(r"([\\*_|`])", r"\\\1", text)


class Comment:
    """Turns comments of harp.h into reStructuredText."""

    def __init__(self, api):
        self.roles = roles(api)

    def inline(self, text):
        """One paragraph: `words` in backquotes stay as they are, names of the interface become links, nothing else means anything."""
        pieces = []
        for number, part in enumerate(re.split(r"`([^`]*)`", text)):
            if number % 2:
                pieces.append(self.link(part) or f"\\ ``{part}``\\ ")
                continue
            for piece in re.split(r"\b((?:harp|HARP)_\w+(?:\.\w+)?|docs/[\w-]+\.md)", part):
                name, dot, rest = piece.partition(".")
                page = re.fullmatch(r"docs/([\w-]+)\.md", piece)
                pieces.append(f"\\ :doc:`../{page[1]}`\\ " if page else self.link(piece) or (self.link(name) or escaped(name)) + escaped(dot + rest))
        return "".join(pieces)

    def link(self, name):
        return f"\\ :{self.roles[name]}:`{name}`\\ " if name in self.roles else ""

    def paragraph(self, lines):
        text = self.inline(" ".join(line.strip() for line in lines)).strip()
        return ("\\ " if re.match(r"([-+*]|\(?(\w|\d+|[ivxlcdmIVXLCDM]+)[.)])\s", text) else "") + text + "\n\n"  # not the first item of a list

    def block(self, lines):
        """What blank lines enclose. Lines that are far in are a program; lines that are less so form a table, if columns can be seen, or go
        on with the line before, and then each line that begins at the margin is a paragraph of its own."""
        result = ""
        if all(line.startswith("    ") for line in lines):
            language = "c" if lines[0].endswith(";") else "none"
            return f".. code-block:: {language}\n\n" + indented("".join(line[4:] + "\n" for line in lines), 3) + "\n"
        for is_in, run in itertools.groupby(lines, key=lambda line: line.startswith("  ")):
            run = list(run)
            if not is_in:
                rest = run
            elif any(re.search(r"\S {2,}\S", line) for line in run):
                result += self.paragraph(rest) + ".. code-block:: none\n\n" + indented("".join(line[2:] + "\n" for line in run), 3) + "\n"
                rest = []
            else:
                result += "".join(self.paragraph([line]) for line in rest[:-1]) + self.paragraph(rest[-1:] + run)
                rest = []
        return result + (self.paragraph(rest) if rest else "")

    def text(self, comment):
        blocks = re.split(r"\n\s*\n", comment.strip("\n"))
        return "".join(self.block(block.splitlines()) for block in blocks if block.strip())


def facts(part, members):
    """What is to know of a parameter, field or result beyond its type. members: those beside it."""
    said = []
    length = part.get("length")
    if length == "?":
        said.append("as many elements as sizes and strides reach")
    elif length and length.startswith("bytes("):
        said.append(f"an array as ``{length[6:-1]}`` say")
    elif length:
        said.append(f"``{length}`` {'bytes' if part['kind'] in ('bytes', 'text') else 'elements'}")
    values = part.get("values")
    if values == "boolean":
        said.append("0 or 1")
    elif values:
        said.append(f"constants of :ref:`{values} <harp-{values}>` joined with \\|" if "flags" in values else f"one of :ref:`{values} <harp-{values}>`")
    counted = [f"``{each['name']}``" for each in members if part["name"] in re.findall(r"\w+", each.get("length", ""))] if "name" in part else []
    if counted and part["kind"] == "value" and part["base"] != "harp_dtype":
        said.append(f"counts {' and '.join(counted)}")
    if part.get("direction") == "inout":
        said.append("read and written")
    null = part.get("null")
    if null == "no":
        said.append("not NULL")
    elif null == "if empty":
        said.append("NULL only where there is no element")
    elif null == "yes":
        said.append("may be NULL" + (f" ({part['null_means']})" if part.get("null_means") else ""))
    return said


class Reference:
    def __init__(self, api):
        self.api = api
        self.comment = Comment(api)
        self.first = {group: each["name"] for each in reversed(api["constants"]) for group in [each["group"]]}.values()
        self.release = {handle["name"]: handle["release"] for handle in api["handles"]}

    def field_list(self, function):
        """{field name: text} of parameters, result and version."""
        fields = {}
        for part in function["parameters"]:
            said = facts(part, function["parameters"])
            if part.get("ownership") and not (part["ownership"] == "borrowed" and part["kind"] == "handle"):
                is_result = part["ownership"] == "owned" and part["direction"] != "in"
                said.append("what is written there is yours to release" if is_result else OWNERSHIP[part["ownership"]])
            if said:
                fields[f"param {part['name']}"] = self.comment_free("; ".join(said))
        result = function["result"]
        if "ownership" in result or "values" in result:
            said = facts({**result, "null": None}, [])
            if result.get("ownership") == "owned":
                release = self.release.get(result.get("base"))
                said.append("yours to release" + (f" (:c:func:`{release}`)" if release else ""))
            elif result.get("ownership") == "borrowed":
                until = result.get("until")
                said.append("borrowed" + ("" if not until else ", for ever" if until == "for ever" else " until the graph is released" if until == "graph" else f" until ``{until}`` is released"))
            if result.get("null") == "yes":
                mistake = {"graph": "NULL is a mistake, which sticks to the graph", "err": "NULL on failure"}
                said.append(mistake.get(function.get("errors"), "may be NULL") if not result.get("null_means") else f"NULL: {result['null_means']}")
            fields["returns"] = self.comment_free("; ".join(said))
        elif result["kind"] == "status":
            fields["returns"] = ":c:macro:`HARP_OK`, or the code of the mistake" + (", which sticks to the graph" if function["errors"] == "graph" else "")
        fields["since"] = str(function["since"])
        return fields

    def comment_free(self, text):
        """Asterisks of a length or a text about NULL are no markup; what stands in double backquotes or roles is."""
        return "".join(part if number % 2 else part.replace("*", "\\*") for number, part in enumerate(re.split(r"(``.*?``|:[\w:]+:`.*?`)", text)))

    def entry(self, directive, declarations, body):
        """A directive with one declaration a line."""
        lines = f".. {directive}:: " + ("\n" + " " * (len(directive) + 6)).join(declarations) + "\n\n"
        return lines + indented(body, 3) + "\n"

    def functions(self, functions, note):
        """Functions in their order; one that shares the comment of another is beside it. note: the text for those without a comment."""
        result, groups = "", []
        for function in functions:
            if function.get("doc_of") and groups and groups[-1][0]["name"] == function["doc_of"] and self.agree([*groups[-1], function]):
                groups[-1].append(function)
            else:
                groups.append([function])
        for group in groups:
            declarations = [f"{declared(each['result']['type'], each['name'])}({', '.join(declared(part['type'], part['name']) for part in each['parameters']) or 'void'})"
                            for each in group]
            fields = {}
            for each in group:
                fields.update(self.field_list(each))
            body = self.comment.text(group[0]["doc"] or note) + "".join(f":{name}: {text}\n" for name, text in fields.items())
            result += self.entry("c:function", declarations, body)
        return result

    def agree(self, functions):
        """Do equal names mean the same in all of them?"""
        seen = {}
        return all(seen.setdefault(name, text) == text for each in functions for name, text in self.field_list(each).items())

    def handle(self, handle):
        said = [f"Given up by :c:func:`{handle['release']}`" if handle["release"] else f"Lives as long as its :c:struct:`{handle['parent']}`"]
        if handle["retain"]:
            said.append(f"another reference: :c:func:`{handle['retain']}`")
        if handle["parent"] and handle["release"]:
            said.append(f"keeps its :c:struct:`{handle['parent']}`")
        threads = handle["threads"]
        use = "several threads may use it at the same time" if threads["share"] else "one thread at a time" if threads["send"] else "only the thread that made it"
        said.append(use + (f"; {threads['condition']}" if threads["condition"] else ""))
        return self.entry("c:struct", [handle["name"]], self.comment.text(handle["doc"]) + ". ".join(text[0].upper() + text[1:] for text in said) + ".\n\n")

    def struct(self, struct):
        body = self.comment.text(struct["doc"]) + self.where(struct)
        if struct["init"]:
            body += f"Initialise it with ``{struct['init']}``.\n\n"
        shared = itertools.groupby(struct["fields"], key=lambda field: field.get("doc_of") or field["name"])
        for _, fields in shared:
            fields = list(fields)
            text = self.comment.text(fields[0]["doc"])
            for field in fields:
                said = facts(field, struct["fields"])
                if said:
                    text += (f"``{field['name']}``: " if len(fields) > 1 else "") + self.comment_free("; ".join(said)) + ".\n\n"
            body += self.entry("c:member", [declared(field["type"], field["name"]) for field in fields], text)
        return self.entry("c:struct", [struct["name"]], body)

    def callback(self, callback):
        fields = self.field_list({**callback, "errors": "none", "since": ""})
        body = self.comment.text(callback["doc"]) + self.where(callback)
        body += "".join(f"``{name.split()[-1]}``: {text}.\n\n" for name, text in fields.items() if text)
        return self.entry("c:type", [declared(callback["type"], callback["name"])], body)

    def where(self, each):
        """For a type without a comment of its own: the function whose comment tells of it."""
        told = [function["name"] for function in self.api["functions"] if function.get("note") == each.get("note", -1)]
        return f"See :c:func:`{told[0]}`.\n\n" if told and not each["doc"] else ""

    def constants(self, constants):
        result = ""
        for group, members in itertools.groupby(sorted(constants, key=lambda each: each["group"]), key=lambda each: each["group"]):
            members = list(members)
            if members[0]["name"] in self.first:  # of a group that several sections have a part of, the place to refer to is the first
                result += f".. _harp-{group}:\n\n"
            result += f".. rubric:: {group.replace('_', ' ').capitalize()}\n\n"
            for each in members:
                doc = "" if each.get("doc_of") else each["doc"]
                result += self.entry("c:macro", [each["name"]], f"``{each['value']}``\n\n" + self.comment.text(doc))
        return result

    def heading(self, note):
        """A title for the functions that a comment is about: its first words. "": it begins with what a function does."""
        if re.match(r"[A-Z][a-z]+s (a|the|for)\b", note):
            return ""
        first = re.split(r"[.:;](?:\s|$)", note.replace("\n", " "), maxsplit=1)[0]
        return first if len(first) <= 45 else first.split(", ")[0]

    def page(self, section):
        here = {part: [each for each in self.api[part] if each["section"] == section["number"]]
                for part in ("constants", "typedefs", "handles", "structs", "callbacks", "functions")}
        title = f"{section['number']}. {section['title']}"
        result = f"{title}\n{'=' * len(title)}\n\n{self.comment.text(section['doc'])}"
        types = "".join(self.entry("c:type", [declared(each["type"], each["name"])], self.comment.text(each["doc"] or self.note(each))) for each in here["typedefs"])
        types += "".join(map(self.handle, here["handles"])) + "".join(map(self.callback, here["callbacks"])) + "".join(map(self.struct, here["structs"]))
        for title, text in (("Types", types), ("Constants", self.constants(here["constants"]))):
            if text:
                result += f"{title}\n{'-' * len(title)}\n\n{text}"
        result += "Functions\n---------\n\n"
        headed = False
        for number, functions in itertools.groupby(here["functions"], key=lambda each: each.get("note")):
            note = "" if number is None else self.api["notes"][number]["doc"]
            title = self.heading(note) if note else "Others" if headed and section["title"] != "Operations" else ""
            if title:
                headed = True
                plain = self.comment.inline(title).strip()
                result += f"{plain}\n{'^' * len(plain)}\n\n"
                if note.rstrip(".") != title:
                    result += self.comment.text(note)
            result += self.functions(list(functions), "" if title else note)
        return result

    def note(self, each):
        return self.api["notes"][each["note"]]["doc"] if "note" in each else ""

    def index(self):
        whole = re.sub(r"\nContents: .*?(?=\n\n)", "", self.api["doc"], flags=re.S)
        pages = "".join(f"   {slug(section)}\n" for section in self.api["sections"])
        title = "The C interface"
        return (f"{title}\n{'=' * len(title)}\n\nharp {self.api['version']}, version {self.api['api_version']} of the table of functions.\n\n"
                f".. toctree::\n   :maxdepth: 1\n\n{pages}\n{self.comment.text(whole)}"
                "How to read these pages\n-----------------------\n\n"
                "They are made of ``include/harp.api.json``; the text is that of ``harp.h``. Below each function stands what its declaration does not say "
                "of a parameter: how many elements an array has, whether a pointer may be NULL and what that means, and who owns what. A pointer without "
                "more words is borrowed for the call. *Since* is the version of the table of functions (:c:func:`harp_get_api`) that a function came with.\n")


def pages(api):
    """{name of a file: its text} of the whole reference."""
    reference = Reference(api)
    return {"index.rst": reference.index(), **{f"{slug(section)}.rst": reference.page(section) for section in api["sections"]}}
