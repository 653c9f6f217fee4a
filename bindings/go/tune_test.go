package harp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"harp"
)

// tunable makes a graph in a context with its own cache directory, and an input for the graph.
func tunable(t *testing.T) (*harp.Graph, *harp.Buffer, string) {
	folder := t.TempDir()
	must(t, os.Chmod(folder, 0o700))
	ctx, err := harp.NewContext(harp.Options{CacheDir: folder})
	must(t, err)
	t.Cleanup(ctx.Close)
	g := ctx.NewGraph(0)
	n := g.DimVar("n", 0, 1<<20)
	g.Output("y", g.Input("x", harp.F32, n, 64).Square().Sum(1))
	in := make([]float32, 64*64)
	for i := range in {
		in[i] = float32(i % 7)
	}
	b, err := harp.BufferOf(ctx, in, 64, 64)
	must(t, err)
	return g, b, folder
}

// hasDatabase reports whether the file that searches write exists.
func hasDatabase(t *testing.T, folder string) bool {
	is := false
	must(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		is = is || filepath.Base(path) == "tuning-2.txt"
		return err
	}))
	return is
}

func TestTune(t *testing.T) {
	g, b, folder := tunable(t)
	var seen []harp.TuneProgress
	found, err := g.Tune(context.Background(), &harp.TuneOptions{MaxTrials: 3, Time: 10 * time.Minute, Strategy: harp.TuneRandom, Seed: 7,
		Progress: func(p harp.TuneProgress) harp.TuneAnswer {
			seen = append(seen, p)
			return harp.TuneContinue
		}}, b)
	must(t, err)
	if len(found.Trials) != len(seen) || len(seen) < 2 || seen[1].Trials != 2 || seen[1].Trial.Configuration != found.Trials[1].Configuration || seen[0].Limit != 10*time.Minute {
		t.Fatalf("%+v\n%+v", found, seen)
	}
	untuned := found.Trials[0]
	if untuned.Configuration != "" || untuned.Failure != "" || untuned.Median <= 0 || untuned.Samples < 1 || untuned.Expected != 1 {
		t.Errorf("%+v", untuned)
	}
	if found.SpaceSize < 10 || found.Speedup < 1 || found.Stored != (found.WhyNotStored == "") || found.Configuration() != found.Trials[found.Best].Configuration {
		t.Errorf("%+v", found)
	}
	if found.Stored != hasDatabase(t, folder) {
		t.Errorf("stored: %v, %q", found.Stored, found.WhyNotStored)
	}
	// Each configuration gives the same bits.
	var expected []float32
	for _, trial := range found.Trials {
		if trial.Failure != "" {
			continue
		}
		p, err := g.Compile(&harp.CompileOptions{Schedule: trial.Configuration, NoTuning: true})
		must(t, err)
		made, err := p.Run(b)
		must(t, err)
		y := make([]float32, 64)
		must(t, harp.Read(made[0], y))
		if expected == nil {
			expected = y
		}
		equal(t, y, expected)
	}
}

func TestTuneEndsEarly(t *testing.T) {
	g, b, folder := tunable(t)
	answer := func(a harp.TuneAnswer) *harp.TuneOptions {
		return &harp.TuneOptions{DryRun: true, Progress: func(harp.TuneProgress) harp.TuneAnswer { return a }}
	}
	found, err := g.Tune(context.Background(), answer(harp.TuneStop), b)
	must(t, err)
	if len(found.Trials) != 1 || found.Stored || found.WhyNotStored == "" {
		t.Errorf("%+v", found)
	}
	if _, err := g.Tune(context.Background(), answer(harp.TuneCancel), b); !errors.Is(err, harp.ErrCancelled) {
		t.Error(err)
	}
	var panicked *harp.PanicError
	_, err = g.Tune(context.Background(), &harp.TuneOptions{DryRun: true, Progress: func(harp.TuneProgress) harp.TuneAnswer { panic("enough") }}, b)
	if !errors.As(err, &panicked) || panicked.Value != "enough" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = g.Tune(ctx, &harp.TuneOptions{DryRun: true, Time: time.Hour, Progress: func(harp.TuneProgress) harp.TuneAnswer {
		cancel()
		return harp.TuneContinue
	}}, b)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if hasDatabase(t, folder) {
		t.Error("a dry run wrote the database")
	}
	for name, wrong := range map[string]error{
		"no input":          second(g.Tune(context.Background(), nil)),
		"a closed graph":    second((&harp.Graph{}).Tune(context.Background(), nil, b)),
		"nil":               second(g.Tune(context.Background(), nil, nil)),
		"a schedule":        second(g.Tune(context.Background(), &harp.TuneOptions{Compile: &harp.CompileOptions{Schedule: "flag: -O1"}}, b)),
		"-1 trials":         second(g.Tune(context.Background(), &harp.TuneOptions{MaxTrials: -1}, b)),
		"a strategy of 9":   second(g.Tune(context.Background(), &harp.TuneOptions{Strategy: 9}, b)),
		"another dimension": second(g.Tune(context.Background(), &harp.TuneOptions{ShapeVars: map[string]int64{"k": 1}}, b)),
	} {
		var e *harp.Error
		if !errors.As(wrong, &e) {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	b.Close()
	if _, err := g.Tune(context.Background(), nil, b); !errors.Is(err, harp.ErrInvalidArgument) {
		t.Error(err)
	}
}

func second(_ *harp.TuneResult, err error) error { return err }
