"""Makes texts that the families of benchmarks (families/*.py) share: C loops, C types, and shapes with symbolic sizes."""

C_TYPES = {"bool": "uint8_t", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t",
           "u64": "uint64_t", "f16": "_Float16", "bf16": "uint16_t", "f32": "float", "f64": "double", "complex64": "float _Complex",
           "complex128": "double _Complex"}
# Conversions of bf16, the upper half of an f32; to_bf16 rounds to nearest, ties to even.
BF16 = """static inline float from_bf16(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(value != value ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
"""
FLOATS = ("f32", "f64")
HALVES = ("f16", "bf16")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")


def nest(bounds, body, parallel=True):
    """Returns nested loops as C text: nest("i<N j<M", "y(i, j) = x(i, j);"). If `parallel`, the iterations of the outermost loop may run
    in parallel."""
    lines = ["PARALLEL"] if parallel else []
    for bound in bounds.split():
        variable, limit = bound.split("<")
        lines.append(f"for (int64_t {variable} = 0; {variable} < {limit}; ++{variable})")
    return "\n".join(lines) + " {\n" + body + "\n}\n"


def wide(dtype):
    """Returns the C type in which elements of this dtype are summed."""
    return "float" if dtype in HALVES else C_TYPES[dtype]


def narrowed(dtype, value):
    """Returns the C expression that is stored for the result `value`, a number. gcc 12 does not know bf16, so the C text converts it itself
    (BF16); elements of inputs are already converted to float where the text names them."""
    return f"to_bf16({value})" if dtype == "bf16" else value


def indices(rank):
    """Returns the names of the loop variables for this rank: ["i0", "i1"]."""
    return [f"i{axis}" for axis in range(rank)]


def over(shape, body, parallel=True):
    """Returns loops over all elements of an array whose sizes are numbers. The body uses the indices i0, i1, ..."""
    return nest(" ".join(f"{i}<{size}" for i, size in zip(indices(len(shape)), shape)), body, parallel)


def symbolic(shape, count=1):
    """Returns the shape with names in place of its first `count` sizes, and the values of these names: (("N", 3), {"N": 10})."""
    names = ("N", "M", "K", "L")[:min(count, len(shape))]
    return (*names, *shape[len(names):]), dict(zip(names, shape))
