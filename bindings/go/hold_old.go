//go:build !go1.21

package harp

// #include "shim.h"
import "C"

import "unsafe"

// holder copies arrays to C memory, because arrays cannot be pinned before Go 1.21.
type holder struct{ copies []held }

type held struct {
	memory, data unsafe.Pointer
	bytes        int
	isOutput     bool
}

// hold copies the array and writes the address of the copy to *at, which is in C memory.
func (h *holder) hold(at *unsafe.Pointer, data unsafe.Pointer, bytes int, isOutput bool) {
	if data == nil || bytes == 0 {
		return
	}
	memory := C.malloc(C.size_t(bytes))
	copy(unsafe.Slice((*byte)(memory), bytes), unsafe.Slice((*byte)(data), bytes))
	h.copies = append(h.copies, held{memory, data, bytes, isOutput})
	*at = memory
}

func (h *holder) release() {
	for _, c := range h.copies {
		if c.isOutput {
			copy(unsafe.Slice((*byte)(c.data), c.bytes), unsafe.Slice((*byte)(c.memory), c.bytes))
		}
		C.free(c.memory)
	}
}
