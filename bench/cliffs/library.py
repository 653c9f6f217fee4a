"""Calls libharp through ctypes: makes a program from a graph's text and runs it on NumPy arrays. The functions are those of
include/harp.h, and the structs have the members that harp.h declares."""
import ctypes

import numpy as np

from case import NUMPY_TYPES

Pointer, Size, Int32, Int64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_int64
# The number of a dtype in harp.h is its index in this list plus 1.
DTYPES = ("bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "complex64", "complex128")


class HarpError(RuntimeError):
    """Raised if a call of libharp fails; the message is libharp's."""


class _ContextOptions(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("alloc", Pointer), ("free", Pointer), ("alloc_user", Pointer), ("log", Pointer), ("log_user", Pointer),
                ("log_level", Int32), ("threads", Int32),
                ("parallel_for", Pointer), ("parallel_for_user", Pointer), ("width", Size), ("cache_dir", ctypes.c_char_p),
                ("cache_max_bytes", ctypes.c_uint64),
                ("cache_max_entries", ctypes.c_uint64), ("cache_shared", Int32), ("reserved", Int32), ("compiler", ctypes.c_char_p),
                ("compile_timeout_ms", Int64),
                ("dump", ctypes.c_char_p), ("native_ops", Int32), ("reserved2", Int32), ("compilers", Int32), ("compiler_nice", Int32)]


class _CompileOptions(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("backend", ctypes.c_char_p), ("math", Int32), ("simd_width", Int32), ("target", ctypes.c_char_p), ("plain_text", Int32),
                ("reserved", Int32),
                ("compiler", ctypes.c_char_p), ("n_flags", Size), ("flags", Pointer), ("n_disabled_passes", Size), ("disabled_passes", Pointer),
                ("schedule", ctypes.c_char_p),
                ("n_specialize", Size), ("specialize_names", Pointer), ("specialize_values", Pointer), ("dump", ctypes.c_char_p), ("check_indices", Int32),
                ("tuning", Int32),
                ("cancel", Pointer)]


class Array(ctypes.Structure):
    """harp_array and harp_const_array."""
    _fields_ = [("data", Pointer), ("dims", Pointer), ("dtype", Int32), ("rank", Int32)]


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("n_shape_vars", Size), ("shape_var_names", Pointer), ("shape_var_values", Pointer), ("workspace", Pointer),
                ("workspace_size", Size), ("cancel", Pointer)]


class _ArrayInfo(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("name", ctypes.c_char_p), ("shape", ctypes.c_char_p), ("dtype", Int32), ("rank", Int32), ("dims", Pointer),
                ("n_in_place", Size),
                ("in_place", Pointer)]


class _ShapeVarInfo(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("name", ctypes.c_char_p), ("min", Int64), ("max", Int64), ("input", Int32), ("axis", Int32), ("factor", Int64),
                ("offset", Int64)]


class _Stats(ctypes.Structure):
    _fields_ = [("struct_size", Size), ("pipeline_ms", ctypes.c_double), ("compile_ms", ctypes.c_double), ("kernels", Int32), ("generations", Int32),
                ("cache", Int32), ("tuned", Int32),
                ("source_bytes", ctypes.c_uint64), ("artifact_bytes", ctypes.c_uint64)]


# For each function: type of the result, types of the arguments, and whether the last parameter is a harp_error**, which Library.call adds
# and checks.
_FUNCTIONS = {
    "harp_context_new": (Pointer, [Pointer], True), "harp_context_release": (None, [Pointer], False), "harp_context_describe": (Pointer, [Pointer], True),
    "harp_graph_parse": (Pointer, [Pointer, Size, ctypes.c_char_p], True), "harp_graph_release": (None, [Pointer], False),
    "harp_compile": (Pointer, [Pointer, Pointer], True), "harp_program_release": (None, [Pointer], False),
    "harp_program_call": (Int32, [Pointer, Size, Pointer, Size, Pointer, Pointer], True), "harp_program_output_count": (Size, [Pointer], False),
    "harp_program_output": (Int32, [Pointer, Size, Pointer], True), "harp_program_shape_var_count": (Size, [Pointer], False),
    "harp_program_shape_var": (Int32, [Pointer, Size, Pointer], True),
    "harp_program_output_dims": (Int32, [Pointer, Size, Size, Pointer, Int32, Pointer], True),
    "harp_program_workspace_size": (Int32, [Pointer, Size, Pointer, Size, Pointer], True), "harp_program_stats": (Int32, [Pointer, Pointer], True),
    "harp_string_data": (ctypes.c_char_p, [Pointer], False), "harp_string_release": (None, [Pointer], False),
    "harp_error_message": (ctypes.c_char_p, [Pointer], False),
    "harp_error_compiler_output": (ctypes.c_char_p, [Pointer], False), "harp_error_release": (None, [Pointer], False),
    "harp_status_name": (ctypes.c_char_p, [Int32], False),
    "harp_error_code": (Int32, [Pointer], False),
}


