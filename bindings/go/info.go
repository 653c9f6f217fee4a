package harp

/*
#include "shim.h"
static harp_status goharp_array_info(const void* program, int32_t is_output, size_t index, harp_array_info* info, harp_error** err) {
  return is_output ? harp_program_output((const harp_program*)program, index, info, err) : harp_program_input((const harp_program*)program, index, info, err);
}
*/
import "C"

import "unsafe"

// ArrayInfo describes an input or output of a program.
type ArrayInfo struct {
	Name    string
	DType   DType
	Shape   []int  // -1 where the size is symbolic
	Text    string // the shape with the names of sizes: "[n, 64]"
	InPlace []int  // for an output: the indices of the inputs with which it may share its array
}

// Input describes an input.
func (p *Program) Input(index int) (ArrayInfo, error) { return p.info(0, index) }

// Output describes an output.
func (p *Program) Output(index int) (ArrayInfo, error) { return p.info(1, index) }

func (p *Program) info(isOutput C.int32_t, index int) (ArrayInfo, error) {
	c, err := p.use()
	if err != nil {
		return ArrayInfo{}, err
	}
	defer p.h.done()
	if index < 0 {
		return ArrayInfo{}, mistake(ErrInvalidArgument, "expected the index of an input or output, got %d", index)
	}
	info := C.harp_array_info{struct_size: C.sizeof_harp_array_info}
	var e *C.harp_error
	if C.goharp_array_info(c, isOutput, C.size_t(index), &info, &e) != C.HARP_OK {
		return ArrayInfo{}, taken(e)
	}
	made := ArrayInfo{Name: C.GoString(info.name), DType: DType(info.dtype), Shape: make([]int, int(info.rank)), Text: C.GoString(info.shape)}
	for axis, size := range unsafe.Slice(info.dims, int(info.rank)) {
		made.Shape[axis] = int(size)
	}
	for _, input := range unsafe.Slice(info.in_place, int(info.n_in_place)) {
		made.InPlace = append(made.InPlace, int(input))
	}
	return made, nil
}

// Emit returns the text of one stage of a compilation: "graph", "opt" (after the optimiser), "schedule", "ir", "ir-opt", "linear", "c" (the
// source) or "dot". It needs no compiler. options may be nil.
func (g *Graph) Emit(stage string, options *CompileOptions) (string, error) {
	if err := g.begin(); err != nil {
		return "", err
	}
	defer g.leave()
	if g.err != nil {
		return "", g.err
	}
	c, s := options.inC(), text(stage, false)
	defer c.release()
	defer release(s)
	var e *C.harp_error
	return takenText(C.harp_graph_emit(g.p(), c.c, s, &e), e)
}
