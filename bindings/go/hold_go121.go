//go:build go1.21

package harp

import (
	"runtime"
	"unsafe"
)

// holder keeps arrays where they are while C works on them.
type holder struct{ pinner runtime.Pinner }

// hold writes the array's address to *at, which lies in C's memory.
func (h *holder) hold(at *unsafe.Pointer, data unsafe.Pointer, bytes int, isOutput bool) {
	h.pin(data)
	*at = data
}

func (h *holder) pin(data unsafe.Pointer) {
	defer func() { _ = recover() }() // Go 1.21 to 1.23 refuse memory that is not Go's: that stays where it is
	if data != nil {
		h.pinner.Pin(data)
	}
}

func (h *holder) release() { h.pinner.Unpin() }
