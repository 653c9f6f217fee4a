//! Graphs with symbolic sizes, and the functions that describe programs.
//!
//! rows: G11.constants/rust G11.operators/rust
use harp::{Array, ArrayMut, BuiltGraph, Configuration, DType, ErrorKind, Expr, Graph, GraphNode, RunOptions, Tensor};
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicI32;

#[test]
fn sizes_are_chosen_by_each_run() {
    let mut graph = Graph::with_flags(harp::GRAPH_BROADCAST);
    let n = Expr::var("n", 0..=100);
    let x = graph.input("x").with_shape([n.clone() * 2, 3.into()]).build();
    let halves = x.slice(None, None, Some(&[2, 1]));
    assert_eq!(halves.shape()[0].to_string(), "n");
    graph.output("y", &halves.sum(1, false));
    graph.output("count", &GraphNode::size(n).unwrap());
    let program = graph.compile().unwrap();
    for rows in [0usize, 2, 6] {
        let x = Tensor::from_vec((0..rows * 3).map(|i| i as f32).collect(), [rows, 3]).realize().unwrap();
        let results = program.run(&[&x]).unwrap();
        let expected: Vec<f32> = (0..rows).step_by(2).map(|row| (9 * row + 3) as f32).collect();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), expected);
        assert_eq!(results[1].to_vec::<i64>().unwrap(), [rows as i64 / 2]);
    }
    let odd = Tensor::from_vec(vec![0.0f32; 9], [3, 3]).realize().unwrap();
    assert_eq!(program.run(&[&odd]).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn constants_of_every_number_type() {
    let mut graph = Graph::new();
    let typed = [
        (GraphNode::from(true), DType::Bool),
        (GraphNode::from(-1i8), DType::I8),
        (GraphNode::from(1u8), DType::U8),
        (GraphNode::from(-1i16), DType::I16),
        (GraphNode::from(1u16), DType::U16),
        (GraphNode::from(1u32), DType::U32),
        (GraphNode::from(u64::MAX), DType::U64),
        (GraphNode::from(0.1f32), DType::F32),
        (GraphNode::from(0.1f64), DType::F64),
        (GraphNode::from((0.1f32, 1.0)), DType::Complex64),
        (GraphNode::from((0.1f64, 1.0)), DType::Complex128),
    ];
    for (index, (node, dtype)) in typed.iter().enumerate() {
        assert_eq!(node.dtype(), *dtype);
        graph.output(&format!("y{}", index), node);
    }
    for (node, dtype) in
        [(GraphNode::from(5isize), DType::I16), (5i32.into(), DType::U64), (5i64.into(), DType::F64), (5usize.into(), DType::I8)]
    {
        assert_eq!(node.dtype(), DType::Unknown);
        let x = graph.input(dtype.name()).with_dtype(dtype).with_shape([2]).build();
        assert_eq!((&x + &node).dtype(), dtype);
        assert_eq!((3i32 * x + node).dtype(), dtype);
    }
    let results = graph.build().unwrap().compile("interp", &Configuration::default());
    assert!(results.is_ok(), "{:?}", results);
    let x = graph.input("bytes").with_dtype(DType::U8).with_shape([2]).build();
    assert_eq!(x.try_add(300).unwrap_err().kind(), ErrorKind::Range);
    assert_eq!(GraphNode::constant_of(DType::I32, 2.5).unwrap_err().kind(), ErrorKind::Range);
}

#[test]
fn operators_of_nodes_and_numbers() {
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([3]).build();
    let i = graph.input("i").with_dtype(DType::I32).with_shape([3]).build();
    let nodes = [
        &x + 1.0f32,
        1.0f32 - &x,
        &x * &x,
        8.0f32 / x.clone(),
        &x % 3.0f32,
        -&x,
        (7i32 % &i).cast(DType::F32),
        ((&i & 1) | 2).cast(DType::F32),
    ];
    for (index, node) in nodes.iter().enumerate() {
        graph.output(&index.to_string(), node);
    }
    let program = graph.compile().unwrap();
    let x = Tensor::from_vec(vec![1.0f32, 4.0, -8.0], [3]).realize().unwrap();
    let i = Tensor::from_vec(vec![1i32, 2, 3], [3]).realize().unwrap();
    let results: Vec<Vec<f32>> = program.run(&[&x, &i]).unwrap().iter().map(|y| y.to_vec().unwrap()).collect();
    let expected = [
        [2.0, 5.0, -7.0],
        [0.0, -3.0, 9.0],
        [1.0, 16.0, 64.0],
        [8.0, 2.0, -1.0],
        [1.0, 1.0, -2.0],
        [-1.0, -4.0, 8.0],
        [0.0, 1.0, 1.0],
        [3.0, 2.0, 3.0],
    ];
    assert_eq!(results, expected);
}

#[test]
fn mistakes_name_the_graphs_inputs() {
    let mut graph = Graph::new();
    let x = graph.input("weights").with_shape([2, 3]).build();
    let y = graph.input("rows").with_shape([4]).build();
    let mistake = x.try_add(&y).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::Shape);
    assert!(mistake.message().contains("weights") && mistake.message().contains("rows"), "{}", mistake);
    let z = graph.input("z").with_dtype(DType::F64).with_shape([4]).build();
    assert_eq!(y.try_mul(&z).unwrap_err().kind(), ErrorKind::Dtype);
    let mut other = Graph::new();
    let foreign = other.input("rows").with_shape([4]).build();
    assert_eq!(y.try_add(&foreign).unwrap_err().kind(), ErrorKind::InvalidArgument);
    graph.input("z").build();
    assert_eq!(graph.build().unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn programs_say_what_they_take_and_give() {
    let mut graph = Graph::new();
    graph.set_name("scale");
    let x = graph.input("x").with_shape([Expr::var("n", 1..=64), 2.into()]).build();
    graph.output("y", &(x * 2.0f32));
    let program = graph.compile().unwrap();
    assert_eq!(program.signature().unwrap(), "scale(x: f32[n, 2]) -> y: f32[n, 2] (in place of x) where n in 1..64");
    assert_eq!((program.input_count(), program.output_count()), (1, 1));
    let (input, output) = (program.input(0).unwrap(), program.output(0).unwrap());
    assert_eq!((&*input.name, input.dtype, &*input.shape, &input.dims[..]), ("x", DType::F32, "[n, 2]", &[-1i64, 2][..]));
    assert_eq!(output.in_place, [0]);
    assert_eq!(program.output(1).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(program.source().unwrap().contains("entry_point"));
    assert_eq!(program.stats().unwrap().kernels, 1);
}

#[test]
fn calls_take_slices_workspace_and_a_flag() {
    let mut graph = Graph::new();
    let n = Expr::var("n", 1..=64);
    let x = graph.input("x").with_shape([2]).build();
    graph.output("y", &(x.sum(.., false) + GraphNode::arange_from(DType::F32, 0, n, 1).unwrap()));
    let program = graph.compile().unwrap();
    let (x, mut y) = ([1.0f32, 2.0], [0.0f32; 3]);
    let mut workspace = vec![MaybeUninit::uninit(); program.workspace_size(&[3], 1).unwrap() + 64];
    let skip = workspace.as_ptr().align_offset(64);
    let options = RunOptions { shape_vars: &[("n", 3)], workspace: Some(&mut workspace[skip..]), ..RunOptions::default() };
    program.call_with_options(&[Array::new(&x, &[2]).unwrap()], &mut [ArrayMut::new(&mut y, &[3]).unwrap()], options).unwrap();
    assert_eq!(y, [3.0, 4.0, 5.0]);
    let flag = AtomicI32::new(1);
    let options = RunOptions { shape_vars: &[("n", 3)], cancel: Some(&flag), ..RunOptions::default() };
    let outcome = program.call_with_options(&[Array::new(&x, &[2]).unwrap()], &mut [ArrayMut::new(&mut y, &[3]).unwrap()], options);
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled);
    let outcome = program.call(&[Array::new(&x, &[2]).unwrap()], &mut [ArrayMut::new(&mut y, &[3]).unwrap()]);
    assert!(outcome.is_err(), "n follows from no input");
    assert_eq!(Array::new(&x, &[3]).unwrap_err().kind(), ErrorKind::Shape);
    let wrong = [1i32, 2];
    let outcome = program.call(&[Array::new(&wrong, &[2]).unwrap()], &mut [ArrayMut::new(&mut y, &[3]).unwrap()]);
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Dtype);
}

#[test]
fn texts_and_pictures() {
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([4]).build();
    graph.output("y", &x.exp());
    let built = graph.build().unwrap();
    let text = built.print().unwrap();
    assert_eq!(BuiltGraph::parse(&text).unwrap().print().unwrap(), text);
    assert!(built.dot().unwrap().starts_with("digraph"));
    assert!(built.emit("c", &Configuration::default()).unwrap().contains("kernel_main"));
    let mistake = BuiltGraph::parse("harp 1\ngraph g(x: f32[n]) {\n  return y = frobnicate(x)\n}\n").unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::Parse);
    assert!(mistake.message().contains("frobnicate"), "{}", mistake);
}

