//go:build go1.24

package harp

import (
	"runtime"
	"runtime/cgo"
)

// whenUnreachable closes the handle when nothing points to the object any more.
func whenUnreachable[T any](object *T, h *handle) { runtime.AddCleanup(object, (*handle).close, h) }

// whenGone deletes the handle when nothing points to the object any more.
func whenGone[T any](object *T, h cgo.Handle) { runtime.AddCleanup(object, cgo.Handle.Delete, h) }
