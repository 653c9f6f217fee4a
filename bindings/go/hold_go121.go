//go:build go1.21

package harp

import (
	"runtime"
	"unsafe"
)

// holder pins Go arrays, so that they stay at their addresses while C uses them.
type holder struct{ pinner runtime.Pinner }

// hold pins the array and writes its address to *at, which is in C memory.
func (h *holder) hold(at *unsafe.Pointer, data unsafe.Pointer, bytes int, isOutput bool) {
	h.pin(data)
	*at = data
}

func (h *holder) pin(data unsafe.Pointer) {
	defer func() { _ = recover() }() // Go 1.21 to 1.23 panic for memory that is not Go's; such memory does not move anyway
	if data != nil {
		h.pinner.Pin(data)
	}
}

func (h *holder) release() { h.pinner.Unpin() }
