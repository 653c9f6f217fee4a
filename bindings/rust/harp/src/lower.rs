//! Builds graphs of the C library from traces.
use crate::built::BuiltGraph;
use crate::error::{c_text, check, make, make_text, Error, Result};
use crate::expr::{self, Arithmetic, Expr};
use crate::generated::codes::{DType, ErrorKind};
use crate::info::Info;
use crate::native_call::{check_outside, Use, Uses};
use crate::trace::{Apply, Call, Inner, Node, State};
use crate::Context;
use harp_sys as sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

type Raw = *mut sys::harp_node;

/// A graph that is being built.
pub(crate) struct Lowering {
    graph: *mut sys::harp_graph,
    made: RefCell<HashMap<*const Inner, Raw>>,
    /// The results of calls that have several results. The key is the address of the parameters, which the results of a call share.
    several: RefCell<HashMap<*const (), Vec<Raw>>>,
    /// Inputs that stand for arrays with values.
    inputs: RefCell<Vec<Raw>>,
    /// The bounds of the variables that were declared.
    variables: RefCell<HashMap<String, Expr>>,
    /// What the `user` pointers of the graph's native functions point to.
    uses: RefCell<Vec<Arc<Use>>>,
}

/// The operands of a call, taken one after the other.
pub(crate) struct Args<'a>(&'a [Raw]);

impl<'a> Args<'a> {
    pub(crate) fn new(sources: &'a [Raw]) -> Args<'a> {
        Args(sources)
    }
    pub(crate) fn next(&mut self) -> Raw {
        let (first, rest) = self.0.split_first().expect("a call has the sources that it was made with");
        self.0 = rest;
        *first
    }
    /// NULL if the operand is not given.
    pub(crate) fn optional(&mut self, is_given: bool) -> Raw {
        if is_given {
            self.next()
        } else {
            std::ptr::null_mut()
        }
    }
    pub(crate) fn take(&mut self, count: usize) -> &'a [Raw] {
        let (first, rest) = self.0.split_at(count);
        self.0 = rest;
        first
    }
}

impl Lowering {
    pub(crate) fn new(context: &Context, flags: u32) -> Result<Lowering> {
        check_outside()?;
        // Safety: the context is a live handle.
        let graph = make(|error| unsafe { sys::harp_graph_new(context.raw(), flags, error) })?;
        Ok(Lowering {
            graph,
            made: RefCell::default(),
            several: RefCell::default(),
            inputs: RefCell::default(),
            variables: RefCell::default(),
            uses: RefCell::default(),
        })
    }

    pub(crate) fn graph(&self) -> *mut sys::harp_graph {
        self.graph
    }

    /// The finished graph, which does not change any more.
    pub(crate) fn into_built(mut self) -> BuiltGraph {
        let graph = std::mem::replace(&mut self.graph, std::ptr::null_mut());
        // Safety: the caller owns the graph, and the list contains everything that its native functions point to.
        unsafe { BuiltGraph::from_raw(graph, self.uses()) }
    }

    /// Keeps alive what the `user` pointer of a native function of the graph points to.
    pub(crate) fn keep(&self, used: Arc<Use>) {
        self.uses.borrow_mut().push(used);
    }

    /// What the `user` pointers of the graph's native functions point to. Programs of the graph keep it alive, too.
    pub(crate) fn uses(&self) -> Uses {
        let uses = self.uses.borrow();
        if uses.is_empty() {
            None
        } else {
            Some(uses.as_slice().into())
        }
    }

    pub(crate) fn set_name(&self, name: &str) -> Result<()> {
        let name = c_text(name)?;
        // Safety: the graph is a live handle. (The same holds below.)
        check(|error| unsafe { sys::harp_graph_set_name(self.graph, name.as_ptr(), error) })
    }

    pub(crate) fn output(&self, name: &str, node: Raw) -> Result<()> {
        let name = c_text(name)?;
        if unsafe { sys::harp_output(self.graph, name.as_ptr(), node) } == sys::HARP_OK {
            return Ok(());
        }
        Err(self.mistake())
    }

