"""Corner cases of NumPy's semantics: indices of every kind, empty arrays, rank 0, overflow, division by zero, NaN, numbers that do not fit, and
wrong arguments. harp gives NumPy's values, shapes and kinds of dtypes, and an error of the same class where NumPy gives one. In the
expressions, xp is NumPy or harp, and the other names are arrays of that library."""
import copy
import math

import numpy as np
import pytest

import harp

rng = np.random.default_rng(0)
A = rng.standard_normal((3, 4))
ARRAYS = {
    "A": A, "I": rng.integers(-5, 5, (3, 4)), "B": rng.random((3, 4)) < 0.5, "T": rng.standard_normal((2, 3, 4)), "C": A + 1j * A[::-1],
    "V": np.arange(10.0), "E": np.zeros((0, 3)), "S": np.array(3.0),
}  # fmt: skip
EXPRESSIONS = r"""
A[::-2,::3]
A[-1:0:-1]
A[5:1:-1]
A[2:-10:-1]
A[...,None,:][:,0]
A[None,...,None]
A[1,...]
A[...,1]
A[True]
A[False]
A[np.True_]
A[:,True].shape
A[None,B]
A[B[0:3,0]]
A[:,B[0]]
A[B[:,0],1:]
A[B[:,0],:,None]
T[:,B]
T[0,B[:,0]]
T[B[0:2,0]]
T[[0,1],None,[0,2]].shape
T[:,[0,1],[0,2]]
T[[0,1],:,[0,2]]
T[np.array([[0,1]]),:,1].shape
T[0,:,[0,2]].shape
T[...,[0,1],0].shape
T[[True,False],...,0]
T[[],:]
T[[],:].shape
T[np.zeros((0,),int)]
T[[[0,1],[1,0]]].shape
A[np.ix_([0,2],[1,3])]
A[[-1,-3]]
A[[3]]
A[3]
A[0,4]
A[1.0]
A["x"]
A[[1.5]]
A[0,0,0]
A[(0,1)]
A[[0,1],[0,1]]
A[[0,1],[0,1,2]]
A[B[:2]]
A[::0]
A[slice(None,None,-1)]
S[()]
S[...]
S[None]
S[0]
S[True]
S[False].shape
S[np.array(True)]
E[0]
E[:0]
E[:,1].shape
E.sum()
E.max()
E.max(axis=0)
E.mean(axis=1).shape
E.prod(axis=0)
xp.argmax(E)
xp.argmax(E,axis=1).shape
xp.argmax(E,axis=0)
E.T.shape
E.reshape(3,0)
E.reshape(-1)
E.reshape(0,-1)
E.reshape(-1,3).shape
E @ xp.zeros((3,2))
xp.zeros((2,0)) @ xp.zeros((0,3))
xp.concatenate([E,A[:,:3]])
xp.cumsum(E,axis=0)
xp.sort(E,axis=0)
xp.any(E)
xp.all(E)
xp.std(E[:,0:0],axis=1).shape
A.T[1:,::2]
list(A[0])
[float(v) for v in V]
[list(r) for r in A]
[x.shape for x in T]
list(S)
len(S)
len(A)
5.0 in V
99 in V
bool(V)
bool(S)
int(S)
complex(S)
int(A)
S.__index__()
V[I[0,0]]
V[xp.asarray(3)]
V[np.int8(3)]
V[np.uint8(3)]
range(10)[xp.asarray(3)]
[1,2,3][xp.asarray(1)]
"%d" % xp.asarray(3)
"%.2f" % S
f"{S:.3f}"
f"{xp.asarray(5):04d}"
format(S)
hex(xp.asarray(10))
A.round(1)
divmod(V,3)
divmod(7,V[1:])
V//3
-7//V[1:]
V%-3
-V%3
pow(V,2)
2**V
V**-1
V**0.5
I**2
I**0
(I+6)**xp.asarray(2)
2**xp.abs(I)
~I
~B
-B
B-B
B/B
B^True
B&1
B|True
I&B
I<<2
I<<B
1<<xp.abs(I)
I>>1
I<0.5
I==1.5
A==A.astype(xp.float32)
C==C
abs(C)
C.real
C.imag
C.conj()
C**2
xp.floor(C)
xp.sort(xp.asarray([3.,xp.nan,1.,-xp.inf,xp.inf]))
xp.argsort(xp.asarray([3.,xp.nan,1.,-xp.inf,xp.inf]))
xp.max(xp.asarray([3.,xp.nan,1.]))
xp.argmax(xp.asarray([3.,xp.nan,1.,xp.nan]))
xp.argmin(xp.asarray([3.,xp.nan,1.,xp.nan]))
xp.maximum(xp.nan,V)
xp.fmax(xp.nan,V)
xp.unique(xp.asarray([3.,xp.nan,1.,xp.nan]))
xp.median(xp.asarray([3.,xp.nan,1.]))
xp.searchsorted(V,[0.5,xp.nan,3])
xp.asarray([1,0,-1])//0
xp.asarray([1,0,-1])%0
xp.asarray([1.,0,-1])//0
xp.asarray([1.,0,-1])%0
xp.asarray([1,0,-1])/0
xp.asarray([127],dtype=xp.int8)+xp.asarray([1],dtype=xp.int8)
xp.asarray([-128],dtype=xp.int8)//xp.asarray([-1],dtype=xp.int8)
-xp.asarray([-128],dtype=xp.int8)
xp.abs(xp.asarray([-128],dtype=xp.int8))
xp.asarray([200],dtype=xp.uint8)*xp.asarray([2],dtype=xp.uint8)
xp.asarray([200],dtype=xp.uint8)-xp.asarray([201],dtype=xp.uint8)
-xp.asarray([1],dtype=xp.uint8)
xp.asarray([2**63-1])+1
xp.asarray([2**31-1],dtype=xp.int32)*2
xp.asarray([1],dtype=xp.int32)<<31
xp.asarray([1],dtype=xp.int32)<<32
xp.asarray([-1],dtype=xp.int32)>>40
xp.asarray([300.7,-1.2]).astype(xp.int32)
xp.asarray([1.5,2.5,3.5,-0.5]).round()
xp.sum(xp.asarray([200,100],dtype=xp.uint8)).dtype==xp.uint64
xp.sum(xp.asarray([True,True]))
xp.prod(xp.asarray([100,100],dtype=xp.int8))
xp.cumsum(xp.asarray([100,100],dtype=xp.int8))
xp.asarray(5)
xp.asarray(5.0)
xp.asarray([[1,2],[3]])
xp.asarray([])
xp.asarray([[]]).shape
xp.asarray([[],[]]).shape
xp.asarray([1,2.5,True])
xp.asarray([1,1j])
xp.asarray(range(5))
xp.asarray([V[0],V[1]])
xp.asarray([2**63])
xp.asarray(-2**63)
xp.arange(5.)
xp.arange(1,5,2)
xp.arange(5,1,-1)
xp.arange(5,1)
xp.arange(0,1,.1)
xp.linspace(0,1,0)
xp.linspace(0,1,1)
xp.linspace(0,1,5,endpoint=False)
xp.linspace(0,10,3,dtype=int)
xp.full((2,),True)
xp.full((2,),3)
xp.full((2,),3.5)
xp.full(3,1j)
xp.full((2,3),xp.asarray([1,2,3]))
xp.eye(3,4,1)
xp.eye(3,4,-1)
xp.zeros(())
xp.zeros(-1)
xp.ones((2,0,3)).sum()
xp.zeros((1,)*16).shape
xp.zeros((1,)*10+(2,))[(0,)*10]
xp.broadcast_to(V,(2,10))
xp.broadcast_to(V,(10,2))
A+V
A.reshape(5,5)
A.reshape(-1,-1)
A.transpose(1,0)
A.transpose((0,0))
A.swapaxes(0,1)
T.transpose(2,0,1)
T.squeeze()
T.squeeze(0)
T.sum(axis=(0,2))
T.sum(axis=())
T.sum(axis=(0,0))
T.sum(axis=3)
T.sum(axis=-4)
T.max(axis=(0,1),keepdims=True)
T.mean(axis=-1,keepdims=True).shape
T.argmax(axis=-1)
T.argmax(axis=(0,1))
T.cumsum()
T.cumsum(axis=1)
T.std(ddof=1)
T.var(axis=0,ddof=1)
T.flatten()
T.ravel().shape
T.item()
S.item()
A.item(3)
A.item((1,2))
A.tolist()
T.nonzero()
A.clip(-1,1)
A.clip(min=0)
A.clip(None,0.5)
xp.clip(I,-2,2)
xp.clip(I,-2.5,2.5)
A.dot(A.T)
A.trace()
A.diagonal()
A.diagonal(1)
A.repeat(2)
A.repeat([1,2,3],axis=0)
A.take([0,1])
A.take([0,1],axis=1)
A.any()
A.all(axis=1)
A.min()
A.size
A.nbytes
A.itemsize
A.ndim
A.T.shape
A.dtype==np.float64
A.dtype=="float64"
A.astype("int32").dtype=="int32"
A.astype(int)
A.astype(xp.float16)
A.astype("f4")
A.astype(bool)
A.astype(complex)
V.argsort()
V.searchsorted([3,4.5])
V.copy()
V.tobytes()==np.asarray(V).tobytes()
V.prod()
V.conjugate()
I >= 100
xp.asarray([1, 255], dtype=xp.uint8) == 300
xp.asarray([1, 255], dtype=xp.uint8) != 300
xp.asarray([1, 255], dtype=xp.uint8) > -1
-1 < xp.asarray([1, 255], dtype=xp.uint8)
300 <= xp.asarray([1, 255], dtype=xp.uint8)
xp.asarray([1, -1], dtype=xp.int8) < 128
I < 2**70
I > -(2**70)
xp.less(xp.asarray([1, 255], dtype=xp.uint8), 256)
xp.cumsum(xp.asarray([100, 100, 100], dtype=xp.uint8))
xp.cumsum(xp.asarray([100, 100], dtype=xp.int8)).dtype == "int64"
xp.cumprod(xp.asarray([100, 100], dtype=xp.int8))
xp.nancumsum(xp.asarray([100, 100], dtype=xp.int8))
xp.clip(I, -2.5, 2.5)
xp.clip(I, None, 2.5)
xp.clip(I, -0.5, None)
xp.clip(xp.asarray([123456789]), 0, 10**9)
xp.geomspace(V[1], V[8], 4)
xp.geomspace(V[1:3], 16.0, 4, endpoint=False)
xp.logspace(V[1:3], 3.0, 4)
A.sum(axis=xp.asarray(1))
xp.zeros(xp.asarray(3)).shape
xp.concatenate([V, [0.1, 0.2]])
xp.stack([[1, 2], [3, 4]])
A.dtype == "f8"
xp.asarray([1.5]).dtype.kind
I.dtype.kind
xp.float64(0.1) + V
xp.int32(7) // 2
xp.asarray([1, 2], float)
xp.arange(np.float64(0), 1, 0.25)
xp.arange(np.float32(3)).dtype == "float32" or xp is np
xp.identity(3)
xp.argsort(xp.asarray([2, 1, 2, 1]), kind="stable")
xp.asarray([2, 1, 2, 1]).argsort(kind="mergesort")
xp.sort(I, axis=0, kind="stable")
"""
CASES = EXPRESSIONS.strip().split("\n")


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


