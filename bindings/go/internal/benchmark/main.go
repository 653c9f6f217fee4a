// Program benchmark is harp_bench_go, which `./dev bench --only front.go` starts: it measures a call of a program with Go slices. It answers
// the requests of harp_bench over its standard input and output, as bench/harness/peer_process.h says.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"harp"
)

const elements = 16

// threadSeconds returns the CPU time of this thread.
func threadSeconds() float64 {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var time syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&time)), 0)
	return float64(time.Sec) + 1e-9*float64(time.Nsec)
}

// stayOn makes this thread run on one CPU only. If the system refuses that, nothing changes.
func stayOn(cpu int) {
	var cpus [16]uint64
	if cpu >= 0 && cpu < 64*len(cpus) {
		cpus[cpu/64] = 1 << (cpu % 64)
		syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(cpus), uintptr(unsafe.Pointer(&cpus)))
	}
}

// problem is the program y = a * b + 1 with its arrays.
type problem struct {
	program         *harp.Program
	inputs, outputs []harp.Array
	y               []float32
}

func newProblem() (*problem, error) {
	graph := harp.NewGraph(harp.Broadcast)
	a, b := graph.Input("a", harp.F32, elements), graph.Input("b", harp.F32, elements)
	graph.Output("y", a.Mul(b).Add(graph.Const(harp.F32, 1)))
	program, err := graph.Compile(nil)
	if err != nil {
		return nil, err
	}
	x, w, y := make([]float32, elements), make([]float32, elements), make([]float32, elements)
	for i := range x {
		x[i], w[i] = 0.5, 2
	}
	return &problem{program, []harp.Array{harp.Of(x), harp.Of(w)}, []harp.Array{harp.Of(y)}, y}, nil
}

// seconds returns the CPU time of this many calls.
func (p *problem) seconds(calls int) (float64, error) {
	begin := threadSeconds()
	for i := 0; i < calls; i++ {
		if err := p.program.Call(p.inputs, p.outputs); err != nil {
			return 0, err
		}
	}
	return threadSeconds() - begin, nil
}

// serve answers requests until the end of the input.
func serve(p *problem) error {
	if _, err := p.seconds(1); err != nil {
		return err
	}
	fmt.Println("ready")
	for requests := bufio.NewScanner(os.Stdin); requests.Scan(); {
		words := strings.Fields(requests.Text())
		if len(words) != 3 || words[0] != "run" {
			fmt.Println(len(p.y))
			for _, value := range p.y {
				fmt.Println(value)
			}
			continue
		}
		calls, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		cpu, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		stayOn(cpu)
		took, err := p.seconds(calls)
		if err != nil {
			return err
		}
		fmt.Println(took)
	}
	return nil
}

func main() {
	runtime.LockOSThread()
	p, err := newProblem()
	if err == nil {
		err = serve(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
