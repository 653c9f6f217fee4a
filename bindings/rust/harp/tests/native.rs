//! Functions of the host program, called by compiled programs.
use harp::{Context, ContextOptions, DType, ErrorKind, Expr, Graph, GraphNode, Native, NativeCall, Tensor};
use harp_sys as sys;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// A closure on f32 that subtracts the mean: y = x - mean(x).
fn centre() -> Native {
    Native::new("centre", |call: &mut NativeCall| {
        let x = call.input::<f32>(0)?;
        let mean = x.iter().sum::<f32>() / x.len().max(1) as f32;
        for (y, x) in call.output::<f32>()?.iter_mut().zip(x) {
            *y = x - mean;
        }
        Ok(())
    })
}

#[test]
fn closures_are_operations_of_tensors_and_graphs() {
    let centre = centre();
    for name in ["c", "interp"] {
        let backend = harp::backend(name).unwrap();
        let x = Tensor::on(&backend, vec![1.0f32, 2.0, 6.0], [3]).unwrap();
        let y: Tensor<f32> = centre.tensor(&[&(&x * 2.0)], [3]).unwrap();
        assert_eq!((y + 1.0).to_vec().unwrap(), [-3.0, -1.0, 7.0], "{}", name);
    }
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([3]).build();
    graph.output("y", &centre.node(&[x], DType::F32, [3]).unwrap());
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]).realize().unwrap();
    assert_eq!(graph.compile().unwrap().run(&[&x]).unwrap()[0].as_slice::<f32>().unwrap(), [-1.0, 0.0, 1.0]);
}

#[test]
fn a_function_is_compiled_once_and_told_apart_from_others() {
    harp::clear_cache();
    let backend = harp::default_backend().unwrap();
    let centre = centre();
    for turn in 0..4 {
        let x = Tensor::from_vec(vec![turn as f32, 2.0], [2]);
        let y: Tensor<f32> = centre.tensor(&[&x], [2]).unwrap();
        assert_eq!(y.to_vec().unwrap(), [turn as f32 / 2.0 - 1.0, 1.0 - turn as f32 / 2.0]);
    }
    assert_eq!(backend.program_count(), 1);
    // Two closures of the same Rust type are different functions, in one program and in two programs.
    let constant = |value: f32| {
        Native::new("constant", move |call: &mut NativeCall| {
            call.output::<f32>()?.fill(value);
            Ok(())
        })
    };
    let (one, two) = (constant(1.0), constant(2.0));
    let sum = one.tensor::<f32>(&[], [2]).unwrap() + two.tensor::<f32>(&[], [2]).unwrap();
    assert_eq!(sum.to_vec().unwrap(), [3.0, 3.0]);
    for (function, expected) in [(&one, 1.0), (&two, 2.0), (&constant(3.0), 3.0), (&constant(4.0), 4.0)] {
        assert_eq!(function.tensor::<f32>(&[], [1]).unwrap().item().unwrap(), expected);
    }
}

#[test]
fn sizes_are_those_of_the_run() {
    let describe = Native::new("describe", |call: &mut NativeCall| {
        let mut numbers: Vec<i64> = vec![call.input_count() as i64];
        for index in 0..call.input_count() {
            numbers.extend(call.input_shape(index)?.iter().map(|&size| size as i64));
        }
        numbers.extend(call.output_shape().iter().map(|&size| size as i64));
        let doubles = call.input::<f64>(1)?;
        numbers.push(doubles.iter().sum::<f64>() as i64);
        call.output::<i64>()?[..numbers.len()].copy_from_slice(&numbers);
        Ok(())
    });
    let mut graph = Graph::new();
    let (n, m) = (Expr::var("n", 0..=50), Expr::var("m", 0..=50));
    let a = graph.input("a").with_dtype(DType::U8).with_shape([n.clone(), 3.into()]).build();
    let b = graph.input("b").with_dtype(DType::F64).with_shape([m.clone()]).build();
    graph.output("y", &describe.node(&[a, b], DType::I64, [n * 2 + m, Expr::from(1)]).unwrap());
    for backend in ["c", "interp"] {
        let program = graph.build().unwrap().compile(backend, &Default::default()).unwrap();
        for (n, m) in [(4usize, 2usize), (5, 1), (4, 0)] {
            let a = Tensor::from_vec(vec![1u8; 3 * n], [n, 3]).realize().unwrap();
            let b = Tensor::from_vec(vec![2.5f64; m], [m]).realize().unwrap();
            let y = program.run(&[&a, &b]).unwrap()[0].to_vec::<i64>().unwrap();
            let (n, m) = (n as i64, m as i64);
            assert_eq!(y[..7], [2, n, 3, m, 2 * n + m, 1, (2.5 * m as f64) as i64], "{}", backend);
            assert!(y[7..].iter().all(|&rest| rest == 0), "the result is zeros before: {:?}", y);
        }
    }
}

