//! Lazy tensors: their values, programs that are used again for the same structure, numbers as either operand, errors.
//!
//! rows: H1.lazy/rust H1.realize/rust H1.cached/rust
use harp::{Configuration, ErrorKind, Tensor};

fn ramp(count: usize) -> Tensor<f32> {
    Tensor::from_vec((0..count).map(|i| i as f32).collect(), [count])
}

#[test]
fn operators_take_tensors_and_numbers_on_both_sides() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 4.0], [3]);
    let y = Tensor::from_vec(vec![2.0f32, 0.5, 1.0], [3]);
    let cases: [(Tensor<f32>, [f32; 3]); 13] = [
        (&x + &y, [3.0, 2.5, 5.0]),
        (&x - y.clone(), [-1.0, 1.5, 3.0]),
        (x.clone() * &y, [2.0, 1.0, 4.0]),
        (x.clone() / y.clone(), [0.5, 4.0, 4.0]),
        (&x % 1.5, [1.0, 0.5, 1.0]),
        (&x + 1.0, [2.0, 3.0, 5.0]),
        (1.0 + &x, [2.0, 3.0, 5.0]),
        (1.0 - &x, [0.0, -1.0, -3.0]),
        (2.0 * x.clone(), [2.0, 4.0, 8.0]),
        (8.0 / &x, [8.0, 4.0, 2.0]),
        (7.0 % &x, [0.0, 1.0, 3.0]),
        (-&x, [-1.0, -2.0, -4.0]),
        (&x * &y + 1.0, [3.0, 2.0, 5.0]),
    ];
    for (index, (tensor, expected)) in cases.iter().enumerate() {
        assert_eq!(tensor.to_vec().unwrap(), expected, "case {}", index);
    }
    let mut z = x.clone();
    z += 1.0;
    z *= &y;
    z -= y;
    z /= 2.0;
    assert_eq!(z.to_vec().unwrap(), [1.0, 0.5, 2.0]);
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0, 4.0]);
}

#[test]
fn every_element_type_computes() {
    macro_rules! check {
        ($($number:ty),*) => {
            $({
                let x = Tensor::from_vec(vec![3 as $number, 1 as $number, 2 as $number], [3]);
                let y = &x * 2 as $number + &x;
                assert_eq!(y.to_vec().unwrap(), [9 as $number, 3 as $number, 6 as $number], "{}", stringify!($number));
                assert_eq!((5 as $number - x).max(.., false).item().unwrap(), 4 as $number, "{}", stringify!($number));
            })*
        };
    }
    check!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64);
    let truth = Tensor::from_vec(vec![true, false, true], [3]);
    assert_eq!((!&truth).to_vec().unwrap(), [false, true, false]);
    assert_eq!((&truth & Tensor::from_vec(vec![true, true, false], [3])).to_vec().unwrap(), [true, false, false]);
    assert!(truth.any(.., false).item().unwrap() && !truth.all(.., false).item().unwrap());
    let z = Tensor::from_vec(vec![(1.0f64, 2.0), (0.0, -1.0)], [2]);
    assert_eq!((&z * (0.0, 1.0)).to_vec().unwrap(), [(-2.0, 1.0), (1.0, 0.0)]);
    assert_eq!(((1.0, 0.0) + &z).imag().to_vec().unwrap(), [2.0, -1.0]);
    assert_eq!(Tensor::complex_from_parts(z.real(), z.imag()).to_vec().unwrap(), [(1.0, 2.0), (0.0, -1.0)]);
}

