//! Unusual things that safe code can do: each gives an error or the right values.
use harp::{Array, ArrayMut, BuiltGraph, Configuration, DType, ErrorKind, Expr, Graph, GraphNode, Program, RunOptions, Tensor};
use std::mem::MaybeUninit;

fn doubling() -> Graph {
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([Expr::var("n", 0..=1_000_000)]).build();
    graph.output("y", &(x * 2.0f32));
    graph
}

/// Objects may be dropped in any order: each keeps alive what it needs.
#[test]
fn things_may_be_dropped_in_any_order() {
    let program: Program = std::thread::spawn(|| {
        let context = harp::Context::new(&harp::ContextOptions::default()).unwrap();
        harp::set_context(&context);
        doubling().build().unwrap().compile("c", &Configuration::default()).unwrap()
    })
    .join()
    .unwrap();
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]).realize().unwrap();
    let y = program.run(&[&x]).unwrap().remove(0);
    drop((program, x));
    let values = std::thread::spawn(move || y.into_vec::<f32>().unwrap()).join().unwrap();
    assert_eq!(values, [2.0, 4.0]);

    let tensor = {
        let interp = harp::backend("interp").unwrap();
        Tensor::on(&interp, vec![1.0f32], [1]).unwrap() + 1.0
    };
    harp::set_context(&harp::Context::new(&harp::ContextOptions::default()).unwrap());
    harp::clear_cache();
    assert_eq!(tensor.item().unwrap(), 2.0);
    let node = doubling().input("late").build(); // the graph of the node is dropped
    assert_eq!((node + 1.0f32).dtype(), DType::F32);
}

/// Tensors in a thread-local variable may be dropped last of all, when the thread ends.
#[test]
fn tensors_may_outlive_the_threads_registry() {
    thread_local! {
        static LAST: std::cell::RefCell<Vec<Tensor<f32>>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    std::thread::spawn(|| {
        LAST.with(|last| last.borrow_mut().clear()); // created before the registry, so dropped after it
        let x = Tensor::from_vec(vec![1.0f32; 1000], [1000]);
        let y = &x * 2.0 + 1.0;
        y.realize().unwrap();
        LAST.with(|last| last.borrow_mut().extend([x.clone() + 1.0, y, x]));
    })
    .join()
    .unwrap();
}

#[test]
fn arrays_are_looked_at_before_anything_is_written() {
    let program = doubling().compile().unwrap();
    let (x, mut y) = ([1.0f32; 4], [7.0f32; 4]);
    let input = Array::new(&x, &[4]).unwrap();
    let cases: [(&[Array], &[i64], usize, ErrorKind); 4] = [
        (&[], &[4], 1, ErrorKind::InvalidArgument),
        (&[input, input], &[4], 1, ErrorKind::InvalidArgument),
        (&[input], &[2, 2], 1, ErrorKind::Shape),
        (&[input], &[4], 0, ErrorKind::InvalidArgument),
    ];
    for (inputs, dims, outputs, kind) in cases {
        let mut output = [ArrayMut::new(&mut y, dims).unwrap()];
        assert_eq!(program.call(inputs, &mut output[..outputs]).unwrap_err().kind(), kind);
    }
    assert_eq!(y, [7.0; 4]);
    for dims in [&[-1i64, -4][..], &[i64::MAX, i64::MAX], &[4, 0], &[4; 17]] {
        assert_eq!(Array::new(&x, dims).unwrap_err().kind(), ErrorKind::Shape, "{:?}", dims);
        assert_eq!(ArrayMut::new(&mut y, dims).unwrap_err().kind(), ErrorKind::Shape, "{:?}", dims);
    }
    assert!(Array::new(&x[..1], &[1; 17]).is_err(), "17 axes");
    let mut memory = vec![MaybeUninit::<u8>::uninit(); 4096];
    let odd = memory.as_ptr().align_offset(64) + 1;
    let options = RunOptions { workspace: Some(&mut memory[odd..]), ..RunOptions::default() };
    let outcome = program.call_with_options(&[input], &mut [ArrayMut::new(&mut y, &[4]).unwrap()], options);
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::InvalidArgument);
    let options = RunOptions { shape_vars: &[("n", 3)], ..RunOptions::default() };
    let outcome = program.call_with_options(&[input], &mut [ArrayMut::new(&mut y, &[4]).unwrap()], options);
    assert!(outcome.is_err(), "n is 4");
    program.call(&[input], &mut [ArrayMut::new(&mut y, &[4]).unwrap()]).unwrap();
    assert_eq!(y, [2.0; 4]);
}

#[test]
fn empty_arrays_and_arrays_of_rank_0() {
    let program = doubling().compile().unwrap();
    let (x, mut y): ([f32; 0], [f32; 0]) = ([], []);
    program.call(&[Array::new(&x, &[0]).unwrap()], &mut [ArrayMut::new(&mut y, &[0]).unwrap()]).unwrap();
    let none = Tensor::<f32>::from_vec(Vec::new(), [0]).realize().unwrap();
    assert!(none.is_empty() && program.run(&[&none]).unwrap()[0].is_empty());
    for dims in [&[0usize][..], &[3, 0], &[0, 0, 5]] {
        let none = Tensor::<i32>::from_vec(Vec::with_capacity(10), dims);
        assert_eq!((&none + 1).to_vec().unwrap(), []);
        assert_eq!(none.sum(.., false).item().unwrap(), 0);
        assert_eq!(none.to_vec().unwrap(), []);
    }
    assert_eq!(Tensor::<f32>::from_vec(vec![], [2, 0]).to_string(), "[[], []]");
    assert_eq!(Tensor::from(3i8).to_string(), "3");
    assert!(Tensor::from_vec(vec![true], [] as [i64; 0]).item().unwrap());
    // A vector that becomes a tensor and then a vector again keeps its memory, including the spare capacity.
    let mut spare = Vec::with_capacity(64);
    spare.push(1.0f64);
    let place = spare.as_ptr();
    let tensor = Tensor::from_vec(spare, [1]);
    let buffer = tensor.realize().unwrap();
    drop(tensor);
    let back = buffer.into_vec::<f64>().unwrap();
    assert_eq!((back.as_ptr(), back.capacity()), (place, 64));
}

