package harp

import (
	"context"
	"strconv"
)

// This file computes lazy tensors. For an operation or a program that is new it builds a C graph; known programs are looked up and run.

// lazyFlags are the rules of operations on tensors: NumPy's broadcasting, and PyTorch's promotion of dtypes.
const lazyFlags = Broadcast | PromoteMixed

func inputName(i int) string { return "x" + strconv.Itoa(i) }

func shapeOf(sig *signature) []Dim {
	made := make([]Dim, len(sig.dims))
	for i, size := range sig.dims {
		made[i] = Dim(size)
	}
	return made
}

// result returns the dtypes and shapes of the results of e on operands like args. It looks them up by k, or has harp infer them.
func (ctx *Context) result(k key, e *expr, args []*Tensor) *inferred {
	t := &ctx.lazy
	t.mutex.RLock()
	result := t.results[k]
	t.mutex.RUnlock()
	if result != nil {
		return result
	}
	result = ctx.infer(e, args)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.results == nil || len(t.results) > maxEntries {
		t.results = map[key]*inferred{}
	}
	t.results[k] = result
	return result
}

// infer builds the single operation in a graph whose inputs have the operands' dtypes and shapes.
func (ctx *Context) infer(e *expr, args []*Tensor) *inferred {
	g := ctx.NewGraph(lazyFlags)
	defer g.Close()
	nodes := make([]Node, len(args))
	for i, arg := range args {
		if arg != nil {
			nodes[i] = g.Input("operand"+strconv.Itoa(i), arg.sig.dtype, shapeOf(arg.sig)...)
		}
	}
	made := &inferred{}
	for _, node := range e.build(g, nodes) {
		if err := node.Err(); err != nil {
			return &inferred{err: err}
		}
		shape := node.Shape()
		dims := make([]int, len(shape))
		for i, size := range shape {
			dims[i] = int(size)
		}
		made.sigs = append(made.sigs, newSignature(node.DType(), dims))
	}
	return made
}

func (e *expr) build(g *Graph, nodes []Node) []Node {
	if e.many != nil {
		return e.many(g, nodes)
	}
	return []Node{e.one(g, nodes)}
}

// builder makes the nodes of recorded operations (exprs) in a C graph, one node for each expr.
type builder struct {
	g      *Graph
	inputs map[*Tensor]Node
	made   map[*expr][]Node
}

func newBuilder(g *Graph, leaves []*Tensor) *builder {
	b := &builder{g, map[*Tensor]Node{}, map[*expr][]Node{}}
	for i, leaf := range leaves {
		b.inputs[leaf] = g.Input(inputName(i), leaf.sig.dtype, shapeOf(leaf.sig)...)
	}
	return b
}

func (b *builder) node(e *expr) Node {
	if e.shared != nil {
		if parts := b.nodes(e.shared); e.index < len(parts) {
			return parts[e.index]
		}
		return b.nodes(e.shared)[0] // the operation failed and has a single node, which stores the error
	}
	return b.nodes(e)[0]
}

func (b *builder) nodes(e *expr) []Node {
	if made, ok := b.made[e]; ok {
		return made
	}
	operands := make([]Node, len(e.args))
	for i, arg := range e.args {
		switch {
		case arg.expr != nil:
			operands[i] = b.node(arg.expr)
		case arg.leaf != nil:
			operands[i] = b.inputs[arg.leaf]
		}
	}
	made := e.build(b.g, operands)
	b.made[e] = made
	return made
}

// Realize computes those of the tensors that are not computed yet, in one program. From then on they are constants for gradients.
func Realize(ts ...*Tensor) error { return RealizeContext(context.Background(), ts...) }

// RealizeContext is Realize, but returns ctx's error when ctx is done. Then a run ends, but a compilation goes on in the background,
// because other goroutines may wait for the same program.
func RealizeContext(ctx context.Context, ts ...*Tensor) error { return compute(ctx, true, ts...) }

