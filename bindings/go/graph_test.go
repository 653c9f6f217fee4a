package harp_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"harp"
)

// newContext makes a context that stores nothing on disk.
func newContext(t testing.TB) *harp.Context {
	t.Helper()
	ctx, err := harp.NewContext(harp.Options{MemoryOnly: true, CompileTimeout: 20 * time.Minute})
	must(t, err)
	t.Cleanup(ctx.Close)
	return ctx
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newGraph(t testing.TB, flags harp.GraphFlags) *harp.Graph {
	t.Helper()
	g := newContext(t).NewGraph(flags)
	must(t, g.Err())
	return g
}

func equal[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, expected %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, expected %v", got, want)
		}
	}
}

func TestCallOnSlices(t *testing.T) {
	g := newGraph(t, harp.Broadcast)
	n := g.DimVar("n", 0, 4096)
	a, w := g.Input("a", harp.F32, n, 2), g.Input("w", harp.F32, 2)
	g.Output("y", a.Mul(w).Add(g.Const(harp.F32, 0.5)))
	p, err := g.Compile(nil)
	must(t, err)
	signature, err := p.Signature()
	must(t, err)
	if !strings.Contains(signature, "(a: f32[n, 2], w: f32[2]) -> y: f32[n, 2]") {
		t.Error(signature)
	}
	for _, rows := range []int{3, 1, 0} { // one program for every number of rows
		in, out := make([]float32, 2*rows), make([]float32, 2*rows)
		want := make([]float32, 2*rows)
		for i := range in {
			in[i] = float32(i)
			want[i] = float32(i)*float32(1-2*(i%2)) + 0.5
		}
		must(t, p.Call([]harp.Array{harp.Of(in, rows, 2), harp.Of([]float32{1, -1})}, []harp.Array{harp.Of(out, rows, 2)}))
		equal(t, out, want)
	}
	err = p.Call([]harp.Array{harp.Of(make([]float32, 6), 2, 3), harp.Of([]float32{1, -1})}, []harp.Array{harp.Of(make([]float32, 6), 2, 3)})
	if !errors.Is(err, harp.ErrShape) {
		t.Errorf("a wrong shape: %v", err)
	}
	err = p.Call([]harp.Array{harp.Of(make([]float32, 5), 3, 2), harp.Of([]float32{1, -1})}, []harp.Array{harp.Of(make([]float32, 6), 3, 2)})
	if !errors.Is(err, harp.ErrShape) || !strings.Contains(err.Error(), "the slice has 5") {
		t.Errorf("a slice of another length: %v", err)
	}
	err = p.Call([]harp.Array{harp.Of(make([]float64, 6), 3, 2), harp.Of([]float32{1, -1})}, []harp.Array{harp.Of(make([]float32, 6), 3, 2)})
	if !errors.Is(err, harp.ErrDType) {
		t.Errorf("a wrong dtype: %v", err)
	}
	same := make([]float32, 4)
	err = p.Call([]harp.Array{harp.Of(make([]float32, 4), 2, 2), harp.Of(same[1:3])}, []harp.Array{harp.Of(same, 2, 2)})
	if !errors.Is(err, harp.ErrAlias) {
		t.Errorf("overlapping arrays: %v", err)
	}
}

// TestCallOnManyArrays calls programs with more arrays, or more axes, than the call that allocates nothing accepts.
func TestCallOnManyArrays(t *testing.T) {
	g := newGraph(t, 0)
	var inputs, outputs []harp.Array
	sum := g.Const(harp.F64, 0)
	want := 0.0
	for i := 0; i < 9; i++ {
		sum = sum.Add(g.Input("x"+string(rune('a'+i)), harp.F64, 2))
		inputs = append(inputs, harp.Of([]float64{float64(i), 1}))
		want += float64(i)
	}
	g.Output("y", sum)
	g.Output("z", sum.Sum())
	p, err := g.Compile(nil)
	must(t, err)
	y, z := make([]float64, 2), 0.0
	outputs = []harp.Array{harp.Of(y), harp.OfScalar(&z)}
	must(t, p.Call(inputs, outputs))
	equal(t, append(y, z), []float64{want, 9, want + 9})

	g = newGraph(t, 0)
	shape, dims := []int{}, []harp.Dim{}
	for i := 0; i < 16; i++ {
		shape, dims = append(shape, 1), append(dims, 1)
	}
	g.Output("y", g.Input("a", harp.I64, dims...).Add(g.Input("b", harp.I64, dims...)))
	p, err = g.Compile(nil)
	must(t, err)
	out := []int{0}
	must(t, p.Call([]harp.Array{harp.Of([]int{40}, shape...), harp.Of([]int{2}, shape...)}, []harp.Array{harp.Of(out, shape...)}))
	equal(t, out, []int{42})
}

