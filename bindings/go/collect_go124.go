//go:build go1.24

package harp

import (
	"runtime"
	"runtime/cgo"
)

// whenUnreachable arranges that the handle (a reference to an object of harp) is closed when the Go object has become unreachable.
func whenUnreachable[T any](object *T, h *handle) { runtime.AddCleanup(object, (*handle).close, h) }

// whenGone arranges that the handle is deleted when the object has become unreachable.
func whenGone[T any](object *T, h cgo.Handle) { runtime.AddCleanup(object, cgo.Handle.Delete, h) }
