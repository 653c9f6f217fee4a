"""include/harp.api.json is right. Declarations that are made from this file agree with harp.h, for C99 and C++ compilers. The table of all
functions begins with the table of version 1. The documentation describes all members of the file. The generator rejects functions about
which a fact is missing.

rows: C4.get_api
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "src", "capi"))
import api_json  # noqa: E402
import declarations  # noqa: E402


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def declared(type_, name):
    """Returns the C declaration of `name` with the type `type_`, made by the rule of docs/api-json.md."""
    return type_.replace("(*)", f"(*{name})", 1) if "(*)" in type_ else f"{type_} {name}"


def program(api):
    """Returns a C source that compiles only if the functions, constants, types and structs of harp.api.json agree with those of harp.h."""
    lines = ["#include <stddef.h>", "#include <harp.h>", "#define HOLDS(name, what) typedef char name[(what) ? 1 : -1]",
             "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for function in api["functions"]:
        parameters = ", ".join(declared(each["type"], each["name"]) for each in function["parameters"]) or "void"
        lines.append(f"{function['result']['type']} (*pointer_{function['name']})({parameters}) = {function['name']};")
        if function["table"] is None:
            continue
        lines.append(f"HOLDS(table_{function['name']}, offsetof(harp_api, {function['name']}) == "
                     f"offsetof(harp_api, harp_version) + {function['table']} * sizeof(void (*)(void)));")
    for constant in api["constants"]:
        value = constant["value"]
        text = f"({value + 1} - 1)" if value in (-2**31, -2**63) else str(value)  # C has no literal for the least integer of a type.
        lines.append(f"HOLDS(value_{constant['name']}, {constant['name']} == ({constant['type']}){text});")
    for typedef in api["typedefs"]:
        lines.append(f"{declared(typedef['type'] + '*', 'own_' + typedef['name'])} = ({typedef['name']}*)0;")
    for callback in api["callbacks"]:
        parameters = ", ".join(declared(each["type"], each["name"]) for each in callback["parameters"]) or "void"
        lines.append(f"{callback['result']['type']} (*own_{callback['name']})({parameters}) = ({callback['name']})0;")
        lines.append(f"{declared(callback['type'], 'typed_' + callback['name'])} = ({callback['name']})0;")
    for struct in api["structs"]:
        name = struct["name"]
        fields = " ".join(declared(field["type"], field["name"]) + ";" for field in struct["fields"])
        lines.append(f"struct own_{name} {{ {fields} }};")
        lines.append(f"HOLDS(size_{name}, sizeof(struct own_{name}) == sizeof({name}));")
        for field in struct["fields"]:
            at = f"{name}_{field['name']}"
            lines.append(f"HOLDS(at_{at}, offsetof(struct own_{name}, {field['name']}) == offsetof({name}, {field['name']}));")
            # A wrong type would not compile, because pointers to objects or functions of different types do not convert to each other.
            if "callback" in field:
                value = declared(field["type"], "value")
                lines.append(f"static void type_{at}({name}* whole, {value}) {{ whole->{field['name']} = value; }}")
            else:
                lines.append(f"static {field['type']}* type_{at}({name}* whole) {{ return &whole->{field['name']}; }}")
            lines.append(f"void use_{at}(void) {{ (void)type_{at}; }}")
        if struct["init"]:
            lines.append(f"{name} init_{name} = {struct['init']};")
    lines += ["#ifdef __cplusplus", "}", "#endif"]
    return "\n".join(lines) + "\n"


def check_compiles(api):
    text = program(api)
    with tempfile.TemporaryDirectory(prefix="harp-api-json-") as scratch:
        path = os.path.join(scratch, "api.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        warnings = ["-Wall", "-Wextra", "-Wno-unused-local-typedefs", "-Wno-missing-field-initializers", "-Werror", "-pedantic-errors"]
        tried = 0
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for language, standard in (("c", "c99"), ("c++", "c++17")):
                quiet = ["-Wno-invalid-offsetof"] if language == "c++" else []
                command = [compiler, "-x", language, f"-std={standard}", *warnings, *quiet, "-fsyntax-only",
                           "-I", os.path.join(SOURCE, "include"), path]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr[:4000]}"
                tried += 1
        assert tried, "no C compiler"


def check_complete(api):
    """No declaration of harp.h is missing. To check the parser, the declarations are counted in another way: by their first words."""
    text = re.sub(r"/\*.*?\*/", " ", read("include", "harp.h"), flags=re.S)
    functions = re.findall(r"^HARP_API(?:_SINCE\(\d+\))?\s[^;(]*?\b(harp_\w+)\(", text, re.M)
    assert [each["name"] for each in api["functions"]] == functions
    macros = [name for name in re.findall(r"^#define (HARP_[A-Z0-9_]+) ", text, re.M) if name != "HARP_API"]
    described = {each["name"] for each in api["constants"]} | {each["init"] for each in api["structs"]}
    assert not set(macros) - described, sorted(set(macros) - described)
    named = set(re.findall(r"^typedef\b[^{;]*?\b(harp_\w+);", text, re.M)) | set(re.findall(r"^\} (harp_\w+);", text, re.M))
    named |= set(re.findall(r"^typedef [^;{]*\(\*(harp_\w+)\)", text, re.M))
    types = {each["name"] for part in ("typedefs", "handles", "structs", "callbacks") for each in api[part]}
    assert named == types | {"harp_api"}, sorted(named ^ types)


def names_in(expression):
    """Returns the parameters that occur in the expression for a length."""
    return set(re.findall(r"\b(?!max\b|bytes\b|program\b|harp_)(?<!\.)[a-z]\w*", expression))


def check_references(api):
    """Checks references by name: a length consists of existing parameters or fields, and the groups, notes and functions that are named
    exist."""
    groups = {each["group"] for each in api["constants"]} | {"boolean"}
    functions = {each["name"] for each in api["functions"]}
    owners = [(each["name"], each["parameters"]) for each in api["functions"] + api["callbacks"]]
    owners += [(each["name"], each["fields"]) for each in api["structs"]]
    for owner, members in owners:
        names = {member["name"] for member in members}
        for member in members:
            assert names_in(member.get("length", "").replace("?", "")) <= names, f"{owner}: {member}"
            assert member.get("values", "boolean") in groups, f"{owner}: {member}"
            assert (member["kind"] == "value") != ("null" in member), f"{owner}: {member}"
            assert (member["kind"] in ("array", "bytes")) <= ("length" in member), f"{owner}: {member}"
            if "callback" in member:
                owners.append((f"{owner}.{member['name']}", member["callback"]["parameters"]))
    for handle in api["handles"]:
        assert {handle["retain"], handle["release"]} - {None} <= functions
        assert handle["release"] or handle["parent"], f"{handle['name']}: nobody releases it"
    for function in api["functions"]:
        assert function["doc"] or "note" in function, f"{function['name']} has no documentation"
        assert function.get("note", 0) < len(api["notes"])


def check_version_1(api):
    """struct harp_api begins with the committed list of version 1, which is in the order of harp.h."""
    first = read("tests", "capi", "api_version_1.txt").splitlines()
    table = re.search(r"typedef struct harp_api \{(.*?)\} harp_api;", read("include", "harp.h"), re.S)[1]
    members = re.findall(r"^  (.*?) ?\(\*(harp_\w+)\)\((.*)\);$", table, re.M)
    members = [f"{result} {name}({parameters})" for result, name, parameters in members]
    assert len(first) > 300 and members[: len(first)] == first, "struct harp_api does not begin with tests/capi/api_version_1.txt: " + str(
        next(((have, want) for have, want in zip(members, first) if have != want), "it is shorter"))
    numbered = sorted((function["table"], function["name"]) for function in api["functions"] if function["table"] is not None)
    assert [name for _, name in numbered] == [re.search(r"(harp_\w+)\(", member)[1] for member in members]
    assert [number for number, _ in numbered] == list(range(len(members)))


def members_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(members_of, value.values())) if value else set()
    return set().union(*map(members_of, value)) if isinstance(value, list) and value else set()


def check_documented(api):
    """docs/api-json.md describes every member of harp.api.json, and no member that does not exist."""
    rows = set()
    for cell in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", read("docs", "api-json.md"), re.M):
        rows |= set(re.findall(r"`(\w+)`", cell))
    values = {each for function in api["functions"] + api["callbacks"] for part in [*function["parameters"], function["result"]]
              for each in (part["kind"], part.get("direction"), part.get("ownership")) if each}
    values |= {field["kind"] for struct in api["structs"] for field in struct["fields"]}
    there = members_of(api) | values | {function["errors"] for function in api["functions"]}
    assert not there - rows, f"not documented: {sorted(there - rows)}"
    assert not rows - there, f"documented, but not there: {sorted(rows - there)}"


def fails(header, *words):
    try:
        api_json.describe(declarations.parse(header))
    except declarations.Mistake as mistake:
        assert all(word in str(mistake) for word in words), f"{mistake}; expected words: {words}"
        return
    raise AssertionError(f"the generator takes a header that it should refuse: {words}")


def check_generator():
    header = read("include", "harp.h")
    before_elu = "HARP_API harp_node* harp_elu("
    assert header.count(before_elu) == 1

    def with_line(line):
        return header.replace(before_elu, f"{line}\n{before_elu}")

    fails(with_line("HARP_API harp_status harp_odd(harp_graph* graph, const int64_t* numbers);"), "harp_odd", "numbers", "LENGTHS")
    fails(with_line("HARP_API const int64_t* harp_odd(harp_graph* graph);"), "harp_odd", "RESULTS")
    fails(with_line("#define HARP_ODD 3"), "HARP_ODD", "GROUPS")
    fails(with_line("typedef struct harp_odd harp_odd;"), "harp_odd", "HANDLES")
    fails(header.replace("harp_gelu(harp_node* x, const char* approximate)", "harp_gelu(harp_node* x)"), "NULL_MEANS", "gelu", "approximate")
    later = header.replace(before_elu, before_elu.replace("HARP_API", "HARP_API_SINCE(2)"))
    fails(later, "harp_elu", "version 2")
    later = later.replace("#define HARP_API_VERSION 1u", "#define HARP_API_VERSION 2u")
    old = [item.name for item in api_json.table_functions(declarations.parse(header))]
    new = [item.name for item in api_json.table_functions(declarations.parse(later))]
    assert new == [name for name in old if name != "harp_elu"] + ["harp_elu"]
    described = api_json.describe(declarations.parse(later))
    assert next(each for each in described["functions"] if each["name"] == "harp_elu")["since"] == 2


def main():
    api = json.loads(read("include", "harp.api.json"))
    check_complete(api)
    check_references(api)
    check_version_1(api)
    check_documented(api)
    check_generator()
    check_compiles(api)
    print(f"{len(api['functions'])} functions, {len(api['constants'])} constants, {len(api['structs'])} structs as harp.h declares them")


if __name__ == "__main__":
    main()
