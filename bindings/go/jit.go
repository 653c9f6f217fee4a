package harp

import (
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
			return nil, mistake(ErrInvalidArgument, "a tensor of one function that Jit traces is used in another")
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
	if err := Realize(t); err != nil {
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
	gradients, err := nodes[0].Grad(nodes[1:]...)
	if err != nil {
		return nil, err
	}
	made := make([]*Tensor, len(gradients))
	for i, node := range gradients {
		made[i] = s.tensor(node)
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
	programs map[key]*traced
}

type traced struct {
	once     sync.Once
	program  *Program
	captured []*Tensor
	err      error
}

// Jit makes such a function. While f is traced its arguments have dtypes and shapes, but no values; it has to return what it computes of them,
// and the same whenever it is called. Arrays that it uses besides its arguments keep the values that they have when it is traced.
func Jit(f func(x ...*Tensor) []*Tensor, options ...JitOption) *Jitted {
	j := &Jitted{f: f, programs: map[key]*traced{}}
	for _, option := range options {
		option(j)
	}
	return j
}

// Call runs the function. Its results are arrays.
func (j *Jitted) Call(args ...*Tensor) ([]*Tensor, error) {
	k := key{3, 4}
	var ctx *Context
	inputs := make([]*Buffer, len(args), len(args)+4)
	for i, arg := range args {
		b, err := arg.Buffer()
		if err != nil {
			return nil, err
		}
		if ctx == nil {
			ctx = arg.ctx
		} else if ctx != arg.ctx {
			return nil, mistake(ErrInvalidArgument, "the arguments are tensors of two contexts")
		}
		inputs[i] = b
		if len(j.dynamic) == 0 {
			k = k.join(arg.sig.hash)
		} else {
			k = k.number(int64(b.dtype)).dims(j.shape(i, arg.sig, nil))
		}
	}
	if ctx == nil {
		ctx = Default()
	}
	j.mutex.RLock()
	t := j.programs[k]
	j.mutex.RUnlock()
	if t == nil {
		j.mutex.Lock()
		if t = j.programs[k]; t == nil {
			t = &traced{}
			j.programs[k] = t
		}
		j.mutex.Unlock()
	}
	t.once.Do(func() { j.trace(ctx, t, args) })
	if t.err != nil {
		j.mutex.Lock()
		delete(j.programs, k) // what went wrong may not the next time: a compiler may be installed
		j.mutex.Unlock()
		return nil, t.err
	}
	for _, c := range t.captured {
		inputs = append(inputs, c.value.Load())
	}
	made, err := t.program.run(inputs, nil)
	if err != nil {
		return nil, err
	}
	results := make([]*Tensor, len(made))
	for i, b := range made {
		results[i] = b.tensor(ctx)
	}
	return results, nil
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
			t.err = mistake(ErrShape, "Dynamic: there is no axis %d of argument %d", d.axis, d.argument)
			return
		}
	}
	g, err := ctx.NewGraph(lazyFlags)
	if err != nil {
		t.err = err
		return
	}
	defer g.Close()
	s := &stage{ctx: ctx, graph: g}
	staged := make([]*Tensor, len(args))
	for i, arg := range args {
		staged[i] = s.tensor(g.Input(inputName(i), arg.sig.dtype, j.shape(i, arg.sig, g)...))
	}
	results, err := s.nodes(j.f(staged...))
	for i := 0; err == nil && i < len(results); i++ {
		err = g.Output("y"+inputName(i)[1:], results[i])
	}
	if err == nil {
		t.program, err = g.Compile(nil)
	}
	t.captured, t.err = s.captured, err
}
