package harp

/*
#include "shim.h"

extern void goharpLog(void* user, int32_t level, char* text, size_t size);

// `log` is a cgo.Handle of the log function. A handle is an integer; it is passed in the pointer log_user.
static harp_context* goharp_context_new(harp_context_options* options, uintptr_t log, harp_error** err) {
  if (log != 0) {
    options->log = (void (*)(void*, int32_t, const char*, size_t))goharpLog;
    options->log_user = (void*)log;
  }
  return harp_context_new(options, err);
}
static void goharp_context_release(void* context) { harp_context_release((harp_context*)context); }
*/
import "C"

import (
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"
)

// Options are the settings of a Context. The zero value of each field stands for harp's default.
type Options struct {
	Threads        int           // number of threads that run a program, including the calling one; 0: only the calling one
	CacheDir       string        // directory of compiled programs; "": the default that harp.h describes ($HARP_CACHE_DIR, ~/.cache/harp ...)
	MemoryOnly     bool          // keep compiled programs in memory only
	Compiler       string        // command of the C compiler; "": the first of $HARP_CC, $CC, cc, gcc, clang that works
	CompileTimeout time.Duration // time limit of one compilation; 0: one minute
	Compilers      int           // maximum number of C compilers that run at the same time; 0: one less than the number of CPUs
	CompilerNice   int           // 0 to 19, added to the nice value of the compilers

	// Log receives messages of LogLevel and above, from any goroutine and from harp's own threads, several at once. It must not use the
	// context, nor end its goroutine (runtime.Goexit). A panic in it is ignored. nil: no messages.
	Log      func(level LogLevel, text string)
	LogLevel LogLevel
}

// LogLevel is the severity of a message.
type LogLevel int32

// The severities, in ascending order.
const (
	LogTrace   LogLevel = C.HARP_LOG_TRACE
	LogDebug   LogLevel = C.HARP_LOG_DEBUG
	LogInfo    LogLevel = C.HARP_LOG_INFO
	LogWarning LogLevel = C.HARP_LOG_WARNING
	LogError   LogLevel = C.HARP_LOG_ERROR
)

// Context owns what programs and graphs share: the cache of compiled programs, the C compiler that was found, and the threads.
type Context struct {
	h     *handle
	lazy  tracer
	limit pressure
	logs  bool // whether the log goes to a Go function
}

// NewContext makes a context.
func NewContext(options Options) (*Context, error) {
	c := (*C.harp_context_options)(C.calloc(1, C.sizeof_harp_context_options))
	defer C.free(unsafe.Pointer(c))
	c.struct_size = C.sizeof_harp_context_options
	c.threads, c.compilers, c.compiler_nice = int32InC(options.Threads), int32InC(options.Compilers), int32InC(options.CompilerNice)
	c.compile_timeout_ms = milliseconds(options.CompileTimeout)
	directory, err := path(options.CacheDir)
	if err != nil {
		return nil, err
	}
	defer release(directory)
	compiler := text(options.Compiler, true)
	defer release(compiler)
	if options.CacheDir != "" || options.MemoryOnly {
		c.cache_dir = directory
	}
	c.compiler = compiler
	if options.MemoryOnly && options.CacheDir != "" {
		return nil, mistake(ErrInvalidArgument, "options: expected MemoryOnly or CacheDir, got both (CacheDir is %q)", options.CacheDir)
	}
	var log cgo.Handle
	if options.Log != nil {
		log = cgo.NewHandle(options.Log)
		c.log_level = C.int32_t(options.LogLevel)
	}
	var e *C.harp_error
	made := C.goharp_context_new(c, C.uintptr_t(log), &e)
	if made == nil {
		if log != 0 {
			log.Delete()
		}
		return nil, failure(e)
	}
	ctx := &Context{h: newHandle(unsafe.Pointer(made), func(p unsafe.Pointer) { C.goharp_context_release(p) }), logs: options.Log != nil}
	// The log function is never released: graphs, programs and buffers keep the C context alive, which may call it after this Context is
	// closed.
	whenUnreachable(ctx, ctx.h)
	return ctx, nil
}

//export goharpLog
func goharpLog(user unsafe.Pointer, level C.int32_t, text *C.char, size C.size_t) {
	defer func() { _ = recover() }() // a panic must not unwind through harp, which holds locks, or into threads that Go did not start
	cgo.Handle(uintptr(user)).Value().(func(LogLevel, string))(LogLevel(level), C.GoStringN(text, C.int(size)))
}

var (
	defaultMutex   sync.Mutex
	defaultContext *Context
)

// Default returns the context of tensors that are made without one. The first call makes it, with the default options except that it has
// one thread for each CPU.
func Default() *Context {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	if defaultContext == nil {
		made, err := NewContext(Options{Threads: processors()})
		if err != nil {
			panic(err) // out of memory, or a system that harp does not support
		}
		defaultContext = made
	}
	return defaultContext
}

// SetDefault sets the context of the tensors that are made without one from now on.
func SetDefault(ctx *Context) {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	defaultContext = ctx
}

// Close drops the programs of lazy tensors and releases the context. Graphs, programs and buffers made with it remain usable.
func (ctx *Context) Close() {
	ctx.lazy.forget()
	ctx.h.close()
}

func (ctx *Context) use() (*C.harp_context, error) {
	p, ok := ctx.h.use()
	if !ok {
		return nil, mistake(ErrInvalidArgument, "the context is closed")
	}
	return (*C.harp_context)(p), nil
}

// Describe returns what `harp info` prints, as lines "key: value": version, CPU, compiler, cache directory, backends.
func (ctx *Context) Describe() (string, error) {
	c, err := ctx.use()
	if err != nil {
		return "", err
	}
	defer ctx.h.done()
	var e *C.harp_error
	return takenText(C.harp_context_describe(c, &e), e)
}

// BackendAvailable reports whether programs can be run with the backend ("interp", "c") now.
func (ctx *Context) BackendAvailable(name string) bool {
	c, err := ctx.use()
	if err != nil {
		return false
	}
	defer ctx.h.done()
	n := text(name, false)
	defer release(n)
	return C.harp_backend_available(c, n) != 0
}

// CacheStats counts the files in the directory of compiled programs, and where compilations of this context found their program: in memory,
// on disk, or nowhere.
type CacheStats struct {
	Entries, Bytes               uint64 // number and size of the files in the directory
	MemoryHits, DiskHits, Misses uint64
}

// CacheStats returns the current counts.
func (ctx *Context) CacheStats() (CacheStats, error) {
	c, err := ctx.use()
	if err != nil {
		return CacheStats{}, err
	}
	defer ctx.h.done()
	info := C.harp_cache_stats_info{struct_size: C.sizeof_harp_cache_stats_info}
	var e *C.harp_error
	if C.harp_cache_stats(c, &info, &e) != C.HARP_OK {
		return CacheStats{}, taken(e)
	}
	return CacheStats{uint64(info.entries), uint64(info.bytes), uint64(info.memory_hits), uint64(info.disk_hits), uint64(info.misses)}, nil
}

// ClearCache removes all compiled programs from the directory and from memory; programs in use are not affected.
func (ctx *Context) ClearCache() error {
	c, err := ctx.use()
	if err != nil {
		return err
	}
	defer ctx.h.done()
	var e *C.harp_error
	C.harp_cache_clear(c, &e)
	return taken(e)
}
