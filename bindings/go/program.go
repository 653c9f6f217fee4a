package harp

/*
#include "shim.h"
static void goharp_program_release(void* program) { harp_program_release((harp_program*)program); }
*/
import "C"

import (
	"context"
	"runtime"
	"sync"
	"unsafe"
)

// CompileOptions say how a program is made; nil and the zero value mean the defaults.
type CompileOptions struct {
	Backend      string           // "c" (also ""), or "interp", which needs no compiler and starts at once; results have the same bits
	CheckIndices bool             // an index out of range fails the run (ErrRange); by default it selects the nearest element
	Specialize   map[string]int64 // values of shape variables by name: the program is made for these sizes only
	Schedule     string           // a configuration in lines, as Graph.Tune finds it and harp.h describes it; it never changes the results
	NoTuning     bool             // do not use the configuration that tuning found
}

// Program is a compiled graph. Several goroutines may run it at the same time.
type Program struct {
	ctx     *Context
	h       *handle
	outputs int
	inputs  int
	callsGo bool      // whether a run may call Go functions
	natives []*native // the Go functions among its operations
}

// compileOptions holds CompileOptions in C memory.
type compileOptions struct {
	c       *C.harp_compile_options
	strings []*C.char
	lists   []unsafe.Pointer
	flag    *doneFlag
}

// endedBy sets the options so that the compilation ends when ctx is done.
func (o *compileOptions) endedBy(ctx context.Context) *compileOptions {
	o.flag = watch(ctx)
	o.c.cancel = o.flag.address()
	return o
}

func (o *CompileOptions) inC() *compileOptions {
	made := &compileOptions{c: (*C.harp_compile_options)(C.calloc(1, C.sizeof_harp_compile_options))}
	made.c.struct_size = C.sizeof_harp_compile_options
	if o == nil {
		return made
	}
	made.c.backend, made.c.schedule = made.text(o.Backend), made.text(o.Schedule)
	made.c.check_indices = boolean(o.CheckIndices)
	if o.NoTuning {
		made.c.tuning = C.HARP_TUNING_OFF
	}
	if n := len(o.Specialize); n > 0 {
		names, values := C.calloc(C.size_t(n), 8), C.calloc(C.size_t(n), 8)
		made.lists = append(made.lists, names, values)
		i := 0
		for name, value := range o.Specialize {
			unsafe.Slice((**C.char)(names), n)[i], unsafe.Slice((*C.int64_t)(values), n)[i] = made.text(name), C.int64_t(value)
			i++
		}
		made.c.n_specialize, made.c.specialize_names, made.c.specialize_values = C.size_t(n), (**C.char)(names), (*C.int64_t)(values)
	}
	return made
}

func (o *compileOptions) text(s string) *C.char {
	c := text(s, true)
	o.strings = append(o.strings, c)
	return c
}

// texts returns a list of strings for C, which release frees; NULL if the list is empty.
func (o *compileOptions) texts(list []string) **C.char {
	if len(list) == 0 {
		return nil
	}
	memory := C.calloc(C.size_t(len(list)), 8)
	o.lists = append(o.lists, memory)
	for i, s := range list {
		c := text(s, false)
		o.strings = append(o.strings, c)
		unsafe.Slice((**C.char)(memory), len(list))[i] = c
	}
	return (**C.char)(memory)
}

func (o *compileOptions) release() {
	o.flag.release()
	for _, s := range o.strings {
		release(s)
	}
	for _, list := range o.lists {
		C.free(list)
	}
	C.free(unsafe.Pointer(o.c))
}

// Compile makes a program of the graph's outputs.
func (g *Graph) Compile(options *CompileOptions) (*Program, error) {
	return g.CompileContext(context.Background(), options)
}

// CompileContext is Compile, but returns ctx's error as soon as ctx is done. The compiler and the processes that it has started are stopped
// within a few milliseconds; until then, calls that add to the graph wait.
func (g *Graph) CompileContext(ctx context.Context, options *CompileOptions) (*Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := g.use(); err != nil {
		return nil, err
	}
	c := options.inC().endedBy(ctx)
	return cancellable(ctx, func() (*Program, error) {
		defer g.h.done()
		defer c.release()
		g.mutex.RLock() // in this goroutine: locking may wait for another compilation, but CompileContext returns when ctx is done
		defer g.mutex.RUnlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if g.err != nil {
			return nil, g.err
		}
		var e *C.harp_error
		return newProgram(g, C.harp_compile(g.p(), c.c, &e), e)
	})
}

