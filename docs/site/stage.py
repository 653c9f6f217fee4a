"""Writes the sources of the site that `./dev docs` builds into a folder: the pages of docs/ and the READMEs that serve there, with links and
code as a site wants them, and the C reference. Needs nothing but Python.

usage: stage.py FOLDER

The pages are written for whoever reads them as files. On their way to the site
- a link to a file of the repository becomes a link to the page that it is on the site; one to a file that is on no page becomes its words,
- a list of links in docs/index.md also becomes the table of contents,
- a name of the C interface that stands alone in code becomes a link to its entry in the reference,
- lines of Rust that only a test needs (they begin with "# ") go.
"""
import json
import os
import re
import shutil
import sys

import reference

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Files that are not in docs/, and the pages of the site that they are.
ELSEWHERE = {"bindings/python/README.md": "bindings/python.md", "bindings/rust/README.md": "bindings/rust.md",
             "bindings/go/README.md": "bindings/go.md", "examples/ajisai/README.md": "ajisai.md"}
REFERENCE = {"include/harp.h": "reference/index.rst"}


class BrokenLink(Exception):
    pass


def site_pages():
    """{file of the repository: page of the site}, without the reference."""
    own = sorted(name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))
    return {**{f"docs/{name}": name for name in own}, **ELSEWHERE}


def link_target(source, target, pages):
    """Where a link of the file `source` leads on the site: a path relative to its page, or None, if it leads to a file that is no page."""
    path, hash_, anchor = target.partition("#")
    if re.match(r"\w+:", target) or not path:
        return target
    file = os.path.normpath(os.path.join(os.path.dirname(source), path))
    if not os.path.exists(os.path.join(ROOT, file)):
        raise BrokenLink(f"{source}: the link to {target} leads nowhere: there is no {file}")
    to = {**pages, **REFERENCE}.get(file)
    if to is None and file.startswith("docs/"):
        to = file[len("docs/"):]  # a picture
    if to is None:
        return None
    return os.path.relpath(to, os.path.dirname(pages[source]) or ".") + hash_ + anchor


def split_code(text):
    """The parts of a page, code blocks at the odd places."""
    return re.split(r"^(```\w+\n.*?^```$)", text, flags=re.M | re.S)


def prose(text, source, pages, roles):
    def link(match):
        target = link_target(source, match[2], pages)
        return match[1] if target is None else f"[{match[1]}]({target})"

    def name(match):
        role = roles.get(match[1].removesuffix("()"))
        return match[0] if role is None else f"{{{role}}}`{match[1].removesuffix('()')}`"

    text = re.sub(r'<a id="([\w-]+)"></a>\n', r"(\1)=\n", text)  # MyST's form of a named place
    parts = re.split(r"(`[^`]+`|!?\[[^\]]*\]\([^)\s]*\))", text)  # code, in which nothing is a link, and links
    for number, part in enumerate(parts):
        if number % 2 and not part.startswith("`"):
            mark = "!" if part.startswith("!") else ""
            parts[number] = mark + re.sub(r"\[([^\]]*)\]\(([^)]*)\)", link, part.removeprefix("!"))
        elif number % 2:
            before, after = "".join(parts[:number]).rsplit("\n", 1)[-1], parts[number + 1]
            if not before.startswith("#") and not before.endswith(("`", "{", "}")) and not after.startswith("`"):
                parts[number] = re.sub(r"^`((?:harp|HARP)_[\w.]+(?:\(\))?)`$", name, part)
    return "".join(parts)


def code(block):
    if block.startswith("```rust\n"):
        return "".join(line for line in block.splitlines(keepends=True) if not re.match(r"#( |$)", line))
    return block


def page(source, text, pages, roles):
    parts = split_code(text)
    return "".join(code(part) if number % 2 else prose(part, source, pages, roles) for number, part in enumerate(parts))


def contents(text):
    """Tables of contents of docs/index.md, as it was staged: one for each heading with a list of links."""
    result = ""
    for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        entries = re.findall(r"^- \[([^\]]*)\]\(([^)]*)\)", body, re.M)
        if entries:
            lines = "".join(f"{name} <{os.path.splitext(to)[0]}>\n" for name, to in entries)
            result += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}```\n"
    return result


def stage(target):
    """Writes everything; raises BrokenLink for a link that leads nowhere."""
    with open(os.path.join(ROOT, "include", "harp.api.json"), encoding="utf-8") as file:
        api = json.load(file)
    pages, roles = site_pages(), reference.roles(api)
    texts = {f"reference/{name}": text for name, text in reference.pages(api).items()}
    for source, to in pages.items():
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            texts[to] = page(source, file.read(), pages, roles)
    texts["index.md"] += contents(texts["index.md"])
    shutil.rmtree(target, ignore_errors=True)
    for name, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
        with open(os.path.join(target, name), "w", encoding="utf-8") as file:
            file.write(text)
    docs = os.path.join(ROOT, "docs")
    for folder, _, names in os.walk(docs):
        for name in names:
            if name.endswith((".png", ".svg")):
                to = os.path.join(target, os.path.relpath(os.path.join(folder, name), docs))
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copyfile(os.path.join(folder, name), to)
    return texts


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: stage.py FOLDER")
    try:
        stage(sys.argv[1])
    except BrokenLink as error:
        sys.exit(f"stage.py: {error}")
