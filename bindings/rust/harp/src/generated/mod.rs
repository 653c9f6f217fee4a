//! What bindings/rust/generate.py writes. Operations have as many parameters as in harp.h.
#![allow(clippy::too_many_arguments, clippy::type_complexity, clippy::vec_init_then_push)]
pub(crate) mod codes;
mod graph_ops;
pub(crate) mod ops;
mod tensor_ops;
