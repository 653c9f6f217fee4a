//! The table of functions equals the library's: it has the same size and no holes, and its functions are those of the declarations.
#![cfg(not(feature = "load-dynamic"))]
use harp_sys as sys;

#[test]
fn the_table_is_that_of_the_library() {
    unsafe {
        let table = sys::harp_get_api(sys::HARP_API_VERSION as u32);
        assert!(!table.is_null());
        assert_eq!((*table).struct_size, std::mem::size_of::<sys::harp_api>());
        let words = std::mem::size_of::<sys::harp_api>() / std::mem::size_of::<usize>();
        let first = std::mem::size_of::<[usize; 2]>() / std::mem::size_of::<usize>();
        let entries = std::slice::from_raw_parts(table.cast::<usize>(), words);
        assert!(entries[first..].iter().all(|&function| function != 0));
        assert_eq!((*table).harp_version.unwrap()(), sys::harp_version());
        assert_eq!((*table).harp_dtype_size.unwrap()(sys::HARP_F64), 8);
        let version = std::ffi::CStr::from_ptr((*table).harp_version_string.unwrap()());
        assert_eq!(version.to_str().unwrap().split('.').next().unwrap(), sys::HARP_VERSION_MAJOR.to_string());
        assert!(sys::harp_get_api(u32::MAX).is_null());
    }
}
