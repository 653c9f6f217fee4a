//! The recorded operations, before anything is computed: nodes with their sources, dtype, shape and a hash of their structure.
//!
//! A `Tensor` and a `GraphNode` are such nodes. For each operation on operands of the same dtypes and shapes, the C library infers dtype
//! and shape of the result (or reports the error) once; later results are looked up.
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::generated::codes::{DType, ErrorKind};
use crate::info::Info;
use crate::lower::{Args, Lowering};
use crate::origins;
use crate::registry::{self, Backend};
use harp_sys as sys;
use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

/// One operation, input, array or number in a trace. A clone refers to the same node. (The type is `pub` in a private module, because a
/// sealed public trait of the crate names it.)
#[derive(Clone)]
pub struct Node(pub(crate) Rc<Inner>);

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({}{})", self.info().dtype(), self.info().shape_text())
    }
}

pub(crate) struct Inner {
    pub(crate) state: RefCell<State>,
    pub(crate) info: Arc<Info>,
    pub(crate) home: Home,
    /// A digest of the structure of the trace. An array with values contributes its dtype and shape, but neither its values nor the
    /// operations that it was computed by.
    digest: Cell<Digest>,
    /// The number of the last walk (plan.rs) that reached the node, and the node's position in this walk.
    pub(crate) visit: Cell<(u64, u32)>,
    /// Upper bound of the number of nodes of the trace, excluding arrays with values.
    size: Cell<u32>,
    /// Upper bound of the total size of those arrays, in bytes.
    held: Cell<u64>,
    /// Its number in the record of the arrays' sources (origins.rs); 0: none yet.
    pub(crate) origin: Cell<u64>,
}

pub(crate) enum State {
    /// An input of a graph.
    Input(Box<str>),
    /// An array with values.
    Array(Buffer),
    /// A number next to a tensor. Programs read it as an input of rank 0, so another number needs no other program. Two u64, so that it is
    /// aligned like an element of any dtype.
    Number([u64; 2]),
    Call(Call),
}

/// A call of a function of harp.h that builds nodes.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) apply: Apply,
    pub(crate) sources: Sources,
    /// The index of the result, for a function with several results.
    pub(crate) result: u32,
}

#[derive(Clone)]
pub(crate) enum Apply {
    /// A function without further parameters.
    Plain(fn(&mut Args) -> *mut sys::harp_node),
    With(Rc<dyn Parameters>),
}

/// The parameters of a function of harp.h, and the code that calls it with them.
pub(crate) trait Parameters {
    /// Writes as many nodes as `results` has room for; false: there was an error, which the graph stores.
    fn apply(&self, lowering: &Lowering, sources: &mut Args, results: &mut [*mut sys::harp_node]) -> bool;
    fn result_count(&self) -> usize;
}

/// A list of operands that needs no allocation for one or two of them.
#[derive(Clone)]
pub(crate) enum Sources {
    None,
    One([Node; 1]),
    Two([Node; 2]),
    Many(Box<[Node]>),
}

impl Sources {
    pub(crate) fn new(nodes: &[&Node]) -> Sources {
        match nodes {
            [] => Sources::None,
            [a] => Sources::One([(*a).clone()]),
            [a, b] => Sources::Two([(*a).clone(), (*b).clone()]),
            more => Sources::Many(more.iter().map(|&node| node.clone()).collect()),
        }
    }
    pub(crate) fn as_slice(&self) -> &[Node] {
        match self {
            Sources::None => &[],
            Sources::One(nodes) => nodes,
            Sources::Two(nodes) => nodes,
            Sources::Many(nodes) => nodes,
        }
    }
}

/// The owner of a node; nodes of two owners cannot be operands of one operation.
#[derive(Clone)]
pub(crate) enum Home {
    /// No owner: constants, and results computed from constants only.
    Anywhere,
    /// No backend yet: tensors that are computed from no array, such as zeros.
    AnyBackend,
    Backend(Rc<Backend>),
    Graph(Rc<GraphHome>),
}

pub(crate) struct GraphHome {
    /// Flags HARP_GRAPH_...
    pub(crate) flags: u32,
    pub(crate) name: RefCell<String>,
}

/// Flags HARP_GRAPH_... of the graphs that are made of tensors: tensors broadcast as ndarray's arrays do.
pub(crate) const TENSOR_FLAGS: u32 = sys::HARP_GRAPH_BROADCAST as u32;

impl GraphHome {
    /// Describes the owner `home` for an error message; None if nodes of `home` can be used in this graph.
    pub(crate) fn other_than(&self, home: &Home) -> Option<String> {
        match home {
            Home::Anywhere => None,
            Home::Graph(graph) if std::ptr::eq(&**graph, self) => None,
            other => Some(other.describe()),
        }
    }
}

