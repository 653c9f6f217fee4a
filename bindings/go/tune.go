package harp

/*
#include "shim.h"

extern int32_t goharpProgress(void* user, harp_tune_progress* progress);

// Runs the search and reads the summary of its result. `search` is a cgo.Handle, an integer, which is passed in the pointer options->user.
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

// TuneStrategy is the order in which configurations of a program are tried.
type TuneStrategy int32

// The strategies.
const (
	TuneBeam   TuneStrategy = C.HARP_TUNE_BEAM   // changes one setting of the best configurations so far, in the order that a cost model predicts
	TuneRandom TuneStrategy = C.HARP_TUNE_RANDOM // configurations in random order
	TuneGrid   TuneStrategy = C.HARP_TUNE_GRID   // all configurations in a fixed order, in which the first option changes fastest
)

// TuneAnswer is the result of TuneOptions.Progress.
type TuneAnswer int32

// The answers.
const (
	TuneContinue TuneAnswer = C.HARP_TUNE_CONTINUE
	TuneStop     TuneAnswer = C.HARP_TUNE_STOP   // end the search with the result found so far
	TuneCancel   TuneAnswer = C.HARP_TUNE_CANCEL // Tune fails with ErrCancelled, and nothing is stored
)

// TuneOptions are the options of a search; nil and the zero value mean the defaults.
type TuneOptions struct {
	Compile   *CompileOptions  // settings that the search does not change; without Schedule and NoTuning, and for the backend "c"
	ShapeVars map[string]int64 // values of those shape variables that no axis of an input determines
	Time      time.Duration    // time limit of the whole search; 0: 30 seconds
	Strategy  TuneStrategy
	DryRun    bool     // do not store the result in the database
	Seed      uint64   // seed of TuneRandom
	MaxTrials int      // maximum number of trials; 0: no limit
	Compilers []string // compilers to try besides the context's; nil: clang if that is gcc, gcc if that is clang

	// Progress is called after each trial, on the goroutine that calls Tune. It must not use the context, nor end its goroutine
	// (runtime.Goexit). A panic ends the search, which fails with a *PanicError.
	Progress func(TuneProgress) TuneAnswer
}

// Trial is one configuration that was tried.
type Trial struct {
	Configuration string        // in the format of CompileOptions.Schedule; "": harp's default, which is trial 0
	Failure       string        // why the program could not be made; "" if it could
	Median        time.Duration // median time of a run
	Spread        time.Duration // time between the first and the third quartile
	Compile       time.Duration // time of the compilation
	Expected      float64       // the cost model's prediction: the time relative to that of trial 0
	Samples       int           // number of measurements, of one run or more each; 0: none, see Failure
}

// TuneProgress describes the state of a search.
type TuneProgress struct {
	Trials         int           // number of trials so far
	Best           int           // index of the trial with the least median
	BestMedian     time.Duration // median time of a run of that trial
	Untuned        time.Duration // the median of trial 0
	Elapsed, Limit time.Duration // of the whole search
	Trial          Trial         // the latest trial
}

// TuneResult is the result of a search.
type TuneResult struct {
	Trials       []Trial // in the order in which they were made
	Best         int     // index of the fastest trial; 0: harp's default (no new configuration is at least 1 % faster, nor the stored one faster)
	Speedup      float64 // speedup of the best trial over trial 0; 1 if trial 0 is the best
	SpaceSize    float64 // number of configurations to choose from
	Exhausted    bool    // no configuration was left to try
	Stored       bool    // the best configuration is in the database on disk
	WhyNotStored string  // reason if Stored is false
}

// Configuration returns the configuration of the best trial, in the format of CompileOptions.Schedule.
func (r *TuneResult) Configuration() string { return r.Trials[r.Best].Configuration }

// seconds converts a time of harp; a time that was not measured becomes 0.
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

// search holds the state of the callback of a search.
type search struct {
	progress func(TuneProgress) TuneAnswer
	err      error
}

// Tune searches for the fastest configuration of the graph's program for inputs like these, on the context's threads. It compiles the graph
// with many configurations, compares each one's results with the untuned program's bit for bit, and times them; nothing else should keep
// the machine busy. The result is stored in the tuning database in the directory of compiled programs, and later compilations of such a
// graph use it. When ctx is done, Tune returns ctx's error. Meanwhile nothing can be added to the graph.
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
			s.err = &PanicError{value, debug.Stack()} // a Go panic must not unwind through C
			answer = C.HARP_TUNE_CANCEL
		}
	}()
	state := TuneProgress{int(progress.trials), int(progress.best), seconds(progress.best_seconds), seconds(progress.untuned_seconds),
		seconds(progress.elapsed_seconds), seconds(progress.limit_seconds), trial(progress.trial)}
	answer = C.int32_t(s.progress(state))
	returned = true
	return answer
}
