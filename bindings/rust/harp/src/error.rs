//! Errors, with harp's text.
use crate::generated::codes::ErrorKind;
use harp_sys as sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

/// An error: its kind, and a text by harp that says what was expected and what was found.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    compiler_output: String,
}

/// The result of a function that may fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), compiler_output: String::new() }
    }

    /// Takes over an error of the C library. A failed call never leaves NULL; if it does, that is a bug in harp.
    ///
    /// # Safety
    /// `error` must be NULL or owned by the caller.
    pub(crate) unsafe fn take(error: *mut sys::harp_error) -> Self {
        if error.is_null() {
            return Error::new(ErrorKind::Internal, "harp failed without an error message");
        }
        let made = Error::copy(error);
        sys::harp_error_release(error);
        made
    }

    /// # Safety
    /// `error` must be an error of the C library.
    pub(crate) unsafe fn copy(error: *const sys::harp_error) -> Self {
        Error {
            kind: ErrorKind::from_code(sys::harp_error_code(error)),
            message: text(sys::harp_error_message(error)),
            compiler_output: text(sys::harp_error_compiler_output(error)),
        }
    }

    /// The same error with a reason appended to harp's text.
    pub(crate) fn because(mut self, reason: &str) -> Self {
        self.message = format!("{}: {}", self.message, reason);
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was expected and what was found, without a final newline.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The output of the C compiler, for [`ErrorKind::Compiler`]; otherwise empty.
    pub fn compiler_output(&self) -> &str {
        &self.compiler_output
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {}

/// Copies a text of the C library; "" for NULL.
///
/// # Safety
/// `c` must be NULL or terminated by a zero byte.
pub(crate) unsafe fn text(c: *const c_char) -> String {
    if c.is_null() {
        String::new()
    } else {
        CStr::from_ptr(c).to_string_lossy().into_owned()
    }
}

/// Calls a function that returns a status and whose last parameter receives an error.
pub(crate) fn check(call: impl FnOnce(*mut *mut sys::harp_error) -> sys::harp_status) -> Result<()> {
    let mut error = std::ptr::null_mut();
    if call(&mut error) == sys::HARP_OK {
        return Ok(());
    }
    // Safety: after a failed call the caller owns the error.
    Err(unsafe { Error::take(error) })
}

/// Calls a function that returns a new object, or NULL, and whose last parameter receives an error.
pub(crate) fn make<T>(call: impl FnOnce(*mut *mut sys::harp_error) -> *mut T) -> Result<*mut T> {
    let mut error = std::ptr::null_mut();
    let made = call(&mut error);
    if made.is_null() {
        // Safety: after a failed call the caller owns the error.
        return Err(unsafe { Error::take(error) });
    }
    Ok(made)
}

/// Calls a function that returns a text.
pub(crate) fn make_text(call: impl FnOnce(*mut *mut sys::harp_error) -> *mut sys::harp_string) -> Result<String> {
    let string = make(call)?;
    // Safety: the caller owns the string, which contains `size` bytes.
    unsafe {
        let bytes = std::slice::from_raw_parts(sys::harp_string_data(string).cast::<u8>(), sys::harp_string_size(string));
        let copy = String::from_utf8_lossy(bytes).into_owned();
        sys::harp_string_release(string);
        Ok(copy)
    }
}

/// Converts a text for the C library. A zero byte is an error, because it would end the text; no text that harp accepts contains one.
pub(crate) fn c_text(text: &str) -> Result<std::ffi::CString> {
    std::ffi::CString::new(text)
        .map_err(|_| Error::new(ErrorKind::InvalidArgument, format!("expected a text without a zero byte, got {:?}", text)))
}

/// Panics with an error; for operators, and methods that do not return a `Result`.
#[track_caller]
pub(crate) fn expect<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{}", error),
    }
}

/// Returns the two results of an operation that has two.
pub(crate) fn pair<N, A, B>(made: Vec<N>, a: impl FnOnce(N) -> A, b: impl FnOnce(N) -> B) -> (A, B) {
    let mut made = made.into_iter();
    match (made.next(), made.next()) {
        (Some(first), Some(second)) => (a(first), b(second)),
        _ => unreachable!("the operation was asked for two results"),
    }
}
