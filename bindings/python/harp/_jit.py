"""harp.jit: a function of tensors, traced and compiled once for each structure of its arguments."""
from __future__ import annotations

import copyreg
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from . import _core
from ._core import Dim, Tensor
from ._dtypes import OF_PYTHON
from ._tree import flatten, is_array, unflatten

_F = TypeVar("_F", bound=Callable[..., Any])
Dynamic = Mapping[str, "Sequence[int | None | str | Dim] | Mapping[int, str | Dim]"]

_MOST = 2**31 - 1


def dim(name: str, least: int = 0, most: int = _MOST) -> Dim:
    """A symbolic size within bounds: equal names and bounds give the same size."""
    return _core.dim(name, least, most)


@overload
def jit(function: _F, /) -> _F: ...
@overload
def jit(
    function: None = None,
    /,
    *,
    dynamic: Dynamic | None = None,
    static: Sequence[str] = (),
    numpy: bool = False,
    check_indices: bool = False,
    flags: Sequence[str] = (),
) -> Callable[[_F], _F]: ...
def jit(
    function: Any = None,
    /,
    *,
    dynamic: Any = None,
    static: Sequence[str] = (),
    numpy: bool = False,
    check_indices: bool = False,
    flags: Sequence[str] = (),
) -> Any:
    """Compiles a function of tensors.

    The first call with arguments of some dtypes and shapes runs the function once, on tensors that stand for the arguments, and compiles
    what it computes; later calls only run the program. Arguments are tensors, NumPy arrays, Python numbers (whose values are arguments,
    too), and tuples, lists and dicts of these. An integer that the dtype of the other operand cannot hold raises harp.RangeError.

    dynamic: axes whose size is symbolic, so that one program serves all sizes: {"x": [0]} (axis 0 of x has a symbolic size of its own),
        {"x": {0: "n"}, "y": {0: "n"}} (axis 0 of x and axis 0 of y have the same size), or a harp.dim instead of the name, which has
        bounds. For a tuple, list or dict this applies to each of its tensors.
    static: names of parameters whose values the function needs while it is traced; they must be hashable, and each value has its own
        program. For a method, use jit(static=["self"]).
    numpy: results are NumPy arrays instead of tensors.
    check_indices: an index out of range raises harp.RangeError instead of being clamped to the nearest element.
    flags: additional options for the C compiler.
    """
    if function is None:
        return functools.partial(jit, dynamic=dynamic, static=static, numpy=numpy, check_indices=check_indices, flags=flags)
    return _make(function, dynamic or {}, tuple(static), numpy, check_indices, list(flags))


