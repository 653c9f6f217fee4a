"""Facts for include/harp.api.json that the declarations of include/harp.h do not express: which pointers may be NULL and what NULL means,
lengths of arrays that do not follow the conventions of api_json.py, ownership, groups of constants. harp.h's comments state the same facts.
The generator fails on an unused entry, and on a pointer that neither a convention nor an entry describes.

The first two columns of an entry are (owners, names), each a list separated by spaces. An owner is a function, a struct, a callback type or
a field that is a callback ("context_options.log"), without "harp_". Names are the owners' parameters or fields.
"""

REDUCTIONS = "sum prod max min any all count_nonzero mean var std norm logsumexp custom_reduce"
CONVOLUTIONS = "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"
LOSSES = "huber_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss cross_entropy nll_loss"

# (owners, names, what NULL means): pointers that may be NULL. By convention, NULL is also allowed for lists of length 0, for `options` and
# `err`, and for handles that a function without `err` only queries. No other pointer may be NULL.
NULL_MEANS = [
    (REDUCTIONS, "axes", "all axes; n_axes is ignored"),
    ("transpose", "axes", "the axes in reverse order"),
    ("squeeze", "axes", "all axes of size 1"),
    ("flip", "axes", "all axes"),
    ("slice", "start stop", "open on every axis"),
    ("slice", "step", "1 on every axis"),
    ("roll", "axes", "of the flattened array; n is 1"),
    ("fftn ifftn rfftn irfftn", "s", "as many elements as there are"),
    ("fftn ifftn rfftn irfftn", "axes", "the last n_axes, or all axes where that is 0"),
    ("fft2 ifft2 rfft2 irfft2", "axes", "the last two"),
    ("fft ifft rfft irfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2", "norm", '"backward"'),
    ("gelu", "approximate", '"none"'),
    ("interpolate", "mode", '"nearest"'),
    ("interpolate", "coordinates", '"half_pixel"'),
    ("interpolate", "nearest_mode", '"round_prefer_floor"'),
    ("check_index", "what", '"check_index: the axis"'),
    ("meshgrid", "indexing", '"xy"'),
    ("pad", "mode", '"constant"'),
    ("pad", "value", "0"),
    ("scatter_reduce", "reduction", '"sum"'),
    ("scatter_nd", "reduction", '"set"'),
    ("searchsorted", "side", '"left"'),
    ("random_bits random_uniform random_normal", "counter", "0"),
    (CONVOLUTIONS, "bias", "none"),
    ("layer_norm rms_norm batch_norm group_norm instance_norm", "weight bias", "none"),
    ("batch_norm", "mean var", "those of x over all other axes; both or neither"),
    ("scaled_dot_product_attention", "mask", "none"),
    ("scaled_dot_product_attention", "scale", "1 / sqrt(features)"),
    ("binary_cross_entropy binary_cross_entropy_with_logits cross_entropy nll_loss", "weight", "none"),
    ("binary_cross_entropy_with_logits", "pos_weight", "none"),
    (LOSSES, "reduction", '"mean"'),
    ("grad grad_flags", "grad_output", "1; y has one element"),
    ("compile_nodes", "names", "output0, output1 ..."),
    ("program_specialize", "count", "not wanted"),
    ("buffer_new", "device", '"cpu"'),
    ("buffer_wrap_device", "device", '"cpu"'),
    ("buffer_wrap buffer_wrap_const buffer_wrap_device", "deleter", "nothing is called"),
    ("buffer_data", "buffer", "gives NULL"),
    ("graph_take_error", "graph", "gives NULL"),
    ("context_options", "alloc free", "malloc and free; both or neither"),
    ("context_options", "cuda", "the defaults"),
    ("cuda_options", "context", "the primary context of each GPU"),
    ("cuda_options", "stream", "a stream of harp's own"),
    ("cuda_options", "alloc free", "a pool of harp's own; both or neither"),
    ("context_options", "log", "no messages"),
    ("context_options", "parallel_for", "see threads"),
    ("context_options", "cache_dir", "$HARP_CACHE_DIR, else $XDG_CACHE_HOME/harp, else ~/.cache/harp"),
    ("context_options", "compiler", "$HARP_CC, $CC, cc, gcc, clang, the first that works"),
    ("context_options", "dump", "$HARP_DUMP"),
    ("compile_options", "backend", '"c"'),
    ("compile_options", "target", "this CPU"),
    ("compile_options", "compiler", "the context's"),
    ("compile_options", "schedule", "the configuration that harp_tune found, otherwise harp's default"),
    ("compile_options", "dump", "the context's"),
    ("run_options", "workspace", "the run allocates what it needs"),
    ("run_options", "stream", "the call returns when the run is complete"),
    ("buffer_wait_stream buffer_signal_stream", "stream", "CUDA's legacy default stream"),
    ("compile_options run_options runtime", "cancel", "no flag"),
    ("tune_options", "compile run", "the defaults"),
    ("tune_options", "compilers", "clang if the context's is gcc, gcc if it is clang"),
    ("tune_options", "progress", "none"),
    ("custom_function_desc native_desc", "graph", "that of the inputs; required if n is 0"),
    ("runtime", "parallel_for", "serial"),
    ("runtime", "alloc free", "malloc and free; both or neither"),
    ("runtime", "workspace", "the run allocates what it needs"),
    ("runtime", "natives", "programs that call functions of the host have no entry points"),
    ("runtime", "fault", "the cause is not reported"),
    ("entry_point_ex", "runtime", "as harp_entry_point"),
    ("dl_tensor", "strides", "row-major"),
    ("dl_managed dl_managed_versioned", "deleter", "no deleter"),
]

