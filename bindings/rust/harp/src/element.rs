//! The Rust types of array elements, and the groups of types that operations accept.
use crate::generated::codes::DType;
use std::mem::ManuallyDrop;

mod sealed {
    pub trait Sealed {}
}

/// A type of array elements: `bool`, the integers of 8 to 64 bits, `isize` and `usize`, `f32`, `f64`, and as complex numbers
/// `(f32, f32)` and `(f64, f64)`, the real part first. With the feature `half` also `half::f16` and `half::bf16`, with the feature
/// `num-complex` also `num_complex::Complex` of `f32` and `f64`.
///
/// ```compile_fail,E0277
/// harp::Tensor::<char>::from_vec(vec!['a'], [1]); // char is no element
/// ```
pub trait Element: Copy + PartialEq + std::fmt::Debug + sealed::Sealed + 'static {
    /// The dtype in harp.
    const DTYPE: DType;
    /// The type in which an element is stored in memory.
    type Stored: Copy + 'static;
    /// The type of the parts of a complex number; for a real type the type itself.
    type Real: Element;
    /// The complex type whose parts have this type; for a complex type the type itself. Types without a complex type name themselves here,
    /// and operations with complex results report an error for them.
    type Complex: Element;
    fn to_stored(self) -> Self::Stored;
    fn from_stored(stored: Self::Stored) -> Self;
    /// Converts elements to the form in which they are stored; keeps the memory if the type is the same.
    fn store(elements: Vec<Self>) -> Vec<Self::Stored>;
    fn unstore(stored: Vec<Self::Stored>) -> Vec<Self>;
}

/// An element with the same layout in memory as in harp, so that slices of it can be borrowed: every [`Element`] except the tuples, whose
/// layout Rust does not define. Here, `[f32; 2]` and `[f64; 2]` are complex numbers, like `num_complex::Complex` of `f32` and `f64`.
///
/// # Safety
/// The type must have the size and the alignment of an element of `DTYPE`, and no padding. Every bit pattern that harp may write as such an
/// element must be a valid value of the type: 0 and 1 for `DType::Bool`, all bit patterns for the other dtypes.
pub unsafe trait Plain: Copy + 'static {
    const DTYPE: DType;
}

/// Integers and floats, the numbers that can be compared: all types except `bool` and complex numbers.
pub trait Real: Number {}
/// `f32` and `f64`, and with the feature `half` also `half::f16` and `half::bf16`.
pub trait Float: Real + Field {}
/// Floats and complex numbers.
pub trait Field: Number {}
/// Integers.
pub trait Int: Real + BoolInt {}
/// Integers and `bool`.
pub trait BoolInt: Element {}
/// All types except `bool`.
pub trait Number: Element {}

/// Reinterprets a vector as one of another type with the same layout.
///
/// # Safety
/// `A` and `B` must have the same size, alignment and set of valid values.
unsafe fn same_memory<A, B>(elements: Vec<A>) -> Vec<B> {
    let mut elements = ManuallyDrop::new(elements);
    Vec::from_raw_parts(elements.as_mut_ptr().cast(), elements.len(), elements.capacity())
}

macro_rules! plain {
    ($($type:ty as $stored:ty, $dtype:ident, $complex:ty: $($group:ident)*;)*) => {
        $(impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            type Stored = $stored;
            type Real = $type;
            type Complex = $complex;
            fn to_stored(self) -> $stored {
                self as $stored
            }
            fn from_stored(stored: $stored) -> $type {
                stored as $type
            }
            fn store(elements: Vec<$type>) -> Vec<$stored> {
                // Safety: both are the same integer type, or the same type.
                unsafe { same_memory(elements) }
            }
            fn unstore(stored: Vec<$stored>) -> Vec<$type> {
                // Safety: as above.
                unsafe { same_memory(stored) }
            }
        }
        // Safety: the type has the layout of the dtype in the same line of the macro's arguments.
        unsafe impl Plain for $type {
            const DTYPE: DType = DType::$dtype;
        }
        $(impl $group for $type {})*)*
    };
}

#[cfg(target_pointer_width = "64")]
plain! {
    isize as i64, I64, isize: Number Real BoolInt Int;
    usize as u64, U64, usize: Number Real BoolInt Int;
}
#[cfg(target_pointer_width = "32")]
plain! {
    isize as i32, I32, isize: Number Real BoolInt Int;
    usize as u32, U32, usize: Number Real BoolInt Int;
}
plain! {
    bool as bool, Bool, bool: BoolInt;
    i8 as i8, I8, i8: Number Real BoolInt Int;
    u8 as u8, U8, u8: Number Real BoolInt Int;
    i16 as i16, I16, i16: Number Real BoolInt Int;
    u16 as u16, U16, u16: Number Real BoolInt Int;
    i32 as i32, I32, i32: Number Real BoolInt Int;
    u32 as u32, U32, u32: Number Real BoolInt Int;
    i64 as i64, I64, i64: Number Real BoolInt Int;
    u64 as u64, U64, u64: Number Real BoolInt Int;
    f32 as f32, F32, (f32, f32): Number Real Field Float;
    f64 as f64, F64, (f64, f64): Number Real Field Float;
}

#[cfg(feature = "half")]
plain! {
    half::f16 as half::f16, F16, half::f16: Number Real Field Float;
    half::bf16 as half::bf16, Bf16, half::bf16: Number Real Field Float;
}

macro_rules! complex {
    ($($part:ty, $dtype:ident;)*) => {
        $(impl sealed::Sealed for ($part, $part) {}
        impl Element for ($part, $part) {
            const DTYPE: DType = DType::$dtype;
            type Stored = [$part; 2];
            type Real = $part;
            type Complex = ($part, $part);
            fn to_stored(self) -> [$part; 2] {
                [self.0, self.1]
            }
            fn from_stored(stored: [$part; 2]) -> Self {
                (stored[0], stored[1])
            }
            fn store(elements: Vec<Self>) -> Vec<[$part; 2]> {
                elements.into_iter().map(Self::to_stored).collect()
            }
            fn unstore(stored: Vec<[$part; 2]>) -> Vec<Self> {
                stored.into_iter().map(Self::from_stored).collect()
            }
        }
        impl Number for ($part, $part) {}
        impl Field for ($part, $part) {}
        // Safety: the elements of an array are contiguous.
        unsafe impl Plain for [$part; 2] {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}
complex! {
    f32, Complex64;
    f64, Complex128;
}

#[cfg(feature = "num-complex")]
macro_rules! num_complex {
    ($($part:ty, $dtype:ident;)*) => {
        $(impl sealed::Sealed for num_complex::Complex<$part> {}
        impl Element for num_complex::Complex<$part> {
            const DTYPE: DType = DType::$dtype;
            type Stored = Self;
            type Real = $part;
            type Complex = Self;
            fn to_stored(self) -> Self {
                self
            }
            fn from_stored(stored: Self) -> Self {
                stored
            }
            fn store(elements: Vec<Self>) -> Vec<Self> {
                elements
            }
            fn unstore(stored: Vec<Self>) -> Vec<Self> {
                stored
            }
        }
        impl Number for num_complex::Complex<$part> {}
        impl Field for num_complex::Complex<$part> {}
        // Safety: the type is repr(C), with the real part before the imaginary part.
        unsafe impl Plain for num_complex::Complex<$part> {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}
#[cfg(feature = "num-complex")]
num_complex! {
    f32, Complex64;
    f64, Complex128;
}
