#!/usr/bin/env python3
"""Writes what the bindings derive from the C interface, include/harp.api.json (harp.h as data):

    src/ops_generated.inc   for each operation, how its Python arguments are read and how the C function is called
    harp/_ops.py            for each operation, the Python function with its defaults, types and text
    harp/_core.pyi          the lines between "# generated {" and "# }": the operators of Tensor, and the operations that are its methods

`generate.py --check` reports whether the files are up to date. Facts that a prototype does not express (which parameters have defaults,
which operands promote together, the name in the Array API standard) are in the tables below.
"""
import json
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLLECTIONS = [HERE / "harp" / name for name in ("_array_api.py", "_numpy_api.py")]  # their functions replace operations of the same names
STUB = HERE / "harp" / "_core.pyi"
API = HERE.parent.parent / "include" / "harp.api.json"

# The index of the section of harp.h that declares the operations. The operations in BY_HAND get no generated code; hand-written code calls
# them.
OPERATIONS = 5
BY_HAND = {"custom_function", "custom_function_results", "native", "grad", "grad_flags", "depends"}
# Operations whose Python name differs from the name in C. The Python names are those of the Array API standard.
NAMES = {
    "neg": "negative", "recip": "reciprocal", "sub": "subtract", "mul": "multiply", "div": "divide", "eq": "equal", "ne": "not_equal",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "bitwise_not": "bitwise_invert",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "permute": "permute_dims",
}
# The operands of each of these operations are converted to their common dtype, so all but one may be Python numbers. The operands of
# elementwise operations are always converted in this way, and need no entry here.
PROMOTED = {"isclose": ("a", "b"), "isin": ("elements", "test_elements"), "searchsorted": ("sorted", "values")}
DEFAULTS = {
    "keepdims": False, "exclusive": False, "reverse": False, "axes": None, "stride": None, "padding": None, "dilation": None, "output_padding": None,
    "groups": 1,
    "norm": None, "reduction": "mean", "correction": 0, "approximate": "none", "alpha": 1.0, "min_val": -1.0, "max_val": 1.0,
    "negative_slope": 0.01, "rtol": 1e-5, "atol": 1e-8, "equal_nan": False, "offset": 0, "axis1": 0, "axis2": 1, "scales": None,
    "mode": None, "coordinates": None, "nearest_mode": None, "cubic_coeff_a": -0.75, "what": None, "indexing": "xy", "batch_dims": 0,
    "include_self": True, "descending": False, "largest": True, "invert": False, "side": "left", "eps": 1e-5, "delta": 1.0, "scale": None,
    "is_causal": False, "enable_gqa": False, "ignore_index": None, "label_smoothing": 0.0, "ceil_mode": False, "count_include_pad": True,
    "output_size": None, "start_axis": 0, "end_axis": -1, "step": None, "stop": None, "start": None, "s": None, "after": None,
    "softmax.axis": -1, "log_softmax.axis": -1, "argmax.axis": None, "argmin.axis": None, "argsort.axis": -1, "sort.axis": -1,
    "repeat.axis": None, "take.axis": None, "cross_entropy.axis": None, "nll_loss.axis": None, "vecdot.axis": -1, "cross.axis": -1,
    "concat.axis": 0, "stack.axis": 0, "split.axis": 0, "split_at.axis": 0, "unstack.axis": 0, "topk.axis": -1, "diff.axis": -1,
    "fft.axis": -1, "ifft.axis": -1, "rfft.axis": -1, "irfft.axis": -1, "fft.n": None, "ifft.n": None, "rfft.n": None, "irfft.n": None,
    "cumsum.axis": None, "cumprod.axis": None, "cummax.axis": None, "cummin.axis": None, "logcumsumexp.axis": None,
    "cummax_with_indices.axis": -1, "cummin_with_indices.axis": -1, "diag.k": 0, "tril.k": 0, "triu.k": 0, "rot90.k": 1, "diff.n": 1,
    "norm.order": 2.0, "scatter_nd.reduction": "set", "scatter_reduce.reduction": "sum", "custom_cumulative.axis": -1,
    "arange.start": 0, "arange.step": 1, "layer_norm.axes": -1, "rms_norm.axes": -1, "one_hot.dtype": "float32",
}
REQUIRED = {"permute.axes", "moveaxis.source", "moveaxis.destination", "unsqueeze.axes", "unfold.axes", "unfold.size", "arange.stop",
            "linspace.start", "linspace.stop", "tensordot.a_axes", "tensordot.b_axes", "pad.before", "roll.shift"}
