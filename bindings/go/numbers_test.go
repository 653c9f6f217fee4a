package harp_test

import (
	"errors"
	"math"
	"testing"

	"harp"
)

// Number operands: they take the dtype of the tensors next to them, and give the same bits with and without Jit.

// both computes f(x) as a lazy tensor and in a Jit.
func both(x *harp.Tensor, f func(x *harp.Tensor) *harp.Tensor) (lazy, jitted *harp.Tensor, err error) {
	made, err := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{f(x[0])} }).Call(x)
	if err != nil {
		return f(x), nil, err
	}
	return f(x), made[0], nil
}

func TestNumbersThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		x      *harp.Tensor
		number *harp.Tensor
	}{
		"300 next to u8":     {harp.FromSlice([]uint8{1, 255}), harp.Number(300)},
		"-1 next to u8":      {harp.FromSlice([]uint8{1, 255}), harp.Number(-1)},
		"128 next to i8":     {harp.FromSlice([]int8{1}), harp.Number(128)},
		"2^32 next to u32":   {harp.FromSlice([]uint32{1}), harp.Number(int64(1) << 32)},
		"-1 next to u64":     {harp.FromSlice([]uint64{1}), harp.Number(-1)},
		"65520 next to f16":  {harp.FromSlice([]harp.Float16{0x3c00}), harp.Number(65520)},
		"1e39 next to bf16":  {harp.FromSlice([]harp.BFloat16{0x3f80}), harp.Number(1e39)},
		"1e39 next to f32":   {harp.FromSlice([]float32{1}), harp.Number(-1e39)},
		"1e39 next to c64":   {harp.FromSlice([]complex64{1}), harp.Number(1e39)},
		"the tie before inf": {harp.FromSlice([]float32{1}), harp.Number(0x1.ffffffp127)},
	} {
		lazy, _, err := both(c.x, func(x *harp.Tensor) *harp.Tensor { return x.Mul(c.number) })
		if !errors.Is(lazy.Err(), harp.ErrRange) {
			t.Errorf("%s: %v", name, lazy.Err())
		}
		if !errors.Is(err, harp.ErrRange) {
			t.Errorf("%s in a Jit: %v", name, err)
		}
	}
	lazy, jitted, err := both(harp.FromSlice([]float32{1}), func(x *harp.Tensor) *harp.Tensor {
		return harp.Stack(0, x.Mul(harp.Number(math.Inf(-1))), x.Mul(harp.Number(0x1.fffffefp127))).Flatten(0, 1)
	})
	must(t, err)
	equal(t, values[float32](t, lazy), []float32{float32(math.Inf(-1)), math.MaxFloat32})
	equal(t, values[float32](t, jitted), []float32{float32(math.Inf(-1)), math.MaxFloat32})
}

// A number is rounded once: not first to f64 or f32, and then to the dtype, which gives another result near the middle of two numbers.
func TestNumbersAreRoundedOnce(t *testing.T) {
	times := func(n *harp.Tensor) func(*harp.Tensor) *harp.Tensor {
		return func(x *harp.Tensor) *harp.Tensor { return x.Mul(n) }
	}
	lazy, jitted, err := both(harp.FromSlice([]harp.Float16{0x3c00}), times(harp.Number(1+0x1p-11+0x1p-40)))
	must(t, err)
	equal(t, values[harp.Float16](t, lazy), []harp.Float16{0x3c01})
	equal(t, values[harp.Float16](t, jitted), []harp.Float16{0x3c01})
	lazy, jitted, err = both(harp.FromSlice([]harp.BFloat16{0x3f80}), times(harp.Number(1+0x1p-8+0x1p-40)))
	must(t, err)
	equal(t, values[harp.BFloat16](t, lazy), []harp.BFloat16{0x3f81})
	equal(t, values[harp.BFloat16](t, jitted), []harp.BFloat16{0x3f81})
	const tie = 1<<60 + 1<<36 // in the middle of two numbers of f32
	for _, n := range []int64{tie, tie + 1, -tie - 1, tie - 1, tie + 1<<37 - 1, math.MaxInt64, math.MinInt64, 1<<24 + 1, 0, -7} {
		lazy, jitted, err := both(harp.FromSlice([]float32{1}), times(harp.Number(n)))
		must(t, err)
		equal(t, values[float32](t, lazy), []float32{float32(n)})
		equal(t, values[float32](t, jitted), []float32{float32(n)})
		lazy, jitted, err = both(harp.FromSlice([]float64{1}), times(harp.Number(n)))
		must(t, err)
		equal(t, values[float64](t, lazy), []float64{float64(n)})
		equal(t, values[float64](t, jitted), []float64{float64(n)})
	}
}

