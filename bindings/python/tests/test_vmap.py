"""harp.vmap compared with calls of the function for each element."""
import numpy as np
import pytest

import harp

rng = np.random.default_rng(0)
A, B = rng.standard_normal((5, 3, 4)), rng.standard_normal((5, 4))

FUNCTIONS = {
    "elementwise": lambda a, b: harp.exp(a) * b + 1, "reduce": lambda a, b: (a.sum(axis=0), a.max(axis=-1), b.sum(), harp.var(a)),
    "matmul": lambda a, b: (a @ b, b @ a.T, a @ a.T, b @ b), "views": lambda a, b: (a.T, a[1], a[:, ::-1], b[None], a.reshape(2, 6), a.reshape(-1)),
    "joins": lambda a, b: (harp.concat([a, b[None]], axis=0), harp.stack([b, b], axis=-1)), "softmax": lambda a, b: harp.softmax(a, axis=-1),
    "order": lambda a, b: (harp.sort(a, axis=0), harp.argmax(a), harp.argmax(a, axis=1), harp.topk(b, 2), harp.cumulative_sum(b)),
    "outside": lambda a, b: a * np.arange(4.0) + harp.ones(()), "constant": lambda a, b: harp.arange(3),
    "take": lambda a, b: harp.take(a, np.array([2, 0]), axis=0), "one by one": lambda a, b: harp.einsum("ij,j->i", [a, b]),
    "conv": lambda a, b: harp.conv1d(a[None], np.ones((2, 3, 2))), "roll": lambda a, b: harp.roll(a, 1, axis=1),
    "norm": lambda a, b: harp.layer_norm(a, -1, b, None),
    "where": lambda a, b: harp.where(a > 0, a, b), "pad": lambda a, b: harp.pad(a, [1, 0], [0, 2]),
    "fft": lambda a, b: harp.real(harp.fft.fft(b)),
    "expand": lambda a, b: (harp.broadcast_to(b, (3, 4)), harp.expand_dims(b, axis=-1), harp.squeeze(b[None], axis=0)),
    "split": lambda a, b: harp.split(b, 2), "unstack": lambda a, b: harp.unstack(a)[1],
    "taken": lambda a, b: (a[np.array([2, 0])], harp.take(a, harp.argsort(b) % 3, axis=0), harp.take(a, harp.argsort(b)),
                           harp.take(A[0], harp.argsort(b)), harp.take(a, harp.argsort(b)[:, None], axis=-1), a[:, harp.argsort(b)]),
    "elements": lambda a, b: (a[np.array([2, 0]), np.array([1, 3])], a[harp.argsort(b) % 3, harp.argsort(b)],
                              harp.asarray(A[0])[harp.argsort(b) % 3, harp.argsort(b)]),
    "rolled": lambda a, b: (harp.roll(a, 1), harp.roll(a, (1, -1), (0, -1)), harp.tile(b, (2, 1)), harp.tile(a, (2,))),
    "products": lambda a, b: (harp.outer(b, a[0]), harp.outer(a, B[0]), harp.outer(B[0], b), harp.dot(b, b), harp.linalg.vecdot(a, b), harp.trace(a),
                              harp.trace(a, 1, -2, -1), harp.linalg.cross(a[:, :3], A[0, :, :3]), harp.linalg.cross(a[:, 1:], a[:, :3])),
    "tensordot": lambda a, b: (harp.tensordot(a, a, axes=([0], [0])), harp.tensordot(a, A[0], axes=([1], [1])),
                               harp.tensordot(A[0], a, axes=([0], [0])), harp.tensordot(A[0], b, axes=1)),
    "einsum": lambda a, b: (harp.einsum("ij,kj", a, A[0]), harp.einsum("ii->i", a[:, :3]), harp.einsum("ij, j -> i", A[0], b)),
    "lists one by one": lambda a, b: harp.einsum("...j,j->...", a, b),
    "searched": lambda a, b: (harp.searchsorted(np.array([-1.0, 0.0, 1.0]), a), harp.searchsorted(harp.sort(b), a)),
    "normalised": lambda a, b: (harp.layer_norm(a, [0, 1], None, None), harp.rms_norm(a, -1, B[0])),
    "folded": lambda a, b: (harp.conv1d(a[:, None], np.ones((2, 1, 3)), np.ones(2), padding=1), harp.max_pool(a[None], [2]),
                            harp.avg_pool(a[None, None], [2, 2])),
}  # fmt: skip


