//! Which objects threads may share, and which they may not.
use harp::{
    Array, ArrayMut, BuiltGraph, CompileOptions, Configuration, Context, ContextOptions, DType, Error, ErrorKind, Expr, Graph, Program,
};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;
use std::time::Duration;

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

/// Types that must be neither `Send` nor `Sync`. If one were `Send`, the call of `is_not` would be ambiguous, and this file would not
/// compile.
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

/// The compiler is a script that never ends. When it has started, another thread cancels the compilation.
#[test]
fn another_thread_ends_a_compilation() {
    let folder = std::env::temp_dir().join(format!("harp-rust-cancel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (compiler, begun) = (folder.join("cc"), folder.join("begun"));
    let script = format!("case \"$*\" in *--version*) echo slow 1.0; exit 0;; esac\ntouch '{}'\nsleep 100000\n", begun.display());
    std::fs::write(&compiler, script).unwrap();
    let mut options = ContextOptions::default();
    options.cache_dir = Some(String::new());
    options.compiler = Some(format!("sh {}", compiler.display()));
    options.compile_timeout_ms = 24 * 60 * 60 * 1000;
    let context = Context::new(&options).unwrap();
    let graph = BuiltGraph::parse_in(&context, "harp 1\ngraph g(x: f64[102]) {\n  return y = sum(exp(x))\n}\n").unwrap();
    let cancel = AtomicI32::new(0);
    let mistake = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !begun.exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            cancel.store(1, Ordering::Relaxed);
        });
        let options = CompileOptions { cancel: Some(&cancel), ..CompileOptions::default() };
        let outcome = graph.compile_with_options("c", options);
        std::fs::write(&begun, "").unwrap(); // the other thread waits for this file, so it also ends if the compiler never started
        outcome.unwrap_err()
    });
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(mistake.kind(), ErrorKind::Cancelled, "{}", mistake);
    // The graph is unchanged.
    cancel.store(0, Ordering::Relaxed);
    let options = CompileOptions { cancel: Some(&cancel), ..CompileOptions::default() };
    assert!(graph.compile_with_options("interp", options).is_ok());
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
