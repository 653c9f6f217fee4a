//! Calls of Rust closures by compiled programs: from the C function that harp calls to the closure, and back.
use crate::element::Plain;
use crate::error::{Error, Result};
use crate::generated::codes::{DType, ErrorKind};
use crate::native::Function;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// The result of a native function: nothing, or the error.
pub type NativeResult = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A size of an array of a native function: a number, or an index into the list of symbolic sizes that each call receives.
pub(crate) enum Size {
    Plain(i64),
    Symbolic(usize),
}

pub(crate) struct ArrayType {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<Size>,
}

/// A closure, and the arrays that one operation of a graph passes to it. The operation's `user` pointer points to this struct, which the
/// graph and its programs keep alive.
pub(crate) struct Use {
    pub(crate) function: Arc<Function>,
    pub(crate) inputs: Vec<ArrayType>,
    pub(crate) output: ArrayType,
}

/// Keeps the closures of a program alive; None if there are none.
pub(crate) type Uses = Option<Arc<[Arc<Use>]>>;

/// The arrays of one call of a [`Native`](crate::Native) closure.
pub struct NativeCall<'a> {
    inputs: Vec<Given<'a>>,
    output: Given<'a>,
}

/// An array. Only the elements of the output are written through `data`.
struct Given<'a> {
    dtype: DType,
    dims: Vec<usize>,
    data: *mut u8,
    borrowed: std::marker::PhantomData<&'a ()>,
}

impl<'a> Given<'a> {
    /// `symbolic` contains sizes of a run. harp has checked them: none is negative, and the array fits memory.
    fn new(array: &ArrayType, symbolic: &[i64], data: *mut u8) -> Given<'a> {
        let size = |size: &Size| match size {
            Size::Plain(value) => *value as usize,
            Size::Symbolic(place) => symbolic[*place] as usize,
        };
        let dims = array.dims.iter().map(size).collect();
        Given { dtype: array.dtype, dims, data, borrowed: std::marker::PhantomData }
    }

    fn count(&self) -> usize {
        if self.dims.contains(&0) {
            return 0; // the product of the other sizes may overflow
        }
        self.dims.iter().product()
    }

    /// A non-NULL pointer to elements of the type, and their number.
    fn elements<T: Plain>(&self, what: &str) -> Result<(*mut T, usize)> {
        if self.dtype != T::DTYPE {
            return Err(Error::new(ErrorKind::Dtype, format!("{}: expected elements of {}, but it has {}", what, T::DTYPE, self.dtype)));
        }
        let count = self.count();
        Ok((if count == 0 { std::ptr::NonNull::dangling().as_ptr() } else { self.data.cast() }, count))
    }
}

impl<'a> NativeCall<'a> {
    /// Number of inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    fn given(&self, index: usize) -> Result<&Given<'a>> {
        self.inputs.get(index).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("expected an input number below {}, got {}", self.inputs.len(), index))
        })
    }

    /// The elements of an input in row-major order. Fails with [`ErrorKind::Dtype`] if they have another type, and with
    /// [`ErrorKind::InvalidArgument`] if there is no such input.
    pub fn input<T: Plain>(&self, index: usize) -> Result<&'a [T]> {
        let (first, count) = self.given(index)?.elements::<T>(&format!("input {}", index))?;
        // Safety: harp passes this number of elements of the dtype, and nothing writes them during the call.
        Ok(unsafe { std::slice::from_raw_parts(first, count) })
    }

    /// The sizes of an input. Fails with [`ErrorKind::InvalidArgument`] if there is no such input.
    pub fn input_shape(&self, index: usize) -> Result<&[usize]> {
        Ok(&self.given(index)?.dims)
    }

    /// The elements of the result in row-major order, initially zeros. Fails with [`ErrorKind::Dtype`] if they have another type.
    pub fn output<T: Plain>(&mut self) -> Result<&mut [T]> {
        let (first, count) = self.output.elements::<T>("output")?;
        // Safety: harp passes this number of elements of the dtype; nothing else accesses them during the call, and `enter` set them to 0.
        Ok(unsafe { std::slice::from_raw_parts_mut(first, count) })
    }

    /// The sizes of the result.
    pub fn output_shape(&self) -> &[usize] {
        &self.output.dims
    }
}

impl std::fmt::Debug for NativeCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |given: &Given| format!("{}{:?}", given.dtype, given.dims);
        let inputs: Vec<String> = self.inputs.iter().map(text).collect();
        write!(f, "NativeCall({} -> {})", inputs.join(", "), text(&self.output))
    }
}