func TestRunOnBuffers(t *testing.T) {
	ctx := newContext(t)
	g := ctx.NewGraph(0)
	n := g.DimVar("n", 1, 100)
	x := g.Input("x", harp.I32, n)
	g.Output("double", x.Add(x))
	g.Output("sum", x.SumKeepdims())
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	b, err := harp.BufferOf(ctx, []int32{1, 2, 3})
	must(t, err)
	made, err := p.Run(b)
	must(t, err)
	double, sum := make([]int32, 3), make([]int32, 1)
	must(t, harp.Read(made[0], double))
	must(t, harp.Read(made[1], sum))
	equal(t, double, []int32{2, 4, 6})
	equal(t, sum, []int32{6})
	equal(t, made[1].Shape(), []int{1})
	if err := harp.Read(made[0], make([]float32, 3)); !errors.Is(err, harp.ErrDType) {
		t.Error(err)
	}
	if err := harp.Read(made[0], make([]int32, 4)); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "double.npy")
	must(t, made[0].SaveNpy(path))
	loaded, err := ctx.LoadNpy(path)
	must(t, err)
	again := make([]int32, 3)
	must(t, harp.Read(loaded, again))
	equal(t, again, double)
	if _, err := ctx.LoadNpy(path + "x"); !errors.Is(err, harp.ErrIO) {
		t.Error(err)
	}
}

func TestMistakes(t *testing.T) {
	g := newGraph(t, 0)
	a, b := g.Input("a", harp.F32, 2, 3), g.Input("b", harp.F32, 4)
	bad := a.Add(b)
	var e *harp.Error
	if !errors.Is(bad.Err(), harp.ErrShape) || !errors.As(bad.Err(), &e) || !strings.Contains(e.Message, "[2, 3]") || !strings.Contains(e.Message, "[4]") {
		t.Errorf("no message with both shapes: %v", bad.Err())
	}
	if errors.Is(bad.Err(), harp.ErrDType) {
		t.Error("one code counts as another")
	}
	after := bad.Exp().Sum()
	if after.Err() != bad.Err() {
		t.Errorf("what is made of a mistake has another one: %v", after.Err())
	}
	must(t, a.Exp().Err()) // the graph can be used further
	g.Output("y", a.Exp())
	if _, err := g.Compile(nil); err != nil {
		t.Error(err)
	}
	g.Output("z", after)
	g.Output("1", a) // "1" is not a valid name, but the first error is the one that stays
	if _, err := g.Compile(nil); err != bad.Err() || g.Err() != bad.Err() {
		t.Error(err, g.Err())
	}
	if err := (harp.Node{}).Add(a).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Errorf("a node that is not given: %v", err)
	}
	other := newGraph(t, 0)
	if err := a.Add(other.Input("a", harp.F32, 2, 3)).Err(); !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("nodes of two graphs: %v", err)
	}
	if err := a.Cast(harp.DType(99)).Err(); err == nil {
		t.Error("a dtype that does not exist is taken")
	}
	if err := a.Pad([]harp.Dim{1}, []harp.Dim{1, 2}, "", harp.Node{}).Err(); !errors.Is(err, harp.ErrShape) {
		t.Errorf("lists of different lengths: %v", err)
	}
	parts := a.Split(2, 1)
	if len(parts) != 2 || !errors.Is(parts[0].Err(), harp.ErrShape) {
		t.Errorf("3 elements in 2 parts: %v", parts)
	}
	if harp.ErrShape.Error() != "SHAPE" {
		t.Error(harp.ErrShape.Error())
	}
}

