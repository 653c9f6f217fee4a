package harp

import (
	"context"
	"sync"
)

// How lazy tensors work. An operation is recorded in an expr, which contains the operation, its operands, and a hash of the whole
// computation. The hash contains the dtype, the shape and the position of each array, but not its values, so it is the same each time the
// computation is recorded. The dtype and shape of a new tensor are looked up by the operation and the operands' dtypes and shapes. When the
// tensor is computed, the compiled program is looked up by the hash. A new graph of harp is built only if a look-up fails.

// expr is an operation on operands. It is immutable and does not store results, which tensors do.
type expr struct {
	hash   key
	serial uint64    // greater than those of its operands; see origins.go
	leaves []*Tensor // the arrays that it is computed from, each once, in the order of their first use
	bytes  int       // total size of these arrays
	depth  int
	index  int // the index of the result, for an operation with several results
	// Whether the expr, or a part of it, is computed from no array.
	hasConstants bool
	args         []operand
	one          func(*Graph, []Node) Node
	many         func(*Graph, []Node) []Node // for an operation with several results; the exprs of the results refer to its expr by `shared`
	shared       *expr
	inline       [3]operand // memory of args if there are at most three
}

// operand is an array or an expr; if both are nil, the operand is not given.
type operand struct {
	leaf *Tensor
	expr *expr
}

const (
	maxDepth   = 1000 // an operand that depends on a longer chain of operations is computed first
	maxLeaves  = 1000
	maxPending = 512 << 20 // bytes; an operand that needs more bytes of arrays is computed first, unless its own array has more than 1/8 of them
	maxEntries = 1 << 14   // maximum size of each table; a table that is full is emptied
)

// tracer contains the tables of a context.
type tracer struct {
	mutex    sync.RWMutex
	results  map[key]*inferred
	programs map[key]*compiled
	numbers  map[numberKey]*Tensor
}

// inferred holds the dtypes and shapes that an operation gives for operands of certain dtypes and shapes.
type inferred struct {
	sigs []*signature
	err  error
}

// compiled is a program that exists or is being made.
type compiled struct {
	ready   chan struct{}
	program *Program
	err     error
}

type numberKey struct {
	dtype DType
	bits  uint64
}

func (t *tracer) forget() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.results, t.programs, t.numbers = nil, nil, nil
}

func failedTensor(ctx *Context, err error) *Tensor { return &Tensor{ctx: ctx, err: err} }

func trace(k key, build func(*Graph, []Node) Node, args ...*Tensor) *Tensor {
	given := args
	ctx, st, args, err := prepare(args)
	if err != nil {
		return failedTensor(ctx, err)
	}
	if st != nil {
		nodes, err := st.nodes(args)
		if err != nil {
			return failedTensor(ctx, err)
		}
		return st.tensor(build(st.graph, nodes))
	}
	e, resultKey := record(k, args)
	e.one = build
	result := ctx.result(resultKey, e, args)
	if result.err != nil {
		if made := bySizes(result.err, given, func(g *Graph, n []Node) []Node { return []Node{build(g, n)} }); made != nil {
			return made[0]
		}
		return failedTensor(ctx, result.err)
	}
	t := &Tensor{ctx: ctx, sig: result.sigs[0]}
	t.expr.Store(e)
	return t
}

func traceList(k key, build func(*Graph, []Node) []Node, args ...*Tensor) []*Tensor {
	given := args
	ctx, st, args, err := prepare(args)
	if err != nil {
		return []*Tensor{failedTensor(ctx, err)}
	}
	if st != nil {
		nodes, err := st.nodes(args)
		if err != nil {
			return []*Tensor{failedTensor(ctx, err)}
		}
		var made []*Tensor
		for _, node := range build(st.graph, nodes) {
			made = append(made, st.tensor(node))
		}
		return made
	}
	e, resultKey := record(k, args)
	e.many = build
	result := ctx.result(resultKey, e, args)
	if result.err != nil {
		if made := bySizes(result.err, given, build); made != nil {
			return made
		}
	}
	return results(ctx, e, result)
}

func tracePair(k key, build func(*Graph, []Node) (Node, Node), args ...*Tensor) (*Tensor, *Tensor) {
	made := traceList(k, func(g *Graph, n []Node) []Node {
		first, second := build(g, n)
		return []Node{first, second}
	}, args...)
	if len(made) < 2 {
		return made[0], made[0]
	}
	return made[0], made[1]
}

