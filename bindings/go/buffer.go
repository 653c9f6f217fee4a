package harp

/*
#include "shim.h"
static void goharp_buffer_release(void* buffer) { harp_buffer_release((harp_buffer*)buffer); }
static void* goharp_buffer_content(harp_buffer* buffer) { return (void*)harp_buffer_const_data(buffer); }

// Makes a buffer, and stores the address of its content in *data.
static harp_buffer* goharp_buffer_new(harp_context* context, int32_t dtype, int32_t rank, const int64_t* dims, void** data,
                                      harp_error** err) {
  harp_buffer* made = harp_buffer_new(context, NULL, dtype, rank, dims, err);
  *data = harp_buffer_data(made);
  return made;
}
*/
import "C"

import (
	"runtime"
	"unsafe"
)

const maxRank = C.HARP_MAX_RANK

// Buffer is a contiguous, row-major array, in memory that harp allocated or that another library shares by DLPack.
type Buffer struct {
	h        *handle
	data     unsafe.Pointer
	dtype    DType
	dims     []int
	bytes    int
	readOnly bool
}

// NewBuffer makes a buffer with unspecified content.
func (ctx *Context) NewBuffer(dtype DType, shape ...int) (*Buffer, error) {
	n, ok := elements(shape)
	if !ok || len(shape) > maxRank {
		return nil, mistake(ErrShape, "the shape %v is invalid; expected sizes of 0 or more, with at most 2^48 elements", shape)
	}
	c, err := ctx.use()
	if err != nil {
		return nil, err
	}
	defer ctx.h.done()
	var e *C.harp_error
	var data unsafe.Pointer
	p := C.goharp_buffer_new(c, C.int32_t(dtype), C.int32_t(len(shape)), (*C.int64_t)(int64s(shape)), &data, &e)
	if p == nil {
		return nil, failure(e)
	}
	return ctx.newBuffer(p, data, dtype, copied(shape), n*dtype.Size()), nil
}

func (ctx *Context) newBuffer(p *C.harp_buffer, data unsafe.Pointer, dtype DType, shape []int, bytes int) *Buffer {
	limit := &ctx.limit
	limit.grow(bytes)
	b := &Buffer{data: data, dtype: dtype, dims: shape, bytes: bytes}
	b.h = newHandle(unsafe.Pointer(p), func(p unsafe.Pointer) {
		C.goharp_buffer_release(p)
		limit.shrink(bytes)
	})
	whenUnreachable(b, b.h)
	return b
}

// BufferOf makes a buffer that contains a copy of the slice's elements.
func BufferOf[T Element](ctx *Context, data []T, shape ...int) (*Buffer, error) {
	array := Of(data, shape...)
	if err := array.check(); err != nil {
		return nil, err
	}
	b, err := ctx.NewBuffer(array.dtype, array.dims...)
	if err != nil {
		return nil, err
	}
	if b.bytes > 0 {
		copy(unsafe.Slice((*T)(b.data), len(data)), data)
	}
	return b, nil
}

// Read copies the buffer's elements to a slice, which must have the same dtype and the same number of elements.
func Read[T Element](b *Buffer, to []T) error {
	if DTypeOf[T]() != b.dtype {
		return mistake(ErrDType, "read: the array is %v, but the slice is of %v", b.dtype, DTypeOf[T]())
	}
	if n, _ := elements(b.dims); n != len(to) {
		return mistake(ErrShape, "read: the array has shape %v, but the slice has %d elements", b.dims, len(to))
	}
	if _, ok := b.h.use(); !ok {
		return mistake(ErrInvalidArgument, "the array is closed")
	}
	defer b.h.done()
	if len(to) > 0 {
		copy(to, unsafe.Slice((*T)(b.data), len(to)))
	}
	return nil
}

// Write copies a slice to the buffer, which must have the same dtype and the same number of elements.
func Write[T Element](b *Buffer, from []T) error {
	if DTypeOf[T]() != b.dtype {
		return mistake(ErrDType, "write: the array is %v, but the slice is of %v", b.dtype, DTypeOf[T]())
	}
	if n, _ := elements(b.dims); n != len(from) {
		return mistake(ErrShape, "write: the array has shape %v, but the slice has %d elements", b.dims, len(from))
	}
	if b.readOnly {
		return mistake(ErrInvalidArgument, "write: the array is read-only")
	}
	if _, ok := b.h.use(); !ok {
		return mistake(ErrInvalidArgument, "the array is closed")
	}
	defer b.h.done()
	if len(from) > 0 {
		copy(unsafe.Slice((*T)(b.data), len(from)), from)
	}
	return nil
}

// owned makes a Buffer that owns p, which a call of harp returned; if p is NULL, it returns the error of that call.
func (ctx *Context) owned(p *C.harp_buffer, e *C.harp_error) (*Buffer, error) {
	if p == nil {
		return nil, failure(e)
	}
	shape := make([]int, int(C.harp_buffer_rank(p)))
	for i := range shape {
		shape[i] = int(unsafe.Slice(C.harp_buffer_dims(p), len(shape))[i])
	}
	data := C.goharp_buffer_content(p)
	b := ctx.newBuffer(p, data, DType(C.harp_buffer_dtype(p)), shape, int(C.harp_buffer_size(p)))
	b.readOnly = data != nil && C.harp_buffer_data(p) == nil
	return b, nil
}

// LoadNpy reads a .npy file of NumPy.
func (ctx *Context) LoadNpy(name string) (*Buffer, error) {
	c, err := ctx.use()
	if err != nil {
		return nil, err
	}
	defer ctx.h.done()
	file, err := path(name)
	if err != nil {
		return nil, err
	}
	defer release(file)
	var e *C.harp_error
	return ctx.owned(C.harp_npy_load(c, file, &e), e)
}

// SaveNpy writes a .npy file of NumPy.
func (b *Buffer) SaveNpy(name string) error {
	p, ok := b.h.use()
	if !ok {
		return mistake(ErrInvalidArgument, "the array is closed")
	}
	defer b.h.done()
	file, err := path(name)
	if err != nil {
		return err
	}
	defer release(file)
	var e *C.harp_error
	C.harp_npy_save((*C.harp_buffer)(p), file, &e)
	return taken(e)
}

// DType is the type of the elements.
func (b *Buffer) DType() DType { return b.dtype }

// Shape returns a copy of the buffer's sizes.
func (b *Buffer) Shape() []int { return copied(b.dims) }

// Close releases the buffer. Its memory is freed when its last use has ended.
func (b *Buffer) Close() {
	b.h.close()
	runtime.KeepAlive(b)
}