    /// Returns the size in this graph.
    pub(crate) fn dim(&self, size: &Expr) -> sys::harp_dim {
        // Safety: the graph is a live handle; for sizes of other graphs harp reports an error.
        unsafe {
            match size {
                // Numbers this far below 0 are handles of symbolic sizes in C, so one of them would stand for an arbitrary size.
                Expr::Const(value) if *value < -(1 << 62) && *value != sys::HARP_SLICE_NONE => sys::HARP_DIM_INVALID,
                Expr::Const(value) => *value,
                Expr::Var(name) => self.variable(size, name, 0, expr::LARGEST_SIZE),
                Expr::Bounded(name, min, max) => self.variable(size, name, *min, *max),
                Expr::Of(operation, a, b) => {
                    let (a, b) = (self.dim(a), self.dim(b));
                    match operation {
                        Arithmetic::Add => sys::harp_dim_add(self.graph, a, b),
                        Arithmetic::Sub => sys::harp_dim_sub(self.graph, a, b),
                        Arithmetic::Mul => sys::harp_dim_mul(self.graph, a, b),
                        Arithmetic::FloorDiv => sys::harp_dim_floor_div(self.graph, a, b),
                        Arithmetic::Mod => sys::harp_dim_mod(self.graph, a, b),
                        Arithmetic::Min => sys::harp_dim_min(self.graph, a, b),
                        Arithmetic::Max => sys::harp_dim_max(self.graph, a, b),
                    }
                }
                // Expresses the test a >= 0 as a number: (min(a, 0) < 0 ? 0 : 1) is 1 + max(min(a, 0), -1). The choice is then a sum of
                // products.
                Expr::Select(parts) => {
                    let [test, yes, no] = [&parts[0], &parts[1], &parts[2]].map(|part| self.dim(part));
                    let low = sys::harp_dim_max(self.graph, sys::harp_dim_min(self.graph, test, 0), -1);
                    let is = sys::harp_dim_add(self.graph, low, 1);
                    let chosen = sys::harp_dim_mul(self.graph, is, sys::harp_dim_sub(self.graph, yes, no));
                    sys::harp_dim_add(self.graph, chosen, no)
                }
            }
        }
    }

    fn variable(&self, size: &Expr, name: &str, min: i64, max: i64) -> sys::harp_dim {
        self.variables.borrow_mut().entry(name.to_owned()).or_insert_with(|| size.clone());
        // A name with a zero byte is invalid: harp reports that for the part before the zero byte, or for "".
        let name = c_text(name.split('\0').next().unwrap_or("")).unwrap_or_default();
        // Safety: the graph is a live handle; the name is copied.
        unsafe { sys::harp_dim_var(self.graph, name.as_ptr(), min, max) }
    }

    pub(crate) fn dims(&self, sizes: &[Expr]) -> Vec<sys::harp_dim> {
        sizes.iter().map(|size| self.dim(size)).collect()
    }

    fn mistake(&self) -> Error {
        // Safety: the graph is a live handle, and the caller owns the error.
        unsafe { Error::take(sys::harp_graph_take_error(self.graph)) }
    }

    fn input(&self, name: &str, info: &Info) -> Result<Raw> {
        let (name, dims) = (c_text(name)?, self.dims(info.dims()));
        // Safety: there are as many sizes as the rank says; name and sizes are copied.
        let made = unsafe { sys::harp_input(self.graph, name.as_ptr(), info.dtype() as i32, dims.len() as i32, dims.as_ptr()) };
        if made.is_null() {
            return Err(self.mistake());
        }
        Ok(made)
    }

    fn next_input(&self, info: &Info) -> Result<Raw> {
        let made = self.input(&format!("x{}", self.inputs.borrow().len()), info)?;
        self.inputs.borrow_mut().push(made);
        Ok(made)
    }

    /// Declares inputs that stand for the sources and have their dtypes and shapes. A source that is a constant without a dtype of its own
    /// (it takes that of the other operand) stays a constant.
    pub(crate) fn declare_like(&self, sources: &[Node]) -> Result<Vec<Raw>> {
        let declare = |source: &Node| match source.info().dtype() {
            DType::Unknown => Ok(self.lower(&[source])?[0]),
            _ => self.next_input(source.info()),
        };
        sources.iter().map(declare).collect()
    }

    /// Adds the operation that was recorded as `call` to this graph, with these nodes as its operands.
    pub(crate) fn apply(&self, call: &Call, sources: &[Raw], results: usize) -> Result<Vec<Raw>> {
        let mut args = Args(sources);
        self.build(results, |made| match &call.apply {
            Apply::Plain(f) => {
                made[0] = f(&mut args);
                !made[0].is_null()
            }
            Apply::With(parameters) => parameters.apply(self, &mut args, made),
        })
    }

    /// Calls a building function of harp.h. Returns the nodes that it writes, or the error that it stores in the graph.
    pub(crate) fn build(&self, results: usize, f: impl FnOnce(&mut [Raw]) -> bool) -> Result<Vec<Raw>> {
        let mut made = vec![std::ptr::null_mut(); results];
        if f(&mut made) {
            Ok(made)
        } else {
            Err(self.mistake())
        }
    }

