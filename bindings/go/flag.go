package harp

// #include "shim.h"
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// doneFlag is what harp.h calls `cancel`: a number in C's memory that becomes 1 when a context is done.
type doneFlag struct {
	c                *C.int32_t
	stopped, watched chan struct{}
}

// watch makes a flag for ctx, which release frees; nil where ctx is never done.
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

// address is what an options struct of harp.h takes.
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
	<-f.watched // the flag is written no more
	C.free(unsafe.Pointer(f.c))
}