def evaluated(text, xp):
    try:
        return eval(text, {"xp": xp, "np": np} | {name: xp.asarray(array.copy()) for name, array in ARRAYS.items()})
    except Exception as error:
        return error


def compare(made, expected):
    if isinstance(expected, Exception):
        assert isinstance(made, Exception), made
        # where NumPy raises a ValueError of a subclass, such as AxisError, any ValueError of harp will do
        assert isinstance(made, (type(expected), ValueError) if isinstance(expected, ValueError) else type(expected)), repr(made)
    elif isinstance(made, Exception):
        raise made
    elif isinstance(expected, (list, tuple)):
        assert len(made) == len(expected)
        for pair in zip(made, expected):
            compare(*pair)
    elif isinstance(expected, (str, type(None))):
        assert made == expected
    else:
        x, y = np.asarray(made), np.asarray(expected)
        assert x.shape == y.shape and x.dtype.kind == y.dtype.kind
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("text", CASES)
@pytest.mark.filterwarnings("ignore")
def test_as_in_numpy(text):
    compare(evaluated(text, harp), evaluated(text, np))


def test_positive_of_bools():
    """As in NumPy 2 and PyTorch; NumPy 1 still returns the bools, with a warning."""
    for function in (lambda x: +x, harp.positive):
        with pytest.raises(TypeError, match="positive: expected numbers, got bool"):
            function(harp.asarray(ARRAYS["B"]))