    /// Builds the nodes of a trace. Arrays and numbers become inputs, in the order in which a walk through the sources, first to last,
    /// reaches them; a graph's own inputs must be declared before.
    pub(crate) fn lower(&self, nodes: &[&Node]) -> Result<Vec<Raw>> {
        let mut pending: Vec<(Node, bool)> = nodes.iter().rev().map(|&node| (node.clone(), false)).collect();
        while let Some((node, is_ready)) = pending.pop() {
            let key = Rc::as_ptr(&node.0);
            if self.made.borrow().contains_key(&key) {
                continue;
            }
            let state = node.0.state.borrow();
            let made = match &*state {
                State::Input(name) => self.input(name, node.info())?,
                State::Array(_) | State::Number(_) => self.next_input(node.info())?,
                State::Call(call) => {
                    let sources = call.sources.as_slice();
                    if !is_ready && !sources.is_empty() {
                        pending.push((node.clone(), true));
                        pending.extend(sources.iter().rev().map(|source| (source.clone(), false)));
                        continue;
                    }
                    self.lower_call(call)?
                }
            };
            self.made.borrow_mut().insert(key, made);
        }
        let made = self.made.borrow();
        Ok(nodes.iter().map(|node| made[&Rc::as_ptr(&node.0)]).collect())
    }

    fn lower_call(&self, call: &Call) -> Result<Raw> {
        let raw: Vec<Raw> = {
            let made = self.made.borrow();
            call.sources.as_slice().iter().map(|source| made[&Rc::as_ptr(&source.0)]).collect()
        };
        let parameters = match &call.apply {
            Apply::With(parameters) if parameters.result_count() > 1 => parameters,
            _ => return Ok(self.apply(call, &raw, 1)?[0]),
        };
        let key = Rc::as_ptr(parameters).cast::<()>();
        if let Some(results) = self.several.borrow().get(&key) {
            return Ok(results[call.result as usize]);
        }
        let results = self.apply(call, &raw, parameters.result_count())?;
        let one = results[call.result as usize];
        self.several.borrow_mut().insert(key, results);
        Ok(one)
    }

    /// Returns the inputs that a program of these nodes has, in the program's order, as indices into the list of inputs declared so far.
    pub(crate) fn inputs_of(&self, nodes: &[Raw]) -> Result<Vec<usize>> {
        let declared = self.inputs.borrow();
        let (mut used, mut count) = (vec![std::ptr::null_mut(); declared.len()], 0);
        // Safety: nodes of this graph, and room for all inputs.
        check(|error| unsafe {
            sys::harp_nodes_inputs(nodes.len() as i32, nodes.as_ptr(), used.len() as i32, used.as_mut_ptr(), &mut count, error)
        })?;
        let places: HashMap<Raw, usize> = declared.iter().enumerate().map(|(place, &node)| (node, place)).collect();
        let place = |node: &Raw| places.get(node).copied().ok_or_else(|| Error::new(ErrorKind::Internal, "an input that was not declared"));
        used[..count as usize].iter().map(place).collect()
    }

    /// Dtype and sizes of a node of this graph.
    pub(crate) fn info_of(&self, node: Raw) -> Result<Info> {
        // Safety: a node of this graph; harp writes no more sizes than there is room for.
        let (dtype, dims) = unsafe {
            let rank = sys::harp_node_rank(node);
            let mut dims = vec![0; rank as usize];
            check(|error| sys::harp_node_dims(node, rank, dims.as_mut_ptr(), error))?;
            (DType::from_code(sys::harp_node_dtype(node)), dims)
        };
        let size = |&dim: &i64| if dim >= 0 { Ok(Expr::Const(dim)) } else { self.expr_of(dim) };
        Ok(Info::new(dtype, dims.iter().map(size).collect::<Result<_>>()?))
    }

    fn expr_of(&self, dim: sys::harp_dim) -> Result<Expr> {
        // Safety: a size of this graph.
        let text = make_text(|error| unsafe { sys::harp_dim_print(self.graph, dim, error) })?;
        let variables = self.variables.borrow();
        let variable = |name: &str| variables.get(name).cloned().unwrap_or_else(|| Expr::Var(name.to_owned()));
        expr::parse(&text, &variable).ok_or_else(|| Error::new(ErrorKind::Internal, format!("the size {:?} cannot be read", text)))
    }
}

impl Drop for Lowering {
    fn drop(&mut self) {
        // Safety: this value owns the reference, or it is NULL.
        unsafe { sys::harp_graph_release(self.graph) }
    }
}