func TestOptionalOperands(t *testing.T) {
	g := newGraph(t, harp.Broadcast)
	x := g.Input("x", harp.F64, 1, 1, 3)
	w := g.Input("w", harp.F64, 1, 1, 2)
	g.Output("plain", x.Conv1d(w, harp.Node{}, nil, nil, nil, 1))
	g.Output("padded", x.Conv1d(w, g.Const(harp.F64, 10).Full(1), []int{2}, []harp.Dim{1}, nil, 1))
	g.Output("pooled", x.MaxPool(&harp.PoolOptions{Stride: []int{1}}, 2))
	g.Output("default", x.MaxPool(nil, 2))
	p, err := g.Compile(nil)
	must(t, err)
	plain, padded, pooled, byDefault := make([]float64, 2), make([]float64, 2), make([]float64, 2), make([]float64, 1)
	must(t, p.Call([]harp.Array{harp.Of([]float64{1, 2, 3}, 1, 1, 3), harp.Of([]float64{10, 1}, 1, 1, 2)},
		[]harp.Array{harp.Of(plain, 1, 1, 2), harp.Of(padded, 1, 1, 2), harp.Of(pooled, 1, 1, 2), harp.Of(byDefault, 1, 1, 1)}))
	equal(t, plain, []float64{12, 23})
	equal(t, padded, []float64{11, 33})
	equal(t, pooled, []float64{2, 3})
	equal(t, byDefault, []float64{2})
}

func TestSeveralResults(t *testing.T) {
	g := newGraph(t, 0)
	x := g.Input("x", harp.F32, 4)
	values, indices := x.Topk(2, 0, true)
	parts := x.SplitAt(0, 1)
	g.Output("values", values)
	g.Output("indices", indices)
	g.Output("rest", parts[1])
	g.Output("joined", g.Concat(0, parts[1], parts[0]))
	p, err := g.Compile(nil)
	must(t, err)
	v, i, rest, joined := make([]float32, 2), make([]int64, 2), make([]float32, 3), make([]float32, 4)
	must(t, p.Call([]harp.Array{harp.Of([]float32{3, 9, 1, 7})}, []harp.Array{harp.Of(v), harp.Of(i), harp.Of(rest), harp.Of(joined)}))
	equal(t, v, []float32{9, 7})
	equal(t, i, []int64{1, 3})
	equal(t, rest, []float32{9, 1, 7})
	equal(t, joined, []float32{9, 1, 7, 3})
}