#[test]
fn as_many_inputs_as_there_are_entries() {
    let sum = Native::new("sum", |call: &mut NativeCall| {
        let total = (0..call.input_count()).map(|index| call.input::<i32>(index).map(|x| x[0])).sum::<harp::Result<i32>>()?;
        call.output::<i32>()?[0] = total;
        Ok(())
    });
    let numbers: Vec<Tensor<i32>> = (0..9).map(|i| Tensor::from_vec(vec![1 << i], [1])).collect();
    for count in 0..=8usize {
        let given: Vec<&dyn harp::AnyTensor> = numbers[..count].iter().map(|number| number as _).collect();
        assert_eq!(sum.tensor::<i32>(&given, [1]).unwrap().item().unwrap(), (1 << count) - 1);
    }
    let given: Vec<&dyn harp::AnyTensor> = numbers.iter().map(|number| number as _).collect();
    let mistake = sum.tensor::<i32>(&given, [1]).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::InvalidArgument);
    assert!(mistake.message().contains('8') && mistake.message().contains('9'), "{}", mistake);
}

#[test]
fn reasons_and_panics_reach_the_caller() {
    let strict = Native::new("strict", |call: &mut NativeCall| {
        let x = call.input::<f32>(0)?;
        match x[0] as i32 {
            0 => Err("the first element is 0".into()),
            1 => panic!("the first element is {}", x[0]),
            2 => Err(Box::new(call.output::<f64>().unwrap_err())),
            3 => Err(Box::new(call.input::<f32>(7).unwrap_err())),
            _ => {
                call.output::<f32>()?.copy_from_slice(x);
                Ok(())
            }
        }
    });
    for backend in ["c", "interp"] {
        let backend = harp::backend(backend).unwrap();
        let run = |first: f32| {
            let x = Tensor::on(&backend, vec![first, 1.0], [2]).unwrap();
            strict.tensor::<f32>(&[&x], [2]).unwrap().to_vec()
        };
        for (first, reason) in [(0.0, "the first element is 0"), (2.0, "expected elements of f64, but it has f32"), (3.0, "got 7")] {
            let mistake = run(first).unwrap_err();
            assert_eq!(mistake.kind(), ErrorKind::Native);
            assert!(mistake.message().contains("strict") && mistake.message().contains(reason), "{}", mistake);
        }
        let panic = catch_unwind(AssertUnwindSafe(|| run(1.0))).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), "the first element is 1");
        // The backend remains usable.
        assert_eq!(run(5.0).unwrap(), [5.0, 1.0]);
    }
}

thread_local! {
    static ELSEWHERE: RefCell<Option<Tensor<f32>>> = const { RefCell::new(None) };
}

