"""Builds include/harp.api.json, which describes harp.h as data for generators of bindings and documentation. docs/api-json.md explains each
member of the JSON objects.

Describer derives most facts from the declarations of harp.h by conventions. The other facts are in api_facts.py.
"""
import json
import re

import api_facts
from declarations import Mistake

HANDLE_DOCS = {"retain": "Adds a reference and returns its argument.", "release": "Gives up one reference. NULL: nothing happens."}
FIELD_DOCS = {"struct_size": "The caller's sizeof of the struct.", "reserved": "Has to be 0."}
COUNT = re.compile(r"(n|n_\w+|rank|\w+_rank|size|capacity)$")
LIMITS = {"INT32_MIN": -(2**31), "INT64_MIN": -(2**63)}


class Facts:
    """The entries of one table of api_facts.py, indexed by (owner, name). Records which entries are looked up, so that unused ones can be
    reported."""

    def __init__(self, title, rows):
        self.title, self.values, self.used = title, {}, set()
        for owners, names, *value in rows:
            for owner in owners.split():
                for name in names.split():
                    if (owner, name) in self.values:
                        raise Mistake(f"api_facts.py: {title} has two entries for {owner}, {name}")
                    self.values[owner, name] = value[0] if len(value) == 1 else tuple(value)

    def get(self, owner, name):
        """Returns the entry's value, or None if there is no entry."""
        key = (owner.removeprefix("harp_"), name)
        if key in self.values:
            self.used.add(key)
        return self.values.get(key)

    def unused(self):
        return [f"{self.title}: {owner}, {name}" for owner, name in self.values if (owner, name) not in self.used]


