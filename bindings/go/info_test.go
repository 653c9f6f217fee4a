package harp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"harp"
)

func TestWhatAProgramTakesAndGives(t *testing.T) {
	g, err := newContext(t).ParseGraph("graph relu(x: f32[n, 4], b: f32[n, 4]) {\n  return y = maximum(x + b, 0.0), s = sum(x)\n}\n")
	must(t, err)
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	var got []string
	for i := 0; i < p.Inputs(); i++ {
		info, err := p.Input(i)
		must(t, err)
		got = append(got, fmt.Sprintf("%s %v %v %s %v", info.Name, info.DType, info.Shape, info.Text, info.InPlace))
	}
	for i := 0; i < p.Outputs(); i++ {
		info, err := p.Output(i)
		must(t, err)
		got = append(got, fmt.Sprintf("%s %v %v %s %v", info.Name, info.DType, info.Shape, info.Text, info.InPlace))
	}
	equal(t, got, []string{"x f32 [-1 4] [n, 4] []", "b f32 [-1 4] [n, 4] []", "y f32 [-1 4] [n, 4] [1]", "s f32 [] [] []"})
	for _, index := range []int{2, -1} {
		if _, err := p.Input(index); !errors.Is(err, harp.ErrInvalidArgument) && !errors.Is(err, harp.ErrRange) {
			t.Error(err)
		}
	}
	p.Close()
	if _, err := p.Output(0); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	for stage, part := range map[string]string{"opt": "graph relu", "schedule": "kernel_0", "c": "entry_point", "dot": "digraph"} {
		if text, err := g.Emit(stage, nil); err != nil || !strings.Contains(text, part) {
			t.Errorf("%s: %v\n%s", stage, err, text)
		}
	}
	if _, err := g.Emit("soup", nil); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestArraysWithoutElements(t *testing.T) {
	x := harp.FromSlice([]float32{}, 0, 3)
	for got, want := range map[string]string{
		x.String(): "[]", x.Sum().String(): "0", x.Sum(0).String(): "[0 0 0]", x.Transpose().String(): "[[] [] []]",
		x.Add(harp.Number(1)).String(): "[]", harp.Concat(0, x, harp.FromSlice([]float32{1, 2, 3}, 1, 3)).String(): "[[1 2 3]]",
		harp.FromSlice([]int{}).Prod().String(): "1", harp.Scalar(int32(7)).Reshape(1, 1).String(): "[[7]]", harp.Scalar(true).String(): "true",
	} {
		if got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
	if err := x.Max(0).Err(); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
	equal(t, values[float32](t, x), []float32{})
	if _, err := harp.Item[float32](x); !errors.Is(err, harp.ErrShape) {
		t.Error(err)
	}
}

func TestNamesAndIndicesOfPrograms(t *testing.T) {
	g := newGraph(t, 0)
	g.Output("y", g.Arange(harp.I64, 0, g.DimVar("n", 0, 9), 1))
	p, err := g.Compile(&harp.CompileOptions{Backend: "interp"})
	must(t, err)
	// A zero byte does not end the name.
	_, err = p.RunContext(context.Background(), &harp.RunOptions{ShapeVars: map[string]int64{"n\x00": 3}})
	if !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := p.Output(-1); !errors.Is(err, harp.ErrInvalidArgument) || !strings.Contains(err.Error(), "got -1") {
		t.Error(err)
	}
}

func TestJitWithoutFunction(t *testing.T) {
	for _, j := range []*harp.Jitted{nil, {}, harp.Jit(nil)} {
		if _, err := j.Call(harp.Scalar(1.0)); !errors.Is(err, harp.ErrInvalidArgument) {
			t.Error(err)
		}
	}
}
