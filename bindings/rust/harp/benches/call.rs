//! What a call costs over harp_program_call: of a program with slices, and of a tensor whose structure was seen before. JSON lines, as
//! harp_bench writes them; `cargo bench -p harp --bench call`.
use harp::{Array, ArrayMut, Graph, Tensor};
use std::time::Instant;

const ELEMENTS: i64 = 16;
const CALLS: usize = 20_000;
const ROUNDS: usize = 21;

/// Nanoseconds of one call of each, interleaved: medians of rounds.
fn measure(candidates: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut times = vec![Vec::new(); candidates.len()];
    for _ in 0..ROUNDS {
        for (index, candidate) in candidates.iter_mut().enumerate() {
            let begin = Instant::now();
            for _ in 0..CALLS {
                candidate();
            }
            times[index].push(begin.elapsed().as_nanos() as f64 / CALLS as f64);
        }
    }
    times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

fn main() -> harp::Result<()> {
    let mut graph = Graph::new();
    let a = graph.input("a").with_shape([ELEMENTS]).build();
    let b = graph.input("b").with_shape([ELEMENTS]).build();
    graph.output("y", &(&a * &b + 1.0f32));
    let program = graph.compile()?;

    let dims = [ELEMENTS];
    let (a, b) = (vec![0.5f32; ELEMENTS as usize], vec![2.0f32; ELEMENTS as usize]);
    let (mut y, mut z) = (vec![0.0f32; ELEMENTS as usize], vec![0.0f32; ELEMENTS as usize]);
    let of = |elements: &[f32]| harp_sys::harp_const_array {
        data: elements.as_ptr().cast(),
        dims: dims.as_ptr(),
        dtype: harp_sys::HARP_F32,
        rank: 1,
    };
    let inputs = [of(&a), of(&b)];
    let outputs = [harp_sys::harp_array { data: z.as_mut_ptr().cast(), dims: dims.as_ptr(), dtype: harp_sys::HARP_F32, rank: 1 }];
    let raw = program.as_raw();
    let mut c = || unsafe {
        let status = harp_sys::harp_program_call(raw, 2, inputs.as_ptr(), 1, outputs.as_ptr(), std::ptr::null(), std::ptr::null_mut());
        assert_eq!(status, harp_sys::HARP_OK);
    };
    let mut slices = || {
        let inputs = [Array::new(&a, &dims).unwrap(), Array::new(&b, &dims).unwrap()];
        program.call(&inputs, &mut [ArrayMut::new(&mut y, &dims).unwrap()]).unwrap();
    };
    let (left, right) = (Tensor::from(a.clone()), Tensor::from(b.clone()));
    let mut tensors = || {
        assert!(!(&left * &right + 1.0).realize().unwrap().is_empty());
    };
    let times = measure(&mut [&mut c, &mut slices, &mut tensors]);
    for (name, value) in [("front.rust.call", times[1] - times[0]), ("front.rust.tensor", times[2] - times[0]), ("front.rust.c", times[0])]
    {
        println!("{{\"name\": \"{}\", \"value\": {:.1}, \"unit\": \"ns\"}}", name, value);
    }
    Ok(())
}
