package harp

// #include "shim.h"
import "C"

import (
	"math"
	"runtime"
	"unsafe"
)

// What goes to C. Lists of numbers may lie in Go's memory: they hold no pointers, and harp copies them before the call returns.

// text is s for C, to be released; NULL where s is "" and empty means that it is not given.
func text(s string, emptyIsNone bool) *C.char {
	if s == "" && emptyIsNone {
		return nil
	}
	return C.CString(s)
}

func release(s *C.char) {
	if s != nil {
		C.free(unsafe.Pointer(s))
	}
}

func boolean(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// numbers converts a list. nil, which means that it is not given, is NULL, and a list without numbers is not.
func numbers[To int32 | int64 | float64, From int | float64 | Dim](list []From, convert func(From) To) unsafe.Pointer {
	if list == nil {
		return nil
	}
	made := make([]To, len(list), len(list)+1)
	for i, number := range list {
		made[i] = convert(number)
	}
	return unsafe.Pointer(&made[:1][0])
}

func int32s(list []int) *C.int32_t {
	return (*C.int32_t)(numbers(list, func(i int) int32 {
		if i != int(int32(i)) { // no axis: harp says so
			return math.MaxInt32
		}
		return int32(i)
	}))
}

func int64s(list []int) *C.int64_t {
	return (*C.int64_t)(numbers(list, func(i int) int64 { return int64(i) }))
}

func sizes(list []Dim) *C.harp_dim {
	return (*C.harp_dim)(numbers(list, func(d Dim) int64 { return int64(d) }))
}

func doubles(list []float64) *C.double {
	return (*C.double)(numbers(list, func(d float64) float64 { return d }))
}

func handles(nodes []Node) **C.harp_node {
	made := make([]*C.harp_node, len(nodes), len(nodes)+1)
	for i, node := range nodes {
		made[i] = node.p
	}
	return &made[:1][0]
}

// sameLength is the count of lists that share one; a list that is not given does not count.
func sameLength(op, names string, lengths ...int) (C.int32_t, error) {
	count := 0
	for _, length := range lengths {
		if length != 0 && count != 0 && length != count {
			return 0, mistake(ErrShape, "%s: %s have different lengths: %v", op, names, lengths)
		}
		if length != 0 {
			count = length
		}
	}
	return C.int32_t(count), nil
}

// mostParts bounds what is allocated for results before harp has looked at the arguments.
const mostParts = 1 << 20

func partCount(op string, n int) error {
	if n < 1 || n > mostParts {
		return mistake(ErrShape, "%s: into %d parts; expected 1 to %d", op, n, mostParts)
	}
	return nil
}

func copied[T any](list []T) []T {
	if list == nil {
		return nil
	}
	return append([]T{}, list...)
}

// processors is how many threads a context may have that work for it.
func processors() int {
	if n := runtime.GOMAXPROCS(0); n < 1024 {
		return n
	}
	return 1024
}
