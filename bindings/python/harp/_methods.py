"""The methods of Tensor that are Python functions, and how a tensor is printed, copied and pickled."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _array_api, _core, _numpy_api, _ops
from ._at import At
from ._conversion import sizes_of
from ._core import Dim, Tensor
from ._creation import cast_to
from ._dtypes import BY_NAME, COMPLEX, REAL_FLOATS, bfloat16, dtype_of, float32, uint16
from ._errors import GradientError
from ._hints import TENSOR, MissingAttribute
from ._indexing import getitem, setitem
from ._ufuncs import array_ufunc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# The operations that are also methods of Tensor. Those of the second list accept out=None, which NumPy's functions of the same names pass on
# (np.sum(x) calls x.sum). Those of the last list have harp's parameters; generate.py writes their types.
_NUMPY = "argsort conjugate copy nonzero ptp ravel repeat searchsorted sort split squeeze swapaxes take".split()
_WITH_OUT = "all any argmax argmin clip cumprod cumsum max mean min prod round std sum var".split()
_METHODS = """
    abs conj cos diagonal dot exp flatten flip log log_softmax logsumexp matmul maximum minimum norm one_hot relu rsqrt sigmoid sign sin
    softmax sqrt square tanh topk trace tril triu
""".split()


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    _require_no_gradient(self)
    if self.dtype is bfloat16 and dtype is not None and copy is not False:
        self = _ops.cast(self, float32)
    values: np.ndarray[Any, Any] = _core.to_numpy(self, bool(copy))
    if dtype is None or values.dtype == dtype:
        return values
    if copy is False:
        raise ValueError(f"copy=False, but {values.dtype} values must be converted to {dtype}")
    return values.astype(dtype)


def _numpy(self: Tensor, *, copy: bool = False) -> np.ndarray[Any, Any]:
    """The values as a NumPy array. Without `copy` the array is read-only and shares the tensor's memory; with `copy` it is writable and has
    memory of its own."""
    _require_no_gradient(self)
    return _core.to_numpy(self, copy)


def _require_no_gradient(self: Tensor) -> None:
    if _core.depth_of(self) >= 0 and self.dtype in REAL_FLOATS + COMPLEX:
        raise GradientError("this tensor is being differentiated, and a gradient cannot pass through other libraries; harp.stop_gradient(x) "
                            "makes a constant of its values")  # fmt: skip


def _values(self: Tensor) -> np.ndarray[Any, Any]:
    """For printing."""
    return _core.to_numpy(_ops.cast(self, float32) if self.dtype is bfloat16 else self, False)


def _repr(self: Tensor) -> str:
    if _core.is_argument(self) and not self.is_realised:
        return f"Tensor(shape={_shape_text(self)}, dtype={self.dtype.name}, traced)"
    values = _values(self)
    text = np.array2string(values, separator=", ", prefix="Tensor(", suffix=")")
    if values.size == 0 and values.ndim > 1:
        text += f", shape={self.shape}"
    return f"Tensor({text}, dtype={self.dtype.name})"


def _str(self: Tensor) -> str:
    return _repr(self) if _core.is_argument(self) and not self.is_realised else str(_values(self))


def _format(self: Tensor, format_spec: str) -> str:
    if format_spec and self.ndim != 0:
        raise TypeError(f"the format {format_spec!r} is one of a number, and this tensor has the shape {_shape_text(self)}; np.array2string(x, "
                        "precision=3) formats the elements of an array")  # fmt: skip
    return format(self.item(), format_spec) if format_spec else str(self)


def _contains(self: Tensor, value: Any) -> bool:
    return bool(_array_api.any(_ops.equal(self, value)))


def _reversed(self: Tensor) -> Iterator[Tensor]:
    return iter(list(_iter(self))[::-1])


def _divmod(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
    return self // other, self % other


def _rdivmod(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
    return other // self, other % self


def _shape_text(self: Tensor) -> str:
    return "(" + ", ".join(map(repr, self.shape)) + ("," if self.ndim == 1 else "") + ")"


def _iter(self: Tensor) -> Iterator[Tensor]:
    if self.ndim == 0:
        raise TypeError("cannot iterate over a tensor of rank 0")
    if isinstance(self.shape[0], Dim):
        raise TypeError("cannot iterate over an axis of symbolic size")
    return iter(_ops.unstack(self, n=self.shape[0]))


def _dlpack(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    _require_no_gradient(self)
    if stream is not None:
        raise ValueError("host memory has no streams")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError("the tensor is in host memory and cannot be exported to another device")
    versioned = max_version is not None and max_version[0] >= 1
    # DLPack before 1.0 cannot express that memory is read-only, so the memory is copied, unless the caller forbids a copy.
    return _core.to_dlpack(self, versioned, bool(copy) or (copy is None and not versioned))


def _restore(values: np.ndarray[Any, Any], name: str) -> Tensor:
    x = _core.from_numpy(values, None)
    return x if BY_NAME[name] is not bfloat16 else _ops.bitcast(x, bfloat16)


def _reduce(self: Tensor) -> tuple[Any, ...]:
    stored = _ops.bitcast(self, uint16) if self.dtype is bfloat16 else self
    return _restore, (_core.to_numpy(stored, True), self.dtype.name)


def _to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    if device != "cpu" or stream is not None:
        raise ValueError(f"expected the device \"cpu\", got {device!r}")
    return self


def _namespace(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"harp has no version {api_version} of the Array API; 2024.12 is the newest")
    import harp

    return harp


def _astype(self: Tensor, dtype: Any, *, copy: bool = True) -> Tensor:
    """The values in another dtype."""
    if dtype_of(dtype) is self.dtype:
        return _ops.contiguous(self) if copy else _core.alias(self)
    return _ops.cast(self, dtype)


def _reshape(self: Tensor, *shape: Any, order: str = "C") -> Tensor:
    """The same elements in row-major order under another shape; one size may be -1. order "F": in column-major order."""
    sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, Dim)) else shape
    if order == "C":
        return _ops.reshape(self, sizes)
    if order != "F":
        raise ValueError(f'reshape: expected the order "C" or "F", got {order!r}')
    return _ops.transpose(_ops.reshape(_ops.transpose(self), list(sizes_of(sizes))[::-1]))


def _without_out(function: Any) -> Any:
    @functools.wraps(function)
    def method(self: Tensor, *args: Any, out: None = None, **keywords: Any) -> Any:
        if out is not None:
            raise TypeError(f"{function.__name__}: harp returns new tensors and writes to none, so out= has to be None")
        return function(self, *args, **keywords)

    return method


def _real(self: Tensor) -> Tensor:
    return _ops.real(self) if self.dtype in COMPLEX else self


def _imag(self: Tensor) -> Tensor:
    return _ops.imag(self) if self.dtype in COMPLEX else _array_api.zeros_like(self)


def _fill(self: Tensor, value: Any) -> None:
    """Sets all elements to a number."""
    self._rebind(_ops.full(cast_to(self, value), self.shape))


def _tobytes(self: Tensor) -> bytes:
    """The bytes of the values in row-major order."""
    return _core.to_numpy(_ops.bitcast(self, uint16) if self.dtype is bfloat16 else self, False).tobytes()


def _permute(self: Tensor, *axes: Any) -> Tensor:
    """Permutes axes: axis i of the result is axis axes[i]; without arguments the order of the axes is reversed."""
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return _ops.transpose(self, given or None)


def _t(self: Tensor) -> Tensor:
    if self.ndim != 2:
        raise ValueError(f"T expects a matrix; this tensor has {self.ndim} axes (use mT or permute_dims)")
    return _ops.transpose(self)


def _m_t(self: Tensor) -> Tensor:
    if self.ndim < 2:
        raise ValueError(f"mT expects at least two axes; this tensor has {self.ndim}")
    return _ops.permute_dims(self, [*range(self.ndim - 2), self.ndim - 1, self.ndim - 2])


def _size(self: Tensor) -> Any:
    size: Any = 1
    for each in self.shape:
        size = size * each
    return size


def _evaluate(self: Tensor) -> Tensor:
    """Computes the values now; returns the tensor."""
    _core.evaluate([self])
    return self


def _tolist(self: Tensor) -> Any:
    """The values as nested lists."""
    return _values(self).tolist()


def _nbytes(self: Tensor) -> Any:
    return _size(self) * self.dtype.itemsize


def _shift(function: Any, turned: bool) -> Any:
    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (int, Tensor, np.ndarray, np.generic)):
            return NotImplemented
        return function(other, self) if turned else function(self, other)

    return operator


def _attach() -> None:
    functions = vars(_array_api) | vars(_numpy_api)
    added: dict[str, Any] = {name: getattr(_ops, name) for name in _METHODS} | {name: functions[name] for name in _NUMPY}
    added |= {name: _without_out(functions[name]) for name in _WITH_OUT}
    added |= {
        "__lshift__": _shift(_array_api.bitwise_left_shift, False), "__rlshift__": _shift(_array_api.bitwise_left_shift, True),
        "__rshift__": _shift(_array_api.bitwise_right_shift, False), "__rrshift__": _shift(_array_api.bitwise_right_shift, True),
        "__array__": _array, "__array_namespace__": _namespace, "__array_ufunc__": array_ufunc, "__copy__": _ops.contiguous,
        "__contains__": _contains, "__deepcopy__": lambda self, memo: _ops.contiguous(self), "__divmod__": _divmod, "__dlpack__": _dlpack,
        "__dlpack_device__": lambda self: (1, 0), "__format__": _format, "__rdivmod__": _rdivmod, "__reversed__": _reversed,
        "__getitem__": getitem, "__iter__": _iter, "__reduce__": _reduce, "__repr__": _repr, "__round__": _array_api.round,
        "__setitem__": setitem, "__str__": _str, "T": property(_t), "astype": _astype, "at": property(At),
        "device": property(lambda self: "cpu"), "eval": _evaluate, "fill": _fill, "imag": property(_imag),
        "itemsize": property(lambda self: self.dtype.itemsize), "mT": property(_m_t), "nbytes": property(_nbytes), "numpy": _numpy,
        "permute": _permute, "real": property(_real), "reshape": _reshape, "size": property(_size), "to_device": _to_device,
        "tobytes": _tobytes, "tolist": _tolist, "transpose": _permute,
    }  # fmt: skip
    for name in TENSOR:
        added.setdefault(name, MissingAttribute(name))
    for name, method in added.items():
        setattr(Tensor, name, method)


_attach()
