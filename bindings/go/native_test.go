package harp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"harp"
)

var weightedSum = harp.NewFunction("weighted_sum", func(out harp.Array, in []harp.Array) error {
	y, x, w := harp.Data[float64](out), harp.Data[float64](in[0]), harp.Data[float32](in[1])
	for row := range y {
		y[row] = 0
		for column, weight := range w {
			y[row] += x[row*len(w)+column] * float64(weight)
		}
	}
	return nil
})

func TestNativeOperations(t *testing.T) {
	for _, backend := range []string{"c", "interp"} {
		g := newGraph(t, harp.Broadcast)
		n := g.DimVar("n", 0, 1000)
		x, w := g.Input("x", harp.F64, n, 2), g.Input("w", harp.F32, 2)
		y := g.Native(weightedSum, harp.F64, []harp.Dim{n}, x.Add(g.Const(harp.F64, 1)), w)
		must(t, y.Err())
		g.Output("y", y.Mul(g.Const(harp.F64, 2)))
		p, err := g.Compile(&harp.CompileOptions{Backend: backend})
		must(t, err)
		g.Close() // the program keeps the function alive
		runtime.GC()
		runtime.GC()
		out := make([]float64, 3)
		in := []harp.Array{harp.Of([]float64{0, 1, 2, 3, 4, 5}, 3, 2), harp.Of([]float32{10, 1})}
		must(t, p.Call(in, []harp.Array{harp.Of(out)}))
		equal(t, out, []float64{24, 68, 112})
		must(t, p.CallContext(context.Background(), nil, in, []harp.Array{harp.Of(out)}))
		equal(t, out, []float64{24, 68, 112})
		in[0] = harp.Of([]float64{}, 0, 2)
		must(t, p.Call(in, []harp.Array{harp.Of(out[:0])}))
	}
}

func TestNativeOperationsOfTensors(t *testing.T) {
	x, w := harp.FromSlice([]float64{1, 2, 3, 4}, 2, 2), harp.FromSlice([]float32{1, 10})
	y := harp.Native(weightedSum, harp.F64, []harp.Dim{2}, x.Mul(harp.Number(2)), w)
	equal(t, values[float64](t, y.Add(harp.Number(1))), []float64{43, 87})
	if err := harp.Grad(harp.Native(weightedSum, harp.F64, []harp.Dim{2}, x, w).Sum(), x)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		return []*harp.Tensor{harp.Native(weightedSum, harp.F64, []harp.Dim{x[0].Dim(0)}, x[0], w)}
	}, harp.Dynamic(0, 0, "n", 0, 100))
	equal(t, values[float64](t, must2(f.Call(x))[0]), []float64{21, 43})
	equal(t, values[float64](t, must2(f.Call(harp.FromSlice([]float64{5, 6}, 1, 2)))[0]), []float64{65})
	// A native operation gets eight inputs of several dtypes and shapes; some sizes are symbolic.
	describe := harp.NewFunction("describe", func(out harp.Array, in []harp.Array) error {
		var text strings.Builder
		for _, a := range append(in, out) {
			fmt.Fprintf(&text, "%v%v ", a.DType(), a.Shape())
		}
		if got, want := text.String(), strings.Repeat("complex64[2 1] ", 7)+"bool[] u8[2] "; got != want {
			return errors.New(got)
		}
		copy(harp.Data[uint8](out), []uint8{1, 2})
		return nil
	})
	z := harp.FromSlice([]complex64{1, 2i}, 2, 1)
	equal(t, values[uint8](t, harp.Native(describe, harp.U8, []harp.Dim{2}, z, z, z, z, z, z, z, harp.Scalar(true))), []uint8{1, 2})
}

