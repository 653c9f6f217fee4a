"""User-defined operations: a body in harp's loop language, a Python function on NumPy arrays, a C function."""
from __future__ import annotations

import ctypes
import math
import sys
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _errors
from ._conversion import asarray, sizes_of
from ._core import Tensor
from ._dtypes import ALL, SHORT_NAMES, DType, bfloat16, dtype_of, number_of
from ._types import Array, DTypeLike, Shape

__all__ = ["custom_function", "custom_function_results", "native"]

_NAMES = _core.operation_names()
_CUSTOM, _SEVERAL, _NATIVE = (_NAMES.index(name) for name in ("custom_function", "custom_function_results", "native"))

# These tables contain C functions that call Python functions. The outer key is the Python function, the inner key is the list of types with
# which it was called. A C function is kept in the table, so that equal calls have the same address and use the same compiled program. It is
# kept as long as the Python function exists, or for ever if the object allows no weak references, such as NumPy's ufuncs.
_weak: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
_strong: dict[Any, dict[Any, Any]] = {}

_Type = tuple[DType, int]  # and rank


def custom_function(nodes: Sequence[Array], body: str, dtype: DTypeLike, shape: Shape) -> Tensor:
    """A function in harp's loop language (docs/text-format.md, "Functions of your own"), which is evaluated for each element of the result.

    nodes: the arrays input0, input1 ... of the body; real, possibly none. body: statements, one per line; ridx0 ... are the element's
    indices and shape0 ... the sizes of the result, `output` is the element and begins as 0. dtype, shape: of the result. A mistake in the
    body raises ParseError, DTypeError or ShapeError with line and column; an index outside its array raises RangeError during the run. It
    has no gradient.
    """
    return _core.apply(_CUSTOM, list(nodes), body, dtype, sizes_of(shape))  # type: ignore[no-any-return]


def custom_function_results(nodes: Sequence[Array], body: str, dtypes: Sequence[DTypeLike], shape: Shape) -> tuple[Tensor, ...]:
    """A custom function of several results, one for each dtype, all of this shape. The body sets output0, output1 ..., or output if there
    is one dtype; it is evaluated once for all results. The other parameters and the errors are those of custom_function.
    """
    numbers = [number_of(dtype) for dtype in dtypes]
    return _core.apply(_SEVERAL, list(nodes), body, numbers, sizes_of(shape))  # type: ignore[no-any-return]


def native(
    nodes: Sequence[Array],
    function: Callable[..., Any] | int,
    dtype: DTypeLike,
    shape: Shape,
    *,
    signature: str | None = None,
    user: Any = None,
    name: str | None = None,
) -> Tensor:
    """A function of the host program, called once in each run with arrays in memory. It has no gradient.

    Without `signature` it is a Python function, called as function(*arrays, out). The arguments are NumPy arrays that are valid only during
    the call; those of `nodes` are read-only. It writes to `out`, of this dtype and shape, and returns None or `out` (as NumPy's ufuncs do).
    An exception that it raises is the cause (`__cause__`) of the harp.NativeError that the run raises. A bfloat16 array is passed as a
    uint16 array that contains its bits.

    With `signature` it is a C function: a ctypes function, or its address. The signature says how it is called, in the syntax of harp.h:
    "void(i64 input0[0], f64* input0, f64* output)". user: the value of the parameter `void* user`, an address or a ctypes object. An
    address keeps nothing alive: its target must exist as long as programs that call the function.

    It must give the same result for the same arguments: harp calls it once for two equal nodes, and not at all if no output depends on it.
    It may not compute with harp. name: the name of the function in messages; by default the function's own name.
    """
    tensors = [asarray(node) for node in nodes]
    if not tensors:
        raise ValueError("a native function takes at least one array")
    made = dtype_of(dtype)
    sizes = sizes_of(shape)
    if name is None:
        name = getattr(function, "__name__", "function")
    if signature is None:
        if not callable(function):
            raise TypeError(f"expected a function or, with signature=, the address of one, got {function!r}")
        if user is not None:
            raise ValueError("user= requires signature=: only C functions receive it")
        types = tuple((tensor.dtype, tensor.ndim) for tensor in tensors)
        callback = _callback(function, types, (made, len(sizes)))
        handle: tuple[int, int, Any] = (_address(callback), 0, (function, callback))
        signature = _signature(types, (made, len(sizes)))
    else:
        handle = (_address(function), _address_of_user(user), (function, user))
    return _core.apply(_NATIVE, tensors, handle, name, signature, made, sizes)  # type: ignore[no-any-return]


