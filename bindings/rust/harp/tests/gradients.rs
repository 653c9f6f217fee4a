//! Gradients of tensors that were partly computed before: never silently incomplete, and no false errors.
use harp::{ErrorKind, Jit, Tensor};

fn on_interp(elements: &[f64]) -> Tensor<f64> {
    Tensor::on(&harp::backend("interp").unwrap(), elements.to_vec(), [elements.len()]).unwrap()
}

fn gradient(y: &Tensor<f64>, x: &Tensor<f64>) -> harp::Result<Vec<f64>> {
    y.sum(.., false).grad(&[x])?[0].to_vec()
}

fn fails(y: &Tensor<f64>, x: &Tensor<f64>, reason: &str) {
    for zero_where_independent in [false, true] {
        let mistake = y.sum(.., false).grad_with(&[x], None, zero_where_independent).unwrap_err();
        assert_eq!(mistake.kind(), ErrorKind::NoGradient);
        assert!(mistake.message().contains(reason) && mistake.message().contains("realize()"), "{}", mistake);
    }
}

#[test]
fn values_that_were_read_are_missed() {
    let x = on_interp(&[1.0, 2.0]);
    assert_eq!(gradient(&(&x * &x * &x), &x).unwrap(), [3.0, 12.0]);
    let reads: [fn(&Tensor<f64>); 3] = [
        |s| assert_eq!(s.to_vec().unwrap(), [1.0, 4.0]),
        |s| assert_eq!(s.to_string(), "[1.0, 4.0]"),
        |s| {
            let jit = Jit::new(|x| Ok(vec![&x[0] + 1.0f64]));
            assert_eq!(jit.call_tensors::<f64>(&[s]).unwrap()[0].to_vec().unwrap(), [2.0, 5.0]);
        },
    ];
    for read in reads {
        let s = &x * &x;
        let before = gradient(&(&s * &x), &x).unwrap();
        assert_eq!(before, [3.0, 12.0]);
        read(&s);
        fails(&(&s * &x), &x, "shape [2] that was computed earlier, because its values were read");
        fails(&s, &x, "values were read");
    }
    let s = &x * &x;
    s.to_vec().unwrap();
    let both = (&s * &x).sum(.., false).grad(&[&s, &x]).unwrap_err(); // a gradient for s exists, but none for x
    assert_eq!(both.kind(), ErrorKind::NoGradient);
    let one = on_interp(&[3.0]);
    let square = &one * &one;
    assert_eq!(square.item().unwrap(), 9.0);
    fails(&(&square * &one), &one, "values were read");
}

#[test]
fn long_traces_are_missed() {
    let x = on_interp(&[1.0]);
    let mut y = x.clone();
    for _ in 0..12_000 {
        y = &y + &x;
    }
    fails(&y, &x, "more than 10,000 operations");
    // After the result has been read, the error gives that as the reason.
    let z = &y * 2.0;
    assert_eq!(z.item().unwrap(), 24_002.0);
    fails(&z, &x, "values were read");
}

#[test]
fn a_constant_is_one_on_purpose() {
    let x = on_interp(&[1.0, 2.0]);
    let s = &x * &x;
    s.realize().unwrap();
    assert_eq!(gradient(&(&s * &x), &x).unwrap(), [1.0, 4.0]);
    // A realised tensor is also a constant if it was read before, or was realised together with others.
    let (t, u) = (&x * 3.0, &x * 5.0);
    t.to_vec().unwrap();
    u.to_vec().unwrap();
    Tensor::realize_all(&[&t, &u]).unwrap();
    assert_eq!(gradient(&(&t * &u * &x), &x).unwrap(), [15.0, 60.0]);
    // b was read before its source a became a constant: gradients through b still fail.
    let a = &x * 2.0;
    a.to_vec().unwrap();
    let b = &a * 2.0;
    b.to_vec().unwrap();
    a.realize().unwrap();
    fails(&(&b * &x), &x, "values were read");
    fails(&(&b * &a), &a, "values were read");
    assert_eq!(gradient(&(&a * &x), &x).unwrap(), [2.0, 4.0]);
}

/// Gradients through arrays that were computed in several steps, and with respect to tensors that were computed only after others had been
/// computed from them.
#[test]
fn sources_are_known_through_what_is_gone() {
    let x = on_interp(&[1.0, 2.0]);
    let mut state = x.clone();
    for _ in 0..5 {
        state = &state * 2.0;
        state.to_vec().unwrap();
    }
    fails(&(&state * &x), &x, "values were read");
    let middle = &x + 1.0;
    let s = &middle * &middle;
    s.to_vec().unwrap();
    fails(&(&s * &middle), &middle, "values were read"); // middle is lazy
    middle.realize().unwrap();
    fails(&(&s * &middle), &middle, "values were read"); // middle is a constant now, but s was computed from it before
    let other = &x + 2.0;
    let y = &other * &x;
    other.to_vec().unwrap();
    fails(&y, &x, "values were read"); // computed after y was recorded
    assert_eq!(gradient(&y, &other).unwrap(), [1.0, 2.0]);
}

