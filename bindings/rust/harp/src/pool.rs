//! Options of pools.
use crate::expr::Dims;
use crate::lower::Lowering;
use harp_sys as sys;
use std::ptr;

/// Options of the pooling operations: the positions of their windows. A list is empty (the default), or has one number for all axes, or one
/// for each axis; `padding` may also have two for each axis.
///
/// ```
/// use harp::{PoolOptions, Tensor};
/// let x = Tensor::from_vec((0..16).map(|i| i as f32).collect(), [1, 1, 4, 4]);
/// let options = PoolOptions { stride: vec![1], ..PoolOptions::default() };
/// assert_eq!(x.max_pool([2, 2], Some(&options)).shape(), [1, 1, 3, 3]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PoolOptions {
    /// Default: the size of the windows.
    pub stride: Vec<i64>,
    /// Default: none.
    pub padding: Dims,
    /// Default: 1.
    pub dilation: Vec<i64>,
    /// Whether the last window of an axis may extend beyond the padding.
    pub ceil_mode: bool,
    /// `avg_pool`: whether padding counts, as zeros (the default).
    pub count_include_pad: bool,
}

impl Default for PoolOptions {
    fn default() -> Self {
        PoolOptions { stride: Vec::new(), padding: Dims(Vec::new()), dilation: Vec::new(), ceil_mode: false, count_include_pad: true }
    }
}

/// The options in the form of the C library, and the sizes that they point to.
pub(crate) struct PoolC {
    pub(crate) c: sys::harp_pool_options,
    _padding: Vec<sys::harp_dim>,
}

impl PoolOptions {
    /// The result points into `self`.
    pub(crate) fn to_c(&self, lowering: &Lowering) -> PoolC {
        fn first<T>(list: &[T]) -> *const T {
            if list.is_empty() {
                ptr::null()
            } else {
                list.as_ptr()
            }
        }
        let padding = lowering.dims(&self.padding.0);
        let mut c = sys::harp_pool_options::init();
        c.n_stride = self.stride.len() as i32;
        c.stride = first(&self.stride);
        c.n_padding = padding.len() as i32;
        c.padding = first(&padding);
        c.n_dilation = self.dilation.len() as i32;
        c.dilation = first(&self.dilation);
        c.ceil_mode = i32::from(self.ceil_mode);
        c.count_include_pad = i32::from(self.count_include_pad);
        PoolC { c, _padding: padding }
    }
}
