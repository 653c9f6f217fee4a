"""Properties of a dtype: its limits and its kind."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._conversion import dtype_or_of
from ._dtypes import COMPLEX, REAL_FLOATS, SIGNED, UNSIGNED, DType, bfloat16, bool_, complex64, complex128, dtype_of, float32, float64
from ._errors import DTypeError
from ._types import DTypeLike


class finfo_object(NamedTuple):  # noqa: N801
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class iinfo_object(NamedTuple):  # noqa: N801
    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: Any, /) -> finfo_object:
    """The limits of a float dtype."""
    dtype = dtype_or_of(type)
    real = {complex64: float32, complex128: float64}.get(dtype, dtype)
    if real is bfloat16:
        return finfo_object(16, 2.0**-7, 3.3895313892515355e38, -3.3895313892515355e38, 2.0**-126, bfloat16)
    if real not in REAL_FLOATS:
        raise DTypeError(f"finfo: expected a float dtype, got {dtype.name}")
    info = np.finfo(real.dtype)
    return finfo_object(int(info.bits), float(info.eps), float(info.max), float(info.min), float(info.tiny), real)


def iinfo(type: Any, /) -> iinfo_object:
    """The limits of an integer dtype."""
    dtype = dtype_or_of(type)
    if dtype not in SIGNED + UNSIGNED:
        raise DTypeError(f"iinfo: expected an integer dtype, got {dtype.name}")
    info = np.iinfo(dtype.dtype)
    return iinfo_object(int(info.bits), int(info.max), int(info.min), dtype)


_KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (bool_,), "signed integer": SIGNED, "unsigned integer": UNSIGNED, "integral": SIGNED + UNSIGNED, "real floating": REAL_FLOATS,
    "complex floating": COMPLEX, "numeric": SIGNED + UNSIGNED + REAL_FLOATS + COMPLEX,
}  # fmt: skip


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Tests whether a dtype equals another one or belongs to a kind: "bool", "signed integer", "integral", "real floating", "numeric"
    ..."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: {kind!r} is none of {', '.join(_KINDS)}")
        return dtype_of(dtype) in _KINDS[kind]
    return dtype_of(dtype) is dtype_of(kind)