func TestCustomFunctionsOfSeveralResults(t *testing.T) {
	body := `output1 = -1
		for i in 0 .. size(input0, 1) {
			if (output1 < 0) | (input0[ridx0, i] > output0) {
				output0 = input0[ridx0, i]
				output1 = i
			}
		}`
	dtypes, shape := []harp.DType{harp.F32, harp.I64}, []harp.Dim{2}
	g := newGraph(t, 0)
	greatest := g.CustomFunctionResults(body, dtypes, shape, g.Input("x", harp.F32, 2, 3))
	g.Output("greatest", greatest[0])
	g.Output("place", greatest[1])
	p, err := g.Compile(nil)
	must(t, err)
	v, i := make([]float32, 2), make([]int64, 2)
	must(t, p.Call([]harp.Array{harp.Of([]float32{1, 3, 2, -4, -5, -6}, 2, 3)}, []harp.Array{harp.Of(v), harp.Of(i)}))
	equal(t, v, []float32{3, -4})
	equal(t, i, []int64{1, 0})

	x := harp.FromSlice([]float32{1, 3, 2, -4, -5, -6}, 2, 3)
	of := harp.CustomFunctionResults(body, dtypes, shape, x)
	dtypes[0], shape[0] = harp.Bool, 7 // the caller may write to the lists afterwards
	equal(t, values[float32](t, of[0].Mul(harp.Number(2))), []float32{6, -8})
	equal(t, values[int64](t, of[1]), []int64{1, 0})
	one := harp.CustomFunctionResults("output = input0[ridx0, 2]", []harp.DType{harp.F32}, []harp.Dim{2}, x)
	equal(t, values[float32](t, one[0]), []float32{2, -6})

	for want, err := range map[string]error{
		"expected a list of dtypes":      newGraph(t, 0).CustomFunctionResults("output = 1", nil, nil)[0].Err(),
		"the body never sets output1":    newGraph(t, 0).CustomFunctionResults("output0 = 1", []harp.DType{harp.I64, harp.I64}, nil)[1].Err(),
		"result 1 cannot be complex64":   newGraph(t, 0).CustomFunctionResults("", []harp.DType{harp.F32, harp.Complex64}, nil)[0].Err(),
		"the nodes belong to another gr": newGraph(t, 0).CustomFunctionResults(body, dtypes, shape, greatest[0])[0].Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestGradients(t *testing.T) {
	g := newGraph(t, harp.Broadcast)
	x, w, unused := g.Input("x", harp.F64, 3), g.Input("w", harp.F64, 3), g.Input("unused", harp.F64)
	y := x.Mul(w).Square().Sum()
	gradients := y.Grad(x, w)
	if err := y.Grad(unused)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Errorf("no dependence: %v", err)
	}
	if !y.DependsOn(x) || y.DependsOn(unused) {
		t.Error("DependsOn")
	}
	zeros := y.GradOrZero(unused)
	p, err := g.CompileNodes(nil, y, gradients[0], gradients[1])
	must(t, err)
	value, dx, dw := 0.0, make([]float64, 3), make([]float64, 3)
	must(t, p.Call([]harp.Array{harp.Of([]float64{1, 2, 3}), harp.Of([]float64{1, 10, 2})}, []harp.Array{harp.OfScalar(&value), harp.Of(dx), harp.Of(dw)}))
	equal(t, []float64{value}, []float64{1 + 400 + 36})
	equal(t, dx, []float64{2, 400, 24})
	equal(t, dw, []float64{2, 80, 36})
	must(t, zeros[0].Err())
}

func TestTextAndPictures(t *testing.T) {
	g, err := newContext(t).ParseGraph("graph f(x: f32[n]) {\n  return y = x * x\n}\n")
	must(t, err)
	text, err := g.Text()
	must(t, err)
	if !strings.Contains(text, "graph f(x: f32[n])") {
		t.Error(text)
	}
	dot, err := g.Dot()
	must(t, err)
	if !strings.HasPrefix(dot, "digraph") {
		t.Error(dot)
	}
	if _, err := newContext(t).ParseGraph("graph f("); !errors.Is(err, harp.ErrParse) {
		t.Error(err)
	}
	p, err := g.Compile(nil)
	must(t, err)
	source, err := p.Source()
	must(t, err)
	if !strings.Contains(source, "entry_point") {
		t.Error(source)
	}
	kernels, err := p.Kernels()
	must(t, err)
	if kernels != 1 {
		t.Errorf("%d kernels", kernels)
	}
}

func TestSizes(t *testing.T) {
	g := newGraph(t, 0)
	n := g.DimVar("n", 1, 100)
	if got := g.DimText(g.DimAdd(g.DimMul(n, 2), 1)); got != "2*n + 1" {
		t.Error(got)
	}
	x := g.Input("x", harp.F32, n, g.DimFloorDiv(8, 2))
	shape := x.Shape()
	if len(shape) != 2 || shape[0] != n || shape[1] != 4 {
		t.Error(shape)
	}
	bad := g.DimVar("1", 0, 1)
	if bad != harp.DimInvalid {
		t.Error("a name that is none is taken")
	}
	g.Output("n", g.Size(n)) // the graph can be used further
	for _, err := range []error{g.Input("z", harp.F32, g.DimAdd(bad, 1)).Err(), x.Reshape(bad).Err()} {
		if !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), `"1" is not a valid name`) {
			t.Errorf("what is made of a size that there is not: %v", err)
		}
	}
	p, err := g.Compile(nil)
	must(t, err)
	size := int64(0)
	err = p.CallContext(context.Background(), &harp.RunOptions{ShapeVars: map[string]int64{"n": 7}},
		[]harp.Array{harp.Of(make([]float32, 28), 7, 4)}, []harp.Array{harp.OfScalar(&size)})
	if err != nil || size != 7 {
		t.Error(size, err)
	}
}