// compute is RealizeContext. Unless `constants` is true, the tensors remember what they were computed from.
func compute(ctx context.Context, constants bool, ts ...*Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var owner *Context
	wanted, exprs := make([]*Tensor, 0, 4), make([]*expr, 0, 4)
	for _, t := range ts {
		if err := t.Err(); err != nil {
			return err
		}
		if t.stage != nil {
			return mistake(ErrInvalidArgument, "a tensor of a traced function has no values; return it from the function")
		}
		if t.number != nil {
			return mistake(ErrInvalidArgument, "expected a tensor with a dtype, got a Number; Scalar makes a tensor of a number")
		}
		e := t.expr.Load()
		if e == nil && constants {
			t.origins.Store(nil)
		}
		if e == nil || contains(exprs, e) && contains(wanted, t) {
			continue
		}
		if owner == nil {
			owner = t.ctx
		} else if owner != t.ctx {
			return mistake(ErrInvalidArgument, "the tensors belong to different contexts")
		}
		wanted, exprs = append(wanted, t), append(exprs, e)
	}
	if len(wanted) == 0 {
		return nil
	}
	k, leaves := joined(exprs)
	program, err := owner.programFor(ctx, k, exprs, leaves)
	if err != nil {
		return err
	}
	inputs := make([]*Buffer, len(leaves))
	for i, leaf := range leaves {
		inputs[i] = leaf.value.Load()
	}
	made, err := program.RunContext(ctx, nil, inputs...)
	if err != nil {
		return err
	}
	for i, t := range wanted {
		if !constants {
			t.origins.Store(originsOfExpr(exprs[i]))
		}
		t.computation.Store(computationOf(exprs[i]))
		if !t.value.CompareAndSwap(nil, made[i]) {
			made[i].Close() // another goroutine has computed the same tensor
		}
		t.expr.Store(nil)
	}
	return nil
}

func contains[T comparable](list []T, item T) bool {
	for _, other := range list {
		if other == item {
			return true
		}
	}
	return false
}

// joined returns the key of a program that computes the exprs, and the program's inputs.
func joined(exprs []*expr) (key, []*Tensor) {
	if len(exprs) == 1 {
		return exprs[0].hash, exprs[0].leaves
	}
	all := &expr{}
	k := opKey("program").number(int64(len(exprs)))
	for _, e := range exprs {
		k = k.join(e.hash)
		for _, leaf := range e.leaves {
			k = k.number(int64(all.place(leaf)))
		}
	}
	return k, all.leaves
}

// programFor looks up the program, or compiles it. Goroutines that need a program that is being compiled wait for it.
func (ctx *Context) programFor(until context.Context, k key, exprs []*expr, leaves []*Tensor) (*Program, error) {
	t := &ctx.lazy
	t.mutex.RLock()
	entry := t.programs[k]
	t.mutex.RUnlock()
	if entry == nil {
		t.mutex.Lock()
		if entry = t.programs[k]; entry == nil {
			if t.programs == nil || len(t.programs) > maxEntries {
				t.programs = map[key]*compiled{}
			}
			entry = &compiled{ready: make(chan struct{})}
			t.programs[k] = entry
			go func() { // continues even if the first caller gives up, because others may wait
				defer close(entry.ready)
				if entry.program, entry.err = ctx.compile(exprs, leaves); entry.err != nil {
					t.mutex.Lock()
					delete(t.programs, k) // try again the next time: a missing compiler may be installed by then
					t.mutex.Unlock()
				}
			}()
		}
		t.mutex.Unlock()
	}
	select {
	case <-entry.ready:
		return entry.program, entry.err
	default:
	}
	select {
	case <-entry.ready:
		return entry.program, entry.err
	case <-until.Done():
		return nil, until.Err()
	}
}

func (ctx *Context) compile(exprs []*expr, leaves []*Tensor) (*Program, error) {
	g := ctx.NewGraph(lazyFlags)
	defer g.Close()
	b := newBuilder(g, leaves)
	for i, e := range exprs {
		g.Output("y"+strconv.Itoa(i), b.node(e))
	}
	return g.Compile(nil)
}

