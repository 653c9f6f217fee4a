"""Tests gradients: compares them with finite differences, and takes gradients of trees and of gradients. Tests vjp, jvp, stop_gradient."""
import threading

import numpy as np
import pytest

import harp


def numeric(f, a, eps=1e-6):
    g = np.zeros_like(a)
    for i in np.ndindex(*a.shape):
        up, down = a.copy(), a.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (float(f(up)) - float(f(down))) / (2 * eps)
    return g


def test_grad_against_differences():
    a = np.random.default_rng(0).standard_normal((3, 4))

    def f(x):
        x = harp.asarray(x)
        return (harp.tanh(x @ x.T) * harp.exp(-x[:, :3] ** 2)).sum()

    np.testing.assert_allclose(np.asarray(harp.grad(f)(a)), numeric(f, a), rtol=1e-5, atol=1e-7)
    value, gradient = harp.value_and_grad(f)(a)
    np.testing.assert_allclose(float(value), float(f(a)), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(gradient), numeric(f, a), rtol=1e-5, atol=1e-7)


def test_trees_and_argnums():
    def loss(parameters, x, scale):
        return ((x @ parameters["w"] + parameters["b"][0]) * scale).sum()

    parameters = {"w": np.ones((3, 2)), "b": [np.zeros(2)]}
    g, s = harp.grad(loss, argnums=(0, 2))(parameters, np.ones((4, 3)), np.array(2.0))
    assert np.asarray(g["w"]).tolist() == [[8.0, 8.0]] * 3 and np.asarray(g["b"][0]).tolist() == [8.0, 8.0]
    assert float(s) == 24.0


def test_has_aux_and_independent():
    value, gradient = harp.value_and_grad(lambda x, y: ((x * 3).sum(), {"twice": x * 2}), has_aux=True)(np.ones(2), 1.0)
    assert float(value[0]) == 6 and value[1]["twice"].tolist() == [2, 2] and gradient.tolist() == [3, 3]
    assert harp.grad(lambda x: harp.asarray(1.0))(np.ones(2)).tolist() == [0, 0]
    g, aux = harp.grad(lambda x: ((x * 3).sum(), x), has_aux=True)(np.ones(2))
    assert g.tolist() == [3, 3] and aux.tolist() == [1, 1]


def test_the_same_array_twice():
    a = harp.asarray(np.array([2.0, 3.0]))
    ga, gb = harp.grad(lambda x, y: (x * y * y).sum(), argnums=(0, 1))(a, a)
    assert ga.tolist() == [4, 9] and gb.tolist() == [8, 18]
    assert harp.grad(lambda x: (x * a).sum())(a).tolist() == [2, 3]  # an array that the function captures is a constant


def test_gradients_of_gradients():
    f = lambda x: x**4  # noqa: E731
    assert float(harp.grad(harp.grad(f))(np.array(2.0))) == 48.0
    assert float(harp.grad(harp.grad(harp.grad(f)))(np.array(2.0))) == 48.0
    inner = harp.grad(lambda x: harp.grad(lambda y: x * y * y)(x))  # the inner gradient is 2xy at y = x
    assert float(inner(np.array(3.0))) == 12.0


def test_values_inside():
    def f(x):
        if float(x.sum()) > 0:  # in harp.grad the parameters of the function have values, so the function may read them
            return (x * 2).sum()
        return (x * 3).sum()

    assert harp.grad(f)(np.ones(2)).tolist() == [2, 2]
    assert harp.grad(f)(-np.ones(2)).tolist() == [3, 3]

    def g(x):
        y = x * x
        print(y)
        return (y * x).sum()

    assert harp.grad(g)(np.array([2.0])).tolist() == [12.0]


def test_with_jit():
    @harp.jit
    def step(w, x, y, lr):
        loss, g = harp.value_and_grad(lambda w: harp.mean((x @ w - y) ** 2))(w)
        return w - lr * g, loss

    rng = np.random.default_rng(0)
    x, true = rng.standard_normal((64, 3)), np.array([1.0, -2.0, 0.5])
    y, w = x @ true, np.zeros(3)
    for _ in range(200):
        w, loss = step(w, x, y, 0.1)
    np.testing.assert_allclose(np.asarray(w), true, atol=1e-4)
    assert step.program_count == 1
    assert harp.grad(harp.jit(lambda x: (x * x).sum()))(np.ones(2)).tolist() == [2, 2]


