"""harp.linalg compared with numpy.linalg, and gradients of its functions with differences."""
import numpy as np
import pytest

import harp

rng = np.random.default_rng(0)
A = rng.standard_normal((3, 4, 4))
SPD = A @ np.swapaxes(A, -1, -2) + 4 * np.eye(4)
B, TALL = rng.standard_normal((3, 4, 2)), rng.standard_normal((5, 3))
COMPLEX = A[0] + 1j * A[1]


def close(made, expected, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(made), np.asarray(expected), rtol=tolerance, atol=tolerance)


def close_in_any_order(made, expected):
    """Eigenvalues have no order. Sorting would not give one: real parts that should be equal differ by rounding."""
    made, expected = np.asarray(made), np.asarray(expected)
    nearest = np.abs(made[:, None] - expected).argmin(axis=0)
    assert sorted(nearest) == list(range(len(expected)))
    close(made[nearest], expected)


def test_against_numpy():
    np_, xp = np.linalg, harp.linalg
    for x in (A, A[0], COMPLEX):
        close(xp.inv(x), np_.inv(x))
        close(xp.det(x), np_.det(x))
        for made, expected in zip(xp.slogdet(x), np_.slogdet(x)):
            close(made, expected)
        close(xp.svdvals(x), np_.svd(x, compute_uv=False))
        close(xp.pinv(x), np_.pinv(x))
        close(xp.matrix_rank(x), np_.matrix_rank(x))
        close(xp.cond(x), np_.cond(x))
        close(xp.matrix_power(x, 3), np_.matrix_power(x, 3))
        close(xp.matrix_power(x, -2), np_.matrix_power(x, -2))
        close(xp.matrix_power(x, 0), np_.matrix_power(x, 0))
    close(xp.solve(A, B), np_.solve(A, B))
    close(xp.solve(A[0], B[0, :, 0]), np_.solve(A[0], B[0, :, 0]))
    close(xp.solve(A, B[0]), np_.solve(A, np.broadcast_to(B[0], B.shape)))
    for x in (SPD, SPD[0], COMPLEX @ COMPLEX.conj().T):
        close(xp.cholesky(x), np_.cholesky(x))
        close(xp.cholesky(x, upper=True), np.conj(np.swapaxes(np_.cholesky(x), -1, -2)))
        close(xp.eigvalsh(x), np_.eigvalsh(x))
        values, vectors = xp.eigh(x)
        close(values, np_.eigh(x)[0])
        close(x @ np.asarray(vectors), np.asarray(vectors * values[..., None, :]))
    for x in (TALL, TALL.T, A, COMPLEX):
        for full in (False, True):
            q, r = xp.qr(x, mode="complete" if full else "reduced")
            close(q @ r, x)
            u, s, vh = xp.svd(x, full_matrices=full)
            k = s.shape[-1]
            close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x)
            assert (u.shape, vh.shape) == tuple(part.shape for part in np_.svd(x, full_matrices=full)[::2])
    values, vectors = xp.eig(A[0])
    close(A[0] @ np.asarray(vectors), np.asarray(vectors) * np.asarray(values))
    close_in_any_order(xp.eigvals(A[0]), np_.eigvals(A[0]))
    for b in (TALL[:, 0], TALL @ np.ones((3, 2))):
        made, expected = xp.lstsq(TALL, b + 1), np_.lstsq(TALL, b + 1, rcond=None)
        for x, y in zip(made, expected):
            close(x, np.asarray(y).reshape(x.shape))
    close(xp.multi_dot([TALL.T, TALL, TALL.T]), TALL.T @ TALL @ TALL.T)


def test_norms():
    for x in (TALL, TALL[:, 0]):
        for order in (None, 1, 2, np.inf, -np.inf) + (("fro", "nuc", -2) if x.ndim == 2 else (3, 0)):
            close(harp.linalg.norm(x, order), np.linalg.norm(x, order))
    close(harp.linalg.norm(A), np.linalg.norm(A))
    close(harp.linalg.norm(A, axis=1), np.linalg.norm(A, axis=1))
    close(harp.linalg.norm(A, 1, axis=-1, keepdims=True), np.linalg.norm(A, 1, axis=-1, keepdims=True))
    close(harp.linalg.norm(A, "nuc", axis=(0, 2), keepdims=True), np.linalg.norm(A, "nuc", axis=(0, 2), keepdims=True))
    close(harp.linalg.norm(np.array([3, 4])), 5)


