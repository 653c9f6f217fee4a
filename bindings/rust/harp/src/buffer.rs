//! Arrays with values: the results of realising.
use crate::element::{Element, Plain};
use crate::error::{Error, Result};
use crate::expr::Dims;
use crate::generated::codes::{DType, ErrorKind};
use crate::info::Info;
use crate::program::check_rank;
use crate::raw_buffer::RawBuffer;
use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// An array: row-major, in host memory, with values that do not change. A clone refers to the same array.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::Tensor;
/// let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]);
/// let y = (x * 2.0).realize()?;
/// assert_eq!(y.as_slice::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Buffer(Arc<Array>);

struct Array {
    info: Arc<Info>,
    memory: Memory,
}

/// Memory of an array, which begins at `data`.
pub(crate) struct Memory {
    pub(crate) data: *mut u8,
    owner: Owner,
}

enum Owner {
    /// Memory that was allocated as a `Vec` of elements of the dtype. It is freed with this layout.
    Rust(Layout),
    /// A buffer of the C library, which is only read.
    C { _kept: RawBuffer },
}

// Safety: this value owns the memory, which is written only before it is shared. Any thread may use the C library's buffers.
unsafe impl Send for Memory {}
unsafe impl Sync for Memory {}

impl Memory {
    /// Allocates memory for the elements of an array with this dtype and shape. The content is unspecified.
    pub(crate) fn new(info: &Info) -> Result<Memory> {
        let size = info.byte_size().and_then(|bytes| Layout::from_size_align(bytes, info.dtype().align()).ok());
        let layout =
            size.ok_or_else(|| Error::new(ErrorKind::Overflow, format!("an array of shape {} does not fit memory", info.shape_text())))?;
        if layout.size() == 0 {
            return Ok(Memory { data: layout.align() as *mut u8, owner: Owner::Rust(layout) });
        }
        // Safety: the layout is not empty.
        let data = unsafe { std::alloc::alloc(layout) };
        if data.is_null() {
            return Err(Error::new(ErrorKind::OutOfMemory, format!("no memory for an array of {} bytes", layout.size())));
        }
        Ok(Memory { data, owner: Owner::Rust(layout) })
    }

    fn of_vec<S>(elements: Vec<S>) -> Memory {
        let mut elements = ManuallyDrop::new(elements);
        // This cannot fail, because the vector's memory was allocated with this layout.
        let layout = Layout::array::<S>(elements.capacity()).unwrap_or_else(|_| Layout::new::<S>());
        Memory { data: elements.as_mut_ptr().cast(), owner: Owner::Rust(layout) }
    }

    /// Returns the memory as a vector; a copy if the memory belongs to the C library.
    ///
    /// # Safety
    /// The memory must contain `length` elements of the type `S`, and must have been allocated with that type's alignment.
    unsafe fn into_vec<S: Copy>(self, length: usize) -> Vec<S> {
        match self.owner {
            Owner::Rust(layout) => {
                let memory = ManuallyDrop::new(self);
                Vec::from_raw_parts(memory.data.cast(), length, layout.size() / std::mem::size_of::<S>())
            }
            Owner::C { .. } => std::slice::from_raw_parts(self.data.cast::<S>(), length).to_vec(),
        }
    }

    /// Reports whether Rust allocated the memory, so that it may be written if nothing else refers to it.
    pub(crate) fn is_rusts(&self) -> bool {
        matches!(self.owner, Owner::Rust(_))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self.owner {
            // Safety: allocated with this layout.
            Owner::Rust(layout) if layout.size() != 0 => unsafe { std::alloc::dealloc(self.data, layout) },
            _ => {}
        }
    }
}