def leaves(thing):
    return [x for each in thing for x in leaves(each)] if isinstance(thing, tuple) else [np.asarray(thing)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_one_by_one(name):
    f = FUNCTIONS[name]
    expected = [leaves(f(harp.asarray(a), harp.asarray(b))) for a, b in zip(A, B)]
    made = leaves(harp.vmap(f)(A, B))
    for column, result in zip(zip(*expected), made):
        np.testing.assert_allclose(result, np.stack(column), rtol=1e-12, atol=1e-12)


def test_axes():
    f = lambda x, y: x * 2 + y  # noqa: E731
    made = harp.vmap(f, in_axes=(1, None), out_axes=1)(A[0], np.ones(3))
    np.testing.assert_allclose(np.asarray(made), A[0] * 2 + 1)
    with pytest.raises(ValueError):
        harp.vmap(f)(np.ones((2, 3)), np.ones((4, 3)))
    with pytest.raises(ValueError):
        harp.vmap(f, in_axes=(None, None))(1.0, 2.0)


def test_nested_and_jit():
    f = harp.vmap(harp.vmap(lambda x, y: (x * y).sum(), in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_allclose(np.asarray(f(B, B)), B @ B.T)
    np.testing.assert_allclose(np.asarray(harp.jit(f)(B, B)), B @ B.T)


def test_gradients_of_each():
    w = rng.standard_normal(4)
    loss = lambda w, x, y: (harp.tanh((w * x).sum()) - y) ** 2  # noqa: E731
    each = harp.vmap(harp.grad(loss), in_axes=(None, 0, 0))(w, B, np.arange(5.0))
    expected = np.stack([np.asarray(harp.grad(loss)(w, x, y)) for x, y in zip(B, np.arange(5.0))])
    np.testing.assert_allclose(np.asarray(each), expected, rtol=1e-10)
    total = harp.grad(lambda w: harp.vmap(lambda x: (w * x).sum() ** 2)(B).sum())(w)
    np.testing.assert_allclose(np.asarray(total), 2 * (B @ w) @ B, rtol=1e-10)


def test_arguments():
    a = np.arange(6.0).reshape(2, 3)
    with pytest.raises(harp.ShapeError, match="axis 0 is out of range for an argument of 0 axes"):
        harp.vmap(lambda x: x)(np.float64(3))
    with pytest.raises(harp.ShapeError, match="axis 2"):
        harp.vmap(lambda x: x, in_axes=2)(a)
    with pytest.raises(TypeError, match="in_axes"):
        harp.vmap(lambda p: p["a"], in_axes=({"a": 0},))({"a": a})
    with pytest.raises(ValueError, match="different sizes"):
        harp.vmap(lambda x, y: x + y)(a, a.T)
    assert harp.vmap(lambda x, y: x * y)(a, y=np.arange(3.0)).tolist() == (a * np.arange(3.0)).tolist()  # y is the same for all elements


IMAGES, KERNELS = rng.standard_normal((3, 2, 4, 6, 6)), rng.standard_normal((3, 5, 4, 3, 3))
LAYERS = {
    "conv2d": (lambda x, k: harp.conv2d(x, k), (IMAGES, KERNELS)), "group_norm": (lambda x: harp.group_norm(x, 2), (IMAGES,)),
    "instance_norm": (lambda x: harp.instance_norm(x), (IMAGES,)), "layer_norm": (lambda x: harp.layer_norm(x), (IMAGES,)),
    "rms_norm": (lambda x: harp.rms_norm(x), (IMAGES,)), "max_pool": (lambda x: harp.max_pool(x, [2, 2]), (IMAGES,)),
    "vector_norm": (lambda x: harp.linalg.vector_norm(x, axis=-1, ord=1), (IMAGES,)),
    "matrix_norm": (lambda x: harp.linalg.matrix_norm(x, ord=1), (IMAGES,)), "trace": (lambda x: harp.linalg.trace(x), (IMAGES,)),
    "outer": (lambda x, y: harp.linalg.outer(x, y), (IMAGES[0, 0, 0], IMAGES[0, 0, 1])),
    "cross": (lambda x, y: harp.linalg.cross(x, y), (IMAGES[0, 0, 0, :, :3], IMAGES[0, 0, 1, :, :3])),
    "tensordot": (lambda x, y: harp.tensordot(x, y, axes=1), (IMAGES[0, 0], IMAGES[0, 1])),
    "attention": (lambda x: harp.scaled_dot_product_attention(x, x, x), (IMAGES[:, 0],)),
    "fftn": (lambda x: harp.abs(harp.fft.fftn(x)), (IMAGES[0, 0],)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers_and_products(name):
    f, arguments = LAYERS[name]
    expected = [np.asarray(f(*parts)) for parts in zip(*arguments)]
    np.testing.assert_allclose(np.asarray(harp.vmap(f)(*arguments)), np.stack(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["taken", "elements", "rolled", "products", "tensordot", "einsum", "normalised", "folded"])
def test_operations_are_applied_to_all_elements_at_once(name):
    from harp import _core

    counts = []
    for n in (2, 5):
        counts.append(len(_core.trace([x for x in harp.vmap(FUNCTIONS[name])(A[:n], B[:n])])))
    assert counts[0] == counts[1]
