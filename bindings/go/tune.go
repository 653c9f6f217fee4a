package harp

/*
#include "shim.h"

extern int32_t goharpProgress(void* user, harp_tune_progress* progress);

// The search, and what it found of all. `search` is a handle of Go's, which is an integer.
static harp_tune_result* goharp_tune(harp_graph* graph, harp_tune_options* options, uintptr_t search, size_t n, harp_buffer* const* inputs,
                                     harp_tune_summary* summary, harp_error** err) {
  if (search != 0) {
    options->progress = (int32_t (*)(void*, const harp_tune_progress*))goharpProgress;
    options->user = (void*)search;
  }
  harp_tune_result* found = harp_tune(graph, options, n, inputs, err);
  if (found != NULL) harp_tune_result_summary(found, summary, NULL);
  return found;
}
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"runtime/debug"
	"time"
	"unsafe"
)

// TuneStrategy says in which order ways to make a program are tried.
type TuneStrategy int32

// The strategies.
const (
	TuneBeam   TuneStrategy = C.HARP_TUNE_BEAM   // from the best so far one change at a time, those first that a model of the cost prefers
	TuneRandom TuneStrategy = C.HARP_TUNE_RANDOM // any of all ways
	TuneGrid   TuneStrategy = C.HARP_TUNE_GRID   // all of them, counting
)

// TuneAnswer is what TuneOptions.Progress says.
type TuneAnswer int32

// The answers.
const (
	TuneContinue TuneAnswer = C.HARP_TUNE_CONTINUE
	TuneStop     TuneAnswer = C.HARP_TUNE_STOP   // what was found so far is the result
	TuneCancel   TuneAnswer = C.HARP_TUNE_CANCEL // Tune fails with ErrCancelled, and nothing is kept
)

// TuneOptions of a search; nil and the zero value are the defaults.
type TuneOptions struct {
	Compile   *CompileOptions  // what they fix stays so; no Schedule, no NoTuning, and the backend "c"
	ShapeVars map[string]int64 // of shape variables that follow from no axis of an input
	Time      time.Duration    // for all of it; 0: 30 seconds
	Strategy  TuneStrategy
	DryRun    bool     // nothing goes to the database
	Seed      uint64   // of TuneRandom
	MaxTrials int      // 0: as many as there is time for
	Compilers []string // to try besides the context's; nil: clang where that one is gcc, gcc where it is clang

	// Progress is called after each trial, on the goroutine that calls Tune. It must not use the context, nor end its goroutine
	// (runtime.Goexit). A panic ends the search, which fails with a *PanicError.
	Progress func(TuneProgress) TuneAnswer
}

// Trial is one way to make the program.
type Trial struct {
	Configuration string        // in the format of CompileOptions.Schedule; "": harp's default, which is trial 0
	Failure       string        // why it could not be made; "": it was
	Median        time.Duration // of a run,
	Spread        time.Duration // and how far the first and the third quartile lie apart
	Compile       time.Duration // what it took to compile
	Expected      float64       // by the model of the cost: its time over trial 0's
	Samples       int           // measurements, of one run or more each; 0: none, see Failure
}

// TuneProgress is how far a search is.
type TuneProgress struct {
	Trials         int           // so far
	Best           int           // the one of them with the least median
	BestMedian     time.Duration // of a run
	Untuned        time.Duration // the median of trial 0
	Elapsed, Limit time.Duration // of the whole
	Trial          Trial         // the last one
}

// TuneResult is what a search found.
type TuneResult struct {
	Trials       []Trial // in the order they were made in
	Best         int     // index of the fastest trial; 0: no new configuration was 1 % faster than harp's default, and the one found earlier was not faster
	Speedup      float64 // of the best over trial 0; 1 if that is the best
	SpaceSize    float64 // how many ways there are to choose from
	Exhausted    bool    // there was nothing left to try
	Stored       bool    // the best is in the database on disk
	WhyNotStored string  // "": it is
}

// Configuration is that of the best trial, as CompileOptions.Schedule takes it.
func (r *TuneResult) Configuration() string { return r.Trials[r.Best].Configuration }

// seconds is a time of harp's; what was not measured is 0.
func seconds(s C.double) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(float64(s) * float64(time.Second))
}

func trial(info *C.harp_tune_trial_info) Trial {
	return Trial{C.GoString(info.configuration), C.GoString(info.failure), seconds(info.median_seconds), seconds(info.spread_seconds),
		seconds(info.compile_seconds), float64(info.expected), int(info.samples)}
}

// search is what the callback of a search tells about.
type search struct {
	progress func(TuneProgress) TuneAnswer
	err      error
}

// Tune looks for the fastest way to make a program of the graph for inputs like these, on the context's threads. It compiles the graph in many
// ways, compares each one's results with the untuned program's bit for bit, and times them; nothing else should keep the machine busy. What
// was found goes to the tuning database in the directory of compiled programs, and later compilations of such a graph use it. When ctx is
// done Tune ends, with ctx's error. The graph cannot be built on meanwhile.
func (g *Graph) Tune(ctx context.Context, options *TuneOptions, inputs ...*Buffer) (*TuneResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if options == nil {
		options = &TuneOptions{}
	}
	if err := g.use(); err != nil {
		return nil, err
	}
	defer g.h.done()
	g.mutex.RLock()
	defer g.mutex.RUnlock()
	if g.err != nil {
		return nil, g.err
	}
	in := make([]*C.harp_buffer, len(inputs), len(inputs)+1)
	for i, b := range inputs {
		if b == nil {
			return nil, mistake(ErrInvalidArgument, "input %d is nil", i)
		}
		p, ok := b.h.use()
		if !ok {
			return nil, mistake(ErrInvalidArgument, "input %d is closed", i)
		}
		defer b.h.done()
		in[i] = (*C.harp_buffer)(p)
	}
	c, compile := (*C.harp_tune_options)(C.calloc(1, C.sizeof_harp_tune_options)), options.Compile.inC()
	defer C.free(unsafe.Pointer(c))
	defer compile.release()
	run := (&RunOptions{options.ShapeVars}).inC(ctx)
	defer run.release()
	c.struct_size, c.compile, c.run = C.sizeof_harp_tune_options, compile.c, run.c
	c.seconds, c.strategy, c.seed = C.double(options.Time.Seconds()), C.int32_t(options.Strategy), C.uint64_t(options.Seed)
	c.dry_run = boolean(options.DryRun)
	if options.MaxTrials < 0 {
		return nil, mistake(ErrInvalidArgument, "tune: MaxTrials is %d; expected 0 or more", options.MaxTrials)
	}
	c.max_trials = C.uint64_t(options.MaxTrials)
	c.n_compilers, c.compilers = C.size_t(len(options.Compilers)), compile.texts(options.Compilers)
	s := &search{progress: options.Progress}
	var handle cgo.Handle
	if s.progress != nil {
		handle = cgo.NewHandle(s)
		defer handle.Delete()
	}
	summary := C.harp_tune_summary{struct_size: C.sizeof_harp_tune_summary}
	var e *C.harp_error
	found := C.goharp_tune(g.p(), c, C.uintptr_t(handle), C.size_t(len(in)), &in[:1][0], &summary, &e)
	if found == nil {
		err := failure(e)
		if s.err != nil {
			return nil, s.err
		}
		return nil, ended(ctx, err)
	}
	defer C.harp_tune_result_release(found)
	result := &TuneResult{Trials: make([]Trial, int(summary.trials)), Best: int(summary.best), Speedup: float64(summary.speedup),
		SpaceSize: float64(summary.space_size), Exhausted: summary.exhausted != 0, Stored: summary.stored != 0, WhyNotStored: C.GoString(summary.why_not_stored)}
	for i := range result.Trials {
		info := C.harp_tune_trial_info{struct_size: C.sizeof_harp_tune_trial_info}
		if C.harp_tune_result_trial(found, C.size_t(i), &info, &e) != C.HARP_OK {
			return nil, failure(e)
		}
		result.Trials[i] = trial(&info)
	}
	return result, nil
}

//export goharpProgress
func goharpProgress(user unsafe.Pointer, progress *C.harp_tune_progress) (answer C.int32_t) {
	s := cgo.Handle(uintptr(user)).Value().(*search)
	returned := false
	defer func() {
		if value := recover(); !returned {
			s.err = &PanicError{value, debug.Stack()} // Go's panics cannot go on through C
			answer = C.HARP_TUNE_CANCEL
		}
	}()
	state := TuneProgress{int(progress.trials), int(progress.best), seconds(progress.best_seconds), seconds(progress.untuned_seconds),
		seconds(progress.elapsed_seconds), seconds(progress.limit_seconds), trial(progress.trial)}
	answer = C.int32_t(s.progress(state))
	returned = true
	return answer
}
