package harp

/*
#include "shim.h"
static void goharp_graph_release(void* graph) { harp_graph_release((harp_graph*)graph); }
static harp_node* goharp_constant_array(harp_graph* graph, int32_t dtype, int32_t rank, const harp_dim* dims, size_t size, const uint8_t* data) {
  return harp_constant_array(graph, dtype, rank, dims, size, data);
}
*/
import "C"

import (
	"math"
	"strings"
	"sync"
	"unsafe"
)

// Dim is a size: a plain number, or a symbolic size of one graph (Graph.DimVar).
type Dim int64

// Values with a special meaning in place of a size, a slice bound, an axis or a class.
const (
	DimInvalid Dim = C.HARP_DIM_INVALID // what a function that makes a size returns on failure
	SliceNone  Dim = C.HARP_SLICE_NONE  // stands for a bound of Slice that is not given
	AxisNone       = math.MinInt32      // instead of an axis: the operation works on the flattened array
	ClassNone      = math.MinInt64      // for the parameter ignoreIndex: no class is ignored
)

// GraphFlags are rules for the operations of a graph, joined with |.
type GraphFlags uint32

// The flags.
const (
	Broadcast    GraphFlags = C.HARP_GRAPH_BROADCAST     // NumPy's broadcasting
	Promote      GraphFlags = C.HARP_GRAPH_PROMOTE       // operands of different dtypes promote as the Array API standard says
	PromoteMixed GraphFlags = C.HARP_GRAPH_PROMOTE_MIXED // like Promote; in addition, bool, integers and floats promote to each other
)

// ScanFlags say how running values are computed, joined with |.
type ScanFlags uint32

// The flags.
const (
	ScanExclusive ScanFlags = C.HARP_SCAN_EXCLUSIVE // each result excludes the element at its own position
	ScanReverse   ScanFlags = C.HARP_SCAN_REVERSE   // the scan starts at the end of the axis
)

// Graph is a graph of array operations under construction.
type Graph struct {
	ctx     *Context
	h       *handle
	mutex   sync.RWMutex // locked for writing while nodes are made, for reading while the graph is compiled, which may happen in the background
	size    error        // the error of the latest operation on sizes that failed and returned DimInvalid
	err     error        // the first error of NewGraph and Output
	natives []*native    // Go functions that its nodes call
}

// Node is a value of a graph. Methods of Graph and of other nodes make it. The zero Node means "not given", where that is allowed.
type Node struct {
	g   *Graph
	p   *C.harp_node
	err error
}

// NewGraph makes an empty graph in the default context.
func NewGraph(flags GraphFlags) *Graph { return Default().NewGraph(flags) }

// NewGraph makes an empty graph. If that is not possible, for example because the context is closed, Compile and the nodes return the
// error.
func (ctx *Context) NewGraph(flags GraphFlags) *Graph {
	c, err := ctx.use()
	if err != nil {
		return &Graph{ctx: ctx, err: err}
	}
	defer ctx.h.done()
	var e *C.harp_error
	g, err := newGraph(ctx, C.harp_graph_new(c, C.uint32_t(flags), &e), e)
	if err != nil {
		return &Graph{ctx: ctx, err: err}
	}
	return g
}

// ParseGraph makes a graph from harp's text format.
func (ctx *Context) ParseGraph(source string) (*Graph, error) {
	c, err := ctx.use()
	if err != nil {
		return nil, err
	}
	defer ctx.h.done()
	s := C.CString(source) // harp receives the length, so a zero byte does not end the text
	defer release(s)
	var e *C.harp_error
	return newGraph(ctx, C.harp_graph_parse(c, C.size_t(len(source)), s, &e), e)
}

func newGraph(ctx *Context, p *C.harp_graph, e *C.harp_error) (*Graph, error) {
	if p == nil {
		return nil, failure(e)
	}
	g := &Graph{ctx: ctx, h: newHandle(unsafe.Pointer(p), func(p unsafe.Pointer) { C.goharp_graph_release(p) })}
	whenUnreachable(g, g.h)
	return g, nil
}