class Describer:
    """Converts declarations of harp.h to members of the JSON."""

    def __init__(self, header):
        self.header = header
        self.handles = {item.name for item in header.of("handle")}
        self.structs = {item.name for item in header.of("struct")}
        self.callbacks = {item.name for item in header.of("callback")}
        self.null_means = Facts("NULL_MEANS", api_facts.NULL_MEANS)
        self.lengths = Facts("LENGTHS", api_facts.LENGTHS)
        self.single = Facts("SINGLE", [row + (True,) for row in api_facts.SINGLE])
        self.opaque = Facts("OPAQUE", [row + (True,) for row in api_facts.OPAQUE])
        self.ownership = Facts("OWNERSHIP", api_facts.OWNERSHIP)
        self.results = Facts("RESULTS", [(owners, "result", *rest) for owners, *rest in api_facts.RESULTS])
        self.mistakes = Facts("MISTAKES", [(owners, "result", what) for owners, what in api_facts.MISTAKES])
        self.values = Facts("VALUES", api_facts.VALUES)

    def tables(self):
        return [self.null_means, self.lengths, self.single, self.opaque, self.ownership, self.results, self.mistakes, self.values]

    # Lengths

    def count_of(self, variable, others, is_field):
        """Returns the name of the parameter or field that contains the number of elements of the array `variable`, or None. This is
        n_NAME, where NAME is the array's name, if it exists. Otherwise, for a parameter, it is the nearest preceding parameter that is a
        count, if only lists are between that count and `variable`; for a field called `dims`, it is the field `rank`."""
        names = [other.name for other in others]
        if f"n_{variable.name}" in names:
            return f"n_{variable.name}"
        if is_field:
            return "rank" if variable.name == "dims" and "rank" in names else None
        for other in reversed(others):
            if "*" not in other.type:
                of_bytes = variable.type.count("*") == 1 and base_of(variable.type) in ("void", "char")
                counts = COUNT.match(other.name) and other.type in ("int32_t", "size_t") and (other.name == "size") == of_bytes
                return other.name if counts else None
            if other.function or (base_of(other.type) in self.handles | self.structs and other.type.count("*") == 1):
                return None
        return None

    # Parameters and fields

    def length_of(self, owner, variable, others, is_field):
        """Returns the number of elements of an array as an expression; None for a pointer to a single object, to text, or to memory that
        harp only passes on."""
        base, stars = base_of(variable.type), variable.type.count("*")
        if stars == 0 or variable.function or self.single.get(owner, variable.name) or self.is_opaque(owner, variable):
            return None
        length = self.lengths.get(owner, variable.name) or self.count_of(variable, others, is_field)
        if stars == 1 and base in self.handles | self.structs and length != f"n_{variable.name}":
            return None  # a pointer to a single handle or struct; a preceding count is the length of another parameter
        return length

    def is_opaque(self, owner, variable):
        by_name = variable.name == "arg" or variable.name.endswith("user")
        return self.opaque.get(owner, variable.name) or (variable.type == "void*" and by_name)

    def kind_of(self, owner, variable, length):
        base, stars = base_of(variable.type), variable.type.count("*")
        if variable.function or base in self.callbacks:
            return "callback"
        if stars == 0:
            return "value"
        if self.is_opaque(owner, variable):
            return "opaque"
        if base == "char" and stars == 1:
            return "text"
        if length:
            return "bytes" if base == "void" and stars == 1 else "array"
        if stars == 1 and base in self.handles | self.structs:
            return "handle" if base in self.handles else "struct"
        result = base in self.handles if stars == 2 else stars == 1 and base != "void" and "const" not in variable.type
        if result or self.single.get(owner, variable.name):
            return "pointer"
        raise Mistake(f"harp.h: nothing says how many elements {owner}'s `{variable.name}` ({variable.type}) has; "
                      "see LENGTHS, SINGLE and OPAQUE in src/capi/api_facts.py")

    def variable(self, owner, variable, others, is_field=False, reads_handles=False, builds=False):
        """Returns the JSON of a parameter or of a field. `others` are the parameters before it, or all fields of the struct."""
        length = self.length_of(owner, variable, others, is_field)
        kind = self.kind_of(owner, variable, length)
        made = {"name": variable.name, "type": variable.type, "kind": kind}
        if kind in ("value", "handle", "struct") or kind == "callback" and not variable.function:
            made["base"] = base_of(variable.type)
        if kind in ("array", "pointer"):
            made["element"] = element_of(variable.type)
        if meaning := self.values.get(owner, variable.name):
            made["values"] = meaning
        if not is_field:
            made["direction"] = self.direction(owner, variable, kind)
        if kind != "value":
            made["null"], means = self.null_of(owner, variable, kind, reads_handles)
            if means:
                made["null_means"] = means
        if length:
            made["length"] = length
        if kind != "value" and not is_field:
            made["ownership"] = self.ownership_of(owner, variable, made, builds)
        if variable.function:
            made["callback"] = self.callback(f"{owner}.{variable.name}", variable.function)
        if is_field:
            made["doc"] = variable.doc
        return made

    def direction(self, owner, variable, kind):
        """Returns the direction of a parameter: "in", "out", or "inout" for a pointer to an object that the function reads and writes."""
        base, read_only = base_of(variable.type), variable.type.startswith("const") and variable.type.count("*") == 1
        if kind not in ("array", "bytes", "pointer", "struct") or read_only or "const*" in variable.type:
            return "in"
        if self.ownership.get(owner, variable.name):
            return "in"
        if kind == "struct":
            return "inout" if self.has_size(base) else "out"
        if kind == "array" and base in self.handles and base != "harp_node":
            return "inout"  # the function creates an object for each element that is NULL, and uses the objects of the other elements
        return "in" if owner in self.callbacks and variable.name != "outputs" else "out"

    def has_size(self, struct):
        item = next(item for item in self.header.items if item.kind == "struct" and item.name == struct)
        return item.fields[0].name == "struct_size"

    def null_of(self, owner, variable, kind, reads_handles):
        """Returns (whether the pointer may be NULL: "yes", "no" or "if empty"; what NULL means)."""
        means = self.null_means.get(owner, variable.name)
        if means:
            return "yes", means
        if variable.name == "err" and kind == "pointer":
            return "yes", "the error is not wanted"
        if variable.name == "options" and kind == "struct":
            return "yes", "the defaults"
        if kind == "opaque":
            return "yes", ""
        if kind == "handle" and reads_handles:
            return "yes", 'gives 0, NULL or ""'
        if kind == "handle" and re.search(r"_(retain|release)$", owner):
            return "yes", "gives NULL" if owner.endswith("_retain") else "nothing happens"
        if kind in ("array", "bytes") and self.lengths.get(owner, variable.name) != "?":
            return "if empty", ""
        return "no", ""

    def ownership_of(self, owner, variable, made, builds):
        """Returns the ownership of an argument or, for an output, the ownership of the object that the caller receives through it."""
        special = self.ownership.get(owner, variable.name)
        if special:
            return special
        base, kind = base_of(variable.type), made["kind"]
        if made["direction"] in ("out", "inout"):
            if base in self.handles and kind != "handle":
                return "borrowed" if base == "harp_node" else "owned"
            return "filled"
        if owner.endswith("_release") and kind == "handle":
            return "taken"
        if kind == "callback" and "buffer_wrap" in owner:
            return "kept"
        if "." not in owner and owner not in self.callbacks and (kind == "text" or base == "char"):
            return "copied"
        if builds and kind in ("array", "bytes") and base not in self.handles:
            return "copied"
        return "borrowed"

    def callback(self, owner, function):
        made = {"result": self.result(owner, function.result)}
        made["parameters"] = [self.variable(owner, parameter, function.parameters[:i]) for i, parameter in enumerate(function.parameters)]
        return made

    # Results

    def result(self, owner, text):
        base = base_of(text)
        made = {"type": text}
        meaning = self.values.get(owner, "result")
        if meaning:
            made["values"] = meaning
        fact = self.results.get(owner, "result")
        if "*" not in text and base not in self.callbacks:
            made["kind"] = "void" if text == "void" else "status" if text == "harp_status" else "value"
            return made
        kinds = [("callback", self.callbacks), ("text", {"char"}), ("handle", self.handles), ("bytes", {"void"}), ("struct", self.structs)]
        made["kind"] = next((kind for kind, bases in kinds if base in bases), "array")
        if made["kind"] in ("handle", "struct", "callback"):
            made["base"] = base
        if fact:
            until, null, length = fact
            made["null"], made["ownership"], made["until"] = "yes" if null else "no", "owned" if until == "free" else "borrowed", until
            if length:
                made["length"] = length
        elif base == "harp_node":
            made["null"], made["ownership"], made["until"] = "yes", "borrowed", "graph"
        elif (base in self.handles or base in self.structs) and "const" not in text:
            made["null"], made["ownership"] = "yes", "owned"
        else:
            raise Mistake(f"harp.h: nothing says who owns what {owner} returns; see RESULTS in src/capi/api_facts.py")
        return made

    # Declarations

    def function(self, item, table):
        parameters = item.signature.parameters
        handles = [parameter for parameter in parameters if parameter.type.count("*") == 1 and base_of(parameter.type) in self.handles]
        has_err = bool(parameters) and parameters[-1].name == "err"
        only_reads = not has_err and bool(handles) and all(parameter.type.startswith("const") for parameter in handles)
        graph_like = [parameter for parameter in parameters if base_of(parameter.type) in ("harp_graph", "harp_node")]
        mistakes = self.mistakes.get(item.name, "result") or (
            "err" if has_err else "graph" if graph_like and not only_reads and not re.search(r"_(retain|release)$", item.name) else "none")
        made = {"name": item.name, "section": item.section, "since": item.since, "table": table}
        made.update(self.docs(item))
        verb = re.search(r"_(retain|release)$", item.name)
        if verb and (not item.doc or item.doc_of):
            made["doc"] = HANDLE_DOCS[verb[1]]
            made.pop("doc_of", None)
        made["errors"] = mistakes
        made["result"] = self.result(item.name, item.signature.result)
        made["parameters"] = [self.variable(item.name, parameter, parameters[:i], reads_handles=only_reads, builds=mistakes == "graph")
                              for i, parameter in enumerate(parameters)]
        return made

    def docs(self, item):
        made = {"doc": item.doc}
        if item.doc_of:
            made["doc_of"] = item.doc_of
        if item.note is not None:
            made["note"] = item.note
        return made

    def struct(self, item):
        inits = {init.name for init in self.header.of("init")}
        init = item.name.upper() + "_INIT"
        fields = []
        for field in item.fields:
            made = self.variable(item.name, field, item.fields, is_field=True)
            reserved = re.match(r"reserved\d*$", field.name)
            if reserved or field.name in FIELD_DOCS:
                made["doc"] = FIELD_DOCS[re.sub(r"\d+$", "", field.name)]
            elif field.doc_of:
                made["doc_of"] = field.doc_of
            fields.append(made)
        return {"name": item.name, "section": item.section, **self.docs(item), "struct_size": item.fields[0].name == "struct_size",
                "init": init if init in inits else None, "fields": fields}

    def handle(self, item, functions):
        if item.name.removeprefix("harp_") not in api_facts.HANDLES:
            raise Mistake(f"api_facts.py: HANDLES has no {item.name}")
        keeps, send, share, condition = api_facts.HANDLES[item.name.removeprefix("harp_")]
        made = {"name": item.name, "section": item.section, **self.docs(item), "parent": f"harp_{keeps}" if keeps else None}
        for verb in ("retain", "release"):
            name = f"{item.name}_{verb}"
            made[verb] = name if name in functions else None
        made["threads"] = {"send": send, "share": share, "condition": condition}
        return made


