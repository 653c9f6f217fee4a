"""Arguments and results with structure: nested tuples, lists, dicts and named tuples of tensors, and None."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._core import Tensor

_LEAF = "leaf"


def is_array(thing: object) -> bool:
    return isinstance(thing, (Tensor, np.ndarray, np.generic))


def flatten(tree: Any, is_leaf: Callable[[Any], bool] = lambda thing: False) -> tuple[list[Any], Any]:
    """Returns the leaves from left to right, and a hashable description of the structure around them."""
    leaves: list[Any] = []

    def describe(thing: Any) -> Any:
        if thing is None:
            return None
        if not is_leaf(thing):
            if isinstance(thing, tuple):
                return (type(thing), tuple(map(describe, thing)))
            if isinstance(thing, list):
                return (list, tuple(map(describe, thing)))
            if isinstance(thing, dict):
                return (dict, tuple(thing), tuple(map(describe, thing.values())))
        leaves.append(thing)
        return _LEAF

    return leaves, describe(tree)


def unflatten(description: Any, leaves: Any) -> Any:
    """The inverse of flatten(): returns the structure that `description` describes, with these leaves."""
    rest: Iterator[Any] = iter(leaves)

    def build(part: Any) -> Any:
        if part is None:
            return None
        if part is _LEAF or part == _LEAF:
            return next(rest)
        if part[0] is dict:
            return dict(zip(part[1], map(build, part[2])))
        items = list(map(build, part[1]))
        if part[0] is list:
            return items
        return part[0](*items) if hasattr(part[0], "_fields") else part[0](items)

    return build(description)


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Returns the tree with each leaf replaced by function(leaf, ...). The further arguments are the corresponding leaves of `others`,
    trees of the same structure."""
    leaves, description = flatten(tree)
    rest = []
    for other in others:
        found, structure = flatten(other)
        if structure != description:
            raise ValueError(f"the trees have different structures: {tree!r} and {other!r}")
        rest.append(found)
    return unflatten(description, [function(*parts) for parts in zip(leaves, *rest)])