#[test]
fn there_are_no_false_alarms() {
    let (x, stranger) = (on_interp(&[1.0, 2.0]), on_interp(&[5.0, 7.0]));
    let s = &x * &x;
    s.to_vec().unwrap();
    // Gradients with respect to an array that was read, to arrays that were computed from it later, and to unrelated arrays exist.
    assert_eq!(gradient(&(&s * &s), &s).unwrap(), [2.0, 8.0]);
    let later = &s * 2.0;
    assert_eq!(gradient(&(&later * &s), &later).unwrap(), [1.0, 4.0]);
    later.to_vec().unwrap();
    assert_eq!(gradient(&(&later * &later), &later).unwrap(), [4.0, 16.0]);
    assert_eq!(gradient(&(&s * &stranger), &stranger).unwrap(), [1.0, 4.0]);
    // The gradient with respect to a sibling (an array with the same sources) exists, too.
    let sibling = &x + 1.0;
    assert_eq!(gradient(&(&s * &sibling), &sibling).unwrap(), [1.0, 4.0]);
    // Gradients with respect to realised tensors, and to constants such as zeros, exist, too.
    x.realize().unwrap();
    assert_eq!(gradient(&(&x * &x), &x).unwrap(), [2.0, 4.0]);
    let zeros = Tensor::<f64>::zeros([2]);
    assert_eq!(gradient(&(&s * &zeros), &zeros).unwrap(), [1.0, 4.0]);
    // Arrays of bools and results of stop_gradient may be read: no gradient flows through them anyway.
    let (mask, copy) = (x.gt(1.5), x.stop_gradient());
    assert_eq!(mask.to_vec().unwrap(), [false, true]);
    assert_eq!(copy.to_vec().unwrap(), [1.0, 2.0]);
    assert_eq!(gradient(&(&x * mask.cast::<f64>() * &copy), &x).unwrap(), [0.0, 2.0]);
    let copied = s.stop_gradient();
    assert_eq!(gradient(&(&copied * &x), &x).unwrap(), [1.0, 4.0]);
}

#[test]
fn a_gradient_is_computed_before_values_are_read() {
    let x = on_interp(&[1.0, 2.0]);
    let s = &x * &x;
    let slopes = [(); 2].map(|()| (&s * &x).sum(.., false).grad(&[&x]).unwrap().remove(0));
    assert_eq!(slopes[0].to_vec().unwrap(), [3.0, 12.0]);
    s.to_vec().unwrap();
    let mistake = (&slopes[1] + 1.0).to_vec().unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::NoGradient);
    assert!(mistake.message().contains("values were read"), "{}", mistake);
}

/// A training loop that prints its loss and its weights, but computes gradients first.
#[test]
fn training_may_print() {
    let x = on_interp(&[1.0, 2.0, 3.0]);
    let target = on_interp(&[2.0, 4.0, 6.0]);
    let mut w = on_interp(&[0.0]);
    for _ in 0..60 {
        let loss = (&x * &w - &target).square().sum(.., false);
        let slope = loss.grad(&[&w]).unwrap().remove(0);
        w = &w - &slope * 0.02;
        assert_eq!(w.to_string().chars().next(), Some('['));
        assert!(loss.item().unwrap() >= 0.0);
    }
    assert!((w.item().unwrap() - 2.0).abs() < 1e-6);
}

#[test]
fn results_of_jit_are_arrays() {
    let x = on_interp(&[1.0, 2.0]);
    let square = Jit::new(|x| Ok(vec![&x[0] * &x[0]]));
    let s: Tensor<f64> = square.call_tensors(&[&(&x * 1.0)]).unwrap().remove(0);
    fails(&(&s * &x), &x, "a result of a Jit");
    s.realize().unwrap();
    assert_eq!(gradient(&(&s * &x), &x).unwrap(), [1.0, 4.0]);
}

#[test]
fn each_thread_has_its_own_record() {
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            std::thread::spawn(move || {
                let (x, other) = (on_interp(&[1.0, 2.0]), on_interp(&[1.0, f64::from(seed)]));
                for _ in 0..20 {
                    let s = &x * &x;
                    s.to_vec().unwrap();
                    fails(&(&s * &x), &x, "values were read");
                    assert_eq!(gradient(&(&s * &other), &other).unwrap(), [1.0, 4.0]);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
