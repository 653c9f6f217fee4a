package harp_test

import (
	"errors"
	"testing"
	"unsafe"

	"harp"
)

func TestDLPack(t *testing.T) {
	ctx, other := newContext(t), newContext(t)
	b, err := harp.BufferOf(ctx, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	must(t, err)
	for _, form := range []struct {
		to   func(*harp.Buffer) (unsafe.Pointer, error)
		from func(*harp.Context, unsafe.Pointer) (*harp.Buffer, error)
		end  func(unsafe.Pointer)
	}{
		{(*harp.Buffer).ToDLPack, (*harp.Context).FromDLPack, harp.ReleaseDLPack},
		{(*harp.Buffer).ToDLPackUnversioned, (*harp.Context).FromDLPackUnversioned, harp.ReleaseDLPackUnversioned},
	} {
		managed, err := form.to(b)
		must(t, err)
		again, err := form.from(other, managed)
		must(t, err)
		if again.DType() != harp.F32 {
			t.Error(again.DType())
		}
		equal(t, again.Shape(), []int{2, 3})
		must(t, harp.Write(b, []float32{6, 5, 4, 3, 2, 1})) // the same memory
		seen := make([]float32, 6)
		must(t, harp.Read(again, seen))
		equal(t, seen, []float32{6, 5, 4, 3, 2, 1})
		equal(t, values[float32](t, other.TensorOf(again).Sum(1)), []float32{15, 6})
		again.Close()
		managed, err = form.to(b)
		must(t, err)
		form.end(managed)
		form.end(nil)
		if _, err := form.from(ctx, nil); !errors.Is(err, harp.ErrInvalidArgument) {
			t.Error(err)
		}
	}
	// The shared array remains valid after the buffer is closed.
	managed, err := b.ToDLPack()
	must(t, err)
	b.Close()
	if _, err := b.ToDLPack(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	again, err := ctx.FromDLPack(managed)
	must(t, err)
	seen := make([]float32, 6)
	must(t, harp.Read(again, seen))
	equal(t, seen, []float32{6, 5, 4, 3, 2, 1})
}

// The fields of a DLManagedTensorVersioned, as other libraries set them.
func TestDLPackOfOthers(t *testing.T) {
	ctx := newContext(t)
	b, err := harp.BufferOf(ctx, []int32{1, 2})
	must(t, err)
	for name, c := range map[string]struct {
		at   uintptr
		byte byte
		want harp.Code
	}{
		"version 2":          {0, 2, harp.ErrUnsupported},
		"a CUDA device":      {40, 2, harp.ErrDevice},
		"two lanes":          {54, 2, harp.ErrDType},
		"integers of 7 bits": {53, 7, harp.ErrDType},
	} {
		managed, err := b.ToDLPack()
		must(t, err)
		field := (*byte)(unsafe.Add(managed, c.at))
		before := *field
		*field = c.byte
		if _, err := ctx.FromDLPack(managed); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		*field = before
		harp.ReleaseDLPack(managed) // after an error, the array still belongs to the caller
	}
	managed, err := b.ToDLPack()
	must(t, err)
	*(*uint64)(unsafe.Add(managed, 24)) |= 1 // read-only
	fixed, err := ctx.FromDLPack(managed)
	must(t, err)
	if err := harp.Write(fixed, []int32{3, 4}); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Errorf("a read-only array is written: %v", err)
	}
	seen := make([]int32, 2)
	must(t, harp.Read(fixed, seen))
	equal(t, seen, []int32{1, 2})
	equal(t, values[int32](t, ctx.TensorOf(fixed).Add(harp.Number(1))), []int32{2, 3})
	if _, err := fixed.ToDLPackUnversioned(); !errors.Is(err, harp.ErrUnsupported) {
		t.Error(err)
	}
}
