package harp

import "sync/atomic"

// What an array was made of. Tensors that are computed because somebody looks at them, or because a computation has become long, turn into
// arrays in between, and a gradient would silently leave out everything before them. So such an array remembers what it was made of, by
// numbers that keep nothing alive, and Grad fails where that matters. Realize makes a constant on purpose: it remembers nothing.

const mostOrigins = 16

// origins is a set of arrays: some numbers, ascending, and all up to upTo, which grows when there are too many.
type origins struct {
	numbers [mostOrigins]uint64
	count   int
	upTo    uint64
}

var arrayNumbers atomic.Uint64

// origin is the number of an array; it gets one when it is needed, so that arrays have greater ones than what they were made of.
func (t *Tensor) origin() uint64 {
	if n := t.id.Load(); n != 0 {
		return n
	}
	t.id.CompareAndSwap(0, arrayNumbers.Add(1))
	return t.id.Load()
}

// originsOf are arrays, and what these were made of.
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
		made.add(t.origin())
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

// madeOf says whether an array with these origins may have been made of x. One that is pending has no number, but what was made of it was made
// of all that it is made of.
func (o *origins) madeOf(x *Tensor) bool {
	e := x.expr.Load()
	if e == nil {
		return o.has(x.origin())
	}
	for _, leaf := range e.leaves {
		if !o.has(leaf.origin()) {
			return false
		}
	}
	return len(e.leaves) > 0
}

// checkOrigins fails if an array that y is made of may have been made of one of xs, other than itself, before it was computed.
func checkOrigins(y *expr, xs []*Tensor) error {
	for _, leaf := range y.leaves {
		own := leaf.origins.Load()
		if own == nil {
			continue
		}
		for _, x := range xs {
			if x == leaf || !own.madeOf(x) {
				continue
			}
			return mistake(ErrNoGradient, "grad: an array of shape %v that the result is made of was computed before, since somebody looked at it or "+
				"the computation became longer than %d operations, and what it was made of would be missing in the gradient. "+
				"Ask for the gradient first; Realize makes such an array a constant", leaf.sig.dims, maxDepth)
		}
	}
	return nil
}