# (owners, names, length): the number of elements that a pointer refers to, or of bytes if the pointer is a void*. By convention, a
# parameter n is the length of the lists after it, n_NAME the length of the list NAME, rank the number of sizes, and size a number of bytes.
# "?" means that the length follows from sizes and strides.
LENGTHS = [
    ("split", "parts", "sections"),
    ("split_at", "parts", "n + 1"),
    ("unstack", "parts", "n"),
    ("meshgrid", "results", "n"),
    ("grad grad_flags", "out_gradients", "n"),
    ("broadcast_shapes", "dims", "max(a_rank, b_rank)"),
    ("buffer_wrap buffer_wrap_const buffer_wrap_device array const_array", "data", "bytes(dtype, rank, dims)"),
    ("buffer_read_strided", "to", "?"),
    ("buffer_write_strided", "from", "?"),
    ("dl_tensor", "data", "?"),
    ("dl_tensor", "shape strides", "ndim"),
    ("run_options", "shape_var_names shape_var_values", "n_shape_vars"),
    ("compile_options", "specialize_names specialize_values", "n_specialize"),
    ("run_options runtime", "workspace", "workspace_size"),
    ("entry_point entry_point_ex", "inputs", "program.inputs"),
    ("entry_point entry_point_ex", "outputs", "program.outputs"),
    ("entry_point entry_point_ex", "shape_vars", "program.shape_vars"),
    ("runtime", "natives", "program.natives"),
]

# (owners, names): pointers to a single object that the conventions would wrongly take for lists.
SINGLE = [
    ("nodes_inputs program_specialize", "count"),
    ("scaled_dot_product_attention", "scale"),
    ("compile_options run_options runtime", "cancel"),
]

# (owners, names): void* that harp passes on and never dereferences. By convention, void* parameters called `arg`, or whose name ends in
# `user`, are opaque too.
OPAQUE = [
    ("context_options.free cuda_options.free runtime.free", "memory"),
    ("cuda_options", "context"),
    ("cuda_options cuda_options.alloc cuda_options.free run_options buffer_wait_stream buffer_signal_stream", "stream"),
    ("buffer_wrap.deleter buffer_wrap_const.deleter buffer_wrap_device.deleter", "data"),
    ("runtime runtime.parallel_for runtime.alloc runtime.free", "self"),
    ("runtime", "step_cursor"),
    ("dl_managed dl_managed_versioned", "manager"),
]

# (owners, names, ownership of the argument). By convention, harp copies strings, and a function that builds graphs copies the lists of
# numbers that it receives. A release function takes ownership of its handle. Every other argument is borrowed for the duration of the call.
OWNERSHIP = [
    ("buffer_wrap buffer_wrap_const buffer_wrap_device", "data user", "kept"),
    ("buffer_from_dlpack buffer_from_dlpack_versioned", "managed", "taken"),
    ("dl_managed.deleter dl_managed_versioned.deleter", "self", "taken"),
]

# (functions, owner of the object that the pointer refers to, whether the pointer may be NULL, length): functions that return a pointer that
# is neither a new handle nor a node of a graph. The object exists until its owner is released.
RESULTS = [
    ("version_string status_name node_op", "for ever", False, ""),
    ("dtype_name", "for ever", True, ""),
    ("error_message error_compiler_output", "error", False, ""),
    ("string_data", "string", False, ""),
    ("node_name", "graph", False, ""),
    ("graph_error", "graph", True, ""),
    ("node_graph", "graph", True, ""),
    ("buffer_device", "buffer", True, ""),
    ("buffer_data buffer_const_data", "buffer", True, "harp_buffer_size(buffer)"),
    ("buffer_dims", "buffer", True, "harp_buffer_rank(buffer)"),
    ("program_entry program_entry_ex", "program", True, ""),
    ("get_api", "for ever", True, ""),
    ("context_options.alloc cuda_options.alloc runtime.alloc", "free", True, "size"),
]

