"""Each function that has a gradient: its gradient against a difference quotient along one direction, and harp.jit and harp.vmap of the function
against calls of it. In the expressions, h is harp, and x is the argument."""
import numpy as np
import pytest

import harp

rng = np.random.default_rng(3)
X = rng.uniform(0.2, 0.8, (3, 4))
Y = rng.uniform(0.2, 0.8, (3, 4))
NAMES = {
    "np": np, "h": harp, "Y": Y, "idx": np.array([2, 0, 2]), "IDX2": rng.permuted(np.tile(np.arange(3)[:, None], 4), axis=0),
    "P": np.array([[4.0, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]]), "W1": rng.standard_normal((3, 2, 3)), "W2": rng.standard_normal((3, 2, 3, 3)),
    "W3": rng.standard_normal((2, 1, 2, 2, 2)), "IM": rng.uniform(0.1, 0.9, (1, 2, 5, 5)),
}  # fmt: skip
FUNCTIONS = """
reciprocal abs sqrt rsqrt cbrt square exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh
erf erfc sigmoid relu silu softplus selu relu6 hardsigmoid hardswish mish softsign logsigmoid elu celu gelu hardtanh leaky_relu
softmax log_softmax cumsum cumprod cummax cummin logcumsumexp flatten diff sort median ptp nansum nanmean nanprod nanmax nanmin
nanvar nanstd nanmedian nancumsum nancumprod fliplr flipud flip ravel trace sinc deg2rad rad2deg nan_to_num tril triu diagflat
diagonal rot90 average corrcoef cov atleast_3d transpose trapezoid copy sum prod max min mean var std norm logsumexp layer_norm
rms_norm
""".split()
EXPRESSIONS = """
h.acosh(x+1)
h.gelu(x,approximate="tanh")
h.gelu(x-.5)
h.abs(x-.5)
h.relu(x-.5)
h.clip(x,.3,.6)
h.clip(x,None,.6)
h.clip(x,.3,None)
h.maximum(x,Y)
h.minimum(x,Y)
h.fmax(x,Y)
h.fmin(x,Y)
h.hypot(x,Y)
h.atan2(x,Y)
h.atan2(Y,x)
h.logaddexp(x,Y)
h.logaddexp2(x,Y)
h.copysign(x,Y-.5)
h.pow(x,Y)
h.pow(Y,x)
x**3
x**2.5
x**-1
x**-2
2**x
x**x
x%0.3
h.fmod(x,0.3)
h.fmod(0.9,x)
0.9%x
x//0.3
divmod(x,0.3)[1]
h.remainder(Y,x)
h.floor_divide(Y,x)
h.lerp(x,Y,0.3)
h.lerp(Y,Y*2,x)
h.fma(x,Y,x)
h.where(x>.5,x*2,x*3)
h.where(x>.5,x,0.)
h.heaviside(x-.5,0.5)*x
h.round(x,1)*x
h.std(x,axis=0,correction=1)
h.std(x,axis=0,correction=0.5)
h.var(x,correction=1.5)
h.norm(x,order=1.0,axes=1)
h.norm(x,order=3.0,axes=1)
h.norm(x,order=float("inf"),axes=1)
h.norm(x,order=0.5,axes=1)
h.linalg.norm(x)
h.linalg.norm(x,axis=1)
h.linalg.norm(x,ord=1)
h.linalg.norm(x,ord=np.inf)
h.linalg.norm(x,ord="fro")
h.linalg.vector_norm(x,axis=0,ord=3)
h.linalg.matrix_norm(x)
h.linalg.matrix_power(x@x.T,3)
h.linalg.matrix_power(x@x.T+np.eye(3),-2)
h.linalg.multi_dot([x,Y.T,x])
h.linalg.det(x@x.T+np.eye(3))
h.linalg.inv(x@x.T+np.eye(3))
h.linalg.solve(x@x.T+np.eye(3),x)
h.linalg.solve(P,x[:,0])
h.linalg.cholesky(x@x.T+np.eye(3))
h.linalg.slogdet(x@x.T+np.eye(3)).logabsdet
h.linalg.eigvalsh(x@x.T)
h.linalg.eigh(x@x.T).eigenvalues
h.linalg.cross(x[:,:3],Y[:,:3])
h.linalg.outer(x[0],x[1])
h.linalg.trace(x@x.T)
h.cumsum(x,0,True)
h.cumsum(x,1,False,True)
h.cumprod(x,1,True)
h.cumprod(x,1,False,True)
h.cummax(x,1,False,True)
h.logcumsumexp(x,1,False,True)
h.cummax_with_indices(x,1)[0]
h.topk(x,2)[0]
h.sort(x,axis=0,descending=True)
h.sort(x,axis=None) if False else h.sort(x.ravel())
h.percentile(x,30)
h.percentile(x,[10,50],axis=1)
h.quantile(x,.3,axis=0)
h.nanquantile(x,.3,axis=0)
h.median(x,axis=0)
h.take(x,idx,axis=0)
h.take(x,idx)
h.take_along_axis(x,IDX2,1)
h.gather_nd(x,np.array([[0,1],[2,3],[0,1]]))
h.index_add(x,idx,Y,0)
h.scatter_nd(x,np.array([[0,1],[2,3]]),Y[0,:2])
h.scatter_nd(Y,np.array([[0,1],[2,3]]),x[0,:2],"add")
x.at[idx].add(Y)
x.at[0].set(Y[0])
x.at[:,1].multiply(3)
x.at[x>.5].set(0)
x.at[1:,::2].max(.5)
x[1:,::-2]
x[idx]
x[idx,:2]
x[:,[0,0,1]]
x[None,...,None]
h.concat([x,x*2],axis=1)
h.stack([x,Y,x])
h.hstack([x,x])
h.column_stack([x,x])
h.split(x,2,axis=1)[1]
h.array_split(x,3,axis=1)[0]
h.unstack(x)[1]
h.tile(x,(2,1))
h.repeat(x,2,axis=0)
h.repeat(x,[1,2,0],axis=0)
h.roll(x,1)
h.roll(x,(1,2),(0,1))
h.pad(x,1)
h.pad(x,1,mode="edge")
h.pad(x,1,mode="reflect")
h.pad(x,((1,0),(0,2)),mode="wrap")
h.pad(x,1,mode="symmetric")
h.rot90(x)
h.moveaxis(x,0,1)
h.swapaxes(x,0,1)
h.expand_dims(x,1)
h.broadcast_to(x,(2,3,4))
h.reshape(x,(2,6))
h.einsum("ij,kj->ik",x,Y)
h.einsum("ij->j",x)
h.einsum("ij,ij->",x,x)
h.kron(x,Y)
h.inner(x,Y)
h.vdot(x,Y)
h.dot(x,Y.T)
h.vecdot(x,Y)
h.cross(x[:,:3],Y[:,:3])
h.tensordot(x,Y,((1,),(1,)))
h.outer(x,Y[0])
x@Y.T
h.batch_matmul(x[None],Y.T[None])
h.interp(x,np.array([0.,.5,1.]),np.array([1.,3.,2.]))
h.interp(np.array([.1,.3]),np.array([0.,.5,1.,2.]),x[0])
h.convolve(x[0],x[1])
h.convolve(x[0],Y[1],mode="same")
h.correlate(x[0],Y[1],mode="full")
h.polyval(x[0],Y)
h.polyval(Y[0],x)
h.gradient(x,axis=0)
h.gradient(x[0])
h.trapezoid(x,axis=0)
h.trapezoid(Y,x)
h.diff(x,2)
h.diff(x,axis=0,prepend=0.,append=x[:1])
h.average(x,axis=0,weights=Y)
h.average(Y,axis=0,weights=x)
h.cov(x)
h.corrcoef(x)
h.vander(x[0],3)
h.select([x>.5,x>.3],[x*2,x*3],0)
h.piecewise(x,[x>.5],[lambda v:v*2,lambda v:v*5])
h.insert(x[0],1,x[1,0])
h.delete(x,1,axis=0)
h.append(x,Y)
h.modf(x*3)[0]
h.angle(x)
h.real(h.fft.fft(x))
h.imag(h.fft.fft(x))
h.abs(h.fft.rfft(x))**2
h.real(h.fft.ifft(x))
h.fft.irfft(h.fft.rfft(x)*2)
h.real(h.fft.fft2(x))
h.real(h.fft.fftn(x))
h.fft.irfft2(h.fft.rfft2(x))
h.fft.irfftn(h.fft.rfftn(x))
h.fft.fftshift(x)
h.fft.hfft(x[0]+1j*x[1])
h.imag(h.fft.ihfft(x))
h.view_as_real(h.complex_from_parts(x,Y))
h.real(h.complex_from_parts(x,Y)*h.complex_from_parts(Y,x))
h.abs(h.complex_from_parts(x,Y))
h.angle(h.complex_from_parts(x,Y))
h.real(h.exp(1j*x))
h.imag(h.sqrt(x+1j))
h.real(h.log(x+1j))
h.real((x+1j)**2)
h.imag((x+1j)/(Y+2j*x))
h.real(h.conj(x+1j*x)*(1+2j))
h.dft(x,Y)[0]
h.huber_loss(x,Y,delta=.1)
h.mse_loss(x,Y)
h.mse_loss(Y,x,reduction="none")
h.binary_cross_entropy(x,Y)
h.binary_cross_entropy_with_logits(x,Y)
h.cross_entropy(x,idx)
h.nll_loss(h.log_softmax(x),idx)
h.cross_entropy(x,h.softmax(Y))
h.layer_norm(x)
h.rms_norm(x)
h.layer_norm(x,weight=Y[0],bias=Y[1])
h.layer_norm(Y,weight=x[0],bias=x[1])
h.scaled_dot_product_attention(x[None],Y[None],Y[None])
h.scaled_dot_product_attention(Y[None],x[None],x[None])
h.cast(x,"float64")*2
x.astype("float64")
h.custom_elementwise([x,Y],"x0*x1+sin(x0)")
h.one_hot(idx,4,"float64")*x
h.linspace(x[0],x[1],5)
h.meshgrid(x[0],x[1])[0]
h.ix_(idx)[0]*x[:,:1]
h.full((2,2),x[0,0])
h.flatten(x)
h.nan_to_num(x)
h.bincount(idx,weights=x[0,:3],length=3)
h.unfold1d(x[None],2)
h.expand(x[:,:1],[3,4])
h.asarray([x[0,0],x[1,1]*2])
h.tri(3)@x
h.extract(Y>.5,x)
h.compress([True,False,True],x,axis=0)
h.vmap(lambda r: r.sum()*r)(x)
h.vmap(lambda r: h.sort(r)*r[0])(x)
h.jit(lambda r: h.sin(r)*r)(x)
h.kron(x[0],x[1])
h.geomspace(x[0,0],x[0,1],4)
h.logspace(x[0,0],x[0,1],4)
h.scatter_add(x, IDX2[:, ::-1], Y, 1)
h.scatter_mul(Y, IDX2, x, 1)
h.scatter_max(Y, IDX2, x, 1)
h.scatter(Y, np.argsort(Y, axis=0), x, 0)
"""
IMAGES = """
h.conv2d(x, W2)
h.conv2d(x, W2, stride=2, padding=1)
h.conv2d(x, W2[:, :, :2, :2], dilation=2)
h.conv_transpose2d(x, W2.transpose(1, 0, 2, 3), stride=2)
h.max_pool(x, 3, stride=1, padding=1)
h.avg_pool(x, 3, stride=2, padding=1)
h.max_pool_with_indices(x, 2)[0]
h.max_unpool(*h.max_pool_with_indices(x, 2), (2,))
h.interpolate(x, (8, 7))
h.interpolate(x, (3, 3), mode="area")
h.group_norm(x, 2)
h.instance_norm(x)
h.unfold2d(x, 3)
"""
SHAPES = {
    "h.conv1d(x, W1, stride=2, padding=1)": (2, 2, 8), "h.conv_transpose1d(x, W1.transpose(1, 0, 2))": (2, 2, 8),
    "h.unfold1d(x, 3, stride=2)": (2, 2, 8), "h.conv3d(x, W3)": (1, 1, 3, 4, 3), "h.avg_pool(x, 2)": (1, 1, 3, 4, 3),
    "h.conv_transpose3d(x, W3.transpose(1, 0, 2, 3, 4))": (1, 1, 3, 4, 3), "h.conv2d(IM, x, stride=2, padding=1)": (3, 2, 3, 3),
    "h.conv_transpose2d(IM, h.moveaxis(x, 0, 1))": (3, 2, 3, 3),
}  # fmt: skip
CASES = [(f"h.{name}(x)", X) for name in FUNCTIONS] + [(line, X) for line in EXPRESSIONS.strip().split("\n")]
CASES += [(line, NAMES["IM"]) for line in IMAGES.strip().split("\n")]
CASES += [(text, rng.uniform(0.2, 0.8, shape)) for text, shape in SHAPES.items()]


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


@pytest.mark.parametrize("text, x", CASES, ids=[text for text, _ in CASES])
def test_gradient(text, x):
    def function(v):
        return harp.asarray(eval(text, NAMES | {"x": v}))

    y = function(harp.asarray(x))
    assert y.dtype == harp.float64
    np.testing.assert_allclose(harp.jit(function)(x), y, rtol=1e-9, atol=1e-12)
    batch = np.stack([x, x[::-1] * 0.9])
    np.testing.assert_allclose(harp.vmap(function)(batch), [function(harp.asarray(each)).numpy() for each in batch], rtol=1e-9, atol=1e-12)

    weights, direction, step = np.cos(np.arange(y.size)).reshape(y.shape), np.sin(1.0 + np.arange(x.size)).reshape(x.shape), 1e-6
    gradient = harp.grad(lambda v: (function(v) * weights).sum())(x)
    ahead, behind = (float((function(harp.asarray(x + sign * step * direction)) * weights).sum()) for sign in (1, -1))
    np.testing.assert_allclose(float((gradient * direction).sum()), (ahead - behind) / (2 * step), rtol=1e-4, atol=1e-5)
