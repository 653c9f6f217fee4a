"""Programs as people write them for NumPy: signals, images, statistics, learning, graphs, text. Each takes the namespace, NumPy or harp, and
returns arrays."""

import math

import numpy as np


def rng():
    return np.random.default_rng(0)


def convolve_smooth(xp):
    t = xp.linspace(0, 1, 100)
    x = xp.sin(2 * xp.pi * 5 * t)
    w = xp.hanning(11)
    return xp.convolve(x, w / w.sum(), mode="same")


def autocorr(xp):
    x = xp.asarray(rng().standard_normal(64))
    x = x - x.mean()
    r = xp.correlate(x, x, mode="full")[-len(x) :]
    return r / r[0]


def sobel(xp):
    img = xp.asarray(rng().random((20, 20)))
    p = xp.pad(img, 1, mode="edge")
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return xp.hypot(gx, gy)


def median_filter(xp):
    img = xp.asarray(rng().random((12, 12)))
    p = xp.pad(img, ((1, 1), (1, 1)), mode="reflect")
    return xp.median(xp.stack([p[i : i + 12, j : j + 12] for i in range(3) for j in range(3)], axis=0), axis=0)


def hist_equalise(xp):
    img = xp.asarray(rng().integers(0, 256, (32, 32)))
    h, bins = xp.histogram(img.flatten(), 256, (0, 256))
    cdf = h.cumsum()
    cdf = 255 * cdf / cdf[-1]
    return xp.interp(img.flatten(), bins[:-1], cdf).reshape(img.shape)


def otsu(xp):
    img = xp.asarray(rng().integers(0, 256, 500))
    c = xp.bincount(img, minlength=256)
    w = xp.cumsum(c)
    m = xp.cumsum(c * xp.arange(256))
    mt = m[-1]
    wf = w[-1] - w
    var = xp.where((w > 0) & (wf > 0), w * wf * (m / xp.maximum(w, 1) - (mt - m) / xp.maximum(wf, 1)) ** 2, 0)
    return xp.argmax(var)


def haar(xp):
    x = xp.asarray(rng().random(32))
    out = []
    while x.size > 1:
        a = (x[0::2] + x[1::2]) / xp.sqrt(2)
        d = (x[0::2] - x[1::2]) / xp.sqrt(2)
        out.append(d)
        x = a
    return xp.concatenate([x] + out[::-1])


def bilinear(xp):
    img = xp.asarray(rng().random((8, 8)))
    yy, xx = xp.meshgrid(xp.linspace(0, 6.9, 15), xp.linspace(0, 6.9, 15), indexing="ij")
    y0 = xp.floor(yy).astype(int)
    x0 = xp.floor(xx).astype(int)
    dy = yy - y0
    dx = xx - x0
    return img[y0, x0] * (1 - dy) * (1 - dx) + img[y0 + 1, x0] * dy * (1 - dx) + img[y0, x0 + 1] * (1 - dy) * dx + img[y0 + 1, x0 + 1] * dy * dx


def summary(xp):
    x = xp.asarray(rng().standard_normal((50, 3)))
    return (
        xp.median(x, axis=0),
        xp.percentile(x, [25, 50, 75], axis=0),
        xp.quantile(x, 0.9),
        xp.var(x, axis=0, ddof=1),
        xp.std(x, 0),
        xp.corrcoef(x.T),
        xp.cov(x, rowvar=False),
        xp.ptp(x),
        xp.average(x, axis=0, weights=xp.arange(50)),
    )


def nan_stats(xp):
    x = xp.asarray(np.where(rng().random((10, 4)) < 0.2, np.nan, rng().random((10, 4))))
    return (
        xp.nanmean(x, axis=0),
        xp.nansum(x),
        xp.nanmax(x, axis=1),
        xp.nanmin(x),
        xp.nanstd(x, axis=0),
        xp.nan_to_num(x),
        xp.nanmedian(x, axis=0),
        xp.nanvar(x),
    )


def random_walk(xp):
    s = xp.where(xp.asarray(rng().random((20, 100))) < 0.5, -1, 1)
    return xp.cumsum(s, axis=1), xp.max(xp.abs(s.cumsum(axis=1)), axis=1)


def black_scholes(xp):
    r = rng()
    S = xp.asarray(r.uniform(10, 50, 1000))
    K = xp.asarray(r.uniform(10, 50, 1000))
    T = xp.asarray(r.uniform(1, 2, 1000))
    rf, v = 0.1, 0.2
    d1 = (xp.log(S / K) + (rf + 0.5 * v * v) * T) / (v * xp.sqrt(T))
    d2 = d1 - v * xp.sqrt(T)
    cdf = (lambda x: 0.5 * (1 + xp.erf(x / math.sqrt(2)))) if xp is not np else (lambda x: 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))))
    return S * cdf(d1) - K * xp.exp(-rf * T) * cdf(d2)


