"""Defines families of benchmarks for operations that move elements without arithmetic: transposes, padding, concatenation, rolls, slices,
repeats, triangles."""
import math

from case import LAYOUTS, CaseError, Input, Problem, family, one_of, sizes_of
from families.loops import C_TYPES, indices, nest, over, symbolic

DTYPES = ("f32", "f64", "u8", "i16", "f16", "complex64", "complex128")


def _dtype(d):
    return d.often("f32", *DTYPES)


def _draw_transpose(d):
    shape = d.shape(2, 4)
    axes = list(range(shape.count("x") + 1))
    while axes == sorted(axes):
        d.random.shuffle(axes)
    return {"dtype": _dtype(d), "shape": shape, "axes": "".join(map(str, axes))}


@family(_draw_transpose)
def transpose(dtype, shape, axes):
    one_of("dtype", dtype, DTYPES)
    shape, axes = sizes_of(shape), [int(digit) for digit in str(axes) if digit.isdigit()]
    if sorted(axes) != list(range(len(shape))):
        raise CaseError(f"axes: expected a permutation of the digits below {len(shape)}, found {axes}")
    named, sizes = symbolic(shape, 2)
    at = indices(len(shape))
    c = over([shape[axis] for axis in axes], f"y({', '.join(at)}) = x({', '.join(f'i{axes.index(axis)}' for axis in range(len(shape)))});")
    return Problem([Input("x", dtype, named)], [f"return y = contiguous(permute(x, axes={axes}))"], sizes, lambda np,
                   x: x.transpose(axes).copy(),
                   lambda torch, x: x.permute(axes).clone(memory_format=torch.contiguous_format), c)


MODES = {"constant": ("constant", "constant"), "edge": ("edge", "replicate"), "reflect": ("reflect", "reflect"), "wrap": ("wrap", "circular")}


@family(lambda d: {"mode": d.often("constant", *MODES), "dtype": d.often("f32", "f64"), "channels": d.channels(256), "height": d.image(), "width": d.image(),
                   "before": d.random.randint(0, 3), "after": d.random.randint(0, 3)})
def pad(mode, dtype, channels, height, width, before, after):
    """Padding of the last two axes of a picture, by fewer elements than these axes have."""
    numpy_mode, torch_mode = one_of("mode", mode, MODES)
    one_of("dtype", dtype, ("f32", "f64"))
    if max(before, after) >= min(height, width):
        raise CaseError(f"before and after: expected less than height and width, found {before} and {after}")
    i, j = (f"(i{axis} - {before})" for axis in (1, 2))
    fold = {"constant": "{0} < 0 || {0} >= {1} ? -1 : {0}", "edge": "{0} < 0 ? 0 : {0} >= {1} ? {1} - 1 : {0}",
            "reflect": "{0} < 0 ? -{0} : {0} >= {1} ? 2 * {1} - 2 - {0} : {0}", "wrap": "{0} < 0 ? {0} + {1} : {0} >= {1} ? {0} - {1} : {0}"}[mode]
    body = f"const int64_t p = {fold.format(i, height)}, q = {fold.format(j, width)};\ny(i0, i1, i2) = " + ("p < 0 || q < 0 ? 0 : " if mode == "constant" else "")
    c = over([channels, height + before + after, width + before + after], body + "x(i0, p, q);")
    amounts = f"before=[0, {before}, {before}], after=[0, {after}, {after}]"
    return Problem([Input("x", dtype, ("N", "M", "K"))], [f"return y = pad(x, {amounts}, mode={mode})"], {"N": channels, "M": height, "K": width},
                   lambda np, x: np.pad(x, ((0, 0), (before, after), (before, after)), numpy_mode),
                   lambda torch, x: torch.nn.functional.pad(x[None], (before, after, before, after), mode=torch_mode)[0], c)


@family(lambda d: {"dtype": _dtype(d), "rows": d.size(1, 4096), "columns": d.size(1, 512), "parts": d.size(2, 24), "axis": d.pick(0, 1, 2)})
def concat(dtype, rows, columns, parts, axis):
    """Concatenation of arrays of different lengths along axis 0 or 1, or stacking of equal arrays along a new axis 2."""
    one_of("dtype", dtype, DTYPES)
    one_of("axis", axis, (0, 1, 2))
    names = [f"x{k}" for k in range(parts)]
    inputs = [Input(name, dtype, {0: (rows + k % 3, "N"), 1: ("N", columns + k % 3), 2: ("N", columns)}[axis]) for k, name in enumerate(names)]
    n = columns if axis == 0 else rows
    body, offset = "", 0
    for k, name in enumerate(names):
        copied = [n if size == "N" else size for size in inputs[k].shape]
        to = {0: f"i0 + {offset}, i1", 1: f"i0, i1 + {offset}", 2: f"i0, i1, {k}"}[axis]
        body += over(copied, f"y({to}) = {name}(i0, i1);")
        offset += copied[axis] if axis < 2 else 0
    text = f"concat({', '.join(names)}, axis={axis})" if axis < 2 else f"stack({', '.join(names)}, axis=2)"
    return Problem(inputs, [f"return y = {text}"], {"N": n}, lambda np, *x: np.concatenate(x, axis) if axis < 2 else np.stack(x, 2),
                   lambda torch, *x: torch.cat(x, axis) if axis < 2 else torch.stack(x, 2), body)


