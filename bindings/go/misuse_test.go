package harp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"harp"
)

// Tests of calls that are wrong, or that come at an unusual moment. Such a call returns an error that describes the mistake, or it works.

// If the address of an array is passed to C as a void*, cgo looks for Go pointers in the object that contains the array.
func TestArraysInStructsWithPointers(t *testing.T) {
	type holder struct {
		next *holder
		data [4]float32
		one  float32
	}
	h := &holder{next: &holder{}, data: [4]float32{1, 2, 3, 4}}
	g := newGraph(t, harp.Broadcast)
	x := g.Input("x", harp.F32, 4)
	g.Output("y", x.Mul(g.ConstArray(harp.Of(h.data[:]))).Sum())
	p, err := g.Compile(nil)
	must(t, err)
	must(t, p.Call([]harp.Array{harp.Of(h.data[:])}, []harp.Array{harp.OfScalar(&h.one)}))
	if h.one != 30 {
		t.Error(h.one)
	}
	h.one = 0
	must(t, p.CallContext(context.Background(), nil, []harp.Array{harp.Of(h.data[:])}, []harp.Array{harp.OfScalar(&h.one)}))
	if h.one != 30 {
		t.Error(h.one)
	}
	equal(t, values[float32](t, harp.FromSlice(h.data[1:3])), []float32{2, 3})
}

func TestArraysThatAreNone(t *testing.T) {
	g := newGraph(t, 0)
	n, m := g.DimVar("n", 0, 1<<40), g.DimVar("m", 0, 1<<40)
	x := g.Input("x", harp.F32, n, m)
	g.Output("y", x.Sum())
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	one := float32(0)
	out := []harp.Array{harp.OfScalar(&one)}
	two := []float32{1, 2}
	for name, c := range map[string]struct {
		in   harp.Array
		want harp.Code
	}{
		"a product that wraps":    {harp.Of(two, 3, 0x5555555555555556), harp.ErrShape}, // 2 modulo 2^64
		"a product that wraps, 0": {harp.Of(two[:0], 1<<32, 1<<32), harp.ErrShape},
		"negative sizes":          {harp.Of(two, -1, -2), harp.ErrShape},
		"another rank":            {harp.Of(two), harp.ErrShape},
		"a rank above 16":         {harp.Of(two[:1], 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), harp.ErrShape},
		"nothing":                 {harp.Array{}, harp.ErrShape},
		"another dtype":           {harp.Of([]int32{1, 2}, 1, 2), harp.ErrDType},
		"no variable":             {harp.OfScalar[float32](nil), harp.ErrInvalidArgument},
	} {
		var e *harp.Error
		if err := p.Call([]harp.Array{c.in}, out); !errors.Is(err, c.want) || !errors.As(err, &e) || e.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.CallContext(context.Background(), nil, []harp.Array{c.in}, out); !errors.Is(err, c.want) {
			t.Errorf("%s, with a context: %v", name, err)
		}
	}
	must(t, p.Call([]harp.Array{harp.Of(two[:0], 0, 1<<30)}, out)) // valid: the array has no elements, although one axis is long
	for _, lists := range [][2][]harp.Array{{nil, out}, {{harp.Of(two, 1, 2)}, nil}, {{harp.Of(two, 1, 2), harp.Of(two, 1, 2)}, out}} {
		if err := p.Call(lists[0], lists[1]); !errors.Is(err, harp.ErrInvalidArgument) {
			t.Errorf("%d and %d arrays: %v", len(lists[0]), len(lists[1]), err)
		}
	}
	if err := p.Call([]harp.Array{harp.Of(two, 1, 2)}, []harp.Array{harp.OfScalar[float32](nil)}); err == nil {
		t.Error("an output that is nil")
	}
	if err := p.Call([]harp.Array{harp.Of(two, 1, 2)}, []harp.Array{harp.OfScalar(&two[1])}); !errors.Is(err, harp.ErrAlias) {
		t.Errorf("an output in an input: %v", err)
	}
	if err := g.ConstArray(harp.Of(two, 3)).Err(); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	if _, err := newContext(t).NewBuffer(harp.F32, 1<<40); !errors.Is(err, harp.ErrOutOfMemory) {
		t.Error(err)
	}
	if _, err := newContext(t).NewBuffer(harp.Unknown, 1); err == nil {
		t.Error("a buffer without a dtype")
	}
}

