package harp

/*
#include "shim.h"

static void goharp_dlpack_release(void* managed) {
  harp_dl_managed_versioned* array = (harp_dl_managed_versioned*)managed;
  if (array != NULL && array->deleter != NULL) array->deleter(array);
}
static void goharp_dlpack_release_unversioned(void* managed) {
  harp_dl_managed* array = (harp_dl_managed*)managed;
  if (array != NULL && array->deleter != NULL) array->deleter(array);
}
static harp_buffer* goharp_from_dlpack(harp_context* context, void* managed, int32_t versioned, harp_error** err) {
  if (versioned) return harp_buffer_from_dlpack_versioned(context, (harp_dl_managed_versioned*)managed, err);
  return harp_buffer_from_dlpack(context, (harp_dl_managed*)managed, err);
}
static void* goharp_to_dlpack(void* buffer, int32_t versioned, harp_error** err) {
  if (versioned) return harp_buffer_to_dlpack_versioned((harp_buffer*)buffer, err);
  return harp_buffer_to_dlpack((harp_buffer*)buffer, err);
}
*/
import "C"

import "unsafe"

// DLPack is how libraries hand arrays to each other without a copy (github.com/dmlc/dlpack): a pointer to a DLManagedTensorVersioned, or to a
// DLManagedTensor of the time before version 1.0, in C's memory. From Go's side it is an unsafe.Pointer, which another package's cgo code
// makes or takes.

// FromDLPack makes a buffer of the array that a DLManagedTensorVersioned describes, without a copy. The buffer owns it from then on and gives it
// back with its own end; after an error the caller still does. The array has to be row-major, in host memory (ErrDevice) and of one of
// harp's dtypes (ErrDType); one that is read-only makes a buffer that Write refuses.
func (ctx *Context) FromDLPack(managed unsafe.Pointer) (*Buffer, error) {
	return ctx.fromDLPack(managed, 1)
}

// FromDLPackUnversioned is FromDLPack of a DLManagedTensor.
func (ctx *Context) FromDLPackUnversioned(managed unsafe.Pointer) (*Buffer, error) {
	return ctx.fromDLPack(managed, 0)
}

func (ctx *Context) fromDLPack(managed unsafe.Pointer, versioned C.int32_t) (*Buffer, error) {
	c, err := ctx.use()
	if err != nil {
		return nil, err
	}
	defer ctx.h.done()
	var e *C.harp_error
	return ctx.owned(C.goharp_from_dlpack(c, managed, versioned, &e), e)
}

// ToDLPack is the buffer as a DLManagedTensorVersioned, without a copy; it keeps the array, also when the Buffer is closed. Whoever gets it
// has to call its deleter once, as ReleaseDLPack does. Of a tensor: ToDLPack of its Buffer, which is not to be written to.
func (b *Buffer) ToDLPack() (unsafe.Pointer, error) { return b.toDLPack(1) }

// ToDLPackUnversioned is the buffer as a DLManagedTensor, which cannot say that it is read-only: ErrUnsupported then.
func (b *Buffer) ToDLPackUnversioned() (unsafe.Pointer, error) { return b.toDLPack(0) }

func (b *Buffer) toDLPack(versioned C.int32_t) (unsafe.Pointer, error) {
	p, ok := b.h.use()
	if !ok {
		return nil, mistake(ErrInvalidArgument, "the array is closed")
	}
	defer b.h.done()
	var e *C.harp_error
	made := C.goharp_to_dlpack(p, versioned, &e)
	if made == nil {
		return nil, failure(e)
	}
	return made, nil
}

// ReleaseDLPack calls the deleter of a DLManagedTensorVersioned that nobody takes.
func ReleaseDLPack(managed unsafe.Pointer) { C.goharp_dlpack_release(managed) }

// ReleaseDLPackUnversioned calls the deleter of a DLManagedTensor that nobody takes.
func ReleaseDLPackUnversioned(managed unsafe.Pointer) { C.goharp_dlpack_release_unversioned(managed) }
