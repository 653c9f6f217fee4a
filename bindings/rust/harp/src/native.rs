//! Functions of the host program, in Rust or C, as operations.
use crate::element::Element;
use crate::error::{c_text, Error, Result};
use crate::expr::{Dims, Expr};
use crate::generated::codes::{DType, ErrorKind};
use crate::graph::GraphNode;
use crate::info::Info;
use crate::lower::{Args, Lowering};
use crate::native_call::{entry, ArrayType, NativeCall, NativeResult, Size, Use, MOST_INPUTS};
use crate::tensor::Tensor;
use crate::trace::{call_one, Node};
use harp_sys as sys;
use std::ffi::CString;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::os::raw::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

type Raw = *mut sys::harp_node;

/// What is called: a closure, or a C function whose arguments a signature describes.
pub(crate) enum Function {
    Rust(Box<dyn Fn(&mut NativeCall<'_>) -> NativeResult + Send + Sync>),
    C { function: unsafe extern "C" fn(), user: *mut c_void, signature: String },
}

// Safety: closures are both; for a C function the caller of Native::from_c promises it.
unsafe impl Send for Function {}
unsafe impl Sync for Function {}

/// A function of the host program as an operation: each run calls it, with arrays in memory. A clone is the same function. Programs are
/// looked up by the function, so make one and use it as often as needed.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{Native, NativeCall, Tensor};
/// let sort = Native::new("sort", |call: &mut NativeCall| {
///     let x = call.input::<f32>(0)?;
///     let y = call.output::<f32>()?;
///     y.copy_from_slice(x);
///     y.sort_by(f32::total_cmp);
///     Ok(())
/// });
/// let x = Tensor::from_vec(vec![3.0f32, 1.0, 2.0], [3]);
/// let sorted: Tensor<f32> = sort.tensor(&[&(x + 1.0)], [3])?;
/// assert_eq!((sorted * 2.0).to_vec()?, [4.0, 6.0, 8.0]);
/// # Ok(())
/// # }
/// ```
///
/// The function must give the same result for the same arguments: harp may call it once for two equal operations, or not at all if nothing
/// depends on it or the result has no elements. It is called on the thread that runs the program; runs that overlap call it at the same
/// time, which is why it must be `Send + Sync`:
///
/// ```compile_fail,E0277
/// let shared = std::rc::Rc::new(1.0f32);
/// harp::Native::new("no", move |call: &mut harp::NativeCall| {
///     call.output::<f32>()?.fill(*shared);
///     Ok(())
/// });
/// ```
///
/// If the function returns an error, the run fails with [`ErrorKind::Native`] and the error's text. A panic continues in the thread that
/// runs the program, after the C library has returned. The function cannot use harp while it runs: building, compiling and running are
/// [`ErrorKind::InvalidArgument`] then. It has no gradient, and a graph that was read from a text cannot call it.
#[derive(Clone)]
pub struct Native(Arc<Named>);

struct Named {
    /// Identifies the function. (Its address does not: a later function may have the address of a dropped one.)
    id: u64,
    name: String,
    function: Arc<Function>,
}

impl Native {
    /// Makes an operation of a closure. The name is for messages and texts.
    pub fn new(name: &str, function: impl Fn(&mut NativeCall<'_>) -> NativeResult + Send + Sync + 'static) -> Native {
        Native::of(name, Function::Rust(Box::new(function)))
    }

    /// Makes an operation of a C function. The signature describes its arguments, in the language of `harp_native` (`include/harp.h`):
    /// `input0`, `input1` ..., `output`, sizes, numbers and `void* user`.
    ///
    /// ```
    /// # fn main() -> harp::Result<()> {
    /// use harp::{DType, Expr, Graph, Native};
    /// unsafe extern "C" fn scale(n: i64, factor: f64, x: *const f64, y: *mut f64) {
    ///     for i in 0..n as usize {
    ///         *y.add(i) = *x.add(i) * factor;
    ///     }
    /// }
    /// let function: unsafe extern "C" fn(i64, f64, *const f64, *mut f64) = scale;
    /// let scale = unsafe {
    ///     // Safety: the signature is the function's, which reads and writes n elements and may be called by several threads.
    ///     let any: unsafe extern "C" fn() = std::mem::transmute(function);
    ///     Native::from_c("scale", any, std::ptr::null_mut(), "void(i64 input0[0], f64 2.5, f64* input0, f64* output)")
    /// };
    /// let mut graph = Graph::new();
    /// let n = Expr::var("n", 0..=100);
    /// let x = graph.input("x").with_dtype(DType::F64).with_shape([n.clone()]).build();
    /// graph.output("y", &scale.node(&[x], DType::F64, [n])?);
    /// let x = harp::Tensor::from_vec(vec![2.0f64, 4.0], [2]).realize()?;
    /// assert_eq!(graph.compile()?.run(&[&x])?[0].as_slice::<f64>()?, [5.0, 10.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The function must have the type that the signature states, and any threads may call it at the same time. It must read only the
    /// inputs and what `user` points to, which must live as long as any program that calls the function. It must write all of the output
    /// and nothing else; an output of bools must get 0 and 1. It must not unwind, and must not use harp.
    pub unsafe fn from_c(name: &str, function: unsafe extern "C" fn(), user: *mut c_void, signature: &str) -> Native {
        Native::of(name, Function::C { function, user, signature: signature.to_owned() })
    }

    fn of(name: &str, function: Function) -> Native {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Native(Arc::new(Named { id: COUNT.fetch_add(1, Ordering::Relaxed), name: name.to_owned(), function: Arc::new(function) }))
    }

    /// The name that it was given.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The result of the function for these nodes: an array of this dtype and these sizes. Sizes may be symbolic; a closure receives the
    /// numbers of each run. A closure takes at most 8 inputs; there may be none.
    pub fn node(&self, inputs: &[GraphNode], dtype: DType, dims: impl Into<Dims>) -> Result<GraphNode> {
        let nodes: Vec<&Node> = inputs.iter().map(|input| &input.0).collect();
        self.record(&nodes, dtype, dims.into()).map(GraphNode::made)
    }

    /// The result of the function for these tensors, whose elements may have different types: an array of these sizes.
    pub fn tensor<T: Element>(&self, inputs: &[&dyn AnyTensor], dims: impl Into<Dims>) -> Result<Tensor<T>> {
        let nodes: Vec<&Node> = inputs.iter().map(|input| input.node()).collect();
        self.record(&nodes, T::DTYPE, dims.into()).and_then(Tensor::made)
    }

    fn record(&self, inputs: &[&Node], dtype: DType, dims: Dims) -> Result<Node> {
        let signature = match &*self.0.function {
            Function::C { signature, .. } => Some(c_text(signature)?),
            Function::Rust(_) if inputs.len() <= MOST_INPUTS => None,
            Function::Rust(_) => {
                let text = format!("native: {}: expected at most {} inputs, got {}", self.name(), MOST_INPUTS, inputs.len());
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
        };
        let given = inputs.iter().map(|input| input.info().clone()).collect();
        let parameters = Parameters { native: self.clone(), name: c_text(self.name())?, signature, inputs: given, dtype, dims };
        call_one("native", inputs, parameters, apply)
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Native({:?})", self.0.name)
    }
}

mod sealed {
    pub trait Sealed {
        fn node(&self) -> &crate::trace::Node;
    }
}

/// A tensor with elements of any type.
pub trait AnyTensor: sealed::Sealed {}

impl<T: Element> sealed::Sealed for Tensor<T> {
    fn node(&self) -> &Node {
        &self.0
    }
}
impl<T: Element> AnyTensor for Tensor<T> {}

struct Parameters {
    native: Native,
    name: CString,
    /// The signature of a C function.
    signature: Option<CString>,
    inputs: Vec<Arc<Info>>,
    dtype: DType,
    dims: Dims,
}

/// What the call adds to the digest of a trace. The inputs are left out, because they have digests of their own.
impl Hash for Parameters {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.native.0.id, self.dtype, &self.dims).hash(state);
    }
}

fn apply(lowering: &Lowering, sources: &mut Args, p: &Parameters, made: &mut [Raw]) -> bool {
    let mut nodes = sources.take(p.inputs.len()).to_vec();
    let dims = lowering.dims(&p.dims.0);
    let mut desc = sys::harp_native_desc::init();
    let closure_signature;
    match (&*p.native.0.function, &p.signature) {
        (Function::C { function, user, .. }, Some(signature)) => {
            desc.function = Some(*function);
            desc.user = *user;
            desc.signature = signature.as_ptr();
        }
        _ => {
            let used = match closure_use(lowering, p, &mut nodes) {
                Some(used) => used,
                None => return false,
            };
            closure_signature = signature_text(p, nodes.len());
            desc.function = Some(entry(nodes.len()));
            desc.user = Arc::as_ptr(&used) as *mut c_void;
            desc.signature = closure_signature.as_ptr();
            lowering.keep(used);
        }
    }
    desc.name = p.name.as_ptr();
    desc.dtype = p.dtype as i32;
    desc.rank = dims.len() as i32;
    desc.dims = dims.as_ptr();
    desc.graph = lowering.graph();
    // Safety: nodes of this graph; texts and sizes are copied; whoever keeps the graph or a program of it keeps the closure's `Use` too.
    made[0] = unsafe { sys::harp_native(nodes.len() as i32, nodes.as_ptr(), &desc) };
    !made[0].is_null()
}

/// Returns what the C function that calls a closure must know about this call. If sizes are symbolic, adds a last input: an array of the
/// values that they have in the run. Returns None if the graph has an error.
fn closure_use(lowering: &Lowering, p: &Parameters, nodes: &mut Vec<Raw>) -> Option<Arc<Use>> {
    let mut symbolic: Vec<Expr> = Vec::new();
    let mut array = |dtype: DType, dims: &[Expr]| {
        let size_of = |dim: &Expr| match dim.value() {
            Some(size) => Size::Plain(size),
            None => Size::Symbolic(symbolic.iter().position(|other| other == dim).unwrap_or_else(|| {
                symbolic.push(dim.clone());
                symbolic.len() - 1
            })),
        };
        ArrayType { dtype, dims: dims.iter().map(size_of).collect() }
    };
    let inputs = p.inputs.iter().map(|input| array(input.dtype(), input.dims())).collect();
    let output = array(p.dtype, &p.dims.0);
    if !symbolic.is_empty() {
        // Safety: the graph is a live handle, here and below; the nodes belong to it or are NULL, which is an error of the graph.
        let values: Vec<Raw> = symbolic.iter().map(|size| unsafe { sys::harp_size(lowering.graph(), lowering.dim(size)) }).collect();
        let stacked = unsafe { sys::harp_stack(values.len() as i32, values.as_ptr(), 0) };
        if stacked.is_null() {
            return None;
        }
        nodes.push(stacked);
    }
    Some(Arc::new(Use { function: p.native.0.function.clone(), inputs, output }))
}

/// "i32(void* user, f32* output, f32* input0, i64* input1)"
fn signature_text(p: &Parameters, inputs: usize) -> CString {
    let dtypes = (0..inputs).map(|index| p.inputs.get(index).map_or(DType::I64, |input| input.dtype()));
    let inputs: Vec<String> = dtypes.enumerate().map(|(index, dtype)| format!(", {}* input{}", dtype, index)).collect();
    CString::new(format!("i32(void* user, {}* output{})", p.dtype, inputs.concat())).expect("names of dtypes have no zero byte")
}
