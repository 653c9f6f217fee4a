//! harp: lazy tensors, and compiled graphs of array operations.
//!
//! ```
//! # fn main() -> harp::Result<()> {
//! use harp::Tensor;
//! let a = Tensor::from_vec(vec![1.0f32, 2.0, 3.0], [3]);
//! let b = Tensor::from_vec(vec![4.0f32, 5.0, 6.0], [3]);
//! let c = &a * &b + 1.0; // nothing is computed yet
//! assert_eq!(c.to_vec()?, [5.0, 11.0, 19.0]); // one compiled kernel
//! # Ok(())
//! # }
//! ```
//!
//! [`Tensor`] is the lazy array, [`Graph`] builds programs for any size and [`Jit`] traces them, [`ast`] builds custom functions,
//! [`Native`] calls Rust and C, [`dlpack`] shares arrays with other libraries, and [`Autotuner`] searches for the fastest configuration of a
//! program. Names and meanings of the operations are those of harp's C interface (`include/harp.h`).
//!
//! Errors are [`Error`]s, with the C library's message and a kind. Operators, and methods for which there is a `try_` variant, panic with
//! that message.
//!
//! | | may be sent to another thread | may be shared by threads |
//! |---|---|---|
//! | [`Context`], [`Program`], [`BuiltGraph`], [`Buffer`], [`Native`], [`Error`] | yes | yes |
//! | [`Jit`] | as its function | as its function |
//! | [`Tensor`], [`Graph`], [`GraphNode`], [`Backend`] | no | no |
//!
//! These rules follow from `harp.h`: only one thread at a time may build a graph (here the thread to which its nodes belong), and any number
//! of threads may compile it.
#![warn(missing_debug_implementations)]
#![allow(clippy::needless_doctest_main)]

#[cfg(feature = "ndarray")]
mod array;
pub mod ast;
mod broadcast;
mod buffer;
mod built;
mod config;
mod context;
mod digest;
pub mod dlpack;
mod element;
mod error;
mod expr;
mod generated;
mod grad;
pub mod graph;
mod info;
mod jit;
mod limit;
mod lower;
mod native;
mod native_call;
mod operators;
mod origins;
mod plan;
mod pool;
mod program;
mod raw_buffer;
mod registry;
mod tensor;
mod trace;
mod tune;

pub use broadcast::{broadcast_index, broadcast_shapes};
pub use buffer::Buffer;
pub use built::BuiltGraph;
pub use config::{CompileOptions, Configuration};
pub use context::{CacheStats, Context, ContextOptions};
pub use element::{BoolInt, Element, Field, Float, Int, Number, Plain, Real};
pub use error::{Error, Result};
pub use expr::{Arithmetic, Axes, Dims, Expr, LARGEST_SIZE};
pub use generated::codes::{DType, ErrorKind};
pub use graph::{Graph, GraphNode, InputNodeBuilder, GRAPH_BROADCAST, GRAPH_PROMOTE, GRAPH_PROMOTE_MIXED};
pub use jit::Jit;
pub use native::{AnyTensor, Native};
pub use native_call::{NativeCall, NativeResult};
pub use pool::PoolOptions;
pub use program::{Array, ArrayInfo, ArrayMut, Program, ProgramStats, RunOptions};
pub use registry::{backend, clear_cache, context, default_backend, set_context, set_default_backend, Backend};
pub use tensor::Tensor;
pub use tune::{Autotuner, SearchSpace, SearchStrategy, TrialResult, TuningResult};

/// Instead of an axis: the operation works on the flattened array.
pub const AXIS_NONE: i32 = harp_sys::HARP_AXIS_NONE;
/// An open end of a slice.
pub const SLICE_NONE: i64 = harp_sys::HARP_SLICE_NONE;
/// Instead of `ignore_index`: no class is ignored.
pub const CLASS_NONE: i64 = harp_sys::HARP_CLASS_NONE;
/// Flag of a scan: each running value excludes its own element.
pub const SCAN_EXCLUSIVE: u32 = harp_sys::HARP_SCAN_EXCLUSIVE as u32;
/// Flag of a scan: it runs from the end of the axis to its start.
pub const SCAN_REVERSE: u32 = harp_sys::HARP_SCAN_REVERSE as u32;

/// Opens the library with this name or path instead of `libharp.so.0`. Must be called before everything else. A library that cannot be
/// loaded is [`ErrorKind::Io`].
///
/// # Safety
/// The file must be harp's library: its symbols with harp's names are called as harp's functions.
#[cfg(feature = "load-dynamic")]
pub unsafe fn load(library: &str) -> Result<()> {
    harp_sys::load(library).map_err(|text| Error::new(ErrorKind::Io, text))
}

/// The version of the library: "0.1.0".
pub fn version() -> String {
    // Safety: the text is valid for ever.
    unsafe { error::text(harp_sys::harp_version_string()) }
}

/// What most programs use.
pub mod prelude {
    pub use crate::{DType, Error, Expr, Graph, GraphNode, Tensor};
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl DType {
    /// The alignment of the elements in a `Vec`.
    pub(crate) fn align(self) -> usize {
        match self {
            DType::Complex64 => DType::F32.align(),
            DType::Complex128 => DType::F64.align(),
            // Not 8 on every machine.
            DType::I64 | DType::U64 => std::mem::align_of::<u64>(),
            DType::F64 => std::mem::align_of::<f64>(),
            _ => self.size().max(1),
        }
    }
}

/// Pages whose code blocks are tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../tests/design.md")]
    struct Design;
    #[doc = include_str!("../../../../docs/rust.md")]
    struct Tutorial;
    #[doc = include_str!("../../README.md")]
    struct ReadMe;
}
