package harp

// #include <harp.h>
import "C"

import (
	"math"
	"reflect"
)

// DType is the type of an array's elements.
type DType int32

// The dtypes. Operations on elements of 8 or 16 bits compute in a wider dtype (i32 or f32) and round or wrap the result.
const (
	Unknown    DType = C.HARP_UNKNOWN
	Bool       DType = C.HARP_BOOL
	I8         DType = C.HARP_I8
	U8         DType = C.HARP_U8
	I16        DType = C.HARP_I16
	U16        DType = C.HARP_U16
	I32        DType = C.HARP_I32
	U32        DType = C.HARP_U32
	I64        DType = C.HARP_I64
	U64        DType = C.HARP_U64
	F16        DType = C.HARP_F16
	BF16       DType = C.HARP_BF16
	F32        DType = C.HARP_F32
	F64        DType = C.HARP_F64
	Complex64  DType = C.HARP_COMPLEX64
	Complex128 DType = C.HARP_COMPLEX128
)

var dtypeNames = [...]string{"unknown", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "complex64", "complex128"}
var dtypeSizes = [...]int{0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16}

// String is the name in harp's text format: "f32".
func (d DType) String() string {
	if d < 0 || int(d) >= len(dtypeNames) {
		return "no dtype"
	}
	return dtypeNames[d]
}

// Size returns the number of bytes of one element; 0 for a number that is no dtype.
func (d DType) Size() int {
	if d < 0 || int(d) >= len(dtypeSizes) {
		return 0
	}
	return dtypeSizes[d]
}

func (d DType) isInteger() bool { return d >= I8 && d <= U64 }
func (d DType) isFloat() bool   { return d >= F16 && d <= F64 }

// Float16 holds the bits of an IEEE 754 binary16 number.
type Float16 uint16

// BFloat16 holds the bits of a bfloat16 number, the upper 16 bits of a float32.
type BFloat16 uint16

// Element is the constraint for the Go types of array elements. int and uint are stored as i64 and u64.
type Element interface {
	~bool | ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~int | ~uint | ~float32 | ~float64 | ~complex64 | ~complex128
}

// DTypeOf is the dtype of arrays whose elements are T.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) { // the usual ones, without reflection
	case float32:
		return F32
	case float64:
		return F64
	case int64, int:
		return I64
	case int32:
		return I32
	case bool:
		return Bool
	case Float16:
		return F16
	case BFloat16:
		return BF16
	}
	switch reflect.TypeOf(zero).Kind() {
	case reflect.Bool:
		return Bool
	case reflect.Int8:
		return I8
	case reflect.Uint8:
		return U8
	case reflect.Int16:
		return I16
	case reflect.Uint16:
		return U16
	case reflect.Int32:
		return I32
	case reflect.Uint32:
		return U32
	case reflect.Int64, reflect.Int:
		return I64
	case reflect.Uint64, reflect.Uint:
		return U64
	case reflect.Float32:
		return F32
	case reflect.Float64:
		return F64
	case reflect.Complex64:
		return Complex64
	default:
		return Complex128
	}
}

// Float32 converts the number, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Float32 converts the number, exactly.
func (f Float16) Float32() float32 {
	sign, exponent, fraction := uint32(f&0x8000)<<16, uint32(f>>10)&31, uint32(f)&0x3ff
	switch exponent {
	case 0: // zero and subnormal: fraction * 2^-24, which f32 holds exactly
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*(1.0/(1<<24))))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
