#!/usr/bin/env python3
"""Writes node_ops.go and tensor_ops.go, the operations of the package harp, from include/harp.api.json: every function of section 5 of
harp.h that makes nodes out of nodes and numbers. `./dev generate` calls it; with --check it writes nothing and exits 1 if a file would
change.

Rules of the translation, which docs/go.md states for readers:
  - an operation is a method of its first operand; one that has none, or a list of operands, is a method of Graph (nodes) or a function
    (tensors);
  - parameters that count a list are left out, because a Go slice has a length. A single list comes last and is variadic;
  - keepdims becomes a second method (Sum, SumKeepdims); text that may be NULL may be "", and a node that may be NULL may be left out
    (Node{}, nil);
  - several results are several return values.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Written by hand in gradient.go, custom.go and native.go, because their methods in Go differ from the C functions: they take a struct or a
# Go function, or one C function has several methods.
BY_HAND = {"harp_grad", "harp_grad_flags", "harp_depends", "harp_custom_function", "harp_custom_function_results", "harp_native"}
FLAGS = {"scan_flags": "ScanFlags"}
LISTS = {"int32_t": ("int", "int32s"), "int64_t": ("int", "int64s"), "harp_dim": ("Dim", "sizes"), "double": ("float64", "doubles")}
KEYWORDS = {"type", "func", "range", "var", "map"}


def go_name(c_name):
    return "".join(part[0].upper() + part[1:] for part in c_name.removeprefix("harp_").split("_"))


def go_parameter(name):
    parts = name.split("_")
    made = parts[0] + "".join(part.capitalize() for part in parts[1:])
    return made + "_" if made in KEYWORDS else made


class Operation:
    """One function of harp.h, with its parameters sorted by their role in Go."""

    def __init__(self, function):
        self.c_name, self.name, self.doc = function["name"], go_name(function["name"]), function["doc"]
        self.text_name = function["name"].removeprefix("harp_")
        self.parameters = function["parameters"]
        self.status = function["result"]["kind"] == "status"
        lengths = {p["length"] for p in self.parameters if p.get("length") and p["direction"] == "in"}
        names = {p["name"] for p in self.parameters}
        self.counts = {length for length in lengths if length in names}
        self.graph = self.parameters[0].get("base") == "harp_graph"
        self.outputs = [p for p in self.parameters if p["direction"] == "out"]
        self.shown = [p for p in self.parameters
                      if p["name"] not in self.counts and p["direction"] == "in" and p.get("base") != "harp_graph"]
        self.nodes = [p for p in self.shown if p["kind"] == "handle"]
        self.node_list = next((p for p in self.shown if p["kind"] == "array" and p["element"] == "harp_node*"), None)
        self.method = bool(self.nodes) and self.shown[0] is self.nodes[0]
        self.keepdims = any(p["name"] == "keepdims" for p in self.shown)
        lists = [p for p in self.shown if p["kind"] == "array"]
        self.variadic = lists[0] if len(lists) == 1 or (self.keepdims and len(lists) == 2) else None
        if self.keepdims and self.node_list and len(lists) == 2:
            # CustomReduce has two lists, the nodes and the axes; the axes are variadic.
            self.variadic = next(p for p in lists if p is not self.node_list)
        if self.variadic:
            self.shown = [p for p in self.shown if p is not self.variadic] + [self.variadic]

    def go_type(self, p, node):
        kind = p["kind"]
        if kind == "handle":
            return node
        if kind == "array":
            element = node if p["element"] == "harp_node*" else LISTS[p["element"]][0]
            return ("..." if p is self.variadic else "[]") + element
        if kind == "text":
            return "string"
        if kind == "struct":
            return "*PoolOptions"
        if kind == "pointer":
            return "*float64"  # the scale of scaled dot-product attention; nil means 1 / sqrt(features)
        if p.get("values") == "boolean":
            return "bool"
        if p.get("values") in FLAGS:
            return FLAGS[p["values"]]
        return {"int32_t": "int", "int64_t": "int", "double": "float64", "harp_dim": "Dim", "harp_dtype": "DType"}[p["base"]]

    def signature(self, node, receiver):
        """Returns the parameters as Go declares them, without the receiver, and without keepdims, for which there is a second method."""
        rest = [p for p in self.shown if not (p["name"] == "keepdims") and not (receiver and p is self.nodes[0])]
        return ", ".join(f"{go_parameter(p['name'])} {self.go_type(p, node)}" for p in rest)

    def results(self, node):
        """Returns (how, Go type of the results). `how` is "one", "list" (the number of results is known when the function is called) or
        "several"."""
        if not self.outputs:
            return "one", node
        if len(self.outputs) == 1 and self.outputs[0]["kind"] == "array":
            return "list", "[]" + node
        return "several", "(" + ", ".join(f"{go_parameter(p['name'])} {node}" for p in self.outputs) + ")"

    def variants(self):
        return [("", None)] if not self.keepdims else [("", "false"), ("Keepdims", "true")]

    def comment(self, name, keepdims, names):
        text = self.doc.strip() or "see harp.h"
        text = re.sub(r"\bharp_(\w+)\b", lambda m: names.get(m.group(0), m.group(0)), text)
        text = re.sub(r"\bNULL\b", "nil", text)
        text = re.sub(r"^\(the same\)", "the same", text)
        if keepdims == "true":
            text = f"as {self.name}, but the reduced axes stay, 1 long"
        lines = f"{name}: {text}".splitlines()
        return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def conversions(operation):
    """Returns (statements before the call, arguments in C's order, the lists that belong to each count)."""
    before, arguments = [], []
    lists = {}
    for p in operation.shown:
        if p["kind"] == "array" and p["length"] in operation.counts:
            lists.setdefault(p["length"], []).append(p)
    for p in operation.parameters:
        name = go_parameter(p["name"])
        if p["direction"] == "out":
            arguments.append(f"&{name}C[0]" if p["kind"] == "array" else f"&{name}C")
        elif p.get("base") == "harp_graph":
            arguments.append("g.p()")
        elif p["name"] in operation.counts:
            of = lists[p["name"]]
            if len(of) == 1:
                arguments.append(f"C.int32_t(len({go_parameter(of[0]['name'])}))")
            else:
                arguments.append("n")
        elif p["kind"] == "handle":
            arguments.append(f"{name}.p")
        elif p["kind"] == "array":
            if p["element"] == "harp_node*":
                arguments.append(f"handles({name})")
            else:
                arguments.append(f"{LISTS[p['element']][1]}({name})")
        elif p["kind"] == "text":
            before.append(f"{name}C := text({name}{', true' if p['null'] == 'yes' else ', false'})\n\tdefer release({name}C)")
            arguments.append(f"{name}C")
        elif p["kind"] == "struct":
            before.append(f"{name}C := {name}.inC()\n\tdefer {name}C.release()")
            arguments.append(f"{name}C.options")
        elif p["kind"] == "pointer":
            arguments.append(f"(*C.double)({name})")
        elif p.get("values") == "boolean":
            arguments.append("C.int32_t(keepdims)" if p["name"] == "keepdims" else f"boolean({name})")
        elif p["name"] == "axis":
            arguments.append(f"axisInC({name})")
        else:
            arguments.append(f"C.{p['base']}({name})")
    return before, arguments, lists


def list_length(length):
    return "+".join(go_parameter(part) if part.isidentifier() else part for part in length.split(" + "))


def node_operation(operation, names):
    made = []
    how, result = operation.results("Node")
    for suffix, keepdims in operation.variants():
        name = operation.name + suffix
        receiver = go_parameter(operation.nodes[0]["name"]) + " Node" if operation.method else "g *Graph"
        lines = [operation.comment(name, keepdims, names)]
        lines.append(f"func ({receiver}) {name}({operation.signature('Node', operation.method)}) {result} {{\n")
        before, arguments, lists = conversions(operation)
        arguments = [a.replace("C.int32_t(keepdims)", "1" if keepdims == "true" else "0") for a in arguments]
        needed = [go_parameter(p["name"]) for p in operation.nodes if p["null"] == "no"]
        optional = [go_parameter(p["name"]) for p in operation.nodes if p["null"] != "no"]
        fail = {"one": "return failed(err)", "list": "return failedList(err, %s)",
                "several": "return " + ", ".join(["failed(err)"] * len(operation.outputs))}[how]
        if how == "list":
            length = operation.outputs[0]["length"]
            length = f"len({go_parameter(operation.node_list['name'])})" if operation.node_list and length in operation.counts else \
                list_length(re.sub(r"\bn\b", "len(positions)", length) if operation.text_name == "split_at" else length)
            fail = fail % length
        if operation.node_list:
            needed_list = go_parameter(operation.node_list["name"])
            # meshgrid of an empty list returns an empty list; the other functions need a node, because its graph stores the error
            enter = "enterList" if how == "list" else "enterNonempty"
            entry = f"g.{enter}(\"{operation.text_name}\", {needed_list})"
            lines.append(f"\tif err := {entry}; err != nil {{\n\t\t{fail}\n\t}}\n")
        elif operation.method:
            entry = f'enter("{operation.text_name}", []Node{{{", ".join(needed)}}}' + "".join(f", {o}" for o in optional) + ")"
            lines.append(f"\tg, err := {entry}\n\tif err != nil {{\n\t\t{fail}\n\t}}\n")
        else:
            lines.append(f"\tif err := g.enterList(\"{operation.text_name}\", nil); err != nil {{\n\t\t{fail}\n\t}}\n")
        lines.append("\tdefer g.leave()\n")
        for count, of in lists.items():
            if len(of) > 1:
                these = ", ".join(f'len({go_parameter(p["name"])})' for p in of)
                lines.append(f'\tn, err := sameLength("{operation.text_name}", "{" and ".join(p["name"] for p in of)}", {these})\n'
                             f"\tif err != nil {{\n\t\t{fail}\n\t}}\n")
        for statement in before:
            lines.append(f"\t{statement}\n")
        if how == "list":
            lines.append(f"\tif {length} < 1 {{\n\t\treturn nil\n\t}}\n" if operation.text_name == "meshgrid" else
                         f"\tif err := partCount(\"{operation.text_name}\", {length}); err != nil {{\n\t\treturn failedList(err, 1)\n\t}}\n")
        for p in operation.outputs:
            if p["kind"] == "array":
                lines.append(f"\t{go_parameter(p['name'])}C := make([]*C.harp_node, {length})\n")
            else:
                lines.append(f"\tvar {go_parameter(p['name'])}C *C.harp_node\n")
        call = f"C.{operation.c_name}({', '.join(arguments)})"
        if how == "one":
            lines.append(f"\treturn g.made({call})\n")
        elif how == "list":
            lines.append(f"\treturn g.madeList({call}, {go_parameter(operation.outputs[0]['name'])}C)\n")
        else:
            these = ", ".join(f"{go_parameter(p['name'])}C" for p in operation.outputs)
            lines.append(f"\treturn g.madePair({call}, {these})\n")
        lines.append("}\n")
        made.append("".join(lines))
    return made


def hashed(operation, p):
    """Returns the Go method call that adds a parameter to the key by which an operation is cached."""
    name, kind = go_parameter(p["name"]), p["kind"]
    if kind == "array":
        return f".{ {'int': 'ints', 'Dim': 'dims', 'float64': 'floats'}[LISTS[p['element']][0]] }({name})"
    if kind == "text":
        return f".text({name})"
    if kind == "struct":
        return f".pool({name})"
    if kind == "pointer":
        return f".pointer({name})"
    if p.get("values") == "boolean":
        return f".flag({name})"
    return {"double": f".float({name})"}.get(p["base"], f".number(int64({name}))")


def tensor_operation(operation, names):
    made = []
    how, result = operation.results("*Tensor")
    for suffix, keepdims in operation.variants():
        name = operation.name + suffix
        lines = [operation.comment(name, keepdims, names)]
        head = f"func ({go_parameter(operation.nodes[0]['name'])} *Tensor) {name}" if operation.method else f"func {name}"
        lines.append(f"{head}({operation.signature('*Tensor', operation.method)}) {result} {{\n")
        key = f'opKey("{name}")' + "".join(hashed(operation, p) for p in operation.shown
                                          if p["kind"] != "handle" and p is not operation.node_list and p["name"] != "keepdims")
        copies = [p for p in operation.shown if p["kind"] == "array" and p is not operation.node_list]
        for p in copies:
            own = go_parameter(p["name"])
            lines.append(f"\t{own} = copied({own})\n")
        for p in operation.shown:
            if p["kind"] == "struct":
                lines.append(f"\t{go_parameter(p['name'])} = {go_parameter(p['name'])}.copied()\n")
        arguments, position = [], 0
        for p in operation.shown:
            own = go_parameter(p["name"])
            if p["kind"] == "handle":
                if not (operation.method and p is operation.nodes[0]):
                    arguments.append(f"in[{position}]")
                position += 1
            elif p is operation.node_list:
                arguments.append("in" + ("..." if p is operation.variadic else ""))
            elif p["name"] == "keepdims":
                continue
            else:
                arguments.append(own + ("..." if p is operation.variadic else ""))
        on = "in[0]" if operation.method else "g"
        parameter_g = "_" if operation.method else "g"
        parameter_n = "in" if operation.nodes or operation.node_list else "_"
        call = f"{on}.{name}({', '.join(arguments)})"
        operands = ", ".join(go_parameter(p["name"]) for p in operation.nodes)
        if operation.node_list:
            operands = f"{go_parameter(operation.node_list['name'])}..."
        separator = ", " if operands else ""
        if how == "one":
            lines.append(f"\treturn trace({key}, func({parameter_g} *Graph, {parameter_n} []Node) Node {{\n\t\treturn {call}\n\t}}{separator}{operands})\n")
        elif how == "list":
            lines.append(f"\treturn traceList({key}, func({parameter_g} *Graph, {parameter_n} []Node) []Node {{\n\t\treturn {call}\n\t}}{separator}{operands})\n")
        else:
            lines.append(f"\treturn tracePair({key}, func({parameter_g} *Graph, {parameter_n} []Node) (Node, Node) {{\n\t\treturn {call}\n\t}}{separator}{operands})\n")
        lines.append("}\n")
        made.append("".join(lines))
    return made


def outputs():
    with open(os.path.join(ROOT, "include", "harp.api.json"), encoding="utf-8") as file:
        api = json.load(file)
    functions = [f for f in api["functions"] if f["section"] == 5 and f["name"] not in BY_HAND]
    names = {f["name"]: go_name(f["name"]) for f in api["functions"] if f["section"] == 5}
    operations = [Operation(f) for f in functions]
    head = "// Code generated by generate.py from include/harp.api.json. DO NOT EDIT.\n\n"
    nodes = head + 'package harp\n\n// #include <harp.h>\nimport "C"\n\n' + "\n".join(text for op in operations for text in node_operation(op, names))
    tensors = head + "package harp\n\n" + "\n".join(text for op in operations for text in tensor_operation(op, names))
    return {"node_ops.go": nodes, "tensor_ops.go": tensors}


def main():
    status = 0
    for name, text in outputs().items():
        path = os.path.join(HERE, name)
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if old == text:
            continue
        if "--check" in sys.argv[1:]:
            print(f"{path} is not what {os.path.basename(__file__)} writes; run ./dev generate", file=sys.stderr)
            status = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