func TestNamesWithZeroBytes(t *testing.T) {
	g := newGraph(t, 0)
	g.Output("whole\x00name", g.Input("in", harp.F32))
	if text, err := g.Text(); err != nil || !strings.Contains(text, "name") {
		t.Error(text, err)
	}
	if g.DimVar("n\x00", 0, 1) != harp.DimInvalid {
		t.Error("a size with a zero byte")
	}
	x := g.Input("x", harp.F32, 2)
	if err := x.Gelu("tanh\x00").Err(); err == nil {
		t.Error("a word with a zero byte")
	}
	ctx := newContext(t)
	if _, err := ctx.ParseGraph("graph f(x: f32[2]) {\n return y = x\n}\x00"); !errors.Is(err, harp.ErrParse) {
		t.Error(err)
	}
	b, err := harp.BufferOf(ctx, []float32{1})
	must(t, err)
	folder := t.TempDir()
	if err := b.SaveNpy(filepath.Join(folder, "a\x00b")); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Error(left)
	}
	if _, err := ctx.LoadNpy("a\x00"); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := harp.NewContext(harp.Options{CacheDir: "/tmp\x00/x"}); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestNumbersBeyondC(t *testing.T) {
	x := harp.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	for _, y := range []*harp.Tensor{x.Argmax(1 << 32), x.Sum(1 << 32), x.Cumsum(1+1<<32, 0), harp.Concat(-1<<32, x, x)} {
		if !errors.Is(y.Err(), harp.ErrShape) {
			t.Errorf("an axis that C would cut to 0: %v", y)
		}
	}
	for _, options := range []harp.Options{{Threads: 1<<32 + 1}, {CompilerNice: 1 << 32}, {Compilers: -1<<32 + 1}, {CompileTimeout: -1}} {
		options.MemoryOnly = true
		if _, err := harp.NewContext(options); !errors.Is(err, harp.ErrInvalidArgument) && !errors.Is(err, harp.ErrRange) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	ctx, err := harp.NewContext(harp.Options{MemoryOnly: true, CompileTimeout: time.Nanosecond}) // rounded to 1 ms, not to 0, which would mean one minute
	must(t, err)
	g := ctx.NewGraph(0)
	g.Output("y", g.Input("x", harp.F64, 102).Exp().Sum())
	if _, err := g.Compile(nil); !errors.Is(err, harp.ErrCompiler) {
		t.Errorf("a compilation of a nanosecond: %v", err)
	}
}

func TestObjectsThatNobodyMade(t *testing.T) {
	var tensor harp.Tensor
	x := harp.FromSlice([]float32{1})
	for _, err := range []error{tensor.Err(), tensor.Exp().Err(), x.Add(&tensor).Err(), tensor.Realize(), harp.Grad(&tensor, x)[0].Err(),
		harp.Default().TensorOf(nil).Err(), harp.Default().TensorOf(&harp.Buffer{}).Err()} {
		if !errors.Is(err, harp.ErrInvalidArgument) {
			t.Error(err)
		}
	}
	var nothing *harp.Tensor
	nothing.Close()
	tensor.Close()
	var g harp.Graph
	g.Close()
	if err := g.Input("x", harp.F32).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := g.Compile(nil); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	var b harp.Buffer
	b.Close()
	if err := harp.Read(&b, []float32{}); err == nil {
		t.Error("a buffer that nobody made is read")
	}
	if err := b.SaveNpy("x.npy"); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

// Objects are closed twice, in any order, while they are used; meanwhile, the garbage collector frees unreachable objects.
func TestClosingWhatOthersUse(t *testing.T) {
	ctx := newContext(t)
	g := ctx.NewGraph(0)
	n := g.DimVar("n", 0, 1<<20)
	g.Output("y", g.Input("x", harp.F64, n).Exp().Sum())
	p, err := g.Compile(nil)
	must(t, err)
	var wait sync.WaitGroup
	begun := make(chan bool, 6)
	for i := 0; i < 6; i++ {
		b, err := harp.BufferOf(ctx, make([]float64, 1000))
		must(t, err)
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			for k := 0; ; k++ {
				var err error
				if i%2 == 0 {
					var made []*harp.Buffer
					if made, err = p.Run(b); err == nil {
						go made[0].Close()
						made[0].Close()
					}
				} else {
					one := 0.0
					err = p.CallContext(context.Background(), nil, []harp.Array{harp.Of(make([]float64, 1000))}, []harp.Array{harp.OfScalar(&one)})
				}
				if k == 3 {
					begun <- true
				}
				if err != nil {
					if !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), "closed") {
						t.Error(err)
					}
					return
				}
			}
		}(i)
	}
	for i := 0; i < 6; i++ {
		<-begun
	}
	runtime.GC()
	for i := 0; i < 2; i++ {
		for _, object := range []interface{ Close() }{ctx, g, p} {
			wait.Add(1)
			go func(object interface{ Close() }) {
				defer wait.Done()
				object.Close()
			}(object)
		}
	}
	wait.Wait()
}