def test_training_without_jit_does_not_grow():
    w, losses = harp.asarray(np.zeros(3)), []
    x = harp.asarray(np.eye(3))
    for _ in range(30):
        loss, g = harp.value_and_grad(lambda w: ((x @ w - 1) ** 2).sum())(w)
        w = w - 0.1 * g
        losses.append(float(loss))
    assert losses[-1] < 1e-3 and w._pending() < 50


def test_vjp_and_jvp():
    a, v = np.array([0.3, 0.7]), np.array([1.0, -2.0])

    def f(x):
        return harp.sin(x) * x[0], {"s": (x * x).sum()}

    (y, more), pull = harp.vjp(f, a)
    np.testing.assert_allclose(np.asarray(y), np.sin(a) * a[0])
    (g,) = pull((v, {"s": np.array(2.0)}))
    eps = 1e-6
    flat = lambda x: float((f(harp.asarray(x))[0] * v).sum() + 2 * f(harp.asarray(x))[1]["s"])  # noqa: E731
    np.testing.assert_allclose(np.asarray(g), numeric(flat, a), rtol=1e-6)
    (y, more), (dy, dmore) = harp.jvp(f, (a,), (v,))
    up, down = f(harp.asarray(a + eps * v)), f(harp.asarray(a - eps * v))
    np.testing.assert_allclose(np.asarray(dy), (np.asarray(up[0]) - np.asarray(down[0])) / (2 * eps), rtol=1e-6)
    np.testing.assert_allclose(float(dmore["s"]), 2 * (a * v).sum(), rtol=1e-6)


def test_stop_gradient_and_errors():
    assert harp.grad(lambda x: (harp.stop_gradient(x) * x).sum())(np.array([3.0])).tolist() == [3.0]
    with pytest.raises(harp.DTypeError):
        harp.grad(lambda x: x.sum())(np.ones(2, np.int32))
    with pytest.raises(harp.ShapeError, match="shape"):
        harp.grad(lambda x: x * 2)(np.ones(2))
    with pytest.raises(harp.GradientError):
        harp.grad(lambda x: harp.bitcast(harp.bitcast(x, "int64"), "float64").sum())(np.ones(2))


def test_a_pull_inside_a_gradient():
    """The second result of harp.vjp is a function of weights. The weights may depend on the variable of another gradient, and the
    function's results may be evaluated while that gradient is computed."""
    _, pull = harp.vjp(lambda x: x**3, np.array([1.0, 2.0]))

    def loss(z):
        w = pull(z)[0].eval()
        return w.sum()

    assert harp.grad(loss)(np.array([1.0, 1.0])).tolist() == [3, 12]


def test_what_cannot_be_seen_by_gradients():
    a = np.array([1.0, 2.0])
    for look in (np.asarray, lambda x: x.numpy(), np.from_dlpack):
        with pytest.raises(harp.GradientError, match="stop_gradient"):
            harp.grad(lambda x, look=look: (x * look(x)).sum())(a)
    assert harp.grad(lambda x: (x * np.asarray(harp.stop_gradient(x))).sum())(a).tolist() == [1, 2]
    seen = []
    harp.grad(lambda x: seen.append((repr(x), x.tolist(), float(x[0]))) or x.sum())(a)
    assert seen == [("Tensor([1., 2.], dtype=float64)", [1, 2], 1)]


def test_arguments_of_gradients():
    f = lambda x, y: (x * y).sum()
    a = np.array([1.0, 2.0])
    for numbers in (2, (0, 0), (0, -2), -3):
        with pytest.raises(ValueError, match="argnums"):
            harp.grad(f, argnums=numbers)(a, a)
    assert harp.grad(f, argnums=-1)(a, a * 2).tolist() == [1, 2]
    with pytest.raises(harp.ShapeError, match="tangent"):
        harp.jvp(lambda x: x, (a,), (a[:1],))
    with pytest.raises(harp.ShapeError, match="weight"):
        harp.vjp(lambda x: x, a)[1](np.ones(3))


