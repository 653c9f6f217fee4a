package harp

// #include "shim.h"
import "C"

import "unsafe"

// PoolOptions are the options of pooling operations. A nil *PoolOptions, and a field that is nil, stand for the default.
type PoolOptions struct {
	Stride   []int // by default the windows' size
	Padding  []Dim // by default none
	Dilation []int // by default 1
	CeilMode bool  // the last window of an axis may extend beyond the padding, if it starts in x or in the padding before x
	// ExcludePadding leaves padding out of the means of AvgPool; by default padding counts as zeros.
	ExcludePadding bool
}

func (o *PoolOptions) copied() *PoolOptions {
	if o == nil {
		return nil
	}
	return &PoolOptions{copied(o.Stride), copied(o.Padding), copied(o.Dilation), o.CeilMode, o.ExcludePadding}
}

// poolOptions holds PoolOptions in C memory, because a struct that is passed to C must not contain pointers to Go memory.
type poolOptions struct {
	options *C.harp_pool_options
	lists   []unsafe.Pointer
}

func (o *PoolOptions) inC() poolOptions {
	if o == nil {
		return poolOptions{}
	}
	made := poolOptions{options: (*C.harp_pool_options)(C.calloc(1, C.sizeof_harp_pool_options))}
	c := made.options
	c.struct_size = C.sizeof_harp_pool_options
	c.n_stride, c.n_padding, c.n_dilation = C.int32_t(len(o.Stride)), C.int32_t(len(o.Padding)), C.int32_t(len(o.Dilation))
	c.stride, c.padding, c.dilation = listInC(&made, o.Stride), listInC(&made, o.Padding), listInC(&made, o.Dilation)
	c.ceil_mode, c.count_include_pad = boolean(o.CeilMode), boolean(!o.ExcludePadding)
	return made
}

func listInC[From int | Dim](owner *poolOptions, list []From) *C.int64_t {
	if len(list) == 0 {
		return nil
	}
	memory := C.malloc(C.size_t(8 * len(list)))
	owner.lists = append(owner.lists, memory)
	for i, number := range list {
		unsafe.Slice((*C.int64_t)(memory), len(list))[i] = C.int64_t(number)
	}
	return (*C.int64_t)(memory)
}

func (o poolOptions) release() {
	for _, list := range o.lists {
		C.free(list)
	}
	C.free(unsafe.Pointer(o.options))
}

// CustomFunction makes a node from a function body in harp's loop language (docs/text-format.md), which is executed for each element of the
// result. dtype and shape are those of the result; the body refers to the nodes as input0, input1 ...
func (g *Graph) CustomFunction(body string, dtype DType, shape []Dim, nodes ...Node) Node {
	if err := g.enterList("custom_function", nodes); err != nil {
		return failed(err)
	}
	defer g.leave()
	desc, free := g.customDesc(body, shape)
	defer free()
	desc.dtype = C.harp_dtype(dtype)
	return g.made(C.harp_custom_function(C.int32_t(len(nodes)), handles(nodes), desc))
}

// CustomFunctionResults is CustomFunction for a function of several results, one for each dtype and all of this shape. The body sets
// output0, output1 ..., or output if there is one dtype.
func (g *Graph) CustomFunctionResults(body string, dtypes []DType, shape []Dim, nodes ...Node) []Node {
	if err := g.enterList("custom_function_results", nodes); err != nil {
		return failedList(err, len(dtypes))
	}
	defer g.leave()
	if len(dtypes) == 0 {
		return failedList(mistake(ErrInvalidArgument, "custom_function_results: expected a list of dtypes, got an empty list"), 1)
	}
	desc, free := g.customDesc(body, shape)
	defer free()
	dtypesC, resultsC := make([]C.harp_dtype, len(dtypes)), make([]*C.harp_node, len(dtypes))
	for i, dtype := range dtypes {
		dtypesC[i] = C.harp_dtype(dtype)
	}
	status := C.harp_custom_function_results(C.int32_t(len(nodes)), handles(nodes), desc, C.int32_t(len(dtypes)), &dtypesC[0], &resultsC[0])
	return g.madeList(status, resultsC)
}

// customDesc makes the description of a custom function in C memory, and a function that frees it.
func (g *Graph) customDesc(body string, shape []Dim) (*C.harp_custom_function_desc, func()) {
	desc := (*C.harp_custom_function_desc)(C.calloc(1, C.sizeof_harp_custom_function_desc))
	lists, b := poolOptions{}, C.CString(body)
	desc.struct_size, desc.body, desc.rank = C.sizeof_harp_custom_function_desc, b, C.int32_t(len(shape))
	desc.dims, desc.graph = listInC(&lists, shape), g.p()
	return desc, func() {
		release(b)
		lists.release()
		C.free(unsafe.Pointer(desc))
	}
}

// CustomFunction is Graph.CustomFunction for tensors.
func CustomFunction(body string, dtype DType, shape []Dim, xs ...*Tensor) *Tensor {
	shape = copied(shape)
	return trace(opKey("CustomFunction").text(body).number(int64(dtype)).dims(shape), func(g *Graph, n []Node) Node {
		return g.CustomFunction(body, dtype, shape, n...)
	}, xs...)
}

// CustomFunctionResults is Graph.CustomFunctionResults for tensors.
func CustomFunctionResults(body string, dtypes []DType, shape []Dim, xs ...*Tensor) []*Tensor {
	dtypes, shape = copied(dtypes), copied(shape)
	k := list(opKey("CustomFunctionResults").text(body), dtypes, false, func(d DType) uint64 { return uint64(d) })
	return traceList(k.dims(shape), func(g *Graph, n []Node) []Node {
		return g.CustomFunctionResults(body, dtypes, shape, n...)
	}, xs...)
}
