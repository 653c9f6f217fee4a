/*
 * harp.h - the C interface of harp, a compiler and runtime for array computation.
 *
 * A program builds a graph of array operations. harp generates C source for the graph (or CUDA source, for a GPU), compiles it to machine
 * code with the system's compiler, caches the result, and runs it on arrays of any size that the graph allows:
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
 *   8 Tuning   9 Embedding (entry points, the table of all functions)
 *
 * RULES THAT HOLD EVERYWHERE
 *
 * "The host" is the program that uses harp.
 *
 * Ownership. "Owned" means that the caller releases the object. "Borrowed" means that another object owns it; the comment says how long it
 *   lives. "Copied" means that harp keeps its own copy. Every pointer passed in is borrowed for the call unless its comment says otherwise.
 *   harp_X_release gives up one reference and ignores NULL. harp_X_retain adds one reference and returns its argument. A child keeps its
 *   parent alive: a graph, program or buffer keeps its context. Nodes belong to their graph and are never released.
 * Errors. A function that creates an object returns it, or NULL on failure. Other functions return a harp_status: HARP_OK or an error code.
 *   Both kinds take a last argument `err`, which is NULL or the address of a harp_error* that is NULL. On failure *err receives an owned
 *   harp_error; an error that *err already holds is kept. On failure a function writes nothing else through its pointer arguments, and
 *   every handle stays usable. Functions that build graphs have no `err`: see section 4.
 * NULL. A NULL handle where one is required is HARP_ERROR_INVALID_ARGUMENT. A building function that is given a NULL node returns NULL.
 * Threads. Reference counts are atomic. Several threads may use the same context, program, buffer, error, string or tuning result at once;
 *   the content of a buffer follows the usual rule, one writer or many readers. Only one thread at a time may use a graph, but any number
 *   of threads may compile, print, draw and inspect a graph that no thread modifies. harp starts no threads except those that
 *   harp_context_options.threads requests.
 * Structs begin with struct_size, which the caller sets to sizeof the struct. HARP_..._INIT sets struct_size and zeroes all other fields;
 *   zero means "default" for every field. New fields are only ever added at the end. A struct from a newer harp.h works as long as the
 *   fields that this library does not know are zero. `reserved` fields must be zero.
 * Text is UTF-8. Strings passed in are copied.
 * harp does not print, exit, abort or change signal masks, and no C++ exception leaves it.
 */
#ifndef HARP_H
#define HARP_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && defined(HARP_BUILDING_LIBRARY)
#define HARP_API __attribute__((visibility("protected"))) /* calls between functions of harp always bind inside the library */
#elif defined(__GNUC__)
#define HARP_API __attribute__((visibility("default")))
#else
#define HARP_API
#endif
#define HARP_API_SINCE(version) HARP_API /* for functions that version 1 of struct harp_api does not have; see harp_get_api */

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------------
 * 1  Numbers and names
 * ---------------------------------------------------------------------------------------------------------------------------- */

#define HARP_VERSION_MAJOR 0
#define HARP_VERSION_MINOR 1
#define HARP_VERSION_PATCH 0

/* Return the version of the loaded library. harp_version returns major * 1000000 + minor * 1000 + patch. harp_version_string returns text
 * such as "0.1.0", borrowed, valid for ever. */
HARP_API uint32_t harp_version(void);
HARP_API const char* harp_version_string(void);

/* The result of a function, and the code of an error. */
typedef int32_t harp_status;
#define HARP_OK 0
#define HARP_ERROR_INVALID_ARGUMENT 1 /* NULL or out-of-domain argument, node of another graph, wrong struct_size, unknown name */
#define HARP_ERROR_SHAPE 2            /* incompatible shapes, rank over 16, axis that does not exist */
#define HARP_ERROR_DTYPE 3            /* dtype that an operation does not accept, operands of different dtypes */
#define HARP_ERROR_RANGE 4            /* value outside its bounds: shape variable, negative size, constant, checked index */
#define HARP_ERROR_OVERFLOW 5         /* size, stride or byte count that does not fit 64 bits */
#define HARP_ERROR_ALIAS 6            /* outputs that overlap each other, or overlap an input that they do not replace in place */
#define HARP_ERROR_PARSE 7            /* malformed text (graph, expression, function body, schedule) or malformed .npy file */
#define HARP_ERROR_UNSUPPORTED 8      /* valid, but not supported by this backend, system or version */
#define HARP_ERROR_COMPILER 9         /* no compiler found, it failed or crashed, or compile_timeout_ms expired */
#define HARP_ERROR_IO 10              /* file access failed */
#define HARP_ERROR_OUT_OF_MEMORY 11
#define HARP_ERROR_CANCELLED 12   /* the host set the cancel flag, or its callback cancelled harp_tune */
#define HARP_ERROR_INTERNAL 13    /* a bug in harp: please report it with the graph's text (harp_graph_print) */
#define HARP_ERROR_NATIVE 14      /* a function given to harp_native returned a nonzero status */
#define HARP_ERROR_DEVICE 15      /* the device does not exist, has failed, or holds an array that the call cannot use */
#define HARP_ERROR_NO_GRADIENT 16 /* harp_grad: y does not depend on x, or no differentiable path leads from x to y */

/* The type of array elements (dtype). Bool is one byte, 0 or 1; any other byte reads as true. Integer arithmetic wraps. f16 is IEEE 754
 * binary16; bf16 is the upper half of an f32. 8-bit and 16-bit dtypes compute in a wider dtype: each operation widens its operands and
 * rounds or wraps its result once; a reduction rounds or wraps once, at its end. A complex element is two floats in memory, the real
 * part first. */
typedef int32_t harp_dtype;
#define HARP_UNKNOWN 0 /* for integer constants only: the constant takes the dtype of the other operand, see harp_constant */
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

/* harp_dtype_size returns the bytes of one element; harp_dtype_name returns the dtype's name in the text format ("f32"), borrowed, valid
 * for ever. For a number that is no dtype they return 0 and NULL. */
HARP_API size_t harp_dtype_size(harp_dtype dtype);
HARP_API const char* harp_dtype_name(harp_dtype dtype);

/* Arrays have 0 to HARP_MAX_RANK axes; the extent of an axis may be 0. Axes are counted from 0, or from the end with -1, -2, ... */
#define HARP_MAX_RANK 16

/*
 * A size: a plain number if >= 0, else the handle of a symbolic size of one graph (see harp_dim_var). Handles are negative numbers far
 * below -1, so -1 keeps its special meanings: "infer" in harp_reshape, "keep" in harp_expand. A function that makes a size returns
 * HARP_DIM_INVALID on failure; other functions treat the argument HARP_DIM_INVALID like a NULL node. HARP_SLICE_NONE means an open end in
 * harp_slice.
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

/* Returns the code of an error; HARP_OK for NULL. */
HARP_API harp_status harp_error_code(const harp_error* error);
/* Returns the error's message: what was expected and what was given, one or more lines without a final newline. Borrowed until the error is
 * released; "" for NULL. */
HARP_API const char* harp_error_message(const harp_error* error);
/* Returns what the compiler printed if the code is HARP_ERROR_COMPILER; else "". Borrowed until the error is released. */
HARP_API const char* harp_error_compiler_output(const harp_error* error);
HARP_API void harp_error_release(harp_error* error);
/* Returns the name of a status: "SHAPE" for HARP_ERROR_SHAPE, "OK" for HARP_OK, "UNKNOWN" for a number that is no status. Borrowed, valid
 * for ever. */
HARP_API const char* harp_status_name(harp_status status);

/* Text that harp made. harp_string_data returns the text, terminated by a zero byte and borrowed until the string is released.
 * harp_string_size returns its bytes without the terminator. */
HARP_API const char* harp_string_data(const harp_string* string);
HARP_API size_t harp_string_size(const harp_string* string);
HARP_API void harp_string_release(harp_string* string);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 3  Context
 *
 * The root object: the host's hooks, the compile cache and the compilers that were found. A process may have several contexts; they share
 * nothing but the files of the cache.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Log levels. Each message has one. A callback receives the messages whose level is at least harp_context_options.log_level. */
#define HARP_LOG_TRACE 0
#define HARP_LOG_DEBUG 1
#define HARP_LOG_INFO 2
#define HARP_LOG_WARNING 3
#define HARP_LOG_ERROR 4

/* A part of a parallel loop: runs iterations begin to end - 1 as worker number `worker`. */
typedef void (*harp_range_body)(void* arg, size_t begin, size_t end, size_t worker);

/*
 * How a context uses GPUs (backend "cuda"), for a host that uses CUDA itself. CUDA's types are void* here, so that no header of CUDA is
 * needed. harp_context_new checks only that the fields are consistent with each other; if a context or stream cannot be used, the first
 * call that uses the GPU fails.
 */
typedef struct harp_cuda_options {
  size_t struct_size;
  /* A CUcontext of the host. harp then uses the GPU of this context and no other. It must stay valid until the harp_context is destroyed.
   * NULL: the primary context of each GPU, which is that of CUDA's runtime library and of most other libraries. In both cases harp makes
   * the context current only during a call; afterwards the thread's current context is what it was before. */
  void* context;
  /* A CUstream of `context` for all of harp's work, valid as long as `context`. Work that the host puts on this stream is then in order
   * with harp's. CU_STREAM_LEGACY is allowed; CU_STREAM_PER_THREAD is not, because harp's threads would use different streams. While the
   * host captures work on the stream as a CUDA graph, a run must have this stream as harp_run_options.stream, other calls that use the GPU
   * fail with HARP_ERROR_UNSUPPORTED, and no buffer on the GPU may be released. NULL: a stream of harp's own, which is not ordered with
   * CUDA's legacy default stream. A stream without a context is HARP_ERROR_INVALID_ARGUMENT. */
  void* stream;
  /* GPU memory for arrays and for what programs need while they run. Set both functions or neither. harp calls them from any thread,
   * several at once, with the GPU's context current. `device` is the number of the GPU (1 for "cuda:1"). `stream` is the CUstream on which
   * harp uses the memory: harp's stream on this GPU or, if the memory is for a run that the host captures as part of a CUDA graph
   * (harp_run_options.stream), the captured stream.
   * alloc returns a device address aligned to 256 bytes; only work that harp puts on the stream after the call uses this memory. If alloc
   * returns NULL, harp waits for the stream and calls alloc once more. harp never requests 0 bytes. free is called while work that is
   * already on the stream may still use the memory, and not at all for a GPU that is lost (see harp_backend_available). Neither function
   * may call harp. */
  void* (*alloc)(void* user, size_t size, int32_t device, void* stream);
  void (*free)(void* user, void* memory, int32_t device, void* stream);
  void* alloc_user;
  /* Without alloc, memory comes from a pool of harp's own on each GPU. When harp waits for the GPU, the pool returns free memory to the
   * driver, except for this many bytes, which it keeps for reuse; when memory is short, it returns all free memory. harp also records the
   * launches of programs as CUDA graphs; the memory that these graphs keep is not in the pool, but has the same limit on each GPU. 0: 1
   * GiB. */
  uint64_t max_kept_bytes;
} harp_cuda_options;

#define HARP_CUDA_OPTIONS_INIT \
  { sizeof(harp_cuda_options), NULL, NULL, NULL, NULL, NULL, 0 }

typedef struct harp_context_options {
  size_t struct_size;

  /* Host memory for arrays and for what kernels need while they run. Set both functions or neither. harp calls them from any thread,
   * several at once. alloc returns memory aligned to `alignment` (a power of two), or NULL; harp never requests 0 bytes. harp's internal
   * data structures do not use them. */
  void* (*alloc)(void* user, size_t size, size_t alignment);
  void (*free)(void* user, void* memory);
  void* alloc_user;

  /* Receives log messages. `text` is `size` bytes, not terminated, borrowed for the call. harp calls it from any thread that is inside
   * harp, several at once. It must not call harp. */
  void (*log)(void* user, int32_t level, const char* text, size_t size);
  void* log_user;
  int32_t log_level; /* messages below this level are not created */

  /* Number of threads for runs of the backend "c", including the calling thread; at most 1024. With 0 or 1, runs use the calling thread
   * alone. With N, the context starts up to N - 1 threads at the first run that is large enough, and ends them with its last reference. The
   * threads serve one run at a time: a run that finds them busy uses its calling thread alone, and so does a child process that is forked
   * after they started. They block all signals except those of faults. They may run on the CPUs that were in the affinity mask of the
   * thread that made that first run. When a run wakes them, they leave out the CPU of the calling thread. Results never depend on this
   * number. */
  int32_t threads;

  /* The host's thread pool, instead of `threads` (setting both is HARP_ERROR_INVALID_ARGUMENT). It must call body(arg, begin, end, worker)
   * for ranges that together cover 0..n-1, in any order and on any threads, and return when all calls are done. Ranges should have at least
   * `grain` iterations. `worker` must be less than width, and two concurrent calls must have different workers. Without threads and
   * parallel_for, programs run on the calling thread alone. Results never depend on the ranges or the threads. */
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg);
  void* parallel_for_user;
  size_t width; /* number of workers of parallel_for, at least 1 */

  /* Directory of the disk cache. NULL: $HARP_CACHE_DIR, else $XDG_CACHE_HOME/harp, else ~/.cache/harp. "": no disk cache; programs are
   * cached in memory only. The directory must belong to the effective user, and nobody else may have write permission. If a directory
   * cannot be used, harp logs it and caches in memory. A relative path is relative to the current directory of this call.
   * $HARP_CACHE_DIR must be an absolute path, else it cannot be used: programs inherit it together with a current directory that they
   * did not choose, and harp loads no code from a directory that was not chosen. */
  const char* cache_dir;
  uint64_t cache_max_bytes;   /* size limit of the directory; 0: 1 GiB */
  uint64_t cache_max_entries; /* entry limit of the directory; 0: 16,384 */
  int32_t cache_shared;       /* 1: trust everyone who can write to the directory; its owner and mode do not matter */
  int32_t reserved;

  /* The C compiler as a command line ("gcc-12 -m64"); harp then tries no other. NULL: $HARP_CC if it is set, and then no other; else the
   * first of $CC, cc, gcc and clang that works. */
  const char* compiler;
  /* Time limit of harp_compile in milliseconds; 0: 60,000. The limit covers the whole call: source generation, waiting for other threads
   * and processes that compile the same program, waiting for a free compiler slot (see `compilers`), and the C compiler itself. At the
   * limit the call fails with HARP_ERROR_COMPILER, and the message says what it waited for and how long. */
  int64_t compile_timeout_ms;

  /* Stages of every compilation to log at HARP_LOG_INFO, separated by commas: "opt,schedule,ir,ir-opt,linear,source". NULL: $HARP_DUMP. */
  const char* dump;

  /* HARP_NATIVE_OPS_ON (0) or HARP_NATIVE_OPS_OFF: whether graphs may call functions of the host (harp_native). */
  int32_t native_ops;
  int32_t reserved2;

  /* Maximum number of C compiler processes that run for this context at the same time, whatever the number of threads that compile; 0: one
   * less than the number of CPUs, at least 1. A large source is split into at most this many parts. (The short query of a compiler's
   * version does not count.) */
  int32_t compilers;
  /* 0 to 19, added to the nice value of compiler processes, so that they leave the CPUs to the host. With 0 they have the host's
   * priority. */
  int32_t compiler_nice;

  /* How the context uses GPUs; copied. NULL: the defaults of harp_cuda_options. */
  const harp_cuda_options* cuda;
  /* Limit of the memory that the context keeps for reuse, in bytes. Workspaces and buffers that harp allocated in host memory are kept when
   * a run or the last reference ends, so that the next run neither allocates memory nor waits for the system to clear its pages. Above the
   * limit, the memory that was unused for the longest time is freed; harp_memory_trim frees it at once. Memory comes from `alloc` in sizes
   * that are up to an eighth larger than requested; without `alloc`, blocks of 4 MiB and more come from the system, in huge pages where it
   * has them. 0: 256 MiB, or nothing if harp was built with a sanitizer, which could not see errors in reused memory.
   * HARP_KEEP_NO_MEMORY: nothing. */
  int64_t kept_memory_bytes;
} harp_context_options;

#define HARP_NATIVE_OPS_ON 0
#define HARP_NATIVE_OPS_OFF 1
#define HARP_KEEP_NO_MEMORY (-1)

#define HARP_CONTEXT_OPTIONS_INIT                                                                                                         \
  {                                                                                                                                       \
    sizeof(harp_context_options), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, 0, 0, 0, 0, NULL, 0, NULL, HARP_NATIVE_OPS_ON, \
        0, 0, 0, NULL, 0                                                                                                                  \
  }

/*
 * File descriptors. Compiled programs are loaded from memory and hold no file descriptor. A context keeps up to three file descriptors of
 * the cache directory. Before it uses one, it checks that the descriptor still refers to the same file, so a host may close descriptors
 * that it did not open (closefrom after fork, say) at any moment between calls of harp. The descriptors are never 0, 1 or 2, even if the
 * host has closed these. Tools that read a program's file, such as perf and gdb, need $HARP_KEEP_OBJECTS: the absolute path of a directory
 * that belongs to this user and is writable by nobody else, or that has a sticky bit like /tmp. harp then loads programs from files in this
 * directory and never removes them.
 */

