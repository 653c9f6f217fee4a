//! Graphs that are built explicitly: inputs with fixed or symbolic sizes, and named outputs.
use crate::ast::{self, AstNode};
use crate::built::BuiltGraph;
use crate::config::Configuration;
use crate::error::{expect, Error, Result};
use crate::expr::{Dims, Expr};
use crate::generated::codes::{DType, ErrorKind};
use crate::generated::ops;
use crate::grad;
use crate::info::Info;
use crate::lower::{Args, Lowering};
use crate::program::Program;
use crate::registry;
use crate::trace::{call_one, call_with, GraphHome, Node};
use harp_sys as sys;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A flag of a graph: operands broadcast as in NumPy. Axes align at the right, and an axis of size 1 is repeated.
pub const GRAPH_BROADCAST: u32 = sys::HARP_GRAPH_BROADCAST as u32;
/// A flag of a graph: operands of different dtypes promote as the Array API standard says.
pub const GRAPH_PROMOTE: u32 = sys::HARP_GRAPH_PROMOTE as u32;
/// A flag of a graph: like [`GRAPH_PROMOTE`], but bool, integers and floats also promote to each other.
pub const GRAPH_PROMOTE_MIXED: u32 = sys::HARP_GRAPH_PROMOTE_MIXED as u32;

/// A graph that is being built, with its inputs and outputs.
///
/// Operands must have the same shape, or one of them must be a scalar; [`with_flags`](Graph::with_flags) makes a graph with other rules.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{Array, ArrayMut, DType, Expr, Graph};
/// let mut graph = Graph::new();
/// let n = Expr::var("n", 0..=4096);
/// let x = graph.input("x").with_dtype(DType::F32).with_shape([n, 2.into()]).build();
/// graph.output("y", &x.sum(1, false));
/// let program = graph.compile()?;
/// assert_eq!(program.signature()?, "graph(x: f32[n, 2]) -> y: f32[n] where n in 0..4096");
/// let (x, mut y) = ([1.0f32, 2.0, 3.0, 4.0], [0.0f32; 2]);
/// program.call(&[Array::new(&x, &[2, 2])?], &mut [ArrayMut::new(&mut y, &[2])?])?;
/// assert_eq!(y, [3.0, 7.0]);
/// # Ok(())
/// # }
/// ```
///
/// An input is declared before the next one is begun:
///
/// ```compile_fail,E0499
/// let mut graph = harp::Graph::new();
/// let (x, y) = (graph.input("x"), graph.input("y"));
/// x.build();
/// ```
pub struct Graph {
    home: Rc<GraphHome>,
    inputs: Vec<Node>,
    outputs: Vec<(String, Node)>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph::new()
    }
}

impl Graph {
    /// A graph without inputs and outputs.
    pub fn new() -> Graph {
        Graph::with_flags(0)
    }

    /// A graph with [`GRAPH_BROADCAST`], [`GRAPH_PROMOTE`] or [`GRAPH_PROMOTE_MIXED`], joined with `|`.
    pub fn with_flags(flags: u32) -> Graph {
        Graph { home: Rc::new(GraphHome { flags, name: RefCell::new("graph".to_owned()) }), inputs: Vec::new(), outputs: Vec::new() }
    }

    /// The name in texts and generated code.
    pub fn set_name(&mut self, name: &str) {
        self.home.name.replace(name.to_owned());
    }

