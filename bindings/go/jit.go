package harp

import (
	"context"
	"strings"
	"sync"
)

// stage is the graph into which a function is traced; the tensors that the function receives stand for nodes of this graph.
type stage struct {
	ctx      *Context
	graph    *Graph
	captured []*Tensor // arrays that the function captures, which become inputs after its arguments
	inputs   []Node    // the input nodes of the captured arrays, in the same order
}

func (s *stage) tensor(node Node) *Tensor {
	if err := node.Err(); err != nil {
		return failedTensor(s.ctx, err)
	}
	return &Tensor{ctx: s.ctx, stage: s, node: node}
}

// nodes returns the nodes of operands: numbers become constants, captured arrays become inputs.
func (s *stage) nodes(args []*Tensor) ([]Node, error) {
	beside := Unknown
	for _, arg := range args {
		if arg != nil && arg.number == nil {
			if d := arg.DType(); kindOf(d) > kindOf(beside) {
				beside = d
			}
		}
	}
	made := make([]Node, len(args))
	for i, arg := range args {
		switch {
		case arg == nil:
		case arg.number != nil:
			dtype := arg.number.dtype(beside)
			if arg.number.isInt && (dtype.isInteger() || dtype == Bool) {
				made[i] = s.graph.ConstInt(dtype, arg.number.integer)
			} else {
				made[i] = s.graph.Const(dtype, arg.number.forDType(dtype))
			}
		case arg.stage == s:
			made[i] = arg.node
		case arg.stage != nil:
			return nil, mistake(ErrInvalidArgument, "a tensor of a traced function is used while another function is traced")
		default:
			node, err := s.capture(arg)
			if err != nil {
				return nil, err
			}
			made[i] = node
		}
	}
	return made, nil
}

func (s *stage) capture(t *Tensor) (Node, error) {
	for i, other := range s.captured {
		if other == t {
			return s.inputs[i], nil
		}
	}
	if err := compute(context.Background(), false, t); err != nil {
		return Node{}, err
	}
	node := s.graph.Input("captured"+inputName(len(s.captured)), t.sig.dtype, shapeOf(t.sig)...)
	s.captured, s.inputs = append(s.captured, t), append(s.inputs, node)
	return node, node.Err()
}

func (s *stage) grad(args []*Tensor) ([]*Tensor, error) {
	nodes, err := s.nodes(args)
	if err != nil {
		return nil, err
	}
	for i, leaf := range s.captured { // a captured array, which may have been computed from one of xs
		if err := s.inputs[i].Err(); err != nil || !nodes[0].DependsOn(s.inputs[i]) {
			continue
		}
		for _, x := range args[1:] {
			if x.stage == nil && x != leaf && leaf.madeOf(x) {
				return nil, lostOrigins(leaf)
			}
		}
	}
	var made []*Tensor
	for _, node := range nodes[0].Grad(nodes[1:]...) {
		made = append(made, s.tensor(node))
	}
	return made, nil
}

// tracing lists the stages of the functions that are being traced now, by all goroutines.
var tracing struct {
	sync.Mutex
	stages []*stage
}

func (s *stage) begin() {
	tracing.Lock()
	defer tracing.Unlock()
	tracing.stages = append(tracing.stages, s)
}

func (s *stage) end() {
	tracing.Lock()
	defer tracing.Unlock()
	for i, other := range tracing.stages {
		if other == s {
			tracing.stages = append(tracing.stages[:i:i], tracing.stages[i+1:]...)
		}
	}
}

// bySizes builds an operation that has a symbolic size and no tensor as an operand: its operands are numbers, or there are none (Arange).
// Only the traced function from which the size comes (Tensor.Dim) can build it, so bySizes tries the functions that are being traced. If
// none of their graphs accepts the size, the result is nil.
func bySizes(failure error, args []*Tensor, build func(*Graph, []Node) []Node) []*Tensor {
	e, ok := failure.(*Error)
	if !ok || !strings.Contains(e.Message, "a symbolic size belongs to another graph") {
		return nil
	}
	for _, arg := range args {
		if arg != nil && arg.number == nil {
			return nil
		}
	}
	tracing.Lock()
	stages := copied(tracing.stages)
	tracing.Unlock()
	for _, s := range stages {
		nodes, err := s.nodes(args)
		if err != nil {
			continue
		}
		var results []*Tensor
		for _, node := range build(s.graph, nodes) {
			if node.Err() == nil {
				results = append(results, s.tensor(node))
			}
		}
		if results != nil {
			return results
		}
	}
	return nil
}

// JitOption changes how Jit traces.
type JitOption func(*Jitted)

// Dynamic makes the size of an argument's axis symbolic, from low to high, both included: one program then serves all sizes. Axes with the
// same name have the same size.
func Dynamic(argument, axis int, name string, low, high int) JitOption {
	return func(j *Jitted) {
		j.dynamic = append(j.dynamic, dynamicAxis{argument, axis, name, low, high})
	}
}