def bootstrap(xp):
    x = xp.asarray(rng().standard_normal(100))
    i = xp.asarray(rng().integers(0, 100, (50, 100)))
    m = x[i].mean(axis=1)
    return xp.percentile(m, 2.5), xp.percentile(m, 97.5)


def kmeans(xp):
    r = rng()
    X = xp.asarray(np.concatenate([r.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)]))
    C = X[[0, 20, 40]]
    for _ in range(5):
        lab = xp.argmin(((X[:, None, :] - C[None]) ** 2).sum(-1), axis=1)
        C = xp.array([X[lab == k].mean(axis=0) for k in range(3)])
    return C, lab


def knn(xp):
    r = rng()
    X = xp.asarray(r.random((30, 2)))
    y = xp.asarray(r.integers(0, 3, 30))
    Q = xp.asarray(r.random((5, 2)))
    d = xp.linalg.norm(Q[:, None] - X[None], axis=-1)
    idx = xp.argsort(d, axis=1)[:, :5]
    return xp.array([xp.bincount(v, minlength=3).argmax() for v in y[idx]])


def gauss_nb(xp):
    r = rng()
    X = xp.asarray(r.random((40, 3)))
    y = xp.asarray(r.integers(0, 2, 40))
    cl = xp.unique(y)
    ll = []
    for c in cl:
        Z = X[y == c]
        m, v = Z.mean(0), Z.var(0) + 1e-9
        ll.append(-0.5 * xp.sum(xp.log(2 * xp.pi * v) + (X - m) ** 2 / v, axis=1) + xp.log(len(Z) / len(X)))
    return cl[xp.argmax(xp.stack(ll, 1), axis=1)]


def pca(xp):
    X = xp.asarray(rng().standard_normal((50, 5)))
    X = X - X.mean(axis=0)
    C = xp.cov(X.T) if hasattr(xp, "cov") else X.T @ X / 49
    w, v = xp.linalg.eigh(C)
    idx = xp.argsort(w)[::-1]
    return w[idx], xp.abs(X @ v[:, idx])


def pagerank(xp):
    A = xp.asarray((rng().random((20, 20)) < 0.2).astype(float))
    out = A.sum(axis=0)
    M = xp.divide(A, xp.where(out == 0, 1, out))
    r = xp.ones(20, dtype=xp.float64) / 20
    for _ in range(50):
        r = 0.85 * M @ r + 0.15 / 20
    return r


