//! Functions of graph nodes that are traced once; later calls only run the program.
use crate::buffer::Buffer;
use crate::config::Configuration;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::generated::codes::{DType, ErrorKind};
use crate::graph::{Graph, GraphNode, GRAPH_BROADCAST};
use crate::native::AnyTensor;
use crate::origins::{self, Why};
use crate::plan;
use crate::program::Program;
use crate::registry;
use crate::tensor::Tensor;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

/// A function of arrays that is traced once for arrays of the same dtypes and sizes; later calls only run its program. Axes that
/// [`with_size`](Jit::with_size) names may have any size: one program serves all of them.
///
/// ```
/// # fn main() -> harp::Result<()> {
/// use harp::{Expr, Jit, Tensor};
/// let distances = Jit::new(|x| Ok(vec![(&x[0] - &x[1]).square().sum(1, false).sqrt()]))
///     .with_size(0, 0, Expr::var("n", 0..=1_000_000)); // x[0] is [n, 2], x[1] is [2]
/// let origin = Tensor::from_vec(vec![0.0f32, 0.0], [2]);
/// for n in 1..=10 {
///     let points = Tensor::from_vec([3.0f32, 4.0].repeat(n), [n, 2]);
///     let made: Vec<Tensor<f32>> = distances.call_tensors(&[&points, &origin])?;
///     assert_eq!(made[0].to_vec()?, vec![5.0; n]);
/// }
/// assert_eq!(distances.program_count(), 1);
/// # Ok(())
/// # }
/// ```
///
/// The function receives an input for each array and returns the outputs; shapes broadcast, as those of tensors do. Its outputs must depend
/// only on the inputs, because it is not called again. Sizes are symbolic if `with_size` says so, and `GraphNode::shape` shows them.
/// Threads may share a `Jit` if they may share its function; a program is made in the context of the first thread that needs it.
pub struct Jit<F> {
    function: F,
    sizes: Vec<Named>,
    programs: Mutex<HashMap<Key, Program>>,
}

/// A size that every trace uses for an axis of an input.
struct Named {
    input: usize,
    axis: usize,
    size: Expr,
}

/// The key of a program: the backend, and the dtypes and sizes of the inputs. A size that `with_size` sets is -1.
type Key = (String, Vec<(DType, Vec<i64>)>);

impl<F: Fn(&[GraphNode]) -> Result<Vec<GraphNode>>> Jit<F> {
    /// Makes a `Jit` from a function that takes an array for each input and returns a list of outputs.
    pub fn new(function: F) -> Jit<F> {
        Jit { function, sizes: Vec::new(), programs: Mutex::default() }
    }

    /// Sets the size of an axis of an input in traces, instead of the number that it has in a call: a variable, or arithmetic of variables
    /// ([`Expr::var`]). Axes that always have equal sizes, of whatever inputs, should get the same variable; a call in which their sizes
    /// differ is [`ErrorKind::Shape`].
    #[must_use]
    pub fn with_size(mut self, input: usize, axis: usize, size: impl Into<Expr>) -> Self {
        self.sizes.push(Named { input, axis, size: size.into() });
        self.programs().clear();
        self
    }

    /// Runs the function on arrays, with this thread's default backend.
    pub fn call(&self, inputs: &[&Buffer]) -> Result<Vec<Buffer>> {
        self.program(inputs)?.run(inputs)
    }

    /// Runs the function on tensors, which are realised, with their backend. All outputs must have elements of the type `T`, else
    /// [`ErrorKind::Dtype`]. The outputs are arrays: gradients through them to the inputs are [`ErrorKind::NoGradient`]. The function can
    /// compute gradients itself ([`GraphNode::grad`]).
    pub fn call_tensors<T: Element>(&self, inputs: &[&dyn AnyTensor]) -> Result<Vec<Tensor<T>>> {
        let nodes: Vec<_> = inputs.iter().map(|input| input.node()).collect();
        let backend = plan::backend_of(&nodes)?;
        plan::realize(&nodes, None, Why::Values)?;
        let buffers: Vec<Buffer> = nodes.iter().filter_map(|node| node.buffer()).collect();
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        let made = self.program_for(backend.name(), &buffers)?.run(&buffers)?;
        let results: Vec<Tensor<T>> = made.iter().map(|buffer| Tensor::from_buffer_on(&backend, buffer)).collect::<Result<_>>()?;
        origins::remember_call(&results.iter().map(|result| &result.0).collect::<Vec<_>>(), &nodes);
        Ok(results)
    }

    /// The program for such arrays, traced and compiled if necessary.
    pub fn program(&self, inputs: &[&Buffer]) -> Result<Program> {
        self.program_for(registry::default_backend()?.name(), inputs)
    }

    /// Number of programs that were made.
    pub fn program_count(&self) -> usize {
        self.programs().len()
    }

    fn program_for(&self, backend: &str, inputs: &[&Buffer]) -> Result<Program> {
        let mut arrays: Vec<(DType, Vec<i64>)> = inputs.iter().map(|input| (input.dtype(), input.info().sizes().to_vec())).collect();
        for named in &self.sizes {
            match arrays.get_mut(named.input).and_then(|(_, sizes)| sizes.get_mut(named.axis)) {
                Some(size) => *size = -1,
                None => {
                    let text = format!("expected an input {} with an axis {}, whose size is {}", named.input, named.axis, named.size);
                    return Err(Error::new(ErrorKind::InvalidArgument, text));
                }
            }
        }
        let key = (backend.to_owned(), arrays);
        if let Some(program) = self.programs().get(&key) {
            return Ok(program.clone());
        }
        let program = self.trace(backend, inputs)?;
        self.programs().insert(key, program.clone());
        Ok(program)
    }

    fn trace(&self, backend: &str, inputs: &[&Buffer]) -> Result<Program> {
        let mut graph = Graph::with_flags(GRAPH_BROADCAST);
        let mut nodes = Vec::with_capacity(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            let mut dims = input.info().dims().to_vec();
            for named in self.sizes.iter().filter(|named| named.input == index) {
                dims[named.axis] = named.size.clone();
            }
            nodes.push(graph.input(&format!("x{}", index)).with_dtype(input.dtype()).with_shape(dims).build());
        }
        for (index, node) in (self.function)(&nodes)?.iter().enumerate() {
            graph.output(&format!("y{}", index), node);
        }
        graph.build()?.compile(backend, &Configuration::default())
    }

    fn programs(&self) -> MutexGuard<'_, HashMap<Key, Program>> {
        // The map is consistent even after a panic.
        self.programs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<F> std::fmt::Debug for Jit<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(|named| format!("x{}[{}] = {}", named.input, named.axis, named.size)).collect();
        write!(f, "Jit({})", sizes.join(", "))
    }
}
