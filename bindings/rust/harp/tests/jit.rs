//! Functions that are traced once and then only run.
use harp::{DType, ErrorKind, Expr, Jit, Tensor};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

#[test]
fn one_trace_serves_all_sizes() {
    let traces = Arc::new(AtomicUsize::new(0));
    let count = traces.clone();
    let n = Expr::var("n", 0..=1000);
    let function = Jit::new(move |x| {
        count.fetch_add(1, Ordering::SeqCst);
        assert_eq!(x[0].shape()[0].to_string(), "n");
        Ok(vec![&x[0] * &x[1] + 1.0f32, x[0].sum(0, false)])
    })
    .with_size(0, 0, n.clone())
    .with_size(1, 0, n);
    for size in [1usize, 7, 0, 1000] {
        let x = Tensor::from_vec((0..size).map(|i| i as f32).collect(), [size]);
        let y: Vec<Tensor<f32>> = function.call_tensors(&[&x, &(&x + 1.0)]).unwrap();
        assert_eq!(y[0].to_vec().unwrap(), (0..size).map(|i| (i * (i + 1) + 1) as f32).collect::<Vec<_>>());
        assert_eq!(y[1].item().unwrap(), (0..size).sum::<usize>() as f32);
    }
    assert_eq!((traces.load(Ordering::SeqCst), function.program_count()), (1, 1));
    let (three, four) = (Tensor::from_vec(vec![0.0f32; 3], [3]), Tensor::from_vec(vec![0.0f32; 4], [4]));
    assert_eq!(function.call_tensors::<f32>(&[&three, &four]).unwrap_err().kind(), ErrorKind::Shape);
    let many = Tensor::from_vec(vec![0.0f32; 1001], [1001]);
    assert_eq!(function.call_tensors::<f32>(&[&many, &many]).unwrap_err().kind(), ErrorKind::Range);
    assert_eq!(function.call_tensors::<f64>(&[&three, &three]).unwrap_err().kind(), ErrorKind::Dtype);
}

#[test]
fn sizes_that_are_not_named_and_dtypes_are_traced_again() {
    let double = Jit::new(|x| Ok(vec![&x[0] + &x[0]]));
    for (size, programs) in [(2usize, 1), (3, 2), (2, 2)] {
        let x = Tensor::from_vec(vec![2i32; size], [size]).realize().unwrap();
        assert_eq!(double.call(&[&x]).unwrap()[0].as_slice::<i32>().unwrap(), vec![4; size]);
        assert_eq!(double.program_count(), programs);
    }
    let x = Tensor::from_vec(vec![2.5f64; 2], [2]).realize().unwrap();
    assert_eq!(double.call(&[&x]).unwrap()[0].dtype(), DType::F64);
    assert_eq!(double.program_count(), 3);
}

#[test]
fn mistakes_leave_nothing_behind() {
    let function = Jit::new(|x| Ok(vec![x[0].try_add(&x[1])?])).with_size(0, 1, Expr::var("n", 1..=8));
    let (x, y) = (Tensor::from_vec(vec![1.0f32, 2.0], [1, 2]), Tensor::from_vec(vec![1.0f32; 3], [3]));
    assert_eq!(function.call_tensors::<f32>(&[&x, &y]).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(function.program_count(), 0);
    let mistake = function.call_tensors::<f32>(&[&y, &y]).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::InvalidArgument);
    assert!(mistake.message().contains("axis 1"), "{}", mistake);
    let scalar = Tensor::from(10.0f32);
    assert_eq!(function.call_tensors::<f32>(&[&x, &scalar]).unwrap()[0].to_vec().unwrap(), [11.0, 12.0]);
}

#[test]
fn threads_share_a_function() {
    let function = Arc::new(Jit::new(|x| Ok(vec![x[0].square()])).with_size(0, 0, Expr::var("n", 0..=100)));
    let threads: Vec<_> = (1..=4usize)
        .map(|size| {
            let function = function.clone();
            std::thread::spawn(move || {
                let x = Tensor::from_vec(vec![3.0f32; size], [size]).realize().unwrap();
                (0..20).all(|_| function.call(&[&x]).unwrap()[0].as_slice::<f32>().unwrap() == vec![9.0; size])
            })
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    assert_eq!(function.program_count(), 1);
}
