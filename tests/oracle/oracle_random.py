"""Defines the cases of the NumPy oracle for random numbers. The generator is implemented a second time, from Random123's description of
Threefry-2x32, on whole arrays of NumPy's 32-bit integers. The conversions are computed in extended precision.
"""
import numpy as np

from oracle_references import EXACT, WIDE, Case, Group, epsilon, rounded, within

ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)  # the constants R_32x2 of Random123
U32, U64 = np.uint32, np.uint64


def threefry(key, counters):
    """Returns the two 32-bit random words of each counter, as two arrays."""
    split = lambda x: (np.asarray(x >> U64(32), U32), np.asarray(x & U64(0xFFFFFFFF), U32))  # noqa: E731
    first, second = split(U64(key))
    keys = (first, second, U32(0x1BD11BDA) ^ first ^ second)
    x, y = split(counters)
    x, y = x + first, y + second
    for step in range(20):
        x = x + y
        turn = ROTATIONS[step % 8]
        y = ((y << U32(turn)) | (y >> U32(32 - turn))) ^ x
        if step % 4 == 3:
            injection = step // 4 + 1
            x, y = x + keys[injection % 3], y + keys[(injection + 1) % 3] + U32(injection)
    return x, y


def words(key, counter, shape):
    count = int(np.prod(shape, dtype=int))
    return [word.reshape(shape) for word in threefry(key, U64(counter) + np.arange(count, dtype=U64))]


def bits(key, counter, shape, kind):
    x, y = words(key, counter, shape)
    return x.astype(U64) << U64(32) | y.astype(U64) if kind is U64 else (x ^ y).astype(kind)


def uniform(key, counter, shape, digits):
    word = bits(key, counter, shape, U64 if digits > 32 else U32)
    width = 8 * word.itemsize
    return (word >> word.dtype.type(width - digits)).astype(WIDE) / WIDE(2) ** digits


def normal(key, counter, shape, width):
    if width == 32:
        radius, angle = words(key, counter, shape)
    else:
        x, y = threefry(key, np.array([2**64 - 1], U64))
        radius = bits(key, counter, shape, U64)
        angle = bits(int(x[0]) << 32 | int(y[0]), counter, shape, U64)
    scale = WIDE(2) ** -width
    distance = np.sqrt(-2 * np.log((radius.astype(WIDE) + WIDE(0.5)) * scale))
    return distance, distance * np.cos(2 * np.pi * (angle.astype(WIDE) * scale))


def uncertainty(dtype, distance):
    """Returns the tolerance of a normally distributed number, which is computed as distance * cos(angle) with distance = sqrt(-2 log(u)).
    The angle, up to 2 pi, is rounded three times, and the other factors a few times. The argument of the logarithm is also rounded, which
    matters if the distance is small."""
    eps = WIDE(epsilon(dtype))
    return eps * (28 * distance + 1 / np.maximum(distance, np.sqrt(eps)))


def random_groups():
    result = []
    for key, counter, shape in ((0, 0, (3, 5, 67)), (2**64 - 1, 2**64 - 3, (1, 1, 9)), (0x13198A2E03707344, 2**32 - 70, (2, 1, 131)), (9, 5, (4, 0, 3))):
        sizes = dict(zip("nmk", shape))
        call = lambda what, dtype: f"random_{what}(key, shape=[n, m, k], counter=counter, dtype={dtype})"  # noqa: B023,E731
        plain = [Case(call("bits", f"u{8 * np.dtype(kind).itemsize}"), bits(key, counter, shape, kind), EXACT) for kind in (np.uint8, np.uint16, U32, U64)]
        plain += [Case(call("uniform", "f32"), uniform(key, counter, shape, 24).astype(np.float32), EXACT),
                  Case(call("uniform", "f64"), uniform(key, counter, shape, 53).astype(np.float64), EXACT)]
        for dtype, kind, width in (("f32", np.float32, 32), ("f64", np.float64, 64)):
            distance, expected = normal(key, counter, shape, width)
            plain.append(Case(call("normal", dtype), expected, within(dtype, expected, uncertainty(dtype, distance))))
        inputs = {"key": np.array(key, U64), "counter": np.array(counter, U64)}
        result.append(Group(f"random numbers of {key} {shape}", inputs, {}, sizes, "", plain))
        for half, digits in (("f16", 11), ("bf16", 8)):
            distance, expected = normal(key, counter, shape, 32)
            cases = [Case(call("uniform", half), rounded(half, uniform(key, counter, shape, digits)), EXACT),
                     Case(call("normal", half), expected.astype(np.float32), within(half, expected, uncertainty(half, distance)))]
            result.append(Group(f"random numbers of {key} {shape} {half}", inputs, {}, sizes, "", cases, half))
    return result