impl Buffer {
    /// Makes an array of these sizes from elements in row-major order, without a copy (except for pairs as complex numbers).
    /// Fails with [`ErrorKind::Shape`] if the sizes do not match the number of elements, or if there are more than 16 sizes.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// let x = harp::Buffer::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// assert_eq!(x.shape(), [2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_vec<T: Element>(elements: Vec<T>, dims: impl Into<Dims>) -> Result<Buffer> {
        let info = Info::new(T::DTYPE, dims.into().0);
        check_rank(info.dims().len())?;
        if info.element_count() == Some(elements.len()) {
            return Ok(Buffer::of_vec(elements, Arc::new(info)));
        }
        let text = format!("expected a shape of {} elements, got {}", elements.len(), info.shape_text());
        Err(Error::new(ErrorKind::Shape, text))
    }

    fn of_vec<T: Element>(elements: Vec<T>, info: Arc<Info>) -> Buffer {
        Buffer(Arc::new(Array { info, memory: Memory::of_vec(T::store(elements)) }))
    }

    /// Makes an array of rank 0 from a number.
    pub(crate) fn of_number(info: &Arc<Info>, bytes: [u64; 2]) -> Result<Buffer> {
        let memory = Memory::new(info)?;
        // Safety: an element has at most 16 bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), memory.data, info.dtype().size());
            Ok(Buffer::of_memory(memory, info.clone()))
        }
    }

    /// # Safety
    /// The memory must have been allocated for such an array, and every element must be written.
    pub(crate) unsafe fn of_memory(memory: Memory, info: Arc<Info>) -> Buffer {
        Buffer(Arc::new(Array { info, memory }))
    }

    /// Wraps an array that the C library owns.
    ///
    /// # Safety
    /// Nothing may write the memory while the result exists.
    pub(crate) unsafe fn of_raw(raw: RawBuffer) -> Result<Buffer> {
        let info = Arc::new(raw.info());
        let bytes = info.byte_size().unwrap_or(0);
        let data = raw.data();
        if bytes == 0 {
            // A slice must not begin at NULL.
            return Ok(Buffer::of_memory(Memory { data: info.dtype().align() as *mut u8, owner: Owner::C { _kept: raw } }, info));
        }
        let is_bool = info.dtype() == DType::Bool;
        if is_bool && std::slice::from_raw_parts(data, bytes).iter().any(|&byte| byte > 1) {
            // For harp every nonzero byte is true, but in Rust a bool must be 0 or 1.
            let memory = Memory::new(&info)?;
            for index in 0..bytes {
                *memory.data.add(index) = u8::from(*data.add(index) != 0);
            }
            return Ok(Buffer::of_memory(memory, info));
        }
        Ok(Buffer::of_memory(Memory { data: data as *mut u8, owner: Owner::C { _kept: raw } }, info))
    }

    /// Returns the memory if nothing else refers to this array and the memory may be written; otherwise returns the buffer.
    pub(crate) fn into_memory(self) -> std::result::Result<Memory, Buffer> {
        if !self.0.memory.is_rusts() {
            return Err(self);
        }
        Arc::try_unwrap(self.0).map(|array| array.memory).map_err(Buffer)
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.0.info.dtype()
    }

    /// Its sizes.
    pub fn shape(&self) -> Vec<usize> {
        self.0.info.sizes().iter().map(|&size| size as usize).collect()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.info.element_count().unwrap_or(0)
    }

    /// Reports whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its elements in row-major order. Fails with [`ErrorKind::Dtype`] if they have another type. (Complex elements are `[f32; 2]` and
    /// `[f64; 2]` here.)
    pub fn as_slice<T: Plain>(&self) -> Result<&[T]> {
        self.expect(T::DTYPE)?;
        // Safety: the memory contains this number of elements of the dtype, which has the layout of T.
        Ok(unsafe { std::slice::from_raw_parts(self.0.memory.data.cast(), self.len()) })
    }

    /// A copy of its elements in row-major order; the elements themselves if nothing else refers to this array.
    pub fn into_vec<T: Element>(self) -> Result<Vec<T>> {
        self.expect(T::DTYPE)?;
        let length = self.len();
        // Safety: the dtype is T's, and the memory was allocated for the type in which T is stored.
        Ok(T::unstore(unsafe {
            match Arc::try_unwrap(self.0) {
                Ok(array) => array.memory.into_vec(length),
                Err(shared) => std::slice::from_raw_parts(shared.memory.data.cast::<T::Stored>(), length).to_vec(),
            }
        }))
    }

    /// A copy of its elements in row-major order.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.clone().into_vec()
    }

    fn expect(&self, dtype: DType) -> Result<()> {
        if self.dtype() == dtype {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Dtype, format!("expected elements of {}, but the array has {}", dtype, self.dtype())))
    }

    /// Reports whether there is no other clone.
    pub(crate) fn is_unique(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn info(&self) -> &Arc<Info> {
        &self.0.info
    }

    pub(crate) fn data(&self) -> *const u8 {
        self.0.memory.data
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({}{})", self.dtype(), self.0.info.shape_text())
    }
}
