"""Checks the documentation as a whole. Every code block of every page of the site is run by a test, or the page says why it is not run.
Links have a target. Every page is in the table of contents. Each function, type and constant of harp.h is in the reference, with everything
that include/harp.api.json says about its parameters. If the package group docs is installed, Sphinx builds the site, and warnings are
errors.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import documents
import package_group
import tutorials_test

SOURCE, BUILD = os.environ["HARP_SOURCE_DIR"], os.environ["HARP_BUILD_DIR"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "docs", "site"))
import reference  # noqa: E402
import stage  # noqa: E402

# For each page, the test that runs its blocks, and the languages of these blocks. A block "text" is the output of a program, which the test
# compares.
RUN = {
    "docs/cpp.md": ("tests/bindings/cpp/document_test.py", {"cpp", "text"}),
    "docs/go.md": ("tests/bindings/go_test.py", {"go", "text"}),
    "docs/python.md": ("bindings/python/tests/test_documents.py", {"python", "text"}),
    "docs/rust.md": ("bindings/rust/harp/src/lib.rs", {"rust"}),
    "docs/semantics.md": ("tests/house/semantics_test.py", {"python", "harp"}),
    "docs/text-format.md": ("tests/house/tutorials_test.py", {"harp"}),
    "bindings/go/README.md": ("tests/bindings/go_test.py", {"sh", "go", "text"}),
    "bindings/python/README.md": ("bindings/python/tests/test_documents.py", {"python", "text"}),
    "bindings/rust/README.md": ("tests/bindings/rust_test.py", {"sh", "rust", "text"}),
    "examples/ajisai/README.md": ("tests/examples/ajisai_test.py", {"ajisai", "text"}),
    "docs/install.md": ("tests/house/tutorials_test.py", {"c", "cmake", "sh", "text"}),
    **{f"docs/{page}": ("tests/house/tutorials_test.py", {"c", "harp", "sh", "text"}) for page in tutorials_test.FOLLOWED},
}
# Blocks that the test of their page does not run, because another test does.
ALSO = {"bindings/python/README.md": ("tests/bindings/python_package_test.py", {"sh"}),
        "docs/cuda.md": ("tests/bindings/cpp/cuda_assignments_test.py", {"cpp"})}


def unrun(page, text):
    """Returns [(line, language)] of the blocks of a page that no test runs although the page gives no reason."""
    languages = RUN.get(page, ("", set()))[1] | ALSO.get(page, ("", set()))[1]
    return [(block.line, block.language) for block in documents.blocks(text) if block.language not in languages and not block.reason]


def check_blocks():
    count = 0
    for page in stage.site_pages():
        text = documents.read(page)
        left = unrun(page, text)
        assert not left, f"{page}: no test runs the block of {left[0][1]} in line {left[0][0]}; run it, or say <!-- not run: REASON --> above it"
        count += len(documents.blocks(text))
    assert count > 250, f"only {count} blocks were found"
    # Checks unrun() itself: a version that always returned an empty list would pass the loop above.
    assert unrun("docs/cpp.md", "```go\nx\n```\n") == [(1, "go")] and unrun("docs/new.md", "a\n\n```c\nx\n```\n") == [(3, "c")]
    assert not unrun("docs/new.md", "<!-- not run: an excerpt -->\n```c\nx\n```\n")


def check_tests_read_their_pages():
    """For each page of RUN and ALSO, checks that the named test contains the page's name."""
    for page, (test, _) in [*RUN.items(), *ALSO.items()]:
        name = os.path.basename(page)
        assert name in documents.read(test), f"{test} is said to run {page}, but does not mention {name}"
    for name in re.findall(r"docs/(\w[\w-]*\.md)", " ".join(RUN)):
        assert os.path.exists(os.path.join(SOURCE, "docs", name)), f"docs/{name} is not there"


def check_contents():
    """Checks that docs/index.md has a link to every page and to the reference."""
    listed = {os.path.normpath(os.path.join("docs", to)) for to in re.findall(r"^- \[[^\]]*\]\(([^)]*)\)", documents.read("docs/index.md"), re.M)}
    wanted = set(stage.site_pages()) - {"docs/index.md"} | set(stage.REFERENCE)
    assert listed == wanted, f"not in docs/index.md: {sorted(wanted - listed)}; there, but no page: {sorted(listed - wanted)}"


def check_anchors(texts):
    """Checks that each link to a part of a page names a heading or an anchor of that page."""
    places = {}
    for name, text in texts.items():
        headings = re.findall(r"^#+ (.*)$", "".join(stage.split_code(text)[::2]), re.M)
        slugs = {re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}
        places[name] = slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.M))
    for name, text in texts.items():
        for to in re.findall(r"\]\(([^)\s]*#[^)\s]*)\)", "".join(stage.split_code(text)[::2])):
            path, _, anchor = to.partition("#")
            page = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            assert page not in places or anchor in places[page], f"{name}: the link to {to} leads to no heading of {page}"