def test_narrow_and_whole_numbers():
    assert harp.linalg.inv(harp.asarray([[2, 0], [0, 4]])).dtype is harp.float32
    assert harp.linalg.inv(harp.eye(2, dtype="bfloat16")).dtype is harp.bfloat16
    assert harp.linalg.solve(np.eye(2, dtype=np.float32), np.ones(2)).dtype is harp.float64


def test_traced_symbolic_and_mapped():
    f = harp.jit(lambda x, b: (harp.linalg.solve(x, b), harp.linalg.eigh(x), harp.linalg.qr(x)), dynamic={"x": {0: "n", 1: "n"}, "b": {0: "n"}})
    for n in (2, 4):
        x = SPD[0, :n, :n]
        y, (values, _), (q, r) = f(x, np.ones(n))
        close(x @ np.asarray(y), np.ones(n))
        close(values, np.linalg.eigvalsh(x))
        close(q @ r, x)
    assert f.program_count == 1
    close(harp.vmap(harp.linalg.inv)(A), np.linalg.inv(A))
    close(harp.vmap(harp.linalg.solve, in_axes=(0, None))(A, B[0]), np.linalg.solve(A, np.broadcast_to(B[0], B.shape)))
    close(harp.vmap(lambda x: harp.linalg.eigh(x).eigenvalues)(SPD), np.linalg.eigvalsh(SPD))


def differences(f, x):
    value = lambda x: float(f(harp.asarray(x)))
    made = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-5
        made[i] = (value(x + step) - value(x - step)) / 2e-5
    return made


W = rng.standard_normal((4, 4))
SCALARS = {
    "inv": lambda x: (harp.linalg.inv(x) * W).sum(), "det": lambda x: harp.linalg.det(x) / 50, "slogdet": lambda x: harp.linalg.slogdet(x).logabsdet,
    "solve": lambda x: (harp.linalg.solve(x, W[0]) ** 2).sum(), "both": lambda x: (harp.linalg.solve(x, x @ x) ** 2).sum() / 100,
    "cholesky": lambda x: (harp.linalg.cholesky((x + x.T) / 2) * W).sum(),
    "eigvalsh": lambda x: (harp.linalg.eigvalsh((x + x.T) / 2) * W[0]).sum(),
    "eigh": lambda x: ((harp.linalg.eigh((x + x.T) / 2).eigenvectors ** 2) * W).sum(), "power": lambda x: harp.linalg.matrix_power(x, -2).sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALARS)
def test_gradients(name):
    f = SCALARS[name]
    x = SPD[0]
    value, gradient = harp.value_and_grad(f)(x)
    close(gradient, differences(f, x), 1e-6)
    assert value.item() == f(harp.asarray(x)).item()
    if name.startswith("eig"):
        with pytest.raises(harp.GradientError, match="first derivatives"):
            harp.grad(lambda x: harp.grad(f)(x).sum())(x)
        return
    close(harp.grad(lambda x: (harp.grad(f)(x) * W).sum())(x), differences(lambda x: (harp.grad(f)(x) * W).sum(), x), 1e-6)
    each = np.stack([np.asarray(harp.grad(f)(y)) for y in SPD])
    close(harp.vmap(harp.grad(f))(SPD), each)
    close(harp.grad(lambda x: harp.vmap(f)(x).sum())(SPD), each)


def hermitian(x):
    """A Hermitian matrix, positive definite near SPD[0], whose elements are complex and depend on all elements of x."""
    z = harp.complex_from_parts(x, x @ W / 10)
    return z @ harp.conj(z.mT)


COMPLEX_SCALARS = {
    "cholesky": lambda x: harp.real(harp.linalg.cholesky(hermitian(x)) * (W + 1j * W.T)).sum(),
    "upper": lambda x: harp.real(harp.linalg.cholesky(hermitian(x), upper=True) * (W + 1j * W.T)).sum(),
    "slogdet": lambda x: harp.linalg.slogdet(hermitian(x)).logabsdet,
    "sign": lambda x: harp.imag(harp.linalg.slogdet(harp.complex_from_parts(x, x @ W)).sign),
    "inv": lambda x: harp.imag(harp.linalg.inv(hermitian(x)) * W).sum(),
    "det": lambda x: harp.real(harp.linalg.det(harp.complex_from_parts(x, W))) / 50,
    "eigvalsh": lambda x: (harp.linalg.eigvalsh(hermitian(x)) * W[0]).sum(),
    "eigh": lambda x: (harp.abs(harp.linalg.eigh(hermitian(x)).eigenvectors) ** 2 * W).sum(),
    "svdvals": lambda x: (harp.linalg.svdvals(hermitian(x)[:, :3]) * W[0, :3]).sum(),
    "eigenvalues": lambda x: (harp.linalg.eigh(hermitian(x)).eigenvalues * W[0]).sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLEX_SCALARS)