    /// Begins an input, which [`build`](InputNodeBuilder::build) declares: of dtype `f32` and rank 0, unless other methods change that.
    pub fn input(&mut self, name: &str) -> InputNodeBuilder<'_> {
        InputNodeBuilder { graph: self, name: name.to_owned(), dtype: DType::F32, dims: Vec::new() }
    }

    /// Declares a node as an output: one of this graph, or a constant.
    pub fn output(&mut self, name: &str, node: &GraphNode) {
        self.outputs.push((name.to_owned(), node.0.clone()));
    }

    /// Makes the C library's form of the graph, in this thread's context. Among the errors are two inputs with the same name, and an output
    /// that belongs to another graph.
    pub fn build(&self) -> Result<BuiltGraph> {
        let context = registry::context()?;
        let lowering = Lowering::new(&context, self.home.flags)?;
        lowering.set_name(&self.home.name.borrow())?;
        lowering.lower(&self.inputs.iter().collect::<Vec<_>>())?;
        for (name, node) in &self.outputs {
            if let Some(other) = self.home.other_than(&node.0.home) {
                let text = format!(
                    "output {:?} of graph {:?}: expected a node of this graph, got one of {}",
                    name,
                    self.home.name.borrow(),
                    other
                );
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
            let raw = lowering.lower(&[node])?[0];
            lowering.output(name, raw)?;
        }
        Ok(lowering.into_built())
    }

    /// Compiles the graph for the thread's default backend with default options. [`BuiltGraph`] has methods with options.
    pub fn compile(&self) -> Result<Program> {
        self.build()?.compile(registry::default_backend()?.name(), &Configuration::default())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({:?}: {} inputs, {} outputs)", self.home.name.borrow(), self.inputs.len(), self.outputs.len())
    }
}

/// An input that is not declared yet.
#[must_use = "build() declares the input"]
#[derive(Debug)]
pub struct InputNodeBuilder<'a> {
    graph: &'a mut Graph,
    name: String,
    dtype: DType,
    dims: Vec<Expr>,
}

impl InputNodeBuilder<'_> {
    pub fn with_dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }
    pub fn with_shape(mut self, dims: impl Into<Dims>) -> Self {
        self.dims = dims.into().0;
        self
    }
    /// Declares the input.
    pub fn build(self) -> GraphNode {
        let node = Node::input(&self.name, Info::new(self.dtype, self.dims), self.graph.home.clone());
        self.graph.inputs.push(node.clone());
        GraphNode(node)
    }
}

/// An array of a graph: an input, or the result of operations. A clone refers to the same array.
///
/// Constants, and results computed from constants only, belong to no graph and can be used in any. Operators take nodes and numbers on both
/// sides, and panic with harp's message if dtypes or shapes do not fit; each method has a variant `try_...` that returns the error.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{DType, ErrorKind, Graph};
/// let mut graph = Graph::new();
/// let x = graph.input("x").with_shape([2, 3]).build();
/// let y = graph.input("y").with_shape([4]).build();
/// let mistake = x.try_add(&y).unwrap_err();
/// assert_eq!(mistake.kind(), ErrorKind::Shape);
/// assert!(mistake.message().contains("[2, 3]") && mistake.message().contains("[4]"), "{}", mistake);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GraphNode(pub(crate) Node);

/// How a reduction combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    Sum,
    Prod,
    Max,
    Min,
}

/// How a scan combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CumulativeOp {
    Sum,
    Prod,
    Max,
    Min,
}

impl ReduceOp {
    fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Prod => "prod",
            ReduceOp::Max => "max",
            ReduceOp::Min => "min",
        }
    }
}

impl CumulativeOp {
    fn name(self) -> &'static str {
        match self {
            CumulativeOp::Sum => "sum",
            CumulativeOp::Prod => "prod",
            CumulativeOp::Max => "max",
            CumulativeOp::Min => "min",
        }
    }
}

/// Names by which user-defined functions refer to inputs, indices, sizes and the output.
pub mod custom_placeholders {
    /// The element that is being computed.
    pub const OUTPUT: &str = "output";
    /// The n-th input.
    pub fn input(n: usize) -> String {
        format!("input{}", n)
    }
    /// The element's index along the n-th axis of the result.
    pub fn ridx(n: usize) -> String {
        format!("ridx{}", n)
    }
    /// The size of the n-th axis of the result.
    pub fn shape(n: usize) -> String {
        format!("shape{}", n)
    }
}

impl GraphNode {
    pub(crate) fn made(node: Node) -> GraphNode {
        GraphNode(node)
    }

    /// A number of rank 0. It has the dtype of its type, but `isize`, `i32`, `i64` and `usize` take the dtype of the operands that they are
    /// used with.
    ///
    /// ```
    /// use harp::{DType, GraphNode};
    /// assert_eq!(GraphNode::constant(0.5f32).dtype(), DType::F32);
    /// assert_eq!(GraphNode::constant(5isize).dtype(), DType::Unknown);
    /// assert_eq!((GraphNode::arange(5) + GraphNode::constant(10isize)).dtype(), DType::I32);
    /// ```
    pub fn constant(number: impl Into<GraphNode>) -> GraphNode {
        number.into()
    }

