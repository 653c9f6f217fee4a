//! Tensors from and to ndarray's arrays.
//!
//! rows: H6.ndarray_in/rust H6.ndarray_out/rust
use harp::Tensor;
use ndarray::{arr0, arr2, s, Array, ArrayD};

#[test]
fn arrays_go_both_ways() {
    let array: ArrayD<f32> = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).into_dyn();
    let tensor: Tensor<f32> = array.clone().into();
    assert_eq!(tensor.shape(), [2, 3]);
    let doubled: ArrayD<f32> = (&tensor * 2.0).into();
    assert_eq!(doubled, &array * 2.0);
    assert_eq!(tensor.to_array().unwrap(), array);
    let scalar: ArrayD<i64> = Tensor::<i64>::from(arr0(7i64).into_dyn()).into();
    assert_eq!(scalar, arr0(7i64).into_dyn());
    let truth: ArrayD<bool> = Tensor::from(array.mapv(|x| x > 2.0)).into();
    assert_eq!(truth, array.mapv(|x| x > 2.0));
    let empty: ArrayD<f64> = (Tensor::<f64>::from(ArrayD::zeros(vec![0, 3])) + 1.0).into();
    assert_eq!(empty.shape(), [0, 3]);
}

#[test]
fn any_layout_is_read_in_its_order() {
    let array = Array::from_iter(0..24).into_shape((4, 6)).unwrap();
    for part in [
        array.t().to_owned().into_dyn(),
        array.slice(s![1..;2, ..]).to_owned().into_dyn(),
        array.clone().slice_move(s![1..3, ..]).into_dyn(),
        array.clone().reversed_axes().into_dyn(),
        array.clone().slice_move(s![2.., ..;-1]).into_dyn(),
    ] {
        assert_eq!(ArrayD::from(Tensor::from(part.clone())), part);
    }
}

#[test]
fn row_major_arrays_are_not_copied() {
    let array: ArrayD<f32> = ArrayD::zeros(vec![100, 100]);
    let place = array.as_ptr();
    let tensor: Tensor<f32> = array.into();
    assert_eq!(tensor.realize().unwrap().as_slice::<f32>().unwrap().as_ptr(), place);
    let back: ArrayD<f32> = tensor.into();
    assert_eq!(back.as_ptr(), place);
}
