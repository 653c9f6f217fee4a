"""Programs as people write them for NumPy: stencils, linear algebra, differential equations. Each takes the namespace, NumPy or harp, and
returns arrays."""
# ruff: noqa: B007, E741 (the programs keep their authors' names of variables)

import math

import numpy as np


def rng():
    return np.random.default_rng(0)


def spd(n):
    a = rng().standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


def jacobi_2d(xp):
    N = 60
    A = xp.asarray(rng().random((N, N)))
    B = xp.zeros_like(A)
    for t in range(10):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A


def gemver(xp):
    r = rng()
    n = 50
    A = xp.asarray(r.random((n, n)))
    u1, v1, u2, v2, y, z = [xp.asarray(r.random(n)) for _ in range(6)]
    A += xp.outer(u1, v1) + xp.outer(u2, v2)
    x = 1.5 * y @ A + z
    w = 1.2 * A @ x
    return w


def covariance(xp):
    data = xp.asarray(rng().random((40, 8)))
    n = data.shape[0]
    mean = xp.mean(data, axis=0)
    data -= mean
    cov = xp.zeros((8, 8), dtype=data.dtype)
    for i in range(8):
        cov[i:8, i] = cov[i, i:8] = data[:, i] @ data[:, i:8] / (n - 1.0)
    return cov


def correlation(xp):
    data = xp.asarray(rng().random((40, 8)))
    stddev = xp.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= xp.mean(data, axis=0)
    data /= xp.sqrt(40.0) * stddev
    corr = xp.eye(8, dtype=data.dtype)
    for i in range(7):
        corr[i + 1 :, i] = corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return corr


def floyd_warshall(xp):
    r = rng()
    path = xp.asarray(r.integers(1, 100, (24, 24)))
    for k in range(24):
        path[:] = xp.minimum(path[:], xp.add.outer(path[:, k], path[k, :])) if xp is np else xp.minimum(path[:], path[:, k][:, None] + path[k, :])
    return path


def mandelbrot(xp):
    X = xp.linspace(-2.0, 0.5, 40, dtype=xp.float64)
    Y = xp.linspace(-1.25, 1.25, 40, dtype=xp.float64)
    C = X + Y[:, None] * 1j
    N = xp.zeros(C.shape, dtype=xp.int64)
    Z = xp.zeros(C.shape, dtype=xp.complex128)
    for n in range(20):
        I = abs(Z) < 2.0
        N[I] = n
        Z[I] = Z[I] ** 2 + C[I]
    N[N == 19] = 0
    return N


def azimint(xp):
    data = xp.asarray(rng().random(1000))
    radius = xp.asarray(rng().random(1000))
    npt = 10
    rmax = radius.max()
    res = xp.zeros(npt, dtype=xp.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask = xp.logical_and((r1 <= radius), (radius < r2))
        res[i] = data[mask].mean()
    return res


def nbody(xp):
    r = rng()
    N = 10
    mass = xp.asarray(20.0 * np.ones((N, 1)) / N)
    pos = xp.asarray(r.random((N, 3)))
    vel = xp.asarray(r.random((N, 3)))
    vel -= xp.mean(mass * vel, axis=0) / xp.mean(mass)

    def acc(pos):
        x = pos[:, 0:1]
        y = pos[:, 1:2]
        z = pos[:, 2:3]
        dx = x.T - x
        dy = y.T - y
        dz = z.T - z
        inv_r3 = dx**2 + dy**2 + dz**2 + 0.1**2
        I = inv_r3 > 0
        inv_r3[I] = inv_r3[I] ** (-1.5)
        return xp.hstack((dx * inv_r3 @ mass, dy * inv_r3 @ mass, dz * inv_r3 @ mass))

    a = acc(pos)
    for _ in range(10):
        vel += a * 0.005
        pos += vel * 0.01
        a = acc(pos)
        vel += a * 0.005
    KE = 0.5 * xp.sum(xp.sum(mass * vel**2))
    return pos, KE


def hdiff(xp):
    f = xp.asarray(rng().random((12, 12, 4)))
    coeff = xp.asarray(rng().random((8, 8, 4)))
    I = J = 8
    lap = 4.0 * f[1 : I + 3, 1 : J + 3, :] - (
        f[2 : I + 4, 1 : J + 3, :] + f[0 : I + 2, 1 : J + 3, :] + f[1 : I + 3, 2 : J + 4, :] + f[1 : I + 3, 0 : J + 2, :]
    )
    res = lap[1:, 1 : J + 1, :] - lap[:-1, 1 : J + 1, :]
    flx = xp.where((res * (f[2 : I + 3, 2 : J + 2, :] - f[1 : I + 2, 2 : J + 2, :])) > 0, 0, res)
    res = lap[1 : I + 1, 1:, :] - lap[1 : I + 1, :-1, :]
    fly = xp.where((res * (f[2 : I + 2, 2 : J + 3, :] - f[2 : I + 2, 1 : J + 2, :])) > 0, 0, res)
    return f[2 : I + 2, 2 : J + 2, :] - coeff * (flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :])