# For each operation with several results: a C++ expression for the number of results.
RESULTS = {"split": "sections", "split_at": "positions.n + 1", "unstack": "n", "meshgrid": "nodes.n"}
KINDS = {  # for each kind of parameter: its letter in Row::kinds, the method of the C++ class Reader that reads it, and its Python type
    "node": ("x", "node", "Array"), "optional node": ("o", "optional_node", "Array | None"),
    "operand": ("p", "node", "Array | Number"), "like x": ("v", "optional_node", "Array | Number | None"),
    "nodes": ("N", "nodes", "Sequence[Array]"), "int": ("i", "integer", "int"), "bool": ("b", "integer", "bool"),
    "axis": ("a", "integer", "int | None"), "class": ("c", "integer", "int | None"), "float": ("f", "real", "float"),
    "optional float": ("F", "optional_real", "float | None"), "text": ("s", "text", "str | None"), "dtype": ("t", "integer", "DTypeLike"),
    "size": ("d", "size", "Size"), "length": ("e", "size", "Size | None"), "ints": ("A", "axes", "int | Sequence[int] | None"),
    "longs": ("A", "longs", "int | Sequence[int] | None"), "sizes": ("D", "sizes", "Size | Sequence[Size] | None"),
    "bounds": ("S", "sizes", "Sequence[Size | None] | None"), "floats": ("G", "reals", "Sequence[float] | None"),
}
# Operations for which users call a function of the Array API that has a parameter `axis` where the operation has `axes`. Errors then name
# the parameter `axis`.
WITH_AXIS = {"all", "any", "count_nonzero", "flip", "max", "mean", "min", "prod", "roll", "squeeze", "std", "sum", "var"}
POOL = [("stride", "longs"), ("padding", "sizes"), ("dilation", "longs"), ("ceil_mode", "bool"), ("count_include_pad", "bool")]


# Constants and error codes that the texts of harp.h mention, and the words that replace them in the texts of Python's functions.
WORDS = {
    "NULL": "None", "HARP_AXIS_NONE": "None", "HARP_CLASS_NONE": "None", "HARP_SLICE_NONE": "None", "HARP_ERROR_SHAPE": "a ShapeError",
    "HARP_ERROR_RANGE": "a RangeError", "HARP_ERROR_INVALID_ARGUMENT": "an InvalidArgumentError", "HARP_ERROR_DTYPE": "a DTypeError",
}


def in_python(text):
    """Replaces the names of C in a text of harp.h by those of Python. Makes the first letter a capital, unless the text begins with a
    name."""
    text = re.sub(r"\b[A-Z_]+\b", lambda word: WORDS.get(word[0], word[0]), text)
    named = text.startswith("harp_")
    text = re.sub(r"\bharp_(\w+)", lambda word: NAMES.get(word[1], word[1]), text)
    text = re.sub(r"(?<=\. )an? \w+Error", lambda words: words[0][0].upper() + words[0][1:], text)  # where it begins a sentence
    is_name = named or re.match(r"(?:[a-z]\b|numpy\.|torch\.)", text)  # a variable, such as x in "x * x", or another library's function
    return text if is_name and not text.startswith("a ") else text[0].upper() + text[1:]


