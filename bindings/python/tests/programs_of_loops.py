"""Programs as people write them for NumPy: loops over rows and columns, recurrences, simulations, statistics. Each takes the namespace, NumPy
or harp, and returns arrays."""

# ruff: noqa: B007, E741, F841 (the programs keep their authors' names of variables)
import math

import numpy as np


def rng():
    return np.random.default_rng(0)


def channel_flow_while(xp):
    u = xp.zeros((11, 11), dtype=xp.float64)
    v = xp.zeros((11, 11), dtype=xp.float64)
    udiff = 1
    steps = 0
    while udiff > 0.05 and steps < 10:
        un = u.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] + 0.1 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1]) + 0.01
        u[0, :] = 0
        u[-1, :] = 0
        udiff = (xp.sum(u) - xp.sum(un)) / xp.sum(u)
        steps += 1
    return u, xp.asarray(steps)


def contour_integral(xp):
    r = rng()
    NM = 6
    Ham = xp.asarray(r.random((3, NM, NM)) + 1j * r.random((3, NM, NM)))
    int_pts = r.random(4) + 1j * r.random(4)
    Y = xp.asarray(r.random((NM, 2)) + 0j)
    P0 = xp.zeros((NM, 2), dtype=xp.complex128)
    P1 = xp.zeros((NM, 2), dtype=xp.complex128)
    for z in int_pts:
        Tz = xp.zeros((NM, NM), dtype=xp.complex128)
        for n in range(3):
            zz = xp.power(complex(z), 1 - n) if xp is np else complex(z) ** (1 - n)
            Tz += zz * Ham[n]
        X = xp.linalg.solve(Tz, Y)
        if abs(z) < 1.0:
            X = -X
        P0 += X
        P1 += complex(z) * X
    return P0, P1