def cavity(xp):
    nx = ny = 21
    dx = dy = 2 / 20
    u = xp.zeros((ny, nx), dtype=xp.float64)
    v = xp.zeros((ny, nx), dtype=xp.float64)
    p = xp.zeros((ny, nx), dtype=xp.float64)
    b = xp.zeros((ny, nx), dtype=xp.float64)
    rho = 1.0
    nu = 0.1
    dt = 0.001
    for n in range(5):
        b[1:-1, 1:-1] = rho * (
            1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
            - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        )
        for q in range(5):
            pn = p.copy()
            p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
                2 * (dx**2 + dy**2)
            ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        un = u.copy()
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
    return u, p


def cholesky_by_hand(xp):
    A = xp.asarray(spd(10))
    n = 10
    A[0, 0] = xp.sqrt(A[0, 0])
    for i in range(1, n):
        for j in range(i):
            A[i, j] -= xp.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= xp.dot(A[i, :i], A[i, :i])
        A[i, i] = xp.sqrt(A[i, i])
    return xp.tril(A)


def gramschmidt(xp):
    A = xp.asarray(rng().random((12, 6)))
    Q = xp.zeros_like(A)
    R = xp.zeros((6, 6), dtype=A.dtype)
    for k in range(6):
        nrm = xp.dot(A[:, k], A[:, k])
        R[k, k] = xp.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, 6):
            R[k, j] = xp.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def householder(xp):
    A = xp.asarray(rng().random((6, 4)))
    m, n = A.shape
    Q = xp.eye(m, dtype=A.dtype)
    for j in range(n):
        x = A[j:, j]
        normx = xp.linalg.norm(x)
        s = -xp.sign(x[0])
        u1 = x[0] - s * normx
        w = x / u1
        w[0] = 1
        tau = -s * u1 / normx
        A[j:, :] = A[j:, :] - (tau * w)[:, None] * (w @ A[j:, :])[None, :]
        Q[:, j:] = Q[:, j:] - (Q[:, j:] @ w)[:, None] * (tau * w)[None, :]
    return Q, A


def conjugate_gradient(xp):
    A = xp.asarray(spd(30))
    b = xp.asarray(rng().random(30))
    x = xp.zeros_like(b)
    r = b - A @ x
    p = r
    rs = r @ r
    for i in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rn = r @ r
        if xp.sqrt(rn) < 1e-10:
            break
        p = r + (rn / rs) * p
        rs = rn
    return x


def linalg_all(xp):
    A = xp.asarray(spd(6))
    b = xp.asarray(rng().random(6))
    L = xp.linalg.cholesky(A)
    return (
        xp.linalg.solve(A, b),
        xp.linalg.inv(A),
        xp.linalg.det(A),
        L,
        xp.linalg.eigvalsh(A),
        xp.linalg.norm(A),
        xp.linalg.norm(b, 1),
        xp.linalg.matrix_rank(A),
        xp.linalg.pinv(A),
        xp.linalg.slogdet(A)[1],
        xp.linalg.matrix_power(A, 3),
        xp.trace(A),
    )


def least_squares(xp):
    x = xp.linspace(0, 10, 50, dtype=xp.float64)
    y = 3 * x + 2 + xp.sin(x)
    A = xp.vstack([x, xp.ones(len(x), dtype=xp.float64)]).T
    m = xp.linalg.lstsq(A, y, rcond=None)[0]
    return m