def _address(function: Any) -> int:
    if isinstance(function, int):
        return function
    try:
        if function is None:
            raise TypeError
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    except (ctypes.ArgumentError, TypeError):
        raise TypeError(f"a C function is a function of ctypes or an address, not {function!r}") from None


def _address_of_user(user: Any) -> int:
    if user is None or isinstance(user, int):
        return user or 0
    try:
        return ctypes.addressof(user)
    except TypeError:
        raise TypeError(f"user= is an address or an object of ctypes, not {user!r}") from None


def _signature(inputs: Sequence[_Type], output: _Type) -> str:
    parameters = []
    for what, (dtype, rank) in [*((f"input{i}", each) for i, each in enumerate(inputs)), ("output", output)]:
        parameters.append(f"{SHORT_NAMES[ALL.index(dtype)]}* {what}")
        parameters += [f"i64 {what}[{axis}]" for axis in range(rank)]
    return f"i32({', '.join(parameters)})"


def _callback(function: Any, inputs: tuple[_Type, ...], output: _Type) -> Any:
    try:
        table = _weak.setdefault(function, {})
        reference: Callable[[], Any] = weakref.ref(function)
    except TypeError:
        table = _strong.setdefault(function, {})
        reference = lambda: function
    key = (inputs, output)
    if key not in table:
        ranks = [rank for _, rank in (*inputs, output)]
        parameters = [kind for rank in ranks for kind in (ctypes.c_void_p, *[ctypes.c_int64] * rank)]
        table[key] = ctypes.CFUNCTYPE(ctypes.c_int32, *parameters)(_caller(reference, (*inputs, output)))
    return table[key]


def _caller(reference: Callable[[], Any], types: tuple[_Type, ...]) -> Callable[..., int]:
    """Returns the Python function that C code calls with the address and the sizes of each input and of the output. It returns 0. If the
    user's function raised an exception, it returns 1 and stores the exception in _errors.raised."""

    def call(*words: Any) -> int:
        _errors.raised.error = None
        memory: list[Any] = []
        try:
            arrays, at = [], 0
            for dtype, rank in types:
                arrays.append(_array(words[at], words[at + 1 : at + 1 + rank], dtype, memory))
                at += 1 + rank
            out = arrays[-1]
            out.flags.writeable = True
            result = reference()(*arrays)
            if result is not None and result is not out:
                raise TypeError("a native function writes its result to its last argument; it does not return it")
            del arrays, out, result
            for i in range(len(memory)):
                if sys.getrefcount(memory[i]) > 2:
                    raise ValueError("a native function kept a reference to one of its arrays, which are valid only during the call; copy the array")
        except BaseException as error:  # an exception cannot propagate through the C code that calls this function
            traceback.clear_frames(error.__traceback__)  # clears the frames' local variables, which refer to the arrays
            _errors.raised.error = error
            return 1
        return 0

    return call


def _array(address: int | None, shape: tuple[int, ...], dtype: DType, memory: list[Any]) -> np.ndarray[Any, Any]:
    """Returns a NumPy view of the array at this address. Appends to `memory` the object to which all views of the array refer."""
    kind: Any = np.uint16 if dtype is bfloat16 else dtype.dtype
    size = math.prod(shape) * dtype.itemsize
    if address is None or size == 0:
        return np.empty(shape, kind)
    there: Any = (ctypes.c_char * size).from_address(address)
    memory.append(np.frombuffer(there, kind))
    view: np.ndarray[Any, Any] = memory[-1].reshape(shape)
    view.flags.writeable = False
    return view