impl Home {
    /// Sets `self` to the owner of the result of an operation whose operands have the owners `self` and `other`. Fails if these cannot be
    /// combined.
    fn join(&mut self, other: &Home) -> Result<()> {
        match (&*self, other) {
            (_, Home::Anywhere) | (Home::Backend(_), Home::AnyBackend) => {}
            (Home::Backend(a), Home::Backend(b)) if Rc::ptr_eq(a, b) => {}
            (Home::Graph(a), Home::Graph(b)) if Rc::ptr_eq(a, b) => {}
            (Home::Anywhere, _) | (Home::AnyBackend, Home::AnyBackend | Home::Backend(_)) => *self = other.clone(),
            _ => {
                let text =
                    format!("expected operands of one owner, but one belongs to {} and one to {}", self.describe(), other.describe());
                return Err(Error::new(ErrorKind::InvalidArgument, text));
            }
        }
        Ok(())
    }

    fn describe(&self) -> String {
        match self {
            Home::Anywhere | Home::AnyBackend => "no backend or graph".to_owned(),
            Home::Backend(backend) => format!("the backend {:?}", backend.name()),
            Home::Graph(graph) => format!("the graph {:?}", graph.name.borrow()),
        }
    }

    /// The flags HARP_GRAPH_... of the graph to which its nodes are lowered.
    pub(crate) fn flags(&self) -> u32 {
        match self {
            Home::Anywhere => 0,
            Home::AnyBackend | Home::Backend(_) => TENSOR_FLAGS,
            Home::Graph(graph) => graph.flags,
        }
    }
}

impl Node {
    fn new(state: State, info: Arc<Info>, home: Home, digest: Digest, (size, held): (u32, u64)) -> Node {
        Node(Rc::new(Inner {
            state: RefCell::new(state),
            info,
            home,
            digest: Cell::new(digest),
            visit: Cell::new((0, 0)),
            size: Cell::new(size),
            held: Cell::new(held),
            origin: Cell::new(0),
        }))
    }

    /// An array with values.
    pub(crate) fn array(buffer: Buffer, backend: Rc<Backend>) -> Node {
        let info = buffer.info().clone();
        let (digest, held) = (leaf_digest(&info), info.byte_size().unwrap_or(0) as u64);
        Node::new(State::Array(buffer), info, Home::Backend(backend), digest, (0, held))
    }

    /// A number that is an operand next to a tensor; its bytes are those of one element.
    pub(crate) fn number(dtype: DType, bytes: [u64; 2]) -> Node {
        let info = registry::number_info(dtype);
        let digest = leaf_digest(&info);
        Node::new(State::Number(bytes), info, Home::AnyBackend, digest, (0, 0))
    }

    /// An input of a graph.
    pub(crate) fn input(name: &str, info: Info, home: Rc<GraphHome>) -> Node {
        let digest = leaf_digest(&info).with_hash(name);
        Node::new(State::Input(name.into()), Arc::new(info), Home::Graph(home), digest, (0, 0))
    }

    pub(crate) fn digest(&self) -> Digest {
        self.0.digest.get()
    }
    pub(crate) fn info(&self) -> &Arc<Info> {
        &self.0.info
    }

    /// Upper bound of the number of nodes of the trace, excluding arrays with values.
    pub(crate) fn size(&self) -> u32 {
        self.0.size.get()
    }
    /// Upper bound of the total size of the arrays with values in the trace, in bytes.
    pub(crate) fn held(&self) -> u64 {
        self.0.held.get()
    }
    pub(crate) fn set_bounds(&self, size: u32, held: u64) {
        self.0.size.set(size);
        self.0.held.set(held);
    }

    /// The values, if it has them.
    pub(crate) fn buffer(&self) -> Option<Buffer> {
        match &*self.0.state.borrow() {
            State::Array(buffer) => Some(buffer.clone()),
            _ => None,
        }
    }

    /// Stores the values of a node that was an operation until now, and drops its sources.
    pub(crate) fn set_buffer(&self, buffer: Buffer) {
        let before = self.0.state.replace(State::Array(buffer));
        self.0.digest.set(leaf_digest(&self.0.info));
        self.set_bounds(0, self.0.info.byte_size().unwrap_or(0) as u64);
        drop(before);
    }
}

fn leaf_digest(info: &Info) -> Digest {
    Digest::of_kind(2).and(info.digest())
}

