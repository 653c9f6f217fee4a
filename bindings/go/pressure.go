package harp

import (
	"runtime"
	"sync/atomic"
)

// pressure counts the bytes of arrays that Go's garbage collector does not see: it would let gigabytes of arrays that nothing points to wait
// for a collection that a few megabytes of Go objects cause. When they have doubled since the last time it is asked to collect.
type pressure struct {
	bytes atomic.Int64
	limit atomic.Int64
}

const leastPressure = 256 << 20

func (p *pressure) grow(bytes int) {
	now, limit := p.bytes.Add(int64(bytes)), p.limit.Load()
	if limit < leastPressure {
		limit = leastPressure
	}
	if now < limit {
		return
	}
	if p.limit.CompareAndSwap(p.limit.Load(), 2*now) {
		runtime.GC()
	}
}

func (p *pressure) shrink(bytes int) {
	if now := p.bytes.Add(-int64(bytes)); p.limit.Load() > 4*now {
		p.limit.Store(2 * now)
	}
}
