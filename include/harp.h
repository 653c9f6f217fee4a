/*
 * harp.h - the C interface of harp, a runtime for array computation.
 *
 * A program builds a graph of array operations, harp compiles it to machine code (it writes C source, has the system's C compiler
 * translate it, and caches the result), and runs it on arrays of any size the graph allows:
 *
 *     harp_error* err = NULL;
 *     harp_context* ctx = harp_context_new(NULL, &err);
 *     harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, &err);
 *     harp_dim n = harp_dim_var(g, "n", 0, 4096);
 *     harp_dim dims[2];
 *     dims[0] = n; dims[1] = 64;
 *     harp_output(g, "y", harp_tanh(harp_input(g, "x", HARP_F32, 2, dims)));
 *     harp_program* p = harp_compile(g, NULL, &err);
 *     harp_buffer* y = NULL;                                 (NULL: harp allocates the output)
 *     harp_program_run(p, 1, &x, 1, &y, NULL, &err);
 *
 * Contents: 1 Numbers and names   2 Errors and strings   3 Context   4 Graph   5 Operations   6 Compile and run   7 Buffers
 *           8 Tuning   9 Embedding (entry points, the table of all functions)
 *
 * RULES THAT HOLD EVERYWHERE
 *
 * Ownership. "Owned" means that the caller releases it; "borrowed" that somebody else does and says how long it lives; "copied" that
 *   harp keeps its own copy. Every pointer passed in is borrowed for the call unless its comment says otherwise. harp_X_release gives
 *   up one reference (NULL: nothing happens), harp_X_retain adds one and returns its argument. A child keeps its parent alive: a
 *   graph, program or buffer keeps its context. Nodes belong to their graph and are never released.
 * Errors. A function that makes something returns it, or NULL; others return a harp_status, HARP_OK or the code of the error. Both
 *   take a last argument `err`: NULL, or the address of a harp_error* that is NULL; on failure it receives an owned harp_error (an
 *   error that is already there is left alone). On failure nothing else is written through a pointer argument, and every handle
 *   stays usable. Functions that build graphs have no `err`: see 4.
 * NULL. A NULL handle where one is needed is HARP_ERROR_INVALID_ARGUMENT; building functions given a NULL node return NULL.
 * Threads. Reference counts are atomic. Contexts, programs, buffers (as far as their content goes: the usual rule, one writer or
 *   many readers), errors, strings and results of harp_tune may be used by several threads at once; a graph by one thread at a time,
 *   though any number of threads may compile, print, draw and look at it while nobody changes it. harp starts no thread but those that harp_context_options.threads asks for.
 * Structs begin with struct_size, the caller's sizeof; HARP_..._INIT sets it and zeroes the rest, which means "default" for every
 *   field. Fields are only ever added at the end. A struct from a newer harp.h works as long as the fields this library does not
 *   know are zero. `reserved` fields have to be zero.
 * Text is UTF-8. Strings passed in are copied.
 * harp does not print, exit, abort, change signal masks, or let a C++ exception escape.
 */
#ifndef HARP_H
#define HARP_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && defined(HARP_BUILDING_LIBRARY)
#define HARP_API __attribute__((visibility("protected"))) /* what harp calls of itself is its own, whatever else has that name */
#elif defined(__GNUC__)
#define HARP_API __attribute__((visibility("default")))
#else
#define HARP_API
#endif
#define HARP_API_SINCE(version) HARP_API /* of functions that came with a later version of struct harp_api than 1, see harp_get_api */

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------------
 * 1  Numbers and names
 * ---------------------------------------------------------------------------------------------------------------------------- */

#define HARP_VERSION_MAJOR 0
#define HARP_VERSION_MINOR 1
#define HARP_VERSION_PATCH 0

/* Version of the library that is loaded, as major * 1000000 + minor * 1000 + patch, and as "0.1.0" (borrowed, for ever). */
HARP_API uint32_t harp_version(void);
HARP_API const char* harp_version_string(void);

/* What a function returns, and what kind of mistake an error is. */
typedef int32_t harp_status;
#define HARP_OK 0
#define HARP_ERROR_INVALID_ARGUMENT 1 /* NULL or out of its domain, node of another graph, wrong struct_size, unknown name */
#define HARP_ERROR_SHAPE 2            /* shapes that do not fit each other, rank over 16, axis that does not exist */
#define HARP_ERROR_DTYPE 3            /* a dtype an operation does not take, operands of different dtypes */
#define HARP_ERROR_RANGE 4            /* a value outside its bounds: shape variable, negative size, constant, checked index */
#define HARP_ERROR_OVERFLOW 5         /* a size, stride or byte count that does not fit 64 bits */
#define HARP_ERROR_ALIAS 6            /* outputs that overlap each other or an input they are not computed in place of */
#define HARP_ERROR_PARSE 7            /* text format and .npy files */
#define HARP_ERROR_UNSUPPORTED 8      /* legal, but not on this backend, system or version */
#define HARP_ERROR_COMPILER 9         /* no C compiler found, or it failed or crashed, or compile_timeout_ms have passed */
#define HARP_ERROR_IO 10              /* files */
#define HARP_ERROR_OUT_OF_MEMORY 11
#define HARP_ERROR_CANCELLED 12 /* the host set the flag of a run, or its callback ended harp_tune */
#define HARP_ERROR_INTERNAL 13  /* a bug in harp: please report it with the graph's text (harp_graph_print) */
#define HARP_ERROR_NATIVE 14    /* a function given to harp_native returned something else than 0 */
#define HARP_ERROR_DEVICE 15    /* a device that is not there, or has failed */
#define HARP_ERROR_NO_GRADIENT 16 /* there is no gradient with respect to a node: nothing depends on it, or by no way that has one */

/* Type of array elements. Bool is one byte, 0 or 1; any other byte reads as true. Integers wrap. f16 is IEEE 754 binary16, bf16 the upper
 * half of an f32. The dtypes of 8 and 16 bits compute in a wider one: each operation works on values widened to it, and its result is
 * rounded or wrapped once; reductions do so at their end. A complex element is two floats in memory, the real part first. */
typedef int32_t harp_dtype;
#define HARP_UNKNOWN 0 /* of integer constants only: that of the operand beside them, see harp_constant */
/* generated from src/ops/dtype.h: dtypes { */
#define HARP_BOOL 1        /* 1 byte */
#define HARP_I8 2          /* 1 byte, computes in i32 */
#define HARP_U8 3          /* 1 byte, computes in i32 */
#define HARP_I16 4         /* 2 bytes, computes in i32 */
#define HARP_U16 5         /* 2 bytes, computes in i32 */
#define HARP_I32 6         /* 4 bytes */
#define HARP_U32 7         /* 4 bytes */
#define HARP_I64 8         /* 8 bytes */
#define HARP_U64 9         /* 8 bytes */
#define HARP_F16 10        /* 2 bytes, computes in f32 */
#define HARP_BF16 11       /* 2 bytes, computes in f32 */
#define HARP_F32 12        /* 4 bytes */
#define HARP_F64 13        /* 8 bytes */
#define HARP_COMPLEX64 14  /* 8 bytes */
#define HARP_COMPLEX128 15 /* 16 bytes */
/* } */

/* Bytes of one element, and the name in the text format ("f32"; borrowed, for ever); 0 and NULL for a number that is no dtype. */
HARP_API size_t harp_dtype_size(harp_dtype dtype);
HARP_API const char* harp_dtype_name(harp_dtype dtype);

/* Arrays have 0 to HARP_MAX_RANK axes; an axis may be 0 long. Axes are counted from 0, or from the end with -1, -2, ... */
#define HARP_MAX_RANK 16

/*
 * A size: a plain number if >= 0, or the handle of a symbolic size of one graph (see harp_dim_var). Handles are negative numbers far
 * from any plain one, so -1 keeps its meanings: "infer" in harp_reshape, "keep" in harp_expand. HARP_DIM_INVALID is what a function
 * that makes a size returns on failure; it behaves like a NULL node. HARP_SLICE_NONE is an open end of harp_slice.
 */
typedef int64_t harp_dim;
#define HARP_DIM_INVALID INT64_MIN
#define HARP_SLICE_NONE (INT64_MIN + 1)

typedef struct harp_context harp_context;
typedef struct harp_graph harp_graph;
typedef struct harp_node harp_node;
typedef struct harp_program harp_program;
typedef struct harp_buffer harp_buffer;
typedef struct harp_error harp_error;
typedef struct harp_string harp_string;

/* ------------------------------------------------------------------------------------------------------------------------------
 * 2  Errors and strings
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* The code of an error; HARP_OK for NULL. */
HARP_API harp_status harp_error_code(const harp_error* error);
/* What was expected and what came, one or more lines without a final newline. Borrowed until the error is released; "" for NULL. */
HARP_API const char* harp_error_message(const harp_error* error);
/* What the C compiler printed, for HARP_ERROR_COMPILER; else "". Borrowed until the error is released. */
HARP_API const char* harp_error_compiler_output(const harp_error* error);
HARP_API void harp_error_release(harp_error* error);
/* "SHAPE" for HARP_ERROR_SHAPE, "OK" for HARP_OK, "UNKNOWN" for a number that is no status. Borrowed, for ever. */
HARP_API const char* harp_status_name(harp_status status);

/* Text that harp made. data is terminated by a zero byte, which size does not count; borrowed until the string is released. */
HARP_API const char* harp_string_data(const harp_string* string);
HARP_API size_t harp_string_size(const harp_string* string);
HARP_API void harp_string_release(harp_string* string);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 3  Context
 *
 * The root of everything: the host's hooks, the compile cache, the compilers that were found. Programs may have several; they share
 * nothing but files of the cache.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Log levels, for the callback and as the least one it wants. */
#define HARP_LOG_TRACE 0
#define HARP_LOG_DEBUG 1
#define HARP_LOG_INFO 2
#define HARP_LOG_WARNING 3
#define HARP_LOG_ERROR 4

/* Part of a loop: iterations begin to end - 1, by worker number `worker`. */
typedef void (*harp_range_body)(void* arg, size_t begin, size_t end, size_t worker);

typedef struct harp_context_options {
  size_t struct_size;

  /* Memory for arrays and for what kernels need while they run. Both functions or neither; called from any thread, several at once.
   * alloc returns memory aligned to `alignment` (a power of two), or NULL; it is never asked for 0 bytes. Not used for harp's own
   * book-keeping. */
  void* (*alloc)(void* user, size_t size, size_t alignment);
  void (*free)(void* user, void* memory);
  void* alloc_user;

  /* Receives log messages: `text` is `size` bytes, not terminated, borrowed for the call. Called from any thread that is inside harp,
   * several at once. It must not call harp. */
  void (*log)(void* user, int32_t level, const char* text, size_t size);
  void* log_user;
  int32_t log_level; /* messages below it are not made */

  /* Threads that runs of the backend "c" work on, the calling one included; at most 1024. 0, 1: the calling one alone. N: the context
   * starts up to N - 1 threads of its own with the first run that is large enough, and ends them with its last reference. They take no
   * part in several runs at once: while one keeps them busy others run on their calling thread alone, and so does a child process that is
   * forked after they started. All signals are blocked on them, but for those of faults. They run on the CPUs that the thread of the first
   * such run may use, without the one their caller was on when it last woke them. Results never depend on the number. */
  int32_t threads;

  /* The host's thread pool, instead of `threads` (both: HARP_ERROR_INVALID_ARGUMENT). Has to call body(arg, begin, end, worker) for ranges
   * that make up 0..n-1 together, in any order, by any threads, and return when all are done. Ranges should be at least `grain` long;
   * `worker` < width, and two calls at the same time have different ones. With neither, programs run on the calling thread alone. Results
   * never depend on it. */
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg);
  void* parallel_for_user;
  size_t width; /* with parallel_for: at least 1 */

  /* Directory of compiled kernels. NULL: $HARP_CACHE_DIR, else $XDG_CACHE_HOME/harp, else ~/.cache/harp; "": only in memory. It has to
   * belong to the effective user and be writable by nobody else. A directory that cannot be used is logged, and memory is used. A relative
   * path is relative to the current directory of this call. $HARP_CACHE_DIR has to be absolute, else it is a directory that cannot be used:
   * the environment is inherited by programs that run elsewhere, and a current directory that the program did not choose is not trusted
   * with code. */
  const char* cache_dir;
  uint64_t cache_max_bytes;   /* of the directory; 0: 1 GiB */
  uint64_t cache_max_entries; /* of the directory; 0: 16,384 */
  int32_t cache_shared;       /* 1: whoever can write to the directory is trusted; its owner and mode do not matter */
  int32_t reserved;

  /* The C compiler as one would type it ("gcc-12 -m64"); only this one is tried then. NULL: $HARP_CC, $CC, cc, gcc, clang, the first
   * that works. */
  const char* compiler;
  /* How long harp_compile may take, all of it: making the source, waiting for other threads and processes that compile the same program,
   * for one of the `compilers` to be free, and the C compiler itself. Then it is HARP_ERROR_COMPILER, which says what was waited for and
   * how long. 0: 60,000. */
  int64_t compile_timeout_ms;

  /* Stages of every compilation to log at HARP_LOG_INFO, with commas between: "opt,schedule,ir,ir-opt,linear,source". NULL: $HARP_DUMP. */
  const char* dump;

  /* HARP_NATIVE_OPS_ON (0) or HARP_NATIVE_OPS_OFF: whether graphs may call functions of the host's (harp_native). */
  int32_t native_ops;
  int32_t reserved2;

  /* How many C compilers may run at the same time for this context, whatever the number of threads that compile; 0: one less than there
   * are CPUs, at least 1. Large sources are compiled in that many parts at most. (The short question that asks a compiler for its version
   * is not counted.) */
  int32_t compilers;
  /* 0 to 19, added to the nice value of their processes, so that they leave the CPUs to the host: 0 runs them as the host runs. */
  int32_t compiler_nice;
} harp_context_options;

#define HARP_NATIVE_OPS_ON 0
#define HARP_NATIVE_OPS_OFF 1

#define HARP_CONTEXT_OPTIONS_INIT                                                                                                         \
  {                                                                                                                                       \
    sizeof(harp_context_options), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, 0, 0, NULL, 0, NULL, HARP_NATIVE_OPS_ON, \
        0, 0, 0                                                                                                                           \
  }

/*
 * Compiled programs are loaded from memory, and hold no file descriptor. A context keeps up to three, of the cache directory; before it
 * uses one it looks whether that is still the same file, so a host may close what is not its own (closefrom after fork, say) at any
 * moment between calls of harp. None of them is 0, 1 or 2, whatever the host has closed. Tools that read a program's file, such as perf and
 * gdb, want $HARP_KEEP_OBJECTS, the absolute path of a directory that belongs to this user and is writable by nobody else, or is like
 * /tmp: programs are then loaded from files written there, which harp never removes.
 */

/* Makes a context. options may be NULL. The cache directory is opened, or made, by the first compilation, which looks for a compiler, too. */
HARP_API harp_context* harp_context_new(const harp_context_options* options, harp_error** err);
HARP_API harp_context* harp_context_retain(harp_context* context);
HARP_API void harp_context_release(harp_context* context);

/*
 * Backends run programs. "interp" interprets the graph: it needs no compiler, starts at once and defines what every graph computes.
 * "c" compiles it with the C compiler; its results are the interpreter's, bit for bit (NaNs all count as the same).
 */

/* Names of the backends this library has, one a line. Owned. */
HARP_API harp_string* harp_context_backends(harp_context* context, harp_error** err);
/* 1 if the backend can be used now ("c": a compiler was found), 0 if it cannot or there is none of that name. */
HARP_API int32_t harp_backend_available(harp_context* context, const char* name);

/* What `harp info` prints: version, CPU target, the compiler that was found or every command that was tried, cache directory, backends.
 * Lines "key: value". Owned. */
HARP_API harp_string* harp_context_describe(harp_context* context, harp_error** err);

/* The directory of compiled kernels in use, or "" if there is none. Owned. */
HARP_API harp_string* harp_cache_dir(harp_context* context, harp_error** err);
/* Removes all compiled kernels from the directory and from this context's memory; programs in use are not affected. */
HARP_API harp_status harp_cache_clear(harp_context* context, harp_error** err);

/* The compiled kernels in the directory, one a line: key, bytes, seconds since the last use, target, compiler, signature, with tabs
 * between. Owned. */
HARP_API harp_string* harp_cache_list(harp_context* context, harp_error** err);

typedef struct harp_cache_stats_info {
  size_t struct_size;
  uint64_t entries;     /* in the directory */
  uint64_t bytes;       /* in the directory */
  uint64_t memory_hits; /* compilations of this context that were found in memory, */
  uint64_t disk_hits;   /*   in the directory, */
  uint64_t misses;      /*   or nowhere */
} harp_cache_stats_info;

#define HARP_CACHE_STATS_INFO_INIT \
  { sizeof(harp_cache_stats_info), 0, 0, 0, 0, 0 }

