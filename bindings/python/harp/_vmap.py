"""harp.vmap: applies a function of one element to all elements along an axis. The function is traced once; each operation of the trace is
then applied to the whole axis (the batch axis), which is axis 0 of everything that depends on it. There is a rule for each kind of
operation; an operation without a rule is applied to one element at a time, and the results are stacked.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import _core, _grad, _lapack, _ops, _vmap_rules
from ._array_api import asarray
from ._core import Tensor
from ._errors import ShapeError
from ._native import native
from ._tree import flatten, unflatten

_NUMBERS = {name: number for number, name in enumerate(_core.operation_names())}


def _apply(name: str, arguments: list[Any]) -> Any:
    return _core.apply(_NUMBERS[name], *arguments)


class _Batch:
    """The values of one traced node for the whole batch axis. If `has_axis`, the batch axis is axis 0 of `x`; otherwise `x` is the same for
    all elements of the batch."""

    def __init__(self, x: Any, has_axis: bool) -> None:
        self.x, self.has_axis = x, has_axis

    def with_axis(self, size: Any) -> Tensor:
        x: Tensor = self.x
        return x if self.has_axis else _ops.broadcast_to(x, [size, *x.shape])


def _aligned(batch: _Batch, rank: int) -> Tensor:
    """Adds axes of size 1 after the batch axis, so that the operand has `rank` axes besides the batch axis. Operands then broadcast as they
    do without the batch axis."""
    x: Tensor = batch.x
    missing = rank - (x.ndim - 1)
    return x if not batch.has_axis or missing <= 0 else _ops.unsqueeze(x, list(range(1, 1 + missing)))


_ELEMENTWISE_UNARY = set(
    """negative reciprocal abs sign sqrt rsqrt cbrt square real imag conj angle floor ceil round trunc exp exp2 expm1 log log2 log10 log1p sin
    cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid relu silu softplus selu relu6 hardsigmoid hardswish mish softsign
    logsigmoid signbit isnan isinf isfinite logical_not bitwise_invert elu celu gelu hardtanh leaky_relu powi cast bitcast contiguous
    stop_gradient tril triu one_hot""".split()
)
_ELEMENTWISE = set(
    """add subtract multiply divide floor_divide remainder fmod maximum minimum pow atan2 hypot copysign complex_from_parts less less_equal
    greater greater_equal equal not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift
    bitwise_right_shift logaddexp nextafter where fma clip lerp isclose""".split()
)
# For each operation that takes one or more axes of its first operand as an argument: the position of this argument. The operand itself has
# position 0.
_AXES = {
    "sum": 1, "prod": 1, "max": 1, "min": 1, "any": 1, "all": 1, "count_nonzero": 1, "mean": 1, "var": 1, "std": 1, "norm": 2, "logsumexp": 1,
    "argmax": 1, "argmin": 1, "softmax": 1, "log_softmax": 1, "cumsum": 1, "cumprod": 1, "cummax": 1, "cummin": 1, "logcumsumexp": 1,
    "flip": 1, "argsort": 1, "sort": 1, "topk": 2, "diff": 2, "split": 2, "split_at": 2, "fft": 2, "ifft": 2, "rfft": 2, "irfft": 2,
    "squeeze": 1, "repeat": 2, "cummax_with_indices": 1, "cummin_with_indices": 1,
}  # fmt: skip
_FLATTENS = {"argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "argsort", "sort", "topk", "repeat"}


def _shifted(axis: int, rank: int) -> int:
    return axis + 1 if axis >= 0 else axis + rank + 1


def _along_axes(name: str, arguments: list[Any], x: Tensor) -> Any:
    rank, at = x.ndim - 1, _AXES[name]
    axes = arguments[at]
    if axes is None:
        if name in _FLATTENS:
            x, axes = _ops.reshape(x, [x.shape[0], -1]), 1
        elif name == "squeeze":
            axes = [i for i in range(1, rank + 1) if x.shape[i] == 1]
        else:
            axes = list(range(1, rank + 1))
    else:
        axes = _shifted(axes, rank) if isinstance(axes, int) else [_shifted(axis, rank) for axis in axes]
    return _apply(name, [x, *arguments[1:at], axes, *arguments[at + 1 :]])


def _shapes(name: str, arguments: list[Any], x: Tensor) -> Any:
    """Rule for operations one of whose arguments has an entry for each axis, such as a shape."""
    size, rank = x.shape[0], x.ndim - 1
    rest = arguments[1:]
    if name == "reshape":
        return _ops.reshape(x, [size, *rest[0]])
    if name == "broadcast_to":
        return _ops.broadcast_to(_aligned(_Batch(x, True), len(rest[0])), [size, *rest[0]])
    if name == "expand":
        return _ops.expand(x, [-1, *rest[0]])
    if name in ("permute_dims", "transpose"):
        axes = range(rank - 1, -1, -1) if rest[0] is None else rest[0]
        return _ops.permute_dims(x, [0, *(_shifted(axis, rank) for axis in axes)])
    if name == "unsqueeze":
        return _ops.unsqueeze(x, [_shifted(axis, rank + len(rest[0])) for axis in rest[0]])
    if name == "slice":
        start, stop, step = ([filler, *each] if each is not None else None for filler, each in zip((None, None, 1), rest))
        return _ops.slice(x, start, stop, step)
    if name == "pad":
        before, after = ([0, *each] for each in rest[:2])
        return _ops.pad(x, before, after, *rest[2:])
    if name == "diagonal":
        return _ops.diagonal(x, rest[0], _shifted(rest[1], rank), _shifted(rest[2], rank))
    if name == "flatten":
        return _ops.flatten(x, _shifted(rest[0], rank), _shifted(rest[1], rank)) if rank else _ops.reshape(x, [size, 1])
    raise KeyError(name)


_SHAPES = {"reshape", "broadcast_to", "expand", "permute_dims", "transpose", "unsqueeze", "slice", "pad", "diagonal", "flatten"}


def _matmul(a: _Batch, b: _Batch) -> Tensor:
    ranks = [batch.x.ndim - batch.has_axis for batch in (a, b)]
    x = _ops.unsqueeze(a.x, -2) if ranks[0] == 1 else a.x
    y = _ops.unsqueeze(b.x, -1) if ranks[1] == 1 else b.x
    rank = max(2, *ranks)
    made = _ops.matmul(_aligned(_Batch(x, a.has_axis), rank), _aligned(_Batch(y, b.has_axis), rank))
    gone = [axis for axis, r in ((-2, ranks[0]), (-1, ranks[1])) if r == 1]
    return _ops.squeeze(made, gone) if gone else made


def _one_by_one(name: str, arguments: list[Any], batches: list[Any], size: int) -> Any:
    """Applies an operation that has no rule to each element of the batch axis, and stacks the results."""
    if not isinstance(size, int):
        raise NotImplementedError(f"vmap: {name} has no rule, and the size of the axis is symbolic")
    if size == 0:
        raise NotImplementedError(f"vmap: {name} has no rule, and the shape of its result is unknown for an axis of size 0")
    parts = [_ops.unstack(b.x, n=size) if isinstance(b, _Batch) and b.has_axis else None for b in batches]
    results = []
    for i in range(size):
        results.append(_apply(name, [p[i] if p else (b.x if isinstance(b, _Batch) else b) for p, b in zip(parts, batches)]))
    if isinstance(results[0], tuple):
        return tuple(_ops.stack(column, 0) for column in zip(*results))
    return _ops.stack(results, 0)


def _batched(name: str, arguments: list[Any], made: dict[int, _Batch], size: Any) -> Any:
    """Applies an operation of the trace to the whole batch axis; at least one of its operands must have the axis."""
    if any(isinstance(each, list) and any(isinstance(item, Tensor) for item in each) for each in arguments):
        at = next(i for i, each in enumerate(arguments) if isinstance(each, list) and any(isinstance(item, Tensor) for item in each))
        parts = [made[_core.identity(item)] for item in arguments[at]]
        rank = max(p.x.ndim - p.has_axis for p in parts)
        if name == "custom_elementwise":
            return _apply(name, [[_aligned(p, rank) for p in parts], *arguments[1:]])
        if name == "native" and isinstance(arguments[1][2], tuple) and arguments[1][2][0] in _lapack.BATCHED:
            return native([p.with_axis(size) for p in parts], arguments[1][2][0], arguments[4], [size, *arguments[5]])
        if name == "einsum":
            made_of = _vmap_rules.einsum(arguments[0], parts)
            if made_of is not NotImplemented:
                return made_of
        if name in ("concat", "stack"):
            rank += name == "stack"
            return _apply(name, [[p.with_axis(size) for p in parts], _shifted(arguments[1], rank)])
        if not isinstance(size, int) or size == 0:
            raise NotImplementedError(f"vmap: {name} has no rule, and the size of the axis is {size}")
        columns = [_ops.unstack(p.with_axis(size), n=size) for p in parts]
        results = [_apply(name, [*arguments[:at], [column[i] for column in columns], *arguments[at + 1 :]]) for i in range(size)]
        return tuple(_ops.stack(c, 0) for c in zip(*results)) if isinstance(results[0], tuple) else _ops.stack(results, 0)
    batches = [made[_core.identity(each)] if isinstance(each, Tensor) else each for each in arguments]
    operands = [b for b in batches if isinstance(b, _Batch)]
    first = operands[0]
    if name in _ELEMENTWISE_UNARY:
        return _apply(name, [first.x, *arguments[1:]])
    if name in _ELEMENTWISE:
        rank = max(b.x.ndim - b.has_axis for b in operands)
        return _apply(name, [_aligned(b, rank) if isinstance(b, _Batch) else b for b in batches])
    if name in _AXES and len(operands) == 1:
        return _along_axes(name, arguments, first.x)
    if name in _SHAPES and len(operands) == 1:
        return _shapes(name, arguments, first.x)
    if name in ("matmul", "batch_matmul"):
        return _matmul(*operands)
    if name == "full" and first.has_axis:
        rank = len(arguments[1])
        return _ops.broadcast_to(_ops.reshape(first.x, [size, *[1] * rank]), [size, *arguments[1]])
    if name in ("take_along_axis", "scatter", "scatter_add", "scatter_mul", "scatter_max", "scatter_min"):
        rank = first.x.ndim - first.has_axis
        return _apply(name, [*(b.with_axis(size) for b in operands), _shifted(arguments[-1], rank)])
    by_rule = _vmap_rules.batched(name, batches, size)
    return _one_by_one(name, arguments, batches, size) if by_rule is NotImplemented else by_rule


def _gradient(arguments: list[Any], made: dict[int, _Batch], size: Any) -> list[Tensor]:
    """Rule for gradients. The result for an element of the batch depends only on the variables of that element. So the gradient of the sum
    of all results contains the gradient of each result."""
    tensors = [each for each in arguments if isinstance(each, Tensor)]
    n, passed, has_weight = arguments[len(tensors) :]
    with_axis = [made[_core.identity(each)].with_axis(size) for each in tensors]
    xs = with_axis[1 : 1 + n]
    y = with_axis[0]
    weight = with_axis[-1] if has_weight else _ops.full(asarray(1.0, dtype=y.dtype), y.shape)
    depth = max((_core.depth_of(x) for x in xs), default=0)
    return _core.gradient(y, xs, with_axis[1 + n : 1 + n + passed], weight, depth)


def _whole_axis(outputs: list[Tensor], inputs: dict[int, Tensor], size: Any, depth: int) -> list[_Batch]:
    made: dict[int, _Batch] = {}
    for identity, name, arguments, x in _core.trace(outputs):
        operands = [each for argument in arguments for each in (argument if isinstance(argument, list) else [argument])]
        sources = [made[_core.identity(each)] for each in operands if isinstance(each, Tensor)] if name != "leaf" else []
        if identity in inputs:
            made[identity] = _Batch(inputs[identity], True)
        elif name == "tracer" and _core.depth_of(x) >= depth:
            # A tracer is the variable of a gradient that is computed inside the mapped function. This one gets the batch axis, so that each
            # element of the batch has a variable of its own.
            source = sources[0].with_axis(size)
            made[identity] = _Batch(_core.tracer(source, _core.depth_of(x)), True)
        elif name == "result":
            results = sources[0]
            made[identity] = _Batch(results.x[arguments[1]], True) if isinstance(results.x, (list, tuple)) else _Batch(x, False)
        elif not any(source.has_axis for source in sources):
            made[identity] = _Batch(x, False)
        elif name == "gradient":
            made[identity] = _Batch(_gradient(arguments, made, size), True)
        else:
            made[identity] = _Batch(_batched(name, arguments, made, size), True)
    return [made[_core.identity(output)] for output in outputs]


def vmap(function: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
    """Returns a function that applies `function` to every element along an axis of its arguments.

    in_axes: the position of the axis in the arguments, either one number for all arguments or a sequence with one number for each. None
    instead of a number: the argument is the same for all elements. out_axes: the position of the axis in the results. Keyword arguments are
    the same for all elements. Each operation is applied to all elements at once. harp.grad may be used in `function`, and may be applied to
    the returned function.
    """
    if not callable(function):
        raise TypeError(f"vmap: expected a function, got {function!r}")

    @functools.wraps(function)
    def mapped(*args: Any, **keywords: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(axes)} entries for {len(args)} arguments")
        for axis in axes:
            if axis is not None and not isinstance(axis, int):
                raise TypeError(f"vmap: an entry of in_axes is an axis or None, for all tensors of its argument, not {axis!r}")
        inputs: dict[int, Tensor] = {}
        sizes: list[Any] = []
        arguments = []
        kept: list[Tensor] = []
        for argument, axis in zip(args, axes):
            leaves, description = flatten(argument)
            new = []
            for leaf in leaves:
                if axis is None:
                    new.append(leaf)
                    continue
                x = asarray(leaf)
                if not -x.ndim <= axis < x.ndim:
                    raise ShapeError(f"vmap: axis {axis} is out of range for an argument of {x.ndim} axes")
                x = _ops.moveaxis(x, axis, 0) if axis else x
                sizes.append(x.shape[0])
                one = _core.input(x.dtype, x.shape[1:], False)
                kept.append(one)
                inputs[_core.identity(one)] = x
                new.append(one)
            arguments.append(unflatten(description, new))
        if not sizes:
            raise ValueError("vmap: expected an axis in in_axes, got None for every argument")
        if any(size != sizes[0] for size in sizes):
            raise ValueError(f"vmap: the axis has different sizes: {sizes}")
        before = _lapack.mapped.depth
        _lapack.mapped.depth = max(before, *(_core.depth_of(x) for x in inputs.values()))
        try:
            results, description = flatten(function(*arguments, **keywords))
        finally:
            _lapack.mapped.depth = before
        outputs = [asarray(each) for each in results]
        batches = _whole_axis(outputs, inputs, sizes[0], _grad.depth())
        made = [batch.with_axis(sizes[0]) for batch in batches]
        return unflatten(description, [_ops.moveaxis(x, 0, out_axes) if out_axes else x for x in made])

    return mapped


def jacobian(function: Callable[..., Any], argnums: int = 0) -> Callable[..., Tensor]:
    """Returns a function that computes the derivatives of all elements of `function`'s result, a tensor, with respect to all elements of
    one of its arguments. The result has the axes of the function's result, then those of the argument."""

    @functools.wraps(function)
    def derivative(*args: Any, **keywords: Any) -> Tensor:
        if not -len(args) <= argnums < len(args):
            raise ValueError(f"argnums={argnums} is not among the {len(args)} positional arguments")
        x = asarray(args[argnums])

        def weighted(x: Tensor, weights: Tensor) -> Tensor:
            y = called(x)
            return _ops.sum(y * _ops.reshape(weights, y.shape))

        def called(x: Tensor) -> Any:
            arguments = list(args)
            arguments[argnums] = _core.alias(x)
            return function(*arguments, **keywords)

        y = called(x)
        if not isinstance(y, Tensor):
            raise TypeError(f"expected the function to return a tensor, got {y!r}")
        count: Any = 1
        for size in y.shape:
            count = count * size
        made: Tensor = vmap(_grad.grad(weighted), in_axes=(None, 0))(x, _ops.eye(y.dtype, count, count))
        return _ops.reshape(made, [*y.shape, *x.shape])

    return derivative


def hessian(function: Callable[..., Any], argnums: int = 0) -> Callable[..., Tensor]:
    """Returns a function that computes the second derivatives of `function`, which returns a tensor of rank 0, with respect to one of its
    arguments. The result has the axes of the argument twice."""
    return jacobian(_grad.grad(function, argnums), argnums)