// A program, its graph and its context are all unreachable while a run goes on.
func TestCollectionWhileRunning(t *testing.T) {
	var wait sync.WaitGroup
	for i := 0; i < 4; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			ctx, err := harp.NewContext(harp.Options{MemoryOnly: true})
			if err != nil {
				t.Error(err)
				return
			}
			g := ctx.NewGraph(0)
			g.Output("y", g.Input("x", harp.F64, 20000).Sin().Cos().Exp().Sum())
			p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
			if err != nil {
				t.Error(err)
				return
			}
			b, err := harp.BufferOf(ctx, make([]float64, 20000))
			if err != nil {
				t.Error(err)
				return
			}
			made, err := p.Run(b)
			if err != nil {
				t.Error(err)
				return
			}
			one := make([]float64, 1)
			if err := harp.Read(made[0], one); err != nil || math.Abs(one[0]-20000*math.E) > 1e-6 {
				t.Error(one, err)
			}
		}()
	}
	done := make(chan bool)
	go func() { wait.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			runtime.GC()
		}
	}
}

// A caller whose context is done returns at once, although others go on compiling. The log function delays the first compilation.
func TestCompilationsThatWaitAreGivenUp(t *testing.T) {
	var armed atomic.Bool
	begun, release := make(chan bool, 1), make(chan bool)
	harpContext, err := harp.NewContext(harp.Options{MemoryOnly: true, LogLevel: harp.LogDebug, Log: func(harp.LogLevel, string) {
		if !armed.Load() {
			return
		}
		select {
		case begun <- true:
		default:
		}
		<-release
	}})
	must(t, err)
	g := harpContext.NewGraph(0)
	x := g.Input("x", harp.F64, 103).Exp()
	g.Output("y", x)
	armed.Store(true)
	done := make(chan error, 2)
	go func() {
		_, err := g.Compile(nil)
		done <- err
	}()
	<-begun
	go func() { done <- g.Input("later", harp.F64).Err() }() // waits for the compilation; later compilations wait for this call
	given := make(chan error)
	go func() {
		defer close(given)
		for i := 0; i < 20; i++ {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
			_, err := g.CompileContext(ctx, nil)
			given <- err
			_, err = g.CompileNodesContext(ctx, nil, x)
			given <- err
			cancel()
		}
	}()
	for tooLong := time.After(time.Minute); ; {
		select {
		case err, more := <-given:
			if more && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if more {
				continue
			}
		case <-tooLong:
			t.Error("it waits for the other compilation")
		}
		break
	}
	close(release)
	must(t, <-done)
	must(t, <-done)
	for range given { // so that all goroutines end even if the test failed
	}
}

func TestPanicsOfLogFunctions(t *testing.T) {
	ctx, err := harp.NewContext(harp.Options{MemoryOnly: true, LogLevel: harp.LogDebug, Log: func(harp.LogLevel, string) { panic("no") }})
	must(t, err)
	defer ctx.Close()
	equal(t, values[float64](t, harp.FromSliceIn(ctx, []float64{1, 2}).Add(harp.Number(1))), []float64{2, 3})
}