def _make(function: Callable[..., Any], dynamic: Any, static: tuple[str, ...], numpy: bool, check: bool, flags: list[str]) -> Any:
    if not callable(function):
        raise TypeError(f"jit: expected a function, got {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = None
    if signature is None and (dynamic or static):
        raise ValueError(f"jit: the names of the parameters of {function!r} are unknown, so dynamic= and static= cannot refer to them")
    names = list(signature.parameters) if signature is not None else []
    for name in [*dynamic, *static]:
        if names and name not in names:
            raise ValueError(f"jit: {getattr(function, '__name__', function)} has no parameter {name!r}")
    tables: dict[Any, Any] = {}  # compiled functions by the structure of the arguments and the values of static arguments

    def finish(tree: Any, leaves: list[Any]) -> Any:
        return unflatten(tree, leaves)

    def trace(call: Any, args: tuple[Any, ...], keywords: dict[str, Any], table: Any) -> Any:
        """Runs the function on tensors that stand for the arguments, compiles the trace, and adds the program to the table of compiled
        programs."""
        leaves, description = flatten((args, keywords))
        sizes = _dynamic_sizes(dynamic, signature, static, *unflatten(description, range(len(leaves)))) if dynamic else {}
        inputs = [_input(leaf, sizes.get(i)) for i, leaf in enumerate(leaves)]
        # The function gets tensors of its own, because it may assign to elements of its arguments (x[0] = 1).
        traced_args, traced_keywords = unflatten(description, [_core.alias(x) for x in inputs])
        results, tree = flatten(call(*traced_args, **traced_keywords))
        outputs = [_result(each) for each in results]
        table.add(inputs, outputs, None if tree == "leaf" else tree, check, flags)

    def miss(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        call, args, keywords, fixed = _without_static(function, signature, static, args, keywords)
        leaves, description = flatten((args, keywords))
        if any(isinstance(leaf, Tensor) and _core.is_traced(leaf) for leaf in leaves):
            # The call is inside another traced function or a gradient, so the operations become part of that function's trace.
            return call(*args, **keywords)
        leaves = [_argument(leaf) for leaf in leaves]
        args, keywords = unflatten(description, leaves)
        flat = not keywords and not fixed and len(args) == len(leaves) and all(a is b for a, b in zip(args, leaves))
        key = (description, fixed)
        table = compiled if flat else tables.get(key)
        if table is None:
            table = tables[key] = _core.Function(miss, finish, numpy)
        result = table.call(*leaves)
        if result is NotImplemented:
            trace(call, args, keywords, table)
            result = table.call(*leaves)
            if result is NotImplemented:
                raise AssertionError("jit: the program does not fit the arguments for which it was compiled")
        return result

    compiled = _core.Function(miss, finish, numpy)
    functools.update_wrapper(compiled, function)
    compiled.tables = tables
    compiled.options = {"dynamic": dynamic, "static": static, "numpy": numpy, "check_indices": check, "flags": flags}
    return compiled


def _remade(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    return jit(function, **options)


def _reduced(compiled: Any) -> Any:
    """How a traced function is pickled: by its name, or as the function that it traces, which is pickled by its own name."""
    path: str = getattr(compiled, "__qualname__", "")
    found: Any = sys.modules.get(compiled.__module__)
    for name in path.split("."):
        found = getattr(found, name, None)
    return path if found is compiled else (_remade, (compiled.__wrapped__, compiled.options))


copyreg.pickle(_core.Function, _reduced)


def _without_static(
    function: Any, signature: Any, static: tuple[str, ...], args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any], Any]:
    """Separates the static arguments. Returns (call, args, keywords, fixed): call(*args, **keywords) calls the function with all arguments.
    If there are static arguments, `args` is one dict of the other arguments, and `fixed` contains the name, type and value of each
    static argument; otherwise `fixed` is empty."""
    if not static:
        return function, args, keywords, ()
    bound = signature.bind(*args, **keywords)
    bound.apply_defaults()
    fixed = {name: bound.arguments[name] for name in static}
    rest = {name: value for name, value in bound.arguments.items() if name not in static}
    try:
        hash(tuple(fixed.values()))
    except TypeError as error:
        raise TypeError(f"jit: the value of a static parameter must be hashable: {error}") from None

    def call(rest: dict[str, Any]) -> Any:
        every = inspect.BoundArguments(signature, bound.arguments.copy())
        every.arguments.update(rest)
        return function(*every.args, **every.kwargs)

    return call, (rest,), {}, tuple((name, _static_key(value)) for name, value in fixed.items())


def _static_key(value: Any) -> Any:
    """What distinguishes the value of a static argument from others. The values themselves do not: 1, 1.0 and True are equal, and so are 0.0
    and -0.0, but they may give different traces; and NaN is not equal to itself."""
    if isinstance(value, float):
        return type(value), float(value).hex()
    if isinstance(value, complex):
        return type(value), value.real.hex(), value.imag.hex()
    if isinstance(value, tuple):
        return type(value), tuple(map(_static_key, value))
    if isinstance(value, frozenset):
        return type(value), frozenset(map(_static_key, value))
    return type(value), value


def _dynamic_sizes(dynamic: Any, signature: Any, static: tuple[str, ...], args: tuple[Any, ...], keywords: dict[str, Any]) -> dict[int, Any]:
    """Returns a dict with an entry for each leaf of the arguments that has dynamic axes. The key is the number of the leaf, the value is
    (name of the parameter, its entry in `dynamic`)."""
    given = args[0] if static else signature.bind(*args, **keywords).arguments
    sizes: dict[int, Any] = {}
    for name, axes in dynamic.items():
        numbers = flatten(given[name])[0] if name in given else []
        for k, number in enumerate(numbers):
            sizes[number] = (name if len(numbers) == 1 else f"{name}_{k}", axes)
    return sizes


def _argument(leaf: Any) -> Any:
    """Converts arguments that the core does not accept to tensors: numbers of other types, and arrays that need a conversion."""
    if isinstance(leaf, (Tensor, np.ndarray)) or type(leaf) in OF_PYTHON:
        return leaf
    kinds: tuple[Any, ...] = (int, float, complex)
    for kind in kinds:
        if isinstance(leaf, kind) and not isinstance(leaf, np.generic):
            return kind(leaf)  # of a subclass, such as an enumeration
    if is_array(leaf) or hasattr(leaf, "__dlpack__"):
        from ._array_api import asarray

        return asarray(leaf)
    raise TypeError(f"an argument of a traced function is a tensor, an array, a number, or a tuple, list or dict of these, not {leaf!r}; "
                    "jit(static=[...]) names parameters that are not")  # fmt: skip


def _input(leaf: Any, dynamic: tuple[str, Any] | None) -> Tensor:
    if not is_array(leaf):
        wide = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(leaf)]
        return _core.input(wide, (), True)
    shape = list(leaf.shape)
    if dynamic is not None:
        name, axes = dynamic
        entries = axes.items() if isinstance(axes, Mapping) else _axes(name, axes)
        for axis, size in entries:
            if not -len(shape) <= axis < len(shape):
                raise ValueError(f"jit: {name} has {len(shape)} axes, but axis {axis} is dynamic")
            shape[axis] = dim(size) if isinstance(size, str) else size
    return _core.input(leaf.dtype, shape, False)


def _axes(name: str, axes: Sequence[Any]) -> list[tuple[int, Any]]:
    if all(isinstance(axis, int) for axis in axes):
        return [(axis, f"{name}_{axis}") for axis in axes]
    return [(axis, size) for axis, size in enumerate(axes) if size is not None and not isinstance(size, int)]


def _result(thing: Any) -> Tensor:
    from ._array_api import asarray

    if isinstance(thing, Tensor):
        return _core.to_tensor(thing)
    if is_array(thing) or isinstance(thing, (Dim, *OF_PYTHON)):
        return asarray(thing)
    raise TypeError(f"a traced function returns tensors, or tuples, lists and dicts of them, not {thing!r}")