#[test]
fn gradients_of_nodes() {
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([3]).build();
    let loss = x.square().sum(.., false);
    let slope = &loss.grad(std::slice::from_ref(&x)).unwrap()[0];
    assert_eq!(slope.shape(), x.shape());
    graph.output("slope", slope);
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]).realize().unwrap();
    assert_eq!(graph.compile().unwrap().run(&[&x]).unwrap()[0].as_slice::<f32>().unwrap(), [2.0, 4.0, 6.0]);
    let free = GraphNode::arange(3).cast(DType::F32);
    assert_eq!(loss.grad(&[free]).unwrap_err().kind(), ErrorKind::NoGradient);
}

#[test]
fn functions_of_ones_own_read_any_element() {
    use harp::ast::{helper::*, DType as Type, Scope};
    use harp::graph::custom_placeholders as ph;
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([2, 3]).build();
    // y[i, j] = x[i, 0] + x[i, 2], times 10 where j > 0. The loop has the step 2, and x is read by flat indices.
    let flat = |column: harp::ast::AstNode| load(var(ph::input(0)), var(ph::ridx(0)) * var(ph::shape(1)) + column, Type::F32);
    let inner = block(
        vec![
            declare("sum", const_f32(0.0)),
            range("k", const_int(0), const_int(2), const_int(3), assign("sum", var("sum") + flat(var("k")))),
            if_else(gt(var(ph::ridx(1)), const_int(0)), assign("sum", var("sum") * 10.0f32), assign("sum", -(-var("sum")))),
            store(var(ph::OUTPUT), element(2), var("sum")),
        ],
        Scope::new(),
    );
    let columns = range(ph::ridx(1), const_int(0), const_int(1), var(ph::shape(1)), inner);
    let function = range(ph::ridx(0), const_int(0), const_int(1), var(ph::shape(0)), block(vec![columns], Scope::new()));
    graph.output("y", &x.custom_function(function.clone()));
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).realize().unwrap();
    let y = &graph.compile().unwrap().run(&[&x]).unwrap()[0];
    assert_eq!(y.as_slice::<f32>().unwrap(), [4.0, 40.0, 40.0, 10.0, 100.0, 100.0]);

    let integers = graph.input("i").with_dtype(DType::I32).with_shape([2, 3]).build();
    let dims = [2, 3];
    assert_eq!(GraphNode::try_custom_function(&[integers], &function, dims).unwrap_err().kind(), ErrorKind::Dtype);
    let elsewhere = range(ph::ridx(0), const_int(0), const_int(1), var(ph::shape(0)), store(var(ph::OUTPUT), const_int(0), const_f32(1.0)));
    assert_eq!(elsewhere.body(&[], 1).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(store(var(ph::OUTPUT), var(ph::ridx(0)), const_f32(1.0)).body(&[], 1).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn functions_of_ones_own_have_several_results() {
    let body = "output1 = -1
        for i in 0 .. size(input0, 1) {
            if (output1 < 0) | (input0[ridx0, i] > output0) {
                output0 = input0[ridx0, i]
                output1 = i
            }
        }";
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([2, 3]).build();
    let made = GraphNode::loop_function_results(std::slice::from_ref(&x), body, &[DType::F32, DType::I64], [2]).unwrap();
    assert_eq!((made[0].dtype(), made[1].dtype()), (DType::F32, DType::I64));
    graph.output("greatest", &made[0]);
    graph.output("place", &made[1]);
    let array = Tensor::from_vec(vec![1.0f32, 3.0, 2.0, -4.0, -5.0, -6.0], [2, 3]).realize().unwrap();
    let results = graph.compile().unwrap().run(&[&array]).unwrap();
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [3.0, -4.0]);
    assert_eq!(results[1].as_slice::<i64>().unwrap(), [1, 0]);

    let kind = |dtypes: &[DType]| GraphNode::loop_function_results(std::slice::from_ref(&x), body, dtypes, [2]).unwrap_err().kind();
    assert_eq!(kind(&[DType::F32]), ErrorKind::Parse);
    assert_eq!(kind(&[DType::F32, DType::I64, DType::I64]), ErrorKind::InvalidArgument);
    assert_eq!(kind(&[DType::F32, DType::Complex64]), ErrorKind::Dtype);
    assert_eq!(kind(&[]), ErrorKind::InvalidArgument);
}

#[test]
fn arrays_of_constants_go_with_any_graph() {
    let weights = GraphNode::constant_array(&[0.25f32, 0.5, 0.25], [3]).unwrap();
    for flags in [0, harp::GRAPH_BROADCAST] {
        let mut graph = Graph::with_flags(flags);
        let x = graph.input("x").with_shape([3]).build();
        graph.output("y", &(x * &weights));
        let x = Tensor::from_vec(vec![4.0f32, 4.0, 8.0], [3]).realize().unwrap();
        assert_eq!(graph.compile().unwrap().run(&[&x]).unwrap()[0].as_slice::<f32>().unwrap(), [1.0, 2.0, 2.0]);
    }
    assert_eq!(GraphNode::constant_array(&[1.0f32], [2]).unwrap_err().kind(), ErrorKind::Shape);
}

/// An integer without a dtype of its own takes that of the array next to it, which must be able to hold it.
#[test]
fn integers_next_to_narrow_dtypes_must_fit() {
    for flags in [0, harp::GRAPH_PROMOTE, harp::GRAPH_PROMOTE_MIXED] {
        let mut graph = Graph::with_flags(flags);
        let x = graph.input("x").with_dtype(DType::U8).with_shape([3]).build();
        let mistakes = [
            x.try_lt(300),
            x.try_add(-1),
            GraphNode::constant(256i64).try_gt(&x),
            x.try_clip(0, 300usize),
            GraphNode::try_where(x.gt(2), &x, 300isize),
        ];
        for mistake in mistakes.map(Result::unwrap_err) {
            assert_eq!(mistake.kind(), ErrorKind::Range, "{}", mistake);
            assert!(mistake.message().contains("does not fit u8"), "{}", mistake);
        }
        assert_eq!(x.lt(255).dtype(), DType::Bool);
    }
}

#[test]
fn runs_say_which_input_does_not_fit() -> harp::Result<()> {
    let mut graph = Graph::new();
    let (n, m) = (Expr::var("n", 0..=100), Expr::var("m", 1..=50));
    let x = graph.input("x").with_shape([n, m.clone()]).build();
    let w = graph.input("w").with_shape([m]).build();
    graph.output("y", &x);
    graph.output("z", &w);
    let program = graph.build()?.compile("interp", &Configuration::default())?;
    let zeros = |dims: &[usize]| harp::Buffer::from_vec(vec![0.0f32; dims.iter().product()], dims);
    let mistake = |x: &[usize], w: &[usize]| -> harp::Result<harp::Error> { Ok(program.run(&[&zeros(x)?, &zeros(w)?]).unwrap_err()) };

    let rank = mistake(&[2], &[2])?;
    assert_eq!((rank.kind(), rank.message().contains("input \"x\"")), (ErrorKind::Shape, true), "{}", rank);
    let bounds = mistake(&[101, 1], &[1])?;
    assert_eq!((bounds.kind(), bounds.message().contains("axis 0 of input \"x\"")), (ErrorKind::Range, true), "{}", bounds);
    let differing = mistake(&[2, 3], &[2])?;
    assert_eq!((differing.kind(), differing.message().contains("input \"w\"")), (ErrorKind::Shape, true), "{}", differing);
    let few = program.run(&[]).unwrap_err();
    assert!(few.message().contains("the program has 2 inputs, but got 0"), "{}", few);
    assert_eq!(program.run(&[&zeros(&[2, 3])?, &zeros(&[3])?])?[0].shape(), [2, 3]);
    Ok(())
}

#[test]
fn arrays_have_at_most_sixteen_axes() {
    for mistake in [
        Tensor::try_from_vec(vec![1.0f32], [1usize; 17]).unwrap_err(),
        harp::Buffer::from_vec(vec![1.0f32], [1usize; 17]).unwrap_err(),
        Array::new(&[1.0f32], &[1; 17]).unwrap_err(),
    ] {
        assert_eq!((mistake.kind(), mistake.message()), (ErrorKind::Shape, "expected a shape of at most 16 axes, got 17"));
    }
    assert_eq!(Tensor::from_vec(vec![1.0f32], [1usize; 16]).item().unwrap(), 1.0);
}