type dynamicAxis struct {
	argument, axis int
	name           string
	low, high      int
}

// Jitted is a function on tensors that is traced once for each structure of its arguments; later calls only run the program.
type Jitted struct {
	f        func(x ...*Tensor) []*Tensor
	dynamic  []dynamicAxis
	mutex    sync.RWMutex
	programs map[structure]*traced
}

// structure is the key of a trace: the context, and the dtypes and shapes of the arguments.
type structure struct {
	ctx  *Context
	args key
}

type traced struct {
	once     sync.Once
	program  *Program
	captured []*Tensor
	err      error
}

// Jit makes a Jitted function from f. While f is traced, its arguments have dtypes and shapes, but no values. Its results must depend only
// on its arguments, because later calls do not run it again. Arrays that it captures keep the values that they have when it is traced. f
// may call other Jitted functions: their operations become part of the trace.
func Jit(f func(x ...*Tensor) []*Tensor, options ...JitOption) *Jitted {
	j := &Jitted{f: f, programs: map[structure]*traced{}}
	for _, option := range options {
		option(j)
	}
	return j
}

// Call runs the function. Its results are arrays, through which Grad cannot differentiate; f itself may call Grad.
func (j *Jitted) Call(args ...*Tensor) ([]*Tensor, error) {
	if j == nil || j.f == nil {
		return nil, mistake(ErrInvalidArgument, "expected a function that Jit returned for a function other than nil")
	}
	ctx, st, args, err := prepare(args)
	if err != nil {
		return nil, err
	}
	if st != nil { // called while another function is traced
		return j.f(args...), nil
	}
	k := key{3, 4}
	inputs := make([]*Buffer, len(args), len(args)+4)
	for i, arg := range args {
		b, err := arg.Buffer()
		if err != nil {
			return nil, err
		}
		inputs[i] = b
		if len(j.dynamic) == 0 {
			k = k.join(arg.sig.hash)
		} else {
			k = k.number(int64(b.dtype)).dims(j.shape(i, arg.sig, nil))
		}
	}
	t := j.traced(structure{ctx, k}, args)
	if t.err != nil {
		return nil, t.err
	}
	for _, c := range t.captured {
		inputs = append(inputs, c.value.Load())
	}
	made, err := t.program.run(inputs, nil)
	if err != nil {
		return nil, err
	}
	results, from := make([]*Tensor, len(made)), originsOf(append(args, t.captured...))
	for i, b := range made {
		results[i] = b.tensor(ctx)
		results[i].origins.Store(from)
	}
	return results, nil
}

// traced returns the program for a structure. The first goroutine that needs it makes it; others wait.
func (j *Jitted) traced(s structure, args []*Tensor) *traced {
	j.mutex.RLock()
	t := j.programs[s]
	j.mutex.RUnlock()
	if t == nil {
		j.mutex.Lock()
		if t = j.programs[s]; t == nil {
			t = &traced{err: mistake(ErrInvalidArgument, "the function panicked while Jit traced it")} // the error of waiting goroutines, if f panics
			j.programs[s] = t
		}
		j.mutex.Unlock()
	}
	defer func() {
		if t.err == nil {
			return
		}
		j.mutex.Lock()
		defer j.mutex.Unlock()
		if j.programs[s] == t {
			delete(j.programs, s) // the next call tries again: a missing compiler may be installed by then
		}
	}()
	t.once.Do(func() { j.trace(s.ctx, t, args) })
	return t
}

// shape returns an argument's shape; a dynamic size is -1, or, with a graph, the symbolic size of that graph.
func (j *Jitted) shape(argument int, sig *signature, g *Graph) []Dim {
	shape := shapeOf(sig)
	for _, d := range j.dynamic {
		if d.argument == argument && d.axis >= 0 && d.axis < len(shape) {
			shape[d.axis] = -1
			if g != nil {
				shape[d.axis] = g.DimVar(d.name, d.low, d.high)
			}
		}
	}
	return shape
}

func (j *Jitted) trace(ctx *Context, t *traced, args []*Tensor) {
	for _, d := range j.dynamic {
		if d.argument < 0 || d.argument >= len(args) || d.axis < 0 || d.axis >= len(args[d.argument].sig.dims) {
			t.err = mistake(ErrShape, "Dynamic: argument %d has no axis %d", d.argument, d.axis)
			return
		}
	}
	g := ctx.NewGraph(lazyFlags)
	defer g.Close()
	s := &stage{ctx: ctx, graph: g}
	s.begin()
	defer s.end()
	staged := make([]*Tensor, len(args))
	for i, arg := range args {
		staged[i] = s.tensor(g.Input(inputName(i), arg.sig.dtype, j.shape(i, arg.sig, g)...))
	}
	results, err := s.nodes(j.f(staged...))
	if err == nil {
		for i, result := range results {
			g.Output("y"+inputName(i)[1:], result)
		}
		t.program, err = g.Compile(nil)
	}
	t.captured, t.err = s.captured, err
}
