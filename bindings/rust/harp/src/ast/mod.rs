//! User-defined functions and expressions, built in Rust and printed in harp's languages.
//!
//! An expression over [`wildcard`](helper::wildcard)s becomes the text of an elementwise operation:
//!
//! ```
//! use harp::ast::helper::*;
//! let expression = (wildcard("0") + wildcard("1")) * wildcard("2");
//! assert_eq!(expression.to_string(), "((x0 + x1) * x2)");
//! ```
//!
//! A [`function`](helper::function) with loops, loads and stores becomes a body in harp's loop language ([`body`](AstNode::body)), which
//! computes one element of the result: harp itself executes the outermost ranges, over `ridx0`, `ridx1` ...
mod print;

use crate::error::Result;
use crate::generated::codes::DType as ElementType;
pub(crate) use print::{body, Input};
use std::ops;

/// The types of a function's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DType {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    /// An array of such elements.
    Ptr(Box<DType>),
    /// `Tuple(vec![])` is the unit type: there is no value.
    Tuple(Vec<DType>),
}

impl DType {
    /// The dtype of array elements that have this type.
    pub fn element(&self) -> Option<ElementType> {
        Some(match self {
            DType::Bool => ElementType::Bool,
            DType::I8 => ElementType::I8,
            DType::U8 => ElementType::U8,
            DType::I16 => ElementType::I16,
            DType::U16 => ElementType::U16,
            DType::I32 => ElementType::I32,
            DType::U32 => ElementType::U32,
            DType::I64 => ElementType::I64,
            DType::U64 => ElementType::U64,
            DType::F32 => ElementType::F32,
            DType::F64 => ElementType::F64,
            DType::Ptr(_) | DType::Tuple(_) => return None,
        })
    }
}

/// The kind of a function; there is one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Normal,
}

/// The scope of a block. It lists no variables, because variables are declared by statements ([`helper::declare`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope(());

impl Scope {
    pub fn new() -> Scope {
        Scope::default()
    }
}

/// A parameter of a function. A function that is used in a graph has no parameters: its inputs and its output have fixed names
/// ([`crate::graph::custom_placeholders`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    pub name: String,
    pub dtype: DType,
}

/// An expression, a statement or a function.
#[derive(Clone, Debug, PartialEq)]
pub enum AstNode {
    /// "0": the first operand.
    Wildcard(String),
    Var(String),
    /// An integer, which takes the dtype of the operand that it is used with.
    Int(i64),
    /// A number of a type.
    Float(f64, DType),
    Bool(bool),
    /// A binary operator in its written form: "+", "<" ...
    Binary(&'static str, Box<AstNode>, Box<AstNode>),
    Neg(Box<AstNode>),
    /// An elementwise operation of harp, by its name: "sin", "where" ...
    Call(&'static str, Vec<AstNode>),
    Cast(Box<AstNode>, DType),
    /// An element of an array: by one index into the flattened array (row-major), or by an index for each axis.
    Load {
        array: Box<AstNode>,
        index: Vec<AstNode>,
        dtype: DType,
    },
    /// Sets the output element that is being computed.
    Store {
        array: Box<AstNode>,
        index: Box<AstNode>,
        value: Box<AstNode>,
    },
    /// Declares a variable; assigns a value to one.
    Declare(String, Box<AstNode>),
    Assign(String, Box<AstNode>),
    Range {
        variable: String,
        start: Box<AstNode>,
        step: Box<AstNode>,
        stop: Box<AstNode>,
        body: Box<AstNode>,
    },
    If {
        condition: Box<AstNode>,
        then: Box<AstNode>,
        otherwise: Option<Box<AstNode>>,
    },
    Block(Vec<AstNode>),
    Function {
        name: Option<String>,
        kind: FunctionKind,
        parameters: Vec<VarDecl>,
        result: DType,
        body: Box<AstNode>,
    },
}

impl AstNode {
    /// The body of a function in harp's loop language, for inputs of these ranks and a result of rank `rank`.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::ast::{helper::*, DType};
    /// use harp::graph::custom_placeholders as ph;
    /// let sum = block(vec![
    ///     declare("sum", const_f32(0.0)),
    ///     range("i", const_int(0), const_int(1), size(var(ph::input(0)), 1), block(vec![
    ///         assign("sum", var("sum") + load_at(var(ph::input(0)), vec![var(ph::ridx(0)), var("i")], DType::F32)),
    ///     ], Default::default())),
    ///     store(var(ph::OUTPUT), var(ph::ridx(0)), var("sum")),
    /// ], Default::default());
    /// let loops = range(ph::ridx(0), const_int(0), const_int(1), var(ph::shape(0)), sum);
    /// let lines = "let sum = f32(0.0)\nfor i in 0 .. size(input0, 1) {\n  sum = (sum + input0[ridx0, i])\n}\noutput = sum\n";
    /// assert_eq!(loops.body(&[2], 1)?, lines);
    /// # Ok(())
    /// # }
    /// ```
    pub fn body(&self, input_ranks: &[usize], rank: usize) -> Result<String> {
        let inputs: Vec<Input> = input_ranks.iter().map(|&rank| Input { dtype: ElementType::Unknown, rank }).collect();
        Ok(body(self, &inputs, rank)?.text)
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $sign:literal;)*) => {
        $(impl<R: Into<AstNode>> ops::$operator<R> for AstNode {
            type Output = AstNode;
            fn $method(self, other: R) -> AstNode {
                AstNode::Binary($sign, Box::new(self), Box::new(other.into()))
            }
        })*
    };
}
operators! {
    Add add "+";
    Sub sub "-";
    Mul mul "*";
    Div div "/";
    Rem rem "%";
    BitAnd bitand "&";
    BitOr bitor "|";
}

impl ops::Neg for AstNode {
    type Output = AstNode;
    fn neg(self) -> AstNode {
        AstNode::Neg(Box::new(self))
    }
}

impl From<f32> for AstNode {
    fn from(value: f32) -> AstNode {
        helper::const_f32(value)
    }
}
impl From<i64> for AstNode {
    fn from(value: i64) -> AstNode {
        AstNode::Int(value)
    }
}
impl From<i32> for AstNode {
    fn from(value: i32) -> AstNode {
        AstNode::Int(value.into())
    }
}

/// Functions that build functions and expressions.
pub mod helper {
    use super::{AstNode, DType, FunctionKind, Scope, VarDecl};

