//! Buffers of the C library, and arrays of this crate in that form.
use crate::buffer::{Buffer, Memory};
use crate::error::{make, Result};
use crate::expr::Expr;
use crate::generated::codes::DType;
use crate::info::Info;
use crate::Context;
use harp_sys as sys;
use std::os::raw::c_void;

/// A reference to a buffer; dropping this value releases it.
pub(crate) struct RawBuffer(*mut sys::harp_buffer);

/// The deleter of a buffer that keeps a `T` alive.
extern "C" fn release<T>(user: *mut c_void, _data: *mut c_void) {
    // Safety: `wrap` made the box, and a buffer calls its deleter once.
    drop(unsafe { Box::from_raw(user.cast::<T>()) });
}

impl RawBuffer {
    /// # Safety
    /// The caller must own the reference.
    pub(crate) unsafe fn from_raw(raw: *mut sys::harp_buffer) -> RawBuffer {
        RawBuffer(raw)
    }

    /// Makes a read-only buffer that keeps the array alive.
    pub(crate) fn of_buffer(context: &Context, array: Buffer) -> Result<RawBuffer> {
        let (info, data) = (array.info().clone(), array.data());
        RawBuffer::wrap(array, |user, error| unsafe {
            let sizes = info.sizes();
            let (dtype, rank) = (info.dtype() as i32, sizes.len() as i32);
            sys::harp_buffer_wrap_const(context.raw(), dtype, rank, sizes.as_ptr(), data.cast(), Some(release::<Buffer>), user, error)
        })
    }

    /// Makes a writable buffer that keeps the memory of an array alive; all of the memory must be written.
    pub(crate) fn of_memory(context: &Context, memory: Memory, info: &Info) -> Result<RawBuffer> {
        let data = memory.data;
        RawBuffer::wrap(memory, |user, error| unsafe {
            let sizes = info.sizes();
            let (dtype, rank) = (info.dtype() as i32, sizes.len() as i32);
            sys::harp_buffer_wrap(context.raw(), dtype, rank, sizes.as_ptr(), data.cast(), Some(release::<Memory>), user, error)
        })
    }

    fn wrap<T>(kept: T, call: impl FnOnce(*mut c_void, *mut *mut sys::harp_error) -> *mut sys::harp_buffer) -> Result<RawBuffer> {
        let user = Box::into_raw(Box::new(kept));
        match make(|error| call(user.cast(), error)) {
            Ok(raw) => Ok(RawBuffer(raw)),
            Err(error) => {
                // Safety: wrapping failed, so the deleter is not called.
                drop(unsafe { Box::from_raw(user) });
                Err(error)
            }
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::harp_buffer {
        self.0
    }

    pub(crate) fn info(&self) -> Info {
        // Safety: a live handle, with as many sizes as its rank says.
        unsafe {
            let rank = sys::harp_buffer_rank(self.0) as usize;
            let dims = if rank == 0 { &[] } else { std::slice::from_raw_parts(sys::harp_buffer_dims(self.0), rank) };
            Info::new(DType::from_code(sys::harp_buffer_dtype(self.0)), dims.iter().map(|&size| Expr::Const(size)).collect())
        }
    }

    /// NULL if there are no elements.
    pub(crate) fn data(&self) -> *const u8 {
        // Safety: a live handle.
        unsafe { sys::harp_buffer_const_data(self.0).cast() }
    }
}

impl Drop for RawBuffer {
    fn drop(&mut self) {
        // Safety: this value owns the reference.
        unsafe { sys::harp_buffer_release(self.0) }
    }
}