/// Why a closure failed. It is stored here, because the C library reports only that it failed.
enum Failure {
    Error(String),
    Panic(Box<dyn Any + Send>),
}

thread_local! {
    /// Whether a native function is running on this thread.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    static FAILURE: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Fails if a native function is running on this thread. (A run inside of it would change arrays that the outer run uses.)
pub(crate) fn check_outside() -> Result<()> {
    if IS_INSIDE.with(Cell::get) {
        return Err(Error::new(ErrorKind::InvalidArgument, "a native function must not call harp"));
    }
    Ok(())
}

/// Must be called before a run that may call closures: drops the failure that an earlier run has left.
pub(crate) fn begin() {
    drop(FAILURE.try_with(|failure| failure.take()));
}

/// Returns the error of a run, with the closure's reason if a closure failed. If a closure panicked, the panic continues here.
pub(crate) fn explain(error: Error) -> Error {
    match FAILURE.try_with(|failure| failure.take()) {
        Ok(Some(Failure::Panic(payload))) => resume_unwind(payload),
        Ok(Some(Failure::Error(reason))) => error.because(&reason),
        Ok(None) | Err(_) => error,
    }
}

/// Calls the closure, whose panics must not reach the C library.
///
/// # Safety
/// `user` must point to a `Use`, and the arrays must be as it describes them.
unsafe fn enter(user: *mut c_void, output: *mut c_void, arrays: &[*const c_void]) -> i32 {
    struct Inside;
    impl Drop for Inside {
        fn drop(&mut self) {
            IS_INSIDE.with(|inside| inside.set(false));
        }
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| -> std::result::Result<(), String> {
        IS_INSIDE.with(|inside| inside.set(true));
        let _inside = Inside;
        let used = &*(user as *const Use);
        let function = match &*used.function {
            Function::Rust(function) => function,
            Function::C { .. } => unreachable!("harp calls C functions themselves"),
        };
        let count = used.inputs.iter().chain([&used.output]).flat_map(|array| &array.dims).filter_map(|size| match size {
            Size::Plain(_) => None,
            Size::Symbolic(place) => Some(place + 1),
        });
        let symbolic = match count.max() {
            Some(count) => std::slice::from_raw_parts(arrays[used.inputs.len()].cast::<i64>(), count),
            None => &[],
        };
        let inputs = used.inputs.iter().zip(arrays).map(|(array, &data)| Given::new(array, symbolic, data as *mut u8)).collect();
        let output = Given::new(&used.output, symbolic, output.cast());
        // The closure gets the output as initialised memory: before, it may contain anything, even bytes that are no valid bool.
        std::ptr::write_bytes(output.data, 0, output.count() * output.dtype.size());
        function(&mut NativeCall { inputs, output }).map_err(|error| error.to_string())
    }));
    let failure = match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(reason)) => Failure::Error(reason),
        Err(payload) => Failure::Panic(payload),
    };
    // The variable may be missing: a thread that ends has destroyed it already.
    drop(FAILURE.try_with(|last| last.replace(Some(failure))));
    1
}

/// Maximum number of inputs of a closure, not counting the array of symbolic sizes.
pub(crate) const MOST_INPUTS: usize = 8;

macro_rules! entries {
    ($($count:literal $name:ident($($input:ident)*);)*) => {
        $(unsafe extern "C" fn $name(user: *mut c_void, output: *mut c_void $(, $input: *const c_void)*) -> i32 {
            enter(user, output, &[$($input),*])
        })*

        /// The C function for this number of inputs: "i32(void* user, T* output, T* input0 ...)".
        pub(crate) fn entry(inputs: usize) -> unsafe extern "C" fn() {
            // Safety: harp casts the function back to its type, which the signature states.
            unsafe {
                match inputs {
                    $($count => std::mem::transmute::<
                        unsafe extern "C" fn(*mut c_void, *mut c_void $(, entries!(@pointer $input))*) -> i32,
                        unsafe extern "C" fn(),
                    >($name),)*
                    more => unreachable!("{} inputs of a closure", more),
                }
            }
        }
    };
    (@pointer $input:ident) => { *const c_void };
}
entries! {
    0 enter_0();
    1 enter_1(a);
    2 enter_2(a b);
    3 enter_3(a b c);
    4 enter_4(a b c d);
    5 enter_5(a b c d e);
    6 enter_6(a b c d e f);
    7 enter_7(a b c d e f g);
    8 enter_8(a b c d e f g h);
    9 enter_9(a b c d e f g h i);
}
