"""Arguments and results with structure: nested tuples, lists, dicts and named tuples of tensors, and None."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._core import Tensor

_LEAF = "leaf"


def is_array(thing: object) -> bool:
    return isinstance(thing, (Tensor, np.ndarray, np.generic))


def flatten(tree: Any, is_leaf: Callable[[Any], bool] = lambda thing: False) -> tuple[list[Any], Any]:
    """Returns the leaves from left to right, and a hashable description of the structure around them. Equal keys of dicts that differ in type
    (1 and True) have different descriptions."""
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
                made = OrderedDict if isinstance(thing, OrderedDict) else dict
                return (made, tuple(thing), tuple(map(describe, thing.values())), tuple(map(type, thing)))
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
        if part[0] is dict or part[0] is OrderedDict:
            return part[0](zip(part[1], map(build, part[2])))
        items = list(map(build, part[1]))
        if part[0] is list:
            return items
        return part[0](*items) if hasattr(part[0], "_fields") else part[0](items)

    return build(description)


def in_order_of(tree: Any, other: Any) -> Any:
    """Returns `other` with the keys of its dicts in the order that they have in `tree`, as far as these are the same keys."""
    if isinstance(tree, dict) and isinstance(other, dict) and tree.keys() == other.keys():
        return (OrderedDict if isinstance(tree, OrderedDict) else dict)((key, in_order_of(tree[key], other[key])) for key in tree)
    if type(tree) is type(other) and isinstance(tree, (tuple, list)) and len(tree) == len(other):
        items = [in_order_of(*pair) for pair in zip(tree, other)]
        return type(other)(*items) if hasattr(other, "_fields") else type(other)(items)
    return other


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Returns the tree with each leaf replaced by function(leaf, ...). The further arguments are the corresponding leaves of `others`,
    trees of the same structure."""
    leaves, description = flatten(tree)
    rest = []
    for other in others:
        found, structure = flatten(in_order_of(tree, other))
        if structure != description:
            raise ValueError(f"the trees have different structures: {tree!r} and {other!r}")
        rest.append(found)
    return unflatten(description, [function(*parts) for parts in zip(leaves, *rest)])
