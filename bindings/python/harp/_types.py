"""Type aliases for the signatures of functions."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._core import Dim, Tensor

if TYPE_CHECKING:
    from ._dtypes import DType

Array = Union[Tensor, "np.ndarray[Any, Any]", "np.generic"]
Number = Union[bool, int, float, complex]
Size = Union[int, Dim]
Shape = Union[int, Dim, Sequence[Union[int, Dim]]]
DTypeLike = Union["DType", "np.dtype[Any]", type, str]
Axes = Union[int, Sequence[int], None]