def test_numbers_of_one_element():
    # as PyTorch; NumPy 2.4 accepts rank 0 only, earlier versions accept any rank
    assert float(harp.asarray([2.5])) == 2.5 and int(harp.asarray([[3]])) == 3


def test_copies_have_their_own_memory():
    a = np.arange(4.0)
    x = harp.asarray(a)
    copies = [harp.asarray(x, copy=True), x.copy(), harp.copy(x), harp.array(x), harp.from_dlpack(x, copy=True), harp.astype(x, harp.float64),
              x.astype("f8"), copy.deepcopy(x), copy.copy(x)]  # fmt: skip
    harp.eval(*copies)
    a[0] = 9
    assert [made.tolist() for made in copies] == [[0.0, 1.0, 2.0, 3.0]] * len(copies)
    assert harp.grad(lambda y: (harp.copy(y) * 2).sum())(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_std_of_half_precision_rounds_once():
    large, small = np.array([20000, -20000], np.float16), np.array([1e-4, -1e-4], np.float16)
    assert harp.std(large).tolist() == 20000 and harp.std(small).tolist() == float(small[0])
    gradient = harp.grad(harp.std)(np.array([20000, -20000, 10000], np.float16))
    np.testing.assert_allclose(np.asarray(gradient, np.float64), [0.327, -0.458, 0.131], atol=2e-3)


def test_statistics_of_half_precision_round_once():
    """The sums of squares of these float16 numbers overflow, their roots do not; and 3 * 30000 does."""
    for x in (np.array([20000, np.nan, -20000, 20000, -20000], np.float16), np.array([1e-4, np.nan, -1e-4, 1e-4, -1e-4], np.float16)):
        exact = x.astype(np.float64)
        assert harp.nanstd(x).dtype is harp.float16
        assert float(harp.nanstd(x, ddof=1)) == np.float16(np.nanstd(exact, ddof=1))
        assert float(harp.std(x[2:], correction=0.5)) == np.float16(np.sqrt(np.var(exact[2:]) * 3 / 2.5))
    assert float(harp.nanmean(np.array([30000, 30000, np.nan, 30000], np.float16))) == 30000
    assert float(harp.nanvar(np.array([300, -300, np.nan], np.float16))) == np.inf
    assert float(harp.var(np.array([1, 2, 4]), correction=0.5)) == pytest.approx(np.var([1, 2, 4]) * 3 / 2.5, rel=1e-6)
    assert harp.std(np.array([1, 2, 4]), correction=0.5).dtype is harp.float32
    for correction in (3, 3.5, np.inf):
        assert float(harp.var(np.array([1.0, 2.0, 4.0]), correction=correction)) == np.inf


def test_sinc_near_zero():
    for dtype, least in ((np.float32, 1e-40), (np.float64, 1e-310)):
        for x in (0.0, least, 1e-20, 1e-3, 0.158, 0.16):
            expected = (math.cos(math.pi * x) - float(np.sinc(x))) / x if x > 0.1 else -math.pi**2 * x / 3 + math.pi**4 * x**3 / 30
            assert float(harp.grad(harp.sinc)(np.array(x, dtype))) == pytest.approx(expected, rel=1e-5, abs=1e-44)
    x = np.linspace(-3, 3, 1001)
    np.testing.assert_allclose(np.asarray(harp.sinc(x)), np.sinc(x), rtol=0, atol=5e-16)


def test_logaddexp2_is_relatively_accurate():
    for dtype in (np.float16, np.float32, np.float64):
        for pair in ((-1, -1), (0, -60), (0, -104), (np.inf, np.inf), (-np.inf, -np.inf), (np.inf, -np.inf), (3, -np.inf), (1e4, 1e4), (2.5, 1)):
            a, b = dtype(pair[0]), dtype(pair[1])
            np.testing.assert_allclose(np.asarray(harp.logaddexp2(a, b)), np.logaddexp2(a, b), rtol=4 * np.finfo(dtype).eps, atol=0)
    assert [float(d) for d in harp.grad(harp.logaddexp2, argnums=(0, 1))(np.float64(2), np.float64(2))] == [0.5, 0.5]