def rk4_lorenz(xp):
    def f(s):
        x, y, z = s
        return xp.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    s = xp.array([1.0, 1.0, 1.0])
    out = []
    for _ in range(20):
        k1 = f(s)
        k2 = f(s + 0.005 * k1)
        k3 = f(s + 0.005 * k2)
        k4 = f(s + 0.01 * k3)
        s = s + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out.append(s)
    return xp.array(out)


def heat_implicit(xp):
    n = 30
    u = xp.asarray(np.sin(np.pi * np.linspace(0, 1, n)))
    r = 0.4
    M = xp.diag(xp.full(n, 1 + 2 * r)) + xp.diag(xp.full(n - 1, -r), 1) + xp.diag(xp.full(n - 1, -r), -1)
    for _ in range(5):
        u = xp.linalg.solve(M, u)
    return u


def wave_fft(xp):
    n = 64
    x = xp.arange(n) * (2 * math.pi / n)
    u = xp.exp(-((x - math.pi) ** 2) * 4)
    k = xp.fft.fftfreq(n, 1 / n)
    uh = xp.fft.fft(u)
    return xp.real(xp.fft.ifft(1j * k * uh))


def kuramoto(xp):
    th = xp.asarray(rng().random(20))
    w = xp.asarray(rng().standard_normal(20))
    for _ in range(10):
        th = th + 0.01 * (w + 0.5 * xp.mean(xp.sin(th[None, :] - th[:, None]), axis=1))
    z = xp.abs(xp.mean(xp.exp(1j * th)))
    return th % (2 * xp.pi), z


def gray_scott(xp):
    n = 32
    U = xp.ones((n, n), dtype=xp.float64)
    V = xp.zeros((n, n), dtype=xp.float64)
    U[12:20, 12:20] = 0.5
    V[12:20, 12:20] = 0.25

    def lap(a):
        return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a

    for _ in range(10):
        uvv = U * V * V
        U += 0.16 * lap(U) - uvv + 0.06 * (1 - U)
        V += 0.08 * lap(V) + uvv - 0.122 * V
    return U, V


def burgers_upwind(xp):
    u = xp.ones(41)
    u[10:21] = 2
    for n in range(25):
        un = u.copy()
        u[1:] = un[1:] - un[1:] * 0.025 / 0.05 * (un[1:] - un[:-1])
    return u


def poly(xp):
    c = xp.array([1.0, -6.0, 11.0, -6.0])
    x = xp.linspace(0, 4, 20)
    return (
        xp.polyval(c, x),
        xp.trapezoid(xp.polyval(c, x), x) if hasattr(xp, "trapezoid") else np.trapz(np.polyval(c, x), x),
        xp.gradient(xp.polyval(c, x), x),
        xp.polyfit(x, xp.polyval(c, x), 3),
    )


def simpson(xp):
    x = xp.linspace(0, xp.pi, 101)
    y = xp.sin(x)
    h = x[1] - x[0]
    return h / 3 * (y[0] + 4 * xp.sum(y[1:-1:2]) + 2 * xp.sum(y[2:-2:2]) + y[-1])


def value_iteration(xp):
    r = rng()
    T = xp.asarray(r.dirichlet(np.ones(6), (3, 6)))
    R = xp.asarray(r.random((3, 6)))
    V = xp.zeros(6, dtype=xp.float64)
    for _ in range(50):
        Q = R + 0.9 * xp.einsum("ast,t->as", T, V) if xp is np else R + 0.9 * T @ V
        V = xp.max(Q, axis=0)
    return V, xp.argmax(Q, axis=0)


PROGRAMS = [
    jacobi_2d,
    gemver,
    covariance,
    correlation,
    floyd_warshall,
    mandelbrot,
    azimint,
    nbody,
    hdiff,
    cavity,
    cholesky_by_hand,
    gramschmidt,
    householder,
    conjugate_gradient,
    linalg_all,
    least_squares,
    rk4_lorenz,
    heat_implicit,
    wave_fft,
    kuramoto,
    gray_scott,
    burgers_upwind,
    poly,
    simpson,
    value_iteration,
]