class Operation:
    def __init__(self, function, elementwise, text):
        self.name = function["name"].removeprefix("harp_")
        self.text, self.python_name, self.elementwise = text, NAMES.get(self.name, self.name), elementwise
        self.results = RESULTS.get(self.name, "2" if function["result"]["kind"] == "status" else "1")
        self.parameters = []  # (name, kind) of the parameters of the Python function, in the order of the C function
        self.arguments = []  # C++ expressions
        lengths = {p["length"] for p in function["parameters"] if p.get("direction") == "in" and "length" in p}
        for parameter in function["parameters"]:
            if parameter["name"] in lengths and self.results == "1" or parameter["name"] in lengths - {self.results, "n"}:
                lists = [p["name"] for p in function["parameters"] if p.get("length") == parameter["name"] and p["direction"] == "in"]
                self.arguments.append(f"{lists[0]}.n" if len(lists) == 1 else f"r.count({{{', '.join(f'{x}.n' for x in lists)}}})")
            elif parameter["name"] == "n" and any(p["type"] == "harp_node* const*" for p in function["parameters"]):
                self.arguments.append("nodes.n")
            elif parameter["name"] == "n" and self.name == "split_at":
                self.arguments.append("positions.n")
            else:
                self._add(parameter)

    def _add(self, parameter):
        name, ctype, base = parameter["name"], parameter["type"], parameter.get("base")
        optional = parameter.get("null") == "yes"
        if ctype == "harp_graph*":
            return self.arguments.append("r.graph()")
        if parameter["direction"] == "out":
            count = len([a for a in self.arguments if a.startswith("&out")])
            return self.arguments.append("out.data()" if parameter["kind"] == "array" else f"&out[{count}]")
        if base == "harp_pool_options":
            self.parameters += POOL
            return self.arguments.append("&options")
        if parameter.get("values") == "scan_flags":
            self.parameters += [("exclusive", "bool"), ("reverse", "bool")]
            return self.arguments.append("static_cast<uint32_t>(exclusive | reverse << 1)")
        cast = {"int32_t": "narrow({})", "harp_dtype": "static_cast<harp_dtype>({})"}.get(ctype, "{}")
        if ctype == "harp_node*":
            kind = "optional node" if optional else "node"
            if self.name == "pad" and optional:
                kind = "like x"
            if name in PROMOTED.get(self.name, ()) or (self.elementwise and name != "condition"):
                kind = "operand"
        elif parameter["kind"] == "array":
            kind = "bounds" if self.name == "slice" and ctype == "const harp_dim*" else LISTS[ctype]
            cast = "{}.data"
        elif parameter.get("values") == "boolean":
            kind = "bool"
        elif name == "axis":
            kind = "axis"
        elif name == "ignore_index":
            kind = "class"
        elif base == "harp_dim" and self.name in ("fft", "ifft", "rfft", "irfft"):
            kind = "length"
        else:
            kind = {"int32_t": "int", "int64_t": "int", "double": "float", "const double*": "optional float", "const char*": "text",
                    "harp_dtype": "dtype", "harp_dim": "size"}[ctype]
        self.parameters.append((name, kind))
        return self.arguments.append(cast.format(name))

    def kinds(self):
        return "".join(KINDS[kind][0] for _, kind in self.parameters)

    def cpp(self):
        body = [f"const auto {name} = r.{KINDS[kind][1]}();" for name, kind in self.parameters]
        if any(argument == "&options" for argument in self.arguments):
            body.append("const auto options = pool_options(stride, padding, dilation, ceil_mode, count_include_pad);")
        call = f"harp_{self.name}({', '.join(self.arguments)})"
        if self.results == "1":
            body.append(f"out[0] = {call};")
        else:
            body.append(f"out.resize(results({self.results}));")
            body.append(f"{call};")
        several = "false" if self.results == "1" else "true"
        names = " ".join("axis" if name == "axes" and self.python_name in WITH_AXIS else name for name, _ in self.parameters)
        return f'{{"{self.python_name}", "{self.kinds()}", "{names}", {several}, [](Reader& r, Nodes& out) {{ {" ".join(body)} }}}},'

    def default(self, name):
        kind = dict(self.parameters)[name]
        if f"{self.name}.{name}" in REQUIRED or kind in ("node", "operand", "nodes"):
            return ...
        if kind in ("optional node", "like x"):
            return None
        return DEFAULTS.get(f"{self.name}.{name}", DEFAULTS.get(name, ...))

    def signature(self):
        firsts = [p for p in self.parameters if self.default(p[0]) is ...]
        rest = [p for p in self.parameters if self.default(p[0]) is not ...]
        signature, positional = [], 0
        for name, kind in firsts:
            signature.append(f"{name}: {KINDS[kind][2]}")
            if kind in ("node", "operand") and positional == len(signature) - 1:
                positional += 1
        if positional:
            signature.insert(positional, "/")
        return signature + [f"{name}: {KINDS[kind][2]} = {self.default(name)!r}" for name, kind in rest]

    def result_type(self):
        return {"1": "Tensor", "2": "tuple[Tensor, Tensor]"}.get(self.results, "tuple[Tensor, ...]")

    def python(self, index):
        order, signature, result = self.parameters, self.signature(), self.result_type()
        head = f"def {self.python_name}({', '.join(signature)}) -> {result}:"
        if len(head) > 120:
            head = f"def {self.python_name}(\n    {', '.join(signature)},\n) -> {result}:"
            if max(map(len, head.split("\n"))) > 120:
                head = f"def {self.python_name}(\n    " + ",\n    ".join(signature) + f",\n) -> {result}:"
        text = "\n".join(textwrap.wrap(self.text, 110, initial_indent='    """', subsequent_indent="    "))
        call = f"    return _apply({index}, {', '.join(name for name, _ in order)})  # type: ignore[no-any-return]"
        return f'{head}\n{text}"""\n{call}\n'


LISTS = {"harp_node* const*": "nodes", "const int32_t*": "ints", "const int64_t*": "longs", "const harp_dim*": "sizes",
         "const double*": "floats"}


