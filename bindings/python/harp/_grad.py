"""Gradients of functions: reverse mode by harp, forward mode as the gradient of a gradient."""
from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import _core, _ops
from ._array_api import asarray, zeros_like
from ._core import Tensor
from ._dtypes import COMPLEX, REAL_FLOATS
from ._errors import DTypeError, ShapeError
from ._tree import flatten, in_order_of, unflatten


class _Nesting(threading.local):
    depth = 0  # how many nested gradients this thread is computing


_nesting = _Nesting()


def depth() -> int:
    """The number of nested gradients that are being computed."""
    return _nesting.depth


class _Level:
    """A context manager that counts one level of nesting while harp.grad calls the function."""

    def __enter__(self) -> int:
        _nesting.depth += 1
        return _nesting.depth - 1

    def __exit__(self, *error: object) -> None:
        _nesting.depth -= 1


def _same_shapes(what: str, tensors: Sequence[Tensor], others: Sequence[Tensor]) -> None:
    for tensor, other in zip(tensors, others):
        if tuple(tensor.shape) != tuple(other.shape):
            raise ShapeError(f"{what} has shape {tuple(other.shape)}; expected the tensor's shape {tuple(tensor.shape)}")


def _copies(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns tensors with the same elements, for a function that may assign to elements of its arguments (x[0] = 1)."""
    return [_core.alias(tensor) for tensor in tensors]


def _float_leaves(tree: Any, what: str) -> tuple[list[Tensor], Any]:
    leaves, description = flatten(tree)
    tensors = [asarray(leaf) for leaf in leaves]
    for tensor in tensors:
        if tensor.dtype.name not in ("float16", "bfloat16", "float32", "float64"):
            raise DTypeError(f"{what} must have a float dtype, not {tensor.dtype.name}")
    return tensors, description


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """Returns a function that returns the pair (function(...), the gradient). The parameters are those of grad()."""
    if not callable(function):
        raise TypeError(f"a gradient is one of a function, got {function!r}")
    is_one = hasattr(argnums, "__index__")
    numbers = (operator.index(argnums),) if is_one else tuple(map(operator.index, argnums))  # type: ignore[arg-type]

    @functools.wraps(function)
    def differentiated(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        places = {number % len(args) for number in numbers if -len(args) <= number < len(args)}
        if len(places) != len(numbers):
            raise ValueError(f"argnums={argnums} names an argument twice, or one that is not among the {len(args)} positional ones")
        chosen = tuple(args[number] for number in numbers)
        leaves, description = _float_leaves(chosen, "an argument of a gradient")
        with _Level() as depth:
            tracers = [_core.tracer(leaf, depth) for leaf in leaves]
            arguments = list(args)
            for number, traced in zip(numbers, unflatten(description, _copies(tracers))):
                arguments[number] = traced
            result = function(*arguments, **keywords)
            y, aux = result if has_aux else (result, None)
            if not isinstance(y, Tensor):
                raise TypeError(f"expected the function to return a tensor{' and an additional result' if has_aux else ''}, got {y!r}")
            if tuple(y.shape) != ():
                raise ShapeError(f"expected the function to return one number, got shape {y.shape} (use sum, or vjp)")
            if y.dtype not in REAL_FLOATS + COMPLEX:
                raise DTypeError(f"expected the function to return a float, got {y.dtype.name}, which has no gradient")
            passed, aux_description = flatten(aux)
            made = _core.gradient(y, tracers, [asarray(each) for each in passed], None, depth)
        gradients = unflatten(description, made[: len(tracers)])
        value: Any = made[len(tracers)]
        if has_aux:
            value = (value, unflatten(aux_description, made[len(tracers) + 1 :]))
        return value, gradients[0] if is_one else gradients

    return differentiated


def grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Returns a function that computes the gradient of `function`, which must return a tensor of rank 0.

    argnums: the positions of the arguments with respect to which the gradient is computed; each of these arguments is a tensor of floats,
    or a tuple, list or dict of such tensors, and its gradient has the same structure. has_aux: the function returns (y, something); the
    result is then (gradient, something). If y does not depend on an argument, the gradient for this argument is zero.
    """
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function)
    def gradient(*args: Any, **keywords: Any) -> Any:
        value, gradients = both(*args, **keywords)
        return (gradients, value[1]) if has_aux else gradients

    return gradient


def vjp(function: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Returns function(*primals) and a second function. The second function takes one weight for each result, and returns the gradients of
    the weighted sum of the results, one gradient for each element of primals."""
    leaves, description = _float_leaves(primals, "an argument of a gradient")
    with _Level() as depth:
        tracers = [_core.tracer(leaf, depth) for leaf in leaves]
        outputs, out_description = flatten(function(*unflatten(description, _copies(tracers))))
        outputs = [asarray(output) for output in outputs]
        results = [_core.gradient(output, [], [], None, depth)[0] for output in outputs]

    def pull(weights: Any) -> tuple[Any, ...]:
        given, weights_description = flatten(in_order_of(unflatten(out_description, results), weights))
        if weights_description != out_description:
            raise ValueError("vjp: the weights have another structure than the function's result")
        tensors = [asarray(weight) for weight in given]
        _same_shapes("vjp: a weight", outputs, tensors)
        return unflatten(description, _weighted(outputs, tracers, tensors, depth))  # type: ignore[no-any-return]

    return unflatten(out_description, results), pull


def _weighted(outputs: list[Tensor], tracers: list[Tensor], weights: list[Tensor], depth: int) -> list[Tensor]:
    """Returns the gradients of sum(output * weight), summed over all outputs, with respect to the tracers (the variables of the
    gradient)."""
    total: list[Tensor] = []
    for output, weight in zip(outputs, weights):
        made = _core.gradient(output, tracers, [], _ops.cast(weight, output.dtype), depth)[: len(tracers)]
        total = made if not total else [a + b for a, b in zip(total, made)]
    return total


def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Returns function(*primals), and the derivative of its results in the direction of `tangents`. Reverse mode gives the vector-Jacobian
    product, which is a linear function of its weights. The derivative wanted here is the gradient of that product with respect to the
    weights."""
    leaves, description = _float_leaves(tuple(primals), "what a derivative is taken of")
    directions, tangent_description = _float_leaves(in_order_of(tuple(primals), tuple(tangents)), "a direction")
    if tangent_description != description:
        raise ValueError("jvp: the tangents have another structure than the primals")
    _same_shapes("jvp: a tangent", leaves, directions)
    with _Level() as depth:
        tracers = [_core.tracer(leaf, depth) for leaf in leaves]
        outputs, out_description = flatten(function(*unflatten(description, _copies(tracers))))
        outputs = [asarray(output) for output in outputs]
        results = [_core.gradient(output, [], [], None, depth)[0] for output in outputs]
        with _Level() as inner:
            weights = [_core.tracer(zeros_like(output), inner) for output in outputs]
            changes = []
            for output, weight in zip(outputs, weights):
                gradients = _core.gradient(output, tracers, [], weight, depth)[: len(tracers)]
                change: Any = None
                for gradient, direction in zip(gradients, directions):
                    part = _core.gradient(gradient, [weight], [], _ops.cast(direction, gradient.dtype), inner)[0]
                    change = part if change is None else change + part
                changes.append(change)
    return unflatten(out_description, results), unflatten(out_description, changes)


def stop_gradient(x: Any, /) -> Tensor:
    """x itself, which gradients treat as a constant."""
    return _ops.stop_gradient(x)
