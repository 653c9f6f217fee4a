//! Prints expressions and functions as the text that the C library reads.
use super::{AstNode, DType};
use crate::error::{Error, Result};
use crate::generated::codes::{DType as ElementType, ErrorKind};
use crate::graph::custom_placeholders as ph;
use std::fmt;

/// What is known about an input of a user-defined function. The dtype is `Unknown` if it is not known.
pub(crate) struct Input {
    pub(crate) dtype: ElementType,
    pub(crate) rank: usize,
}

/// A user-defined function as text in harp's loop language.
pub(crate) struct Body {
    pub(crate) text: String,
    /// Inputs that are read by one index into the flattened array: harp receives them as arrays of one axis.
    pub(crate) is_flat: Vec<bool>,
    /// The dtype of the values that the function stores in its output; None if the text alone does not determine it.
    pub(crate) dtype: Option<ElementType>,
}

/// Prints an expression over wildcards in the form of a custom elementwise operation.
impl fmt::Display for AstNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AstNode::Wildcard(number) => write!(f, "x{}", number),
            AstNode::Float(value, _) => f.write_str(&number(*value)),
            AstNode::Cast(value, dtype) => write!(f, "cast({}, dtype={})", value, name_of(dtype)),
            AstNode::Binary(sign, a, b) => write!(f, "({} {} {})", a, sign, b),
            AstNode::Neg(value) => write!(f, "(-{})", value),
            AstNode::Call(name, operands) => {
                write!(f, "{}(", name)?;
                for (index, operand) in operands.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, operand)?;
                }
                f.write_str(")")
            }
            AstNode::Int(value) => write!(f, "{}", value),
            AstNode::Bool(value) => write!(f, "{}", value),
            AstNode::Var(name) => f.write_str(name),
            // The other nodes, such as statements, are not allowed in an expression. harp rejects this text, and its error gives the
            // position.
            other => write!(f, "{:?}", other),
        }
    }
}

/// Prints a number with a point or an exponent, or as `inf`, `-inf`, `nan`.
fn number(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else {
        format!("{:?}", value)
    }
}

fn name_of(dtype: &DType) -> &'static str {
    dtype.element().map_or("no element", ElementType::name)
}