func TestJitOfFunctionsThatFail(t *testing.T) {
	x := harp.FromSlice([]float32{1, 2})
	fails := true
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		if fails {
			panic("not yet")
		}
		return []*harp.Tensor{x[0].Exp()}
	})
	for i := 0; i < 2; i++ {
		func() {
			defer func() {
				if fmt.Sprint(recover()) != "not yet" {
					t.Error("the panic is lost")
				}
			}()
			_, _ = f.Call(x)
		}()
	}
	fails = false
	must2(f.Call(x))
	for name, wrong := range map[string]func(x ...*harp.Tensor) []*harp.Tensor{
		"no results": func(x ...*harp.Tensor) []*harp.Tensor { return nil },
		"nil":        func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{nil} },
		"a mistake":  func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{x[0].Reshape(3)} },
	} {
		if _, err := harp.Jit(wrong).Call(x); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := f.Call(x, nil); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestJitInJit(t *testing.T) {
	double := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{x[0].Mul(harp.Number(2))} })
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		y, err := double.Call(x[0].Square())
		must(t, err)
		return []*harp.Tensor{y[0], harp.Grad(y[0].Sum(), x[0])[0], x[0].Mul(x[1])}
	})
	made := must2(f.Call(harp.FromSlice([]float64{1, 3}), harp.Number(10))) // a Number becomes an array
	equal(t, values[float64](t, made[0]), []float64{2, 18})
	equal(t, values[float64](t, made[1]), []float64{4, 12})
	equal(t, values[float64](t, made[2]), []float64{10, 30})
	for _, ctx := range []*harp.Context{newContext(t), newContext(t)} { // each context has its own programs
		before, err := ctx.CacheStats()
		must(t, err)
		equal(t, values[float64](t, must2(double.Call(harp.FromSliceIn(ctx, []float64{4})))[0]), []float64{8})
		after, err := ctx.CacheStats()
		must(t, err)
		if after.Misses+after.MemoryHits == before.Misses+before.MemoryHits {
			t.Error("it ran in another context")
		}
	}
}

// A gradient stops at arrays that were computed before. If it would therefore leave out a part of the computation, it is an error instead
// of a wrong number.
func TestGradientsOfWhatWasComputedOnTheWay(t *testing.T) {
	x := harp.FromSlice([]float64{1, 2})
	y := x
	for i := 0; i < 2500; i++ { // more operations than one program may contain
		y = y.Add(x)
	}
	if err := harp.Grad(y.Sum(), x)[0].Err(); !errors.Is(err, harp.ErrNoGradient) || !strings.Contains(err.Error(), "computed before") {
		t.Errorf("parts are left out: %v", err)
	}
	square := x.Square()
	_ = square.String() // reads the values, so the tensor is computed
	loss := square.Mul(x).Sum()
	if err := harp.Grad(loss, x)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
	equal(t, values[float64](t, harp.Grad(loss, square)[0]), []float64{1, 2})
	if err := harp.Grad(loss, square, x)[1].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Errorf("what x gives through square is left out: %v", err)
	}
	twice := square.Mul(harp.Number(2)) // square was not computed from twice, so the gradient leaves nothing out
	equal(t, values[float64](t, harp.Grad(twice.Mul(square).Sum(), twice)[0]), []float64{1, 4})
	w := harp.FromSlice([]float64{3, 4})
	equal(t, values[float64](t, harp.Grad(square.Mul(w).Sum(), w)[0]), []float64{1, 4}) // square was not computed from w
	must(t, square.Realize())                                                           // Realize makes square a constant, so its origins no longer matter
	equal(t, values[float64](t, harp.Grad(loss, x)[0]), []float64{1, 4})

	jitted := must2(harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{x[0].Exp()} }).Call(x))[0]
	if err := harp.Grad(jitted.Mul(x).Sum(), x)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
	// The values of many steps are read. x is then too old to be in the list of z's origins, but the gradient with respect to x still fails.
	z := x.Mul(x)
	for i := 0; i < 40; i++ {
		z = z.Add(harp.Number(1))
		_ = z.String()
	}
	if err := harp.Grad(z.Mul(x).Sum(), x)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
	late := harp.FromSlice([]float64{1, 1})
	equal(t, values[float64](t, harp.Grad(z.Mul(late).Sum(), late)[0]), []float64{41, 44})
}

func TestEmptyLists(t *testing.T) {
	g := newGraph(t, 0)
	for op, err := range map[string]error{
		"concat": g.Concat(0).Err(), "stack": g.Stack(0).Err(), "einsum": g.Einsum("->").Err(),
		"custom_elementwise": g.CustomElementwise("1").Err(),
	} {
		want := op + ": expected at least one node, got an empty list"
		if !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := harp.Concat(0).Err(); !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), "concat: expected at least one node") {
		t.Error(err)
	}
}