// Close releases the graph, whose nodes cannot be used afterwards. Programs made from it remain usable.
func (g *Graph) Close() { g.h.close() }

// Err returns the first error of NewGraph and Output, which Compile returns too; nil if there is none.
func (g *Graph) Err() error {
	g.mutex.RLock()
	defer g.mutex.RUnlock()
	return g.err
}

// Err returns the error with which the node, or a node that it was made from, failed; nil if there is none.
func (x Node) Err() error {
	if x.err == nil && x.g == nil {
		return mistake(ErrInvalidArgument, "expected a node, got the zero Node")
	}
	return x.err
}

// Graph returns the graph of the node; nil if the node failed.
func (x Node) Graph() *Graph { return x.g }

func failed(err error) Node { return Node{err: err} }

func failedList(err error, n int) []Node {
	if n < 1 || n > mostParts {
		n = 1
	}
	made := make([]Node, n)
	for i := range made {
		made[i] = failed(err)
	}
	return made
}

// enter begins a call that makes a node from other nodes; leave ends the call.
func enter(op string, needed []Node, optional ...Node) (*Graph, error) {
	var g *Graph
	for i, node := range needed {
		if node.err != nil {
			return nil, node.err
		}
		if node.g == nil {
			return nil, mistake(ErrInvalidArgument, "%s: operand %d is required, but it is nil, or the zero Node", op, i)
		}
		if g == nil {
			g = node.g
		}
		if node.g != g {
			return nil, mistake(ErrInvalidArgument, "%s: operand %d belongs to another graph", op, i)
		}
	}
	for _, node := range optional {
		if node.err != nil {
			return nil, node.err
		}
		if node.g != nil && node.g != g {
			return nil, mistake(ErrInvalidArgument, "%s: an optional operand belongs to another graph", op)
		}
	}
	return g, g.begin()
}

// enterList is like enter, for operations on a list of nodes, which are methods of Graph: the list may be empty.
func (g *Graph) enterList(op string, nodes []Node) error {
	if len(nodes) == 0 {
		return g.begin()
	}
	other, err := enter(op, nodes)
	if err == nil && other != g {
		other.leave()
		return mistake(ErrInvalidArgument, "%s: the nodes belong to another graph", op)
	}
	return err
}

// enterNonempty is like enterList, for operations that need at least one node.
func (g *Graph) enterNonempty(op string, nodes []Node) error {
	if len(nodes) == 0 {
		return mistake(ErrInvalidArgument, "%s: expected at least one node, got an empty list", op)
	}
	return g.enterList(op, nodes)
}

func (g *Graph) begin() error {
	if err := g.use(); err != nil {
		return err
	}
	g.mutex.Lock()
	return nil
}

func (g *Graph) use() error {
	if _, ok := g.h.use(); ok {
		return nil
	}
	if g.h == nil && g.err != nil {
		return g.err
	}
	return mistake(ErrInvalidArgument, "the graph is closed")
}

func (g *Graph) leave() {
	g.mutex.Unlock()
	g.h.done()
}

func (g *Graph) p() *C.harp_graph { return (*C.harp_graph)(g.h.pointer) }

// mistake removes the error from the C graph and returns it; nodes can then be added to the graph again.
func (g *Graph) mistake() error {
	if err := taken(C.harp_graph_take_error(g.p())); err != nil {
		if e := err.(*Error); g.size != nil && strings.Contains(e.Message, "HARP_DIM_INVALID") {
			e.Message += ": " + g.size.(*Error).Message
		}
		return err
	}
	return mistake(ErrInvalidArgument, "a required argument is missing")
}

func (g *Graph) made(p *C.harp_node) Node {
	if p == nil {
		return failed(g.mistake())
	}
	return Node{g: g, p: p}
}

