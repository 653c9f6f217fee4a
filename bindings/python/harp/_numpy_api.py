"""NumPy's functions that the Array API standard does not have, and NumPy's names of functions that it has, collected from one module per
area. Functions whose parameters differ in NumPy and harp.h, such as pad and split, accept both forms."""
from __future__ import annotations

from ._array_api import acos as arccos
from ._array_api import acosh as arccosh
from ._array_api import asarray as asanyarray
from ._array_api import asarray as ascontiguousarray
from ._array_api import asin as arcsin
from ._array_api import asinh as arcsinh
from ._array_api import atan as arctan
from ._array_api import atanh as arctanh
from ._array_api import bitwise_left_shift as left_shift
from ._array_api import bitwise_right_shift as right_shift
from ._array_api import concat as concatenate
from ._array_api import max as amax
from ._array_api import min as amin
from ._array_api import round as around
from ._array_api import round as rint
from ._array_api import trunc as fix
from ._creation import identity
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
from ._numerics import deg2rad as radians
from ._numerics import rad2deg as degrees
from ._numerics import trapezoid as trapz
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
    insert,
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
from ._numpy_shapes import vstack as row_stack
from ._ops import abs as absolute
from ._ops import abs as fabs
from ._ops import atan2 as arctan2
from ._ops import bitwise_invert as bitwise_not
from ._ops import bitwise_invert as invert
from ._ops import conj as conjugate
from ._ops import divide as true_divide
from ._ops import pow as power
from ._ops import remainder as mod
from ._reductions import cumprod, cumsum
from ._spaces import geomspace, logspace
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

__all__ = [
    "absolute", "allclose", "amax", "amin", "append", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argwhere", "around", "array", "array_equal", "array_equiv", "array_split", "asanyarray", "ascontiguousarray", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bartlett", "bincount", "bitwise_not", "blackman", "bool_", "column_stack", "compress",
    "concatenate", "conjugate", "convolve", "copy", "corrcoef", "correlate", "cov", "cumprod", "cumsum", "deg2rad", "degrees",
    "delete", "diag_indices", "diagflat", "digitize", "divmod", "dstack", "einsum", "extract", "fabs", "fix", "flatnonzero",
    "fliplr", "flipud", "fmax", "fmin", "fromfunction", "geomspace", "gradient", "hamming", "hanning", "heaviside", "histogram",
    "histogram_bin_edges", "hsplit", "hstack", "identity",
    "indices", "inner", "insert", "interp", "intersect1d", "invert", "iscomplexobj", "isin", "isneginf",
    "isposinf", "isreal", "ix_", "kaiser", "kron", "left_shift", "logaddexp2", "logspace", "median", "mgrid", "mod", "modf",
    "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile",
    "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndim", "ogrid", "pad", "percentile", "piecewise", "polyadd", "polyder",
    "polyfit", "polyint", "polymul", "polyval", "power", "ptp", "quantile", "rad2deg", "radians", "ravel", "ravel_multi_index",
    "right_shift", "rint", "row_stack", "select", "setdiff1d", "shape", "sinc", "size", "split", "swapaxes", "trapezoid", "trapz",
    "tri", "tril_indices", "triu_indices", "true_divide", "union1d", "unique", "unravel_index", "vander", "vdot", "vsplit",
    "vstack", "where",
]  # fmt: skip
