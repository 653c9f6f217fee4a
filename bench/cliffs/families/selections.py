"""Defines families of benchmarks for operations that sort, search, and read and write elements by index."""
import math

import numpy as np

from case import NUMPY_TYPES, CaseError, Input, Problem, family, one_of
from families.loops import C_TYPES, FLOATS, nest
from families.reductions import matrix_of

SORTED = ("f32", "f64", "i32", "u8", "i64")
NETWORK = """static int compare(const void* a, const void* b) {{ const {0} x = *(const {0}*)a, y = *(const {0}*)b; return (x > y) - (x < y); }}"""


def _draw_sort(d, **more):
    rows, columns = matrix_of(d, 1 << 20)
    return {**more, "dtype": d.often("f32", *SORTED), "rows": rows, "columns": columns}


@family(_draw_sort)
def sort(dtype, rows, columns):
    """Sorting of each row of a matrix. The C function with which harp is compared uses qsort."""
    one_of("dtype", dtype, SORTED)
    kind = C_TYPES[dtype]
    c = f"memcpy(&y(0, 0), &x(0, 0), sizeof({kind}) * {rows * columns});\n" + nest(f"i<{rows}", f"qsort(&y(i, 0), {columns}, sizeof({kind}), compare);")
    return Problem([Input("x", dtype, ("N", "M"))], ["return y = sort(x, axis=1)"], {"N": rows, "M": columns}, lambda np, x: np.sort(x, axis=1),
                   lambda torch, x: torch.sort(x, dim=1).values, c, NETWORK.format(kind), flops=rows * columns * math.log2(columns + 1))


ENTRIES = """struct entry {{ {0} value; int64_t at; }};
static int compare(const void* a, const void* b) {{
  const struct entry *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}}"""


@family(_draw_sort)
def argsort(dtype, rows, columns):
    """Stable argsort of each row of a matrix. The C function with which harp is compared uses qsort on pairs of a value and its index."""
    one_of("dtype", dtype, SORTED)
    c = nest(f"i<{rows}", f"struct entry* row = malloc({columns} * sizeof *row);\n"
             f"for (int64_t j = 0; j < {columns}; ++j) row[j] = (struct entry){{x(i, j), j}};\nqsort(row, {columns}, sizeof *row, compare);\n"
             f"for (int64_t j = 0; j < {columns}; ++j) y(i, j) = row[j].at;\nfree(row);")
    return Problem([Input("x", dtype, ("N", "M"))], ["return y = argsort(x, axis=1)"], {"N": rows, "M": columns}, lambda np,
                   x: np.argsort(x, axis=1, kind="stable"),
                   lambda torch, x: torch.sort(x, dim=1, stable=True).indices, c, ENTRIES.format(C_TYPES[dtype]), flops=rows * columns * math.log2(columns + 1))


def _draw_topk(d):
    rows, columns = matrix_of(d, 1 << 20)
    return {"dtype": d.often("f32", "f64"), "rows": rows, "columns": columns, "k": d.size(1, max(1, min(columns, 64)))}


@family(_draw_topk)
def topk(dtype, rows, columns, k):
    """The k greatest elements of each row of a matrix, in descending order. The C function with which harp is compared keeps a sorted list
    of the greatest elements so far."""
    one_of("dtype", dtype, FLOATS)
    if not 1 <= k <= columns:
        raise CaseError(f"k: expected a number in 1..{columns}, found {k}")
    c = nest(f"i<{rows}", f"{C_TYPES[dtype]} best[{k}];\nint64_t held = 0;\n" + nest(
        f"j<{columns}", f"if (held == {k} && !(x(i, j) > best[{k - 1}])) continue;\nint64_t at = held < {k} ? held++ : {k - 1};\n"
        "for (; at > 0 && best[at - 1] < x(i, j); --at) best[at] = best[at - 1];\nbest[at] = x(i, j);", False) +
             f"for (int64_t j = 0; j < {k}; ++j) y(i, j) = best[j];")
    return Problem([Input("x", dtype, ("N", columns))], [f"v, i = topk(x, {k})", "return y = v"], {"N": rows},
                   lambda np, x: -np.sort(np.partition(-x, k - 1, axis=1)[:, :k], axis=1), lambda torch, x: torch.topk(x, k, dim=1).values, c,
                   flops=rows * columns)


