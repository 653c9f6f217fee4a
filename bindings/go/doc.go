// Package harp computes with arrays: it builds graphs of array operations, compiles each structure to machine code once, and runs the
// programs. It is the Go binding of libharp, whose C interface is harp.h; pkg-config finds the library.
//
// There are two ways to use it. A Tensor is a lazy array: operations are recorded, and computed when values are read:
//
//	x := harp.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
//	y := x.Matmul(x).Tanh().Add(harp.Number(0.5))
//	values, err := harp.Slice[float32](y) // computed here, as one kernel
//
// A Graph is built node by node, with numbers or variables as sizes, and compiled to a Program, which runs on Go slices:
//
//	g := harp.NewGraph(harp.Broadcast)
//	n := g.DimVar("n", 0, 4096)
//	g.Output("y", g.Input("x", harp.F32, n, 64).Tanh())
//	p, err := g.Compile(nil)
//	err = p.Call([]harp.Array{harp.Of(in, 3, 64)}, []harp.Array{harp.Of(out, 3, 64)})
//
// Errors. Operations on nodes and tensors do not return errors, so that they can be chained: a result stores the error, everything computed
// from it stores it too, and Err, Realize, Slice and Compile return it. Errors have harp's message; errors.Is tests which error it is:
// errors.Is(err, harp.ErrShape).
//
// Memory. Arrays of tensors and buffers are in memory of harp. Close frees it at once; otherwise the garbage collector does. Everything may
// be closed twice. If another goroutine is using what is closed, the memory is freed when that use ends.
//
// Contexts. A Context has the compile cache and the threads. Tensors and graphs that name none use Default(), which has one thread for each
// CPU.
//
// Goroutines. Everything here may be used by several goroutines at once. For the content of a Buffer the usual rule applies: one writer or
// many readers.
package harp
