"""The exceptions that harp raises. Each class also derives from the builtin exception for the same kind of mistake, so that
`except ValueError` catches a ShapeError. The message is harp's."""
from __future__ import annotations

import threading

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
    """An argument outside its domain, an unknown name."""


class ShapeError(Error, ValueError):
    """Shapes that do not fit each other, an axis that does not exist."""


class DTypeError(Error, TypeError):
    """A dtype that an operation does not accept."""


class RangeError(Error, ValueError):
    """A value outside its bounds: a symbolic size, a number for a dtype, a checked index."""


class SizeOverflowError(Error, OverflowError):
    """A size that does not fit 64 bits."""


class AliasError(Error, ValueError):
    """Outputs that overlap each other or an input."""


class ParseError(Error, ValueError):
    """A text does not follow the syntax: a graph, an expression or the body of a function."""


class UnsupportedError(Error, NotImplementedError):
    """Valid, but not supported by this backend or system."""


class CompilerError(Error, RuntimeError):
    """No C compiler was found, or it failed; `compiler_output` is what it printed."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class OutOfMemoryError(Error, MemoryError):
    """No memory for an array."""


class CancelledError(Error, RuntimeError):
    """A run was cancelled."""


class InternalError(Error, RuntimeError):
    """A bug in harp."""


class _Raised(threading.local):
    error: BaseException | None = None  # the exception of a Python function that a program called


raised = _Raised()


class NativeError(Error, RuntimeError):
    """A function that a program calls (harp.native) failed; `__cause__` is its exception if it is a Python function."""

    def __init__(self, message: str = "", compiler_output: str = "") -> None:
        error = raised.error
        super().__init__(message if error is None else f"{message} ({type(error).__name__}: {error})", compiler_output)
        self.__cause__: BaseException | None = error
        raised.error = None


class DeviceError(Error, RuntimeError):
    """A device that does not exist."""


class GradientError(Error, ValueError):
    """A gradient that does not exist."""


# The index is the status number of harp.h; entry 0 stands for HARP_OK.
BY_STATUS = (
    Error, InvalidArgumentError, ShapeError, DTypeError, RangeError, SizeOverflowError, AliasError, ParseError, UnsupportedError,
    CompilerError, FileError, OutOfMemoryError, CancelledError, InternalError, NativeError, DeviceError, GradientError,
)  # fmt: skip
