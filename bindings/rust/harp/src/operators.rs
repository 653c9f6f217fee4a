//! `+ - * / % & | ^ ! -` between tensors, graph nodes and numbers.
use crate::element::{BoolInt, Element, Field, Number, Real};
use crate::error::expect;
use crate::generated::ops;
use crate::graph::GraphNode;
use crate::tensor::Tensor;
use std::ops::*;

/// Operators between tensors, owned or borrowed, and between tensors and numbers in either order.
macro_rules! tensor_operators {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident $function:ident $group:ident: $($number:ty),*;)*) => {
        $(
            /// Panics with harp's message where the shapes do not fit.
            impl<T: $group> $operator<Tensor<T>> for Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: Tensor<T>) -> Tensor<T> {
                    expect(ops::$function(&self.0, &other.0).and_then(Tensor::made))
                }
            }
            /// Panics with harp's message where the shapes do not fit.
            impl<T: $group> $operator<&Tensor<T>> for Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: &Tensor<T>) -> Tensor<T> {
                    expect(ops::$function(&self.0, &other.0).and_then(Tensor::made))
                }
            }
            /// Panics with harp's message where the shapes do not fit.
            impl<T: $group> $operator<Tensor<T>> for &Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: Tensor<T>) -> Tensor<T> {
                    expect(ops::$function(&self.0, &other.0).and_then(Tensor::made))
                }
            }
            /// Panics with harp's message where the shapes do not fit.
            impl<T: $group> $operator<&Tensor<T>> for &Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: &Tensor<T>) -> Tensor<T> {
                    expect(ops::$function(&self.0, &other.0).and_then(Tensor::made))
                }
            }
            impl<T: $group> $operator<T> for Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: T) -> Tensor<T> {
                    expect(ops::$function(&self.0, &Tensor::from(other).0).and_then(Tensor::made))
                }
            }
            impl<T: $group> $operator<T> for &Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self, other: T) -> Tensor<T> {
                    expect(ops::$function(&self.0, &Tensor::from(other).0).and_then(Tensor::made))
                }
            }
            numbers_before_tensors! { $operator $method $function: $($number),* }
            impl<T: Element, R> $assign<R> for Tensor<T>
            where
                for<'a> &'a Tensor<T>: $operator<R, Output = Tensor<T>>,
            {
                #[track_caller]
                fn $assign_method(&mut self, other: R) {
                    let made = $operator::$method(&*self, other);
                    *self = made;
                }
            }
        )*
    };
}

macro_rules! numbers_before_tensors {
    ($operator:ident $method:ident $function:ident: $($number:ty),*) => {
        $(
            impl $operator<Tensor<$number>> for $number {
                type Output = Tensor<$number>;
                #[track_caller]
                fn $method(self, other: Tensor<$number>) -> Tensor<$number> {
                    expect(ops::$function(&Tensor::from(self).0, &other.0).and_then(Tensor::made))
                }
            }
            impl $operator<&Tensor<$number>> for $number {
                type Output = Tensor<$number>;
                #[track_caller]
                fn $method(self, other: &Tensor<$number>) -> Tensor<$number> {
                    expect(ops::$function(&Tensor::from(self).0, &other.0).and_then(Tensor::made))
                }
            }
        )*
    };
}

tensor_operators! {
    Add add AddAssign add_assign add Number: i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, (f32, f32), (f64, f64);
    Sub sub SubAssign sub_assign sub Number: i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, (f32, f32), (f64, f64);
    Mul mul MulAssign mul_assign mul Number: i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, (f32, f32), (f64, f64);
    Div div DivAssign div_assign div Field: f32, f64, (f32, f32), (f64, f64);
    Rem rem RemAssign rem_assign fmod Real: i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64;
    BitAnd bitand BitAndAssign bitand_assign bitwise_and BoolInt: bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize;
    BitOr bitor BitOrAssign bitor_assign bitwise_or BoolInt: bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize;
    BitXor bitxor BitXorAssign bitxor_assign bitwise_xor BoolInt: bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize;
}

