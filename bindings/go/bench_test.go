package harp_test

import (
	"math"
	"testing"
	"time"

	"harp"
	"harp/internal/calltime"
)

const batch = 100

// fastest runs f b.N times in batches and reports the time of the fastest batch, because other work of the machine slows down some of them.
func fastest(b *testing.B, f func() error) {
	b.ReportAllocs()
	b.ResetTimer()
	best := time.Duration(math.MaxInt64)
	for done := 0; done < b.N; done += batch {
		begin := time.Now()
		for i := 0; i < batch; i++ {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
		if took := time.Since(begin); took < best {
			best = took
		}
	}
	b.ReportMetric(float64(best.Nanoseconds())/batch, "best-ns/op")
}

// BenchmarkCall measures how much longer a call takes than the same call from C: y = a * b + 1 over 16 elements.
func BenchmarkCall(b *testing.B) {
	g := newGraph(b, harp.Broadcast)
	x, w := g.Input("a", harp.F32, 16), g.Input("b", harp.F32, 16)
	g.Output("y", x.Mul(w).Add(g.Const(harp.F32, 1)))
	p, err := g.Compile(nil)
	must(b, err)
	inputs := []harp.Array{harp.Of(make([]float32, 16)), harp.Of(make([]float32, 16))}
	outputs := []harp.Array{harp.Of(make([]float32, 16))}
	fastest(b, func() error { return p.Call(inputs, outputs) })
}

func BenchmarkCallFromC(b *testing.B) {
	b.ReportMetric(calltime.FromC(b.N/batch+1, batch, 16), "best-ns/op")
}

// BenchmarkLazy measures a lazy computation whose program is already compiled: it records three operations and runs them.
func BenchmarkLazy(b *testing.B) {
	ctx := newContext(b)
	x, w := harp.FromSliceIn(ctx, make([]float32, 16)), harp.FromSliceIn(ctx, make([]float32, 16))
	fastest(b, func() error {
		y := x.Mul(w).Add(harp.Number(1)).Sum()
		defer y.Close()
		return y.Realize()
	})
}

func BenchmarkJit(b *testing.B) {
	ctx := newContext(b)
	x, w := harp.FromSliceIn(ctx, make([]float32, 16)), harp.FromSliceIn(ctx, make([]float32, 16))
	f := harp.Jit(func(x ...*harp.Tensor) []*harp.Tensor {
		return []*harp.Tensor{x[0].Mul(x[1]).Add(harp.Number(1)).Sum()}
	})
	fastest(b, func() error {
		made, err := f.Call(x, w)
		if err == nil {
			made[0].Close()
		}
		return err
	})
}
