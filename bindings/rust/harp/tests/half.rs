//! Elements of the crate half.
use half::{bf16, f16};
use harp::{Array, ArrayMut, DType, Graph, GraphNode, Tensor};

macro_rules! check {
    ($half:ident, $dtype:ident) => {
        let values = |numbers: &[f32]| numbers.iter().map(|&number| $half::from_f32(number)).collect::<Vec<_>>();
        let x = Tensor::from_vec(values(&[1.0, -2.0, 0.5]), [3]);
        assert_eq!(x.dtype(), DType::$dtype);
        let y = &x * $half::from_f32(2.0) + $half::ONE;
        assert_eq!(y.to_vec().unwrap(), values(&[3.0, -3.0, 2.0]));
        assert_eq!(($half::ONE - &x).to_vec().unwrap(), values(&[0.0, 3.0, 0.5]));
        assert_eq!(($half::ONE / x.clone()).to_vec().unwrap(), values(&[1.0, -0.5, 2.0]));
        assert_eq!((-&x % $half::ONE).to_vec().unwrap()[2], $half::from_f32(-0.5));
        assert_eq!(x.exp().cast::<f32>().to_vec().unwrap()[0], $half::from_f32(1f32.exp()).to_f32());
        assert_eq!(x.gt($half::ZERO).to_vec().unwrap(), [true, false, true]);
        let slope = (&x * &x).sum(.., false).grad(&[&x]).unwrap();
        assert_eq!(slope[0].to_vec().unwrap(), values(&[2.0, -4.0, 1.0]));
        // A sum is computed in f32 and rounded once, at the end.
        let sum = x.realize().unwrap().as_slice::<$half>().unwrap().iter().fold(0.0, |sum, x| sum + x.to_f32());
        assert_eq!(x.sum(.., false).item().unwrap(), $half::from_f32(sum));

        let mut graph = Graph::new();
        let x = graph.input("x").with_dtype(DType::$dtype).with_shape([3]).build();
        assert_eq!(GraphNode::from($half::ONE).dtype(), DType::$dtype);
        graph.output("y", &($half::from_f32(3.0) * &x - $half::ONE));
        let (x, mut y) = (values(&[1.0, 2.0, 3.0]), values(&[0.0; 3]));
        let program = graph.compile().unwrap();
        program.call(&[Array::new(&x, &[3]).unwrap()], &mut [ArrayMut::new(&mut y, &[3]).unwrap()]).unwrap();
        assert_eq!(y, values(&[2.0, 5.0, 8.0]));
    };
}

#[test]
fn f16_computes() {
    check!(f16, F16);
}

#[test]
fn bf16_computes() {
    check!(bf16, Bf16);
}

#[test]
fn all_bits_go_through() {
    let x: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let y = Tensor::from_vec(x.clone(), [1 << 16]).realize().unwrap();
    assert!(y.as_slice::<f16>().unwrap().iter().zip(&x).all(|(y, x)| y.to_bits() == x.to_bits()));
    let wide = Tensor::from_vec(x.clone(), [1 << 16]).cast::<f32>().to_vec().unwrap();
    assert!(wide.iter().zip(&x).all(|(wide, x)| *wide == x.to_f32() || (wide.is_nan() && x.is_nan())));
}