/// The sources of a node may form a chain of any length: they are released in a loop, because recursion might exhaust the stack.
impl Drop for Inner {
    fn drop(&mut self) {
        if self.origin.get() != 0 {
            origins::forget(self.origin.get());
        }
        let (mut next, mut more) = (None, Vec::new());
        release(self, &mut next, &mut more);
        while let Some(mut node) = next.take().or_else(|| more.pop()) {
            if let Some(inner) = Rc::get_mut(&mut node.0) {
                release(inner, &mut next, &mut more);
            }
        }
    }
}

/// Removes the sources of a node. A source that nothing else refers to, and that has sources itself, is moved to `next` or `more`, so that
/// the caller can release it without recursion.
fn release(inner: &mut Inner, next: &mut Option<Node>, more: &mut Vec<Node>) {
    let state = inner.state.get_mut();
    if !matches!(state, State::Call(_)) {
        return;
    }
    let mut leave = |node: Node| {
        let is_last = Rc::strong_count(&node.0) == 1 && matches!(&*node.0.state.borrow(), State::Call(_));
        if is_last && next.is_none() {
            *next = Some(node);
        } else if is_last {
            more.push(node);
        }
    };
    if let State::Call(call) = std::mem::replace(state, State::Number([0; 2])) {
        match call.sources {
            Sources::None => {}
            Sources::One([a]) => leave(a),
            Sources::Two([a, b]) => {
                leave(a);
                leave(b);
            }
            Sources::Many(nodes) => Vec::from(nodes).into_iter().for_each(leave),
        }
    }
}

/// Records an operation with one result.
pub(crate) fn call(name: &'static str, sources: &[&Node], f: fn(&mut Args) -> *mut sys::harp_node) -> Result<Node> {
    record_one(New::of(name, sources, Digest::of_kind(3), Apply::Plain(f))?, sources)
}

/// A function that calls a C function with parameters.
type How<P> = fn(&Lowering, &mut Args, &P, &mut [*mut sys::harp_node]) -> bool;

struct With<P> {
    parameters: P,
    results: usize,
    f: How<P>,
}

impl<P> Parameters for With<P> {
    fn apply(&self, lowering: &Lowering, sources: &mut Args, results: &mut [*mut sys::harp_node]) -> bool {
        (self.f)(lowering, sources, &self.parameters, results)
    }
    fn result_count(&self) -> usize {
        self.results
    }
}

/// Records an operation with parameters and one or several results.
pub(crate) fn call_with<P: Hash + 'static>(
    name: &'static str,
    sources: &[&Node],
    parameters: P,
    results: usize,
    f: How<P>,
) -> Result<Vec<Node>> {
    let digest = Digest::of_kind(4).with_hash(&parameters);
    record(New::of(name, sources, digest, Apply::With(Rc::new(With { parameters, results, f })))?, sources, results)
}

/// Records an operation with parameters and one result.
pub(crate) fn call_one<P: Hash + 'static>(name: &'static str, sources: &[&Node], parameters: P, f: How<P>) -> Result<Node> {
    let digest = Digest::of_kind(4).with_hash(&parameters);
    record_one(New::of(name, sources, digest, Apply::With(Rc::new(With { parameters, results: 1, f })))?, sources)
}

/// Records an operation whose results have known dtypes and shapes.
pub(crate) fn call_known<P: Hash + 'static>(
    name: &'static str,
    sources: &[&Node],
    parameters: P,
    infos: Vec<Arc<Info>>,
    f: How<P>,
) -> Result<Vec<Node>> {
    let digest = Digest::of_kind(4).with_hash(&parameters);
    let results = infos.len();
    let new = New::of(name, sources, digest, Apply::With(Rc::new(With { parameters, results, f })))?;
    Ok(infos.into_iter().enumerate().map(|(result, info)| new.node(result as u32, info)).collect())
}

/// An operation that is about to be recorded.
struct New {
    call: Call,
    home: Home,
    /// `operation` is a digest of name and parameters, `digest` one of the whole structure.
    operation: Digest,
    digest: Digest,
    /// Upper bounds for the node's trace: number of operations, and bytes of arrays.
    bounds: (u32, u64),
}

impl New {
    fn of(name: &'static str, sources: &[&Node], parameters: Digest, apply: Apply) -> Result<New> {
        let mut home = Home::Anywhere;
        let operation = parameters.with_name(name);
        let (mut digest, mut size, mut held) = (operation, 1u32, 0u64);
        for source in sources {
            home.join(&source.0.home)?;
            digest = digest.and(source.digest());
            size = size.saturating_add(source.size());
            held = held.saturating_add(source.held());
        }
        Ok(New { call: Call { name, apply, sources: Sources::new(sources), result: 0 }, home, operation, digest, bounds: (size, held) })
    }