// CompileNodes makes a program that computes these nodes. Its inputs are those on which the nodes depend, in the order of their
// declaration. The graph's outputs do not matter. options may be nil.
func (g *Graph) CompileNodes(options *CompileOptions, nodes ...Node) (*Program, error) {
	return g.CompileNodesContext(context.Background(), options, nodes...)
}

// CompileNodesContext is CompileNodes, but returns when ctx is done, as CompileContext does.
func (g *Graph) CompileNodesContext(ctx context.Context, options *CompileOptions, nodes ...Node) (*Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	nodes, c := copied(nodes), options.inC().endedBy(ctx)
	return cancellable(ctx, func() (*Program, error) {
		defer c.release()
		if err := g.enterList("compile_nodes", nodes); err != nil {
			return nil, err
		}
		defer g.leave()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var e *C.harp_error
		return newProgram(g, C.harp_compile_nodes(g.p(), C.int32_t(len(nodes)), nil, handles(nodes), c.c, &e), e)
	})
}

// cancellable waits until make_ returns or ctx is done; in the second case the program that make_ returns later is closed.
func cancellable(ctx context.Context, make_ func() (*Program, error)) (*Program, error) {
	if ctx.Done() == nil {
		return make_()
	}
	type result struct {
		p   *Program
		err error
	}
	made := make(chan result, 1)
	go func() {
		p, err := make_()
		made <- result{p, err}
	}()
	select {
	case r := <-made:
		return r.p, r.err
	case <-ctx.Done():
		go func() {
			if r := <-made; r.p != nil {
				r.p.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// newProgram must be called between begin and leave, or while the graph is locked for reading.
func newProgram(g *Graph, p *C.harp_program, e *C.harp_error) (*Program, error) {
	if p == nil {
		return nil, failure(e)
	}
	made := &Program{ctx: g.ctx, inputs: int(C.harp_program_input_count(p)), outputs: int(C.harp_program_output_count(p))}
	made.natives = copied(g.natives)
	made.callsGo = g.ctx.logs || len(made.natives) > 0
	made.h = newHandle(unsafe.Pointer(p), func(p unsafe.Pointer) { C.goharp_program_release(p) })
	whenUnreachable(made, made.h)
	return made, nil
}

// Close releases the program. It is freed when its last run has ended.
func (p *Program) Close() {
	p.h.close()
	runtime.KeepAlive(p)
}

func (p *Program) use() (unsafe.Pointer, error) {
	c, ok := p.h.use()
	if !ok {
		return nil, mistake(ErrInvalidArgument, "the program is closed")
	}
	return c, nil
}

// Inputs returns the number of inputs.
func (p *Program) Inputs() int { return p.inputs }

// Outputs returns the number of outputs.
func (p *Program) Outputs() int { return p.outputs }

// Signature returns the program's signature as text: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096".
func (p *Program) Signature() (string, error) {
	c, err := p.use()
	if err != nil {
		return "", err
	}
	defer p.h.done()
	var e *C.harp_error
	return takenText(C.harp_program_signature((*C.harp_program)(c), &e), e)
}

// Source returns the generated C source; "" for the backend "interp".
func (p *Program) Source() (string, error) {
	c, err := p.use()
	if err != nil {
		return "", err
	}
	defer p.h.done()
	var e *C.harp_error
	return takenText(C.harp_program_source((*C.harp_program)(c), &e), e)
}

// Kernels returns the number of loop nests of the program.
func (p *Program) Kernels() (int, error) {
	c, err := p.use()
	if err != nil {
		return 0, err
	}
	defer p.h.done()
	info := C.harp_program_stats_info{struct_size: C.sizeof_harp_program_stats_info}
	var e *C.harp_error
	if C.harp_program_stats((*C.harp_program)(c), &info, &e) != C.HARP_OK {
		return 0, taken(e)
	}
	return int(info.kernels), nil
}

// RunOptions are the options of a run; nil means the defaults.
type RunOptions struct {
	ShapeVars map[string]int64 // values of those shape variables that no axis of an input determines
}

// runOptions holds RunOptions in C memory, with the flag that ends the run.
type runOptions struct {
	c     *C.harp_run_options
	names []*C.char
	lists []unsafe.Pointer
	flag  *doneFlag
}

func (o *RunOptions) inC(ctx context.Context) *runOptions {
	made := &runOptions{c: (*C.harp_run_options)(C.calloc(1, C.sizeof_harp_run_options))}
	made.c.struct_size = C.sizeof_harp_run_options
	if o != nil && len(o.ShapeVars) > 0 {
		n := len(o.ShapeVars)
		names, values := C.calloc(C.size_t(n), 8), C.calloc(C.size_t(n), 8)
		made.lists = append(made.lists, names, values)
		for name, value := range o.ShapeVars {
			i := len(made.names)
			made.names = append(made.names, text(name, false))
			unsafe.Slice((**C.char)(names), n)[i], unsafe.Slice((*C.int64_t)(values), n)[i] = made.names[i], C.int64_t(value)
		}
		made.c.n_shape_vars, made.c.shape_var_names, made.c.shape_var_values = C.size_t(n), (**C.char)(names), (*C.int64_t)(values)
	}
	made.flag = watch(ctx)
	made.c.cancel = made.flag.address()
	return made
}

func (o *runOptions) release() {
	o.flag.release()
	for _, name := range o.names {
		release(name)
	}
	for _, list := range o.lists {
		C.free(list)
	}
	C.free(unsafe.Pointer(o.c))
}

// ended returns the error of a run: ctx's error if ctx ended the run.
func ended(ctx context.Context, err error) error {
	if e, ok := err.(*Error); ok && e.Code == ErrCancelled && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Run runs the program on buffers and returns new ones with its outputs.
func (p *Program) Run(inputs ...*Buffer) ([]*Buffer, error) {
	return p.RunContext(context.Background(), nil, inputs...)
}

// RunContext is Run with options. When ctx is done, it returns ctx's error within about a millisecond.
func (p *Program) RunContext(ctx context.Context, options *RunOptions, inputs ...*Buffer) ([]*Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var c *C.harp_run_options
	if ctx.Done() != nil || options != nil {
		o := options.inC(ctx)
		defer o.release()
		c = o.c
	}
	made, err := p.run(inputs, c)
	return made, ended(ctx, err)
}

func (p *Program) run(inputs []*Buffer, options *C.harp_run_options) ([]*Buffer, error) {
	program, err := p.use()
	if err != nil {
		return nil, err
	}
	defer p.h.done()
	s := scratches.Get().(*scratch)
	defer s.release()
	s.resize(len(inputs), p.outputs)
	used := 0
	for ; used < len(inputs); used++ {
		if inputs[used] == nil {
			err = mistake(ErrInvalidArgument, "input %d is nil", used)
			break
		}
		c, ok := inputs[used].h.use()
		if !ok {
			err = mistake(ErrInvalidArgument, "input %d is closed", used)
			break
		}
		s.in[used] = (*C.harp_buffer)(c)
	}
	if err == nil {
		calls := p.beginCalls()
		err = calls.end(taken(C.goharp_run(program, C.size_t(len(s.in)), &s.in[:1][0], C.size_t(len(s.out)), &s.out[:1][0], options, &s.made[:1][0], calls.id())))
	}
	runtime.KeepAlive(p) // keeps p and its native operations alive during the run
	for _, b := range inputs[:used] {
		b.h.done()
	}
	if err != nil {
		return nil, err
	}
	buffers := make([]*Buffer, p.outputs)
	for i := range s.made {
		m := &s.made[i]
		shape := make([]int, m.rank)
		for axis := range shape {
			shape[axis] = int(m.dims[axis])
		}
		n, _ := elements(shape)
		buffers[i] = p.ctx.newBuffer(s.out[i], m.data, DType(m.dtype), shape, n*DType(m.dtype).Size())
	}
	return buffers, nil
}

// scratch holds the lists that a run on buffers passes to C. It is reused by later runs.
type scratch struct {
	in, out []*C.harp_buffer
	made    []C.goharp_made
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// resize gives the lists these lengths, with NULL for outputs. The memory behind each list has room for at least one more element.
func (s *scratch) resize(inputs, outputs int) {
	if cap(s.in) <= inputs {
		s.in = make([]*C.harp_buffer, inputs+1)
	}
	if cap(s.out) <= outputs {
		s.out, s.made = make([]*C.harp_buffer, outputs+1), make([]C.goharp_made, outputs+1)
	}
	s.in, s.out, s.made = s.in[:inputs], s.out[:outputs], s.made[:outputs]
	for i := range s.out {
		s.out[i] = nil
	}
}

func (s *scratch) release() {
	for i := range s.in {
		s.in[i] = nil // the next run must not pass old pointers to C
	}
	for i := range s.made {
		s.out[i], s.made[i].data = nil, nil // as above; also, the list must not keep the memory of outputs alive
	}
	scratches.Put(s)
}
