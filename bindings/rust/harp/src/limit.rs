//! Limits the size of traces: a node whose trace has become too large is computed.
use crate::origins::Why;
use crate::plan::{realize, walk};
use crate::trace::{Home, Inner, Node, State};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of pending operations: a larger program would not be useful, and would take long to compile.
const MOST_PENDING: u32 = 10_000;
/// Maximum number of bytes of arrays that only a trace keeps alive.
const MOST_HELD: u64 = 512 << 20;

/// Operations that may lie between a product and a sum that reads it. The product and the sum may become one contraction, which does not
/// round the product; computing the product first would round it.
const PASSES_PRODUCTS: [&str; 17] = [
    "mul",
    "cast",
    "expand",
    "broadcast_to",
    "reshape",
    "permute",
    "transpose",
    "moveaxis",
    "unsqueeze",
    "squeeze",
    "flip",
    "slice",
    "flatten",
    "contiguous",
    "stop_gradient",
    "unfold",
    "diagonal",
];
/// Maximum number of nodes that limit_pending visits in its search for the operands of products.
const MOST_PASSED: usize = 256;

/// Computes a new node if its trace has become too large. If the node is a product, or results from a product by operations
/// of PASSES_PRODUCTS, the operands of the product are computed instead.
pub(crate) fn limit_pending(node: &Node) {
    if (node.size() <= MOST_PENDING && node.held() <= MOST_HELD) || !matches!(node.0.home, Home::Backend(_)) {
        return;
    }
    if !measure(node) {
        return;
    }
    let (mut cut, mut passing) = (Vec::new(), vec![node.clone()]);
    let mut next = 0;
    while next < passing.len() {
        let one = passing[next].clone();
        next += 1;
        let state = one.0.state.borrow();
        match &*state {
            State::Call(call) if PASSES_PRODUCTS.contains(&call.name) && passing.len() < MOST_PASSED => {
                passing.extend(call.sources.as_slice().iter().cloned());
            }
            State::Call(_) => cut.push(one.clone()),
            _ => {}
        }
    }
    if realize(&cut.iter().collect::<Vec<_>>(), None, Why::Limit).is_ok() {
        measure(node);
    } else {
        // A later computation of the node reports the error. Until then, operations on the node do not try to compute it again.
        node.set_bounds(0, 0);
    }
}

/// Replaces the upper bounds that a node stores by exact counts. (The bounds count an operation or array several times if several paths
/// lead to it.) Returns whether the trace is too large.
fn measure(node: &Node) -> bool {
    let mut count = 0;
    let mut leaves: HashMap<*const Inner, (usize, u64)> = HashMap::new();
    walk(&[node], &mut Vec::new(), |inner, _| {
        if let State::Call(call) = &*inner.state.borrow() {
            count += 1;
            for source in call.sources.as_slice() {
                if let State::Array(buffer) = &*source.0.state.borrow() {
                    let (uses, bytes) = leaves.entry(Rc::as_ptr(&source.0)).or_default();
                    *uses += 1;
                    let is_kept = Rc::strong_count(&source.0) > *uses || !buffer.is_unique();
                    *bytes = if is_kept { 0 } else { source.info().byte_size().unwrap_or(0) as u64 };
                }
            }
        }
        true
    });
    let held = leaves.values().map(|(_, bytes)| bytes).sum();
    node.set_bounds(count, held);
    count > MOST_PENDING || held > MOST_HELD
}