    /// A digest of everything on which dtype and shape of the results depend: the operation, the operands' dtypes and shapes, and operands
    /// that are constants without a dtype of their own.
    fn signature(&self, sources: &[&Node]) -> Digest {
        let mut signature = self.operation.with(u64::from(self.home.flags()));
        for source in sources {
            signature = signature.and(if source.info().dtype() == DType::Unknown { source.digest() } else { source.info().digest() });
        }
        signature
    }

    /// Makes the node of one of several results.
    fn node(&self, result: u32, info: Arc<Info>) -> Node {
        let call = Call { result, ..self.call.clone() };
        let node = Node::new(State::Call(call), info, self.home.clone(), self.digest.with(u64::from(result)), self.bounds);
        crate::limit::limit_pending(&node);
        node
    }
}

fn record_one(new: New, sources: &[&Node]) -> Result<Node> {
    let signature = new.signature(sources);
    let info = match registry::known_result(signature) {
        Some(info) => info,
        None => {
            let info = infer(&new.call, &new.home, 1)?.remove(0);
            registry::remember_result(signature, info.clone());
            info
        }
    };
    let node = Node::new(State::Call(new.call), info, new.home, new.digest, new.bounds);
    crate::limit::limit_pending(&node);
    Ok(node)
}

/// Maximum number of results of an operation. Without a limit, a caller could request more results than fit memory.
const MOST_RESULTS: usize = 1 << 20;

fn record(new: New, sources: &[&Node], results: usize) -> Result<Vec<Node>> {
    if results > MOST_RESULTS {
        let text = format!("{}: expected at most {} results, got {}", new.call.name, MOST_RESULTS, results);
        return Err(Error::new(ErrorKind::Range, text));
    }
    if results == 0 {
        infer(&new.call, &new.home, 0)?; // harp reports the error, for example for a split into 0 parts
    }
    let signature = new.signature(sources).with(results as u64);
    let mut made = Vec::with_capacity(results);
    for result in 0..results as u32 {
        let info = match registry::known_result(signature.with(u64::from(result))) {
            Some(info) => info,
            None => {
                let infos = infer(&new.call, &new.home, results)?;
                for (which, info) in infos.iter().enumerate() {
                    registry::remember_result(signature.with(which as u64), info.clone());
                }
                infos[result as usize].clone()
            }
        };
        made.push(new.node(result, info));
    }
    Ok(made)
}

/// Has the C library infer the results of a call on arrays of its sources' dtypes and shapes.
fn infer(call: &Call, home: &Home, results: usize) -> Result<Vec<Arc<Info>>> {
    let context = registry::context()?;
    let lowering = Lowering::new(&context, home.flags())?;
    let attempt = lowering.declare_like(call.sources.as_slice()).and_then(|sources| lowering.apply(call, &sources, results));
    match attempt {
        Ok(made) => made.iter().map(|&node| lowering.info_of(node).map(Arc::new)).collect(),
        // Repeats the call on the original nodes, so that the message contains the names of the graph's inputs.
        Err(error) => Err(named_mistake(call, home, results).unwrap_or(error)),
    }
}

fn named_mistake(call: &Call, home: &Home, results: usize) -> Option<Error> {
    let lowering = Lowering::new(&registry::context().ok()?, home.flags()).ok()?;
    let sources: Vec<&Node> = call.sources.as_slice().iter().collect();
    let raw = lowering.lower(&sources).ok()?;
    lowering.apply(call, &raw, results).err()
}

/// Fails if a list of operands is empty.
pub(crate) fn not_empty(name: &str, nodes: &[&Node]) -> Result<()> {
    if nodes.is_empty() {
        let text = format!("{}: expected at least one array, got an empty list", name);
        return Err(Error::new(ErrorKind::InvalidArgument, text));
    }
    Ok(())
}

/// Checks those lists of an operation that must have the same length in harp.h.
pub(crate) fn same_length(name: &str, lists: &[(&str, Option<usize>)]) -> Result<()> {
    let given: Vec<(&str, usize)> = lists.iter().filter_map(|(list, length)| Some((*list, (*length)?))).collect();
    for pair in given.windows(2) {
        if pair[0].1 != pair[1].1 {
            let text = format!("{}: expected equal lengths, but {} has {} and {} has {}", name, pair[0].0, pair[0].1, pair[1].0, pair[1].1);
            return Err(Error::new(ErrorKind::Shape, text));
        }
    }
    Ok(())
}
