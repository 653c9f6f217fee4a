#!/usr/bin/env python3
"""Generates the operations of the C++ interface from include/harp.api.json: include/harp/calls.hpp (a struct per operation with its
attributes and its C call), operations.hpp (a function per operation) and methods.hpp (a method per operation whose first operand is an
array).

`./dev generate` calls this script after generate.py, which writes harp.api.json. With --check it writes nothing and exits with 1 if a file
would change. For a new function in section 5 of harp.h, this script needs a change only if a parameter has a default value or is of a new
kind.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # avoids __pycache__ folders among the sources

import written  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "include", "harp")
OPERATIONS = 5  # number of the section of harp.h that declares the operations

# Operations whose C++ functions are written by hand: array constructors (graph.hpp, tensor.hpp) and gradients (gradient.hpp).
BY_HAND = {"arange", "linspace", "eye", "grad", "grad_flags", "depends", "native", "custom_function", "custom_function_results"}
# Elementwise operations, whose operands have equal shapes or are broadcast, besides those in the generated blocks of harp.h.
ELEMENTWISE = {"elu", "celu", "gelu", "hardtanh", "leaky_relu", "isclose", "powi", "cast", "bitcast", "stop_gradient", "contiguous"}
NOT_ELEMENTWISE = {"view_as_real", "view_as_complex"}
REDUCTIONS = {"sum", "prod", "max", "min", "any", "all", "count_nonzero", "mean", "var", "std", "norm", "logsumexp", "argmax", "argmin", "dot",
              "mse_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"}
# Default values of parameters of the C++ functions. An entry "parameter@operation" has precedence over an entry "parameter". A parameter
# without an entry is required, and so is one whose entry is None.
DEFAULTS = {
    "axes": "{}", "keepdims": "false", "axes@permute": None, "axes@unsqueeze": None, "axes@unfold": None, "axes@layer_norm": None,
    "axes@rms_norm": None, "axis@softmax": "-1", "axis@log_softmax": "-1", "axis@argmax": "flattened", "axis@argmin": "flattened",
    "axis@cumsum": "flattened", "axis@cumprod": "flattened", "axis@cummax": "flattened", "axis@cummin": "flattened",
    "axis@logcumsumexp": "flattened", "axis@cummax_with_indices": "flattened", "axis@cummin_with_indices": "flattened",
    "axis@take": "flattened", "axis@take_along_axis": "-1", "axis@sort": "-1", "axis@argsort": "-1", "axis@topk": "-1",
    "axis@concat": "0", "axis@stack": "0", "axis@split": "0", "axis@split_at": "0", "axis@unstack": "0", "axis@repeat": "flattened",
    "axis@diff": "-1", "axis@vecdot": "-1", "axis@cross": "-1", "axis@batch_norm": "1", "axis@cross_entropy": "flattened",
    "axis@nll_loss": "flattened", "axis@custom_cumulative": "flattened",
    **{f"axis@{name}": "-1" for name in ("fft", "ifft", "rfft", "irfft")}, **{f"n@{name}": "0" for name in ("fft", "ifft", "rfft", "irfft")},
    "n@diff": "1", "flags": "0", "correction": "0", "order": "2", "norm": "{}", "s": "{}", "rtol": "1e-5", "atol": "1e-8", "equal_nan": "false",
    "alpha": "1", "approximate": "{}", "min_val": "-1", "max_val": "1", "negative_slope": "0.01", "start_axis": "0", "end_axis": "-1",
    "start": "{}", "stop": "{}", "step": "{}", "stride": "{}", "dilation": "{}", "padding": "{}", "output_padding": "{}", "groups": "1",
    "offset": "0", "axis1": "0", "axis2": "1", "k@tril": "0", "k@triu": "0", "k@diag": "0", "k@rot90": "1", "scales": "{}", "mode": "{}",
    "coordinates": "{}", "nearest_mode": "{}", "cubic_coeff_a": "-0.75", "what": "{}", "indexing": "{}", "batch_dims": "0", "reduction": "{}",
    "include_self": "true", "descending": "false", "largest": "true", "invert": "false", "side": "{}", "dtype@one_hot": "DType::f32",
    "eps": "1e-5", "is_causal": "false", "scale": "{}", "enable_gqa": "false", "delta": "1", "ignore_index": "HARP_CLASS_NONE",
    "label_smoothing": "0", "options": "{}", "output_size": "{}",
}
LISTS = {"const int32_t*": "Axes", "const harp_dim*": "Sizes", "const int64_t*": "Steps", "const double*": "Scales"}
SCALARS = {"int32_t": "int32_t", "int64_t": "int64_t", "uint32_t": "uint32_t", "double": "double", "harp_dim": "Dim", "harp_dtype": "DType",
           "const char*": "Text", "const harp_pool_options*": "PoolOptions"}


def default_of(name, operation):
    return DEFAULTS.get(f"{name}@{operation}", DEFAULTS.get(name))


class Operation:
    """One function of harp.h: its operands (name, whether optional), its attributes (C++ type, name, default value), and the arguments of
    the C call."""

    def __init__(self, function, elementwise):
        self.c_name, self.name, self.doc = function["name"], function["name"][len("harp_"):], function["doc"]
        self.operands, self.attributes, self.arguments, self.setup = [], [], [], []
        self.is_list, self.results = False, []
        self.elementwise = (elementwise or self.name in ELEMENTWISE) and self.name not in NOT_ELEMENTWISE
        parameters = function["parameters"]
        self.facts = {parameter["name"]: parameter for parameter in parameters}
        self.types = {parameter["name"]: parameter["type"] for parameter in parameters}
        for position, parameter in enumerate(parameters):
            self.add(parameter["type"], parameter["name"], [(after["type"], after["name"]) for after in parameters[position + 1:]])
        if not self.results and function["result"]["kind"] == "status":
            sys.exit(f"{self.c_name}: a status, but no results")

    def add(self, kind, name, after):
        if kind == "harp_node*":
            self.arguments.append(f"x[{len(self.operands)}]")
            self.operands.append((name, self.facts[name]["null"] == "yes"))
        elif kind == "harp_node* const*":
            self.is_list = True
            self.arguments.append("x")
        elif kind == "harp_node**":
            self.results.append(name)
            self.arguments.append("out" if len(self.results) == 1 else f"out + {len(self.results) - 1}")
            if name not in ("parts", "results"):
                return
        elif kind == "int32_t" and after and after[0][0] == "harp_node* const*":
            self.arguments.append("static_cast<int32_t>(count)")
        elif kind == "int32_t" and not self.is_flag(name) and self.counts(after):
            self.arguments.append(self.count_of(self.counts(after)))
        elif kind == "int32_t" and self.name == "unstack" and name == "n":
            self.attributes.append(("int32_t", name, "size"))
            self.arguments.append("n")
        elif kind in LISTS:
            self.attributes.append((LISTS[kind], name, default_of(name, self.name)))
            if self.name == "slice":
                self.setup.append(f"{'int64_t' if name == 'step' else 'harp_dim'} {name}_room[HARP_MAX_RANK]; ")
                self.arguments.append(f"detail::extended({name}, x[0], {'int64_t{1}' if name == 'step' else 'open_end'}, {name}_room)")
            else:
                self.arguments.append(f"{name}.data()")
        elif kind in SCALARS:
            type_ = "bool" if self.is_flag(name) else SCALARS[kind]
            self.attributes.append((type_, name, default_of(name, self.name)))
            if type_ == "PoolOptions":
                self.setup.append("const harp_pool_options c_options = options.get(); ")
            self.arguments.append({"bool": f"{name} ? 1 : 0", "Dim": f"{name}.get()", "Text": f"{name}.get()", "DType": f"raw({name})",
                                   "PoolOptions": "&c_options"}.get(type_, name))
        else:
            sys.exit(f"{self.c_name}: no rule for the parameter \"{kind} {name}\"")

    def is_flag(self, name):
        return self.facts[name].get("values") == "boolean"

    @staticmethod
    def counts(after):
        """Returns the names of the lists that directly follow a parameter and whose length it is, if it is a count. `after` are all parameters
        after it."""
        lists = []
        for kind, name in after:
            if kind not in LISTS:
                break
            lists.append(name)
        return lists

    def count_of(self, lists):
        if self.name == "slice":
            return "harp_node_rank(x[0])"
        if self.name in ("moveaxis", "tensordot", "pad"):
            return f'detail::agreed(name, {lists[0]}, {lists[1]})'
        if self.name in ("fftn", "ifftn", "rfftn", "irfftn"):
            return "axes.given() ? axes.count() : s.count()"
        return f"{lists[0]}.count()"

    # calls.hpp

    def family(self):
        return "elementwise" if self.elementwise else "reduction" if self.name in REDUCTIONS else "other"

    def struct(self):
        members = "".join(f"  {type_} {name};\n" for type_, name, _ in self.attributes)
        visit = " ".join(f"f({name});" for _, name, _ in self.attributes)
        call = f"{self.c_name}({', '.join(self.arguments)})"
        setup = "".join(self.setup)
        if self.results:
            count = {"split": "static_cast<size_t>(sections)", "split_at": "static_cast<size_t>(positions.count()) + 1",
                     "unstack": "static_cast<size_t>(n)", "meshgrid": "count"}.get(self.name, "2")
            unused = "" if self.name == "meshgrid" else " /*count*/"
            head = f"  size_t results(size_t{' count' if self.name == 'meshgrid' else unused}) const {{ return {count}; }}\n"
            head += f"  harp_status operator()(harp_node* const* x, size_t{' count' if self.is_list else ' /*count*/'}, harp_node** out) const {{ {setup}return {call}; }}\n"
        elif self.is_list:
            head = f"  harp_node* operator()(harp_node* const* x, size_t count) const {{ {setup}return {call}; }}\n"
        else:
            head = f"  harp_node* operator()(harp_node* const* x) const {{ {setup}return {call}; }}\n"
        first = 1 if self.name == "where" else 0
        visitor = f"  template <class F> void attributes(F&& f) const {{ {visit} }}\n" if visit else ""
        base = "" if visit else " : detail::NoAttributes"
        return f"struct {self.name}{base} {{\n{members}  HARP_CPP_OPERATION({self.name}, {self.family()}, {first})\n{head}{visitor}}};\n"

    # The following functions write operations.hpp and methods.hpp.

    def ordered(self, with_first=True):
        """Returns the parameters of the C++ function as (name, type or "operand", whether it has a default value, default value).
        Parameters without a default value come first."""
        rows = []
        for name, kind in ((parameter, self.types[parameter]) for parameter in self.types):
            operand = next((o for o in self.operands if o[0] == name), None)
            attribute = next((a for a in self.attributes if a[1] == name), None)
            if operand and kind == "harp_node*":
                if operand is self.operands[0] and not with_first:
                    continue
                rows.append((name, "operand", operand[1], None))
            elif attribute and attribute[2] != "size":
                rows.append((name, attribute[0], attribute[2] is not None, attribute[2]))
        required = [row for row in rows if not row[2]]
        return required + [row for row in rows if row[2]]

    def declared(self, rows, letters):
        parts = []
        for name, kind, has_default, default in rows:
            if kind == "operand":
                parts.append(f"const {letters[name]}& {name}" + (" = {}" if has_default else ""))
            else:
                by_value = kind in ("bool", "int32_t", "int64_t", "uint32_t", "double", "DType")
                text = f"{kind} {name}" if by_value else f"const {kind}& {name}"
                parts.append(text + (f" = {default}" if has_default else ""))
        return ", ".join(parts)

    def instance(self):
        return f"op::{self.name}{{{', '.join(name for _, name, _ in self.attributes)}}}"

    def function(self):
        if self.is_list:
            return self.list_function()
        letters = {name: f"X{i}" for i, (name, _) in enumerate(self.operands)}
        rows = self.ordered()
        if self.results:
            operand = self.operands[0][0]
            letters = {operand: "T"}
            result, call = ("std::vector<detail::Array<T>>", "several") if self.results[0] in ("parts", "results") else ("std::pair<detail::Array<T>, T>", "two")
            if len(self.operands) != 1:
                sys.exit(f"{self.c_name}: several results of several operands")
            instance = self.instance().replace("{axis, n}", f"{{axis, detail::plain_size({operand}, axis)}}")
            return f"template <class T>\n{result} {self.name}({self.declared(rows, letters)}) {{\n  return detail::apply_{call}({instance}, &{operand}, 1);\n}}\n"
        templates = ", ".join(f"class {letters[name]}" + (" = None" if optional else "") for name, optional in self.template_order(rows))
        types = ", ".join(letters[name] for name, _ in self.operands)
        values = ", ".join(name for name, _ in self.operands)
        return (f"template <{templates}>\ndetail::Applied<op::{self.name}, {types}> {self.name}({self.declared(rows, letters)}) {{\n"
                f"  return detail::apply({self.instance()}, {values});\n}}\n")

    def template_order(self, rows):
        return [(name, has_default) for name, kind, has_default, _ in rows if kind == "operand"]

    def list_function(self):
        rows = self.ordered()
        result, call = ("std::vector<detail::Array<T>>", "apply_several") if self.results else ("detail::Array<T>", "apply_list")
        text = ""
        for kind, data in (("std::initializer_list<T>", "nodes.begin()"), ("const std::vector<T>&", "nodes.data()")):
            declared = self.declared(rows, {})
            if self.name == "einsum":
                arguments = f"{declared}, {kind} nodes"
            else:
                arguments = f"{kind} nodes" + (f", {declared}" if declared else "")
            text += f"template <class T>\n{result} {self.name}({arguments}) {{\n  return detail::{call}({self.instance()}, {data}, nodes.size());\n}}\n"
        return text

    def method(self):
        if self.is_list or not self.operands or self.operands[0][0] in ("condition", "key", "re", "query"):
            return ""
        rows = self.ordered(with_first=False)
        letters = {name: f"X{i}" for i, (name, _) in enumerate(self.operands)}
        declared = self.declared(rows, letters)
        templates = ", ".join(f"class {letters[name]}" + (" = None" if optional else "") for name, optional in self.template_order(rows))
        head = f"  template <{templates}>\n" if templates else ""
        first = self.operands[0][0]
        if self.results:
            result, call = ("std::vector<T>", "several") if self.results[0] in ("parts", "results") else ("std::pair<T, T>", "two")
            instance = self.instance().replace("{axis, n}", "{axis, detail::plain_size(self(), axis)}")
            return f"  {result} {self.name}({declared}) const {{ return detail::apply_{call}({instance}, &self(), 1); }}\n"
        values = ", ".join("self()" if name == first else name for name, _ in self.operands)
        return f"{head}  T {self.name}({declared}) const {{ return detail::apply({self.instance()}, {values}); }}\n"


TRAITS = """#define HARP_CPP_OPERATION(op, kind, first) \\
  static constexpr const char* name = #op; \\
  static constexpr detail::Family family = detail::Family::kind; \\
  static constexpr size_t first_value = first;