pub(crate) fn body(function: &AstNode, inputs: &[Input], rank: usize) -> Result<Body> {
    let mut inner = function;
    if let AstNode::Function { body, parameters, .. } = function {
        if let Some(first) = parameters.first() {
            let text =
                format!("expected a function without parameters, which reads input0 ... and sets output, but it has {:?}", first.name);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        inner = body;
    }
    for axis in 0..rank {
        inner = own_range(inner, axis)?;
    }
    let mut printer = Printer {
        inputs,
        rank,
        text: String::new(),
        is_flat: vec![false; inputs.len()],
        is_indexed: vec![false; inputs.len()],
        dtype: None,
        loops: 0,
    };
    printer.statement(inner, 0)?;
    Ok(Body { text: printer.text, is_flat: printer.is_flat, dtype: printer.dtype })
}

/// harp itself executes the loops over the axes of the result, so they are not printed. Returns the body of the loop over this axis; an
/// error if the node is another statement.
fn own_range(node: &AstNode, axis: usize) -> Result<&AstNode> {
    let mut inner = node;
    while let AstNode::Block(statements) = inner {
        match &statements[..] {
            [only] => inner = only,
            _ => break,
        }
    }
    if let AstNode::Range { variable, start, step, stop, body } = inner {
        let is_own = *variable == ph::ridx(axis)
            && **start == AstNode::Int(0)
            && **step == AstNode::Int(1)
            && **stop == AstNode::Var(ph::shape(axis));
        if is_own {
            return Ok(body);
        }
    }
    let text = format!("expected a loop over {} from 0 to {} in steps of 1 around all other statements", ph::ridx(axis), ph::shape(axis));
    Err(Error::new(ErrorKind::InvalidArgument, text))
}

struct Printer<'a> {
    inputs: &'a [Input],
    rank: usize,
    text: String,
    is_flat: Vec<bool>,
    is_indexed: Vec<bool>,
    dtype: Option<ElementType>,
    /// Number of loops so far whose step is not 1, for the names of their counters.
    loops: usize,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn statement(&mut self, node: &AstNode, depth: usize) -> Result<()> {
        match node {
            AstNode::Block(statements) => statements.iter().try_for_each(|statement| self.statement(statement, depth)),
            AstNode::Declare(name, value) => {
                let line = format!("let {} = {}", name, self.value(value)?);
                self.line(depth, &line);
                Ok(())
            }
            AstNode::Assign(name, value) => {
                let line = format!("{} = {}", name, self.value(value)?);
                self.line(depth, &line);
                Ok(())
            }
            AstNode::Store { array, index, value } => self.store(array, index, value, depth),
            AstNode::Range { variable, start, step, stop, body } => self.range(variable, [start, step, stop], body, depth),
            AstNode::If { condition, then, otherwise } => {
                let line = format!("if {} {{", self.value(condition)?);
                self.line(depth, &line);
                self.statement(then, depth + 1)?;
                if let Some(otherwise) = otherwise {
                    self.line(depth, "} else {");
                    self.statement(otherwise, depth + 1)?;
                }
                self.line(depth, "}");
                Ok(())
            }
            other => Err(Error::new(ErrorKind::InvalidArgument, format!("expected a statement, got {:?}", other))),
        }
    }

    fn store(&mut self, array: &AstNode, index: &AstNode, value: &AstNode, depth: usize) -> Result<()> {
        if *array != AstNode::Var(ph::OUTPUT.to_owned()) || *index != super::helper::element(self.rank) {
            let expected = super::helper::element(self.rank);
            let text = format!(
                "expected a store to {} at {}, the element that is computed, got one to {:?} at {}",
                ph::OUTPUT,
                expected,
                array,
                index
            );
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        let line = format!("output = {}", self.value(value)?);
        self.dtype = self.dtype.or_else(|| type_of(value));
        self.line(depth, &line);
        Ok(())
    }

    /// Loops of the loop language count in steps of 1, so a loop with another step becomes a loop over a counter.
    fn range(&mut self, variable: &str, [start, step, stop]: [&AstNode; 3], body: &AstNode, depth: usize) -> Result<()> {
        let (first, end) = (self.value(start)?, self.value(stop)?);
        let step = match step {
            AstNode::Int(step) if *step >= 1 => *step,
            other => return Err(Error::new(ErrorKind::InvalidArgument, format!("expected a constant step of 1 or more, got {:?}", other))),
        };
        if step == 1 {
            self.line(depth, &format!("for {} in {} .. {} {{", variable, first, end));
        } else {
            let counter = format!("step{}", self.loops);
            self.loops += 1;
            self.line(depth, &format!("for {} in 0 .. (({}) - ({}) + {}) // {} {{", counter, end, first, step - 1, step));
            self.line(depth + 1, &format!("let {} = ({}) + {} * {}", variable, first, counter, step));
        }
        self.statement(body, depth + 1)?;
        self.line(depth, "}");
        Ok(())
    }

    fn value(&mut self, node: &AstNode) -> Result<String> {
        Ok(match node {
            AstNode::Int(value) => value.to_string(),
            AstNode::Float(value, dtype) => format!("{}({})", name_of(dtype), number(*value)),
            AstNode::Bool(value) => format!("bool({})", value),
            AstNode::Var(name) => name.clone(),
            AstNode::Neg(value) => format!("(-{})", self.value(value)?),
            AstNode::Binary(sign, a, b) => format!("({} {} {})", self.value(a)?, sign, self.value(b)?),
            AstNode::Cast(value, dtype) => format!("{}({})", name_of(dtype), self.value(value)?),
            AstNode::Call(name, operands) => {
                let operands = operands.iter().map(|operand| self.value(operand)).collect::<Result<Vec<_>>>()?;
                format!("{}({})", name, operands.join(", "))
            }
            AstNode::Load { array, index, dtype } => self.load(array, index, dtype)?,
            other => return Err(Error::new(ErrorKind::InvalidArgument, format!("expected a value, got {:?}", other))),
        })
    }

    fn load(&mut self, array: &AstNode, index: &[AstNode], dtype: &DType) -> Result<String> {
        let name = match array {
            AstNode::Var(name) => name.clone(),
            other => return Err(Error::new(ErrorKind::InvalidArgument, format!("expected the name of an input, got {:?}", other))),
        };
        let number =
            name.strip_prefix("input").and_then(|number| number.parse::<usize>().ok()).filter(|&number| number < self.inputs.len());
        let number = number.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("expected one of the {} inputs input0 ..., got {:?}", self.inputs.len(), name))
        })?;
        let input = &self.inputs[number];
        if input.dtype != ElementType::Unknown && dtype.element() != Some(input.dtype) {
            let text = format!("expected elements of {}, the dtype of {}, got {}", input.dtype, name, name_of(dtype));
            return Err(Error::new(ErrorKind::Dtype, text));
        }
        let is_flat = index.len() == 1 && input.rank != 1;
        if is_flat {
            self.is_flat[number] = true;
        } else {
            self.is_indexed[number] |= input.rank != 1;
        }
        if self.is_flat[number] && self.is_indexed[number] {
            let text = format!("expected loads of {} with either one flat index or {} indices, got both", name, input.rank);
            return Err(Error::new(ErrorKind::Shape, text));
        }
        let index = index.iter().map(|index| self.value(index)).collect::<Result<Vec<_>>>()?;
        Ok(if index.is_empty() { name } else { format!("{}[{}]", name, index.join(", ")) })
    }
}

/// The dtype of a value, if the expression determines it without knowledge of variables.
fn type_of(value: &AstNode) -> Option<ElementType> {
    match value {
        AstNode::Float(_, dtype) | AstNode::Cast(_, dtype) | AstNode::Load { dtype, .. } => dtype.element(),
        AstNode::Bool(_) => Some(ElementType::Bool),
        AstNode::Neg(value) => type_of(value),
        AstNode::Binary("<" | "<=" | ">" | ">=" | "==" | "!=", ..) => Some(ElementType::Bool),
        AstNode::Binary(_, a, b) => type_of(a).or_else(|| type_of(b)),
        AstNode::Call(_, operands) => operands.iter().rev().find_map(type_of),
        _ => None,
    }
}
