//! Measures calls from Rust: of a program with slices (`call`), and of a tensor whose structure was seen before (`tensor`).
//!
//! With one of these names as argument this is the program harp_bench_rust, which answers harp_bench (bench/harness/peer_process.h): `./dev
//! bench --only front.rust`. Without an argument it prints the nanoseconds that a call takes longer than harp_program_call: `cargo bench -p
//! harp`.
use harp::{Array, ArrayMut, Graph, Program, Tensor};
use std::io::{BufRead, Write};
use std::os::raw::{c_int, c_long};

const ELEMENTS: i64 = 16;
const CALLS: usize = 20_000;
const ROUNDS: usize = 21;

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut [c_long; 2]) -> c_int;
    fn sched_setaffinity(process: c_int, size: usize, cpus: *const u64) -> c_int;
}

/// The CPU time of this thread, in seconds.
fn thread_seconds() -> f64 {
    let mut time = [0; 2];
    // Safety: room for a struct timespec; 3 is CLOCK_THREAD_CPUTIME_ID.
    unsafe { clock_gettime(3, &mut time) };
    time[0] as f64 + time[1] as f64 * 1e-9
}

fn stay_on(cpu: usize) {
    let mut cpus = [0u64; 16];
    cpus[cpu / 64 % 16] = 1 << (cpu % 64);
    // Safety: the size is that of the array. If the call fails, nothing changes.
    unsafe { sched_setaffinity(0, std::mem::size_of_val(&cpus), cpus.as_ptr()) };
}

/// y = a * b + 1, and its arrays.
struct Problem {
    program: Program,
    dims: [i64; 1],
    a: Vec<f32>,
    b: Vec<f32>,
    y: Vec<f32>,
    left: Tensor<f32>,
    right: Tensor<f32>,
}

impl Problem {
    fn new() -> harp::Result<Problem> {
        let mut graph = Graph::new();
        let a = graph.input("a").with_shape([ELEMENTS]).build();
        let b = graph.input("b").with_shape([ELEMENTS]).build();
        graph.output("y", &(a * b + 1.0f32));
        let (a, b) = (vec![0.5f32; ELEMENTS as usize], vec![2.0f32; ELEMENTS as usize]);
        let (left, right) = (Tensor::from(a.clone()), Tensor::from(b.clone()));
        Ok(Problem { program: graph.compile()?, dims: [ELEMENTS], y: vec![0.0; a.len()], a, b, left, right })
    }

    fn c(&mut self) {
        let of = |elements: &[f32]| harp_sys::harp_const_array {
            data: elements.as_ptr().cast(),
            dims: self.dims.as_ptr(),
            dtype: harp_sys::HARP_F32,
            rank: 1,
        };
        let inputs = [of(&self.a), of(&self.b)];
        let output =
            harp_sys::harp_array { data: self.y.as_mut_ptr().cast(), dims: self.dims.as_ptr(), dtype: harp_sys::HARP_F32, rank: 1 };
        let nothing = std::ptr::null();
        // Safety: arrays of the program's sizes.
        let status =
            unsafe { harp_sys::harp_program_call(self.program.as_raw(), 2, inputs.as_ptr(), 1, &output, nothing, std::ptr::null_mut()) };
        assert_eq!(status, harp_sys::HARP_OK);
    }

    fn call(&mut self) {
        let inputs = [Array::new(&self.a, &self.dims).unwrap(), Array::new(&self.b, &self.dims).unwrap()];
        self.program.call(&inputs, &mut [ArrayMut::new(&mut self.y, &self.dims).unwrap()]).unwrap();
    }

    fn tensor(&mut self) {
        let values = (&self.left * &self.right + 1.0).realize().unwrap();
        self.y[0] = values.as_slice::<f32>().unwrap()[0];
    }
}

type Way = fn(&mut Problem);

fn seconds(problem: &mut Problem, way: Way, calls: usize) -> f64 {
    let begin = thread_seconds();
    for _ in 0..calls {
        way(problem);
    }
    thread_seconds() - begin
}

/// Answers harp_bench until the end of the input.
fn serve(problem: &mut Problem, way: Way) -> std::io::Result<()> {
    way(problem);
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["run", calls, cpu] = words[..] {
            if let Ok(cpu) = cpu.parse() {
                stay_on(cpu);
            }
            writeln!(out, "{:e}", seconds(problem, way, calls.parse().unwrap_or(1)))?;
        } else {
            writeln!(out, "{}", problem.y.len())?;
            for value in &problem.y {
                writeln!(out, "{}", value)?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

fn main() {
    let mut problem = Problem::new().unwrap_or_else(|error| panic!("{}", error));
    match std::env::args().nth(1).as_deref() {
        Some("call") => return serve(&mut problem, Problem::call).expect("harp_bench listens"),
        Some("tensor") => return serve(&mut problem, Problem::tensor).expect("harp_bench listens"),
        _ => {}
    }
    let ways: [Way; 3] = [Problem::c, Problem::call, Problem::tensor];
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for (times, way) in times.iter_mut().zip(ways) {
            times.push(seconds(&mut problem, way, CALLS) / CALLS as f64 * 1e9);
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    let median = |way: usize| times[way][ROUNDS / 2];
    println!(
        "harp_program_call {:.1} ns; over it: call {:.1} ns, tensor {:.1} ns",
        median(0),
        median(1) - median(0),
        median(2) - median(0)
    );
}