func (g *Graph) madeList(status C.harp_status, list []*C.harp_node) []Node {
	if status != C.HARP_OK {
		return failedList(g.mistake(), len(list))
	}
	made := make([]Node, len(list))
	for i, p := range list {
		made[i] = Node{g: g, p: p}
	}
	return made
}

func (g *Graph) madePair(status C.harp_status, first, second *C.harp_node) (Node, Node) {
	if status != C.HARP_OK {
		err := g.mistake()
		return failed(err), failed(err)
	}
	return Node{g: g, p: first}, Node{g: g, p: second}
}

// SetName sets the name in text, signatures and generated code. Any text except "" is a name.
func (g *Graph) SetName(name string) error {
	if err := g.begin(); err != nil {
		return err
	}
	defer g.leave()
	n := text(name, false)
	defer release(n)
	var e *C.harp_error
	C.harp_graph_set_name(g.p(), n, &e)
	return taken(e)
}

// Input declares an input. Inputs are numbered in the order of their declaration.
func (g *Graph) Input(name string, dtype DType, shape ...Dim) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	n := text(name, false)
	defer release(n)
	return g.made(C.harp_input(g.p(), n, C.harp_dtype(dtype), C.int32_t(len(shape)), sizes(shape)))
}

// Output declares a node as an output. If the node failed or the name is not valid, the error becomes the graph's Err.
func (g *Graph) Output(name string, x Node) {
	if err := g.enterList("output", []Node{x}); err != nil {
		g.mutex.Lock()
		g.keep(err)
		g.mutex.Unlock()
		return
	}
	defer g.leave()
	n := text(name, false)
	defer release(n)
	if C.harp_output(g.p(), n, x.p) != C.HARP_OK {
		g.keep(g.mistake())
	}
}

func (g *Graph) keep(err error) {
	if g.err == nil {
		g.err = err
	}
}

// Const makes a constant of rank 0. A number that the dtype cannot hold is ErrRange; floats are rounded to nearest. Use ConstInt for
// integers beyond 2^53, which a float64 does not hold exactly.
func (g *Graph) Const(dtype DType, value float64) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_constant(g.p(), C.harp_dtype(dtype), C.double(value)))
}

// ConstInt makes an integer constant. With the dtype Unknown it takes the dtype of the operands that it is used with.
func (g *Graph) ConstInt(dtype DType, value int64) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_constant_i64(g.p(), C.harp_dtype(dtype), C.int64_t(value)))
}

// ConstUint is ConstInt for numbers that exceed int64.
func (g *Graph) ConstUint(dtype DType, value uint64) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_constant_u64(g.p(), C.harp_dtype(dtype), C.uint64_t(value)))
}

// ConstBool makes a bool constant.
func (g *Graph) ConstBool(value bool) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_constant_bool(g.p(), boolean(value)))
}

// ConstComplex makes a constant of a complex dtype.
func (g *Graph) ConstComplex(dtype DType, value complex128) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_constant_complex(g.p(), C.harp_dtype(dtype), C.double(real(value)), C.double(imag(value))))
}

// ConstArray makes a constant of a copy of the array.
func (g *Graph) ConstArray(array Array) Node {
	if err := array.check(); err != nil {
		return failed(err)
	}
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	shape := make([]Dim, len(array.dims))
	for i, size := range array.dims {
		shape[i] = Dim(size)
	}
	// The address is passed as a uint8_t*. For a void*, cgo would check the whole Go object that contains the array, for example a struct,
	// and would reject the call if the object contains Go pointers.
	return g.made(C.goharp_constant_array(g.p(), C.int32_t(array.dtype), C.int32_t(len(shape)), sizes(shape), C.size_t(array.length*array.dtype.Size()), (*C.uint8_t)(array.data)))
}

// Size makes a node of rank 0 that has the value of a size, as an i64.
func (g *Graph) Size(dim Dim) Node {
	if err := g.begin(); err != nil {
		return failed(err)
	}
	defer g.leave()
	return g.made(C.harp_size(g.p(), C.harp_dim(dim)))
}

