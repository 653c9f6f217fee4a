package harp

// #include "shim.h"
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// doneFlag is a cancellation flag (`cancel` in harp.h): a number in C memory that becomes 1 when a context is done.
type doneFlag struct {
	c                *C.int32_t
	stopped, watched chan struct{}
}

// watch makes a flag for ctx, which release frees; nil if ctx is never done.
func watch(ctx context.Context) *doneFlag {
	done := ctx.Done()
	if done == nil {
		return nil
	}
	f := &doneFlag{c: (*C.int32_t)(C.calloc(1, 4)), stopped: make(chan struct{}), watched: make(chan struct{})}
	go func() {
		defer close(f.watched)
		select {
		case <-done:
			atomic.StoreInt32((*int32)(unsafe.Pointer(f.c)), 1)
		case <-f.stopped:
		}
	}()
	return f
}

// address returns the address of the flag, for an options struct of harp.h.
func (f *doneFlag) address() *C.int32_t {
	if f == nil {
		return nil
	}
	return f.c
}

func (f *doneFlag) release() {
	if f == nil {
		return
	}
	close(f.stopped)
	<-f.watched // the goroutine of watch has ended, so nothing writes the flag any more
	C.free(unsafe.Pointer(f.c))
}
