//! The C interface of harp, as bindgen translates it. `include/harp.h` describes each function. Programs should use the crate `harp`.
//!
//! A feature determines how the functions are found: `link` (libharp.so, by pkg-config), `static` (libharp.a, by pkg-config) or
//! `load-dynamic`: nothing is linked; [`load`] opens the library, or else the first call of a function opens `libharp.so.0`.
//!
#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]
#![allow(clippy::all, clippy::pedantic)]
#![cfg_attr(rustfmt, rustfmt_skip)]

/// Types and constants.
mod types {
    include!("types.rs");
}
mod table {
    use super::types::*;
    include!("table.rs");
}
pub use table::harp_api;
pub use types::*;

/// Constants that bindgen does not understand: `INT64_MIN` and what is computed from it.
pub const HARP_DIM_INVALID: harp_dim = i64::MIN;
pub const HARP_SLICE_NONE: harp_dim = i64::MIN + 1;
pub const HARP_CLASS_NONE: i64 = i64::MIN;

#[cfg(not(feature = "load-dynamic"))]
mod functions {
    use super::types::*;
    use super::harp_api;
    include!("functions.rs");
}
#[cfg(not(feature = "load-dynamic"))]
pub use functions::*;

#[cfg(feature = "load-dynamic")]
mod load;
#[cfg(feature = "load-dynamic")]
mod dynamic {
    use super::load::table;
    use super::types::*;
    include!("dynamic.rs");
}
#[cfg(feature = "load-dynamic")]
pub use dynamic::*;
#[cfg(feature = "load-dynamic")]
pub use load::{is_loaded, load, load_default};

/// Defines `init()` for a struct of options, like the macros `HARP_..._INIT`: the struct's size, and zeros, which stand for the defaults.
macro_rules! init {
    ($($name:ident { $($field:ident: $value:expr),* })*) => {
        $(impl $name {
            /// Like `HARP_..._INIT`.
            pub fn init() -> Self {
                #[allow(unused_mut)]
                // Safety: the fields are numbers, pointers and optional functions, all of which may be zero.
                let mut made: Self = unsafe { std::mem::zeroed() };
                made.struct_size = std::mem::size_of::<Self>();
                $(made.$field = $value;)*
                made
            }
        })*
    };
}

init! {
    harp_context_options {}
    harp_cache_stats_info {}
    harp_memory_stats_info {}
    harp_pool_options { count_include_pad: 1 }
    harp_custom_function_desc {}
    harp_native_desc {}
    harp_compile_options {}
    harp_run_options {}
    harp_array_info {}
    harp_shape_var_info {}
    harp_program_stats_info {}
    harp_tune_options {}
    harp_tune_trial_info {}
    harp_tune_summary {}
    harp_fault { site: -1 }
}