    /// re + im * i of the type complex64.
    pub fn complex_constant(re: f32, im: f32) -> GraphNode {
        GraphNode::from((re, im))
    }
    /// Like [`complex_constant`](GraphNode::complex_constant), from a pair.
    pub fn complex_constant_from(parts: (f32, f32)) -> GraphNode {
        GraphNode::from(parts)
    }

    /// A number of rank 0 and of any dtype. Fails with [`ErrorKind::Range`] if the dtype cannot hold it.
    pub fn constant_of(dtype: DType, value: f64) -> Result<GraphNode> {
        made(call_one("constant", &[], (dtype as i32, value.to_bits()), |l, _, p: &(i32, u64), out| {
            out[0] = unsafe { sys::harp_constant(l.graph(), p.0, f64::from_bits(p.1)) };
            !out[0].is_null()
        }))
    }

    /// An array of constants: elements of plain sizes in row-major order.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// let weights = harp::GraphNode::constant_array(&[0.25f32, 0.5, 0.25], [3])?;
    /// assert_eq!(weights.shape().len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn constant_array<T: crate::element::Plain + fmt::Debug>(elements: &[T], dims: impl Into<Dims>) -> Result<GraphNode> {
        let bytes = std::mem::size_of_val(elements);
        // Safety: plain elements have no padding.
        let data = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), bytes) }.to_vec();
        made(call_one("constant_array", &[], (T::DTYPE as i32, dims.into(), data), |l, _, p: &(i32, Dims, Vec<u8>), out| {
            let dims = l.dims(&p.1 .0);
            let (size, data) = (p.2.len(), p.2.as_ptr().cast());
            out[0] = unsafe { sys::harp_constant_array(l.graph(), p.0, dims.len() as i32, dims.as_ptr(), size, data) };
            !out[0].is_null()
        }))
    }

    /// The value of a size, as an i64 of rank 0.
    pub fn size(size: impl Into<Expr>) -> Result<GraphNode> {
        made(call_one("size", &[], (size.into(),), |l, _, p: &(Expr,), out| {
            out[0] = unsafe { sys::harp_size(l.graph(), l.dim(&p.0)) };
            !out[0].is_null()
        }))
    }

    /// 0, 1, ..., excluding `stop`, with the dtype i32; `cast` converts it to another.
    #[track_caller]
    pub fn arange(stop: impl Into<Expr>) -> GraphNode {
        expect(GraphNode::arange_from(DType::I32, 0, stop, 1))
    }

    /// start, start + step, ... before `stop` (after it if step < 0).
    pub fn arange_from(dtype: DType, start: impl Into<Expr>, stop: impl Into<Expr>, step: i64) -> Result<GraphNode> {
        made(ops::arange(dtype, start.into(), stop.into(), step))
    }

    /// An array of these sizes in which every element is the number.
    pub fn full(value: impl Into<GraphNode>, dims: impl Into<Dims>) -> Result<GraphNode> {
        made(ops::full(&value.into().0, dims.into()))
    }

    /// Arrays joined along an axis.
    pub fn concat(inputs: &[GraphNode], axis: i32) -> Result<GraphNode> {
        made(ops::concat(&nodes(inputs), axis))
    }
    /// Joins arrays of the same shape along a new axis, which has this position in the result.
    pub fn stack(inputs: &[GraphNode], axis: i32) -> Result<GraphNode> {
        made(ops::stack(&nodes(inputs), axis))
    }
    /// NumPy's einsum: "ij,jk->ik".
    pub fn einsum(spec: &str, inputs: &[GraphNode]) -> Result<GraphNode> {
        made(ops::einsum(spec, &nodes(inputs)))
    }
    /// NumPy's meshgrid: broadcasts arrays of one axis to the grid that they span. `indexing` is "ij", or "xy" (also None).
    pub fn meshgrid(inputs: &[GraphNode], indexing: Option<&str>) -> Result<Vec<GraphNode>> {
        Ok(ops::meshgrid(&nodes(inputs), indexing)?.into_iter().map(GraphNode).collect())
    }

    /// A custom elementwise operation on this array, which is `wildcard("0")` in the expression.
    ///
    /// ```
    /// use harp::ast::helper::wildcard;
    /// let x = harp::Graph::new().input("x").with_shape([10]).build();
    /// assert_eq!(x.custom_elementwise(wildcard("0") * wildcard("0")).shape(), x.shape());
    /// ```
    #[track_caller]
    pub fn custom_elementwise(&self, expression: AstNode) -> GraphNode {
        GraphNode::custom_elementwise_multi(vec![self.clone()], expression)
    }
    /// A custom elementwise operation on two arrays.
    #[track_caller]
    pub fn custom_elementwise_binary(&self, other: impl Into<GraphNode>, expression: AstNode) -> GraphNode {
        GraphNode::custom_elementwise_multi(vec![self.clone(), other.into()], expression)
    }
    /// A custom elementwise operation on any number of arrays.
    #[track_caller]
    pub fn custom_elementwise_multi(inputs: Vec<GraphNode>, expression: AstNode) -> GraphNode {
        expect(GraphNode::try_custom_elementwise(&inputs, &expression.to_string()))
    }
    /// A custom elementwise operation whose expression is a text: "where(x0 > 0, x0*x1, exp(x1) - 1)".
    pub fn try_custom_elementwise(inputs: &[GraphNode], expression: &str) -> Result<GraphNode> {
        made(ops::custom_elementwise(&nodes(inputs), expression))
    }

    /// Evaluates an elementwise expression on the arrays and reduces its values along one axis, which is removed.
    #[track_caller]
    pub fn custom_reduce(inputs: Vec<GraphNode>, expression: AstNode, op: ReduceOp, axis: i32) -> GraphNode {
        expect(made(ops::custom_reduce(&nodes(&inputs), &expression.to_string(), op.name(), axis.into(), false)))
    }
    /// Evaluates an elementwise expression on the arrays, and computes running sums, products ... of its values along one axis.
    #[track_caller]
    pub fn custom_cumulative(inputs: Vec<GraphNode>, expression: AstNode, op: CumulativeOp, axis: i32) -> GraphNode {
        expect(made(ops::custom_cumulative(&nodes(&inputs), &expression.to_string(), op.name(), axis, 0)))
    }

    /// A user-defined function on this array; the result has the array's shape, and the dtype of the values that are stored.
    #[track_caller]
    pub fn custom_function(&self, function: AstNode) -> GraphNode {
        expect(GraphNode::try_custom_function(std::slice::from_ref(self), &function, self.0.info().dims().to_vec()))
    }
    /// A user-defined function on any number of arrays, with the shape of its result.
    pub fn try_custom_function(inputs: &[GraphNode], function: &AstNode, dims: impl Into<Dims>) -> Result<GraphNode> {
        let dims = dims.into();
        let given: Vec<ast::Input> =
            inputs.iter().map(|input| ast::Input { dtype: input.dtype(), rank: input.0.info().dims().len() }).collect();
        let body = ast::body(function, &given, dims.0.len())?;
        let flat: Vec<GraphNode> = inputs
            .iter()
            .zip(&body.is_flat)
            .map(|(input, &is_flat)| if is_flat { input.try_flatten(0, -1) } else { Ok(input.clone()) })
            .collect::<Result<_>>()?;
        let fallback = inputs.first().map(GraphNode::dtype);
        let dtype = body.dtype.or(fallback).ok_or_else(|| Error::new(ErrorKind::Dtype, "expected a stored value whose dtype is known"))?;
        GraphNode::loop_function(&flat, &body.text, dtype, dims)
    }

    /// A function in harp's loop language ([`harp_custom_function`]), evaluated for each element of a result of this dtype and shape.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{DType, Graph, GraphNode};
    /// let mut graph = Graph::new();
    /// let x = graph.input("x").with_shape([4, 3]).build();
    /// let body = "let sum = f32(0)\nfor i in 0 .. size(input0, 1) { sum = sum + input0[ridx0, i] }\noutput = sum";
    /// let y = GraphNode::loop_function(&[x], body, DType::F32, [4])?;
    /// assert_eq!(y.dtype(), DType::F32);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`harp_custom_function`]: harp_sys::harp_custom_function
    pub fn loop_function(inputs: &[GraphNode], body: &str, dtype: DType, dims: impl Into<Dims>) -> Result<GraphNode> {
        let parameters = (crate::error::c_text(body)?, dtype as i32, dims.into(), inputs.len());
        made(call_one("custom_function", &nodes(inputs), parameters, |l: &Lowering, n: &mut Args, p, out| {
            let (dims, sources) = (l.dims(&p.2 .0), n.take(p.3));
            let mut desc = sys::harp_custom_function_desc::init();
            desc.body = p.0.as_ptr();
            desc.dtype = p.1;
            desc.rank = dims.len() as i32;
            desc.dims = dims.as_ptr();
            desc.graph = l.graph();
            out[0] = unsafe { sys::harp_custom_function(sources.len() as i32, sources.as_ptr(), &desc) };
            !out[0].is_null()
        }))
    }

    /// A function of several results in harp's loop language ([`harp_custom_function_results`]), one for each dtype and all of this shape.
    /// Its body sets `output0`, `output1` …, or `output` if there is one dtype.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{DType, Graph, GraphNode};
    /// let mut graph = Graph::new();
    /// let x = graph.input("x").with_shape([4, 3]).build();
    /// let body = "for i in 0 .. size(input0, 1) {
    ///     if input0[ridx0, i] > output0 {
    ///         output0 = input0[ridx0, i]
    ///         output1 = i
    ///     }
    /// }";
    /// let made = GraphNode::loop_function_results(&[x], body, &[DType::F32, DType::I64], [4])?;
    /// assert_eq!(made[1].dtype(), DType::I64);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`harp_custom_function_results`]: harp_sys::harp_custom_function_results
    pub fn loop_function_results(inputs: &[GraphNode], body: &str, dtypes: &[DType], dims: impl Into<Dims>) -> Result<Vec<GraphNode>> {
        let numbers: Vec<i32> = dtypes.iter().map(|&dtype| dtype as i32).collect();
        let parameters = (crate::error::c_text(body)?, numbers, dims.into(), inputs.len());
        let name = "custom_function_results";
        let made = call_with(name, &nodes(inputs), parameters, dtypes.len(), |l: &Lowering, n: &mut Args, p, out| {
            let (dims, sources) = (l.dims(&p.2 .0), n.take(p.3));
            let mut desc = sys::harp_custom_function_desc::init();
            desc.body = p.0.as_ptr();
            desc.rank = dims.len() as i32;
            desc.dims = dims.as_ptr();
            desc.graph = l.graph();
            let (n, count) = (sources.len() as i32, p.1.len() as i32);
            let status = unsafe { sys::harp_custom_function_results(n, sources.as_ptr(), &desc, count, p.1.as_ptr(), out.as_mut_ptr()) };
            status == sys::HARP_OK
        })?;
        Ok(made.into_iter().map(GraphNode).collect())
    }

    /// Gradients of this node, which must have one element, with respect to others; see `harp_grad`.
    pub fn grad(&self, with_respect_to: &[GraphNode]) -> Result<Vec<GraphNode>> {
        self.grad_with(with_respect_to, None, false)
    }
    /// [`grad`](GraphNode::grad) of sum(self * grad_output); with `zero_where_independent` zeros for nodes that this one does not depend
    /// on.
    pub fn grad_with(
        &self,
        with_respect_to: &[GraphNode],
        grad_output: Option<&GraphNode>,
        zero_where_independent: bool,
    ) -> Result<Vec<GraphNode>> {
        let made = grad::grad(&self.0, &nodes(with_respect_to), grad_output.map(|given| &given.0), zero_where_independent)?;
        Ok(made.into_iter().map(GraphNode).collect())
    }

    /// The type of its elements; `Unknown` for an integer constant that takes the dtype of the operands that it is used with.
    pub fn dtype(&self) -> DType {
        self.0.info().dtype()
    }
    /// Its sizes.
    pub fn shape(&self) -> Vec<Expr> {
        self.0.info().dims().to_vec()
    }
}