// results makes the tensors of an operation with several results.
func results(ctx *Context, e *expr, result *inferred) []*Tensor {
	if result.err != nil {
		return []*Tensor{failedTensor(ctx, result.err)}
	}
	made := make([]*Tensor, len(result.sigs))
	for i, sig := range result.sigs {
		part := &expr{hash: e.hash.number(int64(i)), serial: serials.Add(1), leaves: e.leaves, bytes: e.bytes, depth: e.depth, index: i, shared: e}
		part.hasConstants = e.hasConstants
		made[i] = &Tensor{ctx: ctx, sig: sig}
		made[i].expr.Store(part)
	}
	return made
}

// prepare checks operands: which context they belong to, whether Jit traces them, and whether one has failed. It returns the operands, where
// numbers have got their dtype; that list is a new one if there are numbers, because the given one may be the caller's.
func prepare(args []*Tensor) (*Context, *stage, []*Tensor, error) {
	var ctx *Context
	var st *stage
	numbers := false
	for _, arg := range args {
		if arg == nil {
			continue
		}
		if err := arg.Err(); err != nil {
			return arg.ctx, nil, nil, err
		}
		if arg.number != nil {
			numbers = true
			continue
		}
		if st == nil {
			st = arg.stage
		}
		if ctx == nil {
			ctx = arg.ctx
		} else if ctx != arg.ctx {
			return ctx, nil, nil, mistake(ErrInvalidArgument, "the operands belong to different contexts")
		}
	}
	if ctx == nil {
		ctx = Default()
	}
	if numbers && st == nil {
		args = copied(args)
		if err := resolve(ctx, args); err != nil {
			return ctx, nil, nil, err
		}
	}
	return ctx, st, args, nil
}

// resolve replaces numbers by arrays of rank 0. Their dtype is that of the first operand of the highest kind (complex, float, integer,
// bool). A number with a fraction next to integers becomes an f32; if all operands are numbers, the dtype is that of Go: i64 or f64.
func resolve(ctx *Context, args []*Tensor) error {
	beside := Unknown
	for _, arg := range args {
		if arg != nil && arg.number == nil && kindOf(arg.sig.dtype) > kindOf(beside) {
			beside = arg.sig.dtype
		}
	}
	for i, arg := range args {
		if arg == nil || arg.number == nil {
			continue
		}
		made, err := ctx.scalar(arg.number.dtype(beside), arg.number)
		if err != nil {
			return err
		}
		args[i] = made
	}
	return nil
}

func kindOf(d DType) int {
	switch {
	case d == Unknown:
		return 0
	case d == Bool:
		return 1
	case d.isInteger():
		return 2
	case d.isFloat():
		return 3
	}
	return 4
}

// record records an operation on operands. It also returns the key of the dtypes and shapes of its result.
func record(k key, args []*Tensor) (*expr, key) {
	e := &expr{}
	if len(args) <= len(e.inline) {
		e.args = e.inline[:len(args)]
	} else {
		e.args = make([]operand, len(args))
	}
	hash, resultKey := k, k
	for i, arg := range args {
		if arg == nil {
			hash, resultKey = hash.word(0), resultKey.word(0)
			continue
		}
		form := arg.expr.Load()
		if form != nil && (form.depth >= maxDepth || len(form.leaves) >= maxLeaves || form.bytes >= maxPending && arg.sig.bytes() <= form.bytes/8) {
			if compute(context.Background(), false, arg) == nil { // an error of this computation is reported when the result is computed
				form = nil
			}
		}
		resultKey = resultKey.join(arg.sig.hash)
		if form == nil {
			e.args[i].leaf = arg
			hash = hash.word(1).join(arg.sig.hash).number(int64(e.place(arg)))
			continue
		}
		e.args[i].expr = form
		hash = hash.word(2).join(form.hash)
		e.hasConstants = e.hasConstants || form.hasConstants
		if form.depth >= e.depth {
			e.depth = form.depth
		}
		if len(e.leaves) == 0 {
			e.leaves, e.bytes = form.leaves[:len(form.leaves):len(form.leaves)], form.bytes
			continue // the arrays of e are those of this operand, in the same order, which is part of the operand's hash
		}
		for _, leaf := range form.leaves {
			hash = hash.number(int64(e.place(leaf)))
		}
	}
	e.hash, e.serial = hash, serials.Add(1)
	e.hasConstants = e.hasConstants || len(e.leaves) == 0
	e.depth++
	return e, resultKey
}

// place returns the position of an array among the leaves of e (the arrays that it is computed from), and adds the array if it is new.
func (e *expr) place(leaf *Tensor) int {
	for i, other := range e.leaves {
		if other == leaf {
			return i
		}
	}
	e.leaves = append(e.leaves, leaf)
	e.bytes += leaf.sig.bytes()
	return len(e.leaves) - 1
}
