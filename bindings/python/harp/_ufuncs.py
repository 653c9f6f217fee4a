"""NumPy's universal functions with tensors as operands: np.exp(x) is harp.exp(x), and np.ones(3) + x is a tensor."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _array_api, _core, _numpy_api, _ops
from ._conversion import asarray
from ._core import Tensor
from ._dtypes import COMPLEX, REAL_FLOATS
from ._errors import GradientError

_FUNCTIONS: dict[str, Any] = {**vars(_ops), **vars(_array_api), **vars(_numpy_api)}
# Methods of universal functions, by the function's name
_REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    "add": _array_api.sum, "multiply": _array_api.prod, "maximum": _array_api.max, "minimum": _array_api.min, "logical_and": _array_api.all,
    "logical_or": _array_api.any,
}  # fmt: skip
_ACCUMULATIONS: dict[str, Callable[..., Tensor]] = {
    "add": _numpy_api.cumsum, "multiply": _numpy_api.cumprod, "maximum": _ops.cummax, "minimum": _ops.cummin,
}  # fmt: skip


def array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **keywords: Any) -> Any:
    """Applies harp's function of the same name. An array that is given as `out` (also by a += x) receives the values."""
    name = ufunc.__name__
    if method == "at" or any(each is not None for each in (out if isinstance(out, tuple) else (out,))):
        return _in_numpy(ufunc, method, inputs, out, keywords)
    function = _FUNCTIONS.get(name)
    if method == "__call__" and callable(function) and not keywords:
        return function(*inputs)
    if method == "reduce" and name in _REDUCTIONS and not keywords.keys() - {"axis", "keepdims"}:
        return _REDUCTIONS[name](inputs[0], keywords.get("axis", 0), keepdims=keywords.get("keepdims", False))
    if method == "accumulate" and name in _ACCUMULATIONS and not keywords.keys() - {"axis"}:
        return _ACCUMULATIONS[name](inputs[0], keywords.get("axis", 0))
    if method == "outer" and callable(function) and not keywords:
        a, b = asarray(inputs[0]), asarray(inputs[1])
        return function(_ops.reshape(a, [*a.shape, *[1] * b.ndim]), b)
    what = f"np.{name}" if method == "__call__" else f"np.{name}.{method}"
    given = f" with {', '.join(keywords)}=" if keywords else ""
    raise TypeError(f"harp has no counterpart of {what}{given}; np.asarray(x) passes the values of a tensor to NumPy")


def _in_numpy(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], out: Any, keywords: dict[str, Any]) -> Any:
    targets = out if isinstance(out, tuple) else (out,)
    if any(isinstance(each, Tensor) for each in (targets if method != "at" else inputs[:1])):
        raise TypeError(f"np.{ufunc.__name__}: harp returns new tensors and writes to none, so a tensor cannot be the one that is written to")
    for each in inputs:
        if isinstance(each, Tensor) and _core.depth_of(each) >= 0 and each.dtype in REAL_FLOATS + COMPLEX:
            raise GradientError(f"np.{ufunc.__name__}: this tensor is being differentiated, and a gradient cannot pass through a NumPy array that is "
                                "written to")  # fmt: skip
    arrays = [_core.to_numpy(each, False) if isinstance(each, Tensor) else each for each in inputs]
    if method == "at":
        return ufunc.at(*arrays)
    return getattr(ufunc, method)(*arrays, out=out, **keywords)
