//go:build !go1.24

package harp

import (
	"runtime"
	"runtime/cgo"
)

// whenUnreachable arranges that the handle (a reference to an object of harp) is closed when the Go object has become unreachable. (Objects
// with a finalizer that refer to each other in a cycle would never be freed; there are no such cycles here.)
func whenUnreachable[T any](object *T, h *handle) {
	runtime.SetFinalizer(object, func(*T) { h.close() })
}

// whenGone arranges that the handle is deleted when the object has become unreachable.
func whenGone[T any](object *T, h cgo.Handle) {
	runtime.SetFinalizer(object, func(*T) { h.Delete() })
}
