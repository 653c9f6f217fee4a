//go:build go1.24

package harp

import "runtime"

// whenUnreachable closes the handle when nothing points to the object any more.
func whenUnreachable[T any](object *T, h *handle) { runtime.AddCleanup(object, (*handle).close, h) }
