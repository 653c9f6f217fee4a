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

// Conversions of arguments for C. Lists of numbers may stay in Go memory: they contain no pointers, and harp copies them before the call
// returns.

// text returns s as a C string, which the caller releases; NULL if s is "" and emptyIsNone says that this means "not given".
func text(s string, emptyIsNone bool) *C.char {
	if s == "" && emptyIsNone {
		return nil
	}
	return C.CString(withoutZeros(s))
}

// withoutZeros replaces zero bytes by the Unicode replacement character. A zero byte would end the C string, so harp would see another
// name. Where harp expects one of its own words, it reports the replacement character as a mistake, because no such word contains it.
func withoutZeros(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// path returns the name of a file as a C string, which the caller releases.
func path(name string) (*C.char, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, mistake(ErrInvalidArgument, "the path %q has a zero byte", name)
	}
	return C.CString(name), nil
}

// int32InC converts a number for a C parameter of 32 bits. A number that does not fit becomes the nearest one, which harp rejects as too
// large.
func int32InC(n int) C.int32_t {
	switch {
	case n > math.MaxInt32:
		return math.MaxInt32
	case n < math.MinInt32:
		return math.MinInt32
	}
	return C.int32_t(n)
}

// axisInC converts an axis for a C parameter of 32 bits. An axis that does not fit becomes one that no array has, which harp rejects.
func axisInC(axis int) C.int32_t {
	if axis != int(int32(axis)) {
		return math.MaxInt32
	}
	return C.int32_t(axis)
}

// milliseconds converts a time limit. It rounds away from 0, because for harp 0 means that no limit is given.
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

// numbers converts a list for C. nil means "not given" and becomes NULL; an empty list becomes a non-NULL address.
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

// sameLength returns the common length of lists that must have equal lengths. It ignores lists that are not given.
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

// mostParts is the maximum number of results of one operation. It limits the memory that is allocated for results before harp has checked
// the arguments.
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

// processors returns the number of threads of the default context: one for each CPU that Go uses, up to the limit of a context.
func processors() int {
	if n := runtime.GOMAXPROCS(0); n < 1024 {
		return n
	}
	return 1024
}
