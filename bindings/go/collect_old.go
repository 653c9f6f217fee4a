//go:build !go1.24

package harp

import "runtime"

// whenUnreachable closes the handle when nothing points to the object any more. (A finalizer keeps cycles of such objects alive for ever;
// there are none here.)
func whenUnreachable[T any](object *T, h *handle) {
	runtime.SetFinalizer(object, func(*T) { h.close() })
}
