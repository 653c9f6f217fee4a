"""The capabilities of the namespace, and settings of the process."""
from __future__ import annotations

from typing import Any

from . import _core
from ._dtypes import ALL, bfloat16, complex64, float32, int64
from ._tree import flatten

__array_api_version__ = "2024.12"


def evaluate(*tensors: Any) -> None:
    """Computes the values of tensors, and of tuples, lists and dicts of tensors, in one program."""
    _core.evaluate([leaf for leaf in flatten(tensors)[0] if isinstance(leaf, _core.Tensor)])


def set_backend(name: str) -> None:
    """Sets how tensors are computed: "c" (compiled), "interp" (interpreted), or "auto": interpreted until the runs of a computation have
    taken about as long as its compilation, then compiled; harp.jit compiles at once. All settings give bit-identical results."""
    if name not in ("auto", "c", "interp"):
        raise ValueError(f'a backend is "auto", "c" or "interp", not {name!r}')
    _core.set_backend(name)


def configure(*, threads: int = 0, cache_dir: str | None = None, compiler: str | None = None) -> None:
    """Changes the settings of later compilations. threads: 0 means one for each CPU. cache_dir: the directory of compiled kernels; "" keeps
    them in memory. compiler: the command of the C compiler. This function must be called before the first symbolic size is made (harp.dim,
    jit(dynamic=...))."""
    if not 0 <= threads <= 1024:
        raise ValueError(f"threads is 0 ... 1024, not {threads}")
    _core.configure(threads, cache_dir, compiler)


def describe() -> str:
    """harp's version, the CPU, the C compiler that was found, the directory of compiled kernels."""
    return _core.describe()


def clear_cache(*, disk: bool = False) -> None:
    """Drops the programs that compute lazy tensors; with disk=True also clears the directory of compiled kernels."""
    _core.clear_cache(disk)


class _Info:
    """The object that __array_namespace_info__() of the Array API returns."""

    def capabilities(self) -> dict[str, Any]:
        """Returns the capabilities by name. Functions for which the shape of the result depends on values are supported (masks as indices,
        nonzero, unique_*). They evaluate their arguments, so they cannot be used in a traced function."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> list[str]:
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {"real floating": float32, "complex floating": complex64, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        from ._array_api import isdtype

        return {d.name: d for d in ALL if d.name not in ("float16", bfloat16.name) and (kind is None or isdtype(d, kind))}


def __array_namespace_info__() -> _Info:
    """Returns an object that describes dtypes, devices and capabilities."""
    return _Info()