# (functions, effect of an invalid argument): functions to which the conventions about errors do not apply, because they only query.
MISTAKES = [
    ("backend_available graph_take_error", "none"),
]

# type of handle: (the type of handle that it belongs to or keeps alive, whether a handle may move to another thread, whether several
# threads may use a handle at the same time, the condition under which they may).
HANDLES = {
    "context": ("", True, True, ""),
    "graph": ("context", True, False, "any number of threads may compile it while nobody changes it"),
    "node": ("graph", True, False, "as the graph"),
    "program": ("context", True, True, ""),
    "buffer": ("context", True, True, "its content: one writer or many readers"),
    "error": ("", True, True, ""),
    "string": ("", True, True, ""),
    "tune_result": ("", True, True, ""),
}

# (regular expression, group, C type) of constants; the first expression that matches a constant's name decides. Bindings turn each group
# into an enumeration or a set of flags.
GROUPS = [
    (r"HARP_VERSION_|HARP_API_VERSION", "version", "uint32_t"),
    (r"HARP_OK|HARP_ERROR_", "status", "harp_status"),
    (r"HARP_(UNKNOWN|BOOL|[IU]\d+|B?F\d+|COMPLEX\d+)$", "dtype", "harp_dtype"),
    (r"HARP_MAX_RANK", "limit", "int32_t"),
    (r"HARP_DIM_INVALID|HARP_SLICE_NONE", "special", "harp_dim"),
    (r"HARP_AXIS_NONE", "special", "int32_t"),
    (r"HARP_CLASS_NONE|HARP_KEEP_NO_MEMORY", "special", "int64_t"),
    (r"HARP_LOG_", "log_level", "int32_t"),
    (r"HARP_NATIVE_OPS_", "native_ops", "int32_t"),
    (r"HARP_GRAPH_", "graph_flags", "uint32_t"),
    (r"HARP_SCAN_", "scan_flags", "uint32_t"),
    (r"HARP_GRAD_", "grad_flags", "uint32_t"),
    (r"HARP_MATH_", "math", "int32_t"),
    (r"HARP_RUN_", "run_flags", "uint32_t"),
    (r"HARP_TUNING_", "tuning", "int32_t"),
    (r"HARP_SPECIALIZE_", "specialize", "int32_t"),
    (r"HARP_CACHE_", "cache", "int32_t"),
    (r"HARP_TUNE_(BEAM|RANDOM|GRID)$", "tune_strategy", "int32_t"),
    (r"HARP_TUNE_(CONTINUE|STOP|CANCEL)$", "tune_answer", "int32_t"),
    (r"HARP_DL_", "dlpack_flags", "uint64_t"),
]

# (owners, names, group of constants or "boolean"): which values an integer parameter or field with a general C type takes. Statuses and
# dtypes have C types of their own and need no entry.
VALUES = [
    ("graph_new", "flags", "graph_flags"),
    ("cumsum cumprod cummax cummin logcumsumexp custom_cumulative", "flags", "scan_flags"),
    ("grad_flags", "flags", "grad_flags"),
    ("context_options", "log_level", "log_level"),
    ("context_options.log", "level", "log_level"),
    ("context_options", "native_ops", "native_ops"),
    ("compile_options", "math", "math"),
    ("compile_options", "tuning", "tuning"),
    ("run_options", "flags", "run_flags"),
    ("compile_options", "specialize", "specialize"),
    ("program_stats_info", "cache", "cache"),
    ("tune_options", "strategy", "tune_strategy"),
    ("dl_managed_versioned", "flags", "dlpack_flags"),
    ("tune_options.progress", "result", "tune_answer"),
    ("entry_point_ex", "result", "status"),
    ("backend_available depends", "result", "boolean"),
    (REDUCTIONS + " argmax argmin", "keepdims", "boolean"),
    ("isclose", "equal_nan", "boolean"),
    ("scatter_reduce", "include_self", "boolean"),
    ("argsort sort", "descending", "boolean"),
    ("topk", "largest", "boolean"),
    ("isin", "invert", "boolean"),
    ("scaled_dot_product_attention", "is_causal enable_gqa", "boolean"),
    ("constant_bool", "value", "boolean"),
    ("pool_options", "ceil_mode count_include_pad", "boolean"),
    ("context_options", "cache_shared", "boolean"),
    ("compile_options", "plain_text check_indices", "boolean"),
    ("program_stats_info", "tuned", "boolean"),
    ("tune_options", "dry_run", "boolean"),
    ("tune_summary", "exhausted stored", "boolean"),
]