/* Fills *stats, whose struct_size is set. */
HARP_API harp_status harp_cache_stats(harp_context* context, harp_cache_stats_info* stats, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 4  Graph
 *
 * Nodes are immutable; the same operation on the same nodes gives the same node. Building calls have no `err`: a node, borrowed until
 * the graph is released, or NULL. The FIRST mistake sticks to the graph with a message that names the operation, the shapes and the
 * nodes; every later call on that graph returns NULL, so a program may build without looking and ask once, at harp_compile or with
 * harp_graph_error. One that wants each mistake where it happens takes it (harp_graph_take_error), and the graph goes on. A call that
 * fails leaves no node behind. Nodes of two graphs in one call are a mistake in both.
 *
 * Shapes. Operands of an elementwise operation need identical shapes, except that an operand of rank 0 goes with everything; with
 * HARP_GRAPH_BROADCAST NumPy's rules hold: axes align at the right, an axis of size 1 stretches, missing axes are added on the left.
 * Only an axis whose size is 1 whatever the symbolic sizes are stretches. Dtypes have to agree: mixing them is an error that suggests
 * harp_cast, unless the graph has HARP_GRAPH_PROMOTE.
 *
 * Promotion. Of two integers that both have a sign or both have none, and of two floats: the wider one; f16 with bf16 gives f32. Of an
 * integer with and one without a sign: the least one with a sign that holds both (i8 with u8 gives i16, i8 with u32 i64). Not defined, and
 * an error: u64 with an integer that has a sign; bool, integers and floats among each other. Where an operation takes floats only, bool
 * and integers of 8 and 16 bits become f32, wider ones f64. With HARP_GRAPH_PROMOTE_MIXED (which stands for both flags) these are
 * defined, as PyTorch has them: bool with anything gives the other; an integer with a float or complex number gives that; u64 with an
 * integer that has a sign gives f32; a real with a complex number gives the complex one that holds both. Where an operation takes floats
 * only, bool and all integers become f32.
 * ---------------------------------------------------------------------------------------------------------------------------- */

#define HARP_GRAPH_BROADCAST 1u /* NumPy broadcasting */
#define HARP_GRAPH_PROMOTE 2u   /* operands of different dtypes promote as the Array API standard says, instead of being an error */
#define HARP_GRAPH_PROMOTE_MIXED 4u /* the same, and bool, integers and floats among each other promote, too: see above */

/* Makes an empty graph. flags: 0 or HARP_GRAPH_... joined with |. */
HARP_API harp_graph* harp_graph_new(harp_context* context, uint32_t flags, harp_error** err);
HARP_API harp_graph* harp_graph_retain(harp_graph* graph);
HARP_API void harp_graph_release(harp_graph* graph);
/* The name in text, signatures and generated code; "graph" until it is set. Letters, digits, _ . and - */
HARP_API harp_status harp_graph_set_name(harp_graph* graph, const char* name, harp_error** err);
/* The mistake that sticks to the graph, or NULL. Borrowed until the graph is released. */
HARP_API const harp_error* harp_graph_error(const harp_graph* graph);
/* The same, owned by the caller: the graph is then without a mistake, as it was before the call that failed, and can be built on. NULL:
 * there was none. */
HARP_API harp_error* harp_graph_take_error(harp_graph* graph);

/*
 * Symbolic sizes. A variable stands for a size that every run chooses anew, within min and max (both inclusive, min >= 0); the same
 * name and bounds give the same variable. Names are letters, digits and _, do not begin with a digit, and are none of the words of
 * the text format (return shape graph none true false nan inf in min max select). A run takes a variable's value from the first axis of
 * an input that is it, else from the first that is c*n + d with constants c and d, else from harp_run_options: inputs [m + 1] or
 * [32*h, 32*w] say what their variables are. Results of the arithmetic are plain numbers where both operands are, else handles.
 * Division floors, x // 0 = 0, and the modulus has the divisor's sign. Two sizes are the same size only if they are the same
 * expression up to the laws of arithmetic: n * 2 and n + n are, (n // 2) * 2 and n are not.
 * Failure gives HARP_DIM_INVALID and sticks to the graph.
 */
HARP_API harp_dim harp_dim_var(harp_graph* graph, const char* name, int64_t min, int64_t max);
HARP_API harp_dim harp_dim_add(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_sub(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_mul(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_floor_div(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_mod(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_min(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_max(harp_graph* graph, harp_dim a, harp_dim b);
/* The size as text ("2*n + 1"). Owned. */
HARP_API harp_string* harp_dim_print(const harp_graph* graph, harp_dim dim, harp_error** err);

/* Declares an input. Inputs are numbered in the order of their declaration, outputs likewise: that is their order in harp_program_run
 * and in entry points. Names are copied and unique in the graph, inputs and outputs each. dims may be NULL if rank is 0. */
HARP_API harp_node* harp_input(harp_graph* graph, const char* name, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* Declares a node as an output. The status is that of the mistake, which also sticks to the graph. */
HARP_API harp_status harp_output(harp_graph* graph, const char* name, harp_node* node);

/* Constants of rank 0. A number the dtype cannot hold (2.5, 300 or NaN for an integer type, 2 for bool) is HARP_ERROR_RANGE; floats
 * round to nearest. An integer may be given HARP_UNKNOWN for a dtype: it then takes, wherever it is used, that of the operands beside it
 * (or harp_cast says which), which has to hold it. Operations of nothing but such integers, and such an output, are HARP_ERROR_DTYPE. */
HARP_API harp_node* harp_constant(harp_graph* graph, harp_dtype dtype, double value);
HARP_API harp_node* harp_constant_i64(harp_graph* graph, harp_dtype dtype, int64_t value);
HARP_API harp_node* harp_constant_u64(harp_graph* graph, harp_dtype dtype, uint64_t value);
HARP_API harp_node* harp_constant_bool(harp_graph* graph, int32_t value);
/* re + im * i of a complex dtype. (harp_constant gives one whose imaginary part is 0.) */
HARP_API harp_node* harp_constant_complex(harp_graph* graph, harp_dtype dtype, double re, double im);
/* An array of plain sizes; data is row-major, of `size` bytes (which has to be that of the array), and copied. */
HARP_API harp_node* harp_constant_array(harp_graph* graph, harp_dtype dtype, int32_t rank, const harp_dim* dims, size_t size,
                                        const void* data);
/* The value of a size as an i64 of rank 0. */
HARP_API harp_node* harp_size(harp_graph* graph, harp_dim dim);

/* Properties of a node; NULL gives 0, or "" for the name. The name is borrowed until the graph is released. */
HARP_API int32_t harp_node_rank(const harp_node* node);
HARP_API harp_dtype harp_node_dtype(const harp_node* node);
HARP_API const char* harp_node_name(const harp_node* node);
/* Writes the node's sizes to dims: numbers, or handles that any building call of the graph takes. rank has to be harp_node_rank(node). */
HARP_API harp_status harp_node_dims(const harp_node* node, int32_t rank, harp_dim* dims, harp_error** err);
HARP_API harp_graph* harp_node_graph(const harp_node* node); /* borrowed */
/* Names a node for messages, text and pictures; the first name stays. Returns the node. */
HARP_API harp_node* harp_node_set_name(harp_node* node, const char* name);

/* What a node is made of: its operation as the text format spells it ("add", "input"; borrowed, for ever; "" for NULL), the nodes it
 * works on (NULL for an index out of range), and its attributes as they stand in the text format ("axes=[0], keepdims=true"; owned).
 * Composite operations are their primitives here, too. The handle of a source is the one it was made with. */
HARP_API const char* harp_node_op(const harp_node* node);
HARP_API int32_t harp_node_source_count(const harp_node* node);
HARP_API harp_node* harp_node_source(const harp_node* node, int32_t index);
HARP_API harp_string* harp_node_attributes(const harp_node* node, harp_error** err);

/* 128 bits that are the same for two lists of nodes, made in the same order, exactly if harp_compile_nodes makes the same program of them:
 * of one graph or of two, today or next year with this version of harp. Names do not count, constants do. Nodes that call a function of the host's
 * (harp_native) are told apart by its address: theirs mean something in this process alone. */
typedef struct harp_digest {
  uint64_t high, low;
} harp_digest;
HARP_API harp_status harp_nodes_digest(int32_t n, harp_node* const* nodes, harp_digest* digest, harp_error** err);

/* Frees every node that neither the n given ones nor an output depend on, inputs too; their handles may not be used again. Other
 * handles stay as they are. For a graph that is built for as long as a program runs. Nothing happens to a graph with a mistake. */
HARP_API harp_status harp_graph_drop_unreachable(harp_graph* graph, int32_t n, harp_node* const* nodes, harp_error** err);
/* Number of nodes that the graph holds. */
HARP_API size_t harp_graph_node_count(const harp_graph* graph);

/* The graph in harp's text format, which harp_graph_parse reads back: operations appear as the primitive ones they are made of.
 * Owned. */
HARP_API harp_string* harp_graph_print(const harp_graph* graph, harp_error** err);
/* Makes a graph from `size` bytes of text. A mistake in it is HARP_ERROR_PARSE with line, column and the offending token, or the error
 * of the operation. Safe on any input. The text format is described in docs/text-format.md. */
HARP_API harp_graph* harp_graph_parse(harp_context* context, size_t size, const char* text, harp_error** err);
/* A picture of the graph in Graphviz' language. Owned. */
HARP_API harp_string* harp_graph_dot(const harp_graph* graph, harp_error** err);

/* NumPy's broadcast of two shapes of plain sizes. Writes the result's sizes to `dims`, which has room for the larger of the two ranks
 * (that is the result's rank). Error: "Cannot broadcast shapes [2, 3] and [4]". */
HARP_API harp_status harp_broadcast_shapes(int32_t a_rank, const int64_t* a_dims, int32_t b_rank, const int64_t* b_dims, int64_t* dims,
                                           harp_error** err);
/* The element of an array of the shape `dims` that an element of a broadcast result comes from: `index` has result_rank numbers,
 * `source` gets `rank`. */
HARP_API harp_status harp_broadcast_index(int32_t result_rank, const int64_t* index, int32_t rank, const int64_t* dims, int64_t* source,
                                          harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 5  Operations
 *
 * Building functions as described in 4: borrowed node or NULL. Every argument node has to be of the same graph. What each operation
 * computes, to the bit, is in docs/semantics.md. Arrays of numbers an argument points to are copied.
 *
 * "float" means f16, bf16, f32 or f64, "int" any integer dtype, "complex" complex64 or complex128; integers wrap around. Functions of
 * floats are correctly rounded where IEEE 754 has them (add, mul, div, recip, sqrt, fma, floor ...), else within 1.3 units in the last
 * place; NaN, infinities, zeros and subnormals follow Annex F of the C standard. Operations of complex numbers are sequences of those of
 * their parts, each rounded; no order is defined on them, and where a step of a sequence overflows, the result has: there is no Annex G.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Elementwise, one operand. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: unary { */
HARP_API harp_node* harp_neg(harp_node* x);             /* -x (int, float, complex) */
HARP_API harp_node* harp_recip(harp_node* x);           /* 1 / x (float, complex) */
HARP_API harp_node* harp_abs(harp_node* x);             /* absolute value; of a complex number: hypot of its parts, a float (int, float, complex) */
HARP_API harp_node* harp_sign(harp_node* x);            /* -1, 0 or 1; zeros and NaN as they are; complex: x / abs(x) (int, float, complex) */
HARP_API harp_node* harp_sqrt(harp_node* x);            /* square root (float, complex) */
HARP_API harp_node* harp_rsqrt(harp_node* x);           /* 1 / sqrt(x), as recip(sqrt(x)) */
HARP_API harp_node* harp_cbrt(harp_node* x);            /* cube root (float) */
HARP_API harp_node* harp_square(harp_node* x);          /* x * x */
HARP_API harp_node* harp_real(harp_node* x);            /* the real part; of a real number: x itself */
HARP_API harp_node* harp_imag(harp_node* x);            /* the imaginary part; of a real number: 0 */
HARP_API harp_node* harp_conj(harp_node* x);            /* the complex conjugate; of a real number: x itself */
HARP_API harp_node* harp_angle(harp_node* x);           /* atan2(imag(x), real(x)): radians in -pi..pi (float, complex) */
HARP_API harp_node* harp_view_as_real(harp_node* x);    /* complex[...] as float[..., 2]: re, im (complex) */
HARP_API harp_node* harp_view_as_complex(harp_node* x); /* float[..., 2] as complex[...] (f32, f64) */
HARP_API harp_node* harp_floor(harp_node* x);           /* to an integer, down (float) */
HARP_API harp_node* harp_ceil(harp_node* x);            /* to an integer, up (float) */
HARP_API harp_node* harp_round(harp_node* x);           /* to the nearest integer, ties to even (float) */
HARP_API harp_node* harp_trunc(harp_node* x);           /* to an integer, towards 0 (float) */
HARP_API harp_node* harp_exp(harp_node* x);             /* e to the x (float, complex) */
HARP_API harp_node* harp_exp2(harp_node* x);            /* 2 to the x (float) */
HARP_API harp_node* harp_expm1(harp_node* x);           /* exp(x) - 1, exact near 0 (float) */
HARP_API harp_node* harp_log(harp_node* x);             /* natural logarithm (float, complex) */
HARP_API harp_node* harp_log2(harp_node* x);            /* logarithm to base 2 (float) */
HARP_API harp_node* harp_log10(harp_node* x);           /* logarithm to base 10 (float) */
HARP_API harp_node* harp_log1p(harp_node* x);           /* log(1 + x), exact near 0 (float) */
HARP_API harp_node* harp_sin(harp_node* x);             /* sine of radians, over the whole range (float, complex) */
HARP_API harp_node* harp_cos(harp_node* x);             /* cosine (float, complex) */
HARP_API harp_node* harp_tan(harp_node* x);             /* tangent (float, complex) */
HARP_API harp_node* harp_asin(harp_node* x);            /* inverse sine (float) */
HARP_API harp_node* harp_acos(harp_node* x);            /* inverse cosine (float) */
HARP_API harp_node* harp_atan(harp_node* x);            /* inverse tangent (float) */
HARP_API harp_node* harp_sinh(harp_node* x);            /* hyperbolic sine (float, complex) */
HARP_API harp_node* harp_cosh(harp_node* x);            /* hyperbolic cosine (float, complex) */
HARP_API harp_node* harp_tanh(harp_node* x);            /* hyperbolic tangent (float, complex) */
HARP_API harp_node* harp_asinh(harp_node* x);           /* inverse of sinh (float) */
HARP_API harp_node* harp_acosh(harp_node* x);           /* inverse of cosh (float) */
HARP_API harp_node* harp_atanh(harp_node* x);           /* inverse of tanh (float) */
HARP_API harp_node* harp_erf(harp_node* x);             /* error function (float) */
HARP_API harp_node* harp_erfc(harp_node* x);            /* 1 - erf(x), exact (float) */
HARP_API harp_node* harp_sigmoid(harp_node* x);         /* 1 / (1 + exp(-x)) */
HARP_API harp_node* harp_relu(harp_node* x);            /* 0 where x <= 0, else x */
HARP_API harp_node* harp_silu(harp_node* x);            /* x * sigmoid(x) */
HARP_API harp_node* harp_softplus(harp_node* x);        /* log(1 + exp(x)) */
HARP_API harp_node* harp_selu(harp_node* x);            /* 1.0507 * elu(x, 1.6733), with all digits */
HARP_API harp_node* harp_relu6(harp_node* x);           /* clip(x, 0, 6); the gradient is 0 at the bounds */
HARP_API harp_node* harp_hardsigmoid(harp_node* x);     /* clip(x + 3, 0, 6) / 6 */
HARP_API harp_node* harp_hardswish(harp_node* x);       /* x * hardsigmoid(x) */
HARP_API harp_node* harp_mish(harp_node* x);            /* x * tanh(softplus(x)) */
HARP_API harp_node* harp_softsign(harp_node* x);        /* x / (1 + abs(x)) */
HARP_API harp_node* harp_logsigmoid(harp_node* x);      /* log(sigmoid(x)) */
HARP_API harp_node* harp_signbit(harp_node* x);         /* bool: is the sign negative; false of NaN (int, float) */
HARP_API harp_node* harp_isnan(harp_node* x);           /* bool: is it NaN (float, complex) */
HARP_API harp_node* harp_isinf(harp_node* x);           /* bool: is it infinite */
HARP_API harp_node* harp_isfinite(harp_node* x);        /* bool: neither NaN nor infinite */
HARP_API harp_node* harp_logical_not(harp_node* x);     /* bool: is x 0; any dtype */
HARP_API harp_node* harp_bitwise_not(harp_node* x);     /* all bits inverted; bool: not (bool, int) */
/* } */
/* clang-format on */

/* Exponential linear unit: x where x > 0, else alpha * expm1(x). */
HARP_API harp_node* harp_elu(harp_node* x, double alpha);
/* The same, continuously differentiable for every alpha but 0: x where x > 0, else alpha * expm1(x / alpha). */
HARP_API harp_node* harp_celu(harp_node* x, double alpha);
/* x times the normal distribution's cumulative function. approximate: NULL or "none" (by erf), or "tanh". */
HARP_API harp_node* harp_gelu(harp_node* x, const char* approximate);
/* x between the bounds, else the bound that is nearer. The gradient is 0 at the bounds and beyond. */
HARP_API harp_node* harp_hardtanh(harp_node* x, double min_val, double max_val);
/* x where x > 0, else negative_slope * x. */
HARP_API harp_node* harp_leaky_relu(harp_node* x, double negative_slope);
/* bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan 1) both are NaN. float, complex. */
HARP_API harp_node* harp_isclose(harp_node* a, harp_node* b, double rtol, double atol, int32_t equal_nan);
/* x to the k-th power by repeated squaring; k < 0: that of 1 / x, floats only. */
HARP_API harp_node* harp_powi(harp_node* x, int64_t k);
/* The value in another dtype; the same dtype gives x itself. To int: truncates, saturates, NaN gives 0. To bool: is it not 0. To
 * float: nearest, ties to even. */
HARP_API harp_node* harp_cast(harp_node* x, harp_dtype dtype);
/* The same bytes read as another dtype of the same size. */
HARP_API harp_node* harp_bitcast(harp_node* x, harp_dtype dtype);

/* Elementwise, two operands. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: binary { */
HARP_API harp_node* harp_add(harp_node* a, harp_node* b);                  /* a + b (int, float, complex) */
HARP_API harp_node* harp_sub(harp_node* a, harp_node* b);                  /* a - b */
HARP_API harp_node* harp_mul(harp_node* a, harp_node* b);                  /* a * b (int, float, complex) */
HARP_API harp_node* harp_div(harp_node* a, harp_node* b);                  /* a / b (float, complex) */
HARP_API harp_node* harp_floor_divide(harp_node* a, harp_node* b);         /* floor(a / b); integers: x // 0 = 0 (int, float) */
HARP_API harp_node* harp_remainder(harp_node* a, harp_node* b);            /* what floor_divide leaves, with the sign of b; integers: x % 0 = 0 (int, float) */
HARP_API harp_node* harp_fmod(harp_node* a, harp_node* b);                 /* what a division towards 0 leaves, with the sign of a (C's fmod and %) (int, float) */
HARP_API harp_node* harp_maximum(harp_node* a, harp_node* b);              /* the greater one; NaN wins, +0 > -0 */
HARP_API harp_node* harp_minimum(harp_node* a, harp_node* b);              /* the lesser one; NaN wins, -0 < +0 */
HARP_API harp_node* harp_pow(harp_node* a, harp_node* b);                  /* a to the b; integers: b < 0 gives 0, unless a is 1 or -1 (int, float, complex) */
HARP_API harp_node* harp_atan2(harp_node* a, harp_node* b);                /* angle of the point (b, a) (float) */
HARP_API harp_node* harp_hypot(harp_node* a, harp_node* b);                /* sqrt(a * a + b * b), without overflow (float) */
HARP_API harp_node* harp_copysign(harp_node* a, harp_node* b);             /* the value of a with the sign of b (float) */
HARP_API harp_node* harp_complex_from_parts(harp_node* re, harp_node* im); /* re + im * i, complex64 of f32, complex128 of f64 */
HARP_API harp_node* harp_lt(harp_node* a, harp_node* b);                   /* bool: a < b */
HARP_API harp_node* harp_le(harp_node* a, harp_node* b);                   /* bool: a <= b */
HARP_API harp_node* harp_gt(harp_node* a, harp_node* b);                   /* bool: a > b */
HARP_API harp_node* harp_ge(harp_node* a, harp_node* b);                   /* bool: a >= b */
HARP_API harp_node* harp_eq(harp_node* a, harp_node* b);                   /* bool: a == b */
HARP_API harp_node* harp_ne(harp_node* a, harp_node* b);                   /* bool: a != b */
HARP_API harp_node* harp_logical_and(harp_node* a, harp_node* b);          /* bool: a and b are not 0; any dtype */
HARP_API harp_node* harp_logical_or(harp_node* a, harp_node* b);           /* bool: a or b is not 0; any dtype */
HARP_API harp_node* harp_logical_xor(harp_node* a, harp_node* b);          /* bool: exactly one is not 0; any dtype */
HARP_API harp_node* harp_bitwise_and(harp_node* a, harp_node* b);          /* bit by bit; bool: and (bool, int) */
HARP_API harp_node* harp_bitwise_or(harp_node* a, harp_node* b);           /* bit by bit; bool: or (bool, int) */
HARP_API harp_node* harp_bitwise_xor(harp_node* a, harp_node* b);          /* bit by bit; bool: exclusive or (bool, int) */
HARP_API harp_node* harp_left_shift(harp_node* a, harp_node* b);           /* a << b, b modulo the width (int) */
HARP_API harp_node* harp_right_shift(harp_node* a, harp_node* b);          /* a >> b with a's sign, b modulo the width (int) */
HARP_API harp_node* harp_logaddexp(harp_node* a, harp_node* b);            /* log(exp(a) + exp(b)), without overflow (float) */
HARP_API harp_node* harp_nextafter(harp_node* a, harp_node* b);            /* the number next to a in the direction of b (float) */
/* } */
/* clang-format on */

/* Elementwise, three operands. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: ternary { */
HARP_API harp_node* harp_where(harp_node* condition, harp_node* a, harp_node* b); /* a where condition (bool) is true, else b */
HARP_API harp_node* harp_fma(harp_node* a, harp_node* b, harp_node* c);           /* a * b + c, rounded once (float) */
HARP_API harp_node* harp_clip(harp_node* x, harp_node* lo, harp_node* hi);        /* lo where x < lo, then hi where that is above hi; a NaN stays */
HARP_API harp_node* harp_lerp(harp_node* a, harp_node* b, harp_node* weight);     /* a + (b - a) * weight */
/* } */
/* clang-format on */

#define HARP_AXIS_NONE INT32_MIN /* in place of an axis: of the flattened array */

/*
 * Reductions over n_axes axes; axes NULL: over all axes (n_axes is ignored), n_axes 0: over none. keepdims 1: the reduced axes stay,
 * 1 long; 0: they go. Over no element: 0 for sum, 1 for prod, false for any, true for all, the least or greatest value of the dtype for
 * max and min (an error if the axis is 0 whatever the symbolic sizes are). Sums are added up in an order that only shape and axes
 * decide: see "Sums" in docs/semantics.md. NaN propagates through max and min.
 */
HARP_API harp_node* harp_sum(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);  /* int, float */
HARP_API harp_node* harp_prod(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims); /* int, float */
HARP_API harp_node* harp_max(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
HARP_API harp_node* harp_min(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
HARP_API harp_node* harp_any(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);           /* is one not 0; bool */
HARP_API harp_node* harp_all(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);           /* is none 0; bool */
HARP_API harp_node* harp_count_nonzero(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims); /* i64; any dtype */
HARP_API harp_node* harp_mean(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);          /* float: sum / count */
/* float: the mean squared distance from the mean, divided by count - correction. */
HARP_API harp_node* harp_var(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims);
HARP_API harp_node* harp_std(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims); /* sqrt(var) */
/* float: the length of vectors. order 2: sqrt(sum(x * x)); 1: sum(abs(x)); infinity and -infinity: the greatest and the least abs(x);
 * 0: how many are not 0; any other: sum(abs(x)^order)^(1 / order). */
HARP_API harp_node* harp_norm(harp_node* x, double order, int32_t n_axes, const int32_t* axes, int32_t keepdims);
/* Index of the greatest and least element along one axis, or in the flattened array (HARP_AXIS_NONE); the first of equals, and the first
 * NaN before all others. i64. An axis that is known to be empty is HARP_ERROR_SHAPE; one that turns out to be so gives 2147483647. */
HARP_API harp_node* harp_argmax(harp_node* x, int32_t axis, int32_t keepdims);
HARP_API harp_node* harp_argmin(harp_node* x, int32_t axis, int32_t keepdims);
/* float: log(sum(exp(x))) without overflow. */
HARP_API harp_node* harp_logsumexp(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
/* float: exp(x) / sum(exp(x)) along one axis, and its logarithm, without overflow. */
HARP_API harp_node* harp_softmax(harp_node* x, int32_t axis);
HARP_API harp_node* harp_log_softmax(harp_node* x, int32_t axis);

/*
 * Running values along one axis, or of the flattened array (HARP_AXIS_NONE): element i combines the elements 0 to i. Shape and dtype are
 * x's (one axis where it is flattened). flags: 0 or HARP_SCAN_... joined with |. Sums and products are made in an order that only rank
 * and axis decide: see "Scans" in docs/semantics.md. NaN propagates. An axis out of range is HARP_ERROR_SHAPE, a flag that does not
 * exist HARP_ERROR_INVALID_ARGUMENT.
 */
#define HARP_SCAN_EXCLUSIVE 1u /* without element i itself: first comes 0 (of sums), 1 (of products), the least or the greatest value */
#define HARP_SCAN_REVERSE 2u   /* from the end of the axis: element i combines the elements from i on */

HARP_API harp_node* harp_cumsum(harp_node* x, int32_t axis, uint32_t flags);  /* int, float */
HARP_API harp_node* harp_cumprod(harp_node* x, int32_t axis, uint32_t flags); /* int, float */
HARP_API harp_node* harp_cummax(harp_node* x, int32_t axis, uint32_t flags);  /* bool, int, float: the greatest so far */
HARP_API harp_node* harp_cummin(harp_node* x, int32_t axis, uint32_t flags);  /* bool, int, float: the least so far */
/* float: log(cumsum(exp(x))), without overflow. Where all elements so far are -inf it is -inf; the exclusive one begins with that. */
HARP_API harp_node* harp_logcumsumexp(harp_node* x, int32_t axis, uint32_t flags);
/* The running extremes as *values and, i64, the index of the newest element that equals each, or of the newest NaN, as *indices. */
HARP_API harp_status harp_cummax_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);
HARP_API harp_status harp_cummin_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);

/*
 * Views: elements change places, nothing is computed or copied.
 */
/* Result axis i is source axis axes[i]; transpose: axes NULL reverses them. */
HARP_API harp_node* harp_permute(harp_node* x, int32_t n_axes, const int32_t* axes);
HARP_API harp_node* harp_transpose(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Axis source[i] becomes axis destination[i]; the others keep their order. */
HARP_API harp_node* harp_moveaxis(harp_node* x, int32_t n_axes, const int32_t* source, const int32_t* destination);
/* New axes of size 1 at these positions of the result. */
HARP_API harp_node* harp_unsqueeze(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Removes axes of size 1; axes NULL: all of them. */
HARP_API harp_node* harp_squeeze(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Reverses along axes; NULL: along all. */
HARP_API harp_node* harp_flip(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Axes of size 1 stretch to dims, which has the rank of x; -1 keeps a size. */
HARP_API harp_node* harp_expand(harp_node* x, int32_t rank, const harp_dim* dims);
/* NumPy's: missing axes are added on the left, axes of size 1 stretch. */
HARP_API harp_node* harp_broadcast_to(harp_node* x, int32_t rank, const harp_dim* dims);
/* The same elements in row-major order under another shape; one size may be -1 and is then worked out. */
HARP_API harp_node* harp_reshape(harp_node* x, int32_t rank, const harp_dim* dims);
/* The axes from start_axis to end_axis, both included, become one. */
HARP_API harp_node* harp_flatten(harp_node* x, int32_t start_axis, int32_t end_axis);
/* x[start:stop:step] of every axis, `rank` of them, as in Python: negative positions count from the end (symbolic ones do not),
 * positions beyond the ends are moved there, HARP_SLICE_NONE is an open end, steps may be negative. start, stop or step NULL: open, or
 * 1, on every axis. x[1:] and x[:-1] have the same size for every size of x, as have x[-1:] and x[:1]. */
HARP_API harp_node* harp_slice(harp_node* x, int32_t rank, const harp_dim* start, const harp_dim* stop, const int64_t* step);
/* Numbers for each axis of windows, here and in convolutions and pools, are a count and a list: none (0, then the list may be NULL) is the
 * default, one goes for every axis, else there is one an axis, in the axes' order. A padding may also be two an axis: before it, after it.
 * Another count is HARP_ERROR_SHAPE.
 *
 * Windows of `size` elements along axes; the window axes come last. stride (from window to window) and dilation (inside): 1 by
 * default. A size may be 0: of n elements these are n / stride + 1 windows, and the result has no elements. A symbolic one that is 0
 * in a run is HARP_ERROR_RANGE. */
HARP_API harp_node* harp_unfold(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t n_size, const harp_dim* size, int32_t n_stride,
                                const int64_t* stride, int32_t n_dilation, const int64_t* dilation);
/* Windows along the last one, two or three axes. padding (none by default): elements that are not there are 0, and a negative one takes
 * elements away. */
HARP_API harp_node* harp_unfold1d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
HARP_API harp_node* harp_unfold2d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
HARP_API harp_node* harp_unfold3d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
/* The elements whose index along axis2 is their index along axis1 plus offset, as a last axis in place of the two. */
HARP_API harp_node* harp_diagonal(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
/* numpy.diag: an array of one axis as the k-th diagonal of a matrix of zeros; of a matrix, its k-th diagonal. */
HARP_API harp_node* harp_diag(harp_node* x, int64_t k);
/* x[1:] - x[:-1] along an axis, n times over (0 to 64); of bools: do they differ. */
HARP_API harp_node* harp_diff(harp_node* x, int64_t n, int32_t axis);
/* Rotated by 90 degrees k times, from axis1 towards axis2. */
HARP_API harp_node* harp_rot90(harp_node* x, int64_t k, int32_t axis1, int32_t axis2);
/* Resized: the last n_axes axes get the sizes `size`. mode: NULL or "nearest" (any dtype), or of floats "linear", "cubic" (Keys' kernel
 * with cubic_coeff_a, -0.75 in PyTorch and ONNX) or "area" (means, as adaptive average pooling). coordinates, as in ONNX's Resize: NULL or
 * "half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners". nearest_mode: NULL or "round_prefer_floor", "round_prefer_ceil",
 * "floor", "ceil". PyTorch's mode "nearest" is "asymmetric" with "floor". scales: none (n_scales 0: size of the result / size of x), or one
 * number an axis, from which coordinates are computed instead. An axis of x without elements is HARP_ERROR_SHAPE where that is known when
 * the graph is built; where a run finds it out, what is made of it is 0, and NaN with "area", the mean of nothing. */
HARP_API harp_node* harp_interpolate(harp_node* x, int32_t n_axes, const harp_dim* size, int32_t n_scales, const double* scales,
                                     const char* mode, const char* coordinates, const char* nearest_mode, double cubic_coeff_a);
/* Stores the value as an array of its own, so that it is computed once and lies in row-major order. Never needed for correctness. */
HARP_API harp_node* harp_contiguous(harp_node* x);
/* The integers themselves. A run in which one is not in -size..size-1, and so names no element of an axis of that size, fails with
 * HARP_ERROR_RANGE: the message names `indices`, the first such number in row-major order, its place and the size, and of several checks
 * it is about the first in the graph (of a check and a harp_native that both fail, either; harp_native does not get numbers that did not
 * pass). `what` begins it ("the vocabulary": `the vocabulary has 5 elements, but element 7 of "ids" asks for 9`), NULL: "check_index: the
 * axis". After a failed run outputs hold anything; program and context stay usable. Nothing outside an array is touched, checked or not.
 * A check is done where an output depends on its numbers: in check_index(i, n) * 0, which is 0 whatever they are, there is none. */
HARP_API harp_node* harp_check_index(harp_node* indices, harp_dim size, const char* what);

/*
 * Joining and taking apart.
 */
/* Arrays one after the other along an axis; stack: along a new axis at this position of the result. */
HARP_API harp_node* harp_concat(int32_t n, harp_node* const* nodes, int32_t axis);
HARP_API harp_node* harp_stack(int32_t n, harp_node* const* nodes, int32_t axis);
/* Equal parts along an axis, written to parts[0] ... parts[sections - 1]. */
HARP_API harp_status harp_split(harp_node* x, int32_t sections, int32_t axis, harp_node** parts);
/* Cut before each of n positions; n + 1 parts. */
HARP_API harp_status harp_split_at(harp_node* x, int32_t n, const harp_dim* positions, int32_t axis, harp_node** parts);
/* All parts of an axis of fixed size, without that axis: the inverse of stack. n has to be that size. */
HARP_API harp_status harp_unstack(harp_node* x, int32_t axis, int32_t n, harp_node** parts);
/* n arrays of one axis (or scalars), each stretched along the axes of the others, written to results[0] ... results[n - 1]. indexing: "ij"
 * (array i lies along axis i), or NULL or "xy" (the first two axes exchanged, as NumPy does). */
HARP_API harp_status harp_meshgrid(int32_t n, harp_node* const* nodes, const char* indexing, harp_node** results);
/* Elements around: before[i] and after[i] on axis i. mode: NULL or "constant" (of `value`, a node of rank 0 and x's dtype, or NULL: 0), "edge" (the nearest element), "reflect"
 * (mirrored at the element at the edge, which is not repeated), "symmetric" (mirrored behind it), "wrap" (periodic): numpy.pad's, over as
 * many periods as it takes. A mode other than constant needs an element where it adds some: an axis that has none is HARP_ERROR_SHAPE, or
 * HARP_ERROR_RANGE of the run where that depends on symbolic sizes. A negative number takes elements away. */
HARP_API harp_node* harp_pad(harp_node* x, int32_t rank, const harp_dim* before, const harp_dim* after, const char* mode,
                             harp_node* value);
/* Every element `repeats` times in a row along an axis, or of the flattened array (HARP_AXIS_NONE). */
HARP_API harp_node* harp_repeat(harp_node* x, harp_dim repeats, int32_t axis);
/* The array repeats[i] times along axis i; NumPy's rule if n is not the rank. */
HARP_API harp_node* harp_tile(harp_node* x, int32_t n, const harp_dim* repeats);
/* Elements move shift[i] places along axes[i]; those that leave come in at the other end. axes NULL: n is 1, of the flattened array. */
HARP_API harp_node* harp_roll(harp_node* x, int32_t n, const harp_dim* shift, const int32_t* axes);

/*
 * Elements by data. indices are integers of any dtype; a negative one counts from the end (-1 is the last element), and one that is still
 * out of range is moved to the nearest element, or fails the run if indices are checked (check_indices of harp_compile_options,
 * harp_check_index): nothing outside an array is ever touched. Of an axis without elements what is taken is 0,
 * and nothing is added to it; where that is known when the graph is built, it is HARP_ERROR_SHAPE. Indices that are no integers are
 * HARP_ERROR_DTYPE.
 */
/* ONNX's GatherND: the last axis of `indices`, of known size k, holds one tuple of k indices, which names an element along k axes of x. The
 * result has the other axes of the indices, then the other axes of x. batch_dims: so many first axes are the same in both, and stay. A
 * tuple of which an index is out of range takes the last element, or is reported with check_indices. */
HARP_API harp_node* harp_gather_nd(harp_node* x, harp_node* indices, int64_t batch_dims);
/* numpy.take: the axes of indices in place of the axis; HARP_AXIS_NONE: of the flattened array. Along axis 0 of a matrix, rows of it. */
HARP_API harp_node* harp_take(harp_node* x, harp_node* indices, int32_t axis);
/* numpy.take_along_axis: element i along the axis is x's element indices[i], at the same place on all other axes. indices have x's sizes
 * but for the axis (HARP_ERROR_SHAPE), and the result has theirs. */
HARP_API harp_node* harp_take_along_axis(harp_node* x, harp_node* indices, int32_t axis);
/* torch.scatter: x, in which updates[i] takes the place of element indices[i] along the axis, at the same place on all other axes. x and
 * updates have one dtype, any; indices have x's sizes but for the axis, updates those of the indices (HARP_ERROR_SHAPE). The updates are
 * done in their order, so that of those that name one element the last one stays. Only that one has a gradient. */
HARP_API harp_node* harp_scatter(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
/* The same, but an update is added to the element (torch.scatter_add), multiplies it, or stays only where it is greater or less (NaN wins).
 * Numbers; mul integers and floats; max and min what has an order, bool too. What meets one element does so in the order of the updates, so
 * that the bits are always the same; narrow dtypes are combined in i32 or f32 and converted once. The gradient of what takes is made of
 * scatter_add. Of elements that tie for max or min, each gets its share of the gradient. */
HARP_API harp_node* harp_scatter_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_mul(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_max(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_min(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
/* torch.scatter_reduce: reduction "sum" (NULL: that), "prod", "max", "min" as above, or "mean" of floats and complex numbers: what was added
 * up divided by the number of updates, and one more for the element itself. ("amax", "amin", "add", "mul" are max, min, sum, prod.) include_self 0: an element that has updates is made of these
 * alone; one that has none stays. Another reduction is HARP_ERROR_INVALID_ARGUMENT. */
HARP_API harp_node* harp_scatter_reduce(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis, const char* reduction,
                                        int32_t include_self);
/* ONNX's ScatterND: the last axis of `indices`, of known size k, holds one tuple of k indices, which names an element along the first k axes
 * of x, or what lies there along its other axes. updates have the other axes of the indices, then those other axes of x
 * (HARP_ERROR_SHAPE). reduction: "set" or "none" (NULL: that), or one of harp_scatter_reduce. A tuple of which an index is out of range names the last
 * element, or is reported with check_indices. */
HARP_API harp_node* harp_scatter_nd(harp_node* x, harp_node* indices, harp_node* updates, const char* reduction);
/* torch.index_add: scatter_add with one index for all that lies at a place along the axis: indices of rank 1, updates with x's sizes but for
 * the axis, which has as many as there are indices. Along axis 0 of a matrix, rows are added to rows. */
HARP_API harp_node* harp_index_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);

/*
 * Order. bool, int, float; stable: equals stay in their order. -0 equals 0, and NaN is above everything, so that it comes last, or first
 * where descending is not 0. axis HARP_AXIS_NONE: of the flattened array. A dtype without order is HARP_ERROR_DTYPE.
 */
/* i64: where the elements stand that come first, second, ... */
HARP_API harp_node* harp_argsort(harp_node* x, int32_t axis, int32_t descending);
/* The elements in order, with x's dtype. */
HARP_API harp_node* harp_sort(harp_node* x, int32_t axis, int32_t descending);
/* The k largest elements along an axis, the greatest first (largest 0: the k smallest, the least first), as *values, and where they
 * stand (i64) as *indices. Of equals, those that come first. More than there are is HARP_ERROR_SHAPE or, if that
 * depends on symbolic sizes, HARP_ERROR_RANGE when the program is run. */
HARP_API harp_status harp_topk(harp_node* x, harp_dim k, int32_t axis, int32_t largest, harp_node** values, harp_node** indices);
/* bool, of elements' shape: is each of them (invert 1: is it not) among test_elements; any dtype. NaN equals nothing. */
HARP_API harp_node* harp_isin(harp_node* elements, harp_node* test_elements, int32_t invert);
/* i64, of values' shape: the place in `sorted`, an array of one axis in ascending order and of values' dtype, that each value would have:
 * side NULL or "left": before all that equal it; "right": after them. */
HARP_API harp_node* harp_searchsorted(harp_node* sorted, harp_node* values, const char* side);

/*
 * Fourier transforms, as of numpy.fft: the sum of x[k] exp(-2 pi i j k / n) along an axis, of f32 and f64 and complex numbers, in
 * O(n log n) steps for every length. n: so many elements, x being cut or filled up with zeros; 0: those it has. norm: NULL or "backward":
 * only the inverse is divided by n; "forward": only the transform is; "ortho": both are, by the root of n. A length below 1 is
 * HARP_ERROR_RANGE, f16 and bf16 are HARP_ERROR_DTYPE.
 */
HARP_API harp_node* harp_fft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
HARP_API harp_node* harp_ifft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* Of real numbers: the first n / 2 + 1 elements of the transform, the others being their mirror image. */
HARP_API harp_node* harp_rfft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* The inverse of that: n real numbers from the first n / 2 + 1 elements of their transform; n 0: 2 (m - 1) from m. */
HARP_API harp_node* harp_irfft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* Along several axes, one after the other, the last one first; of real numbers the last one is halved. s: elements along each of them, or
 * NULL. axes NULL: the last n_axes, or all axes if n_axes is 0 (s is NULL then). The functions of two axes take the last two if axes is
 * NULL. */
HARP_API harp_node* harp_fftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_ifftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_rfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_irfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_fft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_ifft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_rfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_irfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
/* What they are made of: of each row of the last axis of real and imaginary parts (f32 or f64, one shape) the transform, its real parts and
 * its imaginary parts along a new first axis of size 2. */
HARP_API harp_node* harp_dft(harp_node* re, harp_node* im);

/*
 * New arrays.
 */
/* An array in which every element is `value`, a node of rank 0. */
HARP_API harp_node* harp_full(harp_node* value, int32_t rank, const harp_dim* dims);
/* start, start + step, ... before stop (after it if step < 0); sizes may be symbolic. */
HARP_API harp_node* harp_arange(harp_graph* graph, harp_dtype dtype, harp_dim start, harp_dim stop, int64_t step);
/* `count` numbers from start to stop, both included; float. */
HARP_API harp_node* harp_linspace(harp_graph* graph, harp_dtype dtype, double start, double stop, harp_dim count);
/* 1 on the diagonal, else 0. */
HARP_API harp_node* harp_eye(harp_graph* graph, harp_dtype dtype, harp_dim rows, harp_dim columns);
/* The last two axes below and on (tril), above and on (triu) the k-th diagonal; else 0. */
HARP_API harp_node* harp_tril(harp_node* x, int64_t k);
HARP_API harp_node* harp_triu(harp_node* x, int64_t k);
/* A last axis of `depth`, 1 where it equals the index, else 0. indices: int. */
HARP_API harp_node* harp_one_hot(harp_node* indices, harp_dim depth, harp_dtype dtype);

/*
 * Random numbers, as a function of a key and a counter. There is no hidden state: the same key and counter give the same array, on every
 * backend and however the work is divided. key: u32 or u64 of rank 0, a constant or an input; different keys are different streams.
 * counter: u32 or u64 of rank 0, NULL: 0; that of the first element, in row-major order each of the others has the next. So [n] numbers at
 * counter c and [m] at counter c + n are the [n + m] at c; a program that is run again and again takes the counter as an input and is given
 * the number of those that were drawn. Sizes may be symbolic. The generator is Threefry-2x32 with 20 rounds ("Random numbers" in
 * docs/semantics.md); it is no cipher. Keys are integers, so gradients do not go through them.
 *
 * A key or counter of another dtype is HARP_ERROR_DTYPE, of another rank HARP_ERROR_SHAPE.
 */

/* All values of the dtype alike: u8, u16, u32 or u64. Those of u64 are good as keys: as many new ones as are asked for. */
HARP_API harp_node* harp_random_bits(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* float: in [0, 1), the multiples of 2^-24 (f64: 2^-53, f16: 2^-11, bf16: 2^-8) alike. */
HARP_API harp_node* harp_random_uniform(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* float: mean 0, variance 1, by Box and Muller's method; at most 6.8 away from 0 (f64: 9.5). */
HARP_API harp_node* harp_random_normal(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);

/*
 * Products that are summed: int, float and complex, any size symbolic. Operands have the same dtype. Shapes follow NumPy whatever the
 * graph's flags are: axes that stretch are those whose size is the constant 1. Sizes that have to agree and do not are HARP_ERROR_SHAPE.
 */

/* Of matrices: [..., m, k] and [..., k, n] give [..., m, n]; the axes before broadcast. An array of one axis is a row on the left, a column
 * on the right, and that axis is not in the result. Scalars are an error. */
HARP_API harp_node* harp_matmul(harp_node* a, harp_node* b);
/* The same, but both operands must have at least two axes. */
HARP_API harp_node* harp_batch_matmul(harp_node* a, harp_node* b);
/* NumPy's dot: the last axis of a with the last but one of b (or its only one); all other axes of a, then of b. Scalars multiply. */
HARP_API harp_node* harp_dot(harp_node* a, harp_node* b);
/* Along the same axis of both, which is -1, or any if the ranks are equal; the other axes broadcast. */
HARP_API harp_node* harp_vecdot(harp_node* a, harp_node* b, int32_t axis);
/* The cross product of vectors of 3 elements along the same axis of both, counted from the end where the ranks differ; the other axes
 * broadcast. */
HARP_API harp_node* harp_cross(harp_node* a, harp_node* b, int32_t axis);
/* Over a_axes[i] of a with b_axes[i] of b, for n_axes pairs; all other axes of a, then of b. */
HARP_API harp_node* harp_tensordot(harp_node* a, harp_node* b, int32_t n_axes, const int32_t* a_axes, const int32_t* b_axes);
/* Every element of a with every one of b: the shape of a, then that of b. */
HARP_API harp_node* harp_outer(harp_node* a, harp_node* b);
/* Sum of a diagonal, see harp_diagonal. */
HARP_API harp_node* harp_trace(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
/* NumPy's einsum: spec has a letter for each axis of each of the n arrays, terms separated by commas, and after "->" the letters of the
 * result ("bij,bjk->bik"). Letters that are not in the result are summed; a letter twice in one term is a diagonal; "..." stands for
 * axes that broadcast. Without "->" the result has "..." and the letters that are there once, in alphabetical order. Arrays are
 * contracted two at a time: where all sizes are numbers in the order with the fewest multiplications, else from left to right.
 * HARP_ERROR_INVALID_ARGUMENT: spec is no einsum, or not of n arrays; HARP_ERROR_SHAPE: it does not fit them. */
HARP_API harp_node* harp_einsum(const char* spec, int32_t n, harp_node* const* nodes);

/*
 * Convolutions and pools. Windows are views: no array of them is made.
 *
 * x is [batch, channels, space ...] with one, two or three axes of space, which stride, padding and dilation are about: lists with counts,
 * as harp_unfold has them; by default 1, or no padding. Padding counts as 0; a negative one takes as many elements of x away. Kernels are
 * not flipped (as in PyTorch). int and float.
 * A window that surely reaches beyond its padded axis is HARP_ERROR_SHAPE; where that depends on symbolic sizes, the result is empty.
 */

/* weight is [out, channels / groups, kernel ...]: each of `groups` parts of the channels is seen by as many of the out channels. bias is
 * [out] or NULL. The result is [batch, out, (size + padding - dilation * (kernel - 1) - 1) / stride + 1 ...]. */
HARP_API harp_node* harp_conv1d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
HARP_API harp_node* harp_conv2d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
HARP_API harp_node* harp_conv3d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
/* Transposed: x at position i adds x * weight[k] to the result at i * stride + k * dilation - padding. weight is [channels, out / groups,
 * kernel ...], bias [out] or NULL. The result has (size - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - padding elements
 * along an axis; output_padding is less than the stride or the dilation (by default 0). */
HARP_API harp_node* harp_conv_transpose1d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                          int32_t n_padding, const harp_dim* padding, int32_t n_output_padding,
                                          const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
HARP_API harp_node* harp_conv_transpose2d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                          int32_t n_padding, const harp_dim* padding, int32_t n_output_padding,
                                          const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
HARP_API harp_node* harp_conv_transpose3d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                          int32_t n_padding, const harp_dim* padding, int32_t n_output_padding,
                                          const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
/*
 * Pools: windows over the last n_axes axes of x, whatever stands in front of these; size has n_axes numbers. The names are PyTorch's.
 * A negative padding takes as many elements of x away.
 */
typedef struct harp_pool_options {
  size_t struct_size;
  int32_t n_stride, n_padding, n_dilation; /* lists as harp_unfold has them; the same order below */
  int32_t reserved;
  const int64_t* stride;     /* by default the windows' size */
  const harp_dim* padding;   /* by default none */
  const int64_t* dilation;   /* by default 1 */
  int32_t ceil_mode;         /* 1: the last window of an axis may end behind the padding, if it starts in x or the padding before it */
  int32_t count_include_pad; /* avg_pool. 1: padding counts as zeros; 0: it does not count. What is behind the padding never counts */
} harp_pool_options;

#define HARP_POOL_OPTIONS_INIT \
  { sizeof(harp_pool_options), 0, 0, 0, 0, NULL, NULL, NULL, 0, 1 }

/* The greatest element of each window; not complex. Padding never wins. options NULL: the defaults. */
HARP_API harp_node* harp_max_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
/* float: their mean (NaN for a window in which nothing counts). */
HARP_API harp_node* harp_avg_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
/* *values is harp_max_pool, *indices where each element stands (i64): its index in the flattened plane of the last n_axes axes of
 * x. Of equal elements the first; the first NaN, if there is one. */
HARP_API harp_status harp_max_pool_with_indices(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                                                harp_node** values, harp_node** indices);
/* The way back: planes of zeros in which each element of x stands where its index says; any dtype, indices of integers in x's shape. Of
 * two elements with one index the later stands there. output_size: the sizes of a plane, n_output_size of them: n_axes, or 0: the least that has these windows,
 * (size of x - 1) * stride - padding + window. Indices as in "Elements by data": a negative one counts from the end. dilation and ceil_mode are not looked at. */
HARP_API harp_node* harp_max_unpool(harp_node* x, harp_node* indices, int32_t n_axes, const harp_dim* size,
                                    const harp_pool_options* options, int32_t n_output_size, const harp_dim* output_size);

/*
 * Layers and losses: float.
 */

/* (x - mean) / sqrt(var + eps) * weight + bias, mean and variance being over the axes. weight and bias have the sizes of these axes, in
 * ascending order, or are NULL. */
HARP_API harp_node* harp_layer_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
/* x / sqrt(mean(x * x) + eps) * weight + bias. */
HARP_API harp_node* harp_rms_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
/* (x - mean) / sqrt(var + eps) * weight + bias for each channel, channels being along `axis` (1 in [batch, channels, space ...]). mean and
 * var have one number for each channel; both NULL: those of x over all other axes. weight and bias: one number for each channel, or NULL.
 */
HARP_API harp_node* harp_batch_norm(harp_node* x, harp_node* mean, harp_node* var, harp_node* weight, harp_node* bias, int32_t axis,
                                    double eps);
/* The same for each array of the batch: over num_groups equal groups of channels with their space, and over the space of each channel.
 * x is [batch, channels, space ...]. */
HARP_API harp_node* harp_group_norm(harp_node* x, int64_t num_groups, harp_node* weight, harp_node* bias, double eps);
HARP_API harp_node* harp_instance_norm(harp_node* x, harp_node* weight, harp_node* bias, double eps);
/* PyTorch's attention without dropout: softmax(query @ key^T * scale + mask) @ value over the last two axes, [..., length, features]; the
 * axes before broadcast. mask: NULL, bool (true takes part) or floats that are added; it broadcasts to [..., query's length, key's length].
 * is_causal 1: the i-th query sees the keys 0 to i. scale NULL: 1 / sqrt(features). enable_gqa 1: the third last axis counts heads, and
 * each head of key and value serves as many heads of the query as there are for one. A query that sees no key gives 0. */
HARP_API harp_node* harp_scaled_dot_product_attention(harp_node* query, harp_node* key, harp_node* value, harp_node* mask,
                                                      int32_t is_causal, const double* scale, int32_t enable_gqa);
/* Half the squared distance up to delta, from there on a line: delta * (distance - delta / 2). reduction as below. */
HARP_API harp_node* harp_huber_loss(harp_node* x, harp_node* target, double delta, const char* reduction);
/* -(target * log(x) + (1 - target) * log(1 - x)) of probabilities, logarithms not below -100; of logits: the same of sigmoid(x), without
 * its rounding, target counting pos_weight times where it is given. weight and pos_weight: NULL, or floats that broadcast to x. A probability
 * of 0 or 1 that is wrong has no gradient. */
HARP_API harp_node* harp_binary_cross_entropy(harp_node* x, harp_node* target, harp_node* weight, const char* reduction);
HARP_API harp_node* harp_binary_cross_entropy_with_logits(harp_node* x, harp_node* target, harp_node* weight, harp_node* pos_weight,
                                                          const char* reduction);
/* (x - target) squared. reduction: NULL or "mean", "sum", "none" (an array of them). */
HARP_API harp_node* harp_mse_loss(harp_node* x, harp_node* target, const char* reduction);
#define HARP_CLASS_NONE INT64_MIN /* in place of ignore_index: every class counts */
/* -log(softmax(x)) of the target, along the axis of classes (HARP_AXIS_NONE: 1, or 0 of one axis). target: classes as integers, in x's
 * shape without that axis (the loss of a number that is no class is NaN); or their probabilities, floats in x's shape. weight: NULL, or a
 * number for each class, which multiplies its losses. ignore_index: the losses of this class number are 0, or HARP_CLASS_NONE.
 * label_smoothing: this share of the target, 0 to 1, is spread over all classes. reduction as above; a mean over class numbers is divided
 * by the weights of the classes that count. */
HARP_API harp_node* harp_cross_entropy(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index,
                                       double label_smoothing, const char* reduction);
/* The same of log-probabilities: -x of the target's class. target: classes as integers. */
HARP_API harp_node* harp_nll_loss(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index,
                                  const char* reduction);

/*
 * Operations of your own, from an expression: "where(x0 > 0, x0*x1, exp(x1) - 1)" over n arrays called x0, x1 ...
 *
 * The syntax is that of the text format (docs/text-format.md, "Expressions of your own"): Python's operators, calls of every operation that
 * works element by element, cast(x0, dtype=f64), numbers. A number takes the dtype of the operand beside it. The expression becomes
 * ordinary nodes: it fuses and has gradients. It is safe on any input: a mistake is HARP_ERROR_PARSE with its column, an operation that
 * does not work element by element is HARP_ERROR_INVALID_ARGUMENT.
 */
HARP_API harp_node* harp_custom_elementwise(int32_t n, harp_node* const* nodes, const char* expr);
/* The expression's values, reduced over n_axes axes (NULL: all). op: "sum", "prod", "max" or "min". */
HARP_API harp_node* harp_custom_reduce(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t n_axes,
                                       const int32_t* axes, int32_t keepdims);
/* Its running values along one axis, or of the flattened array (HARP_AXIS_NONE), as harp_cumsum, cumprod, cummax, cummin have them. op as
 * above; flags: 0 or HARP_SCAN_... joined with |. */
HARP_API harp_node* harp_custom_cumulative(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t axis,
                                           uint32_t flags);

/*
 * A function of your own in a small loop language, done for each element of the result:
 *
 *     let best = f32(-inf)
 *     for i in 0 .. size(input0, 1) {
 *       let x = input0[ridx0, i]
 *       if x > best { best = x }
 *     }
 *     output = best
 *
 * ridx0, ridx1 ... are the element's indices and shape0, shape1 ... the sizes of the result's axes; input0[i, j] is an element of an input,
 * at any index; output is the element, which begins as 0. The bounds of a loop may come from data (for k in input1[ridx0] ..
 * input1[ridx0 + 1]). docs/text-format.md has the grammar ("Functions of your own"). A mistake is
 * HARP_ERROR_PARSE, HARP_ERROR_DTYPE or HARP_ERROR_SHAPE with line and column, and no text does harm.
 *
 * An index outside its array touches no memory: the load gives 0 and the run fails with HARP_ERROR_RANGE, naming node, input, axis, index
 * and size (the first in the body's order of loads, and there the first element); what other outputs hold then is not said. Every element
 * is computed, whatever of the result is used, if an output depends on it (algebra makes y * 0 of integers 0). Integers wrap, floats are as
 * in docs/semantics.md; complex arrays are not taken. A body without loops whose indices are its own (ridx0, or constants that fit) fuses
 * like any elementwise operation. It has no gradient.
 */
typedef struct harp_custom_function_desc {
  size_t struct_size;
  const char* body;
  harp_dtype dtype; /* of the result, */
  int32_t rank;     /* and its sizes */
  const harp_dim* dims;
  harp_graph* graph; /* where n is 0: the graph that gets the node. Else NULL, or the inputs' */
} harp_custom_function_desc;

#define HARP_CUSTOM_FUNCTION_DESC_INIT \
  { sizeof(harp_custom_function_desc), NULL, 0, 0, NULL, NULL }

HARP_API harp_node* harp_custom_function(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc);

/*
 * A C function of your own, or of somebody's library, as an operation: it is called once in each run, with arrays that lie in memory.
 *
 *     harp_native_desc gemm = HARP_NATIVE_DESC_INIT;
 *     gemm.name = "cblas_dgemm";
 *     gemm.function = (harp_native_function)cblas_dgemm;
 *     gemm.signature = "void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 k, f64* input1, i32 n, f64 0, "
 *                      "f64* output, i32 n)";
 *     gemm.dtype = HARP_F64; gemm.rank = 2; gemm.dims = m_and_n;
 *     harp_node* c = harp_native(2, a_and_b, &gemm);
 *
 * The signature says how the function is called, with exactly one of these for each of its parameters:
 *
 *     dtype* input0, dtype* input1 ...   the address of an input, which is not written to
 *     dtype* output                      the address of the result, whose content is anything when the function is called
 *     i32, u32, i64, u64 and a size      an expression of the graph's shape variables, as in the text format: i32 n, i64 2*n + 1, i32 101;
 *                                        input0[1] and output[0] are sizes of axes. One that does not fit fails the run before anything is
 *                                        written (HARP_ERROR_RANGE); 64-bit ones have to lie within -2^62 ... 2^62
 *     f32, f64 and a number              f64 0.5
 *     void* user                         desc's user
 *
 * in front of which stands what it returns: void, or i32, where anything but 0 fails the run with HARP_ERROR_NATIVE and the number. The
 * dtype of an array is that of its elements, bool is a byte, f16 and bf16 are their 16 bits, complex numbers two floats. Every input and
 * the output have to be passed.
 *
 * Arrays are row-major and dense. They are aligned to their elements, not more; an input without elements may be NULL, and a result without
 * elements is not computed. The function must give the same result for the same arguments: harp may call it once for two equal nodes, or
 * not at all where nothing depends on it. It is called on the thread that called harp_program_run, never on a worker, in the default
 * floating-point environment, which it leaves as it found it; runs that overlap call it at the same time. It may not call harp with this
 * context, nor throw, nor longjmp.
 *
 * What the function does is not checked: it is as trusted as the rest of the host (harp_context_options.native_ops switches native
 * operations off). It has no gradient. Its address is in no source, cache or text: a graph that was read from a text can be printed, but
 * not compiled (HARP_ERROR_UNSUPPORTED), and a program that calls it has no entry points.
 */
typedef void (*harp_native_function)(void);

typedef struct harp_native_desc {
  size_t struct_size;
  const char* name;              /* for messages, and in the text format */
  harp_native_function function; /* any function, cast to this type */
  void* user;                    /* what "void* user" passes */
  const char* signature;
  harp_dtype dtype; /* of the result, */
  int32_t rank;     /* and its sizes */
  const harp_dim* dims;
  harp_graph* graph; /* where n is 0: the graph that gets the node. Else NULL, or the inputs' */
} harp_native_desc;

#define HARP_NATIVE_DESC_INIT \
  { sizeof(harp_native_desc), NULL, NULL, NULL, NULL, 0, 0, NULL, NULL }

HARP_API harp_node* harp_native(int32_t n, harp_node* const* nodes, const harp_native_desc* desc);

/*
 * Gradients.
 */

/* Reverse-mode gradients: nodes that compute the derivative of sum(y * grad_output) with respect to each of n nodes xs, written to
 * out_gradients[0] ... out_gradients[n - 1]. Each has the dtype and shape of its x. They are ordinary nodes: give them out, compute
 * with them, differentiate them again. xs may be any float nodes, inputs or not.
 *
 * y: float. grad_output: of y's dtype, and of its shape or a scalar; NULL: 1, which y must have one element for.
 *
 * No gradient is silently zero. HARP_ERROR_NO_GRADIENT, naming the node: y does not depend on an x at all, or only through integers
 * or bools, or through an operation that has no derivative (bitcast). Operations that are constant almost everywhere (floor, sign, a
 * comparison ...) give zeros, as in PyTorch. What is given where a derivative does not exist (ties of maximum and max, abs at 0
 * ...) is PyTorch's choice: docs/semantics.md, "Gradients".
 *
 * Like a building function, but with a status: the graph keeps the first error. On failure out_gradients is untouched. */
HARP_API harp_status harp_grad(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, harp_node** out_gradients);
#define HARP_GRAD_ZERO_WHERE_INDEPENDENT 1u /* zeros for an x that y does not depend on, or only through integers or bools */
/* The same with flags: 0 or HARP_GRAD_... joined with |. */
HARP_API harp_status harp_grad_flags(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, uint32_t flags,
                                     harp_node** out_gradients);
/* 1 if y depends on x, by whatever way (x depends on itself), else 0; 0 where one is NULL or they are of different graphs. */
HARP_API int32_t harp_depends(const harp_node* y, const harp_node* x);
/* x itself, of any dtype, which gradients take for a constant: what y depends on through it alone gets zeros. */
HARP_API harp_node* harp_stop_gradient(harp_node* x);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 6  Compile and run
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* How much freedom a compilation has with arithmetic. Stable: results are the same bits on every backend, for every vector width,
 * number of threads, compiler and optimisation level. */
#define HARP_MATH_STABLE 0

typedef struct harp_compile_options {
  size_t struct_size;
  const char* backend; /* "interp" or "c"; NULL: "c" */
  int32_t math;        /* HARP_MATH_STABLE */

  /* Width of vectors in elements: 1, 2, 4, 8, 16 or, 0, what the target has. Results do not depend on it. */
  int32_t simd_width;
  /* CPU to compile for: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load" (AVX-512 that loads one vector a cycle: Zen
   * 4), "aarch64"; NULL: this one. Another name is an error that lists them. harp_graph_emit generates source for all of them. Compiling
   * needs one of this machine's architecture, and running a CPU that has its instructions: otherwise both are HARP_ERROR_UNSUPPORTED. */
  const char* target;
  /* 1: generate C without vector types, for compilers that are neither gcc nor clang; simd_width is 0 or 1 then. */
  int32_t plain_text;
  int32_t reserved;
  /* A compiler as one would type it, instead of the context's, and flags that are added after harp's own. A flag that lets the compiler
   * change results (-ffast-math, -Ofast, -ffp-contract=fast, -fno-signed-zeros, -mdaz-ftz, -fno-wrapv ...) is refused at level stable:
   * HARP_ERROR_INVALID_ARGUMENT, naming the flag. So is what may bring in such a flag without harp seeing it: @file, -specs, plug-ins and
   * words for another program than the compiler's driver (-Xclang, -Xlinker, -mllvm, -Wp, -Wa, -Wl, ...). A compiler whose command has
   * such a word (here, in the context, in HARP_CC or CC) is passed over. */
  const char* compiler;
  size_t n_flags;
  const char* const* flags;
  /* Names of optimiser passes to leave out ("fold_constants"); "all" leaves out every one. */
  size_t n_disabled_passes;
  const char* const* disabled_passes;
  /* What changes how fast the program is and never what it computes, as lines: what harp_tune found (harp_tune_trial_info.configuration),
   * or your own. "kernel_0: reduce [thread, reduce simd=8 unroll=4]" is the schedule of a kernel, "kernel_0 variant 2: ..." that of the
   * second of its variants by size; harp_graph_emit prints such lines for "schedule", which can be copied as they are.
   * A schedule names a recipe (elementwise, reduce, rowwise, contraction, transpose, scan, scatter, routine, custom, native), then, axis by
   * axis, how it is gone through: thread, sequential, reduce, scan or scatter, with
   *   tile=N    elements a block
   *   unroll=N  steps written out side by side; of a contraction the rows, or vectors, of a tile of registers
   *   simd=N    lanes
   *   pack      of a contraction's rows: their factor is copied in the order it is used; of its columns: theirs is, once for all rows; of
   *             the rows of a transpose: blocks are copied on their way
   * and then what holds for the whole:
   *   partition loops are cut where a condition changes
   *   overlap   the last vector or tile overlaps the one before
   *   stream    what is stored goes past the caches, which harp does by itself from 16 MiB on; then no vectors overlap
   *   late      of rows in several passes: the last, which stores, goes beside the pass before it over the next row
   *   ahead     of rows that are added up or scanned along, and of blocks that are transposed: the next are asked for early
   *   watch     maxima of f32 or f64 by an instruction that loses NaN: the processor tells where it met one, and that is done once more
   * "without: compose_views" leaves out an optimiser pass, "flag: -O2" and "compiler: clang" are as the fields above, "share: 20000" says
   * how many nanoseconds of work are worth handing to another thread. Lines that begin with # are comments, and so is what follows a #
   * behind a schedule. What is no such line, or is given twice (but for without and flag), is HARP_ERROR_PARSE; a schedule that is not
   * legal is HARP_ERROR_INVALID_ARGUMENT, naming the rule. */
  const char* schedule;
  /* Values for shape variables by name: the program is made for these sizes alone. */
  size_t n_specialize;
  const char* const* specialize_names;
  const int64_t* specialize_values;
  /* Stages to log at HARP_LOG_INFO, as in harp_context_options; NULL: as the context says. */
  const char* dump;
  /* 1: a run in which harp_take, harp_gather_nd, harp_scatter or another function that takes or changes elements by indices is given an
   * index that names no element fails with HARP_ERROR_RANGE, as if it had gone through harp_check_index; 0: such an index means the nearest
   * element. What the optimiser has removed, because no output depends on it, is not looked at. Not meant is what gives numbers that are no
   * index a meaning of their own: harp_one_hot (a row of zeros) and harp_cross_entropy (NaN). */
  int32_t check_indices;
  /* HARP_TUNING_ON (0): with the configuration that harp_tune found for this graph, these options (whose `schedule` is NULL), this number
   * of threads and this machine, if it ever did. HARP_TUNING_OFF: as harp sees fit. */
  int32_t tuning;
  /* A flag that ends the compilation, set as harp_run_options.cancel is: within a few milliseconds the compiler and what it started are
   * stopped, and harp_compile returns NULL with HARP_ERROR_CANCELLED. What was finished before is kept, and the same graph can be compiled
   * again. NULL: there is none. */
  const volatile int32_t* cancel;
} harp_compile_options;

#define HARP_TUNING_ON 0
#define HARP_TUNING_OFF 1

#define HARP_COMPILE_OPTIONS_INIT \
  { sizeof(harp_compile_options), NULL, HARP_MATH_STABLE, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL }

/*
 * Makes a program of the graph's outputs. options may be NULL. The graph is not changed and no longer needed afterwards. Fails with a
 * copy of the graph's own mistake if it has one. HARP_ERROR_COMPILER: no compiler was found (the message names every command that was
 * tried), or it failed (harp_error_compiler_output). One that crashes (an "internal compiler error") is asked once more without
 * optimisation, and a warning logged: the program is slow then, its results are the same.
 */
HARP_API harp_program* harp_compile(const harp_graph* graph, const harp_compile_options* options, harp_error** err);
/* Makes a program of n nodes of one graph and of the inputs that they depend on, in the order of these inputs' declaration; the graph's
 * outputs are not looked at. names: of the program's outputs, or NULL: output0, output1 ... Its inputs are called input0, input1 ...,
 * whatever they are called in the graph, so that programs of equal structure are found in the caches. All that it needs of the graph is
 * copied before it returns: building may go on. */
HARP_API harp_program* harp_compile_nodes(harp_graph* graph, int32_t n, const char* const* names, harp_node* const* nodes,
                                          const harp_compile_options* options, harp_error** err);
/* The inputs that harp_compile_nodes gives such a program, in its order: writes as many as there are, `capacity` at most, and says how
 * many there are. */
HARP_API harp_status harp_nodes_inputs(int32_t n, harp_node* const* nodes, int32_t capacity, harp_node** inputs, int32_t* count,
                                       harp_error** err);
HARP_API harp_program* harp_program_retain(harp_program* program);
HARP_API void harp_program_release(harp_program* program);

/* The text of one stage of a compilation: "graph", "opt" (after the optimiser), "schedule", "ir", "ir-opt", "linear", "c" (the source) or
 * "dot". Needs no compiler, and does not look at what harp_tune found: `dump` of harp_compile_options shows what a compilation makes.
 * Owned. */
HARP_API harp_string* harp_graph_emit(const harp_graph* graph, const harp_compile_options* options, const char* stage, harp_error** err);

typedef struct harp_run_options {
  size_t struct_size;
  /* Values of shape variables by name; needed for those that follow from no axis of an input, checked for the others. */
  size_t n_shape_vars;
  const char* const* shape_var_names;
  const int64_t* shape_var_values;
  /* Memory for intermediate arrays, aligned to 64 bytes, belonging to this run alone; harp_program_workspace_size says how much. With
   * it, and with all outputs given, a run of the backend "c" allocates nothing, takes no lock and makes no system call, alone and on a
   * host's threads (on harp's own it may wake them). One that is too small is left alone: the run allocates what it needs. */
  void* workspace;
  size_t workspace_size;
  /* A flag that ends the run: any thread sets it to something else than 0, with an atomic store (C11: of an _Atomic int32_t, whose address
   * is cast; gcc and clang: __atomic_store_n), and harp_program_run returns HARP_ERROR_CANCELLED. Outputs then hold anything, and where
   * there was NULL there still is; program, context and workspace can be used again at once. Each worker looks at the flag before the run,
   * between kernels, about every millisecond of loops over independent elements, and between the blocks of other long loops: what takes
   * longer is one iteration of a kernel's outermost loop. A function of the host's (harp_native) is not interrupted; none is called after
   * the flag was seen. The flag has to stay set until harp_program_run returns. NULL: there is none. */
  const volatile int32_t* cancel;
} harp_run_options;

#define HARP_RUN_OPTIONS_INIT \
  { sizeof(harp_run_options), 0, NULL, NULL, NULL, 0, NULL }

/*
 * Runs the program. inputs: n_inputs buffers in the order of the program's inputs, with its dtypes and with sizes that fit. outputs:
 * n_outputs pointers; where one is NULL a new buffer is put there, owned by the caller, else dtype and sizes have to be exactly the
 * program's. Shape variables take their values from the axes of inputs (harp_shape_var_info), and every other axis has to be what they
 * make of it (HARP_ERROR_SHAPE); a value outside its bounds and a size below 0 are HARP_ERROR_RANGE. Arguments are checked before anything
 * is written: on failure outputs are as they were, but where the run itself finds a mistake, in indices that are checked (harp_check_index:
 * HARP_ERROR_RANGE) or in a function of yours (HARP_ERROR_NATIVE), or is cancelled: then buffers you gave hold anything, and where there
 * was NULL there still is. options may be NULL. Several threads may run one program at the same time.
 *
 * Outputs may not overlap each other or an input (HARP_ERROR_ALIAS), with one exception: an output may be the very same array as an
 * input that its harp_array_info lists as `in_place`, and then takes its place. Listed is what is computed element by element from
 * arrays of the output's dtype and sizes that nothing else needs after that: of y = relu(x + b), y may be x. The list depends on the
 * graph and the optimiser passes, not on the backend, the machine or the sizes. The result has the same bits; the input is gone.
 */
HARP_API harp_status harp_program_run(harp_program* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs,
                                      harp_buffer** outputs, const harp_run_options* options, harp_error** err);

/* Arrays as they lie in host memory: contiguous, row-major, aligned to one element. data may be NULL only where there is no element; dims
 * may be where rank is 0. These two structs stay as they are for ever. */
typedef struct harp_array {
  void* data;
  const int64_t* dims;
  harp_dtype dtype;
  int32_t rank;
} harp_array;
typedef struct harp_const_array {
  const void* data;
  const int64_t* dims;
  harp_dtype dtype;
  int32_t rank;
} harp_const_array;

/* harp_program_run on arrays that nobody has to make buffers of: they are borrowed until it returns. Every output has to be given. Checks
 * and errors are those of harp_program_run; with a workspace it allocates nothing. */
HARP_API harp_status harp_program_call(harp_program* program, size_t n_inputs, const harp_const_array* inputs, size_t n_outputs,
                                       const harp_array* outputs, const harp_run_options* options, harp_error** err);

/* What a program takes and gives. Texts are borrowed until the program is released. */
typedef struct harp_array_info {
  size_t struct_size;
  const char* name;
  const char* shape; /* "[n, 64]" */
  harp_dtype dtype;
  int32_t rank;
  const int64_t* dims;    /* `rank` numbers; -1 where the size is symbolic. Borrowed likewise. */
  size_t n_in_place;      /* of an output: how many inputs it may be the same array as, */
  const size_t* in_place; /* and which, ascending. Borrowed likewise. */
} harp_array_info;

#define HARP_ARRAY_INFO_INIT \
  { sizeof(harp_array_info), NULL, NULL, 0, 0, NULL, 0, NULL }

typedef struct harp_shape_var_info {
  size_t struct_size;
  const char* name;
  int64_t min, max;
  int32_t input;  /* the input that says its value, or -1: it has to be given by name, */
  int32_t axis;   /*   and the axis, or -1. The axis is the variable itself where an input has one, */
  int64_t factor; /*   else factor * variable + offset */
  int64_t offset;
} harp_shape_var_info;

#define HARP_SHAPE_VAR_INFO_INIT \
  { sizeof(harp_shape_var_info), NULL, 0, 0, 0, 0, 0, 0 }

/* The signature as text: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096"; an output that may be the same array as an
 * input is followed by "(in place of x)". Owned. */
HARP_API harp_string* harp_program_signature(const harp_program* program, harp_error** err);
/* How many inputs, outputs and shape variables the program has: where `index` below ends. 0 of NULL. */
HARP_API size_t harp_program_input_count(const harp_program* program);
HARP_API size_t harp_program_output_count(const harp_program* program);
HARP_API size_t harp_program_shape_var_count(const harp_program* program);
/* Fill *info, whose struct_size is set. */
HARP_API harp_status harp_program_input(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
HARP_API harp_status harp_program_output(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
HARP_API harp_status harp_program_shape_var(const harp_program* program, size_t index, harp_shape_var_info* info, harp_error** err);

/* Writes the sizes of output `index` for values of all shape variables, n_shape_vars of them in the program's order, to dims; rank has to be
 * the output's. The values are checked as in a run. */
HARP_API harp_status harp_program_output_dims(const harp_program* program, size_t index, size_t n_shape_vars, const int64_t* shape_vars,
                                              int32_t rank, int64_t* dims, harp_error** err);
/* Bytes of workspace a run needs for these values of all shape variables with `width` workers (0: one): harp_context_options.threads, or
 * the width of the parallel_for. Each worker has some to itself (copies of factors, of attention the scores of a head), so it grows
 * with the width, also beyond what there is to share. The backend "interp" needs none for its intermediate arrays, which are its own. */
HARP_API harp_status harp_program_workspace_size(const harp_program* program, size_t n_shape_vars, const int64_t* shape_vars, size_t width,
                                                 size_t* size, harp_error** err);

/* The generated C source; "" for the backend "interp". Owned. */
HARP_API harp_string* harp_program_source(const harp_program* program, harp_error** err);

#define HARP_CACHE_NONE 0   /* compiled anew, or nothing to compile */
#define HARP_CACHE_DISK 1   /* found in the directory */
#define HARP_CACHE_MEMORY 2 /* found in the context's memory */

typedef struct harp_program_stats_info {
  size_t struct_size;
  double pipeline_ms; /* graph to source */
  double compile_ms;  /* source to loaded program: C compiler or cache, and loading */
  int32_t kernels;
  int32_t generations; /* kernels of one generation do not depend on each other, or are done in turn for each index of their first axis */
  int32_t cache;       /* HARP_CACHE_... */
  int32_t tuned;       /* 1: with a configuration that harp_tune found */
  uint64_t source_bytes;
  uint64_t artifact_bytes;
} harp_program_stats_info;

#define HARP_PROGRAM_STATS_INFO_INIT \
  { sizeof(harp_program_stats_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *stats, whose struct_size is set. */
HARP_API harp_status harp_program_stats(const harp_program* program, harp_program_stats_info* stats, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 7  Buffers
 *
 * An array at the edge of a program: contiguous, row-major, in host memory. Both backends use the same buffers.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* New memory from the context's allocator, aligned to 64 bytes, its content unspecified. device: NULL or "cpu"; another is
 * HARP_ERROR_DEVICE, which lists those there are. */
HARP_API harp_buffer* harp_buffer_new(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims, harp_error** err);
/* The host's memory without a copy: it has to be aligned to one element and stay where it is until the buffer goes, when
 * deleter(user, data) is called (deleter may be NULL; it is not called when wrapping fails). Arrays without elements may be at NULL. */
HARP_API harp_buffer* harp_buffer_wrap(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data,
                                       void (*deleter)(void* user, void* data), void* user, harp_error** err);
/* The same for memory that may not be written: such a buffer is no output, and harp_buffer_data gives NULL. */
HARP_API harp_buffer* harp_buffer_wrap_const(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, const void* data,
                                             void (*deleter)(void* user, void* data), void* user, harp_error** err);
HARP_API harp_buffer* harp_buffer_retain(harp_buffer* buffer);
HARP_API void harp_buffer_release(harp_buffer* buffer);

/* Borrowed until the buffer is released. NULL for a NULL buffer, for one without elements that harp allocated, and from harp_buffer_data
 * for one that may not be written. */
HARP_API void* harp_buffer_data(harp_buffer* buffer);
HARP_API const void* harp_buffer_const_data(const harp_buffer* buffer);
/* Size in bytes, rank, dtype; 0 for NULL. */
HARP_API size_t harp_buffer_size(const harp_buffer* buffer);
HARP_API int32_t harp_buffer_rank(const harp_buffer* buffer);
HARP_API harp_dtype harp_buffer_dtype(const harp_buffer* buffer);
/* Its sizes, harp_buffer_rank(buffer) of them, borrowed until the buffer is released; NULL for NULL and for rank 0. */
HARP_API const int64_t* harp_buffer_dims(const harp_buffer* buffer);

/* Copy the whole content: to memory, from memory, and from buffer to buffer of the same dtype and sizes. `size` has to be
 * harp_buffer_size. Memory may not overlap. */
HARP_API harp_status harp_buffer_read(const harp_buffer* buffer, size_t size, void* to, harp_error** err);
HARP_API harp_status harp_buffer_write(harp_buffer* buffer, size_t size, const void* from, harp_error** err);
HARP_API harp_status harp_buffer_copy(harp_buffer* to, const harp_buffer* from, harp_error** err);
/* Copy the whole content to and from memory of any layout: strides has a number for each axis, the bytes (negative, 0, anything) from one
 * element to the next; `to` and `from` are where the element with indices 0 lies, whatever its alignment. Elements of `to` that lie on
 * each other hold one of those written there. */
HARP_API harp_status harp_buffer_read_strided(const harp_buffer* buffer, int32_t rank, const int64_t* strides, void* to, harp_error** err);
HARP_API harp_status harp_buffer_write_strided(harp_buffer* buffer, int32_t rank, const int64_t* strides, const void* from,
                                               harp_error** err);

/*
 * DLPack, the structure in which Python's array libraries hand arrays to each other (dmlc/dlpack, version 1.1 and the one before 1.0,
 * which has no version). The structs below have its layout under names of their own, so that its header can be included, too.
 */
typedef struct harp_dl_tensor {
  void* data;
  int32_t device_type; /* 1: host memory */
  int32_t device_id;
  int32_t ndim;
  uint8_t code; /* 0 integer with a sign, 1 without one, 2 float, 4 bfloat, 5 complex, 6 bool */
  uint8_t bits;
  uint16_t lanes; /* 1 */
  int64_t* shape;
  int64_t* strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} harp_dl_tensor;
/* DLManagedTensor */
typedef struct harp_dl_managed {
  harp_dl_tensor tensor;
  void* manager;
  void (*deleter)(struct harp_dl_managed* self);
} harp_dl_managed;
#define HARP_DL_READ_ONLY 1u
#define HARP_DL_IS_COPIED 2u
/* DLManagedTensorVersioned. Another major version than 1 is HARP_ERROR_UNSUPPORTED. */
typedef struct harp_dl_managed_versioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(struct harp_dl_managed_versioned* self);
  uint64_t flags;
  harp_dl_tensor tensor;
} harp_dl_managed_versioned;

/* The array as a buffer, without a copy: row-major host memory that is aligned to its elements, else HARP_ERROR_UNSUPPORTED (another
 * device: HARP_ERROR_DEVICE; elements of another type than harp's: HARP_ERROR_DTYPE). On success the buffer owns `managed`, whose deleter
 * is called once when it goes; on failure the caller still does. An array that is read-only makes a buffer that may not be written. */
HARP_API harp_buffer* harp_buffer_from_dlpack(harp_context* context, harp_dl_managed* managed, harp_error** err);
HARP_API harp_buffer* harp_buffer_from_dlpack_versioned(harp_context* context, harp_dl_managed_versioned* managed, harp_error** err);
/* The buffer as a DLPack array, without a copy; it keeps the buffer. Owned: call its deleter. The form without a version cannot say that
 * it may not be written: HARP_ERROR_UNSUPPORTED for such a buffer. */
HARP_API harp_dl_managed* harp_buffer_to_dlpack(harp_buffer* buffer, harp_error** err);
HARP_API harp_dl_managed_versioned* harp_buffer_to_dlpack_versioned(harp_buffer* buffer, harp_error** err);

/* NumPy's .npy files: versions 1 to 3, both byte orders, C and Fortran order; truncated files and trailing bytes are errors. Saving writes
 * a file beside `path` and renames it, so that nobody ever sees half an array. */
HARP_API harp_buffer* harp_npy_load(harp_context* context, const char* path, harp_error** err);
HARP_API harp_status harp_npy_save(const harp_buffer* buffer, const char* path, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 8  Tuning
 *
 * harp_tune compiles a graph in many ways, runs each on arrays of yours, and keeps the fastest: tile sizes, vector widths and the recipe of
 * every kernel, optimiser passes, flags of the C compiler, another C compiler. No way may change a bit of the results; each is compared.
 *
 * What was found goes to the tuning database, the file tuning-1.txt in the directory of compiled kernels (harp_cache_dir): from then on
 * harp_compile makes this program so, in this process and others, where the graph, the options, the number of threads, the kind of machine
 * (its processor) and the version of harp are the same. The file is text and can be copied to another machine of the same kind. Paragraphs
 * of other machines and versions, and damaged ones, are passed over, and the log says so once. So is the whole file if it is no database,
 * or not this user's alone to write: somebody else's, a symbolic link, or writable by others (mode 664, say, as copying leaves it under a
 * umask of 002; `chmod go-w` mends that), unless the host shares the directory (harp_context_options). Nothing that was passed over is lost
 * when harp_tune writes the file: paragraphs stay in it, and a file that was not used is kept beside the new one, as
 * tuning-1.txt.ignored-1, which the log says. Several processes may tune at the same time.
 * harp_cache_clear leaves the database alone: to forget it, remove the file. Programs that are there already stay what they are, and so
 * do those that other contexts keep in memory.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* In which order ways are tried. Beam: from the best so far one change at a time, those first that a model of the cost prefers. Random: any
 * of all ways. Grid: all of them, counting. */
#define HARP_TUNE_BEAM 0
#define HARP_TUNE_RANDOM 1
#define HARP_TUNE_GRID 2

/* What the callback of harp_tune_options may return. Stop: what was found so far is the result. Cancel: harp_tune fails with
 * HARP_ERROR_CANCELLED and nothing is kept. */
#define HARP_TUNE_CONTINUE 0
#define HARP_TUNE_STOP 1
#define HARP_TUNE_CANCEL 2

/* One way to make the program. Texts are borrowed until the result is released (in the callback: until it returns). */
typedef struct harp_tune_trial_info {
  size_t struct_size;
  const char* configuration; /* as harp_compile_options.schedule takes it; "": as harp sees fit, which is trial 0 */
  const char* failure;       /* why it could not be made, "": it was */
  double median_seconds;     /* of a run (of a context without threads: that the calling thread computed), */
  double spread_seconds;     /*   and how far the first and the third quartile lie apart */
  double compile_seconds;
  double expected; /* by the model of the cost: its time over trial 0's */
  int64_t samples; /* measurements, of one run or more each; 0: none, see failure */
} harp_tune_trial_info;

#define HARP_TUNE_TRIAL_INFO_INIT \
  { sizeof(harp_tune_trial_info), NULL, NULL, 0, 0, 0, 0, 0 }

/* After a trial. */
typedef struct harp_tune_progress {
  size_t struct_size;
  size_t trials;                         /* so far */
  size_t best;                           /* the one of them with the least median */
  double best_seconds, untuned_seconds;  /* medians of a run */
  double elapsed_seconds, limit_seconds; /* of the whole */
  const harp_tune_trial_info* trial;     /* the last one */
} harp_tune_progress;

typedef struct harp_tune_options {
  size_t struct_size;
  const harp_compile_options* compile; /* NULL: defaults. What they fix stays so (flags are kept, a simd_width is not changed); `schedule`
                                        * has to be NULL, `backend` "c", `tuning` HARP_TUNING_ON. */
  const harp_run_options* run;         /* values of shape variables, and `cancel`, a flag that ends harp_tune with HARP_ERROR_CANCELLED
                                        * while it compiles or runs (where it has none, the one of `compile`); NULL: the values all come
                                        * from inputs */
  double seconds;                      /* for all of it; 0: 30. The untuned program, and what was found for it earlier, are compiled and
                                        * compared even if that takes longer. */
  int32_t strategy;                    /* HARP_TUNE_... */
  int32_t dry_run;                     /* 1: nothing goes to the database */
  uint64_t seed;                       /* of HARP_TUNE_RANDOM */
  uint64_t max_trials;                 /* 0: as many as there is time for. With 1, as after HARP_TUNE_STOP at the first, what was found
                                        * earlier is not compared: it stays in the database as it is. */
  /* C compilers to try besides the context's. NULL: clang where that one is gcc, gcc where it is clang; none where the host, HARP_CC or
   * `compile` chose one. Later compilations look up only "gcc" and "clang", with or without a version ("gcc-13"), in what was found: no
   * file makes harp run anything else. */
  size_t n_compilers;
  const char* const* compilers;
  /* Called on the calling thread after every trial; returns HARP_TUNE_CONTINUE, HARP_TUNE_STOP or HARP_TUNE_CANCEL. NULL: none. */
  int32_t (*progress)(void* user, const harp_tune_progress* progress);
  void* user;
} harp_tune_options;

#define HARP_TUNE_OPTIONS_INIT \
  { sizeof(harp_tune_options), NULL, NULL, 0, HARP_TUNE_BEAM, 0, 0, 0, 0, NULL, NULL, NULL }

typedef struct harp_tune_result harp_tune_result;

typedef struct harp_tune_summary {
  size_t struct_size;
  size_t trials;
  size_t best;       /* the fastest trial; 0: nothing new was faster than harp's own way by 1 %, nor what was found earlier at all */
  double speedup;    /* of the best over trial 0, the two taking turns; 1 if that is the best */
  double space_size; /* how many ways there are to choose from, whether legal or not */
  int32_t exhausted; /* 1: there was nothing left to try */
  int32_t stored;    /* 1: the best is in the database on disk; 0: in this context's memory at most */
  const char* why_not_stored; /* "": it is stored. Borrowed until the result is released */
} harp_tune_summary;

#define HARP_TUNE_SUMMARY_INIT \
  { sizeof(harp_tune_summary), 0, 0, 0, 0, 0, 0, NULL }

/*
 * Looks for the fastest way to make a program of the graph, for inputs like these (as harp_program_run takes them; they are read only) on
 * the context's threads. Sizes matter: of a symbolic graph the way found is used for all sizes, but of a kernel with variants by size only
 * the one that runs is tuned. Nothing else should keep the machine busy. options may be NULL. Owned.
 *
 * Errors: those of harp_compile and harp_program_run; HARP_ERROR_INVALID_ARGUMENT where all inputs or all outputs are without elements, so
 * that there is nothing to measure; HARP_ERROR_UNSUPPORTED for a graph that calls a function of the host's or holds more than 4 MiB of
 * constants; HARP_ERROR_CANCELLED where `progress` or the flag of `run` says so; HARP_ERROR_INTERNAL, naming the configuration, if one
 * gives other bits than trial 0: a bug of harp's or of the C compiler's. After an error nothing is kept.
 */
HARP_API harp_tune_result* harp_tune(const harp_graph* graph, const harp_tune_options* options, size_t n_inputs, harp_buffer* const* inputs,
                                     harp_error** err);
HARP_API void harp_tune_result_release(harp_tune_result* result);
/* Fill *summary and *info, whose struct_size is set. Trials are in the order they were made in. */
HARP_API harp_status harp_tune_result_summary(const harp_tune_result* result, harp_tune_summary* summary, harp_error** err);
HARP_API harp_status harp_tune_result_trial(const harp_tune_result* result, size_t index, harp_tune_trial_info* info, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 9  Embedding
 * ---------------------------------------------------------------------------------------------------------------------------- */

/*
 * A program as a plain function. inputs and outputs are the arrays' addresses in the program's order, shape_vars the values of all shape
 * variables. Nothing is checked: dtypes, sizes and bounds have to be right, outputs may not overlap each other or an input (but for whole
 * arrays in place, as in harp_program_run). Addresses need the alignment of one element; arrays without elements may be NULL and are not
 * touched. The functions may be called from any thread, several at once, and leave the floating-point environment (rounding, flushing,
 * masks) as they found it; exception flags may be raised.
 *
 * harp_entry_point runs serially and allocates what it needs with malloc; if there is no memory the outputs are not written.
 * harp_entry_point_ex takes a runtime (NULL: as harp_entry_point) and returns a status: HARP_OK, HARP_ERROR_OUT_OF_MEMORY,
 * HARP_ERROR_CANCELLED, which leaves anything in the outputs, or, of a program that checks indices, HARP_ERROR_RANGE; then the outputs hold
 * what the nearest elements would give, or what they held before.
 */
typedef void (*harp_entry_point)(void** inputs, void** outputs, size_t* shape_vars);

/* Which number named no element (harp_check_index): the program's site-th place that checks, counted from 0 in the order of the graph after
 * its optimiser ("opt"), row-major element `element` there, its value, and how many elements there are. */
typedef struct harp_fault {
  size_t struct_size;
  int64_t site; /* -1: none */
  int64_t element;
  int64_t index;
  int64_t size;
} harp_fault;

#define HARP_FAULT_INIT \
  { sizeof(harp_fault), -1, 0, 0, 0 }

typedef struct harp_runtime {
  size_t struct_size;
  void* self;   /* first argument of the functions below */
  size_t width; /* workers of parallel_for; 0 and 1: serial */
  /* As in harp_context_options; NULL: serial. */
  void (*parallel_for)(void* self, size_t n, size_t grain, harp_range_body body, void* arg);
  /* Memory aligned to 64 bytes; NULL: malloc and free. Used when `workspace` is too small, and never asked for 0 bytes. */
  void* (*alloc)(void* self, size_t size);
  void (*free)(void* self, void* memory);
  void* workspace; /* aligned to 64 bytes, or NULL */
  size_t workspace_size;
  void* const* natives;           /* NULL: programs that call functions of the host's have no entry points */
  void* step_cursor;              /* NULL: for later versions */
  harp_fault* fault;              /* where HARP_ERROR_RANGE is explained; NULL: nowhere */
  const volatile int32_t* cancel; /* as in harp_run_options: the function then returns HARP_ERROR_CANCELLED; NULL: there is none */
} harp_runtime;

typedef int32_t (*harp_entry_point_ex)(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* runtime);

/* The program as a function, valid until the last reference to the program is released. For the backend "interp" it is a closure made by
 * libffi: HARP_ERROR_UNSUPPORTED on systems that forbid those, and for programs that call functions of the host's (harp_native) or that
 * this CPU cannot run (harp_compile_options.target). */
HARP_API harp_entry_point harp_program_entry(harp_program* program, harp_error** err);
HARP_API harp_entry_point_ex harp_program_entry_ex(harp_program* program, harp_error** err);

/*
 * All functions in one table, for plug-ins that load harp with dlopen: look up "harp_get_api", call it with HARP_API_VERSION, and use
 * api->harp_add(...). The functions of version 1 come first, in the order of this file, then those that came with version 2
 * (HARP_API_SINCE(2)), in its order, and so on: the table of version n begins with that of version n - 1. NULL if this library does not
 * have the version. Borrowed, valid while the library is loaded. include/harp.api.json describes all functions for programs that generate
 * bindings.
 */
#define HARP_API_VERSION 1u

typedef struct harp_api {
  size_t struct_size;
  uint32_t version;
  uint32_t reserved;
  /* clang-format off */
  /* generated from the declarations above by src/capi/generate.py: api { */
  uint32_t (*harp_version)(void);
  const char* (*harp_version_string)(void);
  size_t (*harp_dtype_size)(harp_dtype dtype);
  const char* (*harp_dtype_name)(harp_dtype dtype);
  harp_status (*harp_error_code)(const harp_error* error);
  const char* (*harp_error_message)(const harp_error* error);
  const char* (*harp_error_compiler_output)(const harp_error* error);
  void (*harp_error_release)(harp_error* error);
  const char* (*harp_status_name)(harp_status status);
  const char* (*harp_string_data)(const harp_string* string);
  size_t (*harp_string_size)(const harp_string* string);
  void (*harp_string_release)(harp_string* string);
  harp_context* (*harp_context_new)(const harp_context_options* options, harp_error** err);
  harp_context* (*harp_context_retain)(harp_context* context);
  void (*harp_context_release)(harp_context* context);
  harp_string* (*harp_context_backends)(harp_context* context, harp_error** err);
  int32_t (*harp_backend_available)(harp_context* context, const char* name);
  harp_string* (*harp_context_describe)(harp_context* context, harp_error** err);
  harp_string* (*harp_cache_dir)(harp_context* context, harp_error** err);
  harp_status (*harp_cache_clear)(harp_context* context, harp_error** err);
  harp_string* (*harp_cache_list)(harp_context* context, harp_error** err);
  harp_status (*harp_cache_stats)(harp_context* context, harp_cache_stats_info* stats, harp_error** err);
  harp_graph* (*harp_graph_new)(harp_context* context, uint32_t flags, harp_error** err);
  harp_graph* (*harp_graph_retain)(harp_graph* graph);
  void (*harp_graph_release)(harp_graph* graph);
  harp_status (*harp_graph_set_name)(harp_graph* graph, const char* name, harp_error** err);
  const harp_error* (*harp_graph_error)(const harp_graph* graph);
  harp_error* (*harp_graph_take_error)(harp_graph* graph);
  harp_dim (*harp_dim_var)(harp_graph* graph, const char* name, int64_t min, int64_t max);
  harp_dim (*harp_dim_add)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_sub)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_mul)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_floor_div)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_mod)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_min)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_dim (*harp_dim_max)(harp_graph* graph, harp_dim a, harp_dim b);
  harp_string* (*harp_dim_print)(const harp_graph* graph, harp_dim dim, harp_error** err);
  harp_node* (*harp_input)(harp_graph* graph, const char* name, harp_dtype dtype, int32_t rank, const harp_dim* dims);
  harp_status (*harp_output)(harp_graph* graph, const char* name, harp_node* node);
  harp_node* (*harp_constant)(harp_graph* graph, harp_dtype dtype, double value);
  harp_node* (*harp_constant_i64)(harp_graph* graph, harp_dtype dtype, int64_t value);
  harp_node* (*harp_constant_u64)(harp_graph* graph, harp_dtype dtype, uint64_t value);
  harp_node* (*harp_constant_bool)(harp_graph* graph, int32_t value);
  harp_node* (*harp_constant_complex)(harp_graph* graph, harp_dtype dtype, double re, double im);
  harp_node* (*harp_constant_array)(harp_graph* graph, harp_dtype dtype, int32_t rank, const harp_dim* dims, size_t size, const void* data);
  harp_node* (*harp_size)(harp_graph* graph, harp_dim dim);
  int32_t (*harp_node_rank)(const harp_node* node);
  harp_dtype (*harp_node_dtype)(const harp_node* node);
  const char* (*harp_node_name)(const harp_node* node);
  harp_status (*harp_node_dims)(const harp_node* node, int32_t rank, harp_dim* dims, harp_error** err);
  harp_graph* (*harp_node_graph)(const harp_node* node);
  harp_node* (*harp_node_set_name)(harp_node* node, const char* name);
  const char* (*harp_node_op)(const harp_node* node);
  int32_t (*harp_node_source_count)(const harp_node* node);
  harp_node* (*harp_node_source)(const harp_node* node, int32_t index);
  harp_string* (*harp_node_attributes)(const harp_node* node, harp_error** err);
  harp_status (*harp_nodes_digest)(int32_t n, harp_node* const* nodes, harp_digest* digest, harp_error** err);
  harp_status (*harp_graph_drop_unreachable)(harp_graph* graph, int32_t n, harp_node* const* nodes, harp_error** err);
  size_t (*harp_graph_node_count)(const harp_graph* graph);
  harp_string* (*harp_graph_print)(const harp_graph* graph, harp_error** err);
  harp_graph* (*harp_graph_parse)(harp_context* context, size_t size, const char* text, harp_error** err);
  harp_string* (*harp_graph_dot)(const harp_graph* graph, harp_error** err);
  harp_status (*harp_broadcast_shapes)(int32_t a_rank, const int64_t* a_dims, int32_t b_rank, const int64_t* b_dims, int64_t* dims, harp_error** err);
  harp_status (*harp_broadcast_index)(int32_t result_rank, const int64_t* index, int32_t rank, const int64_t* dims, int64_t* source, harp_error** err);
  harp_node* (*harp_neg)(harp_node* x);
  harp_node* (*harp_recip)(harp_node* x);
  harp_node* (*harp_abs)(harp_node* x);
  harp_node* (*harp_sign)(harp_node* x);
  harp_node* (*harp_sqrt)(harp_node* x);
  harp_node* (*harp_rsqrt)(harp_node* x);
  harp_node* (*harp_cbrt)(harp_node* x);
  harp_node* (*harp_square)(harp_node* x);
  harp_node* (*harp_real)(harp_node* x);
  harp_node* (*harp_imag)(harp_node* x);
  harp_node* (*harp_conj)(harp_node* x);
  harp_node* (*harp_angle)(harp_node* x);
  harp_node* (*harp_view_as_real)(harp_node* x);
  harp_node* (*harp_view_as_complex)(harp_node* x);
  harp_node* (*harp_floor)(harp_node* x);
  harp_node* (*harp_ceil)(harp_node* x);
  harp_node* (*harp_round)(harp_node* x);
  harp_node* (*harp_trunc)(harp_node* x);
  harp_node* (*harp_exp)(harp_node* x);
  harp_node* (*harp_exp2)(harp_node* x);
  harp_node* (*harp_expm1)(harp_node* x);
  harp_node* (*harp_log)(harp_node* x);
  harp_node* (*harp_log2)(harp_node* x);
  harp_node* (*harp_log10)(harp_node* x);
  harp_node* (*harp_log1p)(harp_node* x);
  harp_node* (*harp_sin)(harp_node* x);
  harp_node* (*harp_cos)(harp_node* x);
  harp_node* (*harp_tan)(harp_node* x);
  harp_node* (*harp_asin)(harp_node* x);
  harp_node* (*harp_acos)(harp_node* x);
  harp_node* (*harp_atan)(harp_node* x);
  harp_node* (*harp_sinh)(harp_node* x);
  harp_node* (*harp_cosh)(harp_node* x);
  harp_node* (*harp_tanh)(harp_node* x);
  harp_node* (*harp_asinh)(harp_node* x);
  harp_node* (*harp_acosh)(harp_node* x);
  harp_node* (*harp_atanh)(harp_node* x);
  harp_node* (*harp_erf)(harp_node* x);
  harp_node* (*harp_erfc)(harp_node* x);
  harp_node* (*harp_sigmoid)(harp_node* x);
  harp_node* (*harp_relu)(harp_node* x);
  harp_node* (*harp_silu)(harp_node* x);
  harp_node* (*harp_softplus)(harp_node* x);
  harp_node* (*harp_selu)(harp_node* x);
  harp_node* (*harp_relu6)(harp_node* x);
  harp_node* (*harp_hardsigmoid)(harp_node* x);
  harp_node* (*harp_hardswish)(harp_node* x);
  harp_node* (*harp_mish)(harp_node* x);
  harp_node* (*harp_softsign)(harp_node* x);
  harp_node* (*harp_logsigmoid)(harp_node* x);
  harp_node* (*harp_signbit)(harp_node* x);
  harp_node* (*harp_isnan)(harp_node* x);
  harp_node* (*harp_isinf)(harp_node* x);
  harp_node* (*harp_isfinite)(harp_node* x);
  harp_node* (*harp_logical_not)(harp_node* x);
  harp_node* (*harp_bitwise_not)(harp_node* x);
  harp_node* (*harp_elu)(harp_node* x, double alpha);
  harp_node* (*harp_celu)(harp_node* x, double alpha);
  harp_node* (*harp_gelu)(harp_node* x, const char* approximate);
  harp_node* (*harp_hardtanh)(harp_node* x, double min_val, double max_val);
  harp_node* (*harp_leaky_relu)(harp_node* x, double negative_slope);
  harp_node* (*harp_isclose)(harp_node* a, harp_node* b, double rtol, double atol, int32_t equal_nan);
  harp_node* (*harp_powi)(harp_node* x, int64_t k);
  harp_node* (*harp_cast)(harp_node* x, harp_dtype dtype);
  harp_node* (*harp_bitcast)(harp_node* x, harp_dtype dtype);
  harp_node* (*harp_add)(harp_node* a, harp_node* b);
  harp_node* (*harp_sub)(harp_node* a, harp_node* b);
  harp_node* (*harp_mul)(harp_node* a, harp_node* b);
  harp_node* (*harp_div)(harp_node* a, harp_node* b);
  harp_node* (*harp_floor_divide)(harp_node* a, harp_node* b);
  harp_node* (*harp_remainder)(harp_node* a, harp_node* b);
  harp_node* (*harp_fmod)(harp_node* a, harp_node* b);
  harp_node* (*harp_maximum)(harp_node* a, harp_node* b);
  harp_node* (*harp_minimum)(harp_node* a, harp_node* b);
  harp_node* (*harp_pow)(harp_node* a, harp_node* b);
  harp_node* (*harp_atan2)(harp_node* a, harp_node* b);
  harp_node* (*harp_hypot)(harp_node* a, harp_node* b);
  harp_node* (*harp_copysign)(harp_node* a, harp_node* b);
  harp_node* (*harp_complex_from_parts)(harp_node* re, harp_node* im);
  harp_node* (*harp_lt)(harp_node* a, harp_node* b);
  harp_node* (*harp_le)(harp_node* a, harp_node* b);
  harp_node* (*harp_gt)(harp_node* a, harp_node* b);
  harp_node* (*harp_ge)(harp_node* a, harp_node* b);
  harp_node* (*harp_eq)(harp_node* a, harp_node* b);
  harp_node* (*harp_ne)(harp_node* a, harp_node* b);
  harp_node* (*harp_logical_and)(harp_node* a, harp_node* b);
  harp_node* (*harp_logical_or)(harp_node* a, harp_node* b);
  harp_node* (*harp_logical_xor)(harp_node* a, harp_node* b);
  harp_node* (*harp_bitwise_and)(harp_node* a, harp_node* b);
  harp_node* (*harp_bitwise_or)(harp_node* a, harp_node* b);
  harp_node* (*harp_bitwise_xor)(harp_node* a, harp_node* b);
  harp_node* (*harp_left_shift)(harp_node* a, harp_node* b);
  harp_node* (*harp_right_shift)(harp_node* a, harp_node* b);
  harp_node* (*harp_logaddexp)(harp_node* a, harp_node* b);
  harp_node* (*harp_nextafter)(harp_node* a, harp_node* b);
  harp_node* (*harp_where)(harp_node* condition, harp_node* a, harp_node* b);
  harp_node* (*harp_fma)(harp_node* a, harp_node* b, harp_node* c);
  harp_node* (*harp_clip)(harp_node* x, harp_node* lo, harp_node* hi);
  harp_node* (*harp_lerp)(harp_node* a, harp_node* b, harp_node* weight);
  harp_node* (*harp_sum)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_prod)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_max)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_min)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_any)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_all)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_count_nonzero)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_mean)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_var)(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims);
  harp_node* (*harp_std)(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims);
  harp_node* (*harp_norm)(harp_node* x, double order, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_argmax)(harp_node* x, int32_t axis, int32_t keepdims);
  harp_node* (*harp_argmin)(harp_node* x, int32_t axis, int32_t keepdims);
  harp_node* (*harp_logsumexp)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_softmax)(harp_node* x, int32_t axis);
  harp_node* (*harp_log_softmax)(harp_node* x, int32_t axis);
  harp_node* (*harp_cumsum)(harp_node* x, int32_t axis, uint32_t flags);
  harp_node* (*harp_cumprod)(harp_node* x, int32_t axis, uint32_t flags);
  harp_node* (*harp_cummax)(harp_node* x, int32_t axis, uint32_t flags);
  harp_node* (*harp_cummin)(harp_node* x, int32_t axis, uint32_t flags);
  harp_node* (*harp_logcumsumexp)(harp_node* x, int32_t axis, uint32_t flags);
  harp_status (*harp_cummax_with_indices)(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);
  harp_status (*harp_cummin_with_indices)(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);
  harp_node* (*harp_permute)(harp_node* x, int32_t n_axes, const int32_t* axes);
  harp_node* (*harp_transpose)(harp_node* x, int32_t n_axes, const int32_t* axes);
  harp_node* (*harp_moveaxis)(harp_node* x, int32_t n_axes, const int32_t* source, const int32_t* destination);
  harp_node* (*harp_unsqueeze)(harp_node* x, int32_t n_axes, const int32_t* axes);
  harp_node* (*harp_squeeze)(harp_node* x, int32_t n_axes, const int32_t* axes);
  harp_node* (*harp_flip)(harp_node* x, int32_t n_axes, const int32_t* axes);
  harp_node* (*harp_expand)(harp_node* x, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_broadcast_to)(harp_node* x, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_reshape)(harp_node* x, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_flatten)(harp_node* x, int32_t start_axis, int32_t end_axis);
  harp_node* (*harp_slice)(harp_node* x, int32_t rank, const harp_dim* start, const harp_dim* stop, const int64_t* step);
  harp_node* (*harp_unfold)(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation, const int64_t* dilation);
  harp_node* (*harp_unfold1d)(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
  harp_node* (*harp_unfold2d)(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
  harp_node* (*harp_unfold3d)(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
  harp_node* (*harp_diagonal)(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
  harp_node* (*harp_diag)(harp_node* x, int64_t k);
  harp_node* (*harp_diff)(harp_node* x, int64_t n, int32_t axis);
  harp_node* (*harp_rot90)(harp_node* x, int64_t k, int32_t axis1, int32_t axis2);
  harp_node* (*harp_interpolate)(harp_node* x, int32_t n_axes, const harp_dim* size, int32_t n_scales, const double* scales, const char* mode, const char* coordinates, const char* nearest_mode, double cubic_coeff_a);
  harp_node* (*harp_contiguous)(harp_node* x);
  harp_node* (*harp_check_index)(harp_node* indices, harp_dim size, const char* what);
  harp_node* (*harp_concat)(int32_t n, harp_node* const* nodes, int32_t axis);
  harp_node* (*harp_stack)(int32_t n, harp_node* const* nodes, int32_t axis);
  harp_status (*harp_split)(harp_node* x, int32_t sections, int32_t axis, harp_node** parts);
  harp_status (*harp_split_at)(harp_node* x, int32_t n, const harp_dim* positions, int32_t axis, harp_node** parts);
  harp_status (*harp_unstack)(harp_node* x, int32_t axis, int32_t n, harp_node** parts);
  harp_status (*harp_meshgrid)(int32_t n, harp_node* const* nodes, const char* indexing, harp_node** results);
  harp_node* (*harp_pad)(harp_node* x, int32_t rank, const harp_dim* before, const harp_dim* after, const char* mode, harp_node* value);
  harp_node* (*harp_repeat)(harp_node* x, harp_dim repeats, int32_t axis);
  harp_node* (*harp_tile)(harp_node* x, int32_t n, const harp_dim* repeats);
  harp_node* (*harp_roll)(harp_node* x, int32_t n, const harp_dim* shift, const int32_t* axes);
  harp_node* (*harp_gather_nd)(harp_node* x, harp_node* indices, int64_t batch_dims);
  harp_node* (*harp_take)(harp_node* x, harp_node* indices, int32_t axis);
  harp_node* (*harp_take_along_axis)(harp_node* x, harp_node* indices, int32_t axis);
  harp_node* (*harp_scatter)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_scatter_add)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_scatter_mul)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_scatter_max)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_scatter_min)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_scatter_reduce)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis, const char* reduction, int32_t include_self);
  harp_node* (*harp_scatter_nd)(harp_node* x, harp_node* indices, harp_node* updates, const char* reduction);
  harp_node* (*harp_index_add)(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
  harp_node* (*harp_argsort)(harp_node* x, int32_t axis, int32_t descending);
  harp_node* (*harp_sort)(harp_node* x, int32_t axis, int32_t descending);
  harp_status (*harp_topk)(harp_node* x, harp_dim k, int32_t axis, int32_t largest, harp_node** values, harp_node** indices);
  harp_node* (*harp_isin)(harp_node* elements, harp_node* test_elements, int32_t invert);
  harp_node* (*harp_searchsorted)(harp_node* sorted, harp_node* values, const char* side);
  harp_node* (*harp_fft)(harp_node* x, harp_dim n, int32_t axis, const char* norm);
  harp_node* (*harp_ifft)(harp_node* x, harp_dim n, int32_t axis, const char* norm);
  harp_node* (*harp_rfft)(harp_node* x, harp_dim n, int32_t axis, const char* norm);
  harp_node* (*harp_irfft)(harp_node* x, harp_dim n, int32_t axis, const char* norm);
  harp_node* (*harp_fftn)(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
  harp_node* (*harp_ifftn)(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
  harp_node* (*harp_rfftn)(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
  harp_node* (*harp_irfftn)(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
  harp_node* (*harp_fft2)(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
  harp_node* (*harp_ifft2)(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
  harp_node* (*harp_rfft2)(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
  harp_node* (*harp_irfft2)(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
  harp_node* (*harp_dft)(harp_node* re, harp_node* im);
  harp_node* (*harp_full)(harp_node* value, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_arange)(harp_graph* graph, harp_dtype dtype, harp_dim start, harp_dim stop, int64_t step);
  harp_node* (*harp_linspace)(harp_graph* graph, harp_dtype dtype, double start, double stop, harp_dim count);
  harp_node* (*harp_eye)(harp_graph* graph, harp_dtype dtype, harp_dim rows, harp_dim columns);
  harp_node* (*harp_tril)(harp_node* x, int64_t k);
  harp_node* (*harp_triu)(harp_node* x, int64_t k);
  harp_node* (*harp_one_hot)(harp_node* indices, harp_dim depth, harp_dtype dtype);
  harp_node* (*harp_random_bits)(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_random_uniform)(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_random_normal)(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
  harp_node* (*harp_matmul)(harp_node* a, harp_node* b);
  harp_node* (*harp_batch_matmul)(harp_node* a, harp_node* b);
  harp_node* (*harp_dot)(harp_node* a, harp_node* b);
  harp_node* (*harp_vecdot)(harp_node* a, harp_node* b, int32_t axis);
  harp_node* (*harp_cross)(harp_node* a, harp_node* b, int32_t axis);
  harp_node* (*harp_tensordot)(harp_node* a, harp_node* b, int32_t n_axes, const int32_t* a_axes, const int32_t* b_axes);
  harp_node* (*harp_outer)(harp_node* a, harp_node* b);
  harp_node* (*harp_trace)(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
  harp_node* (*harp_einsum)(const char* spec, int32_t n, harp_node* const* nodes);
  harp_node* (*harp_conv1d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
  harp_node* (*harp_conv2d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
  harp_node* (*harp_conv3d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
  harp_node* (*harp_conv_transpose1d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
  harp_node* (*harp_conv_transpose2d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
  harp_node* (*harp_conv_transpose3d)(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding, int64_t groups, int32_t n_dilation, const int64_t* dilation);
  harp_node* (*harp_max_pool)(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
  harp_node* (*harp_avg_pool)(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
  harp_status (*harp_max_pool_with_indices)(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options, harp_node** values, harp_node** indices);
  harp_node* (*harp_max_unpool)(harp_node* x, harp_node* indices, int32_t n_axes, const harp_dim* size, const harp_pool_options* options, int32_t n_output_size, const harp_dim* output_size);
  harp_node* (*harp_layer_norm)(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
  harp_node* (*harp_rms_norm)(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
  harp_node* (*harp_batch_norm)(harp_node* x, harp_node* mean, harp_node* var, harp_node* weight, harp_node* bias, int32_t axis, double eps);
  harp_node* (*harp_group_norm)(harp_node* x, int64_t num_groups, harp_node* weight, harp_node* bias, double eps);
  harp_node* (*harp_instance_norm)(harp_node* x, harp_node* weight, harp_node* bias, double eps);
  harp_node* (*harp_scaled_dot_product_attention)(harp_node* query, harp_node* key, harp_node* value, harp_node* mask, int32_t is_causal, const double* scale, int32_t enable_gqa);
  harp_node* (*harp_huber_loss)(harp_node* x, harp_node* target, double delta, const char* reduction);
  harp_node* (*harp_binary_cross_entropy)(harp_node* x, harp_node* target, harp_node* weight, const char* reduction);
  harp_node* (*harp_binary_cross_entropy_with_logits)(harp_node* x, harp_node* target, harp_node* weight, harp_node* pos_weight, const char* reduction);
  harp_node* (*harp_mse_loss)(harp_node* x, harp_node* target, const char* reduction);
  harp_node* (*harp_cross_entropy)(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index, double label_smoothing, const char* reduction);
  harp_node* (*harp_nll_loss)(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index, const char* reduction);
  harp_node* (*harp_custom_elementwise)(int32_t n, harp_node* const* nodes, const char* expr);
  harp_node* (*harp_custom_reduce)(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t n_axes, const int32_t* axes, int32_t keepdims);
  harp_node* (*harp_custom_cumulative)(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t axis, uint32_t flags);
  harp_node* (*harp_custom_function)(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc);
  harp_node* (*harp_native)(int32_t n, harp_node* const* nodes, const harp_native_desc* desc);
  harp_status (*harp_grad)(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, harp_node** out_gradients);
  harp_status (*harp_grad_flags)(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, uint32_t flags, harp_node** out_gradients);
  int32_t (*harp_depends)(const harp_node* y, const harp_node* x);
  harp_node* (*harp_stop_gradient)(harp_node* x);
  harp_program* (*harp_compile)(const harp_graph* graph, const harp_compile_options* options, harp_error** err);
  harp_program* (*harp_compile_nodes)(harp_graph* graph, int32_t n, const char* const* names, harp_node* const* nodes, const harp_compile_options* options, harp_error** err);
  harp_status (*harp_nodes_inputs)(int32_t n, harp_node* const* nodes, int32_t capacity, harp_node** inputs, int32_t* count, harp_error** err);
  harp_program* (*harp_program_retain)(harp_program* program);
  void (*harp_program_release)(harp_program* program);
  harp_string* (*harp_graph_emit)(const harp_graph* graph, const harp_compile_options* options, const char* stage, harp_error** err);
  harp_status (*harp_program_run)(harp_program* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs, harp_buffer** outputs, const harp_run_options* options, harp_error** err);
  harp_status (*harp_program_call)(harp_program* program, size_t n_inputs, const harp_const_array* inputs, size_t n_outputs, const harp_array* outputs, const harp_run_options* options, harp_error** err);
  harp_string* (*harp_program_signature)(const harp_program* program, harp_error** err);
  size_t (*harp_program_input_count)(const harp_program* program);
  size_t (*harp_program_output_count)(const harp_program* program);
  size_t (*harp_program_shape_var_count)(const harp_program* program);
  harp_status (*harp_program_input)(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
  harp_status (*harp_program_output)(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
  harp_status (*harp_program_shape_var)(const harp_program* program, size_t index, harp_shape_var_info* info, harp_error** err);
  harp_status (*harp_program_output_dims)(const harp_program* program, size_t index, size_t n_shape_vars, const int64_t* shape_vars, int32_t rank, int64_t* dims, harp_error** err);
  harp_status (*harp_program_workspace_size)(const harp_program* program, size_t n_shape_vars, const int64_t* shape_vars, size_t width, size_t* size, harp_error** err);
  harp_string* (*harp_program_source)(const harp_program* program, harp_error** err);
  harp_status (*harp_program_stats)(const harp_program* program, harp_program_stats_info* stats, harp_error** err);
  harp_buffer* (*harp_buffer_new)(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims, harp_error** err);
  harp_buffer* (*harp_buffer_wrap)(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err);
  harp_buffer* (*harp_buffer_wrap_const)(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, const void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err);
  harp_buffer* (*harp_buffer_retain)(harp_buffer* buffer);
  void (*harp_buffer_release)(harp_buffer* buffer);
  void* (*harp_buffer_data)(harp_buffer* buffer);
  const void* (*harp_buffer_const_data)(const harp_buffer* buffer);
  size_t (*harp_buffer_size)(const harp_buffer* buffer);
  int32_t (*harp_buffer_rank)(const harp_buffer* buffer);
  harp_dtype (*harp_buffer_dtype)(const harp_buffer* buffer);
  const int64_t* (*harp_buffer_dims)(const harp_buffer* buffer);
  harp_status (*harp_buffer_read)(const harp_buffer* buffer, size_t size, void* to, harp_error** err);
  harp_status (*harp_buffer_write)(harp_buffer* buffer, size_t size, const void* from, harp_error** err);
  harp_status (*harp_buffer_copy)(harp_buffer* to, const harp_buffer* from, harp_error** err);
  harp_status (*harp_buffer_read_strided)(const harp_buffer* buffer, int32_t rank, const int64_t* strides, void* to, harp_error** err);
  harp_status (*harp_buffer_write_strided)(harp_buffer* buffer, int32_t rank, const int64_t* strides, const void* from, harp_error** err);
  harp_buffer* (*harp_buffer_from_dlpack)(harp_context* context, harp_dl_managed* managed, harp_error** err);
  harp_buffer* (*harp_buffer_from_dlpack_versioned)(harp_context* context, harp_dl_managed_versioned* managed, harp_error** err);
  harp_dl_managed* (*harp_buffer_to_dlpack)(harp_buffer* buffer, harp_error** err);
  harp_dl_managed_versioned* (*harp_buffer_to_dlpack_versioned)(harp_buffer* buffer, harp_error** err);
  harp_buffer* (*harp_npy_load)(harp_context* context, const char* path, harp_error** err);
  harp_status (*harp_npy_save)(const harp_buffer* buffer, const char* path, harp_error** err);
  harp_tune_result* (*harp_tune)(const harp_graph* graph, const harp_tune_options* options, size_t n_inputs, harp_buffer* const* inputs, harp_error** err);
  void (*harp_tune_result_release)(harp_tune_result* result);
  harp_status (*harp_tune_result_summary)(const harp_tune_result* result, harp_tune_summary* summary, harp_error** err);
  harp_status (*harp_tune_result_trial)(const harp_tune_result* result, size_t index, harp_tune_trial_info* info, harp_error** err);
  harp_entry_point (*harp_program_entry)(harp_program* program, harp_error** err);
  harp_entry_point_ex (*harp_program_entry_ex)(harp_program* program, harp_error** err);
  /* } */
  /* clang-format on */
} harp_api;

HARP_API const harp_api* harp_get_api(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* HARP_H */