/// Operators between graph nodes and everything that converts to one, on both sides.
macro_rules! node_operators {
    ($($operator:ident $method:ident $function:ident;)*) => {
        $(
            /// Panics with harp's message where shapes or dtypes do not fit.
            impl<R: Into<GraphNode>> $operator<R> for GraphNode {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self, other: R) -> GraphNode {
                    expect(ops::$function(&self.0, &other.into().0).map(GraphNode::made))
                }
            }
            /// Panics with harp's message where shapes or dtypes do not fit.
            impl<R: Into<GraphNode>> $operator<R> for &GraphNode {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self, other: R) -> GraphNode {
                    expect(ops::$function(&self.0, &other.into().0).map(GraphNode::made))
                }
            }
            numbers_before_nodes! {
                $operator $method $function:
                bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, (f32, f32), (f64, f64)
            }
        )*
    };
}

macro_rules! numbers_before_nodes {
    ($operator:ident $method:ident $function:ident: $($number:ty),*) => {
        $(
            impl $operator<GraphNode> for $number {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self, other: GraphNode) -> GraphNode {
                    expect(ops::$function(&GraphNode::from(self).0, &other.0).map(GraphNode::made))
                }
            }
            impl $operator<&GraphNode> for $number {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self, other: &GraphNode) -> GraphNode {
                    expect(ops::$function(&GraphNode::from(self).0, &other.0).map(GraphNode::made))
                }
            }
        )*
    };
}

node_operators! {
    Add add add;
    Sub sub sub;
    Mul mul mul;
    Div div div;
    Rem rem fmod;
    BitAnd bitand bitwise_and;
    BitOr bitor bitwise_or;
    BitXor bitxor bitwise_xor;
}

/// Operators with numbers of other crates as left operand.
#[cfg(any(feature = "half", feature = "num-complex"))]
macro_rules! foreign_numbers {
    (@one $operator:ident $method:ident $function:ident [$($number:ty),*]) => {
        numbers_before_tensors! { $operator $method $function: $($number),* }
        numbers_before_nodes! { $operator $method $function: $($number),* }
    };
    ($numbers:tt $($operator:ident $method:ident $function:ident;)*) => {
        $(foreign_numbers! { @one $operator $method $function $numbers })*
    };
}
#[cfg(feature = "half")]
foreign_numbers! {
    [half::f16, half::bf16]
    Add add add;
    Sub sub sub;
    Mul mul mul;
    Div div div;
    Rem rem fmod;
}
#[cfg(feature = "num-complex")]
foreign_numbers! {
    [num_complex::Complex<f32>, num_complex::Complex<f64>]
    Add add add;
    Sub sub sub;
    Mul mul mul;
    Div div div;
}

macro_rules! prefix_operators {
    ($($operator:ident $method:ident $function:ident $group:ident;)*) => {
        $(
            impl<T: $group> $operator for Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self) -> Tensor<T> {
                    expect(ops::$function(&self.0).and_then(Tensor::made))
                }
            }
            impl<T: $group> $operator for &Tensor<T> {
                type Output = Tensor<T>;
                #[track_caller]
                fn $method(self) -> Tensor<T> {
                    expect(ops::$function(&self.0).and_then(Tensor::made))
                }
            }
            impl $operator for GraphNode {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self) -> GraphNode {
                    expect(ops::$function(&self.0).map(GraphNode::made))
                }
            }
            impl $operator for &GraphNode {
                type Output = GraphNode;
                #[track_caller]
                fn $method(self) -> GraphNode {
                    expect(ops::$function(&self.0).map(GraphNode::made))
                }
            }
        )*
    };
}

prefix_operators! {
    Neg neg neg Number;
    Not not bitwise_not BoolInt;
}