def read_api():
    api = json.loads(API.read_text(encoding="utf-8"))
    together = [i for i, note in enumerate(api["notes"]) if note["doc"].startswith(("Elementwise, two", "Elementwise, three"))]
    docs = {function["name"]: function["doc"] for function in api["functions"]}
    operations = []
    for function in api["functions"]:
        if function["section"] != OPERATIONS or function["name"].removeprefix("harp_") in BY_HAND:
            continue
        text = " ".join((function["doc"] or docs.get(function.get("doc_of", ""), "")).split())
        text = (in_python(text) if text else f"See {function['name']} in harp.h.").replace("\\", "\\\\")
        operations.append(Operation(function, function.get("note") in together, text if text.endswith(".") else text + "."))
    return operations


def cpp_file(operations):
    lines = ["// Generated from include/harp.api.json by bindings/python/generate.py; do not edit.", "// clang-format off"]
    lines += [operation.cpp() for operation in operations]
    return "\n".join(lines) + "\n"


def python_file(operations):
    head = '''\
"""The operations of harp.h, one function each. Generated from include/harp.api.json by generate.py; do not edit."""
# ruff: noqa: A001, A002, N803
from __future__ import annotations

from collections.abc import Sequence

from ._core import Tensor
from ._core import apply as _apply
from ._types import Array, DTypeLike, Number, Size

'''
    # `import *` must not export operations that _array_api.py replaces by functions with the arguments of the Array API, and not fft,
    # because harp.fft is a module.
    other = set()
    for path in COLLECTIONS:
        other |= set(re.findall(r'"(\w+)"', re.search(r"^__all__ = \[(.*?)^\]", path.read_text(encoding="utf-8"), re.M | re.S)[1]))
    names = sorted(operation.python_name for operation in operations if operation.python_name not in other | {"fft"})
    wrapped = "\n".join(textwrap.wrap(", ".join(f'"{name}"' for name in names), 116, initial_indent="    ", subsequent_indent="    "))
    functions = "\n\n".join(operation.python(index) for index, operation in enumerate(operations))
    return f"{head}__all__ = [\n{wrapped},\n]\n\n\n{functions}"


OPERATORS = ("add sub mul truediv floordiv mod pow and or xor lshift rshift", "lt le eq ne gt ge", "neg pos abs invert")
METHODS = """
    abs conj cos diagonal dot exp flatten flip log log_softmax logsumexp matmul maximum minimum norm one_hot relu rsqrt sigmoid sign sin
    softmax sqrt square tanh topk trace tril triu
""".split()


def stub_part(operations):
    lines = []
    both, comparisons, unary = (names.split() for names in OPERATORS)
    for name in both:
        lines.append(f"def __{name}__(self, other: Array | Number | Dim, /) -> Tensor: ...")
        lines.append(f"def __r{name}__(self, other: Array | Number | Dim, /) -> Tensor: ...")
    lines += [f"def __{name}__(self, other: Array | Number | Dim, /) -> Tensor: ...  # type: ignore[override]" if name in ("eq", "ne") else
              f"def __{name}__(self, other: Array | Number | Dim, /) -> Tensor: ..." for name in comparisons]
    lines += [f"def __{name}__(self) -> Tensor: ..." for name in unary]
    lines += [f"def __{side}matmul__(self, other: Array, /) -> Tensor: ..." for side in ("", "r")]
    by_name = {operation.python_name: operation for operation in operations}
    for name in METHODS:
        parameters = by_name[name].signature()
        first = next(i for i, text in enumerate(parameters) if ": " in text)
        parameters[first] = "self"
        result = by_name[name].result_type()
        text = textwrap.wrap(by_name[name].text, 116, initial_indent='    """', subsequent_indent="    ")
        lines += [f"def {name}({', '.join(parameters)}) -> {result}:", *text[:-1], text[-1] + '"""']
    return "".join(f"    {line}\n" for line in lines)


def stub_file(operations):
    text = STUB.read_text(encoding="utf-8")
    head, rest = text.split("    # generated {\n")
    return head + "    # generated {\n" + stub_part(operations) + "    # }\n" + rest.split("    # }\n", 1)[1]


def main():
    operations = read_api()
    files = {HERE / "src" / "ops_generated.inc": cpp_file(operations), HERE / "harp" / "_ops.py": python_file(operations),
             STUB: stub_file(operations)}
    stale = [path for path, content in files.items() if not path.exists() or path.read_text(encoding="utf-8") != content]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.name} is not what bindings/python/generate.py writes; run it")
        return bool(stale)
    for path in stale:
        path.write_text(files[path], encoding="utf-8")
        print(f"wrote {path.relative_to(HERE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
