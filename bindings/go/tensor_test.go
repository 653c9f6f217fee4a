package harp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"harp"
)

func values[T harp.Element](t *testing.T, x *harp.Tensor) []T {
	t.Helper()
	made, err := harp.Slice[T](x)
	must(t, err)
	return made
}

func TestLazyTensors(t *testing.T) {
	x := harp.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	y := x.Matmul(x).Add(harp.Number(0.5)).Sum(1)
	if y.DType() != harp.F32 || fmt.Sprint(y.Shape()) != "[2]" || y.Rank() != 1 || y.Dim(-1) != 2 {
		t.Errorf("%v %v", y.DType(), y.Shape())
	}
	equal(t, values[float32](t, y), []float32{18, 38})
	equal(t, values[float32](t, y.Neg()), []float32{-18, -38}) // y is already computed
	if y.String() != "[18 38]" {
		t.Error(y)
	}
	if item, err := harp.Item[float32](y.Sum()); err != nil || item != 56 {
		t.Error(item, err)
	}
	if _, err := harp.Item[float32](y); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	if _, err := harp.Slice[float64](y); !errors.Is(err, harp.ErrDType) {
		t.Error(err)
	}
}

// One program serves all computations of the same structure. The values of the arrays do not matter, but repeated uses of one array do.
func TestEachStructureIsCompiledOnce(t *testing.T) {
	ctx := newContext(t)
	from := func(v ...float64) *harp.Tensor { return harp.FromSliceIn(ctx, v) }
	count := func() uint64 {
		stats, err := ctx.CacheStats()
		must(t, err)
		return stats.Misses + stats.MemoryHits
	}
	before := count()
	for i := 0; i < 5; i++ {
		a, b := from(1, float64(i)), from(10, 20)
		equal(t, values[float64](t, a.Mul(b).Add(harp.Number(float64(i)))), []float64{10 + float64(i), 21 * float64(i)})
	}
	if got := count() - before; got != 1 {
		t.Errorf("%d compilations of one structure", got)
	}
	a, b := from(1, 2), from(30, 40)
	equal(t, values[float64](t, a.Add(a)), []float64{2, 4})
	equal(t, values[float64](t, a.Add(b)), []float64{31, 42})
	equal(t, values[float64](t, b.Add(b)), []float64{60, 80})
	equal(t, values[float64](t, a.Sub(b)), []float64{-29, -38})
	equal(t, values[float64](t, b.Sub(a)), []float64{29, 38})
	c := a.Mul(b)
	equal(t, values[float64](t, c.Sub(b.Mul(a)).Add(a)), []float64{1, 2})
	equal(t, values[float64](t, c.Sub(b.Mul(a)).Add(b)), []float64{30, 40})
	equal(t, values[float64](t, b.Sub(a).Mul(b)), []float64{29 * 30, 38 * 40})
	equal(t, values[float64](t, b.Sub(a).Mul(a)), []float64{29, 76})
}

