//! Realising: programs for traces, looked up by structure.
use crate::buffer::{Buffer, Memory};
use crate::config::{Configuration, RawOptions};
use crate::digest::Digest;
use crate::error::{make, Error, Result};
use crate::generated::codes::ErrorKind;
use crate::grad;
use crate::lower::Lowering;
use crate::origins::{self, Why};
use crate::program::{array, const_array, Program};
use crate::raw_buffer::RawBuffer;
use crate::registry::{self, Backend};
use crate::trace::{Home, Inner, Node, State, TENSOR_FLAGS};
use crate::Context;
use harp_sys as sys;
use std::cell::Cell;
use std::rc::Rc;

/// The compiled program for one structure of traces. `inputs` contains for each input of the program its index among the arrays that a walk
/// through the trace reaches.
pub(crate) struct Plan {
    program: Program,
    inputs: Vec<usize>,
}

thread_local! {
    static WALKS: Cell<u64> = Cell::default();
    static SPARE: Cell<(Vec<*const Inner>, Vec<*const Inner>)> = Cell::default();
}

/// Walks through the trace of nodes, from each node to its sources, first to last, and calls `at` when it reaches a node for the first
/// time. `at` returns whether to continue to the node's sources. Returns a digest of the structure, which
/// states for each node whether it is an operation, another node, or a node that was reached before. The pointers are valid as long as the
/// roots exist.
pub(crate) fn walk(roots: &[&Node], pending: &mut Vec<*const Inner>, mut at: impl FnMut(&Inner, *const Inner) -> bool) -> Digest {
    let this = WALKS.with(|walks| {
        walks.set(walks.get() + 1);
        walks.get()
    });
    let mut digest = Digest::of_kind(5);
    let mut count = 0;
    pending.clear();
    for root in roots.iter().rev() {
        digest = digest.and(root.digest());
        pending.push(Rc::as_ptr(&root.0));
    }
    while let Some(pointer) = pending.pop() {
        // Safety: a root, or a source that a live node keeps alive; nothing changes during this walk.
        let node = unsafe { &*pointer };
        let (visited, number) = node.visit.get();
        if visited == this {
            digest = digest.with(u64::from(number) + 2);
            continue;
        }
        node.visit.set((this, count));
        count += 1;
        let goes_on = at(node, pointer);
        digest = match &*node.state.borrow() {
            State::Call(call) => {
                if goes_on {
                    pending.extend(call.sources.as_slice().iter().rev().map(|source| Rc::as_ptr(&source.0)));
                }
                digest.with(1)
            }
            _ => digest.with(0),
        };
    }
    digest
}

/// Computes the values of all nodes. Unless these become constants, it records what they were computed from.
pub(crate) fn realize(roots: &[&Node], configuration: Option<&Configuration>, why: Why) -> Result<()> {
    let mut wanted: Vec<&Node> = Vec::with_capacity(roots.len());
    for &root in roots {
        if root.buffer().is_none() && !wanted.iter().any(|other| Rc::ptr_eq(&other.0, &root.0)) {
            wanted.push(root);
        }
    }
    if why == Why::Constant {
        compute(&wanted, configuration)?;
        roots.iter().for_each(|root| origins::make_constant(root));
        return Ok(());
    }
    // Sources are recorded before the computation, which drops the traces. Arrays that only the traces kept alive are then dropped, too,
    // and the record connects the results with the sources of these arrays.
    wanted.iter().for_each(|root| origins::remember(root, &origins::sources(root), why));
    let outcome = compute(&wanted, configuration);
    if outcome.is_err() {
        wanted.iter().for_each(|root| origins::make_constant(root)); // still lazy: gradients reach its sources by its trace
    }
    outcome
}

/// Runs the program that computes these nodes, none of which has values yet.
fn compute(wanted: &[&Node], configuration: Option<&Configuration>) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let backend = backend_of(wanted)?;
    let (mut pending, mut leaves) = SPARE.with(Cell::take);
    leaves.clear();
    let mut gradients = Vec::new();
    let mut key = walk(wanted, &mut pending, |node, pointer| {
        match &*node.state.borrow() {
            State::Call(call) if call.name == grad::NAME => gradients.push(call.clone()),
            State::Call(_) => {}
            _ => leaves.push(pointer),
        }
        true
    });
    let complete = gradients.iter().try_for_each(grad::check_again);
    if let Some(configuration) = configuration {
        key = key.with_hash(configuration);
    }
    let known = backend.plans.borrow().get(&key).cloned();
    let plan = match (complete, known) {
        (Err(mistake), _) => Err(mistake),
        (Ok(()), Some(plan)) => Ok(plan),
        (Ok(()), None) => Plan::new(&backend, wanted, configuration).map(|plan| {
            let plan = Rc::new(plan);
            backend.plans.borrow_mut().insert(key, plan.clone());
            plan
        }),
    };
    let outcome = plan.and_then(|plan| plan.run(wanted, &leaves));
    SPARE.with(|spare| spare.set((pending, leaves)));
    outcome
}