def check_links():
    try:
        stage.link_target("docs/c.md", "none.md", stage.site_pages())
    except stage.BrokenLink as error:
        assert "none.md" in str(error)
    else:
        raise AssertionError("a link to a page that is not there was taken")


def check_reference(texts):
    api = json.loads(documents.read("include/harp.api.json"))
    whole = "".join(text for name, text in texts.items() if name.startswith("reference/"))
    for function in api["functions"]:
        name = function["name"]
        assert len(re.findall(rf"^(?:\.\. c:function:: | {{16}}).*\b{name}\(", whole, re.M)) == 1, f"{name} has no entry of its own in the reference"
    for part, directive in (("typedefs", "c:type"), ("callbacks", "c:type"), ("handles", "c:struct"), ("structs", "c:struct"), ("constants", "c:macro")):
        for each in api[part]:
            found = re.findall(rf"^\.\. {directive}:: .*\b{each['name']}\b", whole, re.M)
            assert len(found) == 1, f"{each['name']} has {len(found)} entries in the reference, expected 1"
    fields = sum(len(struct["fields"]) for struct in api["structs"])
    members = len(re.findall(r"^   (?:\.\. c:member:: | {14}(?=\S))", whole, re.M))
    assert members == fields, f"{members} fields of structs in the reference, expected {fields}"
    entry = reference.Reference(api)
    pad = next(each for each in api["functions"] if each["name"] == "harp_pad")
    assert entry.field_list(pad) == {
        "param x": "not NULL", "param rank": "counts ``before`` and ``after``",
        "param before": "``rank`` elements; NULL only where there is no element; copied",
        "param after": "``rank`` elements; NULL only where there is no element; copied", "param mode": "may be NULL (\"constant\"); copied",
        "param value": "may be NULL (0)", "returns": "borrowed until the graph is released; NULL is a mistake, which sticks to the graph", "since": "1"}


def check_comments():
    """Checks that the comments of harp.h become the right paragraphs, tables and links of the reference."""
    api = json.loads(documents.read("include/harp.api.json"))
    comment = reference.Comment(api)
    assert comment.text("As harp_add, or a*b;\nsee `x` and harp_odd_.") == "As \\ :c:func:`harp_add`\\ , or a\\*b; see \\ ``x``\\  and harp\\_odd\\_.\n\n"
    assert comment.text("One. A\n  b\nTwo. C\n  d") == "One. A b\n\nTwo. C d\n\n"
    assert comment.text("These:\n  a=N   first\n  bcd   second") == "These:\n\n.. code-block:: none\n\n   a=N   first\n   bcd   second\n\n"
    assert comment.text("Say\n\n    f(x);\n    g(x);") == "Say\n\n.. code-block:: c\n\n   f(x);\n   g(x);\n\n"
    assert ":c:member:`harp_context_options.threads`" in comment.text("what harp_context_options.threads asks for")


def build_site():
    """Builds the site as ./dev docs does, in another folder. Returns a description of what is wrong, or "" if nothing is."""
    sphinx = os.path.join(BUILD, "docs_venv", "bin", "sphinx-build")
    with tempfile.TemporaryDirectory(prefix="harp-docs-") as scratch:
        source, site = os.path.join(scratch, "source"), os.path.join(scratch, "site")
        stage.stage(source)
        command = [sphinx, "-E", "-W", "--keep-going", "-q", "-b", "html", "-d", os.path.join(scratch, "trees"), "-c", os.path.join(SOURCE, "docs", "site")]
        result = subprocess.run([*command, source, site], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            return f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
        with open(os.path.join(site, "reference", "operations.html"), encoding="utf-8") as file:
            return "" if 'id="c.harp_add"' in file.read() else "harp_add has no place in the reference"


def main():
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-docs-") as scratch:
        texts = stage.stage(scratch)
    for check, arguments in ((check_blocks, ()), (check_tests_read_their_pages, ()), (check_contents, ()), (check_links, ()), (check_anchors, (texts,)),
                             (check_reference, (texts,)), (check_comments, ())):
        try:
            check(*arguments)
            print(f"pass {check.__name__}")
        except AssertionError as error:
            status = 1
            print(f"fail {check.__name__}: {error}")
    if status == 0:
        package_group.require("docs", __file__, paths=(os.path.join(BUILD, "docs_venv", "installed"),))
        wrong = build_site()
        print(f"fail build_site: {wrong}" if wrong else "pass build_site")
        status = 1 if wrong else 0
    return status


if __name__ == "__main__":
    sys.exit(main())
