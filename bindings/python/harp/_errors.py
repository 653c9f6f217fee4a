"""The exceptions that harp raises. Each class also derives from the builtin exception for the same kind of mistake, so that
`except ValueError` catches a ShapeError. The message is harp's."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:

    class _NumPysLinAlgError(Exception):
        """Stands for NumPy's class, so that the types of harp are known where NumPy is not installed."""

else:
    from numpy.linalg import LinAlgError as _NumPysLinAlgError

__all__ = [
    "AliasError",
    "CancelledError",
    "CompilerError",
    "DTypeError",
    "DeviceError",
    "Error",
    "FileError",
    "GradientError",
    "InternalError",
    "InvalidArgumentError",
    "NativeError",
    "OutOfMemoryError",
    "ParseError",
    "RangeError",
    "ShapeError",
    "SizeOverflowError",
    "UnsupportedError",
]


class Error(Exception):
    """The base class: an error that harp reports."""

    compiler_output: str

    def __init__(self, message: str = "", compiler_output: str = "") -> None:
        super().__init__(message)
        self.compiler_output = compiler_output


class InvalidArgumentError(Error, ValueError):
    """An argument is outside its domain, or a name is unknown."""


class ShapeError(Error, ValueError):
    """Shapes do not fit each other, or an axis does not exist."""


class DTypeError(Error, TypeError):
    """An operation does not accept a dtype."""


class RangeError(Error, ValueError):
    """A value is out of bounds: a symbolic size, a number that does not fit its dtype, or a checked index."""


class SizeOverflowError(Error, OverflowError):
    """A size does not fit 64 bits."""


class AliasError(Error, ValueError):
    """Output arrays overlap each other or an input array."""


class ParseError(Error, ValueError):
    """A text does not follow the syntax: a graph, an expression or the body of a function."""


class UnsupportedError(Error, NotImplementedError):
    """The request is valid, but this backend or system does not support it."""


class CompilerError(Error, RuntimeError):
    """No C compiler was found, or it failed; `compiler_output` is what it printed."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory for an array."""


class CancelledError(Error, RuntimeError):
    """A run was cancelled."""


class InternalError(Error, RuntimeError):
    """harp has detected a bug of its own."""


class _Raised(threading.local):
    error: BaseException | None = None  # the exception that a Python function raised while a program called it


raised = _Raised()


class NativeError(Error, RuntimeError):
    """A function that a program calls (harp.native) failed; `__cause__` is its exception if it is a Python function. If that is NumPy's
    LinAlgError, as for a singular matrix, the exception is also one (harp.linalg.LinAlgError)."""

    def __new__(cls, *arguments: object, **keywords: object) -> NativeError:  # noqa: PYI034 (it may be a LinAlgError)
        made = LinAlgError if cls is NativeError and isinstance(raised.error, _NumPysLinAlgError) else cls
        return super().__new__(made, *arguments)

    def __init__(self, message: str = "", compiler_output: str = "") -> None:
        error, raised.error = raised.error, None
        super().__init__(message if error is None else f"{message} ({type(error).__name__}: {error})", compiler_output)
        self.__cause__: BaseException | None = error


class LinAlgError(NativeError, _NumPysLinAlgError):
    """A decomposition of a matrix failed, such as the inverse of a singular matrix."""


class DeviceError(Error, RuntimeError):
    """A device does not exist."""


class GradientError(Error, ValueError):
    """A gradient does not exist."""


# The exception class of each status of harp.h; the index is the status. Entry 0 (HARP_OK) is never raised.
BY_STATUS = (
    Error, InvalidArgumentError, ShapeError, DTypeError, RangeError, SizeOverflowError, AliasError, ParseError, UnsupportedError,
    CompilerError, FileError, OutOfMemoryError, CancelledError, InternalError, NativeError, DeviceError, GradientError,
)  # fmt: skip