/// A native function cannot run a program: if it realised a source of the tensor that is being computed, it would free arrays that the
/// outer run reads.
#[test]
fn a_function_cannot_use_harp_while_it_runs() {
    let kinds = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = kinds.clone();
    let program = {
        let mut graph = Graph::new();
        let x = graph.input("x").with_shape([1]).build();
        graph.output("y", &(x + 1.0f32));
        graph.compile().unwrap()
    };
    let input = Tensor::from_vec(vec![1.0f32], [1]).realize().unwrap();
    let curious = Native::new("curious", move |call: &mut NativeCall| {
        let mut seen = seen.lock().unwrap();
        seen.push(ELSEWHERE.with(|tensor| tensor.borrow().as_ref().unwrap().realize().unwrap_err()));
        seen.push(program.run(&[&input]).unwrap_err());
        seen.push(harp::BuiltGraph::parse("harp 1\ngraph g(x: f32[n]) {\n  return y = x\n}\n").unwrap_err());
        seen.push(Graph::new().build().unwrap_err());
        call.output::<f32>()?.fill(7.0);
        Ok(())
    });
    let source = Tensor::from_vec(vec![2.0f32; 1000], [1000]) * 3.0;
    ELSEWHERE.with(|tensor| *tensor.borrow_mut() = Some(source.clone()));
    let y = curious.tensor::<f32>(&[], [1]).unwrap() + source;
    assert_eq!(y.to_vec().unwrap(), vec![13.0; 1000]);
    let kinds: Vec<_> = kinds.lock().unwrap().iter().map(|mistake| mistake.kind()).collect();
    assert_eq!(kinds, [ErrorKind::InvalidArgument; 4]);
    let again = ELSEWHERE.with(|tensor| tensor.borrow_mut().take()).unwrap();
    assert_eq!(again.to_vec().unwrap()[0], 6.0);
}