func TestClosing(t *testing.T) {
	ctx := newContext(t)
	g := ctx.NewGraph(0)
	g.Output("y", g.Input("x", harp.F32, 2).Exp())
	p, err := g.Compile(nil)
	must(t, err)
	b, err := harp.BufferOf(ctx, []float32{1, 2})
	must(t, err)
	g.Close()
	g.Close()
	if err := g.Input("z", harp.F32).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	ctx.Close()
	late := ctx.NewGraph(0)
	late.Output("y", late.Input("x", harp.F32))
	if _, err := late.Compile(nil); !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), "context is closed") {
		t.Error(err)
	}
	if _, err := p.Run(b); err != nil { // the program still runs, although its graph and its context are closed
		t.Error(err)
	}
	b.Close()
	if _, err := p.Run(b); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := p.Run(nil); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	p.Close()
	if err := p.Call(nil, nil); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestLog(t *testing.T) {
	var mutex sync.Mutex
	var texts []string
	ctx, err := harp.NewContext(harp.Options{MemoryOnly: true, LogLevel: harp.LogDebug, Log: func(level harp.LogLevel, text string) {
		mutex.Lock()
		defer mutex.Unlock()
		texts = append(texts, text)
	}})
	must(t, err)
	defer ctx.Close()
	g := ctx.NewGraph(0)
	g.Output("y", g.Input("x", harp.F32, 2).Exp())
	_, err = g.Compile(nil)
	must(t, err)
	mutex.Lock()
	defer mutex.Unlock()
	if len(texts) == 0 {
		t.Error("no message of a compilation at the level debug")
	}
}

