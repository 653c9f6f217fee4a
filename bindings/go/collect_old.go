//go:build !go1.24

package harp

import (
	"runtime"
	"runtime/cgo"
)

// whenUnreachable closes the handle when nothing points to the object any more. (A finalizer keeps cycles of such objects alive for ever;
// there are none here.)
func whenUnreachable[T any](object *T, h *handle) {
	runtime.SetFinalizer(object, func(*T) { h.close() })
}

// whenGone deletes the handle when nothing points to the object any more.
func whenGone[T any](object *T, h cgo.Handle) {
	runtime.SetFinalizer(object, func(*T) { h.Delete() })
}