func TestNativeOperationsFail(t *testing.T) {
	wanted := errors.New("not today")
	x := harp.FromSlice([]float64{1, 2})
	run := func(f func(out harp.Array, in []harp.Array) error) error {
		return harp.Native(harp.NewFunction("failing", f), harp.F64, []harp.Dim{2}, x).Realize()
	}
	err := run(func(harp.Array, []harp.Array) error { return fmt.Errorf("the weather: %w", wanted) })
	if !errors.Is(err, harp.ErrNative) || !errors.Is(err, wanted) || !strings.Contains(err.Error(), `"failing"`) ||
		!strings.HasSuffix(err.Error(), "the weather: not today") {
		t.Error(err)
	}
	var panicked *harp.PanicError
	err = run(func(_ harp.Array, in []harp.Array) error {
		_ = harp.Data[float64](in[0])[2]
		return nil
	})
	var bounds runtime.Error
	if !errors.Is(err, harp.ErrNative) || !errors.As(err, &panicked) || !strings.Contains(string(panicked.Stack), "native_test.go") || !errors.As(err, &bounds) {
		t.Error(err)
	}
	err = run(func(out harp.Array, _ []harp.Array) error {
		harp.Data[float32](out)[0] = 1
		return nil
	})
	if !errors.Is(err, harp.ErrDType) || !errors.Is(err, harp.ErrNative) {
		t.Errorf("another dtype than the array's: %v", err)
	}
	if err := run(func(harp.Array, []harp.Array) error { panic(os.ErrClosed) }); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	must(t, run(func(out harp.Array, in []harp.Array) error {
		copy(harp.Data[float64](out), harp.Data[float64](in[0]))
		return nil
	}))
	for _, y := range []*harp.Tensor{harp.Native(nil, harp.F64, nil, x), harp.Native(harp.NewFunction("f", nil), harp.F64, nil, x),
		harp.Native(harp.NewFunction("no name", nil), harp.F64, nil, x), harp.Native(weightedSum, harp.DType(99), nil, x),
		harp.Native(weightedSum, harp.F64, []harp.Dim{-7}, x), harp.Native(weightedSum, harp.F64, nil, x, nil)} {
		if y.Err() == nil {
			t.Error("a native operation that cannot be")
		}
	}
	if err := harp.Native(weightedSum, harp.F64, nil, x, x, x, x, x, x, x, x, x).Err(); !errors.Is(err, harp.ErrUnsupported) {
		t.Errorf("nine inputs: %v", err)
	}
	g := newGraph(t, 0)
	var dims []harp.Dim
	for i := 0; i < 16; i++ {
		dims = append(dims, g.DimVar(fmt.Sprintf("n%d", i), 0, 1))
	}
	if err := g.Native(weightedSum, harp.F64, []harp.Dim{g.DimVar("m", 0, 1)}, g.Input("x", harp.F64, dims...)).Err(); !errors.Is(err, harp.ErrUnsupported) {
		t.Errorf("17 symbolic sizes: %v", err)
	}
	g = newGraph(t, 0)
	for i := range dims {
		dims[i] = g.DimVar(fmt.Sprintf("n%d", i), 0, 1)
	}
	g.Output("y", g.Native(harp.NewFunction("count", func(out harp.Array, in []harp.Array) error {
		harp.Data[float64](out)[0] = float64(len(in[0].Shape()))
		return nil
	}), harp.F64, nil, g.Input("z", harp.F64, dims...)))
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	rank, one := 0.0, []float64{1}
	shape := make([]int, 16)
	for i := range shape {
		shape[i] = 1
	}
	must(t, p.Call([]harp.Array{harp.Of(one, shape...)}, []harp.Array{harp.OfScalar(&rank)}))
	if rank != 16 {
		t.Error(rank)
	}
}

// Each of several overlapping runs returns the error of its own native operation. A native operation may compute with another context, and an
// error of that computation is not taken for one of the outer run.
func TestConcurrentNativeOperations(t *testing.T) {
	inner := newContext(t)
	f := harp.NewFunction("positive", func(out harp.Array, in []harp.Array) error {
		x := harp.Data[float64](in[0])
		failing := harp.Native(harp.NewFunction("inner", func(harp.Array, []harp.Array) error { return errors.New("inner") }),
			harp.F64, nil, harp.FromSliceIn(inner, x))
		if err := failing.Realize(); err == nil || !strings.HasSuffix(err.Error(), "inner") {
			return fmt.Errorf("the inner one: %v", err)
		}
		if x[0] < 0 {
			return fmt.Errorf("got %v", x[0])
		}
		copy(harp.Data[float64](out), x)
		return nil
	})
	g := newGraph(t, 0)
	g.Output("y", g.Native(f, harp.F64, []harp.Dim{1}, g.Input("x", harp.F64, 1)))
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	var wait sync.WaitGroup
	for i := -3; i < 3; i++ {
		wait.Add(1)
		go func(number float64) {
			defer wait.Done()
			for k := 0; k < 3; k++ {
				out := []float64{0}
				err := p.Call([]harp.Array{harp.Of([]float64{number})}, []harp.Array{harp.Of(out)})
				if number >= 0 && (err != nil || out[0] != number) || number < 0 && (err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("got %v", number))) {
					t.Errorf("%v: %v %v", number, out, err)
				}
			}
		}(float64(i))
	}
	wait.Wait()
}
