package harp

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

// Tensor is a lazy array: operations on tensors only record what to compute. Shapes and dtypes are known at once, and an error is stored in
// the tensor (see Err). The values are computed when they are needed: by Slice, Item, Realize or String.
type Tensor struct {
	ctx    *Context
	sig    *signature
	expr   atomic.Pointer[expr]   // how to compute the tensor; nil after that is done
	value  atomic.Pointer[Buffer] // the array, after it was computed
	number *number                // a number that has no dtype yet
	// For Grad: what the array was computed from, how, and its own serial number; see origins.go.
	origins     atomic.Pointer[origins]
	computation atomic.Pointer[computation]
	id          atomic.Uint64
	stage       *stage // for a tensor inside a function that Jit traces: the graph that contains node; otherwise nil
	node        Node
	err         error
}

// signature is what is known about a tensor before it is computed.
type signature struct {
	dtype DType
	dims  []int
	hash  key
}

func newSignature(dtype DType, dims []int) *signature {
	return &signature{dtype, dims, key{1, 2}.number(int64(dtype)).ints(dims)}
}

func (s *signature) bytes() int {
	n, _ := elements(s.dims)
	return n * s.dtype.Size()
}

// FromSlice makes a tensor from a copy of the slice, row-major; without a shape it has one axis.
func FromSlice[T Element](data []T, shape ...int) *Tensor {
	return FromSliceIn(Default(), data, shape...)
}

// FromSliceIn is FromSlice in a context other than the default one.
func FromSliceIn[T Element](ctx *Context, data []T, shape ...int) *Tensor {
	b, err := BufferOf(ctx, data, shape...)
	if err != nil {
		return &Tensor{ctx: ctx, err: err}
	}
	return b.tensor(ctx)
}

// Scalar makes a tensor of rank 0, with the dtype of T.
func Scalar[T Element](value T) *Tensor {
	ctx := Default()
	b, err := ctx.NewBuffer(DTypeOf[T]())
	if err != nil {
		return &Tensor{ctx: ctx, err: err}
	}
	if err := Write(b, []T{value}); err != nil {
		return &Tensor{ctx: ctx, err: err}
	}
	return b.tensor(ctx)
}

// TensorOf makes a tensor that shares the array of a buffer. Nothing may write to the buffer afterwards.
func (ctx *Context) TensorOf(b *Buffer) *Tensor {
	if b == nil || b.h == nil {
		return failedTensor(ctx, mistake(ErrInvalidArgument, "expected a buffer, got nil"))
	}
	return b.tensor(ctx)
}

func (b *Buffer) tensor(ctx *Context) *Tensor {
	t := &Tensor{ctx: ctx, sig: newSignature(b.dtype, b.dims)}
	t.value.Store(b)
	return t
}

// Err returns the error with which the tensor, or one that it was computed from, failed; nil if there is none so far.
func (t *Tensor) Err() error {
	switch {
	case t == nil:
		return mistake(ErrInvalidArgument, "expected a tensor, got nil")
	case t.err == nil && t.sig == nil && t.number == nil && t.stage == nil:
		return mistake(ErrInvalidArgument, "expected a tensor made by a function of this package, got a zero Tensor")
	}
	return t.err
}

// DType returns the type of the elements; Unknown for a Number and for a tensor that failed.
func (t *Tensor) DType() DType {
	switch {
	case t == nil || t.err != nil:
		return Unknown
	case t.stage != nil:
		return t.node.DType()
	case t.sig == nil:
		return Unknown
	}
	return t.sig.dtype
}

// Shape returns the tensor's sizes; nil for a tensor that failed. Inside a function that Jit traces, a symbolic size is -1; see Dim.
func (t *Tensor) Shape() []int {
	switch {
	case t == nil || t.err != nil:
		return nil
	case t.stage != nil:
		shape := t.node.Shape()
		made := make([]int, len(shape))
		for i, size := range shape {
			made[i] = int(size)
			if size < 0 {
				made[i] = -1
			}
		}
		return made
	case t.sig == nil:
		return []int{}
	}
	return copied(t.sig.dims)
}

// Rank is the number of axes.
func (t *Tensor) Rank() int { return len(t.Shape()) }

