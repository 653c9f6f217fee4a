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

// DLPack (github.com/dmlc/dlpack) is a protocol by which libraries share arrays without copies. A shared array is a pointer to a
// DLManagedTensorVersioned, or to a DLManagedTensor (before version 1.0), in C memory. Here it is an unsafe.Pointer, which the cgo code of
// another package makes or receives.

// FromDLPack makes a buffer of the array that a DLManagedTensorVersioned describes, without a copy. From then on the buffer owns the array:
// it calls the array's deleter when its memory is freed. After an error the caller still owns the array. The array must be row-major, in
// host memory (otherwise ErrDevice) and of one of harp's dtypes (otherwise ErrDType). If it is read-only, Write refuses the buffer.
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

// ToDLPack returns the buffer as a DLManagedTensorVersioned, without a copy. It keeps the array alive even after the Buffer is closed.
// Whoever receives it must call its deleter once, as ReleaseDLPack does. To share a tensor, call ToDLPack on its Buffer; that array must
// not be written to.
func (b *Buffer) ToDLPack() (unsafe.Pointer, error) { return b.toDLPack(1) }

// ToDLPackUnversioned returns the buffer as a DLManagedTensor, which cannot express that an array is read-only: for such a buffer it
// returns ErrUnsupported.
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

// ReleaseDLPack calls the deleter of a DLManagedTensorVersioned that no library has taken over.
func ReleaseDLPack(managed unsafe.Pointer) { C.goharp_dlpack_release(managed) }

// ReleaseDLPackUnversioned calls the deleter of a DLManagedTensor that no library has taken over.
func ReleaseDLPackUnversioned(managed unsafe.Pointer) { C.goharp_dlpack_release_unversioned(managed) }