@family(lambda d: {"dtype": d.pick(*FLOATS), "length": d.size(1, 1 << 20), "count": d.size(1, 1 << 20)})
def searchsorted(dtype, length, count):
    one_of("dtype", dtype, FLOATS)
    c = nest(f"i<{count}", f"int64_t lo = 0, hi = {length};\n"
             "while (lo < hi) { const int64_t m = (lo + hi) / 2; if (s(m) < v(i)) lo = m + 1; else hi = m; }\ny(i) = lo;")
    return Problem([Input("s", dtype, ("N",), "sorted"), Input("v", dtype, ("M",))], ["return y = searchsorted(s, v)"], {"N": length, "M": count},
                   lambda np, s, v: np.searchsorted(s, v), lambda torch, s, v: torch.searchsorted(s, v), c, flops=count * math.log2(length + 1),
                   bytes_read=(min(length, count) + count) * np.dtype(NUMPY_TYPES[dtype]).itemsize)


@family(lambda d: {"dtype": d.often("f32", "f64", "f16", "u8"), "rows": d.size(2, 50000), "width": d.often(d.channels(), 1, 3), "count": d.size(1, 1 << 16),
                   "index": d.pick("i32", "i64")})
def take(dtype, rows, width, count, index):
    """Reading of rows of a table at given indices, as in an embedding."""
    one_of("dtype", dtype, (*FLOATS, "f16", "u8"))
    one_of("index", index, ("i32", "i64"))
    c = nest(f"i<{count} j<{width}", "y(i, j) = t(n(i), j);")
    return Problem([Input("t", dtype, ("N", width)), Input("n", index, ("M",), f"index {rows}")], ["return y = take(t, n, axis=0)"], {"N": rows, "M": count},
                   lambda np, t, n: t[n], lambda torch, t, n: torch.index_select(t, 0, n), c,
                   bytes_read=min(rows, count) * width * np.dtype(NUMPY_TYPES[dtype]).itemsize + count * (4 if index == "i32" else 8))


@family(lambda d: {"dtype": d.pick(*FLOATS), "rows": d.size(1, 2048), "columns": d.size(1, 2048), "count": d.size(1, 1024)})
def take_along(dtype, rows, columns, count):
    one_of("dtype", dtype, FLOATS)
    c = nest(f"i<{rows} j<{count}", "y(i, j) = x(i, n(i, j));")
    return Problem([Input("x", dtype, ("N", "M")), Input("n", "i64", ("N", count), f"index {columns}")], ["return y = take_along_axis(x, n, axis=1)"],
                   {"N": rows, "M": columns}, lambda np, x, n: np.take_along_axis(x, n, 1), lambda torch, x, n: torch.gather(x, 1, n), c,
                   bytes_read=rows * (min(columns, count) * np.dtype(NUMPY_TYPES[dtype]).itemsize + count * 8))


@family(lambda d: {"dtype": d.pick(*FLOATS), "rows": d.size(1, 20000), "width": d.often(d.channels(512), 1, 3), "count": d.size(1, 1 << 16)})
def index_add(dtype, rows, width, count):
    """Addition of rows to the rows of a table by index, as in the gradient of an embedding."""
    one_of("dtype", dtype, FLOATS)

    def numpy(np, t, n, u):
        y = t.copy()
        np.add.at(y, n, u)
        return y

    c = nest(f"i<{rows} j<{width}", "y(i, j) = t(i, j);", False) + nest(f"i<{count} j<{width}", "y(n(i), j) += u(i, j);", False)
    return Problem([Input("t", dtype, ("N", width)), Input("n", "i64", ("M",), f"index {rows}"), Input("u", dtype, ("M", width))],
                   ["return y = index_add(t, n, u, axis=0)"], {"N": rows, "M": count}, numpy, lambda torch, t, n, u: torch.index_add(t, 0, n, u), c,
                   flops=count * width)


@family(lambda d: {"weights": d.pick("i32", "f32", "f64"), "bins": d.often(256, d.size(2, 1 << 16)), "count": d.size(1, 1 << 22)})
def histogram(weights, bins, count):
    """A histogram: for each class the count of its elements, or the sum of their weights."""
    one_of("weights", weights, ("i32", "f32", "f64"))
    inputs = [Input("n", "i64", ("N",), f"index {bins}")] + ([Input("w", weights, ("N",), "positive")] if weights != "i32" else [])
    update = "w" if weights != "i32" else "full(value=i32(1), shape=[N], dtype=i32)"

    def numpy(np, n, *w):
        return np.bincount(n, *w, minlength=bins).astype(np.int32 if not w else w[0].dtype)

    def torch(torch, n, *w):
        return torch.bincount(n, *w, minlength=bins).to(w[0].dtype if w else torch.int32)

    c = nest(f"b<{bins}", "y(b) = 0;", False) + nest(f"i<{count}", f"y(n(i)) += {'1' if weights == 'i32' else 'w(i)'};", False)
    return Problem(inputs, [f"zero = full(value={weights}(0), shape=[{bins}], dtype={weights})", f"return y = scatter_add(zero, n, {update}, axis=0)"],
                   {"N": count}, numpy, torch, c,
                   flops=count)