@family(lambda d: {"op": d.pick("roll", "flip"), "dtype": _dtype(d), "rows": d.size(1, 4096), "columns": d.size(1, 1024), "shift": d.size(1, 100),
                   "axis": d.pick(0, 1),
                   "layout": d.layout()})
def roll(op, dtype, rows, columns, shift, axis, layout):
    one_of("op", op, ("roll", "flip"))
    one_of("dtype", dtype, DTYPES)
    one_of("axis", axis, (0, 1))
    one_of("layout", layout, LAYOUTS)
    size = (rows, columns)[axis]
    moved = f"({size} - 1 - i{axis})" if op == "flip" else f"((i{axis} + {size - shift % size}) % {size})"
    c = over((rows, columns), f"y(i0, i1) = x({moved if axis == 0 else 'i0'}, {moved if axis == 1 else 'i1'});")
    text = f"flip(x, axes=[{axis}])" if op == "flip" else f"roll(x, shift=[{shift}], axis=[{axis}])"
    return Problem([Input("x", dtype, ("N", "M"), "normal", layout)], [f"return y = {text}"], {"N": rows, "M": columns},
                   lambda np, x: np.flip(x, axis).copy() if op == "flip" else np.roll(x, shift, axis),
                   lambda torch, x: torch.flip(x, (axis,)) if op == "flip" else torch.roll(x, shift, axis), c)


@family(lambda d: {"dtype": _dtype(d), "rows": d.size(4, 4096), "columns": d.size(4, 2048), "start": d.random.randint(0, 3),
                   "step": d.pick(1, 1, 2, 3, 5, -1, -2)})
def strided_slice(dtype, rows, columns, start, step):
    one_of("dtype", dtype, DTYPES)
    if step == 0 or not 0 <= start < min(rows, columns):
        raise CaseError(f"expected a step that is not 0 and a start below {min(rows, columns)}, found {step} and {start}")
    first = start if step > 0 else columns - 1
    count = max(0, math.ceil((columns - start) / abs(step)))
    stop = "none" if step > 0 or start == 0 else start - 1
    python = slice(start, None, step) if step > 0 else slice(None, start - 1 if start else None, step)
    c = over((rows - start, count), f"y(i0, i1) = x(i0 + {start}, {first} + i1 * ({step}));")
    text = f"slice(x, start=[{start}, {start if step > 0 else 'none'}], stop=[none, {stop}], step=[1, {step}])"
    return Problem([Input("x", dtype, ("N", "M"))], [f"return y = contiguous({text})"], {"N": rows, "M": columns},
                   lambda np, x: x[start:, python].copy(),
                   (lambda torch, x: x[start:, python].clone(memory_format=torch.contiguous_format)) if step > 0 else None, c)


@family(lambda d: {"op": d.pick("repeat", "tile"), "dtype": _dtype(d), "rows": d.size(1, 1024), "columns": d.size(1, 512), "times": d.size(2, 16),
                   "axis": d.pick(0, 1)})
def repeat(op, dtype, rows, columns, times, axis):
    one_of("op", op, ("repeat", "tile"))
    one_of("dtype", dtype, DTYPES)
    one_of("axis", axis, (0, 1))
    reps = [times if axis == k else 1 for k in (0, 1)]
    size = (rows, columns)[axis]
    source = f"(i{axis} / {times})" if op == "repeat" else f"(i{axis} % {size})"
    c = over([rows * reps[0], columns * reps[1]], f"y(i0, i1) = x({source if axis == 0 else 'i0'}, {source if axis == 1 else 'i1'});")
    text = f"repeat(x, repeats={times}, axis={axis})" if op == "repeat" else f"tile(x, repeats={reps})"
    return Problem([Input("x", dtype, ("N", "M"))], [f"return y = {text}"], {"N": rows, "M": columns},
                   lambda np, x: np.repeat(x, times, axis) if op == "repeat" else np.tile(x, reps),
                   lambda torch, x: torch.repeat_interleave(x, times, axis) if op == "repeat" else x.repeat(reps), c)


@family(lambda d: {"op": d.pick("tril", "triu", "diagonal"), "dtype": d.often("f32", "f64", "u8"), "batch": d.batch(64), "size": d.size(2, 1024)})
def triangle(op, dtype, batch, size):
    one_of("op", op, ("tril", "triu", "diagonal"))
    one_of("dtype", dtype, ("f32", "f64", "u8"))
    if op == "diagonal":
        c = over((batch, size), "y(i0, i1) = x(i0, i1, i1);")
        text = "contiguous(diagonal(x, axis1=1, axis2=2))"
    else:
        c = nest(f"b<{batch} i<{size} j<{size}", f"y(b, i, j) = j {'<=' if op == 'tril' else '>='} i ? x(b, i, j) : ({C_TYPES[dtype]})0;")
        text = f"{op}(x)"
    return Problem([Input("x", dtype, ("N", "M", "M"))], [f"return y = {text}"], {"N": batch, "M": size},
                   lambda np, x: np.ascontiguousarray(np.diagonal(x, axis1=1, axis2=2)) if op == "diagonal" else getattr(np, op)(x),
                   lambda torch, x: torch.diagonal(x, dim1=1, dim2=2).contiguous() if op == "diagonal" else getattr(torch, op)(x), c,
                   bytes_read=batch * size * 64 if op == "diagonal" else None)
