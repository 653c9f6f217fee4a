package harp

import (
	"context"
	"sync"
)

// stage is a graph that a function is traced into: the tensors that it is called with are nodes.
type stage struct {
	ctx      *Context
	graph    *Graph
	captured []*Tensor // arrays of the function's own, which become inputs behind its arguments
	inputs   []Node    // theirs
}

func (s *stage) tensor(node Node) *Tensor {
	if err := node.Err(); err != nil {
		return failedTensor(s.ctx, err)
	}
	return &Tensor{ctx: s.ctx, stage: s, node: node}
}

// nodes of operands: numbers become constants, arrays from outside inputs.
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
				made[i] = s.graph.Const(dtype, arg.number.float)
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
	for i, leaf := range s.captured { // computed outside, perhaps from another one
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

// JitOption changes how Jit traces.
type JitOption func(*Jitted)

// Dynamic makes the size of an argument's axis symbolic, within low and high, both included: one program then serves all sizes. Axes with the
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

// structure is what a function is traced once for.
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

// Jit makes such a function. While f is traced its arguments have dtypes and shapes, but no values; it has to return what it computes of them,
// and the same whenever it is called. Arrays that it uses besides its arguments keep the values that they have when it is traced. f may call
// other functions that Jit made: they become a part of it.
func Jit(f func(x ...*Tensor) []*Tensor, options ...JitOption) *Jitted {
	j := &Jitted{f: f, programs: map[structure]*traced{}}
	for _, option := range options {
		option(j)
	}
	return j
}

// Call runs the function. Its results are arrays; for gradients see Grad, which f may call.
func (j *Jitted) Call(args ...*Tensor) ([]*Tensor, error) {
	args = copied(args) // where a Number becomes an array
	ctx, st, err := prepare(args)
	if err != nil {
		return nil, err
	}
	if st != nil { // another function is traced
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

// traced is the program for a structure; whoever comes first makes it, and others wait.
func (j *Jitted) traced(s structure, args []*Tensor) *traced {
	j.mutex.RLock()
	t := j.programs[s]
	j.mutex.RUnlock()
	if t == nil {
		j.mutex.Lock()
		if t = j.programs[s]; t == nil {
			t = &traced{err: mistake(ErrInvalidArgument, "the function panicked while Jit traced it")} // for those who wait, if it does
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
			delete(j.programs, s) // what went wrong may not the next time: a compiler may be installed
		}
	}()
	t.once.Do(func() { j.trace(s.ctx, t, args) })
	return t
}

// shape is an argument's shape with -1, or what the graph calls it, for a dynamic size.
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