def test_gradients_in_threads():
    a = np.array([1.0, 2.0])
    wrong = []

    def work(k):
        for _ in range(20):
            g = harp.grad(lambda x: harp.grad(lambda y: (y**3).sum() * k)(x).sum())(a)
            if not np.allclose(g, 6 * a * k):
                wrong.append((k, g))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("name", ["softmax", "sort", "max_pool", "cumsum", "norm", "fft", "conv", "layer_norm", "matmul"])
def test_jvp_is_the_difference_quotient(name):
    rng = np.random.default_rng(3)
    x, dx, k = rng.normal(size=(2, 3, 6, 6)), rng.normal(size=(2, 3, 6, 6)), rng.normal(size=(2, 3, 3, 3))
    f = {"softmax": lambda x: harp.softmax(x, -1), "sort": harp.sort, "max_pool": lambda x: harp.max_pool(x, [2, 2]),
         "cumsum": lambda x: harp.cumsum(x, -1), "norm": harp.norm, "fft": lambda x: harp.abs(harp.fft.fft(x)),
         "conv": lambda x: harp.conv2d(x, k), "layer_norm": harp.layer_norm, "matmul": lambda x: x @ x}[name]  # fmt: skip
    step = 1e-6
    quotient = (np.asarray(f(harp.asarray(x + step * dx))) - np.asarray(f(harp.asarray(x - step * dx)))) / (2 * step)
    np.testing.assert_allclose(harp.jvp(f, (x,), (dx,))[1], quotient, atol=1e-5)


def test_assignment_to_an_argument():
    def f(x):
        x[0] = x[1] * 3
        return (x * x).sum()

    a = np.array([1.0, 2.0])
    assert harp.grad(f)(a).tolist() == [0, 40]
    assert harp.grad(lambda x: harp.grad(f)(x).sum())(a).tolist() == [0, 20]
    assert harp.vjp(f, a)[1](1.0)[0].tolist() == [0, 40]
    assert float(harp.jvp(f, (a,), (np.array([1.0, 1.0]),))[1]) == 40
    assert a.tolist() == [1, 2]


COMPLEX_POINTS = [2j, complex(0.0, -2.0), 0.5j, -3.0 + 0j, -0.25 + 0j, 0.25 + 0j, 3.0 + 0j]


@pytest.mark.parametrize("name", ["sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log1p", "tanh", "tan"])
def test_complex_functions_on_the_axes(name):
    """Compares gradients at points on the real and the imaginary axis. The expected complex derivative is the difference quotient of
    NumPy's values along the axis; the Cauchy-Riemann equations give the partial derivatives."""
    reference = getattr(np, name.replace("a", "arc", 1) if name[0] == "a" else name)
    for z in COMPLEX_POINTS + ([1e-9 + 0j, 1e-9j, -1e-9 + 0j] if name in ("sqrt", "log") else []):
        h = abs(z) * 1e-5 * (1 if z.imag == 0 else 1j)
        derivative = (reference(z + h) - reference(z - h)) / (2 * h)
        for part, expected in ((harp.real, (derivative.real, -derivative.imag)), (harp.imag, (derivative.imag, derivative.real))):
            f = lambda x, y: part(getattr(harp, name)(harp.complex_from_parts(x, y)))  # noqa: B023
            made = harp.grad(f, argnums=(0, 1))(np.array(z.real), np.array(z.imag))
            np.testing.assert_allclose([float(g) for g in made], expected, rtol=1e-6, atol=1e-6 * abs(derivative), err_msg=f"{name}({z})")


def test_sinc_at_zero():
    slope = harp.grad(lambda x: harp.sinc(x).sum())
    assert slope(np.array([0.0])).tolist() == [0.0]
    np.testing.assert_allclose(np.asarray(harp.grad(lambda x: slope(x).sum())(np.array([0.0, 1e-2]))), [-np.pi**2 / 3, -3.288895], rtol=1e-4)


def test_std_of_equal_elements():
    assert harp.grad(lambda x: harp.std(x))(np.ones(3)).tolist() == [0, 0, 0]
    assert harp.grad(lambda x: harp.std(x, axis=1).sum())(np.array([[2.0, 2.0], [1.0, 3.0]])).tolist() == [[0, 0], [-0.5, 0.5]]
    assert harp.grad(lambda x: harp.nanstd(x))(np.ones(3)).tolist() == [0, 0, 0]
    assert np.isnan(harp.std(np.array([1.0, np.nan])).item())
