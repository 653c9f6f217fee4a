package harp_test

import (
	"context"
	"errors"
	"fmt"

	"harp"
)

func Example() {
	x := harp.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	y := x.Matmul(x).Add(harp.Number(0.5))
	fmt.Println(y)
	// Output: [[7.5 10.5] [15.5 22.5]]
}

func ExampleSlice() {
	total, err := harp.Slice[int32](harp.FromSlice([]int32{1, 2, 3}, 3, 1).Sum(0))
	fmt.Println(total, err)
	// Output: [6] <nil>
}

func ExampleGrad() {
	w := harp.FromSlice([]float64{3, 4})
	loss := w.Square().Sum()
	gradients := harp.Grad(loss, w)
	if err := harp.Realize(loss, gradients[0]); err != nil { // one program for both
		panic(err)
	}
	fmt.Println(loss, gradients[0])
	// Output: 25 [6 8]
}

func ExampleJit() {
	softmax := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		e := x[0].Sub(x[0].MaxKeepdims(-1)).Exp()
		return []*harp.Tensor{e.Div(e.SumKeepdims(-1))}
	}, harp.Dynamic(0, 0, "rows", 0, 1<<20))
	for _, rows := range []int{1, 2} { // one program for every number of rows
		y, err := softmax.Call(harp.FromSlice(make([]float32, 4*rows), rows, 4))
		if err != nil {
			panic(err)
		}
		fmt.Println(y[0])
	}
	// Output:
	// [[0.25 0.25 0.25 0.25]]
	// [[0.25 0.25 0.25 0.25] [0.25 0.25 0.25 0.25]]
}

func ExampleGraph() {
	g := harp.NewGraph(harp.Broadcast)
	defer g.Close()
	n := g.DimVar("n", 0, 4096)
	x, w := g.Input("x", harp.F32, n, 2), g.Input("w", harp.F32, 2)
	g.Output("y", x.Mul(w).Sum(1))
	p, err := g.Compile(nil)
	if err != nil {
		panic(err)
	}
	defer p.Close()
	y := make([]float32, 3)
	err = p.Call([]harp.Array{harp.Of([]float32{1, 2, 3, 4, 5, 6}, 3, 2), harp.Of([]float32{10, 1})}, []harp.Array{harp.Of(y)})
	fmt.Println(y, err)
	// Output: [12 34 56] <nil>
}

func ExampleNewFunction() {
	reversed := harp.NewFunction("reversed", func(out harp.Array, in []harp.Array) error {
		y, x := harp.Data[float64](out), harp.Data[float64](in[0])
		for i := range y {
			y[i] = x[len(x)-1-i]
		}
		return nil
	})
	x := harp.FromSlice([]float64{1, 2, 3})
	fmt.Println(harp.Native(reversed, harp.F64, []harp.Dim{3}, x.Square()))
	// Output: [9 4 1]
}

func ExampleGraph_Tune() {
	ctx := harp.Default()
	g := ctx.NewGraph(0)
	g.Output("y", g.Input("x", harp.F32, 64, 64).Sum(0))
	x, err := harp.BufferOf(ctx, make([]float32, 64*64), 64, 64)
	if err != nil {
		panic(err)
	}
	found, err := g.Tune(context.Background(), &harp.TuneOptions{MaxTrials: 1, DryRun: true}, x)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q is %.0f times as fast\n", found.Configuration(), found.Speedup)
	// Output: "" is 1 times as fast
}

func ExampleBuffer_ToDLPack() {
	ctx := harp.Default()
	b, err := harp.BufferOf(ctx, []float32{1, 2, 3})
	if err != nil {
		panic(err)
	}
	managed, err := b.ToDLPack() // normally passed to another library by cgo
	if err != nil {
		panic(err)
	}
	same, err := ctx.FromDLPack(managed) // here the other library is harp
	if err != nil {
		panic(err)
	}
	fmt.Println(ctx.TensorOf(same).Sum())
	// Output: 6
}

func ExampleError() {
	y := harp.FromSlice([]float32{1, 2, 3}).Add(harp.FromSlice([]float32{1, 2}))
	fmt.Println(errors.Is(y.Err(), harp.ErrShape))
	// Output: true
}

func ExampleProgram_CallContext() {
	g := harp.NewGraph(0)
	n := g.DimVar("n", 0, 10)
	g.Output("y", g.Arange(harp.I64, 0, n, 1)) // no input determines n
	p, err := g.Compile(nil)
	if err != nil {
		panic(err)
	}
	y := make([]int64, 4)
	options := &harp.RunOptions{ShapeVars: map[string]int64{"n": 4}}
	err = p.CallContext(context.Background(), options, nil, []harp.Array{harp.Of(y)})
	fmt.Println(y, err)
	// Output: [0 1 2 3] <nil>
}
