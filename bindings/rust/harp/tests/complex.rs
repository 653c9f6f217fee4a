//! Elements of the crate num-complex.
use harp::{Array, ArrayMut, DType, Graph, GraphNode, Tensor};
use num_complex::{Complex, Complex32, Complex64};

#[test]
fn complex_numbers_compute() {
    let z = Tensor::from_vec(vec![Complex32::new(3.0, 4.0), Complex32::i()], [2]);
    assert_eq!(z.dtype(), DType::Complex64);
    assert_eq!((&z * &z).to_vec().unwrap(), [Complex::new(-7.0, 24.0), Complex::new(-1.0, 0.0)]);
    assert_eq!((&z * Complex::i() + Complex::new(1.0, 0.0)).to_vec().unwrap(), [Complex::new(-3.0, 3.0), Complex::new(0.0, 0.0)]);
    assert_eq!((Complex32::new(1.0, 0.0) - &z).to_vec().unwrap()[0], Complex::new(-2.0, -4.0));
    assert_eq!((Complex32::new(0.0, 1.0) / z.clone()).to_vec().unwrap()[1], Complex::new(1.0, 0.0));
    let sizes: Tensor<f32> = z.abs();
    assert_eq!(sizes.to_vec().unwrap(), [5.0, 1.0]);
    assert_eq!(z.conj().to_vec().unwrap()[0], Complex::new(3.0, -4.0));
    let wave: Tensor<Complex64> = Tensor::from_vec(vec![Complex64::new(1.0, 0.0); 4], [4]).fft(4, 0, None);
    assert_eq!(wave.to_vec().unwrap()[0], Complex::new(4.0, 0.0));
    // rfft of a real tensor gives pairs (f32, f32), which have the same dtype as Complex<f32>.
    let pairs = Tensor::from_vec(vec![1.0f32, 0.0], [2]).rfft(2, 0, None);
    assert_eq!(pairs.cast::<Complex32>().to_vec().unwrap(), [Complex::new(1.0, 0.0), Complex::new(1.0, 0.0)]);
}

#[test]
fn slices_are_borrowed_and_vectors_are_not_copied() {
    let elements = vec![Complex64::new(1.0, 2.0); 8];
    let place = elements.as_ptr();
    let z = Tensor::from_vec(elements, [8]);
    assert_eq!(z.realize().unwrap().as_slice::<Complex64>().unwrap().as_ptr(), place);
    assert_eq!(z.realize().unwrap().as_slice::<[f64; 2]>().unwrap()[7], [1.0, 2.0]);

    let mut graph = Graph::new();
    let z = graph.input("z").with_dtype(DType::Complex128).with_shape([2]).build();
    assert_eq!(GraphNode::from(Complex64::i()).dtype(), DType::Complex128);
    graph.output("w", &(Complex64::i() * &z + Complex64::new(0.5, 0.0)));
    let (z, mut w) = ([Complex64::new(1.0, 1.0), Complex64::i()], [Complex64::new(0.0, 0.0); 2]);
    let program = graph.compile().unwrap();
    program.call(&[Array::new(&z, &[2]).unwrap()], &mut [ArrayMut::new(&mut w, &[2]).unwrap()]).unwrap();
    assert_eq!(w, [Complex::new(-0.5, 1.0), Complex::new(-0.5, 0.0)]);
}