    /// The operand with this number.
    pub fn wildcard(number: impl Into<String>) -> AstNode {
        AstNode::Wildcard(number.into())
    }
    pub fn var(name: impl Into<String>) -> AstNode {
        AstNode::Var(name.into())
    }
    pub fn const_int(value: i64) -> AstNode {
        AstNode::Int(value)
    }
    pub fn const_f32(value: f32) -> AstNode {
        AstNode::Float(value.into(), DType::F32)
    }
    pub fn const_f64(value: f64) -> AstNode {
        AstNode::Float(value, DType::F64)
    }
    pub fn const_bool(value: bool) -> AstNode {
        AstNode::Bool(value)
    }
    /// The element of an array at an index into the flattened array (row-major).
    pub fn load(array: AstNode, index: AstNode, dtype: DType) -> AstNode {
        AstNode::Load { array: Box::new(array), index: vec![index], dtype }
    }
    /// The element of an array with an index for each axis.
    pub fn load_at(array: AstNode, index: Vec<AstNode>, dtype: DType) -> AstNode {
        AstNode::Load { array: Box::new(array), index, dtype }
    }
    /// Sets the element that is being computed. `index` must be `ridx0`, or [`element`] if the result has several axes.
    pub fn store(array: AstNode, index: AstNode, value: AstNode) -> AstNode {
        AstNode::Store { array: Box::new(array), index: Box::new(index), value: Box::new(value) }
    }
    /// The row-major index of the element that is being computed, in a result of this many axes: ridx0, ridx0 * shape1 + ridx1 ...
    pub fn element(rank: usize) -> AstNode {
        use crate::graph::custom_placeholders as ph;
        (1..rank)
            .fold(if rank == 0 { const_int(0) } else { var(ph::ridx(0)) }, |index, axis| index * var(ph::shape(axis)) + var(ph::ridx(axis)))
    }
    /// The size of an axis of an input.
    pub fn size(array: AstNode, axis: i64) -> AstNode {
        AstNode::Call("size", vec![array, const_int(axis)])
    }
    /// A loop from `start` to `stop`, excluding `stop`.
    pub fn range(variable: impl Into<String>, start: AstNode, step: AstNode, stop: AstNode, body: AstNode) -> AstNode {
        let [start, step, stop, body] = [start, step, stop, body].map(Box::new);
        AstNode::Range { variable: variable.into(), start, step, stop, body }
    }
    pub fn block(statements: Vec<AstNode>, _scope: Scope) -> AstNode {
        AstNode::Block(statements)
    }
    /// Declares a variable in the block.
    pub fn declare(name: impl Into<String>, value: AstNode) -> AstNode {
        AstNode::Declare(name.into(), Box::new(value))
    }
    /// Assigns a value to a variable.
    pub fn assign(name: impl Into<String>, value: AstNode) -> AstNode {
        AstNode::Assign(name.into(), Box::new(value))
    }
    pub fn if_then(condition: AstNode, then: AstNode) -> AstNode {
        AstNode::If { condition: Box::new(condition), then: Box::new(then), otherwise: None }
    }
    pub fn if_else(condition: AstNode, then: AstNode, otherwise: AstNode) -> AstNode {
        AstNode::If { condition: Box::new(condition), then: Box::new(then), otherwise: Some(Box::new(otherwise)) }
    }
    pub fn function(
        name: Option<impl Into<String>>,
        kind: FunctionKind,
        parameters: Vec<VarDecl>,
        result: DType,
        body: AstNode,
    ) -> AstNode {
        AstNode::Function { name: name.map(Into::into), kind, parameters, result, body: Box::new(body) }
    }
    pub fn cast(value: AstNode, dtype: DType) -> AstNode {
        AstNode::Cast(Box::new(value), dtype)
    }
    /// An elementwise operation of harp: `call("where", vec![lt(a, b), c, d])`.
    pub fn call(name: &'static str, operands: Vec<AstNode>) -> AstNode {
        AstNode::Call(name, operands)
    }

    macro_rules! comparisons {
        ($($name:ident $sign:literal;)*) => {
            $(pub fn $name(a: AstNode, b: AstNode) -> AstNode {
                AstNode::Binary($sign, Box::new(a), Box::new(b))
            })*
        };
    }
    comparisons! { lt "<"; le "<="; gt ">"; ge ">="; eq "=="; ne "!="; }

    macro_rules! calls {
        ($($name:ident($($operand:ident),*);)*) => {
            $(pub fn $name($($operand: AstNode),*) -> AstNode {
                AstNode::Call(stringify!($name), vec![$($operand),*])
            })*
        };
    }
    calls! {
        recip(x);
        sqrt(x);
        exp(x);
        exp2(x);
        log(x);
        log2(x);
        sin(x);
        cos(x);
        tanh(x);
        abs(x);
        floor(x);
        maximum(a, b);
        minimum(a, b);
        pow(a, b);
    }
}
