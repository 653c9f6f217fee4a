//! DLPack: arrays of other libraries as buffers, and buffers as arrays for other libraries, in the structs of `harp.h`.
use crate::buffer::{Buffer, Memory};
use crate::error::{make, Result};
use crate::raw_buffer::RawBuffer;
use crate::registry;
use harp_sys as sys;
use std::ptr::NonNull;

/// The description of an array: memory, type of elements, shape and strides.
pub use harp_sys::harp_dl_tensor as DLTensor;

/// An array and its owner, in the form before version 1.0, which cannot express that an array is read-only.
pub use harp_sys::harp_dl_managed as DLManagedTensor;

/// An array and its owner, in the form of DLPack 1.
pub use harp_sys::harp_dl_managed_versioned as DLManagedTensorVersioned;

/// A flag of [`DLManagedTensorVersioned`]: the array is read-only.
pub const READ_ONLY: u64 = sys::HARP_DL_READ_ONLY as u64;
/// A flag of [`DLManagedTensorVersioned`]: the producer copied the array for the receiver.
pub const IS_COPIED: u64 = sys::HARP_DL_IS_COPIED as u64;

mod sealed {
    pub trait Sealed {
        /// # Safety
        /// The caller must own `managed`, which does not exist afterwards.
        unsafe fn delete(managed: *mut Self);
    }
}

/// The two structs that own a DLPack array.
pub trait Owning: sealed::Sealed {}

macro_rules! owning {
    ($($name:ty),*) => {
        $(impl sealed::Sealed for $name {
            unsafe fn delete(managed: *mut Self) {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            }
        }
        impl Owning for $name {})*
    };
}
owning!(DLManagedTensor, DLManagedTensorVersioned);

/// A DLPack array for another library, to which [`into_raw`](DlPack::into_raw) passes it; otherwise dropping this value deletes it.
#[derive(Debug)]
pub struct DlPack<M: Owning>(NonNull<M>);

// Safety: any thread may delete what harp made.
unsafe impl<M: Owning> Send for DlPack<M> {}

impl<M: Owning> DlPack<M> {
    fn new(managed: *mut M) -> DlPack<M> {
        DlPack(NonNull::new(managed).expect("what was made is not NULL"))
    }

    /// The struct, which this value still owns.
    pub fn as_ptr(&self) -> *const M {
        self.0.as_ptr()
    }

    /// The struct, which the caller owns now: the receiver must call its deleter.
    pub fn into_raw(self) -> *mut M {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl<M: Owning> Drop for DlPack<M> {
    fn drop(&mut self) {
        // Safety: this value owns the struct, and nothing uses it any more.
        unsafe { M::delete(self.0.as_ptr()) }
    }
}

impl Buffer {
    /// Makes a buffer from an array of another library, without a copy. The array must be in row-major host memory that is aligned to its
    /// elements, else [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported). (An array with bools that are neither 0 nor 1 is copied.)
    /// After an error the caller still owns `managed`.
    ///
    /// # Safety
    /// `managed` must be a valid DLPack array that the caller owns, and whose deleter any thread may call. Its elements must be
    /// initialised, and nothing may write them while the buffer, or a tensor of it, exists.
    pub unsafe fn from_dlpack(managed: *mut DLManagedTensor) -> Result<Buffer> {
        let context = registry::context()?;
        let raw = make(|error| sys::harp_buffer_from_dlpack(context.raw(), managed, error))?;
        Buffer::of_raw(RawBuffer::from_raw(raw))
    }

    /// Like [`from_dlpack`](Buffer::from_dlpack), for the form with a version.
    ///
    /// # Safety
    /// The same as for [`from_dlpack`](Buffer::from_dlpack).
    pub unsafe fn from_dlpack_versioned(managed: *mut DLManagedTensorVersioned) -> Result<Buffer> {
        let context = registry::context()?;
        let raw = make(|error| sys::harp_buffer_from_dlpack_versioned(context.raw(), managed, error))?;
        Buffer::of_raw(RawBuffer::from_raw(raw))
    }

    /// The buffer as a read-only DLPack array, without a copy. It keeps the values alive, even after this buffer is dropped.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{dlpack, Buffer, Tensor};
    /// let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]).realize()?;
    /// let packed = x.to_dlpack_versioned()?;
    /// // Another library takes packed.into_raw(); here it comes back.
    /// let y = unsafe {
    ///     // Safety: harp made it, and nobody writes what is read-only.
    ///     assert_eq!((*packed.as_ptr()).flags, dlpack::READ_ONLY);
    ///     Buffer::from_dlpack_versioned(packed.into_raw())?
    /// };
    /// assert_eq!(y.as_slice::<f32>()?.as_ptr(), x.as_slice::<f32>()?.as_ptr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_dlpack_versioned(&self) -> Result<DlPack<DLManagedTensorVersioned>> {
        let raw = RawBuffer::of_buffer(&registry::context()?, self.clone())?;
        // Safety: a live handle; so it is below.
        make(|error| unsafe { sys::harp_buffer_to_dlpack_versioned(raw.as_ptr(), error) }).map(DlPack::new)
    }

    /// The buffer as a DLPack array in the form without a version, which may be written. It uses this buffer's memory if nothing else
    /// refers to the array, otherwise a copy.
    pub fn into_dlpack(self) -> Result<DlPack<DLManagedTensor>> {
        let context = registry::context()?;
        let info = self.info().clone();
        let memory = match self.into_memory() {
            Ok(memory) => memory,
            Err(shared) => {
                let copy = Memory::new(&info)?;
                // Safety: two arrays of this dtype and shape.
                unsafe { std::ptr::copy_nonoverlapping(shared.data(), copy.data, info.byte_size().unwrap_or(0)) };
                copy
            }
        };
        let raw = RawBuffer::of_memory(&context, memory, &info)?;
        make(|error| unsafe { sys::harp_buffer_to_dlpack(raw.as_ptr(), error) }).map(DlPack::new)
    }
}
