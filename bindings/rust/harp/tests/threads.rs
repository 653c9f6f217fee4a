//! What threads may share, and what not.
use harp::{Array, ArrayMut, BuiltGraph, Configuration, Context, DType, Error, Expr, Graph, Program};
use std::sync::Arc;

fn send_and_sync<T: Send + Sync>() {}

#[test]
fn harp_h_says_who_may_share_what() {
    send_and_sync::<Context>();
    send_and_sync::<Program>();
    send_and_sync::<BuiltGraph>();
    send_and_sync::<harp::Buffer>();
    send_and_sync::<Error>();
    send_and_sync::<harp::Native>();
    send_and_sync::<harp::Jit<fn(&[harp::GraphNode]) -> harp::Result<Vec<harp::GraphNode>>>>();
    fn send<T: Send>() {}
    send::<ArrayMut<'_>>();
    send_and_sync::<Array<'_>>();
}

/// What belongs to its thread: a type that is `Send` would have two ways to name `is_not`, and this file would not compile.
#[test]
fn what_belongs_to_its_thread_is_neither() {
    trait NotSend<Which> {
        fn is_not() {}
    }
    impl<T: ?Sized> NotSend<()> for T {}
    impl<T: ?Sized + Send> NotSend<u8> for T {}
    trait NotSync<Which> {
        fn is_not_shared() {}
    }
    impl<T: ?Sized> NotSync<()> for T {}
    impl<T: ?Sized + Sync> NotSync<u8> for T {}
    macro_rules! check {
        ($($name:ty),*) => {
            $(<$name as NotSend<_>>::is_not();
            <$name as NotSync<_>>::is_not_shared();)*
        };
    }
    check!(harp::Tensor<f32>, Graph, harp::GraphNode, harp::Backend);
}

#[test]
fn threads_run_one_program_and_compile_one_graph() {
    let mut graph = Graph::new();
    let x = graph.input("x").with_dtype(DType::F64).with_shape([Expr::var("n", 0..=1000)]).build();
    graph.output("y", &(&x * &x + 1.0f64));
    let graph = Arc::new(graph.build().unwrap());
    let program = graph.compile("c", &Configuration::default()).unwrap();
    let threads: Vec<_> = (1..=4i64)
        .map(|size| {
            let (graph, program) = (graph.clone(), program.clone());
            std::thread::spawn(move || {
                let own = graph.compile("interp", &Configuration::default()).unwrap();
                let x: Vec<f64> = (0..size).map(|i| i as f64).collect();
                for program in [&program, &own] {
                    for _ in 0..100 {
                        let mut y = vec![0.0f64; size as usize];
                        program.call(&[Array::new(&x, &[size]).unwrap()], &mut [ArrayMut::new(&mut y, &[size]).unwrap()]).unwrap();
                        assert!(y.iter().zip(&x).all(|(y, x)| *y == x * x + 1.0));
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn each_thread_has_backends_of_its_own() {
    let context = harp::context().unwrap();
    let count = std::thread::spawn(move || {
        harp::set_context(&context);
        let x = harp::Tensor::from_vec(vec![1.0f32], [1]);
        assert_eq!((x + 1.0).item().unwrap(), 2.0);
        harp::backend("c").unwrap().program_count()
    })
    .join()
    .unwrap();
    assert_eq!(count, 1);
}
