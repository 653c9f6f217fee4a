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

/// Views are copied, whatever their layout: strided, reversed, transposed, broadcast, of one element, of none.
#[test]
fn views_and_borrowed_arrays_are_copied_in_their_order() {
    let array = Array::from_iter((0..24).map(|i| i as f64)).into_shape((2, 3, 4)).unwrap();
    macro_rules! check {
        ($($view:expr),* $(,)?) => {
            $({
                let view = $view;
                let tensor = Tensor::from(&view);
                assert_eq!(tensor.shape(), view.shape());
                assert_eq!((tensor * 1.0).to_array().unwrap(), view.to_owned().into_dyn());
            })*
        };
    }
    check!(
        array.view(),
        array.slice(s![.., 1, ..]),
        array.slice(s![..;-1, ..;2, 1..;-2]),
        array.t(),
        array.view().permuted_axes([1, 2, 0]),
        array.broadcast((5, 2, 3, 4)).unwrap(),
        array.slice(s![0, 1.., 3..]),
        array.slice(s![.., 1..1, ..]),
        array.slice(s![1, 2, 3]),
        array.slice(s![.., ..1, ..1]),
    );
    assert_eq!(Tensor::from(&array).to_vec().unwrap()[23], 23.0);
    let owned: Tensor<f64> = array.clone().into();
    assert_eq!(owned.to_array().unwrap(), array.clone().into_dyn());
    let column: Tensor<f64> = array.slice_move(s![0, .., 1]).into();
    assert_eq!(column.to_vec().unwrap(), [1.0, 5.0, 9.0]);
}
