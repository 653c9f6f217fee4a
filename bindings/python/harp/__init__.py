"""Lazy arrays: operations are recorded, and compiled to machine code when a value is needed.

    import harp, numpy as np
    x = harp.asarray(np.random.rand(1000, 1000))
    y = harp.softmax(x @ x.T, axis=-1)       # nothing is computed yet
    print(y.sum())                           # one program, compiled once for this structure

The namespace is that of the Array API standard (2024.12), with NumPy's other functions (_numpy_api.py). harp.jit, harp.grad, harp.vmap,
harp.Graph, harp.tune and the operations of harp.h that the standard does not have, such as harp.softmax, are additions. The only device is
"cpu". docs/python.md in harp's sources is the tutorial.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import _array_api, _errors, _methods, _numpy_api, _ops  # noqa: F401  (_methods adds methods to Tensor)
from ._ops import *  # noqa: F403

from ._array_api import *  # noqa: F403  # isort: skip
from ._numpy_api import *  # noqa: F403  # isort: skip
from ._core import Dim, Tensor
from ._dtypes import (
    DType,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._dtypes import bool_ as bool
from ._errors import *  # noqa: F403
from ._grad import grad, jvp, stop_gradient, value_and_grad, vjp
from ._graph import Graph, Program, TuneResult, emit, load, tune
from ._hints import NAMESPACE, missing
from ._info import __array_api_version__, __array_namespace_info__, clear_cache, configure, describe, set_backend
from ._info import evaluate as eval
from ._jit import dim, jit
from ._native import custom_function, custom_function_results, native
from ._tree import map_leaves as tree_map
from ._vmap import hessian, jacobian, vmap

from . import fft, linalg, random  # isort: skip

if not TYPE_CHECKING:
    __getattr__ = missing(__name__, NAMESPACE)

e: float = 2.718281828459045
pi: float = 3.141592653589793
inf: float = float("inf")
nan: float = float("nan")
newaxis: None = None
__version__ = "0.1.0"

__all__ = [
    "DType", "Dim", "Graph", "Program", "Tensor", "TuneResult", "__array_api_version__", "__array_namespace_info__", "bfloat16",
    "bool", "clear_cache", "complex128", "complex64", "configure", "custom_function", "custom_function_results", "describe", "dim",
    "e", "emit", "eval", "fft", "float16", "float32", "float64", "grad", "hessian", "inf", "int16", "int32", "int64", "int8",
    "jacobian", "jit", "jvp", "linalg", "load", "nan", "native", "newaxis", "pi", "random", "set_backend", "stop_gradient",
    "tree_map", "tune", "uint16", "uint32", "uint64", "uint8", "value_and_grad", "vjp", "vmap",
]  # fmt: skip
__all__ += _array_api.__all__
__all__ += _numpy_api.__all__
__all__ += _errors.__all__
__all__ += _ops.__all__
