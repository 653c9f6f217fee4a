"""NumPy's functions that the Array API standard does not have, and NumPy's names of functions that it has, collected from one module per
area. Functions whose parameters differ in NumPy and harp.h, such as pad and split, accept both forms."""
from __future__ import annotations

from . import _array_api, _ops
from ._dtypes import bool_
from ._numerics import (
    bartlett,
    blackman,
    convolve,
    correlate,
    deg2rad,
    divmod,
    fmax,
    fmin,
    geomspace,
    gradient,
    hamming,
    hanning,
    heaviside,
    interp,
    intersect1d,
    iscomplexobj,
    isin,
    isneginf,
    isposinf,
    isreal,
    kaiser,
    logaddexp2,
    logspace,
    modf,
    polyadd,
    polyder,
    polyfit,
    polyint,
    polymul,
    polyval,
    rad2deg,
    setdiff1d,
    sinc,
    trapezoid,
    union1d,
    unique,
)
from ._numpy_indices import (
    argwhere,
    compress,
    delete,
    diag_indices,
    diagflat,
    extract,
    flatnonzero,
    fromfunction,
    indices,
    ix_,
    mgrid,
    ogrid,
    piecewise,
    ravel_multi_index,
    select,
    tri,
    tril_indices,
    triu_indices,
    unravel_index,
    vander,
)
from ._numpy_shapes import (
    allclose,
    append,
    array,
    array_equal,
    array_equiv,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    column_stack,
    copy,
    dstack,
    einsum,
    fliplr,
    flipud,
    hsplit,
    hstack,
    inner,
    kron,
    ndim,
    pad,
    ravel,
    shape,
    size,
    split,
    swapaxes,
    vdot,
    vsplit,
    vstack,
    where,
)
from ._reductions import cumprod, cumsum
from ._statistics import (
    average,
    bincount,
    corrcoef,
    cov,
    digitize,
    histogram,
    histogram_bin_edges,
    median,
    nan_to_num,
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmedian,
    nanmin,
    nanpercentile,
    nanprod,
    nanquantile,
    nanstd,
    nansum,
    nanvar,
    percentile,
    ptp,
    quantile,
)

absolute = _ops.abs
amax = _array_api.max
amin = _array_api.min
arccos = _array_api.acos
arccosh = _array_api.acosh
arcsin = _array_api.asin
arcsinh = _array_api.asinh
arctan = _array_api.atan
arctan2 = _ops.atan2
arctanh = _array_api.atanh
around = _array_api.round
asanyarray = _array_api.asarray
ascontiguousarray = _array_api.asarray
bitwise_not = _ops.bitwise_invert
concatenate = _array_api.concat
conjugate = _ops.conj
degrees = rad2deg
fabs = _ops.abs
fix = _array_api.trunc
invert = _ops.bitwise_invert
left_shift = _array_api.bitwise_left_shift
mod = _ops.remainder
power = _ops.pow
radians = deg2rad
right_shift = _array_api.bitwise_right_shift
rint = _array_api.round
row_stack = vstack
trapz = trapezoid
true_divide = _ops.divide

__all__ = [
    "absolute", "allclose", "amax", "amin", "append", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argwhere", "around", "array", "array_equal", "array_equiv", "array_split", "asanyarray", "ascontiguousarray", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bartlett", "bincount", "bitwise_not", "blackman", "bool_", "column_stack", "compress",
    "concatenate", "conjugate", "convolve", "copy", "corrcoef", "correlate", "cov", "cumprod", "cumsum", "deg2rad", "degrees",
    "delete", "diag_indices", "diagflat", "digitize", "divmod", "dstack", "einsum", "extract", "fabs", "fix", "flatnonzero",
    "fliplr", "flipud", "fmax", "fmin", "fromfunction", "geomspace", "gradient", "hamming", "hanning", "heaviside", "histogram",
    "histogram_bin_edges", "hsplit", "hstack", "indices", "inner", "interp", "intersect1d", "invert", "iscomplexobj", "isin", "isneginf",
    "isposinf", "isreal", "ix_", "kaiser", "kron", "left_shift", "logaddexp2", "logspace", "median", "mgrid", "mod", "modf",
    "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile",
    "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndim", "ogrid", "pad", "percentile", "piecewise", "polyadd", "polyder",
    "polyfit", "polyint", "polymul", "polyval", "power", "ptp", "quantile", "rad2deg", "radians", "ravel", "ravel_multi_index",
    "right_shift", "rint", "row_stack", "select", "setdiff1d", "shape", "sinc", "size", "split", "swapaxes", "trapezoid", "trapz",
    "tri", "tril_indices", "triu_indices", "true_divide", "union1d", "unique", "unravel_index", "vander", "vdot", "vsplit",
    "vstack", "where",
]  # fmt: skip
