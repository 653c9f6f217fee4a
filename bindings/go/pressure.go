package harp

import (
	"runtime"
	"sync/atomic"
)

// pressure counts the bytes of arrays that Go's garbage collector does not know about. Without it, gigabytes of unreachable arrays could
// wait for a collection that only some megabytes of Go objects trigger. When the bytes have doubled since the last time, it requests a
// collection.
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
