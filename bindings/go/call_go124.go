//go:build go1.24

package harp

/*
#include "shim.h"
// goharp_call keeps no pointer and calls no Go function (Program.Call uses callArrays for programs that do), so its arguments may be on the
// goroutine's stack.
#cgo noescape goharp_call
#cgo nocallback goharp_call
*/
import "C"

import "unsafe"

func call(program unsafe.Pointer, frame *C.goharp_frame, data *[fastArrays]*C.uint8_t) *C.harp_error {
	return C.goharp_call(C.uintptr_t(uintptr(program)), frame, data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7])
}