#[test]
fn tensors_are_made_of_lists_and_constants() {
    assert_eq!(Tensor::from([1.0f32, 2.0]).to_vec().unwrap(), Tensor::from(&[1.0f32, 2.0][..]).to_vec().unwrap());
    assert_eq!(Tensor::from(vec![3u8; 4]).shape(), [4]);
    let zeros = Tensor::<i64>::zeros([2, 2]);
    assert_eq!((&zeros + 3).to_vec().unwrap(), [3; 4]);
    assert_eq!(zeros.to_vec().unwrap(), [0; 4]);
    assert_eq!(Tensor::<bool>::ones([2]).to_vec().unwrap(), [true, true]);
    assert_eq!(Tensor::<(f32, f32)>::ones(Vec::<i64>::new()).item().unwrap(), (1.0, 0.0));
    let interp = harp::backend("interp").unwrap();
    let x = Tensor::on(&interp, vec![2.0f64], [1]).unwrap();
    assert_eq!((x + Tensor::ones([3])).to_vec().unwrap(), [3.0; 3]);
    let buffer = harp::Buffer::from_vec(vec![1u32, 2], [2, 1]).unwrap();
    assert_eq!((buffer.shape(), buffer.dtype()), (vec![2, 1], harp::DType::U32));
    assert_eq!(harp::Buffer::from_vec(vec![1u32, 2], [3]).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn a_structure_is_compiled_once() {
    harp::clear_cache();
    let c = harp::default_backend().unwrap();
    for turn in 0..5 {
        let (a, b) = (ramp(8), ramp(8) * 2.0 + turn as f32);
        let y = (&a * &b + turn as f32).sum(.., false);
        let expected: f32 = (0..8).map(|i| i as f32 * (2.0 * i as f32 + turn as f32) + turn as f32).sum();
        assert_eq!(y.item().unwrap(), expected);
        assert_eq!(c.program_count(), 1);
    }
    // The same operations with one array as both operands, or on arrays of another size, are different structures.
    let a = ramp(8);
    let _ = (&a * &a + 1.0).sum(.., false).item().unwrap();
    assert_eq!(c.program_count(), 2);
    let _ = (ramp(9) * (ramp(9) * 2.0 + 1.0) + 1.0).sum(.., false).item().unwrap();
    assert_eq!(c.program_count(), 3);
    harp::clear_cache();
    assert_eq!(c.program_count(), 0);
}

/// Trees of the same operations that share different parts are different structures.
#[test]
fn what_is_shared_belongs_to_the_structure() {
    harp::clear_cache();
    let leaf = |value: f32| Tensor::from_vec(vec![value], [1]);
    let (a, b, c, d) = (leaf(1.0), leaf(2.0), leaf(3.0), leaf(4.0));
    let (p, q) = (&a - &b, &c - &d * 2.0);
    let first = (&p - &q) * &p;
    let second = (&p - &q) * &q;
    assert_eq!(first.item().unwrap(), -4.0);
    assert_eq!(second.item().unwrap(), -20.0);
    let (x, y) = (&a - &b, &a - &b);
    assert_eq!(((&x - &y) + &x).item().unwrap(), -1.0);
    // A part of a trace that was computed in between is an input array for the rest.
    let part = &c * &d;
    let whole = &part + &a;
    assert_eq!(part.item().unwrap(), 12.0);
    assert_eq!(whole.item().unwrap(), 13.0);
}

#[test]
fn a_loop_that_realises_compiles_once() {
    harp::clear_cache();
    let c = harp::default_backend().unwrap();
    let mut x = Tensor::from_vec(vec![1.0f64, 2.0], [2]);
    for _ in 0..20 {
        x = &x * 0.5 + 1.0;
        x.realize().unwrap();
    }
    assert_eq!(c.program_count(), 1);
    let error = x.to_vec().unwrap().iter().map(|x| (x - 2.0).abs()).fold(0.0, f64::max);
    assert!(error < 1e-5);
}

#[test]
fn a_long_trace_realises_itself() {
    harp::clear_cache();
    let interp = harp::backend("interp").unwrap(); // a C compiler would take long for a graph of 10,000 nodes
    let mut x = Tensor::on(&interp, vec![0.0f64], [1]).unwrap();
    for _ in 0..25_000 {
        x = &x + 1.0;
    }
    assert_eq!(x.item().unwrap(), 25_000.0);
    // A trace that is never realised is dropped without recursion.
    let mut y = Tensor::on(&interp, vec![0.0f64], [1]).unwrap();
    for _ in 0..9_000 {
        y = &y + 1.0;
    }
    drop(y);
}

/// When a trace becomes too large, products are not computed, because that would round them: a later sum may read them, even after a
/// reshape.
#[test]
fn a_trace_that_realises_itself_leaves_products() {
    let interp = harp::backend("interp").unwrap();
    let mut x = Tensor::on(&interp, vec![1.0f32, 2.0], [2]).unwrap();
    for _ in 0..9_999 {
        x = &x + 0.0;
    }
    assert!(!x.is_realized());
    let product = &x * &x;
    assert!(!product.is_realized() && !x.is_realized(), "10,000 operations may be pending");
    let reshaped = product.reshape([2, 1]);
    assert!(!reshaped.is_realized() && !product.is_realized() && x.is_realized());
    assert_eq!(reshaped.sum(.., false).item().unwrap(), 5.0);

    let mut y = Tensor::on(&interp, vec![1.0f32], [1]).unwrap();
    let mut count = 0;
    while !y.is_realized() || count == 0 {
        y = &y + 1.0;
        count += 1;
    }
    assert_eq!(count, 10_001);
}

#[test]
fn several_tensors_are_realised_by_one_program() {
    harp::clear_cache();
    let c = harp::default_backend().unwrap();
    let x = ramp(4);
    let (y, z) = (x.exp(), x.exp() + 1.0);
    Tensor::realize_all(&[&y, &z, &x, &y]).unwrap();
    assert!(y.is_realized() && z.is_realized());
    assert_eq!(c.program_count(), 1);
    assert_eq!(z.to_vec().unwrap()[0], 2.0);
    assert_eq!(Tensor::from(2.5f32).item().unwrap(), 2.5);
}

#[test]
fn configurations_change_no_bit() {
    let x = Tensor::from_vec((0..1000).map(|i| (i as f32).sin()).collect(), [10, 100]);
    let expected = x.softmax(1).to_vec().unwrap();
    let plain = Configuration { simd_width: 1, disabled_passes: vec!["all".to_owned()], ..Configuration::default() };
    let flags = Configuration { compiler_flags: vec!["-O1".to_owned()], ignore_tuning: true, ..Configuration::default() };
    for configuration in [plain, flags] {
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let buffer = x.softmax(1).realize_with_config(&configuration).unwrap();
        assert_eq!(bits(buffer.as_slice().unwrap()), bits(&expected));
    }
    let wrong = Configuration { compiler_flags: vec!["-ffast-math".to_owned()], ..Configuration::default() };
    let mistake = x.softmax(1).realize_with_config(&wrong).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::InvalidArgument);
    assert!(mistake.message().contains("-ffast-math"), "{}", mistake);
}

#[test]
fn mistakes_have_the_text_of_the_library() {
    let mistake = ramp(3).try_add(ramp(4)).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::Shape);
    assert!(mistake.message().contains("[3]") && mistake.message().contains("[4]"), "{}", mistake);
    let panic = std::panic::catch_unwind(|| ramp(3) + ramp(4)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), mistake.message());
    // After an error, the same thread can go on computing.
    assert_eq!((ramp(3) + ramp(3)).to_vec().unwrap(), [0.0, 2.0, 4.0]);
    assert_eq!(Tensor::try_from_vec(vec![1.0f32], [2]).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(ramp(2).item().unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(ramp(2).realize().unwrap().as_slice::<f64>().unwrap_err().kind(), ErrorKind::Dtype);
    assert_eq!(Tensor::einsum("ij->", &[&ramp(2)]).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn backends_do_not_mix() {
    let (c, interp) = (harp::backend("c").unwrap(), harp::backend("interp").unwrap());
    let x = Tensor::on(&c, vec![1.0f32], [1]).unwrap();
    let y = Tensor::on(&interp, vec![1.0f32], [1]).unwrap();
    let mistake = x.try_add(&y).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::InvalidArgument);
    assert!(mistake.message().contains("\"c\"") && mistake.message().contains("\"interp\""), "{}", mistake);
    assert_eq!((Tensor::arange(1) + &y).item().unwrap(), 1.0);
    assert_eq!(harp::backend("cuda9").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn gradients_are_tensors() {
    let x = Tensor::from_vec(vec![0.5f64, -1.0], [2]);
    let w = Tensor::from_vec(vec![3.0f64, 4.0], [2]);
    let loss = (&x * &w).tanh().sum(.., false);
    let slopes = loss.grad(&[&x, &w]).unwrap();
    for (slope, other) in slopes.iter().zip([[3.0, 4.0], [0.5, -1.0]]) {
        for (index, value) in slope.to_vec().unwrap().iter().enumerate() {
            let product: f64 = [1.5, -4.0][index];
            assert!((value - other[index] * (1.0 - product.tanh().powi(2))).abs() < 1e-12);
        }
    }
    let stranger = Tensor::from_vec(vec![1.0f64], [1]);
    let mistake = loss.grad(&[&stranger]).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::NoGradient);
    assert_eq!(loss.grad_with(&[&stranger], None, true).unwrap()[0].to_vec().unwrap(), [0.0]);
    let second = (&x * &x * &x).sum(.., false).grad(&[&x]).unwrap()[0].sum(.., false).grad(&[&x]).unwrap();
    assert_eq!(second[0].to_vec().unwrap(), [3.0, -6.0]);
}

#[test]
fn operations_with_lists_and_several_results() {
    let x = Tensor::from_vec(vec![3.0f32, 1.0, 2.0, 6.0, 5.0, 4.0], [2, 3]);
    assert_eq!(x.sum([0, 1], true).shape(), [1, 1]);
    assert_eq!(x.permute([1, 0]).to_vec().unwrap(), [3.0, 6.0, 1.0, 5.0, 2.0, 4.0]);
    assert_eq!(x.reshape([3, -1]).shape(), [3, 2]);
    let (values, places) = x.topk(2, 1, true);
    assert_eq!((values.to_vec().unwrap(), places.to_vec().unwrap()), (vec![3.0, 2.0, 6.0, 5.0], vec![0, 2, 0, 1]));
    let parts = x.split(3, 1);
    assert_eq!(parts[2].to_vec().unwrap(), [2.0, 4.0]);
    assert_eq!(x.try_split(2, 1).unwrap_err().kind(), ErrorKind::Shape);
    assert!(x.try_split(0, 1).is_err());
    assert_eq!(x.slice(None, None, Some(&[1, 2])).to_vec().unwrap(), [3.0, 2.0, 6.0, 4.0]);
    let mistake = x.try_slice(Some([0].into()), Some([1, 1].into()), None).unwrap_err();
    assert_eq!(mistake.kind(), ErrorKind::Shape);
    assert_eq!(Tensor::concat(&[&x, &x], 0).shape(), [4, 3]);
    assert_eq!(Tensor::stack(&[&x, &x], 2).shape(), [2, 3, 2]);
    let mistake = Tensor::<f32>::try_concat(&[], 0).unwrap_err();
    assert_eq!(
        (mistake.kind(), mistake.to_string()),
        (ErrorKind::InvalidArgument, "concat: expected at least one array, got an empty list".into())
    );
    assert_eq!(x.cumsum(1, harp::SCAN_EXCLUSIVE).to_vec().unwrap(), [0.0, 3.0, 4.0, 0.0, 6.0, 11.0]);
    assert_eq!(x.take(&Tensor::from_vec(vec![1u8, 1], [2]), 0).to_vec().unwrap(), [6.0, 5.0, 4.0, 6.0, 5.0, 4.0]);
    assert_eq!(x.one_hot_of(), 2);
    let image = Tensor::<f32>::arange(16).reshape([1, 1, 4, 4]);
    let kernel = Tensor::full(1.0f32, [1, 1, 2, 2]);
    let none: [i64; 0] = [];
    assert_eq!(image.conv2d(&kernel, None, [2], [0], none, 1).to_vec().unwrap(), [10.0, 18.0, 42.0, 50.0]);
    let (largest, places) = image.max_pool_with_indices([2, 2], None);
    assert_eq!(largest.to_vec().unwrap(), [5.0, 7.0, 13.0, 15.0]);
    assert_eq!(places.to_vec().unwrap(), [5, 7, 13, 15]);
    let noise = Tensor::<f32>::random_uniform(7u64, None, [1000]);
    assert!(noise.max(.., false).item().unwrap() < 1.0 && noise.min(.., false).item().unwrap() >= 0.0);
}

trait OneHot {
    fn one_hot_of(&self) -> usize;
}
impl OneHot for Tensor<f32> {
    /// The rank of the result of one_hot, which has another element type than its indices.
    fn one_hot_of(&self) -> usize {
        self.argmax(1, false).one_hot::<bool>(3).rank()
    }
}