pub(crate) fn backend_of(nodes: &[&Node]) -> Result<Rc<Backend>> {
    let mut found: Option<Rc<Backend>> = None;
    for node in nodes {
        match (&node.0.home, &found) {
            (Home::Anywhere | Home::AnyBackend, _) => {}
            (Home::Backend(backend), None) => found = Some(backend.clone()),
            (Home::Backend(backend), Some(other)) if Rc::ptr_eq(backend, other) => {}
            _ => return Err(Error::new(ErrorKind::InvalidArgument, "expected tensors of one backend, got tensors of several")),
        }
    }
    found.map_or_else(registry::default_backend, Ok)
}

impl Plan {
    fn new(backend: &Backend, roots: &[&Node], configuration: Option<&Configuration>) -> Result<Plan> {
        let lowering = Lowering::new(backend.context(), TENSOR_FLAGS)?;
        let nodes = lowering.lower(roots)?;
        let options = RawOptions::new(configuration.unwrap_or(&Configuration::default()), Some(backend.name()))?;
        // Safety: nodes of this graph; the options live until the call returns.
        let program = unsafe {
            let (count, first) = (nodes.len() as i32, nodes.as_ptr());
            let raw = make(|error| sys::harp_compile_nodes(lowering.graph(), count, std::ptr::null(), first, &options.c, error))?;
            Program::from_raw(raw, lowering.uses())
        };
        Ok(Plan { program, inputs: lowering.inputs_of(&nodes)? })
    }

    /// Computes the values of the roots.
    fn run(&self, roots: &[&Node], leaves: &[*const Inner]) -> Result<()> {
        const FEW: usize = 8;
        let nothing = sys::harp_const_array { data: std::ptr::null(), dims: std::ptr::null(), dtype: 0, rank: 0 };
        let (mut few, mut many) = ([nothing; FEW], Vec::new());
        let inputs = if self.inputs.len() <= FEW {
            &mut few[..self.inputs.len()]
        } else {
            many.resize(self.inputs.len(), nothing);
            &mut many[..]
        };
        for (input, &leaf) in inputs.iter_mut().zip(&self.inputs) {
            // Safety: sources of the roots, which nothing changes before the arrays have been used.
            let node = unsafe { &*leaves[leaf] };
            *input = match &*node.state.borrow() {
                State::Array(buffer) => const_array(&node.info, buffer.data()),
                State::Number(bytes) => const_array(&node.info, bytes.as_ptr().cast()),
                _ => return Err(Error::new(ErrorKind::Internal, "an array without values")),
            };
        }
        if let [root] = roots {
            let memory = Memory::new(root.info())?;
            // Safety: inputs are alive and not written; the output is memory of this run only, all of which is written.
            unsafe { self.program.run_raw(inputs, &[array(root.info(), &memory)], std::ptr::null())? };
            root.set_buffer(unsafe { Buffer::of_memory(memory, root.info().clone()) });
            return Ok(());
        }
        let made = roots.iter().map(|root| Memory::new(root.info())).collect::<Result<Vec<_>>>()?;
        let outputs: Vec<_> = made.iter().zip(roots).map(|(memory, root)| array(root.info(), memory)).collect();
        // Safety: as for a single output, above.
        unsafe { self.program.run_raw(inputs, &outputs, std::ptr::null())? };
        for (memory, root) in made.into_iter().zip(roots) {
            // Safety: as for a single output, above.
            root.set_buffer(unsafe { Buffer::of_memory(memory, root.info().clone()) });
        }
        Ok(())
    }
}

/// A digest of the structure of the nodes' traces.
pub(crate) fn structure(nodes: &[&Node]) -> Digest {
    walk(nodes, &mut Vec::new(), |_, _| true)
}

/// The arrays and numbers in the trace of a node, in the order in which the node's graph declares them as inputs.
pub(crate) fn leaves(root: &Node, context: &Context) -> Result<Vec<RawBuffer>> {
    let mut arrays = Vec::new();
    walk(&[root], &mut Vec::new(), |node, _| {
        match &*node.state.borrow() {
            State::Array(buffer) => arrays.push(Ok(buffer.clone())),
            State::Number(bytes) => arrays.push(Buffer::of_number(&node.info, *bytes)),
            _ => {}
        }
        true
    });
    arrays.into_iter().map(|array| RawBuffer::of_buffer(context, array?)).collect()
}
