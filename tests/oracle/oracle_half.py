"""Floats of 16 bits in the NumPy oracle. NumPy has no bf16, and what it computes in float16 says nothing about where harp rounds; so both
are arrays of float32 that hold values of the half, and are rounded here, by arithmetic that shares nothing with harp's or NumPy's.
"""
import numpy as np

# name: (bits of the mantissa below the leading one, exponent of the least normal number, greatest number)
FORMATS = {"f16": (10, -14, 65504.0), "bf16": (7, -126, float.fromhex("0x1.fep127"))}
PLAIN = {"f16": 0.501, "bf16": 0.501}  # ulps of a result that is computed in f32, within 1.3 ulp, and then rounded


class Half:
    """An array of 16-bit floats; `values` holds them as float32."""

    def __init__(self, dtype, values):
        self.dtype, self.values = dtype, np.asarray(values, np.float32)
        self.shape = self.values.shape


def place(dtype, x):
    """Returns the exponent of the last place at x: neighbouring numbers differ by 2**that."""
    mantissa, least, greatest = FORMATS[dtype]
    magnitude = np.minimum(np.abs(np.where(np.isfinite(x), x, greatest)), greatest)
    exponent = np.frexp(magnitude)[1] - 1
    return np.maximum(np.where(magnitude == 0, least, exponent), least) - mantissa


def rounded(dtype, x):
    """Returns the nearest 16-bit floats, ties to even, as float32."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        x = x.astype(np.longdouble)
    places = place(dtype, x)
    with np.errstate(all="ignore"):
        near = np.ldexp(np.rint(np.ldexp(x, -places)), places)
        near = np.where(np.isfinite(x), near, x)
        greatest = FORMATS[dtype][2]
        near = np.where(np.abs(near) > greatest, np.copysign(np.inf, near), near)
        return near.astype(np.float32)


def stored(half):
    """Returns the array as a file holds it."""
    if half.dtype == "f16":
        return half.values.astype(np.float16)
    bits = np.frombuffer(half.values.tobytes(), np.uint32) >> 16
    return bits.astype(np.uint16).view("V2").reshape(half.shape)


def loaded(array):
    """Returns an array of a file; 16-bit floats become a Half."""
    if array.dtype == np.float16:
        return Half("f16", array.astype(np.float32))
    if array.dtype == np.dtype("V2"):
        bits = np.frombuffer(array.tobytes(), np.uint16).astype(np.uint32) << 16
        return Half("bf16", bits.view(np.float32).reshape(array.shape))
    return array


def every_value(dtype):
    """Returns all 65,536 numbers of the dtype."""
    bits = np.arange(65536, dtype=np.uint32)
    if dtype == "bf16":
        return Half(dtype, (bits << 16).view(np.float32))
    return Half(dtype, bits.astype(np.uint16).view(np.float16).astype(np.float32))
