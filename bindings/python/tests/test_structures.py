"""How harp.jit tells calls apart (static values, trees, dtypes), trees of arguments, and traced functions that are copied and pickled."""
import collections
import copy
import enum
import math
import pickle
import typing

import numpy as np
import pytest

import harp


class Pair(typing.NamedTuple):
    a: object
    b: object


def plain(x, n):
    return x * n


@harp.jit
def decorated(x):
    return x * 2


wrapped = harp.jit(plain, static=["n"])


class Model:
    @harp.jit(static=["self"])
    def double(self, x):
        return x * 2


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


def test_equal_static_values_of_different_types():
    @harp.jit(static=["s"])
    def first(x, s):
        return x * s[0]

    x = harp.ones(2, dtype="int8")
    assert [first(x, s).dtype for s in ((2,), (2.0,), (2j,), (2,))] == [harp.int8, harp.float32, harp.complex64, harp.int8]

    @harp.jit(static=["s"])
    def divided(x, s):
        return x / (min(s, key=abs) if isinstance(s, frozenset) else s)

    one = harp.ones(1)
    assert [divided(one, s).tolist() for s in (0.0, -0.0, frozenset([0.0]), frozenset([-0.0]))] == [[math.inf], [-math.inf]] * 2
    count = len(divided.tables)
    divided(one, math.nan)
    divided(one, float("nan"))
    assert len(divided.tables) == count + 1
    assert [divided(one, s).dtype for s in (np.float32(2), np.float64(2), 2.0)] == [harp.float32, harp.float64, harp.float32]


def test_keys_of_dicts():
    f = harp.jit(lambda p: {key: value * len(str(key)) for key, value in p.items()})
    made = [f({key: 1.0}) for key in (1, True, 1.0)]
    assert [list(map(repr, each)) for each in made] == [["1"], ["True"], ["1.0"]]
    assert [float(next(iter(each.values()))) for each in made] == [1, 4, 3]
    assert type(harp.jit(lambda p: p)(collections.OrderedDict(b=1.0, a=2.0))) is collections.OrderedDict
    assert list(harp.grad(lambda p: p["a"] * p["b"])(collections.OrderedDict(b=1.0, a=2.0))) == ["b", "a"]


def test_keys_in_another_order():
    p, q = {"a": 1, "b": [2, {"x": 3, "y": 4}]}, {"b": [20, {"y": 40, "x": 30}], "a": 10}
    assert harp.tree_map(lambda u, v: v - u, p, q) == {"a": 9, "b": [18, {"x": 27, "y": 36}]}
    assert harp.tree_map(lambda u, v: v - u, p, collections.OrderedDict(q))["b"][0] == 18
    assert harp.tree_map(lambda u, v: u * v, Pair(1, {"a": 2, "b": 3}), Pair(4, {"b": 5, "a": 6})) == Pair(4, {"a": 12, "b": 15})
    x = np.array([1.0, 2.0])
    _, pull = harp.vjp(lambda x: {"u": x * 2, "v": x * 3}, x)
    assert pull({"v": np.zeros(2), "u": np.ones(2)})[0].tolist() == [2, 2]
    _, change = harp.jvp(lambda p: p["u"] * p["v"], ({"u": x, "v": x},), ({"v": np.zeros(2), "u": np.ones(2)},))
    assert change.tolist() == [1, 2]
    with pytest.raises(ValueError, match="different structures"):
        harp.tree_map(lambda u, v: u, p, {"a": 1, "c": 2})


def test_arguments_of_gradients():
    f = lambda x, y: x * x * y  # noqa: E731
    assert float(harp.grad(f, argnums=np.int64(1))(3.0, 2.0)) == 9
    assert [float(g) for g in harp.grad(f, argnums=[np.int8(0), 1])(3.0, 2.0)] == [12, 9]
    with pytest.raises(harp.DTypeError, match="expected the function to return a float, got int64"):
        harp.grad(lambda x: (x > 0).sum())(np.ones(2))


def test_numbers_of_subclasses():
    class Size(enum.IntEnum):
        BIG = 3

    class Metres(float):
        pass

    x = harp.ones(2, dtype="float16")
    for operand in (Size.BIG, Metres(3)):
        assert (x * operand).dtype == harp.float16 and (operand * x).tolist() == [3, 3]
        assert harp.jit(lambda x, n: x * n)(x, operand).dtype == harp.float16


def test_copies_and_pickles():
    x = np.array([1.0, 2.0])
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert pickle.loads(pickle.dumps(Model.double)) is Model.double
    assert pickle.loads(pickle.dumps(wrapped))(x, 3).tolist() == [3, 6]
    assert copy.copy(decorated) is decorated and copy.deepcopy({"f": decorated})["f"] is decorated
    n = harp.dim("n")
    assert copy.copy(n) is n and copy.deepcopy([n])[0] is n
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(harp.jit(lambda x: x))