def test_gradients_through_complex_matrices(name):
    f = COMPLEX_SCALARS[name]
    x = SPD[0]
    value, gradient = harp.value_and_grad(f)(x)
    close(value, f(harp.asarray(x)))
    close(gradient, differences(f, x), 1e-6)
    if not name.startswith(("eig", "svd")):
        close(harp.grad(lambda x: (harp.grad(f)(x) * W).sum())(x), differences(lambda x: (harp.grad(f)(x) * W).sum(), x), 1e-6)


def test_gradients_of_singular_values():
    x = A[0, :, :3]
    for f in (lambda x: (harp.linalg.svdvals(x) * W[0, :3]).sum(), lambda x: harp.linalg.norm(x.T, ord=2), lambda x: harp.linalg.norm(x, ord="nuc"),
              lambda x: harp.linalg.cond(x)):  # fmt: skip
        close(harp.grad(f)(x), differences(f, x), 1e-6)
        each = np.stack([np.asarray(harp.grad(f)(y)) for y in A[:, :, :3]])
        close(harp.grad(lambda x: harp.vmap(f)(x).sum())(A[:, :, :3]), each)  # noqa: B023
        with pytest.raises(harp.GradientError, match="first derivatives"):
            harp.grad(lambda x: harp.grad(f)(x).sum())(x)  # noqa: B023
    assert harp.grad(lambda x: (x * harp.linalg.matrix_rank(x)).sum())(x).tolist() == [[3.0] * 3] * 4


def test_third_derivative():
    d = lambda f: harp.grad(f)
    f = lambda x: harp.linalg.inv(x * np.eye(2))[0, 0]  # 1 / x
    close(d(d(d(f)))(np.array(2.0)), -6 / 2.0**4)
    g = lambda x: harp.linalg.slogdet(x * np.eye(1)).logabsdet
    close(d(d(d(g)))(np.array(2.0)), 2 / 2.0**3)
    h = lambda x: harp.linalg.cholesky(x * np.eye(1))[0, 0]
    close(d(d(d(h)))(np.array(2.0)), 0.375 * 2.0**-2.5)
    y, change = harp.jvp(harp.linalg.inv, (A[0],), (W,))
    close(change, -np.linalg.inv(A[0]) @ W @ np.linalg.inv(A[0]))


def test_mistakes():
    for mistake, text in [(lambda: harp.linalg.inv(TALL), r"inv: expected square matrices .* got shape \(5, 3\)"),
                          (lambda: harp.linalg.det(np.ones(3)), r"got shape \(3,\)"), (lambda: harp.linalg.solve(A[0], np.ones(3)), "do not fit"),
                          (lambda: harp.linalg.qr(A, mode="raw"), "'raw'|raw"), (lambda: harp.linalg.matrix_norm(A, ord=7), "got 7"),
                          (lambda: harp.linalg.lstsq(TALL, np.ones(4)), r"\(5, 3\) and \(4,\)")]:  # fmt: skip
        with pytest.raises(ValueError, match=text):
            mistake()
    for kind in (harp.NativeError, np.linalg.LinAlgError, harp.linalg.LinAlgError):
        with pytest.raises(kind, match="Singular matrix") as caught:
            harp.linalg.inv(np.zeros((2, 2))).eval()
        assert type(caught.value) is harp.linalg.LinAlgError and isinstance(caught.value.__cause__, np.linalg.LinAlgError)
    for f in (lambda x: harp.linalg.svd(x).S, lambda x: harp.linalg.qr(x).R, lambda x: harp.linalg.pinv(x)):
        with pytest.raises(harp.GradientError, match="no gradient; harp.stop_gradient"):
            harp.grad(lambda x, f=f: f(x).sum())(A[0])
