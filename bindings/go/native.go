package harp

/*
#include "shim.h"

// `user` is a cgo.Handle, an integer, which is passed in the pointer desc.user.
static harp_node* goharp_native_node(harp_graph* graph, int32_t n, harp_node* const* nodes, const char* name, const char* signature,
                                     uintptr_t user, int32_t dtype, int32_t rank, const harp_dim* dims) {
  harp_native_desc desc = HARP_NATIVE_DESC_INIT;
  desc.name = name, desc.signature = signature;
  desc.function = (harp_native_function)goharp_native, desc.user = (void*)user;
  desc.dtype = dtype, desc.rank = rank, desc.dims = dims, desc.graph = graph;
  return harp_native(n, nodes, &desc);
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Function is a Go function as an operation, for Graph.Native and Native. NewFunction makes it.
type Function struct {
	name   string
	call   func(output Array, inputs []Array) error
	number uint64 // identifies the function in hashes, because functions cannot be compared
}

var functions atomic.Uint64

// NewFunction makes an operation from a function that writes all elements of its output. The name (letters, digits and _) is for messages and
// for the text of graphs.
//
// In a run harp calls it with arrays in memory, whose elements Data returns. They are row-major, and valid only during the call. It is
// called on the goroutine that runs the program; runs that overlap call it at the same time. Its result must depend on its inputs alone:
// harp may call it once for two equal nodes, or not at all if no output depends on it. It must not use the Context whose program calls
// it, write to its inputs, or end its goroutine (runtime.Goexit, which FailNow of a test calls).
//
// If it returns an error, the run fails with ErrNative, whose chain contains that error, for errors.Is and errors.As. A panic is reported
// in the same way, as a *PanicError.
func NewFunction(name string, f func(output Array, inputs []Array) error) *Function {
	return &Function{name, f, functions.Add(1)}
}

// PanicError is the panic of a Go function that harp called.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // the stack trace of the goroutine that panicked, as debug.Stack returns it
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns Value if it is an error, otherwise nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// native is a function in a graph. The graph and its programs refer to it, so that the cgo.Handle that harp stores stays valid as long as
// they exist.
type native struct {
	id   cgo.Handle
	call *nativeCall
}

// nativeCall contains the Go function and the descriptions of its arrays. Each call gets the arrays' addresses and the values of symbolic
// sizes from C.
type nativeCall struct {
	call   func(output Array, inputs []Array) error
	output arrayPlan
	inputs []arrayPlan
}

// arrayPlan describes an array of a native operation. A size below 0 stands for a symbolic size: -1 - size is its index in the list of
// symbolic sizes that each call gets.
type arrayPlan struct {
	dtype DType
	dims  []int
}

func (p *arrayPlan) at(data unsafe.Pointer, sizes []C.int64_t) Array {
	a := Array{data: data, length: 1, dtype: p.dtype, dims: make([]int, len(p.dims))}
	for i, size := range p.dims {
		if size < 0 {
			size = int(sizes[-1-size])
		}
		a.dims[i] = size
		a.length *= size
	}
	return a
}

// nativeSignature collects the signature text that tells harp how to call goharp_native.
type nativeSignature struct {
	text  strings.Builder
	sizes map[Dim]int
	words []string // the words of the signature that stand for symbolic sizes
}

// plan describes an array and adds it to the signature. Each symbolic size becomes one argument of the call, even if several axes have it.
func (s *nativeSignature) plan(array string, dtype DType, shape []Dim) arrayPlan {
	p := arrayPlan{dtype, make([]int, len(shape))}
	fmt.Fprintf(&s.text, ", %v* %s", dtype, array)
	for axis, size := range shape {
		if size >= 0 {
			p.dims[axis] = int(size)
			continue
		}
		at, known := s.sizes[size]
		if !known {
			at = len(s.words)
			s.sizes[size] = at
			s.words = append(s.words, fmt.Sprintf("i64 %s[%d]", array, axis))
		}
		p.dims[axis] = -1 - at
	}
	return p
}

// Native makes a node that calls a Go function on the arrays of at most 8 nodes, or of none; the result has this dtype and shape. The node has no
// gradient, and a graph that contains it can be printed, but not read back.
func (g *Graph) Native(f *Function, dtype DType, shape []Dim, nodes ...Node) Node {
	if f == nil || f.call == nil {
		return failed(mistake(ErrInvalidArgument, "native: the function is nil"))
	}
	if len(nodes) > C.GOHARP_NATIVE_INPUTS {
		return failed(mistake(ErrUnsupported, "native: %q is called on %d arrays; expected at most %d", f.name, len(nodes), C.GOHARP_NATIVE_INPUTS))
	}
	s := nativeSignature{sizes: map[Dim]int{}}
	s.text.WriteString("i32(void* user")
	call := &nativeCall{call: f.call, output: s.plan("output", dtype, shape)}
	for i, node := range nodes {
		call.inputs = append(call.inputs, s.plan(fmt.Sprintf("input%d", i), node.DType(), node.Shape()))
	}
	s.text.WriteString(strings.Repeat(", void* user", C.GOHARP_NATIVE_INPUTS-len(nodes)))
	if len(s.words) > C.GOHARP_NATIVE_SIZES {
		return failed(mistake(ErrUnsupported, "native: the arrays of %q have %d symbolic sizes; expected at most %d", f.name, len(s.words), C.GOHARP_NATIVE_SIZES))
	}
	for i := 0; i < C.GOHARP_NATIVE_SIZES; i++ {
		s.text.WriteString(", ")
		if i < len(s.words) {
			s.text.WriteString(s.words[i])
		} else {
			s.text.WriteString("i64 0")
		}
	}
	s.text.WriteString(")")

	if err := g.enterList("native", nodes); err != nil {
		return failed(err)
	}
	defer g.leave()
	name, signature := text(f.name, false), text(s.text.String(), false)
	defer release(name)
	defer release(signature)
	n := &native{cgo.NewHandle(call), call}
	whenGone(n, n.id)
	g.natives = append(g.natives, n)
	return g.made(C.goharp_native_node(g.p(), C.int32_t(len(nodes)), handles(nodes), name, signature, C.uintptr_t(n.id), C.int32_t(dtype), C.int32_t(len(shape)), sizes(shape)))
}

// Native is Graph.Native for tensors.
func Native(f *Function, dtype DType, shape []Dim, xs ...*Tensor) *Tensor {
	if f == nil {
		return failedTensor(nil, mistake(ErrInvalidArgument, "native: the function is nil"))
	}
	shape = copied(shape)
	return trace(opKey("Native").word(f.number).number(int64(dtype)).dims(shape), func(g *Graph, n []Node) Node {
		return g.Native(f, dtype, shape, n...)
	}, xs...)
}

// calls holds the error of the native operations of one run.
type calls struct {
	handle cgo.Handle
	err    error
}

// beginCalls returns nil for programs without native operations.
func (p *Program) beginCalls() *calls {
	if len(p.natives) == 0 {
		return nil
	}
	c := &calls{}
	c.handle = cgo.NewHandle(c)
	return c
}

func (c *calls) id() C.uintptr_t {
	if c == nil {
		return 0
	}
	return C.uintptr_t(c.handle)
}

// end returns the error of the run. If a Go function failed, the error contains the function's error.
func (c *calls) end(err error) error {
	if c == nil {
		return err
	}
	c.handle.Delete()
	if e, ok := err.(*Error); ok && e.Code == ErrNative && c.err != nil {
		e.Message += ": " + c.err.Error()
		e.cause = c.err
	}
	return err
}

//export goharpNative
func goharpNative(user, run C.uintptr_t, output unsafe.Pointer, inputs *unsafe.Pointer, sizes *C.int64_t) (status C.int32_t) {
	n := cgo.Handle(user).Value().(*nativeCall)
	c := &calls{}
	if run != 0 { // 0: the program is run by code outside of this package
		c = cgo.Handle(run).Value().(*calls)
	}
	returned := false
	defer func() {
		if value := recover(); !returned {
			c.err = &PanicError{value, debug.Stack()} // a Go panic must not unwind through C
			status = 1
		}
	}()
	list, symbolic := unsafe.Slice(inputs, C.GOHARP_NATIVE_INPUTS), unsafe.Slice(sizes, C.GOHARP_NATIVE_SIZES)
	arrays := make([]Array, len(n.inputs))
	for i := range arrays {
		arrays[i] = n.inputs[i].at(list[i], symbolic)
	}
	err := n.call(n.output.at(output, symbolic), arrays)
	returned = true
	if err != nil {
		c.err = err
		return 1
	}
	return 0
}
