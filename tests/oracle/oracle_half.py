"""The 16-bit floats in the NumPy oracle. NumPy has no bf16, and it does not round float16 results where harp does. So both types are
represented by arrays of float32 with values of the 16-bit type. This file rounds them, by arithmetic that is independent of harp's and
NumPy's.
"""
import numpy as np

# for each type: (bits of the significand after the leading one, exponent of the least normal number, greatest number)
FORMATS = {"f16": (10, -14, 65504.0), "bf16": (7, -126, float.fromhex("0x1.fep127"))}
# bound in ulps for a result that is computed in f32, with an error of at most 1.3 ulp of f32, and then rounded
PLAIN = {"f16": 0.501, "bf16": 0.501}


class Half:
    """An array of 16-bit floats; `values` holds them as float32."""

    def __init__(self, dtype, values):
        self.dtype, self.values = dtype, np.asarray(values, np.float32)
        self.shape = self.values.shape


def place(dtype, x):
    """Returns the exponent e of the unit in the last place of x: numbers next to x differ from it by 2**e."""
    mantissa, least, greatest = FORMATS[dtype]
    magnitude = np.minimum(np.abs(np.where(np.isfinite(x), x, greatest)), greatest)
    exponent = np.frexp(magnitude)[1] - 1
    return np.maximum(np.where(magnitude == 0, least, exponent), least) - mantissa


def rounded(dtype, x):
    """Returns x rounded to 16-bit floats, ties to even, as float32."""
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
    """Returns the array as it is stored in a file: f16 as np.float16, bf16 as raw elements of two bytes."""
    if half.dtype == "f16":
        return half.values.astype(np.float16)
    bits = np.frombuffer(half.values.tobytes(), np.uint32) >> 16
    return bits.astype(np.uint16).view("V2").reshape(half.shape)


def loaded(array):
    """Returns an array that was read from a file; 16-bit floats become a Half."""
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
