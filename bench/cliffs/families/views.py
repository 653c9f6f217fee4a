"""Defines a family of benchmarks for operations whose operand is a view or a rearrangement of arrays: transposed, rolled, padded, joined side by
side, flattened after a bias was added. Each of these operations alone is compared in another family. Here harp must not compute the operand so
that the operation becomes slow, which it may when it computes both in one kernel."""
from case import CaseError, Input, Problem, family, one_of
from families.reductions import matrix_of

INNER = 12  # the size of the middle axis of the views that join axes


def _matrix(name="x"):
    return Input(name, "f32", ("N", "M"))


# For each view of N rows and M columns: its inputs, its text, and the same for NumPy and torch. The columns of the last three views are not M.
VIEWS = {
    "transposed": ([Input("x", "f32", ("M", "N"))], "permute(x, axes=[1, 0])", lambda np, x: x.T, lambda torch, x: x.t()),
    "plus_transposed": ([_matrix(), Input("z", "f32", ("M", "N"))], "x + permute(z, axes=[1, 0])", lambda np, x, z: x + z.T, lambda torch, x, z: x + z.t()),
    "plus_row": ([_matrix(), Input("r", "f32", ("M",))], "x + r", lambda np, x, r: x + r, lambda torch, x, r: x + r),
    "plus_column": ([_matrix(), Input("r", "f32", ("N",))], "x + unsqueeze(r, axes=[1])", lambda np, x, r: x + r[:, None], lambda torch, x, r: x + r[:, None]),
    "flipped": ([_matrix()], "flip(x, axes=[0])", lambda np, x: x[::-1], lambda torch, x: torch.flip(x, (0,))),
    "mirrored": ([_matrix()], "flip(x, axes=[1])", lambda np, x: x[:, ::-1], lambda torch, x: torch.flip(x, (1,))),
    "rolled": ([_matrix()], "roll(x, shift=[3], axis=[1])", lambda np, x: np.roll(x, 3, 1), lambda torch, x: torch.roll(x, 3, 1)),
    "triangle": ([_matrix()], "tril(x)", lambda np, x: np.tril(x), lambda torch, x: torch.tril(x)),
    "below": ([_matrix(), _matrix("z")], "concat([x, z], axis=0)", lambda np, x, z: np.concatenate([x, z]), lambda torch, x, z: torch.cat([x, z])),
    "padded_rows": ([_matrix()], "pad(x, before=[2, 0], after=[1, 0])", lambda np, x: np.pad(x, ((2, 1), (0, 0))),
                    lambda torch, x: torch.nn.functional.pad(x, (0, 0, 2, 1))),
    "beside": ([_matrix(), _matrix("z")], "concat([x, z], axis=1)", lambda np, x, z: np.concatenate([x, z], 1), lambda torch, x, z: torch.cat([x, z], 1)),
    "padded": ([_matrix()], "pad(x, before=[0, 2], after=[0, 1])", lambda np, x: np.pad(x, ((0, 0), (2, 1))),
               lambda torch, x: torch.nn.functional.pad(x, (2, 1))),
    "flattened": ([Input("x", "f32", ("N", INNER, "M")), Input("r", "f32", (INNER,))], f"reshape(relu(x + unsqueeze(r, axes=[1])), shape=[N, {INNER}*M])",
                  lambda np, x, r: np.maximum(x + r[:, None], 0).reshape(len(x), -1), lambda torch, x, r: torch.relu(x + r[:, None]).flatten(1)),
    "merged_heads": ([Input("x", "f32", (INNER, "N", "M"))], f"reshape(permute(x, axes=[1, 0, 2]), shape=[N, {INNER}*M])",
                     lambda np, x: x.transpose(1, 0, 2).reshape(x.shape[1], -1), lambda torch, x: x.permute(1, 0, 2).flatten(1)),
}


def _softmax(np, v, axis):
    e = np.exp(v - v.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _normalised(np, v):
    centred = v - v.mean(1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))


# For each operation on a matrix v along an axis (0, 1, or 2: both axes): its text, and the same for NumPy and torch.
OPERATIONS = {
    "sum": ((0, 1, 2), "sum(v, axes=AXES)", lambda np, v, axes: v.sum(axes), lambda torch, v, axes: v.sum(axes)),
    "max": ((0, 1, 2), "max(v, axes=AXES)", lambda np, v, axes: v.max(axes), lambda torch, v, axes: v.amax(axes)),
    "var": ((0, 1, 2), "var(v, axes=AXES)", lambda np, v, axes: v.var(axes), lambda torch, v, axes: v.var(axes, unbiased=False)),
    "argmax": ((0, 1), "argmax(v, axis=AXIS)", lambda np, v, axes: v.argmax(axes[0]), lambda torch, v, axes: v.argmax(axes[0])),
    "cumsum": ((0, 1), "cumsum(v, axis=AXIS)", lambda np, v, axes: v.cumsum(axes[0]), lambda torch, v, axes: v.cumsum(axes[0])),
    "softmax": ((0, 1), "softmax(v, axis=AXIS)", lambda np, v, axes: _softmax(np, v, axes[0]), lambda torch, v, axes: torch.softmax(v, axes[0])),
    "layer_norm": ((1,), "layer_norm(v, eps=1e-5)", lambda np, v, axes: _normalised(np, v),
                   lambda torch, v, axes: torch.nn.functional.layer_norm(v, v.shape[1:], eps=1e-5)),
    "exp": ((1,), "exp(v) + 1", lambda np, v, axes: np.exp(v) + 1, lambda torch, v, axes: torch.exp(v) + 1),
}


def _draw_of_view(d):
    rows, columns = matrix_of(d, 1 << 20)
    op = d.pick(*OPERATIONS)
    return {"op": op, "axis": d.pick(*OPERATIONS[op][0]), "view": d.pick(*VIEWS), "rows": max(rows, 4), "columns": max(columns, 4)}


@family(_draw_of_view)
def of_view(op, axis, view, rows, columns):
    choices, text, numpy, torch_operation = one_of("op", op, OPERATIONS)
    one_of("axis", axis, choices)
    inputs, operand, numpy_view, torch_view = one_of("view", view, VIEWS)
    if min(rows, columns) < 4:
        raise CaseError(f"expected at least 4 rows and columns, found {rows} and {columns}")
    axes = (0, 1) if axis == 2 else (axis,)
    text = text.replace("AXES", str(list(axes))).replace("AXIS", str(axis))
    return Problem(inputs, [f"v = {operand}", f"return y = {text}"], {"N": rows, "M": columns}, lambda np, *x: numpy(np, numpy_view(np, *x), axes),
                   lambda torch, *x: torch_operation(torch, torch_view(torch, *x), axes), flops=5 * rows * columns)
