"""Dtypes: the DType objects, and the other values that name a dtype: strings, NumPy's dtypes, Python's types."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._errors import BY_STATUS, DTypeError


class DType:
    """The type of elements, for example `harp.float32`. A call makes a tensor of this dtype: `harp.float64(0.1)` has rank 0."""

    __slots__ = ("_hash", "itemsize", "name", "number")
    name: str
    number: int  # in harp.h
    itemsize: int

    def __init__(self, name: str, number: int, itemsize: int) -> None:
        self.name, self.number, self.itemsize = name, number, itemsize
        self._hash = hash(name if name == "bfloat16" else np.dtype(name))  # equal objects have equal hashes

    def __repr__(self) -> str:
        return f"harp.{self.name}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype, so that `np.dtype(harp.float32)` works."""
        if self.name == "bfloat16":
            raise TypeError("NumPy has no bfloat16")
        return np.dtype(self.name)

    @property
    def kind(self) -> str:
        """NumPy's letter for the kind of dtype: b (bool), i, u (integers without a sign), f, c. bfloat16 is of the kind f."""
        return "f" if self.name == "bfloat16" else self.dtype.kind

    @property
    def type(self) -> Any:
        """NumPy's type of numbers of this dtype, for example `np.float32`."""
        return self.dtype.type

    def __call__(self, value: Any = 0) -> Any:
        from ._conversion import asarray

        return asarray(value, dtype=self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        if isinstance(other, str):
            return other == self.name or (self.name != "bfloat16" and self.dtype == other)
        if isinstance(other, (np.dtype, type)):
            try:
                return self.number == number_of(other)
            except TypeError:
                return False
        return NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> str:
        return self.name if self.name != "bool" else "bool_"


bool_: DType = DType("bool", 1, 1)
int8: DType = DType("int8", 2, 1)
uint8: DType = DType("uint8", 3, 1)
int16: DType = DType("int16", 4, 2)
uint16: DType = DType("uint16", 5, 2)
int32: DType = DType("int32", 6, 4)
uint32: DType = DType("uint32", 7, 4)
int64: DType = DType("int64", 8, 8)
uint64: DType = DType("uint64", 9, 8)
float16: DType = DType("float16", 10, 2)
bfloat16: DType = DType("bfloat16", 11, 2)
float32: DType = DType("float32", 12, 4)
float64: DType = DType("float64", 13, 8)
complex64: DType = DType("complex64", 14, 8)
complex128: DType = DType("complex128", 15, 16)

ALL = (bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64, complex64, complex128)
SIGNED, UNSIGNED = (int8, int16, int32, int64), (uint8, uint16, uint32, uint64)
REAL_FLOATS, COMPLEX = (float16, bfloat16, float32, float64), (complex64, complex128)
SHORT_NAMES = ("bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "complex64", "complex128")
BY_NAME = {d.name: d for d in ALL} | dict(zip(SHORT_NAMES, ALL))  # harp's own names, those of the text format, are accepted too
OF_PYTHON: dict[Any, DType] = {bool: bool_, int: int64, float: float32, complex: complex64}


def number_of(thing: Any) -> int:
    """Returns the number that harp.h gives to a dtype. The dtype may be given as a NumPy dtype, a name, or Python's bool, int, float or
    complex."""
    if isinstance(thing, DType):
        return thing.number
    if thing in ("i8", "u8") and isinstance(thing, str):
        names = ("int64", "int8") if thing == "i8" else ("uint64", "uint8")
        raise DTypeError(f'the dtype "{thing}" has 8 bytes in NumPy, but 8 bits in harp\'s text format; write "{names[0]}" or "{names[1]}"')
    if isinstance(thing, type) and thing in OF_PYTHON:
        return OF_PYTHON[thing].number
    name = thing if isinstance(thing, str) and thing in BY_NAME else None
    if hasattr(thing, "shape") and not isinstance(thing, (type, np.dtype)):
        raise DTypeError(f"an array or a number of NumPy is not a dtype, got {thing!r}; its dtype is x.dtype")
    if name is None:
        try:
            name = np.dtype(thing).name
        except TypeError:
            hint = "; a shape of several sizes is a tuple, as in zeros((2, 3))" if isinstance(thing, int) else ""
            raise DTypeError(f"{thing!r} is not a dtype{hint}") from None
    if name not in BY_NAME:
        raise DTypeError(f"harp has no dtype for NumPy's {name}")
    return BY_NAME[name].number


def dtype_of(thing: Any) -> DType:
    """Returns the dtype that the argument names."""
    return ALL[number_of(thing) - 1]


_core.set_hooks(BY_STATUS, (None, *ALL), number_of)