class Library:
    def __init__(self, path):
        try:
            self.handle = ctypes.CDLL(path)
        except OSError as error:
            raise HarpError(f"{path}: {error}; ./dev build makes it") from None
        for name, (result, arguments, fails) in _FUNCTIONS.items():
            function = getattr(self.handle, name)
            function.restype, function.argtypes = result, arguments + ([Pointer] if fails else [])

    def call(self, name, *arguments):
        """Calls a function whose last parameter is a harp_error**. An error of the call is raised as HarpError."""
        error = Pointer()
        result = getattr(self.handle, name)(*arguments, ctypes.byref(error))
        if error:
            code = self.handle.harp_status_name(self.handle.harp_error_code(error)).decode()
            message = self.handle.harp_error_message(error).decode(errors="replace") + "\n" + self.handle.harp_error_compiler_output(error).decode(errors="replace")
            self.handle.harp_error_release(error)
            raise HarpError(f"{name}: {code}: {message.strip()[:2000]}")
        return result

    def context(self, threads):
        """Makes a context without a disk cache, so that every compilation takes its full time."""
        options = _ContextOptions(struct_size=ctypes.sizeof(_ContextOptions), threads=threads, cache_dir=b"")
        return self.call("harp_context_new", ctypes.byref(options))

    def describe(self):
        """Returns what `harp info` prints as a dict: {key: value}."""
        context = self.context(1)
        string = self.call("harp_context_describe", context)
        text = self.handle.harp_string_data(string).decode()
        self.handle.harp_string_release(string)
        self.handle.harp_context_release(context)
        return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


class Program:
    """A compiled graph with its input arrays, which must be contiguous, and new output arrays. run() runs the program; `call` is the
    list of arguments for harp_program_call."""

    def __init__(self, library, text, inputs, dtypes, threads, backend="c"):
        self.library, self.inputs, self.threads = library, list(inputs), threads
        self._context, self._program = library.context(threads), None
        graph = None
        try:
            graph = library.call("harp_graph_parse", self._context, len(text.encode()), text.encode())
            options = _CompileOptions(struct_size=ctypes.sizeof(_CompileOptions), backend=backend.encode(), tuning=1)  # HARP_TUNING_OFF
            self._program = library.call("harp_compile", graph, ctypes.byref(options))
            self._stats = _Stats(struct_size=ctypes.sizeof(_Stats))
            library.call("harp_program_stats", self._program, ctypes.byref(self._stats))
            self._arrays(dtypes)
        except BaseException:
            self.close()
            raise
        finally:
            if graph:
                library.handle.harp_graph_release(graph)

    def _arrays(self, dtypes):
        variables = (Int64 * max(1, self.library.handle.harp_program_shape_var_count(self._program)))()
        count = self.library.handle.harp_program_shape_var_count(self._program)
        for k in range(count):
            info = _ShapeVarInfo(struct_size=ctypes.sizeof(_ShapeVarInfo))
            self.library.call("harp_program_shape_var", self._program, k, ctypes.byref(info))
            variables[k] = (self.inputs[info.input].shape[info.axis] - info.offset) // info.factor
        self.outputs, self.output_names, self.output_dtypes = [], [], []
        for k in range(self.library.handle.harp_program_output_count(self._program)):
            info = _ArrayInfo(struct_size=ctypes.sizeof(_ArrayInfo))
            self.library.call("harp_program_output", self._program, k, ctypes.byref(info))
            dims = (Int64 * max(1, info.rank))()
            self.library.call("harp_program_output_dims", self._program, k, count, variables, info.rank, dims)
            self.output_names.append(info.name.decode())
            self.output_dtypes.append(DTYPES[info.dtype - 1])
            self.outputs.append(np.zeros(dims[:info.rank], NUMPY_TYPES[self.output_dtypes[-1]]))
        size = Size()
        self.library.call("harp_program_workspace_size", self._program, count, variables, self.threads, ctypes.byref(size))
        self.workspace_bytes = size.value
        self._options = RunOptions(struct_size=ctypes.sizeof(RunOptions))
        self._workspace, self._kept = None, []
        self.call = (self._program, len(self.inputs), self._described(self.inputs, dtypes), len(self.outputs),
                     self._described(self.outputs, self.output_dtypes), ctypes.pointer(self._options))

    def _described(self, arrays, dtypes):
        described = (Array * max(1, len(arrays)))()
        for entry, array, dtype in zip(described, arrays, dtypes):
            dims = (Int64 * max(1, array.ndim))(*array.shape)
            self._kept.append(dims)
            entry.data, entry.dims, entry.dtype, entry.rank = array.ctypes.data, ctypes.addressof(dims), DTYPES.index(dtype) + 1, array.ndim
        return described

    def use_workspace(self, use):
        """If `use`, later runs use a workspace of the caller for intermediate arrays; otherwise harp provides the memory, which is the
        default."""
        if use:
            if self._workspace is None:
                self._workspace = np.zeros(self.workspace_bytes + 64, np.uint8)
            self._options.workspace, self._options.workspace_size = (self._workspace.ctypes.data + 63) // 64 * 64, self.workspace_bytes
        else:
            self._options.workspace, self._options.workspace_size = None, 0

    def run(self):
        self.library.call("harp_program_call", *self.call)
        return self.outputs

    @property
    def compile_ms(self):
        return self._stats.pipeline_ms + self._stats.compile_ms

    @property
    def kernels(self):
        return self._stats.kernels

    def close(self):
        if self._program:
            self.library.handle.harp_program_release(self._program)
        if self._context:
            self.library.handle.harp_context_release(self._context)
        self._program = self._context = None