#[test]
fn sizes_of_tensors_are_numbers() {
    let n = || Expr::var("n", 1..=4);
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
    let mistakes = [
        x.try_expand([n(), Expr::from(2)]).unwrap_err(),
        Tensor::<i32>::arange_from(0, n(), 1).unwrap_err(),
        x.try_repeat(n(), 0).unwrap_err(),
        Tensor::<f32>::try_eye(n(), 3).unwrap_err(),
        x.try_reshape([Expr::Var("m".to_owned())]).unwrap_err(),
    ];
    for mistake in mistakes {
        assert!(matches!(mistake.kind(), ErrorKind::InvalidArgument | ErrorKind::Shape), "{:?}", mistake);
    }
    assert_eq!(Tensor::try_from_vec(vec![1.0f32], [n()]).unwrap_err().kind(), ErrorKind::Shape);
}

/// In the C library, a number far below 0 may be the handle of a symbolic size. Here, such numbers are never accepted as sizes.
#[test]
fn numbers_are_no_handles() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
    for size in [i64::MIN, i64::MIN + 1, i64::MIN + 2, -(1 << 62) - 1, -(1 << 62), -2, i64::MAX] {
        assert!(x.try_reshape([size]).is_err(), "{}", size);
        assert!(x.try_expand([size, 2]).is_err(), "{}", size);
    }
    assert_eq!(Tensor::<i64>::arange_from(0, i64::MIN + 2, -1).unwrap_err().kind(), ErrorKind::InvalidArgument);
    // In the C library, this number is the handle of the first variable of the 3000th graph of a process. If it were passed on as a size,
    // it would be the variable n of one of these graphs.
    let handle = -(1i64 << 62) - 1 - (3000 << 31);
    for _ in 0..4000 {
        let mut graph = Graph::new();
        graph.input("x").with_shape([Expr::var("n", 0..=9), Expr::Const(handle)]).build();
        assert_eq!(graph.build().unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn too_many_results_are_an_error() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
    for sections in [0, -1, 3, i32::MAX] {
        assert!(x.try_split(sections, 0).is_err(), "{}", sections);
    }
}

#[test]
fn an_output_belongs_to_its_graph() {
    let mut other = Graph::new();
    other.set_name("other");
    let foreign = other.input("y").with_shape([2]).build();
    let mut graph = doubling();
    graph.output("z", &(&foreign + 1.0f32));
    let mistake = graph.build().unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::InvalidArgument);
    assert!(mistake.message().contains("\"z\"") && mistake.message().contains("\"other\""), "{}", mistake);
    let mut graph = doubling();
    graph.output("ones", &GraphNode::full(1.0f32, [2]).unwrap());
    assert!(graph.build().is_ok(), "constants are anybody's");
}

#[test]
fn graphs_of_many_nodes() {
    let mut graph = Graph::new();
    let x = graph.input("x").with_dtype(DType::I64).with_shape([4]).build();
    let mut y = x.clone();
    for turn in 0..100_000i64 {
        y = &y + &x * (turn % 7);
    }
    drop((y, x));
    let x = graph.input("z").with_dtype(DType::I64).with_shape([4]).build();
    let mut y = x.clone();
    for _ in 0..3000 {
        y = &y + &x;
    }
    graph.output("y", &y);
    let program = graph.build().unwrap().compile("interp", &Configuration::default()).unwrap();
    let x = Tensor::from_vec(vec![1i64, 2, 3, 4], [4]).realize().unwrap();
    assert_eq!(program.run(&[&x, &x]).unwrap()[0].as_slice::<i64>().unwrap(), [3001, 6002, 9003, 12004]);
}

/// As `harp.h` says, any number of threads may compile a graph that nobody changes.
#[test]
fn threads_read_and_compile_one_graph() {
    let graph: BuiltGraph = doubling().build().unwrap();
    let text = graph.print().unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (graph, text) = (graph.clone(), text.clone());
            std::thread::spawn(move || {
                for _ in 0..20 {
                    assert_eq!(graph.print().unwrap(), text);
                    assert!(graph.dot().unwrap().starts_with("digraph"));
                    assert!(graph.emit("ir", &Configuration::default()).is_ok());
                    graph.compile("interp", &Configuration::default()).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn texts_with_a_zero_byte_are_mistakes() {
    assert_eq!(BuiltGraph::parse("harp 1\0").unwrap_err().kind(), ErrorKind::Parse);
    let mut graph = Graph::new();
    graph.input("a\0b").build();
    assert_eq!(graph.build().unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(harp::backend("c\0").unwrap_err().kind(), ErrorKind::InvalidArgument);
    let x = Tensor::from_vec(vec![1.0f32], [1]);
    assert_eq!(Tensor::custom_elementwise(&[&x], "x0\0").unwrap_err().kind(), ErrorKind::InvalidArgument);
    let configuration = Configuration { compiler_flags: vec!["-O1\0".to_owned()], ..Configuration::default() };
    assert_eq!((x + 1.0).realize_with_config(&configuration).unwrap_err().kind(), ErrorKind::InvalidArgument);
}