"""


def operations():
    with open(os.path.join(ROOT, "include", "harp.api.json"), encoding="utf-8") as file:
        api = json.load(file)
    with open(os.path.join(ROOT, "include", "harp.h"), encoding="utf-8") as file:
        header = file.read()
    listed = set()
    for group in ("unary", "binary", "ternary"):
        listed |= set(re.findall(r"\b(harp_\w+)\(", re.search(r": " + group + r" \{ \*/\n(.*?)/\* \} \*/", header, re.S)[1]))
    return [Operation(function, function["name"] in listed) for function in api["functions"]
            if function["section"] == OPERATIONS and function["name"][len("harp_"):] not in BY_HAND]


def page(title, guard, includes, body, before="", after=""):
    lines = "".join(f"#include <{include}>\n" for include in includes)
    return (f"// {title}\n// Generated by src/capi/generate_cpp.py from harp.api.json; harp.h says what each operation does.\n"
            f"#ifndef {guard}\n#define {guard}\n\n{lines}\n// clang-format off\nnamespace harp {{\ninline namespace HARP_CPP_NAMESPACE {{\n\n{before}"
            f"{body}{after}\n}}  // namespace HARP_CPP_NAMESPACE\n}}  // namespace harp\n// clang-format on\n\n#endif  // {guard}\n")


def outputs():
    all_operations = operations()
    calls = "".join(operation.struct() for operation in all_operations)
    free, said = "", None
    for operation in all_operations:  # Adjacent operations with equal documentation share one comment.
        free += "" if operation.doc == said else "\n" + "".join(f"/// {line}\n" for line in operation.doc.splitlines())
        free, said = free + operation.function(), operation.doc
    methods = "".join(operation.method() for operation in all_operations)
    return {
        "calls.hpp": page("Every operation of harp.h as a struct: its attributes, and the call that builds it. Part of harp.hpp.", "HARP_CALLS_HPP",
                          ["harp/apply.hpp"], calls, TRAITS + "namespace op {\n\n", "\n}  // namespace op\n\n#undef HARP_CPP_OPERATION\n"),
        "operations.hpp": page("Every operation of harp.h as a function on nodes, tensors and expressions. Part of harp.hpp.", "HARP_OPERATIONS_HPP",
                               ["harp/calls.hpp"], free),
        "methods.hpp": page("Every operation of harp.h whose first operand is an array, as a method of Node and Tensor. Part of harp.hpp.",
                            "HARP_METHODS_HPP", ["harp/calls.hpp"], methods,
                            "template <class T>\nclass Methods {\n public:\n",
                            "\n private:\n  const T& self() const { return static_cast<const T&>(*this); }\n};\n"),
    }


def main():
    written.write({os.path.join(FOLDER, name): text for name, text in outputs().items()})


if __name__ == "__main__":
    main()
