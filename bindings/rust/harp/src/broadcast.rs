//! NumPy's broadcasting of shapes without symbolic sizes.
use crate::error::{check, Result};
use harp_sys as sys;

fn numbers(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect()
}

/// The shape of an elementwise operation on arrays of two shapes: axes align at the right, and an axis of size 1 is broadcast.
///
/// ```
/// assert_eq!(harp::broadcast_shapes(&[2, 3, 4], &[3, 1]).unwrap(), [2, 3, 4]);
/// let mistake = harp::broadcast_shapes(&[2, 3], &[4]).unwrap_err();
/// assert_eq!(mistake.message(), "Cannot broadcast shapes [2, 3] and [4]: axis 1 of the result would be 3 and 4");
/// ```
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let (a, b) = (numbers(a), numbers(b));
    let mut dims = vec![0; a.len().max(b.len())];
    // Safety: the lists have as many sizes as the ranks say, and the result has room for the larger rank.
    check(|error| unsafe { sys::harp_broadcast_shapes(a.len() as i32, a.as_ptr(), b.len() as i32, b.as_ptr(), dims.as_mut_ptr(), error) })?;
    Ok(dims.into_iter().map(|size| size as usize).collect())
}

/// The index, in an array of shape `dims`, of the element that a broadcast result takes for its element `index`.
///
/// ```
/// assert_eq!(harp::broadcast_index(&[1, 2, 3], &[3, 1]).unwrap(), [2, 0]);
/// ```
pub fn broadcast_index(index: &[usize], dims: &[usize]) -> Result<Vec<usize>> {
    let (index, dims) = (numbers(index), numbers(dims));
    let mut source = vec![0; dims.len()];
    // Safety: as above.
    check(|error| unsafe {
        sys::harp_broadcast_index(index.len() as i32, index.as_ptr(), dims.len() as i32, dims.as_ptr(), source.as_mut_ptr(), error)
    })?;
    Ok(source.into_iter().map(|index| index as usize).collect())
}