func TestNumbers(t *testing.T) {
	i := harp.FromSlice([]int32{1, 2})
	b := harp.FromSlice([]bool{true, false})
	half := harp.FromSlice([]float32{1, 2}).Cast(harp.F16)
	for _, c := range []struct {
		x    *harp.Tensor
		want harp.DType
		text string
	}{
		{i.Add(harp.Number(2)), harp.I32, "[3 4]"},
		{i.Add(harp.Number(0.5)), harp.F32, "[1.5 2.5]"},
		{i.Add(harp.Number(uint8(200))), harp.I32, "[201 202]"},
		{harp.Number(1).Sub(i), harp.I32, "[0 -1]"},
		{b.Where(harp.Number(1.5), i), harp.F32, "[1.5 2]"},
		{half.Mul(harp.Number(0.5)), harp.F16, "[0.5 1]"},
		{harp.Number(1).Add(harp.Number(2)), harp.I64, "3"},
		{harp.Number(1.5).Full(2), harp.F64, "[1.5 1.5]"},
		{harp.Scalar(float32(2)).Full(1, 2), harp.F32, "[[2 2]]"},
	} {
		if c.x.DType() != c.want || c.x.String() != c.text {
			t.Errorf("%v %v, expected %v %s", c.x.DType(), c.x, c.want, c.text)
		}
	}
	if err := harp.FromSlice([]int8{1}).Add(harp.Number(300)).Err(); !errors.Is(err, harp.ErrRange) {
		t.Error(err)
	}
	if err := harp.Number(1).Realize(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestTensorMistakes(t *testing.T) {
	a, b := harp.FromSlice([]float32{1, 2, 3}), harp.FromSlice([]float32{1, 2})
	bad := a.Add(b)
	if !errors.Is(bad.Err(), harp.ErrShape) || !strings.Contains(bad.Err().Error(), "[3] and [2]") {
		t.Error(bad.Err())
	}
	if bad.Exp().Sum().Err() != bad.Err() || bad.Realize() != bad.Err() || bad.Shape() != nil || bad.DType() != harp.Unknown {
		t.Error("a mistake is not kept")
	}
	if !strings.HasPrefix(bad.String(), "error: harp: ") {
		t.Error(bad.String())
	}
	if err := a.Add(nil).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	var none *harp.Tensor
	if err := none.Add(a).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if err := none.Realize(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if err := harp.FromSlice([]float32{1, 2, 3}, 2, 2).Err(); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	if err := a.Add(harp.FromSliceIn(newContext(t), []float32{1, 2, 3})).Err(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	closed := harp.FromSlice([]float32{1})
	lazy := closed.Exp()
	closed.Close()
	if err := lazy.Realize(); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestSeveralTensorsAreOneProgram(t *testing.T) {
	ctx := newContext(t)
	x := harp.FromSliceIn(ctx, []float64{3, 1, 2})
	e := x.Exp()
	sum, scaled := e.Sum(), e.Div(e.Sum())
	must(t, harp.Realize(sum, scaled, sum, x))
	stats, err := ctx.CacheStats()
	must(t, err)
	if n := stats.Misses + stats.MemoryHits; n != 1 {
		t.Errorf("%d programs", n)
	}
	total := 0.0
	for _, v := range values[float64](t, scaled) {
		total += v
	}
	if math.Abs(total-1) > 1e-12 {
		t.Error(total)
	}
	top, where := x.Topk(2, 0, true)
	equal(t, values[float64](t, top), []float64{3, 2})
	equal(t, values[int64](t, where), []int64{0, 2})
	parts := x.Split(3, 0)
	equal(t, values[float64](t, harp.Concat(0, parts[2], parts[0])), []float64{2, 3})
	grid := harp.Meshgrid("ij", x, x)
	equal(t, values[float64](t, grid[1].Sub(grid[0]).Sum(0)), []float64{3, -3, 0})
	if bad := x.Split(2, 0); !errors.Is(bad[0].Err(), harp.ErrShape) {
		t.Error(bad[0].Err())
	}
}

// Each kind of parameter is passed on: lists that are given or not, texts, flags, options, tested on some of the operations that have them.
func TestParameters(t *testing.T) {
	x := harp.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, c := range map[string]struct {
		x    *harp.Tensor
		want string
	}{
		"sum of all":          {x.Sum(), "21"},
		"sum along":           {x.Sum(0), "[5 7 9]"},
		"sum, axes stay":      {x.SumKeepdims(1), "[[6] [15]]"},
		"var":                 {x.Var(1, 1), "[1 1]"},
		"transpose":           {x.Transpose(), "[[1 4] [2 5] [3 6]]"},
		"permute":             {x.Permute(1, 0), "[[1 4] [2 5] [3 6]]"},
		"reshape":             {x.Reshape(3, -1), "[[1 2] [3 4] [5 6]]"},
		"slice":               {x.Slice([]harp.Dim{0, 1}, nil, []int{1, 1}), "[[2 3] [5 6]]"},
		"slice, open":         {x.Slice([]harp.Dim{1, harp.SliceNone}, []harp.Dim{harp.SliceNone, -1}, nil), "[[4 5]]"},
		"pad":                 {x.Pad([]harp.Dim{0, 1}, []harp.Dim{0, 0}, "edge", nil), "[[1 1 2 3] [4 4 5 6]]"},
		"pad with a value":    {x.Pad([]harp.Dim{0, 1}, []harp.Dim{0, 0}, "", harp.Number(9)), "[[9 1 2 3] [9 4 5 6]]"},
		"cumsum":              {x.Cumsum(1, harp.ScanExclusive), "[[0 1 3] [0 4 9]]"},
		"cumsum of all":       {x.Cumsum(harp.AxisNone, 0), "[1 3 6 10 15 21]"},
		"argmax":              {x.Argmax(1), "[2 2]"},
		"take":                {x.Take(harp.FromSlice([]int{2, 0}), 1), "[[3 1] [6 4]]"},
		"roll":                {x.Roll([]harp.Dim{1}, []int{1}), "[[3 1 2] [6 4 5]]"},
		"tile":                {x.Slice(nil, []harp.Dim{1, 1}, nil).Tile(1, 2), "[[1 1]]"},
		"einsum":              {harp.Einsum("ij,kj->ik", x, x), "[[14 32] [32 77]]"},
		"gelu":                {x.Gelu("tanh").Round(), "[[1 2 3] [4 5 6]]"},
		"sort":                {x.Sort(1, true), "[[3 2 1] [6 5 4]]"},
		"where":               {x.Gt(harp.Number(3)).Where(x, harp.Number(0)), "[[0 0 0] [4 5 6]]"},
		"clip":                {x.Clip(harp.Number(2), harp.Number(5)), "[[2 2 3] [4 5 5]]"},
		"arange":              {harp.Arange(harp.I32, 0, 6, 2), "[0 2 4]"},
		"eye":                 {harp.Eye(harp.I32, 2, 2), "[[1 0] [0 1]]"},
		"linspace":            {harp.Linspace(harp.F64, 0, 1, 3), "[0 0.5 1]"},
		"one_hot":             {harp.FromSlice([]int{1, 0}).OneHot(2, harp.I32), "[[0 1] [1 0]]"},
		"norm":                {x.Norm(1), "21"},
		"tensordot":           {x.Tensordot(x, []int{0}, []int{0}).Sum(1), "[66 87 108]"},
		"layer_norm":          {x.LayerNorm(nil, harp.Number(1).Cast(harp.F64).Full(3), 0, 1).Sum(1).Round(), "[3 3]"},
		"avg_pool":            {x.AvgPool(&harp.PoolOptions{Stride: []int{1}}, 2), "[[1.5 2.5] [4.5 5.5]]"},
		"fft":                 {x.Rfft(0, -1, "").Real().Slice(nil, []harp.Dim{2, 1}, nil), "[[6] [15]]"},
		"attention":           {x.ScaledDotProductAttention(x, x, nil, true, nil, false).Slice(nil, []harp.Dim{1, 3}, nil), "[[1 2 3]]"},
		"custom elementwise":  {harp.CustomElementwise("x0 * x0 + 1", x), "[[2 5 10] [17 26 37]]"},
		"custom reduce":       {harp.CustomReduce([]*harp.Tensor{x, x}, "x0 * x1", "sum", 1), "[14 77]"},
		"custom function":     {harp.CustomFunction("output = input0[ridx0, 2]", harp.F64, []harp.Dim{2}, x), "[3 6]"},
		"mse_loss":            {x.MseLoss(x.Add(harp.Number(2)), ""), "4"},
		"random":              {harp.Scalar(uint64(7)).RandomUniform(nil, harp.F32, 1000).Mean().Sub(harp.Number(0.5)).Abs().Lt(harp.Number(0.05)), "true"},
		"complex":             {harp.FromSlice([]complex128{1 + 2i}).Mul(harp.FromSlice([]complex128{2i})), "[(-4+2i)]"},
		"a list that changes": {listThatChanges(x), "[5 7 9]"},
	} {
		if got := c.x.String(); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

// listThatChanges overwrites the list of axes after it was passed to Sum, which must not change the result.
func listThatChanges(x *harp.Tensor) *harp.Tensor {
	axes := []int{0}
	y := x.Sum(axes...)
	axes[0] = 1
	return y
}

func TestTensorGradients(t *testing.T) {
	x, w := harp.FromSlice([]float64{1, 2, 3}), harp.FromSlice([]float64{2, 0, 1})
	loss := x.Mul(w).Square().Sum()
	gradients := harp.Grad(loss, w, x)
	must(t, harp.Realize(loss, gradients[0], gradients[1]))
	equal(t, values[float64](t, gradients[0]), []float64{4, 0, 18})
	equal(t, values[float64](t, gradients[1]), []float64{8, 0, 6})
	if err := harp.Grad(x.Sum(), w)[0].Err(); !errors.Is(err, harp.ErrNoGradient) {
		t.Error(err)
	}
	if harp.Grad(x.Mul(w), w)[0].Err() == nil {
		t.Error("the gradient of three numbers")
	}
	second := harp.Grad(harp.Grad(x.Mul(x).Mul(x).Sum(), x)[0].Sum(), x)
	equal(t, values[float64](t, second[0]), []float64{6, 12, 18})
	// Gradient descent to the solution of least squares: one program for all steps.
	ctx := newContext(t)
	target := harp.FromSliceIn(ctx, []float64{1, -2, 0.5})
	at := harp.FromSliceIn(ctx, []float64{0, 0, 0})
	for step := 0; step < 60; step++ {
		g := harp.Grad(at.Sub(target).Square().Sum(), at)
		at = at.Sub(g[0].Mul(harp.Number(0.25)))
		must(t, at.Realize())
	}
	equal(t, values[float64](t, at.Sub(target).Abs().Lt(harp.Number(1e-12)).Cast(harp.F64)), []float64{1, 1, 1})
	stats, err := ctx.CacheStats()
	must(t, err)
	if n := stats.Misses + stats.MemoryHits; n > 2 {
		t.Errorf("%d programs", n)
	}
}

func TestJit(t *testing.T) {
	scale := harp.FromSlice([]float32{10, 100})
	traced := 0
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		traced++
		y := x[0].Mul(scale).Add(harp.Number(1))
		return []*harp.Tensor{y, y.Sum()}
	})
	for i := 1; i < 4; i++ {
		made, err := f.Call(harp.FromSlice([]float32{float32(i), 2}))
		must(t, err)
		equal(t, values[float32](t, made[0]), []float32{float32(10*i + 1), 201})
		equal(t, values[float32](t, made[1]), []float32{float32(10*i + 202)})
	}
	if traced != 1 {
		t.Errorf("traced %d times", traced)
	}
	must2(f.Call(harp.FromSlice([]float32{1, 2, 3, 4}, 2, 2)))
	if traced != 2 {
		t.Errorf("traced %d times for two shapes", traced)
	}
	if _, err := f.Call(harp.FromSlice([]float32{1, 2, 3})); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	inside := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		if err := x[0].Realize(); !errors.Is(err, harp.ErrInvalidArgument) {
			t.Error(err)
		}
		return harp.Grad(x[0].Square().Sum(), x[0])
	})
	equal(t, values[float64](t, must2(inside.Call(harp.FromSlice([]float64{1, 2})))[0]), []float64{2, 4})
}

func must2(made []*harp.Tensor, err error) []*harp.Tensor {
	if err != nil {
		panic(err)
	}
	return made
}

func TestJitWithSymbolicSizes(t *testing.T) {
	traced := 0
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		traced++
		if x[0].Shape()[0] != -1 || x[0].Shape()[1] != 2 {
			t.Error(x[0].Shape())
		}
		return []*harp.Tensor{x[0].Reshape(x[0].Dim(1), x[0].Dim(0)).Sum(0), x[0].Add(x[1])}
	}, harp.Dynamic(0, 0, "n", 0, 1000), harp.Dynamic(1, 0, "n", 0, 1000))
	for _, n := range []int{3, 1, 0, 500} {
		x := harp.Number(1).Cast(harp.F32).Full(harp.Dim(n), 2)
		made, err := f.Call(x, x)
		must(t, err)
		if fmt.Sprint(made[0].Shape(), made[1].Shape()) != fmt.Sprintf("[%d] [%d 2]", n, n) {
			t.Error(made[0].Shape(), made[1].Shape())
		}
		for _, v := range values[float32](t, made[0]) {
			if v != 2 {
				t.Error(v)
			}
		}
	}
	if traced != 1 {
		t.Errorf("traced %d times", traced)
	}
	x := harp.Number(1).Cast(harp.F32)
	if _, err := f.Call(x.Full(1001, 2), x.Full(1001, 2)); !errors.Is(err, harp.ErrRange) {
		t.Error(err)
	}
	if _, err := f.Call(x.Full(3, 2), x.Full(4, 2)); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
}

func TestLongComputations(t *testing.T) {
	x := harp.FromSlice([]float64{1, 2})
	y := x
	for i := 0; i < 2500; i++ { // more operations than one program may contain, so parts are computed earlier
		y = y.Add(x)
	}
	equal(t, values[float64](t, y), []float64{2501, 5002})
}

// A pending sum over many arrays does not keep all of them in memory until its value is needed.
func TestPendingArraysAreBounded(t *testing.T) {
	ctx := newContext(t)
	b, err := ctx.NewBuffer(harp.F32, 1<<22)
	must(t, err)
	ones := make([]float32, 1<<22)
	for i := range ones {
		ones[i] = 1
	}
	must(t, harp.Write(b, ones))
	count := func() uint64 {
		stats, err := ctx.CacheStats()
		must(t, err)
		return stats.Misses + stats.MemoryHits
	}
	total := ctx.TensorOf(b).Mul(harp.Number(0)).Sum()
	for i := 0; i < 31; i++ { // 512 MiB in all
		total = total.Add(ctx.TensorOf(b).Mul(harp.Number(2)).Sum())
	}
	if count() != 0 {
		t.Error("computed too early")
	}
	total = total.Add(harp.Number(0))
	if count() == 0 {
		t.Error("512 MiB wait")
	}
	if item, err := harp.Item[float32](total); err != nil || item != 31*2*(1<<22) {
		t.Error(item, err)
	}
}

func TestConcurrentTensors(t *testing.T) {
	ctx := newContext(t)
	shared := harp.FromSliceIn(ctx, []float64{1, 2, 3}).Exp().Log()
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			for k := 0; k < 20; k++ {
				y := shared.Round().Mul(harp.Number(float64(i))).Sum()
				if got, err := harp.Item[float64](y); err != nil || got != float64(6*i) {
					t.Errorf("%v, %v", got, err)
					return
				}
			}
			_ = shared.String()
		}(i)
	}
	wait.Wait()
}

func TestRealizeContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond)
	defer cancel()
	x := harp.FromSlice(make([]float64, 100)).Sin().Cos().Tan().Prod()
	if err := harp.RealizeContext(ctx, x); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	must(t, x.Realize())
}