/// Reports when it is dropped.
struct Witness(Arc<AtomicUsize>);
impl Drop for Witness {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn programs_and_graphs_keep_their_functions() {
    let gone = Arc::new(AtomicUsize::new(0));
    let witness = Witness(gone.clone());
    let built = {
        let function = Native::new("witnessed", move |call: &mut NativeCall| {
            call.output::<u64>()?[0] = 1 + witness.0.load(Ordering::SeqCst) as u64;
            Ok(())
        });
        let mut graph = Graph::new();
        graph.output("y", &function.node(&[], DType::U64, [1]).unwrap());
        graph.build().unwrap()
    };
    let program = built.compile("c", &Default::default()).unwrap();
    let other = built.clone();
    drop(built);
    drop(other);
    assert_eq!(gone.load(Ordering::SeqCst), 0);
    let clone = program.clone();
    drop(program);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let program = clone.clone();
            std::thread::spawn(move || (0..50).all(|_| program.run(&[]).unwrap()[0].as_slice::<u64>().unwrap() == [1]))
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    assert_eq!(gone.load(Ordering::SeqCst), 0);
    drop(clone);
    assert_eq!(gone.load(Ordering::SeqCst), 1);
}

#[test]
fn traces_keep_their_functions_until_the_cache_is_cleared() {
    harp::clear_cache();
    let gone = Arc::new(AtomicUsize::new(0));
    let witness = Witness(gone.clone());
    let y = Native::new("witnessed", move |call: &mut NativeCall| {
        call.output::<u64>()?[0] = 1 + witness.0.load(Ordering::SeqCst) as u64;
        Ok(())
    })
    .tensor::<u64>(&[], [1])
    .unwrap();
    assert_eq!(y.item().unwrap(), 1);
    assert_eq!(gone.load(Ordering::SeqCst), 0);
    harp::clear_cache();
    assert_eq!(gone.load(Ordering::SeqCst), 1);
    assert_eq!(y.item().unwrap(), 1);
}

#[test]
fn bools_are_bools() {
    let flip = Native::new("flip", |call: &mut NativeCall| {
        let x = call.input::<bool>(0)?;
        for (y, x) in call.output::<bool>()?.iter_mut().zip(x) {
            *y = !(*y | x); // the output initially contains false
        }
        Ok(())
    });
    let x = Tensor::from_vec((0..999).map(|i| i % 3 == 0).collect(), [999]);
    let y: Tensor<bool> = flip.tensor(&[&x], [999]).unwrap();
    assert!(y.to_vec().unwrap().iter().enumerate().all(|(i, y)| *y == (i % 3 != 0)));
}

#[test]
fn empty_arrays_and_mistakes() {
    let centre = centre();
    let none = Tensor::<f32>::from_vec(vec![], [0, 3]);
    let y: Tensor<f32> = centre.tensor(&[&none], [0, 3]).unwrap();
    assert_eq!(y.to_vec().unwrap(), []);
    let fill = Native::new("fill", |call: &mut NativeCall| {
        let length = call.input::<f32>(0)?.len();
        call.output::<i64>()?[0] = length as i64;
        Ok(())
    });
    assert_eq!(fill.tensor::<i64>(&[&none], [1]).unwrap().item().unwrap(), 0);
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
    let loss = centre.tensor::<f32>(&[&x], [2]).unwrap().sum(.., false);
    assert_eq!(loss.grad(&[&x]).unwrap_err().kind(), ErrorKind::NoGradient);
    assert_eq!(Native::new("a\0b", |_: &mut NativeCall| Ok(())).tensor::<f32>(&[], [1]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(centre.tensor::<f32>(&[&x], [Expr::var("n", 0..=3)]).is_err(), "tensors have no symbolic sizes");
}

#[test]
fn a_context_may_refuse_them() {
    std::thread::spawn(|| {
        let mut options = ContextOptions::default();
        options.refuse_native_ops = true;
        harp::set_context(&Context::new(&options).unwrap());
        let mistake = centre().tensor::<f32>(&[&Tensor::from_vec(vec![1.0f32], [1])], [1]).unwrap_err();
        assert_eq!(mistake.kind(), ErrorKind::Unsupported);
    })
    .join()
    .unwrap();
}

unsafe extern "C" fn add_user(user: *mut std::os::raw::c_void, n: i64, x: *const f32, y: *mut f32) -> i32 {
    let bias = *user.cast::<f32>();
    for i in 0..n as usize {
        *y.add(i) = *x.add(i) + bias;
    }
    i32::from(bias < 0.0) * 41
}

#[test]
fn c_functions_are_called_as_their_signature_says() {
    let mut biases = [2.0f32, -1.0];
    let function: unsafe extern "C" fn(*mut std::os::raw::c_void, i64, *const f32, *mut f32) -> i32 = add_user;
    let natives = biases.iter_mut().map(|bias| unsafe {
        let any: unsafe extern "C" fn() = std::mem::transmute(function);
        Native::from_c("add_user", any, (bias as *mut f32).cast(), "i32(void* user, i64 input0[0], f32* input0, f32* output)")
    });
    let natives: Vec<Native> = natives.collect();
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]);
    let y: Tensor<f32> = natives[0].tensor(&[&x], [2]).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3.0, 4.0]);
    let mistake = natives[1].tensor::<f32>(&[&x], [2]).unwrap().to_vec().unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::Native);
    assert!(mistake.message().contains("41"), "{}", mistake);
    let wrong = unsafe {
        let any: unsafe extern "C" fn() = std::mem::transmute(function);
        Native::from_c("wrong", any, std::ptr::null_mut(), "i32(void* user, f64* input0, f32* output)")
    };
    assert_eq!(wrong.tensor::<f32>(&[&x], [2]).unwrap_err().kind(), ErrorKind::Dtype);
    assert!(natives[0].tensor::<f32>(&[], [2]).is_err(), "its signature has an input");
    let node: GraphNode = Graph::new().input("x").with_shape([2]).build();
    assert!(natives[0].node(&[node], DType::F32, [2]).is_ok());
}

unsafe extern "C" fn count_up(n: i64, y: *mut f32) {
    for i in 0..n as usize {
        *y.add(i) = i as f32;
    }
}