def base_of(text):
    """Returns the C type without const, volatile, struct and pointers."""
    return re.sub(r"\b(const|volatile|struct)\b|\*", " ", text.split("(")[0]).split()[-1]


def element_of(text):
    """Returns the type that a pointer points to, without const: "harp_node*" for "harp_node* const*", "int64_t" for "const int64_t*"."""
    element = text[: text.rindex("*")].strip()
    return element.removesuffix("const").strip() if "*" in element else element.removeprefix("const ")


def constant(item, docs):
    for pattern, group, type_ in api_facts.GROUPS:
        if re.match(pattern, item.name):
            number = re.sub(r"\b(0x[0-9A-Fa-f]+|\d+)[uUlL]+\b", r"\1", item.value)
            value = eval(number, {"__builtins__": {}}, dict(LIMITS))  # noqa: S307: an expression of our own header
            return {"name": item.name, "section": item.section, "group": group, "type": type_, "value": value, **docs}
    raise Mistake(f"harp.h: the constant {item.name} is in no group; see GROUPS in src/capi/api_facts.py")


def table_functions(header):
    """Returns the functions in the order of struct harp_api: first those of version 1 of the struct, then those added in version 2, and so
    on."""
    functions = [item for item in header.of("function") if item.name != "harp_get_api"]
    newest = int(next(item.value for item in header.of("constant") if item.name == "HARP_API_VERSION").rstrip("u"))
    for item in functions:
        if not 1 <= item.since <= newest:
            raise Mistake(f"harp.h: {item.name} came with version {item.since} of struct harp_api, but HARP_API_VERSION is {newest}")
    return sorted(functions, key=lambda item: item.since)  # stable


