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

// CompileOptions say how a program is made; nil and the zero value are the defaults.
type CompileOptions struct {
	Backend      string           // "c" (""), or "interp", which needs no compiler and starts at once; the results are the same bits
	CheckIndices bool             // an index that names no element fails the run (ErrRange); by default it means the nearest element
	Specialize   map[string]int64 // values of shape variables by name: the program is made for these sizes alone
	Schedule     string           // how it is made, in lines, as Graph.Tune gives it and harp.h describes it; it never changes the results
	NoTuning     bool             // without the configuration that tuning found
}

// Program is a compiled graph. Several goroutines may run it at the same time.
type Program struct {
	ctx     *Context
	h       *handle
	outputs int
	inputs  int
	callsGo bool      // a run may call functions of Go's
	natives []*native // those that are operations of it
}

// compileOptions is CompileOptions in C's memory.
type compileOptions struct {
	c       *C.harp_compile_options
	strings []*C.char
	lists   []unsafe.Pointer
	flag    *doneFlag
}

// endedBy makes the compilation end when ctx is done.
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

// texts is a list of strings, which release frees; NULL where there are none.
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

// CompileContext is Compile, but returns when ctx is done, with ctx's error. The compiler is stopped, with what it has started, within a few
// milliseconds; until then calls that build on the graph wait.
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
		g.mutex.RLock() // here, since it may have to wait for another compilation, and the caller shall not
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

// CompileNodes makes a program of these nodes and the inputs that they depend on, in the order of these inputs' declaration. The graph's
// outputs do not matter. options may be nil.
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

// cancellable waits for make, or for ctx to be done; then what make returns later is closed.
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

// newProgram is called between begin and leave, or while the graph is read.
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

// Close gives up the program, when the last run has ended.
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

// Inputs and Outputs say how many there are.
func (p *Program) Inputs() int { return p.inputs }

// Outputs says how many outputs there are.
func (p *Program) Outputs() int { return p.outputs }

// Signature is the program's as text: "softmax(x: f32[n, 1024]) -> y: f32[n, 1024] where n in 1..4096".
func (p *Program) Signature() (string, error) {
	c, err := p.use()
	if err != nil {
		return "", err
	}
	defer p.h.done()
	var e *C.harp_error
	return takenText(C.harp_program_signature((*C.harp_program)(c), &e), e)
}

// Source is the generated C; "" for the backend "interp".
func (p *Program) Source() (string, error) {
	c, err := p.use()
	if err != nil {
		return "", err
	}
	defer p.h.done()
	var e *C.harp_error
	return takenText(C.harp_program_source((*C.harp_program)(c), &e), e)
}

// Kernels says how many loop nests the program is made of.
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

// RunOptions of a run; nil is the default.
type RunOptions struct {
	ShapeVars map[string]int64 // of shape variables that follow from no axis of an input
}

// runOptions is RunOptions in C's memory, with the flag that ends the run.
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
			made.names = append(made.names, C.CString(name))
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

// ended is the error of a run: that of ctx where it ended the run.
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

// RunContext is Run with options, which ends with ctx's error, within about a millisecond, when ctx is done.
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
	runtime.KeepAlive(p) // and its native operations
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

// scratch is what a run on buffers hands to C.
type scratch struct {
	in, out []*C.harp_buffer
	made    []C.goharp_made
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// resize makes lists of these lengths, at least one long behind their ends, with NULL for outputs.
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
		s.in[i] = nil // whoever uses it next may be given fewer: nothing stale goes to C
	}
	for i := range s.made {
		s.out[i], s.made[i].data = nil, nil // nor stays for the garbage collector to look at
	}
	scratches.Put(s)
}
