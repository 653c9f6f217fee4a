package harp

/*
#include "shim.h"

extern void goharpLog(void* user, int32_t level, char* text, size_t size);

// A log callback is a cgo.Handle, which is an integer: it is stored as one.
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

// Options of a Context; the zero value is the default everywhere.
type Options struct {
	Threads        int           // that runs work on, the calling one included; 0: the calling one alone
	CacheDir       string        // of compiled programs; "": as harp.h says ($HARP_CACHE_DIR, ~/.cache/harp ...)
	MemoryOnly     bool          // no directory of compiled programs
	Compiler       string        // as one would type it; "": the first that works of $HARP_CC, $CC, cc, gcc, clang
	CompileTimeout time.Duration // how long a compilation may take; 0: one minute
	Compilers      int           // how many C compilers may run at the same time; 0: one less than there are CPUs
	CompilerNice   int           // 0 to 19, added to the nice value of their processes

	// Log receives messages of LogLevel and above, from any goroutine and from threads of harp's own, several at once. It must not use the
	// context, nor end its goroutine (runtime.Goexit). A panic ends no more than the message that it is about. nil: no messages.
	Log      func(level LogLevel, text string)
	LogLevel LogLevel
}

// LogLevel says how important a message is.
type LogLevel int32

// The levels.
const (
	LogTrace   LogLevel = C.HARP_LOG_TRACE
	LogDebug   LogLevel = C.HARP_LOG_DEBUG
	LogInfo    LogLevel = C.HARP_LOG_INFO
	LogWarning LogLevel = C.HARP_LOG_WARNING
	LogError   LogLevel = C.HARP_LOG_ERROR
)

// Context is the root of everything: the cache of compiled programs, the C compiler that was found, the threads.
type Context struct {
	h     *handle
	lazy  tracer
	limit pressure
	logs  bool // to a function of Go's
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
	// The log function is kept: graphs, programs and buffers keep harp's context, and so may call it after this one is closed.
	whenUnreachable(ctx, ctx.h)
	return ctx, nil
}

//export goharpLog
func goharpLog(user unsafe.Pointer, level C.int32_t, text *C.char, size C.size_t) {
	defer func() { _ = recover() }() // a panic must not go on through harp, which holds locks, nor into threads that are not Go's
	cgo.Handle(uintptr(user)).Value().(func(LogLevel, string))(LogLevel(level), C.GoStringN(text, C.int(size)))
}

var (
	defaultMutex   sync.Mutex
	defaultContext *Context
)

// Default is the context of tensors that are made without one. It is made by its first use, with default options but for one thread for each
// CPU.
func Default() *Context {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	if defaultContext == nil {
		made, err := NewContext(Options{Threads: processors()})
		if err != nil {
			panic(err) // without memory, or on a system that harp does not run on
		}
		defaultContext = made
	}
	return defaultContext
}

// SetDefault replaces the context of tensors that are made from now on.
func SetDefault(ctx *Context) {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	defaultContext = ctx
}

// Close forgets the programs of tensors and gives up the context. Graphs, programs and buffers made with it go on working.
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

// Describe is what `harp info` prints: version, CPU, compiler, cache directory, backends. Lines "key: value".
func (ctx *Context) Describe() (string, error) {
	c, err := ctx.use()
	if err != nil {
		return "", err
	}
	defer ctx.h.done()
	var e *C.harp_error
	return takenText(C.harp_context_describe(c, &e), e)
}

// BackendAvailable says whether programs can run on the backend ("interp", "c") now.
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

// CacheStats says what is in the directory of compiled programs, and where compilations of this context found theirs.
type CacheStats struct {
	Entries, Bytes               uint64 // in the directory
	MemoryHits, DiskHits, Misses uint64
}

// CacheStats counts.
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
