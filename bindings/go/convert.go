package harp

// #include "shim.h"
import "C"

import (
	"math"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// What goes to C. Lists of numbers may lie in Go's memory: they hold no pointers, and harp copies them before the call returns.

// text is s for C, to be released; NULL where s is "" and empty means that it is not given.
func text(s string, emptyIsNone bool) *C.char {
	if s == "" && emptyIsNone {
		return nil
	}
	return C.CString(withoutZeros(s))
}

// withoutZeros has the replacement character for zero bytes: they would end the text early, and another name would be taken. None of the words
// that harp knows has that character, so there it is a mistake.
func withoutZeros(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// path is the name of a file for C, to be released.
func path(name string) (*C.char, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, mistake(ErrInvalidArgument, "the path %q has a zero byte", name)
	}
	return C.CString(name), nil
}

// int32InC is the number, or the nearest one that C's parameter holds: harp says that it is too large.
func int32InC(n int) C.int32_t {
	switch {
	case n > math.MaxInt32:
		return math.MaxInt32
	case n < math.MinInt32:
		return math.MinInt32
	}
	return C.int32_t(n)
}

// axisInC is an axis for C. One that C's parameter does not hold becomes one that no array has: harp says so.
func axisInC(axis int) C.int32_t {
	if axis != int(int32(axis)) {
		return math.MaxInt32
	}
	return C.int32_t(axis)
}

// milliseconds rounds away from 0, which would mean that no time is given.
func milliseconds(d time.Duration) C.int64_t {
	switch {
	case d > 0:
		return C.int64_t((d-1)/time.Millisecond + 1)
	case d < 0:
		return -1
	}
	return 0
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
	return (*C.int32_t)(numbers(list, func(i int) int32 { return int32(axisInC(i)) }))
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
			return 0, mistake(ErrShape, "%s: expected lists of equal length, but %s have the lengths %v", op, names, lengths)
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
		return mistake(ErrShape, "%s: got %d parts, expected 1 to %d", op, n, mostParts)
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