#[test]
fn functions_need_no_inputs() {
    let function: unsafe extern "C" fn(i64, *mut f32) = count_up;
    let of_c = unsafe {
        let any: unsafe extern "C" fn() = std::mem::transmute(function);
        Native::from_c("count_up", any, std::ptr::null_mut(), "void(i64 output[0], f32* output)")
    };
    let of_rust = Native::new("count_up", |call: &mut NativeCall| {
        assert_eq!(call.input_count(), 0);
        for (index, y) in call.output::<f32>()?.iter_mut().enumerate() {
            *y = index as f32;
        }
        Ok(())
    });
    for count_up in [of_c, of_rust] {
        assert_eq!((count_up.tensor::<f32>(&[], [3]).unwrap() + 1.0).to_vec().unwrap(), [1.0, 2.0, 3.0]);
        let mut alone = Graph::new();
        alone.output("y", &count_up.node(&[], DType::F32, [3]).unwrap());
        let alone = alone.build().unwrap();
        let text = alone.print().unwrap();
        assert!(!text.contains("constant") && !text.contains("i64["), "nothing but the function: {}", text);
        let mut graph = Graph::new();
        let x = graph.input("x").with_shape([Expr::var("n", 0..=100)]).build();
        let y = count_up.node(&[], DType::F32, [Expr::var("n", 0..=100)]).unwrap();
        graph.output("y", &(x + y));
        for backend in ["c", "interp"] {
            let y = alone.compile(backend, &Default::default()).unwrap().run(&[]).unwrap();
            assert_eq!(y[0].as_slice::<f32>().unwrap(), [0.0, 1.0, 2.0]);
            let program = graph.build().unwrap().compile(backend, &Default::default()).unwrap();
            for n in [2usize, 5] {
                let x = Tensor::from(vec![0.5f32; n]).realize().unwrap();
                let expected: Vec<f32> = (0..n).map(|i| i as f32 + 0.5).collect();
                assert_eq!(program.run(&[&x]).unwrap()[0].as_slice::<f32>().unwrap(), expected);
            }
        }
    }
}

/// A closure fails in a run that calls the C library directly (as_raw). The error of a later run does not contain its reason.
#[test]
fn an_old_reason_is_forgotten() {
    let mut bias = -1.0f32;
    let function: unsafe extern "C" fn(*mut std::os::raw::c_void, i64, *const f32, *mut f32) -> i32 = add_user;
    let fails = unsafe {
        let any: unsafe extern "C" fn() = std::mem::transmute(function);
        let signature = "i32(void* user, i64 input0[0], f32* input0, f32* output)";
        Native::from_c("fails", any, (&mut bias as *mut f32).cast(), signature)
    };
    let panics = Native::new("panics", |call: &mut NativeCall| {
        let x = call.input::<f32>(0)?[0];
        assert!(x < 5.0, "{} is too much", x);
        call.output::<f32>()?[0] = x;
        Ok(())
    });
    let mut graph = Graph::new();
    let x = graph.input("x").with_shape([1]).build();
    graph.output("y", &fails.node(&[panics.node(&[x], DType::F32, [1]).unwrap()], DType::F32, [1]).unwrap());
    let program = graph.compile().unwrap();
    let (x, mut y, dims) = ([9.0f32], [0.0f32], [1i64]);
    let input = sys::harp_const_array { data: x.as_ptr().cast(), dims: dims.as_ptr(), dtype: sys::HARP_F32, rank: 1 };
    let output = sys::harp_array { data: y.as_mut_ptr().cast(), dims: dims.as_ptr(), dtype: sys::HARP_F32, rank: 1 };
    // Safety: arrays of one element, and a program with one input and one output.
    let status = unsafe { sys::harp_program_call(program.as_raw(), 1, &input, 1, &output, std::ptr::null(), std::ptr::null_mut()) };
    assert_eq!(status, sys::HARP_ERROR_NATIVE);
    let x = Tensor::from_vec(vec![1.0f32], [1]).realize().unwrap();
    let mistake = program.run(&[&x]).unwrap_err();
    assert!(mistake.message().contains("41") && !mistake.message().contains("too much"), "{}", mistake);
}
