"""Graphs with names: compiled, printed, saved, loaded, tuned."""
import pickle

import numpy as np
import pytest

import harp


def scaled():
    g = harp.Graph("scaled")
    x = g.input("x", harp.float32, (harp.dim("n", 1, 64), 4))
    k = g.input("k", "f32")
    g.output("y", harp.tanh(x) * k + np.arange(4, dtype=np.float32))
    g.output("rows", x.sum(axis=1))
    return g


def test_compile_and_call():
    p = scaled().compile()
    assert p.signature.startswith("scaled(x: f32[n, 4], k: f32[]) -> y: f32[n, 4]") and "n in 1..64" in p.signature
    assert p.inputs == ["x", "k"] and p.outputs == ["y", "rows"] and p.kernels >= 1 and "entry_point" in p.source
    for n in (1, 5):
        a = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        y, rows = p(a, np.float32(2))
        np.testing.assert_allclose(np.asarray(y), np.tanh(a) * 2 + np.arange(4), rtol=1e-5)
        y, rows = p(k=np.float32(2), x=a)
        np.testing.assert_allclose(np.asarray(rows), a.sum(1), rtol=1e-5)
    with pytest.raises(harp.ShapeError):
        p(np.ones((2, 5), np.float32), np.float32(1))
    with pytest.raises(harp.DTypeError):
        p(np.ones((2, 4)), np.float32(1))
    with pytest.raises(harp.RangeError):
        p(np.ones((65, 4), np.float32), np.float32(1))
    with pytest.raises(TypeError, match="not given k"):
        p(np.ones((2, 4), np.float32))


def test_text(tmp_path):
    g = scaled()
    g.save(tmp_path / "scaled.harp")
    p = harp.load(tmp_path / "scaled.harp")
    a = np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(np.asarray(p(a, np.float32(2))[0]), np.asarray(g.compile()(a, np.float32(2))[0]))
    q = pickle.loads(pickle.dumps(p))
    assert q.signature == p.signature
    assert "graph scaled(" in g.text and "kernel_0" in harp.emit(p, "schedule")
    with pytest.raises(harp.ParseError, match="line"):
        harp.Program("graph nonsense {")


ODD_NAMES = ["nan", "inf", "true", "false", "none", "return", "shape", "graph", "learning rate", "x-1", "_0", "2x", 'a"b\\', "tab\t", "\u00fc"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name(name, tmp_path):
    g = harp.Graph(name)
    x = g.input(name, harp.float32, (2,))
    g.output(name, harp.tanh(x) * 2)
    g.save(tmp_path / "named.harp")
    for p in (g.compile(backend="interp"), harp.load(tmp_path / "named.harp", backend="interp")):
        assert p.inputs == [name] and p.outputs == [name]
        np.testing.assert_array_equal(np.asarray(p(np.array([1, 2], np.float32))), np.asarray(harp.tanh(np.array([1, 2], np.float32)) * 2))


def test_text_of_functions_of_the_process(tmp_path):
    g = harp.Graph("q")
    g.output("y", harp.linalg.inv(g.input("x", harp.float64, (2, 2))))
    with pytest.raises(harp.UnsupportedError, match="a function of this process.*inv"):
        g.save(tmp_path / "q.harp")
    assert not (tmp_path / "q.harp").exists()


def test_interp_and_sizes_by_name():
    g = harp.Graph("counting")
    n = harp.dim("n")
    g.output("y", harp.arange(n) * 2)
    p = g.compile(backend="interp")
    assert p(n=4).tolist() == [0, 2, 4, 6]
    with pytest.raises(harp.InvalidArgumentError, match="size n"):
        p()


def test_mistakes():
    g = harp.Graph()
    x = g.input("x", "f32", (2,))
    with pytest.raises(ValueError):
        g.input("x", "f32")
    with pytest.raises(ValueError, match="no outputs"):
        g.text  # noqa: B018
    h = harp.Graph()
    h.output("y", x + 1)
    with pytest.raises(harp.InvalidArgumentError, match="not among the inputs"):
        h.text  # noqa: B018


def test_tune():
    seen = []
    found = harp.tune(lambda x: harp.exp(x).sum(axis=1), np.ones((64, 64), np.float32), seconds=2, max_trials=2,
                      progress=lambda trials, best, untuned: seen.append(trials))  # fmt: skip
    assert found.trials >= 1 and found.speedup >= 1 and seen and isinstance(found.configuration, str)


def test_arguments_by_name():
    g = harp.Graph("named")
    x, y = g.input("x", "f64", (harp.dim("n"),)), g.input("y", "f64", ())
    g.output("z", x * y)
    p = g.compile(backend="interp", check_indices=True)
    a = np.arange(3.0)
    assert p(a, y=2.0 * a[1]).tolist() == p(y=np.float64(2), x=a).tolist() == [0, 2, 4]
    mistakes = ((lambda: p(a), "not given y"), (lambda: p(a, a[0], scale=2), "scale is none of x, y, n"),
                (lambda: p(a, a[0], y=a[0]), "y was given twice"), (lambda: p(a, a[0], a), "takes 2 arrays"))  # fmt: skip
    for mistake, match in mistakes:
        with pytest.raises(TypeError, match=match):
            mistake()
    q = pickle.loads(pickle.dumps(p))
    assert q._options == ("interp", True, None, None) and q(a, a[1]).tolist() == a.tolist()
    with pytest.raises(harp.GradientError, match="no gradient"):
        harp.grad(lambda x: p(x, a[1]).sum())(a)


def test_specialize():
    p = scaled().compile(specialize="auto")
    a = np.random.default_rng(7).standard_normal((5, 4)).astype(np.float32)
    before = [np.asarray(y) for y in p(a, np.float32(2))]
    assert p.specialize() == 0
    p(a, np.float32(2))
    assert p.specialize() == 1 and p.specialize() == 0
    for y, expected in zip(p(a, np.float32(2)), before):
        np.testing.assert_array_equal(np.asarray(y), expected)
    assert np.asarray(p(a[:3], np.float32(2))[1]).shape == (3,)
    assert pickle.loads(pickle.dumps(p)).specialize() == 0
    with pytest.raises(harp.InvalidArgumentError, match="HARP_SPECIALIZE_AUTO"):
        scaled().compile().specialize()
    with pytest.raises(ValueError, match='specialize is "always"|specialize is \'always\''):
        scaled().compile(specialize="always")