/* Makes a context. options may be NULL. The first compilation opens or creates the cache directory and looks for a compiler. */
HARP_API harp_context* harp_context_new(const harp_context_options* options, harp_error** err);
HARP_API harp_context* harp_context_retain(harp_context* context);
HARP_API void harp_context_release(harp_context* context);

/*
 * Backends run programs. The backend "interp" interprets the graph. It needs no compiler, starts at once, and defines the result of every
 * graph. The backend "c" compiles the graph with the C compiler. The backend "cuda" runs it on an NVIDIA GPU: it compiles the graph with
 * NVRTC or nvcc and needs CUDA's driver, both of version 12 or newer, and a GPU of compute capability 8.0 or higher. harp opens CUDA's
 * libraries when a GPU is first asked for. The results of all backends are equal bit for bit (all NaNs count as equal).
 *
 * Each backend reads and writes arrays on its own devices. "cpu" is the host's memory, and the only device of "interp" and "c". The GPUs,
 * devices of "cuda", are "cuda:0", "cuda:1", ... in the driver's order; "cuda" is "cuda:0". A call that is given an array on a device that
 * it cannot use fails with HARP_ERROR_DEVICE, and the message names the device and those expected. A GPU on which a kernel has faulted
 * is lost: every later use of it in this process fails with that error, and its buffers can still be released.
 */

/* Returns the names of this library's backends, one a line. The caller owns the result. */
HARP_API harp_string* harp_context_backends(harp_context* context, harp_error** err);
/* Returns 1 if the backend can be used now ("c": a compiler was found; "cuda": there is a GPU), else 0; 0 also for an unknown name. */
HARP_API int32_t harp_backend_available(harp_context* context, const char* name);

/* Returns what `harp info` prints, as lines "key: value": version, CPU target, the compiler that was found or every command that was tried,
 * the GPUs or why there are none, cache directory, backends, what harp_context_measure has found out. The caller owns the result. */
HARP_API harp_string* harp_context_describe(harp_context* context, harp_error** err);

/* Measures this machine, as `harp info --measure` does: sizes, latencies and bandwidths of its caches and memory, loads and arithmetic
 * operations per cycle. The call takes a few seconds, 256 MiB from `alloc`, and the C compiler; the machine should be otherwise idle. The
 * bandwidth of several threads together is measured with the context's threads (`threads` or parallel_for). harp measures nothing unless
 * this function is called. The numbers replace the file machine-1.txt beside the tuning database in the cache directory. If the file cannot
 * be written, or there is no directory, the numbers apply to this context only, and harp logs a warning. From then on harp chooses
 * schedules by these numbers instead of the target's defaults: in this context, and in every context that is made later on this machine
 * with the same directory. Results never change. The numbers apply only if harp_compile_options.target is NULL: a named target stands for
 * every machine of its kind. A file that is damaged, of another machine or of another version's format is ignored with one warning. Errors:
 * those of the C compiler; HARP_ERROR_OUT_OF_MEMORY. */
HARP_API harp_status harp_context_measure(harp_context* context, harp_error** err);

/* Returns the path of the cache directory in use, or "" if there is none. The caller owns the result. */
HARP_API harp_string* harp_cache_dir(harp_context* context, harp_error** err);
/* Removes all compiled programs from the cache directory and from this context's memory. Programs in use are not affected. */
HARP_API harp_status harp_cache_clear(harp_context* context, harp_error** err);

/* Lists the compiled programs in the cache directory, one a line: key, bytes, seconds since the last use, target, compiler and signature,
 * separated by tabs; control characters in a name are written as \x0a. The caller owns the result. */
HARP_API harp_string* harp_cache_list(harp_context* context, harp_error** err);

typedef struct harp_cache_stats_info {
  size_t struct_size;
  uint64_t entries;     /* number of entries in the cache directory */
  uint64_t bytes;       /* size of these entries in bytes */
  uint64_t memory_hits; /* number of compilations of this context that found the program in memory */
  uint64_t disk_hits;   /* number of compilations of this context that found the program in the directory */
  uint64_t misses;      /* number of compilations of this context that found the program in neither */
} harp_cache_stats_info;

#define HARP_CACHE_STATS_INFO_INIT \
  { sizeof(harp_cache_stats_info), 0, 0, 0, 0, 0 }

/* Fills *stats. The caller sets stats->struct_size first. */
HARP_API harp_status harp_cache_stats(harp_context* context, harp_cache_stats_info* stats, harp_error** err);

/* The memory that a context keeps for reuse (harp_context_options.kept_memory_bytes). */
typedef struct harp_memory_stats_info {
  size_t struct_size;
  uint64_t kept_bytes;  /* bytes of memory that is kept and not in use */
  uint64_t limit_bytes; /* the limit of kept_bytes; 0: nothing is kept */
  uint64_t reused;      /* number of workspaces and buffers that used kept memory */
  uint64_t allocated;   /* number of workspaces and buffers that needed new memory; those of less than 4 KiB are neither kept nor counted */
} harp_memory_stats_info;

#define HARP_MEMORY_STATS_INFO_INIT \
  { sizeof(harp_memory_stats_info), 0, 0, 0, 0 }