// The list of a variadic call is the caller's: numbers in it stay numbers, which the next call gives another dtype.
func TestNumbersInListsStayNumbers(t *testing.T) {
	list := []*harp.Tensor{harp.Number(0.1), harp.Scalar(float32(2))}
	equal(t, values[float32](t, harp.Stack(0, list...)), []float32{0.1, 2})
	list[1] = harp.Scalar(2.0)
	equal(t, values[float64](t, harp.Stack(0, list...)), []float64{0.1, 2})
	equal(t, values[float64](t, harp.CustomElementwise("x0 * x1", list...)), []float64{0.2})
	if list[0].DType() != harp.Unknown {
		t.Error("the number has become a tensor of ", list[0].DType())
	}
}

func TestFunctionsWithoutInputs(t *testing.T) {
	count := harp.NewFunction("count", func(out harp.Array, in []harp.Array) error {
		for i, data := 0, harp.Data[float32](out); i < len(data); i++ {
			data[i] = float32(i + len(in))
		}
		return nil
	})
	equal(t, values[float32](t, harp.Native(count, harp.F32, []harp.Dim{3}).Add(harp.Number(1))), []float32{1, 2, 3})
	g := newGraph(t, 0)
	n := g.DimVar("n", 0, 9)
	g.Output("y", g.Input("x", harp.F32, n).Add(g.Native(count, harp.F32, []harp.Dim{n})))
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	out := make([]float32, 2)
	must(t, p.Call([]harp.Array{harp.Of([]float32{5, 5})}, []harp.Array{harp.Of(out)}))
	equal(t, out, []float32{5, 6})
}

// In a traced function, operations without a tensor as an operand (Arange, Full, Eye) can have a symbolic size of the function: they become
// part of its trace.
func TestConstantsOfSymbolicSizes(t *testing.T) {
	ctx := newContext(t) // not the default context, which Arange would use outside of a traced function
	positions := func(x *harp.Tensor) *harp.Tensor {
		n := x.Dim(0)
		column := harp.Arange(harp.F64, 0, n, 1).Reshape(n, 1)
		return x.Add(column).Mul(harp.Number(2).Full(n, 2)).Add(harp.Eye(harp.F64, n, 2))
	}
	j := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{positions(x[0])} }, harp.Dynamic(0, 0, "n", 0, 100))
	for _, rows := range []int{3, 0, 7} {
		x := make([]float64, 2*rows)
		for i := range x {
			x[i] = float64(i) / 4
		}
		made, err := j.Call(harp.FromSliceIn(ctx, x, rows, 2))
		must(t, err)
		want := make([]float64, len(x))
		for i := range want {
			want[i] = (x[i] + float64(i/2)) * 2
			if i/2 == i%2 {
				want[i]++
			}
		}
		equal(t, values[float64](t, made[0]), want)
	}
	// A symbolic size cannot be used after the trace of its function has ended.
	var kept harp.Dim
	_, err := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { kept = x[0].Dim(0); return x }, harp.Dynamic(0, 0, "n", 0, 9)).Call(harp.FromSlice([]float64{1}))
	must(t, err)
	if err := harp.Arange(harp.F64, 0, kept, 1).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}
