"""Named graphs and programs: built or read, compiled, saved as text, tuned."""
from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from . import _core
from ._conversion import asarray, sizes_of
from ._core import Tensor
from ._errors import GradientError
from ._types import Array, DTypeLike, Shape


class Program:
    """A compiled graph. Called with its inputs in order or by name, it returns its output, or a tuple of its outputs."""

    def __init__(
        self, text: str, backend: str = "c", check_indices: bool = False, schedule: str | None = None, specialize: str | None = None
    ) -> None:
        if specialize not in (None, "auto"):
            raise ValueError(f'specialize is {specialize!r}, expected None or "auto"')
        self._compiled = _core.compile_text(text, backend, check_indices, schedule, specialize == "auto")
        self._options = (backend, check_indices, schedule, specialize)

    def __call__(self, *args: Array, **named: Any) -> Any:
        names = self._compiled.inputs
        if len(args) > len(names):
            raise TypeError(f"the program takes {len(names)} arrays, not {len(args)}")
        missing = [name for name in names[len(args) :] if name not in named]
        if missing:
            raise TypeError(f"the program was not given {', '.join(missing)}")
        arrays = [asarray(array) for array in (*args, *(named.pop(name) for name in names[len(args) :]))]
        for name in named:
            if name not in self._compiled.sizes:
                what = "was given twice" if name in names else f"is none of {', '.join([*names, *self._compiled.sizes])}"
                raise TypeError(f"the program's argument {name} {what}")
        if any(_core.depth_of(array) >= 0 for array in arrays):
            raise GradientError("a compiled program has no gradient: build its graph inside the function that is differentiated")
        results = self._compiled.run(arrays, named)
        return results[0] if len(results) == 1 else tuple(results)

    def specialize(self) -> int:
        """Compiles the program once more for each combination of symbolic sizes that occurred in at least two calls, and returns the number
        of combinations. Later calls with these sizes are faster; results do not change, and other sizes work as before. The program must
        have been compiled with specialize="auto"."""
        return self._compiled.specialize()

    def __repr__(self) -> str:
        return f"<harp.Program {self.signature}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self.text, *self._options)

    @property
    def signature(self) -> str:
        """The name, and the inputs and outputs with dtypes and sizes."""
        return self._compiled.signature

    @property
    def text(self) -> str:
        """The graph in harp's text format."""
        return self._compiled.text

    @property
    def source(self) -> str:
        """The C source that was compiled."""
        return self._compiled.source

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return self._compiled.inputs

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return self._compiled.outputs

    @property
    def kernels(self) -> int:
        """The number of kernels (loops over arrays) of the program."""
        return self._compiled.kernels


class Graph:
    """A computation with named inputs and outputs.

    g = harp.Graph("scaled")
    x = g.input("x", harp.float32, (harp.dim("n"), 64))
    g.output("y", harp.tanh(x) * 2)
    program = g.compile()
    """

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self._inputs: dict[str, Tensor] = {}
        self._outputs: dict[str, Tensor] = {}

    def input(self, name: str, dtype: DTypeLike, shape: Shape = ()) -> Tensor:
        """Declares an input and returns the tensor that stands for it in the graph; sizes may be symbolic."""
        if name in self._inputs:
            raise ValueError(f"the graph already has an input {name!r}")
        self._inputs[name] = _core.input(dtype, sizes_of(shape), False)
        return self._inputs[name]

    def output(self, name: str, tensor: Tensor) -> None:
        """Names a result."""
        if name in self._outputs:
            raise ValueError(f"the graph already has an output {name!r}")
        self._outputs[name] = asarray(tensor)

    @property
    def text(self) -> str:
        """The graph in harp's text format. Arrays that the graph uses but that are not inputs become constants in it."""
        if not self._outputs:
            raise ValueError("the graph has no outputs")
        return _core.graph_text(
            self.name, list(self._inputs.values()), list(self._inputs), list(self._outputs.values()), list(self._outputs)
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text."""
        Path(path).write_text(self.text, encoding="utf-8")

    def compile(
        self, *, backend: str = "c", check_indices: bool = False, schedule: str | None = None, specialize: str | None = None
    ) -> Program:
        """Compiles the graph to a program. With specialize="auto" the program counts the sizes of its calls, for Program.specialize."""
        return Program(self.text, backend, check_indices, schedule, specialize)


def load(
    path: str | os.PathLike[str], *, backend: str = "c", check_indices: bool = False, specialize: str | None = None
) -> Program:
    """Compiles the graph that a file contains in harp's text format."""
    return Program(Path(path).read_text(encoding="utf-8"), backend, check_indices, specialize=specialize)


class TuneResult(NamedTuple):
    """The result of harp.tune: the speedup over the untuned program, and the configuration that gives it ("": no configuration is
    faster)."""

    configuration: str
    speedup: float
    trials: int
    stored: bool
    why_not_stored: str


def tune(
    program: Program | Graph | Callable[..., Any],
    *args: Array,
    seconds: float = 30.0,
    max_trials: int = 0,
    progress: Callable[[int, float, float], bool | None] | None = None,
) -> TuneResult:
    """Searches for the fastest configuration of a program, which is run with the given arguments. The result is stored with the compiled
    kernels, and later compilations of the same program use it. If `program` is a function, it is traced with the arguments.

    progress: called with (trials, seconds of the best, seconds untuned) after each trial; False ends the search.
    """
    if isinstance(program, (Program, Graph)):
        text = program.text
    else:
        graph = Graph(re.sub(r"\W", "", getattr(program, "__name__", "")) or "function")
        arrays = [asarray(arg) for arg in args]
        results = program(*(graph.input(f"x{i}", array.dtype, array.shape) for i, array in enumerate(arrays)))
        for i, result in enumerate(results if isinstance(results, (tuple, list)) else [results]):
            graph.output(f"y{i}", result)
        text = graph.text
    return TuneResult(*_core.tune_text(text, [asarray(arg) for arg in args], seconds, max_trials, progress))


def emit(program: Program | Graph, stage: str = "c") -> str:
    """The text of one stage of a compilation: "graph", "opt", "schedule", "ir", "linear" or "c"."""
    return _core.emit_text(program.text, stage)


