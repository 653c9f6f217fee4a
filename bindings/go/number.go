package harp

import (
	"math"
	"math/bits"
	"reflect"
)

// number is a Go number that takes the dtype of the tensors that it is used with.
type number struct {
	float   float64
	integer int64
	isInt   bool
}

// Number makes an operand of a Go number: it has rank 0 and takes the dtype of the other operand; a float next to integers becomes an f32. A
// number that the dtype cannot hold is ErrRange (300 next to a U8); floats are rounded to nearest. Its value is an input of the compiled
// program, not a part of it, so another value needs no new compilation.
func Number[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64](value T) *Tensor {
	kind := reflect.TypeOf(value).Kind()
	made := &struct { // one allocation
		Tensor
		number
	}{number: number{float64(value), int64(value), kind != reflect.Float32 && kind != reflect.Float64}}
	made.Tensor.number = &made.number
	return &made.Tensor
}

func (n *number) dtype(beside DType) DType {
	switch {
	case kindOf(beside) >= 3 || n.isInt && kindOf(beside) == 2:
		return beside
	case n.isInt:
		return I64
	case beside == Unknown:
		return F64
	}
	return F32
}

// scalar returns an array of rank 0. Arrays that are used often are kept.
func (ctx *Context) scalar(dtype DType, n *number) (*Tensor, error) {
	k := numberKey{dtype, math.Float64bits(n.float)}
	if n.isInt {
		k.bits = uint64(n.integer)
		k.dtype |= 1 << 16
	}
	t := &ctx.lazy
	t.mutex.RLock()
	made := t.numbers[k]
	t.mutex.RUnlock()
	if made != nil {
		return made, nil
	}
	stored := dtype
	if dtype == F16 || dtype == BF16 {
		stored = F64 // harp rounds the value to the narrower dtype, once
	}
	b, err := ctx.NewBuffer(stored)
	if err != nil {
		return nil, err
	}
	if err := n.write(b, dtype); err != nil {
		return nil, err
	}
	made = b.tensor(ctx)
	if stored != dtype {
		return made.Cast(dtype), nil
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.numbers == nil || len(t.numbers) > maxEntries {
		t.numbers = map[numberKey]*Tensor{}
	}
	t.numbers[k] = made
	return made, nil
}

// write stores the number in a buffer of one element, as a number of the dtype. (A buffer for F16 and BF16 is of F64.)
func (n *number) write(b *Buffer, dtype DType) error {
	value := n.forDType(dtype)
	if kindOf(dtype) >= 3 && !holds(dtype, value) {
		return mistake(ErrRange, "the number %v does not fit %v, the dtype of the neighbouring tensor", value, dtype)
	}
	switch b.dtype {
	case F32:
		return Write(b, []float32{float32(value)})
	case F64:
		return Write(b, []float64{value})
	case Complex64:
		return Write(b, []complex64{complex(float32(value), 0)})
	case Complex128:
		return Write(b, []complex128{complex(value, 0)})
	case I8:
		return writeInteger[int8](b, n.integer)
	case U8:
		return writeInteger[uint8](b, n.integer)
	case I16:
		return writeInteger[int16](b, n.integer)
	case U16:
		return writeInteger[uint16](b, n.integer)
	case I32:
		return writeInteger[int32](b, n.integer)
	case U32:
		return writeInteger[uint32](b, n.integer)
	case U64:
		return writeInteger[uint64](b, n.integer)
	default:
		return writeInteger[int64](b, n.integer)
	}
}

// forDType returns the number as a float64 which, rounded to the dtype, gives what the exact number gives. For dtypes narrower than f64, an
// integer that a float64 cannot hold is rounded to the neighbour with an odd significand (round to odd), because rounding to nearest twice
// might give another result.
func (n *number) forDType(dtype DType) float64 {
	if !n.isInt || dtype == F64 || dtype == Complex128 {
		return n.float
	}
	magnitude := uint64(n.integer)
	if n.integer < 0 {
		magnitude = -magnitude
	}
	if spare := bits.Len64(magnitude) - 53; spare > 0 {
		if kept := magnitude >> spare << spare; kept != magnitude {
			magnitude = kept | 1<<spare
		}
	}
	return math.Copysign(float64(magnitude), n.float)
}

// holds reports whether a float dtype, or the parts of a complex one, can hold the number: whether it is not a finite number that would be
// rounded to infinity. The bounds lie half a step above the largest numbers of the dtypes.
func holds(dtype DType, value float64) bool {
	bound := math.Inf(1)
	switch dtype {
	case F16:
		bound = 0x1.ffep15
	case BF16:
		bound = 0x1.ffp127
	case F32, Complex64:
		bound = 0x1.ffffffp127
	}
	return math.Abs(value) < bound || math.IsInf(value, 0) || math.IsNaN(value)
}

func writeInteger[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64](b *Buffer, value int64) error {
	if int64(T(value)) != value || (value < 0) != (T(value) < 0) {
		return mistake(ErrRange, "the number %d does not fit %v, the dtype of the neighbouring tensor", value, b.dtype)
	}
	return Write(b, []T{T(value)})
}
