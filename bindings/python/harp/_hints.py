"""What to write instead of NumPy's functions that harp does not have. The message of the AttributeError says it."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

NAMESPACE = {
    "apply_along_axis": "harp.vmap(f, in_axes=axis)(x)",
    "apply_over_axes": "several axes: harp.sum(x, axis=(0, 1))",
    "argpartition": "harp.topk(x, k), or harp.argsort(x)",
    "array_repr": "repr(x)",
    "array_str": "str(x)",
    "block": "harp.concat of harp.concat",
    "c_": "harp.column_stack",
    "cat": "harp.concat",
    "complex_": "harp.complex128",
    "cond": "harp.where(condition, x, y), which computes both",
    "copyto": "y[...] = x",
    "double": "harp.float64",
    "ediff1d": "harp.diff(harp.ravel(x))",
    "errstate": "nothing: harp never warns",
    "fill_diagonal": "x = harp.where(harp.eye(n) > 0, value, x)",
    "float_": "harp.float64",
    "float_power": "x.astype(harp.float64) ** y",
    "fori_loop": "Python's for, which is unrolled in a traced function",
    "frexp": "harp.asarray(...) of the results of np.frexp(np.asarray(x))",
    "frombuffer": "harp.asarray(np.frombuffer(...))",
    "fromiter": "harp.asarray(list(...))",
    "frompyfunc": "harp.vmap(f)",
    "gcd": "harp.asarray(np.gcd(np.asarray(x), np.asarray(y)))",
    "genfromtxt": "harp.asarray(np.genfromtxt(...))",
    "int_": "harp.int64",
    "intp": "harp.int64",
    "jacfwd": "harp.jacobian(f)",
    "jacrev": "harp.jacobian(f)",
    "lcm": "harp.asarray(np.lcm(np.asarray(x), np.asarray(y)))",
    "ldexp": "x * harp.exp2(n.astype(x.dtype))",
    "lexsort": "harp.argsort of one key after the other: it is stable",
    "loadtxt": "harp.asarray(np.loadtxt(...))",
    "matrix": "harp.asarray, and @ for products",
    "ndarray": "harp.Tensor",
    "ndenumerate": "np.ndenumerate(np.asarray(x))",
    "ndindex": "np.ndindex(*x.shape)",
    "nditer": "a loop over np.asarray(x)",
    "no_grad": "nothing: gradients are only computed by harp.grad and its relatives",
    "packbits": "harp.asarray(np.packbits(np.asarray(x)))",
    "partition": "harp.topk(x, k), or harp.sort(x)",
    "place": "x[mask] = values",
    "put": "x[indices] = values",
    "put_along_axis": "x = harp.scatter(x, indices, harp.broadcast_to(values, indices.shape), axis=axis)",
    "putmask": "x[mask] = values",
    "r_": "harp.concat",
    "real_if_close": "harp.real(x)",
    "roots": "harp.linalg.eigvals of the companion matrix",
    "savetxt": "np.savetxt with np.asarray(x)",
    "savez": "np.savez with np.asarray(x)",
    "scan": "Python's for, which is unrolled in a traced function",
    "set_printoptions": "np.set_printoptions",
    "seterr": "nothing: harp never warns",
    "single": "harp.float32",
    "tensor": "harp.asarray",
    "unpackbits": "harp.asarray(np.unpackbits(np.asarray(x)))",
    "unwrap": "harp.asarray(np.unwrap(np.asarray(x)))",
    "vectorize": "harp.vmap(f), or f itself if it is made of harp's functions",
    "while_loop": "Python's while, outside of traced functions",
}
# Attributes of NumPy's arrays and of PyTorch's tensors
TENSOR = {
    "argpartition": "harp.topk(x, k), or x.argsort()",
    "backward": "harp.grad(f)(x)",
    "base": "nothing: parts of a tensor are copies",
    "byteswap": "np.asarray(x).byteswap()",
    "choose": "harp.take_along_axis, or harp.select",
    "clone": "x.copy()",
    "compress": "harp.compress(condition, x)",
    "cpu": "x: every tensor is in host memory",
    "cuda": "a program of a harp.Graph for another device",
    "detach": "harp.stop_gradient(x)",
    "double": "x.astype(harp.float64)",
    "expand": "harp.broadcast_to(x, shape)",
    "flags": "np.asarray(x).flags",
    "flat": "x.ravel()",
    "float": "x.astype(harp.float32)",
    "half": "x.astype(harp.float16)",
    "int": "x.astype(harp.int32)",
    "long": "x.astype(harp.int64)",
    "partition": "harp.topk(x, k), or x.sort()",
    "put": "x[indices] = values",
    "requires_grad": "harp.grad(f): its argument says what the gradient is with respect to",
    "resize": "harp.reshape, or harp.pad",
    "strides": "np.asarray(x).strides",
    "to": "x.astype(dtype)",
    "tofile": "np.asarray(x).tofile(file)",
    "type": "x.astype(dtype)",
    "unsqueeze": "harp.expand_dims(x, axis)",
    "view": "x.reshape(shape), or harp.bitcast(x, dtype)",
}
_KEY = "; numbers are functions of a key, such as harp.random.key(0), and harp.random.split(key) makes new keys"
RANDOM = {
    "default_rng": "harp.random.key(seed)" + _KEY,
    "fold_in": "harp.random.split(key, n)[i]",
    "integers": "harp.random.randint(key, shape, low, high)" + _KEY,
    "PRNGKey": "harp.random.key(seed)",
    "rand": "harp.random.uniform(key, shape)" + _KEY,
    "randn": "harp.random.normal(key, shape)" + _KEY,
    "random": "harp.random.uniform(key, shape)" + _KEY,
    "random_sample": "harp.random.uniform(key, shape)" + _KEY,
    "RandomState": "harp.random.key(seed)" + _KEY,
    "seed": "harp.random.key(seed)" + _KEY,
    "shuffle": "harp.random.permutation(key, x)" + _KEY,
    "standard_normal": "harp.random.normal(key, shape)" + _KEY,
}


class MissingAttribute:
    """A class attribute that its objects do not have; an access raises AttributeError, so hasattr() is False."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: object, kind: type) -> NoReturn:
        raise AttributeError(f"{kind.__name__!r} object has no attribute {self._name!r}. Write instead: {TENSOR[self._name]}", name=self._name)


def missing(module: str, hints: Mapping[str, str]) -> Callable[[str], NoReturn]:
    """Returns the __getattr__ of a module, which Python calls for names that it does not have."""

    def find(name: str) -> NoReturn:
        hint = f". Write instead: {hints[name]}" if name in hints else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)

    return find