impl fmt::Debug for GraphNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GraphNode({}{})", self.dtype(), self.0.info().shape_text())
    }
}

fn made(node: Result<Node>) -> Result<GraphNode> {
    node.map(GraphNode)
}

fn nodes(inputs: &[GraphNode]) -> Vec<&Node> {
    inputs.iter().map(|input| &input.0).collect()
}

impl From<&GraphNode> for GraphNode {
    fn from(node: &GraphNode) -> GraphNode {
        node.clone()
    }
}

macro_rules! from_numbers {
    ($($number:ty, $dtype:ident, $wide:ty, $stored:ty, $function:ident;)*) => {
        $(impl From<$number> for GraphNode {
            #[track_caller]
            fn from(number: $number) -> GraphNode {
                let stored = <$stored>::from_ne_bytes((number as $wide).to_ne_bytes());
                let parameters = (DType::$dtype as i32, stored);
                expect(made(call_one(stringify!($function), &[], parameters, |l, _, p: &(i32, $stored), out| {
                    out[0] = unsafe { sys::$function(l.graph(), p.0, <$wide>::from_ne_bytes(p.1.to_ne_bytes())) };
                    !out[0].is_null()
                })))
            }
        })*
    };
}
from_numbers! {
    f32, F32, f64, u64, harp_constant;
    f64, F64, f64, u64, harp_constant;
    isize, Unknown, i64, i64, harp_constant_i64;
    i32, Unknown, i64, i64, harp_constant_i64;
    i64, Unknown, i64, i64, harp_constant_i64;
    usize, Unknown, i64, i64, harp_constant_i64;
    i8, I8, i64, i64, harp_constant_i64;
    i16, I16, i64, i64, harp_constant_i64;
    u8, U8, u64, u64, harp_constant_u64;
    u16, U16, u64, u64, harp_constant_u64;
    u32, U32, u64, u64, harp_constant_u64;
    u64, U64, u64, u64, harp_constant_u64;
}