// Gradients with respect to a tensor that was pending when y was recorded from it, and has been computed since: Grad still finds it in y.
func TestGradientsOfWhatWasComputedLater(t *testing.T) {
	for name, compute := range map[string]func(*harp.Tensor){
		"Realize": func(mid *harp.Tensor) { must(t, mid.Realize()) },
		"String":  func(mid *harp.Tensor) { _ = mid.String() },
	} {
		x := harp.FromSlice([]float64{1, 2})
		mid := x.Square()
		before, lost := mid.Mul(harp.Number(3)).Sum(), mid.Mul(harp.Number(2))
		compute(mid)
		equal(t, values[float64](t, harp.Grad(before, mid)[0]), []float64{3, 3})
		equal(t, values[float64](t, harp.Grad(before, x)[0]), []float64{6, 12})
		both := before.Add(mid.Square().Sum())
		equal(t, values[float64](t, harp.Grad(both, mid)[0]), []float64{5, 11})
		gradients := harp.Grad(before.Mul(mid.Sum()).Add(x.Sum()), x.Mul(harp.Number(1)), mid)
		if err := gradients[1].Err(); !errors.Is(err, harp.ErrNoGradient) {
			t.Errorf("%s: no gradient with respect to one of two: %v", name, err)
		}
		second := harp.Grad(harp.Grad(before.Square(), mid)[0].Sum(), mid)[0] // 2 * 3 * 3 for each of two elements
		equal(t, values[float64](t, second), []float64{36, 36})
		_ = lost.String()
		if err := harp.Grad(lost.Mul(mid).Sum(), mid)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
			t.Errorf("%s: what was computed from mid while it was pending is left out: %v", name, err)
		}
	}
	// One result of several.
	x := harp.FromSlice([]float64{1, 2, 3, 4})
	parts := x.Exp().Split(2, 0)
	sum := parts[1].Mul(parts[0]).Sum()
	must(t, harp.Realize(parts[1]))
	equal(t, values[bool](t, harp.Grad(sum, parts[1])[0].Eq(parts[0])), []bool{true, true})
	// A result that depends on mid only through bools, which have no gradient.
	mid := x.Square()
	positive := mid.Gt(harp.Number(0)).Cast(harp.F64).Sum()
	must(t, mid.Realize())
	equal(t, values[float64](t, harp.Grad(positive.Add(mid.Sum()), mid)[0]), []float64{1, 1, 1, 1})
	if err := harp.Grad(positive, mid)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
}

// Gradients with respect to tensors that are computed from no array (Linspace), and in traced functions.
func TestGradientsOfConstantsAndJit(t *testing.T) {
	line, other := harp.Linspace(harp.F64, 0, 1, 2), harp.Linspace(harp.F64, 1, 2, 2)
	scaled := line.Mul(harp.Number(2))
	_ = scaled.String()
	if err := harp.Grad(scaled.Mul(line).Sum(), line)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Errorf("scaled was computed from line: %v", err)
	}
	equal(t, values[float64](t, harp.Grad(scaled.Mul(other).Sum(), other)[0]), []float64{0, 2}) // scaled was not computed from other

	w := harp.FromSlice([]float64{3, 4})
	square := w.Square()
	for _, c := range []struct {
		from *harp.Tensor
		lost bool
	}{{square, true}, {harp.FromSlice([]float64{5, 6}), false}} {
		made, err := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
			return harp.Grad(x[0].Mul(c.from).Mul(w).Sum(), w)
		}).Call(harp.FromSlice([]float64{1, 1}))
		if c.lost != errors.Is(err, harp.ErrNoGradient) {
			t.Errorf("a function uses w and an array computed from it: %v, %v", made, err)
		}
	}
	captured := must2(harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor { return []*harp.Tensor{x[0].Mul(w)} }).Call(harp.FromSlice([]float64{1, 1})))[0]
	if err := harp.Grad(captured.Mul(w).Sum(), w)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Errorf("a result of Jit was computed from w, which the function captured: %v", err)
	}
}

func TestBigGraphs(t *testing.T) {
	g := newGraph(t, 0)
	x := g.Input("x", harp.I64, 2)
	y := x
	for i := 0; i < 20000; i++ {
		y = y.Add(x)
	}
	g.Output("y", y)
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	out := make([]int, 2)
	must(t, p.Call([]harp.Array{harp.Of([]int{1, 2})}, []harp.Array{harp.Of(out)}))
	equal(t, out, []int{20001, 40002})
	deep := harp.FromSlice([]int{1})
	for i := 0; i < 62; i++ { // each step uses deep twice: written out as a tree, the computation would have 2^62 leaves
		deep = deep.Add(deep)
	}
	equal(t, values[int](t, deep), []int{1 << 62})
}