def life(xp):
    X = xp.asarray((rng().random((20, 20)) < 0.3).astype(int))
    for _ in range(10):
        n = sum(xp.roll(xp.roll(X, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0))
        X = (n == 3) | (X & (n == 2))
        X = X.astype(int)
    return X


def rule110(xp):
    s = xp.zeros(64, dtype=int)
    s[-1] = 1
    rule = xp.array([int(b) for b in format(110, "08b")[::-1]])
    rows = [s]
    for _ in range(30):
        s = rule[4 * xp.roll(s, 1) + 2 * s + xp.roll(s, -1)]
        rows.append(s)
    return xp.vstack(rows)


def edit_distance(xp):
    a = np.frombuffer(b"kitten sitting", dtype=np.uint8)
    b = np.frombuffer(b"sitting kitten", dtype=np.uint8)
    prev = xp.arange(len(b) + 1)
    for i, c in enumerate(a):
        sub = prev[:-1] + xp.asarray((b != c).astype(np.int64))
        cur = xp.minimum(sub, prev[1:] + 1)
        cur = xp.concatenate([xp.array([i + 1]), cur])
        idx = xp.arange(len(b) + 1)
        prev = (xp.minimum.accumulate(cur - idx) if xp is np else xp.cummin(cur - idx)) + idx
    return prev[-1]


def knapsack(xp):
    w = [3, 4, 5, 9, 14]
    v = [3.0, 4.0, 4.0, 10.0, 15.0]
    W = 30
    dp = xp.zeros(W + 1)
    for wi, vi in zip(w, v):
        dp[wi:] = xp.maximum(dp[wi:], dp[:-wi] + vi)
    return dp


def viterbi(xp):
    r = rng()
    A = xp.log(xp.asarray(r.dirichlet(np.ones(4), 4)))
    B = xp.log(xp.asarray(r.dirichlet(np.ones(6), 4)))
    obs = r.integers(0, 6, 15)
    d = B[:, obs[0]]
    back = []
    for o in obs[1:]:
        s = d[:, None] + A
        back.append(xp.argmax(s, axis=0))
        d = xp.max(s, axis=0) + B[:, o]
    path = [int(xp.argmax(d))]
    for b in back[::-1]:
        path.append(int(b[path[-1]]))
    return xp.array(path[::-1])


def byte_histogram(xp):
    t = np.frombuffer(b"the quick brown fox jumps over the lazy dog" * 3, dtype=np.uint8)
    x = xp.asarray(t)
    counts = xp.bincount(x, minlength=256)
    top = xp.argsort(counts)[::-1][:5]
    nz = xp.nonzero(counts)[0]
    p = counts[nz] / counts.sum()
    return counts, counts[top], -(p * xp.log2(p)).sum()


def sieve(xp):
    n = 100
    s = xp.ones(n + 1, dtype=bool)
    s[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if s[i]:
            s[i * i :: i] = False
    return xp.nonzero(s)[0]


def lagrange(xp):
    xs = xp.array([0.0, 1.0, 2.0, 4.0])
    ys = xs**2
    x = 3.0
    t = 0
    for i in range(4):
        m = xp.arange(4) != i
        t = t + ys[i] * xp.prod((x - xs[m]) / (xs[i] - xs[m]))
    return t


def mlp_by_hand(xp):
    r = rng()
    X = xp.asarray(r.standard_normal((16, 4)))
    y = xp.asarray(r.integers(0, 3, 16))
    W1 = xp.asarray(r.standard_normal((4, 8)) * 0.1)
    b1 = xp.zeros(8)
    W2 = xp.asarray(r.standard_normal((8, 3)) * 0.1)
    b2 = xp.zeros(3)
    for _ in range(20):
        h = xp.maximum(0, X @ W1 + b1)
        s = h @ W2 + b2
        e = xp.exp(s - xp.max(s, axis=1, keepdims=True))
        p = e / xp.sum(e, axis=1, keepdims=True)
        loss = xp.mean(-xp.log(p[xp.arange(16), y]))
        ds = p.copy()
        ds[xp.arange(16), y] -= 1
        ds /= 16
        dW2 = h.T @ ds
        db2 = xp.sum(ds, axis=0)
        dh = ds @ W2.T
        dh[h <= 0] = 0
        dW1 = X.T @ dh
        db1 = dh.sum(axis=0)
        W1 -= 1.0 * dW1
        b1 -= 1.0 * db1
        W2 -= 1.0 * dW2
        b2 -= 1.0 * db2
    return loss, W1


def lstm_by_hand(xp):
    r = rng()
    x = xp.asarray(r.standard_normal((5, 3)))
    W = xp.asarray(r.standard_normal((3 + 4, 16)) * 0.3)
    h = xp.zeros(4)
    c = xp.zeros(4)
    sg = lambda z: 1 / (1 + xp.exp(-z))
    for t in range(5):
        z = xp.concatenate((x[t], h)) @ W
        i, f, o, g = xp.split(z, 4)
        c = sg(f) * c + sg(i) * xp.tanh(g)
        h = sg(o) * xp.tanh(c)
    return h


def conv2d_im2col(xp):
    r = rng()
    x = xp.asarray(r.random((1, 2, 6, 6)))
    w = xp.asarray(r.random((3, 2, 3, 3)))
    out = xp.zeros((1, 3, 4, 4), dtype=xp.float64)
    for i in range(4):
        for j in range(4):
            out[:, :, i, j] = xp.tensordot(x[:, :, i : i + 3, j : j + 3], w, axes=([1, 2, 3], [1, 2, 3]))
    return out


def linear_regression_gd(xp):
    X = xp.asarray(rng().standard_normal((100, 3)))
    y = X @ xp.array([1.0, -2.0, 3.0]) + 0.5
    w = xp.zeros(3)
    b = 0.0
    for _ in range(100):
        e = X @ w + b - y
        w -= 0.1 * X.T @ e / len(y)
        b -= 0.1 * e.mean()
    return w, b


PROGRAMS = [
    convolve_smooth,
    autocorr,
    sobel,
    median_filter,
    hist_equalise,
    otsu,
    haar,
    bilinear,
    summary,
    nan_stats,
    random_walk,
    black_scholes,
    bootstrap,
    kmeans,
    knn,
    gauss_nb,
    pca,
    pagerank,
    life,
    rule110,
    edit_distance,
    knapsack,
    viterbi,
    byte_histogram,
    sieve,
    lagrange,
    mlp_by_hand,
    lstm_by_hand,
    conv2d_im2col,
    linear_regression_gd,
]