impl From<bool> for GraphNode {
    #[track_caller]
    fn from(value: bool) -> GraphNode {
        expect(made(call_one("constant_bool", &[], value, |l, _, &value, out| {
            out[0] = unsafe { sys::harp_constant_bool(l.graph(), i32::from(value)) };
            !out[0].is_null()
        })))
    }
}

macro_rules! from_complex {
    ($($part:ty, $dtype:ident;)*) => {
        $(impl From<($part, $part)> for GraphNode {
            #[track_caller]
            fn from(parts: ($part, $part)) -> GraphNode {
                let parameters = (f64::from(parts.0).to_bits(), f64::from(parts.1).to_bits());
                expect(made(call_one(stringify!($dtype), &[], parameters, |l, _, p: &(u64, u64), out| {
                    let (re, im) = (f64::from_bits(p.0), f64::from_bits(p.1));
                    out[0] = unsafe { sys::harp_constant_complex(l.graph(), DType::$dtype as i32, re, im) };
                    !out[0].is_null()
                })))
            }
        })*
    };
}
from_complex! {
    f32, Complex64;
    f64, Complex128;
}

#[cfg(feature = "half")]
macro_rules! from_half {
    ($($number:ty, $dtype:ident;)*) => {
        $(impl From<$number> for GraphNode {
            #[track_caller]
            fn from(number: $number) -> GraphNode {
                expect(GraphNode::constant_of(DType::$dtype, number.to_f64()))
            }
        })*
    };
}
#[cfg(feature = "half")]
from_half! {
    half::f16, F16;
    half::bf16, Bf16;
}

#[cfg(feature = "num-complex")]
impl From<num_complex::Complex<f32>> for GraphNode {
    #[track_caller]
    fn from(number: num_complex::Complex<f32>) -> GraphNode {
        GraphNode::from((number.re, number.im))
    }
}
#[cfg(feature = "num-complex")]
impl From<num_complex::Complex<f64>> for GraphNode {
    #[track_caller]
    fn from(number: num_complex::Complex<f64>) -> GraphNode {
        GraphNode::from((number.re, number.im))
    }
}