func TestRunsAreCancelled(t *testing.T) {
	g := newGraph(t, 0)
	n := g.DimVar("n", 0, 1<<24)
	x := g.Input("x", harp.F64, n)
	y := x
	for i := 0; i < 60; i++ {
		y = y.Sin().Exp().Tanh()
	}
	g.Output("y", y)
	p, err := g.Compile(nil)
	must(t, err)
	in, out := make([]float64, 1<<22), make([]float64, 1<<22)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err = p.CallContext(ctx, nil, []harp.Array{harp.Of(in)}, []harp.Array{harp.Of(out)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	must(t, p.CallContext(context.Background(), nil, []harp.Array{harp.Of(in[:10])}, []harp.Array{harp.Of(out[:10])}))
}

func TestCompilersAreStopped(t *testing.T) {
	folder := t.TempDir()
	compiler, begun := filepath.Join(folder, "cc"), filepath.Join(folder, "begun")
	script := "#!/bin/sh\ncase \"$*\" in *--version*) echo slow 1.0; exit 0;; esac\ntouch " + begun + "\nsleep 100000\n"
	must(t, os.WriteFile(compiler, []byte(script), 0o755))
	slow, err := harp.NewContext(harp.Options{MemoryOnly: true, Compiler: compiler, CompileTimeout: 24 * time.Hour})
	must(t, err)
	g := slow.NewGraph(0)
	g.Output("y", g.Input("x", harp.F64, 102).Exp().Sum())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if _, err := os.Stat(begun); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := g.CompileContext(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must(t, g.Input("later", harp.F64).Err()) // this call would wait for ever if the cancelled compiler still ran
}

func TestCompilationsAreGivenUp(t *testing.T) {
	g := newGraph(t, 0)
	g.Output("y", g.Input("x", harp.F64, 100).Exp().Sum())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.CompileContext(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Microsecond)
	defer cancel()
	if _, err := g.CompileContext(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	must(t, g.Input("later", harp.F64).Err()) // this call waits until the cancelled compilation has ended
	if _, err := g.Compile(nil); err != nil {
		t.Error(err)
	}
	slow, err := harp.NewContext(harp.Options{MemoryOnly: true, CompileTimeout: time.Millisecond})
	must(t, err)
	g = slow.NewGraph(0)
	g.Output("y", g.Input("x", harp.F64, 101).Exp().Sum())
	if _, err := g.Compile(nil); !errors.Is(err, harp.ErrCompiler) {
		t.Errorf("a compilation of 1 ms: %v", err)
	}
}

func TestShapeVarsByName(t *testing.T) {
	g := newGraph(t, 0)
	n := g.DimVar("n", 0, 10)
	g.Output("y", g.Arange(harp.I64, 0, n, 1))
	p, err := g.Compile(nil)
	must(t, err)
	out := make([]int64, 4)
	options := &harp.RunOptions{ShapeVars: map[string]int64{"n": 4}}
	must(t, p.CallContext(context.Background(), options, nil, []harp.Array{harp.Of(out)}))
	equal(t, out, []int64{0, 1, 2, 3})
	made, err := p.RunContext(context.Background(), options)
	must(t, err)
	equal(t, made[0].Shape(), []int{4})
	_, err = p.RunContext(context.Background(), &harp.RunOptions{ShapeVars: map[string]int64{"n": 11}})
	if !errors.Is(err, harp.ErrRange) {
		t.Error(err)
	}
}

func TestConcurrentRuns(t *testing.T) {
	g := newGraph(t, 0)
	n := g.DimVar("n", 0, 1000)
	x := g.Input("x", harp.F64, n)
	g.Output("y", x.Exp().Sum())
	p, err := g.Compile(nil)
	must(t, err)
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func(size int) {
			defer wait.Done()
			in, out := make([]float64, size), 0.0
			for k := 0; k < 200; k++ {
				if err := p.Call([]harp.Array{harp.Of(in)}, []harp.Array{harp.OfScalar(&out)}); err != nil || out != float64(size) {
					t.Errorf("%v, %v", out, err)
					return
				}
			}
		}(10 * i)
	}
	wait.Wait()
	// Programs are closed while they run: the runs succeed, or return the error that the program is closed.
	for i := 0; i < 4; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			out := 0.0
			for {
				if err := p.Call([]harp.Array{harp.Of(make([]float64, 100))}, []harp.Array{harp.OfScalar(&out)}); err != nil {
					if !errors.Is(err, harp.ErrInvalidArgument) {
						t.Error(err)
					}
					return
				}
			}
		}()
	}
	time.Sleep(5 * time.Millisecond)
	p.Close()
	wait.Wait()
}

func TestElements(t *testing.T) {
	type celsius float32
	for got, want := range map[harp.DType]harp.DType{
		harp.DTypeOf[bool](): harp.Bool, harp.DTypeOf[int8](): harp.I8, harp.DTypeOf[uint8](): harp.U8, harp.DTypeOf[int16](): harp.I16,
		harp.DTypeOf[uint16](): harp.U16, harp.DTypeOf[int32](): harp.I32, harp.DTypeOf[uint32](): harp.U32, harp.DTypeOf[int64](): harp.I64,
		harp.DTypeOf[uint](): harp.U64, harp.DTypeOf[celsius](): harp.F32, harp.DTypeOf[float64](): harp.F64,
		harp.DTypeOf[complex64](): harp.Complex64, harp.DTypeOf[complex128](): harp.Complex128, harp.DTypeOf[harp.Float16](): harp.F16,
		harp.DTypeOf[harp.BFloat16](): harp.BF16,
	} {
		if got != want {
			t.Errorf("%v, expected %v", got, want)
		}
	}
	for bits, want := range map[harp.Float16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 1.0 / (1 << 24), 0x8000: 0, 0x7c00: float32(math.Inf(1))} {
		if got := bits.Float32(); got != want {
			t.Errorf("%#x is %v, expected %v", uint16(bits), got, want)
		}
	}
	if harp.F32.String() != "f32" || harp.Complex128.Size() != 16 || harp.DType(-1).Size() != 0 {
		t.Error("names and sizes")
	}
}
