//! What went wrong, with harp's text.
use crate::generated::codes::ErrorKind;
use harp_sys as sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

/// A mistake: its kind, and what was expected and what came, in harp's words.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    compiler_output: String,
}

/// The result of what may fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), compiler_output: String::new() }
    }

    /// Takes over an error of the C library's. NULL, which a failed call never leaves, is a bug of harp's.
    ///
    /// # Safety
    /// `error` is NULL or owned by the caller.
    pub(crate) unsafe fn take(error: *mut sys::harp_error) -> Self {
        if error.is_null() {
            return Error::new(ErrorKind::Internal, "harp failed without an error message");
        }
        let made = Error::copy(error);
        sys::harp_error_release(error);
        made
    }

    /// # Safety
    /// `error` is an error of the C library's.
    pub(crate) unsafe fn copy(error: *const sys::harp_error) -> Self {
        Error {
            kind: ErrorKind::from_code(sys::harp_error_code(error)),
            message: text(sys::harp_error_message(error)),
            compiler_output: text(sys::harp_error_compiler_output(error)),
        }
    }

    /// The same mistake with a reason behind harp's text.
    pub(crate) fn because(mut self, reason: &str) -> Self {
        self.message = format!("{}: {}", self.message, reason);
        self
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was expected and what came, without a final newline.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the C compiler printed, for [`ErrorKind::Compiler`]; else empty.
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

/// A copy of text of the C library's; "" for NULL.
///
/// # Safety
/// `c` is NULL or terminated by a zero byte.
pub(crate) unsafe fn text(c: *const c_char) -> String {
    if c.is_null() {
        String::new()
    } else {
        CStr::from_ptr(c).to_string_lossy().into_owned()
    }
}

/// Calls a function that returns a status and takes an error last.
pub(crate) fn check(call: impl FnOnce(*mut *mut sys::harp_error) -> sys::harp_status) -> Result<()> {
    let mut error = std::ptr::null_mut();
    if call(&mut error) == sys::HARP_OK {
        return Ok(());
    }
    // Safety: a failed call leaves an owned error.
    Err(unsafe { Error::take(error) })
}

/// Calls a function that makes something, or returns NULL, and takes an error last.
pub(crate) fn make<T>(call: impl FnOnce(*mut *mut sys::harp_error) -> *mut T) -> Result<*mut T> {
    let mut error = std::ptr::null_mut();
    let made = call(&mut error);
    if made.is_null() {
        // Safety: a failed call leaves an owned error.
        return Err(unsafe { Error::take(error) });
    }
    Ok(made)
}

/// Calls a function that makes text.
pub(crate) fn make_text(call: impl FnOnce(*mut *mut sys::harp_error) -> *mut sys::harp_string) -> Result<String> {
    let string = make(call)?;
    // Safety: the string is owned and holds `size` bytes.
    unsafe {
        let bytes = std::slice::from_raw_parts(sys::harp_string_data(string).cast::<u8>(), sys::harp_string_size(string));
        let copy = String::from_utf8_lossy(bytes).into_owned();
        sys::harp_string_release(string);
        Ok(copy)
    }
}

/// Text for the C library. A zero byte ends it there: nothing harp takes has one.
pub(crate) fn c_text(text: &str) -> Result<std::ffi::CString> {
    std::ffi::CString::new(text)
        .map_err(|_| Error::new(ErrorKind::InvalidArgument, format!("expected a text without a zero byte, got {:?}", text)))
}

/// What operators and methods without a `Result` do with a mistake.
#[track_caller]
pub(crate) fn expect<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{}", error),
    }
}

/// The two results of an operation that has two.
pub(crate) fn pair<N, A, B>(made: Vec<N>, a: impl FnOnce(N) -> A, b: impl FnOnce(N) -> B) -> (A, B) {
    let mut made = made.into_iter();
    match (made.next(), made.next()) {
        (Some(first), Some(second)) => (a(first), b(second)),
        _ => unreachable!("the operation was asked for two results"),
    }
}
