package harp

// #include "shim.h"
import "C"

import (
	"context"
	"runtime"
	"unsafe"
)

const (
	fastArrays = C.GOHARP_ARRAYS
	fastDims   = 4 * C.GOHARP_ARRAYS
)

// Call runs the program on Go slices, which are neither copied nor kept; this is the fastest way to run a program. Arrays are in the order
// of the program's inputs and outputs, and have exactly its dtypes and shapes.
func (p *Program) Call(inputs, outputs []Array) error {
	if len(inputs)+len(outputs) > fastArrays || p.callsGo {
		return p.callArrays(inputs, outputs, nil)
	}
	var frame C.goharp_frame
	var data [fastArrays]*C.uint8_t
	frame.n_inputs, frame.n_outputs = C.int32_t(len(inputs)), C.int32_t(len(outputs))
	at, used := 0, 0
	for _, list := range [2][]Array{inputs, outputs} {
		for i := range list {
			a := &list[i]
			n, isLarge := 1, len(a.dims) > maxRank
			for _, size := range a.dims {
				if used == fastDims {
					return p.callArrays(inputs, outputs, nil)
				}
				frame.dims[used] = C.int64_t(size)
				used++
				isLarge = isLarge || n > 1<<32 || size < 0 || size > 1<<30 // the product of sizes this small fits an int
				n *= size
			}
			if n != a.length || isLarge {
				if err := a.check(); err != nil {
					return err
				}
			}
			data[at], frame.dtypes[at], frame.ranks[at] = (*C.uint8_t)(a.data), C.int32_t(a.dtype), C.int32_t(len(a.dims))
			at++
		}
	}
	program, err := p.use()
	if err != nil {
		return err
	}
	e := call(program, &frame, &data)
	p.h.done()
	if e != nil {
		return taken(e)
	}
	return nil
}

// CallContext is Call with options. When ctx is done, it returns ctx's error within about a millisecond; the contents of the outputs are
// then unspecified.
func (p *Program) CallContext(ctx context.Context, options *RunOptions, inputs, outputs []Array) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := options.inC(ctx)
	defer o.release()
	return ended(ctx, p.callArrays(inputs, outputs, o.c))
}

// callArrays runs the program on any number of arrays. The descriptions of the arrays are in C memory, and the arrays are pinned (or
// copied, see holder) during the call.
func (p *Program) callArrays(inputs, outputs []Array, options *C.harp_run_options) error {
	all := append(append([]Array{}, inputs...), outputs...)
	for i := range all {
		if err := all[i].check(); err != nil {
			return err
		}
	}
	program, err := p.use()
	if err != nil {
		return err
	}
	defer p.h.done()
	described := C.calloc(C.size_t(len(all)+1), C.sizeof_harp_array)
	sizes := C.calloc(C.size_t((len(all)+1)*maxRank), 8)
	defer C.free(described)
	defer C.free(sizes)
	var held holder
	defer held.release()
	list := unsafe.Slice((*C.harp_array)(described), len(all))
	for i, a := range all {
		dims := unsafe.Slice((*C.int64_t)(unsafe.Add(sizes, 8*maxRank*i)), maxRank)
		for axis, size := range a.dims {
			dims[axis] = C.int64_t(size)
		}
		list[i] = C.harp_array{dims: &dims[0], dtype: C.harp_dtype(a.dtype), rank: C.int32_t(len(a.dims))}
		held.hold(&list[i].data, a.data, a.length*a.dtype.Size(), i >= len(inputs))
	}
	first := (*C.harp_array)(unsafe.Add(described, len(inputs)*C.sizeof_harp_array))
	calls := p.beginCalls()
	e := C.goharp_call_arrays(program, C.size_t(len(inputs)), (*C.harp_const_array)(described), C.size_t(len(outputs)), first, options, calls.id())
	runtime.KeepAlive(all)
	runtime.KeepAlive(p) // keeps p and its native operations alive during the call
	return calls.end(taken(e))
}