// DimVar makes a symbolic size, whose value may differ in each run, from low to high, both included. The same name and bounds give the same
// size. For a wrong argument the result is DimInvalid, and nodes and sizes made from it fail.
func (g *Graph) DimVar(name string, low, high int) Dim {
	n := text(name, false)
	defer release(n)
	return g.dim(func() C.harp_dim { return C.harp_dim_var(g.p(), n, C.int64_t(low), C.int64_t(high)) })
}

// Arithmetic of sizes. Division floors, and the modulus has the divisor's sign.

// DimAdd is a + b.
func (g *Graph) DimAdd(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_add(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimSub is a - b.
func (g *Graph) DimSub(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_sub(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimMul is a * b.
func (g *Graph) DimMul(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_mul(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimFloorDiv is a / b, rounded down.
func (g *Graph) DimFloorDiv(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_floor_div(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimMod is a modulo b: the remainder of DimFloorDiv.
func (g *Graph) DimMod(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_mod(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimMin is the lesser of a and b.
func (g *Graph) DimMin(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_min(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// DimMax is the greater of a and b.
func (g *Graph) DimMax(a, b Dim) Dim {
	return g.dim(func() C.harp_dim { return C.harp_dim_max(g.p(), C.harp_dim(a), C.harp_dim(b)) })
}

// dim makes a size. If that fails, it stores the error, which nodes that are made from the size return.
func (g *Graph) dim(make func() C.harp_dim) Dim {
	if g.begin() != nil {
		return DimInvalid
	}
	defer g.leave()
	made := Dim(make())
	if made == DimInvalid {
		if err := taken(C.harp_graph_take_error(g.p())); err != nil && !strings.Contains(err.Error(), "HARP_DIM_INVALID") {
			g.size = err // the first cause: later operations on the DimInvalid fail, too, but their errors do not name it
		}
	}
	return made
}

// DimText returns the size as text: "2*n + 1".
func (g *Graph) DimText(dim Dim) string {
	if g.begin() != nil {
		return ""
	}
	defer g.leave()
	s, _ := takenText(C.harp_dim_print(g.p(), C.harp_dim(dim), nil), nil)
	return s
}

// Text returns the graph in harp's text format, which ParseGraph reads.
func (g *Graph) Text() (string, error) {
	if err := g.begin(); err != nil {
		return "", err
	}
	defer g.leave()
	var e *C.harp_error
	return takenText(C.harp_graph_print(g.p(), &e), e)
}

// Dot returns the graph in the language of Graphviz, for drawing.
func (g *Graph) Dot() (string, error) {
	if err := g.begin(); err != nil {
		return "", err
	}
	defer g.leave()
	var e *C.harp_error
	return takenText(C.harp_graph_dot(g.p(), &e), e)
}

// DType returns the dtype of the node; Unknown if the node failed.
func (x Node) DType() DType {
	if x.g == nil || x.g.begin() != nil {
		return Unknown
	}
	defer x.g.leave()
	return DType(C.harp_node_dtype(x.p))
}

// Rank returns the number of axes; 0 if the node failed.
func (x Node) Rank() int { return len(x.Shape()) }

// Shape returns the sizes of the node, plain or symbolic; nil if the node failed.
func (x Node) Shape() []Dim {
	if x.g == nil || x.g.begin() != nil {
		return nil
	}
	defer x.g.leave()
	rank := int(C.harp_node_rank(x.p))
	made := make([]Dim, rank, rank+1)
	if C.harp_node_dims(x.p, C.int32_t(len(made)), (*C.harp_dim)(unsafe.Pointer(&made[:1][0])), nil) != C.HARP_OK {
		return nil
	}
	return made
}

// Named gives the node a name for messages, text and drawings, unless it already has one. It returns the node.
func (x Node) Named(name string) Node {
	if x.g == nil || x.g.begin() != nil {
		return x
	}
	defer x.g.leave()
	n := text(name, false)
	defer release(n)
	C.harp_node_set_name(x.p, n)
	return x
}