def lenet_ish(xp):
    r = rng()
    x = xp.asarray(r.random((2, 8, 8, 1)).astype(np.float32))
    w = xp.asarray(r.random((3, 3, 1, 2)).astype(np.float32))
    out = xp.empty((2, 6, 6, 2), dtype=xp.float32)
    for i in range(6):
        for j in range(6):
            out[:, i, j, :] = xp.sum(x[:, i : i + 3, j : j + 3, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2, 3))
    y = xp.empty((2, 3, 3, 2), dtype=xp.float32)
    for i in range(3):
        for j in range(3):
            y[:, i, j, :] = xp.max(out[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return xp.maximum(y, 0).reshape(2, -1)


def stockham_fft(xp):
    R = 2
    K = 4
    N = R**K
    x = xp.asarray(rng().random(N) + 1j * rng().random(N))
    y = x.copy()
    i, j = xp.mgrid[0:R, 0:R]
    dft = xp.exp(-2.0j * xp.pi * i * j / R)
    for i in range(K):
        yv = xp.reshape(y, (R**i, R, R ** (K - i - 1)))
        tmp = xp.transpose(yv, axes=(1, 0, 2)) if xp is np else xp.transpose(yv, (1, 0, 2))
        D = np.exp(-2j * np.pi * np.arange(R)[:, None] * np.arange(R**i)[None] / R ** (i + 1))
        tmp = tmp * D[:, :, None]
        tmp = xp.reshape(tmp, (R, N // R))
        y = xp.reshape(dft @ tmp, (N,))
    return (y,)


def spmv(xp):
    r = rng()
    n = 10
    dense = r.random((n, n)) * (r.random((n, n)) < 0.3)
    rows, cols = np.nonzero(dense)
    vals = xp.asarray(dense[rows, cols])
    x = xp.asarray(r.random(n))
    ptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    y = xp.empty(n, dtype=xp.float64)
    for i in range(n):
        c = cols[ptr[i] : ptr[i + 1]]
        v = vals[ptr[i] : ptr[i + 1]]
        y[i] = v @ x[c]
    return y


def scattering(xp):
    r = rng()
    G = xp.asarray(r.random((2, 3, 4, 4)) + 0j)
    Sig = xp.zeros((2, 3, 4, 4), dtype=xp.complex128)
    for k in range(2):
        for E in range(3):
            for q in range(2):
                if E - q >= 0:
                    Sig[k, E] += G[k, E - q] @ G[q, E]
    return Sig


def vadv(xp):
    r = rng()
    I, K = 4, 6
    u = xp.asarray(r.random((I, K)))
    cc = xp.empty((I, K), dtype=xp.float64)
    dc = xp.empty((I, K), dtype=xp.float64)
    for k in range(K):
        a = 0.1 * u[:, k]
        b = 1 + a
        if k == 0:
            cc[:, k] = a / b
            dc[:, k] = u[:, k] / b
        else:
            d = 1.0 / (b - cc[:, k - 1] * a)
            cc[:, k] = a * d
            dc[:, k] = (u[:, k] - a * dc[:, k - 1]) * d
    for k in range(K - 2, -1, -1):
        dc[:, k] -= cc[:, k] * dc[:, k + 1]
    return dc


def nussinov(xp):
    n = 10
    seq = rng().integers(0, 4, n)
    t = xp.zeros((n, n), dtype=int)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                t[i, j] = xp.maximum(t[i, j], t[i, j - 1])
            if i + 1 < n:
                t[i, j] = xp.maximum(t[i, j], t[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                t[i, j] = xp.maximum(t[i, j], t[i + 1, j - 1] + (int(seq[i] + seq[j] == 3) if i < j - 1 else 0))
            for k in range(i + 1, j):
                t[i, j] = xp.maximum(t[i, j], t[i, k] + t[k + 1, j])
    return t


def deriche(xp):
    img = xp.asarray(rng().random((8, 8)))
    y1 = xp.empty_like(img)
    y2 = xp.empty_like(img)
    a, b1, b2 = 0.3, 0.5, -0.1
    y1[:, 0] = a * img[:, 0]
    y1[:, 1] = a * img[:, 1] + b1 * y1[:, 0]
    for j in range(2, 8):
        y1[:, j] = a * img[:, j] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a * img[:, -1]
    for j in range(5, -1, -1):
        y2[:, j] = a * img[:, j + 1] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    return y1 + y2


def fdtd_2d(xp):
    r = rng()
    ex, ey, hz = (xp.asarray(r.random((8, 9))) for _ in range(3))
    for t in range(4):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def adi(xp):
    N = 8
    u = xp.asarray(np.fromfunction(lambda i, j: (i + N - j) / N, (N, N)))
    v = xp.zeros((N, N), dtype=u.dtype)
    p = xp.zeros((N, N), dtype=u.dtype)
    q = xp.zeros((N, N), dtype=u.dtype)
    a, b, c, d, f = -0.4, 1.8, -0.4, -0.3, -0.3
    v[0, 1 : N - 1] = 1.0
    p[1 : N - 1, 0] = 0.0
    q[1 : N - 1, 0] = v[0, 1 : N - 1]
    for j in range(1, N - 1):
        p[1 : N - 1, j] = -c / (a * p[1 : N - 1, j - 1] + b)
        q[1 : N - 1, j] = (-d * u[j, 0 : N - 2] + (1.0 + 2.0 * d) * u[j, 1 : N - 1] - f * u[j, 2:N] - a * q[1 : N - 1, j - 1]) / (
            a * p[1 : N - 1, j - 1] + b
        )
    v[N - 1, 1 : N - 1] = 1.0
    for j in range(N - 2, 0, -1):
        v[j, 1 : N - 1] = p[1 : N - 1, j] * v[j + 1, 1 : N - 1] + q[1 : N - 1, j]
    return v


def durbin(xp):
    r = xp.asarray(rng().random(10))
    y = xp.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, 10):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + xp.dot(xp.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * xp.flip(y[:k])
        y[k] = alpha
    return y


def seidel_2d(xp):
    A = xp.asarray(rng().random((7, 7)))
    N = 7
    for i in range(1, N - 1):
        A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
        for j in range(1, N - 1):
            A[i, j] += A[i, j - 1]
            A[i, j] /= 9.0
    return A


def trisolv_syrk_trmm(xp):
    r = rng()
    L = xp.asarray(np.tril(r.random((6, 6))) + 3 * np.eye(6))
    b = xp.asarray(r.random(6))
    x = xp.zeros(6, dtype=xp.float64)
    for i in range(6):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    C = xp.asarray(r.random((6, 6)))
    for i in range(6):
        C[i, : i + 1] *= 0.5
        for k in range(6):
            C[i, : i + 1] += 1.5 * L[i, k] * L[: i + 1, k]
    return x, C


def ising(xp):
    r = rng()
    s = xp.asarray(r.choice([-1, 1], (16, 16)))
    mask = xp.asarray(np.indices((16, 16)).sum(0) % 2 == 0)
    for t in range(6):
        nb = xp.roll(s, 1, axis=0) + xp.roll(s, -1, axis=0) + xp.roll(s, 1, axis=1) + xp.roll(s, -1, axis=1)
        dE = 2 * s * nb
        flip = (xp.asarray(r.random((16, 16))) < xp.exp(-0.4 * dE)) & (mask if t % 2 == 0 else ~mask)
        s = xp.where(flip, -s, s)
    return s, -(s * nb).sum() / 2


def julia_set(xp):
    x = xp.linspace(-1.5, 1.5, 30, dtype=xp.float64)
    z = x[None, :] + 1j * x[:, None]
    n = xp.zeros(z.shape, dtype=int)
    for i in range(15):
        m = xp.abs(z) <= 2
        z = xp.where(m, z * z + (-0.4 + 0.6j), z)
        n = n + m.astype(int)
    return n


def logistic_map(xp):
    r = xp.linspace(2.5, 4.0, 50, dtype=xp.float64)
    x = 1e-5 * xp.ones(50, dtype=xp.float64)
    ly = xp.zeros(50, dtype=xp.float64)
    for i in range(20):
        x = r * x * (1 - x)
        ly += xp.log(abs(r - 2 * r * x))
    return x, ly / 20


def savgol(xp):
    y = xp.asarray(rng().random(20))
    half = 2
    t = xp.arange(-half, half + 1)
    A = xp.vander(t.astype(xp.float64), 3, increasing=True)
    c = xp.linalg.pinv(A)[0]
    return xp.convolve(xp.pad(y, half, mode="edge"), c[::-1], mode="valid")


def moving_average(xp):
    x = xp.asarray(rng().random(30))
    c = xp.cumsum(xp.insert(x, 0, 0)) if hasattr(xp, "insert") else xp.cumsum(xp.concatenate([xp.zeros(1, dtype=xp.float64), x]))
    return (c[5:] - c[:-5]) / 5


def tfidf(xp):
    counts = xp.asarray(rng().integers(0, 4, (6, 10)))
    tf = counts / xp.maximum(counts.sum(axis=1, keepdims=True), 1)
    df = (counts > 0).sum(axis=0)
    idf = xp.log(6 / (1 + df))
    X = tf * idf
    nrm = xp.linalg.norm(X, axis=1, keepdims=True)
    X = X / nrm
    return X @ X.T


def confusion_matrix(xp):
    r = rng()
    y, p = xp.asarray(r.integers(0, 4, 50)), xp.asarray(r.integers(0, 4, 50))
    M = xp.bincount(y * 4 + p, minlength=16).reshape(4, 4)
    return M, xp.diag(M) / M.sum(axis=1), xp.trace(M) / M.sum()


def run_length(xp):
    x = xp.asarray([1, 1, 2, 2, 2, 3, 1])
    b = xp.flatnonzero(xp.diff(x, prepend=-1))
    return x[b], xp.diff(xp.append(b, len(x)))


def cosine_similarity_topk(xp):
    X = xp.asarray(rng().random((12, 4)))
    q = X[3]
    s = X @ q / (xp.linalg.norm(X, axis=1) * xp.linalg.norm(q))
    return xp.argsort(-s)[:3], xp.sort(s)[::-1][:3]


def markov_stationary(xp):
    P = xp.asarray(rng().dirichlet(np.ones(4), 4))
    w, v = xp.linalg.eig(P.T)
    i = int(xp.argmin(xp.abs(w - 1)))
    p = xp.real(v[:, i])
    return p / p.sum()


def brownian_bridge(xp):
    z = xp.asarray(rng().standard_normal((5, 50)))
    W = xp.cumsum(z, axis=1) / math.sqrt(50)
    t = xp.linspace(1 / 50, 1, 50, dtype=xp.float64)
    return W - t * W[:, -1:]


def american_option_lsm(xp):
    r = rng()
    S = xp.asarray(100 * np.exp(np.cumsum(r.standard_normal((200, 5)) * 0.1, axis=1)))
    cf = xp.maximum(100 - S[:, -1], 0)
    for t in range(3, -1, -1):
        itm = S[:, t] < 100
        X = S[:, t][itm]
        Y = 0.99 * cf[itm]
        c = xp.polyfit(X, Y, 2)
        cont = xp.polyval(c, X)
        ex = 100 - X
        new = xp.where(ex > cont, ex, Y)
        cf = cf * 0.99
        cf[itm] = new
    return cf.mean()


def spline_tridiag(xp):
    x = xp.linspace(0, 5, 6, dtype=xp.float64)
    y = xp.sin(x)
    h = xp.diff(x)
    A = xp.zeros((6, 6), dtype=xp.float64)
    A[0, 0] = A[-1, -1] = 1
    b = xp.zeros(6, dtype=xp.float64)
    for i in range(1, 5):
        A[i, i - 1] = h[i - 1]
        A[i, i] = 2 * (h[i - 1] + h[i])
        A[i, i + 1] = h[i]
        b[i] = 3 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    return xp.linalg.solve(A, b)


def rotation_batch(xp):
    th = xp.asarray(rng().random(4))
    c, s = xp.cos(th), xp.sin(th)
    R = xp.stack([xp.stack([c, -s], -1), xp.stack([s, c], -1)], -2)
    v = xp.asarray(rng().random((4, 2)))
    return xp.einsum("nij,nj->ni", R, v), xp.linalg.det(R)


PROGRAMS = [
    channel_flow_while,
    contour_integral,
    lenet_ish,
    stockham_fft,
    spmv,
    scattering,
    vadv,
    nussinov,
    deriche,
    fdtd_2d,
    adi,
    durbin,
    seidel_2d,
    trisolv_syrk_trmm,
    ising,
    julia_set,
    logistic_map,
    savgol,
    moving_average,
    tfidf,
    confusion_matrix,
    run_length,
    cosine_similarity_topk,
    markov_stationary,
    brownian_bridge,
    american_option_lsm,
    spline_tridiag,
    rotation_batch,
]