/* Frees kept memory, the longest unused first, until at most max_bytes are kept. Memory in use is not affected. */
HARP_API harp_status harp_memory_trim(harp_context* context, uint64_t max_bytes, harp_error** err);
/* Fills *stats. The caller sets stats->struct_size first. */
HARP_API harp_status harp_memory_stats(harp_context* context, harp_memory_stats_info* stats, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 4  Graph
 *
 * Nodes are immutable: the same operation on the same operands returns the same node. Building functions have no `err`. They return a node,
 * which is borrowed until the graph is released, or NULL. The graph stores the FIRST error, with a message that names the operation, the
 * shapes and the nodes; every later call on that graph returns NULL. A program may therefore build without checks and look for an error
 * once, in harp_compile or with harp_graph_error. A program that wants each error at the call that caused it takes the error from the graph
 * (harp_graph_take_error) and continues to build. A call that fails adds no node. Nodes of two graphs in one call are an error in both
 * graphs.
 *
 * Shapes. Operands of an elementwise operation must have identical shapes, except that an operand of rank 0 combines with every shape. With
 * HARP_GRAPH_BROADCAST NumPy's broadcasting rules hold: axes align at the right, an axis of size 1 stretches, missing axes are added on the
 * left. An axis stretches only if its size is the constant 1, not a symbolic size that may be 1. Dtypes must be equal: operands of
 * different dtypes are an error that suggests harp_cast, unless the graph has HARP_GRAPH_PROMOTE.
 *
 * Promotion. Two signed integers, two unsigned integers, or two floats promote to the wider dtype; f16 with bf16 gives f32. A signed and an
 * unsigned integer promote to the smallest signed dtype that holds both (i8 with u8 gives i16, i8 with u32 gives i64). Other combinations
 * are an error: u64 with a signed integer, and bool, integers and floats with each other. If an operation accepts only floats, bool and
 * integers of 8 and 16 bits become f32, wider integers f64. HARP_GRAPH_PROMOTE_MIXED includes HARP_GRAPH_PROMOTE and adds PyTorch's rules
 * for the other combinations: bool with any dtype gives that dtype; an integer with a float or complex number gives the latter; u64 with a
 * signed integer gives f32; a real with a complex number gives the complex dtype that holds both. If an operation accepts only floats, bool
 * and all integers then become f32.
 * ---------------------------------------------------------------------------------------------------------------------------- */

#define HARP_GRAPH_BROADCAST 1u     /* NumPy broadcasting */
#define HARP_GRAPH_PROMOTE 2u       /* operands of different dtypes promote as in the Array API standard instead of being an error */
#define HARP_GRAPH_PROMOTE_MIXED 4u /* HARP_GRAPH_PROMOTE, and bool, integers and floats promote with each other, see above */

/* Makes an empty graph. flags: 0 or HARP_GRAPH_... joined with |. */
HARP_API harp_graph* harp_graph_new(harp_context* context, uint32_t flags, harp_error** err);
HARP_API harp_graph* harp_graph_retain(harp_graph* graph);
HARP_API void harp_graph_release(harp_graph* graph);
/* Sets the graph's name in text, signatures and generated code; the default is "graph". Any text except "" is a name. */
HARP_API harp_status harp_graph_set_name(harp_graph* graph, const char* name, harp_error** err);
/* Returns the error that the graph stores, or NULL. Borrowed until the graph is released. */
HARP_API const harp_error* harp_graph_error(const harp_graph* graph);
/* Removes the error from the graph and returns it, owned by the caller; NULL if there is none. The graph is then as it was before the call
 * that failed, and building can continue. */
HARP_API harp_error* harp_graph_take_error(harp_graph* graph);

/*
 * Symbolic sizes. A shape variable stands for a size that each run chooses within min and max (both inclusive, min >= 0). The same name and
 * bounds give the same variable. A name consists of letters, digits and _, does not begin with a digit, and is no keyword of the text
 * format (return shape graph none true false nan inf in min max select). A run takes the value of variable n from the first axis of an
 * input whose size is n; else from the first axis whose size is c*n + d with constants c and d; else from harp_run_options. Inputs of shape
 * [m + 1] or [32*h, 32*w] thus determine their variables.
 *
 * harp_dim_add, harp_dim_sub, harp_dim_mul, harp_dim_floor_div, harp_dim_mod, harp_dim_min and harp_dim_max return a plain number if both
 * operands are plain numbers, else a handle. Division rounds down, x // 0 = 0, and the modulus has the divisor's sign. Two sizes are equal
 * only if they are the same expression up to the laws of arithmetic: n * 2 and n + n are equal, (n // 2) * 2 and n are not. On failure
 * these functions return HARP_DIM_INVALID, and the graph stores the error.
 */
HARP_API harp_dim harp_dim_var(harp_graph* graph, const char* name, int64_t min, int64_t max);
HARP_API harp_dim harp_dim_add(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_sub(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_mul(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_floor_div(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_mod(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_min(harp_graph* graph, harp_dim a, harp_dim b);
HARP_API harp_dim harp_dim_max(harp_graph* graph, harp_dim a, harp_dim b);
/* Returns the size as text ("2*n + 1"). The caller owns the result. */
HARP_API harp_string* harp_dim_print(const harp_graph* graph, harp_dim dim, harp_error** err);

/* Declares an input. Inputs are numbered in the order of their declaration, and so are outputs; harp_program_run and entry points use this
 * order. The name is copied, and no two inputs may have the same name. dims may be NULL if rank is 0. */
HARP_API harp_node* harp_input(harp_graph* graph, const char* name, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* Declares a node as an output; no two outputs may have the same name. The graph also stores the error that the status reports. */
HARP_API harp_status harp_output(harp_graph* graph, const char* name, harp_node* node);

/* Make constants of rank 0. A number that the dtype cannot hold (2.5, 300 or NaN for an integer type, 2 for bool) is HARP_ERROR_RANGE;
 * floats round to nearest. The dtype of an integer constant may be HARP_UNKNOWN: in each operation the constant then takes the dtype of the
 * other operand, which must be able to hold it (harp_cast sets the dtype explicitly). An operation whose operands are all constants of
 * dtype HARP_UNKNOWN is HARP_ERROR_DTYPE, and so is such a constant as an output. */
HARP_API harp_node* harp_constant(harp_graph* graph, harp_dtype dtype, double value);
HARP_API harp_node* harp_constant_i64(harp_graph* graph, harp_dtype dtype, int64_t value);
HARP_API harp_node* harp_constant_u64(harp_graph* graph, harp_dtype dtype, uint64_t value);
HARP_API harp_node* harp_constant_bool(harp_graph* graph, int32_t value);
/* Makes the constant re + im * i of a complex dtype. (harp_constant with a complex dtype sets the imaginary part to 0.) */
HARP_API harp_node* harp_constant_complex(harp_graph* graph, harp_dtype dtype, double re, double im);
/* Makes a constant array whose sizes are plain numbers. data is row-major and copied; `size` is its byte count and must be that of the
 * array. Programs share the graph's copy. An array of more than 4 KiB is not part of the generated code: it is a hidden input, which the
 * program passes to the code in every run. Compiling therefore takes no longer for a large array than for a small one. */
HARP_API harp_node* harp_constant_array(harp_graph* graph, harp_dtype dtype, int32_t rank, const harp_dim* dims, size_t size,
                                        const void* data);
/* Returns the value of a size as an i64 of rank 0. */
HARP_API harp_node* harp_size(harp_graph* graph, harp_dim dim);

/* Properties of a node. harp_node_rank and harp_node_dtype return 0 for NULL. harp_node_name returns "" for NULL; the name is borrowed
 * until the graph is released. */
HARP_API int32_t harp_node_rank(const harp_node* node);
HARP_API harp_dtype harp_node_dtype(const harp_node* node);
HARP_API const char* harp_node_name(const harp_node* node);
/* Writes the node's sizes to dims: numbers, or handles that any building function of the graph accepts. rank must be
 * harp_node_rank(node). */
HARP_API harp_status harp_node_dims(const harp_node* node, int32_t rank, harp_dim* dims, harp_error** err);
HARP_API harp_graph* harp_node_graph(const harp_node* node); /* the graph of a node, borrowed; NULL for NULL */
/* Names a node for error messages, for the text format and for harp_graph_dot. If the node already has a name, it keeps that one. Returns
 * the node. */
HARP_API harp_node* harp_node_set_name(harp_node* node, const char* name);

/* How a node was made. harp_node_op returns the operation's name in the text format ("add", "input"; borrowed, valid for ever; "" for
 * NULL). harp_node_source_count and harp_node_source give the node's operands; an index out of range gives NULL. An operand has only one
 * handle: harp_node_source returns the handle that the function which made the operand returned. harp_node_attributes returns the
 * attributes as the text format writes them ("axes=[0], keepdims=true"; owned); if the node is one of several results of a custom function,
 * the text also says which result ("result=1"). A composite operation appears as its primitive operations. */
HARP_API const char* harp_node_op(const harp_node* node);
HARP_API int32_t harp_node_source_count(const harp_node* node);
HARP_API harp_node* harp_node_source(const harp_node* node, int32_t index);
HARP_API harp_string* harp_node_attributes(const harp_node* node, harp_error** err);

/* A 128-bit digest of a list of nodes. harp_nodes_digest computes it. Two lists that are made in the same order have equal digests if and
 * only if harp_compile_nodes makes the same program of them: in the same graph or in two graphs, and in any process with this version of
 * harp. Names do not count, constants do. A node that calls a function of the host (harp_native) is identified by the function's address,
 * so its digest is valid in this process only. */
typedef struct harp_digest {
  uint64_t high, low;
} harp_digest;
HARP_API harp_status harp_nodes_digest(int32_t n, harp_node* const* nodes, harp_digest* digest, harp_error** err);

/* Frees every node, inputs included, on which neither the n given nodes nor an output depends. The freed handles must not be used again;
 * other handles stay valid. This is for a graph that grows for as long as a program runs. A graph with an error is left unchanged. */
HARP_API harp_status harp_graph_drop_unreachable(harp_graph* graph, int32_t n, harp_node* const* nodes, harp_error** err);
/* Returns the number of nodes in the graph. */
HARP_API size_t harp_graph_node_count(const harp_graph* graph);

/* Returns the graph in harp's text format, which harp_graph_parse reads back. Composite operations appear as their primitive operations.
 * The caller owns the result. */
HARP_API harp_string* harp_graph_print(const harp_graph* graph, harp_error** err);
/* Makes a graph from `size` bytes of text. A syntax error is HARP_ERROR_PARSE with line, column and the offending token; other errors are
 * those of the operation. The function is safe on any input. docs/text-format.md describes the text format. */
HARP_API harp_graph* harp_graph_parse(harp_context* context, size_t size, const char* text, harp_error** err);
/* Returns a picture of the graph in the language of Graphviz (DOT). The caller owns the result. */
HARP_API harp_string* harp_graph_dot(const harp_graph* graph, harp_error** err);

/* Broadcasts two shapes of plain sizes as NumPy does. Writes the result's sizes to `dims`, which must have room for max(a_rank, b_rank)
 * numbers, the result's rank. Shapes that do not broadcast are an error: "Cannot broadcast shapes [2, 3] and [4]". */
HARP_API harp_status harp_broadcast_shapes(int32_t a_rank, const int64_t* a_dims, int32_t b_rank, const int64_t* b_dims, int64_t* dims,
                                           harp_error** err);
/* Maps an index of a broadcast result to the index of the element that it comes from, in an operand of shape `dims`. `index` has
 * result_rank numbers; `source` receives `rank` numbers. */
HARP_API harp_status harp_broadcast_index(int32_t result_rank, const int64_t* index, int32_t rank, const int64_t* dims, int64_t* source,
                                          harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 5  Operations
 *
 * Building functions as described in section 4: they return a borrowed node or NULL. All argument nodes must belong to the same graph.
 * docs/semantics.md defines the result of each operation bit by bit. Arrays of numbers that an argument points to are copied.
 *
 * "float" means f16, bf16, f32 or f64, "int" any integer dtype, "complex" complex64 or complex128; integer arithmetic wraps. A list of
 * dtypes in parentheses at the end of a comment names the only operand dtypes that the function accepts. "bool:" at the start of a comment
 * says that the result is bool. Float functions are correctly rounded if IEEE 754 defines them (add, mul, div, recip, sqrt, fma, floor
 * ...); other functions have an error of at most 1.3 units in the last place in f32 and 1.5 in f64. NaN, infinities, zeros and subnormals
 * follow Annex F of the C standard. A complex operation is a sequence of operations on the parts, each rounded. Complex numbers have no
 * order. If a step of such a sequence overflows, so does the result: complex arithmetic does not follow Annex G.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Elementwise, one operand. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: unary { */
HARP_API harp_node* harp_neg(harp_node* x);             /* -x (int, float, complex) */
HARP_API harp_node* harp_recip(harp_node* x);           /* 1 / x (float, complex) */
HARP_API harp_node* harp_abs(harp_node* x);             /* absolute value; complex: hypot of the parts, a float (int, float, complex) */
HARP_API harp_node* harp_sign(harp_node* x);            /* -1, 0 or 1; zeros and NaN are kept; complex: x / abs(x) (int, float, complex) */
HARP_API harp_node* harp_sqrt(harp_node* x);            /* square root (float, complex) */
HARP_API harp_node* harp_rsqrt(harp_node* x);           /* 1 / sqrt(x), computed as recip(sqrt(x)) */
HARP_API harp_node* harp_cbrt(harp_node* x);            /* cube root (float) */
HARP_API harp_node* harp_square(harp_node* x);          /* x * x */
HARP_API harp_node* harp_real(harp_node* x);            /* real part; a real number is returned unchanged */
HARP_API harp_node* harp_imag(harp_node* x);            /* imaginary part; 0 for a real number */
HARP_API harp_node* harp_conj(harp_node* x);            /* complex conjugate; a real number is returned unchanged */
HARP_API harp_node* harp_angle(harp_node* x);           /* atan2(imag(x), real(x)), radians in -pi..pi (float, complex) */
HARP_API harp_node* harp_view_as_real(harp_node* x);    /* reinterprets complex[...] as float[..., 2]: re, im (complex) */
HARP_API harp_node* harp_view_as_complex(harp_node* x); /* reinterprets float[..., 2] as complex[...] (f32, f64) */
HARP_API harp_node* harp_floor(harp_node* x);           /* rounds down to an integer (float) */
HARP_API harp_node* harp_ceil(harp_node* x);            /* rounds up to an integer (float) */
HARP_API harp_node* harp_round(harp_node* x);           /* rounds to the nearest integer, ties to even (float) */
HARP_API harp_node* harp_trunc(harp_node* x);           /* rounds towards 0 to an integer (float) */
HARP_API harp_node* harp_exp(harp_node* x);             /* e to the power x (float, complex) */
HARP_API harp_node* harp_exp2(harp_node* x);            /* 2 to the power x (float) */
HARP_API harp_node* harp_expm1(harp_node* x);           /* exp(x) - 1, accurate near 0 (float) */
HARP_API harp_node* harp_log(harp_node* x);             /* natural logarithm (float, complex) */
HARP_API harp_node* harp_log2(harp_node* x);            /* logarithm to base 2 (float) */
HARP_API harp_node* harp_log10(harp_node* x);           /* logarithm to base 10 (float) */
HARP_API harp_node* harp_log1p(harp_node* x);           /* log(1 + x), accurate near 0 (float) */
HARP_API harp_node* harp_sin(harp_node* x);             /* sine of x in radians, accurate over the whole range (float, complex) */
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
HARP_API harp_node* harp_erfc(harp_node* x);            /* 1 - erf(x), without cancellation (float) */
HARP_API harp_node* harp_sigmoid(harp_node* x);         /* 1 / (1 + exp(-x)) */
HARP_API harp_node* harp_relu(harp_node* x);            /* 0 where x <= 0, else x */
HARP_API harp_node* harp_silu(harp_node* x);            /* x * sigmoid(x) */
HARP_API harp_node* harp_softplus(harp_node* x);        /* log(1 + exp(x)) */
HARP_API harp_node* harp_selu(harp_node* x);            /* 1.0507 * elu(x, 1.6733), with both constants in full precision */
HARP_API harp_node* harp_relu6(harp_node* x);           /* clip(x, 0, 6); the gradient is 0 at the bounds */
HARP_API harp_node* harp_hardsigmoid(harp_node* x);     /* clip(x + 3, 0, 6) / 6 */
HARP_API harp_node* harp_hardswish(harp_node* x);       /* x * hardsigmoid(x) */
HARP_API harp_node* harp_mish(harp_node* x);            /* x * tanh(softplus(x)) */
HARP_API harp_node* harp_softsign(harp_node* x);        /* x / (1 + abs(x)) */
HARP_API harp_node* harp_logsigmoid(harp_node* x);      /* log(sigmoid(x)) */
HARP_API harp_node* harp_signbit(harp_node* x);         /* bool: true if the sign is negative; false for NaN (int, float) */
HARP_API harp_node* harp_isnan(harp_node* x);           /* bool: true if x is NaN (float, complex) */
HARP_API harp_node* harp_isinf(harp_node* x);           /* bool: true if x is infinite */
HARP_API harp_node* harp_isfinite(harp_node* x);        /* bool: true if x is neither NaN nor infinite */
HARP_API harp_node* harp_logical_not(harp_node* x);     /* bool: true if x is 0; any dtype */
HARP_API harp_node* harp_bitwise_not(harp_node* x);     /* inverts all bits; bool: logical not (bool, int) */
/* } */
/* clang-format on */

/* The exponential linear unit: x where x > 0, else alpha * expm1(x). */
HARP_API harp_node* harp_elu(harp_node* x, double alpha);
/* The continuously differentiable variant of harp_elu, for every alpha except 0: x where x > 0, else alpha * expm1(x / alpha). */
HARP_API harp_node* harp_celu(harp_node* x, double alpha);
/* The Gaussian error linear unit: x times the cumulative distribution function of the normal distribution. approximate: NULL or "none"
 * (uses erf), or "tanh". */
HARP_API harp_node* harp_gelu(harp_node* x, const char* approximate);
/* Clamps x to min_val .. max_val. The gradient is 0 at the bounds and outside them. */
HARP_API harp_node* harp_hardtanh(harp_node* x, double min_val, double max_val);
/* Returns x where x > 0, else negative_slope * x. */
HARP_API harp_node* harp_leaky_relu(harp_node* x, double negative_slope);
/* bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan 1) both are NaN (float, complex) */
HARP_API harp_node* harp_isclose(harp_node* a, harp_node* b, double rtol, double atol, int32_t equal_nan);
/* Raises x to the k-th power by repeated squaring. k < 0 raises 1 / x to the power -k, floats only. */
HARP_API harp_node* harp_powi(harp_node* x, int64_t k);
/* Converts x to another dtype; if x already has the dtype, returns x itself. To int: truncates and saturates, NaN gives 0. To bool: true
 * where x is not 0. To float: rounds to nearest, ties to even. */
HARP_API harp_node* harp_cast(harp_node* x, harp_dtype dtype);
/* Reinterprets the bytes of x as another dtype of the same size. */
HARP_API harp_node* harp_bitcast(harp_node* x, harp_dtype dtype);

/* Elementwise, two operands. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: binary { */
HARP_API harp_node* harp_add(harp_node* a, harp_node* b);                  /* a + b (int, float, complex) */
HARP_API harp_node* harp_sub(harp_node* a, harp_node* b);                  /* a - b */
HARP_API harp_node* harp_mul(harp_node* a, harp_node* b);                  /* a * b (int, float, complex) */
HARP_API harp_node* harp_div(harp_node* a, harp_node* b);                  /* a / b (float, complex) */
HARP_API harp_node* harp_floor_divide(harp_node* a, harp_node* b);         /* floor(a / b); integers: x // 0 = 0 (int, float) */
HARP_API harp_node* harp_remainder(harp_node* a, harp_node* b);            /* remainder of floor_divide, with the sign of b; integers: x % 0 = 0 (int, float) */
HARP_API harp_node* harp_fmod(harp_node* a, harp_node* b);                 /* remainder of the division rounded towards 0, with the sign of a (C's fmod and %) (int, float) */
HARP_API harp_node* harp_maximum(harp_node* a, harp_node* b);              /* the greater operand; NaN wins, +0 > -0 */
HARP_API harp_node* harp_minimum(harp_node* a, harp_node* b);              /* the lesser operand; NaN wins, -0 < +0 */
HARP_API harp_node* harp_pow(harp_node* a, harp_node* b);                  /* a to the power b; integers: b < 0 gives 0, unless a is 1 or -1 (int, float, complex) */
HARP_API harp_node* harp_atan2(harp_node* a, harp_node* b);                /* angle of the point (b, a) in radians (float) */
HARP_API harp_node* harp_hypot(harp_node* a, harp_node* b);                /* sqrt(a * a + b * b), without overflow (float) */
HARP_API harp_node* harp_copysign(harp_node* a, harp_node* b);             /* magnitude of a with the sign of b (float) */
HARP_API harp_node* harp_complex_from_parts(harp_node* re, harp_node* im); /* re + im * i; complex64 from f32, complex128 from f64 */
HARP_API harp_node* harp_lt(harp_node* a, harp_node* b);                   /* bool: a < b */
HARP_API harp_node* harp_le(harp_node* a, harp_node* b);                   /* bool: a <= b */
HARP_API harp_node* harp_gt(harp_node* a, harp_node* b);                   /* bool: a > b */
HARP_API harp_node* harp_ge(harp_node* a, harp_node* b);                   /* bool: a >= b */
HARP_API harp_node* harp_eq(harp_node* a, harp_node* b);                   /* bool: a == b */
HARP_API harp_node* harp_ne(harp_node* a, harp_node* b);                   /* bool: a != b */
HARP_API harp_node* harp_logical_and(harp_node* a, harp_node* b);          /* bool: true if a and b are both not 0; any dtype */
HARP_API harp_node* harp_logical_or(harp_node* a, harp_node* b);           /* bool: true if a or b is not 0; any dtype */
HARP_API harp_node* harp_logical_xor(harp_node* a, harp_node* b);          /* bool: true if exactly one of a and b is not 0; any dtype */
HARP_API harp_node* harp_bitwise_and(harp_node* a, harp_node* b);          /* bitwise and; bool: logical and (bool, int) */
HARP_API harp_node* harp_bitwise_or(harp_node* a, harp_node* b);           /* bitwise or; bool: logical or (bool, int) */
HARP_API harp_node* harp_bitwise_xor(harp_node* a, harp_node* b);          /* bitwise exclusive or; bool: logical exclusive or (bool, int) */
HARP_API harp_node* harp_left_shift(harp_node* a, harp_node* b);           /* a << b, with b modulo the bit width (int) */
HARP_API harp_node* harp_right_shift(harp_node* a, harp_node* b);          /* a >> b, arithmetic for signed a, with b modulo the bit width (int) */
HARP_API harp_node* harp_logaddexp(harp_node* a, harp_node* b);            /* log(exp(a) + exp(b)), without overflow (float) */
HARP_API harp_node* harp_nextafter(harp_node* a, harp_node* b);            /* the next representable number after a in the direction of b (float) */
/* } */
/* clang-format on */

/* Elementwise, three operands. */
/* clang-format off */
/* generated from src/ops/ops.def by src/capi/generate.py: ternary { */
HARP_API harp_node* harp_where(harp_node* condition, harp_node* a, harp_node* b); /* a where condition (bool) is true, else b */
HARP_API harp_node* harp_fma(harp_node* a, harp_node* b, harp_node* c);           /* a * b + c, rounded once (float) */
HARP_API harp_node* harp_clip(harp_node* x, harp_node* lo, harp_node* hi);        /* lo if x < lo, then hi if that is greater than hi; NaN is kept */
HARP_API harp_node* harp_lerp(harp_node* a, harp_node* b, harp_node* weight);     /* a + (b - a) * weight */
/* } */
/* clang-format on */

#define HARP_AXIS_NONE INT32_MIN /* in place of an axis: use the flattened array */

/*
 * Reductions over n_axes axes. axes NULL reduces over all axes and ignores n_axes; n_axes 0 reduces over none. With keepdims 1 the result
 * keeps the reduced axes with size 1; with 0 it drops them. A reduction over no elements gives 0 for sum, 1 for prod, false for any, true
 * for all, the least value of the dtype for max and the greatest for min (for max and min an axis whose size is the constant 0 is an
 * error). The order of additions in a sum depends on shape and axes only: see "Sums" in docs/semantics.md. NaN propagates through max and
 * min.
 */
HARP_API harp_node* harp_sum(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);  /* int, float */
HARP_API harp_node* harp_prod(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims); /* int, float */
HARP_API harp_node* harp_max(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
HARP_API harp_node* harp_min(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
HARP_API harp_node* harp_any(harp_node* x, int32_t n_axes, const int32_t* axes,
                             int32_t keepdims); /* true if an element is not 0; result: bool */
HARP_API harp_node* harp_all(harp_node* x, int32_t n_axes, const int32_t* axes,
                             int32_t keepdims); /* true if no element is 0; result: bool */
HARP_API harp_node* harp_count_nonzero(harp_node* x, int32_t n_axes, const int32_t* axes,
                                       int32_t keepdims); /* number of elements that are not 0; result: i64; any dtype */
HARP_API harp_node* harp_mean(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims); /* sum / count (float) */
/* The mean squared distance from the mean, but with the divisor count - correction instead of count (float) */
HARP_API harp_node* harp_var(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims);
HARP_API harp_node* harp_std(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction,
                             int32_t keepdims); /* sqrt(var) (float) */
/* The norm of vectors. order 2: sqrt(sum(x * x)). order 1: sum(abs(x)). order infinity: the greatest abs(x); -infinity: the least. order 0:
 * the number of elements that are not 0. Any other order: sum(abs(x)^order)^(1 / order) (float) */
HARP_API harp_node* harp_norm(harp_node* x, double order, int32_t n_axes, const int32_t* axes, int32_t keepdims);
/* harp_argmax and harp_argmin return the index (i64) of the greatest or least element along one axis, or in the flattened array
 * (HARP_AXIS_NONE). The first of several equal elements wins, and the first NaN wins over all numbers. An axis that is known to be empty is
 * HARP_ERROR_SHAPE; an axis that is empty only in a run gives 2147483647. */
HARP_API harp_node* harp_argmax(harp_node* x, int32_t axis, int32_t keepdims);
HARP_API harp_node* harp_argmin(harp_node* x, int32_t axis, int32_t keepdims);
/* log(sum(exp(x))), computed without overflow (float) */
HARP_API harp_node* harp_logsumexp(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims);
/* harp_softmax returns exp(x) / sum(exp(x)) along one axis, harp_log_softmax its logarithm, both computed without overflow (float) */
HARP_API harp_node* harp_softmax(harp_node* x, int32_t axis);
HARP_API harp_node* harp_log_softmax(harp_node* x, int32_t axis);

/*
 * Cumulative operations (scans) along one axis, or over the flattened array (HARP_AXIS_NONE): element i combines the elements 0 to i. The
 * result has x's dtype and shape (one axis for HARP_AXIS_NONE). flags: 0 or HARP_SCAN_... joined with |. The order in which sums and
 * products are evaluated depends on rank and axis only: see "Scans" in docs/semantics.md. NaN propagates. An axis out of range is
 * HARP_ERROR_SHAPE, an unknown flag HARP_ERROR_INVALID_ARGUMENT.
 */
#define HARP_SCAN_EXCLUSIVE 1u /* element i excludes itself; the first is 0 (sum), 1 (product), the least (max) or greatest value (min) */
#define HARP_SCAN_REVERSE 2u   /* from the end of the axis: element i combines the elements from i on */

HARP_API harp_node* harp_cumsum(harp_node* x, int32_t axis, uint32_t flags);  /* int, float */
HARP_API harp_node* harp_cumprod(harp_node* x, int32_t axis, uint32_t flags); /* int, float */
HARP_API harp_node* harp_cummax(harp_node* x, int32_t axis, uint32_t flags);  /* bool, int, float: the greatest element so far */
HARP_API harp_node* harp_cummin(harp_node* x, int32_t axis, uint32_t flags);  /* bool, int, float: the least element so far */
/* log(cumsum(exp(x))), computed without overflow. The result is -inf where all elements so far are -inf; the exclusive scan begins with
 * -inf (float) */
HARP_API harp_node* harp_logcumsumexp(harp_node* x, int32_t axis, uint32_t flags);
/* harp_cummax_with_indices and harp_cummin_with_indices return the running maximum or minimum as *values. *indices (i64) receives the index
 * of the latest element that equals it, or of the latest NaN. */
HARP_API harp_status harp_cummax_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);
HARP_API harp_status harp_cummin_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices);

/*
 * Views: they reorder or select elements and compute and copy nothing.
 */
/* harp_permute and harp_transpose reorder axes: result axis i is source axis axes[i]. For harp_transpose, axes NULL reverses all axes. */
HARP_API harp_node* harp_permute(harp_node* x, int32_t n_axes, const int32_t* axes);
HARP_API harp_node* harp_transpose(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Moves axis source[i] to position destination[i]; the other axes keep their order. */
HARP_API harp_node* harp_moveaxis(harp_node* x, int32_t n_axes, const int32_t* source, const int32_t* destination);
/* Inserts axes of size 1: axis axes[i] of the result is an inserted axis. */
HARP_API harp_node* harp_unsqueeze(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Removes axes of size 1; axes NULL removes all of them. */
HARP_API harp_node* harp_squeeze(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Reverses the elements along the given axes; axes NULL reverses all axes. */
HARP_API harp_node* harp_flip(harp_node* x, int32_t n_axes, const int32_t* axes);
/* Stretches axes of size 1 to the sizes dims; rank is the rank of x. A size of -1 keeps the axis as it is. */
HARP_API harp_node* harp_expand(harp_node* x, int32_t rank, const harp_dim* dims);
/* Broadcasts x to the shape dims as NumPy does: missing axes are added on the left, axes of size 1 stretch. */
HARP_API harp_node* harp_broadcast_to(harp_node* x, int32_t rank, const harp_dim* dims);
/* Changes the shape and keeps the elements in row-major order. One size may be -1; harp computes it from the others. */
HARP_API harp_node* harp_reshape(harp_node* x, int32_t rank, const harp_dim* dims);
/* Merges the axes start_axis to end_axis, both included, into one. */
HARP_API harp_node* harp_flatten(harp_node* x, int32_t start_axis, int32_t end_axis);
/* x[start:stop:step] on each of the `rank` axes, as in Python: negative positions count from the end (symbolic ones do not), positions
 * outside the axis are clamped, HARP_SLICE_NONE is an open end, and steps may be negative. start or stop NULL means open on every axis,
 * step NULL means 1. x[1:] and x[:-1] have the same size for every size of x, and so have x[-1:] and x[:1]. */
HARP_API harp_node* harp_slice(harp_node* x, int32_t rank, const harp_dim* start, const harp_dim* stop, const int64_t* step);
/* Window parameters, here and in convolutions and pools, are a count and a list. A count of 0 (the list may then be NULL) selects the
 * default; a count of 1 gives one number for all axes; otherwise there is one number for each axis, in the axes' order. A padding may also
 * have two numbers for each axis: before it and after it. Any other count is HARP_ERROR_SHAPE.
 *
 * harp_unfold returns windows of `size` elements along axes, as a view; the window axes come last. stride is the distance between windows
 * and dilation the distance between elements of a window, both 1 by default. A window size may be 0: an axis of n elements then has n /
 * stride + 1 windows, and the result has no elements. A symbolic window size that is 0 in a run is HARP_ERROR_RANGE. */
HARP_API harp_node* harp_unfold(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t n_size, const harp_dim* size, int32_t n_stride,
                                const int64_t* stride, int32_t n_dilation, const int64_t* dilation);
/* harp_unfold1d, harp_unfold2d and harp_unfold3d return windows along the last one, two or three axes. padding (0 by default) adds zeros
 * around x; a negative padding removes elements. */
HARP_API harp_node* harp_unfold1d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
HARP_API harp_node* harp_unfold2d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
HARP_API harp_node* harp_unfold3d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride,
                                  int32_t n_dilation, const int64_t* dilation, int32_t n_padding, const harp_dim* padding);
/* Returns the elements whose index along axis2 equals their index along axis1 plus offset. The diagonal becomes the last axis and replaces
 * axis1 and axis2. */
HARP_API harp_node* harp_diagonal(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
/* numpy.diag: for an array of one axis, the matrix with this array on its k-th diagonal and zeros elsewhere; for a matrix, its k-th
 * diagonal. */
HARP_API harp_node* harp_diag(harp_node* x, int64_t k);
/* x[1:] - x[:-1] along an axis, applied n times (0 to 64). For bool, true where neighbours differ. */
HARP_API harp_node* harp_diff(harp_node* x, int64_t n, int32_t axis);
/* Rotates x by 90 degrees k times, in the direction from axis1 to axis2. */
HARP_API harp_node* harp_rot90(harp_node* x, int64_t k, int32_t axis1, int32_t axis2);
/* Resizes the last n_axes axes to the sizes `size`. mode: NULL or "nearest" (any dtype); for floats also "linear", "cubic" (Keys' kernel
 * with cubic_coeff_a, -0.75 in PyTorch and ONNX) or "area" (means, as in adaptive average pooling). coordinates, as in ONNX's Resize: NULL
 * or "half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners". nearest_mode: NULL or "round_prefer_floor", "round_prefer_ceil",
 * "floor", "ceil". PyTorch's mode "nearest" is coordinates "asymmetric" with nearest_mode "floor". scales: one number for each axis, from
 * which the coordinates are computed; with n_scales 0 the scale is the size of the result / the size of x. An axis of x that is known to be
 * empty is HARP_ERROR_SHAPE. If it is empty only in a run, the result is 0, or NaN with "area", whose mean has no elements. */
HARP_API harp_node* harp_interpolate(harp_node* x, int32_t n_axes, const harp_dim* size, int32_t n_scales, const double* scales,
                                     const char* mode, const char* coordinates, const char* nearest_mode, double cubic_coeff_a);
/* Stores the value in a row-major array of its own, so that it is computed once. Never needed for correct results. */
HARP_API harp_node* harp_contiguous(harp_node* x);
/* Returns `indices` and checks them. A run fails with HARP_ERROR_RANGE if an index is not in -size..size-1, the valid indices of an axis of
 * that size. The message names `indices`, the first invalid index in row-major order, its position and the size. If several checks fail,
 * the message is about the first one in the graph; if a check and a harp_native function both fail, it is about either (harp_native does
 * not receive indices that failed). The message begins with `what` ("the vocabulary": `the vocabulary has 5 elements, but element 7 of
 * "ids" asks for 9`), or with "check_index: the axis" if `what` is NULL. After a failed run the outputs are undefined; program and context
 * stay usable. harp never accesses memory outside an array, with or without the check. The check runs only if an output depends on the
 * indices: check_index(i, n) * 0 is 0 for all indices, so nothing is checked. */
HARP_API harp_node* harp_check_index(harp_node* indices, harp_dim size, const char* what);

/*
 * Joining and splitting.
 */
/* harp_concat joins arrays along an axis. harp_stack joins arrays of equal shape along a new axis, which becomes axis `axis` of the
 * result. */
HARP_API harp_node* harp_concat(int32_t n, harp_node* const* nodes, int32_t axis);
HARP_API harp_node* harp_stack(int32_t n, harp_node* const* nodes, int32_t axis);
/* Splits x into equal parts along an axis and writes them to parts[0] ... parts[sections - 1]. */
HARP_API harp_status harp_split(harp_node* x, int32_t sections, int32_t axis, harp_node** parts);
/* Splits x before each of n positions and writes n + 1 parts. */
HARP_API harp_status harp_split_at(harp_node* x, int32_t n, const harp_dim* positions, int32_t axis, harp_node** parts);
/* Splits an axis of constant size n into n parts without that axis: the inverse of harp_stack. */
HARP_API harp_status harp_unstack(harp_node* x, int32_t axis, int32_t n, harp_node** parts);
/* Makes coordinate arrays: each of n arrays of one axis (or scalars) is stretched along the axes of the others and written to results[0]
 * ... results[n - 1]. indexing: "ij" (array i varies along axis i), or NULL or "xy" (the first two axes are exchanged, as in NumPy). */
HARP_API harp_status harp_meshgrid(int32_t n, harp_node* const* nodes, const char* indexing, harp_node** results);
/* Adds before[i] and after[i] elements at the ends of axis i, as numpy.pad. mode: NULL or "constant" (`value`, a node of rank 0 and x's
 * dtype; NULL: 0), "edge" (the nearest element), "reflect" (mirrored at the edge element, which is not repeated), "symmetric" (mirrored
 * behind the edge element, which is repeated), "wrap" (periodic). The modes repeat over as many periods as needed. A mode other than
 * constant cannot pad an empty axis: HARP_ERROR_SHAPE, or HARP_ERROR_RANGE in a run if that depends on symbolic sizes. A negative number
 * removes elements. */
HARP_API harp_node* harp_pad(harp_node* x, int32_t rank, const harp_dim* before, const harp_dim* after, const char* mode, harp_node* value);
/* Repeats each element `repeats` times, next to each other, along an axis or in the flattened array (HARP_AXIS_NONE). */
HARP_API harp_node* harp_repeat(harp_node* x, harp_dim repeats, int32_t axis);
/* Repeats the whole array repeats[i] times along axis i. If n differs from the rank, ones are added on the left of the shorter one of
 * repeats and x's shape, as in numpy.tile. */
HARP_API harp_node* harp_tile(harp_node* x, int32_t n, const harp_dim* repeats);
/* Shifts elements by shift[i] positions along axes[i]; elements that leave at one end enter at the other. axes NULL shifts the flattened
 * array; n is then 1. */
HARP_API harp_node* harp_roll(harp_node* x, int32_t n, const harp_dim* shift, const int32_t* axes);

/*
 * Indexing with arrays. indices are integers of any dtype. A negative index counts from the end (-1 is the last element). An index that is
 * still out of range is clamped to the nearest element, or fails the run if indices are checked (check_indices of harp_compile_options,
 * harp_check_index). harp never accesses memory outside an array. If the indexed axis is empty, reads give 0 and writes have no effect; if
 * it is known to be empty when the graph is built, the call fails with HARP_ERROR_SHAPE. Indices that are not integers are
 * HARP_ERROR_DTYPE.
 */
/* ONNX's GatherND. The last axis of `indices` has a constant size k; it holds tuples of k indices, and each tuple selects an element along
 * k axes of x. The result's axes are the other axes of indices, then the other axes of x. batch_dims: the number of leading axes that x and
 * indices share and that stay in the result. A tuple with an index out of range reads the last element, or fails the run with
 * check_indices. */
HARP_API harp_node* harp_gather_nd(harp_node* x, harp_node* indices, int64_t batch_dims);
/* numpy.take: reads the elements `indices` along an axis, and the axes of indices replace that axis; HARP_AXIS_NONE uses the flattened
 * array. Along axis 0 of a matrix it returns rows. */
HARP_API harp_node* harp_take(harp_node* x, harp_node* indices, int32_t axis);
/* numpy.take_along_axis: element i of the result along the axis is x's element indices[i] along it, at the same position on all other axes.
 * indices must have x's sizes except along the axis (HARP_ERROR_SHAPE). The result has the shape of indices. */
HARP_API harp_node* harp_take_along_axis(harp_node* x, harp_node* indices, int32_t axis);
/* torch.scatter: returns x with updates[i] written to element indices[i] along the axis, at the same position on all other axes. x and
 * updates have the same dtype, which may be any. indices must have x's sizes except along the axis, and updates the sizes of indices
 * (HARP_ERROR_SHAPE). Updates are applied in their order: if several updates write the same element, the last one wins, and only it has a
 * gradient. */
HARP_API harp_node* harp_scatter(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
/* harp_scatter_add, harp_scatter_mul, harp_scatter_max and harp_scatter_min are harp_scatter with a combination: the update is added to the
 * element (torch.scatter_add), multiplies it, or replaces it if it is greater or less (NaN wins). They accept numbers; mul only integers
 * and floats; max and min only ordered dtypes, including bool. Updates of the same element are combined in their order, so the result has
 * the same bits in every run; narrow dtypes are combined in i32 or f32 and converted once. The gradient of reads by index is a scatter_add.
 * For max and min, elements that tie share the gradient. */
HARP_API harp_node* harp_scatter_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_mul(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_max(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
HARP_API harp_node* harp_scatter_min(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);
/* torch.scatter_reduce. reduction: NULL or "sum", "prod", "max", "min" as in harp_scatter_add and its relatives, or "mean" of floats and
 * complex numbers: the sum divided by the number of updates, plus one for the element itself. ("amax", "amin", "add" and "mul" are max,
 * min, sum and prod.) With include_self 0 an element that has updates is the reduction of these alone; an element without updates keeps its
 * value. Any other reduction is HARP_ERROR_INVALID_ARGUMENT. */
HARP_API harp_node* harp_scatter_reduce(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis, const char* reduction,
                                        int32_t include_self);
/* ONNX's ScatterND. The last axis of `indices` has a constant size k; it holds tuples of k indices along the first k axes of x. Each tuple
 * selects an element of x or, if x has further axes, the subarray along these. The axes of updates must be the axes of indices without the
 * last one, followed by those further axes of x (HARP_ERROR_SHAPE). reduction: NULL, "set" or "none", or a reduction of
 * harp_scatter_reduce. A tuple with an index out of range selects the last element, or fails the run with check_indices. */
HARP_API harp_node* harp_scatter_nd(harp_node* x, harp_node* indices, harp_node* updates, const char* reduction);
/* torch.index_add: harp_scatter_add with one index for each position along the axis. indices have rank 1. updates have x's sizes except
 * along the axis, where they have one position for each index. Along axis 0 of a matrix, rows are added to rows. */
HARP_API harp_node* harp_index_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis);

/*
 * Sorting and searching, for bool, int and float. Sorting is stable: equal elements keep their order. -0 equals 0. NaN is greater than
 * every number, so it comes last, or first if descending is not 0. axis HARP_AXIS_NONE sorts the flattened array. A dtype without an order
 * is HARP_ERROR_DTYPE.
 */
/* Returns the indices (i64) that sort x along an axis. */
HARP_API harp_node* harp_argsort(harp_node* x, int32_t axis, int32_t descending);
/* Sorts x along an axis; the result has x's dtype. */
HARP_API harp_node* harp_sort(harp_node* x, int32_t axis, int32_t descending);
/* Finds the k largest elements along an axis, the greatest first (largest 0: the k smallest, the least first). Writes them to *values and
 * their indices (i64) to *indices. Of equal elements the first ones are chosen. A k that exceeds the size is HARP_ERROR_SHAPE, or
 * HARP_ERROR_RANGE in a run if that depends on symbolic sizes. */
HARP_API harp_status harp_topk(harp_node* x, harp_dim k, int32_t axis, int32_t largest, harp_node** values, harp_node** indices);
/* Returns an array of bool in the shape of elements: true where an element equals one of test_elements (invert 1: equals none); any dtype.
 * NaN equals nothing. */
HARP_API harp_node* harp_isin(harp_node* elements, harp_node* test_elements, int32_t invert);
/* Returns for each value the index (i64) at which it would be inserted into `sorted`, an array of one axis in ascending order with the
 * dtype of values. side: NULL or "left" inserts before all equal elements, "right" after them. The result has the shape of values. */
HARP_API harp_node* harp_searchsorted(harp_node* sorted, harp_node* values, const char* side);

/*
 * Fourier transforms, as in numpy.fft: the sum of x[k] exp(-2 pi i j k / n) along an axis, for f32, f64 and complex numbers, in O(n log n)
 * steps for every length. n is the length of the transform: x is cut or padded with zeros to n elements; 0 means the size of x along the
 * axis. norm: NULL or "backward" divides only the inverse transform by n, "forward" only the forward one, "ortho" divides both by the
 * square root of n. A length below 1 is HARP_ERROR_RANGE; f16 and bf16 are HARP_ERROR_DTYPE.
 */
HARP_API harp_node* harp_fft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
HARP_API harp_node* harp_ifft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* Transforms real numbers: returns the first n / 2 + 1 elements of the transform; the remaining ones are their complex conjugates. */
HARP_API harp_node* harp_rfft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* The inverse of harp_rfft: returns n real numbers from the first n / 2 + 1 elements of their transform. n 0 means 2 (m - 1) for m
 * elements. */
HARP_API harp_node* harp_irfft(harp_node* x, harp_dim n, int32_t axis, const char* norm);
/* harp_fftn, harp_ifftn, harp_rfftn, harp_irfftn and their versions for two axes transform several axes, one after the other, the last one
 * first. For transforms of real numbers the last axis holds half of the transform. s: the length along each axis, or NULL. axes NULL: the
 * last n_axes axes, or all axes if n_axes is 0 (s is NULL then). For harp_fft2, harp_ifft2, harp_rfft2 and harp_irfft2, axes NULL means the
 * last two axes. */
HARP_API harp_node* harp_fftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_ifftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_rfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_irfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_fft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_ifft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_rfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
HARP_API harp_node* harp_irfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm);
/* The primitive behind the other transforms. Transforms each row of the last axis of the real and imaginary parts re and im (f32 or f64,
 * equal shapes). The result has a new first axis of size 2: the real parts, then the imaginary parts. */
HARP_API harp_node* harp_dft(harp_node* re, harp_node* im);

/*
 * New arrays.
 */
/* Makes an array whose elements all equal `value`, a node of rank 0. */
HARP_API harp_node* harp_full(harp_node* value, int32_t rank, const harp_dim* dims);
/* Makes the numbers start, start + step, ... before stop (step < 0: down to but not including stop). Sizes may be symbolic. */
HARP_API harp_node* harp_arange(harp_graph* graph, harp_dtype dtype, harp_dim start, harp_dim stop, int64_t step);
/* Makes `count` equally spaced numbers from start to stop, both included. dtype: float. */
HARP_API harp_node* harp_linspace(harp_graph* graph, harp_dtype dtype, double start, double stop, harp_dim count);
/* Makes a matrix with 1 on the diagonal and 0 elsewhere. */
HARP_API harp_node* harp_eye(harp_graph* graph, harp_dtype dtype, harp_dim rows, harp_dim columns);
/* harp_tril keeps the elements of the last two axes on and below the k-th diagonal, harp_triu those on and above it; the rest is 0. */
HARP_API harp_node* harp_tril(harp_node* x, int64_t k);
HARP_API harp_node* harp_triu(harp_node* x, int64_t k);
/* Adds a last axis of size `depth` that is 1 at the position of the index and 0 elsewhere. indices: int. */
HARP_API harp_node* harp_one_hot(harp_node* indices, harp_dim depth, harp_dtype dtype);

/*
 * Random numbers, as a pure function of a key and a counter. There is no hidden state: the same key and counter give the same array, on
 * every backend, with any number of threads. key: u32 or u64 of rank 0, a constant or an input; different keys give different streams.
 * counter: u32 or u64 of rank 0; NULL means 0. The first element uses this counter, and each following element in row-major order uses the
 * next. [n] numbers at counter c and [m] numbers at counter c + n therefore equal [n + m] numbers at c. A program that draws again in each
 * run takes the counter as an input; the host passes the number of elements drawn so far. Sizes may be symbolic. The generator is
 * Threefry-2x32 with 20 rounds ("Random numbers" in docs/semantics.md); it is not cryptographically secure. Keys are integers, so no
 * gradient passes through them.
 *
 * A key or counter of another dtype is HARP_ERROR_DTYPE, of another rank HARP_ERROR_SHAPE.
 */

/* Uniform over all values of the dtype: u8, u16, u32 or u64. The numbers of dtype u64 can serve as new keys. */
HARP_API harp_node* harp_random_bits(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* Uniform over the multiples of 2^-24 in [0, 1) (f64: 2^-53, f16: 2^-11, bf16: 2^-8). dtype: float. */
HARP_API harp_node* harp_random_uniform(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);
/* Normal distribution with mean 0 and variance 1, by the Box-Muller method; absolute values are at most 6.8 (f64: 9.5). dtype: float. */
HARP_API harp_node* harp_random_normal(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims);

/*
 * Matrix products and other sums of products: int, float and complex; all sizes may be symbolic. Operands must have the same dtype. Shapes
 * follow NumPy whatever the graph's flags are: an axis stretches if its size is the constant 1. Sizes that must agree and do not are
 * HARP_ERROR_SHAPE.
 */

/* The matrix product: [..., m, k] and [..., k, n] give [..., m, n]; the leading axes broadcast. An array of one axis is a row on the left
 * and a column on the right; the result does not have that axis. Scalars are an error. */
HARP_API harp_node* harp_matmul(harp_node* a, harp_node* b);
/* As harp_matmul, but both operands must have at least two axes. */
HARP_API harp_node* harp_batch_matmul(harp_node* a, harp_node* b);
/* numpy.dot: contracts the last axis of a with the second to last axis of b (or its only axis). The result has the other axes of a, then
 * those of b. If an operand is a scalar, dot multiplies elementwise. */
HARP_API harp_node* harp_dot(harp_node* a, harp_node* b);
/* The dot product along the same axis of both operands. The axis must be -1 unless the ranks are equal; the other axes broadcast. */
HARP_API harp_node* harp_vecdot(harp_node* a, harp_node* b, int32_t axis);
/* The cross product of vectors of 3 elements along the same axis of both operands, counted from the end if the ranks differ. The other axes
 * broadcast. */
HARP_API harp_node* harp_cross(harp_node* a, harp_node* b, int32_t axis);
/* Contracts axis a_axes[i] of a with axis b_axes[i] of b, for n_axes pairs. The result has the other axes of a, then those of b. */
HARP_API harp_node* harp_tensordot(harp_node* a, harp_node* b, int32_t n_axes, const int32_t* a_axes, const int32_t* b_axes);
/* Multiplies every element of a with every element of b. The result's shape is the shape of a, then that of b. */
HARP_API harp_node* harp_outer(harp_node* a, harp_node* b);
/* The sum of a diagonal, see harp_diagonal. */
HARP_API harp_node* harp_trace(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2);
/* numpy.einsum. spec has a term for each of the n arrays, separated by commas, with a letter for each axis; the letters after "->" are the
 * axes of the result ("bij,bjk->bik"). Letters that are not in the result are summed. A letter that appears twice in one term selects a
 * diagonal. "..." stands for axes that broadcast. Without "->" the result has "..." and the letters that appear once, in alphabetical
 * order. Arrays are contracted two at a time: in the order with the fewest multiplications if all sizes are plain numbers, else from left
 * to right. HARP_ERROR_INVALID_ARGUMENT: spec is malformed or has another number of terms than n. HARP_ERROR_SHAPE: spec does not fit the
 * arrays. */
HARP_API harp_node* harp_einsum(const char* spec, int32_t n, harp_node* const* nodes);

/*
 * Convolutions and pools. Windows are views: harp makes no array of them.
 *
 * x is [batch, channels, space ...] with one, two or three space axes. stride, padding and dilation are for the space axes: lists with
 * counts, as in harp_unfold; stride and dilation are 1 by default, padding 0. Padding elements are zeros; a negative padding removes
 * elements of x. Kernels are not flipped (as in PyTorch). int and float. A window that always extends beyond its padded axis is
 * HARP_ERROR_SHAPE; if that depends on symbolic sizes, the result is empty.
 */

/* harp_conv1d, harp_conv2d and harp_conv3d: convolution. weight is [out, channels / groups, kernel ...]: the channels form `groups` equal
 * groups, and each group of x is convolved into an equal share of the out channels. bias is [out] or NULL. The result is [batch, out, space
 * ...]. A space axis of the result has (size + padding - dilation * (kernel - 1) - 1) / stride + 1 elements, where padding is the sum of
 * both ends. */
HARP_API harp_node* harp_conv1d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
HARP_API harp_node* harp_conv2d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
HARP_API harp_node* harp_conv3d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                int32_t n_padding, const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups);
/* harp_conv_transpose1d, harp_conv_transpose2d and harp_conv_transpose3d: transposed convolution. The product of x[i] and weight[k] is
 * added to the result at position i * stride + k * dilation - padding before the axis. weight is [channels, out / groups, kernel ...], bias
 * is [out] or NULL. Along an axis the result has (size - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - padding elements,
 * where padding is the sum of both ends. output_padding, 0 by default, is less than the stride or the dilation. */
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
 * Pools: windows over the last n_axes axes of x; any number of axes may precede them. size has n_axes numbers. The names are PyTorch's. A
 * negative padding removes elements of x.
 */
typedef struct harp_pool_options {
  size_t struct_size;
  int32_t n_stride, n_padding, n_dilation; /* counts of the lists below, as in harp_unfold */
  int32_t reserved;
  const int64_t* stride;   /* default: the window's size */
  const harp_dim* padding; /* default: 0 */
  const int64_t* dilation; /* default: 1 */
  /* 1: the last window of an axis may extend beyond the padding if it starts inside x or the padding before x */
  int32_t ceil_mode;
  /* harp_avg_pool. 1: padding elements count as zeros; 0: they are left out of the mean. Elements beyond the padding are always left
   * out. */
  int32_t count_include_pad;
} harp_pool_options;

#define HARP_POOL_OPTIONS_INIT \
  { sizeof(harp_pool_options), 0, 0, 0, 0, NULL, NULL, NULL, 0, 1 }

/* The greatest element of each window; not complex. Padding is never chosen. options NULL: the defaults. */
HARP_API harp_node* harp_max_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
/* The mean of each window; NaN if no element of the window counts. options NULL: the defaults. x: float. */
HARP_API harp_node* harp_avg_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options);
/* Writes harp_max_pool to *values. *indices (i64) receives the index of each maximum in the flattened plane of the last n_axes axes of x:
 * of equal elements the first, and the first NaN if there is one. */
HARP_API harp_status harp_max_pool_with_indices(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                                                harp_node** values, harp_node** indices);
/* Inverts harp_max_pool_with_indices: makes planes of zeros and writes each element of x at its index; any dtype. indices are integers in
 * x's shape. If two elements have the same index, the later one wins. output_size has n_output_size numbers, the sizes of a plane.
 * n_output_size is n_axes, or 0 for the smallest plane that has these windows, (size of x - 1) * stride - padding + window. Indices follow
 * the rules of "Indexing with arrays": a negative index counts from the end. dilation and ceil_mode are ignored. */
HARP_API harp_node* harp_max_unpool(harp_node* x, harp_node* indices, int32_t n_axes, const harp_dim* size,
                                    const harp_pool_options* options, int32_t n_output_size, const harp_dim* output_size);

/*
 * Layers and losses: float.
 */

/* (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the axes. weight and bias have the sizes of these axes, in
 * ascending order, or are NULL. */
HARP_API harp_node* harp_layer_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
/* x / sqrt(mean(x * x) + eps) * weight + bias, with the mean over the axes. weight and bias are as in harp_layer_norm. */
HARP_API harp_node* harp_rms_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps);
/* (x - mean) / sqrt(var + eps) * weight + bias for each channel; channels lie along `axis` (1 in [batch, channels, space ...]). mean and
 * var have one number for each channel; if both are NULL, they are those of x over all other axes. weight and bias have one number for each
 * channel, or are NULL. */
HARP_API harp_node* harp_batch_norm(harp_node* x, harp_node* mean, harp_node* var, harp_node* weight, harp_node* bias, int32_t axis,
                                    double eps);
/* harp_group_norm and harp_instance_norm normalise as harp_batch_norm does, but each array of the batch by itself. harp_group_norm takes
 * mean and variance over each of num_groups equal groups of channels and their space axes, harp_instance_norm over the space axes of each
 * channel. x is [batch, channels, space ...]. */
HARP_API harp_node* harp_group_norm(harp_node* x, int64_t num_groups, harp_node* weight, harp_node* bias, double eps);
HARP_API harp_node* harp_instance_norm(harp_node* x, harp_node* weight, harp_node* bias, double eps);
/* PyTorch's attention without dropout: softmax(query @ key^T * scale + mask) @ value over the last two axes, [..., length, features]; the
 * leading axes broadcast. mask: NULL, bool (true takes part), or floats that are added to the scores; it broadcasts to [..., query length,
 * key length]. is_causal 1: query i attends to the keys 0 to i. scale NULL: 1 / sqrt(features). enable_gqa 1 (grouped-query attention): the
 * third to last axis counts heads, and each head of key and value serves an equal number of consecutive query heads. A query that attends
 * to no key gives 0. */
HARP_API harp_node* harp_scaled_dot_product_attention(harp_node* query, harp_node* key, harp_node* value, harp_node* mask,
                                                      int32_t is_causal, const double* scale, int32_t enable_gqa);
/* The Huber loss: half the squared distance up to delta, and delta * (distance - delta / 2) beyond it. reduction as in harp_mse_loss. */
HARP_API harp_node* harp_huber_loss(harp_node* x, harp_node* target, double delta, const char* reduction);
/* harp_binary_cross_entropy returns -(target * log(x) + (1 - target) * log(1 - x)) for probabilities x, with logarithms clamped to at least
 * -100. harp_binary_cross_entropy_with_logits returns the same for sigmoid(x) without its rounding error; if pos_weight is given, target is
 * multiplied by it. weight and pos_weight: NULL, or floats that broadcast to x. Where a logarithm is clamped, it contributes 0 to the
 * gradient (with respect to x): for a target of 1 the gradient at x = 0 is 0, and for a target of 0 that at x = 1. reduction as in
 * harp_mse_loss. */
HARP_API harp_node* harp_binary_cross_entropy(harp_node* x, harp_node* target, harp_node* weight, const char* reduction);
HARP_API harp_node* harp_binary_cross_entropy_with_logits(harp_node* x, harp_node* target, harp_node* weight, harp_node* pos_weight,
                                                          const char* reduction);
/* The squared error (x - target)^2. reduction: NULL or "mean", "sum", or "none" (the array of losses). */
HARP_API harp_node* harp_mse_loss(harp_node* x, harp_node* target, const char* reduction);
#define HARP_CLASS_NONE INT64_MIN /* in place of ignore_index: no class is ignored */
/* -log(softmax(x)) of the target, along the axis of classes (HARP_AXIS_NONE: axis 1, or axis 0 if x has one axis). target: class numbers as
 * integers, in x's shape without that axis (a number that is no class gives a loss of NaN), or class probabilities as floats in x's shape.
 * weight: NULL, or a number for each class that multiplies its losses. ignore_index: losses of this class number are 0; HARP_CLASS_NONE
 * ignores no class. label_smoothing: this share of the target, 0 to 1, is distributed over all classes. reduction as in harp_mse_loss; a
 * mean over class numbers is divided by the sum of the weights of the targets that are not ignored. */
HARP_API harp_node* harp_cross_entropy(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index,
                                       double label_smoothing, const char* reduction);
/* harp_cross_entropy for log-probabilities: -x of the target's class. target: class numbers as integers. */
HARP_API harp_node* harp_nll_loss(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index,
                                  const char* reduction);

/*
 * Operations of your own, from an expression: "where(x0 > 0, x0*x1, exp(x1) - 1)" over n arrays called x0, x1 ...
 *
 * The syntax is that of the text format (docs/text-format.md, "Expressions of your own"): Python's operators, calls of every elementwise
 * operation, cast(x0, dtype=f64), and numbers. A number takes the dtype of the other operand. The expression becomes ordinary nodes, which
 * are fused and have gradients like any others. Any text is safe: a syntax error is HARP_ERROR_PARSE with its column, an operation that
 * is not elementwise is HARP_ERROR_INVALID_ARGUMENT.
 */
HARP_API harp_node* harp_custom_elementwise(int32_t n, harp_node* const* nodes, const char* expr);
/* Reduces the values of an expression over n_axes axes (NULL: all). op: "sum", "prod", "max" or "min". */
HARP_API harp_node* harp_custom_reduce(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t n_axes,
                                       const int32_t* axes, int32_t keepdims);
/* Computes running values of an expression along one axis, or over the flattened array (HARP_AXIS_NONE), as harp_cumsum, harp_cumprod,
 * harp_cummax and harp_cummin do. op: "sum", "prod", "max" or "min". flags: 0 or HARP_SCAN_... joined with |. */
HARP_API harp_node* harp_custom_cumulative(int32_t n, harp_node* const* nodes, const char* expr, const char* op, int32_t axis,
                                           uint32_t flags);

/*
 * A function of your own in a small loop language. It runs once for each element of the result:
 *
 *     let best = f32(-inf)
 *     for i in 0 .. size(input0, 1) {
 *       let x = input0[ridx0, i]
 *       if x > best { best = x }
 *     }
 *     output = best
 *
 * ridx0, ridx1 ... are the element's indices and shape0, shape1 ... the sizes of the result's axes. input0[i, j] is an element of an input,
 * at any index. output is the element of the result, initially 0. Data may determine the bounds of a loop (for k in input1[ridx0] ..
 * input1[ridx0 + 1]), and a loop may end when it is done (while error > 1e-6 { ... }, break). let s = f32[8] is a local array of zeros.
 * docs/text-format.md has the grammar ("Functions of your own"). At most 256 inputs, 64 results and 64 KiB of text are allowed. An error in
 * the text is HARP_ERROR_PARSE, HARP_ERROR_DTYPE, HARP_ERROR_SHAPE or HARP_ERROR_RANGE with line and column; any text is safe. A while
 * loop that never ends keeps its run busy until the flag harp_run_options.cancel is set; on a GPU even the flag does not end the loop,
 * because kernels do not read it.
 *
 * An index outside its array accesses no memory: the element is 0, and the run fails with HARP_ERROR_RANGE. The message names node, input,
 * axis (or the local array), index and size. If several index expressions of the body fail, the message is about the one that comes first
 * in the text of the body, and about the first element of the result for which that expression fails. The other outputs are then undefined.
 * If an output depends on the result, every element of the result is computed, even if only some are used (algebra may remove the
 * dependence: y * 0 of integers is 0). Integers wrap; floats follow docs/semantics.md; complex arrays are not accepted. A body fuses like
 * any elementwise operation if it has no loops and no local arrays, and if it indexes its inputs only with the element's own indices (ridx0
 * ...) or with constants in range. The operation has no gradient.
 */
typedef struct harp_custom_function_desc {
  size_t struct_size;
  const char* body;
  harp_dtype dtype; /* dtype of the result; harp_custom_function_results does not look at it */
  int32_t rank;     /* number of axes of the result; dims has their sizes */
  const harp_dim* dims;
  harp_graph* graph; /* the graph of the new node: required if n is 0, else NULL or the inputs' graph */
} harp_custom_function_desc;

#define HARP_CUSTOM_FUNCTION_DESC_INIT \
  { sizeof(harp_custom_function_desc), NULL, 0, 0, NULL, NULL }

HARP_API harp_node* harp_custom_function(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc);
/* As harp_custom_function, for a function of several results: writes n_results nodes (1 to 64) of these dtypes to results[0] ...
 * results[n_results - 1]. All have the sizes of desc. The body calls their elements output0, output1 ... (output if there is only one) and
 * must set each of them:
 *
 *     for i in 0 .. size(input0, 1) {
 *       if input0[ridx0, i] > output0 {
 *         output0 = input0[ridx0, i]
 *         output1 = i
 *       }
 *     }
 *
 * The body computes all used results together. A run fails if any index in the body is out of range, whichever result is used. */
HARP_API harp_status harp_custom_function_results(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc,
                                                  int32_t n_results, const harp_dtype* dtypes, harp_node** results);

/*
 * A C function of your own, or of another library, as an operation. harp calls it once in each run, with arrays that are stored in memory.
 *
 *     harp_native_desc gemm = HARP_NATIVE_DESC_INIT;
 *     gemm.name = "cblas_dgemm";
 *     gemm.function = (harp_native_function)cblas_dgemm;
 *     gemm.signature = "void(i32 101, i32 111, i32 111, i32 m, i32 n, i32 k, f64 1, f64* input0, i32 k, f64* input1, i32 n, f64 0, "
 *                      "f64* output, i32 n)";
 *     gemm.dtype = HARP_F64; gemm.rank = 2; gemm.dims = m_and_n;
 *     harp_node* c = harp_native(2, a_and_b, &gemm);
 *
 * The signature describes the call. It has exactly one of these for each parameter of the function:
 *
 *     dtype* input0, dtype* input1 ...   the address of an input, which the function must not write
 *     dtype* output                      the address of the result, whose content is undefined when the function is called
 *     i32, u32, i64, u64 and a size      an expression of the graph's shape variables, as in the text format: i32 n, i64 2*n + 1, i32 101;
 *                                        input0[1] and output[0] are sizes of axes. A value that does not fit fails the run before anything
 *                                        is written (HARP_ERROR_RANGE); 64-bit values must lie within -2^62 ... 2^62
 *     f32, f64 and a number              f64 0.5
 *     void* user                         desc's user
 *
 * The signature begins with the result type: void, or i32, where any value except 0 fails the run with HARP_ERROR_NATIVE and the number.
 * The dtype of an array is that of its elements: bool is a byte, f16 and bf16 are their 16 bits, a complex number is two floats. Every
 * input and the output must be passed.
 *
 * Arrays are row-major and contiguous. They are aligned to their element size only. An input without elements may be NULL; a result without
 * elements is not computed. The function must give the same result for the same arguments: harp may call it once for two equal nodes, or
 * not at all if nothing depends on its result. harp calls it on the thread that called harp_program_run, never on a worker, in the default
 * floating-point environment, which it must leave unchanged. Runs that overlap call it concurrently. It must not call harp with this
 * context, throw, or longjmp.
 *
 * harp does not check what the function does: it is as trusted as the rest of the host (harp_context_options.native_ops disables native
 * operations). It has no gradient. Its address appears in no source, cache or text. A graph that was parsed from text can therefore be
 * printed but not compiled (HARP_ERROR_UNSUPPORTED), and a program that calls native functions has no entry points.
 */
typedef void (*harp_native_function)(void);

typedef struct harp_native_desc {
  size_t struct_size;
  const char* name;              /* used in messages and in the text format */
  harp_native_function function; /* any function, cast to this type */
  void* user;                    /* the value of the parameter "void* user" */
  const char* signature;
  harp_dtype dtype; /* dtype of the result */
  int32_t rank;     /* number of axes of the result; dims has their sizes */
  const harp_dim* dims;
  harp_graph* graph; /* the graph of the new node: required if n is 0, else NULL or the inputs' graph */
} harp_native_desc;

#define HARP_NATIVE_DESC_INIT \
  { sizeof(harp_native_desc), NULL, NULL, NULL, NULL, 0, 0, NULL, NULL }

HARP_API harp_node* harp_native(int32_t n, harp_node* const* nodes, const harp_native_desc* desc);

/*
 * Gradients.
 */

/* Reverse-mode gradients. Makes nodes that compute the derivative of sum(y * grad_output) with respect to each of n nodes xs, and writes
 * them to out_gradients[0] ... out_gradients[n - 1]. Each has the dtype and shape of its x. They are ordinary nodes: a program may declare
 * them as outputs, compute with them, or differentiate them again. xs may be any float or complex nodes, inputs or not.
 *
 * y: float or complex. grad_output: of y's dtype, and of y's shape or a scalar; NULL means 1, and y must then be a float of one element.
 *
 * No gradient is silently zero. HARP_ERROR_NO_GRADIENT, naming the node, means that y does not depend on an x at all, or only through
 * integers or bools (such as comparisons), or through an operation that has no derivative (bitcast). Operations that are constant almost
 * everywhere (floor, sign ...) give zeros, as in PyTorch. Where a derivative does not exist (ties of maximum and max, abs at 0 ...), harp
 * follows PyTorch: docs/semantics.md, "Gradients".
 *
 * As with a building function, the graph stores the first error; the status reports it too. On failure out_gradients is unchanged. */
HARP_API harp_status harp_grad(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, harp_node** out_gradients);
#define HARP_GRAD_ZERO_WHERE_INDEPENDENT 1u /* give zeros for an x on which y does not depend, or only through integers or bools */
/* As harp_grad, with flags: 0 or HARP_GRAD_... joined with |. */
HARP_API harp_status harp_grad_flags(harp_node* y, int32_t n, harp_node* const* xs, harp_node* grad_output, uint32_t flags,
                                     harp_node** out_gradients);
/* Returns 1 if y depends on x through any path (x depends on itself), else 0; also 0 if either is NULL or they belong to different
 * graphs. */
HARP_API int32_t harp_depends(const harp_node* y, const harp_node* x);
/* Returns x itself, of any dtype. Gradients treat the result as a constant: nodes on which y depends only through it get zeros. */
HARP_API harp_node* harp_stop_gradient(harp_node* x);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 6  Compile and run
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* How much freedom the compiler has with arithmetic. HARP_MATH_STABLE: the results have the same bits on every backend, for every vector
 * width, number of threads, compiler and optimisation level. */
#define HARP_MATH_STABLE 0

typedef struct harp_compile_options {
  size_t struct_size;
  const char* backend; /* "interp", "c" or "cuda"; NULL: "c"; an unknown name is an error that lists the names */
  int32_t math;        /* HARP_MATH_STABLE */

  /* Vector width in elements: 1, 2, 4, 8 or 16; 0: the target's. Results do not depend on it. */
  int32_t simd_width;
  /* CPU to compile for: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-one-load" (AVX-512 with one vector load a cycle: Zen
   * 4); the last three also with the suffix "-vnni", for CPUs that have instructions for dot products of integers (AVX-VNNI or
   * AVX512-VNNI); "aarch64"; NULL: this CPU, with the numbers that harp_context_measure has found. An unknown name is an error that lists
   * the names. harp_graph_emit generates source for all of them. Compiling requires a target of this machine's architecture, and running
   * requires a CPU that has the target's instructions; otherwise the call fails with HARP_ERROR_UNSUPPORTED. For the backend "cuda" the
   * target is a kind of GPU: "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120". NULL: the kind of the GPU with the lowest compute
   * capability in this machine, but with the largest number of multiprocessors of any GPU in it. If there is no GPU, harp_graph_emit uses
   * "sm_80". */
  const char* target;
  /* 1: generate C without vector types, for compilers other than gcc and clang; simd_width must then be 0 or 1. */
  int32_t plain_text;
  int32_t reserved;
  /* `compiler` replaces the context's compiler; it is a command line. `flags` are added after harp's own flags. A flag that allows the
   * compiler to change results (-ffast-math, -Ofast, -ffp-contract=fast, -fno-signed-zeros, -mdaz-ftz, -fno-wrapv ...) is rejected at
   * HARP_MATH_STABLE with HARP_ERROR_INVALID_ARGUMENT, which names the flag. So is anything that could hide such a flag from harp: @file,
   * -specs, plug-ins, and options for a program other than the compiler's driver (-Xclang, -Xlinker, -mllvm, -Wp, -Wa, -Wl, ...). A
   * compiler whose command contains such an option (here, in the context, in HARP_CC or CC) is skipped. For the backend "cuda" `compiler`
   * is an nvcc; NULL: NVRTC, else nvcc. */
  const char* compiler;
  size_t n_flags;
  const char* const* flags;
  /* Names of optimiser passes to skip ("fold_constants"); "all" skips every pass. */
  size_t n_disabled_passes;
  const char* const* disabled_passes;
  /* Settings that change the speed of the program and never its results, as lines of text: what harp_tune found
   * (harp_tune_trial_info.configuration), or your own. "kernel_0: reduce [thread, reduce simd=8 unroll=4]" is the schedule of a kernel,
   * "kernel_0 variant 2: ..." that of the second of its variants by size. harp_graph_emit prints such lines for the stage "schedule"; they
   * can be copied unchanged. A schedule names a recipe (elementwise, reduce, rowwise, contraction, transpose, scan, scatter, routine,
   * custom, native), then the loop of each axis: thread, sequential, reduce, scan, scatter, or on a GPU thread_group, whose elements the
   * threads of a block share, with
   *   tile=N    elements per block
   *   unroll=N  unroll factor; for a contraction the rows, or vectors, of a register tile; on a GPU only for products: the rows or columns
   *             of a tile that one thread computes
   *   simd=N    vector lanes; on the terms of a contraction of narrow integers: the number of terms in each lane of the packed factors;
   *             on a GPU: adjacent elements that one thread computes, up to 16 (elementwise), or 8 lanes of a row or columns (reduce,
   *             rowwise)
   *   split=N   on the terms of a product on a GPU: different blocks of threads sum N terms each (256 or 65536), and a second kernel adds
   *             these sums; necessary for sizes with more than 65,536 terms
   *   stages=N  on the terms of a product on a GPU: asynchronous copies fill N stages (2, 4 or 8) of shared memory
   *   pack      on the rows of a contraction: pack the left operand for each block; on the columns: pack the right operand once for all
   *             rows; on the rows of a transpose: copy blocks through a buffer
   * and then settings of the whole kernel, for the loops of a CPU:
   *   partition     split loops at the iterations where a condition changes
   *   overlap       the last vector or tile overlaps the one before it
   *   nontemporal   use non-temporal stores, which harp chooses by itself from 15 MiB on; vectors then do not overlap
   *   defer_stores  for rows processed in several passes: interleave the last pass, which stores, with the next-to-last one of the next row
   *   prefetch      for row sums, row scans and transposed blocks: prefetch the next rows or blocks
   *   nan_flag      compute maxima of f32 or f64 with an instruction that drops NaN; if the processor's invalid flag shows a NaN, redo them
   *   half          for products of a matrix with its own transpose: compute the blocks up to the diagonal and mirror the others
   * "without: compose_views" skips an optimiser pass; "flag: -O2" and "compiler: clang" are as the fields above; "share: 20000" sets the
   * nanoseconds of work that justify another thread. Lines that begin with # are comments, and so is text after a # behind a schedule. Any
   * other line, and a repeated one (except without and flag), is HARP_ERROR_PARSE. A schedule that is not legal is
   * HARP_ERROR_INVALID_ARGUMENT, which names the rule. */
  const char* schedule;
  /* Values of shape variables by name. The program is then specialised for these sizes and valid for them only. */
  size_t n_specialize;
  const char* const* specialize_names;
  const int64_t* specialize_values;
  /* Stages to log at HARP_LOG_INFO, as in harp_context_options; NULL: the context's. */
  const char* dump;
  /* 1: a run fails with HARP_ERROR_RANGE if harp_take, harp_gather_nd, harp_scatter or another function that reads or writes elements by
   * index receives an index out of range, as if the indices had passed through harp_check_index. 0: such an index is clamped to the nearest
   * element. Indices are not checked if the optimiser removed their use because no output depends on it. The option does not apply to
   * functions that define a result for numbers that are no index: harp_one_hot (a row of zeros) and harp_cross_entropy (NaN). */
  int32_t check_indices;
  /* HARP_TUNING_ON (0): use the configuration that harp_tune found for this graph, these options (with `schedule` NULL), this number of
   * threads and this machine, if there is one. HARP_TUNING_OFF: use harp's defaults. */
  int32_t tuning;
  /* A flag that cancels the compilation, set in the same way as harp_run_options.cancel. Within a few milliseconds harp stops the compiler
   * and its child processes, and harp_compile returns NULL with HARP_ERROR_CANCELLED. Parts of the source whose compilation had finished
   * are kept for the next compilation of the same graph. NULL: no flag. */
  const volatile int32_t* cancel;
  /* HARP_SPECIALIZE_NONE (0), or HARP_SPECIALIZE_AUTO: the program counts the runs for each combination of sizes, and
   * harp_program_specialize compiles it for those that repeat. */
  int32_t specialize;
  int32_t reserved2;
} harp_compile_options;

#define HARP_TUNING_ON 0
#define HARP_TUNING_OFF 1
#define HARP_SPECIALIZE_NONE 0
#define HARP_SPECIALIZE_AUTO 1

#define HARP_COMPILE_OPTIONS_INIT                                                                                                          \
  {                                                                                                                                        \
    sizeof(harp_compile_options), NULL, HARP_MATH_STABLE, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, 0, \
        0                                                                                                                                  \
  }

/*
 * Compiles the graph's outputs to a program. options may be NULL. The graph is not changed, and the program does not need it afterwards. If
 * the graph stores an error, the call fails with a copy of it. HARP_ERROR_COMPILER: no compiler was found (the message names every command
 * that was tried), or the compiler failed (harp_error_compiler_output). If a compiler crashes (an "internal compiler error"), harp runs it
 * once more without optimisation and logs a warning: the program is then slow, but its results are the same.
 */
HARP_API harp_program* harp_compile(const harp_graph* graph, const harp_compile_options* options, harp_error** err);
/* Compiles n nodes of one graph, and the inputs on which they depend, to a program. Its inputs are in the order of their declaration; the
 * graph's own outputs are ignored. names: the names of the program's outputs, or NULL for output0, output1 ... The program's inputs are
 * named input0, input1 ... whatever their names in the graph, so that programs with equal structure share cache entries. The call copies
 * everything it needs from the graph, so building may continue. */
HARP_API harp_program* harp_compile_nodes(harp_graph* graph, int32_t n, const char* const* names, harp_node* const* nodes,
                                          const harp_compile_options* options, harp_error** err);
/* Finds the inputs of the program that harp_compile_nodes makes of these nodes, in the order of the program's inputs. Writes at most
 * `capacity` of them to inputs, and their total number to *count. */
HARP_API harp_status harp_nodes_inputs(int32_t n, harp_node* const* nodes, int32_t capacity, harp_node** inputs, int32_t* count,
                                       harp_error** err);
HARP_API harp_program* harp_program_retain(harp_program* program);
HARP_API void harp_program_release(harp_program* program);

/* Returns the text of one stage of a compilation: "graph", "opt" (after the optimiser), "schedule", "ir", "ir-opt", "linear", "c" (the
 * source) or "dot"; of the backend "cuda" also "cuda" (the source), "plan" (how to launch the kernels: docs/launch-plan.md) and "ptx" (what
 * the CUDA compiler makes of the source for `target`, the only stage that needs a compiler). No stage needs a GPU. The call ignores what
 * harp_tune found; `dump` of harp_compile_options shows what a compilation really uses. The caller owns the result. */
HARP_API harp_string* harp_graph_emit(const harp_graph* graph, const harp_compile_options* options, const char* stage, harp_error** err);

typedef struct harp_run_options {
  size_t struct_size;
  /* Values of shape variables by name. They are required for variables that no axis of an input determines, and checked for the others. */
  size_t n_shape_vars;
  const char* const* shape_var_names;
  const int64_t* shape_var_values;
  /* Memory for intermediate arrays, aligned to 64 bytes, used by this run alone; harp_program_workspace_size returns the size it needs.
   * With a workspace and all outputs given, a run of the backend "c" allocates nothing, takes no lock and makes no system call, both on one
   * thread and on a host's threads (with harp's own threads it may make a system call to wake them). A workspace that is too small is not
   * used: the run allocates what it needs. */
  void* workspace;
  size_t workspace_size;
  /* A flag that cancels the run. Any thread sets it to a nonzero value with an atomic store (C11: of an _Atomic int32_t, whose address is
   * cast; gcc and clang: __atomic_store_n), and harp_program_run returns HARP_ERROR_CANCELLED. The outputs are then undefined, and output
   * pointers that were NULL are still NULL. Program, context and workspace can be used again at once. Each worker reads the flag before the
   * run, between kernels, about every millisecond in loops over independent elements, and between the blocks of other long loops; the
   * longest delay is one iteration of a kernel's outermost loop. A function of the host (harp_native) is not interrupted, and none is
   * called after the flag was read as set. The flag must stay set until harp_program_run returns. NULL: no flag. */
  const volatile int32_t* cancel;
  /* A CUstream of the host, for a run on a GPU: the run begins after the work that is on the stream at the call, and work that is put on
   * the stream after the call begins after the run. It must be a stream of the context that harp uses (harp_cuda_options.context), else
   * HARP_ERROR_INVALID_ARGUMENT; with a run that is not on a GPU it is HARP_ERROR_DEVICE.
   *
   * The call returns when the run is enqueued, except that a run that checks indices or stages outputs is complete when the call returns,
   * and functions of the host are called before it returns. Later calls of harp on the same GPU are in order with the run, so that every
   * buffer can be passed to them, and buffers that harp allocated can be released at once. The host's own memory that a buffer wraps must
   * not be freed or written before the run is complete, except by work on the stream. If a kernel of the run faults after the call has
   * returned, a later call of harp reports the fault.
   *
   * While the host captures the stream as a CUDA graph, the run becomes a part of that graph, together with the memory it needs, and runs
   * whenever the host launches the graph. The program and the buffers must outlive the graph. HARP_ERROR_UNSUPPORTED, without harm to the
   * capture: the program's first run on the GPU (it loads the program), an output that is NULL, HARP_RUN_STAGE, a run that checks indices
   * or calls functions of the host, and a GPU without memory pools if the run needs memory.
   *
   * NULL: the call returns when the run is complete, and does not wait for streams of the host. */
  void* stream;
  uint32_t flags; /* 0 or HARP_RUN_STAGE */
  uint32_t reserved;
} harp_run_options;

/* Inputs that are not on the run's device are copied to it before the run, and outputs that are not on it are copied back after the run.
 * The run's device is that of the first array that is on a device of the program's backend, else the backend's first device. Without the
 * flag, an array on another device is HARP_ERROR_DEVICE, so that no copy is made by oversight. */
#define HARP_RUN_STAGE 1u

#define HARP_RUN_OPTIONS_INIT \
  { sizeof(harp_run_options), 0, NULL, NULL, NULL, 0, NULL, NULL, 0, 0 }

/*
 * Runs the program. inputs: n_inputs buffers in the order of the program's inputs, with the program's dtypes and with sizes that fit.
 * outputs: n_outputs pointers. If one is NULL, it receives a new buffer, owned by the caller; otherwise its dtype and sizes must be exactly
 * the program's. Shape variables take their values from the axes of inputs (harp_shape_var_info), and every other axis must have the size
 * that follows from them (HARP_ERROR_SHAPE). A value outside its bounds and a size below 0 are HARP_ERROR_RANGE. Arguments are checked
 * before anything is written, so outputs are unchanged on failure, with three exceptions: checked indices (harp_check_index:
 * HARP_ERROR_RANGE), functions of the host (HARP_ERROR_NATIVE), and cancellation. After these the content of given buffers is undefined,
 * and output pointers that were NULL are still NULL. options may be NULL. Several threads may run one program at the same time.
 *
 * All buffers must be on one device of the program's backend, else HARP_ERROR_DEVICE, whose message names the device and the backend (see
 * HARP_RUN_STAGE). New buffers are on that device too, or on the backend's first device if no buffer is given.
 *
 * Outputs must not overlap each other or an input (HARP_ERROR_ALIAS), with one exception: an output may be the same array as an input that
 * its harp_array_info lists in `in_place`. The result then replaces the input and has the same bits. An input is listed if it has the
 * output's dtype and sizes, and the generated code reads each of its elements only before it stores the same element of the output: for
 * y = relu(x + b), y may be x. Compiled for another machine, backend, version of harp or other sizes, the same graph may have another list,
 * so read the list of each program.
 */
HARP_API harp_status harp_program_run(harp_program* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs,
                                      harp_buffer** outputs, const harp_run_options* options, harp_error** err);

/* Arrays in host memory: contiguous, row-major, aligned to one element. data may be NULL only for an array without elements; dims may be
 * NULL if rank is 0. These two structs will never change. */
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

/* harp_program_run on arrays instead of buffers: the arrays are borrowed until the call returns. Every output must be given. Checks and
 * errors are those of harp_program_run; the arrays count as buffers on the device "cpu", so the backend "cuda" needs HARP_RUN_STAGE. With
 * a workspace the call allocates nothing. */
HARP_API harp_status harp_program_call(harp_program* program, size_t n_inputs, const harp_const_array* inputs, size_t n_outputs,
                                       const harp_array* outputs, const harp_run_options* options, harp_error** err);

/* An input or output of a program. All pointers are borrowed until the program is released. */
typedef struct harp_array_info {
  size_t struct_size;
  const char* name;
  const char* shape; /* "[n, 64]" */
  harp_dtype dtype;
  int32_t rank;
  const int64_t* dims;    /* `rank` numbers; -1 for a symbolic size */
  size_t n_in_place;      /* of an output: the number of inputs in whose memory it may be computed (in_place) */
  const size_t* in_place; /* their indices, ascending */
} harp_array_info;

#define HARP_ARRAY_INFO_INIT \
  { sizeof(harp_array_info), NULL, NULL, 0, 0, NULL, 0, NULL }

typedef struct harp_shape_var_info {
  size_t struct_size;
  const char* name;
  int64_t min, max;
  /* The input whose axis determines the variable's value, or -1: the value must then be given by name. */
  int32_t input;
  /* The axis of this input that determines the variable, or -1. Its size is the variable itself if an input has such an axis (factor 1,
   * offset 0), else factor * variable + offset. */
  int32_t axis;
  int64_t factor;
  int64_t offset;
} harp_shape_var_info;

#define HARP_SHAPE_VAR_INFO_INIT \
  { sizeof(harp_shape_var_info), NULL, 0, 0, 0, 0, 0, 0 }

/* Returns the signature as text: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096". An output that may be computed in place
 * of an input is followed by "(in place of x)". The caller owns the result. */
HARP_API harp_string* harp_program_signature(const harp_program* program, harp_error** err);
/* Return the numbers of inputs, outputs and shape variables of the program, the upper bounds of `index` in the functions below. 0 for
 * NULL. */
HARP_API size_t harp_program_input_count(const harp_program* program);
HARP_API size_t harp_program_output_count(const harp_program* program);
HARP_API size_t harp_program_shape_var_count(const harp_program* program);
/* Fill *info with the description of one input, output or shape variable. The caller sets info->struct_size first. */
HARP_API harp_status harp_program_input(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
HARP_API harp_status harp_program_output(const harp_program* program, size_t index, harp_array_info* info, harp_error** err);
HARP_API harp_status harp_program_shape_var(const harp_program* program, size_t index, harp_shape_var_info* info, harp_error** err);

/* Writes the sizes of output `index` to dims, for n_shape_vars values of all shape variables in the program's order. rank must be the
 * output's. The values are checked as in a run. */
HARP_API harp_status harp_program_output_dims(const harp_program* program, size_t index, size_t n_shape_vars, const int64_t* shape_vars,
                                              int32_t rank, int64_t* dims, harp_error** err);
/* Returns in *size the bytes of workspace that a run needs for these values of all shape variables with `width` workers (0: one). width is
 * harp_context_options.threads, or the width of the parallel_for. Each worker has private memory (packed copies of matrix operands, the
 * scores of an attention head), so the size grows with the width, even beyond the number of workers that have work. The backends "interp"
 * and "cuda" need no workspace: they allocate their intermediate arrays themselves. */
HARP_API harp_status harp_program_workspace_size(const harp_program* program, size_t n_shape_vars, const int64_t* shape_vars, size_t width,
                                                 size_t* size, harp_error** err);

/*
 * Specialises a program that was compiled with HARP_SPECIALIZE_AUTO. The program has counted its runs for each combination of values of its
 * shape variables (of up to 32 combinations: if another one occurs, all counts decrease by one, and a combination whose count is 0 is
 * replaced). The call compiles the graph once more for each combination that has at least two counted runs and no code of its own yet, in
 * descending order of the counts. The values are constants in this code, which makes it faster. Later runs with exactly these values use
 * that code, except for runs in place that only the general code allows (harp_program_run); all others use the program as before. Results
 * are the same. At most 16 combinations of a program are specialised. harp never does this by itself: the host makes the call when it has
 * time for compilations, and the call returns when they are done. Other threads may run the program during the call.
 *
 * *count receives the number of combinations that the call compiled, which is 0 if there was none to compile. count may be NULL. Errors:
 * HARP_ERROR_INVALID_ARGUMENT if the program has no shape variables or was compiled without HARP_SPECIALIZE_AUTO; those of harp_compile,
 * after which combinations that were compiled before the error are in use. The compilations use the options that the program was compiled
 * with, except `cancel`.
 *
 * harp_program_workspace_size returns a size that suffices for both kinds of code. A run with a workspace that was measured before the
 * specialisation and is too small for it uses the general code.
 */
HARP_API harp_status harp_program_specialize(harp_program* program, size_t* count, harp_error** err);

/* Returns the generated C or CUDA source; "" for the backend "interp". The caller owns the result. */
HARP_API harp_string* harp_program_source(const harp_program* program, harp_error** err);

#define HARP_CACHE_NONE 0   /* compiled in this call, or nothing to compile */
#define HARP_CACHE_DISK 1   /* found in the cache directory */
#define HARP_CACHE_MEMORY 2 /* found in the context's memory */

typedef struct harp_program_stats_info {
  size_t struct_size;
  double pipeline_ms; /* milliseconds from graph to source */
  double compile_ms;  /* milliseconds from source to loaded program: compiler or cache, and loading */
  int32_t kernels;
  /* Number of generations. The kernels of one generation are independent of each other, or run one after the other for each index of their
   * first axis. */
  int32_t generations;
  int32_t cache; /* HARP_CACHE_... */
  int32_t tuned; /* 1: uses a configuration that harp_tune found */
  uint64_t source_bytes;
  uint64_t artifact_bytes;
  uint64_t constant_bytes;  /* bytes of constant arrays that are hidden inputs (harp_constant_array) */
  uint64_t specializations; /* combinations of sizes that harp_program_specialize has compiled */
} harp_program_stats_info;

#define HARP_PROGRAM_STATS_INFO_INIT \
  { sizeof(harp_program_stats_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *stats. The caller sets stats->struct_size first. */
HARP_API harp_status harp_program_stats(const harp_program* program, harp_program_stats_info* stats, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 7  Buffers
 *
 * A buffer is an input or output array of a program: contiguous, row-major, on one device. The device "cpu" is the host's memory; the
 * backends "interp" and "c" use the same buffers there. The functions below say what they do for a buffer on another device, such as a GPU.
 * When a function of harp returns, its work on the buffers of a GPU is complete: any stream may then use them. The only exception is
 * a run with harp_run_options.stream: after the call only that stream may use its buffers, and another stream only after
 * harp_buffer_signal_stream. harp does not know on which streams the host works: work of the host that writes a buffer must be complete
 * before harp uses the buffer, or harp_buffer_wait_stream must order it; and all work of the host that uses a buffer must be complete
 * before the buffer is released.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Allocates a buffer on a device, aligned to 64 bytes; on "cpu" with the context's allocator. Its content is undefined. device: the name of
 * a device of any backend; NULL: "cpu". An unknown name is HARP_ERROR_DEVICE, whose message lists the devices, and why there is no GPU. */
HARP_API harp_buffer* harp_buffer_new(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims,
                                      harp_error** err);
/* Makes a buffer on the device "cpu" of the host's memory without a copy. The memory must be aligned to one element and stay valid until
 * the buffer is destroyed; then harp calls deleter(user, data). deleter may be NULL. It is not called if this function fails. data may be
 * NULL for an array without elements. */
HARP_API harp_buffer* harp_buffer_wrap(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data,
                                       void (*deleter)(void* user, void* data), void* user, harp_error** err);
/* harp_buffer_wrap for read-only memory: such a buffer cannot be an output, and harp_buffer_data returns NULL for it. */
HARP_API harp_buffer* harp_buffer_wrap_const(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, const void* data,
                                             void (*deleter)(void* user, void* data), void* user, harp_error** err);
/* harp_buffer_wrap for memory of any device, whose name is as in harp_buffer_new: for a GPU data is a device address that the host got from
 * CUDA. Memory that is not on that device is HARP_ERROR_DEVICE, and the message says where it is. */
HARP_API harp_buffer* harp_buffer_wrap_device(harp_context* context, const char* device, harp_dtype dtype, int32_t rank,
                                              const int64_t* dims, void* data, void (*deleter)(void* user, void* data), void* user,
                                              harp_error** err);
HARP_API harp_buffer* harp_buffer_retain(harp_buffer* buffer);
HARP_API void harp_buffer_release(harp_buffer* buffer);

/* Returns the name of the device that holds the buffer, borrowed until the buffer is released; NULL for NULL. */
HARP_API const char* harp_buffer_device(const harp_buffer* buffer);
/* harp_buffer_data and harp_buffer_const_data return the address of the first element, borrowed until the buffer is released. They return
 * NULL for a NULL buffer, for a buffer on another device than "cpu", and for a buffer without elements that harp allocated;
 * harp_buffer_data also for a read-only buffer. */
HARP_API void* harp_buffer_data(harp_buffer* buffer);
HARP_API const void* harp_buffer_const_data(const harp_buffer* buffer);
/* Returns the address of the first element on the buffer's device, valid until the buffer is released: for a GPU a device address
 * (CUdeviceptr), which kernels of the host and entry points take; 0 for NULL and for a buffer without elements that harp allocated. A
 * read-only buffer must not be written through it. */
HARP_API uint64_t harp_buffer_address(const harp_buffer* buffer);
/* Orders harp's later work after the work that is on a stream of the host at the call, so that harp can use an array that the host
 * writes on its own stream. stream is a CUstream of the context that harp uses on the buffer's device, else HARP_ERROR_INVALID_ARGUMENT;
 * NULL: CUDA's legacy default stream. The call returns without waiting for either. A buffer on "cpu" is HARP_ERROR_DEVICE. */
HARP_API harp_status harp_buffer_wait_stream(harp_buffer* buffer, void* stream, harp_error** err);
/* The converse of harp_buffer_wait_stream: orders work that is put on a stream of the host after the call behind all earlier work of
 * harp on the buffer's device, so that another stream than that of a run (harp_run_options.stream) can use what the run writes. stream
 * and errors are as for harp_buffer_wait_stream. The call returns without waiting for either. */
HARP_API harp_status harp_buffer_signal_stream(const harp_buffer* buffer, void* stream, harp_error** err);
/* harp_buffer_size returns the size in bytes, harp_buffer_rank the number of axes, harp_buffer_dtype the dtype; 0 for NULL. */
HARP_API size_t harp_buffer_size(const harp_buffer* buffer);
HARP_API int32_t harp_buffer_rank(const harp_buffer* buffer);
HARP_API harp_dtype harp_buffer_dtype(const harp_buffer* buffer);
/* Returns the buffer's sizes, harp_buffer_rank(buffer) numbers, borrowed until the buffer is released; NULL for a NULL buffer and for rank
 * 0. */
HARP_API const int64_t* harp_buffer_dims(const harp_buffer* buffer);

/* Copy the whole content. harp_buffer_read copies to memory, harp_buffer_write from memory, harp_buffer_copy from buffer to buffer, which
 * must have the same dtype and sizes. `size` must be harp_buffer_size. The memory must not overlap. Buffers may be on any device; a copy
 * from one device to another may go through host memory that the context's allocator allocates for the call. */
HARP_API harp_status harp_buffer_read(const harp_buffer* buffer, size_t size, void* to, harp_error** err);
HARP_API harp_status harp_buffer_write(harp_buffer* buffer, size_t size, const void* from, harp_error** err);
HARP_API harp_status harp_buffer_copy(harp_buffer* to, const harp_buffer* from, harp_error** err);
/* harp_buffer_read_strided and harp_buffer_write_strided copy the whole content to and from memory of any layout. strides has one number
 * for each axis: the bytes from one element to the next, which may be negative or 0. `to` and `from` point to the element whose indices are
 * all 0 and need no alignment. If several elements of `to` share an address, it holds one of them afterwards. For a buffer on another
 * device than "cpu" the content goes through host memory that the context's allocator allocates for the call. */
HARP_API harp_status harp_buffer_read_strided(const harp_buffer* buffer, int32_t rank, const int64_t* strides, void* to, harp_error** err);
HARP_API harp_status harp_buffer_write_strided(harp_buffer* buffer, int32_t rank, const int64_t* strides, const void* from,
                                               harp_error** err);

/*
 * DLPack, the structure with which Python's array libraries exchange arrays (dmlc/dlpack, version 1.1 and the version before 1.0, which has
 * no version number). The structs below have DLPack's layout but their own names, so that a program can include DLPack's header, too.
 */
typedef struct harp_dl_tensor {
  void* data;
  int32_t device_type; /* 1: host memory; 2: a GPU; 3: host memory that is pinned for GPUs */
  int32_t device_id;   /* the number of the GPU */
  int32_t ndim;
  uint8_t code; /* 0 signed integer, 1 unsigned integer, 2 float, 4 bfloat, 5 complex, 6 bool */
  uint8_t bits;
  uint16_t lanes; /* 1 */
  int64_t* shape;
  int64_t* strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} harp_dl_tensor;
/* DLPack's DLManagedTensor. */
typedef struct harp_dl_managed {
  harp_dl_tensor tensor;
  void* manager;
  void (*deleter)(struct harp_dl_managed* self);
} harp_dl_managed;
#define HARP_DL_READ_ONLY 1u
#define HARP_DL_IS_COPIED 2u
/* DLPack's DLManagedTensorVersioned. A major version other than 1 is HARP_ERROR_UNSUPPORTED. */
typedef struct harp_dl_managed_versioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(struct harp_dl_managed_versioned* self);
  uint64_t flags;
  harp_dl_tensor tensor;
} harp_dl_managed_versioned;

/* harp_buffer_from_dlpack and harp_buffer_from_dlpack_versioned make a buffer of a DLPack array without a copy. The array must be row-major
 * and aligned to its elements, else HARP_ERROR_UNSUPPORTED (a device that harp does not have, or a GPU's array that is not on that GPU:
 * HARP_ERROR_DEVICE; an element type that harp does not have: HARP_ERROR_DTYPE). On success the buffer owns `managed` and calls its deleter
 * once when it is destroyed; on failure the caller still owns it. A read-only array gives a read-only buffer. If the producer writes a
 * GPU's array on a stream (the argument of Python's __dlpack__), harp_buffer_wait_stream orders harp's work after it. The deleter must not
 * free memory that a run on a stream still uses (harp_run_options.stream), except in the order of that stream. */
HARP_API harp_buffer* harp_buffer_from_dlpack(harp_context* context, harp_dl_managed* managed, harp_error** err);
HARP_API harp_buffer* harp_buffer_from_dlpack_versioned(harp_context* context, harp_dl_managed_versioned* managed, harp_error** err);
/* harp_buffer_to_dlpack and harp_buffer_to_dlpack_versioned return the buffer as a DLPack array without a copy. The array keeps the buffer
 * alive. The caller owns the array and calls its deleter. The unversioned form cannot mark an array as read-only, so a read-only buffer is
 * HARP_ERROR_UNSUPPORTED there. An array on a GPU may be used on any stream at once, unless a run on a stream (harp_run_options.stream)
 * writes it. Then only the run's stream may use it at once; any other stream may use it after harp_buffer_signal_stream was called for that
 * other stream, such as the stream that the consumer passes to Python's __dlpack__. A buffer on a device for which DLPack has no number is
 * HARP_ERROR_DEVICE. */
HARP_API harp_dl_managed* harp_buffer_to_dlpack(harp_buffer* buffer, harp_error** err);
HARP_API harp_dl_managed_versioned* harp_buffer_to_dlpack_versioned(harp_buffer* buffer, harp_error** err);

/* NumPy's .npy files. harp_npy_load makes a buffer on the device "cpu". It reads versions 1 to 3, both byte orders, C and Fortran order;
 * truncated files and trailing bytes are errors. harp_npy_save takes a buffer on any device. It writes a temporary file in the directory
 * of `path` and renames it, so that no reader ever sees a partial array. */
HARP_API harp_buffer* harp_npy_load(harp_context* context, const char* path, harp_error** err);
HARP_API harp_status harp_npy_save(const harp_buffer* buffer, const char* path, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 8  Tuning
 *
 * harp_tune compiles a graph with many configurations, runs each on your arrays, and keeps the fastest. A configuration sets the schedule
 * of every kernel (recipe, tile sizes, vector widths), optimiser passes, C compiler flags and the C compiler itself. No configuration may
 * change a bit of the results; harp compares the results of each.
 *
 * The result goes to the tuning database, the file tuning-2.txt in the cache directory (harp_cache_dir). From then on harp_compile uses it,
 * in this process and others, if the graph, the options, the number of threads, the kind of machine (its processor) and the version of harp
 * are the same. The file is text and can be copied to another machine of the same kind. harp skips entries of other machines and versions,
 * and damaged entries, and logs that once. It ignores the whole file if it is not a database or if others could have written it: if it
 * belongs to another user, is a symbolic link, or is writable by others (mode 664, say, which copying under a umask of 002 gives; `chmod
 * go-w` repairs that), unless the host shares the directory (harp_context_options.cache_shared). When harp_tune writes the file, nothing
 * that was skipped is lost: skipped entries stay in it, and an ignored file is kept in the same directory as tuning-2.txt.ignored-1, which
 * the log reports. Several processes may tune at the same time. harp_cache_clear does not touch the database: to discard it, remove the
 * file. Tuning does not change programs that already exist, nor those that other contexts have cached in memory.
 * ---------------------------------------------------------------------------------------------------------------------------- */

/* Search strategies. Beam: changes the best configuration so far, one setting at a time, in the order that a cost model predicts. Random:
 * draws from all configurations. Grid: enumerates all configurations. */
#define HARP_TUNE_BEAM 0
#define HARP_TUNE_RANDOM 1
#define HARP_TUNE_GRID 2

/* Return values of the callback of harp_tune_options. Stop: harp_tune returns what it has found so far. Cancel: harp_tune fails with
 * HARP_ERROR_CANCELLED and stores nothing. */
#define HARP_TUNE_CONTINUE 0
#define HARP_TUNE_STOP 1
#define HARP_TUNE_CANCEL 2

/* One configuration that harp_tune tried. Texts are borrowed until the result is released (in the callback: until it returns). */
typedef struct harp_tune_trial_info {
  size_t struct_size;
  const char* configuration; /* in the format of harp_compile_options.schedule; "": harp's default, which is trial 0 */
  const char* failure;       /* why the program could not be made; "": it was made */
  double median_seconds;     /* median time of a run (in a context without threads: CPU time of the calling thread) */
  double spread_seconds;     /* distance between the first and the third quartile of the time of a run */
  double compile_seconds;
  double expected; /* time that the cost model predicts, divided by its prediction for trial 0 */
  int64_t samples; /* number of measurements, of one run or more each; 0: none, see failure */
} harp_tune_trial_info;

#define HARP_TUNE_TRIAL_INFO_INIT \
  { sizeof(harp_tune_trial_info), NULL, NULL, 0, 0, 0, 0, 0 }

/* The state of harp_tune after a trial. */
typedef struct harp_tune_progress {
  size_t struct_size;
  size_t trials;                         /* number of trials so far */
  size_t best;                           /* index of the trial with the least median */
  double best_seconds, untuned_seconds;  /* medians of a run's time, of trial `best` and of trial 0 */
  double elapsed_seconds, limit_seconds; /* time since harp_tune began; time limit */
  const harp_tune_trial_info* trial;     /* the latest trial */
} harp_tune_progress;

typedef struct harp_tune_options {
  size_t struct_size;
  /* NULL: the defaults. Settings made here, such as flags or simd_width, hold for every configuration. `schedule` must be NULL,
   * `backend` "c", `tuning` HARP_TUNING_ON. */
  const harp_compile_options* compile;
  /* Values of shape variables, and `cancel`, a flag that ends harp_tune with HARP_ERROR_CANCELLED while it compiles or runs (if `cancel` is
   * NULL, that of `compile` applies). NULL: inputs determine all shape variables. */
  const harp_run_options* run;
  /* Time limit in seconds; 0: 30. The default program and the configuration found earlier are compiled and compared even if that takes
   * longer. */
  double seconds;
  int32_t strategy; /* HARP_TUNE_BEAM, HARP_TUNE_RANDOM or HARP_TUNE_GRID */
  int32_t dry_run;  /* 1: store nothing in the database */
  uint64_t seed;    /* of HARP_TUNE_RANDOM */
  /* 0: as many as the time allows. With 1, or if `progress` returns HARP_TUNE_STOP after the first trial, the configuration found earlier
   * is neither compared nor removed from the database. */
  uint64_t max_trials;
  /* C compilers to try in addition to the context's. NULL: clang if the context's is gcc, gcc if it is clang; none if the host, HARP_CC or
   * `compile` chose the compiler. Later compilations accept from the database only the names "gcc" and "clang", with or without a version
   * ("gcc-13"), so that no file can make harp run another program. */
  size_t n_compilers;
  const char* const* compilers;
  /* Called on the calling thread after every trial. Returns HARP_TUNE_CONTINUE, HARP_TUNE_STOP or HARP_TUNE_CANCEL. NULL: no callback. */
  int32_t (*progress)(void* user, const harp_tune_progress* progress);
  void* user;
} harp_tune_options;

#define HARP_TUNE_OPTIONS_INIT \
  { sizeof(harp_tune_options), NULL, NULL, 0, HARP_TUNE_BEAM, 0, 0, 0, 0, NULL, NULL, NULL }

typedef struct harp_tune_result harp_tune_result;

typedef struct harp_tune_summary {
  size_t struct_size;
  size_t trials;
  /* Index of the fastest trial. 0: no new configuration was at least 1 % faster than harp's default, and the one found earlier was not
   * faster at all. */
  size_t best;
  double speedup;             /* time of trial 0 divided by that of the best, measured alternately; 1 if trial 0 is the best */
  double space_size;          /* number of configurations to choose from, whether legal or not */
  int32_t exhausted;          /* 1: all configurations have been tried */
  int32_t stored;             /* 1: the best is in the database on disk; 0: at most in this context's memory */
  const char* why_not_stored; /* why the best is not in the database; "": it is. Borrowed until the result is released */
} harp_tune_summary;

#define HARP_TUNE_SUMMARY_INIT \
  { sizeof(harp_tune_summary), 0, 0, 0, 0, 0, 0, NULL }

/*
 * Searches for the fastest configuration of the graph's program, for inputs like these, on the context's threads. harp only reads the
 * inputs, which are as in harp_program_run. Their sizes matter: harp_compile uses the configuration for all sizes of a symbolic graph, but
 * if a kernel has variants by size, only the variant that runs is tuned. The machine should be otherwise idle. options may be NULL. The
 * caller owns the result.
 *
 * Errors: those of harp_compile and harp_program_run. HARP_ERROR_INVALID_ARGUMENT: all inputs or all outputs have no elements, so that
 * there is nothing to measure. HARP_ERROR_UNSUPPORTED: the graph calls a function of the host.
 * HARP_ERROR_CANCELLED: `progress` or the cancel flag requested it. HARP_ERROR_INTERNAL, naming the configuration: its results differ from
 * those of trial 0, which is a bug of harp or of the C compiler. After an error nothing is stored.
 */
HARP_API harp_tune_result* harp_tune(const harp_graph* graph, const harp_tune_options* options, size_t n_inputs, harp_buffer* const* inputs,
                                     harp_error** err);
HARP_API void harp_tune_result_release(harp_tune_result* result);
/* Fill *summary and *info; the caller sets their struct_size first. Trials are in the order in which they were made. */
HARP_API harp_status harp_tune_result_summary(const harp_tune_result* result, harp_tune_summary* summary, harp_error** err);
HARP_API harp_status harp_tune_result_trial(const harp_tune_result* result, size_t index, harp_tune_trial_info* info, harp_error** err);

/* ------------------------------------------------------------------------------------------------------------------------------
 * 9  Embedding
 * ---------------------------------------------------------------------------------------------------------------------------- */

/*
 * A program as a plain function. inputs and outputs are the addresses of the arrays in the program's order; shape_vars are the values of
 * all shape variables. The function checks nothing: dtypes, sizes and bounds must be right, and outputs must not overlap each other or an
 * input (except for whole arrays in place, as in harp_program_run). Addresses must be aligned to one element; arrays without elements may
 * be NULL and are not accessed. Any thread may call the functions, several at once. They leave the floating-point environment (rounding
 * mode, flush-to-zero, masks) as they found it; they may raise exception flags.
 *
 * harp_entry_point runs serially and allocates what it needs with malloc; if malloc fails, the outputs are not written. harp_entry_point_ex
 * takes a runtime (NULL: as harp_entry_point) and returns a status: HARP_OK, HARP_ERROR_OUT_OF_MEMORY, HARP_ERROR_CANCELLED, after which
 * the outputs are undefined, or, for a program that checks indices, HARP_ERROR_RANGE; the outputs then hold what clamped indices would
 * give, or their old content.
 */
typedef void (*harp_entry_point)(void** inputs, void** outputs, size_t* shape_vars);

/* The index out of range that a check found (harp_check_index). `site` is the number of the check, counted from 0 in the order of the
 * optimised graph ("opt"); `element` is the row-major position in the indices, `index` the value found there, and `size` the size of the
 * axis. */
typedef struct harp_fault {
  size_t struct_size;
  int64_t site; /* -1: no check failed */
  int64_t element;
  int64_t index;
  int64_t size;
} harp_fault;

#define HARP_FAULT_INIT \
  { sizeof(harp_fault), -1, 0, 0, 0 }

typedef struct harp_runtime {
  size_t struct_size;
  void* self;   /* first argument of the functions below */
  size_t width; /* number of workers of parallel_for; 0 and 1: serial */
  /* As in harp_context_options; NULL: serial. */
  void (*parallel_for)(void* self, size_t n, size_t grain, harp_range_body body, void* arg);
  /* Memory aligned to 64 bytes; NULL: malloc and free. They are used if `workspace` is too small; harp never requests 0 bytes. */
  void* (*alloc)(void* self, size_t size);
  void (*free)(void* self, void* memory);
  void* workspace; /* aligned to 64 bytes, or NULL */
  size_t workspace_size;
  void* const* natives;           /* must be NULL, because a program that calls functions of the host has no entry points */
  void* step_cursor;              /* must be NULL: reserved for later versions */
  harp_fault* fault;              /* receives the cause of HARP_ERROR_RANGE; NULL: not wanted */
  const volatile int32_t* cancel; /* as in harp_run_options; the function returns HARP_ERROR_CANCELLED if it is set; NULL: no flag */
} harp_runtime;

typedef int32_t (*harp_entry_point_ex)(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* runtime);

/* harp_program_entry and harp_program_entry_ex return the program as a function, valid until the last reference to the program is released.
 * For the backends "interp" and "cuda", and for a program with hidden inputs (harp_constant_array), the function is a closure made by
 * libffi, which passes what the generated code needs besides the arguments. The arrays that the function is given are addresses on the
 * first device of the program's backend. A program of the backend "cuda" takes addresses of any one GPU and of the host's memory, which
 * harp tells apart. It runs on the GPU of the first device address, else on "cuda:0". Arrays of the host are copied there and outputs back,
 * through memory that harp allocates on the GPU; harp_entry_point_ex then also returns HARP_ERROR_DEVICE. HARP_ERROR_UNSUPPORTED: the
 * system forbids such closures, the program calls functions of the host (harp_native), or this CPU cannot run it
 * (harp_compile_options.target). */
HARP_API harp_entry_point harp_program_entry(harp_program* program, harp_error** err);
HARP_API harp_entry_point_ex harp_program_entry_ex(harp_program* program, harp_error** err);

/*
 * All functions in one table, for plug-ins that load harp with dlopen: look up "harp_get_api", call it with HARP_API_VERSION, and use
 * api->harp_add(...). The functions of version 1 come first, in the order of this file, then those added in version 2 (HARP_API_SINCE(2))
 * in their order, and so on: the table of version n begins with that of version n - 1. harp_get_api returns NULL if this library does not
 * have the version. The table is borrowed, valid while the library is loaded. include/harp.api.json describes all functions for programs
 * that generate bindings.
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
  harp_status (*harp_context_measure)(harp_context* context, harp_error** err);
  harp_string* (*harp_cache_dir)(harp_context* context, harp_error** err);
  harp_status (*harp_cache_clear)(harp_context* context, harp_error** err);
  harp_string* (*harp_cache_list)(harp_context* context, harp_error** err);
  harp_status (*harp_cache_stats)(harp_context* context, harp_cache_stats_info* stats, harp_error** err);
  harp_status (*harp_memory_trim)(harp_context* context, uint64_t max_bytes, harp_error** err);
  harp_status (*harp_memory_stats)(harp_context* context, harp_memory_stats_info* stats, harp_error** err);
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
  harp_status (*harp_custom_function_results)(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc, int32_t n_results, const harp_dtype* dtypes, harp_node** results);
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
  harp_status (*harp_program_specialize)(harp_program* program, size_t* count, harp_error** err);
  harp_string* (*harp_program_source)(const harp_program* program, harp_error** err);
  harp_status (*harp_program_stats)(const harp_program* program, harp_program_stats_info* stats, harp_error** err);
  harp_buffer* (*harp_buffer_new)(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims, harp_error** err);
  harp_buffer* (*harp_buffer_wrap)(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err);
  harp_buffer* (*harp_buffer_wrap_const)(harp_context* context, harp_dtype dtype, int32_t rank, const int64_t* dims, const void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err);
  harp_buffer* (*harp_buffer_wrap_device)(harp_context* context, const char* device, harp_dtype dtype, int32_t rank, const int64_t* dims, void* data, void (*deleter)(void* user, void* data), void* user, harp_error** err);
  harp_buffer* (*harp_buffer_retain)(harp_buffer* buffer);
  void (*harp_buffer_release)(harp_buffer* buffer);
  const char* (*harp_buffer_device)(const harp_buffer* buffer);
  void* (*harp_buffer_data)(harp_buffer* buffer);
  const void* (*harp_buffer_const_data)(const harp_buffer* buffer);
  uint64_t (*harp_buffer_address)(const harp_buffer* buffer);
  harp_status (*harp_buffer_wait_stream)(harp_buffer* buffer, void* stream, harp_error** err);
  harp_status (*harp_buffer_signal_stream)(const harp_buffer* buffer, void* stream, harp_error** err);
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
