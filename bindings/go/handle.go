package harp

import (
	"sync/atomic"
	"unsafe"
)

// handle owns one reference to an object of harp. Uses are counted, so that Close may be called at any time, from any goroutine: the
// reference is released when the last use has ended.
type handle struct {
	pointer unsafe.Pointer
	free    func(unsafe.Pointer)
	state   atomic.Int64 // number of uses, plus the bits handleClosed and handleFreed
}

const (
	handleClosed = 1 << 62 // no new use may begin
	handleFreed  = 1 << 61
)

func newHandle(pointer unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	return &handle{pointer: pointer, free: free}
}

// use begins a use, which done ends. It returns false if the handle is closed, or if no function of this package made the object.
func (h *handle) use() (unsafe.Pointer, bool) {
	if h == nil {
		return nil, false
	}
	if h.state.Add(1)&handleClosed != 0 {
		h.done()
		return nil, false
	}
	return h.pointer, true
}

func (h *handle) done() {
	if h.state.Add(-1) == handleClosed {
		h.release()
	}
}

func (h *handle) close() {
	for h != nil {
		state := h.state.Load()
		if state&handleClosed != 0 {
			return
		}
		if h.state.CompareAndSwap(state, state|handleClosed) {
			if state == 0 {
				h.release()
			}
			return
		}
	}
}

// release frees the object of a closed handle that has no uses left. Several goroutines may call it at once; only one of them frees the
// object.
func (h *handle) release() {
	if h.state.CompareAndSwap(handleClosed, handleClosed|handleFreed) {
		h.free(h.pointer)
	}
}