// Dim returns a size in the form that Reshape, Expand, Arange and others accept; inside a function that Jit traces it may be symbolic. (An
// operation with a symbolic size belongs to the traced function: its operands must be tensors of the function, or Numbers.) For an axis
// that does not exist it returns DimInvalid.
func (t *Tensor) Dim(axis int) Dim {
	var shape []Dim
	if t != nil && t.err == nil && t.stage != nil {
		shape = t.node.Shape()
	} else {
		for _, size := range t.Shape() {
			shape = append(shape, Dim(size))
		}
	}
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) {
		return DimInvalid
	}
	return shape[axis]
}

// Realize computes the tensor unless it is computed already. From then on it is a constant for gradients.
func (t *Tensor) Realize() error { return Realize(t) }

// Buffer returns the tensor's array, which is computed if necessary. The array is shared: nothing may write to it.
func (t *Tensor) Buffer() (*Buffer, error) {
	if err := compute(context.Background(), false, t); err != nil {
		return nil, err
	}
	return t.value.Load(), nil
}

// Close frees the memory of a computed tensor at once. Tensors that were recorded from it and are not computed yet cannot be computed any
// more. Without Close, the garbage collector frees the memory later.
func (t *Tensor) Close() {
	if t == nil {
		return
	}
	if b := t.value.Load(); b != nil {
		b.Close()
	}
}

// Slice computes the tensor and returns a copy of its elements, row-major. T must be the Go type of its dtype.
func Slice[T Element](t *Tensor) ([]T, error) {
	b, err := t.Buffer()
	if err != nil {
		return nil, err
	}
	n, _ := elements(b.dims)
	made := make([]T, n)
	return made, Read(b, made)
}

// Item computes the tensor, which must have one element, and returns that element.
func Item[T Element](t *Tensor) (T, error) {
	var zero T
	if n, _ := elements(t.Shape()); n != 1 && t.Err() == nil {
		return zero, mistake(ErrShape, "item: expected a tensor of one element, got shape %v", t.Shape())
	}
	made, err := Slice[T](t)
	if err != nil {
		return zero, err
	}
	return made[0], nil
}

// Must returns the value, and panics if there is an error. It is for programs that end when something fails.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// String computes the tensor and prints it as nested slices: "[[1 2] [3 4]]". If the tensor failed, it prints the error.
func (t *Tensor) String() string {
	if t.Err() == nil && t.stage != nil {
		return fmt.Sprintf("a tensor that Jit traces: %v %v", t.DType(), t.Shape())
	}
	b, err := t.Buffer()
	if err != nil {
		return "error: " + err.Error()
	}
	switch b.dtype {
	case Bool:
		return printed[bool](b, same[bool])
	case I8:
		return printed[int8](b, same[int8])
	case U8:
		return printed[uint8](b, same[uint8])
	case I16:
		return printed[int16](b, same[int16])
	case U16:
		return printed[uint16](b, same[uint16])
	case I32:
		return printed[int32](b, same[int32])
	case U32:
		return printed[uint32](b, same[uint32])
	case I64:
		return printed[int64](b, same[int64])
	case U64:
		return printed[uint64](b, same[uint64])
	case F16:
		return printed(b, func(f Float16) any { return f.Float32() })
	case BF16:
		return printed(b, func(f BFloat16) any { return f.Float32() })
	case F32:
		return printed[float32](b, same[float32])
	case F64:
		return printed[float64](b, same[float64])
	case Complex64:
		return printed[complex64](b, same[complex64])
	default:
		return printed[complex128](b, same[complex128])
	}
}

func same[T any](value T) any { return value }

func printed[T Element](b *Buffer, show func(T) any) string {
	n, _ := elements(b.dims)
	data := make([]T, n)
	if err := Read(b, data); err != nil {
		return "error: " + err.Error()
	}
	var text strings.Builder
	var nest func(axis, at, size int)
	nest = func(axis, at, size int) {
		if axis == len(b.dims) {
			fmt.Fprint(&text, show(data[at]))
			return
		}
		text.WriteByte('[')
		for i := 0; i < b.dims[axis]; i++ {
			if i > 0 {
				text.WriteByte(' ')
			}
			part := size / b.dims[axis]
			nest(axis+1, at+i*part, part)
		}
		text.WriteByte(']')
	}
	nest(0, 0, n)
	return text.String()
}