// Grad returns the derivative of y, which must have one element, with respect to each of xs. If one of the derivatives does not exist, all
// results have the error ErrNoGradient. That is so if y does not depend on a tensor (no gradient is silently zero), or depends on it
// through an array that was computed before, by Slice, Item, String or Jit, so that the gradient would leave out a part. Realize makes
// constants, like detach in other libraries. A tensor of xs may itself have been computed, before or after y was recorded from it.
func Grad(y *Tensor, xs ...*Tensor) []*Tensor {
	made, err := gradients(y, xs)
	if err != nil {
		made = make([]*Tensor, len(xs))
		for i := range made {
			made[i] = failedTensor(nil, err)
		}
	}
	return made
}

func gradients(y *Tensor, xs []*Tensor) ([]*Tensor, error) {
	args := append([]*Tensor{y}, xs...)
	for _, arg := range args {
		if err := arg.Err(); err != nil {
			return nil, err
		}
		if arg.number != nil {
			return nil, mistake(ErrInvalidArgument, "grad: expected tensors, got a Number; Scalar makes a tensor of a number")
		}
	}
	if len(xs) == 0 {
		return nil, nil
	}
	ctx, st, args, err := prepare(args)
	if err != nil {
		return nil, err
	}
	if st != nil {
		return st.grad(args)
	}
	e := recordGrad(ctx, args)
	if err := checkOrigins(e, xs); err != nil {
		return nil, err
	}
	// Whether gradients exist depends on the whole computation, so the key here is that of the whole computation.
	t := &ctx.lazy
	t.mutex.RLock()
	result := t.results[e.hash]
	t.mutex.RUnlock()
	if result == nil {
		if err := ctx.tryBuild(e); err != nil {
			return nil, err
		}
		result = &inferred{}
		for _, x := range xs {
			result.sigs = append(result.sigs, x.sig)
		}
		t.mutex.Lock()
		if t.results == nil || len(t.results) > maxEntries {
			t.results = map[key]*inferred{}
		}
		t.results[e.hash] = result
		t.mutex.Unlock()
	}
	return results(ctx, e, result), nil
}

// recordGrad records the derivative of args[0] with respect to each of the other arguments. A tensor that was pending when args[0] was
// recorded from it, and has been computed since, occurs in args[0] as its expr. That expr is then a further operand, and the two gradients
// are added.
func recordGrad(ctx *Context, args []*Tensor) *expr {
	count := len(args) - 1
	k, further := opKey("Grad"), make([]int, count) // the position of the further operand; 0: there is none
	if y := args[0].expr.Load(); y != nil {
		for i, x := range args[1 : 1+count] {
			was := x.computation.Load()
			if was == nil || x.expr.Load() != nil {
				continue
			}
			if form := y.find(was.serial); form != nil {
				pending := &Tensor{ctx: ctx, sig: x.sig}
				pending.expr.Store(form)
				further[i], k = len(args), k.number(int64(i))
				args = append(args, pending)
			}
		}
	}
	e, _ := record(k, args)
	if len(args) == 1+count {
		e.many = func(_ *Graph, n []Node) []Node { return n[0].Grad(n[1:]...) }
		return e
	}
	e.many = func(_ *Graph, n []Node) []Node {
		made := make([]Node, count)
		for i := range made {
			if further[i] == 0 {
				made[i] = n[0].Grad(n[1+i])[0]
			} else {
				made[i] = gradOfEither(n[0], n[1+i], n[further[i]])
			}
			if err := made[i].Err(); err != nil {
				return failedList(err, count)
			}
		}
		return made
	}
	return e
}

// gradOfEither returns the gradient of y with respect to a value that occurs in y as an array, as an expr, or as both.
func gradOfEither(y, array, expr Node) Node {
	parts := y.GradOrZero(array, expr)
	if err := parts[0].Err(); err != nil {
		return failed(err)
	}
	if y.Grad(expr)[0].Err() != nil { // y depends on the expr, but only through operations without a gradient
		return y.Grad(array)[0]
	}
	return parts[0].Add(parts[1])
}

func (ctx *Context) tryBuild(e *expr) error {
	g := ctx.NewGraph(lazyFlags)
	defer g.Close()
	return newBuilder(g, e.leaves).nodes(e)[0].Err()
}
