package harp

import "sync/atomic"

// This file records what an array was computed from. A lazy tensor becomes an array when its values are read, when Realize is called, or
// when its record has become too long. For gradients, two questions must then still have an answer:
//
//   - Was the array computed from a tensor that a gradient is taken with respect to? A gradient stops at arrays, so it would silently leave
//     out everything before this one. The array therefore keeps the serial numbers of the arrays that it was computed from (origins), which
//     keep nothing alive, and Grad fails if it would leave out a part. Realize makes a constant on purpose: it has no origins.
//   - Where does the array occur in tensors that were recorded before it was computed? Their records refer to its expr, not to the array. The
//     array therefore keeps the serial number of its expr (computation), and Grad differentiates with respect to that expr, too.

const mostOrigins = 16

// origins is a set of serial numbers: up to mostOrigins numbers in ascending order, and all numbers up to upTo. When the list is full, the
// smallest number leaves it and upTo grows, so the set may contain numbers that were never added, but it never loses one.
type origins struct {
	numbers [mostOrigins]uint64
	count   int
	upTo    uint64
}

// computation says how an array was computed: from which expr, and from which arrays. It contains serial numbers, so it keeps neither
// alive.
type computation struct {
	serial uint64   // the serial number of the expr
	leaves []uint64 // the serial numbers of the arrays in the expr
}

// serials is the counter from which exprs and arrays get serial numbers. An expr has a greater number than its operands.
var serials atomic.Uint64

// serial returns the serial number of an array. The first call assigns it.
func (t *Tensor) serial() uint64 {
	if n := t.id.Load(); n != 0 {
		return n
	}
	t.id.CompareAndSwap(0, serials.Add(1))
	return t.id.Load()
}

func computationOf(e *expr) *computation {
	made := &computation{serial: e.serial, leaves: make([]uint64, len(e.leaves))}
	for i, leaf := range e.leaves {
		made.leaves[i] = leaf.serial()
	}
	return made
}

// find searches e and its parts (the exprs of its operands, and so on) for the expr with this serial number; nil if there is none.
func (e *expr) find(serial uint64) *expr {
	var found *expr
	e.walk(map[*expr]bool{}, func(part *expr) bool {
		if part.serial == serial {
			found = part
		}
		return found == nil && part.serial > serial // operands have smaller numbers
	})
	return found
}

// walk calls visit once for e and each of its parts. It descends into the operands of those parts for which visit returns true.
func (e *expr) walk(seen map[*expr]bool, visit func(*expr) bool) {
	if seen[e] {
		return
	}
	seen[e] = true
	if !visit(e) {
		return
	}
	if e.shared != nil {
		e.shared.walk(seen, visit)
	}
	for _, arg := range e.args {
		if arg.expr != nil {
			arg.expr.walk(seen, visit)
		}
	}
}

// originsOfExpr returns the origins of an array that is computed from this expr: the expr's arrays, and its parts that are computed from no
// array (Arange), which are identified by their own numbers.
func originsOfExpr(e *expr) *origins {
	made := originsOf(e.leaves)
	if e.hasConstants {
		e.walk(map[*expr]bool{}, func(part *expr) bool {
			if len(part.leaves) == 0 {
				made.add(part.serial)
			}
			return part.hasConstants
		})
	}
	return made
}

// originsOf returns the set of these arrays and of their own origins.
func originsOf(arrays []*Tensor) *origins {
	made := &origins{}
	for _, t := range arrays {
		if own := t.origins.Load(); own != nil {
			if made.upTo < own.upTo {
				made.upTo = own.upTo
			}
			for _, n := range own.list() {
				made.add(n)
			}
		}
		made.add(t.serial())
	}
	return made
}

func (o *origins) list() []uint64 { return o.numbers[:o.count] }

func (o *origins) add(n uint64) {
	at := o.count
	for at > 0 && o.numbers[at-1] >= n {
		at--
	}
	if at < o.count && o.numbers[at] == n {
		return
	}
	if o.count == mostOrigins {
		if at == 0 {
			o.upTo = larger(o.upTo, n)
			return
		}
		o.upTo = larger(o.upTo, o.numbers[0]) // makes room
		copy(o.numbers[:at-1], o.numbers[1:at])
		o.numbers[at-1] = n
		return
	}
	copy(o.numbers[at+1:o.count+1], o.numbers[at:o.count])
	o.numbers[at] = n
	o.count++
}

func larger(a, b uint64) uint64 {
	if a > b {
		return a
	}
	return b
}

func (o *origins) has(n uint64) bool {
	for _, own := range o.list() {
		if own == n {
			return true
		}
	}
	return n <= o.upTo
}

// hasAll reports whether the set may contain all numbers of a non-empty list.
func (o *origins) hasAll(numbers []uint64) bool {
	for _, n := range numbers {
		if !o.has(n) {
			return false
		}
	}
	return len(numbers) > 0
}

// madeOf reports whether an array may have been computed from x. If x was pending at that time, the array's origins do not list x itself;
// they then list everything that x is computed from, and the array's expr is younger than that of x.
func (t *Tensor) madeOf(x *Tensor) bool {
	own := t.origins.Load()
	if own == nil {
		return false
	}
	var pending *computation
	if e := x.expr.Load(); e != nil {
		pending = computationOf(e)
	} else if pending = x.computation.Load(); own.has(x.serial()) {
		return true
	}
	if pending == nil {
		return false
	}
	if computed := t.computation.Load(); computed != nil && computed.serial < pending.serial {
		return false
	}
	return own.hasAll(pending.leaves) || len(pending.leaves) == 0 && own.has(pending.serial)
}

// checkOrigins fails if an array that y is computed from may itself have been computed from one of xs.
func checkOrigins(y *expr, xs []*Tensor) error {
	for _, leaf := range y.leaves {
		for _, x := range xs {
			if x != leaf && leaf.madeOf(x) {
				return lostOrigins(leaf)
			}
		}
	}
	return nil
}

func lostOrigins(leaf *Tensor) error {
	return mistake(ErrNoGradient, "grad: the result depends on an array of shape %v that was computed before, because its values were read, because "+
		"it is a result of Jit, or because it had recorded too much (a chain of %d operations, %d arrays, or %d MiB of arrays). The gradient would "+
		"leave out what that array was computed from. Call Grad before the values are read, or call Realize if the array is meant as a constant",
		leaf.sig.dims, maxDepth, maxLeaves, maxPending>>20)
}
