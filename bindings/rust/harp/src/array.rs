//! Tensors from and to ndarray's arrays.
use crate::element::Element;
use crate::error::{expect, Error, Result};
use crate::generated::codes::ErrorKind;
use crate::tensor::Tensor;
use ndarray::{Array, ArrayBase, ArrayD, Data, Dimension, IxDyn};

/// Converts an array with any number of axes; without a copy if the array is in row-major order.
///
/// Panics if this thread has no backend because no context can be made.
impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor<T> {
    #[track_caller]
    fn from(array: Array<T, D>) -> Self {
        let dims = array.shape().to_vec();
        if !array.is_standard_layout() {
            return Tensor::from_vec(array.iter().copied().collect(), dims);
        }
        // The array may use only a part of the vector that it owns, which into_raw_vec returns.
        let (first, length) = (array.as_ptr() as usize, array.len());
        #[allow(deprecated)] // ndarray 0.15 lacks the function that replaces into_raw_vec
        let mut elements = array.into_raw_vec();
        let offset = if length == 0 { 0 } else { (first - elements.as_ptr() as usize) / std::mem::size_of::<T>() };
        elements.truncate(offset + length);
        elements.drain(..offset);
        Tensor::from_vec(elements, dims)
    }
}

/// Copies an array or a view of any layout: `Tensor::from(&array)`, `Tensor::from(&array.slice(s![.., 1]))`.
///
/// Panics if this thread has no backend because no context can be made.
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Tensor<T> {
    #[track_caller]
    fn from(array: &ArrayBase<S, D>) -> Self {
        let elements = match array.as_slice() {
            Some(elements) => elements.to_vec(),
            None => array.iter().copied().collect(),
        };
        Tensor::from_vec(elements, array.shape())
    }
}

/// The values, which are computed if necessary; without a copy if nothing else refers to them.
///
/// Panics if the computation fails; [`Tensor::to_array`] returns the error instead.
impl<T: Element> From<Tensor<T>> for ArrayD<T> {
    #[track_caller]
    fn from(tensor: Tensor<T>) -> Self {
        expect(tensor.into_array())
    }
}

impl<T: Element> Tensor<T> {
    /// A copy of the values as an array of ndarray.
    pub fn to_array(&self) -> Result<ArrayD<T>> {
        self.clone().into_array()
    }

    fn into_array(self) -> Result<ArrayD<T>> {
        let shape = self.shape();
        let buffer = self.values()?;
        drop(self);
        let elements = buffer.into_vec()?;
        ArrayD::from_shape_vec(IxDyn(&shape), elements).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))
    }
}
