//! Finds the functions at run time: one `dlopen`, then the table that `harp_get_api` returns.
use super::{harp_api, HARP_API_VERSION};
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

#[link(name = "dl")]
extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *mut c_char;
}
const RTLD_NOW: c_int = 2;

static TABLE: AtomicPtr<harp_api> = AtomicPtr::new(std::ptr::null_mut());
static LOADING: Mutex<()> = Mutex::new(());

fn last_error() -> String {
    // Safety: dlerror returns NULL or a text that is valid until the thread calls it again.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            "no such symbol".to_owned()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

/// Opens the library with this name or path (`libharp.so.0`, `/opt/harp/lib/libharp.so`) and takes its functions. A process uses one
/// library: later calls have no effect. The error says what was expected and what was found.
///
/// # Safety
/// The file must be harp's library: opening it runs its code, and the symbols with harp's names are called as harp's functions.
pub unsafe fn load(library: &str) -> Result<(), String> {
    let _one_at_a_time = LOADING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if is_loaded() {
        return Ok(());
    }
    let name = CString::new(library).map_err(|_| format!("{:?}: a library's name has no zero byte", library))?;
    let handle = dlopen(name.as_ptr(), RTLD_NOW);
    if handle.is_null() {
        return Err(last_error());
    }
    let symbol = dlsym(handle, b"harp_get_api\0".as_ptr().cast());
    if symbol.is_null() {
        return Err(format!("{}: {}", library, last_error()));
    }
    let get_api: unsafe extern "C" fn(u32) -> *const harp_api = std::mem::transmute(symbol);
    let table = get_api(HARP_API_VERSION as u32);
    if table.is_null() {
        return Err(format!("{}: it has no functions of version {}", library, HARP_API_VERSION));
    }
    let (expected, found) = (std::mem::size_of::<harp_api>(), (*table).struct_size);
    if found < expected {
        return Err(format!("{}: expected a table of {} bytes, but this older library's has {}", library, expected, found));
    }
    TABLE.store(table as *mut harp_api, Ordering::Release);
    Ok(())
}

/// Reports whether a library is loaded.
pub fn is_loaded() -> bool {
    !TABLE.load(Ordering::Acquire).is_null()
}

/// Opens `libharp.so.0`, as the first call of a function does, unless a library is loaded already.
pub fn load_default() -> Result<(), String> {
    if is_loaded() {
        return Ok(());
    }
    // Safety: this is harp's own name, searched in the directories of the loader, where a program that links harp finds it too.
    unsafe { load("libharp.so.0") }.map_err(|error| format!("harp cannot be loaded: {}", error))
}

/// Returns the functions. Panics if no library was loaded and `libharp.so.0` cannot be loaded.
pub(crate) fn table() -> &'static harp_api {
    let mut table = TABLE.load(Ordering::Acquire);
    if table.is_null() {
        load_default().unwrap_or_else(|error| panic!("{}", error));
        table = TABLE.load(Ordering::Acquire);
    }
    // Safety: the library is never closed.
    unsafe { &*table }
}
