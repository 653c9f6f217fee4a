package harp

import "unsafe"

// Array is a view of a Go slice as an array with a shape, for Program.Call. It copies nothing and keeps the slice alive.
type Array struct {
	data   unsafe.Pointer
	length int // number of elements of the slice
	dtype  DType
	dims   []int
}

// Of makes a row-major Array of a slice. Without a shape the array has one axis, whose size is the slice's length. OfScalar makes an array
// of rank 0.
func Of[T Element](data []T, shape ...int) Array {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	return Array{pointerTo(data), len(data), DTypeOf[T](), shape}
}

// OfScalar views a variable as an array of rank 0.
func OfScalar[T Element](value *T) Array {
	return Array{unsafe.Pointer(value), 1, DTypeOf[T](), []int{}}
}

// DType is the type of the elements.
func (a Array) DType() DType { return a.dtype }

// Shape returns a copy of the array's sizes.
func (a Array) Shape() []int { return copied(a.dims) }

// Data returns the array's elements, row-major, without a copy. It panics with an *Error, like a type assertion, if T is not the type of
// the array's elements.
func Data[T Element](a Array) []T {
	if DTypeOf[T]() != a.dtype {
		panic(mistake(ErrDType, "data: the array is %v, but the slice is of %v", a.dtype, DTypeOf[T]()))
	}
	if a.length == 0 || a.data == nil {
		return []T{}
	}
	return unsafe.Slice((*T)(a.data), a.length)
}

func pointerTo[T any](data []T) unsafe.Pointer {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Pointer(&data[0])
}

// elements returns the product of the sizes; false if a size is negative or the product does not fit an int.
func elements(dims []int) (int, bool) {
	n := 1
	for _, size := range dims {
		if size < 0 {
			return 0, false
		}
		if size != 0 && n > (1<<48)/size {
			return 0, false
		}
		n *= size
	}
	return n, true
}

// check compares the slice's length with the shape, because harp receives only an address and cannot check it.
func (a *Array) check() error {
	n, ok := elements(a.dims)
	if !ok {
		return mistake(ErrShape, "the shape %v is invalid; expected sizes of 0 or more, with at most 2^48 elements", a.dims)
	}
	if n != a.length {
		return mistake(ErrShape, "an array of shape %v has %d elements, but the slice has %d", a.dims, n, a.length)
	}
	if len(a.dims) > maxRank {
		return mistake(ErrShape, "the shape %v has rank %d; expected at most %d", a.dims, len(a.dims), maxRank)
	}
	return nil
}