def prototype(item):
    parameters = ", ".join(declared(parameter.type, parameter.name) for parameter in item.signature.parameters) or "void"
    return item.signature.result, item.name, parameters


def declared(type_, name):
    return type_.replace("(*)", f"(*{name})", 1) if "(*)" in type_ else f"{type_} {name}"


def describe(header):
    """Returns the whole description as values that json.dumps accepts."""
    describer = Describer(header)
    table = {item.name: i for i, item in enumerate(table_functions(header))}
    functions = {item.name for item in header.of("function")}
    constants = [constant(item, describer.docs(item)) for item in header.of("constant")]
    values = {item["name"]: item["value"] for item in constants}
    version = [values[f"HARP_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH")]
    made = {
        "format": 1,
        "version": ".".join(map(str, version)),
        "api_version": values["HARP_API_VERSION"],
        "doc": header.intro,
        "sections": [{"number": number, "title": title, "doc": text} for number, title, text in header.sections],
        "notes": [{"section": section, "doc": text} for section, text in header.notes],
        "constants": constants,
        "typedefs": [{"name": item.name, "section": item.section, "type": item.value, **describer.docs(item)}
                     for item in header.of("typedef")],
        "handles": [describer.handle(item, functions) for item in header.of("handle")],
        "structs": [describer.struct(item) for item in header.of("struct") if item.name != "harp_api"],
        "callbacks": [{"name": item.name, "section": item.section, "type": item.value, **describer.docs(item),
                       **describer.callback(item.name, item.signature)} for item in header.of("callback")],
        "functions": [describer.function(item, table.get(item.name)) for item in header.of("function")],
    }
    unused = [entry for facts in describer.tables() for entry in facts.unused()]
    unused += [f"HANDLES: {name}" for name in api_facts.HANDLES if f"harp_{name}" not in describer.handles]
    if unused:
        raise Mistake("src/capi/api_facts.py: entries that harp.h has no use for: " + "; ".join(unused))
    return made


def written(made):
    """Returns the JSON text. Each parameter or field is on one line, so that diffs are readable."""
    def compact(value):
        return json.dumps(value, ensure_ascii=False)

    def item(value):
        lines = []
        for key, part in value.items():
            if key in ("parameters", "fields") and part:
                body = ",\n".join("     " + compact(each) for each in part)
                lines.append(f'   {compact(key)}: [\n{body}\n   ]')
            else:
                lines.append(f"   {compact(key)}: {compact(part)}")
        return "  {\n" + ",\n".join(lines) + "\n  }"

    parts = []
    for key, value in made.items():
        if isinstance(value, list):
            parts.append(f" {compact(key)}: [\n" + ",\n".join(item(each) for each in value) + "\n ]")
        else:
            parts.append(f" {compact(key)}: {compact(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
